//! What real compilers, linters and type checkers wrote, and what they counted. `fixtures/README.md` has the commands.

use piton_gauge::lint::{Kind, Lint, Tool, read, read_all};

fn fixture(name: &str) -> String {
    let path = format!("{}/tests/fixtures/lint/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Tool, errors, warnings; `-` is unknown.
fn line(lint: &Lint) -> String {
    let number = |value: Option<u64>| value.map_or("-".to_owned(), |value| value.to_string());
    format!("{} {} {}", lint.tool, number(lint.errors), number(lint.warnings))
}

const OUTPUTS: &[(&str, &str)] = &[
    ("cargo_clean.txt", "cargo 0 0"),
    ("cargo_errors.txt", "cargo 2 0"),
    ("cargo_errors.json", "cargo 2 0"),
    ("clippy.txt", "cargo 0 4"),
    ("clippy_colour.txt", "cargo 0 4"),
    ("clippy.json", "cargo 0 4"),
    ("rustc.txt", "cargo 0 2"),
    ("eslint.txt", "eslint 2 2"),
    ("eslint_colour.txt", "eslint 2 2"),
    ("eslint.json", "eslint 2 2"),
    ("eslint_clean.json", "eslint 0 0"),
    ("tsc.txt", "tsc 3 -"),
    ("tsc_pretty.txt", "tsc 3 -"),
    ("tsc_config.txt", "tsc 1 -"),
    ("mypy.txt", "mypy 2 -"),
    ("mypy_pretty.txt", "mypy 2 -"),
    ("mypy_clean.txt", "mypy 0 -"),
    ("pyright.txt", "pyright 3 0"),
    ("pyright.json", "pyright 3 0"),
    ("pyright_clean.txt", "pyright 0 0"),
    ("ruff.txt", "ruff 5 -"),
    ("ruff_concise.txt", "ruff 5 -"),
    ("ruff_fix.txt", "ruff 2 -"),
    ("ruff_clean.txt", "ruff 0 -"),
    ("ruff.json", "ruff 5 -"),
    ("ruff.sarif", "sarif 5 0"),
    ("flake8.txt", "flake8 10 -"),
    ("pylint.txt", "pylint 1 8"),
    ("pylint.json", "pylint 1 8"),
    ("pylint2.json", "pylint 1 8"),
    ("go_vet.txt", "go 2 -"),
    ("go_vet.json", "go 2 -"),
    ("go_build.txt", "go 1 -"),
    ("staticcheck.txt", "staticcheck 2 -"),
    ("staticcheck.json", "staticcheck 2 0"),
    ("shellcheck.gcc", "shellcheck 1 2"),
    ("shellcheck.tty", "shellcheck 1 2"),
    ("shellcheck.json", "shellcheck 1 2"),
    ("shellcheck.json1", "shellcheck 1 2"),
    ("shellcheck.checkstyle", "checkstyle 1 2"),
    ("gcc.txt", "gcc 1 3"),
    ("clang.txt", "gcc 1 0"),
];

#[test]
fn every_tool_is_understood_as_it_counts_itself() {
    let wrong: Vec<String> = OUTPUTS
        .iter()
        .filter_map(|(name, expected)| {
            let found = read(None, &fixture(name)).as_ref().map_or("nothing".to_owned(), line);
            (found != *expected).then(|| format!("{name}: expected {expected}, found {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn silence_is_not_success() {
    for tool in Tool::ALL {
        assert_eq!(read(Some(tool), ""), None, "{tool}");
        assert_eq!(read(Some(tool), "sh: 1: tool: not found\n"), None, "{tool}");
        assert_eq!(tool.as_str().parse(), Ok(tool));
    }
    assert!("nothing".parse::<Tool>().is_err());
    for noise in ["hello\n", "error\n", "[]", "{}", "[1]", "{\"a\":{}}", "<a/>", "12 errors were made\n"] {
        assert_eq!(read(None, noise), None, "{noise}");
    }
}

#[test]
fn an_empty_document_counts_where_the_tool_is_known() {
    assert_eq!(read(Some(Tool::Ruff), "[]\n").map(|lint| line(&lint)).as_deref(), Some("ruff 0 -"));
    assert_eq!(read(Some(Tool::Shellcheck), "[]").map(|lint| line(&lint)).as_deref(), Some("shellcheck 0 0"));
}

#[test]
fn several_tools_in_one_output_stay_apart() {
    let text = format!("{}\n{}\n{}", fixture("eslint.txt"), fixture("tsc.txt"), fixture("mypy.txt"));
    let found: Vec<String> = read_all(&text).iter().map(line).collect();
    assert_eq!(found, ["eslint 2 2", "tsc 3 -", "mypy 2 -"]);
    let kinds: Vec<Kind> = read_all(&text).iter().map(|lint| lint.kind).collect();
    assert_eq!(kinds, [Kind::Lint, Kind::Type, Kind::Type]);
    assert_eq!(read(Some(Tool::Mypy), &text).and_then(|lint| lint.errors), Some(2));
}

#[test]
fn a_build_that_was_cut_off_claims_no_success() {
    let text = fixture("clippy.txt");
    let end = text.find("warning: `shop`").expect("the sums");
    assert_eq!(read(None, &text[..end]).map(|lint| line(&lint)).as_deref(), Some("cargo - 4"));
    assert_eq!(read(None, "    Checking shop v0.1.0\n"), None);
}

const WRITTEN: &[(&str, &str)] = &[
    (
        "a.go:5:2: Error return value is not checked (errcheck)\n\tf()\n\t^\na.go:9:1: unused (deadcode)\n",
        "golangci-lint 2 -",
    ),
    ("a.go:5:2: SA4006: never used (staticcheck)\n1 issues:\n* staticcheck: 1\n", "golangci-lint 1 -"),
    ("0 issues.\n", "golangci-lint 0 -"),
    (
        "{\"Issues\":[{\"FromLinter\":\"a\",\"Severity\":\"\"}],\"Report\":{}}\n1 issues:\n",
        "golangci-lint 1 -",
    ),
    ("{\"Issues\":null,\"Report\":{\"Linters\":[]}}", "golangci-lint 0 -"),
    ("Cart.java:3: error: ';' expected\nCart.java:9: warning: [removal] f()\n2 problems\n", "gcc 1 1"),
    (
        "{\"version\":\"2.1.0\",\"runs\":[{\"results\":[{\"ruleId\":\"a\"},{\"ruleId\":\"b\"},{\"level\":\"note\"},{\"level\":\"error\",\"suppressions\":[{\"kind\":\"inSource\"}]},{\"kind\":\"pass\"}],\"tool\":{\"driver\":{\"rules\":[{\"id\":\"a\",\"defaultConfiguration\":{\"level\":\"error\"}}]}}}]}",
        "sarif 1 1",
    ),
    (
        "<checkstyle><file><error severity=\"info\"/><error severity=\"error\"/><error/></file></checkstyle>",
        "checkstyle 2 0",
    ),
    (
        "> shop@1.0.0 lint\n> eslint -f json\n\n[{\"filePath\":\"a\",\"errorCount\":1,\"warningCount\":2}]\n",
        "eslint 1 2",
    ),
];

/// Tools that were not at hand, as their users show them, and dialects.
#[test]
fn tools_are_understood_as_they_are_documented() {
    for (text, expected) in WRITTEN {
        let found = read(None, text).as_ref().map_or("nothing".to_owned(), line);
        assert_eq!(found, *expected, "{text}");
    }
}

/// Between its beginning and its sum all lines are a runner's own; before and after they are not.
#[test]
fn what_a_failing_test_prints_is_no_finding_of_a_linter() {
    let runs = |name: &str| {
        let path = format!("{}/tests/fixtures/tests/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    for name in ["go.txt", "go_v.txt", "go_panic.txt", "go_timeout.txt"] {
        assert_eq!(read_all(&runs(name)), [], "{name}");
        let beside = format!("{}{}{0}", runs(name), fixture("go_vet.txt"));
        let found: Vec<String> = read_all(&beside).iter().map(line).collect();
        assert_eq!(found, ["go 2 -"], "{name}");
    }
    // Nobody summed it up: what comes afterwards is another's.
    let died = format!("--- FAIL: TestA (0.00s)\n{}", fixture("go_vet.txt"));
    assert_eq!(read_all(&died).iter().map(line).collect::<Vec<_>>(), ["go 2 -"]);
}
