//! The first page of help: commands in groups, by what somebody wants to do.

use std::ffi::OsString;

use clap::{Command, CommandFactory, FromArgMatches};

use super::Arguments;

/// The groups, in the order of a day's work, and the commands of each.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Start", &["demo", "init", "loop", "run", "cycle", "gaps", "guard", "import"]),
    (
        "Look",
        &[
            "ls", "status", "night", "why", "log", "output", "show", "diff", "best", "report", "prove",
            "attach", "wait",
        ],
    ),
    ("Steer", &["answer", "tell", "note", "queue", "pause", "resume", "stop", "skip", "reboot", "mode"]),
    ("Land", &["land", "restore", "fork", "rm"]),
    ("Keep", &["verify", "backup", "replicate", "repair", "gc", "key"]),
    ("Connect", &["doctor", "trust", "config", "worker", "autostart"]),
];

/// For programs, and for what goes wrong rarely.
const PLUMBING: (&str, &[&str]) =
    ("Plumbing", &["mcp", "export", "metrics", "schema", "completions", "man", "rebuild"]);

/// What `piton` alone means.
const MORNING: &str = "__morning";

/// No line is wider; narrower ones suit a narrower terminal.
const WIDTH_MAX: usize = 80;
const WIDTH_MIN: usize = 40;
/// Where what a command does begins.
const COLUMN: usize = 15;

/// The arguments of this process.
pub(crate) fn parse() -> Arguments {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    let loose = command().subcommand_required(false).arg_required_else_help(false);
    let matches = loose.try_get_matches_from(&words).unwrap_or_else(|error| error.exit());
    let matches = match matches.subcommand_name() {
        Some(_) => matches,
        // Nobody said what to do: they are shown what happened.
        None => {
            words.push(MORNING.into());
            command().get_matches_from(words)
        }
    };
    Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// Where there is nothing to show to whoever said no command: the first page.
pub(crate) fn without_a_command() -> ! {
    command().get_matches_from([std::env::args_os().next().unwrap_or_default()]);
    unreachable!("without a command the first page is shown, and that is all")
}

/// The command line, with its first page.
pub(crate) fn command() -> Command {
    let command = Arguments::command();
    let page = page(&command, false, width());
    command.override_help(page)
}

/// How wide the page may be for whoever reads it.
pub(crate) fn width() -> usize {
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stdout()).ok();
    let columns = size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0);
    columns.unwrap_or(WIDTH_MAX).clamp(WIDTH_MIN, WIDTH_MAX)
}

/// The first page; with plumbing, if wanted.
pub(crate) fn page(command: &Command, is_all: bool, width: usize) -> String {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut text = format!("{}\n\nUsage: piton COMMAND [ARGUMENTS]\n", filled(&about, 0, width));
    for (title, names) in GROUPS.iter().chain(is_all.then_some(&PLUMBING)) {
        text += &format!("\n{title}\n");
        for name in *names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            text += &entry(name, &about.map(ToString::to_string).unwrap_or_default(), width);
        }
    }
    let all = if is_all { "." } else { ", `piton help --all` every command." };
    let end = format!("Start with `piton demo`. `piton COMMAND --help` has the flags of a command{all}");
    text + "\n" + &filled(&end, 0, width) + "\n"
}

/// A command and what it does, on as many lines as that takes.
fn entry(name: &str, about: &str, width: usize) -> String {
    let name = format!("  {name:<rest$}", rest = COLUMN - 2);
    name + &filled(about.trim_end_matches('.'), COLUMN, width) + "\n"
}

/// A text whose first line begins in `column`, and so do the others.
fn filled(text: &str, column: usize, width: usize) -> String {
    let (mut filled, mut at) = (String::new(), column);
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if at > column && at + 1 + length > width {
            filled += &format!("\n{:column$}", "");
            at = column;
        }
        if at > column {
            filled.push(' ');
            at += 1;
        }
        filled += word;
        at += length;
    }
    filled
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
        for width in [WIDTH_MIN, 60, WIDTH_MAX] {
            for line in page(&Arguments::command(), true, width).lines() {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
        }
    }
}
