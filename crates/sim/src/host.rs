//! The machine: attempt directories, keepers and the processes they hold, one small step at a time.
//!
//! The protocol is that of the product's keeper: publish with the lock held, start, write `exit.json`,
//! let go. A crash may fall between any two steps.

use piton_model::loop_machine::AttemptOutcome;

use crate::history::{Entry, Name};
use crate::kind::{Intended, Simulated};
use crate::rng::Rng;
use crate::scenario::Plant;

/// What an attempt's directory holds.
pub(crate) struct Directory<S> {
    pub(crate) name: Name,
    /// The keeper that holds its lock.
    pub(crate) locked_by: Option<u32>,
    pub(crate) exit: Option<Exit<S>>,
    pub(crate) abandoned: bool,
}

/// `exit.json`, with what the process said beside it.
#[derive(Clone, Debug)]
pub(crate) struct Exit<S> {
    pub(crate) outcome: AttemptOutcome,
    pub(crate) duration_ms: u64,
    pub(crate) said: Option<S>,
}

/// How far a keeper came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Preparing,
    /// Only with the planted bug: visible, but not locked yet.
    PublishedUnlocked,
    Published,
    Spawned,
    Running,
    TreeEmpty,
    ExitWritten,
}

/// A living keeper.
pub(crate) struct Keeper<S> {
    pub(crate) id: u32,
    pub(crate) name: Name,
    pub(crate) step: Step,
    pub(crate) cancelled: bool,
    /// It gets no time until then.
    pub(crate) stalled_until: u64,
    /// Planted bug: it takes a name that is taken.
    pub(crate) replaces: bool,
    outcome: AttemptOutcome,
    said: Option<S>,
    steps_left: u64,
    worked_ms: u64,
}

/// What a keeper told its launcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Published,
    AlreadyPublished,
    Failed,
}

/// What became of an attempt, as far as its directory tells.
pub(crate) enum Found<S> {
    Absent,
    Abandoned,
    Alive,
    Finished(Box<Exit<S>>),
    Dead,
}

/// Everything on the machine that is not a driver.
pub(crate) struct Host<K: Simulated> {
    pub(crate) directories: Vec<Directory<K::Said>>,
    pub(crate) keepers: Vec<Keeper<K::Said>>,
    /// Processes in the work tree that live.
    pub(crate) processes: Vec<Name>,
    /// Answers of keepers, by their id, until their launcher reads them.
    answers: Vec<(u32, Answer)>,
    pub(crate) boot: u32,
    pub(crate) name: String,
    next_keeper: u32,
    plant: Option<Plant>,
}

impl<K: Simulated> Host<K> {
    pub(crate) fn new(plant: Option<Plant>) -> Self {
        Self {
            directories: Vec::new(),
            keepers: Vec::new(),
            processes: Vec::new(),
            answers: Vec::new(),
            boot: 0,
            name: "host".to_owned(),
            next_keeper: 0,
            plant,
        }
    }

    fn directory(&self, name: Name) -> Option<&Directory<K::Said>> {
        self.directories.iter().rev().find(|directory| directory.name == name)
    }

    fn directory_mut(&mut self, name: Name) -> Option<&mut Directory<K::Said>> {
        self.directories.iter_mut().rev().find(|directory| directory.name == name)
    }

    pub(crate) fn look(&self, name: Name) -> Found<K::Said> {
        match self.directory(name) {
            None => Found::Absent,
            Some(directory) if directory.locked_by.is_some() => Found::Alive,
            Some(Directory { exit: Some(exit), .. }) => Found::Finished(Box::new(exit.clone())),
            Some(Directory { abandoned: true, .. }) => Found::Abandoned,
            Some(_) => Found::Dead,
        }
    }

    pub(crate) fn is_locked(&self, name: Name) -> bool {
        self.directory(name).is_some_and(|directory| directory.locked_by.is_some())
    }

    /// Publishes a tombstone, unless the name is taken.
    pub(crate) fn abandon(&mut self, name: Name, log: &mut Vec<Entry>) {
        if self.directory(name).is_none() {
            self.directories.push(Directory { name, locked_by: None, exit: None, abandoned: true });
            log.push(Entry::Tombstone(name));
        }
    }

    /// Starts a keeper; it has done nothing yet.
    pub(crate) fn launch(&mut self, name: Name, replaces: bool, scene: &K::Scene, rng: &mut Rng) -> u32 {
        self.next_keeper += 1;
        let id = self.next_keeper;
        let Intended { outcome, said, steps } = K::intend(name, scene, rng);
        self.keepers.push(Keeper {
            id,
            name,
            step: Step::Preparing,
            cancelled: false,
            stalled_until: 0,
            replaces,
            outcome,
            said,
            steps_left: steps,
            worked_ms: 0,
        });
        id
    }

    pub(crate) fn take_answer(&mut self, id: u32) -> Option<Answer> {
        let index = self.answers.iter().position(|(keeper, _)| *keeper == id)?;
        Some(self.answers.swap_remove(index).1)
    }

    pub(crate) fn lives(&self, id: u32) -> bool {
        self.keepers.iter().any(|keeper| keeper.id == id)
    }

    pub(crate) fn cancel(&mut self, name: Name) {
        if let Some(id) = self.directory(name).and_then(|directory| directory.locked_by)
            && let Some(keeper) = self.keepers.iter_mut().find(|keeper| keeper.id == id)
        {
            keeper.cancelled = true;
        }
    }

    /// Kills what a dead keeper left.
    pub(crate) fn reap(&mut self, name: Name, log: &mut Vec<Entry>) {
        self.gone(name, log);
    }

    fn gone(&mut self, name: Name, log: &mut Vec<Entry>) {
        if let Some(index) = self.processes.iter().position(|living| *living == name) {
            self.processes.swap_remove(index);
            log.push(Entry::Gone(name));
        }
    }

    /// One small step of the keeper at `index`.
    pub(crate) fn step(&mut self, index: usize, scene: &mut K::Scene, rng: &mut Rng, log: &mut Vec<Entry>) {
        let Keeper { id, name, step, cancelled, outcome, .. } = &self.keepers[index];
        let (id, name, step, cancelled, outcome) = (*id, *name, *step, *cancelled, *outcome);
        match step {
            Step::Preparing => self.publish(index, rng),
            Step::PublishedUnlocked => {
                if let Some(directory) = self.directory_mut(name) {
                    directory.locked_by = Some(id);
                }
                self.keepers[index].step = Step::Published;
            }
            Step::Published if cancelled => {
                self.keepers[index].outcome = AttemptOutcome::Cancelled;
                self.keepers[index].said = None;
                self.keepers[index].step = Step::TreeEmpty;
            }
            Step::Published if outcome == AttemptOutcome::NotStartable => {
                self.keepers[index].step = Step::TreeEmpty;
            }
            Step::Published => {
                self.processes.push(name);
                log.push(Entry::Spawned(name));
                self.keepers[index].step = Step::Spawned;
            }
            // Between the start and `started.json`.
            Step::Spawned => self.keepers[index].step = Step::Running,
            Step::Running => self.run(index, scene, rng, log),
            Step::TreeEmpty => self.write_exit(index, scene, log),
            Step::ExitWritten => {
                if let Some(directory) = self.directory_mut(name) {
                    directory.locked_by = None;
                }
                self.keepers.remove(index);
            }
        }
    }

    fn publish(&mut self, index: usize, rng: &mut Rng) {
        let Keeper { id, name, replaces, .. } = &self.keepers[index];
        let (id, name, replaces) = (*id, *name, *replaces);
        if rng.one_in(400) {
            self.answers.push((id, Answer::Failed));
            self.keepers.remove(index);
            return;
        }
        if self.directory(name).is_some() && !replaces {
            self.answers.push((id, Answer::AlreadyPublished));
            self.keepers.remove(index);
            return;
        }
        let late = self.plant == Some(Plant::LockAfterPublish);
        let locked_by = (!late).then_some(id);
        self.directories.push(Directory { name, locked_by, exit: None, abandoned: false });
        self.answers.push((id, Answer::Published));
        self.keepers[index].step = if late { Step::PublishedUnlocked } else { Step::Published };
    }

    fn run(&mut self, index: usize, scene: &mut K::Scene, rng: &mut Rng, log: &mut Vec<Entry>) {
        self.keepers[index].worked_ms += rng.between(200, 4_000);
        K::work(self.keepers[index].name, scene, rng);
        let keeper = &mut self.keepers[index];
        let gone = !self.processes.contains(&keeper.name);
        if gone {
            // It was killed from outside.
            (keeper.outcome, keeper.said) = (AttemptOutcome::Failed, None);
        } else if keeper.cancelled {
            (keeper.outcome, keeper.said) = (AttemptOutcome::Cancelled, None);
        } else if keeper.steps_left > 0 {
            keeper.steps_left -= 1;
            return;
        }
        keeper.step = Step::TreeEmpty;
        let name = keeper.name;
        self.gone(name, log);
    }

    fn write_exit(&mut self, index: usize, scene: &K::Scene, log: &mut Vec<Entry>) {
        let keeper = &mut self.keepers[index];
        let (name, duration_ms) = (keeper.name, keeper.worked_ms);
        let outcome = K::ends(name, keeper.outcome, scene);
        let said = keeper.said.take();
        keeper.step = Step::ExitWritten;
        let cost = said.as_ref().and_then(K::cost);
        log.push(Entry::ExitWritten { name, outcome: outcome.as_str(), cost });
        if let Some(directory) = self.directory_mut(name) {
            directory.exit = Some(Exit { outcome, duration_ms, said });
        }
    }

    /// The keeper dies; what it held lives on.
    pub(crate) fn kill_keeper(&mut self, index: usize) -> Step {
        let keeper = self.keepers.remove(index);
        if let Some(directory) = self.directory_mut(keeper.name)
            && directory.locked_by == Some(keeper.id)
        {
            directory.locked_by = None;
        }
        keeper.step
    }

    /// The agent or check dies; its keeper notices.
    pub(crate) fn kill_process(&mut self, index: usize, log: &mut Vec<Entry>) {
        let name = self.processes[index];
        self.gone(name, log);
    }

    /// Power is lost and comes back.
    pub(crate) fn reboot(&mut self, log: &mut Vec<Entry>) {
        while !self.keepers.is_empty() {
            self.kill_keeper(0);
        }
        for name in std::mem::take(&mut self.processes) {
            log.push(Entry::Gone(name));
        }
        self.answers.clear();
        self.boot += 1;
    }
}
