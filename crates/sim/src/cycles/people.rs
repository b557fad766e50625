//! What people ask of a cycle, tell its team, decide and report; and what they write into its file.

use piton_model::cycle::{
    BlockerStatus, CycleEvent as Event, DecisionStatus, Edited, FeedbackKind, RoleName, Signal,
};
use piton_model::loop_machine::Raise;
use piton_model::{Status, StopOrigin};

use super::look::Shown;
use crate::rng::Rng;

pub(super) fn choose(shown: &Shown, chatty: bool, rng: &mut Rng) -> Event {
    let at_rest = matches!(shown.status, Status::Paused | Status::Stopped | Status::Failed);
    if shown.status == Status::Waiting && rng.percent(60) {
        return settle(shown, rng);
    }
    if at_rest && rng.percent(70) {
        return match rng.one_in(5) {
            true => extend(shown, rng),
            false => Event::ResumeRequested { raise: raise(shown, rng) },
        };
    }
    if shown.status == Status::Completed && rng.percent(70) {
        return extend(shown, rng);
    }
    if chatty && rng.percent(60) {
        return tell(shown, rng);
    }
    match rng.below(100) {
        0..12 => Event::PauseRequested {},
        12..18 => Event::StopRequested { now: false, origin: StopOrigin::Command },
        18..26 => Event::StopRequested { now: true, origin: StopOrigin::Command },
        26..29 => Event::StopRequested { now: rng.one_in(2), origin: StopOrigin::Interrupt },
        29..40 => Event::ResumeRequested { raise: raise(shown, rng) },
        40..50 => extend(shown, rng),
        50..66 => tell(shown, rng),
        66..72 => Event::DecisionProposed {
            description: "which way".to_owned(),
            options: vec!["left".to_owned(), "right".to_owned()],
            by: "user".to_owned(),
            waits: rng.one_in(3),
        },
        72..82 => settle(shown, rng),
        82..86 => {
            let description = format!("the network is down {}", rng.below(1_000));
            Event::BlockerReported { description, by: "user".to_owned() }
        }
        86..94 => choose_best(shown, rng),
        _ => Event::FeedbackAdded {
            source: "user".to_owned(),
            target: RoleName::from("nobody"),
            content: "is anybody there".to_owned(),
            kind: FeedbackKind::Clarification,
        },
    }
}

/// One of the team is told something.
pub(super) fn tell(shown: &Shown, rng: &mut Rng) -> Event {
    let index = rng.below(shown.roles.len().max(1) as u64) as usize;
    let target = shown.roles.get(index).cloned().unwrap_or_else(|| RoleName::from("nobody"));
    let kind = if rng.one_in(2) { FeedbackKind::RequirementUpdate } else { FeedbackKind::BugReport };
    let content = format!("look at {:016x}", rng.next());
    Event::FeedbackAdded { source: "user".to_owned(), target, content, kind }
}

fn extend(shown: &Shown, rng: &mut Rng) -> Event {
    let at_limit = shown.iteration >= shown.iterations_max;
    let most = shown.iterations_max.max(shown.iteration);
    let raise = match at_limit && !rng.one_in(6) {
        true => Raise { iterations: Some(most + rng.between(1, 2) as u32), ..Raise::default() },
        false => Raise::default(),
    };
    Event::ExtensionRequested { text: format!("also {:016x}", rng.next()), raise }
}

fn settle(shown: &Shown, rng: &mut Rng) -> Event {
    let pick =
        |names: &[String], rng: &mut Rng| names.get(rng.below(names.len().max(1) as u64) as usize).cloned();
    let by = "user".to_owned();
    if let Some(id) = pick(&shown.blockers, rng).filter(|_| rng.one_in(2)) {
        let status = if rng.one_in(3) { BlockerStatus::Workaround } else { BlockerStatus::Resolved };
        return Event::BlockerSettled { id, status, resolution: Some("it is up".to_owned()) };
    }
    if let Some(id) = pick(&shown.pending, rng) {
        let option = Some("left".to_owned());
        return Event::DecisionSettled { id, status: DecisionStatus::Made, option, by };
    }
    if let Some(id) = pick(&shown.made, rng) {
        return Event::DecisionSettled { id, status: DecisionStatus::Implemented, option: None, by };
    }
    match pick(&shown.blockers, rng) {
        Some(id) => Event::BlockerSettled { id, status: BlockerStatus::Resolved, resolution: None },
        None => Event::ResumeRequested { raise: raise(shown, rng) },
    }
}

/// Only what has a verdict can be chosen; 0 takes that back.
fn choose_best(shown: &Shown, rng: &mut Rng) -> Event {
    let index = rng.below(shown.concluded.len() as u64 + 1) as usize;
    let iteration = shown.concluded.get(index).copied().unwrap_or(0);
    Event::BestChosen { iteration, reason: "it reads better".to_owned() }
}

fn raise(shown: &Shown, rng: &mut Rng) -> Raise {
    if !shown.at_limit || rng.one_in(6) {
        return Raise::default();
    }
    Raise {
        iterations: Some(shown.iterations_max.max(shown.iteration) + rng.between(1, 3) as u32),
        working_ms: Some(16 * 3_600_000),
        cost_microusd: shown.cost_limit.map(|limit| limit + 1_000_000),
        tokens: shown.tokens_limit.map(|limit| limit + 50_000),
        ..Raise::default()
    }
}

/// What somebody makes of the state file. The fields are this edit's alone.
pub(super) fn edit(number: u32, rng: &mut Rng) -> Edited {
    let signal = match rng.below(10) {
        0..3 => Some(Signal::Pause),
        3 | 4 => Some(Signal::Stop),
        5..7 => Some(Signal::Continue),
        7 => Some(Signal::Unknown),
        _ => None,
    };
    let only_signal = signal.is_some() && rng.one_in(2);
    let fields = if only_signal { Vec::new() } else { vec![format!("tasks/{number}")] };
    let word = (signal == Some(Signal::Unknown)).then(|| "banana".to_owned());
    Edited { signal, word, kept_at: None, fields }
}
