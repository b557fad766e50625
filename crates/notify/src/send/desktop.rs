//! The desktop: `notify-send`, or `osascript` on macOS.
//!
//! Words are given as arguments, never as part of a script.

use piton_model::notify::Priority;
use piton_sys::process::{Program, RunLimits};

use super::{Error, Means};
use crate::decide::Message;
use crate::given;

const OUTPUT_BYTES_MAX: usize = 64 << 10;

/// What is given to `osascript`: the words come after it.
const APPLE_SCRIPT: &str = "on run words
display notification (item 2 of words) with title \"piton\" subtitle (item 1 of words)
end run";

/// Variables one of which is set where a desktop can be told.
const DESKTOPS: [&str; 3] = ["DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"];

pub(super) fn send(means: &Means, message: &Message) -> Result<(), Error> {
    let program = match (&means.desktop, cfg!(target_os = "macos")) {
        (Some(program), _) => linux(Program::new(program), message),
        (None, true) => Program::new("osascript")
            .args(["-e", APPLE_SCRIPT])
            .args([visible(&message.title), visible(&message.text)]),
        (None, false) if DESKTOPS.iter().all(|name| means.vault.variable(name).is_none()) => {
            return Err(Error::NoDesktop);
        }
        (None, false) => linux(Program::new("notify-send"), message),
    };
    let limits = RunLimits { deadline: means.patience, output_bytes_max: OUTPUT_BYTES_MAX };
    let failed = |what: String| Error::Desktop { what: given::clean(&what, &means.redactor, &[]) };
    match program.run(limits) {
        Ok(output) if output.success() => Ok(()),
        Ok(output) if output.timed_out => Err(failed("it took too long".to_owned())),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(failed(visible(said.lines().next().unwrap_or("it failed"))))
        }
        Err(error) => Err(failed(error.to_string())),
    }
}

fn linux(program: Program, message: &Message) -> Program {
    let urgency = match message.priority {
        Priority::Low => "low",
        Priority::Normal | Priority::High => "normal",
        Priority::Critical => "critical",
    };
    // The body may hold markup, so ours must not look like it.
    let body = visible(&message.text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    program
        .args(["--app-name=piton".to_owned(), format!("--urgency={urgency}"), "--".to_owned()])
        .args([visible(&message.title), body])
}

/// The text without what is not there to be seen.
fn visible(text: &str) -> String {
    text.chars().filter(|character| *character == '\n' || !character.is_control()).collect()
}
