//! What comes back, whatever was done before it was lost: keys that were rotated, backups that were damaged, restores that were
//! interrupted, places that were not looked at.

use crate::common::{World, eventually};
use crate::vault::{ONCE, back_up, log, place};

/// A key file beside the repository; what it holds.
fn new_key(world: &World, name: &str) -> String {
    world.piton(&["key", "new", "--out", &world.beside(name).display().to_string()]).exits(0);
    world.shell(&format!("cat ../{name}")).exits(0).out
}

fn encrypted_with(key: &str) -> String {
    format!("[vault]\nencrypt = true\nkey_file = '../{key}'\n")
}

#[test]
fn a_place_beside_the_repository_stops_no_run() {
    for said in ["backups = { to = '../kept' }", "replicate = '../kept'", "backup_dir = '../kept'"] {
        let world = World::configured(&format!("[vault]\n{said}\n"));
        world.commit("configured");
        world.loops("r", "echo x >> a.txt", ONCE).exits(3);
        world.piton(&["backup", "create"]).exits(0);
        assert!(said.starts_with("replicate") || world.beside("kept/vault").is_dir(), "{said}");
    }
}

#[test]
fn a_place_that_leads_out_and_in_again_holds_nobodys_work() {
    let world = World::configured("[vault]\nbackup_dir = '../repo/inside'\n");
    world.commit("configured");
    world.loops("r", "echo x >> a.txt", ONCE).exits(3);
    world.piton(&["backup", "create"]).exits(0);
    world.loops("s", "echo y >> a.txt", ONCE).exits(3);
    let changed = world.json(&["status", "s"])["changed"]["files"].to_string();
    assert!(changed.contains("a.txt") && !changed.contains("inside"), "{changed}");
}

#[test]
fn a_place_below_the_home_lies_there() {
    let world = World::configured("[vault]\nbackups = { to = '~/kept' }\nreplicate = '~/kept'\n");
    world.commit("configured");
    world.loops("r", "echo x >> a.txt", ONCE).exits(3);
    world.piton(&["backup", "create"]).exits(0);
    eventually("the replica is there", || world.beside("home/kept/vault/replicas").is_dir());
    assert!(world.beside("home/kept/vault").is_dir() && !world.path("~").exists());
}

/// Whichever of the records of a key is listed last.
#[test]
fn after_rotations_the_key_of_now_is_enough_on_a_new_machine() {
    let world = World::new();
    let mut key = new_key(&world, "key1");
    world.configure(&encrypted_with("key1"));
    world.loops("r", "echo x >> a.txt", ONCE).exits(3);
    back_up(&world);
    for number in 2..=6 {
        key = new_key(&world, &format!("key{number}"));
        world.configure(&encrypted_with(&format!("key{number}")));
        let old = world.beside(&format!("key{}", number - 1)).display().to_string();
        world.piton(&["key", "rotate", "--old", &old]).exits(0);
        world.piton(&["note", "r", "later"]).exits(0);
        back_up(&world);
    }
    let before = log(&world, "r");
    let elsewhere = World::new();
    let with = [("PITON_KEY", key.as_str())];
    elsewhere.piton_with(&with, &["backup", "restore", &place(&world)]).exits(0);
    assert_eq!(elsewhere.piton_with(&with, &["log", "r", "--json"]).exits(0).out, before);
    // Only what is at the place counts: what is here beside it does not open it elsewhere.
    world.piton(&["backup", "verify", "--to", &place(&world)]).exits(0);
    world.shell(&format!("find '{}' -path '*/keys/*' -delete", place(&world))).exits(0);
    world.piton(&["backup", "verify", "--to", &place(&world)]).exits(7);
    world.piton(&["note", "r", "later still"]).exits(0);
    back_up(&world);
    world.piton(&["backup", "verify", "--to", &place(&world)]).exits(0);
}
