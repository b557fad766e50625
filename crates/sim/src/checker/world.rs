//! What really happened to processes, by the world's own log.

use super::{Checked, Rules, violated};
use crate::history::Name;

/// Processes, exits and tombstones so far.
#[derive(Default)]
pub(super) struct World {
    living: Vec<Name>,
    spawned: Vec<Name>,
    exits: Vec<(Name, &'static str, Option<u64>)>,
    tombstones: Vec<Name>,
}

impl World {
    pub(super) fn living(&self) -> &[Name] {
        &self.living
    }

    pub(super) fn was_spawned(&self, name: Name) -> bool {
        self.spawned.iter().rev().any(|known| *known == name)
    }

    pub(super) fn exit(&self, name: Name) -> Option<(&'static str, Option<u64>)> {
        let found = self.exits.iter().rev().find(|(known, _, _)| *known == name)?;
        Some((found.1, found.2))
    }

    pub(super) fn has_tombstone(&self, name: Name) -> bool {
        self.tombstones.iter().rev().any(|known| *known == name)
    }

    /// What is recorded of this process is how it ended.
    pub(super) fn check_exit(&self, name: Name, recorded: (&str, Option<u64>)) -> Checked {
        check_end(name, self.exit(name), recorded)
    }

    /// Each verdict of a round is what some try of its check said; one that was lost each time has failed.
    pub(super) fn check_verdicts(&self, round: u32, verdicts: &[bool]) -> Checked {
        for (index, verdict) in verdicts.iter().enumerate() {
            let tries = (1..=12).map(|attempt| Name::Check { round, index: index as u8, attempt });
            let said = tries.filter_map(|name| self.exit(name)).rfind(|exit| exit.0 != "cancelled");
            if said.is_some_and(|exit| exit.0 == "succeeded") != *verdict {
                return violated("I4", format!("round {round} records a verdict that no check gave"));
            }
        }
        Ok(())
    }

    /// It is recorded as never started: somebody made sure of it before it was.
    pub(super) fn check_never_started(&self, name: Name) -> Checked {
        match self.was_spawned(name) || !self.has_tombstone(name) {
            true => violated("I4", format!("{name:?} is recorded as never started")),
            false => Ok(()),
        }
    }

    /// It is recorded as lost: nobody knows how it ended.
    pub(super) fn check_lost(&self, name: Name) -> Checked {
        match self.exit(name) {
            Some(_) => violated("I4", format!("{name:?} is recorded as lost; its outcome is known")),
            None => Ok(()),
        }
    }

    pub(super) fn spawned(&mut self, name: Name, rules: &dyn Rules) -> Checked {
        if self.was_spawned(name) {
            return violated("I4", format!("{name:?} was started twice"));
        }
        if self.has_tombstone(name) {
            return violated("I4", format!("{name:?} was started after somebody made sure it never is"));
        }
        // Intent before the act, and no act once the outcome is on record.
        rules.may_start(name, self)?;
        self.spawned.push(name);
        self.living.push(name);
        Ok(())
    }

    pub(super) fn gone(&mut self, name: Name) {
        self.living.retain(|living| *living != name);
    }

    pub(super) fn exited(&mut self, name: Name, outcome: &'static str, cost: Option<u64>) -> Checked {
        if self.exit(name).is_some() {
            return violated("I4", format!("{name:?} ended twice"));
        }
        self.exits.push((name, outcome, cost));
        Ok(())
    }

    pub(super) fn tombstone(&mut self, name: Name) -> Checked {
        if self.was_spawned(name) {
            return violated("I4", format!("{name:?} got a tombstone after it was started"));
        }
        self.tombstones.push(name);
        Ok(())
    }
}

/// What is recorded of an end is what is known of it.
pub(super) fn check_end(
    name: Name,
    known: Option<(&'static str, Option<u64>)>,
    recorded: (&str, Option<u64>),
) -> Checked {
    match known {
        Some(end) if end == recorded => Ok(()),
        Some(end) => violated("I4", format!("{name:?} ended as {end:?}, but {recorded:?} is recorded")),
        None => violated("I4", format!("{name:?} is recorded as finished; nobody knows its outcome")),
    }
}
