//! What follows from a person's answer.

use super::iteration::is_best_now;
use crate::event::Event;
use crate::loop_machine::facts::{Answer, QuestionKind};
use crate::loop_machine::recovery::RecoveryOutcome;
use crate::loop_machine::state::{IterationRecord, Question, State};
use crate::loop_machine::verdict::Consequence;

/// What is told to an agent whose iteration was put back without a word.
const PUT_BACK: &str =
    "A person looked at what the last iteration changed and put it back. Go on another way.";
/// What is told to an agent whose report was turned down without a word.
const TURNED_DOWN: &str = "A person looked at what you reported and said no. Go on another way.";

/// The end of `question`, with what follows from it.
pub(in crate::loop_machine) fn answer(
    state: &State,
    question: &Question,
    answer: Answer,
    comment: Option<String>,
) -> Event {
    let consequence = consequence(state, question.kind, answer);
    let words = match (answer, question.kind) {
        (Answer::Reject, QuestionKind::AfterIteration) => Some(PUT_BACK),
        (Answer::Reject, QuestionKind::Blocked | QuestionKind::Guard) => Some(TURNED_DOWN),
        // Else what was objected to says what to do.
        (Answer::Reject, QuestionKind::Review) => {
            Some(TURNED_DOWN).filter(|_| state.review.objections.is_empty())
        }
        (
            Answer::Reject,
            QuestionKind::AttemptLost
            | QuestionKind::Stuck
            | QuestionKind::BeforeIteration
            | QuestionKind::Reboot,
        )
        | (Answer::Approve | Answer::Abort, _) => None,
    };
    let words = words.filter(|_| consequence != Consequence::Stop);
    let tell = comment.clone().filter(|_| answer != Answer::Abort).or_else(|| words.map(str::to_owned));
    // The recovery under way asked, and ends with the answer.
    let is_recovery = matches!(question.kind, QuestionKind::Guard | QuestionKind::Stuck);
    let recovery = is_recovery.then_some(match answer {
        Answer::Abort => RecoveryOutcome::Aborted,
        Answer::Approve | Answer::Reject => RecoveryOutcome::Escalated,
    });
    let confirmed = match (question.kind, answer) {
        (QuestionKind::Guard, Answer::Reject) => last_findings(state),
        _ => Vec::new(),
    };
    let question = question.number;
    Event::QuestionClosed { question, answer, comment, consequence, tell, recovery, confirmed }
}

/// What blocks of what was found in the last iteration: who says no to it says that it was found rightly.
fn last_findings(state: &State) -> Vec<String> {
    let Some(iteration) = state.judged.recent.back().map(|last| last.number) else { return Vec::new() };
    let findings = state.judged.findings.iter();
    let found = findings.filter(|kept| kept.iteration == iteration && kept.finding.blocking);
    found.map(|kept| kept.finding.id.clone()).collect()
}

fn consequence(state: &State, kind: QuestionKind, answer: Answer) -> Consequence {
    let last = state.judged.recent.back();
    let doubted = last.is_some_and(|last| last.doubted);
    let put_back =
        Consequence::PutBack { refused: doubted, succeeded: last.is_some_and(IterationRecord::succeeded) };
    match (kind, answer) {
        (_, Answer::Abort) => Consequence::Stop,
        // "Start another attempt?" "Let the agent try again?" "No." leaves nothing to go on with.
        (QuestionKind::AttemptLost | QuestionKind::Stuck, Answer::Reject) => Consequence::Stop,
        (QuestionKind::BeforeIteration, Answer::Reject) => Consequence::LeaveOut,
        (QuestionKind::AfterIteration, Answer::Reject) => put_back,
        (QuestionKind::Guard, Answer::Approve) if doubted => Consequence::Keep { best: is_best_now(state) },
        (QuestionKind::Guard, Answer::Reject) if doubted => put_back,
        (QuestionKind::Guard, Answer::Reject) => Consequence::Stop,
        (QuestionKind::Reboot, Answer::Approve) => match &state.session.proposed {
            Some(reason) => Consequence::Reboot(reason.clone()),
            None => Consequence::GoOn,
        },
        (QuestionKind::Reboot, Answer::Reject) => Consequence::StayInSession,
        (QuestionKind::Review, Answer::Approve) => Consequence::Reviewed { is_done: true },
        (QuestionKind::Review, Answer::Reject) => Consequence::Reviewed { is_done: false },
        (QuestionKind::Blocked, Answer::Reject)
        | (
            QuestionKind::Blocked
            | QuestionKind::Guard
            | QuestionKind::Stuck
            | QuestionKind::AttemptLost
            | QuestionKind::BeforeIteration
            | QuestionKind::AfterIteration,
            Answer::Approve,
        ) => Consequence::GoOn,
    }
}
