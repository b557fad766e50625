//! What else wants to know how fresh something is: gates of loops and workflows, and prompts.

use std::path::Path;

use piton_files::gaps::Document;
use piton_model::Timestamp;
use piton_model::ledger::{NotFresh, for_prompt, not_fresh};
use piton_model::limits::GAP_FILE_BYTES_MAX;
use piton_model::loop_machine::RequiredGaps;

/// What a loop needs to know of its gaps.
#[derive(Debug)]
pub struct Required {
    /// Those that cannot be relied on, each with why.
    pub not_fresh: Vec<NotFresh>,
    /// What is known, for a prompt.
    pub known: String,
}

/// The gaps of a file that are not fresh, or why the file cannot be read.
pub fn all_fresh(
    root: &Path,
    file: &str,
    default_ttl_days: u32,
    now: Timestamp,
) -> Result<Vec<NotFresh>, String> {
    let document = read(root, file)?;
    let observed = super::observe(root, document.gaps());
    Ok(not_fresh(document.gaps(), default_ttl_days, &[], &observed, now))
}

fn read(root: &Path, file: &str) -> Result<Document, String> {
    match piton_sys::file::read_regular(&root.join(file), GAP_FILE_BYTES_MAX) {
        Ok(Some(bytes)) => Document::from_bytes(bytes).map_err(|_| format!("{file} is not a sound ledger")),
        Ok(None) => Err(format!("there is no {file}")),
        Err(error) => Err(error.to_string()),
    }
}

/// The gaps that a loop requires, as their file says them now. A file that is not sound makes none of them fresh.
pub fn required(root: &Path, gaps: &RequiredGaps, now: Timestamp) -> Required {
    let unreadable = |why: String| {
        let not_fresh =
            gaps.ids.iter().map(|gap| NotFresh { gap: gap.clone(), why: why.clone(), is_there: false });
        Required { not_fresh: not_fresh.collect(), known: String::new() }
    };
    let document = match read(root, &gaps.file) {
        Ok(document) => document,
        Err(why) => return unreadable(why),
    };
    let observed = super::observe(root, document.gaps());
    let (list, ttl) = (document.gaps(), gaps.default_ttl_days);
    Required {
        not_fresh: not_fresh(list, ttl, &gaps.ids, &observed, now),
        known: for_prompt(list, ttl, &gaps.ids, gaps.tokens as usize, now),
    }
}
