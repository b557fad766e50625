//! Names under which a file has the words of a test framework: `import { test as t } from "node:test"`.
//!
//! They are settled before anything else looks at the file: a token that stands for such a word is read as that word from then
//! on ([`Source::word`](super::Source::word)), and `nodeTest.it` becomes `it`. So no rule knows of aliases, and renaming one
//! changes nothing. Where a function has a parameter or a value of the same name, the name is that one's.

use std::collections::{BTreeMap, BTreeSet};

use super::{Kind, Piece, Source, Span};
use crate::language::{Class, Imports};
use crate::words::{self, ASSERT_MODULES, PYTEST_WORDS, TEST_MODULES, TEST_MODULES_OF_PYTHON};

/// More names are not looked at: no person gives so many.
const NAMES_MAX: usize = 200;

/// What a name of the file stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Meaning {
    /// A word, or several with dots between them.
    Word(String),
    /// All that a framework has, which is also this word.
    Framework(&'static str),
}

/// A name that was brought in: what it is called here, and what there. No name there is all of it.
struct Brought {
    here: String,
    there: Option<String>,
    module: String,
}

/// Reads each name that stands for a word of a test framework as that word.
pub(super) fn settle(source: &mut Source) {
    let mut names: BTreeMap<String, Meaning> = BTreeMap::new();
    let mut known: BTreeSet<usize> = BTreeSet::new();
    for (index, piece) in source.pieces.iter().enumerate() {
        let found = match piece.class {
            Class::Import => imported(source, &piece.span),
            Class::Binding if piece.parent.is_none() => bound(source, piece, &names),
            _ => continue,
        };
        if !found.is_empty() || piece.class == Class::Import {
            known.insert(index);
        }
        names.extend(found.into_iter().take(NAMES_MAX.saturating_sub(names.len())));
    }
    if names.is_empty() {
        return;
    }
    let others = taken(source, &mut names, &known);
    let settled: Vec<Span> = known.iter().map(|index| source.pieces[*index].span.clone()).collect();
    let mut dropped = BTreeSet::new();
    for index in 0..source.tokens.len() {
        let name = source.word(index);
        let Some(meaning) = names.get(name) else { continue };
        let is_other = others.iter().any(|(other, span)| other == name && span.contains(&index));
        if source.tokens[index].kind != Kind::Word
            || is_other
            || settled.iter().any(|span| span.contains(&index))
            || is_member_or_key(source, index)
        {
            continue;
        }
        let word = match meaning {
            Meaning::Word(word) => word.clone(),
            Meaning::Framework(_) if source.word(index + 1) == "." && is_of_tests(source.word(index + 2)) => {
                dropped.extend([index, index + 1]);
                continue;
            }
            Meaning::Framework(word) => (*word).to_owned(),
        };
        source.stands_for(index, word);
    }
    source.drop_tokens(&dropped);
}

/// Words of a framework that are its own wherever they stand.
fn is_of_tests(word: &str) -> bool {
    words::declares_tests(word) || ["expect", "assert"].contains(&word)
}

/// What names mean that an import brings.
fn imported(source: &Source, span: &Span) -> Vec<(String, Meaning)> {
    let brought = match source.language.traits.imports {
        Imports::None => Vec::new(),
        Imports::Braced => braced(source, span),
        Imports::Listed => listed(source, span),
        Imports::Modules => modules(source, span),
        Imports::Paths => paths(source, span),
    };
    brought.into_iter().filter_map(|brought| named(source, brought)).collect()
}

/// A name with its meaning, unless it is the word itself.
fn named(source: &Source, brought: Brought) -> Option<(String, Meaning)> {
    let meaning = meaning(source.language.traits.imports, &brought)?;
    (meaning != Meaning::Word(brought.here.clone())).then_some((brought.here, meaning))
}

/// What a name means, if that is a word of a test framework.
fn meaning(imports: Imports, brought: &Brought) -> Option<Meaning> {
    let Brought { there, module, .. } = brought;
    let word = |text: &str| Some(Meaning::Word(text.to_owned()));
    match (imports, there.as_deref()) {
        (Imports::Braced, there) => of_module(module, there),
        (Imports::Listed, Some(name)) if module == "pytest" && PYTEST_WORDS.contains(&name) => {
            word(&format!("pytest.{name}"))
        }
        (Imports::Listed, there) if TEST_MODULES_OF_PYTHON.contains(&module.as_str()) => {
            word(there.unwrap_or(module))
        }
        (Imports::Modules, _) => {
            let last = module.rsplit('/').next().unwrap_or_default();
            let is_known = module.contains("testify/") && ["assert", "require"].contains(&last);
            is_known.then(|| Meaning::Word(last.to_owned()))
        }
        (Imports::Paths, Some(name)) => {
            let is_known = name == "test" || words::assert_word(name).is_some_and(|word| word.bare);
            is_known.then(|| Meaning::Word(name.to_owned()))
        }
        _ => None,
    }
}

/// What a name of a module for scripts means.
fn of_module(module: &str, there: Option<&str>) -> Option<Meaning> {
    let is_assert = ASSERT_MODULES.contains(&module);
    let is_of_tests_module = TEST_MODULES.contains(&module);
    match there {
        None | Some("default") if is_assert => Some(Meaning::Word("assert".to_owned())),
        None | Some("default") if is_of_tests_module => Some(Meaning::Framework("test")),
        None | Some("default") => (module == "expect").then(|| Meaning::Word("expect".to_owned())),
        Some("strict") if is_assert => Some(Meaning::Word("assert".to_owned())),
        // A bare `equal` may be anything; one of this module is an assertion.
        Some(name) if is_assert && words::assert_word(name).is_some_and(|word| !word.bare) => {
            Some(Meaning::Word(format!("assert.{name}")))
        }
        Some(name) => {
            let is_known = is_assert || module == "expect" || is_of_tests_module;
            (is_known && is_of_tests(name)).then(|| Meaning::Word(name.to_owned()))
        }
    }
}

/// `import t, { test as u, it } from "m"`, `import * as t from "m"`, `import t = require("m")`.
fn braced(source: &Source, span: &Span) -> Vec<Brought> {
    let Some(module) = text_in(source, span) else { return Vec::new() };
    let brought = |here: &str, there: Option<&str>| Brought {
        here: here.to_owned(),
        there: there.map(str::to_owned),
        module: module.clone(),
    };
    let mut found = Vec::new();
    let end = span.clone().find(|at| matches!(source.word(*at), "from" | "=")).unwrap_or(span.end);
    for part in source.split(&(span.start + 1..end)) {
        match source.word(part.start) {
            "{" => found.extend(
                pairs(source, &source.inside(&part), "as")
                    .into_iter()
                    .map(|(there, here)| brought(&here, Some(&there))),
            ),
            "*" => found.push(brought(source.word(part.end - 1), None)),
            "type" => {}
            here => found.push(brought(here, Some("default"))),
        }
    }
    found
}

/// `import a as b, c`, `from m import a as b, c`.
fn listed(source: &Source, span: &Span) -> Vec<Brought> {
    let import = span.clone().find(|at| source.word(*at) == "import").unwrap_or(span.end);
    let names = source.inside(&(import.saturating_add(1).min(span.end)..span.end));
    let module: String = (span.start + 1..import).map(|at| source.word(at)).collect();
    let brought = |(there, here): (String, String)| match module.is_empty() {
        true => Brought { here, there: None, module: there },
        false => Brought { here, there: Some(there), module: module.clone() },
    };
    pairs(source, &names, "as").into_iter().map(brought).collect()
}

/// `import a "m"`, also several in brackets.
fn modules(source: &Source, span: &Span) -> Vec<Brought> {
    let named = |at: usize| {
        let is_name = source.tokens[at].kind == Kind::Word && source.word(at) != "import";
        let module = source.tokens.get(at + 1).filter(|next| is_name && next.kind == Kind::Text)?;
        let module = source.text[module.bytes()].trim_matches(['"', '`']).to_owned();
        Some(Brought { here: source.word(at).to_owned(), there: None, module })
    };
    span.clone().filter_map(named).collect()
}

/// `use a::b as c`, also several in braces.
fn paths(source: &Source, span: &Span) -> Vec<Brought> {
    let renamed = span.clone().filter(|at| *at > span.start && source.word(*at) == "as");
    renamed
        .map(|at| Brought {
            here: source.word(at + 1).to_owned(),
            there: Some(source.word(at - 1).to_owned()),
            module: String::new(),
        })
        .collect()
}

/// `const t = require("m")`, `const { test: t } = require("m")`, `const t = require("m").test`, `const t = test`.
fn bound(source: &Source, piece: &Piece, known: &BTreeMap<String, Meaning>) -> Vec<(String, Meaning)> {
    if source.language.traits.imports != Imports::Braced
        || piece.arguments.is_empty()
        || piece.arguments.len() > 12
    {
        return Vec::new();
    }
    let here = source.word(piece.name.start).to_owned();
    let is_name = piece.name.len() == 1;
    let value = &piece.arguments;
    let asks = source.word(value.start) == "require" || source.word(value.start) == "await";
    let Some(module) = text_in(source, value).filter(|_| asks) else {
        let one = Some(source.word(value.start)).filter(|_| is_name && value.len() == 1);
        let meaning = one.and_then(|word| match known.get(word) {
            Some(meaning) => Some(meaning.clone()),
            None => words::declares_tests(word).then(|| Meaning::Word(word.to_owned())),
        });
        return meaning.map(|meaning| vec![(here, meaning)]).unwrap_or_default();
    };
    let brought = |here: &str, there: Option<&str>| Brought {
        here: here.to_owned(),
        there: there.map(str::to_owned),
        module: module.clone(),
    };
    let member = (source.word(value.end - 2) == ".").then(|| source.word(value.end - 1));
    let all: Vec<Brought> = match source.word(piece.name.start) {
        "{" => {
            let pairs = pairs(source, &source.inside(&piece.name), ":");
            pairs.into_iter().map(|(there, name)| brought(&name, Some(&there))).collect()
        }
        _ if is_name => vec![brought(&here, member)],
        _ => Vec::new(),
    };
    all.into_iter().filter_map(|brought| named(source, brought)).collect()
}

/// What a list calls there and here: `a as b, c` is `(a, b), (c, c)`.
fn pairs(source: &Source, list: &Span, between: &str) -> Vec<(String, String)> {
    let one = |part: Span| {
        let parts = source.split_at(&part, &[between]);
        let text = |span: &Span| span.clone().map(|at| source.word(at)).collect::<String>();
        match &parts[..] {
            [one] => Some((text(one), text(one))),
            [there, here] => Some((text(there), text(here))),
            _ => None,
        }
    };
    source.split(list).into_iter().filter_map(one).collect()
}

/// The last text of a range, without its quotes.
fn text_in(source: &Source, span: &Span) -> Option<String> {
    let mut texts = span.clone().filter(|at| source.tokens[*at].kind == Kind::Text);
    texts.next_back().map(|at| source.word(at).trim_matches(['"', '\'', '`']).to_owned())
}

/// Where names are those of something else; what the whole file has under another meaning is no alias.
fn taken(
    source: &Source,
    names: &mut BTreeMap<String, Meaning>,
    known: &BTreeSet<usize>,
) -> Vec<(String, Span)> {
    let mut others = Vec::new();
    for (index, piece) in source.pieces.iter().enumerate() {
        let (span, holder) = match piece.class {
            Class::Function | Class::Lambda => (piece.header(), Some(piece.span.clone())),
            // `t.x = 1` gives a member another value, not `t`.
            Class::Binding if !known.contains(&index) && !piece.name.clone().any(|at| is_dot(source, at)) => {
                let function = source
                    .around(index)
                    .find(|(_, outer)| matches!(outer.class, Class::Function | Class::Lambda));
                (piece.name.clone(), function.map(|(_, outer)| outer.span.clone()))
            }
            _ => continue,
        };
        let said = span.filter(|at| source.tokens[*at].kind == Kind::Word && !is_member(source, *at));
        let said: Vec<String> = said
            .map(|at| source.word(at))
            .filter(|word| names.contains_key(*word))
            .map(str::to_owned)
            .collect();
        for name in said {
            match &holder {
                Some(span) => others.push((name, span.clone())),
                None => drop(names.remove(&name)),
            }
        }
    }
    others
}

fn is_dot(source: &Source, at: usize) -> bool {
    matches!(source.word(at), "." | "?." | "::" | "->")
}

fn is_member(source: &Source, at: usize) -> bool {
    at > 0 && is_dot(source, at - 1)
}

/// `x.name`, `{ name: … }`, `f(name=…)`: not the name that the file has.
fn is_member_or_key(source: &Source, at: usize) -> bool {
    let before = if at == 0 { "" } else { source.word(at - 1) };
    let is_key = matches!(source.word(at + 1), ":" | "=") && matches!(before, "{" | "," | "(");
    is_member(source, at) || is_key
}
