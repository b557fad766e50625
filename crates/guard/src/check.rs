//! The rules: one file per family. Each looks at a comparison and drafts what it found.

mod answers;
mod assertions;
mod configuration;
mod deletion;
mod detection;
mod errors;
mod escapes;
mod examples;
mod exits;
mod golden;
mod handling;
mod inputs;
mod mocks;
mod product;
mod recorded;
mod rounds;
mod rows;
mod skipping;
mod subject;
mod suppressions;
mod tokens;

use std::collections::BTreeSet;

use crate::comparison::{Comparison, Pair};

pub(crate) use answers::candidate_words;
pub(crate) use deletion::calls;

/// A finding before its rule filled in the rest.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) rule: &'static str,
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) test: Option<String>,
    pub(crate) message: String,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
    /// Whether this instance is sure enough to block, where its rule may.
    pub(crate) sure: bool,
}

impl Draft {
    /// About a test that was followed.
    pub(crate) fn of(pair: &Pair<'_>, rule: &'static str, line: u32, message: impl Into<String>) -> Self {
        Self::new(rule, pair.path, line, message).test(&pair.after.id)
    }

    pub(crate) fn new(rule: &'static str, file: &str, line: u32, message: impl Into<String>) -> Self {
        Self {
            rule,
            file: file.to_owned(),
            line,
            test: None,
            message: message.into(),
            before: None,
            after: None,
            sure: true,
        }
    }

    pub(crate) fn test(mut self, id: &str) -> Self {
        self.test = Some(id.to_owned());
        self
    }

    pub(crate) fn before(mut self, text: impl Into<String>) -> Self {
        self.before = Some(text.into());
        self
    }

    pub(crate) fn after(mut self, text: impl Into<String>) -> Self {
        self.after = Some(text.into());
        self
    }

    /// Reports without blocking where something else than a cheat is as likely.
    pub(crate) fn unsure_if(mut self, explained: bool) -> Self {
        self.sure &= !explained;
        self
    }

    /// Blocks only where this holds.
    pub(crate) fn sure_if(self, sure: bool) -> Self {
        self.unsure_if(!sure)
    }
}

/// Runs every rule.
pub(crate) fn all(comparison: &Comparison) -> Vec<Draft> {
    let families: [fn(&Comparison) -> Vec<Draft>; 14] = [
        deletion::check,
        skipping::check,
        assertions::check,
        escapes::check,
        examples::check,
        exits::check,
        mocks::check,
        subject::check,
        inputs::check,
        golden::check,
        product::check,
        errors::check,
        recorded::check,
        configuration::check,
    ];
    let mut drafts: Vec<Draft> = families.iter().flat_map(|family| family(comparison)).collect();
    // A test that lost an assertion is given less as well: that is said once.
    let told: BTreeSet<String> = drafts
        .iter()
        .filter(|draft| draft.sure && draft.rule.starts_with("assertion-"))
        .filter_map(|draft| draft.test.clone())
        .collect();
    let is_more = |draft: &Draft| draft.test.as_ref().is_some_and(|test| told.contains(test));
    drafts.retain(|draft| draft.rule != "inputs-trivialised" || !is_more(draft));
    drafts
}
