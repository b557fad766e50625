//! The state of a workflow: a fold over its events, bounded in size.
//!
//! A step's runtime is shared between copies of a state until it changes, so that a decision over thousands of steps
//! costs what it changes and not what it looks at.

use std::collections::BTreeMap;
use std::sync::Arc;

use piton_record::record;
use serde_json::{Map, Value};

use super::condition::Facts;
use super::decide::next_event;
use super::definition::{Gate, Items, StepId};
use super::facts::{
    CostAction, GateVerdict, InnerQuestion, ManualInput, OpenAttempt, Options, Raise, StepReport,
};
use super::graph::Plan;
use super::kept::LeftOut;
use super::queue::QueueChange;
use crate::event::StopOrigin;
use crate::loop_machine::{Answer, Driver};
use crate::machine::Machine;
use crate::status::{Reason, Status};
use crate::words::words;
use crate::{RunId, Seq, Timestamp};

/// Everything that is known of a workflow run.
#[record(written(reason, detail, driver, steps), omit(archived))]
pub struct State {
    pub run: RunId,
    /// One line for people.
    pub title: String,
    /// What it runs: what it started with, whatever the file says now.
    pub plan: Plan,
    /// The name of that definition's content.
    pub digest: String,
    /// How; limits as raised since.
    pub options: Options,
    /// The run it was forked from, and at which event, where that was said.
    pub forked_from: Option<(RunId, Option<Seq>)>,

    /// Where it is.
    pub status: Status,
    pub reason: Option<Reason>,
    /// A sentence for people, where the reason alone is not enough.
    pub detail: Option<String>,
    /// Since when it is there.
    pub since: Timestamp,
    /// When it was created.
    pub created_at: Timestamp,
    /// When the last event happened.
    pub updated_at: Timestamp,

    /// Who drove it last.
    pub driver: Option<Driver>,
    /// The steps, in the order of the definition.
    pub steps: Vec<Arc<StepState>>,
    /// The last attempt's number.
    pub attempt: u32,
    /// How many questions were asked.
    pub questions_asked: u32,
    /// What was used so far. Survives restarts, resets and loop-backs.
    pub counters: Counters,
    /// Requests that were not acted on yet.
    pub requests: Requests,
    /// The clean-up removed its directory.
    pub archived: bool,
}

/// What is known of one step.
#[record(Default, omit(reported, left_out, gate_failure, goes_back, index, lost, unwanted, ticked))]
#[serde(default)]
pub struct StepState {
    /// Where it is.
    pub status: StepStatus,
    /// Tries in this iteration.
    pub attempts: u32,
    /// Attempts since the last that ended whose outcome could not be known. They are no tries.
    pub lost: u32,
    /// Loop-backs that reached it.
    pub iteration_count: u32,
    /// There is a report of it at its place, or was before the iteration that runs.
    pub reported: bool,
    /// When its last attempt started.
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    /// What went wrong last.
    pub last_error: Option<String>,
    /// What it produced.
    pub artifacts: Vec<String>,
    /// What it reported.
    pub metrics: Map<String, Value>,
    /// What it said it did.
    pub logs: Vec<String>,
    /// What of its report is not kept.
    pub left_out: LeftOut,
    /// The loop-back that holds it.
    pub blocked: Option<Block>,
    /// Its last report said that its gate failed.
    pub gate_failure: bool,
    /// It is to go back, once nothing that it resets is open.
    pub goes_back: bool,
    /// It failed for good: no further try.
    pub failed_for: Option<Reason>,
    /// The work that is open.
    pub open: Option<OpenAttempt>,
    /// Not tried again before: the durable timer.
    pub not_before: Option<Timestamp>,
    /// What was found at its gates.
    pub verdicts: Vec<GateVerdict>,
    /// The items of its collection.
    pub items: Option<Vec<Value>>,
    /// The item that is next, or under way.
    pub index: u32,
    /// What waits for a person's word: the report that counts once they agree.
    pub held: Option<StepReport>,
    /// When another tool asked that person.
    pub asked_at: Option<Timestamp>,
    /// What that person is asked.
    pub question: Option<Question>,
    /// What the run that is its open attempt asks a person.
    pub asks: Option<InnerQuestion>,
    /// The attempt that began the run which is its work, until that is done: a further try goes on with it.
    pub nested: Option<u32>,
    /// What that person said, until it is acted on.
    pub decided: Option<bool>,
    /// What a person said, the last time.
    pub manual: Option<ManualInput>,
    /// Why the manual input that is there does not count, and its digest.
    pub refused_input: Option<(String, String)>,
    /// An item that somebody wants skipped, once what is open of it has ended.
    pub unwanted: bool,
    /// An item that is done, and its list says so, or cannot.
    pub ticked: bool,
}

words! {
    /// Where a step is, in the words of the published format.
    #[derive(Default)]
    pub enum StepStatus {
        /// Has not started, or is to start again.
        #[default]
        Pending = "PENDING",
        /// An attempt is under way.
        Running = "RUNNING",
        /// A person is to look at the result.
        WaitingOnHuman = "WAITING_ON_HUMAN",
        /// Done.
        Completed = "COMPLETED",
        /// No try is left, or a loop-back too many.
        Failed = "FAILED",
        /// Its condition did not hold.
        Skipped = "SKIPPED",
    }
}

impl StepStatus {
    /// Whether those who wait for it may go on.
    pub fn satisfies(self) -> bool {
        matches!(self, StepStatus::Completed | StepStatus::Skipped)
    }
}

/// Why a step must not start although its needs are met.
#[record(Eq)]
pub struct Block {
    /// The step whose gate failed.
    pub by: StepId,
    /// The step that must be done again first.
    pub until: StepId,
}

/// A question that waits for a person.
#[record(Eq)]
pub struct Question {
    pub number: u32,
    /// Exactly what is shown.
    pub text: String,
    /// Digest of what is shown.
    pub digest: String,
    /// Since when it waits.
    pub since: Timestamp,
}

/// What was used so far.
#[record(Default, Eq, written)]
#[serde(default)]
pub struct Counters {
    /// Attempts that ended, of all steps.
    pub attempts: u32,
    /// Of those, attempts that failed.
    pub failures: u32,
    /// Attempts whose outcome could not be known.
    pub lost: u32,
    pub loop_backs: u32,
    /// Loop-backs by the step that caused them.
    pub loop_backs_by_step: BTreeMap<StepId, u32>,
    /// Working time, of all steps together.
    pub working_ms: u64,
    /// Money, where it was reported.
    pub cost_microusd: u64,
    /// Attempts that reported no cost: the sum above is then a lower bound.
    pub cost_unknown: u32,
    /// Tokens, where they were reported.
    pub tokens: u64,
    /// It was said that the money is spent.
    pub warned: bool,
    /// What all workflows had cost on the day when that was found to be too much.
    pub day_microusd: u64,
}

/// Requests that were not acted on yet.
#[record(Default, Eq, written)]
#[serde(default)]
pub struct Requests {
    /// Rest after what is open.
    pub pause: bool,
    /// Stop; `true` means now.
    pub stop: Option<(bool, StopOrigin)>,
    /// Go on, with these limits.
    pub resume: Option<Raise>,
    /// Begin anew from this step.
    pub start_at: Option<StepId>,
    /// Answers to look at.
    pub answers: Vec<GivenAnswer>,
    /// More money is spent than may be, beyond this run.
    pub budget: Option<String>,
    /// Something needs a person before any step can go on.
    pub halt: Option<(Reason, Option<String>)>,
    /// Changes of the queue, in the order in which they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<QueueChange>,
}

/// An answer that was not looked at yet.
#[record(Eq, written)]
pub struct GivenAnswer {
    /// The question it names.
    pub question: u32,
    pub answer: Answer,
    /// What came with it.
    pub comment: Option<String>,
    /// Digest of what the person saw.
    pub seen: Option<String>,
    /// What they want to pass on.
    pub content: Map<String, Value>,
}

/// Work that is open in a state, for the driver to perform or to look up.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Run this attempt, or find out what became of it.
    Attempt(OpenAttempt),
    /// Read the items of this step's collection.
    Items {
        step: StepId,
        /// Where they are.
        source: Items,
        /// The file, relative to the repository; `None` where the step it comes from left none.
        path: Option<String>,
    },
    /// Look at these gates until all are open; say what changed.
    Gates {
        /// The step that waits for them.
        step: StepId,
        gates: Vec<Gate>,
    },
    /// Look for the manual input of this step.
    ManualInput {
        step: StepId,
        /// The question it answers.
        question: u32,
    },
    /// Say in its list that this item is done.
    Tick { step: StepId },
    /// Wake up at this moment.
    Timer(Timestamp),
}

impl State {
    /// What is open.
    pub fn effects(&self) -> Vec<Effect> {
        let at_work = matches!(self.status, Status::Running | Status::Rebooting);
        if !at_work && self.status != Status::Waiting {
            return Vec::new();
        }
        let mut effects = Vec::new();
        let mut timer: Option<Timestamp> = None;
        let (voided, starts_nothing) = (self.voided(), self.starts_nothing());
        let has_room = self.busy_count() < self.max_parallel();
        for (index, step) in self.steps.iter().enumerate() {
            if let Some(open) = &step.open {
                effects.push(Effect::Attempt(open.clone()));
            }
            if self.is_to_be_ticked(index) {
                effects.push(Effect::Tick { step: self.id(index).clone() });
            }
            if let Some(question) = &step.question {
                let step = self.id(index).clone();
                effects.push(Effect::ManualInput { step, question: question.number });
            }
            if starts_nothing || !self.is_next(index, &voided) {
                continue;
            }
            if let Some(effect) = self.preparation(index) {
                effects.push(effect);
            } else if let Some(until) = step.not_before.filter(|_| has_room) {
                timer = Some(timer.map_or(until, |other| other.min(until)));
            }
        }
        effects.extend(timer.map(Effect::Timer));
        effects
    }

    /// Whether an open attempt at this step should be ended instead of awaited: somebody wants the run to stop now, or
    /// a loop-back makes the work void.
    pub fn wants_cancel(&self, step: &StepId) -> bool {
        let Some(index) = self.plan.graph().place(step) else { return false };
        self.steps[index].open.is_some()
            && (matches!(self.requests.stop, Some((true, _)))
                || self.steps[index].unwanted
                || self.voided().binary_search(&index).is_ok()
                || self.requests.start_at.is_some())
    }

    /// The name of the step at this place.
    pub fn id(&self, index: usize) -> &StepId {
        &self.plan.step(index).id
    }

    /// The names of the steps at these places.
    pub(super) fn ids(&self, places: &[usize]) -> Vec<StepId> {
        places.iter().map(|index| self.id(*index).clone()).collect()
    }

    /// The state of the step of this name.
    pub fn step(&self, id: &StepId) -> Option<&StepState> {
        self.plan.graph().place(id).map(|index| &*self.steps[index])
    }

    /// Questions that wait for a person, by step.
    pub fn questions(&self) -> Vec<(&StepId, &Question)> {
        let steps = self.steps.iter().enumerate();
        steps
            .filter_map(|(index, step)| step.question.as_ref().map(|question| (self.id(index), question)))
            .collect()
    }

    /// What the runs that are steps of this one ask people, by step.
    pub fn inner_questions(&self) -> Vec<(&StepId, &InnerQuestion)> {
        let steps = self.steps.iter().enumerate();
        steps.filter_map(|(index, step)| step.asks.as_ref().map(|asks| (self.id(index), asks))).collect()
    }

    /// Whether it asks a person, itself or by a run that is a step of it.
    pub fn asks_people(&self) -> bool {
        self.steps.iter().any(|step| step.question.is_some() || step.asks.is_some())
    }

    /// Whether nothing is left to do.
    pub fn is_done(&self) -> bool {
        self.steps.iter().all(|step| step.status.satisfies() && !step.goes_back) && !self.has_ticks_left()
    }

    /// Whether something that was asked of it while it rests is not done yet: whoever drives it next does that first.
    pub fn is_left_open(&self) -> bool {
        self.is_at_rest() && next_event(self, self.updated_at).is_some()
    }

    /// Whether an answer to this question is on record that nobody has judged yet.
    pub fn is_answered(&self, question: u32) -> bool {
        self.requests.answers.iter().any(|given| given.question == question)
    }

    /// Why a person cannot give this step this status, where they cannot.
    pub fn cannot_be(&self, index: usize, status: StepStatus) -> Option<&'static str> {
        let step = &self.steps[index];
        let has_ended = step.started_at.is_some()
            && matches!(step.status, StepStatus::WaitingOnHuman | StepStatus::Completed | StepStatus::Failed);
        match status {
            StepStatus::WaitingOnHuman if !self.plan.step(index).human_in_the_loop => Some("it asks nobody"),
            StepStatus::WaitingOnHuman if !has_ended => Some("it has done nothing that could be looked at"),
            _ => None,
        }
    }

    /// Whether it rests, with nothing open and nobody who wants it to go on.
    pub(super) fn is_over_for_now(&self) -> bool {
        let Requests { resume, start_at, .. } = &self.requests;
        self.is_at_rest() && self.open_count() == 0 && resume.is_none() && start_at.is_none()
    }

    /// How many items the collection of this step has, once that is known.
    pub fn item_count(&self, index: usize) -> Option<usize> {
        let collection = self.plan.step(index).collection.as_ref()?;
        match (&self.steps[index].items, collection.sources.first()) {
            (Some(items), _) | (None, Some(Items::Given(items))) => Some(items.len()),
            _ => None,
        }
    }

    /// Attempts that this step may have in one iteration.
    pub fn max_attempts(&self, index: usize) -> u32 {
        self.plan.step(index).max_attempts.unwrap_or(self.options.max_attempts).max(1)
    }

    /// How many steps may run at once.
    pub fn max_parallel(&self) -> usize {
        self.plan.max_parallel.unwrap_or(self.options.max_parallel).clamp(1, super::limits::PARALLEL_MAX)
            as usize
    }

    /// Whether a step that has not started waits for nothing but its gates, its items, its timer and its turn.
    ///
    /// `voided` comes from [`State::voided`]: asked once, not once per step.
    pub(super) fn is_next(&self, index: usize, voided: &[usize]) -> bool {
        let graph = self.plan.graph();
        let step = &self.steps[index];
        step.status == StepStatus::Pending
            && step.held.is_none()
            && graph
                .needs(index)
                .iter()
                .all(|need| self.steps[*need].status.satisfies() && !self.steps[*need].goes_back)
            && step.blocked.as_ref().is_none_or(|block| {
                graph.place(&block.until).is_none_or(|target| self.steps[target].status.satisfies())
            })
            && voided.binary_search(&index).is_err()
    }

    /// The steps that loop-backs which are due will reset, by place.
    pub(super) fn voided(&self) -> Vec<usize> {
        let due = self.steps.iter().enumerate().filter(|(_, step)| step.goes_back);
        let mut voided: Vec<usize> =
            due.filter_map(|(gate, _)| self.reset_by(gate)).flat_map(|(_, reset)| reset).collect();
        voided.sort_unstable();
        voided.dedup();
        voided
    }

    /// How many attempts are open.
    pub fn open_count(&self) -> usize {
        self.steps.iter().filter(|step| step.open.is_some()).count()
    }

    /// How many of them count against what may be open at once. An item of a queue that waits for a person holds up no other.
    pub(super) fn busy_count(&self) -> usize {
        match self.options.queue {
            Some(_) => self.steps.iter().filter(|step| step.open.is_some() && step.asks.is_none()).count(),
            None => self.open_count(),
        }
    }

    /// A step with work under way. What is open but waits for a person is not.
    pub fn at_work(&self) -> Option<&StepId> {
        let found = self.steps.iter().position(|step| step.open.is_some() && step.asks.is_none());
        found.map(|index| self.id(index))
    }

    /// The step that failed for good, and why.
    pub fn failed_step(&self) -> Option<(usize, Reason)> {
        self.steps.iter().enumerate().find_map(|(index, step)| step.failed_for.map(|reason| (index, reason)))
    }

    /// The step whose failure ends the run. In a queue none does.
    pub(super) fn failure(&self) -> Option<(usize, Reason)> {
        self.failed_step().filter(|_| self.options.queue.is_none())
    }

    /// Whether more money is spent than may be, and by which account: its own, or that of the day.
    pub fn overspent(&self) -> Option<String> {
        self.over_own_limit().or_else(|| self.requests.budget.clone())
    }

    /// What all workflows had cost on the day, where that was found to be too much and nothing followed from it yet.
    pub fn spent_beyond(&self) -> Option<u64> {
        self.requests.budget.as_ref().map(|_| self.counters.day_microusd)
    }

    /// Whether it cost more itself than it may.
    pub fn over_own_limit(&self) -> Option<String> {
        let spent = self.counters.cost_microusd;
        let limit = self.options.max_cost_microusd.filter(|limit| spent >= *limit)?;
        Some(format!("{} of {} are spent", dollars(spent), dollars(limit)))
    }

    /// Whether all workflows together cost more on one day than they may, when that was last looked at.
    pub fn over_limit_of_the_day(&self) -> Option<String> {
        let spent = self.counters.day_microusd;
        let limit = self.options.daily_cost_microusd.filter(|limit| spent > 0 && spent >= *limit)?;
        Some(format!("{} of {} for one day were spent", dollars(spent), dollars(limit)))
    }

    /// Whether what is open is let run out and nothing else is begun.
    pub(super) fn starts_nothing(&self) -> bool {
        let asked = &self.requests;
        asked.pause
            || asked.stop.is_some()
            || asked.start_at.is_some()
            || asked.halt.is_some()
            || self.failure().is_some()
            || self.over_totals().is_some()
            || (self.options.cost_limit_action != CostAction::Warn && self.overspent().is_some())
    }

    /// What a loop-back by this step goes to, and all that it resets: the target, what waits for it, and itself.
    pub fn reset_by(&self, gate: usize) -> Option<(usize, Vec<usize>)> {
        let graph = self.plan.graph();
        let target = graph.place(self.plan.step(gate).loop_back_to.as_ref()?)?;
        let mut reset = graph.with_dependents(target);
        if let Err(place) = reset.binary_search(&gate) {
            reset.insert(place, gate);
        }
        Some((target, reset))
    }

    /// The gates that must be looked at before this step starts: its own, and those of its condition.
    pub fn gates_of(&self, index: usize) -> Vec<Gate> {
        self.plan.step(index).all_gates()
    }

    /// What must be looked at before this step can start, if anything.
    pub(super) fn preparation(&self, index: usize) -> Option<Effect> {
        let (step, runtime) = (self.plan.step(index), &self.steps[index]);
        let gates = self.gates_of(index);
        let fresh = runtime.attempts == 0 && runtime.index == 0;
        let opened = |gate: &&Gate| runtime.verdicts.iter().any(|seen| seen.gate == **gate && seen.open);
        if fresh
            && !gates.is_empty()
            && (runtime.verdicts.is_empty() || !step.gates.iter().all(|gate| opened(&gate)))
        {
            return Some(Effect::Gates { step: step.id.clone(), gates });
        }
        let source = step.collection.as_ref()?.sources.first()?;
        if runtime.items.is_some() {
            return None;
        }
        let path = match source {
            Items::Given(_) => return None,
            Items::FromArtifact(path) => Some(path.clone()),
            Items::FromStep(from) => self.step(from).and_then(|from| from.artifacts.first().cloned()),
        };
        Some(Effect::Items { step: step.id.clone(), source: source.clone(), path })
    }

    /// What a condition of this step may ask about.
    pub(super) fn facts_for(&self, index: usize) -> StepFacts<'_> {
        StepFacts { state: self, index }
    }
}

fn dollars(microusd: u64) -> String {
    format!("${}.{:02}", microusd / 1_000_000, microusd % 1_000_000 / 10_000)
}

/// What is known, as a condition of one step sees it.
pub(super) struct StepFacts<'a> {
    state: &'a State,
    index: usize,
}

impl<'a> StepFacts<'a> {
    fn of(&self, step: Option<&StepId>) -> Option<&'a StepState> {
        match step {
            None => Some(&self.state.steps[self.index]),
            Some(id) => self.state.step(id),
        }
    }
}

impl Facts for StepFacts<'_> {
    fn status(&self, step: Option<&StepId>) -> Option<&'static str> {
        self.of(step).map(|step| step.status.as_str())
    }

    fn metric(&self, step: Option<&StepId>, name: &str) -> Option<&Value> {
        self.of(step)?.metrics.get(name)
    }

    fn artifacts(&self, step: Option<&StepId>) -> &[String] {
        self.of(step).map_or(&[], |step| &step.artifacts)
    }

    fn gate_failed(&self, step: Option<&StepId>) -> bool {
        self.of(step).is_some_and(|step| step.gate_failure)
    }

    fn is_open(&self, gate: &Gate) -> bool {
        self.state.steps[self.index].verdicts.iter().any(|seen| seen.gate == *gate && seen.open)
    }
}
