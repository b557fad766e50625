//! Paths inside a work tree: bytes, as git and the kernel have them.
//!
//! File names need not be text. In JSON a path is its text, with a backslash as `\\` and a byte that is not
//! part of UTF-8 as `\xNN`, so that every path has one spelling and reads back to the same bytes.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// A path below the root of a work tree, with `/` between its parts and none at its ends.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RepoPath(Vec<u8>);

/// A text that is not the spelling of a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not the spelling of a path: a backslash starts `\\\\` or `\\xNN`")]
pub struct ParsePathError {
    /// What was given.
    pub text: String,
}

impl RepoPath {
    /// The path with these bytes.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(bytes.strip_suffix(b"/").unwrap_or(bytes).to_vec())
    }

    /// The path as bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path for the file system, below the root.
    pub fn as_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }

    /// The last part.
    pub(crate) fn name(&self) -> &[u8] {
        self.parts().last().unwrap_or_default()
    }

    pub(crate) fn parts(&self) -> impl Iterator<Item = &[u8]> {
        self.0.split(|&byte| byte == b'/')
    }

    /// The path of the directory that holds it; `None` at the root.
    pub(crate) fn parent(&self) -> Option<Self> {
        let slash = self.0.iter().rposition(|&byte| byte == b'/')?;
        Some(Self(self.0[..slash].to_vec()))
    }

    /// Whether this is `directory` or something below it.
    pub(crate) fn is_within(&self, directory: &Self) -> bool {
        match self.0.strip_prefix(directory.0.as_slice()) {
            Some(rest) => rest.is_empty() || rest[0] == b'/' || directory.0.is_empty(),
            None => false,
        }
    }

    /// This path below `directory`; the empty path is the root.
    pub(crate) fn below(&self, directory: &Self) -> Self {
        match (directory.0.is_empty(), self.0.is_empty()) {
            (true, _) => self.clone(),
            (_, true) => directory.clone(),
            _ => Self([directory.0.as_slice(), b"/", &self.0].concat()),
        }
    }

    /// The empty path: the root itself.
    pub(crate) fn root() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn is_root(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&Path> for RepoPath {
    fn from(path: &Path) -> Self {
        Self::from_bytes(path.as_os_str().as_bytes())
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            f.write_str(&chunk.valid().replace('\\', "\\\\"))?;
            chunk.invalid().iter().try_for_each(|byte| write!(f, "\\x{byte:02x}"))?;
        }
        Ok(())
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

impl From<RepoPath> for String {
    fn from(path: RepoPath) -> Self {
        path.to_string()
    }
}

impl TryFrom<String> for RepoPath {
    type Error = ParsePathError;

    fn try_from(text: String) -> Result<Self, ParsePathError> {
        unescape(text.as_bytes()).map(Self).ok_or(ParsePathError { text })
    }
}

fn unescape(mut text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    while let Some((&first, rest)) = text.split_first() {
        text = match (first, rest) {
            (b'\\', [b'\\', rest @ ..]) => {
                bytes.push(b'\\');
                rest
            }
            (b'\\', [b'x', high, low, rest @ ..]) => {
                let digits = [*high, *low];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
                rest
            }
            (b'\\', _) => return None,
            (byte, rest) => {
                bytes.push(byte);
                rest
            }
        };
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_path_reads_back_from_json(bytes in proptest::collection::vec(1u8..=255, 1..40)) {
            let path = RepoPath(bytes);
            let json = serde_json::to_string(&path).unwrap();
            prop_assert_eq!(serde_json::from_str::<RepoPath>(&json).unwrap(), path);
        }
    }

    #[test]
    fn a_path_is_within_a_directory_only_at_a_slash() {
        let path = |text: &str| RepoPath::from_bytes(text.as_bytes());
        assert!(path("a/b").is_within(&path("a")));
        assert!(path("a").is_within(&path("a")));
        assert!(path("a").is_within(&RepoPath::root()));
        assert!(!path("ab").is_within(&path("a")));
    }
}
