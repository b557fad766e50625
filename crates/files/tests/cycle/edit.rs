//! What people do to the state file while a cycle goes on.

use piton_files::cycle::{MasterEdit, MasterFound};
use piton_model::cycle::{Signal, State};
use serde_json::{Value, json};

use crate::support::{World, aggregated, created, extended};

fn edit(world: &World, change: impl FnOnce(&mut Value)) {
    let path = world.master();
    let mut value: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    change(&mut value);
    let text = serde_json::to_string_pretty(&value).unwrap();
    world.write(path.to_str().unwrap(), &text);
}

fn found(world: &World, state: &State) -> MasterEdit {
    match world.view().edited(state).unwrap() {
        MasterFound::Edited(edit) => edit,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_status_is_read_back_and_nothing_is_written_over_it_before() {
    let (world, state) = (World::new(), aggregated());
    assert_eq!(world.publish(&state).master, MasterFound::AsWritten);
    assert_eq!(world.view().edited(&state).unwrap(), MasterFound::AsWritten);
    edit(&world, |value| value["status"] = json!("paused"));
    let edited = std::fs::read(world.master()).unwrap();
    let seen = found(&world, &state);
    assert_eq!((seen.edited.signal, &seen.edited.kept_at), (Some(Signal::Pause), &None));
    assert!(seen.edited.fields.is_empty(), "{:?}", seen.edited.fields);
    assert!(matches!(world.publish(&extended()).master, MasterFound::Edited(_)));
    assert_eq!(std::fs::read(world.master()).unwrap(), edited, "it stays until it is adopted");
    world.view().adopted(&seen).unwrap();
    assert_eq!(world.publish(&extended()).master, MasterFound::AsWritten);
    assert_ne!(std::fs::read(world.master()).unwrap(), edited);
}

#[test]
fn a_driver_that_is_new_knows_what_was_edited() {
    let (world, state) = (World::new(), aggregated());
    world.publish(&state);
    edit(&world, |value| value["status"] = json!("failed"));
    // The cycle went on in the journal, and nobody rendered it: what they wrote is held against what they saw.
    assert_eq!(found(&world, &extended()).edited.signal, Some(Signal::Stop));
    edit(&world, |value| {
        value["status"] = json!("running");
        value["title"] = json!("mine");
    });
    let seen = found(&world, &extended());
    assert_eq!(seen.edited.signal, None, "the status is the one that was written");
    assert_eq!(seen.edited.fields, ["title"]);
}

#[test]
fn other_edits_are_kept_beside_and_not_taken() {
    let (world, state) = (World::new(), aggregated());
    world.publish(&state);
    edit(&world, |value| {
        value["status"] = json!("someday");
        value["max_iterations"] = json!(99);
        value["agents"]["cd"]["status"] = json!("failed");
    });
    let edited = std::fs::read(world.master()).unwrap();
    let seen = found(&world, &state);
    assert_eq!(seen, found(&world, &state), "asked again it says the same, and keeps it once");
    assert_eq!(seen.edited.signal, Some(Signal::Unknown));
    assert_eq!(seen.edited.fields, ["agents.cd.status", "max_iterations"]);
    let kept = world.root.path().join(seen.edited.kept_at.as_ref().unwrap());
    assert_eq!(std::fs::read(&kept).unwrap(), edited);
    world.view().adopted(&seen).unwrap();
    world.publish(&state);
    assert_eq!(std::fs::read(&kept).unwrap(), edited, "it is there still");
    let beside = std::fs::read_dir(kept.parent().unwrap()).unwrap().flatten();
    assert_eq!(beside.filter(|entry| entry.file_name().to_string_lossy().contains("foreign")).count(), 1);
}

#[test]
fn a_file_that_does_not_parse_is_kept_beside_and_written_again() {
    let (world, state) = (World::new(), created());
    world.publish(&state);
    let path = world.master();
    world.write(path.to_str().unwrap(), "{\"status\": \"pau");
    assert!(matches!(world.publish(&aggregated()).master, MasterFound::Edited(_)));
    assert_eq!(std::fs::read(&path).unwrap(), b"{\"status\": \"pau", "until it is on record");
    let seen = found(&world, &state);
    assert!(seen.edited.signal.is_none() && seen.edited.fields[0].contains("no JSON"), "{:?}", seen.edited);
    world.view().adopted(&seen).unwrap();
    assert_eq!(world.publish(&aggregated()).master, MasterFound::AsWritten);
    assert!(serde_json::from_slice::<Value>(&std::fs::read(&path).unwrap()).is_ok());
    let kept = world.root.path().join(seen.edited.kept_at.unwrap());
    assert_eq!(std::fs::read(kept).unwrap(), b"{\"status\": \"pau");
}

#[test]
fn a_file_that_is_empty_is_written_again() {
    let world = World::new();
    world.publish(&created());
    let whole = std::fs::read(world.master()).unwrap();
    for nothing in ["", "\n \n"] {
        world.write(world.master().to_str().unwrap(), nothing);
        assert_eq!(world.view().edited(&created()).unwrap(), MasterFound::AsWritten);
        world.publish(&created());
        assert_eq!(std::fs::read(world.master()).unwrap(), whole);
    }
}

#[test]
fn a_file_that_nobody_can_read_is_moved_aside() {
    let world = World::new();
    world.publish(&created());
    world.write(world.master().to_str().unwrap(), &"x".repeat((16 << 20) + 1));
    assert_eq!(world.view().edited(&created()).unwrap(), MasterFound::AsWritten);
    assert_eq!(world.publish(&created()).quarantined.len(), 1);
    assert!(std::fs::read(world.master()).unwrap().starts_with(b"{\n"));
}

#[test]
fn other_white_space_is_written_over() {
    let (world, state) = (World::new(), created());
    world.publish(&state);
    edit(&world, |_| {});
    let seen = found(&world, &state);
    assert_eq!((seen.edited.signal, seen.edited.fields.len()), (None, 0));
}

#[test]
fn an_editor_that_writes_late_is_heard() {
    let (world, state) = (World::new(), aggregated());
    world.publish(&state);
    // An editor has the file open, and piton puts another in its place.
    let mut open = std::fs::OpenOptions::new().write(true).open(world.master()).unwrap();
    let mut value: Value = serde_json::from_slice(&std::fs::read(world.master()).unwrap()).unwrap();
    world.publish(&extended());
    value["status"] = json!("paused");
    let text = serde_json::to_string_pretty(&value).unwrap();
    open.set_len(0).unwrap();
    std::io::Write::write_all(&mut open, text.as_bytes()).unwrap();
    let seen = found(&world, &extended());
    assert_eq!(seen.edited.signal, Some(Signal::Pause));
    world.view().adopted(&seen).unwrap();
    assert_eq!(world.publish(&extended()).master, MasterFound::AsWritten);
}
