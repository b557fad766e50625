//! Keys that are known by their looks.
//!
//! Each format has a prefix, a class of characters and a length from which on it counts. Once that many are
//! seen, the marker is written and the rest of the run is swallowed: nothing more has to be held back, however
//! long the secret is. A run that is too short is let through after a look of bounded length.

use super::REDACTED;

/// A prefix and what must follow it.
struct Format {
    prefix: &'static [u8],
    class: Class,
    /// So many characters of the class must follow.
    length_min: usize,
    /// The prefix is short enough to end an ordinary word.
    starts_a_word: bool,
    /// One of the first [`DIGIT_WITHIN`] must be a digit; words joined by hyphens have none.
    has_digit: bool,
}

const fn format(prefix: &'static [u8], class: Class, length_min: usize) -> Format {
    Format { prefix, class, length_min, starts_a_word: false, has_digit: false }
}

const FORMATS: &[Format] = &[
    format(b"sk-ant-", Class::Url, 16),
    Format { starts_a_word: true, has_digit: true, ..format(b"sk-", Class::Url, 20) },
    format(b"sk_live_", Class::Alphanumeric, 20),
    format(b"rk_live_", Class::Alphanumeric, 20),
    format(b"ghp_", Class::Alphanumeric, 30),
    format(b"gho_", Class::Alphanumeric, 30),
    format(b"ghu_", Class::Alphanumeric, 30),
    format(b"ghs_", Class::Alphanumeric, 30),
    format(b"ghr_", Class::Alphanumeric, 30),
    format(b"github_pat_", Class::Url, 22),
    format(b"glpat-", Class::Url, 20),
    format(b"AKIA", Class::Capital, 16),
    format(b"ASIA", Class::Capital, 16),
    format(b"AIza", Class::Url, 30),
    format(b"xoxa-", Class::Url, 10),
    format(b"xoxb-", Class::Url, 10),
    format(b"xoxe-", Class::Url, 10),
    format(b"xoxp-", Class::Url, 10),
    format(b"xoxr-", Class::Url, 10),
    format(b"xoxs-", Class::Url, 10),
    format(b"npm_", Class::Alphanumeric, 30),
    format(b"sk_test_", Class::Alphanumeric, 20),
    format(b"rk_test_", Class::Alphanumeric, 20),
    format(b"hf_", Class::Alphanumeric, 30),
    format(b"gsk_", Class::Alphanumeric, 40),
    format(b"xai-", Class::Alphanumeric, 40),
    format(b"xapp-", Class::Url, 20),
    format(b"pypi-AgE", Class::Url, 30),
    format(b"SG.", Class::Jwt, 60),
    format(b"whsec_", Class::Alphanumeric, 24),
    format(b"dop_v1_", Class::Alphanumeric, 60),
    format(b"shpat_", Class::Alphanumeric, 30),
    format(b"AGE-SECRET-KEY-1", Class::Capital, 50),
];

/// What a format is known by where it is encoded as a whole: prefix, and how many bytes of its class must follow.
pub(super) fn prefixes() -> impl Iterator<Item = (&'static [u8], Class, usize)> {
    // Three bytes are too few to be told from chance there.
    let long = FORMATS.iter().filter(|format| format.prefix.len() > 3);
    let projects = (&b"sk-proj-"[..], Class::Url, 20);
    long.map(|format| (format.prefix, format.class, format.length_min)).chain([projects])
}

const DIGIT_WITHIN: usize = 40;
const JWT_PART_MIN: usize = 10;
const JWT_HEADER_MAX: usize = 1024;
const BEARER_SPACES_MAX: usize = 4;
const BEARER_VALUE_MIN: usize = 16;
const PEM_BEGIN: &[u8] = b"-----BEGIN";
/// What stands between words: a blank, also as an address or a form has it, and within another one.
const PEM_BLANKS: [&str; 4] = [" ", "+", "%20", "%2520"];
const PEM_END: &[u8] = b"-----END";
const PEM_DASHES: &[u8] = b"-----";
const PEM_LABEL_MAX: usize = 64;
/// A block that does not end is given up after this many bytes; the largest real keys have a quarter of it.
const PEM_BYTES_MAX: usize = 64 * 1024;

/// Which characters a secret is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Alphanumeric,
    /// Capitals and digits.
    Capital,
    /// Letters, digits, `-` and `_`.
    Url,
    /// The same and `.`.
    Jwt,
    /// What may follow `Bearer`.
    Token,
}

impl Class {
    pub(super) fn contains(self, byte: u8) -> bool {
        match self {
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Capital => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Url => byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_',
            Self::Jwt => Self::Url.contains(byte) || byte == b'.',
            Self::Token => Self::Jwt.contains(byte) || b"~+/=".contains(&byte),
        }
    }

    /// How many bytes at the start of `bytes` belong to the class, counted up to `most`.
    fn run(self, bytes: &[u8], most: usize) -> usize {
        bytes.iter().take(most).take_while(|&&byte| self.contains(byte)).count()
    }
}

/// Where the scanner is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    /// In a secret that ends with the first byte outside of its class.
    Swallowing(Class),
    /// In a private key: so much of [`PEM_END`] was seen, and so many bytes.
    Key { matched: usize, seen: usize },
    /// In the last line of a private key: so many dashes were seen in a row.
    KeyEnd { dashes: usize, seen: usize },
}

/// Looks for known formats in bytes that come in pieces.
#[derive(Debug, Default)]
pub(super) struct Scanner {
    state: State,
    held: Vec<u8>,
    /// The two bytes before `held`.
    before: [u8; 2],
    /// So many bytes ahead are known to be of [`Class::Url`]: none is counted twice, however many tokens seem to
    /// start among them.
    url_run: usize,
    pub(super) has_redacted: bool,
}

/// What is known about the start of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    /// No secret starts here.
    Emit,
    /// Keep so many bytes, swallow so many, go on in this state.
    Redact { keep: usize, swallow: usize, then: State },
    /// It depends on what follows.
    NeedMore,
}

impl Scanner {
    pub(super) fn push(&mut self, bytes: &[u8], clean: &mut Vec<u8>) {
        self.advance(bytes, false, clean);
    }

    pub(super) fn finish(&mut self, clean: &mut Vec<u8>) {
        self.advance(&[], true, clean);
    }

    fn advance(&mut self, bytes: &[u8], is_end: bool, clean: &mut Vec<u8>) {
        let mut held = std::mem::take(&mut self.held);
        held.extend_from_slice(bytes);
        let mut at = 0;
        while at < held.len() {
            let taken = match self.state {
                State::Outside => self.look(&held[..at], &held[at..], is_end, clean),
                State::Swallowing(_) | State::Key { .. } | State::KeyEnd { .. } => {
                    Some(self.swallow(&held[at..]))
                }
            };
            let Some(taken) = taken else { break };
            at += taken;
            self.url_run = self.url_run.saturating_sub(taken);
        }
        self.before = self.last_two(&held[..at]);
        self.held = held.split_off(at);
    }

    /// Looks at the start of `rest`; how many bytes are done with, or `None` where more are needed to say.
    fn look(&mut self, done: &[u8], rest: &[u8], is_end: bool, clean: &mut Vec<u8>) -> Option<usize> {
        let plain = plain_length(rest);
        if plain > 0 {
            clean.extend_from_slice(&rest[..plain]);
            return Some(plain);
        }
        match decide(self.last_two(done), rest, is_end, &mut self.url_run) {
            Decision::Emit => {
                clean.push(rest[0]);
                Some(1)
            }
            Decision::Redact { keep, swallow, then } => {
                clean.extend_from_slice(&rest[..keep]);
                clean.extend_from_slice(REDACTED.as_bytes());
                self.has_redacted = true;
                self.state = then;
                Some(keep + swallow)
            }
            Decision::NeedMore => None,
        }
    }

    /// The two bytes before the end of `done`, which follows those seen earlier.
    fn last_two(&self, done: &[u8]) -> [u8; 2] {
        match done {
            [.., a, b] => [*a, *b],
            [b] => [self.before[1], *b],
            [] => self.before,
        }
    }

    /// Takes bytes that belong to a secret already redacted; returns how many.
    fn swallow(&mut self, bytes: &[u8]) -> usize {
        for (index, &byte) in bytes.iter().enumerate() {
            match self.state {
                State::Outside => return index,
                State::Swallowing(class) if class.contains(byte) => {}
                State::Swallowing(_) => {
                    self.state = State::Outside;
                    return index;
                }
                State::Key { matched, seen } => self.state = in_key(matched, seen + 1, byte),
                State::KeyEnd { dashes, seen } => self.state = in_key_end(dashes, seen + 1, byte),
            }
        }
        bytes.len()
    }
}

fn in_key(matched: usize, seen: usize, byte: u8) -> State {
    if seen >= PEM_BYTES_MAX {
        return State::Outside;
    }
    let matched = match byte {
        _ if byte == PEM_END[matched] => matched + 1,
        // One dash more than needed: the last five still fit.
        b'-' if matched == PEM_DASHES.len() => matched,
        b'-' => 1,
        _ => 0,
    };
    if matched == PEM_END.len() { State::KeyEnd { dashes: 0, seen } } else { State::Key { matched, seen } }
}

fn in_key_end(dashes: usize, seen: usize, byte: u8) -> State {
    let dashes = if byte == b'-' { dashes + 1 } else { 0 };
    if dashes == PEM_DASHES.len() || seen >= PEM_BYTES_MAX {
        State::Outside
    } else {
        State::KeyEnd { dashes, seen }
    }
}

/// How many bytes in front cannot start a secret. Nearly all output passes here, and nowhere else.
fn plain_length(bytes: &[u8]) -> usize {
    let before_last = bytes.len().saturating_sub(1);
    bytes.windows(2).position(|pair| may_start(pair[0], pair[1])).unwrap_or(before_last)
}

/// Whether any format starts with these two bytes.
fn may_start(first: u8, second: u8) -> bool {
    match first {
        b's' => matches!(second, b'k' | b'h'),
        b'r' => second == b'k',
        b'g' => matches!(second, b'h' | b'l' | b'i' | b's'),
        b'A' => matches!(second, b'K' | b'S' | b'I' | b'G'),
        b'S' => second == b'G',
        b'x' => matches!(second, b'o' | b'a'),
        b'h' => second == b'f',
        b'p' => second == b'y',
        b'w' => second == b'h',
        b'd' => second == b'o',
        b'n' => second == b'p',
        b'e' => second == b'y',
        b'b' | b'B' => matches!(second, b'e' | b'E'),
        b'-' => second == b'-',
        _ => false,
    }
}

/// Decides about the first byte of `rest`, with `before` in front of it. Once it is not [`Decision::NeedMore`],
/// no further bytes change it.
fn decide(before: [u8; 2], rest: &[u8], is_end: bool, url_run: &mut usize) -> Decision {
    let at_word_start = starts_word(before);
    let mut decision = Decision::Emit;
    for format in FORMATS {
        if format.prefix[0] == rest[0] && (at_word_start || !format.starts_a_word) {
            decision = stronger(decision, decide_format(format, rest));
        }
    }
    decision = match rest[0] {
        b'e' => stronger(decision, decide_jwt(rest, url_run)),
        b'-' => stronger(decision, decide_key(rest)),
        b'b' | b'B' if at_word_start => stronger(decision, decide_bearer(rest)),
        _ => decision,
    };
    match decision {
        Decision::NeedMore if is_end => Decision::Emit,
        decision => decision,
    }
}

fn stronger(a: Decision, b: Decision) -> Decision {
    match (a, b) {
        (Decision::Redact { .. }, _) => a,
        (_, Decision::Redact { .. }) => b,
        (Decision::NeedMore, _) | (_, Decision::NeedMore) => Decision::NeedMore,
        (Decision::Emit, Decision::Emit) => Decision::Emit,
    }
}

/// After a letter no word starts, except after the letter of an escape such as `\n` in a JSON string.
fn starts_word(before: [u8; 2]) -> bool {
    let in_word = before[1].is_ascii_alphanumeric() || before[1] == b'_';
    !in_word || (before[0] == b'\\' && matches!(before[1], b'n' | b'r' | b't'))
}

/// What follows `prefix` at the start of `rest`: `Err` carries the decision where that cannot be said.
fn after<'a>(prefix: &[u8], rest: &'a [u8]) -> Result<&'a [u8], Decision> {
    match rest.strip_prefix(prefix) {
        Some(after) => Ok(after),
        None if prefix.starts_with(rest) => Err(Decision::NeedMore),
        None => Err(Decision::Emit),
    }
}

fn decide_format(format: &Format, rest: &[u8]) -> Decision {
    let after = match after(format.prefix, rest) {
        Ok(after) => after,
        Err(decision) => return decision,
    };
    let look = if format.has_digit { DIGIT_WITHIN } else { format.length_min };
    let run = format.class.run(after, look);
    let is_long = run >= format.length_min;
    let has_digit = !format.has_digit || after[..run].iter().any(u8::is_ascii_digit);
    if is_long && has_digit {
        return redact(0, format.prefix.len(), State::Swallowing(format.class));
    }
    if run == after.len() && run < look { Decision::NeedMore } else { Decision::Emit }
}

/// `eyJ….….…`: three parts, of which the first is long enough not to be an accident.
fn decide_jwt(rest: &[u8], url_run: &mut usize) -> Decision {
    const START: &[u8] = b"eyJ";
    let header = match after(START, rest) {
        Ok(after) => after,
        Err(decision) => return decision,
    };
    let known = url_run.saturating_sub(START.len()).min(JWT_HEADER_MAX);
    let length = known + Class::Url.run(&header[known..], JWT_HEADER_MAX - known);
    *url_run = START.len() + length;
    if length == JWT_HEADER_MAX {
        return Decision::Emit;
    }
    let Some((&dot, payload)) = header[length..].split_first() else { return Decision::NeedMore };
    if dot != b'.' || length < JWT_PART_MIN {
        return Decision::Emit;
    }
    let run = Class::Url.run(payload, JWT_PART_MIN);
    match run {
        JWT_PART_MIN => redact(0, 0, State::Swallowing(Class::Jwt)),
        _ if run == payload.len() => Decision::NeedMore,
        _ => Decision::Emit,
    }
}

/// `Bearer …`: the word stays, the value goes.
fn decide_bearer(rest: &[u8]) -> Decision {
    const WORD: &[u8] = b"bearer";
    let word = &rest[..rest.len().min(WORD.len())];
    if !word.eq_ignore_ascii_case(&WORD[..word.len()]) {
        return Decision::Emit;
    }
    let after = &rest[word.len()..];
    let spaces =
        after.iter().take(BEARER_SPACES_MAX).take_while(|&&byte| byte == b' ' || byte == b'\t').count();
    let run = Class::Token.run(&after[spaces..], BEARER_VALUE_MIN);
    if spaces > 0 && run == BEARER_VALUE_MIN {
        return redact(word.len() + spaces, 0, State::Swallowing(Class::Token));
    }
    let is_open = spaces + run == after.len() && (spaces > 0 || run == 0);
    if is_open { Decision::NeedMore } else { Decision::Emit }
}

/// `-----BEGIN … PRIVATE KEY-----`, with all that follows up to its end.
fn decide_key(rest: &[u8]) -> Decision {
    let after_begin = match after(PEM_BEGIN, rest) {
        Ok(after) => after,
        Err(decision) => return decision,
    };
    let in_label = |byte: &&u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b" +%".contains(byte);
    let length = after_begin.iter().take(PEM_LABEL_MAX).take_while(in_label).count();
    let (label, dashes) = after_begin.split_at(length);
    if dashes.is_empty() && length < PEM_LABEL_MAX {
        return Decision::NeedMore;
    }
    let is_key = |blank: &str| {
        let (label, words) = (String::from_utf8_lossy(label), format!("PRIVATE{blank}KEY"));
        label.starts_with(blank) && label.contains(&words)
    };
    if !PEM_BLANKS.into_iter().any(is_key) {
        return Decision::Emit;
    }
    match after(PEM_DASHES, dashes) {
        Ok(_) => redact(0, PEM_BEGIN.len() + length + PEM_DASHES.len(), State::Key { matched: 0, seen: 0 }),
        Err(decision) => decision,
    }
}

fn redact(keep: usize, swallow: usize, then: State) -> Decision {
    Decision::Redact { keep, swallow, then }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_format_is_passed_over() {
        let others: [&[u8]; 6] = [b"eyJ", b"bearer", b"Bearer", b"BEARER", b"bEARER", PEM_BEGIN];
        for prefix in FORMATS.iter().map(|format| format.prefix).chain(others) {
            assert!(may_start(prefix[0], prefix[1]), "`{}`", String::from_utf8_lossy(prefix));
        }
    }
}
