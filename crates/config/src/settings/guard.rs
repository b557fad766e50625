//! `[guard]`: what to do about an agent that cheats, and from where on a number is a regression.

use piton_model::loop_machine::{GuardMode, RuleOff};
use serde_json::{Value, json};
use toml::Spanned;
use toml::de::DeValue;

use crate::entry::{Takes, Type, section};
use crate::problem::quoted;
use crate::read::{Members, Reader, entries};
use crate::types::{Count, Flag, Number, OneOf, Paths, Text, takes};

section! {
    /// What to do about an agent that cheats.
    guard: GuardSection = "guard" {
        /// Whether what looks like cheating is refused, asked about, or only told.
        mode: OneOf<GuardMode>, [Loop Cycle] => guard { shown: true };
        /// Paths in the tree that no agent may change.
        protect: Paths, [Loop Workflow Cycle Ledger] => protect;
        /// Rules that are off, each with a reason.
        rules: Rules, [Loop Cycle] => rules_off;
    }
}

section! {
    /// From where on a number is a regression.
    thresholds: ThresholdSection = "guard.thresholds" {
        /// Tests that may be fewer.
        tests: Count, [Loop] => thresholds.tests;
        /// Points of coverage that may be lost.
        coverage: Number, [Loop] => thresholds.coverage;
        /// Points of coverage whose loss is critical.
        coverage_critical: Number, [Loop] => thresholds.coverage_critical;
        /// Points of branch coverage that may be lost.
        branches: Number, [Loop] => thresholds.branches;
        /// Points of the pass rate that may be lost.
        pass_rate: Number, [Loop] => thresholds.pass_rate;
        /// Errors that may be more.
        errors: Count, [Loop] => thresholds.errors;
    }
}

/// Rules that are switched off, each with a reason.
pub struct Rules;

impl Type for Rules {
    type Value = Vec<RuleOff>;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Vec<RuleOff>> {
        let table = reader.table(&format!("`{key}`"), value, value.span().start)?;
        let mut off = Vec::new();
        for (rule, key, value) in entries(table) {
            let at = key.span().start;
            let Some(said) = reader.table(&format!("the rule {}", quoted(rule)), value, at) else { continue };
            let mut said = Members::of(reader, said);
            let is_off = said.get::<Flag>("off").unwrap_or_default();
            let (reason, expires) = (said.get::<Text>("reason"), said.get::<Text>("expires"));
            said.end("key of a rule:");
            match reason.filter(|reason| !reason.trim().is_empty()) {
                _ if !is_off => reader.problem_with_hint(
                    at,
                    format!("the rule {} is neither on nor off", quoted(rule)),
                    "write `off = true`, or remove the line: rules are on",
                ),
                None => reader.problem_with_hint(
                    at,
                    format!("the rule {} is off for no reason", quoted(rule)),
                    "say why: `reason = \"…\"`",
                ),
                Some(reason) => off.push(RuleOff { rule: rule.to_owned(), reason, expires }),
            }
        }
        Some(off)
    }

    fn shown(rules: &Vec<RuleOff>) -> Value {
        rules.iter().map(|rule| (rule.rule.clone(), json!({"off": true, "reason": rule.reason}))).collect()
    }

    fn takes() -> Takes {
        let text = json!({"type": "string"});
        let rule = json!({
            "type": "object",
            "properties": {"off": {"const": true}, "reason": text, "expires": text},
            "required": ["off", "reason"],
            "additionalProperties": false,
        });
        takes(
            "a table of rules: `RULE = { off = true, reason = \"…\", expires = \"YYYY-MM-DD\" }`",
            json!({"type": "object", "additionalProperties": rule}),
        )
    }
}
