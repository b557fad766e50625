//! `[stop]`: conditions as tables tagged by `type`, nested at will.

use piton_model::loop_machine::{NamedStop, STOP_DEPTH_MAX, StopCondition};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Reader, entries};
use crate::condition::inside_tree;
use crate::problem::quoted;

const TYPES: [&str; 16] = [
    "max_iterations",
    "max_duration",
    "test_failure_streak",
    "all_tests_pass",
    "specific_tests_pass",
    "no_progress",
    "file_created",
    "file_contains",
    "output_pattern",
    "on_error",
    "custom_script",
    "user_signal",
    "all",
    "any",
    "not",
    "never",
];

/// What a condition of a type may say beside its type and name.
fn keys(kind: &str) -> &'static [&'static str] {
    match kind {
        "max_iterations" | "test_failure_streak" => &["count"],
        "max_duration" => &["duration"],
        "specific_tests_pass" => &["tests"],
        "no_progress" => &["iterations"],
        "file_created" => &["path"],
        "file_contains" => &["path", "content"],
        "output_pattern" => &["pattern", "is_regex"],
        "on_error" => &["pattern"],
        "custom_script" => &["script", "args"],
        "all" | "any" => &["conditions"],
        "not" => &["condition"],
        _ => &[],
    }
}

/// Every type of condition.
pub(crate) fn types() -> &'static [&'static str] {
    &TYPES
}

/// A list of conditions.
pub(crate) fn list(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Vec<NamedStop> {
    let Some(items) = value.get_ref().as_array() else {
        let message =
            format!("`{key}` must be a list of conditions such as `[{{ type = \"all_tests_pass\" }}]`");
        reader.problem(value.span().start, message);
        return Vec::new();
    };
    items.iter().filter_map(|item| named(reader, item)).collect()
}

fn named(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Option<NamedStop> {
    let name = value.get_ref().as_table().and_then(|table| table.get("name")).cloned();
    let name = name.and_then(|name| reader.text("name", &name)).map(|name| name.value);
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
    let Some(kind) = table.get("type") else {
        reader.problem_with_hint(
            start,
            "a condition has no `type`",
            format!("known are {}", TYPES.join(", ")),
        );
        return None;
    };
    let kind = reader.text("type", kind)?.value;
    if !TYPES.contains(&kind.as_str()) {
        reader.unknown(start, "condition", &kind, &TYPES);
        return None;
    }
    let allowed = keys(&kind);
    for (name, key, _) in entries(table) {
        if !["type", "name"].contains(&name) && !allowed.contains(&name) {
            reader.unknown(key.span().start, &format!("key in a condition `{kind}`:"), name, allowed);
        }
    }
    Fields { reader, table, kind: &kind, start }.condition(depth)
}

/// The members of one condition.
struct Fields<'a, 'r, 't> {
    reader: &'a mut Reader<'r>,
    table: &'a DeTable<'t>,
    kind: &'a str,
    start: usize,
}

impl<'a, 't> Fields<'a, '_, 't> {
    fn condition(mut self, depth: usize) -> Option<StopCondition> {
        Some(match self.kind {
            "max_iterations" => StopCondition::MaxIterations { count: self.whole("count")? },
            "max_duration" => {
                let value = self.get("duration")?;
                StopCondition::MaxDuration { duration_ms: self.reader.duration("duration", value)?.value }
            }
            "test_failure_streak" => StopCondition::TestFailureStreak { count: self.whole("count")? },
            "all_tests_pass" => StopCondition::AllTestsPass {},
            "specific_tests_pass" => StopCondition::SpecificTestsPass { tests: self.texts("tests")? },
            "no_progress" => StopCondition::NoProgress { iterations: self.whole("iterations")? },
            "file_created" => StopCondition::FileCreated { path: self.path("path")? },
            "file_contains" => {
                StopCondition::FileContains { path: self.path("path")?, content: self.text("content")? }
            }
            "output_pattern" => self.output_pattern()?,
            "on_error" => {
                let pattern = self.table.get("pattern").cloned();
                let pattern = pattern.and_then(|value| self.reader.text("pattern", &value));
                StopCondition::OnError { pattern: pattern.map(|text| text.value) }
            }
            "custom_script" => {
                let args = if self.table.contains_key("args") { self.texts("args")? } else { Vec::new() };
                StopCondition::CustomScript { script: self.text("script")?, args }
            }
            "user_signal" => StopCondition::UserSignal {},
            "all" => StopCondition::All { conditions: self.conditions(depth)? },
            "any" => StopCondition::Any { conditions: self.conditions(depth)? },
            "not" => {
                let inner = self.get("condition")?;
                StopCondition::Not { condition: Box::new(condition(self.reader, inner, depth - 1)?) }
            }
            _ => StopCondition::Never {},
        })
    }

    fn get(&mut self, key: &str) -> Option<&'a Spanned<DeValue<'t>>> {
        let found = self.table.get(key);
        if found.is_none() {
            self.reader.problem(self.start, format!("a condition `{}` needs `{key}`", self.kind));
        }
        found
    }

    fn whole(&mut self, key: &str) -> Option<u32> {
        let value = self.get(key)?;
        let number = self.reader.whole(key, value)?;
        if number == 0 {
            self.reader.problem(value.span().start, format!("`{key}` must be more than zero"));
        }
        Some(number)
    }

    fn text(&mut self, key: &str) -> Option<String> {
        let value = self.get(key)?;
        self.reader.text(key, value).map(|text| text.value)
    }

    fn texts(&mut self, key: &str) -> Option<Vec<String>> {
        let value = self.get(key)?;
        Some(self.reader.list(key, value)?.value)
    }

    fn path(&mut self, key: &str) -> Option<String> {
        let at = self.get(key)?.span().start;
        let path = self.text(key)?;
        inside_tree(&path).map_err(|why| self.reader.problem(at, format!("`{key}`: {why}"))).ok()
    }

    fn output_pattern(&mut self) -> Option<StopCondition> {
        let at = self.get("pattern")?.span().start;
        let pattern = self.text("pattern")?;
        let is_regex = self.table.get("is_regex").cloned();
        let is_regex =
            is_regex.and_then(|value| self.reader.flag("is_regex", &value)).is_some_and(|flag| flag.value);
        if is_regex && let Err(error) = regex::Regex::new(&pattern) {
            let why = error.to_string();
            let why = why.lines().last().unwrap_or_default().trim().to_owned();
            self.reader.problem(at, format!("the pattern {}: {why}", quoted(&pattern)));
        }
        Some(StopCondition::OutputPattern { pattern, is_regex })
    }

    fn conditions(&mut self, depth: usize) -> Option<Vec<StopCondition>> {
        let value = self.get("conditions")?;
        let Some(items) = value.get_ref().as_array() else {
            self.reader.problem(value.span().start, "`conditions` must be a list of conditions");
            return None;
        };
        Some(items.iter().filter_map(|item| condition(self.reader, item, depth - 1)).collect())
    }
}
