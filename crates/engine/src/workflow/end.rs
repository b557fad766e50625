//! How an attempt at a step ended: its exit, its report, its log.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;

use piton_agent::stream::Account;
use piton_agent::{EndedBy, Exit};
use piton_files::workflow::{self as files, Expectations, REPORT_BYTES_MAX, Refusal, Report, read_report};
use piton_model::Reason;
use piton_model::loop_machine::{AttemptOutcome, ErrorClass, StreamFormat};
use piton_model::workflow::{Hold, Launcher, OpenAttempt, State, Step, StepEnd, StepReport, Work};
use piton_sys::file::{self, Durability};
use piton_sys::redact::Redactor;

use super::attempt::agent_key;
use super::{Context, remember};

/// A report that is no JSON is looked at again so often, and with such a pause: its file system may lag.
const REPORT_TRIES: u32 = 3;
const REPORT_PAUSE: Duration = Duration::from_millis(200);

/// What is looked at of an output for its last line.
const TAIL_BYTES: u64 = 4 << 10;

/// What is put into a log of each output.
const LOG_BYTES_MAX: u64 = 8 << 20;

/// How the attempt ended.
pub(super) fn of_exit(
    context: &Context,
    attempt: &OpenAttempt,
    step: &Step,
    state: &State,
    exit: &Exit,
) -> StepEnd {
    let directory = context.attempts().join(attempt.number.to_string());
    let place = context.place();
    write_log(&directory, &place.log(&attempt.step, attempt.attempt));
    let outcome = match (exit.ended_by, exit.code) {
        (EndedBy::SpawnFailed, _) => AttemptOutcome::NotStartable,
        (EndedBy::Cancelled, _) => AttemptOutcome::Cancelled,
        (EndedBy::WallClock, _) => AttemptOutcome::TimedOut,
        (EndedBy::Idle, _) => AttemptOutcome::Hung,
        (EndedBy::Exited, Some(0)) => AttemptOutcome::Succeeded,
        (EndedBy::Exited, _) => AttemptOutcome::Failed,
    };
    let account = account_of(step, state, &directory);
    let mut end = StepEnd {
        outcome,
        exit_code: exit.code,
        duration_ms: exit.duration_ms,
        message: exit.error.clone(),
        report: None,
        cost_microusd: account.cost_usd.map(|dollars| (dollars.max(0.0) * 1e6).round() as u64),
        tokens: account.usage.map(|usage| usage.input_tokens + usage.output_tokens),
        hold: hold(outcome, &account),
    };
    match report_of(context, attempt) {
        Ok(None) if matches!(step.work, Work::Run { .. }) && outcome == AttemptOutcome::Failed => {
            end.message = Some(last_words(&directory, exit));
        }
        Ok(None) => silent(&mut end, step, state, &account),
        Ok(Some(report)) => {
            remember::keep(context, &report.memory_updates);
            take(&mut end, report);
        }
        // A report that is not believed is a failure, whatever the exit code says.
        Err(refusal) if matches!(outcome, AttemptOutcome::Succeeded | AttemptOutcome::Failed) => {
            end.message = Some(refusal.to_string());
            end.report = Some(StepReport::default());
        }
        Err(_) => {}
    }
    let redactor = Redactor::from_environment();
    end.message = end.message.map(|text| redactor.redact(&text).into_owned());
    end
}

fn take(end: &mut StepEnd, report: Report) {
    end.cost_microusd = report.cost_microusd.or(end.cost_microusd);
    end.tokens = report.tokens.or(end.tokens);
    if !report.step.completed {
        end.message = report.error.or(end.message.take());
    }
    end.report = Some(report.step);
}

/// Nothing was reported. A wrapper must; of piton's own adapters and of `--exec` the exit code is believed.
fn silent(end: &mut StepEnd, step: &Step, state: &State, account: &Account) {
    let by_exit = matches!(state.options.launcher, Launcher::Adapter {} | Launcher::Exec { .. });
    if !matches!(step.work, Work::Agent { .. }) || !by_exit {
        return;
    }
    let ended = matches!(end.outcome, AttemptOutcome::Succeeded | AttemptOutcome::Failed);
    if !ended {
        return;
    }
    let failure = account.failure.clone();
    let completed = end.outcome == AttemptOutcome::Succeeded && failure.is_none();
    if !completed {
        let exited = end.exit_code.map(|code| format!("the agent exited with {code}"));
        end.message = failure.or(end.message.take()).or(exited);
    }
    let logs =
        account.text.iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect();
    end.report = Some(StepReport { completed, logs, ..StepReport::default() });
}

/// Why a command failed: its exit code, and the last line that it printed.
fn last_words(directory: &Path, exit: &Exit) -> String {
    let code = match (exit.code, exit.signal) {
        (Some(code), _) => format!("the command exited with {code}"),
        (None, Some(signal)) => format!("the command was ended by signal {signal}"),
        (None, None) => "the command was ended".to_owned(),
    };
    let tail = |path: std::path::PathBuf| {
        let mut file = std::fs::File::open(path).ok()?;
        let length = file.metadata().ok()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES))).ok()?;
        let mut bytes = Vec::new();
        file.take(TAIL_BYTES).read_to_end(&mut bytes).ok()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        text.lines().rev().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
    };
    let line =
        tail(piton_agent::stderr_file(directory)).or_else(|| tail(piton_agent::stdout_file(directory)));
    line.map_or(code.clone(), |line| format!("{code}: {line}"))
}

/// What the provider refuses is nothing the step did.
fn hold(outcome: AttemptOutcome, account: &Account) -> Option<Hold> {
    if outcome == AttemptOutcome::Cancelled {
        return None;
    }
    let reason = match account.error_class? {
        ErrorClass::RateLimit => Reason::RateLimit,
        ErrorClass::Overloaded => Reason::Overloaded,
        ErrorClass::Auth => Reason::Auth,
        _ => return None,
    };
    let until = account
        .limited_until
        .map(|seconds| piton_model::Timestamp::from_millis(seconds.saturating_mul(1000)));
    Some(Hold { reason, until })
}

/// What the stream of one of piton's own adapters says.
fn account_of(step: &Step, state: &State, directory: &Path) -> Account {
    let (Work::Agent { agent, .. }, Launcher::Adapter {}) = (&step.work, &state.options.launcher) else {
        return Account::default();
    };
    let adapter = state.options.agents.get(&agent_key(agent, step.model.as_deref()));
    let Some(format) =
        adapter.map(|adapter| &adapter.stream).filter(|format| **format != StreamFormat::Plain)
    else {
        return Account::default();
    };
    let output = std::fs::File::open(piton_agent::stdout_file(directory));
    output
        .and_then(|output| piton_agent::stream::listen(format, std::io::BufReader::new(output)))
        .unwrap_or_default()
}

#[expect(clippy::disallowed_methods, reason = "a file system that lags cannot be waited on")]
fn report_of(context: &Context, attempt: &OpenAttempt) -> Result<Option<Report>, Refusal> {
    let path = context.place().report(&attempt.step);
    let mut tries = 1;
    loop {
        let bytes = match file::read_regular(&path, REPORT_BYTES_MAX as u64 + 1) {
            Ok(None) => return Ok(None),
            Ok(Some(bytes)) => bytes,
            Err(error) => return Err(Refusal::Malformed(format!("cannot be read: {error}"))),
        };
        let expected = Expectations { run: &context.run, step: &attempt.step, ended: true };
        match read_report(&bytes, &expected) {
            Err(Refusal::NotYet | Refusal::NotJson(_)) if tries < REPORT_TRIES => {
                tries += 1;
                std::thread::sleep(REPORT_PAUSE);
            }
            read => return read.map(Some),
        }
    }
}

/// The log of an attempt, as its users know it: both outputs in one file. One that cannot be written is no reason to
/// fail: `piton output` has the same.
fn write_log(directory: &Path, log: &Path) {
    let mut bytes = Vec::new();
    for path in [piton_agent::stdout_file(directory), piton_agent::stderr_file(directory)] {
        if let Ok(file) = std::fs::File::open(path) {
            let _ = file.take(LOG_BYTES_MAX).read_to_end(&mut bytes);
        }
    }
    // It was made empty when the attempt began.
    if !bytes.is_empty() {
        let _ = file::write_atomic(log, &bytes, Durability::Unsynced);
    }
}

/// What an agent without a wrapper is told about reports.
pub(super) fn report_request(launch: &files::Launch) -> String {
    let path = launch.report_path.display();
    let names: std::collections::BTreeMap<&str, &str> =
        launch.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let get = |name: &str| names.get(name).copied().unwrap_or("");
    format!(
        "## Report\n\nWhen you are done, write one JSON object to `{path}`:\n\n\
         `{{\"schema\": \"run_report@v0\", \"run_id\": \"{}\", \"step_id\": \"{}\", \"agent\": \"{}\", \"status\": \
         \"COMPLETED\" or \"FAILED\", \"started_at\": time, \"ended_at\": time, \"artifacts\": [paths of what you made, \
         from the repository's top], \"metrics\": {{}}, \"logs\": [one line per thing you did], \"gate_failure\": true \
         only if what you reviewed must be done again}}`\n\nFill in what is true; a report that is not filled in is refused.",
        get("RUN_ID"),
        get("STEP_ID"),
        get("AGENT_ID"),
    )
}
