//! What ends a program that does not end by itself, and one that does not begin.

use std::time::{Duration, Instant};

use piton_agent::{EndedBy, Found, Spec};

use crate::world::{World, eventually};

#[test]
fn the_wall_clock_ends_a_program_however_busy_it_is() {
    let world = World::new();
    let mut spec = world.spec("1", "while :; do echo busy; done");
    spec.limits.wall_ms = Some(300);
    spec.limits.output_bytes_max = 10_000;
    let exit = world.run(&spec);
    assert_eq!(exit.ended_by, EndedBy::WallClock);
    assert!((300..30_000).contains(&exit.duration_ms), "{}", exit.duration_ms);
}

#[test]
fn silence_ends_a_program_and_output_keeps_it_alive() {
    let world = World::new();
    let mut spec = world.spec("1", "for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.3; done; exec sleep TOKEN");
    spec.limits.idle_ms = Some(1_500);
    let exit = world.run(&spec);
    assert_eq!(exit.ended_by, EndedBy::Idle);
    assert_eq!(world.log("1", "stdout.log"), b"1\n2\n3\n4\n5\n6\n7\n8\n");
    assert!(exit.duration_ms >= 3_600, "{}", exit.duration_ms);
    assert!(world.sleepers().is_empty());
}

#[test]
fn a_program_that_hears_the_request_to_end_may_say_goodbye() {
    let world = World::new();
    // A loop: the request also ends the sleep, and a shell that has nothing left to do may forget its trap.
    let script = "trap 'echo goodbye; exit 7' TERM; echo ready; while :; do sleep TOKEN & wait; done";
    let mut spec = world.spec("1", script);
    spec.limits.kill_grace_ms = 20_000;
    world.launch(&spec);
    eventually("it is ready", || world.log("1", "stdout.log") == b"ready\n");
    let exit = world.cancel("1");
    assert_eq!((exit.code, exit.ended_by), (Some(7), EndedBy::Cancelled));
    assert_eq!(world.log("1", "stdout.log"), b"ready\ngoodbye\n");
    assert!(world.sleepers().is_empty());
}

#[test]
fn a_program_that_ignores_the_request_is_killed_after_the_grace() {
    let world = World::new();
    let mut spec = world.spec("1", "trap '' TERM; echo ready; while :; do sleep TOKEN; done");
    spec.limits.kill_grace_ms = 400;
    world.launch(&spec);
    eventually("it is ready", || world.log("1", "stdout.log") == b"ready\n");
    let asked = Instant::now();
    let exit = world.cancel("1");
    assert_eq!((exit.signal, exit.ended_by), (Some(9), EndedBy::Cancelled));
    assert!(asked.elapsed() >= Duration::from_millis(400), "{:?}", asked.elapsed());
    assert!(world.sleepers().is_empty());
}

#[test]
fn a_stopped_program_is_ended_too() {
    let world = World::new();
    world.launch(&world.spec("1", "sleep TOKEN & kill -STOP $$"));
    world.wait_for_sleepers(1);
    assert_eq!(world.cancel("1").ended_by, EndedBy::Cancelled);
    assert!(world.sleepers().is_empty());
}

#[test]
fn a_missing_program_is_named() {
    let world = World::new();
    let spec = Spec { argv: vec!["no-such-agent".into()], ..world.spec("1", "") };
    let exit = world.run(&spec);
    assert_eq!(exit.ended_by, EndedBy::SpawnFailed);
    assert_eq!((exit.code, exit.signal), (None, None));
    assert_eq!(exit.error.as_deref(), Some("agent program `no-such-agent` not found in PATH"));

    let spec = Spec { argv: vec!["./no-such-agent".into()], ..world.spec("2", "") };
    assert_eq!(
        world.run(&spec).error.unwrap(),
        "agent program `./no-such-agent` not found, or not executable"
    );

    let spec = Spec { cwd: world.path().join("gone"), ..world.spec("3", "true") };
    let error = world.run(&spec).error.unwrap();
    assert!(error.starts_with("working directory `") && error.ends_with("gone` does not exist"), "{error}");

    let not_a_program = world.path().join("not-a-program");
    world.write_script(&not_a_program, "#!/no/such/interpreter\n");
    let spec = Spec { argv: vec![not_a_program.to_str().unwrap().into()], ..world.spec("4", "") };
    let exit = world.run(&spec);
    assert_eq!(exit.ended_by, EndedBy::SpawnFailed);
    assert!(exit.error.unwrap().starts_with("failed to start agent program `"));
    assert!(matches!(world.look("4"), Found::Finished(_)));
}

#[test]
fn path_is_that_of_the_program_and_relative_programs_count_from_its_directory() {
    let world = World::new();
    let bin = world.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    world.write_script(&bin.join("my-agent"), "#!/bin/sh\necho \"I am $0\"\n");
    let mut spec = world.spec("1", "");
    spec.argv = vec!["my-agent".into()];
    spec.env.insert("PATH".into(), format!("{}:/usr/bin:/bin", bin.display()));
    assert_eq!(world.run(&spec).code, Some(0));
    let spec = Spec { argv: vec!["bin/my-agent".into()], ..world.spec("2", "") };
    assert_eq!(world.run(&spec).code, Some(0));
}

#[test]
fn the_environment_is_what_was_asked_for() {
    let mut world = World::new();
    world.start_keepers_with("UNWANTED=1 KEPT=2");
    let mut spec = world.spec("1", "env");
    spec.env.insert("ADDED".into(), "3".into());
    spec.env_remove.push("UNWANTED".into());
    assert_eq!(world.run(&spec).code, Some(0));
    let log = String::from_utf8(world.log("1", "stdout.log")).unwrap();
    let has = |line: &str| log.lines().any(|found| found == line);
    assert!(has("KEPT=2") && has("ADDED=3") && !log.contains("UNWANTED"), "{log}");
    let directory = world.directory("1");
    assert!(has(&format!("PITON_MARK={}", spec.mark)), "{log}");
    assert!(has(&format!("PITON_ATTEMPT_DIR={}", directory.display())), "{log}");
    assert!(has(&format!("PITON_REPORT={}", directory.join("outbox/report.json").display())), "{log}");
    assert!(has(&format!("PITON_PROMPT_FILE={}", directory.join("prompt.md").display())), "{log}");
}

#[test]
fn nothing_of_the_keeper_is_inherited() {
    let mut world = World::new();
    // Somebody up the line forgot to close a descriptor.
    world.start_keepers_with("sh -c 'exec \"$0\" \"$@\" 7</dev/null'");
    // Its descriptors, signals and session, as seen from outside: a shell opens some of its own.
    world.launch(&world.spec("1", "exec sleep TOKEN"));
    eventually("it is written down", || matches!(world.look("1"), Found::Alive { started: Some(_) }));
    let pid = world.wait_for_sleepers(1)[0];
    // The loader of the program itself has a file open for a moment; what is inherited stays.
    eventually("it has its three descriptors and no other", || descriptors(pid) == ["0", "1", "2"]);
    // Rust ignores a broken pipe; what else we were started with is not ours to change. Two signals are the C library's
    // own: it ignores them where it starts a program without a copy of this process, and catches them when it needs to.
    const SIGPIPE: u64 = 1 << 12;
    const OWN: u64 = 0b11 << 31;
    assert_eq!(signals(pid, "SigIgn") & !OWN, signals(std::process::id(), "SigIgn") & !SIGPIPE & !OWN);
    assert_eq!(signals(pid, "SigBlk"), 0);
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    assert_eq!(stat.split(' ').nth(5), Some(pid.to_string().as_str()), "it leads its session");
    world.cancel("1");
}

#[test]
fn attempts_are_never_kept_behind_a_symbolic_link() {
    let world = World::new();
    let blocked = world.path().join("blocked");
    std::os::unix::fs::symlink(world.path(), &blocked).unwrap();
    let spec = world.spec("1", "true");
    let refused = piton_agent::launch(std::path::Path::new("unused"), &blocked, &spec, None);
    assert!(matches!(refused, Err(piton_agent::Error::File(_))), "{refused:?}");
}

/// A set of signals of a process, as a mask.
fn signals(pid: u32, which: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with(which)).unwrap();
    u64::from_str_radix(line.split_ascii_whitespace().nth(1).unwrap(), 16).unwrap()
}

fn descriptors(pid: u32) -> Vec<String> {
    let listing = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
    let mut names: Vec<String> =
        listing.map(|item| item.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
