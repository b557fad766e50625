//! A shell command exits with 0: `--until cmd:COMMAND`.

use piton_record::record;

use super::{Probe, Rule, Table, Until};

/// A shell command exits with 0.
#[record(Eq)]
pub struct ShellCommand {
    pub command: String,
}

impl Rule for ShellCommand {
    const TYPE: &'static str = "shell_command";
    const KEYS: &'static [&'static str] = &["command"];
    const PRIORITY: u8 = 30;
    const UNTIL: Option<Until> = Some(Until {
        form: "cmd:COMMAND",
        without: "names no command",
        fields: |rest| Some(vec![("command", rest.trim())]),
    });

    fn read(table: &mut dyn Table) -> Option<Self> {
        Some(Self { command: table.command("command")? })
    }

    fn words(&self) -> String {
        format!("shell_command({})", self.command)
    }

    fn until(&self) -> Option<String> {
        Some(format!("cmd:{}", self.command))
    }

    fn probe(&self) -> Option<Probe<'_>> {
        Some(Probe::Runs(self.command.as_str().into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::stop::tests::after_three;

    #[test]
    fn it_is_run_as_it_was_written() {
        let command = ShellCommand { command: "test -f 'a b'".to_owned() };
        assert_eq!(command.probe(), Some(Probe::Runs("test -f 'a b'".into())));
        assert!(!command.is_met(&after_three().state));
    }
}
