//! The configuration as this invocation sees it: files, environment, trust.

use std::path::PathBuf;

use piton_config::{Files, Overrides, Problem, Problems, Wanted, config_dir, files, resolve, trust};
use piton_engine::Layout;
use piton_engine::world::Views;
use piton_model::ExitCode;
use piton_sys::{Clock, SystemClock};

use crate::failure::Failure;

/// The environment as data. What is not text counts as absent.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Where the user's own configuration and trust are.
pub(crate) fn directory() -> Result<PathBuf, Failure> {
    config_dir(&variable).map_err(problems)
}

/// The user's and the project's files.
pub(crate) fn read(layout: &Layout) -> Result<Files, Failure> {
    Ok(files::read(&directory()?, layout.root())?)
}

/// Every problem at once, as one failure.
pub(crate) fn problems(problems: Problems) -> Failure {
    let all: Vec<&Problem> = problems.iter().collect();
    match all.as_slice() {
        [only] => {
            let failure = Failure::usage(Problem { hint: None, ..(*only).clone() }.to_string());
            only.hint.iter().fold(failure, |failure, hint| failure.hint(hint))
        }
        several => Failure {
            details: several.iter().map(ToString::to_string).collect(),
            ..Failure::usage(format!("{} things are wrong", several.len()))
        },
    }
}

/// Refuses a project configuration that nobody has looked at: it names programs to run.
pub(crate) fn require_trust(layout: &Layout, files: &Files) -> Result<(), Failure> {
    let Some(project) = &files.project else { return Ok(()) };
    if trust::is_trusted(&directory()?, layout.root(), &project.content)? {
        return Ok(());
    }
    Err(Failure::new(ExitCode::Person, "piton.toml is not trusted as it stands: it names programs to run")
        .hint("look at it, then run `piton trust`; `--trust` takes it for this once"))
}

/// Trusts the project configuration as it stands.
pub(crate) fn trust_project(layout: &Layout, content: &[u8]) -> Result<(), Failure> {
    Ok(trust::trust(&directory()?, layout.root(), content, SystemClock.now())?)
}

/// Which views the configuration wants. One that cannot be read changes nothing about them.
pub(crate) fn views(layout: &Layout) -> Views {
    let mut views = Views { aiwg: piton_files::aiwg::is_used(layout.root()), ..Views::default() };
    let resolved = read(layout).ok().and_then(|files| resolve(&files, &variable, &Overrides::default()).ok());
    if let Some(resolved) = resolved {
        let asked = resolved.settings.views;
        views.ralph = asked.ralph.map_or(views.ralph, |ralph| ralph.value);
        views.aiwg = match asked.aiwg.map_or(Wanted::Auto, |aiwg| aiwg.value) {
            Wanted::Auto => views.aiwg,
            Wanted::Yes => true,
            Wanted::No => false,
        };
        let interval = asked.auto_save_interval.map(|interval| interval.value);
        views.auto_save_interval_ms = interval.unwrap_or(views.auto_save_interval_ms);
    }
    views
}
