//! How a step is started: arguments, environment and paths, exactly as wrappers expect them.

use std::path::{Path, PathBuf};

use piton_model::workflow::{
    Items, Launcher, OpenAttempt, State, StepId, StepState, StepStatus, Work, shown, variable,
};
use serde_json::Value;

use super::place::RunPlace;

/// What a `--command-template` may ask for.
const PLACEHOLDERS: [&str; 8] =
    ["run_id", "step_id", "agent", "prompt", "repo", "report", "attempt", "manual_input"];

/// The longest list in one variable: Linux gives a process none of more than 128 KiB, and its name counts.
const LIST_BYTES_MAX: usize = 120 << 10;
/// What all that is said of artifacts may take. A process has 2 MiB where nobody changed that, for its arguments and for all
/// that it inherits as well.
const ARTIFACTS_BYTES_MAX: usize = 1 << 20;
/// What a variable takes beyond its name and its value.
const VARIABLE_BYTES: usize = 16;

/// What the machine cannot know.
#[derive(Clone, Debug)]
pub struct StepPlaces<'a> {
    /// Where the run's files are.
    pub place: &'a RunPlace,
    /// The step's prompt, as it was found; `None` where it has none.
    pub prompt: Option<&'a Path>,
    /// Where agents begin: the repository, its work tree, or another directory.
    pub workdir: &'a Path,
}

/// What is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The program and its arguments; empty where one of piton's own adapters starts the agent.
    pub argv: Vec<String>,
    /// What is added to the environment, in order.
    pub env: Vec<(String, String)>,
    /// Where it works.
    pub directory: PathBuf,
    /// Where its report is expected. A file that lies there is moved to `archived_report_path` first.
    pub report_path: PathBuf,
    /// Where an older report goes.
    pub archived_report_path: PathBuf,
    /// Where its output goes. A file that lies there is moved to `archived_log_path` first.
    pub log_path: PathBuf,
    /// Where an older log goes.
    pub archived_log_path: PathBuf,
    /// A report is expected. A command's exit code is enough.
    pub reports: bool,
    /// How long it may take.
    pub timeout_ms: Option<u64>,
}

/// Why a step cannot be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// No attempt at it is open.
    #[error("no attempt at step `{0}` is open")]
    NotOpen(StepId),
    /// It is no program that is started.
    #[error("step `{0}` starts no program")]
    NoProgram(StepId),
    /// It has no prompt.
    #[error("step `{0}` has no prompt")]
    NoPrompt(StepId),
    /// The template cannot be read.
    #[error("`--command-template`: {0}")]
    Template(String),
}

/// How the open attempt at `step` is started.
pub fn launch(state: &State, step: &StepId, around: &StepPlaces<'_>) -> Result<Launch, LaunchError> {
    let index = state.plan.graph().place(step).ok_or_else(|| LaunchError::NotOpen(step.clone()))?;
    let open = state.steps[index].open.as_ref().ok_or_else(|| LaunchError::NotOpen(step.clone()))?;
    let place = around.place;
    let defined = state.plan.step(index);
    let facts =
        Facts { repo: place.tree(state), state, index, open, around, manual: manual(state, index, place) };
    let (argv, reports) = match &defined.work {
        Work::Agent { .. } => {
            (facts.agent()?, !matches!(state.options.launcher, Launcher::Adapter {} | Launcher::Exec { .. }))
        }
        Work::Run { command, .. } => (shell(command), false),
        // A nested workflow is a run of its own, not a program.
        Work::Workflow { .. } | Work::Loop(_) | Work::Nothing {} => {
            return Err(LaunchError::NoProgram(step.clone()));
        }
    };
    Ok(Launch {
        argv,
        env: facts.env(),
        directory: around.workdir.to_owned(),
        report_path: place.report(step),
        archived_report_path: place.archived_report(step, open.number),
        log_path: place.log(step, open.attempt),
        archived_log_path: place.archived_log(step, open.number),
        reports,
        timeout_ms: defined.timeout_ms,
    })
}

fn shell(command: &str) -> Vec<String> {
    ["/bin/sh", "-c", command].map(str::to_owned).to_vec()
}

/// What a person wrote: for the step that asked, else for whoever comes right after it, or is gone back to by it.
fn manual(state: &State, index: usize, place: &RunPlace) -> String {
    let own = state.plan.step(index);
    if own.human_in_the_loop && state.options.pause_for_human_input {
        return text(&place.manual_input(&own.id));
    }
    let spoken = |need: &&StepId| state.step(need).is_some_and(|step| step.manual.is_some());
    let refused = |step: &StepState| step.manual.as_ref().is_some_and(|input| !input.approved);
    let sent_back = state.plan.gates_to(&own.id).rev().find(|gate| state.step(gate).is_some_and(refused));
    let speaker = sent_back.or_else(|| own.needs.iter().rev().find(spoken));
    speaker.map_or_else(String::new, |step| text(&place.manual_input(step)))
}

struct Facts<'a> {
    /// What is the repository to the step.
    repo: PathBuf,
    state: &'a State,
    index: usize,
    open: &'a OpenAttempt,
    around: &'a StepPlaces<'a>,
    manual: String,
}

impl Facts<'_> {
    fn id(&self) -> &StepId {
        self.state.id(self.index)
    }

    fn prompt(&self) -> Result<String, LaunchError> {
        self.around.prompt.map(text).ok_or_else(|| LaunchError::NoPrompt(self.id().clone()))
    }

    fn agent(&self) -> Result<Vec<String>, LaunchError> {
        let (place, agent) = (self.around.place, self.state.plan.step(self.index).work.agent());
        let prompt = self.prompt()?;
        match &self.state.options.launcher {
            Launcher::Adapter {} => Ok(Vec::new()),
            Launcher::Exec { command } => Ok(shell(command)),
            Launcher::Wrapper { python, wrapper, args } => {
                let mut argv: Vec<String> = python.iter().cloned().collect();
                argv.push(wrapper.clone());
                for (flag, value) in [
                    ("--run-id", self.state.run.to_string()),
                    ("--step-id", self.id().to_string()),
                    ("--agent", agent.to_owned()),
                    ("--prompt", prompt),
                    ("--repo", text(&self.repo)),
                    ("--report", text(&place.report(self.id()))),
                ] {
                    argv.extend([flag.to_owned(), value]);
                }
                argv.extend(args.iter().cloned());
                Ok(argv)
            }
            Launcher::Template { template } => render_template(template, &|name| {
                let values = [
                    self.state.run.to_string(),
                    self.id().to_string(),
                    agent.to_owned(),
                    prompt.clone(),
                    text(&self.repo),
                    text(&place.report(self.id())),
                    self.open.attempt.to_string(),
                    self.manual.clone(),
                ];
                PLACEHOLDERS.iter().zip(values).find(|(known, _)| **known == name).map(|(_, value)| value)
            })
            .map_err(LaunchError::Template),
        }
    }

    fn env(&self) -> Vec<(String, String)> {
        let (place, step) = (self.around.place, self.state.plan.step(self.index));
        let mut env: Vec<(String, String)> = Vec::new();
        let mut set = |name: &str, value: String| env.push((name.to_owned(), value));
        set("RUN_ID", self.state.run.to_string());
        set("STEP_ID", self.id().to_string());
        set("AGENT_ID", step.work.agent().to_owned());
        set("REPO_DIR", text(&self.repo));
        set("PROMPT_PATH", self.around.prompt.map(text).unwrap_or_default());
        set("REPORT_PATH", text(&place.report(self.id())));
        set("MANUAL_RESULT_PATH", self.manual.clone());
        set("STEP_ATTEMPT", self.open.attempt.to_string());
        set("ARTIFACTS_DIR", text(&place.artifacts()));
        if let Some(model) = &step.model {
            set("STEP_MODEL", model.clone());
        }
        let mut room = ARTIFACTS_BYTES_MAX;
        for need in &step.needs {
            self.dependency(need, &mut room, &mut set);
        }
        if let Some(issue) = &self.state.options.issue {
            let name = format!("gh_issue_{}.md", issue.number);
            let directory = place.absolute(&issue.directory);
            set("ISSUE_NUMBER", issue.number.clone());
            set("ISSUE_MARKDOWN_PATH", text(&directory.join(&name)));
            set("ISSUE_MARKDOWN_DIR", text(&directory));
            set("ISSUE_MARKDOWN_FILENAME", name);
        }
        for (name, value) in item_variables(self.state, self.open) {
            set(&name, value);
        }
        // What the user sets comes last, and wins over nothing that the contract promises.
        let promised: Vec<String> = env.iter().map(|(name, _)| name.clone()).collect();
        for (name, value) in &self.state.options.env {
            if let (Value::String(value), false) = (value, promised.contains(name)) {
                env.push((name.clone(), value.clone()));
            }
        }
        env
    }

    /// What a step that this one needs produced, absolute. A process cannot be given any amount of that: what is missing in
    /// the list is counted beside it.
    fn dependency(&self, need: &StepId, room: &mut usize, set: &mut impl FnMut(&str, String)) {
        let Some(done) = self.state.step(need).filter(|step| step.status == StepStatus::Completed) else {
            return;
        };
        let name = variable(need);
        let paths: Vec<String> = done.artifacts.iter().map(|path| text(&self.repo.join(path))).collect();
        let list_max = LIST_BYTES_MAX.min(*room);
        let mut list_bytes = 0;
        let fits = |path: &&String| {
            list_bytes += path.len() + 1;
            list_bytes <= list_max
        };
        let listed: Vec<&str> = paths.iter().take_while(fits).map(String::as_str).collect();
        let left_out = paths.len() - listed.len() + done.left_out.artifacts as usize;
        let list = listed.join(",");
        *room -= list.len().min(*room);
        for (number, path) in paths.iter().enumerate() {
            let variable = format!("DEP_{name}_ARTIFACT_{number}");
            let Some(left) = room.checked_sub(variable.len() + path.len() + VARIABLE_BYTES) else { break };
            *room = left;
            set(&variable, path.clone());
        }
        set(&format!("DEP_{name}_ARTIFACTS"), list);
        if left_out > 0 {
            set(&format!("DEP_{name}_ARTIFACTS_LEFT_OUT"), left_out.to_string());
        }
    }
}

/// What is said of the item that an attempt is for: names and values of variables; none outside of a collection. For the
/// steps of a nested workflow, too.
pub fn item_variables(state: &State, open: &OpenAttempt) -> Vec<(String, String)> {
    let Some(place) = state.plan.graph().place(&open.step) else { return Vec::new() };
    let Some(collection) = &state.plan.step(place).collection else { return Vec::new() };
    let index = open.item.unwrap_or(0);
    let given = match collection.sources.first() {
        Some(Items::Given(items)) => Some(items),
        _ => None,
    };
    let items = state.steps[place].items.as_ref().or(given);
    let item = items.and_then(|items| items.get(index as usize)).unwrap_or(&Value::Null);
    let name = |variable: &str| format!("LOOP_{}", variable.to_ascii_uppercase());
    vec![(name(&collection.index_var), index.to_string()), (name(&collection.item_var), item.to_string())]
}

/// The words of a template with its placeholders filled in. Words are split first, so that a value with spaces stays one
/// word; quotes and backslashes mean what they mean to a shell. `{{` and `}}` are braces.
pub fn render_template(
    template: &str,
    value: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<String>, String> {
    let words = split(template)?;
    let words: Vec<String> = words.iter().map(|word| fill(word, value)).collect::<Result<_, _>>()?;
    if words.is_empty() { Err("it is empty".to_owned()) } else { Ok(words) }
}

/// Whether a template can be filled in, before anything depends on it.
pub fn check_template(template: &str) -> Result<(), String> {
    let known = |name: &str| PLACEHOLDERS.contains(&name).then(String::new);
    render_template(template, &known).map(drop)
}

fn split(template: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = template.chars();
    while let Some(character) = characters.next() {
        match character {
            _ if character.is_whitespace() => words.extend(word.take()),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        Some(end) if end == character => break,
                        Some('\\') if character == '"' => word.extend(characters.next()),
                        Some(other) => word.push(other),
                        None => return Err(format!("a {character} is never closed")),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(characters.next()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

fn fill(word: &str, value: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = word;
    while let Some(at) = rest.find(['{', '}']) {
        filled.push_str(&rest[..at]);
        let brace = &rest[at..];
        if let Some(after) = brace.strip_prefix("{{") {
            filled.push('{');
            rest = after;
        } else if let Some(after) = brace.strip_prefix("}}") {
            filled.push('}');
            rest = after;
        } else if let Some((name, after)) = brace.strip_prefix('{').and_then(|open| open.split_once('}')) {
            let found =
                value(name).ok_or_else(|| format!("there is no placeholder `{{{}}}`", shown(name)))?;
            filled.push_str(&found);
            rest = after;
        } else {
            return Err("a brace stands alone; write `{{` or `}}`".to_owned());
        }
    }
    filled.push_str(rest);
    Ok(filled)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
