//! How an attempt at a step ended: its exit, its report, its log.

use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

use piton_agent::Exit;
use piton_agent::stream::Account;
use piton_files::workflow::{
    self as files, Expectations, REPORT_BYTES_MAX, Refusal, Report, ReportSchema, read_report,
};
use piton_model::loop_machine::{AgentConfig, AttemptOutcome, ErrorClass};
use piton_model::workflow::{Hold, Launcher, OpenAttempt, State, Step, StepEnd, StepReport, Work};
use piton_sys::file::{self, Durability};

use super::attempt::agent_key;
use super::{Context, remember};
use crate::launch::{Ended, ended};
use crate::world::sentence;

/// A report that is no JSON is looked at again so often, and with such a pause: its file system may lag.
const REPORT_TRIES: u32 = 3;
const REPORT_PAUSE: Duration = Duration::from_millis(200);

/// How the attempt ended.
pub(super) fn of_exit(
    context: &Context,
    attempt: &OpenAttempt,
    step: &Step,
    state: &State,
    exit: &Exit,
) -> Result<StepEnd, file::Error> {
    let directory = context.attempts().join(attempt.number.to_string());
    let redactor = context.launch.redactor();
    let ended = adapter_of(step, state).map(|agent| Ended::read(exit, &directory, agent, redactor));
    let ended = ended.transpose()?;
    let outcome = ended::outcome_of(exit);
    let (account, error_class) =
        ended.map_or_else(Default::default, |ended| (ended.account, ended.error_class));
    let mut end = StepEnd {
        exit_code: exit.code,
        duration_ms: exit.duration_ms,
        message: exit.error.clone(),
        cost_microusd: account.cost_usd.and_then(piton_agent::microusd),
        tokens: account.usage.map(|usage| usage.input_tokens + usage.output_tokens),
        hold: hold(outcome, error_class, account.limited_until),
        ..StepEnd::of(outcome)
    };
    if matches!(step.work, Work::Run { .. }) && outcome == AttemptOutcome::Failed {
        end.message = Some(format!("{}{}", how_it_ended("the command", exit), last_words(&directory, true)));
    }
    match report_of(context, attempt, state) {
        Ok(None) if matches!(step.work, Work::Agent { .. }) => {
            silent(&mut end, &state.options.launcher, &account, exit, &directory);
        }
        Ok(None) => {}
        Ok(Some(report)) => {
            remember::keep(context, state, &report.memory_updates);
            take(&mut end, report);
        }
        // A report that is not believed is a failure, whatever the exit code says.
        Err(refusal) if matches!(outcome, AttemptOutcome::Succeeded | AttemptOutcome::Failed) => {
            end.message = Some(refusal.to_string());
            end.report = Some(StepReport::default());
        }
        Err(_) => {}
    }
    end.message = end.message.map(|text| redactor.redact(&text).into_owned());
    Ok(end)
}

fn take(end: &mut StepEnd, report: Report) {
    end.cost_microusd = report.cost_microusd.or(end.cost_microusd);
    end.tokens = report.tokens.or(end.tokens);
    if !report.step.completed {
        end.message = report.error.or(end.message.take());
    }
    end.report = Some(report.step);
}

/// An agent reported nothing. A wrapper must; of piton's own adapters and of `--exec` the exit code is believed.
fn silent(end: &mut StepEnd, launcher: &Launcher, account: &Account, exit: &Exit, directory: &Path) {
    if !matches!(end.outcome, AttemptOutcome::Succeeded | AttemptOutcome::Failed) {
        return;
    }
    // What an adapter's agent prints is a stream for programs; only its errors are for people.
    let said = last_words(directory, !matches!(launcher, Launcher::Adapter {}));
    if matches!(launcher, Launcher::Wrapper { .. } | Launcher::Template { .. }) {
        end.message.get_or_insert_with(|| format!("{}{said}", without_report(exit)));
        return;
    }
    let failure = account.failure.clone();
    let completed = end.outcome == AttemptOutcome::Succeeded && failure.is_none();
    if !completed {
        let ended = || format!("{}{said}", how_it_ended("the agent", exit));
        end.message = Some(failure.or(end.message.take()).unwrap_or_else(ended));
    }
    let logs =
        account.text.iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect();
    end.report = Some(StepReport { completed, inferred: true, logs, ..StepReport::default() });
}

fn how_it_ended(who: &str, exit: &Exit) -> String {
    match (exit.code, exit.signal) {
        (Some(code), _) => format!("{who} exited with {code}"),
        (None, Some(signal)) => format!("{who} was ended by signal {signal}"),
        (None, None) => format!("{who} was ended"),
    }
}

/// The same of a wrapper that left no report, in the words that its users know.
fn without_report(exit: &Exit) -> String {
    let how = match (exit.code, exit.signal) {
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended".to_owned(),
    };
    format!("Agent process {how} without writing a run report")
}

/// The last line that a process printed, to be added to how it ended: of its errors, else of its output where that is for
/// people.
fn last_words(directory: &Path, output_counts: bool) -> String {
    let line = ended::last_line(&piton_agent::stderr_file(directory));
    let line = line
        .or_else(|| output_counts.then(|| ended::last_line(&piton_agent::stdout_file(directory))).flatten());
    line.map_or_else(String::new, |line| format!(": {line}"))
}

/// What the provider refuses is nothing the step did.
fn hold(outcome: AttemptOutcome, class: Option<ErrorClass>, limited_until: Option<i64>) -> Option<Hold> {
    if outcome == AttemptOutcome::Cancelled {
        return None;
    }
    let until =
        limited_until.map(|seconds| piton_model::Timestamp::from_millis(seconds.saturating_mul(1000)));
    Hold::of_error(class?, until)
}

/// piton's own adapter for the agent of a step, where that is who works.
fn adapter_of<'a>(step: &Step, state: &'a State) -> Option<&'a AgentConfig> {
    match (&step.work, &state.options.launcher) {
        (Work::Agent { agent, .. }, Launcher::Adapter {}) => {
            state.options.agents.get(&agent_key(agent, step.model.as_deref()))
        }
        _ => None,
    }
}

#[expect(clippy::disallowed_methods, reason = "a file system that lags cannot be waited on")]
fn report_of(context: &Context, attempt: &OpenAttempt, state: &State) -> Result<Option<Report>, Refusal> {
    let path = context.place().report(&attempt.step);
    let schema = state.options.report_schema.as_ref().map(ReportSchema::new).transpose();
    let schema = schema.map_err(Refusal::OffSchema)?;
    let (schema, repo) = (schema.as_ref(), context.repo(state));
    let mut tries = 1;
    loop {
        let bytes = match context.within(&path, |path| file::read_regular(path, REPORT_BYTES_MAX as u64)) {
            Ok(None) => return Ok(None),
            Ok(Some(bytes)) => without_secrets(context, &path, bytes),
            Err(error) if error.is_not_found() => return Ok(None),
            Err(error) if matches!(error.refusal(), Some(file::Refusal::TooLarge { .. })) => {
                return Err(Refusal::TooLarge);
            }
            Err(error) => return Err(Refusal::Malformed(format!("cannot be read: {}", sentence(&error)))),
        };
        let expected =
            Expectations { run: &context.run, step: &attempt.step, repo: &repo, ended: true, schema };
        match read_report(&bytes, &expected) {
            Err(Refusal::NotYet | Refusal::NotJson(_)) if tries < REPORT_TRIES => {
                tries += 1;
                std::thread::sleep(REPORT_PAUSE);
            }
            read => return read.map(Some),
        }
    }
}

/// What a report says without its secrets. A step writes it into the repository itself, past its keeper: what is secret
/// must not stay there either.
pub(super) fn without_secrets(context: &Context, path: &Path, bytes: Vec<u8>) -> Vec<u8> {
    let clean = match context.launch.redactor().redact_bytes(&bytes) {
        Cow::Borrowed(_) => return bytes,
        Cow::Owned(clean) => clean,
    };
    let written = context.within(path, |path| file::write_atomic(path, &clean, Durability::Synced));
    if written.is_err() {
        // A report that cannot be cleaned is not kept.
        let _ = context.within(path, file::remove_file_if_exists);
    }
    clean
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
