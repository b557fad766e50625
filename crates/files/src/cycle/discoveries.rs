//! `coordination/discoveries.ndjson`: what one role found out and the others need not find out again.
//!
//! A line is `{ts, agent, type, data}`. Each type says what its data must have and by what two are the same; the board
//! holds each thing once.

use piton_model::cycle::{Discovery, RoleName};
use piton_model::workflow::shown;
use piton_model::{Timestamp, closest};
use serde_json::{Map, Value};

use super::ndjson::{line, read_lines};
use super::zone::{Zone, moment};
use crate::plain::object;

/// One type of discovery.
struct Kind {
    name: &'static str,
    /// The member of the data by which two are the same; none where there can only be one.
    key: Option<&'static str>,
    /// Who may write it; anybody where none is named.
    writers: &'static [&'static str],
    /// What its data must have.
    required: &'static [&'static str],
    /// A newer one takes the place of the older.
    renewed: bool,
}

const fn kind(
    name: &'static str,
    key: Option<&'static str>,
    writers: &'static [&'static str],
    required: &'static [&'static str],
) -> Kind {
    Kind { name, key, writers, required, renewed: false }
}

const KINDS: [Kind; 13] = [
    kind("tech_stack", None, &["ra"], &["language", "framework", "test", "build"]),
    kind("project_config", Some("path"), &["ra"], &["path", "key_deps", "scripts"]),
    kind("existing_feature", Some("name"), &["ra", "ep"], &["name", "files", "summary"]),
    kind("architecture", None, &["ep"], &["pattern", "layers", "entry"]),
    kind("code_pattern", Some("name"), &["ep", "cd"], &["name", "description", "example_file"]),
    kind("integration_point", Some("file"), &["ep"], &["file", "description", "exports"]),
    kind("similar_impl", Some("feature"), &["ep"], &["feature", "files", "relevance"]),
    kind("code_convention", None, &["cd"], &["naming", "imports", "formatting"]),
    kind("utility", Some("name"), &["cd"], &["name", "file", "usage"]),
    kind("test_command", None, &["cd", "vas"], &["unit"]),
    Kind {
        renewed: true,
        ..kind("test_baseline", None, &["vas"], &["total", "passing", "coverage_pct", "framework", "config"])
    },
    kind("test_pattern", None, &["vas"], &["style", "naming", "fixtures"]),
    kind("blocker", Some("issue"), &[], &["issue", "severity", "impact"]),
];

/// The line of a discovery.
pub fn discovery_line(discovery: &Discovery, zone: Zone) -> String {
    line(&object! {
        ts: zone.show(discovery.at),
        agent: discovery.agent.as_str(),
        r#type: discovery.kind.as_str(),
        data: &discovery.data,
    })
}

/// What stands on a board, or in what a role adds to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadDiscoveries {
    /// What can be used, in its order.
    pub discoveries: Vec<Discovery>,
    /// What cannot be, in sentences that say what to do.
    pub problems: Vec<String>,
    /// The last line is cut off, and does not count.
    pub torn: bool,
}

/// Reads lines; `role` and `at` are for those that do not say who found them, and when.
pub fn read_discoveries(bytes: &[u8], role: &RoleName, at: Timestamp) -> ReadDiscoveries {
    let lines = read_lines(bytes);
    let no_json =
        |line: &usize| format!("discoveries.ndjson: line {line} is no JSON; write one object on each line");
    let mut read = ReadDiscoveries {
        problems: lines.unreadable.iter().take(5).map(no_json).collect(),
        torn: lines.torn,
        discoveries: Vec::new(),
    };
    for value in &lines.values {
        match discovery(value, role, at) {
            Ok(discovery) => read.discoveries.push(discovery),
            Err(problem) => read.problems.push(format!("discoveries.ndjson: {problem}")),
        }
    }
    read
}

fn discovery(value: &Value, role: &RoleName, at: Timestamp) -> Result<Discovery, String> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let name = text("type").ok_or("a line has no `type`; write `{ts, agent, type, data}`")?;
    let known = KINDS.iter().map(|kind| kind.name);
    let kind =
        KINDS.iter().find(|kind| kind.name == name).ok_or_else(|| match closest(name, known.clone()) {
            Some(meant) => format!("there is no type `{}`; did you mean `{meant}`?", shown(name)),
            None => format!(
                "there is no type `{}`; use one of {}",
                shown(name),
                known.collect::<Vec<_>>().join(", ")
            ),
        })?;
    let agent = text("agent").map_or_else(|| role.clone(), RoleName::from);
    let is_one_of_four = super::format::ROLES.contains(&agent.as_str());
    if is_one_of_four && !kind.writers.is_empty() && !kind.writers.contains(&agent.as_str()) {
        return Err(format!("`{name}` is written by {}, not by {agent}", kind.writers.join(" and ")));
    }
    let data = value
        .get("data")
        .and_then(Value::as_object)
        .ok_or_else(|| format!("`{name}` has no object `data`"))?;
    let missing: Vec<&str> =
        kind.required.iter().copied().filter(|field| !data.contains_key(*field)).collect();
    if !missing.is_empty() {
        return Err(format!("the data of `{name}` has no `{}`; add it", missing.join("`, `")));
    }
    let at = text("ts").and_then(moment).unwrap_or(at);
    Ok(Discovery { at, agent, kind: name.to_owned(), key: key(kind, data), data: data.clone() })
}

fn key(kind: &Kind, data: &Map<String, Value>) -> String {
    let said = kind.key.and_then(|key| data.get(key));
    said.map(|said| said.as_str().map_or_else(|| said.to_string(), str::to_owned)).unwrap_or_default()
}

/// Those of `found` that the board does not have: of the same type by the same key only the first, unless a newer one takes
/// the place of the older and says something else.
pub fn new_discoveries<'a>(
    board: impl IntoIterator<Item = &'a Discovery>,
    found: Vec<Discovery>,
) -> Vec<Discovery> {
    let mut there: Vec<(String, String, Map<String, Value>)> =
        board.into_iter().map(|known| (known.kind.clone(), known.key.clone(), known.data.clone())).collect();
    let mut new = Vec::new();
    for discovery in found {
        let is_renewed = KINDS.iter().any(|kind| kind.name == discovery.kind && kind.renewed);
        let known = there.iter_mut().find(|(kind, key, _)| *kind == discovery.kind && *key == discovery.key);
        match known {
            Some((_, _, data)) if !is_renewed || *data == discovery.data => continue,
            Some((_, _, data)) => data.clone_from(&discovery.data),
            None => there.push((discovery.kind.clone(), discovery.key.clone(), discovery.data.clone())),
        }
        new.push(discovery);
    }
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, role: &str) -> ReadDiscoveries {
        read_discoveries(text.as_bytes(), &role.into(), Timestamp::from_millis(1))
    }

    const UTILITY: &str = r#"{"ts":"2026-01-22T10:00:00+08:00","agent":"cd","type":"utility","data":{"file":"f","name":"n","usage":"u"}}"#;

    #[test]
    fn a_discovery_reads_back() {
        let found = read(UTILITY, "cd").discoveries;
        assert_eq!((found[0].kind.as_str(), found[0].key.as_str()), ("utility", "n"));
        assert_eq!(discovery_line(&found[0], Zone::default()), UTILITY);
    }

    #[test]
    fn what_its_type_does_not_allow_is_said() {
        for (text, role, part) in [
            (r#"{"type":"utilty","data":{}}"#, "cd", "did you mean `utility`"),
            (r#"{"type":"utility","data":{"name":"n"}}"#, "cd", "has no `file`, `usage`"),
            (
                r#"{"type":"utility","data":{"name":"n","file":"f","usage":"u"}}"#,
                "ra",
                "written by cd, not by ra",
            ),
            (r#"{"type":"blocker"}"#, "ra", "no object `data`"),
            (r#"{"data":{}}"#, "ra", "no `type`"),
            ("nonsense\n", "ra", "line 1 is no JSON"),
        ] {
            let problems = read(text, role).problems;
            assert!(problems.len() == 1 && problems[0].contains(part), "{problems:?}");
        }
        assert!(read("{\"type\":", "ra").torn);
        let own = read(&UTILITY.replace("\"agent\":\"cd\",", ""), "reviewer");
        assert_eq!(
            (own.discoveries.len(), own.problems.len()),
            (1, 0),
            "roles of one's own write what they like"
        );
    }

    #[test]
    fn each_thing_is_on_the_board_once() {
        let board = read(UTILITY, "cd").discoveries;
        let again = read(&UTILITY.replace("\"u\"", "\"other\""), "cd").discoveries;
        assert!(new_discoveries(&board, again).is_empty());
        let other = read(&UTILITY.replace("\"n\"", "\"m\""), "cd").discoveries;
        assert_eq!(new_discoveries(&board, [other.clone(), other].concat()).len(), 1);
    }

    #[test]
    fn a_newer_baseline_takes_the_place_of_the_older() {
        let baseline = |passing: u32| {
            let text = format!(
                r#"{{"type":"test_baseline","data":{{"total":9,"passing":{passing},"coverage_pct":1,"framework":"f","config":"c"}}}}"#
            );
            read(&text, "vas").discoveries
        };
        assert_eq!(new_discoveries(&baseline(1), baseline(2)).len(), 1);
        assert!(new_discoveries(&baseline(2), baseline(2)).is_empty());
    }
}
