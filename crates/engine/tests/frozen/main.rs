//! Journals of every kind, as they lie on somebody's disk: each is folded and rendered, and must come out as it did.
//!
//! `journals/<name>/` holds `events.ndjson` (`{seq, at, type, v, data}`), the golden fold `state.json`, and the views
//! that are rendered of it. `PITON_WRITE_FROZEN=1` writes folds and views anew, and the events of a journal that is new: from the
//! scripts beside this file, but for [`simulated`] ones, which the simulator writes. What is there stays as it is, see [`freeze`]: a
//! changed event is a new version with a lift.

mod complete;
mod cycles;
mod freeze;
mod ledgers;
mod loops;
mod simulated;
mod workflows;

use std::path::{Path, PathBuf};

use piton_model::{Machine, RunEvent, Seq, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// 2026-02-15T12:03:20.123Z.
pub(crate) const START: Timestamp = Timestamp::from_millis(1_771_157_000_123);

/// A stored event, as a line.
#[derive(Serialize, Deserialize)]
struct Line {
    seq: Seq,
    at: Timestamp,
    r#type: String,
    v: u16,
    data: Box<RawValue>,
}

/// A journal that is written by a script: what happens, one after the other, with a second between.
pub(crate) struct Script<M: Machine> {
    pub(crate) state: M,
    pub(crate) now: Timestamp,
    pub(crate) journal: Vec<(Timestamp, M::Event)>,
}

impl<M: Machine> Script<M> {
    pub(crate) fn new(created: M::Event) -> Self {
        let state = M::apply(None, &created, START).expect("a run begins with its creation");
        Self { state, now: START, journal: vec![(START, created)] }
    }

    /// Decides and folds.
    #[track_caller]
    pub(crate) fn command(&mut self, command: M::Command) -> &mut Self {
        self.after(1_000);
        let (events, state) = self.state.advance(command.clone(), self.now).expect("it is in order");
        assert!(!events.is_empty(), "nothing follows from {command:?}");
        self.journal.extend(events.into_iter().map(|event| (self.now, event)));
        self.state = state;
        self
    }

    /// Somebody appends a request, and the driver looks at it.
    pub(crate) fn request(&mut self, request: M::Event) -> &mut Self {
        self.after(1_000);
        let state = M::apply(Some(self.state.clone()), &request, self.now);
        self.state = state.expect("a state stays a state");
        self.journal.push((self.now, request));
        let (events, state) = self.state.advance(M::tick(), self.now).expect("a look");
        self.journal.extend(events.into_iter().map(|event| (self.now, event)));
        self.state = state;
        self
    }

    pub(crate) fn after(&mut self, millis: u64) -> &mut Self {
        self.now = self.now.plus_millis(millis);
        self
    }

    /// Whether an event of this type happened.
    pub(crate) fn has(&self, kind: &str) -> bool {
        self.journal.iter().any(|(_, event)| event.encode().kind == kind)
    }
}

fn directory(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frozen/journals").join(name)
}

fn is_writing() -> bool {
    std::env::var_os("PITON_WRITE_FROZEN").is_some()
}

/// A journal that was read: its events, and the state after each of them.
pub(crate) struct Folded<M: Machine> {
    pub(crate) events: Vec<(Timestamp, M::Event)>,
    pub(crate) states: Vec<M>,
}

impl<M: Machine> Folded<M> {
    /// The state after all of it.
    pub(crate) fn last(&self) -> &M {
        self.states.last().expect("events")
    }

    /// The number of its last event.
    pub(crate) fn head(&self) -> Seq {
        self.events.len() as Seq
    }
}

/// What is rendered of a journal: files by name.
pub(crate) type Views = Vec<(&'static str, Vec<u8>)>;

/// Reads the journal of this name, folds it, and compares what comes out: the state, and its views.
pub(crate) fn check<M: Machine>(
    name: &str,
    script: impl FnOnce() -> Script<M>,
    views: impl Fn(&Folded<M>) -> Views,
) {
    if is_writing() && !freeze::has_journal(name) {
        write_events(&directory(name), &script());
    }
    compare_folded(name, views);
}

/// The same for a journal that no script here writes.
pub(crate) fn compare_folded<M: Machine>(name: &str, views: impl Fn(&Folded<M>) -> Views) {
    let directory = directory(name);
    let text = std::fs::read_to_string(directory.join("events.ndjson")).expect("a journal");
    let mut folded = Folded::<M> { events: Vec::new(), states: Vec::new() };
    for line in text.lines() {
        let line: Line = serde_json::from_str(line).expect("an event");
        let head = folded.head() + 1;
        assert_eq!(line.seq, head, "no event is missing");
        let event =
            M::Event::decode(&line.r#type, line.v, line.data.get().as_bytes()).expect("a known event");
        let state = M::apply(folded.states.last().cloned(), &event, line.at).expect("a state");
        // A checkpoint at any place is the state.
        let stored = serde_json::to_vec(&state).expect("plain data");
        assert_eq!(serde_json::from_slice::<M>(&stored).expect("a checkpoint"), state, "event {head}");
        folded.events.push((line.at, event));
        folded.states.push(state);
    }
    let mut state = serde_json::to_vec_pretty(folded.last()).expect("plain data");
    state.push(b'\n');
    compare(&directory.join("state.json"), &state);
    for (view, bytes) in views(&folded) {
        compare(&directory.join(view), &bytes);
    }
}

#[expect(clippy::disallowed_methods, reason = "a test writes the files it compares")]
fn write_events<M: Machine>(directory: &Path, script: &Script<M>) {
    std::fs::create_dir_all(directory).expect("a directory");
    let mut text = String::new();
    for (index, (at, event)) in script.journal.iter().enumerate() {
        let encoded = event.encode();
        let data = String::from_utf8(encoded.data).expect("JSON");
        let line = Line {
            seq: index as Seq + 1,
            at: *at,
            r#type: encoded.kind,
            v: encoded.version,
            data: RawValue::from_string(data).expect("JSON"),
        };
        text.push_str(&serde_json::to_string(&line).expect("plain data"));
        text.push('\n');
    }
    std::fs::write(directory.join("events.ndjson"), text).expect("room");
}

#[expect(clippy::disallowed_methods, reason = "a test writes the files it compares")]
fn compare(path: &Path, bytes: &[u8]) {
    if is_writing() {
        std::fs::write(path, bytes).expect("room");
    }
    let golden = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (golden, found) = (String::from_utf8_lossy(&golden), String::from_utf8_lossy(bytes));
    let differs = golden.lines().zip(found.lines()).position(|(golden, found)| golden != found);
    assert!(golden == found, "{} differs, first in line {:?}", path.display(), differs.map(|line| line + 1));
}
