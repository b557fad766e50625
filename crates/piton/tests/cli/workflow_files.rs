//! The files of a workflow's run: logs that grow, lines that people use on them, directories that go.

use serde_json::Value;

use super::common::{Ran, World, eventually};

const CHAIN: &str = "
name: chain
steps:
  - {id: planning, run: 'echo plan >> log'}
  - {id: coding, run: 'echo code >> log; test ! -e broken', needs: [planning], max_attempts: 1}
";

fn world(workflow: &str) -> World {
    let world = World::new();
    world.write("w.yaml", workflow);
    world
}

fn state(world: &World, run: &str) -> Value {
    serde_json::from_str(&world.read(&format!(".agents/runs/{run}/run_state.json"))).unwrap()
}

#[test]
fn the_lines_that_operators_use_work_on_the_file() {
    let world = world(CHAIN);
    world.write("broken", "");
    world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(1);
    let jq = |filter: &str| {
        let line = format!("cat .agents/runs/r1/run_state.json | jq -c '{filter}'");
        serde_json::from_str::<Value>(&world.shell(&line).exits(0).out).unwrap()
    };
    assert_eq!(jq("."), state(&world, "r1"));
    assert_eq!(jq(".steps.coding")["status"], "FAILED");
    let failed = jq(r#".steps | to_entries | map(select(.value.status == "FAILED"))"#);
    assert_eq!((failed.as_array().unwrap().len(), &failed[0]["key"]), (1, &"coding".into()));
    assert_eq!(
        jq(".steps | to_entries | map({key: .key, iterations: .value.iteration_count})"),
        serde_json::json!([{"key": "planning", "iterations": 0}, {"key": "coding", "iterations": 0}])
    );
}

#[test]
fn a_log_grows_while_its_step_works_and_is_whole_when_it_has_ended() {
    let world = world(
        "steps:\n  - {id: talk, run: 'echo begun; echo aside >&2; until test -e \"$GATE\"; do sleep 0.02; done; echo ended'}\n",
    );
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--detach"]).exits(0);
    let path = world.path(".agents/runs/r1/logs/r1__talk__attempt1.log");
    let log = || std::fs::read_to_string(&path).unwrap_or_default();
    eventually("the log shows what was printed", || log().contains("begun") && log().contains("aside"));
    assert!(!log().contains("ended"));
    world.kill_driver("r1");
    world.open_gate();
    world.piton(&["resume", "r1"]).exits(0);
    let mut lines: Vec<String> = log().lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(lines, ["aside", "begun", "ended"], "each once, whoever drove");
}

#[test]
fn a_view_that_a_killed_driver_left_behind_is_caught_up_with_and_an_edited_one_is_left_alone() {
    let world = world(CHAIN);
    world.write("broken", "");
    let keep = "cp -r .agents/runs/r1/run_state.json .piton/attempts/r1/run_state.digests ";
    let put = "cp kept/run_state.json .agents/runs/r1/ && cp kept/run_state.digests .piton/attempts/r1/";
    // The view of a moment before the end, as a driver leaves it that is killed after its last append.
    world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(1);
    world.shell(&format!("mkdir kept && {keep} kept && rm broken")).exits(0);
    world.piton(&["resume", "r1"]).exits(0);
    for looks in [&["status", "r1"][..], &["wait", "r1"], &["attach", "r1"]] {
        world.shell(put).exits(0);
        assert_eq!(state(&world, "r1")["steps"]["coding"]["status"], "FAILED");
        world.piton(looks).exits(0);
        assert_eq!(state(&world, "r1")["steps"]["coding"]["status"], "COMPLETED", "{looks:?}");
    }
    let path = ".agents/runs/r1/run_state.json";
    let edited = world.read(path).replacen("COMPLETED", "PENDING", 1);
    world.write(path, &edited);
    world.piton(&["status", "r1"]).exits(0);
    assert_eq!(world.read(path), edited);
}

#[test]
fn a_run_whose_directory_was_deleted_is_discarded_and_its_name_is_free() {
    let world = world(CHAIN);
    world.write("broken", "");
    world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(1);
    world.shell("rm -r .agents/runs/r1 broken").exits(0);

    let status = world.piton(&["status", "r1"]).exits(0);
    assert!(status.out.contains("what it did is discarded"), "{}", status.out);
    assert!(status.out.contains("next    piton run w.yaml --run-id r1"), "{}", status.out);
    let status: Value = serde_json::from_str(&world.piton(&["status", "r1", "--json"]).exits(0).out).unwrap();
    assert_eq!(status["discarded"], true);
    for going_on in [
        &["resume", "r1"][..],
        &["run", "w.yaml", "--run-id", "r1", "--start-at-step", "coding"],
        &["run", "w.yaml", "--start-at-step", "coding"],
    ] {
        let ran = world.piton(going_on).exits(2);
        assert!(ran.err.contains("is discarded") || ran.err.contains("was never run here"), "{}", ran.err);
    }

    let ran = world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(0);
    assert!(ran.err.contains("begins anew"), "{}", ran.err);
    assert_eq!(world.read("log"), "plan\ncode\nplan\ncode\n");
    assert_eq!(state(&world, "r1")["steps"]["coding"]["attempts"], 1);
    assert_eq!(world.count("r1", "run_restarted"), 1);
    assert_eq!(world.count("r1", "run_failed"), 1, "what happened stays in the journal");
    world.piton(&["verify"]).exits(0);
    world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(2);
}

#[test]
fn a_directory_that_was_deleted_by_mistake_comes_back() {
    let world = world(CHAIN);
    world.write("broken", "");
    world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(1);
    let before = state(&world, "r1");
    world.shell("rm -r .agents/runs/r1 broken").exits(0);
    world.piton(&["rebuild", "r1"]).exits(0);
    assert_eq!(state(&world, "r1"), before);
    world.piton(&["resume", "r1"]).exits(0);
    assert_eq!(world.read("log"), "plan\ncode\ncode\n", "what was done stays done");
}

#[test]
fn an_edit_of_a_step_that_waits_for_a_person_is_adopted() {
    let world = world(
        "steps:\n  - {id: a, run: 'true', human_in_the_loop: true}\n  - {id: b, run: 'touch b.done', needs: [a]}\n",
    );
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--pause-for-human-input"]).exits(4);
    let path = ".agents/runs/r1/run_state.json";
    world.write(path, &world.read(path).replacen("WAITING_ON_HUMAN", "COMPLETED", 1));
    let ran = world.piton(&["resume", "r1"]).exits(0);
    assert!(ran.err.contains("adopted from run_state.json: `a` is COMPLETED"), "{}", ran.err);
    assert_eq!(world.count("r1", "statuses_adopted"), 1);
    assert!(world.path("b.done").exists());
}

/// A run that asks about `m`, and ships with `n` once that counts.
fn asking() -> World {
    let world = world(
        "steps:\n  - {id: m, run: 'true', human_in_the_loop: true}\n  - {id: n, run: 'touch shipped', needs: [m]}\n",
    );
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--pause-for-human-input"]).exits(4);
    world
}

#[test]
fn an_answer_wins_over_an_edit_that_is_older() {
    let path = ".agents/runs/r1/run_state.json";
    for (was, edit) in
        [("WAITING_ON_HUMAN", "COMPLETED"), ("\"workflow_name\": \"", "\"workflow_name\": \"my ")]
    {
        let world = asking();
        let edited = world.read(path).replacen(was, edit, 1);
        world.write(path, &edited);
        let ran = world.piton(&["answer", "r1", "--reject", "--comment", "no!"]).exits(0);
        assert!(ran.err.contains("what was done with the run since then counts"), "{}", ran.err);
        let aside = ran.err.split_whitespace().find(|word| word.contains(".foreign-")).unwrap();
        assert_eq!(world.read(aside.trim_end_matches(';')), edited, "as they wrote it");
        assert_eq!(state(&world, "r1")["steps"]["m"]["status"], "FAILED", "whoever changes it renders it");
        let ran = world.piton(&["resume", "r1"]).exits(4);
        assert!(!ran.err.contains("adopted"), "{}", ran.err);
        assert_eq!(world.count("r1", "statuses_adopted"), 0);
        assert!(!world.path("shipped").exists());
    }
}

#[test]
fn a_file_that_is_no_state_any_more_is_rendered_by_whoever_changes_the_run() {
    for change in [&["answer", "r1", "--reject"][..], &["stop", "r1"], &["pause", "r1"]] {
        let world = asking();
        world.write(".agents/runs/r1/run_state.json", "garbage");
        let ran = world.piton(change).exits(0);
        assert!(ran.err.contains("now lies at"), "{change:?}: {}", ran.err);
        assert_eq!(state(&world, "r1")["run_id"], "r1");
    }
}

#[test]
fn an_edit_of_an_older_view_that_nobody_rendered_since_is_set_aside_at_the_next_look() {
    let path = ".agents/runs/r1/run_state.json";
    let keep = "mkdir kept && cp .agents/runs/r1/run_state.json .piton/attempts/r1/run_state.digests kept";
    let put = "cp kept/run_state.json .agents/runs/r1/ && cp kept/run_state.digests .piton/attempts/r1/";
    for looks in ["attach", "resume"] {
        let world = asking();
        world.shell(keep).exits(0);
        world.piton(&["answer", "r1", "--reject"]).exits(0);
        // As if whoever answered had been killed before the file was there.
        world.shell(put).exits(0);
        world.write(path, &world.read(path).replacen("WAITING_ON_HUMAN", "COMPLETED", 1));
        let ran = world.piton(&[looks, "r1"]);
        assert!(ran.err.contains("what was done with the run since then counts"), "{looks}: {}", ran.err);
        assert!(!world.path("shipped").exists());
    }
}

#[test]
fn a_step_that_somebody_lets_wait_for_a_person_asks_without_being_run_again() {
    let world = world(
        "steps:\n  - {id: m, run: 'echo x >> m.log', human_in_the_loop: true}\n  - {id: n, run: 'test -e fixed', needs: [m], max_attempts: 1}\n",
    );
    world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(1);
    let path = ".agents/runs/r1/run_state.json";
    let let_wait = |was: &str| {
        world.write(path, &world.read(path).replacen(was, "\"status\": \"WAITING_ON_HUMAN\"", 1));
    };
    let_wait("\"status\": \"COMPLETED\"");
    let ran = world.piton(&["resume", "r1"]).exits(4);
    assert!(ran.out.contains("asks you           m  (question 1)"), "{}", ran.out);
    assert_eq!(world.read("m.log"), "x\n");
    world.write("fixed", "");
    world.piton(&["answer", "r1", "--approve"]).exits(0);
    world.piton(&["wait", "r1"]).exits(0);
    assert_eq!(world.read("m.log"), "x\n");
    // A step that nobody is to look at cannot wait for them.
    world.shell("rm fixed").exits(0);
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--start-at-step", "n"]).exits(1);
    let_wait("\"status\": \"FAILED\"");
    let ran = world.piton(&["resume", "r1"]).exits(1);
    assert!(ran.err.contains("; step `n` cannot be WAITING_ON_HUMAN: it asks nobody"), "{}", ran.err);
}

#[test]
fn a_status_that_a_step_cannot_have_is_refused_in_words_and_the_others_are_taken() {
    let path = ".agents/runs/r1/run_state.json";
    let failed = |edit: &dyn Fn(&mut Value)| {
        let world = world(
            "steps:\n  - {id: a, run: 'test -e fixed', max_attempts: 1}\n  - {id: b, run: 'echo x >> b.log', human_in_the_loop: true, needs: [a]}\n",
        );
        world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(1);
        let mut edited = state(&world, "r1");
        edit(&mut edited);
        world.write(path, &edited.to_string());
        let ran = world.piton(&["resume", "r1"]);
        (world, ran)
    };
    // It never ran: there is nothing to ask about.
    let (world, ran) = failed(&|file| file["steps"]["b"]["status"] = "WAITING_ON_HUMAN".into());
    assert!(
        ran.err
            .contains("; step `b` cannot be WAITING_ON_HUMAN: it has done nothing that could be looked at\n"),
        "{}",
        ran.err
    );
    assert_eq!(world.count("r1", "human_asked"), 0);
    let (_, ran) = failed(&|file| file["steps"]["b"]["status"] = "DONE".into());
    assert!(ran.err.contains("; step `b` cannot be `DONE`: that is no status\n"), "{}", ran.err);
    let (world, ran) = failed(&|file| {
        file["steps"]["a"]["status"] = "SKIPPED".into();
        file["steps"]["b"]["status"] = "DONE".into();
        file["steps"]["b"]["attempts"] = 7.into();
    });
    for says in [
        "adopted from run_state.json: `a` is SKIPPED",
        "; the statuses in it are taken, other edits are not: `steps.b.attempts`; step `b` cannot be `DONE`: that is no status\n",
    ] {
        assert!(ran.err.contains(says), "{says}: {}", ran.err);
    }
    assert_eq!(world.read("b.log"), "x\n");
    // A file that is about another run says nothing of this one.
    let (world, ran) = failed(&|file| {
        file["steps"]["a"]["status"] = "SKIPPED".into();
        file["run_id"] = "r2".into();
    });
    assert!(ran.err.contains("; nothing of it is taken: its `run_id` is `r2`, not `r1`\n"), "{}", ran.err);
    assert_eq!(world.count("r1", "statuses_adopted"), 0);
}

#[test]
fn which_of_several_runs_begins_anew_from_a_step_is_said() {
    let world = world(CHAIN);
    for run in ["r1", "r2", "r3"] {
        world.piton(&["run", "w.yaml", "--run-id", run, "--quiet"]).exits(0);
    }
    world.shell("cd .agents/runs; mkdir broken moved empty; echo '{' > broken/run_state.json; cp r1/run_state.json moved").exits(0);
    let ran = world.piton(&["run", "w.yaml", "--start-at-step", "coding"]).exits(0);
    for says in [
        "run `r3` is the newest that fits; --run-id takes another: `r2`, `r1`\n",
        "note: `.agents/runs/broken` is passed by: not a run state: ",
        "note: `.agents/runs/moved` is passed by: its state is that of run `r1`\n",
        "run `r3` goes on from step `coding`, which begins anew",
    ] {
        assert!(ran.err.contains(says), "{says}: {}", ran.err);
    }
    assert!(!ran.err.contains("empty"), "{}", ran.err);
    // One alone needs no words.
    world.shell("rm -r .agents/runs/r[12] .agents/runs/broken .agents/runs/moved").exits(0);
    let ran = world.piton(&["run", "w.yaml", "--start-at-step", "coding"]).exits(0);
    assert!(!ran.err.contains("that fits") && !ran.err.contains("note:"), "{}", ran.err);
}

#[test]
fn an_edit_of_a_completed_run_is_set_aside_and_stands_in_nobodys_way() {
    let world = world(CHAIN);
    world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(0);
    let path = ".agents/runs/r1/run_state.json";
    world.write(path, &world.read(path).replacen("COMPLETED", "PENDING", 1));
    let ran = world.piton(&["run", "w.yaml", "--run-id", "r1", "--start-at-step", "coding"]).exits(0);
    assert!(ran.err.contains("was not written by piton, or was edited since"), "{}", ran.err);
    assert_eq!(world.read("log"), "plan\ncode\ncode\n");
}

#[test]
fn a_discarded_run_begins_anew_where_it_worked() {
    let world = world("steps:\n  - {id: a, run: 'echo here >> made'}\n");
    world.shell("git add -A && git -c user.name=t -c user.email=t@t commit -qm start").exits(0);
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--worktree"]).exits(0);
    world.shell("rm -r .agents/runs/r1").exits(0);
    world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(0);
    assert!(!world.path("made").exists(), "not in the tree of its user");
    let name = world.path("").file_name().unwrap().to_string_lossy().into_owned();
    let made = world.path("").with_file_name(format!("{name}-r1")).join("made");
    assert_eq!(std::fs::read_to_string(made).unwrap(), "here\nhere\n");
}

#[test]
fn an_answer_to_a_discarded_run_is_refused() {
    let world = world("steps:\n  - {id: a, run: 'true', human_in_the_loop: true}\n");
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--pause-for-human-input"]).exits(4);
    world.shell("rm -r .agents/runs/r1").exits(0);
    let ran = world.piton(&["answer", "r1", "--approve"]).exits(2);
    assert!(ran.err.contains("is discarded"), "{}", ran.err);
}

#[test]
fn directories_of_runs_that_are_long_over_go_into_the_archive() {
    let world = world("name: tidy\nsteps:\n  - {id: a, run: 'test ! -e broken'}\n");
    world.write("broken", "");
    world.piton(&["run", "w.yaml", "--run-id", "failed", "--max-attempts", "1"]).exits(1);
    world.shell("rm broken; mkdir -p .agents/runs/foreign; echo mine > .agents/runs/foreign/notes").exits(0);
    for number in 0..10 {
        let id = format!("n{number}");
        world.piton(&["run", "w.yaml", "--run-id", &id, "--quiet", "--skip-cleanup"]).exits(0);
    }
    let directory = |run: &str| world.path(".agents/runs").join(run);
    assert!(directory("n0").exists() && !world.path(".agents/run_archive.db").exists());
    let ran = world.piton(&["run", "w.yaml", "--run-id", "next"]).exits(0);
    assert!(ran.err.contains("directories removed: n0 (--skip-cleanup keeps them)"), "{}", ran.err);
    for (run, stays) in [("n0", false), ("n1", true), ("failed", true), ("foreign", true), ("next", true)] {
        assert_eq!(directory(run).exists(), stays, "{run}");
    }
    let row = "select run_id, workflow_name, status, steps_completed, steps_failed from archived_runs";
    let query = format!("import sqlite3; print(*sqlite3.connect('.agents/run_archive.db').execute('{row}'))");
    world.write("query.py", &query);
    assert_eq!(world.shell("python3 query.py").exits(0).out.trim(), "('n0', 'tidy', 'COMPLETED', 1, 0)");
    assert_eq!(world.count("n0", "run_completed"), 1, "its journal stays");
}

#[test]
fn an_archive_that_leads_elsewhere_is_not_written_and_nothing_is_removed() {
    let world = world("steps:\n  - {id: a, run: 'true'}\n");
    for number in 0..11 {
        let id = format!("n{number}");
        world.piton(&["run", "w.yaml", "--run-id", &id, "--quiet", "--skip-cleanup"]).exits(0);
    }
    let outside = world.beside("outside.db");
    std::os::unix::fs::symlink(&outside, world.path(".agents/run_archive.db")).unwrap();
    let ran = world.piton(&["run", "w.yaml", "--run-id", "next"]).exits(0);
    assert!(ran.err.contains("not archived: run `n0`"), "{}", ran.err);
    assert!(!outside.exists() && world.path(".agents/runs/n0").exists());
}

#[test]
fn a_directory_of_runs_that_leads_elsewhere_is_not_cleaned() {
    let world = world("steps:\n  - {id: a, run: 'true'}\n");
    for number in 0..11 {
        let id = format!("n{number}");
        world.piton(&["run", "w.yaml", "--run-id", &id, "--quiet", "--skip-cleanup"]).exits(0);
    }
    let outside = world.beside("runs");
    world.shell(&format!("mv .agents/runs {}", outside.display())).exits(0);
    std::os::unix::fs::symlink(&outside, world.path(".agents/runs")).unwrap();
    world.piton(&["run", "w.yaml", "--run-id", "next", "--detach"]);
    assert!(outside.join("n0/run_state.json").exists());
    world.piton(&["rm", "n0"]).exits(7);
    assert!(outside.join("n0/run_state.json").exists());
}

#[test]
fn a_forgotten_run_leaves_no_directory_that_would_be_taken_for_another_tools() {
    let world = world(CHAIN);
    world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(0);
    world.piton(&["rm", "r1"]).exits(0);
    assert!(!world.path(".agents/runs/r1").exists());
    let ran = world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(2);
    assert!(ran.err.contains("a run that was removed") && !ran.err.contains("another tool"), "{}", ran.err);
}

/// Reports metrics as the file `metrics` says.
const REPORTS: &str = r#"printf '{"schema":"run_report@v0","run_id":"%s","step_id":"%s","agent":"a","status":"COMPLETED","started_at":"2026-01-01T00:00:00Z","ended_at":"2026-01-01T00:00:01Z","logs":["did it"],"metrics":%s}' "$RUN_ID" "$STEP_ID" "$(cat metrics)" > "$REPORT_PATH""#;

const SCHEMA: &str = r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
  "properties": {"metrics": {"type": "object", "required": ["coverage"], "properties": {"coverage": {"minimum": 80}}}}}"#;

#[test]
fn a_report_must_also_match_the_schema_of_the_run() {
    let world = world("steps:\n  - {id: a, agent: x, prompt: do.md, max_attempts: 1}\n");
    world.write("do.md", "Do it.\n");
    world.write("schema.json", SCHEMA);
    world.write("metrics", r#"{"coverage": 12}"#);
    let run = |id: &str| {
        world.piton(&["run", "w.yaml", "--exec", REPORTS, "--schema", "schema.json", "--run-id", id])
    };
    let ran = run("r1").exits(1);
    assert!(ran.out.contains("not as --schema wants it: /metrics/coverage: 12 is less than"), "{}", ran.out);
    world.write("metrics", "{}");
    let ran = run("r2").exits(1);
    assert!(ran.out.contains(r#"/metrics: "coverage" is a required property"#), "{}", ran.out);
    world.write("metrics", r#"{"coverage": 91.5}"#);
    run("r3").exits(0);
    // A run keeps the schema it started with.
    world.write("schema.json", "{}");
    world.write("metrics", "{}");
    let ran = world.piton(&["resume", "r2"]).exits(1);
    assert!(ran.out.contains("not as --schema wants it"), "{}", ran.out);
}

#[test]
fn a_schema_that_is_none_is_said_before_anything_runs() {
    let world = world("steps:\n  - {id: a, run: 'touch ran'}\n");
    for (schema, says) in [
        ("{", "not JSON"),
        (r#"{"type": "nonsense"}"#, "not a JSON Schema"),
        (r#"{"$ref": "https://example.com/other.json"}"#, "not a JSON Schema"),
    ] {
        world.write("schema.json", schema);
        let ran = world.piton(&["run", "w.yaml", "--schema", "schema.json"]).exits(2);
        assert!(ran.err.contains(says), "{schema}: {}", ran.err);
    }
    world.piton(&["run", "w.yaml", "--schema", "absent.json"]).exits(2);
    assert!(!world.path("ran").exists());
}

#[test]
fn flags_of_other_tools_are_taken_and_said_to_be_without_effect() {
    let world = world("steps:\n  - {id: a, run: 'true'}\n");
    let ran =
        world.piton(&["run", "--workflow", "w.yaml", "--poll-interval", "0.5", "--state-file", "x"]).exits(0);
    assert!(!ran.err.contains("--poll-interval"), "{}", ran.err);
    assert!(ran.err.contains("note: --state-file has no effect"), "{}", ran.err);
}

#[test]
fn the_file_of_a_completed_run_is_there_again_after_somebody_edited_it() {
    let world = world("steps:\n  - {id: a, run: 'true'}\n");
    world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(0);
    let file = ".agents/runs/r1/run_state.json";
    let rendered = world.read(file);
    for edited in [rendered.replacen("COMPLETED", "PENDING", 1), "{".to_owned()] {
        world.write(file, &edited);
        let ran = world.piton(&["resume", "r1"]).exits(2);
        assert_eq!(world.read(file), rendered, "{}", ran.err);
        assert!(ran.err.contains("now lies at"), "{}", ran.err);
    }
}

/// Asking needs no lease: whoever settles an answer may find another one behind it.
#[test]
fn of_two_opposite_answers_at_once_one_is_applied() {
    for _ in 0..6 {
        let world = world("name: h\nsteps:\n  - {id: m, run: 'true', human_in_the_loop: true}\n");
        world.piton(&["run", "w.yaml", "--run-id", "r1", "--pause-for-human-input"]).exits(4);
        let answers = ["--reject", "--approve"].map(|answer| world.start(&["answer", "r1", answer]));
        let ended = answers.map(|answer| answer.ends());
        assert!(ended.iter().any(|one| one.code == 0), "{ended:?}");
        eventually("the question is answered", || {
            let status = world.json(&["status", "r1"])["status"].as_str().map(str::to_owned);
            matches!(status.as_deref(), Some("failed" | "completed"))
        });
    }
}

/// Each reads the edit; one of them adopts it, and goes on.
#[test]
fn of_two_that_resume_a_run_whose_file_was_edited_one_is_told_that_it_is_held() {
    for _ in 0..4 {
        let world = world(
            "name: e\nsteps:\n  - {id: a, run: 'false', max_attempts: 1}\n  - {id: b, run: sleep 1, needs: [a]}\n",
        );
        world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(1);
        let file = ".agents/runs/r1/run_state.json";
        world.write(file, &world.read(file).replace("\"FAILED\"", "\"COMPLETED\""));
        let both = [(); 2].map(|()| world.start(&["resume", "r1"]));
        let ended = both.map(|one| one.ends());
        let codes = ended.each_ref().map(|one| one.code);
        // Who comes very late finds it completed.
        let is_told = |one: &Ran| [0, 5].contains(&one.code) || one.err.contains("is completed already");
        assert!(ended.iter().all(is_told) && codes.contains(&0), "{ended:?}");
    }
}
