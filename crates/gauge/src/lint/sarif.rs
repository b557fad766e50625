//! SARIF: results with a level of their own, or with that of their rule.
//!
//! A result that was suppressed, or that reports that something passed, is not counted.

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Lint, Tool};

#[derive(Deserialize)]
pub(super) struct Run {
    #[serde(default)]
    tool: Option<Driven>,
    #[serde(default)]
    results: Option<Vec<Finding>>,
}

#[derive(Deserialize)]
struct Driven {
    driver: Driver,
}

#[derive(Deserialize)]
struct Driver {
    #[serde(default)]
    rules: Vec<Rule>,
}

#[derive(Deserialize)]
struct Rule {
    #[serde(default)]
    id: String,
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
struct Finding {
    level: Option<Level>,
    kind: Option<String>,
    #[serde(rename = "ruleId")]
    rule_id: Option<String>,
    #[serde(default)]
    suppressions: Vec<IgnoredAny>,
}

pub(super) fn count(runs: &[Run]) -> Lint {
    let (mut errors, mut warnings) = (0, 0);
    for run in runs {
        let rules = run.tool.iter().flat_map(|tool| &tool.driver.rules);
        let defaults: HashMap<&str, Level> = rules
            .filter_map(|rule| Some((rule.id.as_str(), rule.default_configuration.as_ref()?.level?)))
            .collect();
        for finding in run.results.iter().flatten() {
            let is_failure = finding.kind.as_deref().is_none_or(|kind| kind == "fail");
            if !is_failure || !finding.suppressions.is_empty() {
                continue;
            }
            let of_rule = || finding.rule_id.as_deref().and_then(|id| defaults.get(id).copied());
            match finding.level.or_else(of_rule).unwrap_or(Level::Warning) {
                Level::Error => errors += 1,
                Level::Warning => warnings += 1,
                Level::Note | Level::None => {}
            }
        }
    }
    Lint::new(Tool::Sarif, Some(errors), Some(warnings))
}
