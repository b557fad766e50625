//! What is kept under which key: the ring of a repository, as its configuration says.
//!
//! A project's file that nobody trusts may ask for encryption and names no key: it cannot take encryption away, and no command of its is
//! run. What was encrypted goes on being so until a configuration that is trusted says `encrypt = false`: where the line is missing, or
//! the file cannot be read, nobody said that.

pub(crate) mod cover;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use piton_config::{Files, Overrides, VaultSection, resolve};
use piton_model::{RunId, Timestamp};
use piton_record::shown;
use piton_seal::opener::Source;
use piton_seal::{KeyId, Keys, Openers, Ring};
use piton_sys::file::{self, Durability};
use piton_sys::{Clock, SystemClock};
use piton_view::{Error, ErrorKind};

use crate::client::ClientError;
use crate::configuration::{self, variable};
use crate::journal;
use crate::layout::Layout;

/// The variable that holds a key where nobody says which does.
pub const KEY_VARIABLE: &str = "PITON_KEY";

/// Variables that hold keys: no agent, check or hook gets them.
static VARIABLES: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Files that hold keys: no agent between walls sees them.
static FILES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// What is asked of the ring of a repository.
#[derive(Default)]
struct Asked {
    /// Nothing where nobody says either.
    encrypt: Option<bool>,
    openers: Openers,
}

/// The keys of the journal of a repository.
pub(crate) fn ring(layout: &Layout) -> Arc<Ring> {
    let directory = directory(layout);
    let asked = asked(layout)
        .unwrap_or_else(|_| Asked { encrypt: None, openers: openers(layout, &VaultSection::default()) });
    let encrypt = asked.encrypt.unwrap_or_else(|| piton_seal::ring::is_used(&directory));
    Arc::new(Ring::new(directory, asked.openers, encrypt))
}

/// Whether what is kept is encrypted from now on.
pub(crate) fn is_asked(layout: &Layout) -> bool {
    ring(layout).seals()
}

/// Variables that hold keys, as far as this process read them.
pub(crate) fn variables() -> Vec<String> {
    VARIABLES.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
}

/// Files that hold keys, as far as this process knows them.
pub(crate) fn files() -> Vec<PathBuf> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
}

/// Beside the journal.
fn directory(layout: &Layout) -> PathBuf {
    let root = layout.store().repository().unwrap_or_else(|| layout.root());
    root.join(".piton").join("keys")
}

fn asked(layout: &Layout) -> Result<Asked, Error> {
    let files = configuration::read(layout)?;
    let is_believed = layout.is_taken() || configuration::is_trusted(layout, &files)?;
    let settled = |files: &Files| {
        Ok::<_, Error>(
            resolve(files, &variable, &Overrides::default()).map_err(configuration::problems)?.settings.vault,
        )
    };
    let said = settled(&files)?;
    let believed = if is_believed { said.clone() } else { settled(&Files { project: None, ..files })? };
    let word = |vault: &VaultSection| vault.encrypt.as_ref().map(|encrypt| encrypt.value);
    // Whoever is not believed may ask for more, and for nothing less.
    let encrypt = word(&said).filter(|encrypt| *encrypt).or_else(|| word(&believed));
    Ok(Asked { encrypt, openers: openers(layout, &believed) })
}

fn openers(layout: &Layout, said: &VaultSection) -> Openers {
    let mut sources = Vec::new();
    if let Some(file) = &said.key_file {
        let path = path_of(layout, &file.value);
        FILES.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone());
        sources.push(Source::File(path));
    }
    let name = said.key_env.as_ref().map_or_else(|| KEY_VARIABLE.to_owned(), |name| name.value.clone());
    VARIABLES.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone());
    // One that nobody names counts where it is set.
    if said.key_env.is_some() || variable(&name).is_some() {
        sources.push(Source::Variable(name));
    }
    let command = said.key_command.as_ref();
    sources.extend(command.map(|command| Source::Command(command.value.clone(), layout.root().to_owned())));
    let recipients = said.recipients.as_ref().map(|said| said.value.clone()).unwrap_or_default();
    Openers { sources, recipients }
}

/// A path below the home, a whole one, or one from the top of the repository.
fn path_of(layout: &Layout, text: &str) -> PathBuf {
    match (text.strip_prefix("~/"), variable("HOME")) {
        (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
        _ => layout.root().join(text),
    }
}

/// The keys of a repository, for people.
#[shown(Clone, Debug, PartialEq, written)]
pub struct KeysView {
    /// Whether what is new is encrypted.
    pub encrypt: bool,
    /// Oldest first.
    pub keys: Vec<KeyView>,
    /// Pieces of the journal that are not encrypted.
    pub open_pieces: u64,
    /// Files that attempts left, and that are not encrypted.
    pub open_files: u64,
}

/// A key, for people.
#[shown(Clone, Debug, PartialEq, written)]
pub struct KeyView {
    /// What it is called.
    pub id: String,
    /// When it was made.
    pub made_at: Timestamp,
    /// Whether new pieces are sealed with it.
    pub current: bool,
    /// Whether this process can open it.
    pub opens: bool,
    /// Who can: recipients, or a passphrase.
    pub openers: Vec<String>,
    /// Pieces of the journal that are sealed with it.
    pub pieces: u64,
}

/// What a rotation came to, for people.
#[shown(Clone, Debug, PartialEq, written)]
pub struct RotatedView {
    /// The key for new pieces from now on.
    pub new: String,
    /// Older keys that are wrapped anew.
    pub rewrapped: Vec<String>,
    /// Older keys that could not be opened, and stay as they were.
    pub left: Vec<String>,
    /// Pieces that were sealed anew, where that was asked for.
    pub sealed_anew: Option<u64>,
    /// Files of attempts that lay open and are sealed now, where that was asked for.
    pub sealed_files: Option<u64>,
    /// Places of backups that have the keys still as they were wrapped before, and why.
    pub notes: Vec<String>,
}

/// A key file that was made.
#[shown(Clone, Debug, PartialEq, written)]
pub struct MadeView {
    /// Where it is.
    pub file: String,
    /// Its public part, for others who are to encrypt for it.
    pub recipient: String,
}

/// Makes a key file, where none is.
pub fn make(path: &std::path::Path) -> Result<MadeView, Error> {
    if path.symlink_metadata().is_ok() {
        return Err(Error::usage(format!("`{}` is there already", path.display()))
            .hint("give another name: a key that is written over is lost, and with it what it opens"));
    }
    let (text, recipient) = piton_seal::opener::new_identity(&SystemClock.now().to_string());
    file::create_new(path, text.as_bytes(), Durability::Synced)
        .map_err(|error| Error::environment(&error))?;
    Ok(MadeView { file: path.display().to_string(), recipient })
}

/// Which keys there are, who opens them, and what needs them.
pub async fn status(layout: &Layout) -> Result<KeysView, Error> {
    let ring = ring(layout);
    let uses = match journal::open_existing(layout).map_err(ClientError::from)? {
        Some(opened) => opened.store.key_uses().await.map_err(ClientError::from)?,
        None => Default::default(),
    };
    let keys = ring.states().map_err(failed)?.into_iter().map(|key| KeyView {
        id: key.id.to_string(),
        made_at: key.made_at,
        current: key.is_current,
        opens: key.opens,
        openers: key.who,
        pieces: uses.get(&key.id).copied().unwrap_or(0),
    });
    let open_pieces = uses.get(&KeyId::NONE).copied().unwrap_or(0);
    let open_files = cover::open_files(layout);
    Ok(KeysView { encrypt: ring.seals(), keys: keys.collect(), open_pieces, open_files })
}

/// Makes a new key for new pieces, and wraps the others for those who are to open them now. `old`: a file that opens those, where the
/// configuration names another by now. With `all`, what is there is sealed anew as well.
pub async fn rotate(layout: &Layout, old: Option<PathBuf>, all: bool) -> Result<RotatedView, Error> {
    configuration::require_trust_or_taken(layout)?;
    let ring = ring(layout);
    if !ring.seals() {
        return Err(Error::usage("nothing is encrypted here: `encrypt` of `[vault]` is not `true`").hint(
            "`piton key new --out FILE` makes a key; name it as `key_file`, and say `encrypt = true`",
        ));
    }
    let sources = old.into_iter().map(Source::File).collect();
    let rotated = ring.rotate(&Openers { sources, recipients: Vec::new() }).map_err(failed)?;
    let (mut sealed_anew, mut sealed_files) = (None, None);
    if all && let Some(opened) = journal::open_existing(layout).map_err(ClientError::from)? {
        sealed_anew = Some(opened.store.seal_anew().await.map_err(ClientError::from)?);
        let driven = driven(&*opened.store).await?;
        // Whoever drives a run reads what its attempts left, and seals it once it rests.
        sealed_files = Some(cover::all(layout, &|run| !driven.contains(run)));
    }
    let names = |ids: Vec<KeyId>| ids.iter().map(ToString::to_string).collect();
    Ok(RotatedView {
        new: rotated.new.map(|id| id.to_string()).unwrap_or_default(),
        rewrapped: names(rotated.rewrapped),
        left: names(rotated.left),
        sealed_anew,
        sealed_files,
        notes: crate::client::bring_keys(layout).await,
    })
}

/// The runs that somebody drives.
async fn driven(store: &dyn piton_store::Store) -> Result<BTreeSet<RunId>, Error> {
    let mut driven = BTreeSet::new();
    for row in store.rows(piton_store::Wanted::ALL_THERE).await.map_err(ClientError::from)?.rows {
        if store.holder(&row.entry.run_id).await.map_err(ClientError::from)?.is_some() {
            driven.insert(row.entry.run_id);
        }
    }
    Ok(driven)
}

/// What keys lack is the environment's: nothing is damaged.
pub(crate) fn failed(error: piton_seal::Error) -> Error {
    let failed = Error::of(ErrorKind::Environment, &error);
    match error.hint() {
        Some(hint) => failed.hint(hint),
        None => failed,
    }
}
