//! Starting a cycle: configuration and order become its configuration, which is checked and put on record.

use std::collections::BTreeMap;

use piton_config::{Limit, Overrides, Plan, Task, plan};
use piton_model::cycle::{Config, Order, Role, RoleName, State, create, default_roles};
use piton_model::loop_machine::{AgentConfig, LoopConfig};
use piton_model::{Machine, RunId, Seq};
use piton_sys::{Clock, Ids, SystemClock, SystemIds};
use piton_view::{AgentChoice, Client, CycleOrder, CycleRequest, Error, LimitWords, Request, Started};

use super::resume::{free, raise_of};
use super::{known, require_program};
use crate::client::LocalClient;
use crate::configuration;
use crate::cycle::prompt;
use crate::driver_process;
use crate::launch::Secrets;
use crate::layout::Layout;

/// Iterations of a cycle, where nobody says.
const ITERATIONS: u32 = 5;
/// How long a phase may take, and how long a role that was asked to come to an end.
const PHASE_MS: u64 = 30 * 60_000;
const GRACE_MS: u64 = 3 * 60_000;

/// Begins a cycle, or goes on with the one that is there and unfinished.
pub(super) async fn start(
    client: &LocalClient,
    order: &CycleOrder,
    notes: &mut Vec<String>,
) -> Result<(RunId, Seq), Error> {
    let layout = client.layout();
    let config = config_of(layout, order, notes)?;
    let run = run_id(order, &config)?;
    if let Some(loaded) = client.load_if_there::<State>(&run).await? {
        return go_on(client, loaded.state, &config, order, notes).await;
    }
    if config.checks.is_empty() {
        notes.push("note: there are no checks, so whether it is done is judged by what the roles report; --check or [checks] names some".to_owned());
    }
    if let Err(busy) = driver_process::tree_free(client, &layout.in_place()).await? {
        return Err(Error::new(piton_view::ErrorKind::Held, "another run works in this tree")
            .hint("run `piton ls`; wait for it with `piton wait`, or stop it with `piton stop`")
            .details(busy.iter().map(ToString::to_string).collect()));
    }
    let created = create(Order { run: run.clone(), config, imported: None })?;
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
    let after = resume(client, &run, &order.limits, false, notes).await?;
    Ok((run, after))
}

/// Asks a cycle to go on and starts a driver; returns the event after which it does.
pub(super) async fn resume(
    client: &LocalClient,
    run: &RunId,
    limits: &LimitWords,
    take_over: bool,
    _notes: &mut Vec<String>,
) -> Result<Seq, Error> {
    free(client, run, take_over).await?;
    let loaded = client.load::<State>(run, None).await?;
    let raise = raise_of(limits, &loaded.state.config.limits)?;
    // A run that a crash left under way needs a driver, not a decision.
    if !loaded.state.status.is_active() || raise != Default::default() {
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
    let raise = raise_of(&limits, &loaded.state.config.limits)?;
    client.request(run, Request::Cycle(CycleRequest::Extend { text, raise })).await?;
    Ok(Started { run_id: run.clone(), after: loaded.head, notes: Vec::new() })
}

/// What a cycle is to do, with every default filled in.
fn config_of(layout: &Layout, order: &CycleOrder, notes: &mut Vec<String>) -> Result<Config, Error> {
    let secrets = Secrets::of(layout.root())?;
    let clean = |text: &str| secrets.redactor().redact(text).into_owned();
    let (task, description) =
        (clean(&order.task), clean(order.description.as_deref().unwrap_or(&order.task)));
    let base = plan_of(layout, order, &order.agent)?;
    notes.extend(base.resolved.notes.iter().map(|note| format!("note: {note}")));
    let LoopConfig { checks, mut limits, guard, protect, rules_off, backoff, confine, session, .. } =
        base.config.clone();
    if order.limits.iterations.is_none() {
        limits.iterations = ITERATIONS;
    }
    limits.attempt_ms = PHASE_MS;
    if let Some(confine) = &confine {
        configuration::require_walls(layout, confine)?;
    }
    let roles = with_agents(layout, order, default_roles(), &base.config.agent)?;
    Ok(Config {
        task,
        description,
        roles,
        checks,
        limits,
        grace_ms: GRACE_MS,
        session,
        guard,
        protect,
        rules_off,
        backoff,
        confine,
        utc_offset_minutes: 8 * 60,
        confirm: false,
    })
}

/// The team with its templates, and with the agents that were asked for.
fn with_agents(
    layout: &Layout,
    order: &CycleOrder,
    mut roles: Vec<Role>,
    default: &AgentConfig,
) -> Result<Vec<Role>, Error> {
    let is_role = |name: &String| roles.iter().any(|role| role.name == RoleName::new(name.clone()));
    if let Some(unknown) = order.agents.keys().find(|name| !is_role(name)) {
        let names: Vec<&str> = roles.iter().map(|role| role.name.as_str()).collect();
        return Err(Error::usage(format!("--agent-for: there is no role `{unknown}`"))
            .hint(format!("the roles are {}", names.join(", "))));
    }
    for role in &mut roles {
        role.prompt = prompt::shipped(role.name.as_str()).to_owned();
        role.agent = match order.agents.get(role.name.as_str()) {
            Some(name) => {
                let choice = AgentChoice { name: Some(name.clone()), exec: None, ..order.agent.clone() };
                plan_of(layout, order, &choice)?.config.agent
            }
            None => default.clone(),
        };
        require_program(&role.agent, layout.root())?;
        prompt::check(&role.prompt).map_err(Error::usage)?;
    }
    Ok(roles)
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
        checks: order.checks.clone(),
        limits,
        ..configuration::chosen(agent)
    };
    let task = Task { text: Some(order.task.clone()), ..Task::default() };
    plan(&files, &configuration::variable, &overrides, &task).map_err(configuration::problems)
}

/// The name of a new cycle: `cycle-v1-`, its time, and something that no other has.
fn run_id(order: &CycleOrder, config: &Config) -> Result<RunId, Error> {
    let text = match &order.id {
        Some(id) => id.clone(),
        None => {
            let ahead = i64::from(config.utc_offset_minutes) * 60_000;
            let now = piton_model::Timestamp::from_millis(SystemClock.now().as_millis() + ahead).to_string();
            let stamp: String = now.chars().take(19).filter(|character| !"-:".contains(*character)).collect();
            format!("cycle-v1-{stamp}-{}", SystemIds.hex(8))
        }
    };
    super::name_of(&text)
}
