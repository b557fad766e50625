//! A directory of prompt files: each is the task of an item, in the order of their names.
//!
//! Between two lines `---` at its beginning a file may say what a Markdown list says below a task: `after`, `check` and the like.
//! Other lines there are left to whoever reads prompts.

use super::Listed;

/// The task in a prompt file called `name`; nothing where it says nothing.
pub fn read(text: &str, name: &str) -> Option<Listed> {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let mut listed = Listed { entry: name.to_owned(), place: name.to_owned(), ..Listed::default() };
    let (front, body) = match text.strip_prefix("---\n").and_then(|text| text.split_once("\n---\n")) {
        Some((front, body)) => (front, body),
        None => ("", text),
    };
    let rest: Vec<&str> = front.lines().filter(|line| !listed.takes(line.trim())).collect();
    let front = if rest.is_empty() { String::new() } else { format!("---\n{}\n---\n", rest.join("\n")) };
    if body.trim().is_empty() {
        return None;
    }
    let heading =
        body.lines().map(|line| line.trim_start_matches(['#', ' ']).trim()).find(|line| !line.is_empty());
    listed.title = heading.unwrap_or(stem).to_owned();
    listed.task = format!("{front}{}", body.trim());
    listed.id = listed.id.or_else(|| {
        let id = piton_model::slug(stem);
        (!id.is_empty()).then_some(id)
    });
    Some(listed)
}
