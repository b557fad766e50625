//! What a role hands in: its documents, what it says of its phase, and what it changed in the tree. Read once it has ended, in
//! bounds, and recorded with its end; the files of the team are rendered from there.
//!
//! A document counts where its role touched it: what lay in the directory when the attempt began is remembered beside the
//! attempt's other traces, so that whoever records its end knows.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::PoisonError;

use piton_agent::Exit;
use piton_files::cycle::{
    CHANGES, COORDINATION, COORDINATION_FILES, DEBUG, DISCOVERIES, HISTORY, ROLES, after_lines, items,
    logged_changes, parse_exploration, parse_phase_result, parse_plan, parse_requirements, read_changes,
    read_discoveries, read_lines,
};
use piton_git::{ChangeKind, FileChange};
use piton_model::Timestamp;
use piton_model::cycle::limits::{DOCUMENT_BYTES_MAX, DOCUMENTS_MAX, LOG_LINES_MAX};
use piton_model::cycle::{
    ChangeAction, ChangeEntry, Decision, DecisionStatus, Document, Feedback, FeedbackKind, HandedIn,
    PhaseResult, PhaseStatus, Role, RoleEnd, RoleName, State, TaskStatus,
};
use piton_model::limits::clip;
use piton_model::loop_machine::{AttemptOutcome, Report, ReportStatus, Snapshot};
use piton_sys::file::{self, Durability};

use super::Context;
use crate::launch::Ended;
use crate::world::{WorldError, snapshot_id};

/// What lay in the directory of the role when its attempt began: digests by name.
pub(super) const BEFORE: &str = "role-before.json";
const BEFORE_BYTES_MAX: u64 = 1 << 20;

/// What piton put aside has this in its name.
const ASIDE: &str = ".foreign-";

/// Under which name [`BEFORE`] has what is nobody's; no role can be called so.
const BESIDE: &str = "";

/// Names of a directory that are looked at.
const BESIDE_MAX: usize = 2_000;

/// What piton alone writes into the directory of a validator.
const RESULTS: &str = "test-results.json";
const LOG_BYTES_MAX: u64 = 16 << 20;

/// What lies in the directories of the team now, for [`BEFORE`]. Of the role's own only what is on record: whatever else an attempt
/// before it left there, one that was lost for instance, this one hands in.
pub(super) fn before(context: &Context, state: &State, index: usize) -> String {
    let mut before = all(context, state);
    let role = &state.config.roles[index].name;
    let on_record = |name: &String, bytes: &[u8]| {
        let document = state.roles[index].documents.get(name);
        document.is_some_and(|document| document.text.as_bytes() == bytes)
            || name.contains(ASIDE)
            || context.view.is_ours(&format!("{role}/{name}"), bytes)
    };
    let known = files(context, role).into_iter().filter(|(name, bytes)| on_record(name, bytes));
    before.insert(role.clone(), known.map(|(name, bytes)| (name, digest(&bytes))).collect());
    let lines = board(context).iter().filter(|byte| **byte == b'\n').count();
    before
        .insert(RoleName::from(COORDINATION), BTreeMap::from([(DISCOVERIES.to_owned(), lines.to_string())]));
    serde_json::to_string(&before).expect("digests are plain data")
}

/// What lies on the board.
fn board(context: &Context) -> Vec<u8> {
    let path = context.place.directory(COORDINATION).join(DISCOVERIES);
    let read = file::within(&context.place.repo, &path, |path| file::read_regular(path, LOG_BYTES_MAX));
    read.ok().flatten().unwrap_or_default()
}

/// The files of all roles, by role and name, with those of their archives; and what else lies beside their directories.
fn all(context: &Context, state: &State) -> BTreeMap<RoleName, BTreeMap<String, String>> {
    let of = |role: &Role| {
        let files = files(context, &role.name).into_iter();
        let files = files.map(|(name, bytes)| (name, digest(&bytes)));
        let archive = context.place.directory(role.name.as_str()).join(HISTORY);
        let archived = sizes(&archive).into_iter().map(|(name, size)| (format!("{HISTORY}/{name}"), size));
        (role.name.clone(), files.chain(archived).collect())
    };
    let mut all: BTreeMap<_, BTreeMap<_, _>> = state.config.roles.iter().map(of).collect();
    all.insert(RoleName::from(BESIDE), beside(context, state));
    all
}

/// What lies below the progress of the cycle and is neither a role's nor piton's own, by its name there.
fn beside(context: &Context, state: &State) -> BTreeMap<String, String> {
    let is_known = |name: &str| {
        let four = ROLES.contains(&name) || name == COORDINATION;
        four || state.config.roles.iter().any(|role| role.name.as_str() == name)
    };
    let mut found = BTreeMap::new();
    for (name, size) in sizes(&context.place.progress()).into_iter().filter(|(name, _)| !is_known(name)) {
        let inside = sizes(&context.place.file(&name));
        found.extend(inside.into_iter().map(|(inner, size)| (format!("{name}/{inner}"), size)));
        found.insert(name, size);
    }
    let shared = sizes(&context.place.directory(COORDINATION)).into_iter();
    let shared = shared.filter(|(name, _)| !COORDINATION_FILES.contains(&name.as_str()));
    found.extend(shared.map(|(name, size)| (format!("{COORDINATION}/{name}"), size)));
    found
}

/// What a directory holds, apart from what piton put aside, with its size: enough to see that something is new.
fn sizes(directory: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten().take(BESIDE_MAX);
    let named = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let metadata = entry.path().symlink_metadata().ok()?;
        // Of a directory what is in it counts.
        let size = if metadata.is_dir() { 0 } else { metadata.len() };
        Some((name, size.to_string()))
    });
    named.filter(|(name, _)| !name.starts_with('.') && !name.contains(ASIDE)).collect()
}

fn digest(bytes: &[u8]) -> String {
    piton_store::chain::hex(&piton_store::chain::digest(bytes))
}

/// The regular files of a role's directory, as far as they can be read.
fn files(context: &Context, role: &RoleName) -> BTreeMap<String, Vec<u8>> {
    let directory = context.place.directory(role.as_str());
    let entries = std::fs::read_dir(&directory).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut found = BTreeMap::new();
    let is_own = |name: &String| !name.starts_with('.') && !name.contains(ASIDE);
    for name in names.filter(is_own).take(4 * DOCUMENTS_MAX) {
        let read = file::within(&context.place.repo, &directory.join(&name), |path| {
            file::read_regular(path, LOG_BYTES_MAX)
        });
        if let Ok(Some(bytes)) = read {
            found.insert(name, bytes);
        }
    }
    found
}

/// What in a role's directory is a link: whatever it leads to is no document of the role's.
fn links(context: &Context, role: &RoleName) -> BTreeSet<String> {
    let entries = std::fs::read_dir(context.place.directory(role.as_str())).into_iter().flatten().flatten();
    let links = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
    let names = links.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| !name.starts_with('.') && !name.contains(ASIDE)).take(DOCUMENTS_MAX).collect()
}

/// What the role at `index` handed in.
pub(super) fn read(
    context: &Context,
    state: &State,
    index: usize,
    exit: &Exit,
    directory: &Path,
    report: &Report,
) -> Result<HandedIn, file::Error> {
    let role = &state.config.roles[index];
    let redactor = context.world.launch.redactor();
    let mut handed_in = HandedIn::default();
    let ended = Ended::read(exit, directory, &role.agent, redactor)?;
    let spoken = redactor.redact(&ended.spoken).into_owned();
    said(&mut handed_in, role, &spoken, report, exit.ended_at);
    let before = file::read_regular(&directory.join(BEFORE), BEFORE_BYTES_MAX).ok().flatten();
    let before: BTreeMap<RoleName, BTreeMap<String, String>> =
        before.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    // Nothing is put aside or rendered while it is read.
    let mut overwritten = context.overwritten.lock().unwrap_or_else(PoisonError::into_inner);
    handed_in.problems.append(&mut overwritten);
    handed_in.problems.extend(context.view.clear_the_way(state, &role.name));
    elsewhere(context, state, index, &before, &mut handed_in);
    let known_lines = before.get(&RoleName::from(COORDINATION)).and_then(|known| known.get(DISCOVERIES));
    let known_lines = known_lines.and_then(|count| count.parse::<u64>().ok());
    let before = before.get(&role.name).cloned().unwrap_or_default();
    let mut reading = Reading { state, role, index, at: exit.ended_at, into: handed_in };
    // Where there are too many, those that it is to write count first.
    let mut found: Vec<_> = files(context, &role.name).into_iter().collect();
    found.sort_by_key(|(name, _)| !role.writes.contains(name));
    for (name, bytes) in found {
        if before.get(&name) != Some(&digest(&bytes)) {
            let clean = redactor.redact_bytes(&bytes);
            if let Cow::Owned(clean) = &clean {
                write_clean(context, &role.name, &name, clean);
            }
            reading.file(&name, clean.as_ref());
        }
    }
    // One that writes to the board itself is heard, too.
    if let Some(known) = known_lines {
        let board = board(context);
        reading.discoveries(redactor.redact_bytes(after_lines(&board, known)).as_ref());
    }
    let links = links(context, &role.name);
    links.iter().for_each(|name| reading.link(name));
    reading.requirements();
    reading.missing(&links);
    Ok(reading.into)
}

/// A role writes into the repository itself, past its keeper: what is secret must not stay there either.
fn write_clean(context: &Context, role: &RoleName, name: &str, clean: &[u8]) {
    let path = context.place.directory(role.as_str()).join(name);
    let root = &context.place.repo;
    let written = file::within(root, &path, |path| file::write_atomic(path, clean, Durability::Unsynced));
    if written.is_err() {
        // What cannot be cleaned is not kept.
        let _ = file::within(root, &path, file::remove_file_if_exists);
    }
}

/// What the role left in the directories of others that are not at work. It does not count: piton renders them from what they
/// handed in themselves.
fn elsewhere(
    context: &Context,
    state: &State,
    index: usize,
    before: &BTreeMap<RoleName, BTreeMap<String, String>>,
    handed_in: &mut HandedIn,
) {
    let now = all(context, state);
    let others = state.team().enumerate().filter(|(place, (_, at))| *place != index && at.open.is_none());
    let others = others.map(|(_, (other, _))| other.name.clone());
    // Whatever was put aside meanwhile is said already.
    let is_aside = |name: &str| handed_in.problems.iter().any(|said| said.contains(&format!("/{name}")));
    let mut problems = Vec::new();
    for other in others.chain([RoleName::from(BESIDE)]) {
        let (Some(before), Some(now)) = (before.get(&other), now.get(&other)) else { continue };
        let names = before.keys().chain(now.keys().filter(|name| !before.contains_key(*name)));
        let full =
            |name: &String| if other.as_str() == BESIDE { name.clone() } else { format!("{other}/{name}") };
        let changed: Vec<String> = names
            .filter(|name| before.get(*name) != now.get(*name))
            .map(full)
            .filter(|name| !is_aside(name))
            .collect();
        if !changed.is_empty() {
            problems.push(format!(
                "it changed {}, which is not its own and does not count; documents go into its own directory",
                clip(&changed.join(", "), 2_000)
            ));
        }
    }
    handed_in.problems.extend(problems);
}

/// What a role says of its phase: the block in its output, else its report.
fn said(handed_in: &mut HandedIn, role: &Role, spoken: &str, report: &Report, at: Timestamp) {
    let (result, problems) = parse_phase_result(spoken, &role.name);
    handed_in.notes.clone_from(&report.notes);
    handed_in.values = report.custom.clone();
    let result = match (result, report.status) {
        (None, Some(status)) => {
            // Whoever says so there cannot go on without a person.
            handed_in.asks_person = status == ReportStatus::Blocked;
            Some(of_report(status, report))
        }
        (result, _) => {
            handed_in.problems.extend(problems);
            result
        }
    };
    let Some(result) = result else { return };
    let field = |name: &str| result.fields.get(name).map(|value| items(value)).unwrap_or_default();
    let count = |names: [&str; 2]| {
        names.into_iter().find_map(|name| result.fields.get(name)?.trim().parse::<u32>().ok())
    };
    handed_in.critical_issues = count(["critical_issues", "critical_bugs"]);
    handed_in.open_issues = count(["open_issues", "open_issues_count"]);
    handed_in.blockers = field("blockers");
    if result.status == PhaseStatus::Blocked && handed_in.blockers.is_empty() {
        handed_in.blockers.extend(report.reason.clone());
    }
    handed_in.tasks_completed =
        field("tasks_completed").into_iter().chain(field("completed_tasks")).collect();
    for (name, value) in &result.fields {
        if let Some(target) = name.strip_prefix("feedback_to_") {
            handed_in.feedback.push(Feedback {
                at,
                source: role.name.to_string(),
                target: RoleName::from(target),
                content: value.clone(),
                kind: FeedbackKind::Clarification,
            });
        }
    }
    match result.fields.get("decision").map(|text| decision(text)) {
        Some(decision) if decision.description.is_empty() => handed_in.problems.push(
            "`- decision:` does not say what is to be decided, and does not count; write `- decision: what? | one | another`"
                .to_owned(),
        ),
        decision => handed_in.decisions.extend(decision),
    }
    handed_in.result = Some(result);
}

fn of_report(status: ReportStatus, report: &Report) -> PhaseResult {
    let status = match status {
        ReportStatus::Done => PhaseStatus::Completed,
        ReportStatus::Blocked => PhaseStatus::Blocked,
        ReportStatus::Continue => PhaseStatus::Partial,
    };
    let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let fields = report.custom.iter().map(|(name, value)| (name.clone(), text(value))).collect();
    PhaseResult { phase: None, status, fields }
}

/// `what is to be decided | one option | another`. Nothing is begun until somebody decides.
fn decision(text: &str) -> Decision {
    let mut parts = text.split('|').map(|part| part.trim().to_owned());
    let description = parts.next().unwrap_or_default();
    let mut options: Vec<String> = Vec::new();
    for option in parts.filter(|part| !part.is_empty()) {
        if !options.contains(&option) {
            options.push(option);
        }
    }
    Decision {
        id: String::new(),
        description,
        options,
        made_by: None,
        chosen_option: None,
        status: DecisionStatus::Pending,
        waits: true,
    }
}

/// A role's directory that is being read.
struct Reading<'a> {
    state: &'a State,
    role: &'a Role,
    index: usize,
    at: Timestamp,
    into: HandedIn,
}

impl Reading<'_> {
    fn version(&self) -> &str {
        &self.state.current.version
    }

    fn file(&mut self, name: &str, bytes: &[u8]) {
        match name {
            CHANGES => {
                let known = logged(self.state, self.index);
                if !read_lines(after_lines(bytes, known)).unreadable.is_empty() {
                    self.say_once(format!("`{CHANGES}`: {NO_LINE}"));
                }
            }
            RESULTS => self.into.problems.push(format!(
                "`{RESULTS}` is written by piton, from its own run of the checks; what the role wrote there does not count"
            )),
            DEBUG => {
                let known = self.state.roles[self.index].debug.total;
                let read = read_lines(after_lines(bytes, known));
                if !read.unreadable.is_empty() {
                    self.say_once(format!("`{DEBUG}`: {NO_LINE}"));
                }
                self.into.debug = read.values;
                self.into.debug.truncate(LOG_LINES_MAX);
            }
            DISCOVERIES => self.discoveries(bytes),
            _ => self.document(name, bytes),
        }
    }

    /// What it found out. What is on the board already is left out when it is recorded.
    fn discoveries(&mut self, bytes: &[u8]) {
        let read = read_discoveries(bytes, &self.role.name, self.at);
        read.problems.into_iter().for_each(|problem| self.say_once(problem));
        self.into.discoveries.extend(read.discoveries);
    }

    /// A line that stays in a log is complained about once.
    fn say_once(&mut self, problem: String) {
        let mut said = self.state.phase_errors.recent.iter().map(|error| &error.error);
        if !said.any(|said| *said == problem) && !self.into.problems.contains(&problem) {
            self.into.problems.push(problem);
        }
    }

    fn link(&mut self, name: &str) {
        self.say_once(format!("`{name}` is a link, and does not count; write a file of that name instead"));
    }

    fn document(&mut self, name: &str, bytes: &[u8]) {
        if self.into.documents.len() >= DOCUMENTS_MAX {
            self.into
                .problems
                .push(format!("`{name}` does not count: {DOCUMENTS_MAX} documents are the most"));
            return;
        }
        let text = String::from_utf8_lossy(bytes);
        if text.len() > DOCUMENT_BYTES_MAX {
            self.into.problems.push(format!(
                "`{name}` has {} bytes, and only the first {DOCUMENT_BYTES_MAX} count; make it shorter",
                text.len()
            ));
        }
        let text = clip(&text, DOCUMENT_BYTES_MAX).to_owned();
        let (version, at) = (self.version().to_owned(), self.at);
        match name {
            "exploration.md" => self.into.exploration = Some(parse_exploration(&text, &version, at)),
            "plan.json" => match parse_plan(text.as_bytes(), &version, at) {
                Ok(plan) => self.into.plan = Some(plan),
                Err(problems) => {
                    self.into.problems.extend(problems);
                    self.into.unusable = true;
                    return;
                }
            },
            _ => {}
        }
        let iteration = self.state.iteration;
        self.into.documents.push(Document { name: name.to_owned(), version, iteration, text, at });
    }

    /// What the requirements are, by both of their documents. Edge cases that nobody speaks of now are as they were.
    fn requirements(&mut self) {
        let known = &self.state.roles[self.index].documents;
        let new = |name: &str| {
            let found = self.into.documents.iter().find(|document| document.name == name);
            found.map(|document| document.text.clone())
        };
        let (requirements, edge_cases) = (new("requirements.md"), new("edge-cases.md"));
        if requirements.is_none() && edge_cases.is_none() {
            return;
        }
        let old = || known.get("requirements.md").map(|document| document.text.clone());
        let Some(text) = requirements.or_else(old) else { return };
        let mut parsed = parse_requirements(&text, edge_cases.as_deref(), self.version(), self.at);
        if parsed.edge_cases.is_empty()
            && let Some(before) = &self.state.requirements
        {
            parsed.edge_cases.clone_from(&before.edge_cases);
        }
        self.into.requirements = Some(parsed);
    }

    /// A document that the role never wrote; of one that is a link that is said already.
    fn missing(&mut self, links: &BTreeSet<String>) {
        let known = &self.state.roles[self.index].documents;
        let main = self.role.writes.first().filter(|name| {
            !known.contains_key(*name) && !self.into.documents.iter().any(|document| document.name == **name)
        });
        if let Some(name) = main.filter(|name| !self.into.unusable && !links.contains(*name)) {
            self.into.problems.push(format!(
                "it left no `{name}` in its directory; roles after it go on without, or `piton cycle feedback` asks for it"
            ));
        }
    }
}

/// The files that differ in the work tree, with what the role says of them in its log.
pub(super) fn changes(
    context: &Context,
    state: &State,
    index: usize,
    end: &mut RoleEnd,
    at: Timestamp,
) -> Result<(), WorldError> {
    let (Some(before), Some(after)) = (&state.seen, &end.snapshot) else { return Ok(()) };
    if end.outcome == AttemptOutcome::Cancelled {
        return Ok(());
    }
    let role = &state.config.roles[index];
    if !role.develops && end.change.is_some() {
        let change = end.change.as_ref();
        let files = change.map(|change| change.files.join(", ")).unwrap_or_default();
        end.handed_in.problems.push(clip(&format!(
            "it changed the work tree ({files}), which is for roles that develop; the checks are run on it as it is now"
        ), 2_000).to_owned());
    }
    let diff = |before: &Snapshot| {
        let (before, after) = (snapshot_id(&before.id)?, snapshot_id(&after.id)?);
        Ok::<_, WorldError>(context.world.workspace.diff(&before, &after)?.files)
    };
    let mut files = if end.change.is_some() { diff(before)? } else { Vec::new() };
    // What an attempt that was lost changed is in no log: it is the work of this role, too.
    if role.develops && state.roles[index].lost > 0 {
        let since = state.current.before.as_ref().unwrap_or(before);
        let of_iteration = state.changes.recent.iter().filter(|entry| entry.iteration == state.iteration);
        let mut known: BTreeSet<String> = of_iteration.map(|entry| entry.file.clone()).collect();
        known.extend(files.iter().map(|changed| changed.path.to_string()));
        files.extend(diff(since)?.into_iter().filter(|changed| !known.contains(&changed.path.to_string())));
    }
    let told = told(context, state, &role.name);
    for (file, action, changed) in files.iter().flat_map(actions).take(LOG_LINES_MAX) {
        let said = told.iter().rev().find(|entry| entry.file == file);
        // What moved was changed in its new place.
        let (added, removed) = match action {
            ChangeAction::Delete if changed.path.to_string() != file => (0, 0),
            _ => (changed.added.unwrap_or(0), changed.removed.unwrap_or(0)),
        };
        end.handed_in.changes.push(ChangeEntry {
            at,
            action,
            iteration: state.iteration,
            agent: role.name.clone(),
            description: said.map(|entry| entry.description.clone()).unwrap_or_default(),
            task: said.and_then(|entry| entry.task.clone()).or_else(|| task_of(state, &file)),
            lines_added: added,
            lines_removed: removed,
            file,
        });
    }
    Ok(())
}

/// What was done to which file, in the words of the format: one that moved was deleted in the one place and created in the other.
fn actions(changed: &FileChange) -> Vec<(String, ChangeAction, &FileChange)> {
    let path = changed.path.to_string();
    match &changed.kind {
        ChangeKind::Added => vec![(path, ChangeAction::Create, changed)],
        ChangeKind::Modified => vec![(path, ChangeAction::Modify, changed)],
        ChangeKind::Deleted => vec![(path, ChangeAction::Delete, changed)],
        ChangeKind::Renamed { from } => {
            vec![(from.to_string(), ChangeAction::Delete, changed), (path, ChangeAction::Create, changed)]
        }
    }
}

/// How many lines the log of a role has on record: what stands behind them it wrote itself.
fn logged(state: &State, index: usize) -> u64 {
    let is_developer = state.config.roles.iter().position(|role| role.develops) == Some(index);
    if is_developer { logged_changes(state) } else { state.roles[index].log.total }
}

/// The lines that the role added to its log.
fn told(context: &Context, state: &State, role: &RoleName) -> Vec<ChangeEntry> {
    let path = context.place.directory(role.as_str()).join(CHANGES);
    let read = file::within(&context.place.repo, &path, |path| file::read_regular(path, LOG_BYTES_MAX));
    let bytes = read.ok().flatten().unwrap_or_default();
    read_changes(after_lines(&bytes, logged_changes(state)), role).changes
}

/// What is said of lines in the log of a role that nobody understands.
const NO_LINE: &str = "a line that is no JSON does not count; write one object on each line";

/// The task of the plan that names the file, where nobody says for which it was changed.
fn task_of(state: &State, file: &str) -> Option<String> {
    let plan = state.plan.as_ref()?;
    let open = plan.tasks.iter().filter(|task| task.status != TaskStatus::Completed);
    open.into_iter().find(|task| task.files.iter().any(|named| named == file)).map(|task| task.id.clone())
}
