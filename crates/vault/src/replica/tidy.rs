//! Many small objects become few: a base, which names what holds everything, and small neighbours made into one.
//!
//! An object is merged with the one before it while that is at most twice as large, up to [`SEGMENT_BYTES`]: sizes grow
//! geometrically, so each byte is written again a logarithmic number of times. What a base was made from stays until
//! [`GENERATIONS_KEPT`] later ones are there, and for [`KEPT_MS`] besides: a restore that is under way meets no gap.

use std::collections::{HashMap, HashSet};

use piton_model::Timestamp;
use piton_store::chain;
use piton_sys::{Ids, SystemIds};

use super::mark::Mark;
use super::mark::{Kept, packed, said_in};
use super::place::{self, Home};
use super::read::{number_all, read};
use super::write::put_proven;
use crate::create::SEGMENT_BYTES;
use crate::object::{pack, unpack};
use crate::segment::{Reader, Record, Writer};
use crate::spool::OBJECT_BYTES_MAX;
use crate::{Error, Target};

/// Later bases that must be there before what one was made from goes.
pub const GENERATIONS_KEPT: usize = 2;

/// What was superseded less long ago stays in any case.
pub const KEPT_MS: i64 = 60 * 60 * 1000;

/// Proofs that stay.
const PROOFS_KEPT: usize = 3;

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tidied {
    /// Objects of the log that a base has now, and what they hold.
    pub log: (u64, u64),
    /// Objects that hold everything now.
    pub objects: usize,
    /// Objects that were removed.
    pub removed: usize,
}

/// Makes a base of everything that is there, and lets go of what nobody needs any more. Only for the writer of the generation.
pub async fn tidy(
    target: &dyn Target,
    journal: &str,
    generation: &str,
    compress: bool,
    now: Timestamp,
) -> Result<Tidied, Error> {
    let home = Home::new(journal, generation);
    let replica = read(target, home.clone(), 0).await?;
    if let Some(broken) = replica.broken {
        return Err(Error::damaged(&home.all("log"), broken));
    }
    let log = (replica.log.len() as u64, replica.log.iter().map(|(kept, _)| kept.bytes).sum());
    if log.0 == 0 {
        return Ok(Tidied { objects: replica.objects.len(), ..Tidied::default() });
    }
    let at_hand: HashMap<String, Vec<u8>> =
        replica.log.iter().map(|(kept, bytes)| (kept.name.clone(), bytes.clone())).collect();
    let mut objects = replica.objects;
    objects.extend(replica.log.into_iter().map(|(kept, _)| kept));
    let first = first_to_merge(&objects, objects.len() - log.0 as usize);
    let mut merged: Vec<Kept> = objects.drain(..first).collect();
    for group in groups(objects) {
        match <[Kept; 1]>::try_from(group) {
            Ok([alone]) => merged.push(alone),
            Err(group) => merged.push(merge(target, &home, &at_hand, &group, compress).await?),
        }
    }
    let base = Mark {
        objects: merged.clone(),
        last: replica.last.map(|hash| chain::hex(&hash)),
        at: now,
        ..replica.mark
    };
    let bytes = packed(&base, bytes_of(journal)?, compress, SystemIds.bytes());
    let name = place::about("bases", base.number, &SystemIds.hex(8));
    put_proven(target, &home.object(&name), &bytes).await?;
    let removed = sweep(target, &home, now).await?;
    Ok(Tidied { log, objects: merged.len(), removed })
}

pub(super) fn bytes_of(journal: &str) -> Result<[u8; 16], Error> {
    let digits =
        |at: usize| journal.get(2 * at..2 * at + 2).and_then(|text| u8::from_str_radix(text, 16).ok());
    let bytes: Option<Vec<u8>> = (0..16).map(digits).collect();
    let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
    bytes.ok_or_else(|| Error::damaged(journal, "it is no name of a journal"))
}

/// The first of the objects that are looked at: those of the log, and as many before them as are small beside what follows.
fn first_to_merge(objects: &[Kept], log_begins: usize) -> usize {
    let mut first = log_begins;
    let mut bytes: u64 = objects[first..].iter().map(|kept| kept.bytes).sum();
    while let Some(before) = first.checked_sub(1).map(|at| &objects[at]) {
        if before.bytes > 2 * bytes || before.bytes + bytes > SEGMENT_BYTES as u64 {
            break;
        }
        (first, bytes) = (first - 1, bytes + before.bytes);
    }
    first
}

/// Neighbours that are small enough to become one. What is large stays as it is.
fn groups(objects: Vec<Kept>) -> Vec<Vec<Kept>> {
    let mut groups: Vec<Vec<Kept>> = Vec::new();
    for kept in objects {
        let size = |group: &Vec<Kept>| group.iter().map(|kept| kept.bytes).sum::<u64>();
        match groups.last_mut().filter(|group| size(group) + kept.bytes <= SEGMENT_BYTES as u64) {
            Some(group) => group.push(kept),
            None => groups.push(vec![kept]),
        }
    }
    groups
}

/// Makes one object of several.
async fn merge(
    target: &dyn Target,
    home: &Home,
    at_hand: &HashMap<String, Vec<u8>>,
    group: &[Kept],
    compress: bool,
) -> Result<Kept, Error> {
    let mut records = Vec::new();
    for kept in group {
        let object = home.object(&kept.name);
        let bytes = match at_hand.get(&kept.name) {
            Some(bytes) => bytes.clone(),
            None => crate::spool::fetched(target, &object, &kept.piece()).await?,
        };
        let bytes = unpack(&object, &bytes)?;
        let damaged = |what: String| Error::damaged(&object, what);
        let (_, mut reader) = Reader::new(&bytes).map_err(damaged)?;
        while let Some((_, record)) = reader.next().map_err(damaged)? {
            if !matches!(record, Record::Mark { .. }) {
                records.push(record);
            }
        }
    }
    // What came before the end of a run is nobody's any more.
    let mut ended: HashMap<String, usize> = HashMap::new();
    for (at, record) in records.iter().enumerate() {
        if let Record::Removed { run } = record {
            ended.insert(run.key(), at);
        }
    }
    let mut writer = Writer::new(bytes_of(&home.journal)?, None);
    let mut blobs = HashSet::new();
    for (at, record) in records.iter().enumerate() {
        let is_needed = match record {
            Record::Frame { run, .. } | Record::Epoch { run, .. } | Record::Checkpoint { run, .. } => {
                ended.get(&run.key()).is_none_or(|end| at > *end)
            }
            Record::Removed { run } => ended.get(&run.key()) == Some(&at),
            Record::Blob { id, .. } => blobs.insert(*id),
            Record::Bundle { .. } | Record::Mark { .. } => true,
        };
        if is_needed {
            writer.push(record);
        }
    }
    let packed = pack(&writer.finish(), compress, SystemIds.bytes());
    let digest = chain::hex(&chain::digest(&packed));
    let kept = Kept { name: format!("segments/{digest}"), digest, bytes: packed.len() as u64 };
    put_proven(target, &home.object(&kept.name), &packed).await?;
    Ok(kept)
}

/// Removes what neither the newest bases nor the log after the oldest of them need.
async fn sweep(target: &dyn Target, home: &Home, now: Timestamp) -> Result<usize, Error> {
    let mut objects = Vec::new();
    for sort in ["log", "segments"] {
        objects.extend(target.list(&home.all(sort)).await?);
    }
    let listed = target.list(&home.all("bases")).await?;
    let kept_since = Timestamp::from_millis(now.as_millis().saturating_sub(KEPT_MS));
    let long_ago = listed.iter().filter(|base| base.at <= kept_since).count();
    // The newest base that was there so long ago superseded those before it then.
    let superseded = long_ago.saturating_sub(1);
    let surplus = superseded.min(listed.len().saturating_sub(GENERATIONS_KEPT + 1));
    let proofs = number_all(target, home, "proofs").await?;
    let mut removed = 0;
    for (_, name) in &proofs[..proofs.len().saturating_sub(PROOFS_KEPT)] {
        target.remove(&home.object(name)).await?;
        removed += 1;
    }
    if surplus == 0 {
        return Ok(removed);
    }
    let (mut needed, mut oldest) = (HashSet::new(), u64::MAX);
    for base in &listed[surplus..] {
        let bytes = target.get(&base.name, OBJECT_BYTES_MAX).await?;
        let bytes = bytes.ok_or_else(|| Error::damaged(&base.name, "it is missing"))?;
        let (mark, _) = said_in::<Mark>(&base.name, &home.journal, &bytes)?;
        oldest = oldest.min(mark.number);
        needed.extend(mark.objects.into_iter().map(|kept| home.object(&kept.name)));
    }
    // What names an object goes before the object.
    for base in &listed[..surplus] {
        target.remove(&base.name).await?;
    }
    for object in objects {
        let is_later = object.name.starts_with(&home.all("log"))
            && place::number_of(&object.name).is_none_or(|number| number > oldest);
        if !is_later && !needed.contains(&object.name) {
            target.remove(&object.name).await?;
            removed += 1;
        }
    }
    Ok(removed + surplus)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(bytes: u64) -> Kept {
        Kept { name: String::new(), digest: String::new(), bytes }
    }

    /// The sizes of the objects after so many times that `each` came to the log.
    fn after(rounds: usize, each: u64) -> (Vec<u64>, u64) {
        let (mut objects, mut written) = (Vec::new(), 0);
        for _ in 0..rounds {
            let log_begins = objects.len();
            objects.extend((0..4).map(|_| kept(each)));
            let first = first_to_merge(&objects, log_begins);
            let rest = objects.split_off(first);
            for group in groups(rest) {
                let bytes = group.iter().map(|kept| kept.bytes).sum();
                written += if group.len() > 1 { bytes } else { 0 };
                objects.push(kept(bytes));
            }
        }
        (objects.iter().map(|kept| kept.bytes).collect(), written)
    }

    #[test]
    fn objects_stay_few_and_each_byte_is_written_again_a_few_times() {
        let (small, written) = after(1000, 256);
        let total = 1000 * 4 * 256;
        assert_eq!(small.iter().sum::<u64>(), total);
        assert!(small.len() <= 12, "{small:?}");
        assert!(written <= 12 * total, "{written} for {total}");
        let (large, written) = after(64, 4 << 20);
        assert_eq!(large.iter().sum::<u64>(), 64 * 4 * (4 << 20));
        assert!(large.len() <= 70 && written <= 2 * 64 * 4 * (4 << 20), "{large:?}");
    }
}
