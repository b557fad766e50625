//! Loops: refused cheats, recovery, a reboot, hooks, questions, a lost attempt, a rate limit, commits.

use std::path::PathBuf;

use piton_files::{aiwg, ralph};
use piton_model::hook::{Builtin, Hook, HookPoint, Hooks};
use piton_model::loop_machine::{
    Adoption, AgentConfig, Answer, AttemptEnd, AttemptOutcome, Check, CheckResult, CheckRound, GuardMode,
    HookEnd, Left, LoopConfig, Objection, Open, Opinion, Place, Raise, Report, Returned, Review, ReviewEnd,
    SessionPolicy, Snapshot, TreeProof, Worktree, create,
};
use piton_model::{Command, Event, State, Status, StopOrigin};
use serde_json::json;

use super::{Folded, Script, Views, check};

fn config() -> LoopConfig {
    let check = |name: &str| Check::new(name, format!("make {name}"));
    let mut agent = AgentConfig::new("claude", &["claude"]);
    agent.sessions.resume = vec!["--resume".to_owned()];
    let mut config = LoopConfig::new("Add validation to src/", agent, vec![check("test"), check("lint")]);
    config.session = SessionPolicy::Continue;
    config.worktree = Some(Worktree {
        path: ".piton/trees/r".to_owned(),
        branch: "piton/r".to_owned(),
        ..Worktree::default()
    });
    let hook = Hook {
        name: "note".to_owned(),
        points: vec![HookPoint::PostIteration, HookPoint::PreReboot],
        ..Builtin::Logging.hook()
    };
    config.hooks = Some(Hooks { hooks: vec![hook], ..Hooks::default() });
    config
}

fn begin(run: &str, config: LoopConfig) -> Script<State> {
    let mut script =
        Script::new(create(run.parse().expect("an id"), "Add validation", config).expect("a run"));
    script.drive(1).command(Command::Observe(snapshot("0")));
    script
}

impl Script<State> {
    fn drive(&mut self, epoch: u64) -> &mut Self {
        let place = Place { host: "host".to_owned(), boot: "boot".to_owned(), pid: 7 };
        self.command(Command::Drive { epoch, place, version: "0.1.0".to_owned() })
    }

    #[track_caller]
    fn end_attempt(&mut self, end: AttemptEnd) -> &mut Self {
        let Some(Open::Attempt(open)) = &self.state.work.open else { panic!("{:?}", self.state.work) };
        let attempt = open.number;
        self.after(60_000).command(Command::EndAttempt { attempt, end: Box::new(end) })
    }

    #[track_caller]
    fn end_checks(&mut self, tree: &str, passed: [bool; 2]) -> &mut Self {
        let Some(Open::Checks(number)) = self.state.work.open else { panic!("{:?}", self.state.work) };
        self.after(5_000).command(Command::EndChecks(Box::new(round(number, tree, passed))))
    }

    #[track_caller]
    fn end_hooks(&mut self) -> &mut Self {
        let Some(Open::Hooks(call)) = &self.state.work.open else { panic!("{:?}", self.state.work) };
        let end = HookEnd { number: call.number, ..HookEnd::default() };
        self.command(Command::EndHooks(Box::new(end)))
    }
}

fn snapshot(tree: &str) -> Snapshot {
    Snapshot { id: tree.repeat(40), tree: format!("{}{}", "7".repeat(39), tree), left_out: Vec::new() }
}

fn works(tree: &str, report: Report) -> AttemptEnd {
    let change = json!({"files": [format!("src/{tree}.rs")], "files_total": 1, "added": 12, "removed": 3});
    AttemptEnd {
        exit_code: Some(0),
        duration_ms: 60_000,
        report: Some(report),
        snapshot: Some(snapshot(tree)),
        change: Some(serde_json::from_value(change).expect("a change")),
        said_bytes: Some(40_000),
        ..AttemptEnd::of(AttemptOutcome::Succeeded)
    }
}

fn cheats(tree: &str) -> AttemptEnd {
    let guard = json!({
        "tests": {"before": 12, "after": 11},
        "assertions": {"before": 30, "after": 28},
        "findings": [{
            "id": "0dde7d7994", "rule": "test-deleted", "regression_type": "test_deletion", "pattern": "LP-001",
            "severity": "critical", "confidence": 0.97, "blocking": true,
            "file": "tests/a.rs", "line": 12, "message": "a test is gone", "undo": "put it back",
        }],
        "findings_total": 1,
        "duration_ms": 20,
    });
    AttemptEnd {
        guard: Some(serde_json::from_value(guard).expect("a report")),
        ..works(tree, session("s1", 20))
    }
}

fn session(id: &str, percent: u8) -> Report {
    let report = json!({
        "status": "continue", "summary": "Validated the first half of the inputs and wrote tests for it",
        "session_id": id, "cost_microusd": 250_000, "context_usage_percent": percent,
        "usage": {"input_tokens": 9000, "output_tokens": 1000},
        "notes": [{"kind": "decision", "text": "kept the old parser"}],
    });
    serde_json::from_value(report).expect("a report")
}

fn round(number: u32, tree: &str, passed: [bool; 2]) -> CheckRound {
    let result = |(name, passed): (&str, bool)| CheckResult {
        name: name.to_owned(),
        passed,
        exit_code: Some(i32::from(!passed)),
        timed_out: false,
        duration_ms: 2_000,
        tail: if passed { String::new() } else { "1 failed".to_owned() },
    };
    let measures = json!({
        "tests": {"passed": if passed[0] { 12 } else { 9 }, "failed": if passed[0] { 0 } else { 3 }, "skipped": 0, "complete": true},
        "tree": {"files": 10, "lines": 1000, "tests": 12, "assertions": 30},
    });
    CheckRound {
        number,
        checks: ["test", "lint"].into_iter().zip(passed).map(result).collect(),
        snapshot: Some(snapshot(tree)),
        measures: serde_json::from_value(measures).expect("measures"),
        duration_ms: 4_000,
        ..CheckRound::default()
    }
}

/// A loop in which nearly everything happens, and which reaches its goal.
fn eventful() -> Script<State> {
    let mut script = begin("ralph-eventful-01ab23cd", config());
    script.end_checks("0", [false, false]);
    // Refused: put back, recovered from.
    script.end_attempt(cheats("1")).end_checks("0", [false, false]).end_hooks();
    // The session is nearly full: it gives way.
    script.end_attempt(works("2", session("s1", 91))).end_hooks();
    script.end_checks("2", [false, true]).end_hooks();
    // Blocked: a person answers.
    let blocked = json!({"status": "blocked", "reason": "no password", "session_id": "s2"});
    script.end_attempt(works("2", serde_json::from_value(blocked).expect("a report")));
    script.end_checks("2", [false, true]).end_hooks();
    assert_eq!(script.state.status, Status::Waiting);
    let seen = Some(script.state.people.questions[0].digest.clone());
    script.after(3_600_000).request(Event::AnswerGiven {
        question: 1,
        answer: Answer::Approve,
        comment: Some("it is in the vault".to_owned()),
        seen,
    });
    // Lost with its machine; the next driver tries again.
    let attempt = script.state.work.attempt;
    let AttemptEnd { snapshot, change, guard, .. } = works("2", Report::default());
    let left = Box::new(Left { snapshot, change, guard });
    script.drive(2).command(Command::LoseAttempt { attempt, tree: TreeProof::Scanned, left });
    // Refused by the provider, until a moment.
    let limited = json!({"error_class": "rate_limit", "message": "try later", "session_id": "s2"});
    let mut end = works("2", serde_json::from_value(limited).expect("a report"));
    end.outcome = AttemptOutcome::Failed;
    script.end_attempt(end);
    assert_eq!(script.state.status, Status::Waiting);
    script.after(120_000).command(Command::Tick);
    script.request(Event::AgentTold { text: "look at the logs".to_owned() });
    // Green: committed after its verdict, and done.
    script.end_attempt(works("3", session("s2", 35))).end_checks("3", [true, true]);
    script
        .command(Command::EndCommit {
            commit: Some("c".repeat(40)),
            found_on: None,
            uncommitted: Default::default(),
        })
        .end_hooks();
    assert_eq!(script.state.status, Status::Completed, "{:?}", script.state.work);
    for kind in
        ["recovery_advanced", "session_rebooted", "level_raised", "commit_finished", "question_closed"]
    {
        assert!(script.has(kind), "{kind}");
    }
    script
}

/// A loop that people steer: a doubt, a skip, notes, a pause, a stop, a limit that is raised.
fn steered() -> Script<State> {
    let mut config = config();
    (config.guard, config.hooks, config.worktree) = (GuardMode::Ask, None, None);
    config.limits.iterations = 3;
    let mut script = begin("ralph-steered-01ab23cd", config);
    script.end_checks("0", [false, false]);
    script.end_attempt(cheats("1")).end_checks("1", [false, true]);
    assert_eq!(script.state.status, Status::Waiting);
    script.request(Event::AnswerGiven {
        question: 1,
        answer: Answer::Reject,
        comment: Some("keep the test".to_owned()),
        seen: None,
    });
    script.end_checks("0", [false, false]);
    script.request(Event::SkipRequested {});
    let mut cut = works("4", session("s1", 30));
    cut.outcome = AttemptOutcome::Cancelled;
    script.end_attempt(cut);
    let set = [("ticket".to_owned(), json!("AB-12"))].into();
    script.request(Event::NoteAdded { text: "the parser is next".to_owned(), set });
    script.request(Event::RebootRequested {}).request(Event::PauseRequested {});
    script.end_attempt(works("5", session("s1", 40)));
    assert_eq!(script.state.status, Status::Paused);
    script.request(Event::BestChosen { iteration: 1, reason: "it read better".to_owned() });
    script.request(Event::FindingMarked { finding: "0dde7d7994".to_owned(), false_positive: true });
    script.request(Event::ResumeRequested { raise: Raise::default() });
    script.end_checks("5", [false, true]);
    assert_eq!(script.state.status, Status::Stopped, "a limit");
    script.request(Event::ResumeRequested { raise: Raise { iterations: Some(9), ..Raise::default() } });
    script.request(Event::StopRequested { now: true, origin: StopOrigin::Interrupt });
    let mut cut = works("5", session("s3", 10));
    cut.outcome = AttemptOutcome::Cancelled;
    script.end_attempt(cut);
    assert_eq!(script.state.status, Status::Stopped);
    script
}

/// A loop that another tool began, that asks before it leaves a session, and that fails in the end.
fn adopted() -> Script<State> {
    let mut config = config();
    (config.hooks, config.worktree) = (None, None);
    config.reboot.confirm = true;
    (config.redline.iterations_min, config.limits.failures) = (1, 2);
    let run = "ralph-adopted-01ab23cd".parse().expect("an id");
    let mut script = Script::new(create(run, "Add validation", config).expect("a run"));
    let adoption = Adoption {
        format: "ralph".to_owned(),
        source: ".ralph/state.json".to_owned(),
        digest: "ab12".to_owned(),
        iterations: 7,
        succeeded: 6,
        failed: 1,
        last_progress_iteration: Some(6),
        modified_files: vec!["src/lib.rs".to_owned()],
        custom: [("ticket".to_owned(), json!("AB-12"))].into(),
        ..Adoption::default()
    };
    script.request(Event::RunAdopted { adoption: Box::new(adoption) });
    script.drive(1).command(Command::Observe(snapshot("0")));
    script.end_checks("0", [false, false]);
    script.end_attempt(works("1", session("s1", 91))).end_checks("1", [false, true]);
    assert_eq!(script.state.status, Status::Waiting, "{:?}", script.state.people);
    let answer = |question, answer| Event::AnswerGiven { question, answer, comment: None, seen: None };
    script.request(answer(1, Answer::Approve));
    for (question, tree) in [(2, "2"), (3, "3"), (4, "4")] {
        script.after(400_000).end_attempt(works(tree, session("s2", 91))).end_checks(tree, [false, true]);
        script.request(answer(question, Answer::Reject));
    }
    for tree in ["5", "6"] {
        script.after(400_000);
        let fails = AttemptEnd { outcome: AttemptOutcome::Failed, ..works(tree, session("s2", 91)) };
        script.end_attempt(fails).end_checks(tree, [false, true]);
    }
    assert_eq!(script.state.status, Status::Failed, "{:?}", script.state.work);
    for kind in ["reboot_proposed", "reboots_given_up", "run_adopted", "run_failed"] {
        assert!(script.has(kind), "{kind}");
    }
    script
}

/// A loop whose agent is refused for hours, so that another one goes on, and whose work is read by a third before it is done.
fn relieved() -> Script<State> {
    let mut config = config();
    (config.hooks, config.worktree, config.session) = (None, None, SessionPolicy::Fresh);
    config.fallback.agents = vec![AgentConfig::new("codex", &["codex"])];
    config.review = Some(Review::by(AgentConfig::new("gemini", &["gemini"])));
    let mut script = begin("ralph-relieved-01ab23cd", config);
    script.end_checks("0", [false, false]);
    let until = script.now.plus_millis(7_200_000);
    let limited = json!({"error_class": "rate_limit", "message": "try later", "limited_until": until});
    let mut refused = works("1", serde_json::from_value(limited).expect("a report"));
    refused.outcome = AttemptOutcome::Failed;
    script.end_attempt(refused).end_checks("1", [false, false]);
    assert_eq!(script.state.agent().name, "codex");
    script.end_attempt(works("2", session("c1", 20))).end_checks("2", [true, true]);
    let objection = Objection {
        file: Some("src/2.rs".to_owned()),
        line: Some(3),
        text: "an empty name passes".to_owned(),
    };
    let read = |number, opinion, objections| {
        let end = ReviewEnd::of(number, AttemptOutcome::Succeeded);
        let cost_microusd = Some(40_000);
        Command::EndReview(Box::new(ReviewEnd {
            opinion: Some(opinion),
            objections,
            cost_microusd,
            duration_ms: 9_000,
            ..end
        }))
    };
    script.after(9_000).command(read(1, Opinion::Objects, vec![objection]));
    // By now the first one works again.
    script.after(7_200_000).end_attempt(works("3", session("c2", 25))).end_checks("3", [true, false]);
    assert_eq!(script.state.agent().name, "claude");
    script.end_attempt(works("4", session("s2", 25))).end_checks("4", [true, true]);
    script.after(9_000).command(read(2, Opinion::Agrees, Vec::new()));
    assert_eq!(script.state.status, Status::Completed, "{:?}", script.state.work);
    // Whoever was to take it does not.
    let returned = Returned {
        from: "https://example.org/pull/7".to_owned(),
        text: "the build is red".to_owned(),
        about: vec!["check:build@c0ffee".to_owned()],
    };
    script.request(Event::ResultReturned { returned: Box::new(returned) });
    script.end_attempt(works("5", session("s3", 25))).end_checks("5", [true, true]);
    script.after(9_000).command(read(3, Opinion::Agrees, Vec::new()));
    assert_eq!(script.state.status, Status::Completed, "{:?}", script.state.work);
    for kind in [
        "agent_out",
        "agent_switched",
        "review_started",
        "review_finished",
        "result_returned",
        "run_reopened",
    ] {
        assert!(script.has(kind), "{kind}");
    }
    script
}

pub(crate) fn views(folded: &Folded<State>) -> Views {
    let (state, head) = (folded.last(), folded.head());
    let context = ralph::Context {
        working_dir: PathBuf::from("/home/someone/app"),
        prompt_path: PathBuf::from("PROMPT.md"),
        config_hash: "c0ffee".to_owned(),
    };
    let mut history = aiwg::History::new();
    folded.states.iter().for_each(|state| history.absorb(state));
    let place = aiwg::Context { working_directory: PathBuf::from("/home/someone/app") };
    vec![
        ("ralph.json", ralph::to_bytes(&ralph::render(state, head, &context))),
        ("aiwg.json", aiwg::render(state, head, &history, &place).bytes().to_vec()),
    ]
}

#[test]
fn an_eventful_loop_folds_and_renders_as_it_did() {
    check("loop-eventful", eventful, views);
}

#[test]
fn a_loop_that_another_tool_began_folds_and_renders_as_it_did() {
    check("loop-adopted", adopted, views);
}

#[test]
fn a_loop_that_another_agent_went_on_with_folds_and_renders_as_it_did() {
    check("loop-relieved", relieved, views);
}

#[test]
fn a_loop_that_people_steered_folds_and_renders_as_it_did() {
    check("loop-steered", steered, views);
}
