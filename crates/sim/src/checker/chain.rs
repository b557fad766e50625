//! The hash chain, computed from its published formula alone.
//!
//! ```text
//! hash(0)        = BLAKE3("piton run 1\0" ‖ run)
//! hash(n)        = BLAKE3(hash(n-1) ‖ seq ‖ at ‖ type ‖ version ‖ payload_digest)
//! payload_digest = BLAKE3(salt ‖ data)
//! ```
//!
//! Numbers are little endian: 8 bytes of seq and at, 2 of version; the type is preceded by its length in 2.

use super::{Checked, violated};
use crate::history::{Entry, History};

pub(super) fn check(history: &History) -> Checked {
    let mut input = b"piton run 1\0".to_vec();
    input.extend_from_slice(history.run.as_bytes());
    let mut hash = *blake3::hash(&input).as_bytes();
    let mut commits = history.log.iter().filter_map(|entry| match entry {
        Entry::Commit { last, salt, .. } => Some((*last, *salt)),
        _ => None,
    });
    let mut commit = commits.next();
    for (index, event) in history.events.iter().enumerate() {
        let seq = index as u64 + 1;
        if event.seq != seq {
            return violated("I2", format!("event {} stands where {seq} should", event.seq));
        }
        while commit.is_some_and(|(last, _)| last < seq) {
            commit = commits.next();
        }
        let Some((_, salt)) = commit else {
            return violated("I2", format!("event {seq} was never committed"));
        };
        input.clear();
        input.extend_from_slice(&salt);
        input.extend_from_slice(&event.data);
        let payload = blake3::hash(&input);
        input.clear();
        input.extend_from_slice(&hash);
        input.extend_from_slice(&seq.to_le_bytes());
        input.extend_from_slice(&event.at_ms.to_le_bytes());
        input.extend_from_slice(&(event.kind.len() as u16).to_le_bytes());
        input.extend_from_slice(event.kind.as_bytes());
        input.extend_from_slice(&event.version.to_le_bytes());
        input.extend_from_slice(payload.as_bytes());
        hash = *blake3::hash(&input).as_bytes();
        if hash != event.hash {
            return violated("I2", format!("the chain breaks at event {seq}"));
        }
    }
    Ok(())
}
