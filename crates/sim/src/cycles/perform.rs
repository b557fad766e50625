//! What a driver of a cycle performs: attempts of roles, rounds of checks, and looking whether somebody edits its file.

use piton_engine::supervise::{Became, Start};
use piton_model::cycle::{
    ChangeAction, ChangeEntry, Command, Document, Effect, Nudge, OpenAttempt, RoleEnd, State,
};
use piton_model::loop_machine::{AttemptOutcome, HookEnd, Left};

use super::{Cycles, Said};
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
    at: At,
}

enum At {
    Attempt(Supervised),
    Checks(Box<Round>),
    Hooks(HookEnd),
    /// Whether it was looked once.
    Watch(bool),
    Timer,
}

impl Task<Cycles> for Work {
    fn new(effect: Effect, fresh: bool) -> Self {
        let at = match &effect {
            Effect::Attempt(_) => At::Attempt(Supervised::default()),
            Effect::Checks(round) => At::Checks(Box::new(Round::new(*round, fresh))),
            Effect::Hooks(call) => At::Hooks(HookEnd { number: call.number, ..HookEnd::default() }),
            Effect::Watch => At::Watch(false),
            Effect::Timer(_) => At::Timer,
        };
        Self { effect, fresh, at }
    }

    fn effect(&self) -> &Effect {
        &self.effect
    }

    fn only_looks(&self) -> bool {
        matches!(self.at, At::Watch(true))
    }

    fn cancel(&mut self, host: &mut Host<Cycles>) {
        match &mut self.at {
            At::Attempt(supervised) => supervised.cancel(host),
            At::Checks(round) => round.cancel(host),
            At::Hooks(_) | At::Watch(_) | At::Timer => {}
        }
    }

    fn step(&mut self, state: &State, around: &mut Around<'_, Cycles>) -> Option<Command> {
        match (&mut self.at, &self.effect) {
            (At::Attempt(supervised), Effect::Attempt(attempt)) => {
                step_attempt(supervised, attempt, self.fresh, state, around)
            }
            (At::Checks(round), _) => round.step(self.fresh, state, around),
            (At::Hooks(end), _) => Some(Command::EndHooks(Box::new(end.clone()))),
            (At::Watch(looked), _) => {
                *looked = true;
                let known = state.edited.as_ref();
                let news = around.scene.heard(around.rng, around.plant);
                news.filter(|news| !matches!(news, Command::TakeEdit { digest, .. } if Some(digest) == known))
            }
            (At::Attempt(_) | At::Timer, _) => Some(Command::Tick),
        }
    }
}

fn name_of(state: &State, attempt: &OpenAttempt, plant: Option<Plant>) -> Name {
    match plant {
        Some(Plant::NamedByRole) => {
            Name::Attempt(state.place(&attempt.role).map_or(0, |index| index as u32) + 1)
        }
        _ => Name::Attempt(attempt.number),
    }
}

fn step_attempt(
    supervised: &mut Supervised,
    attempt: &OpenAttempt,
    fresh: bool,
    state: &State,
    around: &mut Around<'_, Cycles>,
) -> Option<Command> {
    let number = attempt.number;
    let role = state.role(&attempt.role);
    let is_told_to_end = role.is_some_and(|role| role.nudged == Some(Nudge::Finalize));
    if around.plant == Some(Plant::ToldIsEnded) && is_told_to_end {
        let exit = Exit { outcome: AttemptOutcome::TimedOut, duration_ms: 0, said: None };
        return Some(Command::EndAttempt {
            attempt: number,
            end: Box::new(ended(exit, attempt, state, around)),
        });
    }
    let name = name_of(state, attempt, around.plant);
    let recorded = Recorded { name, host: &attempt.host, boot: &attempt.boot, fresh };
    let became = supervised.step(&recorded, around, &mut |around| prepare(attempt, state, around))?;
    Some(match became {
        Became::NeverStarted => Command::AbandonAttempt { attempt: number },
        Became::Ended(exit) => {
            let end = Box::new(ended(exit, attempt, state, around));
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

/// Puts the tree back where that is asked for, and looks at it; what is new is said first. Then the role gets its prompt.
fn prepare(attempt: &OpenAttempt, state: &State, around: &mut Around<'_, Cycles>) -> Option<Start<Command>> {
    let index = state.place(&attempt.role)?;
    if let Some(target) = &attempt.restore
        && around.plant != Some(Plant::RestoreForgotten)
    {
        around.scene.tree.restore(target);
    }
    let snapshot = around.scene.tree.snapshot();
    let known = state.seen.as_ref().is_some_and(|known| known.tree == snapshot.tree);
    if !known || state.start.is_none() {
        return Some(Start::Instead(Command::Observe(snapshot)));
    }
    let mut told: Vec<String> = state.roles[index].hears().map(|entry| entry.content.clone()).collect();
    let before = around.scene.told.insert(index, told.clone()).unwrap_or_default();
    match around.plant {
        Some(Plant::FeedbackLeftOut) => drop(told.pop()),
        Some(Plant::FeedbackHeardAgain) => told = [before, told].concat(),
        _ => {}
    }
    if !around.superseded {
        around.log.push(Entry::Prompted { attempt: attempt.number, tree: snapshot.tree, told });
    }
    around.scene.working.insert(attempt.number, index);
    None
}

fn ended(exit: Exit<Said>, attempt: &OpenAttempt, state: &State, around: &mut Around<'_, Cycles>) -> RoleEnd {
    let said = exit.said.unwrap_or_default();
    let mut end = RoleEnd {
        outcome: exit.outcome,
        exit_code: None,
        duration_ms: exit.duration_ms,
        message: None,
        said: said.words,
        handed_in: said.handed_in,
        snapshot: None,
        change: None,
        guard: None,
        cost_microusd: said.cost,
        tokens: said.tokens,
        session_id: said.session,
        session_usage: None,
        session_cost_microusd: None,
        hold: said.hold,
    };
    if end.outcome == AttemptOutcome::NotStartable {
        return end;
    }
    let Left { snapshot, change, guard } = around.scene.left(state);
    (end.snapshot, end.change, end.guard) = (snapshot, change, guard);
    // Each leaves its mark on what it hands in.
    let marked = match around.plant {
        Some(Plant::HandedInByAnother) => attempt.number.saturating_sub(1),
        _ => attempt.number,
    };
    let (version, iteration, at) = (state.current.version.clone(), state.iteration, around.now);
    let document = |name: String| Document {
        name,
        version: version.clone(),
        iteration,
        text: format!("of attempt {marked}"),
        at,
    };
    end.handed_in.documents = said.documents.into_iter().map(document).collect();
    if end.change.is_some() {
        end.handed_in.changes.push(ChangeEntry {
            at,
            file: "product".to_owned(),
            action: ChangeAction::Modify,
            iteration,
            agent: attempt.role.clone(),
            description: format!("of attempt {marked}"),
            task: None,
            lines_added: 1,
            lines_removed: 0,
        });
    }
    end
}
