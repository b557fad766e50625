//! Keeping the machine awake while something works.
//!
//! A helper of the system's own holds sleep off for as long as it runs, and it runs for as long as a pipe from
//! this process is open: whatever becomes of us, sleep is not held off longer than we live.

use std::ffi::OsStr;
use std::process::{Child, Command, Stdio};

/// Sleep is held off for as long as this lives.
#[derive(Debug)]
pub struct Awake {
    helper: Child,
}

impl Drop for Awake {
    fn drop(&mut self) {
        // The pipe closes with it; one that is asked twice leaves no corpse behind.
        let _ = self.helper.kill();
        let _ = self.helper.wait();
    }
}

#[cfg(target_os = "macos")]
const HELPER: (&str, [&str; 2]) = ("caffeinate", ["-i", "cat"]);
#[cfg(not(target_os = "macos"))]
const HELPER: (&str, [&str; 5]) =
    ("systemd-inhibit", ["--what=sleep", "--who=piton", "--why=an agent works", "--mode=block", "cat"]);

/// Holds sleep off, where the system offers that.
pub fn keep_awake() -> Option<Awake> {
    let path = std::env::var_os("PATH");
    let program = super::find_program(OsStr::new(HELPER.0), path.as_deref(), "/".as_ref())?;
    #[expect(clippy::disallowed_methods, reason = "this is the port")]
    let mut command = Command::new(program);
    command.args(HELPER.1).current_dir("/");
    let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    Some(Awake { helper: child.ok()? })
}
