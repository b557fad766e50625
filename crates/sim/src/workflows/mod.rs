//! Workflows: steps with needs, gates, people and loop-backs, several at once.

mod look;
mod people;
mod perform;
mod setting;

use piton_model::loop_machine::AttemptOutcome;
use piton_model::workflow::{
    Command, Definition, Edit, Effect, Hold, ManualInput, Options, Order, State, StepId, StepReport,
    StepStatus, WorkflowEvent as Event, create,
};
use piton_model::{Kind, Machine, Reason, Seq, Status, StopOrigin, Timestamp};
use piton_store::Append;
use serde_json::json;

use crate::driver::{Driven, Driver};
use crate::history::{Entry, Name, View};
use crate::host::Exit;
use crate::kind::{Intended, Simulated};
use crate::rng::Rng;
use crate::scenario::Plant;
use crate::sim::Sim;
use look::Shown;
use perform::Job;

/// Workflows.
pub(crate) struct Workflows;

/// The dice of one workflow, and the files and runs around it.
pub(crate) struct Scene {
    definition: Definition,
    options: Options,
    /// In a hundred reports, how many say that a gate failed.
    gate_failures_percent: u64,
    /// The gate that people open and close.
    gate_open: bool,
    /// The money for today is spent, by the account of all workflows.
    day_spent: bool,
    /// What is started next is a command, not an agent.
    is_command: bool,
    /// Files that people wrote, the newest last.
    inputs: Vec<Input>,
    /// Runs that steps stand for.
    nested: Vec<Nested>,
    shown: Shown,
}

/// A file of a person, for one step.
struct Input {
    step: StepId,
    digest: String,
    at: Timestamp,
    content: Result<ManualInput, String>,
}

/// A run that a step stands for: it has a driver of its own, and nobody looks inside.
struct Nested {
    attempt: u32,
    /// Somebody asked it to stop.
    stop: bool,
    steps_left: u64,
    outcome: AttemptOutcome,
    end: Option<Exit<u64>>,
}

impl Nested {
    fn new(attempt: u32, rng: &mut Rng) -> Self {
        let outcome = match rng.below(8) {
            0 => AttemptOutcome::Failed,
            1 => AttemptOutcome::Cancelled,
            _ => AttemptOutcome::Succeeded,
        };
        Self { attempt, stop: false, steps_left: rng.between(1, 12), outcome, end: None }
    }
}

/// What a step leaves beside how it ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    report: Option<StepReport>,
    cost: Option<u64>,
    hold: Option<Hold>,
}

/// What a person wrote for this step since it asked, unless it was read before.
fn input_for(state: &State, step: &StepId, scene: &Scene, plant: Option<Plant>) -> Option<Command> {
    let runtime = state.step(step)?;
    let question = runtime.question.as_ref()?;
    let file = scene.inputs.iter().rev().find(|input| input.step == *step)?;
    let is_old = file.at < question.since && plant != Some(Plant::OldInputCounts);
    let input = match is_old {
        true => Err("it is older than the question".to_owned()),
        false => file.content.clone(),
    };
    // What cannot be read is said once.
    let digest = file.digest.clone();
    let refused = runtime.refused_input.as_ref().is_some_and(|(refused, _)| *refused == digest);
    let (step, question) = (step.clone(), question.number);
    (input.is_ok() || !refused).then_some(Command::TakeManualInput { step, question, digest, input })
}

impl Simulated for Workflows {
    type Run = State;
    type Scene = Scene;
    type Said = Said;
    type Process = Driver<Self>;

    const KIND: Kind = Kind::Workflow;
    const GOES_ON: bool = true;
    const SITES: &'static [&'static str] = &[
        "run_created",
        "driver_started",
        "gates_seen",
        "items_read",
        "step_started",
        "step_finished",
        "step_abandoned",
        "step_lost",
        "human_answered",
        "answer_refused",
        "manual_input_refused",
        "budget_spent",
        "run_obstructed",
        "steps_reset",
        "statuses_adopted",
        "run_paused",
        "run_resumed",
        "run_stopped",
        "pause_requested",
        "stop_requested",
        "resume_requested",
        "start_at_requested",
        "answer_given",
    ];
    const RARE: &'static [(&'static str, u64)] = &[
        ("run_created", 4),
        ("gates_seen", 6),
        ("items_read", 8),
        ("items_refused", 8),
        ("step_abandoned", 6),
        ("step_lost", 6),
        ("looped_back", 2),
        ("human_answered", 8),
        ("answer_refused", 6),
        ("manual_input_refused", 12),
        ("budget_spent", 16),
        ("run_obstructed", 6),
        ("steps_reset", 6),
        ("tries_renewed", 6),
        ("statuses_adopted", 12),
        ("definition_changed", 12),
        ("options_changed", 12),
        ("run_restarted", 12),
        ("run_paused", 10),
        ("run_resumed", 4),
        ("run_stopped", 6),
        ("start_at_requested", 3),
        ("run_completed", 6),
        ("run_failed", 4),
        ("checkpoint_taken", 8),
    ];

    fn scene(rng: &mut Rng) -> Scene {
        Scene {
            definition: setting::definition(rng),
            options: setting::options(rng),
            gate_failures_percent: rng.between(5, 40),
            gate_open: rng.one_in(2),
            day_spent: false,
            is_command: false,
            inputs: Vec::new(),
            nested: Vec::new(),
            shown: Shown::default(),
        }
    }

    /// Whoever waits for a gate gets there.
    fn heal(scene: &mut Scene) {
        (scene.gate_open, scene.day_spent) = (true, false);
    }

    fn intend(_name: Name, scene: &Scene, rng: &mut Rng) -> Intended<Said> {
        let steps = rng.between(1, 4);
        let ends = |outcome, said| Intended { outcome, said, steps };
        let cost = rng.percent(80).then(|| rng.between(1_000, 200_000));
        if scene.is_command {
            let outcome = if rng.one_in(4) { AttemptOutcome::Failed } else { AttemptOutcome::Succeeded };
            return ends(outcome, Some(Said::default()));
        }
        let report = StepReport {
            completed: true,
            gate_failure: rng.percent(scene.gate_failures_percent),
            artifacts: vec!["items.json".to_owned()],
            metrics: json!({ "left": rng.below(3) }).as_object().cloned().unwrap_or_default(),
            logs: vec!["did it".to_owned()],
            ..StepReport::default()
        };
        let hold = |reason| Said { hold: Some(Hold { reason, until: None }), report: None, cost };
        match rng.below(100) {
            0..74 => ends(AttemptOutcome::Succeeded, Some(Said { report: Some(report), cost, hold: None })),
            74..82 => {
                let report = StepReport { completed: false, gate_failure: false, ..report };
                ends(AttemptOutcome::Failed, Some(Said { report: Some(report), cost, hold: None }))
            }
            82..86 => ends(AttemptOutcome::Succeeded, Some(Said { cost, ..Said::default() })),
            86..89 => ends(AttemptOutcome::Hung, None),
            89..92 => ends(AttemptOutcome::TimedOut, None),
            92..95 => ends(AttemptOutcome::Failed, Some(hold(Reason::RateLimit))),
            95..97 => ends(AttemptOutcome::Failed, Some(hold(Reason::Overloaded))),
            97 => ends(AttemptOutcome::Failed, Some(hold(Reason::Auth))),
            _ => ends(AttemptOutcome::NotStartable, None),
        }
    }

    fn cost(said: &Said) -> Option<u64> {
        said.cost
    }

    fn overtaking(sim: &mut Sim<Self>) -> Append {
        sim.request(&Event::StopRequested { now: false, origin: StopOrigin::Command })
    }

    /// A person opens or closes the gate, the day's money runs out, or a new day begins.
    fn happen(sim: &mut Sim<Self>) {
        match sim.rng.below(3) {
            0 => sim.scene.day_spent = !sim.scene.day_spent,
            _ => sim.scene.gate_open = !sim.scene.gate_open,
        }
    }

    /// Nested runs go on by themselves; now and then a person writes a file.
    fn act(sim: &mut Sim<Self>) -> bool {
        if sim.chaos && sim.rng.one_in(12) {
            write_input(sim);
            return true;
        }
        let Some(nested) = sim.scene.nested.iter_mut().find(|nested| nested.end.is_none()) else {
            return false;
        };
        if sim.rng.one_in(3) {
            return false;
        }
        nested.steps_left = if nested.stop { 0 } else { nested.steps_left.saturating_sub(1) };
        if nested.steps_left == 0 {
            let outcome = if nested.stop { AttemptOutcome::Cancelled } else { nested.outcome };
            let cost = sim.rng.one_in(2).then(|| sim.rng.between(1_000, 200_000));
            nested.end = Some(Exit { outcome, duration_ms: 60_000, said: cost });
            sim.log.push(Entry::NestedEnded { attempt: nested.attempt, outcome: outcome.as_str(), cost });
        }
        true
    }
}

/// A person writes a file for a step, whether or not it asks.
fn write_input(sim: &mut Sim<Workflows>) {
    let shown = &sim.scene.shown;
    let asked: Vec<StepId> = match shown.questions.is_empty() || sim.rng.one_in(4) {
        true => shown.steps.clone(),
        false => shown.questions.iter().map(|(step, _, _)| step.clone()).collect(),
    };
    if asked.is_empty() {
        return;
    }
    let step = asked[sim.rng.below(asked.len() as u64) as usize].clone();
    let digest = format!("{:016x}", sim.rng.next());
    let approved = sim.rng.percent(75);
    let content = match sim.rng.one_in(5) {
        true => Err("it is not JSON".to_owned()),
        false => Ok(ManualInput { approved, comment: None, content: Default::default() }),
    };
    if content.is_ok() {
        let (step, at_ms) = (step.to_string(), sim.now().as_millis());
        sim.log.push(Entry::InputWritten { step, at_ms, approved });
    }
    let at = sim.now();
    sim.scene.inputs.push(Input { step, digest, at, content });
}

impl Driven for Workflows {
    type Task = Job;

    fn creation(sim: &Sim<Self>) -> Event {
        let order = Order {
            run: sim.run.clone(),
            definition: sim.scene.definition.clone(),
            options: sim.scene.options.clone(),
            inherited: None,
        };
        create(order).expect("a sound workflow")
    }

    fn request(sim: &mut Sim<Self>) -> Event {
        people::choose(&sim.scene.shown, &mut sim.rng)
    }

    fn view(state: &State, shown: Seq) -> View {
        look::view(state, shown)
    }

    fn show(state: &State, scene: &mut Scene, _log: &mut Vec<Entry>, _plant: Option<Plant>) {
        scene.shown = Shown::of(state);
    }

    fn waits_for_people(scene: &Scene) -> bool {
        let shown = &scene.shown;
        let rests = matches!(
            shown.status,
            Status::Paused | Status::Stopped | Status::Failed | Status::Waiting | Status::Completed
        );
        rests || !shown.questions.is_empty()
    }

    fn found(state: &State, sim: &mut Sim<Self>) -> Vec<Command> {
        let asked: Vec<StepId> = look::steps(state);
        asked.iter().filter_map(|step| input_for(state, step, &sim.scene, sim.plant)).collect()
    }

    /// Somebody who comes by while it rests may have edited its file, or the workflow, or discarded what it did.
    fn settling(state: &State, sim: &mut Sim<Self>) -> Command {
        let rests = state.is_at_rest() && state.status != Status::Completed;
        if !sim.chaos || !rests || !sim.rng.one_in(5) {
            return Command::Tick;
        }
        let steps = look::steps(state);
        match sim.rng.below(5) {
            0 => Command::Migrate(Box::new(setting::definition(&mut sim.rng))),
            1 => {
                let definition = setting::definition(&mut sim.rng);
                let (run, options) = (sim.run.clone(), sim.scene.options.clone());
                Command::Restart(Box::new(Order { run, definition, options, inherited: None }))
            }
            2 => Command::ChangeOptions(Box::new(setting::options(&mut sim.rng))),
            _ => {
                let step = steps[sim.rng.below(steps.len() as u64) as usize].clone();
                let status = match sim.rng.below(4) {
                    0 => StepStatus::Completed,
                    1 => StepStatus::Skipped,
                    2 => StepStatus::Failed,
                    _ => StepStatus::Pending,
                };
                Command::AdoptStatuses(vec![Edit { step, status }])
            }
        }
    }

    fn may_drop(effect: &Effect) -> bool {
        match effect {
            Effect::Attempt(_) => false,
            Effect::Items { .. }
            | Effect::Gates { .. }
            | Effect::ManualInput { .. }
            | Effect::Tick { .. }
            | Effect::Timer(_) => true,
        }
    }

    /// Attempts have their own limit, which the checker knows; each step may also wait for something.
    fn tasks_max(state: &State) -> usize {
        2 * look::steps(state).len()
    }
}
