//! Lines at a terminal are no wider than it is; what a program reads is whole.

use super::common::World;

const LONG: &str =
    "Add a validation of every input to every endpoint that anybody ever wrote here, and tests for all of it";

fn world() -> World {
    let world = World::new();
    let id = "ralph-add-a-validation-of-every-input-to-7f3a91c2";
    let check = "test=test -f a-file-with-a-name-that-is-rather-long-and-never-there.txt";
    let words = ["loop", LONG, "--id", id, "--exec", "true", "--check", check, "--max-iterations", "2"];
    world.piton(&words).exits(3);
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'echo a sentence that goes on and on until it does not fit into any line any more; exit 1'}]\n");
    world
        .piton(&[
            "run",
            "w.yaml",
            "--run-id",
            "a-workflow-with-a-name-that-is-long-too",
            "--max-attempts",
            "1",
        ])
        .exits(1);
    let agent = "printf 'PHASE_RESULT:\\n- status: completed\\n- blockers: [nobody knows which of the many providers is meant by this, and why]\\n- decision: which of the many providers that there are is it to be in the end? | the one | the other\\n'";
    let words = ["cycle", "start", LONG, "--id", CYCLE, "--exec", agent, "--check", check];
    world.piton(&words).exits(4);
    world.piton(&["cycle", "feedback", CYCLE, LONG, "--to", "cd"]).exits(0);
    world.configure("[vault.retention]\nwarn_at = '1KiB'\n");
    world.piton(&["backup", "create"]).exits(0);
    world
}

const CYCLE: &str = "cycle-v1-20260122T100000-a-team-of-many";

/// What a terminal of so many columns shows.
fn shown(world: &World, columns: usize, words: &str) -> Vec<String> {
    let line = format!("stty cols {columns}; {} {words}", env!("CARGO_BIN_EXE_piton"));
    let ran = world.shell(&format!("script -qec \"{line}\" /dev/null < /dev/null")).exits(0);
    let text = ran.out.replace("\r", "").replace("\u{1b}[1m", "").replace("\u{1b}[0m", "");
    text.lines().map(str::to_owned).collect()
}

const COMMANDS: [&str; 15] = [
    "ls",
    "ls --size",
    "backup list",
    "ls --everywhere",
    "status ralph-add-a-validation-of-every-input-to-7f3a91c2",
    "status a-workflow-with-a-name-that-is-long-too",
    "why ralph-add-a-validation-of-every-input-to-7f3a91c2",
    "log ralph-add-a-validation-of-every-input-to-7f3a91c2",
    "doctor",
    "cycle show cycle-v1-20260122T100000-a-team-of-many",
    "why cycle-v1-20260122T100000-a-team-of-many",
    "log cycle-v1-20260122T100000-a-team-of-many",
    "cycle decide cycle-v1",
    "cycle blocker cycle-v1",
    "cycle feedback cycle-v1",
];

#[test]
fn lines_fit_the_terminal_and_ids_stay_whole() {
    let world = world();
    for columns in [60, 80, 120] {
        for words in COMMANDS {
            let lines = shown(&world, columns, words);
            assert!(!lines.is_empty(), "{words}");
            for line in &lines {
                let is_path = line.trim_start().starts_with('/');
                assert!(line.chars().count() <= columns || is_path, "{words} at {columns}: {line}");
            }
            let id = words.rsplit(' ').next().filter(|id| id.len() > 20);
            assert!(
                id.is_none_or(|id| lines.concat().contains(id)) || words.starts_with("log"),
                "{words}: {lines:#?}"
            );
        }
    }
    let listed = shown(&world, 80, "ls").join("\n");
    for id in ["ralph-add-a-validation-of-every-input-to-7f3a91c2", "a-workflow-with-a-name-that-is-long-too"]
    {
        assert!(listed.contains(id), "{listed}");
    }
    assert!(listed.contains('…'), "a title that does not fit says so: {listed}");
}

#[test]
fn nothing_is_lost_where_a_line_is_wrapped() {
    let world = world();
    let id = "ralph-add-a-validation-of-every-input-to-7f3a91c2";
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    for command in ["log", "why"] {
        let whole = world.piton(&[command, id]).exits(0).out;
        assert_eq!(words(&shown(&world, 60, &format!("{command} {id}")).join(" ")), words(&whole));
    }
}

#[test]
fn a_pipe_gets_whole_lines() {
    let world = world();
    assert!(world.piton(&["ls"]).exits(0).out.lines().all(|line| !line.contains('…') && line.len() > 90));
}
