//! The progress files as they lie there, read once and within bounds: whatever is missing is missing.

use std::collections::BTreeMap;
use std::path::Path;

use piton_model::cycle::limits::{DOCUMENT_BYTES_MAX, DOCUMENTS_MAX, ROLES_MAX};
use piton_model::cycle::{Document, RoleName};
use piton_sys::file::{self, Error, Refusal};

use super::documents::{RESULTS, is_document};
use super::header::split;
use super::logs::{CHANGES, DEBUG};
use super::place::COORDINATION;
use super::version::iteration_of;
use super::zone::moment;

/// The largest log that is read; of what is larger nothing is known.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// Every file of a progress directory that says something, by its name there: `ra/requirements.md`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    files: BTreeMap<String, Vec<u8>>,
    /// Files that are there and could not be read, and why.
    pub(super) unreadable: Vec<String>,
}

impl Progress {
    /// Reads the directory `<id>.progress`, which lies below `root`. Nothing where there is none.
    pub fn read(root: &Path, directory: &Path) -> Result<Self, Error> {
        let mut progress = Self::default();
        if directory.symlink_metadata().is_err() {
            return Ok(progress);
        }
        let roles = names(root, directory)?;
        for role in
            roles.into_iter().filter(|name| RoleName::from(name.as_str()).is_sound()).take(ROLES_MAX + 1)
        {
            let inside = directory.join(&role);
            if !inside.is_dir() {
                continue;
            }
            let is_log = |name: &str| [CHANGES, DEBUG, RESULTS].contains(&name);
            let known = |name: &String| role == COORDINATION || is_log(name) || is_document(name);
            for name in names(root, &inside)?.into_iter().filter(known).take(4 * DOCUMENTS_MAX) {
                progress.take(root, &inside.join(&name), format!("{role}/{name}"))?;
            }
        }
        Ok(progress)
    }

    fn take(&mut self, root: &Path, path: &Path, name: String) -> Result<(), Error> {
        match file::within(root, path, |path| file::read_regular(path, FILE_BYTES_MAX)) {
            Ok(bytes) => self.files.extend(bytes.map(|bytes| (name, bytes))),
            Err(error) if matches!(error.refusal(), Some(Refusal::Symlink | Refusal::TooLarge { .. })) => {
                self.unreadable.push(format!("{name}: {}", error.source));
            }
            // A directory among them, such as the archive.
            Err(error) if error.refusal().is_some() => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// These very files.
    pub fn of(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        Self { files: files.into_iter().collect(), unreadable: Vec::new() }
    }

    /// Whether there is nothing at all.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// What a file holds.
    pub fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.files.get(name).map(Vec::as_slice)
    }

    /// The same as text; what is no text is shown as well as it can be.
    pub fn text(&self, name: &str) -> Option<String> {
        self.bytes(name).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// Where a document lies: with its role of the format, or with whoever of another team writes it.
    pub(super) fn find(&self, role: &str, name: &str) -> String {
        let usual = format!("{role}/{name}");
        let others = self.roles().into_iter().map(|role| format!("{role}/{name}"));
        let found = others.into_iter().find(|other| self.files.contains_key(other));
        if self.files.contains_key(&usual) { usual } else { found.unwrap_or(usual) }
    }

    /// The directories of roles.
    pub(super) fn roles(&self) -> Vec<RoleName> {
        // They are sorted, so those of one role stand together.
        let mut roles: Vec<RoleName> = self
            .files
            .keys()
            .filter_map(|name| name.split_once('/'))
            .map(|(role, _)| RoleName::from(role))
            .filter(|role| role.as_str() != COORDINATION)
            .collect();
        roles.dedup();
        roles
    }

    /// What roles wrote, below piton's headers or without any.
    pub(super) fn documents(&self) -> Vec<(RoleName, Document)> {
        let mut found = Vec::new();
        for (name, bytes) in &self.files {
            let Some((role, name)) = name.split_once('/') else { continue };
            if role == COORDINATION || !is_document(name) || name.contains(".foreign-") {
                continue;
            }
            let text = String::from_utf8_lossy(bytes);
            let (header, body) = if name.ends_with(".md") { split(&text) } else { Default::default() };
            let text = if name.ends_with(".md") { body } else { text.into_owned() };
            let iteration =
                if header.iteration > 0 { Some(header.iteration) } else { iteration_of(&header.version) };
            let document = Document {
                name: name.to_owned(),
                iteration: iteration.unwrap_or(0),
                text: piton_model::limits::clip(&text, DOCUMENT_BYTES_MAX).to_owned(),
                at: moment(&header.date).unwrap_or_default(),
                version: header.version,
            };
            found.push((RoleName::from(role), document));
        }
        found
    }
}

fn names(root: &Path, directory: &Path) -> Result<Vec<String>, Error> {
    let failed = |error| Error::new("list", directory, error);
    let entries = file::within(root, &directory.join("any"), |path| {
        std::fs::read_dir(path.parent().unwrap_or(path)).map_err(failed)
    })?;
    let mut names: Vec<String> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    Ok(names)
}
