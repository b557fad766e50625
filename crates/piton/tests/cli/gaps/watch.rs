//! Watchers and budgets: no gap is looked into again and again, and what was asked for is done.

use super::{NOW, audit, gaps};
use crate::common::{Signal, WAITS, World, eventually};

/// An agent that says this, and leaves a line for each start.
fn says(answer: &str) -> String {
    format!("echo $PITON_GAP >> \"$BESIDE/starts\"; echo '{answer}'")
}

fn starts(world: &World) -> Vec<String> {
    let text = std::fs::read_to_string(world.beside("starts")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn with_gaps(text: &str) -> World {
    let world = World::new();
    world.write("gaps.yaml", text);
    world
}

#[test]
fn a_watcher_leaves_alone_what_it_has_just_looked_into() {
    let world = with_gaps("gaps:\n- {id: d, category: c}\n");
    let agent = says("{\"outcome\": \"insufficient_data\"}");
    let watcher = world.start(&["gaps", "research", "--watch", "--exec", &agent]);
    watcher.says("nothing needs research now; looking again at");
    assert_eq!(starts(&world), ["d"]);
    world.write("gaps.yaml", "gaps:\n- {id: d, category: c}\n- {id: e, category: c}\n");
    let run = world.json(&["ls", "--kind", "ledger"])[0]["run_id"].as_str().unwrap().to_owned();
    eventually("the new gap had its turn", || world.count(&run, "research_ended") == 2);
    watcher.signal(Signal::KILL);
    watcher.ends();
    assert_eq!(starts(&world), ["d", "e"]);
    let status = world.piton(&["status", &run]).exits(0).out;
    assert!(status.contains("nobody watches it") && !status.contains("a watcher looks again"), "{status}");
    let why = world.piton(&["why", &run]).exits(0).out;
    assert!(why.contains("nobody watches it"), "{why}");
}

#[test]
fn a_watcher_at_a_given_time_waits_for_an_edit() {
    let world = with_gaps("gaps:\n- {id: d, category: c}\n");
    let agent = says("{\"outcome\": \"no_new_findings\"}");
    // The time to look again has long come by the clock, and never does by the time that was given.
    let watcher = world.start(&["gaps", "research", "--watch", "--exec", &agent, "--now", NOW]);
    watcher.says("looking again at 2026-03-17");
    let run = world.json(&["ls", "--kind", "ledger"])[0]["run_id"].as_str().unwrap().to_owned();
    let before = world.events(&run).len();
    world.write("gaps.yaml", "gaps:\n- {id: d, category: c}\n- {id: e, category: c}\n");
    eventually("the edit was seen", || starts(&world).len() == 2);
    watcher.signal(Signal::KILL);
    watcher.ends();
    assert_eq!(world.count(&run, "research_begun"), 2, "{before} events before the edit");
}

#[test]
fn the_money_of_a_watcher_counts_over_all_its_batches() {
    let world = with_gaps(
        "gaps:\n- {id: a, category: c}\n- {id: b, category: c}\n- {id: d, category: c}\n- {id: e, category: c}\n",
    );
    let agent = "echo $PITON_GAP >> \"$BESIDE/starts\"; echo '{\"custom\": {\"research\": {\"outcome\": \
                 \"insufficient_data\"}}, \"usage\": {\"input_tokens\": 600, \"output_tokens\": 0}, \"cost_usd\": 0.6}' > \"$PITON_REPORT\"";
    for (limit, why) in [(["--max-cost", "1"], "limit:cost"), (["--max-tokens", "1000"], "limit:tokens")] {
        let words = ["gaps", "research", "--watch", "--max", "1", "--exec", agent, limit[0], limit[1]];
        let ran = world.start(&words).ends();
        assert_eq!(ran.code, 3, "{}", ran.err);
        assert!(ran.err.contains(&format!("{why}: 1 settled")), "{}", ran.err);
    }
    assert_eq!(starts(&world), ["a", "b", "d", "e"], "two batches of one gap for each of the watchers");
}

#[test]
fn gaps_that_are_named_are_looked_into_after_a_batch_that_was_left() {
    let world = with_gaps("gaps:\n- {id: d, category: c}\n- {id: f, category: c}\n");
    let agent = format!("{WAITS}\n{}", says("{\"outcome\": \"no_new_findings\"}"));
    let started = world.start(&["gaps", "research", "d", "--exec", &agent, "--now", NOW]);
    started.says("d: researching");
    eventually("the agent works", || {
        let runs = std::fs::read_dir(world.path(".piton/attempts")).into_iter().flatten().flatten();
        runs.map(|run| run.path().join("1/started.json")).any(|path| path.exists())
    });
    started.signal(Signal::KILL);
    started.ends();
    world.open_gate();
    let ran = gaps(&world, &["research", "d", "f", "--exec", &agent]).exits(0);
    assert!(ran.err.contains("going on with research 1"), "{}", ran.err);
    assert_eq!(starts(&world), ["d", "f"], "each once\n{}", ran.out);
}

#[test]
fn what_piton_writes_itself_is_no_evidence() {
    let world = with_gaps("gaps:\n- {id: d, category: c}\n");
    gaps(&world, &["verify", "d", "--findings", "x"]).exits(0);
    for file in ["gaps.yaml", "./gaps.yaml", "gap_audit.log", ".piton/journal.db"] {
        let answer = format!(
            "{{\"outcome\": \"full_report\", \"findings\": \"y\", \"evidence\": [{{\"file\": \"{file}\"}}]}}"
        );
        let ran = gaps(&world, &["research", "d", "--exec", &says(&answer)]).exits(1);
        assert!(ran.out.contains("is written by piton itself"), "{file}\n{}", ran.out);
        let ran =
            gaps(&world, &["verify", "d", "--findings", "y", "--source", &format!("file:{file}")]).exits(2);
        assert!(ran.err.contains("is written by piton itself"), "{file}\n{}", ran.err);
    }
    assert_eq!(audit(&world).lines().count(), 1);
}
