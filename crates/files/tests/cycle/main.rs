//! Cycles: the state file against its document, the progress files, crashes, edits, rebuilding and import.
#![expect(clippy::unwrap_used, reason = "a test says what it saw, and fails where it cannot go on")]

mod crash;
mod document;
mod edit;
mod import;
mod publish;
mod rebuild;
mod support;
