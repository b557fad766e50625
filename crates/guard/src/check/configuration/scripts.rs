//! The shell scripts in a file that says how checks run, each with how its shell is started and whether anybody asks how
//! it ended: scripts themselves, recipes of make and just, scripts of a package, steps of continuous integration.

use super::outline::{Node, outline};
use crate::paths;
use crate::shell::Options;
use crate::text::file_name;
use crate::vocabulary::{COMMAND_KEYS, IGNORING_KEYS, SHELLS};

/// One script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Script {
    /// The line of the file that its first line is on, from 1.
    pub(super) line: u32,
    pub(super) text: String,
    pub(super) options: Options,
    /// Whoever starts it goes on if it fails: `continue-on-error`, a `-` before a recipe.
    pub(super) is_ignored: bool,
}

/// The scripts of a file.
pub(super) fn of(path: &str, text: &str) -> Vec<Script> {
    let name = file_name(path);
    if paths::is_make(path) {
        recipes(text)
    } else if name.ends_with(".yml") || name.ends_with(".yaml") {
        steps(path, text)
    } else if name == "package.json" || name == "composer.json" {
        package(text)
    } else if name == "tox.ini" || name == "setup.cfg" {
        environments(text)
    } else if is_script(path, text) {
        let mut options = Options::default();
        options
            .set(text.lines().next().filter(|line| line.starts_with("#!")).unwrap_or("").split(' ').skip(1));
        vec![Script { line: 1, text: text.to_owned(), options, is_ignored: false }]
    } else {
        lines(text)
    }
}

fn is_script(path: &str, text: &str) -> bool {
    let name = file_name(path);
    match text.lines().next().and_then(|line| line.strip_prefix("#!")) {
        Some(interpreter) => {
            interpreter.split(['/', ' ']).any(|word| SHELLS.contains(&word))
                && !interpreter.contains("python")
        }
        None => name.ends_with(".sh") || !name.contains('.') && name != "Jenkinsfile" && name != "Rakefile",
    }
}

/// Recipes: each line has a shell of its own.
fn recipes(text: &str) -> Vec<Script> {
    let lines: Vec<&str> = text.lines().collect();
    let mut options = Options::default();
    for line in &lines {
        if line.starts_with("SHELL") || line.starts_with(".SHELLFLAGS") || line.starts_with("set shell") {
            options.set(line.split([' ', '"', ',', '[', ']', '=']));
        }
    }
    let is_flag = |word: &str| ["-i", "--ignore-errors"].contains(&word);
    let overlooks = |line: &&str| {
        line.starts_with(".IGNORE") && line.trim_end().ends_with(':')
            || line.starts_with("MAKEFLAGS") && line.split_whitespace().any(is_flag)
    };
    let all_ignored = lines.iter().any(overlooks);
    let ignored_targets: Vec<&str> = lines
        .iter()
        .filter_map(|line| line.strip_prefix(".IGNORE:"))
        .flat_map(str::split_whitespace)
        .collect();
    let mut found: Vec<Script> = Vec::new();
    let (mut target, mut goes_on) = ("", false);
    for (line, number) in lines.iter().zip(1_u32..) {
        let is_recipe = line.starts_with(['\t', ' ']);
        if goes_on && let Some(last) = found.last_mut() {
            last.text.push('\n');
            last.text.push_str(&expanded(line));
        } else if is_recipe && !line.trim().is_empty() {
            let command = line.trim_start();
            let prefix = command.len() - command.trim_start_matches(['@', '-', '+']).len();
            found.push(Script {
                line: number,
                text: expanded(&command[prefix..]),
                options,
                is_ignored: all_ignored
                    || command[..prefix].contains('-')
                    || ignored_targets.contains(&target),
            });
        } else if !is_recipe {
            target = line.split(':').next().unwrap_or_default().trim();
        }
        goes_on = line.ends_with('\\') && (is_recipe || goes_on);
    }
    found
}

/// What make gives to the shell: `$$` is a dollar, `$(GO)` a variable of make's.
fn expanded(line: &str) -> String {
    let (mut text, mut rest) = (String::new(), line);
    while let Some(at) = rest.find('$') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            text.push('$');
            rest = after;
        } else if let Some((name, after)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            text.push_str("${");
            text.push_str(name);
            text.push('}');
            rest = after;
        } else {
            text.push('$');
        }
    }
    text + rest
}

/// The scripts of a package: `"test": "jest"`.
fn package(text: &str) -> Vec<Script> {
    let Ok(document) = serde_json::from_str::<serde_json::Value>(text) else { return lines(text) };
    let scripts = document.get("scripts").and_then(serde_json::Value::as_object);
    let place = |name: &str| {
        let key = format!("\"{name}\":");
        text.lines().zip(1_u32..).find(|(line, _)| line.contains(&key)).map_or(1, |(_, number)| number)
    };
    let script = |(name, value): (&String, &serde_json::Value)| {
        Some(Script { line: place(name), text: value.as_str()?.to_owned(), ..Script::default() })
    };
    scripts.into_iter().flatten().filter_map(script).collect()
}

/// `commands =` of tox, one on each line; a `-` before one lets it fail.
fn environments(text: &str) -> Vec<Script> {
    let mut found = Vec::new();
    let mut inside = false;
    for (line, number) in text.lines().zip(1_u32..) {
        let first =
            line.strip_prefix("commands").and_then(|rest| rest.split_once('=')).map(|(_, value)| value);
        inside = first.is_some() || inside && line.starts_with([' ', '\t']);
        let command = first.unwrap_or(line).trim();
        if inside && !command.is_empty() {
            found.push(Script {
                line: number,
                text: command.trim_start_matches(['-', ' ']).to_owned(),
                is_ignored: command.starts_with('-'),
                ..Script::default()
            });
        }
    }
    if found.is_empty() { lines(text) } else { found }
}

/// Steps of continuous integration.
fn steps(path: &str, text: &str) -> Vec<Script> {
    let options = match path {
        // `bash -e`, and `-eo pipefail` where a step asks for bash by name.
        _ if path.starts_with(".github/") => Options { errexit: true, pipefail: false },
        _ => Options { errexit: true, pipefail: true },
    };
    let mut found = Vec::new();
    let begin = Script { options, ..Script::default() };
    outline(text).iter().for_each(|node| step(node, &begin, &mut found));
    found
}

/// Collects the scripts below a node; `outer` holds what the nodes around it said.
fn step(node: &Node, outer: &Script, found: &mut Vec<Script>) {
    let mut inner = outer.clone();
    for child in &node.children {
        let value = child.value.trim();
        if IGNORING_KEYS.contains(&child.key.as_str()) && value == "true" {
            inner.is_ignored = true;
        }
        let shell = match child.key.as_str() {
            "shell" => Some(value),
            // `defaults: run: shell: bash`.
            "defaults" => child
                .children
                .iter()
                .flat_map(|run| &run.children)
                .find(|c| c.key == "shell")
                .map(|c| c.value.trim()),
            _ => None,
        };
        match shell {
            Some("bash") => inner.options = Options { errexit: true, pipefail: true },
            Some("sh") | None => {}
            Some(other) => {
                inner.options = Options::default();
                inner.options.set(other.split_whitespace().skip(1));
            }
        }
    }
    let is_command = COMMAND_KEYS.contains(&node.key.as_str());
    if is_command && !node.value.trim().is_empty() {
        found.push(Script { line: node.value_line, text: node.value.clone(), ..inner.clone() });
    } else if is_command {
        // A list of commands is one script, which ends with the first that fails.
        for child in node.children.iter().filter(|child| child.key.is_empty() && !child.value.is_empty()) {
            found.push(Script { line: child.value_line, text: child.value.clone(), ..inner.clone() });
        }
    }
    node.children.iter().for_each(|child| step(child, &inner, found));
}

/// Formats of their own: every line by itself, without what stands before the command.
fn lines(text: &str) -> Vec<Script> {
    let command = |line: &str| {
        let line = line.trim();
        let value =
            line.split_once(" = ").or_else(|| line.split_once("\": ")).map_or(line, |(_, value)| value);
        let value = value.strip_prefix("sh ").or_else(|| value.strip_prefix("RUN ")).unwrap_or(value);
        let value = value.trim_start_matches("- ").trim_end_matches(',').trim();
        let quoted = ["\"", "'"].iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
        quoted.unwrap_or(value).replace("\\\"", "\"")
    };
    text.lines()
        .zip(1_u32..)
        .filter(|(line, _)| super::command::checks(line))
        .map(|(line, number)| Script { line: number, text: command(line), ..Script::default() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<(u32, String, bool)> {
        of(path, text).into_iter().map(|script| (script.line, script.text, script.is_ignored)).collect()
    }

    #[test]
    fn recipes_are_cut_as_make_runs_them() {
        let text = "GO ?= go\ntest: build\n\t@$(GO) test ./... || exit $$?\n\t-go vet ./...\n\ncover:\n\tgo test \\\n\t  -cover\n";
        let expected = [
            (3, "${GO} test ./... || exit $?".to_owned(), false),
            (4, "go vet ./...".to_owned(), true),
            (7, "go test \\\n\t  -cover".to_owned(), false),
        ];
        assert_eq!(found("Makefile", text), expected);
        assert!(found("Makefile", ".IGNORE: test\ntest:\n\tpytest\nlint:\n\truff\n")[0].2);
        assert!(!found("Makefile", ".IGNORE: test\ntest:\n\tpytest\nlint:\n\truff\n")[1].2);
        assert!(found("Makefile", ".IGNORE:\ntest:\n\tpytest\n")[0].2);
        assert!(found("Makefile", "MAKEFLAGS += -i\ntest:\n\tpytest\n")[0].2);
        assert!(!found("Makefile", "MAKEFLAGS += -k\ntest:\n\tpytest\n")[0].2);
        let strict = of("Makefile", "SHELL := /bin/bash -eo pipefail\ntest:\n\ta | b\n");
        assert!(strict[0].options.pipefail);
    }

    #[test]
    fn steps_know_what_stands_around_them() {
        let text = "jobs:\n  test:\n    continue-on-error: true\n    steps:\n      - run: pytest\n  lint:\n    steps:\n      - name: Lint\n        continue-on-error: true\n        run: ruff check\n      - run: |\n          set +e\n          mypy\n      - shell: bash\n        run: a | b\n      - shell: bash {0}\n        run: c\n";
        let scripts = of(".github/workflows/ci.yml", text);
        let short: Vec<_> =
            scripts.iter().map(|script| (script.line, script.text.as_str(), script.is_ignored)).collect();
        let expected = [
            (5, "pytest", true),
            (10, "ruff check", true),
            (12, "set +e\nmypy", false),
            (15, "a | b", false),
            (17, "c", false),
        ];
        assert_eq!(short, expected);
        assert!(scripts[3].options.pipefail && !scripts[2].options.pipefail);
        assert!(!scripts[4].options.errexit);
        let gitlab =
            "test:\n  allow_failure: true\n  script:\n    - make test\n    - \"make lint || true\"\n";
        assert_eq!(
            found(".gitlab-ci.yml", gitlab),
            [(4, "make test".to_owned(), true), (5, "make lint || true".to_owned(), true)]
        );
    }

    #[test]
    fn scripts_of_packages_and_others_are_found() {
        let package = "{\n  \"scripts\": {\n    \"test\": \"jest --ci || true\"\n  }\n}\n";
        assert_eq!(found("package.json", package), [(3, "jest --ci || true".to_owned(), false)]);
        let tox = "[testenv]\ncommands =\n    pytest\n    - flake8\n[x]\n";
        assert_eq!(found("tox.ini", tox), [(3, "pytest".to_owned(), false), (4, "flake8".to_owned(), true)]);
        assert!(of("ci/check", "#!/bin/sh -e\npytest\n")[0].options.errexit);
        assert_eq!(found("ci/check.py", "#!/usr/bin/env python3\nprint(1)\n"), []);
        assert_eq!(
            found("Jenkinsfile", "  sh 'pytest || true'\n"),
            [(1, "pytest || true".to_owned(), false)]
        );
    }
}
