//! Stop conditions: each kind in a file of its own, nested at will, in three lists and for `--until`.
//!
//! A file holds everything about its kind: how it is read from a `[stop]` table and from `--until`, whether it is met, how
//! far it has come, its words, and its tests. `conditions!` lists them; nothing else has to know a new one.
//!
//! Pure: what has to be looked up outside the journal (files, output, commands) is a [`Probe`], was looked up with the last
//! round of checks, and is found there by the condition's words. Of the three lists failure is judged first, then success,
//! then the rest.

mod all;
mod all_tests_pass;
mod any;
mod checks_pass;
mod custom_script;
mod done;
mod file_contains;
mod file_created;
mod max_duration;
mod max_iterations;
mod never;
mod no_progress;
mod not;
mod on_error;
mod output_pattern;
mod shell_command;
mod specific_tests_pass;
mod tasks_done;
mod test_failure_streak;
#[cfg(test)]
pub(super) mod tests;
mod user_signal;

use std::borrow::Cow;
use std::collections::BTreeMap;

use piton_record::record;

pub use all::All;
pub use all_tests_pass::AllTestsPass;
pub(super) use all_tests_pass::all_tests_pass;
pub use any::Any;
pub use checks_pass::ChecksPass;
pub use custom_script::CustomScript;
pub use done::Done;
pub use file_contains::FileContains;
pub use file_created::FileCreated;
pub use max_duration::MaxDuration;
pub use max_iterations::MaxIterations;
pub use never::Never;
pub use no_progress::NoProgress;
pub use not::Not;
pub use on_error::OnError;
pub use output_pattern::OutputPattern;
pub use shell_command::ShellCommand;
pub use specific_tests_pass::SpecificTestsPass;
pub use tasks_done::TasksDone;
pub use test_failure_streak::TestFailureStreak;
pub use user_signal::UserSignal;

use super::facts::CheckRound;
use super::state::State;
use crate::status::Reason;

/// How deep `all`, `any` and `not` may stand in each other.
pub const STOP_DEPTH_MAX: usize = 8;

/// What a kind of condition is: one file implements it.
pub trait Rule: Sized {
    /// What `type` says.
    const TYPE: &'static str;
    /// What a table may say beside its type and name.
    const KEYS: &'static [&'static str] = &[];
    /// Of several that are met, the highest is named.
    const PRIORITY: u8;
    /// Whether it holds for good once it holds: what it counts only grows.
    const FOR_GOOD: bool = false;
    /// How `--until` says it, where it can.
    const UNTIL: Option<Until> = None;

    /// What a table, or the fields of `--until`, say.
    fn read(table: &mut dyn Table) -> Option<Self>;

    /// What it is, on one line. Its verdict is found by this where it has to be looked up.
    fn words(&self) -> String {
        Self::TYPE.to_owned()
    }

    /// What `--until` says for it. A form without fields is all there is to say.
    fn until(&self) -> Option<String> {
        Self::UNTIL.filter(|until| until.word() == until.form).map(|until| until.form.to_owned())
    }

    /// How much of what it counts there is, and how much is enough, where that is all there is to it.
    fn counted(&self, _state: &State) -> Option<(u64, u64)> {
        None
    }

    /// Whether it holds now: by what it counts, else by the last look at its probe.
    fn is_met(&self, state: &State) -> bool {
        match self.counted(state) {
            Some((count, enough)) => count >= enough,
            None => {
                debug_assert!(
                    self.probe().is_some(),
                    "`{}` counts nothing, and looks up nothing",
                    Self::TYPE
                );
                looked_up(state, &self.words())
            }
        }
    }

    /// How far it has come, from 0 to 1.
    fn progress(&self, state: &State) -> f64 {
        match self.counted(state) {
            Some((count, enough)) => share(count, enough),
            None => f64::from(u8::from(self.is_met(state))),
        }
    }

    /// What has to be looked up outside the journal.
    fn probe(&self) -> Option<Probe<'_>> {
        None
    }

    /// The conditions of which it is made; none of most.
    fn inner(&self) -> &[StopCondition] {
        &[]
    }
}

/// How `--until` says a condition.
#[derive(Clone, Copy)]
pub struct Until {
    /// Its form, such as `contains:PATH:TEXT`. It begins with a word of its own.
    pub form: &'static str,
    /// What is said of a text that does not have it.
    pub without: &'static str,
    /// The fields that what follows the word stands for.
    pub fields: fn(&str) -> Option<Fields<'_>>,
}

/// The fields of a condition, each with its text.
pub type Fields<'a> = Vec<(&'static str, &'a str)>;

impl Until {
    /// The word it begins with.
    pub fn word(&self) -> &'static str {
        self.form.split(':').next().unwrap_or(self.form)
    }
}

/// A table of a configuration, as a condition reads it. What is missing or wrong is noted by whoever owns the text.
pub trait Table {
    /// Whether it says anything about `key`.
    fn has(&self, key: &str) -> bool;
    /// A whole number of more than zero.
    fn whole(&mut self, key: &str) -> Option<u32>;
    /// A duration of more than zero, in milliseconds.
    fn duration_ms(&mut self, key: &str) -> Option<u64>;
    fn text(&mut self, key: &str) -> Option<String>;
    /// A list of texts.
    fn texts(&mut self, key: &str) -> Option<Vec<String>>;
    /// `true` or `false`; nothing where it is not said.
    fn flag(&mut self, key: &str) -> Option<bool>;
    /// A path inside the tree.
    fn path(&mut self, key: &str) -> Option<String>;
    /// A shell command.
    fn command(&mut self, key: &str) -> Option<String>;
    /// A text, or a regular expression that can be used.
    fn pattern(&mut self, key: &str, is_regex: bool) -> Option<String>;
    /// Another condition, as a table of its own.
    fn condition(&mut self, key: &str) -> Option<StopCondition>;
    /// Other conditions, as a list of tables.
    fn conditions(&mut self, key: &str) -> Option<Vec<StopCondition>>;
}

/// What has to be looked up outside the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Probe<'a> {
    /// Whether a path in the work tree exists.
    Exists(&'a str),
    /// Whether a file in the work tree holds a text.
    Contains {
        /// Relative to the work tree.
        path: &'a str,
        /// Looked for as it stands.
        content: &'a str,
    },
    /// Whether the end of what the last agent printed holds a pattern.
    Printed {
        pattern: &'a str,
        /// It is a regular expression.
        is_regex: bool,
    },
    /// Whether a shell command exits with 0.
    Runs(Cow<'a, str>),
    /// Whether every task of a list in the work tree is done.
    TasksDone(&'a str),
}

/// A kind of condition: what is known of it without one.
pub struct StopType {
    /// What `type` says.
    pub name: &'static str,
    /// What a table may say beside its type and name.
    pub keys: &'static [&'static str],
    /// How `--until` says it, where it can.
    pub until: Option<Until>,
    /// What a table, or the fields of `--until`, say.
    pub read: fn(&mut dyn Table) -> Option<StopCondition>,
}

macro_rules! conditions {
    ($($kind:ident),* $(,)?) => {
        /// A reason to stop.
        #[record(Eq)]
        #[serde(tag = "type")]
        pub enum StopCondition {
            $(#[doc = concat!("See [`", stringify!($kind), "`].")] $kind($kind),)*
        }

        $(impl From<$kind> for StopCondition {
            fn from(condition: $kind) -> Self {
                Self::$kind(condition)
            }
        })*

        /// Every kind of condition, in the order in which people are told of them.
        pub static STOP_TYPES: [StopType; [$(<$kind as Rule>::TYPE),*].len()] = [$(
            StopType {
                name: <$kind as Rule>::TYPE,
                keys: <$kind as Rule>::KEYS,
                until: <$kind as Rule>::UNTIL,
                read: |table| <$kind as Rule>::read(table).map(StopCondition::$kind),
            },
        )*];

        impl StopCondition {
            /// What it is, on one line.
            pub fn label(&self) -> String {
                match self { $(Self::$kind(condition) => condition.words(),)* }
            }

            /// Of several that are met, the highest is named.
            pub fn priority(&self) -> u8 {
                match self { $(Self::$kind(_) => <$kind as Rule>::PRIORITY,)* }
            }

            /// Whether it holds for good once it holds.
            fn is_for_good(&self) -> bool {
                match self { $(Self::$kind(_) => <$kind as Rule>::FOR_GOOD,)* }
            }

            /// What `--until` says for it, where it can.
            pub fn until(&self) -> Option<String> {
                match self { $(Self::$kind(condition) => condition.until(),)* }
            }

            /// Whether it holds now.
            pub fn is_met(&self, state: &State) -> bool {
                match self { $(Self::$kind(condition) => condition.is_met(state),)* }
            }

            /// How far it has come, from 0 to 1.
            pub fn progress(&self, state: &State) -> f64 {
                match self { $(Self::$kind(condition) => condition.progress(state),)* }
            }

            /// What has to be looked up outside the journal.
            pub fn probe(&self) -> Option<Probe<'_>> {
                match self { $(Self::$kind(condition) => condition.probe(),)* }
            }

            fn inner(&self) -> &[StopCondition] {
                match self { $(Self::$kind(condition) => condition.inner(),)* }
            }
        }
    };
}

conditions! {
    MaxIterations, MaxDuration, TestFailureStreak, AllTestsPass, SpecificTestsPass, NoProgress, FileCreated, FileContains,
    OutputPattern, OnError, CustomScript, UserSignal, All, Any, Not, Never, ChecksPass, Done, ShellCommand, TasksDone,
}

impl StopCondition {
    /// The conditions in it that have to be looked up outside the journal, itself included.
    pub fn probes<'a>(&'a self, found: &mut Vec<&'a StopCondition>) {
        found.extend(self.probe().map(|_| self));
        self.inner().iter().for_each(|inner| inner.probes(found));
    }

    fn hears_a_signal(&self) -> bool {
        matches!(self, Self::UserSignal(_)) || self.inner().iter().any(Self::hears_a_signal)
    }

    /// How far the conditions in it have come.
    fn inner_progress(&self, state: &State, progress: &mut BTreeMap<String, f64>) {
        for inner in self.inner() {
            progress.insert(inner.label(), inner.progress(state));
            inner.inner_progress(state, progress);
        }
    }
}

/// A condition as `--until` has it: called as it is written there.
pub fn until(condition: impl Into<StopCondition>) -> NamedStop {
    let condition = condition.into();
    NamedStop { name: condition.until(), condition }
}

/// A condition, and what people call it.
#[record(Eq)]
pub struct NamedStop {
    /// Its name; otherwise it is called by what it is.
    pub name: Option<String>,
    pub condition: StopCondition,
}

/// The three lists.
#[record(Default, Eq)]
#[serde(default)]
pub struct StopLists {
    /// One of these completes the run.
    pub success: Vec<NamedStop>,
    /// One of these fails it.
    pub failure: Vec<NamedStop>,
    /// One of these stops it.
    pub conditions: Vec<NamedStop>,
}

/// What a condition that needed a look outside said.
#[record(Eq, omit(timed_out))]
pub struct StopResult {
    /// The condition, as [`StopCondition::label`] names it.
    pub label: String,
    /// Whether it holds.
    pub met: bool,
    /// The look took too long, and so it counts as not met.
    pub timed_out: bool,
}

/// What a list says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopVerdict {
    /// The run failed.
    Failure,
    /// The run is complete.
    Success,
    /// The run stops.
    Stop,
}

impl NamedStop {
    /// What it is called.
    pub fn label(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.condition.label())
    }
}

impl StopLists {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether one of them waits for a person to ask for a stop.
    pub(super) fn hear_a_signal(&self) -> bool {
        self.all().any(|named| named.condition.hears_a_signal())
    }

    /// Every condition of the lists.
    pub fn all(&self) -> impl Iterator<Item = &NamedStop> {
        self.failure.iter().chain(&self.success).chain(&self.conditions)
    }
}

/// How far each condition of the lists and of `--until` has come, from 0 to 1, and each that is nested in one.
pub fn stop_progress(state: &State) -> BTreeMap<String, f64> {
    let mut progress = BTreeMap::new();
    for named in state.config.stop.all().chain(&state.config.until) {
        named.condition.inner_progress(state, &mut progress);
        progress.insert(named.label(), named.condition.progress(state));
    }
    progress
}

/// What decided that a run is over, where a condition did: its words.
pub fn stop_decision(state: &State) -> Option<String> {
    match (state.reason, &state.detail) {
        (Some(Reason::StopCondition), detail) => detail.clone(),
        (Some(Reason::ConditionsMet), Some(held)) => Some(held.clone()),
        // An older piton did not say which: what holds now held then, unless it was a request.
        (Some(Reason::ConditionsMet), None) => match all_asked(state) {
            true => Some(asked_for(state)),
            false => verdict(state).map(|(_, label)| label),
        },
        _ => None,
    }
}

/// Everything that was asked for with `--until`, in words.
pub(super) fn asked_for(state: &State) -> String {
    let asked: Vec<_> = state.config.until.iter().map(NamedStop::label).collect();
    asked.join(" and ")
}

/// Whether everything holds that was asked for with `--until`, where something was.
pub fn all_asked(state: &State) -> bool {
    let until = &state.config.until;
    !until.is_empty() && until.iter().all(|named| named.condition.is_met(state))
}

/// What goes on holding of a condition that stopped a run, and would stop it again after every iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StillHolds {
    /// A look outside found it: until somebody ends that.
    Outside(String),
    /// The run itself counted as far: for good.
    ForGood,
}

/// Whether the condition that stopped the run holds still.
pub fn still_holds(state: &State) -> Option<StillHolds> {
    let (_, named) = decisive(state).filter(|_| state.reason == Some(Reason::StopCondition))?;
    let mut probes = Vec::new();
    named.condition.probes(&mut probes);
    // What an agent printed is another text after the next attempt, and nobody can change it before.
    probes.retain(|condition| !matches!(condition.probe(), Some(Probe::Printed { .. })));
    match named.condition.is_for_good() {
        true => Some(StillHolds::ForGood),
        false => (!probes.is_empty()).then(|| StillHolds::Outside(named.condition.label())),
    }
}

/// Which list says that the run is over, and the condition that says so.
pub(super) fn verdict(state: &State) -> Option<(StopVerdict, String)> {
    decisive(state).map(|(verdict, named)| (verdict, named.label()))
}

fn decisive(state: &State) -> Option<(StopVerdict, &NamedStop)> {
    let lists = &state.config.stop;
    let in_order = [
        (StopVerdict::Failure, &lists.failure),
        (StopVerdict::Success, &lists.success),
        (StopVerdict::Stop, &lists.conditions),
    ];
    in_order.into_iter().find_map(|(verdict, list)| {
        let met = list.iter().filter(|named| named.condition.is_met(state));
        // Of equals the first.
        met.rev().max_by_key(|named| named.condition.priority()).map(|named| (verdict, named))
    })
}

/// What the last look outside the journal said of the condition with these words.
fn looked_up(state: &State, words: &str) -> bool {
    let round = state.seen.checks.as_ref();
    round.is_some_and(|round| round.stops.iter().any(|result| result.label == words && result.met))
}

fn all_green(state: &State) -> bool {
    state.config.checks.is_empty() || state.seen.checks.as_ref().is_some_and(CheckRound::all_pass)
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { (part as f64 / whole as f64).min(1.0) }
}

fn several(word: &str, conditions: &[StopCondition]) -> String {
    let labels: Vec<_> = conditions.iter().map(StopCondition::label).collect();
    format!("{word}({})", labels.join(", "))
}
