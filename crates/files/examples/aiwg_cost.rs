//! What a view of a long run costs: `cargo run --release -p piton-files --example aiwg_cost [ITERATIONS] [FILES]`.
//!
//! Prints the cost of collecting the histories, of rendering, and of writing with one more iteration each time, beside
//! that of writing as many bytes and no more.

#![expect(clippy::print_stdout, reason = "a measurement is printed")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_files::aiwg::{Context, History, Written, publish, render};
use piton_model::loop_machine::progress::Progress;
use piton_model::loop_machine::{
    AgentConfig, Artifact, AttemptEnd, AttemptOutcome, AttemptRuling, Change, Check, CheckResult, CheckRound,
    Conclusion, Counts, Coverage, GuardReport, IterationVerdict, JudgedTree, Limits, LoopConfig, Measures,
    Next, OnLost, OpenAttempt, Prompt, Quality, RoundRuling, SessionPolicy, SessionRuling, Share, Snapshot,
    TestCounts, Verdict, create,
};
use piton_model::{Event, State, Timestamp, apply};
use piton_sys::file::{self, Durability};
use piton_sys::{Clock, SystemClock};

const ROUNDS: usize = 9;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse().expect("a number"));
    let (iterations, files): (u32, u32) = (arguments.next().unwrap_or(10_000), arguments.next().unwrap_or(3));
    let root = std::env::temp_dir().join(format!("piton-aiwg-cost-{}", std::process::id()));
    std::fs::create_dir_all(&root).expect("a place for files");
    measure(&root, iterations, files);
    std::fs::remove_dir_all(&root).expect("the place can go");
}

fn measure(root: &Path, iterations: u32, files: u32) {
    let mut history = History::new();
    let mut state = None;
    let mut collecting = Duration::ZERO;
    for number in 0..=iterations {
        iterate(&mut state, number, files, &mut |state| {
            let begin = SystemClock.monotonic();
            history.absorb(state);
            collecting += SystemClock.monotonic() - begin;
        });
    }
    println!("{iterations} iterations of {files} files each; median of {ROUNDS}");
    println!("collect, all of it        {:8.1} ms", ms(collecting));
    let context = Context { working_directory: PathBuf::from("/home/someone/app") };
    let mut written = Written::default();
    let mut head = 1_000_000;
    let first = time(|| {
        let state = state.as_ref().expect("a run");
        publish(root, &render(state, head, &history, &context), &history, &mut written).expect("published");
    });
    println!("first publish, all files  {:8.1} ms", ms(first));
    written = Written::default();
    let looked = time(|| {
        let state = state.as_ref().expect("a run");
        publish(root, &render(state, head, &history, &context), &history, &mut written).expect("published");
    });
    println!("publish at the next start {:8.1} ms", ms(looked));
    let (mut rendering, mut publishing, mut size) = (Vec::new(), Vec::new(), 0);
    for round in 0..ROUNDS {
        iterate(&mut state, iterations + 1 + round as u32, files, &mut |state| history.absorb(state));
        head += 1;
        let state = state.as_ref().expect("a run");
        let begin = SystemClock.monotonic();
        let view = render(state, head, &history, &context);
        rendering.push(SystemClock.monotonic() - begin);
        size = view.bytes().len();
        publishing.push(time(|| {
            publish(root, &view, &history, &mut written).expect("published");
        }));
    }
    let bytes = vec![b'x'; size];
    let raw = (0..ROUNDS).map(|_| {
        time(|| file::write_atomic(&root.join("raw"), &bytes, Durability::Synced).expect("written"))
    });
    let raw = median(raw.collect());
    let (rendering, publishing) = (median(rendering), median(publishing));
    println!("state.json                {:8.1} MB", size as f64 / 1e6);
    println!("render                    {:8.1} ms", ms(rendering));
    println!("write, compared, synced   {:8.1} ms", ms(publishing));
    println!("  as many bytes, synced   {:8.1} ms", ms(raw));
    println!("interval, 20 times both   {:8.1} s", 20.0 * (ms(rendering) + ms(publishing)) / 1e3);
}

fn time(work: impl FnOnce()) -> Duration {
    let begin = SystemClock.monotonic();
    work();
    SystemClock.monotonic() - begin
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The events of one iteration; of the creation and the baseline for number 0.
fn iterate(state: &mut Option<State>, number: u32, files: u32, see: &mut dyn FnMut(&State)) {
    let at = Timestamp::from_millis(1_771_157_000_123).plus_millis(u64::from(number) * 60_000);
    let snapshot =
        Snapshot { id: format!("{number:040x}"), tree: format!("{:040x}", number + 7), left_out: Vec::new() };
    let events = match number {
        0 => vec![
            create("ralph-cost-0123abcd".parse().expect("an id"), "Cost", config()).expect("a run"),
            Event::DriverStarted {
                epoch: 1,
                host: "h".to_owned(),
                boot: "b".to_owned(),
                pid: 1,
                version: "0".to_owned(),
            },
            Event::ChecksFinished {
                round: Box::new(round(number, &snapshot)),
                ruling: judged(Next::Attempt),
            },
        ],
        _ => vec![
            Event::AttemptStarted { attempt: attempt(number) },
            Event::AttemptFinished {
                attempt: number,
                end: Box::new(end(number, files, &snapshot)),
                ruling: AttemptRuling {
                    next: Next::Checks,
                    counts: true,
                    failed: Some(false),
                    hold: None,
                    guard: Some(Verdict::Reported),
                    unseen: false,
                    unkept: false,
                    session: SessionRuling::default(),
                },
            },
            Event::ChecksStarted { round: number + 1, guard: None, look: false },
            Event::ChecksFinished {
                round: Box::new(round(number, &snapshot)),
                ruling: judged(Next::Verdict),
            },
        ],
    };
    let mut fold = |event: &Event| {
        *state = apply(state.take(), event, at);
        see(state.as_ref().expect("a run"));
    };
    events.iter().for_each(&mut fold);
    if number > 0 {
        let quality = Some(Quality { score: 50.0, ..Quality::default() });
        fold(&Event::IterationConcluded {
            conclusion: Box::new(Conclusion {
                iteration: number,
                verdict: IterationVerdict::Kept,
                regressed: false,
                changed: true,
                progress: Progress { score: 0.2, made: true, indicators: Vec::new() },
                quality,
                best: number == 1,
                findings: Vec::new(),
                unjudged: false,
            }),
        });
    }
}

fn config() -> LoopConfig {
    let check = |name: &str| Check {
        name: name.to_owned(),
        command: format!("make {name}"),
        timeout_ms: 900_000,
        cheap: false,
        reads: None,
    };
    LoopConfig {
        prompt: Prompt::Text("Fix all type errors".to_owned()),
        agent: AgentConfig {
            name: "exec".to_owned(),
            command: vec!["sh".to_owned()],
            ..AgentConfig::default()
        },
        checks: vec![check("test"), check("lint"), check("types")],
        until: Vec::new(),
        limits: Limits::default(),
        on_lost: OnLost::default(),
        session: SessionPolicy::default(),
        ..LoopConfig::new("", AgentConfig::default(), Vec::new())
    }
}

fn attempt(number: u32) -> OpenAttempt {
    OpenAttempt {
        number,
        iteration: number,
        host: "h".to_owned(),
        boot: "b".to_owned(),
        directory: format!("attempts/r/{number}"),
        restore: None,
        session: None,
    }
}

fn end(number: u32, files: u32, snapshot: &Snapshot) -> AttemptEnd {
    let artifact = |index: u32| Artifact {
        path: format!("src/component/of/ordinary/depth/file_{index}.rs"),
        sha256: format!("{:064x}", u64::from(number) * 1_000 + u64::from(index)),
        size_bytes: 4_321,
    };
    AttemptEnd {
        outcome: AttemptOutcome::Succeeded,
        exit_code: Some(0),
        duration_ms: 60_000,
        message: None,
        report: None,
        snapshot: Some(snapshot.clone()),
        prompt: None,
        change: Some(Change { artifacts: (0..files).map(artifact).collect(), ..Change::default() }),
        guard: Some(GuardReport {
            tests: Counts { before: 150, after: 150 },
            duration_ms: 12,
            ..GuardReport::default()
        }),
        said_bytes: None,
    }
}

fn round(number: u32, snapshot: &Snapshot) -> CheckRound {
    let result = |name: &str| CheckResult {
        name: name.to_owned(),
        passed: name != "types",
        exit_code: Some(i32::from(name == "types")),
        timed_out: false,
        duration_ms: 1_000,
        tail: String::new(),
    };
    let lines = Share { covered: 850 + u64::from(number % 7), total: 1_000 };
    CheckRound {
        number: number + 1,
        checks: ["test", "lint", "types"].map(result).into(),
        conditions: Vec::new(),
        wrote: None,
        stops: Vec::new(),
        tests: Default::default(),
        snapshot: Some(snapshot.clone()),
        measures: Measures {
            tests: Some(TestCounts {
                passed: 149,
                failed: 1,
                skipped: 0,
                complete: true,
                ..TestCounts::default()
            }),
            coverage: Some(Coverage { lines: Some(lines), ..Coverage::default() }),
            lint_errors: Some(3),
            type_errors: Some(u64::from(number % 5)),
            ..Measures::default()
        },
        beside: Vec::new(),
        duration_ms: 3_000,
        cancelled: false,
    }
}

fn judged(next: Next) -> RoundRuling {
    let baseline = next == Next::Attempt;
    RoundRuling {
        next,
        fixed: 0,
        tree: JudgedTree::Another,
        tests_fail: (!baseline).then_some(false),
        baseline,
        unlike: None,
        guard: None,
        findings: Vec::new(),
        again: false,
    }
}
