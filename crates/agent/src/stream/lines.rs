//! Any CLI that prints JSON lines: `[agents.NAME.fields]` says where each thing is found.

use std::borrow::Cow;
use std::collections::BTreeMap;

use piton_model::loop_machine::{StreamField, Usage};
use serde_json::Value;

use super::{Adapter, Said, problem};

/// The adapter of a CLI that a person described is that description.
impl Adapter for BTreeMap<StreamField, String> {
    fn line<'a>(&self, line: &'a [u8], hear: &mut dyn FnMut(Said<'a>)) -> Option<()> {
        let value: Value = serde_json::from_slice(line).ok()?;
        let at = |field| {
            self.get(&field).and_then(|pointer| value.pointer(pointer)).filter(|found| !found.is_null())
        };
        let text = |field| at(field).and_then(Value::as_str).map(|text| Cow::Owned(text.to_owned()));
        let number = |field| at(field).and_then(Value::as_f64).filter(|number| *number >= 0.0);
        let mut known = false;
        let mut say = |said: Said<'a>| {
            known = true;
            hear(said);
        };
        text(StreamField::Session).map(Said::Session).map(&mut say);
        text(StreamField::Text).map(Said::Text).map(&mut say);
        text(StreamField::Tool).map(|name| Said::Tool { name, detail: Cow::Borrowed("") }).map(&mut say);
        let tokens = (number(StreamField::InputTokens), number(StreamField::OutputTokens));
        if tokens != (None, None) {
            let count = |tokens: Option<f64>| tokens.map_or(0, |tokens| tokens as u64);
            let (input_tokens, output_tokens) = (count(tokens.0), count(tokens.1));
            say(Said::Used(Usage { input_tokens, output_tokens, cached_input_tokens: None }));
        }
        number(StreamField::CostUsd).map(Said::Cost).map(&mut say);
        number(StreamField::ContextPercent).map(Said::ContextPercent).map(&mut say);
        number(StreamField::LimitedUntil).map(|at| Said::LimitedUntil(at as i64)).map(&mut say);
        let status = number(StreamField::ErrorStatus).map(|status| status as u64);
        let message = text(StreamField::Error);
        if message.is_some() || status.is_some_and(|status| status >= 400) {
            let message = message.unwrap_or(Cow::Borrowed("the agent reports an error"));
            let class = status.and_then(problem::of_status).or_else(|| problem::of_message(&message));
            say(Said::Failure { class, message });
        }
        known.then_some(())
    }

    fn says_when_it_ends(&self) -> bool {
        false
    }

    fn names_its_session(&self) -> bool {
        self.contains_key(&StreamField::Session)
    }
}
