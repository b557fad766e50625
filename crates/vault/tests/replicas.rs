//! A replica as a whole, without the binary: what arrives, what is restored from it, and what becomes of it when a target fails.
#![expect(clippy::unwrap_used, reason = "a test says what it saw, and fails where it cannot go on")]

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use piton_model::loop_machine::{AgentConfig, Check, LoopConfig, create};
use piton_model::{Event, Machine, RunEvent, RunId, State, Timestamp};
use piton_store::conformance::block_on;
use piton_store::{Append, Expect, Fence, JournalId, Store, StoredEvent, Url};
use piton_sys::{Clock, Ids, SystemClock, SystemIds};
use piton_vault::create::Source;
use piton_vault::replica::tidy::KEPT_MS;
use piton_vault::replica::{self, Begun, Replicator, Writer};
use piton_vault::target::{BoxFuture, Directory, Object};
use piton_vault::{Error, Spool, Target, Until};
use proptest::prelude::*;

const NOW: Timestamp = Timestamp::from_millis(1_771_157_000_000);

/// A target that counts what it is asked, and fails when it is told to.
struct Moody {
    inner: Directory,
    asked: AtomicU64,
    /// The moods of the next requests.
    moods: Mutex<Vec<Mood>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mood {
    Good,
    /// Nothing is done, and that is said.
    Refuses,
    /// It is done, and the answer is lost.
    Mute,
}

impl Moody {
    fn new(path: &Path) -> Self {
        Self { inner: Directory::new(path), asked: AtomicU64::new(0), moods: Mutex::new(Vec::new()) }
    }

    fn asked(&self) -> u64 {
        self.asked.swap(0, Ordering::SeqCst)
    }

    fn mood(&self) -> Mood {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.moods.lock().unwrap().pop().unwrap_or(Mood::Good)
    }

    fn will(&self, moods: &[Mood]) {
        *self.moods.lock().unwrap() = moods.iter().rev().copied().collect();
    }
}

fn unavailable() -> Error {
    let refused = std::io::Error::other("503");
    Error::File(piton_sys::file::Error::new("ask", Path::new("target"), refused))
}

impl Target for Moody {
    fn put<'a>(&'a self, name: &'a str, bytes: &'a [u8]) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let mood = self.mood();
            if mood != Mood::Refuses {
                self.inner.put(name, bytes).await?;
            }
            if mood == Mood::Good { Ok(()) } else { Err(unavailable()) }
        })
    }

    fn get<'a>(&'a self, name: &'a str, bytes_max: u64) -> BoxFuture<'a, Option<Vec<u8>>> {
        Box::pin(async move {
            if self.mood() == Mood::Good { self.inner.get(name, bytes_max).await } else { Err(unavailable()) }
        })
    }

    fn list<'a>(&'a self, prefix: &'a str) -> BoxFuture<'a, Vec<Object>> {
        Box::pin(async move {
            if self.mood() == Mood::Good { self.inner.list(prefix).await } else { Err(unavailable()) }
        })
    }

    fn remove<'a>(&'a self, name: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            if self.mood() == Mood::Good { self.inner.remove(name).await } else { Err(unavailable()) }
        })
    }

    fn place(&self) -> String {
        self.inner.place()
    }
}

/// A journal, a place for a replica, and what its writer keeps in mind.
struct World {
    dir: tempfile::TempDir,
    store: std::sync::Arc<dyn Store>,
    journal: JournalId,
    target: Moody,
    writer: Mutex<Option<Writer>>,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let here = Url::of_repository(&dir.path().join("here"));
        let opened = piton_store::open(&here, JournalId::random()).unwrap();
        let target = Moody::new(&dir.path().join("kept"));
        let (store, journal) = (opened.store, opened.identity.id);
        Self { store, journal, target, writer: Mutex::new(None), dir }
    }

    fn append(&self, run: &RunId, expect: Expect, event: &Event, state: Option<&State>) {
        let append = Append {
            run: run.clone(),
            fence: Fence::Request(SystemIds.bytes()),
            expect,
            at: NOW,
            events: vec![event.encode()],
            entry: state.map(Machine::entry),
            checkpoint: None,
            salt: SystemIds.bytes(),
        };
        block_on(self.store.append(append)).unwrap();
    }

    fn begin(&self, name: &str) -> RunId {
        let run: RunId = name.parse().unwrap();
        let (check, command) = ("test".to_owned(), "true".to_owned());
        let check =
            Check { name: check, command: command.clone(), timeout_ms: 1_000, cheap: false, reads: None };
        let agent = AgentConfig { name: "a".to_owned(), command: vec![command], ..AgentConfig::default() };
        let event = create(run.clone(), "A loop", LoopConfig::new("task", agent, vec![check])).unwrap();
        let state = State::apply(None, &event, NOW).unwrap();
        self.append(&run, Expect::Seq(0), &event, Some(&state));
        run
    }

    fn note(&self, run: &RunId, text: &str) {
        let event = Event::NoteAdded { text: text.to_owned(), set: Default::default() };
        self.append(run, Expect::Any, &event, None);
    }

    fn remove(&self, run: &RunId) {
        let process = piton_sys::process::current();
        let holder = piton_store::Holder { host: "host".to_owned(), process, since: NOW };
        let lease = block_on(self.store.claim(run, holder, piton_store::Claim::IfFree)).unwrap();
        block_on(self.store.remove(lease)).unwrap();
    }

    fn source<'a>(&'a self, scratch: &'a Path, segment_bytes: usize) -> Source<'a> {
        Source {
            store: &*self.store,
            journal: self.journal,
            workspace: None,
            scratch,
            clock: &SystemClock,
            compress: false,
            segment_bytes,
            version: "test",
        }
    }

    fn open<'a>(&'a self, scratch: &'a Path, segment_bytes: usize) -> Result<(Replicator<'a>, Begun), Error> {
        let known = self.writer.lock().unwrap().clone();
        let remember = |writer: &Writer| {
            *self.writer.lock().unwrap() = Some(writer.clone());
            Ok(())
        };
        block_on(Replicator::open(self.source(scratch, segment_bytes), &self.target, known, &remember))
    }

    fn scratch(&self) -> PathBuf {
        let path = self.dir.path().join(SystemIds.hex(8));
        std::fs::create_dir(&path).unwrap();
        path
    }

    fn generations(&self) -> Vec<String> {
        let listed = block_on(replica::list(&self.target, None)).unwrap();
        listed.into_iter().map(|listed| listed.generation).collect()
    }

    /// What the replica comes to in a journal of its own.
    fn restored(&self, generation: &str, run: &RunId) -> Vec<StoredEvent> {
        let found = block_on(replica::find(&self.target, &self.journal.to_string(), generation)).unwrap();
        assert_eq!(found.broken, None);
        let spool = block_on(Spool::fetch_replica(&self.target, &found, &self.scratch().join("f"))).unwrap();
        let opened = piton_store::open(&Url::of_repository(&self.scratch()), JournalId::random()).unwrap();
        block_on(piton_vault::restore(&spool, &*opened.store, run, Until::End, 1)).unwrap();
        assert_eq!(block_on(opened.store.verify(Some(run))).unwrap(), []);
        block_on(opened.store.read(run, 1, usize::MAX)).unwrap()
    }

    fn events(&self, run: &RunId) -> Vec<StoredEvent> {
        block_on(self.store.read(run, 1, usize::MAX)).unwrap()
    }

    fn prove(&self, generation: &str) -> Result<replica::Proven, Error> {
        let scratch = self.scratch();
        let journal = self.journal.to_string();
        block_on(replica::prove(&self.target, &journal, generation, &scratch, "sha1", &SystemClock))
    }

    fn tidy(&self, generation: &str, now: Timestamp) -> replica::Tidied {
        block_on(replica::tidy(&self.target, &self.journal.to_string(), generation, false, now)).unwrap()
    }
}

#[test]
fn what_is_new_arrives_and_nothing_is_asked_where_nothing_is() {
    let world = World::new();
    let run = world.begin("r");
    let scratch = world.scratch();
    let (mut replicator, begun) = world.open(&scratch, 1 << 20).unwrap();
    assert_eq!(begun, Begun::First);
    block_on(replicator.ship()).unwrap();
    let generation = replicator.generation().to_owned();
    assert_eq!(world.restored(&generation, &run), world.events(&run));
    world.note(&run, "later");
    world.target.asked();
    let shipped = block_on(replicator.ship()).unwrap();
    assert_eq!((shipped.objects, shipped.events, world.target.asked()), (1, 1, 2), "put, and read back");
    assert_eq!(world.restored(&generation, &run), world.events(&run));
    world.target.asked();
    assert_eq!(block_on(replicator.ship()).unwrap().objects, 0);
    assert_eq!(world.target.asked(), 0);
    let proven = world.prove(&generation).unwrap();
    assert_eq!((proven.number, proven.runs, proven.events), (2, 1, world.events(&run).len() as u64));
    assert_eq!(
        block_on(replica::proofs(&world.target, &world.journal.to_string(), &generation)).unwrap(),
        Some(proven)
    );
    // The next process goes on.
    let (mut next, begun) = world.open(&scratch, 1 << 20).unwrap();
    assert_eq!((begun, next.generation()), (Begun::GoesOn, &*generation));
    world.note(&run, "later still");
    assert_eq!(block_on(next.ship()).unwrap().objects, 1);
    assert_eq!(world.restored(&generation, &run), world.events(&run));
    assert_eq!(world.generations(), [generation]);
}

#[test]
fn many_small_objects_become_few_and_what_they_were_made_from_stays_for_two_bases_and_an_hour() {
    let world = World::new();
    let run = world.begin("r");
    let scratch = world.scratch();
    let (mut replicator, _) = world.open(&scratch, 1 << 20).unwrap();
    let generation = replicator.generation().to_owned();
    let log = |world: &World| {
        let prefix = format!("{}/replicas/{generation}/log/", world.journal);
        block_on(world.target.list(&prefix)).unwrap().len()
    };
    let (mut bases, later) = (0, Timestamp::from_millis(SystemClock.now().as_millis() + 2 * KEPT_MS));
    for round in 0..5 {
        for n in 0..10 {
            world.note(&run, &format!("note {round} {n}"));
            block_on(replicator.ship()).unwrap();
        }
        assert_eq!(replicator.loose().0, 10);
        let tidied = world.tidy(&generation, if round == 4 { later } else { SystemClock.now() });
        assert!(tidied.objects <= 3, "{tidied:?}");
        replicator.tidied(tidied.log.0, tidied.log.1);
        bases += 1;
        assert_eq!(world.restored(&generation, &run), world.events(&run));
        assert_eq!(tidied.removed > 0, round == 4, "{tidied:?}");
    }
    assert_eq!((bases, log(&world)), (5, 20), "those of the two newest bases are still there");
    world.note(&run, "after that");
    block_on(replicator.ship()).unwrap();
    assert_eq!(world.restored(&generation, &run), world.events(&run));
    world.prove(&generation).unwrap();
    let (_, begun) = world.open(&scratch, 1 << 20).unwrap();
    assert_eq!(begun, Begun::GoesOn);
}

/// A proof is all that asks the target while nothing happens: one an hour.
#[test]
fn an_idle_hour_asks_no_more_than_once_a_minute() {
    let world = World::new();
    let run = world.begin("r");
    let scratch = world.scratch();
    let (mut replicator, _) = world.open(&scratch, 1 << 20).unwrap();
    let generation = replicator.generation().to_owned();
    for n in 0..400 {
        world.note(&run, &format!("note {n} {}", "words ".repeat(n % 7 * 20)));
        block_on(replicator.ship()).unwrap();
        if replicator.loose().0 >= 32 {
            let tidied = world.tidy(&generation, SystemClock.now());
            replicator.tidied(tidied.log.0, tidied.log.1);
        }
    }
    if replicator.loose().0 >= 8 {
        world.tidy(&generation, SystemClock.now());
    }
    world.target.asked();
    for _ in 0..1000 {
        block_on(replicator.ship()).unwrap();
    }
    assert_eq!(world.target.asked(), 0);
    world.prove(&generation).unwrap();
    let asked = world.target.asked();
    assert!(asked <= 30, "a proof asks {asked} times");
}

#[test]
fn a_run_that_was_removed_and_one_of_its_name_are_told_apart() {
    let world = World::new();
    let (run, other) = (world.begin("r"), world.begin("other"));
    (0..5).for_each(|n| world.note(&run, &format!("old {n}")));
    let scratch = world.scratch();
    let (mut replicator, _) = world.open(&scratch, 1 << 20).unwrap();
    block_on(replicator.ship()).unwrap();
    let generation = replicator.generation().to_owned();
    [&run, &other].into_iter().for_each(|run| world.remove(run));
    world.begin("r");
    block_on(replicator.ship()).unwrap();
    let found = block_on(replica::find(&world.target, &world.journal.to_string(), &generation)).unwrap();
    assert_eq!(found.mark().runs.len(), 1);
    assert_eq!(world.restored(&generation, &run), world.events(&run));
    world.tidy(&generation, SystemClock.now());
    assert_eq!(world.restored(&generation, &run), world.events(&run));
    world.prove(&generation).unwrap();
}

/// A journal that was put back, or copied, has its own history from there on: it is never put on top of another.
#[test]
fn a_history_that_is_another_one_is_never_merged() {
    let world = World::new();
    let run = world.begin("r");
    let scratch = world.scratch();
    let copy = |to: &Path| {
        block_on(world.store.settle(&run)).unwrap();
        let opened = piton_store::open(&Url::of_repository(to), world.journal).unwrap();
        let frames = block_on(world.store.ship(&run, piton_store::Head::start(&run), usize::MAX)).unwrap();
        let entry = block_on(world.store.row(&run)).unwrap().entry;
        let frames = Box::new(frames.into_iter().map(Ok));
        let history = piton_store::History { entry, epoch: 1, frames, checkpoints: Vec::new() };
        block_on(opened.store.take_in(history)).unwrap();
        opened.store
    };
    let other = copy(&world.dir.path().join("copy"));
    let (mut replicator, _) = world.open(&scratch, 1 << 20).unwrap();
    world.note(&run, "here");
    block_on(replicator.ship()).unwrap();
    let (first, writer) = (replicator.generation().to_owned(), world.writer.lock().unwrap().clone());
    // The copy knows of the generation, and not of what was written since.
    let twin = World {
        dir: tempfile::tempdir().unwrap(),
        store: other,
        journal: world.journal,
        target: Moody::new(&world.dir.path().join("kept")),
        writer: Mutex::new(writer),
    };
    twin.note(&run, "there");
    let scratch_there = twin.scratch();
    let (mut there, begun) = twin.open(&scratch_there, 1 << 20).unwrap();
    assert_eq!(begun, Begun::GoesOn, "nothing is known yet that would speak against it");
    assert!(matches!(block_on(there.ship()), Err(Error::Diverged { .. })));
    let remember = |writer: &Writer| {
        *twin.writer.lock().unwrap() = Some(writer.clone());
        Ok(())
    };
    there.begin_anew(&remember).unwrap();
    block_on(there.ship()).unwrap();
    let second = there.generation().to_owned();
    assert_eq!(twin.restored(&second, &run), twin.events(&run));
    assert_eq!(world.restored(&first, &run), world.events(&run));
    assert_eq!(world.generations(), [first.clone(), second.clone()]);
    // Two that write to one generation at the same time: the second finds out by the number that is taken.
    *twin.writer.lock().unwrap() = world.writer.lock().unwrap().clone();
    let (mut thief, _) = twin.open(&scratch_there, 1 << 20).unwrap();
    world.note(&run, "again");
    block_on(replicator.ship()).unwrap();
    assert!(block_on(thief.ship()).is_err());
    assert!(matches!(block_on(thief.ship()), Err(Error::Diverged { .. })));
    assert_eq!(world.restored(&first, &run), world.events(&run));
    // Whoever finds that somebody else has written since begins anew at once.
    let (mut next, begun) = world.open(&scratch, 1 << 20).unwrap();
    assert_eq!(begun, Begun::GoesOn);
    world.note(&run, "by another process");
    block_on(next.ship()).unwrap();
    let (_, begun) = twin.open(&scratch_there, 1 << 20).unwrap();
    assert!(matches!(begun, Begun::Beside(_)), "{begun:?}");
}

#[test]
fn every_changed_byte_of_a_replica_is_found() {
    let world = World::new();
    let run = world.begin("r");
    let scratch = world.scratch();
    let (mut replicator, _) = world.open(&scratch, 1 << 20).unwrap();
    let generation = replicator.generation().to_owned();
    for n in 0..4 {
        world.note(&run, &format!("note {n}"));
        block_on(replicator.ship()).unwrap();
        if n == 1 {
            world.tidy(&generation, SystemClock.now());
        }
    }
    let journal = world.journal.to_string();
    let whole = world.events(&run);
    let state = || -> Result<(Option<String>, Vec<StoredEvent>), Error> {
        let found = block_on(replica::find(&world.target, &journal, &generation))?;
        let at = world.scratch();
        let spool = block_on(Spool::fetch_replica(&world.target, &found, &at.join("f")))?;
        let opened = piton_store::open(&Url::of_repository(&at), JournalId::random()).unwrap();
        block_on(piton_vault::restore(&spool, &*opened.store, &run, Until::End, 1))?;
        let events = block_on(opened.store.read(&run, 1, usize::MAX)).unwrap();
        std::fs::remove_dir_all(at).unwrap();
        Ok((found.broken, events))
    };
    assert_eq!(state().unwrap(), (None, whole.clone()));
    let mut found = 0;
    for file in files_below(&world.dir.path().join("kept")) {
        let bytes = std::fs::read(&file).unwrap();
        for place in (0..bytes.len()).step_by(11) {
            let mut changed = bytes.clone();
            changed[place] ^= 1 << (place % 8);
            put(&file, &changed);
            // Damage is an error, or ends what is restored before it; or an older base leads to the same.
            match state() {
                Err(_) => found += 1,
                Ok((Some(_), events)) => {
                    found += 1;
                    assert_eq!(events, whole[..events.len()], "a prefix, never anything else");
                }
                Ok((None, events)) => assert_eq!(events, whole, "byte {place} of {}", file.display()),
            }
            put(&file, &bytes);
        }
    }
    assert!(found > 50, "{found}");
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files
}

#[expect(clippy::disallowed_methods, reason = "a test damages its files directly")]
fn put(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
}

/// What may happen to a replica.
#[derive(Clone, Debug)]
enum Step {
    Note(u8),
    Begin(u8),
    Remove(u8),
    Ship(Vec<Mood>),
    /// The process dies, and another goes on.
    Die,
    Tidy,
}

fn step() -> impl Strategy<Value = Step> {
    let mood = prop_oneof![4 => Just(Mood::Good), 1 => Just(Mood::Refuses), 1 => Just(Mood::Mute)];
    prop_oneof![
        4 => (0..3_u8).prop_map(Step::Note),
        1 => (0..3_u8).prop_map(Step::Begin),
        1 => (0..3_u8).prop_map(Step::Remove),
        6 => prop::collection::vec(mood, 0..6).prop_map(Step::Ship),
        2 => Just(Step::Die),
        1 => Just(Step::Tidy),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Whatever fails and whoever dies: once something was shipped without an error, all of it is there; and it is never more
    /// than one generation.
    #[test]
    fn what_was_shipped_is_there_whatever_failed_before(steps in prop::collection::vec(step(), 1..30)) {
        let world = World::new();
        let scratch = world.scratch();
        let mut there: Vec<RunId> = Vec::new();
        let mut replicator = world.open(&scratch, 2048).unwrap().0;
        for step in steps.into_iter().chain([Step::Die, Step::Ship(Vec::new())]) {
            match step {
                Step::Note(n) => {
                    if let Some(run) = there.get(n as usize) {
                        world.note(run, &"words ".repeat(n as usize * 50));
                    }
                }
                Step::Begin(n) => {
                    if !there.iter().any(|run| run.as_str() == format!("r{n}")) {
                        there.push(world.begin(&format!("r{n}")));
                    }
                }
                Step::Remove(n) => {
                    if (n as usize) < there.len() {
                        world.remove(&there.remove(n as usize));
                    }
                }
                Step::Die => {
                    drop(replicator);
                    world.target.will(&[]);
                    let (next, begun) = world.open(&scratch, 2048).unwrap();
                    prop_assert_eq!(begun, Begun::GoesOn);
                    replicator = next;
                }
                Step::Tidy => {
                    world.target.will(&[]);
                    if replicator.mark().number > 0 {
                        world.tidy(replicator.generation(), SystemClock.now());
                    }
                }
                Step::Ship(moods) => {
                    world.target.will(&moods);
                    let shipped = block_on(replicator.ship());
                    world.target.will(&[]);
                    if shipped.is_ok() {
                        for run in &there {
                            prop_assert_eq!(world.restored(replicator.generation(), run), world.events(run));
                        }
                        prop_assert_eq!(replicator.mark().runs.len(), there.len());
                    }
                }
            }
        }
        prop_assert_eq!(world.generations().len(), 1);
    }
}
