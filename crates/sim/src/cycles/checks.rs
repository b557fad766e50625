//! A round of checks of a cycle. What checks write is put back.

use piton_model::cycle::{Command, State};
use piton_model::loop_machine::{Check, CheckRound, Snapshot, Wrote};

use super::Cycles;
use crate::round::{Began, Checked};
use crate::scenario::Plant;
use crate::supervise::Around;

impl Checked for Cycles {
    fn checks(state: &State) -> &[Check] {
        &state.config.checks
    }

    fn begin(fresh: bool, state: &State, around: &mut Around<'_, Cycles>) -> Began {
        let now = around.scene.tree.snapshot();
        match &state.seen {
            _ if state.start.is_none() => Err(now),
            // Somebody wrote to it before the round began: that is on record first.
            Some(known) if fresh && known.tree != now.tree => Err(now),
            known => Ok(known.clone().unwrap_or(now)),
        }
    }

    fn settled(
        mut round: Box<CheckRound>,
        began: &Snapshot,
        state: &State,
        around: &mut Around<'_, Cycles>,
    ) -> Command {
        if around.plant == Some(Plant::WordsForChecks) {
            // Whoever validates says that all is well, and is believed.
            let said = |(role, at): (&piton_model::cycle::Role, &piton_model::cycle::RoleState)| {
                role.validates && at.iterations_completed > 0
            };
            let believed = state.team().any(said);
            round.checks.iter_mut().for_each(|check| check.passed |= believed);
        }
        let after = around.scene.tree.snapshot();
        if after.tree != began.tree {
            around.scene.tree.restore(&began.id);
            let put_back = vec!["product".to_owned()];
            round.wrote = Some(Wrote { put_back, left: Some(after), ..Wrote::default() });
        }
        round.snapshot = Some(around.scene.tree.snapshot());
        Command::EndChecks { round, failed: Vec::new() }
    }

    fn observed(snapshot: Snapshot) -> Command {
        Command::Observe(snapshot)
    }

    fn given_up(detail: String) -> Command {
        Command::GiveUp { detail }
    }
}
