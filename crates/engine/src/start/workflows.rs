//! Starting a workflow: its document is read and checked, what is there is gone on with.

use std::collections::BTreeSet;
use std::path::Path;

use piton_files::workflow::{Disk, Imported, Left, Loaded, RunPlace, STATE_BYTES_MAX, glance, import, load};
use piton_model::workflow::{
    Command, Definition, Gate, Inherited, Options, Order, State, Step, StepId, WorkPlace, anew_from, create,
    shown,
};
use piton_model::{Kind, Rejection, RunId, Seq, Timestamp};
use piton_sys::{Clock, Ids, SystemClock, SystemIds, file};
use piton_view::words::few;
use piton_view::{Error, ErrorKind, WorkflowOrder};

use super::go_on::{discarded, go_on};
use super::options::{options_of, place_of, relative};
use super::{LAST, known};
use crate::at_work;
use crate::client::LocalClient;
use crate::configuration;
use crate::driver_process;
use crate::layout::Layout;
use crate::workflow::{is_discarded, view_of};
use crate::world::sentence;

/// Begins a workflow, or goes on with the one that is meant.
pub(super) async fn start(
    client: &LocalClient,
    wanted: &WorkflowOrder,
    notes: &mut Vec<String>,
) -> Result<(RunId, Seq), Error> {
    let layout = client.layout();
    notes.extend(wanted.no_confine.then(|| super::NO_WALLS.to_owned()));
    let loaded = load(&wanted.file, layout.root(), &Disk).map_err(|problems| not_runnable(&problems))?;
    match target(client, wanted, &loaded, notes).await? {
        Target::New(run, left) => {
            let options = options_of(layout, wanted, &loaded)?;
            let (inherited, left_out) = left.map(|left| (left.inherited, left.left_out)).unzip();
            match order(layout, run.clone(), loaded, options, inherited, wanted) {
                Ok(order) => begin(client, order, left_out, wanted, notes).await,
                Err(failure) => Err(super::overtaken(client, &run, failure).await),
            }
        }
        Target::Discarded(run, place) => {
            let options = options_of(layout, wanted, &loaded)?;
            // It works where it worked, unless somebody says otherwise.
            let order = match place.filter(|_| wanted.workdir.is_none()) {
                Some(place) => {
                    let options = Options { place: Some(place), ..options };
                    Order { run, definition: loaded.definition, options, inherited: None }
                }
                None => order(layout, run, loaded, options, None, wanted)?,
            };
            begin_anew(client, order, notes).await
        }
        Target::Existing(run) => {
            let after = go_on(client, &run, &loaded, wanted, notes).await;
            Ok((run, after.map_err(|failure| super::resume::telling(failure, notes))?))
        }
    }
}

/// Every problem at once, each with its line and what to do.
pub fn not_runnable(problems: &[piton_files::Problem]) -> Error {
    Error::usage(match problems.len() {
        1 => "the workflow cannot be run".to_owned(),
        many => format!("the workflow cannot be run: {many} problems"),
    })
    .details(problems.iter().map(ToString::to_string).collect())
}

/// Which run a person means.
enum Target {
    /// One that is not there yet.
    New(RunId, Option<Imported>),
    /// One whose directory was deleted at rest: its name may be used again.
    Discarded(RunId, Option<WorkPlace>),
    /// One that is.
    Existing(RunId),
}

async fn target(
    client: &LocalClient,
    wanted: &WorkflowOrder,
    loaded: &Loaded,
    notes: &mut Vec<String>,
) -> Result<Target, Error> {
    let workflow_file = relative(client.layout(), &wanted.file)?;
    let named: Option<RunId> = match &wanted.run_id {
        Some(id) if id == LAST => Some(newest_of(client, &workflow_file, &loaded.definition, notes).await?),
        Some(id) => Some(id.parse().map_err(|error| Error::of(ErrorKind::Usage, &error))?),
        None => None,
    };
    let run = match (named, &wanted.start_at_step) {
        (Some(run), _) => run,
        (None, Some(_)) => newest_of(client, &workflow_file, &loaded.definition, notes).await?,
        (None, None) => {
            return Ok(Target::New(SystemIds.hex(8).parse().expect("hex digits are a run's name"), None));
        }
    };
    match client.load_if_there::<State>(&run).await? {
        Some(loaded) => {
            let state = loaded.state;
            match is_discarded(client.layout(), &state) {
                true if wanted.start_at_step.is_some() => Err(discarded(&state)),
                true => Ok(Target::Discarded(run, state.options.place)),
                false => Ok(Target::Existing(run)),
            }
        }
        None => match left_by_another_tool(client, &run, &loaded.definition).await {
            Ok(left) => from_step(run, left, wanted.start_at_step.as_deref(), &loaded.definition),
            Err(failure) => Err(super::overtaken(client, &run, failure).await),
        },
    }
}

/// A run that is not on record, from the step that a person names: what another tool left must be there then.
fn from_step(
    run: RunId,
    left: Option<Imported>,
    step: Option<&str>,
    definition: &Definition,
) -> Result<Target, Error> {
    let Some(step) = step else { return Ok(Target::New(run, left)) };
    let Some(left) = left else {
        return Err(Error::usage(format!("there is no run `{run}` to begin anew in"))
            .hint("run it without --start-at-step"));
    };
    match anew_from(left.inherited, &StepId::new(step), definition) {
        Some(inherited) => Ok(Target::New(run, Some(Imported { inherited, ..left }))),
        // It is no run of piton's yet, so no status of it could be looked at.
        None => {
            let steps: Vec<_> = definition.steps.iter().map(|step| format!("`{}`", step.id)).collect();
            let error: Error = Rejection::NoSuchStep { run, step: StepId::new(step) }.into();
            Err(error.hint(format!("its steps are {}", steps.join(", "))))
        }
    }
}

/// The run of this workflow that changed last: of piton's by its file, of another tool's by its name. Where there is none,
/// that of another tool which has exactly its steps: what it called the workflow is its own matter. Those that it is not are
/// named, and what could not be read.
async fn newest_of(
    client: &LocalClient,
    workflow_file: &str,
    definition: &Definition,
    notes: &mut Vec<String>,
) -> Result<RunId, Error> {
    let entries = client.entries().await?;
    let mut fitting: Vec<(Timestamp, RunId)> = Vec::new();
    for run in entries.iter().filter(|run| run.kind == Kind::Workflow) {
        let loaded = client.load::<State>(&run.run_id, None).await;
        let Some(state) = LocalClient::unless_damaged(loaded)?.map(|loaded| loaded.state) else { continue };
        if state.options.workflow_file == workflow_file && !is_discarded(client.layout(), &state) {
            fitting.push((run.updated_at, run.run_id.clone()));
        }
    }
    let is_ours = |run: &RunId| entries.iter().any(|entry| entry.run_id == *run);
    let mut others = Vec::new();
    for (run, left) in left_by_others(client.layout()).into_iter().filter(|(run, _)| !is_ours(run)) {
        match left {
            Ok(left) => others.push((run, left)),
            Err(why) => notes.push(format!("note: `.agents/runs/{run}` is passed by: {why}")),
        }
    }
    let with = |fits: &dyn Fn(&Left) -> bool| {
        let fitting = others.iter().filter(|(_, left)| fits(left));
        fitting.map(|(run, left)| (left.updated_at.unwrap_or_default(), run.clone())).collect::<Vec<_>>()
    };
    fitting.extend(with(&|left| left.workflow_name == definition.name));
    if fitting.is_empty() {
        let mut steps: Vec<&str> = definition.steps.iter().map(|step| step.id.as_str()).collect();
        steps.sort_unstable();
        fitting = with(&|left| left.steps == steps);
    }
    fitting.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    let mut runs = fitting.into_iter().map(|(_, run)| run);
    let newest = runs.next().ok_or_else(|| {
        Error::usage(format!("`{workflow_file}` was never run here"))
            .details(std::mem::take(notes))
            .hint("run it first, or name a run with --run-id")
    })?;
    let others = few(runs.map(|run| format!("`{run}`")), "run").join(", ");
    if !others.is_empty() {
        notes.push(format!("run `{newest}` is the newest that fits; --run-id takes another: {others}"));
    }
    Ok(newest)
}

/// The run directories here that hold a state, whoever made them; or why that cannot be read.
fn left_by_others(layout: &Layout) -> Vec<(RunId, Result<Left, String>)> {
    let runs = layout.root().join(".agents/runs");
    let names = std::fs::read_dir(runs).into_iter().flatten().flatten();
    let names = names.filter(|entry| entry.path().is_dir());
    let names = names.filter_map(|entry| entry.file_name().into_string().ok()?.parse::<RunId>().ok());
    let left = |run: RunId| {
        let path = RunPlace::new(layout.root(), run.clone()).state();
        let left = match file::read_regular(&path, STATE_BYTES_MAX as u64) {
            Ok(None) => return None,
            Ok(Some(bytes)) => match glance(&bytes) {
                Ok(left) if left.run_id == run.as_str() => Ok(left),
                Ok(left) => Err(format!("its state is that of run `{}`", shown(&left.run_id))),
                Err(error) => Err(error.to_string()),
            },
            Err(error) => Err(sentence(&error)),
        };
        Some((run, left))
    };
    names.filter_map(left).collect()
}

/// What another tool did in a run directory of this name. What a run of piton's may have put there is nobody's word that a step is done.
async fn left_by_another_tool(
    client: &LocalClient,
    run: &RunId,
    definition: &Definition,
) -> Result<Option<Imported>, Error> {
    let path = RunPlace::new(client.layout().root(), run.clone()).state();
    let refused = |why: String| {
        Error::usage(format!("`{}`: {why}", path.display())).hint("mend it, or choose another --run-id")
    };
    let bytes = match file::read_regular(&path, STATE_BYTES_MAX as u64) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Ok(None),
        Err(error) if matches!(error.refusal(), Some(file::Refusal::TooLarge { .. })) => {
            return Err(refused(error.source.to_string()));
        }
        Err(error) => return Err(error.into()),
    };
    if at_work::of_any(&**client.store()?, file::changed_at(&path)).await? {
        let why = "was written while a run was at work, which may have done so";
        return Err(Error::new(ErrorKind::Person, format!("`{}` {why}", path.display()))
            .hint("look at it, then `touch` it while no run is at work, or choose another --run-id"));
    }
    import(&bytes, run, definition).map(Some).map_err(|error| refused(error.to_string()))
}

fn order(
    layout: &Layout,
    run: RunId,
    loaded: Loaded,
    options: Options,
    inherited: Option<Inherited>,
    wanted: &WorkflowOrder,
) -> Result<Order, Error> {
    let options = Options { place: place_of(layout, wanted, &run)?, ..options };
    if options.confine.is_some() {
        let tree = options.place.as_ref().map_or(layout.root(), |place| Path::new(place.path()));
        configuration::require_home_outside(tree)?;
    }
    Ok(Order { run, definition: loaded.definition, options, inherited })
}

async fn begin(
    client: &LocalClient,
    order: Order,
    left_out: Option<Vec<String>>,
    wanted: &WorkflowOrder,
    notes: &mut Vec<String>,
) -> Result<(RunId, Seq), Error> {
    let run = order.run.clone();
    let is_import = left_out.is_some();
    if let Some(left_out) = left_out {
        notes.push(format!("going on with what another tool left in `.agents/runs/{run}`"));
        notes.extend(left_out.iter().map(|words| format!("note: {words}")));
        notes
            .extend(wanted.start_at_step.iter().map(|step| format!("from step `{step}`, which begins anew")));
    }
    if let Some(WorkPlace::Worktree(worktree)) = &order.options.place {
        notes.extend(super::goes_along(client.layout(), &run)?);
        notes.extend(super::said_of(worktree));
    }
    notes.extend(taken_for_open(&order));
    let created = create(order).map_err(|rejection| Error::from(rejection).hint("see `piton run --help`"))?;
    if let Err(error) = client.create::<State>(&[created]).await {
        return Err(super::overtaken(client, &run, error.into()).await);
    }
    if is_import {
        let state = client.load::<State>(&run, None).await?.state;
        let view = view_of(client.layout(), &run);
        if let Ok(moved) = view.set_aside(&state) {
            notes.push(format!("its file as that tool left it: {}", moved.to.display()));
        }
        view.publish(&state)?;
    }
    if let Err(failure) = known::remember(client.layout()) {
        notes.push(format!("note: `piton ls --everywhere` will not find this run: {}", failure.message));
    }
    driver_process::start(client, &run, false).await?;
    if !wanted.skip_cleanup {
        clean_up(client, notes).await;
    }
    Ok((run, 0))
}

/// That named gates are open where no file says anything of them: whoever meant to have them looked at hears of it.
fn taken_for_open(order: &Order) -> Option<String> {
    if order.options.gate_state_file.is_some() {
        return None;
    }
    let definitions = std::iter::once(&order.definition).chain(order.definition.nested.values());
    let gates = definitions.flat_map(|definition| &definition.steps).flat_map(Step::all_gates);
    let names: BTreeSet<String> = gates
        .filter_map(|gate| match gate {
            Gate::Named(name) => Some(format!("`{}`", shown(&name))),
            Gate::Command(_) | Gate::Gaps(_) | Gate::Guard => None,
        })
        .collect();
    let names = few(names, "gate").join(", ");
    (!names.is_empty()).then(|| format!("note: taken for open, since there is no --gate-state-file: {names}"))
}

/// Directories of runs that are long over go, while the new one works.
async fn clean_up(client: &LocalClient, notes: &mut Vec<String>) {
    let cleaned = crate::workflow::clean_up(client, SystemClock.now()).await;
    if !cleaned.removed.is_empty() {
        let names: Vec<&str> = cleaned.removed.iter().map(|run| run.short()).collect();
        notes.push(format!(
            "archived in .agents/run_archive.db, directories removed: {} (--skip-cleanup keeps them)",
            names.join(", ")
        ));
    }
    notes.extend(cleaned.problems.iter().map(|problem| format!("note: not archived: {problem}")));
}

/// A run of which only the journal is left begins anew.
async fn begin_anew(
    client: &LocalClient,
    order: Order,
    notes: &mut Vec<String>,
) -> Result<(RunId, Seq), Error> {
    let run = order.run.clone();
    driver_process::settled(client, &run).await?;
    notes.push(format!(
        "run `{run}` begins anew: its directory was deleted, so what it did is discarded; `piton log {run}` still shows it"
    ));
    notes.extend(taken_for_open(&order));
    client.record_at_rest::<State>(&run, Command::Restart(Box::new(order))).await?;
    let loaded = client.load::<State>(&run, None).await?;
    driver_process::start(client, &run, false).await?;
    Ok((run, loaded.head))
}
