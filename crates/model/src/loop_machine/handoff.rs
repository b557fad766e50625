//! What a fresh session is told of the one before it: a document of bounded size.
//!
//! Cut by items, not by bytes: every section keeps its first lines, and says how many are left out. A document that
//! is cut at its end would lose the tests that fail, which come last and matter most.

use std::collections::BTreeMap;

use piton_record::record;

use super::facts::NoteKind;
use super::state::State;
use super::tracker::{TestStatus, TestTracker};
use crate::Timestamp;
use crate::finding::Severity;
use crate::limits::clip;

/// A document that would be longer has fewer items per section.
pub const HANDOFF_BYTES_MAX: usize = 50_000;
/// Decisions that are shown, the newest.
const DECISIONS_SHOWN: usize = 5;
/// Longest item that is shown.
const ITEM_BYTES_MAX: usize = 500;

/// What is worth keeping of a session.
#[record(Default, written(completed_items, pending_items, modified_files, decisions, known_issues))]
#[serde(default)]
pub struct PreservedState {
    /// What is being worked on.
    pub current_objective: Option<String>,
    /// What is done.
    pub completed_items: Vec<String>,
    /// What is left.
    pub pending_items: Vec<String>,
    /// Files that were changed.
    pub modified_files: Vec<String>,
    /// What was decided, the newest last.
    pub decisions: Vec<Decision>,
    /// What is known to be wrong.
    pub known_issues: Vec<KnownIssue>,
    /// How the tests are, where that is known.
    pub test_state: Option<TestState>,
    /// The last commits, the newest first.
    pub commits: Vec<String>,
    /// Values kept with the run.
    pub custom: BTreeMap<String, serde_json::Value>,
}

/// Something that was decided.
#[record(Eq)]
pub struct Decision {
    pub description: String,
    pub rationale: Option<String>,
    /// When, where that is known.
    pub timestamp: Option<Timestamp>,
}

/// Something that is wrong.
#[record(Eq, omit(addressed))]
pub struct KnownIssue {
    pub description: String,
    /// How bad it is.
    pub severity: Severity,
    pub files: Vec<String>,
    /// It was taken care of.
    pub addressed: bool,
}

/// How the tests are.
#[record(Default, Eq, written)]
#[serde(default)]
pub struct TestState {
    /// Those that pass.
    pub passing: Vec<String>,
    /// Those that do not.
    pub failing: Vec<String>,
    /// Those that began to pass.
    pub fixed: Vec<String>,
    /// Those that stopped passing.
    pub regressed: Vec<String>,
}

impl TestState {
    /// The tests by name, and what the last round changed about them.
    pub fn of(tests: &TestTracker) -> Self {
        Self {
            passing: owned(tests.named(TestStatus::Passing)),
            failing: owned(tests.named(TestStatus::Failing)),
            fixed: owned(tests.just(TestStatus::Passing)),
            regressed: owned(tests.just(TestStatus::Failing)),
        }
    }
}

fn owned<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    names.cloned().collect()
}

impl PreservedState {
    /// What a state knows. The last commits are added by whoever can ask git.
    pub fn of(state: &State) -> Self {
        let decisions = state.standing_notes().filter(|kept| kept.note.kind == NoteKind::Decision);
        let findings = state.standing_notes().filter(|kept| kept.note.kind == NoteKind::Finding);
        let red =
            state.seen.checks.iter().flat_map(|round| round.checks.iter().filter(|check| !check.passed));
        let mut known_issues: Vec<KnownIssue> = red
            .map(|check| issue(format!("the check `{}` fails", check.name), Severity::High, Vec::new()))
            .collect();
        known_issues.extend(state.judged.findings.iter().filter(|kept| kept.finding.blocking).map(|kept| {
            let file = (!kept.finding.file.is_empty()).then(|| kept.finding.file.clone());
            let sentence = format!("refused in iteration {}: {}", kept.iteration, kept.finding.message);
            issue(sentence, Severity::High, file.into_iter().collect())
        }));
        known_issues.extend(findings.map(|kept| issue(kept.note.text.clone(), Severity::Medium, Vec::new())));
        Self {
            current_objective: Some(state.title.clone()).filter(|title| !title.is_empty()),
            completed_items: state.memory.objectives.completed.clone(),
            pending_items: state.memory.objectives.pending.clone(),
            modified_files: state.seen.modified_files.clone(),
            decisions: decisions
                .map(|kept| Decision {
                    description: kept.note.text.clone(),
                    rationale: None,
                    timestamp: None,
                })
                .collect(),
            known_issues,
            test_state: (!state.seen.tests.is_empty()).then(|| TestState::of(&state.seen.tests)),
            commits: Vec::new(),
            custom: state.memory.custom.clone(),
        }
    }

    /// The document, of at most `bytes_max` bytes. Empty where there is nothing to say.
    pub fn to_markdown(&self, bytes_max: usize) -> String {
        let sections = self.sections();
        // Fewer and fewer items per section, until it fits.
        let longest = sections.iter().map(|section| section.items.len()).max().unwrap_or(0);
        let mut items_max = longest;
        loop {
            let text = render(&sections, items_max);
            if text.len() <= bytes_max {
                return text;
            }
            if items_max <= 1 {
                // At the end of a line, so that nothing reads as what it is not.
                let start = clip(&text, bytes_max);
                return start[..start.rfind('\n').map_or(0, |end| end + 1)].to_owned();
            }
            items_max /= 2;
        }
    }

    fn sections(&self) -> Vec<Section> {
        let with = |mark: &'static str| move |item: &String| format!("{mark}{}", line(item));
        let open = self.known_issues.iter().filter(|issue| !issue.addressed);
        let mut issues: Vec<&KnownIssue> = open.collect();
        issues.sort_by_key(|issue| std::cmp::Reverse(issue.severity));
        let tests = self.test_state.as_ref();
        let failing = tests.map(|tests| tests.failing.as_slice()).unwrap_or_default();
        vec![
            Section::new("Current Objective", self.current_objective.iter().map(with(""))),
            // The newest are what the next session may want to look at.
            Section::newest("Completed", self.completed_items.iter().map(with("- [x] "))),
            Section::new("Pending", self.pending_items.iter().map(with("- [ ] "))),
            Section::new("Modified Files", self.modified_files.iter().map(with("- "))),
            Section::new("Key Decisions", self.decisions.iter().rev().take(DECISIONS_SHOWN).map(decision)),
            Section::new("Known Issues", issues.into_iter().map(known_issue)),
            Section::new("Failing Tests", failing.iter().map(with("- "))),
            Section::new("Recent Commits", self.commits.iter().map(with("- "))),
        ]
    }
}

struct Section {
    title: &'static str,
    items: Vec<String>,
    /// The last items are kept instead of the first.
    keeps_last: bool,
}

impl Section {
    fn new(title: &'static str, items: impl Iterator<Item = String>) -> Self {
        Self { title, items: items.collect(), keeps_last: false }
    }

    fn newest(title: &'static str, items: impl Iterator<Item = String>) -> Self {
        Self { title, items: items.collect(), keeps_last: true }
    }

    fn shown(&self, items_max: usize) -> &[String] {
        let hidden = self.items.len().saturating_sub(items_max);
        if self.keeps_last { &self.items[hidden..] } else { &self.items[..self.items.len() - hidden] }
    }
}

fn render(sections: &[Section], items_max: usize) -> String {
    let mut text = String::new();
    for section in sections.iter().filter(|section| !section.items.is_empty()) {
        let blank = if text.is_empty() { "" } else { "\n" };
        text.push_str(&format!("{blank}## {}\n\n", section.title));
        let shown = section.shown(items_max);
        for item in shown {
            text.push_str(item);
            text.push('\n');
        }
        if shown.len() < section.items.len() {
            text.push_str(&format!("- … and {} more\n", section.items.len() - shown.len()));
        }
    }
    text
}

fn decision(decision: &Decision) -> String {
    match &decision.rationale {
        Some(why) => format!("- {} ({})", line(&decision.description), line(why)),
        None => format!("- {}", line(&decision.description)),
    }
}

fn known_issue(issue: &KnownIssue) -> String {
    let files =
        if issue.files.is_empty() { String::new() } else { format!(" ({})", line(&issue.files.join(", "))) };
    format!("- [{}] {}{files}", issue.severity.as_str().to_uppercase(), line(&issue.description))
}

/// An item on one line: a line break in it would begin a section of its own.
fn line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short = clip(&words, ITEM_BYTES_MAX);
    if short.len() < words.len() { format!("{short}…") } else { words }
}

fn issue(description: String, severity: Severity, files: Vec<String>) -> KnownIssue {
    KnownIssue { description, severity, files, addressed: false }
}
