//! What people are asked, say and write.

use super::{Journal, Place, Question, Step};
use crate::checker::data::Data;
use crate::checker::{Checked, violated};

impl Journal {
    pub(super) fn statuses_adopted(&mut self, event: &Data<'_>) -> Checked {
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

    pub(super) fn human_asked(&mut self, event: &Data<'_>) -> Checked {
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
    pub(super) fn human_answered(&mut self, event: &Data<'_>) -> Checked {
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
}
