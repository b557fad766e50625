//! `--store` and `--repo`: which journal a command, a driver and a worker open.

use super::common::{WAITS, World, eventually};

const RED: &str = "test=test -f b.txt";

#[test]
fn a_driver_opens_the_journal_of_its_run_whatever_the_environment_names() {
    let other = World::new();
    other.loops("other", "touch b.txt", &["--check", RED]).exits(0);
    let url = format!("sqlite:{}", other.path(".piton/journal.db").display());
    let world = World::new();
    world.loops_behind("r", &format!("{WAITS}; touch b.txt"), &["--check", RED]);
    world.kill_driver("r");
    let ran = world.piton_with(&[("PITON_STORE", &url)], &["worker", "--once"]).exits(0);
    assert!(ran.err.contains("r goes on"), "{}", ran.err);
    world.open_gate();
    world.piton(&["wait", "r"]).exits(0);
}

#[test]
fn a_journal_that_lies_elsewhere_is_found_by_driver_worker_and_lists() {
    let world = World::new();
    std::fs::create_dir(world.beside("elsewhere")).unwrap();
    let url = format!("sqlite:{}", world.beside("elsewhere/.piton/journal.db").display());
    let there = |words: &[&str]| world.piton(&[words, &["--repo", ".", "--store", &url]].concat());
    let agent = format!("{WAITS}; touch b.txt");
    there(&["loop", "Do it", "--id", "r", "--exec", &agent, "--check", RED, "--detach"]).exits(0);
    world.agent_works("r", 1);
    assert!(!world.path(".piton/journal.db").exists(), "the repository has no journal of its own");

    let status = there(&["status", "r", "--json"]).exits(0).out;
    let status: serde_json::Value = serde_json::from_str(&status).unwrap();
    let driver = piton_sys::process::identity(status["driver"]["pid"].as_u64().unwrap() as u32).unwrap();
    assert!(piton_sys::process::signal(&driver, piton_sys::process::Signal::Kill).unwrap());
    eventually("the driver is dead", || {
        there(&["status", "r", "--json"]).exits(0).out.contains("\"driver\": null")
    });
    let ran = world.piton(&["worker", "--once"]).exits(0);
    assert!(ran.err.contains("r goes on"), "{}", ran.err);
    let listed = world.piton(&["ls", "--everywhere", "--json"]).exits(0).out;
    assert!(listed.contains("\"run_id\": \"r\""), "{listed}");
    world.open_gate();
    there(&["wait", "r"]).exits(0);
    there(&["verify"]).exits(0);
}

#[test]
fn an_agent_cannot_steer_its_run_by_way_of_another_repository() {
    let world = World::new();
    let agent = r#"mkdir "$BESIDE/x"; ln -s "$PWD" "$BESIDE/link"
        "$PITON_BIN" --repo "$BESIDE/x" --store "sqlite:$BESIDE/link/.piton/journal.db" stop r 2> refused.txt; touch b.txt"#;
    world.loops("r", agent, &["--check", RED]).exits(0);
    assert!(world.read("refused.txt").contains("this is for people"), "{}", world.read("refused.txt"));
}

#[test]
fn an_agent_cannot_steer_by_attaching_nor_from_namespaces_of_its_own() {
    let world = World::new();
    let agent = r#"script -qec '"$PITON_BIN" attach r' /dev/null < /dev/null > attach.txt 2>&1
        unshare --user --map-root-user --pid --fork --mount-proc "$PITON_BIN" tell r hello 2> tell.txt; touch b.txt"#;
    world.loops("r", agent, &["--check", RED]).exits(0);
    assert!(world.read("attach.txt").contains("this is for people"), "{}", world.read("attach.txt"));
    let refused = world.read("tell.txt");
    assert!(refused.contains("from here its process is not seen"), "{refused}");
    // Nothing is at work any more: a container may ask.
    let said = world.shell(&format!(
        "unshare --user --map-root-user --pid --fork --mount-proc {} note r later",
        env!("CARGO_BIN_EXE_piton")
    ));
    assert_eq!(said.code, 0, "{said:?}");
}

/// Each line tells the run something, in its own way, and leaves in `said` what piton said to it.
#[test]
fn an_agent_cannot_steer_by_another_name_of_its_journal_nor_where_processes_are_hidden() {
    let tell = r#""$PITON_BIN" tell r hello"#;
    let inside = "this is for people: it was called from inside attempt";
    let unseen = "is at work, and from here its process is not seen";
    let own = "unshare --user --map-root-user --mount sh -c";
    let pid = r#"p=$$; while ! tr '\0' ' ' < /proc/$p/cmdline | grep -q __keeper; do p=$(sed 's/.*) . //; s/ .*//' /proc/$p/stat); done"#;
    for (way, refused) in [
        (format!(r#"{own} 'mkdir b; mount --bind "$OLDPWD" b && cd b && {tell}'"#), inside),
        (
            format!(r#"{own} 'mkdir -p b/.piton; mount --bind "$OLDPWD/.piton" b/.piton && cd b && {tell}'"#),
            inside,
        ),
        (
            format!(
                r#"mkdir -p l/.piton; ln "$OLDPWD"/.piton/journal.db* l/.piton/; "$PITON_BIN" --repo l tell r hello"#
            ),
            inside,
        ),
        (
            format!(
                r#"mv "$OLDPWD" "$BESIDE/elsewhere"; "$PITON_BIN" --repo "$BESIDE/elsewhere" tell r hello; mv "$BESIDE/elsewhere" "$OLDPWD""#
            ),
            inside,
        ),
        (
            format!(r#"{own} 'mount -t tmpfs none /proc && "$PITON_BIN" --repo "$OLDPWD" tell r hello'"#),
            unseen,
        ),
        (
            format!(
                r#"{pid}; {own} "mount -t tmpfs none /proc/$p && \"$PITON_BIN\" --repo '$OLDPWD' tell r hello""#
            ),
            unseen,
        ),
        (
            format!(
                r#"{pid}; {own} "mount --bind /proc/self/cmdline /proc/$p/cmdline && \"$PITON_BIN\" --repo '$OLDPWD' tell r hello""#
            ),
            unseen,
        ),
        (
            format!(
                r#"mkdir -p l/.piton; ln "$OLDPWD"/.piton/journal.db* l/.piton/
                   {own} 'mount -t tmpfs none /proc && "$PITON_BIN" --repo l tell r hello'"#
            ),
            unseen,
        ),
    ] {
        let world = World::new();
        let agent = format!(
            r#"mkdir "$BESIDE/x"; cd "$BESIDE/x"; {{ {way}; }} > "$BESIDE/said" 2>&1; touch "$OLDPWD/b.txt""#
        );
        let ran = world.loops("r", &agent, &["--check", RED, "--max-iterations", "1"]);
        let said = std::fs::read_to_string(world.beside("said")).unwrap();
        assert!(said.contains(refused), "{way}\n{said}\n{ran:?}");
        assert_eq!(world.count("r", "agent_told"), 0, "{way}");
    }
}

#[test]
fn a_directory_of_a_repository_names_it() {
    let world = World::new();
    std::fs::create_dir(world.path("sub")).unwrap();
    world.loops("r", "touch b.txt", &["--check", RED]).exits(0);
    let sub = world.path("sub").display().to_string();
    for words in
        [&["status", "r"][..], &["ls"], &["log", "r"], &["note", "r", "seen"], &["verify"], &["doctor"]]
    {
        let ran = world.piton(&[&["--repo", &sub], words].concat());
        let here = world.piton(words);
        assert!(ran.code == here.code && !ran.err.contains("no run"), "{words:?}: {ran:?}");
    }
    assert_eq!(world.count("r", "note_added"), 2);
    assert!(!world.path("sub/.piton").exists());
}

#[test]
fn a_repository_whose_path_is_no_text_is_refused_for_that() {
    let world = World::new();
    let line = format!(
        r#"d="$BESIDE/$(printf 'a\377b')"; cp -r . "$d"; cd "$d" && "{}" loop x --id r --here --exec 'touch b.txt' --check 'c=test -f b.txt'"#,
        env!("CARGO_BIN_EXE_piton")
    );
    let ran = world.shell(&line);
    assert!(ran.code == 2 && ran.err.contains("is no text: it is not UTF-8"), "{ran:?}");
}

#[test]
fn a_journal_that_somebody_keeps_locked_is_said_to_be_and_by_whom() {
    let world = World::new();
    world.loops("r", "touch b.txt", &["--check", RED]).exits(0);
    let holder = "import sqlite3, time; d = sqlite3.connect('.piton/journal.db', isolation_level=None); \
                  d.execute('pragma locking_mode = exclusive'); d.execute('begin exclusive'); open('locked', 'w'); time.sleep(25)";
    world.shell(&format!("python3 -c \"{holder}\" > /dev/null 2>&1 & echo $! > ../holder"));
    super::common::eventually("it is locked", || world.path("locked").exists());
    let asked = std::time::Instant::now();
    let ran = world.piton(&["status", "r"]).exits(7);
    assert!(asked.elapsed() < std::time::Duration::from_secs(15), "{:?}", asked.elapsed());
    let pid = std::fs::read_to_string(world.beside("holder")).unwrap();
    let words = format!("journal.db` is locked by process {} (`", pid.trim());
    assert!(ran.err.contains(&words), "{}", ran.err);
}

#[test]
fn a_disk_that_is_full_at_the_first_use_leaves_no_broken_journal() {
    let mut refused = 0;
    for write in 1.. {
        let world = World::new();
        let inject = format!("inject=pwrite64:error=ENOSPC:when={write}+");
        let words = format!(
            "strace -o ../trace -e trace=pwrite64 -e {inject} {} loop x --id q --here --exec true --check false \
             --max-iterations 1; grep -q INJECTED ../trace",
            env!("CARGO_BIN_EXE_piton")
        );
        let was_refused = world.shell(&words).code == 0;
        // There is room again: whatever was begun, the next command works.
        world.piton(&["ls"]).exits(0);
        world.loops("r", "touch b.txt", &["--check", "test -f b.txt"]).exits(0);
        world.piton(&["verify"]).exits(0);
        let left: Vec<_> = std::fs::read_dir(world.path(".piton"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.starts_with("journal.db."))
            .collect();
        assert_eq!(left, Vec::<String>::new(), "write {write}");
        if !was_refused {
            break;
        }
        refused += 1;
    }
    assert!(refused > 20, "every write of the first use was refused once: {refused}");
}
