//! `piton prove replay`: a trial again, for whoever doubts what it showed.

use piton_model::ExitCode;
use serde_json::json;

use crate::cli::{Global, ProveArguments, ProveCommand};
use crate::failure::{ErrorKind, Failure, Result};
use crate::output::{Output, clean_line};
use crate::repository::{self, prove};

/// How many of the last lines of a check are shown.
const LINES_MAX: usize = 40;

pub(super) fn run(global: &Global, arguments: &ProveArguments, out: &Output) -> Result {
    let ProveCommand::Replay(arguments) = &arguments.command;
    // A linked work tree has its journal elsewhere; what is tried is the tree itself.
    let layout = match super::guard::open(global) {
        Ok(history) => {
            let root = history.root().to_owned();
            repository::layout(&Global { repo: Some(root.clone()), ..global.clone() })?.in_tree(root)
        }
        Err(_) => repository::layout(global)?,
    };
    if let Err(why) = prove::available(&layout) {
        return Err(Failure::new(ErrorKind::Environment, format!("nothing can be tried: {why}"))
            .hint("install bubblewrap"));
    }
    let is_stopped = repository::stopped_by_signals()?;
    let replayed = prove::replay(&layout, &arguments.finding, &is_stopped)
        .map_err(|error| Failure::environment(&error).hint("run `piton doctor`"))?;
    let Some(replayed) = replayed else {
        return Err(Failure::usage(format!("no trial of a finding `{}` is kept here", arguments.finding))
            .hint("`piton guard --prove` and the iterations of a loop keep those of their findings; run it again"));
    };
    let recipe = &replayed.recipe;
    let says = match replayed.passes {
        Some(true) => "passes",
        Some(false) => "fails",
        None => "takes too long",
    };
    if out.json {
        out.json(&json!({
            "finding": recipe.finding, "message": recipe.message, "evidence": recipe.evidence,
            "command": recipe.command, "passes": replayed.passes, "output": replayed.output,
        }));
        return Ok(ExitCode::Done);
    }
    out.line(clean_line(&recipe.message));
    out.line("");
    for line in recipe.evidence.change.lines() {
        out.line(clean_line(&format!("  {line}")));
    }
    out.line("");
    out.line(clean_line(&format!("$ {}", recipe.command)));
    let lines: Vec<_> = replayed.output.lines().collect();
    for line in &lines[lines.len().saturating_sub(LINES_MAX)..] {
        out.line(clean_line(line));
    }
    out.line("");
    out.line(clean_line(&format!("now    `{}` {says} with this change", recipe.evidence.check)));
    out.line(clean_line(&format!("then   {}", recipe.evidence.outcome())));
    Ok(ExitCode::Done)
}
