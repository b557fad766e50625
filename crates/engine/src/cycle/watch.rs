//! Who edits the state file: the word `status` in it is a signal, everything else is kept beside and does not count.

use std::time::Duration;

use piton_model::cycle::{Command, State};

use super::Context;

/// How often the file is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(300);

/// What somebody did to the state file, if they did something that is not on record.
pub(super) fn look(context: &Context, state: &State) -> Option<Command> {
    let (edited, digest) = context.view.edited(state)?;
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
