//! Iterations and their verdicts: when one may begin, what it is judged by, and when the run has reached its goal.

use super::{Iteration, Journal, Place};
use crate::checker::data::Data;
use crate::checker::world::World;
use crate::checker::{Checked, violated};

impl Journal {
    /// One after the other, each with its version, within the limit, and for a reason.
    pub(super) fn iteration_started(&mut self, event: &Data<'_>) -> Checked {
        let (number, version): (u32, &str) = (event.get("/iteration")?, event.get("/version")?);
        self.nothing_open("an iteration begins")?;
        let last = &self.iteration;
        if !matches!(self.place, Place::Created | Place::Running) {
            return violated("I4", format!("iteration {number} begins while {:?}", self.place));
        }
        if number != last.number + 1 || (last.number > 0 && last.verdict.is_none()) {
            return violated("I13", format!("iteration {number} follows {} without a verdict", last.number));
        }
        if number > self.limits.iterations {
            let what = format!("iteration {number} begins beyond the limit of {}", self.limits.iterations);
            return violated("I13", what);
        }
        if version != format!("1.{}.0", number - 1) {
            return violated("I13", format!("iteration {number} has version {version}"));
        }
        if self.confirms
            && last.verdict.as_deref().is_some_and(|verdict| verdict != "imported")
            && !last.confirmed
        {
            return violated("I6", format!("iteration {number} begins, and nobody confirmed it"));
        }
        let roles: Vec<String> = event.get("/roles")?;
        let team: Vec<String> = self.roles.iter().map(|role| role.shape.name.clone()).collect();
        let expected = match event.maybe::<String>("/extension/text")? {
            Some(text) => {
                if self.extensions.first() != Some(&text) {
                    return violated(
                        "I1",
                        format!("{text:?} is added, and {:?} waits", self.extensions.first()),
                    );
                }
                self.extensions.remove(0);
                team
            }
            None if number == 1 => team,
            None => last.next.clone(),
        };
        if roles != expected || roles.is_empty() {
            return violated("I4", format!("iteration {number} has {roles:?}, and {expected:?} are to work"));
        }
        for role in &mut self.roles {
            (role.worked, role.result, role.asks) = (false, String::new(), 0);
            if roles.contains(&role.shape.name) {
                (role.due, role.failures, role.lost, role.not_before_ms, role.restore) =
                    (true, 0, 0, None, None);
                role.asked.clear();
                role.called_back = false;
            }
        }
        let base = self.seen_id.clone();
        self.iteration = Iteration { number, base, ..Iteration::default() };
        self.judged = None;
        self.place = Place::Running;
        self.hear_all(event, "/feedback")
    }

    pub(super) fn checks_started(&mut self, event: &Data<'_>, world: &World) -> Checked {
        let round: u32 = event.get("/round")?;
        self.may_begin("a round of checks")?;
        self.nothing_open("a round of checks begins")?;
        if let Some(name) = world.living().first() {
            return violated("I10", format!("a round of checks begins while {name:?} is alive"));
        }
        if round != self.round + 1 || !self.has_checks {
            return violated("I4", format!("round {round} follows round {}", self.round));
        }
        (self.round, self.open_round) = (round, Some(round));
        Ok(())
    }

    pub(super) fn checks_finished(&mut self, event: &Data<'_>, world: &World) -> Checked {
        let number: u32 = event.get("/round/number")?;
        if self.open_round.take() != Some(number) {
            return violated("I4", format!("round {number} ended and is not open"));
        }
        self.working_ms += event.get::<u64>("/round/duration_ms")?;
        if event.is("/round/cancelled")? {
            return Ok(());
        }
        let verdicts: Vec<bool> = event.each("/round/checks", "passed")?;
        world.check_verdicts(number, &verdicts)?;
        self.tree_seen(event, "/round/snapshot")?;
        self.judged = self.seen.clone().map(|tree| (tree, !verdicts.contains(&false)));
        self.worked_since = false;
        Ok(())
    }

    /// Once everybody who works in it is done, by checks of the tree as it is.
    pub(super) fn iteration_concluded(&mut self, event: &Data<'_>) -> Checked {
        let number: u32 = event.get("/conclusion/iteration")?;
        self.nothing_open("an iteration is judged")?;
        if number != self.iteration.number || self.iteration.verdict.is_some() || self.place != Place::Running
        {
            return violated(
                "I12",
                format!("iteration {number} is judged while {} is under way", self.iteration.number),
            );
        }
        if let Some(role) = self.roles.iter().find(|role| role.due) {
            return violated(
                "I12",
                format!("iteration {number} is judged, and {} is not done", role.shape.name),
            );
        }
        if !self.is_judged() {
            return violated("I6", format!("iteration {number} is judged, and the checks saw another tree"));
        }
        let verdict: &str = event.get("/conclusion/verdict")?;
        let issues: Vec<String> = event.maybe("/conclusion/issues")?.unwrap_or_default();
        let next: Vec<String> = event.maybe("/conclusion/next")?.unwrap_or_default();
        let converged = verdict == "converged";
        // Of a cycle that was prepared, what only works is then done in full: nothing is wrong, and it goes on.
        let gate: Option<&str> = event.maybe("/conclusion/gate/gate")?;
        let is_first = gate == Some("zero_to_one");
        let goes_further = is_first && event.is("/conclusion/gate/passed")?;
        let is_well = issues.is_empty() && !goes_further;
        if converged != is_well || converged != next.is_empty() || converged && is_first {
            return violated("I6", format!("iteration {number} is {verdict} with {issues:?}, then {next:?}"));
        }
        // A validator that does not say what it found has not said yes.
        let is_bad = |role: &&super::Role| match role.result.as_str() {
            "unknown" => role.shape.validates,
            result => matches!(result, "partial" | "failed" | "blocked"),
        };
        if converged && self.has_checks && self.worked_since {
            let what = format!("iteration {number} converged by checks that somebody worked after");
            return violated("I6", what);
        }
        let undone = self.roles.iter().find(is_bad).map(|role| &role.shape.name);
        let blocker = self.blockers.iter().find(|(_, blocker)| blocker.is_some()).map(|(id, _)| id);
        if converged && (!self.is_green() || undone.is_some() || blocker.is_some()) {
            let green = self.is_green();
            let what = format!(
                "iteration {number} converged: green {green}, undone {undone:?}, blocked {blocker:?}"
            );
            return violated("I6", what);
        }
        let quality: f64 = event.get("/conclusion/quality")?;
        let better = self.judged_iterations.iter().find(|(_, earlier)| **earlier > quality);
        if let Some((better, _)) = better.filter(|_| event.is("/conclusion/best").unwrap_or(false)) {
            return violated("I12", format!("iteration {number} is the best, and {better} is better"));
        }
        self.judged_iterations.insert(number, quality);
        self.idle_iterations = if event.is("/conclusion/progress")? { 0 } else { self.idle_iterations + 1 };
        let expected = match (converged, self.idle_iterations >= self.limits.no_progress) {
            (true, _) => "converged",
            (false, true) => "no_progress",
            (false, false) if number >= self.limits.iterations => "out_of_iterations",
            (false, false) => "goes_on",
        };
        if verdict != expected {
            return violated("I6", format!("iteration {number} is {verdict}, and {expected} is right"));
        }
        (self.iteration.verdict, self.iteration.next) = (Some(verdict.to_owned()), next);
        self.hear_all(event, "/conclusion/feedback")
    }

    /// Everybody had a turn, the tree as it is was judged and is green, and nothing is left to be done.
    pub(super) fn completed(&mut self) -> Checked {
        self.nothing_open("run_completed")?;
        if self.iteration.verdict.as_deref() != Some("converged") || !self.is_green() {
            return violated(
                "I6",
                format!("the run completed, and its last verdict is {:?}", self.iteration.verdict),
            );
        }
        if let Some(role) = self.roles.iter().find(|role| !role.had_turn) {
            return violated("I6", format!("the run completed, and {} never had a turn", role.shape.name));
        }
        if let Some(text) = self.extensions.first() {
            return violated("I1", format!("the run completed, and {text:?} waits"));
        }
        self.rest(Place::Completed);
        Ok(())
    }
}
