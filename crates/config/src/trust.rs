//! Which `piton.toml` may run commands, trusted whole, by content, like direnv; and which journals are this user's own.
//!
//! Owns `trust.json` in the user's configuration directory: per repository, the BLAKE3 hashes of the contents
//! that a person trusted, with the time; and the random ids of the journals that this user made or took over. Never kept in the
//! repository, where an agent could write it, and which others can send. A missing `piton.toml` needs no trust.
//!
//! Where that directory cannot be written, as in a container without a home, journals are listed in one of this user's below
//! the system's directory for temporary files: what is begun there goes on there.
//!
//! Invariants: the file is private, replaced in one step, and changed under a lock, so that two writers lose
//! nothing. What others could have written is refused, not believed.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use piton_model::Timestamp;
use piton_sys::file::{self, Durability};
use piton_sys::lock::FileLock;
use serde::{Deserialize, Serialize};

const TRUST_FILE: &str = "trust.json";
const LOCK_FILE: &str = "trust.lock";
const VERSION: u32 = 1;
const BYTES_MAX: u64 = 16 << 20;
/// Contents kept per repository; the oldest makes room.
const CONTENTS_MAX: usize = 64;
/// Journals kept; the oldest makes room.
const JOURNALS_MAX: usize = 10_000;

/// Trust could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file operation failed.
    #[error(transparent)]
    File(#[from] file::Error),
    /// A directory cannot be found.
    #[error("failed to find `{}`", path.display())]
    Directory { path: PathBuf, source: std::io::Error },
    /// Somebody else could have written what is trusted.
    #[error("`{}` can be written by others; run `chmod 600` on it after a look inside", path.display())]
    WritableByOthers {
        /// The trust file.
        path: PathBuf,
    },
    /// It is not what piton writes.
    #[error("`{}` is not a trust file; move it away and run `piton trust` again", path.display())]
    Unreadable {
        /// The trust file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A later piton wrote it.
    #[error("`{}` was written by a newer piton (version {found}, this one knows {VERSION})", path.display())]
    Newer {
        /// The trust file.
        path: PathBuf,
        /// The version that it names.
        found: u32,
    },
}

/// The trust file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Trust {
    version: u32,
    /// By canonical path.
    repositories: BTreeMap<String, BTreeMap<String, Timestamp>>,
    /// Those that this user made or took over, and when, by the id of the journal.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    journals: BTreeMap<String, Timestamp>,
}

/// Whether this content of the repository's `piton.toml` was trusted.
pub fn is_trusted(config_dir: &Path, repo_root: &Path, content: &[u8]) -> Result<bool, Error> {
    let Some(directory) = existing(config_dir)? else { return Ok(false) };
    let trust = load(&directory)?;
    let contents = trust.repositories.get(&key(repo_root)?);
    Ok(contents.is_some_and(|contents| contents.contains_key(&hash(content))))
}

/// Whether anything of this repository was ever trusted.
pub fn is_known(config_dir: &Path, repo_root: &Path) -> Result<bool, Error> {
    let Some(directory) = existing(config_dir)? else { return Ok(false) };
    Ok(load(&directory)?.repositories.contains_key(&key(repo_root)?))
}

/// Trusts this content of the repository's `piton.toml`, from `now` on.
pub fn trust(config_dir: &Path, repo_root: &Path, content: &[u8], now: Timestamp) -> Result<(), Error> {
    let key = key(repo_root)?;
    change(config_dir, |trust| {
        let contents = trust.repositories.entry(key).or_default();
        contents.insert(hash(content), now);
        keep_newest(contents, CONTENTS_MAX);
    })
}

/// Whether the journal of this id is one of this user's own.
pub fn is_listed(config_dir: &Path, journal: &str) -> Result<bool, Error> {
    let has = |directory: &Path| Ok(load(directory)?.journals.contains_key(journal));
    if let Some(directory) = existing(config_dir)?
        && has(&directory)?
    {
        return Ok(true);
    }
    // Others can put something there, too: what is not this user's says nothing.
    let shelter = without_a_home();
    if file::check_private_dir(&shelter).is_ok() { has(&shelter) } else { Ok(false) }
}

/// Lists a journal as one of this user's own, from `now` on.
pub fn list(config_dir: &Path, journal: &str, now: Timestamp) -> Result<(), Error> {
    let add = |directory: &Path| {
        change(directory, |trust| {
            trust.journals.insert(journal.to_owned(), now);
            keep_newest(&mut trust.journals, JOURNALS_MAX);
        })
    };
    // What stood in the way of the first is what a person can mend.
    add(config_dir).or_else(|error| match error {
        Error::File(_) | Error::Directory { .. } => {
            let shelter = without_a_home();
            match file::create_private_dir(&shelter) {
                Ok(()) => add(&shelter).map_err(|_| error),
                Err(_) => Err(error),
            }
        }
        _ => Err(error),
    })
}

/// Where journals are listed by a user whose configuration directory cannot be written.
fn without_a_home() -> PathBuf {
    std::env::temp_dir().join(format!("piton-{}", file::this_user()))
}

fn keep_newest(times: &mut BTreeMap<String, Timestamp>, count_max: usize) {
    while times.len() > count_max {
        let oldest = times.iter().min_by_key(|(_, at)| **at).map(|(name, _)| name.clone());
        times.remove(&oldest.expect("more than one is there"));
    }
}

fn hash(content: &[u8]) -> String {
    blake3::hash(content).to_hex().to_string()
}

/// The repository's name in the file. A link to it is the same repository.
fn key(repo_root: &Path) -> Result<String, Error> {
    let path = canonical(repo_root)?;
    // A path that is not text must not fall together with another one.
    Ok(match path.to_str() {
        Some(text) => text.to_owned(),
        None => format!("bytes:{}", path.as_os_str().as_bytes().escape_ascii()),
    })
}

fn canonical(path: &Path) -> Result<PathBuf, Error> {
    std::fs::canonicalize(path).map_err(|source| Error::Directory { path: path.to_owned(), source })
}

/// The directory behind any links of the user's own, where it exists and nobody else can change it.
fn existing(config_dir: &Path) -> Result<Option<PathBuf>, Error> {
    match canonical(config_dir) {
        Ok(directory) => {
            file::check_private_dir(&directory)?;
            Ok(Some(directory))
        }
        Err(Error::Directory { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn load(directory: &Path) -> Result<Trust, Error> {
    let path = directory.join(TRUST_FILE);
    let Some(bytes) = file::read_regular(&path, BYTES_MAX)? else {
        return Ok(Trust { version: VERSION, repositories: BTreeMap::new(), journals: BTreeMap::new() });
    };
    let metadata = path.symlink_metadata().map_err(|source| file::Error::new("read", &path, source))?;
    if metadata.mode() & 0o022 != 0 {
        return Err(Error::WritableByOthers { path });
    }
    #[derive(Deserialize)]
    struct Head {
        version: u32,
    }
    let unreadable = |source| Error::Unreadable { path: path.clone(), source };
    let head: Head = serde_json::from_slice(&bytes).map_err(unreadable)?;
    if head.version > VERSION {
        return Err(Error::Newer { path, found: head.version });
    }
    serde_json::from_slice(&bytes).map_err(unreadable)
}

/// Reads, changes and replaces the file, alone.
fn change(config_dir: &Path, edit: impl FnOnce(&mut Trust)) -> Result<(), Error> {
    let directory = match existing(config_dir)? {
        Some(directory) => directory,
        None => {
            file::create_private_dir(config_dir)?;
            canonical(config_dir)?
        }
    };
    let _lock = FileLock::exclusive(&directory.join(LOCK_FILE))?;
    let mut trust = load(&directory)?;
    edit(&mut trust);
    let mut bytes = serde_json::to_vec_pretty(&trust).expect("trust is plain data");
    bytes.push(b'\n');
    file::write_atomic(&directory.join(TRUST_FILE), &bytes, Durability::Synced)?;
    Ok(())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare their files directly")]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_771_157_000_000);

    struct World {
        directory: tempfile::TempDir,
    }

    impl World {
        fn new() -> Self {
            let world = Self { directory: tempfile::tempdir().unwrap() };
            std::fs::create_dir(world.repo()).unwrap();
            world
        }

        fn config(&self) -> PathBuf {
            self.directory.path().join("config/piton")
        }

        fn repo(&self) -> PathBuf {
            self.directory.path().join("repo")
        }

        fn trusts(&self, content: &str) -> bool {
            is_trusted(&self.config(), &self.repo(), content.as_bytes()).unwrap()
        }

        fn trust(&self, content: &str) {
            trust(&self.config(), &self.repo(), content.as_bytes(), NOW).unwrap();
        }
    }

    #[test]
    fn exactly_the_content_that_was_seen_is_trusted() {
        let world = World::new();
        assert!(!world.trusts("a"));
        world.trust("a");
        assert!(world.trusts("a") && !world.trusts("a "));
        world.trust("b");
        assert!(world.trusts("a") && world.trusts("b"), "going back to what was trusted needs no question");
    }

    #[test]
    fn a_repository_is_known_from_the_first_content_on() {
        let world = World::new();
        let known = || is_known(&world.config(), &world.repo()).unwrap();
        assert!(!known());
        world.trust("a");
        assert!(known() && !world.trusts("b"));
    }

    #[test]
    fn a_journal_that_was_listed_is_ones_own_and_no_other() {
        let world = World::new();
        let listed = |id| is_listed(&world.config(), id).unwrap();
        assert!(!listed("0a"));
        list(&world.config(), "0a", NOW).unwrap();
        assert!(listed("0a") && !listed("0b"));
        world.trust("a");
        assert!(listed("0a") && world.trusts("a"), "the one does not forget the other");
    }

    #[test]
    fn trust_of_one_repository_is_not_trust_of_another() {
        let world = World::new();
        world.trust("a");
        let other = world.directory.path().join("other");
        std::fs::create_dir(&other).unwrap();
        assert!(!is_trusted(&world.config(), &other, b"a").unwrap());
        let link = world.directory.path().join("link");
        std::os::unix::fs::symlink(world.repo(), &link).unwrap();
        assert!(is_trusted(&world.config(), &link, b"a").unwrap(), "a link is the same repository");
    }

    #[test]
    fn the_file_is_private_and_says_when() {
        let world = World::new();
        world.trust("a");
        let path = world.config().join(TRUST_FILE);
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
        assert_eq!(world.config().metadata().unwrap().mode() & 0o777, 0o700);
        let json: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let repo = std::fs::canonicalize(world.repo()).unwrap();
        let at = &json["repositories"][repo.to_str().unwrap()][hash(b"a")];
        assert_eq!(at, &serde_json::json!("2026-02-15T12:03:20.000Z"));
    }

    #[test]
    fn what_others_could_have_written_is_refused() {
        let world = World::new();
        world.trust("a");
        let path = world.config().join(TRUST_FILE);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o620)).unwrap();
        let refused = is_trusted(&world.config(), &world.repo(), b"a");
        assert!(matches!(refused, Err(Error::WritableByOthers { .. })), "{refused:?}");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        std::fs::set_permissions(world.config(), std::fs::Permissions::from_mode(0o777)).unwrap();
        assert!(matches!(is_trusted(&world.config(), &world.repo(), b"a"), Err(Error::File(_))));
    }

    #[test]
    fn a_file_that_is_not_ours_is_neither_believed_nor_replaced() {
        let world = World::new();
        world.trust("a");
        let path = world.config().join(TRUST_FILE);
        for (text, newer) in [("{", false), ("[]", false), (r#"{"version":2,"repositories":{}}"#, true)] {
            std::fs::write(&path, text).unwrap();
            let asked = is_trusted(&world.config(), &world.repo(), b"a").unwrap_err();
            assert_eq!(matches!(asked, Error::Newer { .. }), newer, "{asked}");
            assert!(trust(&world.config(), &world.repo(), b"b", NOW).is_err());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn the_newest_contents_are_kept() {
        let world = World::new();
        for number in 0..CONTENTS_MAX + 2 {
            let at = NOW.plus_millis(number as u64);
            trust(&world.config(), &world.repo(), number.to_string().as_bytes(), at).unwrap();
        }
        assert!(!world.trusts("0") && !world.trusts("1"));
        assert!(world.trusts("2") && world.trusts(&(CONTENTS_MAX + 1).to_string()));
    }

    #[test]
    fn writers_at_the_same_time_lose_nothing() {
        let world = World::new();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let world = &world;
                scope.spawn(move || {
                    for number in 0..5 {
                        world.trust(&format!("{writer}-{number}"));
                    }
                });
            }
        });
        for writer in 0..4 {
            for number in 0..5 {
                assert!(world.trusts(&format!("{writer}-{number}")), "{writer}-{number} was lost");
            }
        }
    }
}
