//! Cycles of other tools.

use piton_files::cycle::{CyclePlace, ImportError, Progress, Zone, import_cycle, render};
use piton_files::{Recognised, recognise};
use piton_model::cycle::{Order, apply, create};
use serde_json::{Value, json};

use crate::support::{ID, World, at, config, full};

fn import(value: &Value) -> Result<piton_files::cycle::ImportedCycle, ImportError> {
    import_cycle(&serde_json::to_vec(value).unwrap(), &Progress::default())
}

#[test]
fn the_documents_own_state_is_gone_on_with() {
    let example: Value = serde_json::from_str(include_str!("states/created.json")).unwrap();
    let found = import(&example).unwrap();
    assert_eq!((found.cycle_id.as_str(), found.max_iterations), (ID, 5));
    assert_eq!(found.task, "Implement OAuth authentication");
    assert_eq!((found.zone, found.imported.created_at), (Some(Zone::default()), at("10:00:00")));
    assert!(found.imported.unknown.is_empty(), "{:?}", found.imported.unknown);
    let order =
        Order { run: ID.parse().unwrap(), config: config(), imported: Some(found.imported), base: None };
    let state = apply(None, &create(order).unwrap(), at("12:00:00")).unwrap();
    let view: Value = serde_json::from_slice(&render(&state, &CyclePlace::new("/r", ID))).unwrap();
    for field in
        ["title", "description", "task_history", "created_at", "agents", "iterations", "coordination"]
    {
        assert_eq!(view[field], example[field], "{field}");
    }
}

#[test]
fn what_its_orchestrator_leaves_out_may_be_missing() {
    let theirs = json!({
        "cycle_id": "cycle-v1-x", "title": "t", "description": "d", "max_iterations": 5, "status": "running",
        "created_at": "2026-01-22T10:00:00.000Z", "updated_at": "2026-01-22T10:00:00.000Z", "current_iteration": 1,
        "agents": {"ra": {"status": "running", "output_files": []}}, "current_phase": "ra", "completed_phases": ["ra", "ra"],
        "requirements": null, "exploration": null, "plan": null, "changes": [], "test_results": null,
        "convergence": null,
    });
    let unfit = import(&theirs).unwrap_err();
    assert!(unfit.to_string().contains("changes: [] is no object"), "{unfit}");
    let mut theirs = theirs;
    theirs["changes"] = json!(null);
    let found = import(&theirs).unwrap();
    assert_eq!(found.zone, "UTC".parse().ok());
    assert!(
        found.imported.unknown.iter().any(|it| it.contains("what ra did")),
        "{:?}",
        found.imported.unknown
    );
    assert!(found.imported.unknown.iter().any(|it| it.contains("tests")));
}

#[test]
fn files_that_are_counted_and_not_named_stay_counted() {
    let mut theirs: Value = serde_json::from_slice(&render(&full(), &CyclePlace::new("/r", ID))).unwrap();
    let named = theirs["changes"]["total_files"].as_u64().unwrap();
    theirs["changes"]["total_files"] = json!(named + 30);
    let imported = Some(import(&theirs).unwrap().imported);
    let order = Order { run: ID.parse().unwrap(), config: config(), imported, base: None };
    let state = apply(None, &create(order).unwrap(), at("12:00:00")).unwrap();
    let view: Value = serde_json::from_slice(&render(&state, &CyclePlace::new("/r", ID))).unwrap();
    assert_eq!(view["changes"]["total_files"], json!(named + 30));
}

#[test]
fn what_is_no_cycle_is_said_to_be_none() {
    for (value, part) in [
        (json!({"title": "t"}), "cycle_id: is missing"),
        (json!({"cycle_id": "c", "status": "on"}), "status: \"on\" is none of"),
        (json!({"cycle_id": "c", "status": "paused", "current_iteration": -1}), "less than 0"),
        (
            json!({"cycle_id": "c", "status": "paused", "plan": {"tasks": [{"id": "A", "depends_on": ["B"]}]}}),
            "depends on `B`",
        ),
    ] {
        let error = import(&value).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    assert!(matches!(import_cycle(b"{", &Progress::default()), Err(ImportError::NotJson(_))));
}

#[test]
fn a_cycle_is_known_when_it_is_seen() {
    let bytes = render(&full(), &CyclePlace::new("/r", ID));
    assert!(matches!(recognise(&bytes), Recognised::Cycle(left) if left.cycle_id == ID));
    assert!(matches!(recognise(b"{\"cycle_id\": \"x\"}"), Recognised::Loop));
    assert!(matches!(recognise(b"gaps: []\n"), Recognised::Gaps));
}

#[test]
fn what_piton_wrote_is_imported_with_its_progress_files() {
    let (world, state) = (World::new(), full());
    world.publish(&state);
    let progress = Progress::read(world.root.path(), &world.path("")).unwrap();
    let found = import_cycle(&std::fs::read(world.master()).unwrap(), &progress).unwrap();
    let imported = found.imported;
    assert_eq!(imported.requirements, state.requirements.as_deref().cloned());
    assert_eq!(imported.exploration, state.exploration.as_deref().cloned());
    assert_eq!(imported.changes, Vec::from(state.changes.recent.clone()));
    assert_eq!(imported.iteration_markers, state.iteration_markers);
    assert_eq!(imported.tests, state.tests);
    assert_eq!((imported.decisions, imported.blockers), (state.decisions, state.blockers));
    assert_eq!(imported.iterations[1].extension, state.iterations[1].extension);
    assert_eq!(imported.iterations.len(), 2);
    let names: Vec<String> =
        imported.documents.iter().map(|(role, it)| format!("{role}/{}", it.name)).collect();
    assert!(
        names.contains(&"ra/requirements.md".to_owned()) && names.contains(&"ep/plan.json".to_owned()),
        "{names:?}"
    );
}
