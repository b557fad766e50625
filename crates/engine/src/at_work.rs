//! Whether something that could write files was at work at a moment that has passed.
//!
//! What a person writes into a file of a workflow counts, and a step without walls can write there, too. So it is asked when the
//! file was changed, by the clock of the system, and what the journal says of that moment.

use piton_model::{Kind, Machine, RunId, Seq, State, Timestamp, cycle, ledger_machine, workflow};
use piton_store::Store;

use crate::client::ClientError;
use crate::load::load_at;

/// The clock of a file system lags behind by so much.
const TICK_MS: u64 = 20;

/// Events read at a time.
const PAGE: u64 = 256;

/// Whether something of `run` worked at this moment, outside of walls.
pub(crate) async fn of_run(store: &dyn Store, run: &RunId, moment: Timestamp) -> Result<bool, ClientError> {
    let row = store.row(run).await?;
    let mut last = None;
    for moment in [moment, moment.plus_millis(TICK_MS)] {
        let seq = last_before(store, run, row.head.seq, moment).await?;
        if seq > 0 && last != Some(seq) && worked(store, run, row.entry.kind, seq).await? {
            return Ok(true);
        }
        last = Some(seq);
    }
    Ok(false)
}

/// Whether something of the runs around worked then: that whose step it is, and so on.
pub(crate) async fn around(
    store: &dyn Store,
    mut run: Option<RunId>,
    moment: Timestamp,
) -> Result<bool, ClientError> {
    while let Some(outer) = run {
        if of_run(store, &outer, moment).await? {
            return Ok(true);
        }
        run = load_at::<workflow::State>(store, &outer, Seq::MAX).await?.state.options.parent;
    }
    Ok(false)
}

/// The last event that was recorded at this moment or before; 0 where there is none.
async fn last_before(
    store: &dyn Store,
    run: &RunId,
    head: Seq,
    moment: Timestamp,
) -> Result<Seq, ClientError> {
    let mut end = head;
    while end > 0 {
        let from = end.saturating_sub(PAGE - 1).max(1);
        let events = store.read(run, from, (end - from + 1) as usize).await?;
        if let Some(found) = events.iter().rev().find(|event| event.at <= moment) {
            return Ok(found.seq);
        }
        end = from - 1;
    }
    Ok(0)
}

/// Whether something of the run works after this event, outside of walls.
async fn worked(store: &dyn Store, run: &RunId, kind: Kind, seq: Seq) -> Result<bool, ClientError> {
    Ok(match kind {
        // Its checks run what the agent wrote.
        Kind::Loop => {
            let state = load_at::<State>(store, run, seq).await?.state;
            state.config.confine.is_none() && !state.is_at_rest()
        }
        Kind::Workflow => {
            let state = load_at::<workflow::State>(store, run, seq).await?.state;
            let gates = |effect: &workflow::Effect| matches!(effect, workflow::Effect::Gates { .. });
            // A step whose work is a run that asks a person does nothing meanwhile.
            let steps = || state.steps.iter().any(|step| step.open.is_some() && step.asks.is_none());
            state.options.confine.is_none() && (steps() || state.effects().iter().any(gates))
        }
        Kind::Cycle => {
            let state = load_at::<cycle::State>(store, run, seq).await?.state;
            state.config.confine.is_none() && !state.is_at_rest()
        }
        Kind::Ledger => {
            let state = load_at::<ledger_machine::State>(store, run, seq).await?.state;
            state.research.is_some_and(|research| research.open.is_some())
        }
    })
}
