//! The little of Markdown that is written and read again: lists, sections, cells of tables.
//!
//! What [`list`] writes, [`read_list`] gives back. Documents of agents are read as they are meant: other bullets, numbers,
//! headings where there is no list.

use std::borrow::Cow;

use piton_model::cycle::limits::{ITEM_BYTES_MAX, SECTION_ITEMS_MAX};
use piton_model::limits::clip;

/// Text with line feeds alone.
pub(super) fn with_line_feeds(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Text without blank lines around it.
pub(super) fn without_blank_ends(text: &str) -> &str {
    let mut text = text.trim_end();
    while let Some((first, rest)) = text.split_once('\n') {
        if !first.trim().is_empty() {
            break;
        }
        text = rest;
    }
    text
}

/// A list with a bullet for each; further lines of an item are indented. One without items says so.
pub(super) fn list<T: AsRef<str>>(items: &[T]) -> String {
    let mut text = String::new();
    for item in items {
        let item = with_line_feeds(item.as_ref().trim()).into_owned();
        for (index, line) in item.split('\n').enumerate() {
            match (index, line) {
                (0, line) => text.push_str(&format!("- {line}\n")),
                (_, "") => text.push('\n'),
                (_, line) => text.push_str(&format!("  {line}\n")),
            }
        }
    }
    if text.is_empty() { "_None._\n".to_owned() } else { text }
}

/// The items of a list, or the headings where there is none.
pub(super) fn read_list(text: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    // Blank lines belong to an item only if more of it follows.
    let (mut blank, mut is_open) = (0, false);
    for line in text.lines() {
        if line.is_empty() {
            blank += 1;
            continue;
        }
        let blank = std::mem::take(&mut blank);
        if let Some(item) = bullet(line) {
            items.push(item.to_owned());
            is_open = true;
            continue;
        }
        let more = line.strip_prefix("  ").or(line.strip_prefix('\t'));
        let more = more.or((blank == 0 && !line.starts_with(['#', '|'])).then_some(line));
        match (more, items.last_mut()) {
            (Some(more), Some(item)) if is_open => {
                item.push_str(&"\n".repeat(blank + 1));
                item.push_str(more);
            }
            _ => is_open = false,
        }
    }
    let items: Vec<String> =
        items.iter().map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect();
    if items.is_empty() { headings(text) } else { items }
}

fn headings(text: &str) -> Vec<String> {
    let heading =
        |line: &str| line.strip_prefix("###").map(|rest| rest.trim_start_matches('#').trim().to_owned());
    text.lines().filter_map(heading).filter(|heading| !heading.is_empty()).collect()
}

/// What stands behind a bullet or a number at the beginning of a line.
fn bullet(line: &str) -> Option<&str> {
    if let Some(item) = ["- ", "* ", "+ "].iter().find_map(|bullet| line.strip_prefix(bullet)) {
        return Some(item);
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &line[digits..];
    (digits > 0 && digits < 5).then(|| rest.strip_prefix(". ").or(rest.strip_prefix(") "))).flatten()
}

/// As many entries of a list as a section has, each as long as one may be.
pub(super) fn bounded(items: Vec<String>) -> Vec<String> {
    let shorter = |item: String| {
        if item.len() > ITEM_BYTES_MAX { clip(&item, ITEM_BYTES_MAX).trim_end().to_owned() } else { item }
    };
    items.into_iter().take(SECTION_ITEMS_MAX).map(shorter).collect()
}

/// A part of a document below a heading of the second level. Before the first heading its name is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) heading: String,
    pub(super) text: String,
}

/// The parts of a document. What looks like a heading within a block of code is none.
pub(super) fn sections(text: &str) -> Vec<Section> {
    let mut sections = vec![Section { heading: String::new(), text: String::new() }];
    let mut is_code = false;
    for line in text.lines() {
        is_code ^= line.trim_start().starts_with("```");
        match line.strip_prefix("## ") {
            Some(heading) if !is_code => {
                sections.push(Section { heading: heading.trim().to_owned(), text: String::new() });
            }
            _ => {
                let section = sections.last_mut().expect("there is a first section");
                section.text.push_str(line);
                section.text.push('\n');
            }
        }
    }
    sections
}

/// The first part whose heading has one of these words in it.
pub(super) fn section<'a>(sections: &'a [Section], words: &[&str]) -> Option<&'a Section> {
    words.iter().find_map(|word| {
        sections.iter().skip(1).find(|section| section.heading.to_ascii_lowercase().contains(word))
    })
}

/// Text that can stand below a heading of the second level without becoming another.
pub(super) fn below_heading(text: &str) -> String {
    let text = with_line_feeds(text);
    let lower = |line: &str| match line.trim_start_matches('#') {
        rest if line.starts_with('#') && line.len() - rest.len() < 3 && rest.starts_with(' ') => {
            format!("###{rest}")
        }
        _ => line.to_owned(),
    };
    text.split('\n').map(lower).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Text for a cell of a table, or for a line: of many lines it is one.
pub(super) fn cell(text: &str) -> String {
    one_line(text).replace('\\', "\\\\").replace('|', "\\|")
}

/// Text on a single line.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The cells of a row of a table.
pub(super) fn cells(row: &str) -> Option<Vec<String>> {
    let row = row.trim().strip_prefix('|')?;
    let (mut cells, mut cell, mut characters) = (Vec::new(), String::new(), row.chars());
    while let Some(character) = characters.next() {
        match character {
            '\\' => cell.extend(characters.next()),
            '|' => cells.push(std::mem::take(&mut cell).trim().to_owned()),
            _ => cell.push(character),
        }
    }
    Some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_reads_back_as_it_was_written() {
        let items =
            ["one", "two\nlines", "a\n\n  - deep\n\nend", "- dash", "1. number", "## heading", "   a | b"];
        let read = read_list(&list(&items));
        assert_eq!(read, items.map(str::trim));
        assert_eq!(read_list(&list::<&str>(&[])), Vec::<String>::new());
    }

    #[test]
    fn lists_of_agents_are_read_as_they_are_meant() {
        assert_eq!(read_list("text\n\n* a\nstill a\n1) b\n\n# other\ntext"), ["a\nstill a", "b"]);
        assert_eq!(read_list("### EC-001: a\nwhy\n### EC-002: b\n"), ["EC-001: a", "EC-002: b"]);
    }

    #[test]
    fn sections_end_where_the_next_begins_and_code_is_none() {
        let found = sections("intro\n## A\ntext\n```\n## no heading\n```\n## Known Risks\n- r\n");
        assert_eq!(found.len(), 3);
        assert_eq!(section(&found, &["risk"]).unwrap().text, "- r\n");
        assert!(section(&found, &["edge"]).is_none());
    }

    #[test]
    fn a_cell_reads_back() {
        let row = format!("| {} | {} |", cell("a|b\\c\nd"), cell(""));
        assert_eq!(cells(&row).unwrap(), ["a|b\\c d", ""]);
    }

    #[test]
    fn text_below_a_heading_ends_no_section() {
        let text = below_heading("# One\n## Two\n### Three\n#hash");
        assert_eq!(text, "### One\n### Two\n### Three\n#hash");
    }
}
