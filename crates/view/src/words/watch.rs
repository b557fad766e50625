//! What a viewer says of a run while it watches.

use piton_model::cycle::{self, CycleEvent};
use piton_model::ledger_machine::{self, LedgerEvent};
use piton_model::loop_machine::{AttemptOutcome, Check, HookRecord, Open, QuestionKind, StreamFormat};
use piton_model::workflow::WorkflowEvent;
use piton_model::{Event, Machine, State, Status, Timestamp, workflow};

use super::loops::{baseline, iteration, opening, reviewer};
use super::{clean_line, event};
use crate::{Told, UnderWay, Weight};

/// A kind of run that can be put into words, and watched.
pub trait Watched: Machine {
    /// Why it is where it is.
    fn why(&self) -> String;

    /// What was not the cause of that.
    fn not_the_cause(&self) -> Vec<String>;

    /// What an event is worth telling.
    fn told(before: Option<&Self>, event: &Self::Event, after: &Self) -> Vec<Told>;

    /// An event in words.
    fn words(event: &Self::Event) -> String;

    /// What is under way, as far as the journal knows it.
    fn under_way(&self) -> UnderWay;

    /// What of that leaves traces while it works, in the order in which it is done.
    fn at_work(&self) -> Vec<AtWork>;

    /// Whether an answer is on its way to the driver.
    fn is_settling(&self) -> bool {
        false
    }

    /// The question that one key can answer.
    fn at_a_key(&self) -> Option<u32> {
        None
    }

    /// The moment at which it goes on although a person was asked and says nothing.
    fn goes_on_at(&self) -> Option<Timestamp> {
        None
    }
}

/// Something that may be at work at this moment: the directory of its attempt says whether it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtWork {
    /// The name of that directory.
    pub attempt: String,
    /// It is started again where it was lost: each try has a directory of its own, `NAME-1` and so on.
    pub has_tries: bool,
    /// What it is, in a word or two.
    pub what: String,
    /// How it speaks, where people want to hear it.
    pub speaks: Option<StreamFormat>,
}

/// The checks of a round.
pub(super) fn checks_at_work(checks: &[Check], round: u32) -> impl Iterator<Item = AtWork> {
    checks.iter().enumerate().map(move |(index, check)| AtWork {
        attempt: format!("check-{round}-{index}"),
        has_tries: true,
        what: clean_line(&format!("check {}", check.name)),
        speaks: None,
    })
}

fn told(weight: Weight, text: String) -> Told {
    Told { text, weight }
}

impl Watched for State {
    fn why(&self) -> String {
        super::why(self)
    }

    fn not_the_cause(&self) -> Vec<String> {
        super::not_the_cause(self)
    }

    fn told(before: Option<&Self>, event: &Event, after: &Self) -> Vec<Told> {
        let mut lines = Vec::new();
        match before {
            None => lines.push(told(Weight::Heading, opening(after))),
            Some(before) => {
                let baseline_known = before.seen.baseline.is_none() && after.seen.baseline.is_some();
                let no_baseline = matches!(event, Event::AttemptStarted { attempt } if attempt.number == 1)
                    && after.seen.baseline.is_none();
                if baseline_known || no_baseline {
                    lines.extend(baseline(after).into_iter().map(|line| told(Weight::News, line)));
                }
                if after.counters.iterations > before.counters.iterations
                    && let Some(record) = after.judged.recent.back()
                {
                    lines.push(told(Weight::News, iteration(record, after)));
                }
            }
        }
        let weight = if is_news(event) { Weight::News } else { Weight::Detail };
        lines.push(told(weight, format!("      {}", Self::words(event))));
        let warned = warnings(event).into_iter();
        lines.extend(warned.map(|warning| told(Weight::News, clean_line(&format!("      ! {warning}")))));
        lines
    }

    fn words(event: &Event) -> String {
        self::event(event)
    }

    fn under_way(&self) -> UnderWay {
        let what = match &self.work.open {
            Some(Open::Checks(_)) => "checks".to_owned(),
            Some(Open::Attempt(_)) => clean_line(&self.agent().name),
            Some(Open::Hooks(_)) => "hooks".to_owned(),
            Some(Open::Commit(_)) => "commits".to_owned(),
            Some(Open::Review(_)) => clean_line(&format!("review by {}", reviewer(self))),
            None => self.status.as_str().to_owned(),
        };
        let at = match self.work.iteration {
            0 => "baseline".to_owned(),
            number => format!("#{number}"),
        };
        UnderWay { at, what, facts: super::loops::facts(self), ..UnderWay::default() }
    }

    fn at_work(&self) -> Vec<AtWork> {
        match &self.work.open {
            Some(Open::Attempt(open)) => vec![AtWork {
                attempt: open.number.to_string(),
                has_tries: false,
                what: clean_line(&self.agent().name),
                speaks: Some(self.agent().stream.clone()),
            }],
            Some(Open::Checks(round)) => checks_at_work(&self.config.checks, *round).collect(),
            Some(Open::Review(open)) => vec![AtWork {
                attempt: open.name(),
                has_tries: false,
                what: clean_line(&format!("review by {}", reviewer(self))),
                speaks: self.config.review.as_ref().map(|review| review.agent.stream.clone()),
            }],
            Some(Open::Hooks(_) | Open::Commit(_)) | None => Vec::new(),
        }
    }

    fn is_settling(&self) -> bool {
        self.status == Status::Waiting && !self.requests.answers.is_empty()
    }

    fn at_a_key(&self) -> Option<u32> {
        let own = |kind| matches!(kind, QuestionKind::BeforeIteration | QuestionKind::AfterIteration);
        let found = self.people.questions.iter().find(|question| own(question.kind));
        found.filter(|_| self.requests.answers.is_empty()).map(|question| question.number)
    }

    fn goes_on_at(&self) -> Option<Timestamp> {
        self.until.filter(|_| self.status == Status::Waiting)
    }
}

/// What a person wants to know at once.
fn is_news(event: &Event) -> bool {
    match event {
        Event::AttemptFinished { end, .. } => {
            !matches!(end.outcome, AttemptOutcome::Succeeded | AttemptOutcome::Cancelled)
        }
        Event::AttemptLost { .. }
        | Event::AttemptAbandoned { .. }
        | Event::RunWaiting { until: Some(_), .. }
        | Event::RunResumed { .. }
        | Event::AnswerRefused { .. }
        | Event::SessionRebooted { .. }
        | Event::RebootsGivenUp { .. }
        | Event::AgentOut { .. }
        | Event::RunReopened { .. }
        | Event::ReviewFinished { .. }
        | Event::AgentSwitched { .. }
        | Event::ModeSwitched { .. } => true,
        _ => false,
    }
}

/// What a person should know of an attempt besides.
fn warnings(event: &Event) -> Vec<String> {
    match event {
        Event::AttemptFinished { end, .. } => {
            let said = end.report.iter().flat_map(|report| &report.warnings);
            said.chain(end.prompt.iter().flat_map(|prompt| &prompt.warnings)).cloned().collect()
        }
        Event::HooksFinished { end } => end.results.iter().filter_map(HookRecord::warning).collect(),
        _ => Vec::new(),
    }
}

impl Watched for workflow::State {
    fn why(&self) -> String {
        super::workflow::why(self)
    }

    fn not_the_cause(&self) -> Vec<String> {
        super::workflow::not_the_cause(self)
    }

    fn told(before: Option<&Self>, event: &WorkflowEvent, after: &Self) -> Vec<Told> {
        let heading = before.is_none().then(|| told(Weight::Heading, super::workflow::opening(after)));
        let line = match super::workflow::progress(before, event, after) {
            Some(line) => told(Weight::News, line),
            None => told(Weight::Detail, format!("      {}", Self::words(event))),
        };
        heading.into_iter().chain([line]).collect()
    }

    fn words(event: &WorkflowEvent) -> String {
        super::workflow::event(event)
    }

    fn under_way(&self) -> UnderWay {
        super::workflow::under_way(self)
    }

    fn at_work(&self) -> Vec<AtWork> {
        super::workflow::at_work(self)
    }
}

impl Watched for cycle::State {
    fn why(&self) -> String {
        super::cycle::why(self)
    }

    fn not_the_cause(&self) -> Vec<String> {
        super::cycle::not_the_cause(self)
    }

    fn told(before: Option<&Self>, event: &CycleEvent, after: &Self) -> Vec<Told> {
        let heading = before.is_none().then(|| told(Weight::Heading, super::cycle::opening(after)));
        let line = match super::cycle::progress(before, event, after) {
            Some(line) => told(Weight::News, line),
            None => told(Weight::Detail, format!("      {}", Self::words(event))),
        };
        let errors = super::cycle::errors(event).into_iter().map(|error| told(Weight::News, error));
        heading.into_iter().chain([line]).chain(errors).collect()
    }

    fn words(event: &CycleEvent) -> String {
        super::cycle::event(event)
    }

    fn under_way(&self) -> UnderWay {
        super::cycle::under_way(self)
    }

    fn at_work(&self) -> Vec<AtWork> {
        super::cycle::at_work(self)
    }
}

impl Watched for ledger_machine::State {
    fn why(&self) -> String {
        super::ledger::why(self)
    }

    fn not_the_cause(&self) -> Vec<String> {
        super::ledger::not_the_cause(self)
    }

    fn told(before: Option<&Self>, event: &LedgerEvent, _after: &Self) -> Vec<Told> {
        let weight = match (before, super::ledger::told(event).is_empty()) {
            (None, _) => Weight::Heading,
            (Some(_), true) => Weight::Detail,
            (Some(_), false) => Weight::News,
        };
        vec![told(weight, Self::words(event))]
    }

    fn words(event: &LedgerEvent) -> String {
        super::ledger::event(event)
    }

    fn under_way(&self) -> UnderWay {
        UnderWay { what: super::ledger::why(self), ..UnderWay::default() }
    }

    /// Nobody watches research but whoever asked for it, and is told each step.
    fn at_work(&self) -> Vec<AtWork> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use piton_model::create;
    use piton_model::loop_machine::stop::{Done, until};
    use piton_model::loop_machine::{AgentConfig, LoopConfig};

    use super::*;

    #[test]
    fn that_no_fresh_session_is_begun_any_more_is_news() {
        let agent = AgentConfig::new("", &["a"]);
        let until = vec![until(Done {})];
        let config = LoopConfig { until, ..LoopConfig::new("task", agent, Vec::new()) };
        let created = create("r".parse().expect("an id"), "task", config).expect("a run");
        let state = State::apply(None, &created, Timestamp::default()).expect("a state");
        let told = State::told(Some(&state), &Event::RebootsGivenUp { failures: 3 }, &state);
        let lines: Vec<_> = told.iter().map(|told| (told.weight, told.text.trim())).collect();
        let says = "session: a fresh one is due and not begun: 3 in a row were not to be (`piton reboot` begins one)";
        assert_eq!(lines, [(Weight::News, says)]);
    }
}
