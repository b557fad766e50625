//! How a run is put into words: pure functions from states and events to lines, for every front end.

mod clean;
pub mod cycle;
mod event;
mod fit;
pub mod ledger;
mod loops;
pub mod metrics;
pub mod night;
mod now;
mod replica;
mod status;
mod watch;
pub mod workflow;

use piton_model::loop_machine::{AttemptOutcome, CheckResult, CheckRound};
use piton_model::{Entry, Reason, Status, Timestamp};

pub use clean::{clean, clean_line, is_harmful};
pub use event::event;
pub use fit::{columns, cut, wrapped};
pub use loops::{
    details, ending, mutants, not_the_cause, on_branch, reported, tests_by_name, uncommitted, why,
};
pub use now::{live, now};
pub use replica::replica;
pub use status::{next, status, what_to_do};
pub use watch::{AtWork, Watched};

use crate::{CheckView, DriverView};

/// `2h10m`, `6m12s`, `41 s`, `0.4 s`.
pub fn duration(millis: u64) -> String {
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
pub fn count<N: std::fmt::Display + PartialEq + From<u8>>(number: N, of: &str) -> String {
    let many = if number == N::from(1) { "" } else { "s" };
    format!("{number} {of}{many}")
}

/// `17 B`, `4.0 KiB`, `1.2 GiB`.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let (mut value, mut unit) = (bytes as f64 / 1024.0, 0);
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        (value, unit) = (value / 1024.0, unit + 1);
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// As many lines as somebody reads at once, and how many more there are.
pub fn few(lines: impl IntoIterator<Item = String>, of: &str) -> Vec<String> {
    const SHOWN: usize = 20;
    let mut lines = lines.into_iter();
    let mut shown: Vec<String> = lines.by_ref().take(SHOWN).collect();
    let more = lines.count();
    if more > 0 {
        shown.push(format!("and {} more {of}{}", more, if more == 1 { "" } else { "s" }));
    }
    shown
}

/// Text that cannot end a cell of a table.
fn cell(text: &str) -> String {
    clean_line(text).replace('|', "\\|")
}

/// The first lines of a screen about a run: what it is, where it is and why, since when, and who sees to it.
fn head(entry: &Entry, why: &str, driver: Option<&DriverView>, since: String) -> Vec<String> {
    let why = if why.is_empty() { String::new() } else { format!(": {why}") };
    let driver = match driver {
        Some(driver) => format!("driven by process {}", driver.pid),
        None => "no driver".to_owned(),
    };
    let first = format!("{}   {}   {}{why}", entry.run_id, entry.title, status_word(entry.status));
    vec![clean_line(&first), format!("for     {since} · {driver}")]
}

/// Where a run is, in the word that people use for it.
pub fn status_word(status: Status) -> &'static str {
    match status {
        Status::Completed => "done",
        other => other.as_str(),
    }
}

/// `$4.12`.
pub fn money(microusd: u64) -> String {
    let cents = microusd.saturating_add(5_000) / 10_000;
    if cents == 0 && microusd > 0 {
        return "<$0.01".to_owned();
    }
    format!("${}.{:02}", cents / 100, cents % 100)
}

/// `test ✓ · lint ✗`.
pub fn checks(round: &CheckRound) -> String {
    let check =
        |check: &CheckResult| trouble(mark(&check.name, check.passed), check.timed_out, check.exit_code);
    let mut parts: Vec<String> = round.checks.iter().map(check).collect();
    parts.extend(round.conditions.iter().map(|condition| mark(&clean_line(&condition.label), condition.met)));
    parts.join(" · ")
}

/// The same for a view.
pub fn check_views(checks: &[CheckView]) -> String {
    let check =
        |check: &CheckView| trouble(mark(&check.name, check.passed), check.timed_out, check.exit_code);
    checks.iter().map(check).collect::<Vec<_>>().join(" · ")
}

/// Beside what a check says, why it says nothing.
fn trouble(mark: String, timed_out: bool, exit_code: Option<i32>) -> String {
    /// What a shell exits with where it finds no such command.
    const NOT_FOUND: i32 = 127;
    match exit_code {
        _ if timed_out => format!("{mark} timed out"),
        Some(NOT_FOUND) => format!("{mark} command not found"),
        Some(_) | None => mark,
    }
}

fn mark(name: &str, passed: bool) -> String {
    format!("{} {}", clean_line(name), if passed { '✓' } else { '✗' })
}

/// Where the work of a run went that has a branch of its own.
pub(super) fn landed(onto: Option<&str>) -> String {
    onto.map_or_else(|| "nothing merged".to_owned(), |onto| format!("landed on {}", clean_line(onto)))
}

/// A work tree beside the repository, as people write it.
pub(super) fn beside(path: &str) -> String {
    clean_line(&format!("../{}", path.rsplit('/').next().unwrap_or(path)))
}

/// How an agent ended, in words.
pub fn outcome_word(outcome: AttemptOutcome) -> &'static str {
    match outcome {
        AttemptOutcome::Succeeded => "succeeded",
        AttemptOutcome::Failed => "failed",
        AttemptOutcome::TimedOut => "took too long",
        AttemptOutcome::Hung => "was silent too long",
        AttemptOutcome::Cancelled => "was stopped",
        AttemptOutcome::NotStartable => "could not be started",
    }
}

/// With the day, to the second: nobody waits for a thousandth of one.
fn moment(at: Timestamp) -> String {
    let text = at.to_string();
    format!("{}Z", text.split('.').next().unwrap_or(&text).trim_end_matches('Z'))
}

/// How long ago, or until when: `4h51m`.
pub fn ago(now: Timestamp, then: Timestamp) -> String {
    duration(now.millis_since(then))
}

/// `03:12:45Z`: the time of day is what a person compares.
pub fn clock(at: Timestamp) -> String {
    let text = at.to_string();
    match text.split_once('T') {
        Some((_, time)) => format!("{}Z", time.split('.').next().unwrap_or(time).trim_end_matches('Z')),
        None => text,
    }
}

fn with_detail(word: &str, reason: Reason, detail: Option<&str>) -> String {
    match detail {
        Some(detail) => format!("{word} ({}): {detail}", reason.as_str()),
        None => format!("{word} ({})", reason.as_str()),
    }
}

/// What was spent, unless some of it is unknown.
fn known_money(microusd: u64, unknown: u32) -> String {
    if unknown == 0 { money(microusd) } else { "unknown".to_owned() }
}
