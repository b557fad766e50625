//! Where a repair looks for what the journal has lost: the newest backups and replicas at the places of the configuration.
//!
//! A place that was not looked at may have everything: it is told which, why, and what helps. What is damaged there is another thing, of
//! which nothing more is to be had.

use std::path::Path;

use piton_store::JournalId;
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
}

/// Looks where the configuration says. What is of one of the journals `known` counts first: many may share a place.
pub(super) async fn look(layout: &Layout, scratch: &Path, known: &[JournalId]) -> Elsewhere {
    let known = known.iter().map(ToString::to_string).collect();
    let mut found = Elsewhere { known, ..Elsewhere::default() };
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
    /// The newest backup of each journal.
    async fn backups(&mut self, place: &Place, scratch: &Path) {
        let mut listed = match piton_vault::list(&*place.target, None).await {
            Ok(listed) => listed,
            Err(error) => return self.failed(place, "", &error),
        };
        listed.reverse();
        listed.sort_by_key(|listed| !self.known.contains(&listed.journal));
        let mut journals = Vec::new();
        for Listed { name, journal, manifest, .. } in listed {
            if journals.len() >= BACKUPS_MAX || journals.contains(&journal) {
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
                    self.spools.push(Fetched { spool, is_inside: place.is_inside });
                }
                // The one before it may be sound.
                Err(error) => self.failed(place, &format!("backup {name}"), &error),
            }
        }
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
                Ok((spool, _)) => self.spools.push(Fetched { spool, is_inside: place.is_inside }),
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
