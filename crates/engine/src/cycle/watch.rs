//! Who edits the state file: the word `status` in it is a signal, everything else is kept beside and does not count.

use std::time::Duration;

use piton_model::Status;
use piton_model::cycle::{Command, Signal, State};

use super::Context;

/// How often the file is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(300);

/// What somebody did to the state file, if they did something that is not on record.
pub(super) fn look(context: &Context, state: &State) -> Option<Command> {
    let (edited, digest) = context.view.edited(state)?;
    Some(Command::TakeEdit { edited, digest })
}

/// The same of a cycle that nobody drove until now. What is over can be neither paused nor stopped; and whoever asked it to go on
/// did so after somebody wrote into the file of a cycle at rest.
pub(super) fn look_at_first(context: &Context, state: &State) -> Option<Command> {
    let is_outdated = match state.status {
        Status::Completed | Status::Failed | Status::Stopped => true,
        Status::Paused => state.is_asked_to_go_on(),
        Status::Created | Status::Running | Status::Waiting | Status::Rebooting => false,
    };
    let (mut edited, digest) = context.view.edited(state)?;
    if is_outdated && edited.signal != Some(Signal::Continue) {
        edited.signal = None;
    }
    Some(Command::TakeEdit { edited, digest })
}

/// The same, once there is something.
pub(super) async fn wait(context: &Context, state: &State) -> Command {
    loop {
        if let Some(command) = look(context, state) {
            return command;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
