//! `piton trust`: the piton.toml of this repository may name programs to run.

use piton_model::ExitCode;

use crate::cli::{Global, TrustArguments};
use crate::failure::Failure;
use crate::output::{Output, clean};
use crate::{configuration, repository};

pub(super) fn run(global: &Global, arguments: &TrustArguments, out: &Output) -> Result<ExitCode, Failure> {
    let layout = repository::layout(global)?;
    let files = configuration::read(&layout)?;
    let Some(project) = files.project else {
        return Err(Failure::usage("there is no piton.toml here").hint("run `piton init` to write one"));
    };
    if !arguments.yes {
        out.note(clean(&String::from_utf8_lossy(&project.content)));
    }
    configuration::trust_project(&layout, &project.content)?;
    out.line("trusted as it stands; a change asks again");
    Ok(ExitCode::Done)
}
