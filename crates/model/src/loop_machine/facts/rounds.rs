//! What a round of checks found: a verdict per check, what they wrote, what they have to do with the checkout.

use piton_record::record;

use super::Snapshot;
use crate::finding::Finding;
use crate::limits::{
    CLOSURE_MAX, MADE_MAX, OPENED_FILES_MAX, TAIL_BYTES_MAX, TEST_NAME_BYTES_MAX, WRITTEN_MAX, clip,
    clip_tail,
};
use crate::loop_machine::guard::{GuardReport, bounded};
use crate::loop_machine::measures::Measures;
use crate::loop_machine::stop::StopResult;
use crate::loop_machine::tracker::TestChanges;

/// One run of all checks, and the conditions that were looked up with it.
#[record(Default, omit(tests, measures, cancelled), written(checks, conditions))]
pub struct CheckRound {
    pub number: u32,
    /// A verdict per check, in the order of the configuration.
    pub checks: Vec<CheckResult>,
    /// A verdict per condition that needs a probe.
    pub conditions: Vec<ConditionResult>,
    /// The tree they were run on, with what stays of what they wrote.
    pub snapshot: Option<Snapshot>,
    /// What they wrote into it, where they did.
    pub wrote: Option<Wrote>,
    /// What was tried beside them, where they pass.
    pub proof: Option<Proved>,
    /// What stop conditions said that have to be looked up.
    pub stops: Vec<StopResult>,
    /// What changed about tests by name.
    pub tests: TestChanges,
    /// What was measured on the way.
    pub measures: Measures,
    /// What the checks of a baseline read and run, as far as it can be read.
    pub closure: Vec<Closure>,
    /// What of that is other now, or is there besides; the first few, each as a sentence.
    pub closure_changed: Vec<String>,
    /// What the checks of a baseline have to do with the checkout, where the run works in a tree of its own.
    pub beside: Vec<Beside>,
    /// Working time they took.
    pub duration_ms: u64,
    /// They were cut short because somebody asked; no verdict follows.
    pub cancelled: bool,
}

impl CheckRound {
    /// A round in which nothing was run yet.
    pub fn of_nothing(number: u32) -> Self {
        Self { number, ..Self::default() }
    }

    /// The same within the limits of an event.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        for check in &mut self.checks {
            if check.tail.len() > TAIL_BYTES_MAX {
                check.tail = clip_tail(&check.tail, TAIL_BYTES_MAX).to_owned();
            }
        }
        self.measures = self.measures.bounded();
        self.tests = self.tests.bounded();
        self.wrote = self.wrote.map(Wrote::bounded);
        self.proof = self.proof.map(Proved::bounded);
        for closure in &mut self.closure {
            closure.files.truncate(CLOSURE_MAX);
            closure.tools.truncate(CLOSURE_MAX);
        }
        self.closure_changed.truncate(OPENED_FILES_MAX);
        for beside in &mut self.beside {
            for names in [&mut beside.opened, &mut beside.fails, &mut beside.misses] {
                names.truncate(OPENED_FILES_MAX);
                names.iter_mut().for_each(|name| *name = clip(name, TEST_NAME_BYTES_MAX).to_owned());
            }
        }
        self
    }

    /// How many checks pass.
    pub fn passed(&self) -> usize {
        self.checks.iter().filter(|check| check.passed).count()
    }

    /// Whether every check passes; true of a round without checks.
    pub fn all_pass(&self) -> bool {
        self.checks.iter().all(|check| check.passed)
    }
}

/// What a check reads and runs: scripts, recipes, the configuration of its tools, and those tools. It is read from the command and from
/// the names of files, and no trace.
#[record(Default, Eq)]
pub struct Closure {
    /// The check.
    pub check: String,
    /// Files of the work tree, by path.
    pub files: Vec<Member>,
    /// Programs, by the names that they are started by.
    pub tools: Vec<Member>,
}

/// What belongs to a closure.
#[record(Eq)]
pub struct Member {
    pub name: String,
    /// What names its content, or where it is.
    pub is: String,
}

/// What came of trials: checks on trees that were broken on purpose.
#[record(Default, Eq, omit(trials, mutants, lived, lost, full, duration_ms))]
pub struct Proved {
    /// What was tried, by the names of the probes.
    pub probes: Vec<String>,
    /// How often a check was run.
    pub trials: u32,
    /// Breaks that were tried.
    pub mutants: u32,
    /// Breaks of them that the checks let pass; unknown, and nothing, of what an older piton tried.
    pub lived: u32,
    /// Breaks that the tests of the start notice and those of now do not.
    pub lost: u32,
    /// Tests that fail on the code of the start and pass now; the first few.
    pub proved_by: Vec<String>,
    /// What was not tried, or said nothing, and why; the first few.
    pub not_proven: Vec<String>,
    /// Everything was tried, not only a little.
    pub full: bool,
    /// What was shown.
    pub findings: Vec<Finding>,
    /// How long it took; the round counts it as well.
    pub duration_ms: u64,
}

impl Proved {
    /// The same within the limits of an event.
    #[must_use]
    fn bounded(mut self) -> Self {
        for names in [&mut self.proved_by, &mut self.not_proven] {
            names.truncate(OPENED_FILES_MAX);
            names.iter_mut().for_each(|name| *name = clip(name, TEST_NAME_BYTES_MAX).to_owned());
        }
        self.findings = bounded(self.findings);
        self
    }
}

/// What checks wrote into the tree they were run on.
#[record(Default, Eq)]
pub struct Wrote {
    /// The tree as they left it, where something of it was put back.
    pub left: Option<Snapshot>,
    /// Files that are as they were again; the first few.
    pub put_back: Vec<String>,
    /// Files that were not there, which stay on disk and belong to the checks.
    pub made: Vec<Made>,
    /// Files of the product that stay as the checks left them; the first few.
    pub changed: Vec<String>,
    /// Tests and protected files that are no longer what was judged before the checks; the first few.
    pub tests: Vec<Rewritten>,
    /// What the guard says about the tree as it stays.
    pub guard: Option<GuardReport>,
}

impl Wrote {
    /// The same within the limits of an event.
    #[must_use]
    fn bounded(mut self) -> Self {
        self.put_back.truncate(WRITTEN_MAX);
        self.changed.truncate(WRITTEN_MAX);
        self.tests.truncate(WRITTEN_MAX);
        self.made.truncate(MADE_MAX);
        self.guard = self.guard.map(GuardReport::bounded);
        self
    }
}

/// A file that a check made.
#[record(Eq)]
pub struct Made {
    /// Where it is; a directory with everything below ends with a slash.
    pub path: String,
    /// What names its content: with another one it is somebody else's. Nothing of what the baseline made, when nobody else
    /// had worked in the tree.
    pub id: Option<String>,
}

/// A test or a protected file that was written while checks ran.
#[record(Eq)]
pub struct Rewritten {
    pub path: String,
    /// The check that ran then, where that is known.
    pub check: Option<String>,
}

/// The verdict of one check.
#[record(Default, Eq, omit(timed_out, tail))]
pub struct CheckResult {
    pub name: String,
    /// Whether it exited with 0 in time.
    pub passed: bool,
    /// Exit code, if it exited.
    pub exit_code: Option<i32>,
    /// It was ended because it took too long.
    pub timed_out: bool,
    /// How long it took.
    pub duration_ms: u64,
    /// The end of what it printed, when it failed.
    pub tail: String,
}

/// A check of the baseline in the run's own work tree, and in the checkout that the tree was made from.
#[record(Default, Eq)]
pub struct Beside {
    /// The check.
    pub name: String,
    /// How far it came in the work tree: the better of two, where it was run twice.
    pub here: Attained,
    /// How far it came in the checkout; unknown where it passes in the work tree.
    pub there: Option<Attained>,
    /// Files of the checkout that were opened each time it ran in the work tree, and not while it did not; the first few.
    pub opened: Vec<String>,
    /// Tests that failed each time it ran in the work tree, and not in the checkout, by the names that their runner gives them;
    /// the first few. What could not even be loaded has one, too.
    pub fails: Vec<String>,
    /// What it said each time in the work tree, and not in the checkout, about something that is not there; the first few lines.
    pub misses: Vec<String>,
}

/// How far a check came.
#[record(Copy, Default, Eq, omit(passed, unloaded))]
pub struct Attained {
    /// Whether it exited with 0 in time.
    pub passed: bool,
    /// Exit code, if it exited.
    pub exit_code: Option<i32>,
    /// Tests that passed in it, where its runner says.
    pub tests: Option<u64>,
    /// Tests that ran in it, where its runner says and came to its end.
    pub ran: Option<u64>,
    /// Its runner says that tests could not be built or loaded.
    pub unloaded: bool,
}

/// The verdict of one condition that needed a probe.
#[record(Eq)]
pub struct ConditionResult {
    /// The condition, as [`crate::loop_machine::NamedStop::label`] names it.
    pub label: String,
    /// Whether it holds.
    pub met: bool,
}
