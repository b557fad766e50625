//! What the checks run, step by step, through the names that stand for it: `npm run verify`, `make check`, `ci/all.sh`.
//!
//! A line that calls a check by such a name is a step. One that is gone is a check that is not run; one that gave way to
//! another which came with the same change, and runs a part of the tests, is a check that was narrowed.

use super::{Line, command, lines};
use crate::check::Draft;
use crate::comparison::ChangedFile;
use crate::paths;
use crate::shell;
use crate::text::{file_name, has_any, starts_with_any};
use crate::vocabulary::{CHECKS, LESSER_TARGETS, LOOKING, NAMING_LINES, TEST_TARGETS};

/// One step.
#[derive(Clone, Debug, PartialEq)]
struct Step<'a> {
    line: u32,
    text: &'a str,
    /// What is called: a target, a script, a file, a runner.
    target: String,
    runs_tests: bool,
    /// Whether it calls a runner itself, not by a name that stands for it.
    direct: bool,
}

/// Steps of a file that are gone or narrower.
pub(super) fn check(file: &ChangedFile, all: &[&ChangedFile]) -> Vec<Draft> {
    let Some((before, after)) = file.both() else { return Vec::new() };
    let (old, new) = (steps(&before.text), steps(&after.text));
    let is_in = |steps: &[Step<'_>], wanted: &Step<'_>| steps.iter().any(|step| step.target == wanted.target);
    let lost: Vec<_> = old.iter().filter(|step| !is_in(&new, step)).collect();
    let gained: Vec<_> = new.iter().filter(|step| !is_in(&old, step)).collect();
    let mut drafts = Vec::new();
    for step in lost {
        let draft = |rule, message: String, line: u32| {
            vec![Draft::new(rule, &after.path, line, message).before(step.text)]
        };
        let narrower = gained.iter().find(|other| is_narrower(other, step, all));
        let is_elsewhere = all.iter().filter(|other| other.path() != file.path()).any(|other| {
            let gains = |text: &str| steps(text).iter().any(|other| other.target == step.target);
            other.after.as_ref().is_some_and(|side| gains(&side.text))
        });
        let same_kind = gained.iter().any(|other| other.runs_tests || !step.runs_tests);
        if let Some(narrower) = narrower {
            let message =
                format!("`{}` gave way to `{}`, which runs a part of it", step.target, narrower.target);
            drafts.extend(draft("check-narrowed", message, narrower.line));
        } else if !same_kind && !is_elsewhere && !step.direct {
            let message = format!("`{}` is no longer run here", step.target);
            let found = draft("check-removed", message, step.line);
            // A look at the code may be part of another tool now.
            let sure = step.runs_tests;
            drafts.extend(found.into_iter().map(|draft| draft.sure_if(sure)));
        }
    }
    drafts.extend(other_configuration(file, all));
    drafts.truncate(1);
    drafts
}

/// A command that is given a configuration which came with it and names a part of the tests.
fn other_configuration(file: &ChangedFile, all: &[&ChangedFile]) -> Option<Draft> {
    let (before, after) = file.both()?;
    let fresh = all.iter().filter(|other| other.before.is_none()).filter_map(|other| other.after.as_ref());
    let narrow: Vec<_> = fresh.filter(|side| side.text.lines().any(names_test_file)).collect();
    let known: Vec<&str> = before.text.lines().map(str::trim).collect();
    let (number, line) =
        after.text.lines().zip(1_u32..).map(|(line, number)| (number, line.trim())).find(|(_, line)| {
            !known.contains(line)
                && has_any(line, &["config", "-c "])
                && narrow.iter().any(|side| line.contains(file_name(&side.path)))
        })?;
    let message = "the tests are run by a configuration that came with this change and names a part of them";
    Some(Draft::new("check-narrowed", &after.path, number, message).after(line))
}

/// Whether a step is new in this change, and runs less than all.
fn is_narrower(step: &Step<'_>, old: &Step<'_>, all: &[&ChangedFile]) -> bool {
    let selects = |text: &str| names_test_file(text) || command::selects(text);
    if selects(step.text) && !selects(old.text) {
        return true;
    }
    let name = step.target.split_once(' ').map_or(step.target.as_str(), |(_, name)| name);
    let says_less =
        step.target.split(|c: char| !c.is_alphanumeric()).any(|part| LESSER_TARGETS.contains(&part));
    let definition = all.iter().find_map(|file| fresh_definition(file, &step.target, name));
    let runs_something = |text: &str| has_any(text, CHECKS) || has_any(text, TEST_TARGETS);
    match definition {
        Some(text) => selects(&text) || says_less && step.runs_tests || !runs_something(&text),
        None => false,
    }
}

/// What a name stands for, where that is new.
fn fresh_definition(file: &ChangedFile, target: &str, name: &str) -> Option<String> {
    let after = file.after.as_ref()?;
    let before = file.before.as_ref().map_or("", |side| side.text.as_str());
    if target.starts_with("file ") {
        let is_it = file.before.is_none()
            && target.trim_start_matches("file ").trim_start_matches("./") == after.path;
        return is_it.then(|| after.text.clone());
    }
    let quoted = format!("\"{name}\":");
    let starts = |line: &str| {
        line.starts_with(&quoted)
            || line.starts_with(&format!("{name}:"))
            || line.starts_with(&format!("{name} ="))
            || line == format!("[testenv:{name}]")
            || line.contains(&format!("def {name}("))
    };
    if before.lines().any(|line| starts(line.trim())) {
        return None;
    }
    let mut rest = after.text.lines().skip_while(|line| !starts(line.trim()));
    let first = rest.next()?;
    let more: Vec<&str> = rest
        .take_while(|line| {
            line.starts_with([' ', '\t']) && !quoted.is_empty()
                || line.contains('=') && !line.starts_with('[')
        })
        .take(6)
        .collect();
    let is_object = first.trim().starts_with('"');
    Some(if is_object { first.to_owned() } else { format!("{first}\n{}", more.join("\n")) })
}

/// Whether a command is given one file of tests, or a module of them.
pub(super) fn names_test_file(text: &str) -> bool {
    text.split([' ', '"', '\'', ',', '[', ']', '=']).any(|word| {
        let word = word.trim_start_matches("./");
        let is_module = word.starts_with("tests.test_") || word.starts_with("test.test_");
        let is_file = word.contains('.')
            && !word.contains('*')
            && paths::is_collected(word)
            && paths::is_test(word)
            && !paths::has_tests_beside_code(word);
        is_module || is_file
    })
}

/// The steps of a file that check something.
fn steps(text: &str) -> Vec<Step<'_>> {
    let mut found = Vec::new();
    for line in lines(text) {
        if has_any(line.text, NAMING_LINES) || line.text.contains("echo ") || line.text.starts_with('[') {
            continue;
        }
        found.extend(commands(&line));
    }
    found
}

/// The commands of a line.
fn commands<'a>(line: &Line<'a>) -> Vec<Step<'a>> {
    let value = match super::setting::key(line.text) {
        Some(_) if line.text.starts_with('"') => {
            line.text.split_once("\": ").map_or(line.text, |(_, value)| value)
        }
        Some(key) if ["run", "- run", "command", "script", "entry"].contains(&key) => {
            line.text.split_once(':').map_or(line.text, |(_, value)| value)
        }
        _ => line.text.trim_start_matches("- "),
    };
    let value = value.trim().trim_matches(['"', '\'', ',']).trim_start_matches(['@', '-']);
    let list = shell::parse(value);
    list.commands()
        .into_iter()
        .filter_map(|command| target(&command.text()))
        .map(|(target, runs_tests, direct)| Step {
            line: line.number,
            text: line.text,
            target,
            runs_tests,
            direct,
        })
        .collect()
}

/// What a command calls by name, and whether that runs tests.
pub(super) fn target(command: &str) -> Option<(String, bool, bool)> {
    let mut words = command.split_whitespace().filter(|word| !word.contains('='));
    let first = words.next()?;
    let rest: Vec<&str> = words.collect();
    let named =
        |kind_of: &str, name: &str| kind(name).map(|tests| (format!("{kind_of} {name}"), tests, false));
    match first {
        "npm" | "pnpm" | "yarn" | "bun" | "npx" => {
            let name = rest.iter().find(|word| {
                !["run", "run-script", "--silent", "-s"].contains(word) && !word.starts_with('-')
            })?;
            if first == "npx" { None } else { named("script", name) }
        }
        "make" | "just" | "task" | "rake" | "mage" => {
            named("target", rest.iter().find(|word| !word.starts_with('-'))?)
        }
        "tox" | "nox" => {
            let name = rest.iter().skip_while(|word| !["-e", "-s"].contains(word)).nth(1).unwrap_or(&"all");
            Some((format!("{first} {name}"), true, false))
        }
        "sh" | "bash" | "source" | "." | "python" | "python3" | "node" => {
            let file = rest.iter().find(|word| !word.starts_with('-'))?;
            let is_script = file.contains('/') || file.ends_with(".sh");
            let is_test = paths::is_test(file) && !file.ends_with(".sh");
            if is_script && !rest.contains(&"-m") && !is_test && !rest.contains(&"--test") {
                named("file", file.trim_start_matches("./"))
            } else {
                None
            }
        }
        "go" if rest.first() == Some(&"run") => named("file", rest.get(1)?.trim_start_matches("./")),
        _ if first.ends_with(".sh") || starts_with_any(first, &["./", "scripts/", "ci/"]) => {
            named("file", first.trim_start_matches("./"))
        }
        // An alias of one's own.
        _ => {
            let runner = command::named(command).filter(|runner| !command::looks(runner))?;
            Some((format!("run {runner}"), true, true))
        }
    }
}

/// Whether a name stands for tests (`Some(true)`), for a look at the code (`Some(false)`), or for neither.
fn kind(name: &str) -> Option<bool> {
    let lower = name.to_lowercase();
    let has = |words: &[&str]| {
        words.iter().any(|word| match word.len() {
            0..=3 => lower.split(|c: char| !c.is_alphanumeric()).any(|part| part == *word),
            _ => lower.contains(word),
        })
    };
    if has(TEST_TARGETS) {
        Some(true)
    } else if has(LOOKING) {
        Some(false)
    } else {
        None
    }
}
