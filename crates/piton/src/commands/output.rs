//! `piton output`: what the agent printed, readable, or with `--raw` as it was.

use std::fmt::Write;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;

use piton_agent::Found;
use piton_agent::stream::Said;
use piton_model::ExitCode;
use piton_model::loop_machine::StreamFormat;
use piton_view::AttemptView;

use crate::cli::{Global, OutputArguments};
use crate::failure::{ErrorKind, Failure, Result};
use crate::output::{Output, clean};
use crate::repository;

const LOOK_EVERY: Duration = Duration::from_millis(100);
const PIECE_BYTES: usize = 64 << 10;

pub(super) async fn run(global: &Global, arguments: &OutputArguments, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
    let AttemptView { name, attempts, stream: format } =
        client.attempt(&run, arguments.attempt.as_deref()).await?;
    if let Found::Absent | Found::Abandoned = look(&attempts, &name)? {
        return Err(Failure::usage(format!("run `{run}` has no attempt `{name}`"))
            .hint(format!("run `piton log {run}` to see its attempts")));
    }
    let mut readable = Readable::default();
    let mut logs = [Log::new(&attempts, &name, "stdout.log"), Log::new(&attempts, &name, "stderr.log")];
    loop {
        let alive = matches!(look(&attempts, &name)?, Found::Alive { .. });
        let mut any = false;
        for (number, log) in logs.iter_mut().enumerate() {
            while let Some(piece) = log.next()? {
                any = true;
                match number {
                    _ if arguments.raw => out.bytes(&piece),
                    0 if format != StreamFormat::Plain => readable.print(&format, &piece, out),
                    _ => out.bytes(clean(&String::from_utf8_lossy(&piece)).as_bytes()),
                }
            }
        }
        if !(any || arguments.follow && alive) {
            return Ok(ExitCode::Done);
        }
        if !any {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}

/// What a stream says, for people.
#[derive(Default)]
struct Readable {
    /// A line that is not whole yet.
    unfinished: Vec<u8>,
    /// Words came in pieces, and the last of them may not have been the end of the sentence.
    mid_sentence: bool,
}

impl Readable {
    fn print(&mut self, format: &StreamFormat, piece: &[u8], out: &Output) {
        self.unfinished.extend_from_slice(piece);
        let Some(end) = self.unfinished.iter().rposition(|byte| *byte == b'\n') else { return };
        let lines: Vec<u8> = self.unfinished.drain(..=end).collect();
        let Some(adapter) = piton_agent::stream::adapter(format) else { return };
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let mut text = String::new();
            adapter.line(line, &mut |said| self.take(said, &mut text));
            out.bytes(clean(&text).as_bytes());
        }
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

fn look(attempts: &Path, name: &str) -> Result<Found> {
    piton_agent::look(attempts, name).map_err(|error| Failure::of(ErrorKind::Usage, &error))
}

/// A log file that may still grow.
struct Log {
    path: std::path::PathBuf,
    at: u64,
}

impl Log {
    fn new(attempts: &Path, name: &str, file: &str) -> Self {
        Self { path: attempts.join(name).join(file), at: 0 }
    }

    fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let failed = |error: std::io::Error| Failure::environment(&error);
        let opened = piton_sys::file::open_regular(&self.path).map_err(|error| Failure::environment(&error))?;
        let Some((mut file, _)) = opened else { return Ok(None) };
        file.seek(SeekFrom::Start(self.at)).map_err(failed)?;
        let mut piece = vec![0; PIECE_BYTES];
        let count = file.read(&mut piece).map_err(failed)?;
        piece.truncate(count);
        self.at += count as u64;
        Ok((count > 0).then_some(piece))
    }
}
