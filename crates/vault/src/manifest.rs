//! What a backup says of itself: its runs with their heads, and the objects that hold them.
//!
//! The file is `{"digest": …, "manifest": {…}}`; the digest is that of the text of the second, so that a changed byte shows
//! before anything of it is believed.

use std::collections::BTreeMap;

use piton_git::SnapshotId;
use piton_model::{Epoch, Kind, RunId, Seq, Timestamp};
use piton_record::record;
use piton_store::Head;
use piton_store::chain::{self, Hash};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::Error;

/// The format that this piton writes, and the newest that it reads.
pub const FORMAT: u32 = 1;

/// More than the manifest of a hundred thousand runs.
pub(crate) const MANIFEST_BYTES_MAX: u64 = 64 << 20;

/// What a backup says of itself.
#[record(Eq, written, omit(gone, number, tips_lost))]
pub struct Manifest {
    /// The format of it and of what it names.
    pub format: u32,
    /// Which piton made it.
    pub piton: String,
    /// What it is called.
    pub name: String,
    /// The journal that it is of.
    pub journal: String,
    /// When it was begun.
    pub made_at: Timestamp,
    /// When it had been read back, restored and verified.
    pub proven_at: Timestamp,
    /// The highest epoch that was granted in the journal.
    pub epoch_max: Epoch,
    /// The runs that it holds, newest first.
    pub runs: Vec<RunHeld>,
    /// What could not be read any further when it was made, in words.
    pub damaged: Vec<String>,
    /// Its segments, each on top of the ones before it.
    pub segments: Vec<Piece>,
    /// What git keeps for it, each on top of the ones before it.
    pub bundles: Vec<Piece>,
    /// The last snapshot of each run that has one.
    pub tips: BTreeMap<RunId, SnapshotId>,
    /// Snapshots of runs to which their last ones did not lead any more, as git had lost them when it was made.
    pub tips_lost: BTreeMap<RunId, Vec<SnapshotId>>,
    /// Events in its segments of runs that were removed since.
    pub gone: Seq,
    /// One more than that of any backup of its journal that could be read when it was begun: which of two is newer does not
    /// depend on a clock that may jump. 0 in those that were made before this was counted.
    pub number: u64,
}

/// A run in a backup.
#[record(Eq, omit(is_archived))]
pub struct RunHeld {
    /// Its name.
    pub run_id: RunId,
    /// Its kind.
    pub kind: Kind,
    /// One line for people.
    pub title: String,
    /// Its last event here.
    pub seq: Seq,
    /// That event's hash.
    pub hash: String,
    /// How often its lease was granted.
    pub epoch: Epoch,
    /// When that event happened.
    pub updated_at: Timestamp,
    /// Whether only digests are there of what was archived: another backup may have the rest.
    pub is_archived: bool,
}

impl RunHeld {
    /// Where it ends.
    pub fn head(&self) -> Option<Head> {
        Some(Head { seq: self.seq, hash: unhex(&self.hash)? })
    }
}

/// An object at the target.
#[record(Eq)]
pub struct Piece {
    /// The digest of what it holds, which is also its name.
    pub digest: String,
    /// How much it holds.
    pub bytes: u64,
}

impl Piece {
    /// The piece that `bytes` are.
    pub fn of(bytes: &[u8]) -> Self {
        Self { digest: chain::hex(&chain::digest(bytes)), bytes: bytes.len() as u64 }
    }

    /// Its digest.
    pub fn hash(&self) -> Option<Hash> {
        unhex(&self.digest)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope {
    digest: String,
    manifest: Box<RawValue>,
}

impl Manifest {
    /// As it is written.
    pub fn to_bytes(&self) -> Vec<u8> {
        let manifest = serde_json::value::to_raw_value(self).expect("a manifest is plain data");
        let digest = chain::hex(&chain::digest(manifest.get().as_bytes()));
        serde_json::to_vec(&Envelope { digest, manifest }).expect("plain data")
    }

    /// Reads it back; `object` is what it is called at the target.
    pub fn parse(object: &str, bytes: &[u8]) -> Result<Self, Error> {
        /// All that is read of one before its format is known.
        #[derive(Deserialize)]
        struct Formatted {
            format: u32,
        }
        let unreadable = |error: serde_json::Error| Error::damaged(object, error.to_string());
        let Envelope { digest, manifest } = serde_json::from_slice(bytes).map_err(unreadable)?;
        if chain::hex(&chain::digest(manifest.get().as_bytes())) != digest {
            return Err(Error::damaged(object, "it is not what was written"));
        }
        let Formatted { format } = serde_json::from_str(manifest.get()).map_err(unreadable)?;
        if format > FORMAT {
            return Err(Error::Newer { object: object.to_owned(), found: format, known: FORMAT });
        }
        let manifest: Self = serde_json::from_str(manifest.get()).map_err(unreadable)?;
        match manifest.segments.iter().chain(&manifest.bundles).all(|piece| piece.hash().is_some()) {
            true => Ok(manifest),
            false => Err(Error::damaged(object, "it names a piece that is none")),
        }
    }

    /// The run called so, whatever its case.
    pub fn run(&self, run: &RunId) -> Option<&RunHeld> {
        self.runs.iter().find(|held| held.run_id.key() == run.key())
    }

    /// Whether most of what its segments hold is of runs that were removed: nothing more is put on top of that.
    pub(crate) fn is_mostly_gone(&self) -> bool {
        self.gone > self.runs.iter().map(|held| held.seq).sum()
    }

    /// What all of it takes at the target, shared or not.
    pub fn bytes(&self) -> u64 {
        self.segments.iter().chain(&self.bundles).map(|piece| piece.bytes).sum()
    }
}

/// What a backup that is begun at `now` is called: sorted by time, and nobody else's name.
pub(crate) fn name_at(now: Timestamp, random: &str) -> String {
    let time: String = now.to_string().chars().filter(|c| !matches!(c, '-' | ':' | '.')).collect();
    format!("{time}-{random}")
}

fn unhex(text: &str) -> Option<Hash> {
    let mut hash = Hash::default();
    if text.len() != hash.len() * 2 || !text.is_ascii() {
        return None;
    }
    for (index, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[index * 2..index * 2 + 2], 16).ok()?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Manifest {
        Manifest {
            format: FORMAT,
            piton: "0.1.0".to_owned(),
            name: "n".to_owned(),
            journal: "00".repeat(16),
            made_at: Timestamp::from_millis(1),
            proven_at: Timestamp::from_millis(2),
            epoch_max: 3,
            runs: vec![RunHeld {
                run_id: "r".parse().unwrap(),
                kind: Kind::Loop,
                title: "t".to_owned(),
                seq: 4,
                hash: "11".repeat(32),
                epoch: 3,
                updated_at: Timestamp::from_millis(1),
                is_archived: false,
            }],
            damaged: Vec::new(),
            segments: vec![Piece::of(b"segment")],
            bundles: Vec::new(),
            tips: BTreeMap::new(),
            tips_lost: BTreeMap::new(),
            gone: 0,
            number: 0,
        }
    }

    #[test]
    fn a_changed_byte_of_a_manifest_is_found() {
        let bytes = sample().to_bytes();
        assert_eq!(Manifest::parse("m", &bytes).unwrap(), sample());
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            assert!(Manifest::parse("m", &changed).is_err(), "byte {place}");
            assert!(Manifest::parse("m", &bytes[..place]).is_err(), "cut to {place}");
        }
    }

    #[test]
    fn one_of_a_newer_piton_says_so() {
        let bytes = Manifest { format: FORMAT + 1, ..sample() }.to_bytes();
        assert!(matches!(Manifest::parse("m", &bytes), Err(Error::Newer { .. })));
    }

    /// Whoever can write to a target can write a manifest: what it names is given to git and to the file system.
    #[test]
    fn what_is_no_name_of_a_commit_a_run_or_an_object_is_refused() {
        let text = String::from_utf8(sample().to_bytes()).unwrap();
        let manifest = text.split_once("\"manifest\":").unwrap().1.strip_suffix('}').unwrap();
        let with = |from: &str, to: &str| {
            let changed = manifest.replacen(from, to, 1);
            assert_ne!(changed, manifest);
            let digest = chain::hex(&chain::digest(changed.as_bytes()));
            Manifest::parse("m", format!("{{\"digest\":\"{digest}\",\"manifest\":{changed}}}").as_bytes())
        };
        assert!(with("\"title\":\"t\"", "\"title\":\"u\"").is_ok());
        let commit = "0".repeat(40);
        assert!(with("\"tips\":{}", &format!("\"tips\":{{\"r\":\"{commit}\"}}")).is_ok());
        for tip in ["--upload-pack=x", "main", "", &format!("{commit}\\n--all")] {
            assert!(with("\"tips\":{}", &format!("\"tips\":{{\"r\":\"{tip}\"}}")).is_err(), "{tip}");
        }
        assert!(with("\"run_id\":\"r\"", "\"run_id\":\"../r\"").is_err());
        let digest = &sample().segments[0].digest;
        assert!(with(digest, "../../../etc/passwd").is_err());
    }

    #[test]
    fn names_sort_by_time() {
        let name = |millis| name_at(Timestamp::from_millis(millis), "0a1b2c3d");
        assert!(name(1_771_157_000_001) < name(1_771_157_000_002));
        assert!(name(1_771_157_000_001).starts_with("20260215T"), "{}", name(1_771_157_000_001));
    }
}
