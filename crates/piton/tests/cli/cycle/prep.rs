//! The prep package through the real binary: what it brings, what it cannot do, and what is said of one that does not count.

use serde_json::{Value, json};

use super::{count, start, state, world};
use crate::common::World;

const PLACE: &str = ".workflow/.cycle/prep-package.json";
const REFINED: &str = "OBJECTIVE: log in with Google | SUCCESS_CRITERIA: a login works";

/// A package of this repository, made just now.
fn package(world: &World) -> Value {
    let now = world.shell("date -u +%Y-%m-%dT%H:%M:%SZ").out.trim().to_owned();
    json!({
        "version": "1.0.0", "generated_at": now, "prep_status": "ready",
        "environment": { "project_root": world.shell("pwd").out.trim() },
        "task": {
            "original": "Implement OAuth", "refined": REFINED, "quality_score": 9,
            "source_refs": [
                { "path": "docs/prd.md", "type": "local_file", "status": "verified" },
                { "path": "/etc/passwd", "type": "local_file", "status": "verified" },
                { "path": "../other/secret", "type": "auto_detected", "status": "verified" },
                { "path": "https://example.com/42", "type": "url", "status": "linked" }
            ]
        },
        "auto_iteration": {
            "enabled": true, "no_confirmation": true, "max_iterations": 4, "timeout_per_iteration_ms": 600_000,
            "convergence": { "test_pass_rate": 90, "coverage": 80, "max_critical_bugs": 0, "max_open_issues": 3 },
            "phase_gates": {
                "zero_to_one": {
                    "iterations": [1, 2],
                    "exit_criteria": { "code_compiles": true, "core_test_passes": true, "min_requirements_implemented": 0 }
                },
                "one_to_hundred": {
                    "iterations": [3, 4],
                    "exit_criteria": { "test_pass_rate": 90, "coverage": 80, "critical_bugs": 0 }
                }
            },
            "agent_focus": { "zero_to_one": { "cd": "the login button first" } }
        }
    })
}

fn put(world: &World, package: &Value) {
    std::fs::create_dir_all(world.path(".workflow/.cycle")).unwrap();
    world.write(PLACE, &package.to_string());
}

fn shown(world: &World) -> Value {
    serde_json::from_str(&world.piton(&["cycle", "show", "c1", "--json"]).exits(0).out).unwrap()
}

#[test]
fn a_package_that_counts_is_followed_and_on_record() {
    let world = world();
    put(&world, &package(&world));
    world.write("do.cd", "cp prompt.cd count.prompt.$PITON_ITERATION\n");
    let ran = start(&world, 1, &[]).exits(0);
    assert!(ran.err.contains("the prep package `.workflow/.cycle/prep-package.json` counts"), "{}", ran.err);
    assert!(ran.err.contains("no check measures one"), "{}", ran.err);
    assert!(ran.out.contains("up to 4 iterations"), "{}", ran.out);
    assert!(ran.out.contains("#1  v1.0.0  zero_to_one"), "{}", ran.out);
    assert!(ran.out.contains("#1  zero_to_one is passed, and everybody goes on"), "{}", ran.out);
    assert!(ran.out.contains("#2  v1.1.0  one_to_hundred"), "{}", ran.out);
    assert_eq!([count(&world, "ra"), count(&world, "vas")], [2, 2], "what only works is done in full");
    let found = state(&world);
    assert_eq!((&found["description"], &found["max_iterations"]), (&json!(REFINED), &json!(4)));
    for key in ["convergence", "phase_gates", "agent_focus", "source_refs", "prep"] {
        assert!(found.get(key).is_none(), "the state file has no place for `{key}`");
    }
    let first = world.read("count.prompt.1");
    assert!(
        first.contains("gate `zero_to_one`") && first.contains("Your focus: the login button first"),
        "{first}"
    );
    let second = world.read("count.prompt.2");
    assert!(second.contains("`complete_implementation_with_error_handling`"), "{second}");
    assert!(second.contains("comes from: docs/prd.md, https://example.com/42"), "{second}");
    assert!(!second.contains("/etc/passwd") && !second.contains("secret"), "{second}");

    let view = shown(&world);
    assert_eq!(view["convergence"]["coverage"], 80.0, "{view}");
    assert_eq!(view["phase_gates"]["zero_to_one"]["iterations"], json!([1, 2]));
    assert_eq!(view["agent_focus"]["zero_to_one"]["ra"], "core_requirements_only");
    assert_eq!(view["source_refs"].as_array().unwrap().len(), 2);
    assert_eq!(view["iterations"][0]["gate"]["passed"], true);
    assert_eq!(view["iterations"][1]["gate"]["gate"], "one_to_hundred");
    let screen = world.piton(&["cycle", "show", "c1"]).exits(0).out;
    assert!(
        screen
            .contains("gate    one_to_hundred passed: test_pass_rate 100 for 90 ✓, coverage for 80 (nobody"),
        "{screen}"
    );

    // A later edit of the file changes nothing.
    let mut other = package(&world);
    other["auto_iteration"]["convergence"]["coverage"] = json!(1);
    put(&world, &other);
    world.piton(&["cycle", "extend", "c1", "more"]).exits(0);
    assert_eq!(shown(&world)["convergence"]["coverage"], 80.0);
}

#[test]
fn without_a_package_nothing_of_it_is_there() {
    let world = world();
    put(&world, &package(&world));
    start(&world, 1, &["--no-prep"]).exits(0);
    assert_eq!(count(&world, "ra"), 1);
    let view = shown(&world);
    assert!(
        view.get("prep").is_none() && view["convergence"].is_null() && view["source_refs"].is_null(),
        "{view}"
    );
    assert_eq!(state(&world)["description"], "Implement OAuth");
}

#[test]
fn a_package_that_does_not_count_is_ignored_with_its_reason() {
    let world = world();
    let cases: [(&str, Value, &str); 6] = [
        ("/prep_status", json!("blocked"), "ready: `prep_status` is `blocked`"),
        ("/environment/project_root", json!("/"), "project_root: it is of `/`"),
        ("/task/quality_score", json!(5), "quality: `quality_score` is 5"),
        ("/generated_at", json!("2020-01-01T00:00:00+08:00"), "age: it was made at 2019-12-31"),
        ("/task/refined", json!(""), "fields: it has no `task.refined`"),
        ("/auto_iteration/convergence/coverage", json!(0), "convergence: `coverage` is 0"),
    ];
    for (place, (pointer, value, why)) in cases.into_iter().enumerate() {
        let mut package = package(&world);
        *package.pointer_mut(pointer).unwrap() = value;
        put(&world, &package);
        let id = format!("p{place}");
        let words = [
            "cycle",
            "start",
            "Implement OAuth",
            "--id",
            &id,
            "--exec",
            "sh agent.sh",
            "--check",
            "test=true",
        ];
        let ran = world.piton(&words).exits(0);
        let warning = format!("warning: the prep package `{PLACE}` is ignored; {why}");
        assert!(ran.err.contains(&warning), "{}", ran.err);
        assert!(ran.out.contains("up to 5 iterations") && !ran.out.contains("zero_to_one"), "{}", ran.out);
        let screen = world.piton(&["cycle", "show", &id]).exits(0).out;
        assert!(screen.contains(&format!("prep    {PLACE} is ignored; {why}")), "{screen}");
    }
}

#[test]
fn what_cannot_be_read_is_no_package() {
    let world = world();
    std::fs::create_dir_all(world.path(".workflow/.cycle")).unwrap();
    world.write("count.real", &package(&world).to_string());
    std::os::unix::fs::symlink(world.path("count.real"), world.path(PLACE)).unwrap();
    let ran = start(&world, 1, &[]).exits(0);
    assert!(ran.err.contains("is ignored; readable: it cannot be read"), "{}", ran.err);
    std::fs::remove_file(world.path(PLACE)).unwrap();
    world.write("count.torn", "{\"prep_status\": \"rea");
    let words = ["cycle", "start", "x", "--id", "c2", "--exec", "sh agent.sh", "--check", "test=true"];
    let ran = world.piton(&[&words[..], &["--prep", "count.torn"]].concat()).exits(0);
    assert!(ran.err.contains("`count.torn` is ignored; readable: it is no JSON"), "{}", ran.err);
    let words = ["cycle", "start", "x", "--id", "c3", "--exec", "sh agent.sh", "--check", "test=true"];
    let ran = world.piton(&[&words[..], &["--prep", "count.nothing"]].concat()).exits(2);
    assert!(ran.err.contains("there is no file `count.nothing`"), "{}", ran.err);
    let words = ["cycle", "start", "x", "--id", "prep-package", "--exec", "true", "--check", "test=true"];
    assert!(world.piton(&words).exits(2).err.contains("cannot be called"));
}

#[test]
fn a_package_raises_nothing_and_flags_go_over_it() {
    let world = world();
    let mut greedy = package(&world);
    greedy["auto_iteration"]["max_iterations"] = json!(1_000);
    greedy["auto_iteration"]["timeout_per_iteration_ms"] = json!(u64::MAX);
    world.write("greedy.json", &greedy.to_string());
    let ran = start(&world, 1, &["--prep", "greedy.json", "--description", "as I say"]).exits(0);
    assert!(ran.out.contains("up to 5 iterations"), "{}", ran.out);
    assert!(ran.err.contains("it asks for 1000 iterations, and 5 are the most"), "{}", ran.err);
    assert_eq!(state(&world)["description"], "as I say");
    let words = ["cycle", "start", "Paint it", "--id", "c2", "--exec", "sh agent.sh", "--check", "test=true"];
    let ran =
        world.piton(&[&words[..], &["--prep", "greedy.json", "--max-iterations", "1"]].concat()).exits(0);
    assert!(ran.out.contains("up to 1 iteration"), "{}", ran.out);
    assert!(ran.out.contains("#1  v1.0.0  one_to_hundred"), "the last one there may be: {}", ran.out);
    assert!(ran.err.contains("it was made for another task"), "{}", ran.err);
}

#[test]
fn a_package_that_wants_confirmation_gets_it_unless_somebody_says_otherwise() {
    let world = world();
    let mut asks = package(&world);
    asks["auto_iteration"]["no_confirmation"] = json!(false);
    put(&world, &asks);
    start(&world, 1, &[]).exits(4);
    assert_eq!(state(&world)["current_iteration"], 1);
    // Whoever starts the same again goes on with it as it began, whatever lies there now.
    world.write(PLACE, "{}");
    let ran = start(&world, 1, &[]).exits(0);
    assert!(ran.err.contains("exists and is unfinished") && !ran.err.contains("ignored"), "{}", ran.err);
    put(&world, &asks);
    let words =
        ["cycle", "start", "x", "--id", "c2", "--auto", "--exec", "sh agent.sh", "--check", "test=true"];
    world.piton(&words).exits(0);
}

#[test]
fn coverage_under_its_target_goes_on_though_the_checks_are_green() {
    let world = world();
    world.write(".gitignore", &format!("{}lcov.info\npiton.toml\ncoverage.sh\n", super::IGNORED));
    world.write(
        "coverage.sh",
        "n=$(wc -l < code.txt); { echo SF:code.txt; echo DA:1,1; test $n -ge 3 && echo DA:2,1 || echo DA:2,0; echo end_of_record; } > lcov.info\n",
    );
    world.configure(
        "[checks]\ncoverage = { command = 'sh coverage.sh', format = 'lcov', path = 'lcov.info' }\n",
    );
    let mut strict = package(&world);
    strict["auto_iteration"]["phase_gates"]["zero_to_one"]["iterations"] = json!([]);
    put(&world, &strict);
    let ran = start(&world, 1, &[]).exits(0);
    assert!(ran.out.contains("#1  one_to_hundred: coverage: 50 %, at least 80 %"), "{}", ran.out);
    assert!(!ran.err.contains("no check measures"), "{}", ran.err);
    assert_eq!(state(&world)["current_iteration"], 3);
    assert_eq!([count(&world, "ra"), count(&world, "cd")], [1, 3], "who develops hears of it");
    assert!(world.read("prompt.cd").contains("coverage: 50 %, at least 80 %"));
}

#[test]
fn a_package_does_not_complete_a_cycle_with_a_red_check() {
    let world = world();
    let mut lax = package(&world);
    lax["auto_iteration"]["convergence"] =
        json!({ "test_pass_rate": 1, "coverage": 1, "max_critical_bugs": 99, "max_open_issues": 99 });
    lax["auto_iteration"]["max_iterations"] = json!(2);
    put(&world, &lax);
    let ran = start(&world, 99, &["--check", "fine=true"]).exits(3);
    assert!(ran.out.contains("failed   2 of 2 iterations are used"), "{}", ran.out);
    assert_eq!(state(&world)["status"], "failed");
}
