//! Where work lands: a work tree and a branch of the run's own, a commit per green iteration, nothing merged.

mod furnished;

use super::common::World;

/// Two iterations: the first leaves the check red, the second makes it green.
const WORKS: &str = r#"case $PITON_ITERATION in
    1) echo one > b.txt;;
    *) echo two > b.txt; printf '%s' '{"summary":"Write b.txt\n\nwith care"}' > "$PITON_REPORT";; esac"#;
const CHECK: &str = "test=grep -q two b.txt";

fn lands(world: &World, more: &[&str]) -> super::common::Ran {
    world.loops("w", WORKS, &[&["--check", CHECK], more].concat())
}

fn commit_file(world: &World, name: &str, text: &str) {
    world.write(name, text);
    world.git(&["add", name]);
    world.git(&["commit", "-q", "-m", name]);
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
    done      the check is green · 2 iterations, T s
    result    branch piton/w, 1 commit, nothing merged
    next      piton land w
    ");
    world.git(&["remote", "add", "upstream", "nowhere"]);
    let next = || world.json(&["status", "w"])["next"].as_str().unwrap().to_owned();
    assert_eq!(next(), "piton land w, or piton land w --pr");
    assert!(!world.path("b.txt").exists(), "the user's tree is left alone");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    assert_eq!(world.git(&["branch", "--show-current"]).trim(), "main");
    let tree = world.beside("repo-w");
    let view: serde_json::Value = serde_json::from_str(&world.read(".ralph/state.json")).unwrap();
    let here = tree.canonicalize().unwrap();
    assert_eq!(view["core"]["working_dir"], here.to_str().unwrap(), "where the agent works");
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
    assert_eq!(subjects, "Write b.txt\nUncommitted work from before the run\n");
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
        world.loops_behind(run, &gated, &["--worktree", "--check", CHECK]);
    }
    world.open_gate();
    for run in ["x", "y"] {
        world.piton(&["wait", run]).exits(0);
    }
    let branches = world.git(&["branch", "--list", "piton/*", "--format=%(refname:short)"]);
    assert_eq!(branches, "piton/x\npiton/y\n");
}

#[test]
fn names_that_end_alike_have_branches_of_their_own() {
    let world = World::new();
    for run in ["my-task", "other-task"] {
        let ran = world.loops(run, "echo two > b.txt", &["--worktree", "--check", CHECK]).exits(0);
        // What is named next is that run, and no other.
        assert!(ran.out.ends_with(&format!("piton land {run}\n")), "{}", ran.out);
    }
    let branches = world.git(&["branch", "--list", "piton/*", "--format=%(refname:short)"]);
    assert_eq!(branches, "piton/my-task\npiton/other-task\n");
    assert!(world.beside("repo-my-task").exists() && world.beside("repo-other-task").exists());
    // A name that nobody gave is as long as it must be.
    let ran = world.piton(&["loop", "Do it", "--worktree", "--exec", "echo two > b.txt", "--check", CHECK]);
    let first = ran.exits(0).out.lines().next().unwrap().to_owned();
    let branch = first.rsplit("branch piton/").next().unwrap();
    assert!(branch.len() == 8 && branch.bytes().all(|byte| byte.is_ascii_hexdigit()), "{first}");
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

    **done**: the check is green

    > Do it

    Branch `piton/w`, 1 commit, nothing merged.

    ## Checks

    - `test`: ✗ → ✓

    ## Iterations

    | # | outcome | change | checks | tests | took | cost | commit |
    |---|---|---|---|---|---|---|---|
    | 1 | kept | +1 −0 in 1 | test ✗ | – | T s | unknown | – |
    | 2 | kept | +1 −1 in 1 | test ✓ | – | T s | unknown | `<commit>` |

    ## What the agent says it did

    - #2: Write b.txt  with care

    2 iterations, T s of working time. Everything is on record: `piton log w`.
    ");
    assert_eq!(world.json(&["report", "w"])["iterations"][1]["outcome"], "succeeded");
    // The same as a page that fetches nothing.
    let page = world.piton(&["report", "w", "--html"]).exits(0).out;
    for part in ["<!doctype html>", "<h1>Do it</h1>", "<svg ", "#2: ", "every check green", "<td>kept</td>"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("src=") && !page.contains("href=") && !page.contains("<script"), "{page}");
}

#[test]
fn what_stands_in_the_way_of_a_work_tree_is_said() {
    let world = World::new();
    std::fs::create_dir(world.beside("repo-w")).unwrap();
    let ran = lands(&world, &["--worktree"]).exits(2);
    assert!(ran.err.contains("is in the way of the run's work tree"), "{}", ran.err);
    // What another run left on a branch of that name is not gone on with.
    std::fs::remove_dir(world.beside("repo-w")).unwrap();
    world.git(&["branch", "piton/w"]);
    let ran = lands(&world, &["--worktree"]).exits(2);
    assert!(ran.err.contains("the branch `piton/w` is there already"), "{}", ran.err);
    assert!(ran.err.contains("git branch -D piton/w"), "{}", ran.err);
    let world = World::outside_git();
    let ran = lands(&world, &["--worktree"]).exits(2);
    assert!(ran.err.contains("needs a git repository"), "{}", ran.err);
}

#[test]
fn a_baseline_that_is_worse_than_in_the_checkout_stops_the_run() {
    let world = World::new();
    commit_file(&world, ".gitignore", "generated/\n");
    world.write("generated/code", "");
    let agent = "echo started >> $BESIDE/agents";
    let check = "test=test -e generated/code";
    let ran = world.loops("w", agent, &["--check", check, "--worktree"]).exits(7);
    let why = "the check `test` does worse in the work tree than in the checkout: here it exits with 1, there it passes";
    assert!(ran.out.contains(why) && ran.out.contains("git ignores `generated`"), "{ran:?}");
    assert!(!world.beside("agents").exists(), "no agent was started");
    // Once it is there, the run goes on where it stopped.
    world.shell("mkdir ../repo-w/generated && touch ../repo-w/generated/code").exits(0);
    world.piton(&["resume", "w"]).exits(3);
    assert!(world.beside("agents").exists());
    // Whoever knows better says so.
    world.configure("[worktree]\ncompare = false\n");
    world.loops("v", agent, &["--check", check, "--worktree", "--max-iterations", "1"]).exits(3);
    // Red there and red here is what loops are for.
    std::fs::remove_dir_all(world.path("generated")).unwrap();
    world.configure("");
    world.loops("u", agent, &["--check", check, "--worktree", "--max-iterations", "1"]).exits(3);
}

/// What two runners print where `gen/data` is there, and where it is not; the code is right once `m` says 2.
const RUNS_PYTEST: &str = r#"test "$(cat m)" = 2 && test -e gen/data && { echo '1 passed in 0.01s'; exit 0; }
if test -e gen/data; then
  printf 'test_m.py F   [100%%]\n==== short test summary info ====\nFAILED test_m.py::test_f - assert 1 == 2\n'
  echo '1 failed in 0.01s'; exit 1
fi
printf 'collected 0 items / 1 error\n==== short test summary info ====\nERROR test_m.py\n'
echo '!!!! Interrupted: 1 error during collection !!!!'; echo '1 error in 0.01s'; exit 2
"#;
const RUNS_NODE: &str = r##"name='f is N'
echo 'TAP version 13'
test -e gen/data || { name=$PWD/m.test.js; echo "# Error: Cannot find module './gen/data'"; echo "# - $PWD/m.test.js"; }
printf '# Subtest: %s\nnot ok 1 - %s\n1..1\n# tests 1\n# pass 0\n# fail 1\n# cancelled 0\n# skipped 0\n' "$name" "$name"
exit 1
"##;
const RUNS_NONE: &str = ". ./gen/data; test \"$(cat m)\" = \"$N\"\n";

#[test]
fn red_beside_red_is_held_against_the_checkout_by_what_the_runners_say() {
    for (script, why) in [
        (
            RUNS_PYTEST,
            "here it exits with 2, tests cannot be loaded, there it exits with 1, 0 of 1 tests pass; git",
        ),
        (
            RUNS_NODE,
            "`m.test.js` fails only here; only here it says `# Error: Cannot find module './gen/data'`",
        ),
        (RUNS_NONE, "here it exits with 2, there it exits with 1; only here it says `"),
    ] {
        let world = World::new();
        commit_file(&world, ".gitignore", "gen\n.pytest_cache\n");
        commit_file(&world, "check.sh", script);
        commit_file(&world, "m", "1\n");
        world.write("gen/data", "N=2\n");
        world.write(".pytest_cache/x", "");
        let agent = "echo started >> $BESIDE/agents; echo 2 > m";
        let ran = world.loops("w", agent, &["--check", "test=sh check.sh", "--worktree"]).exits(7);
        assert!(
            ran.err.contains("not in the work tree, as git ignores it: gen\n"),
            "a cache is not missed: {ran:?}"
        );
        assert!(ran.out.contains(why) && ran.out.contains("git ignores `gen`"), "{why}: {ran:?}");
        assert!(!world.beside("agents").exists(), "no agent was started");
        // As red as there, and by the same tests, is what loops are for.
        world.configure("[worktree]\ncopy = ['gen']\n");
        world.loops("v", agent, &["--check", "test=sh check.sh", "--worktree", "--max-iterations", "1"]);
        assert!(world.beside("agents").exists(), "{script}");
    }
}

#[test]
fn a_check_that_reads_the_checkout_stops_the_run_before_an_agent_starts() {
    let world = World::new();
    let agent = "echo started >> $BESIDE/agents";
    let check = format!("test=grep -q a {}", world.path("a.txt").display());
    let ran = world.loops("w", agent, &["--check", &check, "--worktree"]).exits(7);
    let why = "the check `test` opens files of the checkout while it runs in the work tree (`a.txt`)";
    assert!(ran.out.contains(why), "{ran:?}");
    assert!(!world.beside("agents").exists(), "no agent was started");
}

#[test]
fn what_somebody_else_opens_in_the_checkout_is_held_against_no_check() {
    let world = World::new();
    world
        .shell("(while test -e a.txt && ! test -e ../enough; do cat a.txt; sleep 0.05; done) >/dev/null 2>&1 </dev/null &")
        .exits(0);
    let ran = world.loops("w", "touch b.txt", &["--check", "test=sleep 0.3; test -f b.txt", "--worktree"]);
    world.shell("touch ../enough").exits(0);
    ran.exits(0);
}

/// Runs piton in a directory beside the repository.
fn piton_in(world: &World, directory: &str, words: &str) -> super::common::Ran {
    world.shell(&format!("cd ../{directory} && {} {words}", env!("CARGO_BIN_EXE_piton")))
}

#[test]
fn a_loop_in_a_work_tree_of_ones_own_works_for_that_tree() {
    let world = World::new();
    world.loops("first", "echo two > b.txt", &["--check", CHECK]).exits(0);
    assert!(world.path(".piton").is_dir());
    world.shell("rm b.txt; git worktree add -q -b topic ../linked").exits(0);
    let words = format!("loop 'Do it' --id here --exec 'echo two > b.txt' --check '{CHECK}'");
    let ran = piton_in(&world, "linked", &format!("{words} --here")).exits(0);
    assert!(ran.out.contains("in place"), "{}", ran.out);
    assert!(world.beside("linked/b.txt").exists() && !world.path("b.txt").exists());
    assert!(piton_in(&world, "linked", "ls --all").exits(0).out.contains("here"));
    assert!(!world.piton(&["ls", "--all"]).exits(0).out.contains("here"), "each tree has its own runs");
    // A work tree of a run that was begun there starts from that tree, and leads back to it.
    world.shell("cd ../linked && git add b.txt && git commit -qm topic").exits(0);
    let words = "loop 'Do it' --id own --exec 'echo more > c.txt' --check 'c=test -e c.txt'";
    piton_in(&world, "linked", &format!("{words} --worktree")).exits(0);
    assert_eq!(world.git(&["log", "--format=%s", "main..piton/own"]), "Do it: iteration 1\ntopic\n");
    assert!(piton_in(&world, "linked-own", "status").exits(0).out.starts_with("own   done"));
    assert_eq!(world.git(&["status", "--porcelain"]), "", "the main checkout is left alone");
}

#[test]
fn an_agent_that_switches_branches_commits_on_the_branch_of_its_run_all_the_same() {
    let world = World::new();
    let agent = r#"case $PITON_ITERATION in
        1) git checkout -q -b other && echo one > c.txt && git add c.txt && git commit -qm mine && echo one > b.txt;;
        2) git checkout -q --detach HEAD && echo half > b.txt;;
        *) echo two > b.txt;; esac"#;
    let checks = ["--check", CHECK, "--check", "any=test -e b.txt"];
    let ran = world.loops("w", agent, &[&checks[..], &["--worktree"]].concat()).exits(0);
    assert!(ran.out.contains("branch piton/w, 2 commits, nothing merged"), "{}", ran.out);
    let tree = world.shell("cd ../repo-w && git branch --show-current && git status --porcelain").exits(0);
    assert_eq!(tree.out, "piton/w\n", "it stands on its own branch again");
    assert_eq!(world.git(&["log", "--format=%s", "main..piton/w"]), "Do it: iteration 3\nmine\n");
    assert_eq!(world.git(&["log", "--format=%s", "main..other"]), "mine\n", "piton adds nothing to others");
    assert_eq!(world.git(&["show", "piton/w:b.txt"]), "two\n");
    let log = world.piton(&["log", "w"]).exits(0).out;
    assert!(log.contains("the agent had left its branch"), "{log}");
}

#[test]
fn an_agent_that_goes_to_an_older_branch_takes_nothing_from_the_branch_of_its_run() {
    let world = World::new();
    world.git(&["branch", "old"]);
    world.shell("echo new > new.txt; git add new.txt; git commit -qm newer").exits(0);
    let agent = "git checkout -q old; echo two > b.txt";
    world.loops("w", agent, &["--check", CHECK, "--worktree"]).exits(0);
    assert_eq!(world.git(&["log", "--format=%s", "piton/w"]), "Do it: iteration 1\nnewer\nstart\n");
    assert_eq!(world.git(&["log", "--format=%s", "old"]), "start\n");
    // A branch that the agent took away is there again.
    let agent = "git checkout -q -b other; git branch -q -D piton/v; echo two > b.txt";
    world.loops("v", agent, &["--check", CHECK, "--worktree"]).exits(0);
    assert_eq!(world.git(&["log", "--format=%s", "piton/v"]), "Do it: iteration 1\nnewer\nstart\n");
}

#[test]
fn what_is_said_of_a_work_tree_that_lacks_something_helps_when_it_is_done() {
    let world = World::new();
    commit_file(&world, ".gitignore", "generated/\n");
    world.write("generated/code", "");
    let (agent, check) = ("touch b.txt", "test=test -e generated/code && test -e b.txt");
    let baseline = "there=test -e generated/code";
    let words = ["--check", check, "--check", baseline, "--worktree"];
    let ran = world.loops("w", agent, &words).exits(7);
    for said in
        ["put what is missing there and resume", "under `[worktree] copy`", "begin anew with `piton loop`"]
    {
        assert!(ran.out.contains(said), "{said}: {}", ran.out);
    }
    world.configure("[worktree]\ncopy = ['generated']\n");
    let ran = world.piton(&["resume", "w"]).exits(7);
    assert!(
        ran.err.contains("the run goes on as it began"),
        "it keeps its settings, and says so: {}",
        ran.err
    );
    world.loops("v", agent, &words).exits(0);
    world.shell("cp -r generated ../repo-w/").exits(0);
    world.piton(&["resume", "w"]).exits(0);
}

#[test]
fn what_stops_a_run_before_it_begins_can_be_mended_and_resumed() {
    let world = World::new();
    world.shell(r#"ln -s "$PWD/a.txt" link && git add link && git commit -qm link"#).exits(0);
    let next = "next      piton resume w\n         once that is mended\n";
    let ran = world.loops("w", "echo two > b.txt", &["--check", CHECK, "--worktree"]).exits(7);
    assert!(
        ran.out.contains("make it relative in the work tree and resume") && ran.out.contains(next),
        "{}",
        ran.out
    );
    world.shell("ln -sf a.txt ../repo-w/link").exits(0);
    world.piton(&["resume", "w"]).exits(0);
    // A check that opens a file of the checkout.
    let world = World::new();
    world.write("../where", world.path("").to_str().unwrap());
    let check = r#"test=cat "$(cat "$BESIDE/where")/a.txt" && test -e b.txt"#;
    let ran = world.loops("w", "echo two > b.txt", &["--check", check, "--worktree"]).exits(7);
    assert!(
        ran.out.contains("make it find its own tree there and resume") && ran.out.contains(next),
        "{}",
        ran.out
    );
    world.write("../where", ".");
    world.piton(&["resume", "w"]).exits(0);
}

#[test]
fn urls_and_paths_in_variables_keep_every_byte_but_the_checkouts_name() {
    let world = World::new();
    world.write("test.db", "");
    world.commit("db");
    let (root, tree) = (world.path("test.db"), world.beside("repo-w"));
    let root = root.parent().unwrap().to_str().unwrap();
    let values = |root: &str| {
        [
            ("DATABASE_URL", format!("sqlite:///{root}/test.db?mode=rw")),
            ("SOURCE", format!("file://{root}/a.txt")),
            ("PLACE", format!("{root}/")),
            ("CFLAGS", format!("-I{root} -O2")),
            ("ELSEWHERE", format!("/mnt{root}/a.txt")),
        ]
    };
    let given = values(root);
    let given: Vec<_> = given.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let seen = |who: &str| {
        format!(
            "printf '%s\\n' \"$DATABASE_URL\" \"$SOURCE\" \"$PLACE\" \"$CFLAGS\" \"$ELSEWHERE\" > $BESIDE/{who}"
        )
    };
    let agent = format!("{}; touch fixed", seen("agent"));
    let check = format!("c={}; test -e fixed", seen("check"));
    let order = ["loop", "t", "--id", "w", "--worktree", "--exec", &agent, "--check", &check];
    world.piton_with(&given, &order).exits(0);
    let mut expected = values(tree.to_str().unwrap()).map(|(_, value)| value);
    expected[4] = format!("/mnt{root}/a.txt");
    for who in ["agent", "check"] {
        let text = std::fs::read_to_string(world.beside(who)).unwrap();
        assert_eq!(text.lines().collect::<Vec<_>>(), expected, "{who}");
    }
}

#[test]
fn a_work_tree_that_an_agent_removed_is_named_with_how_to_go_on() {
    let world = World::new();
    let agent = r#"if test $PITON_ATTEMPT = 1; then T=$(pwd); cd /; rm -rf "$T"; else echo two > b.txt; fi"#;
    let ran = world.loops("w", agent, &["--check", CHECK, "--worktree"]).exits(7);
    let tree = world.beside("repo-w");
    let again = format!("git worktree add -f {} piton/w", tree.display());
    let words = format!("the work tree `{}` is gone; `{again}` makes it anew", tree.display());
    assert!(ran.out.contains(&words), "{ran:?}");
    let ran = world.piton(&["resume", "w"]).exits(7);
    assert!(ran.err.contains(&words), "{ran:?}");
    world.shell(&again).exits(0);
    world.piton(&["resume", "w"]).exits(0);
}

#[test]
fn work_that_git_ignores_is_said_to_lie_where_it_is() {
    let world = World::new();
    commit_file(&world, ".gitignore", "node_modules/\n");
    let agent = "mkdir -p node_modules/dep; touch node_modules/dep/index";
    let check = "dep=test -f node_modules/dep/index";
    let ran = world.loops("w", agent, &["--check", check, "--worktree"]).exits(0);
    let tree = world.beside("repo-w").display().to_string();
    let result = format!("result    no file changed that git does not ignore; what was made is in {tree}\n");
    assert!(ran.out.contains(&result), "{}", ran.out);
    assert!(ran.out.contains(&format!("next      git -C {tree} status --ignored\n")), "{}", ran.out);
}

#[test]
fn here_in_the_work_tree_of_a_run_is_refused_since_it_would_work_elsewhere() {
    let world = World::new();
    let words = ["--worktree", "--id", "r", "--check", "false", "--exec", "true", "--max-iterations", "1"];
    world.piton(&[&["loop", "x"][..], &words].concat());
    let tree = world.json(&["status", "r"])["worktree"]["path"].as_str().map(str::to_owned);
    let tree =
        tree.unwrap_or_else(|| format!("{}-r", world.path("").display().to_string().trim_end_matches('/')));
    let binary = env!("CARGO_BIN_EXE_piton");
    let line = format!("cd {tree} && {binary} loop y --here --id q --check true --exec 'touch made'");
    let ran = world.shell(&line).exits(2);
    assert!(ran.err.contains("is a work tree of"), "{ran:?}");
    assert!(!world.path("made").exists());
}
