//! What a process that was launched came to: its exit, what its stream says, its report, in one vocabulary.
//!
//! The same for agents of loops, of steps and of research. What is special to one CLI is asked of its adapter.

use std::io::{Read as _, Seek, SeekFrom};
use std::path::Path;

use piton_agent::stream::{self, Account, Said};
use piton_agent::{EndedBy, Exit, Read, ReportProblem};
use piton_model::limits::{clip, clip_tail};
use piton_model::loop_machine::{AgentConfig, AttemptOutcome, ErrorClass, Report};
use piton_sys::file;
use piton_sys::redact::Redactor;

use super::AGENT_OUTPUT_BYTES_MAX;
use crate::world::sentence;

/// What is looked at of the end of an output.
const TAIL_BYTES: u64 = 64 << 10;

/// What is kept of what an agent said.
const SPOKEN_BYTES_MAX: usize = 1 << 20;

/// The longest line that is quoted.
const LINE_BYTES_MAX: usize = 300;

/// What an agent's process came to.
pub(crate) struct Ended {
    /// By its exit alone.
    pub(crate) outcome: AttemptOutcome,
    /// What its stream says.
    pub(crate) account: Account,
    /// Why it failed although it exited with 0, by its own words.
    pub(crate) contradiction: Option<String>,
    /// Of what it failed, by its stream or else by its exit.
    pub(crate) error_class: Option<ErrorClass>,
    /// What it reported, without secrets and as long as it is: whoever keeps it knows how much of it. A report that cannot be
    /// read says nothing.
    pub(crate) report: Report,
    /// What of its report nobody can make sense of, in words.
    pub(crate) not_understood: Option<String>,
    /// Whether its stream says which session it had.
    pub(crate) names_its_session: bool,
    /// The end of what it said to people: its own words where its stream is understood, and not what its tools showed it;
    /// otherwise all that it printed.
    pub(crate) spoken: String,
}

impl Ended {
    /// An error is the machine's: what the agent said is there, and can be read another time. Whatever the agent itself put in
    /// the place of its output or report says nothing.
    pub(crate) fn read(
        exit: &Exit,
        directory: &Path,
        agent: &AgentConfig,
        redactor: &Redactor,
    ) -> Result<Self, file::Error> {
        let cli = stream::adapter(&agent.stream);
        let mut spoken = String::new();
        let account = unless_of_the_machine(overhear(directory, agent, &mut spoken))?.unwrap_or_default();
        if cli.is_none() {
            spoken = printed(directory);
        }
        let outcome = outcome_of(exit);
        let contradiction = match &account.failure {
            Some(failure) => Some(failure.clone()),
            None if !account.finished && cli.is_some_and(|cli| cli.says_when_it_ends()) => {
                Some("the agent exited with 0 in the middle of its work".to_owned())
            }
            None => None,
        };
        let contradiction = contradiction.filter(|_| outcome == AttemptOutcome::Succeeded);
        let by_exit = || {
            let cli = cli.filter(|_| outcome == AttemptOutcome::Failed)?;
            cli.class_of_exit(exit.code, last_line(&piton_agent::stderr_file(directory)).as_deref())
        };
        let error_class = account.error_class.or_else(by_exit);
        let (read, not_understood) = match piton_agent::read_report(directory) {
            Ok(read) => {
                let read = read.unwrap_or_default();
                let ignored = read.ignored.join(", ");
                let fields = (!ignored.is_empty()).then(|| {
                    clip(&format!("not understood in its report: {ignored}"), LINE_BYTES_MAX).to_owned()
                });
                (read, fields)
            }
            Err(ReportProblem::Unreadable(error)) if error.is_of_the_machine() => return Err(error),
            Err(problem) => {
                let why = sentence(&problem);
                (Read::default(), Some(format!("its report was not understood: {why}")))
            }
        };
        Ok(Self {
            outcome,
            contradiction,
            error_class,
            report: clean(read.report, redactor),
            not_understood: not_understood.map(|text| redactor.redact(&text).into_owned()),
            names_its_session: cli.is_some_and(|cli| cli.names_its_session()),
            account,
            spoken,
        })
    }
}

/// What the stream of an agent says; nothing where there is none.
fn overhear(directory: &Path, agent: &AgentConfig, spoken: &mut String) -> Result<Account, file::Error> {
    let path = piton_agent::stdout_file(directory);
    let Some((output, _)) = file::open_regular(&path)? else { return Ok(Account::default()) };
    let output = std::io::BufReader::new(output.take(2 * AGENT_OUTPUT_BYTES_MAX));
    stream::overhear(&agent.stream, output, &mut |said| speak(spoken, said))
        .map_err(|error| file::Error::new("read", &path, error))
}

/// What was read; `None` where it could not be, and the machine has no part in that.
fn unless_of_the_machine<T>(read: Result<T, file::Error>) -> Result<Option<T>, file::Error> {
    match read {
        Err(error) if error.is_of_the_machine() => Err(error),
        read => Ok(read.ok()),
    }
}

/// Adds what was said to people to what was said before; of very much the end stays.
fn speak(spoken: &mut String, said: &Said<'_>) {
    match said {
        Said::Text(text) => spoken.extend(["\n", text.as_ref()]),
        Said::MoreText(text) => spoken.push_str(text),
        _ => return,
    }
    if spoken.len() > 2 * SPOKEN_BYTES_MAX {
        *spoken = clip_tail(spoken, SPOKEN_BYTES_MAX).to_owned();
    }
}

/// The end of what a process printed, and of its errors.
pub(crate) fn printed(directory: &Path) -> String {
    let files = [piton_agent::stdout_file(directory), piton_agent::stderr_file(directory)];
    let ends = files.iter().filter_map(|path| end_of(path, SPOKEN_BYTES_MAX as u64));
    ends.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect()
}

/// A file that an agent may have put something else in the place of.
fn open(path: &Path) -> Option<(std::fs::File, u64)> {
    file::open_regular(path).ok().flatten()
}

/// The end of a file; `None` where it cannot be read.
pub(crate) fn end_of(path: &Path, bytes_max: u64) -> Option<Vec<u8>> {
    let (mut file, length) = open(path)?;
    file.seek(SeekFrom::Start(length.saturating_sub(bytes_max))).ok()?;
    let mut bytes = Vec::new();
    file.take(bytes_max).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// How an exit reads, whatever the process itself says.
pub(crate) fn outcome_of(exit: &Exit) -> AttemptOutcome {
    match exit.ended_by {
        EndedBy::Exited if exit.code == Some(0) => AttemptOutcome::Succeeded,
        EndedBy::Exited => AttemptOutcome::Failed,
        EndedBy::Cancelled => AttemptOutcome::Cancelled,
        EndedBy::WallClock => AttemptOutcome::TimedOut,
        EndedBy::Idle => AttemptOutcome::Hung,
        EndedBy::SpawnFailed => AttemptOutcome::NotStartable,
    }
}

/// Why it did not succeed, as a sentence about `who`, with the last thing it printed as an error.
pub(crate) fn why(exit: &Exit, directory: &Path, who: &str) -> Option<String> {
    if let Some(error) = &exit.error {
        return Some(error.clone());
    }
    let said = || {
        let line = last_line(&piton_agent::stderr_file(directory));
        line.map_or_else(String::new, |line| format!(": {line}"))
    };
    match (outcome_of(exit), exit.code, exit.signal) {
        (AttemptOutcome::Succeeded, _, _) => None,
        (AttemptOutcome::Failed, Some(code), _) => Some(format!("{who} exited with {code}{}", said())),
        (AttemptOutcome::Failed, None, Some(signal)) => Some(format!("{who} was ended by signal {signal}")),
        (AttemptOutcome::Failed, None, None) => Some(format!("{who} failed{}", said())),
        (AttemptOutcome::TimedOut, _, _) => Some(format!("{who} took too long")),
        (AttemptOutcome::Hung, _, _) => Some(format!("{who} was silent for too long")),
        (AttemptOutcome::Cancelled, _, _) => Some(format!("{who} was told to stop")),
        (AttemptOutcome::NotStartable, _, _) => Some(format!("{who} could not be started")),
    }
}

/// The last line of a file with something on it.
pub(crate) fn last_line(path: &Path) -> Option<String> {
    let bytes = end_of(path, TAIL_BYTES)?;
    let text = String::from_utf8_lossy(&bytes);
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    Some(clip(line, LINE_BYTES_MAX).to_owned())
}

/// What an agent reported, without secrets: its keeper has redacted the file, but not what its escapes hide.
fn clean(mut report: Report, redactor: &Redactor) -> Report {
    let clean = |text: &mut String| *text = redactor.redact(text).into_owned();
    for text in [&mut report.reason, &mut report.summary, &mut report.message].into_iter().flatten() {
        clean(text);
    }
    let lists = report.objectives.iter_mut().flat_map(|all| [&mut all.completed, &mut all.pending]);
    lists.flatten().flatten().for_each(clean);
    report.notes.iter_mut().for_each(|note| clean(&mut note.text));
    report.custom.values_mut().for_each(|value| clean_value(value, redactor));
    report
}

/// As text first: a secret may be spread over more than one string of it.
fn clean_value(value: &mut serde_json::Value, redactor: &Redactor) {
    let text = value.to_string();
    let clean = redactor.redact(&text);
    if clean != text {
        *value = serde_json::from_str(&clean).unwrap_or_else(|_| clean.into_owned().into());
    }
}
