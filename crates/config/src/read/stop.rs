//! `[stop]`: conditions as tables tagged by `type`, nested at will. Which kinds there are, and what each says, is in the
//! model: one file per kind.

use piton_model::loop_machine::stop::Table;
use piton_model::loop_machine::{NamedStop, STOP_DEPTH_MAX, STOP_TYPES, StopCondition};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::values::regex_problem;
use super::{Reader, entries};
use crate::check::command_problem;
use crate::condition::inside_tree;
use crate::problem::quoted;

/// Every type of condition.
pub(crate) fn types() -> Vec<&'static str> {
    STOP_TYPES.iter().map(|kind| kind.name).collect()
}

/// A list of conditions.
pub(crate) fn list(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Vec<NamedStop> {
    let Some(items) = value.get_ref().as_array() else {
        let message =
            format!("`{key}` must be a list of conditions such as `[{{ type = \"all_tests_pass\" }}]`");
        reader.problem(value.span().start, message);
        return Vec::new();
    };
    let mut found: Vec<NamedStop> = Vec::new();
    for item in items {
        let Some(named) = named(reader, item) else { continue };
        if let Some(name) =
            named.name.as_ref().filter(|name| found.iter().any(|other| other.name.as_ref() == Some(name)))
        {
            reader.problem(item.span().start, format!("two conditions are called {}", quoted(name)));
        }
        found.push(named);
    }
    found
}

fn named(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Option<NamedStop> {
    let name = value.get_ref().as_table().and_then(|table| table.get("name")).cloned();
    let at = name.as_ref().map(|name| name.span().start);
    let name = name.and_then(|name| reader.text("name", &name));
    if let (Some(name), Some(at)) = (&name, at) {
        let word = name.split(':').next().unwrap_or(name);
        let is_a_form = STOP_TYPES.iter().any(|kind| kind.until.is_some_and(|form| form.word() == word));
        if is_a_form {
            let message =
                format!("a condition cannot be called {}: `--until {word}` means another", quoted(name));
            reader.problem_with_hint(at, message, "choose another `name`");
        }
    }
    let condition = condition(reader, value, STOP_DEPTH_MAX)?;
    Some(NamedStop { name, condition })
}

fn condition(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>, depth: usize) -> Option<StopCondition> {
    let start = value.span().start;
    let table = reader.table("a condition", value, start)?;
    if depth == 0 {
        reader.problem(start, format!("conditions are nested at most {STOP_DEPTH_MAX} deep"));
        return None;
    }
    let Some(word) = table.get("type") else {
        let hint = format!("known are {}", types().join(", "));
        reader.problem_with_hint(start, "a condition has no `type`", hint);
        return None;
    };
    let word = reader.text("type", word)?;
    let Some(kind) = STOP_TYPES.iter().find(|kind| kind.name == word) else {
        reader.unknown(start, "condition", &word, &types());
        return None;
    };
    for (name, key, _) in entries(table) {
        if !["type", "name"].contains(&name) && !kind.keys.contains(&name) {
            reader.unknown(key.span().start, &format!("key in a condition `{word}`:"), name, kind.keys);
        }
    }
    (kind.read)(&mut Fields { reader, table, kind: kind.name, start, depth })
}

/// The members of one condition.
struct Fields<'a, 'r, 't> {
    reader: &'a mut Reader<'r>,
    table: &'a DeTable<'t>,
    kind: &'static str,
    start: usize,
    depth: usize,
}

impl<'a, 't> Fields<'a, '_, 't> {
    fn get(&mut self, key: &str) -> Option<&'a Spanned<DeValue<'t>>> {
        let found = self.table.get(key);
        if found.is_none() {
            self.reader.problem(self.start, format!("a condition `{}` needs `{key}`", self.kind));
        }
        found
    }
}

impl Table for Fields<'_, '_, '_> {
    fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    fn whole(&mut self, key: &str) -> Option<u32> {
        let value = self.get(key)?;
        let number = self.reader.whole(key, value)?;
        if number == 0 {
            self.reader.problem(value.span().start, format!("`{key}` must be more than zero"));
        }
        Some(number)
    }

    fn duration_ms(&mut self, key: &str) -> Option<u64> {
        let value = self.get(key)?;
        self.reader.duration(key, value)
    }

    fn text(&mut self, key: &str) -> Option<String> {
        let value = self.get(key)?;
        self.reader.text(key, value)
    }

    fn texts(&mut self, key: &str) -> Option<Vec<String>> {
        let value = self.get(key)?;
        self.reader.texts(key, value)
    }

    fn flag(&mut self, key: &str) -> Option<bool> {
        let value = self.table.get(key)?;
        self.reader.flag(key, value)
    }

    fn path(&mut self, key: &str) -> Option<String> {
        let at = self.get(key)?.span().start;
        let path = self.text(key)?;
        inside_tree(&path).map_err(|why| self.reader.problem(at, format!("`{key}`: {why}"))).ok()
    }

    fn command(&mut self, key: &str) -> Option<String> {
        let at = self.get(key)?.span().start;
        let command = self.text(key)?;
        let why = command_problem(&command);
        if let Some(why) = why {
            self.reader.problem(at, format!("`{key}`: {why}"));
        }
        why.is_none().then_some(command)
    }

    fn pattern(&mut self, key: &str, is_regex: bool) -> Option<String> {
        let at = self.get(key)?.span().start;
        let pattern = self.text(key)?;
        if let Some(why) = regex_problem(&pattern).filter(|_| is_regex) {
            self.reader.problem(at, format!("the pattern {}: {why}", quoted(&pattern)));
        }
        Some(pattern)
    }

    fn condition(&mut self, key: &str) -> Option<StopCondition> {
        let value = self.get(key)?;
        condition(self.reader, value, self.depth - 1)
    }

    fn conditions(&mut self, key: &str) -> Option<Vec<StopCondition>> {
        let value = self.get(key)?;
        let Some(items) = value.get_ref().as_array() else {
            self.reader.problem(value.span().start, format!("`{key}` must be a list of conditions"));
            return None;
        };
        Some(items.iter().filter_map(|item| condition(self.reader, item, self.depth - 1)).collect())
    }
}
