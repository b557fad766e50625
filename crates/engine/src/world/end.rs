//! From what a keeper and an agent left behind to what the journal keeps of it.

use std::path::Path;

use piton_agent::Exit;
use piton_git::Diff;
use piton_model::limits::{ARTIFACTS_MAX, MODIFIED_FILES_MAX, TEXT_BYTES_MAX, clip};
use piton_model::loop_machine::{
    AgentConfig, Artifact, AttemptEnd, AttemptOutcome, Change, ErrorClass, OpenAttempt, Report,
};
use piton_model::{State, Timestamp};
use piton_sys::file;
use piton_sys::redact::Redactor;
use sha2::{Digest, Sha256};

use crate::launch::{Ended, ended};

/// The largest file whose digest is kept.
const ARTIFACT_BYTES_MAX: u64 = 8 << 20;

/// How an attempt ended, without what it left in the tree.
pub(crate) fn of_exit(
    exit: &Exit,
    directory: &Path,
    attempt: &OpenAttempt,
    state: &State,
    redactor: &Redactor,
) -> Result<AttemptEnd, file::Error> {
    let agent = state.agent();
    let ended = Ended::read(exit, directory, agent, redactor)?;
    let (outcome, message) = match (&ended.contradiction, ended.outcome) {
        // An exit code of 0 is not believed over what the agent itself said.
        (Some(why), _) => (AttemptOutcome::Failed, Some(why.clone())),
        (None, AttemptOutcome::Cancelled) => (AttemptOutcome::Cancelled, exit.error.clone()),
        (None, AttemptOutcome::TimedOut) => {
            let of_the_run = time_is_up(exit, state).map(str::to_owned);
            (AttemptOutcome::TimedOut, of_the_run.or_else(|| ended::why(exit, directory, "the agent")))
        }
        (None, outcome) => (outcome, ended::why(exit, directory, "the agent")),
    };
    let denied = ended.account.denied;
    let heard = state.config.listens_for().filter(|words| ended.spoken.contains(*words)).cloned().collect();
    let mut report = take_account(ended, attempt, state, redactor);
    report.heard = heard;
    advise(&mut report, agent, denied);
    let message = match outcome {
        AttemptOutcome::Failed => report.message.clone().or(message),
        _ => message,
    };
    Ok(AttemptEnd {
        exit_code: exit.code,
        duration_ms: exit.duration_ms,
        message: message.map(|text| redactor.redact(&text).into_owned()),
        report: (report != Report::default()).then_some(report),
        said_bytes: said_bytes(exit, directory),
        ..AttemptEnd::of(outcome)
    })
}

/// What ended an attempt that took longer than the run has, where its agent did nothing wrong.
fn time_is_up(exit: &Exit, state: &State) -> Option<&'static str> {
    let limits = &state.config.limits;
    if limits.deadline.is_some_and(|deadline| deadline <= exit.ended_at) {
        return Some("the deadline of the run came while the agent worked");
    }
    let used_ms = state.counters.working_ms.saturating_add(exit.duration_ms);
    (used_ms >= limits.working_ms).then_some("the working time of the run was used up while the agent worked")
}

/// What was said in this attempt, both ways: its prompt, and what it printed.
fn said_bytes(exit: &Exit, directory: &Path) -> Option<u64> {
    let prompt = piton_agent::prompt_file(directory).metadata().map_or(0, |file| file.len());
    (exit.stdout_bytes > 0).then(|| exit.stdout_bytes.saturating_add(prompt))
}

/// What the stream says counts over what the agent reports of itself; usage is charged once.
fn take_account(ended: Ended, attempt: &OpenAttempt, state: &State, redactor: &Redactor) -> Report {
    let Ended { account, mut report, not_understood, error_class, names_its_session, .. } = ended;
    let clean = |text: &String| clip(&redactor.redact(text), TEXT_BYTES_MAX).to_owned();
    let cost = account.cost_usd.and_then(piton_agent::microusd);
    let resumed = attempt.session.as_ref().is_some_and(|session| session.resumed || session.from.is_some());
    if state.agent().sessions.usage_is_total {
        (report.session_usage, report.session_cost_microusd) = (account.usage, cost);
    }
    let before = if resumed && state.agent().sessions.usage_is_total {
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
    report.error_class = error_class.or(report.error_class);
    if let Some(failure) = &account.failure {
        report.message = Some(clean(failure));
    }
    if report.summary.is_none() && account.failure.is_none() {
        report.summary = account.text.as_ref().map(clean);
    }
    report.warnings = account.warnings.iter().map(clean).chain(not_understood).collect();
    // An agent that says nothing of its session has the one it was told to have.
    let told = attempt.session.as_ref().filter(|_| !names_its_session).map(|session| session.id.clone());
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
    report
}

/// What a person can do about it.
fn advise(report: &mut Report, agent: &AgentConfig, denied: bool) {
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
    if denied && let Some(permit) = &agent.permit {
        report.warnings.push(permit.clone());
    }
}

/// What a file is now. One that is gone, or too large to look at, is none.
fn artifact(tree: &Path, path: &str) -> Option<Artifact> {
    let bytes = file::read_regular(&tree.join(path), ARTIFACT_BYTES_MAX).ok()??;
    let digest = Sha256::digest(&bytes);
    let sha256 = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(Artifact { path: path.to_owned(), sha256, size_bytes: bytes.len() as u64 })
}

/// What differs, as the journal keeps it.
pub(super) fn change_of(diff: &Diff, tree: &Path, redactor: &Redactor) -> Change {
    let clean = |text: &String| redactor.redact(text).into_owned();
    let artifact = |path: &String| {
        let artifact = artifact(tree, path)?;
        Some(Artifact { path: clean(path), ..artifact })
    };
    let files: Vec<_> =
        diff.files.iter().take(MODIFIED_FILES_MAX).map(|file| file.path.to_string()).collect();
    Change {
        artifacts: files.iter().take(ARTIFACTS_MAX).filter_map(artifact).collect(),
        files: files.iter().map(clean).collect(),
        files_total: diff.files.len() as u32,
        added: diff.added,
        removed: diff.removed,
    }
}
