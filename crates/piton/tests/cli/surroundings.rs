//! Surroundings that are not as they should be: refused with the right code, nothing broken further.

use super::common::{World, eventually};

const RED: &str = "test=test -f b.txt";

fn with_a_run() -> World {
    let world = World::new();
    world.loops("r", "touch b.txt", &["--check", RED]).exits(0);
    // The driver closes the journal a moment after its run rests. Whoever does so last folds the log in; of two that
    // close it at the same moment neither does, so each look is by somebody who opens and closes it, too.
    eventually("the journal is closed", || {
        let journal = rusqlite::Connection::open(world.path(".piton/journal.db")).unwrap();
        let _runs: Option<i64> = journal.query_row("select count(*) from runs", [], |row| row.get(0)).ok();
        drop(journal);
        !world.path(".piton/journal.db-wal").exists()
    });
    world
}

#[test]
fn a_symlinked_state_directory_is_refused() {
    let world = World::new();
    std::fs::create_dir(world.beside("elsewhere")).unwrap();
    std::os::unix::fs::symlink(world.beside("elsewhere"), world.path(".piton")).unwrap();
    let ran = world.loops("r", "true", &["--check", RED]).exits(7);
    insta::assert_snapshot!(ran.err, @"
    error: failed to trust the directory `<repo>/.piton`
      caused by: it is a symbolic link

    hint: move `<repo>/.piton` away: piton does not follow or replace what is there
    ");
    assert_eq!(
        std::fs::read_dir(world.beside("elsewhere")).unwrap().count(),
        0,
        "nothing was written through it"
    );
    world.piton(&["doctor"]).exits(7);
}

#[test]
fn a_world_writable_state_directory_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let world = with_a_run();
    std::fs::set_permissions(world.path(".piton"), std::fs::Permissions::from_mode(0o777)).unwrap();
    let ran = world.piton(&["status"]).exits(7);
    insta::assert_snapshot!(ran.err, @"
    error: failed to trust the directory `<repo>/.piton`
      caused by: it is writable by everyone (mode 777); run `chmod o-w` on it

    hint: make sure nobody changed it, then run `chmod o-w <repo>/.piton`
    ");
    world.loops("again", "true", &["--check", RED]).exits(7);
}

#[test]
fn a_file_in_the_place_of_the_state_directory_is_refused() {
    let world = World::new();
    world.write(".piton", "mine\n");
    let ran = world.loops("r", "true", &["--check", RED]).exits(7);
    insta::assert_snapshot!(ran.err, @"
    error: failed to trust the directory `<repo>/.piton`
      caused by: it is not a directory

    hint: move `<repo>/.piton` away: piton does not follow or replace what is there
    ");
    assert_eq!(world.read(".piton"), "mine\n");
}

#[test]
fn a_journal_from_the_future_is_refused_and_left_alone() {
    let world = with_a_run();
    let journal = rusqlite::Connection::open(world.path(".piton/journal.db")).unwrap();
    journal.pragma_update(None, "user_version", 9999).unwrap();
    drop(journal);
    for command in [&["status"][..], &["verify"], &["loop", "x", "--exec", "true", "--check", RED]] {
        let ran = world.piton(command).exits(7);
        assert!(ran.err.contains("hint: update piton on this machine"), "{command:?}: {}", ran.err);
    }
    insta::assert_snapshot!(world.piton(&["ls"]).exits(7).err, @"
    error: the journal has format 9999, this piton knows up to 3

    hint: update piton on this machine; until then, in an empty directory, `piton backup restore URL` brings back what a backup of before holds
    ");
    world.piton(&["doctor"]).exits(7);
}

#[test]
fn a_journal_from_before_the_first_release_is_refused_in_one_sentence() {
    let world = with_a_run();
    let journal = rusqlite::Connection::open(world.path(".piton/journal.db")).unwrap();
    journal.pragma_update(None, "user_version", 1).unwrap();
    drop(journal);
    for command in [&["status"][..], &["verify"], &["loop", "x", "--exec", "true", "--check", RED]] {
        world.piton(command).exits(7);
    }
    insta::assert_snapshot!(world.piton(&["ls"]).exits(7).err, @"
    error: the journal has format 1, from before piton's first release; this piton reads 3 and nothing older

    hint: move .piton aside and begin anew; the piton that wrote it can still read it
    ");
}

#[test]
fn a_changed_event_is_found_out() {
    let world = with_a_run();
    let journal = rusqlite::Connection::open(world.path(".piton/journal.db")).unwrap();
    // One bit of what the second append holds.
    let (row, mut body): (i64, Vec<u8>) = journal
        .query_row("select row, body from events order by seq limit 1 offset 1", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    let middle = body.len() / 2;
    body[middle] ^= 1;
    assert_eq!(journal.execute("update events set body = ?1 where row = ?2", (body, row)).unwrap(), 1);
    drop(journal);
    let ran = world.piton(&["verify"]).exits(6);
    insta::assert_snapshot!(ran.out, @"
    r: event 2: the chain is broken: what is stored is not what was written
      run `piton repair`: it keeps what is good of `r`, and takes the rest from the newest backup; what it left elsewhere is untouched: attempts in .piton/attempts, snapshots under refs/piton/runs/r
    damaged: 1 run, 0 events, 1 problem
    ");
    let found = world.piton(&["verify", "--json"]).exits(6);
    let found: serde_json::Value = serde_json::from_str(&found.out).unwrap();
    assert_eq!(found["ok"], false);
    assert_eq!(found["problems"][0]["run_id"], "r");
    for field in ["what", "remedy"] {
        assert!(found["problems"][0][field].is_string(), "{found:#}");
    }
    let ran = world.piton(&["log", "r"]).exits(6);
    insta::assert_snapshot!(ran.err, @"
    error: the journal is damaged: run `r`, event 2: the chain is broken: what is stored is not what was written

    hint: run `piton verify` to see all of it, `piton repair` to keep what is good
    ");
    world.piton(&["status", "r"]).exits(6);
}

#[test]
fn a_damaged_row_of_one_run_leaves_the_others_alone() {
    let world = with_a_run();
    let once = ["--check", "never=false", "--max-iterations", "1"];
    world.loops("other-1", "date > b.txt", &once).exits(3);
    world.loops("other-2", "date > b.txt", &once).exits(3);
    let journal = rusqlite::Connection::open(world.path(".piton/journal.db")).unwrap();
    assert_eq!(journal.execute("update runs set title = 'else' where id = 'other-1'", []).unwrap(), 1);
    drop(journal);
    let listed = world.piton(&["ls", "--all"]).exits(6);
    let lines: Vec<&str> = listed.out.lines().collect();
    assert!(lines[0].starts_with("other-1 "), "what needs somebody comes first: {}", listed.out);
    assert!(
        lines[0].ends_with("damaged: its index row is not what was written; run `piton repair`"),
        "{}",
        lines[0]
    );
    assert!(lines.len() == 3 && !listed.out.contains("else"), "nothing else is said of it: {}", listed.out);
    assert_eq!(listed.err, "");
    let listed = world.piton(&["ls", "--all", "--json"]).exits(6);
    let listed: serde_json::Value = serde_json::from_str(&listed.out).unwrap();
    assert_eq!(
        listed[0],
        serde_json::json!({"run_id": "other-1", "status": "damaged",
            "damaged": "its index row is not what was written", "hint": "piton repair"})
    );
    assert_eq!((&listed[1]["run_id"], &listed[2]["run_id"]), (&"other-2".into(), &"r".into()));
    let asked = world.piton(&["status", "other-1"]).exits(6);
    assert!(
        asked.err.contains("its index row is not what was written") && asked.err.contains("piton repair"),
        "{asked:?}"
    );
    let bare = world.piton(&["status"]).exits(6);
    assert!(
        bare.out.contains("other-2") && bare.out.contains("other-1"),
        "which is meant is not known: {bare:?}"
    );
    let bare = world.piton(&["status", "--json"]).exits(6);
    let there: serde_json::Value = serde_json::from_str(&bare.out).expect("the runs that are there");
    let ids: Vec<_> =
        there["runs"].as_array().unwrap().iter().map(|run| run["run_id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["other-2", "r"]);
    assert!(there["lost"][0]["message"].as_str().unwrap().contains("other-1"), "{there:#}");
    for words in [&["status", "r"][..], &["log", "other-2"], &["why", "other-2"]] {
        world.piton(words).exits(0);
    }
    let numbers = world.piton(&["metrics"]).exits(6);
    assert!(numbers.out.contains("loop_id=\"other-2\"") && numbers.err.contains("other-1"), "{numbers:?}");
    let waiting = world.piton(&["answer"]).exits(6);
    assert!(waiting.err.contains("other-1") && !waiting.err.contains("nothing waits"), "{waiting:?}");
    world.piton(&["resume", "other-2", "--max-iterations", "+1"]).exits(3);
    world.loops("new", "date > b.txt", &once).exits(3);
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'true'}]\n");
    world.piton(&["run", "w.yaml", "--run-id", "w"]).exits(0);
    // What is not known of the damaged one is not guessed.
    for words in [&["status", "other-1"][..], &["status"], &["status", "last"], &["verify"]] {
        world.piton(words).exits(6);
    }
}

#[test]
fn every_damaged_run_is_named() {
    let world = with_a_run();
    let once = ["--check", "never=false", "--max-iterations", "1"];
    for run in ["row-1", "row-2", "events"] {
        world.loops(run, "date > b.txt", &once).exits(3);
    }
    let journal = rusqlite::Connection::open(world.path(".piton/journal.db")).unwrap();
    assert_eq!(journal.execute("update runs set title = 'else' where id like 'row-%'", []).unwrap(), 2);
    let sql = "update events set body = zeroblob(length(body)) where row = \
               (select max(row) from events where run = (select number from runs where id = 'events'))";
    assert_eq!(journal.execute(sql, []).unwrap(), 1);
    drop(journal);
    let numbers = world.piton(&["metrics"]).exits(6);
    for run in ["row-1", "row-2", "events"] {
        assert!(numbers.err.contains(&format!("run `{run}`")), "{run}: {}", numbers.err);
    }
    assert!(numbers.out.contains("loop_id=\"r\""), "{}", numbers.out);
}

#[test]
fn a_journal_that_is_no_database_is_corruption() {
    let world = with_a_run();
    for suffix in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(world.path(&format!(".piton/journal.db{suffix}")));
    }
    world.write(".piton/journal.db", &"garbage ".repeat(4096));
    let ran = world.piton(&["status"]).exits(6);
    insta::assert_snapshot!(ran.err, @"
    error: the journal is damaged: SQLite says: file is not a database

    hint: `piton verify` says all that is damaged; `piton repair` puts it aside and keeps what is good
    ");
    world.piton(&["verify"]).exits(6);
    world.loops("again", "true", &["--check", RED]).exits(6);
    assert!(world.read(".piton/journal.db").starts_with("garbage"), "it is left as it is");
}

#[test]
fn a_journal_without_a_format_is_corruption_and_is_told_in_one_sentence() {
    let world = with_a_run();
    let journal = rusqlite::Connection::open(world.path(".piton/journal.db")).unwrap();
    journal.pragma_update(None, "user_version", 0).unwrap();
    drop(journal);
    for words in [&["status"][..], &["ls"], &["verify"], &["resume", "r"]] {
        let ran = world.piton(words).exits(6);
        insta::allow_duplicates! {
            insta::assert_snapshot!(ran.err, @"
            error: the journal is damaged: it holds tables and has lost the number of its format

            hint: `piton verify` says all that is damaged; `piton repair` puts it aside and keeps what is good
            ");
        }
    }
}

#[test]
fn a_damaged_checkpoint_is_told_without_the_words_of_the_database() {
    let world = World::new();
    let agent = "date +%N >> a.txt";
    world.loops("r", agent, &["--check", RED, "--max-iterations", "20"]).exits(3);
    let journal = rusqlite::Connection::open(world.path(".piton/journal.db")).unwrap();
    let damage =
        |to: &str| assert!(journal.execute(&format!("update checkpoints set {to}"), []).unwrap() > 0);
    damage("bytes = 'text'");
    let ran = world.piton(&["status"]).exits(6);
    insta::assert_snapshot!(ran.err, @"
    error: the journal is damaged: a value of `bytes` is not what was written

    hint: `piton verify` says all that is damaged; `piton repair` puts it aside and keeps what is good
    ");
    damage("bytes = x'00'");
    let ran = world.piton(&["resume", "r", "--max-iterations", "+1"]).exits(6);
    assert!(ran.err.contains("its checkpoint is not what was written"), "{}", ran.err);
}

#[test]
fn a_directory_outside_git_works_too() {
    let world = World::outside_git();
    world.write("a.txt", "a\n");
    let agent = "if [ $PITON_ITERATION = 2 ]; then echo b > b.txt; else echo x >> a.txt; fi";
    world.loops("r", agent, &["--check", RED]).exits(0);
    insta::assert_snapshot!(world.piton(&["diff", "--stat"]).exits(0).out, @"
    +1 −0           a.txt
    +1 −0           b.txt
    2 files, +2 −0
    ");
    world.piton(&["restore", "r", "--iteration", "0"]).exits(0);
    assert_eq!(world.read("a.txt"), "a\n");
    assert!(!world.path("b.txt").exists());
    assert!(!world.path(".git").exists());
}

#[test]
fn a_directory_that_becomes_a_repository_later_can_be_added_to_it() {
    let world = World::outside_git();
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'true'}]\n");
    world.piton(&["run", "w.yaml", "--run-id", "w"]).exits(0);
    world.shell("git init -q -b main . && git add -A && git commit -q -m all").exits(0);
    let status = "git status --porcelain";
    assert_eq!(world.shell(status).exits(0).out, "");
    // It stays where it is, and everything goes on.
    world.shell("git clean -qfdx").exits(0);
    world.piton(&["verify", "w"]).exits(0);
    world.piton(&["run", "w.yaml", "--run-id", "v", "--worktree"]).exits(0);
    assert!(!world.shell(status).exits(0).out.contains(".piton"));
}

#[test]
fn a_repository_without_a_commit_works_too() {
    let world = World::outside_git();
    world.git(&["init", "-q", "-b", "main"]);
    world.loops("r", "touch b.txt", &["--check", RED]).exits(0);
    world.piton(&["restore", "r", "--iteration", "0"]).exits(0);
    assert!(!world.path("b.txt").exists());
}

#[test]
fn a_state_directory_that_the_agent_deletes_is_noticed() {
    let world = World::new();
    let ran = world.loops("r", "rm -rf .piton; touch b.txt", &["--check", RED]).exits(7);
    assert!(ran.err.contains("error: "), "{}", ran.err);
    assert!(ran.err.contains("hint: "), "{}", ran.err);
}

#[test]
fn cleaning_the_tree_leaves_the_journal() {
    let world = World::new();
    let agent = "if [ $PITON_ITERATION = 1 ]; then git clean -fdxq; else touch b.txt; fi";
    world.loops("r", agent, &["--check", RED]).exits(0);
    assert_eq!(world.json(&["verify"])["ok"], true);
}

#[test]
fn a_prompt_file_that_vanishes_stops_the_run_until_it_is_back() {
    let world = World::new();
    world.write("PROMPT.md", "x\n");
    let agent = "if [ $PITON_ITERATION = 1 ]; then rm PROMPT.md; else touch b.txt; fi";
    let ran = world.piton(&["loop", "--id", "r", "--exec", agent, "--check", RED]).exits(7);
    assert!(ran.out.contains("stopped   the prompt file `PROMPT.md` is missing"), "{}", ran.out);
    world.write("PROMPT.md", "x\n");
    world.piton(&["resume", "r"]).exits(0);
}

#[test]
fn sleep_is_held_off_while_work_runs_and_no_longer() {
    let world = World::new();
    let log = world.beside("sleep.log");
    let helper = world.beside("bin/systemd-inhibit");
    std::fs::create_dir(world.beside("bin")).unwrap();
    let script = format!(
        "#!/bin/sh\necho \"held $*\" >> {0}\nfor last in \"$@\"; do :; done\n\"$last\"\necho freed >> {0}\n",
        log.display()
    );
    piton_sys::file::create_new(&helper, script.as_bytes(), piton_sys::file::Durability::Unsynced).unwrap();
    std::fs::set_permissions(&helper, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", world.beside("bin").display(), std::env::var("PATH").unwrap());
    let agent = "until test -s \"$BESIDE/sleep.log\"; do sleep 0.01; done; cp \"$BESIDE/sleep.log\" seen; touch b.txt";
    world
        .piton_with(
            &[("PATH", path.as_str())],
            &["loop", "x", "--id", "r", "--exec", agent, "--check", "test -f b.txt"],
        )
        .exits(0);
    let seen = world.read("seen");
    assert!(seen.contains("held --what=sleep --who=piton") && seen.ends_with("cat\n"), "{seen}");
    let held = std::fs::read_to_string(&log).unwrap().matches("held ").count();
    assert_eq!(held, 1, "the agent and the checks need one helper, not one each");
    let holds = format!("pgrep -f '^/bin/sh {}'", helper.display());
    eventually("nothing holds sleep off any more", || world.shell(&holds).code != 0);
}

#[test]
fn a_run_whose_key_is_damaged_leaves_new_ones_alone() {
    let world = World::new();
    world.loops("a", "touch b", &["--check", "c=test -f b"]).exits(0);
    let journal = rusqlite::Connection::open(world.path(".piton/journal.db")).unwrap();
    journal.execute("UPDATE runs SET key = 'zz' WHERE id = 'a'", []).unwrap();
    drop(journal);
    world.loops("b", "touch d", &["--check", "c=test -f d"]).exits(0);
    world.piton(&["status", "a"]).exits(6);
}

/// As in a service, or a container that sets nothing. The system knows the home of whoever runs this; configuration is kept away from it.
#[test]
fn a_home_that_nobody_names_is_where_the_system_says() {
    let world = World::new();
    let piton = env!("CARGO_BIN_EXE_piton");
    let bare = format!("env -i PATH=\"$PATH\" {piton}");
    let ran = world.shell(&format!("{bare} config show"));
    assert!(!ran.err.contains("HOME"), "{ran:?}");
    ran.exits(0);
    let relative = world.shell(&format!("env -i PATH=\"$PATH\" HOME=rel {piton} config show")).exits(2);
    assert!(relative.err.contains("HOME: must be an absolute path"), "{}", relative.err);
}

/// A mask that closes what is made to whoever made it.
#[test]
fn what_piton_makes_can_be_opened_again_whatever_the_mask() {
    for mask in ["777", "377"] {
        let world = World::new();
        let piton = env!("CARGO_BIN_EXE_piton");
        let order = "loop x --id r --here --exec 'echo b > b.txt' --check 'test -e b.txt'";
        // Root opens everything: modes are looked at instead.
        world.shell(&format!("umask {mask}; {piton} {order}")).exits(0);
        let closed = world.shell("find .piton \"$PITON_CONFIG_DIR\" ! -perm -u+r").out;
        assert_eq!(closed, "", "{mask}");
    }
}
