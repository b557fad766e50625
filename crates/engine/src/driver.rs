//! The shell around [`Core`]: feeds it what happens and carries out what it wants.
//!
//! Runs on a current-thread runtime, so that an append commits in this very thread. Everything that
//! touches the world is behind [`World`]; the benchmark brings one whose work is nothing.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use piton_model::{Machine, RunEvent, RunId, Seq, State, StopOrigin, Timestamp};
use piton_store::{Append, Claim, Error, Expect, Fence, Lease, Store};
use piton_sys::{Clock, Ids, SystemClock, SystemIds};

use crate::core::{Action, Core, Input, Leave, Planned};
use crate::load::{self, LoadError};

/// How often the journal is asked for what others appended.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How long a full disk is waited for before the driver leaves.
const NO_SPACE_PATIENCE: Duration = Duration::from_secs(60);

/// Between two tries on a full disk.
const NO_SPACE_PAUSE: Duration = Duration::from_millis(500);

/// What a driver of one kind of run acts on.
pub trait World<M: Machine = State> {
    /// What is found by whoever takes over a run in this state, for its machine to hear.
    fn found(&self, _state: &M) -> Vec<M::Command> {
        Vec::new()
    }

    /// Performs the work or finds out what became of it, and says so as a command.
    ///
    /// May answer with something else that it saw: the work is then asked for again.
    fn perform(
        &self,
        effect: &M::Effect,
        fresh: bool,
        state: &M,
    ) -> impl Future<Output = M::Command> + 'static;

    /// Ends work that is performed; its outcome still follows from [`World::perform`].
    fn cancel(&self, effect: &M::Effect);

    /// Renders a state that readers of the views are promised to see, and that more has followed already.
    fn show(&self, _moment: &M) {}

    /// Completes when the last of those was there for long enough to be seen.
    fn shown(&self) -> impl Future<Output = ()> {
        std::future::ready(())
    }

    /// The state changed: views may be rendered. Never on the path of a step unless `at_rest`.
    fn publish(&self, state: &M, head: Seq, at_rest: bool);

    /// Completes when a person interrupts the driver: `false` at first, `true` when it must be now.
    fn interrupted(&self) -> impl Future<Output = bool>;
}

/// Why a driver could not go on. The run is intact.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// The journal said no.
    #[error(transparent)]
    Store(#[from] Error),
    /// The run could not be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// Who drives, for the record.
#[derive(Clone, Debug)]
pub struct Driver {
    /// The process, as the lease names it.
    pub holder: piton_store::Holder,
    /// This piton.
    pub version: String,
}

/// How long a lease is waited for that somebody holds only for a moment, to look or to record something.
const SHORT_LEASE: Duration = Duration::from_secs(2);

/// Takes a free lease. One that is held is waited for a moment: others take it for one look.
pub async fn claim_soon(store: &dyn Store, run: &RunId, holder: piton_store::Holder) -> Result<Lease, Error> {
    let mut left = SHORT_LEASE;
    loop {
        match store.claim(run, holder.clone(), Claim::IfFree).await {
            Err(Error::Held { .. }) if !left.is_zero() => {
                tokio::time::sleep(LOOK_EVERY).await;
                left = left.saturating_sub(LOOK_EVERY);
            }
            claimed => return claimed,
        }
    }
}

/// Drives a run under its lease until it rests.
pub async fn drive<M: Machine, W: World<M>>(
    store: &dyn Store,
    world: &W,
    mut lease: Lease,
    driver: Driver,
) -> Result<Leave, DriveError> {
    let run = &lease.run.clone();
    loop {
        let (leave, head) = drive_leased(store, world, &lease, driver.clone()).await?;
        if leave == Leave::Fenced {
            return Ok(leave);
        }
        store.settle(run).await?;
        store.release(lease).await?;
        // Whoever asked for something while the lease was still held left it to us.
        if store.row(run).await?.head.seq == head {
            return Ok(leave);
        }
        lease = match claim_soon(store, run, driver.holder.clone()).await {
            Ok(lease) => lease,
            Err(Error::Held { .. }) => return Ok(leave),
            Err(error) => return Err(error.into()),
        };
    }
}

async fn drive_leased<M: Machine, W: World<M>>(
    store: &dyn Store,
    world: &W,
    lease: &Lease,
    driver: Driver,
) -> Result<(Leave, Seq), DriveError> {
    let loaded = load::load::<M>(store, &lease.run).await?;
    let place = piton_model::loop_machine::Place {
        host: driver.holder.host,
        boot: driver.holder.process.boot_id,
        pid: driver.holder.process.pid,
    };
    let begin = M::drive(lease.epoch, place, driver.version);
    let found = world.found(&loaded.state);
    let begins = std::iter::once(begin).chain(found).map(Input::Begin).collect();
    let core = Core::new(loaded.state, loaded.head, lease.epoch, loaded.tail_bytes, loaded.checkpoint_bytes);
    let mut shell = Shell {
        store,
        world,
        run: &lease.run,
        core,
        inputs: begins,
        performing: Vec::new(),
        wake_at: None,
        revision: store.revision().await?,
    };
    let leave = shell.run().await?;
    Ok((leave, shell.core.head()))
}

type Performing<M> = Pin<Box<dyn Future<Output = <M as Machine>::Command>>>;

struct Shell<'a, M: Machine, W> {
    store: &'a dyn Store,
    world: &'a W,
    run: &'a RunId,
    core: Core<M>,
    inputs: VecDeque<Input<M>>,
    performing: Vec<(M::Effect, Performing<M>)>,
    wake_at: Option<Timestamp>,
    revision: u64,
}

impl<M: Machine, W: World<M>> Shell<'_, M, W> {
    async fn run(&mut self) -> Result<Leave, DriveError> {
        loop {
            while let Some(input) = self.inputs.pop_front() {
                for action in self.core.step(input, SystemClock.now()) {
                    if let Some(leave) = self.carry_out(action).await? {
                        return Ok(leave);
                    }
                }
                // What others asked for while work goes on is for the worker to see, too.
                if !self.performing.is_empty() {
                    self.world.publish(self.core.state(), self.core.head(), false);
                }
            }
            // Work that is done at once must not keep the other runs of this process from theirs.
            tokio::task::yield_now().await;
            self.wait().await?;
        }
    }

    async fn carry_out(&mut self, action: Action<M>) -> Result<Option<Leave>, DriveError> {
        match action {
            Action::Append(planned) => {
                let answer = self.append(planned).await?;
                self.inputs.push_back(answer);
            }
            Action::Show(moment) => {
                self.world.shown().await;
                self.world.show(&moment);
            }
            Action::ReadOn(from) => self.read_on(from).await?,
            Action::Perform { effect, fresh } => {
                self.world.publish(self.core.state(), self.core.head(), false);
                let outcome = self.world.perform(&effect, fresh, self.core.state());
                self.performing.push((effect, Box::pin(outcome)));
            }
            Action::Cancel(effect) => self.world.cancel(&effect),
            Action::Drop(effect) => self.performing.retain(|(performing, _)| *performing != effect),
            Action::WakeAt(at) => {
                self.world.publish(self.core.state(), self.core.head(), false);
                self.wake_at = Some(at);
            }
            Action::Leave(leave) => {
                if leave == Leave::AtRest {
                    self.world.shown().await;
                    self.world.publish(self.core.state(), self.core.head(), true);
                }
                return Ok(Some(leave));
            }
        }
        Ok(None)
    }

    async fn append(&self, planned: Planned) -> Result<Input<M>, DriveError> {
        let append = Append {
            run: self.run.clone(),
            fence: Fence::Epoch(self.core.epoch()),
            expect: Expect::Seq(planned.expect),
            at: planned.at,
            events: planned.events,
            entry: Some(planned.entry),
            checkpoint: planned.checkpoint,
            salt: SystemIds.bytes(),
        };
        match append_patiently(self.store, append).await {
            Ok(_) => Ok(Input::Appended),
            Err(Error::Conflict { .. }) => Ok(Input::Conflicted),
            Err(Error::Fenced { .. }) => Ok(Input::Fenced),
            Err(error) => Err(error.into()),
        }
    }

    async fn read_on(&mut self, from: Seq) -> Result<(), DriveError> {
        let stored = self.store.read(self.run, from, usize::MAX).await?;
        self.inputs.push_back(Input::Seen(load::decode_all(self.run, &stored)?));
        Ok(())
    }

    /// Sleeps until something happens, then turns it into inputs.
    async fn wait(&mut self) -> Result<(), DriveError> {
        let world = self.world;
        let look = match self.wake_at {
            Some(at) => LOOK_EVERY.min(Duration::from_millis(at.millis_since(SystemClock.now()))),
            None => LOOK_EVERY,
        };
        let performing = next_outcomes::<M>(&mut self.performing);
        tokio::select! {
            biased;
            outcomes = performing => {
                self.inputs.push_back(Input::Outcomes(outcomes));
                return Ok(());
            }
            now = world.interrupted() => {
                let request = M::Event::stop_requested(now, StopOrigin::Interrupt);
                request_stop::<M>(self.store, self.run, request).await?;
            }
            () = tokio::time::sleep(look) => {
                // An agent may work for long: what was too early to be shown when it began is due by now.
                if !self.performing.is_empty() {
                    world.publish(self.core.state(), self.core.head(), false);
                }
            }
        }
        self.look_around().await
    }

    async fn look_around(&mut self) -> Result<(), DriveError> {
        if self.wake_at.is_some_and(|at| at <= SystemClock.now()) {
            self.wake_at = None;
            self.inputs.push_back(Input::Woken);
        }
        let revision = self.store.revision().await?;
        if revision != self.revision {
            self.revision = revision;
            self.read_on(self.core.head() + 1).await?;
        }
        Ok(())
    }
}

/// Whichever pieces of work end first; those that have ended by now come together.
async fn next_outcomes<M: Machine>(
    performing: &mut Vec<(M::Effect, Performing<M>)>,
) -> Vec<(M::Effect, M::Command)> {
    std::future::poll_fn(|context| {
        let mut ended = Vec::new();
        performing.retain_mut(|(effect, work)| match work.as_mut().poll(context) {
            Poll::Ready(command) => {
                ended.push((effect.clone(), command));
                false
            }
            Poll::Pending => true,
        });
        if ended.is_empty() { Poll::Pending } else { Poll::Ready(ended) }
    })
    .await
}

async fn request_stop<M: Machine>(
    store: &dyn Store,
    run: &RunId,
    request: M::Event,
) -> Result<(), DriveError> {
    let append = Append {
        run: run.clone(),
        fence: Fence::Request(SystemIds.bytes()),
        expect: Expect::Any,
        at: SystemClock.now(),
        events: vec![request.encode()],
        entry: None,
        checkpoint: None,
        salt: SystemIds.bytes(),
    };
    append_patiently(store, append).await?;
    Ok(())
}

/// A full disk can be waited for: the very same append is tried again.
async fn append_patiently(store: &dyn Store, append: Append) -> Result<piton_store::Head, Error> {
    let mut waited = Duration::ZERO;
    loop {
        match store.append(append.clone()).await {
            Err(Error::NoSpace { .. }) if waited < NO_SPACE_PATIENCE => {
                tokio::time::sleep(NO_SPACE_PAUSE).await;
                waited += NO_SPACE_PAUSE;
            }
            answer => return answer,
        }
    }
}
