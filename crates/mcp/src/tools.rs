//! The tools: few, and named for what an agent wants.

use std::fmt::Write;
use std::sync::Arc;

use piton_view::{Brief, BriefCheck, Signal};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CustomRequest, CustomResult, ErrorCode, ErrorData};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::lines::{LINE_BYTES_MAX, TOO_LONG};
use crate::{Desk, Said};

/// Longest name of a value.
const KEY_BYTES_MAX: usize = 100;
/// Largest value, as JSON.
const VALUE_BYTES_MAX: usize = 16 << 10;

/// What an agent thinks of its task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// There is more to do.
    Progress,
    /// The whole task is done.
    Done,
    /// It cannot go on without a person.
    Blocked,
}

/// What is to be remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// Something that was chosen, and why.
    Decision,
    /// Something that was found out.
    Finding,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ReportParameters {
    /// `progress` while there is more to do, `done` when the whole task is done, `blocked` when you need a person.
    status: Progress,
    /// What you did; when you are blocked, what you need.
    summary: String,
    /// Parts of the task that are done.
    #[serde(default)]
    completed: Vec<String>,
    /// Parts of the task that are left.
    #[serde(default)]
    pending: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct RecordParameters {
    /// `decision` for what you chose and why, `finding` for what you found out.
    kind: NoteKind,
    /// One or two sentences that make sense to someone who was not there.
    text: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct SetParameters {
    /// A name of your own, up to 100 characters.
    key: String,
    /// Any JSON value.
    value: serde_json::Value,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct AskParameters {
    /// The question, with all that a person needs to answer it.
    question: String,
}

/// The server: one per attempt.
#[derive(Clone)]
pub(crate) struct Server {
    desk: Arc<dyn Desk>,
}

#[tool_router]
impl Server {
    pub(crate) fn new(desk: Arc<dyn Desk>) -> Self {
        Self { desk }
    }

    #[tool(
        description = "Where your run is: the task, the iteration, the checks with their last verdict, what was recorded so far.",
        annotations(read_only_hint = true)
    )]
    fn state(&self) -> Result<String, String> {
        let brief = self.desk.brief()?;
        serde_json::to_string_pretty(&brief).map_err(|error| error.to_string())
    }

    #[tool(
        description = "The one thing to do next: what a person asked for, else a check that fails, else the next open part of the task.",
        annotations(read_only_hint = true)
    )]
    fn next_objective(&self) -> Result<String, String> {
        Ok(next_objective(&self.desk.brief()?))
    }

    #[tool(
        description = "Report how far you are. `done` and `blocked` are verified after you stop; being blocked is a good answer when you need a person."
    )]
    fn report(&self, Parameters(given): Parameters<ReportParameters>) -> Result<String, String> {
        let ReportParameters { status, summary, completed, pending } = given;
        self.desk.say(Said::Report { progress: status, summary, completed, pending })?;
        Ok(match status {
            Progress::Progress => "Recorded. Go on.",
            Progress::Done => "Recorded. End your turn: the checks are run now, whatever you reported.",
            Progress::Blocked => "Recorded. End your turn: a person is asked, and you go on with the answer.",
        }
        .to_owned())
    }

    #[tool(
        description = "Record a decision or a finding. Whoever works on this run after you reads it in the prompt."
    )]
    fn record(&self, Parameters(given): Parameters<RecordParameters>) -> Result<String, String> {
        self.desk.say(Said::Note { kind: given.kind, text: given.text })?;
        Ok("Recorded.".to_owned())
    }

    #[tool(
        description = "Keep a value with the run under a name of your own. `state` shows what is kept, prompts can speak of it, and people see it."
    )]
    fn set_value(&self, Parameters(given): Parameters<SetParameters>) -> Result<String, String> {
        let SetParameters { key, value } = given;
        let fits = !key.is_empty() && key.len() <= KEY_BYTES_MAX && key != "piton";
        if !fits || value.to_string().len() > VALUE_BYTES_MAX {
            return Err(
                "the name is empty, longer than 100 bytes or piton's own, or the value is longer than 16 KiB"
                    .to_owned(),
            );
        }
        self.desk.say(Said::Value { key, value })?;
        Ok("Recorded.".to_owned())
    }

    #[tool(
        description = "Ask a person a question that only a person can answer. The run waits for the answer, for days if need be."
    )]
    fn ask_person(&self, Parameters(given): Parameters<AskParameters>) -> Result<String, String> {
        self.desk.say(Said::Report {
            progress: Progress::Blocked,
            summary: given.question,
            completed: Vec::new(),
            pending: Vec::new(),
        })?;
        Ok("Asked. End your turn now; you are started again with the answer.".to_owned())
    }

    #[tool(
        description = "Whether a person wants you to pause or stop. Look now and then during long work.",
        annotations(read_only_hint = true)
    )]
    fn control_signal(&self) -> Result<String, String> {
        Ok(match self.desk.brief()?.signal {
            Signal::GoOn => "go_on: nobody asked for anything.",
            Signal::Pause => "pause: bring what you are doing to a good end soon, then end your turn.",
            Signal::Stop => "stop: leave the tree in a good state and end your turn now.",
        }
        .to_owned())
    }
}

#[tool_handler(
    name = "piton",
    instructions = "You work inside a run of piton. It runs the checks itself after you stop, keeps the best result, and starts you again until the task is done. Use `report` when you are done or blocked, `record` for what should not be lost."
)]
impl ServerHandler for Server {
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let message = match request.method.as_str() {
            TOO_LONG => format!("a message may be {LINE_BYTES_MAX} bytes long, and this one is longer"),
            method => return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None)),
        };
        Err(ErrorData::invalid_request(message, None))
    }
}

/// What is most worth doing, as one instruction.
fn next_objective(brief: &Brief) -> String {
    if brief.signal != Signal::GoOn {
        return "A person wants this attempt to end: leave the tree in a good state and end your turn."
            .to_owned();
    }
    if let Some(told) = brief.told.last() {
        return format!("A person tells you: {told}");
    }
    if let Some(check) = brief.checks.iter().find(|check| check.passed == Some(false)) {
        return mend(check);
    }
    match brief.objectives.pending.first() {
        Some(part) => format!("Next part of the task: {part}"),
        None => format!("{}\n\nWhen the whole of it is done, report `done`.", brief.task.trim_end()),
    }
}

fn mend(check: &BriefCheck) -> String {
    let mut text =
        format!("Mend the check `{}` (`{}`): it failed when it was last run.", check.name, check.command);
    if !check.tail.is_empty() {
        let _ = write!(text, " The end of what it printed:\n{}", check.tail);
    }
    text
}

#[cfg(test)]
mod tests {
    use piton_model::loop_machine::Objectives;

    use super::*;

    fn brief() -> Brief {
        Brief {
            run_id: "r".parse().unwrap(),
            tree: "/w".into(),
            task: "make it so\n".to_owned(),
            iteration: 1,
            iterations_max: 50,
            signal: Signal::GoOn,
            told: Vec::new(),
            checks: Vec::new(),
            objectives: Objectives::default(),
            notes: Vec::new(),
            protect: Vec::new(),
        }
    }

    fn check(passed: Option<bool>) -> BriefCheck {
        BriefCheck {
            name: "test".to_owned(),
            command: "make test".to_owned(),
            timeout_ms: 1,
            cheap: false,
            passed,
            tail: "1 failed".to_owned(),
        }
    }

    #[test]
    fn what_a_person_wants_comes_first_then_a_red_check_then_the_task() {
        let mut brief = brief();
        assert_eq!(next_objective(&brief), "make it so\n\nWhen the whole of it is done, report `done`.");
        brief.objectives.pending = vec!["the parser".to_owned(), "the printer".to_owned()];
        assert_eq!(next_objective(&brief), "Next part of the task: the parser");
        brief.checks = vec![check(None), check(Some(true))];
        assert_eq!(next_objective(&brief), "Next part of the task: the parser");
        brief.checks.push(check(Some(false)));
        assert_eq!(
            next_objective(&brief),
            "Mend the check `test` (`make test`): it failed when it was last run. The end of what it printed:\n1 failed"
        );
        brief.told = vec!["first".to_owned(), "leave the parser alone".to_owned()];
        assert_eq!(next_objective(&brief), "A person tells you: leave the parser alone");
        brief.signal = Signal::Stop;
        assert!(next_objective(&brief).starts_with("A person wants this attempt to end"));
    }
}
