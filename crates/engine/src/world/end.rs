//! From what a keeper and an agent left behind to what the journal keeps of it.

use std::path::Path;

use piton_agent::stream::Account;
use piton_agent::{EndedBy, Exit};
use piton_git::Diff;
use piton_model::limits::{
    ARTIFACTS_MAX, CUSTOM_VALUE_BYTES_MAX, MODIFIED_FILES_MAX, NOTES_MAX, OBJECTIVES_MAX, TAIL_BYTES_MAX,
    TEXT_BYTES_MAX, clip,
};
use piton_model::loop_machine::{
    AgentConfig, Artifact, AttemptEnd, AttemptOutcome, Change, ErrorClass, Note, NoteKind, Objectives,
    OpenAttempt, Report, ReportStatus, StreamField, StreamFormat, Usage,
};
use piton_model::{State, Timestamp};
use piton_sys::redact::Redactor;
use sha2::{Digest, Sha256};

/// The largest file whose digest is kept.
const ARTIFACT_BYTES_MAX: u64 = 8 << 20;

/// What is looked at of the errors a program printed.
const STDERR_BYTES_MAX: u64 = 64 << 10;

/// How an attempt ended, without what it left in the tree.
pub(super) fn of_exit(exit: &Exit, directory: &Path, attempt: &OpenAttempt, state: &State) -> AttemptEnd {
    let agent = &state.config.agent;
    let redactor = Redactor::from_environment();
    let account = listen(&agent.stream, directory);
    let mut outcome = match exit.ended_by {
        EndedBy::Exited if exit.code == Some(0) => AttemptOutcome::Succeeded,
        EndedBy::Exited => AttemptOutcome::Failed,
        EndedBy::Cancelled => AttemptOutcome::Cancelled,
        EndedBy::WallClock => AttemptOutcome::TimedOut,
        EndedBy::Idle => AttemptOutcome::Hung,
        EndedBy::SpawnFailed => AttemptOutcome::NotStartable,
    };
    let mut message = message_of(exit, outcome, directory);
    // An exit code of 0 is not believed over what the agent itself said.
    if outcome == AttemptOutcome::Succeeded
        && let Some(why) = contradiction(&agent.stream, &account)
    {
        (outcome, message) = (AttemptOutcome::Failed, Some(why));
    }
    let told = match piton_agent::read_report(directory) {
        Ok(report) => report.map(|report| convert(&report, &redactor)),
        // A report that cannot be read says nothing; what it is about is judged by the tree.
        Err(_) => None,
    };
    let mut report = told.unwrap_or_default();
    take_account(&mut report, account, attempt, state, &redactor);
    if report.error_class.is_none()
        && outcome == AttemptOutcome::Failed
        && agent.stream == StreamFormat::Gemini
    {
        report.error_class = exit.code.and_then(class_of_gemini_exit);
    }
    if refused_permission(&agent.stream, outcome, directory) {
        report.error_class = Some(ErrorClass::Permission);
    }
    advise(&mut report, agent);
    let message = match outcome {
        AttemptOutcome::Failed => report.message.clone().or(message),
        _ => message,
    };
    AttemptEnd {
        outcome,
        exit_code: exit.code,
        duration_ms: exit.duration_ms,
        message: message.map(|text| redactor.redact(&text).into_owned()),
        report: (report != Report::default()).then_some(report),
        snapshot: None,
        prompt: None,
        change: None,
        guard: None,
    }
}

/// What the agent's output says. One that cannot be read says nothing.
pub(crate) fn listen(format: &StreamFormat, directory: &Path) -> Account {
    if *format == StreamFormat::Plain {
        return Account::default();
    }
    let output = std::fs::File::open(piton_agent::stdout_file(directory));
    output
        .and_then(|output| piton_agent::stream::listen(format, std::io::BufReader::new(output)))
        .unwrap_or_default()
}

/// Why an attempt that exited with 0 failed all the same.
fn contradiction(format: &StreamFormat, account: &Account) -> Option<String> {
    let says_when_it_ends = matches!(
        format,
        StreamFormat::Claude | StreamFormat::Codex | StreamFormat::Gemini | StreamFormat::Goose
    );
    match &account.failure {
        Some(failure) => Some(failure.clone()),
        None if says_when_it_ends && !account.finished => {
            Some("the agent exited with 0 in the middle of its work".to_owned())
        }
        None => None,
    }
}

/// What the stream says counts over what the agent reports of itself; usage is charged once.
fn take_account(
    report: &mut Report,
    account: Account,
    attempt: &OpenAttempt,
    state: &State,
    redactor: &Redactor,
) {
    let clean = |text: &String| redactor.redact(clip(text, TEXT_BYTES_MAX)).into_owned();
    let cost = account.cost_usd.and_then(microusd);
    let resumed = attempt.session.as_ref().is_some_and(|session| session.resumed || session.from.is_some());
    if state.config.agent.sessions.usage_is_total {
        (report.session_usage, report.session_cost_microusd) = (account.usage, cost);
    }
    let before = if resumed && state.config.agent.sessions.usage_is_total {
        (state.session.usage, state.session.cost_microusd)
    } else {
        (None, None)
    };
    if let Some(usage) = account.usage {
        report.usage = Some(before.0.map_or(usage, |before| usage.since(before)));
    }
    if let Some(cost) = cost {
        // A total that is lower than before began anew.
        report.cost_microusd = Some(before.1.and_then(|before| cost.checked_sub(before)).unwrap_or(cost));
    }
    report.context_usage_percent = account.context_percent().or(report.context_usage_percent);
    report.limited_until = account
        .limited_until
        .and_then(|seconds| seconds.checked_mul(1000))
        .map(Timestamp::from_millis)
        .or(report.limited_until);
    report.error_class = account.error_class.or(report.error_class);
    if let Some(failure) = &account.failure {
        report.message = Some(clean(failure));
    }
    if report.summary.is_none() && account.failure.is_none() {
        report.summary = account.text.as_ref().map(clean);
    }
    report.warnings = account.warnings.iter().map(clean).collect();
    // An agent that says nothing of its session has the one it was told to have.
    let silent = match &state.config.agent.stream {
        StreamFormat::Goose | StreamFormat::Plain | StreamFormat::Aider => true,
        StreamFormat::Lines(fields) => !fields.contains_key(&StreamField::Session),
        StreamFormat::Claude | StreamFormat::Codex | StreamFormat::Gemini | StreamFormat::Opencode => false,
    };
    let told = attempt.session.as_ref().filter(|_| silent).map(|session| session.id.clone());
    if let Some(heard) = &account.session_id.or(told) {
        let named = attempt.session.as_ref().filter(|intended| intended.from.as_ref() != Some(&intended.id));
        if let Some(intended) = named.filter(|intended| intended.id != *heard) {
            let asked = if intended.resumed { "to continue" } else { "to begin" };
            report
                .warnings
                .push(format!("it was asked {asked} session {}, and works in {heard}", intended.id));
        }
        report.session_id = Some(clip(heard, 200).to_owned());
    }
}

/// What a person can do about it.
fn advise(report: &mut Report, agent: &AgentConfig) {
    if report.error_class == Some(ErrorClass::Auth)
        && let Some(login) = &agent.login
    {
        let what = report.message.as_deref().unwrap_or("the agent is not logged in");
        report.message = Some(format!("{what}; {login}"));
    }
    if report.error_class == Some(ErrorClass::Permission)
        && let Some(permit) = &agent.permit
    {
        report.message = Some(permit.clone());
    }
    let denied = report.warnings.iter().any(|warning| warning.starts_with("a tool was denied"));
    if denied && let Some(permit) = &agent.permit {
        report.warnings.push(permit.clone());
    }
}

/// Claude Code does not even begin as root where it is to ask nobody.
fn refused_permission(format: &StreamFormat, outcome: AttemptOutcome, directory: &Path) -> bool {
    *format == StreamFormat::Claude
        && outcome == AttemptOutcome::Failed
        && last_line(directory).is_some_and(|line| line.contains("cannot be used with root"))
}

/// It exits with codes of its own, or with the status of an HTTP answer, of which a byte is left.
fn class_of_gemini_exit(code: i32) -> Option<ErrorClass> {
    let is = |status: i32| code == status % 256;
    match code {
        41 => Some(ErrorClass::Auth),
        55 => Some(ErrorClass::Permission),
        _ if is(401) || is(403) => Some(ErrorClass::Auth),
        _ if is(429) => Some(ErrorClass::RateLimit),
        _ if is(500) || is(502) || is(503) || is(529) => Some(ErrorClass::Overloaded),
        _ => None,
    }
}

fn message_of(exit: &Exit, outcome: AttemptOutcome, directory: &Path) -> Option<String> {
    if let Some(error) = &exit.error {
        return Some(error.clone());
    }
    let said = || last_line(directory).map_or_else(String::new, |line| format!(": {line}"));
    match (outcome, exit.code, exit.signal) {
        (AttemptOutcome::Failed, Some(code), _) => Some(format!("the agent exited with {code}{}", said())),
        (AttemptOutcome::Failed, None, Some(signal)) => {
            Some(format!("the agent was ended by signal {signal}"))
        }
        (AttemptOutcome::TimedOut, _, _) => Some("the agent took too long".to_owned()),
        (AttemptOutcome::Hung, _, _) => Some("the agent was silent for too long".to_owned()),
        _ => None,
    }
}

/// The last thing it printed as an error.
pub(crate) fn last_line(directory: &Path) -> Option<String> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = std::fs::File::open(piton_agent::stderr_file(directory)).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(STDERR_BYTES_MAX))).ok()?;
    let mut bytes = Vec::new();
    file.take(STDERR_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    Some(clip(line, 300).to_owned())
}

fn convert(report: &piton_agent::Report, redactor: &Redactor) -> Report {
    let text = |text: &Option<String>| {
        text.as_deref().map(|text| redactor.redact(clip(text, TEXT_BYTES_MAX)).into_owned())
    };
    let list = |list: &[String]| -> Vec<String> {
        list.iter().take(OBJECTIVES_MAX).map(|item| redactor.redact(clip(item, 500)).into_owned()).collect()
    };
    Report {
        status: report.status.map(|status| match status {
            piton_agent::Status::Done => ReportStatus::Done,
            piton_agent::Status::Blocked => ReportStatus::Blocked,
            piton_agent::Status::Continue => ReportStatus::Continue,
        }),
        reason: text(&report.reason),
        summary: text(&report.summary),
        session_id: report.session_id.as_deref().map(|id| clip(id, 200).to_owned()),
        usage: report.usage.map(|usage| Usage {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cached_input_tokens: usage.cached_input_tokens,
        }),
        cost_microusd: report.cost_usd.and_then(microusd),
        context_usage_percent: report.context_usage_percent.map(|percent| percent.clamp(0.0, 100.0) as u8),
        objectives: report.objectives.as_ref().map(|objectives| Objectives {
            completed: list(&objectives.completed),
            pending: list(&objectives.pending),
        }),
        notes: report
            .notes
            .iter()
            .take(NOTES_MAX)
            .map(|note| Note {
                kind: match note.kind {
                    piton_agent::NoteKind::Decision => NoteKind::Decision,
                    piton_agent::NoteKind::Finding => NoteKind::Finding,
                },
                text: redactor.redact(clip(&note.text, TAIL_BYTES_MAX)).into_owned(),
            })
            .collect(),
        custom: report
            .custom
            .iter()
            .flatten()
            .filter_map(|(key, value)| keep(key, value, redactor))
            .collect(),
        error_class: report.error_class.as_deref().and_then(class_of),
        message: text(&report.message),
        limited_until: None,
        session_usage: None,
        session_cost_microusd: None,
        warnings: Vec::new(),
    }
}

fn keep(key: &str, value: &serde_json::Value, redactor: &Redactor) -> Option<(String, serde_json::Value)> {
    let text = value.to_string();
    if key.len() > 100 || text.len() > CUSTOM_VALUE_BYTES_MAX {
        return None;
    }
    let value = serde_json::from_str(&redactor.redact(&text)).ok()?;
    Some((key.to_owned(), value))
}

pub(crate) fn microusd(cost: f64) -> Option<u64> {
    (cost.is_finite() && cost >= 0.0).then_some((cost * 1e6).round() as u64)
}

fn class_of(word: &str) -> Option<ErrorClass> {
    serde_json::from_value(serde_json::Value::String(word.to_owned())).ok()
}

/// What a file is now. One that is gone, or too large to look at, is none.
fn artifact(tree: &Path, path: &str) -> Option<Artifact> {
    let bytes = piton_sys::file::read_regular(&tree.join(path), ARTIFACT_BYTES_MAX).ok()??;
    let digest = Sha256::digest(&bytes);
    let sha256 = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(Artifact { path: path.to_owned(), sha256, size_bytes: bytes.len() as u64 })
}

/// What differs, as the journal keeps it.
pub(super) fn change_of(diff: &Diff, tree: &Path) -> Change {
    let artifact = |path: &String| artifact(tree, path);
    let files: Vec<_> =
        diff.files.iter().take(MODIFIED_FILES_MAX).map(|file| file.path.to_string()).collect();
    Change {
        artifacts: files.iter().take(ARTIFACTS_MAX).filter_map(artifact).collect(),
        files,
        files_total: diff.files.len() as u32,
        added: diff.added,
        removed: diff.removed,
    }
}
