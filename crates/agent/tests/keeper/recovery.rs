//! The four cases of recovery, and the races between them.

use std::time::{Duration, Instant};

use piton_agent::{EndedBy, Error, Found, Launch};
use piton_sys::process::{Emptied, Signal, TreeKind};

use crate::world::{Nets, World, eventually, is_alive};

#[test]
fn a_held_lock_means_alive_and_whoever_comes_later_re_attaches() {
    let world = World::new();
    world.launch(&world.spec("1", "echo ready; exec sleep TOKEN"));
    world.wait_for_sleepers(1);
    eventually("it is written down", || matches!(world.look("1"), Found::Alive { started: Some(_) }));
    let Found::Alive { started: Some(started) } = world.look("1") else { unreachable!("seen above") };
    assert_eq!(world.sleepers(), [started.process.pid]);
    let keeper = world.keeper("1").process;
    assert!(is_alive(&keeper));
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", keeper.pid)).unwrap();
    let parent = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)).unwrap();
    assert_ne!(parent, std::process::id().to_string(), "the keeper is not our child");
    assert!(matches!(piton_agent::reap(&world.attempts, "1"), Err(Error::StillHeld { .. })));

    let exit = world.cancel("1");
    assert_eq!(exit.ended_by, EndedBy::Cancelled);
    assert_eq!(exit.signal, Some(15));
    assert_eq!(world.look("1"), Found::Finished(exit));
    assert!(world.sleepers().is_empty());
}

#[test]
fn an_exit_file_means_finished() {
    let world = World::new();
    let exit = world.run(&world.spec("1", "echo out; echo err >&2; exit 3"));
    assert_eq!((exit.code, exit.signal, exit.ended_by), (Some(3), None, EndedBy::Exited));
    assert_eq!((exit.stdout_bytes, exit.stderr_bytes), (4, 4));
    assert_eq!((exit.stdout_cut, exit.stderr_cut, exit.error.clone()), (0, 0, None));
    assert!(exit.started_at <= exit.ended_at && exit.duration_ms < 30_000);
    assert_eq!(world.log("1", "stdout.log"), b"out\n");
    assert_eq!(world.log("1", "stderr.log"), b"err\n");
    assert_eq!(world.look("1"), Found::Finished(exit));
    assert_eq!(world.reap("1"), Emptied::Proven, "there is nothing left to reap");
}

#[test]
fn a_signal_that_ends_the_program_is_told_apart_from_a_code() {
    let world = World::new();
    let exit = world.run(&world.spec("1", "kill -KILL $$"));
    assert_eq!((exit.code, exit.signal, exit.ended_by), (None, Some(9), EndedBy::Exited));
}

#[test]
fn a_tombstone_keeps_a_late_keeper_from_starting() {
    let world = World::new();
    let ran = world.path().join("ran");
    assert_eq!(world.look("1"), Found::Absent);
    assert!(piton_agent::abandon(&world.attempts, "1").unwrap());
    assert_eq!(world.look("1"), Found::Abandoned);
    let spec = world.spec("1", &format!("touch {}", ran.display()));
    assert_eq!(world.try_launch(&spec).unwrap(), Launch::AlreadyPublished);
    assert_eq!(world.look("1"), Found::Abandoned);
    assert!(!ran.exists());
    assert!(!piton_agent::abandon(&world.attempts, "1").unwrap(), "it is abandoned already");
    assert_eq!(piton_agent::wait(&world.attempts, "1").unwrap(), Found::Abandoned);
    assert_eq!(std::fs::read_dir(&world.attempts).unwrap().count(), 1, "nothing else is left behind");
}

#[test]
fn a_second_keeper_starts_nothing() {
    let world = World::new();
    let count = world.path().join("count");
    let spec = world.spec("1", &format!("echo once >> {}; exec sleep TOKEN", count.display()));
    world.launch(&spec);
    assert_eq!(world.try_launch(&spec).unwrap(), Launch::AlreadyPublished);
    assert!(!piton_agent::abandon(&world.attempts, "1").unwrap());
    // A shell has the words of its command before it does anything.
    eventually("it ran", || std::fs::read_to_string(&count).is_ok_and(|said| said == "once\n"));
    world.cancel("1");
    assert_eq!(world.try_launch(&spec).unwrap(), Launch::AlreadyPublished, "nor after the end");
    assert_eq!(std::fs::read_to_string(count).unwrap(), "once\n");
    assert_eq!(std::fs::read_dir(&world.attempts).unwrap().count(), 1);
}

#[test]
fn of_a_keeper_and_a_tombstone_exactly_one_gets_the_name() {
    let world = World::new();
    let mut abandoned = 0;
    for round in 0..20 {
        let name = round.to_string();
        let ran = world.path().join(format!("ran-{name}"));
        let spec = world.spec(&name, &format!("touch {}", ran.display()));
        let (launched, tombstone) = std::thread::scope(|scope| {
            let keeper = scope.spawn(|| world.try_launch(&spec).unwrap());
            // Spread over the few milliseconds a keeper takes to get there.
            let _ = piton_sys::ready::wait(&mut [], Some(Duration::from_micros(round * 300)));
            let tombstone = piton_agent::abandon(&world.attempts, &name).unwrap();
            (keeper.join().unwrap(), tombstone)
        });
        if tombstone {
            abandoned += 1;
            assert_eq!(launched, Launch::AlreadyPublished);
            assert_eq!(world.look(&name), Found::Abandoned);
            assert!(!ran.exists());
        } else {
            assert_eq!(launched, Launch::Started);
            world.finished(&name);
            assert!(ran.exists());
        }
    }
    assert!(abandoned > 0, "the race was never close");
}

#[test]
fn a_killed_keeper_leaves_a_tree_that_is_reaped_whole() {
    for nets in [Nets::All, Nets::ScanOnly] {
        let world = World::with(nets);
        world.launch(&world.spec(
            "1",
            "trap '' TERM HUP PIPE; setsid sleep TOKEN & (sleep TOKEN &) ; sleep TOKEN; sleep TOKEN",
        ));
        world.wait_for_sleepers(4);
        eventually("it is written down", || matches!(world.look("1"), Found::Alive { started: Some(_) }));
        let by_group = matches!(world.tree_kind("1"), TreeKind::Cgroup { .. });
        assert!(nets == Nets::All || !by_group);
        world.kill_keeper("1");
        assert!(matches!(piton_agent::wait(&world.attempts, "1").unwrap(), Found::Dead { started: Some(_) }));
        // A shell that was about to start one goes on without the keeper.
        eventually("they outlive the keeper", || world.sleepers().len() >= 4);

        let emptied = world.reap("1");
        assert_eq!(emptied, if by_group { Emptied::Proven } else { Emptied::Scanned });
        assert_eq!(world.sleepers(), [] as [u32; 0]);
        assert_eq!(world.reap("1"), emptied, "a second time changes nothing");
        assert!(matches!(world.look("1"), Found::Dead { .. }), "the record stays as it is");
    }
}

#[test]
fn a_tree_is_found_although_the_keeper_never_said_what_it_started() {
    for nets in [Nets::All, Nets::ScanOnly] {
        let mut world = World::with(nets);
        let at = fault_number(&world, "agent.keeper.spawned");
        world.start_keepers_with(&format!("PITON_ABORT_AT={at}"));
        world.launch(&world.spec("1", "trap '' PIPE; setsid sleep TOKEN & exec sleep TOKEN"));
        assert_eq!(piton_agent::wait(&world.attempts, "1").unwrap(), Found::Dead { started: None });
        world.wait_for_sleepers(2);
        let proven = world.keeper("1").cgroup.is_some_and(|path| path.is_dir());
        assert_eq!(world.reap("1"), if proven { Emptied::Proven } else { Emptied::Scanned });
        assert_eq!(world.sleepers(), [] as [u32; 0]);
    }
}

#[test]
fn a_keeper_killed_at_any_point_leaves_a_case_that_recovery_knows() {
    let points = fault_sites(&World::new()).len();
    assert!(points > 20, "{points} points");
    for at in 1..=points {
        let mut world = World::new();
        let ran = world.path().join("ran");
        world.start_keepers_with(&format!("PITON_ABORT_AT={at}"));
        let spec = world.spec("1", &format!("touch {}; exec sleep 0.0TOKEN", ran.display()));
        let launched = world.try_launch(&spec);
        match piton_agent::wait(&world.attempts, "1").unwrap() {
            Found::Absent => {
                assert!(matches!(launched, Err(Error::NoAnswer { .. })), "at {at}: {launched:?}");
                assert!(piton_agent::abandon(&world.attempts, "1").unwrap());
                assert!(!ran.exists(), "at {at}: it ran without a directory");
            }
            Found::Dead { .. } => {
                world.reap("1");
                assert!(world.sleepers().is_empty(), "at {at}");
                assert!(matches!(world.look("1"), Found::Dead { .. }));
            }
            Found::Finished(exit) => assert_eq!(exit.code, Some(0), "at {at}"),
            found @ (Found::Alive { .. } | Found::Abandoned) => panic!("at {at}: {found:?}"),
        }
        piton_agent::sweep(&world.attempts).unwrap();
        assert_eq!(std::fs::read_dir(&world.attempts).map_or(0, Iterator::count), 1, "at {at}: swept clean");
    }
}

#[test]
fn sweeping_removes_what_was_never_published_and_nothing_else() {
    let mut world = World::new();
    assert_eq!(piton_agent::sweep(&world.attempts).unwrap(), 0, "there is no directory yet");
    world.launch(&world.spec("1", "exec sleep TOKEN"));
    let at = fault_number(&world, "agent.keeper.publish");
    world.start_keepers_with(&format!("PITON_ABORT_AT={at}"));
    assert!(world.try_launch(&world.spec("2", "true")).is_err());
    let held = world.attempts.join("3.0123abcd");
    std::fs::create_dir(&held).unwrap();
    let lock = piton_sys::lock::FileLock::exclusive(&held.join("lock")).unwrap();
    assert_eq!(std::fs::read_dir(&world.attempts).unwrap().count(), 3);
    assert_eq!(piton_agent::sweep(&world.attempts).unwrap(), 1);
    assert!(held.exists(), "a keeper is still preparing it");
    drop(lock);
    assert_eq!(piton_agent::sweep(&world.attempts).unwrap(), 1);
    assert!(matches!(world.look("1"), Found::Alive { .. }));
    assert_eq!(world.cancel("1").ended_by, EndedBy::Cancelled);
}

#[test]
fn an_attempt_of_an_earlier_boot_needs_no_search() {
    let world = World::new();
    world.launch(&world.spec("1", "exec sleep TOKEN"));
    world.wait_for_sleepers(1);
    world.kill_keeper("1");
    let path = world.directory("1").join("keeper.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let earlier = text.replace(&piton_sys::process::boot_id(), "an-earlier-boot");
    assert_ne!(text, earlier);
    replace(&path, &earlier);
    assert_eq!(world.reap("1"), Emptied::Proven);
    assert_eq!(world.sleepers().len(), 1, "it was not touched");
    replace(&path, &text);
    world.reap("1");
    assert!(world.sleepers().is_empty());
}

#[test]
fn a_forged_record_cannot_aim_the_kill_at_another_group() {
    let world = World::new();
    world.launch(&world.spec("1", "exec sleep TOKEN"));
    eventually("it is written down", || matches!(world.look("1"), Found::Alive { started: Some(_) }));
    let TreeKind::Cgroup { path: group } = world.tree_kind("1") else { return };
    world.kill_keeper("1");
    let path = world.directory("1").join("started.json");
    let text = std::fs::read_to_string(&path).unwrap();
    replace(&path, &text.replace(group.to_str().unwrap(), group.parent().unwrap().to_str().unwrap()));
    assert!(matches!(piton_agent::reap(&world.attempts, "1"), Err(Error::Process { .. })));
    replace(&path, &text);
    assert_eq!(world.reap("1"), Emptied::Proven);
}

#[test]
fn cancelling_needs_a_living_keeper_and_never_hits_another() {
    let world = World::new();
    piton_agent::cancel(&world.attempts, "1").unwrap();
    world.run(&world.spec("1", "true"));
    let path = world.directory("1").join("keeper.json");
    // The number of the keeper was given to somebody else: this test.
    let mut keeper = world.keeper("1");
    keeper.process.pid = std::process::id();
    // Starts are counted in hundredths of a second, and both may have started within one.
    keeper.process.start_time = 1;
    replace(&path, &serde_json::to_string(&keeper).unwrap());
    piton_agent::cancel(&world.attempts, "1").unwrap();
    assert!(matches!(world.look("1"), Found::Finished(_)));
}

#[test]
fn names_that_leave_the_directory_are_refused_everywhere() {
    let world = World::new();
    for name in ["..", "../run", "/etc", "a.b", ""] {
        assert!(matches!(piton_agent::look(&world.attempts, name), Err(Error::Spec(_))), "`{name}`");
        assert!(matches!(piton_agent::abandon(&world.attempts, name), Err(Error::Spec(_))), "`{name}`");
        assert!(matches!(piton_agent::reap(&world.attempts, name), Err(Error::Spec(_))), "`{name}`");
        assert!(matches!(world.try_launch(&world.spec(name, "true")), Err(Error::Spec(_))), "`{name}`");
    }
}

#[test]
fn damaged_records_are_said_to_be_damaged() {
    let world = World::new();
    world.run(&world.spec("1", "true"));
    replace(&world.directory("1").join("exit.json"), "{\"code\": 0");
    assert!(matches!(piton_agent::look(&world.attempts, "1"), Err(Error::Damaged { .. })));
}

#[test]
fn a_start_that_a_power_cut_left_empty_counts_as_not_noted() {
    let world = World::new();
    world.run(&world.spec("1", "true"));
    std::fs::remove_file(world.directory("1").join("exit.json")).unwrap();
    for left in ["", "{\"process\": "] {
        replace(&world.directory("1").join("started.json"), left);
        assert!(matches!(world.look("1"), Found::Dead { started: None }), "`{left}`");
        piton_agent::reap(&world.attempts, "1").unwrap();
    }
}

#[test]
fn an_exit_that_a_power_cut_left_empty_counts_as_none() {
    let world = World::new();
    world.run(&world.spec("1", "true"));
    for left in ["", "\0\0\0\0"] {
        replace(&world.directory("1").join("exit.json"), left);
        assert!(matches!(world.look("1"), Found::Dead { .. }), "{left:?}");
    }
}

#[test]
fn a_tree_is_found_although_the_disk_lost_who_kept_it() {
    let world = World::new();
    world.launch(&world.spec("1", "trap '' PIPE; setsid sleep TOKEN & exec sleep TOKEN"));
    world.wait_for_sleepers(2);
    eventually("it is written down", || matches!(world.look("1"), Found::Alive { started: Some(_) }));
    world.kill_keeper("1");
    piton_agent::wait(&world.attempts, "1").unwrap();
    for record in ["keeper.json", "started.json"] {
        replace(&world.directory("1").join(record), "");
    }
    assert_eq!(world.look("1"), Found::Dead { started: None });
    assert_eq!(world.reap("1"), Emptied::Scanned);
    assert_eq!(world.sleepers(), [] as [u32; 0]);
}

#[test]
fn a_keeper_leads_its_own_session_and_leaves_no_corpse() {
    let world = World::new();
    let seen = world.path().join("session");
    world.run(&world.spec("1", &format!("ps -o sess= -p $PPID > {}", seen.display())));
    assert_eq!(std::fs::read_to_string(&seen).unwrap().trim(), world.keeper("1").process.pid.to_string());
    // Neither the keeper nor what it was before it took leave is a child of ours.
    let own = format!(" {} ", std::process::id());
    let is_child = |stat: String| stat.rsplit_once(')').is_some_and(|(_, rest)| rest[2..].starts_with(&own));
    let stats = std::fs::read_dir("/proc").unwrap().flatten().map(|item| item.path().join("stat"));
    assert_eq!(
        stats
            .filter_map(|path| std::fs::read_to_string(path).ok())
            .filter(|stat| is_child(stat.clone()))
            .count(),
        0
    );
}

#[test]
fn a_keeper_that_cannot_start_or_publish_says_why() {
    let world = World::new();
    let spec = world.spec("1", "true");
    let missing = world.path().join("no-such-keeper");
    let Launch::SpawnFailed { error } = piton_agent::launch(&missing, &world.attempts, &spec, None).unwrap()
    else {
        panic!("it started");
    };
    assert!(error.contains("no-such-keeper"), "{error}");

    let silent = world.path().join("silent.sh");
    world.write_script(&silent, "#!/bin/sh\ncat > /dev/null\n");
    let no_answer = piton_agent::launch(&silent, &world.attempts, &spec, None);
    assert!(matches!(no_answer, Err(Error::NoAnswer { .. })), "{no_answer:?}");
    assert_eq!(world.look("1"), Found::Absent);
}

#[test]
fn waiting_returns_as_soon_as_the_keeper_lets_go() {
    let world = World::new();
    world.launch(&world.spec("1", "exec sleep TOKEN"));
    let waited = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let found = piton_agent::wait(&world.attempts, "1").unwrap();
            (found, Instant::now())
        });
        world.wait_for_sleepers(1);
        let keeper = world.keeper("1").process;
        piton_sys::process::signal(&keeper, Signal::Kill).unwrap();
        let killed = Instant::now();
        let (found, returned) = waiting.join().unwrap();
        assert!(matches!(found, Found::Dead { .. }));
        returned.saturating_duration_since(killed)
    });
    assert!(waited < Duration::from_secs(10), "{waited:?}");
    world.reap("1");
}

/// The points a keeper goes through for a short program, by name.
fn fault_sites(world: &World) -> Vec<String> {
    let mut other = World::new();
    let log = world.path().join("faults");
    other.start_keepers_with(&format!("PITON_FAULT_LOG={}", log.display()));
    other.run(&other.spec("1", "true"));
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::remove_file(log).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// Which point of a keeper's life this is.
fn fault_number(world: &World, site: &str) -> usize {
    fault_sites(world).iter().position(|name| name == site).unwrap() + 1
}

fn replace(path: &std::path::Path, text: &str) {
    piton_sys::file::write_atomic(path, text.as_bytes(), piton_sys::file::Durability::Unsynced).unwrap();
}

#[test]
fn a_spare_keeper_takes_the_spec_it_is_given_and_is_known_by_its_lock() {
    let world = World::new();
    let spare = piton_agent::Spare::start(&world.exe, &world.attempts);
    assert!(spare.is_some());
    let spec = world.spec("1", "exec sleep TOKEN");
    let launched = piton_agent::launch(&world.exe, &world.attempts, &spec, spare).unwrap();
    assert_eq!(launched, Launch::Started);
    world.wait_for_sleepers(1);
    let keeper = world.keeper("1").process;
    let words = piton_sys::process::command_line(keeper.pid);
    assert_eq!(words.last().and_then(|word| word.to_str()), Some("(spare)"));
    let lock = std::fs::canonicalize(world.attempts.join("1/lock")).unwrap();
    let files = piton_sys::process::open_files(keeper.pid).unwrap();
    assert!(files.iter().any(|file| file.path == lock));
    assert_eq!(world.cancel("1").ended_by, EndedBy::Cancelled);
}

#[test]
fn a_spare_keeper_that_nobody_needs_ends_and_leaves_nothing() {
    let world = World::new();
    drop(piton_agent::Spare::start(&world.exe, &world.attempts).unwrap());
    eventually("it ends", || world.keepers().is_empty());
    let left = std::fs::read_dir(&world.attempts).into_iter().flatten().count();
    assert_eq!(left, 0, "nothing was published");
}

#[test]
fn a_spare_keeper_that_is_gone_is_replaced() {
    for signal in [Signal::Kill, Signal::Terminate] {
        let world = World::new();
        let spare = piton_agent::Spare::start(&world.exe, &world.attempts);
        eventually("it is there", || !world.keepers().is_empty());
        // On its way out of the test's session it is a process after another.
        let mut unseen = 0;
        eventually("it is gone", || {
            let there = world.keepers();
            unseen = if there.is_empty() { unseen + 1 } else { 0 };
            there.iter().for_each(|keeper| drop(piton_sys::process::signal(keeper, signal)));
            unseen == 3
        });
        let spec = world.spec("1", "exit 3");
        let launched = piton_agent::launch(&world.exe, &world.attempts, &spec, spare).unwrap();
        assert_eq!(launched, Launch::Started);
        piton_agent::wait(&world.attempts, "1").unwrap();
        assert!(matches!(world.look("1"), Found::Finished(exit) if exit.code == Some(3)));
    }
}
