//! Loops: an agent works in a tree of dice until checks pass.

mod agent;
mod checks;
mod look;
mod people;
mod perform;
mod setting;

use piton_model::hook::Mode;
use piton_model::loop_machine::{AttemptOutcome, Left, LoopConfig, Report};
use piton_model::{Command, Effect, Event, Kind, Seq, State, Status, create};
use piton_store::Append;

use crate::driver::{Driven, Driver};
use crate::history::{Entry, Name, View};
use crate::kind::{Intended, Simulated};
use crate::rng::Rng;
use crate::scenario::Plant;
use crate::sim::Sim;
use crate::tree::Tree;
use look::Shown;
use perform::Work;
pub(crate) use setting::sessions;

/// Loops.
pub(crate) struct Loops;

/// The dice of one loop, and the tree it works in.
pub(crate) struct Scene {
    config: LoopConfig,
    /// In a thousand attempts, how many report done.
    done_permille: u64,
    /// Messages to the agent are long, so that checkpoints fall due.
    chatty: bool,
    /// The work tree.
    tree: Tree,
    /// The conversation that the agent which is started next is to have.
    session: Option<String>,
    shown: Shown,
}

impl Scene {
    /// What is in the work tree, beside what is on record of it.
    fn left(&mut self, state: &State) -> Left {
        self.tree.left(state.work.before.as_ref(), state.seen.snapshot.as_ref())
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
            done_permille: rng.between(1, 12),
            chatty: rng.one_in(16),
            tree: Tree::new(if green_start { 900 } else { rng.between(1, 16) }, green_start, rng),
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
            scene.tree.write(rng);
        }
    }

    fn ends(name: Name, outcome: AttemptOutcome, scene: &Scene) -> AttemptOutcome {
        scene.tree.ends(name, outcome)
    }

    fn cost(report: &Report) -> Option<u64> {
        report.cost_microusd
    }

    fn overtaking(sim: &mut Sim<Self>) -> Append {
        sim.request(&Event::AgentTold { text: "mind the tests".to_owned() })
    }

    fn happen(sim: &mut Sim<Self>) {
        sim.scene.tree.write(&mut sim.rng);
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

    fn show(state: &State, scene: &mut Scene, _log: &mut Vec<Entry>, _plant: Option<Plant>) {
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
