//! A snapshot is the work tree, byte by byte.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic like tests")]

#[cfg(test)]
mod support;

use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use piton_git::{Error, RepoPath, Snapshot};
use piton_sys::process::{Program, RunLimits};
use support::{Place, RUN};

#[test]
fn snapshot_holds_tracked_and_untracked_files() {
    let place = Place::new();
    place.write("src/b.rs", b"fn b() { todo!() }\n");
    place.write("new/deep/c.txt", b"c");
    place.remove("a.txt");
    let snapshot = place.snapshot();
    place.assert_exact(&snapshot);
    assert_eq!(snapshot.head.as_deref(), Some(&*place.git(&["rev-parse", "HEAD"])));
    assert_eq!(snapshot.branch.as_deref(), Some("refs/heads/main"));
    assert_eq!(place.git(&["rev-parse", "refs/piton/runs/run-1"]), snapshot.id.as_str());
    assert!(!snapshot.reused);
}

#[test]
fn modes_links_empty_files_and_odd_names_survive() {
    let place = Place::new();
    place.write_executable("run.sh", b"#!/bin/sh\n");
    place.write("empty", b"");
    place.link("link", "src/b.rs");
    place.link("dangling", "no/where");
    place.link("to-directory", "src");
    for name in [
        "line\nbreak",
        "-rf",
        "--",
        "tab\there",
        "ü",
        "u\u{308}",
        "quote\"",
        "back\\slash",
        " ",
        "a:b",
        "[x]*?",
    ] {
        place.write(name, name.as_bytes());
    }
    place.write(OsStr::from_bytes(b"not-utf8-\xff\xfe"), b"x");
    place.write("git~1", b"x");
    place.write(".git /x", b"x");
    let snapshot = place.snapshot();
    place.assert_exact(&snapshot);
}

#[test]
fn a_file_becomes_a_directory_and_back() {
    let place = Place::new();
    place.snapshot();
    place.remove("a.txt");
    place.write("a.txt/inner", b"1");
    place.remove("src");
    place.write("src", b"now a file");
    place.assert_exact(&place.snapshot());
    place.remove("a.txt");
    place.link("a.txt", "src");
    place.remove("src");
    place.write("src/b.rs", b"back");
    place.assert_exact(&place.snapshot());
}

#[test]
fn a_directory_becomes_a_link_to_the_same_files() {
    let place = Place::new();
    place.snapshot();
    std::fs::create_dir(place.path("elsewhere")).unwrap();
    place.write("elsewhere/b.rs", b"fn b() {}\n");
    place.remove("src");
    place.link("src", "elsewhere");
    place.assert_exact(&place.snapshot());
}

#[test]
fn a_mode_change_alone_is_a_change() {
    let place = Place::new();
    let before = place.snapshot();
    std::fs::set_permissions(place.path("a.txt"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let after = place.snapshot();
    assert_ne!(before.tree, after.tree);
    place.assert_exact(&after);
}

#[test]
fn a_pipe_in_place_of_a_file_does_not_hang() {
    let place = Place::new();
    place.snapshot();
    place.remove("a.txt");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        place.path("a.txt"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from(0o600),
        0,
    )
    .unwrap();
    place.assert_exact(&place.snapshot());
}

#[test]
fn an_unchanged_tree_is_the_same_snapshot() {
    let place = Place::new();
    place.write(".gitignore", b".env\n");
    place.write(".env", b"KEY=1");
    let first = place.snapshot();
    let again = place.snapshot();
    assert!(again.reused);
    assert_eq!(Snapshot { reused: false, ..again }, first);
    // Touched, with the same content.
    place.write("a.txt", b"a\n");
    assert!(place.snapshot().reused);
}

#[test]
fn each_part_of_the_state_makes_a_new_snapshot() {
    let place = Place::new();
    place.write(".gitignore", b".env\n");
    place.commit("rules");
    let mut last = place.snapshot();
    let mut step = |what: &str| {
        let next = place.snapshot();
        assert!(!next.reused && next.id != last.id, "{what}");
        last = next;
    };
    place.write("new", b"n");
    step("tree");
    place.git(&["add", "new"]);
    step("index");
    place.git(&["commit", "--quiet", "--message", "more"]);
    step("head");
    place.git(&["checkout", "--quiet", "-b", "other"]);
    step("branch");
    place.write(".env", b"KEY=2");
    step("what is left out");
}

#[test]
fn nothing_of_the_user_is_touched() {
    let place = Place::new();
    place.write("staged", b"s");
    place.git(&["add", "staged"]);
    place.write("a.txt", b"stashed\n");
    place.git(&["stash", "--quiet"]);
    place.write("a.txt", b"edited\n");
    place.git(&["add", "a.txt"]);
    place.write("a.txt", b"edited again\n");
    let theirs = || {
        let read = |name: &str| std::fs::read(place.path(name)).unwrap();
        let refs = place.git(&["for-each-ref", "refs/heads", "refs/tags", "refs/stash"]);
        (read(".git/index"), read(".git/HEAD"), read(".git/config"), refs)
    };
    let before = theirs();
    let snapshot = place.snapshot();
    place.write("other", b"o");
    place.snapshot();
    place.restore(&snapshot);
    assert_eq!(theirs(), before);
    assert!(!place.path(".git/index.lock").exists());
}

#[test]
fn a_held_index_lock_of_the_user_is_no_problem() {
    let place = Place::new();
    place.write(".git/index.lock", b"");
    place.write("new", b"n");
    place.assert_exact(&place.snapshot());
    assert!(place.path(".git/index.lock").exists());
}

#[test]
fn a_tree_does_not_depend_on_how_it_came_about() {
    let place = Place::new();
    place.write("dist/x", b"x");
    place.snapshot();
    place.write(".gitignore", b"dist/\n");
    place.write("dist/x", b"changed and ignored at once");
    let old_run = place.snapshot();
    let new_run = place.open().snapshot("run-2", "fresh").unwrap();
    assert_eq!(old_run.tree, new_run.tree);
}

/// Runs `work` again and again in a thread of its own while `meanwhile` runs.
fn during<T>(work: impl Fn(u64) + Sync, meanwhile: impl FnOnce() -> T) -> T {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| (0..).take_while(|_| !is_over.load(Ordering::Relaxed)).for_each(&work));
        let result = meanwhile();
        is_over.store(true, Ordering::Relaxed);
        worker.join().unwrap();
        result
    })
}

#[test]
fn a_file_that_never_stops_changing_fails_the_snapshot() {
    let place = Place::new();
    place.write("log", b"");
    let append = |_| {
        let mut log = std::fs::OpenOptions::new().append(true).open(place.path("log")).unwrap();
        log.write_all(b"x").unwrap();
    };
    // On a busy machine the writer may miss its turn while the file is read; then the snapshot is a good one.
    let refused = (0..50).any(|_| match during(append, || place.open().snapshot(RUN, "while it grows")) {
        Err(Error::Unstable { paths, rounds: 4 }) => {
            assert_eq!(paths, [RepoPath::from_bytes(b"log")]);
            true
        }
        Ok(_) => false,
        Err(other) => panic!("{other:?}"),
    });
    assert!(refused, "a file that changes all the time passes for one that does not");
    place.assert_exact(&place.snapshot());
}

#[test]
fn files_that_come_and_go_do_not_break_a_snapshot() {
    let place = Place::new();
    let flicker = |round: u64| {
        place.write(format!("flicker/{}", round % 3), &round.to_le_bytes());
        if round.is_multiple_of(2) {
            place.remove("flicker");
        }
    };
    for _ in 0..5 {
        let result = during(flicker, || place.open().snapshot(RUN, "while they flicker"));
        assert!(matches!(result, Ok(_) | Err(Error::Unstable { .. })), "{result:?}");
    }
    place.assert_exact(&place.snapshot());
}

/// Runs one test of this file in a process whose environment points git somewhere else.
#[test]
fn inherited_git_variables_do_not_count() {
    let nowhere = [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_COMMON_DIR",
        "GIT_NAMESPACE",
    ];
    let mut program = Program::new(std::env::current_exe().unwrap());
    for name in nowhere {
        program = program.env(name, "/nonexistent");
    }
    let program = program.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "core.bare");
    let program = program.env("GIT_CONFIG_VALUE_0", "true").env("GIT_TRACE", "/dev/stderr");
    let limits = RunLimits { deadline: Duration::from_secs(60), output_bytes_max: 1 << 20 };
    let output = program.args(["--exact", "snapshot_holds_tracked_and_untracked_files"]).run(limits).unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.success() && stdout.contains("1 passed"), "{stdout}");
}

/// Whatever happens to a tree that was looked at before, the next snapshot is exact.
#[test]
fn what_happens_after_a_look_is_seen() {
    let place = Place::new();
    place.write(".gitignore", b"*.log\nbuild/\n");
    place.write("x.log", b"1");
    place.write("build/out", b"1");
    place.commit("rules");
    let workspace = place.open();
    let snapshot = || workspace.snapshot(RUN, "again").unwrap();
    let is_exact = |held: &[&str], gone: &[&str], what: &str| {
        let files = place.files_of(&snapshot().tree);
        for name in held {
            let on_disk = std::fs::read(place.path(name)).unwrap();
            assert_eq!(files.get(name.as_bytes()).map(|(_, bytes)| bytes), Some(&on_disk), "{what}: {name}");
        }
        gone.iter().for_each(|name| assert!(!files.contains_key(name.as_bytes()), "{what}: {name}"));
    };
    let ready = || (0..3).for_each(|_| drop(snapshot()));
    ready();
    // Of the same size each time, and as fast as it goes.
    for round in 0..20 {
        place.write("a.txt", format!("{round:04}").as_bytes());
        is_exact(&["a.txt"], &["x.log"], "contents");
    }
    place.write("x.log", b"22");
    place.write("build/out", b"22");
    is_exact(&["a.txt"], &["x.log", "build/out"], "ignored contents");
    place.write("new", b"n");
    is_exact(&["new"], &[], "a new file");
    ready();
    std::fs::set_permissions(place.path("new"), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(place.files_of(&snapshot().tree)[&b"new"[..]].0, "executable");
    place.remove("new");
    place.link("new", "a.txt");
    assert_eq!(place.files_of(&snapshot().tree)[&b"new"[..]].0, "link");
    ready();
    place.remove("src/b.rs");
    is_exact(&["a.txt"], &["src/b.rs"], "a file that is gone");
    ready();
    place.write(".gitignore", b"build/\n");
    is_exact(&["x.log"], &["build/out"], "other rules");
    ready();
    place.git(&["add", "--force", "build/out"]);
    is_exact(&["build/out"], &[], "tracked although ignored");
    place.write("build/out", b"333");
    is_exact(&["build/out"], &[], "its contents");
    ready();
    place.write("inner/file", b"i");
    place.git_in("inner", &["init", "--quiet"]);
    is_exact(&["inner/file"], &[], "a nested repository");
    place.write("inner/file", b"j");
    is_exact(&["inner/file"], &[], "its contents");
}

#[test]
fn a_file_that_became_ignored_stays_out_when_it_is_written_again() {
    let place = Place::new();
    // One that remembers what it saw, and has seen enough to need no `git status`.
    let workspace = place.open();
    let snapshot = || workspace.snapshot(RUN, "edit").unwrap();
    place.write("log", b"1");
    for _ in 0..3 {
        snapshot();
    }
    place.write(".gitignore", b"log\n");
    let ignored = snapshot();
    assert!(!place.files_of(&ignored.tree).contains_key(b"log".as_slice()));
    for bytes in [b"22", b"33"] {
        place.write("log", bytes);
        assert_eq!(snapshot().tree, ignored.tree);
    }
}
