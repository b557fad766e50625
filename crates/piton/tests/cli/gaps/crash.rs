//! A crash at every place where something becomes durable, completed by the next command.

use super::{FILE, audit, gaps, ledger};
use crate::common::World;

fn points(world: &World, words: &[&str]) -> usize {
    let log = world.beside("points");
    let ran = world.piton_with(&[("PITON_FAULT_LOG", &log.display().to_string())], words);
    assert_eq!(ran.code, 0, "{}", ran.err);
    std::fs::read_to_string(log).unwrap().lines().count()
}

fn flips(world: &World, run: &str) -> usize {
    let in_event = |event: &serde_json::Value| event["data"]["flips"].as_array().map_or(0, Vec::len);
    world.events(run).iter().map(in_event).sum()
}

const WORDS: [&str; 6] = ["gaps", "verify", "pricing", "--now", super::NOW, "-q"];

#[test]
fn a_crash_anywhere_is_completed_by_the_next_command() {
    let count = points(&ledger(), &WORDS);
    assert!(count > 8, "{count} points");
    for at in 1..=count {
        let world = ledger();
        let ran = world.piton_with(&[("PITON_ABORT_AT", &at.to_string())], &WORDS);
        assert_ne!(ran.code, 0, "point {at} did not crash");
        gaps(&world, &["check", "teams"]).exits(0);
        let text = world.read("gaps.yaml");
        let lines = audit(&world);
        let done = text
            != FILE
                .replace("  priority: 5\n", "  priority: 5\n  last_checked: '2026-02-15T12:00:00+00:00'\n");
        let expected = match done {
            true => {
                "[2026-02-15T12:00:00+00:00] pricing: verified -> stale (TTL expired: 45 days > 30 day limit)\n\
                     [2026-02-15T12:00:00+00:00] pricing: stale -> verified (Verified by hand)\n"
            }
            false => "",
        };
        assert_eq!(lines, expected, "point {at}:\n{text}");
        assert_eq!(text.contains("last_verified: '2026-02-15T12:00:00+00:00'"), done, "point {at}:\n{text}");
        world.piton(&["verify"]).exits(0);
    }
}

#[test]
fn what_a_person_removed_after_a_crash_is_gone_and_nobody_is_stuck() {
    let both = "gaps:\n- {id: a, category: c}\n- {id: b, category: c}\n";
    let words = ["gaps", "update", "a", "blocks=b", "status=blocked", "--now", super::NOW];
    let fresh = || {
        let world = World::new();
        world.write("gaps.yaml", both);
        world
    };
    let count = points(&fresh(), &words);
    for at in 1..=count {
        let world = fresh();
        world.piton_with(&[("PITON_ABORT_AT", &at.to_string())], &words);
        world.write("gaps.yaml", "gaps:\n- {id: a, category: mine}\n");
        gaps(&world, &["check", "a"]).exits(0);
        let text = world.read("gaps.yaml");
        assert!(text.contains("mine") && !text.contains("id: b"), "point {at}:\n{text}");
        gaps(&world, &["verify", "a"]).exits(0);
        let run = world.json(&["ls", "--kind", "ledger"])[0]["run_id"].as_str().unwrap().to_owned();
        assert_eq!(flips(&world, &run), audit(&world).lines().count(), "point {at}");
        world.piton(&["verify"]).exits(0);
    }
}
