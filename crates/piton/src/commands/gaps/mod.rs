//! `piton gaps`: what is known, how fresh it is, what to look into next.
//!
//! Each command asks the door for the ledger as it is, or for one change, and prints what came of it. The rules are in
//! `model::ledger`.

mod change;
mod history;
mod look;
mod research;
mod show;

use std::path::{Component, Path, PathBuf};

use piton_config::{Overrides, Resolved, resolve};
use piton_model::ledger::{DEFAULT_TTL_DAYS, MAX_GAPS_PER_RUN, Moment, Overruled};
use piton_model::{ExitCode, Timestamp};
use piton_sys::{Clock, SystemClock};
use piton_view::{GapChange, GapsChanged, GapsView, LedgerAt};

use crate::cli::Global;
use crate::cli::gaps::{GapsArguments, GapsCommand};
use crate::failure::Failure;
use crate::output::{Output, clean_line};
use crate::repository::{self, Door, Layout, configuration};

/// The file where nothing else is said.
const DEFAULT_FILE: &str = "gaps.yaml";

pub(super) async fn run(
    global: &Global,
    arguments: &GapsArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let place = Place::new(global, arguments)?;
    match &arguments.command {
        GapsCommand::List(arguments) => show::list(&place, arguments, out).await,
        GapsCommand::Show(arguments) => show::show(&place, arguments, out).await,
        GapsCommand::Validate => look::validate(&place, out).await,
        GapsCommand::Order => look::order(&place, out).await,
        GapsCommand::Stale(arguments) if arguments.apply => change::apply_due(&place, out).await,
        GapsCommand::Stale(_) => look::stale(&place, out).await,
        GapsCommand::Batch(arguments) => look::batch(&place, arguments, out).await,
        GapsCommand::Fresh(arguments) => look::fresh(&place, arguments, out).await,
        GapsCommand::Prompt(arguments) => look::prompt(&place, arguments, out).await,
        GapsCommand::Export(arguments) => look::export(&place, arguments, out).await,
        GapsCommand::Add(arguments) => change::add(&place, arguments, out).await,
        GapsCommand::Edit => change::edit(&place, out).await,
        GapsCommand::Check(arguments) => change::check(&place, arguments, out).await,
        GapsCommand::Verify(arguments) => change::verify(&place, arguments, out).await,
        GapsCommand::Update(arguments) => change::update(&place, arguments, out).await,
        GapsCommand::Remove(argument) => change::remove(&place, &argument.id, out).await,
        GapsCommand::Undo(argument) => change::undo(&place, &argument.id, out).await,
        GapsCommand::Import(arguments) => change::import(&place, arguments, out).await,
        GapsCommand::Log(arguments) => history::log(&place, arguments, out).await,
        GapsCommand::Diff(arguments) => history::diff(&place, arguments, out).await,
        GapsCommand::Research(arguments) => research::run(&place, arguments, out).await,
    }
}

/// Which ledger, and what is said about it.
pub(super) struct Place {
    pub(super) layout: Layout,
    pub(super) door: Door,
    pub(super) ledger: LedgerAt,
    pub(super) resolved: Resolved,
    pub(super) given_now: Option<Timestamp>,
}

impl Place {
    fn new(global: &Global, arguments: &GapsArguments) -> Result<Self, Failure> {
        let layout = repository::layout(global)?;
        let files = configuration::read(&layout)?;
        let resolved = resolve(&files, &configuration::variable, &Overrides::default())
            .map_err(configuration::problems)?;
        let gaps = &resolved.settings.gaps;
        let configured = gaps.file.as_ref().map_or(DEFAULT_FILE, |file| file.value.as_str());
        let given = arguments.file.as_deref().map(|file| inside(&layout, file)).transpose()?;
        let is_configured = given.as_deref().is_none_or(|file| file == Path::new(configured));
        let log = gaps.audit_log.as_ref().filter(|_| is_configured).map(|log| PathBuf::from(&log.value));
        let ledger = LedgerAt {
            file: given.unwrap_or_else(|| PathBuf::from(configured)),
            log,
            default_ttl_days: gaps.default_ttl_days.as_ref().map_or(DEFAULT_TTL_DAYS, |days| days.value),
        };
        let given_now = arguments.now.as_deref().map(|text| time("--now", text)).transpose()?;
        let door = repository::open_or_create(&layout);
        Ok(Self { layout, door, ledger, resolved, given_now })
    }

    pub(super) fn now(&self) -> Timestamp {
        self.given_now.unwrap_or_else(|| SystemClock.now())
    }

    pub(super) fn max_per_run(&self, given: Option<u32>) -> usize {
        let configured = self.resolved.settings.gaps.max_gaps_per_run.as_ref().map(|max| max.value);
        given.or(configured).map_or(MAX_GAPS_PER_RUN, |max| max as usize)
    }

    /// The ledger as it is. One that is not there is said to be missing.
    pub(super) async fn read(&self, out: &Output) -> Result<GapsView, Failure> {
        let reading = self.door.gaps(&self.ledger, self.now()).await?;
        for warning in &reading.warnings {
            out.note(format!("warning: {}: {}", self.ledger.file.display(), clean_line(warning)));
        }
        if !reading.exists && reading.state.gaps.is_empty() {
            out.note(format!(
                "there is no {} yet: `piton gaps add ID --category NAME` begins one",
                self.ledger.file.display()
            ));
        }
        Ok(reading)
    }

    /// Does one thing to the ledger, and says what an edit in between did to it.
    pub(super) async fn change(&self, out: &Output, change: GapChange) -> Result<GapsChanged, Failure> {
        let changed = self.door.change_gaps(&self.ledger, change, self.now()).await?;
        tell_overruled(&changed, out);
        Ok(changed)
    }
}

/// What a person must know about edits in between.
fn tell_overruled(changed: &GapsChanged, out: &Output) {
    for overruled in &changed.overruled {
        out.note(match overruled {
            Overruled::Fields { gap, fields } => {
                let fields = fields.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                format!("note: the file says otherwise about {fields} of `{}`, and is right", clean_line(gap))
            }
            Overruled::Change { gap } => {
                format!(
                    "note: `{}` was edited or removed in the file meanwhile; the change was given up",
                    clean_line(gap)
                )
            }
            Overruled::Removal { gap } => {
                format!("note: `{}` was changed in the file meanwhile, and stays", clean_line(gap))
            }
        });
    }
    for kept in &changed.kept {
        out.note(format!("note: an edit that could not be merged is kept in {}", kept.display()));
    }
}

/// A time of the command line.
pub(super) fn time(flag: &str, text: &str) -> Result<Timestamp, Failure> {
    let moment: Result<Moment, _> = text.parse();
    moment.map(|moment| moment.at).map_err(|error| Failure::usage(format!("{flag}: {error}")))
}

/// A path of the command line, relative to the repository.
fn inside(layout: &Layout, file: &Path) -> Result<PathBuf, Failure> {
    let absolute = std::path::absolute(file).map_err(|error| Failure::environment(&error))?;
    let outside = || {
        Failure::usage(format!("`{}` is not in the repository `{}`", file.display(), layout.root().display()))
            .hint("give --repo DIR, or a file inside of it")
    };
    let name = absolute.file_name().ok_or_else(outside)?;
    let parent = absolute.parent().ok_or_else(outside)?;
    let parent = std::fs::canonicalize(parent).unwrap_or_else(|_| parent.to_owned());
    let root = std::fs::canonicalize(layout.root()).unwrap_or_else(|_| layout.root().to_owned());
    let relative = parent.join(name).strip_prefix(&root).map(Path::to_owned).map_err(|_| outside())?;
    match relative.components().all(|part| matches!(part, Component::Normal(_)))
        && relative.to_str().is_some()
    {
        true => Ok(relative),
        false => Err(outside()),
    }
}
