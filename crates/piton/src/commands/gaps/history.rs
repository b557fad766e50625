//! `piton gaps log` and `diff`.

use std::collections::BTreeMap;

use piton_model::ExitCode;
use piton_model::ledger::{Gap, to_iso};
use piton_view::GapEvent;
use serde_json::{Value, json};

use super::show::fields_json;
use super::{Place, time};
use crate::cli::gaps::{GapDiffArguments, GapLogArguments};
use crate::failure::{Failure, Result};
use crate::output::{Output, clean_line};

pub(super) async fn log(place: &Place, arguments: &GapLogArguments, out: &Output) -> Result {
    let wanted = arguments.gap.as_ref();
    let mut events = place.door.gap_events(&place.ledger).await?;
    events.retain(|event| wanted.is_none() || event.gap.as_ref() == wanted);
    if let Some(gap) = wanted.filter(|_| events.is_empty())
        && place.door.gaps(&place.ledger, place.now()).await?.state.find(gap).is_none()
    {
        return Err(Failure::usage(format!("there is no gap `{}`", clean_line(gap)))
            .hint("run `piton gaps list` to see what there is"));
    }
    for GapEvent { seq, at, kind, gap, text, data } in events {
        let at = to_iso(at);
        match out.json {
            true => out.json_line(&json!({
                "seq": seq, "at": at, "type": kind, "gap": gap, "text": text, "data": data,
            })),
            false => out.line(clean_line(&format!("[{at}] {text}"))),
        }
    }
    Ok(ExitCode::Done)
}

pub(super) async fn diff(place: &Place, arguments: &GapDiffArguments, out: &Output) -> Result {
    let since = time("--since", &arguments.since)?;
    let before = place.door.gaps_at(&place.ledger, since).await?.map(|state| state.gaps).unwrap_or_default();
    let after = place.read(out).await?.state.gaps;
    let delta = Delta::of(&before, &after);
    if out.json {
        let changed = |(old, new): &(&Gap, &Gap)| {
            let fields: Vec<Value> = old
                .differences(new)
                .iter()
                .map(|field| {
                    let value = |gap: &Gap| fields_json(gap).remove(field.as_str());
                    json!({ "field": field.as_str(), "before": value(old), "after": value(new) })
                })
                .collect();
            json!({ "id": new.id, "fields": fields })
        };
        out.json(&json!({
            "added": delta.added.iter().map(|gap| &gap.id).collect::<Vec<_>>(),
            "changed": delta.changed.iter().map(changed).collect::<Vec<_>>(),
            "removed": delta.removed.iter().map(|gap| &gap.id).collect::<Vec<_>>(),
        }));
        return Ok(ExitCode::Done);
    }
    for gap in &delta.added {
        out.line(format!("+ {} ({})", clean_line(&gap.id), gap.status));
    }
    for (old, new) in &delta.changed {
        let mut fields = Vec::new();
        for field in old.differences(new) {
            let value = |gap: &Gap| short(fields_json(gap).get(field.as_str()));
            fields.push(format!("{field} {} -> {}", value(old), value(new)));
        }
        out.line(clean_line(&format!("~ {}: {}", new.id, fields.join("; "))));
    }
    for gap in &delta.removed {
        out.line(format!("- {}", clean_line(&gap.id)));
    }
    let (added, changed, removed) = (delta.added.len(), delta.changed.len(), delta.removed.len());
    out.note(format!("{added} added, {changed} changed, {removed} removed since {}", to_iso(since)));
    Ok(ExitCode::Done)
}

fn short(value: Option<&Value>) -> String {
    let text = match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => "none".to_owned(),
        Some(other) => other.to_string(),
    };
    match text.char_indices().nth(60) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None if text.is_empty() => "\"\"".to_owned(),
        None => text,
    }
}

/// What is different between two sets of gaps.
struct Delta<'a> {
    added: Vec<&'a Gap>,
    changed: Vec<(&'a Gap, &'a Gap)>,
    removed: Vec<&'a Gap>,
}

impl<'a> Delta<'a> {
    fn of(before: &'a [Gap], after: &'a [Gap]) -> Self {
        let by_id = |gaps: &'a [Gap]| -> BTreeMap<&'a str, &'a Gap> {
            gaps.iter().map(|gap| (gap.id.as_str(), gap)).collect()
        };
        let (old, new) = (by_id(before), by_id(after));
        let added = after.iter().filter(|gap| !old.contains_key(gap.id.as_str())).collect();
        let removed = before.iter().filter(|gap| !new.contains_key(gap.id.as_str())).collect();
        let both = after.iter().filter_map(|gap| Some((*old.get(gap.id.as_str())?, gap)));
        Self { added, changed: both.filter(|(old, new)| old != new).collect(), removed }
    }
}
