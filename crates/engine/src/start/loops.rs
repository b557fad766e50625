//! Starting a loop: configuration and order become one plan, which is checked and put on record.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use jiff::{Zoned, civil};
use piton_config::{Limit, Overrides, Plan, Settings, Task, config_hash, files, plan, says_something};
use piton_model::hook::Mode;
use piton_model::loop_machine::{
    Adoption, AgentConfig, GuardMode, LoopConfig, ModePolicy, Prompt, ProofPolicy, ProveMode, Review,
    WRITES_TEST, Worktree, create,
};
use piton_model::{ExitCode, Kind, RunId, Seq, State, Status, Timestamp, closest, exit_code, slug};
use piton_sys::{Clock, Ids, SystemClock, SystemIds};
use piton_view::words::clean_line;
use piton_view::{Error, ErrorKind, LimitWords, LoopOrder};
use serde_json::Value;

use super::{hooks, known, ready, require_program, resume};
use crate::client::LocalClient;
use crate::configuration;
use crate::driver_process;
use crate::launch::{Secrets, Surroundings, require_adapter};
use crate::layout::Layout;
use crate::unjudged;
use crate::world::prompt::{self, PromptError};
use crate::world::{WorldError, loop_place, open_workspace};

/// Begins a loop, with what another one left where there is something; goes on with one that is there and unfinished.
pub(super) async fn start(
    client: &LocalClient,
    order: &LoopOrder,
    adoption: Option<Adoption>,
    notes: &mut Vec<String>,
) -> Result<(RunId, Seq), Error> {
    let (mut config, settings, task) = prepared(client, order, false, notes)?;
    let run = run_id(order, &task)?;
    config.worktree = match worktree_of(client, order, &config, &settings.worktree, &run).await {
        Ok(worktree) => worktree,
        Err(failure) => return Err(super::overtaken(client, &run, failure).await),
    };
    begin(client, order, run, (config, &task), adoption, notes).await
}

/// What a loop is made of but for its name and its work tree: checked, and ready to be put on record. `ends_anyway`: what ends it is
/// said elsewhere.
pub(super) fn prepared(
    client: &LocalClient,
    order: &LoopOrder,
    ends_anyway: bool,
    notes: &mut Vec<String>,
) -> Result<(LoopConfig, Settings, String), Error> {
    let layout = client.layout();
    let Plan { mut config, resolved } = plan_of(layout, order, ends_anyway)?;
    if let Prompt::Text(text) = &mut config.prompt {
        let clean = Secrets::of(layout.root())?.redactor().redact(text).into_owned();
        if clean != *text {
            notes.push("note: what looks like a secret was taken out of the task, which is kept on disk; use a variable for it".to_owned());
            *text = clean;
        }
    }
    notes.extend(order.no_confine.then(|| super::NO_WALLS.to_owned()));
    config.on_done = order.on_done.clone();
    let deadline = resolved.settings.ends.deadline.as_ref().map(|time| ("`deadline`", time.value.as_str()));
    let deadline = order.deadline.as_deref().map(|time| ("--deadline", time)).or(deadline);
    config.limits.deadline = deadline.map(|(place, time)| deadline_of(place, time)).transpose()?;
    if order.attended {
        config.mode.start = Mode::Attended;
    }
    config.mode.utc_offset_s = match config.mode == ModePolicy::default() {
        true => 0,
        false => Zoned::now().offset().seconds(),
    };
    hooks::add(&mut config, layout, &resolved.settings, order.trust, notes)?;
    notes.extend(resolved.notes.iter().map(|note| format!("note: {note}")));
    notes.extend(not_enforced(&config, &resolved.settings));
    let task = task_of(&config, layout.root(), notes)?;
    require_rules(&config)?;
    config.agents().try_for_each(|agent| require_agent(agent, &config, layout))?;
    if let Some(review) = &config.review {
        require_reviewer(review, &config, layout)?;
    }
    ready::require_checks(&config.checks, layout.root())?;
    require_trials(&config, layout)?;
    require_fresh(&config, layout.root())?;
    if let Some(confine) = &config.confine {
        configuration::require_walls(layout, confine)?;
    }
    Ok((config, resolved.settings, task))
}

/// Puts it on record and starts its driver; goes on with one that is there and unfinished.
async fn begin(
    client: &LocalClient,
    order: &LoopOrder,
    run: RunId,
    (config, task): (LoopConfig, &str),
    adoption: Option<Adoption>,
    notes: &mut Vec<String>,
) -> Result<(RunId, Seq), Error> {
    let layout = client.layout();
    if config.confine.is_some() || config.review.is_some() {
        configuration::require_home_outside(layout.of_run(&config).tree())?;
    }
    if is_there(client, &run, &config).await? {
        notes.push(format!("run `{run}` exists and is unfinished: going on with it"));
        let after = resume::of_loop(client, &run, &order.limits, (false, false), notes).await?;
        return Ok((run, after));
    }
    let _alone = driver_process::alone_to_start(&layout.of_run(&config)).await?;
    refuse_crowd(client, &run, &config, order.force).await?;
    if let Some(worktree) = &config.worktree {
        notes.extend(super::goes_along(client.layout(), &run)?);
        notes.extend(super::said_of(worktree));
        notes.extend(super::too_large(client.layout(), &run, worktree)?);
        notes.extend(super::not_filtered(client.layout(), &run)?);
    }
    let adoption = match unjudged::left_here(client, &run, config.confine.as_ref()).await? {
        Some(left) => {
            notes.extend(left.notes(&run));
            Some(left.adopted(adoption))
        }
        None => adoption,
    };
    if let Err(error) = client.create_loop(create(run.clone(), title(task), config)?, adoption).await {
        return Err(super::overtaken(client, &run, error.into()).await);
    }
    if let Err(error) = if order.plain { Ok(()) } else { known::remember(layout) } {
        notes.push(format!("note: `piton ls --everywhere` will not find this run: {}", error.message));
    }
    driver_process::start(client, &run, false).await?;
    Ok((run, 0))
}

/// The task as the first iteration will have it, with whatever is to be said about its file.
fn task_of(config: &LoopConfig, root: &Path, notes: &mut Vec<String>) -> Result<String, Error> {
    let task = prompt::at_start(config, root).map_err(|error| {
        let hint = match &error {
            PromptError::Wrong(_) => "correct it; docs/prompts.md says what a prompt file may hold",
            _ => "write the task into it, or give it as an argument",
        };
        Error::of(ErrorKind::Usage, &error).hint(hint)
    })?;
    if !says_something(&task.text) {
        return Err(Error::usage("the task says nothing")
            .hint("write down what is to be done; an agent is paid for reading it"));
    }
    notes.extend(task.warnings.iter().map(|warning| format!("note: {}", clean_line(warning))));
    Ok(task.text)
}

/// An agent that may be asked is there and understood, before any of them is paid for.
fn require_agent(agent: &AgentConfig, config: &LoopConfig, layout: &Layout) -> Result<(), Error> {
    let is_fallback = agent.name != config.agent.name;
    let told = |error: Error| match is_fallback {
        true => Error { message: format!("`[agent] fallback`: {}", error.message), ..error }
            .hint(format!("install it, or take `{}` out of `[agent] fallback`", agent.name)),
        false => error,
    };
    require_program(agent, layout.root()).map_err(told)?;
    if is_fallback {
        require_adapter(agent).map_err(|why| told(Error::new(ErrorKind::Environment, why)))?;
    }
    Ok(())
}

/// Whoever is to read the work is there, and can be kept from writing: without walls it could write what it judges, and what it reads
/// could have it do so.
fn require_reviewer(review: &Review, config: &LoopConfig, layout: &Layout) -> Result<(), Error> {
    let told = |error: Error| Error { message: format!("`--review`: {}", error.message), ..error };
    let agent = &review.agent;
    require_program(agent, layout.root())
        .map_err(|error| told(error).hint("install it, or do without `--review` and `[loop] review`"))?;
    require_adapter(agent).map_err(|why| told(Error::new(ErrorKind::Environment, why)))?;
    let confine = config.confine.clone().unwrap_or_default();
    configuration::require_walls(layout, &confine).map_err(|error| {
        told(error)
            .hint("install bubblewrap, or do without `--review` and `[loop] review`: nobody reads unconfined")
    })
}

/// Ceilings on something that an agent does not tell are no ceilings.
fn not_enforced(config: &LoopConfig, settings: &Settings) -> Vec<String> {
    config.agents().filter_map(|agent| not_enforced_on(agent, config, settings)).collect()
}

fn not_enforced_on(agent: &AgentConfig, config: &LoopConfig, settings: &Settings) -> Option<String> {
    let reports = piton_config::find(settings, &agent.name).unwrap_or_default().reports;
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
        format!("note: {missing}: unknown (not enforced), unless the agent `{}` reports it", agent.name)
    })
}

/// A time of day means the next one, where this machine is.
fn deadline_of(place: &str, text: &str) -> Result<Timestamp, Error> {
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
        Error::usage(format!("{place}: `{}` is no time", clean_line(text)))
            .hint("write 07:00, or 2026-02-15T07:00")
    })?;
    if moment <= now {
        return Err(Error::usage(format!("{place}: {moment} has passed")));
    }
    Ok(Timestamp::from_millis(moment.timestamp().as_millisecond()))
}

/// What the configuration and an order make. `ends_anyway`: what ends it is said elsewhere.
pub(super) fn plan_of(layout: &Layout, order: &LoopOrder, ends_anyway: bool) -> Result<Plan, Error> {
    let files = if order.plain { files::Files::default() } else { configuration::read(layout)? };
    if !order.trust {
        configuration::require_trust(layout, &files)?;
    }
    let variable = |name: &str| configuration::variable(name).filter(|_| !order.plain);
    let LimitWords { iterations, duration, cost, tokens, files: files_max, lines, reboots } = &order.limits;
    let limits = [
        (Limit::MaxIterations, iterations),
        (Limit::MaxDuration, duration),
        (Limit::MaxCost, cost),
        (Limit::MaxTokens, tokens),
        (Limit::MaxFiles, files_max),
        (Limit::MaxLines, lines),
        (Limit::MaxReboots, reboots),
    ];
    let limits: BTreeMap<_, _> =
        limits.into_iter().filter_map(|(limit, value)| Some((limit, value.clone()?))).collect();
    let overrides = Overrides {
        review: order.review.clone(),
        confine: order.confine,
        no_confine: order.no_confine,
        prompt_file: order.prompt_file.as_ref().map(|path| path.display().to_string()),
        checks: order.checks.clone(),
        limits,
        ..configuration::chosen(&order.agent)
    };
    let task = Task {
        text: order.task.clone(),
        until: order.until.clone(),
        found_prompt: files::find_prompt(layout.root()),
        ends_anyway,
    };
    plan(&files, &variable, &overrides, &task).map_err(configuration::problems)
}

/// A rule that is switched off by a wrong name would be on.
fn require_rules(config: &LoopConfig) -> Result<(), Error> {
    let names = || piton_guard::RULES.iter().map(|rule| rule.name).chain([WRITES_TEST]);
    let Some(off) = config.rules_off.iter().find(|off| !names().any(|name| name == off.rule)) else {
        return Ok(());
    };
    let error = Error::usage(clean_line(&format!("`[guard.rules]`: the guard has no rule `{}`", off.rule)));
    Err(match closest(&off.rule, names()) {
        Some(meant) => error.hint(format!("did you mean `{meant}`?")),
        None => error.hint("`piton guard rules` lists them"),
    })
}

/// Refuses a run that needs a proof where there can be no trials: it would never be done.
fn require_trials(config: &LoopConfig, layout: &Layout) -> Result<(), Error> {
    if config.proof == ProofPolicy::Optional {
        return Ok(());
    }
    let refused = |kind, why: &str| {
        Error::new(kind, format!("`[loop] proof = \"required\"` needs trials: {why}"))
            .hint("install bubblewrap, or set `[loop] proof = \"optional\"`")
    };
    if config.prove == ProveMode::Off || config.guard == GuardMode::Off {
        return Err(refused(ErrorKind::Usage, "`[guard]` has them off"));
    }
    crate::prove::available(layout).map_err(|why| refused(ErrorKind::Environment, &why))
}

/// What the loop relies on is known and fresh, or it does not begin.
fn require_fresh(config: &LoopConfig, root: &Path) -> Result<(), Error> {
    let Some(gaps) = &config.gaps else { return Ok(()) };
    let not_fresh = crate::ledger::fresh::required(root, gaps, SystemClock.now()).not_fresh;
    if not_fresh.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = not_fresh.iter().filter(|gap| gap.is_there).map(|gap| gap.gap.as_str()).collect();
    let error = Error::new(ErrorKind::Person, "what this loop relies on is not fresh (`[gaps] require`)");
    let error = error.hint(match names.is_empty() {
        true => "`piton gaps list` shows what there is; correct `[gaps] require`, or add the gap".to_owned(),
        false => clean_line(&format!("run `piton gaps research {}`", names.join(" "))),
    });
    let why = |gap: &piton_model::ledger::NotFresh| clean_line(&format!("{}: {}", gap.gap, gap.why));
    Err(error.details(not_fresh.iter().map(why).collect()))
}

fn run_id(order: &LoopOrder, task: &str) -> Result<RunId, Error> {
    let text = match &order.id {
        Some(id) => id.clone(),
        None => format!("ralph-{}-{}", slug(title(task)), SystemIds.hex(8)),
    };
    super::name_of(&text)
}

/// The first line that says something.
fn title(task: &str) -> &str {
    task.lines()
        .map(|line| line.trim_start_matches(['#', ' ']))
        .find(|line| !line.is_empty())
        .unwrap_or("loop")
}

/// Whether the run is there. An unfinished one of the same configuration is gone on with, another is refused.
async fn is_there(client: &LocalClient, run: &RunId, config: &LoopConfig) -> Result<bool, Error> {
    let Some(state) = client.load_if_there::<State>(run).await? else { return Ok(false) };
    let state = state.state;
    let finished = matches!(exit_code(state.status, state.reason), Some(ExitCode::Done | ExitCode::Failed));
    if finished {
        let hint = match state.status {
            Status::Failed => format!("run `piton resume {run}` to go on with it, or choose another --id"),
            _ => format!(
                "choose another --id; `piton fork {run} --iteration N` goes on from one of its iterations, `piton rm {run}` frees the name"
            ),
        };
        return Err(Error::usage(format!("run `{run}` is {} already", state.status.as_str())).hint(hint));
    }
    let mut begun = state.config.clone();
    begun.limits = config.limits.clone();
    begun.file_digest = config.file_digest.clone();
    if config_hash(&begun) != config_hash(config) {
        return Err(Error::usage(format!("run `{run}` exists with another configuration"))
            .hint(format!("run `piton resume {run}` to go on as it began, or choose another --id"))
            .details(differences(&begun, config)));
    }
    Ok(true)
}

fn differences(begun: &LoopConfig, asked: &LoopConfig) -> Vec<String> {
    let mut list = Vec::new();
    let prompt = |config: &LoopConfig| match &config.prompt {
        Prompt::Text(text) => format!("`{text}`"),
        Prompt::File(path) => format!("the file {path}"),
    };
    differ(&mut list, "task", prompt(begun), prompt(asked));
    let checks = |config: &LoopConfig| {
        let checks = config.checks.iter().map(|check| format!("{}={}", check.name, check.command));
        checks.collect::<Vec<_>>().join(", ")
    };
    differ(&mut list, "checks", checks(begun), checks(asked));
    let data = |config: &LoopConfig| {
        let mut data = serde_json::to_value(config).expect("a configuration is plain data");
        if let Some(members) = data.as_object_mut() {
            members.retain(|name, _| !["prompt", "checks"].contains(&name.as_str()));
        }
        data
    };
    members_differ(&mut list, "", &data(begun), &data(asked));
    list
}

fn differ(list: &mut Vec<String>, what: &str, begun: String, asked: String) {
    let short = |text: String| match text.char_indices().nth(100) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    };
    if begun != asked {
        list.push(clean_line(&format!("{what}: began with {}, asked for {}", short(begun), short(asked))));
    }
}

/// Every member that is not the same, by its way from the top.
fn members_differ(list: &mut Vec<String>, path: &str, begun: &Value, asked: &Value) {
    let none = serde_json::Map::new();
    let (Some(before), Some(now)) = (
        begun.as_object().or(begun.is_null().then_some(&none)),
        asked.as_object().or(asked.is_null().then_some(&none)),
    ) else {
        let shown = |value: &Value| if value.is_null() { "nothing".to_owned() } else { value.to_string() };
        return differ(list, path, shown(begun), shown(asked));
    };
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    for name in names {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let of = |members: &serde_json::Map<String, Value>| members.get(name).cloned().unwrap_or_default();
        members_differ(list, &path, &of(before), &of(now));
    }
}

/// The work tree of its own that a run gets, unless it works in place. A run that exists has what it has.
async fn worktree_of(
    client: &LocalClient,
    order: &LoopOrder,
    config: &LoopConfig,
    settings: &piton_config::Worktree,
    run: &RunId,
) -> Result<Option<Worktree>, Error> {
    if let Ok(loaded) = client.load::<State>(run, None).await {
        return Ok(loaded.state.config.worktree);
    }
    let layout = client.layout();
    if order.here {
        return Ok(None);
    }
    let workspace = open_workspace(layout, run)?;
    let failed = |error: piton_git::Error| Error::environment(&error);
    // What piton keeps and renders itself is no uncommitted work.
    workspace.protect_state().map_err(failed)?;
    // What is there may be what another run's agent left, and git asks filters whether it changed.
    let launch = Surroundings::open(run, layout, config.confine.as_ref()).map_err(WorldError::from)?;
    let around = launch.around_filters(&workspace, Some(&config.agent)).map_err(WorldError::from)?;
    let workspace = workspace.running_filters_in(around);
    if !order.worktree && !loop_place(&workspace).map_err(failed)?.is_own_tree() {
        return Ok(None);
    }
    let name = super::name_of_tree(run, order.id.as_deref());
    super::own_tree(layout, run, name, settings, "choose another --id, or give --here").map(Some)
}

/// Loops at once without being asked twice.
pub(super) const LOOPS_MAX: usize = 4;

/// One work tree has one driver at a time, and a machine only so many loops.
async fn refuse_crowd(
    client: &LocalClient,
    run: &RunId,
    config: &LoopConfig,
    force: bool,
) -> Result<(), Error> {
    let mut driven = Vec::new();
    for run in client.entries().await?.into_iter().filter(|run| run.kind == Kind::Loop) {
        let holder = LocalClient::unless_damaged(client.driver_of(&run.run_id).await)?;
        if holder.flatten().is_some() {
            driven.push(run.run_id.to_string());
        }
    }
    if driven.len() >= LOOPS_MAX && !force {
        return Err(Error::new(ErrorKind::Held, format!("{} loops work here already", driven.len()))
            .hint("wait for one with `piton wait`, or give --force")
            .details(driven));
    }
    let layout = client.layout().of_run(config);
    if let Err(busy) = driver_process::tree_free(client, &layout).await? {
        return Err(driver_process::taken(&busy));
    }
    let busy = driver_process::at_work_in(client, config.worktree.as_ref(), run).await?;
    if busy.is_empty() { Ok(()) } else { Err(driver_process::taken(&busy)) }
}
