//! `piton __hook`: what an agent's own hooks call, while it works.
//!
//! Speaks the JSON that Claude Code, Codex and Gemini CLI share: the event on standard input, the answer on
//! standard output. A hook saves an agent a detour; nothing rests on it, so whatever goes wrong here lets the
//! agent go on: piton runs the checks itself afterwards.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_model::ExitCode;
use piton_model::limits::{TAIL_BYTES_MAX, clip_tail};
use piton_sys::file::{self, Durability};
use piton_sys::process::RunLimits;
use piton_view::{Brief, BriefCheck};
use serde_json::{Value, json};

use crate::cli::{HookArguments, HookEvent};
use crate::failure::Result;
use crate::output::Output;
use crate::repository::{self, Layout, cheap_check, read_brief};

/// How often one attempt is held to its cheap checks before it may stop all the same.
const HELD_MAX: u32 = 3;

/// An event that is larger is none.
const EVENT_BYTES_MAX: u64 = 16 << 20;

const OUTPUT_BYTES_MAX: usize = 1 << 20;

pub(super) fn run(arguments: &HookArguments, out: &Output) -> Result {
    let mut text = Vec::new();
    let event: Value = std::io::stdin()
        .take(EVENT_BYTES_MAX)
        .read_to_end(&mut text)
        .ok()
        .and_then(|_| serde_json::from_slice(&text).ok())
        .unwrap_or_default();
    let answer = read_brief(&arguments.brief).ok().and_then(|brief| match arguments.event {
        HookEvent::Stop => hold(&brief, &arguments.attempt),
        HookEvent::Tool => deny(&brief, &event),
    });
    out.json(&answer.unwrap_or_else(|| json!({})));
    Ok(ExitCode::Done)
}

/// The answer that keeps an agent from stopping while a cheap check fails.
fn hold(brief: &Brief, attempt: &Path) -> Option<Value> {
    let cheap: Vec<_> = brief.checks.iter().filter(|check| check.cheap).collect();
    let held = times_held(attempt);
    if cheap.is_empty() || brief.signal != piton_view::Signal::GoOn || held >= HELD_MAX {
        return None;
    }
    let failure = cheap.into_iter().find_map(|check| failure_of(check, &brief.tree))?;
    // One that cannot be counted is not held: it might be for ever.
    let count = (held + 1).to_string();
    file::write_atomic(&counter(attempt), count.as_bytes(), Durability::Unsynced).ok()?;
    Some(json!({ "decision": "block", "reason": failure }))
}

fn counter(attempt: &Path) -> PathBuf {
    piton_agent::outbox(attempt).join("held")
}

/// How often this attempt was held.
fn times_held(attempt: &Path) -> u32 {
    let held = file::read_regular(&counter(attempt), 16).ok().flatten();
    held.and_then(|bytes| String::from_utf8(bytes).ok()?.trim().parse().ok()).unwrap_or(0)
}

/// What an agent is told of a check that fails.
fn failure_of(check: &BriefCheck, tree: &Path) -> Option<String> {
    let deadline = Duration::from_millis(check.timeout_ms);
    let limits = RunLimits { deadline, output_bytes_max: OUTPUT_BYTES_MAX };
    let output = cheap_check(&check.command, tree).run(limits).ok().filter(|output| !output.success())?;
    let said = [output.stdout, output.stderr].concat();
    let failure = format!(
        "The check `{}` ({}) fails. Mend it before you stop. The end of what it printed:\n{}",
        check.name,
        check.command,
        clip_tail(String::from_utf8_lossy(&said).trim_end(), TAIL_BYTES_MAX)
    );
    let redactor = repository::redactor(Layout::find(tree).root()).ok()?;
    Some(redactor.redact(&failure).into_owned())
}

/// The answer that denies a tool a protected path.
fn deny(brief: &Brief, event: &Value) -> Option<Value> {
    let here = event.get("cwd").and_then(Value::as_str).map_or_else(|| brief.tree.clone(), PathBuf::from);
    let path = touched(event).into_iter().find(|path| is_protected(brief, &here, path))?;
    let reason = format!(
        "`{}` is protected in this run: it may not be changed. Change something else, or report that you are blocked.",
        path
    );
    let inner = json!({
        "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason,
    });
    Some(json!({ "decision": "block", "reason": reason, "hookSpecificOutput": inner }))
}

/// The files that a tool is about to change.
fn touched(event: &Value) -> Vec<String> {
    let Some(input) = event.get("tool_input") else { return Vec::new() };
    let named = ["file_path", "notebook_path", "path"].iter().filter_map(|key| input.get(*key)?.as_str());
    let mut paths: Vec<String> = named.map(str::to_owned).collect();
    // A patch names its files in its own words.
    let patch = ["input", "command", "patch"].iter().find_map(|key| input.get(*key)?.as_str()).unwrap_or("");
    for line in patch.lines() {
        let heads = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];
        paths
            .extend(heads.iter().find_map(|head| line.strip_prefix(head)).map(|path| path.trim().to_owned()));
    }
    paths
}

/// Whether `path`, as a tool that works in `here` means it, is protected.
fn is_protected(brief: &Brief, here: &Path, path: &str) -> bool {
    let absolute = lexical(&here.join(path));
    let inside = absolute.strip_prefix(lexical(&brief.tree)).ok().and_then(Path::to_str);
    inside.is_some_and(|path| brief.protect.iter().any(|rule| piton_guard::is_protected(path, rule)))
        || absolute.components().any(|part| part.as_os_str() == ".piton")
}

/// A path without `.` and `..`, as far as words tell.
fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brief(protect: &[&str]) -> Brief {
        Brief {
            run_id: "r".parse().unwrap(),
            tree: "/w".into(),
            task: String::new(),
            iteration: 1,
            iterations_max: 1,
            signal: piton_view::Signal::GoOn,
            told: Vec::new(),
            checks: Vec::new(),
            objectives: Default::default(),
            notes: Vec::new(),
            protect: protect.iter().map(|path| (*path).to_owned()).collect(),
        }
    }

    #[test]
    fn a_tool_that_would_change_a_protected_path_is_denied() {
        let brief = brief(&["tests", "Makefile"]);
        let edit = |path: &str| json!({ "cwd": "/w", "tool_input": { "file_path": path } });
        for path in
            ["/w/tests/a.py", "tests", "src/../tests/a.py", "/w/Makefile", "/elsewhere/.piton/journal.db"]
        {
            assert!(deny(&brief, &edit(path)).is_some(), "{path}");
        }
        let below = json!({ "cwd": "/w/src", "tool_input": { "file_path": "../tests/a.py" } });
        assert!(deny(&brief, &below).is_some());
        for path in ["/w/src/a.py", "testsuite.py", "/w/tests2/a", "/other/tests/a.py"] {
            assert_eq!(deny(&brief, &edit(path)), None, "{path}");
        }
        let patch = "*** Begin Patch\n*** Update File: tests/a.py\n@@\n*** End Patch";
        let answer = deny(&brief, &json!({ "cwd": "/w", "tool_input": { "command": patch } })).unwrap();
        assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
        assert_eq!(deny(&brief, &json!({ "cwd": "/w" })), None);
    }
}
