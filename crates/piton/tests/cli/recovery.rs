//! What comes back, whatever was done before it was lost: keys that were rotated, backups that were damaged, restores that were
//! interrupted, places that were not looked at.

use crate::common::{World, eventually};
use crate::vault::ONCE;

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
