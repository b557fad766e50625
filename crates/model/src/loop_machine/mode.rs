//! Whether a person is there: attended, unattended, hybrid; who switches when, and what is asked.
//!
//! Owns the questions between two iterations, the switches by request, trigger and schedule, and the hours in which a
//! loop works. The time of day is `now` with the offset that the run was created with: no clock and no table of time
//! zones is read here.

use std::collections::{BTreeSet, VecDeque};

use piton_record::record;

use super::config::Raise;
use super::facts::{Answer, QuestionKind};
use super::judge::reinforcement::{Level, LevelChange};
use super::state::{IterationRecord, Next, State};
use super::{done, limit};
use crate::Timestamp;
use crate::event::Event;
use crate::hook::Mode;
use crate::limits::clip;
use crate::notify::{Day, TimeOfDay};
use crate::policy::policy;
use crate::status::{Reason, Status};

const MINUTE_MS: i64 = 60_000;
const DAY_MINUTES: i64 = 1_440;
/// Files that a question names.
const FILES_SHOWN_MAX: usize = 20;
/// What a question shows of the words of an agent.
const SUMMARY_BYTES_MAX: usize = 500;

/// Whether a person is there, and when.
#[record(Default, Eq)]
#[serde(default)]
pub struct ModePolicy {
    /// How it begins.
    pub start: Mode,
    /// What a person is asked while attended.
    pub attended: Attended,
    /// What a person is asked while hybrid.
    pub hybrid: Hybrid,
    /// What makes an unattended loop call for a person; nothing without.
    pub switch: Option<Switching>,
    /// Switches by the clock.
    pub schedule: Vec<ScheduledMode>,
    /// When a loop works that nobody attends.
    pub windows: Windows,
    /// What the clock on the wall shows more than UTC, in seconds.
    pub utc_offset_s: i32,
}

policy! {
    /// What a person is asked while attended.
    #[record(Eq)]
    pub struct Attended {
        /// Before every iteration.
        pub pause_before: bool = true,
        /// After every iteration.
        pub pause_after: bool = false,
        /// After an iteration that changed files.
        pub approve_changes: bool = true,
        /// What is not answered for so long counts as approved.
        pub auto_approve_ms: Option<u64> = None,
        /// The terminal shows what changed.
        pub show_diff: bool = true,
        /// Iterations before which a person is asked in every mode.
        pub breakpoints: Vec<u32> = Vec::new(),
    }
}

policy! {
    /// What a person is asked while hybrid.
    #[record(Eq)]
    pub struct Hybrid {
        /// After every so many iterations; 0 means never.
        pub every: u32 = 10,
        /// After an iteration that changed at least so many files; 0 means never.
        pub files: u32 = 5,
        /// What is not answered for so long counts as approved.
        pub auto_approve_ms: Option<u64> = Some(60_000),
    }
}

policy! {
    /// What makes an unattended loop call for a person.
    #[record(Eq, written(patterns))]
    pub struct Switching {
        /// So many failed attempts in a row; 0 means never.
        pub failures: u32 = 3,
        /// One of these in what the agent reports or a failure says.
        pub patterns: Vec<String> = ["CRITICAL", "BREAKING"].map(str::to_owned).to_vec(),
        /// Something got worse, or was refused.
        pub on_regression: bool = true,
        /// One check is left, or one objective.
        pub near_completion: bool = true,
        /// A person who has not answered for so long is not there: unattended again.
        pub idle_ms: Option<u64> = None,
    }
}

/// A switch by the clock.
#[record(Eq)]
pub struct ScheduledMode {
    pub at: TimeOfDay,
    /// On these days; empty means every day.
    pub days: Vec<Day>,
    /// To this one.
    pub mode: Mode,
}

/// When a loop works that nobody attends.
#[record(Default, Eq)]
#[serde(default)]
pub struct Windows {
    /// In these hours; always without.
    pub hours: Option<TimeSpan>,
    /// On these days, by the day on which the hours begin; empty means every day.
    pub days: Vec<Day>,
    /// And never then.
    pub blackouts: Vec<TimeSpan>,
}

/// Hours of a day; where the end is not after the beginning, over midnight.
#[record(Copy, Eq)]
pub struct TimeSpan {
    pub from: TimeOfDay,
    /// Until just before.
    pub to: TimeOfDay,
}

/// Why a mode was left.
#[record(Eq)]
pub enum SwitchReason {
    /// A person asked.
    UserRequest,
    /// The clock passed a moment of the schedule.
    Scheduled {
        /// The time of day of that moment.
        at: TimeOfDay,
    },
    /// Something happened that calls for a person.
    Triggered { trigger: SwitchTrigger },
    /// Nobody answered.
    Automatic,
}

/// What makes an unattended loop call for a person.
#[record(Eq)]
pub enum SwitchTrigger {
    /// Attempts failed in a row.
    Failures { count: u32 },
    /// The agent, or a failure, said this.
    Said {
        /// The pattern that was found in it.
        pattern: String,
    },
    /// Something got worse, or was refused.
    Regression,
    /// One check is left, or one objective.
    NearlyDone,
}

impl std::fmt::Display for SwitchTrigger {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SwitchTrigger::Failures { count } => write!(formatter, "{count} failures in a row"),
            SwitchTrigger::Said { pattern } => write!(formatter, "`{pattern}` in what the agent says"),
            SwitchTrigger::Regression => formatter.write_str("a regression"),
            SwitchTrigger::NearlyDone => formatter.write_str("it is nearly done"),
        }
    }
}

/// A switch that happened.
#[record(Eq)]
pub struct ModeSwitch {
    pub at: Timestamp,
    pub from: Mode,
    pub to: Mode,
    pub why: SwitchReason,
    /// After how many iterations.
    pub iteration: u32,
}

/// Which mode a run is in, and how it came there.
#[record(Default, Eq)]
#[serde(default)]
pub struct ModeState {
    /// The mode, once it was switched.
    pub current: Option<Mode>,
    /// The last switches, the newest last.
    pub history: VecDeque<ModeSwitch>,
    /// The iteration before which a person was asked last.
    pub asked: u32,
    /// Further iterations before which a person is asked.
    pub breakpoints: BTreeSet<u32>,
    /// The question that was open when the run was last left alone. One that is asked later waits for a person all the
    /// same: there is a breakpoint.
    pub left_with: Option<u32>,
}

/// Whether a person is asked this between two iterations, because they are there.
pub(super) fn is_between_iterations(kind: QuestionKind) -> bool {
    matches!(kind, QuestionKind::BeforeIteration | QuestionKind::AfterIteration)
}

/// The switch that is due.
pub(super) fn switch(state: &State, now: Timestamp) -> Option<Event> {
    if let Some(event) = requested(state) {
        return Some(event);
    }
    let from = state.mode();
    let (to, why) = wanted(state, now).filter(|(to, _)| *to != from)?;
    Some(Event::ModeSwitched { from, to, why })
}

/// The switch that somebody asked for. It needs no work, so a run at rest has it at once.
pub(super) fn requested(state: &State) -> Option<Event> {
    let (from, to) = (state.mode(), state.requests.mode?);
    (to != from).then_some(Event::ModeSwitched { from, to, why: SwitchReason::UserRequest })
}

fn wanted(state: &State, now: Timestamp) -> Option<(Mode, SwitchReason)> {
    if let Some(entry) = scheduled(state, now) {
        return Some((entry.mode, SwitchReason::Scheduled { at: entry.at }));
    }
    let switching = state.config.mode.switch.as_ref()?;
    let idle = |idle_ms: u64| open_question(state).is_some_and(|since| since.plus_millis(idle_ms) <= now);
    if switching.idle_ms.is_some_and(idle) {
        return Some((Mode::Unattended, SwitchReason::Automatic));
    }
    let judged = state.people.mode.history.back().map_or(0, |last| last.iteration);
    let is_over = matches!(state.status, Status::Running | Status::Rebooting)
        && state.work.next == Next::Attempt
        && state.counters.iterations > judged;
    let trigger =
        (is_over && state.mode() == Mode::Unattended).then(|| trigger(state, switching)).flatten()?;
    Some((Mode::Attended, SwitchReason::Triggered { trigger }))
}

fn open_question(state: &State) -> Option<Timestamp> {
    state
        .people
        .questions
        .iter()
        .find(|question| is_between_iterations(question.kind))
        .map(|question| question.since)
}

fn trigger(state: &State, switching: &Switching) -> Option<SwitchTrigger> {
    let counters = &state.counters;
    if switching.failures > 0 && counters.failures_in_a_row >= switching.failures {
        return Some(SwitchTrigger::Failures { count: counters.failures_in_a_row });
    }
    let last = state.judged.recent.back()?;
    let report = state.seen.report.as_ref();
    let words = [
        last.message.as_deref(),
        report.and_then(|report| report.summary.as_deref()),
        report.and_then(|report| report.message.as_deref()),
    ];
    let said = |pattern: &&String| words.iter().flatten().any(|text| text.contains(pattern.as_str()));
    if let Some(pattern) = switching.patterns.iter().filter(|pattern| !pattern.is_empty()).find(said) {
        return Some(SwitchTrigger::Said { pattern: pattern.clone() });
    }
    if switching.on_regression && (last.regressed || last.refused) {
        return Some(SwitchTrigger::Regression);
    }
    let one_check = last.total > 1 && last.passed + 1 == last.total;
    let objectives = &state.memory.objectives;
    let one_objective = objectives.pending.len() == 1 && !objectives.completed.is_empty();
    (switching.near_completion && (one_check || one_objective)).then_some(SwitchTrigger::NearlyDone)
}

/// The entry of the schedule that came since the last switch.
fn scheduled(state: &State, now: Timestamp) -> Option<&ScheduledMode> {
    let policy = &state.config.mode;
    let since = state.people.mode.history.back().map_or(state.created_at, |last| last.at);
    let wall = Wall::of(now, policy.utc_offset_s);
    let last = |entry: &ScheduledMode| {
        let at = i64::from(entry.at.minutes());
        (0..8)
            .map(|back| (wall.day - back, at))
            .find(|(day, at)| (*day, *at) <= (wall.day, wall.minute) && is_on(&entry.days, *day))
    };
    let newest =
        policy.schedule.iter().filter_map(|entry| Some((last(entry)?, entry))).max_by_key(|(at, _)| *at);
    let ((day, minute), entry) = newest?;
    (Wall { day, minute }.moment(policy.utc_offset_s) > since).then_some(entry)
}

/// What goes on while a question of ours waits.
pub(super) fn while_waiting(state: &State, now: Timestamp) -> Option<Event> {
    if let Some(event) = switch(state, now) {
        return Some(event);
    }
    let question = state.people.questions.iter().find(|question| is_between_iterations(question.kind))?;
    let due = state.until.is_some_and(|until| until <= now);
    let left_alone = state.people.mode.left_with == Some(question.number);
    (due || left_alone).then(|| super::judge::answer(state, question, Answer::Approve, None))
}

/// Until when an answer is waited for.
pub(super) fn patience(state: &State, now: Timestamp) -> Option<Timestamp> {
    let policy = &state.config.mode;
    let since = open_question(state).unwrap_or(now);
    let approve_ms = match state.mode() {
        Mode::Hybrid => policy.hybrid.auto_approve_ms,
        Mode::Attended | Mode::Unattended => policy.attended.auto_approve_ms,
    };
    let idle_ms = policy.switch.as_ref().and_then(|switching| switching.idle_ms);
    approve_ms.into_iter().chain(idle_ms).min().map(|wait_ms| since.plus_millis(wait_ms))
}

/// What a person is asked about the iteration that is over.
pub(super) fn after_iteration(state: &State) -> Option<String> {
    let next = state.counters.iterations.saturating_add(1);
    let last = state.judged.recent.back().filter(|last| last.number == state.work.iteration)?;
    if state.people.mode.asked >= next || last.was_put_back() || last.skipped {
        return None;
    }
    let policy = &state.config.mode;
    let files = u32::try_from(last.artifacts.len()).unwrap_or(u32::MAX);
    let changed = match (&state.work.before, &last.snapshot) {
        (Some(before), Some(after)) => before.tree != after.tree,
        _ => false,
    };
    let asks = match state.mode() {
        Mode::Attended => policy.attended.pause_after || (policy.attended.approve_changes && changed),
        Mode::Hybrid => policy.hybrid.files > 0 && files >= policy.hybrid.files,
        Mode::Unattended => false,
    };
    asks.then(|| about(state, last, next))
}

fn about(state: &State, last: &IterationRecord, next: u32) -> String {
    let mut text = format!("Iteration {} is over: +{} −{} lines", last.number, last.added, last.removed);
    let names: Vec<_> = last.artifacts.iter().take(FILES_SHOWN_MAX).map(|file| file.path.as_str()).collect();
    match names.is_empty() {
        true => text.push_str(", no file changed."),
        false => text.push_str(&format!(" in {}.", names.join(", "))),
    }
    text.push_str(&checks(state));
    let summary = state.seen.report.as_ref().and_then(|report| report.summary.as_deref());
    if let Some(summary) = summary {
        text.push_str(&format!("\nThe agent says: {}", clip(summary, SUMMARY_BYTES_MAX)));
    }
    if let Some(snapshot) = &last.snapshot {
        text.push_str(&format!("\nTree {}.", clip(&snapshot.tree, 12)));
    }
    let yes = if done::reached(state).is_some() {
        "Keep it? The run is done then.".to_owned()
    } else if limit::still_reached(state, &Raise::default()).is_some() {
        "Keep it? The run stops at its limit then.".to_owned()
    } else {
        format!("Keep it and go on to iteration {next}?")
    };
    text.push_str(&format!("\n{yes} No puts its files back."));
    text
}

fn checks(state: &State) -> String {
    match &state.seen.checks {
        Some(round) if !round.checks.is_empty() => {
            let failing: Vec<_> =
                round.checks.iter().filter(|check| !check.passed).map(|check| check.name.as_str()).collect();
            match failing.is_empty() {
                true => format!(" All {} checks pass.", round.checks.len()),
                false => {
                    let (number, total) = (failing.len(), round.checks.len());
                    let word = if number == 1 { "fails" } else { "fail" };
                    format!(" {number} of {total} checks {word}: {}.", failing.join(", "))
                }
            }
        }
        _ => String::new(),
    }
}

/// What a person is asked before the next iteration.
pub(super) fn before_iteration(state: &State) -> Option<String> {
    let next = state.counters.iterations.saturating_add(1);
    if state.work.iteration > state.counters.iterations || state.people.mode.asked >= next {
        return None;
    }
    let policy = &state.config.mode;
    let breaks = state.people.mode.breakpoints.contains(&next) || policy.attended.breakpoints.contains(&next);
    let every = policy.hybrid.every;
    let asks = match state.mode() {
        Mode::Attended => policy.attended.pause_before,
        Mode::Hybrid => {
            every > 0 && state.counters.iterations > 0 && state.counters.iterations.is_multiple_of(every)
        }
        Mode::Unattended => false,
    };
    // Where nothing milder helped, a person looks before the run goes on.
    let firmest = |change: &LevelChange| change.rise.to == Level::Adaptive && change.rise.iteration == next;
    let checks_in = state.judged.reinforcement.history.back().is_some_and(firmest);
    let max = state.config.limits.iterations;
    (asks || breaks || checks_in).then(|| {
        let at_break = match (breaks, checks_in) {
            (true, _) => " There is a breakpoint.",
            (false, true) => " Prompts speak as firmly as they can from here on.",
            (false, false) => "",
        };
        format!(
            "Iteration {next} of {max} comes next.{}{at_break}\nBegin it? If not, it is skipped.",
            checks(state)
        )
    })
}

/// The wait for hours in which a loop works that nobody attends.
pub(super) fn outside_hours(state: &State, now: Timestamp) -> Option<Event> {
    let policy = &state.config.mode;
    if state.mode() == Mode::Attended || policy.windows == Windows::default() {
        return None;
    }
    let wall = Wall::of(now, policy.utc_offset_s);
    if policy.windows.holds(wall) {
        return None;
    }
    let later = |minutes: i64| {
        let minute = wall.minute + minutes;
        Wall { day: wall.day + minute.div_euclid(DAY_MINUTES), minute: minute.rem_euclid(DAY_MINUTES) }
    };
    match (1..=8 * DAY_MINUTES).map(later).find(|moment| policy.windows.holds(*moment)) {
        Some(moment) => Some(Event::RunWaiting {
            reason: Reason::Schedule,
            until: Some(moment.moment(policy.utc_offset_s)),
        }),
        None => Some(Event::RunStopped {
            reason: Reason::Schedule,
            detail: Some("there is no hour in which it may work".to_owned()),
        }),
    }
}

impl Windows {
    fn holds(&self, wall: Wall) -> bool {
        let open = match self.hours {
            None => is_on(&self.days, wall.day),
            Some(hours) => match hours.began(wall) {
                Some(day) => is_on(&self.days, day),
                None => false,
            },
        };
        open && self.blackouts.iter().all(|blackout| blackout.began(wall).is_none())
    }
}

impl TimeSpan {
    /// The day on which the span began that `wall` lies in.
    fn began(self, wall: Wall) -> Option<i64> {
        let (from, to) = (i64::from(self.from.minutes()), i64::from(self.to.minutes()));
        if from < to {
            return (from..to).contains(&wall.minute).then_some(wall.day);
        }
        if wall.minute >= from { Some(wall.day) } else { (wall.minute < to).then_some(wall.day - 1) }
    }
}

fn is_on(days: &[Day], day: i64) -> bool {
    // The first of January 1970 was a Thursday.
    let index = usize::try_from((day + 4).rem_euclid(7)).expect("a rest of seven is small");
    days.is_empty() || days.contains(&Day::ALL[index])
}

/// What the clock on the wall shows: days since 1970, and minutes of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wall {
    day: i64,
    minute: i64,
}

impl Wall {
    fn of(now: Timestamp, offset_s: i32) -> Self {
        let minutes = (now.as_millis() + i64::from(offset_s) * 1_000).div_euclid(MINUTE_MS);
        Self { day: minutes.div_euclid(DAY_MINUTES), minute: minutes.rem_euclid(DAY_MINUTES) }
    }

    fn moment(self, offset_s: i32) -> Timestamp {
        let minutes = self.day * DAY_MINUTES + self.minute;
        Timestamp::from_millis(minutes * MINUTE_MS - i64::from(offset_s) * 1_000)
    }
}
