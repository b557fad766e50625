//! What values of settings may be: one type each, with how it is read, shown and described.

use std::marker::PhantomData;

use piton_model::Words;
use piton_model::notify::TimeOfDay as Clock;
use serde::Serialize;
use serde_json::{Value, json};
use toml::Spanned;
use toml::de::DeValue;

use crate::condition::inside_tree;
use crate::duration::{format_duration, parse_duration};
use crate::entry::{Takes, Type};
use crate::problem::quoted;
use crate::read::Reader;
pub use crate::settings::{
    AutoOrFlag, Conditions, Hours, Offset, PerHour, Quiet, Rules, Scheduled, Variables,
};

pub(crate) fn takes(words: &str, schema: Value) -> Takes {
    Takes { words: words.to_owned(), schema }
}

pub struct Text;

impl Type for Text {
    type Value = String;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
        reader.text(key, value)
    }

    fn parse(text: &str) -> Result<String, (String, Option<String>)> {
        Ok(text.to_owned())
    }

    fn takes() -> Takes {
        takes("a text", json!({"type": "string"}))
    }
}

/// `true` or `false`.
pub struct Flag;

impl Type for Flag {
    type Value = bool;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<bool> {
        reader.flag(key, value)
    }

    fn parse(text: &str) -> Result<bool, (String, Option<String>)> {
        text.parse().map_err(|_| (format!("{} is neither `true` nor `false`", quoted(text)), None))
    }

    fn takes() -> Takes {
        takes("`true` or `false`", json!({"type": "boolean"}))
    }
}

/// A path inside the tree.
pub struct Path;

impl Type for Path {
    type Value = String;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
        let path = reader.text(key, value)?;
        let inside = inside_tree(&path);
        inside.map_err(|why| reader.problem(value.span().start, format!("`{key}`: {why}"))).ok()
    }

    fn parse(text: &str) -> Result<String, (String, Option<String>)> {
        inside_tree(text).map_err(|why| (why, None))
    }

    fn takes() -> Takes {
        takes("a path in the repository", json!({"type": "string"}))
    }
}

/// Paths inside the tree.
pub struct Paths;

impl Type for Paths {
    type Value = Vec<String>;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Vec<String>> {
        let mut paths = reader.texts(key, value)?;
        for path in &mut paths {
            match inside_tree(path) {
                Ok(inside) => *path = inside,
                Err(why) => reader.problem(value.span().start, format!("`{key}`: {why}")),
            }
        }
        Some(paths)
    }

    fn takes() -> Takes {
        takes("a list of paths in the repository", list_of(json!({"type": "string"})))
    }
}

/// Places anywhere on the machine.
pub struct Places;

impl Type for Places {
    type Value = Vec<String>;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Vec<String>> {
        let places = reader.texts(key, value)?;
        for place in places.iter().filter(|place| !place.starts_with('/') && !place.starts_with("~/")) {
            let message = format!("{} is neither absolute nor below `~/`", quoted(place));
            reader.problem(value.span().start, message);
        }
        let is_all = |place: &&String| matches!(place.trim_end_matches(['/', '.']), "" | "~");
        if let Some(place) = places.iter().find(is_all) {
            let message = format!("`{key}`: {} leaves no walls standing", quoted(place));
            reader.problem_with_hint(value.span().start, message, "name the directories that are needed");
        }
        Some(places)
    }

    fn takes() -> Takes {
        let place = json!({"type": "string", "pattern": "^(/|~/)"});
        takes("a list of paths, absolute or below `~/`", list_of(place))
    }
}

/// A list of texts.
pub struct Texts;

impl Type for Texts {
    type Value = Vec<String>;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Vec<String>> {
        reader.texts(key, value)
    }

    fn takes() -> Takes {
        takes("a list of texts", list_of(json!({"type": "string"})))
    }
}

/// A duration of more than zero, in milliseconds.
pub struct Duration;

impl Type for Duration {
    type Value = u64;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<u64> {
        reader.duration(key, value)
    }

    fn shown(value: &u64) -> Value {
        json!(format_duration(*value))
    }

    fn takes() -> Takes {
        takes("a duration such as `\"8h\"`", json!({"type": "string"}))
    }
}

/// A duration that may be zero, in milliseconds.
pub struct Span;

impl Type for Span {
    type Value = u64;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<u64> {
        match value.get_ref() {
            DeValue::String(text) if parse_duration(text) == Ok(0) => Some(0),
            _ => Duration::read(reader, key, value),
        }
    }

    fn shown(value: &u64) -> Value {
        Duration::shown(value)
    }

    fn takes() -> Takes {
        takes("a duration such as `\"5s\"`, or `\"0s\"`", json!({"type": "string"}))
    }
}

/// A size of more than zero, in bytes.
pub struct Size;

impl Type for Size {
    type Value = u64;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<u64> {
        let text = reader.text(key, value)?;
        let parsed = parse_size(&text);
        parsed.map_err(|why| reader.problem(value.span().start, format!("`{key}`: {why}"))).ok()
    }

    fn shown(value: &u64) -> Value {
        json!(format_size(*value))
    }

    fn takes() -> Takes {
        takes("a size such as `\"1GiB\"`", json!({"type": "string"}))
    }
}

const UNITS: [(&str, u64); 4] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let unit = UNITS.iter().find(|(name, _)| *name == unit.trim()).map(|(_, bytes)| *bytes);
    let bytes = number.parse::<u64>().ok().zip(unit).and_then(|(number, unit)| number.checked_mul(unit));
    let why = || format!("{} is not a size such as `1GiB`, `200MiB` or `64KiB`", quoted(text));
    bytes.filter(|bytes| *bytes > 0).ok_or_else(why)
}

fn format_size(bytes: u64) -> String {
    let (name, unit) = UNITS.iter().find(|(_, unit)| bytes.is_multiple_of(*unit)).unwrap_or(&UNITS[3]);
    format!("{}{name}", bytes / unit)
}

/// How long a question waits before it counts as approved; `false`: as long as it takes.
pub struct Patience;

impl Type for Patience {
    type Value = Option<u64>;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Option<u64>> {
        match value.get_ref().as_bool() {
            Some(false) => Some(None),
            _ => Duration::read(reader, key, value).map(Some),
        }
    }

    fn shown(value: &Option<u64>) -> Value {
        value.map_or(json!(false), |millis| Duration::shown(&millis))
    }

    fn takes() -> Takes {
        takes(
            "a duration such as `\"60s\"`, or `false`",
            json!({"anyOf": [{"type": "string"}, {"const": false}]}),
        )
    }
}

/// A whole number, zero or more.
pub struct Whole;

impl Type for Whole {
    type Value = u32;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<u32> {
        reader.whole(key, value)
    }

    fn takes() -> Takes {
        takes("a whole number", json!({"type": "integer", "minimum": 0}))
    }
}

/// A whole number, zero or more, where it is kept as a large one.
pub struct Count;

impl Type for Count {
    type Value = u64;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<u64> {
        reader.whole(key, value).map(u64::from)
    }

    fn takes() -> Takes {
        Whole::takes()
    }
}

/// From which iteration on, or after how many; zero means never.
pub struct Never0;

impl Type for Never0 {
    type Value = Option<u32>;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Option<u32>> {
        reader.whole(key, value).map(|count| Some(count).filter(|count| *count > 0))
    }

    fn shown(value: &Option<u32>) -> Value {
        json!(value.unwrap_or(0))
    }

    fn takes() -> Takes {
        takes("a whole number, 0 for never", json!({"type": "integer", "minimum": 0}))
    }
}

/// A whole number from 1 on.
pub struct AtLeastOne;

impl Type for AtLeastOne {
    type Value = u32;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<u32> {
        let DeValue::Integer(number) = value.get_ref() else { return reader.whole(key, value) };
        let read = u32::from_str_radix(number.as_str(), number.radix()).ok().filter(|read| *read >= 1);
        if read.is_none() {
            reader.problem(value.span().start, format!("`{key}` must be >= 1, got {}", number.as_str()));
        }
        read
    }

    fn takes() -> Takes {
        takes("a whole number, at least 1", json!({"type": "integer", "minimum": 1}))
    }
}

/// A share of a hundred, at least one.
pub struct Percent;

impl Type for Percent {
    type Value = u8;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<u8> {
        let number = reader.whole(key, value)?;
        let percent = u8::try_from(number).ok().filter(|percent| (1..=100).contains(percent));
        if percent.is_none() {
            reader.problem(value.span().start, format!("`{key}` must be from 1 to 100, got {number}"));
        }
        percent
    }

    fn takes() -> Takes {
        takes("per cent, from 1 to 100", json!({"type": "integer", "minimum": 1, "maximum": 100}))
    }
}

/// A number, zero or more.
pub struct Number;

impl Type for Number {
    type Value = f64;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<f64> {
        reader.number(key, value)
    }

    fn takes() -> Takes {
        takes("a number", json!({"type": "number", "minimum": 0}))
    }
}

/// A share, from 0 to 1.
pub struct Share;

impl Type for Share {
    type Value = f64;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<f64> {
        let number = reader.number(key, value)?;
        if number > 1.0 {
            reader.problem(value.span().start, format!("`{key}` must be from 0 to 1, got {number}"));
            return None;
        }
        Some(number)
    }

    fn takes() -> Takes {
        takes("a number from 0 to 1", json!({"type": "number", "minimum": 0, "maximum": 1}))
    }
}

/// `HH:MM`, from `00:00` to `23:59`.
pub struct TimeOfDay;

impl Type for TimeOfDay {
    type Value = Clock;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Clock> {
        let text = reader.text(key, value)?;
        let time = text.parse();
        if time.is_err() {
            let message = format!("`{key}`: {} is not a time of day like `22:30`", quoted(&text));
            reader.problem(value.span().start, message);
        }
        time.ok()
    }

    fn takes() -> Takes {
        takes(
            "a time of day such as `\"22:30\"`",
            json!({"type": "string", "pattern": "^[0-2]?[0-9]:[0-5][0-9]$"}),
        )
    }
}

/// One of a few words.
pub struct OneOf<W>(PhantomData<W>);

impl<W: Words + Serialize> Type for OneOf<W> {
    type Value = W;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<W> {
        reader.word(key, value, W::WORDS)
    }

    fn parse(text: &str) -> Result<W, (String, Option<String>)> {
        if let Some((_, meaning)) = W::WORDS.iter().find(|(word, _)| *word == text) {
            return Ok(*meaning);
        }
        let words: Vec<_> = W::WORDS.iter().map(|(word, _)| format!("`{word}`")).collect();
        let hint = format!("use {}", words.join(" or "));
        Err((format!("unknown value {}", quoted(text)), Some(hint)))
    }

    fn takes() -> Takes {
        let words: Vec<_> = W::WORDS.iter().map(|(word, _)| *word).collect();
        let described: Vec<_> = words.iter().map(|word| format!("`\"{word}\"`")).collect();
        takes(&described.join(", "), json!({"enum": words}))
    }
}

/// A list of what another type takes.
pub struct Many<T>(PhantomData<T>);

impl<T: Type> Type for Many<T> {
    type Value = Vec<T::Value>;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Vec<T::Value>> {
        let Some(items) = value.get_ref().as_array() else {
            let message = format!("`{key}` must be a list: {}", T::takes().words);
            reader.problem(value.span().start, message);
            return None;
        };
        Some(items.iter().filter_map(|item| T::read(reader, key, item)).collect())
    }

    fn shown(value: &Vec<T::Value>) -> Value {
        value.iter().map(T::shown).collect()
    }

    fn takes() -> Takes {
        let inner = T::takes();
        takes(&format!("a list: {}", inner.words), list_of(inner.schema))
    }
}

pub(crate) fn list_of(schema: Value) -> Value {
    json!({"type": "array", "items": schema})
}
