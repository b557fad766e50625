//! Telling people what becomes of a run, while it is driven.
//!
//! Looks at every state that is published, and never waits: a thread of its own sends. What was sent is kept beside the
//! journal, so that a driver that takes over says nothing twice.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use piton_model::RunId;
use piton_model::notify::Notify;
use piton_notify::send::Means;
use piton_notify::{History, Line, Notifier, Setup, Watched};
use piton_sys::lock::FileLock;
use piton_sys::redact::Redactor;
use piton_sys::{SystemClock, file};

use super::WorldError;
use crate::layout::Layout;

/// How long people are waited for when a driver leaves: a little longer than a channel has.
pub(crate) const PATIENCE: Duration = Duration::from_secs(12);

/// Who tells people; nobody where nobody is to be told.
pub(crate) struct Telling {
    notifier: Option<Notifier>,
    /// Says to others that somebody tells people of this run already.
    _telling: Option<FileLock>,
}

impl Telling {
    /// Who tells people of `run` while it is driven, as its configuration says.
    pub(crate) fn start(
        layout: &Layout,
        run: &RunId,
        config: Option<&Notify>,
        redactor: &Redactor,
    ) -> Result<Self, WorldError> {
        let Some(config) = wanted(config.cloned().or_else(desktop)) else {
            return Ok(Self { notifier: None, _telling: None });
        };
        // A driver before this one may still be at it; what they told is on record.
        let telling = alone(layout, run)?;
        Ok(Self { notifier: Some(notifier(config, layout, run, redactor)?), _telling: telling })
    }

    /// Where others can have people told something.
    pub(crate) fn line(&self) -> Option<Line> {
        self.notifier.as_ref().map(Notifier::line)
    }

    /// The run stands like this now. Returns what went wrong since the last time.
    pub(crate) fn observe(&mut self, state: &impl Watched) -> Vec<String> {
        let Some(notifier) = &mut self.notifier else { return Vec::new() };
        notifier.observe(state);
        notifier.problems()
    }

    /// Sends what still waits, and ends.
    pub(crate) fn close(self) -> Vec<String> {
        self.notifier.map_or_else(Vec::new, |notifier| notifier.close(PATIENCE))
    }
}

/// Tells people what is new of a run that rests and that nobody drives; nothing where somebody is at it. Returns what went
/// wrong.
pub(crate) fn tell_at_rest(
    layout: &Layout,
    run: &RunId,
    config: Option<&Notify>,
    state: &impl Watched,
    redactor: &Redactor,
) -> Result<Vec<String>, WorldError> {
    let Some(wanted) = wanted(config.cloned()) else { return Ok(Vec::new()) };
    // Whoever was faster may have told it by now.
    let alone = alone(layout, run)?.filter(|_| is_untold(layout, run, config, state));
    let Some(_telling) = alone else { return Ok(Vec::new()) };
    let mut notifier = notifier(wanted, layout, run, redactor)?;
    notifier.observe(state);
    Ok(notifier.close(PATIENCE))
}

/// Whether there is something that people are to be told of a run, and nobody did. A desktop that nobody asked for is not
/// told later.
pub(crate) fn is_untold(layout: &Layout, run: &RunId, config: Option<&Notify>, state: &impl Watched) -> bool {
    let repository = layout.root().file_name().unwrap_or_default().to_string_lossy();
    let is_new = || History::load(&layout.told(run)).is_behind(&state.seen(&repository));
    wanted(config.cloned()).is_some() && is_new()
}

fn wanted(config: Option<Notify>) -> Option<Notify> {
    config.filter(|config| !(config.channels.is_empty() || config.on.is_empty()))
}

/// What is held while somebody tells people of this run.
pub(crate) fn lock_of(layout: &Layout, run: &RunId) -> PathBuf {
    layout.told(run).with_extension("lock")
}

/// The right to tell people of this run; `None` where somebody is at it.
pub(crate) fn alone(layout: &Layout, run: &RunId) -> Result<Option<FileLock>, WorldError> {
    let lock = lock_of(layout, run);
    file::create_private_dir(lock.parent().expect("a file lies in a directory"))?;
    Ok(FileLock::try_exclusive(&lock)?)
}

/// Who tells people of a run, whatever its kind, as its configuration says.
pub(crate) fn notifier(
    config: Notify,
    layout: &Layout,
    run: &RunId,
    redactor: &Redactor,
) -> Result<Notifier, WorldError> {
    let history = layout.told(run);
    file::create_private_dir(history.parent().expect("a file lies in a directory"))?;
    let setup = Setup {
        config,
        means: Means { redactor: redactor.clone(), ..Means::of_this_machine(layout.root()) },
        history,
        repository: layout.root().file_name().unwrap_or_default().to_string_lossy().into_owned(),
        clock: Arc::new(SystemClock),
        zone: piton_notify::zone_of_this_machine(),
    };
    Notifier::start(setup).map_err(WorldError::Telling)
}

/// Where nobody said anything about it, a desktop is told, if there is one.
fn desktop() -> Option<Notify> {
    let there = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    there.then(Notify::default)
}
