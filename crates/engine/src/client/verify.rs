//! Checking everything that is stored, down to "the index says what the events say".

use piton_files::ralph::{self, Main};
use piton_git::{SnapshotId, Workspace};
use piton_model::loop_machine::Snapshot;
use piton_model::{Entry, Kind, Machine, RunId, Seq, State, cycle, ledger_machine, workflow};
use piton_store::{Error, Problem, Store, Wanted};
use piton_view::{ProblemView, StateOf, VerifyView};

use super::{ClientError, LocalClient};
use crate::configuration;
use crate::keys;
use crate::layout::Layout;
use crate::load::{self, LoadError};
use crate::unsound::Unsound;
use crate::world::view_bytes;

/// `tell` hears how many runs of so many are done.
pub(super) async fn verify(
    store: &dyn Store,
    run: Option<&RunId>,
    tell: &mut (dyn FnMut(usize, usize) + Send),
) -> Result<VerifyView, ClientError> {
    let mut found = Found::default();
    if run.is_none() {
        match store.verify(None).await {
            Ok(problems) => found.problems.extend(problems),
            Err(error) => found.problems.push(problem_of(error)?),
        }
    }
    let runs = match run {
        Some(run) => vec![run.clone()],
        None => match store.rows(Wanted::ALL_THERE).await {
            Ok(page) => {
                found.problems.extend(page.damaged);
                page.rows.into_iter().map(|row| row.entry.run_id).collect()
            }
            Err(error) => {
                found.problems.push(problem_of(error)?);
                Vec::new()
            }
        },
    };
    for (done, run) in runs.iter().enumerate() {
        tell(done, runs.len());
        verify_run(store, run, &mut found).await?;
    }
    tell(runs.len(), runs.len());
    let problems: Vec<ProblemView> = found.problems.into_iter().map(view_of).collect();
    Ok(VerifyView {
        ok: problems.is_empty(),
        runs_checked: runs.len(),
        events_checked: found.events,
        problems,
        views: Vec::new(),
        elsewhere: Vec::new(),
    })
}

impl LocalClient {
    /// Remembers what a check of everything, or of one run, came to: for whoever lists runs next.
    pub(super) fn remember(&self, run: Option<&RunId>, problems: &[ProblemView], incomplete: &[ProblemView]) {
        let Some(nothing) = Unsound::nothing(self.layout()) else { return };
        let mut now = match run {
            Some(run) => {
                let mut known = Unsound::known(self.layout()).unwrap_or(nothing);
                known.damaged.remove(run);
                known.incomplete.remove(run);
                known
            }
            None => nothing,
        };
        let said = |problem: &ProblemView| match problem.seq {
            Some(seq) => format!("event {seq}: {}", problem.what),
            None => problem.what.clone(),
        };
        for (found, known) in [(problems, &mut now.damaged), (incomplete, &mut now.incomplete)] {
            for problem in found {
                if let Some(run) = &problem.run_id {
                    known.entry(run.clone()).or_insert_with(|| said(problem));
                }
            }
        }
        now.keep(self.layout());
    }

    /// Runs whose snapshots are not there any more, or not whole: their files cannot be restored.
    pub(super) async fn snapshots_lost(&self, run: Option<&RunId>) -> Result<SnapshotsLost, ClientError> {
        let mut lost = SnapshotsLost::default();
        let all: Vec<RunId> = self.entries().await?.into_iter().map(|entry| entry.run_id).collect();
        // That there is no git, or none that answers, is not said of each run: `piton doctor` says it.
        let Ok(Some(workspace)) = super::vault::workspace(self.layout()) else { return Ok(lost) };
        let (mut tips, mut gone) = (Vec::new(), Vec::new());
        for run in run.map_or_else(|| all.clone(), |run| vec![run.clone()]) {
            let Some(loaded) = Self::unless_damaged(self.load_any(&run, None).await)? else { continue };
            match workspace.tip(run.as_str()) {
                Ok(Some(tip)) => match first_missing(&workspace, &loaded.state) {
                    Some(id) => {
                        lost.damaged.push(snapshots_problem(run, lost_words(&id)));
                    }
                    None => tips.push((run, tip)),
                },
                Ok(None) if has_snapshots(&loaded.state) => gone.push(run),
                Ok(None) | Err(_) => {}
            }
        }
        // Where no run has any, this is a copy of the journal that its repository did not come with.
        let has_ref = |run: &RunId| workspace.tip(run.as_str()).is_ok_and(|tip| tip.is_some());
        let is_at_home = gone.is_empty() || all.iter().any(has_ref);
        let without = if is_at_home { &mut lost.damaged } else { &mut lost.elsewhere };
        for run in gone {
            let what = format!("git has lost its snapshots: there is no `refs/piton/runs/{run}`");
            without.push(snapshots_problem(run, what));
        }
        // Together first: most of what they name is the same.
        let all: Vec<_> = tips.iter().map(|(_, tip)| tip.clone()).collect();
        if !all.is_empty() && workspace.check_all_complete(&all).is_err() {
            for (run, tip) in tips {
                if let Err(error) = workspace.check_complete(&tip) {
                    let what = error.to_string();
                    let what = what.split_whitespace().collect::<Vec<_>>().join(" ");
                    lost.damaged
                        .push(snapshots_problem(run, format!("git has lost some of its snapshots: {what}")));
                }
            }
        }
        Ok(lost)
    }

    /// What git has lost of the snapshots that the events of a run name, where it has newer ones.
    pub(super) async fn snapshot_lost(&self, run: &RunId) -> Result<Option<String>, ClientError> {
        let Ok(Some(workspace)) = super::vault::workspace(self.layout()) else { return Ok(None) };
        let Ok(Some(_)) = workspace.tip(run.as_str()) else { return Ok(None) };
        let loaded = Self::unless_damaged(self.load_any(run, None).await)?;
        let missing = loaded.and_then(|loaded| first_missing(&workspace, &loaded.state));
        Ok(missing.map(|id| lost_words(&id)))
    }

    /// Views of runs at rest that are not what the journal renders, and that nobody edited.
    pub(super) async fn views_behind(&self, run: Option<&RunId>) -> Result<Vec<ProblemView>, ClientError> {
        let runs = match run {
            Some(run) => vec![run.clone()],
            None => self.entries().await?.into_iter().map(|entry| entry.run_id).collect(),
        };
        let mut behind = Vec::new();
        // The place of loops is that of the newest one.
        let is_loop = |entry: &Entry| entry.kind == Kind::Loop;
        let newest = self.entries().await?.into_iter().find(is_loop).map(|entry| entry.run_id);
        for run in runs {
            let Some(loaded) = Self::unless_damaged(self.load_any(&run, None).await)? else { continue };
            if !loaded.state.entry().is_at_rest() || self.driver_of(&run).await?.is_some() {
                continue;
            }
            let what = match &loaded.state {
                StateOf::Loop(state) => loop_view(self.layout(), state, loaded.head)
                    .or_else(|| lost_view(self.layout(), &run).filter(|_| newest.as_ref() == Some(&run))),
                _ if self.shows_less(&loaded) => {
                    Some("its files do not show what the journal says".to_owned())
                }
                _ => None,
            };
            behind.extend(what.map(|what| ProblemView {
                remedy: format!("run `piton rebuild {run}`"),
                run_id: Some(run),
                seq: None,
                what,
            }));
        }
        Ok(behind)
    }
}

/// Runs whose snapshots are not there.
#[derive(Default)]
pub(super) struct SnapshotsLost {
    /// Where those of others are.
    pub(super) damaged: Vec<ProblemView>,
    /// Where nobody's are: their repository is elsewhere.
    pub(super) elsewhere: Vec<ProblemView>,
}

fn snapshots_problem(run: RunId, what: String) -> ProblemView {
    ProblemView {
        remedy: format!(
            "`piton backup restore URL --run {run}` brings them back from a backup that has them; its events are whole"
        ),
        run_id: Some(run),
        seq: None,
        what,
    }
}

fn lost_words(id: &SnapshotId) -> String {
    format!("git has lost some of its snapshots: {id} is not there any more")
}

/// A snapshot that the events of a run name and git does not have. The last one may be newer, and lead to none of them.
fn first_missing(workspace: &Workspace, state: &StateOf) -> Option<SnapshotId> {
    let named: Vec<&Snapshot> = match state {
        StateOf::Loop(state) => {
            let best = state.judged.best.iter().filter_map(|best| best.snapshot.as_ref());
            best.chain(&state.seen.start).chain(&state.seen.snapshot).collect()
        }
        StateOf::Cycle(state) => {
            let recent = state.iterations.iter().filter_map(|record| record.snapshot.as_ref());
            recent.chain(&state.start).chain(&state.seen).collect()
        }
        StateOf::Workflow(_) | StateOf::Ledger(_) => Vec::new(),
    };
    let named: Vec<SnapshotId> =
        named.into_iter().filter_map(|named| SnapshotId::try_from(named.id.clone()).ok()).collect();
    workspace.missing(&named).ok()?.into_iter().next()
}

/// Whether a run has, or had, snapshots of its work.
fn has_snapshots(state: &StateOf) -> bool {
    match state {
        StateOf::Loop(state) => state.seen.snapshot.is_some(),
        StateOf::Cycle(state) => state.seen.is_some(),
        StateOf::Workflow(_) | StateOf::Ledger(_) => false,
    }
}

/// What became of the state file of the newest loop, where it has none that is ours. One whose attempts are not here was restored from a
/// backup, and files of an encrypted one are others.
fn lost_view(layout: &Layout, run: &RunId) -> Option<String> {
    let is_rendered = configuration::views(layout).ralph && !keys::is_asked(layout);
    if !is_rendered || !layout.attempts(run).is_dir() || ralph::published_path(layout.root(), run).is_some() {
        return None;
    }
    match ralph::main(layout.root()) {
        Main::Foreign => Some(
            "`.ralph/state.json` is not what piton wrote: it was edited, cut short, or is somebody else's"
                .to_owned(),
        ),
        Main::Nothing => Some("`.ralph/state.json` is gone".to_owned()),
        Main::Ours | Main::Unused => None,
    }
}

/// What is wrong with the state file of a loop. One that is not ours is a person's.
fn loop_view(layout: &Layout, state: &State, head: Seq) -> Option<String> {
    let shown = ralph::read(layout.root(), &state.run)?;
    let path = ralph::published_path(layout.root(), &state.run)?;
    let name = path.strip_prefix(layout.root()).unwrap_or(&path).display().to_string();
    match ralph::published_seq(layout.root(), &state.run)? {
        seq if seq < head => Some(format!("`{name}` shows event {seq}, the last is {head}")),
        seq if seq > head => Some(format!("`{name}` shows event {seq}, and the journal ends at {head}")),
        _ => {
            let rendered: serde_json::Value =
                serde_json::from_slice(&view_bytes(layout, state, head)).ok()?;
            let shown = serde_json::to_value(shown).ok()?;
            (without_moment(rendered) != without_moment(shown))
                .then(|| format!("`{name}` is not what the journal renders"))
        }
    }
}

/// When it was saved is not part of what is shown; the digest covers that, too.
fn without_moment(mut view: serde_json::Value) -> serde_json::Value {
    if let Some(fields) = view.as_object_mut() {
        fields.remove("saved_at");
    }
    if let Some(custom) = view.get_mut("custom").and_then(serde_json::Value::as_object_mut) {
        custom.remove("piton");
    }
    view
}

#[derive(Default)]
struct Found {
    events: u64,
    problems: Vec<Problem>,
}

async fn verify_run(store: &dyn Store, run: &RunId, found: &mut Found) -> Result<(), ClientError> {
    let before = found.problems.len();
    match store.verify(Some(run)).await {
        Ok(problems) => found.problems.extend(problems),
        Err(error) => found.problems.push(problem_of(error)?),
    }
    if found.problems.len() > before {
        return Ok(());
    }
    let verified = match store.row(run).await {
        Ok(row) => match row.entry.kind {
            Kind::Loop => verify_fold::<State>(store, run).await,
            Kind::Workflow => verify_fold::<workflow::State>(store, run).await,
            Kind::Cycle => verify_fold::<cycle::State>(store, run).await,
            Kind::Ledger => verify_fold::<ledger_machine::State>(store, run).await,
        },
        Err(error) => Err(error.into()),
    };
    match verified {
        Ok((events, problems)) => {
            found.events += events;
            found.problems.extend(problems);
        }
        Err(LoadError::Store(error)) => found.problems.push(problem_of(error)?),
        Err(error @ LoadError::OtherKind { .. }) => {
            found.problems.push(Problem::of(run, error.to_string()));
        }
        Err(LoadError::Event { run, seq, source }) => {
            found.problems.push(Problem::at(&run, seq, source.to_string()));
        }
    }
    Ok(())
}

/// The fold of all events is what the index and the checkpoint say. Of a run that is archived, the fold of what follows its
/// checkpoint: what came before is covered by the chain.
async fn verify_fold<M: Machine>(store: &dyn Store, run: &RunId) -> Result<(Seq, Vec<Problem>), LoadError> {
    let row = store.row(run).await?;
    let whole = match load::load_from_start::<M>(store, run, row.head.seq).await {
        Err(LoadError::Store(Error::Archived { .. })) => {
            match load::load_at::<M>(store, run, row.head.seq).await {
                // Another piton recorded that state, and this one folds otherwise: a backup has what it would fold.
                Err(LoadError::Store(Error::Archived { .. })) => return Ok((row.head.seq, Vec::new())),
                loaded => loaded?,
            }
        }
        loaded => loaded?,
    };
    let mut problems = Vec::new();
    // What it waits for is said in words, which the next piton may choose better.
    let without_words =
        |entry: Entry| Entry { waiting_for: entry.waiting_for.map(|_| String::new()), ..entry };
    // What another fold said of it is not what this one would say, and is said anew with the next event.
    if row.entry.fold == M::FOLD && without_words(whole.state.entry()) != without_words(row.entry) {
        problems.push(Problem::of(run, "the index does not say what its events say"));
    }
    let resumed = load::load_at::<M>(store, run, row.head.seq).await?;
    if resumed.state != whole.state {
        problems.push(Problem::of(run, "its checkpoint does not say what its events say"));
    }
    Ok((whole.head, problems))
}

fn problem_of(error: Error) -> Result<Problem, ClientError> {
    match error {
        Error::Corrupt(problem) => Ok(problem),
        other => Err(other.into()),
    }
}

fn view_of(problem: Problem) -> ProblemView {
    let remedy = match &problem.run {
        Some(run) => format!(
            "run `piton repair`: it keeps what is good of `{run}`, and takes the rest from the newest backup; what it left elsewhere \
             is untouched: attempts in .piton/attempts, snapshots under refs/piton/runs/{run}"
        ),
        None => "run `piton repair`: it puts the journal aside as a whole, and keeps what is good".to_owned(),
    };
    ProblemView { run_id: problem.run, seq: problem.seq, what: problem.what, remedy }
}

#[cfg(test)]
mod tests;
