//! The canary: a break that the check must notice. A check that lives through it cannot fail any more.
//!
//! Where the check failed at the start and code of the product changed, the start's own code is the break: with it the
//! check must fail again. Else one value is changed in what the tests call, at the nearest places first; that alone is
//! held against a change only where the old tests notice the same break, since some breaks change nothing.

use std::collections::BTreeSet;

use crate::account::Probe;
use crate::change::{Overlay, Part};
use crate::mutate::Mutant;
use crate::session::{Session, Shown, newly_failing};
use crate::trial::{Runner, Verdict};

/// How many values are changed before it is given up.
const VALUES_MAX: usize = 5;

const RULE: &str = "canary-alive";

pub(crate) fn probe<R: Runner>(session: &mut Session<'_, R>) -> Result<(), R::Error> {
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
            Verdict::Red => {
                if session.is_its_doing(&outcome)? {
                    session.account.did(Probe::Canary);
                    session.proved(&outcome);
                }
                return Ok(());
            }
            // The new tests need the new code: that says nothing.
            Verdict::Broken | Verdict::TimedOut => {}
        }
    }
    change_values(session)
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

fn change_values<R: Runner>(session: &mut Session<'_, R>) -> Result<(), R::Error> {
    let mut lived: Vec<Mutant> = Vec::new();
    for mutant in session.mutants(VALUES_MAX, Mutant::changes_a_value) {
        let Some(tree) = session.broken(&Overlay::new(), &mutant) else { continue };
        let Some(outcome) = session.run(&tree)? else { break };
        session.account.mutants += 1;
        match outcome.verdict {
            Verdict::Red => {
                if session.is_its_doing(&outcome)? {
                    session.account.did(Probe::Canary);
                }
                return Ok(());
            }
            Verdict::Green => lived.push(mutant),
            Verdict::Broken | Verdict::TimedOut => {}
        }
    }
    let name = session.check.name.clone();
    if lived.is_empty() {
        session.account.missed(format!("`{name}`: no value to change near what changed"));
        return Ok(());
    }
    if !session.change.touches_tests() {
        session
            .account
            .missed(format!("`{name}` does not notice {} changed values near what changed", lived.len()));
        return Ok(());
    }
    let old = session.change.old_tests();
    let Some(before) = session.run(&old)? else { return Ok(()) };
    for mutant in lived {
        let Some(tree) = session.broken(&old, &mutant) else { continue };
        let Some(outcome) = session.run(&tree)? else { return Ok(()) };
        if let Some(failing) = newly_failing(&before, &outcome) {
            session.account.did(Probe::Canary);
            let shown = noticed_before(session, &mutant, &failing);
            session.show(Probe::Canary, shown);
            return Ok(());
        }
    }
    session.account.missed(format!("`{name}` does not notice a changed value near what changed"));
    Ok(())
}

fn noticed_before<R: Runner>(session: &Session<'_, R>, mutant: &Mutant, failing: &BTreeSet<String>) -> Shown {
    let name = &session.check.name;
    Shown {
        rule: RULE,
        file: mutant.path.clone(),
        line: mutant.line,
        test: None,
        message: format!(
            "`{name}` passes whatever this code gives: of {VALUES_MAX} changed values at most none is noticed, and the tests of before notice this one"
        ),
        sure: true,
        change: session.diff(mutant),
        saw: format!("`{name}` passes"),
        against: Some(match failing.is_empty() {
            true => format!("with the tests of before `{name}` fails"),
            false => format!("with the tests of before {} fail", crate::session::list(failing)),
        }),
    }
}
