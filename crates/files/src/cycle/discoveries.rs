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
    /// What its data must have: `name[]` is a list, `name{}` an object.
    required: &'static [&'static str],
}

const fn kind(
    name: &'static str,
    key: Option<&'static str>,
    writers: &'static [&'static str],
    required: &'static [&'static str],
) -> Kind {
    Kind { name, key, writers, required }
}

const KINDS: [Kind; 13] = [
    kind("tech_stack", None, &["ra"], &["language", "framework", "test", "build"]),
    kind("project_config", Some("path"), &["ra"], &["path", "key_deps[]", "scripts{}"]),
    kind("existing_feature", Some("name"), &["ra", "ep"], &["name", "files[]", "summary"]),
    kind("architecture", None, &["ep"], &["pattern", "layers[]", "entry"]),
    kind("code_pattern", Some("name"), &["ep", "cd"], &["name", "description", "example_file"]),
    kind("integration_point", Some("file"), &["ep"], &["file", "description", "exports[]"]),
    kind("similar_impl", Some("feature"), &["ep"], &["feature", "files[]", "relevance"]),
    kind("code_convention", None, &["cd"], &["naming", "imports", "formatting"]),
    kind("utility", Some("name"), &["cd"], &["name", "file", "usage"]),
    kind("test_command", None, &["cd", "vas"], &["unit"]),
    kind("test_baseline", None, &["vas"], &["total", "passing", "coverage_pct", "framework", "config"]),
    kind("test_pattern", None, &["vas"], &["style", "naming", "fixtures"]),
    kind("blocker", Some("issue"), &[], &["issue", "severity", "impact"]),
];

/// How near an implementation is that resembles what is to be built.
const RELEVANCES: [&str; 3] = ["high", "medium", "low"];

/// What a role is told of the types that it may write, a line each: `type {data}`.
pub fn discovery_kinds(role: &str) -> Vec<String> {
    let is_one_of_four = super::format::ROLES.contains(&role);
    let may = |kind: &&Kind| !is_one_of_four || kind.writers.is_empty() || kind.writers.contains(&role);
    KINDS.iter().filter(may).map(|kind| format!("{} {{{}}}", kind.name, kind.required.join(", "))).collect()
}

/// Whether two lines are the same discovery, in whatever way their times are written.
pub(super) fn is_same_discovery(one: &Value, other: &Value) -> bool {
    let is_same = |field: &str| one.get(field).is_some() && one.get(field) == other.get(field);
    is_same("type") && is_same("data")
}

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
    check(kind, data)?;
    let at = text("ts").and_then(moment).unwrap_or(at);
    Ok(Discovery { at, agent, kind: name.to_owned(), key: key(kind, data), data: data.clone() })
}

/// Whether the data has what its type asks for.
fn check(kind: &Kind, data: &Map<String, Value>) -> Result<(), String> {
    let name = kind.name;
    let bare = |field: &'static str| field.trim_end_matches(['[', ']', '{', '}']);
    let missing: Vec<&str> =
        kind.required.iter().map(|field| bare(field)).filter(|field| !data.contains_key(*field)).collect();
    if !missing.is_empty() {
        return Err(format!("the data of `{name}` has no `{}`; add it", missing.join("`, `")));
    }
    for field in kind.required {
        let value = &data[bare(field)];
        if field.ends_with("[]") && !value.is_array() {
            return Err(format!("`{}` of `{name}` is a list; write `[...]`", bare(field)));
        }
        if field.ends_with("{}") && !value.is_object() {
            return Err(format!("`{}` of `{name}` is an object; write `{{...}}`", bare(field)));
        }
    }
    let relevance = data.get("relevance").filter(|_| name == "similar_impl").map(Value::as_str);
    match relevance {
        Some(word) if !word.is_some_and(|word| RELEVANCES.contains(&word)) => {
            Err(format!("`relevance` of `{name}` is one of {}", RELEVANCES.join(", ")))
        }
        _ => Ok(()),
    }
}

fn key(kind: &Kind, data: &Map<String, Value>) -> String {
    let said = kind.key.and_then(|key| data.get(key));
    said.map(|said| said.as_str().map_or_else(|| said.to_string(), str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use piton_model::cycle::new_discoveries;

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
            (
                r#"{"type":"similar_impl","data":{"feature":"f","files":[],"relevance":"huge"}}"#,
                "ep",
                "one of high, medium, low",
            ),
            (
                r#"{"type":"similar_impl","data":{"feature":"f","files":"a.rs","relevance":"low"}}"#,
                "ep",
                "`files` of `similar_impl` is a list",
            ),
            (
                r#"{"type":"project_config","data":{"path":"p","key_deps":[],"scripts":[]}}"#,
                "ra",
                "`scripts` of `project_config` is an object",
            ),
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

    /// The table of the format: type, key, writers, what its data has.
    const TABLE: [(&str, &str, &[&str], &str); 13] = [
        ("tech_stack", "", &["ra"], r#"{"language":"l","framework":"f","test":"t","build":"b"}"#),
        ("project_config", "path", &["ra"], r#"{"path":"p","key_deps":[],"scripts":{}}"#),
        ("existing_feature", "name", &["ra", "ep"], r#"{"name":"n","files":[],"summary":"s"}"#),
        ("architecture", "", &["ep"], r#"{"pattern":"p","layers":[],"entry":"e"}"#),
        ("code_pattern", "name", &["ep", "cd"], r#"{"name":"n","description":"d","example_file":"e"}"#),
        ("integration_point", "file", &["ep"], r#"{"file":"f","description":"d","exports":[]}"#),
        ("similar_impl", "feature", &["ep"], r#"{"feature":"f","files":[],"relevance":"high"}"#),
        ("code_convention", "", &["cd"], r#"{"naming":"n","imports":"i","formatting":"f"}"#),
        ("utility", "name", &["cd"], r#"{"name":"n","file":"f","usage":"u"}"#),
        ("test_command", "", &["cd", "vas"], r#"{"unit":"u"}"#),
        (
            "test_baseline",
            "",
            &["vas"],
            r#"{"total":1,"passing":1,"coverage_pct":1,"framework":"f","config":"c"}"#,
        ),
        ("test_pattern", "", &["vas"], r#"{"style":"s","naming":"n","fixtures":"f"}"#),
        ("blocker", "issue", &["ra", "ep", "cd", "vas"], r#"{"issue":"i","severity":"s","impact":"i"}"#),
    ];

    #[test]
    fn each_type_has_its_key_its_writers_and_what_it_needs() {
        for (kind, key, writers, data) in TABLE {
            for role in ["ra", "ep", "cd", "vas"] {
                let text = format!(r#"{{"type":"{kind}","data":{data}}}"#);
                let found = read(&text, role);
                assert_eq!(found.discoveries.len(), usize::from(writers.contains(&role)), "{kind} by {role}");
                assert_eq!(found.problems.is_empty(), writers.contains(&role), "{kind} by {role}");
            }
            let whole: Map<String, Value> = serde_json::from_str(data).unwrap();
            for field in whole.keys() {
                let mut less = whole.clone();
                less.remove(field);
                let text = format!(r#"{{"type":"{kind}","data":{}}}"#, Value::Object(less));
                let said = read(&text, writers[0]).problems;
                assert!(
                    said.iter().any(|said| said.contains(&format!("has no `{field}`"))),
                    "{kind} {field}"
                );
            }
            let text = format!(r#"{{"type":"{kind}","data":{data}}}"#);
            let expected = whole.get(key).and_then(Value::as_str).unwrap_or_default();
            assert_eq!(read(&text, writers[0]).discoveries[0].key, expected, "{kind}");
        }
    }
}
