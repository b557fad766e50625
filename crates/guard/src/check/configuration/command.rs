//! Lines that run a check.

use super::{Change, Line, operands};
use crate::check::Draft;
use crate::text::has_any;
use crate::vocabulary::{
    CHECKS, FORGIVING, IDLE_COMMANDS, LAUNCHERS, LOOKING, NAMING_LINES, NARROWING, NARROWS, NEUTRAL, STRICT,
    TASKS, VARIABLES,
};

/// Whether a line runs a check.
pub(super) fn checks(line: &str) -> bool {
    which(line).is_some()
}

/// Whether a line runs a check, or names the package that does.
pub(super) fn names_check(line: &str) -> bool {
    let is_repository = line.trim_start_matches("- ").starts_with("repo:");
    checks(line) || is_repository && CHECKS.iter().any(|check| check.len() > 3 && line.contains(check))
}

/// Whether a line runs tests, not only a look at the code.
pub(super) fn runs_tests(line: &str) -> bool {
    which(line).is_some_and(|check| if check == "the check" { !looks(line) } else { !looks(check) })
}

/// Whether a check looks at code without running it.
pub(super) fn looks(check: &str) -> bool {
    has_any(check, LOOKING) || check == "cargo check"
}

/// Whether two lines run the same check.
pub(super) fn same(a: &str, b: &str) -> bool {
    which(a).is_some() && which(a) == which(b)
}

/// The check that a line runs.
fn which(line: &str) -> Option<&str> {
    let line = line.trim();
    if super::is_comment(line) || line.starts_with('[') || has_any(line, NAMING_LINES) {
        return None;
    }
    // The arguments of a runner, and a script by the name of what it is for, are commands too.
    let is_script = super::setting::key(line).is_some_and(|key| {
        let purpose = key.split([':', '-']).next().unwrap_or(key);
        ["addopts", "PYTEST_ADDOPTS", "TESTFLAGS", "TEST_FLAGS", "TESTARGS", "TEST_ARGS", "TEST_OPTS"]
            .contains(&key)
            || line.starts_with('"') && TASKS.contains(&purpose)
    });
    if is_script && !line.ends_with(['{', '[']) && !line.contains("\": \"^") {
        return Some("the check");
    }
    named(line)
}

/// The check that a command runs, by the words of the command alone.
pub(super) fn named(command: &str) -> Option<&str> {
    names(command).next()
}

/// The checks that a command runs.
fn names(command: &str) -> impl Iterator<Item = &str> {
    let tools = CHECKS.iter().copied().filter(move |check| has_phrase(command, check));
    task(command).into_iter().chain(tools)
}

/// The task that a launcher is told to run: `npm run test`, `make check`.
fn task(command: &str) -> Option<&str> {
    let called = |at: usize, launcher: &str| {
        let rest = &command[at + launcher.len()..];
        let name = rest.strip_prefix(" run-script").or_else(|| rest.strip_prefix(" run")).unwrap_or(rest);
        let name = name.strip_prefix(' ')?;
        let end = name.find(|character| !is_part(character)).unwrap_or(name.len());
        let phrase = &command[at..command.len() - name.len() + end];
        // `npm ci` installs.
        let checks = TASKS.contains(&&name[..end]) && phrase != "npm ci" && has_phrase(command, phrase);
        checks.then_some(phrase)
    };
    LAUNCHERS
        .iter()
        .find_map(|launcher| command.match_indices(launcher).find_map(|(at, _)| called(at, launcher)))
}

/// Whether a character may be part of a command's name.
fn is_part(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '.')
}

/// Whether a line has this phrase, not as part of a longer word.
fn has_phrase(line: &str, phrase: &str) -> bool {
    line.match_indices(phrase).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let mut rest = line[at + phrase.len()..].chars();
        let after = rest.next();
        let is_version = after == Some('"') && line.contains("\": \"^");
        // The name of a package or of a script is not the command.
        let is_key = after == Some('"') && rest.next() == Some(':') && !line.contains("run");
        !(before.is_some_and(is_part) || after.is_some_and(is_part) || is_version || is_key)
    })
}

/// What a changed line does to the check in it.
pub(super) fn compared(path: &str, change: &Change<'_>, after: &str) -> Option<Draft> {
    match (&change.before, &change.after) {
        (Some(old), Some(new)) => rewritten(path, old, new, after).or_else(|| fixed(path, old, new)),
        (Some(old), None) => removed(path, old, None, after),
        (None, _) => None,
    }
}

fn rewritten(path: &str, old: &Line<'_>, new: &Line<'_>, after: &str) -> Option<Draft> {
    let check = which(old.text)?;
    if which(new.text).is_none() {
        return removed(path, old, Some(new), after);
    }
    let is_replaced = named(old.text).is_some()
        && named(new.text).is_none()
        && !["test", "spec", "check", "verify", "ci", "$("].iter().any(|word| {
            value_of(new.text).split_whitespace().any(|part| !part.starts_with('-') && part.contains(word))
        });
    if runs_nothing(new.text) && !runs_nothing(old.text) || is_replaced {
        let message = format!("`{check}` is no longer run here");
        return Some(Draft::new("check-removed", path, new.number, message).before(old.text).after(new.text));
    }
    let draft =
        |rule, message: String| Draft::new(rule, path, new.number, message).before(old.text).after(new.text);
    if let Some(flag) = FORGIVING.iter().find(|flag| new.text.contains(**flag) && !old.text.contains(**flag))
    {
        return Some(draft(
            "check-failure-ignored",
            format!("`{check}` may fail without anybody noticing: `{flag}`"),
        ));
    }
    if weakens_by_variable(old.text, new.text) {
        return Some(draft("check-narrowed", format!("`{check}` runs without its strength")));
    }
    if let Some(lowered) = super::setting::numbers_moved(old.text, new.text) {
        return Some(draft(lowered.0, lowered.1));
    }
    if super::steps::names_test_file(new.text) && !super::steps::names_test_file(old.text) {
        return Some(draft("check-narrowed", format!("`{check}` is given a part of the tests")));
    }
    let (had, has) = (flags(old.text), flags(new.text));
    // A limit that came so low that nothing can fail it.
    let low = has.iter().find(|(flag, value)| {
        let is_floor = has_any(flag, &["fail-under", "fail_under", "threshold", "-checks", "--checks"]);
        is_floor
            && (value.parse::<f64>().is_ok_and(|value| value < 10.0) || *value == "none")
            && !had.iter().any(|other| other.0 == *flag)
    });
    if let Some((flag, value)) = low {
        return Some(draft("threshold-lowered", format!("`{flag} {value}` lets everything pass")));
    }
    let disables = new.text.contains("-p no:") && !old.text.contains("-p no:");
    if disables {
        return Some(draft("check-narrowed", format!("`{check}` runs without a part of it")));
    }
    let silenced = has.iter().find(|flag| flag.1 == "ignore" && !had.contains(flag));
    if let Some((flag, value)) = silenced {
        return Some(draft(
            "check-narrowed",
            format!("`{check}` overlooks what it reported: `{flag} {value}`"),
        ));
    }
    // unittest takes a pattern of files where pytest takes a plugin.
    let is_pattern = |flag: &str| flag == "-p" && new.text.contains("unittest");
    let narrows = has.iter().find(|flag| {
        (leaves_out(flag.0) || is_pattern(flag.0)) && !had.iter().any(|other| other.0 == flag.0)
    });
    if let Some((flag, value)) = narrows.filter(|(_, value)| !is_neutral(value)) {
        return Some(draft(
            "check-narrowed",
            format!("`{check}` leaves out what it ran before: `{flag} {value}`"),
        ));
    }
    let longer = has.iter().find(|flag| {
        leaves_out(flag.0)
            && !is_neutral(flag.1)
            && had.iter().filter(|other| other.0 == flag.0).count()
                < has.iter().filter(|other| other.0 == flag.0).count()
            && !had.contains(flag)
    });
    if let Some((flag, value)) = longer {
        return Some(draft(
            "check-narrowed",
            format!("`{check}` leaves out more than before: `{flag} {value}`"),
        ));
    }
    let filter = has.iter().find(|(flag, _)| leaves_out(flag) && selects_less(old.text, new.text, flag));
    if let Some((flag, _)) = filter {
        return Some(draft("check-narrowed", format!("`{check}` runs fewer tests than before: `{flag}`")));
    }
    let name = names(old.text).find(|name| has_phrase(new.text, name));
    if let Some(name) = name {
        let (had, has) = (operands::of(old.text, name), operands::of(new.text, name));
        // What these are given is no part of the tests.
        let is_other = looks(name) || ["tox", "nox", "pre-commit run", "playwright test"].contains(&name);
        if operands::are_fewer(&had, &has) && !is_other {
            return Some(draft(
                "check-narrowed",
                format!("`{name}` is given less than before: `{}`", has.join(" ")),
            ));
        }
    }
    let lost = STRICT.iter().find(|word| has_flag(old.text, word) && !has_flag(new.text, word));
    lost.map(|word| draft("check-narrowed", format!("`{check}` is less strict: `{word}` is gone")))
}

/// Whether a flag leaves tests, files or rules out.
fn leaves_out(flag: &str) -> bool {
    is_letter_of(flag, "kmtgEouA") || NARROWS.contains(&flag) || has_any(&flag.to_lowercase(), NARROWING)
}

/// Whether a flag is one of these letters.
pub(super) fn is_letter_of(flag: &str, letters: &str) -> bool {
    flag.strip_prefix('-').is_some_and(|letter| letter.len() == 1 && letters.contains(letter))
}

/// Whether a command names a part of what it could run.
pub(super) fn selects(command: &str) -> bool {
    command.contains("::") || flags(command).iter().any(|(flag, _)| leaves_out(flag))
}

/// Whether a pattern that was there selects less than it did.
fn selects_less(old: &str, new: &str, flag: &str) -> bool {
    let (Some(was), Some(is)) = (pattern(old, flag), pattern(new, flag)) else { return false };
    let count = |text: &str, word: &str| text.matches(word).count();
    let leaves_out_more = count(is, "not ") > count(was, "not ") || count(is, " and ") > count(was, " and ");
    let lists_less = count(is, "|") < count(was, "|") || count(is, " or ") < count(was, " or ");
    let skips_more = flag == "-skip" && is.len() > was.len();
    was != is && (leaves_out_more || lists_less || skips_more || is.starts_with(was) && was.len() > 2)
}

/// What a flag is given, quotes and all.
fn pattern<'a>(line: &'a str, flag: &str) -> Option<&'a str> {
    let at = line.find(&format!(" {flag} ")).map(|at| at + flag.len() + 2);
    let at = at.or_else(|| line.find(&format!(" {flag}=")).map(|at| at + flag.len() + 2))?;
    let rest = line[at..].trim_start_matches('\\');
    let quote = rest.chars().next().filter(|first| matches!(first, '"' | '\''));
    match quote {
        Some(quote) => rest[1..].split(quote).next(),
        None => rest.split(' ').next(),
    }
}

/// What a script runs, without its name.
fn value_of(line: &str) -> &str {
    line.split_once("\": ").map_or(line, |(_, value)| value)
}

/// `PYTHONOPTIMIZE=1 pytest` and `python -O -m pytest`.
fn weakens_by_variable(old: &str, new: &str) -> bool {
    let optimises =
        |line: &str| [" -O ", " -OO "].iter().any(|flag| line.contains(flag) && line.contains("python"));
    let sets = |line: &str| {
        VARIABLES.iter().any(|(name, harmless)| {
            line.split_whitespace()
                .filter_map(|word| word.split_once('='))
                .any(|(key, value)| key == *name && !harmless.contains(&value.trim_matches(['"', '\''])))
        })
    };
    optimises(new) && !optimises(old) || sets(new) && !sets(old)
}

fn has_flag(line: &str, flag: &str) -> bool {
    line.match_indices(flag).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + flag.len()..].chars().next();
        before.is_none_or(|character| character == ' ' || character == '"' || character == '\'')
            && after.is_none_or(|character| !character.is_alphanumeric() && character != '-')
    })
}

/// The flags of a command, each with what follows it.
fn flags(line: &str) -> Vec<(&str, &str)> {
    let words: Vec<&str> = line
        .split([' ', ',', '"', '\'', '[', ']'])
        .map(|word| word.trim_matches(['"', '\'']))
        .filter(|word| !word.is_empty())
        .collect();
    let mut found = Vec::new();
    for (index, word) in words.iter().enumerate() {
        if let Some((flag, value)) = word.split_once('=').filter(|_| word.starts_with('-')) {
            found.push((flag, value));
        } else if word.starts_with('-') && word.len() > 1 {
            found.push((*word, words.get(index + 1).copied().unwrap_or_default()));
        }
    }
    found
}

/// Whether what is left out is nothing a person wrote.
pub(super) fn is_neutral(value: &str) -> bool {
    let parts = value.trim_start_matches(['-', ' ']).split(['/', '*', '(', ')', '|', '^', '$', '\\']);
    parts.map(|part| part.trim_matches(['"', '\''])).any(|part| {
        let stem = part.rsplit_once('.').map_or(part, |(stem, _)| stem);
        NEUTRAL.contains(&part) || NEUTRAL.contains(&stem) || NEUTRAL.contains(&part.trim_matches('.'))
    })
}

/// Whether a line only says something, or succeeds.
fn runs_nothing(line: &str) -> bool {
    let command = line.rsplit_once("run:").map_or(line, |(_, command)| command);
    let command = command.rsplit_once("run(").map_or(command, |(_, command)| command);
    let command = command.rsplit_once("\": \"").map_or(command, |(_, command)| command);
    let command = command.rsplit_once("entry:").map_or(command, |(_, command)| command);
    let command = command.trim_start_matches(['-', ' ', '@', '"', '\'', '|', '>']).trim();
    IDLE_COMMANDS.iter().any(|word| {
        command
            .strip_prefix(word)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '"', '\'', ',', ';', '#']))
    })
}

/// A check that is no longer run here, unless it runs on another line of the file.
fn removed(path: &str, old: &Line<'_>, new: Option<&Line<'_>>, after: &str) -> Option<Draft> {
    let check = which(old.text)?;
    // Another target that runs it is another purpose.
    let left: Vec<_> = super::lines(after).into_iter().filter(|line| line.context == old.context).collect();
    let emptied = crate::paths::is_make(path)
        && TASKS.contains(&old.context)
        && (left.iter().any(|line| runs_nothing(line.text)) || !left.iter().any(|line| checks(line.text)));
    let still = !emptied
        && after
            .lines()
            .map(str::trim)
            .any(|line| check != "the check" && which(line) == Some(check) && !runs_nothing(line));
    // One of several scripts of a kind: the main one is still there.
    let still = still
        || old
            .text
            .trim_start_matches('"')
            .split('"')
            .next()
            .and_then(|name| name.split_once(':'))
            .is_some_and(|(purpose, _)| {
                TASKS.contains(&purpose) && after.contains(&format!("\"{purpose}\": "))
            });
    // A setting that only mentions a check runs nothing.
    let runs = !old.text.contains("= [") || old.text.contains("run");
    if still || !runs {
        return None;
    }
    let message = format!("`{check}` is no longer run here");
    let line = new.map_or(old.number, |line| line.number);
    let after = new.map(|line| line.text.to_owned());
    Some(Draft { after, ..Draft::new("check-removed", path, line, message).before(old.text) })
}

/// A result that was computed and is a number now.
fn fixed(path: &str, old: &Line<'_>, new: &Line<'_>) -> Option<Draft> {
    let is_computed = old.text.contains("=$(") || old.text.contains("=`");
    let (name, value) = new.text.split_once('=')?;
    let is_number = value.chars().all(|character| character.is_ascii_digit());
    (is_computed && old.text.starts_with(name) && is_number).then(|| {
        let message = "what a check gave is a fixed number now";
        Draft::new("check-failure-ignored", path, new.number, message).before(old.text).after(new.text)
    })
}
