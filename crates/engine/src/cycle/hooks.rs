//! Calling the hooks of a cycle, as those of a loop are called.

use piton_model::cycle::{Command, State};
use piton_model::hook::{HookPoint, Mode};
use piton_model::loop_machine::{HookCall, HookEnd};
use piton_notify::Watched;
use piton_notify::hook::Context as Told;

use super::Context;
use crate::world::WorldError;
use crate::world::hooks::{Calling, name_of, perform_call};

pub(super) fn perform(context: &Context, call: &HookCall, state: &State) -> Result<Command, WorldError> {
    context.require_lease(state)?;
    if !context.furnish(state)? {
        let end = HookEnd { number: call.number, ..HookEnd::default() };
        return Ok(Command::EndHooks(Box::new(end)));
    }
    // What a hook does in the tree is seen before the next role begins.
    context.world.tree_changes();
    let end = perform_call(&context.world, call, state.config.hooks.as_ref(), &|| Calling {
        agent: state.config.developer(),
        told: told(context, call, state),
        iteration_of: Box::new(move |_| state.iteration),
        seen: state.seen(&name_of(&context.world)),
        judged: state.seen.as_ref().map(|snapshot| snapshot.id.clone()),
    })?;
    Ok(Command::EndHooks(Box::new(end)))
}

fn told(context: &Context, call: &HookCall, state: &State) -> Told {
    let last = state.team().filter(|(_, at)| at.completed_at.is_some()).max_by_key(|(_, at)| at.completed_at);
    let error = call.points.contains(&HookPoint::OnError).then(|| state.phase_errors.recent.back()).flatten();
    let ending = call.ending.as_ref().and_then(|ending| ending.detail.clone());
    let said = || last.and_then(|(_, at)| at.last_message.clone());
    Told {
        hook_point: HookPoint::LoopStart,
        call: call.number,
        iteration: state.iteration,
        loop_id: context.world.run.to_string(),
        session_id: last.and_then(|(_, at)| at.session.clone()),
        working_dir: context.world.layout.tree().display().to_string(),
        mode: Mode::default(),
        tests_passing: (!state.checks.is_empty()).then(|| state.checks.iter().all(|check| check.passed)),
        text: ending.or_else(|| error.map(|error| error.error.clone())).or_else(said),
        status: call.ending.as_ref().map(|ending| ending.status.as_str().to_owned()),
        reason: call.ending.as_ref().map(|ending| ending.reason.as_str().to_owned()),
        data: state.custom.clone().into_iter().collect(),
    }
}
