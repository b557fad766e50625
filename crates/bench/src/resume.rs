//! Coming back: loading runs of any length, and the first step after a kill -9.

use std::path::Path;
use std::time::Instant;

use piton_engine::load;
use piton_model::limits::{CHECKPOINT_BYTES_MIN, EVENTS_PER_APPEND_MAX};
use piton_model::{Event, Machine, RunEvent, RunId, State, Timestamp};
use piton_store::sqlite::Sqlite;
use piton_store::{Append, Claim, Expect, Fence, Lease, Store};
use piton_sys::{Clock, Ids, SystemClock, SystemIds};

use crate::{Metric, Options, median, metric, steps};

pub(crate) const NAMES: &[&str] =
    &["resume_ms_100", "resume_ms_10000", "resume_ms_1000000", "kill9_to_next_step_ms"];

const LENGTHS: [u64; 3] = [100, 10_000, 1_000_000];
const ROUNDS: usize = 20;

pub(crate) fn measure(options: &Options) -> Vec<Metric> {
    let scratch = options.scratch();
    let mut metrics = Vec::new();
    let states: Vec<_> = LENGTHS.iter().map(|length| scratch.path().join(length.to_string())).collect();
    for (state, length) in states.iter().zip(LENGTHS) {
        grow(state, length);
    }
    let mut times = vec![Vec::new(); LENGTHS.len()];
    for _ in 0..ROUNDS {
        for (index, state) in states.iter().enumerate() {
            times[index].push(resume(state));
        }
    }
    let medians: Vec<f64> = times.into_iter().map(median).collect();
    for (length, value) in LENGTHS.iter().zip(&medians) {
        metrics.push(metric(format!("resume_ms_{length}"), *value, "ms"));
    }
    metrics.push(metric("resume_1000000_of_100", medians[2] / medians[0], "ratio"));
    metrics.push(metric("kill9_to_next_step_ms", kill_and_go_on(&scratch.path().join("kill")), "ms"));
    metrics
}

/// Opens the journal and loads the run, as a new driver does.
fn resume(state: &Path) -> f64 {
    let runtime = steps::runtime();
    let begin = Instant::now();
    let store = Sqlite::open(state).expect("a journal");
    let loaded = runtime.block_on(load::load::<piton_model::State>(&store, &run())).expect("loaded");
    let elapsed = begin.elapsed().as_secs_f64() * 1e3;
    assert!(loaded.head >= 100, "the run is all there");
    elapsed
}

fn run() -> RunId {
    "long".parse().expect("a good name")
}

/// A run of `length` events: steps as the driver makes them, many to an append, checkpoints where due.
fn grow(state: &Path, length: u64) {
    let store = Sqlite::open(state).expect("a journal");
    steps::runtime().block_on(async {
        let run = steps::create_run(&store, "long").await;
        let lease = store.claim(&run, steps::driver().holder, Claim::IfFree).await.expect("a lease");
        let loaded = load::load::<piton_model::State>(&store, &run).await.expect("loaded");
        let mut grower = Grower { state: loaded.state, head: loaded.head, bytes: 0, checkpoint_bytes: 0 };
        let holder = steps::driver().holder;
        let begin = piton_model::Command::Drive {
            epoch: lease.epoch,
            place: piton_model::loop_machine::Place {
                host: holder.host,
                boot: holder.process.boot_id,
                pid: 1,
            },
            version: "bench".to_owned(),
        };
        let now = SystemClock.now();
        let (events, next) = piton_model::advance(&grower.state, begin, now).expect("driven");
        grower.append(&store, &lease, events, next, now).await;
        while grower.head < length {
            let (mut events, mut state, now) = (Vec::new(), grower.state.clone(), SystemClock.now());
            while events.len() + 3 < EVENTS_PER_APPEND_MAX && grower.head + (events.len() as u64) < length {
                let (step, next) = steps::step_events(&state, now);
                events.extend(step);
                state = next;
            }
            grower.append(&store, &lease, events, state, now).await;
        }
    });
}

struct Grower {
    state: State,
    head: u64,
    bytes: u64,
    checkpoint_bytes: u64,
}

impl Grower {
    async fn append(
        &mut self,
        store: &Sqlite,
        lease: &Lease,
        events: Vec<Event>,
        state: State,
        at: Timestamp,
    ) {
        let mut encoded: Vec<_> = events.iter().map(Event::encode).collect();
        self.bytes += encoded.iter().map(|event| (event.data.len() + event.kind.len()) as u64).sum::<u64>();
        let mut checkpoint = None;
        if self.bytes > self.checkpoint_bytes.max(CHECKPOINT_BYTES_MIN) {
            let seq = self.head + encoded.len() as u64 + 1;
            let (bytes, taken) = piton_engine::core::checkpoint_of(&state, seq);
            encoded.push(taken.encode());
            (self.bytes, self.checkpoint_bytes) = (0, bytes.len() as u64);
            checkpoint = Some(bytes);
        }
        let head = self.head + encoded.len() as u64;
        let append = Append {
            run: lease.run.clone(),
            fence: Fence::Epoch(lease.epoch),
            expect: Expect::Seq(self.head),
            at,
            events: encoded,
            entry: Some(state.entry()),
            checkpoint,
            salt: SystemIds.bytes(),
        };
        store.append(append).await.expect("appended");
        self.head = head;
        self.state = state;
    }
}

/// A worker is killed in the middle of its steps; another goes on. Milliseconds from its start to the
/// first new step.
#[expect(clippy::disallowed_methods, reason = "a measurement starts itself, and nothing around it")]
fn kill_and_go_on(state: &Path) -> f64 {
    use std::process::{Command, Stdio};
    let exe = std::env::current_exe().expect("this program");
    let worker = |arguments: &[&str]| {
        let mut command = Command::new(&exe);
        command.arg("__worker").args(arguments).stdout(Stdio::piped()).stderr(Stdio::null());
        command
    };
    let mut times = Vec::new();
    for round in 0..ROUNDS {
        let directory = state.join(round.to_string());
        let path = directory.display().to_string();
        std::fs::create_dir_all(&directory).expect("a directory");
        let mut first = worker(&["sequential", &path, "r", "1000000"]).spawn().expect("a worker starts");
        wait_for_steps(&directory, 500);
        first.kill().expect("killed");
        first.wait().expect("reaped");
        let begin = Instant::now();
        let output = worker(&["continue", &path, "r", "20"]).output().expect("a worker ends");
        let line: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a line of JSON");
        let inside = line["first_step_ms"].as_f64().expect("a number");
        // The whole process is the upper bound; what came after the first step is not counted.
        times.push(inside.min(begin.elapsed().as_secs_f64() * 1e3) + crate::raw::spawn_true());
    }
    median(times)
}

fn wait_for_steps(state: &Path, steps: u64) {
    let deadline = Instant::now() + std::time::Duration::from_secs(60);
    let run: RunId = "r".parse().expect("a good name");
    loop {
        if let Ok(Some(store)) = Sqlite::open_existing(state)
            && let Ok(row) = steps::runtime().block_on(store.row(&run))
            && row.head.seq > 2 * steps
        {
            return;
        }
        assert!(Instant::now() < deadline, "the worker makes steps");
        std::thread::yield_now();
    }
}
