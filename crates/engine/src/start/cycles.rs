//! Starting a cycle: configuration and order become its configuration, which is checked and put on record.

use std::collections::BTreeMap;

use piton_config::{Limit, Overrides, Plan, Task, plan, resolve};
use piton_files::cycle::{PREP_PACKAGE, Zone};
use piton_model::cycle::prep::{Said, bring};
use piton_model::cycle::{Config, Order, PrepFound, State, create, raise_past};
use piton_model::loop_machine::{LoopConfig, Worktree};
use piton_model::{Machine, Reason, RunId, Seq};
use piton_sys::{Clock, Ids, SystemClock, SystemIds};
use piton_view::{
    AgentChoice, Client, CycleOrder, CycleRequest, Error, ErrorKind, LimitWords, PrepChoice, Request, Started,
};

use super::resume::{Used, free, raise_of};
use super::{hooks, known, prep, ready, team};
use crate::client::LocalClient;
use crate::configuration;
use crate::driver_process;
use crate::launch::Secrets;
use crate::layout::Layout;
use crate::unjudged;

/// Iterations of a cycle, where nobody says.
const ITERATIONS: u32 = 5;
/// How long a phase may take, and how long a role that was asked to come to an end.
const PHASE_MS: u64 = 30 * 60_000;
const GRACE_MS: u64 = 3 * 60_000;
/// How many minutes the published files are ahead of UTC, as their format asks for.
const UTC_OFFSET_MINUTES: i32 = 8 * 60;

/// Begins a cycle, or goes on with the one that is there and unfinished.
pub(super) async fn start(
    client: &LocalClient,
    order: &CycleOrder,
    notes: &mut Vec<String>,
) -> Result<(RunId, Seq), Error> {
    let layout = client.layout();
    notes.extend(order.no_confine.then(|| super::NO_WALLS.to_owned()));
    let begun = match &order.id {
        Some(id) => client.load_if_there::<State>(&super::name_of(id)?).await?,
        None => None,
    };
    if let Some(loaded) = begun {
        // What a package said when the cycle began holds, whatever it says now.
        let wanted = order.prep != PrepChoice::Without;
        let prep = loaded.state.config.prep.clone().filter(|_| wanted);
        let mut config = config_of(layout, order, prep, notes)?;
        // One that exists works where it works.
        config.worktree.clone_from(&loaded.state.config.worktree);
        return go_on(client, loaded.state, &config, order, notes).await;
    }
    let prep = prep::find(layout, order, notes)?;
    let mut config = config_of(layout, order, prep, notes)?;
    if config.checks.is_empty() {
        return Err(Error::usage("a cycle needs at least one check")
            .hint("give --check 'test=CMD', or name one in `[checks]` of piton.toml"));
    }
    ready::require_checks(&config.checks, layout.root())?;
    let run = run_id(order, &config)?;
    config.worktree = match order.worktree.then(|| own_tree(layout, &run, order.id.as_deref())).transpose() {
        Ok(worktree) => worktree,
        Err(failure) => return Err(super::overtaken(client, &run, failure).await),
    };
    let place = layout.at(config.worktree.as_ref());
    if config.confine.is_some() {
        configuration::require_home_outside(place.tree())?;
    }
    if let Some(worktree) = &config.worktree {
        notes.extend(super::goes_along(layout, &run)?);
        notes.extend(super::said_of(worktree));
        notes.extend(super::too_large(layout, &run, worktree)?);
        notes.extend(super::not_filtered(layout, &run)?);
    }
    let _alone = driver_process::alone_to_start(&place).await?;
    if let Err(busy) = driver_process::tree_free(client, &place).await? {
        return Err(driver_process::taken(&busy));
    }
    let busy = driver_process::at_work_in(client, config.worktree.as_ref(), &run).await?;
    if !busy.is_empty() {
        return Err(driver_process::taken(&busy));
    }
    let left = unjudged::left_here(client, &run, config.confine.as_ref()).await?;
    notes.extend(left.iter().flat_map(|left| left.notes(&run)));
    let base = left.map(|left| left.base);
    let created = create(Order { run: run.clone(), config, imported: None, base }).map_err(unfit)?;
    // Where its files cannot be, there is no cycle.
    if let Some(state) = State::apply(None, &created, SystemClock.now()) {
        crate::cycle::prepare_files(layout, &state)?;
    }
    if let Err(error) = client.create::<State>(&[created]).await {
        return Err(super::overtaken(client, &run, error.into()).await);
    }
    let state = client.load::<State>(&run, None).await?.state;
    notes.extend(crate::cycle::publish_at_rest(client, &state).await);
    if let Err(error) = known::remember(layout) {
        notes.push(format!("note: `piton ls --everywhere` will not find this run: {}", error.message));
    }
    driver_process::start(client, &run, false).await?;
    Ok((run, 0))
}

/// What cannot be a cycle, with who knows how to ask for one.
pub(super) fn unfit(rejection: piton_model::Rejection) -> Error {
    Error::from(rejection).hint("see `piton cycle start --help`")
}

/// The work tree that was asked for.
fn own_tree(layout: &Layout, run: &RunId, given: Option<&str>) -> Result<Worktree, Error> {
    let files = configuration::read(layout)?;
    let resolved =
        resolve(&files, &configuration::variable, &Overrides::default()).map_err(configuration::problems)?;
    let name = super::name_of_tree(run, given);
    super::own_tree(layout, run, name, &resolved.settings.worktree, "choose another --id")
}

/// An unfinished cycle of the same task is gone on with; another is refused.
async fn go_on(
    client: &LocalClient,
    state: State,
    config: &Config,
    order: &CycleOrder,
    notes: &mut Vec<String>,
) -> Result<(RunId, Seq), Error> {
    let run = state.run.clone();
    if state.entry().is_over() {
        let what = format!("run `{run}` is {} already", state.status.as_str());
        return Err(Error::usage(what)
            .hint(format!("`piton cycle extend {run} TEXT` goes on with it; or choose another --id")));
    }
    let mut begun = state.config.clone();
    begun.limits = config.limits.clone();
    if begun != *config {
        return Err(Error::usage(format!("run `{run}` exists with another configuration"))
            .hint(format!("run `piton resume {run}` to go on as it began, or choose another --id")));
    }
    notes.push(format!("run `{run}` exists and is unfinished: going on with it"));
    let after = resume(client, &run, &order.limits, (false, order.no_confine), notes).await?;
    Ok((run, after))
}

/// Asks a cycle to go on and starts a driver; returns the event after which it does.
pub(super) async fn resume(
    client: &LocalClient,
    run: &RunId,
    limits: &LimitWords,
    (take_over, no_confine): (bool, bool),
    notes: &mut Vec<String>,
) -> Result<Seq, Error> {
    free(client, run, take_over).await?;
    let loaded = client.load::<State>(run, None).await?;
    let mut raise = raise_of(limits, &loaded.state.config.limits, &used_by(&loaded.state))?;
    raise.without_walls = no_confine && loaded.state.config.confine.is_some();
    notes.extend(raise.without_walls.then(|| super::NO_WALLS.to_owned()));
    // Its driver asks the same; asked before, nothing of it is on record.
    unjudged::require_judged(client, &unjudged::Driven::of_cycle(&loaded.state)).await?;
    // A run that a crash left under way needs a driver, not a decision; so does one of which something was asked, and nobody
    // has seen to it: who asked knew what they wanted.
    let is_active = loaded.state.status.is_active();
    let is_left_open = !is_active && !loaded.state.is_settled();
    if is_left_open && loaded.state.requests.resume.is_none() {
        notes.push(format!("note: what was asked of run `{run}` before is done first"));
    }
    if !(is_active || is_left_open) || raise != Default::default() {
        client.record(run, Request::Resume(raise)).await?;
    }
    driver_process::start(client, run, take_over).await?;
    Ok(loaded.head)
}

/// Adds something to the task of a cycle and sees to it that somebody works on it.
pub(crate) async fn extend(
    client: &LocalClient,
    run: &RunId,
    text: String,
    limits: LimitWords,
) -> Result<Started, Error> {
    let loaded = client.load::<State>(run, None).await?;
    let raise = raise_of(&limits, &loaded.state.config.limits, &used_by(&loaded.state))?;
    let asked = client.request(run, Request::Cycle(CycleRequest::Extend { text, raise })).await;
    asked.map_err(|error| match error.kind {
        // A resume would not take it: the raise goes with the extension.
        ErrorKind::Limit => {
            let raise = raise_past(&loaded.state, Reason::LimitIterations);
            error.hint(format!("run `piton cycle extend {run} TEXT {raise}`"))
        }
        _ => error,
    })?;
    Ok(Started { run_id: run.clone(), after: loaded.head, notes: Vec::new() })
}

/// What a cycle is to do, with every default filled in.
pub(super) fn config_of(
    layout: &Layout,
    order: &CycleOrder,
    prep: Option<PrepFound>,
    notes: &mut Vec<String>,
) -> Result<Config, Error> {
    // What is wrong with the configuration is said first, as of the configuration.
    let mut base = plan_of(layout, order, &order.agent)?;
    let secrets = Secrets::of(layout.root())?;
    let clean = |text: &str| secrets.redactor().redact(text).into_owned();
    let (task, description) =
        (clean(&order.task), clean(order.description.as_deref().unwrap_or(&order.task)));
    hooks::add(&mut base.config, layout, &base.resolved.settings, order.trust, notes)?;
    notes.extend(base.resolved.notes.iter().map(|note| format!("note: {note}")));
    let (said, settings) = (&base.resolved.settings.cycle, &base.resolved.settings);
    let LoopConfig { checks, mut limits, guard, protect, rules_off, backoff, confine, notify, hooks, .. } =
        base.config.clone();
    // The ceiling of a loop's iterations is none of a cycle's.
    if order.limits.iterations.is_none() {
        limits.iterations = said.max_iterations.as_ref().map_or(ITERATIONS, |most| most.value);
    }
    limits.attempt_ms = said.phase_timeout.as_ref().map_or(PHASE_MS, |phase| phase.value);
    if let Some(confine) = &confine {
        configuration::require_walls(layout, confine)?;
        let elsewhere = "call it in a checkout elsewhere, or do without --confine and `[confine]`";
        configuration::require_home_outside(layout.root()).map_err(|error| error.hint(elsewhere))?;
    }
    let mut config = Config {
        task,
        description,
        roles: team::of(layout, order, settings, &base.config.agent, &|choice| {
            Ok(plan_of(layout, order, choice)?.config.agent)
        })?,
        checks,
        limits,
        grace_ms: said.grace.as_ref().map_or(GRACE_MS, |grace| grace.value),
        session: said.session.as_ref().map(|session| session.value).unwrap_or_default(),
        guard,
        protect,
        rules_off,
        backoff,
        confine,
        utc_offset_minutes: said.utc_offset.as_ref().map_or(UTC_OFFSET_MINUTES, |offset| offset.value),
        confirm: !order.auto && said.confirm.as_ref().is_some_and(|confirm| confirm.value),
        prep: None,
        worktree: None,
        notify,
        hooks,
        on_done: order.on_done.clone(),
    };
    if let Some(prep) = prep.as_ref().and_then(PrepFound::taken) {
        let said = Said {
            description: order.description.is_some(),
            iterations: order.limits.iterations.is_some(),
            auto: order.auto,
        };
        let told = bring(prep, said, &mut config);
        notes.extend(told.into_iter().map(|told| format!("note: the prep package: {told}")));
    }
    config.prep = prep;
    Ok(config)
}

/// What a loop with this task and agent would be: the configuration is read in one way.
fn plan_of(layout: &Layout, order: &CycleOrder, agent: &AgentChoice) -> Result<Plan, Error> {
    let files = configuration::read(layout)?;
    if !order.trust {
        configuration::require_trust(layout, &files)?;
    }
    let LimitWords { iterations, duration, cost, tokens, .. } = &order.limits;
    let limits = [
        (Limit::MaxIterations, iterations),
        (Limit::MaxDuration, duration),
        (Limit::MaxCost, cost),
        (Limit::MaxTokens, tokens),
    ];
    let limits: BTreeMap<_, _> =
        limits.into_iter().filter_map(|(limit, value)| Some((limit, value.clone()?))).collect();
    let overrides = Overrides {
        confine: order.confine,
        no_confine: order.no_confine,
        checks: order.checks.clone(),
        limits,
        ..configuration::chosen(agent)
    };
    let task = Task { text: Some(order.task.clone()), ends_anyway: true, ..Task::default() };
    plan(&files, &configuration::variable, &overrides, &task).map_err(configuration::problems)
}

/// The name of a new cycle: `cycle-v1-`, its time, and something that no other has.
fn run_id(order: &CycleOrder, config: &Config) -> Result<RunId, Error> {
    let text = match &order.id {
        Some(id) if format!("{id}.json").eq_ignore_ascii_case(PREP_PACKAGE) => {
            return Err(Error::usage(format!("a cycle cannot be called `{id}`"))
                .hint("its state file would lie where a prep package does; choose another --id"));
        }
        Some(id) => id.clone(),
        None => {
            let stamp = Zone::ahead_by_minutes(config.utc_offset_minutes).stamp(SystemClock.now());
            format!("cycle-v1-{stamp}-{}", SystemIds.hex(8))
        }
    };
    super::name_of(&text)
}

/// What it has used of what it may have no ceiling for.
fn used_by(state: &State) -> Used {
    let counters = &state.counters;
    Used { cost_microusd: counters.cost_microusd, tokens: counters.tokens, ..Used::default() }
}
