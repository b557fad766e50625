//! `changes.log` of each role: a line for every file that was changed, or for every version of a document.
//!
//! There are two shapes of lines, and both are read: a file that was changed has `file`, a document that got a version has
//! `version`. A line whose `action` is `iteration` marks that the changes of an iteration are complete.

use std::collections::BTreeMap;

use piton_model::Timestamp;
use piton_model::cycle::{ChangeAction, ChangeEntry, LogLine, RoleName};
use serde_json::Value;

use super::ndjson::{line, read_lines};
use super::zone::{Zone, moment};
use crate::plain::object;

/// What the line that ends an iteration has for its action.
const MARKER: &str = "iteration";

/// The line of a file that was changed.
pub fn change_line(change: &ChangeEntry, zone: Zone) -> String {
    line(&object! {
        timestamp: zone.show(change.at),
        iteration: change.iteration,
        file: change.file.as_str(),
        action: change.action,
        task?: change.task.as_deref(),
        agent: change.agent.as_str(),
        description: change.description.as_str(),
        lines_added: change.lines_added,
        lines_removed: change.lines_removed,
    })
}

/// The line that says when the changes of an iteration were complete.
pub fn marker_line(iteration: u32, at: Timestamp, zone: Zone) -> String {
    line(&object! { timestamp: zone.show(at), iteration: iteration, action: MARKER, })
}

/// The line of a document that got a version.
pub fn document_line(role: &RoleName, entry: &LogLine, zone: Zone) -> String {
    line(&object! {
        timestamp: zone.show(entry.at),
        iteration: entry.iteration,
        version: entry.version.as_str(),
        agent: role.as_str(),
        action: if entry.created { "create" } else { "update" },
        document: entry.document.as_str(),
        change: entry.change.as_str(),
    })
}

/// What a log of changes says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadChanges {
    /// Files that were changed.
    pub changes: Vec<ChangeEntry>,
    /// Documents that got a version.
    pub documents: Vec<LogLine>,
    /// By iteration: when its changes were complete.
    pub markers: BTreeMap<u32, Timestamp>,
    /// Lines that say neither.
    pub unreadable: usize,
    /// The last line is cut off, and does not count.
    pub torn: bool,
}

/// Reads a log of changes, of `role` where a line does not say whose it is.
pub fn read_changes(bytes: &[u8], role: &RoleName) -> ReadChanges {
    let lines = read_lines(bytes);
    let mut read =
        ReadChanges { unreadable: lines.unreadable.len(), torn: lines.torn, ..ReadChanges::default() };
    for value in &lines.values {
        let entry = Entry(value);
        if entry.text("action") == Some(MARKER) {
            read.markers.insert(entry.number("iteration") as u32, entry.at());
        } else if let Some(change) = entry.change(role) {
            read.changes.push(change);
        } else if let Some(document) = entry.document() {
            read.documents.push(document);
        } else {
            read.unreadable += 1;
        }
    }
    read
}

struct Entry<'a>(&'a Value);

impl Entry<'_> {
    fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(Value::as_str)
    }

    fn number(&self, key: &str) -> u64 {
        self.0.get(key).and_then(Value::as_u64).unwrap_or(0)
    }

    fn at(&self) -> Timestamp {
        self.text("timestamp").and_then(moment).unwrap_or_default()
    }

    fn iteration(&self) -> u32 {
        u32::try_from(self.number("iteration")).unwrap_or(u32::MAX)
    }

    fn change(&self, role: &RoleName) -> Option<ChangeEntry> {
        Some(ChangeEntry {
            at: self.at(),
            file: self.text("file").filter(|file| !file.is_empty())?.to_owned(),
            action: self.text("action").and_then(action)?,
            iteration: self.iteration(),
            agent: self.text("agent").map_or_else(|| role.clone(), RoleName::from),
            description: self.text("description").or(self.text("change")).unwrap_or_default().to_owned(),
            task: self.text("task").map(str::to_owned),
            lines_added: self.number("lines_added"),
            lines_removed: self.number("lines_removed"),
        })
    }

    fn document(&self) -> Option<LogLine> {
        let change = self.text("change").or(self.text("description"))?;
        Some(LogLine {
            at: self.at(),
            iteration: self.iteration(),
            version: self.text("version")?.to_owned(),
            document: self.text("document").or(self.text("id")).unwrap_or_default().to_owned(),
            created: self.text("action").and_then(action) == Some(ChangeAction::Create),
            change: change.to_owned(),
        })
    }
}

/// The format's word, or another for the same.
fn action(word: &str) -> Option<ChangeAction> {
    match word {
        "created" | "add" | "added" | "new" => Some(ChangeAction::Create),
        "modified" | "update" | "updated" | "edit" => Some(ChangeAction::Modify),
        "deleted" | "remove" | "removed" => Some(ChangeAction::Delete),
        other => ChangeAction::from_word(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cd() -> RoleName {
        RoleName::from("cd")
    }

    fn change() -> ChangeEntry {
        ChangeEntry {
            at: moment("2026-01-22T10:30:00.120+08:00").unwrap(),
            file: "src/a \"b\".ts".to_owned(),
            action: ChangeAction::Create,
            iteration: 2,
            agent: cd(),
            description: "two\nlines".to_owned(),
            task: Some("TASK-001".to_owned()),
            lines_added: 7,
            lines_removed: 0,
        }
    }

    #[test]
    fn a_line_gives_back_what_it_was_made_of() {
        let zone = Zone::default();
        let bare = ChangeEntry { task: None, description: String::new(), ..change() };
        let document = LogLine {
            at: change().at,
            iteration: 2,
            version: "1.1.0".to_owned(),
            document: "requirements.md".to_owned(),
            created: false,
            change: "MFA".to_owned(),
        };
        let lines = [
            change_line(&change(), zone),
            change_line(&bare, zone),
            document_line(&"ra".into(), &document, zone),
            marker_line(2, change().at, zone),
        ];
        assert!(
            lines[0]
                .starts_with("{\"timestamp\":\"2026-01-22T10:30:00.120+08:00\",\"iteration\":2,\"file\":")
        );
        let read = read_changes((lines.join("\n") + "\n{\"timest").as_bytes(), &cd());
        assert_eq!(read.changes, [change(), bare]);
        assert_eq!(read.documents, [document]);
        assert_eq!(read.markers, BTreeMap::from([(2, change().at)]));
        assert_eq!((read.unreadable, read.torn), (0, true));
    }

    #[test]
    fn both_shapes_of_the_original_are_read() {
        let text = r#"{"timestamp":"2026-01-22T10:00:00+08:00","version":"1.0.0","agent":"ra","action":"create","change":"first","iteration":1}
{"timestamp":"2026-01-22T11:00:00+08:00","iteration":2,"version":"1.1.0","action":"update","type":"requirement","id":"FR-003","description":"MFA"}
{"timestamp":"2026-01-22T11:00:00+08:00","iteration":2,"file":"src/a.ts","action":"modify","task":"TASK-002","description":"d","lines_added":3,"lines_removed":1}
{"what":"is this"}
"#;
        let read = read_changes(text.as_bytes(), &cd());
        assert_eq!((read.documents.len(), read.changes.len(), read.unreadable), (2, 1, 1));
        assert!(read.documents[0].created);
        assert_eq!(read.documents[1].document, "FR-003");
        assert_eq!(read.changes[0].agent, cd());
    }
}
