//! The first page of help: commands in groups, by what somebody wants to do.

use clap::{Command, CommandFactory, FromArgMatches};

use super::Arguments;

/// The groups, in the order of a day's work, and the commands of each.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Start", &["demo", "init", "loop", "run", "cycle", "gaps", "guard", "import"]),
    (
        "Look",
        &[
            "ls", "status", "why", "log", "output", "show", "diff", "best", "report", "prove", "attach",
            "wait",
        ],
    ),
    ("Steer", &["answer", "tell", "note", "pause", "resume", "stop", "skip", "reboot", "mode"]),
    ("Land", &["land", "restore", "fork", "rm"]),
    ("Keep", &["verify", "backup", "replicate", "repair", "gc", "key"]),
    ("Connect", &["doctor", "trust", "config", "worker", "autostart"]),
];

/// For programs, and for what goes wrong rarely.
const PLUMBING: (&str, &[&str]) =
    ("Plumbing", &["mcp", "export", "metrics", "schema", "completions", "rebuild"]);

const WIDTH: usize = 80;
/// Where what a command does begins.
const COLUMN: usize = 15;

/// The arguments of this process.
pub(crate) fn parse() -> Arguments {
    let matches = command().get_matches();
    Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// The command line, with its first page.
pub(crate) fn command() -> Command {
    let command = Arguments::command();
    let page = page(&command, false);
    command.override_help(page)
}

/// The first page; with plumbing, if wanted.
pub(crate) fn page(command: &Command, is_all: bool) -> String {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut text = format!("{about}\n\nUsage: piton COMMAND [ARGUMENTS]\n");
    for (title, names) in GROUPS.iter().chain(is_all.then_some(&PLUMBING)) {
        text += &format!("\n{title}\n");
        for name in *names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            text += &entry(name, &about.map(ToString::to_string).unwrap_or_default());
        }
    }
    text += "\nStart with `piton demo`. `piton COMMAND --help` has the flags of a command";
    text += if is_all { ".\n" } else { ",\n`piton help --all` every command.\n" };
    text
}

/// A command and what it does, on as many lines as that takes.
fn entry(name: &str, about: &str) -> String {
    let mut text = format!("  {name:<width$}", width = COLUMN - 2);
    let mut at = COLUMN;
    for word in about.trim_end_matches('.').split_whitespace() {
        let length = word.chars().count();
        if at > COLUMN && at + 1 + length > WIDTH {
            text += &format!("\n{:COLUMN$}", "");
            at = COLUMN;
        }
        if at > COLUMN {
            text.push(' ');
            at += 1;
        }
        text += word;
        at += length;
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let mut named: Vec<_> =
            GROUPS.iter().chain([&PLUMBING]).flat_map(|(_, names)| names.iter().copied()).collect();
        named.sort_unstable();
        let command = Arguments::command();
        let mut known: Vec<_> = command
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
            .map(Command::get_name)
            .collect();
        known.sort_unstable();
        assert_eq!(named, known);
    }

    #[test]
    fn no_line_is_too_long() {
        for line in page(&Arguments::command(), true).lines() {
            assert!(line.chars().count() <= WIDTH, "{line}");
        }
    }
}
