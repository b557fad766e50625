//! The ledger as a run: gaps folded from events, a file that follows them, a log that is never short of a flip.
//!
//! ```text
//!   file was edited ─► Adopt ─► FileAdopted          the file wins
//!   a command ─► flips that are due, then what was asked ─► unwritten gaps ─► WriteFile ─► FileWritten
//!                          └─► flips not logged yet ─► LogFlips ─► FlipsLogged
//! ```
//!
//! Both effects are named by the state until their outcome is recorded, so a crash in between leaves them open:
//! [`State::effects`]. Writing the file twice writes the same, and logging looks what stands behind the last place on record.
//!
//! Events carry the ledger's own time, which a person may give; the time of the append is another matter.

mod apply;
mod decide;
mod event;
mod machine;
mod research;
mod state;
#[cfg(test)]
mod tests;

pub use apply::apply;
pub use decide::{Command, Opening, Rejection, all_due, create, decide};
pub use event::LedgerEvent;
pub use research::{
    Found, OpenResearch, Research, ResearchEnd, ResearchLimits, ResearchPolicy, ResearchResult, Rest, Spent,
    Used,
};
pub use state::{Effect, State};
