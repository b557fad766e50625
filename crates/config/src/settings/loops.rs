//! `[loop]`: what a loop does and when it gives up. Its ceilings are in `limit.rs`.

use piton_model::loop_machine::{OnLost, ProofPolicy, SessionPolicy};

use crate::entry::section;
use crate::types::{OneOf, Path, Text};

section! {
    /// What a loop does, and when it gives up.
    loops: LoopSection = "loop" {
        /// The file that holds the task, where none is given.
        prompt: Path, [Loop] { flag: Some("--prompt-file"), shown: true, otherwise: "`PROMPT.md` or `prompt.md`" };
        /// Whether iterations share a conversation: a fresh one each, one until it is full, or copies of the last good one.
        session: OneOf<SessionPolicy>, [Loop] => session { variable: Some("PITON_SESSION"), shown: true };
    }
}

section! {
    /// When a loop ends at the latest, and what to do when one was cut off.
    ends: EndSection = "loop" {
        /// When it ends at the latest: a time of day (the next one when the run begins) or a moment.
        deadline: Text, [Loop] { flag: Some("--deadline") };
        /// Whether done needs a test that fails on the tree of the start, where every check was green there.
        proof: OneOf<ProofPolicy>, [Loop] => proof { shown: true };
        /// The agent that reads what was done and agrees or objects, before a loop is done; a name as `use` takes it.
        review: Text, [Loop] { flag: Some("--review"), otherwise: "nobody does" };
        /// What to do when the outcome of an attempt cannot be known.
        on_lost: OneOf<OnLost>, [Loop] => on_lost { variable: Some("PITON_ON_LOST"), shown: true };
    }
}
