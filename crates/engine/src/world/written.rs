//! What checks write into the tree that they judge: put back, left to them, or judged like what an agent leaves.
//!
//! A check runs what the agent wrote, so whatever it writes may be the agent's doing. What the baseline wrote as well, before any
//! agent worked here, is nobody's work: those files are put back after each round. What a check makes anew is its own and stays on
//! disk, in no commit, until somebody changes it. A test that it rewrites, or a file that nobody may change, is a fact that the
//! model judges. Other files of the tree may well be a formatter's work: the guard looks at the tree as it stays, and the model has
//! the checks run once more on it. Decision 0033 says why.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use piton_git::{RepoPath, Tree, Written};
use piton_guard::{is_code, is_of_tests, is_recording, steers_checks};
use piton_model::loop_machine::{Made, Rewritten, Snapshot, Wrote};
use piton_model::{State, Timestamp};

use super::attempt::{as_it_rested, recorded, take_snapshot};
use super::protected::Base;
use super::{Context, WorldError, guard, over, snapshot_id, unseen};

/// What the directories of what a round starts are named after, before its number.
const OF_ROUNDS: [&str; 6] = ["check", "checkout", "again", "third", "stop", "metric"];

/// Which tree a round begins with.
pub(super) enum Began {
    With(Snapshot),
    /// Somebody edited the tree since it was last seen: that is to be on record first, so that it is not taken for the checks' work.
    NotYet(Snapshot),
    /// The same, over what an attempt left that nobody has judged: what the iteration is compared with from now on comes along.
    Over(Snapshot, Box<Snapshot>),
}

/// Puts back what was refused, and says which tree the round begins with.
pub(super) fn begin(context: &Context, state: &State, round: u32) -> Result<Began, WorldError> {
    if let Some(target) = &state.work.restore {
        let target = snapshot_id(&over::back_to(context, state, target)?.id)?;
        let restored = unseen::put_back(context, &target)?;
        return Ok(Began::With(recorded(&restored.after)));
    }
    // What a round that nobody brought to its end wrote is not what it began with.
    let known = state.seen.snapshot.as_ref().filter(|_| has_begun(context, round));
    if let Some(known) = known {
        return Ok(Began::With(known.clone()));
    }
    let now = match as_it_rested(context) {
        Some(snapshot) => snapshot,
        None => take_snapshot(context, &format!("before checks {round}"))?,
    };
    if let Some(before) = over::base(context, state, &now)? {
        return Ok(Began::Over(now, Box::new(before)));
    }
    let is_known = state.seen.snapshot.as_ref().is_some_and(|known| known.tree == now.tree);
    Ok(if is_known { Began::With(now) } else { Began::NotYet(now) })
}

/// Whether something of this round was started already.
fn has_begun(context: &Context, round: u32) -> bool {
    let entries = std::fs::read_dir(context.attempts()).into_iter().flatten().flatten();
    let is_of_round = |name: &str| {
        let mut parts = name.split('-');
        parts.next().is_some_and(|what| OF_ROUNDS.contains(&what)) && parts.next() == Some(&round.to_string())
    };
    entries.into_iter().any(|entry| entry.file_name().to_str().is_some_and(is_of_round))
}

/// What follows from what the checks wrote: the tree as it stays, and what there is to say about it. `times` says when which check
/// began, and without a name when what comes after all of them did; and what of the tree they `closed` to their own eyes was opened again.
pub(super) fn settle(
    context: &Context,
    state: &State,
    (began, after): (&Snapshot, Snapshot),
    closed: &[RepoPath],
    times: &[(Option<&str>, Timestamp)],
    ended: Ended,
) -> Result<(Snapshot, Option<Wrote>), WorldError> {
    if began.tree == after.tree && closed.is_empty() {
        return Ok((after, None));
    }
    let is_judged = ended != Ended::Cancelled && is_judged(state);
    let records = is_judged && ended == Ended::AllPass && !is_again(state);
    let base = Base::of(context, state, state.work.before.as_ref().unwrap_or(began))?;
    let round = Round { context, state, base, began, after: &after, times, is_judged, records };
    let mut sorted = round.sort()?;
    if is_judged {
        sorted.wrote.tests.extend(closed.iter().map(|path| round.rewritten(path.to_string())));
    }
    if !sorted.wrote.tests.is_empty() && guard::allows_writing_tests(state) {
        let allowed = std::mem::take(&mut sorted.wrote.tests).into_iter().map(|written| written.path);
        sorted.wrote.changed.extend(allowed);
    }
    if sorted.back.is_empty() && sorted.wrote == Wrote::default() {
        return Ok((after, None));
    }
    let mut stays = after.clone();
    if !sorted.back.is_empty() {
        let (target, now) = (snapshot_id(&began.id)?, snapshot_id(&after.id)?);
        context.workspace.put_back(context.run.as_str(), &target, &now, &sorted.back)?;
        stays = take_snapshot(context, "as it stays after the checks")?;
        sorted.wrote.put_back = sorted.back.iter().map(ToString::to_string).collect();
        sorted.wrote.left = Some(after);
    }
    if !sorted.wrote.changed.is_empty() {
        sorted.wrote.guard = guard::look(context, state, &stays, Vec::new())?;
    }
    Ok((stays, Some(sorted.wrote)))
}

/// How the checks of a round ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    AllPass,
    SomeFail,
    Cancelled,
}

/// Whether the round judges what an attempt left. Any other leaves the tree as it found it.
fn is_judged(state: &State) -> bool {
    let is_due = state.work.ended.is_some() && state.work.iteration > state.counters.iterations;
    is_due && state.work.restore.is_none()
}

/// Whether the checks are run once more on what they changed.
fn is_again(state: &State) -> bool {
    state.work.ended.as_ref().is_some_and(|ended| ended.again)
}

/// A round that is over, and wrote something.
struct Round<'a> {
    context: &'a Context,
    state: &'a State,
    /// The last judged tree.
    base: Arc<Base>,
    began: &'a Snapshot,
    after: &'a Snapshot,
    times: &'a [(Option<&'a str>, Timestamp)],
    is_judged: bool,
    /// Whether what tests recorded for the first time is taken for given from now on.
    records: bool,
}

/// What it wrote.
#[derive(Default)]
struct Sorted {
    /// To be put back.
    back: BTreeSet<RepoPath>,
    wrote: Wrote,
}

impl Round<'_> {
    fn sort(&self) -> Result<Sorted, WorldError> {
        let changes = self.changes(self.began, self.after)?;
        let mut sorted = Sorted::default();
        let is_theirs = |change: &Written| change.was.is_none() || is_made(self.state, change);
        let (new, others): (Vec<_>, Vec<_>) = changes.into_iter().partition(is_theirs);
        if self.state.work.attempt == 0 {
            sorted.wrote.made = self.whole(&new)?;
        } else {
            self.sort_new(new, &mut sorted);
        }
        if !others.is_empty() {
            self.sort_others(others, &mut sorted)?;
        }
        Ok(sorted)
    }

    fn changes(&self, before: &Snapshot, after: &Snapshot) -> Result<Vec<Written>, WorldError> {
        Ok(self.context.workspace.written(&snapshot_id(&before.id)?, &snapshot_id(&after.id)?)?)
    }

    /// New files by the directories that are new with them: there may be thousands, and with every round others.
    fn whole(&self, new: &[Written]) -> Result<Vec<Made>, WorldError> {
        if new.is_empty() {
            return Ok(Vec::new());
        }
        let failed = |error: piton_guard::ReadError| WorldError::Guard { what: error.to_string() };
        let tree = self.context.workspace.tree(&snapshot_id(&self.began.id)?);
        let entries = tree.entries().map_err(failed)?;
        let known: BTreeSet<&str> = entries.iter().flat_map(|entry| ancestors(&entry.path)).collect();
        let top = |change: &Written| {
            let path = change.path.to_string();
            let directory = ancestors(&path).find(|directory| !known.contains(directory));
            directory.map_or(path.clone(), |directory| format!("{directory}/"))
        };
        let paths: BTreeSet<String> = new.iter().map(top).collect();
        Ok(paths.into_iter().map(|path| Made { path, id: None }).collect())
    }

    /// What checks make is their own, unless it says how later checks run.
    fn sort_new(&self, new: Vec<Written>, sorted: &mut Sorted) {
        for change in new {
            let path = change.path.to_string();
            if is_of_baseline(self.state, &path) {
                continue;
            }
            let runs = (is_of_tests(&path) && is_code(&path)) || steers_checks(&path);
            match self.is_judged && (runs || self.is_protected(&path)) {
                true => sorted.wrote.tests.push(self.rewritten(path)),
                false if self.records && is_recording(&path) => sorted.wrote.changed.push(path),
                false if change.is.is_some() => sorted.wrote.made.push(Made { path, id: change.is }),
                false => {}
            }
        }
    }

    fn sort_others(&self, others: Vec<Written>, sorted: &mut Sorted) -> Result<(), WorldError> {
        if !self.is_judged {
            sorted.back = others.into_iter().map(|change| change.path).collect();
            return Ok(());
        }
        let baseline = self.written_by_baseline()?;
        let by_agent: BTreeSet<RepoPath> = match &self.state.work.before {
            Some(before) => self.changes(before, self.began)?.into_iter().map(|change| change.path).collect(),
            None => BTreeSet::new(),
        };
        let came = self.came_with_the_run()?;
        for change in others {
            let path = change.path.to_string();
            // What the agent changed of a test was judged as its work, and is judged again as it is now.
            let is_test = is_of_tests(&path) && !by_agent.contains(&change.path);
            // Tests leave such beside them, whoever runs them.
            let is_data = is_of_tests(&path) && !is_code(&path) && !is_recording(&path);
            let is_left_by_tests = is_data && came.contains(&change.path);
            match baseline.get(&change.path) {
                // The same formatter makes the same of the same test.
                Some(then) if is_test && is_code(&path) && *then != change.is => {
                    sorted.wrote.tests.push(self.rewritten(path));
                }
                Some(_) => drop(sorted.back.insert(change.path)),
                None if self.is_protected(&path) => sorted.wrote.tests.push(self.rewritten(path)),
                // Nobody wrote it: Python compiles anew what it takes for out of date.
                None if is_compiled(&path) => drop(sorted.back.insert(change.path)),
                None if is_left_by_tests => drop(sorted.back.insert(change.path)),
                None if is_test && !self.only_adds(&change)? => sorted.wrote.tests.push(self.rewritten(path)),
                None if is_again(self.state) => drop(sorted.back.insert(change.path)),
                None => sorted.wrote.changed.push(path),
            }
        }
        Ok(())
    }

    /// Files that were not there when the run began.
    fn came_with_the_run(&self) -> Result<BTreeSet<RepoPath>, WorldError> {
        let Some(start) = &self.state.seen.start else { return Ok(BTreeSet::new()) };
        let new = self.changes(start, self.began)?.into_iter().filter(|change| change.was.is_none());
        Ok(new.map(|change| change.path).collect())
    }

    /// What the baseline wrote of what was there, and what it made of it.
    fn written_by_baseline(&self) -> Result<BTreeMap<RepoPath, Option<String>>, WorldError> {
        let baseline = self.state.seen.baseline.as_ref();
        let trees = baseline.and_then(|round| {
            round.snapshot.as_ref().zip(round.wrote.as_ref().and_then(|wrote| wrote.left.as_ref()))
        });
        let Some((stays, left)) = trees else { return Ok(BTreeMap::new()) };
        Ok(self.changes(stays, left)?.into_iter().map(|change| (change.path, change.is)).collect())
    }

    fn is_protected(&self, path: &str) -> bool {
        self.base.protects(self.state, path)
    }

    /// Whether data was only added to, as recorders of what new tests give do: every line that was there still is, in order.
    fn only_adds(&self, change: &Written) -> Result<bool, WorldError> {
        let path = change.path.to_string();
        let (Some(was), Some(is), false) = (&change.was, &change.is, is_code(&path)) else {
            return Ok(false);
        };
        let entry = |id: &String| piton_git::Entry { path: path.clone(), id: id.clone() };
        let tree = self.context.workspace.tree(&snapshot_id(&self.after.id)?);
        let contents = tree.read(&[entry(was), entry(is)]);
        let contents = contents.map_err(|error| WorldError::Guard { what: error.to_string() })?;
        let [was, is] = &contents[..] else { return Ok(false) };
        let lines = |bytes: &[u8]| bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
        let mut now = lines(is).into_iter();
        Ok(lines(was).into_iter().all(|line| now.any(|other| other == line)))
    }

    /// The file, with the check that ran when it was written, as far as the file system can tell; none where that was a condition to stop
    /// or a metric.
    fn rewritten(&self, path: String) -> Rewritten {
        let metadata = self.context.workspace.root().join(&path).symlink_metadata().ok();
        let at = metadata.map(|metadata| metadata.ctime() * 1_000 + metadata.ctime_nsec() / 1_000_000);
        let begun = |(_, start): &&(Option<&str>, Timestamp)| at.is_some_and(|at| start.as_millis() <= at);
        let check = match self.times {
            [(only, _)] => *only,
            times => times.iter().rfind(begun).and_then(|(name, _)| *name),
        };
        Rewritten { path, check: check.map(str::to_owned) }
    }
}

/// What Python keeps of a module that it compiled.
fn is_compiled(path: &str) -> bool {
    path.ends_with(".pyc") && path.split('/').any(|part| part == "__pycache__")
}

/// Whether a file that was there is one that checks made, and nobody changed since.
fn is_made(state: &State, change: &Written) -> bool {
    let path = change.path.to_string();
    let is_same = |made: &Made| made.path == path && made.id.is_some() && made.id == change.was;
    is_of_baseline(state, &path) || state.seen.made.iter().any(is_same)
}

/// Whether the baseline made it, or the directory that it is in.
fn is_of_baseline(state: &State, path: &str) -> bool {
    let made = |made: &Made| match made.path.ends_with('/') {
        true => path.starts_with(&made.path),
        false => path == made.path,
    };
    state.seen.made.iter().filter(|known| known.id.is_none()).any(made)
}

/// The directories above a path, the topmost first.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}
