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

/// Git forgets everything that piton kept there.
fn lose_snapshots(world: &World) {
    world
        .shell("git for-each-ref --format='delete %(refname)' refs/piton | git update-ref --stdin && git reflog expire --expire=now --all && git gc -q --prune=now")
        .exits(0);
}

#[test]
fn a_restore_that_fails_hides_no_loss_and_what_git_lost_comes_back() {
    let world = World::new();
    world.loops("one", "echo x >> a.txt", ONCE).exits(3);
    back_up(&world);
    lose_snapshots(&world);
    let refused = world.piton(&["restore", "one"]).exits(7).err;
    assert!(refused.contains("git has lost the snapshot") && refused.contains("--run one"), "{refused}");
    assert_eq!(world.git(&["for-each-ref", "refs/piton"]), "", "nothing is kept that would hide it");
    let ran = world.piton(&["backup", "restore", &place(&world), "--run", "one"]).exits(0).out;
    assert!(ran.contains("its snapshots came back"), "{ran}");
    world.shell("rm a.txt").exits(0);
    world.piton(&["restore", "one", "--force"]).exits(0);
    assert_eq!(world.read("a.txt"), "a\nx\n");
}

#[test]
fn newer_snapshots_do_not_hide_that_older_ones_are_lost() {
    let world = with_two_runs();
    back_up(&world);
    let kept = world.beside("replica").display().to_string();
    world.piton(&["replicate", &kept, "--once"]).exits(0);
    lose_snapshots(&world);
    // It has a snapshot again, which leads to none of them.
    world
        .shell("git update-ref refs/piton/runs/two $(git commit-tree -m 'before a restore' 'HEAD^{tree}')")
        .exits(0);
    let verified = world.piton(&["verify"]).exits(6).out;
    assert!(verified.contains("two: git has lost some of its snapshots"), "{verified}");
    for _ in 0..3 {
        let damaged = back_up_damaged(&world).1;
        assert!(damaged.contains("run `two`: git has lost some of its snapshots"), "{damaged}");
    }
    let shipped = world.piton(&["replicate", &kept, "--once"]).exits(6).err;
    assert!(shipped.contains("run `two`: git has lost some of its snapshots"), "{shipped}");
    // Where no backup has them, none counts as having them.
    let bare = world.beside("bare").display().to_string();
    let made = world.piton(&["backup", "create", "--to", &bare]).exits(6);
    assert!(!made.out.contains("with snapshots"), "{}", made.out);
    // They come back, beside those that were taken since.
    let ran = world.piton(&["backup", "restore", &place(&world), "--run", "two"]).exits(0).out;
    assert!(ran.contains("its snapshots came back"), "{ran}");
    world.piton(&["backup", "restore", &place(&world), "--run", "one"]).exits(0);
    world.shell("git reflog expire --expire=now --all && git gc -q --prune=now").exits(0);
    world.piton(&["verify"]).exits(0);
    world.piton(&["backup", "create"]).exits(0);
    let elsewhere = World::new();
    elsewhere.piton(&["backup", "restore", &place(&world)]).exits(0);
    elsewhere.piton(&["restore", "two", "--iteration", "1", "--force"]).exits(0);
    assert_eq!(elsewhere.read("a.txt"), "a\nx\ny\n");
}

#[test]
fn two_restores_into_one_place_both_say_that_it_is_there() {
    let world = with_two_runs();
    back_up(&world);
    world.shell("rm -rf .piton .ralph && git for-each-ref --format='delete %(refname)' refs/piton | git update-ref --stdin").exits(0);
    let piton = env!("CARGO_BIN_EXE_piton");
    let one = format!("{piton} backup restore '{}'", place(&world));
    world
        .shell(&format!("for n in 1 2 3; do {one} & pids=\"$pids $!\"; done; for pid in $pids; do wait $pid || exit 1; done"))
        .exits(0);
    world.piton(&["verify"]).exits(0);
}

#[test]
fn a_restore_that_is_refused_leaves_nothing_for_git() {
    let world = with_two_runs();
    back_up(&world);
    world.shell("rm -rf .piton .ralph .git && git init -q . && git add -A && git commit -qm rest").exits(0);
    let none = ["backup", "restore", &place(&world), "--run", "one", "--to-seq", "0"];
    assert_ne!(world.piton(&none).code, 0);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}
