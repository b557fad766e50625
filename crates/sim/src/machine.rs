//! The machine: attempt directories, keepers and the processes they hold, one small step at a time.
//!
//! The protocol is that of the product's keeper: publish with the lock held, start, write `exit.json`,
//! let go. A crash may fall between any two steps.

use piton_model::loop_machine::{
    AttemptOutcome, ErrorClass, Finding, GuardReport, RegressionType, Report, ReportStatus, Severity, Usage,
};

use crate::history::{Entry, Name};
use crate::rng::Rng;
use crate::scenario::{Plant, Scenario};

/// One tree in this many is a cheat.
const CHEATS_ONE_IN: u64 = 12;

/// What an attempt's directory holds.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    pub(crate) name: Name,
    /// The keeper that holds its lock.
    pub(crate) locked_by: Option<u32>,
    pub(crate) exit: Option<Exit>,
    pub(crate) abandoned: bool,
}

/// `exit.json`, with the report beside it.
#[derive(Clone, Debug)]
pub(crate) struct Exit {
    pub(crate) outcome: AttemptOutcome,
    pub(crate) duration_ms: u64,
    pub(crate) report: Option<Report>,
}

/// How far a keeper came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Preparing,
    /// Only with the planted bug: visible, but not locked yet.
    PublishedUnlocked,
    Published,
    Spawned,
    Running,
    TreeEmpty,
    ExitWritten,
}

/// A living keeper.
#[derive(Clone, Debug)]
pub(crate) struct Keeper {
    pub(crate) id: u32,
    pub(crate) name: Name,
    pub(crate) step: Step,
    pub(crate) cancelled: bool,
    /// It gets no time until then.
    pub(crate) stalled_until: u64,
    /// Planted bug: it takes a name that is taken.
    pub(crate) replaces: bool,
    outcome: AttemptOutcome,
    report: Option<Report>,
    steps_left: u64,
    worked_ms: u64,
}

/// What a keeper told its launcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Published,
    AlreadyPublished,
    Failed,
}

/// What became of an attempt, as far as its directory tells.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    Absent,
    Abandoned,
    Alive,
    Finished(Box<Exit>),
    Dead,
}

/// Everything on the machine that is not a driver.
pub(crate) struct Machine {
    pub(crate) directories: Vec<Directory>,
    pub(crate) keepers: Vec<Keeper>,
    /// Processes in the work tree that live.
    pub(crate) processes: Vec<Name>,
    /// Answers of keepers, by their id, until their launcher reads them.
    answers: Vec<(u32, Answer)>,
    /// The content of the work tree.
    pub(crate) tree: u32,
    trees: u32,
    /// The tree of each snapshot.
    pub(crate) snapshots: Vec<u32>,
    pub(crate) boot: u32,
    pub(crate) host: String,
    next_keeper: u32,
    plant: Option<Plant>,
}

impl Machine {
    pub(crate) fn new(plant: Option<Plant>) -> Self {
        Self {
            directories: Vec::new(),
            keepers: Vec::new(),
            processes: Vec::new(),
            answers: Vec::new(),
            tree: 0,
            trees: 0,
            snapshots: Vec::new(),
            boot: 0,
            host: "host".to_owned(),
            next_keeper: 0,
            plant,
        }
    }

    fn directory(&self, name: Name) -> Option<&Directory> {
        self.directories.iter().rev().find(|directory| directory.name == name)
    }

    fn directory_mut(&mut self, name: Name) -> Option<&mut Directory> {
        self.directories.iter_mut().rev().find(|directory| directory.name == name)
    }

    pub(crate) fn look(&self, name: Name) -> Found {
        match self.directory(name) {
            None => Found::Absent,
            Some(directory) if directory.locked_by.is_some() => Found::Alive,
            Some(Directory { exit: Some(exit), .. }) => Found::Finished(Box::new(exit.clone())),
            Some(Directory { abandoned: true, .. }) => Found::Abandoned,
            Some(_) => Found::Dead,
        }
    }

    pub(crate) fn is_locked(&self, name: Name) -> bool {
        self.directory(name).is_some_and(|directory| directory.locked_by.is_some())
    }

    /// Publishes a tombstone, unless the name is taken.
    pub(crate) fn abandon(&mut self, name: Name, log: &mut Vec<Entry>) {
        if self.directory(name).is_none() {
            self.directories.push(Directory { name, locked_by: None, exit: None, abandoned: true });
            log.push(Entry::Tombstone(name));
        }
    }

    /// Starts a keeper; it has done nothing yet.
    pub(crate) fn launch(&mut self, name: Name, replaces: bool, scenario: &Scenario, rng: &mut Rng) -> u32 {
        self.next_keeper += 1;
        let id = self.next_keeper;
        let (outcome, report, steps_left) = match name {
            Name::Attempt(_) => fate_of_agent(scenario, rng),
            Name::Check { .. } => (AttemptOutcome::Succeeded, None, rng.between(1, 2)),
        };
        let step = Step::Preparing;
        self.keepers.push(Keeper {
            id,
            name,
            step,
            cancelled: false,
            stalled_until: 0,
            replaces,
            outcome,
            report,
            steps_left,
            worked_ms: 0,
        });
        id
    }

    pub(crate) fn take_answer(&mut self, id: u32) -> Option<Answer> {
        let index = self.answers.iter().position(|(keeper, _)| *keeper == id)?;
        Some(self.answers.swap_remove(index).1)
    }

    pub(crate) fn lives(&self, id: u32) -> bool {
        self.keepers.iter().any(|keeper| keeper.id == id)
    }

    pub(crate) fn cancel(&mut self, name: Name) {
        if let Some(id) = self.directory(name).and_then(|directory| directory.locked_by)
            && let Some(keeper) = self.keepers.iter_mut().find(|keeper| keeper.id == id)
        {
            keeper.cancelled = true;
        }
    }

    /// Kills what a dead keeper left.
    pub(crate) fn reap(&mut self, name: Name, log: &mut Vec<Entry>) {
        self.gone(name, log);
    }

    fn gone(&mut self, name: Name, log: &mut Vec<Entry>) {
        if let Some(index) = self.processes.iter().position(|living| *living == name) {
            self.processes.swap_remove(index);
            log.push(Entry::Gone(name));
        }
    }

    /// The snapshot of the tree as it is: the last one, if nothing changed since.
    pub(crate) fn snapshot(&mut self) -> piton_model::loop_machine::Snapshot {
        if self.snapshots.last() != Some(&self.tree) {
            self.snapshots.push(self.tree);
        }
        let (id, tree) = (format!("s{}", self.snapshots.len() - 1), format!("t{}", self.tree));
        piton_model::loop_machine::Snapshot { id, tree }
    }

    pub(crate) fn restore(&mut self, id: &str) {
        let index: usize = id[1..].parse().expect("snapshots are numbered");
        self.tree = self.snapshots[index];
    }

    /// Somebody writes to the tree.
    pub(crate) fn write_tree(&mut self, rng: &mut Rng) {
        if rng.one_in(16) && self.trees > 0 {
            // Back to something that was there before.
            self.tree = rng.below(u64::from(self.trees)) as u32;
        } else {
            self.trees += 1;
            self.tree = self.trees;
        }
    }

    /// One small step of the keeper at `index`.
    pub(crate) fn step(&mut self, index: usize, scenario: &Scenario, rng: &mut Rng, log: &mut Vec<Entry>) {
        let Keeper { id, name, step, cancelled, outcome, .. } = self.keepers[index];
        match step {
            Step::Preparing => self.publish(index, rng),
            Step::PublishedUnlocked => {
                if let Some(directory) = self.directory_mut(name) {
                    directory.locked_by = Some(id);
                }
                self.keepers[index].step = Step::Published;
            }
            Step::Published if cancelled => {
                self.keepers[index].outcome = AttemptOutcome::Cancelled;
                self.keepers[index].report = None;
                self.keepers[index].step = Step::TreeEmpty;
            }
            Step::Published if outcome == AttemptOutcome::NotStartable => {
                self.keepers[index].step = Step::TreeEmpty;
            }
            Step::Published => {
                self.processes.push(name);
                log.push(Entry::Spawned(name));
                self.keepers[index].step = Step::Spawned;
            }
            // Between the start and `started.json`.
            Step::Spawned => self.keepers[index].step = Step::Running,
            Step::Running => self.run(index, rng, log),
            Step::TreeEmpty => self.write_exit(index, scenario, log),
            Step::ExitWritten => {
                if let Some(directory) = self.directory_mut(name) {
                    directory.locked_by = None;
                }
                self.keepers.remove(index);
            }
        }
    }

    fn publish(&mut self, index: usize, rng: &mut Rng) {
        let Keeper { id, name, replaces, .. } = self.keepers[index];
        if rng.one_in(400) {
            self.answers.push((id, Answer::Failed));
            self.keepers.remove(index);
            return;
        }
        if self.directory(name).is_some() && !replaces {
            self.answers.push((id, Answer::AlreadyPublished));
            self.keepers.remove(index);
            return;
        }
        let late = self.plant == Some(Plant::LockAfterPublish);
        let locked_by = (!late).then_some(id);
        self.directories.push(Directory { name, locked_by, exit: None, abandoned: false });
        self.answers.push((id, Answer::Published));
        self.keepers[index].step = if late { Step::PublishedUnlocked } else { Step::Published };
    }

    fn run(&mut self, index: usize, rng: &mut Rng, log: &mut Vec<Entry>) {
        let is_agent = matches!(self.keepers[index].name, Name::Attempt(_));
        self.keepers[index].worked_ms += rng.between(200, 4_000);
        if is_agent && rng.percent(60) {
            self.write_tree(rng);
        }
        let keeper = &mut self.keepers[index];
        let gone = !self.processes.contains(&keeper.name);
        if gone {
            // It was killed from outside.
            (keeper.outcome, keeper.report) = (AttemptOutcome::Failed, None);
        } else if keeper.cancelled {
            (keeper.outcome, keeper.report) = (AttemptOutcome::Cancelled, None);
        } else if keeper.steps_left > 0 {
            keeper.steps_left -= 1;
            return;
        }
        keeper.step = Step::TreeEmpty;
        let name = keeper.name;
        self.gone(name, log);
    }

    fn write_exit(&mut self, index: usize, scenario: &Scenario, log: &mut Vec<Entry>) {
        let keeper = &mut self.keepers[index];
        let (name, mut outcome, duration_ms) = (keeper.name, keeper.outcome, keeper.worked_ms);
        let report = keeper.report.take();
        keeper.step = Step::ExitWritten;
        if let Name::Check { index: check, .. } = name
            && outcome == AttemptOutcome::Succeeded
            && !self.passes(scenario, check)
        {
            outcome = AttemptOutcome::Failed;
        }
        let cost = report.as_ref().and_then(|report| report.cost_microusd);
        log.push(Entry::ExitWritten { name, outcome: word(outcome), cost });
        if let Some(directory) = self.directory_mut(name) {
            directory.exit = Some(Exit { outcome, duration_ms, report });
        }
    }

    /// What the guard says about the tree: some are cheats, always the same ones.
    pub(crate) fn guard(&self, scenario: &Scenario) -> GuardReport {
        let mut dice = Rng::new(scenario.dice ^ u64::from(self.tree).rotate_left(32));
        let cheats = dice.one_in(CHEATS_ONE_IN);
        let finding = Finding {
            id: format!("{:010x}", self.tree),
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
        };
        let findings: Vec<_> = cheats.then_some(finding).into_iter().collect();
        GuardReport { findings_total: findings.len() as u32, findings, ..GuardReport::default() }
    }

    /// Whether the tree passes this check.
    fn passes(&self, scenario: &Scenario, check: u8) -> bool {
        if self.tree == 0 {
            return scenario.green_start;
        }
        let mut dice = Rng::new(scenario.dice ^ (u64::from(self.tree) << 8 | u64::from(check)));
        dice.below(1_000) < scenario.passes_permille
    }

    /// The keeper dies; what it held lives on.
    pub(crate) fn kill_keeper(&mut self, index: usize) -> Step {
        let keeper = self.keepers.remove(index);
        if let Some(directory) = self.directory_mut(keeper.name)
            && directory.locked_by == Some(keeper.id)
        {
            directory.locked_by = None;
        }
        keeper.step
    }

    /// The agent or check dies; its keeper notices.
    pub(crate) fn kill_process(&mut self, index: usize, log: &mut Vec<Entry>) {
        let name = self.processes[index];
        self.gone(name, log);
    }

    /// Power is lost and comes back.
    pub(crate) fn reboot(&mut self, log: &mut Vec<Entry>) {
        while !self.keepers.is_empty() {
            self.kill_keeper(0);
        }
        for name in std::mem::take(&mut self.processes) {
            log.push(Entry::Gone(name));
        }
        self.answers.clear();
        self.boot += 1;
    }
}

/// The word for an outcome, by the simulation's own account.
fn word(outcome: AttemptOutcome) -> &'static str {
    match outcome {
        AttemptOutcome::Succeeded => "succeeded",
        AttemptOutcome::Failed => "failed",
        AttemptOutcome::TimedOut => "timed_out",
        AttemptOutcome::Hung => "hung",
        AttemptOutcome::Cancelled => "cancelled",
        AttemptOutcome::NotStartable => "not_startable",
    }
}

fn fate_of_agent(scenario: &Scenario, rng: &mut Rng) -> (AttemptOutcome, Option<Report>, u64) {
    let mut report = Report::default();
    if rng.percent(70) {
        report.cost_microusd = Some(rng.between(1_000, 200_000));
        report.usage = Some(Usage {
            input_tokens: rng.below(1_000),
            output_tokens: rng.below(400),
            cached_input_tokens: None,
        });
    }
    if scenario.chatty {
        report.summary = Some("I looked at the code and changed it. ".repeat(60));
    }
    let steps = rng.between(1, 3);
    if rng.below(1_000) < scenario.done_permille {
        report.status = Some(ReportStatus::Done);
        return (AttemptOutcome::Succeeded, Some(report), steps);
    }
    match rng.below(100) {
        0..70 => {
            report.status = Some(ReportStatus::Continue);
            (AttemptOutcome::Succeeded, Some(report), steps)
        }
        70..74 => {
            report.status = Some(ReportStatus::Blocked);
            report.reason = Some(format!("no key {}", rng.below(1_000)));
            (AttemptOutcome::Succeeded, Some(report), steps)
        }
        74..84 => (AttemptOutcome::Failed, Some(report), steps),
        84..87 => (AttemptOutcome::Hung, None, steps + 4),
        87..90 => (AttemptOutcome::TimedOut, None, steps + 4),
        90..96 => {
            let overloaded = rng.one_in(2);
            report.error_class =
                Some(if overloaded { ErrorClass::Overloaded } else { ErrorClass::RateLimit });
            (AttemptOutcome::Failed, Some(report), 1)
        }
        96 => {
            report.error_class = Some(ErrorClass::Auth);
            (AttemptOutcome::Failed, Some(report), 1)
        }
        97 => (AttemptOutcome::NotStartable, None, 0),
        _ => (AttemptOutcome::Succeeded, None, steps),
    }
}
