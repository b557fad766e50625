//! The names in an attempt's directory, and reading them.

use std::path::{Path, PathBuf};

use piton_sys::file::{self, Durability};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::attempt::Error;
use crate::spec::check_name;

pub(crate) const LOCK: &str = "lock";
pub(crate) const SPEC: &str = "spec.json";
pub(crate) const PROMPT: &str = "prompt.md";
pub(crate) const KEEPER: &str = "keeper.json";
pub(crate) const STARTED: &str = "started.json";
pub(crate) const STDOUT: &str = "stdout.log";
pub(crate) const STDERR: &str = "stderr.log";
/// What the program itself may write to, even between walls.
pub(crate) const OUTBOX: &str = "outbox";
pub(crate) const REPORT: &str = "report.json";
pub(crate) const EXIT: &str = "exit.json";
pub(crate) const ABANDONED: &str = "abandoned";

/// Names the directory to every process of its attempt.
pub(crate) const DIRECTORY_VARIABLE: &str = "PITON_ATTEMPT_DIR";

/// Records are small; anything larger was not written by a keeper.
const RECORD_BYTES_MAX: u64 = 256 * 1024;

/// The directory of the attempt `name`, published or not.
pub(crate) fn of(attempts: &Path, name: &str) -> Result<PathBuf, Error> {
    check_name(name)?;
    Ok(attempts.join(name))
}

/// The prompt, in the directory of an attempt.
pub fn prompt_file(directory: &Path) -> PathBuf {
    directory.join(PROMPT)
}

/// Where the program of an attempt may leave things.
pub fn outbox(directory: &Path) -> PathBuf {
    directory.join(OUTBOX)
}

/// The report, in the directory of an attempt.
pub fn report_file(directory: &Path) -> PathBuf {
    outbox(directory).join(REPORT)
}

/// What the program printed, in the directory of an attempt.
pub fn stdout_file(directory: &Path) -> PathBuf {
    directory.join(STDOUT)
}

/// What the program printed as errors, in the directory of an attempt.
pub fn stderr_file(directory: &Path) -> PathBuf {
    directory.join(STDERR)
}

/// Whether everything is there that a keeper wrote before it published the attempt.
pub(crate) fn is_whole(directory: &Path) -> bool {
    [LOCK, KEEPER].iter().all(|file| directory.join(file).is_file())
}

/// Whether a file of that name can be added to the directory: plain, and none of ours.
pub(crate) fn may_hold(name: &str) -> bool {
    let ours = [LOCK, SPEC, PROMPT, KEEPER, STARTED, STDOUT, STDERR, OUTBOX, EXIT, ABANDONED];
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !name.is_empty() && !name.starts_with('.') && name.bytes().all(plain) && !ours.contains(&name)
}

/// The name a directory has until it is published. No attempt can be called that: names have no dots.
pub(crate) fn unpublished(attempts: &Path, name: &str) -> PathBuf {
    use piton_sys::Ids;
    attempts.join(format!("{name}.{}", piton_sys::SystemIds.hex(8)))
}

/// The name of what had that of an attempt and was not one.
pub(crate) fn aside(attempts: &Path, name: &str) -> PathBuf {
    use piton_sys::Ids;
    attempts.join(format!("{name}.aside-{}", piton_sys::SystemIds.hex(8)))
}

/// Whether this is the name of a directory before it is published.
pub(crate) fn is_unpublished(file_name: &str) -> bool {
    let is_random = |text: &str| text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    file_name.split_once('.').is_some_and(|(name, random)| check_name(name).is_ok() && is_random(random))
}

/// Reads a record; `None` where it was not written.
///
/// A record is whole before it has its name, so one without any content is what a power cut left of it: its name
/// had reached the disk, the rest had not. That counts as not written.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    let Some(bytes) = file::read_regular(path, RECORD_BYTES_MAX)? else { return Ok(None) };
    if bytes.iter().all(|byte| *byte == 0) {
        return Ok(None);
    }
    match serde_json::from_slice(&bytes) {
        Ok(record) => Ok(Some(record)),
        Err(source) => Err(Error::Damaged { path: path.to_owned(), source }),
    }
}

/// Writes a record into a directory that nobody else sees yet.
pub(crate) fn create(path: &Path, record: &impl Serialize) -> Result<(), file::Error> {
    file::create_new(path, &to_json(record), Durability::Unsynced)
}

/// Writes a record at once or not at all.
pub(crate) fn write(path: &Path, record: &impl Serialize, durability: Durability) -> Result<(), file::Error> {
    file::write_atomic(path, &to_json(record), durability)
}

fn to_json(record: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(record).expect("records have string keys");
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unpublished_names_look_unpublished() {
        assert!(is_unpublished("7.0123abcd"));
        assert!(is_unpublished(unpublished(Path::new(""), "check-1").to_str().unwrap()));
        for name in ["7", "7.txt", "7.0123abcde", ".0123abcd", "a/b.0123abcd", "7.0123abcd.tmp"] {
            assert!(!is_unpublished(name), "`{name}`");
        }
    }
}
