//! Runs to render and directories to publish into.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use piton_files::aiwg::{Context, History, Published, View, Written, publish, render};
use piton_model::loop_machine::stop::{Done, until};
use piton_model::loop_machine::{AgentConfig, Check, GuardMode, Limits, LoopConfig};
use piton_model::{RunId, State, Status, Timestamp};

use crate::walk::{Dice, Walk};

/// When every run of these tests begins: 2026-02-15T12:03:20.123Z.
pub(crate) const START: Timestamp = Timestamp::from_millis(1_771_157_000_123);

pub(crate) fn config(guard: GuardMode) -> LoopConfig {
    let check = |name: &str| Check::new(name, format!("make {name}"));
    let checks = ["test", "lint"].map(check).into();
    LoopConfig {
        until: vec![until(Done {})],
        limits: Limits {
            iterations: 100_000,
            working_ms: u64::MAX,
            no_progress: u32::MAX,
            failures: u32::MAX,
            ..Limits::default()
        },
        guard,
        ..LoopConfig::new("Fix all type errors", AgentConfig::new("exec", &["sh"]), checks)
    }
}

pub(crate) fn context() -> Context {
    Context { working_directory: PathBuf::from("/home/someone/app") }
}

/// A run, everything that was in its histories, and how far it has come.
pub(crate) struct Run {
    pub(crate) walk: Walk,
    pub(crate) history: History,
    pub(crate) written: Written,
}

impl Run {
    /// A run that was only created.
    pub(crate) fn created(id: &str, guard: GuardMode) -> Self {
        let walk = Walk::new(id, config(guard));
        let mut history = History::new();
        history.absorb(&walk.state);
        Self { walk, history, written: Written::default() }
    }

    /// A run that has come as far as so many iterations, the same every time.
    pub(crate) fn worked(id: &str, iterations: u32) -> Self {
        let mut run = Self::created(id, GuardMode::Block);
        let choices: Vec<u32> = (0..100_000_u32).map(|number| number.wrapping_mul(0x9e37_79b9)).collect();
        let mut dice = Dice::new(&choices);
        while run.walk.state.counters.iterations < iterations || run.walk.state.status != Status::Running {
            assert!(!dice.is_empty(), "the run does not get so far");
            run.step(&mut dice);
        }
        run
    }

    pub(crate) fn step(&mut self, dice: &mut Dice<'_>) {
        let history = &mut self.history;
        self.walk.step(dice, &mut |state| history.absorb(state));
    }

    /// Puts it into a status; for tests of what is written about it.
    pub(crate) fn set(&mut self, status: Status) {
        self.walk.state.status = status;
        self.walk.state.reason = None;
        self.walk.head += 1;
    }

    pub(crate) fn state(&self) -> &State {
        &self.walk.state
    }

    pub(crate) fn id(&self) -> RunId {
        self.walk.state.run.clone()
    }

    pub(crate) fn view(&self) -> View {
        render(&self.walk.state, self.walk.head, &self.history, &context())
    }

    pub(crate) fn publish(&mut self, root: &Path) -> Published {
        publish(root, &self.view(), &self.history, &mut self.written).unwrap()
    }

    /// Where its state is.
    pub(crate) fn path(&self) -> String {
        format!(".aiwg/ralph/loops/{}/state.json", self.view().loop_id())
    }

    /// Where one of its iterations is.
    pub(crate) fn iteration_path(&self, number: u32) -> String {
        format!(".aiwg/ralph/loops/{}/iterations/iteration-{number:03}.json", self.view().loop_id())
    }
}

/// Every file below `root`, by its path there.
pub(crate) fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().display().to_string();
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// Puts a file where a test wants it.
pub(crate) fn put(root: &Path, path: &str, bytes: impl AsRef<[u8]>) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    #[expect(clippy::disallowed_methods, reason = "a test prepares its files directly")]
    std::fs::write(path, bytes).unwrap();
}
