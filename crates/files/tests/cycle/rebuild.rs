//! A cycle from its progress files alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use piton_files::cycle::{CycleStatus, Progress, Rebuilt, rebuild};
use piton_model::Timestamp;
use piton_model::cycle::*;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Map;

use crate::support::{ID, World, aggregated, created, full, hand_in, log, tree};

/// What is left when journal and state are gone.
fn from_files(world: &World) -> Rebuilt {
    std::fs::remove_file(world.master()).unwrap();
    std::fs::remove_dir_all(world.root.path().join(".piton")).unwrap();
    rebuild(&Progress::read(world.root.path(), &world.path("")).unwrap())
}

#[track_caller]
fn is_equal(rebuilt: &Rebuilt, state: &State) {
    let found = &rebuilt.imported;
    assert_eq!(found.requirements, state.requirements.as_deref().cloned());
    assert_eq!(found.plan, state.plan.as_deref().cloned());
    assert_eq!(found.changes, Vec::from(state.changes.recent.clone()));
    assert_eq!(found.tests, state.tests);
}

#[test]
fn what_is_known_comes_back_and_what_is_not_is_said() {
    let (world, state) = (World::new(), full());
    world.publish(&state);
    let rebuilt = from_files(&world);
    is_equal(&rebuilt, &state);
    let found = &rebuilt.imported;
    assert_eq!((rebuilt.status, found.iteration, found.rebuilt), (CycleStatus::Failed, 2, true));
    assert_eq!(found.exploration, state.exploration.as_deref().cloned());
    assert_eq!(found.iteration_markers, state.iteration_markers);
    assert_eq!(found.task_history, state.task_history);
    assert_eq!(found.created_at, state.created_at);
    assert_eq!(found.decisions, state.decisions);
    assert_eq!(
        (found.iterations.len(), found.iterations[1].extension.as_deref()),
        (2, Some("Also add multi-factor authentication"))
    );
    assert_eq!(
        (found.feedback.clone(), found.blockers.clone()),
        (state.feedback.recent.clone().into(), state.blockers.clone())
    );
    assert!(found.unknown.iter().any(|line| line.contains("cost")), "{:?}", found.unknown);
    assert!(!found.unknown.iter().any(|line| line.contains("is not there")), "{:?}", found.unknown);
}

#[test]
fn a_torn_last_line_is_passed_by_and_said() {
    let (world, state) = (World::new(), full());
    world.publish(&state);
    let log = world.read("cd/changes.log");
    let torn = log.trim_end().rfind('\n').unwrap() + 10;
    world.write("cd/changes.log", &log[..torn]);
    let found = from_files(&world).imported;
    assert_eq!(found.changes.len(), state.changes.recent.len());
    assert_eq!(found.iteration_markers.len(), 1, "the last marker was torn");
    assert!(found.unknown.iter().any(|line| line.contains("cut off")), "{:?}", found.unknown);
}

#[test]
fn missing_files_are_missing() {
    let rebuilt = rebuild(&Progress::default());
    assert_eq!((rebuilt.status, rebuilt.imported.iteration), (CycleStatus::Created, 0));
    assert!(rebuilt.imported.unknown.iter().any(|line| line.contains("ra/requirements.md is not there")));
    let only = Progress::of([("ra/requirements.md".to_owned(), b"# Requirements v1.3.0\n\ntext".to_vec())]);
    let rebuilt = rebuild(&only);
    assert_eq!((rebuilt.status, rebuilt.imported.iteration), (CycleStatus::Paused, 4));
    assert_eq!(rebuilt.imported.iterations.len(), 4);
    let broken = Progress::of([
        ("ep/plan.json".to_owned(), b"{\"tasks\": [".to_vec()),
        ("vas/test-results.json".to_owned(), b"\xff".to_vec()),
        ("cd/changes.log".to_owned(), vec![0; 100]),
    ]);
    let unknown = rebuild(&broken).imported.unknown.join("\n");
    assert!(unknown.contains("plan.json is no JSON") && unknown.contains("test-results.json:"), "{unknown}");
}

#[test]
fn the_highest_iteration_that_any_file_knows_is_the_one() {
    let mut state = aggregated();
    for iteration in 2..=4 {
        state.iteration = iteration;
        hand_in(&mut state, "cd", "implementation.md", &format!("text {iteration}"), "11:00:00");
    }
    let world = World::new();
    world.publish(&state);
    let found = from_files(&world);
    assert_eq!((found.imported.iteration, found.status), (4, CycleStatus::Paused));
}

#[test]
fn a_team_of_ones_own_is_rebuilt_from_its_own_directories() {
    let mut config = crate::support::config();
    for (role, name) in config.roles.iter_mut().zip(["lead", "thinker", "maker", "judge"]) {
        role.name = name.into();
        (role.reads, role.after, role.feedback_to) = Default::default();
    }
    let mut state = crate::support::created_with(config);
    state.iteration = 1;
    crate::support::add_changes(&mut state, 0..3);
    state.tests = Some(crate::support::tests(Some(50.0)));
    let world = World::new();
    world.publish(&state);
    let found = from_files(&world).imported;
    assert_eq!((found.changes.len(), found.tests), (3, state.tests));
}

/// A cycle that begins with what was found.
fn begun_again(imported: Imported) -> State {
    let order = Order {
        run: ID.parse().unwrap(),
        config: crate::support::config(),
        imported: Some(imported),
        base: None,
    };
    apply(None, &create(order).unwrap(), crate::support::at("12:00:00")).unwrap()
}

#[test]
fn what_is_rebuilt_leaves_every_progress_file_as_it_was() {
    let (world, state) = (World::new(), full());
    world.publish(&state);
    let mut before = tree(&world.path(""));
    let mut again = begun_again(from_files(&world).imported);
    std::fs::create_dir(world.root.path().join(".piton")).unwrap();
    for _ in 0..2 {
        let published = world.publish(&again);
        assert!(published.quarantined.is_empty(), "{:?}", published.quarantined);
        let mut now = tree(&world.path(""));
        let timeline = std::path::Path::new("coordination/timeline.md");
        let (old, new) = (before.remove(timeline).unwrap(), now.remove(timeline).unwrap());
        assert!(new.starts_with(&old), "the timeline only grows");
        for (path, bytes) in &now {
            assert_eq!(
                String::from_utf8_lossy(bytes),
                String::from_utf8_lossy(&before[path]),
                "{}",
                path.display()
            );
        }
        assert_eq!(now.len(), before.len());
        before = tree(&world.path(""));
    }
    // It goes on: what is written anew takes the place of what lay there, and the logs grow.
    again.attempt = 1;
    again.iteration = 3;
    hand_in(&mut again, "ra", "requirements.md", "All of it anew.", "12:10:00");
    let published = world.publish(&again);
    assert!(published.quarantined.is_empty(), "{:?}", published.quarantined);
    for name in ["ra/changes.log", "cd/changes.log", "coordination/timeline.md", "coordination/decisions.log"]
    {
        let old = String::from_utf8(before[std::path::Path::new(name)].clone()).unwrap();
        assert!(world.read(name).starts_with(&old), "{name}");
    }
    let lines = |text: &str| text.lines().count();
    let old = String::from_utf8(before[std::path::Path::new("ra/changes.log")].clone()).unwrap();
    assert_eq!(lines(&world.read("ra/changes.log")), lines(&old) + 1);
    assert!(world.read("ra/requirements.md").ends_with("All of it anew.\n"));
    assert!(world.read("ra/history/requirements-v1.1.0.md").contains("a second factor"));
}

#[test]
fn a_state_file_of_before_is_no_edit() {
    let world = World::new();
    world.publish(&created());
    world.write(world.master().to_str().unwrap(), "{\"status\": \"completed\"");
    std::fs::remove_dir_all(world.root.path().join(".piton")).unwrap();
    std::fs::create_dir(world.root.path().join(".piton")).unwrap();
    let found = world.view().edited(&created()).unwrap();
    assert_eq!(found, piton_files::cycle::MasterFound::AsWritten);
    let published = world.publish(&created());
    assert_eq!(published.quarantined.len(), 1, "it lies beside");
    assert_eq!(published.master, piton_files::cycle::MasterFound::AsWritten);
    assert!(world.publish(&created()).quarantined.is_empty());
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ -~]{0,20}",
        Just("\n".to_owned()),
        Just("## Edge cases\n- x\n".to_owned()),
        Just("| a | b |\n".to_owned()),
        Just("```\n## code\n```\n".to_owned()),
        Just("- item\n  more\n".to_owned()),
        Just("Version: 7.7.7\n".to_owned()),
        "\\PC{0,8}",
    ];
    vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

/// Text as it is in a section: without blank ends.
fn line() -> impl Strategy<Value = String> {
    text()
        .prop_map(|text| text.trim().replace('\r', ""))
        .prop_filter("an empty item says nothing", |text| !text.is_empty())
}

fn moments() -> impl Strategy<Value = Timestamp> {
    (1_500_000_000_000_i64..1_900_000_000_000).prop_map(Timestamp::from_millis)
}

prop_compose! {
    fn requirements(iteration: u32)(specification in text(), edge_cases in vec(line(), 0..5), last_updated in moments())
        -> Requirements {
        // As it is when a role has handed it in.
        let page = parse(&specification);
        Requirements { version: version_of(iteration), specification: page, edge_cases, last_updated }
    }
}

fn parse(text: &str) -> String {
    piton_files::cycle::parse_requirements(text, None, "", Timestamp::default()).specification
}

/// What a task is made of: description, effort, status, files, whether it is assigned, what it needs.
type Parts = (String, usize, usize, Vec<String>, bool, u16);

prop_compose! {
    fn plan(iteration: u32)(
        tasks in vec((line(), 0..3_usize, 0..4_usize, vec("[a-z/.]{1,9}", 0..3), any::<bool>(), any::<u16>()), 1..6),
        effort in "[a-z0-9]{1,9}", last_updated in moments(), note in text(),
    ) -> Plan {
        let task = |(number, (description, effort, status, files, assigned, needs)): (usize, Parts)| PlanTask {
            id: format!("TASK-{number:03}"),
            description,
            effort: Effort::ALL[effort],
            // Only on those before: no circle.
            depends_on: (0..number).filter(|before| needs & (1 << before) != 0).map(|before| format!("TASK-{before:03}")).collect(),
            status: TaskStatus::ALL[status],
            assigned_to: assigned.then(|| "cd".into()),
            files,
        };
        let tasks: Vec<PlanTask> = tasks.into_iter().enumerate().map(task).collect();
        let mut more = Map::new();
        more.insert("note".to_owned(), note.into());
        more.insert("tasks".to_owned(), serde_json::json!({"TASK-000": {"title": "t", "estimated_hours": 0.25}}));
        let critical_path = vec![tasks[0].id.clone()];
        Plan { version: version_of(iteration), tasks, total_estimated_effort: effort, critical_path, last_updated, more }
    }
}

prop_compose! {
    fn changes(iteration: u32)(entries in vec((moments(), text(), 0..3_usize, text(), any::<Option<u8>>(), any::<u32>()), 0..8))
        -> Vec<ChangeEntry> {
        let entry = |(at, file, action, description, task, lines): (Timestamp, String, usize, String, Option<u8>, u32)| ChangeEntry {
            at,
            file: format!("src/{file}"),
            action: ChangeAction::ALL[action],
            iteration,
            agent: "cd".into(),
            description,
            task: task.map(|task| format!("TASK-{task}")),
            lines_added: lines.into(),
            lines_removed: 0,
        };
        entries.into_iter().map(entry).collect()
    }
}

prop_compose! {
    fn results(iteration: u32)(
        pass_rate in 0.0..100.0_f64, coverage in proptest::option::of(0.0..100.0_f64), failed_tests in vec(text(), 0..4),
        counts in (0..1000_u64, 0..1000_u64, 0..1000_u64), duration_ms in any::<u32>(), last_run in moments(),
    ) -> TestResults {
        TestResults {
            version: version_of(iteration), iteration, round: 3, pass_rate, coverage, failed_tests,
            total_tests: counts.0 + counts.1 + counts.2, passed_tests: counts.0, skipped_tests: counts.1,
            duration_ms: duration_ms.into(), last_run, branches: coverage, functions: None,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn rendering_and_rebuilding_gives_the_same(
        (iteration, requirements, plan, changes, results, minutes) in (1..9_u32).prop_flat_map(|iteration| {
            (Just(iteration), requirements(iteration), plan(iteration), changes(iteration), results(iteration), -720..840_i32)
        }),
    ) {
        let mut state = created();
        state.iteration = iteration;
        state.config.utc_offset_minutes = minutes;
        state.requirements = Some(Arc::new(requirements));
        state.plan = Some(Arc::new(plan));
        state.changes = log(changes);
        state.tests = Some(results);
        state.iteration_markers = BTreeMap::new();
        let world = World::new();
        world.publish(&state);
        is_equal(&from_files(&world), &state);
    }

    #[test]
    fn what_roles_wrote_comes_back_as_it_was_taken(
        documents in (text(), proptest::option::of(text()), text(), proptest::option::of(text())),
        times in (moments(), moments()),
    ) {
        let (first, first_edges, second, second_edges) = documents;
        let mut state = created();
        for (iteration, text, edges, at) in [(1, first, first_edges, times.0), (2, second, second_edges, times.1)] {
            state.iteration = iteration;
            let version = version_of(iteration);
            hand_in(&mut state, "ra", "requirements.md", &text, "10:00:00");
            if let Some(edges) = &edges {
                hand_in(&mut state, "ra", "edge-cases.md", edges, "10:00:00");
            }
            for document in crate::support::role(&mut state, "ra").documents.values_mut() {
                if document.version == version {
                    Arc::make_mut(document).at = at;
                }
            }
            let taken = piton_files::cycle::parse_requirements(&text, edges.as_deref(), &version, at);
            state.requirements = Some(Arc::new(taken));
        }
        let text = state.requirements.as_ref().unwrap().specification.clone();
        hand_in(&mut state, "ep", "exploration.md", &text, "10:00:00");
        let document = Arc::clone(&crate::support::role(&mut state, "ep").documents["exploration.md"]);
        let taken = piton_files::cycle::parse_exploration(&document.text, &document.version, document.at);
        state.exploration = Some(Arc::new(taken));
        let world = World::new();
        prop_assert!(world.publish(&state).quarantined.is_empty());
        let found = from_files(&world).imported;
        prop_assert_eq!(found.requirements, state.requirements.as_deref().cloned());
        prop_assert_eq!(found.exploration, state.exploration.as_deref().cloned());
    }

    #[test]
    fn whatever_lies_there_is_read(files in vec(("(ra|ep|cd|vas|coordination)/(requirements.md|edge-cases.md|plan.json|changes.log|test-results.json|timeline.md|decisions.log|summary.md)", text()), 0..8)) {
        let progress = Progress::of(files.into_iter().map(|(name, text)| (name, text.into_bytes())));
        let rebuilt = rebuild(&progress);
        prop_assert!(rebuilt.imported.rebuilt);
    }
}
