//! The sum of what an agent's output said.

use piton_model::loop_machine::{ErrorClass, Usage};

use super::Said;

/// What is kept of the agent's last words.
const TEXT_BYTES_MAX: usize = 8 << 10;

/// Warnings that are kept.
const WARNINGS_MAX: usize = 16;

/// What an attempt's output came to. Absent means that it said nothing of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Account {
    /// The conversation it had.
    pub session_id: Option<String>,
    /// Its last words.
    pub text: Option<String>,
    /// Tokens used; of the whole session where the agent counts so.
    pub usage: Option<Usage>,
    /// Dollars used; of the whole session where the agent counts so.
    pub cost_usd: Option<f64>,
    /// Tokens the conversation takes up, and may take up.
    context: (Option<u64>, Option<u64>),
    context_percent: Option<f64>,
    /// The provider refuses further calls until this moment, in seconds since 1970.
    pub limited_until: Option<i64>,
    /// Of what it failed.
    pub error_class: Option<ErrorClass>,
    /// Its failure, in words.
    pub failure: Option<String>,
    /// What a person should know besides.
    pub warnings: Vec<String>,
    /// It was not allowed to use some tool.
    pub denied: bool,
    /// It came to its end by itself.
    pub finished: bool,
    /// Lines that were understood.
    pub lines_known: u64,
    /// Lines that were not.
    pub lines_unknown: u64,
}

impl Account {
    /// Takes in one more thing.
    pub fn hear(&mut self, said: Said<'_>) {
        match said {
            Said::Session(id) => self.session_id = Some(id.into_owned()),
            Said::Text(text) => self.text = Some(clip(&text).to_owned()),
            Said::MoreText(text) => {
                let all = self.text.get_or_insert_default();
                if all.len() < TEXT_BYTES_MAX {
                    all.push_str(clip(&text));
                }
            }
            Said::Tool { .. } => {}
            Said::Used(usage) => self.usage = Some(add(self.usage.unwrap_or_default(), usage)),
            Said::UsedInAll(usage) => self.usage = Some(usage),
            Said::Cost(cost) => self.cost_usd = Some(self.cost_usd.unwrap_or(0.0) + cost),
            Said::CostInAll(cost) => self.cost_usd = Some(cost),
            Said::ContextTokens(tokens) => self.context.0 = Some(tokens),
            Said::ContextWindow(tokens) => self.context.1 = Some(tokens),
            Said::ContextPercent(percent) => self.context_percent = Some(percent),
            Said::LimitedUntil(at) => self.limited_until = Some(at),
            Said::Failure { class, message } => {
                // The last word counts; a class that is known is not forgotten for one that is not.
                self.error_class = class.or(self.error_class);
                self.failure = Some(clip(&message).to_owned());
            }
            Said::Warning(text) => self.warn(clip(&text)),
            Said::Denied(tool) => {
                self.denied = true;
                self.warn(clip(&format!("a tool was denied: {tool}")));
            }
            Said::Finished => self.finished = true,
        }
    }

    fn warn(&mut self, text: &str) {
        if self.warnings.len() < WARNINGS_MAX && !self.warnings.iter().any(|known| known == text) {
            self.warnings.push(text.to_owned());
        }
    }

    pub(super) fn count(&mut self, known: bool) {
        *(if known { &mut self.lines_known } else { &mut self.lines_unknown }) += 1;
    }

    /// How full the context is, in per cent.
    pub fn context_percent(&self) -> Option<u8> {
        let percent = match self.context {
            (Some(tokens), Some(window)) if window > 0 => Some(100.0 * tokens as f64 / window as f64),
            _ => self.context_percent,
        };
        percent.map(|percent| percent.clamp(0.0, 100.0) as u8)
    }
}

fn add(a: Usage, b: Usage) -> Usage {
    let cached = match (a.cached_input_tokens, b.cached_input_tokens) {
        (None, None) => None,
        (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
    };
    Usage {
        input_tokens: a.input_tokens.saturating_add(b.input_tokens),
        output_tokens: a.output_tokens.saturating_add(b.output_tokens),
        cached_input_tokens: cached,
    }
}

fn clip(text: &str) -> &str {
    piton_model::limits::clip(text, TEXT_BYTES_MAX)
}
