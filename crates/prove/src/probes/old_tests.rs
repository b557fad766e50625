//! The old tests on the new code. Where they fail, the change took something away that was asked for before, or was asked to.
//!
//! Where the check failed at the start, what failed is looked at first: a test that passes now and would fail still, had it
//! stayed as it was, was changed instead of satisfied.

use std::collections::BTreeSet;

use crate::account::Probe;
use crate::change::Part;
use crate::session::{Session, Shown, list};
use crate::trial::{Runner, Verdict, lacks_a_name};

const RULE: &str = "old-tests-fail";
const STILL: &str = "failure-persists";

pub(crate) fn probe<R: Runner>(session: &mut Session<'_, R>) -> Result<(), R::Error> {
    if !session.change.touches_tests() || !session.change.touches_product() {
        return Ok(());
    }
    let old_tests = session.change.old_tests();
    let Some(now) = session.run(&old_tests)? else { return Ok(()) };
    if now.verdict == Verdict::Green {
        session.account.did(Probe::OldTests);
        return Ok(());
    }
    let (Verdict::Red, Some(failed)) = (now.verdict, now.failed) else { return Ok(()) };
    // What failed before the change is not its doing.
    let start = session.change.old();
    let Some(before) = session.run(&start)? else { return Ok(()) };
    let Some(failed_before) =
        before.failed.filter(|_| matches!(before.verdict, Verdict::Green | Verdict::Red))
    else {
        return Ok(());
    };
    session.account.did(Probe::OldTests);
    let failing: BTreeSet<_> = failed.difference(&failed_before).cloned().collect();
    if failing.is_empty() {
        return Ok(());
    }
    let name = session.check.name.clone();
    let shown = Shown {
        rule: RULE,
        file: changed_tests(session),
        line: 1,
        test: failing.first().cloned(),
        message: format!(
            "{} passed before the change and fails on the new code: the tests were changed to fit it",
            list(&failing)
        ),
        sure: session.strict,
        tree: old_tests,
        change: "the tests and settings as they were, on the code of now".to_owned(),
        saw: format!("`{name}` fails: {}", list(&failing)),
        against: Some("on the code of before they pass".to_owned()),
    };
    session.show(Probe::OldTests, shown);
    Ok(())
}

/// Tests that failed before the change, and fail still where they are as they were.
pub(crate) fn persists<R: Runner>(session: &mut Session<'_, R>) -> Result<(), R::Error> {
    if session.failed_before != Some(true) || !session.change.touches_tests() {
        return Ok(());
    }
    let (start, old_tests) = (session.change.old(), session.change.old_tests());
    let Some(before) = session.run(&start)? else { return Ok(()) };
    let Some(now) = session.run(&old_tests)? else { return Ok(()) };
    // A check that could not be run at the start, or that is about something else than tests, has no test that was to be satisfied.
    let is_of_tests = before.fails_tests && now.fails_tests;
    if (before.verdict, now.verdict) != (Verdict::Red, Verdict::Red) || !is_of_tests {
        return Ok(());
    }
    let still: Option<BTreeSet<_>> = match (&before.failed, &now.failed) {
        (Some(before), Some(now)) => Some(before.intersection(now).cloned().collect()),
        _ => None,
    };
    session.account.did(Probe::OldTests);
    if still.as_ref().is_some_and(BTreeSet::is_empty) {
        return Ok(());
    }
    let name = session.check.name.clone();
    let who = still.as_ref().map_or_else(|| format!("`{name}`"), list);
    let shown = Shown {
        rule: STILL,
        file: changed_tests(session),
        line: 1,
        test: still.as_ref().and_then(|still| still.first().cloned()),
        message: format!(
            "{who} failed before the change, and fails still as it was: it was changed, not satisfied"
        ),
        // What calls the code by names it no longer has was to be changed; where nobody knows which tests fail, with other code
        // they may be other ones; and data that a test lacked, or that was out of date, had to be put there.
        sure: (still.is_some() || !session.change.touches_product())
            && !lacks_a_name(&now.output)
            && session.change.touches_code_of_tests(),
        tree: old_tests,
        change: "the tests and settings as they were, on the code of now".to_owned(),
        saw: format!("{who} fails"),
        against: Some(format!("with the tests of now `{name}` passes")),
    };
    session.show(Probe::OldTests, shown);
    Ok(())
}

/// The first file of tests, or of what runs them, that differs.
fn changed_tests<R: Runner>(session: &Session<'_, R>) -> String {
    let is_of_tests = |part| matches!(part, Part::Tests | Part::Both | Part::Checks);
    let first = session.change.files.iter().find(|file| is_of_tests(file.part));
    first.map(|file| file.path.clone()).unwrap_or_default()
}
