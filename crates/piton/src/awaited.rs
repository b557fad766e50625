//! Waiting for what a person writes: a workflow that asks one rests, and whoever watches it in the foreground looks for
//! the file with the answer.
//!
//! At a terminal somebody is there, so the watching goes on. Elsewhere a script wants to know that a person is needed: it is
//! told at once, unless it says itself how often to look.

use std::time::Duration;

use piton_model::{Entry, Kind, RunId, Seq, Status};
use piton_sys::{Clock, SystemClock};
use piton_view::{Client, StatusOf, StatusView};

use crate::attended;
use crate::failure::Result;
use crate::output::Output;

/// How often somebody's file is looked for at a terminal.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Whoever waits for a person in the foreground.
pub(crate) struct Waiting {
    /// How often to look; `None` where nobody stays.
    every: Option<Duration>,
    looked_at: Option<Duration>,
    /// The event up to which people were told what is waited for.
    told: Option<Seq>,
}

impl Waiting {
    /// Stays where somebody said how often to look, and at a terminal.
    pub(crate) fn new(every: Option<Duration>, out: &Output) -> Self {
        let every = every.or_else(|| attended::is_possible(out).then_some(LOOK_EVERY));
        Self { every, looked_at: None, told: None }
    }

    /// Looks whether a run that rests goes on by what a person wrote. `false` where there is nothing to wait for.
    pub(crate) async fn look(
        &mut self,
        client: &dyn Client,
        run: &RunId,
        rests: &Entry,
        out: &Output,
    ) -> Result<bool> {
        if !asks(rests) {
            return Ok(false);
        }
        let now = SystemClock.monotonic();
        let every = self.every.unwrap_or_default();
        if self.looked_at.is_some_and(|at| now.saturating_sub(at) < every) {
            return Ok(true);
        }
        self.looked_at = Some(now);
        let status = client.status(run).await?;
        if status.goes_on() {
            // Whoever drives it finds what was said, too.
            if !is_driven(&status) {
                client.wake(run).await?;
            }
            return Ok(true);
        }
        // Somebody was faster.
        if !asks(status.entry()) {
            return Ok(true);
        }
        if self.every.is_some() && self.told.replace(status.seq) != Some(status.seq) {
            out.transient("");
            status.ending.iter().for_each(|line| out.row(line));
            out.note("waiting for your answer, or for its file; Ctrl-C leaves the run as it is");
        }
        Ok(self.every.is_some())
    }
}

fn is_driven(status: &StatusView) -> bool {
    match &status.of {
        StatusOf::Workflow(status) => status.driver.is_some(),
        StatusOf::Loop(_) | StatusOf::Cycle(_) | StatusOf::Ledger(_) => false,
    }
}

fn asks(entry: &Entry) -> bool {
    entry.kind == Kind::Workflow && entry.status == Status::Waiting && entry.is_at_rest()
}
