//! SARIF: results with a level of their own, or with that of their rule.
//!
//! A result that was suppressed, or that reports that something passed, is not counted.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Lint, Tool};
use crate::json::{Absorb, Folded};
use crate::text::digest;

#[derive(Deserialize)]
pub(super) struct Run {
    #[serde(default)]
    tool: Option<Driven>,
    #[serde(default, deserialize_with = "results")]
    results: Counted,
}

#[derive(Deserialize)]
struct Driven {
    driver: Driver,
}

#[derive(Deserialize)]
struct Driver {
    #[serde(default, deserialize_with = "rules")]
    rules: Levels,
}

#[derive(Deserialize)]
struct Rule<'j> {
    #[serde(default, borrow)]
    id: Cow<'j, str>,
    #[serde(rename = "defaultConfiguration")]
    default_configuration: Option<Configuration>,
}

#[derive(Deserialize)]
struct Configuration {
    level: Option<Level>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Error,
    Warning,
    Note,
    None,
}

#[derive(Deserialize)]
struct Finding<'j> {
    level: Option<Level>,
    #[serde(default, borrow)]
    kind: Option<Cow<'j, str>>,
    #[serde(rename = "ruleId", default, borrow)]
    rule_id: Option<Cow<'j, str>>,
    #[serde(default)]
    suppressions: Vec<IgnoredAny>,
}

/// What rules say about their findings.
#[derive(Default)]
struct Levels(HashMap<u64, Level>);

impl Absorb<Rule<'_>> for Levels {
    fn absorb(&mut self, rule: Rule<'_>) {
        if let Some(level) = rule.default_configuration.and_then(|configuration| configuration.level) {
            self.0.insert(digest(&[rule.id.as_bytes()]), level);
        }
    }
}

/// Findings by their own level, or else by their rule.
#[derive(Default)]
struct Counted {
    errors: u64,
    warnings: u64,
    by_rule: HashMap<u64, u64>,
}

impl Absorb<Finding<'_>> for Counted {
    fn absorb(&mut self, finding: Finding<'_>) {
        let is_failure = finding.kind.is_none_or(|kind| kind == "fail");
        if !is_failure || !finding.suppressions.is_empty() {
            return;
        }
        match finding.level {
            Some(level) => self.count(level, 1),
            None => {
                let rule = digest(&[finding.rule_id.unwrap_or_default().as_bytes()]);
                *self.by_rule.entry(rule).or_default() += 1;
            }
        }
    }
}

impl Counted {
    fn count(&mut self, level: Level, count: u64) {
        match level {
            Level::Error => self.errors += count,
            Level::Warning => self.warnings += count,
            Level::Note | Level::None => {}
        }
    }
}

fn results<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Counted, D::Error> {
    let results = Option::<Folded<Finding<'de>, Counted>>::deserialize(deserializer)?;
    Ok(results.map(|results| results.value).unwrap_or_default())
}

fn rules<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Levels, D::Error> {
    let rules = Option::<Folded<Rule<'de>, Levels>>::deserialize(deserializer)?;
    Ok(rules.map(|rules| rules.value).unwrap_or_default())
}

pub(super) fn count(runs: &[Run]) -> Lint {
    let mut total = Counted::default();
    for run in runs {
        total.count(Level::Error, run.results.errors);
        total.count(Level::Warning, run.results.warnings);
        for (rule, count) in &run.results.by_rule {
            let level = run.tool.as_ref().and_then(|tool| tool.driver.rules.0.get(rule).copied());
            total.count(level.unwrap_or(Level::Warning), *count);
        }
    }
    Lint::new(Tool::Sarif, Some(total.errors), Some(total.warnings))
}
