//! One event of a loop, in words.

use std::fmt::Write;

use piton_model::hook::HookPoint;
use piton_model::limits::WRITTEN_MAX;
use piton_model::loop_machine::{
    AttemptOutcome, Conclusion, HookEnd, HookRecord, IterationVerdict, Objection, Opinion, Out, RecoveryStep,
    ReviewEnd, ReviewRuling, RoundRuling, SwitchReason, UNJUDGED, Verdict, Wrote,
};
use piton_model::{Event, Reason};

use super::loops::{found, mutants};
use super::{checks, clean_line, count, duration, moment, money, outcome_word, with_detail};

pub(super) fn points(points: &[HookPoint]) -> String {
    points.iter().map(|point| point.as_str()).collect::<Vec<_>>().join(", ")
}

pub(super) fn hooks_words(end: &HookEnd) -> String {
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
        SwitchReason::Triggered { trigger } => trigger.to_string(),
        SwitchReason::Automatic => "nobody answered".to_owned(),
    }
}

/// One event, for `log` and `why`.
pub fn event(event: &Event) -> String {
    let text = match event {
        Event::RunCreated { title, config, .. } => {
            let checks = count(config.checks.len() as u32, "check");
            format!("created: {title} ({checks}, agent {})", config.agent.name)
        }
        Event::DriverStarted { epoch, pid, .. } => format!("driver {pid} took the lease (epoch {epoch})"),
        Event::SnapshotTaken { snapshot, .. } => {
            let mut text = format!("tree {} on record", short(&snapshot.tree));
            let names: Vec<&str> = snapshot.left_out.iter().map(|file| file.path.as_str()).collect();
            if !names.is_empty() {
                text.push_str(&format!("; not in it: {}", names.join(", ")));
            }
            text
        }
        Event::ChecksStarted { round, guard: Some(Verdict::Refused), .. } => {
            format!("checks {round} begin: what the attempt before left is refused")
        }
        Event::ChecksStarted { round, look: true, .. } => {
            format!("checks {round} begin: nobody has judged what the attempt before left")
        }
        Event::ChecksStarted { round, .. } => format!("checks {round} begin"),
        Event::ChecksFinished { round, .. } if round.cancelled => {
            format!("checks {} were stopped", round.number)
        }
        Event::ChecksFinished { round, ruling } => {
            // Trials are no checks, and take their own time.
            let trials_ms = round.proof.as_ref().map_or(0, |proof| proof.duration_ms);
            let took = duration(round.duration_ms.saturating_sub(trials_ms));
            let mut text = format!("checks {}: {} ({took})", round.number, checks(round));
            if let Some(proof) = &round.proof {
                let _ = write!(
                    text,
                    "; trials: {} ({})",
                    mutants(proof.mutants, proof.lived, proof.lost),
                    duration(trials_ms)
                );
                if !proof.findings.is_empty() {
                    let _ = write!(text, ", shown: {}", found(proof.findings.iter()));
                }
            }
            round.wrote.iter().for_each(|wrote| text.push_str(&written_words(wrote, ruling)));
            text
        }
        Event::AttemptStarted { attempt } => {
            let by = attempt.agent.as_ref().map_or_else(String::new, |agent| format!(", by {agent}"));
            format!("attempt {} of iteration {} begins{by}", attempt.number, attempt.iteration)
        }
        Event::AttemptFinished { attempt, end, .. } => {
            // What came of it is for the checks to say.
            let ended = match end.outcome {
                AttemptOutcome::Succeeded => "ended",
                other => outcome_word(other),
            };
            let mut text = format!("attempt {attempt} {ended} ({})", duration(end.duration_ms));
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
        Event::AttemptAbandoned { attempt } => {
            format!("attempt {attempt} left nothing behind: it was never started, as far as can be told")
        }
        Event::AttemptLost { attempt, left, .. } => {
            let mut text = format!(
                "attempt {attempt} was lost: its outcome cannot be known, nothing of it runs any more"
            );
            if let Some(guard) = left.guard.as_ref().filter(|guard| !guard.findings.is_empty()) {
                let _ = write!(text, "; the guard: {}", found(guard.findings.iter()));
            }
            text
        }
        Event::QuestionAsked { question, text, .. } => format!("question {question}: {text}"),
        Event::QuestionClosed { question, answer, comment, .. } => {
            let comment = comment.as_ref().map_or_else(String::new, |comment| format!(": {comment}"));
            format!("question {question} answered: {answer:?}{comment}")
        }
        Event::AnswerRefused { question, why } => {
            format!("an answer to question {question} does not count: {why}")
        }
        Event::CommitStarted { commit } => format!("iteration {} is to be committed", commit.iteration),
        Event::CommitFinished { iteration, commit, found_on, .. } => {
            let done = match commit {
                Some(commit) => format!("iteration {iteration} is committed: {}", short(commit)),
                None => format!("iteration {iteration} left nothing new to commit"),
            };
            match found_on {
                Some(other) => format!("{done}; the agent had left its branch for {other}, and was put back"),
                None => done,
            }
        }
        Event::ReviewStarted { review } => {
            format!("review {} of iteration {} begins", review.number, review.iteration)
        }
        Event::ReviewFinished { end, ruling, .. } => review_words(end, ruling),
        Event::IterationConcluded { conclusion } => conclusion_words(conclusion),
        Event::LevelRaised { rise } => {
            format!("prompts become firmer: {} ({})", rise.to.as_str(), rise.published())
        }
        Event::SessionRebooted { reason } => format!("a fresh session is due: {}", reason.sentence()),
        Event::RebootProposed { reason } => format!("a fresh session is proposed: {}", reason.sentence()),
        Event::RebootsGivenUp { failures } => format!("session: {}", no_fresh_session(*failures)),
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
        Event::AgentOut { agent, out } => format!("{agent} cannot work: {}", out_words(out)),
        Event::AgentSwitched { from, agent, .. } => {
            format!("{agent} goes on for {from}, and is told what was done so far")
        }
        Event::RecoveryAdvanced { recovery, step } => format!("recovery {recovery}: {}", step_words(step)),
        Event::RunWaiting { reason, until } => {
            let until = until.map_or_else(String::new, |until| format!(" until {until}"));
            format!("waiting ({}){until}", reason.as_str())
        }
        Event::RunPaused { .. } => "paused".to_owned(),
        Event::RunResumed { .. } => "resumed".to_owned(),
        Event::RunStopped { reason, detail } => with_detail("stopped", *reason, detail.as_deref()),
        Event::RunFailed { reason, detail } => with_detail("failed", *reason, detail.as_deref()),
        Event::RunCompleted { reason, detail } => with_detail("done", *reason, detail.as_deref()),
        Event::PauseRequested {} => "asked to pause".to_owned(),
        Event::StopRequested { now, .. } => {
            format!("asked to stop {}", if *now { "now" } else { "once the work under way has ended" })
        }
        Event::RebootRequested {} => "asked for a fresh session".to_owned(),
        Event::SkipRequested {} => "asked to skip this iteration".to_owned(),
        Event::ResumeRequested { .. } => "asked to resume".to_owned(),
        Event::AnswerGiven { question, answer, .. } => {
            format!("somebody answers question {question}: {answer:?}")
        }
        Event::AgentTold { text } => format!("to the agent: {text}"),
        Event::ResultReturned { returned } => format!("comes back from {}: {}", returned.from, returned.text),
        Event::RunReopened { returned } => format!("goes on with what came back from {}", returned.from),
        Event::RunAdopted { adoption } if adoption.format == UNJUDGED => format!(
            "begins over what {} left, which nobody judged: the first iteration is compared with the last tree of it that was judged",
            adoption.source
        ),
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
            format!("note: {text}{sets}")
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

/// How a review ended.
fn review_words(end: &ReviewEnd, ruling: &ReviewRuling) -> String {
    let mut text = format!("review {}", end.number);
    let places: Vec<_> = end.objections.iter().map(Objection::sentence).collect();
    let why = || end.message.as_deref().unwrap_or("it does not say why");
    let _ = match (ruling, end.opinion) {
        (ReviewRuling::Agreed, _) => write!(text, " agrees"),
        (_, Some(Opinion::Objects)) => write!(text, " objects: {}", places.join("; ")),
        (ReviewRuling::Held { reason, .. }, _) => {
            write!(text, " could not be made ({}): {}", reason.as_str(), why())
        }
        _ if end.outcome == AttemptOutcome::Cancelled => write!(text, " was cut short"),
        _ => write!(text, " gave no verdict: {}", why()),
    };
    let cost = end.cost_microusd.map_or_else(String::new, |cost| format!(", {}", money(cost)));
    let _ = write!(text, " ({}{cost})", duration(end.duration_ms));
    text
}

/// Why an agent cannot work, and until when.
pub(super) fn out_words(out: &Out) -> String {
    let why = match out.reason {
        Reason::RateLimit => "its provider's limit",
        Reason::Overloaded => "its provider is overloaded",
        Reason::Auth => "it is not logged in",
        other => other.as_str(),
    };
    match out.until {
        Some(until) => format!("{why}, until {}", moment(until)),
        None => format!("{why}, until a person sees to it and the run is resumed"),
    }
}

/// That sessions give way to fresh ones no more.
pub(super) fn no_fresh_session(failures: u32) -> String {
    format!(
        "a fresh one is due and not begun: {failures} in a row were not to be (`piton reboot` begins one)"
    )
}

/// What checks wrote into the tree, and what followed from it.
fn written_words(wrote: &Wrote, ruling: &RoundRuling) -> String {
    let mut text = String::new();
    let mut say = |what: &str, paths: &[String]| {
        if !paths.is_empty() {
            let _ = write!(text, "; {what}: {}", paths.join(", "));
        }
    };
    say("put back", &wrote.put_back);
    let made: Vec<String> = wrote.made.iter().take(WRITTEN_MAX).map(|made| made.path.clone()).collect();
    say("made", &made);
    match ruling.again {
        true => say("run once more on what they changed", &wrote.changed),
        false => say("changed", &wrote.changed),
    }
    if ruling.guard == Some(Verdict::Refused) {
        let _ = write!(text, "; they do not count: {}", found(ruling.findings.iter()));
    }
    text
}

fn conclusion_words(conclusion: &Conclusion) -> String {
    let verdict = match conclusion.verdict {
        IterationVerdict::Kept => "kept",
        IterationVerdict::Refused => "refused",
        IterationVerdict::Doubted => "doubted",
        IterationVerdict::Skipped => "skipped",
    };
    let mut text = format!("iteration {}: {verdict}", conclusion.iteration);
    if conclusion.verdict != IterationVerdict::Skipped {
        text.push_str(if conclusion.progress.made { ", progress" } else { ", no progress" });
    }
    if conclusion.best {
        text.push_str(", the best so far");
    }
    if !conclusion.findings.is_empty() {
        let _ =
            write!(text, "; the numbers: {}", found(conclusion.findings.iter().map(|kept| &kept.finding)));
    }
    text
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
        RecoveryStep::Adapted { approach, .. } => format!("next approach: {}", approach.as_str()),
        RecoveryStep::Retried(retry) => {
            let how = if retry.succeeded { "went well" } else { "did not help" };
            format!("iteration {} {how}", retry.iteration)
        }
        RecoveryStep::Escalated { reason } => format!("a person is asked: {reason}"),
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
