//! The state of a loop: a fold over its events, bounded in size.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::adoption::Adopted;
use super::config::{LoopConfig, Raise};
use super::facts::{
    Answer, Artifact, AttemptOutcome, CheckRound, Note, Objectives, OpenAttempt, OpenCommit, QuestionKind,
    Report, Snapshot, Usage,
};
use super::guard::{Counts, KeptFinding};
use super::hook_calls::{HookCall, HookProgress};
use super::judge::context::ContextSample;
use super::judge::quality::Quality;
pub(super) use super::judge::reboot::{RebootReason, RebootRecord};
pub(super) use super::judge::reinforcement::Reinforcement;
use super::measures::Measures;
use super::mode::ModeState;
use super::recovery::Recovery;
use super::tracker::TestTracker;
use crate::event::StopOrigin;
use crate::hook::Mode;
use crate::status::{Kind, Reason, Status};
use crate::{Epoch, RunId, Timestamp};

/// Everything that is known of a loop. Histories are windows; the whole is in the journal.
///
/// Its parts are named after who writes them: intents and outcomes of the driver ([`Work`], [`Seen`], [`Session`],
/// [`HookProgress`]), verdicts ([`Judged`]), people ([`People`], [`Requests`]), and both agents and people ([`Memory`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Its name.
    pub run: RunId,
    /// Its kind.
    pub kind: Kind,
    /// One line for people.
    pub title: String,
    /// What it was asked to do; limits as raised since.
    pub config: LoopConfig,

    /// Where it is.
    pub status: Status,
    /// Why.
    pub reason: Option<Reason>,
    /// A sentence for people, where the reason alone is not enough.
    pub detail: Option<String>,
    /// The durable timer, while it waits for a moment.
    pub until: Option<Timestamp>,
    /// Since when it is there.
    pub since: Timestamp,
    /// When it was created.
    pub created_at: Timestamp,
    /// When the last event happened.
    pub updated_at: Timestamp,
    /// Who drove it last.
    pub driver: Option<Driver>,

    /// How far the work is: written by what the driver means to do.
    pub work: Work,
    /// What attempts and checks brought back.
    pub seen: Seen,
    /// What was judged of it.
    pub judged: Judged,
    /// What was used so far. Survives restarts; recovery never charges twice.
    pub counters: Counters,
    /// The agent's sessions.
    pub session: Session,
    /// How far its hooks are.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hooks: HookProgress,
    /// What agents and people want remembered.
    #[serde(default, skip_serializing_if = "is_default")]
    pub memory: Memory,
    /// What people were asked and what they said.
    #[serde(default, skip_serializing_if = "is_default")]
    pub people: People,
    /// Requests that were not acted on yet.
    pub requests: Requests,
}

/// How far the work is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Work {
    /// What comes next once nothing is open.
    pub next: Next,
    /// The work that is open: its intent is recorded, its outcome is not.
    pub open: Option<Open>,
    /// The iteration that is under way or was last finished; 0 before the first.
    pub iteration: u32,
    /// The last attempt's number.
    pub attempt: u32,
    /// The last round's number.
    pub round: u32,
    /// The tree before the iteration that is under way.
    pub before: Option<Snapshot>,
    /// The last attempt of the iteration under way, while its verdict is still open.
    pub ended: Option<Ended>,
    /// The tree that is to be put back before anything else: what came after it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restore: Option<Snapshot>,
    /// The tree that was last committed to the run's own branch, or found to be there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub committed: Option<String>,
}

/// What attempts and checks brought back, as they brought it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seen {
    /// The tree at the start of the run.
    pub start: Option<Snapshot>,
    /// The tree as last seen.
    pub snapshot: Option<Snapshot>,
    /// The checks before the first attempt.
    pub baseline: Option<CheckRound>,
    /// The last round with a verdict.
    pub checks: Option<CheckRound>,
    /// What the agent reported in the last concluded iteration.
    pub report: Option<Report>,
    /// What the last kept round measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measures: Option<Measures>,
    /// Tests by name.
    #[serde(default, skip_serializing_if = "TestTracker::is_empty")]
    pub tests: TestTracker,
    /// Files the run has changed.
    pub modified_files: Vec<String>,
    /// Commits that were made of green iterations.
    #[serde(default)]
    pub commits: u32,
    /// How long the guard took, the last times.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub latencies_ms: VecDeque<u32>,
}

/// What was judged of the run so far. Verdicts are copied here, never made here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judged {
    /// The best iteration so far.
    pub best: Option<Best>,
    /// The last iterations.
    pub recent: VecDeque<IterationRecord>,
    /// What the guard found, the newest last.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub findings: VecDeque<KeptFinding>,
    /// What numbers are compared with: those of the start, or those a person agreed to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Measures>,
    /// The tree whose protected files count: the one of the start, or the last that a person agreed to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted: Option<Snapshot>,
    /// How firmly prompts speak.
    #[serde(default)]
    pub reinforcement: Reinforcement,
    /// The recovery under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery: Option<Recovery>,
    /// The last recoveries that ended.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub recoveries: VecDeque<Recovery>,
    /// The last iteration that was recovered from.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub recovered_iteration: u32,
}

/// What agents and people want remembered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Memory {
    /// What is done and what is left, by the agent's account.
    pub objectives: Objectives,
    /// What agents decided and found out and what people noted, the newest last.
    #[serde(skip_serializing_if = "VecDeque::is_empty")]
    pub notes: VecDeque<KeptNote>,
    /// Values kept with the run.
    pub custom: BTreeMap<String, serde_json::Value>,
    /// Where it comes from, if it goes on with what another one left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adopted: Option<Adopted>,
}

/// What people were asked and what they said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct People {
    /// Questions that wait for a person.
    pub questions: Vec<Question>,
    /// How many questions were asked.
    pub questions_asked: u32,
    /// Messages for the agent's next prompt.
    pub told: Vec<Told>,
    /// Whether a person is there.
    #[serde(skip_serializing_if = "is_default")]
    pub mode: ModeState,
    /// The iteration that a person chose over the best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<Chosen>,
    /// What people said about findings, by their id: whether it was a false alarm.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub marks: BTreeMap<String, bool>,
}

/// A note, and when it was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptNote {
    /// The iteration whose agent made it.
    pub iteration: u32,
    /// The note.
    pub note: Note,
}

/// A driver that took the lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Driver {
    /// Its epoch.
    pub epoch: Epoch,
    /// Its machine.
    pub host: String,
    /// That machine's boot.
    pub boot: String,
    /// Its process there.
    pub pid: u32,
    /// Since when.
    pub since: Timestamp,
}

/// What comes next once nothing is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Next {
    /// A round of checks: the baseline, or the verdict on an attempt.
    Checks,
    /// An attempt: of the next iteration, or again of this one.
    Attempt,
    /// The verdict on the iteration under way: all that it is judged by is known.
    Verdict,
}

/// Work whose intent is recorded and whose outcome is not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Open {
    /// An attempt.
    Attempt(OpenAttempt),
    /// A round of checks.
    Checks(u32),
    /// A call of hooks.
    Hooks(HookCall),
    /// A commit of what an iteration left.
    Commit(OpenCommit),
}

/// An attempt that ended, while its checks are still to come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ended {
    /// How.
    pub outcome: AttemptOutcome,
    /// A sentence for people when it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How long it took.
    pub duration_ms: u64,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
    /// What it reported.
    pub report: Option<Report>,
    /// Tests before and after it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<Counts>,
    /// The guard refused what it left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    /// What it left, where that was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Snapshot>,
    /// A person is to judge what it left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub doubted: bool,
    /// The files it changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Artifact>,
    /// It must not be retried right away: wait for this reason first.
    pub hold: Option<Reason>,
    /// Checks that failed before it and pass now, and conditions that hold now.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub checks_fixed: u32,
}

impl Ended {
    /// One that ended like this, and of which nothing else is known.
    pub(super) fn of(outcome: AttemptOutcome) -> Self {
        Self {
            outcome,
            message: None,
            duration_ms: 0,
            added: 0,
            removed: 0,
            report: None,
            tests: None,
            refused: false,
            left: None,
            doubted: false,
            artifacts: Vec::new(),
            hold: None,
            checks_fixed: 0,
        }
    }
}

/// What was used so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counters {
    /// Iterations with a verdict.
    pub iterations: u32,
    /// Of those, iterations whose agent succeeded.
    pub succeeded: u32,
    /// Of those, iterations whose agent failed.
    pub failed: u32,
    /// Working time.
    pub working_ms: u64,
    /// Time spent waiting for moments and people.
    pub waiting_ms: u64,
    /// Money, where it was reported, in millionths of a dollar.
    pub cost_microusd: u64,
    /// Attempts that reported no cost: the sum above is then a lower bound.
    pub cost_unknown: u32,
    /// Tokens, where they were reported.
    pub tokens: u64,
    /// Attempts that reported no tokens.
    pub tokens_unknown: u32,
    /// Failed attempts in a row.
    pub failures_in_a_row: u32,
    /// Iterations in a row that changed nothing that matters.
    pub no_progress_in_a_row: u32,
    /// The last iteration that changed something that matters.
    pub last_progress_iteration: Option<u32>,
    /// Refusals by the provider in a row.
    pub refusals_in_a_row: u32,
    /// Rounds in a row in which a check failed.
    pub red_in_a_row: u32,
    /// Attempts whose outcome could not be known.
    pub lost: u32,
    /// Iterations that were refused.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refused: u32,
    /// Of those, the last ones in a row.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refused_in_a_row: u32,
    /// Recoveries.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub recoveries: u32,
    /// Of those, the last ones that did not help.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub recoveries_in_a_row: u32,
    /// Iterations in which a regression was found.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub regressions: u32,
    /// Findings that block.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub detections: u32,
    /// Changes to a fresh session in the middle of the work.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reboots: u32,
    /// Time the guard took.
    #[serde(default, skip_serializing_if = "is_none_of_it")]
    pub guard_ms: u64,
    /// Lines that iterations added and removed; what was refused is not counted.
    #[serde(default, skip_serializing_if = "is_none_of_it")]
    pub lines_changed: u64,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn is_none_of_it(number: &u64) -> bool {
    *number == 0
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// An iteration that a person chose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chosen {
    /// Which.
    pub iteration: u32,
    /// Why.
    pub reason: String,
    /// When.
    pub at: Timestamp,
}

/// The best iteration so far: of those whose checks all pass the one with the highest score, else of all. Ties keep
/// the earlier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Best {
    /// Which.
    pub iteration: u32,
    /// Since when.
    #[serde(default)]
    pub at: Timestamp,
    /// How good it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<Quality>,
    /// Checks that passed.
    pub passed: u32,
    /// Checks that were run.
    pub total: u32,
    /// Its tree.
    pub snapshot: Option<Snapshot>,
}

impl Best {
    /// The iteration under way, so good.
    pub(super) fn of(state: &State, quality: Option<Quality>) -> Self {
        let round = state.seen.checks.as_ref();
        Self {
            iteration: state.work.iteration,
            at: state.updated_at,
            quality,
            passed: round.map_or(0, |round| round.passed() as u32),
            total: round.map_or(0, |round| round.checks.len() as u32),
            snapshot: state.seen.snapshot.clone(),
        }
    }

    /// How good it is, 0 to 100: its score, else the share of checks that passed.
    pub fn quality_score(&self) -> f64 {
        match self.quality {
            Some(quality) => quality.score,
            None if self.total == 0 => 0.0,
            None => 100.0 * f64::from(self.passed) / f64::from(self.total),
        }
    }

    /// Whether every check passed.
    pub fn is_verified(&self) -> bool {
        self.total > 0 && self.passed == self.total
    }
}

/// An iteration with a verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IterationRecord {
    /// Its number.
    pub number: u32,
    /// When it had its verdict.
    #[serde(default)]
    pub at: Timestamp,
    /// The last attempt at it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub attempt: u32,
    /// How its agent ended.
    pub outcome: AttemptOutcome,
    /// What is said about it when it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// It was given up because somebody asked.
    pub skipped: bool,
    /// The guard refused it: its files were put back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    /// A person is asked about it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub doubted: bool,
    /// Tests that there were, before and after, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<Counts>,
    /// Something in it got worse: it is not the best of anything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub regressed: bool,
    /// How good it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<Quality>,
    /// What was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measures: Option<Measures>,
    /// The commit that was made of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The files it changed; only of the last one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Artifact>,
    /// Working time, checks included.
    pub duration_ms: u64,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
    /// Checks that passed.
    pub passed: u32,
    /// Checks that were run.
    pub total: u32,
    /// Whether anything changed that matters.
    pub progress: bool,
    /// How far it got, from 0 to 1.
    #[serde(default)]
    pub score: f64,
    /// What its agent says it cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_microusd: Option<u64>,
    /// Its tree.
    pub snapshot: Option<Snapshot>,
}

/// The agent's sessions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// The session of the last attempt that named one.
    pub current: Option<String>,
    /// Since when.
    pub started_at: Option<Timestamp>,
    /// Iterations in it.
    pub iterations: u32,
    /// How full its context is.
    pub context_usage_percent: Option<u8>,
    /// What it has used in all, where its agent counts so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What it has cost in all, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_microusd: Option<u64>,
    /// What was seen of it, iteration by iteration.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub samples: VecDeque<ContextSample>,
    /// The last changes to a fresh one in the middle of the work.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub reboots: VecDeque<RebootRecord>,
    /// Bytes that were said in it, both ways, as far as that is known.
    #[serde(default, skip_serializing_if = "is_none_of_it")]
    pub said_bytes: u64,
    /// Why a person is to be asked whether it may give way to a fresh one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed: Option<RebootReason>,
    /// Why the next attempt begins a fresh one, and so is told what the old one knew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<RebootReason>,
    /// The next attempt begins another one: this one is full, or cannot be continued.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spent: bool,
    /// The sessions before it.
    pub history: VecDeque<SessionRecord>,
}

/// A session that ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionRecord {
    /// Its id.
    pub session_id: String,
    /// From.
    pub started_at: Timestamp,
    /// To.
    pub ended_at: Timestamp,
    /// Iterations in it.
    pub iterations: u32,
}

/// A question that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Its number.
    pub number: u32,
    /// What it is about.
    pub kind: QuestionKind,
    /// Exactly what is shown.
    pub text: String,
    /// Digest of what is shown.
    pub digest: String,
    /// Since when it waits.
    pub since: Timestamp,
}

/// Requests that were not acted on yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requests {
    /// Rest after what is open.
    pub pause: bool,
    /// Give up the iteration under way.
    pub skip: bool,
    /// Begin a fresh session with the next attempt.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reboot: bool,
    /// Change the mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// Stop; `true` means now.
    pub stop: Option<(bool, StopOrigin)>,
    /// Go on, with these limits.
    pub resume: Option<Raise>,
    /// Answers to look at.
    pub answers: Vec<GivenAnswer>,
}

/// An answer that was not looked at yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenAnswer {
    /// The question it names.
    pub question: u32,
    /// The answer.
    pub answer: Answer,
    /// What came with it.
    pub comment: Option<String>,
    /// Digest of what the person saw.
    pub seen: Option<String>,
}

/// A message for the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Told {
    /// The message.
    pub text: String,
    /// The attempt whose prompt holds it; dropped when that attempt ended by itself.
    pub attempt: Option<u32>,
}

/// Work that is open in a state, for the driver to perform or to look up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Run this attempt, or find out what became of it.
    Attempt(OpenAttempt),
    /// Run this round of checks, or find out what became of it.
    Checks(u32),
    /// Call these hooks.
    Hooks(HookCall),
    /// Commit this tree, or find the commit that was made of it.
    Commit(OpenCommit),
    /// Wake up at this moment.
    Timer(Timestamp),
}

impl State {
    /// What is open.
    pub fn effects(&self) -> Vec<Effect> {
        match (self.status, &self.work.open) {
            (Status::Waiting, _) => self.until.map(Effect::Timer).into_iter().collect(),
            (Status::Running | Status::Rebooting, Some(Open::Attempt(attempt))) => {
                vec![Effect::Attempt(attempt.clone())]
            }
            (Status::Running | Status::Rebooting, Some(Open::Checks(round))) => vec![Effect::Checks(*round)],
            (Status::Running | Status::Rebooting, Some(Open::Hooks(call))) => {
                vec![Effect::Hooks(call.clone())]
            }
            (Status::Running | Status::Rebooting, Some(Open::Commit(commit))) => {
                vec![Effect::Commit(commit.clone())]
            }
            (Status::Running | Status::Rebooting, None) => Vec::new(),
            (Status::Created | Status::Paused | Status::Stopped | Status::Completed | Status::Failed, _) => {
                Vec::new()
            }
        }
    }

    /// Whether the open work should be ended instead of awaited.
    pub fn wants_cancel(&self) -> bool {
        let skips = self.requests.skip && self.can_skip();
        let can_end = match self.work.open {
            Some(Open::Attempt(_) | Open::Checks(_) | Open::Hooks(_)) => true,
            Some(Open::Commit(_)) | None => false,
        };
        can_end && (skips || matches!(self.requests.stop, Some((true, _))))
    }

    /// Whether the open work belongs to an iteration that can be given up. The baseline cannot, and hooks are called
    /// whatever becomes of the iteration.
    pub fn can_skip(&self) -> bool {
        match &self.work.open {
            Some(Open::Attempt(_)) => true,
            Some(Open::Checks(_)) => self.work.iteration > self.counters.iterations,
            Some(Open::Hooks(_) | Open::Commit(_)) | None => false,
        }
    }

    /// Whether a person is there.
    pub fn mode(&self) -> Mode {
        self.people.mode.current.unwrap_or(self.config.mode.start)
    }

    /// Whether the checks or a condition need to be run after an attempt.
    pub fn needs_checks(&self) -> bool {
        !self.config.checks.is_empty() || self.config.needs_probe()
    }

    /// Whether the tree differs from the start of the run. Unknown counts as no.
    pub fn tree_changed(&self) -> bool {
        match (&self.seen.start, &self.seen.snapshot) {
            (Some(start), Some(now)) => start.tree != now.tree,
            _ => false,
        }
    }
}
