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

/// What a terminal of so many columns shows; whatever it exits with, it says something.
fn shown(world: &World, columns: usize, words: &str) -> Vec<String> {
    let line = format!("stty cols {columns}; {} {words}", env!("CARGO_BIN_EXE_piton"));
    let ran = world.shell(&format!("script -qc \"{line}\" /dev/null < /dev/null"));
    // What was overwritten in place is not there any more.
    let left = |line: &str| line.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default().to_owned();
    without_colour(&ran.out).lines().map(left).collect()
}

/// The text without what a terminal obeys.
fn without_colour(text: &str) -> String {
    let mut pieces = text.split("\u{1b}[");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| {
        text + piece.split_once(|end: char| end.is_ascii_alphabetic()).map_or("", |(_, rest)| rest)
    })
}

const LOOP: &str = "ralph-add-a-validation-of-every-input-to-7f3a91c2";
const WORKFLOW: &str = "a-workflow-with-a-name-that-is-long-too";

/// Every command that a person reads. What is data (`show`, `export`, `output`, `config show`, `completions`, `schema`,
/// `metrics`, a patch) is printed as it is.
const COMMANDS: &[&str] = &[
    "--help",
    "help --all",
    "nosuch",
    "status nosuch",
    "ls",
    "ls --all",
    "ls --size",
    "ls --everywhere",
    "status LOOP",
    "status WORKFLOW",
    "status CYCLE",
    "why LOOP",
    "why -v LOOP",
    "why WORKFLOW",
    "why CYCLE",
    "log LOOP",
    "log WORKFLOW",
    "log CYCLE",
    "best LOOP",
    "report LOOP",
    "report WORKFLOW",
    "report CYCLE",
    "attach LOOP",
    "wait LOOP",
    "mode LOOP",
    "answer",
    "tell LOOP hurry",
    "note LOOP remember",
    "pause LOOP",
    "stop LOOP",
    "skip LOOP",
    "reboot LOOP",
    "land LOOP",
    "land WORKFLOW",
    "fork LOOP --at 1 --detach",
    "rebuild LOOP",
    "verify",
    "backup create",
    "backup list",
    "backup verify",
    "backup prune --keep 3",
    "repair",
    "gc --dry-run",
    "key status",
    "doctor",
    "trust",
    "init",
    "guard",
    "guard rules",
    "gaps list",
    "gaps stale",
    "run w.yaml --check-only",
    "run nosuch.yaml",
    "loop",
    "replicate",
    "worker --once",
    "autostart status",
    "import nosuch",
    "rm nosuch",
    "cycle show CYCLE",
    "cycle decide CYCLE",
    "cycle blocker CYCLE",
    "cycle feedback CYCLE",
];

/// Words that say of what.
fn named(words: &str) -> String {
    words.replace("LOOP", LOOP).replace("WORKFLOW", WORKFLOW).replace("CYCLE", CYCLE)
}

#[test]
fn lines_fit_the_terminal_and_ids_stay_whole() {
    let world = world();
    let mut too_wide = Vec::new();
    for columns in [60, 80, 120] {
        for words in COMMANDS {
            let lines = shown(&world, columns, &named(words));
            let is_whole = |line: &&String| {
                // A path, an id or a command to copy is never broken.
                let longest = line.split_whitespace().map(|word| word.chars().count()).max().unwrap_or(0);
                let is_command = line.trim_start().starts_with("piton ");
                line.chars().count() > columns && longest < columns - 8 && !is_command
            };
            too_wide
                .extend(lines.iter().filter(is_whole).map(|line| format!("{words} at {columns}: {line}")));
        }
    }
    assert!(too_wide.is_empty(), "{}", too_wide.join("\n"));
    let listed = shown(&world, 80, "ls").join("\n");
    for name in ["RUN ", "7f3a91c2  ", WORKFLOW, "…"] {
        assert!(listed.contains(name), "{name}: {listed}");
    }
    for words in ["status LOOP", "why LOOP", "cycle show CYCLE"] {
        let id = named(words).rsplit(' ').next().unwrap_or_default().to_owned();
        assert!(shown(&world, 60, &named(words)).concat().contains(&id), "{words}");
    }
}

#[test]
fn nothing_is_lost_where_a_line_is_wrapped() {
    let world = world();
    let id = "ralph-add-a-validation-of-every-input-to-7f3a91c2";
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    for command in ["log", "why -v"] {
        let command_words: Vec<_> = command.split(' ').chain([id]).collect();
        let whole = world.piton(&command_words).exits(0).out;
        assert_eq!(words(&shown(&world, 60, &format!("{command} {id}")).join(" ")), words(&whole));
    }
}

#[test]
fn a_pipe_gets_whole_lines() {
    let world = world();
    assert!(world.piton(&["ls"]).exits(0).out.lines().all(|line| !line.contains('…') && line.len() > 90));
}
