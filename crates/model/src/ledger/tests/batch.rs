//! Table 4: the batch limiter.

use super::*;

fn urgent(id: &str, priority: i64) -> Gap {
    gap(id).with(|gap| gap.priority = priority)
}

fn ten() -> Vec<Gap> {
    (0..10).map(|number| urgent(&format!("g{number}"), 1 + number % 5)).collect()
}

#[test]
fn batch_selects_highest_priority() {
    let gaps = ten();
    assert_eq!(ids(select_batch(&gaps, 3)), ["g4", "g9", "g3"]);
}

#[test]
fn batch_respects_limit() {
    let gaps = ten();
    for max in 0..12 {
        assert_eq!(select_batch(&gaps, max).len(), max.min(10));
    }
}

#[test]
fn batch_breaks_ties_by_id() {
    let gaps = [gap("c"), gap("a"), gap("b")];
    assert_eq!(ids(select_batch(&gaps, 5)), ["a", "b", "c"]);
}

#[test]
fn batch_fewer_than_limit() {
    let gaps = [urgent("a", 1), urgent("b", 5)];
    assert_eq!(ids(select_batch(&gaps, 5)), ["b", "a"]);
}

#[test]
fn batch_empty_input() {
    assert_eq!(select_batch(&[], 5), Vec::<&Gap>::new());
}

/// What comes back is a collection of its own, of the very gaps that were given; the input keeps its order.
#[test]
fn batch_returns_tuple() {
    let gaps = [urgent("a", 1), urgent("b", 5)];
    let batch: Vec<&Gap> = select_batch(&gaps, 1);
    assert!(std::ptr::eq(batch[0], &gaps[1]));
    assert_eq!(ids(&gaps), ["a", "b"]);
}
