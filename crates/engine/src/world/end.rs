//! From what a keeper and an agent left behind to what the journal keeps of it.

use std::path::Path;

use piton_agent::{EndedBy, Exit};
use piton_git::Diff;
use piton_model::limits::{CUSTOM_VALUE_BYTES_MAX, MODIFIED_FILES_MAX, OBJECTIVES_MAX, TEXT_BYTES_MAX, clip};
use piton_model::loop_machine::{
    AttemptEnd, AttemptOutcome, Change, ErrorClass, Objectives, Report, ReportStatus, Usage,
};
use piton_sys::redact::Redactor;

/// How an attempt ended, without what it left in the tree.
pub(super) fn of_exit(exit: &Exit, directory: &Path) -> AttemptEnd {
    let outcome = match exit.ended_by {
        EndedBy::Exited if exit.code == Some(0) => AttemptOutcome::Succeeded,
        EndedBy::Exited => AttemptOutcome::Failed,
        EndedBy::Cancelled => AttemptOutcome::Cancelled,
        EndedBy::WallClock => AttemptOutcome::TimedOut,
        EndedBy::Idle => AttemptOutcome::Hung,
        EndedBy::SpawnFailed => AttemptOutcome::NotStartable,
    };
    let redactor = Redactor::from_environment();
    let report = match piton_agent::read_report(directory) {
        Ok(report) => report.map(|report| convert(&report, &redactor)),
        // A report that cannot be read says nothing; what it is about is judged by the tree.
        Err(_) => None,
    };
    AttemptEnd {
        outcome,
        exit_code: exit.code,
        duration_ms: exit.duration_ms,
        message: message_of(exit, outcome),
        report,
        snapshot: None,
        change: None,
    }
}

fn message_of(exit: &Exit, outcome: AttemptOutcome) -> Option<String> {
    if let Some(error) = &exit.error {
        return Some(error.clone());
    }
    match (outcome, exit.code, exit.signal) {
        (AttemptOutcome::Failed, Some(code), _) => Some(format!("the agent exited with {code}")),
        (AttemptOutcome::Failed, None, Some(signal)) => {
            Some(format!("the agent was ended by signal {signal}"))
        }
        (AttemptOutcome::TimedOut, _, _) => Some("the agent took too long".to_owned()),
        (AttemptOutcome::Hung, _, _) => Some("the agent was silent for too long".to_owned()),
        _ => None,
    }
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
        custom: report
            .custom
            .iter()
            .flatten()
            .filter_map(|(key, value)| keep(key, value, redactor))
            .collect(),
        error_class: report.error_class.as_deref().and_then(class_of),
        message: text(&report.message),
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

fn microusd(cost: f64) -> Option<u64> {
    (cost.is_finite() && cost >= 0.0).then_some((cost * 1e6).round() as u64)
}

fn class_of(word: &str) -> Option<ErrorClass> {
    serde_json::from_value(serde_json::Value::String(word.to_owned())).ok()
}

/// What differs, as the journal keeps it.
pub(super) fn change_of(diff: &Diff) -> Change {
    Change {
        files: diff.files.iter().take(MODIFIED_FILES_MAX).map(|file| file.path.to_string()).collect(),
        files_total: diff.files.len() as u32,
        added: diff.added,
        removed: diff.removed,
    }
}
