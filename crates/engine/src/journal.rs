//! Whether a journal is this user's to go on with: the one place where journals are opened.
//!
//! A repository can be sent, and `.piton` in it: its journal would say what to run. So a journal counts by its random id, which
//! is on a list in the user's configuration directory from before it is there (see [`trust`]). One that is not listed is opened
//! [`Sealed`]: it can be read, and nothing of it is driven, answered or removed.
//!
//! A journal also knows its place. Where it lies elsewhere, it was moved, or it is a copy: two journals of one id would claim
//! the same agents, so a copy is sealed until it has an id of its own.
//!
//! Never follows a link below `.piton`: the store refuses to open where there is one.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_config::trust;
use piton_store::{Identity, JournalId, Sealed, Store, Url};
use piton_sys::{Clock, SystemClock, file};
use piton_view::{Error, ErrorKind};

use crate::client::ClientError;
use crate::configuration;
use crate::keys;
use crate::layout::Layout;
use crate::start::known;

/// What this user may do with a journal.
enum Standing {
    /// It lies where it says, and is on the list or taken for this once.
    Own,
    /// The same, but that it says to lie where it is not any more.
    Moved,
    /// It is on nobody's list here.
    Unlisted,
    /// The original is still there.
    Copy,
}

impl Standing {
    fn of(layout: &Layout, identity: &Identity) -> Result<Self, Error> {
        if !layout.is_taken() && !is_listed(identity.id)? {
            return Ok(Self::Unlisted);
        }
        Ok(match place_of(layout) {
            here if here == identity.place || is_same(&here, &identity.place) => Self::Own,
            _ if holds(&identity.place, identity.id) => Self::Copy,
            _ => Self::Moved,
        })
    }

    /// What keeps this user from going on with it, and the way out.
    fn refusal(&self, layout: &Layout, identity: &Identity) -> Option<(String, String)> {
        let state = layout.state();
        let state = state.display();
        match self {
            Self::Own | Self::Moved => None,
            Self::Unlisted => Some((
                format!("the journal in `{state}` is not one of yours: it came with the repository, or another user made it"),
                "look at it with `piton ls` and `piton log`; `piton trust --journal` makes it yours, `--trust` takes it for this once".to_owned(),
            )),
            Self::Copy => Some((
                format!("the journal in `{state}` is a copy of the one in `{}`, which is still there", identity.place.display()),
                "go on there; or `piton trust --journal` gives this one a life of its own, in which attempts that were under way are lost".to_owned(),
            )),
        }
    }
}

/// A journal.
pub(crate) struct Opened {
    pub(crate) store: Arc<dyn Store>,
    /// Why it is not this user's to go on with, where that is so.
    pub(crate) caution: Option<String>,
    /// Why nothing can be written to it, where that is so.
    pub(crate) closed: Option<String>,
}

/// Opens the journal of a repository, if it has one; sealed where it is not this user's to go on with.
pub(crate) fn open_existing(layout: &Layout) -> Result<Option<Opened>, piton_store::Error> {
    let opened = piton_store::open_existing_with(layout.store(), keys::ring(layout))?;
    Ok(opened.map(|opened| {
        let (store, caution) = sealed(layout, opened.store, &opened.identity);
        Opened { store, caution, closed: opened.closed }
    }))
}

/// Opens the journal of a repository, or makes one, which is this user's.
pub(crate) fn open(layout: &Layout) -> Result<Arc<dyn Store>, piton_store::Error> {
    // A journal may lie elsewhere than what piton keeps beside it.
    file::create_private_dir(&layout.state())?;
    let new = JournalId::random();
    let ring = keys::ring(layout);
    // What was to be encrypted and cannot be is not begun.
    ring.require()?;
    if !layout.store().exists() {
        // Listed before it is there: whoever is killed in between leaves a line that nobody needs, not a journal that nobody
        // may use.
        let listed = list(new);
        if let Err(error) = listed.as_ref()
            && !layout.is_taken()
        {
            return Err(cannot_be_listed(error));
        }
    }
    let piton_store::Opened { store, identity, .. } = piton_store::open_with(layout.store(), new, ring)?;
    Ok(if identity.id == new { store } else { sealed(layout, store, &identity).0 })
}

fn cannot_be_listed(error: &Error) -> piton_store::Error {
    let causes: Vec<&str> =
        std::iter::once(&error.message).chain(&error.causes).map(String::as_str).collect();
    piton_store::Error::Sealed {
        why: format!("a journal that is made here could not be listed as yours: {}", causes.join(": ")),
        hint: "let PITON_CONFIG_DIR name a directory that you can write to; `--trust` does without the list for this once"
            .to_owned(),
    }
}

fn sealed(layout: &Layout, store: Arc<dyn Store>, identity: &Identity) -> (Arc<dyn Store>, Option<String>) {
    let refusal = match Standing::of(layout, identity) {
        Ok(standing) => standing.refusal(layout, identity),
        Err(error) => Some((error.message, error.hint.unwrap_or_default())),
    };
    match refusal {
        Some((why, hint)) => {
            let caution = format!("{why}; {hint}");
            (Arc::new(Sealed::new(store, why, hint)), Some(caution))
        }
        None => (store, None),
    }
}

/// Makes sure that this user may go on with the journal of a repository, if there is one, before anything is done. Returns what
/// people should know: it was moved.
pub fn settle(layout: &Layout) -> Result<Vec<String>, Error> {
    let Some(identity) = identity_of(layout)? else { return Ok(Vec::new()) };
    let mut notes = Vec::new();
    let standing = Standing::of(layout, &identity)?;
    if layout.is_taken() && !is_listed(identity.id)? && is_tracked(layout) {
        return Err(tracked());
    }
    if let Some((why, hint)) = standing.refusal(layout, &identity) {
        return Err(match matches!(standing, Standing::Unlisted) && is_tracked(layout) {
            true => tracked(),
            false => Error::new(ErrorKind::Person, why).hint(hint),
        });
    }
    if matches!(standing, Standing::Moved) {
        let place = place_of(layout);
        notes.push(format!(
            "note: this repository was moved here from `{}`; its runs go on here, and one that was at work then with `piton resume`",
            identity.place.display()
        ));
        piton_store::identify(layout.store(), &Identity { place, ..identity }).map_err(ClientError::from)?;
        // The worker is to find it; whoever cannot be told looks by hand.
        let _ = known::remember(layout);
    }
    Ok(notes)
}

/// What people should know of a journal that is theirs and that git tracks.
pub fn warning(layout: &Layout) -> Option<&'static str> {
    const TRACKED: &str = "warning: git tracks .piton, so others get your runs and send you theirs; `git rm -r --cached .piton` takes it out";
    (layout.store().exists() && is_tracked(layout)).then_some(TRACKED)
}

/// Whether a clone of the repository carries its journal.
fn is_tracked(layout: &Layout) -> bool {
    piton_git::tracks(&place_of(layout), ".piton/journal.db")
}

/// Makes the journal of a repository this user's own. Returns what became of it.
pub fn adopt(layout: &Layout) -> Result<String, Error> {
    let Some(identity) = identity_of(layout)? else {
        return Err(Error::usage(format!("there is no journal in `{}`", layout.root().display())));
    };
    let listed = is_listed(identity.id)?;
    if !listed && is_tracked(layout) {
        return Err(tracked());
    }
    match Standing::of(&layout.clone().taken(true), &identity)? {
        Standing::Own | Standing::Unlisted => {
            list(identity.id)?;
            return Ok("the journal is yours".to_owned());
        }
        // It only has another place: `settle` says so.
        Standing::Moved if listed => return Ok("the journal is yours".to_owned()),
        Standing::Moved | Standing::Copy => {}
    }
    require_own_files(layout, &identity)?;
    // Whatever it has under way was begun elsewhere, and is not this one's to end. Whoever is killed in between does so again.
    disown_attempts(layout)?;
    let own = Identity { id: JournalId::random(), place: place_of(layout) };
    list(own.id)?;
    piton_store::identify(layout.store(), &own).map_err(ClientError::from)?;
    Ok(format!(
        "the journal is yours, with a life of its own: attempts that were under way in `{}` are lost to it",
        identity.place.display()
    ))
}

/// A copy by hard links is the original: an id that is written here is written there, and takes its runs from it.
fn require_own_files(layout: &Layout, identity: &Identity) -> Result<(), Error> {
    let file = layout.store().file();
    let is_shared = |file: &PathBuf| file.metadata().is_ok_and(|found| found.nlink() > 1);
    let Some(file) = file.filter(is_shared) else { return Ok(()) };
    Err(Error::new(
        ErrorKind::Person,
        format!(
            "`{}` has a second name elsewhere (a hard link, as `cp -al` makes): to give this copy of `{}` a life of its own would change that one",
            file.display(),
            identity.place.display()
        ),
    )
    .hint("give it files of its own first: `cp -a .piton .piton-own && rm -r .piton && mv .piton-own .piton`"))
}

fn identity_of(layout: &Layout) -> Result<Option<Identity>, Error> {
    let opened = piton_store::open_existing(layout.store()).map_err(ClientError::from)?;
    Ok(opened.map(|opened| opened.identity))
}

/// Where the traces of attempts of the journal may be: beside it, and where it says that it lies. Without a word where that cannot be
/// read.
pub fn states(layout: &Layout) -> Vec<PathBuf> {
    let said = piton_store::peek(layout.store()).ok().flatten().map(|identity| identity.place);
    let roots = [said, layout.store().repository().map(Path::to_owned)];
    let states = roots.into_iter().flatten().map(|root| Layout::new(root).state());
    states.chain([layout.state()]).collect()
}

fn tracked() -> Error {
    Error::new(ErrorKind::Person, "git tracks .piton, so this journal came with the repository, and it is not one of yours")
        .hint("look at it with `piton ls`; move .piton away, or `git rm -r --cached .piton` and `piton trust --journal` if it is yours after all")
}

fn is_listed(id: JournalId) -> Result<bool, Error> {
    trust::is_listed(&configuration::directory()?, &id.to_string())
        .map_err(|error| Error::environment(&error))
}

/// Refuses to go on with what is left of a damaged journal that is not this user's: `known` are the ids that it says to have.
pub(crate) fn require_own(layout: &Layout, known: &[JournalId]) -> Result<(), Error> {
    for id in known {
        if is_listed(*id)? {
            return Ok(());
        }
    }
    if is_tracked(layout) {
        return Err(tracked());
    }
    match layout.is_taken() {
        true => Ok(()),
        false => {
            Err(Error::new(ErrorKind::Person, "what is left of the journal does not say that it is yours")
                .hint("where it is, `--trust` takes it for this once"))
        }
    }
}

/// Notes that a journal is this user's, from before it is there.
pub(crate) fn list(id: JournalId) -> Result<(), Error> {
    trust::list(&configuration::directory()?, &id.to_string(), SystemClock.now())
        .map_err(|error| Error::environment(&error))
}

/// Nothing that the attempts of a copy speak of is its own: whoever looks after them finds nobody to end.
fn disown_attempts(layout: &Layout) -> Result<(), Error> {
    let runs = layout.state().join("attempts");
    for run in std::fs::read_dir(runs).into_iter().flatten().flatten() {
        piton_agent::disown(&run.path()).map_err(|error| Error::environment(&error))?;
    }
    Ok(())
}

/// Where the journal lies: the repository, by its one name.
pub(crate) fn place_of(layout: &Layout) -> PathBuf {
    let root = layout.store().repository().unwrap_or_else(|| layout.root());
    std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned())
}

/// Whether two names lead to one directory, as those of a bind mount.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    let inode = |root: &Path| root.join(".piton").metadata().map(|found| (found.dev(), found.ino()));
    matches!((inode(one), inode(other)), (Ok(one), Ok(other)) if one == other)
}

/// Whether the journal of this id lies there, or something that cannot be looked into.
fn holds(place: &Path, id: JournalId) -> bool {
    match piton_store::peek(&Url::of_repository(place)) {
        Ok(found) => found.is_some_and(|identity| identity.id == id),
        Err(_) => true,
    }
}
