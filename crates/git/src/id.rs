//! Names of git objects: a commit, a tree and a blob are not interchangeable.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A text that does not name a git object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an object id: 40 or 64 lowercase hexadecimal digits")]
pub struct ParseIdError {
    /// What was given.
    pub text: String,
}

/// What has a tree to compare: a snapshot, or a tree itself.
pub trait Treeish: sealed::Sealed {
    /// The object's name.
    fn as_str(&self) -> &str;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! object_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The name as git writes it.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = ParseIdError;

            fn try_from(text: String) -> Result<Self, ParseIdError> {
                let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
                if matches!(text.len(), 40 | 64) && text.bytes().all(is_hex) {
                    Ok(Self(text))
                } else {
                    Err(ParseIdError { text })
                }
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

object_id! {
    /// A snapshot: the commit that records it.
    SnapshotId
}
object_id! {
    /// The files of a snapshot.
    TreeId
}
object_id! {
    /// The bytes of one file.
    BlobId
}

impl TreeId {
    /// Whether it holds nothing: both names that git has for that.
    pub fn is_empty(&self) -> bool {
        const EMPTY: [&str; 2] = [
            "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
            "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
        ];
        EMPTY.contains(&self.as_str())
    }
}

macro_rules! treeish {
    ($($name:ident),*) => {$(
        impl sealed::Sealed for $name {}
        impl Treeish for $name {
            fn as_str(&self) -> &str {
                &self.0
            }
        }
    )*};
}

treeish!(SnapshotId, TreeId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_full_lowercase_hexadecimal_names_an_object() {
        for good in ["0".repeat(40), "f".repeat(64)] {
            assert!(TreeId::try_from(good).is_ok());
        }
        for bad in [String::new(), "0".repeat(39), "F".repeat(40), "-".repeat(40), "refs/heads/main".into()] {
            assert!(TreeId::try_from(bad.clone()).is_err(), "{bad}");
        }
    }
}
