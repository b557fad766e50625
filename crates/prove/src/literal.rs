//! Literal numbers and texts: what they are worth, and others like them.

/// A literal number, taken apart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Number<'a> {
    prefix: &'a str,
    radix: u32,
    value: u128,
    /// What follows the digits of the whole part: a fraction, an exponent, the name of a type.
    rest: &'a str,
}

/// Values at which the next one does not fit a type any more.
const LIMITS: &[u128] = &[
    127,
    128,
    255,
    32_767,
    32_768,
    65_535,
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) - 1,
    (1 << 53) - 1,
    (1 << 63) - 1,
    1 << 63,
    (1 << 64) - 1,
];

impl<'a> Number<'a> {
    /// Reads a number without a sign.
    pub(crate) fn read(literal: &'a str) -> Option<Self> {
        let bytes = literal.as_bytes();
        let radix = match (bytes.first()?, bytes.get(1).map(u8::to_ascii_lowercase)) {
            (b'0', Some(b'x')) => 16,
            (b'0', Some(b'o')) => 8,
            (b'0', Some(b'b')) => 2,
            // An octal number of old, or something that is no number.
            (b'0', Some(b'0'..=b'9' | b'_')) => return None,
            _ => 10,
        };
        let (prefix, digits) = literal.split_at(if radix == 10 { 0 } else { 2 });
        let is_digit = |letter: char| letter.is_digit(radix) || letter == '_';
        let end = digits.find(|letter| !is_digit(letter)).unwrap_or(digits.len());
        let (whole, rest) = digits.split_at(end);
        let value = u128::from_str_radix(&whole.replace('_', ""), radix).ok()?;
        Some(Self { prefix, radix, value, rest })
    }

    pub(crate) fn value(&self) -> u128 {
        self.value
    }

    /// Whether it has a fraction or an exponent.
    pub(crate) fn is_fraction(&self) -> bool {
        self.radix == 10 && self.rest.starts_with(['.', 'e', 'E'])
    }

    /// The same with another whole part.
    pub(crate) fn with(&self, value: u128) -> String {
        let digits = match self.radix {
            16 if self.prefix == "0X" => format!("{value:X}"),
            16 => format!("{value:x}"),
            8 => format!("{value:o}"),
            2 => format!("{value:b}"),
            _ => value.to_string(),
        };
        format!("{}{digits}{}", self.prefix, self.rest)
    }

    /// The next number; the one before where the next may not fit its type.
    pub(crate) fn next(&self) -> Option<String> {
        let next = if LIMITS.contains(&self.value) { self.value - 1 } else { self.value.checked_add(1)? };
        Some(self.with(next))
    }

    /// Two others: the next and the one before, or the two after nothing.
    pub(crate) fn others(&self) -> Vec<String> {
        let before = if self.value == 0 { Some(2) } else { self.value.checked_sub(1) };
        let found = [self.value.checked_add(1), before];
        found.into_iter().flatten().map(|value| self.with(value)).collect()
    }
}

/// A literal text, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Text<'a> {
    /// Letters before the quotes, and the quotes.
    pub(crate) opening: &'a str,
    pub(crate) inside: &'a str,
    pub(crate) closing: &'a str,
}

impl<'a> Text<'a> {
    pub(crate) fn read(literal: &'a str) -> Option<Self> {
        let at = literal.find(['"', '\'', '`'])?;
        let letters = &literal[..at];
        let is_prefix =
            letters.len() <= 8 && letters.chars().all(|letter| letter.is_ascii_alphabetic() || letter == '#');
        if !is_prefix {
            return None;
        }
        let quote = &literal[at..at + 1];
        let hashes = "#".repeat(letters.matches('#').count());
        let triple = quote.repeat(3);
        let is_triple = literal[at..].starts_with(&triple) && literal.len() >= at + 6 && hashes.is_empty();
        let width = if is_triple { 3 } else { 1 };
        let end = literal.len().checked_sub(width + hashes.len())?;
        let closing = literal.get(end..)?;
        let is_closed =
            closing.starts_with(quote) && closing.ends_with(if hashes.is_empty() { quote } else { "#" });
        let inside = literal.get(at + width..end).filter(|_| is_closed)?;
        Some(Self { opening: &literal[..at + width], inside, closing })
    }

    /// Whether it is one letter between single quotes, which is a type of its own in some languages.
    pub(crate) fn is_letter(&self) -> bool {
        self.opening.ends_with('\'') && self.closing == "'" && self.inside.chars().count() == 1
    }

    /// Whether it holds bytes, whose number is part of the type in some languages.
    pub(crate) fn is_bytes(&self) -> bool {
        self.opening.starts_with(['b', 'B'])
    }

    /// The letter at its end, where that stands for itself.
    fn last_plain(&self) -> Option<char> {
        let last = self.inside.chars().next_back()?;
        let is_plain = last.is_ascii_alphanumeric() && !self.inside.contains(['\\', '$', '{']);
        is_plain.then_some(last)
    }

    fn with(&self, inside: &str) -> String {
        [self.opening, inside, self.closing].concat()
    }

    /// One letter longer.
    pub(crate) fn longer(&self) -> String {
        let more = self.last_plain().unwrap_or('x');
        self.with(&format!("{}{more}", self.inside))
    }

    /// Another letter at its end.
    pub(crate) fn other(&self) -> Option<String> {
        let last = self.last_plain()?;
        let other = match last {
            'z' => 'y',
            'Z' => 'Y',
            '9' => '8',
            _ => char::from(u8::try_from(last).ok()?.checked_add(1)?),
        };
        let before = &self.inside[..self.inside.len() - last.len_utf8()];
        Some(self.with(&format!("{before}{other}")))
    }

    /// Without the letter at its end, where something is left.
    pub(crate) fn shorter(&self) -> Option<String> {
        let last = self.last_plain()?;
        let before = &self.inside[..self.inside.len() - last.len_utf8()];
        (!before.is_empty()).then(|| self.with(before))
    }
}

/// A literal in the one form in which equal values are equal, as far as that can be told without running anything.
pub(crate) fn plain(literal: &str) -> String {
    if let Some(text) = Text::read(literal) {
        return format!("\"{}\"", text.inside);
    }
    let (sign, digits) = match literal.strip_prefix('-') {
        Some(digits) => ("-", digits.trim_start()),
        None => ("", literal),
    };
    match Number::read(digits) {
        Some(number) if number.is_fraction() => {
            format!("{sign}{}", digits.replace('_', "").trim_end_matches("f64"))
        }
        Some(number) => format!("{sign}{}", number.value),
        None => match literal {
            "True" => "true".to_owned(),
            "False" => "false".to_owned(),
            "None" | "nil" | "undefined" => "null".to_owned(),
            other => other.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_number_keeps_its_form() {
        for (literal, next) in [
            ("3", "4"),
            ("0", "1"),
            ("0x1F", "0x20"),
            ("0b11", "0b100"),
            ("1_000", "1001"),
            ("7u8", "8u8"),
            ("255", "254"),
            ("255u8", "254u8"),
            ("1.5", "2.5"),
            ("1e-9", "2e-9"),
            ("10n", "11n"),
        ] {
            assert_eq!(
                Number::read(literal).and_then(|number| number.next()).as_deref(),
                Some(next),
                "{literal}"
            );
        }
        for literal in ["007", "x", ""] {
            assert_eq!(Number::read(literal), None, "{literal}");
        }
    }

    #[test]
    fn texts_are_taken_apart_whatever_their_quotes() {
        for (literal, inside) in [
            ("\"abc\"", "abc"),
            ("'abc'", "abc"),
            ("`abc`", "abc"),
            ("b\"abc\"", "abc"),
            ("f'{x}'", "{x}"),
            ("r#\"a\"b\"#", "a\"b"),
            ("\"\"\"abc\"\"\"", "abc"),
            ("\"\"", ""),
        ] {
            assert_eq!(Text::read(literal).map(|text| text.inside), Some(inside), "{literal}");
        }
        for literal in ["abc", "\"", "'", "\"abc", "3", ""] {
            assert_eq!(Text::read(literal), None, "{literal}");
        }
    }

    #[test]
    fn equal_values_have_one_form() {
        for (one, other) in
            [("'a'", "\"a\""), ("0x10", "16"), ("1_000", "1000u32"), ("True", "true"), ("- 3", "-3")]
        {
            assert_eq!(plain(one), plain(other));
        }
        assert_ne!(plain("\"3\""), plain("3"));
    }
}
