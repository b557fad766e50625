//! Keeping the machine awake while something works.
//!
//! A helper of the system's own holds sleep off for as long as it runs, and it runs for as long as a pipe from
//! this process is open: whatever becomes of us, sleep is not held off longer than we live. One helper serves all
//! the work of this process, and stays a moment after the last of it: a thousand short steps cost one helper.

use std::ffi::OsStr;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::ready;

/// How long sleep is still held off when nothing works any more, at least; at most twice that.
const LINGER: Duration = Duration::from_secs(2);

/// Sleep is held off for as long as this lives.
#[derive(Debug)]
pub struct Awake {
    _only_here: (),
}

impl Drop for Awake {
    fn drop(&mut self) {
        shared().working -= 1;
    }
}

/// What all that work in this process share.
struct Shared {
    working: usize,
    /// How often work began, so that a pause is told from a change of hands.
    begun: u64,
    helper: Option<Child>,
}

static SHARED: Mutex<Shared> = Mutex::new(Shared { working: 0, begun: 0, helper: None });

fn shared() -> MutexGuard<'static, Shared> {
    SHARED.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(target_os = "macos")]
const HELPER: (&str, [&str; 2]) = ("caffeinate", ["-i", "cat"]);
#[cfg(not(target_os = "macos"))]
const HELPER: (&str, [&str; 5]) =
    ("systemd-inhibit", ["--what=sleep", "--who=piton", "--why=an agent works", "--mode=block", "cat"]);

/// Holds sleep off, where the system offers that.
pub fn keep_awake() -> Option<Awake> {
    let mut shared = shared();
    if shared.helper.is_none() {
        let mut helper = start_helper()?;
        let watcher = std::thread::Builder::new().name("awake".to_owned());
        if watcher.spawn(let_sleep_after_work).is_err() {
            end(&mut helper);
            return None;
        }
        shared.helper = Some(helper);
    }
    shared.working += 1;
    shared.begun += 1;
    Some(Awake { _only_here: () })
}

fn start_helper() -> Option<Child> {
    let path = std::env::var_os("PATH");
    let program = super::find_program(OsStr::new(HELPER.0), path.as_deref(), "/".as_ref())?;
    #[expect(clippy::disallowed_methods, reason = "this is the port")]
    let mut command = Command::new(program);
    command.args(HELPER.1).current_dir("/");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()
}

/// Ends the helper once nothing has worked for a moment.
fn let_sleep_after_work() {
    let mut begun_before = 0;
    loop {
        let _ = ready::wait(&mut [], Some(LINGER));
        let mut shared = shared();
        if shared.working == 0 && shared.begun == begun_before {
            if let Some(mut helper) = shared.helper.take() {
                end(&mut helper);
            }
            return;
        }
        begun_before = shared.begun;
    }
}

fn end(helper: &mut Child) {
    // One that is asked twice leaves no corpse behind.
    let _ = helper.kill();
    let _ = helper.wait();
}
