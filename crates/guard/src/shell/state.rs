//! One way through a script, as far as it was followed, and what its variables and traps make of a status.

use std::collections::BTreeMap;

use super::Options;

pub(super) type States = Vec<State>;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    #[default]
    Well,
    Failed,
}

/// Why what follows is not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Leaving {
    Script,
    Function,
    Loop,
    Round,
}

/// One way through the script, as far as it was followed.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct State {
    /// `$?`.
    pub(super) status: Status,
    /// The worst of the last pipeline: `PIPESTATUS`.
    pub(super) pipeline: Status,
    pub(super) options: Options,
    /// Variables that hold a status.
    pub(super) variables: BTreeMap<String, Status>,
    /// What jobs in the background ended with.
    pub(super) job: Status,
    pub(super) on_exit: Option<String>,
    pub(super) on_error: Option<String>,
    /// How often the command ran.
    pub(super) runs: u8,
    /// A loop that ran it several times went on to its end.
    pub(super) swept: bool,
    /// The script said `exit 0` before it came to the command.
    pub(super) evaded: bool,
    pub(super) leaving: Option<Leaving>,
}

impl State {
    pub(super) fn with(mut self, status: Status) -> States {
        self.status = status;
        vec![self]
    }

    /// Remembers a variable that holds a status, and forgets one that no longer does.
    pub(super) fn keep(&mut self, name: &str, value: &str) {
        match self.known(value) {
            Some(status) => {
                self.variables.insert(name.to_owned(), status);
            }
            None => {
                self.variables.remove(name);
            }
        }
    }

    /// What a word means as a status, where that is known.
    fn known(&self, value: &str) -> Option<Status> {
        if let Ok(number) = value.parse::<i64>() {
            return Some(if number == 0 { Status::Well } else { Status::Failed });
        }
        let name = value.strip_prefix('$')?.trim_start_matches('{').trim_end_matches('}');
        let name = name.split([':', '[']).next().unwrap_or(name);
        match name {
            "?" => Some(self.status),
            "PIPESTATUS" => Some(self.pipeline.max(self.status)),
            _ => self.variables.get(name).copied(),
        }
    }

    /// The states with what a word may mean as a status.
    pub(super) fn either(self, value: &str) -> States {
        match self.known(value) {
            Some(status) => self.with(status),
            None => {
                let mut states = self.clone().with(Status::Well);
                states.extend(self.with(Status::Failed));
                states
            }
        }
    }

    /// `trap 'commands' EXIT ERR`.
    pub(super) fn trap(mut self, words: &[&str]) -> States {
        if let Some((body, signals)) = words.split_first() {
            let body = (*body != "-").then(|| (*body).to_owned());
            if signals.iter().any(|signal| ["EXIT", "0"].contains(signal)) {
                self.on_exit.clone_from(&body);
            }
            if signals.contains(&"ERR") {
                self.on_error = body;
            }
        }
        self.with(Status::Well)
    }
}
