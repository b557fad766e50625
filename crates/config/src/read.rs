//! From the text of a `piton.toml` or `config.toml` to what that layer says.
//!
//! Owns the names of sections and keys: those of this version, and those that the documentation names but a
//! later version brings. Both lists are closed: any other name is a problem with the closest known one.
//!
//! Invariant: order is kept. The parser sorts tables by name, so entries are put back by their position in the
//! text (see `tests::checks_keep_the_order_of_the_file`).

mod agents;
mod gaps;
mod hooks;
mod judging;
mod mode;
mod notify;
mod prompts;
mod sections;
mod stop;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use judging::LEVEL_WORDS;
pub(crate) use sections::{GUARD_WORDS, ON_LOST_WORDS, SESSION_WORDS};

use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::problem::{Place, Problem, escaped, quoted};
use crate::settings::{Layer, Settings, Sourced};
use crate::suggest::closest;

/// A value of the file, and where it stands.
type Entry<'a, 't> = (&'a str, &'a Spanned<DeString<'t>>, &'a Spanned<DeValue<'t>>);

/// What the file `text` says as `layer`, and everything that is wrong with it.
pub(crate) fn read(text: &str, file: &str, layer: Layer) -> (Settings, Vec<Problem>) {
    let mut reader = Reader { text, file: Arc::from(file), layer, problems: Vec::new() };
    let (table, errors) = DeTable::parse_recoverable(text);
    let settings = sections::read(&mut reader, table.get_ref());
    let meaning = std::mem::take(&mut reader.problems);
    for error in errors {
        let start = error.span().map_or(0, |span| span.start);
        reader.problem(start, format!("this is not TOML: {}", escaped(error.message())));
    }
    // One slip confuses the parser several times over, and what it made of such a line means nothing.
    reader.problems.sort_by_key(line_of);
    reader.problems.dedup_by_key(|problem| line_of(problem));
    let broken: Vec<_> = reader.problems.iter().map(line_of).collect();
    reader.problems.extend(meaning.into_iter().filter(|problem| !broken.contains(&line_of(problem))));
    reader.problems.sort_by_key(line_of);
    (settings, reader.problems)
}

/// What is wrong with a file that is not even text.
pub(crate) fn not_text(file: &str) -> Problem {
    Problem::new(Place::File { file: Arc::from(file), line: 1, column: 1 }, "this is not UTF-8 text")
}

fn line_of(problem: &Problem) -> usize {
    match &problem.place {
        Place::File { line, .. } => *line,
        Place::Nowhere | Place::Variable(_) | Place::Flag(_) => 0,
    }
}

/// A file that is being read.
struct Reader<'t> {
    text: &'t str,
    file: Arc<str>,
    layer: Layer,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn place(&self, offset: usize) -> Place {
        let before = &self.text[..self.text.floor_char_boundary(offset)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Place::File {
            file: Arc::clone(&self.file),
            line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }

    fn problem(&mut self, offset: usize, message: impl Into<String>) {
        let place = self.place(offset);
        self.problems.push(Problem::new(place, message));
    }

    fn problem_with_hint(&mut self, offset: usize, message: impl Into<String>, hint: impl Into<String>) {
        let place = self.place(offset);
        self.problems.push(Problem::new(place, message).hint(hint));
    }

    fn sourced<T>(&self, value: T, offset: usize) -> Sourced<T> {
        Sourced { value, layer: self.layer, place: self.place(offset) }
    }

    /// A name that the documentation knows and this version does not.
    fn later(&mut self, offset: usize, what: &str) {
        self.problem_with_hint(
            offset,
            format!("{what} is not supported yet by this version"),
            "remove it for now",
        );
    }

    /// A name that nobody knows.
    fn unknown(&mut self, offset: usize, what: &str, name: &str, known: &[&str]) {
        let message = format!("unknown {what} {}", quoted(name));
        match closest(name, known.iter().copied()) {
            Some(meant) => self.problem_with_hint(offset, message, format!("did you mean `{meant}`?")),
            None if known.is_empty() => self.problem(offset, message),
            None => {
                let names: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
                self.problem_with_hint(offset, message, format!("known here: {}", names.join(", ")));
            }
        }
    }

    /// The table under `key`, or a problem.
    fn table<'a, 't>(
        &mut self,
        what: &str,
        value: &'a Spanned<DeValue<'t>>,
        offset: usize,
    ) -> Option<&'a DeTable<'t>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.problem(offset, format!("{what} must be a table"));
        }
        table
    }
}

/// The entries of a table in the order of the file.
fn entries<'a, 't>(table: &'a DeTable<'t>) -> Vec<Entry<'a, 't>> {
    let mut entries: Vec<_> = table.iter().map(|(key, value)| (key.get_ref().as_ref(), key, value)).collect();
    entries.sort_by_key(|(_, key, _)| key.span().start);
    entries
}
