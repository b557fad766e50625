//! What the journal of a workflow says, event by event, by the checker's own account.

use std::collections::BTreeMap;

use super::shape::{self, parse};
use super::world::World;
use super::{Checked, Rules, violated};
use crate::history::{By, Entry, Name, RawEvent, View};

/// Where the run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Nowhere,
    Created,
    Running,
    /// Waits for a person.
    Waiting,
    /// Paused, stopped or failed.
    Resting,
    /// Stopped because of its surroundings: what is open stays open.
    Disturbed,
    Completed,
}

/// What was used up to an event.
#[derive(Clone, Copy, Default)]
struct Used {
    ended: u32,
    cost: u64,
    lost: u32,
}

/// A step, as far as it matters here.
#[derive(Default)]
struct Step {
    shape: shape::Step,
    /// Tries that failed since it last began anew.
    tries: u32,
    /// Loop-backs that reached it.
    iteration: u32,
    /// Those who wait for it may go on.
    done: bool,
    /// An item of its collection is: it may be the last one.
    partly: bool,
    /// All its gates were found open since it last began anew.
    opened: bool,
    /// The items of its collection, where they are known.
    items: Option<usize>,
    open: Option<u32>,
    question: Option<Question>,
    /// What a person said, until it takes effect.
    decided: Option<bool>,
}

struct Question {
    number: u32,
    digest: String,
    at_ms: i64,
}

/// Facts of the journal so far.
#[derive(Default)]
pub(super) struct Journal {
    place: Place,
    epoch: u64,
    attempt: u32,
    questions_asked: u32,
    options: shape::Options,
    parallel: usize,
    steps: BTreeMap<String, Step>,
    used: Used,
    used_at: Vec<Used>,
    answers: Vec<shape::Answered>,
    /// Files that people wrote: step, when, and whether they agree.
    inputs: Vec<(String, i64, bool)>,
    /// Runs that attempts stand for, and how they ended.
    nested: BTreeMap<u32, Option<(&'static str, Option<u64>)>>,
}

impl Rules for Journal {
    fn at_rest(&self) -> bool {
        matches!(self.place, Place::Waiting | Place::Resting | Place::Disturbed | Place::Completed)
    }

    fn may_rest_at_work(&self) -> bool {
        self.place == Place::Disturbed
    }

    /// Only what is open, never two at one step, never more at once than may be.
    fn may_start(&self, name: Name, world: &World) -> Checked {
        let Some(step) = self.step_of(name) else {
            return violated("I4", format!("{name:?} was started, but is not open in the journal"));
        };
        if let Some(other) = world.living().iter().find(|other| self.step_of(**other) == Some(step)) {
            return violated("I10", format!("{name:?} was started while {other:?} works on step {step}"));
        }
        if world.living().len() >= self.parallel {
            return violated("I13", format!("{name:?} was started beside {} others", world.living().len()));
        }
        Ok(())
    }

    fn see(&mut self, entry: &Entry, _world: &World) -> Checked {
        match entry {
            Entry::InputWritten { step, at_ms, approved } => {
                self.inputs.push((step.clone(), *at_ms, *approved));
            }
            Entry::NestedBegun { attempt } => {
                if self.step_of(Name::Attempt(*attempt)).is_none() {
                    return violated(
                        "I4",
                        format!("a run was begun for attempt {attempt}, which is not open"),
                    );
                }
                if self.nested.insert(*attempt, None).is_some() {
                    return violated("I4", format!("the run of attempt {attempt} was begun twice"));
                }
            }
            Entry::NestedEnded { attempt, outcome, cost } => {
                self.nested.insert(*attempt, Some((outcome, *cost)));
            }
            _ => {}
        }
        Ok(())
    }

    fn take(&mut self, event: &RawEvent, by: By, first: u64, world: &World) -> Checked {
        let kind = event.kind.as_str();
        let is_request = kind.ends_with("_requested") || matches!(kind, "answer_given" | "run_created");
        match by {
            By::Epoch(_) if is_request => return violated("I5", format!("{kind} came from a driver")),
            By::Request(_) if !is_request => return violated("I5", format!("{kind} came without a lease")),
            _ => {}
        }
        if (event.seq == 1) != (kind == "run_created") {
            return violated("I2", format!("{kind} is event {}", event.seq));
        }
        // A run that reached its goal says nothing more, unless it begins anew.
        let is_note = kind == "checkpoint_taken" && event.seq > first;
        let anew = matches!(kind, "steps_reset" | "run_restarted" | "driver_started" | "answer_refused");
        if self.place == Place::Completed && !is_request && !is_note && !anew {
            return violated("I4", format!("{kind} follows the end of the run"));
        }
        match kind {
            "run_created" => {
                self.begin(parse(event)?);
                self.place = Place::Created;
            }
            "driver_started" => self.driver_started(&parse(event)?, by)?,
            "definition_changed" => {
                self.nothing_open(kind)?;
                let changed: shape::Redefined = parse(event)?;
                self.define(changed.definition);
            }
            "run_restarted" => {
                self.nothing_open(kind)?;
                (self.steps, self.used) = (BTreeMap::new(), Used::default());
                self.begin(parse(event)?);
                self.place = Place::Created;
            }
            "gates_seen" => {
                let seen: shape::GatesSeen = parse(event)?;
                let step = self.step(&seen.step)?;
                let open = |gate: &String| seen.verdicts.iter().any(|seen| seen.gate == *gate && seen.open);
                step.opened = step.shape.gates.iter().all(open);
            }
            "items_read" => {
                let read: shape::ItemsRead = parse(event)?;
                self.step(&read.step)?.items = Some(read.items.len());
            }
            "steps_passed" => self.steps_passed(&parse(event)?)?,
            "step_started" => self.step_started(&parse(event)?, world)?,
            "step_finished" => self.step_finished(parse(event)?, world)?,
            "step_abandoned" => {
                let gone: shape::AttemptGone = parse(event)?;
                let name = Name::Attempt(gone.attempt);
                self.close(gone.attempt, "abandoned", world)?;
                let begun = world.was_spawned(name) || self.nested.contains_key(&gone.attempt);
                if begun || !world.has_tombstone(name) {
                    let what = format!("attempt {} is recorded as never started", gone.attempt);
                    return violated("I4", what);
                }
            }
            "step_lost" => self.step_lost(&parse(event)?, world)?,
            "looped_back" => self.looped_back(&parse(event)?)?,
            "steps_reset" => {
                self.nothing_open(kind)?;
                let named: shape::OfStep<'_> = parse(event)?;
                for id in self.with_dependents(named.step) {
                    self.anew(&id, 0);
                }
                self.steps.values_mut().for_each(|step| step.tries = 0);
                self.place = Place::Running;
            }
            "statuses_adopted" => self.statuses_adopted(&parse(event)?)?,
            "human_asked" => self.human_asked(&parse(event)?, event.at_ms)?,
            "human_answered" => self.human_answered(&parse(event)?)?,
            "step_concluded" => {
                let named: shape::OfStep<'_> = parse(event)?;
                let step = self.step(named.step)?;
                match step.decided.take() {
                    Some(approved) => step.done = approved,
                    None => {
                        let what = format!("step {} was concluded, and nobody said anything", named.step);
                        return violated("I6", what);
                    }
                }
            }
            "answer_given" => self.answers.push(parse(event)?),
            "run_waiting" => {
                parse::<shape::Ended<'_>>(event)?;
                self.nothing_open(kind)?;
                if self.steps.values().all(|step| step.question.is_none()) {
                    return violated("I6", "the run waits for a person, and asks nothing");
                }
                self.place = Place::Waiting;
            }
            "run_paused" | "run_failed" => {
                parse::<shape::Ended<'_>>(event)?;
                self.nothing_open(kind)?;
                self.place = Place::Resting;
            }
            "run_stopped" => {
                let ended: shape::Ended<'_> = parse(event)?;
                self.place = Place::Disturbed;
                if ended.reason != "environment" {
                    self.nothing_open(kind)?;
                    self.place = Place::Resting;
                }
            }
            "run_resumed" => self.resumed(&parse(event)?),
            "run_completed" => self.completed()?,
            "items_refused"
            | "manual_input_refused"
            | "answer_refused"
            | "limit_warned"
            | "budget_spent"
            | "checkpoint_taken" => {}
            _ if is_request => {}
            _ => return violated("I2", format!("nobody knows an event {kind}")),
        }
        self.used_at.push(self.used);
        Ok(())
    }

    fn check_view(&self, view: &View) -> Checked {
        let View { shown, count, cost, lost, .. } = *view;
        let Some(used) = (shown as usize).checked_sub(1).and_then(|index| self.used_at.get(index)) else {
            return violated("I7", format!("a view shows event {shown}"));
        };
        if (count, cost, lost) != (used.ended, used.cost, used.lost) {
            let what = format!(
                "event {shown}: {count} attempts, {cost} spent and {lost} lost are shown; {}, {} and {} are recorded",
                used.ended, used.cost, used.lost
            );
            return violated("I13", what);
        }
        Ok(())
    }
}

impl Journal {
    fn begin(&mut self, begun: shape::Begun) {
        self.options = begun.options;
        self.define(begun.definition);
    }

    /// Steps keep what they have by their names.
    fn define(&mut self, definition: shape::Definition) {
        let parallel = definition.max_parallel.unwrap_or(self.options.max_parallel);
        self.parallel = parallel.clamp(1, 32) as usize;
        let mut known = std::mem::take(&mut self.steps);
        for shape in definition.steps {
            let step = match known.remove(&shape.id) {
                // Another definition may give it another number of tries, and gates that were not looked at before.
                Some(step) => Step { tries: 0, opened: true, ..step },
                None => Step::default(),
            };
            self.steps.insert(shape.id.clone(), Step { shape, ..step });
        }
    }

    fn step(&mut self, id: &str) -> Result<&mut Step, super::Violation> {
        match self.steps.get_mut(id) {
            Some(step) => Ok(step),
            None => violated("I2", format!("there is no step {id}")),
        }
    }

    /// The step that this attempt is open at.
    fn step_of(&self, name: Name) -> Option<&str> {
        let Name::Attempt(number) = name else { return None };
        self.steps.iter().find(|(_, step)| step.open == Some(number)).map(|(id, _)| id.as_str())
    }

    fn nothing_open(&self, what: &str) -> Checked {
        match self.steps.values().find_map(|step| step.open) {
            Some(open) => violated("I4", format!("{what} while attempt {open} is open")),
            None => Ok(()),
        }
    }

    /// The step and everything that waits for it, all the way.
    fn with_dependents(&self, id: &str) -> Vec<String> {
        let mut found = vec![id.to_owned()];
        let mut next = 0;
        while let Some(need) = found.get(next).cloned() {
            let waits = |step: &&Step| step.shape.needs.contains(&need) && !found.contains(&step.shape.id);
            let more: Vec<String> =
                self.steps.values().filter(waits).map(|step| step.shape.id.clone()).collect();
            found.extend(more);
            next += 1;
        }
        found
    }

    /// The step begins anew.
    fn anew(&mut self, id: &str, iteration: u32) {
        if let Some(step) = self.steps.get_mut(id) {
            let shape = std::mem::take(&mut step.shape);
            *step = Step { shape, iteration, open: step.open, ..Step::default() };
        }
    }

    fn driver_started(&mut self, started: &shape::DriverStarted, by: By) -> Checked {
        if by != By::Epoch(started.epoch) || started.epoch <= self.epoch {
            return violated("I5", format!("a driver of epoch {} follows {}", started.epoch, self.epoch));
        }
        self.epoch = started.epoch;
        if self.place == Place::Created {
            self.place = Place::Running;
        }
        Ok(())
    }

    fn steps_passed(&mut self, passed: &shape::StepsPassed) -> Checked {
        for passed in &passed.steps {
            let step = self.step(&passed.step)?;
            if step.open.is_some() || step.done {
                return violated("I4", format!("step {} was passed and is under way", passed.step));
            }
            step.done = true;
        }
        Ok(())
    }

    fn step_started(&mut self, started: &shape::StepStarted<'_>, world: &World) -> Checked {
        let shape::OpenStep { number, step: id, attempt, iteration, item } = started.attempt;
        if self.place != Place::Running {
            return violated("I4", format!("attempt {number} begins while {:?}", self.place));
        }
        if number != self.attempt + 1 {
            return violated("I4", format!("attempt {number} follows attempt {}", self.attempt));
        }
        let open = self.steps.values().filter(|step| step.open.is_some()).count();
        if open >= self.parallel {
            return violated("I13", format!("attempt {number} begins beside {open} others"));
        }
        let limit = self.options.max_cost_microusd.filter(|_| self.options.cost_limit_action != "warn");
        if limit.is_some_and(|limit| self.used.cost >= limit) {
            return violated("I13", format!("attempt {number} begins with {} spent", self.used.cost));
        }
        let most = self.options.max_attempts;
        let Some(step) = self.steps.get(id) else { return violated("I2", format!("there is no step {id}")) };
        let is_done = |need: &&String| self.steps.get(*need).is_some_and(Step::satisfies);
        if let Some(need) = step.shape.needs.iter().find(|need| !is_done(need)) {
            return violated("I4", format!("step {id} begins before {need} is done"));
        }
        if step.open.is_some() || step.done || step.question.is_some() {
            return violated("I4", format!("step {id} begins and is under way or done"));
        }
        let most = step.shape.max_attempts.unwrap_or(most).max(1);
        if step.tries >= most || attempt == 0 {
            let what = format!("try {attempt} of step {id} after {} of {most}", step.tries);
            return violated("I13", what);
        }
        if iteration != step.iteration {
            return violated("I13", format!("step {id} is in iteration {}, not {iteration}", step.iteration));
        }
        // They are looked at before the first try.
        let first = attempt == 1 && item.unwrap_or(0) == 0;
        if first && !step.shape.gates.is_empty() && !step.opened {
            return violated("I4", format!("step {id} begins, and its gates are not open"));
        }
        let items = step.items.filter(|_| step.shape.collection.is_some());
        if items.is_some_and(|items| item.is_none_or(|item| item as usize >= items)) {
            return violated("I4", format!("step {id} begins for item {item:?}, which is not there"));
        }
        if let Some(other) = world.living().iter().find(|other| self.step_of(**other) == Some(id)) {
            return violated("I10", format!("step {id} begins while {other:?} is alive"));
        }
        self.attempt = number;
        self.step(id)?.open = Some(number);
        Ok(())
    }

    fn close(&mut self, number: u32, what: &str, world: &World) -> Result<String, super::Violation> {
        let name = Name::Attempt(number);
        let Some(id) = self.step_of(name).map(str::to_owned) else {
            return violated("I4", format!("attempt {number} was {what} and is not open"));
        };
        if world.living().contains(&name) {
            return violated("I10", format!("attempt {number} was {what} while it is alive"));
        }
        self.step(&id)?.open = None;
        Ok(id)
    }

    fn step_finished(&mut self, finished: shape::StepFinished, world: &World) -> Checked {
        let (number, end) = (finished.attempt, finished.end);
        let id = self.close(number, "finished", world)?;
        let known = match self.nested.get(&number) {
            Some(nested) => *nested,
            None => world.exit(Name::Attempt(number)),
        };
        let said = (end.outcome.as_str(), end.cost_microusd);
        match known {
            Some(exit) if exit == said => {}
            Some(exit) => {
                let what = format!("attempt {number} ended as {exit:?}, but {said:?} is recorded");
                return violated("I4", what);
            }
            None => {
                let what = format!("attempt {number} is recorded as finished; nobody knows its outcome");
                return violated("I4", what);
            }
        }
        self.used.ended += 1;
        self.used.cost += end.cost_microusd.unwrap_or(0);
        let asks = self.options.pause_for_human_input;
        let step = self.step(&id)?;
        let by_itself = matches!(end.outcome.as_str(), "succeeded" | "failed");
        let gate_failed = end.report.as_ref().is_some_and(|report| report.gate_failure);
        let goes_back = gate_failed && step.shape.loop_back_to.is_some();
        let good = match &end.report {
            Some(report) => report.completed,
            None => step.shape.work.get("agent").is_none() && end.outcome == "succeeded",
        };
        if end.hold.is_some() || end.outcome == "cancelled" {
            return Ok(());
        }
        if by_itself && good && !goes_back {
            step.tries = 0;
            let human = step.shape.human_in_the_loop && asks;
            let collection = step.shape.collection.is_some();
            (step.done, step.partly) = (!human && !collection, !human && collection);
        } else {
            step.tries += 1;
        }
        Ok(())
    }

    fn step_lost(&mut self, gone: &shape::AttemptGone, world: &World) -> Checked {
        let id = self.close(gone.attempt, "lost", world)?;
        let ended = matches!(self.nested.get(&gone.attempt), Some(Some(_)));
        if ended || world.exit(Name::Attempt(gone.attempt)).is_some() {
            let what = format!("attempt {} is recorded as lost; its outcome is known", gone.attempt);
            return violated("I4", what);
        }
        self.used.lost += 1;
        self.step(&id)?.tries += 1;
        Ok(())
    }

    /// Only to where the step may go back, within its limit, and once nothing of that is open.
    fn looped_back(&mut self, back: &shape::LoopedBack) -> Checked {
        let most = self.options.max_iterations;
        let step = self.step(&back.step)?;
        if step.shape.loop_back_to.as_ref() != Some(&back.target) {
            return violated("I4", format!("step {} went back to {}", back.step, back.target));
        }
        if step.iteration >= most {
            let what = format!("step {} went back after {} of {most} times", back.step, step.iteration);
            return violated("I13", what);
        }
        let mut reset = self.with_dependents(&back.target);
        if !reset.contains(&back.step) {
            reset.push(back.step.clone());
        }
        for id in reset {
            let step = self.step(&id)?;
            if step.open.is_some() {
                return violated("I4", format!("step {id} begins anew while it is under way"));
            }
            let iteration = step.iteration + 1;
            self.anew(&id, iteration);
        }
        Ok(())
    }

    fn statuses_adopted(&mut self, adopted: &shape::StatusesAdopted) -> Checked {
        self.nothing_open("statuses_adopted")?;
        for edit in &adopted.edits {
            let iteration = self.step(&edit.step)?.iteration;
            match edit.status.as_str() {
                "COMPLETED" | "SKIPPED" => {
                    let step = self.step(&edit.step)?;
                    (step.done, step.question, step.decided) = (true, None, None);
                }
                "FAILED" => {
                    let step = self.step(&edit.step)?;
                    (step.done, step.question, step.decided) = (false, None, None);
                }
                _ => self.anew(&edit.step, iteration),
            }
        }
        Ok(())
    }

    fn human_asked(&mut self, asked: &shape::HumanAsked<'_>, at_ms: i64) -> Checked {
        if asked.question != self.questions_asked + 1 {
            let what = format!("question {} follows question {}", asked.question, self.questions_asked);
            return violated("I6", what);
        }
        self.questions_asked = asked.question;
        let (number, digest) = (asked.question, asked.digest.to_owned());
        let step = self.step(asked.step)?;
        if step.question.is_some() || step.open.is_some() {
            return violated("I6", format!("step {} asks while it is under way", asked.step));
        }
        step.question = Some(Question { number, digest, at_ms });
        Ok(())
    }

    /// An answer counts that somebody gave to exactly what was asked, or wrote into a file since.
    fn human_answered(&mut self, answered: &shape::HumanAnswered) -> Checked {
        let number = answered.question;
        let asks = |step: &Step| step.question.as_ref().is_some_and(|open| open.number == number);
        let Some((id, step)) = self.steps.iter_mut().find(|(_, step)| asks(step)) else {
            return violated("I6", format!("question {number} was answered and is not open"));
        };
        let Some(open) = step.question.take() else { return Ok(()) };
        let given = self.answers.iter().position(|given| {
            given.question == number
                && given.answer == answered.answer
                && match &given.seen {
                    Some(seen) => answered.bound && *seen == open.digest,
                    None => !answered.bound,
                }
        });
        let written = |(step, at_ms, approved): &(String, i64, bool)| {
            step == id && *at_ms >= open.at_ms && *approved == answered.input.approved
        };
        match given {
            Some(index) => drop(self.answers.remove(index)),
            None if !answered.bound && self.inputs.iter().any(written) => {}
            None => return violated("I6", format!("question {number} was answered by nobody")),
        }
        if answered.answer != "abort" {
            step.decided = Some(answered.input.approved);
        }
        if self.place == Place::Waiting {
            self.place = Place::Running;
        }
        Ok(())
    }

    fn resumed(&mut self, resumed: &shape::WorkflowResumed) {
        let raise = &resumed.raise;
        let options = &mut self.options;
        options.max_attempts = options.max_attempts.max(raise.max_attempts.unwrap_or(0));
        options.max_iterations = options.max_iterations.max(raise.max_iterations.unwrap_or(0));
        if let (Some(limit), Some(raised)) = (&mut options.max_cost_microusd, raise.max_cost_microusd) {
            *limit = raised.max(*limit);
        }
        // What failed gets its tries again after a rest.
        if self.at_rest() {
            self.steps.values_mut().for_each(|step| step.tries = 0);
        }
        self.place = Place::Running;
    }

    fn completed(&mut self) -> Checked {
        self.nothing_open("run_completed")?;
        if let Some((id, _)) = self.steps.iter().find(|(_, step)| !step.satisfies()) {
            return violated("I6", format!("the run completed, and step {id} is not done"));
        }
        self.place = Place::Completed;
        Ok(())
    }
}

impl Step {
    fn satisfies(&self) -> bool {
        self.done || self.partly
    }
}
