//! Telling people that a workflow needs them, failed or is done: once it rests, once per rest.

use std::sync::Arc;
use std::time::Duration;

use piton_model::notify::Trigger;
use piton_model::workflow::State;
use piton_model::{Machine, Status};
use piton_notify::send::Means;
use piton_notify::{Facts, Notifier, Occasion, Setup};
use piton_sys::{Clock, SystemClock, file};

use super::Context;

/// How long people are waited for when a driver leaves: a little longer than a channel has.
const PATIENCE: Duration = Duration::from_secs(12);

/// Tells people how the run rests, where its configuration says so. Returns what went wrong.
pub(super) fn tell(context: &Context, state: &State) -> Vec<String> {
    let Some(config) = state.options.notify.clone().filter(|config| !config.channels.is_empty()) else {
        return Vec::new();
    };
    let Some(trigger) = trigger_of(state) else { return Vec::new() };
    let layout = &context.layout;
    let history = layout.told(&state.run);
    if let Some(directory) = history.parent()
        && let Err(error) = file::create_private_dir(directory)
    {
        return vec![error.to_string()];
    }
    let repository = layout.root().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let notifier = Notifier::start(Setup {
        config,
        means: Means { redactor: context.launch.redactor().clone(), ..Means::of_this_machine(layout.root()) },
        history,
        repository: repository.clone(),
        clock: Arc::new(SystemClock),
        zone: piton_notify::zone_of_this_machine(),
    });
    match notifier {
        Ok(notifier) => {
            notifier.line().tell(occasion(state, trigger, repository));
            notifier.close(PATIENCE)
        }
        Err(error) => vec![error.to_string()],
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
