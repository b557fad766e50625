//! Cycles: an OAuth login with an extension, red checks, a refused cheat, a decision, blockers and a lost attempt; a team of one's
//! own that meets every ceiling; a prepared one with hooks; and one that was rebuilt from its progress files.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use piton_engine::core::checkpoint_of;
use piton_engine::{Layout, LocalClient};
use piton_files::cycle::{CyclePlace, CycleView, Histories, render};
use piton_model::cycle::prep::{Convergence, PhaseGates};
use piton_model::cycle::*;
use piton_model::hook::{Builtin, Hook, HookPoint, Hooks};
use piton_model::loop_machine::{
    AgentConfig, AttemptOutcome, Change, Check, CheckResult, CheckRound, GuardReport, HookEnd, Left, Limits,
    Place, Raise, Snapshot, TreeProof,
};
use piton_model::workflow::Hold;
use piton_model::{Machine, Reason, RunEvent, Status, StopOrigin};
use piton_store::memory::Memory;
use piton_store::{Append, Expect, Fence, Store};
use piton_sys::file::Durability;
use piton_view::{Client, StatusOf, words};
use serde_json::{Map, Value, json};

use super::{Folded, Script, Views, check};

const HOUR_MS: u64 = 3_600_000;

fn with_agents(mut roles: Vec<Role>) -> Vec<Role> {
    for role in &mut roles {
        let name = if role.validates { "codex" } else { "claude" };
        role.agent =
            AgentConfig { name: name.to_owned(), command: vec![name.to_owned()], ..AgentConfig::default() };
        role.prompt = format!("You are the {}.", role.title);
    }
    roles
}

fn config(roles: Vec<Role>) -> Config {
    let check = |name: &str| Check {
        name: name.to_owned(),
        command: format!("make {name}"),
        timeout_ms: 900_000,
        cheap: false,
        reads: None,
    };
    Config {
        description: "Add OAuth2 login support with Google and GitHub providers".to_owned(),
        limits: Limits { iterations: 5, attempt_ms: 1_800_000, ..Limits::default() },
        ..Config::new(
            "Implement OAuth authentication",
            with_agents(roles),
            vec![check("test"), check("lint")],
        )
    }
}

fn begin(run: &str, config: Config, imported: Option<Imported>) -> Script<State> {
    let order = Order { run: run.parse().expect("an id"), config, imported, base: None };
    Script::new(create(order).expect("a sound order"))
}

impl Script<State> {
    fn drive(&mut self, epoch: u64) -> &mut Self {
        let place = Place { host: "host".to_owned(), boot: "boot".to_owned(), pid: 7 };
        self.command(Command::Drive { epoch, place, version: "0.1.0".to_owned() })
    }

    #[track_caller]
    fn attempt(&self, role: &str) -> u32 {
        let at = self.state.role(&role.into()).unwrap_or_else(|| panic!("there is no role {role}"));
        at.open.as_ref().unwrap_or_else(|| panic!("{role} is not at work: {at:?}")).number
    }

    /// The role ends after half a minute.
    #[track_caller]
    fn end(&mut self, role: &str, end: RoleEnd) -> &mut Self {
        let attempt = self.attempt(role);
        self.after(30_000).command(Command::EndAttempt { attempt, end: Box::new(end) })
    }

    #[track_caller]
    fn lose(&mut self, role: &str, left: Left) -> &mut Self {
        let attempt = self.attempt(role);
        self.command(Command::LoseAttempt { attempt, tree: TreeProof::Scanned, left: Box::new(left) })
    }

    /// The checks that are open come to this, on the tree as it is.
    #[track_caller]
    fn end_checks(&mut self, passed: [bool; 2]) -> &mut Self {
        let number = self.state.checking.unwrap_or_else(|| panic!("no checks are open: {:?}", self.state));
        let result = |(name, passed): (&str, bool)| CheckResult {
            name: name.to_owned(),
            passed,
            exit_code: Some(i32::from(!passed)),
            timed_out: false,
            duration_ms: 2_000,
            tail: if passed { String::new() } else { "login: timeout … FAILED".to_owned() },
        };
        let tests = if passed[0] { 20 } else { 17 };
        let measures = json!({
            "tests": {"passed": tests, "failed": 20 - tests, "skipped": 0, "complete": true},
            "coverage": {"lines": {"covered": 78, "total": 100}},
        });
        let round = CheckRound {
            checks: ["test", "lint"].into_iter().zip(passed).map(result).collect(),
            snapshot: self.state.seen.clone(),
            measures: serde_json::from_value(measures).expect("measures"),
            duration_ms: 4_000,
            ..CheckRound::of_nothing(number)
        };
        let failed = if passed[0] { Vec::new() } else { vec!["login: timeout".to_owned()] };
        self.after(4_000).command(Command::EndChecks { round: Box::new(round), failed })
    }

    /// The hooks that are called have nothing to say.
    #[track_caller]
    fn end_hooks(&mut self) -> &mut Self {
        let call =
            self.state.calling.as_ref().unwrap_or_else(|| panic!("no hooks are called: {:?}", self.state));
        let end = HookEnd { number: call.number, ..HookEnd::default() };
        self.command(Command::EndHooks(Box::new(end)))
    }

    /// What the role leaves in its directory now.
    fn document(&self, name: &str, text: &str) -> Document {
        Document {
            name: name.to_owned(),
            version: self.state.current.version.clone(),
            iteration: self.state.iteration,
            text: text.to_owned(),
            at: self.now,
        }
    }

    fn analysed(&self, text: &str) -> RoleEnd {
        let mut end = said(PhaseStatus::Completed, "requirements are written");
        let version = self.state.current.version.clone();
        end.handed_in.documents = vec![
            self.document("requirements.md", text),
            self.document("edge-cases.md", "- a token that expired\n- a provider that is down\n"),
        ];
        end.handed_in.requirements = Some(Requirements {
            version,
            specification: text.to_owned(),
            edge_cases: vec!["a token that expired".to_owned(), "a provider that is down".to_owned()],
            last_updated: self.now,
        });
        end.handed_in.discoveries = vec![self.discovery(
            "ra",
            "tech_stack",
            json!({"language": "typescript", "framework": "express", "test": "jest", "build": "tsc"}),
        )];
        end
    }

    fn planned(&self) -> RoleEnd {
        let mut end = said(PhaseStatus::Completed, "two tasks");
        let version = self.state.current.version.clone();
        let task = |id: &str, description: &str, depends_on: &[&str]| PlanTask {
            id: id.to_owned(),
            description: description.to_owned(),
            effort: Effort::Small,
            depends_on: depends_on.iter().map(|id| (*id).to_owned()).collect(),
            status: TaskStatus::Pending,
            assigned_to: Some("cd".into()),
            files: vec!["src/oauth.ts".to_owned()],
        };
        let tasks = vec![
            task("TASK-001", "Setup OAuth application credentials", &[]),
            task("TASK-002", "Build the callback", &["TASK-001"]),
        ];
        end.handed_in.documents = vec![
            self.document("exploration.md", "## Summary\n\nA web server.\n"),
            self.document("architecture.md", "One module per provider.\n"),
            self.document("plan.json", &json!({"tasks": tasks}).to_string()),
        ];
        end.handed_in.exploration = Some(Exploration {
            version: version.clone(),
            architecture_summary: "A web server.".to_owned(),
            integration_points: vec!["src/app.ts".to_owned()],
            identified_risks: vec!["tokens leak".to_owned()],
            last_updated: self.now,
        });
        end.handed_in.plan = Some(Plan {
            version,
            tasks,
            total_estimated_effort: "3 hours".to_owned(),
            critical_path: vec!["TASK-001".to_owned(), "TASK-002".to_owned()],
            last_updated: self.now,
            more: Map::new(),
        });
        end
    }

    /// The role changed a file, and leaves this tree.
    fn built(&self, role: &str, tree: &str, status: PhaseStatus) -> RoleEnd {
        let mut end = said(status, "the callback is there");
        end.handed_in.documents =
            vec![self.document("implementation.md", &format!("The callback, as of tree {tree}.\n"))];
        end.handed_in.changes = vec![ChangeEntry {
            at: self.now,
            file: format!("src/{tree}.ts"),
            action: ChangeAction::Create,
            iteration: self.state.iteration,
            agent: role.into(),
            description: "the callback".to_owned(),
            task: Some("TASK-002".to_owned()),
            lines_added: 40,
            lines_removed: 2,
        }];
        (end.snapshot, end.change) = (Some(snapshot(tree)), Some(change(tree)));
        end
    }

    fn looked_at(&self) -> RoleEnd {
        let mut end = said(PhaseStatus::Completed, "looked at all of it");
        let text = format!("Looked at iteration {}.\n", self.state.iteration);
        end.handed_in.documents = vec![self.document("validation.md", &text)];
        end
    }

    fn analyse(&mut self, text: &str) -> &mut Self {
        let end = self.analysed(text);
        self.end("ra", end)
    }

    fn plan(&mut self) -> &mut Self {
        let end = self.planned();
        self.end("ep", end)
    }

    fn build(&mut self, role: &str, tree: &str, status: PhaseStatus) -> &mut Self {
        let end = self.built(role, tree, status);
        self.end(role, end)
    }

    fn look(&mut self) -> &mut Self {
        let end = self.looked_at();
        self.end("vas", end);
        // What is green is looked at once more before it is called so.
        if self.state.checking.is_some() { self.end_checks([true, true]) } else { self }
    }

    fn discovery(&self, role: &str, kind: &str, data: Value) -> Discovery {
        let data = data.as_object().cloned().expect("an object");
        Discovery { at: self.now, agent: role.into(), kind: kind.to_owned(), key: String::new(), data }
    }

    #[track_caller]
    fn is(&self, status: Status, reason: Reason) {
        assert_eq!((self.state.status, self.state.reason), (status, Some(reason)), "{:?}", self.state.detail);
    }

    fn settle(&mut self, id: &str, status: DecisionStatus, option: Option<&str>) -> &mut Self {
        let option = option.map(str::to_owned);
        self.request(CycleEvent::DecisionSettled { id: id.to_owned(), status, option, by: "user".to_owned() })
    }

    fn unblock(&mut self, id: &str, status: BlockerStatus) -> &mut Self {
        let resolution = Some("a fake server".to_owned());
        self.request(CycleEvent::BlockerSettled { id: id.to_owned(), status, resolution })
    }

    fn resume(&mut self, raise: Raise) -> &mut Self {
        self.request(CycleEvent::ResumeRequested { raise })
    }

    fn extend(&mut self, text: &str, raise: Raise) -> &mut Self {
        self.request(CycleEvent::ExtensionRequested { text: text.to_owned(), raise })
    }
}

fn snapshot(tree: &str) -> Snapshot {
    Snapshot { id: tree.repeat(40), tree: format!("{}{}", "7".repeat(39), tree), left_out: Vec::new() }
}

fn change(tree: &str) -> Change {
    let change = json!({"files": [format!("src/{tree}.ts")], "files_total": 1, "added": 40, "removed": 2});
    serde_json::from_value(change).expect("a change")
}

fn ended(outcome: AttemptOutcome) -> RoleEnd {
    RoleEnd {
        outcome,
        exit_code: Some(i32::from(outcome != AttemptOutcome::Succeeded)),
        duration_ms: 30_000,
        message: None,
        said: None,
        handed_in: HandedIn::default(),
        snapshot: None,
        change: None,
        guard: None,
        cost_microusd: Some(120_000),
        tokens: Some(900),
        session_id: Some("s1".to_owned()),
        session_usage: None,
        session_cost_microusd: None,
        hold: None,
    }
}

fn said(status: PhaseStatus, summary: &str) -> RoleEnd {
    let mut end = ended(AttemptOutcome::Succeeded);
    let fields = [("summary".to_owned(), summary.to_owned())].into();
    end.handed_in.result = Some(PhaseResult { phase: None, status, fields });
    end.said = Some(summary.to_owned());
    end
}

fn cheat() -> GuardReport {
    let guard = json!({
        "tests": {"before": 20, "after": 19},
        "assertions": {"before": 60, "after": 58},
        "findings": [{
            "id": "0dde7d7994", "rule": "test-deleted", "regression_type": "test_deletion", "pattern": "LP-001",
            "severity": "critical", "confidence": 0.97, "blocking": true,
            "file": "tests/login.test.ts", "line": 12, "message": "a test is gone", "undo": "put it back",
        }],
        "findings_total": 1,
        "duration_ms": 20,
    });
    serde_json::from_value(guard).expect("a report")
}

/// A cycle in which nearly everything happens, and which reaches its goal.
fn oauth() -> Script<State> {
    let mut script = begin("cycle-v1-20260215T200320-0a1b2c3d", config(default_roles()), None);
    script.drive(1).command(Command::Observe(snapshot("0")));
    script.analyse("Users log in with OAuth.\n");
    script.request(CycleEvent::FeedbackAdded {
        source: "user".to_owned(),
        target: "ep".into(),
        content: "keep the old login for a month".to_owned(),
        kind: FeedbackKind::RequirementUpdate,
    });
    // The planner wants something decided before anybody goes on.
    let mut planned = script.planned();
    planned.handed_in.decisions = vec![Decision {
        id: String::new(),
        description: "Which provider first?".to_owned(),
        options: vec!["Google".to_owned(), "GitHub".to_owned()],
        made_by: None,
        chosen_option: None,
        status: DecisionStatus::Pending,
        waits: true,
    }];
    script.end("ep", planned);
    script.is(Status::Waiting, Reason::Human);
    script.after(HOUR_MS).settle("DEC-001", DecisionStatus::Made, Some("GitHub"));
    // The developer takes too long, is told so twice, and hands in what there is.
    script.after(1_800_000).command(Command::Tick).after(180_000).command(Command::Tick);
    let built = script.built("cd", "1", PhaseStatus::Completed);
    script.end("cd", RoleEnd { outcome: AttemptOutcome::TimedOut, ..built });
    script.end_checks([false, true]).look();
    assert_eq!(script.state.iteration, 2, "red checks begin the next iteration");
    // A cheat is refused and put back; then the machine goes down, and the provider has had enough.
    let cheats = script.built("cd", "2", PhaseStatus::Completed);
    script.end("cd", RoleEnd { guard: Some(cheat()), ..cheats });
    let left = Left { snapshot: Some(snapshot("1")), ..Left::default() };
    script.drive(2).lose("cd", left);
    let limited = Hold { reason: Reason::RateLimit, until: None };
    script.end("cd", RoleEnd { hold: Some(limited), ..ended(AttemptOutcome::Failed) });
    script.after(60_000).command(Command::Tick);
    let attempt = script.attempt("cd");
    script.command(Command::AbandonAttempt { attempt });
    // It cannot go on, and asks the analyst.
    let mut stuck = said(PhaseStatus::Blocked, "what is a valid token?");
    stuck.handed_in.blockers = vec!["nobody says how long a token is valid".to_owned()];
    script.end("cd", stuck);
    // Meanwhile somebody edits the state file, and somebody else wants more.
    let edited = Edited {
        signal: Some(Signal::Pause),
        word: None,
        kept_at: Some(".workflow/.cycle/state.json.foreign-20260215T140000Z".to_owned()),
        fields: vec!["title".to_owned()],
    };
    script.command(Command::TakeEdit { edited, digest: "ab".repeat(32) });
    script.extend("Also add multi-factor authentication", Raise::default());
    script.analyse("Users log in with OAuth. A token is valid for an hour.\n");
    script.is(Status::Paused, Reason::Human);
    script.after(HOUR_MS).resume(Raise::default());
    let mut built = script.built("cd", "3", PhaseStatus::Completed);
    built.handed_in.tasks_completed = vec!["TASK-001".to_owned(), "TASK-002".to_owned()];
    built.handed_in.debug = vec![json!({"issue_id": "BUG-001", "iteration": 2, "outcome": "confirmed"})];
    script.end("cd", built);
    script.end_checks([true, true]).look();
    // What was asked for meanwhile has an iteration of its own. People report what is in the way, and settle it.
    assert_eq!((script.state.iteration, script.state.task_history.len()), (3, 2));
    let (description, by) = ("no test account".to_owned(), "user".to_owned());
    script.request(CycleEvent::BlockerReported { description, by });
    script.unblock("BLK-002", BlockerStatus::Workaround);
    script.settle("DEC-001", DecisionStatus::Implemented, None);
    script.analyse("Users log in with OAuth and a second factor.\n");
    script.request(CycleEvent::DecisionProposed {
        description: "Text messages, too?".to_owned(),
        options: vec!["yes".to_owned(), "no".to_owned()],
        by: "user".to_owned(),
        waits: false,
    });
    script.plan().build("cd", "4", PhaseStatus::Completed);
    script.end_checks([true, true]).look();
    script.is(Status::Completed, Reason::ChecksPass);
    script.request(CycleEvent::BestChosen { iteration: 2, reason: "it is simpler".to_owned() });
    let (_, checkpoint) = checkpoint_of(&script.state, script.journal.len() as u64 + 1);
    script.request(checkpoint);
    script
}

/// A team of one's own, that meets one ceiling after the other and is stopped in the end.
fn limited() -> Script<State> {
    let writer = Role {
        writes: vec!["draft.md".to_owned()],
        develops: true,
        cost_microusd: Some(300_000),
        ..Role::new("writer", "Writer")
    };
    let reviewer = Role {
        reads: vec!["writer/draft.md".to_owned()],
        writes: vec!["review.md".to_owned()],
        after: vec!["writer".into()],
        feedback_to: vec!["writer".into()],
        validates: true,
        ..Role::new("reviewer", "Reviewer")
    };
    let mut config = config(vec![writer, reviewer]);
    (config.limits.iterations, config.limits.no_progress) = (2, 2);
    let mut script = begin("cycle-v1-20260215T200320-4e5f6a7b", config, None);
    script.drive(1).command(Command::Observe(snapshot("0")));
    // One that fails each time fails the cycle; whoever resumes it gives it its tries again.
    for _ in 0..3 {
        let message = Some("it exited with 1".to_owned());
        script
            .end("writer", RoleEnd { message, cost_microusd: Some(40_000), ..ended(AttemptOutcome::Failed) });
    }
    script.is(Status::Failed, Reason::FailureStreak);
    script.resume(Raise::default());
    // It cannot go on and has nobody to ask: a person is waited for.
    script.end("writer", said(PhaseStatus::Blocked, "no access"));
    script.is(Status::Waiting, Reason::Blocked);
    script.unblock("BLK-001", BlockerStatus::Resolved);
    script.build("writer", "1", PhaseStatus::Completed);
    script.end_checks([false, true]).end("reviewer", said(PhaseStatus::Completed, "it is red"));
    // The writer has used what it may.
    script.is(Status::Stopped, Reason::LimitCost);
    script.resume(Raise { cost_microusd: Some(9_000_000), ..Raise::default() });
    script.build("writer", "2", PhaseStatus::Partial);
    script.end_checks([false, true]).end("reviewer", said(PhaseStatus::Completed, "it is red still"));
    script.is(Status::Failed, Reason::LimitIterations);
    script.extend("Make it shorter", Raise { iterations: Some(6), ..Raise::default() });
    // Two iterations in which nothing changes are enough.
    for _ in 0..2 {
        script.end("writer", said(PhaseStatus::Completed, "nothing to do"));
        script.end_checks([false, true]).end("reviewer", said(PhaseStatus::Completed, "it is as red"));
    }
    script.is(Status::Stopped, Reason::NoProgress);
    script.resume(Raise::default()).request(CycleEvent::PauseRequested {});
    let unstartable =
        RoleEnd { message: Some("there is no `claude`".to_owned()), ..ended(AttemptOutcome::NotStartable) };
    script.end("writer", unstartable);
    script.is(Status::Stopped, Reason::Environment);
    script.resume(Raise::default());
    script.command(Command::GiveUp { detail: "the state directory is gone".to_owned() });
    script.resume(Raise::default());
    script.request(CycleEvent::StopRequested { now: true, origin: StopOrigin::Interrupt });
    script.end("writer", ended(AttemptOutcome::Cancelled));
    assert_eq!(script.state.status, Status::Stopped);
    script
}

/// A prepared cycle whose hooks are called: it passes its first gate, then its second.
fn hooked() -> Script<State> {
    let mut config = config(default_roles());
    let points = vec![HookPoint::PreIteration, HookPoint::LoopEnd];
    let hook = Hook { name: "note".to_owned(), points, ..Builtin::Logging.hook() };
    config.hooks = Some(Hooks { hooks: vec![hook], ..Hooks::default() });
    config.on_done = Some("make announce".to_owned());
    config.prep = Some(PrepFound::Taken(Box::new(Prep {
        path: ".workflow/.cycle/prep-package.json".to_owned(),
        digest: "cd".repeat(32),
        generated_at: config_begins(),
        quality_score: 8.0,
        description: None,
        max_iterations: 5,
        phase_ms: 1_800_000,
        confirm: false,
        convergence: Convergence {
            test_pass_rate: 90.0,
            coverage: 70.0,
            max_critical_bugs: 0,
            max_open_issues: 3,
        },
        phase_gates: PhaseGates::default(),
        agent_focus: Default::default(),
        source_refs: Vec::new(),
    })));
    let mut script = begin("cycle-v1-20260215T200320-1b2c3d4e", config, None);
    script.drive(1).command(Command::Observe(snapshot("0")));
    for tree in ["1", "2"] {
        script.end_hooks().analyse("Users log in with OAuth.\n").plan();
        let mut built = script.built("cd", tree, PhaseStatus::Completed);
        built.handed_in.tasks_completed = vec!["TASK-001".to_owned()];
        script.end("cd", built).end_checks([true, true]).look();
    }
    script.end_hooks();
    script.is(Status::Completed, Reason::ChecksPass);
    script
}

fn config_begins() -> piton_model::Timestamp {
    piton_model::Timestamp::from_millis(1_771_150_000_000)
}

/// A cycle of which only the progress files were left: it goes on, and a person confirms each iteration.
fn rebuilt() -> Script<State> {
    let mut before = begin("cycle-v1-20260214T100000-7c8d9e0f", config(default_roles()), None);
    before.drive(1).command(Command::Observe(snapshot("0")));
    before.analyse("Users log in with OAuth.\n");
    before.plan().build("cd", "1", PhaseStatus::Completed);
    before.end_checks([false, true]).look();
    let State { requirements, exploration, plan, changes, tests, iterations, feedback, .. } = &before.state;
    let documents = before.state.team().flat_map(|(role, at)| {
        at.documents.values().map(|document| (role.name.clone(), Document::clone(document)))
    });
    let imported = Imported {
        rebuilt: true,
        created_at: before.state.created_at,
        ended_at: None,
        failure_reason: Some("the tests fail".to_owned()),
        iteration: 1,
        iterations_completed: [("ra".into(), 1), ("cd".into(), 1)].into(),
        task_history: before.state.task_history.clone(),
        description: before.state.description.clone(),
        requirements: requirements.as_deref().cloned(),
        exploration: exploration.as_deref().cloned(),
        plan: plan.as_deref().cloned(),
        changes: changes.recent.iter().cloned().collect(),
        unnamed_files: 2,
        iteration_markers: before.state.iteration_markers.clone(),
        tests: tests.clone(),
        documents: documents.collect(),
        iterations: iterations.iter().take(1).cloned().collect(),
        feedback: feedback.recent.iter().cloned().collect(),
        decisions: Vec::new(),
        blockers: vec![Blocker {
            id: "BLK-001".to_owned(),
            description: "no credentials".to_owned(),
            reported_by: "cd".to_owned(),
            status: BlockerStatus::Workaround,
            resolution: Some("a fake server".to_owned()),
        }],
        phase_errors: vec![PhaseError {
            phase: "cd".to_owned(),
            error: "no PHASE_RESULT was found".to_owned(),
            at: before.now,
        }],
        unknown: vec!["what its agents cost and said".to_owned()],
        ..Imported::default()
    };
    let config = Config { confirm: true, ..config(default_roles()) };
    let mut script = begin("cycle-v1-20260214T100000-7c8d9e0f", config, Some(imported));
    script.request(CycleEvent::PhaseErred {
        phase: "init".to_owned(),
        error: "the state was rebuilt from the progress files".to_owned(),
    });
    let detail = Some("it was taken up from its files".to_owned());
    script.request(CycleEvent::RunPaused { reason: Reason::Human, detail });
    script.resume(Raise { iterations: Some(8), ..Raise::default() });
    script.drive(1).command(Command::Observe(snapshot("1")));
    script.analyse("Users log in with OAuth, again.\n").plan();
    script.build("cd", "2", PhaseStatus::Completed);
    script.end_checks([false, false]).look();
    script.is(Status::Paused, Reason::Attended);
    script.after(HOUR_MS).resume(Raise::default());
    script.request(CycleEvent::StopRequested { now: false, origin: StopOrigin::Command });
    script.build("cd", "3", PhaseStatus::Completed);
    script.is(Status::Stopped, Reason::Human);
    script
}

/// What people and programs see of a cycle: its state file, its progress files, one screen, its log and its report.
pub(crate) fn views(folded: &Folded<State>) -> Views {
    let state = folded.last();
    let run = &state.run;
    let (screen, log, report) = through_the_door(folded);
    vec![
        ("cycle.json", render(state, &CyclePlace::new("/home/someone/app", run.as_str()))),
        ("progress.txt", progress(folded)),
        ("status.txt", screen),
        ("log.txt", log),
        ("report.md", report),
    ]
}

/// The progress files, as they lie there once each state was published: one after the other, each below its name.
fn progress(folded: &Folded<State>) -> Vec<u8> {
    let directory = tempfile::tempdir().expect("room for a directory");
    let (root, run) = (directory.path(), folded.last().run.as_str());
    let home = root.join(".piton");
    std::fs::create_dir(&home).expect("room");
    let place = CyclePlace::new(root, run);
    let view = CycleView::new(place.clone(), home.clone(), home.join("cycle-files"));
    view.prepare(folded.last()).expect("room");
    let mut histories = Histories::default();
    for state in &folded.states {
        histories.absorb(state);
        let all = || Some(histories.clone());
        let published = view.publish(state, &all, Durability::Unsynced).expect("room");
        assert!(published.quarantined.is_empty() && published.behind.is_empty(), "{published:?}");
    }
    let mut text = Vec::new();
    append_files(&place.progress(), &place.progress(), &mut text);
    text
}

fn append_files(root: &Path, directory: &Path, text: &mut Vec<u8>) {
    let entries = std::fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry"));
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let name = path.strip_prefix(root).expect("it is below").display();
        if path.is_dir() {
            append_files(root, &path, text);
        } else {
            text.extend(format!("==> {name} <==\n").into_bytes());
            text.extend(std::fs::read(&path).expect("a file"));
            text.push(b'\n');
        }
    }
}

/// What the door says of the journal: one screen, a line per event, the report.
fn through_the_door(folded: &Folded<State>) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
    let directory = tempfile::tempdir().expect("room for a directory");
    let store: Arc<dyn Store> = Arc::new(Memory::default());
    let (state, run) = (folded.last(), &folded.last().run);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        for (index, ((at, event), after)) in folded.events.iter().zip(&folded.states).enumerate() {
            let append = Append {
                run: run.clone(),
                fence: Fence::Request((index as u128).to_be_bytes()),
                expect: Expect::Seq(index as u64),
                at: *at,
                events: vec![event.encode()],
                entry: Some(after.entry()),
                checkpoint: None,
                salt: [2; 16],
            };
            store.append(append).await.expect("room");
        }
        let client = LocalClient::new(Arc::clone(&store), Layout::new(directory.path().to_owned()));
        let status = client.status(run).await.expect("a run");
        let StatusOf::Cycle(status) = status.of else { panic!("a cycle is shown as one") };
        // An hour after it happened.
        let now = state.updated_at.plus_millis(HOUR_MS);
        let screen = words::cycle::status(&status, state, &status.next, now).join("\n") + "\n";
        let events = client.events(run, 1, Duration::ZERO).await.expect("events");
        let log: String = events.iter().map(|event| format!("{:>3} {}\n", event.seq, event.text)).collect();
        let report = client.report(run).await.expect("a report");
        (screen.into_bytes(), log.into_bytes(), report.text.into_bytes())
    })
}

#[test]
fn a_cycle_with_an_extension_folds_and_renders_as_it_did() {
    check("cycle-oauth", oauth, views);
}

#[test]
fn a_team_at_its_limits_folds_and_renders_as_it_did() {
    check("cycle-limited", limited, views);
}

#[test]
fn a_cycle_that_was_rebuilt_folds_and_renders_as_it_did() {
    check("cycle-rebuilt", rebuilt, views);
}

#[test]
fn a_prepared_cycle_with_hooks_folds_and_renders_as_it_did() {
    check("cycle-hooked", hooked, views);
}
