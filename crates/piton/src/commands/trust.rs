//! `piton trust`: the piton.toml of this repository may name programs to run.

use piton_config::{Overrides, resolve};
use piton_model::ExitCode;

use crate::cli::{Global, TrustArguments};
use crate::failure::{Failure, Result};
use crate::output::{Output, clean};
use crate::repository::{self, configuration};

pub(super) fn run(global: &Global, arguments: &TrustArguments, out: &Output) -> Result {
    let layout = repository::layout(global)?;
    let files = configuration::read(&layout)?;
    // Where hooks are is said in files that may be wrong; the usual place is looked at in any case.
    let settings = resolve(&files, &configuration::variable, &Overrides::default());
    let settings = settings.map(|resolved| resolved.settings).unwrap_or_default();
    let hooks = repository::hook_files(&layout, &settings);
    if files.project.is_none() && hooks.is_empty() {
        return Err(Failure::usage("there is no piton.toml here").hint("run `piton init` to write one"));
    }
    let project = files.project.map(|project| (project.name, project.content));
    for (name, content) in project.into_iter().chain(hooks.into_iter().map(|file| (file.path, file.content)))
    {
        if !arguments.yes {
            out.note(format!("# {name}\n{}", clean(&String::from_utf8_lossy(&content))));
        }
        configuration::trust_project(&layout, &content)?;
    }
    out.line("trusted as it stands; a change asks again");
    Ok(ExitCode::Done)
}
