//! The keys of a directory, and the one for new pieces.
//!
//! ```text
//! KEYS/<id>.json         a data key, wrapped           KEYS/spare/<id>.json   the same again
//! KEYS/current           the id of the one for new pieces
//! ```
//!
//! Keys are only added. A new one is there, synced, twice, before it becomes the current one, and that before anything is sealed
//! with it. Nothing is read or opened before it is needed: a journal without keys costs nothing.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use piton_model::Timestamp;
use piton_sys::file::{self, Durability};
use piton_sys::lock::FileLock;
use piton_sys::{Clock, SystemClock, fault};

use crate::opener::Secret;
use crate::record::{KeyRecord, Unreadable};
use crate::{DataKey, Error, Kept, KeyId, Keys, Openers, Place, log};

const CURRENT: &str = "current";
const SPARE: &str = "spare";
const LOCK: &str = "lock";

/// More than a record with hundreds of recipients.
const RECORD_BYTES_MAX: u64 = 1 << 20;

/// The keys of a directory.
pub struct Ring {
    directory: PathBuf,
    openers: Openers,
    /// Whether new pieces are sealed.
    seals: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What secrets there are, once somebody asked.
    secrets: Option<(Arc<Vec<Secret>>, String)>,
    opened: HashMap<KeyId, Arc<DataKey>>,
    current: Option<Arc<DataKey>>,
    /// Keys that came with a backup, and lie nowhere here.
    brought: Vec<KeyRecord>,
}

/// A key, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyState {
    /// What it is called.
    pub id: KeyId,
    /// When it was made.
    pub made_at: Timestamp,
    /// Whether new pieces are sealed with it.
    pub is_current: bool,
    /// Whether this process can open it.
    pub opens: bool,
    /// Who can, by the public part.
    pub who: Vec<String>,
}

/// What became of the keys when they were rotated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rotated {
    /// The key for new pieces from now on.
    pub new: Option<KeyId>,
    /// Older ones, wrapped anew for those who are to open them now.
    pub rewrapped: Vec<KeyId>,
    /// Older ones that could not be opened, and stay wrapped as they were.
    pub left: Vec<KeyId>,
}

/// Whether a key is kept in `directory`: what lies beside was encrypted.
pub fn is_used(directory: &Path) -> bool {
    let names = std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    names.into_iter().any(|path| path.extension().is_some_and(|ending| ending == "json"))
}

impl Ring {
    /// The keys in `directory`, which need not be there. New pieces are sealed where `seals`.
    pub fn new(directory: PathBuf, openers: Openers, seals: bool) -> Self {
        Self { directory, openers, seals, state: Mutex::default() }
    }

    /// Where the keys are.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Makes sure that pieces can be sealed, and opened again by this process, where that is asked for: before anything is written.
    pub fn require(&self) -> Result<(), Error> {
        match self.seals {
            true => self.current().map(drop),
            false => Ok(()),
        }
    }

    /// The key for new pieces, which is made where there is none yet.
    pub fn current(&self) -> Result<Arc<DataKey>, Error> {
        let mut state = self.lock();
        if let Some(current) = &state.current {
            return Ok(Arc::clone(current));
        }
        let current = match self.current_id()? {
            Some(id) => self.opened(&mut state, id)?,
            None => self.make(&mut state, false)?,
        };
        state.current = Some(Arc::clone(&current));
        Ok(current)
    }

    /// A key, opened.
    pub fn key(&self, id: KeyId) -> Result<Arc<DataKey>, Error> {
        self.opened(&mut self.lock(), id)
    }

    /// A file that this user's piton keeps for itself, whole.
    pub fn seal_file(&self, name: &str, bytes: &[u8]) -> Result<Vec<u8>, Error> {
        let key = self.current()?;
        let cannot = |why: String| Error::CannotSeal { why };
        let to = key.recipient().ok_or_else(|| cannot("the key has no identity".to_owned()))?;
        log::seal_all(&to, key.id(), name, bytes).map_err(cannot)
    }

    /// What [`Ring::seal_file`] was given, all of it.
    pub fn open_file(&self, name: &str, sealed: &[u8]) -> Result<Vec<u8>, Error> {
        let (id, _) = log::header_of(sealed).ok_or(Error::Changed)?;
        match log::open_all(&*self.key(id)?, sealed, name)? {
            (opened, true) => Ok(opened),
            (_, false) => Err(Error::Changed),
        }
    }

    /// Keys that came with something from elsewhere: they count as if they lay here.
    pub fn bring(&self, records: impl IntoIterator<Item = KeyRecord>) {
        self.lock().brought.extend(records);
    }

    /// Keeps these keys here. After rotations there are several records of one key, each for others: one that opens here is
    /// kept in place of one that does not, and where none does, one that is for all of them.
    pub fn keep(&self, records: &[KeyRecord]) -> Result<(), Error> {
        if records.is_empty() {
            return Ok(());
        }
        let mut state = self.lock();
        let (secrets, _) = self.secrets(&mut state);
        let _alone = self.alone()?;
        let known = self.records()?;
        let mut brought: BTreeMap<KeyId, Vec<&KeyRecord>> = BTreeMap::new();
        for record in records {
            record.key_id().into_iter().for_each(|id| brought.entry(id).or_default().push(record));
        }
        for (id, candidates) in brought {
            let opens = |record: &&&KeyRecord| record.open(&secrets).is_some();
            match (known.get(&id), candidates.iter().find(opens)) {
                (Some(known), _) if known.open(&secrets).is_some() => {}
                (_, Some(opening)) => self.write(opening)?,
                (known, None) => {
                    let all = KeyRecord::for_all(known.into_iter().chain(candidates));
                    all.iter().try_for_each(|all| self.write(all))?;
                }
            }
        }
        Ok(())
    }

    /// What opens these keys here, for those that lie in `directory` alone: nothing counts that this machine keeps beside.
    pub fn elsewhere(&self, directory: PathBuf) -> Self {
        let mut state = self.lock();
        let secrets = Some(self.secrets(&mut state));
        let state = Mutex::new(State { secrets, ..State::default() });
        Self { directory, openers: self.openers.clone(), seals: false, state }
    }

    /// A key as it is kept here. One that is damaged in both copies is not.
    pub fn record(&self, id: KeyId) -> Result<Option<KeyRecord>, Error> {
        for directory in [self.directory.clone(), self.directory.join(SPARE)] {
            let path = directory.join(format!("{id}.json"));
            let Some(bytes) = file::read_regular(&path, RECORD_BYTES_MAX)? else { continue };
            match KeyRecord::parse(&bytes) {
                Ok(record) => return Ok(Some(record)),
                Err(unreadable @ Unreadable::Newer(_)) => return Err(unreadable.at(path)),
                Err(Unreadable::Damaged(_)) => {}
            }
        }
        Ok(None)
    }

    /// Every key that is kept here, as it is kept. One that is damaged in both copies is not: others are not to suffer for it, and it
    /// may come back from beside a backup.
    pub fn records(&self) -> Result<BTreeMap<KeyId, KeyRecord>, Error> {
        let mut records = BTreeMap::new();
        for directory in [self.directory.clone(), self.directory.join(SPARE)] {
            for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.extension().is_none_or(|ending| ending != "json") {
                    continue;
                }
                let Some(bytes) = file::read_regular(&path, RECORD_BYTES_MAX)? else { continue };
                match KeyRecord::parse(&bytes) {
                    Ok(record) => drop(record.key_id().map(|id| records.entry(id).or_insert(record))),
                    Err(unreadable @ Unreadable::Newer(_)) => return Err(unreadable.at(path)),
                    Err(Unreadable::Damaged(_)) => {}
                }
            }
        }
        Ok(records)
    }

    /// The keys that are kept here, oldest first.
    pub fn states(&self) -> Result<Vec<KeyState>, Error> {
        let (records, current) = (self.records()?, self.current_id()?);
        let mut state = self.lock();
        let mut keys: Vec<KeyState> = Vec::new();
        for (id, record) in records {
            let opens = self.opened(&mut state, id).is_ok();
            let (made_at, who) = (record.made_at, record.who());
            keys.push(KeyState { id, made_at, is_current: current == Some(id), opens, who });
        }
        keys.sort_by_key(|key| key.made_at);
        Ok(keys)
    }

    /// Makes a new key for new pieces, and wraps the older ones for those who are to open them now. `old`: what opens the older ones, where
    /// that is not what the configuration names. Whoever is killed in between does so again. Where none of them opens, nothing is changed:
    /// what is given may be the wrong one, and whoever has the right one is not to be shut out of what is new.
    pub fn rotate(&self, old: &Openers) -> Result<Rotated, Error> {
        let mut state = self.lock();
        let (mine, _) = self.secrets(&mut state);
        let (theirs, _) = gathered(&old.sources);
        let opened = |record: &KeyRecord| record.open(&mine).or_else(|| record.open(&theirs));
        let older: Vec<(KeyId, KeyRecord, Option<DataKey>)> = self
            .records()?
            .into_iter()
            .map(|(id, record)| {
                let key = opened(&record);
                (id, record, key)
            })
            .collect();
        if !mine.is_empty()
            && let Some((id, record, _)) = older.first()
            && older.iter().all(|(_, _, key)| key.is_none())
        {
            return Err(Error::CannotRotate { key: *id, who: record.who().join(", ") });
        }
        let new = self.make(&mut state, true)?;
        state.current = Some(Arc::clone(&new));
        let mut rotated = Rotated { new: Some(new.id()), ..Rotated::default() };
        let _alone = self.alone()?;
        for (id, record, opened) in older {
            let Some(key) = opened else {
                rotated.left.push(id);
                continue;
            };
            let wrapped = self.wrapped(&key, record.made_at, &mine)?;
            self.replace(&wrapped)?;
            state.opened.insert(id, Arc::new(key));
            rotated.rewrapped.push(id);
        }
        Ok(rotated)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody else adds a key meanwhile.
    fn alone(&self) -> Result<FileLock, Error> {
        file::create_private_dir(&self.directory)?;
        file::create_private_dir(&self.directory.join(SPARE))?;
        Ok(FileLock::exclusive(&self.directory.join(LOCK))?)
    }

    /// The key for new pieces; where nothing says which, the newest.
    fn current_id(&self) -> Result<Option<KeyId>, Error> {
        let said = file::read_regular(&self.directory.join(CURRENT), 64)?;
        let said = said.and_then(|bytes| std::str::from_utf8(&bytes).ok()?.trim().parse::<KeyId>().ok());
        if said.is_some() {
            return Ok(said);
        }
        let newest = self.records()?.into_iter().max_by_key(|(_, record)| record.made_at);
        Ok(newest.map(|(id, _)| id))
    }

    fn opened(&self, state: &mut State, id: KeyId) -> Result<Arc<DataKey>, Error> {
        if let Some(key) = state.opened.get(&id) {
            return Ok(Arc::clone(key));
        }
        let kept = self.record(id)?;
        let brought = state.brought.iter().filter(|record| record.key_id() == Some(id)).cloned();
        let records: Vec<KeyRecord> = kept.into_iter().chain(brought).collect();
        if records.is_empty() {
            return Err(self.missing(state, id));
        }
        let (secrets, missing) = self.secrets(state);
        let key = records.iter().find_map(|record| record.open(&secrets)).ok_or_else(|| {
            let mut who: Vec<String> = records.iter().flat_map(KeyRecord::who).collect();
            who.dedup();
            let who = who.join(", ");
            let why = match missing.is_empty() {
                true => format!("it is for {who}, and what is given here is another"),
                false => format!("it is for {who}, and {missing}"),
            };
            Error::NoKey { key: id, why, is_kept: true }
        })?;
        let key = Arc::new(key);
        state.opened.insert(id, Arc::clone(&key));
        Ok(key)
    }

    /// Why a key that is kept nowhere cannot be opened: whoever opens another one here lacks no secret.
    fn missing(&self, state: &mut State, id: KeyId) -> Error {
        let (secrets, _) = self.secrets(state);
        let opens = |record: &KeyRecord| record.open(&secrets).is_some();
        let has_others =
            !state.opened.is_empty() || self.records().is_ok_and(|records| records.values().any(opens));
        match (has_others, self.damage_of(id)) {
            (true, _) => Error::Lost { key: id, directory: self.directory.clone() },
            (false, Some(damaged)) => damaged,
            (false, None) => {
                let why = format!("it is not kept in `{}`", self.directory.display());
                Error::NoKey { key: id, why, is_kept: false }
            }
        }
    }

    /// What is wrong with the file of a key, where there is one.
    fn damage_of(&self, id: KeyId) -> Option<Error> {
        let path = self.directory.join(format!("{id}.json"));
        let bytes = file::read_regular(&path, RECORD_BYTES_MAX).ok().flatten()?;
        KeyRecord::parse(&bytes).err().map(|unreadable| unreadable.at(path))
    }

    /// The secrets of this process, and what is wrong with those that are missing.
    fn secrets(&self, state: &mut State) -> (Arc<Vec<Secret>>, String) {
        if state.secrets.is_none() {
            let (secrets, missing) = gathered(&self.openers.sources);
            let missing = match self.openers.sources.is_empty() {
                true => "no key is named here".to_owned(),
                false => missing,
            };
            state.secrets = Some((Arc::new(secrets), missing));
        }
        state.secrets.clone().expect("it was set above")
    }

    /// Makes a key, and makes it the one for new pieces. Where somebody was faster, theirs is it, unless it is to be another.
    fn make(&self, state: &mut State, another: bool) -> Result<Arc<DataKey>, Error> {
        let (secrets, missing) = self.secrets(state);
        if secrets.is_empty() {
            return Err(Error::CannotSeal { why: missing });
        }
        let alone = self.alone()?;
        if let Some(id) = self.current_id()?.filter(|_| !another) {
            drop(alone);
            return self.opened(state, id);
        }
        let key = Arc::new(DataKey::random());
        let record = self.wrapped(&key, SystemClock.now(), &secrets)?;
        // What is written is opened once before anything rests on it.
        if record.open(&secrets).is_none() {
            return Err(Error::CannotSeal { why: "what was wrapped does not open again".to_owned() });
        }
        self.write(&record)?;
        fault::point("seal.current");
        let current = self.directory.join(CURRENT);
        file::write_atomic(&current, format!("{}\n", key.id()).as_bytes(), Durability::Synced)?;
        state.opened.insert(key.id(), Arc::clone(&key));
        Ok(key)
    }

    fn wrapped(&self, key: &DataKey, made_at: Timestamp, secrets: &[Secret]) -> Result<KeyRecord, Error> {
        KeyRecord::wrap(key, made_at, secrets, &self.openers.recipients)
            .map_err(|why| Error::CannotSeal { why })
    }

    /// Writes a record that is not there yet, twice.
    fn write(&self, record: &KeyRecord) -> Result<(), Error> {
        fault::point("seal.write");
        self.replace(record)
    }

    fn replace(&self, record: &KeyRecord) -> Result<(), Error> {
        let (name, bytes) = (format!("{}.json", record.id), record.to_bytes());
        // The spare first: of the two, one is sound at any time.
        file::write_atomic(&self.directory.join(SPARE).join(&name), &bytes, Durability::Synced)?;
        fault::point("seal.spare");
        file::write_atomic(&self.directory.join(&name), &bytes, Durability::Synced)?;
        fault::point("seal.written");
        Ok(())
    }
}

/// All secrets of these sources, and what is wrong with those that give none.
fn gathered(sources: &[crate::opener::Source]) -> (Vec<Secret>, String) {
    let (mut secrets, mut missing) = (Vec::new(), Vec::new());
    for source in sources {
        match source.secrets() {
            Ok(found) => secrets.extend(found),
            Err(why) => missing.push(why),
        }
    }
    (secrets, missing.join("; "))
}

impl Keys for Ring {
    fn seals(&self) -> bool {
        self.seals
    }

    fn for_new(&self) -> Result<KeyId, Error> {
        if self.seals { self.current().map(|key| key.id()) } else { Ok(KeyId::NONE) }
    }

    fn seal(&self, place: &Place<'_>, codec: i64, bytes: Vec<u8>) -> Result<Kept, Error> {
        if !self.seals {
            return Ok(Kept { key: KeyId::NONE, bytes });
        }
        let key = self.current()?;
        Ok(Kept { key: key.id(), bytes: key.seal(place, codec, &bytes) })
    }

    fn open<'a>(
        &self,
        key: KeyId,
        place: &Place<'_>,
        codec: i64,
        bytes: &'a [u8],
    ) -> Result<Cow<'a, [u8]>, Error> {
        if key == KeyId::NONE {
            return Ok(Cow::Borrowed(bytes));
        }
        self.key(key)?.open(place, codec, bytes).map(Cow::Owned)
    }
}

#[cfg(test)]
mod tests;
