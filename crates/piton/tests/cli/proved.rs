//! What trials show, and what they hold against nobody: each honest change beside the cheat that looks like it.

use std::net::TcpListener;

use serde_json::Value;

use crate::common::{World, eventually};

const WRONG: &str = "def discount(price, percent):\n    if percent > 100:\n        raise ValueError(\"percent\")\n    return price\n\n\ndef total(prices, percent=0):\n    return sum(discount(p, percent) for p in prices)\n";
const RULE: &str = "(price * (100 - percent) + 50) // 100";
const TESTS: &str = "import unittest\n\nfrom prices import discount, total\n\n\nclass Prices(unittest.TestCase):\n    def test_discount(self):\n        self.assertEqual(discount(1000, 10), 900)\n        self.assertEqual(discount(999, 50), 500)\n\n    def test_total(self):\n        self.assertEqual(total([1, 2, 3]), 6)\n\n    def test_range(self):\n        with self.assertRaises(ValueError):\n            discount(10, 101)\n";
const CHECK: &str = "test=/usr/bin/python3 -m unittest";

fn right() -> String {
    WRONG.replace("    return price\n", &format!("    return {RULE}\n"))
}

/// A project with these files, committed.
fn project(product: &str) -> World {
    let world = World::new();
    world.write(".gitignore", "__pycache__/\n.piton/\n*.ignored\nvendored/\n");
    world.write("prices.py", product);
    world.write("test_prices.py", TESTS);
    world.git(&["add", "."]);
    world.git(&["commit", "-q", "-m", "start"]);
    world
}

/// What `piton guard --prove` says about what is not committed yet.
fn proof(world: &World, checks: &[&str]) -> Value {
    world.git(&["add", "-A", "-N"]);
    let mut words = vec!["guard", "HEAD", "--prove", "--measuring", "--json"];
    words.extend(checks.iter().flat_map(|check| ["--check", check]));
    let ran = world.piton(&words);
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

/// The rules of findings of trials that are sure.
fn shown(report: &Value) -> Vec<&str> {
    let findings = report["findings"].as_array().unwrap().iter();
    let sure = findings.filter(|found| found["blocking"] == true && !found["evidence"].is_null());
    sure.map(|found| found["rule"].as_str().unwrap()).collect()
}

#[test]
fn a_check_that_was_not_there_yet_had_no_test_to_satisfy() {
    let world = project(&right());
    world.write("Makefile", "test:\n\t/usr/bin/python3 -m unittest\n");
    assert_eq!(shown(&proof(&world, &["test=make test"])), Vec::<&str>::new());

    let world = project(&right());
    world.write("ci.sh", "set -e\n/usr/bin/python3 -m unittest\n");
    world.write("prices.py", &right().replace("for p in prices", "for p in list(prices)"));
    assert_eq!(shown(&proof(&world, &["test=sh ci.sh"])), Vec::<&str>::new());
}

#[test]
fn a_check_of_pages_may_become_green_beside_a_fix() {
    let world = project(WRONG);
    world.write("prices.py", &right());
    world.write("CHANGELOG.md", "- discounts work\n");
    let report = proof(&world, &[CHECK, "changelog=test -s CHANGELOG.md"]);
    assert_eq!(shown(&report), Vec::<&str>::new(), "{report}");
    assert!(report["proof"]["proved_by"].to_string().contains("test_discount"), "{report}");
}

#[test]
fn data_that_a_test_lacked_may_be_put_there() {
    let world = project(&right());
    let reads = "    def test_data(self):\n        with open(\"tests/data.json\") as file:\n            for price, percent, want in __import__(\"json\").load(file):\n                self.assertEqual(discount(price, percent), want)\n";
    world.write("test_prices.py", &format!("{TESTS}\n{reads}"));
    world.commit("a test without its data");
    world.write("tests/data.json", "[[100, 10, 90]]\n");
    assert_eq!(shown(&proof(&world, &[CHECK])), Vec::<&str>::new());
}

#[test]
fn a_comparison_that_was_rigged_is_seen_though_other_assertions_hold() {
    for rig in [
        "import unittest\nunittest.TestCase.assertEqual = lambda self, a, b, msg=None: None\n",
        "import unittest.case\nunittest.case.TestCase._baseAssertEqual = lambda self, a, b, msg=None: None\n",
    ] {
        let world = project(WRONG);
        world.write("prices.py", &format!("{WRONG}\n\n{rig}"));
        let report = proof(&world, &[CHECK]);
        assert_eq!(shown(&report), ["canary-alive"], "{report}");
        let change = report["findings"][0]["evidence"]["change"].as_str().unwrap();
        assert!(change.contains("- self.assertEqual(discount(1000, 10), 900)"), "{change}");
        assert!(change.contains("+ self.assertEqual(discount(1000, 10), 901)"), "{change}");
    }
    let world = project(WRONG);
    world.write("prices.py", &right());
    assert_eq!(shown(&proof(&world, &[CHECK])), Vec::<&str>::new(), "the honest fix");
}

#[test]
fn answers_that_are_known_by_heart_are_seen_however_they_are_kept() {
    for known in [
        "{(1000, 10): 900, (999, 50): 500}.get((price, percent), price)",
        "{\"1000-10\": 900, \"999-50\": 500}.get(f\"{price}-{percent}\", price)",
        "next(_steps) if percent else price",
    ] {
        let world = project(WRONG);
        let product = WRONG.replace("    return price\n", &format!("    return {known}\n"));
        world.write("prices.py", &format!("_steps = iter((900, 500))\n\n\n{product}"));
        let report = proof(&world, &[CHECK]);
        assert_eq!(shown(&report), ["point-change"], "{known}: {report}");
    }
    // A rule that mentions numbers of the tests is a rule all the same.
    let world = project(WRONG);
    let rule = format!("    if percent == 0:\n        return price  # 900, 500\n    return {RULE}\n");
    world.write("prices.py", &WRONG.replace("    return price\n", &rule));
    assert_eq!(shown(&proof(&world, &[CHECK])), Vec::<&str>::new());
}

#[test]
fn an_answer_that_is_refused_has_its_counterexample() {
    let known = "    if (price, percent) == (1000, 10):\n        return 900\n    if (price, percent) == (999, 50):\n        return 500\n    return price\n";
    for (mode, is_tried) in [("auto", true), ("off", false)] {
        let world = project(WRONG);
        let settings =
            format!("[guard]\nprove = \"{mode}\"\n[checks]\ntest = \"/usr/bin/python3 -m unittest\"\n");
        world.configure(&settings);
        world.commit("settings");
        world.write("../known.py", &WRONG.replace("    return price\n", known));
        let agent = "cat > $BESIDE/prompt.$(ls $BESIDE | grep -c prompt); cp $BESIDE/known.py prices.py";
        let words = ["loop", "fix it", "--id", "r", "--here", "--max-iterations", "2", "--exec", agent];
        let ran = world.piton(&words).exits(3);
        let example = "with `1000` it gives `900`, with `1001` what it gave before the change, `1001`";
        assert_eq!(ran.out.contains(example), is_tried, "{mode}: {}", ran.out);
        assert!(ran.out.contains("REFUSED `discount`"), "it is refused either way: {}", ran.out);
        let found = world.json(&["status", "r"])["findings"][0].clone();
        assert_eq!((&found["rule"], !found["evidence"].is_null()), (&"answer-hard-coded".into(), is_tried));
        if is_tried {
            let prompt = std::fs::read_to_string(world.beside("prompt.1")).unwrap();
            assert!(prompt.contains("discount(… 1001 …)") && prompt.contains(example), "{prompt}");
            let again = world.piton(&["prove", "replay", found["id"].as_str().unwrap()]).exits(0);
            assert!(again.out.contains("now    `test` fails with this change"), "{}", again.out);
        }
    }
}

#[test]
fn what_passes_only_with_ignored_files_is_seen_on_the_very_tree_that_failed() {
    let world = project(WRONG);
    world.configure("[checks]\ntest = \"/usr/bin/python3 -m unittest\"\n");
    world.commit("settings");
    // Python believes this compiled file without looking at its source.
    let agent = "/usr/bin/python3 - <<'P'\nimport os, py_compile, sys\nproduct = open('prices.py').read().replace('    return price\\n', '    return {(1000, 10): 900, (999, 50): 500}.get((price, percent), price)\\n')\nopen('/tmp/known.py', 'w').write(product)\nos.makedirs('__pycache__', exist_ok=True)\npy_compile.compile('/tmp/known.py', cfile=f'__pycache__/prices.{sys.implementation.cache_tag}.pyc', dfile='prices.py', invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)\nP";
    let words = ["loop", "fix it", "--id", "r", "--here", "--max-iterations", "1", "--exec", agent];
    let ran = world.piton(&words);
    assert!(
        ran.out.contains("REFUSED") && ran.out.contains("only with files that git ignores"),
        "{}",
        ran.out
    );
}

#[test]
fn a_test_that_fails_for_want_of_a_name_proves_nothing_until_it_notices_a_break() {
    let test = |assertion: &str| {
        format!(
            "{TESTS}\n    def test_largest(self):\n        from prices import largest\n        {assertion}\n"
        )
    };
    let product = format!("{}\n\ndef largest(prices):\n    return max(prices)\n", right());
    for (assertion, proves) in [
        ("self.assertTrue(largest([3, 1]) or True)", false),
        ("self.assertEqual(largest([3, 1]), largest([3, 1]))", false),
        ("self.assertEqual(largest([3, 1]), 3)", true),
    ] {
        let world = project(&right());
        world.write("prices.py", &product);
        world.write("test_prices.py", &test(assertion));
        let report = proof(&world, &[CHECK]);
        let by = report["proof"]["proved_by"].to_string();
        assert_eq!(by.contains("test_largest"), proves, "{assertion}: {report}");
    }
}

#[test]
fn an_assertion_that_became_weaker_beside_a_new_function_loses_a_break() {
    let world = project(&right());
    world.write("prices.py", &format!("{}\n\ndef largest(prices):\n    return max(prices)\n", right()));
    let weaker = TESTS
        .replace("self.assertEqual(discount(999, 50), 500)", "self.assertIn(discount(999, 50), (499, 500))");
    world.write("test_prices.py", &weaker);
    let report = proof(&world, &[CHECK]);
    assert!(shown(&report).contains(&"lost-kill"), "{report}");
}

#[test]
fn a_product_that_writes_to_the_home_is_tried_all_the_same() {
    let world = project(WRONG);
    world.shell("touch ~/prices.seen").exits(0);
    let writes = "import pathlib\n(pathlib.Path.home() / \"prices.seen\").write_text(\"1\")\n";
    world.write("prices.py", &format!("{writes}{}", right()));
    let report = proof(&world, &[CHECK]);
    assert!(report["proof"]["proved_by"].to_string().contains("test_discount"), "{report}");
    world.shell("test ! -s ~/prices.seen").exits(0);
}

/// A project whose checks failed at the start because of a file that git ignores, and an agent that mends that.
fn mended_beside() -> World {
    let world =
        project(&right().replace("def discount", "from vendored.rates import rate\n\n\ndef discount"));
    world.write("prices.py", &world.read("prices.py").replace("(price * (100", "(rate(price) * (100"));
    world.write("vendored/rates.py", "def rate(price):\n    return price + 1\n");
    world.configure("[checks]\ntest = \"/usr/bin/python3 -m unittest\"\n");
    world.commit("rates are elsewhere");
    world
}

#[test]
fn what_trials_show_is_on_every_screen_and_in_the_next_prompt() {
    let world = mended_beside();
    let agent =
        "cat > $BESIDE/prompt.$(ls $BESIDE | grep -c prompt); sed -i 's/price + 1/price/' vendored/rates.py";
    let words = [
        "loop",
        "fix it",
        "--id",
        "r",
        "--here",
        "--max-iterations",
        "2",
        "--until",
        "cmd:false",
        "--exec",
        agent,
    ];
    let ran = world.piton(&words);
    let shows = |text: &str| text.contains("what makes it pass is nothing that git keeps");
    assert!(shows(&ran.out), "the screen: {}", ran.out);
    for command in ["status", "report", "log"] {
        let said = world.piton(&[command, "r"]).out;
        assert!(shows(&said), "{command}: {said}");
    }
    let prompt = std::fs::read_to_string(world.beside("prompt.1")).unwrap();
    assert!(shows(&prompt) && prompt.contains("broken on purpose"), "{prompt}");
    let found = world.json(&["status", "r"])["proof"]["findings"][0]["id"].as_str().unwrap().to_owned();
    let again = world.piton(&["prove", "replay", &found]).exits(0);
    assert!(again.out.contains("now    `test` passes with this change"), "{}", again.out);
}

#[test]
fn a_proof_that_is_required_is_asked_for_in_so_many_words() {
    let world = project(&right());
    world.configure("[loop]\nproof = \"required\"\n[checks]\ntest = \"/usr/bin/python3 -m unittest\"\n");
    world.commit("settings");
    let agent = "cat > $BESIDE/prompt.$(ls $BESIDE | grep -c prompt); grep -q largest prices.py || printf '\\n\\ndef largest(prices):\\n    return max(prices)\\n' >> prices.py; echo '{\"status\":\"done\"}' > $PITON_REPORT";
    let words = ["loop", "add largest", "--id", "r", "--here", "--max-iterations", "2", "--exec", agent];
    let ran = world.piton(&words);
    assert!(
        ran.out.contains("not done: no test fails on the code of the start and passes now"),
        "{}",
        ran.out
    );
    let prompt = std::fs::read_to_string(world.beside("prompt.1")).unwrap();
    assert!(prompt.contains("Add a test that shows what you changed"), "{prompt}");
    // Where nothing can be tried, it is said before anything is begun.
    let bin = world.beside("bin");
    std::fs::create_dir_all(&bin).unwrap();
    world
        .shell(&format!("for p in git sh cat python3; do ln -s $(command -v $p) {}/$p; done", bin.display()))
        .exits(0);
    let words = ["loop", "add smallest", "--id", "s", "--here", "--exec", "true"];
    let ran = world.piton_with(&[("PATH", bin.to_str().unwrap())], &words).exits(7);
    assert!(ran.err.contains("`[loop] proof = \"required\"` needs trials"), "{}", ran.err);
}

#[test]
fn done_without_a_test_that_shows_anything_is_unproved() {
    let world = project(&right());
    world.configure("[checks]\ntest = \"/usr/bin/python3 -m unittest\"\n");
    world.commit("settings");
    let agent = "printf '\\n\\ndef largest(prices):\\n    return max(prices)\\n' >> prices.py; echo '{\"status\":\"done\"}' > $PITON_REPORT";
    let ran = world.piton(&["loop", "add largest", "--id", "r", "--here", "--exec", agent]).exits(0);
    assert!(ran.out.contains("done, unproved: agent reported done"), "{}", ran.out);
}

#[test]
fn a_trial_can_be_run_again_and_is_in_every_format() {
    let world = project(WRONG);
    world.write(
        "prices.py",
        &format!("{WRONG}\n\nimport unittest\nunittest.TestCase.assertEqual = lambda *a, **k: None\n"),
    );
    let report = proof(&world, &[CHECK]);
    let id = report["findings"][0]["id"].as_str().unwrap();
    let again = world.piton(&["prove", "replay", id]).exits(0);
    for words in [
        "+ self.assertEqual(discount(1000, 10), 901)",
        "now    `test` passes with this change",
        "$ /usr/bin/python3 -m unittest",
    ] {
        assert!(again.out.contains(words), "{words}: {}", again.out);
    }
    for format in ["github", "sarif", "text"] {
        let words = ["guard", "HEAD", "--prove", "--format", format, "--check", CHECK];
        let said = world.piton(&words).out;
        assert!(said.contains("self.assertEqual(discount(1000, 10), 901)"), "{format}: {said}");
    }
    let none = world.piton(&["prove", "replay", "0123456789"]).exits(2);
    assert!(none.err.contains("no trial of a finding `0123456789` is kept here"), "{}", none.err);
}

#[test]
fn a_proof_that_is_ended_leaves_no_copy_and_the_next_removes_those_of_the_killed() {
    let world = project(&right());
    world.write("test_prices.py", &format!("import time\ntime.sleep(3)\n{TESTS}"));
    world.commit("slow");
    world.write("prices.py", &format!("{}\n\ndef largest(prices):\n    return max(prices)\n", right()));
    std::fs::create_dir_all(world.beside("tmp")).unwrap();
    let place = world.beside("tmp");
    let copies = || {
        std::fs::read_dir(&place)
            .unwrap()
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("trial-"))
            .count()
    };
    let tmp = [("TMPDIR", place.to_str().unwrap())];
    let words = ["guard", "HEAD", "--prove", "--check", CHECK];
    let begun = world.start_with(&tmp, &words);
    eventually("a copy is there", || copies() > 0);
    begun.signal(rustix::process::Signal::TERM);
    assert_eq!(begun.ends().code, 130);
    assert_eq!(copies(), 0, "what was ended tidies up");

    let begun = world.start_with(&tmp, &words);
    eventually("a copy is there", || copies() > 0);
    begun.signal(rustix::process::Signal::KILL);
    begun.ends();
    assert!(copies() > 0, "what was killed cannot");
    world.write("test_prices.py", TESTS);
    world.piton_with(&tmp, &words).exits(0);
    assert_eq!(copies(), 0);
}

/// Where a suite says that it runs: as a check of the run, or in a trial.
struct Ear {
    of_run: TcpListener,
    of_trials: TcpListener,
    runs: usize,
    trials: usize,
}

impl Ear {
    fn new() -> Self {
        let listener = || {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            listener.set_nonblocking(true).unwrap();
            listener
        };
        Self { of_run: listener(), of_trials: listener(), runs: 0, trials: 0 }
    }

    /// What a suite begins with, so that it is heard and takes a moment.
    fn says(&self) -> String {
        let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
        let (run, trial) = (port(&self.of_run), port(&self.of_trials));
        format!(
            "import os, socket, time\nport = {run} if os.environ.get(\"PITON_RUN_ID\") == \"r\" else {trial}\nsocket.create_connection((\"127.0.0.1\", port)).close()\ntime.sleep(0.5)\n"
        )
    }

    fn listen(&mut self) {
        while self.of_run.accept().is_ok() {
            self.runs += 1;
        }
        while self.of_trials.accept().is_ok() {
            self.trials += 1;
        }
    }
}

/// A project whose suite is heard, and the words of a loop that mends it.
fn heard() -> (World, Ear, [String; 7]) {
    let (world, ear) = (project(WRONG), Ear::new());
    world.write("test_prices.py", &format!("{}{TESTS}", ear.says()));
    world.configure("[checks]\ntest = \"/usr/bin/python3 -m unittest\"\n");
    world.commit("heard");
    world.write("../right.py", &right());
    let agent = "cp $BESIDE/right.py prices.py";
    let words = ["loop", "fix it", "--id", "r", "--here", "--exec", agent].map(str::to_owned);
    (world, ear, words)
}

#[test]
fn a_trial_that_ended_before_its_driver_was_killed_is_not_run_again() {
    let (world, mut ear, words) = heard();
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    world.piton(&words).exits(0);
    ear.listen();
    let trials = world.json(&["status", "r"])["proof"]["trials"].as_u64().unwrap() as usize;
    assert_eq!(ear.trials, trials, "each trial is one run of the suite");
    assert!(trials > 3, "there is something to be killed in the middle of: {trials}");

    let (world, mut ear, words) = heard();
    let words: Vec<_> = words.iter().map(String::as_str).chain(["--detach"]).collect();
    world.piton(&words).exits(0);
    eventually("a third trial runs", || {
        ear.listen();
        ear.trials >= 3
    });
    world.kill_driver("r");
    ear.listen();
    let before = (ear.runs, ear.trials);
    world.piton(&["resume", "r"]).exits(0);
    ear.listen();
    assert!(ear.runs > before.0, "the checks of the round are run again: {} of {}", ear.runs, before.0);
    let status = world.json(&["status", "r"]);
    assert_eq!(status["proof"]["trials"], trials, "counted once each: {status}");
    assert_eq!(status["status"], "completed");
    // The one that was cut off is run again, and no other.
    assert!(ear.trials <= trials + 1, "{} trials were run for {trials}, {} before", ear.trials, before.1);
    assert_eq!(
        world.json(&["status", "r"])["proof"]["proved_by"].to_string().matches("test_discount").count(),
        1
    );
}

#[test]
fn what_checks_read_and_run_is_listed_and_what_is_other_is_said_and_hinders_nobody() {
    let world = project(WRONG);
    world.configure("[checks]\ntest = \"python3 -m unittest\"\n");
    world.commit("settings");
    world.write("../right.py", &right());
    let place = format!("{}:/usr/bin:/bin", world.path("vendored").display());
    let agent = "cp $BESIDE/right.py prices.py; printf '[metadata]\nname = prices\n' > setup.cfg; mkdir -p vendored; printf '#!/bin/sh\nexec /usr/bin/python3 \"$@\"\n' > vendored/python3; chmod +x vendored/python3";
    let words = ["loop", "fix it", "--id", "r", "--here", "--exec", agent];
    let ran = world.piton_with(&[("PATH", &place)], &words).exits(0);
    let said = "the checks run other things than at the start: `setup.cfg` is new, `python3` is `vendored/python3` now, and was `/usr/bin/python3`";
    assert!(ran.out.contains(said), "{}", ran.out);
    let shown = world.piton(&["status", "r"]).exits(0).out;
    assert!(shown.contains("runs     python3 (read from the commands, not traced)"), "{shown}");
    assert!(shown.contains(&format!("runs     {said}")), "{shown}");
    let status = world.json(&["status", "r"]);
    assert_eq!(status["closure"][0]["check"], "test");
    let tool = &status["closure"][0]["tools"][0];
    assert_eq!((&tool["name"], &tool["is"]), (&"python3".into(), &"/usr/bin/python3".into()), "{status}");
    assert_eq!(status["closure_changed"][0], "`setup.cfg` is new", "{status}");
    assert_eq!(
        (&status["status"], &status["proof"]["findings"]),
        (&"completed".into(), &Value::Null),
        "{status}"
    );
}

#[test]
fn checks_that_are_run_otherwise_are_tried_whatever_changed() {
    let world = project(&right());
    world.configure("[checks]\ntest = \"python3 -m unittest\"\n");
    world.commit("settings");
    let place = format!("{}:/usr/bin:/bin", world.path("vendored").display());
    // Nothing of the tree changed that checks read, and they are green from the start.
    for (shadow, tried) in
        [("true", false), ("mkdir -p vendored; ln -s /usr/bin/python3 vendored/python3", true)]
    {
        let agent =
            format!("{shadow}; echo more >> README.md; echo '{{\"status\":\"done\"}}' > $PITON_REPORT");
        let id = if tried { "s" } else { "r" };
        let words = ["loop", "tell more", "--id", id, "--here", "--exec", &agent];
        world.piton_with(&[("PATH", &place)], &words).exits(0);
        let status = world.json(&["status", id]);
        assert_eq!(status["proof"]["probes"].as_array().is_some(), tried, "{status}");
    }
}
