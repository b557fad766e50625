//! Going on with a workflow: after a kill, from a step, with another definition, within another; what is kept meanwhile.

use serde_json::{Value, json};

use super::{REFERENCE, run, steps, view, world};
use crate::common::eventually;

#[test]
fn a_killed_driver_loses_nothing_and_starts_nothing_twice() {
    let world = world(REFERENCE);
    world.write("hold.code", "");
    world.piton(&["run", "w.yaml", "--wrapper", "wrapper.sh", "--run-id", "r1", "--detach"]).exits(0);
    let state = world.path(".agents/runs/r1/run_state.json");
    eventually("a branch works", || state.exists() && steps(&world, "status")["code"] == "RUNNING");
    world.agent_works("r1", 2);
    world.kill_driver("r1");
    world.open_gate();
    let ran = world.piton(&["resume", "r1"]).exits(0);
    assert!(ran.out.contains("done   every step is completed or skipped"), "{}", ran.out);
    for step in ["plan", "code", "docs", "review", "approve"] {
        let count = std::fs::read_to_string(world.beside(&format!("count.r1.{step}"))).unwrap();
        assert_eq!(count.trim(), "1", "step {step} ran once");
    }
    assert_eq!(world.count("r1", "step_lost"), 0);
    world.piton(&["verify"]).exits(0);
}

#[test]
fn a_run_begins_anew_from_a_step_and_keeps_what_came_before() {
    let world = world(REFERENCE);
    run(&world, &[]).exits(0);
    let ran = run(&world, &[]).exits(2);
    assert!(ran.err.contains("is completed"), "{}", ran.err);
    world.piton(&["run", "w.yaml", "--wrapper", "wrapper.sh", "--start-at-step", "review"]).exits(0);
    let count = |step: &str| std::fs::read_to_string(world.beside(&format!("count.r1.{step}"))).unwrap();
    assert_eq!((count("code").trim(), count("review").trim()), ("1", "2"));
    let ran = run(&world, &["--start-at-step", "nope"]).exits(2);
    assert!(ran.err.contains("has no step `nope`"), "{}", ran.err);
}

#[test]
fn a_changed_workflow_is_shown_before_a_run_goes_on_with_it() {
    let world =
        world("name: w\nsteps: [{id: a, agent: x, prompt: do.md}, {id: b, run: 'false', needs: [a]}]\n");
    run(&world, &["--max-attempts", "1"]).exits(1);
    world.write(
        "w.yaml",
        "name: w\nsteps: [{id: a, agent: x, prompt: do.md}, {id: b, run: 'true', needs: [a]}]\n",
    );
    let ran = run(&world, &[]).exits(2);
    assert!(ran.err.contains("~ step `b`"), "{}", ran.err);
    run(&world, &["--migrate"]).exits(0);
    let count = std::fs::read_to_string(world.beside("count.r1.a")).unwrap();
    assert_eq!(count.trim(), "1", "what was done is not done again");
}

#[test]
fn flags_that_are_given_with_a_run_that_is_there_hold_from_then_on() {
    let world = world(
        "
name: w
steps:
  - {id: a, run: 'echo x >> tries; test \"$COLOUR\" = red && test \"$SHAPE\" = round'}
  - {id: b, run: 'true', needs: [a], human_in_the_loop: true}
",
    );
    let more = ["--max-attempts", "1", "--env", "COLOUR=blue", "--env", "SHAPE=round"];
    world.piton(&[&["run", "w.yaml", "--run-id", "r1"], &more[..]].concat()).exits(1);
    // Nothing said: as it began.
    world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(1);
    assert_eq!(world.read("tries").lines().count(), 2);
    let more = ["--max-attempts", "2", "--env", "COLOUR=green"];
    let ran = world.piton(&[&["run", "w.yaml", "--run-id", "r1"], &more[..]].concat()).exits(1);
    assert!(ran.err.contains("from now on: --max-attempts 2 (was 1), --env COLOUR"), "{}", ran.err);
    assert!(!ran.err.contains("green"), "what a variable holds is not shown: {}", ran.err);
    assert_eq!(world.read("tries").lines().count(), 4, "two tries now");
    let more = ["--pause-for-human-input", "--env", "COLOUR=red", "--max-cost", "3"];
    world.piton(&[&["run", "w.yaml", "--run-id", "r1"], &more[..]].concat()).exits(4);
    assert_eq!(steps(&world, "status")["b"], "WAITING_ON_HUMAN");
    // A lower limit holds, too.
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--max-cost", "2"]).exits(4);
    let shown = world.json(&["show", "r1"]);
    let options = &shown["state"]["options"];
    assert_eq!(options["max_cost_microusd"], 2_000_000);
    assert_eq!(options["env"], json!({"COLOUR": "red", "SHAPE": "round"}));
    assert_eq!(options["max_attempts"], 2);
}

#[test]
fn a_completed_run_that_begins_anew_from_a_step_asks_people_where_that_is_said() {
    let world = world(REFERENCE);
    run(&world, &[]).exits(0);
    let ran =
        world.piton(&["run", "w.yaml", "--start-at-step", "approve", "--pause-for-human-input"]).exits(4);
    assert!(ran.err.contains("run `r1` goes on from step `approve`"), "{}", ran.err);
    assert_eq!(steps(&world, "status")["approve"], "WAITING_ON_HUMAN");
}

#[test]
fn what_a_run_that_is_there_cannot_have_is_refused_before_anything_is_recorded() {
    let world = world("name: w\nsteps: [{id: a, run: 'false'}]\n");
    run(&world, &["--max-attempts", "1"]).exits(1);
    let events = world.piton(&["log", "r1"]).exits(0).out;
    for (flags, says) in [
        (&["--worktree"][..], "works in the repository itself, and a run keeps its place"),
        (&["--workdir", "."][..], "works in the repository itself, and a run keeps its place"),
        (&["--max-parallel", "99"][..], "`--max-parallel` is outside of 1 to 32"),
        (&["--max-attempts", "0"][..], "`--max-attempts` is outside of 1 to 1000"),
    ] {
        let ran = run(&world, flags).exits(2);
        assert!(ran.err.contains(says), "{flags:?}: {}", ran.err);
    }
    assert_eq!(world.piton(&["log", "r1"]).exits(0).out, events);
    let ran = world.piton(&["resume", "r1", "--max-iterations", "+1000"]).exits(2);
    assert!(ran.err.contains("--max-iterations: outside of 1 to 1000"), "{}", ran.err);
    world.piton(&["resume", "r1", "--max-iterations", "2"]).exits(1);
    let shown = world.json(&["show", "r1"]);
    assert_eq!(shown["state"]["options"]["max_iterations"], 2, "a lower limit is a limit, too");
}

#[test]
fn a_step_that_is_not_there_is_refused_before_anything_is_recorded() {
    let world = world("name: w\nsteps: [{id: a, run: 'false'}]\n");
    run(&world, &["--max-attempts", "1"]).exits(1);
    let events = world.piton(&["log", "r1"]).exits(0).out;
    run(&world, &["--start-at-step", "zz", "--max-attempts", "9"]).exits(2);
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'true'}]\n");
    let ran = run(&world, &["--start-at-step", "zz", "--migrate"]).exits(2);
    assert!(ran.err.contains("has no step `zz`"), "{}", ran.err);
    assert!(!ran.err.contains("going on with the workflow as it is now"), "{}", ran.err);
    assert_eq!(world.piton(&["log", "r1"]).exits(0).out, events);
    // A step of the new definition is one.
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'true'}, {id: zz, run: 'true', needs: [a]}]\n");
    let ran = run(&world, &["--start-at-step", "a", "--migrate", "--max-attempts", "9"]).exits(0);
    assert!(ran.err.contains("from now on: --max-attempts 9 (was 1)"), "{}", ran.err);
}

#[test]
fn a_limit_that_is_reached_is_refused_before_anything_is_recorded_and_the_hint_works() {
    let world = world(
        "name: w\nsteps: [{id: g, run: 'echo x >> tries; test $(wc -l < tries) -ge 8', loop_back_to: g}]\n",
    );
    run(&world, &["--max-iterations", "3"]).exits(1);
    let events = world.piton(&["log", "r1"]).exits(0).out;
    let ran = run(&world, &["--max-iterations", "1"]).exits(3);
    assert_eq!(world.piton(&["log", "r1"]).exits(0).out, events, "{}", ran.err);
    let hint = ran.err.split('`').find(|words| words.starts_with("piton resume")).unwrap().to_owned();
    let words: Vec<&str> = hint.split_whitespace().skip(1).collect();
    world.piton(&words).exits(0);
}

#[test]
fn what_was_recorded_before_a_run_could_not_go_on_is_said() {
    let world = world("name: w\nsteps: [{id: a, run: 'false'}, {id: b, run: 'true', needs: [a]}]\n");
    run(&world, &["--max-attempts", "1"]).exits(1);
    let file = ".agents/runs/r1/run_state.json";
    world.write(file, &world.read(file).replacen("\"FAILED\"", "\"COMPLETED\"", 1));
    let ran = run(&world, &["--start-at-step", "zz"]).exits(2);
    assert!(ran.err.contains("adopted from run_state.json: `a` is COMPLETED"), "{}", ran.err);
}

#[test]
fn an_agent_of_another_run_does_not_complete_a_workflow() {
    let world = world("name: w\nsteps: [{id: a, run: 'false'}, {id: b, run: 'touch b.done', needs: [a]}]\n");
    run(&world, &["--max-attempts", "1"]).exits(1);
    let file = ".agents/runs/r1/run_state.json";
    let edit = format!("sed -i s/FAILED/COMPLETED/ {file}; touch -d 2099-01-01 {file}");
    world.loops("r2", &edit, &["--until", "cmd:true"]).exits(0);
    assert!(world.read(file).contains("COMPLETED"), "it was edited");
    let ran = world.piton(&["resume", "r1"]).exits(1);
    assert!(ran.err.contains("written while a run was at work"), "{}", ran.err);
    assert_eq!((world.count("r1", "statuses_adopted"), world.path("b.done").exists()), (0, false));
    // A person's own edit counts as ever.
    world.write(file, &world.read(file).replacen("\"FAILED\"", "\"COMPLETED\"", 1));
    world.piton(&["resume", "r1"]).exits(0);
    assert!(world.path("b.done").exists());
}

#[test]
fn a_status_that_somebody_wrote_at_rest_is_adopted_and_anything_else_is_set_aside() {
    let world = world("name: w\nsteps: [{id: a, run: 'false'}, {id: b, run: 'touch b.done', needs: [a]}]\n");
    run(&world, &["--max-attempts", "1"]).exits(1);
    let file = ".agents/runs/r1/run_state.json";
    world.write(file, &world.read(file).replacen("\"FAILED\"", "\"COMPLETED\"", 1));
    let ran = world.piton(&["resume", "r1"]).exits(0);
    assert!(ran.err.contains("adopted from run_state.json: `a` is COMPLETED"), "{}", ran.err);
    assert!(world.path("b.done").exists());
    assert_eq!(world.count("r1", "statuses_adopted"), 1);
    assert!(!ran.err.contains("edited since"), "what was adopted is not in the way: {}", ran.err);

    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'test -e ok'}]\n");
    world.piton(&["run", "w.yaml", "--run-id", "r2", "--max-attempts", "1"]).exits(1);
    world.write(".agents/runs/r2/run_state.json", "{\"mine\": true}");
    world.write("ok", "");
    let ran = world.piton(&["resume", "r2"]).exits(0);
    assert!(ran.err.contains("was not written by piton, or was edited since"), "{}", ran.err);
    assert!(ran.err.contains("only the `status` of a step may be edited"), "{}", ran.err);
}

#[test]
fn statuses_are_adopted_whatever_else_was_edited_and_the_rest_is_named() {
    let world = world(
        "name: w\nsteps: [{id: a, run: 'false'}, {id: b, run: 'touch b.done', needs: [a]}, {id: c, run: 'touch c.done', needs: [b]}]\n",
    );
    run(&world, &["--max-attempts", "1"]).exits(1);
    let mut theirs = view(&world);
    theirs["steps"]["a"]["status"] = "COMPLETED".into();
    theirs["steps"]["a"]["attempts"] = 7.into();
    theirs["steps"]["b"]["status"] = "DONE".into();
    theirs["steps"].as_object_mut().unwrap().remove("c");
    theirs["note"] = "by hand".into();
    let theirs = theirs.to_string();
    world.write(".agents/runs/r1/run_state.json", &theirs);
    let ran = world.piton(&["resume", "r1"]).exits(0);
    assert!(ran.err.contains("adopted from run_state.json: `a` is COMPLETED\n"), "{}", ran.err);
    for other in ["`steps.a.attempts`", "step `b` cannot be `DONE`", "`steps.c`", "`note`"] {
        assert!(ran.err.contains(other), "{other}: {}", ran.err);
    }
    assert!(world.path("c.done").exists(), "it goes on");
    let aside = ran.err.split_whitespace().find(|word| word.contains(".foreign-")).unwrap();
    assert_eq!(world.read(aside.trim_end_matches(';')), theirs, "as they wrote it");
    assert_eq!(steps(&world, "attempts"), json!({"a": 1, "b": 1, "c": 1}));
}

#[test]
fn a_run_whose_last_step_somebody_calls_completed_is_completed() {
    let world = world("name: w\nsteps: [{id: a, run: 'true'}, {id: b, run: 'false', needs: [a]}]\n");
    run(&world, &["--max-attempts", "1"]).exits(1);
    let file = ".agents/runs/r1/run_state.json";
    world.write(file, &world.read(file).replacen("\"FAILED\"", "\"COMPLETED\"", 1));
    let ran = world.piton(&["resume", "r1"]).exits(0);
    assert!(ran.err.contains("adopted from run_state.json: `b` is COMPLETED"), "{}", ran.err);
    assert!(ran.out.contains("done   every step is completed or skipped"), "{}", ran.out);
    assert_eq!(steps(&world, "status"), json!({"a": "COMPLETED", "b": "COMPLETED"}));
}

#[test]
fn a_run_directory_of_another_tool_is_gone_on_with() {
    let world = world(REFERENCE);
    world.shell("mkdir -p .agents/runs/r1").exits(0);
    let done = json!({"status": "COMPLETED", "attempts": 1, "iteration_count": 0, "artifacts": [], "metrics": {}, "logs": []});
    let running = json!({"status": "RUNNING", "attempts": 1, "iteration_count": 0});
    let theirs = json!({"run_id": "r1", "workflow_name": "release", "repo_dir": "/x", "steps": {"plan": done, "code": running}});
    world.write(".agents/runs/r1/run_state.json", &theirs.to_string());
    let ran = run(&world, &[]).exits(0);
    assert!(ran.err.contains("going on with what another tool left"), "{}", ran.err);
    assert!(!world.beside("count.r1.plan").exists(), "what was completed there is not done again");
    assert!(world.beside("count.r1.code").exists(), "what ran there runs no more");
}

#[test]
fn a_run_of_another_tool_is_found_by_its_steps_where_none_has_the_name() {
    let world = world(
        "name: other\nsteps: [{id: planning, run: 'touch planned'}, {id: coding, run: 'touch coded', needs: [planning]}]\n",
    );
    let left = |id: &str, name: &str, updated: &str, steps: &[&str]| {
        world.shell(&format!("mkdir -p .agents/runs/{id}")).exits(0);
        let steps: Value =
            steps.iter().map(|step| (step.to_string(), json!({"status": "COMPLETED"}))).collect();
        let state = json!({"run_id": id, "workflow_name": name, "updated_at": updated, "steps": steps});
        world.write(&format!(".agents/runs/{id}/run_state.json"), &state.to_string());
    };
    let words = ["run", "--workflow", "w.yaml", "--start-at-step", "coding"];
    left("another", "workflow", "2025-01-15T15:00:00", &["planning", "shipping"]);
    let ran = world.piton(&words).exits(2);
    assert!(ran.err.contains("was never run here"), "{}", ran.err);
    left("older", "workflow", "2025-01-15T14:00:00", &["planning", "coding"]);
    left("f8c1a491", "workflow", "2025-01-15T14:35:22.789012Z", &["coding", "planning"]);
    let ran = world.piton(&words).exits(0);
    assert!(ran.err.contains("`.agents/runs/f8c1a491`"), "{}", ran.err);
    assert!(world.path("coded").exists() && !world.path("planned").exists());
    // From now on there is one of its file.
    let ran = world.piton(&words).exits(0);
    assert!(ran.err.contains("run `f8c1a491` goes on from step `coding`"), "{}", ran.err);
}

#[test]
fn a_fork_tries_again_from_a_step_and_leaves_the_original_alone() {
    let world = world(REFERENCE);
    run(&world, &[]).exits(0);
    let before = world.read(".agents/runs/r1/run_state.json");
    world.piton(&["fork", "r1", "--step", "review", "--id", "r2"]).exits(0);
    assert_eq!(world.read(".agents/runs/r1/run_state.json"), before);
    assert!(!world.beside("count.r2.code").exists());
    assert!(world.beside("count.r2.review").exists());
}

#[test]
fn a_fork_has_a_work_tree_of_its_own_where_the_original_has_one() {
    let world = world(
        "
name: trees
steps:
  - {id: a, run: 'echo committed > c.txt && git add c.txt && git commit -qm c && echo a > a.txt'}
  - {id: b, run: 'cat a.txt c.txt >> b.txt', needs: [a]}
",
    );
    world.commit("the workflow");
    run(&world, &["--worktree"]).exits(0);
    world.piton(&["fork", "r1", "--step", "b", "--id", "r2"]).exits(0);
    let written = |tree: &str| std::fs::read_to_string(world.beside(tree).join("b.txt")).unwrap();
    assert_eq!(written("repo-r1"), "a\ncommitted\n", "the original's tree is as it was");
    assert_eq!(written("repo-r2"), "a\ncommitted\na\ncommitted\n", "the fork began with what lay there");
    assert_eq!(world.git(&["log", "--format=%s", "-1", "piton/r2"]).trim(), "c");
    // Nor does it take over what another run left.
    world.piton(&["fork", "r1", "--step", "b", "--id", "r2"]).exits(2);
}

#[test]
fn a_run_that_is_at_work_is_not_forked() {
    let world = world("name: slow\nsteps: [{id: a, run: 'touch \"$BESIDE/began\"; sleep 600'}]\n");
    run(&world, &["--detach"]).exits(0);
    eventually("the step works", || world.beside("began").exists());
    let ran = world.piton(&["fork", "r1", "--step", "a", "--id", "r2"]).exits(5);
    assert!(ran.err.contains("is at work") && ran.err.contains("piton stop r1"), "{}", ran.err);
    world.piton(&["stop", "r1", "--now"]).exits(0);
    eventually("it stops", || world.json(&["status", "r1"])["status"] == "stopped");
}

#[test]
fn what_piton_keeps_is_out_of_reach_of_git() {
    let world = world(
        "
name: tidy
steps:
  - {id: clean, run: 'git clean -fdx'}
  - {id: commit, run: 'git add -A && git commit -q --allow-empty -m all', needs: [clean]}
  - {id: stash, run: 'echo more >> a.txt && git stash -u', needs: [commit]}
",
    );
    world.commit("the workflow");
    let ran = run(&world, &[]).exits(0);
    assert!(!ran.err.contains("was not written"), "{}", ran.err);
    assert_eq!(steps(&world, "status")["stash"], "COMPLETED");
    assert_eq!(world.git(&["ls-files", ".piton"]), "");
    world.piton(&["verify"]).exits(0);
}

#[test]
fn a_step_that_deletes_the_journal_is_started_once_and_ended() {
    let world = world(
        "
name: rash
steps:
  - {id: rash, run: 'echo $$ >> $BESIDE/started; rm -rf .piton; exec sleep 600'}
",
    );
    let ran = run(&world, &[]).exits(7);
    let started = std::fs::read_to_string(world.beside("started")).unwrap();
    let [pid] = started.lines().collect::<Vec<_>>()[..] else { panic!("started: {started:?}") };
    assert!(!ran.err.contains("nothing is lost"), "{}", ran.err);
    eventually("what it started is gone", || piton_sys::process::identity(pid.parse().unwrap()).is_none());
}

#[test]
fn a_workflow_within_a_workflow_is_a_run_of_its_own() {
    let world = world(
        "name: outer\nsteps: [{id: inner, workflow: inner.yaml}, {id: after, run: 'touch after', needs: [inner]}]\n",
    );
    world.write("inner.yaml", "name: inner\nsteps: [{id: x, run: 'touch x.done'}]\n");
    run(&world, &[]).exits(0);
    assert!(world.path("x.done").exists() && world.path("after").exists());
    let runs = world.json(&["ls", "--all"]);
    assert_eq!(runs.as_array().unwrap().len(), 2, "{runs:#}");
}

#[test]
fn a_nested_workflow_is_what_it_was_when_the_run_began() {
    let world = world(
        "
name: outer
steps:
  - {id: first, run: 'until test -e \"$GATE\"; do sleep 0.02; done'}
  - {id: inner, workflow: parts/inner.yaml, needs: [first], max_attempts: 1}
",
    );
    world.shell("mkdir parts").exits(0);
    world.write("parts/inner.yaml", "name: inner\nsteps: [{id: a, run: 'echo as it was > made'}]\n");
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--detach"]).exits(0);
    world.agent_works("r1", 1);
    world.write("parts/inner.yaml", "name: inner\nsteps: [{id: a, run: 'echo changed > made'}]\n");
    let ran = world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(2);
    assert!(ran.err.contains("step `a`: work"), "{}", ran.err);
    assert!(ran.err.contains("(in `parts/inner.yaml`)"), "{}", ran.err);
    world.open_gate();
    world.piton(&["wait", "r1"]).exits(0);
    assert_eq!(world.read("made"), "as it was\n");
}

#[test]
fn an_agent_that_only_a_nested_workflow_names_is_found_too() {
    let world = world("name: outer\nsteps: [{id: inner, workflow: inner.yaml}]\n");
    world.write("inner.yaml", "name: inner\nsteps: [{id: a, agent: mine, prompt: do.md, max_attempts: 1}]\n");
    let ran = world.piton(&["run", "w.yaml"]).exits(2);
    assert!(ran.err.contains("there is no agent `mine`"), "{}", ran.err);
    world.configure("[agents.mine]\ncommand = [\"sh\", \"-c\", \"cat > got.md\"]\nprompt = \"stdin\"\n");
    world.piton(&["run", "w.yaml"]).exits(0);
    assert!(world.read("got.md").contains("Do it."));
}

#[test]
fn the_command_of_a_gate_is_run_once_although_its_driver_is_killed() {
    let world = world(
        "name: w\nsteps: [{id: a, run: 'touch done', gates: ['cmd:echo x >> ../looks; until test -e \"$GATE\"; do sleep 0.02; done']}]\n",
    );
    let looks = || std::fs::read_to_string(world.beside("looks")).unwrap_or_default().lines().count();
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--detach"]).exits(0);
    eventually("the gate is looked at", || looks() == 1);
    world.kill_driver("r1");
    world.piton(&["resume", "r1", "--detach"]).exits(0);
    world.kill_driver("r1");
    world.piton(&["resume", "r1", "--detach"]).exits(0);
    world.open_gate();
    world.piton(&["wait", "r1"]).exits(0);
    assert_eq!(looks(), 1);
    let left = world.path(".piton/attempts/r1").read_dir().unwrap().flatten();
    let left: Vec<_> = left.map(|entry| entry.file_name().into_string().unwrap()).collect();
    assert!(!left.iter().any(|name| name.starts_with("gate-")), "nothing is left of it: {left:?}");
}

#[test]
fn what_a_gate_said_while_nobody_drove_is_asked_again() {
    let world = world(
        "name: w\nsteps: [{id: a, run: 'touch done', gates: ['cmd:echo x >> ../looks; until test -e \"$GATE\"; do sleep 0.02; done']}]\n",
    );
    let looks = || std::fs::read_to_string(world.beside("looks")).unwrap_or_default().lines().count();
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--detach"]).exits(0);
    eventually("the gate is looked at", || looks() == 1);
    world.kill_driver("r1");
    world.open_gate();
    eventually("it has said what it says", || {
        let attempts = world.path(".piton/attempts/r1").read_dir().unwrap().flatten();
        attempts.into_iter().any(|entry| entry.path().join("exit.json").exists())
    });
    // Anybody could have written that meanwhile.
    world.piton(&["resume", "r1"]).exits(0);
    assert_eq!(looks(), 2);
}
