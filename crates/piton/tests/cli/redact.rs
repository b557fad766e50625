//! `[redact] patterns`: what a person calls secret reaches no disk and no screen, whoever prints it.

use std::path::Path;

use super::common::{World, eventually};

/// Nothing that piton would know by itself.
const SECRET: &str = "the-falcon-flies-at-noon";

/// A world that calls it secret, with the secret in a file beside the repository.
fn world() -> World {
    configured("")
}

fn configured(more: &str) -> World {
    let world = World::new();
    world.shell(&format!("printf %s {SECRET} > $BESIDE/secret")).exits(0);
    world.configure(&format!("[redact]\npatterns = ['{SECRET}']\n{more}"));
    world
}

/// No file that piton wrote holds the secret, and nothing it says of the run does.
fn is_kept(world: &World, run: &str) {
    for place in [".piton", ".agents", ".ralph", ".aiwg"] {
        look_into(&world.path(place));
    }
    for words in [&["log", run, "--json"][..], &["status", run, "--json"], &["log", run]] {
        let said = world.piton(words).exits(0).out;
        assert!(!said.contains(SECRET), "{words:?}: {said}");
        assert!(words[0] != "log" || !said.is_empty());
    }
}

fn look_into(place: &Path) {
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type().unwrap().is_dir() {
            true => look_into(&path),
            false => {
                let bytes = std::fs::read(&path).unwrap_or_default();
                let found = bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
                assert!(!found, "{} holds the secret", path.display());
            }
        }
    }
}

/// Prints it, and reports it.
const TALKATIVE: &str = r#"cat "$BESIDE/secret"; cat "$BESIDE/secret" >&2
    echo "{\"summary\": \"I read $(cat "$BESIDE/secret")\", \"custom\": {\"k\": \"$(cat "$BESIDE/secret")\"}}" > "$PITON_REPORT""#;

#[test]
fn redact_patterns_hold_in_a_loop_agent() {
    let world = world();
    let agent = format!("{TALKATIVE}\ntouch b.txt");
    world.loops("r", &agent, &["--check", "test -f b.txt"]).exits(0);
    is_kept(&world, "r");
    let said = world.piton(&["output", "r"]).exits(0).out;
    assert!(said.contains("[redacted]"), "{said}");
    let log = world.piton(&["log", "r", "--json"]).exits(0).out;
    assert!(log.contains("I read [redacted]"), "{log}");
}

#[test]
fn redact_patterns_hold_in_a_loop_that_is_resumed() {
    let world = world();
    let agent = format!("test $PITON_ITERATION = 1 && exit 0\n{TALKATIVE}\ntouch b.txt");
    world.loops("r", &agent, &["--check", "test -f b.txt", "--max-iterations", "1"]).exits(3);
    world.piton(&["resume", "r", "--max-iterations", "+1"]).exits(0);
    is_kept(&world, "r");
    let log = world.piton(&["log", "r", "--json"]).exits(0).out;
    assert!(log.contains("I read [redacted]"), "{log}");
}

#[test]
fn redact_patterns_hold_in_a_loop_check_and_a_condition() {
    let world = world();
    let check = "cat $BESIDE/secret; test -f never";
    let until = "cmd:cat $BESIDE/secret; test -f never";
    let words = ["--check", check, "--until", until, "--max-iterations", "1"];
    world.loops("r", "touch b.txt", &words).exits(3);
    is_kept(&world, "r");
    let log = world.piton(&["log", "r", "--json"]).exits(0).out;
    assert!(log.contains(r#""tail":"[redacted]""#), "{log}");
}

#[test]
fn redact_patterns_hold_in_a_loop_hook() {
    let world =
        configured("[hooks.h]\npoints = ['loop_start']\ncommand = 'cat $BESIDE/secret >&2; exit 1'\n");
    world.loops("r", "touch b.txt", &["--check", "test -f b.txt"]).exits(0);
    is_kept(&world, "r");
    let log = world.piton(&["log", "r", "--json"]).exits(0).out;
    assert!(log.contains("[redacted]"), "{log}");
}

#[test]
fn redact_patterns_hold_in_what_a_hook_changes() {
    let answer = r#"printf "{\"modified_data\": {\"k\": \"%s\"}}" "$(cat $BESIDE/secret)""#;
    let world = configured(&format!("[hooks.h]\npoints = ['loop_start']\ncommand = '{answer}'\n"));
    world.loops("r", "touch b.txt", &["--check", "test -f b.txt"]).exits(0);
    is_kept(&world, "r");
    let log = world.piton(&["log", "r", "--json"]).exits(0).out;
    assert!(log.contains(r#""k":"[redacted]""#), "{log}");
}

#[test]
fn redact_patterns_hold_in_what_a_person_answers_to_a_step() {
    let world = world();
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'true', human_in_the_loop: true}]\n");
    let input =
        format!("{{\"approved\": true, \"comments\": \"{SECRET}\", \"data\": {{\"k\": \"{SECRET}\"}}}}");
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--pause-for-human-input"]).exits(4);
    world.write("in.json", &input);
    world.piton(&["answer", "r1", "--approve", "--input", "in.json"]).exits(0);
    world.piton(&["wait", "r1"]).exits(0);
    is_kept(&world, "r1");
    world.piton(&["run", "w.yaml", "--run-id", "r2", "--pause-for-human-input"]).exits(4);
    world.write(".agents/runs/r2/manual_inputs/r2__a.json", &input);
    world.piton(&["resume", "r2"]).exits(0);
    let log = world.piton(&["log", "r2", "--json"]).exits(0).out;
    assert!(log.contains("[redacted]") && !log.contains(SECRET), "{log}");
}

#[test]
fn redact_patterns_hold_in_the_setup_of_a_work_tree() {
    let world = configured("[worktree]\nsetup = 'cat $BESIDE/secret >&2; exit 1'\n");
    let words = ["loop", "x", "--id", "r", "--worktree", "--exec", "true", "--check", "false"];
    let ran = world.piton(&words).exits(7);
    assert!(ran.out.contains("[redacted]") && !format!("{ran:?}").contains(SECRET), "{ran:?}");
    is_kept(&world, "r");
}

#[test]
fn redact_patterns_hold_in_a_workflow_step() {
    let world = world();
    world.write("do.md", "Do it.\n");
    world.write(
        "w.yaml",
        "name: w\nsteps:\n  - {id: a, agent: coder, prompt: do.md}\n  - {id: b, run: 'cat $BESIDE/secret; cat $BESIDE/secret >&2; exit 1', needs: [a]}\n",
    );
    let wrapper = r#"cat "$BESIDE/secret"
        printf '{"schema":"run_report@v0","run_id":"%s","step_id":"%s","agent":"%s","started_at":"2026-01-01T00:00:00Z","ended_at":"2026-01-01T00:00:01Z","status":"COMPLETED","logs":["I read %s"]}' \
          "$RUN_ID" "$STEP_ID" "$AGENT_ID" "$(cat "$BESIDE/secret")" > "$REPORT_PATH""#;
    let ran = world.piton(&["run", "w.yaml", "--run-id", "r1", "--exec", wrapper, "--max-attempts", "1"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    is_kept(&world, "r1");
    let report = world.read(".agents/runs/r1/reports/r1__a.json");
    assert!(report.contains("I read [redacted]"), "what a step wrote itself, too: {report}");
    let log = world.piton(&["log", "r1", "--json"]).exits(0).out;
    assert!(log.contains("the command exited with 1: [redacted]"), "{log}");
    assert!(log.contains("I read [redacted]"), "{log}");
}

#[test]
fn redact_patterns_hold_in_the_items_of_a_collection() {
    let world = world();
    world.write(
        "w.yaml",
        "name: w\nsteps:\n  - {id: a, run: 'printf ''[\"%s\"]'' $(cat $BESIDE/secret) > items.json'}\n  \
         - {id: b, run: 'true', needs: [a], loop: {items_from_artifact: items.json}}\n",
    );
    world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(0);
    let log = world.piton(&["log", "r1", "--json"]).exits(0).out;
    assert!(log.contains("items_read") && log.contains("[redacted]"), "{log}");
    assert!(!log.contains(SECRET), "{log}");
}

#[test]
fn redact_patterns_hold_in_a_workflow_gate() {
    let world = world();
    let gate = "cmd:cat $BESIDE/secret; until test -e $GATE; do sleep 0.02; done";
    world.write("w.yaml", &format!("name: w\nsteps: [{{id: a, run: 'touch done', gates: ['{gate}']}}]\n"));
    let viewer = world.start(&["run", "w.yaml", "--run-id", "r1"]);
    let attempts = world.path(".piton/attempts/r1");
    eventually("the gate has printed", || {
        let entries = std::fs::read_dir(&attempts).into_iter().flatten().flatten();
        let read = |path: &Path| std::fs::read_to_string(path.join("stdout.log")).unwrap_or_default();
        entries.map(|entry| read(&entry.path())).any(|text| text.contains("[redacted]"))
    });
    is_kept(&world, "r1");
    world.open_gate();
    viewer.ends().exits(0);
}

#[test]
fn redact_patterns_hold_in_research() {
    let world = world();
    world.write("gaps.yaml", "gaps:\n- {id: teams, category: c, priority: 5}\n");
    let agent = r#"cat "$BESIDE/secret" >&2; printf '{"outcome": "full_report", "findings": "It is %s.", "evidence": [{"file": "a.txt"}]}' "$(cat "$BESIDE/secret")""#;
    world.piton(&["gaps", "research", "--exec", agent]).exits(0);
    assert!(world.read("gaps.yaml").contains("It is [redacted]."), "{}", world.read("gaps.yaml"));
    look_into(&world.path(".piton"));
    let shown = world.piton(&["gaps", "show", "teams", "--json"]).exits(0).out;
    assert!(shown.contains("[redacted]") && !shown.contains(SECRET), "{shown}");
}

#[test]
fn redact_patterns_hold_in_what_people_type() {
    let world = world();
    world.loops("r", "true", &["--check", "test -f b.txt", "--max-iterations", "1"]).exits(3);
    world.piton(&["tell", "r", &format!("use {SECRET}")]).exits(0);
    world.piton(&["note", "r", "kept", "--set", &format!("k={{\"deep\": [\"{SECRET}\"]}}")]).exits(0);
    world
        .piton(&[
            "loop",
            &format!("log in with {SECRET}"),
            "--id",
            "s",
            "--exec",
            "touch b.txt",
            "--check",
            "test -f b.txt",
        ])
        .exits(0);
    is_kept(&world, "r");
    is_kept(&world, "s");
}

#[test]
fn a_run_does_not_go_on_where_nobody_knows_what_is_secret() {
    let world = world();
    let words = ["--check", "test -f b.txt", "--max-iterations", "1"];
    world.loops("r", "true", &words).exits(3);
    world.write("piton.toml", "[redact\n");
    let ran = world.piton(&["resume", "r", "--max-iterations", "+1"]).exits(7);
    assert!(ran.err.contains("`[redact] patterns` cannot be read"), "{}", ran.err);
    assert_eq!(world.count("r", "attempt_started"), 1);
}

#[test]
fn redact_patterns_hold_in_the_report_of_a_step_that_was_lost() {
    let world = world();
    let report =
        r#"printf '{"schema":"run_report@v0","logs":["%s"]}' "$(cat "$BESIDE/secret")" > "$REPORT_PATH""#;
    world.write("step.sh", &format!("test -e $GATE && exit 0; {report}; exit 1\n"));
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'sh step.sh'}]\n");
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--max-attempts", "1"]).exits(1);
    // As if its driver had died before anybody read it.
    world.write(".agents/runs/r1/reports/r1__a.json", SECRET);
    world.open_gate();
    world.piton(&["resume", "r1"]).exits(0);
    is_kept(&world, "r1");
    assert!(world.path(".agents/runs/r1/reports/archive").read_dir().unwrap().count() > 0);
}

#[test]
fn redact_patterns_hold_in_what_is_shown_of_commands() {
    let world = world();
    let until = format!("cmd:test {SECRET} = x");
    let words = ["--check", "test -f b.txt", "--until", &until, "--max-iterations", "1"];
    let ran = world.loops("r", "touch b.txt", &words).exits(3);
    assert!(!ran.out.contains(SECRET) && !ran.err.contains(SECRET), "{ran:?}");
    for words in [&["log", "r"][..], &["status", "r"], &["why", "r"], &["report", "r"]] {
        let said = world.piton(words).exits(0).out;
        assert!(!said.contains(SECRET), "{words:?}: {said}");
    }
}

#[test]
fn redact_patterns_hold_in_what_the_guard_quotes() {
    let world = world();
    let test =
        format!("def test_login():\n    assert login() == '{SECRET}'\n    assert two() == '{SECRET}'\n");
    world.write("test_login.py", &test);
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "more"]);
    let weaker = test.replace("==", "!=");
    world.write("test_login.py", &weaker);
    for format in ["text", "json", "sarif", "github"] {
        let ran = world.piton(&["guard", "HEAD", "--format", format]);
        assert!(ran.out.contains("test_login.py"), "{ran:?}");
        assert!(!ran.out.contains(SECRET) && !ran.err.contains(SECRET), "{format}: {ran:?}");
    }
    world.git(&["checkout", "-q", "test_login.py"]);
    let agent = "sed -i 's/==/!=/' test_login.py";
    let _ = world.loops("r", agent, &["--check", "test -f b.txt", "--max-iterations", "1"]);
    is_kept(&world, "r");
}

#[test]
fn redact_patterns_hold_in_what_people_write_into_a_ledger() {
    let world = world();
    let said = format!("it is {SECRET}");
    world.write("more.yaml", &format!("gaps:\n- {{id: imported, category: c, question: '{said}?'}}\n"));
    for words in [
        &["add", "teams", "--category", "c", &format!("question={said}?")][..],
        &[
            "verify",
            "teams",
            "--findings",
            &said,
            "--source",
            &format!("command:echo {SECRET}"),
            "--reason",
            &said,
        ],
        &["update", "teams", &format!("findings={said}!"), "--reason", &said],
        &["import", "more.yaml"],
    ] {
        world.piton(&[&["gaps"], words].concat()).exits(0);
    }
    let ledger = world.read("gaps.yaml");
    assert!(ledger.contains("it is [redacted]!") && !ledger.contains(SECRET), "{ledger}");
    let log = world.read("gap_audit.log");
    assert!(log.contains("[redacted]") && !log.contains(SECRET), "{log}");
    let run = world.piton(&["ls", "--kind", "ledger", "--json"]).exits(0).out;
    let run: serde_json::Value = serde_json::from_str(&run).unwrap();
    is_kept(&world, run[0]["run_id"].as_str().unwrap());
}
