//! Gates: one small interface. Whoever looks says open or closed, and why.

use std::collections::BTreeMap;
use std::time::Duration;

use piton_agent::{EndedBy, Found};
use piton_model::workflow::{Command, Effect, Gate, GateVerdict, State, StepId};
use piton_sys::{Clock, SystemClock, file};
use serde_json::Value;

use super::{Context, Driving, LOOK_EVERY};
use crate::launch::{COMMAND_TIMEOUT_MS, What, Work};
use crate::ledger::fresh;
use crate::supervise::kept::{Kept, Plan};
use crate::supervise::{Ran, Rerun};
use crate::world::{WorldError, in_thread, sentence};

/// Largest file of gate states.
const STATES_BYTES_MAX: u64 = 1 << 20;

/// Between two runs of a gate's command.
const COMMAND_EVERY: Duration = Duration::from_secs(10);

/// What is kept of what a gate's command prints: nobody reads it.
const OUTPUT_BYTES_MAX: u64 = 1 << 20;

/// Looks until something is another than it was.
pub(super) async fn watch(
    context: &std::sync::Arc<Context>,
    effect: &Effect,
    state: &State,
) -> Result<Command, WorldError> {
    let Effect::Gates { step, gates } = effect else { return Ok(Command::Tick) };
    let runs_commands = gates.iter().any(|gate| matches!(gate, Gate::Command(_) | Gate::Guard));
    let known = state.step(step).map_or(&[][..], |step| &step.verdicts);
    loop {
        let (shared, wanted, seen) = (std::sync::Arc::clone(context), gates.clone(), state.clone());
        let (step, before) = (step.clone(), known.to_vec());
        let looked = in_thread(move || {
            let names = names_of(&step, Some(&before));
            forget(&shared, &step, Some(&names))?;
            let verdicts = wanted.iter().enumerate();
            let verdicts =
                verdicts.map(|(index, gate)| verdict(&shared, gate, &format!("{names}{index}"), &seen));
            let verdicts: Vec<GateVerdict> = verdicts.collect::<Result<_, _>>()?;
            // What is no news is looked at again. What is stays until it is on record: whoever takes over finds it.
            if verdicts == before {
                forget(&shared, &step, None)?;
            }
            Ok(Command::TakeGates { step, verdicts })
        });
        match looked.await? {
            Command::TakeGates { verdicts, .. } if verdicts == known => {}
            news => return Ok(news),
        }
        tokio::time::sleep(if runs_commands { COMMAND_EVERY } else { LOOK_EVERY }).await;
    }
}

/// How the commands of a step's gates are called while this is known of them, or at any time: what was begun before a crash
/// is found by its name, and a verdict that is on record changes the name.
fn names_of(step: &StepId, known: Option<&[GateVerdict]>) -> String {
    let short = |bytes: &[u8]| blake3::hash(bytes).to_hex()[..12].to_owned();
    let known = known.map(|known| serde_json::to_vec(known).expect("verdicts are plain data"));
    let known = known.map_or_else(String::new, |known| format!("{}-", short(&known)));
    format!("gate-{}-{known}", short(step.as_str().as_bytes()))
}

/// Takes away what commands of a step's gates left behind, but for those whose names begin with `kept`. One that still runs
/// is left alone.
pub(super) fn forget(context: &Context, step: &StepId, kept: Option<&str>) -> Result<(), WorldError> {
    let (attempts, names) = (context.attempts(), names_of(step, None));
    let found = std::fs::read_dir(&attempts).into_iter().flatten().flatten();
    for name in found.filter_map(|entry| entry.file_name().into_string().ok()) {
        let is_kept = kept.is_some_and(|kept| name.starts_with(kept));
        if !name.starts_with(&names) || is_kept {
            continue;
        }
        match piton_agent::look(&attempts, &name)? {
            Found::Finished(_) | Found::Abandoned => drop(std::fs::remove_dir_all(attempts.join(&name))),
            Found::Absent | Found::Alive { .. } | Found::Dead { .. } => {}
        }
    }
    Ok(())
}

fn verdict(context: &Context, gate: &Gate, name: &str, state: &State) -> Result<GateVerdict, WorldError> {
    let (open, why) = match gate {
        Gate::Named(gate) => named(context, gate, state),
        Gate::Command(command) => run(context, What::Command(command), name, state)?,
        Gate::Guard => run(context, What::Piton(vec!["guard".to_owned()]), name, state)?,
        Gate::Gaps(file) => gaps(context, file.as_deref().unwrap_or("gaps.yaml")),
    };
    Ok(GateVerdict { gate: gate.clone(), open, why })
}

/// Every gap of a ledger is verified and fresh. A file that is not there, or not sound, says nothing of the kind.
fn gaps(context: &Context, file: &str) -> (bool, Option<String>) {
    match fresh::all_fresh(context.layout.root(), file, SystemClock.now()) {
        Err(why) => (false, Some(why)),
        Ok(stale) => match stale.split_first() {
            None => (true, None),
            Some((first, [])) => (false, Some(format!("{}: {}", first.gap, first.why))),
            Some((first, more)) => {
                (false, Some(format!("{}: {} (and {} more)", first.gap, first.why, more.len())))
            }
        },
    }
}

/// A name in the gate-state file. Without such a file every gate is open; what is not there, or not `true`, is closed.
fn named(context: &Context, name: &str, state: &State) -> (bool, Option<String>) {
    let Some(path) = &state.options.gate_state_file else { return (true, None) };
    let closed = |why: String| (false, Some(why));
    let bytes = match file::read_regular(&context.place().absolute(path), STATES_BYTES_MAX) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return closed(format!("there is no `{path}`")),
        Err(error) => return closed(sentence(&error)),
    };
    match serde_json::from_slice::<Value>(&bytes) {
        Ok(Value::Object(states)) => match states.get(name) {
            Some(Value::Bool(true)) => (true, None),
            Some(Value::Bool(false)) => closed(format!("it is closed in `{path}`")),
            _ => closed(format!("`{path}` does not say")),
        },
        _ => closed(format!("`{path}` is no JSON object")),
    }
}

/// Runs a gate's command under a keeper: open where it exits with 0. One that was begun before a crash is waited for, or has
/// left what it came to. What cannot be run at all, because its walls do not stand or the system has no process for it,
/// is no gate that is closed.
fn run(
    context: &Context,
    what: What<'_>,
    name: &str,
    state: &State,
) -> Result<(bool, Option<String>), WorldError> {
    let plan = |name: &str| {
        Ok(Plan::Start(context.launch.prepare(Work {
            name,
            what: what.clone(),
            directory: context.layout.tree(),
            env: BTreeMap::from([("CI".to_owned(), "1".to_owned())]),
            prompt: None,
            wall_ms: COMMAND_TIMEOUT_MS,
            idle_ms: None,
            output_bytes_max: OUTPUT_BYTES_MAX,
            beside: None,
            pass: None,
            own: None,
        })))
    };
    let driving = Driving { context, state, attempt: None };
    let mut kept = Kept::new(&context.launch, name, driving, &plan).running(&what);
    Ok(match Rerun::default().run(&mut kept)? {
        Ran::Ended(exit) => match (exit.code, exit.ended_by) {
            (Some(0), _) => (true, None),
            (_, EndedBy::WallClock) => (false, Some("its command took longer than it may".to_owned())),
            (Some(code), _) => (false, Some(format!("its command exited with {code}"))),
            (None, _) => (false, exit.error.or_else(|| Some("its command was ended".to_owned()))),
        },
        Ran::Cancelled | Ran::Lost => (false, Some("its command was lost".to_owned())),
        Ran::NoKeeper { detail } => {
            let error = std::io::Error::other(detail);
            return Err(
                file::Error::new("start the command of a gate in", context.layout.tree(), error).into()
            );
        }
    })
}
