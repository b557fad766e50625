//! What a run left outside of its journal, where the journal has lost something: attempts whose outcome no event tells any more,
//! and files that were rendered from it.
//!
//! Neither becomes an event here. How an attempt ended is recorded by whoever goes on with the run, which looks at its directory
//! first; a file of a run is no proof of what happened, and `piton import` takes it for what it is. An attempt that no event
//! speaks of at all would be cleared away by the next one of its number, so it is put aside with the damaged journal.

use std::path::Path;

use piton_files::ralph;
use piton_model::RunId;
use piton_store::Store;
use piton_sys::file;
use piton_view::{Error, RunRepaired, words};

use super::super::ClientError;
use crate::layout::Layout;

/// Events read at a time.
const PAGE: usize = 1024;

/// Notes for each run what is left of it elsewhere. `aside` is where the damaged journal lies now.
pub(super) async fn note_all(
    layout: &Layout,
    store: &dyn Store,
    aside: &Path,
    runs: &mut [RunRepaired],
) -> Result<(), Error> {
    for run in runs.iter_mut().filter(|run| run.lost_to.is_some() || run.seq == 0) {
        let mut notes: Vec<String> = run.note.take().into_iter().collect();
        notes.extend(attempts(layout, store, aside, run).await?);
        if run.seq == 0 {
            notes.extend(files(layout, &run.run_id));
        }
        run.note = Some(notes.join("; ")).filter(|note| !note.is_empty());
    }
    Ok(())
}

/// What is left of attempts that ended.
async fn attempts(
    layout: &Layout,
    store: &dyn Store,
    aside: &Path,
    repaired: &RunRepaired,
) -> Result<Vec<String>, Error> {
    let run = &repaired.run_id;
    let directory = layout.attempts(run);
    let entries = std::fs::read_dir(&directory).into_iter().flatten().flatten();
    let mut numbers: Vec<u32> =
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    numbers.sort_unstable();
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let told = Told::of(store, run).await?;
    let (mut untold, mut unknown) = (Vec::new(), Vec::new());
    for number in numbers {
        let name = number.to_string();
        if told.ended.contains(&number) {
            continue;
        }
        let ended = matches!(piton_agent::look(&directory, &name), Ok(piton_agent::Found::Finished(_)));
        match (told.begun.contains(&number), ended) {
            (true, true) => untold.push(name),
            (true, false) => {}
            (false, _) => {
                put_aside(&directory.join(&name), &aside.join("attempts").join(run.as_str()), &name)?;
                unknown.push(name);
            }
        }
    }
    let mut notes = Vec::new();
    if !untold.is_empty() {
        let which = untold.join(", ");
        notes.push(format!(
            "how attempt {which} ended stands in its directory: `piton resume {run}` records it"
        ));
    }
    if !unknown.is_empty() {
        let which = unknown.join(", ");
        notes.push(format!("no event speaks of attempt {which} any more: what it left is put aside as well"));
    }
    Ok(notes)
}

fn put_aside(from: &Path, to: &Path, name: &str) -> Result<(), Error> {
    let moved = file::create_private_dir(to).and_then(|()| file::rename_noreplace(from, &to.join(name)));
    moved.map(drop).map_err(|error| Error::environment(&error))
}

/// The attempts of which the events that are left speak.
#[derive(Default)]
struct Told {
    begun: Vec<u32>,
    ended: Vec<u32>,
}

impl Told {
    async fn of(store: &dyn Store, run: &RunId) -> Result<Self, Error> {
        let (mut told, mut next) = (Self::default(), 1);
        loop {
            let events = match store.read(run, next, PAGE).await {
                Ok(events) => events,
                Err(piton_store::Error::UnknownRun { .. }) => return Ok(told),
                Err(error) => return Err(ClientError::from(error).into()),
            };
            let Some(last) = events.last() else { return Ok(told) };
            next = last.seq + 1;
            for stored in &events {
                let Ok(data) = serde_json::from_slice::<serde_json::Value>(&stored.event.data) else {
                    continue;
                };
                let attempt = &data["attempt"];
                let number = attempt["number"].as_u64().or_else(|| attempt.as_u64());
                let Some(number) = number.and_then(|number| u32::try_from(number).ok()) else { continue };
                match attempt.is_object() {
                    true => told.begun.push(number),
                    false => told.ended.push(number),
                }
            }
        }
    }
}

/// The newest file that was rendered from a run of which nothing else is left, and what goes on from it.
fn files(layout: &Layout, run: &RunId) -> Vec<String> {
    let root = layout.root();
    let mut notes = Vec::new();
    if let (Some(view), Some(path)) = (ralph::read(root, run), ralph::published_path(root, run)) {
        let path = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let iterations = words::count(view.metrics.total_iterations, "iteration");
        notes.push(format!(
            "`{path}` shows it after {iterations}: `piton import {path}` begins a loop that goes on from there"
        ));
    }
    let workflow = root.join(".agents/runs").join(run.as_str());
    if workflow.join("run_state.json").is_file() {
        notes.push(format!("`piton import .agents/runs/{run}` goes on from its files"));
    }
    if root.join(".workflow/.cycle").join(format!("{run}.progress")).is_dir() {
        notes.push(format!("`piton cycle rebuild {run}` makes it again from its files"));
    }
    notes
}
