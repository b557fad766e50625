//! What a check reads and runs: scripts and recipes, the configuration of the tools that it starts, and those tools by name.
//!
//! Read from the command and from the names of files, so it is a list of what is likely, and no trace: what a tool opens besides is not in it.

use std::collections::BTreeSet;

use super::{Search, Tree, words};
use crate::protect::is_protected;
use crate::text::{file_name, starts_with_any};

/// What a check reads and runs, as far as that can be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Closure {
    /// Files of the tree, by path: those that are there.
    pub files: BTreeSet<String>,
    /// Programs that are no files of the tree, by the names that the command and its scripts give them.
    pub tools: BTreeSet<String>,
}

/// More of either is not listed.
const MEMBERS_MAX: usize = 64;

/// Words that a shell knows by itself, and programs of which every script has some.
const OF_EVERY_SCRIPT: &str = "echo cd pushd popd set export test [ [[ true false : . source exit return shift trap eval exec printf read unset \
     local if then else elif fi for while until do done case esac in wait umask ulimit type command builtin time { } ! rm mkdir cp mv \
     cat touch ls pwd dirname basename grep sed";

/// Tools that read files of one sort: by the beginning of their names, with the names of the files and how others begin.
const READS: [(&str, &str, &str); 4] = [
    (
        "python pypy pytest py.test tox nox unittest coverage",
        "conftest.py pytest.ini .pytest.ini tox.ini setup.cfg pyproject.toml noxfile.py .coveragerc sitecustomize.py usercustomize.py",
        "",
    ),
    (
        "node npm npx yarn pnpm bun bunx deno jest vitest mocha ava tap jasmine playwright tsc tsx ts-node eslint",
        "package.json .npmrc .yarnrc .yarnrc.yml bunfig.toml pnpm-workspace.yaml deno.json",
        "jest.config. jest.setup. vitest.config. vitest.workspace. vite.config. .mocharc ava.config. playwright.config. tsconfig babel.config. .babelrc",
    ),
    (
        "cargo rustc cargo-nextest",
        "Cargo.toml build.rs rust-toolchain rust-toolchain.toml nextest.toml config.toml",
        "",
    ),
    ("go gotestsum", "go.mod go.work", ".golangci"),
];

/// What `command` reads and runs of a tree that holds these paths.
pub fn closure<'a>(command: &str, tree: &Tree<'_>, paths: impl Iterator<Item = &'a str> + Clone) -> Closure {
    let mut search = Search::of(tree);
    search.script(command, &BTreeSet::from([String::new()]), super::DEPTH_MAX);
    let (found, programs) = (search.found, search.programs);
    let mut files = BTreeSet::new();
    for path in found.keys() {
        match path.contains(['*', '?']) {
            true => files.extend(paths.clone().filter(|known| is_protected(known, path)).map(str::to_owned)),
            false if (tree.read)(path).is_some() => _ = files.insert(path.clone()),
            false => {}
        }
    }
    let has = |list: &str, word: &str| list.split_whitespace().any(|known| known == word);
    let is_started = |names: &str| programs.iter().any(|tool| has(names, words::program(tool)));
    for (_, names, starts) in READS.iter().filter(|(tools, ..)| is_started(tools)) {
        let is_read = |path: &&str| {
            let name = file_name(path);
            let begins =
                !starts.is_empty() && starts_with_any(name, &starts.split_whitespace().collect::<Vec<_>>());
            // `config.toml` is a name of many.
            let is_other = name == "config.toml" && !path.contains(".cargo/");
            begins || has(names, name) && !is_other
        };
        files.extend(paths.clone().filter(is_read).map(str::to_owned));
        // What git ignores is read all the same, at the top of the tree.
        let unseen = names.split_whitespace().filter(|name| (tree.read)(name).is_some());
        files.extend(unseen.filter(|name| *name != "config.toml").map(str::to_owned));
    }
    let is_tool = |tool: &String| {
        let is_file = tool.contains('/') && !tool.starts_with('/');
        !is_file && !has(OF_EVERY_SCRIPT, tool) && !tool.contains(['$', '*', '=', '(', '`'])
    };
    let tools = programs.into_iter().filter(is_tool).take(MEMBERS_MAX).collect();
    Closure { files: files.into_iter().take(MEMBERS_MAX).collect(), tools }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn closure_of(command: &str, files: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
        let files: BTreeMap<&str, &str> = files.iter().copied().collect();
        let read = |path: &str| files.get(path).map(|text| text.as_bytes().to_vec());
        let (is_kept, link) = (|path: &str| files.contains_key(path), |_: &str| None);
        let tree = Tree { read: &read, is_kept: &is_kept, link: &link };
        let Closure { files, tools } = closure(command, &tree, files.keys().copied());
        (files.into_iter().collect(), tools.into_iter().collect())
    }

    #[test]
    fn a_check_reads_its_scripts_and_the_configuration_of_its_tools() {
        let files = [
            ("Makefile", "include common.mk\ntest:\n\ttimeout 60 scripts/test.sh\n"),
            ("common.mk", "X = 1\n"),
            ("scripts/test.sh", "set -e\npython3 -m pytest -q tests\n"),
            ("tests/conftest.py", ""),
            ("tests/test_a.py", ""),
            ("pyproject.toml", ""),
            ("package.json", "{}"),
            ("src/app.py", ""),
        ];
        let (read, tools) = closure_of("make test", &files);
        assert_eq!(read, ["Makefile", "common.mk", "pyproject.toml", "scripts/test.sh", "tests/conftest.py"]);
        assert_eq!(tools, ["make", "python3", "timeout"]);
    }

    #[test]
    fn each_tool_has_its_own() {
        let files = [
            ("package.json", "{\"scripts\": {\"test\": \"vitest run\"}}"),
            (".npmrc", ""),
            ("vitest.config.ts", ""),
            ("Cargo.toml", ""),
            (".cargo/config.toml", ""),
            ("other/config.toml", ""),
            ("pytest.ini", ""),
        ];
        assert_eq!(
            closure_of("npm test", &files),
            (
                [".npmrc", "package.json", "vitest.config.ts"].map(str::to_owned).to_vec(),
                ["npm", "vitest"].map(str::to_owned).to_vec()
            )
        );
        assert_eq!(closure_of("cargo test", &files).0, [".cargo/config.toml", "Cargo.toml"]);
        assert_eq!(closure_of("./check", &files), (Vec::new(), Vec::new()));
    }
}
