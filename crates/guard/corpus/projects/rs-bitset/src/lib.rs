//! Small sets of small numbers.
pub mod bits;
pub mod ranges;
pub mod render;

pub use bits::{BitSet, SetError};
