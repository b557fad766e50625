//! Guidance: notes in `.agents/guidance/*.md` that an agent is told about, not burdened with.
//!
//! Each has a frontmatter with `title`, `description` and `consult_when`; the prompt holds a table of them.

use std::fmt::Write;

/// A cell of the table is cut after so many characters.
const CELL_CHARACTERS_MAX: usize = 80;

/// A note, by its path relative to the repository, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guidance {
    pub path: String,
    pub text: String,
}

/// The table of all notes; empty where there are none.
pub fn guidance_table(notes: &[Guidance]) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let mut table =
        "## Guidance\n\nRead what applies before you begin.\n\n| file | about | consult when |\n|---|---|---|\n".to_owned();
    for note in notes {
        let head = frontmatter(&note.text);
        let field =
            |name: &str| head.iter().find(|(key, _)| key == name).map(|(_, values)| values.join("; "));
        let title = field("title").unwrap_or_default();
        let about = match field("description").unwrap_or_default() {
            description if title.is_empty() => description,
            description if description.is_empty() => title,
            description => format!("{title}: {description}"),
        };
        let when = field("consult_when").unwrap_or_default();
        let _ = writeln!(table, "| `{}` | {} | {} |", note.path, cell(&about), cell(&when));
    }
    table
}

/// `key: value` and `key:` with `- value` lines, between two `---`.
fn frontmatter(text: &str) -> Vec<(String, Vec<String>)> {
    let mut lines = text.lines();
    if lines.next().map(str::trim_end) != Some("---") {
        return Vec::new();
    }
    let mut fields: Vec<(String, Vec<String>)> = Vec::new();
    for line in lines.take_while(|line| line.trim_end() != "---") {
        let plain = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
        if let Some(item) = line.trim_start().strip_prefix("- ") {
            if let Some((_, values)) = fields.last_mut() {
                values.push(plain(item));
            }
        } else if let Some((key, value)) = line.split_once(':') {
            let value = plain(value.trim().trim_start_matches('[').trim_end_matches(']'));
            let values = if value.is_empty() { Vec::new() } else { vec![value] };
            fields.push((key.trim().to_owned(), values));
        }
    }
    fields
}

fn cell(text: &str) -> String {
    let text = text.replace('|', "\\|").replace('\n', " ");
    match text.char_indices().nth(CELL_CHARACTERS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_a_row_with_what_its_head_says() {
        let text = "---\ntitle: Errors\ndescription: how we report them\nconsult_when:\n  - adding a command\n  - \"a | b\"\n---\nBody\n";
        let notes = [
            Guidance { path: ".agents/guidance/errors.md".to_owned(), text: text.to_owned() },
            Guidance { path: ".agents/guidance/bare.md".to_owned(), text: "no head".to_owned() },
        ];
        let table = guidance_table(&notes);
        assert!(table.contains(
            "| `.agents/guidance/errors.md` | Errors: how we report them | adding a command; a \\| b |\n"
        ));
        assert!(table.contains("| `.agents/guidance/bare.md` |  |  |\n"));
        assert_eq!(guidance_table(&[]), "");
    }
}
