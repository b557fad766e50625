//! What a driver of a workflow performs: attempts at steps, runs that steps stand for, and looking at files and gates.

use piton_engine::supervise::{Became, Start};
use piton_model::loop_machine::AttemptOutcome;
use piton_model::workflow::{Command, CostAction, Effect, GateVerdict, OpenAttempt, State, StepEnd, Work};
use serde_json::json;

use super::{Nested, Said, Workflows};
use crate::driver::Task;
use crate::history::{Entry, Name};
use crate::host::{Exit, Host};
use crate::scenario::Plant;
use crate::supervise::{Around, Recorded, Supervised};

/// By which account the day's money is spent.
const SPENT: &str = "the money for today is spent";

/// A piece of work under way.
pub(crate) struct Job {
    effect: Effect,
    fresh: bool,
    cancelled: bool,
    supervised: Supervised,
    looked: bool,
}

impl Task<Workflows> for Job {
    fn new(effect: Effect, fresh: bool) -> Self {
        Self { effect, fresh, cancelled: false, supervised: Supervised::default(), looked: false }
    }

    fn effect(&self) -> &Effect {
        &self.effect
    }

    fn only_looks(&self) -> bool {
        match self.effect {
            Effect::Gates { .. } | Effect::ManualInput { .. } => self.looked,
            Effect::Attempt(_) | Effect::Items { .. } | Effect::Tick { .. } | Effect::Timer(_) => false,
        }
    }

    fn cancel(&mut self, host: &mut Host<Workflows>) {
        self.cancelled = true;
        self.supervised.cancel(host);
    }

    fn step(&mut self, state: &State, around: &mut Around<'_, Workflows>) -> Option<Command> {
        self.looked = true;
        match self.effect.clone() {
            Effect::Attempt(attempt) => match work_of(state, &attempt) {
                None => Some(Command::AbandonAttempt { attempt: attempt.number }),
                Some(Work::Workflow { .. } | Work::Loop(_)) => self.follow(&attempt, around),
                Some(Work::Agent { .. } | Work::Run { .. } | Work::Nothing {}) => {
                    self.attempt(&attempt, state, around)
                }
            },
            Effect::Items { step, .. } => {
                let items = match around.rng.below(8) {
                    0 => Err("it is not JSON".to_owned()),
                    1 => Ok(Vec::new()),
                    more => Ok((0..more % 4 + 1).map(|item| json!(item)).collect()),
                };
                Some(Command::TakeItems { step, items })
            }
            Effect::Gates { step, gates } => {
                let open = around.scene.gate_open;
                let verdict = |gate| GateVerdict { gate, open, why: None };
                let verdicts: Vec<GateVerdict> = gates.into_iter().map(verdict).collect();
                let known = state.step(&step).map_or(&[][..], |step| &step.verdicts);
                let news = verdicts != known;
                news.then_some(Command::TakeGates { step, verdicts })
            }
            Effect::ManualInput { step, .. } => super::input_for(state, &step, around.scene, around.plant),
            Effect::Tick { step } => Some(Command::TakeTick { step, why: None }),
            Effect::Timer(_) => Some(Command::Tick),
        }
    }
}

impl Job {
    fn attempt(
        &mut self,
        attempt: &OpenAttempt,
        state: &State,
        around: &mut Around<'_, Workflows>,
    ) -> Option<Command> {
        let number = attempt.number;
        let name = match around.plant {
            Some(Plant::NamedByStep) => {
                Name::Attempt(place_of(state, attempt).map_or(0, |index| index as u32) + 1)
            }
            _ => Name::Attempt(number),
        };
        let recorded = Recorded { name, host: &attempt.host, boot: &attempt.boot, fresh: self.fresh };
        let prepare = &mut |around: &mut Around<'_, Workflows>| prepare(attempt, state, around);
        let became = self.supervised.step(&recorded, around, prepare)?;
        Some(match became {
            Became::NeverStarted => Command::AbandonAttempt { attempt: number },
            Became::Ended(exit) => Command::EndAttempt { attempt: number, end: Box::new(ended(exit)) },
            Became::Lost(tree) => Command::LoseAttempt { attempt: number, tree },
            Became::Postponed(command) => command,
            Became::NoKeeper { detail } => Command::GiveUp { detail },
        })
    }

    /// A run of its own stands for the step: it is begun where it is not there, and followed to its end.
    fn follow(&mut self, attempt: &OpenAttempt, around: &mut Around<'_, Workflows>) -> Option<Command> {
        let number = attempt.number;
        let again = around.plant == Some(Plant::NestedBegunAgain)
            && !self.fresh
            && !std::mem::replace(&mut self.fresh, true);
        let known = around.scene.nested.iter().position(|nested| nested.attempt == number);
        let Some(index) = known.filter(|_| !again) else {
            around.log.push(Entry::NestedBegun { attempt: number });
            around.scene.nested.push(Nested::new(number, around.rng));
            return None;
        };
        let nested = &mut around.scene.nested[index];
        nested.stop |= self.cancelled;
        let end = nested.end.as_ref()?;
        let end =
            StepEnd { duration_ms: end.duration_ms, cost_microusd: end.said, ..StepEnd::of(end.outcome) };
        Some(Command::EndAttempt { attempt: number, end: Box::new(end) })
    }
}

/// What comes right before the start, or instead.
fn prepare(
    attempt: &OpenAttempt,
    state: &State,
    around: &mut Around<'_, Workflows>,
) -> Option<Start<Command>> {
    if around.scene.day_spent && state.options.cost_limit_action != CostAction::Warn {
        let known = state.requests.budget.as_deref() == Some(SPENT);
        let spend = Command::SpendBudget { detail: SPENT.to_owned(), microusd: 1 };
        return Some(if known { Start::Unwanted } else { Start::Instead(spend) });
    }
    around.scene.is_command = matches!(work_of(state, attempt), Some(Work::Run { .. }));
    None
}

/// Where the step of this attempt is in the document.
fn place_of(state: &State, attempt: &OpenAttempt) -> Option<usize> {
    state.plan.graph().place(&attempt.step)
}

fn work_of<'a>(state: &'a State, attempt: &OpenAttempt) -> Option<&'a Work> {
    place_of(state, attempt).map(|index| &state.plan.step(index).work)
}

fn ended(exit: Exit<Said>) -> StepEnd {
    let said = exit.said.unwrap_or_default();
    let exit_code = match exit.outcome {
        AttemptOutcome::Succeeded => Some(0),
        AttemptOutcome::Failed => Some(1),
        AttemptOutcome::TimedOut
        | AttemptOutcome::Hung
        | AttemptOutcome::Cancelled
        | AttemptOutcome::NotStartable => None,
    };
    StepEnd {
        exit_code,
        duration_ms: exit.duration_ms,
        report: said.report,
        cost_microusd: said.cost,
        hold: said.hold,
        ..StepEnd::of(exit.outcome)
    }
}
