//! The team of a cycle: the roles that piton knows, what the configuration says otherwise, and who works in each.

use piton_config::{RoleSettings, Settings};
use piton_model::closest;
use piton_model::cycle::{Role, RoleName, check_team, default_roles};
use piton_model::loop_machine::AgentConfig;
use piton_sys::file;
use piton_view::{AgentChoice, CycleOrder, Error};

use super::require_program;
use crate::cycle::prompt;
use crate::layout::Layout;

/// Largest template of a prompt.
const PROMPT_BYTES_MAX: u64 = 256 << 10;

/// The team that was asked for. `agent_of` says which agent a choice means.
pub(super) fn of(
    layout: &Layout,
    order: &CycleOrder,
    settings: &Settings,
    default: &AgentConfig,
    agent_of: &dyn Fn(&AgentChoice) -> Result<AgentConfig, Error>,
) -> Result<Vec<Role>, Error> {
    let mut roles = named(settings)?;
    if let Some(unknown) =
        order.agents.keys().find(|name| !roles.iter().any(|role| role.name.as_str() == **name))
    {
        let names: Vec<&str> = roles.iter().map(|role| role.name.as_str()).collect();
        return Err(Error::usage(format!("--agent-for: there is no role `{unknown}`"))
            .hint(format!("the roles are {}", names.join(", "))));
    }
    for role in &mut roles {
        let said = settings.role(role.name.as_str());
        role.prompt = template(layout, role, said)?;
        prompt::check(&role.prompt)
            .map_err(|why| Error::usage(format!("the prompt of `{}`: {why}", role.name)))?;
        role.agent = match choice(order, role, said) {
            Some(choice) => agent_of(&choice)?,
            None => default.clone(),
        };
        require_program(&role.agent, layout.root())?;
    }
    check_team(&roles).map_err(|why| Error::usage(format!("`[cycle]`: {why}")))?;
    Ok(roles)
}

/// The roles by name: those that piton knows with what is said of them, and those of one's own.
fn named(settings: &Settings) -> Result<Vec<Role>, Error> {
    let known = default_roles();
    let names: Vec<String> = match &settings.cycle.team {
        Some(team) => team.value.clone(),
        None => known.iter().map(|role| role.name.to_string()).collect(),
    };
    if let Some(idle) = settings.roles.iter().find(|role| !names.contains(&role.value.name)) {
        let name = &idle.value.name;
        return Err(Error::usage(format!("`[cycle.roles.{name}]` is in no team"))
            .hint(format!("add `{name}` to `[cycle] team`, or take the section away")));
    }
    names
        .iter()
        .map(|name| {
            let known = known.iter().find(|role| role.name.as_str() == name);
            let base = match (known, settings.role(name)) {
                (Some(role), _) => role.clone(),
                (None, Some(_)) => new(name),
                (None, None) => return Err(no_role(name)),
            };
            let role = settings.role(name).map_or(base.clone(), |said| with(base, said));
            Ok(match settings.role(name).is_some_and(|said| said.reads.is_some()) {
                true => role,
                false => reading_of(role, &names),
            })
        })
        .collect()
}

/// What piton knows that a role reads, as far as those who write it are in the team.
fn reading_of(mut role: Role, team: &[String]) -> Role {
    role.reads.retain(|path| path.split('/').next().is_some_and(|of| team.iter().any(|name| name == of)));
    role
}

fn no_role(name: &str) -> Error {
    let known = default_roles();
    let error = Error::usage(format!("`[cycle] team`: there is no role `{name}`"));
    match closest(name, known.iter().map(|role| role.name.as_str())) {
        Some(meant) => error.hint(format!("did you mean `{meant}`?")),
        None => error.hint(format!("describe it in `[cycle.roles.{name}]`")),
    }
}

fn new(name: &str) -> Role {
    Role { writes: vec![format!("{name}.md")], ..Role::new(name, name) }
}

fn with(role: Role, said: &RoleSettings) -> Role {
    let names = |said: &Option<Vec<String>>, otherwise: Vec<RoleName>| match said {
        Some(names) => names.iter().map(|name| RoleName::from(name.as_str())).collect(),
        None => otherwise,
    };
    let said = said.clone();
    Role {
        title: said.title.unwrap_or(role.title),
        reads: said.reads.unwrap_or(role.reads),
        writes: said.writes.unwrap_or(role.writes),
        after: names(&said.after, role.after),
        feedback_to: names(&said.feedback_to, role.feedback_to),
        develops: said.develops.unwrap_or(role.develops),
        validates: said.validates.unwrap_or(role.validates),
        cost_microusd: said.max_cost_usd.map(super::options::microusd),
        tokens: said.max_tokens,
        working_ms: said.max_duration,
        ..role
    }
}

/// The template of a role's prompt: the file that the configuration names, else the one that piton ships.
fn template(layout: &Layout, role: &Role, said: Option<&RoleSettings>) -> Result<String, Error> {
    let Some(path) = said.and_then(|said| said.prompt.as_ref()) else {
        return Ok(prompt::shipped(role.name.as_str()).to_owned());
    };
    let bytes = file::read_regular(&layout.root().join(path), PROMPT_BYTES_MAX)?
        .ok_or_else(|| Error::usage(format!("the prompt of `{}`: there is no file `{path}`", role.name)))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Who works in a role: by the command line, else by the configuration of the role, else as in all roles.
fn choice(order: &CycleOrder, role: &Role, said: Option<&RoleSettings>) -> Option<AgentChoice> {
    let asked = order.agents.get(role.name.as_str()).cloned();
    let configured = said.and_then(|said| said.agent.clone()).filter(|_| order.agent.exec.is_none());
    let model = said.and_then(|said| said.model.clone());
    if asked.is_none() && configured.is_none() && model.is_none() {
        return None;
    }
    let all = &order.agent;
    let name = asked.or(configured);
    Some(AgentChoice {
        exec: all.exec.clone().filter(|_| name.is_none()),
        name: name.or_else(|| all.name.clone()),
        model: model.or_else(|| all.model.clone()),
        ..all.clone()
    })
}
