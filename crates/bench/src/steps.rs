//! Steps through the driver that the command line uses, with work that is nothing.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::io::Write;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use piton_engine::{Driver, World, drive};
use piton_model::loop_machine::stop::{Done, until};
use piton_model::loop_machine::{
    AgentConfig, AttemptEnd, AttemptOutcome, Limits, LoopConfig, OnLost, SessionPolicy,
};
use piton_model::{Command, Effect, Event, Machine, RunEvent, RunId, Seq, State, Timestamp, apply, create};
use piton_seal::opener::Source;
use piton_seal::{Openers, Ring};
use piton_store::sqlite::Sqlite;
use piton_store::{Append, Claim, Expect, Fence, Holder, JournalId, Lease, Store, StoredEvent, Wanted};
use piton_sys::{Clock, Ids, SystemClock, SystemIds};

/// A world in which every attempt is over at once.
pub(crate) struct NoWork {
    steps_left: Cell<u32>,
    /// When each step was asked for, in microseconds since the start.
    begun: Instant,
    pub(crate) asked_at: RefCell<Vec<u64>>,
}

impl NoWork {
    pub(crate) fn new(steps: u32) -> Self {
        let asked_at = RefCell::new(Vec::with_capacity(steps as usize + 1));
        Self { steps_left: Cell::new(steps), begun: Instant::now(), asked_at }
    }

    /// How long each step took, in microseconds.
    pub(crate) fn latencies(&self) -> Vec<f64> {
        self.asked_at.borrow().windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect()
    }
}

pub(crate) fn succeeded() -> Box<AttemptEnd> {
    Box::new(AttemptEnd { exit_code: Some(0), ..AttemptEnd::of(AttemptOutcome::Succeeded) })
}

impl World for NoWork {
    fn perform(
        &self,
        effect: &Effect,
        _fresh: bool,
        _state: &State,
    ) -> impl Future<Output = Command> + 'static {
        let Effect::Attempt(attempt) = effect else { panic!("this loop has no checks and no timers") };
        self.asked_at.borrow_mut().push(self.begun.elapsed().as_micros() as u64);
        let left = self.steps_left.get();
        self.steps_left.set(left.saturating_sub(1));
        std::future::ready(match left {
            0 => Command::GiveUp { detail: "enough".to_owned() },
            _ => Command::EndAttempt { attempt: attempt.number, end: succeeded() },
        })
    }

    fn cancel(&self, _effect: &Effect) {}

    fn publish(&self, _state: &State, _head: Seq, _at_rest: bool) {}

    fn interrupted(&self) -> impl Future<Output = bool> {
        std::future::pending()
    }
}

pub(crate) fn config() -> LoopConfig {
    LoopConfig {
        until: vec![until(Done {})],
        limits: Limits { iterations: u32::MAX, no_progress: u32::MAX, ..Limits::default() },
        on_lost: OnLost::Retry,
        session: SessionPolicy::Fresh,
        ..LoopConfig::new("nothing", AgentConfig::new("none", &["true"]), Vec::new())
    }
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

pub(crate) async fn create_run(store: &Sqlite, name: &str) -> RunId {
    let run: RunId = name.parse().expect("a good name");
    let event = create(run.clone(), name, config()).expect("a good configuration");
    let at = SystemClock.now();
    let state = apply(None, &event, at).expect("a creation");
    let append = Append {
        run: run.clone(),
        fence: Fence::Request(SystemIds.bytes()),
        expect: Expect::Seq(0),
        at,
        events: vec![event.encode()],
        entry: Some(state.entry()),
        checkpoint: None,
        salt: SystemIds.bytes(),
    };
    store.append(append).await.expect("created");
    run
}

pub(crate) fn driver() -> Driver {
    let holder = Holder {
        host: piton_sys::process::host_id(),
        process: piton_sys::process::current(),
        since: SystemClock.now(),
    };
    Driver { holder, version: "bench".to_owned() }
}

async fn claim(store: &Sqlite, run: &RunId) -> Lease {
    store.claim(run, driver().holder, Claim::IfFree).await.expect("nobody else drives it")
}

/// Drives one run for `steps`; steps per second and each step's latency.
pub(crate) fn sequential(state: &Path, run: &str, steps: u32) -> (f64, Vec<f64>) {
    sequential_in(Sqlite::open(state).expect("a journal"), run, steps)
}

/// The same in a journal whose payloads are sealed; steps per second.
pub(crate) fn sequential_sealed(state: &Path, run: &str, steps: u32) -> f64 {
    let file = state.with_extension("key");
    let (text, _) = piton_seal::opener::new_identity("now");
    piton_sys::file::create_new(&file, text.as_bytes(), piton_sys::file::Durability::Unsynced)
        .expect("a key");
    let openers = Openers { sources: vec![Source::File(file)], recipients: Vec::new() };
    piton_sys::file::create_private_dir(state).expect("a directory");
    let ring = Arc::new(Ring::new(state.join("keys"), openers, true));
    ring.require().expect("a key");
    let store = Sqlite::open_with(state, JournalId::random(), ring).expect("a journal");
    sequential_in(store, run, steps).0
}

fn sequential_in(store: Sqlite, run: &str, steps: u32) -> (f64, Vec<f64>) {
    runtime().block_on(async {
        let run = create_run(&store, run).await;
        let world = NoWork::new(steps);
        let begin = Instant::now();
        drive(&store, &world, claim(&store, &run).await, driver()).await.expect("driven");
        (f64::from(steps) / begin.elapsed().as_secs_f64(), world.latencies())
    })
}

/// Drives `runs` runs for `steps` each, in one process; steps per second.
pub(crate) fn many_runs(state: &Path, runs: u32, steps: u32) -> f64 {
    let store = Rc::new(Sqlite::open(state).expect("a journal"));
    let runtime = runtime();
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let mut created = Vec::new();
        for number in 0..runs {
            created.push(create_run(&store, &format!("r{number}")).await);
        }
        let begin = Instant::now();
        let tasks: Vec<_> = created
            .into_iter()
            .map(|run| {
                let store = Rc::clone(&store);
                tokio::task::spawn_local(async move {
                    let world = NoWork::new(steps);
                    drive(&*store, &world, claim(&store, &run).await, driver()).await.expect("driven");
                })
            })
            .collect();
        for task in tasks {
            task.await.expect("a driver ends");
        }
        f64::from(runs) * f64::from(steps) / begin.elapsed().as_secs_f64()
    })
}

/// Reads every run back: two step events per step, and a valid chain. Payload bytes of the steps with their verdicts.
pub(crate) fn check(state: &Path, steps_per_run: u32) -> u64 {
    let store = Sqlite::open(state).expect("a journal");
    let mut payload = 0;
    runtime().block_on(async {
        for row in store.rows(Wanted::ALL).await.expect("rows").rows {
            assert_eq!(
                store.verify(Some(&row.entry.run_id)).await.expect("verified"),
                Vec::new(),
                "a valid chain"
            );
            let events = store.read(&row.entry.run_id, 1, usize::MAX).await.expect("events");
            let step_events = events.iter().filter(|event| is_step(event)).count();
            // The first intent and the last refusal frame the steps.
            assert_eq!(step_events, 2 * steps_per_run as usize + 1, "two step events per step");
            let of_steps = events.iter().filter(|event| is_step(event) || is_verdict(event));
            payload += of_steps.map(|event| event.event.data.len() as u64).sum::<u64>();
        }
    });
    payload
}

fn is_step(event: &StoredEvent) -> bool {
    matches!(event.event.kind.as_str(), "attempt_started" | "attempt_finished")
}

fn is_verdict(event: &StoredEvent) -> bool {
    event.event.kind == "iteration_concluded"
}

/// A process of its own: `sequential DIR RUN STEPS` or `many DIR RUNS STEPS`; prints what it measured.
pub(crate) fn worker(arguments: Vec<String>) {
    let word = |index: usize| arguments.get(index).map(String::as_str).expect("an argument");
    let number = |index: usize| word(index).parse::<u32>().expect("a number");
    let state = Path::new(word(1));
    let line = match word(0) {
        "sequential" => {
            let (rate, latencies) = sequential(state, word(2), number(3));
            serde_json::json!({"rate": rate, "p99_us": crate::p99(latencies)})
        }
        "backup" => crate::vault::work(state, Path::new(word(2)), word(3) == "true"),
        "curve" => crate::curve::work(state, word(2), number(3)),
        "many" => serde_json::json!({"rate": many_runs(state, number(2), number(3))}),
        "continue" => {
            let first = go_on(state, word(2), number(3));
            serde_json::json!({"first_step_ms": first})
        }
        other => panic!("`{other}` is no work"),
    };
    writeln!(std::io::stdout(), "{line}").expect("printed");
}

/// Goes on with a run; milliseconds from now to its first new step.
fn go_on(state: &Path, run: &str, steps: u32) -> f64 {
    let begin = Instant::now();
    let store = Sqlite::open(state).expect("a journal");
    runtime().block_on(async {
        let run: RunId = run.parse().expect("a good name");
        let world = NoWork::new(steps);
        drive(&store, &world, claim(&store, &run).await, driver()).await.expect("driven");
        let asked = world.asked_at.borrow();
        // The second request comes once the first step is durable.
        let begun = world.begun.duration_since(begin).as_secs_f64() * 1e3;
        begun + asked.get(1).map_or(0.0, |micros| *micros as f64 / 1e3)
    })
}

/// The events of one step, as the driver would append them, and the state after it.
pub(crate) fn step_events(state: &State, now: Timestamp) -> (Vec<Event>, State) {
    let command = Command::EndAttempt { attempt: state.work.attempt, end: succeeded() };
    piton_model::advance(state, command, now).expect("an attempt is open")
}
