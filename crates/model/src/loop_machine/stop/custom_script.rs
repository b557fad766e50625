//! A program exits with 0.

use piton_record::record;

use super::{Probe, Rule, Table};

/// A program exits with 0.
#[record(Eq, written)]
pub struct CustomScript {
    /// A command, or a file of the work tree.
    pub script: String,
    #[serde(default)]
    pub args: Vec<String>,
}

impl Rule for CustomScript {
    const TYPE: &'static str = "custom_script";
    const KEYS: &'static [&'static str] = &["script", "args"];
    const PRIORITY: u8 = 30;

    fn read(table: &mut dyn Table) -> Option<Self> {
        let args = if table.has("args") { table.texts("args")? } else { Vec::new() };
        Some(Self { script: table.text("script")?, args })
    }

    fn words(&self) -> String {
        let words: Vec<_> = [&self.script].into_iter().chain(&self.args).map(String::as_str).collect();
        format!("custom_script({})", words.join(" "))
    }

    /// Its words as one shell command. A bare name that is no command is a file of the work tree: no file there can stand in
    /// for a command.
    fn probe(&self) -> Option<Probe<'_>> {
        let quote = |word: &String| format!("'{}'", word.replace('\'', "'\\''"));
        let (script, args): (_, String) =
            (quote(&self.script), self.args.iter().map(|word| format!(" {}", quote(word))).collect());
        let command = match self.script.contains('/') {
            true => format!("{script}{args}"),
            false => {
                format!("if command -v {script} >/dev/null; then {script}{args}; else ./{script}{args}; fi")
            }
        };
        Some(Probe::Runs(command.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::stop::tests::after_three;

    #[test]
    fn its_words_are_quoted_for_a_shell() {
        let script = CustomScript { script: "./it's".to_owned(), args: vec!["a b".to_owned()] };
        assert_eq!(script.probe(), Some(Probe::Runs("'./it'\\''s' 'a b'".into())));
        assert!(!script.is_met(&after_three().state));
    }

    #[test]
    fn a_bare_name_is_a_command_or_else_a_file_of_the_tree() {
        let script = CustomScript { script: "s.sh".to_owned(), args: vec!["a".to_owned()] };
        let command = "if command -v 's.sh' >/dev/null; then 's.sh' 'a'; else ./'s.sh' 'a'; fi";
        assert_eq!(script.probe(), Some(Probe::Runs(command.into())));
    }
}
