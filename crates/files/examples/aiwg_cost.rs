//! What a view of a long run costs: `cargo run --release -p piton-files --example aiwg_cost [ITERATIONS] [FILES]`.
//!
//! Prints the cost of collecting the histories, of rendering, and of writing with one more iteration each time, beside
//! that of writing as many bytes and no more.

#![expect(clippy::print_stdout, reason = "a measurement is printed")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_files::aiwg::{Context, History, Written, publish, render};
use piton_model::loop_machine::{
    AgentConfig, Artifact, AttemptEnd, AttemptOutcome, Change, Check, CheckResult, CheckRound, Command,
    Counts, Coverage, GuardReport, Limits, LoopConfig, Measures, Place, Share, Snapshot, TestCounts, advance,
    create,
};
use piton_model::{State, Timestamp, apply};
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

/// What happens in one iteration; the creation and the baseline for number 0.
fn iterate(state: &mut Option<State>, number: u32, files: u32, see: &mut dyn FnMut(&State)) {
    let at = Timestamp::from_millis(1_771_157_000_123).plus_millis(u64::from(number) * 60_000);
    let snapshot =
        Snapshot { id: format!("{number:040x}"), tree: format!("{:040x}", number + 7), left_out: Vec::new() };
    let checked = Command::EndChecks(Box::new(round(number + 1, &snapshot)));
    let commands = match state {
        None => {
            let run = "ralph-cost-0123abcd".parse().expect("an id");
            *state = apply(None, &create(run, "Cost", config()).expect("a run"), at);
            let place = Place { host: "h".to_owned(), boot: "b".to_owned(), pid: 1 };
            let drive = Command::Drive { epoch: 1, place, version: "0".to_owned() };
            vec![drive, Command::Observe(snapshot), checked]
        }
        Some(_) => {
            let end = Box::new(end(number, files, &snapshot));
            vec![Command::EndAttempt { attempt: number, end }, checked]
        }
    };
    for command in commands {
        let (events, _) = advance(state.as_ref().expect("a run"), command, at).expect("what comes next");
        for event in &events {
            *state = apply(state.take(), event, at);
            see(state.as_ref().expect("a run"));
        }
    }
}

fn config() -> LoopConfig {
    let check = |name: &str| Check::new(name, format!("make {name}"));
    let checks = ["test", "lint", "types"].map(check).into();
    let limits =
        Limits { iterations: u32::MAX, working_ms: u64::MAX, no_progress: u32::MAX, ..Limits::default() };
    let config = LoopConfig::new("Fix all type errors", AgentConfig::new("exec", &["sh"]), checks);
    LoopConfig { limits, ..config }
}

fn end(number: u32, files: u32, snapshot: &Snapshot) -> AttemptEnd {
    let artifact = |index: u32| Artifact {
        path: format!("src/component/of/ordinary/depth/file_{index}.rs"),
        sha256: format!("{:064x}", u64::from(number) * 1_000 + u64::from(index)),
        size_bytes: 4_321,
    };
    AttemptEnd {
        exit_code: Some(0),
        duration_ms: 60_000,
        snapshot: Some(snapshot.clone()),
        change: Some(Change { artifacts: (0..files).map(artifact).collect(), ..Change::default() }),
        guard: Some(GuardReport {
            tests: Counts { before: 150, after: 150 },
            duration_ms: 12,
            ..GuardReport::default()
        }),
        ..AttemptEnd::of(AttemptOutcome::Succeeded)
    }
}

fn round(number: u32, snapshot: &Snapshot) -> CheckRound {
    let result = |name: &str| CheckResult {
        name: name.to_owned(),
        passed: name != "types",
        exit_code: Some(i32::from(name == "types")),
        duration_ms: 1_000,
        ..CheckResult::default()
    };
    let lines = Share { covered: 850 + u64::from(number % 7), total: 1_000 };
    CheckRound {
        number,
        checks: ["test", "lint", "types"].map(result).into(),
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
        duration_ms: 3_000,
        ..CheckRound::default()
    }
}
