//! `[guard] prove` and `[loop] proof`: what is tried beside the checks.

use crate::common::World;

const PRODUCT: &str =
    "def double(number):\n    return number + number\n\n\ndef half(number):\n    return number / 2\n";
const TESTS: &str = "import unittest\nfrom add import double, half\n\n\nclass TestAdd(unittest.TestCase):\n    def test_double(self):\n        self.assertEqual(double(3), 6)\n        self.assertEqual(double(0), 0)\n\n    def test_half(self):\n        self.assertEqual(half(4), 2)\n";

/// A project whose tests pass.
fn project(settings: &str) -> World {
    let world = World::new();
    world.configure(&format!("{settings}\n[checks]\ntest = \"/usr/bin/python3 -m unittest\"\n"));
    world.write("add.py", PRODUCT);
    world.write("test_add.py", TESTS);
    world.git(&["add", "."]);
    world.git(&["commit", "-q", "-m", "start"]);
    world
}

/// A loop of so many iterations at most with this agent, which reports done each time.
fn runs(world: &World, agent: &str, iterations: &str) -> serde_json::Value {
    let agent = format!("{agent}; echo '{{\"status\": \"done\"}}' > $PITON_REPORT");
    let words = ["loop", "work", "--id", "r", "--here", "--max-iterations", iterations, "--exec", &agent];
    world.piton(&words);
    world.json(&["status", "r"])
}

#[test]
fn guard_prove_acts_in_a_loop() {
    // The suite is not asked any more about what half of four is: nothing in the diff is a sign of that.
    let narrower = "sed -i 's/number \\/ 2/number - 2/' add.py; echo >> test_add.py";
    let off = runs(&project("[guard]\nprove = \"off\""), narrower, "1");
    assert_eq!((&off["proof"], &off["status"]), (&serde_json::Value::Null, &"completed".into()), "{off}");

    let auto = runs(&project(""), narrower, "1");
    assert_eq!(auto["proof"]["probes"].as_array().map(Vec::len), Some(3), "{auto}");
    assert_eq!(auto["checks"][0]["passed"], true, "{auto}");
}

#[test]
fn loop_proof_acts_in_a_loop() {
    // Everything stays green, and no test says that anything is other than it was.
    let silent = "printf '\\n\\ndef third(number):\\n    return number / 3\\n' >> add.py";
    let optional = runs(&project(""), silent, "2");
    assert_eq!(optional["status"], "completed", "{optional}");

    let required = runs(&project("[loop]\nproof = \"required\""), silent, "2");
    assert_eq!(required["reason"], "limit:iterations", "it is sent back for a test: {required}");

    let tests = "sed -i 's/^from add import double, half/from add import double, half, third/' test_add.py; \
                 printf '\\n    def test_third(self):\\n        self.assertEqual(third(9), 3)\\n' >> test_add.py";
    let proved = runs(&project("[loop]\nproof = \"required\""), &format!("{silent}; {tests}"), "2");
    assert_eq!(
        (&proved["status"], &proved["limits"]["iterations"]["used"]),
        (&"completed".into(), &1.into()),
        "{proved}"
    );
}
