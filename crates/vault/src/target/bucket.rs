//! A bucket of an object store that keeps backups, by rules that hold for every store.
//!
//! - An object is created and never replaced. Where one is there already, or a conflict is reported, or an answer was lost, what
//!   lies there is read and compared.
//! - A large object is put in parts, which no store does conditionally: only one that is named by the digest of what it holds goes
//!   that way, so that whoever else puts it there puts the same.
//! - A store that replaces what is there although it is asked not to is found before the first object is put, and refused.
//! - Reading, listing and removing are asked again until there is an answer, as [`Patience`] says.
//!
//! What is not promised is that a list is up to date ([`Target::may_lag`]); what is read by its name is.

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::multipart::MultipartStore;
use object_store::path::Path;
use object_store::{
    GetOptions, GetRange, MultipartId, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload,
};
use piton_model::Timestamp;
use piton_store::chain;
use piton_sys::{Ids, SystemIds};
use tokio::sync::OnceCell;

use super::failure::{Act, Failure, Reason, Silence, Verdict, judge};
use super::retry::{GivenUp, Patience, Waits, ask};
use super::{BoxFuture, OURS, Object, Target};
use crate::Error;

/// An object that holds more is put in parts.
const WHOLE_BYTES_MAX: usize = 64 << 20;

/// So much is put, or read, with one request. Stores want 5 MiB at least in all parts but the last.
const PART_BYTES: usize = 32 << 20;

/// What the rules need of a store.
pub trait Backend: ObjectStore + MultipartStore {}

impl<T: ObjectStore + MultipartStore> Backend for T {}

/// A bucket that keeps backups.
pub struct Bucket {
    store: Box<dyn Backend>,
    root: Path,
    place: String,
    region: String,
    patience: Patience,
    whole_bytes_max: usize,
    part_bytes: usize,
    /// Whether the store was seen to keep what is there.
    is_safe: OnceCell<()>,
}

/// What lies where something should be put.
enum There {
    Nothing,
    TheSame,
    SomethingElse,
}

impl Bucket {
    /// Backups below `prefix` of a store that people know as `place`, in `region`.
    pub fn new(store: impl Backend, prefix: &str, place: &str, region: &str, patience: Patience) -> Self {
        let parts = prefix.split('/').filter(|part| !part.is_empty()).chain([OURS]);
        Self {
            store: Box::new(store),
            root: Path::from_iter(parts),
            place: place.to_owned(),
            region: region.to_owned(),
            patience,
            whole_bytes_max: WHOLE_BYTES_MAX,
            part_bytes: PART_BYTES,
            is_safe: OnceCell::new(),
        }
    }

    /// The same, with objects of more than `whole` bytes put in parts of `part` bytes, and read in such.
    #[must_use]
    pub fn in_parts(self, whole: usize, part: usize) -> Self {
        Self { whole_bytes_max: whole, part_bytes: part, ..self }
    }

    fn path(&self, name: &str) -> Path {
        Path::from_iter(self.root.parts().chain(Path::from(name).parts()))
    }

    fn failed(&self, act: Act, given_up: GivenUp) -> Error {
        let (reason, said) = given_up.reason();
        self.refused(act, reason, said)
    }

    fn refused(&self, act: Act, reason: Reason, said: Option<String>) -> Error {
        Failure { place: self.place.clone(), act, reason, said }.into()
    }

    async fn ask<T, A: Future<Output = Result<T, object_store::Error>>>(
        &self,
        asked: impl FnMut() -> A,
    ) -> Result<T, GivenUp> {
        ask(self.patience, &self.region, asked).await
    }

    async fn put_now(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        self.is_safe.get_or_try_init(|| self.probe()).await?;
        let path = self.path(name);
        let is_named_by_content = || name.rsplit('/').next() == Some(&chain::hex(&chain::digest(bytes)));
        if bytes.len() > self.whole_bytes_max && is_named_by_content() {
            return self.put_parts(name, &path, bytes).await;
        }
        match self.create(&path, bytes).await? {
            true => Ok(()),
            false => Err(Error::Taken { object: name.to_owned() }),
        }
    }

    /// Creates an object with one request. False where something else is there.
    async fn create(&self, path: &Path, bytes: &[u8]) -> Result<bool, Error> {
        let payload = PutPayload::from_bytes(Bytes::copy_from_slice(bytes));
        let mut waits = Waits::new(self.patience);
        loop {
            let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
            let asked = self.store.put_opts(path, payload.clone(), options).await;
            let Err(error) = asked else { return Ok(true) };
            let (verdict, said) = judge(&error, &self.region);
            if verdict == Verdict::Exists {
                match self.there(path, bytes).await? {
                    There::TheSame => return Ok(true),
                    There::SomethingElse => return Ok(false),
                    // Somebody else tried at the same moment, and neither of us made it.
                    There::Nothing => {}
                }
            }
            if !waits.again(&verdict).await {
                return Err(self.failed(Act::Write, GivenUp { verdict, said }));
            }
        }
    }

    /// Puts a large object that is named by what it holds.
    async fn put_parts(&self, name: &str, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        match self.there(path, bytes).await? {
            There::TheSame => return Ok(()),
            There::SomethingElse => return Err(Error::Taken { object: name.to_owned() }),
            There::Nothing => {}
        }
        let failed = |given_up| self.failed(Act::Write, given_up);
        let id = self.ask(|| self.store.create_multipart(path)).await.map_err(failed)?;
        match self.put_each(path, &id, bytes).await {
            Ok(()) => Ok(()),
            Err(given_up) => {
                // It may have been put together, and only the answer was lost.
                if matches!(self.there(path, bytes).await, Ok(There::TheSame)) {
                    return Ok(());
                }
                // Parts that nobody puts together cost money; who may not forget them is left with that.
                let _ = self.store.abort_multipart(path, &id).await;
                Err(failed(given_up))
            }
        }
    }

    async fn put_each(&self, path: &Path, id: &MultipartId, bytes: &[u8]) -> Result<(), GivenUp> {
        let mut parts = Vec::new();
        for (number, part) in bytes.chunks(self.part_bytes).enumerate() {
            let payload = PutPayload::from_bytes(Bytes::copy_from_slice(part));
            let put = self.ask(|| self.store.put_part(path, id, number, payload.clone()));
            parts.push(put.await?);
        }
        self.ask(|| self.store.complete_multipart(path, id, parts.clone())).await.map(drop)
    }

    /// Compares what lies at `path` with `bytes`, a part at a time.
    async fn there(&self, path: &Path, bytes: &[u8]) -> Result<There, Error> {
        let mut at = 0;
        loop {
            let Some((part, size)) = self.part(path, at).await? else {
                return Ok(if at == 0 { There::Nothing } else { There::SomethingElse });
            };
            let end = at + part.len();
            if size != bytes.len() as u64 || bytes.get(at..end) != Some(&part) {
                return Ok(There::SomethingElse);
            }
            if end == bytes.len() {
                return Ok(There::TheSame);
            }
            at = end;
        }
    }

    /// A part of an object from `at` on, and the size of all of it. `None` where there is no such object.
    async fn part(&self, path: &Path, at: usize) -> Result<Option<(Bytes, u64)>, Error> {
        let range = at as u64..(at + self.part_bytes) as u64;
        match self.ask(|| self.read(path, range.clone())).await {
            Ok(read) => Ok(Some(read)),
            Err(GivenUp { verdict: Verdict::Missing, .. }) => Ok(None),
            Err(given_up) => Err(self.failed(Act::Read, given_up)),
        }
    }

    async fn read(
        &self,
        path: &Path,
        range: std::ops::Range<u64>,
    ) -> Result<(Bytes, u64), object_store::Error> {
        let options = GetOptions { range: Some(GetRange::Bounded(range.clone())), ..GetOptions::default() };
        let answer = match self.store.get_opts(path, options).await {
            Ok(answer) => answer,
            Err(error) if range.start > 0 => return Err(error),
            Err(error) => {
                // Nothing can be taken out of an empty object, and stores say so in several ways.
                let is_odd = judge(&error, &self.region).0 == Verdict::Passing(Reason::Other);
                return match is_odd && self.store.head(path).await.is_ok_and(|found| found.size == 0) {
                    true => Ok((Bytes::new(), 0)),
                    false => Err(error),
                };
            }
        };
        let size = answer.meta.size;
        let bytes = answer.bytes().await?;
        if bytes.len() as u64 == range.end.min(size).saturating_sub(range.start) {
            return Ok((bytes, size));
        }
        let what = format!("{} bytes of an object of {size} came from {path}, not all", bytes.len());
        Err(object_store::Error::Generic { store: "bucket", source: Box::new(Silence::BrokeOff { what }) })
    }

    async fn get_now(&self, name: &str, bytes_max: u64) -> Result<Option<Vec<u8>>, Error> {
        let path = self.path(name);
        let Some((first, size)) = self.part(&path, 0).await? else { return Ok(None) };
        if size > bytes_max {
            return Err(Error::damaged(
                name,
                format!("it holds {size} bytes, and at most {bytes_max} may be there"),
            ));
        }
        let mut bytes = Vec::from(first);
        while (bytes.len() as u64) < size {
            match self.part(&path, bytes.len()).await? {
                Some((part, total)) if total == size && !part.is_empty() => bytes.extend_from_slice(&part),
                Some(_) => return Err(Error::damaged(name, "it changed while it was read")),
                None => return Ok(None),
            }
        }
        Ok(Some(bytes))
    }

    async fn list_now(&self, prefix: &str) -> Result<Vec<Object>, Error> {
        let below = self.path(prefix);
        let asked = self.ask(|| self.store.list(Some(&below)).try_collect::<Vec<_>>()).await;
        let found = match asked {
            Ok(found) => found,
            // A container that is empty, or a store that has no word for nothing.
            Err(GivenUp { verdict: Verdict::Missing, .. }) => Vec::new(),
            Err(given_up) => return Err(self.failed(Act::List, given_up)),
        };
        let mut objects: Vec<Object> = found
            .into_iter()
            .filter_map(|meta| {
                let name: Vec<_> = meta.location.prefix_match(&self.root)?.collect();
                let name = name.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join("/");
                let at = Timestamp::from_millis(meta.last_modified.timestamp_millis());
                Some(Object { name, bytes: meta.size, at })
            })
            .collect();
        objects.sort_by(|a, b| a.name.cmp(&b.name));
        objects.dedup_by(|a, b| a.name == b.name);
        Ok(objects)
    }

    async fn remove_now(&self, name: &str) -> Result<(), Error> {
        let path = self.path(name);
        match self.ask(|| self.store.delete(&path)).await {
            Ok(()) | Err(GivenUp { verdict: Verdict::Missing, .. }) => Ok(()),
            Err(given_up) => Err(self.failed(Act::Delete, given_up)),
        }
    }

    /// Asks the store to create the same object twice: the second time it has to say no.
    async fn probe(&self) -> Result<(), Error> {
        let path = self.path(&format!("probes/{}", SystemIds.hex(16)));
        let (first, second) = (SystemIds.bytes(), SystemIds.bytes());
        let is_kept = self.create(&path, &first).await?
            && !self.create(&path, &second).await?
            && matches!(self.there(&path, &first).await?, There::TheSame);
        // What stays of it is sixteen bytes.
        let _ = self.store.delete(&path).await;
        match is_kept {
            true => Ok(()),
            false => Err(self.refused(Act::Write, Reason::Unsafe, None)),
        }
    }
}

impl Target for Bucket {
    fn put<'a>(&'a self, name: &'a str, bytes: &'a [u8]) -> BoxFuture<'a, ()> {
        Box::pin(self.put_now(name, bytes))
    }

    fn get<'a>(&'a self, name: &'a str, bytes_max: u64) -> BoxFuture<'a, Option<Vec<u8>>> {
        Box::pin(self.get_now(name, bytes_max))
    }

    fn list<'a>(&'a self, prefix: &'a str) -> BoxFuture<'a, Vec<Object>> {
        Box::pin(self.list_now(prefix))
    }

    fn remove<'a>(&'a self, name: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(self.remove_now(name))
    }

    fn place(&self) -> String {
        self.place.clone()
    }

    fn may_lag(&self) -> bool {
        true
    }
}
