//! The terminal that a person sits at: single keys, a line that is typed, and its settings as they were afterwards.

use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp, tcsetattr,
};

use crate::failure::{Failure, Result};
use crate::output::Output;

/// What a terminal that sends no signals gives for Ctrl-C and Ctrl-D.
pub(crate) const CTRL_C: u8 = 3;
pub(crate) const CTRL_D: u8 = 4;

/// What a terminal keeps of a line.
const LINE_BYTES_MAX: usize = 4_096;

/// A terminal with other settings, as long as this lives.
pub(crate) struct Terminal(Option<Termios>);

impl Terminal {
    /// Each key counts as soon as it is pressed; Ctrl-C is the signal that it always is. Nothing where this process is in the
    /// background: the shell would stop it.
    pub(crate) fn for_keys() -> Option<Self> {
        let foreground = tcgetpgrp(rustix::stdio::stdin()).ok()?;
        (foreground == rustix::process::getpgrp())
            .then(|| Self::with(|keys| keys.local_modes -= LocalModes::ICANON | LocalModes::ECHO))
    }

    /// The same, and Ctrl-C is a key, too.
    pub(crate) fn for_keys_alone() -> Self {
        Self::with(|keys| keys.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    }

    fn with(change: impl FnOnce(&mut Termios)) -> Self {
        let Ok(before) = tcgetattr(rustix::stdio::stdin()) else { return Self(None) };
        let mut other = before.clone();
        change(&mut other);
        // Where it cannot be, a key counts once Enter follows.
        let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &other);
        Self(Some(before))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, before);
        }
    }
}

/// What came of waiting for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pressed {
    Key(u8),
    Nothing,
    /// There is no terminal any more.
    Gone,
}

/// The next key; waits up to `wait` for one.
pub(crate) fn pressed(wait: Duration) -> Pressed {
    let stdin = rustix::stdio::stdin();
    let wait = Timespec::try_from(wait).unwrap_or_default();
    if poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&wait)).unwrap_or(0) == 0 {
        return Pressed::Nothing;
    }
    let mut byte = [0];
    match rustix::io::read(stdin, &mut byte) {
        Ok(1) => Pressed::Key(byte[0]),
        _ => Pressed::Gone,
    }
}

/// A line that a person types; nothing where they left it by Ctrl-C or Ctrl-D.
///
/// The viewer takes the signal of Ctrl-C for the run, so here it has to be a character, and to end the line.
pub(crate) fn typed(out: &Output, prompt: &str) -> Result<Option<String>> {
    let _cooked = Terminal::with(|cooked| {
        cooked.local_modes |= LocalModes::ICANON | LocalModes::ECHO;
        cooked.local_modes -= LocalModes::ISIG;
        cooked.special_codes[SpecialCodeIndex::VEOL] = CTRL_C;
    });
    out.bytes(prompt.as_bytes());
    let mut bytes = [0; LINE_BYTES_MAX];
    let read = rustix::io::read(rustix::stdio::stdin(), &mut bytes)
        .map_err(|error| Failure::environment(&std::io::Error::from(error)))?;
    let line = &bytes[..read];
    if line.is_empty() || line.contains(&CTRL_C) {
        out.line("");
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(line).trim().to_owned()))
}
