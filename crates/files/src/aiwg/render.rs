//! From a state and its history to the view. Pure: the same journal gives the same bytes.

use std::path::PathBuf;

use piton_model::hook::Mode;
use piton_model::loop_machine::{DoneRule, Earlier, GuardMode, IterationRecord, Measures, Prompt, done_rule};
use piton_model::{Reason, RunId, Seq, State, Status, Timestamp};
use serde::Serialize;
use serde_json::Value;

use super::entries::{percent, tenths};
use super::history::History;
use super::identity::loop_id;
use super::registry::{End, RegistryEntry};
use super::status::{is_over, loop_status, registry_status};
use super::{STATE_VERSION, place};
use crate::plain::{in_calendar, json_file, object, text_path};
use crate::proof;

/// Who owns a loop that piton drives.
pub(super) const OWNER: &str = "piton";

/// What the format wants to know and the journal does not hold: it has no absolute paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// Where the agent works; absolute.
    pub working_directory: PathBuf,
}

/// A loop in this format, ready to be written.
#[derive(Clone, Debug)]
pub struct View {
    pub(super) loop_id: String,
    pub(super) run: RunId,
    pub(super) seq: Seq,
    pub(super) at: Timestamp,
    pub(super) bytes: Vec<u8>,
    /// How the registry lists it; the way it ended once it is over.
    pub(super) listed: Result<RegistryEntry, End>,
}

impl View {
    /// The run's id in this format.
    pub fn loop_id(&self) -> &str {
        &self.loop_id
    }

    /// `state.json`, byte for byte.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// The view of `state` as of event `head`, with its proof that it is ours.
///
/// `history` has taken in the state after every event up to this one.
pub fn render(state: &State, head: Seq, history: &History, context: &Context) -> View {
    let loop_id = loop_id(&state.run);
    let working_directory = text_path(&context.working_directory).to_string_lossy().into_owned();
    let bytes = proof::sign(json_file(&object! {
        version: STATE_VERSION,
        loop_id: &loop_id,
        status: loop_status(state),
        iteration: state.counters.iterations,
        task: task(state),
        completion_criteria: criteria(state),
        started_at: in_calendar(state.created_at),
        last_updated: in_calendar(state.updated_at),
        completed_at?: is_over(state.status).then(|| in_calendar(state.since)),
        owner: OWNER,
        pid?: pid(state),
        working_directory: &working_directory,
        configuration: configuration(state),
        progress: progress(state),
        metrics: metrics(state),
        error_context?: error_context(state),
        baseline_metrics?: earlier(state, |earlier| earlier.baseline.as_ref())
            .map(Known::Earlier)
            .or_else(|| baseline(state, history).map(Known::Own)),
        iteration_history: history.iteration_texts(),
        best_iteration?: best(state, history, &loop_id)
            .map(Known::Own)
            .or_else(|| earlier(state, |earlier| earlier.best.as_ref()).map(Known::Earlier)),
        regression_events: history.regression_texts(),
        reinforcement_level: state.judged.reinforcement.level.published(),
        reinforcement_history: history.level_texts(),
        recovery_attempts: history.recovery_attempts(),
        recovery_history: history.recovery_texts(),
        detection_enabled: state.config.guard != GuardMode::Off && !is_over(state.status),
        detected_patterns: history.pattern_texts(),
        persistence_metrics?: detection(state),
        piton: object! {
            run_id: state.run.as_str(),
            seq: head,
            status: state.status.as_str(),
            reason?: state.reason.map(Reason::as_str),
            unknown?: Some(unknown(state)).filter(|unknown| !unknown.is_empty()),
            digest: "",
        },
    }));
    let listed = match state.status {
        Status::Completed => Err(End::Completed),
        Status::Stopped | Status::Failed => Err(End::Aborted),
        _ => Ok(entry(state, &loop_id, working_directory)),
    };
    let at = in_calendar(state.updated_at);
    View { run: state.run.clone(), seq: head, at, bytes, listed, loop_id }
}

/// What piton knows itself, or what stood in the file of the tool that began the loop.
#[derive(Serialize)]
#[serde(untagged)]
enum Known<'a, T> {
    Earlier(&'a Value),
    Own(T),
    Both(Value),
}

/// What detection took and how often it was right. Where the tool before has numbers of its own, counts are added up, and
/// of the others ours take the place of what it measured.
fn detection(state: &State) -> Option<Known<'_, impl Serialize>> {
    let own = persistence(state);
    let Some(earlier) = earlier(state, |earlier| earlier.detection.as_ref()) else {
        return own.map(Known::Own);
    };
    let Some(own) = own else { return Some(Known::Earlier(earlier)) };
    let mut both = earlier.as_object().cloned().unwrap_or_default();
    let Ok(Value::Object(own)) = serde_json::to_value(own) else { return Some(Known::Earlier(earlier)) };
    for (name, value) in own {
        let counted = name.ends_with("_count").then(|| both.get(&name)?.as_u64()).flatten();
        let value = counted.zip(value.as_u64()).map_or(value, |(before, now)| (before + now).into());
        both.insert(name, value);
    }
    Some(Known::Both(Value::Object(both)))
}

fn earlier(state: &State, part: impl Fn(&Earlier) -> Option<&Value>) -> Option<&Value> {
    part(&state.memory.adopted.as_ref()?.earlier)
}

fn entry(state: &State, loop_id: &str, working_directory: String) -> RegistryEntry {
    const SUMMARY_CHARS_MAX: usize = 200;
    RegistryEntry {
        loop_id: loop_id.to_owned(),
        task_summary: task(state).chars().take(SUMMARY_CHARS_MAX).collect(),
        status: registry_status(state).to_owned(),
        started_at: in_calendar(state.created_at),
        owner: OWNER.to_owned(),
        pid: pid(state),
        iteration: state.counters.iterations,
        max_iterations: state.config.limits.iterations.max(1),
        completion_criteria: criteria(state),
        priority: "medium".to_owned(),
        tags: Vec::new(),
        state_file: place::state_path(loop_id),
        working_directory,
    }
}

/// What was asked for; of a prompt in a file, its title: the file itself is not in the journal.
fn task(state: &State) -> &str {
    match &state.config.prompt {
        Prompt::Text(text) => text,
        Prompt::File(_) => &state.title,
    }
}

/// What must hold for the run to be complete, as a sentence.
fn criteria(state: &State) -> String {
    let checks: Vec<_> = state.config.checks.iter().map(|check| format!("`{}`", check.command)).collect();
    let pass = match &checks[..] {
        [] => "there are no checks".to_owned(),
        [one] => format!("{one} passes"),
        several => format!("{} pass", several.join(", ")),
    };
    match done_rule(&state.config, state.seen.baseline.as_ref()) {
        DoneRule::ChecksPass => pass,
        DoneRule::Done => format!("the agent reports done, the tree has changed, and {pass}"),
        DoneRule::Conditions => {
            let config = &state.config;
            let asked: Vec<_> = config.until.iter().map(|condition| condition.label()).collect();
            let any: Vec<_> = config.stop.success.iter().map(|named| named.label()).collect();
            let asked = asked.join(" and ");
            Some(asked)
                .filter(|asked| !asked.is_empty())
                .into_iter()
                .chain(any)
                .collect::<Vec<_>>()
                .join(" or ")
        }
    }
}

/// The driver's process, while there is one: a run that rests until a person acts has none.
fn pid(state: &State) -> Option<u32> {
    let is_driven = state.status.is_active() || state.until.is_some();
    state.driver.as_ref().filter(|_| is_driven).map(|driver| driver.pid)
}

fn configuration(state: &State) -> impl Serialize {
    let config = &state.config;
    object! {
        max_iterations: config.limits.iterations.max(1),
        timeout_minutes: config.limits.working_ms / 60_000,
        interactive: config.guard == GuardMode::Ask || state.mode() != Mode::Unattended,
        auto_test: !config.checks.is_empty(),
        checkpoint_interval: 1,
        execution_mode: "default",
    }
}

/// The last completion checks: one per iteration with a verdict. The complete list is the history of iterations.
fn progress(state: &State) -> impl Serialize {
    let check = |record: &IterationRecord| {
        object! {
            iteration: record.number,
            timestamp: in_calendar(record.at),
            passed: record.passed == record.total && !record.was_put_back(),
            output: match record.was_put_back() {
                true => "what it left was put back".to_owned(),
                false => format!("{} of {} checks pass", record.passed, record.total),
            },
        }
    };
    let judged = || state.judged.recent.iter().filter(|record| record.total > 0);
    object! {
        completion_checks: judged().map(check).collect::<Vec<_>>(),
        last_completion_check?: judged().next_back().map(check),
    }
}

/// A sum to which somebody did not contribute is not known.
fn metrics(state: &State) -> impl Serialize {
    let counters = &state.counters;
    let seconds = counters.working_ms as f64 / 1_000.0;
    object! {
        total_iterations: counters.iterations,
        successful_iterations: counters.succeeded,
        failed_iterations: counters.failed,
        total_tokens?: (counters.tokens_unknown == 0).then_some(counters.tokens),
        total_cost_usd?: (counters.cost_unknown == 0).then_some(counters.cost_microusd as f64 / 1e6),
        total_duration_seconds: counters.working_ms / 1_000,
        average_iteration_time_seconds?:
            (counters.iterations > 0).then(|| tenths(seconds / f64::from(counters.iterations))),
    }
}

fn error_context(state: &State) -> Option<impl Serialize> {
    let is_error = match state.status {
        Status::Failed => true,
        Status::Stopped => matches!(state.reason, Some(Reason::Environment | Reason::Auth)),
        _ => false,
    };
    let rule = state.detail.clone().or(state.reason.map(|reason| reason.as_str().to_owned()))?;
    let ended = state.work.ended.as_ref().and_then(|ended| ended.message.as_ref());
    let said = ended.or(state.judged.recent.back().and_then(|last| last.message.as_ref()));
    // What an agent failed with comes before the rule by which that ended the run.
    let message = match said.filter(|_| state.status == Status::Failed) {
        Some(said) => format!("{said} ({rule})"),
        None => rule,
    };
    is_error.then(|| {
        object! {
            error_message: message,
            error_timestamp: in_calendar(state.since),
            recovery_attempted: state.counters.recoveries > 0,
        }
    })
}

/// What of the baseline the format demands and nobody knows: it is 0 there, and named under our own key.
fn unknown(state: &State) -> Vec<&'static str> {
    let is_own = earlier(state, |earlier| earlier.baseline.as_ref()).is_none();
    let Some(measures) = baseline_measures(state).filter(|_| is_own) else { return outcomes_unknown(state) };
    let tests = measures.test_count().is_none().then_some("baseline_metrics.test_count");
    let coverage = measures.coverage_percent().is_none().then_some("baseline_metrics.coverage_percentage");
    tests.into_iter().chain(coverage).chain(outcomes_unknown(state)).collect()
}

/// The tool that began the loop may not say how its iterations went.
fn outcomes_unknown(state: &State) -> Vec<&'static str> {
    match state.counters.are_outcomes_known() {
        true => Vec::new(),
        false => vec!["metrics.successful_iterations", "metrics.failed_iterations"],
    }
}

fn baseline_measures(state: &State) -> Option<&Measures> {
    state.seen.baseline.as_ref().map(|round| &round.measures)
}

/// The numbers of the start.
fn baseline(state: &State, history: &History) -> Option<impl Serialize> {
    let measures = baseline_measures(state)?;
    Some(object! {
        captured_at: in_calendar(history.baseline_at()?),
        test_count: measures.test_count().unwrap_or(0),
        coverage_percentage: percent(measures.coverage_percent().unwrap_or(0.0)),
        typescript_errors?: measures.type_errors,
        lint_errors?: measures.lint_errors,
        lint_warnings?: measures.lint_warnings,
        file_count?: measures.tree.map(|tree| tree.files),
        lines_of_code?: measures.tree.map(|tree| tree.lines),
        custom_metrics?: Some(&measures.custom).filter(|custom| !custom.is_empty()),
    })
}

/// The iteration that a person chose, else the best.
fn best(state: &State, history: &History, loop_id: &str) -> Option<impl Serialize> {
    let by_person = state.people.chosen.as_ref().and_then(|chosen| {
        let found = history.find(chosen.iteration)?;
        let reason = format!("Chosen by a person: {}", chosen.reason);
        Some((chosen.iteration, found.score, chosen.at, reason))
    });
    let by_score = || {
        let best = state.judged.best.as_ref()?;
        let score = percent(best.quality_score());
        let among = if best.is_verified() { " of those whose checks all pass" } else { "" };
        let reason = match best.total {
            0 if best.conditions > 0 => "The last one after which the most conditions hold".to_owned(),
            0 => "The last one that was kept: there are no checks to compare by".to_owned(),
            _ => format!("Highest quality score ({score}%){among}"),
        };
        Some((best.iteration, score, best.at, reason))
    };
    let (iteration, score, at, reason) = by_person.or_else(by_score)?;
    Some(object! {
        iteration: iteration,
        quality_score: score,
        snapshot_path: place::snapshot_path(loop_id, iteration),
        updated_at: in_calendar(at),
        selection_reason: reason,
    })
}

/// What the guard took and what people said of its findings; nothing where neither is known.
fn persistence(state: &State) -> Option<impl Serialize> {
    let mut latencies: Vec<_> = state.seen.latencies_ms.iter().copied().collect();
    latencies.sort_unstable();
    let is_measured = !latencies.is_empty();
    let alarms = state.people.marks.values().filter(|is_false| **is_false).count();
    let is_judged = !state.people.marks.is_empty();
    let detections = f64::from(state.counters.detections);
    let working_ms = state.counters.working_ms as f64;
    (is_measured || is_judged).then(|| {
        object! {
            detection_latency_p95_ms?: percentile(&latencies, 95),
            detection_latency_p99_ms?: percentile(&latencies, 99),
            integration_overhead_percentage?: (is_measured && working_ms > 0.0)
                .then(|| tenths(100.0 * state.counters.guard_ms as f64 / working_ms)),
            false_positive_rate?: (is_judged && detections > 0.0)
                .then(|| (alarms as f64 / detections).clamp(0.0, 1.0)),
            true_positive_count?: is_judged.then(|| state.people.marks.len() - alarms),
            false_positive_count?: is_judged.then_some(alarms),
        }
    })
}

/// The smallest value that at least this share of all is not above.
fn percentile(sorted: &[u32], percent: usize) -> Option<u32> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let hundred: Vec<u32> = (1..=100).collect();
        assert_eq!((percentile(&hundred, 95), percentile(&hundred, 99)), (Some(95), Some(99)));
        assert_eq!(percentile(&[7], 95), Some(7));
        assert_eq!(percentile(&[1, 9], 95), Some(9));
        assert_eq!(percentile(&[], 95), None);
    }
}
