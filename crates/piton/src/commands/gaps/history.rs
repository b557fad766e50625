//! `piton gaps log` and `diff`, and the ledger as it was.

use std::collections::BTreeMap;

use piton_model::ledger::{Gap, to_iso};
use piton_model::ledger_machine::{LedgerEvent, State};
use piton_model::{ExitCode, RunEvent, Timestamp};
use piton_view::words::ledger as words;
use serde_json::{Value, json};

use super::show::fields_json;
use super::{Place, time};
use crate::cli::gaps::{GapDiffArguments, GapLogArguments};
use crate::failure::Failure;
use crate::output::{Output, clean_line};

/// The ledger as it was, by its own time; `None` where nothing was known yet.
pub(super) async fn state_at(place: &Place, at: Timestamp) -> Result<Option<State>, Failure> {
    let store = place.existing()?;
    let (mut then, mut latest) = (None, None);
    let mut see = |event: &LedgerEvent, state: &State| {
        if event.at().is_some() {
            latest = event.at();
        }
        // What is only about the file happened when the change before it did.
        if latest.is_some_and(|latest: Timestamp| latest <= at) {
            then = Some(state.clone());
        }
    };
    place.ledger(store.as_ref()).walk(&mut |_, event, state| see(event, state)).await?;
    Ok(then)
}

pub(super) async fn log(
    place: &Place,
    arguments: &GapLogArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let store = place.existing()?;
    let mut lines: Vec<(Value, String)> = Vec::new();
    let mut known = false;
    let ledger = place.ledger(store.as_ref());
    ledger
        .walk(&mut |stored, event, _| {
            for (gap, what) in words::told(event) {
                let wanted = arguments.gap.as_deref();
                known |= wanted == gap;
                if wanted.is_some() && wanted != gap {
                    continue;
                }
                let at = event.at().unwrap_or(stored.at);
                let encoded = event.encode();
                let data: Value = serde_json::from_slice(&encoded.data).unwrap_or(Value::Null);
                let object = json!({
                    "seq": stored.seq, "at": to_iso(at), "type": encoded.kind, "gap": gap, "text": what, "data": data,
                });
                lines.push((object, format!("[{}] {what}", to_iso(at))));
            }
        })
        .await?;
    if let Some(gap) = arguments.gap.as_ref().filter(|_| !known) {
        let state = ledger.read(place.now()).await?.state;
        if state.find(gap).is_none() {
            return Err(Failure::usage(format!("there is no gap `{}`", clean_line(gap)))
                .hint("run `piton gaps list` to see what there is"));
        }
    }
    for (object, line) in lines {
        match out.json {
            true => out.json_line(&object),
            false => out.line(clean_line(&line)),
        }
    }
    Ok(ExitCode::Done)
}

pub(super) async fn diff(
    place: &Place,
    arguments: &GapDiffArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let since = time("--since", &arguments.since)?;
    let before = state_at(place, since).await?.map(|state| state.gaps).unwrap_or_default();
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
