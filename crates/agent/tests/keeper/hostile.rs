//! Children that do not want to die. None is left, whichever net has to catch them.

use std::time::{Duration, Instant};

use piton_agent::EndedBy;

use crate::world::{Nets, World, eventually};

/// Starts `script`, waits for so many processes, cancels, and looks for survivors.
fn none_survives(script: &str, processes: usize) {
    for nets in [Nets::All, Nets::ScanOnly] {
        let world = World::with(nets);
        world.launch(&world.spec("1", script));
        world.wait_for_sleepers(processes);
        let exit = world.cancel("1");
        assert_eq!(world.sleepers(), [] as [u32; 0], "{nets:?}");
        assert_eq!((exit.ended_by, exit.error), (EndedBy::Cancelled, None));
        assert_no_group_is_left(&world);
    }
}

fn assert_no_group_is_left(world: &World) {
    if let Some(group) = world.keeper("1").cgroup {
        assert!(!group.exists(), "`{}`", group.display());
    }
}

#[test]
fn the_kill_follows_the_grace_at_once() {
    let world = World::new();
    world.launch(
        &world.spec("1", "trap '' TERM; sleep TOKEN & setsid sleep TOKEN & while :; do sleep TOKEN; done"),
    );
    world.wait_for_sleepers(4);
    let asked = Instant::now();
    piton_agent::cancel(&world.attempts, "1").unwrap();
    eventually("none is left", || world.sleepers().is_empty());
    // On an idle machine it is the grace and a few milliseconds; here others may be at work.
    assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
    assert_eq!(world.finished("1").ended_by, EndedBy::Cancelled);
}

#[test]
fn one_that_ignores_every_signal() {
    none_survives("trap '' TERM HUP INT QUIT PIPE USR1; sleep TOKEN & while :; do sleep TOKEN; done", 3);
}

#[test]
fn one_in_another_session() {
    none_survives("setsid sleep TOKEN & setsid setsid sleep TOKEN & sleep TOKEN", 3);
}

#[test]
fn one_that_forks_twice_and_is_an_orphan() {
    none_survives("(setsid sh -c 'trap \"\" TERM; sleep TOKEN & sleep TOKEN' &) ; sleep TOKEN", 4);
}

#[test]
fn one_that_hides_its_environment() {
    none_survives("env -i sleep TOKEN & (setsid env -i sleep TOKEN &) ; sleep TOKEN", 3);
}

#[test]
fn hundreds_that_keep_forking() {
    let storm = "trap '' TERM; i=0; while [ $i -lt 200 ]; do setsid sleep TOKEN & i=$((i+1)); done; \
                 while :; do sleep TOKEN & setsid sleep TOKEN & sleep 0.01; done";
    none_survives(storm, 201);
}

#[test]
fn one_that_is_stopped() {
    none_survives("sleep TOKEN & kill -STOP $!; setsid sleep TOKEN & kill -STOP $!; sleep TOKEN", 3);
}

#[test]
fn one_that_holds_the_output_open_after_the_end() {
    for nets in [Nets::All, Nets::ScanOnly] {
        let world = World::with(nets);
        let exit = world.run(&world.spec("1", "setsid sleep TOKEN & sleep TOKEN & echo done; exit 0"));
        assert_eq!((exit.code, exit.ended_by), (Some(0), EndedBy::Exited));
        assert_eq!(world.log("1", "stdout.log"), b"done\n");
        assert!(world.sleepers().is_empty());
        assert!(exit.duration_ms < 30_000, "{}", exit.duration_ms);
        assert_no_group_is_left(&world);
    }
}

#[test]
fn one_that_goes_on_writing_for_a_moment_is_heard() {
    let world = World::new();
    let exit = world.run(&world.spec("1", "(sleep 0.05; echo last words) & exit 0"));
    assert_eq!(exit.code, Some(0));
    assert_eq!(world.log("1", "stdout.log"), b"last words\n");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "somebody outside starts it, not a keeper")]
fn one_that_somebody_outside_started_for_it() {
    let world = World::with(Nets::ScanOnly);
    let spec = world.spec("1", "until [ -e go ]; do sleep 0.01; done");
    world.launch(&spec);
    let mut other = std::process::Command::new("sleep")
        .arg(&world.token)
        .env(piton_sys::process::MARK_VARIABLE, &spec.mark)
        .spawn()
        .unwrap();
    world.wait_for_sleepers(1);
    std::fs::write(spec.cwd.join("go"), "").unwrap();
    // The keeper has no child left when it looks for this one, which is not its own.
    eventually("it is ended", || other.try_wait().unwrap().is_some());
    piton_agent::wait(&world.attempts, "1").unwrap();
    assert_eq!(world.finished("1").code, Some(0));
    assert_eq!(world.sleepers(), [] as [u32; 0]);
}

#[test]
fn one_that_closes_its_output_and_stays_costs_nothing() {
    let world = World::new();
    world.launch(&world.spec("1", "exec >&- 2>&- <&-; exec sleep TOKEN"));
    world.wait_for_sleepers(1);
    let keeper = world.keeper("1").process.pid;
    let before = turns_of(keeper);
    let _ = piton_sys::ready::wait(&mut [], Some(Duration::from_millis(500)));
    assert!(turns_of(keeper) - before < 20, "the keeper turns in circles");
    assert_eq!(world.cancel("1").ended_by, EndedBy::Cancelled);
    assert!(world.sleepers().is_empty());
}

#[test]
fn a_keeper_that_waits_is_small() {
    let world = World::new();
    let script = "head -c 20000000 /dev/zero | tr '\\0' 'x'; echo; echo end >&2; exec sleep TOKEN";
    world.launch(&world.spec("1", script));
    eventually("all is read", || world.log("1", "stderr.log") == b"end\n");
    let rollup =
        std::fs::read_to_string(format!("/proc/{}/smaps_rollup", world.keeper("1").process.pid)).unwrap();
    let line = rollup.lines().find(|line| line.starts_with("Private_Dirty:")).unwrap();
    let kilobytes: u64 = line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(kilobytes <= 3 * 1024, "{kilobytes} kB");
    world.cancel("1");
}

/// How often a process went to sleep by itself.
fn turns_of(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("voluntary_ctxt_switches")).unwrap();
    line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
}
