//! Results: what changed, putting an iteration back byte for byte, and forgetting a run.

use serde_json::json;

use super::common::{WAITS, World};

/// Three iterations: the second is the best, the third breaks something.
fn three() -> World {
    let world = World::new();
    let agent = r#"case $PITON_ITERATION in
        1) printf 'one\r\n' > b.txt;;
        2) printf 'two\0\377' > b.txt; echo c > c.txt; chmod +x c.txt;;
        3) rm c.txt a.txt; echo junk > junk.txt;; esac"#;
    let checks = ["--check", "b=test -f b.txt", "--check", "c=test -f c.txt", "--check", "never=false"];
    world.loops("r", agent, &[&checks[..], &["--max-iterations", "3"]].concat()).exits(3);
    world
}

#[test]
fn the_best_iteration_comes_back_byte_for_byte() {
    use std::os::unix::fs::PermissionsExt;
    let world = three();
    insta::assert_snapshot!(world.piton(&["best"]).exits(0).out, @"#2  2 of 3 checks, score 66.7 (below 70: not good enough to hand on)");
    let head = world.git(&["rev-parse", "HEAD"]);
    let ran = world.piton(&["restore"]).exits(0);
    insta::assert_snapshot!(ran.out, @"restored #2: 2 files written, 1 deleted; HEAD stays at main");
    assert_eq!(std::fs::read(world.path("b.txt")).unwrap(), b"two\0\xff");
    assert_eq!(world.read("a.txt"), "a\n", "what the agent deleted is back");
    assert!(!world.path("junk.txt").exists(), "what came later is gone");
    assert_eq!(world.path("c.txt").metadata().unwrap().permissions().mode() & 0o111, 0o111);
    assert_eq!(world.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(world.git(&["diff", "--cached", "--stat"]), "", "the index is not touched");
}

#[test]
fn any_iteration_comes_back_and_the_start_too() {
    let world = three();
    world.piton(&["restore", "r", "--iteration", "1"]).exits(0);
    assert_eq!(world.read("b.txt"), "one\r\n");
    let restored = world.json(&["restore", "r", "--iteration", "0"]);
    assert_eq!(restored["deleted"], json!(["b.txt"]));
    assert_eq!((&restored["iteration"], &restored["branch"]), (&json!(0), &json!("main")));
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    let ran = world.piton(&["restore", "r", "--iteration", "9"]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: there is no iteration 9 with a verdict

    hint: run `piton status r`
    ");
}

#[test]
fn foreign_edits_are_not_clobbered_unless_asked() {
    let world = three();
    world.write("b.txt", "mine\n");
    let ran = world.piton(&["restore"]).exits(4);
    insta::assert_snapshot!(ran.err, @"
    error: `b.txt` changed since piton last looked

    hint: look at them; `--force` keeps a snapshot of them and goes on
    ");
    assert_eq!(world.read("b.txt"), "mine\n");
    assert!(world.path("junk.txt").exists(), "nothing at all was touched");
    world.piton(&["restore", "--force"]).exits(0);
    assert_eq!(std::fs::read(world.path("b.txt")).unwrap(), b"two\0\xff");
}

#[test]
fn files_are_not_put_back_under_a_working_agent() {
    let world = World::new();
    world.loops_behind("r", WAITS, &["--check", "test=false"]);
    let ran = world.piton(&["restore", "r", "--iteration", "0"]).exits(5);
    assert!(ran.err.contains("piton attach r"), "{}", ran.err);
}

#[test]
fn a_diff_is_a_patch_that_git_takes() {
    let world = World::new();
    world.loops("r", "echo b > b.txt; echo x >> a.txt", &["--check", "test=test -f b.txt"]).exits(0);
    insta::assert_snapshot!(world.piton(&["diff"]).exits(0).out, @"
    diff --git a/a.txt b/a.txt
    index OBJECT..OBJECT 100644
    --- a/a.txt
    +++ b/a.txt
    @@ -1 +1,2 @@
     a
    +x
    diff --git a/b.txt b/b.txt
    new file mode 100644
    index OBJECT..OBJECT
    --- /dev/null
    +++ b/b.txt
    @@ -0,0 +1 @@
    +b
    ");
    insta::assert_snapshot!(world.piton(&["diff", "--stat"]).exits(0).out, @"
    +1 −0           a.txt
    +1 −0           b.txt
    2 files, +2 −0
    ");
    assert_eq!(
        world.json(&["diff", "r", "0", "1"]),
        json!({"run_id": "r", "added": 2, "removed": 0, "files": [
            {"path": "a.txt", "added": 1, "removed": 0}, {"path": "b.txt", "added": 1, "removed": 0}]})
    );
    let patch = world.piton(&["diff", "r", "0", "1"]).exits(0).out;
    world.write("../patch", &patch);
    world.piton(&["restore", "r", "--iteration", "0"]).exits(0);
    world.git(&["apply", "../patch"]);
    assert_eq!((world.read("a.txt"), world.read("b.txt")), ("a\nx\n".to_owned(), "b\n".to_owned()));
    world.piton(&["diff", "r", "0", "9"]).exits(2);
}

#[test]
fn rm_forgets_everything_of_a_run() {
    let world = World::new();
    world.loops("gone", "touch b.txt", &["--check", "test=test -f b.txt"]).exits(0);
    world.loops("kept", "touch c.txt", &["--check", "test=test -f c.txt"]).exits(0);
    assert!(world.snapshots().contains("gone"));
    let ran = world.piton(&["rm", "gone"]).exits(0);
    assert_eq!(ran.err, "gone is forgotten\n");
    world.piton(&["status", "gone"]).exits(2);
    assert!(!world.path(".piton/attempts/gone").exists());
    assert!(!world.snapshots().contains("gone"), "{}", world.snapshots());
    assert!(world.snapshots().contains("kept"), "another run is untouched");
    assert_eq!(world.read("b.txt"), "", "the work stays");
    assert_eq!(world.json(&["verify"])["ok"], true);
    // Whatever speaks of that run means that one.
    for name in ["gone", "GONE"] {
        let ran = world.loops(name, "touch d.txt", &["--check", "test=test -f d.txt"]).exits(2);
        assert!(ran.err.contains("was the name of a run that was removed"), "{}", ran.err);
    }
    assert!(!world.path("d.txt").exists());
}

#[test]
fn rm_refuses_a_run_that_works_and_one_that_nobody_named() {
    let world = World::new();
    world.loops_behind("busy", WAITS, &["--check", "test=false"]);
    let ran = world.piton(&["rm", "busy"]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: run `busy` is running

    hint: run `piton stop busy` first, or give --force
    ");
    world.piton(&["rm", "busy", "--force"]).exits(5);
    world.piton(&["rm"]).exits(2);
    assert_eq!(world.json(&["ls"])[0]["run_id"], "busy");
}

#[test]
fn rm_ends_an_agent_that_was_left_alone() {
    let world = World::new();
    let agent = world.loops_behind("busy", "sleep 600", &["--check", "test=false"]);
    world.kill_driver("busy");
    world.piton(&["rm", "busy", "--force"]).exits(0);
    assert!(!piton_sys::process::is_alive(&agent));
    assert_eq!(world.json(&["ls"]), json!([]));
}

#[test]
fn work_leaves_the_users_git_alone() {
    let world = World::new();
    world.write("staged.txt", "s\n");
    world.git(&["add", "staged.txt"]);
    let before = world.git(&["for-each-ref", "refs/heads", "refs/tags", "refs/stash"]);
    world.loops("r", "touch b.txt", &["--check", "test=test -f b.txt"]).exits(0);
    assert_eq!(world.git(&["for-each-ref", "refs/heads", "refs/tags", "refs/stash"]), before);
    assert_eq!(
        world.git(&["status", "--porcelain"]),
        "A  staged.txt\n?? b.txt\n",
        "piton's own files are no change"
    );
}
