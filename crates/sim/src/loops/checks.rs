//! A round of checks of a loop: what it begins with, and what follows from what it wrote.

use piton_model::loop_machine::{Check, CheckRound, Rewritten, Snapshot, StopCondition, StopResult, Wrote};
use piton_model::{Command, State};

use super::Loops;
use crate::round::{Began, Checked};
use crate::supervise::Around;

impl Checked for Loops {
    fn checks(state: &State) -> &[Check] {
        &state.config.checks
    }

    fn begin(fresh: bool, state: &State, around: &mut Around<'_, Loops>) -> Began {
        if state.seen.start.is_none() {
            return Err(around.scene.tree.snapshot());
        }
        // What was refused is put back before anything is judged again.
        state.work.restore.iter().for_each(|target| around.scene.tree.restore(&target.id));
        let now = around.scene.tree.snapshot();
        match state.seen.snapshot.as_ref().filter(|_| state.work.restore.is_none()) {
            // Somebody wrote to it before the round began: that is on record first.
            Some(known) if fresh && known.tree != now.tree => Err(now),
            known => Ok(known.cloned().unwrap_or(now)),
        }
    }

    fn settled(
        mut round: Box<CheckRound>,
        began: &Snapshot,
        state: &State,
        around: &mut Around<'_, Loops>,
    ) -> Command {
        for condition in state.config.stop_probes() {
            if !round.cancelled {
                let met = matches!(condition, StopCondition::FileCreated(_))
                    && around.scene.tree.content().is_multiple_of(2);
                round.stops.push(StopResult { label: condition.label(), met, timed_out: false });
            }
        }
        round.wrote = settle(state, around, began, round.cancelled);
        round.snapshot = Some(around.scene.tree.snapshot());
        Command::EndChecks(round)
    }

    fn observed(snapshot: Snapshot) -> Command {
        Command::Observe(snapshot)
    }

    fn given_up(detail: String) -> Command {
        Command::GiveUp { detail }
    }
}

/// What follows from what was written while the round was run; its tree says what sort of thing that is.
fn settle(state: &State, around: &mut Around<'_, Loops>, began: &Snapshot, cancelled: bool) -> Option<Wrote> {
    let after = around.scene.tree.snapshot();
    if began.tree == after.tree {
        return None;
    }
    let is_due = state.work.ended.is_some() && state.work.iteration > state.counters.iterations;
    let is_judged = is_due && !cancelled && state.work.restore.is_none();
    let is_again = state.work.ended.as_ref().is_some_and(|ended| ended.again);
    let mut wrote = Wrote::default();
    match around.scene.tree.content() % 3 {
        0 if is_judged => wrote.tests.push(Rewritten { path: "tests".to_owned(), check: None }),
        1 if is_judged && !is_again => {
            wrote.changed.push("product".to_owned());
            wrote.guard = Some(around.scene.tree.guard());
        }
        _ => {
            around.scene.tree.restore(&began.id);
            wrote.put_back.push("product".to_owned());
            wrote.left = Some(after);
        }
    }
    Some(wrote)
}
