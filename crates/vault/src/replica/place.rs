//! What the objects of a replica are called.

use piton_model::Timestamp;
use piton_store::JournalId;

use crate::manifest::name_at;
use crate::spool::object_name;

/// Where each generation of each journal is noted.
const NOTED: &str = "replicas/";

/// Where a generation is noted.
pub(crate) fn noted(journal: &str, generation: &str) -> String {
    format!("{NOTED}{journal}/{generation}")
}

/// What a list of generations begins with.
pub(crate) fn noted_of(journal: Option<JournalId>) -> String {
    journal.map_or_else(|| NOTED.to_owned(), |journal| format!("{NOTED}{journal}/"))
}

/// The journal and the name of a generation that is noted so.
pub(crate) fn generation_of(object: &str) -> Option<(&str, &str)> {
    let (journal, generation) = object.strip_prefix(NOTED)?.split_once('/')?;
    (!journal.is_empty() && !generation.is_empty() && !generation.contains('/'))
        .then_some((journal, generation))
}

/// What a generation that is begun at `now` is called: sorted by time, and nobody else's name.
pub(crate) fn new_generation(now: Timestamp, random: &str) -> String {
    format!("{}-r", name_at(now, random))
}

/// Where a generation lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Home {
    pub(crate) journal: String,
    pub(crate) generation: String,
}

impl Home {
    pub(crate) fn new(journal: &str, generation: &str) -> Self {
        Self { journal: journal.to_owned(), generation: generation.to_owned() }
    }

    /// An object of it.
    pub(crate) fn object(&self, name: &str) -> String {
        object_name(&self.journal, "replicas", &format!("{}/{name}", self.generation))
    }

    /// What the objects of one sort begin with.
    pub(crate) fn all(&self, sort: &str) -> String {
        format!("{}/", self.object(sort))
    }
}

/// An object of the log.
pub(crate) fn log(number: u64) -> String {
    format!("log/{number:016x}")
}

/// An object that says something about everything up to `number`.
pub(crate) fn about(sort: &str, number: u64, random: &str) -> String {
    format!("{sort}/{number:016x}-{random}")
}

/// The number in the name of an object of the log, a base or a proof.
pub(crate) fn number_of(object: &str) -> Option<u64> {
    let name = object.rsplit('/').next()?;
    let digits = name.split('-').next()?;
    u64::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 16)
}
