//! What happens in a run at this moment.
//!
//! The journal knows what was begun; the directory of each attempt says whether it works, since when, and what it printed last.

use std::path::PathBuf;

use piton_agent::Found;
use piton_model::{RunId, Timestamp};
use piton_sys::redact::Redactor;
use piton_view::words::{AtWork, Watched, clean_line};
use piton_view::{StateOf, UnderWay};

use super::output::{Log, Readable};
use crate::layout::Layout;

/// Of a log that nobody has read, only so much of its end is.
const TAIL_BYTES: u64 = 64 << 10;

/// Whoever looks, and what they have read so far.
pub(super) struct Glance {
    layout: Layout,
    attempts: PathBuf,
    heard: Option<Heard>,
}

/// What an attempt printed.
struct Heard {
    attempt: String,
    log: Log,
    readable: Readable,
    /// The last line of it.
    last: Option<String>,
}

impl Glance {
    pub(super) fn new(layout: &Layout, run: &RunId) -> Self {
        Self { layout: layout.clone(), attempts: layout.attempts(run), heard: None }
    }

    /// The same, whatever kind of run it is.
    pub(super) fn look_at(&mut self, state: &StateOf, redactor: &Redactor) -> UnderWay {
        match state {
            StateOf::Loop(state) => self.look(&**state, redactor),
            StateOf::Workflow(state) => self.look(&**state, redactor),
            StateOf::Cycle(state) => self.look(&**state, redactor),
            StateOf::Ledger(state) => self.look(&**state, redactor),
        }
    }

    /// Looks at everything that may be at work.
    pub(super) fn look(&mut self, state: &impl Watched, redactor: &Redactor) -> UnderWay {
        let mut under_way = state.under_way();
        let alive: Vec<_> = state.at_work().into_iter().filter_map(|work| self.begun(work)).collect();
        if alive.is_empty() {
            return under_way;
        }
        under_way.what = alive.iter().map(|(work, _)| work.what.as_str()).collect::<Vec<_>>().join(", ");
        under_way.since = alive.iter().map(|(_, since)| *since).min();
        let said = alive.iter().find_map(|(work, _)| self.hear(work));
        under_way.says = said.map(|said| redactor.redact(&clean_line(&said)).into_owned());
        under_way
    }

    /// Since when it is at work, if it is.
    fn begun(&self, mut work: AtWork) -> Option<(AtWork, Timestamp)> {
        if work.has_tries {
            let tries = (1_u32..).map(|number| format!("{}-{number}", work.attempt));
            work.attempt = tries.take_while(|name| self.attempts.join(name).is_dir()).last()?;
        }
        match piton_agent::look(&self.attempts, &work.attempt).ok()? {
            Found::Alive { started: Some(started) } => Some((work, started.at)),
            Found::Alive { started: None } | Found::Absent | Found::Abandoned => None,
            Found::Finished(_) | Found::Dead { .. } => None,
        }
    }

    /// The last thing that it said or did. What cannot be read is not worth an error here: `piton output` says why.
    fn hear(&mut self, work: &AtWork) -> Option<String> {
        let format = work.speaks.as_ref()?;
        if self.heard.as_ref().is_none_or(|heard| heard.attempt != work.attempt) {
            let path = self.attempts.join(&work.attempt).join("stdout.log");
            let log = Log::tail_of(path, TAIL_BYTES);
            let attempt = work.attempt.clone();
            self.heard = Some(Heard { attempt, log, readable: Readable::default(), last: None });
        }
        let heard = self.heard.as_mut()?;
        while let Ok(Some(piece)) = heard.log.next(&self.layout) {
            let text = heard.readable.lines(format, &piece);
            let last = text.lines().rev().find(|line| !line.trim().is_empty());
            heard.last = last.map(|line| line.trim().to_owned()).or(heard.last.take());
        }
        heard.last.clone()
    }
}
