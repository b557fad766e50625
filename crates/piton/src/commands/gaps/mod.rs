//! `piton gaps`: what is known, how fresh it is, what to look into next.
//!
//! Each command asks the door one thing about the ledger, or for one change, and prints what came of it.

mod change;
mod history;
mod look;
mod research;
mod show;

use std::path::{Component, Path, PathBuf};

use piton_config::{Overrides, Resolved, resolve};
use piton_model::Timestamp;
use piton_model::ledger::{MAX_GAPS_PER_RUN, Moment};
use piton_sys::{Clock, SystemClock};
use piton_view::{GapChange, GapView, GapsChanged, InLedger, LedgerAt, words};

use crate::cli::Global;
use crate::cli::gaps::{GapsArguments, GapsCommand};
use crate::failure::{Failure, Result};
use crate::output::{Output, clean_line};
use crate::repository::{self, Door, Layout, configuration};

pub(super) async fn run(global: &Global, arguments: &GapsArguments, out: &Output) -> Result {
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
    pub(super) trust: bool,
}

impl Place {
    fn new(global: &Global, arguments: &GapsArguments) -> Result<Self> {
        let layout = repository::layout(global)?;
        let files = configuration::read(&layout)?;
        let resolved = resolve(&files, &configuration::variable, &Overrides::default())
            .map_err(configuration::problems)?;
        let gaps = &resolved.settings.gaps;
        let configured = gaps.file();
        let given = arguments.file.as_deref().map(|file| inside(&layout, file)).transpose()?;
        let is_configured = given.as_deref().is_none_or(|file| file == Path::new(configured));
        let log = gaps.audit_log.as_ref().filter(|_| is_configured).map(|log| PathBuf::from(&log.value));
        let ledger = LedgerAt {
            file: given.unwrap_or_else(|| PathBuf::from(configured)),
            log,
            default_ttl_days: gaps.default_ttl_days(),
        };
        let given_now = arguments.now.as_deref().map(|text| time("--now", text)).transpose()?;
        let door = repository::open_or_create(&layout);
        Ok(Self { layout, door, ledger, resolved, given_now, trust: global.trust })
    }

    pub(super) fn now(&self) -> Timestamp {
        self.given_now.unwrap_or_else(|| SystemClock.now())
    }

    pub(super) fn max_per_run(&self, given: Option<u32>) -> usize {
        let configured = self.resolved.settings.gaps.max_gaps_per_run.as_ref().map(|max| max.value);
        given.or(configured).map_or(MAX_GAPS_PER_RUN, |max| max as usize)
    }

    /// The ledger as it is.
    pub(super) async fn read(&self, out: &Output) -> Result<InLedger<Vec<GapView>>> {
        Ok(self.told(self.door.gaps(&self.ledger, self.now()).await?, out))
    }

    /// What was found in the ledger. What is wrong with that is told, and one that is not there is said to be missing.
    pub(super) fn told<T>(&self, seen: InLedger<T>, out: &Output) -> InLedger<T> {
        self.warn(&seen.problems, out);
        self.warn(&seen.warnings, out);
        if !seen.exists && seen.gaps == 0 {
            let begins = "`piton gaps add ID --category NAME` begins one";
            out.note(format!("there is no {}: {begins}", self.ledger.file.display()));
        }
        seen
    }

    pub(super) fn warn(&self, warnings: &[String], out: &Output) {
        for warning in warnings {
            out.note(format!("warning: {}: {}", self.ledger.file.display(), clean_line(warning)));
        }
    }

    /// Gaps that are not there are a slip of the pen, told before anything is done.
    pub(super) fn check_named(&self, gaps: &[GapView], ids: &[String]) -> Result<()> {
        match ids.iter().find(|id| gaps.iter().all(|there| there.gap.id != **id)) {
            None => Ok(()),
            Some(id) => Err(no_such(id, "")),
        }
    }

    /// Does one thing to the ledger, and says what an edit did to what was open before.
    pub(super) async fn change(&self, out: &Output, change: GapChange) -> Result<GapsChanged> {
        let changed = self.door.change_gaps(&self.ledger, change, self.now()).await?;
        tell_overruled(&changed, out);
        Ok(changed)
    }
}

/// There is no such gap, at some moment.
fn no_such(id: &str, then: &str) -> Failure {
    Failure::usage(format!("there is no gap `{}`{}", clean_line(id), clean_line(then)))
        .hint("run `piton gaps list` to see what there is")
}

/// What a person must know about edits in between.
fn tell_overruled(changed: &GapsChanged, out: &Output) {
    let overruled = changed.overruled.iter().map(|what| clean_line(&words::ledger::overruled(what)));
    words::few(overruled, "change").iter().for_each(|what| out.note(format!("note: {what}")));
    for kept in &changed.kept {
        out.note(format!("note: {}", words::ledger::kept(kept)));
    }
}

/// A time of the command line.
pub(super) fn time(flag: &str, text: &str) -> Result<Timestamp> {
    let moment: Result<Moment, _> = text.parse();
    moment.map(|moment| moment.at).map_err(|error| Failure::usage(format!("{flag}: {error}")))
}

/// A path of the command line, relative to the repository.
fn inside(layout: &Layout, file: &Path) -> Result<PathBuf> {
    let absolute = std::path::absolute(file).map_err(|error| Failure::environment(&error))?;
    let outside = || {
        Failure::usage(format!("`{}` is not in the repository `{}`", file.display(), layout.root().display()))
            .hint("give --repo DIR, or a file inside of it")
    };
    let name = absolute.file_name().ok_or_else(outside)?;
    let parent = absolute.parent().ok_or_else(outside)?;
    // What is not there yet is below something that is.
    let resolved = parent.ancestors().find_map(|above| {
        let rest = parent.strip_prefix(above).expect("a path begins with what is above it");
        Some(std::fs::canonicalize(above).ok()?.join(rest))
    });
    let parent = resolved.unwrap_or_else(|| parent.to_owned());
    let root = std::fs::canonicalize(layout.root()).unwrap_or_else(|_| layout.root().to_owned());
    let relative = parent.join(name).strip_prefix(&root).map(Path::to_owned).map_err(|_| outside())?;
    match relative.components().all(|part| matches!(part, Component::Normal(_)))
        && relative.to_str().is_some()
    {
        true => Ok(relative),
        false => Err(outside()),
    }
}
