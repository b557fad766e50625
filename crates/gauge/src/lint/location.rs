//! Lines that begin with a place: `path:line:column: …`, as most tools write them.

use crate::text::number;

/// A line that begins with a place.
pub(super) struct Located<'l> {
    pub(super) path: &'l str,
    /// What follows the place and its separator.
    pub(super) rest: &'l str,
    /// The separator was ` - ` instead of a colon.
    pub(super) dashed: bool,
}

/// Splits `path:line[:column]: rest` or `path:line:column - rest`.
pub(super) fn locate(line: &str) -> Option<Located<'_>> {
    let bytes = line.as_bytes();
    let mut from = 0;
    let at = loop {
        let colon = from + memchr::memchr(b':', bytes.get(from..)?)?;
        if bytes.get(colon + 1).is_some_and(u8::is_ascii_digit) {
            break colon;
        }
        from = colon + 1;
    };
    let (path, rest) = (&line[..at], &line[at + 1..]);
    let (_, mut rest) = number(rest)?;
    if let Some((_, after)) = rest.strip_prefix(':').and_then(number) {
        rest = after;
    }
    if let Some(rest) = rest.strip_prefix(" - ") {
        return Some(Located { path, rest, dashed: true });
    }
    let rest = rest.strip_prefix(':')?.trim_start();
    Some(Located { path, rest, dashed: false })
}

/// Whether a text begins with a code such as `E501`, and what follows it.
pub(super) fn code(text: &str, letters_max: usize, digits_max: usize) -> Option<(&str, &str)> {
    let letters = text.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = text[letters..].bytes().take_while(u8::is_ascii_digit).count();
    let fits = (1..=letters_max).contains(&letters) && (1..=digits_max).contains(&digits);
    fits.then(|| text.split_at(letters + digits))
}

/// The word in parentheses at the end of a line: the linter or check.
pub(super) fn trailing_word(text: &str) -> Option<&str> {
    let inner = text.trim_end().strip_suffix(')')?;
    let word = &inner[inner.rfind('(')? + 1..];
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (!word.is_empty() && word.bytes().all(plain)).then_some(word)
}
