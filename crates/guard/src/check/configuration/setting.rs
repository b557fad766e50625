//! Lines that set something.

use super::command::is_neutral;
use super::{Change, Line};
use crate::check::Draft;
use crate::text::{file_name, has_any, starts_with_any};
use crate::vocabulary::{
    CEILINGS, FLOORS, LEAVING_OUT, LOOKING_AT, STRICT_STEMS, SWITCHES_OFF, SWITCHES_ON, TASKS, TEST_PATTERNS,
    VARIABLES,
};

/// A limit that grows by less than this factor is an adjustment.
const CEILING_FACTOR_MIN: f64 = 5.0;

/// The key of `key = value`, `key: value` or `"key": value`.
pub(super) fn key(line: &str) -> Option<&str> {
    let at = line.find([':', '='])?;
    let key = line[..at].trim().trim_start_matches("- ").trim().trim_matches(['"', '\'']);
    let is_plain =
        |character: char| character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | '@' | '/');
    (!key.is_empty() && key.chars().all(is_plain)).then_some(key)
}

fn value(line: &str) -> &str {
    line.find([':', '='])
        .map_or(line, |at| &line[at + 1..])
        .trim()
        .trim_end_matches(',')
        .trim_matches(['"', '\''])
}

/// What a changed setting does to the checks.
pub(super) fn compared(path: &str, change: &Change<'_>, after: &str) -> Option<Draft> {
    match (&change.before, &change.after) {
        (Some(old), Some(new)) => rewritten(path, old, new),
        (None, Some(new)) => added(path, new),
        (Some(old), None) => removed(path, old, after),
        (None, None) => None,
    }
}

fn rewritten(path: &str, old: &Line<'_>, new: &Line<'_>) -> Option<Draft> {
    let draft = |rule, message: String| {
        Some(Draft::new(rule, path, new.number, message).before(old.text).after(new.text))
    };
    if let Some((rule, message)) = numbers_moved(old.text, new.text) {
        return draft(rule, message);
    }
    // Coverage may fall by this much: more of it is less of a check.
    let drops = |line: &Line<'_>| numbers(line.text).first().copied().unwrap_or_default();
    if path.contains("codecov") && key(new.text) == Some("threshold") && drops(new) > drops(old) {
        return draft("threshold-lowered", "coverage may fall further than before".to_owned());
    }
    let denies = |line: &Line<'_>| has_any(line.text, &["-D warnings", "-Dwarnings", "-Werror"]);
    if denies(old) && !denies(new) {
        return draft("check-narrowed", "warnings no longer fail the check".to_owned());
    }
    if selects_always(new.text) && !selects_always(old.text) {
        return draft("check-narrowed", "every test run leaves something out".to_owned());
    }
    // A pattern of all tests that names one of them now.
    let is_pattern = |line: &Line<'_>| line.text.contains('*');
    if is_pattern(old) && !is_pattern(new) && super::steps::names_test_file(new.text) {
        return draft("check-narrowed", "one file of tests is looked at where all were".to_owned());
    }
    // A script of coverage that is given less.
    let is_script = old.text.contains(".sh ") || old.text.contains(".py ");
    if old.text.contains("cover") && is_script && fell(old.text, new.text) {
        return draft("threshold-lowered", "less coverage is asked for".to_owned());
    }
    let name = key(new.text).unwrap_or(new.context);
    if key(old.text) != key(new.text) {
        return added(path, new);
    }
    let (was, is) = (value(old.text), value(new.text));
    if loosened(name, was, is) {
        return draft("check-narrowed", format!("`{name}` is less strict than before"));
    }
    let words = |text: &str| -> Vec<String> {
        text.split([',', '[', ']', ' ', '{', '}'])
            .map(|word| word.trim_matches(['"', '\'', '`']).to_owned())
            .filter(|word| !word.is_empty())
            .collect()
    };
    let (had, has) = (words(was), words(is));
    let gained: Vec<_> = has.iter().filter(|word| !had.contains(word) && !is_neutral(word)).collect();
    let lost: Vec<_> = had.iter().filter(|word| !has.contains(word)).collect();
    let is_list = lists_left_out(name, new.context, is) && !is_about_more(path, name, new);
    if is_list && !gained.is_empty() {
        return draft("check-narrowed", format!("`{name}` leaves out more than before"));
    }
    let negates = gained.iter().any(|word| word.starts_with('!'));
    // A number is a limit, not a list.
    let says_what = |name: &str| LOOKING_AT.contains(&name) || TEST_PATTERNS.contains(&name);
    let looks_at = (says_what(name) || says_what(new.context))
        && !is_about_more(path, name, new)
        && is.parse::<f64>().is_err();
    let fewer = !lost.is_empty() && (name != "on" || lost.iter().any(|word| word.starts_with("pu")));
    // A place that got another name is still looked at; another pattern of names is not the same.
    let is_pattern = TEST_PATTERNS.contains(&name) || ["testpaths", "on", "spec"].contains(&name);
    let is_part =
        |word: &&String| lost.iter().any(|whole| word.starts_with(whole.trim_end_matches(['/', '*'])));
    let narrows = lost.len() > gained.len() || is_pattern || gained.iter().any(is_part);
    if looks_at && (negates || fewer && lost.len() >= gained.len() && narrows) {
        return draft("check-narrowed", format!("`{name}` looks at less than before"));
    }
    // A make target that no longer depends on its checks.
    let is_target = !name.starts_with('.')
        && old.text.contains(':')
        && !old.text.contains('=')
        && crate::paths::is_make(path);
    (is_target && lost.iter().any(|word| TASKS.contains(&word.as_str())))
        .then(|| {
            draft(
                "check-removed",
                format!(
                    "`{name}` no longer runs {}",
                    lost.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(", ")
                ),
            )
        })
        .flatten()
}

/// Whether a setting has its name in common with one of the checks only: what a package ships, the machines that a
/// matrix lists, a warning that is named exactly.
fn is_about_more(path: &str, name: &str, line: &Line<'_>) -> bool {
    let file = file_name(path);
    let is = |names: &[&str]| names.contains(&name) || names.contains(&line.context);
    match file {
        "package.json" => is(&["files", "include", "exclude", "branches", "paths"]),
        "Cargo.toml" => is(&["exclude", "include"]),
        _ if path.starts_with(".github/workflows/") || file == ".travis.yml" => is(&["include", "exclude"]),
        _ => line.context == "filterwarnings" && line.text.matches(':').count() >= 2,
    }
}

/// Whether a word that was strict became one that is not.
fn loosened(name: &str, was: &str, is: &str) -> bool {
    let lower = name.to_lowercase();
    let strict = |value: &str| match value.to_lowercase().trim_matches(['[', ']', '"', '\'']) {
        "deny" | "forbid" | "error" | "strict" | "2" | "all" => 3,
        "warn" | "warning" | "standard" | "basic" | "1" => 2,
        "off" | "allow" | "ignore" | "none" | "silent" | "0" => 1,
        _ => 0,
    };
    if let (Some(true), Some(false)) = (switch(was), switch(is)) {
        return is_better_on(name);
    }
    if let (Some(false), Some(true)) = (switch(was), switch(is)) {
        return SWITCHES_OFF.iter().any(|word| lower == word.to_lowercase());
    }
    // A number that counts something is no level.
    if has_any(&lower, CEILINGS) {
        return false;
    }
    let first = |value: &str| strict(value.split([',', ' ']).next().unwrap_or_default());
    first(was) > 0 && first(is) > 0 && first(is) < first(was)
}

/// Whether a switch makes checks stricter: by its whole name, or by how it begins.
fn is_better_on(name: &str) -> bool {
    let lower = name.to_lowercase();
    SWITCHES_ON.contains(&lower.as_str()) || starts_with_any(&lower, STRICT_STEMS)
}

/// Whether a switch is on; nothing where it is none.
fn switch(value: &str) -> Option<bool> {
    match value.to_lowercase().split([',', ' ']).next().unwrap_or_default() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// Whether a setting lists what is left out, by its name or that of what it is in. A switch or a number lists nothing.
fn lists_left_out(name: &str, context: &str, value: &str) -> bool {
    let lists = |name: &str| {
        name == "allow" || starts_with_any(name, LEAVING_OUT) || has_any(name, &["PathIgnore", "-ignore"])
    };
    (lists(name) || lists(context)) && switch(value).is_none() && value.parse::<f64>().is_err()
}

/// Whether a line sets flags for every test run that leave something out: `GOFLAGS ?= -run=TestA`.
fn selects_always(line: &str) -> bool {
    line.contains("FLAGS")
        && line.contains('=')
        && has_any(line, &["-run=", "-run ", "-skip", "-k ", "--ignore", "--deselect"])
}

fn added(path: &str, new: &Line<'_>) -> Option<Draft> {
    if selects_always(new.text) {
        let message = "every test run leaves something out".to_owned();
        return Some(Draft::new("check-narrowed", path, new.number, message).after(new.text));
    }
    let name = key(new.text).unwrap_or(new.context);
    let is = value(new.text);
    let draft = |rule, message: String| Some(Draft::new(rule, path, new.number, message).after(new.text));
    let switched = is.to_lowercase() == "true" || is == "1" || is.to_lowercase() == "yes";
    if SWITCHES_OFF.contains(&name) && switched {
        return draft("check-failure-ignored", format!("`{name}` lets failures through"));
    }
    let weakens = VARIABLES.iter().any(|(variable, harmless)| {
        name == *variable && !harmless.contains(&is)
            || name == "env" && new.text.contains(&format!("{variable}="))
    });
    if weakens {
        return draft("check-narrowed", format!("`{name}` takes the strength out of checks"));
    }
    let never =
        ["false", "${{ false }}", "never()", "${{ never() }}", "1 == 2", "0", "github.event_name == 'never'"];
    let is_condition = name == "if" && never.contains(&is);
    let is_manual = name == "stages" && ["[manual]", "[ manual ]", "manual"].contains(&is)
        || name == "only" && ["never", "/never/", "none"].contains(&is);
    if is_condition || is_manual || name == "when" && ["never", "manual"].contains(&is) {
        return draft(
            "check-narrowed",
            format!("a step runs only when somebody asks for it: `{}`", new.text),
        );
    }
    let leaves_out = lists_left_out(name, new.context, is);
    if name == "default-filter" || leaves_out && !is_about_more(path, name, new) {
        let items: Vec<_> = is
            .split([',', '[', ']', ' '])
            .map(|word| word.trim_matches(['"', '\'']))
            .filter(|word| !word.is_empty() && *word != "-")
            .collect();
        // To fail on what was let through is stricter.
        let opens_list = items.is_empty()
            || name == "filterwarnings" && items.iter().all(|item| item.starts_with("error"));
        if !opens_list && !items.iter().all(|item| is_neutral(item)) && is != "false" {
            return draft("check-narrowed", format!("`{name}` leaves out something that was looked at"));
        }
    }
    let switches_test_off = SWITCHES_ON.contains(&name) && is == "false";
    let names_tests = TEST_PATTERNS.contains(&name)
        || ["testRunner", "testNamePattern", "testPathPattern", "grep"].contains(&name);
    let replaces = path.starts_with(".cargo/") && (name == "runner" || name == "test");
    if replaces {
        return draft("check-removed", format!("`{name}` replaces what runs the tests"));
    }
    (switches_test_off || names_tests)
        .then(|| draft("check-narrowed", format!("`{name}` leaves out something that was run")))
        .flatten()
}

/// Whether two lines differ in one number, which is less than half in the second.
fn fell(old: &str, new: &str) -> bool {
    let bare = |line: &str| line.chars().filter(|c| !c.is_ascii_digit() && *c != '.').collect::<String>();
    let (had, has) = (numbers(old), numbers(new));
    bare(old) == bare(new) && had.len() == has.len() && had.iter().zip(&has).any(|(a, b)| b * 2.0 < *a)
}

/// A limit that is gone.
fn removed(path: &str, old: &Line<'_>, after: &str) -> Option<Draft> {
    let lower = old.text.to_lowercase();
    let name = key(old.text).unwrap_or(old.context);
    let is_limit = has_any(
        &lower,
        &[
            "fail_under",
            "fail-under",
            "threshold",
            "check-coverage",
            "forbid-only",
            "xfail_strict",
            "minimum_coverage",
        ],
    ) || old.context.to_lowercase().contains("threshold") && !numbers(old.text).is_empty();
    let still = after.to_lowercase().contains(&name.to_lowercase())
        && !old.context.to_lowercase().contains("threshold");
    // A hook that ran before each commit.
    let is_hook = path.ends_with(".pre-commit-config.yaml")
        && name == "id"
        && super::command::checks(value(old.text))
        && !after.contains(old.text);
    if is_hook {
        let message = format!("the hook `{}` is gone", value(old.text));
        return Some(Draft::new("check-removed", path, old.number, message).before(old.text));
    }
    let lists = ["select", "extend-select", "enable", "linters"];
    let is_item = old.text.starts_with("- ") || old.text.starts_with(['"', '\'']);
    let was_listed = lists.contains(&old.context) && is_item && !old.in_exclusion
        || old.context == "on" && ["push", "pull_request"].contains(&name);
    let was_strict = !after.contains(old.text)
        && loosened(
            name,
            value(old.text),
            if value(old.text).eq_ignore_ascii_case("true") { "false" } else { "off" },
        )
        && is_better_on(name);
    if is_limit && !still {
        return Some(
            Draft::new("threshold-lowered", path, old.number, format!("the limit `{name}` is gone"))
                .before(old.text),
        );
    }
    (was_listed || was_strict).then(|| {
        Draft::new("check-narrowed", path, old.number, format!("`{}` no longer holds", old.text))
            .before(old.text)
    })
}

/// Numbers that fell below their floor or rose above their ceiling.
pub(super) fn numbers_moved(old: &str, new: &str) -> Option<(&'static str, String)> {
    let lower = old.to_lowercase();
    let (had, has) = (numbers(old), numbers(new));
    // Complexity, arguments, lines: less of them is stricter.
    let is_ceiling =
        has_any(&lower, &["too-many", "max-", "max_", "complexity", "too_many", "type-complexity"]);
    if is_ceiling && !lower.contains("timeout") && CEILINGS.iter().all(|word| !lower.contains(word)) {
        return None;
    }
    let floor = FLOORS.iter().find(|word| lower.contains(**word) && new.to_lowercase().contains(**word));
    let ceiling = CEILINGS.iter().find(|word| lower.contains(**word) && new.to_lowercase().contains(**word));
    if had.len() != has.len() || had == has {
        return None;
    }
    let pairs = || had.iter().zip(&has).filter(|(old, new)| old != new);
    if let Some(word) = ceiling {
        let grew = pairs()
            .any(|(old, new)| *new >= old.max(0.2) * CEILING_FACTOR_MIN || *new == 0.0 && *word == "timeout");
        return grew.then(|| ("timeout-widened", format!("the limit `{word}` is far higher than before")));
    }
    let word = floor?;
    let fell = pairs().any(|(old, new)| new < old);
    fell.then(|| ("threshold-lowered", format!("the limit `{word}` is lower than before")))
}

/// The numbers in a line; durations in seconds.
fn numbers(line: &str) -> Vec<f64> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find(|character: char| character.is_ascii_digit()) {
        rest = &rest[start..];
        let end = rest
            .find(|character: char| !character.is_ascii_digit() && character != '.')
            .unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        let mut unit = after.chars();
        let factor = match (unit.next(), unit.next()) {
            (Some('h'), next) if !next.is_some_and(char::is_alphanumeric) => 3600.0,
            (Some('m'), next) if !next.is_some_and(char::is_alphanumeric) => 60.0,
            (Some('m'), Some('s')) => 0.001,
            _ => 1.0,
        };
        found.extend(number.trim_matches('.').parse::<f64>().ok().map(|number| number * factor));
        rest = after;
    }
    found
}
