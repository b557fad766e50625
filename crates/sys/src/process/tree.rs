//! A tree: all the processes of one attempt, wherever they went.
//!
//! Three nets, from the finest to the coarsest. A control group holds every process and proves itself empty.
//! Where the system gives us none, the process table is searched: for descendants of the root, for members of
//! its session, and for the mark, a variable in the environment that children inherit. The search also runs
//! where there is a group, for what was moved out of it.
//!
//! A keeper adopts what its children leave behind, so one that has no child left has no descendant left either.
//! What it then searches for is only what somebody outside started with the mark, and that is younger than itself.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::cgroup::Cgroup;
use super::identity::{ProcessId, Signal, signal};
use super::scan::{self, Entry, Table};
use super::spawn::{Child, Start};

/// The variable that every process of a tree inherits.
pub const MARK_VARIABLE: &str = "PITON_MARK";

/// Within this time no system gives out all of its process numbers.
const NUMBERS_RISE: Duration = Duration::from_secs(1);

const BETWEEN_LOOKS_MIN: Duration = Duration::from_millis(1);
const BETWEEN_LOOKS_MAX: Duration = Duration::from_millis(50);

/// All the processes that carry one mark.
#[derive(Clone, Debug)]
pub struct Tree {
    mark: String,
    /// How the mark stands in the environment of a process.
    assignment: Vec<u8>,
    cgroup: Option<Cgroup>,
    /// Their descendants belong to the tree.
    roots: Vec<ProcessId>,
    /// The session it leads belongs to the tree.
    leader: Option<ProcessId>,
    /// This process is a subreaper and started everything there is; see [`Tree::with_own_descendants`]. With the moment it said so.
    own: Option<(ProcessId, Instant)>,
}

/// What holds a tree together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TreeKind {
    /// A control group.
    Cgroup { path: PathBuf },
    /// The process table.
    Scan,
}

/// How it is known that nothing of a tree is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Emptied {
    /// The kernel says so.
    Proven,
    /// Two looks at the process table in a row found nothing, or one where nobody was left to start anything.
    Scanned,
}

/// Processes that do not die.
#[derive(Debug, thiserror::Error)]
#[error("{} processes of `{mark}` are still there after {} ms", survivors.len(), waited.as_millis())]
pub struct KillError {
    /// The mark of their tree.
    pub mark: String,
    /// Those that were found last.
    pub survivors: Vec<ProcessId>,
    /// How long they were given.
    pub waited: Duration,
}

impl Tree {
    /// A new tree, in a control group of its own where the system gives us one.
    pub fn create(mark: &str) -> io::Result<Tree> {
        check_mark(mark)?;
        let cgroup = Self::planned_cgroup(mark).map(Cgroup::at).filter(|cgroup| cgroup.create().is_ok());
        Ok(Tree { cgroup, ..Self::carrying(MARK_VARIABLE, mark.as_ref()) })
    }

    /// The tree of this mark, as another process made it; see [`Tree::with_cgroup`] and [`Tree::with_leader`]
    /// for what else is known of it.
    pub fn open(mark: &str) -> io::Result<Tree> {
        check_mark(mark)?;
        let cgroup = Self::planned_cgroup(mark).map(Cgroup::at).filter(Cgroup::exists);
        Ok(Tree { cgroup, ..Self::carrying(MARK_VARIABLE, mark.as_ref()) })
    }

    /// Everything that was started with this very value of a variable: for a tree whose mark nobody knows any more.
    pub fn carrying(variable: &str, value: &OsStr) -> Tree {
        let mark = value.to_string_lossy().into_owned();
        let assignment = [variable.as_bytes(), b"=", value.as_bytes()].concat();
        Tree { mark, assignment, cgroup: None, roots: Vec::new(), leader: None, own: None }
    }

    /// The control group [`Tree::create`] would make in this process: to be written down before it is made.
    pub fn planned_cgroup(mark: &str) -> Option<PathBuf> {
        Cgroup::planned(&directory_name(mark))
    }

    /// The control group is this one, as was written down. One that is gone was empty.
    ///
    /// Refused where the directory does not have the name of this mark: it could hold anything.
    pub fn with_cgroup(mut self, path: &Path) -> io::Result<Tree> {
        if path.file_name() != Some(directory_name(&self.mark).as_ref()) {
            let message = format!("`{}` is not the control group of `{}`", path.display(), self.mark);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        self.cgroup = Some(Cgroup::at(path.to_owned()));
        Ok(self)
    }

    /// This process was started first: its session and its descendants belong to the tree.
    pub fn with_leader(mut self, leader: ProcessId) -> Tree {
        self.roots.push(leader.clone());
        self.leader = Some(leader);
        self
    }

    /// Every descendant of this process belongs to the tree, the process itself does not. Nothing of the tree was
    /// started before this process was.
    pub fn with_own_descendants(mut self) -> Tree {
        let own = super::current();
        self.roots.push(own.clone());
        self.own = Some((own, Instant::now()));
        self
    }

    /// What holds the tree together.
    pub fn kind(&self) -> TreeKind {
        match &self.cgroup {
            Some(cgroup) => TreeKind::Cgroup { path: cgroup.path().to_owned() },
            None => TreeKind::Scan,
        }
    }

    /// Starts the first process of the tree, with the mark in its environment.
    pub fn spawn(&mut self, mut start: Start) -> io::Result<Child> {
        start.env.push((MARK_VARIABLE.into(), self.mark.clone().into()));
        let group = self.cgroup.as_ref().and_then(|cgroup| cgroup.open().ok());
        let (child, in_group) = start.spawn(group)?;
        if !in_group && let Some(cgroup) = self.cgroup.take() {
            // An empty directory left behind would harm nobody.
            let _ = cgroup.remove();
        }
        self.roots.push(child.process.clone());
        self.leader = Some(child.process.clone());
        Ok(child)
    }

    /// Every process of the tree that can be found now, whoever started others before them: a shell that hears of it after its command
    /// has ended would start the next one. Never this process itself.
    pub fn members(&self) -> Vec<ProcessId> {
        let table = Table::read();
        let grouped = self.cgroup.as_ref().map(Cgroup::members).unwrap_or_default();
        let session = self.leader.as_ref().filter(|leader| is_our_session(&table, leader));
        let own = std::process::id();
        let oldest = self.own.as_ref().map_or(0, |(own, _)| own.start_time);
        let belongs = |entry: &&Entry| {
            entry.pid != own
                && (grouped.contains(&entry.pid)
                    || session.is_some_and(|leader| entry.session == leader.pid)
                    || self.is_root(entry)
                    || table.ancestors(entry).any(|ancestor| self.is_root(ancestor))
                    || (entry.start_time >= oldest && scan::carries(entry.pid, &self.assignment)))
        };
        let mut members: Vec<_> = table.running().filter(belongs).collect();
        members.sort_by_cached_key(|entry| (table.ancestors(entry).count(), entry.start_time, entry.pid));
        members.into_iter().map(Entry::id).collect()
    }

    /// Asks every process of the tree to end. Stopped ones are woken to hear it.
    pub fn terminate(&self) {
        for member in self.members() {
            // One that is gone has done what was asked.
            let _ = signal(&member, Signal::Terminate);
            let _ = signal(&member, Signal::Continue);
        }
    }

    /// Kills every process of the tree, and those born meanwhile, until none is left.
    pub fn kill(&self, patience: Duration) -> Result<Emptied, KillError> {
        let started = Instant::now();
        let mut pause = BETWEEN_LOOKS_MIN;
        let mut empty_looks = 0;
        loop {
            // Asked before the look: nothing can be born behind its back where there is nobody to bear it.
            let is_childless = self.is_childless();
            let looks_needed = if self.cgroup.is_some() || is_childless { 1 } else { 2 };
            if let Some(cgroup) = &self.cgroup {
                cgroup.kill();
            }
            let survivors = match &self.own {
                Some((own, since)) if is_childless && self.cgroup.is_none() => self.strangers(own, *since),
                _ => self.members(),
            };
            for member in &survivors {
                let _ = signal(member, Signal::Kill);
            }
            let group_is_empty = self.cgroup.as_ref().is_none_or(Cgroup::is_empty);
            empty_looks = if survivors.is_empty() && group_is_empty { empty_looks + 1 } else { 0 };
            if empty_looks >= looks_needed {
                return Ok(if self.cgroup.is_some() { Emptied::Proven } else { Emptied::Scanned });
            }
            let waited = started.elapsed();
            if waited >= patience && empty_looks == 0 {
                return Err(KillError { mark: self.mark.clone(), survivors, waited });
            }
            #[expect(
                clippy::disallowed_methods,
                reason = "no event tells when the last of several trees is gone"
            )]
            std::thread::sleep(pause);
            pause = (pause * 2).min(BETWEEN_LOOKS_MAX);
        }
    }

    /// Removes what holds an empty tree together.
    pub fn remove(self) -> io::Result<()> {
        self.cgroup.map_or(Ok(()), |cgroup| cgroup.remove())
    }

    /// Whether the kernel says that this process, which adopts every orphan below it, has nobody below it.
    fn is_childless(&self) -> bool {
        self.own.is_some() && super::has_no_children()
    }

    /// What somebody outside started with the mark: all that can be left where this process has nobody below it. A younger process
    /// has a higher number, until the numbers begin anew; that takes longer than most commands.
    fn strangers(&self, own: &ProcessId, since: Instant) -> Vec<ProcessId> {
        let from = if since.elapsed() < NUMBERS_RISE { own.pid + 1 } else { 0 };
        let carries_mark = |entry: &Entry| {
            let is_other = entry.is_running && entry.pid != own.pid;
            is_other && entry.start_time >= own.start_time && scan::carries(entry.pid, &self.assignment)
        };
        scan::numbered_from(from).iter().filter(|entry| carries_mark(entry)).map(Entry::id).collect()
    }

    fn is_root(&self, entry: &Entry) -> bool {
        self.roots.iter().any(|root| root.pid == entry.pid && root.start_time == entry.start_time)
    }
}

/// Whether the session with the leader's number is still the one it made.
///
/// The number stays taken while a member lives. Another process with it means that the session has ended.
fn is_our_session(table: &Table, leader: &ProcessId) -> bool {
    table.get(leader.pid).is_none_or(|entry| entry.start_time == leader.start_time)
}

fn directory_name(mark: &str) -> String {
    format!("piton-{mark}")
}

/// A mark becomes a directory name and a variable's value.
fn check_mark(mark: &str) -> io::Result<()> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if mark.is_empty() || mark.len() > 128 || !mark.bytes().all(fits) {
        let message = format!("`{mark}` is not a mark: 1 to 128 letters, digits, `-` or `_`");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    Ok(())
}
