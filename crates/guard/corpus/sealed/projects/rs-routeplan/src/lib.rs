//! Shortest ways through small maps.

pub mod map;
pub mod search;
pub mod tour;

pub use map::{Map, MapError};
pub use search::{shortest, Route};
pub use tour::{tour, TourError};
