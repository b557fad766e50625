//! Cycles to render, and directories to publish into.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_files::cycle::{CyclePlace, CycleView, Histories, Published, moment};
use piton_model::cycle::*;
use piton_model::loop_machine::{Backoff, CheckResult, GuardMode, Limits, SessionPolicy};
use piton_model::{Status, Timestamp};
use piton_sys::file::Durability;
use serde_json::Map;

pub(crate) const ID: &str = "cycle-v1-20260122T100000-abc123";

pub(crate) fn at(time: &str) -> Timestamp {
    moment(&format!("2026-01-22T{time}+08:00")).unwrap()
}

pub(crate) fn config() -> Config {
    Config {
        task: "Implement OAuth authentication".to_owned(),
        description: "Add OAuth2 login support with Google and GitHub providers".to_owned(),
        roles: default_roles(),
        checks: Vec::new(),
        limits: Limits { iterations: 5, ..Limits::default() },
        grace_ms: 180_000,
        session: SessionPolicy::default(),
        guard: GuardMode::default(),
        protect: Vec::new(),
        rules_off: Vec::new(),
        backoff: Backoff::default(),
        confine: None,
        utc_offset_minutes: 480,
        confirm: false,
        prep: None,
        worktree: None,
        notify: None,
        hooks: None,
        on_done: None,
    }
}

pub(crate) fn created_with(config: Config) -> State {
    let order = Order { run: ID.parse().unwrap(), config, imported: None, base: None };
    apply(None, &create(order).unwrap(), at("10:00:00")).unwrap()
}

/// The cycle of the document, before anything is done.
pub(crate) fn created() -> State {
    created_with(config())
}

pub(crate) fn log<T>(entries: impl IntoIterator<Item = T>) -> Log<T> {
    let recent: VecDeque<T> = entries.into_iter().collect();
    Log { total: recent.len() as u64, recent }
}

pub(crate) fn role<'a>(state: &'a mut State, name: &str) -> &'a mut RoleState {
    let index = state.place(&name.into()).unwrap();
    &mut state.roles[index]
}

/// A role hands in a document: what was there before is the version before.
pub(crate) fn hand_in(state: &mut State, name: &str, document: &str, text: &str, time: &str) {
    let iteration = state.iteration;
    let known = role(state, name);
    let new = Document {
        name: document.to_owned(),
        version: version_of(iteration),
        iteration,
        text: text.to_owned(),
        at: at(time),
    };
    let line = LogLine {
        at: at(time),
        iteration,
        version: new.version.clone(),
        document: document.to_owned(),
        created: !known.documents.contains_key(document),
        change: format!("{document} of iteration {iteration}"),
    };
    if let Some(old) = known.documents.insert(document.to_owned(), Arc::new(new)) {
        known.previous.insert(document.to_owned(), old);
    }
    known.log.total += 1;
    known.log.recent.push_back(line);
    if !known.output_files.contains(&document.to_owned()) {
        known.output_files.push(document.to_owned());
    }
}

pub(crate) fn record(number: u32, started: &str, completed: Option<&str>) -> IterationRecord {
    IterationRecord {
        number,
        version: version_of(number),
        extension: None,
        started_at: at(started),
        completed_at: completed.map(at),
        agent_results: BTreeMap::new(),
        issues: Vec::new(),
        resolved: false,
        verdict: completed.map(|_| IterationVerdict::GoesOn),
        quality: None,
        pass_rate: None,
        snapshot: None,
        cost_microusd: 0,
        gate: None,
    }
}

pub(crate) fn task(id: &str, needs: &[&str], status: TaskStatus) -> PlanTask {
    PlanTask {
        id: id.to_owned(),
        description: "Setup OAuth application credentials".to_owned(),
        effort: Effort::Small,
        depends_on: needs.iter().map(|need| (*need).to_owned()).collect(),
        status,
        assigned_to: None,
        files: vec!["src/config/oauth.ts".to_owned()],
    }
}

pub(crate) fn change(number: u32, iteration: u32) -> ChangeEntry {
    ChangeEntry {
        at: at("10:30:00").plus_millis(u64::from(number) * 1000),
        file: format!("src/file{number}.ts"),
        action: ChangeAction::Modify,
        iteration,
        agent: "cd".into(),
        description: format!("change {number}"),
        task: Some("TASK-001".to_owned()),
        lines_added: u64::from(number),
        lines_removed: 1,
    }
}

pub(crate) fn add_changes(state: &mut State, numbers: std::ops::Range<u32>) {
    for number in numbers {
        let change = change(number, state.iteration);
        state.changed_files.insert(change.file.clone());
        state.changes.total += 1;
        state.changes.recent.push_back(change);
    }
}

/// The first iteration of the document's cycle, while its first role works.
pub(crate) fn first_iteration() -> State {
    let mut state = created();
    (state.status, state.iteration, state.phase) = (Status::Running, 1, Phase::Role("ra".into()));
    state.updated_at = at("10:15:00");
    let ra = role(&mut state, "ra");
    (ra.status, ra.started_at) = (RoleStatus::Running, Some(at("10:05:00")));
    state.requirements = Some(Arc::new(Requirements {
        version: "1.0.0".to_owned(),
        specification: "Users log in with OAuth.".to_owned(),
        edge_cases: vec!["OAuth timeout handling".to_owned(), "PKCE validation".to_owned()],
        last_updated: at("10:15:00"),
    }));
    let mut first = record(1, "10:00:00", None);
    let results = [
        ("ra", PhaseStatus::Completed, 3),
        ("ep", PhaseStatus::Completed, 2),
        ("cd", PhaseStatus::Partial, 5),
        ("vas", PhaseStatus::Pending, 0),
    ];
    first.agent_results = results
        .map(|(role, status, files_modified)| {
            (role.into(), RoleResult { status, files_modified, ..RoleResult::default() })
        })
        .into_iter()
        .collect();
    state.iterations.push_back(first);
    state
}

/// The same when all of its roles are done, and every section is there.
pub(crate) fn aggregated() -> State {
    let mut state = first_iteration();
    state.phase = Phase::Aggregation;
    state.attempt = 4;
    state.updated_at = at("10:40:00");
    state.completed_phases = ["ra", "ep", "cd", "vas"].map(str::to_owned).to_vec();
    for known in &mut state.roles {
        (known.status, known.iterations_completed) = (RoleStatus::Completed, 1);
    }
    let requirements = "Users log in with OAuth.\n\n## Edge cases\n- none here";
    hand_in(&mut state, "ra", "requirements.md", requirements, "10:15:00");
    hand_in(&mut state, "ra", "edge-cases.md", "- OAuth timeout handling\n- PKCE validation\n", "10:15:00");
    state.requirements = Some(Arc::new(Requirements {
        specification: requirements.to_owned(),
        ..Requirements::clone(state.requirements.as_ref().unwrap())
    }));
    state.exploration = Some(Arc::new(Exploration {
        version: "1.0.0".to_owned(),
        architecture_summary: "A web server.".to_owned(),
        integration_points: vec!["src/app.ts".to_owned()],
        identified_risks: vec!["tokens leak".to_owned()],
        last_updated: at("10:20:00"),
    }));
    state.plan = Some(Arc::new(Plan {
        version: "1.0.0".to_owned(),
        tasks: vec![task("TASK-001", &[], TaskStatus::Completed)],
        total_estimated_effort: "6 hours".to_owned(),
        critical_path: vec!["TASK-001".to_owned()],
        last_updated: at("10:20:00"),
        more: Map::new(),
    }));
    hand_in(&mut state, "cd", "implementation.md", "# Done\n\nLogin works.", "10:30:00");
    add_changes(&mut state, 0..12);
    state.iteration_markers.insert(1, at("10:30:00"));
    state.tests = Some(tests(Some(78.0)));
    state.checks = vec![CheckResult {
        name: "unit".to_owned(),
        passed: false,
        exit_code: Some(1),
        timed_out: false,
        duration_ms: 900,
        tail: String::new(),
    }];
    state.timeline = log([
        fact("10:00:00", 1, TimelineFact::IterationStarted { version: "1.0.0".to_owned(), extension: None }),
        fact(
            "10:15:00",
            1,
            TimelineFact::RoleEnded { role: "ra".into(), status: PhaseStatus::Completed, files: 3 },
        ),
    ]);
    state
}

pub(crate) fn tests(coverage: Option<f64>) -> TestResults {
    TestResults {
        version: "1.0.0".to_owned(),
        iteration: 1,
        round: 2,
        pass_rate: 85.0,
        coverage,
        branches: None,
        functions: None,
        failed_tests: vec!["test: OAuth timeout retry".to_owned()],
        total_tests: 20,
        passed_tests: 17,
        skipped_tests: 0,
        duration_ms: 900,
        last_run: at("10:35:00"),
    }
}

pub(crate) fn fact(time: &str, iteration: u32, fact: TimelineFact) -> TimelineEntry {
    TimelineEntry { at: at(time), iteration, fact }
}

/// The document's second iteration, begun by an extension, when its requirements are there.
pub(crate) fn extended() -> State {
    let mut state = aggregated();
    let text = "Also add multi-factor authentication".to_owned();
    (state.status, state.iteration, state.phase) = (Status::Running, 2, Phase::Role("ra".into()));
    state.updated_at = at("11:00:00");
    state.task_history.push(text.clone());
    state.description.push_str(&format!("\n\n--- ITERATION 2 ---\n{text}"));
    for (index, known) in state.roles.iter_mut().enumerate() {
        known.status = if index == 0 { RoleStatus::Running } else { RoleStatus::Idle };
    }
    let specification = "Users log in with OAuth and a second factor.";
    hand_in(&mut state, "ra", "requirements.md", specification, "11:00:00");
    state.requirements = Some(Arc::new(Requirements {
        version: "1.1.0".to_owned(),
        specification: specification.to_owned(),
        edge_cases: vec!["lost second factor".to_owned()],
        last_updated: at("11:00:00"),
    }));
    (state.iterations[0].completed_at, state.iterations[0].verdict) =
        (Some(at("10:40:00")), Some(IterationVerdict::Converged));
    let mut second = record(2, "10:45:00", None);
    second.extension = Some(text.clone());
    state.iterations.push_back(second);
    state.feedback = log([Feedback {
        at: at("10:45:00"),
        source: "user".to_owned(),
        target: "ra".into(),
        content: "Add multi-factor authentication to requirements".to_owned(),
        kind: FeedbackKind::RequirementUpdate,
    }]);
    let started = TimelineFact::IterationStarted { version: "1.1.0".to_owned(), extension: Some(text) };
    state.timeline.total += 1;
    state.timeline.recent.push_back(fact("10:45:00", 2, started));
    state
}

/// A cycle of which every field of the format is known.
pub(crate) fn full() -> State {
    let mut state = extended();
    (state.status, state.phase) = (Status::Failed, Phase::Complete);
    state.ended_at = Some(at("11:30:00"));
    state.updated_at = at("11:30:00");
    state.detail = Some("tests fail still".to_owned());
    state.current.concluded = true;
    add_changes(&mut state, 12..14);
    state.iteration_markers.insert(2, at("11:20:00"));
    let cd = role(&mut state, "cd");
    (cd.status, cd.error) = (RoleStatus::Failed, Some("it crashed".to_owned()));
    (cd.started_at, cd.completed_at) = (Some(at("11:05:00")), Some(at("11:20:00")));
    cd.last_message = Some("I did what I could".to_owned());
    cd.debug = log([serde_json::json!({"issue_id": "BUG-001", "outcome": "confirmed", "iteration": 2})]);
    state.phase_errors =
        log([PhaseError { phase: "cd".to_owned(), error: "no block".to_owned(), at: at("11:20:00") }]);
    state.decisions = vec![Decision {
        id: "DEC-001".to_owned(),
        description: "Which provider first?".to_owned(),
        options: vec!["Google".to_owned(), "GitHub".to_owned()],
        made_by: Some("user".to_owned()),
        chosen_option: Some("GitHub".to_owned()),
        status: DecisionStatus::Made,
        waits: false,
    }];
    state.blockers = vec![Blocker {
        id: "BLK-001".to_owned(),
        description: "no credentials".to_owned(),
        reported_by: "cd".to_owned(),
        status: BlockerStatus::Workaround,
        resolution: Some("a fake server".to_owned()),
    }];
    let data = serde_json::json!({"name": "n", "file": "f", "usage": "u"});
    state.discoveries = log([Discovery {
        at: at("11:10:00"),
        agent: "cd".into(),
        kind: "utility".to_owned(),
        key: "n".to_owned(),
        data: data.as_object().unwrap().clone(),
    }]);
    state
}

/// A repository with a state directory.
pub(crate) struct World {
    pub(crate) root: tempfile::TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join(".piton")).unwrap();
        Self { root }
    }

    pub(crate) fn view(&self) -> CycleView {
        view(self.root.path())
    }

    pub(crate) fn publish(&self, state: &State) -> Published {
        publish(self.root.path(), state)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(".workflow/.cycle").join(format!("{ID}.progress")).join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    #[expect(clippy::disallowed_methods, reason = "it is somebody else who writes, in whatever way")]
    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn master(&self) -> PathBuf {
        self.root.path().join(".workflow/.cycle").join(format!("{ID}.json"))
    }
}

pub(crate) fn view(root: &Path) -> CycleView {
    let home = root.join(".piton");
    let list = home.join("views").join(ID);
    CycleView::new(CyclePlace::new(root, ID), home, list)
}

pub(crate) fn publish(root: &Path, state: &State) -> Published {
    view(root).publish(state, &|| None::<Histories>, Durability::Unsynced).unwrap()
}

/// Every file below a directory, by its path there.
pub(crate) fn tree(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).unwrap().flatten() {
            if entry.path().is_dir() {
                open.push(entry.path());
            } else {
                files.insert(
                    entry.path().strip_prefix(root).unwrap().to_owned(),
                    std::fs::read(entry.path()).unwrap(),
                );
            }
        }
    }
    files
}
