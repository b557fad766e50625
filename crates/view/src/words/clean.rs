//! Text of others, made harmless: no control characters, no tricks with direction or width.

/// Text as it may reach a terminal.
pub fn clean(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\t' | '\n' => character,
            character if is_harmful(character) => '\u{fffd}',
            character => character,
        })
        .collect()
}

/// The same on one line.
pub fn clean_line(text: &str) -> String {
    clean(text).replace(['\n', '\t'], " ")
}

/// Whether a terminal could take this for more than a letter.
pub fn is_harmful(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_control_character_of_untrusted_text_reaches_a_terminal() {
        for text in ["\u{1b}]52;c;eA==\u{7}", "\u{1b}[2J", "\u{9b}31m", "a\rb", "\u{202e}abc", "x\u{0}y"] {
            let cleaned = clean(text);
            assert!(!cleaned.chars().any(|character| character.is_control()), "{cleaned:?}");
            assert!(!cleaned.contains('\u{202e}'));
        }
        assert_eq!(clean_line("a\nb\tc"), "a b c");
        assert_eq!(clean_line("a\u{2028}b"), "a\u{fffd}b", "it is a line break to some");
    }
}
