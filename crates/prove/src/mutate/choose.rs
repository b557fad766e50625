//! Which mutants are worth a run.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;

use super::{Mutant, Operator};

/// At most `max`: one for each line first, those in `near` lines before those in functions of `reached`, spread over
/// functions so that a long one does not take all; then the others of the same lines, in the same order. What is in neither is left out, since no test would notice; where
/// both are empty nothing is known, and all may be taken.
pub fn choose(
    mutants: Vec<Mutant>,
    near: &[Range<u32>],
    reached: &BTreeSet<String>,
    max: usize,
) -> Vec<Mutant> {
    let knows_nothing = near.is_empty() && reached.is_empty();
    let rank = |mutant: &Mutant| {
        let is_reached = mutant.function.as_ref().is_some_and(|name| reached.contains(name));
        if near.iter().any(|lines| lines.contains(&mutant.line)) {
            return Some(0);
        }
        (is_reached || knows_nothing).then_some(1)
    };
    let mut groups: [Vec<Mutant>; 4] = Default::default();
    let (best, others) = best_of_lines(mutants);
    for (mutants, first) in [(best, 0), (others, 2)] {
        for mutant in mutants {
            if let Some(rank) = rank(&mutant) {
                groups[first + rank].push(mutant);
            }
        }
    }
    groups.into_iter().flat_map(spread).take(max).collect()
}

/// One mutant for each line of each file, and the others, in the order in which they came.
fn best_of_lines(mutants: Vec<Mutant>) -> (Vec<Mutant>, Vec<Mutant>) {
    let mut best: BTreeMap<(String, u32), (usize, Mutant)> = BTreeMap::new();
    let mut others = Vec::new();
    for (at, mutant) in mutants.into_iter().enumerate() {
        let key = (mutant.path.clone(), mutant.line);
        let is_better = |known: &(usize, Mutant)| worth(mutant.operator) < worth(known.1.operator);
        if best.get(&key).is_none_or(is_better) {
            others.extend(best.insert(key, (at, mutant)));
        } else {
            others.push((at, mutant));
        }
    }
    let in_order = |mut found: Vec<(usize, Mutant)>| -> Vec<Mutant> {
        found.sort_by_key(|(at, _)| *at);
        found.into_iter().map(|(_, mutant)| mutant).collect()
    };
    (in_order(best.into_values().collect()), in_order(others))
}

/// Lower is better: what changes an answer a little tells suites apart; what breaks all of a function is killed by any.
fn worth(operator: Operator) -> u8 {
    match operator {
        Operator::ExchangeOperator => 0,
        Operator::MoveBoundary => 1,
        Operator::ChangeConstant => 2,
        Operator::SwallowError => 3,
        Operator::NegateCondition => 4,
        Operator::EmptyReturn => 5,
        Operator::RemoveStatement => 6,
        Operator::GiveOther => 7,
    }
}

/// The same mutants, one of each function at a time.
fn spread(mutants: Vec<Mutant>) -> Vec<Mutant> {
    let mut names: Vec<(String, Option<String>)> = Vec::new();
    let mut queues: BTreeMap<(String, Option<String>), VecDeque<Mutant>> = BTreeMap::new();
    for mutant in mutants {
        let name = (mutant.path.clone(), mutant.function.clone());
        let queue = queues.entry(name.clone()).or_default();
        if queue.is_empty() {
            names.push(name);
        }
        queue.push_back(mutant);
    }
    let mut found = Vec::new();
    while !names.is_empty() {
        names.retain(|name| match queues.get_mut(name).and_then(VecDeque::pop_front) {
            Some(mutant) => {
                found.push(mutant);
                true
            }
            None => false,
        });
    }
    found
}
