//! `.workflow/.cycle/prep-package.json`: what somebody worked out before a cycle begins.
//!
//! Another tool's file: what is there is read, what is missing or of another type is as if it were not said, and what piton
//! does not know is passed by. Whether it counts is judged in `model` ([`take`]).
//!
//! [`take`]: piton_model::cycle::prep::take

use std::collections::BTreeMap;

use piton_model::cycle::limits::ROLES_MAX;
use piton_model::cycle::prep::{
    OneToHundred, PhaseGates, PrepPackage, SourceKind, SourceRef, SourceStatus, ZeroToOne,
};
use piton_model::cycle::{Gate, RoleName};
use serde_json::Value;

use super::zone::moment;
use crate::plain::without_mark;

/// The name of a prep package, below `.workflow/.cycle`.
pub const PREP_PACKAGE: &str = "prep-package.json";
/// The largest package that is read.
pub const PREP_BYTES_MAX: u64 = 1 << 20;

/// What a package says; or why these bytes are none.
pub fn read_prep(bytes: &[u8]) -> Result<PrepPackage, String> {
    let value: Value =
        serde_json::from_slice(without_mark(bytes)).map_err(|error| format!("it is no JSON: {error}"))?;
    if !value.is_object() {
        return Err("it is no JSON object".to_owned());
    }
    let at = At(&value);
    let (task, iteration) = (at.of("task"), at.of("auto_iteration"));
    let targets = iteration.of("convergence");
    Ok(PrepPackage {
        prep_status: at.text("prep_status"),
        generated_at: at.text("generated_at").as_deref().and_then(moment),
        project_root: at.of("environment").text("project_root"),
        original: task.text("original"),
        refined: task.text("refined"),
        quality_score: task.number("quality_score"),
        source_refs: task.list("source_refs").iter().filter_map(|entry| source(At(entry))).collect(),
        enabled: iteration.flag("enabled"),
        no_confirmation: iteration.flag("no_confirmation"),
        max_iterations: iteration.count("max_iterations"),
        timeout_per_iteration_ms: iteration.0.get("timeout_per_iteration_ms").and_then(Value::as_u64),
        test_pass_rate: targets.number("test_pass_rate"),
        coverage: targets.number("coverage"),
        max_critical_bugs: targets.count("max_critical_bugs"),
        max_open_issues: targets.count("max_open_issues"),
        phase_gates: gates(iteration.of("phase_gates")),
        agent_focus: focus(iteration.of("agent_focus")),
    })
}

/// A place in a value.
#[derive(Clone, Copy)]
struct At<'a>(&'a Value);

impl<'a> At<'a> {
    fn of(self, name: &str) -> At<'a> {
        At(self.0.get(name).unwrap_or(&Value::Null))
    }

    fn text(self, name: &str) -> Option<String> {
        self.0.get(name).and_then(Value::as_str).map(str::to_owned)
    }

    fn number(self, name: &str) -> Option<f64> {
        self.0.get(name).and_then(Value::as_f64).filter(|number| number.is_finite())
    }

    fn count(self, name: &str) -> Option<u32> {
        self.0.get(name).and_then(Value::as_u64).map(|count| u32::try_from(count).unwrap_or(u32::MAX))
    }

    fn flag(self, name: &str) -> Option<bool> {
        self.0.get(name).and_then(Value::as_bool)
    }

    fn list(self, name: &str) -> &'a [Value] {
        self.0.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    /// Numbers of iterations.
    fn iterations(self) -> Option<Vec<u32>> {
        let numbers = self.0.get("iterations").and_then(Value::as_array)?;
        Some(
            numbers
                .iter()
                .filter_map(Value::as_u64)
                .filter_map(|number| u32::try_from(number).ok())
                .collect(),
        )
    }
}

/// What is not said is as the format has it.
fn gates(at: At<'_>) -> PhaseGates {
    let (first, last) = (at.of("zero_to_one"), at.of("one_to_hundred"));
    let (early, late) = (first.of("exit_criteria"), last.of("exit_criteria"));
    let otherwise = ZeroToOne::default();
    let least = early.count("min_requirements_implemented");
    PhaseGates {
        zero_to_one: ZeroToOne {
            iterations: first.iterations().unwrap_or(otherwise.iterations),
            code_compiles: early.flag("code_compiles").unwrap_or(otherwise.code_compiles),
            core_test_passes: early.flag("core_test_passes").unwrap_or(otherwise.core_test_passes),
            min_requirements_implemented: least.unwrap_or(otherwise.min_requirements_implemented),
        },
        one_to_hundred: OneToHundred {
            iterations: last.iterations().unwrap_or_default(),
            test_pass_rate: late.number("test_pass_rate"),
            coverage: late.number("coverage"),
            critical_bugs: late.count("critical_bugs"),
        },
    }
}

fn focus(at: At<'_>) -> BTreeMap<Gate, BTreeMap<RoleName, String>> {
    let of = |gate: Gate| {
        let said = at.0.get(gate.as_str())?.as_object()?;
        let by_role =
            said.iter().filter_map(|(role, text)| Some((RoleName::from(role.as_str()), text.as_str()?)));
        let sound = by_role.filter(|(role, _)| role.is_sound()).take(ROLES_MAX);
        Some((gate, sound.map(|(role, text)| (role, text.to_owned())).collect()))
    };
    Gate::ALL.into_iter().filter_map(of).collect()
}

/// Where the task comes from, in words that a prompt can hold.
fn source(at: At<'_>) -> Option<SourceRef> {
    let kind = SourceKind::from_word(&at.text("type")?)?;
    let status = SourceStatus::from_word(&at.text("status")?)?;
    let path = at.text("path")?;
    let is_plain = !path.is_empty() && path.len() <= 1_000 && !path.contains(char::is_control);
    is_plain.then_some(SourceRef { path, kind, status })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = include_str!("../../tests/cycle/prep-package.json");

    #[test]
    fn all_of_a_package_is_read() {
        let read = read_prep(WHOLE.as_bytes()).unwrap();
        assert_eq!(read.prep_status.as_deref(), Some("ready"));
        assert_eq!(read.generated_at, moment("2026-01-22T09:00:00+08:00"));
        assert_eq!(read.project_root.as_deref(), Some("/home/you/shop"));
        assert_eq!((read.quality_score, read.max_iterations), (Some(9.0), Some(4)));
        assert_eq!((read.timeout_per_iteration_ms, read.no_confirmation), (Some(900_000), Some(true)));
        assert_eq!((read.test_pass_rate, read.coverage), (Some(90.0), Some(80.0)));
        assert_eq!((read.max_critical_bugs, read.max_open_issues), (Some(0), Some(3)));
        assert_eq!(read.phase_gates.zero_to_one.iterations, [1]);
        assert_eq!(read.phase_gates.zero_to_one.min_requirements_implemented, 2);
        assert_eq!(read.phase_gates.one_to_hundred.coverage, Some(85.0));
        assert_eq!(read.agent_focus[&Gate::ZeroToOne][&RoleName::from("ra")], "core_requirements_only");
        let sources: Vec<&str> = read.source_refs.iter().map(|source| source.path.as_str()).collect();
        assert_eq!(sources, ["docs/prd.md", "https://example.com/issues/42", "docs/gone.md"]);
    }

    #[test]
    fn what_is_missing_or_of_another_type_is_as_if_it_were_not_said() {
        let read =
            read_prep(br#"{"task": [], "auto_iteration": {"max_iterations": "many", "phase_gates": 3}}"#);
        let read = read.unwrap();
        assert_eq!((read.refined, read.max_iterations), (None, None));
        assert_eq!(read.phase_gates, PhaseGates::default());
        assert!(read_prep(b"[]").unwrap_err().contains("no JSON object"));
        assert!(read_prep(b"{").unwrap_err().contains("no JSON"));
    }

    #[test]
    fn its_schema_takes_a_package_and_refuses_what_is_none() {
        let validator = jsonschema::validator_for(&crate::schema("prep-package")).unwrap();
        let mut value: Value = serde_json::from_str(WHOLE).unwrap();
        assert!(!validator.is_valid(&value), "a source of a kind that there is not");
        value["task"]["source_refs"].as_array_mut().unwrap().pop();
        assert!(validator.is_valid(&value));
        value["auto_iteration"]["convergence"]["coverage"] = Value::from(101);
        assert!(!validator.is_valid(&value));
    }
}
