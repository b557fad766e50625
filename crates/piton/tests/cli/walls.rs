//! `--confine`: what an agent can and cannot do between walls.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;

use piton_sys::file;

use crate::common::{World, eventually};

/// A shell function that says which of its tries worked.
const TRY: &str =
    r#"try() { name=$1; shift; if (eval "$*") >/dev/null 2>&1; then echo "worked: $name"; fi; }"#;

fn reach(address: &str) -> String {
    format!("python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect({address})'")
}

#[test]
fn a_confined_agent_writes_to_its_tree_and_nowhere_else() {
    let world = World::new();
    world.write("a/b/tests/t.py", "assert True\n");
    world.configure("[guard]\nprotect = ['a/b/tests']\n[confine]\nenabled = true\n");
    let _bus = UnixListener::bind(world.beside("bus")).unwrap();
    let name = format!("piton-walls-{}", std::process::id());
    let _screen = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let _engine = UnixListener::bind(home.path().join("engine")).unwrap();
    let engine = reach(&format!("\"{}\"", home.path().join("engine").display()));
    let bus = reach(&format!("\"{}\"", world.beside("bus").display()));
    let screen = reach(&format!("\"\\0{name}\""));
    let agent = format!(
        r#"{TRY}
        try journal 'echo x >> .piton/journal.db'
        try anchors 'rm -r .piton/anchors'
        try 'state directory' 'mv .piton elsewhere'
        try 'exit' 'echo {{}} > .piton/attempts/r/1/exit.json'
        try answer '"$PITON_BIN" answer r --approve'
        try trust '"$PITON_BIN" trust --yes'
        try raise '"$PITON_BIN" resume r --max-iterations +9'
        try stop '"$PITON_BIN" stop r'
        try 'driver' 'pkill -f __drive[r]'
        try 'own limits' 'mkdir -p "$PITON_CONFIG_DIR" && echo x > "$PITON_CONFIG_DIR/config.toml" && ! test -e "$PITON_CONFIG_DIR/config.toml"'
        try 'system' 'touch /usr/bin/evil'
        try cron 'echo x > /etc/cron.d/evil'
        try 'settings of the machine' 'cat /proc/sys/vm/swappiness > /proc/sys/vm/swappiness'
        try 'program for core dumps' 'cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern'
        try 'protected file' 'echo x >> a/b/tests/t.py'
        try 'around it' 'mv a/b a/c && mkdir -p a/b/tests'
        try configuration 'echo x >> piton.toml'
        try 'git hook' 'echo x > .git/hooks/pre-commit'
        try 'git settings' 'git config core.fsmonitor /tmp/x'
        try 'common directory' 'echo /tmp/x > .git/commondir'
        try remount 'mount -o remount,rw / || unshare -rm mount -o remount,rw,bind /'
        try bus {bus:?}
        try screen {screen:?}
        try engine {engine:?}
        try work 'echo b > b.txt'
        try 'temporary file' 'touch /tmp/x'
        try report 'echo "{{}}" > "$PITON_REPORT"'
        "#
    );
    world.piton(&["loop", "x", "--id", "r", "--exec", &agent, "--check", "test -f b.txt"]).exits(0);
    let said = world.piton(&["output", "r"]).exits(0).out;
    assert_eq!(said, "worked: work\nworked: temporary file\nworked: report\n");
    assert_eq!(world.read("a/b/tests/t.py"), "assert True\n");
    assert!(!world.beside("config").join("config.toml").exists());
    world.piton(&["verify"]).exits(0);
    // The same tries reach the sockets from outside.
    for line in [&bus, &screen, &engine] {
        assert_eq!(world.shell(line).code, 0, "{line}");
    }
}

#[test]
fn checks_run_what_an_agent_wrote_between_the_same_walls() {
    let world = World::new();
    let agent = "echo 'rm -rf .piton/anchors; echo x >> .piton/journal.db; touch checked; true' > check.sh";
    world.loops("r", agent, &["--confine", "--check", "test -f check.sh && sh check.sh"]).exits(0);
    assert!(world.path("checked").exists());
    world.piton(&["verify"]).exits(0);
}

#[test]
fn the_command_of_on_done_runs_what_an_agent_wrote_between_the_same_walls() {
    let world = World::new();
    let agent =
        "echo 'echo x >> .piton/journal.db; echo x > \"$BESIDE/out\"; echo done > done.txt' > done.sh";
    let words = ["loop", "x", "--id", "r", "--confine", "--exec", agent, "--check", "test -f done.sh"];
    let told = ["--on-done", "sh done.sh; echo ${PYTHONSTARTUP:-hidden} >> done.txt"];
    world.piton_with(&[("PYTHONSTARTUP", "mine.py")], &[&words[..], &told[..]].concat()).exits(0);
    eventually("it was called", || {
        world.path("done.txt").exists() && world.read("done.txt").lines().count() == 2
    });
    assert_eq!(world.read("done.txt"), "done\nhidden\n");
    assert!(!world.beside("out").exists());
    world.piton(&["verify"]).exits(0);
}

#[test]
fn a_work_tree_of_its_own_can_have_walls_too() {
    let world = World::new();
    let agent = format!(
        "{TRY}\nroot={}\ntry 'the repository' 'echo x >> \"$root/a.txt\"'\ntry link 'echo gitdir: /tmp/x > .git'\n\
         try tree 'echo b > b.txt'",
        world.path("").display()
    );
    let words =
        ["loop", "x", "--id", "r", "--worktree", "--confine", "--exec", &agent, "--check", "test -f b.txt"];
    world.piton(&words).exits(0);
    assert_eq!(world.piton(&["output", "r"]).exits(0).out, "worked: tree\n");
    assert_eq!(world.read("a.txt"), "a\n");
    assert!(world.git(&["log", "--oneline", "piton/r"]).lines().count() == 2, "the iteration was committed");
}

#[test]
fn what_a_repository_inside_names_is_not_run_by_the_commit() {
    let world = World::new();
    let evil = world.beside("evil");
    // The second iteration is the one that finds the repository in the commit of the first.
    let agent = format!(
        r#"if ! test -d sub; then git init -q sub; cd sub; echo one > a; git add a
        git -c user.name=x -c user.email=x@localhost commit -q -m inner
        echo '* filter=evil' > .gitattributes; git config filter.evil.clean 'touch {0}; cat'; cd ..; fi
        echo "$PITON_ITERATION" > sub/a; echo "$PITON_ITERATION" > n.txt"#,
        evil.display()
    );
    world.configure("[hooks]\nbuiltin = ['git']\n");
    let check = "! test -f n.txt || test -d sub";
    let words = ["loop", "x", "--id", "r", "--worktree", "--confine", "--exec", &agent, "--check", check];
    world.piton(&[&words[..], &["--until", "file:never", "--max-iterations", "3"]].concat()).exits(3);
    assert!(!evil.exists(), "the filter of a repository that the agent made was run outside of its walls");
    assert_eq!(world.git(&["show", "piton/r:n.txt"]).trim(), "3", "each iteration was committed");
}

#[test]
fn filters_of_a_repository_are_not_run_when_a_work_tree_is_made() {
    let world = World::new();
    let evil = world.beside("evil");
    world.write(".gitattributes", "* filter=evil\n");
    world.commit("attributes");
    let command = format!("touch {}; cat", evil.display());
    for name in ["filter.evil.clean", "filter.evil.smudge"] {
        world.git(&["config", name, &command]);
    }
    world.write("a.txt", "not committed\n");
    let words = ["loop", "x", "--id", "r", "--worktree", "--exec", "touch b.txt", "--check", "test -f b.txt"];
    let ran = world.piton(&words).exits(0);
    assert!(!evil.exists());
    // What such a filter would have stored is not known, so the files themselves are not committed.
    assert!(ran.err.contains("note: files under the filter evil are not committed"), "{ran:?}");
    assert_eq!(world.git(&["show", "piton/r:a.txt"]).trim(), "a");
}

#[test]
fn a_machine_without_walls_is_an_error_before_anything_runs() {
    let world = World::new();
    let path = without_bubblewrap(&world);
    let words = ["loop", "x", "--id", "r", "--confine", "--exec", "true", "--check", "false"];
    let ran = world.piton_with(&[("PATH", &path)], &words).exits(7);
    insta::assert_snapshot!(ran.err, @"
    error: the agent cannot be confined: bubblewrap (`bwrap`) is not installed

    hint: install bubblewrap, or do without --confine and `[confine]`
    ");
    world.piton(&["status", "r"]).exits(2);
}

/// Writes inside, and tries to write outside. What lies beside the repository is not there between walls.
const TRIES: &str =
    "touch inside; touch \"$BESIDE/outside\"; rm -rf .piton/anchors; echo x >> .piton/journal.db; true";

/// What was tried inside worked, and nothing else did.
fn held(world: &World) {
    assert!(world.path("inside").exists(), "the tree can be written");
    assert!(!world.beside("outside").exists(), "what is beside it cannot");
    world.piton(&["verify"]).exits(0);
}

fn confined() -> World {
    World::configured("[confine]\nenabled = true\n")
}

#[test]
fn confine_holds_in_a_loop_hook() {
    let world = World::configured(&format!(
        "[confine]\nenabled = true\n[hooks.h]\npoints = ['loop_start']\ncommand = '''{TRIES}'''\n"
    ));
    world.loops("r", "touch b.txt", &["--check", "test -f b.txt"]).exits(0);
    held(&world);
}

/// A line of shell is the user's; the script that it names is the agent's to edit.
#[test]
fn a_script_that_a_hook_names_and_the_agent_edits_stays_inside() {
    let world = World::new();
    world.shell("mkdir scripts && echo true > scripts/left").exits(0);
    world.configure(
        "[confine]\nenabled = true\n[hooks.h]\npoints = ['post_iteration']\ncommand = 'sh ./scripts/left'\n",
    );
    let agent = format!("touch b.txt; cat > scripts/left <<'END'\n{TRIES}\nEND");
    world.loops("r", &agent, &["--check", "test -f b.txt"]).exits(0);
    held(&world);
}

/// What puts the walls up is not taken from where an agent can write.
#[test]
fn an_agent_cannot_bring_walls_of_its_own() {
    let world = confined();
    world.shell("mkdir bin").exits(0);
    let path = format!("{}:{}", world.path("bin").display(), std::env::var("PATH").unwrap());
    // It drops all the words for walls and runs what stands between them.
    let fake = r#"#!/bin/sh\nwhile test "$1" != --; do shift; done; shift; exec "$@"\n"#;
    let agent = format!("printf '{fake}' > bin/bwrap; chmod +x bin/bwrap; {TRIES}");
    let check = "test -f never";
    let words = ["loop", "x", "--id", "r", "--exec", &agent, "--check", check, "--max-iterations", "2"];
    world.piton_with(&[("PATH", &path)], &words).exits(3);
    held(&world);
}

/// A home, or a part of it, may lie elsewhere.
#[test]
fn a_place_that_is_a_link_can_be_written_where_it_leads() {
    let world = World::new();
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let at = home.path().display();
    world.shell(&format!("cd {at} && mkdir real more && ln -s real .cache && ln -s more named")).exits(0);
    world.configure("[confine]\nenabled = true\nwrite = ['~/named']\n");
    let agent = "touch ~/.cache/x ~/named/y b.txt";
    let words = ["loop", "x", "--id", "r", "--exec", agent, "--check", "test -f b.txt"];
    world.piton_with(&[("HOME", home.path().to_str().unwrap())], &words).exits(0);
    assert!(home.path().join("real/x").exists() && home.path().join("more/y").exists());
}

/// The log of hooks is piton's own, and written from outside.
#[test]
fn a_link_that_an_agent_leaves_leads_no_log_out() {
    let world = confined();
    world.shell("mkdir $BESIDE/elsewhere").exits(0);
    let agent = format!("rm -rf .ralph; ln -s {} .ralph; touch b.txt", world.beside("elsewhere").display());
    world.loops("r", &agent, &["--check", "test -f b.txt", "--max-iterations", "2"]);
    assert_eq!(std::fs::read_dir(world.beside("elsewhere")).unwrap().count(), 0);
}

#[test]
fn confine_holds_in_a_loop_condition() {
    let world = confined();
    let until = format!("cmd:{TRIES}");
    world.loops("r", "touch b.txt", &["--check", "test -f b.txt", "--until", &until]).exits(0);
    held(&world);
}

#[test]
fn confine_holds_in_a_workflow_step() {
    let world = confined();
    world.write("do.md", "Do it.\n");
    world.write("w.yaml", &format!("name: w\nsteps:\n  - id: a\n    run: '{TRIES}'\n"));
    world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(0);
    held(&world);
    std::fs::remove_file(world.path("inside")).unwrap();
    world.write("w.yaml", "name: w\nsteps: [{id: a, agent: coder, prompt: do.md}]\n");
    world.piton(&["run", "w.yaml", "--run-id", "r2", "--exec", TRIES]).exits(0);
    held(&world);
}

#[test]
fn a_confined_step_in_a_tree_of_its_own_can_report() {
    let world = confined();
    world.write("do.md", "Do it.\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "more"]);
    world.write("w.yaml", "name: w\nsteps: [{id: a, agent: coder, prompt: do.md}]\n");
    let agent = r#"root=$(dirname "$REPORT_PATH"); touch "$root/../run_state.json" 2>/dev/null && exit 9
        printf '{"schema":"run_report@v0","run_id":"%s","step_id":"%s","agent":"%s","started_at":"2026-01-01T00:00:00Z","ended_at":"2026-01-01T00:00:01Z","status":"COMPLETED","logs":["said so"]}' \
          "$RUN_ID" "$STEP_ID" "$AGENT_ID" > "$REPORT_PATH""#;
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--worktree", "--exec", agent]).exits(0);
    let log = world.piton(&["log", "r1", "--json"]).exits(0).out;
    assert!(log.contains("said so"), "{log}");
}

#[test]
fn between_walls_a_file_of_people_counts_and_no_step_can_write_one() {
    let world = confined();
    world.write("do.md", "Do it.\n");
    let runs = ".agents/runs/r1";
    let tries = format!(
        "echo {{}} > {runs}/manual_inputs/r1__ask.json && touch wrote; echo x >> {runs}/run_state.json && touch wrote; mv .agents elsewhere && touch wrote; touch tried; until test -e open; do sleep 0.02; done"
    );
    world.write(
        "w.yaml",
        &format!("name: w\nsteps:\n  - id: slow\n    run: '{tries}'\n  - {{id: ask, agent: a, prompt: do.md, human_in_the_loop: true}}\n"),
    );
    let agent = ["--exec", "true", "--pause-for-human-input", "--detach"];
    world.piton(&[&["run", "w.yaml", "--run-id", "r1"], &agent[..]].concat()).exits(0);
    eventually("it tried", || world.path("tried").exists());
    eventually("it asks", || world.json(&["status", "r1"])["questions"][0]["question"] == 1);
    assert!(!world.path("wrote").exists(), "a step wrote what is for people");
    world.write(".agents/runs/r1/manual_inputs/r1__ask.json", "{}");
    eventually("it is answered", || world.count("r1", "human_answered") == 1);
    world.write("open", "");
    world.piton(&["wait", "r1"]).exits(0);
}

#[test]
fn confine_holds_in_a_workflow_gate() {
    let world = confined();
    world.write(
        "w.yaml",
        &format!("name: w\nsteps:\n  - id: a\n    run: 'true'\n    gates: ['cmd:{TRIES}']\n"),
    );
    world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(0);
    held(&world);
}

#[test]
fn confine_holds_in_research() {
    let world = confined();
    world.write("gaps.yaml", "gaps:\n- {id: teams, category: c, priority: 5}\n");
    let agent = format!("{TRIES}; echo '{{\"outcome\": \"insufficient_data\"}}'");
    world.piton(&["gaps", "research", "--exec", &agent]).exits(0);
    held(&world);
}

#[test]
fn an_untrusted_file_takes_no_walls_down_and_opens_none() {
    let world = World::new();
    world.shell("printf '[confine]\\nenabled = true\\n' > $BESIDE/config/config.toml").exits(0);
    world.write(
        "piton.toml",
        &format!("[confine]\nenabled = false\nwrite = ['{}']\n", world.beside("").display()),
    );
    world.write("w.yaml", &format!("name: w\nsteps:\n  - id: a\n    run: '{TRIES}'\n"));
    world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(0);
    held(&world);
}

/// A path with a shell and git in it, and no bubblewrap.
pub(crate) fn without_bubblewrap(world: &World) -> String {
    let path = world.beside("bin");
    std::fs::create_dir(&path).unwrap();
    for program in ["sh", "git", "touch"] {
        let real = world.shell(&format!("command -v {program}")).out;
        std::os::unix::fs::symlink(real.trim(), path.join(program)).unwrap();
    }
    path.to_str().unwrap().to_owned()
}

#[test]
fn what_was_to_be_confined_and_cannot_be_is_refused_in_every_kind_of_run() {
    let world = confined();
    world.write("gaps.yaml", "gaps:\n- {id: teams, category: c, priority: 5}\n");
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'touch ran'}]\n");
    world.loops("begun", "true", &["--check", "false", "--max-iterations", "1"]).exits(3);
    let path = without_bubblewrap(&world);
    for words in [
        &["loop", "x", "--id", "r", "--exec", "touch ran", "--check", "false"][..],
        &["resume", "begun", "--max-iterations", "+1"],
        &["run", "w.yaml", "--run-id", "r1"],
        &["cycle", "start", "x", "--id", "c", "--exec", "touch ran", "--check", "false"],
        &["gaps", "research", "--exec", "touch ran"],
    ] {
        let ran = world.piton_with(&[("PATH", &path)], words).exits(7);
        assert!(ran.err.contains("the agent cannot be confined: bubblewrap"), "{words:?}: {}", ran.err);
    }
    assert!(!world.path("ran").exists());
    assert_eq!(world.count("begun", "attempt_started"), 1);
}

#[test]
fn a_file_that_was_trusted_with_walls_and_changed_starts_nothing_in_any_kind_of_run() {
    let world = confined();
    world.write("gaps.yaml", "gaps:\n- {id: teams, category: c, priority: 5}\n");
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'touch ran'}]\n");
    world.write("piton.toml", "[confine]\nenabled = false\n");
    let research = ["gaps", "research", "--exec", "touch ran"];
    for words in [
        &["loop", "x", "--id", "r", "--exec", "touch ran", "--check", "false"][..],
        &["run", "w.yaml", "--run-id", "r1"],
        &["cycle", "start", "x", "--id", "c", "--exec", "touch ran", "--check", "false"],
        &research,
    ] {
        let ran = world.piton(words).exits(4);
        assert!(ran.err.contains("run `piton trust`"), "{words:?}: {}", ran.err);
    }
    insta::assert_snapshot!(world.piton(&["run", "w.yaml"]).exits(4).err, @"
    error: piton.toml has changed since it was trusted

    hint: look at it, then run `piton trust`; `--trust` takes it for this once
    ");
    assert!(!world.path("ran").exists());
    // Whoever looked at it decides.
    world.piton(&["run", "w.yaml", "--run-id", "r2", "--trust"]).exits(0);
    assert!(world.path("ran").exists());
    world.piton(&["trust", "--yes"]).exits(0);
    world.piton(&["run", "w.yaml", "--run-id", "r3"]).exits(0);
}

#[test]
fn a_run_that_goes_on_or_is_forked_keeps_its_walls_whatever_the_file_says_now() {
    let world = confined();
    let agent = format!("test $PITON_ITERATION = 1 && exit 0; {TRIES}; touch b.txt");
    world.loops("r", &agent, &["--check", "test -f b.txt", "--max-iterations", "1"]).exits(3);
    world.write(
        "w.yaml",
        &format!("name: w\nsteps: [{{id: a, run: 'test -e open'}}, {{id: b, run: '{TRIES}', needs: [a]}}]\n"),
    );
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--max-attempts", "1"]).exits(1);
    world.write("piton.toml", "[confine]\nenabled = false\n");
    world.piton(&["resume", "r", "--max-iterations", "+1"]).exits(0);
    held(&world);
    for words in [&["resume", "r1"][..], &["fork", "r1", "--step", "b", "--id", "r2"]] {
        std::fs::remove_file(world.path("inside")).unwrap();
        world.write("open", "");
        world.piton(words).exits(0);
        held(&world);
    }
}

/// A bubblewrap of one's own before the real one on the path; `script` may end it.
fn with_bubblewrap(world: &World, script: &str) -> String {
    let real = world.shell("command -v bwrap").out;
    let bin = world.beside("bin");
    std::fs::create_dir(&bin).unwrap();
    let program = format!("#!/bin/sh\n{script}\nexec {} \"$@\"\n", real.trim());
    piton_sys::file::create_new(
        &bin.join("bwrap"),
        program.as_bytes(),
        piton_sys::file::Durability::Unsynced,
    )
    .unwrap();
    std::fs::set_permissions(bin.join("bwrap"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    format!("{}:{}", bin.display(), std::env::var("PATH").unwrap())
}

#[test]
fn walls_that_fail_once_are_not_the_verdict_of_a_check() {
    let world = World::new();
    // The first check after the agent: a socket that was to be hidden is gone, for one.
    let path = with_bubblewrap(
        &world,
        r#"case "$*" in *"test -f b.txt"*) if test -f b.txt && mkdir "$BESIDE/failed" 2>/dev/null; then
           echo "bwrap: Can't create file at /gone: Read-only file system" >&2; exit 1; fi;; esac"#,
    );
    let words = ["loop", "x", "--id", "r", "--confine", "--exec", "touch b.txt", "--check", "test -f b.txt"];
    world.piton_with(&[("PATH", &path)], &words).exits(0);
    assert!(world.beside("failed").exists(), "they did fail");
    assert_eq!(world.json(&["status", "r"])["iteration"], 1);
}

#[test]
fn walls_that_always_fail_are_an_error_of_the_machine() {
    let world = World::new();
    let path = with_bubblewrap(
        &world,
        r#"case "$*" in *"test -f b.txt"*) echo "bwrap: no more namespaces" >&2; exit 1;; esac"#,
    );
    let words = ["loop", "x", "--id", "r", "--confine", "--exec", "touch b.txt", "--check", "test -f b.txt"];
    let ran = world.piton_with(&[("PATH", &path)], &words).exits(7);
    assert!(ran.out.contains("there are no walls around it: bwrap: no more namespaces"), "{}", ran.out);
    assert_eq!(world.count("r", "checks_finished"), 0, "nothing was judged");
    // The machine is mended: the run goes on.
    world.piton(&["resume", "r"]).exits(0);
}

#[test]
fn walls_that_cannot_be_started_any_more_are_an_error_of_the_machine() {
    let world = World::new();
    // Somebody breaks bubblewrap while the agent works.
    let path = with_bubblewrap(
        &world,
        r#"case "$*" in *"touch b.txt"*) printf '#!/nowhere\n' > "$0.new"; chmod +x "$0.new"; mv "$0.new" "$0";; esac"#,
    );
    let words = ["loop", "x", "--id", "r", "--confine", "--exec", "touch b.txt", "--check", "test -f b.txt"];
    let ran = world.piton_with(&[("PATH", &path)], &words).exits(7);
    assert!(!ran.out.contains('✓') && !ran.out.contains("#1"), "nothing was judged: {}", ran.out);
    assert_eq!(world.count("r", "checks_finished"), 1, "the baseline");
    world.piton(&["resume", "r"]).exits(0);
}

#[test]
fn a_gate_whose_walls_cannot_be_put_up_is_not_waited_for() {
    let world = World::configured("[confine]\nenabled = true\n");
    // Somebody breaks bubblewrap while the first step works.
    let path = with_bubblewrap(
        &world,
        r#"case "$*" in *"touch b.txt"*) printf '#!/nowhere\n' > "$0.new"; chmod +x "$0.new"; mv "$0.new" "$0";; esac"#,
    );
    world.write(
        "w.yaml",
        "name: w\nsteps:\n- {id: a, run: 'touch b.txt'}\n- {id: gated, needs: [a], run: 'touch c.txt', gates: ['cmd:test -f b.txt']}\n",
    );
    let ran = world.piton_with(&[("PATH", &path)], &["run", "w.yaml", "--run-id", "r1"]).exits(7);
    assert!(ran.out.contains("start the command of a gate in"), "{}", ran.out);
    assert!(!world.path("c.txt").exists());
    world.piton(&["resume", "r1"]).exits(0);
    assert!(world.path("c.txt").exists());
}

#[test]
fn guard_protect_holds_in_a_confined_step() {
    let world = World::configured("[guard]\nprotect = ['a.txt']\n[confine]\nenabled = true\n");
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'touch b.txt; ! echo x >> a.txt'}]\n");
    world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(0);
    assert_eq!((world.read("a.txt").as_str(), world.path("b.txt").exists()), ("a\n", true));
}

#[test]
fn guard_protect_holds_in_confined_research() {
    let world = World::configured("[guard]\nprotect = ['a.txt']\n[confine]\nenabled = true\n");
    world.write("gaps.yaml", "gaps:\n- {id: teams, category: c, priority: 5}\n");
    let agent = "touch b.txt; echo x >> a.txt; echo '{\"outcome\": \"insufficient_data\"}'";
    world.piton(&["gaps", "research", "--exec", agent]).exits(0);
    assert_eq!((world.read("a.txt").as_str(), world.path("b.txt").exists()), ("a\n", true));
}

/// As programs save a file: another one is given its name.
fn write(path: &Path, text: &str) {
    file::write_atomic(path, text.as_bytes(), file::Durability::Unsynced).unwrap();
}

/// A home of its own, with these files, where the walls do not take it for a place that is empty inside.
fn home(files: &[(&str, &str)]) -> tempfile::TempDir {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for (path, text) in files {
        let path = home.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        write(&path, text);
    }
    home
}

#[test]
fn what_claude_code_obeys_outside_cannot_be_written_or_made_inside() {
    let world = World::new();
    let home = home(&[(".claude.json", r#"{"userID": "x"}"#), (".claude/.credentials.json", "login")]);
    let bin = home.path().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let program = format!(
        r#"#!/bin/sh
{TRY}
try server 'grep -q userID ~/.claude.json && echo hit > ~/.claude.json'
try renamed 'echo hit > ~/.x && mv ~/.x ~/.claude.json'
try login 'echo new > ~/.claude/.credentials.json'
try conversation 'mkdir -p ~/.claude/projects && echo x > ~/.claude/projects/x'
for name in settings.json settings.local.json CLAUDE.md skills/x/SKILL.md plugins/x hooks/x agents/x output-styles/x rules/x; do
try $name "mkdir -p \$(dirname ~/.claude/$name) && echo hit > ~/.claude/$name"
done >> tried
touch b.txt
"#
    );
    write(&bin.join("claude"), &program);
    world.shell(&format!("chmod +x {}/claude", bin.display())).exits(0);
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let env = [("HOME", home.path().to_str().unwrap()), ("PATH", &path)];
    let words = ["loop", "x", "--id", "r", "--agent", "claude", "--confine", "--max-iterations", "1"];
    world.piton_with(&env, &[&words[..], &["--check", "test -f b.txt"]].concat()).exits(0);
    assert_eq!(world.read("tried"), "");
    let read = |name: &str| std::fs::read_to_string(home.path().join(name)).unwrap_or_default();
    assert_eq!(read(".claude.json"), r#"{"userID": "x"}"#, "a copy was written");
    assert_eq!(read(".claude/settings.local.json"), "{}\n", "nothing is said in it");
    assert_eq!(read(".claude/.credentials.json"), "new\n");
    assert_eq!(read(".claude/projects/x"), "x\n");
}

#[test]
fn a_key_that_is_replaced_outside_meanwhile_stays_hidden() {
    let world = World::new();
    let home = home(&[(".netrc", "key"), (".docker/config.json", "key"), (".docker/other", "seen")]);
    let agent = "touch waits; for i in $(seq 500); do test -e go && break; sleep 0.02; done
        cat ~/.netrc ~/.docker/config.json ~/.docker/other > seen.txt; touch ~/.docker/x; true";
    let env = [("HOME", home.path().to_str().unwrap())];
    let words =
        ["loop", "x", "--id", "r", "--here", "--confine", "--exec", agent, "--check", "test -f seen.txt"];
    std::thread::scope(|scope| {
        scope.spawn(|| {
            eventually("the agent works", || world.path("waits").exists());
            for name in [".netrc", ".docker/config.json"] {
                write(&home.path().join(name), "another key");
            }
            world.write("go", "");
        });
        world.piton_with(&env, &words).exits(0);
    });
    assert_eq!(world.read("seen.txt"), "seen");
    assert!(!home.path().join(".docker/x").exists());
}

#[test]
fn a_socket_that_lies_in_the_tree_is_reached_where_it_is_named() {
    let world = World::new();
    let _engine = UnixListener::bind(world.path("engine.sock")).unwrap();
    let socket = world.path("engine.sock");
    let line = reach(&format!("\"{}\"", socket.display()));
    let agent = format!("{TRY}\ntry engine {line:?}; touch b.txt");
    let words = |id| {
        ["loop", "x", "--id", id, "--confine", "--exec", &agent, "--check", "test -f b.txt"]
            .map(str::to_owned)
    };
    let run = |id| {
        let words = words(id);
        world.piton(&words.iter().map(String::as_str).collect::<Vec<_>>()).exits(0);
        let said = world.piton(&["output", id]).exits(0).out;
        std::fs::remove_file(world.path("b.txt")).unwrap();
        said
    };
    assert_eq!(run("r"), "");
    world.configure(&format!("[confine]\nenabled = true\nread = [{:?}]\n", socket.display().to_string()));
    assert_eq!(run("s"), "worked: engine\n");
}

#[test]
fn a_filter_of_the_user_runs_between_the_walls_and_stores_what_it_makes() {
    let world = World::new();
    let settings = home(&[]);
    let filter = settings.path().join("git-lfs");
    let out = settings.path().join("out");
    write(
        &filter,
        &format!(
            "#!/bin/sh\necho x > {0} 2>/dev/null\necho x > \"$(git rev-parse --git-common-dir)/lfs/$(basename \"$2\")\" || exit 1\necho \"pointer to $2\"; wc -c\n",
            out.display()
        ),
    );
    world.shell(&format!("chmod +x {}", filter.display())).exits(0);
    let config = settings.path().join(".gitconfig");
    let text = format!(
        "[user]\nname = Ann\nemail = ann@example.org\n[filter \"lfs\"]\nclean = {} clean %f\nrequired = true\n",
        filter.display()
    );
    write(&config, &text);
    world.write(".gitattributes", "*.bin filter=lfs\n");
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "attributes"]);
    let agent = "echo 12345 > 'a b.bin'; touch b.txt";
    let words = ["loop", "x", "--id", "r", "--worktree", "--exec", agent, "--check", "test -f b.txt"];
    let env = [("GIT_CONFIG_GLOBAL", config.to_str().unwrap()), ("HOME", settings.path().to_str().unwrap())];
    world.piton_with(&env, &[&words[..], &["--confine"]].concat()).exits(0);
    let stored = world.shell("git show 'piton/r:a b.bin'").exits(0).out;
    assert_eq!(stored, "pointer to a b.bin\n6\n");
    assert!(!out.exists(), "it wrote outside");
    assert!(world.path(".git/lfs/a b.bin").exists(), "it keeps what it replaces");
}

#[test]
fn what_patterns_protect_is_closed_between_walls() {
    let world = World::outside_git();
    world.write(".gitignore", ".env\nignored.key\nsecrets/ignored\ninstalled/\n");
    world.write("secrets/a", "k\n");
    world.write("conf/t", "k\n");
    world.write("conf/u", "k\n");
    world.write("a.key", "k\n");
    world.init();
    world.configure(
        "[guard]\nprotect = ['.env*', '*.key', 'secrets/*', 'conf/t', 'conf/u']\n[confine]\nenabled = true\n",
    );
    for ignored in [".env", "ignored.key", "secrets/ignored", "installed/b.key"] {
        world.write(ignored, "k\n");
    }
    let agent = "for f in .env ignored.key a.key secrets/a secrets/ignored conf/t conf/u conf/v installed/b.key; do \
                 (echo x > $f) 2>/dev/null && echo $f; done > wrote; rm -r installed && echo removed >> wrote";
    world.loops("r", agent, &["--check", "test -f wrote", "--here"]).exits(0);
    assert_eq!(world.read("wrote"), "conf/v\ninstalled/b.key\nremoved\n");
}
