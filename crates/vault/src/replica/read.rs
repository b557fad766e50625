//! What is there of a replica: its newest base, and what the log has after it.

use std::path::Path;

use piton_model::Timestamp;
use piton_store::JournalId;
use piton_store::chain::{self, Hash};
use piton_sys::file;

use super::mark::{Kept, Mark, Proven, said_in};
use super::place::{self, Home, generation_of, noted_of, number_of};
use crate::manifest::{Manifest, Piece};
use crate::spool::OBJECT_BYTES_MAX;
use crate::{Error, Spool, Target};

/// Bases that are tried, where newer ones are damaged.
const BASES_TRIED: usize = 3;

/// A replica as it lies at a target.
#[derive(Clone, Debug)]
pub struct Replica {
    pub(crate) home: Home,
    /// Where everything is.
    pub(crate) mark: Mark,
    /// The objects of its base.
    pub(crate) objects: Vec<Kept>,
    /// The log after it: name, digest and size, and what it holds.
    pub(crate) log: Vec<(Kept, Vec<u8>)>,
    /// The digest of the last object of the log.
    pub(crate) last: Option<Hash>,
    /// What keeps it from going further, where there is more.
    pub broken: Option<String>,
}

impl Replica {
    /// What it is called.
    pub fn generation(&self) -> &str {
        &self.home.generation
    }

    /// Where the journal was.
    pub fn mark(&self) -> &Mark {
        &self.mark
    }

    /// The same, as a backup says it of itself.
    pub fn manifest(&self) -> Manifest {
        let log = self.log.iter().map(|(kept, _)| kept);
        let pieces = self.objects.iter().chain(log).map(Kept::piece).collect();
        self.mark.manifest(&self.home.journal, &self.home.generation, pieces)
    }
}

/// A generation that is noted at a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedReplica {
    /// The journal that it is of.
    pub journal: String,
    /// What it is called.
    pub generation: String,
}

/// Every generation at a target, oldest first, of all journals or of one.
pub async fn list(target: &dyn Target, journal: Option<JournalId>) -> Result<Vec<ListedReplica>, Error> {
    let objects = target.list(&noted_of(journal)).await?;
    let mut listed: Vec<ListedReplica> = objects
        .iter()
        .filter_map(|object| generation_of(&object.name))
        .map(|(journal, generation)| ListedReplica {
            journal: journal.to_owned(),
            generation: generation.to_owned(),
        })
        .collect();
    listed.sort_by(|a, b| a.generation.cmp(&b.generation));
    Ok(listed)
}

/// What is there of a generation, as far as it can be read without a gap.
pub async fn find(target: &dyn Target, journal: &str, generation: &str) -> Result<Replica, Error> {
    read(target, Home::new(journal, generation), 0).await
}

/// Fetches everything of a generation into the directory `at`, from an older base where an object of the newest is damaged; what it
/// was made from is still there.
pub async fn fetch(
    target: &dyn Target,
    journal: &str,
    generation: &str,
    at: &Path,
) -> Result<(Spool, Replica), Error> {
    file::create_private_dir(at)?;
    let home = Home::new(journal, generation);
    let mut first = None;
    for skipped in 0..BASES_TRIED {
        let replica = match read(target, home.clone(), skipped).await {
            Ok(replica) => replica,
            Err(error) if error.is_damage() => return Err(first.unwrap_or(error)),
            Err(error) => return Err(error),
        };
        match Spool::fetch_replica(target, &replica, &at.join(format!("base-{skipped}"))).await {
            Ok(spool) => return Ok((spool, replica)),
            Err(error) if error.is_damage() => first = first.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    Err(first.expect("it was tried"))
}

/// The same from the newest base but `skipped`.
pub(crate) async fn read(target: &dyn Target, home: Home, skipped: usize) -> Result<Replica, Error> {
    // The log first: of what a newer base made superfluous meanwhile everything stays until two more are there.
    let numbered = number_all(target, &home, "log").await?;
    let mut bases = number_all(target, &home, "bases").await?;
    bases.reverse();
    let count = bases.len();
    let mut damage = None;
    for (_, name) in bases.into_iter().skip(skipped).take(BASES_TRIED) {
        match said::<Mark>(target, &home, &name).await {
            Ok(mark) => return follow(target, home, mark, numbered).await,
            Err(error @ Error::Damaged { .. }) => damage = damage.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    match damage {
        // The log is whole where nothing was made superfluous yet.
        _ if count <= BASES_TRIED && numbered.first().is_some_and(|(number, _)| *number == 1) => {
            let empty = Mark::empty("", "", Timestamp::from_millis(0));
            follow(target, home, empty, numbered).await
        }
        Some(error) => Err(error),
        None => Err(Error::damaged(&home.all("log"), "it does not begin at its beginning")),
    }
}

/// The objects of one sort, by number.
pub(crate) async fn number_all(
    target: &dyn Target,
    home: &Home,
    sort: &str,
) -> Result<Vec<(u64, String)>, Error> {
    let objects = target.list(&home.all(sort)).await?;
    let mut numbered: Vec<(u64, String)> = objects
        .into_iter()
        .filter_map(|object| {
            let name = object.name.rsplit('/').next()?;
            Some((number_of(&object.name)?, format!("{sort}/{name}")))
        })
        .collect();
    numbered.sort();
    Ok(numbered)
}

/// What an object says that does nothing else.
async fn said<T: serde::de::DeserializeOwned>(
    target: &dyn Target,
    home: &Home,
    name: &str,
) -> Result<T, Error> {
    let object = home.object(name);
    let bytes = target.get(&object, OBJECT_BYTES_MAX).await?;
    let bytes = bytes.ok_or_else(|| Error::damaged(&object, "it is missing"))?;
    Ok(said_in(&object, &home.journal, &bytes)?.0)
}

/// Goes from a base along the log, as far as it leads.
async fn follow(
    target: &dyn Target,
    home: Home,
    mut mark: Mark,
    numbered: Vec<(u64, String)>,
) -> Result<Replica, Error> {
    let objects = std::mem::take(&mut mark.objects);
    let last = mark.last.take().and_then(|digest| Piece { digest, bytes: 0 }.hash());
    let begins = mark.number;
    let mut replica = Replica { home, mark, objects, log: Vec::new(), last, broken: None };
    let listed_to = numbered.last().map_or(0, |(number, _)| *number);
    let mut number = begins + 1;
    // A list may lag behind: what follows the last one listed is asked for by name.
    loop {
        match replica.take(target, number).await {
            Ok(true) => number += 1,
            Ok(false) if number <= listed_to => {
                let object = replica.home.object(&place::log(number));
                replica.broken = Some(Error::damaged(&object, "it is missing").to_string());
                return Ok(replica);
            }
            Ok(false) => return Ok(replica),
            Err(error @ Error::Damaged { .. }) => {
                replica.broken = Some(error.to_string());
                return Ok(replica);
            }
            Err(error) => return Err(error),
        }
    }
}

impl Replica {
    /// Takes in the next object of the log. `false` where there is none.
    async fn take(&mut self, target: &dyn Target, number: u64) -> Result<bool, Error> {
        let name = place::log(number);
        let object = self.home.object(&name);
        let Some(bytes) = target.get(&object, OBJECT_BYTES_MAX).await? else { return Ok(false) };
        let (mark, previous) = said_in::<Mark>(&object, &self.home.journal, &bytes)?;
        if previous != self.last || mark.number != number {
            return Err(Error::damaged(&object, "it does not follow the one before it"));
        }
        let digest = chain::digest(&bytes);
        self.mark.advance(mark);
        self.last = Some(digest);
        let kept = Kept { name, digest: chain::hex(&digest), bytes: bytes.len() as u64 };
        self.log.push((kept, bytes));
        Ok(true)
    }
}

/// Whether a generation is noted at the target.
pub async fn is_there(target: &dyn Target, journal: JournalId, generation: &str) -> Result<bool, Error> {
    Ok(list(target, Some(journal)).await?.iter().any(|listed| listed.generation == generation))
}

/// What was proven of a generation last, if anything was.
pub async fn proofs(target: &dyn Target, journal: &str, generation: &str) -> Result<Option<Proven>, Error> {
    let home = Home::new(journal, generation);
    for (_, name) in number_all(target, &home, "proofs").await?.into_iter().rev() {
        match said(target, &home, &name).await {
            Ok(proven) => return Ok(Some(proven)),
            // One that cannot be read proves nothing; an older one may.
            Err(error) if error.is_damage() || error.is_locked() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}
