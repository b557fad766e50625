//! People: other processes that append requests at any moment, knowing only what a view showed them.

use piton_engine::entry_of;
use piton_model::loop_machine::{Answer, Raise};
use piton_model::{Event, State, Status, StopOrigin, create};
use piton_store::{Append, Expect, Fence};

use crate::coverage::Fate;
use crate::driver::{After, Sending};
use crate::history::Entry;
use crate::rng::Rng;
use crate::sim::Sim;

/// What the last view showed.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    status: Status,
    iterations: u32,
    limit: u32,
    question: Option<(u32, String)>,
    cost_limit: Option<u64>,
    at_limit: bool,
}

impl Shown {
    pub(crate) fn nothing() -> Self {
        Self {
            status: Status::Created,
            iterations: 0,
            limit: 0,
            question: None,
            cost_limit: None,
            at_limit: false,
        }
    }

    pub(crate) fn of(state: &State) -> Self {
        Self {
            status: state.status,
            iterations: state.counters.iterations,
            limit: state.config.limits.iterations,
            question: state
                .people
                .questions
                .first()
                .map(|question| (question.number, question.digest.clone())),
            cost_limit: state.config.limits.cost_microusd,
            at_limit: state.reason.is_some_and(|reason| reason.as_str().starts_with("limit:")),
        }
    }

    /// Whether people have a reason to do something.
    pub(crate) fn waits_for_people(&self) -> bool {
        self.question.is_some() || matches!(self.status, Status::Paused | Status::Stopped | Status::Failed)
    }
}

/// A process that sends one request.
pub(crate) struct Sender {
    sending: Option<Sending>,
    creates: bool,
}

impl Sender {
    /// A process that records the run.
    pub(crate) fn creator(sim: &mut Sim) -> Self {
        let event = create(sim.run.clone(), "a simulated run", sim.scenario.config.clone())
            .expect("a sound configuration");
        let state = piton_model::apply(None, &event, sim.now()).expect("a creation makes a state");
        let append = Append { expect: Expect::Seq(0), entry: Some(entry_of(&state)), ..request(&event, sim) };
        Self { sending: Some(Sending::new(append, sim)), creates: true }
    }

    /// A process with a request that may make sense, or not.
    pub(crate) fn new(sim: &mut Sim) -> Self {
        let event = choose(&sim.shown.clone(), sim);
        let append = request(&event, sim);
        Self { sending: Some(Sending::new(append, sim)), creates: false }
    }

    pub(crate) fn step(&mut self, sim: &mut Sim) -> After {
        let Some(mut sending) = self.sending.take() else { return After::Ended };
        if sending.not_before > sim.tick {
            self.sending = Some(sending);
            return After::Lives;
        }
        let Some(fate) = sending.fate.take() else { return self.deliver(sending, sim) };
        if self.creates && fate == Fate::TakenOver {
            // There is no lease yet that could be taken.
            return self.deliver(sending, sim);
        }
        sim.append_fault(fate, &sending.kinds);
        match fate {
            Fate::CrashBefore | Fate::ErrorBefore => return After::Ended,
            Fate::CrashAfter | Fate::ErrorAfter => {
                let _ = sim.journal.append(sending.append, &mut sim.log);
                return After::Ended;
            }
            Fate::NoSpace => sending.not_before = sim.tick + sim.rng.between(1, 30),
            Fate::Frozen => sending.not_before = sim.tick + sim.rng.between(30, 200),
            Fate::AnswerLost => {
                let _ = sim.journal.append(sending.append.clone(), &mut sim.log);
                sending.not_before = sim.tick + sim.rng.between(1, 30);
            }
            Fate::Duplicate => {
                let _ = sim.journal.append(sending.append.clone(), &mut sim.log);
                return self.deliver(sending, sim);
            }
            Fate::Overtaken if self.creates => {
                // Somebody else recorded a run of that name a moment before.
                let first = Append { fence: Fence::Request(sim.rng.bytes()), ..sending.append.clone() };
                let _ = sim.journal.append(first, &mut sim.log);
            }
            Fate::Overtaken => sim.overtake(),
            Fate::TakenOver => sim.take_over_now(),
            Fate::ClockJump => sim.jump_clock(),
        }
        self.sending = Some(sending);
        After::Lives
    }

    fn deliver(&mut self, sending: Sending, sim: &mut Sim) -> After {
        let answer = sim.journal.append(sending.append, &mut sim.log);
        sim.line(|| {
            format!(
                "a person sends {} -> {}",
                piton_model::KINDS[usize::from(sending.kinds[0])],
                answer.is_ok()
            )
        });
        if let Ok(head) = answer {
            sim.log.push(Entry::Acked { last: head.seq, count: 1, content: sending.content });
            if !self.creates {
                sim.start_settler();
            }
        }
        After::Ended
    }
}

fn request(event: &Event, sim: &mut Sim) -> Append {
    Append {
        run: sim.run.clone(),
        fence: Fence::Request(sim.rng.bytes()),
        expect: Expect::Any,
        at: sim.now(),
        events: vec![event.encode()],
        entry: None,
        checkpoint: None,
        salt: sim.rng.bytes(),
    }
}

/// A request that lands before somebody else's append.
pub(crate) fn note(sim: &mut Sim) -> Append {
    let event = Event::AgentTold { text: "mind the tests".to_owned() };
    request(&event, sim)
}

fn choose(shown: &Shown, sim: &mut Sim) -> Event {
    let chatty = sim.scenario.chatty;
    let rng = &mut sim.rng;
    if let Some((question, digest)) = &shown.question
        && rng.percent(70)
    {
        return answer(*question, digest, rng);
    }
    if shown.waits_for_people() && rng.percent(80) {
        return Event::ResumeRequested { raise: raise(shown, rng) };
    }
    match rng.below(100) {
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
        _ => {
            let repeat = if chatty { 30 } else { 1 };
            Event::AgentTold { text: "please look at the failing test again ".repeat(repeat) }
        }
    }
}

fn answer(question: u32, digest: &str, rng: &mut Rng) -> Event {
    let answer = match rng.below(10) {
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
