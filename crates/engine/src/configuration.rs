//! The configuration as this invocation sees it: files, environment, trust.

use std::env::VarError;
use std::path::{Path, PathBuf};

use piton_config::{
    AgentOptions, BACKUPS_MAX, BACKUPS_TO, Files, Layer, Overrides, Problem, Problems, Sourced,
    WARN_AT_BYTES, Wanted, config_dir, files, resolve, trust,
};
use piton_model::loop_machine::{Check, Confine};
use piton_sys::{Clock, SystemClock};
use piton_view::{AgentChoice, Error, ErrorKind};

use crate::keys;
use crate::launch::walls;
use crate::layout::Layout;
use crate::world::Views;

/// The environment as data. What is not text counts as absent.
///
/// Where nobody says where the home is, it is where the system says.
pub fn variable(name: &str) -> Option<String> {
    match (std::env::var(name), name) {
        (Ok(value), _) => Some(value),
        (Err(VarError::NotPresent), "HOME") => std::env::home_dir()?.into_os_string().into_string().ok(),
        (Err(_), _) => None,
    }
}

/// Where the user's own configuration and trust are.
pub fn directory() -> Result<PathBuf, Error> {
    config_dir(&variable).map_err(problems)
}

/// The user's and the project's files.
pub fn read(layout: &Layout) -> Result<Files, Error> {
    Ok(files::read(&directory()?, layout.root())?)
}

/// What a person says about the agent goes before what the configuration says.
pub(crate) fn chosen(agent: &AgentChoice) -> Overrides {
    let AgentChoice { name, exec, model, sandbox, arguments } = agent.clone();
    let options = AgentOptions { mode: sandbox, model, arguments, ..AgentOptions::default() };
    Overrides { agent: name, exec, options, ..Overrides::default() }
}

/// Every problem at once, as one failure.
pub fn problems(problems: Problems) -> Error {
    let all: Vec<&Problem> = problems.iter().collect();
    match all.as_slice() {
        [only] => {
            let failure = Error::usage(Problem { hint: None, ..(*only).clone() }.to_string());
            only.hint.iter().fold(failure, |failure, hint| failure.hint(hint))
        }
        several => Error::usage(format!("{} things are wrong", several.len()))
            .details(several.iter().map(ToString::to_string).collect()),
    }
}

/// Whether somebody has looked at the project's configuration, if there is one.
pub fn is_trusted(layout: &Layout, files: &Files) -> Result<bool, Error> {
    match &files.project {
        Some(project) => is_trusted_content(layout, &project.content),
        None => Ok(true),
    }
}

/// Refuses a project configuration that nobody has looked at: it names programs to run.
pub fn require_trust(layout: &Layout, files: &Files) -> Result<(), Error> {
    if is_trusted(layout, files)? {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Person, "piton.toml is not trusted as it stands: it names programs to run")
        .hint("look at it, then run `piton trust`; `--trust` takes it for this once"))
}

/// The same, unless a person takes it as it stands.
pub(crate) fn require_trust_or_taken(layout: &Layout) -> Result<(), Error> {
    if layout.is_taken() { Ok(()) } else { require_trust(layout, &read(layout)?) }
}

/// The walls that the configuration asks for, and the paths that stay closed between them. Refused where there can be
/// none here: what was to be confined is never started without. `taken`: a person takes the project's file as it stands.
///
/// A project's file that nobody ever trusted may put walls up and close paths, but open nothing and take no walls down.
/// One that was trusted and changed since is refused: what it said before is not known any more, and may have been walls.
pub fn walls(layout: &Layout, files: &Files, taken: bool) -> Result<(Option<Confine>, Vec<String>), Error> {
    let trusted = taken || is_trusted(layout, files)?;
    if !trusted && trust::is_known(&directory()?, layout.root()).map_err(unknowable)? {
        return Err(Error::new(ErrorKind::Person, "piton.toml has changed since it was trusted")
            .hint("look at it, then run `piton trust`; `--trust` takes it for this once"));
    }
    let settings = |files: &Files| {
        Ok::<_, Error>(resolve(files, &variable, &Overrides::default()).map_err(problems)?.settings)
    };
    let said = settings(files)?;
    let believed = if trusted { said.clone() } else { settings(&Files { project: None, ..files.clone() })? };
    if said.confine.settled().is_none() && believed.confine.settled().is_none() {
        return Ok((None, Vec::new()));
    }
    let list = |said: &Option<Sourced<Vec<String>>>| {
        said.as_ref().map(|said| said.value.clone()).unwrap_or_default()
    };
    let mut protect = list(&believed.guard.protect);
    protect.extend(
        list(&said.guard.protect).into_iter().filter(|path| !protect.contains(path)).collect::<Vec<_>>(),
    );
    let confine = Confine {
        write: list(&believed.confine.write),
        read: list(&believed.confine.read),
        network: believed.confine.network.or(said.confine.network).map(|said| said.value),
    };
    require_walls(layout, &confine)?;
    Ok((Some(confine), protect))
}

/// Refuses where there can be no such walls.
pub fn require_walls(layout: &Layout, confine: &Confine) -> Result<(), Error> {
    walls::available(layout, confine.network.is_some()).map_err(|why| {
        Error::new(ErrorKind::Environment, format!("the agent cannot be confined: {why}"))
            .hint("install bubblewrap, or do without --confine and `[confine]`")
    })
}

/// Refuses walls around a tree that holds the user's home.
pub fn require_home_outside(tree: &Path) -> Result<(), Error> {
    walls::require_home_outside(tree).map_err(|why| {
        Error::new(ErrorKind::Environment, format!("the agent cannot be confined: {why}"))
            .hint("let it work in a tree of its own with --worktree, or do without --confine and `[confine]`")
    })
}

/// Trusts the project configuration as it stands.
pub fn trust_project(layout: &Layout, content: &[u8]) -> Result<(), Error> {
    trust::trust(&directory()?, layout.root(), content, SystemClock.now()).map_err(unknowable)
}

/// Whether somebody looked at this content and trusts it here.
pub fn is_trusted_content(layout: &Layout, content: &[u8]) -> Result<bool, Error> {
    trust::is_trusted(&directory()?, layout.root(), content).map_err(unknowable)
}

/// What is trusted cannot be read or written.
fn unknowable(error: trust::Error) -> Error {
    Error::environment(&error).hint("run `piton doctor`")
}

/// What is said of backups.
pub struct Backups {
    /// Where they go.
    pub to: String,
    /// How many stay.
    pub count_max: usize,
    /// Of those only what is younger, in milliseconds.
    pub age_ms_max: Option<u64>,
    /// Whether they are compressed.
    pub compress: bool,
}

/// What is said of backups. A project's file that nobody trusts has no say in it.
pub fn backups(layout: &Layout) -> Result<Backups, Error> {
    let files = read(layout)?;
    let is_believed = layout.is_taken() || is_trusted(layout, &files)?;
    let files = if is_believed { files } else { Files { project: None, ..files } };
    let settings = resolve(&files, &variable, &Overrides::default()).map_err(problems)?.settings;
    let (said, vault) = (settings.backups, settings.vault.clone());
    let to = one_of("vault.backup_dir", vault.backup_dir, "vault.backups.to", said.to)?;
    let max = one_of("vault.max_backups", vault.max_backups, "vault.backups.max", said.max)?;
    Ok(Backups {
        to: to.unwrap_or_else(|| BACKUPS_TO.to_owned()),
        count_max: max.unwrap_or(BACKUPS_MAX) as usize,
        age_ms_max: said.max_age.map(|age| age.value),
        compress: settings.vault.compress.is_some_and(|compress| compress.value),
    })
}

/// Where a project's file that nobody trusts would have backups and the replica. Nobody looks there, and whoever searches is told.
pub fn unheard_places(layout: &Layout) -> Result<Vec<String>, Error> {
    let files = read(layout)?;
    if layout.is_taken() || is_trusted(layout, &files)? {
        return Ok(Vec::new());
    }
    let settings = resolve(&files, &variable, &Overrides::default()).map_err(problems)?.settings;
    let said = [settings.backups.to, settings.vault.backup_dir, settings.vault.replicate];
    let mut places: Vec<String> = Vec::new();
    for said in said.into_iter().flatten().filter(|said| said.layer == Layer::Project) {
        if !places.contains(&said.value) {
            places.push(said.value);
        }
    }
    Ok(places)
}

/// The checks of `flags`, each `[NAME=]CMD`; without any those of the configuration, which has to be trusted: they are run.
pub fn checks(layout: &Layout, flags: &[String]) -> Result<Vec<Check>, Error> {
    let files = match flags {
        [] => {
            let files = read(layout)?;
            if !layout.is_taken() {
                require_trust(layout, &files)?;
            }
            files
        }
        _ => Files::default(),
    };
    let overrides = Overrides { checks: flags.to_vec(), ..Overrides::default() };
    let settings = resolve(&files, &variable, &overrides).map_err(problems)?.settings;
    Ok(settings.checks.into_iter().map(|check| check.value).collect())
}

/// What is said of how long things are kept.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    /// After so long a run that is over is archived.
    pub finished_for_ms: Option<u64>,
    /// After so long what its agents printed goes.
    pub attempts_for_ms: Option<u64>,
    /// After so long a journal goes that a repair put aside.
    pub aside_for_ms: Option<u64>,
    /// Whether a run is archived only where a backup that can be restored has all of it.
    pub only_if_backed_up: bool,
    /// From this size on a journal is said to be large.
    pub warn_at_bytes: u64,
}

/// What is said of how long things are kept. A project's file that nobody trusts has no say in it.
pub fn retention(layout: &Layout) -> Result<Retention, Error> {
    let files = read(layout)?;
    let is_believed = layout.is_taken() || is_trusted(layout, &files)?;
    let files = if is_believed { files } else { Files { project: None, ..files } };
    let said = resolve(&files, &variable, &Overrides::default()).map_err(problems)?.settings.retention;
    Ok(Retention {
        finished_for_ms: said.finished_for.map(|age| age.value),
        attempts_for_ms: said.attempts_for.map(|age| age.value),
        aside_for_ms: said.aside_for.map(|age| age.value),
        only_if_backed_up: said.only_if_backed_up.is_none_or(|only| only.value),
        warn_at_bytes: said.warn_at.map_or(WARN_AT_BYTES, |size| size.value),
    })
}

/// Where the journal is to be replicated to, if anywhere. A project's file that nobody trusts has no say in it.
pub fn replicate(layout: &Layout) -> Result<Option<String>, Error> {
    let files = read(layout)?;
    let is_believed = layout.is_taken() || is_trusted(layout, &files)?;
    let files = if is_believed { files } else { Files { project: None, ..files } };
    let settings = resolve(&files, &variable, &Overrides::default()).map_err(problems)?.settings;
    Ok(settings.vault.replicate.map(|to| to.value))
}

/// What two words for one setting come to. A layer's own counts before what is built in; two that differ are an error.
fn one_of<T: PartialEq>(
    name: &str,
    one: Option<Sourced<T>>,
    other_name: &str,
    other: Option<Sourced<T>>,
) -> Result<Option<T>, Error> {
    let other = other.filter(|other| other.layer != Layer::Default);
    match (one, other) {
        (Some(one), Some(other)) if one.value != other.value => {
            Err(Error::usage(format!("`{name}` and `{other_name}` say different things"))
                .hint("they are two words for one setting: leave one of them out"))
        }
        (one, other) => Ok(one.or(other).map(|said| said.value)),
    }
}

/// Which views the configuration wants. One that cannot be read changes nothing about them.
pub fn views(layout: &Layout) -> Views {
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
    // These have no encrypted form.
    views.aiwg &= !keys::is_asked(layout);
    views
}
