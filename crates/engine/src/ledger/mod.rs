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
//! - `open`: changing it.
//! - `on_disk`: reading the file.
//! - `opened`: what it reads for a check, said to whoever watches that.
//! - `evidence`: what findings rest on.
//! - [`research`]: agents that look into gaps, one at a time.
//! - [`fresh`]: what else wants to know how fresh something is.

mod evidence;
pub mod fresh;
mod journal;
mod on_disk;
mod open;
mod opened;
pub mod research;
mod result;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use piton_files::Problem;
use piton_files::gaps::{Invalid, RewriteError};
use piton_model::ledger::{Gap, Overruled};
use piton_model::ledger_machine::{Command, LedgerEvent, Opening, Rejection, State, apply, create, decide};
use piton_model::{Kind, RunId, Seq, Timestamp, slug};
use piton_store::{Store, StoredEvent, Wanted, chain};
use piton_sys::file;
use piton_sys::lock::FileLock;
use piton_sys::redact::Redactor;
pub use piton_view::LedgerAt;

pub use self::evidence::{Evidence, observe};
use self::on_disk::Known;
pub use self::open::Open;
pub(crate) use self::opened::said;
use crate::launch::Secrets;
use crate::layout::Layout;
use crate::load::{LoadError, Loaded};

/// What a file that is not there counts as.
const ABSENT: &str = "absent";

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
    let store = crate::journal::open(layout)?;
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
        let file = self.file_beside(&state).await?;
        state.default_ttl_days = self.settings.default_ttl_days;
        let adoption = adoption_of(self.layout.root(), &state, file.as_ref());
        for event in decide(&state, adoption, now)? {
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

/// The file, as something to adopt: without the secrets that people may have written into it. They leave the file as well as soon as
/// it is written.
fn adoption_of(root: &Path, state: &State, file: Option<&Known>) -> Command {
    let Some(file) = file else { return Command::Adopt { digest: digest(None), gaps: Vec::new() } };
    let mut gaps = file.document.gaps().to_vec();
    // What is on record already is as it should be.
    if state.digest.as_ref() != Some(&file.digest) {
        let secrets = Secrets::for_a_screen(root);
        gaps = gaps.into_iter().map(|gap| without_secrets(secrets.redactor(), gap)).collect();
    }
    Command::Adopt { digest: file.digest.clone(), gaps }
}

/// A gap as it may be written down. Names stay: others refer to it by them.
pub(crate) fn without_secrets(redactor: &Redactor, gap: Gap) -> Gap {
    let clean = |text: &mut String| {
        if let Cow::Owned(clean) = redactor.redact(text) {
            *text = clean;
        }
    };
    gap.with(|gap| {
        [&mut gap.category, &mut gap.findings, &mut gap.question].into_iter().for_each(clean);
        let evidence = serde_json::to_value(&gap.evidence).expect("sources are plain data");
        let kept = redactor.redact_json(evidence.clone());
        if kept != evidence {
            // What is no source any more without it goes as a whole.
            gap.evidence = serde_json::from_value(kept).unwrap_or_default();
        }
    })
}
