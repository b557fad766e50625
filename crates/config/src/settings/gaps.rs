//! `[gaps]` and `[prompts]`: what is known, and what becomes of prompt files.

use std::collections::BTreeMap;

use piton_model::ledger::{DEFAULT_FILE, DEFAULT_TTL_DAYS, MAX_GAPS_PER_RUN};
use piton_model::loop_machine::RequiredGaps;
use serde_json::{Value, json};
use toml::Spanned;
use toml::de::DeValue;

use crate::entry::{Takes, Type, section};
use crate::read::{Reader, entries};
use crate::types::{AtLeastOne, Flag, Path, Texts, takes};

/// How much of a prompt findings may take where nothing is said.
const PROMPT_TOKENS: u32 = 2_000;

section! {
    /// Where the ledger is, and how it is kept.
    gaps: Gaps = "gaps" {
        /// The gap file.
        file: Path = DEFAULT_FILE.to_owned(), [Ledger Loop Workflow] { shown: true };
        /// Its audit log.
        audit_log: Path, [Ledger] { otherwise: "`gap_audit.log` beside the file" };
        /// How many days findings hold where a gap does not say.
        default_ttl_days: AtLeastOne = DEFAULT_TTL_DAYS, [Ledger Loop Workflow] { shown: true };
        /// How many gaps one research takes on.
        max_gaps_per_run: AtLeastOne = MAX_GAPS_PER_RUN as u32, [Ledger] { shown: true };
        /// Gaps that must be fresh before a loop starts, and that its prompts hold.
        require: Texts, [Loop] { otherwise: "none" };
        /// How much of a prompt findings may take, in tokens.
        prompt_tokens: AtLeastOne, [Loop] { otherwise: "`2000`" };
    }
}

impl Gaps {
    /// The gap file.
    pub fn file(&self) -> &str {
        self.file.as_ref().map_or(DEFAULT_FILE, |file| file.value.as_str())
    }

    /// How many days findings hold where a gap does not say.
    pub fn default_ttl_days(&self) -> u32 {
        self.default_ttl_days.as_ref().map_or(DEFAULT_TTL_DAYS, |days| days.value)
    }

    /// What a loop needs to know, where it needs something.
    pub(crate) fn required(&self) -> Option<RequiredGaps> {
        let ids = self.require.as_ref().map(|ids| ids.value.clone()).unwrap_or_default();
        (!ids.is_empty()).then(|| RequiredGaps {
            file: self.file().to_owned(),
            ids,
            default_ttl_days: self.default_ttl_days(),
            tokens: self.prompt_tokens.as_ref().map_or(PROMPT_TOKENS, |tokens| tokens.value),
        })
    }
}

section! {
    /// How prompt files are read.
    prompts: PromptSection = "prompts" {
        /// Whether what is not understood is an error.
        strict: Flag, [Loop] => prompts.strict;
        /// Variables of your own; they win over everything else.
        variables: Variables, [Loop] => prompts.variables;
    }
}

/// Plain values by name.
pub struct Variables;

impl Type for Variables {
    type Value = BTreeMap<String, Value>;

    fn read(
        reader: &mut Reader<'_>,
        key: &str,
        value: &Spanned<DeValue<'_>>,
    ) -> Option<BTreeMap<String, Value>> {
        let table = reader.table(&format!("`{key}`"), value, value.span().start)?;
        let mut variables = BTreeMap::new();
        for (name, _, value) in entries(table) {
            match plain(value) {
                Some(plain) => drop(variables.insert(name.to_owned(), plain)),
                None => reader.problem(
                    value.span().start,
                    format!(
                        "the variable `{name}` must be a text, a number, true or false, or a list of them"
                    ),
                ),
            }
        }
        Some(variables)
    }

    fn takes() -> Takes {
        takes("a table of texts, numbers, `true`, `false` and lists of them", json!({"type": "object"}))
    }
}

fn plain(value: &Spanned<DeValue<'_>>) -> Option<Value> {
    match value.get_ref() {
        DeValue::String(text) => Some(Value::from(text.as_ref())),
        DeValue::Boolean(flag) => Some(Value::from(*flag)),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).ok().map(Value::from)
        }
        DeValue::Float(number) => number.as_str().parse::<f64>().ok().map(Value::from),
        DeValue::Array(items) => items.iter().map(plain).collect::<Option<Vec<_>>>().map(Value::from),
        DeValue::Table(_) | DeValue::Datetime(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::read::tests::{accepted, problems};

    #[test]
    fn variables_are_plain_values() {
        let text = "[prompts]\nstrict = true\n[prompts.variables]\nstyle = \"terse\"\nmax = 7\nareas = [\"a\", \"b\"]\n";
        let prompts = accepted(text).prompts;
        assert!(prompts.strict.unwrap().value);
        assert_eq!(
            serde_json::json!(prompts.variables.unwrap().value),
            serde_json::json!({"style": "terse", "max": 7, "areas": ["a", "b"]})
        );
        assert!(problems("[prompts.variables]\nx = { a = 1 }\n").contains("the variable `x`"));
    }
}
