//! The process of a driver, from its start to its last words.
//!
//! A driver is this very program in a session of its own. Whoever wants a run to go on [`start`]s one and waits until it is at
//! work. The process itself [`run`]s: it opens the world of its run, takes the lease, drives until the run rests. Between
//! the two lies its [`log`], where it says what no event says. One that leaves keeps its locks for a moment longer, which
//! is waited for: [`settled`], [`tree_free`]; so is another start, [`alone_to_start`].

mod leaving;
pub(crate) mod log;
mod run;
mod start;

use std::time::Duration;

pub(crate) use leaving::{alone_to_start, at_work_in, settled, taken, tree_free};
pub use run::{Duty, run};
pub(crate) use start::spawn;
pub use start::start;

/// Between two looks at what a process does.
const LOOK_EVERY: Duration = Duration::from_millis(10);
