//! Whatever is made of the disk: no file holds a run up, and where nothing can be written, what is there can be read.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use crate::common::{World, eventually, within};

const ONCE: &[&str] = &["--check", "true", "--max-iterations", "1"];

/// A world with a run `r` that has ended, and a gap.
fn with_a_run() -> World {
    let world = World::new();
    world.loops("r", "echo x >> a.txt", ONCE).exits(3);
    world.piton(&["gaps", "add", "g", "--category", "c"]).exits(0);
    world
}

/// Where the binary is, for a line of shell.
fn piton() -> &'static str {
    env!("CARGO_BIN_EXE_piton")
}

#[test]
fn a_file_of_terabytes_is_known_by_its_size_and_times() {
    let world = World::new();
    let agent = r#"test "$PITON_ITERATION" = 1 && truncate -s 8T big; echo x >> a.txt"#;
    world.loops("r", agent, &["--check", "true", "--max-iterations", "2"]).exits(3);
    let big = world.json(&["status", "r"])["not_covered"][0].clone();
    assert_eq!((&big["path"], &big["bytes"]), (&"big".into(), &(8_u64 << 40).into()));
    // Nothing of it was read, and still it is known to be the same.
    let known: Vec<_> = world.events("r").into_iter().filter_map(|event| digest_in(&event)).collect();
    assert!(known.len() > 1 && known[0].starts_with("times:"), "{known:?}");
    assert!(known.iter().all(|digest| *digest == known[0]), "{known:?}");
}

/// The digest of the first file that the snapshot of an event leaves out.
fn digest_in(event: &serde_json::Value) -> Option<String> {
    let snapshot = [&event["data"]["end"]["snapshot"], &event["data"]["round"]["snapshot"]];
    snapshot.iter().find_map(|snapshot| snapshot["left_out"][0]["digest"].as_str().map(str::to_owned))
}

/// git opens these without asking what they are.
#[test]
fn a_pipe_that_git_reads_holds_nothing_up() {
    let world = World::new();
    let agent = "mkdir sub; echo x > sub/x; for name in .gitignore .gitattributes .gitmodules; do \
                 mkfifo $name sub/$name; done; echo x >> a.txt";
    world.loops("r", agent, &["--check", "true", "--max-iterations", "2"]).exits(3);
    assert_eq!(world.json(&["status", "r"])["changed"]["files"][0], "a.txt");
}

/// A `.git` file leads git to a directory of any name.
#[test]
fn a_pipe_in_a_directory_that_a_git_file_names_holds_nothing_up() {
    let world = World::new();
    let agent = "mkdir -p a/b x/objects x/refs; mkfifo x/HEAD x/config; echo 'gitdir: ../../x' > a/b/.git; \
                 echo 1 > a/b/f; echo x >> a.txt";
    world.loops("r", agent, &["--check", "true", "--max-iterations", "1"]).exits(3);
    let changed = world.json(&["status", "r"])["changed"]["files"].to_string();
    assert!(changed.contains("a.txt") && changed.contains("a/b/f"), "{changed}");
}

#[test]
fn a_damaged_repository_inside_is_captured_without_what_it_keeps_for_itself() {
    let damages = [
        "echo garbage > a/b/.git/index",
        "mkfifo a/b/.git/index",
        "echo /not/there > a/b/.git/commondir",
        ": > a/b/.git/commondir",
        "mkdir a/b/.git/commondir",
    ];
    for damage in damages {
        let world = World::new();
        let agent = format!("git init -q a/b; {damage}; echo 1 > a/b/f; echo x >> a.txt");
        world.loops("r", &agent, &["--check", "true", "--max-iterations", "1"]).exits(3);
        let changed = world.json(&["status", "r"])["changed"]["files"].to_string();
        assert!(changed.contains("a/b/f"), "{damage}: {changed}");
        world.piton(&["resume", "r", "--max-iterations", "+1"]).exits(3);
    }
}

#[test]
fn a_tracked_repository_inside_that_git_cannot_read_holds_nothing_up() {
    let world = World::new();
    let inner = "git init -q a/b && cd a/b && echo 1 > f && git add f && git commit -qm inner";
    world.shell(&format!("({inner}) && git add a/b && git commit -qm outer")).exits(0);
    world.loops("r", ": > a/b/.git/commondir; echo x >> a.txt", ONCE).exits(3);
    world.piton(&["verify"]).exits(0);
}

/// A PATH with a git of our own, which does `first` before it records files.
#[expect(clippy::disallowed_methods, reason = "a test prepares its files directly")]
fn with_git_that(world: &World, first: &str) -> String {
    let git = world.beside("bin");
    std::fs::create_dir(&git).unwrap();
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *update-index*) {first};; esac\nPATH=${{PATH#*:}} exec git \"$@\"\n"
    );
    std::fs::write(git.join("git"), script).unwrap();
    std::fs::set_permissions(git.join("git"), std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:{}", git.display(), std::env::var("PATH").unwrap())
}

/// What an attempt did is there, whatever the machine cannot do just now.
#[test]
fn a_tree_that_cannot_be_recorded_now_costs_no_attempt() {
    let world = World::new();
    let path = with_git_that(&world, "test -e \"$BESIDE/broken\" && echo 'the disk fails' >&2 && exit 128");
    let agent = "echo x >> $BESIDE/started; touch $BESIDE/broken; echo x > b.txt";
    let order =
        ["loop", "x", "--id", "r", "--exec", agent, "--check", "test -f b.txt", "--max-iterations", "1"];
    let ran = world.piton_with(&[("PATH", &path)], &order).exits(7);
    assert!((ran.out + &ran.err).contains("the disk fails"));
    std::fs::remove_file(world.beside("broken")).unwrap();
    world.piton(&["resume", "r"]).exits(0);
    assert_eq!(std::fs::read_to_string(world.beside("started")).unwrap(), "x\n", "it was started once");
    assert_eq!(world.json(&["status", "r"])["limits"]["iterations"]["used"], 1);
}

/// A git that never comes to its end, once the agent says so.
#[test]
fn a_stop_is_heard_while_the_tree_is_recorded() {
    let world = World::new();
    let path = with_git_that(&world, "test -e \"$BESIDE/slow\" && touch \"$BESIDE/hangs\" && sleep 600");
    let order = ["loop", "x", "--id", "r", "--exec", "touch $BESIDE/slow; echo x >> a.txt", "--detach"];
    world.piton_with(&[("PATH", &path)], &[&order, ONCE].concat()).exits(0);
    eventually("git hangs", || world.beside("hangs").exists());
    world.piton(&["stop", "r", "--now"]).exits(0);
    let stopped = || world.json(&["status", "r"])["status"] == "stopped";
    assert!(within(Duration::from_secs(10), stopped), "{}", world.piton(&["status", "r"]).out);
    std::fs::remove_file(world.beside("slow")).unwrap();
    // What the git that was ended left is in nobody's way.
    let agent = "echo y >> a.txt";
    world.loops("s", agent, ONCE).exits(3);
    world.piton(&["verify"]).exits(0);
}

#[test]
fn what_an_agent_puts_in_the_place_of_its_output_holds_nothing_up() {
    let world = World::new();
    let agent =
        "echo x >> a.txt; cd .piton/attempts/r/1; rm stdout.log stderr.log; mkfifo stdout.log stderr.log";
    let ran = world.loops("r", agent, ONCE);
    assert!([1, 3].contains(&ran.code), "{ran:?}");
    world.piton(&["output", "r"]);
}

/// Wherever one looks from, a journal that is gone is not "no runs".
#[test]
fn a_list_of_all_repositories_and_a_worker_say_which_journal_is_gone() {
    let world = with_a_run();
    let place = world.path("").display().to_string();
    let place = place.trim_end_matches('/');
    world.piton(&["ls", "--everywhere"]).exits(0);
    std::fs::remove_file(world.path(".piton/journal.db")).unwrap();
    let alone = world.piton(&["ls"]);
    assert!([6, 7].contains(&alone.code), "{alone:?}");
    for words in [&["ls", "--everywhere"][..], &["worker", "--once"]] {
        let ran = world.piton(words).exits(alone.code);
        assert!(ran.err.contains(place) && ran.err.contains("journal itself is gone"), "{words:?}: {ran:?}");
        assert!(!ran.err.contains("no runs here"), "{ran:?}");
    }
    // One that is gone with all that piton kept is nobody's matter any more.
    std::fs::remove_dir_all(world.path(".piton")).unwrap();
    world.piton(&["ls", "--everywhere"]).exits(0);
    world.piton(&["worker", "--once"]).exits(0);
}

/// More files than a snapshot has room for do not keep an attempt from its end.
#[test]
fn very_many_files_that_are_in_no_snapshot_hold_nothing_up() {
    let world = World::new();
    let agent = "i=0; while test $i -lt 1200; do i=$((i+1)); truncate -s 65M d$i; done; touch b.txt";
    world.loops("r", agent, &["--check", "test -f b.txt"]).exits(0);
    let change = "truncate -s 66M d1200; echo more >> a.txt";
    world.loops("s", change, &["--check", "false", "--max-iterations", "1"]).exits(3);
    let seen = |run: &str| world.json(&["show", run])["state"]["seen"]["snapshot"]["left_out"].clone();
    let (before, after) = (seen("r"), seen("s"));
    let last = |list: &serde_json::Value| list.as_array().and_then(|list| list.last()).cloned().unwrap();
    assert_eq!(last(&before)["path"], "(1181 more files)", "{before}");
    assert_ne!(last(&before)["digest"], last(&after)["digest"], "a change to one of them shows");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test damages its files directly")]
fn verify_says_that_anchors_are_gone() {
    let world = with_a_run();
    world.piton(&["verify"]).exits(0);
    std::fs::write(world.path(".piton/anchors/r"), [b'x'; 64]).unwrap();
    let ran = world.piton(&["verify"]).exits(6);
    assert!((ran.out + &ran.err).contains("its anchor is gone, empty or garbage"));
    // Neither a death nor a loss of power leaves one empty or full of zeros: it is begun before its run.
    for nothing in [&[][..], &[0; 192][..]] {
        std::fs::write(world.path(".piton/anchors/r"), nothing).unwrap();
        let ran = world.piton(&["verify"]).exits(6);
        assert!(
            (ran.out + &ran.err).contains("its anchor is gone, empty or garbage"),
            "{} bytes",
            nothing.len()
        );
    }
    std::fs::remove_dir_all(world.path(".piton/anchors")).unwrap();
    let ran = world.piton(&["verify"]).exits(6);
    assert!((ran.out + &ran.err).contains("its anchor is gone, empty or garbage"));
    // The next event writes a new one.
    world.piton(&["resume", "r", "--max-iterations", "+1"]).exits(3);
    let ran = world.piton(&["verify"]);
    assert!(!(ran.out + &ran.err).contains("r: its anchor"));
}

#[test]
fn a_journal_that_is_gone_is_never_called_no_runs() {
    for also in [&[][..], &["anchors"], &["anchors", "leases"], &["anchors", "leases", "attempts"]] {
        let world = with_a_run();
        for entry in std::fs::read_dir(world.path(".piton")).unwrap().flatten() {
            if entry.file_name().to_string_lossy().starts_with("journal.db") {
                std::fs::remove_file(entry.path()).unwrap();
            }
        }
        for name in also {
            std::fs::remove_dir_all(world.path(&format!(".piton/{name}"))).unwrap();
        }
        for words in
            [&["status", "r"][..], &["ls"], &["log", "r"], &["verify"], &["gaps", "list"], &["resume", "r"]]
        {
            let ran = world.piton(words);
            let said = ran.out + &ran.err;
            assert!(ran.code == 6 && said.contains("the journal itself is gone"), "{words:?}: {said}");
        }
    }
}

#[test]
fn a_journal_that_was_emptied_is_called_gone() {
    let world = with_a_run();
    world.shell("rm -f .piton/journal.db-*; : > .piton/journal.db").exits(0);
    for words in [&["ls"][..], &["status", "r"]] {
        let ran = world.piton(words);
        let said = ran.out + &ran.err;
        assert!(ran.code == 6 && said.contains("the journal itself is gone"), "{words:?}: {said}");
    }
}

/// Each command in a namespace where the repository is mounted read-only.
#[test]
fn a_repository_that_is_mounted_read_only_can_be_read() {
    let world = with_a_run();
    let repo = world.path("").display().to_string();
    let there = |words: &str| {
        let line = format!(
            "mount --bind {repo} {repo} && mount -o remount,ro,bind {repo} && cd {repo} && {} {words}",
            piton()
        );
        world.shell(&format!("unshare --user --map-root-user --mount sh -c '{line}'"))
    };
    for (words, says) in [
        ("status r", "r   stopped"),
        ("ls", "r "),
        ("log r", "iteration"),
        ("show r", "r"),
        ("verify", "0 problems"),
        ("gaps list", "g   unknown"),
    ] {
        let ran = there(words);
        assert!(ran.code == 0 && ran.out.contains(says), "{words}: {ran:?}");
    }
    for ran in [there("ls").err, there("doctor").out] {
        assert!(ran.contains("nothing can be written to the journal"), "{ran}");
    }
    for words in ["resume r --max-iterations +1", "gaps add h --category c", "tell r hello"] {
        let ran = there(words);
        assert!(ran.code == 7 && ran.err.contains("Read-only file system"), "{words}: {ran:?}");
        assert!(ran.err.contains(&repo), "{words}: {ran:?}");
    }
}

/// Not as the system's administrator, who may do everything.
#[test]
fn a_state_directory_that_cannot_be_entered_is_named() {
    let world = with_a_run();
    let state = world.path(".piton");
    std::fs::set_permissions(&state, std::fs::Permissions::from_mode(0o000)).unwrap();
    for words in ["status r", "ls", "verify", "gaps list", "resume r", "log r"] {
        let ran = world.shell(&format!("unshare --user --map-user=1000 {} {words}", piton()));
        assert!(ran.code == 7 && ran.err.contains("Permission denied"), "{words}: {ran:?}");
        assert!(ran.err.contains(&state.display().to_string()), "{words}: {ran:?}");
    }
    std::fs::set_permissions(&state, std::fs::Permissions::from_mode(0o700)).unwrap();
}

/// Nor does it hang, whatever is there instead.
#[test]
fn a_journal_that_may_not_be_written_can_be_read() {
    let world = with_a_run();
    let journal = world.path(".piton/journal.db");
    std::fs::set_permissions(&journal, std::fs::Permissions::from_mode(0o400)).unwrap();
    let as_another =
        |words: &str| world.shell(&format!("unshare --user --map-user=1000 timeout 20 {} {words}", piton()));
    for words in ["status r", "log r", "ls", "verify"] {
        as_another(words).exits(0);
    }
    let ran = as_another("resume r --max-iterations +1");
    assert!(ran.code == 7 && ran.err.contains("Permission denied"), "{ran:?}");
    assert!(ran.err.contains(&journal.display().to_string()), "{ran:?}");
    std::fs::remove_file(&journal).unwrap();
    world.shell("mkfifo .piton/journal.db").exits(0);
    for words in ["status r", "log r", "ls", "verify", "resume r"] {
        let ran = as_another(words);
        assert!([6, 7].contains(&ran.code), "{words}: {ran:?}");
    }
}

#[test]
fn where_no_inode_is_left_runs_can_be_read() {
    let world = with_a_run();
    let repo = world.path("").display().to_string();
    let there = |words: &str| {
        let line = format!(
            "mount -t tmpfs -o nr_inodes=600 none $BESIDE/home && cp -a {repo} $BESIDE/home/r && cd $BESIDE/home/r && \
             i=0; while true > f$i; do i=$((i+1)); done 2>/dev/null; {} {words}",
            piton()
        );
        world.shell(&format!("unshare --user --map-root-user --mount sh -c '{line}'"))
    };
    for (words, says) in
        [("status r", "r   stopped"), ("ls", "r "), ("verify", "0 problems"), ("gaps list", "g   unknown")]
    {
        let ran = there(words);
        assert!(ran.code == 0 && ran.out.contains(says), "{words}: {ran:?}");
    }
    // A copy beside the original would not be its own to write.
    let ran = there(&format!("--version; rm -r {repo}/.piton; {} gaps add h --category c", piton()));
    assert!(ran.code == 7 && ran.err.contains("journal.db"), "{ran:?}");
}

#[test]
fn a_resume_on_a_full_disk_says_so_and_loses_nothing() {
    let world = with_a_run();
    let (repo, piton) = (world.path("").display().to_string(), piton());
    let line = format!(
        "mount -t tmpfs -o size=40m none $BESIDE/home && cp -a {repo} $BESIDE/home/r && rm -r {repo}/.piton && cd $BESIDE/home/r && \
         dd if=/dev/zero of=../fill bs=4k 2>/dev/null; {piton} resume r --max-iterations +1; echo first $?; rm ../fill; \
         {piton} resume r --max-iterations +1 2>&1; echo second $?; {piton} verify"
    );
    let ran = world.shell(&format!("unshare --user --map-root-user --mount sh -c '{line}'"));
    assert!(ran.out.contains("first 7") && ran.err.to_lowercase().contains("no space left"), "{ran:?}");
    assert!(ran.out.contains("second 3") && ran.out.contains("0 problems"), "{ran:?}");
}

/// What lies in the place of one anchor is that run's damage, and no other's.
#[test]
fn one_anchor_that_cannot_be_read_names_its_run_and_hides_no_other() {
    let ways = [
        "rm .piton/anchors/r; mkdir .piton/anchors/r",
        "ln -sf /dev/null .piton/anchors/r",
        "rm .piton/anchors/r; mkfifo .piton/anchors/r",
    ];
    for way in ways {
        let world = with_a_run();
        world.loops("q", "echo x >> b.txt", ONCE).exits(3);
        world.shell(way).exits(0);
        let list = world.piton(&["ls"]).exits(6);
        assert!(list.out.contains("damaged") && list.out.contains("q "), "{way}: {list:?}");
        world.piton(&["status", "q"]).exits(0);
        let said = world.piton(&["status", "r"]).exits(6);
        assert!(said.err.contains("run `r`: its anchor cannot be read"), "{way}: {said:?}");
        let verified = world.piton(&["verify"]).exits(6);
        assert!((verified.out + &verified.err).contains("r: its anchor cannot be read"), "{way}");
        world.piton(&["repair"]).exits(0);
        world.piton(&["verify"]).exits(0);
        world.piton(&["status", "r"]).exits(0);
    }
}
