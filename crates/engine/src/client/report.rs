//! What a run did, for a pull request.

mod html;

use std::fmt::Write;

use piton_model::loop_machine::{
    AttemptEnd, AttemptOutcome, AttemptRuling, Change, CheckRound, Consequence, Finding, IterationVerdict,
    NoteKind, Prompt, Report, TestStatus, TestTracker, Verdict,
};
use piton_model::{Entry, Event, Evidence, RunId, State};
use piton_sys::{Clock, SystemClock};
use piton_view::words::{self, clean, clean_line};
use piton_view::{ChangedView, Error, NightRun, ReportView, StateOf};

use serde::Serialize;

use super::status::changed_by;
use super::{ClientError, LocalClient, cycles, ledgers, workflows};
use crate::load;
use html::{Bar, Tone};

/// What is shown of the task.
const TASK_BYTES_MAX: usize = 2_000;

/// Tests that a line names.
const TESTS_SHOWN_MAX: usize = 20;

/// Events read at a time.
const PAGE: usize = 1024;

/// What a run of any kind did.
struct Account {
    title: String,
    data: serde_json::Value,
    text: String,
    /// What charts show of it.
    bars: Vec<Bar>,
}

/// The account of a night as one page: a bar for each run that worked.
pub(super) fn night_page(title: &str, text: &str, runs: &[NightRun]) -> String {
    let bars = runs.iter().filter(|run| run.working_ms > 0).zip(1..).map(|(run, number)| Bar {
        number,
        took_ms: run.working_ms,
        tests: run.tests_after.map(|passed| (passed, passed.max(run.tests_before.unwrap_or(0)))),
        tone: match run.result {
            "done" => Tone::Green,
            "failed" => Tone::Red,
            _ => Tone::PutBack,
        },
    });
    html::page(title, text, &bars.collect::<Vec<_>>(), &html::RUNS)
}

/// What a run of any kind did, without what is secret: it is made to be published.
pub(super) async fn report(client: &LocalClient, run: &RunId) -> Result<ReportView, Error> {
    let Account { title, data, text, bars } = account(client, run).await?;
    let redactor = client.redactor();
    let text = redactor.redact(&text).into_owned();
    let html = html::page(&redactor.redact(&title), &text, &bars, &html::ITERATIONS);
    Ok(ReportView { data: redactor.redact_json(data), text, html })
}

async fn account(client: &LocalClient, run: &RunId) -> Result<Account, Error> {
    match client.load_any(run, None).await?.state {
        StateOf::Loop(state) => of_loop(client, run, &state).await,
        StateOf::Workflow(state) => {
            let holder = client.driver_of(run).await?;
            let found = client.look_around(&state).await?;
            let status = workflows::status_of(client.layout(), &state, found, holder.as_ref());
            let text = clean(&words::workflow::report(&status, &state));
            Ok(Account::of(&status, &status.entry, text))
        }
        StateOf::Cycle(state) => {
            let holder = client.driver_of(run).await?;
            let status = cycles::status_of(&state, holder.as_ref());
            let text = clean(&words::cycle::report(&status, &state));
            Ok(Account::of(&status, &status.entry, text))
        }
        StateOf::Ledger(state) => {
            let (status, state) = ledgers::status_of(client, &state).await?;
            let text = clean(&words::ledger::report(&status, &state, SystemClock.now()));
            Ok(Account::of(&status, &status.entry, text))
        }
    }
}

impl Account {
    /// Of a run without iterations to draw.
    fn of(status: &impl Serialize, entry: &Entry, text: String) -> Self {
        let data = serde_json::to_value(status).expect("a view is plain data");
        Self { title: entry.title.clone(), data, text, bars: Vec::new() }
    }
}

async fn of_loop(client: &LocalClient, run: &RunId, state: &State) -> Result<Account, Error> {
    // A table without its rows would say that nothing happened.
    if let Some(archived) = client.store()?.archived(run).await.map_err(ClientError::from)? {
        let error = piton_store::Error::Archived { run: run.clone(), seq: archived.through };
        return Err(ClientError::from(error).into());
    }
    let rows = iterations(client, run).await?;
    let changed = changed_by(client.layout(), state);
    let data = serde_json::json!({
        "run_id": run, "title": state.title, "status": state.status.as_str(),
        "reason": state.reason.map(|reason| reason.as_str()), "commits": changed.commits, "landed_on": changed.landed_on,
        "iterations": rows.iter().map(Row::json).collect::<Vec<_>>(),
    });
    let bars = rows.iter().map(Row::bar).collect();
    let text = clean(&text(state, &rows, &changed));
    Ok(Account { title: state.title.clone(), data, text, bars })
}

/// One iteration, as the events tell it.
#[derive(Default)]
struct Row {
    iteration: u32,
    /// How its last attempt ended; nothing of one that was lost, or where none began.
    end: Option<AttemptEnd>,
    /// The outcome of its last attempt cannot be known.
    lost: bool,
    change: Option<Change>,
    /// What was found in what it left; nothing of what was put back before anybody looked.
    checks: Option<CheckRound>,
    commit: Option<String>,
    /// The guard refused it.
    refused: bool,
    /// What became of what it left, once that is known.
    verdict: Option<IterationVerdict>,
    /// A person did not want it.
    rejected: bool,
    /// A person agreed to what the guard doubted.
    approved: bool,
    tests: TestsOf,
    /// What was found in what its attempt left, in what its checks wrote, and in what they measured.
    findings: Vec<Finding>,
}

impl Row {
    /// An iteration whose attempt ended like this.
    fn ended(iteration: u32, end: AttemptEnd, ruling: &AttemptRuling) -> Self {
        let (change, refused) = (end.change.clone(), ruling.guard == Some(Verdict::Refused));
        let findings = end.guard.iter().flat_map(|guard| guard.findings.clone()).collect();
        Self { iteration, change, end: Some(end), refused, findings, ..Self::default() }
    }

    fn report(&self) -> Option<&Report> {
        self.end.as_ref().and_then(|end| end.report.as_ref())
    }

    fn cost_microusd(&self) -> Option<u64> {
        self.report().and_then(|report| report.cost_microusd)
    }

    /// What it left was put back, and with it what that was credited for.
    fn put_back(&mut self, refused: bool) {
        (self.refused, self.rejected, self.tests) = (refused, !refused, TestsOf::default());
        if refused {
            self.checks = None;
        }
    }

    /// What its checks said of what it left.
    fn checks(&self) -> String {
        match &self.checks {
            Some(round) => words::checks(round),
            None if self.refused => "–".to_owned(),
            None => "not run".to_owned(),
        }
    }

    /// How many tests passed in what it left, and of how many.
    fn test_count(&self) -> Option<(u64, u64)> {
        let tests = self.checks.as_ref()?.measures.tests?;
        Some((tests.passed, tests.passed + tests.failed))
    }

    /// What became of it, in a word.
    fn fate(&self) -> &'static str {
        if self.rejected {
            return "rejected";
        }
        if self.approved {
            return "approved";
        }
        if self.refused {
            return "refused";
        }
        match self.verdict {
            Some(IterationVerdict::Refused) => "refused",
            Some(IterationVerdict::Skipped) if self.is_left_out() => "left out",
            Some(IterationVerdict::Skipped) => "skipped",
            Some(IterationVerdict::Doubted) => "doubted",
            Some(IterationVerdict::Kept) | None => match &self.end {
                // It was kept; whether it is any good the checks say.
                Some(end) if end.outcome == AttemptOutcome::Succeeded => "kept",
                Some(end) => words::outcome_word(end.outcome),
                None => "lost",
            },
        }
    }

    /// Its number beside what its agent says; with what became of it, where that speaks of work that is gone.
    fn named(&self) -> String {
        match self.fate() {
            fate @ ("refused" | "rejected") => format!("#{} ({fate}, put back)", self.iteration),
            _ => format!("#{}", self.iteration),
        }
    }

    /// Whether nobody began it.
    fn is_left_out(&self) -> bool {
        self.end.is_none() && !self.lost
    }

    /// What a chart shows of it.
    fn bar(&self) -> Bar {
        Bar {
            number: self.iteration,
            took_ms: self.end.as_ref().map_or(0, |end| end.duration_ms),
            tests: self.test_count(),
            tone: match (self.refused || self.rejected, &self.checks) {
                (true, _) => Tone::PutBack,
                (false, Some(round)) if round.all_pass() => Tone::Green,
                (false, _) => Tone::Red,
            },
        }
    }

    /// How long its agent worked.
    fn took(&self) -> String {
        match &self.end {
            Some(end) => words::duration(end.duration_ms),
            None if self.lost => "unknown".to_owned(),
            None => "–".to_owned(),
        }
    }

    fn cost(&self) -> String {
        let unknown = || if self.is_left_out() { "–".to_owned() } else { "unknown".to_owned() };
        self.cost_microusd().map_or_else(unknown, words::money)
    }

    fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "iteration": self.iteration,
            "outcome": self.end.as_ref().map(|end| end.outcome),
            "lost": self.lost,
            "verdict": self.verdict,
            "rejected": self.rejected,
            "approved": self.approved,
            "duration_ms": self.end.as_ref().map(|end| end.duration_ms),
            "change": self.change,
            "checks": self.checks.as_ref().map(|round| &round.checks),
            "commit": self.commit,
            "tests_broken": self.tests.broken,
            "tests_fixed": self.tests.fixed,
            "tests_no_longer_failing": self.tests.lifted,
            "cost_microusd": self.cost_microusd(),
            "summary": self.report().and_then(|report| report.summary.as_ref()),
        })
    }
}

async fn iterations(client: &LocalClient, run: &RunId) -> Result<Vec<Row>, ClientError> {
    let mut rows: Vec<Row> = Vec::new();
    let (mut iteration, mut next) = (0, 1);
    let mut known = TestTracker::default();
    loop {
        let events = client.store()?.read(run, next, PAGE).await?;
        let Some(last) = events.last() else { return Ok(rows) };
        next = last.seq + 1;
        // What a newer piton wrote is left out.
        for event in events.iter().filter_map(|stored| load::decode(run, stored).ok()) {
            match event {
                Event::AttemptStarted { attempt } => iteration = attempt.iteration,
                Event::AttemptFinished { end, ruling, .. } => {
                    rows.retain(|row| row.iteration != iteration);
                    rows.push(Row::ended(iteration, *end, &ruling));
                }
                Event::AttemptLost { left, .. } => {
                    rows.retain(|row| row.iteration != iteration);
                    let findings = left.guard.into_iter().flat_map(|guard| guard.findings).collect();
                    let change = left.change;
                    rows.push(Row { iteration, lost: true, change, findings, ..Row::default() });
                }
                Event::IterationConcluded { conclusion } => {
                    if rows.last().is_none_or(|row| row.iteration != conclusion.iteration) {
                        rows.push(Row { iteration: conclusion.iteration, ..Row::default() });
                    }
                    let row = rows.last_mut().expect("it is there");
                    row.verdict = Some(conclusion.verdict);
                    row.findings.extend(conclusion.findings.into_iter().map(|kept| kept.finding));
                    if conclusion.verdict == IterationVerdict::Refused {
                        row.put_back(true);
                    }
                }
                Event::QuestionClosed { consequence: Consequence::PutBack { refused, .. }, .. } => {
                    rows.last_mut().into_iter().for_each(|row| row.put_back(refused));
                }
                Event::QuestionClosed { consequence: Consequence::Keep { .. }, .. } => {
                    rows.last_mut().into_iter().for_each(|row| row.approved = true);
                }
                Event::CommitFinished { commit, .. } => {
                    if let Some(last) = rows.last_mut() {
                        last.commit = commit.or(last.commit.take());
                    }
                }
                Event::ChecksStarted { guard: Some(Verdict::Refused), .. } => {
                    rows.iter_mut().last().into_iter().for_each(|row| row.refused = true);
                }
                Event::ChecksFinished { ruling, .. } if ruling.guard == Some(Verdict::Refused) => {
                    if let Some(last) = rows.last_mut() {
                        last.refused = true;
                        last.findings.extend(ruling.findings);
                    }
                }
                Event::ChecksFinished { round, ruling } if ruling.unlike.is_none() => {
                    known.follow(&round.tests);
                    // After the verdict, and after a refusal, the files are others than those it left.
                    if let Some(last) = rows.last_mut().filter(|row| row.verdict.is_none() && !row.refused) {
                        last.tests = TestsOf::last_round(&known);
                        last.findings.extend(ruling.findings);
                        last.checks = Some(*round);
                    }
                }
                _ => {}
            }
        }
    }
}

/// What a round did to tests by name.
#[derive(Default)]
struct TestsOf {
    broken: Vec<String>,
    fixed: Vec<String>,
    /// They failed before, and nobody says whether they pass now.
    lifted: Vec<String>,
}

impl TestsOf {
    fn last_round(known: &TestTracker) -> Self {
        Self {
            broken: known.just(TestStatus::Failing).cloned().collect(),
            fixed: known.just(TestStatus::Passing).cloned().collect(),
            lifted: known.lifted.clone(),
        }
    }
}

/// What the iterations did to tests by name, and which of those are flaky.
fn tests_by_name(text: &mut String, state: &State, rows: &[Row]) {
    let list = |names: &[String]| {
        let shown: Vec<String> =
            names.iter().take(TESTS_SHOWN_MAX).map(|name| format!("`{}`", clean_line(name))).collect();
        let more = names.len().saturating_sub(TESTS_SHOWN_MAX);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        format!("{}{more}", shown.join(", "))
    };
    let mut lines = Vec::new();
    for row in rows {
        let TestsOf { broken, fixed, lifted } = &row.tests;
        let sorts = [("broke", broken), ("fixed", fixed), ("no longer failing", lifted)];
        let said: Vec<String> = sorts
            .iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(word, names)| format!("{word} {}", list(names)))
            .collect();
        if !said.is_empty() {
            lines.push(format!("- #{} {}", row.iteration, said.join("; ")));
        }
    }
    let flaky: Vec<String> = state.seen.tests.flaky().cloned().collect();
    if !flaky.is_empty() {
        lines.push(format!("- flaky: {}", list(&flaky)));
    }
    if state.seen.tests.unnamed {
        lines.push("- the test runner does not name the tests that pass".to_owned());
    }
    if !lines.is_empty() {
        let _ = writeln!(text, "\n## Tests\n\n{}", lines.join("\n"));
    }
}

fn text(state: &State, rows: &[Row], changed: &ChangedView) -> String {
    let mut text = format!("# {}\n\n", clean_line(&state.title));
    let _ = writeln!(text, "**{}**: {}\n", words::status_word(state.status), words::why(state));
    if let Prompt::Text(task) = &state.config.prompt {
        let task = piton_model::limits::clip(task, TASK_BYTES_MAX);
        let quoted: Vec<_> = task.lines().map(|line| format!("> {line}")).collect();
        let _ = writeln!(text, "{}\n", quoted.join("\n"));
    }
    if let Some(worktree) = &state.config.worktree {
        let said = words::on_branch(&format!("`{}`", worktree.branch), changed);
        let _ = writeln!(text, "B{}.\n", &said[1..]);
    }
    for line in words::uncommitted(state) {
        let _ = writeln!(text, "{}{}.\n", line[..1].to_uppercase(), &line[1..]);
    }
    let _ = writeln!(text, "## Checks\n");
    for check in state.seen.checks.iter().flat_map(|round| &round.checks) {
        let before =
            state.seen.baseline.iter().flat_map(|round| &round.checks).find(|other| other.name == check.name);
        let mark = |passed: bool| if passed { "✓" } else { "✗" };
        let before = before.map_or("–", |before| mark(before.passed));
        let _ = writeln!(text, "- `{}`: {before} → {}", check.name, mark(check.passed));
    }
    if state.config.checks.is_empty() {
        text.push_str("- none\n");
    }
    tests_by_name(&mut text, state, rows);
    text.push_str("\n## Iterations\n\n| # | outcome | change | checks | tests | took | cost | commit |\n|---|---|---|---|---|---|---|---|\n");
    for row in rows {
        let change = row.change.as_ref().map_or_else(
            || "none".to_owned(),
            |change| format!("+{} −{} in {}", change.added, change.removed, change.files_total),
        );
        let commit = row.commit.as_deref();
        let _ = writeln!(
            text,
            "| {} | {} | {change} | {} | {} | {} | {} | {} |",
            row.iteration,
            row.fate(),
            row.checks(),
            row.test_count().map_or_else(|| "–".to_owned(), |(passed, all)| format!("{passed}/{all}")),
            row.took(),
            row.cost(),
            commit.map_or_else(|| "–".to_owned(), |commit| format!("`{}`", &commit[..commit.len().min(10)])),
        );
    }
    let summaries: Vec<_> = rows
        .iter()
        .filter_map(|row| Some((row.named(), row.report()?.summary.as_deref()?.trim())))
        .filter(|(_, summary)| !summary.is_empty())
        .collect();
    if !summaries.is_empty() {
        text.push_str("\n## What the agent says it did\n\n");
        for (named, summary) in summaries {
            let _ = writeln!(text, "- {named}: {}", clean_line(summary));
        }
    }
    let found: Vec<_> = rows
        .iter()
        .flat_map(|row| row.findings.iter().map(move |found| (row, found)))
        .filter(|(_, finding)| finding.blocking || finding.evidence.is_some())
        .collect();
    if !found.is_empty() {
        text.push_str("\n## What the guard found\n\n");
        for (row, finding) in found {
            let _ =
                writeln!(text, "- #{}, {}: {}", row.iteration, finding.rule, clean_line(&finding.sentence()));
            if let Some(evidence) = &finding.evidence {
                let _ = write!(text, "{}", tried(finding, evidence));
            }
        }
    }
    let notes: Vec<_> = rows
        .iter()
        .flat_map(|row| {
            row.report().into_iter().flat_map(move |report| report.notes.iter().map(move |note| (row, note)))
        })
        .collect();
    let by_people: Vec<_> =
        state.memory.notes.iter().filter(|kept| kept.note.kind == NoteKind::Person).collect();
    if !(notes.is_empty() && by_people.is_empty()) {
        text.push_str("\n## Decisions and findings\n\n");
        for (row, note) in notes {
            let _ = writeln!(text, "- {}, {}: {}", row.named(), note.kind.as_str(), clean_line(&note.text));
        }
        for kept in by_people {
            let _ = writeln!(text, "- #{}, by a person: {}", kept.iteration, clean_line(&kept.note.text));
        }
    }
    let _ = writeln!(
        text,
        "\n{}, {} of working time. Everything is on record: `piton log {}`.",
        words::count(state.counters.iterations, "iteration"),
        words::duration(state.counters.working_ms),
        state.run
    );
    text
}

/// What was tried and what came of it, below the finding that it shows.
fn tried(finding: &Finding, evidence: &Evidence) -> String {
    let mut text = String::from("\n  ```diff\n");
    for line in clean(&evidence.change).lines() {
        let _ = writeln!(text, "  {line}");
    }
    let _ = writeln!(
        text,
        "  ```\n\n  Then {} To see it again: `piton prove replay {}`.",
        clean_line(&evidence.outcome()),
        finding.id
    );
    text
}
