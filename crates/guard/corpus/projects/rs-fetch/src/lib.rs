//! Fetches pages, with a cache and retries.
pub mod backoff;
pub mod cache;
pub mod client;
