//! Whose file it is: a file proves itself.
//!
//! `custom.piton.digest` is BLAKE3 over the file with an empty digest in that place. A file is ours exactly when
//! its digest fits, so neither a list of files nor a clock is needed to tell a foreign or an edited one. It
//! guards against accidents, not against somebody who computes the digest.

use piton_model::{Reason, RunId, Seq, State};
use serde::Deserialize;
use serde_json::json;

use super::format::{PersistedLoopState, STATE_VERSION};
use crate::door::Unfit;
use crate::plain::json_file;
use crate::proof;

/// The name under `custom` that is piton's own. A custom value of that name is not shown.
pub(crate) const OWN_KEY: &str = "piton";

/// The bytes are not a loop state.
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    /// Not JSON, or without the fields of the format.
    #[error("not a loop state")]
    Shape(#[from] serde_json::Error),
    /// Written by something newer.
    #[error("version {found} is newer than {STATE_VERSION}, the newest that piton reads")]
    Version { found: u64 },
    /// Of the format, but with values that it does not allow.
    #[error("not a loop state of version {STATE_VERSION}: {0}")]
    Unfit(Unfit),
}

/// The file as it is written: the same state gives the same bytes.
pub fn to_bytes(view: &PersistedLoopState) -> Vec<u8> {
    json_file(view)
}

/// Reads a loop state, ours or not. Fields that the format does not have are ignored.
pub fn parse(bytes: &[u8]) -> Result<PersistedLoopState, ParseError> {
    #[derive(Deserialize)]
    struct Head {
        version: u32,
    }
    let head: Head = serde_json::from_slice(bytes)?;
    if head.version > STATE_VERSION {
        return Err(ParseError::Version { found: head.version.into() });
    }
    Ok(serde_json::from_slice(bytes)?)
}

/// Adds `custom.piton`, with the digest over all the rest.
pub(super) fn sign(view: &mut PersistedLoopState, state: &State, head: Seq, unknown: Vec<&'static str>) {
    let mut own = json!({
        "run_id": state.run,
        "seq": head,
        "status": state.status.as_str(),
        "reason": state.reason.map(Reason::as_str),
        "unknown": unknown,
        "digest": "",
    });
    if state.session.is_estimated() {
        own["estimated"] = json!(["session.context_usage"]);
    }
    view.custom.insert(OWN_KEY.to_owned(), own.clone());
    own["digest"] = json!(blake3::hash(&to_bytes(view)).to_hex().as_str());
    view.custom.insert(OWN_KEY.to_owned(), own);
}

/// A file that is ours.
#[derive(Clone, Debug)]
pub(super) struct Ours {
    /// What it says.
    pub(super) view: PersistedLoopState,
    /// The event it was rendered at.
    pub(super) seq: Seq,
}

impl Ours {
    /// Whether it is a view of this run. Ids that differ in case are one run.
    pub(super) fn is_of(&self, run: &str) -> bool {
        self.view.loop_id.eq_ignore_ascii_case(run)
    }
}

/// `custom.piton`, as far as it is needed to know a file again.
#[derive(Deserialize)]
struct Own {
    run_id: RunId,
    seq: Seq,
    digest: String,
}

/// The file, if it is ours.
pub(super) fn ours(bytes: &[u8]) -> Option<Ours> {
    let text = std::str::from_utf8(bytes).ok()?;
    let view: PersistedLoopState = serde_json::from_str(text).ok()?;
    let own = own(&view)?;
    let fits = own.run_id.as_str() == view.loop_id && proof::fits(text, &own.digest);
    fits.then_some(Ours { seq: own.seq, view })
}

/// The run that a file is a view of, if it is ours.
pub fn run_of(bytes: &[u8]) -> Option<RunId> {
    own(&ours(bytes)?.view).map(|own| own.run_id)
}

/// The event that a view of ours was rendered at; 0 for a view without a proof.
pub(super) fn seq(view: &PersistedLoopState) -> Seq {
    own(view).map_or(0, |own| own.seq)
}

fn own(view: &PersistedLoopState) -> Option<Own> {
    Own::deserialize(view.custom.get(OWN_KEY)?).ok()
}
