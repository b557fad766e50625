//! `--quiet`: what was asked for, and what goes wrong.

use crate::common::World;

const ONCE: &[&str] = &["--check", "false", "--max-iterations", "1"];

#[test]
fn quiet_commands_that_write_say_nothing_where_all_goes_well() {
    let world = World::new();
    world.loops("r", "echo x >> a.txt", ONCE).exits(3);
    says_nothing(&world, &["restore", "r", "--iteration", "0"]);
    world.configure("[gaps]\ndefault_ttl_days = 30\n");
    world.write("more.yaml", "gaps:\n- {id: h, category: c}\n");
    let words: [&[&str]; 13] = [
        &["gaps", "add", "g", "--category", "c"],
        &["gaps", "update", "g", "priority=5"],
        &["gaps", "update", "g", "priority=5"],
        &["gaps", "verify", "g", "--findings", "seen"],
        &["gaps", "stale", "--apply", "--now", "2126-01-01T00:00:00Z"],
        &["gaps", "undo", "g"],
        &["gaps", "check", "g"],
        &["gaps", "import", "more.yaml"],
        &["gaps", "remove", "g"],
        &["note", "r", "worth knowing"],
        &["rebuild", "r"],
        &["trust"],
        &["rm", "r"],
    ];
    for words in words {
        says_nothing(&world, words);
    }
    // What was asked for is said, and so is what goes wrong.
    assert_eq!(world.piton(&["gaps", "order", "-q"]).exits(0).out, "h\n");
    assert!(world.piton(&["gaps", "remove", "g", "-q"]).exits(2).err.contains("no gap `g`"));
}

#[track_caller]
fn says_nothing(world: &World, words: &[&str]) {
    let ran = world.piton(&[words, &["-q"]].concat()).exits(0);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""), "{words:?}");
}
