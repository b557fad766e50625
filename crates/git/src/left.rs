//! What this process left of its shadows. Between two snapshots an agent works, and without walls it may write where a shadow is: a
//! mark in the private index would take a file out of sight, and a memo could say that nothing changed.
//!
//! A stamp names the inode and when it was last changed, which nobody sets at will. A shadow that is not as it was left is made
//! anew, which costs time and loses nothing. What another process left is believed: it held the lease.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::memo::Stamp;
use crate::shadow::Shadow;

/// What decides how files are looked at and what is believed of them.
const FILES: [&str; 5] = ["index", "memo.json", "config", "info/attributes", "info/exclude"];

type Stamps = [Option<Stamp>; FILES.len()];

static LEFT: Mutex<BTreeMap<PathBuf, Stamps>> = Mutex::new(BTreeMap::new());

/// Remembers the shadow as it is.
pub(crate) fn note(shadow: &Shadow) {
    LEFT.lock().unwrap_or_else(PoisonError::into_inner).insert(shadow.path(""), stamps(shadow));
}

/// Whether somebody wrote to it since.
pub(crate) fn is_other(shadow: &Shadow) -> bool {
    let left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
    left.get(&shadow.path("")).is_some_and(|left| *left != stamps(shadow))
}

fn stamps(shadow: &Shadow) -> Stamps {
    FILES.map(|name| Stamp::of(&shadow.path(name)).ok())
}
