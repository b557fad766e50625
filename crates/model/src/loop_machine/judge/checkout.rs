//! Whether a work tree stands for the checkout that it was made from, judged by the baseline.
//!
//! A check that needs what only the checkout has can never pass in the work tree, and one that reads the checkout judges
//! files that no agent works on. Both are found out before an agent is started, and neither is anybody's fault.

use std::fmt::Write;

use crate::loop_machine::facts::{Attained, Beside, CheckRound};
use crate::loop_machine::state::State;

/// What a shell says of a command that is not there, or cannot be run.
const NOT_RUN: [i32; 2] = [126, 127];
/// Names that a sentence lists.
const NAMED_MAX: usize = 5;

impl Attained {
    /// Whether this is less than `other`: red beside green, fewer tests that pass or run, not loaded, or not even started.
    pub fn is_worse_than(&self, other: &Self) -> bool {
        if self.passed || other.passed {
            return !self.passed;
        }
        if was_not_run(self) && !was_not_run(other) {
            return true;
        }
        if self.unloaded && !other.unloaded {
            return true;
        }
        let is_less =
            |here: Option<u64>, there: Option<u64>| there.is_some_and(|there| here.unwrap_or(0) < there);
        is_less(self.tests, other.tests) || self.ran.is_some() && is_less(self.ran, other.ran)
    }

    fn words(&self) -> String {
        let ended = match (self.passed, self.exit_code) {
            (true, _) => "it passes".to_owned(),
            (false, Some(code)) => format!("it exits with {code}"),
            (false, None) => "it does not come to an end".to_owned(),
        };
        let tests = match (self.tests, self.ran) {
            (Some(1), None) => ", 1 test passes".to_owned(),
            (Some(tests), None) => format!(", {tests} tests pass"),
            (Some(tests), Some(ran)) => format!(", {tests} of {ran} tests pass"),
            (None, _) => String::new(),
        };
        let unloaded = if self.unloaded { ", tests cannot be loaded" } else { "" };
        format!("{ended}{tests}{unloaded}")
    }
}

fn was_not_run(attained: &Attained) -> bool {
    attained.exit_code.is_some_and(|code| NOT_RUN.contains(&code))
}

/// Why a round of checks in the run's own work tree says nothing about what the checkout holds, if it does not.
pub(super) fn unlike(state: &State, round: &CheckRound) -> Option<String> {
    round.beside.iter().find_map(|beside| reads_outside(beside).or_else(|| does_worse(state, beside)))
}

fn reads_outside(beside: &Beside) -> Option<String> {
    let opened = listed(&beside.opened)?;
    Some(format!(
        "the check `{}` opens files of the checkout while it runs in the work tree ({opened}), so it would judge \
         those and not the work; make it find its own tree there and resume, or begin anew with `piton loop` and a `[worktree] setup` \
         that does so, or, where it is meant, `compare = false`, since a run keeps the settings that it began with; `--here` works in \
         place",
        beside.name
    ))
}

impl Beside {
    /// Whether it does worse in the work tree than in the checkout: by how far it came, and where both are red by what its runner
    /// says. Who fails by other tests, or for want of something, does not fail for what an agent is to mend.
    pub fn is_worse(&self) -> bool {
        let fails_otherwise = !(self.here.passed || self.fails.is_empty() && self.misses.is_empty());
        self.there.is_some_and(|there| self.here.is_worse_than(&there) || !there.passed && fails_otherwise)
    }
}

fn does_worse(state: &State, beside: &Beside) -> Option<String> {
    let there = beside.there.filter(|_| beside.is_worse())?;
    let mut text = format!(
        "the check `{}` does worse in the work tree than in the checkout: here {}, there {}",
        beside.name,
        beside.here.words(),
        there.words()
    );
    if let Some(fails) = listed(&beside.fails) {
        let word = if beside.fails.len() == 1 { "fails" } else { "fail" };
        let _ = write!(text, "; {fails} {word} only here");
    }
    if let Some(misses) = beside.misses.first() {
        let _ = write!(text, "; only here it says `{misses}`");
    }
    let left = state.config.worktree.as_ref().and_then(|worktree| listed(&worktree.left));
    if let Some(left) = left {
        let _ = write!(text, "; git ignores {left}, and the work tree does not have it");
    }
    text.push_str(
        "; put what is missing there and resume, or name it under `[worktree] copy`, or make it with `[worktree] setup`, \
         and begin anew with `piton loop`, since a run keeps the settings that it began with; `--here` works in place",
    );
    Some(text)
}

/// The first few names, in backticks; nothing where there are none.
fn listed(names: &[String]) -> Option<String> {
    let shown: Vec<String> = names.iter().take(NAMED_MAX).map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(NAMED_MAX);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    (!shown.is_empty()).then(|| format!("{}{more}", shown.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::tests::harness::*;
    use crate::loop_machine::{Command, LoopConfig, Worktree};
    use crate::{Reason, Status};

    fn red(exit_code: i32, tests: Option<u64>) -> Attained {
        Attained { exit_code: Some(exit_code), tests, ..Attained::default() }
    }

    #[test]
    fn worse_is_red_beside_green_fewer_tests_or_not_even_started() {
        let green = Attained { passed: true, exit_code: Some(0), ..Attained::default() };
        for (here, there, worse) in [
            (red(1, None), green, true),
            (green, red(1, Some(3)), false),
            (red(1, Some(2)), red(1, Some(3)), true),
            (red(1, Some(3)), red(1, Some(3)), false),
            (red(2, None), red(1, Some(3)), true),
            (red(2, None), red(1, Some(0)), false),
            (red(1, Some(3)), red(1, None), false),
            (red(127, None), red(1, None), true),
            (red(127, None), red(1, Some(0)), true),
            (red(2, None), red(1, None), false),
            (red(127, None), red(127, None), false),
            (Attained { unloaded: true, ..red(2, None) }, red(1, Some(0)), true),
            (
                Attained { ran: Some(2), ..red(1, Some(1)) },
                Attained { ran: Some(3), ..red(1, Some(1)) },
                true,
            ),
            (red(1, Some(1)), Attained { ran: Some(3), ..red(1, Some(1)) }, false),
        ] {
            assert_eq!(here.is_worse_than(&there), worse, "{here:?} beside {there:?}");
        }
    }

    /// A run in a tree of its own whose baseline ended like this.
    fn with_baseline(beside: Beside) -> Driver {
        let left = vec!["node_modules".to_owned()];
        let worktree = Worktree { left, compare: true, ..Worktree::default() };
        let mut driver = Driver::begun(LoopConfig { worktree: Some(worktree), ..config() });
        let mut round = round(driver.open_round(), "t0", false);
        round.beside = vec![beside];
        driver.command(Command::EndChecks(Box::new(round)));
        driver
    }

    #[test]
    fn a_baseline_that_is_worse_than_the_checkout_stops_the_run_before_an_attempt() {
        let there = Some(red(1, Some(3)));
        let name = "test".to_owned();
        let driver = with_baseline(Beside { name, here: red(127, None), there, ..Beside::default() });
        driver.is(Status::Stopped, Reason::Environment);
        assert_eq!((driver.state.work.attempt, &driver.state.seen.baseline), (0, &None));
        let detail = driver.state.detail.clone().unwrap_or_default();
        assert!(detail.contains("here it exits with 127, there it exits with 1, 3 tests pass"), "{detail}");
        assert!(detail.contains("git ignores `node_modules`"), "{detail}");
    }

    #[test]
    fn a_check_that_reads_the_checkout_stops_the_run_even_where_it_passes() {
        let opened = (0..7).map(|number| format!("src/{number}.py")).collect();
        let here = Attained { passed: true, exit_code: Some(0), tests: Some(3), ..Attained::default() };
        let driver = with_baseline(Beside { name: "test".to_owned(), here, opened, ..Beside::default() });
        driver.is(Status::Stopped, Reason::Environment);
        let detail = driver.state.detail.clone().unwrap_or_default();
        assert!(detail.contains("(`src/0.py`, `src/1.py`") && detail.contains("and 2 more)"), "{detail}");
    }

    #[test]
    fn red_beside_red_is_worse_where_other_tests_fail_or_something_is_missing() {
        let there = Some(red(1, Some(2)));
        let beside = Beside { name: "test".to_owned(), here: red(1, Some(2)), there, ..Beside::default() };
        assert!(!beside.is_worse());
        let names = vec!["test_m.py".to_owned()];
        assert!(Beside { fails: names.clone(), ..beside.clone() }.is_worse());
        assert!(Beside { misses: names.clone(), ..beside.clone() }.is_worse());
        let green = Attained { passed: true, exit_code: Some(0), ..Attained::default() };
        assert!(!Beside { here: green, fails: names, ..beside }.is_worse());
    }

    #[test]
    fn a_baseline_that_is_as_red_as_the_checkout_is_one_and_a_resumed_run_looks_again() {
        let beside =
            |there| Beside { name: "test".to_owned(), here: red(1, Some(2)), there, ..Beside::default() };
        let driver = with_baseline(beside(Some(red(1, Some(2)))));
        driver.is(Status::Running, None);
        assert!(driver.state.seen.baseline.is_some());
        let mut driver = with_baseline(beside(Some(red(1, Some(5)))));
        driver.is(Status::Stopped, Reason::Environment);
        driver.request(crate::Event::ResumeRequested { raise: Default::default() });
        assert_eq!(driver.open_round(), 2, "the checks are run again");
    }
}
