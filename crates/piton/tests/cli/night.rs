//! The morning: what happened while nobody looked, on one screen and as a whole account.

use super::common::World;

/// Done, refused once, blocked, failed or never begun, by what the task says.
const AGENT: &str = r#"f=$(grep -o '[a-z]*\.txt' "$PITON_PROMPT_FILE" | head -n 1)
case $f in
ask.txt) printf '%s' '{"status":"blocked","reason":"Which colour?","cost_usd":0.25}' > "$PITON_REPORT";;
fail.txt) printf '%s' '{"cost_usd":0.25}' > "$PITON_REPORT"; echo more >> more.txt;;
*) echo made > "$f"; printf '%s' '{"status":"done","cost_usd":0.5,"custom":{}}' > "$PITON_REPORT";; esac"#;

const LIST: &str = "- [ ] Write one.txt\n  - id: one\n  - check: one=test -f one.txt\n- [ ] Write ask.txt\n  - id: ask\n  - check: ask=test -f ask.txt\n- [ ] Write fail.txt\n  - id: fail\n  - check: fail=test -f fail.txt\n- [ ] Write never.txt\n  - id: never\n  - after: fail\n  - check: never=test -f never.txt\n- [ ] Write two.txt\n  - id: two\n  - check: two=test -f two.txt\n";

fn night() -> World {
    let world = World::new();
    world.write("TASKS.md", LIST);
    world.commit("list");
    let arguments = [
        "loop",
        "--each",
        "TASKS.md",
        "--id",
        "q",
        "--exec",
        AGENT,
        "--max-iterations",
        "1",
        "--until",
        "checks-pass",
    ];
    world.piton(&arguments).exits(4);
    world
}

#[test]
fn piton_alone_is_the_morning_on_one_screen() {
    let world = night();
    let morning = world.piton(&[]).exits(0).out;
    let lines: Vec<&str> = morning.lines().collect();
    assert!(lines.len() <= 10, "{morning}");
    let begins = |line: &str, with: &str| assert!(line.starts_with(with), "{with}: {morning}");
    begins(lines[0], "ready     2 to land: one-");
    begins(lines[1], "waiting   1 for you: ask-");
    begins(lines[2], "not done  2: fail-");
    assert!(
        lines[2].contains(
            "(stopped (limit:iterations)), Write never.txt (it comes after `fail`, which is failed)"
        ),
        "{morning}"
    );
    begins(lines[3], "spent     $1.50 · ");
    begins(lines[4], "next      piton answer ");
    let data = world.json(&[]);
    assert_eq!((data["ready"].as_array().unwrap().len(), &data["spent"]["cost_usd"]), (2, &1.5.into()));
    // The command that it names is the one that helps; landing comes next.
    let next = lines[4].split_once("piton ").unwrap().1;
    world.piton(&[&next.split(' ').collect::<Vec<_>>()[..], &["--abort"]].concat()).exits(0);
    let morning = world.piton(&[]).exits(0).out;
    let last = morning.lines().last().unwrap().to_owned();
    assert!(last.starts_with("next      piton land one-") && last.contains(" two-"), "{morning}");
    let run = data["ready"][0]["run_id"].as_str().unwrap();
    world.git(&["checkout", "-q", "TASKS.md"]);
    world.piton(&["land", run]).exits(0);
    assert!(world.piton(&[]).exits(0).out.starts_with("ready     1 to land: two-"));
}

#[test]
fn without_runs_piton_alone_is_the_first_page() {
    let world = World::new();
    let alone = world.piton(&[]).exits(2);
    assert!(alone.err.contains("Usage: piton COMMAND") && alone.out.is_empty(), "{alone:?}");
    assert!(!world.path(".piton").exists(), "looking leaves nothing behind");
    let outside = World::outside_git();
    outside.piton(&[]).exits(2);
}

#[test]
fn a_night_is_told_run_by_run() {
    let world = night();
    let text = world.piton(&["night"]).exits(0).out;
    for words in [
        "2 done, 1 waiting for you, 2 not done",
        "| done |",
        "| blocked |",
        "| failed |",
        "## Not begun\n\n- Write never.txt: it comes after `fail`, which is failed",
        "- waits for you: ",
        "Which colour?",
        "- checks: one ✓",
        "- checks: fail ✗",
        "$0.50",
    ] {
        assert!(text.contains(words), "{words} in\n{text}");
    }
    let data = world.json(&["night"]);
    let results: Vec<&str> =
        data["runs"].as_array().unwrap().iter().map(|run| run["result"].as_str().unwrap()).collect();
    assert_eq!(
        results,
        ["done", "blocked", "failed", "done"],
        "each loop once, and the queue is no run of its own"
    );
    assert_eq!(data["runs"][0]["queue"], "q");
    let page = world.piton(&["night", "--html"]).exits(0).out;
    assert!(
        page.starts_with("<!doctype html>")
            && page.contains("<svg")
            && !page.contains("http:")
            && !page.contains("https:"),
        "{page}"
    );
    let later = world.piton(&["night", "--since", "2099-01-01T00:00:00Z"]).exits(0).out;
    assert!(later.contains("Nothing ran."), "{later}");
    world.piton(&["night", "--since", "yesterday"]).exits(2);
}

#[test]
fn the_morning_is_sent_to_the_channels_of_notify() {
    let world = night();
    let nobody = world.piton(&["night", "--send"]).exits(2);
    assert!(nobody.err.contains("there is no channel to send it to"), "{}", nobody.err);
    world.configure("[notify.channels.log]\ntype = \"logfile\"\npath = \"../told.log\"\n");
    let sent = world.piton(&["night", "--send"]).exits(0);
    assert!(sent.err.contains("sent to log"), "{}", sent.err);
    let told = std::fs::read_to_string(world.beside("told.log")).unwrap();
    assert!(
        told.contains("2 ready to land, 1 waiting for you, 2 not done")
            && told.contains("next      piton answer "),
        "{told}"
    );
}

#[test]
fn what_runs_used_is_read_and_not_folded_again() {
    let world = night();
    let before = world.piton(&[]).exits(0).out;
    let sums = world.read(".piton/sums");
    assert_eq!(world.piton(&[]).exits(0).out.lines().count(), before.lines().count());
    assert_eq!(world.read(".piton/sums"), sums, "nothing was folded again");
    // Garbage, or nothing, costs time and says nothing wrong.
    world.write(".piton/sums", "{\"run\":\"one\nnot JSON\n");
    let spent = |text: &str| text.lines().find(|line| line.starts_with("spent")).unwrap()[..15].to_owned();
    assert_eq!(spent(&world.piton(&[]).exits(0).out), spent(&before));
}
