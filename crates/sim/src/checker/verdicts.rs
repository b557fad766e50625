//! What must hold of the verdicts of a loop, whoever made them: each is recorded once, with the outcome it judges, and
//! what follows from it comes after it.

use super::data::Data;
use super::{Checked, violated};

/// How firmly prompts speak, from the least on.
const LEVELS: [&str; 5] = ["off", "minimal", "standard", "aggressive", "adaptive"];

/// Verdicts so far, and what they rest on.
#[derive(Default)]
pub(super) struct Verdicts {
    /// Iterations that have theirs.
    iterations: u32,
    /// What the last one says.
    last: String,
    /// The event with the last outcome that a verdict can rest on.
    outcome_at: u64,
    /// A person left an iteration out, perhaps while the run rests: then its verdict comes once the run goes on.
    left_out: bool,
    /// Whether all checks of the last round that was not cut short passed.
    green: bool,
    /// Whether an attempt that cheats is refused.
    refuses: bool,
    /// The last attempt that ended was refused.
    refused: bool,
    /// A person is to look at what it left.
    asked: bool,
    level: usize,
    /// The tree that was seen last, and the one that the iteration under way is compared with.
    seen: Option<String>,
    base: Option<String>,
    /// The tree that is about to be committed, and the one that was last.
    committing: Option<(u32, String)>,
    committed: Option<String>,
}

impl Verdicts {
    /// Iterations that have a verdict.
    pub(super) fn iterations(&self) -> u32 {
        self.iterations
    }

    pub(super) fn begin(&mut self, created: &Data<'_>) -> Checked {
        self.refuses = created.maybe::<&str>("/config/guard")?.is_none_or(|mode| mode == "block");
        self.level = level(created.get("/config/reinforcement/level")?)?;
        Ok(())
    }

    /// An iteration begins: it is compared with what stands.
    pub(super) fn begun(&mut self) {
        self.base.clone_from(&self.seen);
    }

    /// Somebody edited the tree before an attempt began. That is theirs, unless an attempt before it left something that nobody
    /// has judged: then both are judged.
    pub(super) fn snapshot_taken(&mut self, event: &Data<'_>, before_attempt: bool) -> Checked {
        let is_base = event.is("/base")?;
        if is_base != (before_attempt && self.seen == self.base) {
            let what = format!("compared with {:?} after {:?}: {is_base}", self.base, self.seen);
            return violated("I12", what);
        }
        self.tree_seen(event, "/snapshot/tree")?;
        if is_base {
            self.begun();
        }
        Ok(())
    }

    fn tree_seen(&mut self, event: &Data<'_>, path: &str) -> Checked {
        self.seen = event.maybe(path)?.or_else(|| self.seen.take());
        Ok(())
    }

    pub(super) fn attempt_finished(&mut self, event: &Data<'_>) -> Checked {
        self.attempt_left(event, "/end")?;
        self.asked = event.maybe::<&str>("/ruling/guard")? == Some("asked");
        self.outcome_at = event.seq();
        Ok(())
    }

    /// What was found in the tree after an attempt, which `at` tells.
    pub(super) fn attempt_left(&mut self, event: &Data<'_>, at: &str) -> Checked {
        let findings = format!("{at}/guard/findings");
        let blocking: Vec<bool> = match event.has(&findings) {
            true => event.each(&findings, "blocking")?,
            false => Vec::new(),
        };
        self.refused = self.refuses && blocking.contains(&true);
        self.tree_seen(event, &format!("{at}/snapshot/tree"))
    }

    /// A round was run, to its end where it is known whether all checks passed. One that was given up is an outcome, too.
    ///
    /// Where a test was written meanwhile, or the guard has something against what the checks wrote, it proves nothing.
    pub(super) fn checked(&mut self, event: &Data<'_>, green: Option<bool>) -> Checked {
        (self.green, self.outcome_at) = (green.unwrap_or(self.green), event.seq());
        let blocking = "/round/wrote/guard/findings";
        let is_cheat = event.has("/round/wrote/tests")
            || event.has(blocking) && event.each::<bool>(blocking, "blocking")?.contains(&true);
        if green.is_some() && is_cheat && self.refuses {
            (self.green, self.refused) = (false, true);
        }
        self.tree_seen(event, "/round/snapshot/tree")
    }

    /// A person left out the iteration that would have come.
    pub(super) fn left_out(&mut self, seq: u64) {
        (self.outcome_at, self.left_out) = (seq, true);
    }

    /// What the verdict on an iteration that was left out had to wait for is over: the run goes on after a rest, or nothing is
    /// open any more.
    pub(super) fn goes_on(&mut self, seq: u64) {
        if self.left_out {
            self.outcome_at = seq;
        }
    }

    /// A person has to judge what the last iteration left. One that was skipped keeps what it changed, so what was doubted of
    /// it still is.
    pub(super) fn is_doubted(&self) -> bool {
        self.last == "doubted" || (self.last == "skipped" && self.asked)
    }

    /// A person judged what was doubted.
    pub(super) fn answered(&mut self) {
        self.last.clear();
        self.asked = false;
    }

    /// One per iteration, in one append with the outcome it judges.
    pub(super) fn concluded(&mut self, event: &Data<'_>, first: u64, iteration: u32) -> Checked {
        let number: u32 = event.get("/conclusion/iteration")?;
        if number != self.iterations + 1 || number != iteration {
            return violated("I12", format!("iteration {number} is judged while {iteration} is under way"));
        }
        if self.outcome_at < first {
            return violated("I12", format!("the verdict on iteration {number} came without its outcome"));
        }
        let verdict: &str = event.get("/conclusion/verdict")?;
        if self.refused && matches!(verdict, "kept" | "doubted") {
            return violated("I12", format!("iteration {number} was refused, and is {verdict}"));
        }
        if event.is("/conclusion/best")? && (verdict != "kept" || event.is("/conclusion/regressed")?) {
            return violated("I12", format!("iteration {number} is the best, and {verdict}"));
        }
        (self.iterations, self.last, self.left_out) = (number, verdict.to_owned(), false);
        Ok(())
    }

    /// The level only rises, from where it is.
    pub(super) fn level_raised(&mut self, event: &Data<'_>) -> Checked {
        let (from, to) = (level(event.get("/rise/from")?)?, level(event.get("/rise/to")?)?);
        if from != self.level || to <= from {
            let what = format!("{} became {} while {}", LEVELS[from], LEVELS[to], LEVELS[self.level]);
            return violated("I12", what);
        }
        self.level = to;
        Ok(())
    }

    /// Only what the last verdict left, only where its checks are green and nobody doubts it, and only once.
    pub(super) fn commit_started(&mut self, event: &Data<'_>, iteration: u32) -> Checked {
        let (number, tree): (u32, String) = (event.get("/commit/iteration")?, event.get("/commit/tree")?);
        if number != self.iterations || number != iteration {
            return violated("I12", format!("iteration {number} is committed without its verdict"));
        }
        if !self.green || self.last == "doubted" {
            return violated("I12", format!("iteration {number} is committed, and is not green or doubted"));
        }
        if self.committed.as_ref() == Some(&tree) {
            return violated("I12", format!("tree {tree} is committed twice"));
        }
        self.committing = Some((number, tree));
        Ok(())
    }

    pub(super) fn commit_finished(&mut self, event: &Data<'_>) -> Checked {
        let done = (event.get("/iteration")?, event.get("/tree")?);
        if self.committing.as_ref() != Some(&done) {
            return violated("I12", format!("{done:?} was committed, and {:?} was to be", self.committing));
        }
        self.committed = Some(done.1);
        self.committing = None;
        Ok(())
    }

    pub(super) fn completed(&self, reason: &str) -> Checked {
        if !self.green {
            return violated("I6", format!("the run completed ({reason}) without green checks"));
        }
        if self.refused {
            return violated("I12", "the run completed with work that was refused");
        }
        Ok(())
    }
}

fn level(word: &str) -> Result<usize, super::Violation> {
    match LEVELS.iter().position(|known| *known == word) {
        Some(level) => Ok(level),
        None => violated("I2", format!("nobody knows a level {word}")),
    }
}
