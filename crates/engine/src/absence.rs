//! "The driver is gone": when a run that needs a driver has none, and another is started.
//!
//! Whoever watches a run (a viewer, a worker, the step whose work is another run) looks again and again, and tells an [`Absence`]
//! what it saw. A driver that is being replaced is missing for a moment, so one look means nothing; and a run whose
//! drivers are killed again and again is given up. An [`Absence`] neither looks nor starts anything;
//! [`LocalClient::is_missed`] is the one look.

use piton_model::{Entry, Kind, RunId, State, Status, cycle, workflow};

use crate::client::{ClientError, LocalClient};
use crate::ledger::research::is_researched;
use crate::workflow::is_discarded;

impl LocalClient {
    /// Whether a run should go on, and nobody sees to that. A ledger is carried on by whoever researches in it.
    pub(crate) async fn is_missed(&self, entry: &Entry) -> Result<bool, ClientError> {
        Ok(match entry.kind {
            Kind::Ledger => entry.status == Status::Running && !is_researched(self.layout(), &entry.run_id)?,
            // What it came to is on record before its driver lets go: one that left after the run was read has not left it alone.
            Kind::Loop | Kind::Workflow | Kind::Cycle if entry.is_under_way() => {
                self.driver_of(&entry.run_id).await?.is_none()
                    && self.entry(&entry.run_id).await?.is_under_way()
            }
            // What somebody asked of it at rest holds, although the driver that saw to it died.
            Kind::Loop if entry.needs_person() => {
                self.driver_of(&entry.run_id).await?.is_none()
                    && self.load::<State>(&entry.run_id, None).await?.state.is_left_open()
            }
            Kind::Workflow if entry.needs_person() => {
                let is_free = self.driver_of(&entry.run_id).await?.is_none();
                let state = self.load::<workflow::State>(&entry.run_id, None).await?.state;
                is_free && state.is_left_open() && !is_discarded(self.layout(), &state)
            }
            // One that is over goes on with an extension, too.
            Kind::Cycle if entry.needs_person() || entry.status == Status::Completed => {
                let state = || async { self.load::<cycle::State>(&entry.run_id, None).await };
                self.has_more_than_a_rest(&entry.run_id).await?
                    && self.driver_of(&entry.run_id).await?.is_none()
                    && !state().await?.state.is_settled()
            }
            Kind::Loop | Kind::Workflow | Kind::Cycle => false,
        })
    }

    /// Whether something is on record of a cycle after its last rest. Its last events say so, and nothing has to be folded.
    async fn has_more_than_a_rest(&self, run: &RunId) -> Result<bool, ClientError> {
        let head = self.head(run).await?;
        let events = self.store()?.read(run, head.saturating_sub(1).max(1), 2).await?;
        let is_checkpoint = |kind: &str| kind == "checkpoint_taken";
        let last =
            events.iter().rev().map(|stored| stored.event.kind.as_str()).find(|kind| !is_checkpoint(kind));
        let rests = ["run_completed", "run_paused", "run_waiting", "run_stopped", "run_failed"];
        Ok(last.is_none_or(|kind| !rests.contains(&kind)))
    }
}

/// Looks without a driver that are no more than a moment between two.
const LOOKS_MAX: u32 = 10;

/// How a run has been without a driver lately.
#[derive(Clone, Copy, Debug, Default)]
pub struct Absence {
    looks: u32,
    /// One look is enough, since there is much time between two.
    rare: bool,
    starts: u32,
    starts_max: Option<u32>,
}

/// What a look without a driver means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Nothing: there is one, or one may be on its way.
    No,
    /// It is gone, and another is to be started; so many have been.
    Start {
        /// How many, this one included.
        number: u32,
    },
    /// It is gone once more, after as many as were to be started.
    TooOften,
}

impl Absence {
    /// A driver that was never seen is missed at the first look.
    pub fn at_once() -> Self {
        Self { looks: LOOKS_MAX, ..Self::default() }
    }

    /// A driver is missed at every look without one.
    pub fn at_every_look() -> Self {
        Self { rare: true, ..Self::default() }
    }

    /// No more drivers than this are started.
    #[must_use]
    pub fn at_most(self, starts_max: u32) -> Self {
        Self { starts_max: Some(starts_max), ..self }
    }

    /// Takes in one look: whether the run has what it needs, which is a driver, or no need of one.
    pub fn look(&mut self, is_fine: bool) -> Missing {
        self.looks = if is_fine { 0 } else { self.looks + 1 };
        if self.looks <= if self.rare { 0 } else { LOOKS_MAX } {
            return Missing::No;
        }
        self.looks = 0;
        if self.starts_max.is_some_and(|most| self.starts >= most) {
            return Missing::TooOften;
        }
        self.starts += 1;
        Missing::Start { number: self.starts }
    }

    /// Whether another may be started after this one.
    pub fn has_more(&self) -> bool {
        self.starts_max.is_none_or(|most| self.starts < most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks until something is missing.
    fn looks(absence: &mut Absence) -> (u32, Missing) {
        (1..)
            .map(|count| (count, absence.look(false)))
            .find(|(_, missing)| *missing != Missing::No)
            .expect("soon")
    }

    #[test]
    fn a_driver_is_gone_only_after_several_looks_in_a_row() {
        let mut absence = Absence::default();
        for _ in 0..LOOKS_MAX {
            assert_eq!(absence.look(false), Missing::No);
        }
        assert_eq!(absence.look(true), Missing::No, "it was only being replaced");
        assert_eq!(looks(&mut absence), (LOOKS_MAX + 1, Missing::Start { number: 1 }));
        assert_eq!(looks(&mut Absence::at_once()), (1, Missing::Start { number: 1 }));
        let mut rare = Absence::at_every_look();
        assert_eq!([1, 2].map(|_| rare.look(false)), [1, 2].map(|number| Missing::Start { number }));
    }

    #[test]
    fn drivers_that_are_killed_again_and_again_are_given_up() {
        let mut absence = Absence::default().at_most(2);
        assert_eq!(looks(&mut absence).1, Missing::Start { number: 1 });
        assert!(absence.has_more());
        assert_eq!(looks(&mut absence).1, Missing::Start { number: 2 });
        assert!(!absence.has_more());
        assert_eq!(looks(&mut absence).1, Missing::TooOften);
    }
}
