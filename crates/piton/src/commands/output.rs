//! `piton output`: what the agent printed, as it was recorded.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;

use piton_agent::Found;
use piton_model::ExitCode;

use crate::cli::{Global, OutputArguments};
use crate::failure::Failure;
use crate::output::{Output, clean};
use crate::repository;

const LOOK_EVERY: Duration = Duration::from_millis(100);
const PIECE_BYTES: usize = 64 << 10;

pub(super) async fn run(
    global: &Global,
    arguments: &OutputArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
    let state = client.load(&run, None).await?.state;
    let name = match &arguments.attempt {
        Some(name) => name.clone(),
        None if state.attempt > 0 => state.attempt.to_string(),
        None => return Err(Failure::usage(format!("run `{run}` has made no attempt yet"))),
    };
    let attempts = client.layout().attempts(&run);
    if let Found::Absent | Found::Abandoned = look(&attempts, &name)? {
        return Err(Failure::usage(format!("run `{run}` has no attempt `{name}`"))
            .hint(format!("run `piton log {run}` to see its attempts")));
    }
    let mut logs = [Log::new(&attempts, &name, "stdout.log"), Log::new(&attempts, &name, "stderr.log")];
    loop {
        let alive = matches!(look(&attempts, &name)?, Found::Alive { .. });
        let mut any = false;
        for log in &mut logs {
            while let Some(piece) = log.next()? {
                any = true;
                if arguments.raw {
                    out.bytes(&piece)
                } else {
                    out.bytes(clean(&String::from_utf8_lossy(&piece)).as_bytes())
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

fn look(attempts: &Path, name: &str) -> Result<Found, Failure> {
    piton_agent::look(attempts, name).map_err(|error| Failure::of(ExitCode::Usage, &error))
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

    fn next(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        let failed = |error: std::io::Error| Failure::environment(&error);
        let mut file = match std::fs::File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        file.seek(SeekFrom::Start(self.at)).map_err(failed)?;
        let mut piece = vec![0; PIECE_BYTES];
        let count = file.read(&mut piece).map_err(failed)?;
        piece.truncate(count);
        self.at += count as u64;
        Ok((count > 0).then_some(piece))
    }
}
