//! `piton run`: a workflow is ordered, then watched.

use std::collections::BTreeMap;
use std::path::PathBuf;

use piton_files::workflow::{Disk, load, mermaid, plan};
use piton_model::ExitCode;
use piton_view::{Order, WorkflowOrder};

use super::begun;
use crate::cli::{Global, RunArguments};
use crate::failure::{Failure, Result};
use crate::output::Output;
use crate::repository::{self, Layout, not_runnable};

pub(super) async fn run(global: &Global, arguments: RunArguments, out: &Output) -> Result {
    let layout = repository::layout(global)?;
    let path = arguments.file.as_ref().or(arguments.workflow.as_ref());
    let path = path.ok_or_else(|| Failure::usage("name a workflow file"))?;
    let path = std::path::absolute(path).map_err(|error| Failure::environment(&error))?;
    if arguments.check_only {
        return check_only(&path, &layout, out);
    }
    let (detach, every) = (arguments.detach, arguments.poll_interval);
    let without_effect = without_effect(&arguments);
    let order = order_of(path, arguments, global.trust)?;
    let client = repository::open_or_create(&layout);
    let mut started = client.start(Order::Workflow(Box::new(order))).await?;
    started.notes.splice(0..0, without_effect);
    begun(&*client, started, detach, every, out).await
}

/// What the words of the command line say.
fn order_of(file: PathBuf, arguments: RunArguments, trust: bool) -> Result<WorkflowOrder> {
    Ok(WorkflowOrder {
        file,
        exec: arguments.exec,
        wrapper: arguments.wrapper,
        wrapper_arguments: arguments.wrapper_arg,
        command_template: arguments.command_template,
        run_id: arguments.run_id,
        start_at_step: arguments.start_at_step,
        migrate: arguments.migrate,
        max_attempts: arguments.max_attempts,
        max_iterations: arguments.max_iterations,
        max_parallel: arguments.max_parallel,
        pause_for_human_input: arguments.pause_for_human_input,
        env: environment(&arguments.env)?,
        gate_state_file: arguments.gate_state_file,
        schema: arguments.schema,
        skip_cleanup: arguments.skip_cleanup,
        max_cost: arguments.max_cost,
        daily_cost_limit: arguments.daily_cost_limit,
        cost_limit_action: arguments.cost_limit_action,
        issue_number: arguments.issue_number,
        issue_dir: arguments.issue_dir,
        worktree: arguments.worktree,
        workdir: arguments.workdir,
        no_confine: arguments.no_confine,
        trust,
    })
}

fn environment(pairs: &[String]) -> Result<BTreeMap<String, String>> {
    let split = |pair: &String| {
        let (name, value) = pair
            .split_once('=')
            .filter(|(name, _)| !name.is_empty())
            .ok_or_else(|| Failure::usage(format!("--env `{pair}`")).hint("write --env NAME=VALUE"))?;
        Ok((name.to_owned(), value.to_owned()))
    };
    pairs.iter().map(split).collect()
}

/// Flags of other tools that mean nothing here are taken, and said to be without effect.
fn without_effect(arguments: &RunArguments) -> Vec<String> {
    let given = [
        (
            "--state-file",
            arguments.state_file.is_some(),
            "the run is in `.agents/runs/<run_id>/run_state.json`",
        ),
        ("--git-worktree-keep", arguments.git_worktree_keep, "piton removes no work tree"),
    ];
    let given = given.iter().filter(|(_, given, _)| *given);
    given.map(|(flag, _, why)| format!("note: {flag} has no effect: {why}")).collect()
}

fn check_only(path: &std::path::Path, layout: &Layout, out: &Output) -> Result {
    let loaded = load(path, layout.root(), &Disk).map_err(|problems| not_runnable(&problems))?;
    let graph = mermaid(&loaded.definition);
    if out.json {
        out.json(&serde_json::json!({
            "name": loaded.definition.name, "digest": loaded.digest, "steps": loaded.definition.steps.len(),
            "definition": loaded.definition, "mermaid": graph,
        }));
    } else {
        out.row(plan(&loaded.definition).trim_end());
        out.row("");
        out.row(graph.trim_end());
    }
    Ok(ExitCode::Done)
}
