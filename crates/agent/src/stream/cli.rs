//! One adapter per CLI: a file in `cli/`, called like the agent, with a `Cli` that is its [`Adapter`].
//!
//! What is special to one CLI is there and in its description in `config/agents/`, and nowhere else: how a line reads, what
//! an exit code means, by which words it refuses to begin. The build script finds the files.

use super::{Adapter, Said, detail, problem, text};

include!(concat!(env!("OUT_DIR"), "/adapters.rs"));
