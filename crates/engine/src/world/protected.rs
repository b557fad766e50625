//! What no agent may change: what the configuration names, the configuration itself, and what of the tree the checks and the
//! conditions to stop run.

use std::sync::{Arc, PoisonError};

use piton_git::{Entry, Tree};
use piton_guard::{Part, Runs, is_protected, runs};
use piton_model::State;
use piton_model::loop_machine::{Probe, Snapshot};

use super::{Context, WorldError, snapshot_id};

/// A tree that others are compared with.
#[derive(Debug)]
pub(crate) struct Base {
    pub(super) entries: Vec<Entry>,
    /// What of it is run by whatever judges.
    runs: Runs,
}

impl Base {
    /// The tree of `snapshot`; the last one that was asked for is remembered.
    pub(super) fn of(context: &Context, state: &State, snapshot: &Snapshot) -> Result<Arc<Self>, WorldError> {
        let mut known = context.base.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, base)) = known.as_ref().filter(|(tree, _)| *tree == snapshot.tree) {
            return Ok(Arc::clone(base));
        }
        let tree = context.workspace.tree(&snapshot_id(&snapshot.id)?);
        let entries = {
            let mut counted = context.counted.lock().unwrap_or_else(PoisonError::into_inner);
            counted.0.list(tree.clone())?.entries().map_err(failed)?
        };
        let read = |path: &str| {
            let at = entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()?;
            tree.read(std::slice::from_ref(&entries[at])).ok()?.pop()
        };
        let commands = commands(state);
        let runs = runs(commands.iter().map(String::as_str), &read);
        let base = Arc::new(Self { entries, runs });
        *known = Some((snapshot.tree.clone(), Arc::clone(&base)));
        Ok(base)
    }

    /// Whether the file, or something below it, is there.
    pub(super) fn has(&self, path: &str) -> bool {
        self.entries.iter().any(|entry| is_protected(&entry.path, path))
    }

    /// What judges, of these paths that differ: `texts` gives both sides of one.
    pub(super) fn run_of<'a>(
        &self,
        differing: impl Iterator<Item = &'a str>,
        texts: &dyn Fn(&str) -> Option<BothSides>,
    ) -> Vec<String> {
        let counts = |path: &&str| match self.runs.get(*path) {
            None => false,
            Some(Part::Whole) => true,
            Some(part) => texts(path).is_none_or(|(before, after)| !part.is_same(&before, &after)),
        };
        differing.filter(counts).map(str::to_owned).collect()
    }

    /// Whether no agent, and no check, may change this path.
    pub(super) fn protects(&self, state: &State, path: &str) -> bool {
        self.runs.contains_key(path) || rules(state).iter().any(|rule| is_protected(path, rule))
    }
}

/// What a file held before, and what it holds now.
pub(super) type BothSides = (Vec<u8>, Vec<u8>);

/// What the configuration names, and the configuration itself: whoever may write down what is allowed need not hide a thing.
pub(super) fn rules(state: &State) -> Vec<String> {
    let own = ["piton.toml", piton_guard::ALLOW_FILE].map(str::to_owned);
    state.config.protect.iter().cloned().chain(own).collect()
}

/// Commands that judge: who changes what they run judges themselves.
fn commands(state: &State) -> Vec<String> {
    let checks = state.config.checks.iter().map(|check| check.command.clone());
    let conditions =
        state.config.stop_probes().into_iter().filter_map(|condition| match condition.probe()? {
            Probe::Runs(command) => Some(command.to_string()),
            _ => None,
        });
    checks.chain(conditions).collect()
}

pub(super) fn failed(error: piton_guard::ReadError) -> WorldError {
    WorldError::Guard { what: error.to_string() }
}
