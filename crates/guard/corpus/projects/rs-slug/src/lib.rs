//! Names for addresses.
pub mod names;
pub mod slug;
pub mod template;
