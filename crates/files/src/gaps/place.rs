//! The gap file in its place, among people, editors and git.
//!
//! piton writes by exchanging names: the new content takes the place of the old in one step, and what was displaced is
//! looked at. Was it what piton had read, nothing was in between. Was it not, somebody edited the file meanwhile: the
//! edit is merged, the file winning, and the exchange is done again; or, where it cannot be, it is put back.
//!
//! What is displaced is kept in a directory aside until the next write and looked at once more: an editor that had the
//! file open may write to it late. Beside each lies the content that was expected, so that a late edit, or one that a
//! crash got in the way of, can be merged then.
//!
//! ```text
//!   aside/lock                    one piton at a time
//!   aside/<random>.base           what piton had read
//!   aside/<random>.new            what is to take the place, while it is written
//!   aside/<random>-<digest>.other what is to take the place, then what was displaced; the digest is of the first
//!   aside/<random>.kept           an edit that could not be merged: for a person
//! ```

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_model::ledger::{Adopted, Gap, Merged, Overruled, merge, problems_since};
use piton_model::limits::GAP_FILE_BYTES_MAX;
use piton_sys::file::{self, Durability, Error};
use piton_sys::lock::FileLock;
use piton_sys::{Ids, SystemIds, fault};

use super::document::Document;
use super::edit::{Draft, RewriteError};
use super::invalid::Invalid;

/// How often piton tries again while others keep on writing.
const TRIES_MAX: usize = 64;

/// A gap file and the directory for what its writing leaves behind, on the same file system.
#[derive(Clone, Debug)]
pub struct LedgerFile {
    path: PathBuf,
    aside: PathBuf,
    known: Option<Arc<Document>>,
}

/// What became of an update.
#[derive(Debug)]
pub struct Updated {
    /// The gaps as piton left them, in the order of the file.
    pub gaps: Vec<Gap>,
    /// The content as piton left it.
    pub text: String,
    /// Whether the file was written.
    pub wrote: bool,
    /// Edits that were found on the way and are in the content.
    pub adopted: Vec<Adopted>,
    /// What was wished for and is not in the content, because an edit says otherwise.
    pub overruled: Vec<Overruled>,
    /// Edits that could not be merged and are kept here: to be told to a person.
    pub kept: Vec<PathBuf>,
}

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError<E> {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] Error),
    /// The file is not a sound ledger, and was left as it is.
    #[error("`{}` is not a sound ledger:\n{problems}", path.display())]
    Invalid {
        path: PathBuf,
        /// What is wrong with it.
        problems: Invalid,
    },
    /// The change is not possible.
    #[error(transparent)]
    Rewrite(#[from] RewriteError),
    /// Whoever asked for the change gave it up.
    #[error("{0}")]
    Wish(E),
    /// Somebody else keeps on writing the file.
    #[error("`{}` is being written by somebody else", .0.display())]
    Busy(PathBuf),
    /// Somebody has emptied the file, likely to fill it again.
    #[error("`{}` is being filled by somebody else", .0.display())]
    Emptied(PathBuf),
}

impl LedgerFile {
    /// The file at `path`. What is displaced is kept in `aside`, a directory of piton's own on the same file system.
    pub fn new(path: impl Into<PathBuf>, aside: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), aside: aside.into(), known: None }
    }

    /// The same, for somebody who has read the file: a content that is known is not read again.
    pub fn knowing(self, known: Option<Arc<Document>>) -> Self {
        Self { known, ..self }
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file as it is; `None` where there is none.
    pub fn read(&self) -> Result<Option<Arc<Document>>, UpdateError<std::convert::Infallible>> {
        self.load()
    }

    fn load<E>(&self) -> Result<Option<Arc<Document>>, UpdateError<E>> {
        let is_there = |known: &&Arc<Document>| file::holds(&self.path, known.text().as_bytes());
        if let Some(known) = self.known.as_ref().filter(is_there) {
            return Ok(Some(Arc::clone(known)));
        }
        match file::read_regular(&self.path, GAP_FILE_BYTES_MAX)? {
            Some(bytes) => self.parse(bytes).map(Some),
            None => Ok(None),
        }
    }

    fn parse<E>(&self, bytes: Vec<u8>) -> Result<Arc<Document>, UpdateError<E>> {
        let invalid = |problems| UpdateError::Invalid { path: self.path.clone(), problems };
        Document::from_bytes(bytes).map(Arc::new).map_err(invalid)
    }

    /// Changes the gaps to what `wish` makes of them, alone among pitons and safe among everybody else.
    ///
    /// A file that is not there counts as one without gaps.
    pub fn update<E>(
        &self,
        wish: impl FnOnce(&[Gap]) -> Result<Vec<Gap>, E>,
    ) -> Result<Updated, UpdateError<E>> {
        self.update_with(None, wish)
    }

    /// The same with a text that was made ready: it is used if the file is still what it was made from, and the wish the same.
    pub fn update_with<E>(
        &self,
        mut draft: Option<Draft>,
        wish: impl FnOnce(&[Gap]) -> Result<Vec<Gap>, E>,
    ) -> Result<Updated, UpdateError<E>> {
        file::create_private_dir(&self.aside)?;
        let _alone = FileLock::exclusive(&self.aside.join("lock"))?;
        let mut found = Found::default();
        let mut seen = Seen::of(self.load()?);
        let late = self.look_again(seen.document.gaps(), &mut found)?;
        let mut wanted = wish(late.as_deref().unwrap_or(seen.document.gaps())).map_err(UpdateError::Wish)?;
        for _ in 0..TRIES_MAX {
            let ready = draft.take().and_then(|draft| draft.text_of(&seen.document, &wanted));
            let text = ready.map_or_else(|| seen.document.rewrite(&wanted), Ok)?;
            if seen.on_disk() == Some(&text) || seen.on_disk().is_none() && wanted.is_empty() {
                return Ok(found.into_updated(seen.document.gaps().to_vec(), text));
            }
            match self.replace(seen.on_disk(), &text)? {
                Displaced::AsExpected => {
                    found.wrote = true;
                    return Ok(found.into_updated(in_file_order(seen.document.gaps(), wanted), text));
                }
                Displaced::Other { other, bytes }
                    if !seen.gaps_on_disk.is_empty() && says_nothing(&bytes) =>
                {
                    // Somebody has emptied it and is about to fill it again.
                    return Err(self.put_back(&other, UpdateError::Emptied(self.path.clone()))?);
                }
                Displaced::Other { other, bytes } => {
                    // Ours is in its place now, and theirs aside: theirs with our wishes goes there next.
                    let (theirs, merged) = match self.merge_into(&seen.gaps_on_disk, bytes, &wanted) {
                        Ok(merged) => merged,
                        Err(error) => return Err(self.put_back(&other, error)?),
                    };
                    found.wrote = true;
                    found.handled.extend([base_of(&other), other]);
                    let merged = found.take(merged);
                    let gaps_on_disk = std::mem::replace(&mut wanted, merged);
                    seen = Seen { document: theirs, on_disk: OnDisk::Written(text), gaps_on_disk };
                }
                Displaced::Appeared => {
                    let now = Seen::of(self.load()?);
                    wanted = found.take(merge(&seen.gaps_on_disk, now.document.gaps(), &wanted));
                    seen = now;
                }
            }
        }
        Err(UpdateError::Busy(self.path.clone()))
    }

    fn merge_into<E>(
        &self,
        base: &[Gap],
        theirs: Vec<u8>,
        wanted: &[Gap],
    ) -> Result<(Arc<Document>, Merged), UpdateError<E>> {
        let theirs = self.parse(theirs)?;
        let merged = merge(base, theirs.gaps(), wanted);
        theirs.rewrite(&merged.gaps)?;
        Ok((theirs, merged))
    }

    /// An edit that cannot be merged goes back to its place; the reason is handed on.
    fn put_back<E>(&self, other: &Path, error: UpdateError<E>) -> Result<UpdateError<E>, Error> {
        if !file::exchange(other, &self.path)? {
            let bytes = file::read_regular(other, GAP_FILE_BYTES_MAX)?.unwrap_or_default();
            file::write_atomic(&self.path, &bytes, Durability::Synced)?;
        }
        file::sync_dir(&self.aside)?;
        file::sync_dir(parent(&self.path))?;
        Ok(error)
    }

    /// Puts the text in the place of what was read there, and tells what it displaced.
    fn replace(&self, expected: Option<&str>, text: &str) -> Result<Displaced, Error> {
        let random = SystemIds.hex(16);
        let other = self.aside.join(format!("{random}-{}.other", digest(text.as_bytes())));
        if let Some(expected) = expected {
            fault::point("files.gaps.base");
            let base = self.aside.join(format!("{random}.base"));
            file::create_new(&base, expected.as_bytes(), Durability::Unsynced)?;
        }
        fault::point("files.gaps.prepare");
        let new = self.aside.join(format!("{random}.new"));
        let prepared = file::create_like(&new, &self.path, text.as_bytes())
            .and_then(|()| file::rename_noreplace(&new, &other));
        if let Err(error) = prepared {
            // The first error is the one that matters; what is left aside is cleared by the next write.
            let _ = file::remove_file_if_exists(&new);
            return Err(error);
        }
        fault::point("files.gaps.displace");
        let Some(expected) = expected else {
            let placed = file::rename_noreplace(&other, &self.path)?;
            file::sync_dir(parent(&self.path))?;
            return Ok(if placed { Displaced::AsExpected } else { Displaced::Appeared });
        };
        if !self.displace(&other, text)? {
            return self.appeared_after_removal(&other);
        }
        file::sync_dir(parent(&self.path))?;
        file::sync_dir(&self.aside)?;
        fault::point("files.gaps.displaced");
        if file::holds(&other, expected.as_bytes()) {
            return Ok(Displaced::AsExpected);
        }
        match file::read_regular(&other, GAP_FILE_BYTES_MAX) {
            Ok(bytes) => Ok(Displaced::Other { other, bytes: bytes.unwrap_or_default() }),
            Err(error) => Err(self.put_back::<()>(&other, UpdateError::File(error))?.into_file()),
        }
    }

    /// Exchanges the names; `false` where the file is gone meanwhile.
    fn displace(&self, other: &Path, text: &str) -> Result<bool, Error> {
        match file::exchange(other, &self.path) {
            Ok(true) => Ok(true),
            Ok(false) => self.displace_portably(other, text),
            Err(error) if error.is_not_found() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Where names cannot be exchanged: the old file gets a second name aside, then the new one takes its place.
    fn displace_portably(&self, other: &Path, text: &str) -> Result<bool, Error> {
        file::remove_file_if_exists(other)?;
        match std::fs::hard_link(&self.path, other) {
            Ok(()) => file::write_atomic(&self.path, text.as_bytes(), Durability::Synced).map(|()| true),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(Error::new("link", &self.path, error)),
        }
    }

    /// The file was removed while piton was about to write: that is an edit like any other.
    fn appeared_after_removal(&self, other: &Path) -> Result<Displaced, Error> {
        file::remove_file_if_exists(other)?;
        Ok(Displaced::Appeared)
    }

    /// Looks at what earlier writes displaced, and clears it away. Late edits are merged: the gaps to go on from, where
    /// there were any.
    fn look_again<E>(&self, gaps: &[Gap], found: &mut Found) -> Result<Option<Vec<Gap>>, UpdateError<E>> {
        let mut merged_gaps: Option<Vec<Gap>> = None;
        for (other, base) in self.left_behind()? {
            let late = file::read_regular(&other, GAP_FILE_BYTES_MAX)?.unwrap_or_default();
            if late.trim_ascii().is_empty() && base.exists() {
                // Somebody has emptied it and is about to fill it again: to be heard when that is done.
                continue;
            }
            let never_placed = || other.to_string_lossy().ends_with(&format!("-{}.other", digest(&late)));
            if !file::holds(&base, &late) && !never_placed() {
                let expected = file::read_regular(&base, GAP_FILE_BYTES_MAX)?;
                let current = merged_gaps.as_deref().unwrap_or(gaps);
                match late_edit(expected.as_deref(), &late, current) {
                    Some(merged) => merged_gaps = Some(found.take(merged)),
                    None => {
                        let kept = base.with_extension("kept");
                        file::rename_noreplace(&other, &kept)?;
                        found.kept.push(kept);
                    }
                }
            }
            found.handled.push(other);
            found.handled.push(base);
        }
        // Only when the merged gaps are in their place may the late edit go: see `clear`.
        if merged_gaps.is_none() {
            found.clear()?;
        }
        Ok(merged_gaps)
    }

    /// The pairs that earlier writes left aside.
    fn left_behind(&self) -> Result<Vec<(PathBuf, PathBuf)>, Error> {
        let entries =
            std::fs::read_dir(&self.aside).map_err(|error| Error::new("list", &self.aside, error))?;
        let mut names: Vec<String> =
            entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        let others =
            names.iter().filter_map(|name| Some((name, name.strip_suffix(".other")?.split_once('-')?.0)));
        let mut pairs: Vec<(PathBuf, PathBuf)> = others
            .map(|(name, random)| (self.aside.join(name), self.aside.join(format!("{random}.base"))))
            .collect();
        // What a crash left before anything was exchanged.
        let is_paired = |base: &PathBuf| pairs.iter().any(|(_, other)| other == base);
        let unfinished = names.iter().filter(|name| name.ends_with(".base") || name.ends_with(".new"));
        for path in unfinished.map(|name| self.aside.join(name)).filter(|path| !is_paired(path)) {
            file::remove_file_if_exists(&path)?;
        }
        pairs.sort();
        Ok(pairs)
    }
}

impl<E> UpdateError<E> {
    fn into_file(self) -> Error {
        match self {
            UpdateError::File(error) => error,
            UpdateError::Invalid { .. }
            | UpdateError::Rewrite(_)
            | UpdateError::Wish(_)
            | UpdateError::Busy(_)
            | UpdateError::Emptied(_) => {
                unreachable!("only an error of a file is put back as one")
            }
        }
    }
}

/// What is known of the file.
struct Seen {
    /// The content that wishes are written into.
    document: Arc<Document>,
    /// The content that is in the place, as far as piton knows.
    on_disk: OnDisk,
    /// Its gaps: what an edit that comes in between was made from.
    gaps_on_disk: Vec<Gap>,
}

enum OnDisk {
    Nothing,
    /// The document as it was read.
    Document,
    /// Something that piton wrote, while the document is aside.
    Written(String),
}

impl Seen {
    fn of(document: Option<Arc<Document>>) -> Self {
        let on_disk = if document.is_some() { OnDisk::Document } else { OnDisk::Nothing };
        let document = document.unwrap_or_else(|| Arc::new(Document::empty()));
        let gaps_on_disk = document.gaps().to_vec();
        Self { document, on_disk, gaps_on_disk }
    }

    fn on_disk(&self) -> Option<&str> {
        match &self.on_disk {
            OnDisk::Nothing => None,
            OnDisk::Document => Some(self.document.text()),
            OnDisk::Written(text) => Some(text),
        }
    }
}

/// What the new content displaced.
enum Displaced {
    /// What piton had read, or nothing where there was nothing.
    AsExpected,
    /// Something else, which is aside now.
    Other { other: PathBuf, bytes: Vec<u8> },
    /// Nothing was displaced: the file came or went meanwhile.
    Appeared,
}

/// What is found on the way.
#[derive(Default)]
struct Found {
    wrote: bool,
    adopted: Vec<Adopted>,
    overruled: Vec<Overruled>,
    kept: Vec<PathBuf>,
    /// Files aside that have been dealt with.
    handled: Vec<PathBuf>,
}

impl Found {
    fn take(&mut self, merged: Merged) -> Vec<Gap> {
        self.adopted.extend(merged.adopted);
        self.overruled.extend(merged.overruled);
        merged.gaps
    }

    fn clear(&mut self) -> Result<(), Error> {
        for path in self.handled.drain(..) {
            fault::point("files.gaps.clear");
            file::remove_file_if_exists(&path)?;
        }
        Ok(())
    }

    fn into_updated(mut self, gaps: Vec<Gap>, text: String) -> Updated {
        // What cannot be cleared now is looked at again by the next write, and found merged.
        let _ = self.clear();
        let Found { wrote, adopted, overruled, kept, .. } = self;
        Updated { gaps, text, wrote, adopted, overruled, kept }
    }
}

/// The order in which a rewritten document has its gaps: those it had, then those that are new.
fn in_file_order(before: &[Gap], mut gaps: Vec<Gap>) -> Vec<Gap> {
    if before.len() <= gaps.len() && before.iter().zip(&gaps).all(|(old, new)| old.id == new.id) {
        return gaps;
    }
    let places: HashMap<&str, usize> =
        before.iter().enumerate().map(|(place, gap)| (gap.id.as_str(), place)).collect();
    // Stable: new gaps stay in the order in which they were given.
    gaps.sort_by_key(|gap| places.get(gap.id.as_str()).copied().unwrap_or(usize::MAX));
    gaps
}

/// A late edit, with all that has happened since; `None` where it cannot be merged.
fn late_edit(base: Option<&[u8]>, late: &[u8], current: &[Gap]) -> Option<Merged> {
    let base = Document::parse(base?).ok()?;
    let late = Document::parse(late).ok()?;
    let merged = merge(base.gaps(), late.gaps(), current);
    problems_since(late.gaps(), &merged.gaps).is_empty().then_some(merged)
}

/// What had been read when this was prepared.
fn base_of(other: &Path) -> PathBuf {
    let name = other.file_name().unwrap_or_default().to_string_lossy();
    let random = name.split(['-', '.']).next().unwrap_or_default();
    other.with_file_name(format!("{random}.base"))
}

fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..32].to_owned()
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether this is what an editor makes of a file before it fills it.
fn says_nothing(bytes: &[u8]) -> bool {
    Document::parse(bytes).is_ok_and(|document| document.says_nothing())
}
