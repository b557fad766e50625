//! What a file is for, by its path.

use crate::language::Language;
use crate::text::{ends_with_any, file_name, has_any, starts_with_any};

/// Directories that hold tests.
const TEST_DIRECTORIES: &[&str] =
    &["test", "tests", "__tests__", "spec", "specs", "testing", "e2e", "testdata", "fixtures", "it"];

/// Files that runners load before tests, by how their names begin.
const SETUP_FILES: &[&str] = &[
    "jest.setup.",
    "jest-setup.",
    "vitest.setup.",
    "vitest-setup.",
    "setupTests.",
    "setup-tests.",
    "test-setup.",
    "testSetup.",
    "test.setup.",
    "globalSetup.",
    "global-setup.",
];

/// Whether a file holds tests or what tests need.
pub(crate) fn is_test(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    let rest = &name[stem.len()..];
    directory.split('/').any(|part| TEST_DIRECTORIES.contains(&part))
        || stem == "test"
        || stem == "tests"
        || stem == "conftest"
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem.ends_with("_spec")
        || ["Test", "Tests", "TestCase", "Spec", "IT"]
            .iter()
            .any(|end| stem.ends_with(end) && stem.len() > end.len())
        || starts_with_any(rest, &[".test.", ".spec.", ".cy.", ".e2e."])
        || starts_with_any(name, SETUP_FILES)
}

/// Whether the usual runner of its language looks for tests in a file, by the file's name and place alone.
pub(crate) fn is_collected(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    Language::of(path).is_some_and(|language| (language.traits.collects_file)(directory, name))
}

/// Whether a file may hold tests: most languages keep them in files of their own.
pub(crate) fn may_hold_tests(path: &str) -> bool {
    Language::of(path).is_some() && (has_tests_beside_code(path) || is_test(path))
}

/// Whether tests of its language stand in the files that they test.
pub(crate) fn has_tests_beside_code(path: &str) -> bool {
    Language::of(path).is_some_and(|language| language.traits.tests_beside_code)
}

/// Whether a file is a recorded snapshot or a golden file.
pub(crate) fn is_snapshot(path: &str) -> bool {
    let name = file_name(path);
    path.contains("__snapshots__/")
        || ends_with_any(name, &[".snap", ".golden", ".approved.txt", ".ambr"])
        || has_any(&format!("/{path}"), &["/golden/", "/goldens/", "/snapshots/"])
        || is_expected_output(path, name)
}

/// Whether a file of test data holds what a run must give, by its name.
fn is_expected_output(path: &str, name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    let ends = [".expected", ".want", ".stdout", ".stderr", ".approved", ".expected.txt", ".expected.json"];
    let is_named = ends_with_any(name, &ends)
        || stem.contains("golden")
        || stem.starts_with("expected")
        || stem.ends_with("expected");
    is_named && is_test(path) && Language::of(path).is_none()
}

/// Whether a file is data that tests compare with.
pub(crate) fn is_fixture(path: &str) -> bool {
    has_any(&format!("/{path}"), &["/fixtures/", "/testdata/", "/expected/", "/test-data/", "/test_data/"])
}

/// Whether a file says how checks run: continuous integration, test runners, linters, coverage, hooks.
pub(crate) fn is_check_configuration(path: &str) -> bool {
    let name = file_name(path);
    const DIRECTORIES: &[&str] = &[
        ".github/actions/",
        ".github/workflows/",
        ".cargo/",
        ".circleci/",
        ".husky/",
        ".buildkite/",
        "ci/",
        ".ci/",
    ];
    const STARTS: &[&str] = &[
        ".c8rc",
        ".nycrc",
        "nyc.config.",
        ".taprc",
        ".jestrc",
        "ava.config.",
        "playwright.config.",
        "cypress.config.",
        "karma.conf.",
        "wtr.config.",
        "web-test-runner.config.",
        "tarpaulin.toml",
        ".tarpaulin.toml",
        "rustfmt.toml",
        ".rustfmt.toml",
        ".clippy.toml",
        ".golangci.",
        "tsconfig.",
        "pyrightconfig.json",
        ".oxlintrc",
        ".eslintrc",
        "eslint.config.",
        "biome.json",
        ".mocharc",
        "bitbucket-pipelines.yml",
        "appveyor.yml",
        ".appveyor.yml",
        ".cirrus.yml",
        ".woodpecker.yml",
        ".drone.yml",
        "turbo.json",
        ".lintstagedrc",
        "lint-staged.config.",
        "sonar-project.properties",
        "bunfig.toml",
        "deno.json",
        ".stestr.conf",
        ".istanbul.yml",
        "pylintrc",
        "Earthfile",
        "jest.config.",
        "vitest.config.",
        "vite.config.",
        "vitest.workspace.",
    ];
    const NAMES: &[&str] = &[
        "package.json",
        "pyproject.toml",
        "setup.cfg",
        "tox.ini",
        "pytest.ini",
        ".pytest.ini",
        "noxfile.py",
        ".coveragerc",
        "Makefile",
        "makefile",
        "GNUmakefile",
        "justfile",
        "Justfile",
        "Taskfile.yml",
        "Cargo.toml",
        "codecov.yml",
        ".codecov.yml",
        ".eslintignore",
        "ruff.toml",
        ".ruff.toml",
        ".flake8",
        "mypy.ini",
        ".pylintrc",
        "clippy.toml",
        ".pre-commit-config.yaml",
        "Jenkinsfile",
        "azure-pipelines.yml",
        ".gitlab-ci.yml",
        ".travis.yml",
        "piton.toml",
        "pom.xml",
        "build.gradle",
        "phpunit.xml",
        "phpunit.xml.dist",
        ".rspec",
        "Rakefile",
        "CMakeLists.txt",
        "nextest.toml",
        "lefthook.yml",
    ];
    NAMES.contains(&name)
        || starts_with_any(name, STARTS)
        || starts_with_any(path, DIRECTORIES)
        || path.ends_with(".sh")
        || path.starts_with("scripts/") && !name.contains('.')
}

/// Whether a file holds targets and their recipes.
pub(crate) fn is_make(path: &str) -> bool {
    let name = file_name(path).to_lowercase();
    name.contains("makefile") || name.contains("justfile") || name.ends_with(".mk")
}

/// Whether a file says what is to be left alone.
pub(crate) fn is_ignore_file(path: &str) -> bool {
    let name = file_name(path);
    name.starts_with('.') && name.ends_with("ignore")
}
