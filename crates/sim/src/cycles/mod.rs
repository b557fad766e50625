//! Cycles: a team of roles around one tree and one state, in iterations, with people beside them.

mod agent;
mod checks;
mod look;
mod people;
mod perform;
mod setting;

use std::collections::BTreeMap;

use piton_model::cycle::{
    Command, Config, CycleEvent as Event, Edited, Effect, Imported, Order, State, create,
};
use piton_model::loop_machine::{AttemptOutcome, Left};
use piton_model::{Kind, Seq, Status};
use piton_store::Append;

use crate::driver::{Driven, Driver};
use crate::history::{Entry, Name, View};
use crate::host::Keeper;
use crate::kind::{Intended, Simulated};
use crate::rng::Rng;
use crate::scenario::Plant;
use crate::sim::Sim;
use crate::tree::Tree;
pub(crate) use agent::Said;
use look::{Logs, Shown};
use perform::Work;

/// Cycles.
pub(crate) struct Cycles;

/// The dice of one cycle, the tree its team works in, and its files.
pub(crate) struct Scene {
    config: Config,
    imported: Option<Imported>,
    tree: Tree,
    /// People talk to the team all the time.
    chatty: bool,
    /// The team does: whoever can ask others does so more often than not, and says a lot to them.
    stormy: bool,
    /// The machine is short of memory: keepers of agents are killed one after the other.
    frail: bool,
    /// What each role was told with its last prompt, by its place in the table.
    told: BTreeMap<usize, Vec<String>>,
    /// The role of each attempt, by its place in the table.
    working: BTreeMap<u32, usize>,
    /// What somebody made of the state file, as long as it is there, and the digest of that.
    edit: Option<(Edited, String)>,
    edits: u32,
    logs: Logs,
    shown: Shown,
}

impl Scene {
    /// What is in the work tree, beside what is on record of it.
    fn left(&mut self, state: &State) -> Left {
        self.tree.left(state.current.before.as_ref(), state.seen.as_ref())
    }

    /// What somebody made of the state file, as long as it is not written anew.
    fn heard(&self, rng: &mut Rng, plant: Option<Plant>) -> Option<Command> {
        let (edited, mut digest) = self.edit.clone()?;
        if plant == Some(Plant::EditHeardAgain) {
            digest = format!("{:016x}", rng.next());
        }
        Some(Command::TakeEdit { edited, digest })
    }

    /// The file is written anew once its edit is on record.
    fn write_file(&mut self, state: &State, log: &mut Vec<Entry>, plant: Option<Plant>) {
        let is_known = |(_, digest): &mut (Edited, String)| {
            state.edited.as_ref() == Some(digest) || plant == Some(Plant::EditOverwritten)
        };
        if let Some((Edited { signal, fields, .. }, _)) = self.edit.take_if(is_known) {
            log.push(Entry::EditGone { signal: signal.map(|signal| signal.as_str()), fields });
        }
    }
}

impl Simulated for Cycles {
    type Run = State;
    type Scene = Scene;
    type Said = Said;
    type Process = Driver<Self>;

    const KIND: Kind = Kind::Cycle;
    const GOES_ON: bool = true;
    const SITES: &'static [&'static str] = &[
        "run_created",
        "driver_started",
        "snapshot_taken",
        "role_started",
        "role_nudged",
        "role_finished",
        "role_abandoned",
        "role_lost",
        "checks_finished",
        "state_edited",
        "run_paused",
        "run_resumed",
        "run_stopped",
        "pause_requested",
        "stop_requested",
        "resume_requested",
        "extension_requested",
        "feedback_added",
        "decision_proposed",
        "decision_settled",
        "blocker_reported",
        "blocker_settled",
        "best_chosen",
    ];
    const RARE: &'static [(&'static str, u64)] = &[
        ("run_created", 4),
        ("snapshot_taken", 4),
        ("iteration_started", 3),
        ("iteration_concluded", 3),
        ("role_nudged", 6),
        ("role_abandoned", 8),
        ("role_lost", 6),
        ("state_edited", 6),
        ("run_waiting", 8),
        ("run_paused", 8),
        ("run_resumed", 4),
        ("run_stopped", 6),
        ("run_completed", 8),
        ("run_failed", 8),
        ("extension_requested", 3),
        ("decision_proposed", 4),
        ("decision_settled", 4),
        ("blocker_reported", 5),
        ("blocker_settled", 4),
        ("best_chosen", 4),
        ("checkpoint_taken", 8),
    ];

    fn scene(rng: &mut Rng) -> Scene {
        let config = setting::config(rng);
        let imported = rng.one_in(10).then(|| setting::imported(&config, rng));
        let green_start = rng.one_in(3);
        Scene {
            tree: Tree::new(rng.between(200, 800), green_start, rng),
            imported,
            config,
            chatty: rng.one_in(12),
            stormy: rng.one_in(10),
            frail: rng.one_in(12),
            told: BTreeMap::new(),
            working: BTreeMap::new(),
            edit: None,
            edits: 0,
            logs: Logs::default(),
            shown: Shown::default(),
        }
    }

    fn intend(name: Name, scene: &Scene, rng: &mut Rng) -> Intended<Said> {
        let Name::Attempt(number) = name else {
            let steps = rng.between(1, 2);
            return Intended { outcome: AttemptOutcome::Succeeded, said: None, steps };
        };
        let team = &scene.config.roles;
        let role = &team[scene.working.get(&number).copied().unwrap_or(0)];
        agent::intend(number, role, team, scene.stormy, rng)
    }

    /// Who develops writes to the tree most of the time; others should not, and now and then do.
    fn work(name: Name, scene: &mut Scene, rng: &mut Rng) {
        let writes = match name {
            Name::Attempt(number) => {
                let role = scene.working.get(&number).and_then(|index| scene.config.roles.get(*index));
                if role.is_some_and(|role| role.develops) { rng.percent(50) } else { rng.one_in(20) }
            }
            Name::Check { .. } => rng.one_in(24),
        };
        if writes {
            scene.tree.write(rng);
        }
    }

    fn ends(name: Name, outcome: AttemptOutcome, scene: &Scene) -> AttemptOutcome {
        scene.tree.ends(name, outcome)
    }

    fn cost(said: &Said) -> Option<u64> {
        said.cost
    }

    fn overtaking(sim: &mut Sim<Self>) -> Append {
        let event = people::tell(&sim.scene.shown, &mut sim.rng);
        sim.request(&event)
    }

    /// A person writes to the tree or to the state file, or power was lost before the logs were on disk.
    fn happen(sim: &mut Sim<Self>) {
        match sim.rng.below(4) {
            0 => sim.scene.tree.write(&mut sim.rng),
            1 | 2 if sim.scene.edit.is_none() => {
                sim.scene.edits += 1;
                let edit = people::edit(sim.scene.edits, &mut sim.rng);
                let signal = edit.signal.map(|signal| signal.as_str());
                sim.log.push(Entry::Edited { signal, fields: edit.fields.clone() });
                sim.scene.edit = Some((edit, format!("edit-{}", sim.scene.edits)));
            }
            _ => sim.scene.logs.tear(sim.rng.below(3) as usize),
        }
    }

    fn act(sim: &mut Sim<Self>) -> bool {
        let holds_agent = |keeper: &Keeper<Said>| matches!(keeper.name, Name::Attempt(_));
        match sim.host.keepers.iter().position(holds_agent) {
            Some(index) if sim.chaos && sim.scene.frail && sim.rng.one_in(4) => sim.kill_keeper(index),
            _ => return false,
        }
        true
    }

    /// Somebody looks at the cycle: its files are brought up to date, and say all there is.
    fn finish(sim: &mut Sim<Self>) {
        let state = sim.journal.load().state;
        sim.scene.logs.publish(&state, sim.plant);
        let Logs { feedback, changes } = &sim.scene.logs;
        for (log, lines) in [("feedback", &feedback.lines), ("changes", &changes.lines)] {
            sim.log.extend(lines.iter().map(|text| Entry::Line { log, text: text.clone() }));
        }
    }
}

impl Driven for Cycles {
    type Task = Work;

    fn creation(sim: &Sim<Self>) -> Event {
        let (config, imported) = (sim.scene.config.clone(), sim.scene.imported.clone());
        create(Order { run: sim.run.clone(), config, imported, base: None }).expect("a sound cycle")
    }

    fn request(sim: &mut Sim<Self>) -> Event {
        people::choose(&sim.scene.shown, sim.scene.chatty, &mut sim.rng)
    }

    fn view(state: &State, shown: Seq) -> View {
        look::view(state, shown)
    }

    fn show(state: &State, scene: &mut Scene, log: &mut Vec<Entry>, plant: Option<Plant>) {
        scene.shown = Shown::of(state);
        scene.logs.publish(state, plant);
        scene.write_file(state, log, plant);
    }

    fn waits_for_people(scene: &Scene) -> bool {
        let status = scene.shown.status;
        matches!(
            status,
            Status::Paused | Status::Stopped | Status::Failed | Status::Waiting | Status::Completed
        )
    }

    /// What somebody made of the state file while nobody drove.
    fn found(_state: &State, sim: &mut Sim<Self>) -> Vec<Command> {
        sim.scene.heard(&mut sim.rng, sim.plant).into_iter().collect()
    }

    fn settling(_state: &State, _sim: &mut Sim<Self>) -> Command {
        Command::Tick
    }

    fn may_drop(effect: &Effect) -> bool {
        match effect {
            Effect::Attempt(_) | Effect::Checks(_) | Effect::Hooks(_) => false,
            Effect::Watch | Effect::Timer(_) => true,
        }
    }

    /// Every role may work; somebody looks at the state file beside them.
    fn tasks_max(state: &State) -> usize {
        state.config.roles.len() + 1
    }
}
