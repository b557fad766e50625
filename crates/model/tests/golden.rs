//! A golden file per event version of a loop, in `golden`: what one piton wrote, every later one must read.
#![expect(clippy::unwrap_used, reason = "a test says what it saw, and fails where it cannot go on")]

mod golden_files;

use golden_files::Golden;
use piton_model::loop_machine::stop::{
    AllTestsPass, Any, ChecksPass, Done, FileCreated, Never, Not, OutputPattern, ShellCommand, UserSignal,
    until,
};

use piton_model::hook::{Builtin, HookPoint, Hooks, Mode};
use piton_model::loop_machine::*;
use piton_model::notify::Notify;
use piton_model::{Event, Kind, Reason, RunEvent, Status, StopOrigin, Timestamp};

/// An example of every event, and a proof that it is every event: the match has no wildcard.
macro_rules! examples {
    ($($variant:ident $fields:tt)*) => {
        fn examples() -> Vec<Event> {
            vec![$(Event::$variant $fields),*]
        }

        fn _every_event_has_an_example(event: &Event) {
            match event { $(Event::$variant { .. } => {})* }
        }
    };
}

examples! {
    RunCreated {
        run: "ralph-add-input-validation-7f3a91c2".parse().unwrap(),
        kind: Kind::Loop,
        title: "Add input validation".to_owned(),
        config: Box::new(config()),
        first: Next::Checks
    }
    DriverStarted {
        epoch: 3,
        host: "8c1f0e2d".to_owned(),
        boot: "b0075".to_owned(),
        pid: 4242,
        version: "0.1.0".to_owned()
    }
    SnapshotTaken { snapshot: snapshot(), base: true, before: None }
    ChecksStarted { round: 2, guard: Some(Verdict::Refused), look: false }
    ChecksFinished {
        round: Box::new(round()),
        ruling: RoundRuling {
            next: Next::Verdict,
            fixed: 1,
            tree: JudgedTree::Same,
            tests_fail: Some(true),
            baseline: true,
            unlike: Some("`make` is not there".to_owned()),
            guard: Some(Verdict::Refused),
            findings: Vec::new(),
            again: true,
        }
    }
    AttemptStarted {
        attempt: OpenAttempt {
            number: 5,
            iteration: 3,
            host: "8c1f0e2d".to_owned(),
            boot: "b0075".to_owned(),
            directory: "attempts/ralph-add-input-validation-7f3a91c2/5".to_owned(),
            restore: Some("0a1b2c".to_owned()),
            session: Some(IntendedSession { id: "s-2".to_owned(), resumed: true, from: Some("s-1".to_owned()) }),
            // What was stored before there were others names none.
            agent: None,
        }
    }
    AttemptFinished { attempt: 5, end: Box::new(attempt_end()), ruling: ruling() }
    AttemptAbandoned { attempt: 6 }
    AttemptLost {
        attempt: 7,
        tree: TreeProof::Scanned,
        left: Box::new(Left {
            snapshot: attempt_end().snapshot,
            change: attempt_end().change,
            guard: attempt_end().guard,
        }),
        ruling: ruling()
    }
    HooksStarted {
        call: HookCall {
            number: 4,
            points: vec![HookPoint::LoopEnd],
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
    CommitStarted { commit: OpenCommit { iteration: 7, tree: "3d4e5f".to_owned() } }
    CommitFinished {
        iteration: 7,
        tree: "3d4e5f".to_owned(),
        commit: Some("0a1b2c".to_owned()),
        found_on: None,
        uncommitted: Uncommitted { made: vec!["cache/".to_owned()], submodules: vec!["library".to_owned()] }
    }
    IterationConcluded {
        conclusion: Box::new(Conclusion {
            iteration: 7,
            verdict: IterationVerdict::Doubted,
            regressed: true,
            changed: true,
            progress: progress::Progress {
                score: 0.263,
                made: true,
                indicators: vec![progress::Indicator::BuildFixed],
            },
            quality: Some(Quality { score: 87.5, validation: Some(93.3), ..Quality::default() }),
            best: false,
            findings: Vec::new(),
            unjudged: false,
        })
    }
    LevelRaised {
        rise: LevelRise {
            iteration: 7,
            from: Level::Standard,
            to: Level::Aggressive,
            reason: RiseReason::Regression,
        }
    }
    SessionRebooted { reason: RebootReason::Redline { usage: 90 } }
    RebootProposed { reason: RebootReason::PatternMatch { pattern: "lost".to_owned() } }
    RebootsGivenUp { failures: 3 }
    AgentOut {
        agent: "claude".to_owned(),
        out: Out { agent: 1, reason: Reason::RateLimit, until: Some(Timestamp::from_millis(1_790_000_000_000)) }
    }
    AgentSwitched { from: "claude".to_owned(), to: 2, agent: "codex".to_owned() }
    ReviewStarted {
        review: OpenReview {
            number: 2,
            iteration: 7,
            tree: "7".repeat(40),
            host: "8c1f0e2d".to_owned(),
            boot: "b0075".to_owned(),
        }
    }
    ReviewFinished {
        end: Box::new(ReviewEnd {
            opinion: Some(Opinion::Objects),
            objections: vec![Objection {
                file: Some("src/a.rs".to_owned()),
                line: Some(12),
                text: "the limit is off by one".to_owned(),
            }],
            message: Some("no".to_owned()),
            error_class: Some(ErrorClass::Overloaded),
            limited_until: Some(Timestamp::from_millis(1_790_000_000_000)),
            cost_microusd: Some(20_000),
            usage: Some(Usage { input_tokens: 1200, output_tokens: 340, cached_input_tokens: Some(200) }),
            duration_ms: 9_000,
            ..ReviewEnd::of(2, AttemptOutcome::Succeeded)
        }),
        ruling: ReviewRuling::Held {
            reason: Reason::Overloaded,
            until: Some(Timestamp::from_millis(1_790_000_000_000)),
        }
    }
    RunReopened { returned: Box::new(returned()) }
    ModeSwitched {
        from: Mode::Unattended,
        to: Mode::Attended,
        why: SwitchReason::Triggered { trigger: SwitchTrigger::Failures { count: 3 } }
    }
    RecoveryAdvanced {
        recovery: 2,
        step: RecoveryStep::Paused {
            iteration: 7,
            trigger: Trigger::Regression { regression_type: RegressionType::TestDeletion },
            actions: vec!["No attempt is started".to_owned()],
        }
    }
    QuestionAsked {
        question: 1,
        kind: QuestionKind::Blocked,
        text: "The agent cannot go on: \"no password\"\n".to_owned(),
        digest: "0123456789abcdef".to_owned()
    }
    QuestionClosed {
        question: 1,
        answer: Answer::Reject,
        comment: Some("use the vault".to_owned()),
        consequence: Consequence::PutBack { refused: true, succeeded: true },
        tell: Some("use the vault".to_owned()),
        recovery: Some(RecoveryOutcome::Escalated),
        confirmed: vec!["0123456789".to_owned()]
    }
    AnswerRefused { question: 1, why: "it was answered before".to_owned() }
    RunWaiting { reason: Reason::RateLimit, until: Some(Timestamp::from_millis(1_771_157_000_123)) }
    RunPaused { reason: Reason::Human, detail: None }
    RunResumed { raise: Raise { iterations: Some(80), ..Raise::default() } }
    RunStopped { reason: Reason::LimitCost, detail: None }
    RunCompleted { reason: Reason::ChecksPass, detail: None }
    RunFailed { reason: Reason::FailureStreak, detail: Some("5 attempts in a row failed".to_owned()) }
    PauseRequested {}
    StopRequested { now: true, origin: StopOrigin::Interrupt }
    SkipRequested {}
    RebootRequested {}
    ResumeRequested {
        raise: Raise { working_ms: Some(1), cost_microusd: Some(2), tokens: Some(3), ..Raise::default() }
    }
    ModeRequested { mode: Some(Mode::Hybrid), break_at: Some(7) }
    AnswerGiven {
        question: 2,
        answer: Answer::Approve,
        comment: None,
        seen: Some("0123456789abcdef".to_owned())
    }
    AgentTold { text: "look at the logs – all of them".to_owned() }
    ResultReturned { returned: Box::new(returned()) }
    RunAdopted {
        adoption: Box::new(Adoption {
            format: "ralph".to_owned(),
            source: ".ralph/state.json".to_owned(),
            digest: "ab12".to_owned(),
            iterations: 7,
            last_progress_iteration: Some(6),
            modified_files: vec!["src/lib.rs".to_owned()],
            custom: [("k".to_owned(), 1.into())].into(),
            snapshot: Some(snapshot()),
            ..Adoption::default()
        })
    }
    NoteAdded { text: "looked at it".to_owned(), set: [("k".to_owned(), 1.into())].into() }
    BestChosen { iteration: 3, reason: "the later one is harder to read".to_owned() }
    FindingMarked { finding: "0dde7d7994".to_owned(), false_positive: true }
    CheckpointTaken { seq: 1234, digest: "ab".repeat(32), fold: 1 }
}

fn returned() -> Returned {
    Returned {
        from: "https://example.org/pull/7".to_owned(),
        text: "the build is red".to_owned(),
        about: vec!["check:build@c0ffee".to_owned()],
    }
}

fn config() -> LoopConfig {
    LoopConfig {
        prompt: Prompt::Text("Add input validation".to_owned()),
        agent: AgentConfig {
            name: "claude".to_owned(),
            command: vec!["claude".to_owned(), "-p".to_owned()],
            tail: vec!["-".to_owned()],
            prompt: PromptBy::File,
            stream: StreamFormat::Lines([(StreamField::Text, "/text".to_owned())].into()),
            sessions: Sessions {
                named_by: NamedBy::Us,
                start: vec!["--session-id".to_owned(), "{session}".to_owned()],
                resume: vec!["--resume".to_owned(), "{session}".to_owned()],
                fork: vec!["--fork".to_owned(), "{from}".to_owned()],
                usage_is_total: true,
            },
            env: [("A".to_owned(), "b".to_owned())].into(),
            inject: Injection {
                arguments: vec!["--mcp-config".to_owned(), "{piton}".to_owned()],
                env: [("C".to_owned(), "{attempt}/c".to_owned())].into(),
                files: [("c".to_owned(), "{report}".to_owned())].into(),
            },
            pass: Some(vec!["PATH".to_owned()]),
            writes: vec!["~/.claude".to_owned()],
            settings: vec!["~/.claude/settings.json".to_owned()],
            login: Some("claude login".to_owned()),
            permit: Some("--sandbox full".to_owned()),
        },
        // Both came later: the journals of the engine have them.
        fallback: FallbackPolicy::default(),
        review: None,
        checks: vec![Check {
            name: "test".to_owned(),
            command: "make test".to_owned(),
            timeout_ms: 900_000,
            cheap: true,
            reads: Some(Reading { path: "lcov.info".to_owned(), format: Some("lcov".to_owned()) }),
        }],
        until: vec![
            until(ChecksPass {}),
            until(Done {}),
            until(ShellCommand { command: "test -s out".to_owned() }),
            until(FileCreated { path: "out".to_owned() }),
        ],
        limits: Limits {
            cost_microusd: Some(5_000_000),
            idle_ms: Some(600_000),
            files: Some(40),
            ..Limits::default()
        },
        on_lost: OnLost::RestoreAndRetry,
        session: SessionPolicy::Continue,
        redline: RedlinePolicy { redline_percent: 80, ..RedlinePolicy::default() },
        reboot: RebootPolicy { after_iterations: Some(9), ..RebootPolicy::default() },
        worktree: Some(Worktree {
            path: "/w".to_owned(),
            branch: "piton/w".to_owned(),
            onto: None,
            from: None,
            copy: vec![".env".to_owned()],
            left: vec!["target".to_owned()],
            setup: Some("npm ci".to_owned()),
            compare: true,
            author: Some("Ann <ann@example.org>".to_owned()),
            committer: Some("Ann <ann@example.org>".to_owned()),
        }),
        guard: GuardMode::Ask,
        prove: ProveMode::default(),
        proof: ProofPolicy::default(),
        protect: vec!["tests".to_owned()],
        stop: StopLists {
            success: vec![NamedStop { name: Some("tested".to_owned()), condition: AllTestsPass {}.into() }],
            failure: vec![NamedStop {
                name: None,
                condition: OutputPattern { pattern: "FATAL".to_owned(), is_regex: false }.into(),
            }],
            conditions: vec![NamedStop {
                name: None,
                condition: Not {
                    condition: Box::new(
                        Any { conditions: vec![UserSignal {}.into(), Never {}.into()] }.into(),
                    ),
                }
                .into(),
            }],
        },
        rules_off: vec![RuleOff {
            rule: "lint-suppressed".to_owned(),
            reason: "generated code".to_owned(),
            expires: Some("2026-12-31".to_owned()),
        }],
        thresholds: Thresholds { coverage: 1.5, ..Thresholds::default() },
        reinforcement: Escalation { level: Level::Standard, ..Escalation::default() },
        recovery: RecoveryPolicy { max_retries: 2, escalate_critical: true, ..RecoveryPolicy::default() },
        progress: ProgressPolicy::default(),
        quality: QualityPolicy::default(),
        backoff: Backoff::default(),
        metrics: vec![Metric {
            name: "size".to_owned(),
            command: "wc -c out".to_owned(),
            regex: Some("([0-9]+)".to_owned()),
            timeout_ms: 60_000,
            direction: progress::Direction::Lower,
            weight: 2.0,
        }],
        confine: Some(Confine {
            write: vec!["~/.cargo".to_owned()],
            read: vec!["~/.npmrc".to_owned()],
            network: Some(vec!["api.anthropic.com".to_owned()]),
        }),
        on_done: Some("true".to_owned()),
        gaps: None,
        notify: Some(Notify::default()),
        hooks: Some(Hooks { hooks: vec![Builtin::Git.hook()], ..Hooks::default() }),
        mode: ModePolicy { start: Mode::Hybrid, switch: Some(Switching::default()), ..ModePolicy::default() },
        prompts: PromptPolicy { strict: true, variables: [("style".to_owned(), "terse".into())].into() },
        file_digest: Some("ab12".to_owned()),
        queue: None,
    }
}

fn snapshot() -> Snapshot {
    Snapshot { id: "0a1b2c".to_owned(), tree: "3d4e5f".to_owned(), left_out: Vec::new() }
}

fn round() -> CheckRound {
    let passed = CheckResult {
        name: "build".to_owned(),
        passed: true,
        exit_code: Some(0),
        timed_out: false,
        duration_ms: 1200,
        tail: String::new(),
    };
    let failed = CheckResult {
        name: "test".to_owned(),
        passed: false,
        exit_code: None,
        timed_out: true,
        duration_ms: 900_000,
        tail: "1 failed\n".to_owned(),
    };
    CheckRound {
        number: 2,
        checks: vec![passed, failed],
        conditions: vec![ConditionResult { label: "file:out".to_owned(), met: false }],
        snapshot: Some(snapshot()),
        wrote: Some(Wrote {
            left: Some(snapshot()),
            put_back: vec!["badge.txt".to_owned()],
            made: vec![Made { path: "out/a".to_owned(), id: Some("5d6e7f".to_owned()) }],
            changed: vec!["src/lib.rs".to_owned()],
            tests: vec![Rewritten { path: "tests/a.py".to_owned(), check: Some("test".to_owned()) }],
            guard: Some(GuardReport::default()),
        }),
        proof: None,
        closure: Vec::new(),
        closure_changed: Vec::new(),
        stops: vec![StopResult { label: "file_created(out)".to_owned(), met: false, timed_out: true }],
        tests: TestChanges {
            now: [("a::b".to_owned(), TestStatus::Failing)].into(),
            gone: vec!["a::c".to_owned()],
            ran: true,
            unnamed: true,
            unseen: true,
        },
        measures: Measures {
            tests: Some(TestCounts {
                passed: 7,
                failed: 1,
                skipped: 2,
                complete: true,
                ..TestCounts::default()
            }),
            coverage: Some(Coverage {
                lines: Some(Share { covered: 80, total: 100 }),
                ..Coverage::default()
            }),
            lint_errors: Some(1),
            lint_warnings: Some(2),
            type_errors: Some(3),
            tree: Some(TreeCounts { files: 4, lines: 500, tests: 10, assertions: 30 }),
            custom: [("size".to_owned(), 12.5)].into(),
        },
        beside: vec![Beside {
            name: "test".to_owned(),
            here: Attained { exit_code: Some(1), tests: Some(2), unloaded: true, ..Attained::default() },
            there: Some(Attained {
                passed: true,
                exit_code: Some(0),
                tests: Some(3),
                ran: Some(3),
                unloaded: false,
            }),
            opened: vec!["src/a.py".to_owned()],
            fails: vec!["test_m.py".to_owned()],
            misses: vec!["No module named 'gen'".to_owned()],
        }],
        duration_ms: 901_200,
        cancelled: true,
    }
}

fn ruling() -> AttemptRuling {
    AttemptRuling {
        next: Next::Attempt,
        counts: false,
        failed: Some(true),
        hold: Some(Reason::RateLimit),
        guard: Some(Verdict::Asked),
        unseen: true,
        unkept: false,
        session: SessionRuling {
            read: true,
            taken: true,
            continued: true,
            spent: true,
            sample: Some(ContextSample { percent: 61, quality: Some(0.5), latency_ms: Some(61_000) }),
        },
    }
}

fn attempt_end() -> AttemptEnd {
    let report = Report {
        status: Some(ReportStatus::Continue),
        reason: Some("more to do".to_owned()),
        summary: Some("wrote the parser".to_owned()),
        session_id: Some("s-1".to_owned()),
        usage: Some(Usage { input_tokens: 1000, output_tokens: 200, cached_input_tokens: Some(900) }),
        cost_microusd: Some(123_456),
        context_usage_percent: Some(61),
        objectives: Some(ReportedObjectives {
            completed: Some(vec!["parse".to_owned()]),
            pending: Some(vec!["print".to_owned()]),
        }),
        notes: vec![Note { kind: NoteKind::Decision, text: "kept the old parser".to_owned() }],
        custom: [("score".to_owned(), 0.1.into())].into(),
        error_class: Some(ErrorClass::ContextFull),
        message: Some("context full".to_owned()),
        limited_until: Some(Timestamp::from_millis(1_772_000_000_000)),
        session_usage: Some(Usage { input_tokens: 3000, output_tokens: 600, cached_input_tokens: None }),
        session_cost_microusd: Some(400_000),
        warnings: vec!["a tool was denied: Bash".to_owned()],
        heard: vec!["[PROGRESS]".to_owned()],
    };
    AttemptEnd {
        outcome: AttemptOutcome::Failed,
        exit_code: Some(-1),
        duration_ms: 61_000,
        message: Some("exited with -1".to_owned()),
        report: Some(report),
        snapshot: Some(snapshot()),
        prompt: Some(PromptRecord {
            digest: Some("9f86d081".to_owned()),
            warnings: vec!["PROMPT.md:3: unknown name".to_owned()],
        }),
        change: Some(Change {
            files: vec!["src/lib.rs".to_owned()],
            files_total: 1,
            added: 10,
            removed: 2,
            artifacts: vec![Artifact {
                path: "src/lib.rs".to_owned(),
                sha256: "e3b0c442".to_owned(),
                size_bytes: 123,
            }],
        }),
        guard: Some(GuardReport {
            tests: Counts { before: 3, after: 2 },
            assertions: Counts { before: 9, after: 7 },
            findings: vec![Finding {
                id: "0dde7d7994".to_owned(),
                rule: "test-deleted".to_owned(),
                regression_type: RegressionType::TestDeletion,
                pattern: Some("LP-001".to_owned()),
                severity: Severity::Critical,
                confidence_percent: 97,
                blocking: true,
                file: "tests/a.py".to_owned(),
                line: 7,
                test: None,
                message: "test `test_a` is gone".to_owned(),
                before: None,
                after: None,
                undo: "restore the test and fix the code".to_owned(),
                allowed: None,
                evidence: None,
            }],
            findings_total: 1,
            duration_ms: 45,
        }),
        said_bytes: None,
    }
}

#[test]
fn every_event_has_a_golden_file_of_its_version_and_every_file_is_read() {
    let golden = Golden::in_directory("golden");
    golden.compare(&examples());
    golden.read_all::<Event>();
}

#[test]
fn what_is_newer_or_not_ours_is_refused() {
    use piton_model::DecodeError::{Malformed, Newer};
    assert!(matches!(Event::decode("run_paused", 2, b"{}"), Err(Newer { version: 2, .. })));
    assert!(matches!(Event::decode("run_teleported", 1, b"{}"), Err(Newer { .. })));
    for data in [&b"{\"x\":1}"[..], b"", b"null", b"{}},\"run_paused\":{}", b"{", b"\xff"] {
        assert!(matches!(Event::decode("run_paused", 1, data), Err(Malformed { .. })), "{data:?}");
    }
}

#[test]
fn anyone_may_append_requests_and_nothing_else() {
    let requests: Vec<_> =
        examples().iter().filter(|event| event.is_request()).map(|e| e.encode().kind).collect();
    let named = [
        "pause_requested",
        "stop_requested",
        "skip_requested",
        "reboot_requested",
        "resume_requested",
        "mode_requested",
        "answer_given",
        "agent_told",
        "result_returned",
        "run_adopted",
        "note_added",
        "best_chosen",
        "finding_marked",
    ];
    assert_eq!(requests, named);
}
