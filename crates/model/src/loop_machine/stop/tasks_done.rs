//! Every task of a list in the work tree is done, and every check is green: `--until tasks-done:FILE`.

use piton_record::record;

use super::{Probe, Rule, Table, Until, all_green, looked_up};
use crate::loop_machine::State;

/// Every task of a list in the work tree is done, and every check is green.
#[record(Eq)]
pub struct TasksDone {
    /// The file with the list, relative to the work tree.
    pub path: String,
}

impl Rule for TasksDone {
    const TYPE: &'static str = "tasks_done";
    const KEYS: &'static [&'static str] = &["path"];
    const PRIORITY: u8 = 40;
    const UNTIL: Option<Until> = Some(Until {
        form: "tasks-done:FILE",
        without: "names no file",
        fields: |rest| Some(vec![("path", rest)]),
    });

    fn read(table: &mut dyn Table) -> Option<Self> {
        Some(Self { path: table.path("path")? })
    }

    fn words(&self) -> String {
        format!("tasks_done({})", self.path)
    }

    fn until(&self) -> Option<String> {
        Some(format!("tasks-done:{}", self.path))
    }

    /// An agent can tick everything; what the checks say it cannot.
    fn is_met(&self, state: &State) -> bool {
        looked_up(state, &self.words()) && all_green(state)
    }

    fn probe(&self) -> Option<Probe<'_>> {
        Some(Probe::TasksDone(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::stop::tests::after_looking;

    #[test]
    fn a_ticked_list_is_not_enough_while_a_check_fails() {
        let tasks = TasksDone { path: "plan.md".to_owned() };
        for green in [false, true] {
            let state = after_looking(&tasks.words(), green).state;
            assert_eq!(tasks.is_met(&state), green);
        }
    }
}
