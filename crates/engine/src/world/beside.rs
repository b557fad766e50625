//! A baseline in a work tree of the run's own, held against the checkout: whether the checks find there what they find in
//! the checkout, and whether they read the checkout instead.
//!
//! A check that fails in the work tree is run in the checkout as well; where it does worse here, it is run here once more,
//! since tests may be flaky. While one runs in the work tree, the checkout is watched for files that are opened. The system
//! does not say by whom, and editors, indexers and other loops open files, too: so nothing is held against a check that is
//! opened while it does not run, and only what is opened each of three times it does. What both somebody else and the check
//! read is not noticed. What follows from it is judged in the model.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_model::State;
use piton_model::loop_machine::{Attained, Beside, Check};
use piton_sys::opened::Opened;

use super::checks::{self, Ran};
use super::{Context, WorldError, furnish, measure};
use crate::launch::What;

/// What piton, git and other tools keep for themselves in a checkout: to read it says nothing about a check.
const OWN: [&str; 5] = [".git", ".piton", ".ralph", ".aiwg", ".agents"];

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
    let mut opened = watched.map(Opened::files).map(product_files).unwrap_or_default();
    let others = |opened: &mut BTreeSet<String>, ran: &Ran| {
        if !opened.is_empty() {
            let by_others = opened_by_others(context, state, ran.exit.duration_ms);
            opened.retain(|file| !by_others.contains(file));
        }
    };
    others(&mut opened, ran);
    let mut here = attained(context, ran);
    let mut there = None;
    if !here.passed {
        let name = format!("checkout-{round}-{index}");
        let ran = checks::run_check(context, state, &name, check, What::InCheckout)?;
        let Some(ran) = ran else { return Ok(None) };
        duration_ms += ran.exit.duration_ms;
        there = Some(attained(context, &ran));
    }
    if !opened.is_empty() || there.is_some_and(|there| here.is_worse_than(&there)) {
        let name = format!("again-{round}-{index}");
        let Some(ran) = again(context, state, &name, check, &mut opened)? else { return Ok(None) };
        duration_ms += ran.exit.duration_ms;
        let second = attained(context, &ran);
        if here.is_worse_than(&second) {
            here = second;
        }
        others(&mut opened, &ran);
    }
    if !opened.is_empty() {
        let name = format!("third-{round}-{index}");
        let Some(ran) = again(context, state, &name, check, &mut opened)? else { return Ok(None) };
        duration_ms += ran.exit.duration_ms;
    }
    let opened: Vec<String> = opened.into_iter().collect();
    let beside = (there.is_some() || !opened.is_empty()).then(|| Beside {
        name: check.name.clone(),
        here,
        there,
        opened,
    });
    Ok(Some((beside, duration_ms)))
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
    let again = watched.map(Opened::files).map(product_files).unwrap_or_default();
    opened.retain(|file| again.contains(file));
    Ok(ran)
}

/// What is opened in the checkout while no check of this run runs.
fn opened_by_others(context: &Context, state: &State, took_ms: u64) -> BTreeSet<String> {
    let window = Duration::from_millis(took_ms.clamp(*ALONE_MS.start(), *ALONE_MS.end()));
    let opened = watch(context, state).map(|watched| watched.files_within(window, || context.is_cancelled()));
    opened.map(product_files).unwrap_or_default()
}

fn attained(context: &Context, ran: &Ran) -> Attained {
    let tests = measure::tests_passed(&checks::printed(context, &ran.name).concat());
    Attained { passed: checks::passed(&ran.exit), exit_code: ran.exit.code, tests }
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
