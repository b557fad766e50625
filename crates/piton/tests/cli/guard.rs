//! `piton guard`: two trees of a real repository, and what tests lost between them.

use serde_json::{Value, json};

use super::common::World;

const TEST: &str = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n    assert add(2, 2) == 4\n\n\ndef test_zero():\n    assert add(0, 0) == 0\n";

/// A repository with a tested function, on a branch of its own.
fn tested() -> World {
    let world = World::new();
    world.write("calc.py", "def add(a, b):\n    return a + b\n");
    world.write("test_calc.py", TEST);
    world.commit("calc");
    world.git(&["switch", "-q", "-c", "work"]);
    world
}

#[test]
fn nothing_changed_is_ok() {
    let ran = tested().piton(&["guard"]).exits(0);
    let first = ran.out.lines().next().unwrap();
    assert!(first.starts_with("tests 2 → 2 · assertions 3 → 3 · 0 files changed since "), "{first}");
    assert!(ran.out.ends_with("ok: nothing makes the tests prove less\n"), "{}", ran.out);
}

#[test]
fn a_weaker_test_blocks_and_says_what_to_do() {
    let world = tested();
    world.write("test_calc.py", &TEST.replace("assert add(2, 2) == 4", "assert True"));
    let ran = world.piton(&["guard"]).exits(1);
    let findings = ran.out.split_once('\n').unwrap().1.trim();
    let stable = findings.replace(&id(&world), "FINDING");
    insta::assert_snapshot!(stable, @r#"
    blocking
      test_calc.py:6  an assertion of test `test_add` was replaced by one that cannot fail
          - assert add(2, 2) == 4
          + assert True
        rule   assertion-tautology (critical)
        undo   restore the assertion and fix the code
        allow  piton guard allow FINDING --reason "…"

    blocked: 1 finding makes the tests prove less
    "#);
}

#[test]
fn a_test_that_is_declared_by_another_name_and_gone_blocks() {
    let test = |name: &str, import: &str| {
        format!(
            "{import}\nconst assert = require(\"node:assert\");\n\n{name}(\"one\", () => assert.equal(1 + 2, 3));\n"
        )
    };
    for import in ["const t = require(\"node:test\");", "const { test: t } = require(\"node:test\");"] {
        let world = World::new();
        world.write("test/one.test.js", &test("t", import));
        world.commit("tested");
        world.git(&["switch", "-q", "-c", "work"]);
        world.write("test/one.test.js", &format!("{import}\nconst assert = require(\"node:assert\");\n"));
        let ran = world.piton(&["guard"]).exits(1);
        assert!(ran.out.starts_with("tests 1 → 0"), "{}", ran.out);
        assert!(ran.out.contains("test `one` is gone"), "{}", ran.out);
        // Another name for the same is no change of the test.
        world.write("test/one.test.js", &test("test", "const test = require(\"node:test\");"));
        let ran = world.piton(&["guard"]).exits(0);
        assert!(ran.out.starts_with("tests 1 → 1") && ran.out.contains("ok: nothing"), "{}", ran.out);
    }
}

fn report(world: &World, arguments: &[&str]) -> Value {
    let ran = world.piton(&[&["guard"], arguments, &["--json"]].concat());
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

fn id(world: &World) -> String {
    report(world, &[])["findings"][0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn commits_are_compared_from_where_they_parted() {
    let world = tested();
    world.write("test_calc.py", "from calc import add\n\n\ndef test_zero():\n    assert add(0, 0) == 0\n");
    world.git(&["commit", "-q", "-a", "-m", "less"]);
    // What happened on main since is not this branch's doing.
    world.git(&["switch", "-q", "main"]);
    world.write("other.py", "x = 1\n");
    world.commit("other");
    let found = report(&world, &["main..work"]);
    assert_eq!(found["blocking"], json!(true));
    assert_eq!(found["findings"][0]["rule"], json!("test-deleted"));
    assert_eq!(found["findings"][0]["regression_type"], json!("test_deletion"));
    assert_eq!(found["tests"], json!({"before": 2, "after": 1, "added": 0, "removed": 1, "skipped": 0}));
    assert_eq!(found["files_changed"], json!(1));
    assert_eq!(found["head"], json!(world.git(&["rev-parse", "work"]).trim()));
}

#[test]
fn untracked_files_count_and_ignored_ones_do_not() {
    let world = tested();
    world.write("test_new.py", "def test_new():\n    assert add(1, 1) == 2\n");
    world.write(".gitignore", "test_ignored.py\n");
    world.write("test_ignored.py", "def test_ignored():\n    assert add(1, 1) == 2\n");
    assert_eq!(report(&world, &[])["tests"]["after"], json!(3));
}

#[test]
fn a_finding_is_allowed_once_the_base_says_so() {
    let world = tested();
    let skipped = TEST.replace("def test_zero", "@pytest.mark.skip\ndef test_zero");
    world.write("test_calc.py", &skipped);
    let id = id(&world);
    world.piton(&["guard", "allow", &id, "--reason", "flaky"]).exits(0);
    assert!(world.read("piton.allow.toml").contains(&format!("finding = \"{id}\"\nreason = \"flaky\"\n")));
    world.piton(&["guard"]).exits(1);
    world.git(&["switch", "-q", "main"]);
    world.git(&["add", "piton.allow.toml"]);
    world.git(&["commit", "-q", "-m", "allow"]);
    let ran = world.piton(&["guard"]).exits(0);
    assert!(ran.out.contains("allowed because flaky"), "{}", ran.out);
    world.piton(&["guard", "allow", "nonsense", "--reason", "x"]).exits(2);
    world.piton(&["guard", "allow", &id, "--reason", "x", "--expires", "soon"]).exits(2);
}

#[test]
fn an_allowance_holds_until_its_day() {
    for (day, code) in [("2020-01-01", 1), ("2999-01-01", 0)] {
        let world = tested();
        let skipped = TEST.replace("def test_zero", "@pytest.mark.skip\ndef test_zero");
        world.write("test_calc.py", &skipped);
        world.piton(&["guard", "allow", &id(&world), "--reason", "flaky", "--expires", day]).exits(0);
        world.git(&["switch", "-q", "main"]);
        world.git(&["add", "piton.allow.toml"]);
        world.git(&["commit", "-q", "-m", "allow"]);
        world.piton(&["guard"]).exits(code);
    }
}

/// Whether the code changed on purpose, two trees do not say.
#[test]
fn who_changes_the_code_and_weakens_its_test_is_blocked_only_where_it_is_strict() {
    let world = tested();
    world.write("requirements.txt", "lib==1.0\n");
    world.commit("a library");
    world.git(&["branch", "-f", "main", "work"]);
    world.write("calc.py", "def add(a, b):\n    return b + a + 0\n");
    world.write("test_calc.py", &TEST.replace("    assert add(2, 2) == 4\n", ""));
    let found = report(&world, &[]);
    assert_eq!(
        (&found["findings"][0]["rule"], &found["blocking"]),
        (&json!("assertion-removed"), &json!(false))
    );
    world.piton(&["guard"]).exits(0);
    world.piton(&["guard", "--strict"]).exits(1);
    // Where no code changed there is no reason for it, unless a library did.
    world.git(&["checkout", "-q", "calc.py"]);
    world.piton(&["guard"]).exits(1);
    world.write("requirements.txt", "lib==2.0\n");
    world.piton(&["guard"]).exits(0);
}

#[test]
fn what_no_change_of_the_code_explains_blocks_whatever_else_changed() {
    let code = "def add(a, b):\n    return b + a + 0\n";
    let forced = "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    \
                  outcome = yield\n    outcome.get_result().outcome = 'passed'\n";
    let answer = "def add(a, b):\n    if a == 2 and b == 2:\n        return 4\n    return a - b\n";
    let test = |was: &str, is: &str| TEST.replace(was, is);
    for (file, text, rule) in [
        ("test_calc.py", test("def test_zero", "@pytest.mark.skip\ndef test_zero"), "test-skipped"),
        (
            "test_calc.py",
            test("def test_zero", "@pytest.mark.flaky(reruns=5)\ndef test_zero"),
            "test-retried",
        ),
        ("test_calc.py", test("assert add(2, 2) == 4", "assert True"), "assertion-tautology"),
        ("test_calc.py", test("assert add(0, 0)", "return\n    assert add(0, 0)"), "assertion-unreachable"),
        ("test_calc.py", test("assert add(0, 0) == 0", "pass"), "test-emptied"),
        (
            "conftest.py",
            "import os\n\n\ndef pytest_sessionfinish():\n    os._exit(0)\n".to_owned(),
            "test-exits-early",
        ),
        ("conftest.py", forced.to_owned(), "success-forced"),
        ("calc.py", answer.to_owned(), "answer-hard-coded"),
        ("Makefile", "test:\n\tpytest || true\n".to_owned(), "check-failure-ignored"),
    ] {
        let world = tested();
        world.write("Makefile", "test:\n\tpytest\n");
        world.write("conftest.py", "import os\n");
        world.commit("more");
        world.git(&["branch", "-f", "main", "work"]);
        world.write("calc.py", code);
        world.piton(&["guard"]).exits(0);
        world.write(file, &text);
        let found = report(&world, &[]);
        assert_eq!(
            (&found["findings"][0]["rule"], &found["blocking"]),
            (&json!(rule), &json!(true)),
            "{found:#}"
        );
    }
}

/// Whoever is behind on their own `main` compares with what others have.
#[test]
fn the_default_branch_is_the_one_of_the_remote_where_there_is_one() {
    let world = tested();
    world.write("test_calc.py", &TEST.replace("    assert add(2, 2) == 4\n", ""));
    world.git(&["commit", "-q", "-a", "-m", "less"]);
    world.piton(&["guard"]).exits(1);
    world.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    world.piton(&["guard"]).exits(0);
    world.git(&["update-ref", "refs/remotes/origin/trunk", "main"]);
    world.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
    world.piton(&["guard"]).exits(1);
}

#[test]
fn a_configuration_that_cannot_be_read_hides_what_is_secret_and_nothing_is_quoted() {
    let world = tested();
    world.write("test_calc.py", &TEST.replace("== 4", "== 5"));
    world.write("piton.toml", "[redact]\npatterns = [\n");
    let ran = world.piton(&["guard"]).exits(7);
    assert!(ran.out.is_empty() && ran.err.contains("`[redact] patterns` cannot be read"), "{ran:?}");
}

#[test]
fn a_protected_path_may_not_change() {
    let world = tested();
    world.write("calc.py", "def add(a, b):\n    return b + a\n");
    world.piton(&["guard"]).exits(0);
    let found = report(&world, &["--protect", "calc.py"]);
    assert_eq!(found["findings"][0]["rule"], json!("protected-path-changed"));
    world.piton(&["guard", "--protect", "calc.py"]).exits(1);
}

#[test]
fn other_programs_read_it_too() {
    let world = tested();
    world.write("test_calc.py", &TEST.replace("== 4", "== 5"));
    let ran = world.piton(&["guard", "--format", "github"]).exits(1);
    assert!(
        ran.out.starts_with("::error file=test_calc.py,line=6,title=expected-value-changed::"),
        "{}",
        ran.out
    );
    let sarif: Value =
        serde_json::from_str(&world.piton(&["guard", "--format", "sarif"]).exits(1).out).unwrap();
    assert_eq!(sarif["version"], json!("2.1.0"));
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], json!("expected-value-changed"));
    let rules = world.piton(&["guard", "rules"]).exits(0).out;
    assert!(rules.contains("test-deleted"), "{rules}");
}

#[test]
fn a_shallow_clone_is_an_error_that_names_the_fix() {
    let world = tested();
    let clone = world.beside("clone");
    let source = format!("file://{}", world.path("").display());
    world.git(&["clone", "-q", "--depth", "1", &source, &clone.display().to_string()]);
    let ran = world.piton(&["--repo", &clone.display().to_string(), "guard", "HEAD~1"]).exits(7);
    assert!(ran.err.contains("git fetch --unshallow"), "{}", ran.err);
}

#[test]
fn outside_of_git_is_a_usage_error() {
    World::outside_git().piton(&["guard"]).exits(2);
}

#[test]
fn what_a_partial_clone_does_not_have_is_named_with_the_way_to_it() {
    let world = World::new();
    world.write("a.txt", "b\n");
    world.git(&["commit", "-qam", "more"]);
    world.git(&["config", "uploadpack.allowFilter", "true"]);
    let (from, to) = (world.path("").display().to_string(), world.beside("partial").display().to_string());
    world.git(&["clone", "-q", "--filter=blob:none", &format!("file://{from}"), &to]);
    let ran = world.piton(&["--repo", &to, "guard", "HEAD^..HEAD"]).exits(7);
    assert!(ran.err.contains("error: this clone is partial, and does not have the object"), "{}", ran.err);
    assert!(ran.err.contains("git fetch --refetch --no-filter"), "{}", ran.err);
    world.git(&["-C", &to, "fetch", "-q", "--refetch", "--no-filter"]);
    world.piton(&["--repo", &to, "guard", "HEAD^..HEAD"]).exits(0);
}
