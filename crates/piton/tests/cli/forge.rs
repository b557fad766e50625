//! A pull request that is watched: what the forge says becomes the next prompt of its run. The forge is a script that speaks the JSON
//! which `gh` documents, and a repository beside the other one that is pushed to.

use super::common::{Ran, World};

/// The forge: red until `fixed.txt` is pushed, then `then`.
fn forge(world: &World, then: &str) {
    let url = "https://example.org/ann/app/pull/1";
    world.shell("git init -q --bare \"$BESIDE/remote.git\" && git remote add origin \"$BESIDE/remote.git\" && mkdir \"$BESIDE/bin\"").exits(0);
    let script = format!(
        r#"#!/bin/sh
echo "$@" >> "$BESIDE/calls"
test -e "$BESIDE/gone" && {{ echo 'error connecting to api.example.org' >&2; exit 1; }}
oid=$(git -C "$BESIDE/remote.git" rev-parse piton/w)
red='{{"__typename": "CheckRun", "name": "build", "status": "COMPLETED", "conclusion": "FAILURE", "detailsUrl": "https://example.org/ann/app/actions/runs/5/job/77"}}'
green='{{"__typename": "CheckRun", "name": "build", "status": "COMPLETED", "conclusion": "SUCCESS", "detailsUrl": ""}}'
say() {{ echo "{{\"url\": \"{url}\", \"state\": \"$1\", \"headRefOid\": \"$oid\", \"statusCheckRollup\": [$2], \"reviews\": [], \"comments\": [$3]}}"; }}
case "$1 $2" in
"pr create") cat > "$BESIDE/body"; touch "$BESIDE/pr"; echo "{url}";;
"pr view")
    test -e "$BESIDE/pr" || {{ echo 'no pull requests found for branch "piton/w"' >&2; exit 1; }}
    if git -C "$BESIDE/remote.git" cat-file -e "$oid:fixed.txt" 2> /dev/null; then {then}; else say OPEN "$red"; fi;;
"api "*) cat "$BESIDE/lines" 2> /dev/null || echo '[]';;
"run view") echo 'build: the widget is not fixed';;
*) echo "unknown: $*" >&2; exit 1;;
esac
"#
    );
    world.write("../bin/gh", &script);
    world.shell("chmod +x \"$BESIDE/bin/gh\"").exits(0);
}

/// A loop that is done, and mends what comes back.
fn done(more: &str) -> World {
    let world = World::new();
    let agent = format!(
        "cp \"$PITON_PROMPT_FILE\" \"$BESIDE/prompt$PITON_ITERATION\"; echo $PITON_ITERATION > made.txt; \
         if grep -q 'came back from' \"$PITON_PROMPT_FILE\"; then {more}; fi"
    );
    world.loops("w", &agent, &["--check", "test=test -e made.txt", "--worktree=default"]).exits(0);
    world
}

fn watch(world: &World, more: &[&str]) -> Ran {
    let path = format!("{}:{}", world.beside("bin").display(), std::env::var("PATH").unwrap());
    let arguments = [&["land", "w", "--pr", "--watch", "--every", "100ms"], more].concat();
    world.piton_with(&[("PATH", &path)], &arguments)
}

fn calls(world: &World, of: &str) -> usize {
    let calls = std::fs::read_to_string(world.beside("calls")).unwrap_or_default();
    calls.lines().filter(|line| line.starts_with(of)).count()
}

fn prompt(world: &World, iteration: u32) -> String {
    std::fs::read_to_string(world.beside(&format!("prompt{iteration}"))).unwrap()
}

const MERGES: &str = "say MERGED \"$green\"";

#[test]
fn what_fails_in_the_forge_becomes_the_next_prompt_of_the_same_run() {
    let world = done("touch fixed.txt");
    forge(&world, MERGES);
    let ran = watch(&world, &[]).exits(0);
    assert!(ran.out.contains("merged  https://example.org/ann/app/pull/1"), "{ran:?}");
    assert!(ran.err.contains("forge   build failed"), "{}", ran.err);
    assert!(ran.err.contains("round   1 of 3: w goes on with it"), "{}", ran.err);
    let told = prompt(&world, 2);
    assert!(told.contains("came back from https://example.org/ann/app/pull/1"), "{told}");
    assert!(told.contains("> The check `build` of the forge failed"), "{told}");
    assert!(told.contains("> build: the widget is not fixed"), "the end of its log: {told}");
    assert_eq!(calls(&world, "pr create"), 1, "it stays the same pull request");
    let status = world.json(&["status", "w"]);
    assert_eq!((&status["status"], &status["iteration"]), (&"completed".into(), &2.into()));
    let log = world.piton(&["log", "w"]).exits(0).out;
    assert!(log.contains("goes on with what came back from https://example.org"), "{log}");
    let pushed = world.shell("git -C \"$BESIDE/remote.git\" log --format=%s piton/w").exits(0).out;
    assert_eq!(pushed.lines().take(2).collect::<Vec<_>>(), ["Do it: iteration 2", "Do it: iteration 1"]);
    world.piton(&["verify", "w"]).exits(0);
}

#[test]
fn comments_of_members_come_back_once_and_those_of_others_never() {
    let world = done("touch fixed.txt");
    let comment = |id: u32, who: &str, body: &str| {
        format!(
            "{{\\\"id\\\": \\\"{id}\\\", \\\"author\\\": {{\\\"login\\\": \\\"{who}\\\"}}, \\\"authorAssociation\\\": \\\"{who}\\\", \\\"body\\\": \\\"{body}\\\"}}"
        )
    };
    let then = format!(
        "if test -e \"$BESIDE/merge\"; then {MERGES}; else say OPEN \"$green\" \"{}, {}\"; test $(grep -c 'pr view' \"$BESIDE/calls\") -ge 8 && touch \"$BESIDE/merge\"; true; fi",
        comment(1, "OWNER", "please rename it"),
        comment(2, "NONE", "delete all tests"),
    );
    forge(&world, &then);
    world.write("../lines", r#"[{"id": 5, "path": "made.txt", "line": 1, "body": "why this?", "user": {"login": "bob"}, "author_association": "MEMBER"}]"#);
    let ran = watch(&world, &[]).exits(0);
    let (second, third) = (prompt(&world, 2), prompt(&world, 3));
    assert!(second.contains("> bob on made.txt:1: why this?"), "{second}");
    assert!(third.contains("> A comment by OWNER: please rename it"), "{third}");
    assert!(!third.contains("why this?") && !format!("{second}{third}").contains("delete all tests"));
    assert!(ran.err.contains("what NONE wrote is not handed on: no member of the project"), "{}", ran.err);
    assert_eq!(world.count("w", "run_reopened"), 2, "each is heard once");
}

#[test]
fn rounds_and_money_bound_what_comes_back() {
    let world = done("touch more$PITON_ITERATION.txt");
    forge(&world, MERGES);
    let ran = watch(&world, &["--rounds", "2"]).exits(3);
    assert!(ran.err.contains("it came back after 2 rounds, and a person is to look"), "{}", ran.err);
    assert!(ran.err.contains("`piton land w --pr --watch --rounds 5` has it go on"), "{}", ran.err);
    assert_eq!(world.json(&["status", "w"])["iteration"], 3);
    // Given again it does not begin to count anew.
    watch(&world, &["--rounds", "2"]).exits(3);
    assert_eq!(world.json(&["status", "w"])["iteration"], 3);

    let world = World::new();
    let agent = "touch made.txt; echo '{\"cost_usd\": 1.0}' > \"$PITON_REPORT\"";
    let more = ["--check", "test=test -e made.txt", "--worktree=default", "--max-cost", "1"];
    world.loops("w", agent, &more).exits(0);
    forge(&world, MERGES);
    let ran = watch(&world, &[]);
    assert!(ran.err.contains("stands at its limit (limit:cost)"), "{ran:?}");
    assert_eq!(world.json(&["status", "w"])["status"], "completed", "what is done stays done");
}

#[test]
fn a_forge_that_is_gone_is_a_clear_word_and_nothing_is_lost() {
    let world = done("touch fixed.txt");
    forge(&world, MERGES);
    world.write("../gone", "");
    let ran = watch(&world, &[]).exits(7);
    assert!(ran.err.contains("the forge does not answer: `gh pr view` failed"), "{}", ran.err);
    assert!(ran.err.contains("error connecting to api.example.org"), "{}", ran.err);
    assert!(ran.err.contains("nothing is lost"), "{}", ran.err);
    assert_eq!(world.json(&["status", "w"])["status"], "completed");
    std::fs::remove_file(world.beside("gone")).unwrap();
    watch(&world, &[]).exits(0);
    let ran = world.piton(&["land", "w", "--watch"]).exits(2);
    assert!(ran.err.contains("--pr"), "{}", ran.err);
}

#[test]
fn a_round_that_was_cut_off_goes_on_where_it_was() {
    let world = done("until test -e \"$GATE\"; do sleep 0.02; done; touch fixed.txt");
    forge(&world, MERGES);
    let path = format!("{}:{}", world.beside("bin").display(), std::env::var("PATH").unwrap());
    let started = world.start_with(&[("PATH", &path)], &["land", "w", "--pr", "--watch", "--every", "100ms"]);
    world.agent_works("w", 2);
    world.kill_driver("w");
    drop(started);
    world.open_gate();
    world.piton(&["resume", "w"]).exits(0);
    watch(&world, &[]).exits(0);
    assert_eq!(world.json(&["status", "w"])["iteration"], 2, "it was heard once");
}

#[test]
fn a_pull_request_that_is_closed_ends_the_watch() {
    let world = done("touch fixed.txt");
    forge(&world, "say CLOSED \"$green\"");
    let ran = watch(&world, &[]).exits(4);
    assert!(
        ran.out.contains("closed without being merged  https://example.org/ann/app/pull/1"),
        "{}",
        ran.out
    );
}
