use std::collections::BTreeMap;

use super::*;

/// The same, of a tree without links.
fn runs<'a>(commands: impl IntoIterator<Item = &'a str>, read: &dyn Fn(&str) -> Option<Vec<u8>>) -> Runs {
    super::runs(commands, &Tree { read, is_kept: &|path| read(path).is_some(), link: &|_| None }).0
}

const TREE: [(&str, &str); 12] = [
    ("tools/ok.sh", "#!/bin/sh\nexit 1\n"),
    ("tools/ok.py", "raise SystemExit(1)\n"),
    ("tools/call.sh", "set -e\n\"$(dirname \"$0\")/ok.sh\"\n"),
    ("tools/pack/__main__.py", ""),
    (
        "Makefile",
        "PY = python3\ninclude more.mk\nok: first\n\t@$(PY) tools/ok.py\nfirst:\n\tsh tools/ok.sh\ndocs:\n\techo docs\n",
    ),
    ("more.mk", "extra:\n\t./tools/call.sh\n"),
    ("sub/Makefile", "all:\n\t./run\n"),
    ("sub/run", "#!/bin/sh\n"),
    ("package.json", r#"{"scripts": {"test": "node tools/t.js", "pretest": "sh tools/ok.sh", "docs": "x"}}"#),
    ("tools/t.js", ""),
    ("tests/test_a.py", ""),
    ("lock", ""),
];

fn found(command: &str) -> Vec<String> {
    let tree = BTreeMap::from(TREE);
    let read = |path: &str| tree.get(path).map(|text| text.as_bytes().to_vec());
    runs([command], &read).into_keys().filter(|path| tree.contains_key(path.as_str())).collect()
}

#[test]
fn what_a_command_runs_of_the_tree_is_found() {
    let ok: &[&str] = &["tools/ok.sh"];
    let cases: [(&str, &[&str]); 30] = [
        ("./tools/ok.sh", ok),
        ("sh -eu tools/ok.sh --all", ok),
        ("CI=1 python3 tools/ok.py tests/test_a.py", &["tools/ok.py"]),
        ("timeout 60 sh tools/ok.sh", ok),
        ("timeout -k 5 -s KILL 60s nice -n 10 tools/ok.sh", ok),
        ("env -i A=1 sh tools/ok.sh", ok),
        ("env -C tools ./ok.sh", ok),
        ("bash -e -o pipefail tools/ok.sh", ok),
        ("bash -eo pipefail tools/ok.sh", ok),
        ("cd tools && ./ok.sh", ok),
        ("(cd tools; sh ok.sh)", ok),
        (". ./tools/ok.sh", ok),
        ("source tools/ok.sh", ok),
        ("nice ./tools/ok.sh", ok),
        ("command ./tools/ok.sh", ok),
        ("exec tools/ok.sh", ok),
        ("sh \"$PWD/tools/ok.sh\"", ok),
        ("\"$(git rev-parse --show-toplevel)/tools/ok.sh\"", ok),
        ("S=tools/ok.sh; sh \"$S\"", ok),
        ("flock lock sh tools/ok.sh", ok),
        ("timeout 9 sh -c 'cd tools && ./ok.sh'", ok),
        ("python3 -m tools.ok", &["tools/ok.py"]),
        ("python3.12 -B -m tools.pack tests/test_a.py", &["tools/pack/__main__.py"]),
        ("sh tools/call.sh", &["tools/call.sh", "tools/ok.sh"]),
        ("make -j 2 ok", &["Makefile", "more.mk", "tools/ok.py", "tools/ok.sh"]),
        ("make extra", &["Makefile", "more.mk", "tools/call.sh", "tools/ok.sh"]),
        ("make -C sub", &["sub/Makefile", "sub/run"]),
        ("npm test", &["package.json", "tools/ok.sh", "tools/t.js"]),
        ("yarn run docs", &["package.json"]),
        ("pytest tests/test_a.py && python3 -m unittest tests/test_a.py; npm ci", &[]),
    ];
    for (command, expected) in cases {
        assert_eq!(found(command), expected, "{command}");
    }
}

#[test]
fn what_a_script_starts_may_be_what_it_judges() {
    let tree = BTreeMap::from([
        (
            "test.sh",
            ". ./lib.sh\n[ \"$(sh greet.sh Ann)\" = \"Hello Ann\" ]\nsh greet.sh > out\nsh tests/case.sh\n",
        ),
        ("greet.sh", "echo Hello $1\n"),
        ("lib.sh", ""),
        ("tests/case.sh", "sh bin/greet\n"),
        ("bin/greet", ""),
    ]);
    let read = |path: &str| tree.get(path).map(|text| text.as_bytes().to_vec());
    let found = |command| runs([command], &read).into_keys().collect::<Vec<_>>();
    assert_eq!(found("sh test.sh"), ["lib.sh", "test.sh", "tests/case.sh"]);
    assert_eq!(found("sh greet.sh Ann"), ["greet.sh"]);
}

#[test]
fn what_a_rule_or_a_script_does_not_reach_may_change() {
    let tree = BTreeMap::from(TREE);
    let read = |path: &str| tree.get(path).map(|text| text.as_bytes().to_vec());
    let all = runs(["make ok", "npm test"], &read);
    let (make, package) = (tree["Makefile"], tree["package.json"]);
    let is_same =
        |path: &str, before: &str, after: String| all[path].is_same(before.as_bytes(), after.as_bytes());
    assert!(is_same("Makefile", make, make.replace("echo docs", "echo more") + "new: docs\n\techo new\n"));
    assert!(!is_same("Makefile", make, make.replace("sh tools/ok.sh", "true")));
    assert!(!is_same("Makefile", make, make.replace("PY = python3", "PY = true")));
    assert!(!is_same("Makefile", make, format!("{make}ok:\n\ttrue\n")));
    assert!(is_same("package.json", package, package.replace("\"x\"", "\"y\"")));
    assert!(!is_same("package.json", package, package.replace("node tools/t.js", "true")));
}

#[test]
fn what_would_be_taken_in_place_of_a_file_counts_as_run() {
    let tree = BTreeMap::from(TREE);
    let read = |path: &str| tree.get(path).map(|text| text.as_bytes().to_vec());
    let all = runs(["make", "python3 -m tools.ok"], &read);
    assert!(all.contains_key("GNUmakefile") && all.contains_key("tools/ok/__main__.py"));
}

#[test]
fn scripts_that_call_themselves_come_to_an_end() {
    let read = |path: &str| (path.len() < 40).then(|| format!("sh {path}x\nsh {path}\ncd a\n").into_bytes());
    assert!(runs(["sh a.sh"], &read).len() <= FILES_MAX + PLACES_MAX);
}
