//! Backups of a journal of a gibibyte: what they take, and what whoever appends meanwhile notices of it.
//!
//! The journal is made once. A backup is made by a process of its own, as `piton backup create` is; meanwhile this process appends to
//! another run, as a driver does, with a pause after each. The same number of appends is made without a backup right before and right
//! after it, so that the noise of the machine falls on both sides.

use std::path::Path;
use std::time::{Duration, Instant};

use piton_model::{Event, RunEvent, RunId};
use piton_store::sqlite::Sqlite;
use piton_store::{Append, Expect, Fence, JournalId, Store, Url, Wanted};
use piton_sys::{Clock, Ids, SystemClock, SystemIds};
use piton_vault::create::{SEGMENT_BYTES, Source};
use piton_vault::restore::{Until, epoch_floor};
use piton_vault::target::Directory;
use piton_vault::{Spool, list, restore, verify};

use crate::{Metric, Options, journal, median, metric, p99, steps};

pub(crate) const NAMES: &[&str] =
    &["vault_append_p99_ratio", "vault_create_s", "vault_verify_s", "vault_journal_verify"];

/// A row for each way of keeping a backup: its name, and whether it is compressed.
const VARIANTS: &[(&str, bool)] = &[("plain", false), ("compressed", true)];

const RUNS: usize = 64;
const EVENTS_PER_APPEND: usize = 12;
const TEXT_BYTES: usize = 4 << 10;
/// Between two appends: a busy driver has ten of them in a second.
const PAUSE: Duration = Duration::from_millis(5);
/// Appends without a backup, on each side of one.
const QUIET: usize = 400;
const MIB: f64 = (1 << 20) as f64;

pub(crate) fn measure(options: &Options) -> Vec<Metric> {
    let scratch = options.scratch();
    let root = scratch.path().join("journal");
    let state = root.join(".piton");
    std::fs::create_dir_all(&root).expect("a directory");
    fill(&state, options.mib);
    let mib = std::fs::metadata(state.join("journal.db")).expect("a database").len() as f64 / MIB;
    let mut metrics = vec![metric("vault_journal_mib", mib, "MiB")];
    let seconds = verify_journal(&state);
    metrics.push(metric("vault_journal_verify_s", seconds, "s"));
    metrics.push(metric("vault_journal_verify_mib_per_s", mib / seconds, "MiB/s"));
    for &(name, compress) in VARIANTS {
        metrics.extend(one(options, &state, &scratch.path().join(name), name, compress, mib));
    }
    metrics
}

fn one(options: &Options, state: &Path, at: &Path, name: &str, compress: bool, mib: f64) -> Vec<Metric> {
    let mut front = Front::open(state, name);
    let (mut ratios, mut quiet_all, mut busy_all, mut cold) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..options.rounds.min(3) {
        let kept = at.join(round.to_string());
        let mut quiet = front.appends(QUIET);
        let (busy, seconds) = front.appends_while_backed_up(state, &kept, compress);
        quiet.extend(front.appends(QUIET));
        cold.push(seconds);
        ratios.push(p99(busy.clone()) / p99(quiet.clone()));
        quiet_all.extend(quiet);
        busy_all.extend(busy);
        if round > 0 {
            std::fs::remove_dir_all(&kept).expect("removed");
        }
    }
    let kept = at.join("0");
    let (_, incremental) = front.appends_while_backed_up(state, &kept, compress);
    let (verified, restored) = read_back(&kept, at);
    let create = median(cold);
    let named = |what: &str| format!("vault_{what}_{name}");
    vec![
        metric(named("append_p99_ratio"), median(ratios), "ratio"),
        metric(named("append_p99_ms_quiet"), p99(quiet_all), "ms"),
        metric(named("append_p99_ms_during"), p99(busy_all), "ms"),
        metric(named("create_s_cold"), create, "s"),
        metric(named("create_mib_per_s"), mib / create, "MiB/s"),
        metric(named("create_s_incremental"), incremental, "s"),
        metric(named("kept_mib"), size_of(&kept) / MIB, "MiB"),
        metric(named("verify_s"), verified, "s"),
        metric(named("restore_s"), restored, "s"),
    ]
}

/// A journal of so many mebibytes: runs of loops with notes that do not compress below half.
fn fill(state: &Path, mib: usize) {
    let store = Sqlite::open(state).expect("a journal");
    steps::runtime().block_on(async {
        let mut runs = Vec::new();
        for number in 0..RUNS {
            runs.push(steps::create_run(&store, &format!("r{number}")).await);
        }
        // Stored at about half of what it is as text.
        let appends = mib * (1 << 20) * 2 / (EVENTS_PER_APPEND * TEXT_BYTES);
        for number in 0..appends {
            let events = (0..EVENTS_PER_APPEND).map(|_| note(TEXT_BYTES)).collect();
            append(&store, &runs[number % RUNS], events).await;
        }
    });
}

fn note(bytes: usize) -> Event {
    let text = (0..bytes.div_ceil(32)).map(|_| SystemIds.hex(32)).collect::<Vec<_>>().concat();
    Event::NoteAdded { text, set: Default::default() }
}

async fn append(store: &Sqlite, run: &RunId, events: Vec<Event>) {
    let append = Append {
        run: run.clone(),
        fence: Fence::Request(SystemIds.bytes()),
        expect: Expect::Any,
        at: SystemClock.now(),
        events: events.iter().map(RunEvent::encode).collect(),
        entry: None,
        checkpoint: None,
        salt: SystemIds.bytes(),
    };
    store.append(append).await.expect("appended");
}

/// Whoever appends while backups are made.
struct Front {
    store: Sqlite,
    run: RunId,
    runtime: tokio::runtime::Runtime,
}

impl Front {
    fn open(state: &Path, name: &str) -> Self {
        let (store, runtime) = (Sqlite::open(state).expect("a journal"), steps::runtime());
        let run = runtime.block_on(steps::create_run(&store, &format!("front-{name}")));
        Self { store, run, runtime }
    }

    /// Milliseconds of one append.
    #[expect(clippy::disallowed_methods, reason = "a driver appends now and then")]
    fn append(&self) -> f64 {
        let event = note(256);
        let begin = Instant::now();
        self.runtime.block_on(append(&self.store, &self.run, vec![event]));
        let took = begin.elapsed().as_secs_f64() * 1e3;
        std::thread::sleep(PAUSE);
        took
    }

    fn appends(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.append()).collect()
    }

    /// Appends until a backup is there; its seconds.
    fn appends_while_backed_up(&mut self, state: &Path, kept: &Path, compress: bool) -> (Vec<f64>, f64) {
        let words = [state, kept].map(|path| path.display().to_string());
        let begin = Instant::now();
        let mut worker = journal::worker(&["backup", &words[0], &words[1], &compress.to_string()]);
        let mut took = Vec::new();
        while worker.try_wait().expect("a worker").is_none() {
            took.push(self.append());
        }
        let seconds = begin.elapsed().as_secs_f64();
        let output = worker.wait_with_output().expect("a worker ends");
        assert!(output.status.success(), "no backup: {}", String::from_utf8_lossy(&output.stderr));
        (took, seconds)
    }
}

/// What the worker does.
pub(crate) fn work(state: &Path, kept: &Path, compress: bool) -> serde_json::Value {
    let root = state.parent().expect("it lies in a repository");
    let scratch = tempfile::tempdir_in(root).expect("a scratch directory");
    let opened = piton_store::open(&Url::of_repository(root), JournalId::random()).expect("a journal");
    let source = Source {
        store: &*opened.store,
        journal: opened.identity.id,
        workspace: None,
        scratch: scratch.path(),
        clock: &SystemClock,
        compress,
        segment_bytes: SEGMENT_BYTES,
        version: "bench",
    };
    let created =
        steps::runtime().block_on(piton_vault::create(&source, &Directory::new(kept))).expect("a backup");
    serde_json::json!({"bytes_put": created.bytes_put, "events": created.proof.events})
}

/// Seconds to verify the newest backup, and to restore it into a new journal.
fn read_back(kept: &Path, at: &Path) -> (f64, f64) {
    let target = Directory::new(kept);
    steps::runtime().block_on(async {
        let listed = list(&target, None).await.expect("a list");
        let manifest = listed.into_iter().next_back().expect("a backup").manifest.expect("it can be read");
        let begin = Instant::now();
        let place = at.join("verify");
        std::fs::create_dir_all(&place).expect("a directory");
        verify(&target, manifest.clone(), &place).await.expect("verified");
        let verified = begin.elapsed().as_secs_f64();
        std::fs::remove_dir_all(&place).expect("removed");
        let begin = Instant::now();
        let place = at.join("restore");
        std::fs::create_dir_all(&place).expect("a directory");
        let spool = Spool::fetch(&target, manifest, &place.join("fetched")).await.expect("fetched");
        let opened = piton_store::open(&Url::of_repository(&place.join("journal")), JournalId::random())
            .expect("a journal");
        let floor = epoch_floor(spool.epoch_max());
        for held in &spool.manifest.runs {
            restore(&spool, &*opened.store, &held.run_id, Until::End, floor).await.expect("restored");
        }
        let restored = begin.elapsed().as_secs_f64();
        drop(opened);
        std::fs::remove_dir_all(&place).expect("removed");
        (verified, restored)
    })
}

/// Seconds to verify every run, one after the other, on one core.
fn verify_journal(state: &Path) -> f64 {
    let store = Sqlite::open(state).expect("a journal");
    steps::runtime().block_on(async {
        let rows = store.rows(Wanted::ALL).await.expect("rows").rows;
        let begin = Instant::now();
        for row in rows {
            assert_eq!(store.verify(Some(&row.entry.run_id)).await.expect("verified"), Vec::new());
        }
        begin.elapsed().as_secs_f64()
    })
}

fn size_of(directory: &Path) -> f64 {
    let entries = std::fs::read_dir(directory).expect("a directory").flatten();
    let sizes = entries.map(|entry| match entry.file_type().expect("a type").is_dir() {
        true => size_of(&entry.path()),
        false => entry.metadata().expect("a file").len() as f64,
    });
    sizes.sum()
}
