//! The words of check configuration: what checks, what ignores a failure, what leaves something out.

/// Commands that check.
pub(super) const CHECKS: &[&str] = &[
    "pytest", "unittest", "cargo test", "cargo nextest", "cargo clippy", "cargo llvm-cov", "npm test", "npm t", "npm run test",
    "npm run lint", "npm run check", "npm run coverage", "npm run typecheck", "npm run ci", "yarn test", "yarn lint", "pnpm test", "pnpm lint", "jest", "vitest", "mocha", "nyc", "c8", "ava",
    "tap", "node --test", "go test", "go vet", "$(GO) test", "$(GO) vet", "golangci-lint", "staticcheck", "gotestsum", "mvn test", "mvn verify",
    "gradle test", "gradlew test", "gradle check", "gradlew check", "dotnet test", "rspec", "minitest", "rake test", "phpunit", "ctest", "tox", "nox",
    "eslint", "mypy", "pyright", "ruff", "flake8", "pylint", "tsc", "biome", "make test", "make check", "make lint", "make cover", "make coverage",
    "coverage-gate", "diff-cover", "cargo fmt", "playwright test", "cypress run", "coverage report", "go tool cover", "deno test", "bun test",
];

/// What makes a failing command succeed.
pub(super) const IGNORES: &[&str] = &[
    "|| true", "||true", "|| :", "||:", "|| exit 0", "; true", "; exit 0", "|| echo", "|| /bin/true", "| cat", "; :", "|| printf",
    "--passWithNoTests", "--exit-zero", "--suppress-no-test-exit-code", "--dangerouslyIgnoreUnhandledErrors", "--pass-with-no-tests",
    "-Dmaven.test.failure.ignore", "--continue", "--no-errors-on-unmatched", "|| return 0", "--exit-code 0", "--issues-exit-code=0", "--issues-exit-code 0",
];

/// What leaves tests, files or rules out of a command.
pub(super) const NARROWS: &[&str] = &[
    "--deselect", "--ignore", "--ignore-glob", "-k", "-m", "--skip", "--exclude", "-skip", "-short", "--testPathIgnorePatterns",
    "--testNamePattern", "-t", "--grep", "-g", "--fgrep", "--invert", "-run", "--bins", "--lib", "--doc", "--examples", "--collect-only", "--co", "--no-run",
    "-list", "--list", "-exec", "-DskipTests", "-Dmaven.test.skip=true", "--dry-run", "--last-failed", "--lf", "-p no:", "--only", "-x test",
    "--update", "-u", "--updateSnapshot", "--update-snapshots", "--snapshot-update", "-A", "--allow", "--quiet", "--no-verify", "--retries", "--reruns", "--retry",
    "--force-sugar", "--ff", "--stepwise-skip", "--testPathPattern", "--onlyChanged", "-o", "--changed", "-E", "--filter", "-W ignore", "--no-strict", "--disable", "--no-cov", "--noEmitOnError", "-failfast=false", "--listTests", "--showConfig", "--version", "--help", "--detectOpenHandles=false", "-n0", "--ignore-default-filter",
];

/// Flags that make a check strict; losing one is a loss.
pub(super) const STRICT: &[&str] = &[
    "-D warnings", "-D", "-Werror", "-W error", "--strict", "--cov-fail-under", "--fail-under", "--fail-under-lines", "--cov", "-cover", "-coverprofile", "--coverage",
    "--max-warnings", "-race", "--check-coverage", "--forbid-only", "--strict-markers", "--all-targets", "--workspace", "--all", "--error", "-e", "--locked-check", "--fail-on-warnings", "--noEmit-check",
];

/// Commands that do nothing and succeed.
pub(super) const NOTHING: &[&str] = &["true", "echo", ":", "exit 0", "/bin/true", "printf", "skip", "no-op", "noop"];

/// Settings whose lists leave something out.
pub(super) const LEAVING_OUT: &[&str] = &[
    "omit", "exclude", "exclude_lines", "exclude_also", "extend-exclude", "ignore", "extend-ignore", "ignorePatterns", "testPathIgnorePatterns", "coveragePathIgnorePatterns",
    "modulePathIgnorePatterns", "norecursedirs", "collect_ignore", "collect_ignore_glob", "per-file-ignores", "disable", "disabled", "grep", "fgrep", "invert", "testNamePattern", "deselect", "exclude-rules",
    "exclude-files", "exclude-dirs", "paths-ignore", "branches-ignore", "skip", "skips", "ignores", "filterwarnings", "exclude-patterns", "ignore_errors", "allow", "skip-files", "skip-dirs", "excludeFiles", "coverage-ignore",
];

/// Settings that say what is looked at; a shorter or other list is a loss.
pub(super) const LOOKING_AT: &[&str] = &[
    "include", "testpaths", "python_files", "python_functions", "python_classes", "testMatch", "testRegex", "spec", "select", "extend-select", "enable", "linters", "collectCoverageFrom",
    "on", "files", "roots", "branches", "default-filter", "members", "extends", "plugins", "reportOn", "paths", "fail_ci_if_error", "needs", "types",
];

/// Switches that are better on.
pub(super) const SWITCHES_ON: &[&str] = &[
    "strict", "check", "forbid", "fail", "enforce", "required", "error", "deny", "disallow", "warn", "test", "doctest", "bail", "noImplicit", "coverage", "lint", "no_implicit", "autotests", "restrict", "skipLibCheck-off", "noUnused", "race", "enabled", "verify", "no-only", "exactOptional", "alwaysStrict", "noUnchecked", "noFallthrough",
];

/// Switches that are better off, or not there.
pub(super) const SWITCHES_OFF: &[&str] = &[
    "continue-on-error", "allow_failure", "passWithNoTests", "dry-run", "dryRun", "ignore_errors", "ignoreFailures", "testFailureIgnore", "skipTests", "allowJs-any", "ignore_missing_imports", "dangerouslyIgnoreUnhandledErrors",
    "failZero", "allow-failure", "maven.test.skip", "allowOnly", "skipLibCheck", "pass-with-no-tests", "allowUnreachableCode", "allowUnusedLabels", "noEmitOnError-off", "ignoreDeprecations", "updateSnapshot", "silent", "collect-only", "suppressImplicitAnyIndexErrors", "ignore-failures", "informational", "only_pulls",
];

/// Numbers that must not fall.
pub(super) const FLOORS: &[&str] = &[
    "fail-under", "fail_under", "threshold", "branches", "functions", "lines", "statements", "minimum", "target", "min_coverage", "gate", "coverage", "min-", "instructions", "fail-under-lines", "testtimeout-min",
];

/// Numbers that must not rise by much: waiting longer, trying again, overlooking more.
pub(super) const CEILINGS: &[&str] = &[
    "timeout", "retries", "retry", "reruns", "max-warnings", "maxfail", "max_warnings", "max-complexity", "max-failures", "slow-timeout", "period", "allowed-failures", "max-issues", "cognitive", "max-line", "tolerance",
];

/// Parts of paths that hold nothing a person wrote.
pub(super) const NEUTRAL: &[&str] = &[
    "node_modules", "build", "dist", "_generated", "generated", "vendor", "venv", ".venv", "target", ".git", "__pycache__", "migrations", "third_party", ".tox", "coverage", ".next", "out", ".cache", "__main__", "site-packages", ".eggs", ".mypy_cache", "tmp", "docs", "examples", "__init__",
];
