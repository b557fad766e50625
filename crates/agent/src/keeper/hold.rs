//! Holding a program: record, watch, and end it with everything it started.
//!
//! One loop over one `poll`: the two outputs, the input still to be given, and the signals. Four things end
//! it: the program does, a limit does, somebody asks, or the directory vanishes, and with it everything that could be
//! known of the program later. In each case the whole tree is killed until none is left, before anything is said about it.

use std::fs::File;
use std::io::{self, Write};
use std::time::Duration;

use piton_sys::file::Durability;
use piton_sys::process::{Ended, Tree};
use piton_sys::ready::{self, Source};
use piton_sys::signals::Caught;
use piton_sys::{Clock, SystemClock, fault, process};

use super::Attempt;
use super::output::Output;
use super::start::Running;
use crate::directory::{self, LOCK, STARTED, STDERR, STDOUT};
use crate::record::{EndedBy, Exit, Started};
use crate::spec::Limits;

/// How long what the program left behind may go on writing after its end, before it is killed.
const LINGER: Duration = Duration::from_secs(1);
/// How long the outputs may stay open after everything was killed.
const DRAIN: Duration = Duration::from_secs(2);
/// How long processes may take to die before it is said that they do not.
const KILL_PATIENCE: Duration = Duration::from_secs(10);
/// How often to try again what failed: killing, and writing to a full disk.
const RETRY: Duration = Duration::from_secs(1);
/// How often to see whether the directory is still there.
const LOOK_EVERY: Duration = Duration::from_secs(1);
const READ_BYTES: usize = 32 * 1024;

/// Why and since when the program is being ended.
#[derive(Clone, Copy)]
struct Ending {
    by: EndedBy,
    kill_at: Duration,
}

struct Hold<'a> {
    attempt: &'a Attempt,
    tree: Tree,
    pid: u32,
    stdin: Option<File>,
    input: Vec<u8>,
    input_at: usize,
    outputs: [Output; 2],
    buffer: Vec<u8>,
    since: Duration,
    last_output: Duration,
    /// When to look for the directory next.
    look_at: Duration,
    ending: Option<Ending>,
    /// How and when the program itself ended; what it started may go on.
    ended: Option<(Ended, Duration)>,
    /// Not written yet: the disk may be full.
    unwritten: Option<(Started, Duration)>,
    error: Option<String>,
}

/// Holds a running program to its end, and says how that was.
pub(super) fn hold(attempt: &Attempt, running: Running) -> Exit {
    let started = running.started.clone();
    let since = running.since;
    let mut hold = Hold::new(attempt, running);
    hold.write_started();
    let ended = hold.until_ended();
    hold.empty_the_tree();
    fault::point("agent.keeper.tree_empty");
    hold.drain();
    let duration = SystemClock.monotonic().saturating_sub(since);
    let (ended_by, [stdout, stderr], error, tree) = hold.finish();
    // Gone before `exit.json` is there, so that a finished attempt leaves nothing behind.
    let _ = tree.remove();
    let (code, signal) = match ended {
        Ended::Code(code) => (Some(code), None),
        Ended::Signal(signal) => (None, Some(signal)),
    };
    Exit {
        code,
        signal,
        ended_by,
        error: error.or_else(|| stdout.error.clone()).or_else(|| stderr.error.clone()),
        started_at: started.at,
        ended_at: SystemClock.now(),
        duration_ms: u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
        stdout_bytes: stdout.bytes,
        stderr_bytes: stderr.bytes,
        stdout_cut: stdout.cut,
        stderr_cut: stderr.cut,
    }
}

impl<'a> Hold<'a> {
    fn new(attempt: &'a Attempt, running: Running) -> Self {
        let Running { child, tree, started, since, input } = running;
        let bytes_max = attempt.spec.limits.output_bytes_max;
        let output =
            |pipe, name| Output::new(pipe, attempt.directory.join(name), bytes_max, &attempt.redactor);
        Self {
            attempt,
            tree,
            pid: child.process.pid,
            stdin: child.stdin.filter(|pipe| ready::set_nonblocking(pipe).is_ok()),
            input,
            input_at: 0,
            outputs: [output(child.stdout, STDOUT), output(child.stderr, STDERR)],
            buffer: vec![0; READ_BYTES],
            since,
            last_output: since,
            look_at: since + LOOK_EVERY,
            ending: None,
            ended: None,
            unwritten: Some((started, since)),
            error: None,
        }
    }

    /// Goes round until the program has ended and what it left behind had its moment.
    fn until_ended(&mut self) -> Ended {
        loop {
            let now = SystemClock.monotonic();
            self.notice_signals(now);
            self.look_for_directory(now);
            self.enforce_limits(now);
            if self.unwritten.as_ref().is_some_and(|(_, retry_at)| now >= *retry_at) {
                self.write_started();
            }
            if let Some((ended, at)) = self.ended
                && (self.is_silent() || now >= at + LINGER)
            {
                return ended;
            }
            self.wait(self.next_deadline().map(|deadline| deadline.saturating_sub(now)));
            self.feed();
            self.pump();
        }
    }

    fn notice_signals(&mut self, now: Duration) {
        for signal in self.attempt.signals.take() {
            match signal {
                Caught::Terminate => self.begin_to_end(EndedBy::Cancelled, now),
                Caught::Child => self.collect(now),
                // The terminal is not ours, and neither is what is typed there.
                Caught::Hangup | Caught::Interrupt => {}
            }
        }
    }

    /// Collects the program, and the orphans that came to us.
    fn collect(&mut self, now: Duration) {
        for (pid, ended) in process::collect_children() {
            if pid == self.pid {
                self.ended = Some((ended, now));
            }
        }
    }

    /// A program whose directory is gone can be neither found nor ended by anybody else.
    fn look_for_directory(&mut self, now: Duration) {
        if now < self.look_at {
            return;
        }
        self.look_at = now + LOOK_EVERY;
        let lock = self.attempt.directory.join(LOCK).symlink_metadata();
        if lock.is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            self.begin_to_end(EndedBy::Cancelled, now);
        }
    }

    fn enforce_limits(&mut self, now: Duration) {
        let limits = self.attempt.spec.limits;
        if self.ended.is_none() {
            if limits.wall_ms.is_some_and(|wall| now >= self.since + Duration::from_millis(wall)) {
                self.begin_to_end(EndedBy::WallClock, now);
            }
            if limits.idle_ms.is_some_and(|idle| now >= self.last_output + Duration::from_millis(idle)) {
                self.begin_to_end(EndedBy::Idle, now);
            }
            if self.ending.is_some_and(|ending| now >= ending.kill_at) {
                self.empty_the_tree();
                // It is dead or cannot die; in the second case, try again and again.
                self.collect(now);
                if let Some(ending) = &mut self.ending {
                    ending.kill_at = SystemClock.monotonic() + RETRY;
                }
            }
        }
    }

    /// Asks everything to end; the first reason is the one that counts.
    fn begin_to_end(&mut self, by: EndedBy, now: Duration) {
        if self.ending.is_none() && self.ended.is_none() {
            let grace = Duration::from_millis(self.attempt.spec.limits.kill_grace_ms);
            self.ending = Some(Ending { by, kill_at: now + grace });
            if !grace.is_zero() {
                self.tree.terminate();
            }
        }
    }

    fn empty_the_tree(&mut self) {
        match self.tree.kill(KILL_PATIENCE) {
            Ok(_) => self.error = None,
            Err(error) => self.error = Some(error.to_string()),
        }
    }

    fn write_started(&mut self) {
        let Some((started, _)) = self.unwritten.take() else { return };
        // Not synced: a slow disk must not keep us from the limits, and after a power cut nothing runs anyway.
        match directory::write(&self.attempt.directory.join(STARTED), &started, Durability::Unsynced) {
            Ok(()) => fault::point("agent.keeper.started"),
            // Recovery finds the tree without it; it only takes longer.
            Err(_) => self.unwritten = Some((started, SystemClock.monotonic() + RETRY)),
        }
    }

    /// Whether nobody can write to the outputs any more.
    fn is_silent(&self) -> bool {
        self.outputs.iter().all(|output| output.pipe().is_none())
    }

    fn next_deadline(&self) -> Option<Duration> {
        let Limits { wall_ms, idle_ms, .. } = self.attempt.spec.limits;
        let running = self.ended.is_none();
        let limits_count = running && self.ending.is_none();
        let wall = wall_ms.filter(|_| limits_count).map(|wall| self.since + Duration::from_millis(wall));
        let idle =
            idle_ms.filter(|_| limits_count).map(|idle| self.last_output + Duration::from_millis(idle));
        let kill = self.ending.filter(|_| running).map(|ending| ending.kill_at);
        let linger = self.ended.map(|(_, at)| at + LINGER);
        let retry = self.unwritten.as_ref().map(|(_, retry_at)| *retry_at);
        let look = Some(self.look_at).filter(|_| limits_count);
        [wall, idle, kill, linger, retry, look].into_iter().flatten().min()
    }

    fn wait(&self, timeout: Option<Duration>) {
        let mut sources: Vec<Source<'_>> = Vec::with_capacity(4);
        sources.push(Source::read(&self.attempt.signals));
        sources.extend(self.stdin.as_ref().map(Source::write));
        sources.extend(self.outputs.iter().filter_map(Output::pipe).map(Source::read));
        // Were it to fail, the loop would only turn faster.
        let _ = ready::wait(&mut sources, timeout);
    }

    /// Gives the program what it is to read, as far as it takes it.
    fn feed(&mut self) {
        while let Some(stdin) = &mut self.stdin {
            let rest = &self.input[self.input_at..];
            match if rest.is_empty() { Ok(0) } else { stdin.write(rest) } {
                Ok(0) => self.end_input(),
                Ok(count) => self.input_at += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // It does not want to read all of it; that is its right.
                Err(_) => self.end_input(),
            }
        }
    }

    fn end_input(&mut self) {
        self.stdin = None;
        self.input = Vec::new();
        self.input_at = 0;
    }

    fn pump(&mut self) -> bool {
        let [stdout, stderr] = &mut self.outputs;
        let anything = stdout.pump(&mut self.buffer) | stderr.pump(&mut self.buffer);
        if anything {
            self.last_output = SystemClock.monotonic();
        }
        anything
    }

    /// Reads what is left in the pipes. Should somebody still hold one, not for ever.
    fn drain(&mut self) {
        let deadline = SystemClock.monotonic() + DRAIN;
        while !self.is_silent() {
            let now = SystemClock.monotonic();
            if now >= deadline {
                break;
            }
            let mut sources: Vec<Source<'_>> =
                self.outputs.iter().filter_map(Output::pipe).map(Source::read).collect();
            let _ = ready::wait(&mut sources, Some(deadline.saturating_sub(now)));
            drop(sources);
            self.pump();
        }
        process::collect_children();
    }

    fn finish(self) -> (EndedBy, [super::output::Recorded; 2], Option<String>, Tree) {
        let by = self.ending.map_or(EndedBy::Exited, |ending| ending.by);
        (by, self.outputs.map(Output::finish), self.error, self.tree)
    }
}
