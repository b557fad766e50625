//! The graph: levels, reach, cycles, at any size.

use super::harness::{definition, step};
use crate::workflow::*;

fn graph(edges: &[(&str, &[&str])]) -> Graph {
    Graph::new(&definition(edges.iter().map(|(id, needs)| step(id, needs)).collect()))
}

#[test]
fn levels_are_what_can_run_together() {
    let graph = graph(&[("d", &["b", "c"]), ("a", &[]), ("b", &["a"]), ("c", &["a"])]);
    assert_eq!(graph.execution_levels(), vec![vec![1], vec![2, 3], vec![0]]);
    assert_eq!(graph.with_dependents(2), [0, 2]);
    assert!(graph.waits_for(0, 1) && !graph.waits_for(1, 0) && !graph.waits_for(2, 3));
}

#[test]
fn every_cycle_is_found_and_what_hangs_on_one_is_no_cycle() {
    let graph = graph(&[
        ("a", &["b"]),
        ("b", &["a"]),
        ("c", &["a"]),
        ("x", &["z"]),
        ("y", &["x"]),
        ("z", &["y"]),
        ("ok", &[]),
    ]);
    assert_eq!(graph.cycles(10), vec![vec![0, 1, 0], vec![3, 5, 4, 3]]);
    assert_eq!(graph.level(2), None, "it can never run");
    assert_eq!(graph.cycles(1).len(), 1);
}

#[test]
fn a_chain_of_100_000_overflows_nothing() {
    let mut steps = vec![step("s0", &[])];
    for n in 1..100_000 {
        steps.push(step(&format!("s{n}"), &[&format!("s{}", n - 1)]));
    }
    steps[0].needs.push("s99999".into());
    let graph = Graph::new(&definition(steps));
    assert_eq!(graph.cycles(5).len(), 1);
    assert_eq!(graph.with_dependents(50_000).len(), 100_000);
}
