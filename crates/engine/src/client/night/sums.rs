//! What each run used, beside the journal: so that the morning folds only runs that changed since they were folded last.
//!
//! A line per run in `.piton/sums`, with the last event that it counts. It is a view: what is not there, or not of the newest event,
//! is folded and written again, and a line that cannot be read is none. Whoever drives a run adds its line when it comes to rest.

use std::collections::BTreeMap;

use piton_model::{RunId, Seq};
use piton_store::RunRow;
use piton_sys::file::{self, Durability};
use piton_view::{Error, StateOf};
use serde::{Deserialize, Serialize};

use crate::client::LocalClient;
use crate::layout::Layout;

/// A larger file is begun anew.
const BYTES_MAX: u64 = 8 << 20;

/// Lines of runs that are not known any more, or were written over, before the file is written anew.
const STALE_MAX: usize = 500;

/// What a run used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sum {
    /// The last event that it counts.
    seq: Seq,
    pub(crate) cost_microusd: u64,
    /// Some of it was not reported.
    pub(crate) cost_unknown: bool,
    pub(crate) tokens: u64,
    pub(crate) working_ms: u64,
    /// Iterations that were refused.
    pub(crate) refused: u32,
    /// Whether no other run counts the same: what items and steps use is counted once.
    pub(crate) counts: bool,
}

#[derive(Serialize, Deserialize)]
struct Line {
    run: RunId,
    #[serde(flatten)]
    sum: Sum,
}

/// What these runs used.
pub(crate) async fn of(client: &LocalClient, rows: &[&RunRow]) -> Result<BTreeMap<RunId, Sum>, Error> {
    let (known, lines) = read(client.layout());
    let (mut sums, mut new) = (BTreeMap::new(), Vec::new());
    for row in rows {
        let run = &row.entry.run_id;
        if let Some(sum) = known.get(run).filter(|sum| sum.seq == row.head.seq) {
            sums.insert(run.clone(), sum.clone());
            continue;
        }
        let Some(loaded) = LocalClient::unless_damaged(client.load_any(run, None).await)? else { continue };
        let sum = Sum { seq: loaded.head, ..of_state(&loaded.state) };
        new.push(line(run, &sum));
        sums.insert(run.clone(), sum);
    }
    let path = client.layout().state().join("sums");
    // A view that cannot be written is made again the next time.
    if lines > known.len() + STALE_MAX {
        let all = known.iter().filter(|(run, _)| !sums.contains_key(*run)).chain(&sums);
        let text: String = all.map(|(run, sum)| line(run, sum)).collect();
        let _ = file::write_atomic(&path, text.as_bytes(), Durability::Unsynced);
    } else if !new.is_empty() {
        let _ = file::append(&path, new.concat().as_bytes());
    }
    Ok(sums)
}

/// A run came to rest: what it used is written down.
pub(crate) async fn at_rest(client: &LocalClient, run: &RunId) {
    let Ok(loaded) = client.load_any(run, None).await else { return };
    let sum = Sum { seq: loaded.head, ..of_state(&loaded.state) };
    let _ = file::append(&client.layout().state().join("sums"), line(run, &sum).as_bytes());
}

fn line(run: &RunId, sum: &Sum) -> String {
    let line = Line { run: run.clone(), sum: sum.clone() };
    let text = serde_json::to_string(&line).expect("a sum is plain data");
    // A line that a crash cut off spoils only itself.
    format!("\n{text}\n")
}

fn read(layout: &Layout) -> (BTreeMap<RunId, Sum>, usize) {
    let bytes =
        file::read_regular(&layout.state().join("sums"), BYTES_MAX).ok().flatten().unwrap_or_default();
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let (mut sums, mut count) = (BTreeMap::new(), 0);
    for line in lines {
        count += 1;
        if let Ok(Line { run, sum }) = serde_json::from_slice(line) {
            sums.insert(run, sum);
        }
    }
    (sums, count)
}

/// What a run used, by its state.
pub(crate) fn of_state(state: &StateOf) -> Sum {
    match state {
        StateOf::Loop(state) => {
            let counters = &state.counters;
            Sum {
                seq: 0,
                cost_microusd: counters.cost_microusd,
                cost_unknown: counters.cost_unknown > 0,
                tokens: counters.tokens,
                working_ms: counters.working_ms,
                refused: counters.refused,
                counts: true,
            }
        }
        StateOf::Workflow(state) => {
            let counters = &state.counters;
            Sum {
                seq: 0,
                cost_microusd: counters.cost_microusd,
                cost_unknown: counters.cost_unknown > 0,
                tokens: counters.tokens,
                working_ms: counters.working_ms,
                refused: 0,
                counts: state.options.queue.is_none() && state.options.parent.is_none(),
            }
        }
        StateOf::Cycle(state) => {
            let counters = &state.counters;
            Sum {
                seq: 0,
                cost_microusd: counters.cost_microusd,
                cost_unknown: counters.cost_unknown > 0,
                tokens: counters.tokens,
                working_ms: counters.working_ms,
                refused: 0,
                counts: true,
            }
        }
        StateOf::Ledger(_) => Sum::default(),
    }
}
