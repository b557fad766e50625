//! An item of a queue: a loop of its own beside it, found again by its name.
//!
//! As with a workflow that is a step, it has a journal and a driver of its own, survives what the queue does not, and can be looked
//! at, answered and stopped like any other loop. It works in a work tree of its own, on a branch named after it. Before it is begun it is
//! known to the queue's journal, and its name follows from that: so no crash has it begun twice.
//!
//! What it may use is what it may use itself, within what is left of what all items may use together. While several work at once, each
//! looks at what all of them used, and rests after its attempt where that is too much.

use std::sync::Arc;

use piton_files::tasks::{self, TickError};
use piton_model::loop_machine::{AttemptOutcome, Limits, LoopConfig, Prompt, Raise, State as Loop, create};
use piton_model::workflow::{
    Command, InnerQuestion, Item, List, OpenAttempt, Queue, State, StepEnd, StepId, StepStatus, item_run,
};
use piton_model::{ExitCode, Machine, Reason, RunId, Status, StopOrigin, Timestamp};
use piton_view::Request;

use super::Context;
use super::attempt::not_startable;
use super::nested::LOOK_EVERY;
use crate::absence::{Absence, Missing};
use crate::client::{ClientError, LocalClient};
use crate::driver_process;
use crate::start;
use crate::world::{WorldError, sentence};

pub(super) fn perform(
    context: &Context,
    attempt: &OpenAttempt,
    item: &Item,
    state: &State,
) -> Result<Command, WorldError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.map_err(WorldError::Signals)?;
    match runtime.block_on(follow(context, attempt, item, state)) {
        Ok(command) => Ok(command),
        Err(error) => Ok(not_startable(attempt, sentence(&error))),
    }
}

/// The run that this attempt is: it has the name that the attempt gave it which began it.
fn run_of(queue: &RunId, attempt: &OpenAttempt) -> RunId {
    item_run(queue, &attempt.step, attempt.nested.unwrap_or(attempt.number))
}

async fn follow(
    context: &Context,
    attempt: &OpenAttempt,
    item: &Item,
    state: &State,
) -> Result<Command, ClientError> {
    let client = LocalClient::new(Arc::clone(&context.store), context.layout.clone());
    let (run, number) = (run_of(&context.run, attempt), attempt.number);
    let Some(queue) = state.options.queue.as_deref() else {
        return Ok(not_startable(attempt, "it is no item of a queue".to_owned()));
    };
    let began = state.step(&attempt.step).and_then(|step| step.started_at).unwrap_or_default();
    let found = client.load_if_there::<Loop>(&run).await?.map(|loaded| loaded.state);
    let is_to_begin = found.as_ref().is_none_or(|found| rests_since(found, began));
    if is_to_begin {
        if context.is_cancelled(number) {
            return Ok(Command::AbandonAttempt { attempt: number });
        }
        let around = Around { context, client: &client, state, queue, number };
        let begun = match found {
            None => Box::pin(around.begin(attempt, item, &run)).await,
            Some(found) => Box::pin(around.go_on(item, &found)).await,
        };
        if let Err(error) = begun {
            return Ok(not_startable(attempt, said(&error)));
        }
    }
    let (mut absence, mut told) = (Absence::at_once(), false);
    let known = state.step(&attempt.step).and_then(|step| step.asks.as_ref());
    loop {
        let found = client.load::<Loop>(&run, None).await?.state;
        let is_cancelled = context.is_cancelled(number);
        let spent = match is_cancelled || found.is_at_rest() && found.reason != Some(Reason::Human) {
            true => None,
            false => Around { context, client: &client, state, queue, number }.spent_together(&found).await?,
        };
        if let Some(outcome) = outcome(&found, is_cancelled, spent.is_some()) {
            let before = used_until(&client, &run, began).await?;
            return Ok(ended(attempt, outcome, &found, &before, spent));
        }
        let asks = asks(&found);
        if asks.as_ref() != known {
            return Ok(Command::TakeNested { attempt: number, asks });
        }
        if (is_cancelled || spent.is_some()) && !told {
            // It may have come to rest in between: the next look shows it.
            let stop = Request::Stop { now: is_cancelled, origin: StopOrigin::Command };
            told = client.record(&run, stop).await.is_ok();
        }
        let entry = found.entry();
        let is_missed = client.is_missed(&entry).await?
            || found.is_at_rest() && goes_on(&found) && client.driver_of(&run).await?.is_none();
        if let Missing::Start { .. } = absence.look(!is_missed) {
            // One that cannot be started is tried again at the next look.
            let _ = driver_process::spawn(&context.layout.in_place(), &run, false);
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Whether a loop came to rest before this moment, and nothing that was asked of it is left to be done.
fn rests_since(found: &Loop, moment: Timestamp) -> bool {
    let rests = matches!(found.status, Status::Paused | Status::Stopped | Status::Failed);
    rests && found.since <= moment && !goes_on(found)
}

/// Whether a loop that rests goes on as soon as somebody drives it: that was asked of it.
fn goes_on(found: &Loop) -> bool {
    found.is_left_open() || found.requests.resume.is_some()
}

fn said(error: &piton_view::Error) -> String {
    std::iter::once(&error.message).chain(&error.hint).cloned().collect::<Vec<_>>().join("; ")
}

/// A queue at work, and one item of it.
struct Around<'a> {
    context: &'a Context,
    client: &'a LocalClient,
    state: &'a State,
    queue: &'a Queue,
    /// The attempt that is the item.
    number: u32,
}

/// What runs used.
#[derive(Clone, Copy, Debug, Default)]
struct Used {
    working_ms: u64,
    cost_microusd: u64,
    cost_unknown: u32,
    tokens: u64,
}

impl Used {
    fn of(state: &Loop) -> Self {
        let counters = &state.counters;
        Self {
            working_ms: counters.working_ms,
            cost_microusd: counters.cost_microusd,
            cost_unknown: counters.cost_unknown,
            tokens: counters.tokens,
        }
    }

    fn since(self, before: &Self) -> Self {
        Self {
            working_ms: self.working_ms.saturating_sub(before.working_ms),
            cost_microusd: self.cost_microusd.saturating_sub(before.cost_microusd),
            cost_unknown: self.cost_unknown.saturating_sub(before.cost_unknown),
            tokens: self.tokens.saturating_sub(before.tokens),
        }
    }
}

impl Around<'_> {
    /// Puts the loop on record and starts its driver.
    async fn begin(&self, attempt: &OpenAttempt, item: &Item, run: &RunId) -> Result<(), piton_view::Error> {
        let others = self.others().await?;
        let limits = self.within(limits_of(self.queue, item), &others, &Used::default());
        let template = self.queue.config.worktree.as_ref();
        let from = self.base(&attempt.step).await?;
        let worktree = match template {
            Some(template) => Some(start::item_tree(&self.context.layout.in_place(), run, template, from)?),
            None => None,
        };
        let own = |checks: &Vec<_>| (!checks.is_empty()).then(|| checks.clone());
        let config = LoopConfig {
            prompt: Prompt::Text(item.task.clone()),
            checks: own(&item.checks).unwrap_or_else(|| self.queue.config.checks.clone()),
            limits,
            worktree,
            queue: Some(self.context.run.clone()),
            ..LoopConfig::clone(&self.queue.config)
        };
        self.context.require_lease(self.state)?;
        self.client.create_loop(create(run.clone(), &item.title, config)?, None).await?;
        driver_process::spawn(&self.context.layout.in_place(), run, false)?;
        Ok(())
    }

    /// Has a loop that rests go on: it gets its own limits once more, where one of them stopped it.
    async fn go_on(&self, item: &Item, found: &Loop) -> Result<(), piton_view::Error> {
        let (used, own) = (Used::of(found), limits_of(self.queue, item));
        let others = self.others().await?;
        let counters = &found.counters;
        let again = Limits {
            iterations: counters.iterations.saturating_add(own.iterations),
            working_ms: used.working_ms.saturating_add(own.working_ms),
            cost_microusd: own.cost_microusd.map(|cost| used.cost_microusd.saturating_add(cost)),
            tokens: own.tokens.map(|tokens| used.tokens.saturating_add(tokens)),
            ..own
        };
        let again = self.within(again, &others, &used);
        let had = &found.config.limits;
        let raise = Raise {
            iterations: Some(again.iterations.max(had.iterations)),
            working_ms: Some(again.working_ms),
            cost_microusd: again.cost_microusd,
            tokens: again.tokens,
            ..Raise::default()
        };
        self.context.require_lease(self.state)?;
        self.client.record(&found.run, Request::Resume(raise)).await?;
        driver_process::spawn(&self.context.layout.in_place(), &found.run, false)?;
        Ok(())
    }

    /// The same limits within what is left of what all items may use together, where this one used so much already.
    fn within(&self, limits: Limits, others: &Used, own: &Used) -> Limits {
        let counters = &self.state.counters;
        let left = |most: Option<u64>, used: u64, others: u64, own: u64| {
            most.map(|most| own.saturating_add(most.saturating_sub(used).saturating_sub(others)).max(1))
        };
        let least = |one: Option<u64>, other: Option<u64>| one.into_iter().chain(other).min();
        let cost = left(
            self.state.options.max_cost_microusd,
            counters.cost_microusd,
            others.cost_microusd,
            own.cost_microusd,
        );
        let tokens = left(self.queue.max_tokens, counters.tokens, others.tokens, own.tokens);
        let time = left(self.queue.max_working_ms, counters.working_ms, others.working_ms, own.working_ms);
        Limits {
            cost_microusd: least(limits.cost_microusd, cost),
            tokens: least(limits.tokens, tokens),
            working_ms: time.map_or(limits.working_ms, |time| limits.working_ms.min(time)),
            deadline: self.queue.config.limits.deadline,
            ..limits
        }
    }

    /// What the other items that are open used since they were begun: it is not yet among what the queue counts.
    async fn others(&self) -> Result<Used, ClientError> {
        let mut all = Used::default();
        for step in &self.state.steps {
            let Some(open) = step.open.as_ref().filter(|open| open.number != self.number) else { continue };
            let run = run_of(&self.context.run, open);
            let Some(found) = self.client.load_if_there::<Loop>(&run).await? else { continue };
            let before = match open.nested {
                Some(first) if first != open.number => {
                    used_until(self.client, &run, step.started_at.unwrap_or_default()).await?
                }
                _ => Used::default(),
            };
            let used = Used::of(&found.state).since(&before);
            all.working_ms = all.working_ms.saturating_add(used.working_ms);
            all.cost_microusd = all.cost_microusd.saturating_add(used.cost_microusd);
            all.tokens = all.tokens.saturating_add(used.tokens);
        }
        Ok(all)
    }

    /// Which ceiling of all items together is reached, counting what those that are open used. One that works alone has what is left as its
    /// own limit.
    async fn spent_together(&self, found: &Loop) -> Result<Option<Reason>, ClientError> {
        let (options, queue) = (&self.state.options, self.queue);
        let is_limited = options.max_cost_microusd.is_some()
            || queue.max_tokens.is_some()
            || queue.max_working_ms.is_some();
        if !is_limited || self.state.max_parallel() < 2 {
            return Ok(None);
        }
        let state = self.client.load::<State>(&self.context.run, None).await?.state;
        let Around { context, client, queue, number, .. } = *self;
        let now = Around { context, client, state: &state, queue, number };
        let (others, own, counted) = (now.others().await?, Used::of(found), &state.counters);
        let reached =
            |most: Option<u64>, used: [u64; 3]| most.is_some_and(|most| used.iter().sum::<u64>() >= most);
        let limits = [
            (
                options.max_cost_microusd,
                [counted.cost_microusd, others.cost_microusd, own.cost_microusd],
                Reason::LimitCost,
            ),
            (queue.max_tokens, [counted.tokens, others.tokens, own.tokens], Reason::LimitTokens),
            (
                queue.max_working_ms,
                [counted.working_ms, others.working_ms, own.working_ms],
                Reason::LimitDuration,
            ),
        ];
        Ok(limits.into_iter().find(|(most, used, _)| reached(*most, *used)).map(|(_, _, reason)| reason))
    }

    /// Where the branch of an item begins: at what the last of those ended with that it comes after.
    async fn base(&self, step: &StepId) -> Result<Option<String>, piton_view::Error> {
        let graph = self.state.plan.graph();
        let Some(index) = graph.place(step) else { return Ok(None) };
        let (mut open, mut done) = (graph.needs(index).to_vec(), Vec::new());
        while let Some(need) = open.pop() {
            match self.state.steps[need].status {
                StepStatus::Completed => done.push(need),
                // What was skipped left nothing; what it comes after may have.
                _ => open.extend(graph.needs(need)),
            }
        }
        let last = done.into_iter().max_by_key(|need| graph.level(*need));
        let Some(run) = last.and_then(|need| self.state.item_run(need)) else { return Ok(None) };
        let Some(found) = self.client.load_if_there::<Loop>(&run).await? else { return Ok(None) };
        let Some(worktree) = &found.state.config.worktree else { return Ok(None) };
        start::tip_of(&self.context.layout.in_place(), &run, &worktree.branch)
    }
}

fn limits_of(queue: &Queue, item: &Item) -> Limits {
    item.limits.clone().unwrap_or_else(|| queue.config.limits.clone())
}

/// What a run had used at a moment: what an earlier try at the item was charged for.
async fn used_until(client: &LocalClient, run: &RunId, moment: Timestamp) -> Result<Used, ClientError> {
    let stored = client.store()?.read(run, 1, usize::MAX).await?;
    let before = stored.iter().take_while(|stored| stored.at <= moment).last().map(|stored| stored.seq);
    Ok(match before {
        Some(seq) => Used::of(&client.load::<Loop>(run, Some(seq)).await?.state),
        None => Used::default(),
    })
}

/// What a loop needs of a person, where nothing else is left to it: an answer, or to be resumed.
fn asks(found: &Loop) -> Option<InnerQuestion> {
    let waits = matches!(
        found.entry().exit_code(),
        Some(ExitCode::Person | ExitCode::Environment | ExitCode::Interrupted)
    );
    if !waits || goes_on(found) {
        return None;
    }
    let question = found.people.questions.first();
    let text = match question {
        Some(question) => question.text.clone(),
        None => format!("it is {}", how(found)),
    };
    Some(InnerQuestion {
        run: found.run.clone(),
        step: None,
        question: question.map(|question| question.number),
        text,
    })
}

/// How a loop rests, in words.
fn how(found: &Loop) -> String {
    let reason = found.reason.map_or_else(String::new, |reason| format!(" ({})", reason.as_str()));
    let detail = found.detail.as_ref().map_or_else(String::new, |detail| format!(": {detail}"));
    format!("{}{reason}{detail}", found.status.as_str())
}

/// What the loop of this name asks now; nothing of one that is not there.
pub(super) async fn asks_now(
    client: &LocalClient,
    run: &RunId,
) -> Result<Option<InnerQuestion>, ClientError> {
    Ok(client.load_if_there::<Loop>(run).await?.and_then(|loaded| asks(&loaded.state)))
}

/// What the rest of a loop means for its item; `None` while it is under way or waits for a person. One that somebody stopped waits for
/// them, unless the queue wanted it.
fn outcome(found: &Loop, is_cancelled: bool, is_spent: bool) -> Option<AttemptOutcome> {
    match found.entry().exit_code()? {
        ExitCode::Done => Some(AttemptOutcome::Succeeded),
        _ if goes_on(found) => None,
        _ if is_cancelled => Some(AttemptOutcome::Cancelled),
        ExitCode::Failed | ExitCode::Limit | ExitCode::Usage => Some(AttemptOutcome::Failed),
        ExitCode::Person if is_spent && found.status == Status::Stopped => Some(AttemptOutcome::Failed),
        _ => None,
    }
}

/// The end of the attempt: what its run used since the attempt began, and what it came to.
fn ended(
    attempt: &OpenAttempt,
    outcome: AttemptOutcome,
    found: &Loop,
    before: &Used,
    spent: Option<Reason>,
) -> Command {
    let used = Used::of(found).since(before);
    let message = || match spent {
        Some(reason) => {
            format!("it was stopped, as all items together used what they may ({})", reason.as_str())
        }
        None => how(found),
    };
    let end = StepEnd {
        duration_ms: used.working_ms,
        message: (outcome == AttemptOutcome::Failed).then(message),
        cost_microusd: (used.cost_unknown == 0).then_some(used.cost_microusd),
        tokens: Some(used.tokens),
        ..StepEnd::of(outcome)
    };
    Command::EndAttempt { attempt: attempt.number, end: Box::new(end) }
}

/// Says in its list that an item is done; where that cannot be, why not.
pub(super) fn tick(context: &Context, step: &StepId, state: &State) -> Result<Command, WorldError> {
    context.require_lease(state)?;
    let index = state.plan.graph().place(step);
    let item = index.and_then(|index| state.plan.step(index).work.item());
    let entry = item.and_then(|item| item.entry.as_deref());
    let list = state.options.queue.as_deref().map(|queue| &queue.list);
    let why = match (list, entry) {
        (Some(List::Markdown(path)), Some(entry)) => {
            ticked(context, path, &|text| tasks::tick_markdown(text, entry))?
        }
        (Some(List::Prd(path)), Some(entry)) => ticked(context, path, &|text| tasks::tick_prd(text, entry))?,
        _ => None,
    };
    Ok(Command::TakeTick { step: step.clone(), why })
}

fn ticked(
    context: &Context,
    path: &str,
    tick: &dyn Fn(&str) -> Result<Option<String>, String>,
) -> Result<Option<String>, WorldError> {
    let (list, aside) = (context.place().absolute(path), context.layout.state().join("lists"));
    match tasks::tick_in_place(&list, &aside, tick) {
        Ok(()) => Ok(None),
        // A disk that is full is mended, and then it is ticked.
        Err(TickError::File(error)) if error.is_of_the_machine() => Err(error.into()),
        Err(error) => Ok(Some(format!("{path}: {}", sentence(&error)))),
    }
}
