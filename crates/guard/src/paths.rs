//! What a file is for, by its path.

use crate::language::Language;
use crate::text::{ends_with_any, file_name, has_any, starts_with_any};
use crate::vocabulary::{CHECK_DIRECTORIES, CHECK_FILES, CHECK_TOOLS, TEST_DIRECTORIES};

/// Whether a file holds tests or what tests need.
pub(crate) fn is_test(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    let rest = &name[stem.len()..];
    directory.split('/').any(|part| TEST_DIRECTORIES.contains(&part))
        || ["test", "tests", "conftest"].contains(&stem)
        || stem.starts_with("test_")
        || ends_with_any(stem, &["_test", "_tests", "_spec"])
        || ["Test", "Tests", "TestCase", "Spec", "IT"]
            .iter()
            .any(|end| stem.ends_with(end) && stem.len() > end.len())
        || starts_with_any(rest, &[".test.", ".spec.", ".cy.", ".e2e."])
        || is_setup(name)
}

/// Whether a file is of tests in any way: it holds them, or what they need or compare with.
pub fn is_of_tests(path: &str) -> bool {
    is_test(path) || is_snapshot(path) || is_fixture(path)
}

/// Whether a file is code in a language that is known.
pub fn is_code(path: &str) -> bool {
    Language::of(path).is_some()
}

/// Whether runners load a file before tests.
fn is_setup(name: &str) -> bool {
    let plain = name.to_lowercase().replace(['.', '-'], "");
    starts_with_any(&plain, &["jestsetup", "vitestsetup", "setuptests", "testsetup", "globalsetup"])
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
pub fn is_snapshot(path: &str) -> bool {
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
    CHECK_FILES.contains(&name)
        || is_make(path)
        || name.starts_with("playwright.config.")
        || is_of_tool(path, name)
        || starts_with_any(path, CHECK_DIRECTORIES)
        || path.ends_with(".sh")
        || path.starts_with("scripts/") && !name.contains('.')
}

/// Whether a new file would change how checks run, by its path: not what a tool reports under its own name.
pub fn steers_checks(path: &str) -> bool {
    let name = file_name(path);
    let reports = [".xml", ".out", ".lcov", ".log", ".html", ".tsbuildinfo"];
    let is_report = name.trim_start_matches('.').split('.').next() == Some("coverage")
        || (ends_with_any(name, &reports) && !CHECK_FILES.contains(&name));
    is_check_configuration(path) && !is_report
}

/// Whether a file says how a tool checks, by the tool's name: `.nycrc`, `jest.config.ts`, `ruff.toml`.
fn is_of_tool(path: &str, name: &str) -> bool {
    let mut parts = name.trim_start_matches('.').split('.');
    let first = parts.next().unwrap_or_default();
    let tool = first.strip_suffix("rc").or_else(|| first.strip_suffix("ignore")).unwrap_or(first);
    // A file of code is named after a tool by chance, unless it says that it configures.
    let configures = parts.any(|part| ["config", "conf", "workspace"].contains(&part));
    CHECK_TOOLS.contains(&tool) && (configures || Language::of(path).is_none())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_tool_reports_is_not_what_it_is_told() {
        for path in
            ["pytest.ini", "jest.config.ts", ".coveragerc", "setup.cfg", "pom.xml", "Makefile", "ci/run.sh"]
        {
            assert!(steers_checks(path), "{path}");
        }
        for path in
            ["coverage.xml", ".coverage", "coverage.json", "jest.xml", "tsconfig.tsbuildinfo", "a.txt"]
        {
            assert!(!steers_checks(path), "{path}");
        }
    }
}
