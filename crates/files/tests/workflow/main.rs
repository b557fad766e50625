//! Workflows: the document, the plan, the view, and the contract with wrappers.
#![expect(clippy::unwrap_used, reason = "a test says what it saw, and fails where it cannot go on")]

mod contract;
mod document;
mod hostile;
mod import;
mod plan;
mod reports;
mod support;
mod view;
