//! Hooks: what people had hooked into a run.
//!
//! Three steps. [`due`] says which hooks are called at a point, in which order; [`Runner`] calls them, each with a
//! deadline; [`judge`] says what their results mean for the run. The first and the last are pure.
//!
//! A hook is told what happens as JSON, never as words in a command line: what an agent wrote cannot become a
//! command.

mod answer;
mod judge;
mod run;
mod seal;
mod select;

use piton_model::hook::{HookPoint, Mode};
use piton_record::shown;
use serde_json::{Map, Value};

pub use judge::{Judgement, StopBy, judge};
pub use run::{Builtins, Called, Runner};
pub use seal::{Sealed, seal};
pub use select::{Due, due};

/// What a hook is told: this, as JSON, on its standard input or as the body of a request.
#[shown(Clone, Debug, PartialEq, written(data))]
pub struct Context {
    /// Where the run is.
    pub hook_point: HookPoint,
    /// Counts the calls of a run. A call that a crash cut off is made again with the same number.
    pub call: u32,
    /// The iteration under way or the last one; 0 before the first.
    pub iteration: u32,
    pub loop_id: String,
    /// The agent's session.
    pub session_id: Option<String>,
    /// The work tree; a hook starts there.
    pub working_dir: String,
    /// Whether a person is there.
    pub mode: Mode,
    /// Whether the checks of the last round all passed.
    pub tests_passing: Option<bool>,
    /// What happened, in the agent's words or those of an error.
    pub text: Option<String>,
    /// Where the run is about to be, at `loop_end`.
    pub status: Option<String>,
    /// Why, likewise.
    pub reason: Option<String>,
    /// Values that hooks may change; later ones see what earlier ones made of them.
    pub data: Map<String, Value>,
}

/// What a hook did.
#[shown(Clone, Debug, PartialEq, omit(skipped))]
pub struct HookResult {
    pub hook_name: String,
    /// Whether it did what it should.
    pub success: bool,
    /// It was not called, because the file it comes from is not trusted or it changed since.
    pub skipped: bool,
    /// How long it took.
    pub duration_ms: u64,
    /// What it said.
    pub output: Option<String>,
    /// What went wrong.
    pub error: Option<String>,
    /// Whether it lets the run go on.
    pub continue_loop: bool,
    /// Values it changed.
    pub modified_data: Map<String, Value>,
}

impl HookResult {
    fn new(hook_name: &str) -> Self {
        Self {
            hook_name: hook_name.to_owned(),
            success: true,
            skipped: false,
            duration_ms: 0,
            output: None,
            error: None,
            continue_loop: true,
            modified_data: Map::new(),
        }
    }

    fn failed(hook_name: &str, error: impl Into<String>) -> Self {
        Self { success: false, error: Some(error.into()), ..Self::new(hook_name) }
    }

    fn skipped(hook_name: &str, why: impl Into<String>) -> Self {
        Self { skipped: true, ..Self::failed(hook_name, why) }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn context(hook_point: HookPoint) -> Context {
        Context {
            hook_point,
            call: 1,
            iteration: 4,
            loop_id: "r1".to_owned(),
            session_id: Some("s1".to_owned()),
            working_dir: "/".to_owned(),
            mode: Mode::Unattended,
            tests_passing: None,
            text: None,
            status: None,
            reason: None,
            data: Map::new(),
        }
    }
}
