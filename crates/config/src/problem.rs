//! What is wrong with a configuration, and where: said all at once.

use std::fmt;
use std::sync::Arc;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it was said.
    pub place: Place,
    /// What is wrong: a lowercase fragment.
    pub message: String,
    /// What to write or run instead.
    pub hint: Option<String>,
}

/// Where something was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nowhere: it is built in, or it is missing.
    Nowhere,
    /// In a file, at a line and column counted from 1.
    File {
        /// The file as people know it.
        file: Arc<str>,
        line: usize,
        /// Its column, in characters.
        column: usize,
    },
    /// In an environment variable.
    Variable(&'static str),
    /// On the command line.
    Flag(&'static str),
}

/// Everything that is wrong. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(Vec<Problem>);

impl Problem {
    /// A problem without a hint.
    pub(crate) fn new(place: Place, message: impl Into<String>) -> Self {
        Self { place, message: message.into(), hint: None }
    }

    /// The same with what to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl Problems {
    /// `value` where nothing is wrong, else all that is.
    pub(crate) fn or<T>(problems: Vec<Problem>, value: T) -> Result<T, Problems> {
        if problems.is_empty() { Ok(value) } else { Err(Problems(problems)) }
    }

    /// Each of them, in the order of the layers and of the lines in a file.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.0.iter()
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Nowhere => Ok(()),
            Place::File { file, line, column } => write!(f, "{file}:{line}:{column}"),
            Place::Variable(name) | Place::Flag(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place != Place::Nowhere {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// Untrusted text for a message, in backticks.
pub(crate) fn quoted(text: &str) -> String {
    format!("`{}`", escaped(text))
}

/// Untrusted text for a message: short, and without anything a terminal would act on.
pub(crate) fn escaped(text: &str) -> String {
    const CHARS_MAX: usize = 60;
    let short: String = text.chars().take(CHARS_MAX).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("{}{more}", short.escape_debug().to_string().replace("\\\"", "\"").replace("\\'", "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_never_holds_what_a_terminal_would_act_on() {
        let text = quoted("a\u{1b}[2Jb\u{202e}\n");
        assert!(text.chars().all(|character| !character.is_control() && character != '\u{202e}'), "{text}");
        assert_eq!(quoted("say \"hi\""), "`say \"hi\"`");
        assert_eq!(quoted(&"x".repeat(61)), format!("`{}…`", "x".repeat(60)));
    }
}
