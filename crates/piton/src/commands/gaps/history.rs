//! `piton gaps log` and `diff`.

use piton_model::ExitCode;
use piton_model::ledger::to_iso;
use piton_view::{FieldDiff, GapEvent, GapView, GapsDiff};
use serde_json::{Value, json};

use super::{Place, time};
use crate::cli::gaps::{GapDiffArguments, GapLogArguments};
use crate::failure::Result;
use crate::output::{Output, clean_line};

pub(super) async fn log(place: &Place, arguments: &GapLogArguments, out: &Output) -> Result {
    let wanted = arguments.gap.as_ref();
    let mut events = place.door.gap_events(&place.ledger).await?;
    events.retain(|event| wanted.is_none() || event.gap.as_ref() == wanted);
    if let Some(gap) = wanted.filter(|_| events.is_empty()) {
        let there = place.door.gaps(&place.ledger, place.now()).await?.found;
        place.check_named(&there, std::slice::from_ref(gap))?;
    }
    for GapEvent { seq, at, kind, gap, text, data } in events {
        let at = to_iso(at);
        match out.json {
            true => out.json_line(&json!({
                "seq": seq, "at": at, "type": kind, "gap": gap, "text": text, "data": data,
            })),
            false => out.row(clean_line(&format!("[{at}] {text}"))),
        }
    }
    Ok(ExitCode::Done)
}

pub(super) async fn diff(place: &Place, arguments: &GapDiffArguments, out: &Output) -> Result {
    let since = time("--since", &arguments.since)?;
    let seen = place.door.gaps_since(&place.ledger, since, place.now()).await?;
    let GapsDiff { added, changed, removed } = place.told(seen, out).found;
    if out.json {
        let changed = changed.iter().map(|(id, fields)| json!({ "id": id, "fields": fields }));
        out.json(&json!({
            "added": added.iter().map(|gap| &gap.gap.id).collect::<Vec<_>>(),
            "changed": changed.collect::<Vec<_>>(),
            "removed": removed,
        }));
        return Ok(ExitCode::Done);
    }
    for GapView { gap, .. } in &added {
        out.row(format!("+ {} ({})", clean_line(&gap.id), gap.status));
    }
    for (id, fields) in &changed {
        let fields = fields.iter().map(|FieldDiff { field, before, after }| {
            format!("{field} {} -> {}", short(before), short(after))
        });
        out.row(clean_line(&format!("~ {id}: {}", fields.collect::<Vec<_>>().join("; "))));
    }
    for id in &removed {
        out.row(format!("- {}", clean_line(id)));
    }
    let (added, changed, removed) = (added.len(), changed.len(), removed.len());
    out.note(format!("{added} added, {changed} changed, {removed} removed since {}", to_iso(since)));
    Ok(ExitCode::Done)
}

fn short(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".to_owned(),
        other => other.to_string(),
    };
    match text.char_indices().nth(60) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None if text.is_empty() => "\"\"".to_owned(),
        None => text,
    }
}
