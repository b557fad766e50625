//! A short pass, the plants, and histories made bad by hand: the checker must catch each.

mod cycles;
mod ledgers;
mod loops;
mod plants;
mod verdicts;
mod workflows;

use piton_model::Kind;

use crate::checker::check;
use crate::history::{Entry, History};
use crate::sim;

/// The first good history of this kind that has all these events. Which seed that is changes with the simulator.
fn first(kind: Kind, wanted: &[&str]) -> History {
    first_that(kind, |history| {
        wanted.iter().all(|wanted| history.events.iter().any(|event| event.kind == *wanted))
    })
}

fn first_that(kind: Kind, has: impl Fn(&History) -> bool) -> History {
    let mut histories = (0..3_000).map(|seed| sim::run(seed, kind, None, true, false).history);
    let history = histories.find(|history| has(history)).expect("some seed has it all");
    assert_eq!(check(&history), Ok(()));
    history
}

#[track_caller]
fn caught(history: &History, rule: &str) {
    match check(history) {
        Ok(()) => panic!("nothing was found, {rule} should have been"),
        Err(violation) => assert_eq!(violation.rule, rule, "{violation}"),
    }
}

/// Changes an event and mends the chain behind it, as somebody who can write the journal could.
fn rewrite(history: &mut History, index: usize, change: impl FnOnce(String) -> String) {
    let text = String::from_utf8(history.events[index].data.clone()).expect("JSON is text");
    let changed = change(text.clone());
    assert_ne!(changed, text, "nothing was changed");
    history.events[index].data = changed.into_bytes();
    mend(history);
}

fn mend(history: &mut History) {
    let run = history.run.parse().expect("a run id");
    let mut hash = piton_store::chain::genesis(&run);
    let commits: Vec<(u64, [u8; 16])> = history
        .log
        .iter()
        .filter_map(|entry| match entry {
            Entry::Commit { last, salt, .. } => Some((*last, *salt)),
            _ => None,
        })
        .collect();
    for event in &mut history.events {
        let salt = commits.iter().find(|(last, _)| *last >= event.seq).expect("committed").1;
        let payload = piton_store::chain::payload_digest(&salt, &event.data);
        let at = piton_model::Timestamp::from_millis(event.at_ms);
        hash = piton_store::chain::link(&hash, event.seq, at, &event.kind, event.version, &payload);
        event.hash = hash;
    }
    // What was acknowledged is not the matter here.
    history.log.retain(|entry| !matches!(entry, Entry::Acked { .. }));
}

fn find(history: &History, kind: &str) -> usize {
    history.events.iter().position(|event| event.kind == kind).expect("the history has one")
}

fn find_entry(history: &History, wanted: impl Fn(&Entry) -> bool) -> usize {
    history.log.iter().position(wanted).expect("the history has one")
}
