//! Morse code: text, signals and timing.

pub mod code;
pub mod keyer;
pub mod timing;

pub use code::{decode, encode, MorseError};
pub use keyer::{Keyer, Line};
pub use timing::{duration_ms, words_per_minute};
