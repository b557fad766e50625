//! Where a repair looks for what the journal has lost: the newest backups and replicas at the places of the configuration, and older
//! backups that have what those lack.
//!
//! A place that was not looked at may have everything: it is told which, why, and what helps. What is damaged there is another thing, of
//! which nothing more is to be had.

use std::collections::HashSet;
use std::path::Path;

use piton_store::JournalId;
use piton_vault::manifest::{Manifest, RunHeld};
use piton_vault::replica::{self, ListedReplica};
use piton_vault::{Listed, Spool};

use crate::client::vault::Place;
use crate::configuration;
use crate::layout::Layout;

/// Backups that are looked at: the newest of each of so many journals.
const BACKUPS_MAX: usize = 3;

/// A backup that may have what the journal has lost.
pub(super) struct Fetched {
    pub(super) spool: Spool,
    /// Whether an agent that works in the repository could have written it.
    pub(super) is_inside: bool,
    /// Whether there is a newer one of its journal, which lacks something that this one has.
    pub(super) is_older: bool,
}

/// What was found.
#[derive(Default)]
pub(super) struct Elsewhere {
    pub(super) spools: Vec<Fetched>,
    /// What is damaged there.
    pub(super) notes: Vec<String>,
    /// Places that were not looked at, why, and what helps.
    pub(super) unseen: Vec<String>,
    /// The journals that were here.
    known: Vec<String>,
    /// Runs that were removed here.
    removed: HashSet<String>,
}

/// Looks where the configuration says. What is of one of the journals `known` counts first: many may share a place. Of those, what
/// only an older backup has is looked at, too, but for the runs that were `removed`.
pub(super) async fn look(
    layout: &Layout,
    scratch: &Path,
    known: &[JournalId],
    removed: HashSet<String>,
) -> Elsewhere {
    let known = known.iter().map(ToString::to_string).collect();
    let mut found = Elsewhere { known, removed, ..Elsewhere::default() };
    match configuration::unheard_places(layout) {
        Ok(places) => found.unseen.extend(places.iter().map(|place| {
            format!("`{place}`: piton.toml, which names it, is not trusted; look at it, then run `piton trust` and `piton repair`")
        })),
        Err(error) => found.unseen.push(format!("the places of piton.toml: {}; mend it, then run `piton repair`", error.message)),
    }
    match Place::of(layout, None) {
        Ok(place) => found.backups(&place, scratch).await,
        Err(error) => found.unseen.push(format!("the place of backups: {}", error.message)),
    }
    let Ok(Some(to)) = configuration::replicate(layout) else { return found };
    match Place::of(layout, Some(&to)) {
        Ok(place) => found.replicas(&place, scratch).await,
        Err(error) => found.unseen.push(format!("`{to}`: {}", error.message)),
    }
    found
}

impl Elsewhere {
    /// The newest backup of each journal, and those before it that have what it lacks.
    async fn backups(&mut self, place: &Place, scratch: &Path) {
        let mut listed = match piton_vault::list(&*place.target, None).await {
            Ok(listed) => listed,
            Err(error) => return self.failed(place, "", &error),
        };
        listed.reverse();
        listed.sort_by_key(|listed| !self.known.contains(&listed.journal));
        let mut journals = Vec::new();
        for Listed { name, journal, manifest, .. } in listed {
            let is_older = journals.contains(&journal);
            let has_more = || manifest.as_ref().is_ok_and(|manifest| self.lacks(manifest));
            if if is_older { !has_more() } else { journals.len() >= BACKUPS_MAX } {
                continue;
            }
            let at = scratch.join(&name);
            let spool = match manifest {
                Ok(manifest) => Spool::fetch(&*place.target, manifest, &at).await,
                Err(error) => Err(error),
            };
            match spool {
                Ok(spool) => {
                    journals.push(journal);
                    self.spools.push(Fetched { spool, is_inside: place.is_inside, is_older });
                }
                // The one before it may be sound.
                Err(error) => self.failed(place, &format!("backup {name}"), &error),
            }
        }
    }

    /// Whether a backup of a journal that was here has more of a run than any newer one that was fetched.
    fn lacks(&self, manifest: &Manifest) -> bool {
        let newer = || self.spools.iter().filter(|newer| newer.spool.manifest.journal == manifest.journal);
        let is_new = |held: &RunHeld| {
            let has_it = |newer: &Fetched| {
                newer.spool.manifest.run(&held.run_id).is_some_and(|newer| newer.seq >= held.seq)
            };
            !self.removed.contains(&held.run_id.key()) && !newer().any(has_it)
        };
        self.known.contains(&manifest.journal) && manifest.runs.iter().any(is_new)
    }

    /// The newest replicas. Of one that is damaged its good beginning counts.
    async fn replicas(&mut self, place: &Place, scratch: &Path) {
        let mut listed = match replica::list(&*place.target, None).await {
            Ok(listed) => listed,
            Err(error) => return self.failed(place, "", &error),
        };
        listed.reverse();
        listed.sort_by_key(|listed| !self.known.contains(&listed.journal));
        for ListedReplica { journal, generation } in listed.into_iter().take(BACKUPS_MAX) {
            let at = scratch.join(format!("{generation}-{journal}"));
            match replica::fetch(&*place.target, &journal, &generation, &at).await {
                Ok((spool, _)) => {
                    self.spools.push(Fetched { spool, is_inside: place.is_inside, is_older: false });
                }
                Err(error) => self.failed(place, &format!("replica {generation}"), &error),
            }
        }
    }

    /// Takes down that `what`, or all of a place, could not be read.
    fn failed(&mut self, place: &Place, what: &str, error: &piton_vault::Error) {
        if error.is_damage() {
            return self.notes.push(format!("{what}: {error}"));
        }
        let at = piton_vault::Target::place(&*place.target);
        let what = if what.is_empty() { String::new() } else { format!("{what} in ") };
        let said = format!("{what}`{at}`: {}; run `piton repair` once it can be read", sentence(error));
        if !self.unseen.contains(&said) {
            self.unseen.push(said);
        }
    }
}

fn sentence(error: &piton_vault::Error) -> String {
    let causes = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
