//! What may begin, how it may end, and what may begin anew after it.

use super::{Journal, LOST_IN_A_ROW_MAX, Place, Step, says_all};
use crate::checker::data::Data;
use crate::checker::world::{World, check_end};
use crate::checker::{Checked, Violation, violated};
use crate::history::Name;

impl Journal {
    pub(super) fn steps_passed(&mut self, event: &Data<'_>) -> Checked {
        for id in event.each::<&str>("/steps", "step")? {
            let step = self.step(id)?;
            if step.open.is_some() || step.done {
                return violated("I4", format!("step {id} was passed and is under way"));
            }
            step.done = true;
        }
        Ok(())
    }

    pub(super) fn step_started(&mut self, event: &Data<'_>, world: &World) -> Checked {
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

    pub(super) fn close(
        &mut self,
        event: &Data<'_>,
        what: &str,
        world: &World,
    ) -> Result<(u32, String), Violation> {
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

    pub(super) fn step_finished(&mut self, event: &Data<'_>, world: &World) -> Checked {
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

    pub(super) fn step_lost(&mut self, event: &Data<'_>, world: &World) -> Checked {
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
    pub(super) fn looped_back(&mut self, event: &Data<'_>) -> Checked {
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
}
