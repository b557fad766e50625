//! Looking after runs whose driver is gone: whoever is under way goes on.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::time::Duration;

use piton_model::{Entry, Kind, RunId, Status, Timestamp, workflow};
use piton_sys::{Clock, SystemClock};
use piton_view::ErrorKind;

use crate::absence::{Absence, Missing};
use crate::client::{ClientError, LocalClient, ensure_where_behind};
use crate::driver_process;
use crate::journal;
use crate::start::known;

/// Drivers started for one run within [`STARTS_WITHIN`]: what dies so often needs a person.
const STARTS_MAX: u32 = 5;
const STARTS_WITHIN: Duration = Duration::from_secs(3600);

/// Goes on with the runs of every repository in which piton has worked.
#[derive(Debug, Default)]
pub struct Worker {
    /// The runs that were without a driver, and since when that is counted.
    absences: HashMap<(PathBuf, RunId), (Duration, Absence)>,
    /// The runs at rest that were looked at, as they were then.
    looked_at: HashMap<(PathBuf, RunId), Timestamp>,
    /// The repositories whose journal is not this user's to go on with.
    left_alone: HashSet<PathBuf>,
    /// Why a journal could not be read when it looked around last.
    unread: Option<ErrorKind>,
}

impl Worker {
    /// Looks everywhere once, and starts the drivers that are missing; what there is to say about it.
    pub async fn look_around(&mut self) -> Result<Vec<String>, piton_view::Error> {
        let mut said = Vec::new();
        self.unread = None;
        for layout in known::repositories()? {
            let root = layout.root().display().to_string();
            match journal::settle(&layout) {
                Ok(notes) => said.extend(notes.into_iter().map(|note| format!("{root}: {note}"))),
                // Nothing of it goes on; said once in the life of a worker.
                Err(error) => {
                    self.note_unread(error.kind);
                    if self.left_alone.insert(layout.root().to_owned()) {
                        said.push(format!("{root}: {}", error.message));
                    }
                    continue;
                }
            }
            self.left_alone.remove(layout.root());
            // One journal that cannot be opened must not keep the others from going on.
            match LocalClient::existing(layout) {
                Ok(Some(client)) => {
                    self.look_after(&client, &mut said).await;
                    ensure_where_behind(&client).await;
                }
                Ok(None) => {}
                Err(error) => {
                    let error = piton_view::Error::from(error);
                    self.note_unread(error.kind);
                    said.push(format!("{root}: {}", error.message));
                }
            }
        }
        Ok(said)
    }

    /// Why a journal could not be read when it looked around last, where that was so. One that is not this user's is left alone, and no fault.
    pub fn unread(&self) -> Option<ErrorKind> {
        self.unread
    }

    fn note_unread(&mut self, kind: ErrorKind) {
        if matches!(kind, ErrorKind::Corrupt | ErrorKind::Environment) {
            self.unread = Some(kind);
        }
    }

    /// What the driver of a run at rest died before it could show or tell is shown and told, once this worker has not looked
    /// at it as it is.
    async fn catch_up(&mut self, client: &LocalClient, run: &Entry) {
        let name = (client.layout().root().to_owned(), run.run_id.clone());
        if !run.is_at_rest() || self.looked_at.get(&name) == Some(&run.updated_at) {
            return;
        }
        // One that cannot be read is none of the others' business; whoever looks at it is told.
        if let Ok(loaded) = client.load_any(&run.run_id, None).await
            && client.catch_up(&loaded).await.is_ok()
        {
            self.looked_at.insert(name, run.updated_at);
        }
    }

    /// Starts a driver for every run of a repository that is under way and has none.
    async fn look_after(&mut self, client: &LocalClient, said: &mut Vec<String>) {
        let place = client.layout().root().display().to_string();
        let runs = match client.entries().await {
            Ok(runs) => runs,
            Err(error) => return said.push(format!("{place}: {error}")),
        };
        for run in &runs {
            if !is_missed(client, run).await.unwrap_or(false) {
                self.catch_up(client, run).await;
                continue;
            }
            let now = SystemClock.monotonic();
            let fresh = (now, Absence::at_every_look().at_most(STARTS_MAX));
            let name = (client.layout().root().to_owned(), run.run_id.clone());
            let (since, absence) = self.absences.entry(name).or_insert(fresh);
            if now.saturating_sub(*since) >= STARTS_WITHIN {
                (*since, *absence) = fresh;
            }
            let Missing::Start { number } = absence.look(false) else { continue };
            let last = if absence.has_more() { "" } else { ", the last time in an hour" };
            said.push(match driver_process::start(client, &run.run_id, false).await {
                Ok(()) if number > 1 => format!("{place}: {} goes on, start {number}{last}", run.run_id),
                Ok(()) => format!("{place}: {} goes on", run.run_id),
                Err(error) => format!("{place}: {}: {}", run.run_id, error.message),
            });
        }
    }
}

/// Whether a driver is to be started: one is missed, or a workflow goes on by what people wrote.
async fn is_missed(client: &LocalClient, run: &Entry) -> Result<bool, ClientError> {
    // Only a person's `piton gaps research` goes on with a ledger.
    if run.kind == Kind::Ledger {
        return Ok(false);
    }
    if run.kind != Kind::Workflow || run.status != Status::Waiting || run.is_under_way() {
        return client.is_missed(run).await;
    }
    let state = client.load::<workflow::State>(&run.run_id, None).await?.state;
    Ok(client.driver_of(&run.run_id).await?.is_none() && client.is_to_go_on(&state).await?)
}
