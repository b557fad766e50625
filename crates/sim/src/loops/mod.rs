//! Loops: an agent works in a tree of dice until checks pass.

mod agent;
mod checks;
mod look;
mod people;
mod perform;
mod setting;

use piton_model::hook::Mode;
use piton_model::loop_machine::{AttemptOutcome, LoopConfig, Report, Snapshot};
use piton_model::{Command, Effect, Event, Kind, Seq, State, Status, create};
use piton_store::Append;

use crate::driver::{Driven, Driver};
use crate::history::{Name, View};
use crate::kind::{Intended, Simulated};
use crate::rng::Rng;
use crate::sim::Sim;
use look::Shown;
use perform::Work;

/// Loops.
pub(crate) struct Loops;

/// The dice of one loop, and the tree it works in.
pub(crate) struct Scene {
    config: LoopConfig,
    /// In a thousand trees, how many pass a check.
    passes_permille: u64,
    /// Decides which trees those are.
    dice: u64,
    /// Whether the first tree passes every check.
    green_start: bool,
    /// In a thousand attempts, how many report done.
    done_permille: u64,
    /// Messages to the agent are long, so that checkpoints fall due.
    chatty: bool,
    /// The content of the work tree.
    tree: u32,
    trees: u32,
    /// The tree of each snapshot.
    snapshots: Vec<u32>,
    /// The conversation that the agent which is started next is to have.
    session: Option<String>,
    shown: Shown,
}

impl Scene {
    /// The snapshot of the tree as it is: the last one, if nothing changed since.
    fn snapshot(&mut self) -> Snapshot {
        if self.snapshots.last() != Some(&self.tree) {
            self.snapshots.push(self.tree);
        }
        let (id, tree) = (format!("s{}", self.snapshots.len() - 1), format!("t{}", self.tree));
        Snapshot { id, tree, left_out: Vec::new() }
    }

    fn restore(&mut self, id: &str) {
        let index: usize = id[1..].parse().expect("snapshots are numbered");
        self.tree = self.snapshots[index];
    }

    /// Somebody writes to the tree.
    fn write_tree(&mut self, rng: &mut Rng) {
        if rng.one_in(16) && self.trees > 0 {
            // Back to something that was there before.
            self.tree = rng.below(u64::from(self.trees)) as u32;
        } else {
            self.trees += 1;
            self.tree = self.trees;
        }
    }

    /// Whether the tree passes this check.
    fn passes(&self, check: u8) -> bool {
        if self.tree == 0 {
            return self.green_start;
        }
        let mut dice = Rng::new(self.dice ^ (u64::from(self.tree) << 8 | u64::from(check)));
        dice.below(1_000) < self.passes_permille
    }
}

impl Simulated for Loops {
    type Run = State;
    type Scene = Scene;
    type Said = Report;
    type Process = Driver<Self>;

    const KIND: Kind = Kind::Loop;
    const GOES_ON: bool = false;
    const SITES: &'static [&'static str] = &[
        "run_created",
        "driver_started",
        "snapshot_taken",
        "checks_finished",
        "attempt_finished",
        "attempt_abandoned",
        "attempt_lost",
        "hooks_finished",
        "question_closed",
        "answer_refused",
        "mode_switched",
        "run_paused",
        "run_resumed",
        "run_stopped",
        "pause_requested",
        "stop_requested",
        "skip_requested",
        "reboot_requested",
        "mode_requested",
        "resume_requested",
        "answer_given",
        "agent_told",
    ];
    const RARE: &'static [(&'static str, u64)] = &[
        ("run_created", 4),
        ("snapshot_taken", 4),
        ("attempt_abandoned", 6),
        ("attempt_lost", 6),
        ("question_closed", 6),
        ("answer_refused", 4),
        ("mode_switched", 6),
        ("run_paused", 16),
        ("run_resumed", 4),
        ("run_stopped", 4),
        ("skip_requested", 3),
        ("pause_requested", 3),
        ("reboot_requested", 3),
        ("mode_requested", 3),
        ("run_completed", 12),
        ("run_failed", 12),
        ("checkpoint_taken", 8),
    ];

    fn scene(rng: &mut Rng) -> Scene {
        let green_start = rng.one_in(8);
        Scene {
            config: setting::config(rng),
            passes_permille: if green_start { 900 } else { rng.between(1, 16) },
            dice: rng.next(),
            green_start,
            done_permille: rng.between(1, 12),
            chatty: rng.one_in(16),
            tree: 0,
            trees: 0,
            snapshots: Vec::new(),
            session: None,
            shown: Shown::default(),
        }
    }

    fn intend(name: Name, scene: &Scene, rng: &mut Rng) -> Intended<Report> {
        match name {
            Name::Attempt(number) => agent::intend(number, scene, rng),
            Name::Check { .. } => {
                Intended { outcome: AttemptOutcome::Succeeded, said: None, steps: rng.between(1, 2) }
            }
        }
    }

    fn work(name: Name, scene: &mut Scene, rng: &mut Rng) {
        let writes = match name {
            Name::Attempt(_) => rng.percent(60),
            Name::Check { .. } => rng.one_in(24),
        };
        if writes {
            scene.write_tree(rng);
        }
    }

    fn ends(name: Name, outcome: AttemptOutcome, scene: &Scene) -> AttemptOutcome {
        match name {
            Name::Check { index, .. } if outcome == AttemptOutcome::Succeeded && !scene.passes(index) => {
                AttemptOutcome::Failed
            }
            Name::Check { .. } | Name::Attempt(_) => outcome,
        }
    }

    fn cost(report: &Report) -> Option<u64> {
        report.cost_microusd
    }

    fn overtaking(sim: &mut Sim<Self>) -> Append {
        sim.request(&Event::AgentTold { text: "mind the tests".to_owned() })
    }

    fn happen(sim: &mut Sim<Self>) {
        sim.scene.write_tree(&mut sim.rng);
    }
}

impl Driven for Loops {
    type Task = Work;

    fn creation(sim: &Sim<Self>) -> Event {
        create(sim.run.clone(), "a simulated run", sim.scene.config.clone()).expect("a sound configuration")
    }

    fn request(sim: &mut Sim<Self>) -> Event {
        people::choose(&sim.scene.shown, sim.scene.chatty, &mut sim.rng)
    }

    fn view(state: &State, shown: Seq) -> View {
        look::view(state, shown)
    }

    fn early_mode(state: &State) -> Option<&'static str> {
        state.requests.mode.map(Mode::as_str)
    }

    fn show(state: &State, scene: &mut Scene) {
        scene.shown = Shown::of(state);
    }

    fn waits_for_people(scene: &Scene) -> bool {
        let shown = &scene.shown;
        shown.question.is_some() || matches!(shown.status, Status::Paused | Status::Stopped | Status::Failed)
    }

    fn found(_state: &State, _sim: &mut Sim<Self>) -> Vec<Command> {
        Vec::new()
    }

    fn settling(_state: &State, _sim: &mut Sim<Self>) -> Command {
        Command::Tick
    }

    fn may_drop(_effect: &Effect) -> bool {
        false
    }

    fn tasks_max(_state: &State) -> usize {
        1
    }
}
