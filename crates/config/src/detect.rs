//! Which checks a project seems to have: what `piton init` suggests.
//!
//! Looks only at well-known files at the root, and runs nothing. A file that cannot be read suggests nothing:
//! this is help, not truth; `piton init` runs each check once before it is written down.

use std::path::Path;

use piton_sys::file::read_regular;

const BYTES_MAX: u64 = 4 << 20;
/// How many names of a directory are looked at, and how many files read for one question.
const ENTRIES_MAX: usize = 1_000;
const FILES_MAX: usize = 50;

/// A check that a project seems to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggested {
    pub name: String,
    /// The shell command.
    pub command: String,
    /// What it was seen by.
    pub why: String,
}

/// The checks that the project at `root` seems to have. Names are unique.
pub fn checks(root: &Path) -> Vec<Suggested> {
    let project = Project { root };
    let mut found = Vec::new();
    for (tool, checks) in [
        ("cargo", cargo(&project)),
        ("npm", node(&project)),
        ("python", python(&project)),
        ("go", go(&project)),
    ] {
        for mut check in checks {
            if has(&found, &check.name) {
                check.name = format!("{tool}-{}", check.name);
            }
            found.push(check);
        }
    }
    // A make target tends to wrap what was found already.
    for check in make(&project) {
        if !has(&found, &check.name) {
            found.push(check);
        }
    }
    found
}

fn has(found: &[Suggested], name: &str) -> bool {
    found.iter().any(|check| check.name == name)
}

struct Project<'a> {
    root: &'a Path,
}

impl Project<'_> {
    fn text(&self, name: &str) -> Option<String> {
        String::from_utf8(read_regular(&self.root.join(name), BYTES_MAX).ok()??).ok()
    }

    fn toml(&self, name: &str) -> Option<toml::Table> {
        self.text(name)?.parse().ok()
    }

    /// What runs the tests that need nothing but Python, or pytest, and one of their files.
    fn unittests(&self) -> Option<(&'static str, String)> {
        let mut names: Vec<String> = ["", "tests", "test"]
            .iter()
            .flat_map(|directory| {
                let entries = self.root.join(directory).read_dir().into_iter().flatten().flatten();
                let names =
                    entries.take(ENTRIES_MAX).filter_map(|entry| entry.file_name().into_string().ok());
                names
                    .map(|name| if directory.is_empty() { name } else { format!("{directory}/{name}") })
                    .collect::<Vec<_>>()
            })
            .filter(|path| {
                let name = path.rsplit('/').next().unwrap_or(path);
                name.starts_with("test") && name.ends_with(".py")
            })
            .collect();
        names.sort();
        let text = |path: &String| Some((self.text(path)?, path.clone()));
        let texts: Vec<_> = names.iter().take(FILES_MAX).filter_map(text).collect();
        if let Some((_, path)) = texts.iter().find(|(text, _)| text.contains("import pytest")) {
            return Some(("pytest", format!("`import pytest` in {path}")));
        }
        let of_unittest = |(text, _): &&(String, String)| text.contains("unittest");
        if let Some((_, path)) = texts.iter().find(of_unittest) {
            // Below a directory without `__init__.py` nothing is found unless it is named.
            let directory = path.split_once('/').map(|(directory, _)| directory);
            return Some(
                match directory.filter(|directory| !self.has(&[&format!("{directory}/__init__.py")])) {
                    Some("tests") => ("python3 -m unittest discover -s tests -t .", path.clone()),
                    Some(_) => ("python3 -m unittest discover -s test -t .", path.clone()),
                    None => ("python3 -m unittest", path.clone()),
                },
            );
        }
        texts.iter().find(|(text, _)| text.contains("def test_")).map(|(_, path)| ("pytest", path.clone()))
    }

    fn has(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.root.join(name).exists())
    }
}

fn suggested(name: &str, command: impl Into<String>, why: impl Into<String>) -> Suggested {
    Suggested { name: name.to_owned(), command: command.into(), why: why.into() }
}

fn cargo(project: &Project<'_>) -> Vec<Suggested> {
    let Some(manifest) = project.toml("Cargo.toml") else { return Vec::new() };
    let lints = |table: Option<&toml::Value>| {
        table.and_then(|table| table.get("lints")).is_some_and(|lints| lints.get("clippy").is_some())
    };
    let workspace = manifest.get("workspace");
    let all = if workspace.is_some() { " --workspace" } else { "" };
    let mut found = vec![suggested("test", format!("cargo test{all}"), "Cargo.toml")];
    let own_lints = manifest.get("lints").is_some_and(|lints| lints.get("clippy").is_some());
    if own_lints || lints(workspace) || project.has(&["clippy.toml", ".clippy.toml"]) {
        let command = format!("cargo clippy{all} --all-targets -- -D warnings");
        found.push(suggested("lint", command, "clippy is set up"));
    }
    found
}

fn node(project: &Project<'_>) -> Vec<Suggested> {
    let package =
        project.text("package.json").and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    let Some(package) = package else { return Vec::new() };
    let manager = if project.has(&["pnpm-lock.yaml"]) {
        "pnpm"
    } else if project.has(&["yarn.lock"]) {
        "yarn"
    } else if project.has(&["bun.lock", "bun.lockb"]) {
        "bun"
    } else {
        "npm"
    };
    let mut found = Vec::new();
    if package["scripts"]["test"].as_str().is_none_or(|script| script.contains("no test specified")) {
        let runners = [("vitest", "npx vitest run"), ("jest", "npx jest"), ("mocha", "npx mocha")];
        let is_installed = |name: &str| project.has(&[&format!("node_modules/.bin/{name}")]);
        let installed = runners.into_iter().find(|(name, _)| is_installed(name));
        found.extend(
            installed.map(|(name, command)| suggested("test", command, format!("{name} in node_modules"))),
        );
    }
    for name in ["test", "lint", "typecheck", "build"] {
        let Some(script) = package["scripts"][name].as_str() else { continue };
        // What `npm init` writes is not a test.
        if script.contains("no test specified") {
            continue;
        }
        let command = if name == "test" && manager != "bun" {
            format!("{manager} test")
        } else {
            format!("{manager} run {name}")
        };
        found.push(suggested(name, command, format!("script `{name}` in package.json")));
    }
    found
}

fn python(project: &Project<'_>) -> Vec<Suggested> {
    let pyproject = project.toml("pyproject.toml");
    let tool = |name: &str| {
        pyproject.as_ref().and_then(|table| table.get("tool")).is_some_and(|tools| tools.get(name).is_some())
    };
    let runner = if project.has(&["uv.lock"]) {
        "uv run "
    } else if project.has(&["poetry.lock"]) {
        "poetry run "
    } else {
        ""
    };
    let environment =
        [".venv", "venv"].into_iter().find(|name| project.has(&[&format!("{name}/bin/python")]));
    // Programs of an environment that nobody activated are in no PATH.
    let in_environment = |command: &str| {
        let environment = environment.filter(|_| runner.is_empty());
        let (program, rest) =
            command.split_once(' ').map_or((command, ""), |(program, rest)| (program, rest));
        let command = match (environment, program) {
            (Some(name), "python3") => format!("{name}/bin/python {rest}"),
            (Some(name), _) if project.has(&[&format!("{name}/bin/{program}")]) => {
                format!("{name}/bin/python -m {command}")
            }
            _ => format!("{runner}{command}"),
        };
        command.trim_end().to_owned()
    };
    let mut found = Vec::new();
    let declared = project.text("pyproject.toml").is_some_and(|text| text.contains("pytest"));
    let why = if tool("pytest") || declared {
        Some("pytest in pyproject.toml")
    } else if project.has(&["pytest.ini"]) {
        Some("pytest.ini")
    } else if project.has(&["conftest.py", "tests/conftest.py"]) {
        Some("conftest.py")
    } else {
        None
    };
    found.extend(why.map(|why| suggested("test", in_environment("pytest"), why)));
    if let (None, Some((command, file))) = (why, project.unittests()) {
        found.push(suggested("test", in_environment(command), file));
    }
    if tool("ruff") || project.has(&["ruff.toml", ".ruff.toml"]) {
        found.push(suggested("lint", in_environment("ruff check ."), "ruff is set up"));
    }
    found
}

fn go(project: &Project<'_>) -> Vec<Suggested> {
    if !project.has(&["go.mod"]) {
        return Vec::new();
    }
    vec![suggested("test", "go test ./...", "go.mod"), suggested("vet", "go vet ./...", "go.mod")]
}

fn make(project: &Project<'_>) -> Vec<Suggested> {
    // The order in which make itself looks.
    let name = ["GNUmakefile", "makefile", "Makefile"].into_iter().find(|name| project.has(&[name]));
    let Some((name, text)) = name.and_then(|name| Some((name, project.text(name)?))) else {
        return Vec::new();
    };
    let targets = ["test", "lint", "check"].into_iter().filter(|target| is_target(&text, target));
    targets
        .map(|target| suggested(target, format!("make {target}"), format!("target `{target}` in {name}")))
        .collect()
}

fn is_target(makefile: &str, target: &str) -> bool {
    makefile.lines().any(|line| {
        let Some((names, rest)) = line.split_once(':') else { return false };
        // `test := x` sets a variable.
        !line.starts_with('\t')
            && !rest.starts_with('=')
            && names.split_whitespace().any(|name| name == target)
    })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare their files directly")]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<(String, String)> {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::create_dir_all(root.path().join(name).parent().unwrap()).unwrap();
            std::fs::write(root.path().join(name), text).unwrap();
        }
        checks(root.path()).into_iter().map(|check| (check.name, check.command)).collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(name, command)| ((*name).to_owned(), (*command).to_owned())).collect()
    }

    #[test]
    fn a_cargo_project_is_tested_and_linted_where_clippy_is_set_up() {
        assert_eq!(found(&[("Cargo.toml", "[package]\nname = 'a'")]), pairs(&[("test", "cargo test")]));
        let lint = ("lint", "cargo clippy --workspace --all-targets -- -D warnings");
        let expected = pairs(&[("test", "cargo test --workspace"), lint]);
        assert_eq!(found(&[("Cargo.toml", "[workspace.lints.clippy]\nall = 'warn'")]), expected);
        assert_eq!(found(&[("Cargo.toml", "[workspace]"), ("clippy.toml", "")]), expected);
    }

    #[test]
    fn scripts_of_a_node_project_are_run_by_its_own_package_manager() {
        let package = r#"{"scripts": {"build": "tsc", "test": "vitest", "lint": "eslint ."}}"#;
        let expected = pairs(&[("test", "npm test"), ("lint", "npm run lint"), ("build", "npm run build")]);
        assert_eq!(found(&[("package.json", package)]), expected);
        assert_eq!(found(&[("package.json", package), ("pnpm-lock.yaml", "")])[0].1, "pnpm test");
        assert_eq!(found(&[("package.json", package), ("bun.lock", "")])[0].1, "bun run test");
        let stub = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#;
        assert_eq!(found(&[("package.json", stub)]), []);
    }

    #[test]
    fn python_and_go_projects_are_known() {
        let pyproject = ("pyproject.toml", "[tool.pytest.ini_options]\n[tool.ruff]");
        assert_eq!(found(&[pyproject]), pairs(&[("test", "pytest"), ("lint", "ruff check .")]));
        assert_eq!(found(&[pyproject, ("uv.lock", "")])[0].1, "uv run pytest");
        assert_eq!(found(&[("conftest.py", "")]), pairs(&[("test", "pytest")]));
        assert_eq!(found(&[("go.mod", "")]), pairs(&[("test", "go test ./..."), ("vet", "go vet ./...")]));
    }

    #[test]
    fn what_an_environment_holds_that_nobody_activated_is_named_by_its_path() {
        let python = (".venv/bin/python", "");
        let pytest = (".venv/bin/pytest", "");
        let expected = pairs(&[("test", ".venv/bin/python -m pytest")]);
        assert_eq!(found(&[python, pytest, ("conftest.py", "")]), expected);
        assert_eq!(found(&[python, ("conftest.py", "")]), pairs(&[("test", "pytest")]), "it has none");
        let unittest = ("test_a.py", "import unittest\n");
        assert_eq!(found(&[python, unittest]), pairs(&[("test", ".venv/bin/python -m unittest")]));
        assert_eq!(found(&[python, pytest, ("conftest.py", ""), ("uv.lock", "")])[0].1, "uv run pytest");
        let package = ("package.json", "{}");
        assert_eq!(found(&[package, ("node_modules/.bin/jest", "")]), pairs(&[("test", "npx jest")]));
    }

    #[test]
    fn tests_that_need_no_setup_are_found_by_their_files() {
        let unittest = "import unittest\n";
        assert_eq!(found(&[("test_a.py", unittest)]), pairs(&[("test", "python3 -m unittest")]));
        assert_eq!(found(&[("test_a.py", "def test_a():\n")]), pairs(&[("test", "pytest")]));
        assert_eq!(found(&[("test_a.py", "import pytest, unittest\n")]), pairs(&[("test", "pytest")]));
        assert_eq!(found(&[("a.py", unittest), ("test_b.py", "print(1)")]), []);
    }

    #[test]
    fn a_make_target_counts_where_nothing_else_has_its_name() {
        let makefile = ("Makefile", ".PHONY: test\ntest lint: build\n\techo check: x\ncheck := 1\n");
        assert_eq!(found(&[makefile]), pairs(&[("test", "make test"), ("lint", "make lint")]));
        let expected = pairs(&[("test", "cargo test"), ("lint", "make lint")]);
        assert_eq!(found(&[makefile, ("Cargo.toml", "[package]")]), expected);
    }

    #[test]
    fn two_languages_in_one_project_keep_their_names_apart() {
        let found =
            found(&[("Cargo.toml", ""), ("package.json", r#"{"scripts":{"test":"jest"}}"#), ("go.mod", "")]);
        let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["test", "npm-test", "go-test", "vet"]);
    }

    #[test]
    fn files_that_make_no_sense_suggest_nothing() {
        assert_eq!(found(&[("Cargo.toml", "[["), ("package.json", "[]"), ("pyproject.toml", "=")]), []);
        assert_eq!(found(&[]), []);
    }
}
