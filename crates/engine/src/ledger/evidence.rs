//! What findings rest on: the files of the repository, and what they hold now.

use std::path::{Path, PathBuf};

use piton_model::ledger::{Gap, Observed, SourceKind};
use piton_store::chain;
use piton_sys::file;
use piton_view::LedgerAt;

use super::{default_log, log_of_its_own, opened};
use crate::layout::Layout;

/// The largest file whose hash is taken as evidence.
const EVIDENCE_BYTES_MAX: u64 = 64 << 20;

/// What the files that findings rest on are now.
pub fn observe(root: &Path, gaps: &[Gap]) -> Observed {
    let mut observed = Observed::new();
    for source in gaps.iter().flat_map(|gap| &gap.evidence) {
        if let SourceKind::File { path, hash: Some(_) } = &source.kind
            && !observed.contains_key(path)
            && let Some(hash) = hash_of(root, path)
        {
            observed.insert(path.clone(), hash);
        }
    }
    observed
}

/// Where what findings rest on is looked for.
pub struct Evidence<'a> {
    layout: &'a Layout,
    /// What piton writes for this ledger: it is another with every change, and would make its own findings stale.
    written: Vec<PathBuf>,
}

impl<'a> Evidence<'a> {
    /// For the findings of this ledger.
    pub fn of(layout: &'a Layout, at: &LedgerAt) -> Self {
        let logs = match &at.log {
            Some(log) => vec![log.clone()],
            None => vec![default_log(&at.file), log_of_its_own(&at.file)],
        };
        Self { layout, written: std::iter::once(at.file.clone()).chain(logs).collect() }
    }

    /// The hash of a file that findings are to rest on, or what is wrong with it.
    pub fn hash(&self, path: &str) -> Result<String, &'static str> {
        let root = self.layout.root();
        let real = |path: &Path| std::fs::canonicalize(path).ok();
        let named = real(&root.join(path));
        let is_written = self.written.iter().any(|own| named.is_some() && named == real(&root.join(own)));
        let is_kept = named
            .is_some_and(|named| real(&self.layout.state()).is_some_and(|state| named.starts_with(state)));
        if is_written || is_kept {
            return Err("is written by piton itself");
        }
        hash_of(root, path).ok_or("is not a file of this repository")?.ok_or("is not there")
    }
}

/// The hash of a file of the repository: `Some(None)` where it is gone, `None` where it cannot be looked at.
fn hash_of(root: &Path, path: &str) -> Option<Option<String>> {
    let relative = Path::new(path);
    let inside = |part: std::path::Component<'_>| {
        matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir)
    };
    if path.is_empty() || !relative.components().all(inside) {
        return None;
    }
    opened::say(&root.join(relative));
    match file::read_regular(&root.join(relative), EVIDENCE_BYTES_MAX) {
        Ok(Some(bytes)) => Some(Some(format!("blake3:{}", chain::hex(&chain::digest(&bytes))))),
        Ok(None) => Some(None),
        Err(_) => None,
    }
}
