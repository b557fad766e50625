//! Colour by meaning, on lines that are written already: green is good, red is bad, yellow waits, and what only guides the eye is dim.
//!
//! Nothing is decided by it, and nothing is said by it alone: without colour the words are the same.

/// What a colour says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Bad,
    Waits,
    Dim,
    Bold,
}

impl Tone {
    fn code(self) -> &'static str {
        match self {
            Tone::Good => "32",
            Tone::Bad => "31",
            Tone::Waits => "33",
            Tone::Dim => "2",
            Tone::Bold => "1",
        }
    }

    /// The text in this tone.
    pub(crate) fn on(self, text: &str) -> String {
        format!("\u{1b}[{}m{text}\u{1b}[0m", self.code())
    }
}

/// Words that stand out wherever they are.
const MARKS: [(&str, Tone); 3] = [("✓", Tone::Good), ("✗", Tone::Bad), ("REFUSED", Tone::Bad)];

/// Words before a column that say how something is; any other word there guides the eye.
const HEADS: [(&str, Tone); 13] = [
    ("done", Tone::Good),
    ("completed", Tone::Good),
    ("landed", Tone::Good),
    ("ok", Tone::Good),
    ("failed", Tone::Bad),
    ("damaged", Tone::Bad),
    ("bad", Tone::Bad),
    ("warn", Tone::Waits),
    ("warning", Tone::Waits),
    ("waiting", Tone::Waits),
    ("paused", Tone::Waits),
    ("stopped", Tone::Waits),
    ("question", Tone::Waits),
];

/// A column begins after so many spaces.
const COLUMN: &str = "  ";
/// The longest word before a column.
const HEAD_MAX: usize = 10;

/// How a word for the state of something is shown.
pub(crate) fn tone_of(word: &str) -> Option<Tone> {
    HEADS.iter().find(|(head, _)| *head == word).map(|(_, tone)| *tone)
}

/// A line in colour. `is_first`: it is not the rest of another.
pub(crate) fn painted(line: &str, is_first: bool) -> String {
    let head = line.split(' ').next().unwrap_or_default();
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_head =
        is_first && is_word(head) && head.len() < HEAD_MAX && line[head.len()..].starts_with(COLUMN);
    let rest = if is_head { &line[head.len()..] } else { line };
    let rest = MARKS.iter().fold(rest.to_owned(), |text, (mark, tone)| text.replace(mark, &tone.on(mark)));
    match is_head {
        true => format!("{}{rest}", tone_of(head).unwrap_or(Tone::Dim).on(head)),
        false => rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With names in place of what a terminal obeys.
    fn said(line: &str) -> String {
        let mut text = painted(line, true);
        for (code, name) in
            [("[0m", "/"), ("[32m", "green:"), ("[31m", "red:"), ("[33m", "yellow:"), ("[2m", "dim:")]
        {
            text = text.replace(&format!("\u{1b}{code}"), &format!("<{name}>"));
        }
        text
    }

    #[test]
    fn a_line_says_by_its_colour_what_its_words_say() {
        for (line, painted) in [
            ("done      the check is green", "<green:>done</>      the check is green"),
            ("baseline  test ✗ · lint ✓", "<dim:>baseline</>  test <red:>✗</> · lint <green:>✓</>"),
            ("stopped   reached its limit", "<yellow:>stopped</>   reached its limit"),
            ("  #2  +0 −3  REFUSED 1 test", "  #2  +0 −3  <red:>REFUSED</> 1 test"),
            ("a sentence of words", "a sentence of words"),
            ("", ""),
        ] {
            assert_eq!(said(line), painted);
        }
        assert_eq!(painted("done  is the rest of a line", false), "done  is the rest of a line");
    }
}
