//! What a seed decides of a workflow: its steps, and how it is run.

use piton_model::workflow::{
    Collection, Condition, CostAction, Definition, Gate, Items, Options, Step, StepId, Work,
};
use serde_json::json;

use crate::rng::Rng;

/// The gate that people open and close.
pub(super) const GATE: &str = "ready";

pub(super) fn options(rng: &mut Rng) -> Options {
    Options {
        max_attempts: rng.between(1, 3) as u32,
        max_iterations: rng.between(1, 4) as u32,
        max_parallel: rng.between(1, 4) as u32,
        backoff_ms: rng.between(100, 3_000),
        pause_for_human_input: rng.percent(80),
        max_cost_microusd: rng.one_in(3).then(|| rng.between(200_000, 3_000_000)),
        cost_limit_action: match rng.below(3) {
            0 => CostAction::Warn,
            1 => CostAction::Pause,
            _ => CostAction::Fail,
        },
        ..Options::default()
    }
}

/// A sound workflow of a few steps: each may need, go back to, ask about and wait for those before it.
pub(super) fn definition(rng: &mut Rng) -> Definition {
    let count = rng.between(3, 9) as usize;
    let steps = (0..count).map(|index| step(index, rng)).collect();
    Definition { name: "a simulated workflow".to_owned(), steps, ..Definition::default() }
}

fn id(index: usize) -> StepId {
    StepId::new(format!("s{index}"))
}

fn step(index: usize, rng: &mut Rng) -> Step {
    let work = Work::Agent { agent: "coder".to_owned(), prompt: format!("s{index}.md") };
    let mut step = Step::new(id(index).as_str(), work);
    let mut needs: Vec<usize> = Vec::new();
    for _ in 0..if index == 0 { 0 } else { rng.below(3) } {
        needs.push(rng.below(index as u64) as usize);
    }
    needs.sort_unstable();
    needs.dedup();
    step.needs = needs.iter().map(|need| id(*need)).collect();
    if rng.one_in(3) {
        step.loop_back_to = Some(id(rng.below(index as u64 + 1) as usize));
    }
    let collection = |source, rng: &mut Rng| {
        Some(Collection {
            sources: vec![source],
            max_iterations: rng.one_in(4).then_some(2),
            until_condition: rng.one_in(4).then(|| condition("metrics.left == 0")),
            item_var: "item".to_owned(),
            index_var: "index".to_owned(),
        })
    };
    match rng.below(14) {
        0 | 1 => step.human_in_the_loop = true,
        2 => step.gates = vec![Gate::Named(GATE.to_owned())],
        3 => step.collection = collection(Items::Given(vec![json!(1), json!(2), json!(3)]), rng),
        4 => step.collection = collection(Items::FromArtifact("items.json".to_owned()), rng),
        5 | 6 => step.work = Work::Run { command: "make".to_owned(), agent: None },
        7 | 8 => step.work = Work::Workflow { path: "nested.yaml".to_owned() },
        9 if !needs.is_empty() => step.when = Some(condition(&format!("s{}.gate == failed", needs[0]))),
        10 => step.when = Some(condition(&format!("gates.{GATE}"))),
        11 => step.max_attempts = Some(rng.between(1, 4) as u32),
        12 => step.backoff_ms = Some(rng.between(1, 20_000)),
        _ => {}
    }
    step
}

fn condition(text: &str) -> Condition {
    Condition::parse(text).expect("a sound condition")
}
