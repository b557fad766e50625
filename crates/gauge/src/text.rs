//! Lines of text as a person sees them: without colours, without what a carriage return has overwritten.
//!
//! Owns the small scanners that the readers of text share. Never allocates for a line that has nothing to strip.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memrchr};

/// Calls `visit` with each line, stripped of colours and line ends.
pub(crate) fn each_line<'a>(text: &'a str, mut visit: impl FnMut(&str)) {
    let has_escapes = memchr(0x1b, text.as_bytes()).is_some();
    let mut start = 0;
    let ends = memchr_iter(b'\n', text.as_bytes()).chain(std::iter::once(text.len()));
    for end in ends {
        let line: &'a str = &text[start.min(end)..end];
        start = end + 1;
        if end == text.len() && line.is_empty() {
            break;
        }
        if has_escapes {
            visit(seen(&plain(line)));
        } else {
            visit(seen(line));
        }
    }
}

/// What is left of a line on the screen once its carriage returns were obeyed.
fn seen(line: &str) -> &str {
    let line = line.trim_end_matches('\r');
    match memrchr(b'\r', line.as_bytes()) {
        Some(at) => &line[at + 1..],
        None => line,
    }
}

/// The line without ANSI escape sequences.
pub(crate) fn plain(line: &str) -> Cow<'_, str> {
    let Some(mut escape) = memchr(0x1b, line.as_bytes()) else { return Cow::Borrowed(line) };
    let mut kept = String::with_capacity(line.len());
    let mut rest = line;
    loop {
        kept.push_str(&rest[..escape]);
        rest = after_escape(&rest[escape + 1..]);
        match memchr(0x1b, rest.as_bytes()) {
            Some(next) => escape = next,
            None => break,
        }
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// What follows an escape sequence whose escape character is already gone.
fn after_escape(rest: &str) -> &str {
    let bytes = rest.as_bytes();
    match bytes.first() {
        Some(b'[') => {
            let end = bytes[1..].iter().position(|byte| (0x40..=0x7e).contains(byte) || *byte >= 0x80);
            match end {
                Some(at) if bytes[1 + at] < 0x80 => &rest[at + 2..],
                Some(at) => &rest[at + 1..],
                None => "",
            }
        }
        Some(b']') => match bytes.iter().position(|byte| *byte == 0x07 || *byte == 0x1b) {
            Some(at) if bytes[at] == 0x07 => &rest[at + 1..],
            Some(at) if bytes.get(at + 1) == Some(&b'\\') => &rest[at + 2..],
            Some(at) => &rest[at..],
            None => "",
        },
        // Two characters, or more where the first ones only lead up to the last: `ESC ( B`.
        Some(_) => {
            let leading = bytes.iter().take_while(|byte| (0x20..0x30).contains(*byte)).count();
            let last = bytes.get(leading).is_some_and(u8::is_ascii);
            &rest[leading + usize::from(last)..]
        }
        None => rest,
    }
}

/// The number a text begins with, and what follows it.
pub(crate) fn number(text: &str) -> Option<(u64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text[..digits].parse().ok().map(|value| (value, &text[digits..]))
}

/// The number a text consists of, ignoring space around it.
pub(crate) fn whole_number(text: &str) -> Option<u64> {
    number(text.trim()).filter(|(_, rest)| rest.is_empty()).map(|(value, _)| value)
}

/// The number directly after `label`, ignoring space between them.
pub(crate) fn number_after(text: &str, label: &str) -> Option<u64> {
    let at = text.find(label)?;
    number(text[at + label.len()..].trim_start()).map(|(value, _)| value)
}

/// The number directly before `label`, ignoring space between them.
pub(crate) fn number_before(text: &str, label: &str) -> Option<u64> {
    let before = text[..text.find(label)?].trim_end();
    let digits = before.bytes().rev().take_while(u8::is_ascii_digit).count();
    before[before.len() - digits..].parse().ok()
}

/// A duration such as `12ms`, `1.5 s`, `0.01s` or `2m 3s`, in milliseconds.
pub(crate) fn duration_ms(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    let mut total = 0.0_f64;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        let value: f64 = rest[..digits].parse().ok()?;
        rest = rest[digits..].trim_start();
        let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        total += value
            * match &rest[..letters] {
                "ms" => 1.0,
                "s" | "sec" | "secs" | "second" | "seconds" => 1_000.0,
                "m" | "min" | "minute" | "minutes" => 60_000.0,
                "h" | "hour" | "hours" => 3_600_000.0,
                "us" | "ns" => 0.0,
                _ => return None,
            };
        rest = rest[letters..].trim_start();
    }
    milliseconds(total)
}

/// A duration in (possibly fractional) milliseconds, if it is one.
pub(crate) fn milliseconds(value: f64) -> Option<u64> {
    (value.is_finite() && (0.0..1e15).contains(&value)).then(|| value.round() as u64)
}

/// `text` split at a trailing parenthesis: `adds (2 ms)` is `adds` and `2 ms`.
pub(crate) fn trailing_parenthesis(text: &str) -> Option<(&str, &str)> {
    let inner = text.trim_end().strip_suffix(')')?;
    let open = inner.rfind('(')?;
    Some((inner[..open].trim_end(), &inner[open + 1..]))
}

/// At most `max` bytes of `text`, cut between characters.
pub(crate) fn clip(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let mut end = max;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The beginning of an input, short enough for a message.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    let head = &bytes[..bytes.len().min(240)];
    let text = String::from_utf8_lossy(head);
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let clean: String = line.chars().filter(|character| !character.is_control()).collect();
    clip(clean.trim(), 60).to_owned()
}

/// A 64-bit digest of some parts, for sets of names that need not be kept.
pub(crate) fn digest(parts: &[&[u8]]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for part in parts {
        for byte in *part {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        hash = (hash ^ 0x1ff).wrapping_mul(0x0100_0000_01b3);
    }
    hash ^ (hash >> 29)
}

#[cfg(test)]
mod unit {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        each_line(text, |line| found.push(line.to_owned()));
        found
    }

    #[test]
    fn colours_carriage_returns_and_line_ends_are_gone() {
        assert_eq!(lines("\u{1b}[1m\u{1b}[32mok\u{1b}[0m yes\r\nnext"), ["ok yes", "next"]);
        assert_eq!(lines("10%\r50%\r100% done\r\n\nx\n"), ["100% done", "", "x"]);
        assert_eq!(lines("\u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{1b}\\ end\u{1b}"), ["link end"]);
        assert_eq!(lines("\u{1b}[é broken"), ["é broken"]);
        assert_eq!(lines("\u{1b}[32mok\u{1b}(B\u{1b}[m\u{1b}é"), ["oké"]);
    }

    #[test]
    fn durations_have_units() {
        assert_eq!(duration_ms("12ms"), Some(12));
        assert_eq!(duration_ms("1.5 s"), Some(1_500));
        assert_eq!(duration_ms("2m 3s"), Some(123_000));
        assert_eq!(duration_ms("12"), None);
        assert_eq!(duration_ms(""), None);
        assert_eq!(duration_ms("9999999999999999999999h"), None);
    }

    #[test]
    fn numbers_beside_words() {
        assert_eq!(number_after("Failed:     3, Passed: 5", "Passed:"), Some(5));
        assert_eq!(number_before("12 passed, 3 failed", " failed"), Some(3));
        assert_eq!(number_before("no number failed", " failed"), None);
        assert_eq!(number("99999999999999999999999"), None);
    }
}
