//! What `--until COND` may say, and which paths stay inside the tree.

use piton_model::loop_machine::Condition;

use crate::check::command_problem;
use crate::problem::quoted;
use crate::suggest::closest;

const KNOWN: [&str; 5] = ["checks-pass", "done", "cmd:", "file:", "tasks-done:"];
/// Named in the documentation, built later.
const LATER: [&str; 2] = ["contains:", "output:"];

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
    Err(unknown(text))
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
    if LATER.iter().any(|later| text.starts_with(later)) {
        return format!("{} is not supported yet; this version knows {}", quoted(text), known());
    }
    let word = text.split(':').next().unwrap_or(text);
    match closest(word, KNOWN.iter().map(|name| name.trim_end_matches(':'))) {
        Some(name) => format!("{} is no condition; did you mean `{name}`?", quoted(text)),
        None => format!(
            "{} is no condition that this version knows; use {}. Conditions named in `piton.toml` are not supported yet",
            quoted(text),
            known(),
        ),
    }
}

fn known() -> &'static str {
    "`checks-pass`, `done`, `cmd:COMMAND`, `file:PATH` or `tasks-done:FILE`"
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
    fn what_comes_later_says_so() {
        for text in ["contains:a:b", "output:/x/"] {
            let why = parse_condition(text).unwrap_err();
            assert!(why.contains("not supported yet") && why.contains("`checks-pass`"), "{why}");
        }
        assert!(parse_condition("my-condition").unwrap_err().contains("not supported yet"));
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
