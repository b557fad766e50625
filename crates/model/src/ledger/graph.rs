//! Which gap comes before which: edges, cycles, and an order that respects both dependencies and priority.
//!
//! `a blocks b` and `b blocked_by a` are one edge, whoever says it. Nothing here recurses: a chain of a hundred
//! thousand gaps costs memory, not stack.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};

use super::gap::Gap;
use crate::limits::GAP_CYCLE_STEPS_MAX;

/// Each costs a look at every gap.
const NEW_CYCLES_MAX: usize = 100;

/// The edges between gaps, from what blocks to what is blocked; names that are not there are left out.
pub(super) struct Graph {
    /// Where the edges of each gap begin; one more at the end.
    begin: Vec<u32>,
    to: Vec<u32>,
}

impl Graph {
    pub(super) fn new(gaps: &[Gap]) -> Self {
        let mut edges = edges(gaps);
        edges.sort_unstable();
        edges.dedup();
        let mut begin = vec![0; gaps.len() + 1];
        for (from, _) in &edges {
            begin[*from as usize + 1] += 1;
        }
        for index in 1..begin.len() {
            begin[index] += begin[index - 1];
        }
        Self { begin, to: edges.into_iter().map(|(_, to)| to).collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.begin.len() - 1
    }

    pub(super) fn blocked_by(&self, gap: usize) -> &[u32] {
        &self.to[self.begin[gap] as usize..self.begin[gap + 1] as usize]
    }

    /// Of each gap on a cycle, a number that all those have which it can be reached from and that it reaches.
    pub(super) fn cycles(&self) -> Vec<Option<u32>> {
        // Most ledgers have no edges at all.
        if self.to.is_empty() { vec![None; self.len()] } else { components(self) }
    }

    /// The shortest way, both ends included; empty where there is none.
    fn path(&self, from: usize, to: usize) -> Vec<usize> {
        let mut came_from: HashMap<usize, usize> = HashMap::from([(from, from)]);
        let mut queue = VecDeque::from([from]);
        while let Some(gap) = queue.pop_front() {
            if gap == to {
                let mut path = vec![to];
                while path.last() != Some(&from) {
                    path.push(came_from[path.last().expect("the path is not empty: it begins with its end")]);
                }
                path.reverse();
                return path;
            }
            for next in self.blocked_by(gap).iter().map(|next| *next as usize) {
                came_from.entry(next).or_insert_with(|| {
                    queue.push_back(next);
                    gap
                });
            }
        }
        Vec::new()
    }
}

fn edges(gaps: &[Gap]) -> Vec<(u32, u32)> {
    if gaps.iter().all(|gap| gap.blocks.is_empty() && gap.blocked_by.is_empty()) {
        return Vec::new();
    }
    // The first of several gaps with one id is meant.
    let mut index: HashMap<&str, u32> = HashMap::with_capacity(gaps.len());
    for (place, gap) in gaps.iter().enumerate() {
        index.entry(gap.id.as_str()).or_insert(place as u32);
    }
    let mut edges = Vec::new();
    for (place, gap) in gaps.iter().enumerate() {
        let own = place as u32;
        edges.extend(gap.blocks.iter().filter_map(|id| Some((own, *index.get(id.as_str())?))));
        edges.extend(gap.blocked_by.iter().filter_map(|id| Some((*index.get(id.as_str())?, own))));
    }
    edges
}

/// The cycles, each closed, as `a, b, a`; one for every edge that leads back.
///
/// Where there are very many, the first ones are listed.
pub fn detect_cycles(gaps: &[Gap]) -> Vec<Vec<&str>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Colour {
        White,
        /// On the path, at this place.
        Grey(usize),
        Black,
    }
    let graph = Graph::new(gaps);
    let mut colour = vec![Colour::White; graph.len()];
    let mut cycles = Vec::new();
    let mut steps = 0;
    // The path, and how many of its edges each gap on it has followed.
    let mut path: Vec<(usize, usize)> = Vec::new();
    for root in 0..graph.len() {
        if colour[root] != Colour::White {
            continue;
        }
        colour[root] = Colour::Grey(0);
        path.push((root, 0));
        while let Some((gap, followed)) = path.last_mut() {
            let Some(next) = graph.blocked_by(*gap).get(*followed).map(|next| *next as usize) else {
                colour[*gap] = Colour::Black;
                path.pop();
                continue;
            };
            *followed += 1;
            match colour[next] {
                Colour::White => {
                    colour[next] = Colour::Grey(path.len());
                    path.push((next, 0));
                }
                Colour::Grey(place) if steps < GAP_CYCLE_STEPS_MAX => {
                    let cycle = path[place..].iter().map(|(gap, _)| *gap).chain([next]);
                    let cycle: Vec<&str> = cycle.map(|gap| gaps[gap].id.as_str()).collect();
                    steps += cycle.len();
                    cycles.push(cycle);
                }
                Colour::Grey(_) | Colour::Black => {}
            }
        }
    }
    cycles
}

/// All gaps in the order in which to look into them.
#[derive(Clone, Debug)]
pub struct SortedGaps<'a> {
    /// What blocks comes before what is blocked; then higher priority, then id. Gaps on a cycle come last.
    pub ordered: Vec<&'a Gap>,
    /// The gaps that are on a cycle, in the same order.
    pub cycled: Vec<&'a Gap>,
}

impl SortedGaps<'_> {
    /// Whether any gap is on a cycle.
    pub fn has_cycles(&self) -> bool {
        !self.cycled.is_empty()
    }
}

/// Highest priority first, then by id; equal ids in the order of the file.
type Urgency<'a> = (i64, Reverse<&'a str>, Reverse<usize>);

fn urgency(gaps: &[Gap], index: usize) -> Urgency<'_> {
    (gaps[index].priority, Reverse(gaps[index].id.as_str()), Reverse(index))
}

/// Sorts by dependency, then priority, then id. Nothing is dropped, whatever its status.
///
/// A gap behind a cycle but not on it is ordered as if the cycle did not hold it.
pub fn sort_gaps(gaps: &[Gap]) -> SortedGaps<'_> {
    let graph = Graph::new(gaps);
    let on_cycle: Vec<bool> = graph.cycles().iter().map(Option::is_some).collect();
    let mut blockers = vec![0_u32; graph.len()];
    for gap in (0..graph.len()).filter(|gap| !on_cycle[*gap]) {
        for next in graph.blocked_by(gap) {
            blockers[*next as usize] += 1;
        }
    }
    let free = (0..graph.len()).filter(|gap| !on_cycle[*gap] && blockers[*gap] == 0);
    let mut ready: BinaryHeap<Urgency<'_>> = free.map(|gap| urgency(gaps, gap)).collect();
    let mut ordered = Vec::with_capacity(gaps.len());
    while let Some((_, _, Reverse(gap))) = ready.pop() {
        ordered.push(&gaps[gap]);
        for next in graph.blocked_by(gap).iter().map(|next| *next as usize) {
            blockers[next] -= 1;
            if blockers[next] == 0 && !on_cycle[next] {
                ready.push(urgency(gaps, next));
            }
        }
    }
    let mut cycled: Vec<usize> = (0..graph.len()).filter(|gap| on_cycle[*gap]).collect();
    cycled.sort_by_key(|gap| Reverse(urgency(gaps, *gap)));
    let cycled: Vec<&Gap> = cycled.into_iter().map(|gap| &gaps[gap]).collect();
    ordered.extend_from_slice(&cycled);
    SortedGaps { ordered, cycled }
}

/// Of each gap on a cycle, which strongly connected component it belongs to: those of several gaps, and those with an
/// edge to themselves.
fn components(graph: &Graph) -> Vec<Option<u32>> {
    const UNSEEN: u32 = u32::MAX;
    let count = graph.len();
    let mut of = vec![None; count];
    let (mut number, mut low) = (vec![UNSEEN; count], vec![0_u32; count]);
    let mut on_stack = vec![false; count];
    let (mut stack, mut path): (Vec<usize>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
    let mut next_number = 0;
    for root in 0..count {
        if number[root] != UNSEEN {
            continue;
        }
        path.push((root, 0));
        while let Some((gap, followed)) = path.last().copied() {
            if followed == 0 {
                (number[gap], low[gap]) = (next_number, next_number);
                next_number += 1;
                stack.push(gap);
                on_stack[gap] = true;
            }
            if let Some(next) = graph.blocked_by(gap).get(followed).map(|next| *next as usize) {
                path.last_mut().expect("the path is not empty: its end was just looked at").1 += 1;
                if next == gap {
                    of[gap] = Some(number[gap]);
                } else if number[next] == UNSEEN {
                    path.push((next, 0));
                } else if on_stack[next] {
                    low[gap] = low[gap].min(number[next]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                low[*parent] = low[*parent].min(low[gap]);
            }
            if low[gap] == number[gap] {
                let place = stack.iter().rposition(|member| *member == gap).expect("a root is on the stack");
                let component = stack.split_off(place);
                for member in &component {
                    on_stack[*member] = false;
                    if component.len() > 1 {
                        of[*member] = Some(number[gap]);
                    }
                }
            }
        }
    }
    of
}

/// The cycles that an edge of `after` closes which `before` does not have, each closed, as `a, b, a`.
///
/// Told apart by edges: what was on a cycle before is not blamed on a change that leaves it alone. Where there are very
/// many, the first ones are listed.
pub(super) fn new_cycles<'a>(before: &[Gap], after: &'a [Gap]) -> Vec<Vec<&'a str>> {
    let known: HashSet<(&str, &str)> = named(before).collect();
    let fresh: Vec<(&str, &str)> = named(after).filter(|edge| !known.contains(edge)).collect();
    if fresh.is_empty() {
        return Vec::new();
    }
    let graph = Graph::new(after);
    let cycles = graph.cycles();
    let index: HashMap<&str, usize> =
        after.iter().enumerate().map(|(place, gap)| (gap.id.as_str(), place)).collect();
    let mut found: Vec<Vec<&str>> = Vec::new();
    for (from, to) in fresh {
        let (Some(from), Some(to)) = (index.get(from), index.get(to)) else { continue };
        if found.len() < NEW_CYCLES_MAX
            && from != to
            && cycles[*from].is_some()
            && cycles[*from] == cycles[*to]
        {
            found.push(graph.path(*to, *from).into_iter().map(|gap| after[gap].id.as_str()).collect());
        }
    }
    // The same cycle may be closed by several edges: it is told once, from the first of its names on.
    for cycle in &mut found {
        let first = (0..cycle.len()).min_by_key(|place| cycle[*place]).unwrap_or(0);
        cycle.rotate_left(first);
        cycle.push(cycle[0]);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Every edge that a gap names, from what blocks to what is blocked.
fn named(gaps: &[Gap]) -> impl Iterator<Item = (&str, &str)> {
    gaps.iter().flat_map(|gap| {
        let blocks = gap.blocks.iter().map(|to| (gap.id.as_str(), to.as_str()));
        blocks.chain(gap.blocked_by.iter().map(|from| (from.as_str(), gap.id.as_str())))
    })
}
