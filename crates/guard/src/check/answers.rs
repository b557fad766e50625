//! Product code that knows the answers of its tests: fixed values for fixed inputs, tables of them, stubs.

use std::collections::BTreeSet;

use super::Draft;
use crate::comparison::{Comparison, Side};
use crate::inventory::{Definition, Inventory, Test};
use crate::language::Class;
use crate::source::{Kind, Source, Span};
use crate::vocabulary::CONVERSIONS;
use crate::words;

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

/// A fixed answer for fixed inputs.
#[derive(Debug)]
pub(super) struct Candidate {
    line: u32,
    text: String,
    pub(super) function: String,
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
pub(super) fn answers(inventory: &Inventory) -> Vec<Candidate> {
    let source = &inventory.source;
    let mut found = Vec::new();
    for definition in inventory.functions() {
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
    // Tests may hold what tables they like.
    let tests = crate::comparison::test_modules(inventory);
    let in_tests = |span: &Span| tests.iter().any(|test| test.contains(&span.start));
    for piece in source.pieces.iter().filter(|piece| piece.class == Class::List && !in_tests(&piece.span)) {
        let rows = source.split(&source.inside(&piece.span));
        let holder = inventory.definitions.iter().rfind(|definition| {
            definition.is_function
                && definition.body.start <= piece.span.start
                && piece.span.end <= definition.body.end
        });
        let halves: Option<Vec<_>> = rows.iter().map(|row| halves(source, row)).collect();
        if let Some(halves) = halves.filter(|halves| !halves.is_empty()) {
            let values = |spans: Vec<&Span>| -> Vec<String> {
                spans.into_iter().flat_map(|span| value(source, span)).collect()
            };
            let asked_by = || asking(inventory, &piece.span);
            found.push(Candidate {
                line: source.line(piece.span.start),
                text: source.flat(&piece.span),
                function: holder
                    .map(|definition| definition.name.clone())
                    .or_else(asked_by)
                    .unwrap_or_default(),
                inputs: values(halves.iter().map(|(key, _)| key).collect()),
                answers: values(halves.iter().map(|(_, answer)| answer).collect()),
            });
        }
    }
    found
}

/// The two constants of a row: `key: value`, `(key, value)`, `[key, value]`.
fn halves(source: &Source, row: &Span) -> Option<(Span, Span)> {
    let constant = |span: &Span| {
        let without = span.clone().filter(|index| !CONVERSIONS.contains(&source.word(*index)));
        !span.is_empty()
            && without.into_iter().all(|index| crate::inventory::is_constant(source, &(index..index + 1)))
    };
    let is_pair = matches!(source.word(row.start), "(" | "[" | "{");
    let parts = if is_pair { source.split(&source.inside(row)) } else { source.split_at(row, &[":"]) };
    match &parts[..] {
        [key, answer] if constant(key) && constant(answer) && !source.literals(key).is_empty() => {
            Some((key.clone(), answer.clone()))
        }
        _ => None,
    }
}

/// The literals of a constant, or the constant word that it is.
fn value(source: &Source, span: &Span) -> Vec<String> {
    let literals = source.literals(span);
    if literals.is_empty() { vec![source.flat(span)] } else { literals }
}

/// The function that looks into a table which stands outside of any.
fn asking(inventory: &Inventory, table: &Span) -> Option<String> {
    let source = &inventory.source;
    let mut holder = source.pieces.iter().filter(|piece| {
        piece.class == Class::Binding && piece.span.start < table.start && table.end <= piece.span.end
    });
    let name = source.words(&holder.next_back()?.name).last()?.to_owned();
    let asks = |definition: &&Definition| {
        definition.is_function && source.words(&definition.body).any(|word| word == name)
    };
    inventory.definitions.iter().find(asks).map(|definition| definition.name.clone())
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
    let is_key = |index: usize| {
        CONVERSIONS.contains(&source.word(index))
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
    for definition in new.functions() {
        let Some(before) = old.function(&definition.name) else { continue };
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
pub(super) fn check(comparison: &Comparison) -> Vec<Draft> {
    let mut drafts = Vec::new();
    let tests_changed = comparison.files.iter().any(|file| file.is_test())
        || comparison.changed_pairs().next().is_some()
        || !comparison.followed.added.is_empty();
    for file in &comparison.files {
        for candidate in candidates(file.before.as_ref(), file.after.as_ref()) {
            let is_known = comparison.known_inventories().any(|inventory| {
                knows(inventory, &candidate) || !tests_changed && singles_out(inventory, &candidate)
            });
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

/// Whether a constant is the answer to the very inputs of a test that was there before, whatever the test expects of
/// it: nobody else would ask for these together.
fn singles_out(inventory: &Inventory, candidate: &Candidate) -> bool {
    let plain = |literal: &String| literal.trim_matches('"').to_owned();
    let texts: BTreeSet<String> = candidate.inputs.iter().map(plain).filter(|text| text.len() > 1).collect();
    let is_odd = |text: &String| {
        text.len() > 4 && text.contains(|c: char| !c.is_alphanumeric() && !"-_ .".contains(c))
    };
    if candidate.function.is_empty() || texts.len() < 2 && !texts.iter().any(is_odd) {
        return false;
    }
    said_by_tests(inventory, &candidate.function)
        .any(|said| candidate.inputs.iter().all(|input| said.contains(input)))
}

/// Whether a file of tests asks for exactly this.
fn knows(inventory: &Inventory, candidate: &Candidate) -> bool {
    let source = &inventory.source;
    let is_trivial = |literal: &&String| is_trivial(literal);
    let said = candidate.inputs.iter().chain(&candidate.answers);
    let telling = said.filter(|literal| !is_trivial(literal)).count();
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
    // A table answers several tests at once.
    if candidate.inputs.len() >= 2 && candidate.answers.len() >= 2 {
        let all: BTreeSet<String> = said_by_tests(inventory, &candidate.function).flatten().collect();
        let is_known = |literal: &String| all.contains(literal) || is_trivial(&literal);
        return telling >= 2
            && candidate.inputs.iter().all(is_known)
            && candidate.answers.iter().all(is_known)
            && candidate.inputs.iter().any(|input| all.contains(input));
    }
    let known = candidate.inputs.iter().chain(&candidate.answers);
    telling >= 1
        && said_by_tests(inventory, &candidate.function)
            .any(|said| known.clone().all(|one| said.contains(one)))
}

/// Whether a value says nothing by itself.
fn is_trivial(literal: &str) -> bool {
    words::is_value(literal) || ["0", "1", "\"\""].contains(&literal)
}

/// What each test that asks a function says: its literals and those of its cases, and words that stand for values.
fn said_by_tests<'a>(
    inventory: &'a Inventory,
    function: &'a str,
) -> impl Iterator<Item = BTreeSet<String>> + use<'a> {
    let source = &inventory.source;
    let asks = move |test: &&Test| source.words(&test.span).any(|word| word == function);
    inventory.tests.iter().filter(asks).map(move |test| {
        let values = source.words(&test.span).filter(|word| is_trivial(word)).map(str::to_owned);
        let cases = test.cases.iter().flat_map(|case| super::deletion::literals_of_text(case));
        source.literals(&test.span).into_iter().chain(values).chain(cases).collect()
    })
}
