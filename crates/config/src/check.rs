//! Checks: what they may be called, and how `--check [NAME=]CMD` names them.

use std::collections::BTreeMap;

use piton_model::limits::TEXT_BYTES_MAX;
use piton_model::loop_machine::Check;

const NAME_BYTES_MAX: usize = 64;

/// Why `name` cannot name a check or an agent; nothing where it can.
pub(crate) fn name_problem(name: &str) -> Option<String> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let starts_well = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    if starts_well && name.len() <= NAME_BYTES_MAX && name.bytes().all(allowed) {
        return None;
    }
    Some(format!(
        "a name has 1 to {NAME_BYTES_MAX} letters, digits, `-`, `_` or `.`, and starts with a letter or digit"
    ))
}

/// Why `command` cannot be a command; nothing where it can.
pub(crate) fn command_problem(command: &str) -> Option<&'static str> {
    if command.trim().is_empty() {
        Some("the command is empty")
    } else if command.contains('\0') {
        Some("the command holds a zero byte")
    } else if command.len() > TEXT_BYTES_MAX {
        Some("the command is longer than 8 KiB; put it into a script")
    } else {
        None
    }
}

/// The checks of `--check`, and what is wrong with them.
///
/// A given name may replace a check of `taken`; a derived one never does. Derived is the first word of the
/// command where nothing else has that name, else `check-N` for the N-th flag.
pub(crate) fn from_flags(flags: &[String], taken: &[&str]) -> (Vec<Check>, Vec<String>) {
    let mut problems = Vec::new();
    let split: Vec<_> = flags.iter().map(|flag| split(flag)).collect();
    let mut used: BTreeMap<String, usize> = taken.iter().map(|name| ((*name).to_owned(), 1)).collect();
    for name in split.iter().filter_map(|(name, command)| name.map(str::to_owned).or(first_word(command))) {
        *used.entry(name).or_default() += 1;
    }
    let mut checks: Vec<Check> = Vec::new();
    for (index, (given, command)) in split.into_iter().enumerate() {
        if let Some(why) = command_problem(command) {
            problems.push(why.to_owned());
            continue;
        }
        let name = match given {
            Some(name) => name.to_owned(),
            None => derived(command, index, &mut used),
        };
        if checks.iter().any(|check| check.name == name) {
            problems.push(format!("two checks are called `{name}`"));
            continue;
        }
        checks.push(Check::new(name, command));
    }
    (checks, problems)
}

/// `NAME=CMD` into its parts. `CI=1 make` is a command: names in capitals are variables for the shell.
fn split(flag: &str) -> (Option<&str>, &str) {
    let is_variable = |name: &str| {
        name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_' || byte.is_ascii_digit())
    };
    match flag.split_once('=') {
        Some((name, command)) if name_problem(name).is_none() && !is_variable(name) => {
            (Some(name), command.trim())
        }
        _ => (None, flag.trim()),
    }
}

fn derived(command: &str, index: usize, used: &mut BTreeMap<String, usize>) -> String {
    if let Some(word) = first_word(command)
        && used.get(&word) == Some(&1)
    {
        return word;
    }
    let mut number = index + 1;
    loop {
        let name = format!("check-{number}");
        if !used.contains_key(&name) {
            used.insert(name.clone(), 1);
            return name;
        }
        number += 1;
    }
}

/// The program of a command without its directory, where that can be a name.
fn first_word(command: &str) -> Option<String> {
    let word = command.split_whitespace().next()?;
    let program = word.rsplit('/').next().unwrap_or(word);
    name_problem(program).is_none().then(|| program.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(flags: &[&str], taken: &[&str]) -> Vec<String> {
        let flags: Vec<_> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let (checks, problems) = from_flags(&flags, taken);
        assert_eq!(problems, [] as [String; 0]);
        checks.into_iter().map(|check| format!("{}: {}", check.name, check.command)).collect()
    }

    #[test]
    fn a_check_is_called_as_it_was_named_else_by_its_program() {
        assert_eq!(
            names(&["unit=cargo test", "./scripts/lint.sh -q"], &[]),
            ["unit: cargo test", "lint.sh: ./scripts/lint.sh -q"]
        );
    }

    #[test]
    fn programs_that_occur_twice_are_numbered() {
        assert_eq!(
            names(&["cargo test", "make", "cargo clippy"], &[]),
            ["check-1: cargo test", "make: make", "check-3: cargo clippy"]
        );
    }

    #[test]
    fn a_derived_name_never_replaces_a_configured_check() {
        assert_eq!(names(&["make test"], &["make", "check-1"]), ["check-2: make test"]);
        assert_eq!(names(&["make=make test"], &["make"]), ["make: make test"]);
    }

    #[test]
    fn a_variable_for_the_shell_is_not_a_name() {
        assert_eq!(names(&["CI=1 make"], &[]), ["check-1: CI=1 make"]);
        assert_eq!(names(&["test -f a=b"], &[]), ["test: test -f a=b"]);
    }

    #[test]
    fn what_cannot_be_a_check_is_said() {
        let flags = ["".to_owned(), "a=".to_owned(), "a=true".to_owned(), "a=false".to_owned()];
        let (checks, problems) = from_flags(&flags, &[]);
        assert_eq!(checks, [Check::new("a", "true")]);
        assert_eq!(problems, ["the command is empty", "the command is empty", "two checks are called `a`"]);
    }
}
