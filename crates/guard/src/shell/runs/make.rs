//! Makefiles, as far as it takes to tell what a target runs.
//!
//! No make: conditions are passed by and both sides counted, functions are not called.

use std::collections::{BTreeMap, BTreeSet};

/// The order in which make itself looks.
pub(super) const NAMES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// A rule with its recipe, or a line that is none.
struct Block<'a> {
    /// What it makes, and what it needs first; both empty for a line that holds for all.
    targets: Vec<String>,
    needs: Vec<String>,
    lines: Vec<&'a str>,
}

/// What the makefile says of a variable.
pub(super) fn variable(text: &str, name: &str) -> Option<String> {
    let variables = variables(text);
    // What it is outside of the makefile stays as it is.
    let others: BTreeMap<String, String> = variables
        .iter()
        .filter(|(other, _)| *other != name)
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    variables.get(name).map(|value| expand(value, &others, DEPTH_MAX))
}

/// The variables that it gives a value to.
pub(super) fn names(text: &str) -> BTreeSet<String> {
    variables(text).into_keys().collect()
}

/// What says how recipes are run, whatever they are.
const HOW: [&str; 8] =
    ["SHELL", ".SHELLFLAGS", "MAKEFLAGS", "GNUMAKEFLAGS", "MAKE", "PATH", ".DEFAULT_GOAL", "VPATH"];

/// What a makefile says of these variables and targets, and of how recipes are run.
pub(super) fn said(text: &str, names: &BTreeSet<String>, targets: &BTreeSet<String>) -> Vec<String> {
    let variables = variables(text);
    let counts = |name: &String| names.contains(name) || HOW.contains(&name.as_str());
    let given = variables.iter().filter(|(name, _)| counts(name));
    let given: Vec<String> = given.map(|(name, value)| format!("{name} = {value}")).collect();
    let is_special = |target: &String| target.starts_with('.') || targets.contains(target);
    // A line that only says what something needs is what builds write down.
    let has_recipe = |block: &Block<'_>| {
        let first = block.lines.first().copied().unwrap_or_default();
        let more = block.lines.iter().skip(1).any(|line| line.starts_with('\t') && !line.trim().is_empty());
        more || first.contains(';')
    };
    let blocks = blocks(text, &variables).into_iter();
    let blocks = blocks.filter(|block| block.targets.iter().any(is_special) && has_recipe(block));
    given.into_iter().chain(blocks.flat_map(|block| block.lines).map(str::to_owned)).collect()
}

/// Texts of many lines: `define NAME` to `endef`.
fn defined(text: &str) -> BTreeMap<String, String> {
    let mut defined = BTreeMap::new();
    let mut open: Option<(String, Vec<&str>)> = None;
    for line in text.lines() {
        let mut words = line.split_whitespace().skip_while(|word| matches!(*word, "export" | "override"));
        match (words.next(), &mut open) {
            (Some("endef"), Some(_)) => {
                let (name, lines) = open.take().unwrap_or_default();
                defined.insert(name, lines.join("\n"));
            }
            (_, Some((_, lines))) => lines.push(line.trim_start_matches(['\t', '@', '-', '+'])),
            (Some("define"), None) => open = words.next().map(|name| (name.to_owned(), Vec::new())),
            _ => {}
        }
    }
    defined
}

/// Words after which the name of a goal is what is to be done, and no file.
const BEFORE_A_GOAL: [&str; 18] = [
    "go", "cargo", "npm", "yarn", "pnpm", "bun", "run", "mix", "dotnet", "gradle", "gradlew", "mvn", "mvnw",
    "zig", "swift", "sbt", "deno", "make",
];

/// Whether a name is one by which people ask for a verdict, and call no file.
fn is_usual_goal(target: &str) -> bool {
    const GOALS: [&str; 14] = [
        "check",
        "checks",
        "test",
        "tests",
        "lint",
        "unit",
        "integration",
        "e2e",
        "ci",
        "verify",
        "validate",
        "typecheck",
        "spec",
        "specs",
    ];
    let mut parts = target.split(['-', '_']);
    let is_word = target.chars().all(|sign| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_'));
    is_word && (target == "all" || parts.any(|part| GOALS.contains(&part)))
}

/// Those of these targets that make no file of their name, as far as their recipe says, and are not said to be phony: a file of that name
/// is all that make would look at.
pub(super) fn without_file(text: &str, reached: &BTreeSet<String>) -> BTreeSet<String> {
    let variables = variables(text);
    let blocks = blocks(text, &variables);
    let phony: BTreeSet<&String> = blocks
        .iter()
        .filter(|block| block.targets.iter().any(|target| target == ".PHONY"))
        .flat_map(|block| &block.needs)
        .collect();
    let makes_none = |target: &&String| {
        let of_it = || blocks.iter().filter(|block| block.targets.contains(target));
        let lines: Vec<&str> = of_it().flat_map(|block| block.lines.iter().skip(1).copied()).collect();
        let names_it = |line: &&str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let is_it = |at: usize| words[at].split('/').any(|part| part == target.as_str());
            let is_of_runner =
                |at: usize| at > 0 && BEFORE_A_GOAL.iter().any(|word| words[at - 1].ends_with(word));
            line.contains("$@")
                || line.contains("$(@")
                || (0..words.len()).any(|at| is_it(at) && !is_of_runner(at))
        };
        is_usual_goal(target) && !phony.contains(target) && !lines.is_empty() && !lines.iter().any(names_it)
    };
    reached.iter().filter(makes_none).cloned().collect()
}

fn variables(text: &str) -> BTreeMap<String, String> {
    let mut variables = assigned(text);
    variables.extend(defined(text));
    variables
}

fn assigned(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().filter(|line| !line.starts_with('\t'));
    let assigned = lines.filter_map(|line| line.split_once('='));
    let named = assigned.map(|(name, value)| {
        let name = name.trim_end_matches([':', '?', '+', '!', ' ', '\t']);
        (name.trim_start_matches("export ").trim().to_owned(), value.trim().to_owned())
    });
    named.filter(|(name, _)| !name.is_empty() && !name.contains([' ', ':', '$'])).collect()
}

/// The text with the variables of the makefile; `$$` is the shell's.
fn expand(text: &str, variables: &BTreeMap<String, String>, depth: usize) -> String {
    let (mut rest, mut out) = (text, String::new());
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        if let Some(left) = after.strip_prefix('$') {
            out.push('$');
            rest = left;
            continue;
        }
        let closed =
            |open: char, close: char| after.strip_prefix(open).and_then(|inside| inside.split_once(close));
        let Some((name, left)) = closed('(', ')').or_else(|| closed('{', '}')) else {
            // `$@` and its like.
            rest = after.get(after.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default();
            continue;
        };
        match (name, variables.get(name)) {
            ("MAKE", None) => out.push_str("make"),
            ("SHELL", None) => out.push_str("sh"),
            ("CURDIR", None) => out.push('.'),
            (_, Some(value)) if depth > 0 => out.push_str(&expand(value, variables, depth - 1)),
            _ => {}
        }
        rest = left;
    }
    out + rest
}

const DEPTH_MAX: usize = 6;

fn blocks<'a>(text: &'a str, variables: &BTreeMap<String, String>) -> Vec<Block<'a>> {
    let mut blocks: Vec<Block<'a>> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        let is_of_last = goes_on || line.starts_with('\t');
        goes_on = line.ends_with('\\');
        match blocks.last_mut().filter(|_| is_of_last) {
            Some(block) => block.lines.push(line),
            None => {
                let words = |text: &str| {
                    expand(text, variables, DEPTH_MAX)
                        .split_whitespace()
                        .map(str::to_owned)
                        .collect::<Vec<_>>()
                };
                let rule = line
                    .split_once(':')
                    .filter(|(names, rest)| !names.contains('=') && !rest.starts_with(['=', ':']));
                let (targets, needs) = match rule {
                    Some((names, rest)) => {
                        let needs = rest.split(';').next().unwrap_or(rest);
                        (words(names), words(needs))
                    }
                    None => (Vec::new(), Vec::new()),
                };
                blocks.push(Block { targets, needs, lines: vec![line] });
            }
        }
    }
    blocks
}

fn is_for_all(block: &Block<'_>) -> bool {
    let is_special = |target: &String| target.contains('%') || target.starts_with('.');
    block.targets.is_empty() || block.targets.iter().any(is_special)
}

/// These targets with all that they need; without any, the first of the makefile.
pub(super) fn reached(text: &str, targets: &[String]) -> BTreeSet<String> {
    let variables = variables(text);
    let blocks = blocks(text, &variables);
    let usual =
        blocks.iter().filter(|block| !is_for_all(block)).flat_map(|block| block.targets.first()).next();
    let said = variables.get(".DEFAULT_GOAL").map(|goal| expand(goal, &variables, DEPTH_MAX));
    let usual = said.as_ref().filter(|goal| !goal.is_empty()).or(usual);
    let named = targets.iter().chain(usual.filter(|_| targets.is_empty()));
    let mut reached: BTreeSet<String> = named.cloned().collect();
    loop {
        let is_meant = |block: &&Block<'_>| block.targets.iter().any(|target| reached.contains(target));
        let needs: Vec<_> = blocks.iter().filter(is_meant).flat_map(|block| block.needs.clone()).collect();
        let count = reached.len();
        reached.extend(needs);
        if reached.len() == count {
            return reached;
        }
    }
}

/// What counts for these targets: their rules, and what holds for all.
pub(super) fn relevant<'a>(text: &'a str, targets: &BTreeSet<String>) -> Vec<&'a str> {
    let variables = variables(text);
    let counts =
        |block: &Block<'_>| is_for_all(block) || block.targets.iter().any(|target| targets.contains(target));
    let blocks = blocks(text, &variables).into_iter().filter(counts);
    let lines = blocks.flat_map(|block| block.lines);
    lines.filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#')).collect()
}

/// The recipes of these targets, and of patterns, each as one script.
pub(super) fn recipes(text: &str, targets: &BTreeSet<String>) -> Vec<String> {
    let variables = variables(text);
    let counts = |block: &Block<'_>| {
        !block.targets.is_empty()
            && (is_for_all(block) || block.targets.iter().any(|target| targets.contains(target)))
    };
    let blocks = blocks(text, &variables).into_iter().filter(counts);
    let recipe = |block: Block<'_>| {
        let (first, rest) = block.lines.split_first().map_or(("", &[][..]), |(first, rest)| (*first, rest));
        let beside =
            first.split_once(':').and_then(|(_, rest)| rest.split_once(';')).map(|(_, recipe)| recipe);
        let lines = beside.into_iter().chain(rest.iter().copied());
        let lines = lines.map(|line| line.trim_start_matches(['\t', ' ', '@', '-', '+']));
        lines.map(|line| expand(line, &variables, DEPTH_MAX)).collect::<Vec<_>>().join("\n")
    };
    blocks.map(recipe).collect()
}

/// The files that it includes.
pub(super) fn included(text: &str) -> Vec<String> {
    let variables = variables(text);
    let mut found = Vec::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        if matches!(words.next(), Some("include" | "-include" | "sinclude")) {
            let names = expand(&words.collect::<Vec<_>>().join(" "), &variables, DEPTH_MAX);
            found.extend(names.split_whitespace().map(str::to_owned));
        }
    }
    found
}
