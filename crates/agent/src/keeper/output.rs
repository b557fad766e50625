//! Recording an output: redacted, bounded, head and tail kept.
//!
//! The first half of what may be kept goes straight into the log. What follows goes into two files in turn,
//! each as large as the other half, so that the last half is always somewhere on the disk and never in memory.
//! At the end it is appended to the log, behind a line that says how much is missing.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use piton_sys::file;
use piton_sys::ready;
use piton_sys::redact::{Redactor, Stream};

use super::quoted;

/// How much is read before the keeper looks at its limits again.
const READS_IN_A_ROW: usize = 16;

/// One output of the agent, and its log.
pub(super) struct Output {
    pipe: Option<File>,
    log: Log,
    redaction: Option<Stream>,
    /// What the agent wrote.
    received: u64,
}

/// What became of an output.
pub(super) struct Recorded {
    pub(super) bytes: u64,
    pub(super) cut: u64,
    pub(super) error: Option<String>,
}

impl Output {
    pub(super) fn new(pipe: Option<File>, path: PathBuf, bytes_max: u64, redactor: &Redactor) -> Self {
        // A pipe that would block the keeper is no use; no output is better than no limits.
        let pipe = pipe.filter(|pipe| ready::set_nonblocking(pipe).is_ok());
        Self { pipe, log: Log::new(path, bytes_max), redaction: Some(redactor.stream()), received: 0 }
    }

    /// The pipe, while the agent has it open.
    pub(super) fn pipe(&self) -> Option<&File> {
        self.pipe.as_ref()
    }

    /// Reads what is there, within reason; whether there was anything.
    pub(super) fn pump(&mut self, buffer: &mut [u8]) -> bool {
        let received_before = self.received;
        for _ in 0..READS_IN_A_ROW {
            let Some(pipe) = &mut self.pipe else { break };
            match pipe.read(buffer) {
                Ok(0) => self.pipe = None,
                Ok(count) => {
                    self.received += count as u64;
                    if let Some(redaction) = &mut self.redaction {
                        let clean = redaction.push(&buffer[..count]);
                        self.log.write(&clean);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.log.note(&error);
                    self.pipe = None;
                }
            }
        }
        self.received > received_before
    }

    /// Puts the log together and makes it durable. What the agent writes from now on is lost.
    pub(super) fn finish(mut self) -> Recorded {
        if let Some(redaction) = self.redaction.take() {
            self.log.write(&redaction.finish());
        }
        let (cut, error) = self.log.finish();
        Recorded { bytes: self.received, cut, error }
    }
}

/// A file that keeps the head and the tail of what is written to it.
struct Log {
    path: PathBuf,
    head: Option<File>,
    head_left: u64,
    ends_with_newline: bool,
    tail_max: u64,
    /// The older and the newer half of the tail, once the head is full.
    tail: Option<Tail>,
    written: u64,
    kept: u64,
    error: Option<String>,
}

/// Two files, written in turn.
struct Tail {
    files: [(PathBuf, File, u64); 2],
    current: usize,
}

impl Log {
    fn new(path: PathBuf, bytes_max: u64) -> Self {
        let mut log = Self {
            head: None,
            head_left: bytes_max / 2,
            ends_with_newline: true,
            tail_max: bytes_max - bytes_max / 2,
            tail: None,
            written: 0,
            kept: 0,
            error: None,
            path,
        };
        match open(&log.path) {
            Ok(file) => log.head = Some(file),
            Err(error) => log.note(&error),
        }
        log
    }

    /// The first error is the one to tell.
    fn note(&mut self, error: &io::Error) {
        self.error.get_or_insert_with(|| format!("failed to record {}: {error}", quoted(&self.path)));
    }

    /// Never fails: an agent is not stopped because its output cannot be recorded. What is lost counts as cut.
    fn write(&mut self, bytes: &[u8]) {
        self.written += bytes.len() as u64;
        let for_head = usize::try_from(self.head_left).unwrap_or(usize::MAX).min(bytes.len());
        let (head, tail) = bytes.split_at(for_head);
        self.write_head(head);
        if !tail.is_empty()
            && self.tail_max > 0
            && let Err(error) = self.write_tail(tail)
        {
            self.note(&error);
        }
    }

    fn write_head(&mut self, bytes: &[u8]) {
        self.head_left -= bytes.len() as u64;
        let Some(&last) = bytes.last() else { return };
        let Some(file) = &mut self.head else { return };
        let (written, result) = write_counted(file, bytes);
        self.kept += written;
        self.ends_with_newline = last == b'\n' && result.is_ok();
        if let Err(error) = result {
            self.note(&error);
        }
    }

    fn write_tail(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        if self.tail.is_none() {
            self.tail = Some(Tail::open(&self.path)?);
        }
        let tail = self.tail.as_mut().expect("it was opened above");
        while !bytes.is_empty() {
            let (_, file, length) = &mut tail.files[tail.current];
            let room = usize::try_from(self.tail_max - *length).unwrap_or(usize::MAX);
            if room == 0 {
                tail.turn()?;
                continue;
            }
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            file.write_all(now)?;
            *length += now.len() as u64;
            bytes = later;
        }
        Ok(())
    }

    /// Appends the tail and syncs what there is; how many bytes are missing, and what went wrong.
    fn finish(mut self) -> (u64, Option<String>) {
        if let Some(mut tail) = self.tail.take() {
            if let Err(error) = self.join(&mut tail) {
                self.note(&error);
            }
            tail.remove();
        }
        let cut = self.written - self.kept;
        // An empty log has nothing to lose.
        if let Some(file) = self.head.as_ref().filter(|_| self.written > 0)
            && let Err(error) = file::sync_file(file, &self.path)
        {
            self.note(&error.source);
        }
        (cut, self.error)
    }

    fn join(&mut self, tail: &mut Tail) -> io::Result<()> {
        let Some(head) = &mut self.head else { return Ok(()) };
        let [older, newer] = [1 - tail.current, tail.current];
        let surplus = (tail.files[older].2 + tail.files[newer].2).saturating_sub(self.tail_max);
        let from_older = tail.files[older].2.saturating_sub(surplus);
        let from_newer = tail.files[newer].2;
        let cut = self.written - self.kept - from_older - from_newer;
        if cut > 0 {
            let line_end = if self.ends_with_newline { "" } else { "\n" };
            head.write_all(format!("{line_end}[piton: {cut} bytes cut]\n").as_bytes())?;
        }
        for (index, wanted) in [(older, from_older), (newer, from_newer)] {
            let (_, file, length) = &mut tail.files[index];
            file.seek(SeekFrom::Start(*length - wanted))?;
            let copied = io::copy(&mut file.take(wanted), head)?;
            self.kept += copied;
        }
        Ok(())
    }
}

impl Tail {
    fn open(log: &Path) -> io::Result<Self> {
        let beside = |suffix: &str| -> io::Result<(PathBuf, File, u64)> {
            let path = log.with_extension(suffix);
            let file = open(&path)?;
            Ok((path, file, 0))
        };
        Ok(Self { files: [beside("tail-a")?, beside("tail-b")?], current: 0 })
    }

    /// The older file becomes the newer one, and starts afresh.
    fn turn(&mut self) -> io::Result<()> {
        let next = 1 - self.current;
        let (_, file, length) = &mut self.files[next];
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        *length = 0;
        self.current = next;
        Ok(())
    }

    fn remove(self) {
        for (path, _, _) in &self.files {
            // Should it stay behind, it goes with the directory.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Writes as much as possible, and says how much that was.
fn write_counted(file: &mut File, bytes: &[u8]) -> (u64, io::Result<()>) {
    let mut rest = bytes;
    let result = loop {
        match file.write(rest) {
            Ok(0) if rest.is_empty() => break Ok(()),
            Ok(0) => break Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => rest = &rest[count..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => break Err(error),
        }
    };
    ((bytes.len() - rest.len()) as u64, result)
}

/// A private file of our own; never one that is already there.
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)
}
