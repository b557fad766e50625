//! aider: words for people, of which one line counts tokens and money.
//!
//! `Tokens: 12k sent, 1.2k received. Cost: $0.04 message, $0.08 session.`

use piton_model::loop_machine::Usage;

use super::{Adapter, Said};

/// The adapter of aider.
pub(super) struct Cli;

impl Adapter for Cli {
    fn line<'a>(&self, line: &'a [u8], hear: &mut dyn FnMut(Said<'a>)) -> Option<()> {
        let line = std::str::from_utf8(line).ok()?;
        let Some(tokens) = line.strip_prefix("Tokens: ") else {
            hear(Said::MoreText(line.into()));
            hear(Said::MoreText("\n".into()));
            return Some(());
        };
        let (tokens, cost) = tokens.split_once("Cost: ").unwrap_or((tokens, ""));
        let mut usage = Usage::default();
        for part in tokens.trim_end_matches(['.', ' ']).split(", ") {
            let (number, what) = part.split_once(' ')?;
            match what {
                "sent" => usage.input_tokens = usage.input_tokens.saturating_add(thousands(number)?),
                "received" => usage.output_tokens = usage.output_tokens.saturating_add(thousands(number)?),
                _ => {}
            }
        }
        hear(Said::Used(usage));
        let of_message = cost.split(", ").find_map(|part| part.strip_suffix(" message"));
        if let Some(cost) = of_message.and_then(|cost| cost.strip_prefix('$')?.parse().ok()) {
            hear(Said::Cost(cost));
        }
        Some(())
    }

    fn says_when_it_ends(&self) -> bool {
        false
    }

    fn names_its_session(&self) -> bool {
        false
    }
}

/// `950`, `1.2k`, `3M`.
fn thousands(text: &str) -> Option<u64> {
    let (digits, times) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1e3),
        None => text.strip_suffix('M').map_or((text, 1.0), |digits| (digits, 1e6)),
    };
    let number: f64 = digits.replace(',', "").parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some((number * times) as u64)
}
