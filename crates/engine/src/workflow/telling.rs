//! Telling people that a workflow needs them, failed or is done: once it rests, once per rest.

use piton_model::Machine;
use piton_model::notify::{Notify, Trigger};
use piton_model::workflow::State;
use piton_notify::{Facts, History, Occasion, watch};
use piton_sys::redact::Redactor;
use piton_sys::{Clock, SystemClock};

use crate::layout::Layout;
use crate::world::sentence;
use crate::world::telling::{PATIENCE, alone, notifier};

/// Tells people how the run rests, where its configuration says so and nobody did. Returns what went wrong.
pub(crate) fn tell(layout: &Layout, redactor: &Redactor, state: &State) -> Vec<String> {
    let Some((config, trigger)) = wanted(state) else { return Vec::new() };
    let repository = layout.root().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let told = alone(layout, &state.run).and_then(|alone| {
        let Some(_telling) = alone else { return Ok(Vec::new()) };
        let notifier = notifier(config, layout, &state.run, redactor)?;
        notifier.tell_rest(state.since, occasion(state, trigger, repository));
        Ok(notifier.close(PATIENCE))
    });
    told.unwrap_or_else(|error| vec![sentence(&error)])
}

/// Whether people are to be told how the run rests, and nobody did.
pub(crate) fn is_untold(layout: &Layout, state: &State) -> bool {
    // What is held was decided and never sent: who was to send it died.
    let is_told = |told: History| told.rested == Some(state.since) && told.held.is_empty();
    wanted(state).is_some() && !is_told(History::load(&layout.told(&state.run)))
}

fn wanted(state: &State) -> Option<(Notify, Trigger)> {
    let config = state.options.notify.clone().filter(|config| !config.channels.is_empty())?;
    Some((config, watch::at_rest(state.status, state.reason)?))
}

fn occasion(state: &State, trigger: Trigger, repository: String) -> Occasion {
    let entry = state.entry();
    let facts = Facts {
        run: entry.run_id.to_string(),
        short: entry.run_id.to_string(),
        title: entry.title,
        kind: entry.kind,
        status: entry.status,
        reason: entry.reason,
        detail: state.detail.clone(),
        iteration: entry.iteration,
        max_iterations: state.options.max_iterations,
        steps: Some((
            state.steps.iter().filter(|step| step.status.satisfies()).count() as u32,
            state.steps.len() as u32,
        )),
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
