//! `piton ls`: runs, those that need you first.

use piton_model::{ExitCode, Status, Timestamp};
use piton_sys::{Clock, SystemClock};
use piton_view::{Damaged, Listed, RunSizeView, Runs, SizesView, words};
use serde::Serialize;

use crate::cli::{Global, LsArguments};
use crate::failure::{Failure, Result};
use crate::output::{Output, clean_line};
use crate::paint::{self, Tone};
use crate::repository;

/// Finished runs older than the newest so many are shown with `--all` only.
const FINISHED_SHOWN: usize = 10;

/// A longer name has a line of its own.
const NAME_MAX: usize = 24;

/// The digits that an id of piton's ends with.
const MADE_LEN: usize = 8;

/// What the columns are called.
const RUN: &str = "RUN";
const STATE: &str = "STATE";

pub(super) async fn run(global: &Global, arguments: &LsArguments, out: &Output) -> Result {
    let since = match &arguments.since {
        Some(text) => Some(text.parse::<Timestamp>().map_err(|error| Failure::usage(error.to_string()))?),
        None => None,
    };
    let places = if arguments.everywhere {
        repository::known::repositories()?
    } else {
        vec![repository::layout(global)?]
    };
    let mut code = ExitCode::Done;
    let (mut listed, mut damaged) = (Vec::new(), Vec::new());
    for layout in places {
        let place = layout.root().display().to_string();
        let runs = match runs_of(&layout).await {
            Ok(Some(runs)) => runs,
            Ok(None) => continue,
            // The others are shown all the same.
            Err(mut failure) if arguments.everywhere => {
                failure.message = format!("{place}: {}", failure.message);
                out.failure(&failure);
                code = failure.kind.exit_code();
                continue;
            }
            Err(failure) => return Err(failure),
        };
        let repository = arguments.everywhere.then_some(place);
        runs.only_to_read.iter().for_each(|why| out.note(format!("warning: {why}")));
        let shown = select(runs.listed, arguments, since).into_iter();
        listed.extend(shown.map(|run| Placed { repository: repository.clone(), run }));
        // Whatever kind or status was asked for: neither is known of them.
        damaged.extend(runs.damaged.into_iter().map(|run| Placed { repository: repository.clone(), run }));
        for lost in runs.lost_beyond {
            out.failure(&lost);
        }
        if let Some(lost) = runs.lost.first() {
            code = lost.kind.exit_code();
        }
    }
    if arguments.size {
        return sized(global, &listed, code, out).await;
    }
    // Stable: newest first within each group.
    listed.sort_by_key(|listed| !(listed.run.entry.needs_person() || listed.run.undriven));
    if out.json {
        out.json(&damaged.iter().map(Line::Damaged).chain(listed.iter().map(Line::Run)).collect::<Vec<_>>());
        return Ok(code);
    }
    if listed.is_empty() && code == ExitCode::Done {
        out.note("no runs here; start one with `piton loop`, or see `piton demo`");
    }
    let now = SystemClock.now();
    let columns = Columns::of(&listed, out.width());
    if let Some(header) = columns.header().filter(|_| !listed.is_empty()) {
        out.line(out.in_tone(Tone::Dim, &header));
    }
    damaged.iter().for_each(|damaged| out.row(line_of(damaged, &columns)));
    for run in &listed {
        columns.lines(run, now, out).iter().for_each(|line| out.line(line));
    }
    Ok(code)
}

/// What the runs take, the largest first.
async fn sized(global: &Global, listed: &[Placed], code: ExitCode, out: &Output) -> Result {
    let Some(client) = repository::open_existing(&repository::layout(global)?)? else { return Ok(code) };
    let sizes = client.sizes().await?;
    let shown = |run: &&RunSizeView| listed.iter().any(|listed| listed.run.entry.run_id == run.run_id);
    let mut runs: Vec<&RunSizeView> = sizes.runs.iter().filter(shown).collect();
    runs.sort_by_key(|run| std::cmp::Reverse(run.total()));
    let warning = sizes.warning.iter().flat_map(|warning| out.rows(&format!("warning: {warning}")));
    warning.for_each(|line| out.note(line));
    if out.json {
        out.json(&serde_json::json!({ "runs": runs, "total": Totals::of(&sizes) }));
        return Ok(code);
    }
    let width = runs.iter().map(|run| run.run_id.as_str().len()).max().unwrap_or(0);
    for run in runs {
        let snapshots = run.snapshot_bytes.map_or_else(|| "?".to_owned(), words::bytes);
        let parts = [run.journal_bytes, run.blob_bytes, run.attempt_bytes].map(words::bytes);
        let [journal, blobs, attempts] = parts;
        let archived = if run.archived { "  archived" } else { "" };
        out.row(format!(
            "{:<width$}  {:>10}  journal {journal} · payloads {blobs} · attempts {attempts} · snapshots {snapshots}{archived}",
            run.run_id.as_str(),
            words::bytes(run.total()),
        ));
    }
    out.row(format!(
        "all together {}: journal {} ({} of it free) · payloads {} · attempts {} · put aside {}",
        words::bytes(sizes.total_bytes),
        words::bytes(sizes.journal_bytes),
        words::bytes(sizes.free_bytes),
        words::bytes(sizes.blob_bytes),
        words::bytes(sizes.attempt_bytes),
        words::bytes(sizes.aside_bytes),
    ));
    Ok(code)
}

/// All of it together, as programs read it.
#[derive(Serialize)]
struct Totals {
    total_bytes: u64,
    journal_bytes: u64,
    free_bytes: u64,
    blob_bytes: u64,
    attempt_bytes: u64,
    aside_bytes: u64,
}

impl Totals {
    fn of(sizes: &SizesView) -> Self {
        let SizesView {
            total_bytes, journal_bytes, free_bytes, blob_bytes, attempt_bytes, aside_bytes, ..
        } = *sizes;
        Self { total_bytes, journal_bytes, free_bytes, blob_bytes, attempt_bytes, aside_bytes }
    }
}

/// The runs of a repository, if it has a journal.
async fn runs_of(layout: &repository::Layout) -> Result<Option<Runs>> {
    match repository::open_existing(layout)? {
        Some(client) => Ok(Some(client.runs().await?)),
        None => Ok(None),
    }
}

/// A run, and the repository it is in where there are several.
#[derive(Serialize)]
struct Placed<R = Listed> {
    #[serde(skip_serializing_if = "Option::is_none")]
    repository: Option<String>,
    #[serde(flatten)]
    run: R,
}

/// A line of the list: what needs somebody most, and what is known to be true.
#[derive(Serialize)]
#[serde(untagged)]
enum Line<'a> {
    Damaged(&'a Placed<Damaged>),
    Run(&'a Placed),
}

/// A run of which nothing is said but what is wrong with it.
fn line_of(listed: &Placed<Damaged>, columns: &Columns) -> String {
    let Damaged { run_id, status, damaged, hint } = &listed.run;
    let place = listed.repository.as_deref().map_or_else(String::new, |place| format!("  {place}"));
    let id = format!("{:<width$}", run_id.as_str(), width = columns.id);
    format!("{id}  {status}: {}; run `{hint}`{place}", clean_line(damaged))
}

fn select(runs: Vec<Listed>, arguments: &LsArguments, since: Option<Timestamp>) -> Vec<Listed> {
    let mut finished = 0;
    runs.into_iter()
        .filter(|run| arguments.kind.is_none_or(|kind| run.entry.kind == kind))
        .filter(|run| arguments.status.is_none_or(|status| run.entry.status == status))
        .filter(|run| since.is_none_or(|since| run.entry.updated_at >= since))
        .filter(|run| {
            let over = run.entry.is_over();
            finished += usize::from(over);
            !over || arguments.all || arguments.status.is_some() || finished <= FINISHED_SHOWN
        })
        .collect()
}

/// What `ls` says of a run's state.
fn status_of(listed: &Placed) -> String {
    let run = &listed.run.entry;
    let word = words::status_word(run.status);
    match run.reason {
        _ if listed.run.undriven => format!("{word}, nothing drives it"),
        _ if listed.run.landed => "landed".to_owned(),
        Some(reason) if run.status != Status::Completed => format!("{word} ({})", reason.as_str()),
        _ => word.to_owned(),
    }
}

/// How wide the columns are.
struct Columns {
    id: usize,
    status: usize,
    /// Of the screen, where somebody watches.
    screen: Option<usize>,
}

impl Columns {
    /// For a program the same every time; for a person no wider than these runs need.
    fn of(listed: &[Placed], screen: Option<usize>) -> Self {
        if screen.is_none() {
            return Self { id: 44, status: 28, screen };
        }
        let widest = |of: &dyn Fn(&Placed) -> usize| listed.iter().map(of).max().unwrap_or(0);
        let id = widest(&|run| Some(name_of(run).len()).filter(|name| *name <= NAME_MAX).unwrap_or(0));
        let status = widest(&|listed| status_of(listed).len()).max(STATE.len());
        Self { id: id.max(RUN.len()), status, screen }
    }

    /// What the columns are, for a person.
    fn header(&self) -> Option<String> {
        let screen = self.screen?;
        let (id, status) = (self.id, self.status);
        Some(words::cut(&format!("{RUN:<id$}  {STATE:<status$}  {:<5} {:>8}  TASK", "#", "LAST"), screen))
    }

    /// One line; two where a name needs one of its own, since a name that was cut could not be typed.
    fn lines(&self, run: &Placed, now: Timestamp, out: &Output) -> Vec<String> {
        let entry = &run.run.entry;
        let (status, age) = (status_of(run), words::ago(now, entry.updated_at));
        let counted = format!("#{:<4} {age:>8}", entry.iteration);
        let title = clean_line(&entry.title);
        let (id, width) = (self.id, self.status);
        let Some(screen) = self.screen else {
            let place = run.repository.as_deref().map_or_else(String::new, |place| format!("  {place}"));
            let name = entry.run_id.as_str();
            return vec![format!("{name:<id$}  {status:<width$}  {counted}  {title}{place}")];
        };
        let name = name_of(run);
        let (alone, name) = if name.len() > self.id { (Some(name), "") } else { (None, name) };
        let line = words::cut(&format!("{name:<id$}  {status:<width$}  {counted}  {title}"), screen);
        let tone = paint::tone_of(words::status_word(entry.status));
        let line = match tone {
            Some(tone) => line.replacen(&status, &out.in_tone(tone, &status), 1),
            None => line,
        };
        let place = run.repository.as_ref().map(|place| format!("    {place}"));
        alone.map(str::to_owned).into_iter().chain([line]).chain(place).collect()
    }
}

/// The name that people type for a run: of an id that piton made its last part, which is the run's own, else all of it.
fn name_of(run: &Placed) -> &str {
    let (id, short) = (run.run.entry.run_id.as_str(), run.run.entry.run_id.short());
    let is_made = short.len() == MADE_LEN && short.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_made { short } else { id }
}
