//! Names of things, as types.

use std::fmt;
use std::str::FromStr;

use crate::limits::RUN_ID_BYTES_MAX;
use crate::words::written_as_text;

/// The position of an event in its run: 1, 2, 3, … without gaps.
pub type Seq = u64;

/// How often the lease of a run has been granted. Every transition carries the epoch of its driver.
pub type Epoch = u64;

/// The name of a run: `^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`, safe as a piece of a path.
///
/// Two ids that differ only in case name the same run, so that they cannot collide on a file system
/// that folds case; [`RunId::key`] is the form to compare by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(String);

impl RunId {
    /// The id as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id with its case folded: what uniqueness is judged by.
    pub fn key(&self) -> String {
        self.0.to_ascii_lowercase()
    }

    /// What people type: of a name that was made up the digits after the last `-`, which no other has; any other name is whole, since two
    /// may end alike.
    pub fn short(&self) -> &str {
        let is_made_up = |part: &&str| part.len() == 8 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        self.0.rsplit('-').next().filter(is_made_up).unwrap_or(&self.0)
    }
}

/// The text cannot name a run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` is not a run id: use 1 to {RUN_ID_BYTES_MAX} letters, digits, `-` or `_`, starting with a letter or digit",
    .text.escape_debug()
)]
pub struct InvalidRunId {
    text: String,
}

impl FromStr for RunId {
    type Err = InvalidRunId;

    fn from_str(text: &str) -> Result<Self, InvalidRunId> {
        let bytes = text.as_bytes();
        let starts_well = bytes.first().is_some_and(u8::is_ascii_alphanumeric);
        let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-' || *byte == b'_';
        if starts_well && bytes.len() <= RUN_ID_BYTES_MAX && bytes.iter().all(allowed) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidRunId { text: text.chars().take(80).collect() })
        }
    }
}

written_as_text!(RunId);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A few words of `title` as a piece of an id: lower case, digits and single dashes, at most 40 bytes.
pub fn slug(title: &str) -> String {
    let mut slug = String::new();
    for character in title.chars() {
        if character.is_ascii_alphanumeric() {
            slug.push(character.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() >= 40 {
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "loop".to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_run_ids_are_refused() {
        let long = "a".repeat(65);
        for text in [
            "",
            "../../etc/x",
            "..%2f",
            "/abs",
            "a/../b",
            ".",
            "-rf",
            "_x",
            "a\0b",
            "é",
            "a b",
            "a\u{202e}b",
            &long,
        ] {
            assert!(text.parse::<RunId>().is_err(), "{text:?} was accepted");
        }
    }

    #[test]
    fn ordinary_run_ids_are_accepted() {
        for text in ["a", "7f3a91c2", "ralph-add-input-validation-7f3a91c2", "Run_1", &"a".repeat(64)] {
            assert!(text.parse::<RunId>().is_ok(), "{text:?} was refused");
        }
    }

    #[test]
    fn ids_that_differ_in_case_share_a_key() {
        let upper: RunId = "RUN-1".parse().unwrap();
        let lower: RunId = "run-1".parse().unwrap();
        assert_eq!(upper.key(), lower.key());
    }

    #[test]
    fn a_slug_is_always_a_piece_of_an_id() {
        for title in ["Add input validation to /users", "", "日本語", "--x--", &"word ".repeat(40)] {
            let id = format!("ralph-{}-0123abcd", slug(title));
            assert!(id.parse::<RunId>().is_ok(), "{id}");
        }
    }
}
