use std::time::{Duration, Instant};

use morse::timing::{clock, units, FASTEST};
use morse::{duration_ms, encode, words_per_minute, MorseError};

#[test]
fn paris_takes_a_minute_at_its_speed() {
    let paris = encode("paris").unwrap();
    let with_gap = duration_ms(&paris, 20).unwrap() + 7.0 * 60.0;
    assert!((with_gap - 3000.0).abs() < 1e-6, "{with_gap}");
}

#[test]
fn speeds_have_limits() {
    assert_eq!(duration_ms(".", 4), Err(MorseError::Speed(4)));
    assert_eq!(duration_ms(".", FASTEST + 1), Err(MorseError::Speed(61)));
    assert!(duration_ms(".", FASTEST).is_ok());
}

#[test]
fn speed_is_measured() {
    let code = encode("the quick brown fox").unwrap();
    let took = duration_ms(&code, 18).unwrap();
    assert_eq!(words_per_minute(&code, took), Ok(18));
}

#[test]
fn impossible_speeds_are_refused() {
    let error = words_per_minute("-----", 1.0).unwrap_err();
    assert_eq!(error.to_string(), "speed 22800 is out of range");
}

#[test]
fn a_long_message() {
    let code = encode(&"test ".repeat(100)).unwrap();
    assert_eq!(units(&code), 100 * 21 + 99 * 7);
    assert_eq!(clock(duration_ms(&code, 25).unwrap()), "2:14");
}

#[test]
fn encoding_is_quick() {
    let text = "quick ".repeat(20_000);
    let started = Instant::now();
    let code = encode(&text).unwrap();
    assert!(code.len() > text.len());
    assert!(started.elapsed() < Duration::from_secs(3));
}
