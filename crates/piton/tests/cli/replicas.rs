//! Replication: what is at the target can be restored, whoever dies and whatever fails; and nobody is told otherwise.

use std::path::PathBuf;

use rustix::process::Signal;
use serde_json::Value;

use crate::common::{WAITS, World, eventually};
use crate::pages::follow;

const ONCE: &[&str] = &["--check", "never=false", "--max-iterations", "1"];

/// A world with a run `r`, which changed a file.
fn with_a_run() -> World {
    let world = World::new();
    world.loops("r", "echo x >> a.txt", ONCE).exits(3);
    world
}

/// Where a test keeps its replica, as text.
fn place(world: &World) -> String {
    world.beside("kept").display().to_string()
}

fn log(world: &World, run: &str) -> String {
    world.piton(&["log", run, "--json"]).exits(0).out
}

fn once(world: &World) -> crate::common::Ran {
    world.piton(&["replicate", &place(world), "--once"])
}

/// The replicas at the place.
fn listed(world: &World) -> Vec<Value> {
    let all = world.json(&["backup", "list", "--to", &place(world)]);
    all["replicas"].as_array().unwrap().clone()
}

fn objects(world: &World, part: &str) -> Vec<PathBuf> {
    let found = world.shell(&format!("find '{}' -type f | sort", place(world))).exits(0).out;
    found.lines().filter(|line| line.contains(part)).map(PathBuf::from).collect()
}

#[expect(clippy::disallowed_methods, reason = "a test damages its files directly")]
fn flip(path: &PathBuf) {
    let mut bytes = std::fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn what_was_shipped_is_said_to_be_restorable_once_it_was_restored() {
    let world = with_a_run();
    assert!(!world.piton(&["status", "r"]).exits(0).out.contains("replica"), "nobody asked for one");
    let ran = once(&world).exits(0);
    assert!(ran.out.starts_with("restorable to ") && ran.out.contains(", proven "), "{}", ran.out);
    let status = world.piton(&["status", "r"]).exits(0).out;
    assert!(status.contains("replica  restorable to "), "{status}");
    let replica = &world.json(&["status", "r"])["replica"];
    assert!(replica["restorable_to"].is_string() && replica["behind_ms"].is_null(), "{replica:#}");
    let doctor = world.piton(&["doctor"]).out;
    assert!(doctor.contains("ok    replica        restorable to "), "{doctor}");
    // What is written afterwards is not there, and that is said; nobody has to run for it.
    world.piton(&["note", "r", "later"]).exits(0);
    let status = world.piton(&["status", "r"]).exits(0).out;
    assert!(status.contains(" behind"), "{status}");
    let before = objects(&world, "/log/").len();
    once(&world).exits(0);
    assert_eq!(objects(&world, "/log/").len(), before + 1, "only what is new");
    once(&world).exits(0);
    assert_eq!(objects(&world, "/log/").len(), before + 1, "nothing is");
    let listed = world.piton(&["backup", "list", "--to", &place(&world)]).exits(0).out;
    assert!(listed.contains("  replica  1 run  ") && listed.contains("restorable to "), "{listed}");
    world.piton(&["backup", "verify", "--to", &place(&world)]).exits(0);
    world.piton(&["replicate", &place(&world), "--prove"]).exits(0);
}

#[test]
fn a_second_machine_takes_over_and_the_first_is_not_merged_when_it_comes_back() {
    let world = with_a_run();
    once(&world).exits(0);
    let before = log(&world, "r");
    world.shell("mv .piton ../old && rm -rf .git .ralph a.txt").exits(0);
    let ran = world.piton(&["backup", "restore", &place(&world)]).exits(0);
    assert!(ran.out.contains("r  ") && ran.out.contains("with its snapshots"), "{}", ran.out);
    assert_eq!(log(&world, "r"), before, "event by event, hash by hash");
    world.piton(&["restore", "r"]).exits(0);
    assert_eq!(world.read("a.txt"), "a\nx\n");
    world.piton(&["resume", "r", "--max-iterations", "+1"]).exits(3);
    once(&world).exits(0);
    let here = log(&world, "r");
    assert_ne!(here, before);
    // The old machine wakes up, and goes on as if nothing had been.
    world.shell("mv .piton ../new && mv ../old .piton").exits(0);
    world.piton(&["note", "r", "on the old machine"]).exits(0);
    once(&world).exits(0);
    let there = log(&world, "r");
    let replicas = listed(&world);
    assert_eq!(replicas.len(), 2, "{replicas:#?}");
    assert_ne!(replicas[0]["journal"], replicas[1]["journal"]);
    let replica = &world.json(&["status", "r"])["replica"];
    assert!(replica["behind_ms"].is_null() && replica["beside"].is_null(), "{replica:#}");
    // Which is meant has to be said.
    world.shell("rm -rf .piton .ralph").exits(0);
    let ran = world.piton(&["backup", "restore", &place(&world)]).exits(2);
    assert!(ran.err.contains("several journals"), "{}", ran.err);
    let newest = |replicas: &[Value], at: usize| replicas[at]["name"].as_str().unwrap().to_owned();
    let mut logs = Vec::new();
    for at in 0..2 {
        world
            .shell("rm -rf .piton .ralph && git init -q . 2>/dev/null; git update-ref -d refs/piton/runs/r")
            .exits(0);
        world.piton(&["backup", "restore", &place(&world), "--backup", &newest(&replicas, at)]).exits(0);
        logs.push(log(&world, "r"));
    }
    logs.sort();
    let mut expected = vec![here, there];
    expected.sort();
    assert_eq!(logs, expected);
}

#[test]
fn one_replicates_at_a_time_and_ctrl_c_ends_it() {
    let world = with_a_run();
    let running = world.start(&["replicate", &place(&world), "--json"]);
    running.prints("\"proven\"");
    let ran = once(&world).exits(5);
    assert!(ran.err.contains("replicates this journal to `"), "{}", ran.err);
    // What is written meanwhile arrives.
    world.piton(&["note", "r", "meanwhile"]).exits(0);
    eventually("it arrives", || world.json(&["status", "r"])["replica"]["behind_ms"].is_null());
    running.signal(Signal::INT);
    let ran = running.ends();
    assert_eq!(ran.code, 130, "{ran:?}");
    assert!(ran.out.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{}", ran.out);
    once(&world).exits(0);
    assert_eq!(listed(&world).len(), 1);
}

#[test]
fn whoever_is_killed_while_replicating_goes_on() {
    let world = with_a_run();
    let mut ended = 0;
    for n in (1..).step_by(5) {
        world.piton(&["note", "r", &format!("note {n}")]).exits(0);
        let ran =
            world.piton_with(&[("PITON_ABORT_AT", &n.to_string())], &["replicate", &place(&world), "--once"]);
        if ran.code == 0 {
            break;
        }
        ended += 1;
        assert_eq!(ran.code, -1, "{ran:?}");
        if n % 15 == 1 {
            once(&world).exits(0);
        }
    }
    assert!(ended > 10, "it was ended {ended} times");
    once(&world).exits(0);
    assert_eq!(listed(&world).len(), 1, "it is one replica all the time");
    let before = log(&world, "r");
    world.shell("rm -rf .piton .ralph").exits(0);
    world.piton(&["backup", "restore", &place(&world)]).exits(0);
    assert_eq!(log(&world, "r"), before);
    world.piton(&["verify"]).exits(0);
}

#[test]
fn damage_at_the_target_is_told_and_another_replica_is_begun_beside_it() {
    let world = with_a_run();
    once(&world).exits(0);
    objects(&world, "/log/").iter().for_each(flip);
    let verified = world.piton(&["backup", "verify", "--to", &place(&world)]).exits(6);
    assert!(verified.out.contains("damaged: "), "{}", verified.out);
    let ran = once(&world).exits(6);
    assert!(ran.err.contains("is damaged") && ran.err.contains("was begun beside it"), "{}", ran.err);
    once(&world).exits(0);
    let found = world.piton(&["backup", "list", "--to", &place(&world), "--json"]).exits(6).out;
    let found: Value = serde_json::from_str(&found).unwrap();
    let replicas = found["replicas"].as_array().unwrap();
    assert!(replicas[0]["broken"].is_string() && replicas[0]["proven_at"].is_null(), "{found:#}");
    assert!(replicas[1]["broken"].is_null() && replicas[1]["proven_at"].is_string(), "{found:#}");
    let before = log(&world, "r");
    world.shell("rm -rf .piton .ralph").exits(0);
    // The newest state that can be read is the one beside.
    world.piton(&["backup", "restore", &place(&world)]).exits(0);
    assert_eq!(log(&world, "r"), before);
}

#[test]
fn a_journal_that_was_put_back_is_not_put_on_top_of_what_it_was() {
    let world = with_a_run();
    once(&world).exits(0);
    world.shell("cp -a .piton ../before").exits(0);
    world.piton(&["note", "r", "one history"]).exits(0);
    once(&world).exits(0);
    let one = log(&world, "r");
    world.shell("rm -rf .piton && mv ../before .piton").exits(0);
    world.piton(&["note", "r", "another history"]).exits(0);
    let ran = once(&world).exits(6);
    assert!(ran.err.contains("put back to an earlier state"), "{}", ran.err);
    assert!(world.piton(&["doctor"]).out.contains("begun anew: "));
    let (other, replicas) = (log(&world, "r"), listed(&world));
    assert_eq!(replicas.len(), 2);
    for (at, expected) in [one, other].into_iter().enumerate() {
        world.shell("rm -rf .piton .ralph").exits(0);
        let name = replicas[at]["name"].as_str().unwrap();
        world.piton(&["backup", "restore", &place(&world), "--backup", name]).exits(0);
        assert_eq!(log(&world, "r"), expected);
    }
}

#[test]
fn a_target_that_fails_stops_no_run_and_catches_up() {
    let world = World::new();
    world.configure(&format!("[vault]\nreplicate = '{}'\n", place(&world)));
    // A file is where the directory should be.
    world.shell("touch ../kept").exits(0);
    world.loops_behind("r", &format!("{WAITS}; echo x >> a.txt"), ONCE);
    eventually("it is said", || {
        let replica = &world.json(&["status", "r"])["replica"];
        replica["trouble"]["what"].is_string() && !replica["behind_ms"].is_null()
    });
    let doctor = world.piton(&["doctor"]).out;
    assert!(doctor.contains("warn  replica        not proven yet"), "{doctor}");
    world.open_gate();
    world.piton(&["wait", "r"]).exits(3);
    world.shell("rm ../kept").exits(0);
    eventually("it catches up", || {
        let replica = &world.json(&["status", "r"])["replica"];
        replica["trouble"].is_null() && replica["behind_ms"].is_null() && replica["proven_at"].is_string()
    });
}

#[test]
fn a_replicator_that_is_killed_is_started_again_while_something_is_driven() {
    let world = World::new();
    world.configure(&format!("[vault]\nreplicate = '{}'\n", place(&world)));
    world.loops_behind("r", &format!("{WAITS}; echo x >> a.txt"), ONCE);
    let pid = || -> Option<u64> {
        let holder = std::fs::read_to_string(world.path(".piton/replication/holder.json")).ok()?;
        serde_json::from_str::<Value>(&holder).ok()?["pid"].as_u64()
    };
    eventually("one is there", || pid().is_some());
    let first = pid().unwrap();
    world.shell(&format!("kill -9 {first}")).exits(0);
    eventually("another is there", || pid().is_some_and(|pid| pid != first));
    world.open_gate();
    world.piton(&["wait", "r"]).exits(3);
    eventually("all of it is there", || {
        let replica = &world.json(&["status", "r"])["replica"];
        replica["behind_ms"].is_null() && replica["shipped_to"].is_string()
    });
}

#[test]
fn what_a_damaged_journal_lost_comes_from_the_replica() {
    let world = with_a_run();
    world.configure(&format!("[vault]\nreplicate = '{}'\n", place(&world)));
    once(&world).exits(0);
    let found = world.piton(&["backup", "list"]).exits(0).out;
    assert!(found.contains("  replica  1 run  "), "the place of the configuration is looked at: {found}");
    let before = log(&world, "r");
    let journal = rusqlite::Connection::open(world.path(".piton/journal.db")).unwrap();
    let damage = "update events set body = zeroblob(length(body)) where seq > 2";
    assert!(journal.execute(damage, []).unwrap() > 0);
    drop(journal);
    let ran = world.piton(&["repair"]).exits(0);
    assert!(ran.out.contains("nothing is lost"), "{}", ran.out);
    assert_eq!(log(&world, "r"), before);
    // It is another journal now, with a replica of its own.
    once(&world).exits(0);
    assert_eq!(listed(&world).len(), 2);
}

#[test]
fn the_page_about_replication_shows_what_happens() {
    let page = include_str!("../../../../docs/replication.md");
    let steps = follow(&World::outside_git(), page, "");
    assert!(steps > 20, "{steps} commands");
}

#[test]
fn an_agent_replicates_nothing_and_an_untrusted_file_names_no_place() {
    let world = World::new();
    world
        .loops("r", "\"$PITON_BIN\" replicate \"$BESIDE/kept\" --once 2> \"$BESIDE/said\"; true", ONCE)
        .exits(3);
    let said = std::fs::read_to_string(world.beside("said")).unwrap();
    assert!(said.contains("this is for people"), "{said}");
    world.write("piton.toml", &format!("[vault]\nreplicate = '{}'\n", place(&world)));
    world.piton(&["replicate"]).exits(4);
    world.piton(&["note", "r", "x"]).exits(0);
    assert!(!world.beside("kept").exists());
    world.shell("rm piton.toml").exits(0);
    let ran = world.piton(&["replicate"]).exits(2);
    assert!(ran.err.contains("nobody says where to replicate to"), "{}", ran.err);
}

#[test]
fn a_replicator_whose_target_lost_everything_begins_anew_at_once_and_says_so() {
    let world = with_a_run();
    let living = world.start(&["replicate", &place(&world)]);
    let arrived = || world.json(&["status", "r"])["replica"]["behind_ms"].is_null();
    eventually("it ships", || listed(&world).len() == 1 && arrived());
    world.shell(&format!("rm -rf '{}'", place(&world))).exits(0);
    world.piton(&["note", "r", "after the loss"]).exits(0);
    eventually("it begins anew", || {
        let replicas = listed(&world);
        replicas.len() == 1 && replicas[0]["broken"].is_null() && arrived()
    });
    let replica = &world.json(&["status", "r"])["replica"];
    assert!(replica["beside"].is_string(), "{replica:#}");
    living.signal(Signal::INT);
    let said = living.ends().exits(130).err;
    assert!(said.contains("another replica is begun beside it"), "{said}");
    let elsewhere = World::new();
    elsewhere.piton(&["backup", "restore", &place(&world)]).exits(0);
    assert_eq!(log(&elsewhere, "r"), log(&world, "r"));
}
