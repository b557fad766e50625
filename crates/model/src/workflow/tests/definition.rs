//! What is wrong with a definition, all at once; and its digest.

use serde_json::json;

use super::harness::*;
use crate::workflow::*;

/// The problems, as `step.field[entry]: message (hint)`.
fn problems(steps: Vec<Step>) -> Vec<String> {
    let text = |problem: Problem| {
        let step = problem.step.map(|step| format!("{step}.")).unwrap_or_default();
        let entry = problem.entry.map(|entry| format!("[{entry}]")).unwrap_or_default();
        let hint = problem.hint.unwrap_or_default();
        format!("{step}{}{entry}: {} ({hint})", problem.field, problem.message)
    };
    validate(&definition(steps)).into_iter().map(text).collect()
}

#[test]
fn a_sound_definition_has_no_problem() {
    let steps = vec![
        step("plan", &[]),
        by_hand(back_to("plan", step("review", &["plan"]))),
        when("review.status == COMPLETED", step("ship", &["review"])),
        repeated(Items::FromStep("plan".into()), step("stories", &["plan"])),
    ];
    assert_eq!(problems(steps), Vec::<String>::new());
}

#[test]
fn every_problem_is_reported_at_once() {
    let mut looped = repeated(Items::FromStep("planning".into()), step("stories", &[]));
    looped.collection.as_mut().unwrap().sources.push(Items::FromArtifact("../x".to_owned()));
    looped.collection.as_mut().unwrap().max_iterations = Some(0);
    let steps = vec![
        step("planning", &[]),
        step("coding", &["plannning"]),
        step("coding", &[]),
        step("Coding", &[]),
        step("../etc", &["planning", "planning"]),
        back_to("nowhere", step("review", &["review"])),
        looped,
        Step { work: Work::Agent { agent: " ".to_owned(), prompt: String::new() }, ..step("empty", &[]) },
        when("planning.status == DONE", step("late", &[])),
        when("status == COMPLETED", step("itself", &[])),
        Step { max_attempts: Some(0), timeout_ms: Some(u64::MAX), ..step("numbers", &[]) },
        Step { on_reject: Some(OnReject::LoopBack), ..step("reject", &[]) },
    ];
    let found = problems(steps);
    let expected = [
        "2.id: step `coding` is there twice; the first is step 2 of the list (give it a name of its own)",
        "3.id: step `Coding` differs from step 2 only in case (give it a name of its own)",
        "4.id: `../etc` cannot name a step (use 1 to 64 letters, digits, `-` or `_`, starting with a letter or digit)",
        "1.needs[0]: there is no step `plannning` (did you mean `planning`?)",
        "4.needs[1]: `planning` is named twice (name it once)",
        "5.needs[0]: a step cannot wait for itself (remove it)",
        "5.loop_back_to: there is no step `nowhere` (add it, or remove the name)",
        "6.loop: a loop has exactly one source of items, this one has 2 (keep one of `items`, `items_from_step` and `items_from_artifact`)",
        "6.items_from_step: `planning` is not among the `needs` of this step (add `planning` to `needs`)",
        "6.items_from_artifact: the path leads out of the repository (name a file of the repository, by its path from the root)",
        "6.loop.max_iterations: `max_iterations` is outside of 1 to 1000 (use a number in that range)",
        "7.agent: `agent` is empty (say what it is)",
        "7.prompt: `prompt` is empty (say what it is)",
        "8.when: what became of `planning` is not known by then (add `planning` to `needs`)",
        "8.when: `DONE` is none of PENDING, RUNNING, WAITING_ON_HUMAN, COMPLETED, FAILED, SKIPPED ()",
        "9.when: a step cannot be asked about before it ran (name the step that is meant: `STEP.status == COMPLETED`)",
        "10.timeout: `timeout` is outside of 1 to 31622400000 (use a number in that range)",
        "10.max_attempts: `max_attempts` is outside of 1 to 1000 (use a number in that range)",
        "11.on_reject: there is nowhere to go back to (add `loop_back_to`)",
        "11.on_reject: nobody is asked, so nobody can say no (add `human_in_the_loop: true`)",
    ];
    let mut found_sorted = found.clone();
    let mut expected_sorted: Vec<String> = expected.iter().map(|text| (*text).to_owned()).collect();
    found_sorted.sort();
    expected_sorted.sort();
    assert_eq!(found_sorted, expected_sorted);
}

#[test]
fn a_cycle_is_a_problem_that_names_its_steps() {
    let steps = vec![step("a", &["c"]), step("b", &["a"]), step("c", &["b"])];
    let expected = "0.needs[0]: these steps wait for each other: a → c → b → a (remove one of these `needs`)";
    assert_eq!(problems(steps), [expected]);
}

#[test]
fn going_back_to_a_step_that_waits_for_this_one_is_refused() {
    let steps = vec![back_to("b", step("a", &[])), step("b", &["a"])];
    assert!(problems(steps)[0].contains("would never end"));
}

#[test]
fn two_needs_that_export_under_the_same_name_are_refused() {
    let steps = vec![step("a-b", &[]), step("a_b", &[]), step("c", &["a-b", "a_b"])];
    assert!(problems(steps)[0].contains("would both export `DEP_A_B_…`"));
}

#[test]
fn a_workflow_without_steps_is_refused() {
    assert_eq!(problems(vec![]), ["steps: a workflow needs at least one step (add one under `steps:`)"]);
}

#[test]
fn a_gate_that_is_nearly_one_of_ours_is_refused_with_what_was_meant() {
    let said =
        |gate: &str| problems(vec![Step { gates: vec![Gate::from(gate.to_owned())], ..step("a", &[]) }]);
    for (slip, meant) in [
        ("guard-claen", "guard-clean"),
        ("Guard_Clean", "guard-clean"),
        ("gaps_fresh", "gaps-fresh"),
        ("gap-fresh:api.yaml", "gaps-fresh:FILE"),
        ("cdm:make lint", "cmd:COMMAND"),
        ("cmd make lint", "cmd:COMMAND"),
        ("cmd", "cmd:COMMAND"),
    ] {
        let found = said(slip);
        let expected = format!("`{slip}` is too close to `{meant}` to name a gate");
        assert!(matches!(&found[..], [one] if one.contains(&expected)), "{slip}: {found:?}");
    }
    for gate in ["security", "window", "ci", "env:prod", "CMO approval", "guard-clean", "gaps-fresh:a.yaml"] {
        assert!(said(gate).is_empty(), "{gate}: {:?}", said(gate));
    }
    let when = Some(Condition::parse("gates.'guard-claen'").unwrap());
    assert!(problems(vec![Step { when, ..step("a", &[]) }])[0].contains("did you mean `guard-clean`?"));
}

#[test]
fn ten_thousand_wrong_names_are_reported_in_bounds() {
    let steps = (0..10_000).map(|n| step(&format!("s{n}"), &["nobody", "noone"])).collect();
    let found = problems(steps);
    assert_eq!(found.len(), limits::PROBLEMS_MAX);
}

#[test]
fn the_digest_changes_with_the_content_and_with_nothing_else() {
    let base = definition(vec![step("a", &[]), step("b", &["a"])]);
    assert_eq!(base.digest(), base.clone().digest());
    assert_eq!(base.digest().len(), 64);
    let mut other = base.clone();
    other.steps[1].needs.clear();
    assert_ne!(base.digest(), other.digest());
    let mut left = base.clone();
    left.steps[0].metadata = json!({"b": 1, "a": 2}).as_object().cloned().unwrap();
    let mut right = base;
    right.steps[0].metadata = json!({"a": 2, "b": 1}).as_object().cloned().unwrap();
    assert_eq!(left.digest(), right.digest(), "the order of keys says nothing");
}

#[test]
fn a_definition_reads_back_as_it_was_written() {
    let mut one = by_hand(back_to("plan", step("review", &["plan"])));
    one.gates = vec![
        Gate::Command("make lint".to_owned()),
        Gate::Gaps(None),
        Gate::Gaps(Some("g.yaml".to_owned())),
        Gate::Guard,
    ];
    one.when = Some(Condition::parse("plan.status == COMPLETED").unwrap());
    one.collection = repeated(Items::Given(vec![json!({"id": 1})]), step("x", &[])).collection;
    one.timeout_ms = Some(5);
    let whole = definition(vec![
        step("plan", &[]),
        one,
        Step::new("run", Work::Run { command: "ls".to_owned(), agent: None }),
    ]);
    let bytes = serde_json::to_vec(&whole).unwrap();
    let again: Definition = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(again, whole);
    assert_eq!(again.digest(), whole.digest());
}

#[test]
fn a_bad_order_is_refused() {
    let order = |options| Order {
        run: run(),
        definition: definition(vec![step("a", &[])]),
        options,
        inherited: None,
    };
    for options in [
        Options { max_attempts: 0, ..Options::default() },
        Options { max_iterations: 0, ..Options::default() },
        Options { max_parallel: 33, ..Options::default() },
        Options { env: json!({"A=B": "x"}).as_object().cloned().unwrap(), ..Options::default() },
    ] {
        assert!(matches!(create(order(options)), Err(Rejection::BadConfig(_))));
    }
    assert!(create(order(Options::default())).is_ok());
}
