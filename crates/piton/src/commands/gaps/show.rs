//! `piton gaps list` and `show`.

use piton_model::ledger::{Gap, GapStatus, Source, SourceKind, age_ms, due_at, is_due, to_iso};
use piton_model::ledger_machine::State;
use piton_model::{ExitCode, Timestamp};
use serde_json::{Map, Value, json};

use super::{Place, time};
use crate::cli::gaps::{ListArguments, ShowGapArguments};
use crate::failure::{ErrorKind, Failure, Result};
use crate::output::{Output, clean, clean_line};

const DAY_MS: u64 = 86_400_000;

pub(super) async fn list(place: &Place, arguments: &ListArguments, out: &Output) -> Result {
    let wanted: Option<GapStatus> = match &arguments.status {
        Some(word) => Some(word.parse().map_err(|error| Failure::of(ErrorKind::Usage, &error))?),
        None => None,
    };
    let state = place.read(out).await?.state;
    let now = place.now();
    let fits = |gap: &&Gap| {
        wanted.is_none_or(|status| standing(gap, &state, now) == status)
            && arguments.category.as_ref().is_none_or(|category| gap.category == *category)
    };
    let gaps: Vec<&Gap> = state.gaps.iter().filter(fits).collect();
    if out.json {
        out.json_list(gaps.iter().map(|gap| gap_json(gap, &state, now)));
        return Ok(ExitCode::Done);
    }
    let mut rows = vec![["ID", "STATUS", "PRIO", "AGE", "TTL", "DUE", "CATEGORY"].map(str::to_owned)];
    rows.extend(gaps.iter().map(|gap| row(gap, &state, now)));
    if rows.len() > 1 {
        table(&rows, out);
    }
    Ok(ExitCode::Done)
}

/// What a gap is by now: one that is called verified may be stale.
pub(super) fn standing(gap: &Gap, state: &State, now: Timestamp) -> GapStatus {
    if is_due(gap, state.default_ttl_days, now) { GapStatus::Stale } else { gap.status }
}

fn row(gap: &Gap, state: &State, now: Timestamp) -> [String; 7] {
    let due = is_due(gap, state.default_ttl_days, now);
    let status = if due { "verified*".to_owned() } else { gap.status.to_string() };
    let age = age_ms(gap, now).map_or_else(|| "-".to_owned(), |age| format!("{} d", age / DAY_MS));
    let ttl = match gap.ttl_days {
        Some(days) => format!("{days} d"),
        None => format!("{} d (default)", state.default_ttl_days),
    };
    let until =
        due_at(gap, state.default_ttl_days).map_or_else(|| "-".to_owned(), |at| to_iso(at)[..10].to_owned());
    let until = if due { format!("{until} past") } else { until };
    [clean_line(&gap.id), status, gap.priority.to_string(), age, ttl, until, clean_line(&gap.category)]
}

/// Columns, as wide as they need to be.
fn table(rows: &[[String; 7]], out: &Output) {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).min(60);
    let widths: Vec<usize> = (0..7).map(width).collect();
    out.lines(rows.iter().map(|row| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    }));
}

pub(super) async fn show(place: &Place, arguments: &ShowGapArguments, out: &Output) -> Result {
    let (state, now) = match &arguments.at {
        None => (Some(place.read(out).await?.state), place.now()),
        Some(text) => {
            let at = time("--at", text)?;
            (place.door.gaps_at(&place.ledger, at).await?, at)
        }
    };
    let unknown = || {
        let then = arguments.at.as_ref().map_or_else(String::new, |at| format!(" at {at}"));
        Failure::usage(format!("there is no gap `{}`{}", clean_line(&arguments.id), clean_line(&then)))
            .hint("run `piton gaps list` to see what there is")
    };
    let state = state.ok_or_else(unknown)?;
    let gap = state.find(&arguments.id).ok_or_else(unknown)?;
    if out.json {
        out.json(&gap_json(gap, &state, now));
        return Ok(ExitCode::Done);
    }
    for (name, text) in lines(gap, &state, now) {
        out.line(format!("{name:<14}{}", clean(&text).replace('\n', "\n              ")));
    }
    Ok(ExitCode::Done)
}

fn lines(gap: &Gap, state: &State, now: Timestamp) -> Vec<(&'static str, String)> {
    let mut lines = vec![("id", gap.id.clone()), ("category", gap.category.clone())];
    let due = is_due(gap, state.default_ttl_days, now);
    lines.push(("status", if due { "verified (stale by now)".to_owned() } else { gap.status.to_string() }));
    lines.push(("priority", gap.priority.to_string()));
    let mut optional = |name, text: Option<String>| lines.extend(text.map(|text| (name, text)));
    optional("question", (!gap.question.is_empty()).then(|| gap.question.clone()));
    optional("last_verified", gap.last_verified.map(to_iso));
    optional("last_checked", gap.last_checked.map(to_iso));
    optional("age", age_ms(gap, now).map(|age| format!("{} days", age / DAY_MS)));
    let days = gap.ttl_days.unwrap_or(i64::from(state.default_ttl_days));
    optional("ttl", Some(format!("{days} days{}", if gap.ttl_days.is_none() { " (default)" } else { "" })));
    optional("due", due_at(gap, state.default_ttl_days).map(to_iso));
    optional("blocks", (!gap.blocks.is_empty()).then(|| gap.blocks.join(", ")));
    optional("blocked_by", (!gap.blocked_by.is_empty()).then(|| gap.blocked_by.join(", ")));
    optional("findings", (!gap.findings.is_empty()).then(|| gap.findings.trim_end().to_owned()));
    for source in &gap.evidence {
        let at = source.at.map_or_else(String::new, |at| format!(" ({})", to_iso(at)));
        optional("evidence", Some(format!("{}: {}{at}", source.kind.key(), source.kind.text())));
    }
    lines
}

/// A gap as others rely on it: its own fields, then what follows from them.
pub(super) fn gap_json(gap: &Gap, state: &State, now: Timestamp) -> Value {
    let mut object = fields_json(gap);
    let effective = gap.ttl_days.unwrap_or(i64::from(state.default_ttl_days));
    object.insert("effective_ttl_days".to_owned(), json!(effective));
    object.insert("age_days".to_owned(), json!(age_ms(gap, now).map(|age| age / DAY_MS)));
    object.insert("due_at".to_owned(), json!(due_at(gap, state.default_ttl_days).map(to_iso)));
    object.insert("due".to_owned(), json!(is_due(gap, state.default_ttl_days, now)));
    Value::Object(object)
}

/// A gap's fields as the file has them, defaults included.
pub(super) fn fields_json(gap: &Gap) -> Map<String, Value> {
    let time = |at: Option<Timestamp>| json!(at.map(to_iso));
    let value = json!({
        "id": gap.id,
        "category": gap.category,
        "status": gap.status.as_str(),
        "priority": gap.priority,
        "last_verified": time(gap.last_verified),
        "last_checked": time(gap.last_checked),
        "ttl_days": gap.ttl_days,
        "blocks": gap.blocks,
        "blocked_by": gap.blocked_by,
        "findings": gap.findings,
        "question": gap.question,
        "evidence": gap.evidence.iter().map(source_json).collect::<Vec<_>>(),
    });
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

fn source_json(source: &Source) -> Value {
    let mut object = Map::new();
    object.insert(source.kind.key().to_owned(), json!(source.kind.text()));
    if let SourceKind::File { hash: Some(hash), .. } = &source.kind {
        object.insert("hash".to_owned(), json!(hash));
    }
    if let Some(at) = source.at {
        object.insert("at".to_owned(), json!(to_iso(at)));
    }
    Value::Object(object)
}
