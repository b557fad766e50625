//! Where the files of a run are, by the names that their users know.

use std::path::{Path, PathBuf};

use piton_model::RunId;
use piton_model::workflow::{State, StepId, WorkPlace};

/// Where the directories of runs are, in the repository.
pub const RUNS: &str = ".agents/runs";

/// The directory of one run: `<repo>/.agents/runs/<run_id>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPlace {
    /// The repository; absolute.
    pub repo: PathBuf,
    pub run: RunId,
}

impl RunPlace {
    /// The place of `run` in `repo`.
    pub fn new(repo: impl Into<PathBuf>, run: RunId) -> Self {
        Self { repo: repo.into(), run }
    }

    /// `.agents/runs/<run_id>`.
    pub fn directory(&self) -> PathBuf {
        self.repo.join(RUNS).join(self.run.as_str())
    }

    /// `run_state.json`.
    pub fn state(&self) -> PathBuf {
        self.directory().join("run_state.json")
    }

    /// `reports/`.
    pub fn reports(&self) -> PathBuf {
        self.directory().join("reports")
    }

    /// `manual_inputs/`.
    pub fn manual_inputs(&self) -> PathBuf {
        self.directory().join("manual_inputs")
    }

    /// `artifacts/`.
    pub fn artifacts(&self) -> PathBuf {
        self.directory().join("artifacts")
    }

    /// `reports/<run_id>__<step_id>.json`.
    pub fn report(&self, step: &StepId) -> PathBuf {
        self.reports().join(format!("{}__{step}.json", self.run))
    }

    /// Where an older report of the step is moved before it is launched again: nothing is ever read twice.
    pub fn archived_report(&self, step: &StepId, attempt: u32) -> PathBuf {
        self.reports().join("archive").join(format!("{}__{step}__before{attempt}.json", self.run))
    }

    /// `manual_inputs/<run_id>__<step_id>.json`.
    pub fn manual_input(&self, step: &StepId) -> PathBuf {
        self.manual_inputs().join(format!("{}__{step}.json", self.run))
    }

    /// `logs/<run_id>__<step_id>__attempt<N>.log`.
    pub fn log(&self, step: &StepId, attempt: u32) -> PathBuf {
        self.directory().join("logs").join(format!("{}__{step}__attempt{attempt}.log", self.run))
    }

    /// Where an older log of that name is moved: after a loop-back attempts are counted anew.
    pub fn archived_log(&self, step: &StepId, attempt: u32) -> PathBuf {
        self.directory().join("logs/archive").join(format!("{}__{step}__before{attempt}.log", self.run))
    }

    /// A path of the repository, absolute.
    pub fn absolute(&self, path: &str) -> PathBuf {
        self.repo.join(Path::new(path))
    }

    /// What is the repository to the steps of a run: its work tree where it has one. Their paths are relative to it.
    pub fn tree(&self, state: &State) -> PathBuf {
        let tree = state.options.place.as_ref().and_then(WorkPlace::tree);
        tree.map_or_else(|| self.repo.clone(), PathBuf::from)
    }
}
