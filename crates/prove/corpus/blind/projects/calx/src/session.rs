use std::collections::VecDeque;

use crate::error::CalcError;
use crate::eval::{evaluate, show, Env};
use crate::lexer::{tokens, Token};
use crate::parser::parse_tokens;

/// Where the values of currencies come from, such as `EUR`.
pub trait Rates {
    fn rate(&mut self, name: &str) -> Option<f64>;
}

/// Knows the values given so far and the last answer, `ans`.
pub struct Session<R: Rates> {
    pub rates: R,
    env: Env,
    history: VecDeque<String>,
    keep: usize,
}

impl<R: Rates> Session<R> {
    pub fn new(rates: R, keep: usize) -> Self {
        Session { rates, env: Env::new(), history: VecDeque::new(), keep }
    }

    /// `x = 2*3` gives a value to x, anything else is worked out. None for empty lines.
    pub fn enter(&mut self, line: &str) -> Result<Option<f64>, CalcError> {
        let mut tokens = tokens(line)?;
        if tokens.is_empty() {
            return Ok(None);
        }
        let target = match &tokens[..] {
            [(Token::Name(name), _), (Token::Sign('='), _), ..] => Some(name.clone()),
            _ => None,
        };
        if target.is_some() {
            tokens.drain(..2);
        }
        self.fetch(&tokens);
        let value = evaluate(&parse_tokens(tokens)?, &self.env)?;
        self.env.insert(target.unwrap_or_else(|| "ans".to_string()), value);
        if self.history.len() == self.keep {
            self.history.pop_front();
        }
        self.history.push_back(format!("{} -> {}", line.trim(), show(value)));
        Ok(Some(value))
    }

    /// Names of three capitals are currencies; each is asked for once.
    fn fetch(&mut self, tokens: &[(Token, usize)]) {
        for (token, _) in tokens {
            let Token::Name(name) = token else { continue };
            let currency = name.len() == 3 && name.bytes().all(|b| b.is_ascii_uppercase());
            if currency && !self.env.contains_key(name) {
                if let Some(rate) = self.rates.rate(name) {
                    self.env.insert(name.clone(), rate);
                }
            }
        }
    }

    /// The last lines with their values, the oldest first.
    pub fn history(&self) -> Vec<&str> {
        self.history.iter().map(String::as_str).collect()
    }

    /// What a page of lines looks like with its answers beside it.
    pub fn page(&mut self, text: &str) -> String {
        let width = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        let mut out = String::new();
        for line in text.lines() {
            let answer = match self.enter(line) {
                Ok(None) => String::new(),
                Ok(Some(value)) => show(value),
                Err(error) => format!("! {error}"),
            };
            out.push_str(format!("{line:width$} | {answer}").trim_end());
            out.push('\n');
        }
        out
    }
}
