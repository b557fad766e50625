//! What the journal of a loop says, event by event, by the checker's own account.

use super::shape::{self, parse};
use super::world::World;
use super::{Checked, Rules, violated};
use crate::history::{By, Entry, Name, RawEvent, View};

/// Where the run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Nowhere,
    Created,
    Running,
    /// Waits for a moment.
    Timed,
    /// Waits for an answer.
    Asking,
    /// Paused, stopped or failed.
    Resting,
    Completed,
}

/// What is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Open {
    #[default]
    Nothing,
    Attempt(u32),
    Round(u32),
    Hooks(u32),
}

/// What was used up to an event.
#[derive(Clone, Copy, Default)]
struct Used {
    iteration: u32,
    cost: u64,
    lost: u32,
    mode: Mode,
}

/// Whether a person is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    Attended,
    #[default]
    Unattended,
    Hybrid,
}

impl Mode {
    fn named(word: &str) -> Option<Self> {
        match word {
            "attended" => Some(Mode::Attended),
            "unattended" => Some(Mode::Unattended),
            "hybrid" => Some(Mode::Hybrid),
            _ => None,
        }
    }
}

/// A question that waits for a person.
struct Question {
    number: u32,
    digest: String,
    kind: String,
    /// The run was left alone since: it became unattended.
    left_alone: bool,
}

/// Calls of hooks so far.
#[derive(Default)]
struct Calls {
    number: u32,
    /// Points at which a hook is configured.
    configured: Vec<String>,
    /// Points of the call that is open.
    open: Vec<String>,
    /// Points that were really called, by call and epoch.
    made: Vec<(u32, &'static str, u64)>,
    /// Points that were called since the last attempt began.
    since_attempt: Vec<String>,
}

impl Calls {
    /// Where a hook is configured at a point, it was called there since the last attempt began.
    fn was_called(&self, point: &str) -> bool {
        let is = |known: &String| known == point;
        !self.configured.iter().any(is) || self.since_attempt.iter().any(is)
    }
}

/// Facts of the journal so far.
#[derive(Default)]
pub(super) struct Journal {
    place: Place,
    open: Open,
    attempt: u32,
    round: u32,
    epoch: u64,
    limit: u32,
    cost_limit: Option<u64>,
    used: Used,
    used_at: Vec<Used>,
    green: bool,
    /// Whether an attempt that cheats is refused.
    refuses: bool,
    /// The last attempt that ended was refused.
    refused: bool,
    /// Recoveries that began.
    recoveries: u32,
    completed_at: u64,
    questions: Vec<Question>,
    questions_asked: u32,
    answers: Vec<(u32, String, Option<String>)>,
    calls: Calls,
    /// Somebody wants it to stop at once.
    stop_now: bool,
    /// The mode that was last asked for.
    mode_asked: Option<Mode>,
}

impl Rules for Journal {
    fn at_rest(&self) -> bool {
        matches!(self.place, Place::Asking | Place::Resting | Place::Completed)
    }

    /// One process at a time, and only what is open.
    fn may_start(&self, name: Name, world: &World) -> Checked {
        if let Some(other) = world.living().first() {
            return violated("I10", format!("{name:?} was started while {other:?} is alive"));
        }
        let open = match name {
            Name::Attempt(number) => self.open == Open::Attempt(number),
            Name::Check { round, .. } => self.open == Open::Round(round),
        };
        match open {
            true => Ok(()),
            false => violated("I4", format!("{name:?} was started, but is not open in the journal")),
        }
    }

    fn see(&mut self, entry: &Entry, _world: &World) -> Checked {
        let Entry::HookCalled { call, point, epoch } = entry else { return Ok(()) };
        if self.open != Open::Hooks(*call) || !self.calls.open.iter().any(|open| open == point) {
            return violated(
                "I4",
                format!("hooks were called at {point} for call {call}, which is not open"),
            );
        }
        if self.calls.made.contains(&(*call, point, *epoch)) {
            return violated("I4", format!("one driver called the hooks at {point} twice for call {call}"));
        }
        self.calls.made.push((*call, point, *epoch));
        Ok(())
    }

    /// Takes an event that was committed with an append beginning at `first`.
    fn take(&mut self, event: &RawEvent, by: By, first: u64, world: &World) -> Checked {
        let kind = event.kind.as_str();
        let is_request = kind.ends_with("_requested")
            || matches!(
                kind,
                "answer_given"
                    | "agent_told"
                    | "run_adopted"
                    | "note_added"
                    | "best_chosen"
                    | "finding_marked"
                    | "run_created"
            );
        match by {
            By::Epoch(_) if is_request => return violated("I5", format!("{kind} came from a driver")),
            By::Request(_) if !is_request => return violated("I5", format!("{kind} came without a lease")),
            _ => {}
        }
        // The append that ends a run may note that it stored a checkpoint; nothing else follows.
        let is_note = kind == "checkpoint_taken" && self.completed_at >= first;
        if self.place == Place::Completed && !is_request && !is_note {
            return violated("I4", format!("{kind} follows the end of the run"));
        }
        if (event.seq == 1) != (kind == "run_created") {
            return violated("I2", format!("{kind} is event {}", event.seq));
        }
        match kind {
            "run_created" => self.created(parse(event)?)?,
            "driver_started" => self.driver_started(&parse(event)?, by)?,
            "attempt_started" => self.attempt_started(&parse(event)?, world)?,
            "attempt_finished" => self.attempt_finished(&parse(event)?, world)?,
            "attempt_abandoned" => self.attempt_abandoned(&parse(event)?, world)?,
            "attempt_lost" => self.attempt_lost(&parse(event)?, world)?,
            "checks_started" => self.checks_started(&parse(event)?, world)?,
            "checks_finished" => self.checks_finished(&parse(event)?, world)?,
            "hooks_started" => self.hooks_started(parse(event)?, world)?,
            "hooks_finished" => self.hooks_finished(&parse(event)?)?,
            "mode_switched" => self.mode_switched(&parse(event)?)?,
            "mode_requested" => {
                let asked: shape::ModeRequested<'_> = parse(event)?;
                self.mode_asked = asked.mode.and_then(Mode::named).or(self.mode_asked);
            }
            "stop_requested" => self.stop_now |= parse::<shape::StopRequested>(event)?.now,
            "question_asked" => self.question_asked(&parse(event)?)?,
            "question_closed" => self.question_closed(&parse(event)?)?,
            "answer_given" => {
                let given: shape::AnswerGiven<'_> = parse(event)?;
                self.answers.push((given.question, given.answer.to_owned(), given.seen.map(str::to_owned)));
            }
            "run_waiting" => {
                let waiting: shape::Waiting<'_> = parse(event)?;
                self.place = if waiting.until.is_some() { Place::Timed } else { Place::Asking };
            }
            "run_resumed" => {
                let resumed: shape::Resumed = parse(event)?;
                self.limit = resumed.raise.iterations.unwrap_or(self.limit);
                self.cost_limit = resumed.raise.cost_microusd.or(self.cost_limit);
                self.place = Place::Running;
            }
            "run_paused" => self.place = Place::Resting,
            "run_stopped" | "run_failed" => {
                parse::<shape::Ended<'_>>(event)?;
                (self.place, self.stop_now) = (Place::Resting, false);
            }
            "run_completed" => self.completed(event.seq, &parse(event)?)?,
            "recovery_advanced" => self.recovery_advanced(&parse(event)?)?,
            // Verdicts are judged by what they lead to.
            "iteration_concluded" | "level_raised" | "session_rebooted" | "reboot_proposed" => {}
            "commit_started" | "commit_finished" => {}
            "snapshot_taken" | "answer_refused" | "checkpoint_taken" => {}
            _ if is_request => {}
            _ => return violated("I2", format!("nobody knows an event {kind}")),
        }
        self.used_at.push(self.used);
        Ok(())
    }

    /// The numbers a view shows are those of the events it stands on.
    fn check_view(&self, view: &View) -> Checked {
        let View { shown, count, cost, lost, mode } = *view;
        let Some(used) = (shown as usize).checked_sub(1).and_then(|index| self.used_at.get(index)) else {
            return violated("I7", format!("a view shows event {shown}"));
        };
        // The iteration under way may have its verdict or not; every one before it has exactly one.
        let counted = count == used.iteration || count + 1 == used.iteration;
        if !counted || cost != used.cost || lost != used.lost {
            let what = format!(
                "event {shown}: {count} iterations, {cost} spent and {lost} lost are shown; {}, {} and {} are recorded",
                used.iteration, used.cost, used.lost
            );
            return violated("I13", what);
        }
        if mode.and_then(Mode::named) != Some(used.mode) {
            return violated("I7", format!("event {shown}: {mode:?} is shown, {:?} is recorded", used.mode));
        }
        Ok(())
    }
}

impl Journal {
    fn created(&mut self, created: shape::Created) -> Checked {
        self.place = Place::Created;
        if let Some(hooks) = created.config.hooks {
            self.calls.configured = hooks.hooks.into_iter().flat_map(|hook| hook.points).collect();
        }
        if let Some(word) = created.config.mode.and_then(|mode| mode.start) {
            let Some(mode) = Mode::named(&word) else {
                return violated("I2", format!("nobody knows a mode {word}"));
            };
            self.used.mode = mode;
        }
        self.refuses = created.config.guard.as_deref().is_none_or(|mode| mode == "block");
        self.limit = created.config.limits.iterations;
        self.cost_limit = created.config.limits.cost_microusd;
        Ok(())
    }

    fn driver_started(&mut self, started: &shape::DriverStarted, by: By) -> Checked {
        if by != By::Epoch(started.epoch) || started.epoch <= self.epoch {
            return violated("I5", format!("a driver of epoch {} follows {}", started.epoch, self.epoch));
        }
        self.epoch = started.epoch;
        if self.place == Place::Created {
            self.place = Place::Running;
        }
        Ok(())
    }

    /// Work begins only while the run is under way, one piece at a time, on a tree nobody else works in.
    fn may_begin(&self, what: &str, world: &World) -> Checked {
        if self.place != Place::Running || self.open != Open::Nothing {
            return violated("I4", format!("{what} begins while {:?} with {:?} open", self.place, self.open));
        }
        match world.living().first() {
            Some(name) => violated("I10", format!("{what} begins while {name:?} is alive")),
            None => Ok(()),
        }
    }

    fn attempt_started(&mut self, started: &shape::AttemptStarted, world: &World) -> Checked {
        let shape::Attempt { number, iteration } = started.attempt;
        self.may_begin("an attempt", world)?;
        if number != self.attempt + 1 {
            return violated("I4", format!("attempt {number} follows attempt {}", self.attempt));
        }
        if iteration != self.used.iteration && iteration != self.used.iteration + 1 {
            return violated(
                "I13",
                format!("iteration {iteration} follows iteration {}", self.used.iteration),
            );
        }
        if iteration > self.limit {
            return violated(
                "I13",
                format!("iteration {iteration} begins beyond the limit of {}", self.limit),
            );
        }
        if self.cost_limit.is_some_and(|limit| self.used.cost >= limit) {
            return violated("I13", format!("attempt {number} begins with {} spent", self.used.cost));
        }
        for point in ["pre_session", "pre_iteration"] {
            let begins = point == "pre_session" || iteration != self.used.iteration;
            if begins && !self.calls.was_called(point) {
                return violated("I4", format!("attempt {number} begins, and no hook was called at {point}"));
            }
        }
        self.calls.since_attempt.clear();
        (self.attempt, self.used.iteration, self.open) = (number, iteration, Open::Attempt(number));
        Ok(())
    }

    fn close_attempt(&mut self, number: u32, what: &str, world: &World) -> Checked {
        if self.open != Open::Attempt(number) {
            return violated("I4", format!("attempt {number} was {what} while {:?} is open", self.open));
        }
        if world.living().contains(&Name::Attempt(number)) {
            return violated("I10", format!("attempt {number} was {what} while it is alive"));
        }
        self.open = Open::Nothing;
        Ok(())
    }

    fn attempt_finished(&mut self, finished: &shape::AttemptFinished<'_>, world: &World) -> Checked {
        let number = finished.attempt;
        self.close_attempt(number, "finished", world)?;
        let cost = finished.end.report.as_ref().and_then(|report| report.cost_microusd);
        match world.exit(Name::Attempt(number)) {
            Some(exit) if exit == (finished.end.outcome, cost) => {}
            Some(exit) => {
                return violated(
                    "I4",
                    format!("attempt {number} ended as {exit:?}, but that is not recorded"),
                );
            }
            None => {
                return violated(
                    "I4",
                    format!("attempt {number} is recorded as finished; nobody knows its outcome"),
                );
            }
        }
        let found = finished.end.guard.iter().flat_map(|guard| &guard.findings);
        self.refused = self.refuses && found.into_iter().any(|finding| finding.blocking);
        if finished.end.outcome != "not_startable" {
            self.used.cost += cost.unwrap_or(0);
        }
        Ok(())
    }

    fn attempt_abandoned(&mut self, gone: &shape::AttemptGone, world: &World) -> Checked {
        let name = Name::Attempt(gone.attempt);
        self.close_attempt(gone.attempt, "abandoned", world)?;
        if world.was_spawned(name) || !world.has_tombstone(name) {
            return violated("I4", format!("attempt {} is recorded as never started", gone.attempt));
        }
        Ok(())
    }

    fn attempt_lost(&mut self, gone: &shape::AttemptGone, world: &World) -> Checked {
        self.close_attempt(gone.attempt, "lost", world)?;
        if world.exit(Name::Attempt(gone.attempt)).is_some() {
            return violated(
                "I4",
                format!("attempt {} is recorded as lost; its outcome is known", gone.attempt),
            );
        }
        self.used.lost += 1;
        Ok(())
    }

    fn checks_started(&mut self, started: &shape::ChecksStarted, world: &World) -> Checked {
        self.may_begin("a round of checks", world)?;
        if started.round != self.round + 1 {
            return violated("I4", format!("round {} follows round {}", started.round, self.round));
        }
        (self.round, self.open) = (started.round, Open::Round(started.round));
        Ok(())
    }

    fn checks_finished(&mut self, finished: &shape::ChecksFinished, world: &World) -> Checked {
        let round = &finished.round;
        if self.open != Open::Round(round.number) {
            return violated("I4", format!("round {} finished while {:?} is open", round.number, self.open));
        }
        self.open = Open::Nothing;
        if round.cancelled {
            return Ok(());
        }
        for (index, verdict) in round.checks.iter().enumerate() {
            // A verdict is what some try of the check said; one that was lost each time has failed.
            let tries =
                (1..=12).map(|attempt| Name::Check { round: round.number, index: index as u8, attempt });
            let said: Vec<_> =
                tries.filter_map(|name| world.exit(name)).filter(|exit| exit.0 != "cancelled").collect();
            let passed = said.last().is_some_and(|exit| exit.0 == "succeeded");
            if passed != verdict.passed {
                return violated(
                    "I4",
                    format!("round {} records a verdict that no check gave", round.number),
                );
            }
        }
        self.green = round.checks.iter().all(|verdict| verdict.passed);
        Ok(())
    }

    /// Calls are numbered without a gap, and never beside other work.
    fn hooks_started(&mut self, started: shape::HooksStarted, world: &World) -> Checked {
        let call = started.call;
        self.may_begin("a call of hooks", world)?;
        if call.number != self.calls.number + 1 || call.points.is_empty() {
            return violated("I4", format!("call {} follows call {}", call.number, self.calls.number));
        }
        if let Some(point) = call.points.iter().find(|point| !self.calls.configured.contains(point)) {
            return violated("I4", format!("hooks are called at {point}, where there is none"));
        }
        (self.calls.number, self.calls.open, self.open) =
            (call.number, call.points, Open::Hooks(call.number));
        Ok(())
    }

    /// What is recorded of a call really happened, all of it unless somebody wants the run to stop at once.
    fn hooks_finished(&mut self, finished: &shape::HooksFinished) -> Checked {
        let end = &finished.end;
        if self.open != Open::Hooks(end.number) {
            return violated("I4", format!("call {} finished while {:?} is open", end.number, self.open));
        }
        let made =
            |point: &String| self.calls.made.iter().any(|made| made.0 == end.number && made.1 == point);
        if let Some(result) = end.results.iter().find(|result| !made(&result.point)) {
            return violated("I4", format!("nobody called the hooks at {}", result.point));
        }
        let recorded = |point: &&String| end.results.iter().any(|result| result.point == **point);
        let missing = self.calls.open.iter().find(|point| !recorded(point));
        if let Some(point) = missing.filter(|_| !self.stop_now) {
            return violated("I4", format!("call {} finished without the hooks at {point}", end.number));
        }
        self.open = Open::Nothing;
        let points = std::mem::take(&mut self.calls.open);
        self.calls.since_attempt.extend(points);
        Ok(())
    }

    /// Every change of mode begins where the last one ended, and one by request was asked for.
    fn mode_switched(&mut self, switched: &shape::ModeSwitched) -> Checked {
        let (from, to) = (Mode::named(&switched.from), Mode::named(&switched.to));
        if from != Some(self.used.mode) || to.is_none() || to == from {
            let what = format!("{} became {} while {:?}", switched.from, switched.to, self.used.mode);
            return violated("I4", what);
        }
        if switched.why.as_str() == Some("user_request") && to != self.mode_asked {
            return violated("I6", format!("it became {} and nobody asked for it", switched.to));
        }
        self.used.mode = to.unwrap_or_default();
        if self.used.mode == Mode::Unattended {
            self.questions.iter_mut().for_each(|question| question.left_alone = true);
        }
        Ok(())
    }

    fn question_asked(&mut self, asked: &shape::QuestionAsked<'_>) -> Checked {
        if asked.question != self.questions_asked + 1 {
            return violated(
                "I6",
                format!("question {} follows question {}", asked.question, self.questions_asked),
            );
        }
        self.questions_asked = asked.question;
        let (number, digest, kind) = (asked.question, asked.digest.to_owned(), asked.kind.to_owned());
        self.questions.push(Question { number, digest, kind, left_alone: false });
        Ok(())
    }

    /// Closed by an answer that somebody gave to exactly what was asked, and that was not used before; between two
    /// iterations also by nobody, once its time is up or nobody is there.
    fn question_closed(&mut self, closed: &shape::QuestionClosed<'_>) -> Checked {
        let Some(index) = self.questions.iter().position(|open| open.number == closed.question) else {
            return violated("I6", format!("question {} was closed and is not open", closed.question));
        };
        let open = self.questions.remove(index);
        let fits = |(question, answer, seen): &(u32, String, Option<String>)| {
            *question == closed.question
                && answer == closed.answer
                && seen.as_ref().is_none_or(|seen| *seen == open.digest)
        };
        let between = matches!(open.kind.as_str(), "before_iteration" | "after_iteration");
        let by_itself = between
            && closed.answer == "approve"
            && (self.place == Place::Timed || (open.left_alone && self.place == Place::Asking));
        match self.answers.iter().position(fits) {
            Some(index) => drop(self.answers.remove(index)),
            None if by_itself => {}
            None => {
                return violated("I6", format!("question {} was closed by no answer to it", closed.question));
            }
        };
        self.stop_now |= closed.answer == "abort";
        if closed.answer == "reject" && open.kind == "before_iteration" {
            // The iteration that would have come is left out: it has its verdict.
            self.used.iteration += 1;
        }
        let goes_on =
            closed.answer == "approve" || (closed.answer == "reject" && open.kind != "attempt_lost");
        let waits = matches!(self.place, Place::Asking | Place::Timed);
        if waits && self.questions.is_empty() && goes_on {
            self.place = Place::Running;
        }
        Ok(())
    }

    /// Recoveries are numbered without a gap, begin with a pause, and never run beside other work.
    fn recovery_advanced(&mut self, advanced: &shape::RecoveryAdvanced) -> Checked {
        let begins = advanced.step.get("paused").is_some();
        let expected = self.recoveries + u32::from(begins);
        if advanced.recovery != expected || self.open != Open::Nothing {
            let what = format!("a step of recovery {} where {expected} is under way", advanced.recovery);
            return violated("I12", what);
        }
        self.recoveries = expected;
        Ok(())
    }

    fn completed(&mut self, seq: u64, ended: &shape::Ended<'_>) -> Checked {
        if self.open != Open::Nothing || !self.green {
            return violated("I6", format!("the run completed ({}) without green checks", ended.reason));
        }
        if self.refused {
            return violated("I12", "the run completed with work that was refused".to_owned());
        }
        if !self.calls.was_called("loop_end") {
            return violated("I4", "the run completed, and no hook was called at its end".to_owned());
        }
        (self.place, self.completed_at) = (Place::Completed, seq);
        Ok(())
    }
}
