//! What a loop would meet here, asked before anybody orders one: where it would work, what it lacks, which checks cannot be started.
//!
//! The answers come from what decides when a loop begins, so that nobody is told what is not so. Nothing is written.

use std::path::Path;
use std::time::Duration;

use piton_config::{Overrides, Task, files, plan};
use piton_model::RunId;
use piton_model::loop_machine::Check;
use piton_sys::process::{Program, RunLimits, find_program};
use piton_view::words::clean_line;
use piton_view::{Error, ErrorKind};

use super::require_program;
use crate::configuration;
use crate::layout::Layout;
pub use crate::world::LoopPlace;
use crate::world::{loop_place, open_workspace};

/// What has to be said beside a task, so that a loop begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lacks {
    /// Something that says when it is done.
    pub check: bool,
    /// Who works.
    pub agent: bool,
}

/// Where a loop works here that is told nothing else.
pub fn place(layout: &Layout) -> Result<LoopPlace, Error> {
    let git = layout.root().join(".git");
    if git.symlink_metadata().is_err() {
        return Ok(LoopPlace::OutsideGit);
    }
    let run: RunId = "none".parse().expect("it is a name");
    let workspace = match layout.state().is_dir() {
        true => open_workspace(layout, &run)?,
        // Nothing is kept yet, and looking leaves nothing behind.
        false => {
            piton_git::Workspace::open(layout.root(), &git).map_err(|error| Error::environment(&error))?
        }
    };
    loop_place(&workspace).map_err(|error| Error::environment(&error))
}

/// What a loop lacks here: the least that helps.
pub fn lacks(layout: &Layout) -> Result<Lacks, Error> {
    let files = configuration::read(layout)?;
    let task = Task {
        text: Some("x".to_owned()),
        found_prompt: files::find_prompt(layout.root()),
        ..Task::default()
    };
    let begins = |lacks: Lacks| {
        let overrides = Overrides {
            checks: lacks.check.then(|| "check=true".to_owned()).into_iter().collect(),
            exec: lacks.agent.then(|| "true".to_owned()),
            ..Overrides::default()
        };
        let plan =
            plan(&files, &configuration::variable, &overrides, &task).map_err(configuration::problems)?;
        require_program(&plan.config.agent, layout.root())
    };
    let ways = [(false, false), (true, false), (false, true)].map(|(check, agent)| Lacks { check, agent });
    Ok(ways.into_iter().find(|way| begins(*way).is_ok()).unwrap_or(Lacks { check: true, agent: true }))
}

/// The program of a check that the shell would not find; nothing where that cannot be told without running it: a file that is still
/// to be written, or more than one command.
pub fn missing_program(command: &str, root: &Path) -> Option<String> {
    const WITHIN: RunLimits = RunLimits { deadline: Duration::from_secs(10), output_bytes_max: 1 << 10 };
    let is_plain = |character: char| !"|&;<>()$`\\\"'*?[]#~={}!\n".contains(character);
    let word = command.split_whitespace().next().filter(|word| !word.contains('/'))?;
    if !command.chars().all(is_plain) {
        return None;
    }
    let path = std::env::var_os("PATH");
    if find_program(word.as_ref(), path.as_deref(), root).is_some() {
        return None;
    }
    // What the shell does itself is in no directory.
    let known =
        Program::new("sh").args(["-c", "command -v \"$1\"", "sh", word]).current_dir(root).run(WITHIN);
    known.is_ok_and(|known| !known.success()).then(|| word.to_owned())
}

/// A check that cannot be started is no red check: an agent would be paid for what it cannot mend.
pub(super) fn require_checks(checks: &[Check], root: &Path) -> Result<(), Error> {
    for check in checks {
        if let Some(program) = missing_program(&check.command, root) {
            let what = format!("the check `{}` cannot be started: `{program}` is not in PATH", check.name);
            return Err(Error::new(ErrorKind::Environment, clean_line(&what))
                .hint("install it, activate the environment that has it, or name it by its path in `[checks]` of piton.toml"));
        }
    }
    Ok(())
}
