//! Tasks that wait for each other: whether they can be worked off, and which of them decide how long that takes.

use std::collections::{HashMap, HashSet};

use piton_model::cycle::{Effort, PlanTask};
use piton_model::workflow::shown;

/// All that keeps these tasks from being worked off, in sentences that say what to do.
pub(super) fn unworkable(tasks: &[PlanTask], critical_path: &[String]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (place, task) in tasks.iter().enumerate() {
        if places.insert(&task.id, place).is_some() {
            problems.push(format!(
                "plan.json: task `{}` is there twice; give each an id of its own",
                shown(&task.id)
            ));
        }
    }
    for task in tasks {
        for needed in task.depends_on.iter().filter(|needed| !places.contains_key(needed.as_str())) {
            problems.push(format!(
                "plan.json: task `{}` depends on `{}`, which the plan does not have; add that task or remove the dependency",
                shown(&task.id),
                shown(needed)
            ));
        }
    }
    for named in critical_path.iter().filter(|named| !places.contains_key(named.as_str())) {
        let named = shown(named);
        problems.push(format!(
            "plan.json: `critical_path` names `{named}`, which the plan does not have; remove it"
        ));
    }
    if problems.is_empty() {
        problems.extend(circle(tasks, &places).map(|circle| {
            let circle: Vec<String> = circle.iter().map(|place| shown(&tasks[*place].id)).collect();
            let path = circle.join(" → ");
            format!(
                "plan.json: these tasks wait for each other: {path}; remove one of these from `depends_on`"
            )
        }));
    }
    problems
}

/// Tasks of which each waits for the next, the last being the first again.
fn circle(tasks: &[PlanTask], places: &HashMap<&str, usize>) -> Option<Vec<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Not,
        OnTheWay,
        Done,
    }
    let mut seen = vec![Seen::Not; tasks.len()];
    for start in 0..tasks.len() {
        // Each with how many of its needs were looked at.
        let mut way: Vec<(usize, usize)> = Vec::new();
        if seen[start] == Seen::Not {
            way.push((start, 0));
            seen[start] = Seen::OnTheWay;
        }
        while let Some((place, next)) = way.last_mut() {
            let needs = &tasks[*place].depends_on;
            let Some(needed) = needs.get(*next).and_then(|needed| places.get(needed.as_str()).copied())
            else {
                seen[*place] = Seen::Done;
                way.pop();
                continue;
            };
            *next += 1;
            match seen[needed] {
                Seen::Not => {
                    seen[needed] = Seen::OnTheWay;
                    way.push((needed, 0));
                }
                Seen::OnTheWay => {
                    let from = way.iter().position(|(place, _)| *place == needed).unwrap_or(0);
                    let circle = way[from..].iter().map(|(place, _)| *place).chain([needed]);
                    return Some(circle.collect());
                }
                Seen::Done => {}
            }
        }
    }
    None
}

/// Tasks of which none waits for another, group by group, in the order in which they can be begun.
pub(super) fn side_by_side(tasks: &[PlanTask]) -> Vec<Vec<String>> {
    let (mut done, mut left): (HashSet<&str>, Vec<&PlanTask>) = (HashSet::new(), tasks.iter().collect());
    let mut groups = Vec::new();
    loop {
        let can_begin =
            |task: &&PlanTask| task.depends_on.iter().all(|needed| done.contains(needed.as_str()));
        let (ready, later): (Vec<&PlanTask>, Vec<&PlanTask>) = left.into_iter().partition(can_begin);
        if ready.is_empty() {
            return groups;
        }
        done.extend(ready.iter().map(|task| task.id.as_str()));
        if ready.len() > 1 {
            groups.push(ready.iter().map(|task| task.id.clone()).collect());
        }
        left = later;
    }
}

/// The longest way through tasks that wait for each other in no circle; of equally long ones the first.
pub(super) fn critical_path(tasks: &[PlanTask]) -> Vec<String> {
    let places: HashMap<&str, usize> =
        tasks.iter().enumerate().map(|(place, task)| (task.id.as_str(), place)).collect();
    let needs = |place: usize| {
        tasks[place].depends_on.iter().filter_map(|needed| places.get(needed.as_str()).copied())
    };
    // By task: how long it takes until it is done, and which task before it decides that.
    let mut known: Vec<Option<(u64, Option<usize>)>> = vec![None; tasks.len()];
    for start in 0..tasks.len() {
        let mut stack = vec![start];
        while let Some(&place) = stack.last() {
            let open: Vec<usize> = needs(place).filter(|needed| known[*needed].is_none()).collect();
            if known[place].is_none() && open.is_empty() {
                let longest = needs(place).filter_map(|needed| Some((known[needed]?.0, needed)));
                let before = longest.reduce(|best, other| if other.0 > best.0 { other } else { best });
                let minutes = before.map_or(0, |(minutes, _)| minutes) + minutes(tasks[place].effort);
                known[place] = Some((minutes, before.map(|(_, place)| place)));
            }
            if open.is_empty() {
                stack.pop();
            }
            stack.extend(open);
        }
    }
    let ends = known.iter().enumerate().filter_map(|(place, known)| Some((known.as_ref()?.0, place)));
    let mut next =
        ends.reduce(|best, other| if other.0 > best.0 { other } else { best }).map(|(_, place)| place);
    let mut path = Vec::new();
    while let Some(place) = next {
        path.push(tasks[place].id.clone());
        next = known[place].and_then(|(_, before)| before);
    }
    path.reverse();
    path
}

/// About the middle of what each size means.
fn minutes(effort: Effort) -> u64 {
    match effort {
        Effort::Small => 30,
        Effort::Medium => 150,
        Effort::Large => 360,
    }
}

#[cfg(test)]
mod tests {
    use piton_model::cycle::TaskStatus;

    use super::*;

    fn task(id: &str, effort: Effort, needs: &[&str]) -> PlanTask {
        PlanTask {
            id: id.to_owned(),
            description: String::new(),
            effort,
            depends_on: needs.iter().map(|need| (*need).to_owned()).collect(),
            status: TaskStatus::Pending,
            assigned_to: None,
            files: Vec::new(),
        }
    }

    #[test]
    fn the_longest_way_counts_by_effort_not_by_tasks() {
        let tasks = [
            task("a", Effort::Small, &[]),
            task("b", Effort::Small, &["a"]),
            task("c", Effort::Small, &["b"]),
            task("big", Effort::Large, &["a"]),
            task("end", Effort::Small, &["c", "big"]),
        ];
        assert_eq!(critical_path(&tasks), ["a", "big", "end"]);
        assert_eq!(critical_path(&[]), Vec::<String>::new());
    }

    #[test]
    fn the_order_of_the_list_does_not_matter() {
        let tasks = [task("last", Effort::Small, &["first"]), task("first", Effort::Small, &[])];
        assert_eq!(critical_path(&tasks), ["first", "last"]);
        assert!(unworkable(&tasks, &[]).is_empty());
    }

    #[test]
    fn a_task_that_waits_for_itself_is_a_circle() {
        let said = unworkable(&[task("a", Effort::Small, &["a"])], &[]);
        assert!(said[0].contains("a → a"), "{said:?}");
    }

    #[test]
    fn a_long_chain_is_followed() {
        let names: Vec<String> = (0..500).map(|number| format!("T{number}")).collect();
        let chain: Vec<PlanTask> = (0..500)
            .map(|number| match number {
                0 => task(&names[0], Effort::Small, &[]),
                _ => task(&names[number], Effort::Small, &[&names[number - 1]]),
            })
            .collect();
        assert_eq!(critical_path(&chain).len(), 500);
        assert!(unworkable(&chain, &[]).is_empty());
    }
}
