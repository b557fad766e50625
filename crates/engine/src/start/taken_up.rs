//! Taking up a cycle that no journal has: one of another tool's, or one whose journal and state are lost.
//!
//! What its files say is put on record as what it begins with, and it rests: nothing is started before a person has seen what
//! could not be known.

use std::path::Path;

use piton_config::{Overrides, resolve};
use piton_files::cycle::{CyclePlace, CycleStatus, Progress, STATE_BYTES_MAX, import_cycle, rebuild};
use piton_model::cycle::{CycleEvent, Imported, Order, State, create};
use piton_model::{Reason, RunId, Seq, Status};
use piton_sys::file;
use piton_view::{CycleOrder, Error};

use super::cycles::{config_of, unfit};
use crate::client::LocalClient;
use crate::configuration;
use crate::layout::Layout;
use crate::unjudged;

/// Takes up the cycle that another tool left in a state file of this repository.
pub(super) async fn import(
    client: &LocalClient,
    path: &Path,
    order: &CycleOrder,
    notes: &mut Vec<String>,
) -> Result<(RunId, Seq), Error> {
    let root = client.layout().root();
    let refused = |why: String| Error::usage(format!("`{}`: {why}", path.display())).hint("mend it first");
    let bytes = file::read_regular(path, STATE_BYTES_MAX as u64)?
        .ok_or_else(|| Error::usage(format!("there is no file `{}`", path.display())))?;
    let id = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let place = CyclePlace::new(root, id.as_str());
    let real = |path: &Path| path.canonicalize().ok();
    if real(&place.state()).is_none() || real(&place.state()) != real(path) {
        return Err(Error::usage(format!("`{}` is no cycle of this repository", path.display()))
            .hint("copy it and its progress directory to `.workflow/.cycle` first"));
    }
    require_unknown(client, path, &id).await?;
    let found = import_cycle(&bytes, &Progress::read(root, &place.progress())?)
        .map_err(|error| refused(error.to_string()))?;
    if found.cycle_id != id {
        return Err(refused(format!("it says that it is the cycle `{}`", found.cycle_id)));
    }
    let mut order = CycleOrder { task: found.task, id: Some(id), ..order.clone() };
    order.limits.iterations.get_or_insert_with(|| found.max_iterations.to_string());
    let offset = found.zone.map(|zone| zone.minutes());
    let by = format!("piton import {}", path.strip_prefix(root).unwrap_or(path).display());
    take_up(client, &by, &order, found.imported, found.status, offset, notes).await
}

/// Takes up a cycle from its progress files alone.
pub(super) async fn from_progress(
    client: &LocalClient,
    id: &str,
    order: &CycleOrder,
    notes: &mut Vec<String>,
) -> Result<(RunId, Seq), Error> {
    let root = client.layout().root();
    let run: RunId = super::name_of(id)?;
    let place = CyclePlace::new(root, run.as_str());
    let progress = Progress::read(root, &place.progress())?;
    if progress.is_empty() {
        return Err(Error::new(piton_view::ErrorKind::UnknownRun, format!("there is no cycle `{id}`"))
            .hint("`.workflow/.cycle` has no progress files of that name; run `piton ls --kind cycle`"));
    }
    let found = rebuild(&progress);
    let task = found.imported.task_history.first().cloned();
    let task = task.unwrap_or_else(|| format!("cycle {id} (its task is not known)"));
    let mut order = CycleOrder { task, id: Some(id.to_owned()), ..order.clone() };
    let mut imported = found.imported;
    if order.limits.iterations.is_none() {
        order.limits.iterations = found.max_iterations.map(|most| most.to_string());
        if found.max_iterations.is_none() {
            let what = "how many iterations it may have: as many as any cycle here, unless `--max-iterations` says otherwise";
            imported.unknown.push(what.to_owned());
        }
    }
    let offset = found.zone.map(|zone| zone.minutes());
    let by = format!("piton cycle rebuild {id}");
    take_up(client, &by, &order, imported, found.status, offset, notes).await
}

/// Whether neither the order nor the configuration says who works: what is taken up could not go on.
fn names_nobody(layout: &Layout, order: &CycleOrder) -> Result<bool, Error> {
    let resolved = resolve(&configuration::read(layout)?, &configuration::variable, &Overrides::default())
        .map_err(configuration::problems)?;
    let is_named = order.agent.name.is_some() || order.agent.exec.is_some();
    Ok(!is_named && resolved.settings.agent.name.is_none())
}

/// A cycle that the journal has is no other tool's: it knows more than its files.
async fn require_unknown(client: &LocalClient, path: &Path, id: &str) -> Result<(), Error> {
    let run = super::name_of(id)?;
    let Some(loaded) = client.load_if_there::<State>(&run).await? else { return Ok(()) };
    let next = match loaded.state.status {
        Status::Completed => goes_on(&run, CycleStatus::Completed),
        _ => goes_on(&run, CycleStatus::Paused),
    };
    Err(Error::usage(format!(
        "`{}` is what piton shows of cycle `{run}`, which is {}",
        path.display(),
        loaded.state.status
    ))
    .hint(format!("`piton status {run}` says where it stands; {next}")))
}

async fn take_up(
    client: &LocalClient,
    by: &str,
    order: &CycleOrder,
    imported: Imported,
    status: CycleStatus,
    offset_minutes: Option<i32>,
    notes: &mut Vec<String>,
) -> Result<(RunId, Seq), Error> {
    if names_nobody(client.layout(), order)? {
        return Err(Error::usage("nobody is named who works on this cycle").hint(format!(
            "run `{by} --agent NAME --check 'test=CMD'`, or `--exec CMD` in place of `--agent`"
        )));
    }
    let mut config = config_of(client.layout(), order, None, notes)?;
    config.utc_offset_minutes = offset_minutes.unwrap_or(config.utc_offset_minutes);
    config.limits.iterations = config.limits.iterations.max(imported.iteration);
    let run = super::name_of(order.id.as_deref().unwrap_or_default())?;
    let (rebuilt, unknown) = (imported.rebuilt, imported.unknown.clone());
    let failure_reason = imported.failure_reason.clone();
    let left = unjudged::left_here(client, &run, config.confine.as_ref()).await?;
    notes.extend(left.iter().flat_map(|left| left.notes(&run)));
    let base = left.map(|left| left.base);
    let created =
        create(Order { run: run.clone(), config, imported: Some(imported), base }).map_err(unfit)?;
    let mut events = vec![created];
    if rebuilt {
        let missing = if unknown.is_empty() { "nothing".to_owned() } else { unknown.join("; ") };
        let error = format!(
            "the state was rebuilt from the progress files, since journal and state were lost; not known: {missing}. \
             Look at it with `piton cycle show {run}`; {}",
            goes_on(&run, status)
        );
        events.push(CycleEvent::PhaseErred { phase: "init".to_owned(), error });
    }
    events.push(match status {
        CycleStatus::Completed => {
            let detail = match rebuilt {
                true => "completed, by what its progress files say; no check was run here",
                false => "completed, as its file says; no check was run here",
            };
            CycleEvent::RunCompleted { reason: Reason::Done, detail: Some(detail.to_owned()) }
        }
        CycleStatus::Failed => {
            let detail = failure_reason.unwrap_or_else(|| "it had failed before".to_owned());
            CycleEvent::RunFailed { reason: Reason::Human, detail: Some(detail) }
        }
        _ => CycleEvent::RunPaused {
            reason: Reason::Human,
            detail: Some("it was taken up from its files".to_owned()),
        },
    });
    if let Err(error) = client.create_again::<State>(&events).await {
        return Err(super::overtaken(client, &run, error.into()).await);
    }
    let state = client.load::<State>(&run, None).await?.state;
    notes.extend(
        crate::cycle::take_over_files(client, &state)?.into_iter().map(|note| format!("note: {note}")),
    );
    notes.extend(unknown.iter().map(|what| format!("note: not known: {what}")));
    notes.push(format!("note: look at it with `piton cycle show {run}`; {}", goes_on(&run, status)));
    Ok((run, client.head(&state.run).await?))
}

/// How a cycle goes on that was taken up in this status.
fn goes_on(run: &RunId, status: CycleStatus) -> String {
    match status {
        CycleStatus::Completed => format!("`piton cycle extend {run} TEXT` adds to its task"),
        _ => format!("`piton resume {run}` goes on with it"),
    }
}
