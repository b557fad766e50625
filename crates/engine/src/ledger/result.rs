//! From what a research agent left behind to what the ledger makes of it.
//!
//! An agent answers with a JSON object, in `custom.research` of `$PITON_REPORT` or as the last such object of what it
//! printed. Decisions come from its fields, never from prose. Files that findings rest on are hashed here, by piton: what
//! an agent says a file is counts for nothing.

use std::path::Path;

use piton_agent::Exit;
use piton_model::Timestamp;
use piton_model::ledger::{Moment, Outcome, Source, SourceKind};
use piton_model::ledger_machine::{Found, Used};
use piton_model::limits::{GAP_TEXT_BYTES_MAX, TEXT_BYTES_MAX, clip};
use piton_model::loop_machine::{AgentConfig, Report, ReportStatus, Usage};
use piton_sys::redact::Redactor;
use serde_json::{Map, Value};

use super::Evidence;
use crate::launch::{Ended, ended};

/// What is read of an output that is no stream.
const OUTPUT_BYTES_MAX: u64 = 4 << 20;
/// Most sources of one finding.
const SOURCES_MAX: usize = 64;

/// What an attempt came to.
pub(super) fn of_exit(
    exit: &Exit,
    directory: &Path,
    agent: &AgentConfig,
    place: &Evidence<'_>,
    now: Timestamp,
    redactor: &Redactor,
) -> (Found, Used) {
    let Ended { account, report, contradiction, .. } = Ended::read(exit, directory, agent, redactor);
    let tokens = |usage: Usage| usage.input_tokens.saturating_add(usage.output_tokens);
    let used = Used {
        tokens: account.usage.or(report.usage).map(tokens),
        microusd: account.cost_usd.and_then(piton_agent::microusd).or(report.cost_microusd),
        working_ms: exit.duration_ms,
    };
    let failed = |what: String| Found::Failed(redactor.redact(clip(&what, TEXT_BYTES_MAX)).into_owned());
    if let Some(what) = ended::why(exit, directory, "the agent").or(contradiction) {
        return (failed(what), used);
    }
    let printed = || account.text.clone().unwrap_or_else(|| output(directory));
    let said = match said(&report, printed) {
        Ok(said) => said,
        Err(what) => return (failed(what), used),
    };
    match found(said, place, now, redactor) {
        Ok(found) => (found, used),
        Err(what) => (failed(what), used),
    }
}

fn output(directory: &Path) -> String {
    let read = piton_sys::file::read_regular(&piton_agent::stdout_file(directory), OUTPUT_BYTES_MAX * 16);
    let bytes = read.ok().flatten().unwrap_or_default();
    let from = bytes.len().saturating_sub(OUTPUT_BYTES_MAX as usize);
    String::from_utf8_lossy(&bytes[from..]).into_owned()
}

/// What an agent says of a gap.
#[derive(Debug, PartialEq)]
struct Said {
    outcome: Outcome,
    findings: Option<String>,
    evidence: Vec<Value>,
}

fn said(report: &Report, printed: impl FnOnce() -> String) -> Result<Said, String> {
    let custom = &report.custom;
    if let Some(object) = custom.get("research").and_then(Value::as_object) {
        return of_object(object);
    }
    if custom.contains_key("outcome") {
        return of_object(&custom.clone().into_iter().collect());
    }
    if let Some(object) = last_object(&printed()) {
        return of_object(&object);
    }
    // Who reports that it cannot go on found nothing out; who says "done" and no outcome has verified nothing either.
    match report.status {
        Some(ReportStatus::Blocked) => {
            Ok(Said { outcome: Outcome::InsufficientData, findings: None, evidence: Vec::new() })
        }
        Some(ReportStatus::Done | ReportStatus::Continue) | None => {
            Err("the agent said nothing that is a result: there is no `outcome`".to_owned())
        }
    }
}

fn of_object(object: &Map<String, Value>) -> Result<Said, String> {
    let word = object.get("outcome").and_then(Value::as_str).unwrap_or_default();
    let outcome = Outcome::ALL.into_iter().find(|outcome| outcome.as_str() == word);
    let outcome = outcome.ok_or_else(|| {
        let known = Outcome::ALL.map(Outcome::as_str).join(", ");
        format!("`outcome` is `{}`, not one of {known}", clip(word, 80).escape_debug())
    })?;
    let findings =
        object.get("findings").and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let evidence = object.get("evidence").and_then(Value::as_array).cloned().unwrap_or_default();
    Ok(Said { outcome, findings: findings.map(str::to_owned), evidence })
}

/// The last JSON object in a text that has an outcome: on lines of its own, in a fence, or at the end.
fn last_object(text: &str) -> Option<Map<String, Value>> {
    text.rmatch_indices('{').take(4096).find_map(|(place, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[place..]).into_iter::<Value>();
        match values.next()? {
            Ok(Value::Object(object)) if object.contains_key("outcome") => Some(object),
            _ => None,
        }
    })
}

fn found(said: Said, place: &Evidence<'_>, now: Timestamp, redactor: &Redactor) -> Result<Found, String> {
    let Said { outcome, findings, evidence } = said;
    let verifies = matches!(outcome, Outcome::FullReport | Outcome::ShortReport);
    if verifies && findings.is_none() {
        return Err(format!("`{}` without findings", outcome.as_str()));
    }
    let Some(findings) = findings.filter(|_| verifies) else {
        return Ok(Found::Outcome { outcome, finding: None });
    };
    if evidence.len() > SOURCES_MAX {
        return Err(format!("{} sources are more than {SOURCES_MAX}", evidence.len()));
    }
    let sources = evidence.iter().map(|source| self::source(source, place, now, redactor));
    let sources = sources.collect::<Result<Vec<_>, _>>()?;
    let findings = redactor.redact(clip(&findings, GAP_TEXT_BYTES_MAX)).into_owned();
    Ok(Found::Outcome { outcome, finding: Some((findings, sources)) })
}

/// One source. A file must be there, and piton takes its hash.
pub(super) fn source(
    source: &Value,
    place: &Evidence<'_>,
    now: Timestamp,
    redactor: &Redactor,
) -> Result<Source, String> {
    let field = |key: &str| source.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let text = |key: &str| field(key).map(|text| redactor.redact(clip(text, TEXT_BYTES_MAX)).into_owned());
    let at = match field("at").or(field("date")) {
        Some(text) => Some(text.parse::<Moment>().map_err(|error| error.to_string())?.at),
        None => Some(now),
    };
    if let Some(path) = text("file") {
        let path = path.strip_prefix("./").unwrap_or(&path).to_owned();
        let hash = place.hash(&path).map_err(|why| format!("evidence `{}` {why}", path.escape_debug()))?;
        return Ok(Source { kind: SourceKind::File { path, hash: Some(hash) }, at });
    }
    let kind = text("command").map(SourceKind::Command);
    let kind = kind.or_else(|| text("commit").map(SourceKind::Commit));
    let kind = kind.or_else(|| text("url").map(SourceKind::Url));
    let kind = kind.ok_or_else(|| "evidence names no file, command, commit or url".to_owned())?;
    Ok(Source { kind, at })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;
    use crate::ledger::LedgerAt;

    fn evidence(layout: &Layout) -> Evidence<'_> {
        Evidence::of(layout, &LedgerAt { file: "gaps.yaml".into(), log: None, default_ttl_days: 30 })
    }

    #[test]
    fn the_last_object_with_an_outcome_is_the_result() {
        let text = "Thinking {\"outcome\": 1}\n```json\n{\"outcome\": \"short_report\", \"findings\": \"a {b}\"}\n```\nbye {x}";
        let object = last_object(text).unwrap();
        let said = of_object(&object).unwrap();
        assert_eq!((said.outcome, said.findings.as_deref()), (Outcome::ShortReport, Some("a {b}")));
        assert_eq!(last_object("no {result: here}"), None);
    }

    #[test]
    fn a_result_that_is_none_says_what_is_wrong() {
        let refuse =
            |text: &str| of_object(serde_json::from_str::<Value>(text).unwrap().as_object().unwrap());
        assert!(refuse("{\"outcome\": \"sure\"}").unwrap_err().contains("full_report"));
        let said = refuse("{\"outcome\": \"full_report\"}").unwrap();
        let redactor = Redactor::from_environment();
        let layout = Layout::new("/".into());
        let error = found(said, &evidence(&layout), Timestamp::from_millis(0), &redactor).unwrap_err();
        assert_eq!(error, "`full_report` without findings");
    }

    #[test]
    fn evidence_is_hashed_by_piton_and_must_be_there() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("a.md");
        piton_sys::file::write_atomic(&path, b"x", piton_sys::file::Durability::Unsynced).unwrap();
        let redactor = Redactor::from_environment();
        let now = Timestamp::from_millis(1);
        let layout = Layout::new(scratch.path().to_owned());
        let look =
            |text: &str| source(&serde_json::from_str(text).unwrap(), &evidence(&layout), now, &redactor);
        let file = look("{\"file\": \"./a.md\", \"hash\": \"blake3:lie\"}").unwrap();
        let SourceKind::File { path, hash } = file.kind else { panic!("a file") };
        assert_eq!((path.as_str(), hash.unwrap().len()), ("a.md", 7 + 64));
        for bad in
            ["{\"file\": \"b.md\"}", "{\"file\": \"../a.md\"}", "{\"file\": \"/etc/hostname\"}", "{}", "7"]
        {
            assert!(look(bad).is_err(), "{bad}");
        }
    }
}
