//! `--store` and `--repo`: which journal a command, a driver and a worker open.

use super::common::{WAITS, World, eventually};

const RED: &str = "test=test -f b.txt";

#[test]
fn a_driver_opens_the_journal_of_its_run_whatever_the_environment_names() {
    let other = World::new();
    other.loops("other", "touch b.txt", &["--check", RED]).exits(0);
    let url = format!("sqlite:{}", other.path(".piton/journal.db").display());
    let world = World::new();
    world.loops_behind("r", &format!("{WAITS}; touch b.txt"), &["--check", RED]);
    world.kill_driver("r");
    let ran = world.piton_with(&[("PITON_STORE", &url)], &["worker", "--once"]).exits(0);
    assert!(ran.err.contains("r goes on"), "{}", ran.err);
    world.open_gate();
    world.piton(&["wait", "r"]).exits(0);
}

#[test]
fn a_journal_that_lies_elsewhere_is_found_by_driver_worker_and_lists() {
    let world = World::new();
    std::fs::create_dir(world.beside("elsewhere")).unwrap();
    let url = format!("sqlite:{}", world.beside("elsewhere/.piton/journal.db").display());
    let there = |words: &[&str]| world.piton(&[words, &["--repo", ".", "--store", &url]].concat());
    let agent = format!("{WAITS}; touch b.txt");
    there(&["loop", "Do it", "--id", "r", "--exec", &agent, "--check", RED, "--detach"]).exits(0);
    world.agent_works("r", 1);
    assert!(!world.path(".piton/journal.db").exists(), "the repository has no journal of its own");

    let status = there(&["status", "r", "--json"]).exits(0).out;
    let status: serde_json::Value = serde_json::from_str(&status).unwrap();
    let driver = piton_sys::process::identity(status["driver"]["pid"].as_u64().unwrap() as u32).unwrap();
    assert!(piton_sys::process::signal(&driver, piton_sys::process::Signal::Kill).unwrap());
    eventually("the driver is dead", || {
        there(&["status", "r", "--json"]).exits(0).out.contains("\"driver\": null")
    });
    let ran = world.piton(&["worker", "--once"]).exits(0);
    assert!(ran.err.contains("r goes on"), "{}", ran.err);
    let listed = world.piton(&["ls", "--everywhere", "--json"]).exits(0).out;
    assert!(listed.contains("\"run_id\": \"r\""), "{listed}");
    world.open_gate();
    there(&["wait", "r"]).exits(0);
    there(&["verify"]).exits(0);
}

#[test]
fn an_agent_cannot_steer_its_run_by_way_of_another_repository() {
    let world = World::new();
    let agent = r#"mkdir "$BESIDE/x"; ln -s "$PWD" "$BESIDE/link"
        "$PITON_BIN" --repo "$BESIDE/x" --store "sqlite:$BESIDE/link/.piton/journal.db" stop r 2> refused.txt; touch b.txt"#;
    world.loops("r", agent, &["--check", RED]).exits(0);
    assert!(world.read("refused.txt").contains("this is for people"), "{}", world.read("refused.txt"));
}

#[test]
fn an_agent_cannot_steer_by_attaching_nor_from_namespaces_of_its_own() {
    let world = World::new();
    let agent = r#"script -qec '"$PITON_BIN" attach r' /dev/null < /dev/null > attach.txt 2>&1
        unshare --user --map-root-user --pid --fork --mount-proc "$PITON_BIN" tell r hello 2> tell.txt; touch b.txt"#;
    world.loops("r", agent, &["--check", RED]).exits(0);
    assert!(world.read("attach.txt").contains("this is for people"), "{}", world.read("attach.txt"));
    let refused = world.read("tell.txt");
    assert!(refused.contains("called from another namespace of processes or users"), "{refused}");
    // Nothing is at work any more: a container may ask.
    let said = world.shell(&format!(
        "unshare --user --map-root-user --pid --fork --mount-proc {} note r later",
        env!("CARGO_BIN_EXE_piton")
    ));
    assert_eq!(said.code, 0, "{said:?}");
}

#[test]
fn a_disk_that_is_full_at_the_first_use_leaves_no_broken_journal() {
    let mut refused = 0;
    for write in 1.. {
        let world = World::new();
        let inject = format!("inject=pwrite64:error=ENOSPC:when={write}+");
        let words = format!(
            "strace -o ../trace -e trace=pwrite64 -e {inject} {} loop x --id q --here --exec true --check false \
             --max-iterations 1; grep -q INJECTED ../trace",
            env!("CARGO_BIN_EXE_piton")
        );
        let was_refused = world.shell(&words).code == 0;
        // There is room again: whatever was begun, the next command works.
        world.piton(&["ls"]).exits(0);
        world.loops("r", "touch b.txt", &["--check", "test -f b.txt"]).exits(0);
        world.piton(&["verify"]).exits(0);
        let left: Vec<_> = std::fs::read_dir(world.path(".piton"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.starts_with("journal.db."))
            .collect();
        assert_eq!(left, Vec::<String>::new(), "write {write}");
        if !was_refused {
            break;
        }
        refused += 1;
    }
    assert!(refused > 20, "every write of the first use was refused once: {refused}");
}
