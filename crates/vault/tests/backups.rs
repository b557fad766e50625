//! A backup as a whole, without the binary: many segments, generations, and every byte of what lies at the target.
#![expect(clippy::unwrap_used, reason = "a test says what it saw, and fails where it cannot go on")]

use std::path::{Path, PathBuf};

use piton_model::loop_machine::{AgentConfig, Check, LoopConfig, create};
use piton_model::{Event, Machine, RunEvent, RunId, State, Timestamp};
use piton_store::conformance::block_on;
use piton_store::{Append, Expect, Fence, JournalId, Store, StoredEvent, Url, Wanted};
use piton_sys::{Ids, SystemClock, SystemIds};
use piton_vault::create::Source;
use piton_vault::target::Directory;
use piton_vault::{Created, Error, Spool, Until, list, newest, verify};

const NOW: Timestamp = Timestamp::from_millis(1_771_157_000_000);

/// A journal, and a place for backups.
struct World {
    dir: tempfile::TempDir,
    store: std::sync::Arc<dyn Store>,
    journal: JournalId,
    target: Directory,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let here = Url::of_repository(&dir.path().join("here"));
        let opened = piton_store::open(&here, JournalId::random()).unwrap();
        let target = Directory::new(&dir.path().join("kept"));
        Self { store: opened.store, journal: opened.identity.id, target, dir }
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

    fn back_up(&self, segment_bytes: usize) -> Created {
        let scratch = self.scratch();
        std::fs::create_dir(&scratch).unwrap();
        let source = Source {
            store: &*self.store,
            journal: self.journal,
            workspace: None,
            scratch: &scratch,
            clock: &SystemClock,
            compress: false,
            segment_bytes,
            version: "test",
        };
        block_on(piton_vault::create(&source, &self.target)).unwrap()
    }

    fn events(&self, run: &RunId) -> Vec<StoredEvent> {
        block_on(self.store.read(run, 1, usize::MAX)).unwrap()
    }

    fn scratch(&self) -> PathBuf {
        self.dir.path().join(SystemIds.hex(8))
    }

    /// What the newest backup comes to in a journal of its own.
    fn restored(&self, run: &RunId) -> Vec<StoredEvent> {
        let manifest = block_on(newest(&self.target, self.journal)).unwrap().unwrap();
        let spool = block_on(Spool::fetch(&self.target, manifest, &self.scratch())).unwrap();
        let opened = piton_store::open(&Url::of_repository(&self.scratch()), JournalId::random()).unwrap();
        block_on(piton_vault::restore(&spool, &*opened.store, run, Until::End, 1)).unwrap();
        assert_eq!(block_on(opened.store.verify(Some(run))).unwrap(), []);
        assert_eq!(block_on(opened.store.rows(Wanted::ALL)).unwrap().rows.len(), 1);
        block_on(opened.store.read(run, 1, usize::MAX)).unwrap()
    }
}

#[test]
fn a_backup_of_many_segments_restores_and_the_next_makes_few_of_them() {
    let world = World::new();
    let run = world.begin("r");
    (0..90).for_each(|n| world.note(&run, &format!("note {n} {}", "words ".repeat(n))));
    let first = world.back_up(256);
    assert!(first.manifest.segments.len() > 64, "{}", first.manifest.segments.len());
    assert_eq!(world.restored(&run), world.events(&run));
    world.note(&run, "later");
    let second = world.back_up(1 << 20);
    assert_eq!((second.on.as_ref(), second.manifest.segments.len()), (Some(&first.manifest.name), 1));
    assert_eq!(world.restored(&run), world.events(&run));
    world.note(&run, "later still");
    let third = world.back_up(1 << 20);
    assert_eq!((third.on, third.manifest.segments.len()), (Some(second.manifest.name), 2));
    assert_eq!(world.restored(&run), world.events(&run));
}

/// However many were made before: what is large is not put there again.
#[test]
fn each_of_many_backups_puts_little_more_than_what_is_new() {
    let world = World::new();
    let run = world.begin("r");
    // Nothing that gets smaller where it is packed.
    let words = || (0..30).map(|_| SystemIds.hex(32)).collect::<String>();
    (0..400).for_each(|_| world.note(&run, &words()));
    let whole = world.back_up(64 << 10).bytes_put;
    assert!(whole > 300 << 10, "{whole}");
    let mut most = 0;
    for n in 0..140 {
        world.note(&run, &format!("later {n}"));
        let made = world.back_up(64 << 10);
        assert!(
            made.on.is_some() && made.manifest.segments.len() < 80,
            "{n}: {}",
            made.manifest.segments.len()
        );
        most = most.max(made.bytes_put);
    }
    assert!(most < whole / 4, "{most} of {whole}");
    assert_eq!(world.restored(&run), world.events(&run));
}

#[test]
fn a_backup_begins_anew_where_most_of_it_was_removed() {
    let world = World::new();
    let (run, other) = (world.begin("r"), world.begin("other"));
    (0..20).for_each(|n| world.note(&other, &format!("note {n}")));
    world.back_up(1 << 20);
    let process = piton_sys::process::current();
    let holder = piton_store::Holder { host: "host".to_owned(), process, since: NOW };
    let lease = block_on(world.store.claim(&other, holder, piton_store::Claim::IfFree)).unwrap();
    block_on(world.store.remove(lease)).unwrap();
    assert!(world.back_up(1 << 20).on.is_some());
    let anew = world.back_up(1 << 20);
    assert_eq!((anew.on, anew.manifest.segments.len()), (None, 1));
    assert_eq!(world.restored(&run), world.events(&run));
}

#[test]
fn a_run_that_was_removed_and_one_of_its_name_are_told_apart() {
    let world = World::new();
    let (run, other) = (world.begin("r"), world.begin("other"));
    (0..5).for_each(|n| world.note(&run, &format!("old {n}")));
    world.back_up(1 << 20);
    let process = piton_sys::process::current();
    let holder = piton_store::Holder { host: "host".to_owned(), process, since: NOW };
    for run in [&run, &other] {
        let lease = block_on(world.store.claim(run, holder.clone(), piton_store::Claim::IfFree)).unwrap();
        block_on(world.store.remove(lease)).unwrap();
    }
    world.begin("r");
    world.note(&run, "new");
    let made = world.back_up(1 << 20);
    assert!(made.on.is_some() && made.manifest.run(&other).is_none());
    assert_eq!(world.restored(&run), world.events(&run));
}

/// Reads a backup back after each change of each of its files.
#[test]
fn every_changed_byte_and_every_cut_of_what_lies_at_the_target_is_found() {
    let world = World::new();
    let run = world.begin("r");
    (0..3).for_each(|n| world.note(&run, &format!("note {n}")));
    world.back_up(1 << 20);
    let sound = || -> Result<(), Error> {
        let listed = block_on(list(&world.target, Some(world.journal)))?.remove(0);
        block_on(Spool::fetch(&world.target, listed.manifest?, &world.scratch())).map(drop)
    };
    sound().unwrap();
    let manifest = block_on(newest(&world.target, world.journal)).unwrap().unwrap();
    block_on(verify(&world.target, manifest, &world.scratch())).unwrap();
    let files = files_below(&world.dir.path().join("kept"));
    assert_eq!(files.len(), 2, "{files:?}");
    let mut changes = 0;
    for file in files {
        let whole = std::fs::read(&file).unwrap();
        for place in (0..whole.len()).step_by(3) {
            let mut changed = whole.clone();
            changed[place] ^= 1 << (place % 8);
            put(&file, &changed);
            assert!(sound().is_err(), "byte {place} of {}", file.display());
            put(&file, &whole[..place]);
            assert!(sound().is_err(), "{} cut to {place}", file.display());
            changes += 2;
        }
        put(&file, &whole);
    }
    sound().unwrap();
    assert!(changes > 1000, "{changes}");
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
