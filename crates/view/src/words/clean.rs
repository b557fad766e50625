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
    character.is_control() || turns_or_breaks(character) || is_unseen(character)
}

/// Marks that turn the direction of what follows, and breaks of lines that are no control characters.
fn turns_or_breaks(character: char) -> bool {
    matches!(character,
        '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// What has no width, or is written to another purpose than to be seen: two words that look the same may differ by it, and a whole text
/// may be hidden in it.
fn is_unseen(character: char) -> bool {
    matches!(character,
        '\u{00ad}' | '\u{034f}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}'
            | '\u{206a}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
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
        for mark in [
            '\u{061c}',
            '\u{200f}',
            '\u{2066}',
            '\u{206a}',
            '\u{00ad}',
            '\u{180e}',
            '\u{fffa}',
            '\u{e0041}',
            '\u{e0100}',
        ] {
            assert_eq!(clean(&format!("a{mark}b")), "a\u{fffd}b", "{}", mark.escape_unicode());
        }
        assert_eq!(
            clean("naïve \u{26a0}\u{fe0f} שלום"),
            "naïve \u{26a0}\u{fe0f} שלום",
            "letters and signs stay"
        );
        assert_eq!(clean_line("a\nb\tc"), "a b c");
        assert_eq!(clean_line("a\u{2028}b"), "a\u{fffd}b", "it is a line break to some");
    }
}
