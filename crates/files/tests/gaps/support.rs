//! Gaps, files and times for these tests.

use piton_files::gaps::{Document, Invalid};
use piton_model::Timestamp;
use piton_model::ledger::{Gap, mark_verified};

/// 2026-02-15T12:00:00Z.
pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_771_156_800_000);

pub(crate) fn gap(id: &str) -> Gap {
    Gap::new(id, "market")
}

pub(crate) fn verified(id: &str) -> Gap {
    mark_verified(&gap(id), NOW)
}

pub(crate) fn parse(text: &str) -> Document {
    Document::parse(text.as_bytes()).unwrap_or_else(|invalid| panic!("{text}\n{invalid}"))
}

/// What is wrong with this content, line by line.
pub(crate) fn problems(bytes: impl AsRef<[u8]>) -> Vec<String> {
    match Document::parse(bytes.as_ref()) {
        Ok(_) => Vec::new(),
        Err(Invalid { problems, .. }) => problems.iter().map(ToString::to_string).collect(),
    }
}

/// The content after one gap was changed.
pub(crate) fn change(text: &str, id: &str, change: impl Fn(&mut Gap)) -> String {
    let document = parse(text);
    let mut gaps = document.gaps().to_vec();
    change(gaps.iter_mut().find(|gap| gap.id == id).unwrap());
    document.rewrite(&gaps).unwrap()
}
