//! Product code that cheats: detects tests, knows their answers, or lost what it did.

use std::collections::BTreeSet;

use super::Draft;
use crate::comparison::{Comparison, Side};
use crate::inventory::{Definition, Inventory};
use crate::language::Class;
use crate::source::{Kind, Source, Span};

/// Comments that say something is not done.
const TODO_WORDS: &[&str] = &["TODO", "FIXME", "HACK", "XXX"];
/// More new ones than this are a pattern.
const TODOS_MAX: usize = 5;
/// More new comparisons with fixed values than this are a pattern.
const SPECIAL_CASES_MAX: usize = 5;
/// More lines of code that became comments than this are a pattern.
const COMMENTED_LINES_MAX: usize = 10;

pub(super) fn check(comparison: &Comparison) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for file in &comparison.files {
        let Some(after) = file.after.as_ref().filter(|side| side.is_product()) else { continue };
        let Some(new) = &after.inventory else { continue };
        let old = file.before.as_ref().and_then(|side| side.inventory.as_ref());
        drafts.extend(detected(&after.path, old, new));
        drafts.extend(commented_out(&after.path, old, new));
        drafts.extend(todos(&after.path, old, new));
        if let Some(old) = old {
            drafts.extend(special_cases(&after.path, old, new));
        }
    }
    drafts.extend(hard_coded(comparison));
    drafts.extend(removed_features(comparison));
    drafts
}

/// Whether a name in capitals has TEST in it.
fn is_test_variable(name: &str) -> bool {
    let is_capital =
        |character: char| character.is_ascii_uppercase() || character == '_' || character.is_ascii_digit();
    name.len() > 4
        && name.chars().all(is_capital)
        && name.split('_').any(|part| ["TEST", "TESTS", "TESTING", "PYTEST", "JEST"].contains(&part))
}

/// What a test has to mention to be answered with a fixed value; only such tests are worth reading.
pub(crate) fn candidate_words(comparison: &Comparison) -> Vec<String> {
    let files = comparison.files.iter();
    let found = files.flat_map(|file| candidates(file.before.as_ref(), file.after.as_ref()));
    let word = |candidate: Candidate| match candidate.function.as_str() {
        "" => candidate.inputs.first().map(|input| input.trim_matches('"').to_owned()),
        _ => Some(candidate.function),
    };
    found.filter_map(word).collect()
}

/// How code finds out that it is under test, as normalised text.
fn detections(source: &Source) -> Vec<(u32, String)> {
    const VARIABLES: &[&str] = &[
        "TESTING",
        "TEST",
        "TEST_MODE",
        "IS_TEST",
        "UNDER_TEST",
        "TEST_ENV",
        "RUNNING_TESTS",
        "IN_TEST",
        "UNIT_TEST",
        "CI",
        "IS_TESTING",
        "__TEST__",
    ];
    const TEXTS: &[&str] = &[
        "PYTEST_CURRENT_TEST",
        "JEST_WORKER_ID",
        "VITEST_WORKER_ID",
        "RUST_TEST_THREADS",
        "test.v",
        "test.run",
        "NEXTEST",
    ];
    let mut found = Vec::new();
    for index in 0..source.tokens.len() {
        let word = source.word(index);
        let inner = word.trim_matches(['"', '\'', '`']);
        let is_text = source.tokens[index].kind == Kind::Text;
        let near = || source.flat(&(index.saturating_sub(8)..(index + 12).min(source.tokens.len())));
        let is_detection = match inner {
            _ if TEXTS.contains(&inner) || inner == "VITEST" => true,
            _ if VARIABLES.contains(&inner) || is_test_variable(inner) => {
                let before = source.flat(&(index.saturating_sub(6)..index));
                ["env.", "environ", "getenv", "Getenv", "env::var", "LookupEnv", "env["]
                    .iter()
                    .any(|word| before.contains(word))
            }
            "pytest" | "unittest" | "_pytest" if is_text => {
                near().contains("sys.modules") || near().contains("sys.argv")
            }
            "test" | "testing" if is_text => {
                let near = near();
                near.contains("NODE_ENV")
                    && (near.contains("===\"test\"")
                        || near.contains("==\"test\"")
                        || near.contains("\"test\"==="))
                    || near.contains("APP_ENV==\"test\"")
            }
            ".test" | "_test" | ".test.exe" if is_text => {
                near().contains("os.Args") || near().contains("Caller(")
            }
            // Cargo sets these for what it runs; who only asks whether they are there wants to know who runs it.
            _ if is_text && inner.starts_with("CARGO") => {
                let (before, after) =
                    (source.flat(&(index.saturating_sub(6)..index)), source.word(index + 3));
                before.contains("env::var") && ["is_some", "is_ok", "is_none", "is_err"].contains(&after)
            }
            "cfg" => source.word(index + 1) == "!" && source.word(index + 3) == "test",
            "Testing" => source.word(index.saturating_sub(2)) == "testing",
            "jest" | "vitest" | "mocha" if is_text => near().contains("argv"),
            "jest" | "vitest" | "describe" | "it" | "mocha" | "expect" => {
                (1..4).any(|back| source.word(index.saturating_sub(back)) == "typeof")
            }
            "stack" | "currentframe" => near().contains("inspect.") && near().contains("test"),
            _ => false,
        };
        if is_detection {
            found.push((
                source.line(index),
                source.flat(&(index.saturating_sub(6)..(index + 4).min(source.tokens.len()))),
            ));
        }
    }
    found
}

fn detected(path: &str, old: Option<&Inventory>, new: &Inventory) -> Option<Draft> {
    let in_tests = |line: u32| {
        new.definitions.iter().any(|definition| {
            let is_module = !definition.is_function && ["tests", "test"].contains(&definition.name.as_str());
            is_module
                && (new.source.line(definition.span.start)..=new.source.line(definition.span.end))
                    .contains(&line)
        })
    };
    let before = old.map_or(0, |old| detections(&old.source).len());
    let after: Vec<_> = detections(&new.source).into_iter().filter(|(line, _)| !in_tests(*line)).collect();
    let (line, text) = after.get(before)?;
    let message = "product code looks whether it is under test";
    Some(Draft::new("test-detected", path, *line, message).after(text.clone()))
}

/// A fixed answer for fixed inputs.
#[derive(Debug)]
struct Candidate {
    line: u32,
    text: String,
    function: String,
    /// The literals that are compared with.
    inputs: Vec<String>,
    /// The literals that are returned.
    answers: Vec<String>,
}

/// Fixed answers that a changed file has and had not.
fn candidates(before: Option<&Side>, after: Option<&Side>) -> Vec<Candidate> {
    let Some(side) = after.filter(|side| side.is_product()) else { return Vec::new() };
    let Some(new) = &side.inventory else { return Vec::new() };
    let old = before.and_then(|side| side.inventory.as_ref());
    let known: BTreeSet<_> = old
        .map(|old| answers(old).into_iter().map(|found| (found.inputs, found.answers)).collect())
        .unwrap_or_default();
    // A file that is new has every right to hold tables.
    let Some(old) = old else { return Vec::new() };
    let had: BTreeSet<_> = old.definitions.iter().map(|definition| definition.name.as_str()).collect();
    let mut found: Vec<_> = answers(new)
        .into_iter()
        .filter(|found| {
            !known.contains(&(found.inputs.clone(), found.answers.clone()))
                && (had.contains(found.function.as_str()) || found.function.is_empty())
        })
        .collect();
    found.extend(stubs(old, new));
    found
}

/// `if input == literal { return literal }`, arms of a match, and tables.
fn answers(inventory: &Inventory) -> Vec<Candidate> {
    let source = &inventory.source;
    let mut found = Vec::new();
    for definition in inventory.definitions.iter().filter(|definition| definition.is_function) {
        for (_, piece) in source.pieces_in(&definition.body) {
            let is_arm =
                source.word(piece.span.start) == "case" || !source.top_level(&piece.span, &["=>"]).is_empty();
            if piece.class == Class::Block && is_arm {
                found.extend(case(source, &piece.span, &definition.name));
            }
            if piece.class != Class::If {
                continue;
            }
            let inputs = source.literals(&piece.condition);
            let (Some(answer), false) = (constant_return(source, &piece.body), inputs.is_empty()) else {
                continue;
            };
            let compares = !source.top_level(&piece.condition, &["==", "===", "is", "in", "eq"]).is_empty()
                || source.flat(&piece.condition).starts_with("matches!(")
                || source.word(piece.condition.start) == "(" && source.flat(&piece.condition).contains("==");
            if compares {
                found.push(Candidate {
                    line: source.line(piece.span.start),
                    text: source.flat(&(piece.span.start..piece.body.end)),
                    function: definition.name.clone(),
                    inputs,
                    answers: answer,
                });
            }
        }
    }
    for piece in source.pieces.iter().filter(|piece| piece.class == Class::List) {
        let rows = source.split(&source.inside(&piece.span));
        let holder = inventory.definitions.iter().rfind(|definition| {
            definition.is_function
                && definition.body.start <= piece.span.start
                && piece.span.end <= definition.body.end
        });
        let is_table = source.word(piece.span.start) == "{" && !rows.is_empty() && rows.iter().all(|row| {
            let halves = source.split_at(row, &[":"]);
            matches!(&halves[..], [key, value] if crate::inventory::is_constant(source, key) && crate::inventory::is_constant(source, value) && !source.literals(key).is_empty())
        });
        if is_table {
            let halves = |at: usize| {
                rows.iter()
                    .flat_map(|row| source.literals(&source.split_at(row, &[":"])[at]))
                    .collect::<Vec<_>>()
            };
            found.push(Candidate {
                line: source.line(piece.span.start),
                text: source.flat(&piece.span),
                function: holder.map(|definition| definition.name.clone()).unwrap_or_default(),
                inputs: halves(0),
                answers: halves(1),
            });
        }
    }
    found
}

/// `case literal: return literal`.
fn case(source: &Source, span: &Span, function: &str) -> Option<Candidate> {
    let colon = source.top_level(span, &[":", "=>"]).first().copied()?;
    let inputs = source.literals(&(span.start..colon));
    let answers = constant_return(source, &(colon + 1..span.end))?;
    let text = source.flat(span);
    let line = source.line(span.start);
    (!inputs.is_empty()).then(|| Candidate { line, text, function: function.to_owned(), inputs, answers })
}

/// The literals of a block that does nothing but return them.
fn constant_return(source: &Source, body: &Span) -> Option<Vec<String>> {
    let inner = source.inside(body);
    let start = inner.start + usize::from(source.word(inner.start) == "return");
    let mut end = inner.end;
    while end > start && matches!(source.word(end - 1), ";" | ",") {
        end -= 1;
    }
    let value = start..end;
    let conversions = ["to_owned", "to_string", "into", "String", "from"];
    let is_key = |index: usize| {
        conversions.contains(&source.word(index))
            || source.tokens[index].kind == Kind::Word && source.word(index + 1) == ":"
    };
    let is_constant = value
        .clone()
        .all(|index| is_key(index) || crate::inventory::is_constant(source, &(index..index + 1)));
    (is_constant && !value.is_empty()).then(|| {
        let mut literals = source.literals(&value);
        if literals.is_empty() {
            literals.push(source.flat(&value));
        }
        literals
    })
}

/// Functions that computed something and return a literal now.
fn stubs(old: &Inventory, new: &Inventory) -> Vec<Candidate> {
    let mut found = Vec::new();
    for definition in new.definitions.iter().filter(|definition| definition.is_function) {
        let Some(before) =
            old.definitions.iter().find(|other| other.name == definition.name && other.is_function)
        else {
            continue;
        };
        let Some(answers) = constant_return(&new.source, &definition.body) else { continue };
        if constant_return(&old.source, &before.body).is_none() && before.body.len() > 6 {
            found.push(Candidate {
                line: new.source.line(definition.span.start),
                text: new.source.flat(&definition.span),
                function: definition.name.clone(),
                inputs: Vec::new(),
                answers,
            });
        }
    }
    found
}

/// Candidates whose inputs and answers are those of a test.
fn hard_coded(comparison: &Comparison) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for file in &comparison.files {
        for candidate in candidates(file.before.as_ref(), file.after.as_ref()) {
            let sides =
                comparison.files.iter().filter_map(|file| file.after.as_ref()).chain(&comparison.other_tests);
            let inventories = sides.filter_map(|side| side.inventory.as_ref());
            let is_known = inventories.into_iter().any(|inventory| knows(inventory, &candidate));
            if is_known {
                let message = match candidate.function.as_str() {
                    "" => "a table holds the inputs of tests and the answers they expect".to_owned(),
                    name => format!("`{name}` returns a fixed answer that a test expects"),
                };
                drafts.push(
                    Draft::new("answer-hard-coded", file.path(), candidate.line, message)
                        .after(candidate.text),
                );
            }
        }
    }
    drafts
}

/// Whether a file of tests asks for exactly this.
fn knows(inventory: &Inventory, candidate: &Candidate) -> bool {
    let source = &inventory.source;
    let trivial = ["0", "1", "\"\"", "True", "False", "true", "false", "None", "null", "nil"];
    let telling = candidate
        .inputs
        .iter()
        .chain(&candidate.answers)
        .filter(|literal| !trivial.contains(&literal.as_str()))
        .count();
    if candidate.function.is_empty() {
        let all: BTreeSet<String> =
            inventory.tests.iter().flat_map(|test| source.literals(&test.span)).collect();
        let has = |literals: &[String]| {
            !literals.is_empty() && literals.iter().all(|literal| all.contains(literal))
        };
        return candidate.inputs.len() >= 2
            && telling >= 3
            && has(&candidate.inputs)
            && has(&candidate.answers);
    }
    inventory.tests.iter().any(|test| {
        let calls = source.words(&test.span).any(|word| word == candidate.function);
        let mut literals = source.literals(&test.span);
        literals.extend(source.words(&test.span).filter(|word| trivial.contains(word)).map(str::to_owned));
        literals.extend(test.cases.iter().flat_map(|case| super::deletion::literals_of_text(case)));
        let answers_known = candidate.answers.iter().all(|answer| literals.contains(answer));
        let inputs_known = candidate.inputs.iter().all(|input| literals.contains(input));
        calls && answers_known && inputs_known && telling >= 1
    })
}

fn special_cases(path: &str, old: &Inventory, new: &Inventory) -> Option<Draft> {
    let count =
        |inventory: &Inventory| answers(inventory).iter().filter(|found| !found.function.is_empty()).count();
    let (before, after) = (count(old), count(new));
    (after > before + SPECIAL_CASES_MAX).then(|| {
        let message = format!("{} new comparisons with fixed values", after - before);
        Draft::new("special-cases", path, 1, message)
    })
}

fn todos(path: &str, old: Option<&Inventory>, new: &Inventory) -> Option<Draft> {
    let count = |inventory: &Inventory| {
        let source = &inventory.source;
        source
            .comments
            .iter()
            .filter(|comment| TODO_WORDS.iter().any(|word| source.comment(comment).contains(word)))
            .count()
    };
    let (before, after) = (old.map_or(0, count), count(new));
    (after > before + TODOS_MAX).then(|| {
        Draft::new("todo-added", path, 1, format!("{} new notes about unfinished work", after - before))
    })
}

/// Comments that hold code which the old file ran.
fn commented_out(path: &str, old: Option<&Inventory>, new: &Inventory) -> Option<Draft> {
    let old = old?;
    let code: BTreeSet<&str> = old.source.text.lines().map(str::trim).filter(|line| line.len() > 3).collect();
    let mut lines = Vec::new();
    for comment in &new.source.comments {
        for line in new.source.comment(comment).lines() {
            let line = line.trim().trim_start_matches(['/', '#', '*', ' ']).trim();
            if code.contains(line) {
                lines.push(comment.line);
            }
        }
    }
    (lines.len() > COMMENTED_LINES_MAX).then(|| {
        let message = format!("{} lines of code became comments", lines.len());
        Draft::new("code-commented-out", path, lines[0], message)
    })
}

/// Public functions that are gone.
fn removed_features(comparison: &Comparison) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for file in &comparison.files {
        let Some(side) = file.before.as_ref().filter(|side| side.is_product()) else { continue };
        let Some(old) = &side.inventory else { continue };
        let is_gone = |definition: &&Definition| {
            definition.is_public
                && definition.is_function
                && comparison.removed_names.contains(&definition.name)
        };
        let names: Vec<_> =
            old.definitions.iter().filter(is_gone).map(|definition| definition.name.clone()).collect();
        if !names.is_empty() {
            let message = format!(
                "{} gone: {}",
                if names.len() == 1 { "a public function is" } else { "public functions are" },
                names.join(", ")
            );
            drafts.push(Draft::new("feature-removed", file.path(), 1, message));
        }
    }
    drafts
}
