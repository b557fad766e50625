//! Files that are no ledger: every problem with its line, nothing written, and no way to hang or to grow.

use super::{gaps, ledger};
use crate::common::World;

/// Nothing but reading: exit 1, these words, and neither file nor journal nor log.
#[track_caller]
fn refused(text: &[u8], words: &[&str]) {
    let world = World::new();
    put(&world, text);
    for command in [
        ["validate", "", ""],
        ["list", "", ""],
        ["check", "a", ""],
        ["stale", "--apply", ""],
        ["add", "x", "c"],
    ] {
        let command: Vec<&str> = command.into_iter().filter(|word| !word.is_empty()).collect();
        let ran = gaps(&world, &command);
        assert_eq!(ran.code, 1, "{command:?}\n{}", ran.err);
        for word in words {
            assert!(ran.err.contains(word), "`{word}` is missing in\n{}", ran.err);
        }
    }
    assert_eq!(std::fs::read(world.path("gaps.yaml")).unwrap(), text, "the file is left as it is");
    assert!(!world.path("gap_audit.log").exists());
}

#[expect(clippy::disallowed_methods, reason = "a test prepares its files directly")]
fn put(world: &World, bytes: &[u8]) {
    std::fs::write(world.path("gaps.yaml"), bytes).unwrap();
}

#[test]
fn what_is_malformed_is_told_with_every_line() {
    refused(b"gaps:\n- id: [\n", &["line "]);
    refused(
        b"gaps:\n- {id: a, category: c, status: wrong, priority: true, blocks: [a, zz]}\n",
        &["unknown status 'wrong'", "'priority' must be", "references itself", "unknown gap 'zz'"],
    );
    refused(b"- a\n", &["line 1", "gaps"]);
    refused(b"other: 1\n", &["top-level 'gaps' key"]);
    refused(b"gaps: 7\n", &["line 1", "must be a list"]);
    refused(b"gaps:\n- just text\n- category: c\n- id: b\n", &["line 2", "line 3", "line 4"]);
    refused(
        b"gaps:\n- id: a\n  category: c\n  status: fine\n",
        &["line 4", "blocked, stale, unknown or verified"],
    );
    refused(b"gaps:\n- id: a\n  category: c\n  priority: true\n  ttl_days: 0\n", &["line 4", "line 5"]);
    refused(
        b"gaps:\n- id: a\n  category: c\n  priority: 9\n  ttl_days: 0\n  blocks: [a, nobody]\n- id: a\n  category: c\n  status: verified\n",
        &["priority", "ttl_days", "nobody", "Duplicate gap ID: 'a'", "last_verified"],
    );
    refused(
        b"gaps:\n- id: 7\n  category: c\n- id: b\n  category: c\n  last_verified: soon\n",
        &["line 2", "line 6"],
    );
    refused(b"version: 99\ngaps: []\n", &["line 1", "newer"]);
}

#[test]
fn attacks_of_yaml_are_typed_errors() {
    let laughs: String = (0..9).fold("gaps:\na0: &a0 [x]\n".to_owned(), |text, level| {
        let inner = vec![format!("*a{level}"); 9].join(", ");
        text + &format!("a{}: &a{} [{inner}]\n", level + 1, level + 1)
    });
    refused(laughs.as_bytes(), &["aliases are not read"]);
    refused(format!("gaps: {}{}\n", "[".repeat(100_000), "]".repeat(100_000)).as_bytes(), &["line 1"]);
    refused(b"gaps: &self [*self]\n", &["line 1"]);
    refused(b"gaps:\n- id: a\n  category: c\n  id: b\n", &["`id` is there twice"]);
    refused(b"gaps:\n- id: !!python/object:os.system a\n  category: c\n", &["tag"]);
    refused(b"gaps:\n- id: a\n  category: c\n  priority: 1e999\n", &["line 4"]);
    refused(b"gaps:\n- id: a\n  category: c\n  priority: .nan\n", &["line 4"]);
    refused(b"gaps:\n- id: a\n  category: c\n  ttl_days: 18446744073709551616\n", &["line 4"]);
    refused(b"gaps:\n- id: no\n  category: c\n", &["line 2"]);
    refused(b"gaps:\n- id: a\x00b\n  category: c\n", &["line "]);
    refused(b"gaps:\n- id: \"\\ud800\"\n  category: c\n", &["line 2"]);
    refused(b"gaps:\n- id: \xff\n", &["not UTF-8"]);
    refused(b"gaps:\n- &x {id: a, category: c}\n- {<<: *x, id: b}\n", &["line 2", "line 3"]);
}

#[test]
fn a_file_of_a_gigabyte_is_refused_unread() {
    let world = World::new();
    std::fs::File::create(world.path("gaps.yaml")).unwrap().set_len(1 << 30).unwrap();
    let ran = gaps(&world, &["validate"]).exits(1);
    assert!(ran.err.contains("larger than 64 MiB"), "{}", ran.err);
}

#[test]
fn what_people_write_is_read() {
    let world = World::new();
    put(
        &world,
        "\u{feff}gaps:\r\n- id: a\r\n  category: c\r\n  status: verified\r\n  last_verified: 2026-02-01\r\n  owner: me\r\n".as_bytes(),
    );
    let ran = gaps(&world, &["validate"]).exits(0);
    assert!(
        ran.err.contains("unknown key 'owner' means nothing") && ran.err.contains("line 6"),
        "{}",
        ran.err
    );
    gaps(&world, &["check", "a"]).exits(0);
    let text = world.read("gaps.yaml");
    assert!(text.starts_with("\u{feff}gaps:\r\n") && text.contains("owner: me\r\n"), "{text:?}");
    assert!(text.contains("last_checked: '2026-02-15T12:00:00+00:00'\r\n"), "{text:?}");
}

#[test]
fn a_link_a_directory_and_a_pipe_are_refused() {
    let world = ledger();
    std::os::unix::fs::symlink(world.path("gaps.yaml"), world.path("link.yaml")).unwrap();
    gaps(&world, &["check", "teams", "--file", "link.yaml"]).exits(7);
    std::fs::create_dir(world.path("directory.yaml")).unwrap();
    gaps(&world, &["list", "--file", "directory.yaml"]).exits(7);
    world.shell("mkfifo pipe.yaml").exits(0);
    gaps(&world, &["list", "--file", "pipe.yaml"]).exits(7);
}

#[test]
fn an_empty_ledger_may_say_null_and_gets_its_first_gap() {
    for (text, after) in [
        ("null\n", "gaps:\n- id: a\n  category: c\n"),
        ("# mine\n~\n", "# mine\ngaps:\n- id: a\n  category: c\n"),
    ] {
        let world = World::new();
        world.write("gaps.yaml", text);
        assert!(gaps(&world, &["validate"]).exits(0).out.contains("is sound: 0 gaps"));
        gaps(&world, &["add", "a", "--category", "c"]).exits(0);
        assert_eq!(world.read("gaps.yaml"), after);
    }
}

#[test]
fn a_verification_that_nothing_dates_is_stale_and_stops_nothing_else() {
    let world = World::new();
    world.write(
        "gaps.yaml",
        "gaps:\n- {id: a, category: c, status: verified}\n- {id: b, category: c, status: stale}\n- {id: d, category: c}\n",
    );
    let ran = gaps(&world, &["validate"]).exits(1);
    insta::assert_snapshot!(ran.out, @"
    gaps.yaml can be worked with, but this is wrong:
      line 2: Gap 'a' is verified but has no last_verified
      line 3: Gap 'b' is stale but has no last_verified
    ");
    gaps(&world, &["update", "d", "priority=5"]).exits(0);
    let ran = gaps(&world, &["list"]).exits(0);
    assert!(ran.err.contains("Gap 'a' is verified but has no last_verified"), "{}", ran.err);
    gaps(&world, &["stale", "--apply"]).exits(0);
    assert!(
        world.read("gaps.yaml").contains("{id: a, category: c, status: stale}"),
        "{}",
        world.read("gaps.yaml")
    );
    assert!(world.read("gap_audit.log").contains("a: verified -> stale"));
    // Nobody may make it so.
    let ran = gaps(&world, &["update", "d", "status=verified"]).exits(1);
    assert!(ran.err.contains("Gap 'd' is verified but has no last_verified"), "{}", ran.err);
}

#[test]
fn gaps_that_wait_for_each_other_are_told_and_can_be_worked_on() {
    let world = World::new();
    world.write(
        "gaps.yaml",
        "gaps:\n- {id: a, category: c, blocks: [b]}\n- {id: b, category: c, blocks: [a]}\n",
    );
    let ran = gaps(&world, &["validate"]).exits(1);
    insta::assert_snapshot!(ran.out, @"
    gaps.yaml can be worked with, but this is wrong:
      these wait for each other: a -> b -> a; take one edge out
    ");
    let valid: serde_json::Value =
        serde_json::from_str(&gaps(&world, &["validate", "--json"]).exits(1).out).unwrap();
    assert_eq!(valid["valid"], false);
    gaps(&world, &["list"]).exits(0);
    gaps(&world, &["update", "b", "blocks="]).exits(0);
    gaps(&world, &["validate"]).exits(0);
}

#[test]
fn many_problems_are_told_by_twenty_and_a_count() {
    let world = World::new();
    let wrong: String =
        (0..1_000).map(|number| format!("- {{id: g{number}, category: c, priority: 9}}\n")).collect();
    world.write("gaps.yaml", &format!("gaps:\n{wrong}"));
    let ran = gaps(&world, &["list"]).exits(1);
    assert!(ran.err.contains("gaps.yaml` is not a sound ledger"), "{}", ran.err);
    assert_eq!(ran.err.matches("priority must be 1 to 5").count(), 20);
    assert!(ran.err.contains("and 980 more problems"), "{}", ran.err);
}
