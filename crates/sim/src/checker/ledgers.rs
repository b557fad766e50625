//! What the journal of a ledger says, event by event, and what its file and its log hold at the end.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::data::Data;
use super::world::World;
use super::{Checked, Rules, Violation, violated};
use crate::history::{Entry, Name};

/// What a batch of research may use.
#[derive(Deserialize)]
struct Limits {
    tokens: Option<u64>,
    microusd: Option<u64>,
    working_ms: Option<u64>,
}

/// A batch of research.
struct Batch {
    number: u32,
    open: Option<u32>,
    limits: Limits,
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

    /// Nobody drives a ledger.
    fn anyone_may_append(&self, _kind: &str) -> bool {
        true
    }

    fn take(&mut self, event: &Data<'_>, _first: u64, world: &World) -> Checked {
        let kind = event.kind();
        match kind {
            "file_adopted" => self.adopted(event)?,
            "gaps_flipped" => self.flipped(event)?,
            "gap_added" => {
                let gap: String = event.get("/gap/id")?;
                if self.gaps.insert(gap.clone(), event.get("/gap/status")?).is_some() {
                    return violated("I4", format!("gap {gap} was added twice"));
                }
            }
            "gap_removed" => {
                let gap: &str = event.get("/gap")?;
                if self.gaps.remove(gap).is_none() {
                    return violated("I4", format!("gap {gap} was removed and is not there"));
                }
            }
            "gap_checked" => drop(self.status(event.get("/gap")?)?),
            "gap_verified" => self.stands_at(event.get("/gap")?, "verified", kind)?,
            "gap_edited" => self.stands_at(event.get("/gap/id")?, event.get("/gap/status")?, kind)?,
            "flips_logged" => {
                self.flips_logged += event.get::<usize>("/count")?;
                if self.flips_logged > self.flips.len() {
                    return violated("I4", "more flips are logged than there are");
                }
            }
            "research_begun" => self.research_begun(event)?,
            "research_attempt_started" => self.attempt_started(event, world)?,
            "research_attempt_ended" => self.attempt_ended(event, world)?,
            "research_ended" => self.research_ended(event)?,
            "research_skipped" if self.batch.is_none() => {
                return violated("I4", "a gap was skipped, and nobody researches");
            }
            "ledger_opened" | "research_skipped" | "file_written" | "watch_set" | "checkpoint_taken" => {}
            _ => return violated("I2", format!("nobody knows an event {kind}")),
        }
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
    fn status(&self, gap: &str) -> Result<&str, Violation> {
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

    fn flipped(&mut self, event: &Data<'_>) -> Checked {
        let each = |member| event.each::<String>("/flips", member);
        for ((gap, old), new) in each("gap")?.into_iter().zip(each("old")?).zip(each("new")?) {
            if self.status(&gap)? != old || old == new {
                return violated("I4", format!("gap {gap} went from {old} to {new}, and was not {old}"));
            }
            self.gaps.insert(gap.clone(), new.clone());
            self.flips.push((gap, old, new));
        }
        Ok(())
    }

    fn adopted(&mut self, event: &Data<'_>) -> Checked {
        for gap in event.get::<Vec<&str>>("/removed")? {
            self.gaps.remove(gap);
        }
        let gaps: Vec<String> = event.each("/gaps", "id")?;
        for (gap, status) in gaps.into_iter().zip(event.each::<String>("/gaps", "status")?) {
            match self.gaps.contains_key(&gap) {
                true => self.stands_at(&gap, &status, "file_adopted")?,
                false => drop(self.gaps.insert(gap, status)),
            }
        }
        Ok(())
    }

    fn research_begun(&mut self, event: &Data<'_>) -> Checked {
        let number = event.get("/number")?;
        if self.batch.is_some() || number != self.batches + 1 {
            return violated("I4", format!("batch {number} follows batch {}", self.batches));
        }
        self.batches = number;
        let limits = event.get("/limits")?;
        self.batch = Some(Batch { number, open: None, limits, tokens: 0, microusd: 0, working_ms: 0 });
        Ok(())
    }

    fn attempt_started(&mut self, event: &Data<'_>, world: &World) -> Checked {
        let number = event.get("/open/attempt")?;
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

    fn attempt_ended(&mut self, event: &Data<'_>, world: &World) -> Checked {
        let number = event.get("/attempt")?;
        let name = Name::Attempt(number);
        let open = self.batch.as_mut().filter(|batch| batch.open == Some(number));
        let Some(batch) = open else {
            return violated("I4", format!("attempt {number} ended and is not open"));
        };
        if world.living().contains(&name) {
            return violated("I10", format!("attempt {number} ended while it is alive"));
        }
        let recorded: Option<u64> = event.maybe("/used/microusd")?;
        let is = |result: &str| event.has(&format!("/result/{result}"));
        match world.exit(name) {
            Some((_, cost)) if cost != recorded => {
                let what = format!("attempt {number} cost {cost:?}, {recorded:?} is recorded");
                return violated("I13", what);
            }
            Some(_) if is("lost") => {
                return violated("I4", format!("attempt {number} is recorded as lost; its outcome is known"));
            }
            Some(("succeeded", _)) => {}
            Some((outcome, _)) if !is("failed") => {
                let what = format!("attempt {number} ended as {outcome}, and is recorded as good");
                return violated("I4", what);
            }
            None if is("settled") || is("overruled") => {
                return violated("I4", format!("attempt {number} has a result that nobody knows"));
            }
            Some(_) | None => {}
        }
        batch.open = None;
        batch.tokens += event.maybe::<u64>("/used/tokens")?.unwrap_or(0);
        batch.microusd += recorded.unwrap_or(0);
        batch.working_ms += event.get::<u64>("/used/working_ms")?;
        Ok(())
    }

    fn research_ended(&mut self, event: &Data<'_>) -> Checked {
        let (number, why): (u32, &str) = (event.get("/number")?, event.get("/why")?);
        match self.batch.take() {
            Some(batch) if batch.number == number && batch.open.is_none() && !why.is_empty() => Ok(()),
            _ => violated("I4", format!("batch {number} ended, and is not under way or has an agent")),
        }
    }
}
