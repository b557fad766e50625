//! The words of check configuration: what checks, what ignores a failure, what leaves something out.

/// Commands that check.
pub(super) const CHECKS: &[&str] = &[
    "pytest",
    "unittest",
    "cargo nextest",
    "cargo clippy",
    "cargo fmt",
    "cargo llvm-cov",
    "cargo tarpaulin",
    "jest",
    "vitest",
    "mocha",
    "nyc",
    "c8",
    "ava",
    "tap",
    "node --test",
    "golangci-lint",
    "staticcheck",
    "gofmt -l",
    "go tool cover",
    "rspec",
    "phpunit",
    "ctest",
    "tox",
    "nox",
    "eslint",
    "xo",
    "mypy",
    "pyright",
    "ruff",
    "flake8",
    "pylint",
    "tsc",
    "biome",
    "coverage report",
    "coverage run",
    "prettier --check",
    "black --check",
    "pre-commit run",
    "playwright test",
];

/// What runs a task of a project by its name.
pub(super) const LAUNCHERS: &[&str] = &[
    "npm", "yarn", "pnpm", "bun", "deno", "turbo", "nx", "lerna", "make", "just", "cargo", "go", "$(GO)",
    "mvn", "gradle", "gradlew", "rake", "dotnet",
];

/// Names of tasks that check.
pub(super) const TASKS: &[&str] =
    &["test", "lint", "check", "coverage", "cover", "ci", "typecheck", "verify", "vet"];

/// What is in lines that name something and run nothing.
pub(super) const OTHERS: &[&str] = &[
    "install",
    "pip ",
    "uses:",
    "name:",
    "id:",
    "cache:",
    "needs:",
    "apt-get",
    "description",
    "image:",
    "\"version\"",
    "key:",
    "path:",
];

/// What is in the names of checks that look at code without running it.
pub(super) const LOOKING: &[&str] = &[
    "clippy", "lint", "vet", "mypy", "pyright", "ruff", "flake8", "tsc", "biome", "fmt", "format",
    "prettier", "static", "type", "audit",
];

/// Flags by which a check succeeds whatever it found. What a shell makes of a failure is in [`crate::shell`].
pub(super) const FORGIVING: &[&str] = &[
    "--passWithNoTests",
    "--pass-with-no-tests",
    "--exit-zero",
    "--suppress-no-test-exit-code",
    "--issues-exit-code 0",
    "--issues-exit-code=0",
    "--no-fail",
    "-Dmaven.test.failure.ignore",
];

/// Flags that leave tests, files or rules out of a command.
pub(super) const NARROWS: &[&str] = &[
    "-run",
    "-short",
    "-exec",
    "-list",
    "--list",
    "--listTests",
    "--only",
    "--test-only",
    "--onlyChanged",
    "--collect-only",
    "--co",
    "--dry-run",
    "--no-run",
    "--no-cov",
    "--no-verify",
    "--no-default-features",
    "--lib",
    "--bins",
    "--doc",
    "--lf",
    "--last-failed",
    "--assert",
    "--forceExit",
];

/// What is in the names of other flags that leave something out.
pub(super) const NARROWING: &[&str] =
    &["skip", "ignore", "exclude", "deselect", "grep", "pattern", "filter", "update", "changed", "invert"];

/// Flags that make a check strict; losing one is a loss.
pub(super) const STRICT: &[&str] = &[
    "-D warnings",
    "-D",
    "-Werror",
    "-W error",
    "--strict",
    "--cov-fail-under",
    "--fail-under",
    "--fail-under-lines",
    "--cov",
    "-cover",
    "-coverprofile",
    "--coverage",
    "--max-warnings",
    "-race",
    "--check-coverage",
    "-e",
];

/// Commands that do nothing and succeed.
pub(super) const NOTHING: &[&str] =
    &["true", "echo", ":", "exit 0", "/bin/true", "printf", "skip", "sleep", "python -c", "date"];

/// Variables that take the strength out of checks, with the values that leave it.
pub(super) const VARIABLES: &[(&str, &[&str])] = &[
    ("PYTHONOPTIMIZE", &["", "0"]),
    ("PROPTEST_CASES", &[""]),
    ("INSTA_UPDATE", &["", "no", "auto"]),
    ("UPDATE_SNAPSHOTS", &["", "0", "false"]),
    ("UPDATE_GOLDEN", &["", "0", "false"]),
    ("SKIP_TESTS", &["", "0", "false"]),
    ("PYTEST_ADDOPTS", &[""]),
    ("GOFLAGS", &["", "-mod=mod", "-mod=vendor", "-mod=readonly"]),
];

/// How the names of settings begin whose lists leave something out.
pub(super) const LEAVING_OUT: &[&str] = &[
    "omit",
    "exclude",
    "extend-exclude",
    "ignore",
    "extend-ignore",
    "collect_ignore",
    "disable",
    "grep",
    "testNamePattern",
    "deselect",
    "skip",
    "filterwarnings",
];

/// Settings that say what is looked at; a shorter or other list is a loss.
pub(super) const LOOKING_AT: &[&str] = &[
    "include",
    "testpaths",
    "python_files",
    "python_functions",
    "python_classes",
    "testMatch",
    "testRegex",
    "spec",
    "select",
    "collectCoverageFrom",
    "on",
    "files",
    "branches",
    "paths",
    "needs",
];

/// Switches that are better on, by their whole name.
pub(super) const SWITCHES_ON: &[&str] = &[
    "test",
    "doctest",
    "autotests",
    "harness",
    "error",
    "lint",
    "coverage",
    "collectcoverage",
    "xfail_strict",
];

/// How the names of other switches begin that are better on.
pub(super) const STRICT_STEMS: &[&str] =
    &["strict", "forbid", "fail", "disallow", "warn", "noimplicit", "nounused", "nounchecked", "check"];

/// Switches that are better off, or not there.
pub(super) const SWITCHES_OFF: &[&str] = &[
    "passWithNoTests",
    "dry-run",
    "dryRun",
    "ignore_errors",
    "skipTests",
    "dangerouslyIgnoreUnhandledErrors",
    "allowOnly",
    "skipLibCheck",
];

/// Numbers that must not fall.
pub(super) const FLOORS: &[&str] = &[
    "fail-under",
    "fail_under",
    "threshold",
    "branches",
    "functions",
    "lines",
    "statements",
    "coverage",
    "target",
];

/// Numbers that must not rise by much: waiting longer, trying again, overlooking more.
pub(super) const CEILINGS: &[&str] =
    &["timeout", "retries", "retry", "reruns", "max-warnings", "maxfail", "period"];

/// Parts of paths that hold nothing a person wrote.
pub(super) const NEUTRAL: &[&str] = &[
    "node_modules",
    "build",
    "dist",
    "_generated",
    "generated",
    "vendor",
    "venv",
    "target",
    ".git",
    "__pycache__",
    "migrations",
    "third_party",
    "coverage",
    "out",
    "__main__",
    "site-packages",
    "tmp",
    "docs",
    "examples",
    "__init__",
];
