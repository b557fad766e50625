//! What the journal of a workflow says, event by event, by the checker's own account.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::data::Data;
use super::world::{World, check_end};
use super::{Checked, Rules, Used, Violation, violated};
use crate::history::{Entry, Name};

/// Attempts that a step may lose in a row.
const LOST_IN_A_ROW_MAX: u32 = 10;

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

/// How the run is to be run, as far as it matters here.
#[derive(Default, Deserialize)]
struct Options {
    max_attempts: u32,
    max_iterations: u32,
    max_parallel: u32,
    pause_for_human_input: bool,
    max_cost_microusd: Option<u64>,
    cost_limit_action: String,
}

/// A step as it is defined.
#[derive(Default, Deserialize)]
struct Shape {
    id: String,
    work: serde_json::Value,
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default)]
    gates: Vec<String>,
    loop_back_to: Option<String>,
    #[serde(default)]
    human_in_the_loop: bool,
    #[serde(rename = "loop")]
    collection: Option<serde_json::Value>,
    max_attempts: Option<u32>,
}

/// A step, as far as it matters here.
#[derive(Default)]
struct Step {
    shape: Shape,
    /// Tries that failed since it last began anew.
    tries: u32,
    /// Attempts since the last that ended whose outcome could not be known.
    lost: u32,
    /// Loop-backs that reached it.
    iteration: u32,
    /// Those who wait for it may go on.
    done: bool,
    /// It was ruled to go back.
    sent_back: bool,
    /// That was ruled while another limit held.
    sent_back_before: bool,
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
    /// Something stood in the way while steps were open.
    obstructed: bool,
    attempt: u32,
    questions_asked: u32,
    options: Options,
    parallel_defined: Option<u32>,
    steps: BTreeMap<String, Step>,
    used: Used,
    used_at: Vec<Used>,
    /// Answers that were given: question, what was said, and what was seen.
    answers: Vec<(u32, String, Option<String>)>,
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
        if world.living().len() >= self.parallel() {
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

    fn anyone_may_append(&self, kind: &str) -> bool {
        kind.ends_with("_requested") || matches!(kind, "answer_given" | "run_created")
    }

    fn take(&mut self, event: &Data<'_>, first: u64, world: &World) -> Checked {
        let kind = event.kind();
        let is_request = self.anyone_may_append(kind);
        // A run that reached its goal says nothing more, unless it begins anew.
        let is_note = kind == "checkpoint_taken" && event.seq() > first;
        let anew = matches!(
            kind,
            "steps_reset" | "run_restarted" | "options_changed" | "driver_started" | "answer_refused"
        );
        if self.place == Place::Completed && !is_request && !is_note && !anew {
            return violated("I4", format!("{kind} follows the end of the run"));
        }
        match kind {
            "run_created" => self.begin(event)?,
            "driver_started" if self.place == Place::Created => self.place = Place::Running,
            "definition_changed" => {
                self.nothing_open(kind)?;
                self.define(event)?;
            }
            "options_changed" => {
                self.options = event.get("/options")?;
                self.steps.values_mut().for_each(|step| step.tries = 0);
                self.keep_rulings();
            }
            "run_restarted" => {
                self.nothing_open(kind)?;
                (self.steps, self.used) = (BTreeMap::new(), Used::default());
                self.begin(event)?;
            }
            "gates_seen" => {
                let gates: Vec<String> = event.each("/verdicts", "gate")?;
                let open: Vec<bool> = event.each("/verdicts", "open")?;
                let is_open =
                    |gate: &String| gates.iter().zip(&open).any(|(seen, open)| seen == gate && *open);
                let step = self.step(event.get("/step")?)?;
                step.opened = step.shape.gates.iter().all(is_open);
            }
            "items_read" => {
                let items: Vec<serde_json::Value> = event.get("/items")?;
                self.step(event.get("/step")?)?.items = Some(items.len());
            }
            "steps_passed" => self.steps_passed(event)?,
            "step_started" => self.step_started(event, world)?,
            "step_finished" => self.step_finished(event, world)?,
            "step_abandoned" => {
                let (number, _) = self.close(event, "abandoned", world)?;
                if self.nested.contains_key(&number) {
                    return violated("I4", format!("attempt {number} is recorded as never started"));
                }
                world.check_never_started(Name::Attempt(number))?;
            }
            "step_lost" => self.step_lost(event, world)?,
            "looped_back" => self.looped_back(event)?,
            "steps_reset" => {
                self.nothing_open(kind)?;
                let reset = self.with_dependents(event.get("/step")?);
                says_all(event, &reset)?;
                reset.iter().for_each(|id| self.anew(id, 0));
                self.place = Place::Running;
            }
            "tries_renewed" => {
                for id in event.each::<&str>("/steps", "step")? {
                    let step = self.step(id)?;
                    if step.open.is_some() || step.done {
                        return violated("I13", format!("step {id} did not fail and gets its tries again"));
                    }
                    (step.tries, step.lost) = (0, 0);
                }
            }
            "statuses_adopted" => self.statuses_adopted(event)?,
            "human_asked" => self.human_asked(event)?,
            "human_answered" => self.human_answered(event)?,
            "step_concluded" => {
                let id = event.get("/step")?;
                let step = self.step(id)?;
                let Some(approved) = step.decided.take() else {
                    return violated("I6", format!("step {id} was concluded, and nobody said anything"));
                };
                step.done = approved;
                step.sent_back = event.has("/ruling/verdict/go_back");
            }
            "answer_given" => {
                let answer = (event.get("/question")?, event.get("/answer")?, event.maybe("/seen")?);
                self.answers.push(answer);
            }
            "run_waiting" => {
                self.nothing_open(kind)?;
                if self.steps.values().all(|step| step.question.is_none()) {
                    return violated("I6", "the run waits for a person, and asks nothing");
                }
                self.place = Place::Waiting;
            }
            "run_paused" | "run_failed" => {
                self.nothing_open(kind)?;
                self.place = Place::Resting;
            }
            "run_stopped" => {
                self.place = Place::Disturbed;
                // What is open is waited for; only what stands in the way a second time is not.
                if event.get::<&str>("/reason")? != "environment" || !self.obstructed {
                    self.nothing_open(kind)?;
                    self.place = Place::Resting;
                }
            }
            "run_resumed" => self.resumed(event)?,
            "run_completed" => self.completed()?,
            "driver_started" | "items_refused" | "manual_input_refused" | "answer_refused" => {}
            "run_obstructed" => {
                self.something_open(kind)?;
                self.obstructed = true;
            }
            "limit_warned" | "budget_spent" | "checkpoint_taken" => {}
            _ if is_request => {}
            _ => return violated("I2", format!("nobody knows an event {kind}")),
        }
        self.used_at.push(self.used);
        Ok(())
    }

    fn used_at(&self, seq: u64) -> Option<Used> {
        self.used_at.get((seq as usize).checked_sub(1)?).copied()
    }
}

impl Journal {
    fn begin(&mut self, event: &Data<'_>) -> Checked {
        self.options = event.get("/options")?;
        self.place = Place::Created;
        self.define(event)
    }

    /// How many steps may run at once.
    fn parallel(&self) -> usize {
        self.parallel_defined.unwrap_or(self.options.max_parallel).clamp(1, 32) as usize
    }

    /// Steps keep what they have by their names.
    fn define(&mut self, event: &Data<'_>) -> Checked {
        self.parallel_defined = event.maybe("/definition/max_parallel")?;
        let mut known = std::mem::take(&mut self.steps);
        for shape in event.get::<Vec<Shape>>("/definition/steps")? {
            let step = match known.remove(&shape.id) {
                // Another definition may give it another number of tries, gates that were not looked at before, and
                // nowhere to go back to.
                Some(step) => {
                    let done = step.done || (step.sent_back && shape.loop_back_to.is_none());
                    Step { tries: 0, lost: 0, opened: true, done, ..step }
                }
                None => Step::default(),
            };
            self.steps.insert(shape.id.clone(), Step { shape, ..step });
        }
        Ok(())
    }

    fn step(&mut self, id: &str) -> Result<&mut Step, Violation> {
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

    fn something_open(&self, what: &str) -> Checked {
        match self.nothing_open(what) {
            Ok(()) => violated("I6", format!("{what}, and nothing is open")),
            Err(_) => Ok(()),
        }
    }

    /// The step and everything that waits for it, all the way. Nothing where another definition no longer has it.
    fn with_dependents(&self, id: &str) -> Vec<String> {
        let mut found: Vec<String> = self.steps.contains_key(id).then(|| id.to_owned()).into_iter().collect();
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

    fn steps_passed(&mut self, event: &Data<'_>) -> Checked {
        for id in event.each::<&str>("/steps", "step")? {
            let step = self.step(id)?;
            if step.open.is_some() || step.done {
                return violated("I4", format!("step {id} was passed and is under way"));
            }
            step.done = true;
        }
        Ok(())
    }

    fn step_started(&mut self, event: &Data<'_>, world: &World) -> Checked {
        let (number, id): (u32, &str) = (event.get("/attempt/number")?, event.get("/attempt/step")?);
        let (attempt, iteration): (u32, u32) =
            (event.get("/attempt/attempt")?, event.get("/attempt/iteration")?);
        let item: Option<u32> = event.maybe("/attempt/item")?;
        if self.place != Place::Running {
            return violated("I4", format!("attempt {number} begins while {:?}", self.place));
        }
        if number != self.attempt + 1 {
            return violated("I4", format!("attempt {number} follows attempt {}", self.attempt));
        }
        let open = self.steps.values().filter(|step| step.open.is_some()).count();
        if open >= self.parallel() {
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

    fn close(&mut self, event: &Data<'_>, what: &str, world: &World) -> Result<(u32, String), Violation> {
        let number = event.get("/attempt")?;
        let name = Name::Attempt(number);
        let Some(id) = self.step_of(name).map(str::to_owned) else {
            return violated("I4", format!("attempt {number} was {what} and is not open"));
        };
        if world.living().contains(&name) {
            return violated("I10", format!("attempt {number} was {what} while it is alive"));
        }
        self.step(&id)?.open = None;
        Ok((number, id))
    }

    fn step_finished(&mut self, event: &Data<'_>, world: &World) -> Checked {
        let (number, id) = self.close(event, "finished", world)?;
        self.step(&id)?.lost = 0;
        let (outcome, cost): (&str, _) = (event.get("/end/outcome")?, event.maybe("/end/cost_microusd")?);
        let name = Name::Attempt(number);
        let known = self.nested.get(&number).copied().unwrap_or_else(|| world.exit(name));
        check_end(name, known, (outcome, cost))?;
        self.used.count += 1;
        self.used.cost += cost.unwrap_or(0);
        if event.has("/end/hold") || outcome == "cancelled" {
            return Ok(());
        }
        let asks = self.options.pause_for_human_input;
        let step = self.step(&id)?;
        let by_itself = matches!(outcome, "succeeded" | "failed");
        let gate_failed = event.maybe("/end/report/gate_failure")?.unwrap_or(false);
        let goes_back = gate_failed && step.shape.loop_back_to.is_some();
        let good = match event.maybe("/end/report/completed")? {
            Some(completed) => completed,
            None => step.shape.work.get("agent").is_none() && outcome == "succeeded",
        };
        step.sent_back = event.has("/ruling/verdict/go_back");
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

    fn step_lost(&mut self, event: &Data<'_>, world: &World) -> Checked {
        let (number, id) = self.close(event, "lost", world)?;
        if matches!(self.nested.get(&number), Some(Some(_))) {
            return violated("I4", format!("attempt {number} is recorded as lost; its outcome is known"));
        }
        world.check_lost(Name::Attempt(number))?;
        self.used.lost += 1;
        let step = self.step(&id)?;
        step.lost += 1;
        match step.lost > LOST_IN_A_ROW_MAX {
            true => violated("I13", format!("step {id} lost {} attempts in a row", step.lost)),
            false => Ok(()),
        }
    }

    /// Only to where the step may go back, within its limit, and once nothing of that is open.
    fn looped_back(&mut self, event: &Data<'_>) -> Checked {
        let (from, target): (&str, &str) = (event.get("/step")?, event.get("/target")?);
        let most = self.options.max_iterations;
        let step = self.step(from)?;
        if step.shape.loop_back_to.as_deref() != Some(target) {
            return violated("I4", format!("step {from} went back to {target}"));
        }
        if step.iteration >= most && !step.sent_back_before {
            let what = format!("step {from} went back after {} of {most} times", step.iteration);
            return violated("I13", what);
        }
        let mut reset = self.with_dependents(target);
        if !reset.iter().any(|id| id == from) {
            reset.push(from.to_owned());
        }
        says_all(event, &reset)?;
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

    fn statuses_adopted(&mut self, event: &Data<'_>) -> Checked {
        self.nothing_open("statuses_adopted")?;
        let ids: Vec<&str> = event.each("/edits", "step")?;
        let statuses: Vec<&str> = event.each("/edits", "status")?;
        for (id, status) in ids.into_iter().zip(statuses) {
            let step = self.step(id)?;
            let iteration = step.iteration;
            match status {
                "COMPLETED" | "SKIPPED" | "FAILED" => {
                    (step.done, step.question, step.decided) = (status != "FAILED", None, None);
                }
                _ => self.anew(id, iteration),
            }
        }
        Ok(())
    }

    fn human_asked(&mut self, event: &Data<'_>) -> Checked {
        let (number, id): (u32, &str) = (event.get("/question")?, event.get("/step")?);
        if number != self.questions_asked + 1 {
            return violated("I6", format!("question {number} follows question {}", self.questions_asked));
        }
        self.questions_asked = number;
        let step = self.step(id)?;
        if step.question.is_some() || step.open.is_some() {
            return violated("I6", format!("step {id} asks while it is under way"));
        }
        step.question = Some(Question { number, digest: event.get("/digest")?, at_ms: event.at_ms() });
        Ok(())
    }

    /// An answer counts that somebody gave to exactly what was asked, or wrote into a file since.
    fn human_answered(&mut self, event: &Data<'_>) -> Checked {
        let (number, answer): (u32, &str) = (event.get("/question")?, event.get("/answer")?);
        let (agrees, bound): (bool, bool) = (event.get("/input/approved")?, event.get("/bound")?);
        let asks = |step: &Step| step.question.as_ref().is_some_and(|open| open.number == number);
        let Some((id, step)) = self.steps.iter_mut().find(|(_, step)| asks(step)) else {
            return violated("I6", format!("question {number} was answered and is not open"));
        };
        let Some(open) = step.question.take() else { return Ok(()) };
        let given = self.answers.iter().position(|(question, said, seen)| {
            *question == number
                && said == answer
                && match seen {
                    Some(seen) => bound && *seen == open.digest,
                    None => !bound,
                }
        });
        let written = |(step, at_ms, approved): &(String, i64, bool)| {
            step == id && *at_ms >= open.at_ms && *approved == agrees
        };
        match given {
            Some(index) => drop(self.answers.remove(index)),
            None if !bound && self.inputs.iter().any(written) => {}
            None => return violated("I6", format!("question {number} was answered by nobody")),
        }
        if answer != "abort" {
            step.decided = Some(agrees);
        }
        if self.place == Place::Waiting {
            self.place = Place::Running;
        }
        Ok(())
    }

    /// Limits changed: what was ruled before by others is carried out all the same.
    fn keep_rulings(&mut self) {
        self.steps.values_mut().for_each(|step| step.sent_back_before = step.sent_back);
    }

    fn resumed(&mut self, event: &Data<'_>) -> Checked {
        self.keep_rulings();
        let raised = |what: &str| event.maybe(&format!("/raise/{what}"));
        let options = &mut self.options;
        options.max_iterations = raised("max_iterations")?.unwrap_or(options.max_iterations);
        options.max_cost_microusd = event.maybe("/raise/max_cost_microusd")?.or(options.max_cost_microusd);
        self.place = Place::Running;
        self.obstructed = false;
        Ok(())
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

/// Whether the event says of exactly these steps that they begin anew.
fn says_all(event: &Data<'_>, reset: &[String]) -> Checked {
    let mut said: Vec<&str> = event.get("/reset")?;
    let mut meant: Vec<&str> = reset.iter().map(String::as_str).collect();
    said.sort_unstable();
    meant.sort_unstable();
    match said == meant {
        true => Ok(()),
        false => violated("I4", format!("{said:?} begin anew, and {meant:?} should")),
    }
}

impl Step {
    fn satisfies(&self) -> bool {
        self.done || self.partly
    }
}
