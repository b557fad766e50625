use crate::{shortest, Map, Route};
use std::fmt;

pub const MOST_STOPS: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TourError {
    TooFew,
    TooMany(usize),
    Unknown(String),
    Unreachable,
}

impl fmt::Display for TourError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TourError::TooFew => write!(f, "a tour has two stops at least"),
            TourError::TooMany(count) => write!(f, "{count} stops are more than {MOST_STOPS}"),
            TourError::Unknown(place) => write!(f, "there is no {place}"),
            TourError::Unreachable => write!(f, "not every stop can be reached"),
        }
    }
}

impl std::error::Error for TourError {}

/// The shortest tour through all stops, from the first one and back to it.
pub fn tour(map: &Map, stops: &[&str]) -> Result<Route, TourError> {
    if stops.len() < 2 {
        return Err(TourError::TooFew);
    }
    if stops.len() > MOST_STOPS {
        return Err(TourError::TooMany(stops.len()));
    }
    if let Some(unknown) = stops.iter().find(|stop| !map.has(stop)) {
        return Err(TourError::Unknown(unknown.to_string()));
    }
    let mut best: Option<Route> = None;
    let mut rest: Vec<&str> = stops[1..].to_vec();
    permute(&mut rest, 0, &mut |order| {
        if let Some(route) = join(map, stops[0], order) {
            if best.as_ref().map_or(true, |known| (route.length, &route.places) < (known.length, &known.places)) {
                best = Some(route);
            }
        }
    });
    best.ok_or(TourError::Unreachable)
}

fn join(map: &Map, start: &str, order: &[&str]) -> Option<Route> {
    let mut route = Route { length: 0, places: vec![start.to_string()] };
    for stop in order.iter().copied().chain([start]) {
        let leg = shortest(map, route.places.last()?, stop)?;
        route.length += leg.length;
        route.places.extend(leg.places.into_iter().skip(1));
    }
    Some(route)
}

fn permute<'a>(items: &mut Vec<&'a str>, from: usize, visit: &mut dyn FnMut(&[&'a str])) {
    if from == items.len() {
        return visit(items);
    }
    for index in from..items.len() {
        items.swap(from, index);
        permute(items, from + 1, visit);
        items.swap(from, index);
    }
}
