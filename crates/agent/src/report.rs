//! What an agent says about its own work, in the file `$PITON_REPORT`.
//!
//! A report is a request, never a fact: nothing in it is believed without a look at the tree. It is written by
//! a program we do not control, so nothing in it can fail an attempt: a field of the wrong type is left out and
//! counted, like a field we do not know.

use std::path::Path;

use piton_sys::file;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::directory::report_file;

/// Larger reports are not read.
pub const REPORT_BYTES_MAX: u64 = 1024 * 1024;

/// What an agent reported. Every part is optional; absent means unknown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What it asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// How to continue its conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The tokens it used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What it cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// How full its context is, from 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_usage_percent: Option<f64>,
    /// What is done and what is left of its task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objectives: Option<Objectives>,
    /// What it wants remembered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// Whatever else it wants to keep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom: Option<Map<String, Value>>,
    /// The kind of error it met, in its own word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_class: Option<String>,
    /// A message for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How many fields were left out: unknown ones, and those of the wrong type.
    #[serde(skip)]
    pub ignored_fields: usize,
}

/// Something an agent wants remembered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// What it is.
    pub kind: NoteKind,
    /// In words.
    pub text: String,
}

/// What a note is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// Something that was chosen, and why.
    Decision,
    /// Something that was found out.
    Finding,
}

/// What an agent asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// To verify that the work is done.
    Done,
    /// To ask a person.
    Blocked,
    /// To go on.
    Continue,
}

/// Tokens used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Read.
    pub input_tokens: u64,
    /// Written.
    pub output_tokens: u64,
    /// Read from a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_input_tokens: Option<u64>,
}

/// The parts of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Objectives {
    /// Those done.
    #[serde(default)]
    pub completed: Vec<String>,
    /// Those left.
    #[serde(default)]
    pub pending: Vec<String>,
}

/// Why there is no report although there is a file.
#[derive(Debug, thiserror::Error)]
pub enum ReportProblem {
    /// It is too large, not a regular file, or cannot be read.
    #[error(transparent)]
    Unreadable(#[from] file::Error),
    /// Neither the file nor any line of it is a JSON object.
    #[error("the report is not a JSON object")]
    NotAnObject,
}

/// Reads the report in the directory of an attempt; `None` where the agent wrote none.
///
/// The file is one JSON object, or lines of which the last that is one counts.
pub fn read_report(directory: &Path) -> Result<Option<Report>, ReportProblem> {
    read_report_file(&report_file(directory))
}

/// Reads the report at `path`, likewise.
pub fn read_report_file(path: &Path) -> Result<Option<Report>, ReportProblem> {
    let Some(bytes) = file::read_regular(path, REPORT_BYTES_MAX)? else { return Ok(None) };
    if bytes.trim_ascii().is_empty() {
        return Ok(None);
    }
    let object = parse(&bytes).or_else(|| bytes.rsplit(|&byte| byte == b'\n').find_map(parse));
    object.map(|object| Some(Report::from_object(object))).ok_or(ReportProblem::NotAnObject)
}

/// Writes `report` to `path`, whole or not at all.
pub fn write_report_file(path: &Path, report: &Report) -> Result<(), file::Error> {
    let mut bytes = serde_json::to_vec(report).expect("a report has string keys");
    bytes.push(b'\n');
    file::write_atomic(path, &bytes, file::Durability::Unsynced)
}

fn parse(bytes: &[u8]) -> Option<Map<String, Value>> {
    // Editors on other systems put a byte order mark in front.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice(bytes).ok()
}

impl Report {
    fn from_object(mut object: Map<String, Value>) -> Self {
        let mut ignored = 0;
        let report = Self {
            status: take(&mut object, "status", &mut ignored),
            reason: take(&mut object, "reason", &mut ignored),
            summary: take(&mut object, "summary", &mut ignored),
            session_id: take(&mut object, "session_id", &mut ignored),
            usage: take(&mut object, "usage", &mut ignored),
            cost_usd: take_within(&mut object, "cost_usd", f64::MAX, &mut ignored),
            context_usage_percent: take_within(&mut object, "context_usage_percent", 100.0, &mut ignored),
            objectives: take(&mut object, "objectives", &mut ignored),
            notes: take(&mut object, "notes", &mut ignored).unwrap_or_default(),
            custom: take(&mut object, "custom", &mut ignored),
            error_class: take(&mut object, "error_class", &mut ignored),
            message: take(&mut object, "message", &mut ignored),
            ignored_fields: 0,
        };
        Self { ignored_fields: ignored + object.len(), ..report }
    }
}

/// Takes a field out; null means absent, and the wrong type is ignored.
fn take<T: DeserializeOwned>(object: &mut Map<String, Value>, name: &str, ignored: &mut usize) -> Option<T> {
    let value = object.remove(name).filter(|value| !value.is_null())?;
    let taken = serde_json::from_value(value).ok();
    *ignored += usize::from(taken.is_none());
    taken
}

/// Takes a number that makes sense only between 0 and `most`.
fn take_within(object: &mut Map<String, Value>, name: &str, most: f64, ignored: &mut usize) -> Option<f64> {
    let number = take::<f64>(object, name, ignored)?;
    let makes_sense = (0.0..=most).contains(&number);
    *ignored += usize::from(!makes_sense);
    makes_sense.then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Result<Option<Report>, ReportProblem> {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(crate::outbox(directory.path())).unwrap();
        file::create_new(&report_file(directory.path()), text, file::Durability::Unsynced).unwrap();
        read_report(directory.path())
    }

    fn report(text: &str) -> Report {
        read(text.as_bytes()).unwrap().unwrap()
    }

    #[test]
    fn every_field_is_read() {
        let report = report(
            r#"{"status": "done", "reason": "r", "summary": "s", "session_id": "i",
                "usage": {"input_tokens": 1, "output_tokens": 2, "cached_input_tokens": 3},
                "cost_usd": 0.25, "context_usage_percent": 61.5,
                "objectives": {"completed": ["a"], "pending": ["b", "c"]},
                "custom": {"k": [1]}, "error_class": "auth", "message": "m"}"#,
        );
        assert_eq!(report.status, Some(Status::Done));
        assert_eq!(
            report.usage,
            Some(Usage { input_tokens: 1, output_tokens: 2, cached_input_tokens: Some(3) })
        );
        assert_eq!((report.cost_usd, report.context_usage_percent), (Some(0.25), Some(61.5)));
        assert_eq!(report.objectives.as_ref().unwrap().pending, ["b", "c"]);
        assert_eq!(report.custom.as_ref().unwrap()["k"][0], 1);
        let texts =
            [&report.reason, &report.summary, &report.session_id, &report.error_class, &report.message];
        assert_eq!(texts.map(|text| text.as_deref().unwrap()), ["r", "s", "i", "auth", "m"]);
        assert_eq!(report.ignored_fields, 0);
        assert_eq!(serde_json::from_value::<Report>(serde_json::to_value(&report).unwrap()).unwrap(), report);
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
        let report = report(
            r#"{"status": "finished", "summary": 7, "reason": null, "cost_usd": -1, "context_usage_percent": 101,
                "usage": {"input_tokens": -5, "output_tokens": 1}, "message": "kept", "colour": "red"}"#,
        );
        let kept = Report { message: Some("kept".into()), ignored_fields: 6, ..Report::default() };
        assert_eq!(report, kept);
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
