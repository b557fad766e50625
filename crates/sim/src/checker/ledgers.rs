//! What the journal of a ledger says, event by event, and what its file and its log hold at the end.

use std::collections::BTreeMap;

use super::shape::{self, parse};
use super::world::World;
use super::{Checked, Rules, violated};
use crate::history::{By, Entry, Name, RawEvent, View};

/// A batch of research.
struct Batch {
    number: u32,
    open: Option<u32>,
    limits: shape::ResearchLimits,
    tokens: u64,
    microusd: u64,
    working_ms: u64,
}

impl Batch {
    /// A limit is reached: nothing more may be begun.
    fn is_spent(&self) -> bool {
        let over = |limit: Option<u64>, used: u64| limit.is_some_and(|limit| used >= limit);
        over(self.limits.tokens, self.tokens)
            || over(self.limits.microusd, self.microusd)
            || over(self.limits.working_ms, self.working_ms)
    }
}

/// Facts of the journal so far.
#[derive(Default)]
pub(super) struct Journal {
    opened: bool,
    /// Where each gap stands.
    gaps: BTreeMap<String, String>,
    /// Every change of a status, in order: gap, from, to.
    flips: Vec<(String, String, String)>,
    flips_logged: usize,
    batch: Option<Batch>,
    batches: u32,
    attempts: u32,
    /// What people wrote, the last time, of each gap.
    questions: BTreeMap<String, String>,
    /// What the file says at the end.
    file: BTreeMap<String, (String, String)>,
    /// What the log says at the end.
    log: Vec<(String, String, String)>,
}

impl Rules for Journal {
    fn at_rest(&self) -> bool {
        self.batch.is_none()
    }

    /// One agent at a time, and only what is open.
    fn may_start(&self, name: Name, world: &World) -> Checked {
        if let Some(other) = world.living().first() {
            return violated("I10", format!("{name:?} was started while {other:?} is alive"));
        }
        let open = self.batch.as_ref().and_then(|batch| batch.open);
        match name {
            Name::Attempt(number) if open == Some(number) => Ok(()),
            _ => violated("I4", format!("{name:?} was started, but is not open in the journal")),
        }
    }

    fn see(&mut self, entry: &Entry, _world: &World) -> Checked {
        match entry {
            Entry::Asked { gap, question } => {
                self.questions.insert(gap.clone(), question.clone());
            }
            Entry::FileSays { gap, question, status } => {
                self.file.insert(gap.clone(), (question.clone(), (*status).to_owned()));
            }
            Entry::Logged { gap, old, new, .. } => {
                self.log.push((gap.clone(), (*old).to_owned(), (*new).to_owned()));
            }
            _ => {}
        }
        Ok(())
    }

    fn take(&mut self, event: &RawEvent, by: By, _first: u64, world: &World) -> Checked {
        let kind = event.kind.as_str();
        if matches!(by, By::Epoch(_)) {
            return violated("I5", format!("{kind} came from a driver, and nobody drives a ledger"));
        }
        if (event.seq == 1) != (kind == "ledger_opened" && !self.opened) {
            return violated("I2", format!("{kind} is event {}", event.seq));
        }
        match kind {
            "ledger_opened" => self.opened = true,
            "file_adopted" => self.adopted(parse(event)?)?,
            "gap_flipped" => self.flipped(parse(event)?)?,
            "gap_added" => {
                let added: shape::GapAdded = parse(event)?;
                if self.gaps.insert(added.gap.id.clone(), added.gap.status).is_some() {
                    return violated("I4", format!("gap {} was added twice", added.gap.id));
                }
            }
            "gap_removed" => {
                let named: shape::OfGap = parse(event)?;
                if self.gaps.remove(&named.gap).is_none() {
                    return violated("I4", format!("gap {} was removed and is not there", named.gap));
                }
            }
            "gap_checked" => {
                let named: shape::OfGap = parse(event)?;
                self.status(&named.gap)?;
            }
            "gap_verified" => {
                let named: shape::OfGap = parse(event)?;
                self.stands_at(&named.gap, "verified", kind)?;
            }
            "gap_edited" => {
                let edited: shape::GapAdded = parse(event)?;
                self.stands_at(&edited.gap.id, &edited.gap.status, kind)?;
            }
            "flips_logged" => {
                let logged: shape::FlipsLogged = parse(event)?;
                self.flips_logged += logged.count;
                if self.flips_logged > self.flips.len() {
                    return violated("I4", "more flips are logged than there are");
                }
            }
            "research_begun" => self.research_begun(parse(event)?)?,
            "research_attempt_started" => self.attempt_started(&parse(event)?, world)?,
            "research_attempt_ended" => self.attempt_ended(&parse(event)?, world)?,
            "research_ended" => self.research_ended(&parse(event)?)?,
            "research_skipped" if self.batch.is_none() => {
                return violated("I4", "a gap was skipped, and nobody researches");
            }
            "research_skipped" | "file_written" | "watch_set" | "checkpoint_taken" => {}
            _ => return violated("I2", format!("nobody knows an event {kind}")),
        }
        Ok(())
    }

    fn check_view(&self, _view: &View) -> Checked {
        Ok(())
    }

    /// Journal, file and log agree, and nothing is lost that people wrote.
    fn at_the_end(&self, _world: &World) -> Checked {
        if self.log != self.flips || self.flips_logged != self.flips.len() {
            let (there, recorded, logged) = (self.log.len(), self.flips.len(), self.flips_logged);
            let what = format!(
                "{recorded} flips are recorded, {logged} as logged, and the log holds {there} others"
            );
            return violated("I4", what);
        }
        let statuses: BTreeMap<&String, &String> =
            self.file.iter().map(|(gap, (_, status))| (gap, status)).collect();
        if statuses != self.gaps.iter().collect() {
            let what = format!("the file says {statuses:?}, {:?} is recorded", self.gaps);
            return violated("I7", what);
        }
        for (gap, (question, _)) in &self.file {
            if self.questions.get(gap).is_some_and(|asked| asked != question) {
                return violated("I1", format!("what a person wrote of gap {gap} is lost"));
            }
        }
        Ok(())
    }
}

impl Journal {
    fn status(&self, gap: &str) -> Result<&str, super::Violation> {
        match self.gaps.get(gap) {
            Some(status) => Ok(status),
            None => violated("I4", format!("there is no gap {gap}")),
        }
    }

    /// Every change of a status is a flip of its own, before anything else says so.
    fn stands_at(&self, gap: &str, status: &str, what: &str) -> Checked {
        match self.status(gap)? {
            known if known == status => Ok(()),
            known => violated("I4", format!("{what}: gap {gap} is {status}, and no flip says so ({known})")),
        }
    }

    fn flipped(&mut self, flipped: shape::GapFlipped) -> Checked {
        let shape::Flip { gap, old, new } = flipped.flip;
        if self.status(&gap)? != old || old == new {
            return violated("I4", format!("gap {gap} went from {old} to {new}, and was not {old}"));
        }
        self.gaps.insert(gap.clone(), new.clone());
        self.flips.push((gap, old, new));
        Ok(())
    }

    fn adopted(&mut self, adopted: shape::FileAdopted) -> Checked {
        for gap in adopted.removed {
            self.gaps.remove(&gap);
        }
        for gap in adopted.gaps {
            match self.gaps.contains_key(&gap.id) {
                true => self.stands_at(&gap.id, &gap.status, "file_adopted")?,
                false => drop(self.gaps.insert(gap.id, gap.status)),
            }
        }
        Ok(())
    }

    fn research_begun(&mut self, begun: shape::ResearchBegun) -> Checked {
        if self.batch.is_some() || begun.number != self.batches + 1 {
            return violated("I4", format!("batch {} follows batch {}", begun.number, self.batches));
        }
        self.batches = begun.number;
        let (number, limits) = (begun.number, begun.limits);
        self.batch = Some(Batch { number, open: None, limits, tokens: 0, microusd: 0, working_ms: 0 });
        Ok(())
    }

    fn attempt_started(&mut self, started: &shape::ResearchStarted, world: &World) -> Checked {
        let number = started.open.attempt;
        let Some(batch) = &mut self.batch else {
            return violated("I4", format!("attempt {number} begins, and nobody researches"));
        };
        if batch.open.is_some() || number != self.attempts + 1 {
            let what = format!("attempt {number} follows {} with {:?} open", self.attempts, batch.open);
            return violated("I4", what);
        }
        if batch.is_spent() {
            return violated("I13", format!("attempt {number} begins, and a limit is reached"));
        }
        if let Some(name) = world.living().first() {
            return violated("I10", format!("attempt {number} begins while {name:?} is alive"));
        }
        (self.attempts, batch.open) = (number, Some(number));
        Ok(())
    }

    fn attempt_ended(&mut self, ended: &shape::ResearchAttemptEnded, world: &World) -> Checked {
        let (number, name) = (ended.attempt, Name::Attempt(ended.attempt));
        let open = self.batch.as_mut().filter(|batch| batch.open == Some(number));
        let Some(batch) = open else {
            return violated("I4", format!("attempt {number} ended and is not open"));
        };
        if world.living().contains(&name) {
            return violated("I10", format!("attempt {number} ended while it is alive"));
        }
        let used = &ended.used;
        let is = |result: &str| ended.result.get(result).is_some();
        match world.exit(name) {
            Some((_, cost)) if cost != used.microusd => {
                return violated(
                    "I13",
                    format!("attempt {number} cost {cost:?}, {:?} is recorded", used.microusd),
                );
            }
            Some(_) if is("lost") => {
                return violated("I4", format!("attempt {number} is recorded as lost; its outcome is known"));
            }
            Some(("succeeded", _)) => {}
            Some((outcome, _)) if !is("failed") => {
                return violated(
                    "I4",
                    format!("attempt {number} ended as {outcome}, and is recorded as good"),
                );
            }
            None if is("settled") || is("overruled") => {
                return violated("I4", format!("attempt {number} has a result that nobody knows"));
            }
            Some(_) | None => {}
        }
        batch.open = None;
        batch.tokens += used.tokens.unwrap_or(0);
        batch.microusd += used.microusd.unwrap_or(0);
        batch.working_ms += used.working_ms;
        Ok(())
    }

    fn research_ended(&mut self, ended: &shape::ResearchEnded) -> Checked {
        match self.batch.take() {
            Some(batch) if batch.number == ended.number && batch.open.is_none() && !ended.why.is_empty() => {
                Ok(())
            }
            _ => {
                violated("I4", format!("batch {} ended, and is not under way or has an agent", ended.number))
            }
        }
    }
}
