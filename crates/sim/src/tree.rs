//! A work tree made of dice: a number that agents, checks and people change, with snapshots of what it was.
//!
//! Which trees pass a check, and which are a cheat, is decided by the seed and by nothing else: the same tree always is.

use piton_model::loop_machine::{
    AttemptOutcome, Change, Finding, GuardReport, Left, RegressionType, Severity, Snapshot,
};

use crate::history::Name;
use crate::rng::Rng;

/// One tree in this many is a cheat.
const CHEATS_ONE_IN: u64 = 12;

/// The work tree of one run.
pub(crate) struct Tree {
    /// In a thousand trees, how many pass a check.
    passes_permille: u64,
    /// Decides which trees those are.
    dice: u64,
    /// Whether the first tree passes every check.
    green_start: bool,
    content: u32,
    newest: u32,
    /// The tree of each snapshot.
    snapshots: Vec<u32>,
}

impl Tree {
    pub(crate) fn new(passes_permille: u64, green_start: bool, rng: &mut Rng) -> Self {
        let dice = rng.next();
        Self { passes_permille, dice, green_start, content: 0, newest: 0, snapshots: Vec::new() }
    }

    /// What it holds.
    pub(crate) fn content(&self) -> u32 {
        self.content
    }

    /// The snapshot of the tree as it is: the last one, if nothing changed since.
    pub(crate) fn snapshot(&mut self) -> Snapshot {
        if self.snapshots.last() != Some(&self.content) {
            self.snapshots.push(self.content);
        }
        let (id, tree) = (format!("s{}", self.snapshots.len() - 1), format!("t{}", self.content));
        Snapshot { id, tree, left_out: Vec::new() }
    }

    pub(crate) fn restore(&mut self, id: &str) {
        let index: usize = id[1..].parse().expect("snapshots are numbered");
        self.content = self.snapshots[index];
    }

    /// Somebody writes to it.
    pub(crate) fn write(&mut self, rng: &mut Rng) {
        if rng.one_in(16) && self.newest > 0 {
            // Back to something that was there before.
            self.content = rng.below(u64::from(self.newest)) as u32;
        } else {
            self.newest += 1;
            self.content = self.newest;
        }
    }

    /// Whether it passes this check.
    pub(crate) fn passes(&self, check: u8) -> bool {
        if self.content == 0 {
            return self.green_start;
        }
        let mut dice = Rng::new(self.dice ^ (u64::from(self.content) << 8 | u64::from(check)));
        dice.below(1_000) < self.passes_permille
    }

    /// How a process in it ends that would end like this: a check succeeds where the tree passes.
    pub(crate) fn ends(&self, name: Name, outcome: AttemptOutcome) -> AttemptOutcome {
        match name {
            Name::Check { index, .. } if outcome == AttemptOutcome::Succeeded && !self.passes(index) => {
                AttemptOutcome::Failed
            }
            Name::Check { .. } | Name::Attempt(_) => outcome,
        }
    }

    /// The tree as it is, beside the one before the iteration and the one last seen.
    pub(crate) fn left(&mut self, before: Option<&Snapshot>, seen: Option<&Snapshot>) -> Left {
        let snapshot = self.snapshot();
        let differs = |from: Option<&Snapshot>| from.is_some_and(|from| from.tree != snapshot.tree);
        let guard = differs(before).then(|| self.guard());
        let change = differs(seen).then(|| Change { files_total: 1, added: 1, ..Change::default() });
        Left { snapshot: Some(snapshot), change, guard }
    }

    /// What the guard says about it: some trees are cheats, always the same ones.
    pub(crate) fn guard(&self) -> GuardReport {
        let mut dice = Rng::new(self.dice ^ u64::from(self.content).rotate_left(32));
        let cheats = dice.one_in(CHEATS_ONE_IN);
        let finding = Finding {
            id: format!("{:010x}", self.content),
            rule: "test-deleted".to_owned(),
            regression_type: RegressionType::TestDeletion,
            pattern: None,
            severity: Severity::Critical,
            confidence_percent: 97,
            blocking: true,
            file: "tests".to_owned(),
            line: 1,
            test: None,
            message: "a test is gone".to_owned(),
            before: None,
            after: None,
            undo: "restore it".to_owned(),
            allowed: None,
            evidence: None,
        };
        let findings: Vec<_> = cheats.then_some(finding).into_iter().collect();
        GuardReport { findings_total: findings.len() as u32, findings, ..GuardReport::default() }
    }
}
