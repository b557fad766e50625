//! Values: names, helpers, what is true, how a value reads.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;

use serde_json::{Map, Number, Value};

use crate::error::What;
use crate::facts::{Facts, LastResult};
use crate::header::Header;
use crate::suggest::closest;
use crate::tag::{Argument, Expression, Helper, Path};

/// Everything that has a name.
pub(crate) struct Names<'a> {
    variables: &'a BTreeMap<String, Value>,
    builtins: &'a Map<String, Value>,
    defaults: &'a BTreeMap<String, Value>,
    /// The items of the loops around, the innermost last.
    pub(crate) items: Vec<Item<'a>>,
    /// Steps that helpers took since somebody asked.
    pub(crate) work: Cell<usize>,
}

/// The item of a loop.
pub(crate) struct Item<'a> {
    pub(crate) name: &'a str,
    pub(crate) value: &'a Value,
    pub(crate) index: usize,
    pub(crate) last: bool,
}

/// Bytes that are worked on in one step.
pub(crate) const BYTES_PER_STEP: usize = 64;

static NULL: Value = Value::Null;

impl<'a> Names<'a> {
    pub(crate) fn new(facts: &'a Facts, builtins: &'a Map<String, Value>, header: &'a Header) -> Self {
        let (variables, defaults) = (&facts.variables, &header.defaults);
        Self { variables, builtins, defaults, items: Vec::new(), work: Cell::new(0) }
    }

    /// The value of a name; `None` where nobody knows it. The user's word comes first, a default last.
    pub(crate) fn find(&self, path: &Path) -> Option<Cow<'a, Value>> {
        let (first, rest) = path.0.split_first()?;
        if let Some(item) = self.items.last() {
            match first.as_str() {
                "@index" => return Some(Cow::Owned(Value::from(item.index))),
                "@first" => return Some(Cow::Owned(Value::Bool(item.index == 0))),
                "@last" => return Some(Cow::Owned(Value::Bool(item.last))),
                _ => {}
            }
        }
        let item = self.items.iter().rev().find(|item| item.name == first).map(|item| item.value);
        let root = item.or_else(|| self.variables.get(first)).or_else(|| self.builtin(first))?;
        inside(first, root, rest).map(Cow::Borrowed)
    }

    fn builtin(&self, name: &str) -> Option<&'a Value> {
        let builtin = self.builtins.get(name);
        builtin.filter(|value| !value.is_null()).or_else(|| self.defaults.get(name)).or(builtin)
    }

    /// The problem of a name that nobody knows.
    pub(crate) fn unknown(&self, path: &Path) -> What {
        let known = self
            .items
            .iter()
            .map(|item| item.name)
            .chain(self.variables.keys().map(String::as_str))
            .chain(self.builtins.keys().map(String::as_str))
            .chain(self.defaults.keys().map(String::as_str));
        let suggestion = closest(&path.0[0], known).filter(|name| *name != path.0[0]);
        What::UnknownVariable { name: path.name(), suggestion }
    }

    pub(crate) fn evaluate(&self, expression: &Expression) -> Result<Cow<'a, Value>, What> {
        match expression {
            Expression::Path(path) => self.find(path).ok_or_else(|| self.unknown(path)),
            Expression::Call(Helper::Default, arguments) => {
                let [first, fallback] = arguments.as_slice() else {
                    return Err(needs(Helper::Default, "two arguments"));
                };
                match self.argument(first) {
                    Ok(value) if !value.is_null() && *value != "" => Ok(value),
                    _ => self.argument(fallback),
                }
            }
            Expression::Call(helper, arguments) => {
                let values = arguments.iter().map(|argument| self.argument(argument));
                call(*helper, &values.collect::<Result<Vec<_>, _>>()?).map(Cow::Owned)
            }
        }
    }

    fn argument(&self, argument: &Argument) -> Result<Cow<'a, Value>, What> {
        let value = match argument {
            Argument::Path(path) => self.find(path).ok_or_else(|| self.unknown(path))?,
            Argument::Literal(value) => Cow::Owned(value.clone()),
        };
        let work = match &*value {
            Value::String(text) => text.len() / BYTES_PER_STEP,
            Value::Array(items) => items.len(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => 0,
        };
        self.work.set(self.work.get().saturating_add(work));
        Ok(value)
    }
}

/// What `rest` names in `root`, whose own name is `first`.
fn inside<'v>(first: &str, root: &'v Value, rest: &[String]) -> Option<&'v Value> {
    // A first iteration has no last result, and nobody is wrong to ask for one.
    if root.is_null() && first == "last_result" {
        return rest.first().is_none_or(|name| LastResult::NAMES.contains(&name.as_str())).then_some(&NULL);
    }
    let mut value = root;
    for part in rest {
        let inner = match value {
            Value::Object(members) => members.get(part),
            Value::Array(items) => part.parse::<usize>().ok().map(|at| items.get(at).unwrap_or(&NULL)),
            _ => None,
        };
        value = match inner {
            // What agents keep under `custom` comes and goes.
            None if first == "custom" => return Some(&NULL),
            inner => inner?,
        };
    }
    Some(value)
}

fn call(helper: Helper, values: &[Cow<'_, Value>]) -> Result<Value, What> {
    let first = values.first().map_or(&NULL, |value| &**value);
    let second = values.get(1).map(|value| &**value);
    match helper {
        Helper::Uppercase => Ok(Value::from(show(first).to_uppercase())),
        Helper::Lowercase => Ok(Value::from(show(first).to_lowercase())),
        Helper::Trim => Ok(Value::from(show(first).trim())),
        Helper::Length => match first {
            Value::Null => Ok(Value::from(0)),
            Value::String(text) => Ok(Value::from(text.chars().count())),
            Value::Array(items) => Ok(Value::from(items.len())),
            Value::Object(members) => Ok(Value::from(members.len())),
            Value::Bool(_) | Value::Number(_) => Err(needs(helper, "a text or a list")),
        },
        Helper::Join => {
            let separator = second.map_or_else(|| ", ".to_owned(), show);
            match first {
                Value::Null => Ok(Value::from("")),
                Value::Array(items) => {
                    Ok(Value::from(items.iter().map(show).collect::<Vec<_>>().join(&separator)))
                }
                _ => Err(needs(helper, "a list")),
            }
        }
        Helper::Dateformat => dateformat(first, second.unwrap_or(&NULL)),
        Helper::Add => arithmetic(helper, values, i64::checked_add, |left, right| left + right),
        Helper::Subtract => arithmetic(helper, values, i64::checked_sub, |left, right| left - right),
        // Handled where its first argument may be unknown.
        Helper::Default => Ok(first.clone()),
    }
}

fn dateformat(moment: &Value, pattern: &Value) -> Result<Value, What> {
    if moment.is_null() {
        return Ok(Value::from(""));
    }
    let time = match moment {
        Value::String(text) => text.parse::<jiff::Timestamp>().ok(),
        _ => None,
    };
    let time = time.ok_or_else(|| needs(Helper::Dateformat, "a time like `timestamp`"))?;
    let pattern = pattern.as_str().ok_or_else(|| needs(Helper::Dateformat, "a format like \"%Y-%m-%d\""))?;
    let text = jiff::fmt::strtime::format(pattern, time);
    text.map(Value::from).map_err(|_| needs(Helper::Dateformat, "a format like \"%Y-%m-%d\""))
}

fn arithmetic(
    helper: Helper,
    values: &[Cow<'_, Value>],
    whole: fn(i64, i64) -> Option<i64>,
    broken: fn(f64, f64) -> f64,
) -> Result<Value, What> {
    let wrong = || needs(helper, "two numbers");
    let [left, right] = values else { return Err(wrong()) };
    let (left, right) = (number(left).ok_or_else(wrong)?, number(right).ok_or_else(wrong)?);
    if let (Some(left), Some(right)) = (left.as_i64(), right.as_i64())
        && let Some(result) = whole(left, right)
    {
        return Ok(Value::from(result));
    }
    let (left, right) = (left.as_f64().ok_or_else(wrong)?, right.as_f64().ok_or_else(wrong)?);
    Number::from_f64(broken(left, right)).map(Value::Number).ok_or_else(wrong)
}

fn number(value: &Value) -> Option<Number> {
    match value {
        Value::Number(number) => Some(number.clone()),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn needs(helper: Helper, needs: &'static str) -> What {
    What::Helper { helper: helper.name(), needs }
}

/// Whether a value counts as true: everything but nothing, zero and false.
pub(crate) fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(truth) => *truth,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}

/// How a value reads in a text. Nothing reads as nothing, a list or table as JSON.
pub(crate) fn show(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}
