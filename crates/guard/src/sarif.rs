//! A report as SARIF 2.1.0, which code scanning reads.

use serde_json::{Value, json};

use crate::report::{Finding, Report, Severity};
use crate::rules::{RULES, Rule};

/// The report as a SARIF log.
pub fn sarif(report: &Report) -> Value {
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "piton guard",
                "informationUri": "https://github.com/piton/piton",
                "rules": RULES.iter().map(rule).collect::<Vec<_>>(),
            }},
            "results": report.findings.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

fn rule(rule: &Rule) -> Value {
    json!({
        "id": rule.name,
        "shortDescription": {"text": rule.about},
        "help": {"text": format!("To undo it: {}.", rule.undo)},
        "defaultConfiguration": {"level": level(rule.blocks_somewhere(), rule.severity)},
    })
}

fn result(finding: &Finding) -> Value {
    let mut result = json!({
        "ruleId": finding.rule,
        "level": level(finding.blocking, finding.severity),
        "message": {"text": message(finding)},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": encoded(&finding.file)},
            "region": {"startLine": finding.line.max(1)},
        }}],
        "partialFingerprints": {"pitonFinding/v1": finding.id},
    });
    if let Some(reason) = &finding.allowed {
        result["suppressions"] = json!([{"kind": "external", "justification": reason}]);
    }
    result
}

/// What was found, and what was run to find it.
fn message(finding: &Finding) -> String {
    match &finding.evidence {
        None => finding.message.clone(),
        Some(evidence) => {
            format!("{}\n\nTried:\n{}\n\nThen {}", finding.message, evidence.change, evidence.outcome())
        }
    }
}

fn level(blocking: bool, severity: Severity) -> &'static str {
    match (blocking, severity) {
        (true, _) => "error",
        (false, Severity::Low) => "note",
        (false, _) => "warning",
    }
}

/// A path as a URI reference.
fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    path.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
