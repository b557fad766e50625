//! Removing the directories of runs that are long over, each only after its row is in the archive.

use piton_files::workflow::{RunArchive, RunPlace};
use piton_model::workflow::cleanup::{Standing, to_archive};
use piton_model::workflow::{Command, State};
use piton_model::{Kind, RunId, Timestamp};
use piton_store::{Claim, Lease};
use piton_sys::file;

use crate::client::{ClientError, LocalClient};
use crate::layout::Layout;
use crate::world::sentence;

/// What a clean-up did.
#[derive(Debug, Default)]
pub struct Cleaned {
    /// The runs whose directories are gone.
    pub removed: Vec<RunId>,
    /// Why others are not.
    pub problems: Vec<String>,
}

/// Removes the directories that may go at `now`, see [`to_archive`]. Their journals stay, and directories of runs that
/// this journal does not know are left alone. Never fails: what cannot be done now is said, and left for the next time.
pub async fn clean_up(client: &LocalClient, now: Timestamp) -> Cleaned {
    let mut cleaned = Cleaned::default();
    let rows = match client.all_there().await {
        Ok(rows) => rows,
        Err(error) => {
            cleaned.problems.push(error.to_string());
            return cleaned;
        }
    };
    let mut standings = Vec::new();
    for row in rows {
        let run = row.entry.run_id;
        let directory = RunPlace::new(client.layout().root(), run.clone()).directory();
        if row.entry.kind != Kind::Workflow || !directory.is_dir() {
            continue;
        }
        match client.load::<State>(&run, None).await {
            Ok(loaded) => standings.push(standing(&loaded.state)),
            Err(error) => cleaned.problems.push(format!("run `{run}`: {error}")),
        }
    }
    for run in to_archive(&standings, now) {
        match archive(client, &run, &standings, now).await {
            Ok(true) => cleaned.removed.push(run),
            Ok(false) => {}
            Err(problem) => cleaned.problems.push(format!("run `{run}`: {problem}")),
        }
    }
    cleaned
}

fn standing(state: &State) -> Standing {
    Standing {
        run: state.run.clone(),
        status: state.status,
        since: state.since,
        parent: state.options.parent.clone(),
        forked_from: state.forked_from.as_ref().map(|(run, _)| run.clone()),
    }
}

/// Archives one run and removes its directory, under its lease: nobody may go on with it meanwhile.
async fn archive(
    client: &LocalClient,
    run: &RunId,
    standings: &[Standing],
    now: Timestamp,
) -> Result<bool, String> {
    let Ok(lease) = client.claim(run, Claim::IfFree).await else {
        return Ok(false);
    };
    let done = put_away(client, &lease, standings, now).await;
    let released = client.release(lease).await.map_err(|error| error.to_string());
    done.and_then(|done| released.map(|()| done))
}

async fn put_away(
    client: &LocalClient,
    lease: &Lease,
    standings: &[Standing],
    now: Timestamp,
) -> Result<bool, String> {
    let (root, run) = (client.layout().root(), &lease.run);
    let loaded = client.load::<State>(run, None).await.map_err(|error| error.to_string())?;
    // Somebody may have gone on with it since it was judged.
    if loaded.state.open_count() > 0 || !standings.contains(&standing(&loaded.state)) {
        return Ok(false);
    }
    let archive = RunArchive::open(root).and_then(|archive| archive.add(&loaded.state, now));
    archive.map_err(|error| format!("`.agents/run_archive.db`: {error}"))?;
    // On record before it goes: what nobody put on record a person deleted. A request needs no lease: where one came
    // meanwhile, it wants the directory, and nothing is recorded.
    match client.record_under::<State>(lease, loaded, Command::Archive, now).await {
        Ok(()) => {}
        Err(ClientError::Store(piton_store::Error::Conflict { .. }) | ClientError::Rejected(_)) => {
            return Ok(false);
        }
        Err(error) => return Err(error.to_string()),
    }
    remove(client.layout(), run).map_err(|error| sentence(&error))?;
    Ok(true)
}

/// Removes the directory of a run with all that lies in it. Links are removed, never followed.
pub(crate) fn remove(layout: &Layout, run: &RunId) -> Result<(), file::Error> {
    let directory = RunPlace::new(layout.root(), run.clone()).directory();
    file::remove_tree_within(layout.root(), &directory).map(drop)
}
