//! The extended loop files as their readers see them: the schema, complete histories, the registry, imports, crashes.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod crash;
mod format;
mod history;
mod import;
mod publish;
mod registry;
mod schema;
mod support;
mod walk;
