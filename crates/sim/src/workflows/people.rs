//! What people ask of a workflow, and what they write into its files.

use piton_model::Status;
use piton_model::StopOrigin;
use piton_model::loop_machine::Answer;
use piton_model::workflow::{Raise, StepId, WorkflowEvent as Event};

use super::look::Shown;
use crate::rng::Rng;

pub(super) fn choose(shown: &Shown, rng: &mut Rng) -> Event {
    if !shown.questions.is_empty() && rng.percent(60) {
        let (_, question, digest) = &shown.questions[rng.below(shown.questions.len() as u64) as usize];
        return answer(*question, digest, rng);
    }
    let at_rest = matches!(shown.status, Status::Paused | Status::Stopped | Status::Failed);
    if at_rest && rng.percent(80) {
        return Event::ResumeRequested { raise: raise(shown, rng) };
    }
    if shown.status == Status::Completed && rng.percent(70) {
        return start_at(shown, rng);
    }
    match rng.below(100) {
        0..18 => Event::PauseRequested {},
        18..28 => Event::StopRequested { now: false, origin: StopOrigin::Command },
        28..42 => Event::StopRequested { now: true, origin: StopOrigin::Command },
        42..46 => Event::StopRequested { now: rng.one_in(2), origin: StopOrigin::Interrupt },
        46..60 => start_at(shown, rng),
        60..80 => Event::ResumeRequested { raise: raise(shown, rng) },
        _ => answer(rng.between(1, 4) as u32, "0123456789abcdef", rng),
    }
}

fn start_at(shown: &Shown, rng: &mut Rng) -> Event {
    let known = |index: u64| shown.steps.get(index as usize).cloned();
    let step = known(rng.below(shown.steps.len().max(1) as u64)).filter(|_| !rng.one_in(12));
    Event::StartAtRequested { step: step.unwrap_or_else(|| StepId::new("nobody")) }
}

fn answer(question: u32, digest: &str, rng: &mut Rng) -> Event {
    let answer = match rng.below(12) {
        0 => Answer::Abort,
        1..4 => Answer::Reject,
        _ => Answer::Approve,
    };
    let seen = match rng.below(10) {
        0 => Some("fedcba9876543210".to_owned()),
        1 | 2 => None,
        _ => Some(digest.to_owned()),
    };
    let comment = rng.one_in(4).then(|| "mind the edges".to_owned());
    let question = if rng.one_in(12) { question.saturating_sub(1) } else { question };
    Event::AnswerGiven { question, answer, comment, seen, content: Default::default() }
}

fn raise(shown: &Shown, rng: &mut Rng) -> Raise {
    if !shown.at_limit || rng.one_in(6) {
        return Raise::default();
    }
    Raise {
        max_iterations: Some(shown.iterations_max + rng.between(1, 3) as u32),
        max_cost_microusd: shown.cost_limit.map(|limit| limit + 1_000_000),
        ..Raise::default()
    }
}
