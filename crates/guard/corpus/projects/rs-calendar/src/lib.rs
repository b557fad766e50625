//! Dates without time zones.
mod date;
mod duration;
mod text;

pub use date::{days_in_month, is_leap, Date, DateError, Weekday};
pub use duration::{format_duration, parse_duration};
pub use text::{ordinal, pluralize};
