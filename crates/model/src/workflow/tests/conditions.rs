//! The language of conditions.

use serde_json::{Value, json};

use crate::workflow::*;

struct Known(Value);

impl Facts for Known {
    fn status(&self, step: Option<&StepId>) -> Option<&'static str> {
        (step.map(StepId::as_str) == Some("review")).then_some("COMPLETED")
    }

    fn metric(&self, _: Option<&StepId>, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    fn artifacts(&self, step: Option<&StepId>) -> &[String] {
        static FILES: std::sync::OnceLock<Vec<String>> = std::sync::OnceLock::new();
        match step {
            Some(_) => FILES.get_or_init(|| vec!["docs/PLAN.md".to_owned()]),
            None => &[],
        }
    }

    fn gate_failed(&self, step: Option<&StepId>) -> bool {
        step.is_some()
    }

    fn is_open(&self, gate: &Gate) -> bool {
        *gate == Gate::Named("security".to_owned())
    }
}

#[test]
fn conditions_mean_what_they_say() {
    let known = Known(json!({"coverage": 87.5, "issues": "3", "severity": "medium", "clean": false}));
    for (text, expected) in [
        ("review.status == COMPLETED", true),
        ("review.status != COMPLETED", false),
        ("ghost.status == COMPLETED", false),
        ("tests.metrics.coverage >= 87.5", true),
        ("tests.metrics.coverage > 90", false),
        ("tests.metrics.issues < 10", true),
        ("tests.metrics.severity == medium", true),
        ("tests.metrics.severity < zzz", false),
        ("tests.metrics.severity contains med", true),
        ("metrics.clean", false),
        ("not metrics.clean", true),
        ("metrics.missing", false),
        ("metrics.missing == 0", false),
        ("metrics.missing != 0", true),
        ("plan.artifacts contains docs/PLAN.md", true),
        ("plan.artifacts contains \"PLAN.md\"", false),
        ("plan.artifacts", true),
        ("artifacts", false),
        ("review.gate == failed", true),
        ("gate == passed", true),
        ("gates.security", true),
        ("gates.'cmd:make lint'", false),
        ("gates.security and not (metrics.clean or review.gate == passed)", true),
        ("metrics.clean or gates.security and metrics.clean", false),
    ] {
        let condition = Condition::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(condition.holds(&known), expected, "{text}");
    }
}

#[test]
fn what_is_no_condition_is_refused_with_its_place() {
    for (text, expected) in [
        ("", "expected a name at character 1"),
        ("review.status", "expected `==` or `!=` and a word at character 14"),
        ("review.status = DONE", "expected `==` or `!=` at character 15"),
        (
            "review.colour == red",
            "expected STEP.status, STEP.metrics.NAME, STEP.artifacts, STEP.gate or gates.NAME at character 1",
        ),
        ("(metrics.a", "expected `)` at character 11"),
        ("metrics.a metrics.b", "expected `and`, `or` or the end at character 11"),
        ("metrics.a == \"x", "this quote is never closed at character 14"),
        ("gates.a == open", "a gate is open or not: leave the comparison out at character 1"),
        ("a.artifacts > 3", "artifacts are a list: use `contains` at character 1"),
        ("metrics.a == $(rm)", "unexpected `$` at character 14"),
    ] {
        assert_eq!(Condition::parse(text).unwrap_err().to_string(), expected, "{text}");
    }
}

#[test]
fn a_bomb_of_a_condition_is_refused() {
    let deep = format!("{}metrics.a{}", "(".repeat(1_000), ")".repeat(1_000));
    assert!(Condition::parse(&deep).unwrap_err().what.contains("deeply"));
    let nots = "not ".repeat(500) + "metrics.a";
    assert!(Condition::parse(&nots).unwrap_err().what.contains("deeply"));
    let wide = vec!["metrics.a"; 100].join(" or ");
    assert!(Condition::parse(&wide).unwrap_err().what.contains("too many"));
    assert!(Condition::parse(&"a".repeat(100_000)).unwrap_err().what.contains("longer"));
}

#[test]
fn a_condition_reads_back_from_its_text() {
    let condition = Condition::parse("review.status == COMPLETED and gates.security").unwrap();
    let text = serde_json::to_string(&condition).unwrap();
    assert_eq!(text, "\"review.status == COMPLETED and gates.security\"");
    assert_eq!(serde_json::from_str::<Condition>(&text).unwrap(), condition);
    assert_eq!(condition.gates(), [Gate::Named("security".to_owned())]);
}
