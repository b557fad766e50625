//! Values and whole gaps, as text.

use piton_model::Timestamp;
use piton_model::ledger::{Field, Gap, Source, SourceKind, to_iso};

use crate::yaml::{Context, write_text as text};

/// How a piece of YAML is to look.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style<'a> {
    pub(super) newline: &'a str,
    /// The column of the keys of the gap.
    pub(super) column: usize,
    pub(super) shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Lines of their own; a value may have several.
    Block,
    /// Lines of their own, but this value stands on one line, as something comes behind it.
    Line,
    /// `{…}`.
    Flow,
    /// `{…}` in which every text is in double quotes.
    Json,
}

impl Style<'_> {
    fn is_flow(&self) -> bool {
        matches!(self.shape, Shape::Flow | Shape::Json)
    }

    fn text(&self, value: &str) -> String {
        let context = match self.shape {
            Shape::Block => Context::Block(self.column + 2),
            Shape::Line => Context::Line,
            Shape::Flow => Context::Flow,
            Shape::Json => Context::Json,
        };
        text(value, context, self.newline)
    }

    /// Text of a list or a source, which always stands on one line.
    fn item(&self, value: &str) -> String {
        Style { shape: if self.is_flow() { self.shape } else { Shape::Line }, ..*self }.text(value)
    }

    /// In quotes: without them some readers would make it something else than text.
    fn time(&self, at: Timestamp) -> String {
        let quote = if self.shape == Shape::Json { '"' } else { '\'' };
        format!("{quote}{}{quote}", to_iso(at))
    }

    /// The style of what stands in a list of this style: on one line, that is `[…]`.
    fn within_list(&self) -> Self {
        Style { shape: if self.shape == Shape::Line { Shape::Flow } else { self.shape }, ..*self }
    }

    fn key(&self, key: &str) -> String {
        if self.shape == Shape::Json { format!("\"{key}\"") } else { key.to_owned() }
    }

    fn indent(&self) -> String {
        format!("{}{}", self.newline, " ".repeat(self.column))
    }
}

/// What comes behind the colon, with the space or line break before it.
pub(super) fn value(gap: &Gap, field: Field, style: &Style<'_>) -> String {
    let word = |word: String| format!(" {word}");
    let null = || word("null".to_owned());
    match field {
        Field::Id => word(style.item(&gap.id)),
        Field::Category => word(style.item(&gap.category)),
        Field::Status => word(style.item(gap.status.as_str())),
        Field::Priority => word(gap.priority.to_string()),
        Field::LastVerified => gap.last_verified.map_or_else(null, |at| word(style.time(at))),
        Field::LastChecked => gap.last_checked.map_or_else(null, |at| word(style.time(at))),
        Field::TtlDays => gap.ttl_days.map_or_else(null, |days| word(days.to_string())),
        Field::Blocks => list(&gap.blocks, style),
        Field::BlockedBy => list(&gap.blocked_by, style),
        Field::Findings => word(style.text(&gap.findings)),
        Field::Question => word(style.text(&gap.question)),
        Field::Evidence => sources(&gap.evidence, style),
    }
}

/// One entry of a list, without its dash.
pub(super) fn list_item(item: &str, style: &Style<'_>) -> String {
    style.item(item)
}

fn list(items: &[String], style: &Style<'_>) -> String {
    let within = style.within_list();
    let items: Vec<String> = items.iter().map(|item| within.item(item)).collect();
    if items.is_empty() || style.shape != Shape::Block {
        return format!(" [{}]", items.join(", "));
    }
    items.iter().map(|item| format!("{}- {item}", style.indent())).collect()
}

fn sources(sources: &[Source], style: &Style<'_>) -> String {
    let sources: Vec<Vec<String>> = sources.iter().map(|source| source_pairs(source, style)).collect();
    if sources.is_empty() || style.shape != Shape::Block {
        let maps: Vec<String> = sources.iter().map(|pairs| format!("{{{}}}", pairs.join(", "))).collect();
        return format!(" [{}]", maps.join(", "));
    }
    let between = format!("{}  ", style.indent());
    sources.iter().map(|pairs| format!("{}- {}", style.indent(), pairs.join(&between))).collect()
}

fn source_pairs(source: &Source, style: &Style<'_>) -> Vec<String> {
    let style = &style.within_list();
    let mut pairs = Vec::new();
    let mut pair = |key: &str, value: String| pairs.push(format!("{}: {value}", style.key(key)));
    pair(source.kind.key(), style.item(source.kind.text()));
    if let SourceKind::File { hash: Some(hash), .. } = &source.kind {
        pair("hash", style.item(hash));
    }
    if let Some(at) = source.at {
        pair("at", style.time(at));
    }
    pairs
}

/// `key: value`.
pub(super) fn pair(gap: &Gap, field: Field, style: &Style<'_>) -> String {
    format!("{}:{}", style.key(field.as_str()), value(gap, field, style))
}

/// A whole gap, its defaults left out.
pub(super) fn whole(gap: &Gap, style: &Style<'_>) -> String {
    let fields = Field::ALL.into_iter().filter(|field| !gap.is_default(*field));
    let pairs: Vec<String> = fields.map(|field| pair(gap, field, style)).collect();
    if style.is_flow() { format!("{{{}}}", pairs.join(", ")) } else { pairs.join(&style.indent()) }
}

/// A new file with these gaps.
pub fn render(gaps: &[Gap]) -> String {
    if gaps.is_empty() {
        return "gaps: []\n".to_owned();
    }
    let style = Style { newline: "\n", column: 2, shape: Shape::Block };
    let mut file = "gaps:\n".to_owned();
    for gap in gaps {
        file.push_str("- ");
        file.push_str(&whole(gap, &style));
        file.push('\n');
    }
    file
}
