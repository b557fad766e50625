//! Single values: text, words, numbers, durations, lists.

use toml::Spanned;
use toml::de::DeValue;

use super::Reader;
use crate::duration::parse_duration;
use crate::limit::{Limit, Unit};
use crate::problem::escaped;
use crate::settings::Sourced;

impl Reader<'_> {
    /// A text.
    pub(crate) fn text(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Sourced<String>> {
        let start = value.span().start;
        match value.get_ref() {
            DeValue::String(text) => Some(self.sourced(text.to_string(), start)),
            other => {
                self.problem(start, format!("`{key}` must be a text in quotes, not {}", kind(other)));
                None
            }
        }
    }

    /// `true` or `false`.
    pub(crate) fn flag(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Sourced<bool>> {
        let start = value.span().start;
        match value.get_ref() {
            DeValue::Boolean(flag) => Some(self.sourced(*flag, start)),
            other => {
                self.problem(start, format!("`{key}` must be `true` or `false`, not {}", kind(other)));
                None
            }
        }
    }

    /// A whole number, zero or more.
    pub(crate) fn whole(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<u32> {
        let number = match value.get_ref() {
            DeValue::Integer(number) => u32::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        if number.is_none() {
            let found = kind(value.get_ref());
            self.problem(value.span().start, format!("`{key}` must be a whole number, not {found}"));
        }
        number
    }

    /// A number, zero or more.
    pub(crate) fn number(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<f64> {
        let number: Option<f64> = match value.get_ref() {
            DeValue::Integer(number) => number.as_str().parse().ok(),
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        };
        let number = number.filter(|number| number.is_finite() && *number >= 0.0);
        if number.is_none() {
            self.problem(value.span().start, format!("`{key}` must be a number, zero or more"));
        }
        number
    }

    /// One of a few words.
    pub(crate) fn word<T: Copy>(
        &mut self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        words: &[(&'static str, T)],
    ) -> Option<Sourced<T>> {
        let text = self.text(key, value)?;
        match words.iter().find(|(word, _)| *word == text.value) {
            Some((_, meaning)) => Some(text.map(|_| *meaning)),
            None => {
                let known: Vec<_> = words.iter().map(|(word, _)| *word).collect();
                self.unknown(value.span().start, &format!("value for `{key}`:"), &text.value, &known);
                None
            }
        }
    }

    /// A regular expression that can be used; `what` is it to people.
    pub(crate) fn regex(&mut self, what: &str, key: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
        let text = self.text(key, value)?.value;
        let why = regex_problem(&text);
        if let Some(why) = &why {
            self.problem(value.span().start, format!("{what}: {why}"));
        }
        why.is_none().then_some(text)
    }

    /// A list of texts, as one value.
    pub(crate) fn list(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Sourced<Vec<String>>> {
        let texts = self.texts(key, value)?.into_iter().map(|text| text.value).collect();
        Some(self.sourced(texts, value.span().start))
    }

    /// A duration in milliseconds, more than zero.
    pub(crate) fn duration(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Sourced<u64>> {
        let start = value.span().start;
        let DeValue::String(text) = value.get_ref() else {
            let found = kind(value.get_ref());
            self.problem(
                start,
                format!("`{key}` must be a duration in quotes such as `\"8h\"`, not {found}"),
            );
            return None;
        };
        match parse_duration(text) {
            Ok(0) => self.problem(start, format!("`{key}` must be more than zero")),
            Ok(millis) => return Some(self.sourced(millis, start)),
            Err(why) => self.problem(start, format!("`{key} = {}`: {why}", escaped(text))),
        }
        None
    }

    /// A ceiling in its own unit.
    pub(crate) fn limit(&mut self, limit: Limit, value: &Spanned<DeValue<'_>>) -> Option<Sourced<u64>> {
        let key = limit.key();
        let start = value.span().start;
        let written = match (limit.unit(), value.get_ref()) {
            (Unit::Duration, DeValue::String(text)) => text.to_string(),
            (Unit::Count32 | Unit::Count64 | Unit::Dollars, DeValue::Integer(number)) => {
                let value = i128::from_str_radix(number.as_str(), number.radix());
                value.map_or_else(|_| number.to_string(), |value| value.to_string())
            }
            (Unit::Dollars, DeValue::Float(number)) => number.as_str().to_owned(),
            (unit, other) => {
                self.problem(start, format!("`{key}` must be {}, not {}", wanted(unit), kind(other)));
                return None;
            }
        };
        match limit.parse(&written) {
            Ok(value) => Some(self.sourced(value, start)),
            Err(why) => {
                self.problem(start, format!("`{key} = {}`: {why}", escaped(&written)));
                None
            }
        }
    }

    /// A list of texts, each with its place.
    pub(crate) fn texts(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Vec<Sourced<String>>> {
        let start = value.span().start;
        let Some(array) = value.get_ref().as_array() else {
            let found = kind(value.get_ref());
            self.problem(
                start,
                format!("`{key}` must be a list of texts such as `[\"a\", \"b\"]`, not {found}"),
            );
            return None;
        };
        let items: Vec<_> = array.iter().map(|item| self.text(key, item)).collect();
        items.into_iter().collect()
    }
}

/// What is wrong with a regular expression.
pub(crate) fn regex_problem(pattern: &str) -> Option<String> {
    let error = regex::Regex::new(pattern).err()?.to_string();
    Some(error.lines().last().unwrap_or_default().trim().to_owned())
}

fn wanted(unit: Unit) -> &'static str {
    match unit {
        Unit::Count32 | Unit::Count64 => "a whole number",
        Unit::Duration => "a duration in quotes such as `\"8h\"`",
        Unit::Dollars => "a number of dollars",
    }
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
