//! How firmly the next prompt speaks. The level only rises: by iterations, on a plateau, on a regression.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::state::State;
use crate::Timestamp;
use crate::limits::REINFORCEMENT_HISTORY_MAX;

/// Iterations that make a plateau.
const PLATEAU_ITERATIONS: usize = 3;

/// How firmly a prompt speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// It says nothing of the kind.
    Off,
    /// One sentence.
    #[default]
    Minimal,
    /// A few.
    Standard,
    /// In detail, with what was found.
    Aggressive,
    /// As much as there is to say.
    Adaptive,
}

impl Level {
    /// The word that the published format has for it.
    pub fn as_str(self) -> &'static str {
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

/// When a prompt speaks how firmly.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Escalation {
    /// At the start. `Off` stays off.
    pub level: Level,
    /// The iteration from which it is `Standard`.
    pub standard_at: Option<u32>,
    /// The iteration from which it is `Aggressive`.
    pub aggressive_at: Option<u32>,
    /// The iteration from which it is `Adaptive`.
    pub adaptive_at: Option<u32>,
    /// A change of the score by less than this, in per cent, three times in a row is a plateau.
    pub plateau_percent: f64,
}

impl Default for Escalation {
    fn default() -> Self {
        Self {
            level: Level::Minimal,
            standard_at: Some(5),
            aggressive_at: None,
            adaptive_at: None,
            plateau_percent: 5.0,
        }
    }
}

/// Where it stands, and how it came there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reinforcement {
    /// The level now.
    pub level: Level,
    /// The last changes.
    pub history: VecDeque<LevelChange>,
    /// How many changes there were.
    pub changes: u32,
}

/// A level that rose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LevelChange {
    /// Counts the changes.
    pub number: u32,
    /// When.
    pub at: Timestamp,
    /// In which iteration.
    pub iteration: u32,
    /// From.
    pub from: Level,
    /// To.
    pub to: Level,
    /// Why.
    pub reason: String,
}

/// The run begins.
pub(super) fn begin(state: &mut State) {
    state.judged.reinforcement.level = Level::Off;
    let level = state.config.reinforcement.level;
    rise(state, level, 1, || "Loop initialization".to_owned());
}

/// An iteration begins.
pub(super) fn iteration_began(state: &mut State) {
    let escalation = state.config.reinforcement;
    let steps = [
        (escalation.standard_at, Level::Standard),
        (escalation.aggressive_at, Level::Aggressive),
        (escalation.adaptive_at, Level::Adaptive),
    ];
    for (from, level) in steps {
        if from.is_some_and(|from| state.work.iteration >= from) {
            let iteration = state.work.iteration;
            rise(state, level, iteration, || format!("Iteration {iteration} threshold reached"));
        }
    }
}

/// An iteration has its verdict.
pub(super) fn iteration_ended(state: &mut State) {
    let Some(last) = state.judged.recent.back() else { return };
    let number = last.number;
    if last.regressed || last.refused {
        rise(state, Level::Aggressive, number, || format!("Regression detected in iteration {number}"));
    } else if is_plateau(state) {
        let percent = state.config.reinforcement.plateau_percent;
        rise(state, Level::Aggressive, number, || {
            format!("Quality plateau detected ({PLATEAU_ITERATIONS} iterations < {percent}% delta)")
        });
    }
}

/// Whether the score has stopped moving short of the top.
fn is_plateau(state: &State) -> bool {
    let scores: Vec<f64> = state
        .judged
        .recent
        .iter()
        .rev()
        .map_while(|record| record.quality.map(|quality| quality.score))
        .take(PLATEAU_ITERATIONS + 1)
        .collect();
    scores.len() > PLATEAU_ITERATIONS
        && scores[0] < 100.0
        && scores.windows(2).all(|pair| {
            let change = 100.0 * (pair[0] - pair[1]).abs() / pair[1].max(1.0);
            change < state.config.reinforcement.plateau_percent
        })
}

fn rise(state: &mut State, to: Level, iteration: u32, reason: impl Fn() -> String) {
    let from = state.judged.reinforcement.level;
    let is_off = state.config.reinforcement.level == Level::Off;
    if to <= from || is_off {
        return;
    }
    let reinforcement = &mut state.judged.reinforcement;
    reinforcement.level = to;
    reinforcement.changes += 1;
    let number = reinforcement.changes;
    let at = state.updated_at;
    reinforcement.history.push_back(LevelChange { number, at, iteration, from, to, reason: reason() });
    while reinforcement.history.len() > REINFORCEMENT_HISTORY_MAX {
        reinforcement.history.pop_front();
    }
}
