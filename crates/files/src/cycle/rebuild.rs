//! A cycle from its progress files alone, when its state and its journal are lost.
//!
//! What each file says counts; the iteration is the highest that any of them knows. What no file says is listed, and
//! nothing is made up for it.

use std::collections::BTreeMap;

use piton_model::Timestamp;
use piton_model::cycle::{Imported, IterationRecord, Requirements, RoleName, version_of};

use super::changes::{ReadChanges, read_changes};
use super::coordination::{read_decisions, read_feedback};
use super::documents::RESULTS;
use super::exploration::read_exploration;
use super::format::{CycleStatus, ROLES};
use super::header::split;
use super::logs::CHANGES;
use super::plan::read_plan;
use super::progress::Progress;
use super::requirements::read_requirements;
use super::results::read_results;
use super::timeline::{ReadTimeline, read_timeline, record};
use super::version::iteration_of;
use super::zone::{Zone, moment};

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Rebuilt {
    /// Where it seems to have been: completed or failed where its summary says so, else paused, or created where nothing
    /// was done yet.
    pub status: CycleStatus,
    /// The clock that its times have.
    pub zone: Option<Zone>,
    /// Everything else, with what could not be known.
    pub imported: Imported,
}

/// What the progress files of a cycle say.
pub fn rebuild(progress: &Progress) -> Rebuilt {
    let mut unknown: Vec<String> = progress.unreadable.clone();
    let read = Read::of(progress, &mut unknown);
    let iteration = read.iteration(progress);
    let timeline = &read.timeline;
    if timeline.task.is_none() {
        unknown.push("the task: coordination/timeline.md does not say it".to_owned());
    }
    let created_at = timeline.created_at.or(read.earliest());
    if created_at.is_none() {
        unknown.push("when it was created".to_owned());
    }
    let zone = Zone::of(&timeline.created);
    let text = progress.text("coordination/feedback.md");
    let (feedback, blockers) = match &text {
        Some(text) => read_feedback(text, created_at.unwrap_or_default(), zone.unwrap_or_default()),
        None => Default::default(),
    };
    if text.is_none() {
        unknown.push(
            "who told whom what, and what stood in the way: coordination/feedback.md is not there".to_owned(),
        );
    }
    let never = ["the description at length", "errors of phases", "what its agents cost and said"];
    unknown.extend(never.map(str::to_owned));
    let (status, ended_at, failure_reason) = end(progress, iteration);
    let imported = Imported {
        rebuilt: true,
        created_at: created_at.unwrap_or_default(),
        ended_at,
        failure_reason,
        iteration,
        iterations_completed: completed(timeline),
        task_history: timeline.task.iter().chain(timeline.extensions.values()).cloned().collect(),
        description: description(timeline),
        unnamed_files: 0,
        iteration_markers: read.changes.markers.clone(),
        iterations: iterations(timeline, iteration, created_at.unwrap_or_default()),
        decisions: progress.bytes("coordination/decisions.log").map(read_decisions).unwrap_or_default(),
        documents: documents(progress, iteration),
        requirements: read.requirements,
        exploration: read.exploration,
        plan: read.plan,
        changes: read.changes.changes,
        tests: read.tests,
        feedback,
        blockers,
        phase_errors: Vec::new(),
        unknown,
    };
    Rebuilt { status, zone, imported }
}

/// What the files say, each for itself.
struct Read {
    requirements: Option<Requirements>,
    exploration: Option<piton_model::cycle::Exploration>,
    plan: Option<piton_model::cycle::Plan>,
    changes: ReadChanges,
    tests: Option<piton_model::cycle::TestResults>,
    timeline: ReadTimeline,
    /// The highest iteration in the logs of all roles.
    logged: u32,
}

impl Read {
    fn of(progress: &Progress, unknown: &mut Vec<String>) -> Self {
        let developer = developer(progress);
        let [requirements, exploration, plan, tests] =
            [("ra", "requirements.md"), ("ep", "exploration.md"), ("ep", "plan.json"), ("vas", RESULTS)]
                .map(|(role, name)| progress.find(role, name));
        for name in [&requirements, &exploration, &plan, &format!("{developer}/{CHANGES}"), &tests] {
            if progress.bytes(name).is_none() {
                unknown.push(format!("{name} is not there"));
            }
        }
        let edge_cases = progress.text(&progress.find("ra", "edge-cases.md"));
        let requirements =
            progress.text(&requirements).map(|text| read_requirements(&text, edge_cases.as_deref()));
        let plan = match progress.bytes(&plan).map(read_plan) {
            Some(Err(problems)) => {
                unknown.extend(problems);
                None
            }
            Some(Ok(plan)) => Some(plan),
            None => None,
        };
        let tests = match progress.bytes(&tests).map(read_results) {
            Some(Err(problem)) => {
                unknown.push(problem);
                None
            }
            Some(Ok(tests)) => Some(tests),
            None => None,
        };
        let exploration = progress.text(&exploration).map(|text| read_exploration(&text));
        let logs = progress.roles().into_iter().map(|role| {
            let bytes = progress.bytes(&format!("{role}/{CHANGES}")).unwrap_or_default();
            (role.clone(), read_changes(bytes, &role))
        });
        let logs: Vec<(RoleName, ReadChanges)> = logs.collect();
        for (role, read) in &logs {
            if read.unreadable > 0 {
                unknown.push(format!(
                    "{role}/{CHANGES}: {} lines say nothing that is understood",
                    read.unreadable
                ));
            }
            if read.torn {
                unknown.push(format!("{role}/{CHANGES}: its last line is cut off"));
            }
        }
        let numbers = logs.iter().flat_map(|(_, read)| {
            let documents = read.documents.iter().map(|line| line.iteration);
            read.changes
                .iter()
                .map(|change| change.iteration)
                .chain(documents)
                .chain(read.markers.keys().copied())
        });
        let logged = numbers.max().unwrap_or(0);
        let changes =
            logs.into_iter().find(|(role, _)| *role == developer).map(|(_, read)| read).unwrap_or_default();
        let timeline =
            progress.text("coordination/timeline.md").map(|text| read_timeline(&text)).unwrap_or_default();
        Self { requirements, exploration, plan, changes, tests, timeline, logged }
    }

    fn iteration(&self, progress: &Progress) -> u32 {
        let versions = [
            self.requirements.as_ref().map(|known| &known.version),
            self.exploration.as_ref().map(|known| &known.version),
            self.plan.as_ref().map(|known| &known.version),
            self.tests.as_ref().map(|known| &known.version),
        ];
        let by_version = versions.into_iter().flatten().filter_map(|version| iteration_of(version));
        let documents = progress.documents();
        let by_document = documents.iter().map(|(_, document)| document.iteration);
        let by_timeline = self.timeline.iterations.iter().map(|record| record.number);
        let all = by_version.chain(by_document).chain(by_timeline).chain([self.logged]);
        all.chain(self.tests.iter().map(|tests| tests.iteration)).max().unwrap_or(0)
    }

    fn earliest(&self) -> Option<Timestamp> {
        let changes = self.changes.changes.iter().map(|change| change.at);
        let sections = self.requirements.iter().map(|known| known.last_updated);
        changes.chain(sections).filter(|at| *at != Timestamp::default()).min()
    }
}

/// The role whose log holds changes of files: the document's developer, or whoever else has them.
fn developer(progress: &Progress) -> RoleName {
    let has_changes = |role: &RoleName| {
        let log = progress.bytes(&format!("{role}/{CHANGES}")).unwrap_or_default();
        !read_changes(log, role).changes.is_empty()
    };
    let usual = RoleName::from("cd");
    if has_changes(&usual) {
        return usual;
    }
    progress.roles().into_iter().find(has_changes).unwrap_or(usual)
}

fn description(timeline: &ReadTimeline) -> String {
    let mut text = timeline.task.clone().unwrap_or_default();
    for (iteration, extension) in &timeline.extensions {
        text.push_str(&format!("\n\n--- ITERATION {iteration} ---\n{extension}"));
    }
    text
}

/// The iterations that the timeline knows; of others only that they were.
fn iterations(timeline: &ReadTimeline, last: u32, created_at: Timestamp) -> Vec<IterationRecord> {
    (1..=last)
        .rev()
        .take(piton_model::cycle::limits::ITERATIONS_KEPT_MAX)
        .map(|number| {
            let known = timeline.iterations.iter().find(|record| record.number == number);
            known.cloned().unwrap_or_else(|| record(number, &version_of(number), created_at))
        })
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect()
}

/// What roles wrote; a version that a document does not say is that of the last iteration.
fn documents(progress: &Progress, iteration: u32) -> Vec<(RoleName, piton_model::cycle::Document)> {
    let mut documents = progress.documents();
    for (_, document) in &mut documents {
        if document.iteration == 0 {
            document.iteration = iteration.max(1);
        }
        if document.version.is_empty() {
            document.version = version_of(document.iteration);
        }
    }
    documents
}

/// The iterations that each role completed, by the timeline.
fn completed(timeline: &ReadTimeline) -> BTreeMap<RoleName, u32> {
    let mut counted = BTreeMap::new();
    for role in timeline.iterations.iter().flat_map(|record| record.agent_results.keys()) {
        *counted.entry(role.clone()).or_default() += 1;
    }
    counted
}

/// Where it was; when and why it ended, where its summary says so.
fn end(progress: &Progress, iteration: u32) -> (CycleStatus, Option<Timestamp>, Option<String>) {
    let summary = progress.text("coordination/summary.md").unwrap_or_default();
    let (header, body) = split(&summary);
    if header.iteration == iteration && iteration > 0 {
        let result = body.lines().find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default();
        for ended in [CycleStatus::Completed, CycleStatus::Failed] {
            if let Some(why) = result.strip_prefix(ended.as_str()) {
                let why = why.strip_prefix(": ").map(str::to_owned);
                return (ended, moment(&header.date), why);
            }
        }
    }
    let has_role = progress.roles().iter().any(|role| ROLES.contains(&role.as_str()));
    let is_new = iteration == 0 && !has_role;
    (if is_new { CycleStatus::Created } else { CycleStatus::Paused }, None, None)
}
