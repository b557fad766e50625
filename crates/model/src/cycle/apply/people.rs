//! What people and roles ask for, decide and report.

use super::{ask_to_go_on, give_feedback, tell_timeline};
use crate::cycle::event::CycleEvent as Event;
use crate::cycle::facts::{
    Blocker, BlockerStatus, Decision, DecisionStatus, Edited, Extension, Feedback, Signal,
};
use crate::cycle::judge::{blocker_id, decision_id};
use crate::cycle::limits::{DECISIONS_MAX, EXTENSIONS_WAITING_MAX};
use crate::cycle::state::{State, TimelineFact};
use crate::loop_machine::Raise;
use crate::{RunId, Timestamp};

/// A request that anyone may have appended.
pub(super) fn request(state: &mut State, event: &Event, at: Timestamp) {
    match event {
        Event::ExtensionRequested { text, raise } => {
            if state.requests.extensions.len() < EXTENSIONS_WAITING_MAX {
                state.requests.extensions.push_back(Extension { text: text.clone(), at });
            }
            let rests = !state.status.is_active();
            if rests || *raise != Raise::default() {
                ask_to_go_on(state, raise);
            }
        }
        Event::FeedbackAdded { source, target, content, kind } => {
            let (source, target) = (source.clone(), target.clone());
            give_feedback(state, &[Feedback { at, source, target, content: content.clone(), kind: *kind }]);
        }
        Event::DecisionProposed { description, options, waits, .. } => {
            let decision = Decision {
                id: decision_id(state.decisions_total + 1),
                description: description.clone(),
                options: options.clone(),
                made_by: None,
                chosen_option: None,
                status: DecisionStatus::Pending,
                waits: *waits,
            };
            add_decisions(state, &[decision]);
        }
        Event::DecisionSettled { id, status, option, by } => {
            let Some(decision) = state.decisions.iter_mut().find(|known| known.id == *id) else { return };
            decision.status = *status;
            if option.is_some() {
                (decision.chosen_option, decision.made_by) = (option.clone(), Some(by.clone()));
            }
            let fact = TimelineFact::DecisionMade { id: id.clone(), option: option.clone() };
            tell_timeline(state, fact, at);
        }
        Event::BlockerReported { description, by } => {
            let blocker = Blocker {
                id: blocker_id(state.blockers_total + 1),
                description: description.clone(),
                reported_by: by.clone(),
                status: BlockerStatus::Open,
                resolution: None,
            };
            add_blockers(state, &[blocker], at);
        }
        Event::BlockerSettled { id, status, resolution } => {
            let Some(blocker) = state.blockers.iter_mut().find(|known| known.id == *id) else { return };
            (blocker.status, blocker.resolution) = (*status, resolution.clone());
            tell_timeline(state, TimelineFact::BlockerSettled { id: id.clone() }, at);
        }
        Event::BestChosen { iteration: 0, .. } => {
            state.chosen_best = None;
            state.best = state.best_by_verdict.map(|(best, _)| best);
        }
        Event::BestChosen { iteration, reason } => {
            state.chosen_best = Some((*iteration, reason.clone()));
            state.best = Some(*iteration);
        }
        _ => {}
    }
}

/// Decisions that are open now. Those that are settled make room.
pub(super) fn add_decisions(state: &mut State, decisions: &[Decision]) {
    for decision in decisions {
        state.decisions_total = state.decisions_total.saturating_add(1);
        let is_settled = |known: &Decision| known.status != DecisionStatus::Pending;
        if make_room(&mut state.decisions, is_settled) {
            state.decisions.push(decision.clone());
        }
    }
}

/// What stands in the way now. What no longer does makes room.
pub(super) fn add_blockers(state: &mut State, blockers: &[Blocker], at: Timestamp) {
    for blocker in blockers {
        state.blockers_total = state.blockers_total.saturating_add(1);
        let is_settled = |known: &Blocker| known.status != BlockerStatus::Open;
        if make_room(&mut state.blockers, is_settled) {
            state.blockers.push(blocker.clone());
        }
        let (id, by) = (blocker.id.clone(), blocker.reported_by.clone());
        tell_timeline(state, TimelineFact::BlockerReported { id, by }, at);
    }
}

/// What no longer stands in the way.
pub(super) fn settle_blockers(state: &mut State, settled: &[Blocker], at: Timestamp) {
    for blocker in settled {
        let Some(known) = state.blockers.iter_mut().find(|known| known.id == blocker.id) else { continue };
        known.clone_from(blocker);
        tell_timeline(state, TimelineFact::BlockerSettled { id: blocker.id.clone() }, at);
    }
}

fn make_room<T>(kept: &mut Vec<T>, is_settled: impl Fn(&T) -> bool) -> bool {
    if kept.len() >= DECISIONS_MAX
        && let Some(settled) = kept.iter().position(is_settled)
    {
        kept.remove(settled);
    }
    kept.len() < DECISIONS_MAX
}

/// What is said of an edit of the state file: of a status that nobody knows, and of fields that do not count.
pub(super) fn of_edit(edited: &Edited, run: &RunId) -> Vec<String> {
    let unknown = (edited.signal == Some(Signal::Unknown)).then(|| {
        let said = match edited.word.as_deref() {
            None | Some("") => "the state file has no status any more".to_owned(),
            Some(word) => format!("the status in the state file says `{word}`, which nobody knows"),
        };
        format!(
            "{said}: the cycle does not go on. `piton resume {run}` has it go on; `running`, `paused` and `failed` are \
             the words that count there"
        )
    });
    let not_taken = (!edited.fields.is_empty()).then(|| {
        let fields = edited.fields.join(", ");
        let kept =
            edited.kept_at.as_deref().map_or_else(String::new, |path| format!(" It is kept as `{path}`."));
        format!(
            "the state file was edited ({fields}), which does not count: piton renders it from its journal.{kept} Use \
             `piton cycle extend`, `feedback`, `decide` or `blocker` instead"
        )
    });
    unknown.into_iter().chain(not_taken).collect()
}
