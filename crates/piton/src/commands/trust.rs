//! `piton trust`: the piton.toml of this repository may name programs to run; or its journal is the user's own.

use piton_config::{Overrides, resolve};
use piton_model::ExitCode;

use crate::cli::{Global, TrustArguments};
use crate::failure::{Failure, Result};
use crate::output::{Output, clean, clean_line};
use crate::repository::{self, configuration};

pub(super) fn run(global: &Global, arguments: &TrustArguments, out: &Output) -> Result {
    let layout = repository::layout(global)?;
    if arguments.journal {
        out.did(repository::adopt(&layout)?);
        return Ok(ExitCode::Done);
    }
    let files = configuration::read(&layout)?;
    // What cannot be used cannot be meant: it would have to be looked at again once it is mended.
    let resolved = resolve(&files, &configuration::variable, &Overrides::default());
    let settings = resolved.map_err(configuration::problems)?.settings;
    let hooks = repository::hook_files(&layout, &settings);
    let wrong = hooks.iter().find_map(|file| Some((&file.path, file.hook.as_ref().err()?)));
    if let Some((path, why)) = wrong {
        return Err(Failure::usage(format!("{path}: {}", clean_line(why)))
            .hint("docs/hooks.md says what such a file holds"));
    }
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
    out.did("trusted as it stands; a change asks again");
    Ok(ExitCode::Done)
}
