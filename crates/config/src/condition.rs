//! What `--until COND` may say, and which paths stay inside the tree.

use piton_model::loop_machine::{Condition, NamedStop, StopCondition};

use crate::check::command_problem;
use crate::problem::quoted;
use crate::suggest::closest;

const KNOWN: [&str; 7] = ["checks-pass", "done", "cmd:", "file:", "contains:", "output:", "tasks-done:"];

/// The condition that `text` names; otherwise why it names none.
pub fn parse_condition(text: &str) -> Result<Condition, String> {
    let text = text.trim();
    match text {
        "checks-pass" => return Ok(Condition::ChecksPass),
        "done" => return Ok(Condition::Done),
        _ => {}
    }
    if let Some(command) = text.strip_prefix("cmd:") {
        let command = command.trim();
        return match command_problem(command) {
            Some(why) => Err(why.to_owned()),
            None => Ok(Condition::Command(command.to_owned())),
        };
    }
    if let Some(path) = text.strip_prefix("file:") {
        return inside_tree(path).map(Condition::File);
    }
    if let Some(path) = text.strip_prefix("tasks-done:") {
        return inside_tree(path).map(Condition::TasksDone);
    }
    if let Some(rest) = text.strip_prefix("contains:") {
        let Some((path, content)) = rest.split_once(':').filter(|(_, content)| !content.is_empty()) else {
            return Err(format!("{} names no text; write `contains:PATH:TEXT`", quoted(text)));
        };
        let path = inside_tree(path)?;
        return Ok(stop(text, StopCondition::FileContains { path, content: content.to_owned() }));
    }
    if let Some(rest) = text.strip_prefix("output:") {
        let pattern =
            rest.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')).filter(|inner| !inner.is_empty());
        let Some(pattern) = pattern else {
            return Err(format!("{} has no pattern; write `output:/REGEX/`", quoted(text)));
        };
        if let Err(error) = regex::Regex::new(pattern) {
            let why = error.to_string();
            return Err(format!("{}: {}", quoted(text), why.lines().last().unwrap_or_default().trim()));
        }
        let condition = StopCondition::OutputPattern { pattern: pattern.to_owned(), is_regex: true };
        return Ok(stop(text, condition));
    }
    Err(unknown(text))
}

/// A condition that is called as it was written.
fn stop(text: &str, condition: StopCondition) -> Condition {
    Condition::Stop(NamedStop { name: Some(text.to_owned()), condition })
}

/// `path` without needless parts, where it is relative and names something inside of the tree.
pub(crate) fn inside_tree(path: &str) -> Result<String, String> {
    let outside = || Err(format!("{} is not a path inside the repository", quoted(path)));
    if path.starts_with('/') || path.contains('\0') {
        return outside();
    }
    let parts: Vec<_> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.is_empty() || parts.contains(&"..") {
        return outside();
    }
    Ok(parts.join("/"))
}

fn unknown(text: &str) -> String {
    let word = text.split(':').next().unwrap_or(text);
    match closest(word, KNOWN.iter().map(|name| name.trim_end_matches(':'))) {
        Some(name) => format!("{} is no condition; did you mean `{name}`?", quoted(text)),
        None => format!(
            "{} is no condition; use {}, or the `name` of one under `[stop]` in `piton.toml`",
            quoted(text),
            known(),
        ),
    }
}

fn known() -> &'static str {
    "`checks-pass`, `done`, `cmd:COMMAND`, `file:PATH`, `contains:PATH:TEXT`, `output:/REGEX/`, `tasks-done:FILE`"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_as_documented() {
        for (text, condition) in [
            ("checks-pass", Condition::ChecksPass),
            ("done", Condition::Done),
            ("cmd:test -f a:b", Condition::Command("test -f a:b".to_owned())),
            ("file:out/report.txt", Condition::File("out/report.txt".to_owned())),
            ("file:./out//x", Condition::File("out/x".to_owned())),
            ("tasks-done:fix_plan.md", Condition::TasksDone("fix_plan.md".to_owned())),
        ] {
            assert_eq!(parse_condition(text), Ok(condition), "{text}");
        }
    }

    #[test]
    fn a_file_outside_the_tree_is_no_condition() {
        for text in
            ["file:", "file:/etc/passwd", "file:../x", "file:a/../../x", "file:a/..", "file:.", "file:a\0b"]
        {
            assert!(parse_condition(text).is_err(), "{text:?} was accepted");
        }
    }

    #[test]
    fn texts_and_patterns_are_conditions_with_their_own_words_as_names() {
        let contains = parse_condition("contains:log.txt:all: done").unwrap();
        assert_eq!(contains.label(), "contains:log.txt:all: done");
        let output = parse_condition("output:/^DONE$/").unwrap();
        let Condition::Stop(named) = &output else { panic!("{output:?}") };
        assert_eq!(named.condition.label(), "output_pattern(/^DONE$/)");
        for text in ["contains:a", "contains:../a:b", "output:x", "output://", "output:/(/"] {
            assert!(parse_condition(text).is_err(), "{text} was accepted");
        }
        assert!(parse_condition("my-condition").unwrap_err().contains("`name` of one under `[stop]`"));
    }

    #[test]
    fn a_slip_gets_a_suggestion() {
        assert_eq!(
            parse_condition("check-pass").unwrap_err(),
            "`check-pass` is no condition; did you mean `checks-pass`?"
        );
        assert_eq!(parse_condition("flie:x").unwrap_err(), "`flie:x` is no condition; did you mean `file`?");
        assert!(parse_condition("cmd: ").is_err());
    }
}
