//! A ledger in its place: journal, file and log, kept together whatever happens in between.
//!
//! ```text
//!   lock ─► read file ─► differs from what is on record? adopt it ─► command ─► events
//!                                                                        │ journal
//!        FlipsLogged ◄─ log ◄─ FileWritten ◄─ file, by a three-way merge ◄┘
//! ```
//!
//! The journal comes first; file and log follow, each with a record of its own. A crash at any point leaves the rest
//! open in the state, and whoever opens the ledger next completes it before anything else. Nobody drives a ledger: each
//! command does all of this under a lock, which dies with its process.
//!
//! - [`research`]: agents that look into gaps, one at a time.
//! - [`fresh`]: what else wants to know how fresh something is.

pub mod fresh;
mod journal;
pub mod research;
mod result;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use piton_files::Problem;
use piton_files::gaps::{Document, Draft, Invalid, LedgerFile, RewriteError, UpdateError, append_flips};
use piton_model::ledger::{Gap, Observed, Overruled, SourceKind, merge, problems_since_sound};
use piton_model::ledger_machine::{
    Command, Effect, LedgerEvent, Opening, Rejection, State, apply, create, decide,
};
use piton_model::limits::GAP_FILE_BYTES_MAX;
use piton_model::{Kind, RunId, Seq, Timestamp, slug};
use piton_store::{Store, StoredEvent, Wanted, chain};
use piton_sys::file;
use piton_sys::lock::FileLock;
use piton_sys::{Clock, SystemClock};
pub use piton_view::LedgerAt;

use self::journal::Planned;
use crate::layout::Layout;
use crate::load::{LoadError, Loaded};

/// What a file that is not there counts as.
const ABSENT: &str = "absent";
/// How often a decision is made again because somebody was faster.
const TRIES_MAX: usize = 32;
/// How often a file that says nothing any more is looked at again, and how long after the last look.
const LOOKS_MAX: usize = 200;
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);
/// The largest file whose hash is taken as evidence.
const EVIDENCE_BYTES_MAX: u64 = 64 << 20;

/// Why nothing came of it.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The file is not a sound ledger. It was left as it is.
    #[error("`{}` is not a sound ledger:\n{problems}", path.display())]
    Invalid {
        /// Which file.
        path: PathBuf,
        /// All that is wrong with it.
        problems: Invalid,
    },
    /// The command makes no sense where the ledger is.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// The file cannot be made to say that.
    #[error(transparent)]
    Rewrite(#[from] RewriteError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] file::Error),
    /// What was done is on record and in the file, but not in the log. It is added by whoever comes next.
    #[error("the change is made, but cannot be logged; the next command completes the log")]
    NotLogged(#[source] file::Error),
    /// The file says nothing any more. What is on record stays.
    #[error("`{}` lists no gaps any more, and {gaps} {} on record", path.display(), if *gaps == 1 { "is" } else { "are" })]
    Emptied {
        /// Which file.
        path: PathBuf,
        /// How many are on record.
        gaps: usize,
    },
    /// Somebody else is writing the file, or keeps on doing so.
    #[error("`{}` is being written by somebody else", .0.display())]
    Busy(PathBuf),
    /// The journal said no.
    #[error(transparent)]
    Store(#[from] piton_store::Error),
    /// The ledger could not be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// Agents said no.
    #[error(transparent)]
    Agent(#[from] piton_agent::Error),
    /// What piton keeps cannot be hidden from git.
    #[error(transparent)]
    Git(piton_git::Error),
    /// No agent can be started here.
    #[error(transparent)]
    Launch(#[from] crate::launch::LaunchError),
}

/// A ledger of this repository.
pub struct Ledger<'a> {
    store: Option<&'a dyn Store>,
    layout: &'a Layout,
    run: RunId,
    settings: LedgerAt,
    known: Mutex<Option<Known>>,
}

/// The file as it was last read.
#[derive(Clone)]
struct Known {
    document: Arc<Document>,
    /// How the journal knows it.
    digest: String,
    /// How the file stood before it was read, where that shows whether somebody has written to it since.
    look: Option<file::Look>,
}

/// A ledger as it is, without anything written.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The fold, with what the file says and nobody has adopted yet.
    pub state: State,
    /// What is wrong with it and stops nothing.
    pub problems: Vec<Problem>,
    /// What is accepted about the file, but worth saying.
    pub warnings: Vec<Problem>,
    /// Whether there is a file.
    pub exists: bool,
}

/// What a command did.
#[derive(Clone, Debug, Default)]
pub struct Changed {
    /// What was decided.
    pub events: Vec<LedgerEvent>,
    /// What was wished for and an edit by hand did not leave room for.
    pub overruled: Vec<Overruled>,
    /// Edits by hand that could not be merged, kept for a person.
    pub kept: Vec<PathBuf>,
}

/// The journal of a repository, for whoever changes this ledger: created where it is not there yet, and out of git's
/// sight from the first command on.
pub fn journal_for(layout: &Layout, at: &LedgerAt) -> Result<Arc<dyn Store>, LedgerError> {
    let store = piton_store::open(layout.store())?;
    if !Ledger::new(None, layout, at.clone()).has_begun() {
        piton_git::Workspace::open(layout.root(), &layout.state())
            .and_then(|workspace| workspace.protect_state())
            .map_err(LedgerError::Git)?;
    }
    Ok(store)
}

/// The name of the ledger in this file.
pub fn run_id(file: &Path) -> RunId {
    let path = file.to_string_lossy();
    let digest = chain::hex(&chain::digest(path.as_bytes()));
    let stem: String = file.with_extension("").to_string_lossy().into_owned();
    let name = format!("ledger-{}-{}", slug(&stem), &digest[..8]);
    name.parse().expect("a slug and hexadecimal digits are a name")
}

/// How the journal knows a content.
fn digest(content: Option<&[u8]>) -> String {
    content.map_or_else(|| ABSENT.to_owned(), |bytes| chain::hex(&chain::digest(bytes)))
}

/// The log beside the file.
fn default_log(file: &Path) -> PathBuf {
    file.with_file_name("gap_audit.log")
}

/// The log beside the file, where another ledger has the other.
fn log_of_its_own(file: &Path) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    file.with_file_name(format!("{stem}_audit.log"))
}

impl<'a> Ledger<'a> {
    /// The ledger that the settings name. Without a journal it can only be read.
    pub fn new(store: Option<&'a dyn Store>, layout: &'a Layout, settings: LedgerAt) -> Self {
        Self { store, layout, run: run_id(&settings.file), settings, known: Mutex::default() }
    }

    /// Its name in the journal.
    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// Whether anybody has ever opened it for changing.
    fn has_begun(&self) -> bool {
        self.lock_path().exists()
    }

    fn lock_path(&self) -> PathBuf {
        self.layout.ledgers().join(format!("{}.lock", self.run))
    }

    /// Where the gap file is.
    pub fn path(&self) -> PathBuf {
        self.layout.root().join(&self.settings.file)
    }

    fn store(&self) -> &'a dyn Store {
        self.store.expect("whoever changes a ledger has opened the journal")
    }

    fn ledger_file(&self) -> LedgerFile {
        let beside = self.beside();
        let aside = if beside.is_dir() { beside } else { self.layout.ledgers().join(self.run.as_str()) };
        LedgerFile::new(self.path(), aside)
    }

    /// A directory beside the gap file, for one that is on another file system than what piton keeps.
    fn beside(&self) -> PathBuf {
        let name = self.settings.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.path().with_file_name(format!(".{name}.piton"))
    }

    /// From now on the file is written by way of the directory beside it, which git does not see.
    fn write_beside(&self) -> Result<(), LedgerError> {
        file::create_private_dir(&self.beside())?;
        let ignore = self.beside().join(".gitignore");
        Ok(file::write_atomic(&ignore, b"*\n", file::Durability::Unsynced)?)
    }

    /// The file may be the first in its directory.
    fn create_directory(&self) -> Result<(), LedgerError> {
        let path = self.path();
        let Some(parent) = path.parent().filter(|parent| !parent.exists()) else { return Ok(()) };
        let created = std::fs::DirBuilder::new().recursive(true).create(parent);
        Ok(created.map_err(|error| file::Error::new("create the directory", parent, error))?)
    }

    /// The bytes of the file.
    fn content(&self) -> Result<Option<Vec<u8>>, LedgerError> {
        file::read_regular(&self.path(), GAP_FILE_BYTES_MAX).map_err(|error| match error.refusal() {
            Some(file::Refusal::TooLarge { .. }) => {
                let problems = Problem::new("the file is larger than 64 MiB").into();
                LedgerError::Invalid { path: self.path(), problems }
            }
            _ => error.into(),
        })
    }

    /// What the file says. A content that was read before is not read again.
    async fn file(&self) -> Result<Option<Known>, LedgerError> {
        if let Some(known) = self.known() {
            return Ok(Some(known));
        }
        let look = file::look_at_rest(&self.path(), SystemClock.now());
        let Some(bytes) = self.content()? else { return Ok(None) };
        // Beside whoever loads the journal meanwhile: of a large ledger, either takes its time.
        let read = tokio::task::spawn_blocking(move || {
            let digest = digest(Some(&bytes));
            Document::from_bytes(bytes).map(|document| Known { document: Arc::new(document), digest, look })
        });
        let read = read.await.expect("reading a ledger does not panic");
        let known = read.map_err(|problems| LedgerError::Invalid { path: self.path(), problems })?;
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(known.clone());
        Ok(Some(known))
    }

    /// The same for somebody who knows these gaps. An editor that saves in place empties the file before it fills it: one that
    /// says nothing any more is waited for, and once it has rested it is refused. Only `gaps: []` says that all are gone.
    async fn file_beside(&self, known: &[Gap]) -> Result<Option<Known>, LedgerError> {
        for _ in 0..LOOKS_MAX {
            let file = self.file().await?;
            if known.is_empty() || !file.as_ref().is_some_and(|file| file.document.says_nothing()) {
                return Ok(file);
            }
            if file::look_at_rest(&self.path(), SystemClock.now()).is_some() {
                break;
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
        Err(LedgerError::Emptied { path: self.path(), gaps: known.len() })
    }

    /// What was read, if the file holds it still.
    fn known(&self) -> Option<Known> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        known.filter(|known| {
            // Whoever writes compares the content once more, in the moment of writing.
            let looks_the_same =
                known.look.is_some() && file::look_at_rest(&self.path(), SystemClock.now()) == known.look;
            looks_the_same || file::holds(&self.path(), known.document.text().as_bytes())
        })
    }

    /// How the journal knows what the file holds now.
    fn digest(&self) -> Result<String, LedgerError> {
        match self.known() {
            Some(known) => Ok(known.digest),
            None => Ok(digest(self.content()?.as_deref())),
        }
    }

    fn opening(&self, log: &Path) -> LedgerEvent {
        create(Opening {
            run: self.run.clone(),
            file: self.settings.file.display().to_string(),
            log: log.display().to_string(),
            default_ttl_days: self.settings.default_ttl_days,
        })
    }

    /// The log that was asked for, or the one beside the file.
    fn log(&self) -> PathBuf {
        self.settings.log.clone().unwrap_or_else(|| default_log(&self.settings.file))
    }

    /// The same for a ledger that is about to begin: a log that another ledger has already is left to it.
    async fn free_log(&self) -> Result<PathBuf, LedgerError> {
        let log = self.log();
        if self.settings.log.is_some() {
            return Ok(log);
        }
        for row in self.store().rows(Wanted::ALL_THERE).await?.rows {
            let run = &row.entry.run_id;
            if row.entry.kind != Kind::Ledger || *run == self.run {
                continue;
            }
            let other = journal::load(self.store(), run).await?;
            if other.is_some_and(|other| Path::new(&other.state.log) == log) {
                return Ok(log_of_its_own(&self.settings.file));
            }
        }
        Ok(log)
    }

    async fn load(&self) -> Result<Loaded<State>, LedgerError> {
        let known = match self.store {
            Some(store) => journal::load(store, &self.run).await?,
            None => None,
        };
        let unborn = || {
            let state = apply(None, &self.opening(&self.log())).expect("an opening makes a state");
            Loaded { state, head: 0, tail_bytes: 0, checkpoint_bytes: 0 }
        };
        Ok(known.unwrap_or_else(unborn))
    }

    /// The ledger as it is now. Writes nothing; what was edited by hand is seen all the same.
    pub async fn read(&self, now: Timestamp) -> Result<Reading, LedgerError> {
        let (file, loaded) = tokio::join!(self.file(), self.load());
        file?;
        let mut state = loaded?.state;
        let file = self.file_beside(&state.gaps).await?;
        state.default_ttl_days = self.settings.default_ttl_days;
        for event in decide(&state, adoption_of(file.as_ref()), now)? {
            state = apply(Some(state), &event).expect("a state stays a state");
        }
        let warnings = file.as_ref().map_or_else(Vec::new, |file| file.document.warnings().to_vec());
        let problems = file.as_ref().map_or_else(Vec::new, |file| file.document.problems());
        Ok(Reading { state, problems, warnings, exists: file.is_some() })
    }

    /// Every event of the ledger.
    pub async fn walk(
        &self,
        see: &mut (dyn FnMut(&StoredEvent, &LedgerEvent) + Send),
    ) -> Result<(), LedgerError> {
        match self.store {
            Some(store) => Ok(journal::walk(store, &self.run, see).await?),
            None => Ok(()),
        }
    }

    /// The ledger as it was after this event.
    pub async fn state_at(&self, seq: Seq) -> Result<State, LedgerError> {
        Ok(crate::load::load_at(self.store(), &self.run, seq).await?.state)
    }

    /// The ledger for changing it, alone among pitons: what others left open is done, what people edited is adopted.
    pub async fn open(&self, now: Timestamp) -> Result<Open<'_, 'a>, LedgerError> {
        file::create_private_dir(&self.layout.ledgers())?;
        let lock = FileLock::exclusive(&self.lock_path())?;
        // A file that is not sound is found before anything is written anywhere.
        let (file, loaded) = tokio::join!(self.file(), self.load());
        file?;
        let loaded = loaded?;
        let mut open = Open { ledger: self, loaded, changed: Changed::default(), draft: None, _lock: lock };
        if open.loaded.head == 0 {
            let opening = self.opening(&self.free_log().await?);
            open.append(journal::plan(&open.loaded, &[opening])).await?;
        }
        let log = self.settings.log.clone().unwrap_or_else(|| PathBuf::from(&open.state().log));
        if open.state().default_ttl_days != self.settings.default_ttl_days
            || Path::new(&open.state().log) != log
        {
            open.append(journal::plan(&open.loaded, &[self.opening(&log)])).await?;
        }
        open.complete(now).await?;
        Ok(open)
    }
}

/// The file, as something to adopt.
fn adoption_of(file: Option<&Known>) -> Command {
    match file {
        Some(file) => Command::Adopt { digest: file.digest.clone(), gaps: file.document.gaps().to_vec() },
        None => Command::Adopt { digest: digest(None), gaps: Vec::new() },
    }
}

/// The gaps of the content that was last seen or written. A file that still holds it says so itself.
fn base_of(state: &State, file: Option<&Known>) -> Vec<Gap> {
    match file.filter(|file| state.digest.as_ref() == Some(&file.digest)) {
        Some(file) => file.document.gaps().to_vec(),
        None => state.base(),
    }
}

/// The file had gaps when it was read, and has none now.
struct Emptied;

/// A ledger that is being changed.
pub struct Open<'l, 'a> {
    ledger: &'l Ledger<'a>,
    loaded: Loaded<State>,
    changed: Changed,
    /// The file with the last wish in it, as far as nobody edits it in between.
    draft: Option<Draft>,
    _lock: FileLock,
}

impl Open<'_, '_> {
    /// The fold of everything on record.
    pub fn state(&self) -> &State {
        &self.loaded.state
    }

    /// The same, for whoever has nothing more to change.
    pub fn into_state(self) -> State {
        self.loaded.state
    }

    /// What came of the work that others had left open, which is none of what is asked for next.
    pub fn caught_up(&mut self) -> Changed {
        std::mem::take(&mut self.changed)
    }

    /// Decides, records, and brings file and log along.
    pub async fn run(&mut self, command: Command, now: Timestamp) -> Result<Changed, LedgerError> {
        let events = self.record(command, now).await?;
        self.complete(now).await?;
        journal::keep_checkpoint(self.ledger.store(), &self.ledger.run, &mut self.loaded).await;
        Ok(Changed { events, ..std::mem::take(&mut self.changed) })
    }

    /// What follows from the command, on record.
    async fn record(&mut self, command: Command, now: Timestamp) -> Result<Vec<LedgerEvent>, LedgerError> {
        for _ in 0..TRIES_MAX {
            let events = decide(self.state(), command.clone(), now)?;
            let planned = journal::plan(&self.loaded, &events);
            // What has happened to file and log is a fact; only wishes can be refused.
            let is_fact = matches!(
                command,
                Command::Adopt { .. }
                    | Command::Written { .. }
                    | Command::Logged { .. }
                    | Command::Watch { .. }
            );
            if !is_fact {
                self.check_room(&planned.state).await?;
            }
            match self.append(planned).await {
                Ok(()) => return Ok(events),
                Err(LedgerError::Store(piton_store::Error::Conflict { .. })) => {
                    self.loaded = self.ledger.load().await?;
                }
                Err(error) => return Err(error),
            }
        }
        Err(LedgerError::Busy(self.ledger.path()))
    }

    async fn append(&mut self, planned: Planned) -> Result<(), LedgerError> {
        Ok(journal::append(self.ledger.store(), &self.ledger.run, &mut self.loaded, planned).await?)
    }

    /// What the file could not be made to say is refused before it is on record.
    async fn check_room(&mut self, after: &State) -> Result<(), LedgerError> {
        if after.unwritten.is_empty() {
            return Ok(());
        }
        let file = self.ledger.file_beside(&after.gaps).await?;
        let base = base_of(after, file.as_ref());
        let document = file.map_or_else(|| Arc::new(Document::empty()), |file| file.document);
        let wanted = merge(&base, document.gaps(), &after.gaps).gaps;
        self.draft = Some(document.draft(wanted)?);
        Ok(())
    }

    /// Does what is open: adopt what people wrote, write the file, log the flips.
    async fn complete(&mut self, now: Timestamp) -> Result<(), LedgerError> {
        for _ in 0..TRIES_MAX {
            self.adopt(now).await?;
            match self.state().effects().into_iter().next() {
                None => return Ok(()),
                Some(Effect::WriteFile) => self.write(now).await?,
                Some(Effect::LogFlips { flips, after }) => {
                    let logged =
                        append_flips(&self.ledger.layout.root().join(&self.state().log), &flips, after)
                            .map_err(LedgerError::NotLogged)?;
                    self.record(Command::Logged { count: flips.len(), end: logged.end }, now).await?;
                }
            }
        }
        Err(LedgerError::Busy(self.ledger.path()))
    }

    async fn adopt(&mut self, now: Timestamp) -> Result<(), LedgerError> {
        let known = self.state().digest.as_deref().unwrap_or(ABSENT);
        if known == self.ledger.digest()? {
            return Ok(());
        }
        let file = self.ledger.file_beside(&self.state().gaps).await?;
        for event in self.record(adoption_of(file.as_ref()), now).await? {
            if let LedgerEvent::FileAdopted { overruled, .. } = event {
                self.changed.overruled.extend(overruled);
            }
        }
        Ok(())
    }

    /// Writes what is wished for. Where that does not fit what people have made of the file, they are right. A file that was emptied
    /// since it was read is left alone: whoever completes the work reads it again first.
    async fn write(&mut self, now: Timestamp) -> Result<(), LedgerError> {
        self.ledger.create_directory()?;
        let known = self.ledger.known();
        let (base, ours) = (base_of(self.state(), known.as_ref()), self.state().gaps.clone());
        let mut overruled = Vec::new();
        let filled = |file: &[Gap]| if file.is_empty() && !base.is_empty() { Err(Emptied) } else { Ok(()) };
        let wish = |file: &[Gap]| {
            filled(file)?;
            let merged = merge(&base, file, &ours);
            match problems_since_sound(file, &merged.gaps).is_empty() {
                true => {
                    overruled = merged.overruled;
                    Ok(merged.gaps)
                }
                false => {
                    let given_up = |gap: &String| Overruled::Change { gap: gap.clone() };
                    overruled = self.loaded.state.unwritten.keys().map(given_up).collect();
                    Ok(file.to_vec())
                }
            }
        };
        let ledger_file = self.ledger.ledger_file().knowing(known.map(|known| known.document));
        let updated = match ledger_file.update_with(self.draft.take(), wish) {
            Err(UpdateError::Rewrite(_)) => {
                let given_up = |gap: &String| Overruled::Change { gap: gap.clone() };
                overruled = self.loaded.state.unwritten.keys().map(given_up).collect();
                ledger_file.update(|file: &[Gap]| filled(file).map(|()| file.to_vec()))
            }
            updated => updated,
        };
        let is_elsewhere = matches!(&updated, Err(UpdateError::File(error)) if error.is_cross_device());
        if is_elsewhere && !self.ledger.beside().is_dir() {
            // It is written at the next look at what is open.
            return self.ledger.write_beside();
        }
        let updated = match updated {
            Ok(updated) => updated,
            Err(UpdateError::Wish(Emptied) | UpdateError::Emptied(_)) => return Ok(()),
            Err(UpdateError::Invalid { path, problems }) => {
                return Err(LedgerError::Invalid { path, problems });
            }
            Err(UpdateError::File(error)) => return Err(error.into()),
            Err(UpdateError::Rewrite(error)) => return Err(error.into()),
            Err(UpdateError::Busy(path)) => return Err(LedgerError::Busy(path)),
        };
        overruled.extend(updated.overruled);
        self.changed.overruled.extend(overruled.iter().cloned());
        self.changed.kept.extend(updated.kept);
        let digest = match updated.text.is_empty() && updated.gaps.is_empty() && !updated.wrote {
            true => self.ledger.digest()?,
            false => digest(Some(updated.text.as_bytes())),
        };
        self.record(Command::Written { digest, gaps: updated.gaps, overruled }, now).await?;
        Ok(())
    }
}

/// What the files that findings rest on are now.
pub fn observe(root: &Path, gaps: &[Gap]) -> Observed {
    let mut observed = Observed::new();
    for source in gaps.iter().flat_map(|gap| &gap.evidence) {
        if let SourceKind::File { path, hash: Some(_) } = &source.kind
            && !observed.contains_key(path)
            && let Some(hash) = hash_of(root, path)
        {
            observed.insert(path.clone(), hash);
        }
    }
    observed
}

/// Where what findings rest on is looked for.
pub struct Evidence<'a> {
    layout: &'a Layout,
    /// What piton writes for this ledger: it is another with every change, and would make its own findings stale.
    written: Vec<PathBuf>,
}

impl<'a> Evidence<'a> {
    /// For the findings of this ledger.
    pub fn of(layout: &'a Layout, at: &LedgerAt) -> Self {
        let logs = match &at.log {
            Some(log) => vec![log.clone()],
            None => vec![default_log(&at.file), log_of_its_own(&at.file)],
        };
        Self { layout, written: std::iter::once(at.file.clone()).chain(logs).collect() }
    }

    /// The hash of a file that findings are to rest on, or what is wrong with it.
    pub fn hash(&self, path: &str) -> Result<String, &'static str> {
        let root = self.layout.root();
        let real = |path: &Path| std::fs::canonicalize(path).ok();
        let named = real(&root.join(path));
        let is_written = self.written.iter().any(|own| named.is_some() && named == real(&root.join(own)));
        let is_kept = named
            .is_some_and(|named| real(&self.layout.state()).is_some_and(|state| named.starts_with(state)));
        if is_written || is_kept {
            return Err("is written by piton itself");
        }
        hash_of(root, path).ok_or("is not a file of this repository")?.ok_or("is not there")
    }
}

/// The hash of a file of the repository: `Some(None)` where it is gone, `None` where it cannot be looked at.
fn hash_of(root: &Path, path: &str) -> Option<Option<String>> {
    let relative = Path::new(path);
    let inside = |part: std::path::Component<'_>| {
        matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir)
    };
    if path.is_empty() || !relative.components().all(inside) {
        return None;
    }
    match file::read_regular(&root.join(relative), EVIDENCE_BYTES_MAX) {
        Ok(Some(bytes)) => Some(Some(format!("blake3:{}", chain::hex(&chain::digest(&bytes))))),
        Ok(None) => Some(None),
        Err(_) => None,
    }
}
