//! What a person reads of a run: pure functions from states and events to lines.

pub(crate) mod workflow;

use std::fmt::Write;

use piton_model::hook::HookPoint;
use piton_model::loop_machine::{
    AttemptOutcome, CheckRound, Condition, DoneRule, Finding, HookEnd, HookRecord, IterationRecord, Measures,
    NamedStop, RecoveryStep, State, SwitchReason, done_rule, is_met,
};
use piton_model::{Event, Reason, Status, Timestamp};
use piton_view::{ChangedView, CheckView, RunStatus};

use crate::output::clean_line;

/// `2h10m`, `6m12s`, `41 s`, `0.4 s`.
pub(crate) fn duration(millis: u64) -> String {
    let seconds = millis / 1000;
    match seconds {
        0..10 => format!("{}.{} s", seconds, (millis % 1000) / 100),
        10..60 => format!("{seconds} s"),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        3600..86_400 => format!("{}h{:02}m", seconds / 3600, seconds % 3600 / 60),
        _ => format!("{}d{:02}h", seconds / 86_400, seconds % 86_400 / 3600),
    }
}

/// `1 iteration`, `2 iterations`.
pub(crate) fn count<N: std::fmt::Display + PartialEq + From<u8>>(number: N, of: &str) -> String {
    let many = if number == N::from(1) { "" } else { "s" };
    format!("{number} {of}{many}")
}

/// `$4.12`.
pub(crate) fn money(microusd: u64) -> String {
    let cents = microusd.saturating_add(5_000) / 10_000;
    if cents == 0 && microusd > 0 {
        return "<$0.01".to_owned();
    }
    format!("${}.{:02}", cents / 100, cents % 100)
}

/// `test ✓ · lint ✗`.
pub(crate) fn checks(round: &CheckRound) -> String {
    let mut parts: Vec<String> = round.checks.iter().map(|check| mark(&check.name, check.passed)).collect();
    parts.extend(round.conditions.iter().map(|condition| mark(&clean_line(&condition.label), condition.met)));
    parts.join(" · ")
}

/// The same for a view.
pub(crate) fn check_views(checks: &[CheckView]) -> String {
    checks.iter().map(|check| mark(&check.name, check.passed)).collect::<Vec<_>>().join(" · ")
}

fn mark(name: &str, passed: bool) -> String {
    format!("{} {}", clean_line(name), if passed { '✓' } else { '✗' })
}

/// The first line of a run.
pub(crate) fn opening(state: &State) -> String {
    let session = match state.config.session {
        piton_model::loop_machine::SessionPolicy::Fresh => "fresh session per iteration",
        piton_model::loop_machine::SessionPolicy::Continue => "one session",
        piton_model::loop_machine::SessionPolicy::Fork => "a copy of the last session per iteration",
    };
    let place = match &state.config.worktree {
        None => "in place".to_owned(),
        Some(worktree) => format!("worktree {}, branch {}", beside(&worktree.path), worktree.branch),
    };
    format!("run {} · {}, {session} · {place}", state.run, clean_line(&state.config.agent.name))
}

/// A work tree beside the repository, as people write it.
fn beside(path: &str) -> String {
    clean_line(&format!("../{}", path.rsplit('/').next().unwrap_or(path)))
}

/// What is said once the baseline is known.
pub(crate) fn baseline(state: &State) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(round) = &state.baseline
        && !(round.checks.is_empty() && round.conditions.is_empty())
    {
        let measured = measured(&round.measures);
        let gap = if measured.is_empty() { "" } else { "   " };
        lines.push(format!("baseline  {}{gap}{measured}   ({})", checks(round), duration(round.duration_ms)));
    }
    lines.push(format!("note      {}", rule(state)));
    lines.push(format!("limits    {}", limits(state)));
    lines
}

/// When the run will be done.
fn rule(state: &State) -> String {
    match done_rule(&state.config, state.baseline.as_ref()) {
        DoneRule::ChecksPass => "stopping when every check passes".to_owned(),
        DoneRule::Done if state.config.checks.is_empty() => {
            "stopping when the agent reports done and the tree changed (there is no check)".to_owned()
        }
        DoneRule::Done => {
            "stopping when the agent reports done, the tree changed and all checks are green".to_owned()
        }
        DoneRule::Conditions => {
            if state.config.until.is_empty() {
                let any: Vec<String> = state.config.stop.success.iter().map(NamedStop::label).collect();
                return format!("stopping when this holds: {}", clean_line(&any.join(", or ")));
            }
            let conditions: Vec<String> = state.config.until.iter().map(Condition::label).collect();
            format!("stopping when all of this holds: {}", clean_line(&conditions.join(", ")))
        }
    }
}

fn limits(state: &State) -> String {
    let limits = &state.config.limits;
    let mut text = format!(
        "{} · {} working, waits not counted",
        count(limits.iterations, "iteration"),
        duration(limits.working_ms)
    );
    if let Some(cost) = limits.cost_microusd {
        let _ = write!(text, " · {}", money(cost));
    }
    if let Some(deadline) = limits.deadline {
        let _ = write!(text, " · until {}", clock(deadline));
    }
    if let Some(tokens) = limits.tokens {
        let _ = write!(text, " · {tokens} tokens");
    }
    let _ =
        write!(text, " · {} without progress · {} failures in a row", limits.no_progress, limits.failures);
    text
}

/// ` #3   5m03s  +9 −44   test ✓ · lint ✗`
pub(crate) fn iteration(record: &IterationRecord, state: &State) -> String {
    let change = match (record.added, record.removed) {
        (0, 0) if !record.progress => "no change".to_owned(),
        (added, removed) => format!("+{added} −{removed}"),
    };
    let mut text =
        format!("{:>4}  {:>7}  {change:<12}", format!("#{}", record.number), duration(record.duration_ms));
    if record.skipped {
        text.push_str("  skipped");
    } else if let Some(round) = state.checks.as_ref().filter(|_| !record.refused) {
        let _ = write!(text, "  {}", checks(round));
        let measured = record.measures.as_ref().map(measured).filter(|text| !text.is_empty());
        let _ = measured.map(|measured| write!(text, "   {measured}"));
    }
    if let Some(tests) = record.tests.filter(|tests| tests.before != tests.after) {
        let sign = if tests.after > tests.before { '+' } else { '−' };
        let _ = write!(text, "   {sign}{}", count(tests.after.abs_diff(tests.before), "test"));
    }
    if let Some(cost) = record.cost_microusd {
        let _ = write!(text, "   {}", money(cost));
    }
    match record.outcome {
        AttemptOutcome::Succeeded => {}
        outcome if !record.skipped => {
            let _ = write!(text, "   agent {}", outcome_word(outcome));
        }
        _ => {}
    }
    if let Some(doubts) = doubts(record, state) {
        let _ = write!(text, "   {doubts}");
    }
    text.trim_end().to_owned()
}

pub(crate) fn outcome_word(outcome: AttemptOutcome) -> &'static str {
    match outcome {
        AttemptOutcome::Succeeded => "succeeded",
        AttemptOutcome::Failed => "failed",
        AttemptOutcome::TimedOut => "took too long",
        AttemptOutcome::Hung => "was silent too long",
        AttemptOutcome::Cancelled => "was stopped",
        AttemptOutcome::NotStartable => "could not be started",
    }
}

/// The last lines of a run that rests: why, what the result is, what to do next.
pub(crate) fn ending(state: &State, next: &str) -> Vec<String> {
    let head = match state.status {
        Status::Completed => "done",
        Status::Waiting => "waiting",
        Status::Paused => "paused",
        Status::Failed => "failed",
        _ => "stopped",
    };
    let mut lines = vec![format!("{head:<9} {} · {}", why(state), spent(state))];
    for question in &state.questions {
        lines.push(format!("question  {} ({})", clean_line(&question.text), question.digest));
    }
    lines.push(format!("result    {}", result(state)));
    if state.status == Status::Failed {
        lines.push(format!("look      piton output {}", state.run.short()));
    }
    lines.push(format!("next      {next}"));
    lines
}

/// The cause of a status, as a sentence.
pub(crate) fn why(state: &State) -> String {
    let detail = state.detail.as_deref().map(clean_line);
    let counters = &state.counters;
    let green = || {
        let total = state.config.checks.len();
        format!("{} of {total} checks green", state.checks.as_ref().map_or(0, CheckRound::passed))
    };
    match state.reason {
        Some(Reason::ChecksPass) => green(),
        Some(Reason::Done) if state.config.checks.is_empty() => {
            "agent reported done, the tree changed".to_owned()
        }
        Some(Reason::Done) => format!("agent reported done, {}, the tree changed", green()),
        Some(Reason::ConditionsMet) => {
            match state.config.stop.success.iter().find(|named| is_met(state, &named.condition)) {
                Some(named) if state.config.until.is_empty() => {
                    clean_line(&format!("{} holds", named.label()))
                }
                _ => "every condition holds".to_owned(),
            }
        }
        Some(Reason::StopCondition) => {
            detail.map_or_else(|| "a stop condition holds".to_owned(), |label| format!("{label} holds"))
        }
        Some(Reason::LimitIterations) => {
            format!("reached its {}", count(state.config.limits.iterations, "iteration"))
        }
        Some(Reason::LimitDuration) => {
            format!("reached its {} of working time", duration(state.config.limits.working_ms))
        }
        Some(Reason::LimitCost) => {
            format!("reached its money ceiling, {} spent", money(counters.cost_microusd))
        }
        Some(Reason::LimitDeadline) => detail.unwrap_or_else(|| "its deadline has come".to_owned()),
        Some(Reason::LimitFiles) => format!(
            "changed {}, more than its {}",
            count(state.modified_files.len() as u32, "file"),
            state.config.limits.files.unwrap_or_default()
        ),
        Some(Reason::LimitLines) => format!(
            "changed {} lines, more than its {}",
            counters.lines_changed,
            state.config.limits.lines.unwrap_or_default()
        ),
        Some(Reason::LimitReboots) => format!(
            "began {}, more than its {}",
            count(counters.reboots, "fresh session"),
            state.config.limits.reboots.unwrap_or_default()
        ),
        Some(Reason::Hook) => detail.unwrap_or_else(|| "a hook wants it".to_owned()),
        Some(Reason::Attended) => "attended: you decide how it goes on".to_owned(),
        Some(Reason::Schedule) => {
            detail.unwrap_or_else(|| format!("it does not work at this hour{}", until(state)))
        }
        Some(Reason::LimitTokens) => format!("reached its token ceiling, {} used", counters.tokens),
        Some(Reason::NoProgress) => {
            let iterations = count(counters.no_progress_in_a_row, "iteration");
            format!("{iterations} in a row changed nothing that matters")
        }
        Some(Reason::FailureStreak) => detail.unwrap_or_else(|| "too many failures in a row".to_owned()),
        Some(Reason::Interrupted) => "interrupted".to_owned(),
        Some(Reason::Human) => "a person asked for it".to_owned(),
        Some(Reason::Guard) => "the guard found what looks like cheating".to_owned(),
        Some(Reason::Blocked) => "the agent reports that it cannot go on".to_owned(),
        Some(Reason::AttemptLost) => "the outcome of an attempt cannot be known".to_owned(),
        Some(Reason::RateLimit) => format!("the provider's limit{}", until(state)),
        Some(Reason::Overloaded) => format!("the provider is overloaded{}", until(state)),
        Some(Reason::Auth) => detail.unwrap_or_else(|| "the agent is not logged in".to_owned()),
        Some(Reason::Environment) => detail.unwrap_or_else(|| "something outside the run".to_owned()),
        Some(Reason::BaselineGreen) => detail.unwrap_or_else(|| "every check passes already".to_owned()),
        None => match state.status {
            Status::Created => "not started yet".to_owned(),
            _ => "under way".to_owned(),
        },
    }
}

fn until(state: &State) -> String {
    // To the second: nobody waits for a thousandth of one.
    let moment = |until: Timestamp| until.to_string().split('.').next().map(|text| format!("{text}Z"));
    state.until.and_then(moment).map_or_else(String::new, |moment| format!(", going on at {moment}"))
}

fn spent(state: &State) -> String {
    let counters = &state.counters;
    let mut text = format!("{}, {}", count(counters.iterations, "iteration"), duration(counters.working_ms));
    if counters.cost_microusd > 0 {
        let _ = write!(text, ", {}", money(counters.cost_microusd));
        if counters.cost_unknown > 0 {
            text.push_str(" or more");
        }
    }
    if counters.lost > 0 {
        let _ = write!(text, ", {} lost", counters.lost);
    }
    if counters.refused > 0 {
        let _ = write!(text, " · {} refused", count(counters.refused, "cheat"));
    }
    text
}

fn result(state: &State) -> String {
    let place = match (&state.config.worktree, state.tree_changed()) {
        (_, false) => "no file changed".to_owned(),
        (None, true) => "files changed in place, nothing committed".to_owned(),
        (Some(worktree), true) => {
            format!("branch {}, {}, nothing merged", worktree.branch, count(state.commits, "commit"))
        }
    };
    match &state.best {
        Some(best) if state.status != Status::Completed => {
            format!("{place}; best is #{} with {} of {} checks", best.iteration, best.passed, best.total)
        }
        _ => place,
    }
}

fn points(points: &[HookPoint]) -> String {
    points.iter().map(|point| point.as_str()).collect::<Vec<_>>().join(", ")
}

fn hooks_words(end: &HookEnd) -> String {
    let called = end.results.iter().filter(|result| !result.skipped).count();
    let mut text = format!("{} called", count(called as u32, "hook"));
    for warning in end.results.iter().filter_map(HookRecord::warning) {
        let _ = write!(text, "; {warning}");
    }
    if let Some(why) = &end.stop {
        let _ = write!(text, "; {why}");
    }
    text
}

fn switch_words(why: &SwitchReason) -> String {
    match why {
        SwitchReason::UserRequest => "somebody asked for it".to_owned(),
        SwitchReason::Scheduled { at } => format!("it is past {at}"),
        SwitchReason::Triggered { trigger } => trigger.clone(),
        SwitchReason::Automatic => "nobody answered".to_owned(),
    }
}

/// One event, for `log` and `why`.
pub(crate) fn event(event: &Event) -> String {
    let text = match event {
        Event::RunCreated { title, config, .. } => {
            let checks = count(config.checks.len() as u32, "check");
            format!("created: {title} ({checks}, agent {})", config.agent.name)
        }
        Event::DriverStarted { epoch, pid, .. } => format!("driver {pid} took the lease (epoch {epoch})"),
        Event::SnapshotTaken { snapshot } => format!("tree {} on record", short(&snapshot.tree)),
        Event::ChecksStarted { round } => format!("checks {round} begin"),
        Event::ChecksFinished { round } if round.cancelled => format!("checks {} were stopped", round.number),
        Event::ChecksFinished { round } => {
            format!("checks {}: {} ({})", round.number, checks(round), duration(round.duration_ms))
        }
        Event::ChecksReused { of_round } => {
            format!("the tree is unchanged: the verdict of checks {of_round} holds")
        }
        Event::AttemptStarted { attempt } => {
            format!("attempt {} of iteration {} begins", attempt.number, attempt.iteration)
        }
        Event::AttemptFinished { attempt, end } => {
            let mut text =
                format!("attempt {attempt} {} ({})", outcome_word(end.outcome), duration(end.duration_ms));
            if let Some(message) = &end.message {
                let _ = write!(text, ": {message}");
            }
            if let Some(status) = end.report.as_ref().and_then(|report| report.status) {
                let _ = write!(text, ", reported {}", report_word(status));
            }
            if let Some(guard) = end.guard.as_ref().filter(|guard| !guard.findings.is_empty()) {
                let _ = write!(text, "; the guard: {}", found(guard.findings.iter()));
            }
            text
        }
        Event::AttemptAbandoned { attempt } => format!("attempt {attempt} was never started"),
        Event::AttemptLost { attempt, .. } => {
            format!("attempt {attempt} was lost: its outcome cannot be known, nothing of it runs any more")
        }
        Event::QuestionAsked { question, text, .. } => format!("question {question}: {text}"),
        Event::QuestionClosed { question, answer, comment } => {
            let comment = comment.as_ref().map_or_else(String::new, |comment| format!(": {comment}"));
            format!("question {question} answered: {answer:?}{comment}")
        }
        Event::AnswerRefused { question, why } => {
            format!("an answer to question {question} does not count: {why}")
        }
        Event::HooksStarted { call } => format!("hooks at {} are called", points(&call.points)),
        Event::HooksFinished { end } => hooks_words(end),
        Event::ModeSwitched { from, to, why } => {
            format!("{} → {}: {}", from.as_str(), to.as_str(), switch_words(why))
        }
        Event::ModeRequested { mode, break_at } => match (mode, break_at) {
            (Some(mode), _) => format!("somebody asks for the mode {}", mode.as_str()),
            (None, Some(iteration)) => format!("somebody wants to be asked before iteration {iteration}"),
            (None, None) => "somebody asks for no other mode".to_owned(),
        },
        Event::RecoveryAdvanced { recovery, step } => format!("recovery {recovery}: {}", step_words(step)),
        Event::RunWaiting { reason, until } => {
            let until = until.map_or_else(String::new, |until| format!(" until {until}"));
            format!("waiting ({}){until}", reason.as_str())
        }
        Event::RunPaused {} => "paused".to_owned(),
        Event::RunResumed { .. } => "resumed".to_owned(),
        Event::RunStopped { reason, detail } => with_detail("stopped", *reason, detail.as_deref()),
        Event::RunFailed { reason, detail } => with_detail("failed", *reason, detail.as_deref()),
        Event::RunCompleted { reason } => format!("completed ({})", reason.as_str()),
        Event::PauseRequested {} => "somebody asks to pause".to_owned(),
        Event::StopRequested { now, .. } => {
            format!("somebody asks to stop {}", if *now { "now" } else { "after the work that is open" })
        }
        Event::RebootRequested {} => "somebody asks for a fresh session".to_owned(),
        Event::SkipRequested {} => "somebody asks to skip this iteration".to_owned(),
        Event::ResumeRequested { .. } => "somebody asks to resume".to_owned(),
        Event::AnswerGiven { question, answer, .. } => {
            format!("somebody answers question {question}: {answer:?}")
        }
        Event::AgentTold { text } => format!("somebody tells the agent: {text}"),
        Event::RunAdopted { adoption } => {
            format!(
                "goes on with {} ({}), {} in",
                adoption.source,
                adoption.format,
                count(adoption.iterations, "iteration")
            )
        }
        Event::NoteAdded { text, set } => {
            let keys: Vec<_> = set.keys().map(String::as_str).collect();
            let sets = if keys.is_empty() { String::new() } else { format!(" (sets {})", keys.join(", ")) };
            format!("somebody notes: {text}{sets}")
        }
        Event::BestChosen { iteration: 0, reason } => format!("somebody takes the best again: {reason}"),
        Event::BestChosen { iteration, reason } => {
            format!("somebody prefers iteration {iteration}: {reason}")
        }
        Event::FindingMarked { finding, false_positive } => {
            let what = if *false_positive { "a false alarm" } else { "right" };
            format!("somebody says that finding {finding} is {what}")
        }
        Event::CheckpointTaken { seq, .. } => format!("checkpoint at {seq}"),
    };
    clean_line(&text)
}

fn step_words(step: &RecoveryStep) -> String {
    match step {
        RecoveryStep::Paused { iteration, trigger, .. } => format!("iteration {iteration}, {trigger}"),
        RecoveryStep::Diagnosed(diagnosis) => format!(
            "{} ({} %, by {}): {}",
            diagnosis.cause.as_str(),
            diagnosis.confidence_percent,
            diagnosis.by,
            diagnosis.sentence
        ),
        RecoveryStep::Adapted(approach) => format!("next approach: {}", approach.as_str()),
        RecoveryStep::Retried(retry) => {
            let how = if retry.succeeded { "went well" } else { "did not help" };
            format!("iteration {} {how}", retry.iteration)
        }
        RecoveryStep::Escalated { reason } => format!("a person is asked: {reason}"),
    }
}

/// What was measured, in a few words: `tests 418/419 · coverage 84.0 %`.
fn measured(measures: &Measures) -> String {
    let mut parts = Vec::new();
    if let Some(tests) = measures.tests {
        let cut = if tests.complete { "" } else { " (cut off)" };
        parts.push(format!("tests {}/{}{cut}", tests.passed, tests.passed + tests.failed));
    }
    if let Some(percent) = measures.coverage_percent() {
        parts.push(format!("coverage {percent:.1} %"));
    }
    if let Some(errors) = measures.errors().filter(|errors| *errors > 0) {
        parts.push(count(errors, "error"));
    }
    parts.extend(measures.custom.iter().map(|(name, value)| clean_line(&format!("{name} {value}"))));
    parts.join(" · ")
}

/// What the guard found, in a few words: the first sentence, and how many more.
fn found<'a>(findings: impl Iterator<Item = &'a Finding>) -> String {
    let mut findings = findings.peekable();
    let Some(first) = findings.next() else { return "nothing".to_owned() };
    match findings.count() {
        0 => first.message.clone(),
        more => format!("{} (and {more} more)", first.message),
    }
}

/// What became of an iteration that the guard doubts, and why.
fn doubts(record: &IterationRecord, state: &State) -> Option<String> {
    let of_iteration = state
        .findings
        .iter()
        .filter(|kept| kept.iteration == record.number && kept.finding.blocking)
        .map(|kept| &kept.finding);
    let what = clean_line(&found(of_iteration));
    let kept = state.recent.iter().rev().find(|earlier| earlier.number < record.number && !earlier.refused);
    let back = kept.map_or_else(|| "the start".to_owned(), |kept| format!("#{}", kept.number));
    match (record.refused, record.doubted) {
        (true, _) => Some(format!("REFUSED {what} → back to {back}, agent told")),
        (false, true) => Some(format!("DOUBTED {what}")),
        (false, false) => None,
    }
}

fn with_detail(word: &str, reason: Reason, detail: Option<&str>) -> String {
    match detail {
        Some(detail) => format!("{word} ({}): {detail}", reason.as_str()),
        None => format!("{word} ({})", reason.as_str()),
    }
}

fn report_word(status: piton_model::loop_machine::ReportStatus) -> &'static str {
    use piton_model::loop_machine::ReportStatus;
    match status {
        ReportStatus::Done => "done",
        ReportStatus::Blocked => "blocked",
        ReportStatus::Continue => "more to do",
    }
}

fn short(id: &str) -> &str {
    id.get(..10).unwrap_or(id)
}

/// How long ago, or until when: `4h51m`.
pub(crate) fn ago(now: Timestamp, then: Timestamp) -> String {
    duration(now.millis_since(then))
}

/// One screen about a run.
pub(crate) fn status(view: &RunStatus, state: &State, now: Timestamp) -> Vec<String> {
    let summary = &view.summary;
    let mut lines = vec![format!(
        "{}   {} since {} ({})",
        summary.run_id,
        status_words(view),
        clock(view.since),
        ago(now, view.since)
    )];
    lines.push(match view.driver.is_none() && view.exit_code.is_none() {
        true => "why      its driver is gone; the journal is intact, and an agent that lives is found again"
            .to_owned(),
        false => format!("why      {}", why(state)),
    });
    for question in &view.questions {
        lines.push(format!("asks     {} (digest {})", clean_line(&question.text), question.digest));
    }
    let driver = match &view.driver {
        Some(driver) => format!("process {} since {}", driver.pid, clock(driver.since)),
        None if view.exit_code.is_some() => "none".to_owned(),
        None => "none; nothing drives this run".to_owned(),
    };
    lines.push(format!("do       {:<31}  driver  {driver}", view.next));
    let mut row = String::new();
    if !view.checks.is_empty() {
        let _ = write!(row, "checks   {}", check_views(&view.checks));
    }
    if let Some(best) = &view.best {
        let _ = write!(row, "     best  #{}  {} of {} checks", best.iteration, best.passed, best.total);
        if (0.1..99.9).contains(&best.quality_score) {
            let _ = write!(row, ", score {:.1}", best.quality_score);
        }
    }
    if let Some(chosen) = &view.chosen {
        let _ = write!(row, "     chosen  #{}", chosen.iteration);
    }
    if !row.is_empty() {
        lines.push(row);
    }
    if let Some(measured) = view.measures.as_ref().map(measured).filter(|text| !text.is_empty()) {
        lines.push(format!("measured {measured}"));
    }
    if let Some(line) = changed(&view.changed) {
        lines.push(format!("changed  {line}"));
    }
    if let Some(summary) = &view.said {
        lines.push(format!("said     {}", clean_line(summary.lines().next().unwrap_or_default())));
    }
    lines.push(format!("used     {}", used(view)));
    lines
}

/// Which files differ from the start, and where they are.
fn changed(view: &ChangedView) -> Option<String> {
    let files = match view.files.as_slice() {
        [] => return None,
        [one] => clean_line(one),
        several => format!("{} files", several.len()),
    };
    Some(match &view.branch {
        Some(branch) => {
            format!("{files} · branch {branch}, {}, nothing merged", count(view.commits, "commit"))
        }
        None => format!("{files}, in place"),
    })
}

fn status_words(view: &RunStatus) -> &'static str {
    match (view.summary.status.as_str(), view.summary.reason.as_deref()) {
        ("waiting", Some("rate_limit" | "overloaded")) => "waiting for the provider",
        ("waiting", Some("schedule")) => "waiting for its hours",
        ("waiting", _) => "waiting for you",
        ("completed", _) => "done",
        ("running", _) if view.driver.is_none() => "running, but nothing drives it",
        ("running", _) => "running",
        ("created", _) => "created",
        ("paused", _) => "paused",
        ("rebooting", _) => "rebooting",
        ("failed", _) => "failed",
        _ => "stopped",
    }
}

fn used(view: &RunStatus) -> String {
    let limits = &view.limits;
    let mut text = format!(
        "{} of {} iterations · {} of {}",
        limits.iterations.used.unwrap_or_default(),
        limits.iterations.max.unwrap_or_default(),
        duration(view.used.working_ms),
        duration(limits.duration_ms.max.unwrap_or_default()),
    );
    if view.used.waiting_ms > 0 {
        let _ = write!(text, " (+{} waiting)", duration(view.used.waiting_ms));
    }
    match (view.used.cost_usd, limits.cost_usd.max) {
        (Some(cost), Some(max)) => {
            let _ = write!(text, " · ${cost:.2} of ${max:.2}");
        }
        (None, Some(_)) => text.push_str(" · cost: unknown (not enforced)"),
        (Some(cost), None) if cost > 0.0 => {
            let _ = write!(text, " · ${cost:.2}");
        }
        _ => {}
    }
    if view.used.lost > 0 {
        let _ = write!(text, " · {} lost", count(view.used.lost, "attempt"));
    }
    text
}

/// `03:12:45Z`: the time of day is what a person compares.
pub(crate) fn clock(at: Timestamp) -> String {
    let text = at.to_string();
    match text.split_once('T') {
        Some((_, time)) => format!("{}Z", time.split('.').next().unwrap_or(time).trim_end_matches('Z')),
        None => text,
    }
}
