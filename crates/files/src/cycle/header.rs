//! The table at the head of a role's document: version, previous, changes, date, cycle, iteration.

use piton_model::cycle::version_of;

use super::markdown::{cell, cells, with_line_feeds, without_blank_ends};
use super::version::{is_version, previous_version};

/// What is said of the changes at most, in characters.
const CHANGES_CHARS_MAX: usize = 300;

/// Lines in which a header is looked for.
const HEAD_LINES_MAX: usize = 40;

/// What a document says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    pub version: String,
    pub previous: Option<String>,
    /// What is new in this version, in a line.
    pub changes: String,
    pub date: String,
    pub cycle: String,
    pub iteration: u32,
}

impl Header {
    /// The one that every document of an iteration has.
    pub fn of_iteration(cycle: &str, iteration: u32, date: &str, changes: &str) -> Self {
        Self {
            version: version_of(iteration),
            previous: previous_version(iteration),
            changes: changes.to_owned(),
            date: date.to_owned(),
            cycle: cycle.to_owned(),
            iteration,
        }
    }
}

/// A document: its title, its header, and the body as it is.
pub(super) fn page(title: &str, header: &Header, body: &str) -> String {
    let changes: String = header.changes.chars().take(CHANGES_CHARS_MAX).collect();
    let iteration = header.iteration.to_string();
    let rows = [
        ("Version", header.version.as_str()),
        ("Previous", header.previous.as_deref().unwrap_or("none")),
        ("Changes", &changes),
        ("Date", &header.date),
        ("Cycle", &header.cycle),
        ("Iteration", &iteration),
    ];
    let rows: String = rows.iter().map(|(name, value)| format!("| {name} | {} |\n", cell(value))).collect();
    let body = with_line_feeds(body);
    format!("# {title}\n\n| Field | Value |\n|---|---|\n{rows}\n{}\n", without_blank_ends(&body))
}

/// The header of a document, and all that follows it. One of an agent's may have other rows, or none; what is not there
/// is empty.
pub(super) fn split(text: &str) -> (Header, String) {
    let text = with_line_feeds(text);
    match table(&text) {
        Some((header, body)) => (header, without_blank_ends(body).to_owned()),
        None => {
            let header = Header { version: loose_version(&text).unwrap_or_default(), ..Header::default() };
            (header, without_blank_ends(&text).to_owned())
        }
    }
}

/// The table with a version before which only headings stand, and the text behind it.
fn table(text: &str) -> Option<(Header, &str)> {
    let mut header = Header::default();
    let (mut is_within, mut end) = (false, 0);
    for line in text.split_inclusive('\n').take(HEAD_LINES_MAX) {
        match cells(line) {
            Some(row) => {
                is_within = true;
                header.take(&row);
            }
            None if is_within => break,
            None if line.trim().is_empty() || line.starts_with('#') => {}
            None => return None,
        }
        end += line.len();
    }
    (!header.version.is_empty()).then(|| (header, &text[end..]))
}

impl Header {
    fn take(&mut self, row: &[String]) {
        let [name, value, ..] = row else { return };
        let name = name.replace('*', "").trim().to_ascii_lowercase();
        let value = value.trim_matches(['*', '`']).trim().to_owned();
        match name.as_str() {
            "version" => {
                let version = value.trim_start_matches(['v', 'V']);
                self.version = if is_version(version) { version.to_owned() } else { String::new() };
            }
            "previous" | "previous version" => self.previous = Some(value).filter(|value| is_version(value)),
            "changes" => self.changes = value,
            "date" | "last updated" | "updated" => self.date = value,
            "cycle" | "cycle id" => self.cycle = value,
            "iteration" => self.iteration = value.parse().unwrap_or(0),
            _ => {}
        }
    }
}

/// `# Requirements v1.1.0`, or a line `Version: 1.1.0`, near the top.
fn loose_version(text: &str) -> Option<String> {
    let candidates = text.lines().take(10).filter(|line| {
        let lower = line.to_ascii_lowercase();
        line.starts_with('#') || lower.trim_start_matches(['*', '-', ' ']).starts_with("version")
    });
    candidates.flat_map(|line| line.split([' ', ':', '*', '(', ')', ','])).find_map(|word| {
        let version = word.trim_start_matches(['v', 'V']);
        (is_version(version) && version.matches('.').count() == 2).then(|| version.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_reads_back() {
        let header = Header::of_iteration("cycle-v1-x", 2, "2026-01-22T11:00:00+08:00", "a | b");
        let body = "| a | table |\n|---|---|\n| version | 9.9.9 |\n\n# More\ntext";
        assert_eq!(split(&page("Requirements", &header, body)), (header.clone(), body.to_owned()));
        assert_eq!(split(&page("Requirements", &header, "\n\n")), (header, String::new()));
    }

    #[test]
    fn headers_of_agents_are_found() {
        let (header, body) =
            split("# Spec\n\n## Status\r\n| **Version** | `v1.1.0` |\n|--|--|\n| Who | me |\n\ntext\n");
        assert_eq!((header.version.as_str(), body.as_str()), ("1.1.0", "text"));
        let (header, body) = split("# Requirements - v1.2.0\n\ntext");
        assert_eq!((header.version.as_str(), body.as_str()), ("1.2.0", "# Requirements - v1.2.0\n\ntext"));
        assert_eq!(split("Version: 1.0.0\n").0.version, "1.0.0");
        assert_eq!(split("no version 1 here\n| a | b |\n").0, Header::default());
    }
}
