//! Telling people that a workflow needs them, failed or is done: once it rests, once per rest.

use piton_model::notify::Trigger;
use piton_model::workflow::State;
use piton_model::{Machine, Status};
use piton_notify::{Facts, Occasion};
use piton_sys::{Clock, SystemClock};

use super::Context;
use crate::world::sentence;
use crate::world::telling::{PATIENCE, notifier};

/// Tells people how the run rests, where its configuration says so. Returns what went wrong.
pub(super) fn tell(context: &Context, state: &State) -> Vec<String> {
    let Some(config) = state.options.notify.clone().filter(|config| !config.channels.is_empty()) else {
        return Vec::new();
    };
    let Some(trigger) = trigger_of(state) else { return Vec::new() };
    let layout = &context.layout;
    let repository = layout.root().file_name().unwrap_or_default().to_string_lossy().into_owned();
    match notifier(config, layout, &state.run, context.launch.redactor()) {
        Ok(notifier) => {
            notifier.line().tell(occasion(state, trigger, repository));
            notifier.close(PATIENCE)
        }
        Err(error) => vec![sentence(&error)],
    }
}

fn trigger_of(state: &State) -> Option<Trigger> {
    Some(match state.status {
        Status::Waiting => Trigger::AttentionNeeded,
        Status::Failed => Trigger::LoopFailed,
        Status::Completed => Trigger::LoopCompleted,
        Status::Paused => Trigger::LoopPaused,
        Status::Created | Status::Running | Status::Rebooting | Status::Stopped => return None,
    })
}

fn occasion(state: &State, trigger: Trigger, repository: String) -> Occasion {
    let entry = state.entry();
    let facts = Facts {
        run: entry.run_id.to_string(),
        short: entry.run_id.to_string(),
        title: entry.title,
        kind: entry.kind.as_str().to_owned(),
        status: entry.status.as_str().to_owned(),
        reason: entry.reason.map(|reason| reason.as_str().to_owned()),
        detail: state.detail.clone(),
        iteration: entry.iteration,
        max_iterations: state.options.max_iterations,
        cost_microusd: (state.counters.cost_unknown == 0).then_some(state.counters.cost_microusd),
        working_ms: state.counters.working_ms,
        repository,
        ..Facts::default()
    };
    let said =
        entry.waiting_for.map(|waits| format!("it waits for {waits}")).or_else(|| state.detail.clone());
    let occasion = Occasion::new(trigger, SystemClock.now(), facts);
    match said {
        Some(said) => occasion.saying(said),
        None => occasion,
    }
}
