//! The five tables of the document, through the binary.

use super::{FILE, NOW, audit, gaps, ledger};
use crate::common::World;

#[test]
fn list_shows_age_time_to_live_and_due_date() {
    let world = ledger();
    let ran = gaps(&world, &["list"]).exits(0);
    insta::assert_snapshot!(ran.out, @r"
    ID       STATUS     PRIO  AGE   TTL             DUE              CATEGORY
    pricing  verified*  4     45 d  30 d (default)  2026-01-31 past  market
    teams    unknown    5     -     30 d (default)  -                people
    legal    unknown    3     -     30 d (default)  -                law
    ");
    assert_eq!(world.read("gaps.yaml"), FILE, "reading refreshes nothing");
    assert!(!world.path(".piton").exists(), "and writes nothing");
}

#[test]
fn update_changes_one_field_and_preserves_others() {
    let world = ledger();
    gaps(&world, &["update", "teams", "priority=2"]).exits(0);
    assert_eq!(world.read("gaps.yaml"), FILE.replace("priority: 5", "priority: 2"));
    assert_eq!(audit(&world), "", "nothing flipped");
}

#[test]
fn update_of_an_unknown_gap_or_field_is_a_usage_error() {
    let world = ledger();
    let ran = gaps(&world, &["update", "nowhere", "priority=2"]).exits(2);
    assert!(ran.err.contains("there is no gap `nowhere`"), "{}", ran.err);
    let ran = gaps(&world, &["update", "teams", "colour=red", "priority"]).exits(2);
    assert!(
        ran.err.contains("there is no field `colour`") && ran.err.contains("`priority` is not"),
        "{}",
        ran.err
    );
    assert_eq!(world.read("gaps.yaml"), FILE);
}

#[test]
fn update_to_an_invalid_state_names_every_problem_and_writes_nothing() {
    let world = ledger();
    let ran =
        gaps(&world, &["update", "teams", "status=verified", "priority=9", "ttl_days=0", "blocks=nobody"])
            .exits(1);
    for problem in ["last_verified", "priority", "ttl_days", "nobody"] {
        assert!(ran.err.contains(problem), "{problem} is missing in\n{}", ran.err);
    }
    assert_eq!(world.read("gaps.yaml"), FILE);
}

#[test]
fn a_check_moves_last_checked_and_persists_the_flip_that_is_due() {
    let world = ledger();
    gaps(&world, &["check", "pricing"]).exits(0);
    let text = world.read("gaps.yaml");
    assert!(text.contains("  status: stale\n"), "{text}");
    assert!(text.contains("  last_verified: '2026-01-01T12:00:00+00:00'\n"), "{text}");
    assert!(text.contains("  last_checked: '2026-02-15T12:00:00+00:00'\n"), "{text}");
    assert!(text.contains("category: market   # watched\n"), "comments stay\n{text}");
    assert_eq!(
        audit(&world),
        "[2026-02-15T12:00:00+00:00] pricing: verified -> stale (TTL expired: 45 days > 30 day limit)\n"
    );
    let batch = gaps(&world, &["batch"]).exits(0);
    assert_eq!(batch.out, "teams\n", "what was checked is not searched again");
    assert!(batch.err.contains("1 checked lately"), "{}", batch.err);
    let later = world.piton(&["gaps", "batch", "--now", "2026-03-18T12:00:00Z"]).exits(0);
    assert_eq!(later.out, "teams\npricing\n", "until its time to live is over");
}

#[test]
fn a_verification_sets_status_and_both_times() {
    let world = ledger();
    gaps(&world, &["verify", "teams", "--findings", "Nine people."]).exits(0);
    let gap = world.json(&["gaps", "show", "teams", "--now", NOW]);
    assert_eq!(gap["status"], "verified");
    assert_eq!(gap["last_verified"], "2026-02-15T12:00:00+00:00");
    assert_eq!(gap["last_checked"], gap["last_verified"]);
    assert_eq!(gap["findings"], "Nine people.");
    assert_eq!(audit(&world), "[2026-02-15T12:00:00+00:00] teams: unknown -> verified (Verified by hand)\n");
}

#[test]
fn stale_only_reports_until_it_is_told_to_apply() {
    let world = ledger();
    let ran = gaps(&world, &["stale"]).exits(0);
    assert_eq!(ran.out, "pricing: verified -> stale (TTL expired: 45 days > 30 day limit)\n");
    assert_eq!((world.read("gaps.yaml").as_str(), audit(&world).as_str()), (FILE, ""));
    gaps(&world, &["stale", "--apply"]).exits(0);
    assert_eq!(world.read("gaps.yaml"), FILE.replace("status: verified", "status: stale"));
    assert_eq!(audit(&world).lines().count(), 1);
    gaps(&world, &["stale", "--apply"]).exits(0);
    assert_eq!(audit(&world).lines().count(), 1, "no double flip");
}

#[test]
fn exactly_the_time_to_live_is_fresh_and_the_own_one_counts() {
    let world = World::new();
    world.write(
        "gaps.yaml",
        "gaps:\n- {id: a, category: c, status: verified, last_verified: 2026-01-16T12:00:00Z}\n\
         - {id: b, category: c, status: verified, last_verified: 2026-01-31T12:00:00Z, ttl_days: 14, blocks: [a]}\n",
    );
    assert_eq!(
        gaps(&world, &["stale"]).exits(0).out,
        "b: verified -> stale (TTL expired: 15 days > 14 day limit)\n"
    );
    let later = world.piton(&["gaps", "stale", "--now", "2026-02-15T12:00:00.001Z"]).exits(0);
    assert_eq!(later.out.lines().count(), 2, "{}", later.out);
}

#[test]
fn the_batch_is_cut_and_the_full_picture_is_told() {
    let world = World::new();
    let mut file = "gaps:\n".to_owned();
    for number in 0..20 {
        file.push_str(&format!(
            "- {{id: g{number:02}, category: c, status: stale, last_verified: 2025-01-01T00:00:00Z, priority: {}}}\n",
            1 + number % 5
        ));
    }
    world.write("gaps.yaml", &file);
    let ran = gaps(&world, &["batch"]).exits(0);
    assert_eq!(ran.out, "g04\ng09\ng14\ng19\ng03\n", "highest priority first, then by id");
    assert_eq!(ran.err, "20 stale, researching 5, 15 later\n");
    world.write("piton.toml", "[gaps]\nmax_gaps_per_run = 2\n");
    assert_eq!(gaps(&world, &["batch"]).exits(0).out.lines().count(), 2);
    assert_eq!(gaps(&world, &["batch", "--max", "3"]).exits(0).out.lines().count(), 3);
}

#[test]
fn nothing_to_do_is_said_so() {
    let world = World::new();
    world.write("gaps.yaml", "gaps:\n- {id: a, category: c, status: verified, last_verified: 2026-02-14}\n");
    let ran = gaps(&world, &["batch"]).exits(0);
    assert_eq!(ran.out, "");
    assert!(ran.err.contains("all is current"), "{}", ran.err);
    world.write("gaps.yaml", "gaps: []\n");
    let ran = gaps(&world, &["batch"]).exits(0);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", "nothing needs research: gaps.yaml has no gaps\n"));
    let ran = gaps(&World::new(), &["list"]).exits(0);
    assert!(ran.err.contains("there is no gaps.yaml: "), "{}", ran.err);
}

#[test]
fn dependencies_give_the_order_and_a_cycle_loses_nobody() {
    let world = ledger();
    assert_eq!(gaps(&world, &["order"]).exits(0).out, "teams\npricing\nlegal\n");
    world.write("gaps.yaml", "gaps:\n- {id: a, category: c, blocks: [b]}\n- {id: b, category: c, blocks: [a]}\n- {id: z, category: c}\n");
    let ran = gaps(&world, &["order"]).exits(0);
    assert_eq!(ran.out, "z\na\nb\n");
    assert!(ran.err.contains("a -> b -> a"), "{}", ran.err);
}

#[test]
fn the_log_is_created_with_its_directories_and_only_added_to() {
    let world = ledger();
    world.write("piton.toml", "[gaps]\naudit_log = \"logs/deep/audit.log\"\n");
    gaps(&world, &["verify", "teams", "--reason", "seen\nforged: a -> b"]).exits(0);
    gaps(&world, &["update", "teams", "status=blocked"]).exits(0);
    let log = world.read("logs/deep/audit.log");
    assert_eq!(
        log,
        "[2026-02-15T12:00:00+00:00] teams: unknown -> verified (seen\\nforged: a -> b)\n\
         [2026-02-15T12:00:00+00:00] teams: verified -> blocked (Updated by hand)\n"
    );
}

#[test]
fn a_log_that_cannot_be_written_exits_7_and_is_completed_later() {
    let world = ledger();
    std::fs::create_dir(world.path("gap_audit.log")).unwrap();
    gaps(&world, &["verify", "teams"]).exits(7);
    assert!(world.read("gaps.yaml").contains("2026-02-15T12:00:00+00:00"), "the change is made");
    std::fs::remove_dir(world.path("gap_audit.log")).unwrap();
    gaps(&world, &["check", "legal"]).exits(0);
    assert_eq!(audit(&world), "[2026-02-15T12:00:00+00:00] teams: unknown -> verified (Verified by hand)\n");
}

#[test]
fn every_problem_of_the_configuration_is_told_at_once() {
    let world = ledger();
    world.write(
        "piton.toml",
        "[gaps]\ndefault_ttl_days = 0\nmax_gaps_per_run = -1\nfile = \"../x\"\ncolour = 1\n",
    );
    let ran = gaps(&world, &["list"]).exits(2);
    for problem in [
        "`default_ttl_days` must be >= 1, got 0",
        "`max_gaps_per_run` must be >= 1, got -1",
        "../x",
        "colour",
    ] {
        assert!(ran.err.contains(problem), "{problem} is missing in\n{}", ran.err);
    }
}

#[test]
fn ledgers_are_kept_apart() {
    let world = World::new();
    for property in ["north", "south"] {
        std::fs::create_dir_all(world.path(&format!("state/{property}"))).unwrap();
        world.write(&format!("state/{property}/schema.yaml"), FILE);
    }
    gaps(&world, &["verify", "teams", "--file", "state/north/schema.yaml"]).exits(0);
    assert_eq!(world.read("state/south/schema.yaml"), FILE);
    assert_eq!(world.read("state/north/gap_audit.log").lines().count(), 1);
    assert!(!world.path("state/south/gap_audit.log").exists());
    world.write("other.yaml", FILE);
    world.write("third.yaml", FILE);
    gaps(&world, &["verify", "teams", "--file", "other.yaml"]).exits(0);
    gaps(&world, &["verify", "teams", "--file", "third.yaml"]).exits(0);
    assert_eq!(audit(&world).lines().count(), 1, "each ledger has a log of its own");
    assert_eq!(world.read("third_audit.log").lines().count(), 1);
    gaps(&world, &["list", "--file", "../elsewhere.yaml"]).exits(2);
}

#[test]
fn a_ledger_is_listed_and_leaves_other_commands_alone() {
    let world = ledger();
    gaps(&world, &["check", "teams"]).exits(0);
    let runs = world.json(&["ls", "--kind", "ledger"]);
    assert_eq!((runs[0]["kind"].as_str(), runs[0]["title"].as_str()), (Some("ledger"), Some("gaps.yaml")));
    world.piton(&["verify"]).exits(0);
    assert!(world.piton(&["status"]).exits(0).out.contains("gaps.yaml"), "there is nothing else to mean");
    let run = runs[0]["run_id"].as_str().unwrap();
    assert!(world.piton(&["log", run]).exits(0).out.contains("teams: checked, nothing new"));
    let ran = world.piton(&["status", run]).exits(0);
    assert!(ran.out.contains("piton gaps"), "{}", ran.out);
    world.loops("after", "touch done.txt", &["--until", "file:done.txt", "--max-iterations", "3"]).exits(0);
    assert!(world.piton(&["status"]).exits(0).out.contains("after"));
}
