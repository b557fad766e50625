//! The morning in words: at most ten lines, and the whole account as Markdown.

use std::fmt::Write;

use piton_model::Timestamp;

use super::{clean_line, clock, count, duration};
use crate::{MorningRun, MorningView, NightData, NightRun, NightSpent};

/// Runs that a line names.
const NAMED_MAX: usize = 3;

/// The morning, at most ten lines of it.
pub fn morning(view: &MorningView, now: Timestamp) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = |label: &str, text: String| lines.push(clean_line(&format!("{label:<9} {text}")));
    if !view.ready.is_empty() {
        line("ready", format!("{} to land: {}", view.ready.len(), named(&view.ready, false)));
    }
    if !view.waiting.is_empty() {
        line("waiting", format!("{} for you: {}", view.waiting.len(), named(&view.waiting, true)));
    }
    if view.refused > 0 {
        let runs: Vec<&str> = view.refused_in.iter().take(NAMED_MAX).map(|run| run.as_str()).collect();
        let more = more(view.refused_in.len());
        line("refused", format!("{} in {}{more}", count(view.refused, "iteration"), runs.join(", ")));
    }
    if !view.not_done.is_empty() {
        line("not done", format!("{}: {}", view.not_done.len(), named(&view.not_done, true)));
    }
    if !view.working.is_empty() {
        line("at work", format!("{}: {}", view.working.len(), named(&view.working, false)));
    }
    line("spent", format!("{}, since {}", spent(&view.spent), since(view.since, now)));
    line("next", view.next.clone());
    lines
}

fn named(runs: &[MorningRun], with_reason: bool) -> String {
    let name = |run: &MorningRun| {
        let name = run.run_id.as_ref().map_or(run.title.as_str(), |run| run.as_str());
        match &run.why {
            Some(why) if with_reason => format!("{name} ({})", short(why)),
            _ => name.to_owned(),
        }
    };
    let names: Vec<String> = runs.iter().take(NAMED_MAX).map(name).collect();
    format!("{}{}", names.join(", "), more(runs.len()))
}

fn more(all: usize) -> String {
    match all.saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    }
}

/// What fits on a line beside others.
fn short(text: &str) -> String {
    const CHARS_MAX: usize = 60;
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// What was used, in words.
pub fn spent(spent: &NightSpent) -> String {
    let least = if spent.cost_is_least { "at least " } else { "" };
    let mut text = format!("{least}${:.2} · {} of work", spent.cost_usd, duration(spent.working_ms));
    if spent.tokens > 0 {
        let _ = write!(text, " · {} tokens", spent.tokens);
    }
    text
}

fn since(since: Timestamp, now: Timestamp) -> String {
    format!("{} ({} ago)", clock(since), duration(now.millis_since(since)))
}

/// The whole account, as Markdown.
pub fn account(data: &NightData) -> String {
    let morning = &data.morning;
    let done = data.runs.iter().filter(|run| run.result == "done" && run.kind == "loop").count();
    let mut text = format!(
        "# The night from {} to {}\n\n{} done, {} waiting for you, {} not done, {} refused. {}.\n",
        morning.since,
        data.until,
        done,
        morning.waiting.len(),
        morning.not_done.len(),
        count(morning.refused, "iteration"),
        spent(&morning.spent),
    );
    let _ = write!(text, "\nNext: `{}`\n", morning.next);
    if data.runs.is_empty() {
        text.push_str("\nNothing ran.\n");
        return text;
    }
    text.push_str("\n## Runs\n\n| run | result | tests | proof | cost | worked | took |\n|---|---|---|---|---|---|---|\n");
    for run in &data.runs {
        let cost = run.cost_usd.map_or_else(|| "unknown".to_owned(), |cost| format!("${cost:.2}"));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {cost} | {} | {} |",
            super::cell(run.run_id.as_str()),
            run.result,
            tests(run).unwrap_or_else(|| "unknown".to_owned()),
            proof(run),
            duration(run.working_ms),
            duration(run.took_ms),
        );
    }
    if !data.not_begun.is_empty() {
        text.push_str("\n## Not begun\n\n");
        for item in &data.not_begun {
            let why = item.why.as_deref().unwrap_or("its queue has not come to it");
            let _ = writeln!(text, "- {}: {}", clean_line(&item.title), clean_line(why));
        }
    }
    data.runs.iter().for_each(|run| one(&mut text, run));
    text
}

fn tests(run: &NightRun) -> Option<String> {
    Some(match (run.tests_before, run.tests_after?) {
        (Some(before), after) => format!("{before} → {after}"),
        (None, after) => after.to_string(),
    })
}

fn proof(run: &NightRun) -> String {
    match (run.proved_by.len(), run.not_proven.len()) {
        (0, 0) => "none asked".to_owned(),
        (0, _) => "none".to_owned(),
        (proofs, _) => count(proofs as u32, "test"),
    }
}

/// What one run did.
fn one(text: &mut String, run: &NightRun) {
    let _ = write!(text, "\n## {}\n\n", clean_line(&run.title));
    let _ = write!(text, "Run `{}`: **{}**, {}.", run.run_id, run.result, clean_line(&run.why));
    if let Some(branch) = &run.branch {
        let landed = run
            .landed_on
            .as_ref()
            .map_or_else(|| "nothing merged".to_owned(), |on| format!("landed on `{on}`"));
        let _ = write!(text, " Branch `{branch}`, {landed}.");
    }
    text.push('\n');
    let mut lines = Vec::new();
    if !run.checks.is_empty() {
        let mark = |passed: bool| if passed { "✓" } else { "✗" };
        let checks =
            run.checks.iter().map(|check| format!("{} {}", clean_line(&check.name), mark(check.passed)));
        lines.push(format!("checks: {}", checks.collect::<Vec<_>>().join(", ")));
    }
    lines.extend(run.asks.iter().map(|asks| format!("waits for you: {asks}")));
    let list =
        |label: &str, of: &[String]| of.iter().map(|one| format!("{label}: {one}")).collect::<Vec<_>>();
    lines.extend(list("proved by", &run.proved_by));
    lines.extend(list("not proven", &run.not_proven));
    lines.extend(list("refused", &run.refused));
    lines.extend(list("decided", &run.decided));
    if !lines.is_empty() {
        text.push('\n');
        for line in lines {
            let _ = writeln!(text, "- {}", clean_line(&line));
        }
    }
}
