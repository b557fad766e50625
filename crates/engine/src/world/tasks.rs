//! Task lists that drive a loop: Markdown checkboxes, and a `prd.json` whose stories pass or do not.

use std::path::Path;

use piton_sys::file;
use serde_json::Value;

/// Larger lists are not read.
const LIST_BYTES_MAX: u64 = 4 << 20;

/// How far a list has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tasks {
    pub(super) done: usize,
    pub(super) all: usize,
}

impl Tasks {
    /// Every task is done. A list without a task says nothing, least of all that.
    pub(super) fn are_done(self) -> bool {
        self.all > 0 && self.done == self.all
    }
}

/// Reads the list at `path`. One that is not there, or cannot be read, has no tasks.
pub(super) fn read(path: &Path) -> Tasks {
    let Ok(Some(bytes)) = file::read_regular(path, LIST_BYTES_MAX) else { return Tasks::default() };
    let text = String::from_utf8_lossy(&bytes);
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    if is_json {
        serde_json::from_str(&text).map_or_else(|_| Tasks::default(), |value| in_json(&value))
    } else {
        in_markdown(&text)
    }
}

/// Items such as `- [x] write it`; what stands in a fenced block is an example.
fn in_markdown(text: &str) -> Tasks {
    let mut tasks = Tasks::default();
    let mut fence: Option<&str> = None;
    for line in text.lines().map(str::trim_start) {
        let marker = ["```", "~~~"].into_iter().find(|marker| line.starts_with(marker));
        match (fence, marker) {
            (Some(open), Some(marker)) if open == marker => fence = None,
            (None, Some(marker)) => fence = Some(marker),
            (Some(_), _) => {}
            (None, None) => {
                if let Some(done) = checkbox(line) {
                    tasks.all += 1;
                    tasks.done += usize::from(done);
                }
            }
        }
    }
    tasks
}

fn checkbox(line: &str) -> Option<bool> {
    let item = match line.strip_prefix(['-', '*', '+']) {
        Some(rest) => rest,
        None => {
            let rest = line.trim_start_matches(|character: char| character.is_ascii_digit());
            rest.strip_prefix(['.', ')']).filter(|_| rest.len() < line.len())?
        }
    };
    let text = item.strip_prefix([' ', '\t'])?.trim_start().strip_prefix('[')?;
    let (mark, rest) = text.split_once(']')?;
    let is_item = rest.is_empty() || rest.starts_with([' ', '\t']);
    match mark {
        "x" | "X" if is_item => Some(true),
        " " | "" if is_item => Some(false),
        _ => None,
    }
}

/// Every object that has `passes`, wherever it stands.
fn in_json(value: &Value) -> Tasks {
    let mut tasks = Tasks::default();
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        match value {
            Value::Array(items) => left.extend(items),
            Value::Object(fields) => {
                if let Some(passes) = fields.get("passes") {
                    tasks.all += 1;
                    tasks.done += usize::from(*passes == Value::Bool(true));
                }
                left.extend(fields.values());
            }
            _ => {}
        }
    }
    tasks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkboxes_are_counted_wherever_lists_have_them() {
        let text = "# Plan\n- [x] one\n  * [X] two\n1. [ ] three\n2) [x] four\n- [] five\n- not a task\n[x] nor this\n\
                    - [x](link) nor this\n- [maybe] nor this\n```\n- [ ] an example\n```\n~~~\n- [ ] ```\n~~~\n";
        assert_eq!(in_markdown(text), Tasks { done: 3, all: 5 });
    }

    #[test]
    fn stories_pass_or_do_not() {
        let value = serde_json::json!({"userStories": [
            {"id": 1, "passes": true}, {"id": 2, "passes": false}, {"id": 3, "passes": "true"},
        ]});
        assert_eq!(in_json(&value), Tasks { done: 1, all: 3 });
    }

    #[test]
    fn nothing_is_never_done() {
        assert!(!Tasks::default().are_done());
        assert!(!in_markdown("all done, believe me [x]\n").are_done());
        assert!(!read(Path::new("/nonexistent/fix_plan.md")).are_done());
        assert!(in_markdown("- [x] a\n").are_done());
    }
}
