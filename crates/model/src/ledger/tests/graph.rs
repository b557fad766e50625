//! Cycles and order.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

fn blocks(id: &str, others: &[&str]) -> Gap {
    gap(id).with(|gap| gap.blocks = names(others))
}

fn chain(length: usize, last: &[&str]) -> Vec<Gap> {
    let name = |number: usize| format!("g{number:06}");
    let mut gaps: Vec<Gap> =
        (0..length - 1).map(|number| blocks(&name(number), &[&name(number + 1)])).collect();
    gaps.push(blocks(&name(length - 1), last));
    gaps
}

#[test]
fn chains_and_diamonds_have_no_cycle() {
    let diamond = [blocks("a", &["b", "c"]), blocks("b", &["d"]), blocks("c", &["d"]), gap("d")];
    assert_eq!(detect_cycles(&diamond), Vec::<Vec<&str>>::new());
    assert_eq!(detect_cycles(&chain(10, &[])), Vec::<Vec<&str>>::new());
}

#[test]
fn a_cycle_is_closed_and_in_path_order() {
    let gaps = [blocks("a", &["b"]), blocks("b", &["c"]), blocks("c", &["a"]), blocks("d", &["a", "ghost"])];
    assert_eq!(detect_cycles(&gaps), [["a", "b", "c", "a"]]);
}

#[test]
fn independent_cycles_are_all_reported() {
    let gaps = [
        blocks("a", &["b"]),
        blocks("b", &["a"]),
        blocks("c", &["c"]),
        blocks("d", &["e"]),
        blocks("e", &["d"]),
    ];
    assert_eq!(detect_cycles(&gaps), [vec!["a", "b", "a"], vec!["c", "c"], vec!["d", "e", "d"]]);
}

#[test]
fn both_sides_of_one_edge_are_one_edge() {
    let gaps = [blocks("a", &["b"]), gap("b").with(|gap| gap.blocked_by = names(&["a"]))];
    assert_eq!(detect_cycles(&gaps), Vec::<Vec<&str>>::new());
    // To block what one waits for is a contradiction.
    let gaps = [blocks("a", &["b"]).with(|gap| gap.blocked_by = names(&["b"])), gap("b")];
    assert_eq!(detect_cycles(&gaps), [["a", "b", "a"]]);
}

#[test]
fn a_very_long_cycle_needs_no_deep_stack() {
    let gaps = chain(100_000, &["g000000"]);
    let cycles = detect_cycles(&gaps);
    assert_eq!((cycles.len(), cycles[0].len()), (1, 100_001));
    assert_eq!(sort_gaps(&gaps).cycled.len(), 100_000);
    assert_eq!(sort_gaps(&chain(100_000, &[])).ordered[99_999].id, "g099999");
}

#[test]
fn very_many_cycles_stay_bounded() {
    let mut gaps = chain(20_000, &[]);
    for gap in &mut gaps {
        gap.blocks.push("g000000".to_owned());
    }
    let named: usize = detect_cycles(&gaps).iter().map(Vec::len).sum();
    assert!(named < 1_100_000, "{named} names");
    assert_eq!(sort_gaps(&gaps).cycled.len(), 20_000);
}

#[test]
fn order_is_dependency_then_priority_then_id() {
    let gaps = [
        gap("high").with(|gap| {
            gap.priority = 5;
            gap.blocked_by = names(&["low"]);
        }),
        gap("low").with(|gap| gap.priority = 1),
        gap("b"),
        gap("a"),
    ];
    assert_eq!(ids(sort_gaps(&gaps).ordered), ["a", "b", "low", "high"]);
}

#[test]
fn gaps_on_a_cycle_come_last_and_none_is_dropped() {
    let gaps = [
        blocks("a", &["b"]).with(|gap| gap.priority = 1),
        blocks("b", &["a", "behind"]).with(|gap| gap.priority = 5),
        gap("behind"),
        verified("z", 1),
    ];
    let sorted = sort_gaps(&gaps);
    assert_eq!(ids(sorted.ordered.iter().copied()), ["behind", "z", "b", "a"]);
    assert_eq!(ids(sorted.cycled.iter().copied()), ["b", "a"]);
    assert!(sorted.has_cycles());
    assert!(sort_gaps(&[]).ordered.is_empty());
}

fn edges(gaps: &[Gap]) -> HashSet<(&str, &str)> {
    let known: HashSet<&str> = gaps.iter().map(|gap| gap.id.as_str()).collect();
    let all = gaps.iter().flat_map(|gap| {
        let own = gap.id.as_str();
        let forward = gap.blocks.iter().map(move |to| (own, to.as_str()));
        forward.chain(gap.blocked_by.iter().map(move |from| (from.as_str(), own)))
    });
    all.filter(|(from, to)| known.contains(from) && known.contains(to)).collect()
}

/// Whether there is a way from one to the other, by looking at all of them.
fn reaches(edges: &HashSet<(&str, &str)>, from: &str, to: &str) -> bool {
    let mut seen: HashSet<&str> = edges.iter().filter(|edge| edge.0 == from).map(|edge| edge.1).collect();
    loop {
        let more: HashSet<&str> =
            edges.iter().filter(|edge| seen.contains(edge.0)).map(|edge| edge.1).collect();
        if more.is_subset(&seen) {
            return seen.contains(to);
        }
        seen.extend(more);
    }
}

proptest! {
    #[test]
    fn the_order_respects_every_edge_off_the_cycles(gaps in any::gaps()) {
        let sorted = sort_gaps(&gaps);
        let mut all = ids(sorted.ordered.iter().copied());
        let place = |id: &str| all.iter().position(|other| *other == id).unwrap();
        let cycled: HashSet<&str> = sorted.cycled.iter().map(|gap| gap.id.as_str()).collect();
        for (from, to) in edges(&gaps) {
            if !cycled.contains(from) && !cycled.contains(to) {
                prop_assert!(place(from) < place(to), "{from} before {to}");
            }
        }
        let mut given = ids(&gaps);
        given.sort_unstable();
        all.sort_unstable();
        prop_assert_eq!(all, given);
    }

    #[test]
    fn a_gap_is_on_a_cycle_exactly_when_it_reaches_itself(gaps in any::gaps()) {
        let edges = edges(&gaps);
        let cycled: HashSet<&str> = sort_gaps(&gaps).cycled.iter().map(|gap| gap.id.as_str()).collect();
        for gap in &gaps {
            prop_assert_eq!(cycled.contains(gap.id.as_str()), reaches(&edges, &gap.id, &gap.id), "{}", gap.id);
        }
        let cycles = detect_cycles(&gaps);
        prop_assert_eq!(cycles.is_empty(), cycled.is_empty());
        for cycle in cycles {
            prop_assert_eq!(cycle.first(), cycle.last());
            for pair in cycle.windows(2) {
                prop_assert!(edges.contains(&(pair[0], pair[1])));
            }
        }
    }
}

#[test]
fn only_a_cycle_that_a_new_edge_closes_is_new() {
    let old = [blocks("a", &["b"]), blocks("b", &["a"]), gap("c"), gap("d")];
    let aside = [blocks("a", &["b", "c"]), blocks("b", &["a"]), blocks("c", &["d"]), gap("d")];
    assert_eq!(cycles_since(&old, &aside), []);
    let closed = [blocks("a", &["b", "c"]), blocks("b", &["a"]), blocks("c", &["d"]), blocks("d", &["a"])];
    let found: Vec<String> = cycles_since(&aside, &closed).iter().map(ToString::to_string).collect();
    assert_eq!(found, ["these wait for each other: a -> c -> d -> a; take one edge out"]);
}
