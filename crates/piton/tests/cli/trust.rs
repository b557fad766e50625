//! `piton.toml`: nothing of it runs before somebody trusted it as it stands, and what is wrong is said at once.

use super::common::World;

const CONFIG: &str = "[checks]\ntest = \"touch $BESIDE/ran; test -f b.txt\"\n";

#[test]
fn an_untrusted_configuration_runs_nothing() {
    let world = World::new();
    world.write("piton.toml", CONFIG);
    let ran = world.loops("r", "touch b.txt", &[]).exits(4);
    insta::assert_snapshot!(ran.err, @"
    error: piton.toml is not trusted as it stands: it names programs to run

    hint: look at it, then run `piton trust`; `--trust` takes it for this once
    ");
    assert!(!world.beside("ran").exists() && !world.path("b.txt").exists());
}

#[test]
fn trust_shows_what_it_trusts_and_a_change_asks_again() {
    let world = World::new();
    world.write("piton.toml", CONFIG);
    let ran = world.piton(&["trust"]).exits(0);
    assert!(ran.err.contains("touch $BESIDE/ran"), "{}", ran.err);
    assert_eq!(ran.out, "trusted as it stands; a change asks again\n");
    world.loops("r", "touch b.txt", &[]).exits(0);

    world.write("piton.toml", &format!("{CONFIG}lint = \"true\"\n"));
    world.loops("s", "true", &[]).exits(4);
    world.write("piton.toml", CONFIG);
    world.loops("t", "echo x >> a.txt", &["--max-iterations", "1"]).exits(3);
}

#[test]
fn trust_is_of_one_repository_and_lives_outside_of_it() {
    let world = World::configured(CONFIG);
    assert!(!world.git(&["status", "--porcelain", "--ignored"]).contains("trust"));
    let copy = world.beside("copy").display().to_string();
    world.shell(&format!("cp -r . '{copy}'")).exits(0);
    let arguments = ["--repo", &copy, "loop", "x", "--exec", "true"];
    world.piton(&arguments).exits(4);
}

#[test]
fn the_trust_flag_takes_it_for_this_once() {
    let world = World::new();
    world.write("piton.toml", CONFIG);
    world.loops("r", "touch b.txt", &["--trust"]).exits(0);
    world.loops("s", "touch b.txt", &[]).exits(4);
}

#[test]
fn there_is_nothing_to_trust_where_there_is_no_file() {
    let ran = World::new().piton(&["trust"]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: there is no piton.toml here

    hint: run `piton init` to write one
    ");
}

#[test]
fn every_problem_of_a_configuration_is_said_at_once_with_its_line() {
    let world = World::new();
    world.write(
        "piton.toml",
        "[loop]\nmax_iteration = 3\nmax_duration = \"soon\"\n\n[checks]\ntest = 3\n\n[agent]\nuse = \"nobody\"\n\n[lop]\n",
    );
    let ran = world.loops("r", "true", &["--trust"]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: 5 things are wrong
      piton.toml:2:1: unknown key in `[loop]`: `max_iteration`; did you mean `max_iterations`?
      piton.toml:3:16: `max_duration = soon`: a number is missing; write a duration such as `8h` or `1h30m`
      piton.toml:6:8: `test` must be a text in quotes, not a whole number
      piton.toml:11:2: unknown section `lop`; did you mean `loop`?
      nothing would stop this loop: it has no check and no condition; give `--check CMD`, or run `piton init` to find the checks of this project
    ");
}

#[test]
fn a_configuration_that_is_no_toml_says_where() {
    let world = World::new();
    world.write("piton.toml", "[loop\nx = \n");
    let ran = world.loops("r", "true", &["--trust"]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: 3 things are wrong
      piton.toml:1:6: this is not TOML: unclosed table, expected `]`
      piton.toml:2:1: unknown section `x`; known here: `agent`, `agents`, `loop`, `checks`, `guard`, `session`, `stop`, `metrics`, `progress`, `reinforcement`, `recovery`, `worktree`, `confine`, `views`, `cycle`, `gaps`, `hooks`, `notify`, `mode`, `prompts`, `redact`, `vault`
      nothing would stop this loop: it has no check and no condition; give `--check CMD`, or run `piton init` to find the checks of this project
    ");
}

#[test]
fn what_cannot_be_used_is_not_trusted() {
    let world = World::new();
    for (file, text, says) in [
        ("piton.toml", "[loop\n", "piton.toml:1:6: this is not TOML"),
        ("piton.toml", "[loop]\nmax_iteration = 3\n", "unknown key in `[loop]`: `max_iteration`"),
        (".ralph/hooks/tell.yaml", "name: [tell\n", ".ralph/hooks/tell.yaml: "),
    ] {
        std::fs::create_dir_all(world.path(".ralph/hooks")).unwrap();
        world.write(file, text);
        let ran = world.piton(&["trust", "--yes"]).exits(2);
        assert!(ran.err.contains(says), "{}", ran.err);
        std::fs::remove_file(world.path(file)).unwrap();
    }
    assert!(!world.beside("config/trust.json").exists(), "nothing was trusted");
}

#[test]
fn a_symlinked_configuration_is_refused() {
    let world = World::new();
    world.write("other.toml", CONFIG);
    std::os::unix::fs::symlink("other.toml", world.path("piton.toml")).unwrap();
    world.piton(&["trust"]).exits(7);
    world.loops("r", "true", &["--trust"]).exits(7);
}

#[test]
fn config_show_says_where_every_value_came_from() {
    let world = World::new();
    world.write("piton.toml", "[loop]\nmax_iterations = 7\n[checks]\ntest = \"make test\"\n");
    let ran = world.piton_with(&[("PITON_NO_PROGRESS", "3")], &["config", "show"]).exits(0);
    insta::assert_snapshot!(ran.out, @r#"
    [agent]
    # use is not set

    [loop]
    # prompt is not set
    session = "fresh"                                  # default
    max_iterations = 7                                 # project: piton.toml:2:18
    max_duration = "8h"                                # default
    no_progress = 3                                    # environment: PITON_NO_PROGRESS
    failure_streak = 5                                 # default
    # max_cost_usd is not set
    # max_tokens is not set
    attempt_timeout = "2h"                             # default
    # idle_timeout is not set
    # max_files is not set
    # max_lines is not set
    # max_reboots is not set
    proof = "optional"                                 # default
    on_lost = "retry"                                  # default

    [checks]
    test = "make test"                                 # project: piton.toml:4:1

    [guard]
    mode = "block"                                     # default
    prove = "auto"                                     # default

    [views]
    ralph = true                                       # default
    aiwg = "auto"                                      # default
    auto_save_interval = "30s"                         # default

    [gaps]
    file = "gaps.yaml"                                 # default
    default_ttl_days = 30                              # default
    max_gaps_per_run = 5                               # default

    [vault.backups]
    to = ".ralph/backups"                              # default
    max = 10                                           # default
    "#);
    assert!(world.json(&["config", "show"]).to_string().contains("make test"));
}
