//! What a work tree is given: packages, setups, submodules, and what a person names.

use super::{CHECK, WORKS, commit_file, lands};
use crate::common::{World, eventually};

#[test]
fn a_work_tree_is_furnished_with_what_git_does_not_keep() {
    let world = World::new();
    commit_file(&world, ".gitignore", "data/\n");
    world.write("data/x/y", "data\n");
    world.write(".env", "KEY=1\n");
    world.configure("[worktree]\ncopy = ['.env', 'data', 'absent']\nsetup = 'cat .env data/x/y > made'\n");
    world.git(&["add", "piton.toml"]);
    world.git(&["commit", "-q", "-m", "piton"]);
    lands(&world, &["--worktree=default"]).exits(0);
    let tree = world.beside("repo-w");
    assert_eq!(std::fs::read_to_string(tree.join("made")).unwrap(), "KEY=1\ndata\n");
    assert!(tree.join("data/x/y").is_file() && !tree.join("data").is_symlink(), "nothing is shared");
    // What was only put there is no work: no commit has it.
    let committed = world.git(&["ls-tree", "--name-only", "-r", "piton/w"]);
    assert!(
        committed.contains("b.txt") && !committed.contains("data") && !committed.contains(".env"),
        "{committed}"
    );
}

/// A package that is installed and ignored; the check passes once `b.txt` says what the package says.
fn with_package(world: &World) {
    commit_file(world, ".gitignore", "node_modules/\n.env\ntarget/\n");
    world.write("node_modules/dep/index", "two\n");
    world.write("target/debug/built", "");
    world.write(".env", "KEY=1\n");
}

#[test]
fn packages_that_are_installed_are_copied_unless_that_is_off() {
    let world = World::new();
    with_package(&world);
    let check = "test=cmp -s b.txt node_modules/dep/index";
    let ran = world.loops("w", WORKS, &["--check", check, "--worktree"]).exits(0);
    let note = "copied into the work tree: node_modules, .env; not in it, as git ignores it: target";
    assert!(ran.err.contains(note), "{ran:?}");
    let tree = world.beside("repo-w");
    assert!(tree.join("node_modules/dep/index").is_file() && tree.join(".env").is_file());
    assert!(!tree.join("node_modules").is_symlink() && !tree.join("target").exists());
    world.configure("[worktree]\ninstalled = false\ncompare = false\n");
    let ran = world.loops("v", WORKS, &["--check", check, "--worktree", "--max-iterations", "1"]).exits(3);
    assert!(ran.err.contains("not in the work tree, as git ignores it: node_modules, target"), "{ran:?}");
    assert!(!world.beside("repo-v").join("node_modules").exists());
}

#[test]
fn what_the_work_tree_does_not_have_is_said_again_where_a_run_ends_red() {
    let world = World::new();
    commit_file(&world, ".gitignore", "gen\n");
    world.write("gen/data", "N=2\n");
    let check = "test=test -e gen/data && test -e never";
    let ran =
        world.loops("w", "touch b", &["--check", check, "--worktree", "--max-iterations", "1"]).exits(3);
    let note = "not in the work tree, as git ignores it: gen\n";
    assert!(ran.out.contains(&format!("note      {note}")), "{ran:?}");
    assert!(world.piton(&["status", "w"]).exits(0).out.contains(note));
}

/// A Python environment as an editable install leaves it: a script and a path file that name the checkout.
fn with_environment(world: &World) {
    commit_file(world, ".gitignore", ".venv/\n__pycache__/\n");
    world.write("src/product.py", "def answer():\n    return 1\n");
    world.commit("product");
    let root = world.path("").display().to_string();
    let root = root.trim_end_matches('/');
    world.write(".venv/pyvenv.cfg", "home = /usr/bin\n");
    world.write(".venv/product.pth", &format!("{root}/src\n"));
    let tool = format!("#!/bin/sh\nPYTHONPATH=$(cat {root}/.venv/product.pth) exec python3 -B \"$@\"\n");
    world.write(".venv/bin/tool", &tool);
    world.shell("chmod +x .venv/bin/tool").exits(0);
}

#[test]
fn an_editable_install_judges_the_work_and_not_the_checkout() {
    let world = World::new();
    with_environment(&world);
    let check = "test=.venv/bin/tool -c 'import product, sys; sys.exit(product.answer() != 2)'";
    let agent = "sed -i s/1/2/ src/product.py";
    world.loops("w", agent, &["--check", check, "--worktree"]).exits(0);
    assert_eq!(world.read("src/product.py"), "def answer():\n    return 1\n", "the checkout is left alone");
    // The same where the environment is in use already.
    let path = format!("{}:{}", world.path(".venv/bin").display(), std::env::var("PATH").unwrap());
    let check = check.replace(".venv/bin/tool", "tool");
    let words = ["loop", "x", "--id", "v", "--exec", agent, "--check", &check, "--worktree"];
    world.piton_with(&[("PATH", &path)], &words).exits(0);
}

/// Nothing that can be written is shared, also where the checkout itself has only a link to it.
#[test]
fn what_a_link_leads_to_is_copied_and_not_the_link() {
    let world = World::new();
    commit_file(&world, ".gitignore", "node_modules\n");
    world.shell("mkdir -p \"$BESIDE/packages/dep\"; echo two > \"$BESIDE/packages/dep/index\"").exits(0);
    // What is in there may name its own place: as a link, and in a text.
    world.shell("ln -s \"$BESIDE/packages/dep\" \"$BESIDE/packages/abs\"").exits(0);
    world.shell("echo \"echo spoilt > $BESIDE/packages/dep/run\" > \"$BESIDE/packages/tool\"").exits(0);
    world.shell("ln -s \"$BESIDE/packages\" node_modules").exits(0);
    let agent = "cp node_modules/dep/index b.txt; echo spoilt > node_modules/dep/index; \
        echo spoilt > node_modules/abs/z; sh node_modules/tool";
    let ran = world.loops("w", agent, &["--check", "test=test -f b.txt", "--worktree"]).exits(0);
    assert!(ran.err.contains("copied into the work tree: node_modules"), "{ran:?}");
    assert_eq!(world.read("node_modules/dep/index"), "two\n", "the checkout is left alone");
    assert_eq!(world.shell("ls \"$BESIDE/packages/dep\"").out, "index\n");
}

#[test]
fn a_setup_that_links_into_the_checkout_is_refused() {
    let world = World::new();
    commit_file(&world, ".gitignore", "node_modules/\n");
    world.write("node_modules/dep", "");
    world.configure("[worktree]\ninstalled = false\nsetup = 'ln -s ../repo/node_modules .'\n");
    let ran = lands(&world, &["--worktree"]).exits(7);
    assert!(ran.out.contains("the link `node_modules` leads into the checkout"), "{ran:?}");
}

/// Whatever it is that the link names: there, not there yet, named absolutely or through the directory beside it.
#[test]
fn a_link_of_the_tree_itself_that_leads_into_the_checkout_is_refused_before_an_agent_starts() {
    for (target, is_tracked) in
        [("$PWD/data", true), ("$PWD/data", false), ("$PWD/new", true), ("../repo/data", false)]
    {
        let world = World::new();
        world.write("data/v", "1\n");
        world.git(&["add", "data"]);
        world.git(&["commit", "-q", "-m", "data"]);
        world.shell(&format!("ln -s {target} cur")).exits(0);
        if is_tracked {
            world.git(&["add", "cur"]);
            world.git(&["commit", "-q", "-m", "link"]);
        }
        let agent = "echo started >> $BESIDE/agents; echo 2 > cur/v; echo two > b.txt";
        let ran = world.loops("w", agent, &["--check", CHECK, "--worktree"]).exits(7);
        let why = "the link `cur` leads into the checkout, where checks would read and agents would write";
        assert!(ran.out.contains(why), "{target}: {ran:?}");
        // A workflow takes along what git keeps.
        if is_tracked {
            world.write(
                "w.yaml",
                "name: w\nsteps: [{id: a, run: 'echo started >> $BESIDE/agents; echo 2 > cur/v'}]\n",
            );
            let ran = world.piton(&["run", "w.yaml", "--run-id", "v", "--worktree"]).exits(7);
            assert!(ran.out.contains(why) || ran.err.contains(why), "{target}: {ran:?}");
        }
        assert!(!world.beside("agents").exists(), "no agent was started");
        assert_eq!(world.read("data/v"), "1\n");
        // As it is said.
        world.shell("ln -sfn data cur").exits(0);
        world.loops("u", agent, &["--check", CHECK, "--worktree"]).exits(0);
        assert_eq!(world.read("data/v"), "1\n", "the checkout is left alone");
    }
}

#[test]
fn submodules_are_checked_out_with_repositories_of_their_own() {
    let world = World::new();
    world.shell("git init -q -b main ../library && cd ../library && echo two > text && git add . && git commit -q -m library").exits(0);
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../library", "lib"];
    world.git(&add);
    world.git(&["commit", "-q", "-m", "submodule"]);
    world.loops("w", "cp lib/text b.txt", &["--check", CHECK, "--worktree"]).exits(0);
    let inside =
        world.shell("cd ../repo-w/lib && git rev-parse --git-dir && git remote get-url origin").exits(0);
    let url = world.shell("cd lib && git remote get-url origin").exits(0).out;
    assert_eq!(inside.out, format!(".git\n{url}"), "it shares nothing with the checkout");
    assert_eq!(world.shell("cd ../repo-w && git status --porcelain").exits(0).out, "");
}

/// A commit names the commit of a submodule: what is not committed in there is judged with the rest, and lost with the work tree.
#[test]
fn what_is_not_committed_in_a_submodule_is_said() {
    let world = World::new();
    world.shell("git init -q -b main ../library && cd ../library && echo two > text && git add . && git commit -q -m library").exits(0);
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../library", "lib"];
    world.git(&add);
    world.git(&["commit", "-q", "-m", "submodule"]);
    let note = "judged, and not committed, as it lies in a submodule: what changed in lib";
    let agent = "cp lib/text b.txt; echo three > lib/text";
    let ran = world.loops("w", agent, &["--check", CHECK, "--worktree"]).exits(0);
    assert!(ran.out.contains(&format!("note      {note}")), "{}", ran.out);
    let report = world.piton(&["report", "w"]).exits(0).out;
    assert!(report.contains(&format!("J{}", &note[1..])), "{report}");
    assert_eq!(world.json(&["status", "w"])["changed"]["uncommitted"]["submodules"][0], "lib");
    // Nothing is said where nothing is lost: it is committed in there, or nobody touched it.
    let who = "-c user.name=a -c user.email=a@example.org";
    let commits = format!("{agent}; git -C lib {who} commit -q -a -m three");
    for (run, agent) in [("v", commits.as_str()), ("u", "cp lib/text b.txt")] {
        let ran = world.loops(run, agent, &["--check", CHECK, "--worktree"]).exits(0);
        assert!(!ran.out.contains("submodule"), "{}", ran.out);
    }
}

#[test]
fn a_setup_that_fails_stops_the_run_and_says_what_it_said() {
    let world = World::configured("[worktree]\nsetup = 'echo said aloud; exit 3'\n");
    let ran = world.loops("aloud", "touch b.txt", &["--check", CHECK, "--worktree"]).exits(7);
    assert!(ran.out.contains("it exits with 3: said aloud"), "{ran:?}");
    world.configure("[worktree]\nsetup = 'echo no packages here >&2; false'\n");
    let ran = lands(&world, &["--worktree"]).exits(7);
    assert!(ran.out.contains("no packages here"), "{ran:?}");
    world.configure("[worktree]\nsetup = 'true'\n");
    let ran = world.piton(&["status", "w"]).exits(0);
    assert!(ran.out.contains("piton resume w"), "{}", ran.out);
}

const NEW_PACKAGE: &str = "name: w\nsteps: [{id: a, run: 'cat node_modules/dep/index > made'}]\n";

#[test]
fn packages_are_copied_for_a_workflow_unless_that_is_off() {
    let world = World::new();
    with_package(&world);
    world.write("w.yaml", NEW_PACKAGE);
    let ran = world.piton(&["run", "w.yaml", "--run-id", "w", "--worktree"]).exits(0);
    let note = "copied into the work tree: node_modules, .env; not in it, as git ignores it: target";
    assert!(ran.err.contains(note), "{ran:?}");
    let tree = world.beside("repo-w");
    assert_eq!(std::fs::read_to_string(tree.join("made")).unwrap(), "two\n");
    assert!(!tree.join("node_modules").is_symlink(), "nothing is shared");
    world.configure("[worktree]\ninstalled = false\n");
    world.piton(&["run", "w.yaml", "--run-id", "v", "--worktree"]).exits(1);
    assert!(!world.beside("repo-v").join("node_modules").exists());
}

#[test]
fn the_work_tree_of_a_workflow_is_furnished_once_for_all_its_steps() {
    let world = World::new();
    commit_file(&world, ".gitignore", "data/\n");
    world.write("data/x", "data\n");
    world.configure(
        "[worktree]\ncopy = ['data']\nsetup = 'test -e ../ready || { echo no packages here >&2; exit 1; }; cat data/x >> made'\n",
    );
    world.write("inner.yaml", "name: i\nsteps: [{id: c, run: 'test -s made'}]\n");
    let steps = "[{id: a, run: 'test -s made'}, {id: b, run: 'test -s made'}, {id: n, workflow: inner.yaml}]";
    world.write("w.yaml", &format!("name: w\nsteps: {steps}\n"));
    let words = ["run", "w.yaml", "--run-id", "w", "--worktree"];
    let ran = world.piton(&words).exits(7);
    assert!(
        ran.out.contains("failed to furnish the work tree") && ran.out.contains("no packages here"),
        "{ran:?}"
    );
    world.write("../ready", "");
    world.piton(&["resume", "w"]).exits(0);
    let made = std::fs::read_to_string(world.beside("repo-w").join("made")).unwrap();
    assert_eq!(made, "data\n", "once, for the nested run as well");
}

#[test]
fn a_file_that_is_too_large_to_be_taken_along_is_named() {
    let world = World::new();
    world.shell("truncate -s 65M data.bin").exits(0);
    let ran = lands(&world, &["--worktree"]).exits(0);
    let said = "not in the work tree, as it is larger than 64 MiB and git does not have it: data.bin";
    assert!(ran.err.contains(said), "{ran:?}");
    assert!(world.path("data.bin").exists() && !world.beside("repo-w").join("data.bin").exists());
}

/// A setup that says when it begins, waits for the gate, and says when it is done.
const SLOW_SETUP: &str = r#"[worktree]
setup = 'echo x >> ../begun; until test -e "$GATE"; do sleep 0.02; done; echo x >> ../done'
"#;

fn lines(world: &World, name: &str) -> usize {
    std::fs::read_to_string(world.beside(name)).unwrap_or_default().lines().count()
}

fn sets_up(world: &World, workflow: bool) {
    world.configure(SLOW_SETUP);
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'touch a'}, {id: b, run: 'touch b'}]\n");
    match workflow {
        true => world.piton(&["run", "w.yaml", "--run-id", "w", "--worktree", "--detach"]).exits(0),
        false => world.loops("w", "echo two > b.txt", &["--check", CHECK, "--worktree", "--detach"]).exits(0),
    };
    eventually("it is set up", || lines(world, "begun") == 1);
}

#[test]
fn a_setup_is_run_once_although_its_driver_is_killed() {
    for workflow in [false, true] {
        let world = World::new();
        sets_up(&world, workflow);
        world.kill_driver("w");
        world.piton(&["resume", "w", "--detach"]).exits(0);
        world.open_gate();
        world.piton(&["wait", "w"]).exits(0);
        assert_eq!((lines(&world, "begun"), lines(&world, "done")), (1, 1), "workflow: {workflow}");
    }
}

#[test]
fn a_setup_that_is_under_way_is_ended_by_whoever_stops_now_and_run_again_afterwards() {
    for workflow in [false, true] {
        let world = World::new();
        sets_up(&world, workflow);
        world.piton(&["stop", "w", "--now"]).exits(0);
        eventually("it is stopped", || world.json(&["status", "w"])["status"] == "stopped");
        world.open_gate();
        world.piton(&["resume", "w"]).exits(0);
        assert_eq!((lines(&world, "begun"), lines(&world, "done")), (2, 1), "workflow: {workflow}");
    }
}

#[test]
fn a_setup_that_failed_while_nobody_drove_is_tried_again() {
    for workflow in [false, true] {
        let world = World::new();
        sets_up(&world, workflow);
        world.kill_driver("w");
        world.shell("mkdir ../done && touch ../gate").exits(0);
        eventually("it has failed", || {
            let attempts = world.path(".piton/attempts/w").read_dir().unwrap().flatten();
            attempts.into_iter().any(|entry| entry.path().join("exit.json").exists())
        });
        world.shell("rmdir ../done").exits(0);
        world.piton(&["resume", "w"]).exits(0);
        assert_eq!((lines(&world, "begun"), lines(&world, "done")), (2, 1), "workflow: {workflow}");
    }
}

#[test]
fn a_directory_that_holds_nothing_but_what_is_copied_is_not_said_to_be_missing() {
    let world = World::new();
    world.write("pk/package.json", "{}\n");
    world.git(&["add", "pk"]);
    commit_file(&world, ".gitignore", "node_modules/\ntarget/\n");
    world.write("pk/a/node_modules/dep/index", "two\n");
    world.write("pk/b/target/built", "");
    let ran = lands(&world, &["--worktree"]).exits(0);
    let note =
        "copied into the work tree: pk/a/node_modules; not in it, as git ignores it: pk/b, pk/b/target";
    assert!(ran.err.contains(note), "{}", ran.err);
}

/// What `npm link` of a package in itself leaves: a link to somewhere else, where another one leads into the checkout.
#[test]
fn a_link_that_leads_into_the_checkout_by_way_of_another_is_made_to_lead_into_the_tree() {
    let world = World::new();
    commit_file(&world, ".gitignore", "node_modules\n");
    commit_file(&world, "index.js", "one\n");
    world.shell("mkdir node_modules \"$BESIDE/global\"; ln -s \"$PWD\" \"$BESIDE/global/app\"").exits(0);
    world.shell("ln -s \"$BESIDE/global/app\" node_modules/app").exits(0);
    let agent = "echo two > node_modules/app/index.js";
    world.loops("w", agent, &["--check", "test=grep -q two index.js", "--worktree"]).exits(0);
    assert_eq!(world.read("index.js"), "one\n", "the checkout is left alone");
}
