//! `[guard]`: what to do about an agent that cheats, and from where on a number is a regression.

use piton_model::loop_machine::{GuardMode, ProveMode, RuleOff};
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
        /// How much is tried beside the checks once they pass, on copies of the tree: a little each time and everything before done, nothing, or everything each time.
        prove: OneOf<ProveMode> = ProveMode::Auto, [Loop] { shown: true };
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

/// Whether it is a day that there is, as `YYYY-MM-DD`: days are compared as texts.
fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let numbers: Option<Vec<u32>> = parts
        .iter()
        .map(|part| part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok())?)
        .collect();
    let (Some([year, month, day]), [4, 2, 2]) = (numbers.as_deref(), &lengths[..]) else { return false };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(day)
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
            let reason = said.get::<Text>("reason");
            let expires = said.with("expires", |reader, key, value| {
                let day = reader.text(key, value)?;
                let is_day = is_day(&day);
                if !is_day {
                    let message =
                        format!("`expires` of the rule {}: {} is not a day", quoted(rule), quoted(&day));
                    reader.problem_with_hint(value.span().start, message, "write it as \"2026-12-31\"");
                }
                is_day.then_some(day)
            });
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
            "properties": {"off": {"const": true}, "reason": text, "expires": {"type": "string", "format": "date"}},
            "required": ["off", "reason"],
            "additionalProperties": false,
        });
        takes(
            "a table of rules: `RULE = { off = true, reason = \"…\", expires = \"YYYY-MM-DD\" }`",
            json!({"type": "object", "additionalProperties": rule}),
        )
    }
}
