//! Becoming another program that cannot reach the abstract sockets of the machine.
//!
//! Such sockets (an X server's, some session buses') have names but no files, so no view of the file system hides
//! them; Landlock does, where the kernel has it. Where it has not, everything else still holds.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// Becomes `program`, enclosed, with these variables besides its own. Only returns where that failed.
pub fn become_enclosed(program: &Path, args: &[OsString], env: &[(&str, String)]) -> io::Error {
    enclose();
    #[expect(clippy::disallowed_methods, reason = "this is the port")]
    let mut command = Command::new(program);
    command
        .args(args)
        .env_remove(super::passage::VARIABLE)
        .envs(env.iter().map(|(name, value)| (name, value)))
        .exec()
}

#[cfg(target_os = "linux")]
fn enclose() {
    use landlock::{CompatLevel, Compatible, Ruleset, RulesetAttr, Scope};
    let rules =
        Ruleset::default().set_compatibility(CompatLevel::BestEffort).scope(Scope::AbstractUnixSocket);
    // An older kernel offers nothing of the kind.
    let _ = rules.and_then(Ruleset::create).map(|rules| rules.restrict_self());
}

#[cfg(not(target_os = "linux"))]
fn enclose() {}
