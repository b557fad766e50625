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
use piton_sys::file;
use piton_sys::redact::Redactor;
use serde_json::{Map, Value};

use super::Evidence;
use crate::launch::{Ended, ended};

/// What is read of the end of an output that is no stream.
const OUTPUT_BYTES_MAX: u64 = 4 << 20;
/// Most sources of one finding.
const SOURCES_MAX: usize = 64;
/// Most places of an output at which an answer is looked for.
const PLACES_MAX: usize = 4096;
/// What is wrong with an attempt that says nothing of its gap.
const NO_RESULT: &str = "the agent said nothing that is a result: there is no `outcome`";

/// What an attempt came to.
pub(super) fn of_exit(
    exit: &Exit,
    directory: &Path,
    agent: &AgentConfig,
    place: &Evidence<'_>,
    now: Timestamp,
    redactor: &Redactor,
) -> Result<(Found, Used), file::Error> {
    let ended = Ended::read(exit, directory, agent, redactor)?;
    let Ended { account, report, not_understood, contradiction, spoken, .. } = ended;
    let tokens = |usage: Usage| usage.input_tokens.saturating_add(usage.output_tokens);
    let used = Used {
        tokens: account.usage.or(report.usage).map(tokens),
        microusd: account.cost_usd.and_then(piton_agent::microusd).or(report.cost_microusd),
        working_ms: exit.duration_ms,
    };
    let failed = |what: String| Found::Failed(clip(&redactor.redact(&what), TEXT_BYTES_MAX).to_owned());
    if let Some(what) = ended::why(exit, directory, "the agent").or(contradiction) {
        return Ok((failed(what), used));
    }
    let printed = || if account.text.is_some() { spoken } else { output(directory) };
    let said = said(&report, printed).and_then(|said| {
        // An answer may have been in what could not be read: then that is why there is none.
        said.ok_or_else(|| not_understood.unwrap_or_else(|| NO_RESULT.to_owned()))
    });
    Ok(match said.and_then(|said| found(said, place, now, redactor)) {
        Ok(found) => (found, used),
        Err(what) => (failed(what), used),
    })
}

fn output(directory: &Path) -> String {
    let bytes = ended::end_of(&piton_agent::stdout_file(directory), OUTPUT_BYTES_MAX).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What an agent says of a gap.
#[derive(Debug, PartialEq)]
struct Said {
    outcome: Outcome,
    findings: Option<String>,
    evidence: Vec<Value>,
}

/// What the agent says of its gap, if it says anything.
fn said(report: &Report, printed: impl FnOnce() -> String) -> Result<Option<Said>, String> {
    let custom = &report.custom;
    if let Some(object) = custom.get("research").and_then(Value::as_object) {
        return of_object(object).map(Some);
    }
    if custom.contains_key("outcome") {
        return of_object(&custom.clone().into_iter().collect()).map(Some);
    }
    if let Some(object) = last_object(&printed()) {
        return of_object(&object).map(Some);
    }
    // Who reports that it cannot go on found nothing out; who says "done" and no outcome has verified nothing either.
    let blocked = report.status == Some(ReportStatus::Blocked);
    Ok(blocked.then_some(Said { outcome: Outcome::InsufficientData, findings: None, evidence: Vec::new() }))
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
    let answer_at = |(place, _): (usize, &str)| {
        let mut values = serde_json::Deserializer::from_str(&text[place..]).into_iter::<Value>();
        match values.next()? {
            Ok(Value::Object(object)) if object.contains_key("outcome") => Some(object),
            _ => None,
        }
    };
    let braces = || text.rmatch_indices('{');
    // Findings may be full of braces: those that begin a line are not used up by them.
    let begins_line = |(place, _): &(usize, &str)| text[..*place].ends_with('\n') || *place == 0;
    braces()
        .take(PLACES_MAX)
        .find_map(answer_at)
        .or_else(|| braces().filter(begins_line).take(PLACES_MAX).find_map(answer_at))
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
    if findings.len() > GAP_TEXT_BYTES_MAX {
        return Err(format!("findings of {} bytes are more than {GAP_TEXT_BYTES_MAX}", findings.len()));
    }
    let findings = redactor.redact(&findings).into_owned();
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
    let texts = ["file", "command", "commit", "url"].map(|key| field(key).map_or(0, str::len));
    if let Some(bytes) = texts.into_iter().find(|bytes| *bytes > TEXT_BYTES_MAX) {
        return Err(format!("a source of {bytes} bytes is more than {TEXT_BYTES_MAX}"));
    }
    let text = |key: &str| field(key).map(|text| redactor.redact(text).into_owned());
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
    fn findings_full_of_braces_are_found() {
        let findings = "{x} ".repeat(2 * PLACES_MAX);
        let text =
            format!("Here it is:\n{}\n", serde_json::json!({"outcome": "full_report", "findings": findings}));
        assert_eq!(last_object(&text).unwrap()["findings"].as_str(), Some(findings.as_str()));
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
