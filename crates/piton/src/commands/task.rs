//! The task, from the words of a command line: as it stands there, from a file, or from standard input.

use std::io::Read;
use std::path::PathBuf;

use crate::failure::{Failure, Result};

/// A task beyond this is a mistake.
const BYTES_MAX: u64 = 1 << 20;

/// Reads it from standard input.
const FROM_STDIN: &str = "-";

/// Where the task is.
pub(super) struct Said {
    pub(super) text: Option<String>,
    /// A file that is read anew at every iteration.
    pub(super) file: Option<PathBuf>,
}

/// The task of a loop: `-` is standard input and `@FILE` a file, as a word of its own or of `--prompt-file`.
pub(super) fn said(task: Option<String>, file: Option<PathBuf>) -> Result<Said> {
    if task.is_none() && file.as_deref().is_some_and(|file| file.as_os_str() == FROM_STDIN) {
        return Ok(Said { text: Some(from_stdin()?), file: None });
    }
    match task.as_deref() {
        Some(FROM_STDIN) => Ok(Said { text: Some(from_stdin()?), file }),
        Some(word) => match (word.strip_prefix('@').filter(|name| !name.is_empty()), &file) {
            (Some(named), None) if !word.contains(char::is_whitespace) => {
                Ok(Said { text: None, file: Some(PathBuf::from(named)) })
            }
            _ => Ok(Said { text: task, file }),
        },
        None => Ok(Said { text: None, file }),
    }
}

/// The task of what takes no file: its text is read now.
pub(super) fn text(task: String) -> Result<String> {
    let said = said(Some(task), None)?;
    match (said.text, said.file) {
        (Some(text), _) => Ok(text),
        (None, file) => {
            let file = file.unwrap_or_default();
            std::fs::read_to_string(&file)
                .map_err(|error| Failure::usage(format!("`{}` cannot be read: {error}", file.display())))
        }
    }
}

fn from_stdin() -> Result<String> {
    let mut text = String::new();
    std::io::stdin()
        .lock()
        .take(BYTES_MAX + 1)
        .read_to_string(&mut text)
        .map_err(|error| Failure::usage(format!("the task cannot be read from standard input: {error}")))?;
    Ok(text)
}
