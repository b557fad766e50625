//! Exact amounts with two decimals.
mod account;
mod money;

pub use account::{Account, AccountError};
pub use money::{allocate, format, parse, percent, Money, MoneyError};
