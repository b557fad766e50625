//! A golden file per cycle event, in `golden_cycle`: what one piton wrote, every later one must read.
#![expect(clippy::unwrap_used, reason = "a test says what it saw, and fails where it cannot go on")]

mod golden_files;

use golden_files::Golden;
use piton_model::cycle::*;
use piton_model::hook::HookPoint;
use piton_model::loop_machine::{
    AgentConfig, Artifact, AttemptOutcome, Change, Check, CheckResult, CheckRound, Confine, Counts, Ending,
    Finding, GuardMode, GuardReport, HookCall, HookEnd, HookRecord, IntendedSession, Left, Limits, Note,
    NoteKind, Raise, Reading, RuleOff, SessionPolicy, Snapshot, TreeProof, Usage, Verdict, Wrote,
};
use piton_model::workflow::Hold;
use piton_model::{Kind, Reason, RegressionType, RunEvent, Severity, Status, StopOrigin, Timestamp};
use serde_json::{Map, Value, json};

const AT: Timestamp = Timestamp::from_millis(1_771_157_000_123);

/// An example of every event, and a proof that it is every event: the match has no wildcard.
macro_rules! examples {
    ($($variant:ident $fields:tt)*) => {
        fn examples() -> Vec<CycleEvent> {
            vec![$(CycleEvent::$variant $fields),*]
        }

        fn _every_event_has_an_example(event: &CycleEvent) {
            match event { $(CycleEvent::$variant { .. } => {})* }
        }
    };
}

examples! {
    RunCreated {
        run: "cycle-v1-20260215T200320-7f3a91c2".parse().unwrap(),
        kind: Kind::Cycle,
        title: "Implement OAuth authentication".to_owned(),
        config: Box::new(config()),
        imported: Some(Box::new(imported())),
        base: None
    }
    DriverStarted {
        epoch: 3,
        host: "8c1f0e2d".to_owned(),
        boot: "b0075".to_owned(),
        pid: 4242,
        version: "0.1.0".to_owned()
    }
    SnapshotTaken { snapshot: snapshot(), base: true, before: None }
    IterationStarted {
        iteration: 2,
        version: "1.1.0".to_owned(),
        extension: Some(Extension { text: "Also add multi-factor authentication".to_owned(), at: AT }),
        roles: vec!["ra".into(), "ep".into(), "cd".into(), "vas".into()],
        gate: Some(Gate::ZeroToOne),
        feedback: vec![feedback()]
    }
    RoleStarted {
        attempt: OpenAttempt {
            number: 5,
            role: "cd".into(),
            iteration: 2,
            attempt: 1,
            host: "8c1f0e2d".to_owned(),
            boot: "b0075".to_owned(),
            directory: "attempts/cycle-v1-20260215T200320-7f3a91c2/5".to_owned(),
            restore: Some("0a1b2c".to_owned()),
            session: Some(IntendedSession {
                id: "s-2".to_owned(),
                resumed: true,
                from: Some("s-1".to_owned()),
            }),
        }
    }
    RoleNudged { attempt: 5, nudge: Nudge::Finalize }
    RoleFinished { attempt: 5, end: Box::new(end()), ruling: Box::new(ruling()) }
    RoleAbandoned { attempt: 6 }
    RoleLost {
        attempt: 7,
        tree: TreeProof::Scanned,
        left: Box::new(Left { snapshot: Some(snapshot()), change: Some(change()), guard: Some(guard()) }),
        ruling: Box::new(Ruling {
            verdict: RoleVerdict::Again {
                not_before: Some(AT),
                free: true,
                restore: Some("0a1b2c".to_owned()),
            },
            ..ruling()
        })
    }
    ChecksStarted { round: 2 }
    ChecksFinished { round: Box::new(round()), tests: Some(Box::new(tests())), quality: Some(62.5) }
    HooksStarted {
        call: HookCall {
            number: 4,
            points: vec![HookPoint::PreIteration, HookPoint::OnError],
            ending: Some(Ending {
                status: Status::Stopped,
                reason: Reason::Hook,
                detail: Some("no budget left".to_owned()),
            }),
        }
    }
    HooksFinished {
        end: Box::new(HookEnd {
            number: 4,
            results: vec![HookRecord {
                hook: "budget".to_owned(),
                point: HookPoint::PreIteration,
                success: false,
                skipped: true,
                duration_ms: 12,
                said: Some("skipped, not trusted: ./budget".to_owned()),
            }],
            stop: Some("no budget left".to_owned()),
            keep_session: true,
            set: [("k".to_owned(), 1.into())].into(),
        })
    }
    IterationConcluded {
        conclusion: Box::new(Conclusion {
            iteration: 2,
            verdict: IterationVerdict::GoesOn,
            issues: vec!["check `test` fails with 1".to_owned()],
            tests: Some(tests()),
            best: true,
            progress: true,
            quality: 62.5,
            snapshot: Some(snapshot()),
            next: vec!["cd".into(), "vas".into()],
            feedback: vec![feedback()],
            gate: Some(gate()),
        })
    }
    PhaseErred { phase: "init".to_owned(), error: "the state was rebuilt".to_owned() }
    StateEdited {
        edited: Edited {
            signal: Some(Signal::Unknown),
            word: Some("banana".to_owned()),
            kept_at: Some(".workflow/.cycle/c.json.foreign-20260215T120320Z".to_owned()),
            fields: vec!["title".to_owned()],
        },
        digest: "ab".repeat(32)
    }
    ExtensionRequested {
        text: "Also add multi-factor authentication".to_owned(),
        raise: Raise { iterations: Some(8), ..Raise::default() }
    }
    FeedbackAdded {
        source: "user".to_owned(),
        target: "cd".into(),
        content: "mind the timeout".to_owned(),
        kind: FeedbackKind::BugReport
    }
    DecisionProposed {
        description: "Which provider first?".to_owned(),
        options: vec!["Google".to_owned(), "GitHub".to_owned()],
        by: "user".to_owned(),
        waits: true
    }
    DecisionSettled {
        id: "DEC-001".to_owned(),
        status: DecisionStatus::Made,
        option: Some("GitHub".to_owned()),
        by: "user".to_owned()
    }
    BlockerReported { description: "no credentials".to_owned(), by: "cd".to_owned() }
    BlockerSettled {
        id: "BLK-001".to_owned(),
        status: BlockerStatus::Workaround,
        resolution: Some("a fake server".to_owned())
    }
    BestChosen { iteration: 1, reason: "the later one is harder to read".to_owned() }
    RunWaiting { reason: Reason::Human, until: None }
    RunPaused { reason: Reason::Attended, detail: Some("iteration 2 is to be confirmed".to_owned()) }
    RunResumed { raise: Raise { iterations: Some(8), ..Raise::default() } }
    RunStopped { reason: Reason::NoProgress, detail: None }
    RunCompleted { reason: Reason::ChecksPass, detail: None }
    RunFailed { reason: Reason::LimitIterations, detail: Some("5 of 5 iterations are used".to_owned()) }
    PauseRequested {}
    StopRequested { now: true, origin: StopOrigin::Interrupt }
    ResumeRequested {
        raise: Raise { working_ms: Some(1), cost_microusd: Some(2), tokens: Some(3), ..Raise::default() }
    }
    CheckpointTaken { seq: 1234, digest: "ab".repeat(32), fold: 1 }
}

fn config() -> Config {
    let agent = AgentConfig {
        name: "claude".to_owned(),
        command: vec!["claude".to_owned(), "-p".to_owned()],
        ..AgentConfig::default()
    };
    let mut roles = default_roles();
    for role in &mut roles {
        (role.agent, role.prompt) = (agent.clone(), format!("You are {}.", role.title));
    }
    (roles[2].cost_microusd, roles[2].tokens) = (Some(2_000_000), Some(400_000));
    roles[2].working_ms = Some(7_200_000);
    let check = Check {
        name: "test".to_owned(),
        command: "make test".to_owned(),
        timeout_ms: 900_000,
        cheap: true,
        reads: Some(Reading { path: "lcov.info".to_owned(), format: Some("lcov".to_owned()) }),
    };
    Config {
        description: "Add OAuth2 login support".to_owned(),
        limits: Limits { iterations: 5, cost_microusd: Some(5_000_000), ..Limits::default() },
        grace_ms: 120_000,
        session: SessionPolicy::Fork,
        guard: GuardMode::Ask,
        protect: vec!["tests".to_owned()],
        rules_off: vec![RuleOff {
            rule: "lint-suppressed".to_owned(),
            reason: "generated code".to_owned(),
            expires: Some("2026-12-31".to_owned()),
        }],
        confine: Some(Confine {
            write: vec!["~/.cargo".to_owned()],
            read: vec!["~/.npmrc".to_owned()],
            network: Some(vec!["api.anthropic.com".to_owned()]),
        }),
        utc_offset_minutes: 60,
        confirm: true,
        ..Config::new("Implement OAuth authentication", roles, vec![check])
    }
}

fn imported() -> Imported {
    Imported {
        rebuilt: true,
        created_at: AT,
        ended_at: Some(AT),
        failure_reason: Some("the tests fail".to_owned()),
        iteration: 1,
        open: true,
        phase: Some(Phase::Role("cd".into())),
        agents: [(
            "ra".into(),
            ImportedRole {
                status: RoleStatus::Completed,
                started_at: Some(AT),
                completed_at: Some(AT.plus_millis(60_000)),
                last_message: Some("done".to_owned()),
                error: Some("no block".to_owned()),
            },
        )]
        .into(),
        completed_phases: vec!["ra".to_owned()],
        discoveries: vec![discovery()],
        iterations_completed: [("ra".into(), 1)].into(),
        task_history: vec!["Implement OAuth authentication".to_owned()],
        description: "Add OAuth2 login support".to_owned(),
        requirements: Some(requirements()),
        exploration: Some(exploration()),
        plan: Some(plan()),
        changes: vec![entry()],
        unnamed_files: 3,
        iteration_markers: [(1, AT)].into(),
        tests: Some(tests()),
        documents: vec![("ra".into(), document())],
        iterations: vec![IterationRecord {
            number: 1,
            version: "1.0.0".to_owned(),
            extension: Some("more".to_owned()),
            started_at: AT,
            completed_at: Some(AT.plus_millis(60_000)),
            agent_results: [(
                "cd".into(),
                RoleResult {
                    status: PhaseStatus::Partial,
                    files_modified: 5,
                    critical_issues: Some(1),
                    open_issues: Some(2),
                },
            )]
            .into(),
            gate: Some(gate()),
            issues: vec!["tests fail".to_owned()],
            resolved: true,
            verdict: Some(IterationVerdict::Converged),
            quality: Some(62.5),
            pass_rate: Some(75.0),
            snapshot: Some(snapshot()),
            cost_microusd: 250_000,
        }],
        feedback: vec![feedback()],
        decisions: vec![decision()],
        blockers: vec![blocker()],
        phase_errors: vec![PhaseError { phase: "cd".to_owned(), error: "no block".to_owned(), at: AT }],
        unknown: vec!["when it was created".to_owned()],
    }
}

fn discovery() -> Discovery {
    Discovery {
        at: AT,
        agent: "cd".into(),
        kind: "utility".to_owned(),
        key: "retry".to_owned(),
        data: object(json!({"name": "retry", "file": "src/retry.ts", "usage": "retry(3)"})),
    }
}

fn requirements() -> Requirements {
    Requirements {
        version: "1.0.0".to_owned(),
        specification: "Users log in with OAuth.".to_owned(),
        edge_cases: vec!["a token that expired".to_owned()],
        last_updated: AT,
    }
}

fn exploration() -> Exploration {
    Exploration {
        version: "1.0.0".to_owned(),
        architecture_summary: "A web server.".to_owned(),
        integration_points: vec!["src/app.ts".to_owned()],
        identified_risks: vec!["tokens leak".to_owned()],
        last_updated: AT,
    }
}

fn plan() -> Plan {
    Plan {
        version: "1.0.0".to_owned(),
        tasks: vec![PlanTask {
            id: "TASK-002".to_owned(),
            description: "Build the callback".to_owned(),
            effort: Effort::Large,
            depends_on: vec!["TASK-001".to_owned()],
            status: TaskStatus::InProgress,
            assigned_to: Some("cd".into()),
            files: vec!["src/oauth.ts".to_owned()],
        }],
        total_estimated_effort: "6 hours".to_owned(),
        critical_path: vec!["TASK-002".to_owned()],
        last_updated: AT,
        more: object(json!({"parallel_opportunities": [["TASK-003"]]})),
    }
}

fn entry() -> ChangeEntry {
    ChangeEntry {
        at: AT,
        file: "src/oauth.ts".to_owned(),
        action: ChangeAction::Create,
        iteration: 1,
        agent: "cd".into(),
        description: "the callback".to_owned(),
        task: Some("TASK-002".to_owned()),
        lines_added: 40,
        lines_removed: 2,
    }
}

fn document() -> Document {
    Document {
        name: "requirements.md".to_owned(),
        version: "1.0.0".to_owned(),
        iteration: 1,
        text: "Users log in with OAuth.\n".to_owned(),
        at: AT,
    }
}

fn gate() -> GateRecord {
    let criterion = |name, wanted, found, met| Criterion { name, wanted, found, met };
    GateRecord {
        gate: Gate::OneToHundred,
        passed: Some(false),
        criteria: vec![
            criterion(CriterionName::TestPassRate, Some(90.0), Some(75.0), Some(false)),
            criterion(CriterionName::Coverage, Some(80.0), None, None),
        ],
    }
}

fn tests() -> TestResults {
    TestResults {
        version: "1.0.0".to_owned(),
        iteration: 1,
        round: 2,
        pass_rate: 75.0,
        coverage: Some(81.5),
        branches: Some(70.0),
        functions: Some(90.0),
        failed_tests: vec!["login: timeout".to_owned()],
        total_tests: 8,
        passed_tests: 6,
        skipped_tests: 1,
        duration_ms: 900,
        last_run: AT,
    }
}

fn feedback() -> Feedback {
    Feedback {
        at: AT,
        source: "vas".to_owned(),
        target: "cd".into(),
        content: "check `test` fails with 1".to_owned(),
        kind: FeedbackKind::BugReport,
    }
}

fn decision() -> Decision {
    Decision {
        id: "DEC-001".to_owned(),
        description: "Which provider first?".to_owned(),
        options: vec!["Google".to_owned(), "GitHub".to_owned()],
        made_by: Some("user".to_owned()),
        chosen_option: Some("GitHub".to_owned()),
        status: DecisionStatus::Implemented,
        waits: true,
    }
}

fn blocker() -> Blocker {
    Blocker {
        id: "BLK-001".to_owned(),
        description: "no credentials".to_owned(),
        reported_by: "cd".to_owned(),
        status: BlockerStatus::Resolved,
        resolution: Some("they are in the vault".to_owned()),
    }
}

fn snapshot() -> Snapshot {
    Snapshot { id: "0a1b2c".to_owned(), tree: "3d4e5f".to_owned(), left_out: Vec::new() }
}

fn change() -> Change {
    Change {
        files: vec!["src/oauth.ts".to_owned()],
        files_total: 1,
        added: 40,
        removed: 2,
        artifacts: vec![Artifact {
            path: "src/oauth.ts".to_owned(),
            sha256: "e3b0c442".to_owned(),
            size_bytes: 123,
        }],
    }
}

fn guard() -> GuardReport {
    GuardReport {
        tests: Counts { before: 8, after: 7 },
        assertions: Counts { before: 20, after: 18 },
        findings: vec![Finding {
            id: "0dde7d7994".to_owned(),
            rule: "test-deleted".to_owned(),
            regression_type: RegressionType::TestDeletion,
            pattern: Some("LP-001".to_owned()),
            severity: Severity::Critical,
            confidence_percent: 97,
            blocking: true,
            file: "tests/login.test.ts".to_owned(),
            line: 7,
            test: None,
            message: "a test is gone".to_owned(),
            before: None,
            after: None,
            undo: "put it back".to_owned(),
            allowed: None,
            evidence: None,
        }],
        findings_total: 1,
        duration_ms: 45,
    }
}

/// An end in which everything is said that can be.
fn end() -> RoleEnd {
    RoleEnd {
        outcome: AttemptOutcome::Failed,
        exit_code: Some(1),
        duration_ms: 60_000,
        message: Some("it exited with 1".to_owned()),
        said: Some("I built the callback.".to_owned()),
        handed_in: HandedIn {
            critical_issues: Some(1),
            open_issues: Some(2),
            result: Some(PhaseResult {
                phase: Some("cd".to_owned()),
                status: PhaseStatus::Partial,
                fields: [("tests_passing".to_owned(), "6/8".to_owned())].into(),
            }),
            documents: vec![document()],
            requirements: Some(requirements()),
            exploration: Some(exploration()),
            plan: Some(plan()),
            changes: vec![entry()],
            debug: vec![json!({"issue_id": "BUG-001", "outcome": "confirmed"})],
            discoveries: vec![discovery()],
            feedback: vec![feedback()],
            blockers: vec!["no credentials".to_owned()],
            decisions: vec![decision()],
            tasks_completed: vec!["TASK-001".to_owned()],
            notes: vec![Note { kind: NoteKind::Finding, text: "the clock is wrong in the CI".to_owned() }],
            values: [("port".to_owned(), json!(8080))].into(),
            problems: vec!["plan.json: task 2 waits for itself".to_owned()],
            asks_person: true,
            unusable: true,
        },
        snapshot: Some(snapshot()),
        change: Some(change()),
        guard: Some(guard()),
        cost_microusd: Some(250_000),
        tokens: Some(9_000),
        session_id: Some("s-2".to_owned()),
        session_usage: Some(Usage {
            input_tokens: 8_000,
            output_tokens: 1_000,
            cached_input_tokens: Some(500),
        }),
        session_cost_microusd: Some(400_000),
        hold: Some(Hold { reason: Reason::RateLimit, until: Some(AT) }),
    }
}

/// A ruling in which everything is said that can be.
fn ruling() -> Ruling {
    Ruling {
        status: PhaseStatus::Blocked,
        errors: vec!["no PHASE_RESULT was found".to_owned()],
        guard: Some(Verdict::Refused),
        feedback: vec![feedback()],
        blockers: vec![blocker()],
        resolved: vec![blocker()],
        decisions: vec![decision()],
        asked: vec!["ra".into()],
        again: vec!["ra".into(), "ep".into()],
        verdict: RoleVerdict::Fail {
            reason: Reason::FailureStreak,
            error: "role `cd` failed 3 times".to_owned(),
            restore: None,
        },
    }
}

fn round() -> CheckRound {
    CheckRound {
        checks: vec![CheckResult {
            name: "test".to_owned(),
            passed: false,
            exit_code: Some(1),
            timed_out: false,
            duration_ms: 900,
            tail: "1 failed\n".to_owned(),
        }],
        snapshot: Some(snapshot()),
        wrote: Some(Wrote { put_back: vec!["cache/".to_owned()], ..Wrote::default() }),
        duration_ms: 900,
        ..CheckRound::of_nothing(2)
    }
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

#[test]
fn every_event_is_written_as_its_golden_file_says_and_read_from_it() {
    let golden = Golden::in_directory("golden_cycle");
    golden.compare(&examples());
    golden.read_all::<CycleEvent>();
}

#[test]
fn what_becomes_of_a_role_is_written_as_it_is() {
    let written = |verdict: RoleVerdict| serde_json::to_value(verdict).unwrap();
    assert_eq!(written(RoleVerdict::Done), json!("done"));
    assert_eq!(written(RoleVerdict::Waits), json!("waits"));
    assert_eq!(written(RoleVerdict::Halt { reason: Reason::Auth }), json!({"halt": {"reason": "auth"}}));
}

#[test]
fn anyone_may_append_requests_and_nothing_else() {
    let requests: Vec<_> =
        examples().iter().filter(|event| event.is_request()).map(|event| event.encode().kind).collect();
    let named = [
        "extension_requested",
        "feedback_added",
        "decision_proposed",
        "decision_settled",
        "blocker_reported",
        "blocker_settled",
        "best_chosen",
        "pause_requested",
        "stop_requested",
        "resume_requested",
    ];
    assert_eq!(requests, named);
}
