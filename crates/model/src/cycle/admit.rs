//! Whether a request makes sense where the cycle is; the journal would take it in any case.

use super::event::CycleEvent as Event;
use super::facts::DecisionStatus;
use super::limits::{EXTENSIONS_WAITING_MAX, OPTIONS_MAX};
use super::state::State;
use super::{RoleName, limit};
use crate::limits::TEXT_BYTES_MAX;
use crate::loop_machine::Raise;
use crate::rejection::Rejection;
use crate::status::{Reason, Status};

/// Whether a person's request makes sense where the cycle is.
pub fn admit(state: &State, request: &Event) -> Result<(), Rejection> {
    let run = || state.run.clone();
    let nothing_to = |action| Err(Rejection::NothingTo { run: run(), status: state.status, action });
    let rests = matches!(state.status, Status::Paused | Status::Stopped | Status::Failed | Status::Completed);
    let bad = |text: String| Err(Rejection::BadRequest { run: state.run.clone(), text });
    match request {
        Event::PauseRequested {} if rests => nothing_to("pause"),
        Event::StopRequested { .. } if rests && state.status != Status::Paused => nothing_to("stop"),
        Event::ResumeRequested { .. } if state.status == Status::Completed => {
            Err(Rejection::Finished { run: run(), status: state.status })
        }
        Event::ResumeRequested { .. } | Event::ExtensionRequested { .. }
            if state.config.checks.is_empty() =>
        {
            Err(Rejection::NeedsCheck { run: run() })
        }
        Event::ResumeRequested { raise } => match limit::still_reached(state, raise) {
            Some(reason) => at_limit(state, reason),
            None => Ok(()),
        },
        Event::ExtensionRequested { text, .. } if text.trim().is_empty() => {
            bad("an extension says what is to be done".to_owned())
        }
        Event::ExtensionRequested { text, .. } if text.len() > TEXT_BYTES_MAX => {
            bad(format!("an extension is at most {TEXT_BYTES_MAX} bytes"))
        }
        Event::ExtensionRequested { raise, .. } => admit_extension(state, raise),
        Event::FeedbackAdded { target, .. } if state.role(target).is_none() => no_role(state, target),
        Event::FeedbackAdded { content, .. } if content.trim().is_empty() => {
            bad("feedback says something".to_owned())
        }
        Event::DecisionProposed { description, options, .. } => match unfit(description, options) {
            Some(why) => bad(why),
            None => Ok(()),
        },
        Event::BlockerReported { description, .. } if description.trim().is_empty() => {
            bad("a blocker says what stands in the way".to_owned())
        }
        Event::DecisionSettled { id, status, option, .. } => {
            admit_decision(state, id, *status, option.as_deref())
        }
        Event::BlockerSettled { id, .. } if state.blockers.iter().all(|known| known.id != *id) => {
            bad(format!("run `{}` has no blocker `{id}`", state.run))
        }
        Event::BlockerSettled { resolution: Some(how), .. } if how.trim().is_empty() => {
            bad("say how it is resolved, or what the way around it is".to_owned())
        }
        Event::BestChosen { iteration, .. } if *iteration > 0 => {
            let is_it =
                |record: &super::IterationRecord| record.number == *iteration && record.snapshot.is_some();
            match state.iterations.iter().any(is_it) {
                true => Ok(()),
                false => Err(Rejection::NoSuchIteration { run: run(), iteration: *iteration }),
            }
        }
        _ => Ok(()),
    }
}

/// What is wrong with a decision that somebody proposes.
fn unfit(description: &str, options: &[String]) -> Option<String> {
    let is_twice = |option: &String| options.iter().filter(|other| other.trim() == option.trim()).count() > 1;
    if description.trim().is_empty() {
        return Some("a decision says what is to be decided".to_owned());
    }
    if options.len() > OPTIONS_MAX {
        return Some(format!("a decision has at most {OPTIONS_MAX} options"));
    }
    if options.iter().any(|option| option.trim().is_empty()) {
        return Some("an option of a decision says something".to_owned());
    }
    options
        .iter()
        .find(|option| is_twice(option))
        .map(|option| format!("the option `{option}` is there twice"))
}

fn at_limit(state: &State, reason: Reason) -> Result<(), Rejection> {
    let raise = limit::raise_past(state, reason);
    Err(Rejection::AtLimit { run: state.run.clone(), reason, raise })
}

/// Each extension has an iteration of its own, which must be there.
fn admit_extension(state: &State, raise: &Raise) -> Result<(), Rejection> {
    if state.requests.extensions.len() >= EXTENSIONS_WAITING_MAX {
        let text = format!("{EXTENSIONS_WAITING_MAX} extensions wait already; let some of them begin first");
        return Err(Rejection::BadRequest { run: state.run.clone(), text });
    }
    let most = raise.iterations.unwrap_or(state.config.limits.iterations) as usize;
    match state.iteration as usize + state.requests.extensions.len() >= most {
        true => at_limit(state, Reason::LimitIterations),
        false => Ok(()),
    }
}

fn admit_decision(
    state: &State,
    id: &str,
    status: DecisionStatus,
    option: Option<&str>,
) -> Result<(), Rejection> {
    let bad = |text: String| Err(Rejection::BadRequest { run: state.run.clone(), text });
    let Some(decision) = state.decisions.iter().find(|known| known.id == id) else {
        return bad(format!("run `{}` has no decision `{id}`", state.run));
    };
    match (decision.status, status) {
        (DecisionStatus::Pending, DecisionStatus::Made) => match option {
            Some(option) if option.trim().is_empty() => bad(format!("decision `{id}` needs an option")),
            None => bad(format!("decision `{id}` needs an option")),
            Some(option)
                if !decision.options.is_empty() && !decision.options.iter().any(|known| known == option) =>
            {
                bad(format!("decision `{id}` has no option `{option}`: {}", decision.options.join(", ")))
            }
            Some(_) => Ok(()),
        },
        (DecisionStatus::Made, DecisionStatus::Implemented) => Ok(()),
        (now, _) => bad(format!("decision `{id}` is {now} already")),
    }
}

fn no_role(state: &State, name: &RoleName) -> Result<(), Rejection> {
    let names: Vec<&str> = state.config.roles.iter().map(|role| role.name.as_str()).collect();
    let text = format!("run `{}` has no role `{name}`: its roles are {}", state.run, names.join(", "));
    Err(Rejection::BadRequest { run: state.run.clone(), text })
}
