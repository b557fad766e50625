//! `piton gc`: what nothing needs any more is removed, and what is long over is archived where a policy says so.
//!
//! What is needed follows from the journal: a run that is there needs its attempts, its snapshots and its files, and so does one
//! that is damaged. Whatever was changed a moment ago stays, as somebody may be about to name it.
//!
//! - [`archive`]: runs that are over. [`leftovers`]: what runs left that are gone, and what a process left that died. [`trees`]:
//!   work trees and branches of runs, where their work was landed or is not wanted.
//!
//! Killed at any point, the next one goes on: each thing is removed by itself, the reason for it last.

mod archive;
mod leftovers;
mod trees;

pub(super) use leftovers::bytes_of;

use std::collections::BTreeSet;
use std::path::Path;

use piton_model::{Entry, RunId, Timestamp};
use piton_store::{Store, Sweep, Wanted};
use piton_sys::lock::FileLock;
use piton_sys::{Clock, SystemClock, file};
use piton_view::{ArchivedView, CollectView, CollectedView, Error, ErrorKind, GcOrder, StateOf};

use super::{ClientError, LocalClient, repair};
use crate::configuration::{self, Retention};
use crate::layout::Layout;

/// What is free in the file of a journal before it is worth writing it anew, and what part of it that must be.
const COMPACT_FROM_BYTES: u64 = 4 << 20;
const COMPACT_FROM_SHARE: u64 = 4;

/// Collects what nothing needs.
pub(super) async fn collect(client: &LocalClient, order: GcOrder) -> Result<CollectView, Error> {
    let layout = client.layout();
    let state = repair::state_of(layout);
    let Some(store) = client.existing_store()? else { return Err(ClientError::NoRuns.into()) };
    let lock = FileLock::try_exclusive(&state.join("gc.lock")).map_err(|error| Error::environment(&error))?;
    let Some(_alone) = lock else {
        return Err(
            Error::new(ErrorKind::Held, "another `piton gc` is at work here").hint("wait until it is done")
        );
    };
    if !repair::unfinished(&state).is_empty() {
        return Err(Error::new(
            ErrorKind::Corrupt,
            "a repair of this journal is not over, and needs what is here",
        )
        .hint("run `piton repair`, then this again"));
    }
    let retention = configuration::retention(layout)?;
    let mut work = Work::begin(client, &**store, layout, &order, retention).await?;
    work.archive_runs().await?;
    work.remove_attempts().await?;
    leftovers::collect(&mut work).await?;
    trees::collect(&mut work).await?;
    work.sweep_blobs(&state).await?;
    work.compact().await?;
    Ok(work.view)
}

/// A collection under way.
struct Work<'a> {
    client: &'a LocalClient,
    store: &'a dyn Store,
    layout: &'a Layout,
    order: &'a GcOrder,
    retention: Retention,
    now: Timestamp,
    /// The runs that are there and sound.
    entries: Vec<Entry>,
    /// The names of all that are there, sound or not, in small letters.
    known: BTreeSet<String>,
    /// The names of those that were removed.
    gone: BTreeSet<String>,
    /// Whether something is wrong: then only what certainly belongs to nobody is removed.
    damaged: bool,
    view: CollectView,
}

impl<'a> Work<'a> {
    async fn begin(
        client: &'a LocalClient,
        store: &'a dyn Store,
        layout: &'a Layout,
        order: &'a GcOrder,
        retention: Retention,
    ) -> Result<Self, Error> {
        let (rows, problems) = match store.rows(Wanted::ALL).await {
            Ok(page) => (page.rows, Vec::new()),
            Err(piton_store::Error::Corrupt(first)) => client.apart(first).await?,
            Err(error) => return Err(ClientError::from(error).into()),
        };
        let gone = store.gone().await.map_err(ClientError::from)?;
        let entries: Vec<Entry> = rows.into_iter().map(|row| row.entry).collect();
        let sound = entries.iter().map(|entry| entry.run_id.key());
        let unsound = problems.iter().filter_map(|problem| problem.run.as_ref()).map(RunId::key);
        let view = CollectView {
            dry_run: order.dry_run,
            damaged: problems.iter().map(ToString::to_string).collect(),
            ..CollectView::default()
        };
        Ok(Self {
            known: sound.chain(unsound).collect(),
            gone: gone.into_iter().map(|gone| gone.key).collect(),
            damaged: !problems.is_empty(),
            now: SystemClock.now(),
            client,
            store,
            layout,
            order,
            retention,
            entries,
            view,
        })
    }

    /// The moment so long ago.
    fn before_now(&self, age_ms: u64) -> Timestamp {
        let age = i64::try_from(age_ms).unwrap_or(i64::MAX);
        Timestamp::from_millis(self.now.as_millis().saturating_sub(age))
    }

    /// Whether somebody may be about to name it.
    fn is_fresh(&self, path: &Path) -> bool {
        file::changed_at(path) >= self.before_now(self.order.grace_ms)
    }

    /// Runs that are over for so long and that nothing under way is known to stand on.
    async fn over_for(&mut self, age_ms: Option<u64>) -> Result<Vec<Entry>, Error> {
        let Some(since) = age_ms.map(|age_ms| self.before_now(age_ms)) else { return Ok(Vec::new()) };
        let old = self.entries.iter().filter(|entry| entry.is_over() && entry.updated_at <= since);
        let old: Vec<Entry> = old.cloned().collect();
        if old.is_empty() {
            return Ok(old);
        }
        let under_way: Vec<RunId> =
            self.entries.iter().filter(|entry| !entry.is_over()).map(|entry| entry.run_id.clone()).collect();
        let mut needed = BTreeSet::new();
        for run in under_way {
            let loaded = LocalClient::unless_damaged(self.client.load_any(&run, None).await)?;
            let Some(loaded) = loaded else { continue };
            // A ledger stands on its file, and on no run.
            if matches!(loaded.state, StateOf::Ledger(_)) {
                continue;
            }
            let text = serde_json::to_string(&loaded.state).expect("a state is plain data");
            needed.extend(
                old.iter()
                    .map(|entry| entry.run_id.as_str())
                    .filter(|id| names(&text, id))
                    .map(str::to_owned),
            );
        }
        let (needed, free): (Vec<Entry>, Vec<Entry>) =
            old.into_iter().partition(|entry| needed.contains(entry.run_id.as_str()));
        for entry in needed {
            let note = format!("{} stays: a run that is not over stands on it", entry.run_id);
            if !self.view.notes.contains(&note) {
                self.view.notes.push(note);
            }
        }
        Ok(free)
    }

    fn collected(&mut self, what: &'static str, name: String, bytes: u64) {
        self.view.bytes += bytes;
        self.view.collected.push(CollectedView { what: what.to_owned(), name, bytes });
    }

    fn archived(&mut self, archived: ArchivedView) {
        self.view.archived.push(archived);
    }

    /// What agents printed in runs that are over for long.
    async fn remove_attempts(&mut self) -> Result<(), Error> {
        for entry in self.over_for(self.retention.attempts_for_ms).await? {
            self.remove_attempts_of(&entry.run_id).await?;
        }
        Ok(())
    }

    /// The attempts of one run that is over. Under its lease, so that nobody begins another meanwhile.
    async fn remove_attempts_of(&mut self, run: &RunId) -> Result<(), Error> {
        let attempts = self.layout.attempts(run);
        let listed: Vec<_> = std::fs::read_dir(&attempts).into_iter().flatten().flatten().collect();
        let directories: Vec<_> = listed.iter().filter(|entry| entry.path().is_dir()).collect();
        if directories.is_empty() {
            return Ok(());
        }
        let lease = match self.order.dry_run {
            true => None,
            false => match self.client.claim(run, piton_store::Claim::IfFree).await {
                Ok(lease) if self.client.entry(run).await?.is_over() => Some(lease),
                Ok(lease) => return Ok(self.client.release(lease).await?),
                Err(ClientError::Store(piton_store::Error::Held { .. })) => return Ok(()),
                Err(error) => return Err(error.into()),
            },
        };
        let mut bytes = 0;
        for entry in directories {
            let name = entry.file_name().to_string_lossy().into_owned();
            let lives = matches!(piton_agent::look(&attempts, &name), Ok(piton_agent::Found::Alive { .. }));
            if lives || self.is_fresh(&entry.path()) {
                continue;
            }
            bytes += leftovers::bytes_of(&entry.path());
            if lease.is_some() {
                file::remove_tree_within(self.layout.root(), &entry.path())
                    .map_err(|error| Error::environment(&error))?;
            }
        }
        if let Some(lease) = lease {
            self.client.release(lease).await?;
        }
        if bytes > 0 {
            self.collected("attempts", run.to_string(), bytes);
        }
        Ok(())
    }

    /// Large payloads that no event names.
    async fn sweep_blobs(&mut self, state: &Path) -> Result<(), Error> {
        if self.damaged {
            self.view.notes.push("large payloads stay: a repair may need them".to_owned());
            return Ok(());
        }
        let aside = repair::quarantines(state);
        let untouched_since = self.before_now(self.order.grace_ms);
        let looked = Sweep { untouched_since, aside, remove: false };
        let mut swept = self.store.sweep(&looked).await.map_err(ClientError::from)?;
        if swept.blobs > 0 && !self.order.dry_run {
            // What a changed bit no longer names would look like what nobody needs.
            if let Some(problem) = self.first_problem().await? {
                self.damaged = true;
                self.view.damaged.push(problem);
                self.view.notes.push("large payloads stay: a repair may need them".to_owned());
                return Ok(());
            }
            swept = self.store.sweep(&Sweep { remove: true, ..looked }).await.map_err(ClientError::from)?;
        }
        if let Some(why) = swept.kept_because {
            self.view.notes.push(format!("large payloads stay: {why}"));
        }
        if swept.blobs > 0 {
            self.collected("payloads", swept.blobs.to_string(), swept.bytes);
        }
        Ok(())
    }

    async fn first_problem(&self) -> Result<Option<String>, Error> {
        let mut found = self.store.verify(None).await.map_err(ClientError::from)?;
        for entry in &self.entries {
            match self.store.verify(Some(&entry.run_id)).await {
                Ok(problems) => found.extend(problems),
                Err(piton_store::Error::UnknownRun { .. }) => {}
                Err(error) => return Err(ClientError::from(error).into()),
            }
        }
        Ok(found.first().map(ToString::to_string))
    }

    /// Gives back what is free in the file, where that is much and nobody is at work.
    async fn compact(&mut self) -> Result<(), Error> {
        let sizes = self.store.sizes().await.map_err(ClientError::from)?;
        let is_much = sizes.free_bytes >= COMPACT_FROM_BYTES
            && sizes.free_bytes >= sizes.file_bytes / COMPACT_FROM_SHARE;
        if !is_much || self.damaged {
            return Ok(());
        }
        for entry in &self.entries {
            if self.client.driver_of(&entry.run_id).await?.is_some() {
                let note = "the journal is not written anew while a run is at work; what is free in it is used again";
                self.view.notes.push(note.to_owned());
                return Ok(());
            }
        }
        if !self.order.dry_run {
            match self.store.compact().await {
                Ok(()) => {}
                Err(piton_store::Error::NoSpace { .. }) => {
                    self.view.notes.push("there is no room to write the journal anew".to_owned());
                    return Ok(());
                }
                Err(error) => return Err(ClientError::from(error).into()),
            }
        }
        self.collected("journal", "free pages".to_owned(), sizes.free_bytes);
        Ok(())
    }
}

/// Whether a text has this name in it, and not only as a part of another.
fn names(text: &str, id: &str) -> bool {
    let is_part =
        |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    text.match_indices(id).any(|(at, _)| {
        let before = at.checked_sub(1).map(|at| text.as_bytes()[at]);
        !is_part(before) && !is_part(text.as_bytes().get(at + id.len()).copied())
    })
}
