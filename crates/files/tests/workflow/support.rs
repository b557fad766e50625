//! A run without a world: a document, a clock that is set by hand, and what agents would bring back.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

use piton_files::workflow::{Look, RunPlace, read};
use piton_model::Timestamp;
use piton_model::loop_machine::{AttemptOutcome, Place};
use piton_model::workflow::*;
use serde_json::{Map, Value};

pub(crate) struct Run {
    pub(crate) state: State,
    pub(crate) now: Timestamp,
    pub(crate) place: RunPlace,
}

impl Run {
    /// The run exists since `at`; nobody drives it.
    pub(crate) fn created(run: &str, repo: &str, document: &str, options: Options, at: &str) -> Self {
        let (definition, _) = read("workflow.yaml", document.as_bytes()).unwrap_or_else(|problems| {
            panic!("{}", problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
        });
        let run: piton_model::RunId = run.parse().unwrap();
        let now = at.parse().unwrap();
        let order = Order { run: run.clone(), definition, options, inherited: None };
        let state = apply(None, &create(order).unwrap(), now).unwrap();
        Self { state, now, place: RunPlace::new(repo, run) }
    }

    pub(crate) fn at(&mut self, at: &str) -> &mut Self {
        self.now = at.parse().unwrap();
        self
    }

    pub(crate) fn drive(&mut self) {
        let place = Place { host: "h".to_owned(), boot: "b".to_owned(), pid: 1 };
        self.command(Command::Drive { epoch: 1, place, version: "0".to_owned() });
    }

    pub(crate) fn command(&mut self, command: Command) {
        self.state = advance(&self.state, command, self.now).unwrap().1;
    }

    pub(crate) fn request(&mut self, event: WorkflowEvent) {
        self.fold(event);
        self.command(Command::Tick);
    }

    pub(crate) fn fold(&mut self, event: WorkflowEvent) {
        self.state = apply(Some(self.state.clone()), &event, self.now).unwrap();
    }

    /// Something happens that changes nothing but the time.
    pub(crate) fn touch(&mut self) {
        self.fold(WorkflowEvent::CheckpointTaken { seq: 1, digest: String::new(), fold: 1 });
    }

    pub(crate) fn pause(&mut self) {
        self.fold(WorkflowEvent::PauseRequested {});
    }

    pub(crate) fn resume(&mut self) {
        self.request(WorkflowEvent::ResumeRequested { raise: Raise::default() });
    }

    pub(crate) fn end(&mut self, step: &str, end: StepEnd) {
        let open = self.state.step(&step.into()).unwrap().open.as_ref();
        let attempt = open.unwrap_or_else(|| panic!("nothing is open at {step}")).number;
        self.command(Command::EndAttempt { attempt, end: Box::new(end) });
    }

    pub(crate) fn view(&self) -> Value {
        serde_json::from_slice(&piton_files::workflow::render(&self.state, &self.place)).unwrap()
    }
}

/// A report of a step that completed.
pub(crate) fn completed(artifacts: &[&str], logs: &[&str]) -> StepEnd {
    let report = StepReport {
        completed: true,
        artifacts: artifacts.iter().map(|path| (*path).to_owned()).collect(),
        logs: logs.iter().map(|line| (*line).to_owned()).collect(),
        ..StepReport::default()
    };
    ended(Some(report))
}

pub(crate) fn with_metrics(mut end: StepEnd, metrics: Value) -> StepEnd {
    let metrics: Map<String, Value> = metrics.as_object().cloned().unwrap();
    end.report.as_mut().unwrap().metrics = metrics;
    end
}

pub(crate) fn gate_failed(line: &str) -> StepEnd {
    let mut end = completed(&[], &[line]);
    end.report.as_mut().unwrap().gate_failure = true;
    end
}

pub(crate) fn ended(report: Option<StepReport>) -> StepEnd {
    StepEnd { exit_code: Some(0), duration_ms: 1_000, report, ..StepEnd::of(AttemptOutcome::Succeeded) }
}

/// Files that are only remembered.
#[derive(Default)]
pub(crate) struct Shelf(pub(crate) BTreeMap<PathBuf, Vec<u8>>);

impl Shelf {
    pub(crate) fn with(mut self, path: &str, text: &str) -> Self {
        self.0.insert(PathBuf::from(path), text.as_bytes().to_vec());
        self
    }
}

impl Look for Shelf {
    fn is_file(&self, path: &Path) -> bool {
        self.0.contains_key(path)
    }

    fn read(&self, path: &Path, _: usize) -> io::Result<Vec<u8>> {
        self.0.get(path).cloned().ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such file"))
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        let mut real = PathBuf::new();
        for piece in path.components() {
            match piece {
                Component::ParentDir => drop(real.pop()),
                piece => real.push(piece),
            }
        }
        Ok(real)
    }
}
