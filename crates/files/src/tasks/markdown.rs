//! A task list in Markdown: `- [ ]` is to be done, `- [x]` is done.
//!
//! A task is a line with its mark; what is indented below it belongs to it, tasks of its own included. Among that, a line
//! `key: value` (`- check: npm test`) says something of the task: `id`, `after`, `check`, `max-cost`, `max-tokens`, `max-duration`,
//! `max-iterations`. What stands in a block of code is no task.

use super::Listed;

/// The tasks of a file that people know as `name`.
pub fn read(text: &str, name: &str) -> Vec<Listed> {
    let mut listed: Vec<Listed> = Vec::new();
    let mut open: Option<(usize, Vec<String>)> = None;
    let mut fence = Fence::default();
    for (number, line) in text.lines().enumerate() {
        let was_code = fence.takes(line);
        if let Some((indent, body)) = &mut open {
            if line.trim().is_empty() || indent_of(line) > *indent {
                body.push(line.to_owned());
                continue;
            }
            let body = std::mem::take(body);
            open = None;
            if let Some(task) = listed.last_mut() {
                close(task, &body);
            }
        }
        let Some(mark) = Mark::of(line).filter(|_| !was_code) else { continue };
        listed.push(Listed {
            title: mark.text.to_owned(),
            entry: mark.text.to_owned(),
            place: format!("{name}:{}", number + 1),
            is_done: mark.is_done,
            ..Listed::default()
        });
        open = Some((indent_of(line), Vec::new()));
    }
    if let (Some((_, body)), Some(task)) = (open, listed.last_mut()) {
        close(task, &body);
    }
    listed
}

/// The text with this task ticked; `None` where it is already, or why it cannot be.
pub fn tick(text: &str, entry: &str) -> Result<Option<String>, String> {
    let mut fence = Fence::default();
    let (mut at, mut found) = (0, Vec::new());
    let mut below: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let was_code = fence.takes(line);
        let inner = below.is_some_and(|indent| line.trim().is_empty() || indent_of(line) > indent);
        if !inner {
            below = None;
            if let Some(mark) = Mark::of(line.trim_end_matches(['\n', '\r'])).filter(|_| !was_code) {
                below = Some(indent_of(line));
                if mark.text == entry {
                    found.push((at + mark.place, mark.is_done));
                }
            }
        }
        at += line.len();
    }
    let mut open = found.iter().filter(|(_, is_done)| !is_done);
    match (open.next(), open.next()) {
        (Some((place, _)), None) => Ok(Some(format!("{}x{}", &text[..*place], &text[place + 1..]))),
        (Some(_), Some(_)) => Err("it is on the list more than once".to_owned()),
        (None, _) if found.is_empty() => Err("it is not on the list any more".to_owned()),
        (None, _) => Ok(None),
    }
}

/// What stands below a task is its text, but for what it says of itself.
fn close(task: &mut Listed, body: &[String]) {
    let mut lines: Vec<&str> = Vec::new();
    let mut fence = Fence::default();
    for line in body {
        let was_code = fence.takes(line);
        let plain = line.trim();
        let plain = plain.strip_prefix(['-', '*', '+']).map_or(plain, str::trim_start);
        if was_code || !task.takes(plain) {
            lines.push(line);
        }
    }
    let filled = lines.iter().filter(|line| !line.trim().is_empty());
    let indent = filled.map(|line| indent_of(line)).min().unwrap_or(0);
    let lines: Vec<&str> = lines.iter().map(|line| line.get(indent..).unwrap_or("")).collect();
    let body = lines.join("\n");
    task.task = match body.trim() {
        "" => task.title.clone(),
        _ => format!("{}\n\n{}", task.title, body.trim_matches('\n').trim_end()),
    };
}

/// Blanks before the first character; a tab is one, as it is one byte.
fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// A line that is a task.
struct Mark<'a> {
    /// Where the mark is in the line.
    place: usize,
    is_done: bool,
    text: &'a str,
}

impl<'a> Mark<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let indent = indent_of(line);
        let after = &line[indent..];
        let digits = after.len() - after.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
        let bullet = match digits {
            0 => after.starts_with(['-', '*', '+']).then_some(1)?,
            1..=9 => after[digits..].starts_with(['.', ')']).then_some(digits + 1)?,
            _ => return None,
        };
        let blanks = indent_of(&after[bullet..]);
        let boxed = &after[bullet + blanks..];
        let is_done = match boxed.as_bytes() {
            [b'[', b' ', b']', b' ' | b'\t', ..] => false,
            [b'[', b'x' | b'X', b']', b' ' | b'\t', ..] => true,
            _ => return None,
        };
        let text = boxed[3..].trim();
        (blanks > 0 && !text.is_empty()).then_some(Self {
            place: indent + bullet + blanks + 1,
            is_done,
            text,
        })
    }
}

/// Whether a line is in a block of code.
#[derive(Default)]
struct Fence(Option<(char, usize)>);

impl Fence {
    /// Whether this line is code, or begins or ends it.
    fn takes(&mut self, line: &str) -> bool {
        let line = line.trim_start();
        let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'));
        let length = mark.map_or(0, |mark| line.chars().take_while(|other| *other == mark).count());
        match (self.0, mark) {
            (None, Some(mark)) if length >= 3 => self.0 = Some((mark, length)),
            (Some((open, least)), Some(mark)) if mark == open && length >= least => self.0 = None,
            (open, _) => return open.is_some(),
        }
        true
    }
}
