//! What a confined agent left in a tree, and what runs there later: a fork, another run, a filter of git's. All of it stays inside.

use crate::common::World;

/// Says that it ran, and tries to say so outside. What lies beside the repository is not there between walls.
const TRIES: &str = r#"touch inside; touch "$BESIDE/outside"; cat; true"#;

/// An agent that puts the tries into `file`.
fn rewriting(file: &str) -> String {
    format!("cat > {file} <<'END'\n{TRIES}\nEND")
}

/// A repository with walls, a setup that is a script of its own, and this in `more`.
fn world(more: &str) -> World {
    let world = World::new();
    world.shell(
        "mkdir tools; echo cat > tools/run.sh; echo one > d.dat; echo '*.dat filter=x' > .gitattributes",
    );
    world.configure(&format!("[confine]\nenabled = true\n{more}"));
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "tools"]);
    world
}

#[track_caller]
fn stayed_inside(world: &World, tree: &str) {
    assert!(!world.beside("outside").exists(), "what an agent wrote ran outside of the walls");
    assert!(world.beside(tree).join("inside").exists(), "it did run, inside");
}

const SETUP: &str = "[worktree]\nsetup = 'sh ./tools/run.sh < /dev/null'\n";
const ONCE: [&str; 4] = ["--check", "false", "--max-iterations", "1"];

#[test]
fn the_setup_of_a_fork_runs_what_the_agent_wrote_between_the_walls() {
    let world = world(SETUP);
    world.loops("r", &rewriting("tools/run.sh"), &[&ONCE[..], &["--worktree"]].concat()).exits(3);
    world.piton(&["fork", "r", "--iteration", "1", "--id", "f"]).exits(3);
    stayed_inside(&world, "repo-f");
}

#[test]
fn the_setup_of_a_forked_workflow_runs_what_a_step_wrote_between_the_walls() {
    let world = world(SETUP);
    let step = rewriting("tools/run.sh").replace('\n', "\n      ");
    world.write(
        "w.yaml",
        &format!(
            "name: w\nsteps:\n  - id: a\n    run: |\n      {step}\n  - {{id: b, run: 'true', needs: [a]}}\n"
        ),
    );
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--worktree"]).exits(0);
    world.piton(&["fork", "r1", "--step", "b", "--id", "r2"]).exits(0);
    stayed_inside(&world, "repo-r2");
}

#[test]
fn a_work_tree_that_takes_along_what_an_agent_left_is_set_up_between_the_walls() {
    let world = world(SETUP);
    world.loops("r", &rewriting("tools/run.sh"), &ONCE).exits(3);
    world.loops("s", "true", &[&ONCE[..], &["--worktree"]].concat()).exits(3);
    stayed_inside(&world, "repo-s");
}

#[test]
fn a_filter_that_names_a_script_of_the_tree_stays_between_the_walls() {
    let world = world("");
    for name in ["clean", "smudge"] {
        world.git(&["config", "--global", &format!("filter.x.{name}"), "sh ./tools/run.sh"]);
    }
    let agent = format!("{}\necho $PITON_RUN_ID > d.dat", rewriting("tools/run.sh"));
    world.loops("r", &agent, &ONCE).exits(3);
    // Whether something is not committed, what is taken along, and the tree of a fork.
    world.git(&["checkout", "-q", "-b", "topic"]);
    std::fs::remove_file(world.beside("outside")).unwrap_or_default();
    world.loops("s", &agent, &[&ONCE[..], &["--worktree=default"]].concat()).exits(3);
    world.piton(&["fork", "s", "--iteration", "1", "--id", "f"]).exits(3);
    stayed_inside(&world, "repo-f");
}

#[test]
fn a_check_that_is_held_against_the_checkout_runs_there_between_the_walls() {
    let world = world("");
    let agent = rewriting("tools/run.sh").replace("true\n", "exit 1\n");
    world.loops("r", &agent, &ONCE).exits(3);
    let check = ["--check", "sh tools/run.sh < /dev/null", "--max-iterations", "1", "--worktree"];
    std::fs::remove_file(world.path("inside")).unwrap_or_default();
    world.loops("s", "true", &check).exits(3);
    stayed_inside(&world, "repo");
}

/// Keys that the agent can read, and whether it left one.
const READS: &str =
    "cat ~/.ssh/id_rsa ~/.netrc > seen.txt; mkdir -p ~/.ssh; echo mine > ~/.ssh/authorized_keys; touch b.txt";

#[test]
fn walls_do_not_stand_around_a_tree_that_holds_the_home() {
    let world = world("");
    world.shell("mkdir -p home/.ssh; echo key > home/.ssh/id_rsa").exits(0);
    let home = world.path("home");
    for home in [world.path(""), home] {
        let env = [("HOME", home.to_str().unwrap())];
        let words = ["loop", "x", "--id", "r", "--exec", READS, "--check", "test -f b.txt"];
        let ran = world.piton_with(&env, &words).exits(7);
        assert!(ran.err.contains("its work tree holds your home"), "{}", ran.err);
        assert!(ran.err.contains("hint: let it work in a tree of its own with --worktree"), "{}", ran.err);
    }
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'touch b.txt'}]\n");
    let env = [("HOME", home_of(&world))];
    let env = env.each_ref().map(|(name, value)| (*name, value.as_str()));
    let cycle = ["cycle", "start", "x", "--id", "c", "--exec", "touch b.txt", "--check", "test -f b.txt"];
    for words in [&["run", "w.yaml", "--run-id", "r1"][..], &cycle] {
        let ran = world.piton_with(&env, words).exits(7);
        assert!(ran.err.contains("its work tree holds your home"), "{}", ran.err);
    }
    assert_eq!(world.piton(&["ls"]).exits(0).out, "", "nothing is on record");
    assert!(!world.path("b.txt").exists(), "nothing was started");
}

fn home_of(world: &World) -> String {
    world.path("home").to_str().unwrap().to_owned()
}

#[test]
fn keys_that_lie_in_the_repository_are_not_seen_from_a_tree_of_its_own() {
    let world = world("");
    world
        .shell("mkdir -p home/.ssh; echo key > home/.ssh/id_rsa; echo key > home/.netrc; echo key > cluster")
        .exits(0);
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "dotfiles"]);
    let agent = format!("{READS}; cat \"$KUBECONFIG\" >> seen.txt");
    let words = ["loop", "x", "--id", "r", "--worktree", "--exec", &agent, "--check", "test -f b.txt"];
    let env = [("HOME", home_of(&world)), ("KUBECONFIG", world.path("cluster").display().to_string())];
    let env = env.each_ref().map(|(name, value)| (*name, value.as_str()));
    world.piton_with(&env, &words).exits(0);
    let seen = std::fs::read_to_string(world.beside("repo-r").join("seen.txt")).unwrap();
    assert_eq!(seen, "");
    assert!(!world.path("home/.ssh/authorized_keys").exists());
}
