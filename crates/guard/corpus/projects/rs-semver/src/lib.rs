//! Versions and what they fit.
pub mod changelog;
pub mod requirement;
pub mod version;
