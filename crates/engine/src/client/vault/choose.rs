//! Which backup or replica is meant: the one that is named, or the newest state that can be read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use piton_model::{Seq, Timestamp};
use piton_vault::manifest::Manifest;
use piton_vault::replica::{self, ListedReplica};
use piton_vault::{Listed, Spool, Target};
use piton_view::Error;

use super::failed;
use super::restore::or_before;

/// A backup or a replica.
pub(super) enum Chosen {
    Backup(Box<Manifest>),
    /// A backup whose manifest cannot be read.
    Unread,
    Replica(ListedReplica),
}

impl Chosen {
    /// The journal that it is of, where that can be read.
    pub(super) fn journal(&self) -> Option<&str> {
        match self {
            Chosen::Backup(manifest) => Some(&manifest.journal),
            Chosen::Unread => None,
            Chosen::Replica(listed) => Some(&listed.journal),
        }
    }

    /// It, fetched, and what keeps it from going further.
    pub(super) async fn fetch(
        self,
        target: &dyn Target,
        at: &Path,
    ) -> Result<(Spool, Option<String>), piton_vault::Error> {
        match self {
            Chosen::Backup(manifest) => Ok((Spool::fetch(target, *manifest, at).await?, None)),
            Chosen::Unread => Err(piton_vault::Error::NotRestorable {
                what: "what it says of itself cannot be read".to_owned(),
            }),
            Chosen::Replica(ListedReplica { journal, generation }) => {
                let (spool, found) = replica::fetch(target, &journal, &generation, at).await?;
                Ok((spool, found.broken))
            }
        }
    }
}

/// What may be restored: what it is called, of which journal, and when the journal was as it is there.
struct Candidate {
    name: String,
    journal: String,
    as_of: String,
    /// Which of the backups of its journal it is; a replica is none of them.
    number: Option<u64>,
    /// Where each run ends there.
    ends: BTreeMap<String, Seq>,
    has_failed: bool,
    chosen: Chosen,
    /// Why it cannot be read.
    unread: Option<piton_vault::Error>,
}

impl Candidate {
    fn is_locked(&self) -> bool {
        self.unread.as_ref().is_some_and(piton_vault::Error::is_locked)
    }

    /// Whether it has a run that is meant by this text.
    fn holds(&self, run: &str) -> bool {
        let text = run.to_lowercase();
        self.ends.keys().any(|key| key.starts_with(&text))
    }

    /// Whether it is newer than another of the same journal, both of which can be read. What they hold says so; a clock may jump, so
    /// the time counts only where that leaves it open.
    fn is_newer(&self, than: &Self) -> bool {
        if let (Some(one), Some(other)) = (self.number, than.number) {
            return (one, &self.name) > (other, &than.name);
        }
        let goes_further = |one: &Self, other: &Self| {
            one.ends.iter().any(|(run, seq)| other.ends.get(run).is_none_or(|other| seq > other))
        };
        match (goes_further(self, than), goes_further(than, self)) {
            (true, false) => true,
            (false, true) => false,
            _ => self.as_of > than.as_of,
        }
    }
}

/// A moment as it stands at the beginning of a name.
fn as_in_names(at: Timestamp) -> String {
    at.to_string().chars().filter(|c| !"-:.".contains(*c)).collect()
}

/// Whether a name begins as those do that piton gives.
fn is_time(name: &str) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    name.as_bytes()
        .split_at_checked(8)
        .is_some_and(|(day, rest)| day.iter().all(is_digit) && rest.first() == Some(&b'T'))
}

fn ends_of(manifest: &Manifest) -> BTreeMap<String, Seq> {
    manifest.runs.iter().map(|held| (held.run_id.key(), held.seq)).collect()
}

async fn candidates(target: &dyn Target) -> Result<Vec<Candidate>, Error> {
    let mut all = Vec::new();
    for listed in piton_vault::list(target, None).await.map_err(failed)? {
        let Listed { name, journal, manifest, has_failed, .. } = listed;
        let mut candidate = Candidate {
            as_of: name.clone(),
            number: None,
            ends: BTreeMap::new(),
            has_failed,
            chosen: Chosen::Unread,
            unread: None,
            name,
            journal,
        };
        match manifest {
            Ok(manifest) => {
                candidate.as_of = as_in_names(manifest.made_at);
                (candidate.number, candidate.ends) = (Some(manifest.number), ends_of(&manifest));
                candidate.chosen = Chosen::Backup(Box::new(manifest));
            }
            Err(error) => candidate.unread = Some(error),
        }
        all.push(candidate);
    }
    for listed in replica::list(target, None).await.map_err(failed)? {
        let found = replica::find(target, &listed.journal, &listed.generation).await;
        let (name, journal) = (listed.generation.clone(), listed.journal.clone());
        let mut candidate = Candidate {
            as_of: name.clone(),
            number: None,
            ends: BTreeMap::new(),
            has_failed: false,
            chosen: Chosen::Replica(listed),
            unread: None,
            name,
            journal,
        };
        match found {
            Ok(found) => {
                candidate.as_of = as_in_names(found.mark().at);
                candidate.ends = ends_of(&found.manifest());
            }
            Err(error) if error.is_damage() || error.is_locked() => candidate.unread = Some(error),
            Err(error) => return Err(failed(error)),
        }
        all.push(candidate);
    }
    all.sort_by(|a, b| a.as_of.cmp(&b.as_of));
    Ok(all)
}

/// The backup or replica of this name; without a name the newest state, where all are of one journal, or the newest that holds the
/// run which is wanted. With it the name of the newest of the others that can be read.
pub(super) async fn choose(
    target: &dyn Target,
    name: Option<&str>,
    run: Option<&str>,
) -> Result<(Chosen, Option<String>), Error> {
    let mut all = candidates(target).await?;
    let Some(name) = name else { return newest(target, all, run) };
    all.retain(|candidate| is_called(name, &candidate.name, &candidate.journal));
    if let [one, _, ..] = &all[..] {
        let each = all.iter().map(|found| format!("{}@{}", found.name, found.journal)).collect();
        return Err(Error::usage(format!("`{}` holds several that are called `{name}`", target.place()))
            .details(each)
            .hint(format!("say of which journal: --backup {}@JOURNAL", one.name)));
    }
    let Candidate { chosen, unread, .. } = all.pop().ok_or_else(|| no_backup(Some(name), target))?;
    match unread {
        Some(error) => Err(failed(error)),
        None => Ok((chosen, None)),
    }
}

/// The newest state. What is encrypted with keys that cannot be opened here is somebody else's, where all of a journal is.
fn newest(
    target: &dyn Target,
    mut all: Vec<Candidate>,
    run: Option<&str>,
) -> Result<(Chosen, Option<String>), Error> {
    let opens: BTreeSet<String> =
        all.iter().filter(|found| !found.is_locked()).map(|found| found.journal.clone()).collect();
    if !opens.is_empty() {
        all.retain(|found| opens.contains(&found.journal));
    }
    if all.iter().any(|candidate| candidate.journal != all[0].journal) {
        let newest = all.iter().rev().take(5).map(|candidate| {
            let sort = match candidate.chosen {
                Chosen::Backup(_) | Chosen::Unread => "",
                Chosen::Replica(_) => "replica ",
            };
            format!("{sort}{} of journal {}", candidate.name, candidate.journal)
        });
        return Err(Error::usage(format!("`{}` holds backups of several journals", target.place()))
            .details(newest.collect())
            .hint("say which with --backup NAME; `piton backup list` has them all"));
    }
    let (mut read, mut unread): (Vec<Candidate>, Vec<Candidate>) =
        all.into_iter().partition(|found| found.unread.is_none());
    let mut ordered = Vec::new();
    while let Some(at) =
        (0..read.len()).reduce(|best, next| if read[next].is_newer(&read[best]) { next } else { best })
    {
        ordered.push(read.remove(at));
    }
    let good =
        |found: &[Candidate]| found.iter().find(|found| !found.has_failed).map(|found| found.name.clone());
    // Of what cannot be read, only the name says when it was begun; a file that has no such name is none of ours.
    unread.retain(|found| ordered.is_empty() || is_time(&found.name));
    if let Some(found) = unread.pop_if(|last| ordered.first().is_none_or(|newest| last.as_of > newest.as_of))
        && let Some(error) = found.unread
    {
        return Err(or_before(error, good(&ordered).as_deref(), &target.place()));
    }
    if ordered.is_empty() {
        return Err(no_backup(None, target));
    }
    // One that the newest has not may have been lost, or removed, before that was made.
    let holds_run = |found: &Candidate| run.is_none_or(|run| found.holds(run));
    let at = ordered.iter().position(|found| holds_run(found) && !found.has_failed);
    let newest = ordered.remove(at.filter(|_| !holds_run(&ordered[0])).unwrap_or(0));
    Ok((newest.chosen, good(&ordered)))
}

/// Whether `text` means the backup or replica of this name, alone or with the beginning of its journal behind an `@`.
pub(super) fn is_called(text: &str, name: &str, journal: &str) -> bool {
    match text.split_once('@') {
        Some((text, of)) => text == name && journal.starts_with(of),
        None => text == name,
    }
}

pub(super) fn no_backup(name: Option<&str>, target: &dyn Target) -> Error {
    let what =
        name.map_or_else(|| "there is no backup".to_owned(), |name| format!("no backup is called `{name}`"));
    Error::usage(format!("{what} in `{}`", target.place()))
        .hint("`piton backup list --to URL` says which there are, `piton backup create` makes one")
}
