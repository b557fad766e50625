//! What the journal of a loop says, event by event, by the checker's own account.

use super::data::Data;
use super::verdicts::Verdicts;
use super::world::World;
use super::{Checked, Mode, Rules, Used, Violation, violated};
use crate::history::{Entry, Name};

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
    Commit,
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
    /// The iteration that is under way or was last finished.
    iteration: u32,
    limit: u32,
    cost_limit: Option<u64>,
    used: Used,
    used_at: Vec<Used>,
    verdicts: Verdicts,
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

    fn anyone_may_append(&self, kind: &str) -> bool {
        const NAMED: [&str; 7] = [
            "run_created",
            "answer_given",
            "agent_told",
            "run_adopted",
            "note_added",
            "best_chosen",
            "finding_marked",
        ];
        kind.ends_with("_requested") || NAMED.contains(&kind)
    }

    fn take(&mut self, event: &Data<'_>, first: u64, world: &World) -> Checked {
        let kind = event.kind();
        let is_request = self.anyone_may_append(kind);
        // The append that ends a run may note that it stored a checkpoint; nothing else follows.
        let is_note = kind == "checkpoint_taken" && self.completed_at >= first;
        if self.place == Place::Completed && !is_request && !is_note {
            return violated("I4", format!("{kind} follows the end of the run"));
        }
        match kind {
            "run_created" => self.created(event)?,
            "driver_started" if self.place == Place::Created => self.place = Place::Running,
            "attempt_started" => self.attempt_started(event, world)?,
            "attempt_finished" => self.attempt_finished(event, world)?,
            "attempt_abandoned" => self.attempt_abandoned(event, world)?,
            "attempt_lost" => self.attempt_lost(event, world)?,
            "checks_started" => self.checks_started(event, world)?,
            "checks_finished" => self.checks_finished(event, world)?,
            "iteration_concluded" => {
                self.verdicts.concluded(event, first, self.iteration)?;
                self.used.count += 1;
            }
            "level_raised" => self.verdicts.level_raised(event)?,
            "commit_started" => {
                self.may_begin("a commit", world)?;
                if let Some(open) = self.questions.first() {
                    let what = format!("a commit begins while question {} is open", open.number);
                    return violated("I12", what);
                }
                self.verdicts.commit_started(event, self.iteration)?;
                self.open = Open::Commit;
            }
            "commit_finished" => {
                self.close(Open::Commit, "a commit")?;
                self.verdicts.commit_finished(event)?;
            }
            "hooks_started" => self.hooks_started(event, world)?,
            "hooks_finished" => {
                self.hooks_finished(event)?;
                self.verdicts.goes_on(event.seq());
            }
            "mode_switched" => self.mode_switched(event)?,
            "mode_requested" => {
                let asked: Option<&str> = event.maybe("/mode")?;
                self.mode_asked = asked.and_then(Mode::named).or(self.mode_asked);
            }
            "stop_requested" => self.stop_now |= event.get::<bool>("/now")?,
            "question_asked" => self.question_asked(event)?,
            "question_closed" => self.question_closed(event)?,
            "answer_given" => {
                let answer = (event.get("/question")?, event.get("/answer")?, event.maybe("/seen")?);
                self.answers.push(answer);
            }
            "run_waiting" => {
                self.place = if event.has("/until") { Place::Timed } else { Place::Asking };
            }
            "run_resumed" => {
                self.limit = event.maybe("/raise/iterations")?.unwrap_or(self.limit);
                self.cost_limit = event.maybe("/raise/cost_microusd")?.or(self.cost_limit);
                self.place = Place::Running;
                self.verdicts.goes_on(event.seq());
            }
            "run_paused" => self.place = Place::Resting,
            "run_stopped" | "run_failed" => {
                event.get::<&str>("/reason")?;
                (self.place, self.stop_now) = (Place::Resting, false);
            }
            "run_completed" => self.completed(event)?,
            "recovery_advanced" => self.recovery_advanced(event)?,
            "session_rebooted" | "reboot_proposed" | "reboots_given_up" => {}
            "snapshot_taken" => {
                self.verdicts.snapshot_taken(event, matches!(self.open, Open::Attempt(_)))?;
            }
            "driver_started" | "answer_refused" | "checkpoint_taken" => {}
            _ if is_request => {}
            _ => return violated("I2", format!("nobody knows an event {kind}")),
        }
        self.used_at.push(self.used);
        Ok(())
    }

    fn used_at(&self, seq: u64) -> Option<Used> {
        self.used_at.get((seq as usize).checked_sub(1)?).copied()
    }
}

impl Journal {
    fn created(&mut self, event: &Data<'_>) -> Checked {
        self.place = Place::Created;
        if event.has("/config/hooks") {
            let points: Vec<Vec<String>> = event.each("/config/hooks/hooks", "points")?;
            self.calls.configured = points.concat();
        }
        let word = event.maybe("/config/mode/start")?.unwrap_or("unattended");
        self.used.mode = Mode::named(word);
        if self.used.mode.is_none() {
            return violated("I2", format!("nobody knows a mode {word}"));
        }
        self.verdicts.begin(event)?;
        self.limit = event.get("/config/limits/iterations")?;
        self.cost_limit = event.maybe("/config/limits/cost_microusd")?;
        Ok(())
    }

    /// What is open came to its end.
    fn close(&mut self, open: Open, what: &str) -> Checked {
        if self.open != open {
            return violated("I4", format!("{what} finished while {:?} is open", self.open));
        }
        self.open = Open::Nothing;
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

    fn attempt_started(&mut self, event: &Data<'_>, world: &World) -> Checked {
        let (number, iteration): (u32, u32) =
            (event.get("/attempt/number")?, event.get("/attempt/iteration")?);
        self.may_begin("an attempt", world)?;
        if number != self.attempt + 1 {
            return violated("I4", format!("attempt {number} follows attempt {}", self.attempt));
        }
        // The next iteration begins once the one before has its verdict, and not earlier.
        if iteration != self.verdicts.iterations() + 1 {
            let verdicts = self.verdicts.iterations();
            return violated("I13", format!("iteration {iteration} begins after {verdicts} verdicts"));
        }
        if iteration > self.limit {
            let what = format!("iteration {iteration} begins beyond the limit of {}", self.limit);
            return violated("I13", what);
        }
        if self.cost_limit.is_some_and(|limit| self.used.cost >= limit) {
            return violated("I13", format!("attempt {number} begins with {} spent", self.used.cost));
        }
        for point in ["pre_session", "pre_iteration"] {
            let begins = point == "pre_session" || iteration != self.iteration;
            if begins && !self.calls.was_called(point) {
                return violated("I4", format!("attempt {number} begins, and no hook was called at {point}"));
            }
        }
        self.calls.since_attempt.clear();
        if iteration != self.iteration {
            self.verdicts.begun();
        }
        (self.attempt, self.iteration, self.open) = (number, iteration, Open::Attempt(number));
        Ok(())
    }

    fn close_attempt(&mut self, event: &Data<'_>, what: &str, world: &World) -> Result<u32, Violation> {
        let number = event.get("/attempt")?;
        if self.open != Open::Attempt(number) {
            return violated("I4", format!("attempt {number} was {what} while {:?} is open", self.open));
        }
        if world.living().contains(&Name::Attempt(number)) {
            return violated("I10", format!("attempt {number} was {what} while it is alive"));
        }
        self.open = Open::Nothing;
        Ok(number)
    }

    fn attempt_finished(&mut self, event: &Data<'_>, world: &World) -> Checked {
        let number = self.close_attempt(event, "finished", world)?;
        let outcome: &str = event.get("/end/outcome")?;
        let cost = event.maybe("/end/report/cost_microusd")?;
        world.check_exit(Name::Attempt(number), (outcome, cost))?;
        if outcome != "not_startable" {
            self.used.cost += cost.unwrap_or(0);
        }
        self.verdicts.attempt_finished(event)
    }

    fn attempt_abandoned(&mut self, event: &Data<'_>, world: &World) -> Checked {
        let number = self.close_attempt(event, "abandoned", world)?;
        world.check_never_started(Name::Attempt(number))
    }

    fn attempt_lost(&mut self, event: &Data<'_>, world: &World) -> Checked {
        let number = self.close_attempt(event, "lost", world)?;
        self.used.lost += 1;
        self.verdicts.attempt_left(event, "/left")?;
        world.check_lost(Name::Attempt(number))
    }

    fn checks_started(&mut self, event: &Data<'_>, world: &World) -> Checked {
        let round = event.get("/round")?;
        self.may_begin("a round of checks", world)?;
        if round != self.round + 1 {
            return violated("I4", format!("round {round} follows round {}", self.round));
        }
        (self.round, self.open) = (round, Open::Round(round));
        Ok(())
    }

    fn checks_finished(&mut self, event: &Data<'_>, world: &World) -> Checked {
        let number = event.get("/round/number")?;
        self.close(Open::Round(number), "a round")?;
        let verdicts: Vec<bool> = event.each("/round/checks", "passed")?;
        if event.maybe("/round/cancelled")?.unwrap_or(false) {
            return self.verdicts.checked(event, None);
        }
        world.check_verdicts(number, &verdicts)?;
        self.verdicts.checked(event, Some(!verdicts.contains(&false)))
    }

    /// Calls are numbered without a gap, and never beside other work.
    fn hooks_started(&mut self, event: &Data<'_>, world: &World) -> Checked {
        let (number, points): (u32, Vec<String>) = (event.get("/call/number")?, event.get("/call/points")?);
        // A run at rest that somebody stops ends without having gone on; its hooks are told of that.
        let ends = points == ["loop_end"] && self.open == Open::Nothing && self.place != Place::Completed;
        if !ends {
            self.may_begin("a call of hooks", world)?;
        }
        if number != self.calls.number + 1 || points.is_empty() {
            return violated("I4", format!("call {number} follows call {}", self.calls.number));
        }
        if let Some(point) = points.iter().find(|point| !self.calls.configured.contains(point)) {
            return violated("I4", format!("hooks are called at {point}, where there is none"));
        }
        (self.calls.number, self.calls.open, self.open) = (number, points, Open::Hooks(number));
        Ok(())
    }

    /// What is recorded of a call really happened, all of it unless somebody wants the run to stop at once.
    fn hooks_finished(&mut self, event: &Data<'_>) -> Checked {
        let number = event.get("/end/number")?;
        self.close(Open::Hooks(number), "a call")?;
        let recorded: Vec<String> = event.each("/end/results", "point")?;
        let made = |point: &String| self.calls.made.iter().any(|made| made.0 == number && made.1 == point);
        if let Some(point) = recorded.iter().find(|point| !made(point)) {
            return violated("I4", format!("nobody called the hooks at {point}"));
        }
        let missing = self.calls.open.iter().find(|point| !recorded.contains(point));
        if let Some(point) = missing.filter(|_| !self.stop_now) {
            return violated("I4", format!("call {number} finished without the hooks at {point}"));
        }
        let points = std::mem::take(&mut self.calls.open);
        self.calls.since_attempt.extend(points);
        Ok(())
    }

    /// Every change of mode begins where the last one ended, and one by request was asked for.
    fn mode_switched(&mut self, event: &Data<'_>) -> Checked {
        let (from, to): (&str, &str) = (event.get("/from")?, event.get("/to")?);
        let wanted = Mode::named(to);
        if Mode::named(from) != self.used.mode || wanted.is_none() || wanted == self.used.mode {
            return violated("I4", format!("{from} became {to} while {:?}", self.used.mode));
        }
        let why: serde_json::Value = event.get("/why")?;
        if why.as_str() == Some("user_request") && wanted != self.mode_asked {
            return violated("I6", format!("it became {to} and nobody asked for it"));
        }
        self.used.mode = wanted;
        if wanted == Some(Mode::Unattended) {
            self.questions.iter_mut().for_each(|question| question.left_alone = true);
        }
        Ok(())
    }

    fn question_asked(&mut self, event: &Data<'_>) -> Checked {
        let number = event.get("/question")?;
        if number != self.questions_asked + 1 {
            return violated("I6", format!("question {number} follows question {}", self.questions_asked));
        }
        self.questions_asked = number;
        let (digest, kind) = (event.get("/digest")?, event.get("/kind")?);
        self.questions.push(Question { number, digest, kind, left_alone: false });
        Ok(())
    }

    /// Closed by an answer that somebody gave to exactly what was asked, and that was not used before; between two
    /// iterations also by nobody, once its time is up or nobody is there.
    fn question_closed(&mut self, event: &Data<'_>) -> Checked {
        let (number, said): (u32, &str) = (event.get("/question")?, event.get("/answer")?);
        let Some(index) = self.questions.iter().position(|open| open.number == number) else {
            return violated("I6", format!("question {number} was closed and is not open"));
        };
        let open = self.questions.remove(index);
        let fits = |(question, answer, seen): &(u32, String, Option<String>)| {
            *question == number && answer == said && seen.as_ref().is_none_or(|seen| *seen == open.digest)
        };
        let between = matches!(open.kind.as_str(), "before_iteration" | "after_iteration");
        let by_itself = between
            && said == "approve"
            && (self.place == Place::Timed || (open.left_alone && self.place == Place::Asking));
        match self.answers.iter().position(fits) {
            Some(index) => drop(self.answers.remove(index)),
            None if by_itself => {}
            None => return violated("I6", format!("question {number} was closed by no answer to it")),
        };
        // "Another attempt?" "Try again?" "No." leaves nothing to go on with; no to what is doubted puts it back.
        let no_stops = match open.kind.as_str() {
            "attempt_lost" | "stuck" => true,
            "guard" => !self.verdicts.is_doubted(),
            _ => false,
        };
        let goes_on = said == "approve" || (said == "reject" && !no_stops);
        self.stop_now |= !goes_on;
        if said == "reject" && open.kind == "before_iteration" {
            // The iteration that would have come is left out: its verdict follows.
            self.iteration += 1;
            self.verdicts.begun();
            self.verdicts.left_out(event.seq());
        }
        if open.kind == "guard" {
            self.verdicts.answered();
        }
        let waits = matches!(self.place, Place::Asking | Place::Timed);
        if waits && self.questions.is_empty() && goes_on {
            self.place = Place::Running;
            self.verdicts.goes_on(event.seq());
        }
        Ok(())
    }

    /// Recoveries are numbered without a gap, begin with a pause, and never run beside other work.
    fn recovery_advanced(&mut self, event: &Data<'_>) -> Checked {
        let recovery: u32 = event.get("/recovery")?;
        let expected = self.recoveries + u32::from(event.has("/step/paused"));
        if recovery != expected || self.open != Open::Nothing {
            let what = format!("a step of recovery {recovery} where {expected} is under way");
            return violated("I12", what);
        }
        self.recoveries = expected;
        Ok(())
    }

    fn completed(&mut self, event: &Data<'_>) -> Checked {
        let reason: &str = event.get("/reason")?;
        if self.open != Open::Nothing {
            return violated("I6", format!("the run completed ({reason}) with {:?} open", self.open));
        }
        self.verdicts.completed(reason)?;
        if !self.calls.was_called("loop_end") {
            return violated("I4", "the run completed, and no hook was called at its end".to_owned());
        }
        (self.place, self.completed_at) = (Place::Completed, event.seq());
        Ok(())
    }
}
