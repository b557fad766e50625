//! What agents want remembered: short entries in the `AGENTS.md` of the directory they are about.
//!
//! Pure: the text of a file goes in, the new text comes out. An entry that is too short to help, too long to be read,
//! or there already is left out, and so is everything beyond what somebody will still read.

use piton_model::workflow::{is_inside, shown};
use serde_json::Value;

/// Fewer characters say nothing; more are not read.
const ENTRY_CHARACTERS: std::ops::RangeInclusive<usize> = 15..=150;
/// A file of more lines is not added to: somebody should look through it first.
const LINES_MAX: usize = 200;
/// Most entries of one report: more than these is nothing that was learnt in one step.
const MEMORIES_MAX: usize = 50;
/// Words that begin an entry which helps nobody.
const LOW_VALUE: [&str; 6] = ["completed ", "done ", "finished ", "task ", "successfully ", "the task"];

/// Something to remember.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The directory it is about, relative to the repository.
    pub scope: String,
    /// The heading it belongs under.
    pub section: String,
    /// What to remember.
    pub entry: String,
}

/// The memories in what a report says, and why others are none.
pub fn memories(updates: &[Value]) -> (Vec<Memory>, Vec<String>) {
    let (mut good, mut refused) = (Vec::new(), Vec::new());
    for update in updates.iter().take(MEMORIES_MAX) {
        let text = |name: &str, default: &str| {
            let found = update.get(name).and_then(Value::as_str).unwrap_or(default);
            found.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let memory =
            Memory { scope: text("scope", "."), section: text("section", "Notes"), entry: text("entry", "") };
        match problem(&memory) {
            None => good.push(memory),
            Some(why) => refused.push(format!("`{}` is not remembered: {why}", shown(&memory.entry))),
        }
    }
    (good, refused)
}

fn problem(memory: &Memory) -> Option<&'static str> {
    let low = memory.entry.to_lowercase();
    if !ENTRY_CHARACTERS.contains(&memory.entry.chars().count()) {
        return Some("it has fewer than 15 or more than 150 characters");
    }
    if LOW_VALUE.iter().any(|word| low.starts_with(word)) {
        return Some("it only says that something was done");
    }
    if memory.scope != "." && !is_inside(&memory.scope) {
        return Some("its scope is outside of the repository");
    }
    memory.section.starts_with('#').then_some("its section begins with `#`")
}

/// The text of an `AGENTS.md` with this entry in it; `None` where it has it, or is full.
pub fn remembered(text: &str, memory: &Memory) -> Option<String> {
    let line = format!("- {}", memory.entry);
    let known = |found: &str| found.trim().eq_ignore_ascii_case(&line);
    if text.lines().any(known) || text.lines().count() >= LINES_MAX {
        return None;
    }
    let heading = format!("## {}", memory.section);
    let mut lines: Vec<&str> = text.lines().collect();
    match lines.iter().position(|found| found.trim_end() == heading) {
        Some(at) => {
            let next = lines[at + 1..].iter().position(|found| found.starts_with('#'));
            let mut end = next.map_or(lines.len(), |next| at + 1 + next);
            while end > at + 1 && lines[end - 1].trim().is_empty() {
                end -= 1;
            }
            if end == at + 1 {
                lines.insert(end, "");
                end += 1;
            }
            lines.insert(end, &line);
        }
        None => {
            if lines.is_empty() {
                lines.push("# Notes for agents");
            }
            if lines.last().is_some_and(|last| !last.trim().is_empty()) {
                lines.push("");
            }
            lines.extend([heading.as_str(), "", line.as_str()]);
        }
    }
    Some(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(entry: &str) -> Memory {
        Memory { scope: ".".to_owned(), section: "Gotchas".to_owned(), entry: entry.to_owned() }
    }

    #[test]
    fn an_entry_goes_under_its_heading_once() {
        let first = remembered("", &memory("run the migrations before the tests")).unwrap();
        assert_eq!(first, "# Notes for agents\n\n## Gotchas\n\n- run the migrations before the tests\n");
        assert_eq!(remembered(&first, &memory("Run the migrations before the tests")), None);
        let text = "# A\n\n## Gotchas\n\n- one\n\n## Other\n\n- two\n";
        let second = remembered(text, &memory("the cache is keyed by locale")).unwrap();
        assert_eq!(
            second,
            "# A\n\n## Gotchas\n\n- one\n- the cache is keyed by locale\n\n## Other\n\n- two\n"
        );
    }

    #[test]
    fn what_helps_nobody_is_refused() {
        let updates = serde_json::json!([
            {"entry": "too short"}, {"entry": "completed the implementation of the feature"},
            {"entry": "the build needs protoc 3.20 or newer", "scope": "../other"},
            {"entry": "the build needs protoc 3.20 or newer", "scope": "crates/a"}, {"entry": 7},
        ]);
        let (good, refused) = memories(updates.as_array().unwrap());
        assert_eq!(good.len(), 1, "{good:?}");
        assert_eq!((good[0].scope.as_str(), good[0].section.as_str()), ("crates/a", "Notes"));
        assert_eq!(refused.len(), 4, "{refused:?}");
    }
}
