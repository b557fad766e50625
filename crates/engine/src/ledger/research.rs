//! Agents that look into gaps, one at a time, each held by a keeper.
//!
//! The intent is on record before the agent starts; what became of it is looked up in its directory, by this process or
//! by a later one. While an agent works the ledger is not locked: people and other pitons edit it meanwhile.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::PathBuf;

use piton_agent::Spec;
use piton_model::ledger::{Gap, Outcome, clip_to_tokens, due_at, survey, to_iso};
use piton_model::ledger_machine::{Command, Found, LedgerEvent, OpenResearch, Rejection, State, Used};
use piton_model::loop_machine::{AgentConfig, Confine};
use piton_model::{RunId, Timestamp};
use piton_sys::file;
use piton_sys::lock::FileLock;
use piton_view::words::ledger as words;
use piton_view::{Batch, ResearchUpdate};

use super::{Evidence, Ledger, LedgerError, result};
use crate::launch::{AGENT_OUTPUT_BYTES_MAX, Surroundings, What, Work, require_adapter};
use crate::layout::Layout;
use crate::supervise::kept::{Kept, Plan, Supervisor};
use crate::supervise::{Became, Supervision};

/// How much of a prompt earlier findings may take.
const FINDINGS_TOKENS_MAX: usize = 4_000;

/// Who researches.
#[derive(Clone, Debug)]
pub struct Researcher {
    /// The agent.
    pub agent: AgentConfig,
    /// How long it may be silent.
    pub idle_ms: Option<u64>,
    /// How long one attempt may take.
    pub attempt_ms: u64,
    /// The walls it works between, if it is to have them.
    pub confine: Option<Confine>,
    /// Paths of the repository that stay as they are, where there are walls.
    pub protect: Vec<String>,
}

/// The right to research in a ledger: one process at a time.
pub struct Turn(#[expect(dead_code, reason = "held, not read")] FileLock);

fn turn_lock(layout: &Layout, run: &RunId) -> PathBuf {
    layout.ledgers().join(format!("{run}.research.lock"))
}

/// Whether a process researches in this ledger.
pub(crate) fn is_researched(layout: &Layout, run: &RunId) -> Result<bool, piton_store::Error> {
    Ok(FileLock::is_held(&turn_lock(layout, run))?)
}

/// Nobody takes the turn of a process that lives, and nobody cancels what it started.
impl Supervisor for &Turn {
    type Error = LedgerError;

    fn require_lease(&self) -> Result<(), LedgerError> {
        Ok(())
    }
}

impl Ledger<'_> {
    /// Takes the right to research; `None` where another process has it.
    pub fn take_turn(&self) -> Result<Option<Turn>, LedgerError> {
        file::create_private_dir(&self.layout.ledgers())?;
        Ok(FileLock::try_exclusive(&turn_lock(self.layout, &self.run))?.map(Turn))
    }

    /// Carries on with the batch that is under way, to its end. `None` where there is none.
    pub async fn research(
        &self,
        turn: &Turn,
        researcher: &Researcher,
        now: &(dyn Fn() -> Timestamp + Sync),
        tell: &mut (dyn FnMut(ResearchUpdate) + Send),
    ) -> Result<Option<Batch>, LedgerError> {
        file::create_private_dir(&self.layout.attempts(&self.run))?;
        piton_agent::sweep(&self.layout.attempts(&self.run))?;
        let launch = Surroundings::open(&self.run, self.layout, researcher.confine.as_ref())?;
        let launch = launch.closing_git()?.protecting(&researcher.protect);
        loop {
            let (open, fresh) = match self.next_attempt(now(), tell).await? {
                Next::Attempt { open, fresh } => (open, fresh),
                Next::Over(batch) => return Ok(batch),
            };
            let (gap, attempt) = (open.gap.id.clone(), open.attempt);
            tell(ResearchUpdate::Started { gap: gap.clone(), attempt, found: !fresh });
            let (found, used) = self.perform(turn, &launch, researcher, &open, fresh, now)?;
            launch.take_notes().into_iter().for_each(|note| tell(ResearchUpdate::Warned(note)));
            let mut ledger = self.open(now()).await?;
            let ended = ledger.run(Command::EndAttempt { attempt, found, used }, now()).await;
            let changed = match ended {
                // Somebody else has recorded it, or has stopped the batch.
                Err(LedgerError::Rejected(Rejection::NoResearch)) => continue,
                // What it found does not fit into the ledger any more: that is a failure like any other.
                Err(LedgerError::Rejected(error @ Rejection::Invalid(_))) => {
                    let found = Found::Failed(error.to_string());
                    ledger.run(Command::EndAttempt { attempt, found, used }, now()).await?
                }
                Err(LedgerError::Rewrite(error)) => {
                    let found = Found::Failed(error.to_string());
                    ledger.run(Command::EndAttempt { attempt, found, used }, now()).await?
                }
                changed => changed?,
            };
            let warn = |what| tell(ResearchUpdate::Warned(words::overruled(what)));
            changed.overruled.iter().for_each(warn);
            for event in changed.events {
                if let LedgerEvent::ResearchAttemptEnded { result, used, .. } = event {
                    tell(ResearchUpdate::Ended { gap: gap.clone(), result, used });
                }
            }
        }
    }

    /// The attempt that is open, or the next; with whether this very call has begun it.
    async fn next_attempt(
        &self,
        now: Timestamp,
        tell: &mut (dyn FnMut(ResearchUpdate) + Send),
    ) -> Result<Next, LedgerError> {
        let mut ledger = self.open(now).await?;
        let Some(research) = ledger.state().research.clone() else { return Ok(Next::Over(None)) };
        let (spent, total) = (research.spent, research.total());
        if let Some(open) = research.open {
            return Ok(Next::Attempt { open, fresh: false });
        }
        let (host, boot) = (piton_sys::process::host_id(), piton_sys::process::boot_id());
        let changed = ledger.run(Command::StartAttempt { host, boot }, now).await?;
        let mut left = research.waiting;
        for event in changed.events {
            match event {
                LedgerEvent::ResearchAttemptStarted { open } => {
                    return Ok(Next::Attempt { open, fresh: true });
                }
                LedgerEvent::ResearchSkipped { gap } => {
                    left.retain(|other| *other != gap);
                    tell(ResearchUpdate::Skipped { gap });
                }
                LedgerEvent::ResearchEnded { why, .. } => {
                    let (settled, failed) = (research.settled, research.failed);
                    return Ok(Next::Over(Some(Batch { why, spent, total, settled, failed, left })));
                }
                _ => {}
            }
        }
        Ok(Next::Over(None))
    }

    fn perform(
        &self,
        turn: &Turn,
        launch: &Surroundings,
        researcher: &Researcher,
        open: &OpenResearch,
        fresh: bool,
        now: &(dyn Fn() -> Timestamp + Sync),
    ) -> Result<(Found, Used), LedgerError> {
        let name = open.attempt.to_string();
        if let Err(why) = require_adapter(&researcher.agent) {
            return Ok((Found::Failed(why), Used::default()));
        }
        let plan = |_: &str| Ok(Plan::<Infallible>::Start(self.spec(launch, researcher, open)));
        let supervision = Supervision::of_recorded(&open.host, &open.boot, fresh);
        let found = match supervision.run(&mut Kept::new(launch, &name, turn, &plan))? {
            Became::Ended(exit) => {
                let directory = launch.attempts().join(&name);
                let evidence = Evidence::of(self.layout, &self.settings);
                let (agent, redactor) = (&researcher.agent, launch.redactor());
                return Ok(result::of_exit(&exit, &directory, agent, &evidence, now(), redactor)?);
            }
            Became::NoKeeper { detail } => Found::Failed(detail),
            Became::Postponed(never) => match never {},
            Became::NeverStarted => Found::Lost("the agent never started".to_owned()),
            Became::Lost(_) if open.host != piton_sys::process::host_id() => {
                Found::Lost("it ran on another machine".to_owned())
            }
            Became::Lost(_) => Found::Lost("the agent was killed with its keeper".to_owned()),
        };
        Ok((found, Used::default()))
    }

    fn spec(&self, launch: &Surroundings, researcher: &Researcher, open: &OpenResearch) -> Box<Spec> {
        let name = open.attempt.to_string();
        let env = BTreeMap::from([
            ("PITON_ATTEMPT".to_owned(), name.clone()),
            ("PITON_ITERATION".to_owned(), name.clone()),
            ("PITON_GAP".to_owned(), open.gap.id.clone()),
        ]);
        launch.prepare(Work {
            name: &name,
            what: What::Agent { agent: &researcher.agent, session: None, brief: None },
            directory: self.layout.root(),
            env,
            prompt: Some(prompt(&open.gap)),
            wall_ms: researcher.attempt_ms,
            idle_ms: researcher.idle_ms,
            output_bytes_max: AGENT_OUTPUT_BYTES_MAX,
            beside: None,
            pass: None,
            own: None,
        })
    }
}

enum Next {
    Attempt { open: OpenResearch, fresh: bool },
    Over(Option<Batch>),
}

/// What a research agent is told.
pub fn prompt(gap: &Gap) -> String {
    let question = if gap.question.is_empty() { &gap.id } else { &gap.question };
    let mut text = format!(
        "# Research\n\nLook into one open question and say what is true today. Change no files.\n\n\
         ## Question\n\n{question}\n\n(gap `{}`, category `{}`)\n",
        gap.id, gap.category
    );
    if !gap.findings.is_empty() {
        let when = gap.last_verified.map_or_else(String::new, |at| format!(", verified {}", to_iso(at)));
        let known = clip_to_tokens(&gap.findings, FINDINGS_TOKENS_MAX);
        text.push_str(&format!(
            "\n## What was known{when}\n\nIt may be out of date. Confirm it or replace it; do not repeat it unchecked.\n\n{known}\n"
        ));
        for source in &gap.evidence {
            text.push_str(&format!("- {}: {}\n", source.kind.key(), source.kind.text()));
        }
    }
    let outcomes = Outcome::ALL.map(|outcome| format!("\"{}\"", outcome.as_str())).join(" | ");
    text.push_str(&format!(
        "\n## Evidence\n\n- Every finding rests on something that another can look at: a file of this repository, a command and \
         what it shows, a commit, or an address with its date.\n- Name files relative to the repository; piton takes their hash, \
         and when one changes the finding is out of date. The gap file itself is no evidence.\n- Say what you saw, not what you expect. What you could not confirm is \
         not a finding.\n\n## Answer\n\nWrite this JSON object to `custom.research` in the file `$PITON_REPORT` (a JSON object, too), \
         or print it last:\n\n```json\n{{\"outcome\": {outcomes},\n \"findings\": \"what is true, in a few sentences\",\n \
         \"evidence\": [{{\"file\": \"path\"}}, {{\"command\": \"…\"}}, {{\"commit\": \"…\"}}, {{\"url\": \"…\", \"at\": \"2026-02-15\"}}]}}\n```\n\n\
         `full_report`: answered. `short_report`: answered in part. `no_new_findings`: what was known still is all there is. \
         `insufficient_data`: too little to say anything; that is a good answer, too.\n"
    ));
    text
}

/// When there is something to look into next, if nobody edits anything: `None` where nothing ever is.
pub fn next_look(state: &State, now: Timestamp) -> Option<Timestamp> {
    let stale_since = state.stale_since();
    let survey = survey(&state.gaps, state.default_ttl_days, now, &stale_since);
    let ttl_ms = |gap: &Gap| {
        let days = gap.ttl_days.unwrap_or(i64::from(state.default_ttl_days));
        u64::try_from(days).unwrap_or(0).saturating_mul(86_400_000)
    };
    let open = survey.candidates.iter().map(|gap| state.rests_until(&gap.id, now).unwrap_or(now));
    let checked =
        survey.checked.iter().filter_map(|gap| Some(gap.last_checked?.plus_millis(ttl_ms(gap) + 1)));
    let fresh = state.gaps.iter().filter(|gap| gap.status == piton_model::ledger::GapStatus::Verified);
    let due = fresh.filter_map(|gap| Some(due_at(gap, state.default_ttl_days)?.plus_millis(1)));
    open.chain(checked).chain(due).min()
}
