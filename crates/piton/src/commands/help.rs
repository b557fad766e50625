//! `piton help`: every command, or one of them.

use clap::CommandFactory;
use piton_model::ExitCode;

use crate::cli::help::{page, width};
use crate::cli::{Arguments, HelpArguments};
use crate::failure::{Failure, Result};
use crate::output::{Output, clean_line};

pub(super) fn run(arguments: &HelpArguments, out: &Output) -> Result {
    let mut command = Arguments::command();
    command.build();
    if arguments.words.is_empty() {
        out.bytes(page(&command, arguments.all, width()).as_bytes());
        return Ok(ExitCode::Done);
    }
    let mut found = &mut command;
    for word in &arguments.words {
        found = found.find_subcommand_mut(word).ok_or_else(|| {
            Failure::usage(format!("there is no command `{}`", clean_line(word)))
                .hint("`piton help --all` lists them")
        })?;
    }
    let text = found.render_long_help();
    out.bytes(text.to_string().as_bytes());
    Ok(ExitCode::Done)
}
