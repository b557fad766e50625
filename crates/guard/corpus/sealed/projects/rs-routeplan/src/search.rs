use crate::Map;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::fmt;

/// A way from one place to another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Route {
    pub length: u32,
    pub places: Vec<String>,
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.places.join(" > "), self.length)
    }
}

/// The shortest way, or `None` when there is none or a place is unknown.
pub fn shortest(map: &Map, from: &str, to: &str) -> Option<Route> {
    if !map.has(from) || !map.has(to) {
        return None;
    }
    let mut done = HashSet::new();
    let mut queue = BinaryHeap::new();
    queue.push(Reverse((0u32, 1usize, vec![from.to_string()])));
    while let Some(Reverse((length, count, places))) = queue.pop() {
        let here = places.last()?.clone();
        if here == to {
            return Some(Route { length, places });
        }
        if !done.insert(here.clone()) {
            continue;
        }
        for (next, road) in map.roads_from(&here) {
            if !done.contains(next) {
                let mut longer = places.clone();
                longer.push(next.to_string());
                queue.push(Reverse((length + road, count + 1, longer)));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::{fixture, rstest};

    #[fixture]
    fn town() -> Map {
        Map::parse("A - B 4\nB - C 3\nA - C 7\nC -> D 2\nD -> A 1\nE - F 1").unwrap()
    }

    #[rstest]
    #[case("A", "B", "A > B (4)")]
    #[case("A", "C", "A > C (7)")]
    #[case("A", "D", "A > C > D (9)")]
    #[case("D", "B", "D > A > B (5)")]
    #[case("C", "A", "C > D > A (3)")]
    #[case("A", "A", "A (0)")]
    fn finds_the_shortest(town: Map, #[case] from: &str, #[case] to: &str, #[case] expected: &str) {
        assert_eq!(shortest(&town, from, to).unwrap().to_string(), expected);
    }

    #[rstest]
    #[case("A", "E")]
    #[case("A", "Z")]
    #[case("Z", "A")]
    fn finds_none(town: Map, #[case] from: &str, #[case] to: &str) {
        assert_eq!(shortest(&town, from, to), None);
    }
}
