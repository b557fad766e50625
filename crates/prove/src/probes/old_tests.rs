//! The old tests on the new code. Where they fail, the change took something away that was asked for before, or was asked to.

use std::collections::BTreeSet;

use crate::account::Probe;
use crate::change::Part;
use crate::session::{Session, Shown, list};
use crate::trial::{Runner, Verdict};

const RULE: &str = "old-tests-fail";

pub(crate) fn probe<R: Runner>(session: &mut Session<'_, R>) -> Result<(), R::Error> {
    if !session.change.touches_product() || !session.change.touches_tests() {
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
    let tests =
        session.change.files.iter().find(|file| matches!(file.part, Part::Tests | Part::Both | Part::Checks));
    let name = session.check.name.clone();
    let shown = Shown {
        rule: RULE,
        file: tests.map(|file| file.path.clone()).unwrap_or_default(),
        line: 1,
        test: failing.first().cloned(),
        message: format!(
            "{} passed before the change and fails on the new code: the tests were changed to fit it",
            list(&failing)
        ),
        sure: session.strict,
        change: "the tests and settings as they were, on the code of now".to_owned(),
        saw: format!("`{name}` fails: {}", list(&failing)),
        against: Some("on the code of before they pass".to_owned()),
    };
    session.show(Probe::OldTests, shown);
    Ok(())
}
