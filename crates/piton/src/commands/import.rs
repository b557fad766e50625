//! `piton import`: what another tool began is gone on with, whichever of the published formats it is in.

use std::path::{Path, PathBuf};

use piton_files::workflow::{Left, RunPlace};
use piton_files::{Recognised, recognise};
use piton_model::RunId;
use piton_model::limits::GAP_FILE_BYTES_MAX;
use piton_model::workflow::CostAction;
use piton_sys::file;
use piton_view::{AgentChoice, Order, WorkflowOrder};

use super::{begun, cycle, gaps, loops};
use crate::cli::gaps::{GapsArguments, GapsCommand, ImportGapsArguments};
use crate::cli::{Global, ImportArguments};
use crate::failure::{Failure, Result};
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, arguments: ImportArguments, out: &Output) -> Result {
    let detach = arguments.options.detach;
    let path = state_in(&arguments.file);
    let bytes = file::read_regular(&path, GAP_FILE_BYTES_MAX)?
        .ok_or_else(|| Failure::usage(format!("there is no file `{}`", path.display())))?;
    let order = match recognise(&bytes) {
        Recognised::Gaps => {
            let command = GapsCommand::Import(ImportGapsArguments { from: path });
            return gaps::run(global, &GapsArguments { file: None, now: None, command }, out).await;
        }
        Recognised::Run(left) => Order::Workflow(Box::new(run_order(global, &path, &left, arguments)?)),
        recognised if matches!(recognised, Recognised::Cycle(_)) || lies_with_cycles(&path) => {
            let order = cycle::order_of_import(arguments.options, global.trust);
            Order::ImportCycle { file: absolute(&path)?, order: Box::new(order) }
        }
        Recognised::Cycle(_) | Recognised::Loop => {
            Order::Import { file: path, order: Box::new(loops::order_of(arguments.options, global.trust)?) }
        }
    };
    let client = repository::open_or_create(&repository::layout(global)?);
    let is_taken_up = matches!(order, Order::ImportCycle { .. });
    let started = client.start(order).await?;
    if is_taken_up {
        return Ok(cycle::taken_up(&started, out));
    }
    begun(&*client, started, detach, None, out).await
}

/// The state in a directory of a run or of a loop; of anything else, itself.
fn state_in(file: &Path) -> PathBuf {
    if !file.is_dir() {
        return file.to_owned();
    }
    let [run, lone] = ["run_state.json", "state.json"].map(|name| file.join(name));
    if lone.is_file() && !run.is_file() { lone } else { run }
}

/// Whether a file that cannot be recognised lies where the states of cycles do: their reader says what is wrong with it.
fn lies_with_cycles(path: &Path) -> bool {
    path.parent().is_some_and(|directory| directory.ends_with(piton_files::cycle::CYCLES))
}

/// A run goes on where it is: its reports, logs and inputs lie beside its state.
fn run_order(global: &Global, path: &Path, left: &Left, arguments: ImportArguments) -> Result<WorkflowOrder> {
    let shown = path.display();
    let run: RunId = left.run_id.parse().map_err(|error| Failure::usage(format!("`{shown}`: {error}")))?;
    let here = RunPlace::new(repository::layout(global)?.root(), run).state();
    let real = |path: &Path| path.canonicalize().ok();
    if real(&here).is_none() || real(&here) != real(path) {
        return Err(Failure::usage(format!("`{shown}` is not a run of this repository"))
            .hint(format!("copy its directory to `.agents/runs/{}` first", left.run_id)));
    }
    let ImportArguments { workflow, wrapper, options, .. } = arguments;
    let Some(workflow) = workflow else {
        return Err(Failure::usage(format!(
            "`{shown}` is a run of the workflow `{}`, and does not say what that is",
            left.workflow_name
        ))
        .hint("name the document with --workflow FILE"));
    };
    Ok(WorkflowOrder {
        file: absolute(&workflow)?,
        exec: AgentChoice::from(options.agent).exec,
        wrapper,
        run_id: Some(left.run_id.clone()),
        max_iterations: options.max_iterations,
        max_cost: options.max_cost,
        cost_limit_action: Some(CostAction::Pause),
        worktree: options.worktree,
        trust: global.trust,
        ..WorkflowOrder::default()
    })
}

fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|error| Failure::environment(&error))
}
