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
    let mut walks = Walks::new(&graph, 100);
    assert_eq!(
        [(0, 1), (1, 0), (2, 3)].map(|(a, b)| walks.waits_for(&graph, a, b)),
        [Some(true), Some(false), Some(false)]
    );
}

#[test]
fn walks_reach_into_a_cycle_and_end_with_their_budget() {
    let graph = graph(&[("a", &["b"]), ("b", &["a", "free"]), ("free", &[]), ("behind", &["a"])]);
    let mut walks = Walks::new(&graph, 10);
    assert_eq!(walks.waits_for(&graph, 3, 1), Some(true), "through a, which is on a cycle");
    assert_eq!(walks.waits_for(&graph, 3, 2), Some(true), "through the whole of it");
    assert_eq!(walks.waits_for(&graph, 2, 3), Some(false));
    let asked = (0..10).map(|_| walks.waits_for(&graph, 3, 2)).filter(Option::is_some).count();
    assert!(asked < 3, "{asked} more walks with a budget of 10 edges");
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
