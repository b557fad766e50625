//! How checks are run: continuous integration, test runners, coverage, hooks, flags.
//!
//! These files have many formats, so they are compared line by line: what a line says that is new, what a line
//! said that is gone, and numbers that moved in the wrong direction.

use super::Draft;
use crate::comparison::{ChangedFile, Comparison};
use crate::paths;

/// Commands that check.
const CHECKS: &[&str] = &[
    "pytest", "unittest", "cargo test", "cargo nextest", "cargo clippy", "npm test", "npm run test", "yarn test", "pnpm test",
    "npx jest", "npx vitest", "jest", "vitest", "mocha", "node --test", "go test", "go vet", "golangci-lint", "mvn test",
    "gradle test", "dotnet test", "rspec", "phpunit", "ctest", "tox", "nox", "eslint", "mypy", "ruff", "tsc", "make test", "make check", "npm run lint", "flake8",
];

/// Words that make a failing check pass, on a line that is new.
const IGNORED: &[&str] = &[
    "|| true", "||true", "|| :", "|| exit 0", "; true", "; exit 0", "continue-on-error: true", "allow_failure: true", "--passWithNoTests",
    "passWithNoTests: true", "passWithNoTests\": true", "set +e", "ignore_errors: true", "--exit-zero", "--no-fail-fast-exit",
    "--suppress-no-test-exit-code", "failOnError: false", "testFailureIgnore", "ignoreFailures = true", "bail: false-ignore", "|| echo",
    "dangerouslyIgnoreUnhandledErrors", "--dangerouslyIgnoreUnhandledErrors", "|| exit 0", "if: false", "when: never", "if: ${{ false }}", "exit 0", "--allow-empty", "|| /bin/true",
];

/// Words that leave something out, on a line that is new.
const NARROWED: &[&str] = &[
    "testPathIgnorePatterns", "--deselect", "--ignore=", "--ignore ", "--ignore-glob", "-k \"not", "-k 'not", "-k not", "not slow", "collect_ignore",
    "norecursedirs", "-m \"not", "-m 'not", "--skip ", "-- --skip", "--exclude ", "--exclude=", "-skip ", "-skip=", "--testPathIgnorePatterns", "-short", "--lib ",
    "testNamePattern", "--testNamePattern", "--grep", "--invert", "grep:", "exclude:", "\"exclude\":", "modulePathIgnorePatterns", "testMatch", "testRegex", "-run ", "-run=", "test = false", "doctest = false", "harness = false", "omit =", "coveragePathIgnorePatterns",
    "--collect-only", "--co ", "--no-run", "-DskipTests", "-Dmaven.test.skip", "--list", "--maxfail=0", "--dry-run", "-o addopts=", "-p no:", "testpaths", "python_files", "python_functions", "--only", "autotests = false", "exclude = [", "\"spec\":", "--last-failed", "--lf",
];

/// Settings whose number must not fall.
const FLOORS: &[&str] = &[
    "fail-under", "fail_under", "cov-fail-under", "threshold", "branches", "functions", "lines", "statements", "minimum", "target", "min_coverage", "check-coverage", "fail-under-lines",
];

pub(super) fn check(comparison: &Comparison) -> Vec<Draft> {
    let files = comparison.files.iter().filter(|file| paths::is_check_configuration(file.path()));
    files.flat_map(file).collect()
}

fn file(file: &ChangedFile) -> Vec<Draft> {
    let path = file.path();
    let before = file.before.as_ref().map_or("", |side| side.text.as_str());
    let Some(after) = file.after.as_ref().map(|side| side.text.as_str()) else {
        let has_checks = before.lines().any(|line| checks(line));
        let message = format!("`{path}`, which runs checks, is gone");
        return has_checks.then(|| Draft::new("check-removed", path, 1, message)).into_iter().collect();
    };
    let (lost, gained) = (difference(before, after), difference(after, before));
    let mut drafts = Vec::new();
    let is_new = file.before.is_none();
    for (line, text) in &gained {
        if is_comment(text) {
            continue;
        }
        drafts.extend(ignored(path, *line, text, &lost, is_new));
        drafts.extend(narrowed(path, *line, text, &lost, is_new));
    }
    drafts.extend(lowered(path, &lost, &gained));
    drafts.extend(removed(path, &lost, &gained, after));
    drafts.extend(switched_off(path, &lost, &gained));
    if drafts.is_empty() && file.before.is_some() && !(lost.is_empty() && gained.is_empty()) && !path.ends_with("package.json") && !path.ends_with("Cargo.toml") {
        let message = format!("`{path}`, which says how checks run, changed");
        drafts.push(Draft::new("check-configuration-changed", path, gained.first().map_or(1, |(line, _)| *line), message));
    }
    drafts
}

type Lines<'a> = Vec<(u32, &'a str)>;

/// The lines of `mine` that `other` does not have, with their numbers.
fn difference<'a>(mine: &'a str, other: &str) -> Lines<'a> {
    let mut left: Vec<&str> = other.lines().map(str::trim).collect();
    let mut found = Vec::new();
    for (number, line) in mine.lines().map(str::trim).enumerate() {
        match left.iter().position(|candidate| *candidate == line) {
            Some(at) => {
                left.swap_remove(at);
            }
            None if line.is_empty() => {}
            None => found.push((number as u32 + 1, line)),
        }
    }
    found
}

fn is_comment(line: &str) -> bool {
    line.starts_with('#') || line.starts_with("//")
}

/// Whether a line runs a check.
fn checks(line: &str) -> bool {
    !is_comment(line) && CHECKS.iter().any(|check| has_word(line, check))
}

/// Whether a text has this phrase, not as part of a longer word.
fn has_word(line: &str, phrase: &str) -> bool {
    line.match_indices(phrase).any(|(at, _)| {
        let is_end = |character: Option<char>| character.is_none_or(|character| !character.is_alphanumeric() && character != '_');
        let before = line[..at].chars().next_back();
        let after = line[at + phrase.len()..].chars().next();
        is_end(before) && is_end(after) && before != Some('-') && !(after == Some('-') || after == Some('.') && phrase != "make test")
    })
}

fn ignored(path: &str, number: u32, line: &str, lost: &Lines<'_>, is_new: bool) -> Option<Draft> {
    let word = IGNORED.iter().find(|word| line.contains(**word))?;
    let had = lost.iter().any(|(_, old)| old.contains(*word));
    let is_check = checks(line) || !line.contains("||") && !line.starts_with("exit 0");
    if had || line.starts_with("exit 0") && is_new {
        return None;
    }
    let message = "a check may fail here without anybody noticing".to_owned();
    let draft = Draft::new("check-failure-ignored", path, number, message).after(line);
    Some(if is_check && !is_new { draft } else { draft.unsure() })
}

fn narrowed(path: &str, number: u32, line: &str, lost: &Lines<'_>, is_new: bool) -> Option<Draft> {
    let word = NARROWED.iter().find(|word| line.contains(**word))?;
    let old = lost.iter().find(|(_, old)| old.contains(*word));
    // A shorter list leaves out less.
    if old.is_some_and(|(_, old)| old.len() >= line.len()) {
        return None;
    }
    let message = "the test runner leaves out what it ran before".to_owned();
    let draft = Draft::new("check-narrowed", path, number, message).after(line);
    let draft = match old {
        Some((_, old)) => draft.before(*old),
        None => draft,
    };
    Some(if is_new { draft.unsure() } else { draft })
}

/// Numbers that fell where they are a floor.
fn lowered(path: &str, lost: &Lines<'_>, gained: &Lines<'_>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for (_, old) in lost {
        let Some(word) = FLOORS.iter().find(|word| old.to_lowercase().contains(**word)) else { continue };
        let same = gained.iter().find(|(_, new)| skeleton(new) == skeleton(old));
        let (numbers_old, text) = (numbers(old), *old);
        match same {
            Some((number, new)) => {
                let fell = numbers_old.iter().zip(numbers(new)).any(|(old, new)| new < *old);
                if fell {
                    let message = format!("the limit `{word}` is lower than before");
                    drafts.push(Draft::new("threshold-lowered", path, *number, message).before(text).after(*new));
                }
            }
            None => {
                let is_setting = old.contains("fail-under") || old.contains("fail_under") || old.contains("Threshold");
                let still = gained.iter().any(|(_, new)| new.to_lowercase().contains(*word));
                if is_setting && !still && !is_comment(old) {
                    let message = format!("the limit `{word}` is gone");
                    drafts.push(Draft::new("threshold-lowered", path, 1, message).before(text));
                } else if is_setting && still {
                    drafts.extend(lowered_flag(path, old, gained, word));
                }
            }
        }
    }
    drafts
}

/// A flag in a longer line, which changed in other ways as well.
fn lowered_flag(path: &str, old: &str, gained: &Lines<'_>, word: &str) -> Option<Draft> {
    let after = |line: &str| numbers(&line[line.to_lowercase().find(word)? + word.len()..]).first().copied();
    let was = after(old)?;
    let (number, new) = gained.iter().find(|(_, new)| after(new).is_some())?;
    (after(new)? < was).then(|| {
        let message = format!("the limit `{word}` is lower than before");
        Draft::new("threshold-lowered", path, *number, message).before(old).after(*new)
    })
}

fn skeleton(line: &str) -> String {
    line.chars().filter(|character| !character.is_ascii_digit() && *character != '.').collect()
}

fn numbers(line: &str) -> Vec<f64> {
    let words = line.split(|character: char| !character.is_ascii_digit() && character != '.');
    words.filter_map(|word| word.trim_matches('.').parse().ok()).collect()
}

/// Commands that checked and are gone from the file.
fn removed(path: &str, lost: &Lines<'_>, gained: &Lines<'_>, after: &str) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for (_, old) in lost.iter().filter(|(_, line)| checks(line)) {
        let Some(check) = CHECKS.iter().find(|check| has_word(old, check)) else { continue };
        let runs = |line: &str| checks(line) && has_word(line, check);
        let still = gained.iter().any(|(_, line)| runs(line)) || after.lines().map(str::trim).any(runs);
        let other = gained.iter().any(|(_, line)| checks(line));
        let is_dependency = old.trim_end_matches(',').ends_with('"') && old.contains("\": \"^") || old.contains(">=") || old.contains("==") || old.contains("uses:") || old.starts_with("- name:") || old.starts_with("name:");
        if still || other || is_dependency {
            continue;
        }
        let message = format!("`{check}` is no longer run here");
        let replacement = gained.iter().map(|(_, line)| *line).find(|line| line.contains("echo") || line.contains("true") || line.contains("exit 0"));
        let draft = Draft::new("check-removed", path, 1, message).before(*old);
        drafts.push(match replacement {
            Some(line) => draft.after(line),
            None => draft,
        });
    }
    drafts
}

/// `strict: true` that became `strict: false`.
fn switched_off(path: &str, lost: &Lines<'_>, gained: &Lines<'_>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for (_, old) in lost.iter().filter(|(_, line)| line.contains("true") || line.contains("error")) {
        let off = [old.replace("true", "false"), old.replace("\"error\"", "\"off\""), old.replace("'error'", "'off'")];
        if let Some((number, new)) = gained.iter().find(|(_, line)| off.iter().any(|off| off == line && off != old)) {
            let message = "a check that was on is off".to_owned();
            drafts.push(Draft::new("feature-flag-disabled", path, *number, message).before(*old).after(*new));
        }
    }
    drafts
}
