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
