//! Telling people what becomes of a run, while it is driven.
//!
//! Looks at every state that is published, and never waits: a thread of its own sends. What was sent is kept beside the
//! journal, so that a driver that takes over says nothing twice.

use std::sync::Arc;
use std::time::Duration;

use piton_model::notify::Notify;
use piton_model::{RunId, State};
use piton_notify::send::Means;
use piton_notify::{Line, Notifier, Setup};
use piton_sys::redact::Redactor;
use piton_sys::{SystemClock, file};

use super::WorldError;
use crate::layout::Layout;

/// How long people are waited for when a driver leaves: a little longer than a channel has.
pub(crate) const PATIENCE: Duration = Duration::from_secs(12);

/// Who tells people; nobody where nobody is to be told.
pub(super) struct Telling {
    notifier: Option<Notifier>,
}

impl Telling {
    pub(super) fn start(layout: &Layout, state: &State, redactor: &Redactor) -> Result<Self, WorldError> {
        let Some(config) = state.config.notify.clone().or_else(desktop) else {
            return Ok(Self { notifier: None });
        };
        if config.channels.is_empty() || config.on.is_empty() {
            return Ok(Self { notifier: None });
        }
        Ok(Self { notifier: Some(notifier(config, layout, &state.run, redactor)?) })
    }

    /// Where others can have people told something.
    pub(super) fn line(&self) -> Option<Line> {
        self.notifier.as_ref().map(Notifier::line)
    }

    /// The run stands like this now. Returns what went wrong since the last time.
    pub(super) fn observe(&mut self, state: &State) -> Vec<String> {
        let Some(notifier) = &mut self.notifier else { return Vec::new() };
        notifier.observe(state);
        notifier.problems()
    }

    /// Sends what still waits, and ends.
    pub(super) fn close(self) -> Vec<String> {
        self.notifier.map_or_else(Vec::new, |notifier| notifier.close(PATIENCE))
    }
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
