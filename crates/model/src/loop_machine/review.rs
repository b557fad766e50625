//! A second pair of eyes: before a run is done, another agent reads what it did, and agrees or objects.
//!
//! It comes last, once everything else says that the run is done, so it never stands in for a check: red is red whatever it says. It
//! judges one tree, the one that the checks judged. What it objects to becomes the next prompt, so often; then a person decides. Its
//! silence is no agreement: one that gives no verdict is asked once more, and then a person is.

use piton_record::record;

use super::config::AgentConfig;
use super::facts::{AttemptOutcome, ErrorClass, QuestionKind, Usage};
use super::limit;
use super::state::State;
use crate::Timestamp;
use crate::event::Event;
use crate::limits::{OBJECTION_BYTES_MAX, OBJECTIONS_MAX, TEXT_BYTES_MAX, clip};
use crate::status::Reason;
use crate::words::words;

/// Reviews in a row without a verdict before a person is asked.
const UNHEARD_MAX: u32 = 2;

/// What the names of their attempts begin with.
const NAME: &str = "review-";

/// Who reads what a run did before it is done.
#[record(Eq)]
pub struct Review {
    pub agent: AgentConfig,
    /// How often what it objects to becomes the next prompt, before a person is asked.
    #[serde(default = "two")]
    pub rounds: u32,
}

fn two() -> u32 {
    2
}

impl Review {
    /// By this agent.
    pub fn by(agent: AgentConfig) -> Self {
        Self { agent, rounds: two() }
    }
}

words! {
    /// What a reviewer says of a tree.
    pub enum Opinion {
        Agrees = "agree",
        Objects = "object",
    }
}

/// Something that a reviewer does not agree with, and where.
#[record(Default, Eq)]
pub struct Objection {
    pub file: Option<String>,
    pub line: Option<u32>,
    /// What is wrong there.
    pub text: String,
}

impl Objection {
    /// On one line, with its place.
    pub fn sentence(&self) -> String {
        let place = match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("{file}:{line}: "),
            (Some(file), None) => format!("{file}: "),
            (None, _) => String::new(),
        };
        format!("{place}{}", self.text.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

/// A review that is about to be made, or is under way.
#[record(Eq)]
pub struct OpenReview {
    /// Counts the reviews of the run; never used twice.
    pub number: u32,
    /// The iteration that left what is reviewed.
    pub iteration: u32,
    /// The tree that is reviewed.
    pub tree: String,
    /// The machine it is made on.
    pub host: String,
    /// That machine's boot.
    pub boot: String,
}

impl OpenReview {
    /// What its attempt is called.
    pub fn name(&self) -> String {
        format!("{NAME}{}", self.number)
    }

    /// Whether the attempt of a review is called so.
    pub fn is_name(name: &str) -> bool {
        name.starts_with(NAME)
    }
}

/// How a review ended.
#[record(Eq)]
pub struct ReviewEnd {
    /// Which one.
    pub number: u32,
    pub outcome: AttemptOutcome,
    /// What its report says in the form that was asked for; nothing else counts.
    pub opinion: Option<Opinion>,
    pub objections: Vec<Objection>,
    /// Why there is no verdict, for a person.
    pub message: Option<String>,
    pub error_class: Option<ErrorClass>,
    /// Until when the provider refuses.
    pub limited_until: Option<Timestamp>,
    pub cost_microusd: Option<u64>,
    pub usage: Option<Usage>,
    pub duration_ms: u64,
}

impl ReviewEnd {
    /// One that ended like this, without a verdict.
    pub fn of(number: u32, outcome: AttemptOutcome) -> Self {
        Self {
            number,
            outcome,
            opinion: None,
            objections: Vec::new(),
            message: None,
            error_class: None,
            limited_until: None,
            cost_microusd: None,
            usage: None,
            duration_ms: 0,
        }
    }

    /// The same within the limits of an event.
    #[must_use]
    pub(super) fn bounded(mut self) -> Self {
        let short = |text: String| clip(&text, OBJECTION_BYTES_MAX).to_owned();
        self.message = self.message.map(|text| clip(&text, TEXT_BYTES_MAX).to_owned());
        self.objections.truncate(OBJECTIONS_MAX);
        let objections = std::mem::take(&mut self.objections).into_iter();
        self.objections = objections
            .map(|said| Objection { file: said.file.map(short), line: said.line, text: short(said.text) })
            .collect();
        self
    }
}

/// What follows from a review.
#[record(Eq)]
pub enum ReviewRuling {
    /// The run is done.
    Agreed,
    /// What is objected to becomes the next prompt.
    Objected,
    /// A person decides.
    Asked,
    /// It is made again: it was cut short, or said nothing.
    Again,
    /// It is made again once the provider lets it.
    Held { reason: Reason, until: Option<Timestamp> },
}

/// What reviews came to so far.
#[record(Default, Eq, omit(number, rounds, unheard, cost_microusd, cost_unknown, tokens, working_ms))]
#[serde(default)]
pub struct Reviewed {
    /// The last one.
    pub number: u32,
    /// How often what it objected to became a prompt.
    pub rounds: u32,
    /// Reviews in a row that gave no verdict.
    pub unheard: u32,
    /// The iteration that was reviewed last, and what followed.
    pub last: Option<LastReview>,
    /// What was objected to last.
    pub objections: Vec<Objection>,
    /// Why the last one gave no verdict.
    pub message: Option<String>,
    /// Money, where it was reported, in millionths of a dollar. The work itself is counted elsewhere.
    pub cost_microusd: u64,
    /// Reviews that reported no cost: the sum above is then a lower bound.
    pub cost_unknown: u32,
    pub tokens: u64,
    pub working_ms: u64,
}

/// The last word of a review.
#[record(Eq)]
pub struct LastReview {
    pub iteration: u32,
    pub tree: String,
    pub ruling: ReviewRuling,
}

impl State {
    /// Money spent on work and on reviews, as far as it is known.
    pub fn spent_microusd(&self) -> u64 {
        self.counters.cost_microusd.saturating_add(self.review.cost_microusd)
    }

    /// What whoever works on has to mend: what was objected to, as long as nobody has read the work anew.
    pub fn objections(&self) -> &[Objection] {
        let objected = |last: &&LastReview| last.ruling == ReviewRuling::Objected;
        match self.review.last.as_ref().filter(objected) {
            Some(_) => &self.review.objections,
            None => &[],
        }
    }

    /// Tokens used by both, likewise.
    pub fn spent_tokens(&self) -> u64 {
        self.counters.tokens.saturating_add(self.review.tokens)
    }
}

/// Where the review of what stands now is, in a run that is otherwise done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// There is none to wait for: none is wanted, or it agrees.
    Over,
    /// It is to be made first, or a person is to be asked.
    Due,
    /// It objected, and the work goes on.
    Objected,
}

/// How far the review of what stands now is.
pub(super) fn standing(state: &State) -> Standing {
    if state.config.review.is_none() {
        return Standing::Over;
    }
    let tree = state.seen.snapshot.as_ref().map(|snapshot| &snapshot.tree);
    let is_of_this = |last: &&LastReview| last.iteration == state.counters.iterations;
    match state.review.last.as_ref().filter(is_of_this) {
        Some(last) if last.ruling == ReviewRuling::Agreed && tree == Some(&last.tree) => Standing::Over,
        Some(last) if last.ruling == ReviewRuling::Objected => Standing::Objected,
        _ => Standing::Due,
    }
}

/// What brings the review about that a run is waiting for to be done.
pub(super) fn next(state: &State, now: Timestamp) -> Option<Event> {
    let review = state.config.review.as_ref()?;
    let reviewed = &state.review;
    match reviewed.last.as_ref().map(|last| &last.ruling) {
        Some(ReviewRuling::Asked) => {
            return Some(super::decide::ask(state, QuestionKind::Review, question(state, review)));
        }
        Some(ReviewRuling::Held { reason: Reason::Auth, .. }) => {
            let what = reviewed.message.as_deref().unwrap_or("it is not logged in");
            let detail = Some(format!("done, and not reviewed by {}: {what}", review.agent.name));
            return Some(Event::RunStopped { reason: Reason::Auth, detail });
        }
        _ => {}
    }
    if let Some(reason) = limit::used_up(state, now) {
        let detail = Some(format!("done, and not reviewed by {}", review.agent.name));
        return Some(Event::RunStopped { reason, detail });
    }
    if let Some(ReviewRuling::Held { reason, until }) = reviewed.last.as_ref().map(|last| &last.ruling) {
        return Some(Event::RunWaiting { reason: *reason, until: *until });
    }
    let driver = state.driver.as_ref()?;
    Some(Event::ReviewStarted {
        review: OpenReview {
            number: reviewed.number.saturating_add(1),
            iteration: state.counters.iterations,
            tree: state.seen.snapshot.as_ref()?.tree.clone(),
            host: driver.host.clone(),
            boot: driver.boot.clone(),
        },
    })
}

/// What a person is asked.
fn question(state: &State, review: &Review) -> String {
    let name = &review.agent.name;
    let places: Vec<String> = state.review.objections.iter().map(Objection::sentence).collect();
    match places.is_empty() {
        true => {
            let why = state.review.message.as_deref().unwrap_or("it does not say why");
            format!("Everything else says that it is done, but {name} gave no verdict: {why}. Is it done?")
        }
        false => format!(
            "Everything else says that it is done, but {name} objects again: {}. Is it done as it is?",
            places.join("; ")
        ),
    }
}

/// What follows from how a review ended.
pub(super) fn rule(state: &State, end: &ReviewEnd, now: Timestamp) -> ReviewRuling {
    let rounds = state.config.review.as_ref().map_or(0, |review| review.rounds);
    match (end.outcome, end.opinion) {
        (AttemptOutcome::Cancelled, _) => ReviewRuling::Again,
        (AttemptOutcome::Succeeded, Some(Opinion::Agrees)) if end.objections.is_empty() => {
            ReviewRuling::Agreed
        }
        (AttemptOutcome::Succeeded, Some(Opinion::Objects)) if !end.objections.is_empty() => {
            match state.review.rounds < rounds {
                true => ReviewRuling::Objected,
                false => ReviewRuling::Asked,
            }
        }
        _ => match hold(state, end, now) {
            Some(held) => held,
            None if state.review.unheard.saturating_add(1) >= UNHEARD_MAX => ReviewRuling::Asked,
            None => ReviewRuling::Again,
        },
    }
}

/// What must pass before it is made again, where its provider did not let it.
fn hold(state: &State, end: &ReviewEnd, now: Timestamp) -> Option<ReviewRuling> {
    let policy = &state.config.backoff;
    let (reason, first_ms) = match end.error_class? {
        ErrorClass::Auth => return Some(ReviewRuling::Held { reason: Reason::Auth, until: None }),
        ErrorClass::RateLimit => (Reason::RateLimit, policy.rate_limit_ms),
        ErrorClass::Overloaded => (Reason::Overloaded, policy.overloaded_ms),
        _ => return None,
    };
    let doublings = state.review.unheard.min(6);
    let backoff = now.plus_millis(first_ms.saturating_mul(1 << doublings).min(policy.max_ms));
    let until = end.limited_until.filter(|until| *until > now).unwrap_or(backoff);
    Some(ReviewRuling::Held { reason, until: Some(until) })
}

/// Folds a review that ended.
pub(super) fn finished(state: &mut State, end: &ReviewEnd, ruling: &ReviewRuling) {
    let open = match state.work.open.take() {
        Some(super::state::Open::Review(open)) => Some(open),
        other => {
            state.work.open = other;
            None
        }
    };
    let review = &mut state.review;
    review.number = end.number;
    review.working_ms = review.working_ms.saturating_add(end.duration_ms);
    state.counters.working_ms = state.counters.working_ms.saturating_add(end.duration_ms);
    if end.outcome != AttemptOutcome::NotStartable {
        match end.cost_microusd {
            Some(cost) => review.cost_microusd = review.cost_microusd.saturating_add(cost),
            None => review.cost_unknown = review.cost_unknown.saturating_add(1),
        }
    }
    let used = end.usage.map_or(0, |usage| usage.input_tokens.saturating_add(usage.output_tokens));
    review.tokens = review.tokens.saturating_add(used);
    review.unheard = match (end.opinion, end.outcome) {
        (Some(_), _) => 0,
        (None, AttemptOutcome::Cancelled) => review.unheard,
        (None, _) => review.unheard.saturating_add(1),
    };
    review.objections.clone_from(&end.objections);
    review.message.clone_from(&end.message);
    if *ruling == ReviewRuling::Objected {
        review.rounds = review.rounds.saturating_add(1);
    }
    if let Some(open) = open {
        review.last = Some(LastReview { iteration: open.iteration, tree: open.tree, ruling: ruling.clone() });
    }
}

/// Folds what a person says to a review: that it is done as it is, or that the work goes on.
pub(super) fn decided(state: &mut State, is_done: bool) {
    let review = &mut state.review;
    (review.unheard, review.rounds) = (0, 0);
    if let Some(last) = &mut review.last {
        last.ruling = if is_done { ReviewRuling::Agreed } else { ReviewRuling::Objected };
    }
}

/// The rest served what the last review was held for.
pub(super) fn served(state: &mut State) {
    if let Some(last) = &mut state.review.last
        && matches!(last.ruling, ReviewRuling::Held { .. })
    {
        last.ruling = ReviewRuling::Again;
    }
}
