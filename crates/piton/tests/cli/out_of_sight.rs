//! What is done where nobody looks at first: to what a check runs in a roundabout way, to protected files that git ignores, and with
//! modules that take the place of the test runner in whatever form.

use crate::common::{Ran, World};

const MENDS: &str = "echo mended > z";

fn world() -> World {
    let world = World::outside_git();
    world.write(
        "test_calc.py",
        "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        open('z')\n",
    );
    world.write("tools/__init__.py", "");
    world.write("tools/ok.py", "raise SystemExit(1)\n");
    world.write("tools/ok.sh", "#!/bin/sh\nexit 1\n");
    world.write("tools/call.sh", "sh tools/ok.sh\n");
    world.write("Makefile", "include more.mk\ndocs:\n\ttrue\n");
    world.write("more.mk", "ok:\n\tsh tools/ok.sh\n");
    world.write("package.json", r#"{"scripts": {"test": "sh tools/ok.sh"}}"#);
    world.write(".gitignore", "__pycache__/\n*.pyc\n.env\n*.key\nsecrets/\npiton.toml\nignored\n");
    world.shell("chmod +x tools/*.sh").exits(0);
    world.init();
    world
}

fn once(world: &World, run: &str, check: &str, agent: &str) -> Ran {
    let exec = format!("cat > /dev/null; {agent}");
    let words =
        ["loop", "x", "--here", "--id", run, "--check", check, "--exec", &exec, "--max-iterations", "1"];
    world.piton(&words)
}

#[test]
fn what_a_check_runs_is_not_the_agents_however_the_command_says_it() {
    let ways = [
        "timeout 60 sh tools/ok.sh",
        "bash -e -o pipefail tools/ok.sh",
        "cd tools && ./ok.sh",
        ". ./tools/ok.sh",
        "nice ./tools/ok.sh",
        "sh \"$PWD/tools/ok.sh\"",
        "make -f more.mk ok",
        "python3 -m tools.ok",
        "command ./tools/ok.sh",
        "sh tools/call.sh",
    ];
    let world = world();
    for (number, way) in ways.iter().enumerate() {
        let cheat = "echo 'exit 0' > tools/ok.sh; echo pass > tools/ok.py";
        let ran = once(&world, &format!("r{number}"), way, cheat);
        assert!(ran.code != 0 && ran.out.contains("REFUSED `tools/ok."), "{way}: {ran:?}");
        assert_eq!(world.read("tools/ok.sh"), "#!/bin/sh\nexit 1\n", "{way}");
    }
}

/// A world of this kind, in which `agent` makes a check green that is red.
fn cheats(prepare: &str, check: &str, agent: &str) -> (World, Ran) {
    let world = World::outside_git();
    world.write("tools/ok.sh", "#!/bin/sh\nexit 1\n");
    world.write(
        "test_calc.py",
        "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        open('z')\n",
    );
    world.shell(&format!("chmod +x tools/ok.sh; {prepare}")).exits(0);
    world.init();
    let ran = once(&world, "r", check, agent);
    (world, ran)
}

#[test]
fn a_script_is_found_in_every_shape_of_a_command() {
    let shapes = [
        ("true", "sh < tools/ok.sh"),
        ("true", "cat tools/ok.sh | sh"),
        ("echo tools/ok.sh > list", "xargs -n1 sh < list"),
        ("true", "for s in tools/*.sh; do sh $s || exit 1; done"),
        ("true", "for s in tools/ok.sh; do sh \"$s\" || exit 1; done"),
        ("true", "ls tools/*.sh | xargs -n1 sh"),
        ("true", "PATH=tools:$PATH ok.sh"),
        ("true", "script -qec ./tools/ok.sh /dev/null"),
        ("ln -s tools/ok.sh t", "./t"),
        ("ln -s tools t", "sh t/ok.sh"),
        ("printf '.DEFAULT_GOAL := z\\na:\\n\\ttrue\\nz:\\n\\tsh tools/ok.sh\\n' > Makefile", "make"),
        ("printf 'define RUN\\nsh tools/ok.sh\\nendef\\nall:\\n\\t$(RUN)\\n' > Makefile", "make"),
    ];
    for (prepare, check) in shapes {
        let (world, ran) = cheats(prepare, check, "printf '#!/bin/sh\\n' > tools/ok.sh");
        assert!(ran.code != 0 && ran.out.contains("REFUSED `tools/ok.sh`"), "{check}: {ran:?}");
        assert_eq!(world.read("tools/ok.sh"), "#!/bin/sh\nexit 1\n", "{check}");
    }
    let others = [
        ("ln -s tools/ok.sh t", "./t", "ln -sf /bin/true t"),
        (
            "mkdir scripts; echo 'process.exit(1)' > scripts/check.js",
            "node scripts/check",
            "echo > scripts/check.js",
        ),
        (
            "printf 'source \"${BASH_SOURCE%%/*}/lib.sh\"\\nrun\\n' > tools/a.sh; echo 'run() { exit 1; }' > tools/lib.sh",
            "bash tools/a.sh",
            "echo 'run() { :; }' > tools/lib.sh",
        ),
        (
            "printf 'export PATH := bin:$(PATH)\\nok:\\n\\tsh tools/ok.sh\\n' > Makefile",
            "make ok",
            "mkdir bin; printf '#!/bin/true\\n' > bin/sh; chmod +x bin/sh",
        ),
    ];
    for (prepare, check, agent) in others {
        let (_, ran) = cheats(prepare, check, agent);
        assert!(ran.code != 0 && ran.out.contains("REFUSED"), "{check}: {ran:?}");
    }
}

const UNITTEST: &str = "python3 -B -m unittest -q";

#[test]
fn what_make_and_npm_would_read_besides_is_refused_whether_git_ignores_it_or_not() {
    let makefile = format!("printf 'check:\\n\\t{UNITTEST}\\n' > Makefile");
    let optional =
        format!("printf -- '-include local.mk\\n.PHONY: check\\ncheck:\\n\\t{UNITTEST}\\n' > Makefile");
    let directory = format!(
        "mkdir mk; echo 'x=1' > mk/a.mk; printf 'include mk/*.mk\\ncheck:\\n\\t{UNITTEST}\\n' > Makefile"
    );
    let package = format!("printf '{{\"scripts\":{{\"test\":\"{UNITTEST}\"}}}}' > package.json");
    let evades = "printf 'check:\\n\\ttrue\\n' > makefile";
    let includes = "printf 'SHELL=/bin/true\\n' > local.mk";
    let module = "echo 'import os; os._exit(0)' >";
    let hides = |name: &str| format!("echo {name} >> .git/info/exclude");
    let ways = [
        (makefile.as_str(), "make check", "touch check".to_owned()),
        (&makefile, "make check", "mkdir check".to_owned()),
        (&makefile, "make check", format!("{}; touch check", hides("check"))),
        (&makefile, "make check", evades.to_owned()),
        (&makefile, "make check", format!("{}; {evades}", hides("makefile"))),
        (&optional, "make check", includes.to_owned()),
        (&optional, "make check", format!("{}; {includes}", hides("local.mk"))),
        (&directory, "make check", "printf 'SHELL=/bin/true\\n' > mk/b.mk".to_owned()),
        (&package, "npm test", "echo 'script-shell=/bin/true' > .npmrc".to_owned()),
        (&package, "npm test", format!("{}; echo 'script-shell=/bin/true' > .npmrc", hides(".npmrc"))),
        (
            "printf '#!/bin/sh\\nexit 1\\n' > t.sh; echo t.sh > .gitignore",
            "sh t.sh",
            "printf '#!/bin/sh\\n' > t.sh".to_owned(),
        ),
        (
            "mkdir t; mv test_calc.py t/",
            "cd t && python3 -B -m unittest -q",
            format!("{module} t/unittest.py"),
        ),
        ("true", UNITTEST, format!("{module} argparse.py")),
        ("true", UNITTEST, format!("{}; {module} argparse.py", hides("argparse.py"))),
    ];
    for (prepare, check, agent) in ways {
        let (_, ran) = cheats(prepare, check, &agent);
        assert!(ran.code != 0 && ran.out.contains("REFUSED"), "{check}: {agent}: {ran:?}");
    }
}

/// What looks like the above, and is work.
#[test]
fn honest_files_by_such_names_are_left_alone() {
    let makefile = "printf -- '-include .depend\\ninclude config.mk\\nCC = cc\\ntest: app\\n\\ttest -e z\\napp: z\\n\\tcp z app\\n' > Makefile; \
                    echo 'PREFIX = /usr' > config.mk; printf 'config.mk\\n.depend\\napp\\n' > .gitignore";
    let package = "printf '{\"scripts\":{\"test\":\"test -e z\"}}' > package.json";
    let ways = [
        (makefile, "make test", "touch z app; echo 'app: z' > .depend; echo 'PREFIX = /opt' > config.mk"),
        (package, "npm test", "echo legacy-peer-deps=true > .npmrc; touch z"),
        (
            "mkdir src; echo 'int x;' > src/a.c",
            "for f in src/*.c; do test -e \"$f\" || exit 1; done; test -e z",
            "echo 'int y;' >> src/a.c; touch z",
        ),
        (
            "echo build/ > .gitignore; mkdir build; printf '#!/bin/sh\\ntest -e z\\n' > build/run; chmod +x build/run",
            "./build/run",
            "echo '# anew' >> build/run; touch z",
        ),
        (
            "mkdir tests; echo 'test -e z' > tests/a.sh",
            "for t in tests/*.sh; do sh $t || exit 1; done",
            "echo true > tests/b.sh; touch z",
        ),
        (
            "mkdir src; echo 'int x;' > src/a.c",
            "ls src/*.c | xargs grep -q int; find src -name '*.c' | xargs cat; test -e z",
            "echo 'int y;' >> src/a.c; touch z",
        ),
        ("echo .env > .gitignore; echo A=1 > .env", ". ./.env; test -e z", "echo B=1 >> .env; touch z"),
        ("printf 'x\\n' > in.txt", "sort < in.txt > /dev/null; test -e z", "echo y >> in.txt; touch z"),
        ("true", "test -e z && python3 -B -m unittest -q", "echo 'def item(): pass' > queue.py; touch z"),
        (
            "echo .venv/ > .gitignore",
            "PATH=.venv/bin:$PATH tool",
            "mkdir -p .venv/bin; printf '#!/bin/sh\\n' > .venv/bin/tool; chmod +x .venv/bin/tool",
        ),
    ];
    for (prepare, check, agent) in ways {
        let (_, ran) = cheats(prepare, check, agent);
        assert!(ran.code == 0 && !ran.out.contains("REFUSED"), "{check}: {agent}: {ran:?}");
    }
}

#[test]
fn what_a_check_does_not_reach_of_a_makefile_is_the_agents() {
    let world = world();
    let honest = "sed -i 's/docs:/docs: more/' Makefile; echo 'exit 0' >> Makefile.md";
    let ran = once(&world, "honest", "make ok || test -f Makefile.md", honest).exits(0);
    assert!(!ran.out.contains("REFUSED"), "{ran:?}");
    let cheat = "printf 'ok:\\n\\ttrue\\n' > GNUmakefile";
    let ran = once(&world, "shadow", "make ok", cheat);
    assert!(ran.out.contains("REFUSED `GNUmakefile`"), "{ran:?}");
}

#[test]
fn what_python_would_run_in_place_of_the_tests_is_refused_in_every_form() {
    let text = "import os\\nos._exit(0)\\n";
    let ways = [
        format!("mkdir -p lib; printf '{text}' > lib/u.txt; ln -s lib/u.txt unittest.py"),
        format!("printf '{text}' > unittest.py; truncate -s 70000000 unittest.py"),
        format!("printf 'unittest.py\\n' >> .gitignore; printf '{text}' > unittest.py"),
        format!("printf 'unittest.py\\n' >> .git/info/exclude; printf '{text}' > unittest.py"),
        format!(
            "printf '{text}' > u.txt; python3 -c \"import py_compile; py_compile.compile('u.txt', cfile='unittest.pyc')\""
        ),
        format!(
            "mkdir unittest; cd unittest; git init -q; printf '{text}' > __init__.py; printf '*\\n' > .git/info/exclude"
        ),
        format!(
            "mkdir test_calc; printf 'test_calc\\n' >> .git/info/exclude; printf '{text}' > test_calc/__init__.py"
        ),
    ];
    for way in ways {
        let world = world();
        let ran = once(&world, "r", "python3 -B -m unittest -q test_calc", &way);
        assert!(ran.code != 0 && ran.out.contains("REFUSED"), "{way}: {ran:?}");
        let left =
            ["unittest.py", "unittest.pyc", "unittest", "test_calc"].map(|name| world.path(name).exists());
        assert_eq!(left, [false; 4], "{way}");
    }
}

#[test]
fn a_module_that_was_there_before_the_run_is_nobodys_work() {
    let world = world();
    world.write("unittest.pyc", "");
    world
        .shell("python3 -c \"import unittest, shutil; shutil.copy(unittest.__file__, 'u')\"; sleep 0.1")
        .exits(0);
    let ran = once(&world, "r", "test -f z", MENDS).exits(0);
    assert!(!ran.out.contains("REFUSED") && world.path("unittest.pyc").exists(), "{ran:?}");
}

#[test]
fn protected_files_that_git_ignores_are_put_back() {
    let world = world();
    world.write("secrets/a.log", "k\n");
    world.write(".env", "KEY=1\n");
    world.write("x.key", "k\n");
    let settings = "[checks]\ntest = 'test -e z'\n[guard]\nprotect = ['.env*', '*.key', 'secrets/*']\n";
    world.write("piton.toml", settings);
    world.piton(&["trust", "--yes"]).exits(0);
    let cheat = "echo evil > secrets/a.log; rm x.key; echo evil > .env; echo evil > secrets/new; echo '# evil' >> piton.toml; touch z";
    let ran = world.piton(&["loop", "x", "--here", "--id", "r", "--exec", cheat, "--max-iterations", "1"]);
    assert!(ran.code != 0 && ran.out.contains("is protected"), "{ran:?}");
    assert_eq!([".env", "x.key", "secrets/a.log"].map(|name| world.read(name)), ["KEY=1\n", "k\n", "k\n"]);
    assert!(!world.path("secrets/new").exists() && world.read("piton.toml") == settings);
    let said = world.piton(&["show", "r"]).out + &world.piton(&["report", "r"]).out;
    assert!(said.contains("`.env` is protected and changed; it was put back"), "{said}");
    // Honest work beside them is left alone.
    world.piton(&["loop", "x", "--here", "--id", "q", "--exec", "touch z other.txt"]).exits(0);
}

#[test]
fn where_a_person_decides_protected_files_stay_as_they_are_left() {
    let world = world();
    world.write(".env", "KEY=1\n");
    world.write("piton.toml", "[checks]\ntest = 'test -e z'\n[guard]\nmode = 'ask'\nprotect = ['.env']\n");
    world.piton(&["trust", "--yes"]).exits(0);
    world.piton(&["loop", "x", "--here", "--id", "r", "--exec", "echo evil > .env; touch z"]).exits(4);
    assert_eq!(world.read(".env"), "evil\n");
}
