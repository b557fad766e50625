//! Versions, ranges of them, and which of many fit.

pub mod range;
pub mod resolve;
pub mod version;

pub use range::Range;
pub use resolve::{resolve, Catalogue, ResolveError};
pub use version::{ParseError, Version};
