//! The canary: a break that the check must notice. A check that lives through it cannot fail any more.
//!
//! The first break is made in the tests themselves: another value stands where they say what they expect, one test for each word
//! that compares. A test that passes all the same compares nothing, whatever the product, the runner or a file beside them did
//! to it. Then one value is changed in the product, the nearest places first; and functions of which a test says what they
//! give, since such a break has to be noticed by whoever runs that test.
//!
//! A break that lives says nothing by itself: some change nothing, and some are in code that this check does not run. It is
//! held against a change where the same check noticed it before: with the old tests on the new code, on the old tree as
//! it was, or in a test that fails on the old code and says what the broken function gives.
//!
//! Where the check failed at the start and passes now with the code of the start as well, something else makes it pass. That may be
//! honest (data that was missing, a dependency), so it is held against the change where the check is blind as well, and else said.

use std::collections::BTreeSet;

use crate::account::Probe;
use crate::change::{Overlay, Part};
use crate::mutate::{Mutant, Operator};
use crate::points::{Expectation, expectations};
use crate::session::{Session, Shown, newly_failing};
use crate::trial::{Outcome, Runner, Verdict, is_named, lacks_a_name};

/// How many values are changed before it is given up.
const VALUES_MAX: usize = 5;
/// How many of them are near what changed; the others are where a test says what comes out.
const NEAR_MAX: usize = 2;
/// How many functions give something else altogether.
const STUBS_MAX: usize = 2;
/// How many tests are asked to expect something else at once, and how many of them compare by the same word.
const EXPECTATIONS_MAX: usize = 12;
const SAME_WORD_MAX: usize = 3;

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

/// Why a break that lives is remarkable.
struct Witness {
    tree: Overlay,
    change: String,
    file: String,
    line: u32,
    test: Option<String>,
    message: String,
    against: String,
}

pub(crate) fn probe<R: Runner>(session: &mut Session<'_, R>) -> Result<(), R::Error> {
    let failed_before = session.failed_before == Some(true);
    let mut with_old_product = None;
    let mut old_is_enough = failed_before && !session.change.touches_product();
    if failed_before && session.change.touches_product() {
        let old = session.change.old_product();
        let Some(outcome) = session.run(&old)? else { return Ok(()) };
        match outcome.verdict {
            Verdict::Green => old_is_enough = true,
            Verdict::Red if session.is_its_doing(&outcome)? => {
                session.account.did(Probe::Canary);
                with_old_product = Some(outcome);
            }
            // The new tests need the new code: that says nothing.
            Verdict::Red | Verdict::Broken | Verdict::TimedOut => {}
        }
    }
    // Before anything is written in the copy: what was compiled goes with its source.
    let mut is_elsewhere = false;
    if old_is_enough {
        let old = session.change.old();
        is_elsewhere = session.run(&old)?.is_some_and(|outcome| outcome.verdict == Verdict::Green);
        if is_elsewhere && let Some(shown) = needs_what_git_does_not_keep(session)? {
            session.account.did(Probe::Canary);
            session.show(Probe::Canary, shown);
            session.is_blind = true;
            return Ok(());
        }
    }
    if let Some(witness) = expects_nothing(session)? {
        session.is_blind = true;
        hold(session, witness);
        return Ok(());
    }
    let notices = change_values(session)?;
    if let Notices::No { lived } = &notices {
        session.is_blind = true;
        if old_is_enough && lived.len() >= ELSEWHERE_MIN && failed_tests_at_the_start(session)? {
            let shown = old_product_is_enough(session, Some(&lived[0]));
            session.show(Probe::Canary, shown);
            return Ok(());
        }
        return held_against(session, lived, with_old_product.as_ref());
    }
    if old_is_enough {
        return passes_for_something_else(session, is_elsewhere);
    }
    if let Some(outcome) = with_old_product {
        session.proved(&outcome);
    }
    Ok(())
}

/// Whether tests were what the check failed for on the old tree, or it passes there now: something that is run failed then.
fn failed_tests_at_the_start<R: Runner>(session: &mut Session<'_, R>) -> Result<bool, R::Error> {
    let old = session.change.old();
    let outcome = session.run(&old)?;
    Ok(outcome.is_some_and(|outcome| outcome.fails_tests || outcome.verdict == Verdict::Green))
}

/// The check is alive, failed at the start, and passes now with the code of the start as well.
fn passes_for_something_else<R: Runner>(
    session: &mut Session<'_, R>,
    is_elsewhere: bool,
) -> Result<(), R::Error> {
    session.account.did(Probe::Canary);
    if is_elsewhere {
        let name = session.check.name.clone();
        let file = session.change.files.first().map(|file| file.path.clone()).unwrap_or_default();
        let shown = Shown {
            rule: RULE,
            file,
            line: 1,
            test: None,
            message: format!(
                "`{name}` failed at the start, and passes on that very tree now: what makes it pass is nothing that git keeps"
            ),
            // What was installed or built is honest.
            sure: false,
            tree: session.change.old(),
            change: "the tree of the start, with what git ignores as it is now".to_owned(),
            saw: format!("`{name}` passes"),
            against: Some(format!("`{name}` failed at the start, on this very tree")),
        };
        session.show(Probe::Canary, shown);
        return Ok(());
    }
    // Where no code changed, it is no wonder.
    if !session.change.touches_product() || session.change.touches_code_of_tests() {
        return Ok(());
    }
    let old = session.change.old();
    let Some(outcome) = session.run(&old)? else { return Ok(()) };
    // What is about settings, pages or a check that was not there yet has its own reasons.
    if outcome.fails_tests {
        let mut shown = old_product_is_enough(session, None);
        shown.sure = false;
        session.show(Probe::Canary, shown);
    }
    Ok(())
}

/// The check failed on the old tree and passes on that very tree now. It is no honest dependency that does it where the same tests fail
/// without compiled files, which may not be of their source, and without what is new of what git ignores.
fn needs_what_git_does_not_keep<R: Runner>(session: &mut Session<'_, R>) -> Result<Option<Shown>, R::Error> {
    let (old, name) = (session.change.old(), session.check.name.clone());
    let Some((outcome, gone)) = session.run_without_what_is_new(&old)? else { return Ok(None) };
    // What lacks something that was installed or built fails as well.
    if !outcome.fails_tests || lacks_a_name(&outcome.output) {
        return Ok(None);
    }
    Ok(Some(Shown {
        rule: RULE,
        file: gone.first().cloned().unwrap_or_default(),
        line: 1,
        test: None,
        message: format!(
            "`{name}` failed at the start, and passes on that very tree now: only with files that git ignores, such as `{}`",
            gone.first().map(String::as_str).unwrap_or_default()
        ),
        sure: true,
        tree: old,
        change: format!(
            "the tree of the start, without what git ignores and is new:\n- {}",
            gone.join("\n- ")
        ),
        saw: format!("`{name}` fails, as it did at the start"),
        against: Some(format!("with these files `{name}` passes")),
    }))
}

fn old_product_is_enough<R: Runner>(session: &Session<'_, R>, lived: Option<&Mutant>) -> Shown {
    let name = &session.check.name;
    let file = session.change.files.iter().find(|file| matches!(file.part, Part::Tests | Part::Checks));
    let file = file.or(session.change.files.first()).map(|file| file.path.clone()).unwrap_or_default();
    let blind = lived.map(|_| " and notices no break of it").unwrap_or_default();
    let also = lived.map(|mutant| format!("\n{}", session.diff(mutant))).unwrap_or_default();
    Shown {
        rule: RULE,
        file,
        line: 1,
        test: None,
        message: format!(
            "`{name}` failed at the start, and passes now with the code of the start as well{blind}: the change of the code is not what makes it pass"
        ),
        sure: true,
        tree: lived
            .and_then(|mutant| session.broken(&Overlay::new(), mutant))
            .unwrap_or_else(|| session.change.old_product()),
        change: format!("the product as it was at the start, with the tests and settings of now{also}"),
        saw: format!("`{name}` passes"),
        against: Some(format!("`{name}` failed at the start")),
    }
}

/// Tests that pass whatever they are told to expect, where they did not before.
fn expects_nothing<R: Runner>(session: &mut Session<'_, R>) -> Result<Option<Witness>, R::Error> {
    let change = session.change;
    let known_to_fail: BTreeSet<String> = match session.failed_before {
        Some(true) => session.known(&change.old()).and_then(|outcome| outcome.failed).unwrap_or_default(),
        _ => BTreeSet::new(),
    };
    let all = change.tests().iter().flat_map(|(path, text)| expectations(path, text));
    let asked = choose(all.collect(), &known_to_fail);
    if asked.is_empty() {
        return Ok(None);
    }
    let Some(tree) = expecting(&Overlay::new(), &asked, |path| change.tests().get(path).cloned()) else {
        return Ok(None);
    };
    let Some(now) = session.run(&tree)? else { return Ok(None) };
    let lives = |expectation: &&Expectation| match now.verdict {
        Verdict::Green => true,
        Verdict::Red => now.fails(&expectation.test) == Some(false),
        Verdict::Broken | Verdict::TimedOut => false,
    };
    let lived: Vec<Expectation> = asked.iter().filter(lives).cloned().collect();
    if now.verdict == Verdict::Red {
        session.account.did(Probe::Canary);
    }
    if lived.is_empty() {
        return Ok(None);
    }
    who_noticed(session, &lived, lived.len() == asked.len())
}

/// One expectation for each test, and of each word that compares a few; those of tests that failed at the start first.
fn choose(all: Vec<Expectation>, failed: &BTreeSet<String>) -> Vec<Expectation> {
    let mut all = all;
    all.sort_by_key(|expectation| !failed.iter().any(|name| is_named(name, &expectation.test)));
    let mut chosen: Vec<Expectation> = Vec::new();
    for expectation in all {
        let is_known = chosen.iter().any(|known| known.test == expectation.test);
        let same = chosen.iter().filter(|known| known.word == expectation.word).count();
        if !is_known && same < SAME_WORD_MAX && chosen.len() < EXPECTATIONS_MAX {
            chosen.push(expectation);
        }
    }
    chosen
}

/// A tree in which tests expect something else; nothing where none of them is there.
fn expecting(
    tree: &Overlay,
    asked: &[Expectation],
    text_of: impl Fn(&str) -> Option<String>,
) -> Option<Overlay> {
    let mut tree = tree.clone();
    let paths: BTreeSet<&str> = asked.iter().map(|expectation| expectation.path.as_str()).collect();
    for path in &paths {
        let mut of_it: Vec<_> = asked.iter().filter(|expectation| expectation.path == *path).collect();
        // From the end, so that what is before stays where it is.
        of_it.sort_by_key(|expectation| std::cmp::Reverse(expectation.range.start));
        let text = of_it.iter().fold(text_of(path)?, |text, expectation| expectation.apply(&text));
        tree.insert((*path).to_owned(), Some(text.into_bytes()));
    }
    (!paths.is_empty()).then_some(tree)
}

/// Whether tests that live with a wrong expectation noticed one on the old tree, or failed there: then they are run, and compare nothing now.
fn who_noticed<R: Runner>(
    session: &mut Session<'_, R>,
    lived: &[Expectation],
    are_all: bool,
) -> Result<Option<Witness>, R::Error> {
    let change = session.change;
    let old = change.old();
    let Some(before) = session.run(&old)? else { return Ok(None) };
    let failed_then = |expectation: &&Expectation| {
        session.failed_before == Some(true) && before.fails(&expectation.test) == Some(true)
    };
    if let Some(expectation) = lived.iter().find(failed_then) {
        let name = own(&expectation.test);
        return Ok(Some(witness(session, expectation, format!("`{name}` failed on the tree of before"))));
    }
    let mut asked = Vec::new();
    for expectation in lived {
        let Some(text) = text_before(session, &expectation.path) else { continue };
        let same = expectations(&expectation.path, &text).into_iter().find(|old| old.is_like(expectation));
        asked.extend(same);
    }
    if asked.is_empty() {
        return Ok(None);
    }
    // Where the same tree passes now, it is no witness.
    if session.failed_before == Some(true) && before.verdict == Verdict::Green {
        let against = "the check failed at the start, and passes on that very tree now".to_owned();
        return Ok(lived
            .first()
            .filter(|_| are_all)
            .map(|expectation| witness(session, expectation, against)));
    }
    let Some(tree) = expecting(&old, &asked, |path| text_before(session, path)) else { return Ok(None) };
    let Some(after) = session.run(&tree)? else { return Ok(None) };
    let Some(failing) = newly_failing(&before, &after) else { return Ok(None) };
    let noticed = |expectation: &&Expectation| {
        failing.is_empty() || failing.iter().any(|name| is_named(name, &expectation.test))
    };
    let against = "on the tree of before the check notices the same".to_owned();
    Ok(lived.iter().find(noticed).map(|expectation| witness(session, expectation, against)))
}

fn text_before<R: Runner>(session: &Session<'_, R>, path: &str) -> Option<String> {
    match session.change.files.iter().find(|file| file.path == path) {
        Some(file) => file.text_before().map(str::to_owned),
        None => session.change.tests().get(path).cloned(),
    }
}

fn own(test: &str) -> &str {
    test.rsplit(" > ").next().unwrap_or(test)
}

fn witness<R: Runner>(session: &Session<'_, R>, expectation: &Expectation, against: String) -> Witness {
    let text = session.change.tests().get(&expectation.path).map(String::as_str).unwrap_or_default();
    let line = |text: &str| {
        let at = usize::try_from(expectation.line).unwrap_or(usize::MAX).saturating_sub(1);
        text.lines().nth(at).unwrap_or_default().trim().to_owned()
    };
    let Expectation { path, line: number, test, literal, other, .. } = expectation;
    let tree = expecting(&Overlay::new(), std::slice::from_ref(expectation), |_| Some(text.to_owned()));
    Witness {
        tree: tree.unwrap_or_default(),
        change: format!("{path}:{number}\n- {}\n+ {}", line(text), line(&expectation.apply(text))),
        file: path.clone(),
        line: *number,
        test: Some(test.clone()),
        message: format!(
            "`{}` passes whatever it expects: with `{other}` in place of `{literal}`, too, so it compares nothing any more",
            own(test)
        ),
        against,
    }
}

fn hold<R: Runner>(session: &mut Session<'_, R>, witness: Witness) {
    session.account.did(Probe::Canary);
    let Witness { tree, change, file, line, test, message, against } = witness;
    let saw = match &test {
        Some(test) => format!("`{}` passes", own(test)),
        None => format!("`{}` passes", session.check.name),
    };
    let against = Some(against);
    session.show(
        Probe::Canary,
        Shown { rule: RULE, file, line, test, message, sure: true, tree, change, saw, against },
    );
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
        session.count(&mutant, &outcome);
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
    let tried = lived.len();
    let witness = Witness {
        tree: session.broken(&Overlay::new(), &mutant).unwrap_or_default(),
        change: session.diff(&mutant),
        file: mutant.path.clone(),
        line: mutant.line,
        test: None,
        message: format!(
            "`{name}` passes whatever this code gives: of {tried} changed values it notices none, and {against}"
        ),
        against,
    };
    hold(session, witness);
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
