//! What the index says of a run: a view of its state, changed in the same transaction.

use piton_model::{Reason, State, Status};
use piton_store::Entry;

/// The index entry of a state.
pub fn entry_of(state: &State) -> Entry {
    Entry {
        kind: state.kind.as_str().to_owned(),
        title: state.title.clone(),
        status: state.status.as_str().to_owned(),
        reason: state.reason.map(|reason| reason.as_str().to_owned()),
        created_at: state.created_at,
        iteration: state.iteration,
        waiting_for: waiting_for(state),
    }
}

/// What a run waits for, in words; `None` while it does not wait.
pub(crate) fn waiting_for(state: &State) -> Option<String> {
    if let Some(question) = state.questions.first() {
        return Some(format!("an answer to question {}", question.number));
    }
    match (state.status, state.reason, state.until) {
        (Status::Waiting, Some(Reason::RateLimit), Some(until)) => {
            Some(format!("the rate limit until {until}"))
        }
        (Status::Waiting, _, Some(until)) => Some(format!("{until}")),
        (Status::Paused, _, _) => Some("a resume".to_owned()),
        _ => None,
    }
}
