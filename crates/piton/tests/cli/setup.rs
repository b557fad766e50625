//! The first minutes: init, doctor, completions, help and the demo.

use std::io::Write as _;
use std::time::{Duration, Instant};

use super::common::World;

#[test]
fn init_finds_the_checks_runs_them_and_writes_a_trusted_file() {
    let world = World::new();
    world.write("Makefile", "test:\n\ttest -f b.txt\nlint:\n\ttrue\n");
    let ran = world.piton(&["init", "--yes"]).exits(0);
    insta::assert_snapshot!(ran.out, @"wrote <repo>/piton.toml; it is trusted as it stands");
    insta::assert_snapshot!(ran.err, @r#"
    check test       make test   (target `test` in Makefile)
          fails now
    check lint       make lint   (target `lint` in Makefile)
          passes now
    no agent was detected: name one with --agent, or use --exec
    walls: --confine keeps it in its work tree, away from your keys and logins
    on main a loop works in a work tree and on a branch of its own; `piton land` brings the result to main
    next: piton loop "what to do" --exec 'your-agent'
    "#);
    insta::assert_snapshot!(world.read("piton.toml"), @r#"
    # What piton runs here. After an edit: `piton trust`.

    # [agent]
    # use = "claude"           # or codex, gemini, opencode, aider, goose, or a name under [agents.*]

    # [agents.mine]            # any program that reads its task from stdin; docs/agents.md has what else it can say
    # command = ["my-agent", "--headless"]

    # [loop]                   # the defaults
    # prompt = "PROMPT.md"
    # session = "fresh"        # or "continue"
    # max_iterations = 50
    # max_duration = "8h"      # working time; waits are not counted
    # no_progress = 5          # iterations in a row that change nothing that matters
    # failure_streak = 5       # failed attempts in a row
    # attempt_timeout = "2h"
    # idle_timeout = "10m"     # off unless set: silence after which an attempt counts as hung
    # max_cost_usd = 15        # off unless set
    # max_tokens = 2000000     # off unless set
    # on_lost = "retry"        # or "restore_and_retry", "ask": an attempt whose outcome cannot be known

    [checks]                 # piton runs these itself; a loop is done when they pass
    test = "make test"  # target `test` in Makefile
    lint = "make lint"  # target `lint` in Makefile
    # slow = { command = "make e2e", timeout = "30m" }   # 15 minutes otherwise

    # [confine]                # walls; `piton doctor` says whether they work here
    # enabled = true           # only the work tree can be written, no keys are seen
    # network = ["api.example.org"]   # the only hosts that are reached; all, unless set

    # [views]
    # ralph = true             # .ralph/state.json
    # aiwg = "auto"            # .aiwg/ralph/, where .aiwg exists
    # auto_save_interval = "30s"

    # [redact]
    # patterns = []            # texts that never reach a disk, beside the known formats of keys
    "#);
    let ran = world.piton(&["loop", "Write b.txt", "--exec", "touch b.txt"]).exits(0);
    assert!(ran.out.contains("checks are green"), "{}", ran.out);
    let written = world.read("piton.toml");
    world.write("Makefile", "test:\n\ttest -f b.txt\nlint:\n\ttrue\ncheck:\n\ttrue\n");
    let ran = world.piton(&["init"]).exits(0);
    insta::assert_snapshot!(ran.out, @"piton.toml is there, with test, lint");
    insta::assert_snapshot!(ran.err, @r#"
    it could also run: check = "make check"   (target `check` in Makefile)
    after an edit: piton trust
    on main a loop works in a work tree and on a branch of its own; `piton land` brings the result to main
    next: piton loop "what to do" --exec 'your-agent'
    "#);
    assert_eq!(world.read("piton.toml"), written);
}

#[test]
fn init_takes_an_agent_and_a_loop_needs_no_flag_then() {
    let world = World::new();
    world.write("Makefile", "test:\n\ttest -f b.txt\n");
    world.piton(&["init", "--yes", "--agent", "touch b.txt"]).exits(0);
    let ran = world.piton(&["loop", "Write b.txt"]).exits(0);
    assert!(ran.out.contains("· touch, fresh session"), "{}", ran.out);
}

#[test]
fn init_runs_a_check_as_a_run_would() {
    let world = World::new();
    world.write("Makefile", "test:\n\ttest -z \"$$NODE_OPTIONS\" && test \"$$CI\" = 1\n");
    let ran = world.piton_with(&[("NODE_OPTIONS", "--no-warnings")], &["init", "--yes"]).exits(0);
    assert!(ran.err.contains("passes now"), "{}", ran.err);
}

#[test]
fn init_asks_at_a_terminal_before_it_runs_what_it_found_unless_told_not_to() {
    let world = World::new();
    world.write("Makefile", "test:\n\ttouch ran\n");
    let mut terminal = world.terminal(&["init"]);
    terminal.shows("make test");
    terminal.shows("[Y/n]");
    terminal.write_all(b"n\n").unwrap();
    assert_eq!(terminal.ends(), 2);
    assert!(!world.path("ran").exists() && !world.path("piton.toml").exists());
    let terminal = world.terminal(&["init", "--yes"]);
    assert_eq!(terminal.ends(), 0);
    assert!(world.path("ran").exists() && world.path("piton.toml").exists());
}

#[test]
fn init_where_nothing_is_found_says_what_to_do() {
    let world = World::new();
    let ran = world.piton(&["init", "--yes"]).exits(0);
    insta::assert_snapshot!(ran.err, @r#"
    no check was found: add one below [checks] in piton.toml, such as
          test = "your-tests"
    then run `piton trust`
    no agent was detected: name one with --agent, or use --exec
    walls: --confine keeps it in its work tree, away from your keys and logins
    on main a loop works in a work tree and on a branch of its own; `piton land` brings the result to main
    next: piton loop "what to do" --check 'test=your-tests' --exec 'your-agent'
    "#);
    world.piton(&["loop", "what to do", "--check", "test=test -f b", "--exec", "touch b"]).exits(0);
}

/// The command that `init` names, in a shell, with an agent in the place of the words for one.
fn next_begins(world: &World) {
    let ran = world.piton(&["init", "--yes"]).exits(0);
    let next = ran.err.lines().find_map(|line| line.strip_prefix("next: piton ")).unwrap().to_owned();
    let next = next.replace("your-agent", "touch b.txt").replace("your-tests", "test -f b.txt");
    world.shell(&format!("'{}' {next}", env!("CARGO_BIN_EXE_piton"))).exits(0);
}

#[test]
fn init_that_is_run_again_names_a_command_that_begins() {
    for files in [&[][..], &[("Makefile", "test:\n\ttest -f b.txt\n")]] {
        let world = World::new();
        files.iter().for_each(|(name, text)| world.write(name, text));
        world.piton(&["init", "--yes"]).exits(0);
        next_begins(&world);
    }
    let world = World::new();
    world.piton(&["init", "--yes"]).exits(0);
    world.write("piton.toml", "[checks]\ntest = \"test -f b.txt\"\n");
    assert!(world.piton(&["init"]).exits(4).err.contains("run `piton trust`"));
    world.piton(&["trust", "--yes"]).exits(0);
    next_begins(&world);
}

#[test]
fn init_says_where_a_loop_works_as_it_is_decided_then() {
    let says = |world: &World, words: &str| {
        let ran = world.piton(&["init", "--yes"]).exits(0);
        assert!(ran.err.contains(words), "{words}: {}", ran.err);
        let begun = world.shell(&format!(
            "'{}' loop x --exec 'touch b.txt' --check 'test -f b.txt'",
            env!("CARGO_BIN_EXE_piton")
        ));
        let in_place = begun.exits(0).out.lines().next().unwrap().ends_with("in place");
        assert_eq!(in_place, !ran.err.contains("in a work tree"), "{}", ran.err);
    };
    let world = World::new();
    world.git(&["checkout", "-q", "-b", "mine"]);
    says(&world, "while something is not committed, a loop works in a work tree");
    let world = World::new();
    world.git(&["checkout", "-q", "-b", "mine"]);
    world.piton(&["init", "--yes"]).exits(0);
    world.commit("settings");
    says(&world, "on mine, with everything committed, a loop works in place");
    let world = World::outside_git();
    says(&world, "a loop works in this directory: it is no git repository");
    let world = World::outside_git();
    world.git(&["init", "-q", "-b", "main"]);
    says(&world, "there is no commit yet");
}

#[test]
fn init_asks_for_a_check_where_none_is_found() {
    let world = World::new();
    let mut terminal = world.terminal(&["init"]);
    terminal.shows("which command says whether work is done");
    terminal.write_all(b"test -f b.txt\n").unwrap();
    terminal.shows("fails now");
    assert_eq!(terminal.ends(), 0);
    assert!(world.read("piton.toml").contains("test = \"test -f b.txt\""), "{}", world.read("piton.toml"));
}

/// A check that is not there is no red check: an agent would work and be paid for nothing.
#[test]
fn a_check_that_cannot_be_started_is_said_before_an_agent_works() {
    let world = World::new();
    world.write("conftest.py", "");
    let nothing = world.beside("nothing");
    std::fs::create_dir(&nothing).unwrap();
    for program in ["git", "sh"] {
        let found = world.shell(&format!("command -v {program}")).out;
        std::os::unix::fs::symlink(found.trim(), nothing.join(program)).unwrap();
    }
    let bare = [("PATH", nothing.to_str().unwrap())];
    let ran = world.piton_with(&bare, &["init", "--yes"]).exits(0);
    assert!(ran.err.contains("cannot be started: there is no such command"), "{}", ran.err);
    assert!(ran.err.contains("--check 'test=your-tests'"), "{}", ran.err);
    assert!(!world.read("piton.toml").contains("\ntest = \"pytest\""), "{}", world.read("piton.toml"));
    let agent = ["--exec", "touch worked"];
    let ran = world
        .piton_with(&bare, &[&["loop", "x", "--check", "test=pytest -q", "--id", "r"][..], &agent].concat())
        .exits(7);
    insta::assert_snapshot!(ran.err, @"
    error: the check `test` cannot be started: `pytest` is not in PATH

    hint: install it, activate the environment that has it, or name it by its path in `[checks]` of piton.toml
    ");
    assert!(!world.path("worked").exists());
    // What may be a file that is still to be written is not refused, and not taken for a red test either.
    let words = ["loop", "x", "--check", "test=./check.sh", "--id", "r", "--max-iterations", "1"];
    let ran = world.piton(&[&words[..], &agent].concat()).exits(3);
    assert!(ran.out.contains("baseline  test ✗ command not found"), "{}", ran.out);
    let status = world.piton(&["status", "r"]).exits(0);
    assert!(status.out.contains("test ✗ command not found"), "{}", status.out);
}

#[test]
fn init_finds_what_an_environment_has_that_is_not_activated() {
    let world = World::new();
    world.write("conftest.py", "");
    world.write(".venv/bin/python", "#!/bin/sh\necho $@ > asked\n");
    world.write(".venv/bin/pytest", "");
    world.shell("chmod +x .venv/bin/python").exits(0);
    let ran = world.piton(&["init", "--yes"]).exits(0);
    assert!(ran.err.contains(".venv/bin/python -m pytest") && ran.err.contains("passes now"), "{}", ran.err);
    assert_eq!(world.read("asked"), "-m pytest\n");
}

#[test]
fn init_finds_tests_by_their_files() {
    let world = World::outside_git();
    world.write(
        "test_a.py",
        "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        pass\n",
    );
    world.init();
    world.piton(&["init", "--yes"]).exits(0);
    assert!(world.read("piton.toml").contains("python3 -m unittest"));
    world.piton(&["loop", "x", "--exec", "true", "--max-iterations", "1"]).exits(3);
}

#[test]
fn doctor_names_a_link_in_place_of_the_list_that_runs_write() {
    let world = World::new();
    world.shell("mv .git/info/exclude elsewhere; ln -s \"$PWD/elsewhere\" .git/info/exclude").exits(0);
    world.piton(&["loop", "x", "--check", "false", "--exec", "true"]).exits(7);
    let ran = world.piton(&["doctor"]).exits(7);
    let line = ran.out.lines().find(|line| line.starts_with("bad   exclude")).unwrap_or_default();
    let (_, way_out) = line.split_once("as `").unwrap();
    world.shell(way_out.strip_suffix("` does").unwrap()).exits(0);
    assert!(!world.piton(&["doctor"]).exits(0).out.contains("exclude"));
    world.piton(&["loop", "x", "--check", "test -f b", "--exec", "touch b"]).exits(0);
}

#[test]
fn doctor_says_what_is_well() {
    let world = World::new();
    let ran = world.piton(&["doctor"]).exits(0);
    for what in ["git", "shell", "state", "process trees", "piton.toml", "journal"] {
        assert!(ran.out.lines().any(|line| line.contains(what)), "{what}: {}", ran.out);
    }
    assert!(!ran.out.contains("bad "), "{}", ran.out);
    let findings = world.json(&["doctor"]);
    for finding in findings.as_array().unwrap() {
        assert!(finding["what"].is_string() && finding["state"].is_string() && finding["detail"].is_string());
    }
    assert!(!world.path(".piton").exists(), "looking leaves nothing behind");
}

#[test]
fn doctor_says_what_is_not() {
    let world = World::new();
    world.write("piton.toml", "[lop]\n");
    let ran = world.piton(&["doctor"]).exits(7);
    assert!(
        ran.out.lines().any(|line| line.starts_with("bad   piton.toml") && line.contains("lop")),
        "{}",
        ran.out
    );
    world.write("piton.toml", "[checks]\ntest = \"true\"\n");
    let ran = world.piton(&["doctor"]).exits(0);
    assert!(
        ran.out.lines().any(|line| line.starts_with("warn  piton.toml") && line.contains("piton trust")),
        "{}",
        ran.out
    );
}

#[test]
fn a_name_of_a_file_reaches_the_terminal_of_init_as_text() {
    let world = World::new();
    world.write("test_\u{1b}]0.py", "def test_a():\n    pass\n");
    let ran = world.piton(&["init"]);
    let said = format!("{}{}", ran.out, ran.err);
    assert!(said.contains("test_") && !said.contains('\u{1b}'), "{said:?}");
}

#[test]
fn completions_know_the_commands() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish"] {
        let ran = world.piton(&["completions", shell]).exits(0);
        assert!(
            ran.out.contains("piton") && ran.out.contains("loop") && ran.out.contains("resume"),
            "{shell}"
        );
    }
    world.piton(&["completions", "tcsh"]).exits(2);
    let ran = world.piton(&["completions", "bash"]).exits(0);
    world.write("../completions", &ran.out);
    world.shell("bash -n ../completions").exits(0);
}

#[test]
fn help_knows_every_command_and_where_to_begin() {
    let world = World::new();
    let ran = world.piton(&["--help"]).exits(0);
    let commands = "demo init loop ls status why show log output attach wait pause resume stop skip tell answer best \
                    restore diff rm verify doctor trust config";
    for command in commands.split_whitespace() {
        assert!(ran.out.contains(&format!("\n  {command} ")), "{command}: {}", ran.out);
        world.piton(&[command, "--help"]).exits(0);
    }
    assert!(ran.out.contains("Start with `piton demo`."), "{}", ran.out);
    assert!(!ran.out.contains("\n  schema "), "what is for programs is not among the first: {}", ran.out);
    let all = world.piton(&["help", "--all"]).exits(0).out;
    for command in ["schema", "completions", "rebuild", "mcp", "metrics", "export"] {
        assert!(all.contains(&format!("\n  {command} ")), "{command}: {all}");
    }
    assert!(all.lines().all(|line| line.chars().count() <= 80), "{all}");
    assert!(world.piton(&["help", "backup", "list"]).exits(0).out.contains("Usage: piton backup list"));
    assert!(world.piton(&["help", "lop"]).exits(2).err.contains("there is no command `lop`"));
    for (old, new) in [("run", "workflow"), ("verify", "check-storage"), ("reboot", "fresh-session")] {
        assert_eq!(world.piton(&[old, "-h"]).out, world.piton(&[new, "-h"]).out);
    }
    assert!(!ran.out.contains("__"), "what is not for people is not shown");
    world.piton(&[]).exits(2);
    let ran = world.piton(&["lop"]).exits(2);
    assert!(ran.err.contains("'loop'"), "{}", ran.err);
    assert!(world.piton(&["--version"]).exits(0).out.starts_with("piton "));
}

#[test]
fn the_demo_works_offline_in_less_than_twenty_seconds_and_leaves_nothing() {
    let world = World::outside_git();
    let started = Instant::now();
    let temporary = world.beside("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let ran = world.piton_with(&[("TMPDIR", temporary.to_str().unwrap())], &["demo"]).exits(0);
    assert!(started.elapsed() < Duration::from_secs(20), "took {:?}", started.elapsed());
    insta::assert_snapshot!(ran.out, @r#"
    1. a loop: piton runs the checks itself, and an agent that changes the check is refused
    run ralph-write-a-greeting-XXXXXXXX · exec, fresh session per iteration · in place
    baseline  exists ✗ · complete ✗   ( T s)
    note      stopping when every check passes
    limits    5 iterations · 8h00m working, waits not counted · 5 without progress · 5 failures in a row
      #1 T s  +1 −0         exists ✓ · complete ✗
      #2 T s  +1 −1          REFUSED `check.sh` is protected and changed → back to #1, agent told

    2. a crash: kill -9 for the driver, in the middle of attempt 3
          driver PID is dead
          the agent of attempt 3 is still at work, held by its keeper

    3. a re-attach: `piton resume` finds the agent instead of starting another
      #3 T s  +1 −1         exists ✓ · complete ✓
    done      2 of 2 checks are green · 3 iterations, T s · 1 refused
    result    files changed in place, nothing committed
    next      piton diff XXXXXXXX

    4. a proof: answers known by heart are refused, with an input at which they are wrong
    run ralph-give-the-discount-XXXXXXXX · exec, fresh session per iteration · in place
    baseline  test ✗   tests 0/2   ( T s)
    note      stopping when every check passes
    limits    5 iterations · 8h00m working, waits not counted · 5 without progress · 5 failures in a row
      #1 T s  +4 −0          REFUSED `discount` knows the answers of the tests and no rule: with `1000` it gives `900`, with `1001` what it gave before the change, `1001`; the answers `499`, `900` stand in the code (and 1 more) → back to the start, agent told
      #2 T s  +1 −1         test ✓   tests 2/2   no longer failing test_prices.Discount.test_half, test_prices.Discount.test_ten_percent
    done      the check is green · 2 iterations, T s · 1 refused
    proof     1 probe, 1 mutant, 0 lost; proved by test_prices.Discount.test_half, test_prices.Discount.test_ten_percent
    result    files changed in place, nothing committed
    next      piton diff XXXXXXXX

    5. the account: every transition is in the journal
          48 events, chain intact; 3 attempts, 0 lost, iteration 3 counted once
          took T s
          the directory is gone again; `piton demo --keep` keeps it for you to look at
    next: piton init, then piton loop "what to do" --exec 'your-agent'
    "#);
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
    assert_eq!(std::fs::read_dir(world.path("")).unwrap().count(), 0);
}
