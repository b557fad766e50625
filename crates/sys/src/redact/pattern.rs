//! One text to look for, and how it may be written.
//!
//! A match is the first that is found in a fixed order, so it depends on nothing but the text: where more of it could bring
//! another one first, the answer is [`Look::Open`].

use std::collections::HashSet;

use super::escapes::{break_length, forms, is_special, written_break};

/// So many places are looked at for each byte; only a text made to be ambiguous has more.
const WAYS_MAX: usize = 8;

/// What stands between two bytes in hexadecimal.
const HEX_GAP_MAX: usize = 12;

/// How a pattern is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Writing {
    /// As it is, with any escapes and line breaks.
    Text,
    /// Two digits for each byte, with or without something in between.
    Hex,
}

/// A text to look for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pattern {
    pub(super) writing: Writing,
    pub(super) bytes: Vec<u8>,
}

/// Whether a pattern is at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Fails,
    /// So many bytes are it.
    Fits(usize),
    /// More text is needed to say.
    Open,
}

impl Pattern {
    /// Looks whether `rest` begins with it. At the end of the text nothing is open.
    pub(super) fn look(&self, rest: &[u8], is_end: bool) -> Look {
        let look = match self.writing {
            Writing::Text => text(&self.bytes, rest, is_end),
            Writing::Hex => hex(&self.bytes, rest),
        };
        match look {
            Look::Open if is_end => Look::Fails,
            look => look,
        }
    }

    /// Whether the second byte rules it out, where the first is plain.
    pub(super) fn may_go_on(&self, second: u8) -> bool {
        self.writing == Writing::Hex
            || is_special(second)
            || self.bytes.get(1).is_none_or(|byte| *byte == second)
    }
}

/// Depth first: at each place the longest form before the others, a break last.
fn text(pattern: &[u8], rest: &[u8], is_end: bool) -> Look {
    let mut ways = vec![(0, 0)];
    // Where two ways meet, the second has nothing new to find.
    let mut seen: HashSet<(usize, usize)> = HashSet::new();
    while let Some((done, at)) = ways.pop() {
        let plain = plain_run(&pattern[done..], &rest[at..]);
        let (done, at) = (done + plain, at + plain);
        if done == pattern.len() {
            return Look::Fits(at);
        }
        let there = &rest[at..];
        if there.is_empty() && !is_end {
            return Look::Open;
        }
        if there.is_empty() || !is_special(there[0]) || !seen.insert((done, at)) {
            continue;
        }
        if seen.len() > WAYS_MAX * pattern.len() {
            return Look::Fails;
        }
        let forms = forms(there);
        let gap = if done > 0 { break_length(there) } else { Ok(None) };
        if (forms.is_open || gap.is_err()) && !is_end {
            return Look::Open;
        }
        if let Ok(Some(length)) = gap {
            ways.push((done, at + length));
        }
        let fitting = forms.iter().filter(|form| pattern[done..].starts_with(form.bytes()));
        ways.extend(fitting.rev().map(|form| (done + form.bytes().len(), at + form.length)));
    }
    Look::Fails
}

/// How many bytes in front are the pattern's, and stand for themselves alone.
fn plain_run(pattern: &[u8], rest: &[u8]) -> usize {
    pattern.iter().zip(rest).take_while(|(a, b)| a == b && !is_special(**b)).count()
}

fn hex(pattern: &[u8], rest: &[u8]) -> Look {
    let mut at = 0;
    for (index, byte) in pattern.iter().enumerate() {
        if index > 0 {
            match gap(&rest[at..]) {
                Some(length) => at += length,
                None => return Look::Open,
            }
        }
        for digit in [byte >> 4, byte & 15] {
            match rest.get(at) {
                None => return Look::Open,
                Some(found) if char::from(*found).to_digit(16) == Some(u32::from(digit)) => at += 1,
                Some(_) => return Look::Fails,
            }
        }
    }
    Look::Fits(at)
}

/// Blanks, breaks and signs between two bytes, and `0x` before the second; `None` where that cannot be said yet.
fn gap(rest: &[u8]) -> Option<usize> {
    let is_between = |byte: &&u8| b" \t\r\n:,-".contains(byte);
    let between = rest.iter().take(HEX_GAP_MAX).take_while(is_between).count();
    match rest[between..] {
        [b'0', b'x' | b'X', ..] => Some(between + 2),
        [b'0'] => None,
        [b'\\', ..] => Some(between + written_break(&rest[between..]).ok()?.unwrap_or(0)),
        _ => Some(between),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(text: &str, rest: &str) -> Look {
        Pattern { writing: Writing::Text, bytes: text.as_bytes().to_vec() }.look(rest.as_bytes(), true)
    }

    #[test]
    fn escapes_mix_freely() {
        for written in [
            "a b/ä'\"\\&z",
            "a%20b%2Fä'\"\\&z",
            "a%2520b/%c3%a4%27%22%5c%26z",
            r#"a b\/\u00e4'\"\\&z"#,
            r#"a b\\\/\\u00e4'\\\"\\\\&z"#,
            r"\x61\x20\x62\x2f\303\244\047\042\134\046\172",
            "a b/&#228;&#39;&quot;&#x5c;&amp;z",
            "a b/&amp;#228;&amp;apos;&amp;quot;\\&amp;amp;z",
            r#"a\ b/ä\'\"\\\&z"#,
            r#"a b/ä'\''"\&z"#,
            "a b/ä''\"\"\\&z",
            r#"a b/ä'\\''\"\"\\&z"#,
            r#"a b/ä'"'"'\\\"\\\"\\&z"#,
            r#"a b/ä'\"'\"'"\\&z"#,
            r#"a b/\xe4'"\\&z"#,
            "a=20b/=C3=A4'=22\\=26z",
            "a b/\n    ä'\"\\&z",
            "a b/=\r\nä'\"\\&z",
            "a b/\\\nä'\"\\&z",
            "a b/\u{1b}[1;31mä'\"\\&z",
            "a b/\\u001b[1;31mä'\"\\&z",
            "a b/=\\r\\nä'\"\\&z",
            r#"a b/ä'\\\\\\\"\\\\\\\\&z"#,
            "a b/\u{200b}ä'\"\\&z",
            "a b/\rä'\"\\&z",
            "a\t \tb\t/\tä'\t\"\\&z",
            "a\u{feff} b\u{ad}/\u{2060}ä'\"\\&z",
        ] {
            assert_eq!(look("a b/ä'\"\\&z", written), Look::Fits(written.len()), "{written}");
        }
        assert_eq!(look("a b/ä'\"\\&z", "a b/a'\"\\&z"), Look::Fails);
    }

    #[test]
    fn characters_beyond_the_first_plane_are_found() {
        assert_eq!(look("x🧗y", r"x\ud83e\uddd7y"), Look::Fits(14));
        assert_eq!(look("x🧗y", r"x\u{1F9D7}y"), Look::Fits(11));
        assert_eq!(look("x🧗y", r"x&#129495;y"), Look::Fits(11));
    }

    #[test]
    fn bytes_in_hexadecimal_may_be_apart() {
        let pattern = Pattern { writing: Writing::Hex, bytes: b"sec".to_vec() };
        for written in [
            "736563",
            "73:65:63",
            "73 65 63",
            "73, 0x65, 0x63",
            "73-65-63",
            "736\u{35}\n  63",
            r"7365\n63",
            r"7365\\r\\n63",
        ] {
            assert_eq!(pattern.look(written.as_bytes(), true), Look::Fits(written.len()), "{written}");
        }
        assert_eq!(pattern.look(b"736564", true), Look::Fails);
        assert_eq!(pattern.look(b"7365", false), Look::Open);
    }

    #[test]
    fn ambiguous_texts_take_no_time() {
        let (many, more) = ("\\".repeat(2_000), "\\".repeat(20_000));
        assert!(matches!(look(&many, &more), Look::Fits(_)));
        assert_eq!(look(&(many + "x"), &"\\".repeat(3_000)), Look::Fails);
    }
}
