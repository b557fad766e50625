//! Deciding at a terminal between two iterations: one key, and the run goes on.
//!
//! Owns what each key means. Every decision is a request like any other: `piton answer` can make it from elsewhere, and
//! then the prompt goes away.

use std::io::{BufRead, IsTerminal};
use std::time::Duration;

use piton_model::RunId;
use piton_model::loop_machine::Answer;
use piton_view::{AskedView, Client, Request};

use crate::failure::{ErrorKind, Failure, Result};
use crate::output::{Output, clean};
use crate::terminal::{self, CTRL_C, CTRL_D, Pressed, Terminal, typed};

const KEYS: [&str; 4] = [
    "y or Enter  yes, go on                 n  no: leave it out, or put it back",
    "m  tell the agent, go on               r  go on with a fresh session",
    "p  pause        q  stop                u  unattended from here",
    "d  details      N  note      b  ask before an iteration      Ctrl-C  leave",
];

/// Looks at the journal this often while nobody presses a key.
const TICK: Duration = Duration::from_millis(200);

/// What a person decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decided {
    /// The run goes on, here or in the background.
    GoesOn,
    /// It is left as it is.
    Left,
}

/// Whether somebody sits at this terminal, so that a key can answer.
pub(crate) fn is_possible(out: &Output) -> bool {
    out.terminal && !out.json && !out.quiet && std::io::stdin().is_terminal()
}

/// Shows what is asked, and carries out what a person decides.
pub(crate) async fn decide(client: &dyn Client, run: &RunId, out: &Output) -> Result<Decided> {
    let status = client.status(run).await?;
    let at_a_key = |question: &AskedView| Some(question.question) == status.at_a_key;
    let Some(question) = status.questions.iter().find(|question| at_a_key(question)) else {
        return Ok(Decided::GoesOn);
    };
    let number = question.question;
    out.line(clean(&question.text));
    if status.shows_change {
        let patch = client.last_change(run).await?;
        out.bytes(clean(&String::from_utf8_lossy(&patch)).as_bytes());
    }
    KEYS.iter().for_each(|line| out.line(line));
    loop {
        let Some(key) = key(client, run, number).await? else { return Ok(Decided::GoesOn) };
        match key {
            CTRL_C | CTRL_D => {
                out.note(format!(
                    "left as it is; `piton answer {0}` answers, `piton attach {0}` asks here again",
                    run.short()
                ));
                return Ok(Decided::Left);
            }
            b'y' | b'c' | b'\r' | b'\n' => return answer(client, run, question, Answer::Approve, None).await,
            b'n' | b's' => return answer(client, run, question, Answer::Reject, None).await,
            b'q' => return answer(client, run, question, Answer::Abort, None).await,
            b'p' => {
                client.request(run, Request::Pause).await?;
                out.note(format!("paused; `piton answer {0}`, then `piton resume {0}`", run.short()));
                return Ok(Decided::Left);
            }
            b'm' => {
                let Some(words) = typed(out, "for the agent: ")? else { continue };
                let words = (!words.is_empty()).then_some(words);
                return answer(client, run, question, Answer::Approve, words).await;
            }
            b'r' => {
                client.request(run, Request::Reboot).await?;
                return answer(client, run, question, Answer::Approve, None).await;
            }
            b'u' => {
                let mode = Some(piton_model::hook::Mode::Unattended);
                client.request(run, Request::Mode { mode, break_at: None }).await?;
                return answer(client, run, question, Answer::Approve, None).await;
            }
            b'd' => client.status(run).await?.details.iter().for_each(|line| out.line(line)),
            b'N' => {
                let text = typed(out, "note: ")?.unwrap_or_default();
                if !text.is_empty() {
                    client.request(run, Request::Note { text, set: Default::default() }).await?;
                }
            }
            b'b' => match typed(out, "ask before iteration: ")?.map(|word| word.parse()) {
                None => {}
                Some(Ok(iteration)) => {
                    client.request(run, Request::Mode { mode: None, break_at: Some(iteration) }).await?;
                }
                Some(Err(_)) => out.note("that is no iteration"),
            },
            _ => KEYS.iter().for_each(|line| out.line(line)),
        }
    }
}

/// The answer is bound to what was shown here.
async fn answer(
    client: &dyn Client,
    run: &RunId,
    question: &AskedView,
    answer: Answer,
    comment: Option<String>,
) -> Result<Decided> {
    let seen = Some(question.digest.clone());
    let request =
        Request::Answer { question: question.question, answer, comment, seen, content: Default::default() };
    match client.request(run, request).await {
        // Somebody else was faster.
        Err(failure) if matches!(failure.kind, ErrorKind::Rejected | ErrorKind::Person) => {}
        asked => drop(asked?),
    }
    Ok(Decided::GoesOn)
}

/// The next key; nothing where the question was settled meanwhile.
async fn key(client: &dyn Client, run: &RunId, question: u32) -> Result<Option<u8>> {
    let _raw = Terminal::for_keys_alone();
    loop {
        match terminal::pressed(TICK) {
            Pressed::Key(key) => return Ok(Some(key)),
            // The terminal is gone: nothing is decided.
            Pressed::Gone => return Ok(Some(b'p')),
            Pressed::Nothing => {}
        }
        let status = client.status(run).await?;
        if status.questions.iter().all(|open| open.question != question) {
            return Ok(None);
        }
    }
}

/// Whether a person at this terminal agrees; Enter alone does.
pub(crate) fn agrees(out: &Output, question: &str) -> Result<bool> {
    let said = line(out, &format!("{question} [Y/n] "))?;
    Ok(said.is_empty() || said.eq_ignore_ascii_case("y") || said.eq_ignore_ascii_case("yes"))
}

/// What a person types at this terminal; nothing where they only press Enter.
pub(crate) fn line(out: &Output, prompt: &str) -> Result<String> {
    out.bytes(prompt.as_bytes());
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).map_err(|error| Failure::environment(&error))?;
    Ok(line.trim().to_owned())
}
