//! What an agent says about its own work, in the file `$PITON_REPORT`.
//!
//! A report is a request, never a fact: nothing in it is believed without a look at the tree. It is written by
//! a program we do not control, so nothing in it can fail an attempt: a field of the wrong type is left out and
//! named, like a field we do not know.

use std::path::Path;

use piton_model::loop_machine::{Note, NoteKind, Objection, Report};
use piton_sys::file;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::directory::report_file;

/// A report as it was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Read {
    /// What it says. Every part is optional; absent means unknown.
    pub report: Report,
    /// The fields that were left out: those of the wrong type, and those that nobody knows.
    pub ignored: Vec<String>,
}

/// Larger reports are not read.
pub const REPORT_BYTES_MAX: u64 = 1024 * 1024;

/// Why there is no report although there is a file.
#[derive(Debug, thiserror::Error)]
pub enum ReportProblem {
    /// It is too large, not a regular file, or cannot be read.
    #[error(transparent)]
    Unreadable(#[from] file::Error),
    /// There is no more room in it.
    #[error(
        "with this the report would be larger than 1 MiB; say it in fewer words, or put it into a file of the tree"
    )]
    TooLarge,
    /// Neither the file nor any line of it is a JSON object.
    #[error("the report is not a JSON object")]
    NotAnObject,
}

/// Reads the report in the directory of an attempt; `None` where the agent wrote none.
///
/// The file is one JSON object, or lines of which the last that is one counts.
pub fn read_report(directory: &Path) -> Result<Option<Read>, ReportProblem> {
    read_report_file(&report_file(directory))
}

/// Reads the report at `path`, likewise.
pub fn read_report_file(path: &Path) -> Result<Option<Read>, ReportProblem> {
    let Some(bytes) = file::read_regular(path, REPORT_BYTES_MAX)? else { return Ok(None) };
    if bytes.trim_ascii().is_empty() {
        return Ok(None);
    }
    let object = parse(&bytes).or_else(|| bytes.rsplit(|&byte| byte == b'\n').find_map(parse));
    object.map(|object| Some(of_object(object))).ok_or(ReportProblem::NotAnObject)
}

/// What a reviewer's report says, as it says it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SaidReview {
    /// The mark of the review that it is about.
    pub review: Option<String>,
    pub verdict: Option<String>,
    pub objections: Vec<Objection>,
}

/// Reads what a reviewer reported in the directory of its attempt; `None` where it wrote nothing. What is of another type than it
/// should be is not there.
pub fn read_review(directory: &Path) -> Result<Option<SaidReview>, ReportProblem> {
    let Some(bytes) = file::read_regular(&report_file(directory), REPORT_BYTES_MAX)? else { return Ok(None) };
    if bytes.trim_ascii().is_empty() {
        return Ok(None);
    }
    let object = parse(&bytes).or_else(|| bytes.rsplit(|&byte| byte == b'\n').find_map(parse));
    let mut object = object.ok_or(ReportProblem::NotAnObject)?;
    let ignored = &mut Vec::new();
    let review = take(&mut object, "review", ignored);
    let objections = take_known(&mut object, "objections", &["file", "line", "text"], ignored);
    let verdict = take(&mut object, "verdict", ignored);
    // Objections that cannot be read are no agreement.
    let verdict = verdict.filter(|_| ignored.is_empty());
    Ok(Some(SaidReview { review, verdict, objections: objections.unwrap_or_default() }))
}

/// Writes what an agent may say of `report` to `path`, whole or not at all: nothing is written that could not be read again.
pub fn write_report_file(path: &Path, report: &Report) -> Result<(), ReportProblem> {
    let mut bytes = serde_json::to_vec(&to_object(report)).expect("a report has string keys");
    bytes.push(b'\n');
    if bytes.len() as u64 > REPORT_BYTES_MAX {
        return Err(ReportProblem::TooLarge);
    }
    Ok(file::write_atomic(path, &bytes, file::Durability::Unsynced)?)
}

fn parse(bytes: &[u8]) -> Option<Map<String, Value>> {
    // Editors on other systems put a byte order mark in front.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice(bytes).ok()
}

fn of_object(mut object: Map<String, Value>) -> Read {
    let (fields, ignored) = (&mut object, &mut Vec::new());
    let percent = take_within(fields, "context_usage_percent", 100.0, ignored);
    let mut notes: Vec<Note> = take_known(fields, "notes", &["kind", "text"], ignored).unwrap_or_default();
    // Nobody speaks for a person.
    notes.retain(|note| note.kind != NoteKind::Person);
    let report = Report {
        status: take(fields, "status", ignored),
        reason: take(fields, "reason", ignored),
        summary: take(fields, "summary", ignored),
        session_id: take(fields, "session_id", ignored),
        usage: take_known(
            fields,
            "usage",
            &["input_tokens", "output_tokens", "cached_input_tokens"],
            ignored,
        ),
        cost_microusd: take_within(fields, "cost_usd", f64::MAX, ignored).and_then(microusd),
        context_usage_percent: percent.map(|percent| percent as u8),
        objectives: take_known(fields, "objectives", &["completed", "pending"], ignored),
        notes,
        custom: take(fields, "custom", ignored).unwrap_or_default(),
        error_class: take(fields, "error_class", ignored),
        message: take(fields, "message", ignored),
        ..Report::default()
    };
    let ignored =
        std::mem::take(ignored).into_iter().chain(object.into_iter().map(|(name, _)| name)).collect();
    Read { report, ignored }
}

/// The same fields, as they are read.
fn to_object(report: &Report) -> Map<String, Value> {
    let Report { status, reason, summary, session_id, usage, objectives, notes, custom, message, .. } =
        report;
    let dollars = report.cost_microusd.map(|cost| cost as f64 / 1e6);
    let fields = [
        ("status", json!(status)),
        ("reason", json!(reason)),
        ("summary", json!(summary)),
        ("session_id", json!(session_id)),
        ("usage", json!(usage)),
        ("cost_usd", json!(dollars)),
        ("context_usage_percent", json!(report.context_usage_percent)),
        ("objectives", json!(objectives)),
        ("notes", if notes.is_empty() { Value::Null } else { json!(notes) }),
        ("custom", if custom.is_empty() { Value::Null } else { json!(custom) }),
        ("error_class", json!(report.error_class)),
        ("message", json!(message)),
    ];
    let said = fields.into_iter().filter(|(_, value)| !value.is_null());
    said.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Dollars in millionths; what is no amount is unknown.
pub fn microusd(cost: f64) -> Option<u64> {
    (cost.is_finite() && cost >= 0.0).then_some((cost * 1e6).round() as u64)
}

/// Takes an object, or a list of them, out, without the members that nobody knows.
fn take_known<T: DeserializeOwned>(
    object: &mut Map<String, Value>,
    name: &str,
    known: &[&str],
    ignored: &mut Vec<String>,
) -> Option<T> {
    let keep = |members: &mut Map<String, Value>| members.retain(|name, _| known.contains(&name.as_str()));
    match object.get_mut(name) {
        Some(Value::Object(members)) => keep(members),
        Some(Value::Array(items)) => items.iter_mut().filter_map(Value::as_object_mut).for_each(keep),
        _ => {}
    }
    take(object, name, ignored)
}

/// Takes a field out; null means absent, and the wrong type is ignored.
fn take<T: DeserializeOwned>(
    object: &mut Map<String, Value>,
    name: &str,
    ignored: &mut Vec<String>,
) -> Option<T> {
    let value = object.remove(name).filter(|value| !value.is_null())?;
    let taken = serde_json::from_value(value).ok();
    if taken.is_none() {
        ignored.push(name.to_owned());
    }
    taken
}

/// Takes a number that makes sense only between 0 and `most`.
fn take_within(
    object: &mut Map<String, Value>,
    name: &str,
    most: f64,
    ignored: &mut Vec<String>,
) -> Option<f64> {
    let number = take::<f64>(object, name, ignored)?;
    let makes_sense = (0.0..=most).contains(&number);
    if !makes_sense {
        ignored.push(name.to_owned());
    }
    makes_sense.then_some(number)
}

#[cfg(test)]
mod tests {
    use piton_model::loop_machine::{ErrorClass, ReportStatus, Usage};

    use super::*;

    fn read(text: &[u8]) -> Result<Option<Read>, ReportProblem> {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(crate::outbox(directory.path())).unwrap();
        file::create_new(&report_file(directory.path()), text, file::Durability::Unsynced).unwrap();
        read_report(directory.path())
    }

    fn report(text: &str) -> Report {
        read(text.as_bytes()).unwrap().unwrap().report
    }

    #[test]
    fn every_field_is_read() {
        let read = read(
            br#"{"status": "done", "reason": "r", "summary": "s", "session_id": "i",
                "usage": {"input_tokens": 1, "output_tokens": 2, "cached_input_tokens": 3, "new": 4},
                "cost_usd": 0.25, "context_usage_percent": 61.5,
                "objectives": {"completed": ["a"], "pending": ["b", "c"]},
                "notes": [{"kind": "finding", "text": "t"}, {"kind": "person", "text": "not theirs"}],
                "custom": {"k": [1]}, "error_class": "auth", "message": "m"}"#,
        );
        let Read { report, ignored } = read.unwrap().unwrap();
        assert_eq!(report.status, Some(ReportStatus::Done));
        assert_eq!(
            report.usage,
            Some(Usage { input_tokens: 1, output_tokens: 2, cached_input_tokens: Some(3) })
        );
        assert_eq!((report.cost_microusd, report.context_usage_percent), (Some(250_000), Some(61)));
        assert_eq!(report.objectives.as_ref().unwrap().pending.as_deref().unwrap(), ["b", "c"]);
        assert_eq!(report.custom["k"][0], 1);
        assert_eq!(report.notes, [Note { kind: NoteKind::Finding, text: "t".to_owned() }]);
        let texts = [&report.reason, &report.summary, &report.session_id, &report.message];
        assert_eq!(texts.map(|text| text.as_deref().unwrap()), ["r", "s", "i", "m"]);
        assert_eq!((report.error_class, ignored.len()), (Some(ErrorClass::Auth), 0));
        assert_eq!(
            of_object(to_object(&report)),
            Read { report, ignored: Vec::new() },
            "it is written as it is read"
        );
    }

    #[test]
    fn no_report_is_no_problem() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(read_report(directory.path()).unwrap(), None);
        assert_eq!(read(b"").unwrap(), None);
        assert_eq!(read(b" \n\n").unwrap(), None);
        assert_eq!(report("{}"), Report::default());
    }

    #[test]
    fn unknown_and_unusable_fields_are_left_out_and_counted() {
        let read = read(
            br#"{"status": "finished", "error_class": "bad luck", "summary": 7, "reason": null, "cost_usd": -1, "context_usage_percent": 101,
                "usage": {"input_tokens": -5, "output_tokens": 1}, "message": "kept", "colour": "red"}"#,
        );
        let read = read.unwrap().unwrap();
        let kept = Report { message: Some("kept".into()), ..Report::default() };
        assert_eq!((read.report, read.ignored.len()), (kept, 7));
    }

    #[test]
    fn of_several_lines_the_last_valid_object_counts() {
        let text =
            "{\"summary\": \"first\"}\nprogress: 3/4\n{\"summary\": \"last\"}\n[1]\n{\"summary\": \"torn";
        assert_eq!(report(text).summary.as_deref(), Some("last"));
        assert_eq!(report("\u{feff}{\"summary\": \"marked\"}\r\n").summary.as_deref(), Some("marked"));
    }

    #[test]
    fn what_is_no_object_is_a_problem_and_never_a_panic() {
        let deep = "[".repeat(100_000);
        for text in ["done", "[1, 2]", "\"done\"", "{\"cost_usd\": 1e999}", "\0", "\u{feff}", &deep] {
            assert!(
                matches!(read(text.as_bytes()), Err(ReportProblem::NotAnObject)),
                "`{}`",
                &text[..text.len().min(20)]
            );
        }
        assert!(matches!(read(b"\xff\xfe{}"), Err(ReportProblem::NotAnObject)));
    }

    #[test]
    fn a_report_that_is_too_large_or_no_file_is_not_read() {
        let large = vec![b' '; usize::try_from(REPORT_BYTES_MAX).unwrap() + 1];
        assert!(matches!(read(&large), Err(ReportProblem::Unreadable(_))));
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(crate::outbox(directory.path())).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", report_file(directory.path())).unwrap();
        assert!(matches!(read_report(directory.path()), Err(ReportProblem::Unreadable(_))));
    }
}
