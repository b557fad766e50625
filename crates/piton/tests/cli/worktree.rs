//! Where work lands: a work tree and a branch of the run's own, a commit per green iteration, nothing merged.

use super::common::World;

/// Two iterations: the first leaves the check red, the second makes it green.
const WORKS: &str = r#"case $PITON_ITERATION in
    1) echo one > b.txt;;
    *) echo two > b.txt; printf '%s' '{"summary":"Write b.txt\n\nwith care"}' > "$PITON_REPORT";; esac"#;
const CHECK: &str = "test=grep -q two b.txt";

fn lands(world: &World, more: &[&str]) -> super::common::Ran {
    world.loops("w", WORKS, &[&["--check", CHECK], more].concat())
}

#[test]
fn on_the_default_branch_work_lands_on_a_branch_of_its_own() {
    let world = World::new();
    let ran = lands(&world, &["--worktree=default"]).exits(0);
    insta::assert_snapshot!(ran.out, @"
    run w · exec, fresh session per iteration · worktree ../repo-w, branch piton/w
    baseline  test ✗   ( T s)
    note      stopping when every check passes
    limits    50 iterations · 8h00m working, waits not counted · 5 without progress · 5 failures in a row
      #1 T s  +1 −0         test ✗
      #2 T s  +1 −1         test ✓
    done      1 of 1 checks green · 2 iterations, T s
    result    branch piton/w, 1 commit, nothing merged
    next      piton report w | gh pr create -F -
    ");
    assert!(!world.path("b.txt").exists(), "the user's tree is left alone");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    assert_eq!(world.git(&["branch", "--show-current"]).trim(), "main");
    let tree = world.beside("repo-w");
    assert_eq!(std::fs::read_to_string(tree.join("b.txt")).unwrap(), "two\n");
    let log = world.git(&["log", "--format=%s%n%b", "main..piton/w"]);
    assert_eq!(log.trim(), "Write b.txt\nWrite b.txt\n\nwith care\n\npiton: run w, iteration 2");
    // From inside the work tree the same journal is found.
    let ran =
        world.shell(&format!("cd {} && {} status", tree.display(), env!("CARGO_BIN_EXE_piton"))).exits(0);
    assert!(ran.out.starts_with("w   done"), "{}", ran.out);
}

#[test]
fn uncommitted_work_is_taken_along_and_left_where_it_is() {
    let world = World::new();
    world.git(&["checkout", "-q", "-b", "feature"]);
    world.write("a.txt", "changed\n");
    world.write("new.txt", "untracked\n");
    lands(&world, &["--worktree=default"]).exits(0);
    let tree = world.beside("repo-w");
    assert_eq!(std::fs::read_to_string(tree.join("a.txt")).unwrap(), "changed\n");
    assert_eq!(std::fs::read_to_string(tree.join("new.txt")).unwrap(), "untracked\n");
    assert_eq!(world.git(&["status", "--porcelain"]), " M a.txt\n?? new.txt\n");
    let subjects = world.git(&["log", "--format=%s", "feature..piton/w"]);
    assert_eq!(subjects, "Write b.txt\nThe tree this run starts from\n");
}

#[test]
fn on_a_clean_branch_of_ones_own_and_outside_of_git_work_lands_in_place() {
    let world = World::new();
    world.git(&["checkout", "-q", "-b", "feature"]);
    lands(&world, &["--worktree=default"]).exits(0);
    assert_eq!(world.read("b.txt"), "two\n");
    let world = World::outside_git();
    lands(&world, &["--worktree=default"]).exits(0);
    assert_eq!(world.read("b.txt"), "two\n");
}

#[test]
fn loops_in_work_trees_of_their_own_run_side_by_side() {
    let world = World::new();
    let gated = format!("{}; echo two > b.txt", super::common::WAITS);
    for run in ["x", "y"] {
        world
            .piton(&[
                "loop",
                "Do it",
                "--id",
                run,
                "--worktree",
                "--exec",
                &gated,
                "--check",
                CHECK,
                "--detach",
            ])
            .exits(0);
        world.agent_works(run, 1);
    }
    world.open_gate();
    for run in ["x", "y"] {
        world.piton(&["wait", run]).exits(0);
    }
    let branches = world.git(&["branch", "--list", "piton/*", "--format=%(refname:short)"]);
    assert_eq!(branches, "piton/x\npiton/y\n");
}

#[test]
fn a_run_goes_on_in_its_work_tree_after_its_driver_was_killed() {
    let world = World::new();
    let gated = format!("{}; echo two > b.txt", super::common::WAITS);
    world
        .piton(&["loop", "Do it", "--id", "w", "--worktree", "--exec", &gated, "--check", CHECK, "--detach"])
        .exits(0);
    world.agent_works("w", 1);
    world.kill_driver("w");
    world.open_gate();
    let ran = world.piton(&["resume", "w"]).exits(0);
    assert!(ran.out.contains("branch piton/w, 1 commit, nothing merged"), "{}", ran.out);
}

#[test]
fn a_report_is_ready_for_a_pull_request() {
    let world = World::new();
    lands(&world, &["--worktree=default"]).exits(0);
    let ran = world.piton(&["report", "w"]).exits(0);
    let commit = world.git(&["rev-parse", "piton/w"]);
    insta::assert_snapshot!(ran.out.replace(&commit[..10], "<commit>"), @"
    # Do it

    **completed**: 1 of 1 checks green

    > Do it

    Branch `piton/w`, 1 commit, nothing merged.

    ## Checks

    - `test`: ✗ → ✓

    ## Iterations

    | # | agent | change | checks | took | cost | commit |
    |---|---|---|---|---|---|---|
    | 1 | succeeded | +1 −0 in 1 | test ✗ | T s | unknown | – |
    | 2 | succeeded | +1 −1 in 1 | test ✓ | T s | unknown | `<commit>` |

    ## What the agent says it did

    - #2: Write b.txt  with care

    2 iterations, T s of working time. Everything is on record: `piton log w`.
    ");
    assert_eq!(world.json(&["report", "w"])["iterations"][1]["outcome"], "succeeded");
}

#[test]
fn what_stands_in_the_way_of_a_work_tree_is_said() {
    let world = World::new();
    std::fs::create_dir(world.beside("repo-w")).unwrap();
    let ran = lands(&world, &["--worktree"]).exits(2);
    assert!(ran.err.contains("is in the way of the run's work tree"), "{}", ran.err);
    let world = World::outside_git();
    let ran = lands(&world, &["--worktree"]).exits(2);
    assert!(ran.err.contains("needs a git repository"), "{}", ran.err);
}

#[test]
fn a_work_tree_is_furnished_with_what_git_does_not_keep() {
    let world = World::new();
    world.write(".gitignore", "modules/\n");
    world.git(&["add", "."]);
    world.git(&["commit", "-q", "-m", "ignore"]);
    std::fs::create_dir_all(world.path("modules/x")).unwrap();
    world.write("modules/x/y", "module\n");
    world.write(".env", "KEY=1\n");
    world.configure(
        "[worktree]\nlink = ['modules']\ncopy = ['.env', 'absent']\nsetup = 'cat .env modules/x/y > made'\n",
    );
    world.git(&["add", "piton.toml"]);
    world.git(&["commit", "-q", "-m", "piton"]);
    lands(&world, &["--worktree=default"]).exits(0);
    let tree = world.beside("repo-w");
    assert_eq!(std::fs::read_to_string(tree.join("made")).unwrap(), "KEY=1\nmodule\n");
    assert!(tree.join("modules").is_symlink() && tree.join(".env").is_file());
    // What was only put there is no work: no commit has it.
    let committed = world.git(&["ls-tree", "--name-only", "-r", "piton/w"]);
    assert!(
        committed.contains("b.txt") && !committed.contains("modules") && !committed.contains(".env"),
        "{committed}"
    );
}

#[test]
fn a_setup_that_fails_stops_the_run_and_says_what_it_said() {
    let world = World::new();
    world.configure("[worktree]\nsetup = 'echo no packages here >&2; false'\n");
    let ran = lands(&world, &["--worktree"]).exits(7);
    assert!(ran.err.contains("no packages here"), "{}", ran.err);
    world.configure("[worktree]\nsetup = 'true'\n");
    let ran = world.piton(&["status", "w"]).exits(0);
    assert!(ran.out.contains("piton resume w"), "{}", ran.out);
}
