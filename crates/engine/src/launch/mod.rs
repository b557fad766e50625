//! Launching: how everything that a run starts comes to be.

mod port;

pub(crate) use port::{Kept, Supervised, begin};
