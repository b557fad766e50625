//! A cycle from its progress files alone, when its state and its journal are lost.
//!
//! What each file says counts; the iteration is the highest that any of them knows. What no file says is listed, and
//! nothing is made up for it.

use std::collections::{BTreeMap, BTreeSet};

use piton_model::Timestamp;
use piton_model::cycle::limits::{DISCOVERIES_MAX, ITERATIONS_KEPT_MAX};
use piton_model::cycle::{
    DecisionStatus, Discovery, Imported, ImportedRole, IterationRecord, PhaseStatus, Requirements, RoleName,
    RoleResult, RoleStatus, version_of,
};
use serde_json::Value;

use super::changes::{ReadChanges, read_changes};
use super::coordination::{both_say, read_decisions, read_feedback, read_most_iterations};
use super::discoveries::read_discoveries;
use super::documents::RESULTS;
use super::exploration::read_exploration;
use super::format::{CycleStatus, ROLES};
use super::logs::{CHANGES, DEBUG};
use super::ndjson::read_lines;
use super::plan::read_plan;
use super::progress::Progress;
use super::requirements::read_requirements;
use super::results::read_results;
use super::summary::{ReadSummary, read_summary};
use super::timeline::{ReadTimeline, read_timeline, record};
use super::version::iteration_of;
use super::zone::Zone;

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Rebuilt {
    /// Where it seems to have been: completed or failed where its summary says so, else paused, or created where nothing
    /// was done yet.
    pub status: CycleStatus,
    /// How many iterations it may have, where that is known.
    pub max_iterations: Option<u32>,
    /// The clock that its times have.
    pub zone: Option<Zone>,
    /// Everything else, with what could not be known.
    pub imported: Imported,
}

/// What no file says.
const NEVER_KNOWN: [&str; 5] = [
    "the description at length",
    "errors of phases",
    "what its agents cost and said",
    "when each role began",
    "line breaks and parts of a second in coordination/feedback.md, which has each entry on a line",
];

/// What the progress files of a cycle say.
pub fn rebuild(progress: &Progress) -> Rebuilt {
    let mut unknown: Vec<String> = progress.unreadable.clone();
    let read = Read::of(progress, &mut unknown);
    let iteration = read.iteration(progress);
    let created_at = read.timeline.created_at.or(read.earliest());
    if created_at.is_none() {
        unknown.push("when it was created".to_owned());
    }
    let zone = Zone::of(&read.timeline.created);
    let (since, clock) = (created_at.unwrap_or_default(), zone.unwrap_or_default());
    let page = progress.text("coordination/feedback.md");
    let told = page.as_deref().map(|text| read_feedback(text, since, clock)).unwrap_or_default();
    let max_iterations = page.as_deref().and_then(read_most_iterations);
    let tasks = read.tasks();
    let status = read.status(progress, iteration);
    let iterations = read.iterations(&tasks, iteration, since);
    let team = Team::of(progress, &read, iterations.last(), status);
    say_what_is_missing(progress, &read, &mut unknown);
    if tasks.is_empty() {
        unknown.push("the task: neither coordination/timeline.md nor summary.md says it".to_owned());
    }
    for record in iterations.iter().filter(|record| record.issues.is_empty()) {
        let count = read.timeline.issues.get(&record.number).filter(|count| **count > 0);
        unknown.extend(count.map(|count| format!("the {count} issues of iteration {}", record.number)));
    }
    let log = progress.bytes(DECISIONS).map(read_decisions).unwrap_or_default();
    let decisions = both_say(log, told.decisions);
    let pending = decisions.iter().filter(|decision| decision.status == DecisionStatus::Pending);
    unknown.extend(pending.map(|decision| format!("whether anything waits for {}", decision.id)));
    if team.is_open && iteration > 1 {
        unknown
            .push(format!("who was to work in iteration {iteration}: whoever has not ended in it goes on"));
    }
    unknown.extend(NEVER_KNOWN.map(str::to_owned));
    let is_over = status != CycleStatus::Paused;
    let imported = Imported {
        rebuilt: true,
        created_at: since,
        ended_at: read.summary.ended_at.filter(|_| is_over),
        failure_reason: read.summary.reason.clone().filter(|_| is_over),
        iteration,
        open: team.is_open,
        phase: None,
        completed_phases: team.completed_phases(),
        agents: team.agents,
        iterations_completed: read.completed(progress),
        description: description(&tasks, &read.timeline),
        task_history: tasks,
        unnamed_files: 0,
        iteration_markers: read.markers(iteration),
        iterations,
        decisions,
        discoveries: read_board(progress, since, &mut unknown),
        documents: documents(progress, iteration),
        requirements: read.requirements,
        exploration: read.exploration,
        plan: read.plan,
        changes: read.changes.changes,
        tests: read.tests,
        feedback: told.feedback,
        blockers: told.blockers,
        phase_errors: Vec::new(),
        unknown,
    };
    Rebuilt { status, max_iterations, zone, imported }
}

const DECISIONS: &str = "coordination/decisions.log";
const TIMELINE: &str = "coordination/timeline.md";

/// What cannot be known because a file is not there.
fn say_what_is_missing(progress: &Progress, read: &Read, unknown: &mut Vec<String>) {
    let is_there = |name: &str| progress.bytes(name).is_some();
    if !is_there("coordination/feedback.md") {
        unknown.push(
            "who told whom what, what stood in the way, and how many iterations there may be: \
             coordination/feedback.md is not there"
                .to_owned(),
        );
        if !is_there(DECISIONS) {
            unknown.push(format!("what was decided: {DECISIONS} is not there"));
        }
    }
    if !is_there(TIMELINE) {
        unknown.push(format!(
            "when it was created, and when its iterations began and ended: {TIMELINE} is not there; the times of changes are taken"
        ));
    }
    if read.timeline.torn {
        unknown.push(format!("{TIMELINE}: its last line is cut off"));
    }
}

/// What is on the board. Lines that another tool wrote, and that piton would write otherwise, stay there and are not taken.
pub(super) fn read_board(progress: &Progress, at: Timestamp, unknown: &mut Vec<String>) -> Vec<Discovery> {
    let bytes = progress.bytes("coordination/discoveries.ndjson").unwrap_or_default();
    let read = read_discoveries(bytes, &RoleName::default(), at);
    let is_signed = |line: &Value| ["ts", "agent"].iter().all(|field| line.get(field).is_some());
    if !read.problems.is_empty() || !read_lines(bytes).values.iter().all(is_signed) {
        unknown.push(
            "what is on the board: coordination/discoveries.ndjson has lines that say too little".to_owned(),
        );
        return Vec::new();
    }
    let skipped = read.discoveries.len().saturating_sub(DISCOVERIES_MAX);
    read.discoveries.into_iter().skip(skipped).collect()
}

/// Logs whose last line is cut off, or in which lines say nothing, apart from those that are read otherwise.
pub(super) fn damaged_logs(progress: &Progress) -> Vec<String> {
    let of_roles = progress.roles().into_iter().map(|role| format!("{role}/{DEBUG}"));
    let mut said = Vec::new();
    for name in of_roles.chain([DECISIONS, "coordination/discoveries.ndjson"].map(str::to_owned)) {
        let read = read_lines(progress.bytes(&name).unwrap_or_default());
        if !read.unreadable.is_empty() {
            said.push(format!("{name}: {} lines say nothing that is understood", read.unreadable.len()));
        }
        if read.torn {
            said.push(format!("{name}: its last line is cut off, and left out"));
        }
    }
    said
}

/// How the team was.
struct Team {
    /// The last iteration has no verdict.
    is_open: bool,
    agents: BTreeMap<RoleName, ImportedRole>,
}

impl Team {
    fn of(progress: &Progress, read: &Read, last: Option<&IterationRecord>, status: CycleStatus) -> Self {
        let Some(last) = last else { return Self { is_open: false, agents: BTreeMap::new() } };
        let is_open = last.verdict.is_none() && status != CycleStatus::Completed;
        let has_ended = |role: &RoleName| match progress.bytes(TIMELINE).is_some() {
            true => last.agent_results.contains_key(role),
            false => last.agent_results.contains_key(role) || read.has_logged(role, last.number),
        };
        let first_ended = ROLES.iter().position(|role| has_ended(&RoleName::from(*role)));
        // After a verdict those begin who have something to mend: whoever comes before them had nothing to do.
        let is_passed = |role: &RoleName| {
            let place = ROLES.iter().position(|other| *other == role.as_str());
            last.number > 1 && last.extension.is_none() && place.is_some() && place < first_ended
        };
        let status = |role: &RoleName| match !is_open || has_ended(role) || is_passed(role) {
            true => RoleStatus::Completed,
            false => RoleStatus::Idle,
        };
        let agent = |role: RoleName| {
            let completed_at = read.timeline.ended.get(&role).map(|(_, at)| *at);
            let status = status(&role);
            let completed_at = completed_at.filter(|_| status == RoleStatus::Completed);
            (role, ImportedRole { status, completed_at, ..ImportedRole::default() })
        };
        Self { is_open, agents: read.roles(progress).into_iter().map(agent).collect() }
    }

    fn completed_phases(&self) -> Vec<String> {
        let done = |role: &RoleName| {
            self.agents
                .get(role)
                .is_some_and(|agent| agent.status == RoleStatus::Completed || agent.completed_at.is_some())
        };
        let four = ROLES.map(RoleName::from);
        let others = self.agents.keys().filter(|role| !four.contains(role));
        four.iter().chain(others).filter(|role| done(role)).map(ToString::to_string).collect()
    }
}

/// What the files say, each for itself.
struct Read {
    requirements: Option<Requirements>,
    exploration: Option<piton_model::cycle::Exploration>,
    plan: Option<piton_model::cycle::Plan>,
    changes: ReadChanges,
    tests: Option<piton_model::cycle::TestResults>,
    timeline: ReadTimeline,
    summary: ReadSummary,
    developer: RoleName,
    /// The iterations in the log of each role.
    logged: BTreeMap<RoleName, BTreeSet<u32>>,
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
        unknown.extend(damaged_logs(progress));
        let numbers = |read: &ReadChanges| {
            let documents = read.documents.iter().map(|line| line.iteration);
            let changes = read.changes.iter().map(|change| change.iteration);
            changes.chain(documents).chain(read.markers.keys().copied()).collect()
        };
        let logged = logs.iter().map(|(role, read)| (role.clone(), numbers(read))).collect();
        let changes =
            logs.into_iter().find(|(role, _)| *role == developer).map(|(_, read)| read).unwrap_or_default();
        let timeline = progress.text(TIMELINE).map(|text| read_timeline(&text)).unwrap_or_default();
        let summary =
            progress.text("coordination/summary.md").map(|text| read_summary(&text)).unwrap_or_default();
        Self { requirements, exploration, plan, changes, tests, timeline, summary, developer, logged }
    }

    /// Whether the log of the role has a line of this iteration.
    fn has_logged(&self, role: &RoleName, iteration: u32) -> bool {
        self.logged.get(role).is_some_and(|logged| logged.contains(&iteration))
    }

    /// Everybody of whom a file speaks, and the four.
    fn roles(&self, progress: &Progress) -> BTreeSet<RoleName> {
        let ended = self.timeline.ended.keys().cloned();
        ROLES.map(RoleName::from).into_iter().chain(progress.roles()).chain(ended).collect()
    }

    /// Every task. The summary has them with their lines, the timeline those that came later.
    fn tasks(&self) -> Vec<String> {
        let mut tasks = self.summary.tasks.clone();
        let told = self.timeline.task.iter().chain(self.timeline.extensions.values());
        tasks.extend(told.skip(tasks.len()).cloned());
        tasks
    }

    /// Where it was: it had ended where a summary of its last iteration says so.
    fn status(&self, progress: &Progress, iteration: u32) -> CycleStatus {
        let is_last = self.summary.iteration == iteration && iteration > 0;
        if let Some(ended) = self.summary.status.filter(|_| is_last) {
            return ended;
        }
        let has_role = progress.roles().iter().any(|role| ROLES.contains(&role.as_str()));
        if iteration == 0 && !has_role { CycleStatus::Created } else { CycleStatus::Paused }
    }

    /// The iterations that the timeline or the summary knows; of others only that they were.
    fn iterations(&self, tasks: &[String], last: u32, created_at: Timestamp) -> Vec<IterationRecord> {
        let first = last.saturating_sub(ITERATIONS_KEPT_MAX as u32) + 1;
        (first..=last).map(|number| self.record(number, tasks, created_at)).collect()
    }

    fn record(&self, number: u32, tasks: &[String], created_at: Timestamp) -> IterationRecord {
        let known = self.timeline.iterations.iter().find(|record| record.number == number);
        let begun_at = number.checked_sub(1).and_then(|before| self.changes.markers.get(&before));
        let begun_at = begun_at.copied().unwrap_or(created_at);
        let mut known = known.cloned().unwrap_or_else(|| record(number, &version_of(number), begun_at));
        let place = self.timeline.extensions.keys().position(|extended| *extended == number);
        known.extension = place.and_then(|place| tasks.get(place + 1).cloned()).or(known.extension);
        if let Some(row) = self.summary.iterations.get(&number) {
            known.issues = self.issues(number, &row.issues);
            if known.agent_results.is_empty() {
                let result = |status: &PhaseStatus| RoleResult { status: *status, ..RoleResult::default() };
                known.agent_results =
                    row.roles.iter().map(|(role, status)| (role.clone(), result(status))).collect();
            }
            if known.verdict.is_none() {
                (known.verdict, known.resolved) =
                    (row.verdict, row.verdict.is_some() && row.issues.is_empty());
            }
        }
        if known.verdict.is_some() && known.completed_at.is_none() {
            let ended = self.summary.ended_at.filter(|_| self.summary.iteration == number);
            known.completed_at = ended.or(self.changes.markers.get(&number).copied());
        }
        known
    }

    /// The issues on one line, each for itself where their number is that which the timeline knows.
    fn issues(&self, number: u32, line: &str) -> Vec<String> {
        let each: Vec<String> = line.split("; ").map(str::to_owned).collect();
        match self.timeline.issues.get(&number) {
            _ if line.is_empty() => Vec::new(),
            Some(count) if *count != each.len() => vec![line.to_owned()],
            _ => each,
        }
    }

    /// The iterations that each role completed: by the timeline, else by its own log.
    fn completed(&self, progress: &Progress) -> BTreeMap<RoleName, u32> {
        let has_timeline = progress.bytes(TIMELINE).is_some();
        let by_timeline = |role: &RoleName| {
            let has_it = |record: &&IterationRecord| record.agent_results.contains_key(role);
            self.timeline.iterations.iter().filter(has_it).count()
        };
        let count = |role: &RoleName| match has_timeline {
            true => by_timeline(role),
            false => self.logged.get(role).map_or(0, BTreeSet::len),
        };
        let counted = self.roles(progress).into_iter().map(|role| (count(&role) as u32, role));
        counted.map(|(count, role)| (role, count)).collect()
    }

    /// When the changes of each iteration were complete. Of the one that is under way the log says so only at its end.
    fn markers(&self, iteration: u32) -> BTreeMap<u32, Timestamp> {
        let mut markers = self.changes.markers.clone();
        let ended = self.timeline.ended.get(&self.developer).filter(|(number, _)| *number == iteration);
        if let Some((number, at)) = ended {
            markers.entry(*number).or_insert(*at);
        }
        markers
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
        let all = by_version.chain(by_document).chain(by_timeline);
        let logged = self.logged.values().flatten().copied();
        let all = all.chain(logged);
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

fn description(tasks: &[String], timeline: &ReadTimeline) -> String {
    let mut text = tasks.first().cloned().unwrap_or_default();
    for (place, (iteration, told)) in timeline.extensions.iter().enumerate() {
        let extension = tasks.get(place + 1).unwrap_or(told);
        text.push_str(&format!("\n\n--- ITERATION {iteration} ---\n{extension}"));
    }
    text
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
