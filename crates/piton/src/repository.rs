//! The repository and journal that a command is about.

use std::path::PathBuf;

use piton_engine::{Layout, LocalClient};
use piton_model::{ExitCode, RunId};
use piton_view::Client;

use crate::cli::Global;
use crate::failure::Failure;

/// Where things lie for this invocation.
pub(crate) fn layout(global: &Global) -> Result<Layout, Failure> {
    if let Some(store) = &global.store {
        return layout_of_store(store);
    }
    let start = match &global.repo {
        Some(repo) => repo.clone(),
        None => std::env::current_dir().map_err(|error| Failure::environment(&error))?,
    };
    let absolute = std::fs::canonicalize(&start)
        .map_err(|error| Failure::usage(format!("there is no directory `{}`: {error}", start.display())))?;
    if !absolute.is_dir() {
        return Err(Failure::usage(format!("`{}` is not a directory", start.display())));
    }
    // A repository that was named is meant; the one that holds the current directory is looked for.
    Ok(if global.repo.is_some() { Layout::new(absolute) } else { Layout::find(&absolute) })
}

fn layout_of_store(store: &str) -> Result<Layout, Failure> {
    let bad = || {
        Failure::usage(format!("`{store}` is not a journal this piton can open"))
            .hint("give sqlite:PATH/.piton/journal.db")
    };
    let path = PathBuf::from(store.strip_prefix("sqlite:").ok_or_else(bad)?);
    let path = std::path::absolute(&path).map_err(|error| Failure::environment(&error))?;
    if !path.ends_with(".piton/journal.db") {
        return Err(bad());
    }
    Ok(Layout::new(path.parent().and_then(|state| state.parent()).ok_or_else(bad)?.to_owned()))
}

/// What decides over a run is for people: an agent or a check of this very repository is refused.
pub(crate) fn refuse_agents(global: &Global) -> Result<(), Failure> {
    let layout = layout(global)?;
    match piton_agent::inside(&layout.state()) {
        Some((run, attempt)) => Err(Failure::usage(format!(
            "this is for people: it was called from inside attempt {attempt} of run `{run}`"
        ))
        .hint("write to $PITON_REPORT to report `done` or `blocked`; a person decides the rest")),
        None => Ok(()),
    }
}

/// The journal of this repository, created where it is not there yet.
pub(crate) fn open_or_create(layout: &Layout) -> Result<LocalClient, Failure> {
    Ok(LocalClient::new(piton_store::open(layout.state())?, layout.clone()))
}

/// The journal of this repository, if it has one.
pub(crate) fn open(layout: &Layout) -> Result<LocalClient, Failure> {
    match piton_store::open_existing(layout.state())? {
        Some(store) => Ok(LocalClient::new(store, layout.clone())),
        None => Err(Failure::new(
            ExitCode::Usage,
            format!("there is no run in `{}` yet", layout.root().display()),
        )
        .hint("start one with `piton loop`, or see `piton demo`")),
    }
}

/// The journal and the run that a command names.
pub(crate) async fn open_run(global: &Global, run: Option<&str>) -> Result<(LocalClient, RunId), Failure> {
    let client = open(&layout(global)?)?;
    let run = client.resolve(run).await?;
    Ok((client, run))
}
