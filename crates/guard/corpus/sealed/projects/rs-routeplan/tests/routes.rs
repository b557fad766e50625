use proptest::prelude::*;
use routeplan::{shortest, tour, Map, MapError, TourError};
use rstest::rstest;

const VALLEY: &str = include_str!("maps/valley.map");

fn valley() -> Map {
    Map::parse(VALLEY).expect("the valley is a map")
}

/// Checks that a route is made of roads, and as long as they are together.
fn check_route(map: &Map, places: &[String], length: u32) {
    let sum: u32 = places.windows(2).map(|pair| map.length(&pair[0], &pair[1]).expect("a road")).sum();
    assert_eq!(sum, length, "{places:?}");
}

#[test]
fn all_routes_are_the_golden_ones() {
    let map = valley();
    let mut out = String::new();
    for from in map.places() {
        for to in map.places().filter(|to| *to != from) {
            let route = shortest(&map, from, to).expect("everything can be reached");
            check_route(&map, &route.places, route.length);
            out += &format!("{route}\n");
        }
    }
    assert_eq!(out, include_str!("maps/valley.routes"));
}

#[rstest]
#[case("A - B", MapError::Unreadable { line: 1 })]
#[case("A = B 3", MapError::Unreadable { line: 1 })]
#[case("A - B 3\nB - C 0", MapError::Length { line: 2, text: "0".into() })]
#[case("A - B 1001", MapError::Length { line: 1, text: "1001".into() })]
#[case("A - B -1", MapError::Length { line: 1, text: "-1".into() })]
#[case("A - A 3", MapError::Loop { line: 1 })]
#[case("A - B 3\n\nB -> A 4", MapError::Twice { line: 3 })]
fn broken_maps_are_refused(#[case] text: &str, #[case] expected: MapError) {
    assert_eq!(Map::parse(text), Err(expected));
}

#[test]
fn errors_name_the_line() {
    let error = Map::parse("# one\nA - B x").unwrap_err();
    assert_eq!(error.to_string(), "line 2: 'x' is no length");
}

#[rstest]
#[case(&["Aach", "Bern"], 24)]
#[case(&["Aach", "Egg", "Bern"], 38)]
#[case(&["Aach", "Bern", "Chur", "Dole"], 45)]
#[case(&["Dole", "Egg"], 46)]
fn tours_are_the_shortest(#[case] stops: &[&str], #[case] length: u32) {
    let map = valley();
    let route = tour(&map, stops).unwrap();
    assert_eq!(route.length, length);
    assert_eq!(route.places.first(), route.places.last());
    for stop in stops {
        assert!(route.places.iter().any(|place| place == stop), "{stop} is left out");
    }
    check_route(&map, &route.places, route.length);
}

#[rstest]
#[case(&[], TourError::TooFew)]
#[case(&["Aach"], TourError::TooFew)]
#[case(&["Aach", "Zug"], TourError::Unknown("Zug".into()))]
#[case(&["Aach"; 9], TourError::TooMany(9))]
fn impossible_tours(#[case] stops: &[&str], #[case] expected: TourError) {
    assert_eq!(tour(&valley(), stops), Err(expected));
}

#[test]
fn a_tour_needs_a_way_back() {
    let map = Map::parse("A -> B 1").unwrap();
    assert_eq!(tour(&map, &["A", "B"]), Err(TourError::Unreachable));
}

fn maps() -> impl Strategy<Value = Map> {
    proptest::collection::btree_map((0u8..7, 0u8..7), 1u32..50, 1..20).prop_map(|roads| {
        let lines: Vec<String> = roads
            .into_iter()
            .filter(|((from, to), _)| from != to)
            .map(|((from, to), length)| format!("P{from} -> P{to} {length}"))
            .collect();
        Map::parse(&lines.join("\n")).expect("a map")
    })
}

proptest! {
    #[test]
    fn no_detour_is_shorter(map in maps(), a in 0u8..7, b in 0u8..7, c in 0u8..7) {
        let [a, b, c] = [a, b, c].map(|number| format!("P{number}"));
        let direct = shortest(&map, &a, &c).map(|route| route.length);
        if let (Some(first), Some(second)) = (shortest(&map, &a, &b), shortest(&map, &b, &c)) {
            let detour = first.length + second.length;
            prop_assert!(direct.is_some_and(|length| length <= detour));
        }
    }

    #[test]
    fn routes_are_made_of_roads(map in maps(), a in 0u8..7, b in 0u8..7) {
        if let Some(route) = shortest(&map, &format!("P{a}"), &format!("P{b}")) {
            check_route(&map, &route.places, route.length);
            let mut seen = route.places.clone();
            seen.sort();
            seen.dedup();
            prop_assert_eq!(seen.len(), route.places.len());
        }
    }
}
