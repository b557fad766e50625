//! What people ask of a loop.

use std::collections::BTreeMap;

use piton_model::hook::Mode;
use piton_model::loop_machine::{Answer, Raise};
use piton_model::{Event, Status, StopOrigin};

use super::look::Shown;
use crate::rng::Rng;

pub(super) fn choose(shown: &Shown, chatty: bool, rng: &mut Rng) -> Event {
    if let Some((question, digest)) = &shown.question
        && rng.percent(75)
    {
        return answer(*question, digest, rng);
    }
    let at_rest = matches!(shown.status, Status::Paused | Status::Stopped | Status::Failed);
    if (shown.question.is_some() || at_rest) && rng.percent(80) {
        return Event::ResumeRequested { raise: raise(shown, rng) };
    }
    match rng.below(120) {
        0..12 => Event::PauseRequested {},
        12..20 => Event::StopRequested { now: false, origin: StopOrigin::Command },
        20..26 => Event::StopRequested { now: true, origin: StopOrigin::Command },
        26..30 => Event::StopRequested { now: rng.one_in(2), origin: StopOrigin::Interrupt },
        30..50 => Event::SkipRequested {},
        50..62 => Event::ResumeRequested { raise: raise(shown, rng) },
        62..72 => {
            let question = rng.between(1, 4) as u32;
            answer(question, "0123456789abcdef", rng)
        }
        72..80 => Event::RebootRequested {},
        80..94 => Event::ModeRequested {
            mode: rng.percent(80).then(|| Mode::ALL[rng.below(3) as usize]),
            break_at: rng.one_in(3).then(|| shown.iterations + rng.between(1, 4) as u32),
        },
        94..98 => Event::NoteAdded { text: "look at the parser".to_owned(), set: BTreeMap::new() },
        _ => {
            let repeat = if chatty { 30 } else { 1 };
            Event::AgentTold { text: "please look at the failing test again ".repeat(repeat) }
        }
    }
}

fn answer(question: u32, digest: &str, rng: &mut Rng) -> Event {
    let answer = match rng.below(12) {
        0 => Answer::Abort,
        1 | 2 => Answer::Reject,
        _ => Answer::Approve,
    };
    let seen = match rng.below(10) {
        0 => Some("fedcba9876543210".to_owned()),
        1 | 2 => None,
        _ => Some(digest.to_owned()),
    };
    let comment = rng.one_in(4).then(|| "use the other key".to_owned());
    // Now and then it is an answer to the question before.
    let question = if rng.one_in(12) { question.saturating_sub(1) } else { question };
    Event::AnswerGiven { question, answer, comment, seen }
}

fn raise(shown: &Shown, rng: &mut Rng) -> Raise {
    if !shown.at_limit || rng.one_in(6) {
        return Raise::default();
    }
    Raise {
        iterations: Some(shown.limit.max(shown.iterations) + rng.between(3, 12) as u32),
        working_ms: Some(16 * 3_600_000),
        cost_microusd: shown.cost_limit.map(|limit| limit + 500_000),
        tokens: None,
        ..Raise::default()
    }
}
