//! Sends messages over a line.

use crate::code::{encode, MorseError};
use crate::timing::duration_ms;

/// Where signals go.
pub trait Line {
    fn send(&mut self, code: &str) -> Result<(), MorseError>;
}

pub struct Keyer<L> {
    line: L,
    speed: u32,
    sent: Vec<String>,
    attempts: u32,
}

impl<L: Line> Keyer<L> {
    pub fn new(line: L, speed: u32) -> Result<Self, MorseError> {
        duration_ms("", speed)?;
        Ok(Self { line, speed, sent: Vec::new(), attempts: 2 })
    }

    /// Sends a message and says how long it takes.
    pub fn key(&mut self, text: &str) -> Result<f64, MorseError> {
        let code = encode(text)?;
        let mut last = Ok(());
        for _ in 0..self.attempts {
            last = self.line.send(&code);
            if last.is_ok() {
                break;
            }
        }
        last?;
        self.sent.push(text.to_string());
        duration_ms(&code, self.speed)
    }

    /// Abbreviations of operators, written without gaps between letters.
    pub fn prosign(&mut self, name: &str) -> Result<String, MorseError> {
        if !cfg!(feature = "prosigns") {
            return Err(MorseError::NoLetter(name.to_string()));
        }
        let code = encode(name)?.replace(' ', "");
        self.line.send(&code)?;
        Ok(code)
    }

    pub fn log(&self) -> String {
        let mut log = String::new();
        for (number, text) in self.sent.iter().enumerate() {
            log.push_str(&format!("{:03} {}\n", number + 1, text));
        }
        log
    }
}
