//! A run that is gone from the journal, and that nobody removed: what holds it keeps it, and it is named until it is back.

use serde_json::Value;

use crate::common::World;
use crate::vault::{back_up, damage, log, place};

const ONCE: &[&str] = &["--check", "never=false", "--max-iterations", "1"];

/// A world with the runs `one` and `two`, backups of which two are kept, and the journal as it was before `two`.
fn with_two_runs() -> World {
    let world = World::new();
    world.configure(&format!("[vault]\nbackups = {{ to = \"{}\", max = 2 }}\n", place(&world)));
    world.loops("one", "echo x >> a.txt", ONCE).exits(3);
    world.shell("cp .piton/journal.db ../earlier.db").exits(0);
    world.loops("two", "echo y >> a.txt", ONCE).exits(3);
    world
}

/// The row of a run in the index is gone, and its events are.
fn lose(world: &World, run: &str) {
    damage(world, &format!("delete from events where run = (select number from runs where id = '{run}')"));
    damage(world, &format!("delete from runs where id = '{run}'"));
}

/// The newest backup, as it is listed, and what was said when it was made.
fn back_up_damaged(world: &World) -> (Value, String) {
    let made = world.piton(&["backup", "create", "--json"]).exits(6);
    let said: Value = serde_json::from_str(&made.out).unwrap();
    (said["backup"].clone(), said["backup"]["damaged"].to_string())
}

fn runs(backup: &Value) -> Vec<String> {
    let mut runs: Vec<String> = backup["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["run_id"].as_str().unwrap().to_owned())
        .collect();
    runs.sort();
    runs
}

#[test]
fn a_run_that_the_journal_lost_stays_in_every_backup_until_it_is_back() {
    let world = with_two_runs();
    let before = log(&world, "two");
    back_up(&world);
    lose(&world, "two");
    for _ in 0..3 {
        let (backup, damaged) = back_up_damaged(&world);
        assert_eq!(runs(&backup), ["one", "two"], "rotation loses nothing");
        assert!(damaged.contains("run `two`: the journal has lost it"), "{damaged}");
    }
    let warned = world.piton(&["backup", "create"]).exits(6).err;
    assert!(warned.contains("warning: run `two`: the journal has lost it"), "{warned}");
    world.piton(&["repair"]).exits(0);
    assert_eq!(log(&world, "two"), before);
    world.piton(&["backup", "create"]).exits(0);
}

#[test]
fn a_journal_that_was_put_back_takes_no_run_out_of_the_backups() {
    let world = with_two_runs();
    let before = log(&world, "two");
    back_up(&world);
    world.shell("cp ../earlier.db .piton/journal.db && rm -f .piton/journal.db-*").exits(0);
    for _ in 0..3 {
        assert_eq!(runs(&back_up_damaged(&world).0), ["one", "two"]);
    }
    world.piton(&["repair"]).exits(0);
    assert_eq!(log(&world, "two"), before);
    world.piton(&["verify"]).exits(0);
}

#[test]
fn a_run_that_was_removed_goes_from_the_next_backup_without_a_word() {
    let world = with_two_runs();
    back_up(&world);
    world.piton(&["rm", "two"]).exits(0);
    let made = back_up(&world);
    assert_eq!(
        (runs(&made["backup"]), &made["backup"]["damaged"]),
        (vec!["one".to_owned()], &Value::Array(vec![]))
    );
    // It comes back from the one that has it, without anybody having to look for that.
    let ran = world.piton(&["backup", "restore", &place(&world), "--run", "two"]).exits(0);
    assert!(ran.out.contains("two  "), "{}", ran.out);
}

#[test]
fn a_flipped_bit_in_the_name_of_a_run_takes_it_out_of_nothing() {
    let world = with_two_runs();
    let before = log(&world, "two");
    back_up(&world);
    let kept = world.beside("replica").display().to_string();
    world.piton(&["replicate", &kept, "--once"]).exits(0);
    damage(&world, "update runs set id = 'twn' where id = 'two'");
    for _ in 0..3 {
        let (backup, damaged) = back_up_damaged(&world);
        assert_eq!(runs(&backup), ["one", "two"]);
        assert!(damaged.contains("run `two`: the journal has lost it"), "{damaged}");
        let of_none =
            damaged.split("run `twn`").nth(1).is_none_or(|said| said.contains("nothing of it is in"));
        assert!(of_none, "{damaged}");
    }
    let ran = world.piton(&["replicate", &kept, "--once"]).exits(6);
    assert!(ran.err.contains("run `two`: the journal has lost it"), "{}", ran.err);
    world.piton(&["repair"]);
    assert_eq!(log(&world, "two"), before);
}

#[test]
fn a_run_that_the_journal_lost_stays_in_the_replica() {
    let world = with_two_runs();
    let before = log(&world, "two");
    let kept = world.beside("replica").display().to_string();
    let once = ["replicate", &kept, "--once"];
    world.piton(&once).exits(0);
    lose(&world, "two");
    for _ in 0..2 {
        let ran = world.piton(&once).exits(6);
        assert!(ran.err.contains("run `two`: the journal has lost it"), "{}", ran.err);
        let listed = world.json(&["backup", "list", "--to", &kept]);
        let replica = listed["replicas"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(runs(&replica), ["one", "two"]);
    }
    assert!(world.piton(&["status", "one"]).out.contains("two"), "whoever looks is told");
    // A run that is removed goes, as it should.
    world.piton(&["repair"]);
    world.shell("rm -rf .piton .ralph").exits(0);
    world.piton(&["backup", "restore", &kept]).exits(0);
    assert_eq!(log(&world, "two"), before);
}

#[test]
fn what_only_an_older_backup_has_is_found_there() {
    let world = with_two_runs();
    let before = log(&world, "two");
    back_up(&world);
    // As one that was made while nobody knew what had been removed: the newest lacks it.
    world.piton(&["rm", "two"]).exits(0);
    back_up(&world);
    damage(&world, "delete from meta where name = 'removed:two'");
    damage(&world, "update runs set id = 'onf' where id = 'one'");
    world.piton(&["repair"]).exits(0);
    assert_eq!(log(&world, "two"), before);
}
