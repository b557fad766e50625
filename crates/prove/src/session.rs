//! One proof: probes in the order of what they show per second, until the budget is spent.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use piton_guard::{Demonstrated, Evidence};

use crate::account::{Account, Probe};
use crate::change::{Change, Overlay, Part};
use crate::mutate::{self, Mutant, Operator};
use crate::points;
use crate::probes::{canary, flip, lost_kills, old_tests, point_change};
use crate::reach::{self, Function, TestBody};
use crate::trial::{Check, Outcome, Runner, Verdict, is_file, lacks_a_name};

/// How many functions away from a test code may be that it judges.
const REACH: u32 = 3;
/// A trial may take so many times as long as the check did, and no less than this.
const PATIENCE: u64 = 3;
const PATIENCE_MS_MIN: u64 = 10_000;
/// How long a check may take of which nothing is known.
const UNKNOWN_MS_MAX: u64 = 15 * 60_000;

/// How much is to be tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// For what is found to know the answers of its tests: what it gives beside the tested inputs.
    Example,
    /// After an iteration: canary and flip.
    Quick,
    /// Before something is called done, and in CI: everything.
    Full,
}

impl Depth {
    /// What it may cost, for a check that takes so long: a multiple of that, and a few seconds for a check that takes none.
    pub fn budget_ms(self, check_ms: u64) -> u64 {
        match self {
            Self::Example | Self::Quick => check_ms.max(5_000),
            Self::Full => check_ms.saturating_mul(3).max(20_000),
        }
    }
}

/// What is to be proven.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The checks that judge the change.
    pub checks: Vec<Check>,
    /// How much is to be tried.
    pub depth: Depth,
    /// How long all of it may take together, for whoever wants another limit.
    pub budget_ms: Option<u64>,
    /// Whether old tests that fail on the new code are held against it: nobody asked for other behaviour.
    pub strict: bool,
    /// Whether what the checks run is known to be other than it was, wherever that lies: then a break is tried whatever changed.
    pub runs_otherwise: bool,
}

/// Whether there is something to try: a change that checks may notice, checks that are run otherwise, or a check that failed before on
/// this very tree.
pub fn is_due(change: &Change, asked: &Asked) -> bool {
    let failed = asked.checks.iter().any(|check| check.failed_before == Some(true));
    change.is_of_checks() || asked.runs_otherwise || (change.files.is_empty() && failed)
}

/// Tries a change.
pub fn prove<R: Runner>(change: &Change, asked: &Asked, runner: &mut R) -> Result<Account, R::Error> {
    let mut account = Account::default();
    if !is_due(change, asked) {
        return Ok(account);
    }
    let around = Around::of(change);
    let mut left_ms = asked.budget_ms;
    for check in &asked.checks {
        let mut session = Session {
            change,
            around: &around,
            check,
            failed_before: check.failed_before,
            strict: asked.strict,
            runner,
            account: &mut account,
            took_ms: 1,
            left_ms: u64::MAX,
            is_blind: false,
            known: BTreeMap::new(),
            counted: BTreeSet::new(),
        };
        if !session.begin()? {
            continue;
        }
        session.left_ms = left_ms.unwrap_or_else(|| asked.depth.budget_ms(session.took_ms));
        session.look_back()?;
        if asked.depth == Depth::Example {
            point_change::probe(&mut session)?;
            left_ms = left_ms.map(|_| session.left_ms);
            continue;
        }
        if asked.depth == Depth::Full {
            old_tests::persists(&mut session)?;
        }
        canary::probe(&mut session)?;
        flip::probe(&mut session)?;
        if asked.depth == Depth::Full {
            point_change::probe(&mut session)?;
            old_tests::probe(&mut session)?;
            lost_kills::probe(&mut session)?;
        }
        left_ms = left_ms.map(|_| session.left_ms);
    }
    Ok(account)
}

/// The code around a change: what tests reach, and which lines are near.
pub(crate) struct Around {
    /// Every function of the product.
    functions: Vec<Function>,
    /// Tests that are new or other than they were, with the file of each.
    pub(crate) changed_tests: Vec<(String, TestBody)>,
    /// What tests called that are gone or were other.
    called_before: BTreeSet<String>,
    /// The lines of each file of the product that are new or other.
    pub(crate) lines: BTreeMap<String, Vec<Range<u32>>>,
    /// The functions that any test reaches.
    pub(crate) tested: BTreeSet<String>,
    /// Functions of which tests say what they give, and those tests.
    pub(crate) asserted: BTreeMap<String, BTreeSet<String>>,
}

impl Around {
    fn of(change: &Change) -> Self {
        let functions: Vec<Function> =
            change.product.iter().flat_map(|(path, text)| reach::functions(path, text)).collect();
        let (mut changed_tests, mut called_before) = (Vec::new(), BTreeSet::new());
        // A test that only moved is not new.
        let texts_before = change.files.iter().filter_map(|file| Some((&file.path, file.text_before()?)));
        let known: BTreeSet<u64> = texts_before
            .flat_map(|(path, text)| reach::tests(path, text))
            .map(|test| test.text_digest)
            .collect();
        let mut lines = BTreeMap::new();
        for file in &change.files {
            let tests =
                |text: Option<&str>| text.map(|text| reach::tests(&file.path, text)).unwrap_or_default();
            if matches!(file.part, Part::Tests | Part::Both) {
                let (before, after) = (tests(file.text_before()), tests(file.text_after()));
                let is_in = |tests: &[TestBody], test: &TestBody| {
                    tests.iter().any(|known| known.name == test.name && known.text_digest == test.text_digest)
                };
                let gone = before.iter().filter(|test| !is_in(&after, test));
                called_before.extend(gone.flat_map(|test| test.calls.clone()));
                let new = after.into_iter().filter(|test| !known.contains(&test.text_digest));
                changed_tests.extend(new.map(|test| (file.path.clone(), test)));
            }
            if let (Part::Product | Part::Both, Some(after)) = (file.part, file.text_after()) {
                let before = file.text_before().unwrap_or_default();
                lines.insert(file.path.clone(), reach::changed_lines(before, after));
            }
        }
        let mut asserted: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for point in change.tests().iter().flat_map(|(path, text)| points::points(path, text)) {
            if point.expected.is_some() {
                asserted.entry(point.call).or_default().insert(point.test);
            }
        }
        let tests = change.tests().iter().flat_map(|(path, text)| reach::tests(path, text));
        let calls = tests.flat_map(|test| test.calls).collect();
        let tested = reach::reached(&calls, &functions, REACH);
        Self { functions, changed_tests, called_before, lines, tested, asserted }
    }

    /// The functions that the change is about: what changed tests reach.
    fn reached(&self) -> BTreeSet<String> {
        let calls = self.changed_tests.iter().flat_map(|(_, test)| &test.calls);
        let start = calls.chain(&self.called_before).cloned().collect();
        reach::reached(&start, &self.functions, REACH)
    }

    /// The functions that a test reaches.
    pub(crate) fn reached_by(&self, test: &TestBody) -> BTreeSet<String> {
        reach::reached(&test.calls, &self.functions, REACH)
    }
}

/// The probes of one check.
pub(crate) struct Session<'a, R> {
    pub(crate) change: &'a Change,
    pub(crate) around: &'a Around,
    pub(crate) check: &'a Check,
    /// Whether the check failed on the old tree, where that is known.
    pub(crate) failed_before: Option<bool>,
    pub(crate) strict: bool,
    runner: &'a mut R,
    pub(crate) account: &'a mut Account,
    /// How long the check takes.
    took_ms: u64,
    left_ms: u64,
    /// Whether the check was seen to notice no break: what it says proves nothing then.
    pub(crate) is_blind: bool,
    known: BTreeMap<Overlay, Outcome>,
    /// Breaks that were counted.
    counted: BTreeSet<(String, usize, usize, String)>,
}

impl<R: Runner> Session<'_, R> {
    /// Finds out how long the check takes, where that is not known. Whether there is anything to prove: what fails, proves nothing.
    fn begin(&mut self) -> Result<bool, R::Error> {
        if let Some(took_ms) = self.check.took_ms {
            self.took_ms = took_ms.max(1);
            return Ok(true);
        }
        let outcome = self.runner.run(self.check, &Overlay::new(), UNKNOWN_MS_MAX)?;
        self.took_ms = outcome.took_ms.max(1);
        let passes = outcome.verdict == Verdict::Green;
        if !passes {
            let said = last_words(&outcome).map(|said| format!(": {said}")).unwrap_or_default();
            let name = &self.check.name;
            self.account.missed(format!("`{name}` does not pass in a trial, so it proves nothing{said}"));
        }
        self.known.insert(Overlay::new(), outcome);
        Ok(passes)
    }

    /// Finds out whether the check failed on the old tree, where that is not known.
    fn look_back(&mut self) -> Result<(), R::Error> {
        if self.failed_before.is_none() {
            let old = self.change.old();
            self.failed_before = self.run(&old)?.map(|outcome| outcome.verdict != Verdict::Green);
        }
        Ok(())
    }

    /// Whether what failed in a trial failed because of it: where no test passed in it, the new tree as it is has to pass here.
    pub(crate) fn is_its_doing(&mut self, outcome: &Outcome) -> Result<bool, R::Error> {
        if !outcome.passed.is_empty() {
            return Ok(true);
        }
        let control = self.run(&Overlay::new())?;
        let passes = control.as_ref().is_some_and(|control| control.verdict == Verdict::Green);
        if !passes {
            let said = control.as_ref().and_then(last_words).map(|said| format!(": {said}"));
            let name = &self.check.name;
            let why =
                format!("`{name}` does not pass in a copy of the work tree{}", said.unwrap_or_default());
            self.account.missed(why);
        }
        Ok(passes)
    }

    /// Takes down what fails on the code of before: that it passes now is what proves the change.
    pub(crate) fn proved(&mut self, outcome: &Outcome) {
        let all = format!("check `{}`", self.check.name);
        match (!outcome.failing.is_empty()).then_some(&outcome.failing) {
            // A test that only lacked the name of something new says nothing about what that does, nor does one that failed on its own.
            Some(failed) => {
                let product = || self.change.product.keys();
                let is_proof = |name: &&String| {
                    !outcome.fails_for_a_name(name)
                        && (outcome.fails_by_assertion(name) || outcome.fails_inside(name, product()))
                };
                let names: Vec<_> = failed.iter().filter(is_proof).cloned().collect();
                self.proved_by(names.iter());
            }
            None if !lacks_a_name(&outcome.output) => self.proved_by([&all].into_iter()),
            None => {}
        }
    }

    /// These tests prove the change, unless the check notices nothing at all.
    pub(crate) fn proved_by<'n>(&mut self, names: impl Iterator<Item = &'n String>) {
        for name in names.filter(|_| !self.is_blind) {
            // A file that is a test by itself: where it lies is nobody's business.
            let name = match is_file(name) {
                true => name.rsplit('/').next().unwrap_or(name),
                false => name,
            };
            if !self.account.proved_by.iter().any(|known| known == name) {
                self.account.proved_by.push(name.to_owned());
            }
        }
    }

    /// Counts a break that was tried, once.
    pub(crate) fn count(&mut self, mutant: &Mutant, outcome: &Outcome) {
        let Mutant { path, range, replacement, .. } = mutant;
        if self.counted.insert((path.clone(), range.start, range.end, replacement.clone())) {
            self.account.mutants += 1;
            self.account.lived += u32::from(outcome.verdict == Verdict::Green);
        }
    }

    /// What came of this tree, where it was run.
    pub(crate) fn known(&self, tree: &Overlay) -> Option<Outcome> {
        self.known.get(tree).cloned()
    }

    /// Runs the check on this tree without what git ignores and is new or other since the start, and without what was compiled; and says what
    /// that was. Nothing where there is no such thing, or the budget does not allow it.
    pub(crate) fn run_without_what_is_new(
        &mut self,
        tree: &Overlay,
    ) -> Result<Option<(Outcome, Vec<String>)>, R::Error> {
        if self.left_ms < self.took_ms {
            self.account.missed(format!("the budget of `{}` was spent", self.check.name));
            return Ok(None);
        }
        let Some((outcome, gone)) = self.runner.run_without_what_is_new(self.check, tree, self.wall_ms())?
        else {
            return Ok(None);
        };
        self.spend(&outcome);
        Ok(Some((outcome, gone)))
    }

    fn wall_ms(&self) -> u64 {
        self.took_ms.saturating_mul(PATIENCE).max(PATIENCE_MS_MIN)
    }

    fn spend(&mut self, outcome: &Outcome) {
        self.left_ms = self.left_ms.saturating_sub(outcome.took_ms.max(1));
        self.account.trials += 1;
        self.account.took_ms += outcome.took_ms;
    }

    /// Runs the check on this tree, unless that was done already. Nothing where the budget does not allow it.
    pub(crate) fn run(&mut self, tree: &Overlay) -> Result<Option<Outcome>, R::Error> {
        if let Some(known) = self.known.get(tree) {
            return Ok(Some(known.clone()));
        }
        let outcome = self.run_again(tree)?;
        if let Some(outcome) = &outcome {
            self.known.insert(tree.clone(), outcome.clone());
        }
        Ok(outcome)
    }

    /// Runs the check on this tree once more.
    pub(crate) fn run_again(&mut self, tree: &Overlay) -> Result<Option<Outcome>, R::Error> {
        if self.left_ms < self.took_ms {
            self.account.missed(format!("the budget of `{}` was spent", self.check.name));
            return Ok(None);
        }
        let outcome = self.runner.run(self.check, tree, self.wall_ms())?;
        self.spend(&outcome);
        Ok(Some(outcome))
    }

    /// Breaks of the product near the change, the nearest first.
    pub(crate) fn mutants(&self, max: usize, is_wanted: impl Fn(&Mutant) -> bool) -> Vec<Mutant> {
        self.mutants_of(&self.around.lines, &self.around.reached(), max, is_wanted)
    }

    /// Breaks of functions of which tests say what they give.
    pub(crate) fn asserted_mutants(&self, max: usize, is_wanted: impl Fn(&Mutant) -> bool) -> Vec<Mutant> {
        let asserted = self.around.asserted.keys().cloned().collect();
        self.mutants_of(&BTreeMap::new(), &asserted, max, is_wanted)
    }

    /// Functions of which tests say what they give, giving something else: those near the change first.
    pub(crate) fn asserted_stubs(&self, max: usize) -> Vec<Mutant> {
        let asserted = |mutant: &Mutant| {
            mutant.function.as_ref().is_some_and(|name| self.around.asserted.contains_key(name))
        };
        let all = self.change.product.iter().flat_map(|(path, text)| mutate::stubs(path, text));
        let mut found: Vec<_> = all.filter(asserted).collect();
        let reached = self.around.reached();
        found.sort_by_key(|mutant| {
            let is_in = mutant.function.as_ref().is_some_and(|name| reached.contains(name));
            (!self.around.lines.contains_key(&mutant.path), !is_in)
        });
        found.truncate(max);
        found
    }

    /// Functions that are new or other, giving something else: whoever tests one of them has to notice.
    pub(crate) fn changed_stubs(&self, max: usize) -> Vec<Mutant> {
        let all = self.around.lines.iter().flat_map(|(path, lines)| {
            let stubs =
                self.change.product.get(path).map(|text| mutate::stubs(path, text)).unwrap_or_default();
            stubs.into_iter().filter(move |stub| lines.iter().any(|lines| lines.contains(&stub.line)))
        });
        all.take(max).collect()
    }

    fn mutants_of(
        &self,
        lines: &BTreeMap<String, Vec<Range<u32>>>,
        reached: &BTreeSet<String>,
        max: usize,
        is_wanted: impl Fn(&Mutant) -> bool,
    ) -> Vec<Mutant> {
        let mut found = Vec::new();
        for (path, text) in &self.change.product {
            let near = lines.get(path).map(Vec::as_slice).unwrap_or_default();
            let mutants = mutate::mutants(path, text);
            let is_near = |mutant: &Mutant| {
                near.iter().any(|lines| lines.contains(&mutant.line))
                    || mutant.function.as_ref().is_some_and(|function| reached.contains(function))
            };
            let mutants = mutants.into_iter().filter(|mutant| is_wanted(mutant) && is_near(mutant)).collect();
            found.push(mutate::choose(mutants, near, reached, max));
        }
        // In turns, so that one file does not take all.
        let longest = found.iter().map(Vec::len).max().unwrap_or(0);
        let turns = (0..longest).flat_map(|turn| found.iter().filter_map(move |file| file.get(turn)));
        turns.take(max).cloned().collect()
    }

    /// This tree with a break in it; nothing where the file is other in it.
    pub(crate) fn broken(&self, tree: &Overlay, mutant: &Mutant) -> Option<Overlay> {
        let text = self.change.product.get(&mutant.path)?;
        let mut tree = tree.clone();
        // A file with its tests in it may stand in the tree with other ones: the break goes where its line is.
        let broken = match tree.get(&mutant.path) {
            None => mutant.apply(text),
            Some(other) => {
                let other = std::str::from_utf8(other.as_deref()?).ok()?;
                let same = text.get(..mutant.range.end)? == other.get(..mutant.range.end)?;
                if !same {
                    return None;
                }
                mutant.apply(other)
            }
        };
        tree.insert(mutant.path.clone(), Some(broken.into_bytes()));
        Some(tree)
    }

    /// The new tree with these functions giving something else, whatever they are asked; nothing where none of them can.
    pub(crate) fn stubbed(&self, functions: &BTreeSet<String>) -> Option<Overlay> {
        let mut tree = Overlay::new();
        for (path, text) in &self.change.product {
            let stubs = mutate::stubs(path, text).into_iter();
            let mut wanted: Vec<_> = stubs
                .filter(|stub| stub.function.as_ref().is_some_and(|name| functions.contains(name)))
                .collect();
            // From the end, so that what is before stays where it is.
            wanted.sort_by_key(|stub| std::cmp::Reverse(stub.range.start));
            if !wanted.is_empty() {
                let stubbed = wanted.iter().fold(text.clone(), |text, stub| stub.apply(&text));
                tree.insert(path.clone(), Some(stubbed.into_bytes()));
            }
        }
        (!tree.is_empty()).then_some(tree)
    }

    /// The old tree with a break of the same sort in the same function; nothing where there is none.
    pub(crate) fn broken_before(&self, mutant: &Mutant) -> Option<Overlay> {
        let text = self.change.text_before(&mutant.path)?;
        let others = match mutant.operator {
            Operator::GiveOther => mutate::stubs(&mutant.path, text),
            _ => mutate::mutants(&mutant.path, text),
        };
        let is_alike =
            |other: &&Mutant| other.function == mutant.function && other.operator == mutant.operator;
        let is_same = |other: &&Mutant| is_alike(other) && other.replacement == mutant.replacement;
        let other = others.iter().find(is_same).or_else(|| others.iter().find(is_alike))?;
        let mut tree = self.change.old();
        tree.insert(mutant.path.clone(), Some(other.apply(text).into_bytes()));
        Some(tree)
    }

    /// A break as a person reads it.
    pub(crate) fn diff(&self, mutant: &Mutant) -> String {
        let text = self.change.product.get(&mutant.path).map(String::as_str).unwrap_or_default();
        let (before, after) = mutant.lines(text);
        let signed = |sign: &str, text: &str| -> String {
            text.lines().map(|line| format!("\n{sign} {}", line.trim_end())).collect()
        };
        // What is put before a line leaves that line as it is.
        let put_before = after.strip_suffix(before.as_str()).filter(|added| added.contains('\n'));
        let (removed, added) = match put_before {
            Some(added) => (signed("+", added.trim_end()), signed(" ", &before)),
            None => (signed("-", &before), signed("+", &after)),
        };
        format!("{}:{}{removed}{added}", mutant.path, mutant.line)
    }

    /// Holds something against the change.
    pub(crate) fn show(&mut self, probe: Probe, shown: Shown) {
        let Shown { rule, file, line, test, message, sure, tree, change, saw, against } = shown;
        let evidence = Evidence {
            probe: probe.as_str().to_owned(),
            check: self.check.name.clone(),
            change,
            saw,
            against,
        };
        self.account.trees.push(tree);
        self.account.shown.push(Demonstrated { rule, file, line, test, message, sure, evidence });
    }
}

/// What a probe showed.
pub(crate) struct Shown {
    pub(crate) rule: &'static str,
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) test: Option<String>,
    pub(crate) message: String,
    pub(crate) sure: bool,
    /// The tree of the trial: the new one, with these files other than they are.
    pub(crate) tree: Overlay,
    /// What was changed for the trial.
    pub(crate) change: String,
    /// What came of it.
    pub(crate) saw: String,
    /// What came of the same elsewhere.
    pub(crate) against: Option<String>,
}

/// The tests that fail in one trial and not in another; where names are not known, only whether there are any.
pub(crate) fn newly_failing(before: &Outcome, after: &Outcome) -> Option<BTreeSet<String>> {
    match (before.verdict, after.verdict, &before.failed, &after.failed) {
        (Verdict::Green | Verdict::Red, Verdict::Red, Some(before), Some(after)) => {
            let new: BTreeSet<_> = after.difference(before).cloned().collect();
            (!new.is_empty()).then_some(new)
        }
        (Verdict::Green, Verdict::Red, _, _) => Some(BTreeSet::new()),
        _ => None,
    }
}

/// What a check said of why it failed: the last line that names an error, or the last one at all.
fn last_words(outcome: &Outcome) -> Option<String> {
    const BYTES_MAX: usize = 160;
    let lines = || outcome.output.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_error = |line: &&str| line.contains("Error:") || line.contains("error:");
    let line = lines().rfind(is_error).or_else(|| lines().next_back())?;
    let end = (0..=line.len().min(BYTES_MAX)).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
    Some(line[..end].to_owned())
}

/// Names for a sentence: the first few.
pub(crate) fn list(names: &BTreeSet<String>) -> String {
    const MAX: usize = 3;
    let first: Vec<_> = names.iter().take(MAX).map(|name| format!("`{name}`")).collect();
    match names.len().saturating_sub(MAX) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}
