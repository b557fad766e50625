//! Deciding at a terminal between two iterations: one key, and the run goes on.
//!
//! Owns what each key means. Every decision is a request like any other: `piton answer` can make it from elsewhere, and
//! then the prompt goes away.

use std::io::{BufRead, IsTerminal};

use piton_model::RunId;
use piton_model::loop_machine::Answer;
use piton_view::{AskedView, Client, Request};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};

use crate::failure::{ErrorKind, Failure, Result};
use crate::output::{Output, clean};

const KEYS: [&str; 4] = [
    "y or Enter  yes, go on                 n  no: leave it out, or put it back",
    "m  tell the agent, go on               r  go on with a fresh session",
    "p  pause        q  stop                u  unattended from here",
    "d  details      N  note      b  ask before an iteration      Ctrl-C  leave",
];

/// What a terminal that sends no signals gives for Ctrl-C and Ctrl-D.
const CTRL_C: u8 = 3;
const CTRL_D: u8 = 4;

/// What a terminal keeps of a line.
const LINE_BYTES_MAX: usize = 4_096;

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
    let _raw =
        Terminal::with(|raw| raw.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
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
        let status = client.status(run).await?;
        if status.questions.iter().all(|open| open.question != question) {
            return Ok(None);
        }
    }
}

/// A line that a person types; nothing where they left it by Ctrl-C or Ctrl-D.
///
/// The viewer takes the signal of Ctrl-C for the run, so here it has to be a character, and to end the line.
fn typed(out: &Output, prompt: &str) -> Result<Option<String>> {
    let _cooked = Terminal::with(|cooked| {
        cooked.local_modes -= LocalModes::ISIG;
        cooked.special_codes[SpecialCodeIndex::VEOL] = CTRL_C;
    });
    out.bytes(prompt.as_bytes());
    let mut bytes = [0; LINE_BYTES_MAX];
    let read = rustix::io::read(rustix::stdio::stdin(), &mut bytes)
        .map_err(|error| Failure::environment(&std::io::Error::from(error)))?;
    let line = &bytes[..read];
    if line.is_empty() || line.contains(&CTRL_C) {
        out.line("");
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(line).trim().to_owned()))
}

/// A terminal with other settings, as long as this lives.
struct Terminal(Option<rustix::termios::Termios>);

impl Terminal {
    fn with(change: impl FnOnce(&mut rustix::termios::Termios)) -> Self {
        let Ok(before) = tcgetattr(rustix::stdio::stdin()) else { return Self(None) };
        let mut other = before.clone();
        change(&mut other);
        // Where it cannot be, a key counts once Enter follows.
        let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &other);
        Self(Some(before))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, before);
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
