//! Lines as wide as a terminal is: what is too long goes on below the column it began in, or ends in `…`.
//!
//! Only for a screen. What a program reads is never wrapped and never cut.

use unicode_width::UnicodeWidthChar;

/// A column that begins further right than this is not one to go on below.
const HANG_MAX: usize = 24;

/// Where a line without columns goes on.
const HANG: usize = 4;

/// The text in lines of at most `width` characters, broken between words. A word that is longer than a line stays whole:
/// an id or a path that was cut could not be used.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let hang = hang(text).min(width / 2);
    let mut lines = Vec::new();
    let mut rest: Vec<char> = text.chars().collect();
    while columns_of(&rest) > width {
        let indent = if lines.is_empty() { 0 } else { hang };
        let first = rest.iter().take_while(|character| **character == ' ').count().max(indent);
        let is_break = |at: &usize| rest[*at] == ' ';
        let most = fitting(&rest, width);
        let fits = (first + 1..=most.min(rest.len() - 1)).rev().find(is_break);
        let Some(at) = fits.or_else(|| (most + 1..rest.len()).find(is_break)) else { break };
        let line: String = rest[..at].iter().collect();
        lines.push(whole_words(line.trim_end(), width));
        let next: Vec<char> = rest[at..].iter().copied().skip_while(|character| *character == ' ').collect();
        rest = std::iter::repeat_n(' ', hang).chain(next).collect();
    }
    let line: String = rest.into_iter().collect();
    if !line.trim().is_empty() || lines.is_empty() {
        lines.push(whole_words(&line, width));
    }
    lines
}

/// A line that only its indent makes too long stands further left.
fn whole_words(line: &str, width: usize) -> String {
    let word = line.trim_start();
    let over = columns(line).saturating_sub(width);
    let indent = line.len() - word.len();
    format!("{}{word}", " ".repeat(indent.saturating_sub(over)))
}

/// Where the last column begins that text can go on below: after two spaces or more.
fn hang(text: &str) -> usize {
    let characters: Vec<char> = text.chars().take(HANG_MAX + 1).collect();
    let begins = |at: &usize| {
        characters[*at] != ' ' && *at >= 2 && characters[at - 1] == ' ' && characters[at - 2] == ' '
    };
    (0..characters.len()).rev().find(begins).unwrap_or(HANG)
}

/// The text in at most `width` characters; `…` stands for what is missing.
pub fn cut(text: &str, width: usize) -> String {
    let characters: Vec<char> = text.chars().collect();
    if columns_of(&characters) <= width {
        return text.to_owned();
    }
    let kept: String = characters[..fitting(&characters, width.saturating_sub(1))].iter().collect();
    format!("{}…", kept.trim_end())
}

/// How many columns a text takes: letters of some scripts take two.
pub fn columns(text: &str) -> usize {
    text.chars().filter_map(UnicodeWidthChar::width).sum()
}

fn columns_of(characters: &[char]) -> usize {
    characters.iter().filter_map(|character| character.width()).sum()
}

/// How many characters fit into so many columns.
fn fitting(characters: &[char], width: usize) -> usize {
    let mut taken = 0;
    let is_over = |character: &char| {
        taken += character.width().unwrap_or(0);
        taken > width
    };
    characters.iter().position(is_over).unwrap_or(characters.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_goes_on_below_its_last_column() {
        let lines = wrapped("    12  09:42:18Z  the tree is unchanged", 30);
        assert_eq!(lines, ["    12  09:42:18Z  the tree is", "               unchanged"]);
        let lines = wrapped("ok    git            git version two point forty", 40);
        assert_eq!(lines, ["ok    git            git version two", "                    point forty"]);
    }

    #[test]
    fn letters_that_take_two_columns_are_counted_so() {
        assert_eq!(cut("修复登录页面的错误", 9), "修复登录…");
        assert_eq!(
            wrapped("done  修复登录 页面的错误 now", 16),
            ["done  修复登录", "      页面的错误", "      now"]
        );
    }

    #[test]
    fn nothing_is_lost_and_nothing_is_too_wide() {
        let text = "why      5 iterations in a row changed nothing that matters, and so on · until the end";
        for width in 12..100 {
            let lines = wrapped(text, width);
            assert!(lines.iter().all(|line| line.chars().count() <= width), "{width}: {lines:#?}");
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&lines.join(" ")), words(text), "{width}");
        }
    }

    #[test]
    fn a_word_stays_whole_and_a_short_line_stays_as_it_is() {
        let id = "ralph-add-input-validation-to-everything-7f3a91c2";
        let lines = wrapped(&format!("do       piton resume {id} now"), 50);
        assert!(lines.iter().any(|line| line.trim() == id), "{lines:#?}");
        assert!(wrapped(&format!("a {id}"), 20).concat().contains(id));
        assert_eq!(wrapped("a  b", 80), ["a  b"]);
        assert_eq!(wrapped("", 80), [""]);
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abc def", 5), "abc…");
    }
}
