//! The configuration as this invocation sees it: files, environment, trust.

use std::path::PathBuf;

use piton_config::{Files, Overrides, Problem, Problems, Sourced, Wanted, config_dir, files, resolve, trust};
use piton_engine::Layout;
use piton_engine::launch::walls;
use piton_engine::world::Views;
use piton_model::ExitCode;
use piton_model::loop_machine::Confine;
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

/// Whether somebody has looked at the project's configuration, if there is one.
pub(crate) fn is_trusted(layout: &Layout, files: &Files) -> Result<bool, Failure> {
    match &files.project {
        Some(project) => Ok(trust::is_trusted(&directory()?, layout.root(), &project.content)?),
        None => Ok(true),
    }
}

/// Refuses a project configuration that nobody has looked at: it names programs to run.
pub(crate) fn require_trust(layout: &Layout, files: &Files) -> Result<(), Failure> {
    if is_trusted(layout, files)? {
        return Ok(());
    }
    Err(Failure::new(ExitCode::Person, "piton.toml is not trusted as it stands: it names programs to run")
        .hint("look at it, then run `piton trust`; `--trust` takes it for this once"))
}

/// The walls that the configuration asks for, and the paths that stay closed between them. Refused where there can be
/// none here: what was to be confined is never started without.
///
/// A project's file that nobody trusts may put walls up and close paths, but open nothing and take no walls down.
pub(crate) fn walls(files: &Files, trusted: bool) -> Result<(Option<Confine>, Vec<String>), Failure> {
    let settings = |files: &Files| {
        Ok::<_, Failure>(resolve(files, &variable, &Overrides::default()).map_err(problems)?.settings)
    };
    let said = settings(files)?;
    let believed = if trusted { said.clone() } else { settings(&Files { project: None, ..files.clone() })? };
    if said.confine.settled().is_none() && believed.confine.settled().is_none() {
        return Ok((None, Vec::new()));
    }
    require_walls()?;
    let list = |said: &Option<Sourced<Vec<String>>>| {
        said.as_ref().map(|said| said.value.clone()).unwrap_or_default()
    };
    let mut protect = list(&believed.guard.protect);
    protect.extend(
        list(&said.guard.protect).into_iter().filter(|path| !protect.contains(path)).collect::<Vec<_>>(),
    );
    Ok((Some(Confine { write: list(&believed.confine.write) }), protect))
}

/// Refuses where there can be no walls.
pub(crate) fn require_walls() -> Result<(), Failure> {
    walls::available().map_err(|why| {
        Failure::new(ExitCode::Environment, format!("the agent cannot be confined: {why}"))
            .hint("install bubblewrap, or do without --confine and `[confine]`")
    })
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
