//! A file with a line per message. When it has grown, it is moved aside; five of those are kept.

use std::path::{Path, PathBuf};

use piton_sys::file;

use super::{Error, Means};
use crate::decide::Message;
use crate::given;

/// A file that is larger is moved aside.
pub const LOG_BYTES_MAX: u64 = 10 << 20;
/// Files that are kept aside.
const KEPT: u32 = 5;

pub(super) fn send(means: &Means, path: &str, message: &Message) -> Result<(), Error> {
    let path = means.root.join(given::place(path, &*means.vault));
    add_line(&path, &line(message)).map_err(|what| Error::File { what })
}

/// Adds a line to a log that is moved aside once it has grown.
pub(crate) fn add_line(path: &Path, line: &str) -> Result<(), String> {
    let words = |error: file::Error| format!("{error}: {}", error.source);
    let directory = path.parent().unwrap_or(Path::new("/"));
    if !directory.exists() {
        file::create_private_dir(directory).map_err(words)?;
    }
    let size = file::append(path, format!("{line}\n").as_bytes()).map_err(words)?;
    if size > LOG_BYTES_MAX {
        rotate(path).map_err(words)?;
    }
    Ok(())
}

fn rotate(path: &Path) -> Result<(), file::Error> {
    file::remove_file_if_exists(&aside(path, KEPT))?;
    for number in (1..KEPT).rev() {
        let from = aside(path, number);
        if from.exists() {
            file::rename_noreplace(&from, &aside(path, number + 1))?;
        }
    }
    file::rename_noreplace(path, &aside(path, 1)).map(drop)
}

fn aside(path: &Path, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

fn line(message: &Message) -> String {
    let Message { at, priority, trigger, facts, title, text, .. } = message;
    let words = format!("{title} | {}", text.replace('\n', " | "));
    let words: String = words.chars().flat_map(visible).collect();
    format!("{at} [{}] {} {}: {words}", priority.as_str().to_uppercase(), trigger.as_str(), facts.run)
}

/// A character, or how it is written where it cannot be seen: a line stays a line.
fn visible(character: char) -> Vec<char> {
    match character.is_control() {
        true => character.escape_default().collect(),
        false => vec![character],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::tests::message;

    #[test]
    fn a_message_is_one_line_whatever_it_says() {
        let line = line(&message("done", "a\nb\u{1b}[2J\r2026 forged"));
        assert_eq!(line.lines().count(), 1, "{line}");
        assert_eq!(
            line,
            "2026-02-15T12:03:20.000Z [HIGH] loop_completed r1: done | a | b\\u{1b}[2J\\r2026 forged"
        );
    }

    #[test]
    fn a_grown_file_is_moved_aside_and_five_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a/log");
        for round in 0..7 {
            add_line(&path, &format!("{round}{}", "x".repeat(LOG_BYTES_MAX as usize))).unwrap();
        }
        let first = |path: &Path| std::fs::read(path).unwrap()[0];
        assert!(!path.exists());
        let kept: Vec<_> = (1..=5).map(|number| first(&aside(&path, number))).collect();
        assert_eq!(kept, b"65432");
        assert!(!aside(&path, 6).exists());
    }

    #[test]
    fn a_link_is_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("target");
        add_line(&target, "kept").unwrap();
        let link = directory.path().join("link");
        std::os::unix::fs::symlink(&target, &link).unwrap();
        assert!(add_line(&link, "x").unwrap_err().contains("symbolic link"));
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "kept\n");
    }
}
