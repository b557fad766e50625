//! The repository that a command is about, and the door to its runs: the one place where it is opened.

use std::path::Path;

use piton_agent::Within;
pub(crate) use piton_engine::absence::{Absence, Missing};
pub(crate) use piton_engine::client::{reach_backups, unsound};
pub(crate) use piton_engine::cycle::prompt::shipped as prompt_of;
use piton_engine::journal::states;
pub(crate) use piton_engine::journal::{adopt, settle, warning};
pub(crate) use piton_engine::launch::{cheap_check, this_program, walls};
pub(crate) use piton_engine::start::hooks::files as hook_files;
pub(crate) use piton_engine::start::{known, not_runnable, ready};
pub(crate) use piton_engine::world::brief::read as read_brief;
use piton_engine::{ClientError, LocalClient};
pub(crate) use piton_engine::{Layout, Worker, configuration, keys, prove};
use piton_model::RunId;
use piton_store::Url;
use piton_sys::redact::Redactor;
use piton_view::Client;

use crate::cli::Global;
use crate::failure::{Failure, Result};

/// Where everything about runs is asked.
pub(crate) type Door = Box<dyn Client>;

/// Where things lie for this invocation: the repository that holds the directory that was named, or else the current one. Where
/// only a journal was named, the one that it lies in is meant.
pub(crate) fn layout(global: &Global) -> Result<Layout> {
    let store = global.store.as_deref().map(Url::parse).transpose().map_err(ClientError::from)?;
    let of_journal = store.as_ref().and_then(Url::repository).filter(|_| global.repo.is_none());
    let named = global.repo.as_deref().or(of_journal);
    let start = match named {
        Some(directory) => directory.to_owned(),
        None => std::env::current_dir().map_err(|error| Failure::environment(&error))?,
    };
    let absolute = std::fs::canonicalize(&start)
        .map_err(|error| Failure::usage(format!("there is no directory `{}`: {error}", start.display())))?;
    if !absolute.is_dir() {
        return Err(Failure::usage(format!("`{}` is not a directory", start.display())));
    }
    if absolute.to_str().is_none() {
        return Err(Failure::usage(format!("the path `{}` is no text: it is not UTF-8", absolute.display()))
            .hint("rename the directory that is called so; runs put paths on record as text"));
    }
    let layout = if of_journal.is_some() { Layout::new(absolute) } else { Layout::find(&absolute) };
    let layout = layout.taken(global.trust);
    Ok(match store {
        Some(store) => layout.with_store(store),
        None => layout,
    })
}

/// Takes out what the configuration at `root`, the user's own and the environment call secret.
pub(crate) fn redactor(root: &Path) -> Result<Redactor> {
    Ok(piton_engine::launch::Secrets::of(root).map_err(Failure::from)?.redactor().clone())
}

/// What decides over a run is for people: an agent or a check of this very repository is refused.
pub(crate) fn refuse_agents(global: &Global) -> Result<()> {
    let layout = layout(global)?;
    match piton_agent::inside(&states(&layout), layout.store().file().as_deref()) {
        None => Ok(()),
        Some(Within::Part((run, attempt))) => Err(Failure::usage(format!(
            "this is for people: it was called from inside attempt {attempt} of run `{run}`"
        ))
        .hint("write to $PITON_REPORT to report `done` or `blocked`; a person decides the rest")),
        Some(Within::Unseen((run, attempt))) => Err(Failure::usage(format!(
            "this is for people: attempt {attempt} of run `{run}` is at work, and from here its process is not seen, so nobody can tell whether it called this"
        ))
        .hint("call it where the run was started, with the same processes, users and /proc, or when nothing of it is at work")),
    }
}

/// The runs of this repository. Its journal is created when the first is put on record.
pub(crate) fn open_or_create(layout: &Layout) -> Door {
    Box::new(LocalClient::create_when_needed(layout.clone()))
}

/// The runs of this repository, if there ever was one.
pub(crate) fn open(layout: &Layout) -> Result<Door> {
    open_existing(layout)?.ok_or_else(|| {
        Failure::usage(format!("there is no run in `{}` yet", layout.root().display()))
            .hint("start one with `piton loop`, or see `piton demo`")
    })
}

/// The same; nothing where there is no journal.
pub(crate) fn open_existing(layout: &Layout) -> Result<Option<Door>> {
    Ok(LocalClient::existing(layout.clone())?.map(|client| Box::new(client) as Door))
}

/// The door and the run that a command names.
pub(crate) async fn open_run(global: &Global, run: Option<&str>) -> Result<(Door, RunId)> {
    let client = open(&layout(global)?)?;
    let run = client.resolve(run).await?;
    Ok((client, run))
}

/// Whether somebody asked this process to end: from now on it ends by itself, and tidies up before.
pub(crate) fn stopped_by_signals() -> Result<impl Fn() -> bool> {
    use piton_sys::signals::{Caught, Signals};
    let caught = [Caught::Interrupt, Caught::Terminate, Caught::Hangup];
    let signals = Signals::catch(&caught).map_err(|error| Failure::environment(&error))?;
    let is_stopped = std::cell::Cell::new(false);
    Ok(move || {
        is_stopped.set(is_stopped.get() || !signals.take().is_empty());
        is_stopped.get()
    })
}
