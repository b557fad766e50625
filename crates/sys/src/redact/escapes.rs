//! How one character may be written in a text that quotes another.
//!
//! Percent signs of addresses and forms, backslashes of JSON, C, shells and regular expressions, entities of HTML, `=` of mail,
//! doubled quotes of SQL, CSV and YAML; each also within itself, as JSON in a string of JSON is. They mix freely: what a
//! library leaves as it is, another one escapes.

/// More forms than one place has.
const FORMS_MAX: usize = 12;

/// Backslashes in a row that are looked at: JSON within JSON within JSON.
const BACKSLASHES_MAX: usize = 16;

/// Blanks behind a line break that a wrapped text is indented with.
const INDENT_MAX: usize = 8;

/// What some bytes stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    bytes: [u8; 4],
    count: usize,
    /// So many bytes of the text are that.
    pub(super) length: usize,
}

impl Form {
    fn byte(byte: u8, length: usize) -> Self {
        Self { bytes: [byte, 0, 0, 0], count: 1, length }
    }

    fn character(code: u32, length: usize) -> Option<Self> {
        let mut bytes = [0; 4];
        let count = char::from_u32(code)?.encode_utf8(&mut bytes).len();
        Some(Self { bytes, count, length })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.count]
    }
}

/// All that the beginning of a text may stand for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Forms {
    list: [Form; FORMS_MAX],
    count: usize,
    /// With more text there might be another.
    pub(super) is_open: bool,
}

impl Forms {
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &Form> {
        self.list[..self.count].iter()
    }

    fn add(&mut self, form: Form) {
        if let Some(place) = self.list.get_mut(self.count) {
            *place = form;
            self.count += 1;
        }
    }

    fn add_character(&mut self, code: u32, length: usize) {
        if let Some(form) = Form::character(code, length) {
            self.add(form);
        }
    }
}

/// Characters that take no room: where they may part a line, and where they may not, joiners, the mark of a byte order, a soft hyphen.
const UNSEEN: [&[u8]; 6] = [
    "\u{200b}".as_bytes(),
    "\u{200c}".as_bytes(),
    "\u{200d}".as_bytes(),
    "\u{2060}".as_bytes(),
    "\u{feff}".as_bytes(),
    "\u{ad}".as_bytes(),
];

/// Whether a byte may begin something else than itself, or a break that is passed over.
pub(super) fn is_special(byte: u8) -> bool {
    matches!(byte, b'%' | b'\\' | b'&' | b'=' | b'+' | b'\'' | b'"' | b'\n' | b'\r' | b'\t' | 0x1b)
        || UNSEEN.iter().any(|written| written[0] == byte)
}

/// What `rest`, which is not empty, may begin with; the byte itself comes last.
pub(super) fn forms(rest: &[u8]) -> Forms {
    let mut forms = Forms::default();
    match rest[0] {
        b'%' => percent(rest, &mut forms),
        b'\\' => backslash(rest, &mut forms),
        b'&' => entity(rest, &mut forms),
        b'=' => hex_number(rest, 1, 2, &mut forms, add_byte),
        b'+' => forms.add(Form::byte(b' ', 1)),
        b'\'' => quoted_quote(rest, &mut forms),
        b'"' => doubled(rest, 0, &mut forms),
        _ => {}
    }
    forms.add(Form::byte(rest[0], 1));
    forms
}

/// `'\''` and `'"'"'` of shells, `''` of SQL and YAML; each also in a string of JSON.
fn quoted_quote(rest: &[u8], forms: &mut Forms) {
    let backslashes = |from: usize| {
        rest[from.min(rest.len())..].iter().take(BACKSLASHES_MAX).take_while(|byte| **byte == b'\\').count()
    };
    let mut follows = |at: usize, written: &[u8]| {
        let there = rest.get(at..).unwrap_or_default();
        forms.is_open |= there.len() < written.len() && written.starts_with(there);
        there.starts_with(written)
    };
    let run = backslashes(1);
    let is_escaped = run > 0 && follows(1 + run, b"''");
    let is_doubled = follows(1, b"'");
    // `'"'"'`: two double quotes around a single one.
    let opens = follows(1 + run, b"\"'");
    let closes = 3 + run + backslashes(3 + run);
    let is_between = opens && follows(closes, b"\"'");
    for (is_there, length) in [(is_between, closes + 2), (is_escaped, run + 3), (is_doubled, 2)] {
        if is_there {
            forms.add(Form::byte(b'\'', length));
        }
    }
}

/// `""` of CSV, SQL and YAML, also in a string of JSON; the first of the two quotes stands behind `at` backslashes.
fn doubled(rest: &[u8], at: usize, forms: &mut Forms) {
    let after = &rest[at + 1..];
    let run = after.iter().take(BACKSLASHES_MAX).take_while(|byte| **byte == b'\\').count();
    match after.get(run) {
        None => forms.is_open = true,
        // Written the same way: else it is the quote that ends the string.
        Some(b'"') if run == at => forms.add(Form::byte(b'"', at + run + 2)),
        Some(_) => {}
    }
}

/// A byte by its number; beyond ASCII also the character that has it.
fn add_byte(forms: &mut Forms, code: u32, length: usize) {
    forms.add(Form::byte(code as u8, length));
    if code >= 0x80 {
        forms.add_character(code, length);
    }
}

/// `%2F`, and `%252F` of what was escaped twice.
fn percent(rest: &[u8], forms: &mut Forms) {
    let mut at = 1;
    while at < 8 {
        hex_number(rest, at, 2, forms, add_byte);
        if rest.get(at..at + 2) != Some(b"25") {
            break;
        }
        at += 2;
    }
}

/// Gives a number of exactly `digits` hexadecimal digits at `at`, and where it ends.
fn hex_number(
    rest: &[u8],
    at: usize,
    digits: usize,
    forms: &mut Forms,
    mut found: impl FnMut(&mut Forms, u32, usize),
) {
    let there = rest.get(at..).unwrap_or_default();
    let there = &there[..there.len().min(digits)];
    if !there.iter().all(u8::is_ascii_hexdigit) {
        return;
    }
    match there.len() == digits {
        true => found(forms, number(there, 16), at + digits),
        false => forms.is_open = true,
    }
}

fn number(digits: &[u8], radix: u32) -> u32 {
    let value = |digit: &u8| char::from(*digit).to_digit(radix).unwrap_or(0);
    digits.iter().fold(0, |number: u32, digit| number.wrapping_mul(radix).wrapping_add(value(digit)))
}

fn backslash(rest: &[u8], forms: &mut Forms) {
    let run = rest.iter().take(BACKSLASHES_MAX).take_while(|byte| **byte == b'\\').count();
    // One that is escaped, once or twice.
    for escaped in [8, 4, 2] {
        if run >= escaped {
            forms.add(Form::byte(b'\\', escaped));
        }
    }
    let Some(&letter) = rest.get(run) else {
        forms.is_open = true;
        return;
    };
    let after = run + 1;
    match letter {
        b'x' => hex_number(rest, after, 2, forms, add_byte),
        b'u' if rest.get(after) == Some(&b'{') => {
            digits_until(rest, after + 1, 16, b'}', forms);
        }
        b'u' => hex_number(rest, after, 4, forms, |forms, code, end| match code {
            0xd800..=0xdbff => low_surrogate(rest, code, end, forms),
            _ => forms.add_character(code, end),
        }),
        b'U' => hex_number(rest, after, 8, forms, Forms::add_character),
        b'0'..=b'7' => {
            let octal = rest[run..].iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
            let code = number(&rest[run..run + octal], 8);
            if octal == 3 && code < 256 {
                forms.add(Form::byte(code as u8, run + 3));
            }
            forms.is_open |= octal < 3 && run + octal == rest.len();
        }
        b'n' => forms.add(Form::byte(b'\n', after)),
        b'r' => forms.add(Form::byte(b'\r', after)),
        b't' => forms.add(Form::byte(b'\t', after)),
        b'b' => forms.add(Form::byte(8, after)),
        b'f' => forms.add(Form::byte(12, after)),
        b'"' => {
            doubled(rest, run, forms);
            forms.add(Form::byte(b'"', after));
        }
        _ if !letter.is_ascii_alphanumeric() => forms.add(Form::byte(letter, after)),
        _ => {}
    }
}

/// The second half of a character that takes two escapes, of which the first ends at `at`.
fn low_surrogate(rest: &[u8], high: u32, at: usize, forms: &mut Forms) {
    let there = &rest[at..];
    let run = there.iter().take(BACKSLASHES_MAX).take_while(|byte| **byte == b'\\').count();
    match there.get(run) {
        None => forms.is_open = true,
        Some(b'u') if run > 0 => hex_number(rest, at + run + 1, 4, forms, |forms, low, end| {
            if let 0xdc00..=0xdfff = low {
                forms.add_character(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00), end);
            }
        }),
        Some(_) => {}
    }
}

/// `&amp;`, `&#38;`, `&#x26;`, and `&amp;#38;` of what was escaped twice.
fn entity(rest: &[u8], forms: &mut Forms) {
    const AGAIN: &[u8] = b"amp;";
    let mut at = 1;
    while at < 16 && rest[at..].starts_with(AGAIN) {
        at += AGAIN.len();
        forms.add(Form::byte(b'&', at));
    }
    let there = &rest[at..];
    forms.is_open |= there.len() < AGAIN.len() && AGAIN.starts_with(there);
    for (name, means) in [(&b"lt;"[..], b'<'), (b"gt;", b'>'), (b"quot;", b'"'), (b"apos;", b'\'')] {
        if there.starts_with(name) {
            forms.add(Form::byte(means, at + name.len()));
        }
        forms.is_open |= there.len() < name.len() && name.starts_with(there);
    }
    match there {
        [b'#', b'x' | b'X', ..] => digits_until(rest, at + 2, 16, b';', forms),
        [b'#', ..] => digits_until(rest, at + 1, 10, b';', forms),
        _ => {}
    }
}

/// A number of up to seven digits, and what must stand behind it.
fn digits_until(rest: &[u8], at: usize, radix: u32, end: u8, forms: &mut Forms) {
    let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
    let there = rest.get(at..).unwrap_or_default();
    let count = there.iter().take(7).take_while(is_digit).count();
    match there.get(count) {
        None => forms.is_open |= count < 8,
        Some(byte) if *byte == end && count > 0 => {
            forms.add_character(number(&there[..count], radix), at + count + 1);
        }
        Some(_) => {}
    }
}

/// How long a break is that a wrapped text has here, if it has one: `Err` where that cannot be said yet.
///
/// A line break with the blanks behind it, marked or not as mail (`=`) and shells (`\`) do it, or as a string of JSON has it;
/// a change of colour; a tab, a way back to the line's beginning, and what takes no room.
pub(super) fn break_length(rest: &[u8]) -> Result<Option<usize>, ()> {
    let at = match rest {
        [b'=' | b'\\'] => return Err(()),
        [b'=' | b'\\', b'\n' | b'\r', ..] => 1,
        [b'=', b'\\', ..] => return Ok(written_break(&rest[1..])?.map(|length| length + 1)),
        [0x1b, ..] => return colour(rest, 1),
        [b'\\', ..] => return written_break(rest),
        _ => 0,
    };
    let line = match &rest[at..] {
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        [b'\r'] => return Err(()),
        [b'\r' | b'\t', ..] if at == 0 => return Ok(Some(1)),
        there if at == 0 => return unseen_length(there),
        _ => return Ok(None),
    };
    let blanks = rest[at + line..].iter().take(INDENT_MAX).take_while(|byte| matches!(byte, b' ' | b'\t'));
    Ok(Some(at + line + blanks.count()))
}

/// How long a character is that takes no room.
fn unseen_length(rest: &[u8]) -> Result<Option<usize>, ()> {
    if UNSEEN.iter().any(|written| rest.len() < written.len() && written.starts_with(rest)) {
        return Err(());
    }
    Ok(UNSEEN.iter().find(|written| rest.starts_with(written)).map(|written| written.len()))
}

/// `\n` or `\r\n`, with as many backslashes as there are; or a colour whose first byte is escaped.
pub(super) fn written_break(rest: &[u8]) -> Result<Option<usize>, ()> {
    let run = rest.iter().take(BACKSLASHES_MAX).take_while(|byte| **byte == b'\\').count();
    for escape in [&b"u001b"[..], b"u001B", b"x1b", b"x1B", b"033", b"e"] {
        let there = &rest[run..];
        if there.starts_with(escape) {
            return colour(rest, run + escape.len());
        }
        if there.len() < escape.len() && escape.starts_with(there) {
            return Err(());
        }
    }
    let mut at = 0;
    for letter in [b'r', b'n'] {
        let run = rest[at..].iter().take(BACKSLASHES_MAX).take_while(|byte| **byte == b'\\').count();
        match rest.get(at + run) {
            None => return Err(()),
            Some(byte) if *byte == letter && run > 0 => at += run + 1,
            Some(_) if letter == b'r' => {}
            Some(_) => return Ok(None),
        }
    }
    Ok(Some(at))
}

/// `[`, numbers and a letter, at `at`.
fn colour(rest: &[u8], at: usize) -> Result<Option<usize>, ()> {
    let Some(open) = rest.get(at) else { return Err(()) };
    let parameters =
        rest.iter().skip(at + 1).take(16).take_while(|byte| matches!(byte, b'0'..=b'9' | b';')).count();
    match rest.get(at + 1 + parameters) {
        _ if *open != b'[' => Ok(None),
        None => Err(()),
        Some(last) if last.is_ascii_alphabetic() => Ok(Some(at + parameters + 2)),
        Some(_) => Ok(None),
    }
}
