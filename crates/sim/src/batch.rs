//! Many seeds, on several threads: each is run twice, compared and checked.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use piton_model::{Kind, Timestamp};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::checker::{Violation, check};
use crate::coverage::Coverage;
use crate::history::RawEvent;
use crate::scenario::Plant;
use crate::sim::{self, Ran};

/// Seeds that a thread takes at a time.
const CHUNK: u64 = 64;

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    /// The first seed.
    pub from: u64,
    /// How many.
    pub seeds: u64,
    /// Of which kind; each kind in turn without one.
    pub kind: Option<Kind>,
    /// On how many threads.
    pub jobs: usize,
    /// With which mistake, if any.
    pub plant: Option<Plant>,
    /// Stop at the first violation.
    pub stop_at_first: bool,
}

/// The kind of run that a seed is, where nobody asked for one.
pub fn kind_of(seed: u64) -> Kind {
    [Kind::Loop, Kind::Workflow, Kind::Cycle, Kind::Ledger][(seed % 4) as usize]
}

/// What came of it.
pub struct Outcome {
    /// Seeds that were run.
    pub seeds: u64,
    /// Violations, lowest seed first.
    pub violations: Vec<(u64, Violation)>,
    /// Median number of events in the journal.
    pub median_events: u32,
    /// Median number of faults.
    pub median_faults: u32,
    coverage: Coverage,
    seconds: f64,
}

#[derive(Default)]
struct Sums {
    violations: Vec<(u64, Violation)>,
    events: Vec<u32>,
    faults: Vec<u32>,
}

impl Batch {
    /// Runs it.
    pub fn run(&self) -> Outcome {
        let started = Instant::now();
        let next = AtomicU64::new(0);
        let stop = AtomicBool::new(false);
        let all = Mutex::new((Sums::default(), Coverage::new()));
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                scope.spawn(|| self.work(&next, &stop, &all));
            }
        });
        let (mut sums, coverage) = all.into_inner().expect("no thread panicked");
        sums.violations.sort_by_key(|(seed, _)| *seed);
        Outcome {
            seeds: sums.events.len() as u64,
            violations: sums.violations,
            median_events: median(&mut sums.events),
            median_faults: median(&mut sums.faults),
            coverage,
            seconds: started.elapsed().as_secs_f64(),
        }
    }

    fn work(&self, next: &AtomicU64, stop: &AtomicBool, all: &Mutex<(Sums, Coverage)>) {
        let mut sums = Sums::default();
        let mut coverage = Coverage::new();
        loop {
            let first = next.fetch_add(CHUNK, Ordering::Relaxed);
            if first >= self.seeds || stop.load(Ordering::Relaxed) {
                break;
            }
            for offset in first..(first + CHUNK).min(self.seeds) {
                let seed = self.from + offset;
                let kind = self.kind.unwrap_or_else(|| kind_of(seed));
                let (ran, verdict) = try_seed(seed, kind, self.plant);
                sums.events.push(ran.history.events.len() as u32);
                sums.faults.push(ran.faults);
                coverage.merge(&ran.coverage);
                if let Err(violation) = verdict {
                    sums.violations.push((seed, violation));
                    if self.stop_at_first {
                        stop.store(true, Ordering::Relaxed);
                        break;
                    }
                }
            }
        }
        let mut all = all.lock().expect("no thread panicked");
        all.0.violations.append(&mut sums.violations);
        all.0.events.append(&mut sums.events);
        all.0.faults.append(&mut sums.faults);
        all.1.merge(&coverage);
    }
}

/// Runs a seed twice, compares and checks.
fn try_seed(seed: u64, kind: Kind, plant: Option<Plant>) -> (Ran, Result<(), Violation>) {
    let first = sim::run(seed, kind, plant, true, false);
    let verdict = check(&first.history).and_then(|()| {
        let second = sim::run(seed, kind, plant, false, false);
        if second.digest == first.digest {
            return Ok(());
        }
        Err(Violation { rule: "I8", what: "the same seed gave two different runs".to_owned() })
    });
    (first, verdict)
}

/// Runs one seed, with every step as a line.
pub fn trace(seed: u64, kind: Kind, plant: Option<Plant>) -> (Vec<String>, Result<(), Violation>) {
    let ran = sim::run(seed, kind, plant, true, true);
    let verdict = check(&ran.history);
    (ran.lines, verdict)
}

/// The journal that one seed leaves, an event a line: as the journals that must fold for ever are kept.
pub fn journal(seed: u64, kind: Kind) -> Vec<String> {
    let events = sim::run(seed, kind, None, true, false).history.events;
    events.into_iter().map(|event| line_of(event).expect("an event is JSON")).collect()
}

fn line_of(event: RawEvent) -> serde_json::Result<String> {
    #[derive(Serialize)]
    struct Line {
        seq: u64,
        at: Timestamp,
        r#type: String,
        v: u16,
        data: Box<RawValue>,
    }
    let data = serde_json::from_slice(&event.data)?;
    let at = Timestamp::from_millis(event.at_ms);
    serde_json::to_string(&Line { seq: event.seq, at, r#type: event.kind, v: event.version, data })
}

impl Outcome {
    /// The outcome as one line of JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "seeds": self.seeds,
            "violations": self.violations.len(),
            "median_events": self.median_events,
            "median_faults": self.median_faults,
            "coverage_min": self.coverage.smallest(),
            "deaths_min": self.coverage.smallest_death(),
            "seconds": (self.seconds * 10.0).round() / 10.0,
            "seeds_per_second": (self.seeds as f64 / self.seconds).round(),
            "missed": self.coverage.missed(),
            "coverage": self.coverage.sites(),
            "coverage_by_event": self.coverage.events(),
            "deaths": self.coverage.deaths(),
        })
    }

    /// The smallest count of a fault at an append site that it can fall on.
    pub fn coverage_min(&self) -> u32 {
        self.coverage.smallest()
    }

    /// How long it took.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }
}

fn median(values: &mut [u32]) -> u32 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}
