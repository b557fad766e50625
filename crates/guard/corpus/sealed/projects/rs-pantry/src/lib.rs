//! What is in the kitchen.
//!
//! ```
//! use pantry::Amount;
//! let flour: Amount = "1.5 kg".parse().unwrap();
//! assert_eq!(flour.to_string(), "1500 g");
//! ```

mod amount;
mod date;
mod parse;
mod report;
mod stock;

pub use amount::{Amount, AmountError, Unit};
pub use date::{Day, DayError};
pub use parse::{parse_stock, ParseError};
pub use report::report;
pub use stock::{Item, Stock, TakeError};
