//! Test data as a way around: product code that reads what tests compare with, and tests that write it.

use std::collections::BTreeSet;

use super::{Draft, tokens};
use crate::comparison::{ChangedFile, Comparison, test_modules};
use crate::inventory::{Inventory, is_always, is_constant, is_never};
use crate::language::Class;
use crate::paths;
use crate::source::{Kind, Source, Span};
use crate::text::{ends_in_name, ends_with_any, file_name, has_any};
use crate::vocabulary::{OTHER_EXTENSIONS, READING, RECORDING, TEMPORARY, TEST_PARTS, TOOLING, WRITES};

pub(super) fn check(comparison: &Comparison) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for file in &comparison.files {
        let Some(after) = file.after.as_ref() else { continue };
        let Some(new) = &after.inventory else { continue };
        let old = file.old_inventory();
        if after.is_product() {
            drafts.extend(read_by_product(&after.path, old, new));
        }
        if let Some(old) = old.filter(|_| file.is_test()) {
            drafts.extend(written_by_tests(comparison, file, old, new));
            drafts.extend(recording_on(file, old, new));
            drafts.extend(fixed_conditions(file, old, new));
            drafts.extend(computed(comparison, file, old, new));
        }
    }
    drafts
}

/// Product code that names a file of the tests, and reads.
fn read_by_product(path: &str, old: Option<&Inventory>, new: &Inventory) -> Option<Draft> {
    let mut directories = path.split('/').rev();
    let name = directories.next().unwrap_or(path);
    let is_tooling = directories
        .any(|part| part.starts_with("bench") || TOOLING.contains(&part.trim_end_matches('s')))
        || ["build.rs", "setup.py", "manage.py"].contains(&name)
        || has_any(name, &["config", "gulpfile", "Gruntfile", "rollup", "webpack"]);
    if is_tooling {
        return None;
    }
    let source = &new.source;
    let tests = test_modules(new);
    let known: BTreeSet<String> = old
        .map(|old| old.source.literals(&tokens::whole(&old.source)).into_iter().collect())
        .unwrap_or_default();
    let is_fresh = |index: usize| !known.contains(crate::source::requoted(source.word(index)).as_ref());
    for index in 0..source.tokens.len() {
        if source.tokens[index].kind != Kind::Text
            || tests.iter().any(|span| span.contains(&index))
            || !names_test_data(source, index)
            || !(is_fresh(index) || index > 0 && is_fresh_around(source, index, &is_fresh))
        {
            continue;
        }
        let around = statement_around(new, index);
        let reads = source.words(&around).any(|word| has_any(&word.to_lowercase(), READING));
        if reads {
            let message =
                format!("product code reads `{}`, which belongs to the tests", plain(source.word(index)));
            let draft = Draft::new("test-data-read", path, source.line(index), message);
            return Some(draft.after(source.word(index)));
        }
    }
    embedded(path, old, new)
}

/// Go: `//go:embed testdata/answers.json`.
fn embedded(path: &str, old: Option<&Inventory>, new: &Inventory) -> Option<Draft> {
    let embeds = |inventory: &Inventory| -> Vec<(u32, String)> {
        let comments = inventory.source.comments.iter();
        let found = comments.map(|comment| (comment.line, inventory.source.comment(comment).to_owned()));
        found
            .filter(|(_, text)| {
                text.starts_with("//go:embed")
                    && text.split(['/', ' ']).any(|part| TEST_PARTS.contains(&part))
            })
            .collect()
    };
    let had = old.map(embeds).unwrap_or_default();
    let (line, text) =
        embeds(new).into_iter().find(|(_, text)| had.iter().all(|(_, other)| other != text))?;
    let message = "product code embeds a file that belongs to the tests";
    Some(Draft::new("test-data-read", path, line, message).after(text))
}

/// Whether a text is the path of something that belongs to the tests.
fn names_test_data(source: &Source, index: usize) -> bool {
    let text = plain(source.word(index));
    if text.len() > 200 || text.contains(['\n', ' ', '<', '>', '{', '|', '(', '^']) {
        return false;
    }
    let parts: Vec<&str> = text.split(['/', '\\']).collect();
    let is_part = |part: &&str| TEST_PARTS.contains(part);
    if parts.len() > 1 {
        return parts[..parts.len() - 1].iter().any(is_part) && !text.starts_with("http");
    }
    let is_recording = ends_with_any(text, &[".snap", ".golden"]) && text.len() > 7;
    // `root / "tests" / "data"`, `join("tests", "data")`.
    let joins = |at: usize| matches!(source.word(at), "/" | ",");
    let is_text = |at: usize| source.tokens.get(at).is_some_and(|token| token.kind == Kind::Text);
    let is_joined = joins(index + 1)
        && is_text(index + 2)
        && (source.word(index + 1) == "/" || called_join(source, index));
    is_recording || TEST_PARTS.contains(&text) && is_joined
}

fn called_join(source: &Source, index: usize) -> bool {
    (1..8).any(|back| {
        let word = source.word(index.wrapping_sub(back)).to_lowercase();
        ["join", "resolve", "path"].contains(&word.as_str())
    })
}

fn is_fresh_around(source: &Source, index: usize, is_fresh: &dyn Fn(usize) -> bool) -> bool {
    (index + 1..(index + 5).min(source.tokens.len()))
        .any(|at| source.tokens[at].kind == Kind::Text && is_fresh(at))
}

/// The function around a token, or else the import or the lines that it stands in.
fn statement_around(inventory: &Inventory, index: usize) -> Span {
    let functions = inventory.functions();
    let inner = functions.filter(|definition| definition.span.contains(&index)).min_by_key(|d| d.span.len());
    match inner {
        Some(function) => function.span.clone(),
        None => index.saturating_sub(12)..(index + 6).min(inventory.source.tokens.len()),
    }
}

fn plain(word: &str) -> &str {
    word.trim_start_matches(['r', 'b', 'f', '#']).trim_matches(['"', '\'', '`', '#'])
}

/// A test file that reads data and began to write it.
fn written_by_tests(
    comparison: &Comparison,
    file: &ChangedFile,
    old: &Inventory,
    new: &Inventory,
) -> Option<Draft> {
    let reads = |word: &str| has_any(&word.to_lowercase(), READING) || ["fixture", "golden"].contains(&word);
    let is_reader = old.source.words(&tokens::whole(&old.source)).any(reads);
    if !is_reader || !comparison.followed.added.is_empty() {
        return None;
    }
    let had = writes(old);
    let fresh = writes(new).into_iter().find(|(_, text, _)| had.iter().all(|(_, other, _)| other != text))?;
    let (line, text, index) = fresh;
    let lower = text.to_lowercase();
    let is_temporary = has_any(&lower, TEMPORARY) || !is_read(new, index);
    let source = &new.source;
    let is_asked = source.around(index).any(|(_, outer)| {
        outer.class == Class::If && {
            let condition = source.flat(&outer.condition).to_lowercase();
            has_any(&condition, RECORDING) || condition.contains("env")
        }
    });
    if is_temporary || is_asked {
        return None;
    }
    let message = "tests write the data that they compare with";
    Some(Draft::new("golden-rewritten", file.path(), line, message).after(text))
}

/// Whether the path that a call writes to is made of what the file reads from.
fn is_read(inventory: &Inventory, index: usize) -> bool {
    let source = &inventory.source;
    let call = &source.pieces[index];
    let first = source.split(&source.inside(&call.arguments)).into_iter().next().unwrap_or_default();
    let receiver = call.name.clone();
    let names = |span: &Span| -> BTreeSet<String> {
        let telling = |index: &usize| {
            let word = source.word(*index);
            let is_common = WRITES.iter().any(|write| write.ends_with(word));
            matches!(source.tokens[*index].kind, Kind::Word | Kind::Text) && !is_common && word.len() > 2
        };
        span.clone().filter(telling).map(|index| source.word(index).to_owned()).collect()
    };
    let mut written = names(&first);
    if source.language.traits.writes_to_receiver {
        written = names(&receiver);
    }
    // Names that stand for a path, by what they are bound to.
    for piece in source.pieces_of(Class::Binding) {
        if source.words(&piece.name).any(|word| written.contains(word)) {
            written.extend(names(&piece.arguments));
        }
    }
    let reads = source.pieces.iter().enumerate().filter(|(at, piece)| {
        let callee = source.flat(&piece.name).to_lowercase();
        *at != index && piece.class == Class::Call && has_any(&callee, &["read", "open(", "fixture"])
    });
    let mut read: BTreeSet<String> = BTreeSet::new();
    for (_, piece) in reads {
        read.extend(names(&piece.span));
    }
    let is_common = |name: &&String| {
        ["path", "join", "Path", "fs", "os", "filepath", "Join", "name", "std", "self", "new", "unwrap"]
            .contains(&name.as_str())
    };
    written.iter().filter(|name| !is_common(name)).any(|name| read.contains(name))
}

fn writes(inventory: &Inventory) -> Vec<(u32, String, usize)> {
    let source = &inventory.source;
    let calls = source.pieces.iter().enumerate().filter(|(_, piece)| piece.class == Class::Call);
    let writing = calls.filter(|(_, piece)| ends_in_name(&source.flat(&piece.name), WRITES));
    writing.map(|(index, piece)| (source.line(piece.span.start), source.flat(&piece.span), index)).collect()
}

/// A switch that lets recordings be made, and is on by default now.
fn recording_on(file: &ChangedFile, old: &Inventory, new: &Inventory) -> Option<Draft> {
    let switches = |inventory: &Inventory| -> Vec<(u32, String)> {
        let source = &inventory.source;
        let bindings = source.pieces_of(Class::Binding);
        let named = bindings.map(|piece| (source.line(piece.span.start), source.flat(&piece.span)));
        named.filter(|(_, text)| has_any(&text.to_lowercase(), RECORDING) && text.len() < 160).collect()
    };
    let had = switches(old);
    let has = switches(new);
    let is_there = |texts: &[(u32, String)], wanted: &str| texts.iter().any(|(_, text)| text == wanted);
    let is_on = |text: &str| {
        !is_there(&had, text)
            && had.iter().any(|(_, was)| {
                was != text
                    && !is_there(&has, was)
                    && (was.replace("false", "true") == text || was.replace("False", "True") == text)
            })
    };
    let (line, text) = has.iter().find(|(_, text)| is_on(text))?.clone();
    let message = "what tests compare with is recorded anew in every run";
    Some(Draft::new("golden-rewritten", file.path(), line, message).after(text))
}

/// A condition in a test or a helper that became a constant.
fn fixed_conditions(file: &ChangedFile, old: &Inventory, new: &Inventory) -> Option<Draft> {
    let (line, condition) = fixed_condition(old, new)?;
    let message = "a condition that decided what a test does is a constant now";
    Some(Draft::new("assertion-unreachable", file.path(), line, message).after(condition))
}

/// A condition that was open and is decided now, before anything of what it decides is run.
pub(super) fn fixed_condition(old: &Inventory, new: &Inventory) -> Option<(u32, String)> {
    let conditions = |inventory: &Inventory| -> Vec<(u32, String, String, bool, bool)> {
        let source = &inventory.source;
        let ifs = source.pieces_of(Class::If).filter(|piece| !piece.body.is_empty());
        ifs.map(|piece| {
            let (line, condition) = (source.line(piece.span.start), &piece.condition);
            let parts = source.split_at(condition, &["or", "||", "and", "&&"]);
            let is_open = !parts.iter().any(|part| is_constant(source, part));
            let is_decided =
                is_constant(source, condition) || is_always(source, condition) || is_never(source, condition);
            (line, source.flat(condition), source.flat(&piece.body), is_open, is_decided)
        })
        .collect()
    };
    let had = conditions(old);
    let fixed = conditions(new).into_iter().find(|(_, condition, body, _, is_decided)| {
        let mut same = had.iter().filter(|other| other.2 == *body);
        let is_known = same.clone().any(|other| other.1 == *condition);
        *is_decided && !is_known && same.any(|other| other.3) && body.len() > 2
    })?;
    Some((fixed.0, fixed.1))
}

/// A helper that read what is expected, and has the product compute it for some names.
fn computed(comparison: &Comparison, file: &ChangedFile, old: &Inventory, new: &Inventory) -> Option<Draft> {
    let source = &new.source;
    for function in new.functions() {
        let was = old.definition(&function.name).filter(|_| !new.is_in_test(&function.span));
        let Some(was) = was else { continue };
        let read = old.source.words(&was.span).any(|word| has_any(&word.to_lowercase(), READING));
        let gained = tokens::gained((&old.source, &was.span), (source, &function.span), &[]);
        let decides = gained.iter().any(|word| word.starts_with(['"', '\'', '`']));
        let asks = function
            .body
            .clone()
            .any(|index| matches!(source.word(index), "if" | "?" | "match" | "case"))
            && !was.body.clone().any(|index| matches!(old.source.word(index), "if" | "?" | "match" | "case"));
        let called = gained.iter().find(|word| {
            imported(source, word)
                && function
                    .body
                    .clone()
                    .any(|index| source.word(index) == **word && source.word(index + 1) == "(")
        });
        if let Some(called) = called.filter(|_| read && asks && decides)
            && comparison.followed.added.is_empty()
        {
            let message = format!("`{}` has `{called}` compute what it used to read", function.name);
            let draft =
                Draft::new("golden-rewritten", file.path(), source.line(function.span.start), message);
            return Some(draft.after(source.excerpt(&function.span)));
        }
    }
    None
}

/// Whether a file brings a name in from code that is not its own.
fn imported(source: &Source, name: &str) -> bool {
    let standard = ["fs", "path", "os", "node:fs", "node:path", "std", "pathlib", "json"];
    source.imports().any(|piece| {
        source.words(&piece.span).any(|word| word == name)
            && !source.literals(&piece.span).iter().any(|text| standard.contains(&plain(text)))
            && !source.words(&piece.span).nth(1).is_some_and(|word| standard.contains(&word))
    })
}

/// Whether a file is data that tests read, by its place.
pub(super) fn is_test_data(path: &str) -> bool {
    let name = file_name(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let in_tests = path.rsplit_once('/').is_some_and(|(directory, _)| {
        directory.split('/').any(|part| TEST_PARTS.contains(&part) || part == "data" && paths::is_test(path))
    });
    in_tests
        && !name.starts_with("requirements")
        && crate::language::Language::of(path).is_none()
        && !paths::is_check_configuration(path)
        && !paths::is_ignore_file(path)
        && !OTHER_EXTENSIONS.contains(&extension)
        && name.contains('.')
        && !name.starts_with('.')
}
