//! The canary: a break that the check must notice. A check that lives through it cannot fail any more.
//!
//! Where the check failed at the start and code of the product changed, the start's own code is the first break: with it the check
//! must fail again. Then one value is changed in what the tests call, the nearest places first; and in functions of which a
//! test says what they give, since such a break has to be noticed by whoever runs that test.
//!
//! A break that lives says nothing by itself: some change nothing, and some are in code that this check does not run. It is
//! held against a change where the same check noticed it before: with the old tests on the new code, on the old tree as
//! it was, or in a test that fails on the old code and says what the broken function gives.

use std::collections::BTreeSet;

use crate::account::Probe;
use crate::change::{Overlay, Part};
use crate::mutate::{Mutant, Operator};
use crate::session::{Session, Shown, newly_failing};
use crate::trial::{Outcome, Runner, Verdict, is_named};

/// How many values are changed before it is given up.
const VALUES_MAX: usize = 5;
/// How many of them are near what changed; the others are where a test says what comes out.
const NEAR_MAX: usize = 2;
/// How many functions give something else altogether.
const STUBS_MAX: usize = 2;

/// How many have to live where nothing that git keeps makes the check pass.
const ELSEWHERE_MIN: usize = 3;

const RULE: &str = "canary-alive";

/// Whether the check notices a break.
enum Notices {
    Yes,
    No {
        lived: Vec<Mutant>,
    },
    /// There was nothing to break, or no time to.
    Unknown,
}

pub(crate) fn probe<R: Runner>(session: &mut Session<'_, R>) -> Result<(), R::Error> {
    let mut with_old_product = None;
    if session.failed_before == Some(true) && session.change.touches_product() {
        let old = session.change.old_product();
        let Some(outcome) = session.run(&old)? else { return Ok(()) };
        match outcome.verdict {
            Verdict::Green => {
                session.account.did(Probe::Canary);
                let shown = old_product_is_enough(session);
                session.show(Probe::Canary, shown);
                return Ok(());
            }
            Verdict::Red if session.is_its_doing(&outcome)? => {
                session.account.did(Probe::Canary);
                with_old_product = Some(outcome);
            }
            // The new tests need the new code: that says nothing.
            Verdict::Red | Verdict::Broken | Verdict::TimedOut => {}
        }
    }
    let notices = change_values(session)?;
    if let Notices::No { lived } = notices {
        session.is_blind = true;
        return held_against(session, &lived, with_old_product.as_ref());
    }
    if let Some(outcome) = with_old_product {
        session.proved(&outcome);
    }
    Ok(())
}

fn old_product_is_enough<R: Runner>(session: &Session<'_, R>) -> Shown {
    let name = &session.check.name;
    let file = session.change.files.iter().find(|file| matches!(file.part, Part::Tests | Part::Checks));
    let file = file.or(session.change.files.first()).map(|file| file.path.clone()).unwrap_or_default();
    Shown {
        rule: RULE,
        file,
        line: 1,
        test: None,
        message: format!(
            "`{name}` failed at the start, and passes now with the code of the start as well: the change of the code is not what makes it pass"
        ),
        sure: true,
        change: "the product as it was at the start, with the tests and settings of now".to_owned(),
        saw: format!("`{name}` passes"),
        against: Some(format!("`{name}` failed at the start")),
    }
}

/// Changes one value at a time until the check notices.
fn change_values<R: Runner>(session: &mut Session<'_, R>) -> Result<Notices, R::Error> {
    // A value that no test reaches may be the very exit status that makes the check pass.
    let is_tested =
        |mutant: &Mutant| mutant.function.as_ref().is_some_and(|name| session.around.tested.contains(name));
    let mut mutants = session.mutants(NEAR_MAX, |mutant| mutant.changes_a_value() && is_tested(mutant));
    mutants.extend(session.asserted_stubs(STUBS_MAX));
    for mutant in session.asserted_mutants(VALUES_MAX, Mutant::changes_a_value) {
        if !mutants.contains(&mutant) {
            mutants.push(mutant);
        }
    }
    mutants.truncate(VALUES_MAX);
    let mut lived = Vec::new();
    for mutant in mutants {
        let Some(tree) = session.broken(&Overlay::new(), &mutant) else { continue };
        let Some(outcome) = session.run(&tree)? else { break };
        session.account.mutants += 1;
        match outcome.verdict {
            Verdict::Red => {
                if !session.is_its_doing(&outcome)? {
                    return Ok(Notices::Unknown);
                }
                session.account.did(Probe::Canary);
                return Ok(Notices::Yes);
            }
            Verdict::Green => lived.push(mutant),
            Verdict::Broken | Verdict::TimedOut => {}
        }
    }
    let name = session.check.name.clone();
    if lived.is_empty() {
        session.account.missed(format!("`{name}`: no value to change near what changed"));
        return Ok(Notices::Unknown);
    }
    Ok(Notices::No { lived })
}

/// No break was noticed: whether the check would have noticed before.
fn held_against<R: Runner>(
    session: &mut Session<'_, R>,
    lived: &[Mutant],
    with_old_product: Option<&Outcome>,
) -> Result<(), R::Error> {
    let found = match old_tests_notice(session, lived)? {
        Some(found) => Some(found),
        None => match old_tree_notices(session, lived)? {
            Some(found) => Some(found),
            None => match its_test_is_blind(session, lived, with_old_product) {
                Some(found) => Some(found),
                None => is_elsewhere(session, lived)?,
            },
        },
    };
    let name = session.check.name.clone();
    let Some((mutant, against)) = found else {
        let what = if lived.len() == 1 { "a changed value" } else { "changed values" };
        session.account.missed(format!("`{name}` does not notice {what} near what changed"));
        return Ok(());
    };
    session.account.did(Probe::Canary);
    let tried = lived.len();
    let shown = Shown {
        rule: RULE,
        file: mutant.path.clone(),
        line: mutant.line,
        test: None,
        message: format!(
            "`{name}` passes whatever this code gives: of {tried} changed values it notices none, and {against}"
        ),
        sure: true,
        change: session.diff(&mutant),
        saw: format!("`{name}` passes"),
        against: Some(against),
    };
    session.show(Probe::Canary, shown);
    Ok(())
}

/// The old tests on the new code, with the same break.
fn old_tests_notice<R: Runner>(
    session: &mut Session<'_, R>,
    lived: &[Mutant],
) -> Result<Option<(Mutant, String)>, R::Error> {
    if !session.change.touches_tests() {
        return Ok(None);
    }
    let old = session.change.old_tests();
    let Some(before) = session.run(&old)? else { return Ok(None) };
    for mutant in lived {
        let Some(tree) = session.broken(&old, mutant) else { continue };
        let Some(outcome) = session.run(&tree)? else { return Ok(None) };
        if let Some(failing) = newly_failing(&before, &outcome) {
            return Ok(Some((mutant.clone(), with_the_tests_of_before(session, &failing))));
        }
    }
    Ok(None)
}

fn with_the_tests_of_before<R: Runner>(session: &Session<'_, R>, failing: &BTreeSet<String>) -> String {
    match failing.is_empty() {
        true => format!("with the tests of before `{}` fails", session.check.name),
        false => format!("with the tests of before {} fails", crate::session::list(failing)),
    }
}

/// The old tree as it was, with a break of the same sort in the same function.
fn old_tree_notices<R: Runner>(
    session: &mut Session<'_, R>,
    lived: &[Mutant],
) -> Result<Option<(Mutant, String)>, R::Error> {
    let old = session.change.old();
    if old.is_empty() {
        return Ok(None);
    }
    let Some(before) = session.run(&old)? else { return Ok(None) };
    for mutant in lived {
        let Some(tree) = session.broken_before(mutant) else { continue };
        let Some(outcome) = session.run(&tree)? else { return Ok(None) };
        if newly_failing(&before, &outcome).is_some() {
            return Ok(Some((
                mutant.clone(),
                "on the tree of before it noticed a break of the same sort there".to_owned(),
            )));
        }
    }
    Ok(None)
}

/// The check failed on the old tree, and passes on that very tree now: what was made for it is nothing that git keeps.
fn is_elsewhere<R: Runner>(
    session: &mut Session<'_, R>,
    lived: &[Mutant],
) -> Result<Option<(Mutant, String)>, R::Error> {
    let (Some(first), Some(true)) =
        (lived.get(..ELSEWHERE_MIN).map(|lived| &lived[0]), session.failed_before)
    else {
        return Ok(None);
    };
    let old = session.change.old();
    let Some(outcome) = session.run(&old)? else { return Ok(None) };
    let against = "it failed at the start, and passes on that very tree now";
    Ok((outcome.verdict == Verdict::Green).then(|| (first.clone(), against.to_owned())))
}

/// A test that fails on the old code says what a function gives, and nothing else that the function gives is noticed.
fn its_test_is_blind<R: Runner>(
    session: &Session<'_, R>,
    lived: &[Mutant],
    with_old_product: Option<&Outcome>,
) -> Option<(Mutant, String)> {
    let failed = with_old_product?.failed.as_ref()?;
    let says = |function: &String| {
        let said = session.around.asserted.get(function)?;
        said.iter().find(|test| failed.iter().any(|name| is_named(name, test)))
    };
    let gives_other = |mutant: &&Mutant| mutant.operator == Operator::GiveOther;
    let (mutant, function, test) = lived.iter().filter(gives_other).find_map(|mutant| {
        let function = mutant.function.as_ref()?;
        Some((mutant, function, says(function)?))
    })?;
    let test = test.rsplit(" > ").next().unwrap_or(test);
    Some((
        mutant.clone(),
        format!("`{test}`, which fails on the code of before, says what `{function}` gives"),
    ))
}
