//! One screen about a loop.

use std::fmt::Write;

use crate::{BestView, ChangedView, RunStatus, SessionView};
use piton_model::loop_machine::{Recommendation, ReportStatus, State};
use piton_model::{Reason, Status, Timestamp};

use super::event::{no_fresh_session, out_words};
use super::loops::{PASSING_UNNAMED, measured, on_branch, refused_for};
use super::{
    ago, check_views, clean_line, clock, count, duration, reported, status_word, tests_by_name, why,
};

/// One screen about a run. `next`: what to do, in words.
pub fn status(view: &RunStatus, state: &State, next: &str, now: Timestamp) -> Vec<String> {
    let entry = &view.entry;
    let mut lines = vec![format!(
        "{}   {} since {} ({})",
        entry.run_id,
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
    lines.push(format!("do       {next}"));
    lines.push(format!("driver   {driver}"));
    lines.extend(agents(state, now).map(|agents| format!("agent    {agents}")));
    lines.extend(asked_for(state).map(|asked| format!("asked    {asked}")));
    if !view.checks.is_empty() {
        lines.push(format!("checks   {}", check_views(&view.checks)));
    }
    lines.extend(runs(view).map(|line| format!("runs     {line}")));
    lines.extend(super::loops::runs_otherwise(state).map(|line| format!("runs     {line}")));
    lines.extend(view.best.as_ref().map(best));
    if let Some(chosen) = &view.chosen {
        lines.push(format!("chosen   #{}", chosen.iteration));
    }
    lines.extend(refused(state).map(|refused| format!("refused  {refused}")));
    lines.extend(unjudged(view, state));
    if let Some(measured) = view.measures.as_ref().map(measured).filter(|text| !text.is_empty()) {
        lines.push(format!("measured {measured}"));
    }
    let mut tests = tests_by_name(&state.seen.tests);
    tests.extend(state.seen.tests.unnamed.then(|| PASSING_UNNAMED.to_owned()));
    if !tests.is_empty() {
        lines.push(format!("tests    {}", tests.join(" · ")));
    }
    lines.extend(super::loops::review(state).map(|review| format!("review   {review}")));
    lines.extend(super::loops::proof(state).map(|proof| format!("proof    {proof}")));
    lines.extend(super::loops::shown(state).into_iter().map(|line| format!("shown    {line}")));
    if let Some(line) = changed(&view.changed) {
        lines.push(format!("changed  {line}"));
    }
    lines.extend(super::loops::not_covered(state).into_iter().map(|line| format!("beside   {line}")));
    lines.extend(super::loops::left_behind(state).map(|line| format!("beside   {line}")));
    if let Some(summary) = &view.said {
        lines.push(format!("said     {}", clean_line(summary.lines().next().unwrap_or_default())));
    }
    if reported(state) > 0 {
        lines.push(format!(
            "found    {}, not refused (piton report {})",
            count(reported(state), "finding"),
            state.run.short()
        ));
    }
    let is_over = state.status == Status::Completed;
    let session = view.session.as_ref().filter(|_| !is_over).and_then(session);
    lines.extend(session.map(|line| format!("session  {line}")));
    lines.push(format!("used     {}", used(view)));
    lines
}

/// What the checks read and run, the first of it.
fn runs(view: &RunStatus) -> Option<String> {
    const NAMES_MAX: usize = 6;
    let mut names: Vec<&str> = Vec::new();
    let files = view.closure.iter().flat_map(|closure| &closure.files);
    for member in files.chain(view.closure.iter().flat_map(|closure| &closure.tools)) {
        if !names.contains(&member.name.as_str()) {
            names.push(&member.name);
        }
    }
    let more = match names.len().saturating_sub(NAMES_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    names.truncate(NAMES_MAX);
    (!names.is_empty())
        .then(|| format!("{}{more} (read from the commands, not traced)", clean_line(&names.join(", "))))
}

/// Who works, where that is not the first agent or others cannot.
fn agents(state: &State, now: Timestamp) -> Option<String> {
    let out = state.turn.out.iter().filter(|out| state.turn.is_out(out.agent, now).is_some());
    let out: Vec<String> = out
        .map(|out| format!("{} cannot: {}", state.config.agent_at(out.agent).name, out_words(out)))
        .collect();
    if out.is_empty() && state.turn.current == 0 {
        return None;
    }
    let works = std::iter::once(state.agent().name.clone());
    Some(clean_line(&works.chain(out).collect::<Vec<_>>().join(" · ")))
}

/// What somebody asked for that has not happened yet.
fn asked_for(state: &State) -> Option<&'static str> {
    match (state.requests.stop, state.requests.pause) {
        (Some((true, _)), _) => Some("to stop now"),
        (Some((false, _)), _) => Some("to stop after this attempt"),
        (None, true) => Some("to pause after this attempt"),
        (None, false) => None,
    }
}

fn best(best: &BestView) -> String {
    let mut line = format!("best     #{}", best.iteration);
    if best.total > 0 {
        let _ = write!(line, "  {} of {} checks", best.passed, best.total);
    }
    if (0.1..99.9).contains(&best.quality_score) {
        let _ = write!(line, ", score {:.1}", best.quality_score);
    }
    line
}

/// How many iterations were refused, and why the last one was, as far as that is remembered.
fn refused(state: &State) -> Option<String> {
    let number = Some(state.counters.refused).filter(|number| *number > 0)?;
    let last = state.judged.recent.iter().rev().find(|record| record.refused);
    let why = last.map(|record| format!("; #{}: {}", record.number, refused_for(record, state)));
    Some(format!("{}{}", count(number, "iteration"), why.unwrap_or_default()))
}

/// What no check has looked at yet.
fn unjudged(view: &RunStatus, state: &State) -> Option<String> {
    let attempt = view.unjudged_attempt?;
    let report = state.work.ended.as_ref().and_then(|ended| ended.report.as_ref());
    let says_done = report.is_some_and(|report| report.status == Some(ReportStatus::Done));
    let and_says = if says_done { ", which reported done" } else { "" };
    Some(format!("unjudged attempt {attempt}{and_says}: the checks run on what it left when the run goes on"))
}

/// How full the conversation is, and what becomes of it.
fn session(view: &SessionView) -> Option<String> {
    let given_up = view.given_up.map(no_fresh_session);
    let Some(percent) = view.context_usage_percent else { return given_up };
    let (about, level) = (if view.estimated { "about " } else { "" }, view.level?);
    let then = given_up.as_deref().unwrap_or(match view.recommendation {
        Recommendation::Continue => "it goes on",
        Recommendation::FinishAndReboot => "a fresh one is near",
        Recommendation::ImmediateReboot => "a fresh one is due",
    });
    Some(format!("{} so far, {about}{percent} % full ({level}); {then}", count(view.iterations, "iteration")))
}

/// What to do: the command that helps, unless the journal can only be read. Then nothing can be done, and `caution` says why.
pub fn what_to_do(next: &str, caution: Option<&str>) -> String {
    caution.map_or_else(|| next.to_owned(), |why| format!("nothing: {why}"))
}

/// The command that helps, and what has to be brought about before.
pub fn next(view: &RunStatus) -> String {
    let once = view.next_once.as_ref().map(|once| format!("\n         once {once}"));
    format!("{}{}", view.next, once.unwrap_or_default())
}

/// Which files differ from the start, and where they are.
fn changed(view: &ChangedView) -> Option<String> {
    let files = match view.files.as_slice() {
        [] => return None,
        [one] => clean_line(one),
        several => format!("{} files", several.len()),
    };
    Some(match &view.branch {
        Some(branch) => format!("{files} · {}", on_branch(branch, view)),
        None => format!("{files}, in place"),
    })
}

fn status_words(view: &RunStatus) -> &'static str {
    match (view.entry.status, view.entry.reason) {
        (Status::Waiting, Some(Reason::RateLimit | Reason::Overloaded)) => "waiting for the provider",
        (Status::Waiting, Some(Reason::Schedule)) => "waiting for its hours",
        (Status::Waiting, _) => "waiting for you",
        (Status::Running, _) if view.driver.is_none() => "running, but nothing drives it",
        (status, _) => status_word(status),
    }
}

fn used(view: &RunStatus) -> String {
    let limits = &view.limits.budget;
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
        (None, Some(max)) if view.used.cost_usd_least > 0.0 => {
            let _ = write!(text, " · ${:.2} or more of ${max:.2}", view.used.cost_usd_least);
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
