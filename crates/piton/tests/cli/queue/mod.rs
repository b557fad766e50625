//! A queue: one loop for each item of a list, one after the other or side by side, found again after a crash.

mod changes;
mod lists;
mod refused;

use super::common::{Ran, World, eventually};

/// Makes the file that its task names, and says in the task's name that it ran.
pub(super) const MAKES: &str = r#"f=$(grep -o '[a-z]*\.txt' "$PITON_PROMPT_FILE" | head -n 1)
echo "$f" >> "$BESIDE/ran"; echo made > "$f"
printf '%s' '{"status":"done","cost_usd":0.5}' > "$PITON_REPORT""#;

/// The same once the gate is open.
pub(super) const MAKES_LATER: &str = r#"f=$(grep -o '[a-z]*\.txt' "$PITON_PROMPT_FILE" | head -n 1)
echo "$f" >> "$BESIDE/ran"; until test -e "$GATE"; do sleep 0.02; done; echo made > "$f"
printf '%s' '{"status":"done"}' > "$PITON_REPORT""#;

/// Two items, each with a check of its own, below one that is done.
pub(super) const TWO: &str = "# Tonight\r\n\r\n- [x] Write zero.txt\n- [ ] Write one.txt\n  - check: one=test -f one.txt\n\n* [ ]\tWrite two.txt  \n  It has two lines\n  of text.\n  - check: two=test -f two.txt\n";

/// A committed list.
pub(super) fn world(list: &str) -> World {
    let world = World::new();
    world.write("TASKS.md", list);
    world.commit("list");
    world
}

/// Runs the queue `q` of this list to its end.
pub(super) fn queue(world: &World, list: &str, agent: &str, more: &[&str]) -> Ran {
    world.piton(&[&["loop", "--each", list, "--id", "q", "--exec", agent], more].concat())
}

/// The items of the queue: how each stands.
pub(super) fn standings(world: &World) -> Vec<String> {
    let list = world.json(&["queue", "list", "q"]);
    let items = list["items"].as_array().unwrap();
    items
        .iter()
        .map(|item| format!("{} {}", item["id"].as_str().unwrap(), item["standing"].as_str().unwrap()))
        .collect()
}

/// The item of this name.
pub(super) fn item(world: &World, id: &str) -> serde_json::Value {
    let list = world.json(&["queue", "list", "q"]);
    list["items"].as_array().unwrap().iter().find(|item| item["id"] == id).unwrap().clone()
}

/// What agents ran, in order.
pub(super) fn ran(world: &World) -> String {
    std::fs::read_to_string(world.beside("ran")).unwrap_or_default()
}

#[test]
fn each_item_has_a_loop_a_tree_and_a_branch_of_its_own_and_is_ticked() {
    let world = world(TWO);
    let ran_to_end = queue(&world, "TASKS.md", MAKES, &[]).exits(0);
    assert!(ran_to_end.out.starts_with("run q · 2 items of TASKS.md · 2 items"), "{}", ran_to_end.out);
    assert_eq!(ran(&world), "one.txt\ntwo.txt\n", "one after the other, what is done left out");
    assert_eq!(standings(&world), ["write-one-txt done", "write-two-txt done"]);
    // One byte of each item's line changed, and nothing else.
    assert_eq!(
        world.read("TASKS.md"),
        TWO.replace("- [ ] Write one", "- [x] Write one").replace("* [ ]\t", "* [x]\t")
    );
    for (id, file) in [("write-one-txt", "one.txt"), ("write-two-txt", "two.txt")] {
        let item = item(&world, id);
        let (run, branch) = (item["run_id"].as_str().unwrap(), item["branch"].as_str().unwrap());
        assert_eq!(branch, format!("piton/{run}"));
        assert!(run.starts_with(id), "a run says which item it is: {run}");
        assert_eq!(world.git(&["show", &format!("{branch}:{file}")]), "made\n");
        assert_eq!(item["cost_usd"], 0.5);
        assert_eq!(world.json(&["status", run])["status"], "completed");
    }
    assert!(!world.path("one.txt").exists(), "the checkout is left alone");
    let screen = world.piton(&["status", "q"]).exits(0).out;
    assert!(screen.contains("items   2 done") && screen.contains("$0.50"), "{screen}");
    assert!(world.piton(&["ls"]).exits(0).out.contains("2 items of TASKS.md"));
}

#[test]
fn what_fails_stops_only_what_comes_after_it() {
    let world = world(
        "- [ ] Write one.txt\n  - id: one\n  - check: false\n- [ ] Write two.txt\n  - after: one\n- [ ] Write three.txt\n  - check: test -f three.txt\n",
    );
    let more = ["--check", "true", "--max-iterations", "1"];
    let ended = queue(&world, "TASKS.md", MAKES, &more).exits(1);
    assert!(ended.out.contains("of 3 items: 1 done, 1 failed, 1 not begun"), "{}", ended.out);
    assert_eq!(ran(&world), "one.txt\nthree.txt\n");
    assert_eq!(standings(&world), ["one failed", "write-two-txt not begun", "write-three-txt done"]);
    let because = item(&world, "write-two-txt")["because"].as_str().unwrap().to_owned();
    assert_eq!(because, "it comes after `one`, which is failed");
    assert!(item(&world, "one")["because"].as_str().unwrap().contains("limit:iterations"));
    let list = world.read("TASKS.md");
    assert!(list.contains("- [ ] Write one.txt") && list.contains("- [x] Write three.txt"), "{list}");
}

#[test]
fn an_item_that_asks_holds_up_no_other_and_goes_on_by_the_answer() {
    let asks = r#"f=$(grep -o '[a-z]*\.txt' "$PITON_PROMPT_FILE" | head -n 1); echo "$f" >> "$BESIDE/ran"
if test "$f" = one.txt && ! grep -q "use blue" "$PITON_PROMPT_FILE"; then
printf '%s' '{"status":"blocked","reason":"Which colour?"}' > "$PITON_REPORT"; exit 0; fi; echo made > "$f""#;
    let world = world(TWO);
    queue(&world, "TASKS.md", asks, &["--max-iterations", "3"]).exits(4);
    assert_eq!(standings(&world), ["write-one-txt blocked", "write-two-txt done"]);
    let one = item(&world, "write-one-txt");
    assert!(one["because"].as_str().unwrap().contains("Which colour?"), "{one:#}");
    let run = one["run_id"].as_str().unwrap();
    world.piton(&["answer", run, "--approve", "--comment", "use blue"]).exits(0);
    eventually("the queue hears of it", || standings(&world)[0] == "write-one-txt done");
    eventually("the queue is done", || world.json(&["status", "q"])["status"] == "completed");
    assert!(world.read("TASKS.md").contains("- [x] Write one.txt"));
}

#[test]
fn what_comes_after_an_item_begins_where_that_ended() {
    let world = world("- [ ] Write one.txt\n  - id: one\n- [ ] Write two.txt\n  - after: one\n");
    queue(&world, "TASKS.md", MAKES, &["--until", "done", "--check", "true"]).exits(0);
    let branch = item(&world, "write-two-txt")["branch"].as_str().unwrap().to_owned();
    assert_eq!(world.git(&["ls-tree", "--name-only", &branch]), "TASKS.md\na.txt\none.txt\ntwo.txt\n");
}

#[test]
fn what_was_done_lands_beside_a_list_that_was_ticked() {
    let world = world(TWO);
    queue(&world, "TASKS.md", MAKES, &[]).exits(0);
    for id in ["write-one-txt", "write-two-txt"] {
        let run = item(&world, id)["run_id"].as_str().unwrap().to_owned();
        world.piton(&["land", &run]).exits(0);
    }
    assert_eq!((world.read("one.txt"), world.read("two.txt")), ("made\n".to_owned(), "made\n".to_owned()));
    assert!(!world.read("TASKS.md").contains("[ ]"), "the ticks are still there");
    assert_eq!(world.git(&["status", "--porcelain"]), " M TASKS.md\n", "and nothing else is new");
}

#[test]
fn two_at_once_are_never_in_one_tree() {
    let world = world(TWO);
    queue(&world, "TASKS.md", MAKES_LATER, &["--parallel", "2", "--detach"]).exits(0);
    eventually("both work", || ran(&world).lines().count() == 2);
    assert_eq!(standings(&world), ["write-one-txt at work", "write-two-txt at work"]);
    let trees: Vec<_> =
        ["write-one-txt", "write-two-txt"].map(|id| item(&world, id)["branch"].clone()).into();
    assert_ne!(trees[0], trees[1]);
    world.open_gate();
    world.piton(&["wait", "q"]).exits(0);
    let list = world.read("TASKS.md");
    assert!(!list.contains("[ ]"), "{list}");
}

#[test]
fn a_queue_whose_driver_was_killed_goes_on_and_runs_nothing_twice() {
    let world = world(TWO);
    queue(&world, "TASKS.md", MAKES_LATER, &["--detach"]).exits(0);
    eventually("the first works", || ran(&world) == "one.txt\n");
    world.kill_driver("q");
    // Its loop outlives it, and may even end meanwhile.
    world.open_gate();
    let run = item(&world, "write-one-txt")["run_id"].as_str().unwrap().to_owned();
    eventually("its loop ends", || world.json(&["status", &run])["status"] == "completed");
    assert!(world.read("TASKS.md").contains("- [ ] Write one.txt"), "nobody was there to tick it");
    world.piton(&["resume", "q"]).exits(0);
    assert_eq!(ran(&world), "one.txt\ntwo.txt\n");
    assert_eq!(standings(&world), ["write-one-txt done", "write-two-txt done"]);
    assert_eq!(world.count("q", "step_started"), 2);
    assert!(!world.read("TASKS.md").contains("[ ]"));
}

#[test]
fn both_drivers_killed_in_the_middle_of_an_item_lose_nothing() {
    let world = world(TWO);
    queue(&world, "TASKS.md", MAKES_LATER, &["--detach"]).exits(0);
    eventually("the first works", || ran(&world) == "one.txt\n");
    let run = item(&world, "write-one-txt")["run_id"].as_str().unwrap().to_owned();
    world.kill_driver("q");
    world.kill_driver(&run);
    world.open_gate();
    world.piton(&["resume", "q"]).exits(0);
    assert_eq!(
        ran(&world),
        "one.txt\ntwo.txt\n",
        "the agent that lived was found, and none was started twice"
    );
    assert_eq!(world.count(&run, "attempt_started"), 1);
    assert_eq!(standings(&world), ["write-one-txt done", "write-two-txt done"]);
}

#[test]
fn a_queue_whose_drivers_abort_at_any_point_runs_nothing_twice() {
    // Of all processes only those that drive the queue have its very name as an argument.
    for at in [3, 9, 17, 30, 44, 60, 80, 110] {
        let world = world(TWO);
        let at = at.to_string();
        let variables = [("PITON_ABORT_AT", at.as_str()), ("PITON_ABORT_IN", "q")];
        world.piton_with(&variables, &["loop", "--each", "TASKS.md", "--id=q", "--exec", MAKES]);
        let is_there = world.piton(&["status", "q"]).code == 0;
        if !is_there {
            queue(&world, "TASKS.md", MAKES, &["--detach"]).exits(0);
        } else if world.json(&["status", "q"])["status"] != "completed" {
            world.piton(&["resume", "q", "--detach"]);
        }
        eventually(&at, || world.json(&["status", "q"])["status"] == "completed");
        assert_eq!(ran(&world), "one.txt\ntwo.txt\n", "at {at}");
        assert!(!world.read("TASKS.md").contains("[ ]"), "at {at}");
    }
}

#[test]
fn what_all_items_may_cost_together_ends_the_queue() {
    let world = world(TWO);
    let ended = queue(&world, "TASKS.md", MAKES, &["--total-cost", "0.5"]).exits(3);
    assert!(ended.out.contains("next    piton resume q --max-cost +10"), "{}", ended.out);
    assert_eq!(ran(&world), "one.txt\n");
    assert_eq!(standings(&world), ["write-one-txt done", "write-two-txt not begun"]);
    assert!(item(&world, "write-two-txt")["because"].as_str().unwrap().contains("$0.50 of $0.50"));
    world.piton(&["resume", "q"]).exits(3);
    world.piton(&["resume", "q", "--max-cost", "+10"]).exits(0);
    assert_eq!(ran(&world), "one.txt\ntwo.txt\n");
}
