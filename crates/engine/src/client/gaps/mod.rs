//! The gaps of a ledger for a front end: what is asked about them is answered here by the rules of `model::ledger`, and what is done
//! to them in [`change`].

pub(super) mod change;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use piton_files::gaps::{Document, UnknownKeys};
use piton_model::Timestamp;
use piton_model::ledger::{
    Gap, GapStatus, NotFresh, StaleSince, for_prompt, not_fresh as judge_fresh, select_batch, sort_gaps,
    survey,
};
use piton_model::ledger_machine::{LedgerEvent, State, all_due};
use piton_model::limits::GAP_FILE_BYTES_MAX;
use piton_store::{Store, StoredEvent};
use piton_sys::file;
use piton_view::words::{clean_line, ledger as words};
use piton_view::{
    Error, FieldDiff, GapEvent, GapView, GapsBatch, GapsDiff, GapsOrder, InLedger, LedgerAt, StaleGaps,
    gap_fields,
};
use serde_json::{Map, Value, json};

use super::LocalClient;
use crate::ledger::{Ledger, Reading, observe};

/// Reads the ledger, and looks for something in it.
async fn look<T>(
    client: &LocalClient,
    at: &LedgerAt,
    now: Timestamp,
    find: impl FnOnce(&mut Reading) -> Result<T, Error> + Send,
) -> Result<InLedger<T>, Error> {
    let store = client.existing_store()?;
    let mut reading = ledger(client, store, at).read(now).await?;
    Ok(InLedger {
        found: find(&mut reading)?,
        gaps: reading.state.gaps.len(),
        problems: reading.problems.iter().map(ToString::to_string).collect(),
        warnings: reading.warnings.iter().map(ToString::to_string).collect(),
        exists: reading.exists,
    })
}

fn ledger<'a>(client: &'a LocalClient, store: Option<&'a Arc<dyn Store>>, at: &LedgerAt) -> Ledger<'a> {
    Ledger::new(store.map(|store| &**store), client.layout(), at.clone())
}

/// There is no such gap: a slip of the pen.
pub(super) fn no_such(id: &str) -> Error {
    Error::usage(format!("there is no gap `{}`", clean_line(id)))
        .hint("run `piton gaps list` to see what there is")
}

fn require(state: &State, ids: &[String]) -> Result<(), Error> {
    match ids.iter().find(|id| state.find(id).is_none()) {
        None => Ok(()),
        Some(id) => Err(no_such(id)),
    }
}

fn shown(state: &State, gap: &Gap, now: Timestamp) -> GapView {
    GapView::of(gap, state.default_ttl_days, now)
}

pub(super) async fn all(
    client: &LocalClient,
    at: &LedgerAt,
    now: Timestamp,
) -> Result<InLedger<Vec<GapView>>, Error> {
    look(client, at, now, |Reading { state, .. }| {
        Ok(state.gaps.iter().map(|gap| shown(state, gap, now)).collect())
    })
    .await
}

pub(super) async fn order(
    client: &LocalClient,
    at: &LedgerAt,
    now: Timestamp,
) -> Result<InLedger<GapsOrder>, Error> {
    look(client, at, now, |Reading { state, .. }| {
        let sorted = sort_gaps(&state.gaps);
        let ordered = sorted.ordered.iter().map(|gap| gap.id.clone()).collect();
        let cycled = sorted.cycled.into_iter().cloned().collect();
        Ok(GapsOrder { ordered, cycled, cycles: words::cycles(&state.gaps) })
    })
    .await
}

pub(super) async fn stale(
    client: &LocalClient,
    at: &LedgerAt,
    now: Timestamp,
) -> Result<InLedger<StaleGaps>, Error> {
    let root = client.layout().root();
    look(client, at, now, |Reading { state, .. }| {
        let called_so = state.gaps.iter().filter(|gap| gap.status == GapStatus::Stale);
        Ok(StaleGaps {
            stale: called_so.map(|gap| gap.id.clone()).collect(),
            due: all_due(state, &observe(root, &state.gaps), now),
        })
    })
    .await
}

pub(super) async fn batch(
    client: &LocalClient,
    at: &LedgerAt,
    max: usize,
    now: Timestamp,
) -> Result<InLedger<GapsBatch>, Error> {
    let root = client.layout().root();
    look(client, at, now, |Reading { state, .. }| {
        // What research would flip before it chooses, so that both choose the same.
        let flips = all_due(state, &observe(root, &state.gaps), now).into_iter();
        let flips: StaleSince = flips.map(|flip| (flip.gap, flip.at)).collect();
        for gap in state.gaps.iter_mut().filter(|gap| flips.contains_key(&gap.id)) {
            gap.status = GapStatus::Stale;
        }
        let mut stale_since = state.stale_since();
        stale_since.extend(flips);
        let survey = survey(&state.gaps, state.default_ttl_days, now, &stale_since);
        let chosen = select_batch(survey.candidates.iter().copied(), max);
        Ok(GapsBatch {
            batch: chosen.iter().map(|gap| shown(state, gap, now)).collect(),
            stale: survey.stale,
            unknown: survey.unknown,
            later: survey.candidates.len() - chosen.len(),
            checked: survey.checked.iter().map(|gap| gap.id.clone()).collect(),
            waiting: survey.waiting.iter().map(|waiting| waiting.gap.id.clone()).collect(),
            cycles: if survey.has_cycles { words::cycles(&state.gaps) } else { Vec::new() },
            picture: survey.picture(chosen.len()),
        })
    })
    .await
}

pub(super) async fn not_fresh(
    client: &LocalClient,
    at: &LedgerAt,
    ids: &[String],
    now: Timestamp,
) -> Result<InLedger<Vec<NotFresh>>, Error> {
    let root = client.layout().root();
    look(client, at, now, |Reading { state, exists, .. }| {
        if *exists {
            require(state, ids)?;
        }
        let observed = observe(root, &state.gaps);
        Ok(judge_fresh(&state.gaps, state.default_ttl_days, ids, &observed, now))
    })
    .await
}

pub(super) async fn prompt(
    client: &LocalClient,
    at: &LedgerAt,
    ids: &[String],
    tokens: usize,
    now: Timestamp,
) -> Result<InLedger<String>, Error> {
    look(client, at, now, |Reading { state, .. }| {
        require(state, ids)?;
        Ok(for_prompt(&state.gaps, state.default_ttl_days, ids, tokens, now))
    })
    .await
}

pub(super) async fn export(
    client: &LocalClient,
    at: &LedgerAt,
    as_json: bool,
    now: Timestamp,
) -> Result<InLedger<Vec<u8>>, Error> {
    let root = client.layout().root();
    look(client, at, now, |Reading { state, .. }| handed_on(root, &at.file, &state.gaps, as_json)).await
}

/// These gaps to hand on, with what else their file holds.
pub(super) fn handed_on(root: &Path, path: &Path, gaps: &[Gap], as_json: bool) -> Result<Vec<u8>, Error> {
    let bytes = file::read_regular(&root.join(path), GAP_FILE_BYTES_MAX)?;
    // Of a file that is not sound the journal answers.
    let document = bytes.and_then(|bytes| Document::from_bytes(bytes).ok()).unwrap_or_else(Document::empty);
    if !as_json {
        return Ok(document.passed_on(gaps).into_bytes());
    }
    let mut text = serde_json::to_vec_pretty(&as_object(&document, gaps)).expect("gaps are plain data");
    text.push(b'\n');
    Ok(text)
}

fn as_object(document: &Document, gaps: &[Gap]) -> Map<String, Value> {
    let UnknownKeys { mut top, gaps: mut unknown } = document.unknown_keys();
    let whole = |gap: &Gap| {
        let mut fields = gap_fields(gap);
        fields.extend(unknown.remove(&gap.id).unwrap_or_default());
        fields
    };
    top.extend(document.version().map(|version| ("version".to_owned(), json!(version))));
    top.insert("gaps".to_owned(), gaps.iter().map(whole).collect());
    top
}

/// A gap as it was.
pub(super) async fn then(
    client: &LocalClient,
    at: &LedgerAt,
    id: &str,
    moment: Timestamp,
) -> Result<Option<GapView>, Error> {
    let state = state_at(client, at, moment).await?;
    Ok(state.and_then(|state| Some(shown(&state, state.find(id)?, moment))))
}

/// What became different since `moment`.
pub(super) async fn since(
    client: &LocalClient,
    at: &LedgerAt,
    moment: Timestamp,
    now: Timestamp,
) -> Result<InLedger<GapsDiff>, Error> {
    let before = state_at(client, at, moment).await?.map(|state| state.gaps).unwrap_or_default();
    look(client, at, now, |Reading { state, .. }| {
        let old: HashMap<&str, &Gap> = before.iter().map(|gap| (gap.id.as_str(), gap)).collect();
        let there: HashSet<&str> = state.gaps.iter().map(|gap| gap.id.as_str()).collect();
        let is_new = |gap: &&Gap| !old.contains_key(gap.id.as_str());
        let both = state.gaps.iter().filter_map(|gap| Some((*old.get(gap.id.as_str())?, gap)));
        let changed =
            both.filter(|(old, new)| old != new).map(|(old, new)| (new.id.clone(), fields(old, new)));
        let is_gone = |gap: &&Gap| !there.contains(gap.id.as_str());
        Ok(GapsDiff {
            added: state.gaps.iter().filter(is_new).map(|gap| shown(state, gap, now)).collect(),
            changed: changed.collect(),
            removed: before.iter().filter(is_gone).map(|gap| gap.id.clone()).collect(),
        })
    })
    .await
}

/// The fields in which the two differ.
fn fields(old: &Gap, new: &Gap) -> Vec<FieldDiff> {
    let (mut before, mut after) = (gap_fields(old), gap_fields(new));
    let of_field = |field: &'static str| FieldDiff {
        field,
        before: before.remove(field).unwrap_or_default(),
        after: after.remove(field).unwrap_or_default(),
    };
    old.differences(new).iter().map(|field| field.as_str()).map(of_field).collect()
}

async fn state_at(client: &LocalClient, at: &LedgerAt, moment: Timestamp) -> Result<Option<State>, Error> {
    let (mut then, mut latest) = (None, None);
    let mut see = |stored: &StoredEvent, event: &LedgerEvent| {
        latest = event.at().or(latest);
        // What is only about the file happened when the change before it did.
        if latest.is_some_and(|latest: Timestamp| latest <= moment) {
            then = Some(stored.seq);
        }
    };
    let ledger = ledger(client, client.existing_store()?, at);
    ledger.walk(&mut see).await?;
    match then {
        Some(seq) => Ok(Some(ledger.state_at(seq).await?)),
        None => Ok(None),
    }
}

pub(super) async fn events(client: &LocalClient, at: &LedgerAt) -> Result<Vec<GapEvent>, Error> {
    let mut list = Vec::new();
    let mut see = |stored: &StoredEvent, event: &LedgerEvent| {
        let told = words::told(event);
        // Of an event about many gaps each would get all the others, too.
        let data = (told.len() == 1).then(|| serde_json::from_slice(&stored.event.data).unwrap_or_default());
        list.extend(told.into_iter().map(|(gap, text)| GapEvent {
            seq: stored.seq,
            at: event.at().unwrap_or(stored.at),
            kind: stored.event.kind.clone(),
            gap: gap.map(str::to_owned),
            text,
            data: data.clone().unwrap_or_default(),
        }));
    };
    ledger(client, client.existing_store()?, at).walk(&mut see).await?;
    Ok(list)
}
