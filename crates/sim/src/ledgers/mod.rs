//! Ledgers: gaps in a file that people edit, kept together with a journal and a log by one command at a time.
//!
//! Nobody drives a ledger. Each command takes its lock, completes what others left open, does its work and leaves; one
//! of them may have the turn to research, with an agent per gap.

mod errand;
mod place;
mod process;

use std::collections::BTreeMap;

use piton_model::ledger::{Gap, Outcome};
use piton_model::ledger_machine::{LedgerEvent, State};
use piton_model::loop_machine::AttemptOutcome;
use piton_model::{Kind, Machine};
use piton_store::Append;

use crate::coverage::Fate;
use crate::history::Name;
use crate::kind::{Intended, Simulated};
use crate::rng::Rng;
use crate::sim::{Lock, Sim};
use place::Place;
use process::Command;

/// Ledgers.
pub(crate) struct Ledgers;

/// The dice of one ledger, and the files around it.
pub(crate) struct Scene {
    place: Place,
    /// Files that findings rest on, by their version.
    sources: BTreeMap<String, u64>,
    default_ttl_days: u32,
    /// The content of the file when the ledger last came to rest.
    rested_with: String,
    /// Counts what is to be unique.
    next: u64,
}

impl Scene {
    fn unique(&mut self, what: &str) -> String {
        self.next += 1;
        format!("{what}-{}", self.next)
    }
}

/// What a research agent says.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    outcome: Option<Outcome>,
    cost: Option<u64>,
    tokens: Option<u64>,
}

impl Simulated for Ledgers {
    type Run = State;
    type Scene = Scene;
    type Said = Said;
    type Process = Command;

    const KIND: Kind = Kind::Ledger;
    const GOES_ON: bool = true;
    const SITES: &'static [&'static str] = &[
        "ledger_opened",
        "file_adopted",
        "gaps_flipped",
        "gap_checked",
        "gap_verified",
        "gap_edited",
        "gap_added",
        "gap_removed",
        "file_written",
        "flips_logged",
        "research_begun",
        "research_attempt_started",
        "research_attempt_ended",
        "research_ended",
        "watch_set",
    ];
    const RARE: &'static [(&'static str, u64)] = &[
        ("ledger_opened", 4),
        ("gap_verified", 3),
        ("gap_edited", 2),
        ("gap_added", 2),
        ("gap_removed", 6),
        ("gap_checked", 2),
        ("research_begun", 3),
        ("research_ended", 3),
        ("watch_set", 4),
        ("checkpoint_taken", 2),
    ];
    const SPARED: &'static [Fate] = &[Fate::NoSpace, Fate::AnswerLost, Fate::TakenOver];

    fn scene(rng: &mut Rng) -> Scene {
        let mut scene = Scene {
            place: Place::default(),
            sources: ["a.rs", "b.rs"].map(|path| (path.to_owned(), 0)).into(),
            default_ttl_days: rng.between(1, 30) as u32,
            rested_with: String::new(),
            next: 0,
        };
        if rng.percent(70) {
            let gaps = (0..rng.between(1, 5)).map(|_| Gap::new(scene.unique("gap"), "design")).collect();
            scene.place.write(gaps);
        }
        scene
    }

    fn rests(sim: &Sim<Self>) -> bool {
        sim.rest_head == Some(sim.journal.head()) && sim.scene.rested_with == sim.scene.place.digest()
    }

    fn intend(_name: Name, _scene: &Scene, rng: &mut Rng) -> Intended<Said> {
        let steps = rng.between(1, 4);
        let (cost, tokens) =
            (rng.percent(70).then(|| rng.between(1_000, 200_000)), rng.percent(70).then(|| rng.below(9_000)));
        let said = |outcome| Some(Said { outcome, cost, tokens });
        let (outcome, said) = match rng.below(20) {
            0 => (AttemptOutcome::Failed, said(None)),
            1 => (AttemptOutcome::TimedOut, None),
            2 => (AttemptOutcome::NotStartable, None),
            3 => (AttemptOutcome::Succeeded, said(None)),
            _ => (AttemptOutcome::Succeeded, said(Some(Outcome::ALL[rng.below(4) as usize]))),
        };
        Intended { outcome, said, steps }
    }

    fn cost(said: &Said) -> Option<u64> {
        said.cost
    }

    fn overtaking(sim: &mut Sim<Self>) -> Append {
        let until = sim.rng.one_in(2).then(|| sim.now());
        sim.request(&LedgerEvent::WatchSet { until })
    }

    /// Somebody changes a file that findings rest on.
    fn happen(sim: &mut Sim<Self>) {
        let index = sim.rng.below(sim.scene.sources.len() as u64) as usize;
        if let Some(version) = sim.scene.sources.values_mut().nth(index) {
            *version += 1;
        }
    }

    /// A person edits the file by hand.
    fn act(sim: &mut Sim<Self>) -> bool {
        let edits = sim.chaos && sim.rng.one_in(6);
        if edits {
            errand::edit_by_hand(sim);
        }
        edits
    }

    fn finish(sim: &mut Sim<Self>) {
        sim.scene.place.tell(&mut sim.log);
    }
}

/// Whether nothing is left to do in this state.
fn is_settled(state: &State, place: &Place) -> bool {
    Machine::effects(state).is_empty() && state.research.is_none() && place.digest() == known_digest(state)
}

/// The content of the file that is on record.
fn known_digest(state: &State) -> String {
    state.digest.clone().unwrap_or_else(place::absent)
}

impl Sim<Ledgers> {
    /// The pid of whoever has the ledger to itself, other than `me`.
    fn locked_by_another(&self, lock: Lock, me: u32) -> bool {
        self.holder(lock).is_some_and(|holder| holder != me)
    }
}
