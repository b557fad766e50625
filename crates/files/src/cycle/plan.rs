//! `ep/plan.json`: the tasks, what each waits for, and which of them decide how long it takes.
//!
//! A plan of an agent's is taken as it is meant: what it leaves out has a default, what else it says is kept and written
//! again. One that cannot be worked off is refused, with all that is wrong with it.

use piton_model::Timestamp;
use piton_model::cycle::limits::{DOCUMENT_BYTES_MAX, ITEM_BYTES_MAX, TASKS_MAX};
use piton_model::cycle::{Effort, Plan, PlanTask, RoleName, TaskStatus};
use piton_model::limits::clip;
use piton_model::workflow::shown;
use serde::Serialize;
use serde_json::{Map, Value};

use super::tasks::{critical_path, side_by_side, unworkable};
use super::zone::{Zone, moment};
use crate::plain::{json_file, without_mark};

/// Problems that are said of one plan.
const PROBLEMS_MAX: usize = 20;
/// Longest id of a task.
const ID_BYTES_MAX: usize = 64;

/// The keys that piton knows of a plan, and of a task in it. All others are an agent's own.
const OF_PLAN: [&str; 9] = [
    "version",
    "last_updated",
    "total_tasks",
    "estimated_duration",
    "total_estimated_effort",
    "total_estimated_hours",
    "tasks",
    "critical_path",
    "cycle_id",
];
const OF_TASK: [&str; 7] = ["id", "description", "effort", "depends_on", "status", "assigned_to", "files"];

/// Where [`Plan::more`] has what else is said of each task, by its id.
const DETAILS: &str = "tasks";

/// Tasks that can be done side by side; said by piton where the planner does not.
const PARALLEL: &str = "parallel_opportunities";

/// `plan.json`.
pub fn plan_file(plan: &Plan, zone: Zone) -> Vec<u8> {
    let details = plan.more.get(DETAILS);
    let of_task = |task: &PlanTask| others(details.and_then(|details| details.get(&task.id)), &OF_TASK);
    let last_updated = zone.show(plan.last_updated);
    json_file(&PlanFile {
        version: &plan.version,
        last_updated: &last_updated,
        total_tasks: plan.tasks.len(),
        estimated_duration: &plan.total_estimated_effort,
        tasks: plan.tasks.iter().map(|task| TaskFile { task, details: of_task(task) }).collect(),
        critical_path: &plan.critical_path,
        more: plan.more.iter().filter(|(key, _)| !OF_PLAN.contains(&key.as_str())).collect(),
    })
}

#[derive(Serialize)]
struct PlanFile<'a> {
    version: &'a str,
    last_updated: &'a str,
    total_tasks: usize,
    estimated_duration: &'a str,
    tasks: Vec<TaskFile<'a>>,
    critical_path: &'a [String],
    #[serde(flatten)]
    more: std::collections::BTreeMap<&'a String, &'a Value>,
}

#[derive(Serialize)]
struct TaskFile<'a> {
    #[serde(flatten)]
    task: &'a PlanTask,
    #[serde(flatten)]
    details: Map<String, Value>,
}

/// The members of an object that are not known.
fn others(value: Option<&Value>, known: &[&str]) -> Map<String, Value> {
    let members = value.and_then(Value::as_object).into_iter().flatten();
    members
        .filter(|(key, _)| !known.contains(&key.as_str()))
        .map(|(key, it)| (key.clone(), it.clone()))
        .collect()
}

/// The plan that these bytes are, in this version and at this time; or all that is wrong with it, in sentences that say what
/// to do.
pub fn parse_plan(bytes: &[u8], version: &str, at: Timestamp) -> Result<Plan, Vec<String>> {
    let mut plan = read_plan(bytes)?;
    let together = side_by_side(&plan.tasks);
    if !together.is_empty() {
        plan.more.entry(PARALLEL).or_insert_with(|| serde_json::json!(together));
    }
    Ok(Plan { version: version.to_owned(), last_updated: at, ..plan })
}

/// The same with the version and the time that stand there; an empty version where none does.
pub(super) fn read_plan(bytes: &[u8]) -> Result<Plan, Vec<String>> {
    if bytes.len() > 2 * DOCUMENT_BYTES_MAX {
        return Err(vec![format!(
            "plan.json is larger than {} bytes; say it in fewer words",
            2 * DOCUMENT_BYTES_MAX
        )]);
    }
    let not_json =
        |error: serde_json::Error| vec![format!("plan.json is no JSON: {error}; write it again, whole")];
    let value: Value = serde_json::from_slice(without_mark(bytes)).map_err(not_json)?;
    let Some(tasks) = value.get("tasks").and_then(Value::as_array) else {
        return Err(vec![
            "plan.json has no list `tasks`; add it, each task with `id` and `description`".to_owned(),
        ]);
    };
    if tasks.len() > TASKS_MAX {
        let count = tasks.len();
        return Err(vec![format!(
            "plan.json has {count} tasks, and {TASKS_MAX} is the most; take some together"
        )]);
    }
    let mut problems = Vec::new();
    let read: Vec<PlanTask> =
        tasks.iter().enumerate().filter_map(|(place, task)| read_task(task, place, &mut problems)).collect();
    let given = texts(value.get("critical_path"));
    problems.extend(unworkable(&read, &given));
    if !problems.is_empty() {
        problems.truncate(PROBLEMS_MAX);
        return Err(problems);
    }
    let details: Map<String, Value> = read
        .iter()
        .zip(tasks)
        .filter_map(|(task, value)| {
            let details = others(Some(value), &OF_TASK);
            (!details.is_empty()).then(|| (task.id.clone(), Value::Object(details)))
        })
        .collect();
    let mut more = others(Some(&value), &OF_PLAN);
    if !details.is_empty() {
        more.insert(DETAILS.to_owned(), Value::Object(details));
    }
    Ok(Plan {
        version: value.get("version").and_then(Value::as_str).unwrap_or_default().to_owned(),
        total_estimated_effort: effort_of_all(&value, &read),
        critical_path: if given.is_empty() { critical_path(&read) } else { given },
        tasks: read,
        last_updated: value.get("last_updated").and_then(Value::as_str).and_then(moment).unwrap_or_default(),
        more,
    })
}

fn read_task(value: &Value, place: usize, problems: &mut Vec<String>) -> Option<PlanTask> {
    let text =
        |key: &str| value.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let Some(id) = text("id").filter(|id| id.len() <= ID_BYTES_MAX) else {
        problems.push(format!(
            "plan.json: task {} of the list has no `id`; give it one like `TASK-001`",
            place + 1
        ));
        return None;
    };
    let mut word = |key: &str, known: &[&str], found: &str| {
        problems.push(format!(
            "plan.json: `{key}` of task `{}` is `{}`; use one of {}",
            shown(id),
            shown(found),
            known.join(", ")
        ));
    };
    let effort = match text("effort").map(str::to_ascii_lowercase) {
        None => value.get("estimated_hours").and_then(Value::as_f64).map_or(Effort::default(), effort_of),
        Some(said) => Effort::from_word(&said).unwrap_or_else(|| {
            word("effort", &Effort::ALL.map(Effort::as_str), &said);
            Effort::default()
        }),
    };
    let status = match text("status").map(str::to_ascii_lowercase) {
        None => TaskStatus::default(),
        Some(said) => TaskStatus::from_word(&said).unwrap_or_else(|| {
            word("status", &TaskStatus::ALL.map(TaskStatus::as_str), &said);
            TaskStatus::default()
        }),
    };
    let description = text("description").or(text("title")).unwrap_or(id);
    Some(PlanTask {
        id: id.to_owned(),
        description: clip(description, ITEM_BYTES_MAX).trim_end().to_owned(),
        effort,
        depends_on: texts(value.get("depends_on")),
        status,
        assigned_to: text("assigned_to").map(RoleName::from),
        files: texts(value.get("files")),
    })
}

/// Under an hour is small, over four hours large.
fn effort_of(hours: f64) -> Effort {
    if hours < 1.0 {
        Effort::Small
    } else if hours <= 4.0 {
        Effort::Medium
    } else {
        Effort::Large
    }
}

/// A list of text; a single one is a list of one.
fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(one)) => vec![one.trim().to_owned()],
        Some(Value::Array(items)) => items
            .iter()
            .filter_map(Value::as_str)
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())
            .collect(),
        _ => Vec::new(),
    }
}

/// How long it takes in all, as it stands there; else how many tasks there are of each size.
fn effort_of_all(plan: &Value, tasks: &[PlanTask]) -> String {
    for key in ["estimated_duration", "total_estimated_effort", "total_estimated_hours"] {
        match plan.get(key) {
            Some(Value::String(text)) if !text.trim().is_empty() => return text.trim().to_owned(),
            Some(Value::Number(hours)) => return format!("{hours} hours"),
            _ => {}
        }
    }
    let count = |effort: Effort| tasks.iter().filter(|task| task.effort == effort).count();
    let sizes = Effort::ALL.map(|effort| (count(effort), effort)).into_iter().filter(|(count, _)| *count > 0);
    let words: Vec<String> = sizes.map(|(count, effort)| format!("{count} {effort}")).collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> Result<Plan, Vec<String>> {
        read_plan(&serde_json::to_vec(&value).unwrap())
    }

    fn agents_plan() -> Value {
        json!({
            "version": "1.0.0", "total_tasks": 3, "estimated_duration": "6 hours",
            "tasks": [
                {"id": "TASK-001", "title": "Credentials", "description": "Set them up", "effort": "Small",
                 "estimated_hours": 0.5, "depends_on": [], "files": ["src/config/oauth.ts"],
                 "success_criteria": ["they load"]},
                {"id": "TASK-002", "title": "Login", "estimated_hours": 5, "depends_on": ["TASK-001"]},
                {"id": "TASK-003", "depends_on": ["TASK-001"], "status": "in_progress", "assigned_to": "cd"},
            ],
            "parallel_opportunities": [["TASK-002", "TASK-003"]],
        })
    }

    #[test]
    fn an_agents_plan_is_taken_as_it_is_meant() {
        let plan = read(agents_plan()).unwrap();
        assert_eq!(plan.critical_path, ["TASK-001", "TASK-002"]);
        assert_eq!(plan.total_estimated_effort, "6 hours");
        let [first, second, third] = &plan.tasks[..] else { panic!("three tasks") };
        assert_eq!((first.effort, first.files.len(), first.status), (Effort::Small, 1, TaskStatus::Pending));
        assert_eq!((second.effort, second.description.as_str()), (Effort::Large, "Login"));
        assert_eq!((third.description.as_str(), third.status), ("TASK-003", TaskStatus::InProgress));
    }

    #[test]
    fn what_else_it_says_is_written_again() {
        let plan = read(agents_plan()).unwrap();
        let bytes = plan_file(&plan, Zone::default());
        let written: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(written["tasks"][0]["success_criteria"], json!(["they load"]));
        assert_eq!(written["parallel_opportunities"], agents_plan()["parallel_opportunities"]);
        assert_eq!(written["total_tasks"], 3);
        assert_eq!(read_plan(&bytes).unwrap(), plan);
    }

    #[test]
    fn what_can_be_done_side_by_side_is_said_where_the_planner_does_not() {
        let mut plan = agents_plan();
        plan.as_object_mut().unwrap().remove(PARALLEL);
        let plan = parse_plan(plan.to_string().as_bytes(), "1.0.0", Timestamp::default()).unwrap();
        assert_eq!(plan.more[PARALLEL], json!([["TASK-002", "TASK-003"]]));
        let one = json!({"tasks": [{"id": "A"}, {"id": "B", "depends_on": ["A"]}]}).to_string();
        assert!(parse_plan(one.as_bytes(), "1.0.0", Timestamp::default()).unwrap().more.is_empty());
        let own = json!({"tasks": [{"id": "A"}, {"id": "B"}], PARALLEL: []}).to_string();
        let own = parse_plan(own.as_bytes(), "1.0.0", Timestamp::default()).unwrap();
        assert_eq!(own.more[PARALLEL], json!([]), "the planner's own word counts");
    }

    #[test]
    fn a_plan_that_cannot_be_worked_off_is_refused_with_all_that_is_wrong() {
        let task = |id: &str, needs: Value| json!({"id": id, "description": "d", "depends_on": needs});
        let circle =
            json!({"tasks": [task("A", json!(["C"])), task("B", json!(["A"])), task("C", json!(["B"]))]});
        assert_eq!(
            read(circle).unwrap_err(),
            [
                "plan.json: these tasks wait for each other: A → C → B → A; remove one of these from `depends_on`"
            ]
        );
        let wrong = json!({
            "tasks": [task("A", json!(["Z"])), task("A", json!([])), {"description": "no id"},
                {"id": "B", "effort": "huge", "status": "someday"}],
            "critical_path": ["Q"],
        });
        let said = read(wrong).unwrap_err().join("\n");
        for part in [
            "depends on `Z`",
            "`A` is there twice",
            "task 3 of the list has no `id`",
            "is `huge`",
            "is `someday`",
            "names `Q`",
        ] {
            assert!(said.contains(part), "{part} is not in\n{said}");
        }
    }

    #[test]
    fn what_is_no_plan_is_said_to_be_none() {
        for (bytes, part) in
            [("", "no JSON"), ("[]", "no list"), ("{\"tasks\": {}}", "no list"), ("{\"tasks\": [", "no JSON")]
        {
            let said = read_plan(bytes.as_bytes()).unwrap_err();
            assert!(said[0].contains(part), "{said:?}");
        }
        let many = json!({"tasks": vec![json!({"id": "A"}); TASKS_MAX + 1]});
        assert!(read(many).unwrap_err()[0].contains("is the most"));
        assert_eq!(read(json!({"tasks": []})).unwrap().total_estimated_effort, "nothing");
    }
}
