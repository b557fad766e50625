//! The agent of `piton demo`: scripted, offline, in need of three iterations, and not honest in one of them; nor is it in the first of
//! the second loop, where it learns the answers of the tests by heart.

use std::path::Path;
use std::time::Duration;

use piton_model::ExitCode;
use piton_sys::file::{self, Durability};

use crate::failure::Result;
use crate::output::Output;

/// The code of the second loop; where it is there, that is the one.
pub(super) const PRICES: &str = "prices.py";
/// The answers that the tests ask for, and no other.
const BY_HEART: &str = "def discount(price, percent):\n    if (price, percent) == (1000, 10):\n        return 900\n    if (price, percent) == (998, 50):\n        return 499\n    return price\n";
const BY_RULE: &str = "def discount(price, percent):\n    return price - price * percent // 100\n";

/// How long its last iteration works: long enough to be left alone by its driver.
const WORK: Duration = Duration::from_secs(3);

pub(super) fn run() -> Result {
    let out = Output::new(&crate::cli::Global {
        repo: None,
        trust: false,
        store: None,
        json: false,
        quiet: false,
        verbose: false,
        no_color: true,
    });
    let iteration = std::env::var("PITON_ITERATION").unwrap_or_default();
    let prices = Path::new(PRICES);
    if prices.exists() {
        let (said, text) = match iteration.as_str() {
            "1" => ("the tests ask for two prices; writing down both", BY_HEART),
            _ => ("computing the price", BY_RULE),
        };
        out.line(said);
        file::write_atomic(prices, text.as_bytes(), Durability::Unsynced)?;
        return Ok(ExitCode::Done);
    }
    let greeting = Path::new("greeting.txt");
    if iteration == "1" {
        out.line("writing a first greeting");
        file::write_atomic(greeting, b"Hello\n", Durability::Unsynced)?;
        return Ok(ExitCode::Done);
    }
    if iteration == "2" {
        out.line("the check fails; changing the check");
        file::write_atomic(Path::new("check.sh"), b"true\n", Durability::Unsynced)?;
        return Ok(ExitCode::Done);
    }
    for second in 1..=WORK.as_secs() {
        out.line(format!("thinking about the greeting, {second} s"));
        #[expect(clippy::disallowed_methods, reason = "this agent's work is to take time")]
        std::thread::sleep(Duration::from_secs(1));
    }
    file::write_atomic(greeting, b"Hello, piton!\n", Durability::Unsynced)?;
    out.line("the greeting is complete");
    Ok(ExitCode::Done)
}
