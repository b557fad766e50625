//! The state of a loop for programs: what `.ralph/state.json` holds, read, asked for and saved from Rust.
//!
//! A [`StateManager`] offers what such a manager is expected to offer: initialize, get, save, backup, a dirty flag, clear,
//! auto-save, and values of one's own. What it does not offer is a mutable state. The file is a view of the journal:
//! a field that somebody set in memory would be gone with the next event, or would contradict the record of what
//! happened. So there is no `update_session`, `update_progress` or `update_tests`: sessions, progress and verdicts are facts
//! of the driver that saw them. What can be asked of a run is a request, and is called what it asks for; it is durable when
//! the call returns.

use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_files::ralph::{self, PersistedLoopState};
use piton_model::loop_machine::{Adoption, LoopConfig, Raise, create};
use piton_model::{Kind, RunId, State, StopOrigin, exit_code};
use piton_store::Claim;
use piton_sys::file;
use piton_view::Request;
use serde_json::Value;

use crate::client::{ClientError, LocalClient};
use crate::layout::Layout;
use crate::workflow::cleanup;
use crate::world::{Covered, WorldError, open_workspace, republish, telling, unpublish, view_bytes};

/// Why a manager cannot do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum ManagerError {
    /// The journal, or the run, says no.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The file system or git says no.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The run cannot be begun like this.
    #[error(transparent)]
    Rejected(#[from] piton_model::Rejection),
    /// A process of the run could not be ended.
    #[error(transparent)]
    Agent(#[from] piton_agent::Error),
    /// The run is under way.
    #[error("run `{run}` is {status}; stop it first")]
    UnderWay {
        /// The id that was asked for.
        run: RunId,
        /// Where it is.
        status: &'static str,
    },
}

impl From<piton_store::Error> for ManagerError {
    fn from(error: piton_store::Error) -> Self {
        ManagerError::Client(error.into())
    }
}

/// What can be asked of where a run is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CoreUpdate {
    /// Rest after the work that is open.
    Pause,
    /// Go on, with limits raised.
    Resume(Raise),
    /// Stop after the work that is open, or now.
    Stop {
        /// Kill a living agent.
        now: bool,
    },
    /// Give up the iteration under way.
    Skip,
}

/// The state of one loop.
pub struct StateManager {
    client: LocalClient,
    run: RunId,
}

impl StateManager {
    /// The manager of `run` in the repository at `root`. A run that is not there yet is begun with `config`, and goes on
    /// with what another tool left, if that is given; nothing is started. One that is there keeps its configuration.
    pub async fn initialize(
        root: &Path,
        run: RunId,
        title: &str,
        config: LoopConfig,
        adoption: Option<Adoption>,
    ) -> Result<Self, ManagerError> {
        let layout = Layout::new(root.to_owned());
        let client = LocalClient::create_when_needed(layout);
        if client.load_if_there::<State>(&run).await?.is_none() {
            client.create_loop(create(run.clone(), title, config)?, adoption).await?;
        }
        Ok(Self { client, run })
    }

    /// The run.
    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// The whole state, as the journal has it.
    pub async fn state(&self) -> Result<State, ManagerError> {
        Ok(self.client.load::<State>(&self.run, None).await?.state)
    }

    /// The state as the file shows it, rendered from the journal now.
    pub async fn get(&self) -> Result<PersistedLoopState, ManagerError> {
        let loaded = self.client.load::<State>(&self.run, None).await?;
        let bytes = view_bytes(self.client.layout(), &loaded.state, loaded.head);
        Ok(ralph::parse(&bytes).expect("what was rendered can be read"))
    }

    /// Asks something of where the run is.
    pub async fn update_core(&self, update: CoreUpdate) -> Result<(), ManagerError> {
        self.request(match update {
            CoreUpdate::Pause => Request::Pause,
            CoreUpdate::Resume(raise) => Request::Resume(raise),
            CoreUpdate::Stop { now } => Request::Stop { now, origin: StopOrigin::Command },
            CoreUpdate::Skip => Request::Skip,
        })
        .await
    }

    /// Asks for a fresh session with the next attempt.
    pub async fn reboot_session(&self) -> Result<(), ManagerError> {
        self.request(Request::Reboot).await
    }

    /// Says that `iteration` is the one to keep, and why; 0 takes that back.
    pub async fn prefer_iteration(&self, iteration: u32, reason: String) -> Result<(), ManagerError> {
        self.request(Request::Choose { iteration, reason }).await
    }

    /// Notes something worth remembering; the next prompt holds it.
    pub async fn add_note(&self, text: String) -> Result<(), ManagerError> {
        self.request(Request::Note { text, set: Default::default() }).await
    }

    /// Says whether a finding of the guard is a false alarm.
    pub async fn mark_finding(&self, finding: String, false_positive: bool) -> Result<(), ManagerError> {
        self.request(Request::Mark { finding, false_positive }).await
    }

    /// Keeps a value with the run; `null` forgets it.
    pub async fn update_custom(&self, key: &str, value: Value) -> Result<(), ManagerError> {
        self.request(Request::Note { text: String::new(), set: [(key.to_owned(), value)].into() }).await
    }

    async fn request(&self, request: Request) -> Result<(), ManagerError> {
        Ok(self.client.record(&self.run, request).await?)
    }

    /// Whether something happened that the file does not show yet.
    pub async fn is_dirty(&self) -> Result<bool, ManagerError> {
        let now = self.get().await?;
        let layout = self.client.layout();
        let shown = match Covered::of(layout) {
            Some(covered) => covered.read(layout, &self.run),
            None => ralph::read(layout.root(), &self.run),
        };
        // When it was saved is not part of what is shown.
        Ok(shown.is_none_or(|shown| PersistedLoopState { saved_at: now.saved_at, ..shown } != now))
    }

    /// Renders the file. Returns where it is.
    pub async fn save(&self) -> Result<PathBuf, ManagerError> {
        let loaded = self.client.load::<State>(&self.run, None).await?;
        let layout = self.client.layout();
        let written = republish(layout, &loaded.state, loaded.head, None)?.written;
        Ok(PathBuf::from(&written[0]))
    }

    /// Saves, and keeps a copy among the backups, of which the ten newest stay. Returns where it is.
    pub async fn backup(&self) -> Result<PathBuf, ManagerError> {
        let saved = self.save().await?;
        let kept = ralph::keep_copy(self.client.layout().root(), &self.run).map_err(WorldError::from)?;
        // One that is encrypted has no copies of its own: backups of the journal hold what it says.
        Ok(kept.unwrap_or(saved))
    }

    /// Saves every `interval` where something is new, until the run has come to its end; the first time after the
    /// first interval. Run it beside other work, and drop it to end it.
    pub async fn auto_save(&self, interval: Duration) -> Result<(), ManagerError> {
        loop {
            tokio::time::sleep(interval).await;
            if self.is_dirty().await? {
                self.save().await?;
            }
            let state = self.state().await?;
            if exit_code(state.status, state.reason).is_some() {
                return Ok(());
            }
        }
    }

    /// Forgets the run: its events, attempts, snapshots, files and backups.
    pub async fn clear(self) -> Result<(), ManagerError> {
        let state = self.state().await?;
        let driven = self.client.driver_of(&self.run).await?.is_some();
        if driven || (state.driver.is_some() && exit_code(state.status, state.reason).is_none()) {
            return Err(ManagerError::UnderWay { run: self.run, status: state.status.as_str() });
        }
        forget(&self.client, &self.run).await
    }
}

/// Removes everything of a run that nobody drives.
pub async fn forget(client: &LocalClient, run: &RunId) -> Result<(), ManagerError> {
    let lease = client.claim(run, Claim::IfFree).await?;
    let layout = client.layout();
    let attempts = layout.attempts(run);
    end_what_lives(&attempts)?;
    // Traces first, the journal last: an interrupted removal can be repeated.
    open_workspace(layout, run)?.forget(run.as_str()).map_err(WorldError::from)?;
    file::remove_tree_within(layout.root(), &attempts).map_err(WorldError::from)?;
    unpublish(layout, run)?;
    if client.kind(run).await? == Kind::Workflow {
        cleanup::remove(layout, run).map_err(WorldError::from)?;
    }
    for told in [layout.told(run), telling::lock_of(layout, run)] {
        file::remove_file_if_exists(&told).map_err(WorldError::from)?;
    }
    client.store()?.remove(lease).await?;
    Ok(())
}

fn end_what_lives(attempts: &Path) -> Result<(), ManagerError> {
    let Ok(listing) = std::fs::read_dir(attempts) else { return Ok(()) };
    for entry in listing.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        if let Ok(piton_agent::Found::Alive { .. }) = piton_agent::look(attempts, &name) {
            piton_agent::cancel(attempts, &name)?;
            piton_agent::wait(attempts, &name)?;
        }
    }
    Ok(())
}
