//! `coordination/timeline.md`: what happened, a line each, only ever added to.
//!
//! `- 2026-01-22T10:00:00+08:00 [1] iteration started, version 1.0.0`: the time, the iteration, the fact.

use std::collections::BTreeMap;

use piton_model::Timestamp;
use piton_model::cycle::{
    IterationRecord, IterationVerdict, PhaseStatus, RoleName, RoleResult, TimelineEntry, TimelineFact,
    version_of,
};

use super::markdown::one_line;
use super::zone::{Zone, moment};

/// What the file begins with: whose it is, and what was to be done.
pub fn timeline_head(cycle_id: &str, task: &str, created_at: Timestamp, zone: Zone) -> String {
    let (created, task) = (zone.show(created_at), one_line(task));
    format!("# Timeline of {cycle_id}\n\nCreated: {created}\nTask: {task}\n\n")
}

/// The line of a fact.
pub fn timeline_line(entry: &TimelineEntry, zone: Zone) -> String {
    format!("- {} [{}] {}", zone.show(entry.at), entry.iteration, words(&entry.fact))
}

const STARTED: &str = "iteration started, version ";
const CONCLUDED: &str = "iteration concluded: ";

fn words(fact: &TimelineFact) -> String {
    match fact {
        TimelineFact::IterationStarted { version, extension: None } => format!("{STARTED}{version}"),
        TimelineFact::IterationStarted { version, extension: Some(text) } => {
            format!("{STARTED}{version}: {}", one_line(text))
        }
        TimelineFact::RoleEnded { role, status, files } => {
            format!("{role} {status}, {}", counted(*files, "file"))
        }
        TimelineFact::RoleLost { role } => format!("{role} lost"),
        TimelineFact::ChecksRun { passed, total } => format!("checks: {passed} of {total} pass"),
        TimelineFact::FeedbackGiven { source, target, kind } => {
            format!("feedback from {} to {target}: {kind}", one_line(source))
        }
        TimelineFact::DecisionMade { id, option: None } => format!("decision {id} settled"),
        TimelineFact::DecisionMade { id, option: Some(option) } => {
            format!("decision {id}: {}", one_line(option))
        }
        TimelineFact::BlockerReported { id, by } => format!("blocker {id} reported by {}", one_line(by)),
        TimelineFact::BlockerSettled { id } => format!("blocker {id} settled"),
        TimelineFact::PhaseErred { phase } => format!("error in {}", one_line(phase)),
        TimelineFact::IterationConcluded { verdict, issues } => {
            format!("{CONCLUDED}{verdict}, {}", counted(*issues, "issue"))
        }
        TimelineFact::Rested { status, reason } => format!("rests: {status} ({reason})"),
    }
}

/// `1 file`, `2 files`.
fn counted(count: u32, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// What can be known from a timeline.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ReadTimeline {
    pub(super) created_at: Option<Timestamp>,
    /// The same as it stands there.
    pub(super) created: String,
    pub(super) task: Option<String>,
    /// What was added to the task, by iteration.
    pub(super) extensions: BTreeMap<u32, String>,
    /// By its lines; the last may be under way.
    pub(super) iterations: Vec<IterationRecord>,
    /// How many issues each had that was concluded.
    pub(super) issues: BTreeMap<u32, usize>,
    /// When each role ended last, and in which iteration.
    pub(super) ended: BTreeMap<RoleName, (u32, Timestamp)>,
    /// Its last line is cut off, and does not count.
    pub(super) torn: bool,
}

/// Reads a timeline of piton's; lines of others say nothing.
pub(super) fn read_timeline(text: &str) -> ReadTimeline {
    let (whole, last) = text.rsplit_once('\n').unwrap_or(("", text));
    let mut read = ReadTimeline { torn: !last.trim().is_empty(), ..ReadTimeline::default() };
    for line in whole.lines() {
        if let Some(at) = line.strip_prefix("Created: ") {
            (read.created_at, read.created) = (moment(at), at.to_owned());
        } else if let Some(task) = line.strip_prefix("Task: ") {
            read.task = read.task.or(Some(task.to_owned()));
        } else if let Some((at, iteration, fact)) = parts(line) {
            read.take(at, iteration, fact);
        }
    }
    read
}

fn parts(line: &str) -> Option<(Timestamp, u32, &str)> {
    let (at, rest) = line.strip_prefix("- ")?.split_once(" [")?;
    let (iteration, fact) = rest.split_once("] ")?;
    Some((moment(at)?, iteration.parse().ok()?, fact))
}

impl ReadTimeline {
    fn take(&mut self, at: Timestamp, number: u32, fact: &str) {
        if let Some(started) = fact.strip_prefix(STARTED) {
            let (version, extension) = match started.split_once(": ") {
                Some((version, text)) => (version, Some(text.to_owned())),
                None => (started, None),
            };
            self.extensions.extend(extension.clone().map(|text| (number, text)));
            self.iterations.push(IterationRecord { extension, ..record(number, version, at) });
            return;
        }
        let Some(last) = self.iterations.last_mut().filter(|last| last.number == number) else { return };
        if let Some(concluded) = fact.strip_prefix(CONCLUDED) {
            let (verdict, issues) = concluded.split_once(", ").unwrap_or((concluded, ""));
            (last.completed_at, last.verdict) = (Some(at), IterationVerdict::from_word(verdict));
            let issues = issues.split(' ').next().and_then(|count| count.parse().ok());
            last.resolved =
                issues.map_or(verdict == IterationVerdict::Converged.as_str(), |count| count == 0);
            self.issues.extend(issues.map(|count| (number, count)));
        } else if let Some((role, status, files)) = role_ended(fact) {
            self.ended.insert(role.clone(), (number, at));
            last.agent_results
                .insert(role, RoleResult { status, files_modified: files, ..RoleResult::default() });
        }
    }
}

/// `ra completed, 3 files`.
fn role_ended(fact: &str) -> Option<(RoleName, PhaseStatus, u32)> {
    let (role, rest) = fact.split_once(' ')?;
    let (status, files) = rest.trim_end_matches('s').strip_suffix(" file")?.split_once(", ")?;
    let role = RoleName::from(role);
    role.is_sound().then_some((role, PhaseStatus::from_word(status)?, files.parse().ok()?))
}

/// An iteration of which only the beginning is known.
pub(super) fn record(number: u32, version: &str, started_at: Timestamp) -> IterationRecord {
    IterationRecord {
        number,
        version: if version.is_empty() { version_of(number) } else { version.to_owned() },
        extension: None,
        started_at,
        completed_at: None,
        agent_results: BTreeMap::new(),
        issues: Vec::new(),
        resolved: false,
        verdict: None,
        quality: None,
        pass_rate: None,
        snapshot: None,
        cost_microusd: 0,
        gate: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_can_be_known_from_it() {
        let (zone, start) = (Zone::default(), moment("2026-01-22T10:00:00+08:00").unwrap());
        let mut facts = vec![
            (1, TimelineFact::IterationStarted { version: "1.0.0".to_owned(), extension: None }),
            (1, TimelineFact::RoleEnded { role: "ra".into(), status: PhaseStatus::Completed, files: 3 }),
            (1, TimelineFact::ChecksRun { passed: 1, total: 2 }),
            (1, TimelineFact::IterationConcluded { verdict: IterationVerdict::GoesOn, issues: 1 }),
        ];
        let extension = Some("Also add\nMFA: now".to_owned());
        facts.push((2, TimelineFact::IterationStarted { version: "1.1.0".to_owned(), extension }));
        let entry = |(number, (iteration, fact)): (usize, (u32, TimelineFact))| {
            timeline_line(
                &TimelineEntry { at: start.plus_millis(number as u64 * 1000), iteration, fact },
                zone,
            )
        };
        let lines: Vec<String> = facts.into_iter().enumerate().map(entry).collect();
        assert_eq!(lines[0], "- 2026-01-22T10:00:00+08:00 [1] iteration started, version 1.0.0");
        let text =
            timeline_head("c", "Implement\nOAuth", start, zone) + &lines.join("\n") + "\nsomebody's own";
        let read = read_timeline(&text);
        assert_eq!((read.created_at, read.task.as_deref()), (Some(start), Some("Implement OAuth")));
        assert_eq!(read.extensions, BTreeMap::from([(2, "Also add MFA: now".to_owned())]));
        let [first, second] = &read.iterations[..] else { panic!("two iterations") };
        assert_eq!(first.agent_results[&RoleName::from("ra")].files_modified, 3);
        assert_eq!(
            (first.verdict, first.completed_at),
            (Some(IterationVerdict::GoesOn), Some(start.plus_millis(3000)))
        );
        assert_eq!((second.number, second.completed_at), (2, None));
    }
}
