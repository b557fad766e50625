//! The progress files: what is written, what is archived, what is added, and what is left to others.

use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use piton_files::cycle::{Histories, MasterFound, logged_changes, read_changes};
use piton_model::cycle::*;
use piton_sys::file::Durability;
use serde_json::Value;

use crate::support::{
    ID, World, add_changes, aggregated, at, config, created, created_with, extended, full, hand_in, role,
    tree,
};

#[test]
fn every_file_of_the_document_is_there() {
    let world = World::new();
    assert!(world.publish(&full()).quarantined.is_empty());
    for name in [
        "ra/requirements.md",
        "ra/edge-cases.md",
        "ra/changes.log",
        "ra/history/requirements-v1.0.0.md",
        "ep/exploration.md",
        "ep/plan.json",
        "cd/implementation.md",
        "cd/changes.log",
        "cd/debug-log.ndjson",
        "vas/test-results.json",
        "coordination/timeline.md",
        "coordination/feedback.md",
        "coordination/decisions.log",
        "coordination/discoveries.ndjson",
        "coordination/summary.md",
    ] {
        assert!(!world.read(name).is_empty(), "{name}");
    }
    for directory in ["ra", "ep", "cd", "vas"] {
        assert!(world.path(directory).join("history").is_dir(), "{directory}");
    }
    let head = "# Requirements\n\n| Field | Value |\n|---|---|\n| Version | 1.1.0 |\n| Previous | 1.0.0 |\n\
                | Changes | requirements.md of iteration 2 |\n| Date | 2026-01-22T11:00:00+08:00 |\n";
    let page = world.read("ra/requirements.md");
    assert!(page.starts_with(head), "{page}");
    assert!(page.contains(&format!("| Cycle | {ID} |\n| Iteration | 2 |\n\nUsers log in")), "{page}");
    assert!(
        world.read("coordination/feedback.md").contains("- [10:45:00] user: to ra, requirement_update: Add")
    );
    assert!(world.read("coordination/summary.md").contains("failed: tests fail still"));
}

#[test]
fn publishing_again_touches_nothing() {
    let world = World::new();
    let inodes = || {
        let paths = tree(&world.root.path().join(".workflow")).into_keys();
        paths
            .map(|path| (world.root.path().join(".workflow").join(&path).metadata().unwrap().ino(), path))
            .collect::<Vec<_>>()
    };
    world.publish(&full());
    let before = inodes();
    world.publish(&full());
    assert_eq!(inodes(), before);
    assert!(before.len() > 15, "{before:?}");
}

#[test]
fn a_new_version_archives_the_one_before() {
    let world = World::new();
    world.publish(&aggregated());
    let first = world.read("ra/requirements.md");
    assert!(!world.path("ra/history/requirements-v1.0.0.md").exists(), "there is no older one yet");
    world.publish(&extended());
    assert_eq!(world.read("ra/history/requirements-v1.0.0.md"), first);
    assert!(world.read("ra/requirements.md").contains("second factor"));
    let mut state = extended();
    state.tests.as_mut().unwrap().version = "1.1.0".to_owned();
    let results = world.read("vas/test-results.json");
    world.publish(&state);
    assert_eq!(world.read("vas/history/test-results-v1.0.0.json"), results);
}

#[test]
fn what_a_role_wrote_is_taken_and_gets_its_header() {
    let world = World::new();
    world.publish(&aggregated());
    let raw = "# My requirements\n\n| Version | 9.9.9 |\n|---|---|\n\nUsers log in with OAuth and a second factor.\n";
    world.write("ra/requirements.md", raw);
    let mut state = aggregated();
    state.iteration = 2;
    hand_in(&mut state, "ra", "requirements.md", raw, "11:00:00");
    assert!(world.publish(&state).quarantined.is_empty());
    let page = world.read("ra/requirements.md");
    assert!(page.contains("| Version | 1.1.0 |") && !page.contains("9.9.9"), "{page}");
    assert!(page.ends_with("\n\nUsers log in with OAuth and a second factor.\n"), "{page}");
}

#[test]
fn a_secret_in_a_document_is_not_kept_beside() {
    let world = World::new();
    let mut state = aggregated();
    world.publish(&state);
    world.write("cd/implementation.md", "the key is hunter2");
    hand_in(&mut state, "cd", "implementation.md", "the key is [redacted]", "10:31:00");
    let view = world.view().redacted_by(|text| text.replace("hunter2", "[redacted]"));
    let published = view.publish(&state, &|| None, Durability::Unsynced).unwrap();
    assert!(published.quarantined.is_empty());
    let files = tree(world.root.path());
    assert!(!files.values().any(|content| String::from_utf8_lossy(content).contains("hunter2")));
}

#[test]
fn documents_of_a_role_at_work_are_its_own() {
    let world = World::new();
    world.publish(&aggregated());
    let mut state = extended();
    role(&mut state, "ra").open = Some(OpenAttempt {
        number: 5,
        role: "ra".into(),
        iteration: 2,
        attempt: 1,
        host: String::new(),
        boot: String::new(),
        directory: String::new(),
        restore: None,
        session: None,
    });
    world.write("ra/requirements.md", "half a sen");
    assert!(world.publish(&state).quarantined.is_empty());
    assert_eq!(world.read("ra/requirements.md"), "half a sen");
}

#[test]
fn what_somebody_else_wrote_over_a_document_is_moved_aside() {
    let world = World::new();
    world.publish(&aggregated());
    let page = world.read("cd/implementation.md");
    world.write("cd/implementation.md", "mine");
    let moved = world.publish(&aggregated()).quarantined;
    assert_eq!(moved.len(), 1);
    assert_eq!(std::fs::read(world.root.path().join(&moved[0].to)).unwrap(), b"mine");
    assert!(moved[0].to_string().contains("cd/implementation.md.foreign-"), "{}", moved[0]);
    assert_eq!(world.read("cd/implementation.md"), page);
}

#[test]
fn the_summary_of_a_cycle_that_goes_on_is_ours_when_it_ends_again() {
    let world = World::new();
    let mut state = full();
    for number in 0..3 {
        state.status =
            if number == 1 { piton_model::Status::Running } else { piton_model::Status::Completed };
        state.updated_at = state.updated_at.plus_millis(1000);
        state.ended_at = Some(state.updated_at);
        assert!(world.publish(&state).quarantined.is_empty(), "{number}");
    }
}

#[test]
fn logs_only_grow_and_say_each_thing_once() {
    let world = World::new();
    let mut state = aggregated();
    world.publish(&state);
    let mut before = world.read("cd/changes.log");
    assert_eq!(before.lines().count(), 12, "the marker comes when the iteration is over");
    state.iteration = 2;
    for _ in 0..3 {
        let from = state.changes.total as u32;
        add_changes(&mut state, from..from + 2);
        world.publish(&state);
        world.publish(&state);
        let now = world.read("cd/changes.log");
        assert_eq!(now.lines().count() as u64, logged_changes(&state));
        assert!(now.starts_with(&before), "what was there stays");
        before = now;
    }
    let read = read_changes(before.as_bytes(), &"cd".into());
    assert_eq!(read.changes, Vec::from(state.changes.recent.clone()));
    assert_eq!(read.markers, [(1, at("10:30:00"))].into());
    assert_eq!(before.lines().count(), 19);
}

#[test]
fn a_line_that_was_torn_is_mended() {
    let world = World::new();
    world.publish(&full());
    let logs = [
        "ra/changes.log",
        "cd/changes.log",
        "coordination/timeline.md",
        "coordination/decisions.log",
        "cd/debug-log.ndjson",
    ];
    for name in logs {
        let whole = world.read(name);
        for cut in [0, 1, whole.len() / 2, whole.len() - 2, whole.len() - 1] {
            world.write(name, &whole[..cut]);
            let published = world.publish(&full());
            assert_eq!(world.read(name), whole, "{name} cut at {cut}");
            assert!(published.quarantined.is_empty() && published.behind.is_empty());
        }
    }
}

#[test]
fn lines_of_an_agent_give_way_to_what_was_taken_of_them() {
    let world = World::new();
    let mut state = aggregated();
    world.publish(&state);
    let ours = world.read("cd/changes.log");
    let theirs = "{\"timestamp\":\"2026-01-22T11:00:00+08:00\",\"iteration\":2,\"file\":\"src/file12.ts\",\"action\":\"modify\"}\n";
    world.write("cd/changes.log", &format!("{ours}{theirs}"));
    assert!(world.publish(&state).quarantined.is_empty());
    assert_eq!(world.read("cd/changes.log"), format!("{ours}{theirs}"), "it may be at work");
    state.iteration = 2;
    add_changes(&mut state, 12..13);
    assert!(world.publish(&state).quarantined.is_empty(), "what it said is in the log");
    let log = world.read("cd/changes.log");
    assert!(!log.contains(theirs.trim()) && log.lines().count() == 14, "{log}");
    world.write("cd/changes.log", &format!("{log}what is this\n"));
    add_changes(&mut state, 13..14);
    let kept = world.publish(&state).kept;
    assert_eq!(std::fs::read(world.root.path().join(&kept[0].to)).unwrap(), b"what is this\n");
    assert!(!world.read("cd/changes.log").contains("what is this"));
}

#[test]
fn a_log_that_is_gone_comes_back_from_the_histories() {
    let world = World::new();
    let (mut state, mut all) = (aggregated(), Histories::default());
    all.absorb(&state);
    world.publish(&state);
    for from in [12, 14, 16] {
        state.iteration += 1;
        add_changes(&mut state, from..from + 2);
        // The state forgets what is long ago.
        while state.changes.recent.len() > 5 {
            state.changes.recent.pop_front();
        }
        all.absorb(&state);
        all.absorb(&state);
        assert!(world.publish(&state).behind.is_empty(), "what is known is enough");
    }
    let whole = world.read("cd/changes.log");
    assert_eq!(whole.lines().count(), 18 + 1);
    assert_eq!(all.changes.len(), 18);
    world.write("cd/changes.log", "");
    assert_eq!(world.publish(&state).behind, ["cd/changes.log"]);
    assert_eq!(world.read("cd/changes.log"), "", "nothing is made up");
    let known = || Some(all.clone());
    let published = world.view().publish(&state, &known, Durability::Synced).unwrap();
    assert!(published.behind.is_empty());
    assert_eq!(world.read("cd/changes.log"), whole);
}

#[test]
fn the_logs_of_another_tool_are_added_to() {
    let world = World::new();
    world.view().prepare(&created()).unwrap();
    let theirs = "{\"timestamp\":\"2026-01-21T10:00:00+08:00\",\"version\":\"1.0.0\",\"change\":\"theirs\"}\nand words\n";
    world.write("ra/changes.log", theirs);
    let mut state = created();
    state.iteration = 1;
    assert!(world.publish(&state).quarantined.is_empty());
    assert_eq!(world.read("ra/changes.log"), theirs);
    state.attempt = 1;
    for document in ["requirements.md", "edge-cases.md"] {
        hand_in(&mut state, "ra", document, "text", "10:00:00");
        assert!(world.publish(&state).quarantined.is_empty());
    }
    let log = world.read("ra/changes.log");
    assert!(log.starts_with(theirs) && log.lines().count() == 4, "{log}");
}

#[test]
fn a_link_is_never_followed() {
    let world = World::new();
    let outside = tempfile::tempdir().unwrap();
    let cycles = world.root.path().join(".workflow/.cycle");
    std::fs::create_dir_all(world.path("")).unwrap();
    std::os::unix::fs::symlink(outside.path(), world.path("ra")).unwrap();
    let view = world.view();
    view.prepare(&full()).unwrap();
    let published = view.publish(&full(), &|| None, Durability::Unsynced).unwrap();
    assert_eq!(published.quarantined.len(), 1, "{:?}", published.quarantined);
    assert!(world.read("ra/requirements.md").contains("Users log in"));
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    let target = outside.path().join("file");
    world.write(target.to_str().unwrap(), "theirs");
    std::fs::remove_file(world.master()).unwrap();
    std::os::unix::fs::symlink(&target, cycles.join(format!("{ID}.json"))).unwrap();
    let published = world.view().publish(&full(), &|| None, Durability::Unsynced).unwrap();
    assert_eq!(published.quarantined.len(), 1, "{:?}", published.quarantined);
    assert!(world.master().symlink_metadata().unwrap().is_file());
    assert_eq!(std::fs::read(&target).unwrap(), b"theirs");
}

#[test]
fn a_directory_that_other_cycles_share_is_no_link() {
    let world = World::new();
    let outside = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), world.root.path().join(".workflow")).unwrap();
    assert!(world.view().prepare(&full()).is_err());
    assert!(world.view().publish(&full(), &|| None, Durability::Unsynced).is_err());
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn directories_that_are_taken_away_are_made_again() {
    let world = World::new();
    world.publish(&full());
    let before = tree(&world.root.path().join(".workflow"));
    std::fs::remove_dir_all(world.root.path().join(".workflow")).unwrap();
    assert_eq!(world.publish(&full()).master, MasterFound::AsWritten);
    assert_eq!(tree(&world.root.path().join(".workflow")), before);
}

#[test]
fn a_team_of_ones_own_has_directories_of_its_own() {
    let mut config = config();
    config.roles.truncate(2);
    for (role, name) in config.roles.iter_mut().zip(["writer", "reviewer"]) {
        role.name = name.into();
        (role.reads, role.after, role.feedback_to) = Default::default();
        role.writes = vec![format!("{name}.md")];
    }
    (config.roles[0].develops, config.roles[1].validates) = (true, true);
    let mut state = created_with(config);
    state.iteration = 1;
    hand_in(&mut state, "writer", "writer.md", "# A text", "10:00:00");
    add_changes(&mut state, 0..1);
    let mut tests = crate::support::tests(None);
    tests.version = "1.0.0".to_owned();
    state.tests = Some(tests);
    let world = World::new();
    world.publish(&state);
    assert!(world.read("writer/writer.md").ends_with("\n# A text\n"));
    assert_eq!(world.read("writer/changes.log").lines().count(), 1);
    assert!(world.path("reviewer/test-results.json").exists());
    assert!(world.path("ra/history").is_dir(), "the four are there, too");
}

#[test]
fn whoever_reads_finds_whole_files() {
    let world = World::new();
    world.publish(&aggregated());
    let is_over = Arc::new(AtomicBool::new(false));
    let paths = [world.master(), world.path("ep/plan.json"), world.path("vas/test-results.json")];
    let watch = {
        let is_over = Arc::clone(&is_over);
        std::thread::spawn(move || {
            let mut looks = 0;
            while !is_over.load(Ordering::Relaxed) || looks < 500 {
                for path in &paths {
                    let bytes = std::fs::read(path).unwrap();
                    serde_json::from_slice::<Value>(&bytes)
                        .unwrap_or_else(|error| panic!("{path:?}: {error}"));
                }
                looks += 1;
            }
        })
    };
    for number in 0..100 {
        let mut state = if number % 2 == 0 { extended() } else { aggregated() };
        state.updated_at = state.updated_at.plus_millis(number);
        state.tests.as_mut().unwrap().duration_ms = number;
        Arc::make_mut(state.plan.as_mut().unwrap()).total_estimated_effort =
            "x".repeat(number as usize * 100);
        world.publish(&state);
    }
    is_over.store(true, Ordering::Relaxed);
    watch.join().unwrap();
}
