//! From the text of a `piton.toml` or `config.toml` to what that layer says.
//!
//! Which names there are is known from the entries in `settings/`, and from a list of those that the documentation
//! names but a later version brings. Both are closed: any other name is a problem with the closest known one.
//!
//! Invariant: order is kept. The parser sorts tables by name, so entries are put back by their position in the
//! text (see `tests::checks_keep_the_order_of_the_file`).

pub(crate) mod agents;
pub(crate) mod stop;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod values;

use piton_model::closest;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::check::name_problem;
use crate::entry::{Entry, NAMED, Type};
use crate::problem::{Place, Problem, escaped, quoted};
use crate::settings::{Layer, SECTIONS, Settings, Sourced, entry};

/// Names that a later version brings.
const LATER: [&str; 1] = ["views.paths"];

/// A name in the file with its key and its value, which know where they stand.
pub(crate) type Pair<'a, 't> = (&'a str, &'a Spanned<DeString<'t>>, &'a Spanned<DeValue<'t>>);

/// What the file `text` says as `layer`, and everything that is wrong with it.
pub(crate) fn read(text: &str, file: &str, layer: Layer) -> (Settings, Vec<Problem>) {
    let mut reader = Reader { text, file: Arc::from(file), layer, problems: Vec::new() };
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut settings = Settings::default();
    section(&mut reader, &mut settings, "", table.get_ref());
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
    position_of(problem).0
}

/// Its line and column; what is in no file comes first.
fn position_of(problem: &Problem) -> (usize, usize) {
    match &problem.place {
        Place::File { line, column, .. } => (*line, *column),
        Place::Nowhere | Place::Variable(_) | Place::Flag(_) => (0, 0),
    }
}

/// What a table says: the file itself (`path` is empty), a section, or a section in it.
fn section(reader: &mut Reader<'_>, settings: &mut Settings, path: &str, table: &DeTable<'_>) {
    for pair in entries(table) {
        let (name, key, value) = pair;
        let start = key.span().start;
        let inner = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        let named = || entry(path, NAMED).filter(|named| is_taken(named, value));
        if let Some(entry) = entry(path, name).or_else(named) {
            (entry.read)(reader, settings, pair);
        } else if is_section(&inner) {
            let Some(table) = reader.table(&format!("`{name}`"), value, start) else { continue };
            SECTIONS.iter().filter(|section| section.path == inner).for_each(|known| (known.there)(settings));
            section(reader, settings, &inner, table);
        } else if LATER.contains(&inner.as_str()) {
            let what = if path.is_empty() { format!("the section `[{name}]`") } else { format!("`{name}`") };
            reader.later(start, &what);
        } else {
            unknown(reader, start, path, name);
        }
    }
}

/// Whether a name of the user's may stand for this. A hook is a table: a slip in a key is none.
fn is_taken(named: &Entry, value: &Spanned<DeValue<'_>>) -> bool {
    named.section != "hooks" || value.get_ref().is_table()
}

fn is_section(path: &str) -> bool {
    SECTIONS.iter().any(|section| {
        section.path.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// A name that nobody knows, or that is known elsewhere.
fn unknown(reader: &mut Reader<'_>, start: usize, path: &str, name: &str) {
    if path.is_empty() && entry("loop", name).is_some() {
        let message = format!("`{name}` does not belong here");
        return reader.problem_with_hint(start, message, "it belongs into the section `[loop]`");
    }
    if (path, name) == ("agent", "command") {
        let hint = "write it under `[agents.NAME]`, and `use = \"NAME\"` here";
        return reader.problem_with_hint(start, "`command` does not belong into `[agent]`", hint);
    }
    let what = if path.is_empty() { "section".to_owned() } else { format!("key in `[{path}]`:") };
    reader.unknown(start, &what, name, &names(path));
}

/// Every name that may stand in a table.
fn names(path: &str) -> Vec<&'static str> {
    let mut names = Vec::new();
    for section in SECTIONS.iter() {
        let inside = match path.is_empty() {
            true => section.path,
            false if section.path == path => {
                names.extend(section.entries.iter().map(|entry| entry.key).filter(|key| *key != NAMED));
                continue;
            }
            false => match section.path.strip_prefix(path).and_then(|rest| rest.strip_prefix('.')) {
                Some(inside) => inside,
                None => continue,
            },
        };
        let first = inside.split('.').next().unwrap_or(inside);
        if !names.contains(&first) {
            names.push(first);
        }
    }
    names
}

/// A file that is being read.
pub struct Reader<'t> {
    text: &'t str,
    file: Arc<str>,
    layer: Layer,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    pub(crate) fn place(&self, offset: usize) -> Place {
        let before = &self.text[..self.text.floor_char_boundary(offset)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Place::File {
            file: Arc::clone(&self.file),
            line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }

    pub(crate) fn problem(&mut self, offset: usize, message: impl Into<String>) {
        let place = self.place(offset);
        self.problems.push(Problem::new(place, message));
    }

    pub(crate) fn problem_with_hint(
        &mut self,
        offset: usize,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        let place = self.place(offset);
        self.problems.push(Problem::new(place, message).hint(hint));
    }

    /// Whether this key can name `what`; where it cannot, that is a problem.
    pub(crate) fn can_name(&mut self, what: &str, (name, key, _): Pair<'_, '_>) -> bool {
        let why = name_problem(name);
        if let Some(why) = &why {
            self.problem(key.span().start, format!("{} cannot name {what}: {why}", quoted(name)));
        }
        why.is_none()
    }

    pub(crate) fn sourced<T>(&self, value: T, offset: usize) -> Sourced<T> {
        Sourced { value, layer: self.layer, place: self.place(offset) }
    }

    /// A name that the documentation knows and this version does not.
    pub(crate) fn later(&mut self, offset: usize, what: &str) {
        self.problem_with_hint(
            offset,
            format!("{what} is not supported yet by this version"),
            "remove it for now",
        );
    }

    /// A name that nobody knows.
    pub(crate) fn unknown(&mut self, offset: usize, what: &str, name: &str, known: &[&str]) {
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
    pub(crate) fn table<'a, 't>(
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

/// The members of a table, each asked for by its key. What nobody asked for is unknown.
pub(crate) struct Members<'r, 'x, 'a, 't> {
    reader: &'r mut Reader<'x>,
    table: &'a DeTable<'t>,
    asked: Vec<&'static str>,
    /// Problems that were there before: those of the table are said in its own order.
    before: usize,
}

impl<'r, 'x, 'a, 't> Members<'r, 'x, 'a, 't> {
    pub(crate) fn of(reader: &'r mut Reader<'x>, table: &'a DeTable<'t>) -> Self {
        let before = reader.problems.len();
        Self { reader, table, asked: Vec::new(), before }
    }

    /// What the table says for `key`, if anything, and if it makes sense.
    pub(crate) fn get<T: Type>(&mut self, key: &'static str) -> Option<T::Value> {
        self.with(key, T::read)
    }

    /// The same, for what is read in a way of its own.
    pub(crate) fn with<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Reader<'_>, &str, &Spanned<DeValue<'_>>) -> Option<T>,
    ) -> Option<T> {
        self.asked.push(key);
        read(self.reader, key, self.table.get(key)?)
    }

    /// All was asked for: the rest is an unknown `what`.
    pub(crate) fn end(self, what: &str) {
        for (name, key, _) in entries(self.table) {
            if !self.asked.contains(&name) {
                self.reader.unknown(key.span().start, what, name, &self.asked);
            }
        }
        self.reader.problems[self.before..].sort_by_key(position_of);
    }
}

/// The entries of a table in the order of the file.
pub(crate) fn entries<'a, 't>(table: &'a DeTable<'t>) -> Vec<Pair<'a, 't>> {
    let mut entries: Vec<_> = table.iter().map(|(key, value)| (key.get_ref().as_ref(), key, value)).collect();
    entries.sort_by_key(|(_, key, _)| key.span().start);
    entries
}
