//! The document: every field, every problem, every line.

use std::path::Path;

use piton_files::workflow::{Unusable, load, read, resolve_prompt};
use piton_model::workflow::*;
use serde_json::json;

use crate::support::Shelf;

const WHOLE: &str = r#"
name: release
description: Plan, build, look, ship.
max_parallel: 2
steps:
  - id: plan
    agent: planner
    prompt: prompts/plan.md
    model: opus
    metadata: {team: core, size: 3, weights: [1, 2.5]}
    next_on_success: [build]
  - id: build
    agent: coder
    prompt: prompts/build.md
    needs: [plan]
    loop:
      items_from_step: plan
      max_iterations: 5
      until_condition: metrics.left == 0
      item_var: story
    timeout: 30m
    max_attempts: 3
    backoff: 10s
  - id: lint
    run: make lint
    needs: [build]
    loop_back_to: build
  - id: look
    agent: reviewer
    prompt: prompts/look.md
    needs: [lint]
    human_in_the_loop: yes
    on_reject: fail
    gates: [security, "cmd:make audit", gaps-fresh, guard-clean]
    when: build.status == COMPLETED
  - id: ship
    workflow: ship.yaml
    needs: [look]
"#;

#[track_caller]
fn problems(text: &str) -> Vec<String> {
    let problems = read("w.yaml", text.as_bytes()).expect_err("the document is not sound");
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn every_field_is_read() {
    let (whole, _) = read("w.yaml", WHOLE.as_bytes()).unwrap();
    assert_eq!((whole.name.as_str(), whole.max_parallel), ("release", Some(2)));
    let [plan, build, lint, look, ship] = &whole.steps[..] else { panic!("five steps") };
    assert_eq!(plan.work, Work::Agent { agent: "planner".to_owned(), prompt: "prompts/plan.md".to_owned() });
    assert_eq!(plan.model.as_deref(), Some("opus"));
    assert_eq!(
        serde_json::Value::Object(plan.metadata.clone()),
        json!({"team": "core", "size": 3, "weights": [1, 2.5]})
    );
    assert_eq!(plan.next_on_success, ["build".into()]);
    assert_eq!(build.needs, ["plan".into()]);
    let collection = build.collection.as_ref().unwrap();
    assert_eq!(collection.sources, [Items::FromStep("plan".into())]);
    assert_eq!(collection.max_iterations, Some(5));
    assert_eq!(collection.until_condition.as_ref().unwrap().as_str(), "metrics.left == 0");
    assert_eq!((collection.item_var.as_str(), collection.index_var.as_str()), ("story", "index"));
    assert_eq!(
        (build.timeout_ms, build.max_attempts, build.backoff_ms),
        (Some(1_800_000), Some(3), Some(10_000))
    );
    assert_eq!(lint.work, Work::Run { command: "make lint".to_owned(), agent: None });
    assert_eq!(lint.loop_back_to, Some("build".into()));
    assert!(look.human_in_the_loop);
    assert_eq!(look.on_reject, Some(OnReject::Fail));
    let gates = [
        Gate::Named("security".to_owned()),
        Gate::Command("make audit".to_owned()),
        Gate::Gaps(None),
        Gate::Guard,
    ];
    assert_eq!(look.gates, gates);
    assert_eq!(look.when.as_ref().unwrap().as_str(), "build.status == COMPLETED");
    assert_eq!(ship.work, Work::Workflow { path: "ship.yaml".to_owned() });
}

#[test]
fn what_the_format_leaves_out_has_its_default() {
    let (small, _) = read("w.yaml", b"steps:\n- {id: a, agent: x, prompt: p.md}\n").unwrap();
    assert_eq!((small.name.as_str(), small.description.as_str()), ("unnamed", ""));
    assert_eq!(
        small.steps[0],
        Step::new("a", Work::Agent { agent: "x".to_owned(), prompt: "p.md".to_owned() })
    );
}

#[test]
fn looks_do_not_change_the_digest() {
    let block = "name: n\nsteps:\n  - id: a\n    agent: x   # who\n    prompt: p.md\n    metadata:\n      b: 1\n      a: 2\n";
    let flow = "steps: [{prompt: 'p.md', metadata: {a: 2, b: 1}, agent: x, id: \"a\"}]\nname: n\n";
    let digest = |text: &str| read("w.yaml", text.as_bytes()).unwrap().0.digest();
    assert_eq!(digest(block), digest(flow));
    assert_ne!(digest(block), digest(&block.replace("p.md", "q.md")));
}

#[test]
fn every_problem_is_reported_at_once_with_its_line_and_what_to_do() {
    let text = r#"name: broken
colour: red
steps:
  - id: planning
    agent: planner
    prompt: plan.md
  - id: coding
    agent: coder
    promt: code.md
    needs: [plannning]
  - id: coding
    agent: coder
    prompt: code.md
    needs:
      - planning
      - testing
    loop_back_to: nowhere
  - agent: x
    prompt: y.md
  - id: no
    run: make
    timeout: soon
    max_attempts: many
  - id: look
    agent: a
    prompt: b.md
    human_in_the_loop: maybe
    when: planning.status = DONE
    loop: {items: [1], items_from_step: planning, max_iterations: 0}
  - just text
"#;
    let expected = [
        "w.yaml:2: a workflow has no field `colour`\n  hint: remove it",
        "w.yaml:7: a step with an `agent` needs a `prompt`\n  hint: add `agent` and `prompt`, or `run`, or `workflow`",
        "w.yaml:9: a step has no field `promt`\n  hint: did you mean `prompt`?",
        "w.yaml:10: there is no step `plannning`\n  hint: did you mean `planning`?",
        "w.yaml:11: step `coding` is there twice; the first is step 2 of the list\n  hint: give it a name of its own",
        "w.yaml:16: there is no step `testing`\n  hint: add it, or remove the name",
        "w.yaml:17: there is no step `nowhere`\n  hint: add it, or remove the name",
        "w.yaml:18: a step needs an `id`\n  hint: add `id: NAME`",
        "w.yaml:20: `id: no` is true or false to many readers, not text\n  hint: write `\"no\"`",
        "w.yaml:22: `timeout` is not a duration\n  hint: write `timeout: 90s`, `30m` or `2h`",
        "w.yaml:23: `max_attempts` is not a whole number\n  hint: write `max_attempts: 3`",
        "w.yaml:27: `human_in_the_loop` is neither true nor false\n  hint: use `true` or `false`",
        "w.yaml:28: `when`: expected `==` or `!=` at character 17\n  hint: for example `review.status == COMPLETED and tests.metrics.coverage >= 80`",
        "w.yaml:29: a loop has exactly one source of items, this one has 2\n  hint: keep one of `items`, `items_from_step` and `items_from_artifact`",
        "w.yaml:29: `planning` is not among the `needs` of this step\n  hint: add `planning` to `needs`",
        "w.yaml:29: `max_iterations` is outside of 1 to 1000\n  hint: use a number in that range",
        "w.yaml:30: a step is a single value, not a mapping\n  hint: write `name: value` lines",
    ];
    assert_eq!(problems(text), expected);
}

#[test]
fn a_cycle_is_reported_where_it_can_be_cut() {
    let text = "steps:\n- {id: a, run: x, needs: [c]}\n- {id: b, run: x, needs: [a]}\n- {id: c, run: x, needs: [b]}\n";
    let expected =
        "w.yaml:2: these steps wait for each other: a → c → b → a\n  hint: remove one of these `needs`";
    assert_eq!(problems(text), [expected]);
}

#[test]
fn a_step_does_one_thing() {
    let text = "steps:\n- id: a\n  run: x\n  agent: y\n  prompt: z\n";
    assert!(problems(text)[0].contains("has one of `prompt`, `run` and `workflow`"));
}

#[test]
fn an_alias_is_written_out() {
    let text = "steps:\n- &a {id: a, agent: x, prompt: &p p.md, metadata: &m {k: v}}\n- {id: b, agent: x, prompt: *p, metadata: *m}\n";
    let (read, _) = read("w.yaml", text.as_bytes()).unwrap();
    assert_eq!(read.steps[1].work, read.steps[0].work);
    assert_eq!(read.steps[1].metadata, read.steps[0].metadata);
}

#[test]
fn prompts_are_found_in_the_order_of_the_format() {
    let shelf = Shelf::default()
        .with("/abs/p.md", "")
        .with("/repo/.agents/prompts/p.md", "")
        .with("/repo/flows/p.md", "")
        .with("/repo/p.md", "");
    let at = |prompt: &str, shelf: &Shelf| {
        resolve_prompt(prompt, Path::new("/repo/flows/w.yaml"), Path::new("/repo"), shelf)
    };
    assert_eq!(at("/abs/p.md", &shelf).unwrap(), Path::new("/abs/p.md"));
    assert_eq!(at("p.md", &shelf).unwrap(), Path::new("/repo/.agents/prompts/p.md"));
    let mut shelf = shelf;
    shelf.0.remove(Path::new("/repo/.agents/prompts/p.md"));
    assert_eq!(at("p.md", &shelf).unwrap(), Path::new("/repo/flows/p.md"));
    shelf.0.remove(Path::new("/repo/flows/p.md"));
    assert_eq!(at("p.md", &shelf).unwrap(), Path::new("/repo/p.md"));
    shelf.0.remove(Path::new("/repo/p.md"));
    assert!(matches!(at("p.md", &shelf), Err(Unusable::Absent(tried)) if tried.len() == 3));
    let shelf = shelf.with("/repo/flows/../../p.md", "").with("/repo/flows/../p.md", "");
    assert_eq!(at("../../p.md", &shelf).unwrap_err(), Unusable::Outside("/repo/flows/../../p.md".into()));
    assert_eq!(at("../p.md", &shelf).unwrap(), Path::new("/repo/flows/../p.md"));
}

#[test]
fn a_missing_prompt_is_found_before_anything_runs() {
    let text = "steps:\n- id: a\n  agent: x\n  prompt: p.md\n- id: b\n  workflow: other.yaml\n";
    let shelf = Shelf::default().with("/repo/w.yaml", text);
    let problems = load(Path::new("/repo/w.yaml"), Path::new("/repo"), &shelf).unwrap_err();
    let shown: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let hint = "write it to one of `/repo/.agents/prompts/p.md`, `/repo/p.md`";
    assert_eq!(shown[0], format!("/repo/w.yaml:4: there is no prompt `p.md`\n  hint: {hint}"));
    assert!(shown[1].starts_with("/repo/w.yaml:6: there is no workflow `other.yaml`"));
}

#[test]
fn a_workflow_that_would_run_itself_is_refused() {
    let one = "steps:\n- {id: a, workflow: two.yaml}\n";
    let two = "steps:\n- {id: b, workflow: ./one.yaml}\n";
    let shelf = Shelf::default()
        .with("/repo/one.yaml", one)
        .with("/repo/two.yaml", two)
        .with("/repo/./one.yaml", one);
    let problems = load(Path::new("/repo/one.yaml"), Path::new("/repo"), &shelf).unwrap_err();
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].file.as_deref(), Some("/repo/two.yaml"));
    assert_eq!(problems[0].message, "`./one.yaml` would run itself");
}

#[test]
fn a_sound_workflow_names_its_prompts_and_what_it_runs() {
    let text = "steps:\n- {id: a, agent: x, prompt: p.md}\n- {id: b, workflow: other.yaml, needs: [a]}\n";
    let shelf = Shelf::default()
        .with("/repo/w.yaml", text)
        .with("/repo/p.md", "")
        .with("/repo/other.yaml", "steps:\n- {id: c, run: make}\n");
    let loaded = load(Path::new("/repo/w.yaml"), Path::new("/repo"), &shelf).unwrap();
    assert_eq!(loaded.prompts, [Some("/repo/p.md".into()), None]);
    assert_eq!(loaded.nested, [Path::new("/repo/other.yaml")]);
    assert_eq!(loaded.digest, loaded.definition.digest());
}
