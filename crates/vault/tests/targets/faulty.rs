//! A store in memory whose answers go wrong as those of real ones do.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use object_store::memory::InMemory;
use object_store::multipart::{MultipartStore, PartId};
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, GetResultPayload, ListResult, MultipartId, MultipartUpload,
    ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult,
    Result,
};
use piton_vault::target::failure::{Refused, Silence};
use piton_vault::target::{Bucket, Patience};

/// What may happen to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// The store fails, and did nothing.
    Error500,
    /// It is busy, and did nothing.
    Busy503,
    /// It says nothing, and did nothing.
    Timeout,
    /// The answer breaks off in the middle.
    Truncated,
    /// It reports a conflict, and did nothing.
    Conflict409,
    /// It says that something is there, and did nothing.
    Exists412,
    /// It did it, and the answer is lost.
    LostReply,
    /// It is late.
    Slow,
}

pub(crate) const FAULTS: [Fault; 8] = [
    Fault::Error500,
    Fault::Busy503,
    Fault::Timeout,
    Fault::Truncated,
    Fault::Conflict409,
    Fault::Exists412,
    Fault::LostReply,
    Fault::Slow,
];

/// How often what goes wrong.
#[derive(Default)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    /// Of a thousand requests.
    pub(crate) per_mille: u64,
    /// Only these; all where there is none.
    pub(crate) only: Vec<Fault>,
    /// Lists show a change so late at the latest.
    pub(crate) lag: Duration,
    /// The store replaces what is there.
    pub(crate) replaces: bool,
}

#[derive(Default)]
struct State {
    plan: Plan,
    random: u64,
    asked: u64,
    happened: BTreeMap<Fault, u64>,
    /// Put, and not shown before.
    hidden: BTreeMap<Path, Instant>,
    /// Removed, and shown until.
    ghosts: BTreeMap<Path, (ObjectMeta, Instant)>,
    /// Never shown.
    veiled: Option<String>,
}

/// The store; its clones are the same one.
#[derive(Clone, Default)]
pub(crate) struct Faulty {
    inner: Arc<InMemory>,
    state: Arc<Mutex<State>>,
}

impl Faulty {
    pub(crate) fn new(plan: Plan) -> Self {
        let random = plan.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let state = State { plan, random, ..State::default() };
        Self { inner: Arc::default(), state: Arc::new(Mutex::new(state)) }
    }

    /// The same objects without faults.
    pub(crate) fn sound(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), state: Arc::default() }
    }

    /// A bucket in it, for somebody who does not wait long.
    pub(crate) fn bucket(&self) -> Bucket {
        let (first, longest) = (Duration::from_micros(100), Duration::from_millis(2));
        let patience = Patience { tries: 12, calls: 12, first, longest, ..Patience::default() };
        Bucket::new(self.clone(), "a/prefix", "mem://bucket/a/prefix", "here", patience)
    }

    /// How often it was asked.
    pub(crate) fn asked(&self) -> u64 {
        self.state.lock().unwrap().asked
    }

    /// How often what happened.
    pub(crate) fn happened(&self) -> BTreeMap<Fault, u64> {
        self.state.lock().unwrap().happened.clone()
    }

    /// From now on lists do not show objects whose names hold `part`.
    pub(crate) fn veil(&self, part: Option<&str>) {
        self.state.lock().unwrap().veiled = part.map(str::to_owned);
    }

    /// What happens to the next request, of which those in `possible` can.
    fn next(&self, possible: &[Fault]) -> Option<Fault> {
        let mut state = self.state.lock().unwrap();
        state.asked += 1;
        let number = draw(&mut state.random);
        if number % 1000 >= state.plan.per_mille {
            return None;
        }
        let only = &state.plan.only;
        let wanted: Vec<Fault> =
            possible.iter().copied().filter(|fault| only.is_empty() || only.contains(fault)).collect();
        let fault = *wanted.get((number / 1000) as usize % wanted.len().max(1))?;
        *state.happened.entry(fault).or_default() += 1;
        Some(fault)
    }

    /// Does what is asked, or not, and says so, or not.
    async fn through<T>(
        &self,
        possible: &[Fault],
        path: &Path,
        act: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let fault = self.next(possible);
        match fault {
            None => act.await,
            Some(Fault::Slow) => {
                tokio::time::sleep(Duration::from_millis(3)).await;
                act.await
            }
            Some(Fault::LostReply) => {
                let _ = act.await;
                Err(silent("it was lost"))
            }
            Some(fault) => Err(refused(fault, path)),
        }
    }

    fn lag(&self) -> Option<Duration> {
        let mut state = self.state.lock().unwrap();
        let most = state.plan.lag.as_millis() as u64;
        (most > 0).then(|| Duration::from_millis(draw(&mut state.random) % most))
    }

    fn was_put(&self, path: &Path) {
        if let Some(lag) = self.lag() {
            self.state.lock().unwrap().hidden.insert(path.clone(), Instant::now() + lag);
        }
    }
}

fn draw(random: &mut u64) -> u64 {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    *random >> 11
}

fn generic(source: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::Generic { store: "faulty", source: Box::new(source) }
}

fn silent(what: &str) -> Error {
    generic(Silence::BrokeOff { what: what.to_owned() })
}

fn refused(fault: Fault, path: &Path) -> Error {
    let status = |status, code: &str| {
        generic(Refused { status, code: code.to_owned(), message: String::new(), region: None })
    };
    match fault {
        Fault::Error500 => status(500, "InternalError"),
        Fault::Busy503 => status(503, "SlowDown"),
        Fault::Conflict409 => Error::AlreadyExists { path: path.to_string(), source: "a conflict".into() },
        Fault::Exists412 => Error::Precondition { path: path.to_string(), source: "a condition".into() },
        Fault::Timeout | Fault::Truncated | Fault::LostReply | Fault::Slow => silent("there was no answer"),
    }
}

impl fmt::Debug for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Faulty")
    }
}

impl fmt::Display for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Faulty")
    }
}

const READING: [Fault; 5] = [Fault::Error500, Fault::Busy503, Fault::Timeout, Fault::Truncated, Fault::Slow];
const WRITING: [Fault; 5] = [Fault::Error500, Fault::Busy503, Fault::Timeout, Fault::LostReply, Fault::Slow];

#[async_trait]
impl ObjectStore for Faulty {
    async fn put_opts(&self, path: &Path, payload: PutPayload, mut options: PutOptions) -> Result<PutResult> {
        let replaces = self.state.lock().unwrap().plan.replaces;
        let is_create = matches!(options.mode, PutMode::Create);
        if replaces {
            options.mode = PutMode::Overwrite;
        }
        let act = async {
            let put = self.inner.put_opts(path, payload, options).await;
            if put.is_ok() {
                self.was_put(path);
            }
            put
        };
        let possible: &[Fault] = if is_create { &FAULTS } else { &WRITING };
        self.through(possible, path, act).await
    }

    async fn put_multipart_opts(
        &self,
        path: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(path, options).await
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        match self.next(&READING) {
            None => self.inner.get_opts(path, options).await,
            Some(Fault::Truncated) => {
                let answer = self.inner.get_opts(path, options).await?;
                let (meta, range, attributes) =
                    (answer.meta.clone(), answer.range.clone(), answer.attributes.clone());
                let extensions = answer.extensions.clone();
                let bytes = answer.bytes().await?;
                // Half of the time it only stops, and says nothing of it.
                let half = stream::iter([Ok(bytes.slice(..bytes.len() / 2))]);
                let is_said = bytes.len() % 2 == 0;
                let end = stream::iter(is_said.then(|| Err(silent("it broke off"))));
                let payload = GetResultPayload::Stream(half.chain(end).boxed());
                Ok(GetResult { payload, meta, range, attributes, extensions })
            }
            Some(Fault::Slow) => {
                tokio::time::sleep(Duration::from_millis(3)).await;
                self.inner.get_opts(path, options).await
            }
            Some(fault) => Err(refused(fault, path)),
        }
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        let faulty = self.clone();
        let each = move |path: Result<Path>| {
            let faulty = faulty.clone();
            async move {
                let path = path?;
                let act = async {
                    let meta = faulty.inner.head(&path).await;
                    let deleted = faulty.inner.delete(&path).await;
                    if let (Ok(meta), Some(lag)) = (meta, faulty.lag()) {
                        let ghost = (meta, Instant::now() + lag);
                        faulty.state.lock().unwrap().ghosts.insert(path.clone(), ghost);
                    }
                    deleted
                };
                faulty.through(&WRITING, &path, act).await?;
                Ok(path)
            }
        };
        paths.then(each).boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let fault = self.next(&READING);
        let (root, below) = (Path::default(), prefix.cloned());
        let listed = self.inner.list(prefix);
        let state = self.state.lock().unwrap();
        let (hidden, veiled, now) = (state.hidden.clone(), state.veiled.clone(), Instant::now());
        let ghosts: Vec<_> =
            state.ghosts.values().filter(|(_, until)| *until > now).map(|(meta, _)| meta.clone()).collect();
        drop(state);
        let is_shown = move |path: &Path| {
            hidden.get(path).is_none_or(|until| *until <= now)
                && veiled.as_ref().is_none_or(|part| !path.as_ref().contains(part.as_str()))
        };
        let is_below = move |path: &Path| path.prefix_match(below.as_ref().unwrap_or(&root)).is_some();
        let ghosts = stream::iter(ghosts.into_iter().filter(move |meta| is_below(&meta.location)).map(Ok));
        let shown = listed.filter(move |meta| {
            let is_shown = meta.as_ref().is_ok_and(|meta| is_shown(&meta.location));
            async move { is_shown }
        });
        match fault {
            Some(Fault::Truncated) => {
                shown.take(1).chain(stream::iter([Err(silent("it broke off"))])).boxed()
            }
            Some(fault) if fault != Fault::Slow => {
                stream::iter([Err(refused(fault, &Path::default()))]).boxed()
            }
            _ => shown.chain(ghosts).boxed(),
        }
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

#[async_trait]
impl MultipartStore for Faulty {
    async fn create_multipart(&self, path: &Path) -> Result<MultipartId> {
        self.through(&WRITING, path, self.inner.create_multipart(path)).await
    }

    async fn create_multipart_opts(&self, path: &Path, options: PutMultipartOptions) -> Result<MultipartId> {
        self.through(&WRITING, path, self.inner.create_multipart_opts(path, options)).await
    }

    async fn put_part(
        &self,
        path: &Path,
        id: &MultipartId,
        number: usize,
        payload: PutPayload,
    ) -> Result<PartId> {
        self.through(&WRITING, path, self.inner.put_part(path, id, number, payload)).await
    }

    async fn complete_multipart(
        &self,
        path: &Path,
        id: &MultipartId,
        parts: Vec<PartId>,
    ) -> Result<PutResult> {
        let act = async {
            let put = self.inner.complete_multipart(path, id, parts).await;
            if put.is_ok() {
                self.was_put(path);
            }
            put
        };
        self.through(&WRITING, path, act).await
    }

    async fn abort_multipart(&self, path: &Path, id: &MultipartId) -> Result<()> {
        self.through(&WRITING, path, self.inner.abort_multipart(path, id)).await
    }
}
