//! Journals that are not one's own: a clone can carry one, a copy is one of two, and links lead elsewhere.

use piton_sys::process::is_alive;

use super::common::{Ran, WAITS, World, eventually};

/// Somebody else, with a list of journals of their own.
fn somebody(world: &World, arguments: &[&str]) -> Ran {
    let config = world.beside("somebody").display().to_string();
    world.piton_with(&[("PITON_CONFIG_DIR", &config)], arguments)
}

/// A repository with the journal of somebody else, in which a run is to go on.
fn sent() -> World {
    let world = World::new();
    let command = r#"echo x >> "$BESIDE/ran""#;
    let most = ["--check", "false", "--max-iterations", "1"];
    somebody(&world, &[&["loop", "Do it", "--id", "evil", "--exec", command], &most[..]].concat()).exits(3);
    std::fs::remove_file(world.beside("ran")).unwrap();
    world
}

#[test]
fn of_a_run_that_can_only_be_read_all_is_said_but_what_to_do() {
    let world = World::new();
    let done = ["loop", "Do it", "--id", "fine", "--exec", "touch b.txt", "--check", "test -f b.txt"];
    somebody(&world, &done).exits(0);
    let status = world.piton(&["status", "fine"]).exits(0).out;
    let said = |line: &str| status.lines().any(|said| said.starts_with(line));
    assert!(said("do       nothing: ") && said("driver   none"), "{status}");
}

#[test]
fn a_journal_that_came_with_a_clone_is_read_and_nothing_of_it_is_driven() {
    let world = sent();
    let status = world.piton(&["status", "evil"]).exits(0);
    assert!(status.out.contains("is not one of yours"), "{status:?}");
    assert!(!status.out.contains("piton resume"), "{}", status.out);
    assert_eq!(world.json(&["status", "evil"])["next"], "piton trust --journal");
    world.piton(&["log", "evil"]).exits(0);
    world.piton(&["ls"]).exits(0);
    let more = ["--max-iterations", "5"];
    let refused = world.piton(&[&["resume", "evil"], &more[..]].concat()).exits(4);
    insta::assert_snapshot!(refused.err, @"
    error: the journal in `<repo>/.piton` is not one of yours: it came with the repository, or another user made it

    hint: look at it with `piton ls` and `piton log`; `piton trust --journal` makes it yours, `--trust` takes it for this once
    ");
    for steers in [
        &["rm", "evil"][..],
        &["rm", "evil", "--force"],
        &["stop", "evil"],
        &["tell", "evil", "more"],
        &["note", "evil", "more"],
        &["answer", "evil", "--approve"],
        &["restore", "evil"],
        &["rebuild", "evil"],
        &["fork", "evil"],
        &["best", "evil", "--use", "1", "--reason", "so"],
        &["gaps", "add", "G1", "--category", "x"],
        &["loop", "Another", "--exec", "true", "--until", "cmd:true"],
    ] {
        let ran = world.piton(steers);
        assert_eq!(ran.code, 4, "{steers:?}: {ran:?}");
    }
    assert!(!world.beside("ran").exists(), "it ran");
    assert_eq!(world.events("evil").iter().filter(|event| event["type"] == "note_added").count(), 0);
}

#[test]
fn a_worker_leaves_a_journal_alone_that_is_not_its_users() {
    let world = World::new();
    somebody(&world, &["loop", "Do it", "--id", "evil", "--exec", WAITS, "--until", "cmd:true", "--detach"])
        .exits(0);
    let agent = world.agent_works("evil", 1);
    world.kill_driver("evil");
    world.open_gate();
    eventually("the agent ends", || !is_alive(&agent));
    world.shell(r#"pwd -P > "$BESIDE/config/repositories""#).exits(0);
    let before = world.events("evil").len();
    let ran = world.piton(&["worker", "--once"]).exits(0);
    assert!(format!("{}{}", ran.out, ran.err).contains("is not one of yours"), "{ran:?}");
    assert_eq!(world.events("evil").len(), before);
}

#[test]
fn a_journal_that_was_looked_at_is_made_ones_own() {
    let world = sent();
    let ran = world.piton(&["trust", "--journal"]).exits(0);
    insta::assert_snapshot!(ran.out, @"the journal is yours");
    world.piton(&["resume", "evil", "--max-iterations", "2"]).exits(3);
    assert_eq!(std::fs::read_to_string(world.beside("ran")).unwrap(), "x\n");
}

#[test]
fn the_flag_takes_a_journal_for_this_once() {
    let world = sent();
    world.piton(&["resume", "evil", "--max-iterations", "2", "--trust"]).exits(3);
    assert_eq!(std::fs::read_to_string(world.beside("ran")).unwrap(), "x\n");
    world.piton(&["resume", "evil", "--max-iterations", "3"]).exits(4);
    world.piton(&["rm", "evil", "--trust"]).exits(0);
}

/// As in a new home, or where a cache of CI brought the state back.
#[test]
fn a_journal_whose_list_is_gone_is_looked_at_again() {
    let world = World::new();
    let most = ["--check", "false", "--max-iterations", "1"];
    world.loops("r", "echo x >> a.txt", &most).exits(3);
    std::fs::remove_file(world.beside("config/trust.json")).unwrap();
    let resume = ["resume", "r", "--max-iterations", "+1"];
    let refused = world.piton(&resume).exits(4);
    assert!(refused.err.contains("is not one of yours"), "{}", refused.err);
    world.piton(&[&resume[..], &["--trust"]].concat()).exits(3);
    world.piton(&["trust", "--journal"]).exits(0);
    world.piton(&resume).exits(3);
}

#[test]
fn a_journal_that_git_tracks_is_refused_and_ones_own_is_warned_about() {
    let world = sent();
    // As an attacker commits it: git itself would take it for a repository in the repository.
    std::fs::remove_dir_all(world.path(".piton/.git")).unwrap();
    world.git(&["add", "-f", ".piton"]);
    world.git(&["commit", "-q", "-m", "runs"]);
    let refused = world.piton(&["resume", "evil"]).exits(4);
    insta::assert_snapshot!(refused.err, @"
    error: git tracks .piton, so this journal came with the repository, and it is not one of yours

    hint: look at it with `piton ls`; move .piton away, or `git rm -r --cached .piton` and `piton trust --journal` if it is yours after all
    ");
    world.piton(&["trust", "--journal"]).exits(4);
    world.piton(&["resume", "evil", "--trust"]).exits(4);
    let warned = somebody(&world, &["resume", "evil", "--max-iterations", "2"]).exits(3);
    assert!(warned.err.contains("warning: git tracks .piton"), "{}", warned.err);
    world.git(&["rm", "-r", "-q", "--cached", ".piton"]);
    world.piton(&["trust", "--journal"]).exits(0);
}

#[test]
fn a_journal_that_is_a_submodule_is_tracked_as_well() {
    let world = sent();
    let head = world.git(&["rev-parse", "HEAD"]);
    world.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},.piton", head.trim())]);
    let refused = world.piton(&["trust", "--journal"]).exits(4);
    assert!(refused.err.contains("git tracks .piton"), "{}", refused.err);
}

#[test]
fn no_link_below_the_state_directory_is_followed() {
    for (link, is_directory) in [("attempts", true), ("index", true), ("write.lock", false)] {
        let world = World::new();
        world.loops("r", "true", &["--until", "cmd:true"]).exits(0);
        let outside = world.beside("outside");
        world.shell(r#"mkdir -p "$BESIDE/outside/r" && touch "$BESIDE/outside/r/precious""#).exits(0);
        let path = world.path(&format!(".piton/{link}"));
        if is_directory {
            let _ = std::fs::remove_dir_all(&path);
            std::os::unix::fs::symlink(&outside, &path).unwrap();
        } else {
            std::fs::remove_file(&path).unwrap();
            std::os::unix::fs::symlink(outside.join("made"), &path).unwrap();
        }
        let refused = world.piton(&["rm", "r", "--force"]);
        assert_eq!(refused.code, 7, "{link}: {refused:?}");
        assert!(refused.err.contains("it is a symbolic link"), "{link}: {}", refused.err);
        world.piton(&["status", "r"]).exits(7);
        assert!(outside.join("r/precious").exists(), "{link}: deleted outside");
        assert!(!outside.join("made").exists(), "{link}: made outside");
    }
}

#[test]
fn a_state_directory_that_is_a_link_is_refused() {
    let world = World::new();
    let elsewhere = World::new();
    elsewhere.loops("r", "true", &["--until", "cmd:true"]).exits(0);
    std::os::unix::fs::symlink(elsewhere.path(".piton"), world.path(".piton")).unwrap();
    world.piton(&["status", "r"]).exits(7);
    world.piton(&["rm", "r"]).exits(7);
    elsewhere.piton(&["status", "r"]).exits(0);
    // Nothing is made where it leads to, either.
    let empty = world.beside("empty");
    std::fs::create_dir(&empty).unwrap();
    std::fs::remove_file(world.path(".piton")).unwrap();
    std::os::unix::fs::symlink(&empty, world.path(".piton")).unwrap();
    world.piton(&["loop", "x", "--worktree", "--exec", "true", "--check", "false"]).exits(7);
    assert_eq!(std::fs::read_dir(&empty).unwrap().count(), 0);
}

#[test]
fn a_run_begun_without_a_home_goes_on_there_without_ceremony() {
    let world = World::new();
    let tmp = world.beside("tmp");
    std::fs::create_dir(&tmp).unwrap();
    // Nobody, root included, can make a directory there.
    let surroundings = [("PITON_CONFIG_DIR", "/proc/nowhere/piton"), ("TMPDIR", tmp.to_str().unwrap())];
    let begin = ["loop", "Do it", "--id", "r", "--exec", "echo x >> a.txt", "--check", "false"];
    world.piton_with(&surroundings, &[&begin[..], &["--max-iterations", "1"]].concat()).exits(3);
    world.piton_with(&surroundings, &["resume", "r", "--max-iterations", "2"]).exits(3);
    // Where there is no such directory either, it is said, with a way out.
    let nowhere = [surroundings[0], ("TMPDIR", "/proc/nowhere")];
    let refused = world.piton_with(&nowhere, &["resume", "r", "--max-iterations", "3"]).exits(4);
    assert!(refused.err.contains("is not one of yours"), "{}", refused.err);
    world.piton_with(&nowhere, &["resume", "r", "--max-iterations", "3", "--trust"]).exits(3);
    let other = World::new();
    let refused = other.piton_with(&nowhere, &begin).exits(4);
    insta::assert_snapshot!(refused.err, @"
    error: a journal that is made here could not be listed as yours: failed to create the directory `/proc/nowhere`: No such file or directory (os error 2)

    hint: let PITON_CONFIG_DIR name a directory that you can write to; `--trust` does without the list for this once
    ");
    other.piton_with(&nowhere, &[&begin[..], &["--trust"]].concat()).exits(3);
}

/// A loop whose agent works, and a copy of its repository.
fn copied(more: &[&str]) -> (World, piton_sys::process::ProcessId, String) {
    let world = World::new();
    let agent = world.loops_behind("r", WAITS, &[&["--until", "cmd:test -e \"$GATE\""], more].concat());
    let copy = world.beside("copy").display().to_string();
    world.shell(&format!("cp -a . '{copy}'")).exits(0);
    (world, agent, copy)
}

#[test]
fn a_copy_of_a_repository_leaves_the_agents_of_the_original_alone() {
    let (world, agent, copy) = copied(&[]);
    world.kill_driver("r");
    let refused = world.piton(&["--repo", &copy, "resume", "r"]).exits(4);
    insta::assert_snapshot!(refused.err, @"
    error: the journal in `<copy>/.piton` is a copy of the one in `<repo>`, which is still there

    hint: go on there; or `piton trust --journal` gives this one a life of its own, in which attempts that were under way are lost
    ");
    world.piton(&["--repo", &copy, "resume", "r", "--trust"]).exits(4);
    world.piton(&["--repo", &copy, "rm", "r", "--force"]).exits(4);
    world.piton(&["--repo", &copy, "status", "r"]).exits(0);
    assert!(is_alive(&agent), "the copy ended the agent of the original");
    let ran = world.piton(&["--repo", &copy, "trust", "--journal"]).exits(0);
    insta::assert_snapshot!(ran.out, @"the journal is yours, with a life of its own: attempts that were under way in `<repo>` are lost to it");
    world.piton(&["--repo", &copy, "resume", "r", "--detach"]).exits(0);
    let events = || {
        let ran = world.piton(&["--repo", &copy, "log", "r", "--json"]).exits(0);
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<serde_json::Value>>()
    };
    let count = |kind: &str| events().iter().filter(|event| event["type"] == kind).count();
    eventually("the copy begins an attempt of its own", || count("attempt_started") == 2);
    assert_eq!(count("attempt_lost") + count("attempt_abandoned"), 1);
    assert!(is_alive(&agent), "the copy ended the agent of the original");
    // Neither knows of the other any more.
    world.piton(&["resume", "r", "--detach"]).exits(0);
    world.open_gate();
    world.piton(&["wait", "r"]).exits(0);
    world.piton(&["--repo", &copy, "wait", "r"]).exits(0);
    assert_eq!(world.count("r", "attempt_started"), 1);
    world.piton(&["verify"]).exits(0);
    world.piton(&["--repo", &copy, "verify"]).exits(0);
}

#[test]
fn a_look_at_a_copy_leaves_the_original_as_it_is() {
    let (world, agent, copy) = copied(&[]);
    let driver = world.driver("r");
    for process in [driver, agent] {
        piton_sys::process::signal(&process, piton_sys::process::Signal::Kill).unwrap();
        super::common::eventually("it is dead", || !piton_sys::process::is_alive(&process));
    }
    let files =
        || ["", "-wal"].map(|name| std::fs::read(world.path(&format!(".piton/journal.db{name}"))).unwrap());
    let before = files();
    assert!(!before[1].is_empty(), "its log is not folded in");
    let status = world.piton(&["--repo", &copy, "status", "r"]).exits(0);
    assert!(status.out.contains("is a copy of the one in"), "{}", status.out);
    assert!(files() == before, "the original was written to");
    // Whoever lists or examines it is told so, too.
    let listed = world.piton(&["--repo", &copy, "ls"]).exits(0);
    assert!(listed.err.contains("is a copy of the one in"), "{}", listed.err);
    let found = world.piton(&["--repo", &copy, "doctor"]).out;
    assert!(found.contains("warn  journal        1 run · the journal in"), "{found}");
}

#[test]
fn a_repository_that_was_moved_goes_on_and_says_so_once() {
    let world = World::new();
    world.loops("r", "echo x >> a.txt", &["--check", "false", "--max-iterations", "1"]).exits(3);
    let moved = world.beside("moved").display().to_string();
    world.shell(r#"mv "$BESIDE/repo" "$BESIDE/moved" && mkdir "$BESIDE/repo""#).exits(0);
    let resume =
        |most: &str| world.piton(&["--repo", &moved, "resume", "r", "--max-iterations", most]).exits(3);
    let first = resume("2");
    assert!(first.err.contains("was moved here from"), "{}", first.err);
    assert!(!resume("3").err.contains("was moved here from"));
}

#[test]
fn a_repository_that_is_moved_while_a_run_works_says_how_it_goes_on() {
    let world = World::new();
    let agent = format!("echo x >> a.txt; {WAITS}; touch b.txt");
    let agent = world.loops_behind("r", &agent, &["--check", "test -f b.txt"]);
    let moved = world.beside("moved").display().to_string();
    world.shell(r#"mv "$BESIDE/repo" "$BESIDE/moved" && mkdir "$BESIDE/repo""#).exits(0);
    eventually("the agent is ended", || !is_alive(&agent));
    let ran = world.piton(&["--repo", &moved, "attach", "r"]).exits(7);
    assert!(ran.err.contains("was moved here while run `r` worked"), "{}", ran.err);
    assert!(ran.err.contains("`piton resume r`") && !ran.err.contains("nowhere else"), "{}", ran.err);
    world.open_gate();
    world.piton(&["--repo", &moved, "resume", "r"]).exits(0);
}

/// A copy by hard links is the original: what is written into one is written into both.
#[test]
fn a_copy_by_hard_links_does_not_take_the_id_from_its_original() {
    let world = World::new();
    world.loops("r", "echo x >> a.txt", &["--check", "false", "--max-iterations", "1"]).exits(3);
    let copy = world.beside("copy").display().to_string();
    world.shell(r#"cp -al "$BESIDE/repo" "$BESIDE/copy""#).exits(0);
    let ran = world.piton(&["--repo", &copy, "trust", "--journal", "-y"]).exits(4);
    assert!(ran.err.contains("hard link"), "{}", ran.err);
    world.piton(&["resume", "r", "--max-iterations", "2"]).exits(3);
    world.piton(&["verify"]).exits(0);
    // The way out that it names.
    world
        .shell("cd \"$BESIDE/copy\" && cp -a .piton .piton-own && rm -r .piton && mv .piton-own .piton")
        .exits(0);
    world.piton(&["--repo", &copy, "trust", "--journal", "-y"]).exits(0);
    // What was recorded in both since has its snapshots in the original alone.
    let ran = world.piton(&["--repo", &copy, "verify"]).exits(6);
    assert!(
        ran.out.contains("git has lost some of its snapshots") && ran.out.contains("1 problem"),
        "{ran:?}"
    );
    world.piton(&["resume", "r", "--max-iterations", "3"]).exits(3);
    world.piton(&["verify"]).exits(0);
}

#[test]
fn the_same_repository_by_another_name_is_no_copy() {
    let world = World::new();
    world.loops("r", "echo x >> a.txt", &["--check", "false", "--max-iterations", "1"]).exits(3);
    let link = world.beside("link").display().to_string();
    std::os::unix::fs::symlink(world.path(""), &link).unwrap();
    let ran = world.piton(&["--repo", &link, "resume", "r", "--max-iterations", "2"]).exits(3);
    assert!(!ran.err.contains("moved"), "{}", ran.err);
}

#[test]
fn a_tree_has_one_loop_however_it_is_called() {
    let world = World::new();
    world.write("sub/b.txt", "b\n");
    world.loops_behind("r", WAITS, &["--until", "cmd:true"]);
    let sub = world.path("sub").display().to_string();
    let ran = world.piton(&[
        "loop",
        "--repo",
        &sub,
        "Do it",
        "--id",
        "s",
        "--exec",
        r#"touch "$BESIDE/ran""#,
        "--until",
        "cmd:true",
    ]);
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(ran.err.contains("another run works in this tree"), "{}", ran.err);
    assert!(!world.beside("ran").exists(), "two agents in one tree");
    world.open_gate();
    world.piton(&["wait", "r"]).exits(0);
    world.piton(&["loop", "--repo", &sub, "Do it", "--exec", "true", "--until", "cmd:true"]).exits(0);
}

/// All of it in one namespace: elsewhere nobody would see the agent, and would be refused for that.
#[test]
fn a_link_a_bind_mount_and_another_journal_make_no_second_tree() {
    let world = World::new();
    std::os::unix::fs::symlink(world.path(""), world.beside("link")).unwrap();
    let again = r#"loop y --id s --here --exec 'touch "$BESIDE/ran"' --until cmd:true"#;
    let other = r#"--store "sqlite:$BESIDE/other/.piton/journal.db""#;
    let line = format!(
        r#"mkdir "$BESIDE/bound" "$BESIDE/other" && mount --bind . "$BESIDE/bound" || exit 9
        {piton} loop x --id r --here --detach --exec '{WAITS}' --until cmd:true || exit 9
        {piton} --repo "$BESIDE/link" {again}; echo $?; {piton} --repo "$BESIDE/bound" {again}; echo $?
        {piton} --repo . {other} {again}; echo $?; {piton} --repo "$BESIDE/bound" {other} {again}; echo $?
        touch "$GATE"; {piton} wait r"#,
        piton = env!("CARGO_BIN_EXE_piton")
    );
    world.write("line.sh", &line);
    let ran = world.shell("unshare --user --map-root-user --mount sh line.sh").exits(0);
    assert!(ran.out.ends_with("\n5\n5\n5\n5\n"), "{ran:?}");
    assert_eq!(ran.err.matches("another run works in this tree").count(), 4, "{}", ran.err);
    assert!(!world.beside("ran").exists(), "two agents in one tree");
}

#[test]
fn a_cycle_and_a_loop_do_not_work_in_one_tree() {
    let world = World::new();
    let cycle = ["cycle", "start", "x", "--id", "c", "--exec", WAITS, "--check", "true"];
    world.loops_behind("r", WAITS, &["--until", "cmd:true"]);
    let refused = world.piton(&cycle).exits(5);
    assert!(refused.err.contains("another run works in this tree"), "{}", refused.err);
    world.open_gate();
    world.piton(&["wait", "r"]).exits(0);
    std::fs::remove_file(world.beside("gate")).unwrap();
    world.piton(&[&cycle[..], &["--detach"]].concat()).exits(0);
    world.agent_works("c", 1);
    let refused = world.loops("s", r#"touch "$BESIDE/ran""#, &["--until", "cmd:true"]).exits(5);
    assert!(refused.err.contains("another run works in this tree"), "{}", refused.err);
    assert!(!world.beside("ran").exists());
}

#[test]
fn a_copy_does_not_work_in_the_work_tree_of_the_original() {
    let (world, agent, copy) = copied(&["--worktree"]);
    world.kill_driver("r");
    world.piton(&["--repo", &copy, "trust", "--journal"]).exits(0);
    let refused = world.piton(&["--repo", &copy, "resume", "r"]).exits(5);
    assert!(refused.err.contains("belongs to the runs of"), "{}", refused.err);
    assert!(is_alive(&agent));
}
