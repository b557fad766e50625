//! How firmly the next prompt speaks. The level only rises: by iterations, on a plateau, on a regression.

use std::collections::VecDeque;

use piton_record::record;

use crate::Timestamp;
use crate::limits::{REINFORCEMENT_HISTORY_MAX, keep_last};
use crate::loop_machine::state::State;
use crate::loop_machine::verdict::{Conclusion, IterationVerdict, LevelRise};
use crate::policy::policy;
use crate::words::words;

words! {
    /// How firmly a prompt speaks.
    #[derive(Default)]
    pub enum Level {
        /// It says nothing of the kind.
        Off = "off",
        /// One sentence.
        #[default]
        Minimal = "minimal",
        /// A few sentences.
        Standard = "standard",
        /// In detail, with what was found.
        Aggressive = "aggressive",
        /// As much as there is to say, about what was tried too; a person is asked before the first iteration of it.
        Adaptive = "adaptive",
    }
}

impl Level {
    /// The word that the published format has for it.
    pub fn published(self) -> &'static str {
        match self {
            Level::Off => "OFF",
            Level::Minimal => "MINIMAL",
            Level::Standard => "STANDARD",
            Level::Aggressive => "AGGRESSIVE",
            Level::Adaptive => "ADAPTIVE",
        }
    }

    /// How many tokens a prompt may spend on it.
    pub fn tokens_max(self) -> usize {
        match self {
            Level::Off => 0,
            Level::Minimal => 50,
            Level::Standard => 150,
            Level::Aggressive => 300,
            Level::Adaptive => 500,
        }
    }
}

policy! {
    /// When a prompt speaks how firmly.
    #[record(Copy, written)]
    pub struct Escalation {
        /// At the start. `Off` stays off.
        pub level: Level = Level::Minimal,
        /// The iteration from which it is `Standard`.
        pub standard_at: Option<u32> = Some(5),
        /// The iteration from which it is `Aggressive`.
        pub aggressive_at: Option<u32> = None,
        /// The iteration from which it is `Adaptive`.
        pub adaptive_at: Option<u32> = None,
        /// A change of the score by less than this, in per cent, so many times in a row is a plateau.
        pub plateau_percent: f64 = 5.0,
        /// So many times.
        pub plateau_iterations: u32 = 3,
    }
}

/// Where it stands, and how it came there.
#[record(Default, written)]
#[serde(default)]
pub struct Reinforcement {
    /// The level now.
    pub level: Level,
    /// The last changes.
    pub history: VecDeque<LevelChange>,
    /// How many changes there were.
    pub changes: u32,
}

/// A level that rose.
#[record(Copy)]
pub struct LevelChange {
    /// Counts the changes.
    pub number: u32,
    pub at: Timestamp,
    pub rise: LevelRise,
}

/// Why it rose.
#[record(Copy)]
pub enum RiseReason {
    /// The run began.
    Start,
    /// The iteration came from which on it holds.
    Iteration,
    /// Something got worse.
    Regression,
    /// The score stopped moving.
    Plateau { iterations: u32, percent: f64 },
}

impl LevelRise {
    /// Why, as the published format says it.
    pub fn published(&self) -> String {
        match (self.reason, self.iteration) {
            (RiseReason::Start, _) => "Loop initialization".to_owned(),
            (RiseReason::Iteration, number) => format!("Iteration {number} threshold reached"),
            (RiseReason::Regression, number) => format!("Regression detected in iteration {number}"),
            (RiseReason::Plateau { iterations, percent }, _) => {
                format!("Quality plateau detected ({iterations} iterations < {percent}% delta)")
            }
        }
    }
}

impl Reinforcement {
    /// How a run begins.
    pub(in crate::loop_machine) fn begun(level: Level, at: Timestamp) -> Self {
        let mut begun = Self { level: Level::Off, ..Self::default() };
        if level > Level::Off {
            let reason = RiseReason::Start;
            begun.take(LevelRise { iteration: 1, from: Level::Off, to: level, reason }, at);
        }
        begun
    }

    pub(in crate::loop_machine) fn take(&mut self, rise: LevelRise, at: Timestamp) {
        self.level = rise.to;
        self.changes = self.changes.saturating_add(1);
        self.history.push_back(LevelChange { number: self.changes, at, rise });
        keep_last(&mut self.history, REINFORCEMENT_HISTORY_MAX);
    }
}

/// The rise that is due before `iteration`.
pub(in crate::loop_machine) fn before_iteration(state: &State, iteration: u32) -> Option<LevelRise> {
    let escalation = &state.config.reinforcement;
    let steps = [
        (escalation.standard_at, Level::Standard),
        (escalation.aggressive_at, Level::Aggressive),
        (escalation.adaptive_at, Level::Adaptive),
    ];
    let due = |(from, _): &(Option<u32>, Level)| from.is_some_and(|from| iteration >= from);
    let mut due = steps.into_iter().filter(due);
    due.find_map(|(_, level)| rise(state, level, iteration, RiseReason::Iteration))
}

/// The rise that follows from a verdict.
pub(super) fn after_iteration(state: &State, conclusion: &Conclusion) -> Option<LevelRise> {
    let number = conclusion.iteration;
    if conclusion.regressed || conclusion.verdict == IterationVerdict::Refused {
        return rise(state, Level::Aggressive, number, RiseReason::Regression);
    }
    let Escalation { plateau_percent: percent, plateau_iterations: iterations, .. } =
        state.config.reinforcement;
    let plateau = RiseReason::Plateau { iterations, percent };
    is_plateau(state, conclusion).then(|| rise(state, Level::Aggressive, number, plateau)).flatten()
}

/// Whether the score has stopped moving short of the top.
fn is_plateau(state: &State, conclusion: &Conclusion) -> bool {
    let Escalation { plateau_percent, plateau_iterations, .. } = state.config.reinforcement;
    let before = state.judged.recent.iter().rev().map(|record| record.quality);
    let scores: Vec<f64> = std::iter::once(conclusion.quality)
        .chain(before)
        .map_while(|quality| quality.map(|quality| quality.score))
        .take(plateau_iterations as usize + 1)
        .collect();
    scores.len() > plateau_iterations as usize
        && scores[0] < 100.0
        && scores.windows(2).all(|pair| {
            let change = 100.0 * (pair[0] - pair[1]).abs() / pair[1].max(1.0);
            change < plateau_percent
        })
}

fn rise(state: &State, to: Level, iteration: u32, reason: RiseReason) -> Option<LevelRise> {
    let from = state.judged.reinforcement.level;
    let is_off = state.config.reinforcement.level == Level::Off;
    (to > from && !is_off).then_some(LevelRise { iteration, from, to, reason })
}
