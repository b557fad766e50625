//! `piton loop`: record a run, start its driver, watch it.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::{Zoned, civil};
use piton_config::{AgentOptions, Limit, Overrides, Plan, Settings, Task, config_hash, files, plan};
use piton_engine::world::prompt::{self, PromptError};
use piton_engine::launch::Secrets;
use piton_engine::world::{open_workspace, wants_worktree};
use piton_engine::{Layout, LocalClient};
use piton_model::hook::Mode;
use piton_model::loop_machine::{Adoption, LoopConfig, ModePolicy, Prompt, Worktree, create};
use piton_model::{ExitCode, Kind, RunId, Status, Timestamp, exit_code, slug};
use piton_sys::{Clock, Ids, SystemClock, SystemIds};
use piton_view::Client;

use super::resume;
use crate::cli::{Global, LoopArguments, RaiseArguments};
use crate::failure::Failure;
use crate::output::{Output, clean_line};
use crate::viewer::{self, From};
use crate::{configuration, hooked, known, repository, start};

pub(super) async fn run(
    global: &Global,
    arguments: &LoopArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    begin(global, arguments, None, out).await
}

/// Begins a run, with what another one left where there is something.
pub(super) async fn begin(
    global: &Global,
    arguments: &LoopArguments,
    adoption: Option<Adoption>,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let layout = repository::layout(global)?;
    let Plan { mut config, resolved } = plan_of(&layout, arguments)?;
    if let Prompt::Text(text) = &mut config.prompt {
        let clean = Secrets::of(layout.root())?.redactor().redact(text).into_owned();
        if clean != *text {
            out.note("note: what looks like a secret was taken out of the task, which is kept on disk; use a variable for it");
            *text = clean;
        }
    }
    config.on_done = arguments.on_done.clone();
    let deadline = resolved.settings.ends.deadline.as_ref().map(|time| ("`deadline`", time.value.as_str()));
    let deadline = arguments.deadline.as_deref().map(|time| ("--deadline", time)).or(deadline);
    config.limits.deadline = deadline.map(|(place, time)| deadline_of(place, time)).transpose()?;
    if arguments.attended {
        config.mode.start = Mode::Attended;
    }
    config.mode.utc_offset_s = match config.mode == ModePolicy::default() {
        true => 0,
        false => Zoned::now().offset().seconds(),
    };
    hooked::add(&mut config, &layout, &resolved.settings, arguments.trust, out)?;
    for note in &resolved.notes {
        out.note(format!("note: {note}"));
    }
    if let Some(note) = not_enforced(&config, &resolved.settings) {
        out.note(note);
    }
    let task = task_of(&config, layout.root(), out)?;
    check_agent(&config, layout.root())?;
    require_fresh(&config, layout.root())?;
    if config.confine.is_some() {
        configuration::require_walls()?;
    }
    let run = run_id(arguments, &task)?;
    let client = repository::open_or_create(&layout)?;
    config.worktree = worktree_of(&client, arguments, &resolved.settings.worktree, &run).await?;
    let from = match existing(&client, &run, &config).await? {
        Some(()) => {
            out.note(format!("run `{run}` exists and is unfinished: going on with it"));
            From::After(resume::resume(&client, &run, &raise_of(arguments), false).await?)
        }
        None => {
            refuse_crowd(&client, &config, arguments.force).await?;
            client.create_with(&create(run.clone(), title(&task), config)?, adoption).await?;
            if let Err(failure) = known::remember(&layout) {
                out.note(format!(
                    "note: `piton ls --everywhere` will not find this run: {}",
                    failure.message
                ));
            }
            start::driver(&client, &run, false).await?;
            From::Start
        }
    };
    if arguments.detach {
        if out.json {
            out.json(&serde_json::json!({ "run_id": run }));
        } else {
            out.line(format!("{run} works in the background: `piton attach {}`", run.short()));
        }
        return Ok(ExitCode::Done);
    }
    viewer::view(&client, &run, from, out).await
}

/// The task as the first iteration will have it, with whatever is to be said about its file.
fn task_of(config: &LoopConfig, root: &Path, out: &Output) -> Result<String, Failure> {
    let task = prompt::at_start(config, root).map_err(|error| {
        let hint = match &error {
            PromptError::Wrong(_) => "correct it; docs/prompts.md says what a prompt file may hold",
            _ => "write the task into it, or give it as an argument",
        };
        Failure::of(ExitCode::Usage, &error).hint(hint)
    })?;
    for warning in &task.warnings {
        out.note(format!("note: {}", clean_line(warning)));
    }
    Ok(task.text)
}

/// A ceiling on something that the agent does not tell is no ceiling.
fn not_enforced(config: &LoopConfig, settings: &Settings) -> Option<String> {
    let reports = piton_config::find(settings, &config.agent.name).unwrap_or_default().reports;
    let missing = |limited: bool, word: &str| limited && !reports.iter().any(|report| report == word);
    let missing: Vec<_> = [
        ("cost", missing(config.limits.cost_microusd.is_some(), "cost")),
        ("tokens", missing(config.limits.tokens.is_some(), "tokens")),
    ]
    .into_iter()
    .filter_map(|(word, missing)| missing.then_some(word))
    .collect();
    (!missing.is_empty()).then(|| {
        let missing = missing.join(" and ");
        format!(
            "note: {missing}: unknown (not enforced), unless the agent `{}` reports it",
            config.agent.name
        )
    })
}

/// Limits that are named with a run that exists are its new limits.
fn raise_of(arguments: &LoopArguments) -> RaiseArguments {
    RaiseArguments {
        max_iterations: arguments.max_iterations.map(|count| count.to_string()),
        max_duration: arguments.max_duration.clone(),
        max_cost: arguments.max_cost.map(|cost| cost.to_string()),
        max_tokens: arguments.max_tokens.map(|count| count.to_string()),
        max_files: arguments.max_files.map(|count| count.to_string()),
        max_lines: arguments.max_lines.map(|count| count.to_string()),
        max_reboots: arguments.max_reboots.map(|count| count.to_string()),
    }
}

/// A time of day means the next one, where this machine is.
fn deadline_of(place: &str, text: &str) -> Result<Timestamp, Failure> {
    let now = Zoned::now();
    let here = |moment: civil::DateTime| now.time_zone().to_zoned(moment);
    // A date with a time would pass for its time alone.
    let moment = match text.contains('-') {
        true => text.parse::<civil::DateTime>().and_then(here),
        false => text.parse::<civil::Time>().and_then(|time| {
            let today = now.date().to_datetime(time);
            match here(today) {
                Ok(moment) if moment > now => Ok(moment),
                _ => today.tomorrow().and_then(here),
            }
        }),
    };
    let moment = moment.map_err(|_| {
        Failure::usage(format!("{place}: `{}` is no time", clean_line(text)))
            .hint("write 07:00, or 2026-02-15T07:00")
    })?;
    if moment <= now {
        return Err(Failure::usage(format!("{place}: {moment} has passed")));
    }
    Ok(Timestamp::from_millis(moment.timestamp().as_millisecond()))
}

fn plan_of(layout: &Layout, arguments: &LoopArguments) -> Result<Plan, Failure> {
    let files = configuration::read(layout)?;
    if !arguments.trust {
        configuration::require_trust(layout, &files)?;
    }
    let mut limits = BTreeMap::new();
    let mut limit = |limit: Limit, value: Option<String>| value.map(|value| limits.insert(limit, value));
    limit(Limit::MaxIterations, arguments.max_iterations.map(|count| count.to_string()));
    limit(Limit::MaxDuration, arguments.max_duration.clone());
    limit(Limit::MaxCost, arguments.max_cost.map(|cost| cost.to_string()));
    limit(Limit::MaxTokens, arguments.max_tokens.map(|count| count.to_string()));
    limit(Limit::MaxFiles, arguments.max_files.map(|count| count.to_string()));
    limit(Limit::MaxLines, arguments.max_lines.map(|count| count.to_string()));
    limit(Limit::MaxReboots, arguments.max_reboots.map(|count| count.to_string()));
    let overrides = Overrides {
        agent: arguments.agent.clone(),
        exec: arguments.exec.clone(),
        options: AgentOptions {
            mode: arguments.sandbox.clone(),
            model: arguments.model.clone(),
            arguments: arguments.agent_arguments.clone(),
            ..AgentOptions::default()
        },
        confine: arguments.confine,
        prompt_file: arguments.prompt_file.as_ref().map(|path| path.display().to_string()),
        checks: arguments.check.clone(),
        limits,
    };
    let task = Task {
        text: arguments.task.clone(),
        until: arguments.until.clone(),
        found_prompt: files::find_prompt(layout.root()),
    };
    plan(&files, &configuration::variable, &overrides, &task).map_err(configuration::problems)
}

/// What the loop relies on is known and fresh, or it does not begin.
fn require_fresh(config: &LoopConfig, root: &Path) -> Result<(), Failure> {
    let Some(gaps) = &config.gaps else { return Ok(()) };
    let not_fresh = piton_engine::ledger::fresh::required(root, gaps, SystemClock.now()).not_fresh;
    if not_fresh.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = not_fresh.iter().map(|gap| gap.gap.as_str()).collect();
    let failure = Failure::new(ExitCode::Person, "what this loop relies on is not fresh (`[gaps] require`)")
        .hint(clean_line(&format!("run `piton gaps research {}`", names.join(" "))));
    let why = |gap: &piton_engine::ledger::fresh::NotFresh| clean_line(&format!("{}: {}", gap.gap, gap.why));
    Err(Failure { details: not_fresh.iter().map(why).collect(), ..failure })
}

/// An agent that is not there is found out before anything is recorded.
fn check_agent(config: &LoopConfig, root: &Path) -> Result<(), Failure> {
    let program = &config.agent.command[0];
    let path = std::env::var_os("PATH");
    match piton_sys::process::find_program(program.as_ref(), path.as_deref(), root) {
        Some(_) => Ok(()),
        None => {
            Err(Failure::new(ExitCode::Environment, format!("the agent program `{program}` is not in PATH"))
                .hint("install it, or name another with --agent or --exec"))
        }
    }
}

fn run_id(arguments: &LoopArguments, task: &str) -> Result<RunId, Failure> {
    let text = match &arguments.id {
        Some(id) => id.clone(),
        None => format!("ralph-{}-{}", slug(title(task)), SystemIds.hex(8)),
    };
    text.parse().map_err(|error| Failure::of(ExitCode::Usage, &error))
}

/// The first line that says something.
fn title(task: &str) -> &str {
    task.lines()
        .map(|line| line.trim_start_matches(['#', ' ']))
        .find(|line| !line.is_empty())
        .unwrap_or("loop")
}

/// An unfinished run of the same name and configuration is gone on with.
async fn existing(client: &LocalClient, run: &RunId, config: &LoopConfig) -> Result<Option<()>, Failure> {
    let state = match client.load(run, None).await {
        Ok(loaded) => loaded.state,
        Err(piton_engine::ClientError::Store(piton_store::Error::UnknownRun { .. }))
        | Err(piton_engine::ClientError::Load(piton_engine::load::LoadError::Store(
            piton_store::Error::UnknownRun { .. },
        ))) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let finished = matches!(exit_code(state.status, state.reason), Some(ExitCode::Done | ExitCode::Failed));
    if finished {
        let hint = match state.status {
            Status::Failed => format!("run `piton resume {run}` to go on with it, or choose another --id"),
            _ => format!(
                "choose another --id; `piton resume` goes on only with what is not done, `piton rm {run}` frees the name"
            ),
        };
        return Err(Failure::usage(format!("run `{run}` is {} already", state.status.as_str())).hint(hint));
    }
    let mut begun = state.config.clone();
    begun.limits = config.limits.clone();
    begun.file_digest = config.file_digest.clone();
    if config_hash(&begun) != config_hash(config) {
        let mut failure = Failure::usage(format!("run `{run}` exists with another configuration"))
            .hint(format!("run `piton resume {run}` to go on as it began, or choose another --id"));
        failure.details = differences(&begun, config);
        return Err(failure);
    }
    Ok(Some(()))
}

fn differences(begun: &LoopConfig, asked: &LoopConfig) -> Vec<String> {
    let mut list = Vec::new();
    let mut differ = |what: &str, begun: String, asked: String| {
        if begun != asked {
            list.push(clean_line(&format!("{what}: began with {begun}, asked for {asked}")));
        }
    };
    let prompt = |config: &LoopConfig| match &config.prompt {
        Prompt::Text(text) => format!("`{text}`"),
        Prompt::File(path) => format!("the file {path}"),
    };
    differ("task", prompt(begun), prompt(asked));
    differ("agent", format!("{:?}", begun.agent.command), format!("{:?}", asked.agent.command));
    let checks = |config: &LoopConfig| {
        config
            .checks
            .iter()
            .map(|check| format!("{}={}", check.name, check.command))
            .collect::<Vec<_>>()
            .join(", ")
    };
    differ("checks", checks(begun), checks(asked));
    differ("until", format!("{:?}", begun.until), format!("{:?}", asked.until));
    differ("session", format!("{:?}", begun.session), format!("{:?}", asked.session));
    differ("protected", format!("{:?}", begun.protect), format!("{:?}", asked.protect));
    differ("confined", format!("{:?}", begun.confine), format!("{:?}", asked.confine));
    differ("on_lost", format!("{:?}", begun.on_lost), format!("{:?}", asked.on_lost));
    list
}

/// The work tree of its own that a run gets, unless it works in place. A run that exists has what it has.
async fn worktree_of(
    client: &LocalClient,
    arguments: &LoopArguments,
    settings: &piton_config::Worktree,
    run: &RunId,
) -> Result<Option<Worktree>, Failure> {
    if let Ok(loaded) = client.load(run, None).await {
        return Ok(loaded.state.config.worktree);
    }
    let layout = client.layout();
    if arguments.here {
        return Ok(None);
    }
    let workspace = open_workspace(layout, run)?;
    let failed = |error: piton_git::Error| Failure::environment(&error);
    // What piton keeps and renders itself is no uncommitted work.
    workspace.protect_state().map_err(failed)?;
    if arguments.worktree && !workspace.standing().map_err(failed)?.has_commit {
        return Err(Failure::usage("--worktree needs a git repository with a commit to start from")
            .hint("commit something first, or give --here"));
    }
    if !arguments.worktree && !wants_worktree(&workspace).map_err(failed)? {
        return Ok(None);
    }
    let list = |list: &Option<piton_config::Sourced<Vec<String>>>| {
        list.as_ref().map(|list| list.value.clone()).unwrap_or_default()
    };
    let name = layout.root().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let path = layout.root().with_file_name(format!("{name}-{}", run.short()));
    if path.symlink_metadata().is_ok() {
        return Err(Failure::usage(format!("`{}` is in the way of the run's work tree", path.display()))
            .hint("choose another --id, or give --here"));
    }
    let path = path.to_str().ok_or_else(|| Failure::usage("the path of this repository is not UTF-8"))?;
    Ok(Some(Worktree {
        path: path.to_owned(),
        branch: format!("piton/{}", run.short()),
        copy: list(&settings.copy),
        link: list(&settings.link),
        setup: settings.setup.as_ref().map(|command| command.value.clone()),
    }))
}

/// Loops at once without being asked twice.
const LOOPS_MAX: usize = 4;

/// One work tree has one driver at a time, and a machine only so many loops.
async fn refuse_crowd(client: &LocalClient, config: &LoopConfig, force: bool) -> Result<(), Failure> {
    let mut driven = Vec::new();
    for run in client.runs().await?.into_iter().filter(|run| run.kind == Kind::Loop.as_str()) {
        if client.store().holder(&run.run_id).await?.is_some() {
            driven.push(run.run_id.to_string());
        }
    }
    if driven.len() >= LOOPS_MAX && !force {
        let mut failure = Failure::new(ExitCode::Held, format!("{} loops work here already", driven.len()))
            .hint("wait for one with `piton wait`, or give --force");
        failure.details = driven;
        return Err(failure);
    }
    let layout = client.layout().of_run(config);
    let Err(busy) = start::workspace_free(client, &layout).await? else { return Ok(()) };
    let mut failure = Failure::new(ExitCode::Held, "another run works in this tree")
        .hint("run `piton ls`; wait for it with `piton wait`, or stop it with `piton stop`");
    failure.details = busy.iter().map(ToString::to_string).collect();
    Err(failure)
}
