//! Secrets are taken out before bytes reach a disk.
//!
//! Three sources: known formats (`formats`) of keys, the values of environment variables whose name sounds like
//! a secret, and literals the caller names. The values are also looked for in the encodings that output tends
//! to have (`encodings`: base64, base32, hexadecimal, UTF-16, backwards) and however they are escaped or wrapped (`escapes`);
//! keys of known formats also in base64 and hexadecimal (`encoded`). What is found becomes [`REDACTED`].
//!
//! The scanner decides byte by byte and holds back only what may still turn out to be a secret. So the result
//! does not depend on how the input was cut into chunks, the time is linear, and memory is bounded. It stops
//! accidents; it is no proof that a secret cannot leave in a shape nobody thought of.

mod encoded;
mod encodings;
mod escapes;
mod formats;
mod literals;
mod pattern;

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
const SECRET_NAMES: &[&str] = &["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL", "PASSWD", "PASSPHRASE"];

/// A line of a secret of many lines is one itself where it is so long and has no blanks: of a private key, somebody prints the
/// second line.
const SECRET_LINE_BYTES_MIN: usize = 40;

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

    /// Also knows the values of those variables whose names sound like a secret, and the password of an address in any.
    pub fn with_variables(self, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let secrets = variables.into_iter().flat_map(|(name, value)| match is_secret(&name, &value) {
            true => secrets_of(value.as_bytes()),
            false => password_of(value.as_bytes()).into_iter().collect(),
        });
        self.with_values(secrets)
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
            encoded: encoded::Scanner::default(),
        }
    }
}

/// A redaction in progress: a secret is found wherever the pieces were cut.
#[derive(Debug)]
pub struct Stream {
    literals: literals::Scanner,
    formats: formats::Scanner,
    encoded: encoded::Scanner,
}

impl Stream {
    /// Takes the next piece; returns what is known to be clean by now.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut without_literals = Vec::with_capacity(bytes.len());
        self.literals.push(bytes, &mut without_literals);
        let mut without_formats = Vec::with_capacity(without_literals.len());
        self.formats.push(&without_literals, &mut without_formats);
        let mut clean = Vec::with_capacity(without_formats.len());
        self.encoded.push(&without_formats, &mut clean);
        clean
    }

    /// There is no more: returns what was held back.
    pub fn finish(mut self) -> Vec<u8> {
        self.end()
    }

    fn end(&mut self) -> Vec<u8> {
        let mut without_literals = Vec::new();
        self.literals.finish(&mut without_literals);
        let mut without_formats = Vec::new();
        self.formats.push(&without_literals, &mut without_formats);
        self.formats.finish(&mut without_formats);
        let mut clean = Vec::new();
        self.encoded.push(&without_formats, &mut clean);
        self.encoded.finish(&mut clean);
        clean
    }

    fn has_redacted(&self) -> bool {
        self.literals.has_redacted || self.formats.has_redacted || self.encoded.has_redacted
    }
}

/// What is secret of a secret variable: its value without blanks around it, and long lines of it.
fn secrets_of(value: &[u8]) -> Vec<Vec<u8>> {
    let whole = value.trim_ascii();
    let lines = whole.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let is_secret = |line: &&[u8]| {
        line.len() >= SECRET_LINE_BYTES_MIN
            && line.len() < whole.len()
            && line.iter().all(u8::is_ascii_graphic)
    };
    let mut secrets: Vec<Vec<u8>> = lines.filter(is_secret).map(<[u8]>::to_vec).collect();
    secrets.extend(password_of(value));
    secrets.push(whole.to_vec());
    secrets
}

/// The password in `scheme://user:password@host`, without the escapes of an address: those are looked for in any case.
fn password_of(value: &[u8]) -> Option<Vec<u8>> {
    let start = value.windows(3).position(|part| part == b"://")? + 3;
    let end = value[start..].iter().position(|byte| matches!(byte, b'/' | b'?' | b'#'));
    let authority = &value[start..end.map_or(value.len(), |end| start + end)];
    let user = &authority[..authority.iter().rposition(|byte| *byte == b'@')?];
    let colon = user.iter().position(|byte| *byte == b':')?;
    let (mut password, mut rest) = (Vec::new(), &user[colon + 1..]);
    while let Some(&first) = rest.first() {
        let digit = |at: usize| char::from(*rest.get(at)?).to_digit(16);
        let (byte, length) = match (first, digit(1), digit(2)) {
            (b'%', Some(high), Some(low)) => ((high << 4 | low) as u8, 3),
            _ => (first, 1),
        };
        password.push(byte);
        rest = &rest[length..];
    }
    Some(password)
}

fn is_secret(name: &OsStr, value: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    // `…_KEY_FILE=/home/…`: where a secret is kept is none, and the path may occur on every line.
    let is_place = Path::new(value).is_absolute() && Path::new(value).exists();
    SECRET_NAMES.iter().any(|part| name.contains(part)) && !is_place
}
