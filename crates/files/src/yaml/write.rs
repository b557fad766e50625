//! Text, written so that it means the same to every reader.

use super::scalar::{Kind, plain_kind};

/// Where text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
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
pub(crate) fn text(value: &str, context: Context, newline: &str) -> String {
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
