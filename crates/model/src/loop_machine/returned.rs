//! A result that comes back: a run was done, and whoever was to take it says what is wrong with it.
//!
//! The run goes on as the run that it is: in its tree, with its counters, under its ceilings. What was said outside is data: it is quoted
//! in the prompts until the run is done again. That takes another iteration, since what was judged before is what came back.

use std::collections::VecDeque;

use piton_record::record;

use super::state::State;
use crate::limits::{RETURNED_ABOUT_MAX, TAIL_BYTES_MAX, TEXT_BYTES_MAX, clip, keep_last};

/// What came back, and why.
#[record(Eq)]
pub struct Returned {
    /// Who says so: the address of a pull request, for one.
    pub from: String,
    /// What is wrong, in the words of whoever says so.
    pub text: String,
    /// What it is about, by names that are the same whenever it is looked at: none of that comes back again.
    pub about: Vec<String>,
}

impl Returned {
    /// The same within the limits of an event.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        self.text = clip(&self.text, TEXT_BYTES_MAX).to_owned();
        self.from = clip(&self.from, TAIL_BYTES_MAX).to_owned();
        self.about.truncate(RETURNED_ABOUT_MAX);
        self.about.iter_mut().for_each(|name| *name = clip(name, 200).to_owned());
        self
    }
}

/// What came back so far.
#[record(Default, Eq, omit(rounds, after))]
#[serde(default)]
pub struct Returns {
    /// How often.
    pub rounds: u32,
    /// The last time: after so many iterations.
    pub after: u32,
    /// What was said then, until the run is done again.
    pub open: Option<Returned>,
    /// What all of it was about, the newest last.
    pub about: VecDeque<String>,
}

/// Whether what was judged last came back since.
pub(super) fn is_back(state: &State) -> bool {
    state.returns.open.is_some() && state.returns.after >= state.counters.iterations
}

/// Folds that the run goes on with it.
pub(super) fn reopened(state: &mut State, returned: &Returned) {
    let returns = &mut state.returns;
    returns.rounds = returns.rounds.saturating_add(1);
    returns.after = state.counters.iterations;
    returns.about.extend(returned.about.iter().cloned());
    keep_last(&mut returns.about, RETURNED_ABOUT_MAX);
    returns.open = Some(returned.clone());
    state.requests.returned = None;
    // Its end comes again, and what was said of it before is over.
    state.hooks.ended = false;
    state.seen.report = None;
    (state.counters.failures_in_a_row, state.counters.no_progress_in_a_row) = (0, 0);
    state.work.standing.no_progress_in_a_row = 0;
}
