//! The brief of a run: written before an attempt starts, and again when a person wants something of it.

use std::path::Path;

use piton_model::State;
use piton_model::loop_machine::{Check, Open};
use piton_sys::file::{self, Durability};
use piton_view::{Brief, BriefCheck, Signal};

use super::prompt;
use crate::keys;
use crate::layout::Layout;

/// A brief that is larger was not written by us.
const BRIEF_BYTES_MAX: u64 = 8 << 20;

/// Keeps the brief of the attempt that is open up to date.
#[derive(Default)]
pub(super) struct Briefing {
    /// What the last brief said that can change while an agent works.
    said: Option<(Signal, usize)>,
}

impl Briefing {
    pub(super) fn keep(&mut self, layout: &Layout, state: &State) {
        let Some(Open::Attempt(_)) = &state.work.open else {
            self.said = None;
            return;
        };
        let now = (signal(state), state.people.told.len());
        // Also for an agent that was found again: somebody may have asked while nobody drove. One that cannot be
        // written is tried again.
        if self.said.is_none() {
            // What earlier attempts left has been looked at by now.
            keys::cover::attempts(layout, &state.run, Some(&state.work.attempt.to_string()));
        }
        if self.said != Some(now) && write(layout, state).is_ok() {
            self.said = Some(now);
        }
    }
}

/// Writes the brief of a run.
pub(super) fn write(layout: &Layout, state: &State) -> Result<(), file::Error> {
    write_to(&layout.brief(&state.run), &of(layout, state))
}

/// Puts a brief at its place.
pub(crate) fn write_to(path: &Path, brief: &Brief) -> Result<(), file::Error> {
    let mut bytes = serde_json::to_vec_pretty(brief).expect("a brief has string keys");
    bytes.push(b'\n');
    file::write_atomic(path, &bytes, Durability::Unsynced)
}

/// What the agents of a run can know of it.
pub fn of(layout: &Layout, state: &State) -> Brief {
    let layout = layout.of_run(&state.config);
    Brief {
        run_id: state.run.clone(),
        tree: layout.tree().to_owned(),
        // A prompt file that is gone fails the attempt; here it is only missed.
        task: prompt::of_state(state, layout.tree()).unwrap_or_default().text,
        iteration: state.work.iteration,
        iterations_max: state.config.limits.iterations,
        signal: signal(state),
        told: state.people.told.iter().map(|told| told.text.clone()).collect(),
        checks: state.config.checks.iter().map(|check| check_of(check, state)).collect(),
        objectives: state.memory.objectives.clone(),
        notes: state.standing_notes().cloned().collect(),
        protect: state.config.protect.clone(),
    }
}

fn signal(state: &State) -> Signal {
    match (&state.requests.stop, state.requests.pause) {
        (Some(_), _) => Signal::Stop,
        (None, true) => Signal::Pause,
        (None, false) => Signal::GoOn,
    }
}

fn check_of(check: &Check, state: &State) -> BriefCheck {
    let last = state.seen.checks.as_ref().or(state.seen.baseline.as_ref());
    let verdict = last.and_then(|round| round.checks.iter().find(|verdict| verdict.name == check.name));
    BriefCheck {
        name: check.name.clone(),
        command: check.command.clone(),
        timeout_ms: check.timeout_ms,
        cheap: check.cheap,
        passed: verdict.map(|verdict| verdict.passed),
        tail: verdict.map(|verdict| verdict.tail.clone()).unwrap_or_default(),
    }
}

/// Why there is no brief.
#[derive(Debug, thiserror::Error)]
pub enum BriefError {
    /// The file system said no.
    #[error(transparent)]
    File(#[from] file::Error),
    /// There is none.
    #[error("there is no brief at `{path}`")]
    Missing {
        /// Where it was looked for.
        path: String,
    },
    /// It was not written by this piton.
    #[error("the brief at `{path}` cannot be read")]
    Damaged {
        /// Where it is.
        path: String,
        /// What the parser said.
        source: serde_json::Error,
    },
}

/// Reads the brief at `path`.
pub fn read(path: &std::path::Path) -> Result<Brief, BriefError> {
    let name = || path.display().to_string();
    let bytes =
        file::read_regular(path, BRIEF_BYTES_MAX)?.ok_or_else(|| BriefError::Missing { path: name() })?;
    serde_json::from_slice(&bytes).map_err(|source| BriefError::Damaged { path: name(), source })
}
