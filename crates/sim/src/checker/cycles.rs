//! What the journal of a cycle says, event by event, by the checker's own account.
//!
//! Here is where the cycle is and what is open; [`roles`] has what may begin and how it may end, [`iterations`] what is judged,
//! [`people`] what was asked and what it means, [`told`] who heard what.

mod iterations;
mod people;
mod roles;
mod told;

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::data::Data;
use super::world::World;
use super::{Checked, Rules, Used, Violation, violated};
use crate::history::{Entry, Name};
use people::Asked;
use told::{Hearing, Logs};

/// Where the run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Nowhere,
    Created,
    Running,
    /// Waits for a person to decide, or to mend something.
    Waiting,
    Paused,
    /// Stopped or failed.
    Resting,
    /// Stopped because of its surroundings: what is open stays open.
    Disturbed,
    Completed,
}

/// A role as the table has it.
#[derive(Default, Deserialize)]
struct Shape {
    name: String,
    #[serde(default)]
    after: Vec<String>,
    #[serde(default)]
    develops: bool,
    #[serde(default)]
    validates: bool,
    cost_microusd: Option<u64>,
    tokens: Option<u64>,
}

/// A role, as far as it matters here.
#[derive(Default)]
struct Role {
    shape: Shape,
    /// It has something to do in this iteration.
    due: bool,
    /// Somebody asked it while it was at work: it has another turn.
    called_back: bool,
    /// It had its turn, in whichever iteration.
    had_turn: bool,
    /// It had its turn in this iteration.
    worked: bool,
    /// What its phase came to in this iteration.
    result: String,
    open: Option<u32>,
    started_at_ms: i64,
    nudges: usize,
    /// Tries that failed since it was last begun, asked somebody, or the run went on.
    failures: u32,
    lost: u32,
    asks: u32,
    /// Whom it asked and has not heard of since.
    asked: Vec<String>,
    not_before_ms: Option<i64>,
    /// The snapshot that its next attempt starts from.
    restore: Option<String>,
    cost: u64,
    tokens: u64,
    hearing: Hearing,
}

/// Ceilings, as far as they matter here.
#[derive(Default, Deserialize)]
struct Limits {
    iterations: u32,
    working_ms: u64,
    cost_microusd: Option<u64>,
    tokens: Option<u64>,
    no_progress: u32,
    attempt_ms: u64,
}

/// The iteration under way, or the last one.
#[derive(Default)]
struct Iteration {
    number: u32,
    /// It has its verdict: which one.
    verdict: Option<String>,
    /// Who works in the next one.
    next: Vec<String>,
    /// Somebody let it go on since the verdict.
    confirmed: bool,
    /// The tree it is compared with, by its snapshot.
    base: Option<String>,
}

/// Facts of the journal so far.
#[derive(Default)]
pub(super) struct Journal {
    place: Place,
    /// The team in the order of the table.
    roles: Vec<Role>,
    has_checks: bool,
    /// What the guard finds is refused.
    refuses: bool,
    confirms: bool,
    grace_ms: u64,
    limits: Limits,
    iteration: Iteration,
    /// How good each iteration that has a verdict is.
    judged_iterations: BTreeMap<u32, f64>,
    idle_iterations: u32,
    attempt: u32,
    round: u32,
    open_round: Option<u32>,
    /// The tree that was seen last, and its snapshot; the one that the last round judged, and whether it was green.
    seen: Option<String>,
    seen_id: Option<String>,
    judged: Option<(String, bool)>,
    /// Whether a role has worked since that round.
    worked_since: bool,
    /// The tree of each snapshot on record.
    trees: BTreeMap<String, String>,
    asked: Asked,
    extensions: Vec<String>,
    /// Decisions by name: whether one is pending, and whether nothing begins without it.
    decisions: BTreeMap<String, (bool, bool)>,
    /// Blockers by name: what stands in the way, and of whom, while it does.
    blockers: BTreeMap<String, Option<(String, String)>>,
    /// A role needs a person, and why.
    halted: BTreeSet<String>,
    /// A role failed for good, and by which reason.
    failed: Option<String>,
    used: Used,
    tokens: u64,
    working_ms: u64,
    used_at: Vec<Used>,
    logs: Logs,
}

impl Rules for Journal {
    fn at_rest(&self) -> bool {
        !matches!(self.place, Place::Nowhere | Place::Created | Place::Running)
    }

    fn may_rest_at_work(&self) -> bool {
        self.place == Place::Disturbed
    }

    /// Only what is open; whoever changes the tree, and the checks, have it to themselves.
    fn may_start(&self, name: Name, world: &World) -> Checked {
        let others = world.living().iter();
        let Name::Attempt(_) = name else {
            let Name::Check { round, .. } = name else { return Ok(()) };
            if self.open_round != Some(round) {
                return violated("I4", format!("{name:?} was started, but is not open in the journal"));
            }
            return match world.living().first() {
                Some(other) => violated("I10", format!("{name:?} was started while {other:?} is alive")),
                None => Ok(()),
            };
        };
        let Some(role) = self.role_of(name) else {
            return violated("I4", format!("{name:?} was started, but is not open in the journal"));
        };
        let clashes = |other: &&Name| match self.role_of(**other) {
            Some(theirs) => {
                theirs.shape.name == role.shape.name || theirs.shape.develops || role.shape.develops
            }
            None => true,
        };
        match others.into_iter().find(clashes) {
            Some(other) => violated("I10", format!("{name:?} was started while {other:?} is alive")),
            None => Ok(()),
        }
    }

    fn see(&mut self, entry: &Entry, _world: &World) -> Checked {
        match entry {
            Entry::Prompted { attempt, tree, told } => self.prompted(*attempt, tree, told),
            Entry::Edited { signal, fields } => {
                self.asked.edits.push((signal.map(str::to_owned), fields.clone(), None));
                Ok(())
            }
            Entry::EditGone { fields, signal } => self.edit_gone(*signal, fields),
            Entry::Line { log, text } => {
                self.logs.found(log, text);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn anyone_may_append(&self, kind: &str) -> bool {
        const NAMED: [&str; 7] = [
            "run_created",
            "feedback_added",
            "decision_proposed",
            "decision_settled",
            "blocker_reported",
            "blocker_settled",
            "best_chosen",
        ];
        kind.ends_with("_requested") || NAMED.contains(&kind)
    }

    fn take(&mut self, event: &Data<'_>, first: u64, world: &World) -> Checked {
        let kind = event.kind();
        let is_request = self.anyone_may_append(kind);
        // A run that reached its goal says nothing more, unless something is added to its task.
        let is_note = matches!(kind, "checkpoint_taken" | "driver_started" | "state_edited");
        let goes_on = kind == "run_resumed" && !self.extensions.is_empty();
        if self.place == Place::Completed && !is_request && !is_note && !goes_on {
            return violated("I4", format!("{kind} follows the end of the run"));
        }
        match kind {
            "run_created" => self.created(event)?,
            "snapshot_taken" => self.snapshot_taken(event)?,
            "iteration_started" => self.iteration_started(event)?,
            "role_started" => self.role_started(event, world)?,
            "role_nudged" => self.role_nudged(event)?,
            "role_finished" => self.role_finished(event, world)?,
            "role_abandoned" => self.role_abandoned(event, world)?,
            "role_lost" => self.role_lost(event, world)?,
            "checks_started" => self.checks_started(event, world)?,
            "checks_finished" => self.checks_finished(event, world)?,
            "iteration_concluded" => self.iteration_concluded(event)?,
            "state_edited" => self.state_edited(event, first)?,
            "run_waiting" => self.waiting(event)?,
            "run_paused" => self.paused(event)?,
            "run_resumed" => self.resumed(event)?,
            "run_stopped" => self.stopped(event)?,
            "run_failed" => self.gave_up(event)?,
            "run_completed" => self.completed()?,
            "driver_started" | "phase_erred" | "checkpoint_taken" => {}
            _ if is_request => self.request(event)?,
            _ => return violated("I2", format!("nobody knows an event {kind}")),
        }
        self.used_at.push(self.used);
        Ok(())
    }

    fn used_at(&self, seq: u64) -> Option<Used> {
        self.used_at.get((seq as usize).checked_sub(1)?).copied()
    }

    /// The logs say all there is, once; nobody who wants it to go on was left unheard.
    fn at_the_end(&self, _world: &World) -> Checked {
        self.logs.check()?;
        if self.asked.resume && self.place != Place::Completed {
            return violated("I9", "somebody asked the run to go on, and it rests");
        }
        Ok(())
    }
}

impl Journal {
    fn created(&mut self, event: &Data<'_>) -> Checked {
        self.place = Place::Created;
        let shapes: Vec<Shape> = event.get("/config/roles")?;
        self.roles = shapes.into_iter().map(|shape| Role { shape, ..Role::default() }).collect();
        self.has_checks = !event.get::<Vec<serde::de::IgnoredAny>>("/config/checks")?.is_empty();
        self.refuses = matches!(event.maybe("/config/guard")?.unwrap_or("block"), "block" | "ask");
        self.confirms = event.is("/config/confirm")?;
        self.limits = event.get("/config/limits")?;
        self.grace_ms = event.get("/config/grace_ms")?;
        let imported: u32 = event.maybe("/imported/iteration")?.unwrap_or(0);
        if imported > 0 {
            // What others did is looked at again by everybody.
            let next = self.roles.iter().map(|role| role.shape.name.clone()).collect();
            let verdict = Some("imported".to_owned());
            self.iteration = Iteration { number: imported, verdict, next, ..Iteration::default() };
        }
        Ok(())
    }

    fn role(&mut self, name: &str) -> Result<&mut Role, Violation> {
        match self.roles.iter_mut().find(|role| role.shape.name == name) {
            Some(role) => Ok(role),
            None => violated("I2", format!("there is no role {name}")),
        }
    }

    fn named(&self, name: &str) -> Option<&Role> {
        self.roles.iter().find(|role| role.shape.name == name)
    }

    /// The role that this attempt is open at.
    fn role_of(&self, name: Name) -> Option<&Role> {
        let Name::Attempt(number) = name else { return None };
        self.roles.iter().find(|role| role.open == Some(number))
    }

    /// All that a role comes after, and what those come after.
    fn before(&self, name: &str) -> BTreeSet<String> {
        let mut found: BTreeSet<String> = BTreeSet::new();
        let mut left = vec![name.to_owned()];
        while let Some(next) = left.pop() {
            let after = self.named(&next).map(|role| role.shape.after.clone()).unwrap_or_default();
            left.extend(after.into_iter().filter(|name| found.insert(name.clone())));
        }
        found
    }

    fn nothing_open(&self, what: &str) -> Checked {
        let open = self.roles.iter().find_map(|role| role.open);
        match (open, self.open_round) {
            (Some(open), _) => violated("I4", format!("{what} while attempt {open} is open")),
            (None, Some(round)) => violated("I4", format!("{what} while round {round} is open")),
            (None, None) => Ok(()),
        }
    }

    /// Whether the last round judged the tree as it is, and found it green.
    fn is_green(&self) -> bool {
        !self.has_checks
            || matches!((&self.judged, &self.seen), (Some((judged, true)), Some(seen)) if judged == seen)
    }

    /// Whether the last round judged the tree as it is.
    fn is_judged(&self) -> bool {
        !self.has_checks
            || matches!((&self.judged, &self.seen), (Some((judged, _)), Some(seen)) if judged == seen)
    }

    fn tree_seen(&mut self, event: &Data<'_>, at: &str) -> Checked {
        if let (Some(id), Some(tree)) =
            (event.maybe::<String>(&format!("{at}/id"))?, event.maybe::<String>(&format!("{at}/tree"))?)
        {
            self.trees.insert(id.clone(), tree.clone());
            (self.seen, self.seen_id) = (Some(tree), Some(id));
        }
        Ok(())
    }

    /// Somebody edited the tree before work began. That is theirs, unless a role, at work or done, left something that
    /// nobody has judged.
    fn snapshot_taken(&mut self, event: &Data<'_>) -> Checked {
        let base = self.iteration.base.clone();
        let of_base = base.as_ref().and_then(|id| self.trees.get(id)).cloned();
        let open = self.roles.iter().filter(|role| role.open.is_some()).count();
        let is_base = event.is("/base")?;
        if is_base && of_base.is_some() && (of_base != self.seen || open > 1) {
            return violated(
                "I12",
                format!("the iteration is compared with what a role left in {:?}", self.seen),
            );
        }
        self.tree_seen(event, "/snapshot")?;
        if is_base {
            self.iteration.base = event.maybe("/snapshot/id")?;
        }
        Ok(())
    }
}
