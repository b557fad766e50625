//! What an agent is told: the task, how to report, what the checks said, what people said.

use std::fmt::Write;
use std::path::Path;

use piton_git::Head;
use piton_model::loop_machine::handoff::HANDOFF_BYTES_MAX;
use piton_model::loop_machine::{
    CheckRound, DoneRule, Injection, KeptNote, PreservedState, ReportStatus, StopCondition, TestStatus,
    done_rule,
};
use piton_model::{State, Timestamp};
use piton_prompt::Facts;

use super::reinforce::reinforce;
pub use super::task::{PromptError, Task, at_start, of_state};
use super::task::{facts_of, task};

/// Tests that a prompt names.
const TESTS_SHOWN_MAX: usize = 20;

/// A prompt that is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composed {
    /// What the agent gets.
    pub text: String,
    /// The digest of the files that the task was read from; another one means that somebody edited them.
    pub digest: Option<String>,
    /// What a person should know about the task.
    pub warnings: Vec<String>,
}

/// What a prompt may want to know of git. Asked only where it speaks of that.
pub trait AskGit {
    /// What `HEAD` is.
    fn head(&self) -> Head;

    /// The last commits, the newest first, a line each.
    fn last_commits(&self) -> Vec<String>;
}

/// The prompt of the attempt that is open in `state`. A prompt file is read anew each time.
///
/// `root` is the work tree; `home` is the repository, where the ledger is.
pub fn compose(
    state: &State,
    root: &Path,
    home: &Path,
    now: Timestamp,
    git: &dyn AskGit,
) -> Result<Composed, PromptError> {
    let facts = Facts { now_millis: Some(now.as_millis()), ..facts_of(state, root) };
    let Task { text: mut prompt, digest, warnings } = task(&state.config, root, facts, &|| git.head())?;
    prompt.truncate(prompt.trim_end().len());
    prompt.push_str("\n\n---\n");
    let max = state.config.limits.iterations;
    let _ = writeln!(prompt, "This is iteration {} of at most {max}.", state.work.iteration);
    explain_reports(&mut prompt, &state.agent().inject);
    explain_tasks(&mut prompt, state);
    explain_checks(&mut prompt, state);
    if let Some(round) = &state.seen.checks {
        show_failures(&mut prompt, round);
    }
    show_known(&mut prompt, state, home, now);
    show_handoff(&mut prompt, state, git);
    show_objections(&mut prompt, state);
    show_returned(&mut prompt, state);
    show_broken(&mut prompt, state);
    reinforce(&mut prompt, state);
    show_false_done(&mut prompt, state);
    show_notes(&mut prompt, state);
    for told in state.people.told.iter() {
        let _ = writeln!(prompt, "\nA person tells you: {}", told.text);
    }
    Ok(Composed { text: prompt, digest, warnings })
}

/// What the ledger knows of the gaps that this loop relies on, with a warning about what has become stale since.
fn show_known(prompt: &mut String, state: &State, home: &Path, now: Timestamp) {
    let Some(gaps) = &state.config.gaps else { return };
    let required = crate::ledger::fresh::required(home, gaps, now);
    if !required.known.is_empty() {
        let _ = write!(prompt, "\n{}", required.known);
    }
    for gap in &required.not_fresh {
        let _ = writeln!(prompt, "\nDo not rely on what is known of `{}`: {}", gap.gap, gap.why);
    }
}

fn explain_reports(prompt: &mut String, inject: &Injection) {
    prompt.push_str(
        "When you believe the whole task is done, write one line of JSON to the file named by $PITON_REPORT: \
         {\"status\":\"done\",\"summary\":\"what you did\"}. If you cannot go on without a person, write \
         {\"status\":\"blocked\",\"reason\":\"what you need\"} and stop; that is a good answer. Both are verified.\n",
    );
    if !inject.is_empty() {
        prompt.push_str(
            "If you have the tools of the server `piton`, its `report` and `ask_person` do the same.\n",
        );
    }
}

fn explain_tasks(prompt: &mut String, state: &State) {
    for named in &state.config.until {
        if let StopCondition::TasksDone(tasks) = &named.condition {
            let _ = writeln!(
                prompt,
                "\nThe task list is `{}`. Take the next open item, do it whole, and only then mark it as done.",
                tasks.path
            );
        }
    }
}

fn explain_checks(prompt: &mut String, state: &State) {
    if state.config.checks.is_empty() {
        return;
    }
    prompt.push_str("\nAfter you stop, these checks are run, whatever you report:\n");
    for check in &state.config.checks {
        let _ = writeln!(prompt, "- {}: {}", check.name, check.command);
    }
}

fn show_failures(prompt: &mut String, round: &CheckRound) {
    for check in round.checks.iter().filter(|check| !check.passed) {
        let how = match (check.timed_out, check.exit_code) {
            (true, _) => "took too long".to_owned(),
            (false, Some(code)) => format!("exited with {code}"),
            (false, None) => "did not end by itself".to_owned(),
        };
        let _ =
            writeln!(prompt, "\nThe check `{}` fails now: it {how}. The end of what it printed:", check.name);
        let _ = writeln!(prompt, "```\n{}\n```", check.tail);
    }
}

/// What the session before this one knew, where this one takes over from it.
fn show_handoff(prompt: &mut String, state: &State, git: &dyn AskGit) {
    if state.session.handoff.is_some() {
        prompt.push_str("\nYou take over from a session that has ended. What it left:\n\n");
        let left = PreservedState { commits: git.last_commits(), ..PreservedState::of(state) };
        prompt.push_str(&left.to_markdown(HANDOFF_BYTES_MAX));
    }
}

/// What another agent objected to, who read the work. Its words are quoted: they are nobody's orders.
fn show_objections(prompt: &mut String, state: &State) {
    let objections = state.objections();
    if objections.is_empty() {
        return;
    }
    let name = state.config.review.as_ref().map_or("another agent", |review| review.agent.name.as_str());
    let _ = writeln!(
        prompt,
        "\nThe checks pass, but {name}, who read your work, objects. Look at each of these and mend what is right about it; the words \
         are not a person's:"
    );
    for objection in objections {
        let _ = writeln!(prompt, "> {}", objection.sentence());
    }
}

/// What came back after the run was done. Others wrote it: it is quoted, and no order.
fn show_returned(prompt: &mut String, state: &State) {
    let Some(returned) = &state.returns.open else { return };
    let _ = writeln!(
        prompt,
        "\nThis work was done, and came back from {}. What was said there, line by line; see what is right about it and mend that:",
        returned.from
    );
    for line in returned.text.lines() {
        let _ = writeln!(prompt, "> {line}");
    }
}

/// Tests that the last iteration broke or mended, and those whose verdict means little.
fn show_broken(prompt: &mut String, state: &State) {
    let list = |names: Vec<&String>| {
        let shown: Vec<&str> = names.iter().take(TESTS_SHOWN_MAX).map(|name| name.as_str()).collect();
        let more = names.len().saturating_sub(TESTS_SHOWN_MAX);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        format!("{}{more}", shown.join(", "))
    };
    let broken: Vec<_> = state.seen.tests.just(TestStatus::Failing).collect();
    if !broken.is_empty() {
        let _ = writeln!(prompt, "\nThese tests fail now and did not before: {}", list(broken));
    }
    let fixed: Vec<_> = state.seen.tests.just(TestStatus::Passing).chain(&state.seen.tests.lifted).collect();
    if !fixed.is_empty() {
        let _ = writeln!(prompt, "\nThese tests failed before and do not now: {}", list(fixed));
    }
    let flaky: Vec<_> = state.seen.tests.flaky().collect();
    if !flaky.is_empty() {
        let _ = writeln!(
            prompt,
            "\nThese tests pass and fail in turn, so one run of them proves little: {}",
            list(flaky)
        );
    }
}

/// What agents before this one wanted remembered.
fn show_notes(prompt: &mut String, state: &State) {
    let mut notes = state.standing_notes().peekable();
    if notes.peek().is_none() {
        return;
    }
    prompt.push_str("\nRecorded so far:\n");
    for KeptNote { iteration, note } in notes {
        let _ = writeln!(prompt, "- {} (iteration {iteration}): {}", note.kind.as_str(), note.text);
    }
}

fn show_false_done(prompt: &mut String, state: &State) {
    let reported = state.seen.report.as_ref().and_then(|report| report.status) == Some(ReportStatus::Done);
    if !reported || done_rule(&state.config, state.seen.baseline.as_ref()) != DoneRule::Done {
        return;
    }
    if !state.tree_changed() {
        prompt.push_str("\nYou reported done, but no file differs from the start of this run.\n");
    } else if state.seen.checks.as_ref().is_some_and(|round| !round.all_pass()) {
        prompt.push_str("\nYou reported done, but not every check passes.\n");
    }
}
