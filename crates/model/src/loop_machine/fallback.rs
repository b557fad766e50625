//! Who works next, where others can go on for an agent that cannot for a while.
//!
//! The agents of a run have an order. The first one works whenever it can; while it is out, the first of the others that is not out
//! does, in a session of its own that is told what was done so far. Who is out and until when is on record, so that a run that is
//! resumed neither asks a provider that refuses, nor forgets whom it began with. Where all of them are out, the run waits for the one
//! whose limit ends first.

use piton_record::record;

use super::config::{AgentConfig, LoopConfig};
use super::state::State;
use crate::Timestamp;
use crate::event::Event;
use crate::policy::policy;
use crate::status::Reason;
use crate::words::words;

words! {
    /// Why another agent goes on.
    pub enum FallbackOn {
        /// The provider refuses further calls for longer than a run waits.
        RateLimit = "rate_limit",
        /// The provider is overloaded.
        Overloaded = "overloaded",
        /// The agent is not logged in.
        Auth = "auth",
    }
}

policy! {
    /// Who goes on for an agent that cannot for a while.
    #[record(Eq, written(on))]
    pub struct FallbackPolicy {
        /// The others, in the order in which they are asked.
        pub agents: Vec<AgentConfig> = Vec::new(),
        /// A limit that ends sooner is waited for.
        pub after_ms: u64 = 300_000,
        /// Why another one goes on.
        pub on: Vec<FallbackOn> = FallbackOn::ALL.to_vec(),
    }
}

/// Whose turn it is, and who cannot work at the moment.
#[record(Default, Eq, omit(current, switches))]
#[serde(default)]
pub struct Turn {
    /// The place of the agent that works: 0 is the first, the others follow in their order.
    pub current: u32,
    /// Those that cannot.
    pub out: Vec<Out>,
    /// How often another one went on.
    pub switches: u32,
}

/// An agent that cannot work for a while.
#[record(Copy, Eq)]
pub struct Out {
    /// Its place among the agents of the run.
    pub agent: u32,
    pub reason: Reason,
    /// When it can again; a person has to do something where there is no such moment.
    pub until: Option<Timestamp>,
}

impl Turn {
    /// What keeps the agent at this place from working, if anything does.
    pub fn is_out(&self, agent: u32, now: Timestamp) -> Option<&Out> {
        let is_so = |out: &&Out| out.agent == agent && out.until.is_none_or(|until| until > now);
        self.out.iter().find(is_so)
    }
}

impl LoopConfig {
    /// Its agents, in their order.
    pub fn agents(&self) -> impl Iterator<Item = &AgentConfig> {
        std::iter::once(&self.agent).chain(&self.fallback.agents)
    }

    /// The agent at this place; the first where there is none.
    pub fn agent_at(&self, place: u32) -> &AgentConfig {
        self.agents().nth(place as usize).unwrap_or(&self.agent)
    }
}

impl State {
    /// The agent whose turn it is.
    pub fn agent(&self) -> &AgentConfig {
        self.config.agent_at(self.turn.current)
    }
}

/// What becomes of an agent that its last attempt says to leave alone, until this moment where one is known; nothing where it is
/// waited for.
pub(super) fn out(state: &State, reason: Reason, until: Option<Timestamp>, now: Timestamp) -> Option<Event> {
    let policy = &state.config.fallback;
    let (class, is_long) = match reason {
        Reason::RateLimit => {
            let is_long = |until: Timestamp| until.millis_since(now) > policy.after_ms;
            (FallbackOn::RateLimit, until.is_some_and(is_long))
        }
        Reason::Overloaded => (FallbackOn::Overloaded, true),
        Reason::Auth => (FallbackOn::Auth, true),
        _ => return None,
    };
    let goes_on = !policy.agents.is_empty() && is_long && policy.on.contains(&class);
    let out = Out { agent: state.turn.current, reason, until };
    goes_on.then(|| Event::AgentOut { agent: state.agent().name.clone(), out })
}

/// What comes before the next attempt, where it is another agent's turn or nobody's.
pub(super) fn next(state: &State, now: Timestamp) -> Option<Event> {
    if state.config.fallback.agents.is_empty() {
        return None;
    }
    let current = state.turn.current;
    let places = (0_u32..).zip(state.config.agents()).map(|(place, _)| place);
    match places.into_iter().find(|place| state.turn.is_out(*place, now).is_none()) {
        Some(next) if next == current => None,
        Some(next) => {
            let name = |place| state.config.agent_at(place).name.clone();
            Some(Event::AgentSwitched { from: name(current), to: next, agent: name(next) })
        }
        None => Some(wait(state)),
    }
}

/// All of them are out: the one that can work again first is waited for.
fn wait(state: &State) -> Event {
    let first = state.turn.out.iter().filter_map(|out| Some((out.until?, out.reason))).min();
    let deadline = state.config.limits.deadline;
    match first {
        Some((until, _)) if deadline.is_some_and(|deadline| deadline <= until) => Event::RunStopped {
            reason: Reason::LimitDeadline,
            detail: Some(format!("every agent is refused until {until}, and that is past the deadline")),
        },
        Some((until, reason)) => Event::RunWaiting { reason, until: Some(until) },
        None => Event::RunStopped { reason: Reason::Auth, detail: Some(nobody(state)) },
    }
}

/// Nobody is logged in: what a person can do about each of them.
fn nobody(state: &State) -> String {
    let names: Vec<&str> = state.config.agents().map(|agent| agent.name.as_str()).collect();
    let logins: Vec<&str> = state.config.agents().filter_map(|agent| agent.login.as_deref()).collect();
    let hint = if logins.is_empty() { String::new() } else { format!("; {}", logins.join("; ")) };
    format!("no agent of this run is logged in: {}{hint}", names.join(", "))
}
