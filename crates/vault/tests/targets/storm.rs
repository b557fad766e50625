//! Backups while a bucket fails in every way it can: what is listed restores, always.

use std::path::PathBuf;
use std::sync::Arc;

use piton_model::loop_machine::{AgentConfig, Check, LoopConfig, create};
use piton_model::{Event, Machine, RunEvent, RunId, State, Timestamp};
use piton_store::{Append, Claim, Expect, Fence, Holder, JournalId, Store, Url, chain};
use piton_sys::{Clock, Ids, SystemClock, SystemIds};
use piton_vault::create::Source;
use piton_vault::list::Keep;
use piton_vault::{Created, Error, Manifest, Pruned, Target, list, prune, verify};

/// A journal with runs in it.
pub(crate) struct Journal {
    dir: tempfile::TempDir,
    store: Arc<dyn Store>,
    pub(crate) id: JournalId,
    runs: Vec<RunId>,
    begun: usize,
}

impl Journal {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let here = Url::of_repository(&dir.path().join("here"));
        let opened = piton_store::open(&here, JournalId::random()).unwrap();
        Self { store: opened.store, id: opened.identity.id, dir, runs: Vec::new(), begun: 0 }
    }

    async fn append(&self, run: &RunId, expect: Expect, event: &Event, state: Option<&State>) {
        let append = Append {
            run: run.clone(),
            fence: Fence::Request(SystemIds.bytes()),
            expect,
            at: SystemClock.now(),
            events: vec![event.encode()],
            entry: state.map(Machine::entry),
            checkpoint: None,
            salt: SystemIds.bytes(),
        };
        self.store.append(append).await.unwrap();
    }

    async fn begin(&mut self) {
        let run: RunId = format!("run-{}", self.begun).parse().unwrap();
        self.begun += 1;
        let check = Check {
            name: "test".to_owned(),
            command: "true".to_owned(),
            timeout_ms: 1_000,
            cheap: false,
            reads: None,
        };
        let agent =
            AgentConfig { name: "a".to_owned(), command: vec!["true".to_owned()], ..AgentConfig::default() };
        let event = create(run.clone(), "A loop", LoopConfig::new("task", agent, vec![check])).unwrap();
        let state = State::apply(None, &event, SystemClock.now()).unwrap();
        self.append(&run, Expect::Seq(0), &event, Some(&state)).await;
        self.runs.push(run);
    }

    async fn note(&self, run: &RunId, text: &str) {
        let event = Event::NoteAdded { text: text.to_owned(), set: Default::default() };
        self.append(run, Expect::Any, &event, None).await;
    }

    /// Something happens in it.
    pub(crate) async fn go_on(&mut self, number: u64) {
        if self.runs.len() < 2 || number.is_multiple_of(17) {
            self.begin().await;
        }
        if number.is_multiple_of(23) && self.runs.len() > 3 {
            let run = self.runs.remove(number as usize % self.runs.len());
            let process = piton_sys::process::current();
            let holder = Holder { host: "host".to_owned(), process, since: SystemClock.now() };
            let lease = self.store.claim(&run, holder, Claim::IfFree).await.unwrap();
            self.store.remove(lease).await.unwrap();
        }
        let run = &self.runs[number as usize % self.runs.len()];
        self.note(run, &format!("note {number} {}", "words ".repeat(number as usize % 50))).await;
    }

    fn scratch(&self) -> PathBuf {
        let scratch = self.dir.path().join(SystemIds.hex(8));
        piton_sys::file::create_private_dir(&scratch).unwrap();
        scratch
    }

    pub(crate) async fn back_up(&self, target: &dyn Target) -> Result<Created, Error> {
        let scratch = self.scratch();
        let source = Source {
            store: &*self.store,
            journal: self.id,
            workspace: None,
            scratch: &scratch,
            clock: &SystemClock,
            compress: true,
            segment_bytes: 4 << 10,
            version: "test",
        };
        let created = piton_vault::create(&source, target).await;
        std::fs::remove_dir_all(&scratch).unwrap();
        created
    }

    /// Restores a backup, and compares its runs with this journal, as far as they are still in it.
    pub(crate) async fn compare(&self, target: &dyn Target, manifest: Manifest) -> Result<(), String> {
        let scratch = self.scratch();
        let name = manifest.name.clone();
        let runs = manifest.runs.clone();
        let verified = verify(target, manifest, &scratch).await;
        std::fs::remove_dir_all(&scratch).unwrap();
        verified.map_err(|error| format!("{name}: {error}"))?;
        for held in runs.iter().filter(|held| self.runs.contains(&held.run_id)) {
            let event = self.store.read(&held.run_id, held.seq, 1).await.unwrap().remove(0);
            // The chain covers all that was before.
            if chain::hex(&event.hash) != held.hash {
                return Err(format!("{name}: {} is not a prefix of the run", held.run_id));
            }
        }
        Ok(())
    }

    /// Every backup that is listed; the names of those that do not restore.
    pub(crate) async fn all_restore(&self, target: &dyn Target, but: &mut Vec<String>) -> Vec<String> {
        let mut bad = Vec::new();
        for listed in list(target, Some(self.id)).await.unwrap() {
            let checked = match listed.manifest {
                Ok(manifest) => self.compare(target, manifest).await,
                Err(error) => Err(error.to_string()),
            };
            bad.extend(checked.err());
            but.push(listed.name);
        }
        bad
    }
}

/// So old that it goes: longer than any list here is late, and than any backup here takes.
const GRACE_MS: i64 = 1_500;

pub(crate) async fn pruned(journal: &Journal, target: &dyn Target, count: usize) -> Result<Pruned, Error> {
    let before = |ms| Timestamp::from_millis(SystemClock.now().as_millis() - ms);
    // A dead one is believed for as long as a backup can take here.
    let keep = Keep {
        count,
        proven: None,
        since: None,
        untouched_since: before(GRACE_MS),
        pending_since: before(GRACE_MS),
    };
    prune(target, journal.id, keep).await
}

mod in_memory {
    use std::time::Duration;

    use super::*;
    use crate::faulty::{FAULTS, Faulty, Plan};
    use crate::rules::run;

    /// At length with PITON_TARGET_OPERATIONS.
    fn operations() -> u64 {
        std::env::var("PITON_TARGET_OPERATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(1_500)
    }

    #[test]
    fn never_is_a_backup_listed_that_does_not_restore() {
        let seed = 11;
        let lag = Duration::from_millis(150);
        let store = Faulty::new(Plan { seed, per_mille: 150, lag, ..Plan::default() });
        let (mut made, mut failed, mut removed) = (0, 0, 0);
        run(async {
            let mut journal = Journal::new();
            // Two machines with one journal, and somebody who looks.
            let (here, there, sound) = (store.bucket(), store.bucket(), store.sound().bucket());
            let mut number = 0;
            // What only a write can meet is rare: it goes on until everything happened.
            while store.asked() < operations()
                || (store.happened().len() < FAULTS.len() && store.asked() < 10 * operations())
            {
                for _ in 0..3 {
                    journal.go_on(number).await;
                    number += 1;
                }
                let (first, second, pruning) = futures_util::future::join3(
                    journal.back_up(&here),
                    async {
                        match number % 2 {
                            0 => Some(journal.back_up(&there).await),
                            _ => None,
                        }
                    },
                    pruned(&journal, &there, 2),
                )
                .await;
                for created in [Some(first), second].into_iter().flatten() {
                    match created {
                        Ok(_) => made += 1,
                        // It says so, and lists nothing.
                        Err(Error::Target(_)) => failed += 1,
                        Err(error) => panic!("seed {seed}, backup {made}: {error}"),
                    }
                }
                removed += pruning.map_or(0, |pruned| pruned.objects);
                let bad = journal.all_restore(&sound, &mut Vec::new()).await;
                assert!(bad.is_empty(), "seed {seed}, after {made} backups: {bad:?}");
            }
        });
        println!(
            "{} operations, {made} backups, {failed} failed, {removed} removed, {:?}",
            store.asked(),
            store.happened()
        );
        assert!(made > 30 && made > failed, "{made} made, {failed} failed");
        assert_eq!(store.happened().len(), FAULTS.len(), "{:?}", store.happened());
    }

    /// A list that is late by one backup, when the one that it stands on goes.
    #[test]
    fn what_a_backup_needs_that_is_not_listed_yet_stays() {
        let store = Faulty::new(Plan::default());
        run(async {
            let mut journal = Journal::new();
            let target = store.bucket();
            journal.go_on(1).await;
            let first = journal.back_up(&target).await.unwrap().manifest;
            // Made by somebody who was not shown the first: it stands alone.
            store.veil(Some(&first.name));
            journal.go_on(2).await;
            let alone = journal.back_up(&target).await.unwrap();
            assert_eq!(alone.on, None);
            // And one that stands on the first.
            store.veil(Some(&alone.manifest.name));
            journal.go_on(3).await;
            let on_first = journal.back_up(&target).await.unwrap();
            assert_eq!(on_first.on, Some(first.name.clone()));
            // It is listed late: whoever prunes sees the first and the one that stands alone.
            store.veil(Some(&on_first.manifest.name));
            let everything_goes = |count| Keep {
                count,
                proven: None,
                since: None,
                untouched_since: Timestamp::from_millis(i64::MAX),
                pending_since: Timestamp::from_millis(i64::MAX),
            };
            for _ in 0..2 {
                prune(&target, journal.id, everything_goes(1)).await.unwrap();
                store.veil(None);
            }
            let mut names = Vec::new();
            assert_eq!(journal.all_restore(&target, &mut names).await, Vec::<String>::new());
            assert_eq!(names, [on_first.manifest.name], "the others are gone");
            // What nobody needs goes in the end.
            journal.go_on(4).await;
            let mut removed = 0;
            for _ in 0..3 {
                removed += prune(&target, journal.id, everything_goes(1)).await.unwrap().objects;
            }
            assert!(removed > 0);
            assert_eq!(journal.all_restore(&target, &mut Vec::new()).await, Vec::<String>::new());
        });
    }
}
