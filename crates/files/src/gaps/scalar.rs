//! What a plain word means, and how text is written so that it means the same to every reader.
//!
//! YAML has two generations: to one of them `no`, `on` and `012` are text or decimal, to the other they are false,
//! true and octal. What the two could disagree about is refused where it is read, and quoted where it is written.

use granit_parser::ScalarStyle;

/// What a scalar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Boolean,
    Number,
    Text,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Null => "empty",
            Kind::Boolean => "true or false",
            Kind::Number => "a number",
            Kind::Text => "text",
        }
    }
}

pub(super) fn kind(value: &str, style: ScalarStyle) -> Kind {
    if style != ScalarStyle::Plain { Kind::Text } else { plain_kind(value) }
}

/// What a scalar without quotes is.
pub(super) fn plain_kind(value: &str) -> Kind {
    const NULLS: [&str; 5] = ["", "~", "null", "Null", "NULL"];
    const BOOLEANS: [&str; 6] = ["true", "false", "yes", "no", "on", "off"];
    let Some(first) = value.bytes().next() else { return Kind::Null };
    match first {
        b'0'..=b'9' | b'+' | b'-' | b'.' if is_number(value) => Kind::Number,
        b'~' | b'n' | b'N' if NULLS.contains(&value) => Kind::Null,
        _ if value.len() <= 5 && BOOLEANS.iter().any(|word| value.eq_ignore_ascii_case(word)) => {
            Kind::Boolean
        }
        _ => Kind::Text,
    }
}

/// A number to any reader: decimal, octal, hexadecimal, binary, with fraction or exponent, infinite, or not one.
fn is_number(value: &str) -> bool {
    let digits = value.strip_prefix(['+', '-']).unwrap_or(value);
    if [".inf", ".nan"].iter().any(|word| digits.eq_ignore_ascii_case(word)) {
        return true;
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(rest) = digits.strip_prefix(prefix) {
            return !rest.is_empty() && rest.chars().all(|c| c == '_' || c.is_digit(radix));
        }
    }
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (digits, None),
    };
    let decimal = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent_fits = exponent.is_none_or(|text| {
        let text = text.strip_prefix(['+', '-']).unwrap_or(text);
        !text.is_empty() && decimal(text)
    });
    decimal(whole) && decimal(fraction) && exponent_fits && mantissa.bytes().any(|byte| byte.is_ascii_digit())
}

/// A whole number that every reader reads alike.
pub(super) fn integer(value: &str) -> Result<i64, &'static str> {
    let digits = value.strip_prefix('-').unwrap_or(value);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("not a whole number");
    }
    if digits.len() > 1 && digits.starts_with('0') {
        return Err("octal to some readers; leave out the leading zero");
    }
    value.parse().map_err(|_| "out of range")
}

/// Where text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// Inside of `{…}` or `[…]`.
    Flow,
    /// As JSON: every text in double quotes.
    Json,
    /// On the line of its key.
    Line,
    /// On the line of its key or, where it has lines of its own, below it at this column.
    Block(usize),
}

/// The text, so that it reads back exactly.
pub(super) fn text(value: &str, context: Context, newline: &str) -> String {
    if context == Context::Json {
        return double_quoted(value);
    }
    if is_plain(value, context) {
        return value.to_owned();
    }
    if let Context::Block(column) = context
        && let Some(block) = literal(value, column, newline)
    {
        return block;
    }
    if value.chars().all(is_printable) {
        format!("'{}'", value.replace('\'', "''"))
    } else {
        double_quoted(value)
    }
}

/// Text that needs no quotes anywhere.
fn is_plain(value: &str, context: Context) -> bool {
    let starts_well =
        |c: char| c.is_ascii_alphabetic() || c == '_' || c == '/' || !c.is_ascii() && c.is_alphabetic();
    let in_flow = !matches!(context, Context::Line | Context::Block(_));
    value.chars().next().is_some_and(starts_well)
        && plain_kind(value) == Kind::Text
        // True and false to a few readers.
        && !["y", "Y", "n", "N"].contains(&value)
        && value.chars().all(is_printable)
        && !value.ends_with([' ', ':'])
        && !value.contains(": ")
        && !value.contains(" #")
        && !(in_flow && value.contains([',', '[', ']', '{', '}', ':', '"', '\'', '#']))
}

/// Printable on one line, and the same to every reader.
fn is_printable(character: char) -> bool {
    !character.is_control()
        && !matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Lines under a `|`, where they would read back exactly.
fn literal(value: &str, column: usize, newline: &str) -> Option<String> {
    let (body, header) = match value.strip_suffix('\n') {
        Some(body) => (body, "|"),
        None => (value, "|-"),
    };
    let lines: Vec<&str> = body.split('\n').collect();
    let first = lines.first().filter(|line| !line.is_empty() && !line.starts_with(' '))?;
    let ends_well = !first.is_empty() && lines.last().is_some_and(|line| !line.is_empty());
    let fits = |line: &&str| line.chars().all(is_printable) && !line.ends_with(' ');
    if lines.len() < 2 || !ends_well || !lines.iter().all(fits) {
        return None;
    }
    let mut block = header.to_owned();
    for line in lines {
        block.push_str(newline);
        if !line.is_empty() {
            block.extend(std::iter::repeat_n(' ', column));
            block.push_str(line);
        }
    }
    Some(block)
}

fn double_quoted(value: &str) -> String {
    let mut quoted = String::with_capacity(value.len() + 2);
    quoted.push('"');
    for character in value.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            _ if is_printable(character) => quoted.push(character),
            // Beyond the first plane everything is printable, so four digits do; JSON knows no other form.
            _ => quoted.push_str(&format!("\\u{:04x}", u32::from(character))),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_generations_of_readers_disagree_about_is_no_text() {
        for word in ["yes", "No", "ON", "off", "true", "False"] {
            assert_eq!(plain_kind(word), Kind::Boolean, "{word}");
        }
        for number in [
            "1", "-3", "+3", "3.0", "012", "0x1F", "0o7", "1_000", "1e999", ".inf", "-.INF", ".nan", "1.",
            ".5",
        ] {
            assert_eq!(plain_kind(number), Kind::Number, "{number}");
        }
        for null in ["", "~", "null", "NULL"] {
            assert_eq!(plain_kind(null), Kind::Null, "{null}");
        }
        for text in ["nope", "y", "x1", "2026-02-15", "1.2.3", "0xyz", "-", "e5", "."] {
            assert_eq!(plain_kind(text), Kind::Text, "{text}");
        }
        assert_eq!(kind("no", ScalarStyle::SingleQuoted), Kind::Text);
    }

    #[test]
    fn a_whole_number_is_the_same_to_everybody() {
        assert_eq!(integer("3"), Ok(3));
        assert_eq!(integer("-2"), Ok(-2));
        for text in ["", "010", "0x3", "3.0", "1e3", "1_0", "+3", "18446744073709551616"] {
            assert!(integer(text).is_err(), "{text}");
        }
    }

    #[test]
    fn text_is_quoted_only_where_it_must_be() {
        let line = |value| text(value, Context::Line, "\n");
        assert_eq!(line("Seats, prices and so on"), "Seats, prices and so on");
        assert_eq!(line("no"), "'no'");
        assert_eq!(line("it's: so"), "'it''s: so'");
        assert_eq!(line("2026-02-15"), "'2026-02-15'");
        assert_eq!(line("a\nb"), "\"a\\nb\"");
        assert_eq!(text("a, b", Context::Flow, "\n"), "'a, b'");
        assert_eq!(text("a", Context::Json, "\n"), "\"a\"");
        assert_eq!(text("one\n\ntwo\n", Context::Block(2), "\r\n"), "|\r\n  one\r\n\r\n  two");
        assert_eq!(text("one\n two", Context::Block(2), "\n"), "|-\n  one\n   two");
    }
}
