//! What there is to set, for people and programs: the tables of `docs/configuration.md` and a JSON Schema.

use std::fmt::Write as _;

use piton_model::loop_machine::LoopConfig;
use serde_json::{Map, Value, json};

use crate::entry::{Entry, NAMED, Section};
use crate::settings::{SECTIONS, Settings};
use crate::show::toml_text;

/// The tables of the page about the configuration, as Markdown.
pub fn page() -> String {
    let mut page = String::new();
    let mut path = "";
    for section in SECTIONS {
        if section.path != path {
            let _ = write!(page, "\n### `[{}]`\n\n{}\n\n", section.path, words(section.about));
            page.push_str("| key | takes | unless said | also | for |  |\n|---|---|---|---|---|---|\n");
            path = section.path;
        }
        section.entries.iter().for_each(|entry| row(&mut page, entry));
    }
    page.trim_start().to_owned()
}

fn row(page: &mut String, entry: &Entry) {
    let also: Vec<_> = entry.variable.iter().chain(&entry.flag).map(|name| format!("`{name}`")).collect();
    let kinds: Vec<_> = entry.kinds.iter().map(|kind| kind.as_str()).collect();
    let cells = [
        format!("`{}`", entry.key),
        (entry.takes)().words,
        unless_said(entry),
        also.join(", "),
        kinds.join(", "),
        words(entry.words).to_owned(),
    ];
    line(page, &cells);
    for inner in entry.inner {
        let key = format!("`{}.{}`", entry.key, inner.key);
        let nothing = String::new;
        line(page, &[key, inner.takes.to_owned(), nothing(), nothing(), nothing(), inner.words.to_owned()]);
    }
}

fn line(page: &mut String, cells: &[String; 6]) {
    let escaped: Vec<_> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    let _ = writeln!(page, "| {} |", escaped.join(" | "));
}

/// Doc comments begin with a space.
fn words(text: &'static str) -> &'static str {
    text.trim()
}

/// What holds where nobody says anything.
fn unless_said(entry: &Entry) -> String {
    if !entry.otherwise.is_empty() {
        return entry.otherwise.to_owned();
    }
    match default_of(entry) {
        Some(value) => format!("`{}`", toml_text(&value)),
        None => "–".to_owned(),
    }
}

fn default_of(entry: &Entry) -> Option<Value> {
    let shown = (entry.show)(&Settings::built_in()).into_iter().map(|shown| shown.value).next();
    shown.or_else(|| (entry.default)(&LoopConfig::default()))
}

/// What `piton.toml` may hold, as JSON Schema.
pub fn schema() -> Value {
    let mut root = json!({"type": "object", "properties": {}, "additionalProperties": false});
    for section in SECTIONS {
        add(&mut root, section);
    }
    root
}

fn add(root: &mut Value, section: &Section) {
    let mut table = root;
    for part in section.path.split('.') {
        let properties = table["properties"].as_object_mut().expect("a table has properties");
        table = properties.entry(part).or_insert_with(
            || json!({"type": "object", "properties": Map::new(), "additionalProperties": false}),
        );
    }
    for entry in section.entries {
        let mut schema = (entry.takes)().schema;
        schema["description"] = json!(words(entry.words));
        if let Some(default) = default_of(entry) {
            schema["default"] = default;
        }
        match entry.key {
            NAMED => table["additionalProperties"] = schema,
            key => table["properties"][key] = schema,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::entries;

    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/configuration.md");
    const BEGIN: &str = "<!-- generated: begin -->\n";
    const END: &str = "<!-- generated: end -->\n";

    /// The page says what the entries say. `PITON_WRITE_DOCS=1` writes it anew.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test writes the page it compares")]
    fn the_page_of_the_docs_is_what_the_entries_say() {
        let text = std::fs::read_to_string(FILE).unwrap();
        let (head, rest) = text.split_once(BEGIN).expect("the page says where it begins");
        let (_, tail) = rest.split_once(END).expect("the page says where it ends");
        let wanted = format!("{head}{BEGIN}{}\n{END}{tail}", page());
        if std::env::var_os("PITON_WRITE_DOCS").is_some() {
            std::fs::write(FILE, &wanted).unwrap();
        }
        let now = std::fs::read_to_string(FILE).unwrap();
        assert!(
            now == wanted,
            "docs/configuration.md is behind the entries; run\n  \
             PITON_WRITE_DOCS=1 cargo nextest run -p piton-config the_page_of_the_docs"
        );
    }

    #[test]
    fn every_entry_is_whole_and_there_once() {
        let mut names = Vec::new();
        for entry in entries() {
            let name = entry.name();
            assert!(!names.contains(&name), "{name} is there twice");
            assert!(words(entry.words).ends_with('.'), "{name} has no sentence about it");
            assert!(!entry.kinds.is_empty(), "{name} is for no kind of run");
            assert!((entry.takes)().schema.is_object(), "{name} takes nothing");
            names.push(name);
        }
        assert!(names.len() > 80, "{}", names.len());
    }

    #[test]
    fn the_schema_has_every_setting_with_its_default() {
        let schema = schema();
        let property = |path: &str| schema.pointer(&path.replace('/', "/properties/")).cloned();
        assert_eq!(property("/loop/max_iterations").unwrap()["default"], 50);
        assert_eq!(property("/loop/session").unwrap()["enum"], json!(["fresh", "continue", "fork"]));
        assert_eq!(property("/mode/attended/pause_before").unwrap()["default"], true);
        assert_eq!(schema["properties"]["checks"]["additionalProperties"]["anyOf"][0]["type"], "string");
        assert_eq!(schema["properties"]["hooks"]["additionalProperties"]["type"], "object");
        for entry in entries().filter(|entry| entry.key != NAMED) {
            let path = format!("/{}/{}", entry.section.replace('.', "/"), entry.key);
            assert!(property(&path).is_some(), "{path}");
        }
    }
}
