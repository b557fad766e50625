//! What findings rest on, and how they decay before their time.
//!
//! Findings carry their sources. A source that is a file carries the file's hash: once the file is another, the gap is
//! stale at once, whatever its age. Findings that are replaced are handed back to be kept.

use std::collections::BTreeMap;

use piton_record::record;

use super::gap::{Gap, GapStatus};
use super::mark::mark_verified;
use super::stale::{Flip, Why, to_stale};
use crate::Timestamp;

/// Something that findings rest on.
#[record(Eq)]
pub struct Source {
    pub kind: SourceKind,
    /// When it was looked at.
    pub at: Option<Timestamp>,
}

#[record(Eq)]
pub enum SourceKind {
    /// A file of the repository.
    File {
        /// Relative to the root of the repository.
        path: String,
        /// Its content as it was, like `blake3:9f86…`; without one, changes go unnoticed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hash: Option<String>,
    },
    /// A command and what it showed.
    Command(String),
    Commit(String),
    /// A page on the web.
    Url(String),
}

impl SourceKind {
    /// The key under which the gap file names it.
    pub const fn key(&self) -> &'static str {
        match self {
            SourceKind::File { .. } => "file",
            SourceKind::Command(_) => "command",
            SourceKind::Commit(_) => "commit",
            SourceKind::Url(_) => "url",
        }
    }

    /// The path, the command line, the commit or the address.
    pub fn text(&self) -> &str {
        match self {
            SourceKind::File { path, .. } => path,
            SourceKind::Command(text) | SourceKind::Commit(text) | SourceKind::Url(text) => text,
        }
    }
}

/// What was known before something newer took its place.
#[record(Eq, written)]
pub struct Superseded {
    /// What was found, in words.
    pub findings: String,
    /// What it rested on.
    pub evidence: Vec<Source>,
    /// When it was last confirmed.
    pub verified_at: Option<Timestamp>,
}

/// A gap with new findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renewed {
    /// The gap, verified now.
    pub gap: Gap,
    /// What was replaced, where there was something else. To be kept.
    pub superseded: Option<Superseded>,
}

/// Puts new findings in the place of the old ones, and marks the gap as verified.
#[must_use]
pub fn renew(gap: &Gap, findings: impl Into<String>, evidence: Vec<Source>, now: Timestamp) -> Renewed {
    let findings = findings.into();
    let replaces = !gap.findings.is_empty() && gap.findings != findings;
    let superseded = replaces.then(|| Superseded {
        findings: gap.findings.clone(),
        evidence: gap.evidence.clone(),
        verified_at: gap.last_verified,
    });
    Renewed {
        gap: mark_verified(gap, now).with(|gap| {
            gap.findings = findings;
            gap.evidence = evidence;
        }),
        superseded,
    }
}

/// What files are now, by path: their hash, or `None` for a file that is gone. Files that nobody looked at are absent.
pub type Observed = BTreeMap<String, Option<String>>;

/// The flips that are due because a file is not what it was when something was found.
///
/// Only verified gaps flip, each by the first of its sources that changed.
pub fn changed_flips(gaps: &[Gap], observed: &Observed, now: Timestamp) -> Vec<Flip> {
    let verified = gaps.iter().filter(|gap| gap.status == GapStatus::Verified);
    verified.filter_map(|gap| Some(to_stale(gap, &changed_source(gap, observed)?, now))).collect()
}

fn changed_source(gap: &Gap, observed: &Observed) -> Option<Why> {
    gap.evidence.iter().find_map(|source| {
        let SourceKind::File { path, hash: Some(hash) } = &source.kind else { return None };
        match observed.get(path)? {
            None => Some(Why::SourceGone { path: path.clone() }),
            Some(now) if now != hash => Some(Why::SourceChanged { path: path.clone() }),
            Some(_) => None,
        }
    })
}
