//! A workflow in words: a line per step, the events, one screen.

use std::fmt::Write;

use crate::{ItemView, QueueView, StepView, UnderWay, WorkflowStatus};
use piton_model::loop_machine::{AttemptOutcome, StreamFormat};
use piton_model::workflow::{
    Options, Question, QueueChange, State, StepStatus, StepVerdict, WorkPlace, WorkflowEvent as Event,
};
use piton_model::{Reason, Status, Timestamp};

use super::watch::AtWork;
use super::{
    ago, beside, cell, clean, clean_line, count, duration, known_money, landed, money, outcome_word,
    status_word,
};

/// The first line of a run.
pub fn opening(state: &State) -> String {
    let people = if state.options.pause_for_human_input { ", people asked" } else { "" };
    clean_line(&format!(
        "run {} · {} · {}{people} · up to {} at once{}",
        state.run,
        state.title,
        count(state.steps.len() as u32, if state.options.queue.is_some() { "item" } else { "step" }),
        state.max_parallel(),
        place(state).map_or_else(String::new, |place| format!(" · {place}")),
    ))
}

/// Where its steps work, if not in the repository itself.
fn place(state: &State) -> Option<String> {
    Some(match state.options.place.as_ref()? {
        WorkPlace::Worktree(worktree) => {
            format!("worktree {}, branch {}", beside(&worktree.path), worktree.branch)
        }
        WorkPlace::Shared(path) => format!("worktree {}", beside(path)),
        WorkPlace::Directory(path) => format!("in {path}"),
    })
}

/// What a viewer says of an event, if it is worth a line.
pub fn progress(before: Option<&State>, event: &Event, after: &State) -> Option<String> {
    let text = match event {
        Event::StepFinished { attempt, end, ruling } => {
            let index = worked_on(before?, *attempt)?;
            match (&ruling.verdict, end.outcome) {
                // What a person is asked about it says more.
                (StepVerdict::Hold, _) => return None,
                (StepVerdict::Again { .. }, AttemptOutcome::Cancelled) => {
                    format!("{:<18} {}  ({})", "stopped", after.id(index), duration(end.duration_ms))
                }
                _ => ended(after, index),
            }
        }
        Event::StepLost { attempt, .. } => ended(after, worked_on(before?, *attempt)?),
        Event::StepsPassed { steps } => {
            let named = |skipped: bool| {
                let these = steps.iter().filter(|passed| passed.skipped == skipped);
                these.map(|passed| passed.step.as_str()).collect::<Vec<_>>().join(", ")
            };
            match (named(true), named(false)) {
                (skipped, empty) if empty.is_empty() => format!("{:<18} {skipped}", "skipped"),
                (skipped, empty) if skipped.is_empty() => format!("{:<18} {empty} (no items)", "completed"),
                (skipped, empty) => format!("{:<18} {skipped}; completed: {empty} (no items)", "skipped"),
            }
        }
        Event::StepStarted { attempt } => {
            let index = after.plan.graph().place(&attempt.step)?;
            format!("{:<18} {}  run {}", "begins", attempt.step, after.item_run(index)?)
        }
        Event::LoopedBack { step, target, .. } => {
            let times = after.step(step).map_or(0, |step| step.iteration_count);
            format!(
                "{:<18} {step} → {target}  (loop-back {times} of {})",
                "gate failed", after.options.max_iterations
            )
        }
        Event::HumanAsked { question, step, .. } => {
            format!("{:<18} {step}  (question {question})", "asks you")
        }
        Event::GatesSeen { step, verdicts } => {
            let closed = verdicts.iter().find(|verdict| !verdict.open)?;
            let why = closed.why.as_deref().unwrap_or("closed");
            format!("{:<18} {step}  gate `{}`: {why}", "waits", closed.gate)
        }
        Event::HumanAnswered { .. }
        | Event::ManualInputRefused { .. }
        | Event::AnswerRefused { .. }
        | Event::ItemsRefused { .. }
        | Event::LimitWarned { .. }
        | Event::BudgetSpent { .. }
        | Event::NestedWaits { asks: Some(_), .. }
        | Event::RunResumed { .. }
        | Event::QueueChanged { .. }
        | Event::QueueChangeRefused { .. }
        | Event::ItemTicked { why: Some(_), .. }
        | Event::StepsReset { .. }
        | Event::StatusesAdopted { .. }
        | Event::DefinitionChanged { .. }
        | Event::OptionsChanged { .. }
        | Event::RunRestarted { .. } => self::event(event),
        _ => return None,
    };
    Some(format!("  {}", clean_line(&text)))
}

/// The step that the attempt was made at: the state that follows has forgotten it.
fn worked_on(before: &State, attempt: u32) -> Option<usize> {
    before.steps.iter().position(|step| step.open.as_ref().is_some_and(|open| open.number == attempt))
}

/// What became of a step by the end of an attempt at it.
fn ended(after: &State, index: usize) -> String {
    let (id, step) = (after.id(index), &after.steps[index]);
    let took = step.ended_at.zip(step.started_at).map_or(0, |(end, start)| end.millis_since(start));
    let tries = match step.attempts {
        0 | 1 => String::new(),
        tries => format!(", try {tries}"),
    };
    let more = match (&step.last_error, after.item_count(index)) {
        (Some(error), _) => format!("  {error}"),
        (None, Some(items)) => format!("  item {} of {items}", step.index),
        (None, None) => String::new(),
    };
    // One item of several is done: the step itself is to go on.
    let is_item = step.status == StepStatus::Pending && step.index > 0 && step.last_error.is_none();
    let word = if is_item { "completed" } else { word(step.status) };
    format!("{word:<18} {id}  ({}{tries}){more}", duration(took))
}

fn word(status: StepStatus) -> &'static str {
    match status {
        StepStatus::Pending => "to be tried again",
        StepStatus::Running => "running",
        StepStatus::WaitingOnHuman => "waits for you",
        StepStatus::Completed => "completed",
        StepStatus::Failed => "FAILED",
        StepStatus::Skipped => "skipped",
    }
}

/// What is under way, for a live line.
pub fn under_way(state: &State) -> UnderWay {
    let open: Vec<_> = at_work(state).into_iter().map(|step| step.what).collect();
    let done = state.steps.iter().filter(|step| step.status.satisfies()).count();
    let what = if open.is_empty() { state.status.as_str().to_owned() } else { open.join(", ") };
    UnderWay { at: format!("{done} of {}", state.steps.len()), what, ..UnderWay::default() }
}

/// The steps that may be at work.
pub(super) fn at_work(state: &State) -> Vec<AtWork> {
    let open = |index: usize| {
        Some(AtWork {
            attempt: state.steps[index].open.as_ref()?.number.to_string(),
            has_tries: false,
            what: clean_line(state.id(index).as_str()),
            speaks: Some(StreamFormat::Plain),
        })
    };
    (0..state.steps.len()).filter_map(open).collect()
}

/// Why it is where it is.
pub fn why(state: &State) -> String {
    if state.status == Status::Waiting {
        if let Some((step, question)) = state.questions().first() {
            let number = question.number;
            return match state.is_answered(number) {
                true => format!("question {number} of step `{step}` is answered"),
                false => format!("step `{step}` asks question {number}"),
            };
        }
        if let Some((step, asks)) = state.inner_questions().first() {
            return format!("step `{step}` waits for {}", asks.waits_for());
        }
    }
    let reason = state.reason.map_or("", |reason| reason.as_str());
    clean_line(&match (&state.detail, state.status) {
        (Some(detail), _) => detail.clone(),
        (None, Status::Completed) => "every step is completed or skipped".to_owned(),
        (None, _) => reason.to_owned(),
    })
}

/// The last lines of a viewer.
pub fn ending(state: &State, landed_on: Option<&str>, next: &str) -> Vec<String> {
    let counters = &state.counters;
    let done = state.steps.iter().filter(|step| step.status.satisfies()).count();
    let why = match why(state) {
        why if why.is_empty() => "  ".to_owned(),
        why => format!("   {why} ·"),
    };
    let mut summary = format!(
        "{}{why} {done} of {} · {}",
        status_word(state.status),
        count(state.steps.len() as u32, if state.options.queue.is_some() { "item" } else { "step" }),
        count(counters.attempts, "attempt")
    );
    if counters.loop_backs > 0 {
        let _ = write!(summary, " · {}", count(counters.loop_backs, "loop-back"));
    }
    if counters.cost_microusd > 0 {
        let bound = if counters.cost_unknown > 0 { "at least " } else { "" };
        let _ = write!(summary, " · {bound}{}", money(counters.cost_microusd));
    }
    let mut lines = vec![summary];
    if let Some(WorkPlace::Worktree(_)) = state.options.place {
        lines
            .extend(place(state).map(|place| clean_line(&format!("result  {place}, {}", landed(landed_on)))));
    }
    let answered = |question: &Question| state.is_answered(question.number);
    for (step, question) in state.questions().into_iter().filter(|(_, question)| !answered(question)) {
        lines.push(format!("question {} (step `{step}`):", question.number));
        lines.extend(clean(&question.text).lines().map(|line| format!("  {line}")));
    }
    lines.extend(inner_questions(state));
    lines.push(format!("next    {next}"));
    lines
}

/// What the runs that are steps of this one ask.
fn inner_questions(state: &State) -> Vec<String> {
    let mut lines = Vec::new();
    for (step, asks) in state.inner_questions() {
        let run = &asks.run;
        lines.push(match (asks.question, &asks.step) {
            (Some(number), Some(inner)) => {
                format!("question {number} of run {run} (step `{step}`, there `{inner}`):")
            }
            (Some(number), None) => format!("question {number} of run {run} (step `{step}`):"),
            (None, _) => format!("run {run} (step `{step}`) rests:"),
        });
        lines.extend(clean(&asks.text).lines().map(|line| format!("  {line}")));
    }
    lines
}

/// One screen. `next`: what to do, in words.
pub fn status(view: &WorkflowStatus, state: &State, next: &str, now: Timestamp) -> Vec<String> {
    let mut lines = super::head(&view.entry, &why(state), view.driver.as_ref(), ago(now, view.since));
    lines.extend(place(state).map(|place| clean_line(&format!("works   {place}"))));
    if view.archived {
        lines.push(
            "its directory was removed by the clean-up; its row is in .agents/run_archive.db".to_owned(),
        );
    }
    lines.extend(
        view.given_up_by.iter().map(|outer| format!("run {outer}, whose step it was, went on without it")),
    );
    if view.discarded {
        lines.push(
            "its directory was deleted: what it did is discarded, and its name may be used again".to_owned(),
        );
    }
    lines.push(format!(
        "used    {} of work · {} · {} lost · {}{}",
        duration(view.used.spent.working_ms),
        count(view.used.spent.attempts, "attempt"),
        view.used.spent.lost,
        count(view.used.loop_backs, "loop-back"),
        money_of(view).map_or_else(String::new, |money| format!(" · {money}")),
    ));
    lines.extend(view.over_limit.iter().map(|spent| format!("limit   {spent}")));
    if let Some(items) = &view.queue {
        lines.extend(queue(items));
    } else {
        lines.extend(step_lines(view));
    }
    for question in view.questions.iter().filter(|question| !question.answered) {
        lines.push(format!("question {}:", question.question));
        lines.extend(clean(&question.text).lines().map(|line| format!("  {line}")));
    }
    lines.extend(inner_questions(state));
    lines.extend(view.refused_inputs.iter().map(|why| clean_line(&format!("held    {why}"))));
    match &view.manual_input {
        Some(file) => {
            lines.push(clean_line(&format!("an answer lies in {file}; the run has not heard of it yet")));
        }
        None if view.goes_on => lines.push("what people said is on record, and not acted on yet".to_owned()),
        None => {}
    }
    lines.push(format!("next    {next}"));
    lines
}

/// What it cost. What cost nothing that anybody told of is not said to be free.
fn money_of(view: &WorkflowStatus) -> Option<String> {
    match view.used.spent.cost_usd {
        None => Some("money unknown".to_owned()),
        Some(cost) => (cost > 0.0).then(|| format!("money ${cost:.2}")),
    }
}

/// A line per step.
fn step_lines(view: &WorkflowStatus) -> Vec<String> {
    let width = view.steps.iter().map(|step| step.id.len()).max().unwrap_or(0).min(40);
    // A large workflow would fill screens: what is done is counted, what is not is shown.
    let shown = |step: &&StepView| view.steps.len() <= 40 || !step.status.satisfies();
    let mut lines: Vec<String> =
        view.steps.iter().filter(shown).take(60).map(|step| step_line(step, width)).collect();
    let hidden = view.steps.len() - view.steps.iter().filter(shown).take(60).count();
    if hidden > 0 {
        lines.push(format!("  … and {} that are done or further on", count(hidden as u32, "step")));
    }
    lines
}

fn step_line(step: &StepView, width: usize) -> String {
    let mut line = format!("  {:<width$}  {:<16}", step.id, step.status);
    if step.attempts > 1 {
        let _ = write!(line, "  try {}", step.attempts);
    }
    if step.iteration_count > 0 {
        let _ = write!(line, "  loop-back {}", step.iteration_count);
    }
    if let Some(held) = &step.held_by {
        let _ = write!(line, "  waits for {held}");
    }
    if let Some(error) = &step.last_error {
        let _ = write!(line, "  {error}");
    }
    clean_line(line.trim_end())
}

/// One event, for `log` and `why`.
pub fn event(event: &Event) -> String {
    let text = match event {
        Event::RunCreated { title, definition, digest, .. } => {
            let steps = count(definition.steps.len() as u32, "step");
            format!("created: {title} ({steps}, definition {})", &digest[..digest.len().min(10)])
        }
        Event::DriverStarted { epoch, pid, .. } => format!("driver {pid} took the lease (epoch {epoch})"),
        Event::DefinitionChanged { digest, .. } => {
            format!("goes on with definition {}", &digest[..digest.len().min(10)])
        }
        Event::OptionsChanged { options } => {
            let Options { max_attempts, max_iterations, max_parallel, .. } = &**options;
            format!(
                "goes on with other options: up to {}, {}, {max_parallel} at once",
                count(*max_attempts, "attempt"),
                count(*max_iterations, "loop-back")
            )
        }
        Event::RunRestarted { title, digest, .. } => {
            format!("begins anew: {title} (definition {})", &digest[..digest.len().min(10)])
        }
        Event::RunArchived {} => "put into the archive, its directory removed".to_owned(),
        Event::GatesSeen { step, verdicts } => {
            let closed: Vec<String> = verdicts
                .iter()
                .filter(|verdict| !verdict.open)
                .map(|verdict| verdict.gate.to_string())
                .collect();
            match closed.is_empty() {
                true => format!("step `{step}`: its gates are open"),
                false => format!("step `{step}`: closed: {}", closed.join(", ")),
            }
        }
        Event::ItemsRead { step, items } => format!("step `{step}`: {}", count(items.len() as u32, "item")),
        Event::ItemsRefused { step, why } => format!("step `{step}`: its items cannot be read: {why}"),
        Event::StepsPassed { steps } => {
            let names: Vec<&str> = steps.iter().map(|passed| passed.step.as_str()).collect();
            format!("needs no run: {}", names.join(", "))
        }
        Event::StepStarted { attempt } => {
            format!("step `{}` begins (attempt {}, try {})", attempt.step, attempt.number, attempt.attempt)
        }
        Event::StepFinished { attempt, end, .. } => {
            let mut text =
                format!("attempt {attempt} {} ({})", outcome_word(end.outcome), duration(end.duration_ms));
            if let Some(report) = &end.report {
                text.push_str(match (report.completed, report.gate_failure) {
                    (_, true) => ", reported a gate failure",
                    (true, false) => ", reported completed",
                    (false, false) => ", reported failed",
                });
            }
            if let Some(message) = &end.message {
                let _ = write!(text, ": {message}");
            }
            text
        }
        Event::NestedWaits { attempt, asks: Some(asks) } => {
            let step = asks.step.as_ref().map_or_else(String::new, |step| format!(" (step `{step}`)"));
            format!("attempt {attempt}: waits for {}{step}", asks.waits_for())
        }
        Event::NestedWaits { attempt, asks: None } => format!("attempt {attempt}: its run goes on"),
        Event::StepAbandoned { attempt } => format!("attempt {attempt} was never started"),
        Event::StepLost { attempt, .. } => {
            format!("attempt {attempt} was lost: its outcome cannot be known, nothing of it runs any more")
        }
        Event::LoopedBack { step, target, .. } => {
            format!("the gate of `{step}` failed: back to `{target}`")
        }
        Event::StepsReset { step, .. } => format!("begins anew from step `{step}`"),
        Event::TriesRenewed { steps } => {
            let names: Vec<&str> = steps.iter().map(|renewed| renewed.step.as_str()).collect();
            format!("failed before, to be tried again: {}", names.join(", "))
        }
        Event::StatusesAdopted { edits } => {
            let edits: Vec<String> =
                edits.iter().map(|edit| format!("`{}` is {}", edit.step, edit.status.as_str())).collect();
            format!("somebody edited the file: {}", edits.join(", "))
        }
        Event::QueueChanged { change } => format!("the queue changed: {}", change_of(change)),
        Event::QueueChangeRefused { change, why } => {
            format!("the queue did not change: {}: {why}", change_of(change))
        }
        Event::ItemTicked { step, why: None } => format!("`{step}` is ticked in its list"),
        Event::ItemTicked { step, why: Some(why) } => format!("`{step}` is not ticked in its list: {why}"),
        Event::QueueChangeRequested { change } => {
            format!("somebody asks of the queue: {}", change_of(change))
        }
        Event::HumanAsked { question, step, .. } => format!("question {question}: does `{step}` count?"),
        Event::HumanAnswered { question, answer, bound, input } => {
            let how = if *bound { "" } else { " (by a file, or without having seen it)" };
            let comment = input.comment.as_ref().map_or_else(String::new, |comment| format!(": {comment}"));
            format!("question {question} answered: {answer:?}{how}{comment}")
        }
        Event::StepConcluded { step, .. } => format!("what was said of step `{step}` takes effect"),
        Event::AnswerRefused { question, why } => {
            format!("an answer to question {question} does not count: {why}")
        }
        Event::ManualInputRefused { step, why, .. } => format!("step `{step}` goes on waiting: {why}"),
        Event::LimitWarned { detail } => format!("over the limit: {detail}"),
        Event::BudgetSpent { detail, .. } => format!("the money is spent: {detail}"),
        Event::RunObstructed { detail } => {
            format!("something stands in the way, so the run stops when what is open has ended: {detail}")
        }
        Event::RunWaiting { reason, .. } => format!("waiting ({})", reason.as_str()),
        Event::RunPaused { reason, detail } => super::with_detail("paused", *reason, detail.as_deref()),
        Event::RunResumed { .. } => "resumed".to_owned(),
        Event::RunStopped { reason, detail } => super::with_detail("stopped", *reason, detail.as_deref()),
        Event::RunCompleted { .. } => "done".to_owned(),
        Event::RunFailed { reason, detail } => super::with_detail("failed", *reason, detail.as_deref()),
        Event::PauseRequested {} => "asked to pause".to_owned(),
        Event::StopRequested { now, .. } => {
            format!("asked to stop {}", if *now { "now" } else { "once the work under way has ended" })
        }
        Event::ResumeRequested { .. } => "asked to resume".to_owned(),
        Event::StartAtRequested { step } => format!("somebody asks to begin anew from step `{step}`"),
        Event::AnswerGiven { question, answer, .. } => {
            format!("somebody answers question {question}: {answer:?}")
        }
        Event::CheckpointTaken { seq, .. } => format!("checkpoint at {seq}"),
    };
    clean_line(&text)
}

/// What somebody wants of a queue.
fn change_of(change: &QueueChange) -> String {
    let place = |before: &Option<piton_model::workflow::StepId>| match before {
        Some(before) => format!("before `{before}`"),
        None => "last".to_owned(),
    };
    match change {
        QueueChange::Add { item, before } => format!("`{}` is added, {}", item.id, place(before)),
        QueueChange::Skip { step } => format!("`{step}` is skipped"),
        QueueChange::Move { step, before } => format!("`{step}` is moved, {}", place(before)),
        QueueChange::Retry { step } => format!("`{step}` is tried again"),
    }
}

/// The items of a queue, a line each, below how many are where.
pub fn queue(view: &QueueView) -> Vec<String> {
    const SHOWN_MAX: usize = 40;
    let mut lines = vec![format!("items   {}", counts(view))];
    let width = view.items.iter().map(|item| item.id.len()).max().unwrap_or(0).min(40);
    // What is done needs nobody; a long list shows the rest.
    let shown = |item: &&ItemView| view.items.len() <= SHOWN_MAX || item.standing != "done";
    let items: Vec<&ItemView> = view.items.iter().filter(shown).take(SHOWN_MAX).collect();
    lines.extend(items.iter().map(|item| item_line(item, width)));
    if let more @ 1.. = view.items.len() - items.len() {
        lines.push(format!("  … and {}", count(more as u32, "more item")));
    }
    lines
}

/// How many items are where.
pub fn counts(view: &QueueView) -> String {
    let counts = [
        (view.done, "done"),
        (view.at_work, "at work"),
        (view.blocked, "blocked"),
        (view.failed, "failed"),
        (view.next, "next"),
        (view.not_begun, "not begun"),
    ];
    let there = counts.into_iter().filter(|(number, _)| *number > 0);
    there.map(|(number, word)| format!("{number} {word}")).collect::<Vec<_>>().join(" · ")
}

fn item_line(item: &ItemView, width: usize) -> String {
    let mut line = format!("  {:<9}  {:<width$}", item.standing, item.id);
    let mut parts = Vec::new();
    if item.working_ms > 0 {
        parts.push(duration(item.working_ms));
    }
    parts.extend(item.cost_usd.filter(|cost| *cost > 0.0).map(|cost| format!("${cost:.2}")));
    parts.extend(item.branch.as_ref().map(|branch| format!("branch {branch}")));
    if item.standing == "next" && !item.after.is_empty() {
        parts.push(format!("after {}", item.after.join(", ")));
    }
    parts.extend(item.because.clone());
    let _ = write!(line, "  {}", parts.join(" · "));
    clean_line(line.trim_end())
}

/// What was not the cause of where it is.
pub fn not_the_cause(state: &State) -> Vec<String> {
    if state.status == Status::Completed {
        return Vec::new();
    }
    let counters = &state.counters;
    let mut list = Vec::new();
    let mut unless = |reason: Reason, text: String| {
        if state.reason != Some(reason) {
            list.push(text);
        }
    };
    unless(Reason::FailureStreak, format!("failures {}", counters.failures));
    unless(Reason::AttemptLost, format!("lost {}", counters.lost));
    if let Some(limit) = state.options.max_cost_microusd {
        let used = known_money(counters.cost_microusd, counters.cost_unknown);
        unless(Reason::LimitCost, format!("money {used} of {}", money(limit)));
    }
    list
}

/// What the run did, as Markdown.
pub fn report(view: &WorkflowStatus, state: &State) -> String {
    let entry = &view.entry;
    let mut text = format!("# {}\n\n", clean_line(&entry.title));
    let _ = writeln!(
        text,
        "Run `{}` of `{}`: **{}**, {}.\n",
        entry.run_id,
        view.workflow_file,
        status_word(entry.status),
        why(state)
    );
    if let Some(place) = place(state) {
        let _ = writeln!(text, "Its steps worked in: {}.\n", clean_line(&place));
    }
    let _ = writeln!(
        text,
        "{} of work, {} ({} failed, {} lost), {}{}.\n",
        duration(view.used.spent.working_ms),
        count(view.used.spent.attempts, "attempt"),
        view.used.spent.failures,
        view.used.spent.lost,
        count(view.used.loop_backs, "loop-back"),
        money_of(view).map_or_else(String::new, |money| format!(", {money}")),
    );
    text.push_str("| step | status | tries | loop-backs | took | made |\n|---|---|---|---|---|---|\n");
    for step in &view.steps {
        let took = step.ended_at.zip(step.started_at).map(|(end, start)| duration(end.millis_since(start)));
        let made: Vec<String> =
            step.artifacts.iter().take(5).map(|path| format!("`{}`", cell(path))).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            cell(&step.id),
            step.status,
            step.attempts,
            step.iteration_count,
            took.unwrap_or_default(),
            made.join(", ")
        );
    }
    let failed: Vec<_> =
        view.steps.iter().filter_map(|step| Some((&step.id, step.last_error.as_ref()?))).collect();
    if !failed.is_empty() {
        text.push_str("\n## What went wrong\n\n");
        for (id, error) in failed {
            let _ = writeln!(text, "- `{id}`: {}", clean_line(error));
        }
    }
    for (id, said) in (0..state.steps.len())
        .filter_map(|index| Some((state.id(index), state.steps[index].manual.as_ref()?)))
    {
        let word = if said.approved { "approved" } else { "rejected" };
        let comment =
            said.comment.as_deref().map_or_else(String::new, |comment| format!(": {}", clean_line(comment)));
        let _ = writeln!(text, "\nA person {word} `{id}`{comment}.");
    }
    text
}
