//! Journals that the simulator left: what drivers, keepers, people and faults did to each other, as nobody would script it.
//!
//! `piton-sim --kind KIND --seed S --journal > journals/simulated-KIND-S/events.ndjson` wrote each. They are few and short:
//! together with the scripted ones they hold every event, which `complete` proves.

use super::{compare_folded, ledgers, loops, workflows};

#[test]
fn what_happened_to_a_loop_folds_and_renders_as_it_did() {
    compare_folded("simulated-loop-20", loops::views);
}

#[test]
fn what_happened_to_workflows_folds_and_renders_as_it_did() {
    for seed in [26, 49, 74, 81] {
        compare_folded(&format!("simulated-workflow-{seed}"), workflows::views);
    }
}

#[test]
fn what_happened_to_a_ledger_folds_and_renders_as_it_did() {
    compare_folded("simulated-ledger-47", ledgers::views);
}
