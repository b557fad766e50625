//! What people asked for, and what a rest of the run means by it.

use super::{Journal, Place};
use crate::checker::data::Data;
use crate::checker::{Checked, violated};

/// An edit of the state file: its signal, its fields, and the append that it was recorded with.
pub(super) type Edit = (Option<String>, Vec<String>, Option<u64>);

/// What was asked and has not happened yet.
#[derive(Default)]
pub(super) struct Asked {
    pub(super) pause: bool,
    /// By whom.
    pub(super) stop: Option<String>,
    pub(super) resume: bool,
    pub(super) edits: Vec<Edit>,
}

impl Asked {
    fn ask_to_go_on(&mut self) {
        (self.pause, self.stop, self.resume) = (false, None, true);
    }

    fn ask_to_pause(&mut self) {
        (self.pause, self.resume) = (true, false);
    }

    fn ask_to_stop(&mut self, origin: &str) {
        (self.stop, self.resume) = (Some(origin.to_owned()), false);
    }
}

impl Journal {
    pub(super) fn request(&mut self, event: &Data<'_>) -> Checked {
        match event.kind() {
            "pause_requested" => self.asked.ask_to_pause(),
            "stop_requested" => self.asked.ask_to_stop(event.get("/origin")?),
            "resume_requested" => self.asked.ask_to_go_on(),
            "extension_requested" => {
                self.extensions.push(event.get("/text")?);
                let rests = !matches!(self.place, Place::Created | Place::Running);
                if rests || event.has("/raise") {
                    self.asked.ask_to_go_on();
                }
            }
            "feedback_added" => self.hear(event.get("/target")?, event.get("/content")?),
            "decision_proposed" => {
                let waits = event.is("/waits")?;
                self.decide_later(waits);
            }
            "decision_settled" => {
                let status: &str = event.get("/status")?;
                if let Some(decision) = self.decisions.get_mut(event.get::<&str>("/id")?) {
                    decision.0 = status == "pending";
                }
            }
            "blocker_reported" => self.block(event.get("/description")?, event.get("/by")?),
            "blocker_settled" => {
                if let Some(blocker) = self.blockers.get_mut(event.get::<&str>("/id")?) {
                    *blocker = None;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn decide_later(&mut self, waits: bool) {
        let id = format!("DEC-{:03}", self.decisions.len() + 1);
        self.decisions.insert(id, (true, waits));
    }

    fn block(&mut self, description: String, by: String) {
        let id = format!("BLK-{:03}", self.blockers.len() + 1);
        self.blockers.insert(id, Some((description, by)));
    }

    /// A role that goes on takes back what it said stood in its way: its own words only, and none that it says again.
    fn unblock(&mut self, event: &Data<'_>, name: &str, said: &[String]) -> Checked {
        if !event.has("/ruling/resolved") {
            return Ok(());
        }
        for id in event.each::<String>("/ruling/resolved", "id")? {
            let open = self.blockers.get_mut(&id).map(Option::take);
            match open.flatten() {
                Some((text, by)) if by == name && !said.contains(&text) => {}
                open => return violated("I6", format!("{name} resolved {id}, which is {open:?}")),
            }
        }
        Ok(())
    }

    /// What a role wants to be decided, and what stands in its way.
    pub(super) fn take_notes(&mut self, event: &Data<'_>, name: &str) -> Checked {
        if event.has("/ruling/blockers") {
            for description in event.each::<String>("/ruling/blockers", "description")? {
                self.block(description, name.to_owned());
            }
        }
        let said: Vec<String> = event.maybe("/end/handed_in/blockers")?.unwrap_or_default();
        let is_known = |text: &&String| self.blockers.values().flatten().any(|(open, _)| open == *text);
        if let Some(lost) = said.iter().find(|text| !is_known(text)) {
            return violated("I1", format!("{lost:?} stands in the way, and is not on record"));
        }
        self.unblock(event, name, &said)?;
        if event.has("/end/handed_in/decisions") {
            let count = event.get::<Vec<serde::de::IgnoredAny>>("/end/handed_in/decisions")?.len();
            for index in 0..count {
                let waits = event.is(&format!("/ruling/decisions/{index}/waits"))?;
                if !event.has(&format!("/ruling/decisions/{index}")) {
                    return violated("I1", "something is to be decided, and is not on record");
                }
                self.decide_later(waits);
            }
        }
        Ok(())
    }

    /// Somebody made this edit, and it is heard once.
    pub(super) fn state_edited(&mut self, event: &Data<'_>, first: u64) -> Checked {
        let signal: Option<String> = event.maybe("/edited/signal")?;
        let fields: Vec<String> = event.maybe("/edited/fields")?.unwrap_or_default();
        let is_it = |edit: &&mut Edit| edit.0 == signal && edit.1 == fields;
        let Some(edit) = self.asked.edits.iter_mut().rev().find(is_it) else {
            return violated("I6", format!("an edit of {fields:?} with {signal:?} was made by nobody"));
        };
        if !fields.is_empty() && edit.2.is_some_and(|earlier| earlier != first) {
            return violated("I4", format!("the edit of {fields:?} is heard a second time"));
        }
        edit.2 = Some(first);
        match signal.as_deref() {
            Some("pause" | "unknown") => self.asked.ask_to_pause(),
            Some("stop") => self.asked.ask_to_stop("command"),
            Some("continue") => self.asked.ask_to_go_on(),
            _ => {}
        }
        Ok(())
    }

    /// What somebody wrote into the state file stays there until it is on record.
    pub(super) fn edit_gone(&self, signal: Option<&str>, fields: &[String]) -> Checked {
        let is_it = |edit: &&Edit| edit.0.as_deref() == signal && edit.1 == fields;
        match self.asked.edits.iter().rev().find(is_it) {
            Some((_, _, Some(_))) => Ok(()),
            _ => violated("I1", format!("the edit of {fields:?} with {signal:?} is gone, and not on record")),
        }
    }

    /// It rests, and what was asked of it is done; whoever wants it to go on is still to be heard.
    pub(super) fn rest(&mut self, place: Place) {
        self.place = place;
        (self.asked.pause, self.asked.stop) = (false, None);
    }

    pub(super) fn waiting(&mut self, event: &Data<'_>) -> Checked {
        self.nothing_open("run_waiting")?;
        let reason: &str = event.get("/reason")?;
        let waits = match reason {
            "human" => self.decisions.values().any(|decision| *decision == (true, true)),
            "blocked" => self.blockers.values().any(Option::is_some),
            _ => false,
        };
        if !waits {
            return violated("I6", format!("the run waits ({reason}), and nobody can do anything about it"));
        }
        self.place = Place::Waiting;
        Ok(())
    }

    pub(super) fn paused(&mut self, event: &Data<'_>) -> Checked {
        self.nothing_open("run_paused")?;
        let reason: &str = event.get("/reason")?;
        let meant = match reason {
            "human" => self.asked.pause,
            _ => self.confirms && self.iteration.verdict.is_some() && !self.iteration.confirmed,
        };
        if !meant {
            return violated("I6", format!("the run paused ({reason}), and nobody asked for it"));
        }
        (self.place, self.asked.pause) = (Place::Paused, false);
        Ok(())
    }

    pub(super) fn stopped(&mut self, event: &Data<'_>) -> Checked {
        let reason: &str = event.get("/reason")?;
        if reason == "environment" {
            // Nothing can be started: what is open is looked up once it goes on.
            let place = if self.nothing_open("").is_ok() { Place::Resting } else { Place::Disturbed };
            self.rest(place);
            return Ok(());
        }
        self.nothing_open("run_stopped")?;
        let limits = &self.limits;
        let role_spent = |role: &super::Role| {
            role.shape.cost_microusd.is_some_and(|most| role.cost >= most)
                || role.shape.tokens.is_some_and(|most| role.tokens >= most)
        };
        let meant = match reason {
            "limit:cost" | "limit:tokens" => {
                limits.cost_microusd.is_some_and(|most| self.used.cost >= most)
                    || limits.tokens.is_some_and(|most| self.tokens >= most)
                    || self.roles.iter().any(role_spent)
            }
            "limit:duration" => self.working_ms >= limits.working_ms,
            "limit:iterations" => self.iteration.number >= limits.iterations,
            "no_progress" => self.idle_iterations >= limits.no_progress,
            reason if self.halted.contains(reason) => true,
            _ => self.asked.stop.is_some(),
        };
        if !meant {
            return violated("I6", format!("the run stopped ({reason}), and nothing asked for it"));
        }
        self.rest(Place::Resting);
        Ok(())
    }

    /// It failed because a role did, or because no iteration is left and not all is well; and says why.
    pub(super) fn gave_up(&mut self, event: &Data<'_>) -> Checked {
        self.nothing_open("run_failed")?;
        let reason: &str = event.get("/reason")?;
        let is_left = self.iteration.number < self.limits.iterations;
        let meant = match reason {
            "limit:iterations" => !is_left && self.iteration.verdict.as_deref() != Some("converged"),
            reason => self.failed.as_deref() == Some(reason),
        };
        if !meant || event.maybe::<&str>("/detail")?.is_none_or(str::is_empty) {
            return violated("I6", format!("the run failed ({reason}), and nothing did"));
        }
        self.rest(Place::Resting);
        Ok(())
    }

    pub(super) fn resumed(&mut self, event: &Data<'_>) -> Checked {
        let awaited = self.decisions.values().any(|decision| *decision == (true, true));
        let settled =
            self.place == Place::Waiting && (!awaited || self.blockers.values().all(Option::is_none));
        if !self.asked.resume && !settled {
            return violated(
                "I6",
                format!("the run goes on after {:?}, and nobody asked for it", self.place),
            );
        }
        let limits = &mut self.limits;
        limits.iterations = event.maybe("/raise/iterations")?.unwrap_or(limits.iterations);
        limits.working_ms = event.maybe("/raise/working_ms")?.unwrap_or(limits.working_ms);
        let (cost, tokens) = (event.maybe("/raise/cost_microusd")?, event.maybe("/raise/tokens")?);
        // What a role may use of its own goes up by as much as what all may use.
        let added = |to: Option<u64>, of_all: Option<u64>, used: u64| {
            to.map_or(0, |to| to.saturating_sub(of_all.unwrap_or(used)))
        };
        let more_cost = added(cost, limits.cost_microusd, self.used.cost);
        let more_tokens = added(tokens, limits.tokens, self.tokens);
        limits.cost_microusd = cost.or(limits.cost_microusd);
        limits.tokens = tokens.or(limits.tokens);
        for role in &mut self.roles {
            (role.failures, role.lost, role.not_before_ms) = (0, 0, None);
            let shape = &mut role.shape;
            shape.cost_microusd = shape.cost_microusd.map(|own| own + more_cost);
            shape.tokens = shape.tokens.map(|own| own + more_tokens);
        }
        self.place = Place::Running;
        self.iteration.confirmed |= self.iteration.verdict.is_some();
        self.idle_iterations = 0;
        (self.failed, self.asked.pause, self.asked.stop, self.asked.resume) = (None, false, None, false);
        self.halted.clear();
        Ok(())
    }
}
