//! A trial again: what a finding was seen on is kept beside the journal, so that whoever doubts it can see the same.
//!
//! Only a view: what is kept here may go at any time, and nothing is decided by it. The checks find it again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_guard::{Evidence, Finding, Options, demonstrated};
use piton_model::RunId;
use piton_model::loop_machine::Confine;
use piton_prove::{Account, Check, Outcome, Overlay, Verdict};
use piton_sys::file::{self, Durability};
use serde::{Deserialize, Serialize};

use super::copy::Copy;
use super::{NO_RUN, ProveError, Trials, scratch_of};
use crate::launch::Surroundings;
use crate::layout::Layout;

/// What is larger is not kept.
const BYTES_MAX: u64 = 8 << 20;
/// More are not kept; the oldest go.
const KEPT_MAX: usize = 200;
/// How long a check may take.
const WALL: Duration = Duration::from_secs(15 * 60);

/// What a finding was seen on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The id of the finding.
    pub finding: String,
    /// Its sentence.
    pub message: String,
    /// What was seen.
    pub evidence: Evidence,
    /// The command of the check.
    pub command: String,
    /// The files of the work that differ from its start, as they were then; nothing for one that is gone.
    work: BTreeMap<String, Option<Vec<u8>>>,
    /// Those that were other in the trial.
    trial: BTreeMap<String, Option<Vec<u8>>>,
}

/// What came of a trial that was run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// What was run.
    pub recipe: Recipe,
    /// Whether the check passed; nothing where it was cut off.
    pub passes: Option<bool>,
    /// What it printed.
    pub output: String,
}

/// Keeps what the findings of an account were seen on. What cannot be kept is not there later, and nothing else.
pub(super) fn keep(layout: &Layout, account: &Account, checks: &[Check], work: &Overlay) {
    let Some(place) = place(layout) else { return };
    let findings = demonstrated(account.shown.clone(), &Options::default());
    for (finding, tree) in findings.into_iter().zip(&account.trees) {
        let Some(evidence) = finding.evidence.clone() else { continue };
        let Some(check) = checks.iter().find(|check| check.name == evidence.check) else { continue };
        let recipe = Recipe {
            finding: finding.id.clone(),
            message: finding.sentence(),
            evidence,
            command: check.command.clone(),
            work: work.clone(),
            trial: tree.clone(),
        };
        let bytes = serde_json::to_vec(&recipe).unwrap_or_default();
        let is_small = u64::try_from(bytes.len()).is_ok_and(|length| length <= BYTES_MAX);
        if is_small && file::create_private_dir(&place).is_ok() {
            let _ = file::write_atomic(&place.join(name(&finding.id)), &bytes, Durability::Unsynced);
        }
    }
    forget_old(&place);
}

/// Keeps what one finding was seen on for another as well, which it became a part of.
pub(crate) fn keep_for(layout: &Layout, seen: &str, finding: &Finding) {
    let Some(place) = place(layout) else { return };
    let kept = file::read_regular(&place.join(name(seen)), BYTES_MAX).ok().flatten();
    let Some(recipe) = kept.and_then(|bytes| serde_json::from_slice::<Recipe>(&bytes).ok()) else { return };
    let recipe = Recipe { finding: finding.id.clone(), message: finding.sentence(), ..recipe };
    let bytes = serde_json::to_vec(&recipe).unwrap_or_default();
    let _ = file::write_atomic(&place.join(name(&finding.id)), &bytes, Durability::Unsynced);
}

/// Runs the trial of a finding again, in a copy of the work tree; nothing where none is kept.
pub fn replay(
    layout: &Layout,
    finding: &str,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Option<Replayed>, ProveError> {
    let is_id = finding.len() == 10 && finding.bytes().all(|byte| byte.is_ascii_hexdigit());
    let Some(place) = place(layout).filter(|_| is_id) else { return Ok(None) };
    let kept = file::read_regular(&place.join(name(finding)), BYTES_MAX)?;
    let Some(recipe) = kept.and_then(|bytes| serde_json::from_slice::<Recipe>(&bytes).ok()) else {
        return Ok(None);
    };
    let run = NO_RUN.parse::<RunId>().expect("a name of letters is an id");
    let launch = Surroundings::open(&run, layout, Some(&Confine::default()))?;
    let mut copy = Copy::of(layout.tree(), &scratch_of(layout), Vec::new())?;
    copy.settle(&recipe.work)?;
    copy.change(&recipe.trial)?;
    let trials = Trials { launch: &launch, copy, since: None, done: None, is_cancelled };
    let check = Check {
        name: recipe.evidence.check.clone(),
        command: recipe.command.clone(),
        failed_before: None,
        took_ms: None,
    };
    let wall_ms = u64::try_from(WALL.as_millis()).unwrap_or(u64::MAX);
    let Outcome { verdict, output, .. } = trials.run_as_it_is(&check, wall_ms)?;
    let passes = match verdict {
        Verdict::Green => Some(true),
        Verdict::Red | Verdict::Broken => Some(false),
        Verdict::TimedOut => None,
    };
    Ok(Some(Replayed { recipe, passes, output }))
}

/// Beside the journal, where there is one, else among what programs keep for the user.
fn place(layout: &Layout) -> Option<PathBuf> {
    let state = layout.state();
    if state.is_dir() {
        return Some(state.join("trials"));
    }
    let named = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|place| place.is_absolute());
    let caches = named.or_else(|| std::env::home_dir().map(|home| home.join(".cache")))?;
    Some(caches.join("piton").join("trials"))
}

fn name(finding: &str) -> String {
    format!("{finding}.json")
}

fn forget_old(place: &Path) {
    let entries = place.read_dir().into_iter().flatten().flatten();
    let mut kept: Vec<_> =
        entries.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()))).collect();
    kept.sort();
    let more = kept.len().saturating_sub(KEPT_MAX);
    for (_, path) in kept.into_iter().take(more) {
        let _ = std::fs::remove_file(path);
    }
}
