//! What the agent of a role does and says: well, badly, in another's name, or not at all.

use piton_model::Reason;
use piton_model::Timestamp;
use piton_model::cycle::{
    Decision, DecisionStatus, Feedback, FeedbackKind, HandedIn, PhaseResult, PhaseStatus, Role, RoleName,
};
use piton_model::loop_machine::AttemptOutcome;
use piton_model::workflow::Hold;

use crate::kind::Intended;
use crate::rng::Rng;

/// What an agent leaves beside how it ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    /// What is read in its output and its report.
    pub(super) handed_in: HandedIn,
    /// The documents it writes, by name.
    pub(super) documents: Vec<String>,
    pub(super) words: Option<String>,
    pub(super) cost: Option<u64>,
    pub(super) tokens: Option<u64>,
    pub(super) session: Option<String>,
    pub(super) hold: Option<Hold>,
}

/// What the agent of this role is about to do, in this team.
pub(super) fn intend(number: u32, role: &Role, team: &[Role], stormy: bool, rng: &mut Rng) -> Intended<Said> {
    let mut said = Said {
        cost: rng.percent(75).then(|| rng.between(1_000, 200_000)),
        tokens: rng.percent(75).then(|| rng.below(2_000)),
        session: rng.percent(70).then(|| format!("session-{number}")),
        words: rng.percent(70).then(|| format!("said by attempt {number}")),
        documents: role.writes.iter().filter(|_| rng.percent(60)).cloned().collect(),
        ..Said::default()
    };
    let steps = rng.between(1, 5);
    let ends = |outcome, said, steps| Intended { outcome, said, steps };
    let by_itself = AttemptOutcome::Succeeded;
    if stormy && !role.feedback_to.is_empty() && rng.percent(60) {
        talk(&mut said, PhaseStatus::Blocked, role, team, rng);
        let entries = rng.between(4, 12);
        let told = (0..entries).map(|_| feedback(role, role.feedback_to[0].clone(), rng));
        said.handed_in.feedback.extend(told);
        return ends(by_itself, Some(said), steps);
    }
    match rng.below(100) {
        0..62 => {
            talk(&mut said, PhaseStatus::Completed, role, team, rng);
            ends(by_itself, Some(said), steps)
        }
        62..67 => {
            talk(&mut said, PhaseStatus::Partial, role, team, rng);
            ends(by_itself, Some(said), steps)
        }
        67..71 => {
            talk(&mut said, PhaseStatus::Failed, role, team, rng);
            ends(by_itself, Some(said), steps)
        }
        71..76 => {
            talk(&mut said, PhaseStatus::Blocked, role, team, rng);
            if rng.percent(60) {
                said.handed_in.blockers.push(format!("no key {}", rng.below(1_000)));
            }
            ends(by_itself, Some(said), steps)
        }
        // Without a word about its phase, or with one in another's name.
        76..81 => ends(by_itself, Some(said), steps),
        81..84 => {
            said.handed_in.problems.push("the result is of another role; say `phase` of your own".to_owned());
            ends(by_itself, Some(said), steps)
        }
        84..86 => {
            said.handed_in.problems.push("plan.json: task 2 waits for itself".to_owned());
            said.handed_in.unusable = true;
            ends(by_itself, Some(said), steps)
        }
        86..89 => ends(AttemptOutcome::Failed, Some(said), steps),
        // It takes long, and is told to come to an end: some do.
        89..93 => {
            let heeds = rng.one_in(2);
            if heeds {
                talk(&mut said, PhaseStatus::Completed, role, team, rng);
            }
            ends(AttemptOutcome::TimedOut, heeds.then_some(said), steps + rng.between(20, 60))
        }
        93 => ends(AttemptOutcome::Hung, None, steps + 30),
        94..97 => {
            let reason = if rng.one_in(2) { Reason::RateLimit } else { Reason::Overloaded };
            said.hold = Some(Hold { reason, until: None });
            ends(AttemptOutcome::Failed, Some(said), 1)
        }
        97 => {
            said.hold = Some(Hold { reason: Reason::Auth, until: None });
            ends(AttemptOutcome::Failed, Some(said), 1)
        }
        98 => ends(AttemptOutcome::NotStartable, None, 0),
        _ => ends(by_itself, None, steps),
    }
}

/// What it says of its phase, and besides.
fn talk(said: &mut Said, status: PhaseStatus, role: &Role, team: &[Role], rng: &mut Rng) {
    let handed_in = &mut said.handed_in;
    let phase = Some(role.name.to_string());
    handed_in.result = Some(PhaseResult { phase, status, fields: Default::default() });
    for _ in 0..if rng.one_in(5) { rng.between(1, 3) } else { 0 } {
        let target = match rng.one_in(12) {
            true => RoleName::from("nobody"),
            false => team[rng.below(team.len() as u64) as usize].name.clone(),
        };
        handed_in.feedback.push(feedback(role, target, rng));
    }
    if rng.one_in(20) {
        handed_in.blockers.push(format!("no access {}", rng.below(1_000)));
    }
    if rng.one_in(16) {
        handed_in.decisions.push(Decision {
            id: String::new(),
            description: "which one".to_owned(),
            options: vec!["this".to_owned(), "that".to_owned()],
            made_by: None,
            chosen_option: None,
            status: DecisionStatus::Pending,
            waits: rng.percent(60),
        });
    }
    if rng.one_in(6) {
        handed_in.debug.push(serde_json::json!({ "note": rng.below(100) }));
    }
}

fn feedback(role: &Role, target: RoleName, rng: &mut Rng) -> Feedback {
    Feedback {
        at: Timestamp::from_millis(1_771_157_000_000),
        source: role.name.to_string(),
        target,
        content: format!("mind {:016x}", rng.next()),
        kind: FeedbackKind::Clarification,
    }
}
