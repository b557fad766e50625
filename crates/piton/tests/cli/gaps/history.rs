//! The journal behind the file: log, show --at, diff, undo.

use super::{NOW, audit, gaps, ledger};

fn at(world: &crate::common::World, now: &str, words: &[&str]) -> crate::common::Ran {
    world.piton(&[&["gaps"], words, &["--now", now]].concat())
}

#[test]
fn a_gap_is_shown_as_it_was() {
    let world = ledger();
    at(&world, "2026-02-01T00:00:00Z", &["verify", "teams", "--findings", "Nine."]).exits(0);
    at(&world, "2026-02-10T00:00:00Z", &["verify", "teams", "--findings", "Ten."]).exits(0);
    let then = world.json(&["gaps", "show", "teams", "--at", "2026-02-05T00:00:00Z"]);
    assert_eq!(then["findings"], "Nine.");
    assert_eq!(world.json(&["gaps", "show", "teams"])["findings"], "Ten.");
    world.piton(&["gaps", "show", "teams", "--at", "2020-01-01"]).exits(2);
    let log = at(&world, NOW, &["log", "--gap", "teams"]).exits(0).out;
    assert!(log.contains("superseded: Nine."), "superseded findings are kept\n{log}");
    at(&world, NOW, &["log", "--gap", "nowhere"]).exits(2);
}

/// A large change has its checkpoint, which comes a moment after what it holds.
#[test]
fn a_ledger_with_a_checkpoint_is_sound() {
    let world = ledger();
    let gap = |number| {
        format!(
            "- {{id: g{number}, category: c, status: verified, last_verified: '2025-01-01T00:00:00+00:00'}}\n"
        )
    };
    let file = format!("gaps:\n{}", (0..300).map(gap).collect::<String>());
    world.write("gaps.yaml", &file);
    gaps(&world, &["stale", "--apply"]).exits(0);
    let events = world.piton(&["log", "--json"]).exits(0).out;
    assert!(events.contains("checkpoint_taken"), "{events}");
    let verified = world.piton(&["verify"]).exits(0);
    assert!(verified.out.contains("ok"), "{}", verified.out);
}

#[test]
fn the_difference_since_a_time_has_three_signs() {
    let world = ledger();
    at(&world, "2026-02-01T00:00:00Z", &["check", "legal"]).exits(0);
    at(&world, "2026-02-10T00:00:00Z", &["add", "new", "--category", "c"]).exits(0);
    at(&world, "2026-02-10T00:00:00Z", &["update", "teams", "priority=1"]).exits(0);
    at(&world, "2026-02-11T00:00:00Z", &["remove", "legal"]).exits(0);
    let ran = at(&world, NOW, &["diff", "--since", "2026-02-05T00:00:00Z"]).exits(0);
    assert_eq!(ran.out, "+ new (unknown)\n~ teams: priority 5 -> 1\n- legal\n");
    assert!(ran.err.contains("1 added, 1 changed, 1 removed"), "{}", ran.err);
}

#[test]
fn a_flip_is_taken_back() {
    let world = ledger();
    gaps(&world, &["stale", "--apply"]).exits(0);
    gaps(&world, &["undo", "pricing"]).exits(0);
    assert!(world.read("gaps.yaml").contains("status: verified"));
    assert!(audit(&world).ends_with("pricing: stale -> verified (Undone)\n"), "{}", audit(&world));
    let ran = gaps(&world, &["undo", "teams"]).exits(2);
    assert!(ran.err.contains("piton gaps log --gap teams"), "{}", ran.err);
}

/// Each makes a flip, and something else with it.
#[test]
fn what_was_known_before_a_flip_is_put_back_with_it() {
    for (gap, words) in [
        ("pricing", &["verify", "pricing"][..]),
        ("pricing", &["verify", "pricing", "--findings", "One plan.", "--source", "file:a.txt"]),
        ("pricing", &["update", "pricing", "status=blocked", "findings=", "last_checked=2026-02-14"]),
        ("teams", &["verify", "teams", "--findings", "Nine."]),
        ("teams", &["update", "teams", "status=stale", "last_verified=2026-02-01", "findings=Nine."]),
    ] {
        let world = ledger();
        gaps(&world, &["stale", "--apply"]).exits(0);
        let before = world.read("gaps.yaml");
        gaps(&world, words).exits(0);
        let after = world.read("gaps.yaml");
        gaps(&world, &["undo", gap]).exits(0);
        assert_eq!(world.read("gaps.yaml"), before, "{words:?}");
        gaps(&world, &["undo", gap]).exits(0);
        assert_eq!(world.read("gaps.yaml"), after, "and done again: {words:?}");
    }
}

#[test]
fn a_check_that_flipped_a_gap_is_put_back_with_the_flip() {
    let world = ledger();
    gaps(&world, &["check", "pricing"]).exits(0);
    gaps(&world, &["undo", "pricing"]).exits(0);
    assert_eq!(world.read("gaps.yaml"), super::FILE);
}

#[test]
fn research_that_is_taken_back_leaves_what_was_known() {
    let world = ledger();
    let agent = r#"echo '{"outcome": "full_report", "findings": "Three plans."}'"#;
    gaps(&world, &["research", "pricing", "--exec", agent]).exits(0);
    gaps(&world, &["undo", "pricing"]).exits(0);
    let pricing = world.json(&["gaps", "show", "pricing", "--now", NOW]);
    let told = ["status", "findings", "last_verified", "last_checked"].map(|field| pricing[field].as_str());
    assert_eq!(told, [Some("stale"), Some("Two plans."), Some("2026-01-01T12:00:00+00:00"), None]);
}

#[test]
fn what_was_changed_after_a_flip_outlives_its_undoing() {
    let world = ledger();
    at(&world, "2026-02-01T00:00:00Z", &["verify", "teams", "--findings", "Nine."]).exits(0);
    at(&world, "2026-02-02T00:00:00Z", &["check", "teams"]).exits(0);
    at(&world, "2026-02-03T00:00:00Z", &["update", "teams", "findings=Ten.", "priority=1"]).exits(0);
    at(&world, "2026-02-04T00:00:00Z", &["undo", "teams"]).exits(0);
    let teams = world.json(&["gaps", "show", "teams", "--now", NOW]);
    let told = ["status", "findings", "last_verified", "last_checked"].map(|field| teams[field].as_str());
    assert_eq!(told, [Some("unknown"), Some("Ten."), None, Some("2026-02-02T00:00:00+00:00")]);
    assert_eq!(teams["priority"], 1);
}

/// A second verification has no flip, so it is no part of what an undo takes back; only the status has to go with its time.
#[test]
fn findings_that_came_after_a_flip_outlive_its_undoing() {
    for later in [
        &["verify", "teams", "--findings", "Ten."][..],
        &["update", "teams", "findings=Ten.", "last_verified=2026-02-02", "last_checked=2026-02-02"],
    ] {
        let world = ledger();
        at(&world, "2026-02-01T00:00:00Z", &["verify", "teams", "--findings", "Nine."]).exits(0);
        at(&world, "2026-02-02T00:00:00Z", later).exits(0);
        let after = world.read("gaps.yaml");
        at(&world, "2026-02-04T00:00:00Z", &["undo", "teams"]).exits(0);
        let teams = world.json(&["gaps", "show", "teams", "--now", NOW]);
        let told = ["status", "findings", "last_verified", "last_checked"].map(|field| teams[field].as_str());
        assert_eq!(told, [Some("unknown"), Some("Ten."), None, Some("2026-02-02T00:00:00+00:00")]);
        at(&world, "2026-02-04T00:00:00Z", &["undo", "teams"]).exits(0);
        assert_eq!(world.read("gaps.yaml"), after, "and done again: {later:?}");
    }
}

#[test]
fn a_changed_source_makes_findings_stale_at_once() {
    let world = ledger();
    gaps(&world, &["verify", "teams", "--findings", "See a.txt.", "--source", "file:a.txt"]).exits(0);
    gaps(&world, &["fresh", "teams"]).exits(0);
    world.write("a.txt", "other\n");
    let ran = gaps(&world, &["fresh", "teams"]).exits(1);
    assert_eq!(ran.out, "teams: Source changed: a.txt\n");
    gaps(&world, &["stale", "--apply"]).exits(0);
    assert!(
        audit(&world).contains("teams: verified -> stale (Source changed: a.txt)\n"),
        "{}",
        audit(&world)
    );
    gaps(&world, &["verify", "legal", "--findings", "x", "--source", "file:nowhere.txt"]).exits(2);
}

#[test]
fn a_gate_and_a_prompt_speak_of_what_is_known() {
    let world = ledger();
    let ran = gaps(&world, &["fresh", "pricing", "teams"]).exits(1);
    assert_eq!(ran.out, "pricing: TTL expired: 45 days > 30 day limit\nteams: unknown\n");
    let ran = gaps(&world, &["prompt", "--tokens", "100"]).exits(0);
    assert!(
        ran.out.contains("### pricing (stale, verified 2026-01-01T12:00:00+00:00, 45 days old)\nTwo plans."),
        "{}",
        ran.out
    );
    gaps(&world, &["verify", "pricing", "--findings", &"word ".repeat(4000)]).exits(0);
    let ran = gaps(&world, &["prompt", "--tokens", "200"]).exits(0);
    assert!(ran.out.len() < 1000 && ran.out.contains("% left out"), "{}", ran.out);
    gaps(&world, &["verify", "pricing", "--findings", &"word ".repeat(8000)]).exits(0);
    let ran = gaps(&world, &["prompt", "--tokens", "60"]).exits(0);
    assert!(ran.out.contains("[… 99 % left out]"), "there is some of it: {}", ran.out);
}

#[test]
fn a_loop_that_requires_fresh_gaps_waits_for_them_and_is_told_what_is_known() {
    let world = ledger();
    world.configure("[gaps]\nrequire = [\"teams\"]\n");
    let agent = "cat > \"$BESIDE/prompt\"; touch done.txt";
    let ran = world.loops("early", agent, &["--until", "file:done.txt"]).exits(4);
    assert!(
        ran.err.contains("teams: unknown") && ran.err.contains("piton gaps research teams"),
        "{}",
        ran.err
    );
    world
        .piton(&["gaps", "verify", "teams", "--findings", "Nine people.", "--source", "file:a.txt"])
        .exits(0);
    world.loops("fresh", agent, &["--until", "file:done.txt"]).exits(0);
    let prompt = std::fs::read_to_string(world.beside("prompt")).unwrap();
    assert!(prompt.contains("## What is known") && prompt.contains("Nine people."), "{prompt}");
    world.write("a.txt", "other\n");
    world.loops("late", agent, &["--until", "file:other.txt", "--max-iterations", "1"]).exits(4);
}
