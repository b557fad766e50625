//! `piton gaps list` and `show`.

use piton_model::ExitCode;
use piton_model::ledger::{GapStatus, to_iso};
use piton_view::GapView;

use super::{Place, no_such, time};
use crate::cli::gaps::{ListArguments, ShowGapArguments};
use crate::failure::{ErrorKind, Failure, Result};
use crate::output::{Output, clean, clean_line};

pub(super) async fn list(place: &Place, arguments: &ListArguments, out: &Output) -> Result {
    let wanted: Option<GapStatus> = match &arguments.status {
        Some(word) => Some(word.parse().map_err(|error| Failure::of(ErrorKind::Usage, &error))?),
        None => None,
    };
    let mut gaps = place.read(out).await?.found;
    gaps.retain(|gap| {
        wanted.is_none_or(|status| gap.standing() == status)
            && arguments.category.as_ref().is_none_or(|category| gap.gap.category == *category)
    });
    if out.json {
        out.json_list(gaps.iter());
        return Ok(ExitCode::Done);
    }
    let mut rows = vec![["ID", "STATUS", "PRIO", "AGE", "TTL", "DUE", "CATEGORY"].map(str::to_owned)];
    rows.extend(gaps.iter().map(row));
    if rows.len() > 1 {
        table(&rows, out);
    }
    Ok(ExitCode::Done)
}

fn row(shown: &GapView) -> [String; 7] {
    let GapView { gap, effective_ttl_days, age_days, due_at, due } = shown;
    let status = if *due { "verified*".to_owned() } else { gap.status.to_string() };
    let age = age_days.map_or_else(|| "-".to_owned(), |days| format!("{days} d"));
    let by_default = if gap.ttl_days.is_none() { " (default)" } else { "" };
    let until = due_at.map_or_else(|| "-".to_owned(), |at| to_iso(at)[..10].to_owned());
    let until = if *due { format!("{until} past") } else { until };
    let ttl = format!("{effective_ttl_days} d{by_default}");
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
    let id = &arguments.id;
    let found = match &arguments.at {
        None => place.read(out).await?.found.into_iter().find(|gap| gap.gap.id == *id),
        Some(text) => place.door.gap_at(&place.ledger, id, time("--at", text)?).await?,
    };
    let then = arguments.at.as_ref().map_or_else(String::new, |at| format!(" at {at}"));
    let gap = found.ok_or_else(|| no_such(id, &then))?;
    if out.json {
        out.json(&gap);
        return Ok(ExitCode::Done);
    }
    for (name, text) in lines(&gap) {
        out.line(format!("{name:<14}{}", clean(&text).replace('\n', "\n              ")));
    }
    Ok(ExitCode::Done)
}

fn lines(shown: &GapView) -> Vec<(&'static str, String)> {
    let GapView { gap, effective_ttl_days, age_days, due_at, due } = shown;
    let mut lines = vec![("id", gap.id.clone()), ("category", gap.category.clone())];
    lines.push(("status", if *due { "verified (stale by now)".to_owned() } else { gap.status.to_string() }));
    lines.push(("priority", gap.priority.to_string()));
    let mut optional = |name, text: Option<String>| lines.extend(text.map(|text| (name, text)));
    optional("question", (!gap.question.is_empty()).then(|| gap.question.clone()));
    optional("last_verified", gap.last_verified.map(to_iso));
    optional("last_checked", gap.last_checked.map(to_iso));
    optional("age", age_days.map(|days| format!("{days} days")));
    let by_default = if gap.ttl_days.is_none() { " (default)" } else { "" };
    optional("ttl", Some(format!("{effective_ttl_days} days{by_default}")));
    optional("due", due_at.map(to_iso));
    optional("blocks", (!gap.blocks.is_empty()).then(|| gap.blocks.join(", ")));
    optional("blocked_by", (!gap.blocked_by.is_empty()).then(|| gap.blocked_by.join(", ")));
    optional("findings", (!gap.findings.is_empty()).then(|| gap.findings.trim_end().to_owned()));
    for source in &gap.evidence {
        let at = source.at.map_or_else(String::new, |at| format!(" ({})", to_iso(at)));
        optional("evidence", Some(format!("{}: {}{at}", source.kind.key(), source.kind.text())));
    }
    lines
}
