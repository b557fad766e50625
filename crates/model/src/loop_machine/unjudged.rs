//! Work that nobody has judged. A run does not end over it, and is not kept from judging it by a ceiling: it may be all there
//! was to do. Nor does it become what later work is compared with: the base of a comparison is the last judged tree,
//! whatever became of the attempts in between.

use super::config::OnLost;
use super::facts::{AttemptOutcome, ErrorClass, Snapshot};
use super::state::{Ended, Next, State};
use crate::status::Reason;

impl State {
    /// Whether there is work to look up or to judge before anything else is begun. Where the guard could not look at what an
    /// attempt left, checks alone prove nothing: that waits for what comes after it.
    pub fn has_unjudged_work(&self) -> bool {
        self.work.open.is_some() || self.work.next != Next::Attempt || has_worked(self)
    }

    /// The attempt whose work no check has looked at, though it ended: what checks say was said before it.
    pub fn unjudged_attempt(&self) -> Option<u32> {
        let is_next = self.work.next == Next::Checks && self.work.restore.is_none();
        let ended = self.work.ended.as_ref().is_some_and(|ended| !ended.refused);
        let given_up = self.judged.recent.back().is_some_and(|last| last.skipped && !last.looked_at);
        let is_unjudged = (is_next && (ended || given_up)) || wants_a_look(self);
        (self.work.open.is_none() && is_unjudged).then_some(self.work.attempt)
    }
}

/// Whether the last attempt of the iteration under way may have done something of which nothing was judged since. One that
/// was ended or not let in has done nothing, unless the tree says otherwise.
fn has_worked(state: &State) -> bool {
    let Some(ended) = &state.work.ended else { return false };
    let worked = match (ended.outcome, ended.hold) {
        (AttemptOutcome::NotStartable, _) => false,
        (AttemptOutcome::Cancelled, _) | (_, Some(Reason::Auth | Reason::Environment)) => !is_base(state),
        (_, _) => true,
    };
    let can_be_judged = state.config.needs_checks() || ended.put_off.is_some();
    worked && !ended.unseen && can_be_judged && state.work.iteration > state.counters.iterations
}

/// Whether checks look at what the last attempt left before another one of its iteration begins: it was cut short or lost, and
/// what the checks said before it says nothing of the tree as it stands. Whom a provider did not let in has done nothing, unless
/// the tree says otherwise; what is put back first is what was judged before.
pub(super) fn wants_a_look(state: &State) -> bool {
    let Some(ended) = state.work.ended.as_ref().filter(|ended| !ended.look && !ended.unseen) else {
        return false;
    };
    let is_put_back =
        ended.hold == Some(Reason::AttemptLost) && state.config.on_lost == OnLost::RestoreAndRetry;
    let refusal = ended.report.as_ref().and_then(|report| report.error_class);
    let ran = match (ended.outcome, refusal) {
        (AttemptOutcome::NotStartable, _) => false,
        (_, Some(ErrorClass::Auth | ErrorClass::RateLimit | ErrorClass::Overloaded)) => !is_base(state),
        (_, _) => true,
    };
    let is_under_way = state.work.iteration > state.counters.iterations;
    ran && !is_put_back && is_under_way && state.config.needs_checks()
}

/// Whether the iteration that is given up had an attempt whose work no check has looked at. Whoever gives up the checks does
/// not want them.
pub(super) fn is_unseen_after(state: &State, ended: &Ended) -> bool {
    let before = state.judged.recent.back().map_or(0, |last| last.attempt);
    ended.outcome == AttemptOutcome::Cancelled
        && !ended.look
        && !ended.unseen
        && state.work.attempt > before
        && state.config.needs_checks()
}

/// Whether what is found in the tree before an attempt begins is somebody's edit and nothing else, so that the iteration
/// under way can be compared with it. An edit beside something that an earlier attempt left is judged with that.
pub(super) fn is_base(state: &State) -> bool {
    tree_of(&state.work.before) == tree_of(&state.seen.snapshot)
}

fn tree_of(snapshot: &Option<Snapshot>) -> Option<&String> {
    snapshot.as_ref().map(|snapshot| &snapshot.tree)
}
