//! Runs to render and directories to publish into.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use piton_files::ralph::{Context, PersistedLoopState, render};
use piton_model::loop_machine::stop::{ChecksPass, FileCreated, until};
use piton_model::loop_machine::{
    AgentConfig, AttemptEnd, AttemptOutcome, Change, Check, CheckResult, CheckRound, ConditionResult, Limits,
    LoopConfig, OpenAttempt, Prompt, Report, ReportStatus, ReportedObjectives, Snapshot, StopResult, advance,
    create,
};
use piton_model::{Command, Event, Reason, Seq, State, Status, Timestamp, apply};

/// When every run of these tests begins: 2026-02-15T12:03:20.123Z.
pub(crate) const START: Timestamp = Timestamp::from_millis(1_771_157_000_123);

pub(crate) fn config() -> LoopConfig {
    let checks = ["test", "lint"].map(|name| Check::new(name, "true")).into();
    LoopConfig {
        prompt: Prompt::File("PROMPT.md".to_owned()),
        until: vec![until(ChecksPass {}), until(FileCreated { path: "report.txt".to_owned() })],
        limits: Limits { cost_microusd: Some(10_000_000), ..Limits::default() },
        ..LoopConfig::new("", AgentConfig::new("exec", &["sh"]), checks)
    }
}

/// A run that was only created.
pub(crate) fn created(run: &str) -> State {
    let event = create(run.parse().unwrap(), "Add validation", config()).unwrap();
    apply(None, &event, START).unwrap()
}

/// A run after two iterations: the first without cost, the second with a new session.
pub(crate) fn worked(run: &str) -> State {
    let mut state = created(run);
    let mut at = START;
    for happened in history() {
        at = at.plus_millis(60_000);
        let events = match happened {
            Happened::Fact(event) => vec![event],
            Happened::Outcome(command) => advance(&state, command, at).unwrap().0,
        };
        let intends =
            |event: &Event| matches!(event, Event::ChecksStarted { .. } | Event::AttemptStarted { .. });
        let is_one = events.len() == 1;
        // What follows from an outcome, up to the next intent.
        for event in events.iter().take_while(|event| is_one || !intends(event)) {
            state = apply(Some(state), event, at).unwrap();
        }
    }
    state
}

/// What is folded as it is, or judged first.
enum Happened {
    Fact(Event),
    Outcome(Command),
}

/// The view of a run in this status, at this event.
pub(crate) fn view(run: &str, status: Status, seq: Seq) -> PersistedLoopState {
    let mut state = worked(run);
    state.status = status;
    state.reason = status.is_active().then_some(Reason::Human);
    state.updated_at = START.plus_millis(seq * 1_000);
    render(&state, seq, &context())
}

pub(crate) fn context() -> Context {
    Context {
        working_dir: PathBuf::from("/home/someone/app"),
        prompt_path: PathBuf::from("PROMPT.md"),
        config_hash: "c0ffee".to_owned(),
    }
}

fn history() -> Vec<Happened> {
    use Happened::{Fact, Outcome};
    let checked = |round| Outcome(Command::EndChecks(Box::new(round)));
    let ended = |attempt, end| Outcome(Command::EndAttempt { attempt, end: Box::new(end) });
    let driver = Event::DriverStarted {
        epoch: 1,
        host: "h".to_owned(),
        boot: "b".to_owned(),
        pid: 7,
        version: "0.1.0".to_owned(),
    };
    let first = Report { session_id: Some("ses-1".to_owned()), ..Report::default() };
    let second = Report {
        status: Some(ReportStatus::Continue),
        session_id: Some("ses-2".to_owned()),
        cost_microusd: Some(2_500_000),
        context_usage_percent: Some(41),
        objectives: Some(ReportedObjectives {
            completed: Some(vec!["parse".to_owned()]),
            pending: Some(vec!["docs".to_owned()]),
        }),
        custom: BTreeMap::from([("ticket".to_owned(), serde_json::json!({ "z": 0.1, "a": [1, null] }))]),
        ..Report::default()
    };
    vec![
        Fact(driver),
        Fact(Event::SnapshotTaken { snapshot: snapshot("a"), base: false, before: None }),
        Fact(Event::ChecksStarted { round: 1, guard: None, look: false }),
        checked(round(1, [false, false], false)),
        Fact(Event::AttemptStarted { attempt: attempt(1) }),
        ended(1, end(first, "b", &["src/a.rs"])),
        Fact(Event::ChecksStarted { round: 2, guard: None, look: false }),
        checked(round(2, [true, false], false)),
        Fact(Event::AttemptStarted { attempt: attempt(2) }),
        ended(2, end(second, "b", &["src/b.rs"])),
        Fact(Event::ChecksStarted { round: 3, guard: None, look: false }),
        checked(round(3, [true, false], true)),
    ]
}

fn snapshot(tree: &str) -> Snapshot {
    Snapshot { id: format!("commit-{tree}"), tree: tree.to_owned(), left_out: Vec::new() }
}

fn attempt(number: u32) -> OpenAttempt {
    OpenAttempt {
        number,
        iteration: number,
        host: "h".to_owned(),
        boot: "b".to_owned(),
        directory: format!("attempts/r/{number}"),
        ..OpenAttempt::default()
    }
}

fn end(report: Report, tree: &str, files: &[&str]) -> AttemptEnd {
    let files: Vec<_> = files.iter().map(|file| (*file).to_owned()).collect();
    AttemptEnd {
        exit_code: Some(0),
        duration_ms: 30_000,
        report: Some(report),
        snapshot: Some(snapshot(tree)),
        change: Some(Change {
            files_total: files.len() as u32,
            files,
            added: 5,
            removed: 1,
            artifacts: Vec::new(),
        }),
        ..AttemptEnd::of(AttemptOutcome::Succeeded)
    }
}

fn round(number: u32, passed: [bool; 2], report_is_there: bool) -> CheckRound {
    let result = |(name, passed): (&str, bool)| CheckResult {
        name: name.to_owned(),
        passed,
        exit_code: Some(i32::from(!passed)),
        duration_ms: 1_000,
        ..CheckResult::default()
    };
    CheckRound {
        number,
        checks: ["test", "lint"].into_iter().zip(passed).map(result).collect(),
        conditions: vec![ConditionResult { label: "file:report.txt".to_owned(), met: report_is_there }],
        duration_ms: 2_000,
        stops: vec![StopResult {
            label: "file_created(report.txt)".to_owned(),
            met: report_is_there,
            timed_out: false,
        }],
        ..CheckRound::default()
    }
}

/// Every file below `root`, by its path there.
pub(crate) fn tree(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.strip_prefix(root).unwrap().to_owned(), std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// The names of [`tree`].
pub(crate) fn names(root: &Path) -> Vec<String> {
    tree(root).keys().map(|path| path.display().to_string()).collect()
}

/// Puts a file where a test wants it.
pub(crate) fn put(root: &Path, path: &str, bytes: impl AsRef<[u8]>) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    #[expect(clippy::disallowed_methods, reason = "a test prepares its files directly")]
    std::fs::write(path, bytes).unwrap();
}
