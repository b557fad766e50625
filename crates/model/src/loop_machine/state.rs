//! The state of a loop: a fold over its events, bounded in size.

mod counters;
mod iteration;
mod people;
mod session;

use std::collections::{BTreeMap, VecDeque};

use piton_record::record;

pub use counters::Counters;
pub use iteration::{Best, Chosen, Ended, IterationRecord, Standing};
pub use people::{GivenAnswer, People, Question, Requests, Told};
pub use session::{Session, SessionRecord};

use super::adoption::Adopted;
use super::config::LoopConfig;
use super::facts::{
    CheckRound, LeftOut, Made, Note, NoteKind, Objectives, OpenAttempt, OpenCommit, Report, Snapshot,
    Uncommitted,
};
use super::fallback::Turn;
use super::guard::KeptFinding;
use super::hook_calls::{HookCall, HookProgress};
pub(super) use super::judge::reboot::{RebootReason, RebootRecord};
pub(super) use super::judge::reinforcement::Reinforcement;
use super::measures::Measures;
use super::recovery::Recovery;
use super::returned::Returns;
use super::review::{OpenReview, Reviewed};
use super::tracker::TestTracker;
use crate::hook::Mode;
use crate::status::{Kind, Reason, Status};
use crate::{Epoch, RunId, Timestamp};

/// Everything that is known of a loop. Histories are windows; the whole is in the journal.
///
/// Its parts are named after who writes them: intents and outcomes of the driver ([`Work`], [`Seen`], [`Session`],
/// [`HookProgress`]), verdicts ([`Judged`]), people ([`People`], [`Requests`]), and both agents and people ([`Memory`]).
#[record(omit(turn, review, returns, hooks, memory, people), written)]
pub struct State {
    pub run: RunId,
    pub kind: Kind,
    /// One line for people.
    pub title: String,
    /// What it was asked to do; limits as raised since.
    pub config: LoopConfig,

    /// Where it is.
    pub status: Status,
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
    pub judged: Judged,
    /// What was used so far. Survives restarts; recovery never charges twice.
    pub counters: Counters,
    /// Which of its agents works, and which of them cannot.
    pub turn: Turn,
    /// What those came to who read what it did.
    pub review: Reviewed,
    /// What came back of it once it was done.
    pub returns: Returns,
    /// The agent's sessions.
    pub session: Session,
    /// How far its hooks are.
    pub hooks: HookProgress,
    /// What agents and people want remembered.
    pub memory: Memory,
    /// What people were asked and what they said.
    pub people: People,
    /// Requests that were not acted on yet.
    pub requests: Requests,
}

/// How far the work is.
#[record(written(open, before, ended), omit(standing))]
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
    /// How the run stood before it.
    pub standing: Standing,
    /// The last attempt of the iteration under way, while its verdict is still open.
    pub ended: Option<Ended>,
    /// The tree that is to be put back before anything else: what came after it was refused.
    pub restore: Option<Snapshot>,
    /// The tree that was last committed to the run's own branch, or found to be there.
    pub committed: Option<String>,
}

/// What attempts and checks brought back, as they brought it.
#[record(
    Default,
    omit(tests, uncommitted),
    written(start, snapshot, baseline, checks, report, modified_files)
)]
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
    pub measures: Option<Measures>,
    /// Tests by name.
    pub tests: TestTracker,
    /// Files the run has changed.
    pub modified_files: Vec<String>,
    /// Files that checks made: no commit has them.
    pub made: Vec<Made>,
    /// What the last commit does not have, though it is in the tree: files that checks made, and what is not committed within
    /// submodules.
    pub uncommitted: Uncommitted,
    /// Commits that were made of green iterations.
    #[serde(default)]
    pub commits: u32,
    /// How long the guard took, the last times.
    pub latencies_ms: VecDeque<u32>,
}

/// What was judged of the run so far. Verdicts are copied here, never made here.
#[record(Default, omit(recovered_iteration), written(best, recent))]
pub struct Judged {
    /// The best iteration so far.
    pub best: Option<Best>,
    /// The last iterations.
    pub recent: VecDeque<IterationRecord>,
    /// What the guard found, the newest last.
    pub findings: VecDeque<KeptFinding>,
    /// What numbers are compared with: those of the start, or those a person agreed to.
    pub reference: Option<Measures>,
    /// The tree whose protected files count: the one of the start, or the last that a person agreed to.
    pub trusted: Option<Snapshot>,
    /// How firmly prompts speak.
    #[serde(default)]
    pub reinforcement: Reinforcement,
    /// The recovery under way.
    pub recovery: Option<Recovery>,
    /// The last recoveries that ended.
    pub recoveries: VecDeque<Recovery>,
    /// The last iteration that was recovered from.
    pub recovered_iteration: u32,
    /// How many iterations were over when somebody went on although a stop condition held.
    pub stop_waived: Option<u32>,
}

/// What agents and people want remembered.
#[record(Default, written(custom))]
#[serde(default)]
pub struct Memory {
    /// What is done and what is left, by the agent's account.
    pub objectives: Objectives,
    /// What agents decided and found out and what people noted, the newest last.
    pub notes: VecDeque<KeptNote>,
    /// Values kept with the run.
    pub custom: BTreeMap<String, serde_json::Value>,
    /// Where it comes from, if it goes on with what another one left.
    pub adopted: Option<Adopted>,
}

/// A note, and when it was made.
#[record(Eq)]
pub struct KeptNote {
    /// The iteration whose agent made it.
    pub iteration: u32,
    pub note: Note,
}

/// A driver that took the lease.
#[record(Eq)]
pub struct Driver {
    pub epoch: Epoch,
    pub host: String,
    /// That machine's boot.
    pub boot: String,
    /// Its process there.
    pub pid: u32,
    pub since: Timestamp,
}

/// What comes next once nothing is open.
#[record(Copy, Eq)]
pub enum Next {
    /// A round of checks: the baseline, or the verdict on an attempt.
    Checks,
    /// An attempt: of the next iteration, or again of this one.
    Attempt,
    /// The verdict on the iteration under way: all that it is judged by is known.
    Verdict,
}

/// Work whose intent is recorded and whose outcome is not.
#[record(Eq)]
pub enum Open {
    Attempt(OpenAttempt),
    /// A round of checks.
    Checks(u32),
    Hooks(HookCall),
    /// A commit of what an iteration left.
    Commit(OpenCommit),
    /// Another agent reads what was done.
    Review(OpenReview),
}

impl Open {
    /// It, as a driver performs it.
    pub fn effect(&self) -> Effect {
        match self {
            Open::Attempt(attempt) => Effect::Attempt(attempt.clone()),
            Open::Checks(round) => Effect::Checks(*round),
            Open::Hooks(call) => Effect::Hooks(call.clone()),
            Open::Commit(commit) => Effect::Commit(commit.clone()),
            Open::Review(review) => Effect::Review(review.clone()),
        }
    }
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
    /// Have another agent read what was done, or find out what came of that.
    Review(OpenReview),
    /// Wake up at this moment.
    Timer(Timestamp),
}

impl State {
    /// What is open.
    pub fn effects(&self) -> Vec<Effect> {
        match (self.status, &self.work.open) {
            // Hooks are told of the end that a person gives to a run at rest.
            (Status::Waiting | Status::Paused, Some(open @ Open::Hooks(_))) => vec![open.effect()],
            (Status::Waiting, _) => self.until.map(Effect::Timer).into_iter().collect(),
            (Status::Running | Status::Rebooting, open) => open.iter().map(Open::effect).collect(),
            (Status::Created | Status::Paused | Status::Stopped | Status::Completed | Status::Failed, _) => {
                Vec::new()
            }
        }
    }

    /// Whether something that a person asked of it while it rested is not done yet: its end, of which its hooks are told,
    /// or an answer that nobody judged.
    pub fn is_left_open(&self) -> bool {
        let rests = matches!(self.status, Status::Waiting | Status::Paused);
        let is_ending = self.requests.stop.is_some() || matches!(self.work.open, Some(Open::Hooks(_)));
        rests && (is_ending || !self.requests.answers.is_empty())
    }

    /// Whether the open work should be ended instead of awaited.
    pub fn wants_cancel(&self) -> bool {
        let skips = self.requests.skip && self.can_skip();
        let can_end = match self.work.open {
            Some(Open::Attempt(_) | Open::Checks(_) | Open::Review(_)) => true,
            // Whoever stops a run now is what hooks at its end are to be told of.
            Some(Open::Hooks(ref call)) => call.ending.is_none(),
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
            Some(Open::Hooks(_) | Open::Commit(_) | Open::Review(_)) | None => false,
        }
    }

    /// The files that are in no snapshot, each with whether it is another than when the run began, or gone: nothing puts
    /// it back.
    pub fn left_out(&self) -> Vec<(&LeftOut, bool)> {
        let then = self.seen.start.as_ref().map_or(&[][..], |snapshot| &snapshot.left_out);
        let now = self.seen.snapshot.as_ref().map_or(&[][..], |snapshot| &snapshot.left_out);
        let is_changed =
            |file: &LeftOut| !now.iter().any(|it| it.path == file.path && it.digest == file.digest);
        let is_new = |file: &&LeftOut| then.iter().all(|it| it.path != file.path);
        let known = then.iter().map(|file| (file, is_changed(file)));
        known.chain(now.iter().filter(is_new).map(|file| (file, false))).collect()
    }

    /// What agents and people want remembered, without what was said of work that is gone: a person's word is about the run.
    pub fn standing_notes(&self) -> impl Iterator<Item = &KeptNote> {
        let is_gone = |iteration: u32| {
            let record = self.judged.recent.iter().find(|record| record.number == iteration);
            record.is_some_and(IterationRecord::was_put_back)
        };
        let stands = move |kept: &&KeptNote| kept.note.kind == NoteKind::Person || !is_gone(kept.iteration);
        self.memory.notes.iter().filter(stands)
    }

    /// Whether a person is there.
    pub fn mode(&self) -> Mode {
        self.people.mode.current.unwrap_or(self.config.mode.start)
    }

    /// Tests that fail on the code of the start and pass now, as the last round of checks knows them.
    pub fn proved_by(&self) -> impl Iterator<Item = &str> {
        let proof = self.seen.checks.iter().filter_map(|round| round.proof.as_ref());
        proof.flat_map(|proof| &proof.proved_by).map(String::as_str)
    }

    /// Whether the tree differs from the start of the run, files that no snapshot has included. Unknown counts as no.
    pub fn tree_changed(&self) -> bool {
        match (&self.seen.start, &self.seen.snapshot) {
            (Some(start), Some(now)) => now.differs_from(start),
            _ => false,
        }
    }
}
