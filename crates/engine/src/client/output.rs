//! What an attempt printed: read from its directory, whether or not it still works.

use std::fmt::Write;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_agent::Found;
use piton_agent::stream::Said;
use piton_model::loop_machine::{OpenReview, StreamFormat};
use piton_model::{Event, Kind, RunId, State, cycle, workflow};
use piton_sys::{Clock, SystemClock};
use piton_view::words::clean;
use piton_view::{Answer, Error, ErrorKind, Printed};

use super::{ClientError, LocalClient};
use crate::keys;
use crate::layout::Layout;
use crate::load;

const LOOK_EVERY: Duration = Duration::from_millis(100);
const PIECE_BYTES: usize = 64 << 10;
/// Events read at a time.
const PAGE: usize = 1024;

/// More than the largest log.
const SEALED_BYTES_MAX: u64 = 1 << 30;

/// An attempt whose output is read.
pub(super) struct Output {
    layout: Layout,
    attempts: PathBuf,
    name: String,
    /// How its agent speaks; nothing where it is given as it is.
    stream: Option<StreamFormat>,
    logs: [Log; 2],
    readable: Readable,
}

impl Output {
    /// Of this attempt; without a name, of the last one.
    pub(super) async fn of(
        client: &LocalClient,
        run: &RunId,
        name: Option<&str>,
        raw: bool,
    ) -> Result<Self, Error> {
        let (last, stream) = match client.kind(run).await? {
            Kind::Workflow => {
                (client.load::<workflow::State>(run, None).await?.state.attempt, StreamFormat::Plain)
            }
            Kind::Cycle => {
                let state = client.load::<cycle::State>(run, None).await?.state;
                (state.attempt, crate::cycle::stream_of(&state))
            }
            Kind::Loop | Kind::Ledger => {
                let state = client.load::<State>(run, None).await?.state;
                let stream = spoken_by(client, run, &state, name).await?;
                (state.work.attempt, stream)
            }
        };
        let name = match name {
            Some(name) => name.to_owned(),
            None if last > 0 => last.to_string(),
            None => return Err(Error::usage(format!("run `{run}` has made no attempt yet"))),
        };
        let attempts = client.layout().attempts(run);
        if let Found::Absent | Found::Abandoned = look(&attempts, &name)? {
            return Err(Error::usage(format!("run `{run}` has no attempt `{name}`"))
                .hint(format!("run `piton log {run}` to see its attempts")));
        }
        let logs = ["stdout.log", "stderr.log"].map(|log| Log::of(attempts.join(&name).join(log)));
        let stream = Some(stream).filter(|_| !raw);
        let layout = client.layout().clone();
        Ok(Self { layout, attempts, name, stream, logs, readable: Readable::default() })
    }

    /// What was printed since the last call.
    fn read(&mut self) -> Result<Option<Vec<u8>>, Error> {
        for (number, log) in self.logs.iter_mut().enumerate() {
            while let Some(piece) = log.next(&self.layout)? {
                let text = match &self.stream {
                    None => return Ok(Some(piece)),
                    Some(format) if number == 0 => self.readable.lines(format, &piece),
                    Some(_) => String::from_utf8_lossy(&piece).into_owned(),
                };
                if !text.is_empty() {
                    return Ok(Some(clean(&text).into_bytes()));
                }
            }
        }
        Ok(None)
    }
}

impl Printed for Output {
    fn next(&mut self, wait: Duration) -> Answer<'_, Option<Vec<u8>>> {
        Box::pin(async move {
            let until = SystemClock.monotonic() + wait;
            loop {
                // Whatever it printed before it ended is there by then.
                let alive = matches!(look(&self.attempts, &self.name)?, Found::Alive { .. });
                match self.read()? {
                    Some(piece) => return Ok(Some(piece)),
                    None if !alive => return Ok(None),
                    None if SystemClock.monotonic() >= until => return Ok(Some(Vec::new())),
                    None => tokio::time::sleep(LOOK_EVERY).await,
                }
            }
        })
    }
}

/// How the agent of this attempt speaks; without a name, that of the last one.
async fn spoken_by(
    client: &LocalClient,
    run: &RunId,
    state: &State,
    name: Option<&str>,
) -> Result<StreamFormat, Error> {
    let config = &state.config;
    if let Some(review) = config.review.as_ref().filter(|_| name.is_some_and(OpenReview::is_name)) {
        return Ok(review.agent.stream.clone());
    }
    let number = name.map_or(Some(state.work.attempt), |name| name.parse().ok());
    let Some(number) = number.filter(|_| !config.fallback.agents.is_empty()) else {
        return Ok(config.agent.stream.clone());
    };
    let agent = agent_of(client, run, number).await?;
    let found = config.agents().find(|known| Some(&known.name) == agent.as_ref());
    Ok(found.unwrap_or(&config.agent).stream.clone())
}

/// Who made this attempt, where that was not the first agent of its run.
async fn agent_of(client: &LocalClient, run: &RunId, number: u32) -> Result<Option<String>, Error> {
    let mut next = 1;
    loop {
        let events = client.store()?.read(run, next, PAGE).await.map_err(ClientError::from)?;
        let Some(last) = events.last() else { return Ok(None) };
        next = last.seq + 1;
        for event in events.iter().filter_map(|stored| load::decode(run, stored).ok()) {
            if let Event::AttemptStarted { attempt } = event
                && attempt.number == number
            {
                return Ok(attempt.agent);
            }
        }
    }
}

/// What a stream says, for people.
#[derive(Default)]
pub(super) struct Readable {
    /// A line that is not whole yet.
    unfinished: Vec<u8>,
    /// Words came in pieces, and the last of them may not have been the end of the sentence.
    mid_sentence: bool,
}

impl Readable {
    /// What this piece says; of a format with lines of its own, what the lines say that end in it.
    pub(super) fn lines(&mut self, format: &StreamFormat, piece: &[u8]) -> String {
        match format {
            StreamFormat::Plain => String::from_utf8_lossy(piece).into_owned(),
            _ => self.read(format, piece),
        }
    }

    fn read(&mut self, format: &StreamFormat, piece: &[u8]) -> String {
        let mut text = String::new();
        self.unfinished.extend_from_slice(piece);
        let Some(end) = self.unfinished.iter().rposition(|byte| *byte == b'\n') else { return text };
        let lines: Vec<u8> = self.unfinished.drain(..=end).collect();
        let Some(adapter) = piton_agent::stream::adapter(format) else { return text };
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            adapter.line(line, &mut |said| self.take(said, &mut text));
        }
        text
    }

    fn take(&mut self, said: Said<'_>, text: &mut String) {
        match said {
            Said::Text(words) => text.push_str(&format!("{words}\n")),
            Said::MoreText(words) => {
                self.mid_sentence = !words.ends_with('\n');
                text.push_str(&words);
            }
            Said::Tool { name, detail } => {
                let _ = writeln!(text, "{}", format!("→ {name} {detail}").trim_end());
            }
            Said::Warning(words) => text.push_str(&format!("! {words}\n")),
            Said::Denied(tool) => text.push_str(&format!("! a tool was denied: {tool}\n")),
            // Where words come in pieces, only the end says that the sentence is over.
            Said::Finished if std::mem::take(&mut self.mid_sentence) => text.push('\n'),
            Said::Failure { message, .. } => text.push_str(&format!("✗ {message}\n")),
            Said::Finished
            | Said::Session(_)
            | Said::Used(_)
            | Said::UsedInAll(_)
            | Said::Cost(_)
            | Said::CostInAll(_)
            | Said::ContextTokens(_)
            | Said::ContextWindow(_)
            | Said::ContextPercent(_)
            | Said::LimitedUntil(_) => {}
        }
    }
}

fn look(attempts: &Path, name: &str) -> Result<Found, Error> {
    piton_agent::look(attempts, name).map_err(|error| Error::of(ErrorKind::Usage, &error))
}

/// A log file that may still grow.
pub(super) struct Log {
    path: PathBuf,
    at: u64,
    /// All of it, where it is over and was encrypted.
    opened: Option<Vec<u8>>,
}

impl Log {
    /// From its beginning.
    fn of(path: PathBuf) -> Self {
        Self { path, at: 0, opened: None }
    }

    /// Its last `bytes`, and what comes after them.
    pub(super) fn tail_of(path: PathBuf, bytes: u64) -> Self {
        let length = std::fs::symlink_metadata(&path).map_or(0, |log| log.len());
        Self { at: length.saturating_sub(bytes), ..Self::of(path) }
    }

    /// Opens it as a whole, where it is encrypted by now.
    fn open(&mut self, layout: &Layout) -> Result<(), Error> {
        let environment = |error: piton_sys::file::Error| Error::of(ErrorKind::Environment, &error);
        let Some((file, _)) = piton_sys::file::open_regular(&self.path).map_err(environment)? else {
            return Ok(());
        };
        let mut begin = Vec::new();
        let read = file.take(8).read_to_end(&mut begin);
        if read.is_err() || !piton_seal::log::is_sealed(&begin) {
            return Ok(());
        }
        let bytes = piton_sys::file::read_regular(&self.path, SEALED_BYTES_MAX).map_err(environment)?;
        let opened = keys::cover::opened(layout, &self.path, bytes.unwrap_or_default());
        self.opened = Some(opened.map_err(keys::failed)?);
        Ok(())
    }

    /// What comes next in it; nothing where that is not written yet.
    pub(super) fn next(&mut self, layout: &Layout) -> Result<Option<Vec<u8>>, Error> {
        if self.opened.is_none() {
            self.open(layout)?;
        }
        if let Some(opened) = &self.opened {
            let rest = opened.get(usize::try_from(self.at).unwrap_or(usize::MAX)..).unwrap_or_default();
            let piece = rest[..rest.len().min(PIECE_BYTES)].to_vec();
            self.at += piece.len() as u64;
            return Ok((!piece.is_empty()).then_some(piece));
        }
        let failed = |error: std::io::Error| Error::of(ErrorKind::Environment, &error);
        let opened = piton_sys::file::open_regular(&self.path)
            .map_err(|error| Error::of(ErrorKind::Environment, &error))?;
        let Some((mut file, _)) = opened else { return Ok(None) };
        file.seek(SeekFrom::Start(self.at)).map_err(failed)?;
        let mut piece = vec![0; PIECE_BYTES];
        let count = file.read(&mut piece).map_err(failed)?;
        piece.truncate(count);
        self.at += count as u64;
        Ok((count > 0).then_some(piece))
    }
}
