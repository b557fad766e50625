//! Frontmatter: what a prompt file says about itself, as YAML between two lines `---`.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::HEADER_BYTES_MAX;
use crate::error::{Problem, What};
use crate::suggest::closest;

/// What a prompt file says about itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// What it is called.
    pub name: Option<String>,
    pub description: Option<String>,
    pub version: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Variables that must have a value and appear.
    pub required_vars: Vec<String>,
    /// Values of variables that have none.
    pub defaults: BTreeMap<String, Value>,
    /// What an iteration with it is like.
    pub iteration: IterationHints,
    /// Every warning is an error.
    pub strict: bool,
}

/// What an iteration with a prompt is like. Nothing here is acted on by this crate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IterationHints {
    /// How full a context may get, in per cent.
    pub context_threshold: Option<u8>,
    /// Whether the tests are to be run after it.
    pub run_tests: Option<bool>,
    /// Texts in the output that end the run.
    pub stop_on: Vec<String>,
}

const KEYS: [&str; 8] =
    ["name", "description", "version", "tags", "required_vars", "defaults", "iteration", "strict"];
const ITERATION_KEYS: [&str; 3] = ["context_threshold", "run_tests", "stop_on"];

/// A file in its two parts.
pub(crate) struct Split<'a> {
    pub(crate) header: Option<Header>,
    pub(crate) body: &'a str,
    /// The first line of the body.
    pub(crate) line: usize,
}

/// Takes the frontmatter off `text`.
pub(crate) fn split<'a>(
    file: &str,
    text: &'a str,
    warnings: &mut Vec<Problem>,
) -> Result<Split<'a>, Problem> {
    let plain = Split { header: None, body: text, line: 1 };
    let Some(begin) = delimiter(text) else { return Ok(plain) };
    let Some((yaml, body)) = until_delimiter(&text[begin..]) else {
        warnings.push(Problem::new(file, 1, What::HeaderUnclosed));
        return Ok(plain);
    };
    if yaml.len() > HEADER_BYTES_MAX {
        let what = What::TooLarge { subject: "the frontmatter", max: HEADER_BYTES_MAX };
        return Err(Problem::new(file, 1, what));
    }
    let mut reader = Reader { file, yaml, warnings: Vec::new(), header: Header::default() };
    let has_keys = reader.read()?;
    reader.warnings.sort_by_key(|problem| problem.place.line);
    warnings.append(&mut reader.warnings);
    if !has_keys {
        warnings.push(Problem::new(file, 1, What::HeaderNotKeys));
        return Ok(plain);
    }
    let header = Some(reader.header);
    let taken = text.len() - body.len();
    let line = 1 + text[..taken].bytes().filter(|byte| *byte == b'\n').count();
    Ok(Split { header, body, line })
}

/// The length of the line `---` that `text` begins with.
fn delimiter(text: &str) -> Option<usize> {
    let length = text.find('\n').map_or(text.len(), |end| end + 1);
    (text[..length].trim_end() == "---").then_some(length)
}

/// What is before the next line `---`, and what is after it.
fn until_delimiter(text: &str) -> Option<(&str, &str)> {
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if let Some(length) = delimiter(rest) {
            return Some((&text[..at], &rest[length..]));
        }
        at += rest.find('\n').map_or(rest.len(), |end| end + 1);
    }
    None
}

struct Reader<'a> {
    file: &'a str,
    yaml: &'a str,
    warnings: Vec<Problem>,
    header: Header,
}

impl Reader<'_> {
    /// Whether there were keys with values.
    fn read(&mut self) -> Result<bool, Problem> {
        let keys = match self.parse()? {
            Value::Object(keys) => keys,
            // An empty one says nothing, which is not the same as being something else.
            Value::Null => return Ok(true),
            _ => return Ok(false),
        };
        for (key, value) in &keys {
            match key.as_str() {
                "name" => self.header.name = self.text(key, value)?,
                "description" => self.header.description = self.text(key, value)?,
                "version" => self.header.version = self.text(key, value)?,
                "tags" => self.header.tags = self.texts(key, value)?,
                "required_vars" => self.header.required_vars = self.texts(key, value)?,
                "defaults" => self.header.defaults = self.table(key, value)?,
                "iteration" => self.iteration(value)?,
                "strict" => self.header.strict = self.truth(key, value)?.unwrap_or(false),
                _ => self.unknown(key, &KEYS),
            }
        }
        Ok(true)
    }

    fn parse(&self) -> Result<Value, Problem> {
        let options = serde_saphyr::options! {
            with_snippet: false,
            budget: serde_saphyr::budget! {
                max_depth: 32,
                max_nodes: 20_000,
                max_aliases: 100,
                max_anchors: 100,
            },
            alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: 20_000 },
        };
        serde_saphyr::from_str_with_options(self.yaml, options).map_err(|error| {
            let line = error.location().map_or(1, |location| location.line() as usize);
            let message = crate::error::short(error.to_string().lines().next().unwrap_or_default());
            Problem::new(self.file, line + 1, What::HeaderSyntax { message })
        })
    }

    fn iteration(&mut self, value: &Value) -> Result<(), Problem> {
        for (key, value) in self.table("iteration", value)? {
            match key.as_str() {
                "context_threshold" => {
                    let percent = value.as_u64().filter(|percent| (1..=100).contains(percent));
                    let percent = percent.and_then(|percent| u8::try_from(percent).ok());
                    let Some(percent) = percent else {
                        return Err(self.wrong(&key, "a number from 1 to 100"));
                    };
                    self.header.iteration.context_threshold = Some(percent);
                }
                "run_tests" => self.header.iteration.run_tests = self.truth(&key, &value)?,
                "stop_on" => self.header.iteration.stop_on = self.texts(&key, &value)?,
                _ => self.unknown(&key, &ITERATION_KEYS),
            }
        }
        Ok(())
    }

    fn text(&self, key: &str, value: &Value) -> Result<Option<String>, Problem> {
        match value {
            Value::Null => Ok(None),
            Value::String(text) => Ok(Some(text.clone())),
            // `version: 1.0` is meant as a text.
            Value::Number(number) => Ok(Some(number.to_string())),
            Value::Bool(truth) => Ok(Some(truth.to_string())),
            Value::Array(_) | Value::Object(_) => Err(self.wrong(key, "a text")),
        }
    }

    fn texts(&self, key: &str, value: &Value) -> Result<Vec<String>, Problem> {
        let items = match value {
            Value::Null => return Ok(Vec::new()),
            Value::Array(items) => items,
            _ => return Err(self.wrong(key, "a list of texts")),
        };
        let texts = items.iter().map(|item| self.text(key, item));
        Ok(texts.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    fn table(&self, key: &str, value: &Value) -> Result<BTreeMap<String, Value>, Problem> {
        match value {
            Value::Null => Ok(BTreeMap::new()),
            Value::Object(members) => Ok(members.clone().into_iter().collect()),
            _ => Err(self.wrong(key, "keys with values")),
        }
    }

    fn truth(&self, key: &str, value: &Value) -> Result<Option<bool>, Problem> {
        match value {
            Value::Null => Ok(None),
            Value::Bool(truth) => Ok(Some(*truth)),
            _ => Err(self.wrong(key, "true or false")),
        }
    }

    fn wrong(&self, key: &str, expected: &'static str) -> Problem {
        let what = What::HeaderValue { key: key.to_owned(), expected };
        Problem::new(self.file, self.line_of(key), what)
    }

    fn unknown(&mut self, key: &str, known: &[&str]) {
        let suggestion = closest(key, known.iter().copied());
        let what = What::HeaderKey { key: key.to_owned(), suggestion };
        let problem = Problem::new(self.file, self.line_of(key), what);
        self.warnings.push(problem);
    }

    /// The first line on which `key` is a key; the parser does not say where one was.
    fn line_of(&self, key: &str) -> usize {
        let is_key = |line: &str| {
            line.match_indices(key).any(|(at, _)| {
                let before = line[..at].chars().next_back();
                let after = line[at + key.len()..].trim_start_matches(['"', '\'', ' ']);
                !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
                    && after.starts_with(':')
            })
        };
        2 + self.yaml.lines().position(is_key).unwrap_or(0)
    }
}
