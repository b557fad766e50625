//! Flags that are given with a workflow that is there: what is said holds from then on, all else stays as the run began.

use std::collections::BTreeSet;

use piton_files::workflow::Loaded;
use piton_model::RunId;
use piton_model::workflow::{Command, Options, State, WorkPlace};
use piton_view::words::money;
use piton_view::{Error, WorkflowOrder};

use super::options::{said, with_agents};
use crate::client::LocalClient;

/// A run works where it began: what its steps left is there.
pub(super) fn require_place(wanted: &WorkflowOrder, state: &State) -> Result<(), Error> {
    let directory = wanted.workdir.as_ref().map(std::path::absolute).transpose();
    let directory = directory.map_err(|error| Error::environment(&error))?;
    let is_there = match (&state.options.place, wanted.worktree, &directory) {
        (_, false, None) => true,
        (Some(WorkPlace::Worktree(_)), true, None) => true,
        (Some(WorkPlace::Directory(known)), false, Some(said)) => said.as_os_str() == known.as_str(),
        _ => false,
    };
    if is_there {
        return Ok(());
    }
    let (run, place) =
        (&state.run, state.options.place.as_ref().map_or("the repository itself", WorkPlace::path));
    Err(Error::usage(format!("run `{run}` works in {place}, and a run keeps its place"))
        .hint("leave --worktree and --workdir away, or begin another run with them"))
}

/// What the run is to have from now on, where that is not what it has: what was said, and all else as it is.
pub(super) fn options_of(
    client: &LocalClient,
    wanted: &WorkflowOrder,
    loaded: &Loaded,
    state: &State,
) -> Result<Option<Options>, Error> {
    let options = said(client.layout(), wanted, state.options.clone())?;
    let options = with_agents(client.layout(), wanted, loaded, options)?;
    Ok((options != state.options).then_some(options))
}

/// Puts on record what was said, where that is not what the run has: of it, and of the runs that are its steps and rest.
pub(super) async fn take(
    client: &LocalClient,
    run: &RunId,
    wanted: &WorkflowOrder,
    loaded: &Loaded,
    notes: &mut Vec<String>,
) -> Result<(), Error> {
    let state = client.load::<State>(run, None).await?.state;
    if let Some(options) = options_of(client, wanted, loaded, &state)? {
        let lines = differences(&state.options, &options);
        client.record_at_rest::<State>(run, Command::ChangeOptions(Box::new(options))).await?;
        if state.options.parent.is_none() && !lines.is_empty() {
            notes.push(format!("from now on: {}", lines.join(", ")));
        }
    }
    for (_, asks) in state.inner_questions().into_iter().filter(|(_, asks)| asks.question.is_none()) {
        Box::pin(take(client, &asks.run, wanted, loaded, notes)).await?;
    }
    Ok(())
}

/// What is different, flag by flag. What variables hold is nobody's business but the steps'.
fn differences(was: &Options, is: &Options) -> Vec<String> {
    type Words = fn(&Options) -> Option<String>;
    let flags: [(&str, Words); 9] = [
        ("--max-attempts", |options| Some(options.max_attempts.to_string())),
        ("--max-iterations", |options| Some(options.max_iterations.to_string())),
        ("--max-parallel", |options| Some(options.max_parallel.to_string())),
        ("--pause-for-human-input", |options| options.pause_for_human_input.then(String::new)),
        ("--max-cost", |options| options.max_cost_microusd.map(money)),
        ("--daily-cost-limit", |options| options.daily_cost_microusd.map(money)),
        ("--cost-limit-action", |options| Some(options.cost_limit_action.to_string())),
        ("--gate-state-file", |options| options.gate_state_file.clone()),
        ("--issue-number", |options| options.issue.as_ref().map(|issue| issue.number.clone())),
    ];
    let mut lines = Vec::new();
    for (flag, words) in flags {
        let (before, now) = (words(was), words(is));
        if before != now {
            let before = before.filter(|words| !words.is_empty()).map(|words| format!(" (was {words})"));
            let line = format!("{flag} {}", now.unwrap_or_default());
            lines.push(format!("{}{}", line.trim_end(), before.unwrap_or_default()));
        }
    }
    let names: BTreeSet<&String> = was.env.keys().chain(is.env.keys()).collect();
    let changed = names.into_iter().filter(|name| was.env.get(*name) != is.env.get(*name));
    lines.extend(changed.map(|name| format!("--env {name}")));
    lines.extend((was.launcher != is.launcher).then(|| "another way to start agents".to_owned()));
    lines.extend((was.report_schema != is.report_schema).then(|| "another --schema".to_owned()));
    lines
}
