//! How much of a report is kept. What does not fit is cut or left out, and named among the warnings.

use serde_json::Value;

use super::facts::{Report, ReportedObjectives};
use crate::limits::{
    CUSTOM_KEYS_MAX, CUSTOM_VALUE_BYTES_MAX, CUSTOM_VALUE_DEPTH_MAX, HEARD_MAX, NOTES_MAX,
    OBJECTIVE_BYTES_MAX, OBJECTIVES_MAX, TAIL_BYTES_MAX, TEXT_BYTES_MAX, WARNINGS_MAX, clip,
};

/// Longest name of a session.
const SESSION_ID_BYTES_MAX: usize = 200;
/// The longest name that is quoted.
const NAME_BYTES_MAX: usize = 80;

impl Report {
    /// The report with no more than is kept of it.
    pub(super) fn bounded(mut self) -> Self {
        let mut cut = Vec::new();
        self.cut_texts(&mut cut);
        if let Some(objectives) = &mut self.objectives {
            cut_objectives(objectives, &mut cut);
        }
        self.cut_notes(&mut cut);
        self.cut_custom(&mut cut);
        if !cut.is_empty() {
            // In front: of too many warnings this one stays.
            self.warnings.insert(0, format!("too long in its report: {}", cut.join(", ")));
        }
        self.warnings.truncate(WARNINGS_MAX);
        for warning in &mut self.warnings {
            shorten(warning, TAIL_BYTES_MAX);
        }
        self.heard.retain(|words| words.len() <= TAIL_BYTES_MAX);
        self.heard.truncate(HEARD_MAX);
        self
    }

    fn cut_texts(&mut self, cut: &mut Vec<String>) {
        let texts = [
            ("reason", &mut self.reason, TEXT_BYTES_MAX),
            ("summary", &mut self.summary, TEXT_BYTES_MAX),
            ("session_id", &mut self.session_id, SESSION_ID_BYTES_MAX),
            ("message", &mut self.message, TEXT_BYTES_MAX),
        ];
        for (name, text, bytes_max) in texts {
            if text.as_mut().is_some_and(|text| shorten(text, bytes_max)) {
                cut.push(format!("{name} (cut to {})", size(bytes_max)));
            }
        }
    }

    fn cut_notes(&mut self, cut: &mut Vec<String>) {
        keep_first(&mut self.notes, NOTES_MAX, "notes", cut);
        let texts = self.notes.iter_mut().map(|note| &mut note.text);
        cut_each(texts, TAIL_BYTES_MAX, "notes", cut);
    }

    fn cut_custom(&mut self, cut: &mut Vec<String>) {
        self.custom.retain(|key, value| match misfit(key, value) {
            None => true,
            Some(why) => {
                cut.push(format!("custom.{} (left out, {why})", clip(key, NAME_BYTES_MAX)));
                false
            }
        });
        let all = self.custom.len();
        if let Some((first_left_out, _)) = self.custom.iter().nth(CUSTOM_KEYS_MAX) {
            let first_left_out = first_left_out.clone();
            self.custom.split_off(&first_left_out);
            cut.push(format!("custom ({CUSTOM_KEYS_MAX} of {all} kept)"));
        }
    }
}

fn cut_objectives(objectives: &mut ReportedObjectives, cut: &mut Vec<String>) {
    let lists = [
        ("objectives.completed", &mut objectives.completed),
        ("objectives.pending", &mut objectives.pending),
    ];
    for (name, list) in lists.into_iter().filter_map(|(name, list)| Some((name, list.as_mut()?))) {
        keep_first(list, OBJECTIVES_MAX, name, cut);
        cut_each(list.iter_mut(), OBJECTIVE_BYTES_MAX, name, cut);
    }
}

fn keep_first<T>(list: &mut Vec<T>, most: usize, name: &str, cut: &mut Vec<String>) {
    if list.len() > most {
        cut.push(format!("{name} ({most} of {} kept)", list.len()));
        list.truncate(most);
    }
}

fn cut_each<'a>(
    texts: impl Iterator<Item = &'a mut String>,
    bytes_max: usize,
    name: &str,
    cut: &mut Vec<String>,
) {
    if texts.filter_map(|text| shorten(text, bytes_max).then_some(())).count() > 0 {
        cut.push(format!("{name} (each cut to {})", size(bytes_max)));
    }
}

/// Cuts a text that is too long; whether it was.
fn shorten(text: &mut String, bytes_max: usize) -> bool {
    let is_too_long = text.len() > bytes_max;
    if is_too_long {
        *text = clip(text, bytes_max).to_owned();
    }
    is_too_long
}

/// Why a value is not kept.
fn misfit(key: &str, value: &Value) -> Option<String> {
    if depth(value) > CUSTOM_VALUE_DEPTH_MAX {
        return Some(format!("deeper than {CUSTOM_VALUE_DEPTH_MAX} levels"));
    }
    let bytes = serde_json::to_string(value).map_or(usize::MAX, |text| text.len());
    let is_too_large = key.len().saturating_add(bytes) > CUSTOM_VALUE_BYTES_MAX;
    is_too_large.then(|| format!("more than {}", size(CUSTOM_VALUE_BYTES_MAX)))
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

/// A bound in words.
fn size(bytes: usize) -> String {
    if bytes.is_multiple_of(1 << 10) { format!("{} KiB", bytes >> 10) } else { format!("{bytes} bytes") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::{Note, NoteKind};

    #[test]
    fn a_report_that_fits_is_kept_without_a_word() {
        let mut report = Report { summary: Some("s".repeat(TEXT_BYTES_MAX)), ..Report::default() };
        report.custom.insert("k".to_owned(), "v".repeat(CUSTOM_VALUE_BYTES_MAX - 3).into());
        assert_eq!(report.clone().bounded(), report);
    }

    #[test]
    fn all_that_does_not_fit_is_named_once() {
        let long = |bytes: usize| "x".repeat(bytes);
        let mut report = Report { reason: Some(long(9 << 10)), ..Report::default() };
        let completed = vec![long(600); OBJECTIVES_MAX + 1];
        report.objectives =
            Some(ReportedObjectives { completed: Some(completed), pending: Some(vec![long(501)]) });
        report.notes = vec![Note { kind: NoteKind::Finding, text: long(3 << 10) }; NOTES_MAX + 2];
        report.custom.insert("large".to_owned(), long(20 << 10).into());
        report.custom.extend((0..CUSTOM_KEYS_MAX + 1).map(|n| (format!("n{n:03}"), n.into())));
        let kept = report.bounded();
        assert_eq!(
            kept.warnings,
            ["too long in its report: reason (cut to 8 KiB), objectives.completed (200 of 201 kept), \
              objectives.completed (each cut to 500 bytes), objectives.pending (each cut to 500 bytes), \
              notes (20 of 22 kept), notes (each cut to 2 KiB), custom.large (left out, more than 16 KiB), \
              custom (100 of 101 kept)"]
        );
        assert_eq!((kept.custom.len(), kept.notes.len()), (CUSTOM_KEYS_MAX, NOTES_MAX));
    }
}
