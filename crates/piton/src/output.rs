//! The one place that prints. Untrusted text reaches a terminal only through [`clean`].

use std::io::{BufWriter, IsTerminal, Write};

use piton_model::ExitCode;
use serde::Serialize;

use crate::cli::Global;
use piton_view::words::{self, is_harmful};
pub(crate) use piton_view::words::{clean, clean_line};

use crate::failure::Failure;
use crate::paint::{self, Tone};

/// How a failure begins, and what helps.
const ERROR: &str = "error: ";
const HINT: &str = "hint: ";

/// Nobody reads lines of fewer characters.
const WIDTH_MIN: usize = 20;

/// How this invocation prints.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    /// Somebody watches stdout.
    pub(crate) terminal: bool,
    /// Somebody watches stderr.
    notes_terminal: bool,
    color: bool,
    notes_color: bool,
}

impl Output {
    pub(crate) fn new(global: &Global) -> Self {
        let terminal = std::io::stdout().is_terminal();
        let notes_terminal = std::io::stderr().is_terminal();
        let wants_color =
            !global.no_color && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self {
            json: global.json,
            quiet: global.quiet,
            verbose: global.verbose,
            terminal,
            notes_terminal,
            color: terminal && wants_color,
            notes_color: notes_terminal && wants_color,
        }
    }

    /// How wide stdout is for whoever watches it, where that is known: they may change it at any time.
    pub(crate) fn width(&self) -> Option<usize> {
        self.terminal.then(|| width_of(rustix::stdio::stdout())).flatten()
    }

    /// A text for stderr, no wider than whoever watches it sees.
    fn fitting_notes(&self, text: &str) -> String {
        let width = self.notes_terminal.then(|| width_of(rustix::stdio::stderr())).flatten();
        let Some(width) = width else { return text.to_owned() };
        text.split('\n').flat_map(|line| words::wrapped(line, width)).collect::<Vec<_>>().join("\n")
    }

    /// A line of data.
    pub(crate) fn line(&self, text: impl AsRef<str>) {
        if let Err(error) = writeln!(std::io::stdout(), "{}", text.as_ref()) {
            give_up(&error);
        }
    }

    /// What was done, where nobody asked to see something: the exit code says it, too.
    pub(crate) fn did(&self, text: impl AsRef<str>) {
        if !self.quiet {
            self.row(text);
        }
    }

    /// Lines of data: very many of them are written a piece at a time.
    pub(crate) fn lines(&self, lines: impl IntoIterator<Item = impl AsRef<str>>) {
        let mut stdout = BufWriter::with_capacity(64 << 10, std::io::stdout().lock());
        let written = lines.into_iter().try_for_each(|line| writeln!(stdout, "{}", line.as_ref()));
        if let Err(error) = written.and_then(|()| stdout.flush()) {
            give_up(&error);
        }
    }

    /// A line for people: where somebody watches, no wider than they see.
    pub(crate) fn row(&self, text: impl AsRef<str>) {
        for (number, line) in self.rows(text.as_ref()).iter().enumerate() {
            match self.color {
                true => self.line(paint::painted(line, number == 0)),
                false => self.line(line),
            }
        }
    }

    /// What the lines below it are about.
    pub(crate) fn heading(&self, text: &str) {
        self.rows(text).iter().for_each(|line| self.line(self.in_tone(Tone::Bold, line)));
    }

    /// The lines that a text takes.
    pub(crate) fn rows(&self, text: &str) -> Vec<String> {
        let Some(width) = self.width() else { return vec![text.to_owned()] };
        text.split('\n').flat_map(|line| words::wrapped(line, width)).collect()
    }

    /// Bytes of data, as they are.
    pub(crate) fn bytes(&self, bytes: &[u8]) {
        let mut stdout = std::io::stdout();
        if let Err(error) = stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            give_up(&error);
        }
    }

    /// Bytes that are JSON, as they are but for what a terminal could take for more than a letter: it may be one that reads the pipe.
    pub(crate) fn json_text(&self, bytes: &[u8]) {
        self.data(clean_json(&String::from_utf8_lossy(bytes)).as_bytes());
    }

    /// Somebody's text: for a pipe it is bytes, for a terminal it is cleaned.
    pub(crate) fn data(&self, bytes: &[u8]) {
        match self.terminal {
            true => self.bytes(clean(&String::from_utf8_lossy(bytes)).as_bytes()),
            false => self.bytes(bytes),
        }
    }

    /// A value as JSON, on lines of its own.
    pub(crate) fn json(&self, value: &impl Serialize) {
        self.line(clean_json(&serde_json::to_string_pretty(value).expect("views are plain data")));
    }

    /// The same of a list, one of its values at a time: of a long one, all of the text is never in memory.
    pub(crate) fn json_list(&self, values: impl Iterator<Item: Serialize>) {
        let mut values = values.peekable();
        let mut before = "[\n";
        let texts = std::iter::from_fn(|| {
            let value = serde_json::to_string_pretty(&values.next()?).expect("views are plain data");
            let after = if values.peek().is_some() { "," } else { "\n]" };
            let text = format!("{before}  {}{after}", clean_json(&value).replace('\n', "\n  "));
            before = "";
            Some(text)
        });
        let mut texts = texts.peekable();
        match texts.peek() {
            Some(_) => self.lines(texts),
            None => self.line("[]"),
        }
    }

    /// A value as JSON, on one line.
    pub(crate) fn json_line(&self, value: &impl Serialize) {
        self.line(clean_json(&serde_json::to_string(value).expect("views are plain data")));
    }

    /// Something besides the data.
    pub(crate) fn note(&self, text: impl AsRef<str>) {
        if !self.quiet {
            let _ = writeln!(std::io::stderr(), "{}", self.fitting_notes(text.as_ref()));
        }
    }

    /// Text in a tone, where somebody watches and wants colour.
    pub(crate) fn in_tone(&self, tone: Tone, text: &str) -> String {
        if self.color { tone.on(text) } else { text.to_owned() }
    }

    /// A transient line on a terminal; empty clears it. One that wrapped could not be taken back, so it is cut.
    pub(crate) fn transient(&self, text: &str) {
        let text = self.width().map_or_else(|| text.to_owned(), |width| words::cut(text, width - 1));
        self.transient_as_is(&text);
    }

    /// The same for a line that fits.
    pub(crate) fn transient_as_is(&self, text: &str) {
        if self.terminal && !self.quiet && !self.json {
            let mut stdout = std::io::stdout();
            let _ = write!(stdout, "\r\u{1b}[K{text}").and_then(|()| stdout.flush());
        }
    }

    pub(crate) fn failure(&self, failure: &Failure) {
        let mut text = format!("{ERROR}{}\n", clean(&failure.message));
        for cause in &failure.causes {
            text.push_str(&format!("  caused by: {}\n", clean(cause)));
        }
        for detail in &failure.details {
            text.push_str(&format!("  {}\n", clean_line(detail)));
        }
        if let Some(hint) = &failure.hint {
            text.push_str(&format!("\n{HINT}{}\n", clean(hint)));
        }
        let mut text = self.fitting_notes(&text);
        if self.notes_color {
            text = text.replacen(ERROR, &Tone::Bad.on(ERROR), 1);
            text = text.replacen(&format!("\n{HINT}"), &format!("\n{}", Tone::Good.on(HINT)), 1);
        }
        // Standard error may be a file on a full disk.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

/// How wide a terminal is. One that is too narrow to read on is left to itself.
fn width_of(terminal: std::os::fd::BorrowedFd<'_>) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(terminal).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns >= WIDTH_MIN)
}

/// What a shell says of a program that went with the reader of its pipe: 128 and the number of the signal.
const NO_READER: i32 = 128 + 13;

/// The data cannot be written. A reader that has gone away had enough, but how it all ends is then not known here, so that is no
/// success; anything else is a failure.
fn give_up(error: &std::io::Error) -> ! {
    if error.kind() == std::io::ErrorKind::BrokenPipe {
        std::process::exit(NO_READER);
    }
    let _ = writeln!(std::io::stderr(), "error: cannot write to standard output: {error}");
    std::process::exit(i32::from(ExitCode::Environment as u8));
}

/// A line in the log of this driver, which is its standard error.
pub(crate) fn to_log(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// JSON as it may reach a terminal. What it escapes can only stand in strings, so it says the same.
fn clean_json(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '\n' | '\t' => text.push(character),
            // One beyond the first plane is two of them.
            character if is_harmful(character) => {
                let units = character
                    .encode_utf16(&mut [0; 2])
                    .iter()
                    .map(|unit| format!("\\u{unit:04x}"))
                    .collect::<String>();
                text.push_str(&units);
            }
            character => text.push(character),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_says_the_same_without_a_control_character() {
        let value = serde_json::json!({"a": "\u{1b}[2J\u{7f}\u{9b}1m\u{202e}\u{61c}\n", "b": ["é", "\u{feff}\u{e0041}"]});
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let cleaned = clean_json(&text);
            assert!(
                !cleaned.chars().any(|character| character != '\n' && is_harmful(character)),
                "{cleaned:?}"
            );
            assert_eq!(serde_json::from_str::<serde_json::Value>(&cleaned).unwrap(), value);
        }
    }
}
