//! The keeper, for tests: what piton's hidden command does, and nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    piton_agent::keeper::main()
}
