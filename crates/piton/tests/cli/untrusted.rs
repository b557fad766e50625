//! What agents, checks and tasks say reaches a terminal only without its control characters.

use super::common::{Ran, World};

/// A window title, a clear screen and a line that overwrites another, as a shell prints them.
const HOSTILE: &str = r"\033]0;owned\007\033[2J\rdone\302\233\061m";

#[track_caller]
fn is_clean(what: &str, ran: &Ran) {
    for text in [&ran.out, &ran.err] {
        let bad = text.chars().find(|character| character.is_control() && !matches!(character, '\n' | '\t'));
        assert_eq!(bad, None, "{what}: {text:?}");
    }
}

#[test]
fn no_escape_sequence_reaches_a_terminal() {
    let world = World::new();
    let agent = format!(
        "printf '{HOSTILE}\\n'; printf '{HOSTILE}\\n' >&2
         printf '{{\"status\":\"blocked\",\"reason\":\"\\\\u001b[31mhelp\\\\u0007\\\\r\"}}' > $PITON_REPORT"
    );
    let check = format!("test=printf '{HOSTILE}'; false");
    let task = "\u{1b}[31mDo\u{7} it\r\u{9b}1m";
    let ran = world.piton(&["loop", task, "--id", "h", "--exec", &agent, "--check", &check]).exits(4);
    is_clean("loop", &ran);
    assert!(ran.out.contains("help"), "{}", ran.out);
    let commands: &[&[&str]] = &[
        &["status"],
        &["why"],
        &["log"],
        &["ls"],
        &["output"],
        &["answer"],
        &["best"],
        &["show"],
        &["output", "h", "check-1-0-1"],
        &["diff"],
        &["status", "--json"],
        &["log", "--json"],
        &["answer", "--json"],
        &["why", "--json"],
        &["ls", "--json"],
    ];
    for command in commands {
        is_clean(&format!("{command:?}"), &world.piton(command).exits(0));
    }
    is_clean("attach", &world.piton(&["attach"]).exits(4));
    is_clean("answer", &world.piton(&["answer", "h", "9", "--approve"]).exits(2));
    let raw = world.piton(&["output", "--raw"]).exits(0);
    assert!(raw.out.contains("\u{1b}[2J"), "what was asked for raw is raw: {:?}", raw.out);
}

#[test]
fn an_export_says_the_same_in_a_pipe_and_on_a_terminal_and_is_clean() {
    let world = World::new();
    let task = "turn \u{202e}this\u{9b}1m round";
    world.piton(&["loop", task, "--id", "h", "--exec", "touch b.txt", "--check", "test -f b.txt"]).exits(0);
    let piped = world.piton(&["export", "h", "--format", "state"]).exits(0).out;
    assert!(!piped.contains(['\u{202e}', '\u{9b}']), "{piped:?}");
    assert!(piped.contains("turn \\u202ethis\\u009b1m round"), "{piped:?}");
    let line = format!(
        "script -qec \"{} export h --format state\" /dev/null < /dev/null",
        env!("CARGO_BIN_EXE_piton")
    );
    let shown = world.shell(&line).exits(0).out;
    assert!(shown.contains("turn ") && !shown.contains(['\u{202e}', '\u{9b}']), "{shown:?}");
}

#[test]
fn the_names_that_a_user_types_come_back_clean() {
    let world = World::new();
    is_clean("id", &world.loops("\u{1b}[31mx", "true", &["--check", "false"]).exits(2));
    is_clean("until", &world.loops("x", "true", &["--until", "\u{1b}[31mx"]).exits(2));
    world.loops("x", "true", &["--check", "false", "--max-iterations", "1"]).exits(3);
    is_clean("run", &world.piton(&["status", "\u{1b}[31mx"]).exits(2));
    is_clean("attempt", &world.piton(&["output", "x", "\u{1b}[31mx"]).exits(2));
}

#[test]
fn names_of_files_come_back_clean() {
    let world = World::new();
    let agent = r#"touch b.txt "$(printf 'bad\033[31mname')""#;
    world.loops("f", agent, &["--check", "test=test -f b.txt"]).exits(0);
    is_clean("stat", &world.piton(&["diff", "--stat"]).exits(0));
    is_clean("json", &world.piton(&["diff", "--json"]).exits(0));
    is_clean("restore", &world.piton(&["restore", "f", "--iteration", "0", "--json"]).exits(0));
}

#[test]
fn a_configuration_is_shown_clean() {
    let world = World::new();
    world.write("piton.toml", "# \u{9b}31m\u{202e}\n[checks]\ntest = \"printf '\\u001b[31m'\"\n");
    is_clean("trust", &world.piton(&["trust"]).exits(0));
    is_clean("config", &world.piton(&["config", "show"]).exits(0));
    world.write("piton.toml", "[checks]\n\"\\u001b[31m\" = \"x\"\n\"a\\u0007\" = 3\n");
    is_clean("problems", &world.loops("x", "true", &["--trust"]).exits(2));
}
