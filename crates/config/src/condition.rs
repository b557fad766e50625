//! What `--until COND` may say, and which paths stay inside the tree.

use piton_model::closest;
use piton_model::loop_machine::stop::{Table, until};
use piton_model::loop_machine::{NamedStop, STOP_TYPES, StopCondition};

use crate::check::command_problem;
use crate::problem::quoted;
use crate::read::values::regex_problem;

/// The condition that `text` names; otherwise why it names none.
pub fn parse_condition(text: &str) -> Result<NamedStop, String> {
    let text = text.trim();
    for kind in &STOP_TYPES {
        let Some(form) = kind.until else { continue };
        let Some(rest) = text.strip_prefix(form.word()) else { continue };
        let rest = match rest.strip_prefix(':') {
            Some(rest) if form.form.contains(':') => rest,
            None if rest.is_empty() && !form.form.contains(':') => rest,
            _ => continue,
        };
        let Some(fields) = (form.fields)(rest) else {
            return Err(format!("{} {}; write `{}`", quoted(text), form.without, form.form));
        };
        let mut given = Given { text, fields, why: None };
        let read = (kind.read)(&mut given);
        return match (read, given.why) {
            (Some(condition), None) => Ok(until(condition)),
            (_, why) => Err(why.unwrap_or_else(|| unknown(text))),
        };
    }
    Err(unknown(text))
}

/// What `--until` says, field by field, and what is wrong with it.
struct Given<'a> {
    text: &'a str,
    fields: Vec<(&'static str, &'a str)>,
    why: Option<String>,
}

impl<'a> Given<'a> {
    fn get(&self, key: &str) -> Option<&'a str> {
        self.fields.iter().find(|(known, _)| *known == key).map(|(_, text)| *text)
    }
}

impl Table for Given<'_> {
    fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    fn whole(&mut self, key: &str) -> Option<u32> {
        self.get(key)?.parse().ok().filter(|number| *number > 0)
    }

    fn duration_ms(&mut self, key: &str) -> Option<u64> {
        crate::duration::parse_duration(self.get(key)?).ok().filter(|millis| *millis > 0)
    }

    fn text(&mut self, key: &str) -> Option<String> {
        self.get(key).map(str::to_owned)
    }

    fn texts(&mut self, key: &str) -> Option<Vec<String>> {
        Some(self.get(key)?.split(',').map(|text| text.trim().to_owned()).collect())
    }

    fn flag(&mut self, key: &str) -> Option<bool> {
        self.get(key)?.parse().ok()
    }

    fn path(&mut self, key: &str) -> Option<String> {
        let inside = inside_tree(self.get(key)?);
        inside.map_err(|why| self.why = Some(why)).ok()
    }

    fn command(&mut self, key: &str) -> Option<String> {
        let command = self.get(key)?;
        self.why = command_problem(command).map(str::to_owned);
        Some(command.to_owned())
    }

    fn pattern(&mut self, key: &str, is_regex: bool) -> Option<String> {
        let pattern = self.get(key)?;
        let why = regex_problem(pattern).filter(|_| is_regex);
        self.why = why.map(|why| format!("{}: {why}", quoted(self.text)));
        Some(pattern.to_owned())
    }

    /// Conditions in conditions are for files.
    fn condition(&mut self, _: &str) -> Option<StopCondition> {
        None
    }

    fn conditions(&mut self, _: &str) -> Option<Vec<StopCondition>> {
        None
    }
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
    let forms: Vec<_> = STOP_TYPES.iter().filter_map(|kind| kind.until).collect();
    match closest(word, forms.iter().map(|form| form.word())) {
        Some(name) => {
            let meant = forms.iter().find(|form| form.word() == name).map_or(name, |form| form.form);
            format!("{} is no condition; did you mean `{meant}`?", quoted(text))
        }
        None => {
            let forms: Vec<_> = forms.iter().map(|form| format!("`{}`", form.form)).collect();
            format!(
                "{} is no condition; use {}, or the `name` of one under `[stop]` in `piton.toml`",
                quoted(text),
                forms.join(", "),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use piton_model::loop_machine::stop::{ChecksPass, Done, FileCreated, ShellCommand, TasksDone};

    use super::*;

    #[test]
    fn conditions_are_read_as_documented() {
        for (text, condition) in [
            ("checks-pass", ChecksPass {}.into()),
            ("done", Done {}.into()),
            ("cmd:test -f a:b", ShellCommand { command: "test -f a:b".to_owned() }.into()),
            ("file:out/report.txt", FileCreated { path: "out/report.txt".to_owned() }.into()),
            ("file:./out//x", FileCreated { path: "out/x".to_owned() }.into()),
            ("tasks-done:fix_plan.md", TasksDone { path: "fix_plan.md".to_owned() }.into()),
        ] {
            let condition: StopCondition = condition;
            let read = parse_condition(text).unwrap();
            assert_eq!(read.condition, condition, "{text}");
            assert_eq!(parse_condition(&read.label()), Ok(read), "{text} reads back");
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
        assert_eq!(output.condition.label(), "output_pattern(/^DONE$/)");
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
        assert_eq!(
            parse_condition("flie:x").unwrap_err(),
            "`flie:x` is no condition; did you mean `file:PATH`?"
        );
        assert!(parse_condition("cmd: ").is_err());
    }
}
