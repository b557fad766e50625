//! What a plain word means.
//!
//! YAML has two generations: to one of them `no`, `on` and `012` are text or decimal, to the other they are false,
//! true and octal. What the two could disagree about is refused where it is read, and quoted where it is written.

use granit_parser::ScalarStyle;

/// What a scalar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    /// To readers of the older generation `yes`, `no`, `on` and `off` are truth values, too.
    Boolean(bool),
    Number,
    Text,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Null => "empty",
            Kind::Boolean(_) => "true or false",
            Kind::Number => "a number",
            Kind::Text => "text",
        }
    }
}

pub(crate) fn kind(value: &str, style: ScalarStyle) -> Kind {
    if style != ScalarStyle::Plain { Kind::Text } else { plain_kind(value) }
}

/// What a scalar without quotes is.
pub(super) fn plain_kind(value: &str) -> Kind {
    const NULLS: [&str; 5] = ["", "~", "null", "Null", "NULL"];
    const BOOLEANS: [(&str, bool); 6] =
        [("true", true), ("false", false), ("yes", true), ("no", false), ("on", true), ("off", false)];
    let Some(first) = value.bytes().next() else { return Kind::Null };
    match first {
        b'0'..=b'9' | b'+' | b'-' | b'.' if is_number(value) => Kind::Number,
        b'~' | b'n' | b'N' if NULLS.contains(&value) => Kind::Null,
        _ if value.len() <= 5 => {
            let boolean = BOOLEANS.iter().find(|(word, _)| value.eq_ignore_ascii_case(word));
            boolean.map_or(Kind::Text, |(_, truth)| Kind::Boolean(*truth))
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
pub(crate) fn integer(value: &str) -> Result<i64, &'static str> {
    let digits = value.strip_prefix('-').unwrap_or(value);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("not a whole number");
    }
    if digits.len() > 1 && digits.starts_with('0') {
        return Err("octal to some readers; leave out the leading zero");
    }
    value.parse().map_err(|_| "out of range")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_generations_of_readers_disagree_about_is_no_text() {
        for (word, truth) in
            [("yes", true), ("No", false), ("ON", true), ("off", false), ("true", true), ("False", false)]
        {
            assert_eq!(plain_kind(word), Kind::Boolean(truth), "{word}");
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
}
