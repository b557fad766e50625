//! Lines that changed: Myers' algorithm, with a limit on how much it tries.

use std::collections::HashMap;
use std::ops::Range;

/// With more differences than this, all between the first and the last of them counts as changed.
const DIFFERENCES_MAX: usize = 1_000;

/// The ranges of lines of `after`, from 1, that are new or changed against `before`. Lines that are gone leave none.
pub fn changed_lines(before: &str, after: &str) -> Vec<Range<u32>> {
    let mut numbers = HashMap::new();
    let before = numbered(before, &mut numbers);
    let after = numbered(after, &mut numbers);
    let start = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let shared = before.len().min(after.len()) - start;
    let end = before.iter().rev().zip(after.iter().rev()).take(shared).take_while(|(a, b)| a == b).count();
    let (old, new) = (&before[start..before.len() - end], &after[start..after.len() - end]);
    let kept = kept(old, new);
    let mut ranges: Vec<Range<u32>> = Vec::new();
    for (at, _) in kept.iter().enumerate().filter(|(_, kept)| !**kept) {
        let line = u32::try_from(start + at + 1).unwrap_or(u32::MAX);
        match ranges.last_mut() {
            Some(last) if last.end == line => last.end = line.saturating_add(1),
            _ => ranges.push(line..line.saturating_add(1)),
        }
    }
    ranges
}

/// Lines as numbers: equal ones have the same.
fn numbered<'a>(text: &'a str, numbers: &mut HashMap<&'a str, usize>) -> Vec<usize> {
    let mut found = Vec::new();
    for line in text.lines() {
        let next = numbers.len();
        found.push(*numbers.entry(line).or_insert(next));
    }
    found
}

/// Which lines of `new` are lines of `old`.
fn kept(old: &[usize], new: &[usize]) -> Vec<bool> {
    let mut kept = vec![false; new.len()];
    let limit = (old.len() + new.len()).min(DIFFERENCES_MAX);
    // How far each diagonal came, once for each number of differences; the middle one is at `limit + 1`.
    let middle = limit + 1;
    let mut reach = vec![0_usize; 2 * limit + 3];
    let mut trace: Vec<Vec<usize>> = Vec::new();
    for differences in 0..=limit {
        trace.push(reach[middle - differences..=middle + differences].to_vec());
        for diagonal in (middle - differences..=middle + differences).step_by(2) {
            let goes_down = diagonal == middle - differences
                || diagonal != middle + differences && reach[diagonal - 1] < reach[diagonal + 1];
            let mut x = if goes_down { reach[diagonal + 1] } else { reach[diagonal - 1] + 1 };
            while let Some(y) = (x + middle).checked_sub(diagonal)
                && x < old.len()
                && y < new.len()
                && old[x] == new[y]
            {
                x += 1;
            }
            reach[diagonal] = x;
            let y = (x + middle).checked_sub(diagonal);
            if x >= old.len() && y.is_some_and(|y| y >= new.len()) {
                back(&trace, middle, (old.len(), new.len()), &mut kept);
                return kept;
            }
        }
    }
    kept
}

/// Follows the way back, and marks the lines on which it went through both texts at once.
fn back(trace: &[Vec<usize>], middle: usize, end: (usize, usize), kept: &mut [bool]) {
    let (mut x, mut y) = end;
    for (differences, reach) in trace.iter().enumerate().rev() {
        let first = middle - differences;
        let at = |diagonal: usize| diagonal.checked_sub(first).and_then(|index| reach.get(index)).copied();
        let Some(diagonal) = (x + middle).checked_sub(y) else { return };
        let (left, right) = (diagonal.checked_sub(1).and_then(at), at(diagonal + 1));
        let goes_down = diagonal == first || diagonal != middle + differences && left < right;
        let (from_x, from_diagonal) = match (goes_down, left, right) {
            (true, _, Some(right)) => (right, diagonal + 1),
            (false, Some(left), _) => (left, diagonal - 1),
            _ => (0, middle),
        };
        let Some(from_y) = (from_x + middle).checked_sub(from_diagonal) else { return };
        while x > from_x && y > from_y {
            (x, y) = (x - 1, y - 1);
            kept[y] = true;
        }
        (x, y) = (from_x, from_y);
    }
}
