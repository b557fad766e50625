//! Gaps that wait for each other: named wherever somebody looks, never lost, never made by a command.

use super::gaps;
use crate::common::World;

const CYCLE: &str = "gaps:\n- {id: a, category: c, blocked_by: [b]}\n- {id: b, category: c, blocked_by: [a]}\n\
                     - {id: d, category: c, blocked_by: [b]}\n";
const NAMED: &str = "these wait for each other: a -> b -> a; take one edge out";

#[test]
fn gaps_on_a_cycle_are_named_and_have_their_turn() {
    let world = World::new();
    world.write("gaps.yaml", CYCLE);
    let ran = gaps(&world, &["batch"]).exits(0);
    assert_eq!(ran.out, "a\nb\n", "what is behind the cycle waits for it");
    assert!(ran.err.contains(NAMED), "{}", ran.err);
    let agent = "echo '{\"outcome\": \"full_report\", \"findings\": \"x\"}'";
    let ran = gaps(&world, &["research", "--exec", agent]).exits(0);
    assert!(ran.err.contains(NAMED) && ran.err.contains("done: 2 settled"), "{}", ran.err);
    let ran = gaps(&world, &["batch"]).exits(0);
    assert_eq!(ran.out, "d\n");
    let status = world.piton(&["status"]).exits(0).out;
    assert!(status.contains(&format!("file     {NAMED}")), "the only run there is\n{status}");
}

#[test]
fn no_command_makes_a_cycle() {
    let world = World::new();
    let file = "gaps:\n- {id: a, category: c}\n- {id: b, category: c, blocked_by: [a]}\n";
    world.write("gaps.yaml", file);
    world.write(
        "more.yaml",
        "gaps:\n- {id: x, category: c, blocked_by: [z]}\n- {id: z, category: c, blocked_by: [x]}\n",
    );
    for (words, path) in [
        (&["update", "a", "blocked_by=b"][..], "a -> b -> a"),
        (&["add", "n", "--category", "c", "blocks=a", "blocked_by=b"], "a -> b -> n -> a"),
        (&["import", "more.yaml"], "x -> z -> x"),
    ] {
        let ran = gaps(&world, words).exits(1);
        assert!(ran.err.contains("nothing was changed") && ran.err.contains(path), "{words:?}\n{}", ran.err);
    }
    assert_eq!(world.read("gaps.yaml"), file);
    // One that a person made can be worked on, and undone.
    world.write("gaps.yaml", CYCLE);
    gaps(&world, &["update", "d", "priority=5"]).exits(0);
    gaps(&world, &["update", "d", "blocked_by=a"]).exits(0);
    gaps(&world, &["update", "a", "blocked_by="]).exits(0);
    gaps(&world, &["validate"]).exits(0);
}

#[test]
fn very_many_problems_are_told_by_twenty_and_a_count_by_every_command() {
    let world = World::new();
    let gap = |number: u32| format!("- {{id: g{number}, category: c, blocks: [g{}]}}\n", number ^ 1);
    let undated = |number: u32| format!("- {{id: u{number}, category: c, status: verified, own: 1}}\n");
    let file: String = (0..200).map(gap).chain((0..100).map(undated)).collect();
    world.write("gaps.yaml", &format!("gaps:\n{file}- {{id: a, category: c}}\n"));
    let ran = gaps(&world, &["validate"]).exits(1);
    assert_eq!(ran.out.lines().count(), 1 + 2 * 21, "{}", ran.out);
    assert!(
        ran.out.contains("and 80 more problems") && ran.out.contains("and 80 more cycles"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("line 202: Gap 'u0' is verified"), "{}", ran.out);
    assert!(!ran.err.contains("is verified"), "said once\n{}", ran.err);
    assert!(ran.err.contains("and 80 more warnings"), "{}", ran.err);
    let ran = gaps(&world, &["order"]).exits(0);
    assert_eq!(ran.err.matches("wait for each other").count(), 20);
    let listed = gaps(&world, &["list"]).exits(0);
    assert!(listed.err.contains("Gap 'u0' is verified"), "what matters is not lost\n{}", listed.err);
    let names: Vec<String> = (0..300).map(|number| format!("n{number}")).collect();
    let ran = gaps(&world, &["update", "a", &format!("blocks={}", names.join(","))]).exits(1);
    assert_eq!(ran.err.matches("unknown gap").count(), 20);
    assert!(ran.err.contains("and 280 more problems"), "{}", ran.err);
}
