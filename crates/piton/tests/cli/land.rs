//! Work that is brought where it belongs: in which shape, judged by which checks, and what is never written over.

use std::os::unix::fs::PermissionsExt;

use super::common::World;

const CHECK: &str = "test=grep -q two b.txt";

/// A loop that is done, with its work on a branch of its own.
fn done(agent: &str) -> World {
    let world = World::new();
    world.loops("w", agent, &["--check", CHECK, "--worktree=default"]).exits(0);
    world
}

const WORKS: &str =
    "echo one > b.txt; [ $PITON_ITERATION = 1 ] || echo two > b.txt; echo $PITON_ITERATION > c.txt";

fn subjects(world: &World) -> String {
    world.git(&["log", "--format=%s", "main"])
}

fn commit(world: &World, name: &str, text: &str) {
    world.write(name, text);
    world.git(&["add", name]);
    world.git(&["commit", "-q", "-m", &format!("by hand: {name}")]);
}

#[test]
fn work_lands_on_the_branch_it_began_on_with_the_files_of_the_checkout() {
    let world = done(WORKS);
    assert_eq!(world.json(&["status", "w"])["next"], "piton land w");
    let ran = world.piton(&["land", "w"]).exits(0);
    assert!(ran.out.starts_with("landed  1 commit on main, which is at "), "{}", ran.out);
    assert!(ran.out.contains("and in the checkout"), "{}", ran.out);
    assert_eq!(world.read("b.txt"), "two\n");
    assert_eq!(world.git(&["status", "--porcelain"]), "", "nothing is left uncommitted");
    assert_eq!(subjects(&world).lines().next(), Some("Do it: iteration 2"));
    assert!(ran.err.contains("piton rm w"), "{}", ran.err);
    let again = world.piton(&["land", "w"]).exits(0);
    insta::assert_snapshot!(again.out, @"main has the work of w already");
    world.piton(&["rm", "w"]).exits(0);
    assert!(!world.beside("repo-w").exists(), "its work tree is gone");
    assert_eq!(world.git(&["branch", "--list", "piton/*"]), "");
    assert_eq!(world.git(&["worktree", "list"]).lines().count(), 1);
}

#[test]
fn what_was_not_committed_when_the_run_began_is_no_obstacle() {
    let world = World::new();
    world.write("mine.txt", "mine\n");
    world.write("a.txt", "changed by hand\n");
    world
        .loops("w", &format!("{WORKS}; echo agent >> mine.txt"), &["--check", CHECK, "--worktree=default"])
        .exits(0);
    let landed = world.json(&["land", "w"]);
    assert_eq!(landed["began_uncommitted"], true);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    assert_eq!(world.read("a.txt"), "changed by hand\n");
    assert!(world.read("mine.txt").starts_with("mine\nagent\n"), "{}", world.read("mine.txt"));
    assert_eq!(subjects(&world).lines().nth(1), Some("Uncommitted work from before the run"));
}

#[test]
fn settings_that_nobody_tracks_stay_out_of_the_branch() {
    let world = World::new();
    world.write("piton.toml", "[checks]\nb = \"test -f b.txt\"\n");
    world.piton(&["trust", "--yes"]).exits(0);
    let ran = world.loops("w", WORKS, &["--worktree=default"]).exits(0);
    assert!(ran.out.contains("b ✓"), "the settings hold in the work tree: {ran:?}");
    assert!(world.beside("repo-w").join("piton.toml").exists());
    let landed = world.json(&["land", "w"]);
    assert_eq!(landed["began_uncommitted"], false);
    assert_eq!(world.git(&["status", "--porcelain"]), "?? piton.toml\n");
    assert_eq!(subjects(&world).lines().count(), 2, "{}", subjects(&world));
}

#[test]
fn what_a_person_changed_since_is_never_written_over() {
    let world = World::new();
    world.write("mine.txt", "mine\n");
    world
        .loops("w", &format!("{WORKS}; echo agent >> mine.txt"), &["--check", CHECK, "--worktree=default"])
        .exits(0);
    world.write("mine.txt", "mine, and more\n");
    world.write("c.txt", "mine, too, and not committed\n");
    let before = (world.git(&["rev-parse", "HEAD"]), world.git(&["status", "--porcelain"]));
    let ran = world.piton(&["land", "w"]).exits(4);
    insta::assert_snapshot!(ran.err, @"
    error: files of the checkout would be written over
      c.txt
      mine.txt

    hint: commit or stash them, then run `piton land w` again
    ");
    assert_eq!((world.git(&["rev-parse", "HEAD"]), world.git(&["status", "--porcelain"])), before);
    assert_eq!(world.read("mine.txt"), "mine, and more\n");
    // What the landing does not touch may be as it likes.
    world.write("mine.txt", "mine\n");
    std::fs::remove_file(world.path("c.txt")).unwrap();
    world.write("d.txt", "a draft\n");
    world.piton(&["land", "w"]).exits(0);
    assert_eq!(world.git(&["status", "--porcelain"]), "?? d.txt\n");
}

#[test]
fn where_the_branch_went_on_the_checks_judge_the_merged_result() {
    let world = done(WORKS);
    commit(&world, "other.txt", "meanwhile\n");
    let landed = world.json(&["land", "w"]);
    assert_eq!((&landed["rebased"], &landed["checks"]), (&true.into(), &serde_json::json!(["test"])));
    assert_eq!(world.read("other.txt"), "meanwhile\n");
    assert_eq!(world.read("b.txt"), "two\n");
    insta::assert_snapshot!(subjects(&world), @"
    Do it: iteration 2
    by hand: other.txt
    start
    ");
    assert!(!world.beside("repo-w-landing").exists(), "the scratch tree is gone");
}

#[test]
fn a_result_that_fails_its_checks_does_not_land() {
    let world = World::new();
    let check = "test=grep -q two b.txt && ! test -e forbidden";
    world.loops("w", WORKS, &["--check", check, "--worktree=default"]).exits(0);
    commit(&world, "forbidden", "x\n");
    let before = world.git(&["rev-parse", "main"]);
    let ran = world.piton(&["land", "w"]).exits(1);
    let err = ran.err.replace(&world.beside("repo-w").display().to_string(), "<beside>/repo-w");
    insta::assert_snapshot!(err, @"
    error: `test` fails on what would land; nothing was moved

    hint: `piton land w --mend` has a loop like this one mend it there; or `git -C <beside>/repo-w rebase main`, mend and commit it there, then run `piton land w` again
    ");
    assert_eq!(world.git(&["rev-parse", "main"]), before);
    assert!(!world.beside("repo-w-landing").exists());
}

/// What git ignores is in no commit: the tree of the run has it, and whoever gets the commits does not.
#[test]
fn what_works_only_with_code_that_git_ignores_does_not_land() {
    let world = World::new();
    world.write(".gitignore", "lib/\n");
    world.git(&["add", ".gitignore"]);
    world.git(&["commit", "-q", "-m", "ignore lib"]);
    let agent = "mkdir -p lib; echo 'echo two' > lib/two.sh; echo $PITON_ITERATION > c.txt";
    let check = "test=sh lib/two.sh | grep -q two";
    world.loops("w", agent, &["--check", check, "--worktree=default"]).exits(0);
    let before = world.git(&["rev-parse", "main"]);
    let ran = world.piton(&["land", "w"]).exits(1);
    let err = ran.err.replace(&world.beside("repo-w").display().to_string(), "<beside>/repo-w");
    insta::assert_snapshot!(err, @"
    error: `test` fails on what would land: git ignores code of the run, which is in no commit
      lib/two.sh

    hint: add it with `git -C <beside>/repo-w add -f`, commit it there, then run `piton land w` again
    ");
    assert_eq!(world.git(&["rev-parse", "main"]), before, "nothing was moved");
    assert!(!world.beside("repo-w-landing").exists());
    // The way out that is named.
    let tree = world.beside("repo-w").display().to_string();
    world.git(&["-C", &tree, "add", "-f", "lib/two.sh"]);
    world.git(&["-C", &tree, "commit", "-q", "-m", "lib"]);
    world.piton(&["land", "w"]).exits(0);
    assert_eq!(world.read("lib/two.sh"), "echo two\n");
}

#[test]
fn what_lands_says_which_code_and_which_links_the_commits_do_not_bring() {
    let world = World::new();
    world.write(".gitignore", "scratch/\n");
    world.git(&["add", ".gitignore"]);
    world.git(&["commit", "-q", "-m", "ignore scratch"]);
    let agent = format!("{WORKS}; mkdir -p scratch; echo true > scratch/try.sh; ln -sfn ../elsewhere out");
    world.loops("w", &agent, &["--check", CHECK, "--worktree=default"]).exits(0);
    let landed = world.json(&["land", "w"]);
    let notes = serde_json::to_string_pretty(&landed["notes"]).unwrap();
    insta::assert_snapshot!(notes, @r#"
    [
      "note    not landed, as git ignores it: scratch/try.sh",
      "note    leads out of the repository: out -> ../elsewhere"
    ]
    "#);
}

/// Both ways out that are named when a check fails on what would land.
#[test]
fn what_fails_its_checks_on_the_result_is_mended_and_lands() {
    let check = "test=grep -q two b.txt && ! test -e forbidden";
    let agent = format!("{WORKS}; rm -f forbidden; cp \"$PITON_PROMPT_FILE\" $BESIDE/prompt");
    let world = World::new();
    world.loops("w", &agent, &["--check", check, "--worktree=default"]).exits(0);
    commit(&world, "forbidden", "x\n");
    let ran = world.piton(&["land", "w", "--mend"]).exits(0);
    assert!(ran.err.contains("`test` fails on what would land; nothing was moved"), "{}", ran.err);
    assert!(ran.out.contains("the check is green"), "{ran:?}");
    let prompt = std::fs::read_to_string(world.beside("prompt")).unwrap();
    assert!(prompt.contains("on top of `main`"), "{prompt}");
    let next = ran.out.lines().find(|line| line.starts_with("next ")).unwrap();
    let mender = next.rsplit(' ').next().unwrap();
    let landed = world.json(&["land", mender]);
    assert_eq!(landed["rebased"], false);
    assert_eq!(world.read("b.txt"), "two\n");
    assert!(!world.path("forbidden").exists());
    // What it mended is there with it, so both can go.
    for run in ["w", mender] {
        world.piton(&["rm", run]).exits(0);
    }
    assert_eq!(world.git(&["branch", "--list", "piton/*"]), "");

    let world = World::new();
    world.loops("w", WORKS, &["--check", check, "--worktree=default"]).exits(0);
    commit(&world, "forbidden", "x\n");
    world.piton(&["land", "w"]).exits(1);
    let tree = world.beside("repo-w").display().to_string();
    world.git(&["-C", &tree, "rebase", "-q", "main"]);
    world.git(&["-C", &tree, "rm", "-q", "forbidden"]);
    world.git(&["-C", &tree, "commit", "-q", "-m", "mended"]);
    world.piton(&["land", "w"]).exits(0);
    assert!(!world.path("forbidden").exists());
}

#[test]
fn a_conflict_is_told_with_the_way_out() {
    let world = done(WORKS);
    commit(&world, "b.txt", "mine\n");
    let before = world.git(&["rev-parse", "main"]);
    let ran = world.piton(&["land", "w"]).exits(4);
    assert!(ran.err.contains("`main` went on, and commit "), "{}", ran.err);
    assert!(ran.err.contains("  b.txt\n"), "{}", ran.err);
    assert!(ran.err.contains("rebase main`, then run `piton land w` again"), "{}", ran.err);
    assert_eq!(world.git(&["rev-parse", "main"]), before);
    assert_eq!(world.git(&["worktree", "list"]).lines().count(), 2, "no scratch tree stays");
}

#[test]
fn squash_and_merge_keep_the_shape_that_was_asked_for() {
    let world = done(WORKS);
    world.piton(&["land", "w", "--squash"]).exits(0);
    assert_eq!(subjects(&world).lines().collect::<Vec<_>>(), ["Do it", "start"]);
    assert!(world.git(&["log", "-1", "--format=%b", "main"]).contains("piton: run w"));

    let world = done(WORKS);
    commit(&world, "other.txt", "meanwhile\n");
    world.piton(&["land", "w", "--merge"]).exits(0);
    assert_eq!(world.git(&["rev-list", "--merges", "--count", "main"]).trim(), "1");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    assert_eq!(world.read("b.txt"), "two\n");
}

#[test]
fn a_branch_nobody_stands_on_moves_alone() {
    let world = done(WORKS);
    world.git(&["switch", "-q", "-c", "elsewhere"]);
    let ran = world.piton(&["land", "w"]).exits(0);
    assert!(!ran.out.contains("checkout"), "{}", ran.out);
    assert!(!world.path("b.txt").exists(), "the checkout stands elsewhere");
    assert_eq!(world.git(&["show", "main:b.txt"]), "two\n");
}

#[test]
fn what_has_no_branch_or_is_not_done_says_so() {
    let world = World::new();
    world.loops("here", "echo two > b.txt", &["--check", CHECK]).exits(0);
    let ran = world.piton(&["land", "here"]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: `here` worked in place: its changes are in the checkout, on no branch of their own

    hint: look at them with `piton diff here`, and commit what you want with git
    ");
    let stopped = ["--check", CHECK, "--worktree=default", "--max-iterations", "1"];
    world.loops("w", "echo one > b.txt", &stopped).exits(3);
    let ran = world.piton(&["land", "w"]).exits(4);
    insta::assert_snapshot!(ran.err, @"
    error: `w` is stopped, not done

    hint: `piton resume w` goes on; `--unfinished` lands what there is
    ");
}

#[test]
fn what_a_run_that_is_not_done_left_uncommitted_is_committed_and_landed() {
    let world = World::new();
    let stopped = ["--check", CHECK, "--worktree=default", "--max-iterations", "1"];
    world.loops("w", "echo one > b.txt", &stopped).exits(3);
    let ran = world.piton(&["land", "w", "--unfinished"]).exits(0);
    assert!(ran.out.starts_with("landed  1 commit on main"), "{ran:?}");
    assert!(ran.err.contains("check   test ✗"), "{}", ran.err);
    assert_eq!(world.read("b.txt"), "one\n");
    assert_eq!(subjects(&world).lines().next(), Some("Do it"));
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    // Nothing is left to bring, nor to lose.
    assert_eq!(world.json(&["land", "w", "--unfinished"])["was_there"], true);
    world.piton(&["rm", "w"]).exits(0);
    assert!(!world.beside("repo-w").exists());
}

#[test]
fn the_work_of_a_workflow_with_a_work_tree_lands() {
    let world = World::new();
    world.write("w.yaml", "name: w\nsteps:\n  - {id: build, run: \"echo built > out.txt\"}\n");
    world.commit("a workflow");
    world.piton(&["run", "w.yaml", "--run-id", "r", "--worktree"]).exits(0);
    assert_eq!(world.json(&["status", "r"])["next"], "piton land r");
    let ran = world.piton(&["land", "r"]).exits(0);
    assert!(ran.out.starts_with("landed  1 commit on main"), "{ran:?}");
    assert_eq!(world.read("out.txt"), "built\n");
    assert_eq!(world.git(&["log", "-1", "--format=%s%n%b", "main"]).trim(), "w\npiton: run r");
    assert_eq!(world.json(&["status", "r"])["next"], "piton rm r");
    world.piton(&["rm", "r"]).exits(0);
    assert_eq!(world.git(&["branch", "--list", "piton/*"]), "");
}

#[test]
fn what_somebody_left_in_the_tree_of_a_loop_that_is_done_is_named_and_stays() {
    let world = done(WORKS);
    let tree = world.beside("repo-w");
    world.shell(&format!("echo mine > {}/notes.txt", tree.display())).exits(0);
    let ran = world.piton(&["land", "w"]).exits(0);
    assert!(ran.err.contains(" notes.txt\n") && ran.err.contains("note    not landed"), "{}", ran.err);
    let ran = world.piton(&["rm", "w"]).exits(0);
    assert!(
        ran.err.contains("branch piton/w stay: 1 uncommitted file (notes.txt) not landed"),
        "{}",
        ran.err
    );
    assert!(tree.join("notes.txt").exists());
    // The record is gone, and the way out still works.
    let ran = world.piton(&["gc", "--grace", "0s"]).exits(0);
    assert!(ran.out.contains("1 uncommitted file (notes.txt) not landed"), "{}", ran.out);
    assert!(tree.join("notes.txt").exists());
    world.piton(&["gc", "--given-up"]).exits(0);
    assert!(!tree.exists());
    assert_eq!(world.git(&["branch", "--list", "piton/*"]), "");
}

#[test]
fn commits_that_nobody_landed_stay_when_their_run_is_forgotten() {
    let world = done(WORKS);
    let ran = world.piton(&["rm", "w"]).exits(0);
    assert!(ran.err.contains("stay: 1 commit not landed; `piton gc --given-up` removes them"), "{}", ran.err);
    world.piton(&["gc", "--grace", "0s"]).exits(0);
    assert!(world.beside("repo-w").exists());
    // Landed by hand, nothing would be lost.
    world.git(&["merge", "-q", "piton/w"]);
    world.piton(&["gc", "--grace", "0s"]).exits(0);
    assert!(!world.beside("repo-w").exists());
    assert_eq!(world.git(&["branch", "--list", "piton/*"]), "");
}

/// What a person wrote meanwhile and what lands may be the same file.
#[test]
fn a_file_that_is_as_it_lands_is_no_obstacle() {
    let world = World::new();
    let agent = format!("{WORKS}; echo changed > a.txt");
    world.loops("w", &agent, &["--check", CHECK, "--worktree=default"]).exits(0);
    world.write("b.txt", "two\n");
    world.write("a.txt", "changed\n");
    world.piton(&["land", "w"]).exits(0);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    assert_eq!(world.read("c.txt"), "2\n");
}

#[test]
fn what_was_landed_is_known_wherever_somebody_looks() {
    let world = done(WORKS);
    world.piton(&["land", "w", "--squash"]).exits(0);
    // Going on on the branch takes nothing back.
    commit(&world, "b.txt", "three\n");
    assert!(world.piton(&["land", "w"]).exits(0).out.contains("has the work of w already"));
    let status = world.piton(&["status", "w"]).exits(0);
    assert!(status.out.contains("branch piton/w, 1 commit, landed on main"), "{}", status.out);
    assert!(status.out.contains("do       piton rm w"), "{}", status.out);
    assert_eq!(world.json(&["status", "w"])["changed"]["landed_on"], "main");
    let report = world.piton(&["report", "w"]).exits(0);
    assert!(report.out.contains("Branch `piton/w`, 1 commit, landed on main."), "{}", report.out);
    let ls = world.piton(&["ls"]).exits(0);
    assert!(ls.out.contains("landed"), "{}", ls.out);
    assert_eq!(world.json(&["ls"])[0]["landed"], true);
    world.piton(&["rm", "w"]).exits(0);
    assert_eq!(world.git(&["branch", "--list", "piton/*"]), "");
    assert_eq!(world.snapshots(), "", "nothing of it is remembered");

    // Taken back, it is landed no more; by hand, it is.
    let world = done(WORKS);
    world.piton(&["land", "w"]).exits(0);
    world.git(&["reset", "-q", "--hard", "HEAD~1"]);
    assert!(world.piton(&["status", "w"]).exits(0).out.contains("nothing merged"));
    world.git(&["merge", "-q", "piton/w"]);
    assert!(world.piton(&["status", "w"]).exits(0).out.contains("landed on main"));
}

#[test]
fn commits_are_counted_as_git_has_them() {
    let world = World::new();
    let agent = "echo two > b.txt; git add -A; git commit -qm 'by the agent'";
    let ran = world.loops("w", agent, &["--check", CHECK, "--worktree=default"]).exits(0);
    assert!(ran.out.contains("branch piton/w, 1 commit, nothing merged"), "{}", ran.out);
    assert!(world.piton(&["report", "w"]).exits(0).out.contains("1 commit, nothing merged"));
    assert!(world.piton(&["land", "w"]).exits(0).out.starts_with("landed  1 commit"));

    // What a person had not committed is announced, and none of the agent's.
    let world = World::new();
    world.write("a.txt", "mine\n");
    world.write("new.txt", "mine\n");
    let ran = world.loops("w", WORKS, &["--check", CHECK, "--worktree=default"]).exits(0);
    let note =
        "note: 2 files that are not committed yet go along, in a commit of their own: a.txt, new.txt\n";
    assert!(ran.err.contains(note), "{}", ran.err);
    let result = "branch piton/w, 1 commit and one of what was not committed before, nothing merged";
    assert!(ran.out.contains(result), "{}", ran.out);
    // Settings that nobody tracks are in no commit.
    let world = World::configured("[checks]\nb = \"test -f b.txt\"\n");
    let ran = world.loops("w", WORKS, &["--worktree=default"]).exits(0);
    assert!(!ran.err.contains("not committed"), "{}", ran.err);
}

#[test]
fn a_workflow_in_place_is_told_where_its_changes_are() {
    let world = World::new();
    world.write("w.yaml", "name: w\nsteps:\n  - {id: build, run: \"echo built > out.txt\"}\n");
    world.piton(&["run", "w.yaml", "--run-id", "r"]).exits(0);
    let ran = world.piton(&["land", "r"]).exits(2);
    assert!(
        ran.err.ends_with("hint: look at them with `git status`, and commit what you want with git\n"),
        "{}",
        ran.err
    );
    world.loops("here", "echo two > b.txt", &["--check", CHECK]).exits(0);
    world.piton(&["diff", "here"]).exits(0);
}

#[test]
fn settings_that_piton_put_into_a_work_tree_are_no_work() {
    let world = World::new();
    world.write("Makefile", "test:\n\ttest -f b.txt\n");
    world.commit("make");
    world.piton(&["init", "--yes"]).exits(0);
    world.loops("w", "touch b.txt", &["--worktree=default"]).exits(0);
    world.piton(&["land", "w"]).exits(0);
    let ran = world.piton(&["rm", "w"]).exits(0);
    assert_eq!(ran.err, "w is forgotten\n");
    assert!(!world.beside("repo-w").exists());
    assert_eq!(world.git(&["branch", "--list", "piton/*"]), "");
}

#[test]
fn collecting_removes_the_tree_and_branch_of_a_run_that_was_landed() {
    let world = done(WORKS);
    world.piton(&["gc", "--grace", "0s"]).exits(0);
    assert!(world.beside("repo-w").exists(), "nobody landed it");
    let ran = world.piton(&["rm"]).exits(2);
    assert!(ran.err.contains("`w` is the newest run, and its work was not landed"), "{}", ran.err);
    world.piton(&["land", "w"]).exits(0);
    world.piton(&["gc"]).exits(0);
    assert!(world.beside("repo-w").exists(), "it was just at work");
    let ran = world.piton(&["gc", "--grace", "0s"]).exits(0);
    assert!(ran.out.contains("landed        work tree ") && ran.out.contains("piton/w"), "{}", ran.out);
    assert!(!world.beside("repo-w").exists());
    assert_eq!(world.git(&["branch", "--list", "piton/*"]), "");
    assert_eq!(world.json(&["status", "w"])["status"], "completed");
    assert!(world.piton(&["status", "w"]).exits(0).out.contains("landed on main"));
    // What was landed need not be named to be forgotten.
    assert_eq!(world.piton(&["rm"]).exits(0).err, "w is forgotten\n");
    world.piton(&["status", "w"]).exits(2);
}

/// A merge driver and a filter that only the repository's own settings name are programs that an agent may have written.
#[test]
fn a_landing_runs_no_program_of_the_repository() {
    let world = done(
        "printf 'one\\n' > b.txt; [ $PITON_ITERATION = 1 ] || { printf 'two\\n' > b.txt; echo '* merge=evil filter=evil' > .gitattributes; }",
    );
    let mark = world.beside("ran");
    let evil = format!("touch {}; false", mark.display());
    world.git(&["config", "merge.evil.driver", &evil]);
    world.git(&["config", "filter.evil.smudge", &evil]);
    world.git(&["config", "filter.evil.clean", &evil]);
    commit(&world, "other.txt", "meanwhile\n");
    world.piton(&["land", "w"]).exits(0);
    assert!(!mark.exists());
    assert_eq!(world.git(&["show", "main:b.txt"]), "two\n");
}

#[test]
fn a_pull_request_is_pushed_and_opened() {
    let world = done(WORKS);
    let remote = world.beside("remote.git");
    world.git(&["init", "-q", "--bare", remote.to_str().unwrap()]);
    world.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    let bin = world.beside("bin");
    std::fs::create_dir(&bin).unwrap();
    let said = world.beside("said");
    let script =
        format!("#!/bin/sh\n{{ echo \"$@\"; cat; }} > {}\necho https://example.org/pull/7\n", said.display());
    let gh = bin.join("gh");
    #[expect(clippy::disallowed_methods, reason = "a test prepares its files directly")]
    std::fs::write(&gh, script).unwrap();
    std::fs::set_permissions(&gh, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let ran = world.piton_with(&[("PATH", &path)], &["land", "w", "--pr"]).exits(0);
    assert!(ran.out.contains("https://example.org/pull/7"), "{}", ran.out);
    let said = std::fs::read_to_string(said).unwrap();
    assert!(
        said.starts_with("pr create --base main --head piton/w --title Do it --body-file -\n# Do it"),
        "{said}"
    );
    assert_eq!(world.git(&["ls-remote", "origin", "piton/w"]).lines().count(), 1);
    assert!(!world.path("b.txt").exists(), "nothing moved here");
}

/// Runs that are done, each with a file of its own on a branch of its own.
fn done_in_turn(works: &[(&str, &str)]) -> World {
    let world = World::new();
    for (run, work) in works {
        let check = format!("test=test -e {run}.txt");
        world.loops(run, work, &["--check", &check, "--worktree=default"]).exits(0);
    }
    world
}

#[test]
fn several_runs_land_in_the_order_that_was_given() {
    let world =
        done_in_turn(&[("one", "touch one.txt"), ("two", "touch two.txt"), ("three", "touch three.txt")]);
    let ran = world.piton(&["land", "two", "one", "three"]).exits(0);
    assert_eq!(ran.out.matches("landed  1 commit on main").count(), 3, "{ran:?}");
    let changed = world.git(&["log", "--format=", "--name-only", "main"]);
    let changed: Vec<_> = changed.split_whitespace().collect();
    assert_eq!(changed, ["three.txt", "one.txt", "two.txt", "a.txt"]);
    assert_eq!(world.git(&["rev-list", "--count", "--merges", "main"]).trim(), "0");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    let again = world.json(&["land", "two", "one", "three"]);
    assert_eq!(again["landed"][2]["was_there"], true, "it can be given again: {again:#}");
}

#[test]
fn each_is_judged_on_what_landed_before_it() {
    let world = World::new();
    for (run, work, check) in [
        ("one", "touch one.txt forbidden", "test=test -e one.txt"),
        ("two", "touch two.txt", "test=test -e two.txt && ! test -e forbidden"),
        ("three", "touch three.txt", "test=test -e three.txt"),
    ] {
        world.loops(run, work, &["--check", check, "--worktree=default"]).exits(0);
    }
    let ran = world.piton(&["land", "one", "two", "three"]).exits(1);
    assert!(ran.err.contains("error: `test` fails on what would land; nothing was moved"), "{}", ran.err);
    assert!(ran.err.contains("landed 1 of 3; not landed: two; not tried: three"), "{}", ran.err);
    assert!(ran.err.contains("then run `piton land two three` again"), "{}", ran.err);
    assert!(world.path("one.txt").exists(), "{ran:?}");
    assert!(!world.path("two.txt").exists() && !world.path("three.txt").exists());
    // One that mends it takes its place.
    let ran = world.piton(&["land", "two", "three", "--mend"]).exits(1);
    let way = ran.err.split("then `piton land ").nth(1).unwrap_or_else(|| panic!("{}", ran.err));
    assert!(way.contains(" three`"), "{}", ran.err);
}

#[test]
fn landing_in_turn_stops_at_the_first_conflict_with_the_way_out() {
    let world = done_in_turn(&[
        ("one", "touch one.txt; echo mine > shared.txt"),
        ("two", "touch two.txt; echo other > shared.txt"),
        ("three", "touch three.txt"),
    ]);
    let ran = world.piton(&["land", "one", "two", "three"]).exits(4);
    assert!(ran.err.contains("`main` went on, and commit "), "{}", ran.err);
    assert!(ran.err.contains("  shared.txt\n"), "{}", ran.err);
    assert!(ran.err.contains("rebase main`, then run `piton land two three` again"), "{}", ran.err);
    assert_eq!(world.read("shared.txt"), "mine\n");
    let stopped = world.piton(&["land", "one", "two", "three", "--json"]).exits(4);
    let told: serde_json::Value = serde_json::from_str(&stopped.out).unwrap();
    assert_eq!(told["stopped"]["run_id"], "two");
    assert_eq!(told["left"], serde_json::json!(["three"]));
    // The way out, as it is named.
    let tree = world.beside("repo-two").display().to_string();
    let by_hand =
        "git rebase -q main; echo both > shared.txt; git add -A; GIT_EDITOR=true git rebase --continue";
    world.shell(&format!("cd {tree} && {{ {by_hand}; }}")).exits(0);
    world.piton(&["land", "two", "three"]).exits(0);
    assert_eq!(world.read("shared.txt"), "both\n");
    assert!(world.path("three.txt").exists());
}

#[test]
fn where_one_of_several_cannot_land_nothing_moves() {
    let world = done_in_turn(&[("one", "touch one.txt"), ("two", "touch two.txt")]);
    let red = ["--check", "false", "--worktree=default", "--max-iterations", "1"];
    world.loops("red", "touch red.txt", &red).exits(3);
    let before = world.git(&["rev-parse", "main"]);
    let ran = world.piton(&["land", "two", "red"]).exits(4);
    insta::assert_snapshot!(ran.err, @"
    error: not all of them can land; nothing was moved
      `red` is stopped, not done

    hint: leave those out, or see to them first: `piton status RUN` says what helps
    ");
    let refused = |arguments: &[&str], says: &str| {
        let ran = world.piton(arguments).exits(2);
        assert!(ran.err.contains(says), "{}", ran.err);
    };
    refused(&["land", "two", "two"], "`two` is named twice");
    refused(&["land", "two", "nobody"], "nobody");
    refused(&["land", "one", "two", "--pr"], "a pull request is for one run");
    assert_eq!(world.git(&["rev-parse", "main"]), before);
}

#[test]
fn what_was_not_committed_when_several_began_lands_once() {
    let world = World::new();
    world.write("mine.txt", "mine\n");
    for run in ["one", "two"] {
        let check = format!("test=test -e {run}.txt");
        world.loops(run, &format!("touch {run}.txt"), &["--check", &check, "--worktree=default"]).exits(0);
    }
    world.piton(&["land", "one", "two"]).exits(0);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    assert!(world.path("one.txt").exists() && world.path("two.txt").exists());
    let taken = subjects(&world).lines().filter(|line| line.starts_with("Uncommitted work")).count();
    assert_eq!(taken, 1, "{}", subjects(&world));
}
