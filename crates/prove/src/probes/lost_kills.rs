//! Lost kills: breaks of the new code that the old tests notice and the new ones let live. And tests that notice no break of what
//! they call, which cannot fail.
//!
//! No oracle is needed, and a break that changes nothing does no harm: the old tests never noticed it either.

use std::collections::{BTreeMap, BTreeSet};

use crate::account::Probe;
use crate::change::Overlay;
use crate::mutate::Mutant;
use crate::reach::TestBody;
use crate::session::{Session, Shown, list, newly_failing};
use crate::trial::{Outcome, Runner, Verdict, is_named};

/// How many breaks are tried.
const MUTANTS_MAX: usize = 40;
/// How many functions give something else altogether.
const STUBS_MAX: usize = 3;
/// How many of them are enough to show: more of the same say nothing new.
const LOST_MAX: usize = 3;
/// How many breaks of what it calls a test has to let pass, which others notice.
const LET_PASS_MIN: usize = 2;
/// How often the old tests are run to see whether one is unstable.
const STABLE_RUNS: usize = 2;

const LOST: &str = "lost-kill";
const CANNOT_FAIL: &str = "test-cannot-fail";

/// A break that was tried, and who noticed.
struct Tried {
    mutant: Mutant,
    now: Outcome,
    /// Whether anybody notices it, now or before.
    is_noticed: bool,
}

pub(crate) fn probe<R: Runner>(session: &mut Session<'_, R>) -> Result<(), R::Error> {
    if !session.change.touches_tests() {
        return Ok(());
    }
    let mut tried: Vec<Tried> = Vec::new();
    let mut lost = 0;
    let old = session.change.old_tests();
    let mut mutants = Vec::new();
    // Where nothing proves the change yet, a new test may: it has to notice that what is new gives something else.
    if session.account.proved_by.is_empty() && !session.around.changed_tests.is_empty() {
        mutants.extend(session.changed_stubs(STUBS_MAX));
    }
    mutants.extend(session.mutants(MUTANTS_MAX, |_| true));
    for mutant in mutants {
        let Some(tree) = session.broken(&Overlay::new(), &mutant) else { continue };
        let Some(now) = session.run(&tree)? else { break };
        session.count(&mutant, &now);
        session.account.did(Probe::LostKills);
        let mut is_noticed = now.verdict == Verdict::Red;
        if now.verdict == Verdict::Green && lost < LOST_MAX {
            let Some(noticed) = noticed_before(session, &old, &mutant)? else { break };
            if let Some(failing) = noticed {
                is_noticed = true;
                lost += 1;
                session.account.lost += 1;
                let shown = lost_kill(session, &mutant, tree, &failing);
                session.show(Probe::LostKills, shown);
            }
        }
        noticed_by_new_tests(session, &mutant, &now);
        tried.push(Tried { mutant, now, is_noticed });
    }
    cannot_fail(session, &tried)
}

/// A new test that notices a break of new code proves that code, also where it could not even be loaded on the old one.
fn noticed_by_new_tests<R: Runner>(session: &mut Session<'_, R>, mutant: &Mutant, now: &Outcome) {
    let (around, failed) = (session.around, &now.failing);
    let lines = around.lines.get(&mutant.path);
    let is_new = lines.is_some_and(|lines| lines.iter().any(|lines| lines.contains(&mutant.line)));
    if now.verdict != Verdict::Red || !is_new {
        return;
    }
    let is_of_new_test =
        |name: &&String| around.changed_tests.iter().any(|(_, test)| is_named(name, &test.name));
    // That code crashes which was broken is no sign that a test compares anything.
    let compared = |name: &&String| is_of_new_test(name) && now.fails_by_assertion(name);
    session.proved_by(failed.iter().filter(compared));
}

/// The old tests that notice the break, if any do; the outer nothing where that cannot be known any more.
fn noticed_before<R: Runner>(
    session: &mut Session<'_, R>,
    old: &Overlay,
    mutant: &Mutant,
) -> Result<Option<Option<BTreeSet<String>>>, R::Error> {
    let Some(before) = session.run(old)? else { return Ok(None) };
    let Some(tree) = session.broken(old, mutant) else { return Ok(Some(None)) };
    let Some(after) = session.run(&tree)? else { return Ok(None) };
    let Some(mut failing) = newly_failing(&before, &after) else { return Ok(Some(None)) };
    let has_names = !failing.is_empty();
    // A test that fails now and then noticed nothing.
    for _ in 0..STABLE_RUNS {
        let Some(again) = session.run_again(old)? else { break };
        match (has_names, again.failed, again.verdict) {
            (true, Some(failed), _) => failing.retain(|name| !failed.contains(name)),
            (_, _, Verdict::Green) => {}
            _ => return Ok(Some(None)),
        }
    }
    Ok(Some((!has_names || !failing.is_empty()).then_some(failing)))
}

fn lost_kill<R: Runner>(
    session: &Session<'_, R>,
    mutant: &Mutant,
    tree: Overlay,
    failing: &BTreeSet<String>,
) -> Shown {
    let name = &session.check.name;
    let who = match failing.is_empty() {
        true => format!("`{name}` as it was"),
        false => list(failing),
    };
    Shown {
        rule: LOST,
        file: mutant.path.clone(),
        line: mutant.line,
        test: failing.first().cloned(),
        message: format!("the tests of before notice this bug, those of now do not: {who} failed with it"),
        sure: true,
        tree,
        change: session.diff(mutant),
        saw: format!("`{name}` passes"),
        against: Some(format!("with the tests of before {who} fails")),
    }
}

/// Whether a runner's names can be told to mean this test or not: the name is written down as it is, and where the runner names
/// what passes, it names this one.
fn is_named_in_trials(test: &TestBody, tried: &[Tried]) -> bool {
    let is_made = test.name.contains("${") || test.name.contains('%') || test.name.contains('{');
    let names = |tried: &Tried| {
        let failed = tried.now.failed.iter().flatten();
        tried.now.passed.iter().chain(failed).any(|name| is_named(name, &test.name))
    };
    let lists = tried.iter().any(|tried| !tried.now.passed.is_empty());
    !is_made && (!lists || tried.iter().any(names))
}

/// New and changed tests that let every break of what they call pass.
fn cannot_fail<R: Runner>(session: &mut Session<'_, R>, tried: &[Tried]) -> Result<(), R::Error> {
    let mut shown = Vec::new();
    let around = session.around;
    for (path, test) in &around.changed_tests {
        if !is_named_in_trials(test, tried) {
            continue;
        }
        let proved = session.account.proved_by.iter().any(|name| is_named(name, &test.name));
        let reached = around.reached_by(test);
        let calls = |tried: &&Tried| {
            tried.mutant.function.as_ref().is_some_and(|function| reached.contains(function))
        };
        let of_it: Vec<_> = tried.iter().filter(calls).collect();
        let known: BTreeMap<usize, bool> = of_it
            .iter()
            .enumerate()
            .filter_map(|(index, tried)| {
                let fails = match tried.now.verdict {
                    Verdict::Green => Some(false),
                    _ => tried.now.fails(&test.name),
                };
                Some((index, fails?))
            })
            .collect();
        let fails_once = known.values().any(|fails| *fails);
        let let_pass = of_it
            .iter()
            .enumerate()
            .filter(|(index, tried)| tried.is_noticed && known.get(index) == Some(&false));
        let let_pass: Vec<_> = let_pass.map(|(_, tried)| *tried).collect();
        if proved || fails_once || let_pass.len() < LET_PASS_MIN {
            continue;
        }
        shown.push((path.clone(), test.clone(), let_pass[0].mutant.clone(), let_pass.len()));
    }
    for (path, test, mutant, count) in shown {
        // It may look at what none of these breaks touched: it has to pass with all that it calls being something else.
        let Some(tree) = session.stubbed(&test.calls) else { continue };
        let Some(outcome) = session.run(&tree)? else { break };
        if outcome.verdict != Verdict::Green && outcome.fails(&test.name) != Some(false) {
            continue;
        }
        let name = test.name.rsplit(" > ").next().unwrap_or(&test.name).to_owned();
        let change = session.diff(&mutant);
        session.show(
            Probe::Flip,
            Shown {
                rule: CANNOT_FAIL,
                file: path,
                line: test.lines.start,
                test: Some(test.name),
                message: format!("`{name}` passes whatever the code that it calls gives: with {count} bugs that others notice, and with other answers altogether"),
                sure: true,
                tree,
                change,
                saw: format!("`{name}` passes"),
                against: Some("other tests fail with it".to_owned()),
            },
        );
    }
    Ok(())
}
