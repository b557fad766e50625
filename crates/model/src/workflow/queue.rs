//! The queue: a workflow whose steps are loops, one per item of a list.
//!
//! What is special about it is here: what becomes of one item stops no other, items come and go while it runs, money, tokens
//! and time are counted for all of them together, and the list that they come from says which are done. Everything else is
//! the workflow's: an item is begun, found again and ended as any step that is a run of its own.
//!
//! An item that waits for a person holds up nobody: its attempt stays open, and does not count against what may be open at
//! once. One that failed is passed by, with what comes after it; so a queue ends when nothing can be begun any more.

use std::collections::BTreeSet;
use std::sync::Arc;

use piton_record::record;

use super::apply::{enter, on_step};
use super::begin::check_definition;
use super::definition::{Definition, Step, StepId, Work};
use super::event::WorkflowEvent as Event;
use super::facts::{Passed, Raise};
use super::graph::Plan;
use super::state::{State, StepState, StepStatus};
use crate::limits::QUEUE_CHANGES_WAITING_MAX;
use crate::loop_machine::{Check, Limits, LoopConfig};
use crate::rejection::Rejection;
use crate::status::{Reason, Status};
use crate::{RunId, Timestamp};

/// What makes a workflow a queue.
#[record]
pub struct Queue {
    /// Where its items were read.
    pub list: List,
    /// How each item is run, with every default filled in; the item adds its task, and what it says itself. The work tree here
    /// lacks its place and its branch.
    pub config: Box<LoopConfig>,
    /// The most tokens that all items may use together.
    pub max_tokens: Option<u64>,
    /// The longest that all items may work, taken together.
    pub max_working_ms: Option<u64>,
}

/// Where items come from.
#[record(Eq)]
pub enum List {
    /// The tasks of a Markdown file, relative to the repository where it lies in it.
    Markdown(String),
    /// The stories of a `prd.json`, likewise.
    Prd(String),
    /// The prompt files of a directory, likewise.
    Directory(String),
    /// The open issues of the forge; with a label, those that have it.
    Issues(Option<String>),
}

impl List {
    /// Whether it is a file of the user's in which a finished item is ticked.
    pub fn is_ticked(&self) -> bool {
        matches!(self, List::Markdown(_) | List::Prd(_))
    }
}

/// An item: the task of a loop, and what it says itself.
#[record(Default, Eq)]
pub struct Item {
    /// One line for people.
    pub title: String,
    /// What the agent is asked to do.
    pub task: String,
    /// Its own checks; without one, those of the queue.
    pub checks: Vec<Check>,
    /// Its own limits, all of them; without, those of the queue.
    pub limits: Option<Limits>,
    /// What its list knows it by; nothing of one that somebody added.
    pub entry: Option<String>,
}

/// An item with its name, and what it comes after.
#[record(Eq)]
pub struct NewItem {
    pub id: StepId,
    /// Those that must be done before.
    pub after: Vec<StepId>,
    pub item: Box<Item>,
}

impl NewItem {
    /// The step that it is.
    pub fn into_step(self) -> Step {
        Step { id: self.id, needs: self.after, work: Work::Loop(self.item), ..Step::default() }
    }
}

/// What somebody wants of a queue.
#[record(Eq)]
pub enum QueueChange {
    /// Do this, too: before another item, or last.
    Add {
        item: NewItem,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<StepId>,
    },
    /// Do not do this one. What is at work is ended.
    Skip { step: StepId },
    /// Do it before another one, or last.
    Move {
        step: StepId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<StepId>,
    },
    /// Try this one again, which failed or was skipped.
    Retry { step: StepId },
}

/// Where an item is. It ends as exactly one of the last four.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Its loop is under way.
    AtWork,
    /// Nothing of it was ever begun, and it will be.
    Next,
    Done,
    /// It waits for a person.
    Blocked,
    Failed,
    /// Nothing is begun of it: somebody skipped it, or what it comes after is not done.
    NotBegun,
}

impl Standing {
    /// The word on screens and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Standing::AtWork => "at work",
            Standing::Next => "next",
            Standing::Done => "done",
            Standing::Blocked => "blocked",
            Standing::Failed => "failed",
            Standing::NotBegun => "not begun",
        }
    }
}

/// The run of an item, by the attempt that began it. It says which item it is, and no other queue has one of that name.
pub fn item_run(queue: &RunId, step: &StepId, attempt: u32) -> RunId {
    const NAME_BYTES_MAX: usize = 48;
    let hash = blake3::hash(format!("{queue}/{step}/{attempt}").as_bytes());
    let name = step.key();
    let name = &name[..name.len().min(NAME_BYTES_MAX)];
    format!("{name}-{}", &hash.to_hex()[..8]).parse().expect("names of steps are names of runs")
}

impl State {
    /// The run of the item at this place, once it was begun.
    pub fn item_run(&self, index: usize) -> Option<RunId> {
        let begun = self.steps[index].nested?;
        self.plan.step(index).work.item().map(|_| item_run(&self.run, self.id(index), begun))
    }

    /// Where the item at this place is.
    pub fn standing(&self, index: usize) -> Standing {
        let step = &self.steps[index];
        match step.status {
            StepStatus::Completed => Standing::Done,
            StepStatus::Skipped => Standing::NotBegun,
            StepStatus::Failed => Standing::Failed,
            _ if step.asks.is_some() => Standing::Blocked,
            StepStatus::Running | StepStatus::WaitingOnHuman => Standing::AtWork,
            StepStatus::Pending if self.is_over() || self.held_by(index).is_some() => Standing::NotBegun,
            StepStatus::Pending => Standing::Next,
        }
    }

    fn is_over(&self) -> bool {
        matches!(self.status, Status::Completed | Status::Failed | Status::Stopped)
    }

    /// The item that keeps the one at this place from being begun: it comes after it, be it by others, and that one failed or waits
    /// for a person.
    pub fn held_by(&self, index: usize) -> Option<usize> {
        let graph = self.plan.graph();
        let (mut seen, mut open) = (BTreeSet::new(), graph.needs(index).to_vec());
        while let Some(need) = open.pop() {
            if !seen.insert(need) {
                continue;
            }
            let step = &self.steps[need];
            if step.status == StepStatus::Failed || step.asks.is_some() {
                return Some(need);
            }
            if step.status == StepStatus::Pending {
                open.extend(graph.needs(need));
            }
        }
        None
    }

    /// Why an item is where it is, in words; `None` where its standing says it all.
    pub fn because(&self, index: usize) -> Option<String> {
        let step = &self.steps[index];
        match self.standing(index) {
            Standing::Failed => step.last_error.clone(),
            Standing::Blocked => step.asks.as_ref().map(|asks| asks.text.clone()),
            Standing::NotBegun if step.status == StepStatus::Skipped => Some("skipped".to_owned()),
            Standing::NotBegun => Some(match self.held_by(index) {
                Some(other) => {
                    let how = self.standing(other).as_str();
                    format!("it comes after `{}`, which is {how}", self.id(other))
                }
                None => self.detail.clone().unwrap_or_else(|| "the queue ended before it".to_owned()),
            }),
            Standing::AtWork | Standing::Next | Standing::Done => None,
        }
    }

    /// Whether the list of the item at this place is still to say that it is done.
    pub(super) fn is_to_be_ticked(&self, index: usize) -> bool {
        let is_ticked = |queue: &Queue| queue.list.is_ticked();
        self.options.queue.as_deref().is_some_and(is_ticked)
            && self.steps[index].status == StepStatus::Completed
            && !self.steps[index].ticked
            && self.plan.step(index).work.item().is_some_and(|item| item.entry.is_some())
    }

    /// Whether a list is still to say that one of its items is done.
    pub(super) fn has_ticks_left(&self) -> bool {
        (0..self.steps.len()).any(|index| self.is_to_be_ticked(index))
    }

    /// Whether all items together used more than they may, and of what. A deadline needs a clock.
    pub(super) fn over_totals(&self) -> Option<(Reason, String)> {
        let queue = self.options.queue.as_deref()?;
        let money = self.over_own_limit().map(|what| (Reason::LimitCost, what));
        let tokens = queue
            .max_tokens
            .filter(|most| self.counters.tokens >= *most)
            .map(|most| (Reason::LimitTokens, format!("{} of {most} tokens are used", self.counters.tokens)));
        let time = queue.max_working_ms.filter(|most| self.counters.working_ms >= *most).map(|most| {
            let minutes = |millis: u64| millis / 60_000;
            let text =
                format!("{} of {} minutes are worked", minutes(self.counters.working_ms), minutes(most));
            (Reason::LimitDuration, text)
        });
        money.or(tokens).or(time)
    }
}

/// Why nothing more is begun in a queue: all of it used more than it may, or its time is up. Where nothing is left to begin, that
/// stops nobody.
pub(super) fn over(state: &State, now: Timestamp) -> Option<Event> {
    let queue = state.options.queue.as_deref()?;
    if !(0..state.steps.len())
        .any(|index| state.steps[index].status == StepStatus::Pending && state.held_by(index).is_none())
    {
        return None;
    }
    let passed = queue.config.limits.deadline.filter(|deadline| *deadline <= now);
    let passed = passed.map(|deadline| (Reason::LimitDeadline, format!("it is past {deadline}")));
    let (reason, detail) = state.over_totals().or(passed)?;
    Some(Event::RunStopped { reason, detail: Some(detail) })
}

/// The limit of a queue that would stop it again at once.
pub(super) fn still_over(state: &State, raise: &Raise) -> Option<Reason> {
    let queue = state.options.queue.as_deref()?;
    let reached = |most: Option<u64>, used: u64| most.is_some_and(|most| used >= most);
    let counters = &state.counters;
    if reached(raise.max_cost_microusd.or(state.options.max_cost_microusd), counters.cost_microusd) {
        return Some(Reason::LimitCost);
    }
    if reached(raise.max_tokens.or(queue.max_tokens), counters.tokens) {
        return Some(Reason::LimitTokens);
    }
    reached(raise.max_working_ms.or(queue.max_working_ms), counters.working_ms)
        .then_some(Reason::LimitDuration)
}

/// Nothing can be begun any more, and not all of it is done.
pub(super) fn end(state: &State) -> Event {
    let count = |wanted: Standing| (0..state.steps.len()).filter(|index| is(state, *index, wanted)).count();
    // What is left behind a failure is not begun, but for this very event it would still be next.
    fn is(state: &State, index: usize, wanted: Standing) -> bool {
        match state.standing(index) {
            Standing::Next => wanted == Standing::NotBegun,
            standing => standing == wanted,
        }
    }
    let reason = state.failed_step().map_or(Reason::Blocked, |(_, reason)| reason);
    let parts = [Standing::Done, Standing::Failed, Standing::NotBegun]
        .map(|standing| (count(standing), standing))
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, standing)| format!("{count} {}", standing.as_str()));
    let detail = format!("of {} items: {}", state.steps.len(), parts.collect::<Vec<_>>().join(", "));
    Event::RunFailed { reason, detail: Some(detail) }
}

/// An item that nobody wants, of which nothing is open any more.
pub(super) fn skip(state: &State) -> Option<Event> {
    let is_due = |step: &&Arc<StepState>| step.unwanted && step.open.is_none();
    let due = state.steps.iter().enumerate().filter(|(_, step)| is_due(step));
    let steps: Vec<Passed> =
        due.map(|(index, _)| Passed { step: state.id(index).clone(), skipped: true }).collect();
    (!steps.is_empty()).then_some(Event::StepsPassed { steps })
}

/// The list says that an item is done, or cannot.
pub(super) fn ticked(state: &State, step: StepId, why: Option<String>) -> Result<Option<Event>, Rejection> {
    let index = state.plan.graph().place(&step).ok_or(Rejection::NotOpen)?;
    if !state.is_to_be_ticked(index) {
        return Err(Rejection::NotOpen);
    }
    Ok(Some(Event::ItemTicked { step, why }))
}

/// Whether what somebody asks of a queue makes sense where it is.
pub(super) fn judge(state: &State, change: &QueueChange) -> Event {
    match refusal(state, change) {
        None => Event::QueueChanged { change: change.clone() },
        Some(why) => Event::QueueChangeRefused { change: change.clone(), why },
    }
}

/// Why a queue does not change as somebody asks, if it does not.
pub(super) fn refusal(state: &State, change: &QueueChange) -> Option<String> {
    if state.options.queue.is_none() {
        return Some("it is no queue".to_owned());
    }
    if state.status == Status::Completed {
        return Some("the queue is done; begin another".to_owned());
    }
    let place = |step: &StepId| state.plan.graph().place(step);
    let unknown = |step: &StepId| place(step).is_none().then(|| format!("there is no item `{step}`"));
    let has_begun = |step: &StepId| {
        let begun = place(step).is_some_and(|index| state.steps[index].status != StepStatus::Pending);
        begun.then(|| format!("`{step}` has begun, or ended"))
    };
    match change {
        QueueChange::Add { item, before } => {
            let after = before.as_ref().and_then(|before| unknown(before).or_else(|| has_begun(before)));
            after.or_else(|| {
                let Err(problem) = check_definition(&with_item(state, item, before.as_ref())) else {
                    return None;
                };
                Some(match problem {
                    Rejection::BadDefinition(problems) => {
                        problems.first().map_or_else(String::new, |problem| problem.message.clone())
                    }
                    other => other.to_string(),
                })
            })
        }
        QueueChange::Move { step, before } => {
            let before = || before.as_ref().and_then(|before| unknown(before).or_else(|| has_begun(before)));
            unknown(step).or_else(|| has_begun(step)).or_else(before)
        }
        QueueChange::Skip { step } => unknown(step).or_else(|| {
            let status = state.step(step).map(|step| step.status);
            let is_over = matches!(status, Some(StepStatus::Completed | StepStatus::Skipped));
            is_over.then(|| format!("`{step}` is {} already", status.map_or("", said)))
        }),
        QueueChange::Retry { step } => unknown(step).or_else(|| {
            let status = state.step(step).map(|step| step.status).unwrap_or_default();
            let can = matches!(status, StepStatus::Failed | StepStatus::Skipped);
            (!can).then(|| {
                format!("`{step}` is {}: only what failed or was skipped is tried again", said(status))
            })
        }),
    }
}

fn said(status: StepStatus) -> &'static str {
    match status {
        StepStatus::Pending => "not begun",
        StepStatus::Running => "at work",
        StepStatus::WaitingOnHuman => "blocked",
        StepStatus::Completed => "done",
        StepStatus::Failed => "failed",
        StepStatus::Skipped => "skipped",
    }
}

fn with_item(state: &State, item: &NewItem, before: Option<&StepId>) -> Definition {
    let mut definition = Definition::clone(&state.plan);
    let place = before.and_then(|before| state.plan.graph().place(before)).unwrap_or(definition.steps.len());
    definition.steps.insert(place, item.clone().into_step());
    definition
}

/// Somebody asks for a change. A flood of them must not make a decision larger than an append; the first ones count.
pub(super) fn hear(state: &mut State, change: &QueueChange) {
    if state.requests.changes.len() < QUEUE_CHANGES_WAITING_MAX {
        state.requests.changes.push(change.clone());
    }
}

/// The oldest change that was asked for was judged.
pub(super) fn drop_first(state: &mut State) {
    if !state.requests.changes.is_empty() {
        state.requests.changes.remove(0);
    }
}

/// Folds a change. A queue that had come to its end goes on where there is something to do again.
pub(super) fn change(state: &mut State, change: &QueueChange, at: Timestamp) {
    drop_first(state);
    match change {
        QueueChange::Add { item, before } => {
            let definition = with_item(state, item, before.as_ref());
            reorder(state, definition);
            go_on(state, at);
        }
        QueueChange::Move { step, before } => {
            let mut definition = Definition::clone(&state.plan);
            let Some(from) = definition.steps.iter().position(|known| known.id == *step) else { return };
            let moved = definition.steps.remove(from);
            let to = before
                .as_ref()
                .and_then(|before| definition.steps.iter().position(|known| known.id == *before));
            let to = to.unwrap_or(definition.steps.len());
            definition.steps.insert(to, moved);
            reorder(state, definition);
        }
        QueueChange::Skip { step } => {
            on_step(state, step, |step| step.unwanted = true);
            // What is open of it has to be ended, which a queue that only waits does not do.
            if state.status == Status::Waiting {
                go_on(state, at);
            }
            // At rest nothing is open, and nothing else would follow.
            if state.is_over() || state.status == Status::Paused {
                on_step(state, step, |step| {
                    if step.open.is_none() {
                        (step.status, step.unwanted) = (StepStatus::Skipped, false);
                    }
                });
            }
        }
        QueueChange::Retry { step } => {
            on_step(state, step, |step| {
                super::apply::give_tries(step);
                (step.unwanted, step.ended_at) = (false, None);
            });
            go_on(state, at);
        }
    }
}

fn go_on(state: &mut State, at: Timestamp) {
    if matches!(state.status, Status::Failed | Status::Waiting) {
        enter(state, Status::Running, None, None, at);
    }
}

/// The steps are in another order, or more of them; each keeps what it has by its name.
fn reorder(state: &mut State, definition: Definition) {
    let steps = definition.steps.iter().map(|step| {
        let known = state.plan.graph().place(&step.id).and_then(|index| state.steps.get(index));
        known.cloned().unwrap_or_default()
    });
    state.steps = steps.collect();
    state.digest = definition.digest();
    state.plan = Plan::new(definition);
}
