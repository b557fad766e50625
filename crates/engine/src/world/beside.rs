//! A baseline in a work tree of the run's own, held against the checkout: whether the checks find there what they find in
//! the checkout, and whether they read the checkout instead.
//!
//! A check that fails in the work tree is run in the checkout as well; where it does worse here, it is run here once more,
//! since tests may be flaky. Where both are red, what they printed is compared: the tests that fail, and what is said to be
//! missing. While one runs in the work tree, the checkout is watched for files that are opened. The system
//! does not say by whom, and editors, indexers and other loops open files, too: so nothing is held against a check that is
//! opened while it does not run, and only what is opened each of three times it does. What both somebody else and the check
//! read is not noticed. Nor is what piton itself reads there for a check: the ledger is the repository's. What follows from it is judged in the model.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_gauge::tests;
use piton_model::State;
use piton_model::loop_machine::{Attained, Beside, Check};
use piton_sys::opened::Opened;

use super::checks::{self, Ran};
use super::{Context, WorldError, furnish};
use crate::launch::What;
use crate::ledger::said;

/// What piton, git and other tools keep for themselves in a checkout: to read it says nothing about a check.
const OWN: [&str; 5] = [".git", ".piton", ".ralph", ".aiwg", ".agents"];

/// How shells, compilers and runtimes say that something is not there.
const MISSING: [&str; 6] =
    ["no such file", "no module named", "cannot find", "can't find", "could not find", "not found"];

/// How long the checkout is watched while no check runs: as long as the check took, within these.
const ALONE_MS: std::ops::RangeInclusive<u64> = 1_000..=30_000;

/// Whether the round that begins is a baseline that is held against the checkout. A run that goes on with what another one
/// left has a tree that the checkout never had.
fn is_wanted(state: &State) -> bool {
    state.work.attempt == 0
        && state.config.worktree.as_ref().is_some_and(|worktree| worktree.compare)
        && state.memory.adopted.as_ref().is_none_or(|adopted| adopted.snapshot.is_none())
}

/// Begins to watch the checkout, where that is wanted and the system can tell.
pub(super) fn watch(context: &Context, state: &State) -> Option<Opened> {
    let is_left_out = |path: &Path| {
        let name = path.file_name().unwrap_or_default();
        OWN.iter().any(|own| name == *own) || furnish::is_installed(path)
    };
    is_wanted(state).then(|| Opened::below(context.layout.root(), is_left_out)).flatten()
}

/// What the check that `ran` has to do with the checkout, and how long it took to find out; nothing where the round is not
/// held against it, or there is nothing to say. `None` when that was cancelled.
pub(super) fn look(
    context: &Context,
    state: &State,
    (round, index): (u32, usize),
    ran: &Ran,
    watched: Option<Opened>,
) -> Result<Option<(Option<Beside>, u64)>, WorldError> {
    if !is_wanted(state) {
        return Ok(Some((None, 0)));
    }
    let check = &state.config.checks[index];
    let mut duration_ms = 0;
    let mut opened = opened_by(context, watched, &ran.name);
    let others = |opened: &mut BTreeSet<String>, ran: &Ran| {
        if !opened.is_empty() {
            let by_others = opened_by_others(context, state, ran.exit.duration_ms);
            opened.retain(|file| !by_others.contains(file));
        }
    };
    others(&mut opened, ran);
    let here = attained(context, ran);
    let mut beside = Beside { name: check.name.clone(), here, ..Beside::default() };
    if !here.passed {
        let name = format!("checkout-{round}-{index}");
        let in_checkout = checks::run_check(context, state, &name, check, What::InCheckout)?;
        let Some(in_checkout) = in_checkout else { return Ok(None) };
        duration_ms += in_checkout.exit.duration_ms;
        beside.there = Some(attained(context, &in_checkout));
        let said = Said::of(context, ran).without(&Said::of(context, &in_checkout));
        (beside.fails, beside.misses) = (said.fails, said.misses);
    }
    if !opened.is_empty() || beside.is_worse() {
        let name = format!("again-{round}-{index}");
        let Some(ran) = again(context, state, &name, check, &mut opened)? else { return Ok(None) };
        duration_ms += ran.exit.duration_ms;
        let second = attained(context, &ran);
        if here.is_worse_than(&second) {
            beside.here = second;
        }
        let said = Said::of(context, &ran);
        beside.fails.retain(|name| said.fails.contains(name));
        beside.misses.retain(|line| said.misses.contains(line));
        others(&mut opened, &ran);
    }
    if !opened.is_empty() {
        let name = format!("third-{round}-{index}");
        let Some(ran) = again(context, state, &name, check, &mut opened)? else { return Ok(None) };
        duration_ms += ran.exit.duration_ms;
    }
    beside.opened = opened.into_iter().collect();
    let says_something = beside.there.is_some() || !beside.opened.is_empty();
    Ok(Some((says_something.then_some(beside), duration_ms)))
}

/// Runs the check in the work tree once more; what it does not open this time is not held against it.
fn again(
    context: &Context,
    state: &State,
    name: &str,
    check: &Check,
    opened: &mut BTreeSet<String>,
) -> Result<Option<Ran>, WorldError> {
    let watched = watch(context, state);
    let ran = checks::run_check(context, state, name, check, What::Command)?;
    let again = opened_by(context, watched, name);
    opened.retain(|file| again.contains(file));
    Ok(ran)
}

/// What the check of this name opened in the checkout; what piton reads there for it is where it belongs.
fn opened_by(context: &Context, watched: Option<Opened>, name: &str) -> BTreeSet<String> {
    let mut opened = watched.map(Opened::files).map(product_files).unwrap_or_default();
    if !opened.is_empty() {
        let by_piton = said(&context.attempts().join(name), context.layout.root());
        opened.retain(|file| !by_piton.contains(file));
    }
    opened
}

/// What is opened in the checkout while no check of this run runs.
fn opened_by_others(context: &Context, state: &State, took_ms: u64) -> BTreeSet<String> {
    let window = Duration::from_millis(took_ms.clamp(*ALONE_MS.start(), *ALONE_MS.end()));
    let opened = watch(context, state).map(|watched| watched.files_within(window, || context.is_cancelled()));
    opened.map(product_files).unwrap_or_default()
}

fn attained(context: &Context, ran: &Ran) -> Attained {
    let found = tests::read(None, &checks::printed(context, &ran.name).concat());
    let (passed, exit_code) = (checks::passed(&ran.exit), ran.exit.code);
    let Some(found) = found else { return Attained { passed, exit_code, ..Attained::default() } };
    let counted = found.passed.zip(found.failed).filter(|_| found.complete);
    Attained {
        passed,
        exit_code,
        tests: found.passed,
        ran: counted.map(|(passed, failed)| passed + failed),
        unloaded: found.build_failed,
    }
}

/// By what two red checks are told apart.
struct Said {
    /// Tests that fail, by name.
    fails: Vec<String>,
    /// Lines that say that something is not there.
    misses: Vec<String>,
}

impl Said {
    /// What a check printed, with the names of files as they are below the tree that it ran in.
    fn of(context: &Context, ran: &Ran) -> Self {
        let mut printed = checks::printed(context, &ran.name).concat();
        for place in [context.layout.tree(), context.layout.root()] {
            let spellings = [Some(place.to_owned()), std::fs::canonicalize(place).ok()];
            for place in spellings.into_iter().flatten() {
                printed = printed.replace(&format!("{}/", place.display()), "");
            }
        }
        let says_so = |line: &&str| {
            let line = line.to_lowercase();
            MISSING.iter().any(|words| line.contains(words))
        };
        let misses = printed.lines().map(str::trim).filter(says_so).map(str::to_owned).collect();
        let named = tests::read(None, &printed).map(|found| found.named).unwrap_or_default();
        let failed = |outcome| matches!(outcome, tests::Outcome::Failed | tests::Outcome::TimedOut);
        let fails = named.into_iter().filter(|test| failed(test.outcome)).map(|test| test.name).collect();
        Self { fails, misses }
    }

    /// What is said here and not there.
    fn without(mut self, there: &Self) -> Self {
        self.fails.retain(|name| !there.fails.contains(name));
        self.misses.retain(|line| !there.misses.contains(line));
        self
    }
}

/// The files of the project among those that were opened. What Python compiled stands for its source, which is then
/// only looked at; files of git's and of piton's own are read by many.
fn product_files(opened: BTreeSet<PathBuf>) -> BTreeSet<String> {
    let product = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.to_owned();
        if name.starts_with(".git") || name == "piton.toml" {
            return None;
        }
        let directory = path.parent().filter(|directory| directory.ends_with("__pycache__"));
        let source = directory.and_then(Path::parent).zip(name.split('.').next());
        let path = source.map_or(path.clone(), |(directory, stem)| directory.join(format!("{stem}.py")));
        Some(path.to_string_lossy().into_owned())
    };
    opened.into_iter().filter_map(product).collect()
}
