//! What happened between two looks at a run: the occasions to tell of, and the points to call hooks at.
//!
//! States are compared, not events: whoever looks after several events, or after a crash, finds the same as
//! somebody who looked each time, less what has passed meanwhile. So nothing is told twice after a restart, and
//! how a run ended is told even where its driver died before it could.

mod cycles;

use piton_model::hook::Mode;
use piton_model::loop_machine::CheckRound;
use piton_model::notify::Trigger;
use piton_model::{Reason, State, Status, Timestamp, exit_code};
use piton_record::record;

use crate::occasion::{Facts, Occasion};

/// How a run stood at a look.
#[record(Eq, written)]
pub struct Seen {
    /// When its last event happened.
    pub at: Timestamp,
    /// In words for people.
    pub facts: Facts,
    /// Where it is.
    pub status: Status,
    pub reason: Option<Reason>,
    /// Iterations with a verdict.
    pub iterations: u32,
    /// Whether the last of them changed something that matters.
    pub progress: bool,
    /// Whether the last of them changed files.
    pub files_changed: bool,
    /// Attempts that failed in a row.
    pub failures: u32,
    /// Attempts whose outcome could not be known.
    pub lost: u32,
    /// The last round of checks.
    pub round: Option<u32>,
    /// Whether all of them passed; unknown without checks.
    pub passing: Option<bool>,
    /// The agent's session.
    pub session: Option<String>,
    /// The session is to be left at the next attempt.
    pub spent: bool,
    /// Questions that were asked so far.
    pub questions: u32,
    /// What the newest of those that wait asks.
    pub question: Option<String>,
    /// Whether a person is there.
    #[serde(default)]
    pub mode: Mode,
    /// What went wrong last, where the run says more than how often.
    #[serde(default)]
    pub error: Option<String>,
}

/// A run that can be looked at while it goes on.
pub trait Watched {
    /// How it stands. `repository` is the name of its repository for people.
    fn seen(&self, repository: &str) -> Seen;
}

impl Watched for State {
    fn seen(&self, repository: &str) -> Seen {
        let state = self;
        let counters = &state.counters;
        let checks = state.seen.checks.as_ref().filter(|round| !round.checks.is_empty());
        let last = state.judged.recent.back();
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Seen {
            at: state.updated_at,
            facts: Facts {
                run: state.run.as_str().to_owned(),
                short: state.run.short().to_owned(),
                title: state.title.clone(),
                kind: state.kind,
                status: state.status,
                reason: state.reason,
                detail: state.detail.clone(),
                iteration: state.work.iteration,
                max_iterations: state.config.limits.iterations,
                steps: None,
                checks: checks.map(|round| (number(round.passed()), number(round.checks.len()))),
                // Without checks the last one is the best, and that is no milestone.
                best: state.judged.best.as_ref().filter(|best| best.total > 0).map(|best| best.iteration),
                cost_microusd: (counters.cost_unknown == 0).then_some(counters.cost_microusd),
                working_ms: counters.working_ms,
                repository: repository.to_owned(),
            },
            status: state.status,
            reason: state.reason,
            iterations: counters.iterations,
            progress: last.is_some_and(|last| last.progress),
            files_changed: last.is_some_and(|last| last.added > 0 || last.removed > 0),
            failures: counters.failures_in_a_row,
            lost: counters.lost,
            round: checks.map(|round| round.number),
            passing: checks.map(CheckRound::all_pass),
            session: state.session.current.clone(),
            spent: state.session.spent,
            questions: state.people.questions_asked,
            question: state.people.questions.last().map(|question| question.text.clone()),
            mode: state.mode(),
            error: None,
        }
    }
}

impl Seen {
    /// What there is to tell since `before`; without one, since the run was created.
    pub fn occasions(&self, before: Option<&Seen>) -> Vec<Occasion> {
        let since = Since { before, after: self };
        let mut occasions = Vec::new();
        let mut tell = |trigger, what: Option<String>| {
            let occasion = Occasion::new(trigger, self.at, self.facts.clone());
            occasions.push(what.into_iter().fold(occasion, |occasion, what| occasion.saying(what)));
        };
        if since.started() {
            tell(Trigger::LoopStarted, None);
        }
        if since.went_on() {
            tell(Trigger::LoopResumed, None);
        }
        if since.failed_again() {
            let how_often = || format!("{} in a row", self.failures.max(1));
            tell(Trigger::Error, Some(self.error.clone().unwrap_or_else(how_often)));
        }
        if since.iterated() {
            tell(Trigger::IterationComplete, None);
            if !self.progress {
                tell(Trigger::NoProgress, None);
            }
        }
        match since.turned() {
            Some(true) => tell(Trigger::TestsAllPassing, None),
            Some(false) => tell(Trigger::TestsFailing, None),
            None => {}
        }
        if since.has_new_best() {
            tell(
                Trigger::MilestoneReached,
                self.facts.best.map(|best| format!("iteration {best} is the best so far")),
            );
        }
        if since.rebooted() {
            tell(Trigger::ContextRebooted, None);
        }
        if since.switched() {
            tell(Trigger::ModeSwitched, Some(format!("{} now", self.mode.as_str())));
        }
        match since.rested() {
            Some(trigger) => {
                tell(trigger, self.question.clone().filter(|_| trigger == Trigger::AttentionNeeded))
            }
            None if since.asks() => tell(Trigger::AttentionNeeded, self.question.clone()),
            None => {}
        }
        occasions
    }

    /// Whether it rested at the earlier look and goes on now: nothing but a person brings that about.
    pub fn went_on_since(&self, before: Option<&Seen>) -> bool {
        Since { before, after: self }.went_on()
    }
}

/// Two looks.
struct Since<'a> {
    before: Option<&'a Seen>,
    after: &'a Seen,
}

impl Since<'_> {
    /// A number of the earlier look; 0 where there was none.
    fn earlier(&self, number: impl Fn(&Seen) -> u32) -> u32 {
        self.before.map_or(0, number)
    }

    fn started(&self) -> bool {
        let had = self.before.is_some_and(|before| before.status != Status::Created);
        !had && self.after.status != Status::Created
    }

    fn went_on(&self) -> bool {
        self.before.is_some_and(|before| rests(before) && before.status != Status::Created)
            && !rests(self.after)
    }

    fn rests_anew(&self) -> bool {
        let same = self.before.is_some_and(|before| {
            (before.status, before.reason, before.questions)
                == (self.after.status, self.after.reason, self.after.questions)
        });
        rests(self.after) && !same
    }

    fn iterated(&self) -> bool {
        self.after.iterations > self.earlier(|before| before.iterations)
    }

    fn failed_again(&self) -> bool {
        self.after.failures > self.earlier(|before| before.failures)
            || self.after.lost > self.earlier(|before| before.lost)
    }

    /// Whether the checks turned, and to what. The first round is no turn: it is how things were.
    fn turned(&self) -> Option<bool> {
        let before = self.before?.passing?;
        self.after.passing.filter(|passing| *passing != before)
    }

    fn has_new_best(&self) -> bool {
        // One that is the best again because a later one was put back is no news.
        self.after.facts.best > self.before.and_then(|before| before.facts.best)
    }

    fn rebooted(&self) -> bool {
        // Told once it has begun: the session that was to be left is not the last one any more.
        self.before.is_some_and(|before| before.spent && before.session != self.after.session)
    }

    fn switched(&self) -> bool {
        self.before.is_some_and(|before| before.mode != self.after.mode)
    }

    fn asks(&self) -> bool {
        self.after.questions > self.earlier(|before| before.questions)
    }

    /// How a rest that is new is told.
    fn rested(&self) -> Option<Trigger> {
        if !self.rests_anew() {
            return None;
        }
        at_rest(self.after.status, self.after.reason)
    }
}

/// What people are told of a run that rests like this.
pub fn at_rest(status: Status, reason: Option<Reason>) -> Option<Trigger> {
    match status {
        Status::Completed => Some(Trigger::LoopCompleted),
        Status::Failed => Some(Trigger::LoopFailed),
        Status::Paused => Some(Trigger::LoopPaused),
        Status::Waiting => Some(Trigger::AttentionNeeded),
        Status::Stopped => Some(why_stopped(reason)),
        Status::Created | Status::Running | Status::Rebooting => None,
    }
}

/// Whether nothing will happen unless a person does something.
fn rests(seen: &Seen) -> bool {
    exit_code(seen.status, seen.reason).is_some()
}

fn why_stopped(reason: Option<Reason>) -> Trigger {
    match reason {
        Some(Reason::NoProgress | Reason::FailureStreak) => Trigger::SafetyLimit,
        Some(reason) if reason.is_limit() => Trigger::SafetyLimit,
        Some(Reason::Interrupted | Reason::Human) | None => Trigger::LoopPaused,
        Some(_) => Trigger::AttentionNeeded,
    }
}

#[cfg(test)]
mod tests;
