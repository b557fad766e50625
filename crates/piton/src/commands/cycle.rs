//! `piton cycle`: a team of agents around one shared state.

use std::collections::BTreeMap;

use piton_model::ExitCode;
use piton_model::cycle::{BlockerStatus, DecisionStatus, RoleName};
use piton_view::{
    CycleOrder, CycleRequest, CycleStatus, LimitWords, Order, PrepChoice, Request, Started, StateOf, StatusOf,
};

use super::resume::limits_of;
use super::{begun, said, task};
use crate::cli::cycle::{
    BlockerArguments, CycleArguments, CycleCommand, DecideArguments, ExtendArguments, FeedbackArguments,
    RebuildArguments, StartArguments,
};
use crate::cli::{Global, LoopArguments, RunArgument};
use crate::failure::{ErrorKind, Failure, Result};
use crate::output::{Output, clean_line};
use crate::repository;

pub(super) async fn run(global: &Global, arguments: CycleArguments, out: &Output) -> Result {
    match arguments.command {
        CycleCommand::Start(arguments) => start(global, *arguments, out).await,
        CycleCommand::Extend(arguments) => extend(global, arguments, out).await,
        CycleCommand::Resume(arguments) => super::resume::run(global, arguments, out).await,
        CycleCommand::Show(argument) => show(global, &argument, out).await,
        CycleCommand::Feedback(arguments) => feedback(global, arguments, out).await,
        CycleCommand::Decide(arguments) => decide(global, arguments, out).await,
        CycleCommand::Blocker(arguments) => blocker(global, arguments, out).await,
        CycleCommand::Rebuild(arguments) => rebuild(global, arguments, out).await,
        CycleCommand::Prompt(arguments) => {
            out.line(repository::prompt_of(&arguments.role).trim_end());
            Ok(ExitCode::Done)
        }
    }
}

async fn start(global: &Global, arguments: StartArguments, out: &Output) -> Result {
    let detach = arguments.detach;
    let client = repository::open_or_create(&repository::layout(global)?);
    let order = order_of(arguments, global.trust)?;
    let started = client.start(Order::Cycle(Box::new(order))).await?;
    begun(&*client, started, detach, None, out).await
}

/// What the words of the command line say.
fn order_of(arguments: StartArguments, trust: bool) -> Result<CycleOrder> {
    let description = arguments.description.map(|text| match text.strip_prefix('@') {
        Some(path) => std::fs::read_to_string(path)
            .map_err(|error| Failure::usage(format!("--description: `{path}` cannot be read: {error}"))),
        None => Ok(text),
    });
    let mut agents = BTreeMap::new();
    for word in &arguments.agent_for {
        let (role, name) = word.split_once('=').ok_or_else(|| {
            Failure::usage(format!("--agent-for: `{word}` names no agent"))
                .hint("write ROLE=NAME, as cd=claude")
        })?;
        agents.insert(role.to_owned(), name.to_owned());
    }
    Ok(CycleOrder {
        task: task::text(arguments.task)?,
        description: description.transpose()?,
        agent: arguments.agent.into(),
        agents,
        checks: arguments.check,
        limits: LimitWords {
            iterations: arguments.max_iterations.map(|count| count.to_string()),
            duration: arguments.max_duration,
            cost: arguments.max_cost.map(|cost| cost.to_string()),
            tokens: arguments.max_tokens.map(|count| count.to_string()),
            ..LimitWords::default()
        },
        id: arguments.id,
        auto: arguments.auto,
        confine: arguments.confine,
        no_confine: arguments.no_confine,
        prep: prep_of(arguments.prep, arguments.no_prep)?,
        worktree: arguments.worktree,
        on_done: arguments.on_done,
        trust,
    })
}

fn prep_of(file: Option<std::path::PathBuf>, without: bool) -> Result<PrepChoice> {
    Ok(match file {
        Some(path) => {
            let path = std::path::absolute(&path)
                .map_err(|error| Failure::usage(format!("--prep: `{}`: {error}", path.display())))?;
            PrepChoice::File(path.display().to_string())
        }
        None if without => PrepChoice::Without,
        None => PrepChoice::Usual,
    })
}

/// Renders the files of a cycle that the journal has; of one that it does not have, recreates it from them.
async fn rebuild(global: &Global, arguments: RebuildArguments, out: &Output) -> Result {
    let run = Some(arguments.run.clone());
    match super::rebuild::run(global, &RunArgument { run }, out).await {
        Err(failure) if matches!(failure.kind, ErrorKind::UnknownRun | ErrorKind::Usage) => {}
        rendered => return rendered,
    }
    let order = CycleOrder {
        agent: arguments.agent.into(),
        checks: arguments.check,
        limits: LimitWords {
            iterations: arguments.max_iterations.map(|count| count.to_string()),
            ..LimitWords::default()
        },
        trust: global.trust,
        ..CycleOrder::default()
    };
    let client = repository::open_or_create(&repository::layout(global)?);
    let order = Order::RebuildCycle { id: arguments.run, order: Box::new(order) };
    Ok(taken_up(&client.start(order).await?, out))
}

/// How a cycle goes on that another tool left.
pub(super) fn order_of_import(arguments: LoopArguments, trust: bool) -> CycleOrder {
    CycleOrder {
        agent: arguments.agent.into(),
        checks: arguments.check,
        limits: LimitWords {
            iterations: arguments.max_iterations.map(|count| count.to_string()),
            duration: arguments.max_duration,
            cost: arguments.max_cost.map(|cost| cost.to_string()),
            tokens: arguments.max_tokens.map(|count| count.to_string()),
            ..LimitWords::default()
        },
        trust,
        ..CycleOrder::default()
    }
}

/// A cycle is on record, and rests.
pub(super) fn taken_up(started: &Started, out: &Output) -> ExitCode {
    started.notes.iter().for_each(|note| out.note(note));
    let run = &started.run_id;
    match out.json {
        true => out.json(&serde_json::json!({ "run_id": run, "notes": started.notes })),
        false => out.did(format!("{run} is on record")),
    }
    ExitCode::Done
}

async fn extend(global: &Global, arguments: ExtendArguments, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, Some(&arguments.run)).await?;
    let started = client.extend(&run, arguments.text, limits_of(arguments.raise)).await?;
    begun(&*client, started, arguments.detach, None, out).await
}

async fn show(global: &Global, argument: &RunArgument, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, argument.run.as_deref()).await?;
    let view = client.status(&run).await?;
    let StatusOf::Cycle(status) = &view.of else { return Err(not_a_cycle(&run)) };
    match out.json {
        true => out.json(status),
        false => view.screen.iter().for_each(|line| out.row(line)),
    }
    Ok(ExitCode::Done)
}

fn not_a_cycle(run: &piton_model::RunId) -> Failure {
    Failure::usage(format!("run `{run}` is no cycle")).hint("run `piton ls --kind cycle`")
}

/// Who says it: a role that is at work, else a person.
fn speaker() -> String {
    std::env::var("PITON_ROLE").ok().filter(|role| !role.is_empty()).unwrap_or_else(|| "user".to_owned())
}

/// Asks something of a cycle and says that it was taken.
async fn ask(global: &Global, run: &str, request: CycleRequest, word: &str, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, Some(run)).await?;
    let asked = client.request(&run, Request::Cycle(request)).await?;
    said(&asked, out);
    match out.json {
        true => out.json(&asked),
        false => out.did(format!(
            "{word}; run {} is {}",
            run.short(),
            piton_view::words::status_word(asked.status)
        )),
    }
    Ok(ExitCode::Done)
}

async fn status_of(global: &Global, run: &str) -> Result<Box<CycleStatus>> {
    let (client, run) = repository::open_run(global, Some(run)).await?;
    match client.status(&run).await?.of {
        StatusOf::Cycle(status) => Ok(status),
        _ => Err(not_a_cycle(&run)),
    }
}

async fn feedback(global: &Global, arguments: FeedbackArguments, out: &Output) -> Result {
    let Some(content) = arguments.text else { return list_feedback(global, &arguments.run, out).await };
    let target = RoleName::new(arguments.to);
    let word = format!("{target} reads it with its next prompt");
    let request = CycleRequest::Feedback { source: speaker(), target, content, kind: arguments.kind };
    ask(global, &arguments.run, request, &word, out).await
}

async fn list_feedback(global: &Global, run: &str, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, Some(run)).await?;
    let StateOf::Cycle(state) = client.show(&run, None).await?.state else { return Err(not_a_cycle(&run)) };
    match out.json {
        true => out.json(&state.feedback.recent),
        false => {
            for entry in &state.feedback.recent {
                // A bug report goes on with what a check printed: the prompt and `--json` have that.
                let (first, more) = entry.content.split_once('\n').unwrap_or((&entry.content, ""));
                let more = if more.trim().is_empty() { "" } else { " …" };
                let line = format!(
                    "{}  {} → {}  {}  {first}{more}",
                    entry.at, entry.source, entry.target, entry.kind
                );
                out.row(clean_line(&line));
            }
        }
    }
    Ok(ExitCode::Done)
}

async fn decide(global: &Global, arguments: DecideArguments, out: &Output) -> Result {
    let run = &arguments.run;
    if let Some(description) = arguments.propose {
        let request = CycleRequest::Propose {
            description,
            options: arguments.between,
            by: speaker(),
            waits: arguments.wait,
        };
        return ask(global, run, request, "proposed", out).await;
    }
    let Some(id) = arguments.decision else {
        let status = status_of(global, run).await?;
        match out.json {
            true => out.json(&status.decisions),
            false => {
                for known in &status.decisions {
                    let chosen =
                        known.chosen_option.as_ref().map_or_else(String::new, |option| format!(": {option}"));
                    let options = known.options.join(" | ");
                    out.row(clean_line(&format!(
                        "{}  {}{chosen}  {} ({options})",
                        known.id, known.status, known.description
                    )));
                }
            }
        }
        return Ok(ExitCode::Done);
    };
    let status = if arguments.implemented { DecisionStatus::Implemented } else { DecisionStatus::Made };
    let word = format!("{id} is {status}");
    let request = CycleRequest::Settle { id, status, option: arguments.option, by: speaker() };
    ask(global, run, request, &word, out).await
}

async fn blocker(global: &Global, arguments: BlockerArguments, out: &Output) -> Result {
    let run = &arguments.run;
    if let Some(description) = arguments.report {
        let request = CycleRequest::Block { description, by: speaker() };
        return ask(global, run, request, "reported", out).await;
    }
    let Some(id) = arguments.blocker else {
        let status = status_of(global, run).await?;
        match out.json {
            true => out.json(&status.blockers),
            false => {
                for known in &status.blockers {
                    let how = known.resolution.as_ref().map_or_else(String::new, |how| format!(": {how}"));
                    let line = format!(
                        "{}  {}{how}  {} ({})",
                        known.id, known.status, known.description, known.reported_by
                    );
                    out.row(clean_line(&line));
                }
            }
        }
        return Ok(ExitCode::Done);
    };
    let (status, resolution) = match (arguments.resolve, arguments.workaround) {
        (Some(text), _) => (BlockerStatus::Resolved, text),
        (None, Some(text)) => (BlockerStatus::Workaround, text),
        (None, None) => return Err(Failure::usage("say how: --resolve TEXT or --workaround TEXT")),
    };
    let word = format!("{id} is {status}");
    ask(global, run, CycleRequest::Unblock { id, status, resolution: Some(resolution) }, &word, out).await
}
