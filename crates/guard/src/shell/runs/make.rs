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

fn variables(text: &str) -> BTreeMap<String, String> {
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
