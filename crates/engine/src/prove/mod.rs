//! Trials: a check on a tree that was made for it, between walls, and gone afterwards.
//!
//! [`piton_prove`] says what to try and what it means; here a copy of the work tree is made ([`copy`]), stands in the place of the
//! work tree between walls, and has the check run in it. So a virtual environment and a warm build are found where they
//! think they are, and nothing that a trial does reaches the work tree.
//!
//! A trial is no attempt: no keeper holds it, and it ends with whoever asked for it. What was killed in the middle is asked for again, or
//! not; in a run, what had ended by then is known ([`done`]).

mod copy;
mod done;
mod replay;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

pub use done::Done;
use piton_guard::{ReadError, Tree};
use piton_model::RunId;
use piton_model::loop_machine::Confine;
pub use piton_prove::{Account, Asked, Check, Depth};
use piton_prove::{Change, Outcome, Overlay, Runner, Verdict};
use piton_sys::process::{self, RunLimits};
use piton_sys::{Clock, SystemClock, file};
pub(crate) use replay::keep_for;
pub use replay::{Recipe, Replayed, replay};

use crate::launch::{LaunchError, Surroundings};
use crate::layout::Layout;
use copy::Copy;

/// What is kept of what a check prints in a trial.
const OUTPUT_BYTES_MAX: usize = 16 << 20;

/// The name of what is tried without a run.
const NO_RUN: &str = "guard";

/// Why nothing could be tried.
#[derive(Debug, thiserror::Error)]
pub enum ProveError {
    /// The trees cannot be read.
    #[error("failed to read what changed")]
    Read(#[source] ReadError),
    /// There can be no walls here, so a trial might reach the work tree.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// There can be no copy of the work tree.
    #[error("no trials: {why}")]
    NoCopy {
        /// What stands in the way.
        why: String,
    },
    /// A file of the copy cannot be written.
    #[error(transparent)]
    File(#[from] file::Error),
    /// A check cannot be started.
    #[error(transparent)]
    Program(#[from] process::Error),
    /// Somebody wants it ended.
    #[error("stopped")]
    Cancelled,
}

/// Two trees, and where the second one's work tree is.
pub struct Subject<'a> {
    /// Where things lie: its tree is copied, and holds the second tree, or nearly so.
    pub layout: &'a Layout,
    /// The old tree.
    pub base: &'a dyn Tree,
    /// The new tree.
    pub head: &'a dyn Tree,
    /// What is on disk, where that is not the new tree.
    pub disk: Option<&'a dyn Tree>,
    /// When the work began, where that is known: what git ignores and is newer may be a part of it.
    pub since: Option<SystemTime>,
    /// Where trials are kept that ended, for whoever begins the same anew.
    pub done: Option<&'a Done>,
}

/// Whether there can be trials here; what stands in the way otherwise.
pub fn available(layout: &Layout) -> Result<(), String> {
    crate::launch::walls::available(layout, false)
}

/// Tries a change, in a copy below `scratch`.
pub fn prove(
    subject: &Subject<'_>,
    asked: &Asked,
    scratch: &Path,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Account, ProveError> {
    // Most iterations end here: listing both trees, and walls, would cost more than everything else of theirs.
    let alone = Change::without_code(subject.base, subject.head).map_err(ProveError::Read)?;
    if alone.is_some_and(|change| !piton_prove::is_due(&change, asked)) {
        return Ok(Account::default());
    }
    let run = NO_RUN.parse::<RunId>().expect("a name of letters is an id");
    let launch = Surroundings::open(&run, subject.layout, Some(&Confine::default()))?;
    prove_in(&launch, subject, asked, scratch, is_cancelled)
}

/// The same, as the surroundings of a run have it.
pub(crate) fn prove_in(
    launch: &Surroundings,
    subject: &Subject<'_>,
    asked: &Asked,
    scratch: &Path,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Account, ProveError> {
    let change = Change::of(subject.base, subject.head).map_err(ProveError::Read)?;
    if !piton_prove::is_due(&change, asked) {
        return Ok(Account::default());
    }
    let files = subject.head.entries().map_err(ProveError::Read)?;
    let files = files.into_iter().map(|entry| entry.path).collect();
    let mut copy = Copy::of(subject.layout.tree(), scratch, files)?;
    if let Some(disk) = subject.disk {
        let behind = Change::of(disk, subject.head).map_err(ProveError::Read)?;
        copy.settle(&behind.files.into_iter().map(|file| (file.path, file.after)).collect())?;
    }
    let mut trials = Trials { launch, copy, since: subject.since, done: subject.done, is_cancelled };
    let account = piton_prove::prove(&change, asked, &mut trials)?;
    let work = change.files.into_iter().map(|file| (file.path, file.after)).collect();
    replay::keep(subject.layout, &account, &asked.checks, &work);
    Ok(account)
}

/// Where trials are run.
struct Trials<'a> {
    launch: &'a Surroundings,
    copy: Copy,
    since: Option<SystemTime>,
    done: Option<&'a Done>,
    is_cancelled: &'a dyn Fn() -> bool,
}

impl Runner for Trials<'_> {
    type Error = ProveError;

    fn run(&mut self, check: &Check, tree: &Overlay, wall_ms: u64) -> Result<Outcome, ProveError> {
        let place = self.done.map(|done| done.ask(check, tree, false));
        if let Some((known, _)) = place.as_deref().and_then(Done::known) {
            return Ok(known);
        }
        self.copy.change(tree)?;
        let came = self.run_as_it_is(check, wall_ms);
        self.copy.put_back()?;
        let came = came?;
        keep(place.as_deref(), &came, None);
        Ok(came)
    }

    fn run_without_what_is_new(
        &mut self,
        check: &Check,
        tree: &Overlay,
        wall_ms: u64,
    ) -> Result<Option<(Outcome, Vec<String>)>, ProveError> {
        let place = self.done.map(|done| done.ask(check, tree, true));
        if let Some((known, Some(gone))) = place.as_deref().and_then(Done::known) {
            return Ok(Some((known, gone)));
        }
        self.copy.change(tree)?;
        let came: Result<_, ProveError> =
            self.copy.without_what_is_new(self.since, |gone| match gone.is_empty() {
                true => Ok(None),
                false => Ok(Some((self.run_as_it_is(check, wall_ms)?, gone.to_vec()))),
            })?;
        self.copy.put_back()?;
        let came = came?;
        if let Some((outcome, gone)) = &came {
            keep(place.as_deref(), outcome, Some(gone.clone()));
        }
        Ok(came)
    }
}

/// Puts down what came of a trial, where it came to its end.
fn keep(place: Option<&Path>, came: &Outcome, without: Option<Vec<String>>) {
    if let Some(place) = place.filter(|_| came.verdict != Verdict::TimedOut) {
        Done::keep(place, came.verdict == Verdict::Green, came, without);
    }
}

impl Trials<'_> {
    fn run_as_it_is(&self, check: &Check, wall_ms: u64) -> Result<Outcome, ProveError> {
        let program = self.launch.trial(&check.command, self.copy.place());
        let limits =
            RunLimits { deadline: Duration::from_millis(wall_ms), output_bytes_max: OUTPUT_BYTES_MAX };
        let begin = SystemClock.monotonic();
        let ended = program.run_unless(limits, self.is_cancelled);
        let took_ms = u64::try_from((SystemClock.monotonic() - begin).as_millis()).unwrap_or(u64::MAX);
        match ended {
            Ok(ended) if ended.cancelled => Err(ProveError::Cancelled),
            Ok(ended) => {
                let printed = [&ended.stdout[..], b"\n", &ended.stderr[..]].concat();
                let printed = self.launch.redactor().redact(&String::from_utf8_lossy(&printed)).into_owned();
                Ok(Outcome::read(ended.success(), ended.timed_out, printed, took_ms))
            }
            // It says nothing that could be read to its end.
            Err(process::Error::OutputTooLarge { .. }) => {
                Ok(Outcome::read(false, true, String::new(), took_ms))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Where the copies of a repository's trees are made: beside its journal where it has one, else where temporary things are.
pub fn scratch_of(layout: &Layout) -> PathBuf {
    let state = layout.state();
    match state.is_dir() {
        true => state.join("scratch"),
        false => std::env::temp_dir(),
    }
}
