//! Which attempts of roles may begin, how they may end, and what becomes of a role then.

use super::{Journal, Place};
use crate::checker::data::Data;
use crate::checker::world::World;
use crate::checker::{Checked, Violation, violated};
use crate::history::Name;

/// Tries of a role that may fail in one iteration, attempts that it may lose in a row, and times that it may ask others.
const FAILURES_MAX: u32 = 3;
const LOST_MAX: u32 = 3;
const ASKS_MAX: u32 = 2;

impl Journal {
    /// Nothing begins that a person does not want, that a ceiling forbids, or that waits for a decision.
    pub(super) fn may_begin(&self, what: &str) -> Checked {
        if self.place != Place::Running {
            return violated("I4", format!("{what} begins while {:?}", self.place));
        }
        if self.asked.pause || self.asked.stop.is_some() {
            return violated("I6", format!("{what} begins, and somebody asked it to rest"));
        }
        if let Some((id, _)) = self.decisions.iter().find(|(_, decision)| **decision == (true, true)) {
            return violated("I6", format!("{what} begins, and decision {id} is awaited"));
        }
        if self.iteration.verdict.is_some() || self.iteration.number == 0 {
            return violated("I4", format!("{what} begins outside an iteration"));
        }
        let limits = &self.limits;
        let spent = limits.cost_microusd.is_some_and(|most| self.used.cost >= most);
        let used = limits.tokens.is_some_and(|most| self.tokens >= most);
        if spent || used || self.working_ms >= limits.working_ms {
            let what = format!(
                "{what} begins with {} spent, {} tokens used and {} ms worked",
                self.used.cost, self.tokens, self.working_ms
            );
            return violated("I13", what);
        }
        Ok(())
    }

    pub(super) fn role_started(&mut self, event: &Data<'_>, world: &World) -> Checked {
        let (number, name): (u32, &str) = (event.get("/attempt/number")?, event.get("/attempt/role")?);
        let iteration: u32 = event.get("/attempt/iteration")?;
        self.may_begin(&format!("attempt {number} of {name}"))?;
        if number != self.attempt + 1 || iteration != self.iteration.number {
            let what = format!("attempt {number} of iteration {iteration} follows attempt {}", self.attempt);
            return violated("I4", what);
        }
        self.attempt = number;
        self.may_role_begin(name, number, event)?;
        let of_role = |living: &&Name| self.role_of(**living).is_some_and(|role| role.shape.name == name);
        if let Some(other) = world.living().iter().find(of_role) {
            return violated("I10", format!("{name} begins while {other:?} is alive"));
        }
        let at_ms = event.at_ms();
        let restore: Option<String> = event.maybe("/attempt/restore")?;
        let role = self.role(name)?;
        if role.restore != restore {
            let what = format!("{name} is put back to {restore:?}, and {:?} is right", role.restore);
            return violated("I12", what);
        }
        (role.open, role.started_at_ms, role.nudges) = (Some(number), at_ms, 0);
        (role.not_before_ms, role.asked) = (None, Vec::new());
        role.hearing.begins();
        Ok(())
    }

    fn may_role_begin(&self, name: &str, number: u32, event: &Data<'_>) -> Checked {
        let Some(role) = self.named(name) else { return violated("I2", format!("there is no role {name}")) };
        if !role.due || role.open.is_some() {
            return violated("I4", format!("{name} begins, and has nothing to do or is at work"));
        }
        let is_due = |other: &String| self.named(other).is_some_and(|other| other.due);
        if let Some(other) = self.before(name).iter().find(|other| is_due(other)) {
            return violated("I4", format!("{name} begins before {other} is done"));
        }
        let comes_after = |other: &String| self.before(other).contains(name);
        if let Some(other) = role.asked.iter().find(|other| is_due(other) && !comes_after(other)) {
            return violated("I4", format!("{name} begins before {other}, whom it asked, had a turn"));
        }
        if let Some(round) = self.open_round {
            return violated("I4", format!("{name} begins while round {round} is open"));
        }
        let mut others = self.roles.iter().filter(|other| other.open.is_some());
        if let Some(other) = others.find(|other| role.shape.develops || other.shape.develops) {
            return violated(
                "I10",
                format!("{name} begins beside {}, and one of them writes", other.shape.name),
            );
        }
        if role.shape.validates && !self.is_judged() {
            return violated("I4", format!("{name} begins before the checks were run"));
        }
        if role.failures >= FAILURES_MAX || role.lost >= LOST_MAX {
            let what = format!("{name} begins after {} failures and {} losses", role.failures, role.lost);
            return violated("I13", what);
        }
        if role.not_before_ms.is_some_and(|moment| event.at_ms() < moment) {
            return violated("I13", format!("{name} begins before its time"));
        }
        let spent = role.shape.cost_microusd.is_some_and(|most| role.cost >= most);
        if spent || role.shape.tokens.is_some_and(|most| role.tokens >= most) {
            return violated(
                "I13",
                format!("attempt {number} of {name} begins, and it has used what it may"),
            );
        }
        Ok(())
    }

    /// First how it stands, then to come to an end; each once, and not before its time.
    pub(super) fn role_nudged(&mut self, event: &Data<'_>) -> Checked {
        let (number, nudge): (u32, &str) = (event.get("/attempt")?, event.get("/nudge")?);
        let (limit_ms, grace_ms) = (self.limits.attempt_ms as i64, self.grace_ms as i64);
        let Some(role) = self.roles.iter_mut().find(|role| role.open == Some(number)) else {
            return violated("I4", format!("attempt {number} is told to hurry and is not open"));
        };
        let expected = ["status_check", "finalize"].get(role.nudges).copied();
        if expected != Some(nudge) {
            return violated("I4", format!("attempt {number} is told {nudge}, and {expected:?} comes next"));
        }
        let due_ms =
            role.started_at_ms.saturating_add(limit_ms).saturating_add(grace_ms * role.nudges as i64);
        if event.at_ms() < due_ms {
            return violated("I13", format!("attempt {number} is told {nudge} before its time"));
        }
        role.nudges += 1;
        Ok(())
    }

    fn close(&mut self, event: &Data<'_>, what: &str, world: &World) -> Result<(u32, String), Violation> {
        let number = event.get("/attempt")?;
        let name = Name::Attempt(number);
        let Some(role) = self.role_of(name).map(|role| role.shape.name.clone()) else {
            return violated("I4", format!("attempt {number} was {what} and is not open"));
        };
        if world.living().contains(&name) {
            return violated("I10", format!("attempt {number} was {what} while it is alive"));
        }
        self.role(&role)?.open = None;
        Ok((number, role))
    }

    /// It never began, so all that was to be done before it still is.
    pub(super) fn role_abandoned(&mut self, event: &Data<'_>, world: &World) -> Checked {
        let (number, _) = self.close(event, "abandoned", world)?;
        world.check_never_started(Name::Attempt(number))
    }

    pub(super) fn role_finished(&mut self, event: &Data<'_>, world: &World) -> Checked {
        self.handed_in(event, event.get("/attempt")?)?;
        let (number, name) = self.close(event, "finished", world)?;
        let (outcome, cost): (&str, Option<u64>) =
            (event.get("/end/outcome")?, event.maybe("/end/cost_microusd")?);
        world.check_exit(Name::Attempt(number), (outcome, cost))?;
        let tokens: u64 = event.maybe("/end/tokens")?.unwrap_or(0);
        (self.used.count, self.worked_since) = (self.used.count + 1, true);
        self.used.cost += cost.unwrap_or(0);
        self.tokens += tokens;
        self.working_ms += event.get::<u64>("/end/duration_ms")?;
        let role = self.role(&name)?;
        role.cost += cost.unwrap_or(0);
        role.tokens += tokens;
        role.lost = 0;
        self.check_status(event, &name, outcome)?;
        self.tree_seen(event, "/end/snapshot")?;
        self.ruled(event, &name, "/end")
    }

    /// What an agent says makes things worse and never better.
    fn check_status(&self, event: &Data<'_>, name: &str, outcome: &str) -> Checked {
        let status: &str = event.get("/ruling/status")?;
        let said: Option<&str> = event.maybe("/end/handed_in/result/status")?;
        let is_good =
            outcome == "succeeded" && said == Some("completed") && !event.is("/end/handed_in/unusable")?;
        if status == "completed" && !is_good {
            return violated("I6", format!("{name} ended as {outcome}, said {said:?}, and has {status}"));
        }
        let by_itself = outcome == "succeeded" || (outcome == "timed_out" && said.is_some());
        if verdict_of(event)?.as_deref() == Some("done") && !by_itself {
            return violated("I6", format!("{name} ended as {outcome} with {said:?}, and its phase is done"));
        }
        Ok(())
    }

    pub(super) fn role_lost(&mut self, event: &Data<'_>, world: &World) -> Checked {
        let (number, name) = self.close(event, "lost", world)?;
        world.check_lost(Name::Attempt(number))?;
        (self.used.lost, self.worked_since) = (self.used.lost + 1, true);
        let role = self.role(&name)?;
        role.lost += 1;
        if role.lost >= LOST_MAX && !event.has("/ruling/verdict/halt") {
            return violated("I13", format!("{name} lost {} attempts in a row, and goes on", role.lost));
        }
        self.tree_seen(event, "/left/snapshot")?;
        self.ruled(event, &name, "/left")
    }

    /// What was ruled takes effect; what the guard refuses never counts as done.
    fn ruled(&mut self, event: &Data<'_>, name: &str, left: &str) -> Checked {
        let findings = format!("{left}/guard/findings");
        let is_refused = self.refuses
            && event.has(&findings)
            && event.each::<bool>(&findings, "blocking")?.contains(&true);
        let verdict = |word: &str| event.has(&format!("/ruling/verdict/{word}"));
        let plain = verdict_of(event)?;
        let (done, waits) = (plain.as_deref() == Some("done"), plain.as_deref() == Some("waits"));
        if is_refused && (done || waits) {
            return violated("I12", format!("{name} was refused by the guard, and goes on"));
        }
        self.take_notes(event, name)?;
        let base = self.iteration.base.clone();
        let status: String = event.get("/ruling/status")?;
        let free = event.is("/ruling/verdict/again/free")?;
        let word = if verdict("fail") { "fail" } else { "again" };
        let restore: Option<String> = event.maybe(&format!("/ruling/verdict/{word}/restore"))?;
        let not_before: Option<i64> = match event.maybe::<&str>("/ruling/verdict/again/not_before")? {
            Some(moment) => Some(millis(moment)?),
            None => None,
        };
        let is_tried_again = verdict("again") && !free || verdict("fail");
        if is_refused && is_tried_again && restore != base {
            return violated(
                "I12",
                format!("{name} was refused, and is put back to {restore:?} of {base:?}"),
            );
        }
        let role = self.role(name)?;
        (role.restore, role.not_before_ms, role.result) = (restore, not_before, status);
        if done {
            (role.due, role.worked, role.had_turn) = (role.called_back, true, true);
            role.failures = if role.called_back { 0 } else { role.failures };
            role.called_back = false;
            role.hearing.done();
        } else if waits {
            (role.failures, role.called_back) = (0, false);
            role.asks += 1;
            if role.asks > ASKS_MAX {
                return violated("I13", format!("{name} asked {} times in one iteration", role.asks));
            }
        } else if verdict("fail") || verdict("again") && !free {
            role.failures += 1;
        }
        if let Some(reason) = event.maybe::<String>("/ruling/verdict/fail/reason")? {
            if self.role(name)?.failures < FAILURES_MAX {
                return violated("I6", format!("{name} failed for good before its last try"));
            }
            self.failed = Some(reason);
        }
        if let Some(reason) = event.maybe::<String>("/ruling/verdict/halt/reason")? {
            self.halted.insert(reason);
        }
        if done || waits {
            self.roles.iter_mut().for_each(|role| role.asked.retain(|asked| asked != name));
        }
        if waits {
            self.send_back(event, name)?;
        }
        self.hear_all(event, "/ruling/feedback")
    }

    /// Those who were asked work again, and with them whoever worked after them already.
    fn send_back(&mut self, event: &Data<'_>, name: &str) -> Checked {
        let asked: Vec<String> = event.maybe("/ruling/asked")?.unwrap_or_default();
        if asked.is_empty() {
            return violated("I6", format!("{name} waits, and asked nobody"));
        }
        let follows = |other: &str| self.before(other).iter().any(|before| asked.contains(before));
        let again: Vec<String> = self
            .roles
            .iter()
            .filter(|role| role.worked && follows(&role.shape.name))
            .map(|role| role.shape.name.clone())
            .chain(asked.iter().cloned())
            .collect();
        for name in again {
            let role = self.role(&name)?;
            if role.open.is_some() {
                role.called_back = true;
            } else if !role.due {
                (role.due, role.failures) = (true, 0);
            }
        }
        self.role(name)?.asked = asked;
        Ok(())
    }
}

/// What becomes of the role, where that is said in a word.
fn verdict_of(event: &Data<'_>) -> Result<Option<String>, Violation> {
    let verdict: serde_json::Value = event.get("/ruling/verdict")?;
    Ok(verdict.as_str().map(str::to_owned))
}

/// A moment as events have it, in milliseconds.
fn millis(text: &str) -> Result<i64, Violation> {
    match serde_json::from_value::<piton_model::Timestamp>(serde_json::Value::from(text)) {
        Ok(moment) => Ok(moment.as_millis()),
        Err(error) => violated("I2", format!("{text} is no moment: {error}")),
    }
}
