//! Where a workflow is, why, and what to do: a view of its state.

use std::collections::BTreeMap;

use piton_model::State as LoopState;
use piton_model::workflow::{InnerQuestion, Standing, State, StepStatus, WorkPlace, raise_past};
use piton_model::{Machine, Reason, RunId, Status, exit_code};
use piton_store::Holder;
use piton_sys::{Clock, SystemClock};
use piton_view::words::{what_to_do, workflow as words};
use piton_view::{
    AskedView, Counted, ItemView, QueueView, SpentView, StatusOf, StatusView, StepView, WorkflowLimitsView,
    WorkflowStatus, WorkflowUsedView,
};

use super::land::branch;
use super::status::{dollars, driver_view};
use super::{ClientError, LocalClient, MAKE_IT_YOURS};
use crate::layout::Layout;
use crate::workflow::is_discarded;

/// What of a workflow only a look around it tells.
pub(super) struct Found {
    /// It rests, and goes on as soon as somebody drives it.
    pub(super) goes_on: bool,
    /// The file of a person that lies there for it or for a run within it.
    pub(super) manual_input: Option<String>,
    /// The run whose step it was, where that went on without it.
    pub(super) given_up_by: Option<RunId>,
    /// The loops of its items, by their place in the queue.
    pub(super) items: BTreeMap<usize, LoopState>,
}

impl LocalClient {
    pub(super) async fn look_around(&self, state: &State) -> Result<Found, ClientError> {
        Ok(Found {
            goes_on: self.is_to_go_on(state).await?,
            manual_input: self.manual_input(state).await?,
            given_up_by: self.given_up_by(state).await?,
            items: self.items(state).await?,
        })
    }

    /// The loops of the items of a queue, those that were begun and are still there.
    pub(super) async fn items(&self, state: &State) -> Result<BTreeMap<usize, LoopState>, ClientError> {
        let mut items = BTreeMap::new();
        for index in 0..state.steps.len() {
            let Some(run) = state.item_run(index) else { continue };
            let found = Self::unless_damaged(self.load_if_there::<LoopState>(&run).await)?.flatten();
            items.extend(found.map(|found| (index, found.state)));
        }
        Ok(items)
    }
}

/// The items of a queue, with what became of their loops.
fn queue_of(state: &State, loops: &BTreeMap<usize, LoopState>) -> Option<QueueView> {
    let queue = state.options.queue.as_deref()?;
    let count =
        |wanted: Standing| (0..state.steps.len()).filter(|index| state.standing(*index) == wanted).count();
    Some(QueueView {
        done: count(Standing::Done),
        blocked: count(Standing::Blocked),
        failed: count(Standing::Failed),
        not_begun: count(Standing::NotBegun),
        at_work: count(Standing::AtWork),
        next: count(Standing::Next),
        max_tokens: queue.max_tokens,
        max_working_ms: queue.max_working_ms,
        items: (0..state.steps.len()).map(|index| item_of(state, index, loops.get(&index))).collect(),
    })
}

fn item_of(state: &State, index: usize, found: Option<&LoopState>) -> ItemView {
    let step = state.plan.step(index);
    let counters = found.map(|found| &found.counters);
    ItemView {
        id: step.id.to_string(),
        title: step.work.item().map(|item| item.title.clone()).unwrap_or_default(),
        standing: state.standing(index).as_str(),
        because: state.because(index),
        run_id: state.item_run(index),
        branch: found.and_then(|found| Some(found.config.worktree.as_ref()?.branch.clone())),
        after: step.needs.iter().map(ToString::to_string).collect(),
        cost_usd: counters
            .filter(|counters| counters.cost_unknown == 0)
            .map(|counters| dollars(counters.cost_microusd)),
        working_ms: counters.map_or(0, |counters| counters.working_ms),
        iterations: counters.map_or(0, |counters| counters.iterations),
        ticked: state.steps[index].ticked,
    }
}

/// Everything about a workflow at one moment.
pub(super) fn view_of(
    layout: &Layout,
    state: &State,
    found: Found,
    holder: Option<&Holder>,
    caution: Option<&str>,
) -> StatusView {
    let mut status = status_of(layout, state, found, holder);
    let worktree = match &state.options.place {
        Some(WorkPlace::Worktree(worktree)) => Some(worktree),
        Some(WorkPlace::Directory(_) | WorkPlace::Shared(_)) | None => None,
    };
    let (landed_on, next) = branch::after(layout, &state.run, worktree, state.status);
    status.next = next.filter(|_| holder.is_none() && !status.discarded).unwrap_or(status.next);
    if caution.is_some() {
        status.next = MAKE_IT_YOURS.to_owned();
    }
    let next = what_to_do(&status.next, caution);
    StatusView {
        questions: status.questions.clone(),
        // A run that was given up has asked nobody.
        questions_asked: if status.given_up_by.is_some() { 0 } else { state.questions_asked },
        counted: state.counters.attempts,
        screen: words::status(&status, state, &next, SystemClock.now()),
        ending: words::ending(state, landed_on.as_deref(), &next),
        ..StatusView::of(StatusOf::Workflow(Box::new(status)))
    }
}

pub(super) fn status_of(
    layout: &Layout,
    state: &State,
    found: Found,
    holder: Option<&Holder>,
) -> WorkflowStatus {
    let discarded = is_discarded(layout, state);
    let counters = &state.counters;
    WorkflowStatus {
        entry: state.entry(),
        detail: state.detail.clone(),
        since: state.since,
        next: match discarded {
            true => format!("piton run {} --run-id {}", state.options.workflow_file, state.run),
            false if found.given_up_by.is_some() => format!("piton report {}", state.run),
            false if found.goes_on && holder.is_none() => format!("piton resume {}", state.run),
            false => next_command(state, holder.is_some()),
        },
        driver: holder.map(driver_view),
        exit_code: exit_code(state.status, state.reason).map(|code| code as u8),
        limits: limits_of(state),
        checks: Vec::new(),
        findings: Vec::new(),
        discarded,
        archived: state.archived,
        workflow_file: state.options.workflow_file.clone(),
        definition: state.digest.clone(),
        works_in: state.options.place.as_ref().map(|place| place.path().to_owned()),
        branch: match &state.options.place {
            Some(WorkPlace::Worktree(worktree)) => Some(worktree.branch.clone()),
            Some(WorkPlace::Directory(_) | WorkPlace::Shared(_)) | None => None,
        },
        over_limit: (state.overspent().or_else(|| state.over_limit_of_the_day()))
            .filter(|_| state.reason != Some(Reason::LimitCost)),
        used: WorkflowUsedView {
            spent: SpentView {
                working_ms: counters.working_ms,
                cost_usd: (counters.cost_unknown == 0).then(|| dollars(counters.cost_microusd)),
                tokens: counters.tokens,
                attempts: counters.attempts,
                failures: counters.failures,
                lost: counters.lost,
            },
            loop_backs: counters.loop_backs,
        },
        steps: (0..state.steps.len()).map(|index| step_of(state, index)).collect(),
        questions: if found.given_up_by.is_none() { asked(state) } else { Vec::new() },
        given_up_by: found.given_up_by,
        manual_input: found.manual_input,
        refused_inputs: (state.steps.iter().filter(|step| step.question.is_some()))
            .filter_map(|step| step.refused_input.as_ref().map(|(_, why)| why.clone()))
            .collect(),
        goes_on: found.goes_on,
        queue: queue_of(state, &found.items),
    }
}

fn limits_of(state: &State) -> WorkflowLimitsView {
    let (options, counters) = (&state.options, &state.counters);
    let loop_backs = state.steps.iter().map(|step| step.iteration_count).max();
    WorkflowLimitsView {
        iterations: Counted { used: loop_backs, max: Some(options.max_iterations) },
        cost_usd: Counted {
            used: (counters.cost_unknown == 0).then(|| dollars(counters.cost_microusd)),
            max: options.max_cost_microusd.map(dollars),
        },
        daily_cost_usd: Counted {
            used: Some(dollars(counters.day_microusd)).filter(|spent| *spent > 0.0),
            max: options.daily_cost_microusd.map(dollars),
        },
    }
}

fn step_of(state: &State, index: usize) -> StepView {
    let step = &state.steps[index];
    StepView {
        id: state.id(index).to_string(),
        status: step.status,
        attempts: step.attempts,
        iteration_count: step.iteration_count,
        started_at: step.started_at,
        ended_at: step.ended_at,
        last_error: step.last_error.clone(),
        held_by: held_by(state, index),
        artifacts: step.artifacts.clone(),
    }
}

/// What keeps a step that has not started, in words; its needs are seen from the other steps.
fn held_by(state: &State, index: usize) -> Option<String> {
    let step = &state.steps[index];
    if step.status == StepStatus::WaitingOnHuman {
        let own = step.question.as_ref().map(|question| format!("question {}", question.number));
        return own.or_else(|| step.asks.as_ref().map(InnerQuestion::waits_for));
    }
    if step.status != StepStatus::Pending {
        return None;
    }
    if let Some(block) = &step.blocked {
        return Some(format!("`{}`, since the gate of `{}` failed", block.until, block.by));
    }
    let closed = step.verdicts.iter().find(|verdict| !verdict.open);
    closed
        .map(|verdict| match &verdict.why {
            Some(why) => format!("gate `{}`: {why}", verdict.gate),
            None => format!("gate `{}`", verdict.gate),
        })
        .or_else(|| step.not_before.map(|until| format!("another try at {until}")))
}

/// What a workflow asks.
fn asked(state: &State) -> Vec<AskedView> {
    let asked = state.questions().into_iter();
    let view =
        |(step, question): (&piton_model::workflow::StepId, &piton_model::workflow::Question)| AskedView {
            question: question.number,
            step: Some(step.to_string()),
            text: question.text.clone(),
            digest: question.digest.clone(),
            since: question.since,
            answered: state.is_answered(question.number),
        };
    asked.map(view).collect()
}

/// The command that helps most where the run is.
fn next_command(state: &State, driven: bool) -> String {
    let id: &RunId = &state.run;
    match (state.status, state.reason) {
        (Status::Completed, _) => format!("piton report {id}"),
        // Whoever drives it sees to what was asked of it: neither an answer nor a resume would be taken any more.
        _ if driven && state.is_left_open() => format!("piton attach {id}"),
        (Status::Waiting, _) if !state.questions().is_empty() => format!("piton answer {id}"),
        (Status::Waiting, _) if state.asks_people() => {
            let inner = state.inner_questions().first().map(|(_, asks)| asks.next());
            inner.unwrap_or_else(|| format!("piton answer {id}"))
        }
        (Status::Created | Status::Running | Status::Rebooting | Status::Waiting, _) if driven => {
            format!("piton attach {id}")
        }
        (Status::Stopped, Some(reason)) if state.options.queue.is_some() && reason.is_limit() => match reason
        {
            Reason::LimitDeadline => format!("piton resume {id}"),
            _ => format!("piton resume {id} {}", raise_past(state, reason)),
        },
        (Status::Paused | Status::Failed, Some(reason @ (Reason::LimitIterations | Reason::LimitCost))) => {
            format!("piton resume {id} {}", raise_past(state, reason))
        }
        _ => format!("piton resume {id}"),
    }
}
