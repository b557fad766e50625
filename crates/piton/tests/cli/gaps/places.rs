//! Where a gap file may be, and one that is not there.

use super::{FILE, NOW, gaps, ledger};
use crate::common::World;

#[test]
fn a_file_that_is_not_there_opens_no_gate_and_is_said_to_be_missing() {
    let world = ledger();
    for words in [&["fresh", "--file", "typo.yaml"][..], &["validate", "--file", "typo.yaml"]] {
        let ran = gaps(&world, words).exits(1);
        assert!(format!("{}{}", ran.out, ran.err).contains("there is no typo.yaml"), "{words:?}");
        let ran = gaps(&world, &[words, &["--json"]].concat()).exits(1);
        let answer: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(answer["exists"], false, "{answer}");
    }
    let research = |file| gaps(&world, &["research", "--file", file, "--exec", "false"]).exits(0).err;
    assert!(research("typo.yaml").starts_with("there is no typo.yaml"), "{}", research("typo.yaml"));
    world.write("empty.yaml", "");
    assert_eq!(research("empty.yaml"), "nothing needs research: empty.yaml has no gaps\n");
    gaps(&world, &["fresh", "--file", "empty.yaml"]).exits(0);
    gaps(&world, &["check", "teams"]).exits(0);
    world.shell("rm gaps.yaml").exits(0);
    let status = world.piton(&["status"]).exits(0).out;
    assert!(status.contains("file     it is not there"), "{status}");
    let report = world.piton(&["report"]).exits(0).out;
    assert!(report.contains("it is not there"), "{report}");
}

#[test]
fn a_file_may_be_the_first_in_its_directory() {
    let world = World::new();
    gaps(&world, &["add", "x", "--category", "c", "--file", "new/dir/g.yaml"]).exits(0);
    assert_eq!(world.read("new/dir/g.yaml"), "gaps:\n- id: x\n  category: c\n");
    world.write("file", "in the way");
    let ran = gaps(&world, &["add", "x", "--category", "c", "--file", "file/g.yaml"]).exits(7);
    assert!(ran.err.contains("repo/file"), "it is the target that is named\n{}", ran.err);
    std::os::unix::fs::symlink("/", world.path("out")).unwrap();
    gaps(&world, &["add", "x", "--category", "c", "--file", "out/nowhere/new/g.yaml"]).exits(2);
}

#[test]
fn a_file_on_another_file_system_is_written_by_way_of_a_directory_beside_it() {
    let world = World::new();
    if world.shell("unshare -rm true").code != 0 {
        // Only root, or a system that lets anybody make a name space, can mount something.
        return;
    }
    let piton = format!("{} gaps --now {NOW} --file m/g.yaml", env!("CARGO_BIN_EXE_piton"));
    let ran = world.shell(&format!(
        "mkdir m; unshare -rm sh -ec 'mount -t tmpfs tmpfs m; {piton} add x --category c; {piton} update x priority=5; \
         {piton} verify x; cat m/g.yaml; git status --porcelain --untracked-files=all'"
    ));
    let ran = ran.exits(0);
    assert!(ran.out.contains("  status: verified\n  priority: 5\n"), "{}", ran.out);
    assert!(ran.out.contains("?? m/g.yaml") && !ran.out.contains(".g.yaml.piton"), "{}", ran.out);
}

#[test]
fn show_report_and_export_see_what_was_edited() {
    let world = ledger();
    gaps(&world, &["check", "teams"]).exits(0);
    world.write("gaps.yaml", &world.read("gaps.yaml").replace("priority: 5", "priority: 1"));
    let shown = world.json(&["show"]);
    assert_eq!(shown["state"]["gaps"][1]["priority"], 1, "{shown}");
    assert!(world.piton(&["export"]).exits(0).out.contains("priority: 1"));
    // Its time is over by now, whatever the file calls it.
    assert!(FILE.contains("status: verified"));
    let report = world.piton(&["report"]).exits(0).out;
    assert!(report.contains("0 verified · 1 stale") && report.contains("| pricing | stale |"), "{report}");
}

/// A ledger is the repository's, and so is what it rests on. What another program reads there is read past the work tree.
#[test]
fn a_check_in_a_work_tree_may_ask_the_ledger_and_may_not_read_it_itself() {
    let world = ledger();
    world.piton(&["gaps", "verify", "teams", "--findings", "Nine.", "--source", "file:a.txt"]).exits(0);
    world.commit("ledger");
    let fresh = format!("fresh={} gaps fresh teams", env!("CARGO_BIN_EXE_piton"));
    let more = ["--worktree", "--check", "done=test -f done.txt"];
    world.loops("asks", "touch done.txt", &[&more[..], &["--check", &fresh]].concat()).exits(0);
    let reads = format!("reads=cat {}", world.path("gaps.yaml").display());
    let ran = world.loops("reads", "touch done.txt", &[&more[..], &["--check", &reads]].concat()).exits(7);
    assert!(ran.out.contains("the check `reads` opens files of the checkout"), "{ran:?}");
}
