//! The graph of a workflow: who waits for whom. Nothing here recurses, so that no document can overflow a stack.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::definition::{Definition, Step, StepId};

/// A definition with its graph, shared by every copy of a state. Stored as the definition alone.
#[derive(Clone, Debug)]
pub struct Plan(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    definition: Definition,
    graph: Graph,
}

impl Plan {
    /// The steps that may go back to this one.
    pub fn gates_to(&self, target: &StepId) -> impl DoubleEndedIterator<Item = &StepId> {
        let gates = self.steps.iter().filter(move |step| step.loop_back_to.as_ref() == Some(target));
        gates.map(|step| &step.id)
    }

    /// The plan of a definition. Total: what a document gets wrong is left out of the graph.
    pub fn new(definition: Definition) -> Self {
        let graph = Graph::new(&definition);
        Self(Arc::new(Inner { definition, graph }))
    }

    /// Who waits for whom.
    pub fn graph(&self) -> &Graph {
        &self.0.graph
    }

    /// The step at this place.
    pub fn step(&self, index: usize) -> &Step {
        &self.0.definition.steps[index]
    }
}

impl Deref for Plan {
    type Target = Definition;

    fn deref(&self) -> &Definition {
        &self.0.definition
    }
}

impl PartialEq for Plan {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.definition == other.0.definition
    }
}

impl Serialize for Plan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.definition.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Plan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Definition::deserialize(deserializer).map(Self::new)
    }
}

/// Questions about who waits for whom, within a budget: each is a walk, and a hostile document asks many.
#[derive(Debug)]
pub struct Walks {
    /// The walk that came by a step last.
    seen: Vec<u32>,
    walk: u32,
    left: usize,
}

impl Walks {
    /// Walks through `graph` that look at no more than `edges_max` edges together.
    pub fn new(graph: &Graph, edges_max: usize) -> Self {
        Self { seen: vec![0; graph.needs.len()], walk: 0, left: edges_max }
    }

    /// Whether `step` waits for `other`, directly or not; `None` once the budget is used up.
    pub fn waits_for(&mut self, graph: &Graph, step: usize, other: usize) -> Option<bool> {
        self.walk += 1;
        // Levels fall on the way up, so most of the graph need not be looked at. A cycle has none.
        let floor = graph.level(other);
        let leads_there = |need: usize| match (floor, graph.level(need)) {
            (Some(floor), Some(level)) => level > floor,
            (None, Some(_)) => false,
            (_, None) => true,
        };
        let mut open = vec![step];
        while let Some(next) = open.pop() {
            for need in graph.needs(next) {
                self.left = self.left.checked_sub(1)?;
                if *need == other {
                    return Some(true);
                }
                if leads_there(*need) && std::mem::replace(&mut self.seen[*need], self.walk) != self.walk {
                    open.push(*need);
                }
            }
        }
        Some(false)
    }
}

/// Steps by their place in the document.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    places: HashMap<StepId, usize>,
    needs: Vec<Vec<usize>>,
    dependents: Vec<Vec<usize>>,
    levels: Vec<Option<usize>>,
}

impl Graph {
    /// The graph of a definition. Names that nobody bears are left out; of equal ids the first counts.
    pub fn new(definition: &Definition) -> Self {
        let mut places = HashMap::with_capacity(definition.steps.len());
        for (index, step) in definition.steps.iter().enumerate() {
            places.entry(step.id.clone()).or_insert(index);
        }
        let mut needs = Vec::with_capacity(definition.steps.len());
        let mut dependents = vec![Vec::new(); definition.steps.len()];
        for (index, step) in definition.steps.iter().enumerate() {
            let mut known: Vec<usize> = step.needs.iter().filter_map(|id| places.get(id).copied()).collect();
            known.sort_unstable();
            known.dedup();
            for need in &known {
                dependents[*need].push(index);
            }
            needs.push(known);
        }
        let mut graph = Self { places, needs, dependents, levels: Vec::new() };
        graph.levels = graph.find_levels();
        graph
    }

    /// Where the step of this name stands.
    pub fn place(&self, id: &StepId) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// What this step waits for.
    pub fn needs(&self, index: usize) -> &[usize] {
        &self.needs[index]
    }

    /// What waits for this step.
    pub fn dependents(&self, index: usize) -> &[usize] {
        &self.dependents[index]
    }

    /// How many steps must come before, at least; `None` on or behind a cycle.
    pub fn level(&self, index: usize) -> Option<usize> {
        self.levels[index]
    }

    /// The steps that can run at the same time, first to last.
    pub fn execution_levels(&self) -> Vec<Vec<usize>> {
        let count = self.levels.iter().flatten().max().map_or(0, |last| last + 1);
        let mut levels = vec![Vec::new(); count];
        for (index, level) in self.levels.iter().enumerate() {
            if let Some(level) = level {
                levels[*level].push(index);
            }
        }
        levels
    }

    /// This step and everything that waits for it, directly or not; by place.
    pub fn with_dependents(&self, index: usize) -> Vec<usize> {
        let mut seen = vec![false; self.needs.len()];
        let mut open = vec![index];
        while let Some(next) = open.pop() {
            if !std::mem::replace(&mut seen[next], true) {
                open.extend(self.dependents(next).iter().filter(|other| !seen[**other]));
            }
        }
        (0..seen.len()).filter(|index| seen[*index]).collect()
    }

    /// Cycles in `needs`, each closed (`a`, `b`, `a`), at most `count_max`.
    pub fn cycles(&self, count_max: usize) -> Vec<Vec<usize>> {
        let mut cycles = Vec::new();
        let mut done: Vec<bool> = self.levels.iter().map(Option::is_some).collect();
        for start in 0..done.len() {
            // Every step without a level waits for another such step, so walking up must come round.
            let mut path = Vec::new();
            let mut position = HashMap::new();
            let mut next = start;
            while !done[next] && cycles.len() < count_max {
                if let Some(first) = position.insert(next, path.len()) {
                    let mut cycle: Vec<usize> = path[first..].to_vec();
                    cycle.push(next);
                    cycles.push(cycle);
                    break;
                }
                path.push(next);
                match self.needs(next).iter().find(|need| self.levels[**need].is_none()) {
                    Some(need) => next = *need,
                    None => break,
                }
            }
            for index in path {
                done[index] = true;
            }
        }
        cycles
    }

    fn find_levels(&self) -> Vec<Option<usize>> {
        let mut levels = vec![None; self.needs.len()];
        let mut missing: Vec<usize> = self.needs.iter().map(Vec::len).collect();
        let mut ready: Vec<usize> = (0..missing.len()).filter(|index| missing[*index] == 0).collect();
        let mut level = 0;
        while !ready.is_empty() {
            let mut following = Vec::new();
            for index in ready {
                levels[index] = Some(level);
                for dependent in self.dependents(index) {
                    missing[*dependent] -= 1;
                    if missing[*dependent] == 0 {
                        following.push(*dependent);
                    }
                }
            }
            following.sort_unstable();
            ready = following;
            level += 1;
        }
        levels
    }
}
