//! Who edits the state file: the word `status` in it is a signal, everything else is kept beside and does not count.

use std::sync::PoisonError;
use std::time::Duration;

use piton_model::cycle::{Edited, State};

use super::Context;

/// How often the file is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(300);

/// What somebody did to the state file, if they did something.
pub(super) fn look(context: &Context, state: &State) -> Option<Edited> {
    let mut edits = context.edits.lock().unwrap_or_else(PoisonError::into_inner);
    if edits.is_empty() {
        return context.view.edited(state);
    }
    Some(edits.remove(0))
}

/// The same, once there is something.
pub(super) async fn wait(context: &Context, state: &State) -> Edited {
    loop {
        if let Some(edited) = look(context, state) {
            return edited;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
