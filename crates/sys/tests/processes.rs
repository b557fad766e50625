//! Locks between processes, helper programs, detached processes and trees.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use piton_sys::lock::FileLock;
use piton_sys::process::{
    self, Detach, Emptied, Ended, Error, Output, ProcessId, Program, ProgramOutput, RunLimits, Signal, Start,
    Tree, TreeKind, spawn_detached,
};
use piton_sys::{Ids, SystemIds};

const LIMITS: RunLimits = RunLimits { deadline: Duration::from_secs(60), output_bytes_max: 10_000_000 };

fn shell(script: &str) -> Program {
    Program::new("sh").args(["-c", script])
}

fn run(program: Program) -> ProgramOutput {
    program.run(LIMITS).unwrap()
}

fn eventually(what: &str, mut is_true: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_true() {
        assert!(Instant::now() < deadline, "not in time: {what}");
        let _ = piton_sys::ready::wait(&mut [], Some(Duration::from_millis(2)));
    }
}

/// A process of its own that holds a lock until it is killed.
fn holder(path: &Path) -> ProcessId {
    let args = ["-c", "exec 9>\"$1\"; flock 9; echo held; exec sleep 600", "sh"];
    let mut args: Vec<OsString> = args.map(OsString::from).to_vec();
    args.push(path.into());
    let options = Detach { stdout: Output::Pipe, ..Detach::default() };
    let holder = spawn_detached(Path::new("sh"), &args, options).unwrap();
    let mut word = [0; 4];
    holder.stdout.unwrap().read_exact(&mut word).unwrap();
    holder.process.unwrap()
}

#[test]
fn a_lock_excludes_other_processes_until_they_die() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("lock");
    assert!(!FileLock::is_held(&path).unwrap(), "there is no file");
    FileLock::wait_until_free(&path).unwrap();
    assert!(!path.exists(), "asking does not create it");

    let other = holder(&path);
    assert!(FileLock::is_held(&path).unwrap());
    assert!(FileLock::try_exclusive(&path).unwrap().is_none());
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| FileLock::wait_until_free(&path).unwrap());
        // Whichever of the two comes first, it lets go again for the other.
        let taking = scope.spawn(|| drop(FileLock::exclusive(&path).unwrap()));
        assert!(!waiting.is_finished() && !taking.is_finished());
        assert!(process::signal(&other, Signal::Kill).unwrap());
        waiting.join().unwrap();
        taking.join().unwrap();
    });
    let lock = FileLock::exclusive(&path).unwrap();
    assert!(FileLock::is_held(&path).unwrap(), "by this process");
    drop(lock);
    assert!(!FileLock::is_held(&path).unwrap());
    assert!(FileLock::try_exclusive(&path).unwrap().is_some());
    assert!(path.exists(), "the file is never removed");
}

#[test]
fn a_lock_is_not_inherited() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("lock");
    let lock = FileLock::try_exclusive(&path).unwrap().unwrap();
    let child =
        spawn_detached(Path::new("sleep"), &["600".into()], Detach::default()).unwrap().process.unwrap();
    drop(lock);
    assert!(!FileLock::is_held(&path).unwrap());
    assert!(process::signal(&child, Signal::Kill).unwrap());
}

#[test]
fn a_lock_is_never_a_link_and_probing_never_waits_for_a_pipe() {
    let root = tempfile::tempdir().unwrap();
    let link = root.path().join("link");
    std::os::unix::fs::symlink("target", &link).unwrap();
    assert!(FileLock::try_exclusive(&link).is_err());
    assert!(FileLock::is_held(&link).is_err());
    assert!(!root.path().join("target").exists());
    let fifo = root.path().join("fifo");
    assert!(run(Program::new("mkfifo").arg(&fifo)).success());
    let _ = FileLock::is_held(&fifo);
}

#[test]
fn a_probe_in_passing_does_not_look_like_an_owner() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("lock");
    drop(FileLock::try_exclusive(&path).unwrap());
    std::thread::scope(|scope| {
        let prober = scope.spawn(|| (0..20_000).filter(|_| FileLock::is_held(&path).unwrap()).count());
        let mut tries = 0;
        while !prober.is_finished() {
            tries += 1;
            assert!(FileLock::try_exclusive(&path).unwrap().is_some(), "try {tries}");
        }
    });
}

#[test]
fn a_program_is_fed_and_read_at_the_same_time() {
    let input: Vec<u8> = (0..3_000_000_u32).map(|index| (index % 251) as u8).collect();
    let output = run(shell("cat; echo done >&2").stdin_bytes(input.clone()));
    assert!(output.success());
    assert_eq!(output.stdout, input);
    assert_eq!(output.stderr, b"done\n");
}

#[test]
fn a_program_gets_arguments_directory_and_environment_and_no_shell() {
    let root = tempfile::tempdir().unwrap();
    let output = run(Program::new("env")
        .arg("A=$HOME; echo")
        .env("B", "2")
        .env_remove("HOME")
        .current_dir(root.path()));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().any(|line| line == "A=$HOME; echo") && text.lines().any(|line| line == "B=2"));
    assert!(!text.lines().any(|line| line.starts_with("HOME=")));
    let output = run(Program::new("pwd").arg("-P").current_dir(root.path()));
    assert_eq!(
        output.stdout.trim_ascii(),
        root.path().canonicalize().unwrap().as_os_str().as_encoded_bytes()
    );
}

#[test]
fn a_program_says_how_it_ended() {
    assert_eq!(run(shell("exit 7")).status, Ended::Code(7));
    assert_eq!(run(shell("kill -TERM $$")).status, Ended::Signal(15));
    assert!(run(shell("exec 0<&-; exit 0").stdin_bytes(vec![0; 1_000_000])).success(), "it need not read");
    assert!(matches!(Program::new("no-such-program").run(LIMITS), Err(Error::NotFound { .. })));
    assert!(matches!(shell("").current_dir("no/such/directory").run(LIMITS), Err(Error::Start { .. })));
}

#[test]
fn a_program_that_takes_too_long_is_killed_with_what_it_started() {
    let root = tempfile::tempdir().unwrap();
    let pids = root.path().join("pids");
    let script =
        "trap '' TERM; sleep 600 & echo $! >> \"$1\"; setsid sleep 600 & echo $! >> \"$1\"; echo out; wait";
    let limits = RunLimits { deadline: Duration::from_millis(500), ..LIMITS };
    let started = Instant::now();
    let output = shell(script).arg("sh").arg(&pids).run(limits).unwrap();
    assert!(output.timed_out && !output.success());
    assert_eq!(output.stdout, b"out\n");
    assert!((Duration::from_millis(500)..Duration::from_secs(20)).contains(&started.elapsed()));
    for pid in std::fs::read_to_string(pids).unwrap().lines() {
        let pid: u32 = pid.parse().unwrap();
        eventually("it is dead", || process::identity(pid).is_none_or(|id| !process::is_alive(&id)));
    }
}

#[test]
fn a_program_that_leaves_somebody_with_its_pipe_does_not_hold_us_up() {
    let started = Instant::now();
    let output = run(shell("setsid sleep 25 & echo done"));
    assert!(output.success());
    assert_eq!(output.stdout, b"done\n");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn a_program_that_says_too_much_is_an_error() {
    let limits = RunLimits { output_bytes_max: 1000, ..LIMITS };
    let error = shell("yes").run(limits).unwrap_err();
    assert!(matches!(error, Error::OutputTooLarge { bytes_max: 1000, .. }), "{error}");
    assert_eq!(shell("printf %1000d 1").run(limits).unwrap().stdout.len(), 1000);
}

#[test]
fn programs_are_found_in_path_or_by_path() {
    let root = tempfile::tempdir().unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let find = |name: &str| process::find_program(name.as_ref(), Some(&path), root.path());
    assert!(find("sh").unwrap().is_absolute());
    assert_eq!(find("no-such-program"), None);
    assert_eq!(find(""), None);
    std::fs::create_dir(root.path().join("directory")).unwrap();
    piton_sys::file::create_new(&root.path().join("text"), b"", piton_sys::file::Durability::Unsynced)
        .unwrap();
    assert_eq!(find("./directory"), None);
    assert_eq!(find("./text"), None, "it is not executable");
    assert_eq!(process::find_program("sh".as_ref(), Some("relative:.".as_ref()), Path::new("/bin")), None);
    assert_eq!(
        process::find_program("./sh".as_ref(), None, Path::new("/bin")).unwrap(),
        Path::new("/bin/./sh")
    );
}

#[test]
fn a_detached_process_is_nobodys_child_and_leads_its_session() {
    let root = tempfile::tempdir().unwrap();
    let log = root.path().join("log");
    let options = Detach {
        stdin: Some(vec![b'x'; 300_000]),
        stdout: Output::Append(log.clone()),
        current_dir: Some(root.path().to_owned()),
        env: vec![("DETACHED".into(), "yes".into())],
        ..Detach::default()
    };
    let script = "wc -c; echo $DETACHED; pwd -P; exec sleep 600";
    let detached = spawn_detached(Path::new("sh"), &["-c".into(), script.into()], options).unwrap();
    let process = detached.process.unwrap();
    let expected = format!("300000\nyes\n{}\n", root.path().canonicalize().unwrap().display());
    eventually("it wrote", || std::fs::read_to_string(&log).is_ok_and(|text| text == expected));
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.pid)).unwrap();
    assert_ne!(stat.split(' ').nth(3), Some(std::process::id().to_string().as_str()));
    assert_eq!(stat.split(' ').nth(5), Some(process.pid.to_string().as_str()));
    assert!(process::signal(&process, Signal::Kill).unwrap());
    eventually("no zombie stays", || process::identity(process.pid).is_none_or(|now| now != process));
}

#[test]
fn a_program_that_cannot_be_detached_is_an_error() {
    let error = spawn_detached(Path::new("/no/such/program"), &[], Detach::default()).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}

fn start(script: &str) -> Start {
    let program =
        process::find_program("sh".as_ref(), std::env::var_os("PATH").as_deref(), Path::new("/")).unwrap();
    Start { program, args: vec!["-c".into(), script.into()], ..Start::default() }
}

fn mark() -> String {
    format!("sys-test-{}", SystemIds.hex(16))
}

#[test]
fn a_tree_is_known_by_its_mark_and_killed_until_none_is_left() {
    let mark = mark();
    let mut tree = Tree::create(&mark).unwrap();
    let child = tree.spawn(start("setsid sleep 600 & (sleep 600 &); sleep 600; sleep 600")).unwrap();
    eventually("all run", || tree.members().len() == 4);
    assert!(tree.members().contains(&child.process));
    // Another process knows nothing but the mark.
    let found = Tree::open(&mark).unwrap();
    assert_eq!(found.kind(), tree.kind());
    assert_eq!(found.members().len(), 4);
    let expected =
        if matches!(tree.kind(), TreeKind::Cgroup { .. }) { Emptied::Proven } else { Emptied::Scanned };
    assert_eq!(found.kill(Duration::from_secs(10)).unwrap(), expected);
    assert!(found.members().is_empty() && tree.members().is_empty());
    assert_eq!(tree.kill(Duration::from_secs(10)).unwrap(), expected, "again");
    let kind = tree.kind();
    tree.remove().unwrap();
    found.remove().unwrap();
    if let TreeKind::Cgroup { path } = kind {
        assert!(!path.exists());
        let gone = Tree::open(&mark).unwrap().with_cgroup(&path).unwrap();
        assert_eq!(gone.kill(Duration::from_secs(10)).unwrap(), Emptied::Proven, "only empty groups can go");
    }
}

#[test]
fn a_tree_asked_to_end_does_so() {
    let mut tree = Tree::create(&mark()).unwrap();
    tree.spawn(start("sleep 600 & sleep 600 & wait")).unwrap();
    eventually("all run", || tree.members().len() == 3);
    tree.terminate();
    eventually("all are gone", || tree.members().is_empty());
    process::collect_children();
    tree.remove().unwrap();
}

#[test]
fn whoever_started_others_is_told_first_so_that_a_shell_comes_to_no_next_command() {
    let mut tree = Tree::create(&mark()).unwrap();
    tree.spawn(start("(sh -c 'sh -c \"sleep 600; true\"; true' & sleep 600; true) & sleep 600; true"))
        .unwrap();
    eventually("all run", || tree.members().len() == 7);
    let told: Vec<u32> = tree.members().iter().map(|member| member.pid).collect();
    for (at, pid) in told.iter().enumerate() {
        let parent = process::ancestors(*pid).first().map(|parent| parent.pid);
        assert!(
            !told[at..].iter().any(|later| Some(*later) == parent),
            "{pid} before {parent:?} in {told:?}"
        );
    }
    tree.terminate();
    eventually("all are gone", || tree.members().is_empty());
    process::collect_children();
    tree.remove().unwrap();
}

#[test]
fn a_tree_never_holds_this_process_or_a_stranger() {
    let stranger =
        spawn_detached(Path::new("sleep"), &["600".into()], Detach::default()).unwrap().process.unwrap();
    let tree = Tree::create(&mark()).unwrap().with_own_descendants();
    // The number of a leader that ended was given to the stranger.
    let recycled = ProcessId { start_time: stranger.start_time - 1, ..stranger.clone() };
    let tree = tree.with_leader(recycled);
    assert_eq!(tree.members(), []);
    tree.kill(Duration::from_secs(10)).unwrap();
    assert!(process::is_alive(&stranger));
    tree.remove().unwrap();
    assert!(process::signal(&stranger, Signal::Kill).unwrap());
}

#[test]
fn marks_that_could_be_paths_are_refused() {
    for mark in ["", "..", "a/b", "a b", "é", &"a".repeat(129)] {
        assert!(Tree::create(mark).is_err() && Tree::open(mark).is_err(), "`{mark}`");
    }
    let tree = Tree::open("a-mark").unwrap();
    assert!(tree.clone().with_cgroup(Path::new("/sys/fs/cgroup")).is_err());
    assert!(tree.with_cgroup(Path::new("/sys/fs/cgroup/piton-another")).is_err());
}
