//! What a driver of a loop performs: attempts, rounds of checks, calls of hooks.

use piton_engine::supervise::{Became, Start};
use piton_model::loop_machine::{
    AttemptEnd, AttemptOutcome, HookCall, HookEnd, HookRecord, Left, OpenAttempt, Report,
};
use piton_model::{Command, Effect, State};

use super::Loops;
use crate::driver::Task;
use crate::history::{Entry, Name};
use crate::host::{Exit, Host};
use crate::round::Round;
use crate::scenario::Plant;
use crate::supervise::{Around, Recorded, Supervised};

/// A piece of work under way.
pub(crate) struct Work {
    effect: Effect,
    fresh: bool,
    cancelled: bool,
    at: At,
}

enum At {
    Attempt(Supervised),
    Checks(Box<Round>),
    /// The hooks of so many points were called.
    Hooks(HookEnd, usize),
    Commit,
    Timer,
}

impl Task<Loops> for Work {
    fn new(effect: Effect, fresh: bool) -> Self {
        let at = match &effect {
            Effect::Attempt(_) => At::Attempt(Supervised::default()),
            Effect::Checks(round) => At::Checks(Box::new(Round::new(*round, fresh))),
            Effect::Hooks(call) => At::Hooks(HookEnd { number: call.number, ..HookEnd::default() }, 0),
            Effect::Commit(_) => At::Commit,
            // No run of a simulation has a reviewer.
            Effect::Review(_) | Effect::Timer(_) => At::Timer,
        };
        Self { effect, fresh, cancelled: false, at }
    }

    fn effect(&self) -> &Effect {
        &self.effect
    }

    fn only_looks(&self) -> bool {
        false
    }

    fn cancel(&mut self, host: &mut Host<Loops>) {
        self.cancelled = true;
        match &mut self.at {
            At::Attempt(supervised) => supervised.cancel(host),
            At::Checks(round) => round.cancel(host),
            At::Hooks(..) | At::Commit | At::Timer => {}
        }
    }

    fn step(&mut self, state: &State, around: &mut Around<'_, Loops>) -> Option<Command> {
        match (&mut self.at, &self.effect) {
            (At::Attempt(supervised), Effect::Attempt(attempt)) => {
                step_attempt(supervised, attempt, self.fresh, state, around)
            }
            (At::Checks(round), _) => round.step(self.fresh, state, around),
            (At::Hooks(end, called), Effect::Hooks(call)) => {
                if around.plant == Some(Plant::HooksTakenForCalled) && !self.fresh {
                    return Some(Command::EndHooks(Box::new(end.clone())));
                }
                // A person who wants it to stop now is not kept waiting by the rest.
                if *called == call.points.len() || self.cancelled {
                    return Some(Command::EndHooks(Box::new(end.clone())));
                }
                call_point(end, call, *called, around);
                *called += 1;
                None
            }
            (At::Commit, _) => {
                Some(Command::EndCommit { commit: None, found_on: None, uncommitted: Default::default() })
            }
            (At::Attempt(_) | At::Hooks(..) | At::Timer, _) => Some(Command::Tick),
        }
    }
}

fn step_attempt(
    supervised: &mut Supervised,
    attempt: &OpenAttempt,
    fresh: bool,
    state: &State,
    around: &mut Around<'_, Loops>,
) -> Option<Command> {
    let number = attempt.number;
    let recorded = Recorded { name: Name::Attempt(number), host: &attempt.host, boot: &attempt.boot, fresh };
    let became = supervised.step(&recorded, around, &mut |around| prepare(attempt, state, around))?;
    Some(match became {
        Became::NeverStarted => Command::AbandonAttempt { attempt: number },
        Became::Ended(exit) => {
            let end = Box::new(ended(exit, state, around));
            Command::EndAttempt { attempt: number, end }
        }
        Became::Lost(tree) => {
            let left = Box::new(around.scene.left(state));
            Command::LoseAttempt { attempt: number, tree, left }
        }
        Became::Postponed(command) => command,
        Became::NoKeeper { detail } => Command::GiveUp { detail },
    })
}

/// Puts the tree back where that is asked for, and looks at it; what is new is said first.
fn prepare(attempt: &OpenAttempt, state: &State, around: &mut Around<'_, Loops>) -> Option<Start<Command>> {
    if let Some(target) = &attempt.restore {
        around.scene.tree.restore(target);
    }
    around.scene.session = attempt.session.as_ref().map(|session| session.id.clone());
    let snapshot = around.scene.tree.snapshot();
    let known = state.seen.snapshot.as_ref().is_some_and(|known| known.tree == snapshot.tree);
    (!known || state.seen.start.is_none()).then_some(Start::Instead(Command::Observe(snapshot)))
}

fn ended(exit: Exit<Report>, state: &State, around: &mut Around<'_, Loops>) -> AttemptEnd {
    let mut end =
        AttemptEnd { duration_ms: exit.duration_ms, report: exit.said, ..AttemptEnd::of(exit.outcome) };
    if end.outcome != AttemptOutcome::NotStartable {
        let Left { snapshot, change, guard } = around.scene.left(state);
        (end.snapshot, end.change, end.guard) = (snapshot, change, guard);
    }
    end
}

/// Calls the hooks at one point of a call. Whether one has run before a crash cannot be known: all are called again.
fn call_point(end: &mut HookEnd, call: &HookCall, index: usize, around: &mut Around<'_, Loops>) {
    let point = call.points[index];
    around.log.push(Entry::HookCalled { call: call.number, point: point.as_str(), epoch: around.epoch });
    let success = !around.rng.one_in(8);
    end.results.push(HookRecord {
        hook: "hook".to_owned(),
        point,
        success,
        skipped: false,
        duration_ms: around.rng.below(2_000),
        said: None,
    });
    if around.rng.one_in(60) {
        end.stop = Some("a hook wants it to stop".to_owned());
    }
    end.keep_session |= !success && around.rng.one_in(2);
    if around.rng.one_in(6) {
        end.set.insert("seen".to_owned(), around.rng.below(10).into());
    }
}
