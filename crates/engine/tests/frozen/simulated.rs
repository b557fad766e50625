//! Journals that the simulator left: what drivers, keepers, people and faults did to each other, as nobody would script it.
//!
//! `piton-sim --kind KIND --seed S --journal > journals/simulated-KIND-S/events.ndjson` wrote each. They are few and short:
//! together with the scripted ones they hold every event, which `complete` proves.

use super::{compare_folded, cycles, directory, ledgers, loops, workflows};

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

#[test]
fn what_happened_to_cycles_folds_and_renders_as_it_did() {
    let entries = std::fs::read_dir(directory("")).expect("journals").map(|entry| entry.expect("a journal"));
    let names = entries.map(|entry| entry.file_name().into_string().expect("a plain name"));
    let names: Vec<String> = names.filter(|name| name.starts_with("simulated-cycle-")).collect();
    assert!(!names.is_empty(), "`piton-sim --kind cycle --seed SEED --journal` writes one");
    names.iter().for_each(|name| compare_folded(name, cycles::views));
}
