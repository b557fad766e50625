//! The probes, one file each: what is run, and what it means.

pub(crate) mod canary;
pub(crate) mod flip;
pub(crate) mod lost_kills;
pub(crate) mod old_tests;
pub(crate) mod point_change;
