//! `coordination/feedback.md` and `coordination/decisions.log`: who told whom what, what was decided, what stood in the way.

use piton_model::Timestamp;
use piton_model::cycle::{Blocker, BlockerStatus, Decision, DecisionStatus, Feedback, FeedbackKind, State};
use serde::Deserialize;

use super::markdown::one_line;
use super::ndjson::{line, read_lines};
use super::zone::Zone;
use crate::plain::object;

/// `feedback.md`: the last entries of the feedback log, decisions, blockers, and who waits for whom.
pub fn feedback_page(state: &State, zone: Zone) -> String {
    let log = &state.feedback;
    let older = log.total - log.recent.len() as u64;
    let older = (older > 0).then(|| format!("_{older} older entries are in the journal._\n"));
    let timeline = section(older.into_iter().chain(log.recent.iter().map(|entry| feedback(entry, zone))));
    let decisions = section(state.decisions.iter().map(decision));
    let blockers = section(state.blockers.iter().map(blocker));
    let waits = state.config.roles.iter().filter(|role| !role.after.is_empty()).map(|role| {
        let after: Vec<&str> = role.after.iter().map(|name| name.as_str()).collect();
        format!("- {} waits for {}\n", role.name, after.join(", "))
    });
    let (iteration, most) = (state.iteration, state.config.limits.iterations);
    format!(
        "# Feedback\n\n## Timeline\n\n{timeline}\n## Decision Records\n\n{decisions}\n## Blockers & Resolutions\n\n{blockers}\n\
         ## Cross-agent Dependencies\n\n{}\n{ITERATIONS}\n\n- {iteration} of {most}\n",
        section(waits)
    )
}

/// Above how many iterations there were, and may be.
const ITERATIONS: &str = "## Iterations";

/// How many iterations there may be, where `feedback.md` says so.
pub(super) fn read_most_iterations(text: &str) -> Option<u32> {
    let below = text.lines().skip_while(|line| *line != ITERATIONS).skip(1);
    let mut counts = below.filter_map(|line| line.strip_prefix("- ")?.split_once(" of ")?.1.parse().ok());
    counts.next()
}

fn section(lines: impl Iterator<Item = String>) -> String {
    let text: String = lines.collect();
    if text.is_empty() { "_None._\n".to_owned() } else { text }
}

/// `- [10:45:00] user: to ra, requirement_update: …`.
fn feedback(entry: &Feedback, zone: Zone) -> String {
    let (time, source, content) =
        (zone.time_of_day(entry.at), one_line(&entry.source), one_line(&entry.content));
    format!("- [{time}] {source}: to {}, {}: {content}\n", entry.target, entry.kind)
}

fn decision(decision: &Decision) -> String {
    let mut text = format!("- {} ({}): {}\n", decision.id, decision.status, one_line(&decision.description));
    let options: Vec<String> = decision.options.iter().map(|option| one_line(option)).collect();
    if !options.is_empty() {
        text.push_str(&format!("  - options: {}\n", options.join("; ")));
    }
    if let Some(chosen) = &decision.chosen_option {
        let by = decision.made_by.as_deref().map(|by| format!(" (by {})", one_line(by))).unwrap_or_default();
        text.push_str(&format!("  - chosen: {}{by}\n", one_line(chosen)));
    }
    text
}

fn blocker(blocker: &Blocker) -> String {
    let (description, by) = (one_line(&blocker.description), one_line(&blocker.reported_by));
    let resolution = match (&blocker.resolution, blocker.status) {
        (Some(resolution), _) => format!("  - resolution: {}\n", one_line(resolution)),
        (None, BlockerStatus::Open | BlockerStatus::Resolved | BlockerStatus::Workaround) => String::new(),
    };
    format!("- {} ({}), reported by {by}: {description}\n{resolution}", blocker.id, blocker.status)
}

/// What `feedback.md` still says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ReadFeedback {
    /// Who told whom what, each with its time of day.
    pub(super) feedback: Vec<Feedback>,
    /// What was, or is to be, decided.
    pub(super) decisions: Vec<Decision>,
    /// What stood in the way.
    pub(super) blockers: Vec<Blocker>,
}

/// Reads `feedback.md`, from `since` on.
pub(super) fn read_feedback(text: &str, since: Timestamp, zone: Zone) -> ReadFeedback {
    let (mut read, mut near) = (ReadFeedback::default(), since);
    for line in text.lines() {
        if let Some(entry) = read_entry(line, near, zone) {
            near = entry.at;
            read.feedback.push(entry);
        } else if let Some(blocker) = read_blocker(line) {
            read.blockers.push(blocker);
        } else if let Some(decision) = read_decision(line) {
            read.decisions.push(decision);
        } else {
            read.detail(line);
        }
    }
    read
}

impl ReadFeedback {
    /// A line that says more of the decision, or of what stands in the way, above it.
    fn detail(&mut self, line: &str) {
        if let (Some(how), Some(last)) = (line.strip_prefix("  - resolution: "), self.blockers.last_mut()) {
            last.resolution = Some(how.to_owned());
        }
        let Some(last) = self.decisions.last_mut() else { return };
        if let Some(options) = line.strip_prefix("  - options: ") {
            last.options = options.split("; ").map(str::to_owned).collect();
        } else if let Some(chosen) = line.strip_prefix("  - chosen: ") {
            let by = chosen.strip_suffix(')').and_then(|chosen| chosen.rsplit_once(" (by "));
            (last.chosen_option, last.made_by) = match by {
                Some((option, by)) => (Some(option.to_owned()), Some(by.to_owned())),
                None => (Some(chosen.to_owned()), None),
            };
        }
    }
}

/// The decisions of both files. The log has their very words; `feedback.md` knows those that are not in it, or were made since.
pub(super) fn both_say(mut log: Vec<Decision>, page: Vec<Decision>) -> Vec<Decision> {
    for other in page {
        match log.iter_mut().find(|known| known.id == other.id) {
            Some(known) if known.status == DecisionStatus::Pending => {
                (known.status, known.made_by) = (other.status, other.made_by);
                let option =
                    known.options.iter().find(|option| Some(one_line(option)) == other.chosen_option);
                known.chosen_option = option.cloned().or(other.chosen_option);
            }
            Some(_) => {}
            None => log.push(other),
        }
    }
    log
}

/// `- DEC-001 (made): Which provider first?`
fn read_decision(line: &str) -> Option<Decision> {
    let (id, rest) = line.strip_prefix("- ")?.split_once(" (")?;
    let (status, description) = rest.split_once("): ")?;
    let is_name = !id.is_empty() && !id.contains(' ');
    is_name.then_some(Decision {
        id: id.to_owned(),
        description: description.to_owned(),
        options: Vec::new(),
        made_by: None,
        chosen_option: None,
        status: DecisionStatus::from_word(status)?,
        waits: false,
    })
}

fn read_entry(line: &str, near: Timestamp, zone: Zone) -> Option<Feedback> {
    let (time, rest) = line.strip_prefix("- [")?.split_once("] ")?;
    let (source, rest) = rest.split_once(": to ")?;
    let (target, rest) = rest.split_once(", ")?;
    let (kind, content) = rest.split_once(": ")?;
    Some(Feedback {
        at: zone.at_time_of_day(time, near)?,
        source: source.to_owned(),
        target: target.into(),
        content: content.to_owned(),
        kind: FeedbackKind::from_word(kind)?,
    })
}

fn read_blocker(line: &str) -> Option<Blocker> {
    let (id, rest) = line.strip_prefix("- ")?.split_once(" (")?;
    let (status, rest) = rest.split_once("), reported by ")?;
    let (by, description) = rest.split_once(": ")?;
    Some(Blocker {
        id: id.to_owned(),
        description: description.to_owned(),
        reported_by: by.to_owned(),
        status: BlockerStatus::from_word(status)?,
        resolution: None,
    })
}

/// The lines of `decisions.log` for a decision: one for each step that it has taken.
pub fn decision_lines(decision: &Decision) -> Vec<String> {
    let (id, description) = (decision.id.as_str(), decision.description.as_str());
    let asked = line(&object! {
        id: id, status: DecisionStatus::Pending, description: description, options: decision.options.as_slice(),
    });
    let step = |status: DecisionStatus| {
        line(&object! {
            id: id, status: status, made_by?: decision.made_by.as_deref(),
            chosen_option?: decision.chosen_option.as_deref(),
        })
    };
    match decision.status {
        DecisionStatus::Pending => vec![asked],
        DecisionStatus::Made => vec![asked, step(DecisionStatus::Made)],
        DecisionStatus::Implemented => {
            vec![asked, step(DecisionStatus::Made), step(DecisionStatus::Implemented)]
        }
    }
}

/// The decisions of a log, each as its last line has it.
pub(super) fn read_decisions(bytes: &[u8]) -> Vec<Decision> {
    #[derive(Deserialize)]
    struct Line {
        id: String,
        status: DecisionStatus,
        #[serde(default)]
        description: String,
        #[serde(default)]
        options: Vec<String>,
        made_by: Option<String>,
        chosen_option: Option<String>,
    }
    let mut decisions: Vec<Decision> = Vec::new();
    for value in read_lines(bytes).values {
        let Ok(line) = serde_json::from_value::<Line>(value) else { continue };
        match decisions.iter_mut().find(|known| known.id == line.id) {
            Some(known) => {
                known.status = line.status;
                known.made_by = line.made_by.or(known.made_by.take());
                known.chosen_option = line.chosen_option.or(known.chosen_option.take());
            }
            None => decisions.push(Decision {
                id: line.id,
                description: line.description,
                options: line.options,
                made_by: line.made_by,
                chosen_option: line.chosen_option,
                status: line.status,
                waits: false,
            }),
        }
    }
    decisions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_leaves_a_line_for_each_step_and_reads_back() {
        let mut known = Decision {
            id: "DEC-001".to_owned(),
            description: "Which provider first?".to_owned(),
            options: vec!["Google".to_owned(), "GitHub".to_owned()],
            made_by: None,
            chosen_option: None,
            status: DecisionStatus::Pending,
            waits: false,
        };
        let asked = decision_lines(&known);
        assert_eq!(read_decisions(asked.join("\n").as_bytes()), [known.clone()]);
        (known.status, known.made_by, known.chosen_option) =
            (DecisionStatus::Implemented, Some("user".to_owned()), Some("GitHub".to_owned()));
        let lines = decision_lines(&known);
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0], asked[0], "what was written before stays as it is");
        assert_eq!(read_decisions(lines.join("\n").as_bytes()), [known]);
    }
}
