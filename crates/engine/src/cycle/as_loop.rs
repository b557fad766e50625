//! A cycle as a loop: checks, snapshots, briefs and the guard were written for the state of a loop, and serve both.
//!
//! What they need to know of a run (its checks, its agent, the tree before and the tree as last seen) is put as the state of a
//! loop that works on the same task. Nothing of that state is ever recorded.

use piton_model::cycle::{self, Feedback, RoleNote, RoleState, State};
use piton_model::loop_machine::{AgentConfig, KeptNote, LoopConfig, Next, OpenAttempt, Prompt, Told};
use piton_model::{Event, Kind, Machine};

/// The cycle as its checks see it. They run what the developing role wrote, and write where its agent may.
pub(super) fn for_checks(state: &State) -> piton_model::State {
    let mut seen = seen(state, state.config.developer(), None);
    // While a role works beside checks, or beside another, what changes is no person's edit.
    let at_work = state.roles.iter().filter(|role| role.open.is_some()).count();
    if at_work + usize::from(state.checking.is_some()) > 1 {
        seen.counters.iterations = seen.work.iteration;
    }
    seen
}

/// The cycle as this role's attempt is seen.
pub(super) fn for_role(state: &State, index: usize, task: &str) -> piton_model::State {
    let mut seen = seen(state, state.config.roles[index].agent.clone(), Some(&state.roles[index]));
    seen.config.prompt = Prompt::Text(task.to_owned());
    seen
}

fn seen(state: &State, agent: AgentConfig, role: Option<&RoleState>) -> piton_model::State {
    let config = LoopConfig {
        prompt: Prompt::Text(state.config.task.clone()),
        agent,
        checks: state.config.checks.clone(),
        limits: state.config.limits.clone(),
        session: state.config.session,
        guard: state.config.guard,
        protect: state.config.protect.clone(),
        rules_off: state.config.rules_off.clone(),
        backoff: state.config.backoff,
        confine: state.config.confine.clone(),
        worktree: state.config.worktree.clone(),
        ..LoopConfig::default()
    };
    let created = Event::RunCreated {
        run: state.run.clone(),
        kind: Kind::Loop,
        title: state.title.clone(),
        config: Box::new(config),
        first: Next::Attempt,
    };
    let mut seen = piton_model::State::apply(None, &created, state.created_at).expect("a run is created");
    seen.driver.clone_from(&state.driver);
    (seen.work.iteration, seen.work.attempt, seen.work.round) = (state.iteration, state.attempt, state.round);
    seen.work.before.clone_from(&state.current.before);
    seen.seen.start.clone_from(&state.start);
    seen.seen.snapshot.clone_from(&state.seen);
    seen.counters.working_ms = state.counters.working_ms;
    let note = |kept: &RoleNote| KeptNote { iteration: kept.iteration, note: kept.note.clone() };
    seen.memory.notes = state.notes.iter().map(note).collect();
    seen.memory.custom.clone_from(&state.custom);
    (seen.requests.pause, seen.requests.stop) = (state.requests.pause, state.requests.stop);
    if let Some(role) = role {
        seen.session.current.clone_from(&role.session);
        (seen.session.usage, seen.session.cost_microusd) = (role.session_usage, role.session_cost_microusd);
        let told =
            |told: &Feedback| Told { text: format!("{}: {}", told.source, told.content), attempt: None };
        seen.people.told = role.told.iter().map(told).collect();
    }
    seen
}

/// An attempt of a role, as those who read the end of an agent know one.
pub(super) fn attempt(open: &cycle::OpenAttempt) -> OpenAttempt {
    OpenAttempt {
        number: open.number,
        iteration: open.iteration,
        host: open.host.clone(),
        boot: open.boot.clone(),
        directory: open.directory.clone(),
        restore: open.restore.clone(),
        session: open.session.clone(),
        agent: None,
    }
}
