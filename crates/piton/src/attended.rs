//! Deciding at a terminal between two iterations: one key, and the run goes on.
//!
//! Owns what each key means. Every decision is a request like any other: `piton answer` can make it from elsewhere, and
//! then the prompt goes away.

use std::io::{BufRead, IsTerminal};

use piton_engine::LocalClient;
use piton_engine::world::{open_workspace, snapshot_id};
use piton_model::loop_machine::{Answer, QuestionKind, TestStatus};
use piton_model::{RunId, State, Status};
use piton_view::{Client, QuestionView, Request};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use crate::failure::Failure;
use crate::output::{Output, clean, clean_line};
use crate::{render, start};

const KEYS: &str = "c or Enter: go on · s: no (leave out, or put back) · p: pause · q: stop · m: tell the agent, go on · r: fresh session, go on \
                    · d: details · n: note · b: breakpoint · u: unattended from here · ?: help";

/// Looks at the journal this often while nobody presses a key.
const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

/// What a person decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decided {
    /// The run goes on, here or in the background.
    GoesOn,
    /// It is left as it is.
    Left,
}

/// Whether somebody sits at this terminal and is asked something that a key can answer.
pub(crate) fn is_due(state: &State, out: &Output) -> bool {
    out.terminal && !out.json && !out.quiet && std::io::stdin().is_terminal() && own(state).is_some()
}

fn own(state: &State) -> Option<(u32, QuestionKind)> {
    let own = |kind| matches!(kind, QuestionKind::BeforeIteration | QuestionKind::AfterIteration);
    let found = state.people.questions.iter().find(|question| own(question.kind));
    found.filter(|_| state.requests.answers.is_empty()).map(|question| (question.number, question.kind))
}

/// Whether an answer is on its way to the driver.
pub(crate) fn is_settling(state: &State, out: &Output) -> bool {
    out.terminal && state.status == Status::Waiting && !state.requests.answers.is_empty()
}

/// Shows what is asked, and carries out what a person decides.
pub(crate) async fn decide(client: &LocalClient, run: &RunId, out: &Output) -> Result<Decided, Failure> {
    let state = client.load(run, None).await?.state;
    let Some((number, kind)) = own(&state) else { return Ok(Decided::GoesOn) };
    let status = client.status(run).await?;
    let Some(question) = status.questions.into_iter().find(|question| question.question == number) else {
        return Ok(Decided::GoesOn);
    };
    out.line(clean(&question.text));
    if kind == QuestionKind::AfterIteration && state.config.mode.attended.show_diff {
        show_diff(client, &state, out)?;
    }
    out.line(KEYS);
    loop {
        let Some(key) = key(client, run, number).await? else { return Ok(Decided::GoesOn) };
        match key {
            b'c' | b'\r' | b'\n' => return answer(client, run, &question, Answer::Approve, None).await,
            b's' => return answer(client, run, &question, Answer::Reject, None).await,
            b'q' => return answer(client, run, &question, Answer::Abort, None).await,
            b'p' => {
                client.request(run, Request::Pause).await?;
                out.note(format!("paused; `piton answer {0}`, then `piton resume {0}`", run.short()));
                return Ok(Decided::Left);
            }
            b'm' => {
                let words = line(out, "for the agent: ")?;
                let words = (!words.is_empty()).then_some(words);
                return answer(client, run, &question, Answer::Approve, words).await;
            }
            b'r' => {
                client.request(run, Request::Reboot).await?;
                return answer(client, run, &question, Answer::Approve, None).await;
            }
            b'u' => {
                let mode = Some(piton_model::hook::Mode::Unattended);
                client.request(run, Request::Mode { mode, break_at: None }).await?;
                return answer(client, run, &question, Answer::Approve, None).await;
            }
            b'd' => show_details(&client.load(run, None).await?.state, out),
            b'n' => {
                let text = line(out, "note: ")?;
                if !text.is_empty() {
                    client.request(run, Request::Note { text, set: Default::default() }).await?;
                }
            }
            b'b' => match line(out, "ask before iteration: ")?.parse() {
                Ok(iteration) => {
                    client.request(run, Request::Mode { mode: None, break_at: Some(iteration) }).await?;
                }
                Err(_) => out.note("that is no iteration"),
            },
            _ => out.line(KEYS),
        }
    }
}

/// The answer is bound to what was shown here.
async fn answer(
    client: &LocalClient,
    run: &RunId,
    question: &QuestionView,
    answer: Answer,
    comment: Option<String>,
) -> Result<Decided, Failure> {
    start::let_go(client, run).await?;
    let seen = Some(question.digest.clone());
    let request =
        Request::Answer { question: question.question, answer, comment, seen, content: Default::default() };
    match client.request(run, request).await {
        // Somebody else was faster.
        Err(piton_engine::ClientError::Rejected(_)) => {}
        done => done?,
    }
    let state = client.load(run, None).await?.state;
    let driven = client.store().holder(run).await?.is_some();
    if !driven && (state.status.is_active() || !state.requests.answers.is_empty()) {
        start::driver(client, run, false).await?;
    }
    Ok(Decided::GoesOn)
}

/// The next key; nothing where the question was settled meanwhile.
async fn key(client: &LocalClient, run: &RunId, question: u32) -> Result<Option<u8>, Failure> {
    let _raw = Raw::enter();
    loop {
        let stdin = rustix::stdio::stdin();
        let ready = poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&TICK)).unwrap_or(0);
        if ready > 0 {
            let mut byte = [0];
            return match rustix::io::read(stdin, &mut byte) {
                Ok(1) => Ok(Some(byte[0])),
                // The terminal is gone: nothing is decided.
                _ => Ok(Some(b'p')),
            };
        }
        let state = client.load(run, None).await?.state;
        if state.people.questions.iter().all(|open| open.number != question) {
            return Ok(None);
        }
    }
}

/// A terminal that gives every key at once, as long as this lives.
struct Raw(Option<rustix::termios::Termios>);

impl Raw {
    fn enter() -> Self {
        let Ok(before) = tcgetattr(rustix::stdio::stdin()) else { return Self(None) };
        let mut raw = before.clone();
        raw.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
        // Where it cannot be, a key counts once Enter follows.
        let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &raw);
        Self(Some(before))
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, before);
        }
    }
}

fn line(out: &Output, prompt: &str) -> Result<String, Failure> {
    out.bytes(prompt.as_bytes());
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).map_err(|error| Failure::environment(&error))?;
    Ok(line.trim().to_owned())
}

fn show_diff(client: &LocalClient, state: &State, out: &Output) -> Result<(), Failure> {
    let (Some(before), Some(after)) = (&state.work.before, &state.seen.snapshot) else { return Ok(()) };
    let workspace = open_workspace(&client.layout().of_run(&state.config), &state.run)?;
    let failed = |error: piton_git::Error| Failure::environment(&error);
    let text = workspace.diff_text(&snapshot_id(&before.id)?, &snapshot_id(&after.id)?).map_err(failed)?;
    out.bytes(clean(&String::from_utf8_lossy(&text)).as_bytes());
    Ok(())
}

fn show_details(state: &State, out: &Output) {
    out.line(format!("status   {} · {}", state.status.as_str(), render::why(state)));
    out.line(format!("mode     {}", state.mode().as_str()));
    out.line(format!("task     {}", clean_line(&state.title)));
    for check in state.seen.checks.iter().flat_map(|round| &round.checks) {
        let mark = if check.passed { '✓' } else { '✗' };
        out.line(format!("check    {} {mark}", clean_line(&check.name)));
        if !check.passed {
            out.line(clean(&check.tail));
        }
    }
    let tests = |status| state.seen.tests.named(status).count();
    let (passing, failing) = (tests(TestStatus::Passing), tests(TestStatus::Failing));
    if passing + failing > 0 {
        out.line(format!("tests    {failing} of {} fail", passing + failing));
    }
    out.line(format!(
        "changed  {} files, {} lines",
        state.seen.modified_files.len(),
        state.counters.lines_changed
    ));
    for note in &state.memory.notes {
        out.line(format!("note     #{} {}", note.iteration, clean_line(&note.note.text)));
    }
}
