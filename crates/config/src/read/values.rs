//! Single values: text, words, numbers, durations, lists.

use toml::Spanned;
use toml::de::DeValue;

use super::Reader;
use crate::duration::parse_duration;
use crate::limit::{Limit, Unit};
use crate::problem::escaped;
use crate::settings::Sourced;

impl Reader<'_> {
    pub(crate) fn text(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
        if let DeValue::String(text) = value.get_ref() {
            return Some(text.to_string());
        }
        self.wanted(key, "a text in quotes", value)
    }

    /// `true` or `false`.
    pub(crate) fn flag(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<bool> {
        value.get_ref().as_bool().or_else(|| self.wanted(key, "`true` or `false`", value))
    }

    /// A whole number, zero or more.
    pub(crate) fn whole(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<u32> {
        let DeValue::Integer(number) = value.get_ref() else {
            return self.wanted(key, "a whole number", value);
        };
        let fits = u32::from_str_radix(number.as_str(), number.radix()).ok();
        if fits.is_none() {
            let message = format!("`{key}` must be a whole number from 0 to {}, got {number}", u32::MAX);
            self.problem(value.span().start, message);
        }
        fits
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
    ) -> Option<T> {
        let text = self.text(key, value)?;
        let meant = words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning);
        if meant.is_none() {
            let known: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            self.unknown(value.span().start, &format!("value for `{key}`:"), &text, &known);
        }
        meant
    }

    /// A regular expression that can be used; `what` is it to people.
    pub(crate) fn regex(&mut self, what: &str, key: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
        let text = self.text(key, value)?;
        let why = regex_problem(&text);
        if let Some(why) = &why {
            self.problem(value.span().start, format!("{what}: {why}"));
        }
        why.is_none().then_some(text)
    }

    /// A duration in milliseconds, more than zero.
    pub(crate) fn duration(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<u64> {
        let start = value.span().start;
        let DeValue::String(text) = value.get_ref() else {
            return self.wanted(key, "a duration in quotes such as `\"8h\"`", value);
        };
        match parse_duration(text) {
            Ok(0) => self.problem(start, format!("`{key}` must be more than zero")),
            Ok(millis) => return Some(millis),
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
            (Unit::Count32 | Unit::Count64, _) => return self.wanted(key, "a whole number", value),
            (Unit::Duration, _) => return self.wanted(key, "a duration in quotes such as `\"8h\"`", value),
            (Unit::Dollars, _) => return self.wanted(key, "a number of dollars", value),
        };
        match limit.parse(&written) {
            Ok(value) => Some(self.sourced(value, start)),
            Err(why) => {
                self.problem(start, format!("`{key} = {}`: {why}", escaped(&written)));
                None
            }
        }
    }

    /// A list of texts.
    pub(crate) fn texts(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Vec<String>> {
        let Some(array) = value.get_ref().as_array() else {
            return self.wanted(key, "a list of texts such as `[\"a\", \"b\"]`", value);
        };
        let items: Vec<_> = array.iter().map(|item| self.text(key, item)).collect();
        items.into_iter().collect()
    }

    /// Says that `key` is something else than it must be.
    fn wanted<T>(&mut self, key: &str, what: &str, value: &Spanned<DeValue<'_>>) -> Option<T> {
        let found = kind(value.get_ref());
        self.problem(value.span().start, format!("`{key}` must be {what}, not {found}"));
        None
    }
}

/// What is wrong with a regular expression.
pub(crate) fn regex_problem(pattern: &str) -> Option<String> {
    let error = regex::Regex::new(pattern).err()?.to_string();
    Some(error.lines().last().unwrap_or_default().trim().to_owned())
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
