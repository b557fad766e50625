//! What the journal of a workflow says, event by event, by the checker's own account.

mod people;
mod steps;

use std::collections::BTreeMap;

use serde::Deserialize;

use super::data::Data;
use super::world::World;
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
