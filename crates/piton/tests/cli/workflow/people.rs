//! People in a workflow: what they answer, reject, write into files and are told; what agents are told for them.

use serde_json::{Value, json};

use super::{REFERENCE, run, steps, world};
use crate::common::eventually;

#[test]
fn what_a_person_rejects_reaches_the_step_that_is_gone_back_to() {
    let world = world(
        "
name: w
steps:
  - {id: code, run: 'test -z \"$MANUAL_RESULT_PATH\" || cp \"$MANUAL_RESULT_PATH\" said.json; echo run $STEP_ATTEMPT'}
  - {id: approve, agent: lead, prompt: do.md, needs: [code], human_in_the_loop: true, loop_back_to: code, on_reject: loop_back}
",
    );
    run(&world, &["--pause-for-human-input"]).exits(4);
    world.piton(&["answer", "r1", "--reject", "--comment", "the title is wrong"]).exits(0);
    let mut said = Value::Null;
    eventually("the step began again and has its copy", || {
        let copy = std::fs::read(world.path("said.json")).unwrap_or_default();
        serde_json::from_slice(&copy).map(|whole| said = whole).is_ok()
    });
    assert_eq!((&said["approved"], &said["comments"]), (&json!(false), &json!("the title is wrong")));
    // The log of the first time is still there.
    let archive = world.path(".agents/runs/r1/logs/archive").read_dir().unwrap();
    let names: Vec<_> = archive.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.contains(&"r1__code__before3.log".to_owned()), "{names:?}");
}

#[test]
fn a_file_answers_as_well_and_one_that_cannot_be_read_changes_nothing() {
    let world = world(REFERENCE);
    run(&world, &["--pause-for-human-input"]).exits(4);
    let input = ".agents/runs/r1/manual_inputs/r1__approve.json";
    world.write(input, "{");
    let ran = world.piton(&["resume", "r1"]).exits(4);
    assert!(ran.out.contains("goes on waiting"), "{}", ran.out);
    world.write(input, r#"{"approved": false, "comments": "not yet"}"#);
    let ran = world.piton(&["resume", "r1"]).exits(1);
    assert!(ran.out.contains("Rejected by a person: not yet"), "{}", ran.out);
    assert_eq!(steps(&world, "status")["approve"], "FAILED");
}

const SIDE_BY_SIDE: &str = "
name: side by side
steps:
  - {id: slow, agent: a, prompt: do.md}
  - {id: ask, agent: a, prompt: do.md, human_in_the_loop: true}
";

#[test]
fn an_input_that_comes_while_other_steps_run_is_held_and_people_are_told_the_way() {
    let world = world(SIDE_BY_SIDE);
    world.write("hold.slow", "");
    run(&world, &["--pause-for-human-input", "--detach"]).exits(0);
    let asks = || world.json(&["status", "r1"])["questions"][0]["question"] == 1;
    eventually("it asks", asks);
    let input = ".agents/runs/r1/manual_inputs/r1__ask.json";
    world.write(input, r#"{"approved": false, "comments": "not so"}"#);
    // Whatever the file says of its age.
    world.shell(&format!("touch -d 2099-01-01 {input}")).exits(0);
    let mut status = world.piton(&["status", "r1"]).exits(0);
    eventually("it is held", || {
        status = world.piton(&["status", "r1"]).exits(0);
        status.out.contains("held")
    });
    let path = std::fs::canonicalize(world.path(input)).unwrap().display().to_string();
    let way = format!("`piton answer r1 1 --input {path}` takes it");
    assert!(
        status.out.contains("was written while a run was at work") && status.out.contains(&way),
        "{status:?}"
    );
    assert_eq!(world.count("r1", "human_answered"), 0);
    world.piton(&["answer", "r1", "1", "--input", &path]).exits(0);
    eventually("it is answered", || world.count("r1", "human_answered") == 1);
    world.open_gate();
    world.piton(&["wait", "r1"]).exits(1);
    let log = world.piton(&["log", "r1"]).exits(0).out;
    assert!(log.contains("not so"), "{log}");
}

#[test]
fn an_input_that_was_held_counts_once_it_is_written_while_nothing_works() {
    let world = world(SIDE_BY_SIDE);
    world.write("hold.slow", "");
    run(&world, &["--pause-for-human-input", "--detach"]).exits(0);
    eventually("it asks", || world.json(&["status", "r1"])["questions"][0]["question"] == 1);
    let input = ".agents/runs/r1/manual_inputs/r1__ask.json";
    world.write(input, "{}");
    eventually("it is held", || world.count("r1", "manual_input_refused") == 1);
    world.open_gate();
    world.piton(&["wait", "r1"]).exits(4);
    world.piton(&["resume", "r1"]).exits(4);
    world.write(input, "{}");
    world.piton(&["resume", "r1"]).exits(0);
}

#[test]
fn a_step_does_not_approve_its_own_gate() {
    let says = "f=.agents/runs/r1/manual_inputs/r1__approve.json; echo {} > $f; touch -d 2099-01-01 $f";
    // Before anybody is asked, and after that, beside the step that asks.
    for needs in ["[code]", "[]"] {
        let code = match needs {
            "[]" => {
                format!("until grep -q WAITING .agents/runs/r1/run_state.json; do sleep 0.02; done; {says}")
            }
            _ => says.to_owned(),
        };
        let world = world(&format!(
            "name: w\nsteps:\n  - {{id: code, run: '{code}'}}\n  - {{id: approve, agent: lead, prompt: do.md, needs: {needs}, human_in_the_loop: true}}\n"
        ));
        run(&world, &["--pause-for-human-input"]).exits(4);
        world.piton(&["resume", "r1"]).exits(4);
        assert_eq!(
            (world.count("r1", "human_answered"), steps(&world, "status")["approve"] == "COMPLETED"),
            (0, false)
        );
        world.piton(&["answer", "r1", "--approve"]).exits(0);
        world.piton(&["wait", "r1"]).exits(0);
    }
}

#[test]
fn confine_accept_inputs_acts_in_a_workflow() {
    let world = world(SIDE_BY_SIDE);
    world.configure("[confine]\naccept_inputs = true\n");
    world.write("hold.slow", "");
    let viewer = world.start(&[
        "run",
        "w.yaml",
        "--wrapper",
        "wrapper.sh",
        "--run-id",
        "r1",
        "--pause-for-human-input",
    ]);
    viewer.prints("asks you");
    world.write(".agents/runs/r1/manual_inputs/r1__ask.json", "{}");
    viewer.prints("answered: Approve");
    world.open_gate();
    viewer.ends().exits(0);
}

#[test]
fn a_worker_goes_on_once_a_person_has_written_their_file() {
    let world = world(REFERENCE);
    run(&world, &["--pause-for-human-input"]).exits(4);
    world.piton(&["worker", "--once"]).exits(0);
    assert_eq!(world.json(&["status", "r1"])["status"], "waiting", "nobody has said anything");
    world.write(".agents/runs/r1/manual_inputs/r1__approve.json", "{}");
    world.piton(&["worker", "--once"]).exits(0);
    world.piton(&["wait", "r1"]).exits(0);
}

#[test]
fn people_are_told_that_a_workflow_needs_them_and_that_it_failed() {
    let world = world(REFERENCE);
    world.configure("[notify.channels.told]\ntype = \"logfile\"\npath = \"told.log\"\n");
    run(&world, &["--pause-for-human-input"]).exits(4);
    let told = world.read("told.log");
    assert!(told.contains("an answer to question 1 (step `approve`)"), "{told}");
    world.piton(&["resume", "r1"]).exits(4);
    assert_eq!(world.read("told.log"), told, "who only looks in has no news");
    world.write(".agents/runs/r1/manual_inputs/r1__approve.json", r#"{"approved": false}"#);
    world.piton(&["resume", "r1"]).exits(1);
    assert!(world.read("told.log").contains("Rejected by a person"), "{}", world.read("told.log"));
}

#[test]
fn what_an_agent_wants_remembered_is_in_its_notes_once() {
    let world = world(
        "name: w\nsteps: [{id: a, agent: x, prompt: do.md}, {id: b, agent: x, prompt: do.md, needs: [a]}]\n",
    );
    let says = r#""status":"COMPLETED","logs":["x"],"memory_updates":[{"section":"Gotchas","entry":"run the migrations before the tests"},{"entry":"done"}]"#;
    world.write("says.a", says);
    world.write("says.b", says);
    run(&world, &[]).exits(0);
    assert_eq!(
        world.read("AGENTS.md"),
        "# Notes for agents\n\n## Gotchas\n\n- run the migrations before the tests\n"
    );
}

#[test]
fn an_agent_without_a_wrapper_is_told_of_guidance_memory_and_how_to_report() {
    let world = world("name: w\nsteps: [{id: a, agent: mine, prompt: do.md}]\n");
    world.shell("mkdir -p .agents/guidance && printf -- '---\\ntitle: Errors\\nconsult_when: always\\n---\\n' > .agents/guidance/errors.md").exits(0);
    world.write("AGENTS.md", "- the cache is keyed by locale\n");
    world.configure("[agents.mine]\ncommand = [\"sh\", \"-c\", \"cat > got.md\"]\nprompt = \"stdin\"\n");
    world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(0);
    let got = world.read("got.md");
    for part in
        ["| `.agents/guidance/errors.md` | Errors | always |", "keyed by locale", "Do it.", "r1__a.json"]
    {
        assert!(got.contains(part), "{part} is missing:\n{got}");
    }
}

#[test]
fn what_was_answered_lies_in_one_file_however_often_a_step_is_tried() {
    let world = world(
        "name: w\nsteps: [{id: a, run: 'true', human_in_the_loop: true}, {id: b, run: 'cat $MANUAL_RESULT_PATH >> read; false', needs: [a], backoff: 10ms}]\n",
    );
    run(&world, &["--pause-for-human-input", "--max-attempts", "3"]).exits(4);
    world.piton(&["answer", "r1", "--approve", "--comment", "good"]).exits(0);
    world.piton(&["wait", "r1"]).exits(1);
    assert_eq!(world.read("read").matches("good").count(), 3);
    let files = world.shell("ls .agents/runs/r1/manual_inputs").exits(0).out;
    assert_eq!(files, "r1__a.json\n");
}
