//! Secrets are taken out before bytes reach a disk.
//!
//! Three sources: known formats (`formats`) of keys, the values of environment variables whose name sounds like
//! a secret, and literals the caller names. The values are also looked for in the encodings that output tends
//! to have: percent, JSON string, base64, hexadecimal. What is found becomes [`REDACTED`].
//!
//! The scanner decides byte by byte and holds back only what may still turn out to be a secret. So the result
//! does not depend on how the input was cut into chunks, the time is linear, and memory is bounded. It stops
//! accidents; it is no proof that a secret cannot leave in a shape nobody thought of.

mod formats;
mod literals;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use literals::Literals;
use serde_json::{Map, Value};

/// What stands in the place of a secret.
pub const REDACTED: &str = "[redacted]";

/// Shorter values are words that occur everywhere.
const VALUE_BYTES_MIN: usize = 8;

/// Parts of a variable's name that make its value a secret.
const SECRET_NAMES: &[&str] = &["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"];

/// Knows what is secret.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    literals: Arc<Literals>,
}

impl Redactor {
    /// Knows the formats of keys, and nothing else.
    pub fn new() -> Self {
        Self::default()
    }

    /// Knows the formats, and the secrets in the environment of this process.
    pub fn from_environment() -> Self {
        Self::new().with_variables(std::env::vars_os())
    }

    /// Also knows the values of those variables whose names sound like a secret.
    pub fn with_variables(self, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let secrets = variables.into_iter().filter(|(name, value)| is_secret(name, value));
        self.with_values(secrets.map(|(_, value)| value.as_bytes().to_vec()))
    }

    /// Also knows these literals. Very short ones would hit everywhere and are left out.
    pub fn with_literals<'a>(self, literals: impl IntoIterator<Item = &'a str>) -> Self {
        self.with_values(literals.into_iter().map(|literal| literal.as_bytes().to_vec()))
    }

    fn with_values(self, values: impl Iterator<Item = Vec<u8>>) -> Self {
        let mut literals = Arc::unwrap_or_clone(self.literals);
        for value in values.filter(|value| value.len() >= VALUE_BYTES_MIN) {
            literals.add_in_all_encodings(&value);
        }
        literals.sort();
        Self { literals: Arc::new(literals) }
    }

    /// The text without its secrets; the same text where it has none.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.redact_bytes(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }

    /// The bytes without their secrets; the same bytes where they have none.
    pub fn redact_bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let mut stream = self.stream();
        let mut clean = stream.push(bytes);
        clean.extend(stream.end());
        if stream.has_redacted() { Cow::Owned(clean) } else { Cow::Borrowed(bytes) }
    }

    /// The members of a JSON object without the secrets in their names and values, however deep.
    pub fn redact_members(&self, members: Map<String, Value>) -> Map<String, Value> {
        let clean =
            |(name, value): (String, Value)| (self.redact(&name).into_owned(), self.redact_json(value));
        members.into_iter().map(clean).collect()
    }

    /// The same of one value.
    pub fn redact_json(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.redact(&text).into_owned()),
            Value::Array(items) => items.into_iter().map(|item| self.redact_json(item)).collect(),
            Value::Object(members) => Value::Object(self.redact_members(members)),
            plain @ (Value::Null | Value::Bool(_) | Value::Number(_)) => plain,
        }
    }

    /// For bytes that come in pieces.
    pub fn stream(&self) -> Stream {
        Stream {
            literals: literals::Scanner::new(Arc::clone(&self.literals)),
            formats: formats::Scanner::default(),
        }
    }
}

/// A redaction in progress: a secret is found wherever the pieces were cut.
#[derive(Debug)]
pub struct Stream {
    literals: literals::Scanner,
    formats: formats::Scanner,
}

impl Stream {
    /// Takes the next piece; returns what is known to be clean by now.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut without_literals = Vec::with_capacity(bytes.len());
        self.literals.push(bytes, &mut without_literals);
        let mut clean = Vec::with_capacity(without_literals.len());
        self.formats.push(&without_literals, &mut clean);
        clean
    }

    /// There is no more: returns what was held back.
    pub fn finish(mut self) -> Vec<u8> {
        self.end()
    }

    fn end(&mut self) -> Vec<u8> {
        let mut without_literals = Vec::new();
        self.literals.finish(&mut without_literals);
        let mut clean = Vec::new();
        self.formats.push(&without_literals, &mut clean);
        self.formats.finish(&mut clean);
        clean
    }

    fn has_redacted(&self) -> bool {
        self.literals.has_redacted || self.formats.has_redacted
    }
}

fn is_secret(name: &OsStr, value: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    // `…_KEY_FILE=/home/…`: where a secret is kept is none, and the path may occur on every line.
    let is_place = Path::new(value).is_absolute() && Path::new(value).exists();
    SECRET_NAMES.iter().any(|part| name.contains(part)) && !is_place
}
