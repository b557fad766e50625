//! A run at rest that nobody drives: whoever changes it shows and tells what became of it.
//!
//! Views, messages and the command of `--on-done` follow the journal, and a driver sees to them. What is recorded without
//! one is shown and told here: by whoever recorded it, and, where a driver died before it could, by whoever looks next.

use std::time::Duration;

use piton_files::ralph;
use piton_model::{Machine, RunId, State, cycle, workflow};
use piton_store::{Claim, Lease};
use piton_sys::process::RunLimits;
use piton_view::{Client, StateOf};

use super::{ClientError, LocalClient};
use crate::configuration;
use crate::driver_process;
use crate::launch::{Secrets, Surroundings, shell};
use crate::load::Loaded;
use crate::workflow::{is_discarded, telling, view_of};
use crate::world::{self, in_thread, publish_at_rest};

/// What letting go of a run at rest came to.
#[derive(Default)]
pub(super) struct Released {
    /// Work follows that only a driver can do.
    pub(super) work_follows: bool,
    /// What people should know.
    pub(super) notes: Vec<String>,
}

/// How long the command of `--on-done` may take.
const ON_DONE_WITHIN: Duration = Duration::from_secs(60);

impl LocalClient {
    /// Lets go of a run that was changed under `lease`: what it shows is rendered before, and people are told after it.
    pub(super) async fn release_shown(&self, mut lease: Lease) -> Result<Released, ClientError> {
        let run = lease.run.clone();
        let mut released = Released::default();
        let state = loop {
            let loaded = self.load_any(&run, None).await;
            let shown = match &loaded {
                Ok(loaded) => self.show_at_rest(loaded).await,
                Err(_) => Ok(None),
            };
            self.release(lease).await?;
            released.notes.extend(shown?);
            let loaded = loaded?;
            if self.head(&run).await? == loaded.head {
                break loaded.state;
            }
            // Whoever asked for something while the lease was held left it to us, or to whoever holds it by now.
            lease = match self.claim(&run, Claim::IfFree).await {
                Ok(lease) => lease,
                Err(_) => return Ok(released),
            };
            let applied = match &loaded.state {
                StateOf::Loop(_) => self.apply_requests::<State>(&lease).await,
                StateOf::Workflow(_) => self.apply_requests::<workflow::State>(&lease).await,
                StateOf::Cycle(_) => self.apply_requests::<cycle::State>(&lease).await,
                StateOf::Ledger(_) => Ok(false),
            };
            match applied {
                Ok(follows) => released.work_follows |= follows,
                Err(error) => {
                    self.release(lease).await?;
                    return Err(error);
                }
            }
        };
        if let StateOf::Loop(state) = &state
            && let Some(queue) = &state.config.queue
            && state.is_at_rest()
        {
            let _ = self.wake_queue(queue).await;
        }
        // One that goes on wakes it by that.
        if let StateOf::Workflow(state) = &state
            && state.is_at_rest()
            && !self.is_to_go_on(state).await?
        {
            // What cannot be woken now is by `piton resume`.
            let _ = self.wake_outer(&state.run).await;
        }
        self.tell_people(state).await?;
        Ok(released)
    }

    /// Shows and tells what a driver died before it could show or tell. Nothing where somebody drives the run. Returns what
    /// people should know of it.
    pub(crate) async fn catch_up(&self, loaded: &Loaded<StateOf>) -> Result<Vec<String>, ClientError> {
        if !self.is_behind(loaded) {
            return Ok(Vec::new());
        }
        match self.claim(&loaded.state.entry().run_id, Claim::IfFree).await {
            Ok(lease) => Ok(self.release_shown(lease).await?.notes),
            Err(_) => Ok(Vec::new()),
        }
    }

    /// Whether the files of a run do not show where it is, or people do not know how it rests. A file of a loop that somebody
    /// edited or deleted is not behind. A loop's files are rendered at rest only; its driver does so at once when it goes on.
    fn is_behind(&self, loaded: &Loaded<StateOf>) -> bool {
        self.shows_less(loaded) || self.is_untold(&loaded.state)
    }

    /// Whether the files of a run do not show where it is.
    pub(super) fn shows_less(&self, loaded: &Loaded<StateOf>) -> bool {
        let layout = self.layout();
        match &loaded.state {
            StateOf::Loop(state) => {
                let shown = || ralph::published_seq(layout.root(), &state.run);
                state.is_at_rest() && shown().is_some_and(|seq| seq < loaded.head)
            }
            StateOf::Workflow(state) => view_of(layout, &state.run).is_behind(state).unwrap_or(false),
            StateOf::Cycle(state) => crate::cycle::is_behind(layout, state),
            StateOf::Ledger(_) => false,
        }
    }

    /// Renders the views of a run that nobody drives. One that cannot be written is no reason not to go on: the next look tries
    /// again. Returns what was in the way of one, which whoever looks later finds with the driver's notes.
    pub(super) async fn show_at_rest(&self, loaded: &Loaded<StateOf>) -> Result<Option<String>, ClientError> {
        let layout = self.layout();
        match &loaded.state {
            StateOf::Loop(state) if state.is_at_rest() => {
                let views = configuration::views(layout);
                let history = match views.aiwg {
                    true => Some(self.history(&state.run).await?),
                    false => None,
                };
                publish_at_rest(layout, views, state, loaded.head, history);
            }
            // What somebody edited is left for `resume`, which adopts it, while the run is as they saw it; what they deleted
            // is discarded.
            StateOf::Workflow(state) if !is_discarded(layout, state) => {
                let view = view_of(layout, &state.run);
                if view.is_behind(state).unwrap_or(false)
                    && let Ok(Some(moved)) = view.publish(state)
                {
                    driver_process::log::add(layout, &state.run, &moved.to_string());
                    return Ok(Some(format!("note: {moved}")));
                }
            }
            StateOf::Cycle(state) if state.is_at_rest() => {
                return Ok(crate::cycle::publish_at_rest(self, state).await);
            }
            StateOf::Loop(_) | StateOf::Workflow(_) | StateOf::Cycle(_) | StateOf::Ledger(_) => {}
        }
        Ok(None)
    }

    /// Tells people how a run rests, where they do not know. What cannot be sent is reported by nobody: there is no driver
    /// whose notes a person would read.
    async fn tell_people(&self, state: StateOf) -> Result<(), ClientError> {
        if !self.is_untold(&state) {
            return Ok(());
        }
        let (layout, secrets) = (self.layout().clone(), Secrets::of(self.layout().root())?);
        let told = in_thread(move || match &state {
            StateOf::Loop(state) => {
                let (run, config) = (&state.run, state.config.notify.as_ref());
                world::telling::tell_at_rest(&layout, run, config, &**state, secrets.redactor())
            }
            StateOf::Cycle(state) => {
                let (run, config) = (&state.run, state.config.notify.as_ref());
                world::telling::tell_at_rest(&layout, run, config, &**state, secrets.redactor())
            }
            StateOf::Workflow(state) => Ok(telling::tell(&layout, secrets.redactor(), state)),
            StateOf::Ledger(_) => Ok(Vec::new()),
        });
        let _ = told.await;
        Ok(())
    }

    fn is_untold(&self, state: &StateOf) -> bool {
        match state {
            StateOf::Loop(state) => {
                let config = state.config.notify.as_ref();
                state.is_at_rest() && world::telling::is_untold(self.layout(), &state.run, config, &**state)
            }
            StateOf::Cycle(state) => {
                let config = state.config.notify.as_ref();
                state.is_at_rest() && world::telling::is_untold(self.layout(), &state.run, config, &**state)
            }
            StateOf::Workflow(state) => state.is_at_rest() && telling::is_untold(self.layout(), state),
            StateOf::Ledger(_) => false,
        }
    }

    /// A loop or a cycle has come to rest, and perhaps nobody watches: says so to the command that was given. Returns what
    /// went wrong.
    pub async fn tell_on_done(&self, run: &RunId) -> Result<Option<String>, piton_view::Error> {
        let state = self.load_any(run, None).await?.state;
        let (entry, here) = (state.entry(), self.layout());
        let (command, layout, confine, protect, agent) = match state {
            StateOf::Loop(state) => {
                let (layout, config) = (here.of_run(&state.config), state.config);
                (config.on_done, layout, config.confine, config.protect, config.agent)
            }
            StateOf::Cycle(state) => {
                let (layout, agent) = (here.at(state.config.worktree.as_ref()), state.config.developer());
                (state.config.on_done.clone(), layout, state.config.confine, state.config.protect, agent)
            }
            StateOf::Workflow(_) | StateOf::Ledger(_) => return Ok(None),
        };
        let Some(command) = &command else { return Ok(None) };
        let status = serde_json::to_string(&self.status(run).await?.of).expect("a view is plain data");
        let root = here.root();
        // It may run what an agent wrote, where that worked in place.
        let launch = Surroundings::open(run, &layout, confine.as_ref())
            .and_then(Surroundings::closing_git)
            .map(|launch| launch.protecting(&protect));
        let launch = match launch {
            Ok(launch) => launch,
            Err(error) => return Ok(Some(format!("the command of --on-done: {error}"))),
        };
        let ran = launch
            .program(shell(command), root, &agent)
            .env("PITON_STATUS", entry.status.as_str())
            .env("PITON_REASON", entry.reason.map_or("", |reason| reason.as_str()))
            .stdin_bytes(launch.redactor().redact(&status).into_owned().into_bytes())
            .run(RunLimits { deadline: ON_DONE_WITHIN, output_bytes_max: 1 << 20 });
        Ok(match ran {
            Ok(output) if output.success() => None,
            Ok(output) if output.timed_out => {
                Some("the command of --on-done took longer than a minute and was ended".to_owned())
            }
            Ok(output) => Some(format!("the command of --on-done failed: {:?}", output.status)),
            Err(error) => Some(format!("the command of --on-done: {error}")),
        })
    }
}
