//! Assertions that are gone, weaker, out of reach, or expect something else.
//!
//! The assertions of a test before and after are paired by what they look at. What is left over on the old
//! side is gone, unless it turns up in another test or a helper.

mod errors;
mod values;

use errors::{about_errors, is_broader, is_said_elsewhere};
use values::{Moved, is_close, is_value, without_literals};

use super::Draft;
use super::deletion::{is_emptied, short};
use crate::comparison::{ChangedFile, Comparison, Pair};
use crate::inventory::{Assertion, Inventory, Reach, Strength, Test};
use crate::similar::text_similarity;
use crate::source::Source;
use crate::text::{has_any, identifiers};
use crate::words::BOOLEANS;

/// Assertions that look at things less alike than this have nothing to do with each other.
const SIMILARITY_MIN: f64 = 0.5;

pub(super) fn check(comparison: &Comparison) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for pair in comparison.changed_pairs().filter(|pair| pair.is_on() && !is_emptied(pair)) {
        drafts.extend(test(comparison, &pair));
    }
    drafts.extend(helpers(comparison));
    drafts
}

/// What happened to an assertion.
#[derive(Debug)]
enum Change<'a> {
    Removed(&'a Assertion),
    Weakened(&'a Assertion, &'a Assertion),
    Value(&'a Assertion, &'a Assertion),
    Error(&'a Assertion, &'a Assertion),
    Tolerance(&'a Assertion, &'a Assertion),
    /// A limit that accepts more; whether by so much that it is no adjustment.
    Limit(&'a Assertion, &'a Assertion, bool),
    OutOfReach(&'a Assertion, &'a Assertion),
}

fn test(comparison: &Comparison, pair: &Pair<'_>) -> Vec<Draft> {
    let Pair { before, after, old: old_inventory, new: new_inventory, .. } = *pair;
    let old_assertions = expanded(comparison, old_inventory, before, true);
    let new_assertions = expanded(comparison, new_inventory, after, false);
    let changes = changes(&old_assertions, &new_assertions);
    let fewer = old_assertions.iter().filter(|a| a.reach == Reach::Live).count()
        > new_assertions.iter().filter(|a| a.reach == Reach::Live).count();
    let mut drafts = Vec::new();
    let sources = (&old_inventory.source, &new_inventory.source);
    let context = Context {
        follows: comparison.may_follow_code(),
        // A test that became a table says the same once for many rows.
        rewritten: after.cases.len() > before.cases.len()
            || is_rewritten(old_inventory, before, new_inventory, after),
        same_inputs: setup(old_inventory, before) == setup(new_inventory, after),
        fewer,
        as_much: comparison.says_as_much() || comparison.is_rewrite(),
        text: new_inventory.source.flat(&after.span),
        old_text: old_inventory.source.flat(&before.span),
        old_assertions: old_assertions.iter().map(|assertion| assertion.text.clone()).collect(),
        new_assertions: new_assertions
            .iter()
            .filter(|assertion| assertion.reach == Reach::Live)
            .map(|assertion| (assertion.subject.clone(), assertion.expected.clone()))
            .collect(),
        span: after.span.clone(),
    };
    for change in changes {
        let draft = describe(comparison, &change, sources, pair.path, &after.id, after.line, &context);
        drafts.extend(draft.map(|draft| draft.test(&after.id)));
    }
    drafts
}

/// What else is known of a test whose assertions changed.
#[derive(Default)]
struct Context {
    /// A change of behaviour may be the reason that it says less.
    follows: bool,
    /// So much besides the assertions is new that it is another test under the same name.
    rewritten: bool,
    /// Nothing but assertions is other than before.
    same_inputs: bool,
    /// There are fewer assertions than before.
    fewer: bool,
    /// All tests together say as much as before.
    as_much: bool,
    /// All of it, normalised.
    text: String,
    /// What it was before, normalised.
    old_text: String,
    /// What it asserted before.
    old_assertions: Vec<String>,
    /// What its new assertions look at and expect.
    new_assertions: Vec<(String, String)>,
    /// Where it is in the new file.
    span: crate::source::Span,
}

/// Fewer new tokens are an edit.
const REWRITTEN_TOKENS_MIN: usize = 10;

/// Whether more than a fifth of what a test does besides asserting is new.
fn is_rewritten(old: &Inventory, before: &Test, new: &Inventory, after: &Test) -> bool {
    let mut left: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for index in before.span.clone() {
        *left.entry(old.source.word(index)).or_default() += 1;
    }
    let is_asserting =
        |index: usize| after.assertions.iter().any(|assertion| assertion.span.contains(&index));
    let mut gained = 0;
    for index in after.span.clone().filter(|index| !is_asserting(*index)) {
        match left.get_mut(new.source.word(index)).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => gained += 1,
        }
    }
    gained > REWRITTEN_TOKENS_MIN && gained * 5 > before.span.len()
}

/// A test without its assertions, and with the helpers of its file that it calls.
fn setup(inventory: &Inventory, test: &Test) -> String {
    let source = &inventory.source;
    let mut start = test.body.start;
    let mut flat = String::new();
    for assertion in test.assertions.iter().filter(|assertion| assertion.span.start >= test.body.start) {
        flat.push_str(&source.flat(&(start..assertion.span.start.max(start))));
        start = assertion.span.end.max(start);
    }
    flat.push_str(&source.flat(&(start..test.body.end.max(start))));
    let words: std::collections::BTreeSet<&str> = source.words(&test.span).collect();
    let called = inventory.definitions.iter().filter(|definition| {
        words.contains(definition.name.as_str()) && !test.span.contains(&definition.span.start)
    });
    for definition in called {
        flat.push_str(&source.flat(&definition.span));
    }
    flat
}

/// The assertions of a test, with those of the helpers it calls in their place.
fn expanded(comparison: &Comparison, inventory: &Inventory, test: &Test, old: bool) -> Vec<Assertion> {
    let mut found = Vec::new();
    let is_helper = |name: &str| helper(comparison, inventory, name, old).is_some();
    found.extend(test.assertions.iter().filter(|assertion| !is_helper(&assertion.word)).cloned());
    let source = &inventory.source;
    for index in test.body.clone() {
        if source.word(index + 1) != "(" || source.tokens[index].kind != crate::source::Kind::Word {
            continue;
        }
        let Some(helped) = helper(comparison, inventory, source.word(index), old) else { continue };
        // Helpers that set something up assert in passing; losing a call of one loses no assertion.
        if old && !is_for_asserting(inventory, source.word(index)) {
            continue;
        }
        let arguments = index + 2..source.closing(index + 1);
        for assertion in helped.iter().filter(|assertion| assertion.reach == Reach::Live) {
            let subject = source.flat(&arguments);
            found.push(Assertion {
                text: format!("{} {subject}", assertion.text),
                subject,
                line: source.line(index),
                span: index..arguments.end + 1,
                ..assertion.clone()
            });
        }
    }
    found
}

/// Whether most of a helper is its assertions, as far as it is in this file.
fn is_for_asserting(inventory: &Inventory, name: &str) -> bool {
    let Some(assertions) = inventory.helpers.get(name) else { return true };
    let definition = inventory.definition(name);
    let asserting: usize = assertions.iter().map(|assertion| assertion.span.len()).sum();
    definition.is_none_or(|definition| asserting * 2 >= definition.body.len())
}

/// The assertions of the helper with this name, in the same file or in another that changed.
fn helper<'a>(
    comparison: &'a Comparison,
    inventory: &'a Inventory,
    name: &str,
    old: bool,
) -> Option<&'a Vec<Assertion>> {
    let inventory_of = |file: &'a ChangedFile| if old { file.old_inventory() } else { file.new_inventory() };
    let elsewhere = || comparison.files.iter().find_map(|file| inventory_of(file)?.helpers.get(name));
    inventory.helpers.get(name).or_else(elsewhere)
}

fn changes<'a>(old: &'a [Assertion], new: &'a [Assertion]) -> Vec<Change<'a>> {
    let mut left_old: Vec<&Assertion> =
        old.iter().filter(|assertion| assertion.reach == Reach::Live).collect();
    let mut left_new: Vec<&Assertion> = new.iter().collect();
    let mut changes = Vec::new();
    // The same words on both sides are the same assertion.
    left_old.retain(|assertion| {
        let same =
            left_new.iter().position(|other| other.text == assertion.text && other.reach == Reach::Live);
        same.map(|at| left_new.remove(at)).is_none()
    });
    left_old.retain(|assertion| {
        let same = left_new.iter().position(|other| other.text == assertion.text);
        let Some(at) = same else { return true };
        changes.push(Change::OutOfReach(assertion, left_new.remove(at)));
        false
    });
    for (before, after) in paired(&mut left_old, &mut left_new) {
        changes.extend(compared(before, after, &left_new));
    }
    // What is left may have been replaced by something that says as much.
    for before in left_old {
        let replacement =
            left_new.iter().position(|after| after.strength >= before.strength && after.reach == Reach::Live);
        match replacement {
            Some(at) => {
                left_new.remove(at);
            }
            // Something weaker stands in its place.
            None => match left_new.iter().position(|after| after.reach == Reach::Live) {
                Some(at) => changes.push(Change::Weakened(before, left_new.remove(at))),
                None => changes.push(Change::Removed(before)),
            },
        }
    }
    changes
}

/// Pairs assertions that look at the same thing, the most alike first.
fn paired<'a>(
    old: &mut Vec<&'a Assertion>,
    new: &mut Vec<&'a Assertion>,
) -> Vec<(&'a Assertion, &'a Assertion)> {
    let mut candidates = Vec::new();
    for (i, before) in old.iter().enumerate() {
        for (j, after) in new.iter().enumerate() {
            let alike = text_similarity(&before.subject, &after.subject)
                .max(text_similarity(&before.text, &after.text) - 0.1);
            // Two expected errors are one expectation, however they are called.
            let alike =
                if about_errors(before) && about_errors(after) { alike.max(SIMILARITY_MIN) } else { alike };
            let bonus = if before.expected == after.expected { 0.1 } else { 0.0 };
            // Of two that look alike, the one that says as much is the one it became.
            let bonus = bonus + if after.strength >= before.strength { 0.15 } else { 0.0 };
            if alike >= SIMILARITY_MIN {
                candidates.push((alike + bonus, i, j));
            }
        }
    }
    candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    let (mut used_old, mut used_new, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    for (_, i, j) in candidates {
        if !used_old.contains(&i) && !used_new.contains(&j) {
            used_old.push(i);
            used_new.push(j);
            pairs.push((old[i], new[j]));
        }
    }
    let mut index = 0;
    old.retain(|_| (!used_old.contains(&index), index += 1).0);
    index = 0;
    new.retain(|_| (!used_new.contains(&index), index += 1).0);
    pairs
}

fn compared<'a>(before: &'a Assertion, after: &'a Assertion, others: &[&Assertion]) -> Option<Change<'a>> {
    if after.reach != Reach::Live {
        return Some(Change::OutOfReach(before, after));
    }
    if after.strength == Strength::Tautology && before.strength != Strength::Tautology {
        return Some(Change::Weakened(before, after));
    }
    if is_broader(before, after) {
        return (!is_said_elsewhere(before, after, others)).then_some(Change::Error(before, after));
    }
    if values::is_vacuous(before, after) || values::is_any_of(before, after) {
        return Some(Change::Weakened(before, after));
    }
    match values::tolerances(before, after) {
        Some(std::cmp::Ordering::Greater) => return Some(Change::Tolerance(before, after)),
        Some(std::cmp::Ordering::Less) => return None,
        _ => {}
    }
    if values::lost_tolerance(before, after) {
        return Some(Change::Weakened(before, after));
    }
    match values::limits(before, after) {
        Some(Moved::Looser(far)) => return Some(Change::Limit(before, after, far)),
        Some(Moved::Tighter) => return None,
        None => {}
    }
    if values::is_looser_inside(before, after) {
        return Some(Change::Tolerance(before, after));
    }
    // A recording of whatever comes out is no longer a value that somebody knows.
    let recorded = after.word.to_lowercase().contains("snapshot") && after.expected.is_empty();
    if after.strength < before.strength
        || recorded && !before.expected.is_empty() && before.subject == after.subject
    {
        return Some(Change::Weakened(before, after));
    }
    if values::wildcards(&after.text) > values::wildcards(&before.text) {
        return Some(Change::Weakened(before, after));
    }
    let looked_at = others.iter().filter(|other| mentions_same(before, other)).count();
    if values::looks_at_less(before, after) && looked_at == 0 {
        return Some(Change::Weakened(before, after));
    }
    other_value(before, after)
}

/// Whether another new assertion looks at the same thing.
fn mentions_same(before: &Assertion, other: &Assertion) -> bool {
    let subject = before.subject.rsplit("; ").next().unwrap_or_default();
    subject.len() > 2 && other.subject.contains(subject)
}

/// The same question with another answer.
fn other_value<'a>(before: &'a Assertion, after: &'a Assertion) -> Option<Change<'a>> {
    let differs =
        before.expected != after.expected && !before.expected.is_empty() && !after.expected.is_empty();
    if before.subject != after.subject || !differs {
        return None;
    }
    // All of it says more than how much there is.
    if before.word.contains("Length") && !after.word.contains("Length") {
        return None;
    }
    let is_value = is_value(&before.expected)
        && is_value(&after.expected)
        && without_literals(&before.expected) == without_literals(&after.expected);
    let both = |strength: Strength| before.strength == strength && after.strength == strength;
    if both(Strength::Relational) && values::is_shorter_text(before, after) {
        return Some(Change::Weakened(before, after));
    }
    let same_word = before.word == after.word;
    let is_question =
        both(Strength::Exact) || both(Strength::Relational) && same_word && !about_errors(before);
    (is_value && is_question).then_some(Change::Value(before, after))
}

fn describe(
    comparison: &Comparison,
    change: &Change<'_>,
    (old, new): (&Source, &Source),
    file: &str,
    id: &str,
    test_line: u32,
    context: &Context,
) -> Option<Draft> {
    let name = short(id);
    let draft = |rule, line, message: String, before: &Assertion, after: Option<&Assertion>| {
        let after = after.map(|after| new.excerpt(&after.span).to_owned());
        Some(Draft { after, ..Draft::new(rule, file, line, message).before(old.excerpt(&before.span)) })
    };
    match change {
        Change::Removed(before) => {
            let is_moved = comparison.is_moved(&before.text);
            let is_gone = comparison.removed_names.iter().any(|name| mentions(&before.text, name));
            // `assert(false)` says that a place is never reached; what it stands in is gone with it.
            let is_marker = before.subject == "0" || BOOLEANS.contains(&before.subject.as_str());
            if is_moved || is_gone || is_marker || before.strength == Strength::Tautology {
                return None;
            }
            let message = format!("test `{name}` no longer checks `{}`", cut(&before.subject));
            let found = draft("assertion-removed", test_line, message, before, None)?;
            // What was expected is still there, in a form that was not recognised as an assertion.
            let called = format!("{}(", old.word(before.span.start));
            let name = &called[..called.len() - 1];
            let is_own = ["expect", "assert", "should", "if", ""].contains(&name)
                || comparison.new_inventories().any(|inventory| inventory.helpers.contains_key(name));
            let count = |text: &str| text.matches(&before.expected).count();
            let still = is_telling(&before.expected)
                && count(&context.text) >= count(&context.old_text)
                && is_handed_on(new, &before.expected, context)
                || !is_own && before.word != *name && calls(&context.text, &called);
            // The very same is asserted again in the same test.
            let is_doubled = context.old_assertions.iter().filter(|other| **other == before.text).count() > 1;
            let still = still || is_doubled || is_requested(before, context) || is_merged(before, context);
            // What a test cleans up after itself is not what it tests.
            let tidies = [
                "os.Remove",
                "os.Mkdir",
                "etenv(",
                "os.Chdir",
                "fs::remove_",
                "rmtree(",
                "rmSync(",
                "unlink",
            ];
            let is_own_doing = has_any(&before.subject, &tidies);
            let explained = context.follows || context.rewritten || context.as_much || is_own_doing;
            let is_sure = context.fewer && !still && !explained;
            Some(found.sure_if(is_sure))
        }
        Change::Weakened(before, after) if after.strength == Strength::Tautology => {
            let message = format!("an assertion of test `{name}` was replaced by one that cannot fail");
            draft("assertion-tautology", after.line, message, before, Some(after))
        }
        Change::Weakened(before, after) => {
            let message = format!("test `{name}` checks `{}` less strictly", cut(&before.subject));
            // `assert f() == True` and `assert f()` say the same of what answers yes or no.
            let is_plain =
                ["assert", "assertTrue", "assertFalse", "True", "False", "isTrue", "isFalse", "ok", "if"];
            let says_boolean = |text: &str| BOOLEANS.contains(&text);
            let last = before.word.rsplit('.').next().unwrap_or_default();
            let is_boolean = (says_boolean(&before.expected) || says_boolean(last))
                && is_plain.contains(&after.word.as_str());
            let found = draft("assertion-weakened", after.line, message, before, Some(after))?;
            // Being other than an empty text can be said in many ways.
            let is_empty = |text: &str| text.contains("\"\"");
            let is_same = before.strength < Strength::Exact
                && is_empty(&before.text)
                && (is_empty(&after.text) || after.word.contains("Empty"));
            let explained = is_boolean
                || is_same
                || is_close(after)
                || context.follows
                || context.rewritten
                || is_requested(before, context)
                || comparison.is_rewrite();
            Some(found.unsure_if(explained))
        }
        Change::Value(before, after) => {
            let may_follow = comparison.product_changed
                || comparison.data_changed
                || comparison.dependencies_changed
                || comparison.is_rewrite()
                || !context.same_inputs;
            let rule = if may_follow { "expected-value-follows-code" } else { "expected-value-changed" };
            let message = format!("test `{name}` expects another value of `{}`", cut(&before.subject));
            draft(rule, after.line, message, before, Some(after))
        }
        Change::Error(before, after) => {
            let message = format!("test `{name}` accepts errors that it did not accept before");
            draft("expected-error-broadened", after.line, message, before, Some(after))
        }
        Change::Tolerance(before, after) => {
            let message = format!("test `{name}` accepts values that are further off");
            draft("tolerance-widened", after.line, message, before, Some(after))
        }
        Change::Limit(before, after, far) => {
            let message = format!("test `{name}` accepts values beyond its old limit");
            let found = draft("tolerance-widened", after.line, message, before, Some(after))?;
            Some(found.sure_if(*far && !context.follows && !context.rewritten))
        }
        Change::OutOfReach(before, after) => {
            let (rule, what) = match after.reach {
                Reach::Swallowed => ("assertion-swallowed", "fails without anybody noticing"),
                Reach::Dead | Reach::Live => ("assertion-unreachable", "is never reached"),
            };
            let message = format!("an assertion of test `{name}` {what}");
            draft(rule, after.line, message, before, Some(after))
        }
    }
}

/// Whether an assertion is part of a new one: of a list, of an object, or of the pattern of an error.
fn is_merged(before: &Assertion, context: &Context) -> bool {
    if before.expected.is_empty() {
        return false;
    }
    let (base, member) = before.subject.rsplit_once('.').unwrap_or((before.subject.as_str(), ""));
    let inner = before.expected.trim_matches('"');
    context.new_assertions.iter().any(|(subject, expected)| {
        let in_list = subject.contains(&before.subject) && subject.len() > before.subject.len();
        let in_object = subject == base && !member.is_empty() && expected.contains(member);
        let says = expected.contains(&before.expected);
        let unescaped = format!("{subject},{expected}").replace('\\', "");
        let in_pattern = before.subject.contains("exception") || before.subject.contains("error");
        (in_list || in_object) && says || in_pattern && inner.len() > 5 && unescaped.contains(inner)
    })
}

/// Whether what was asked of an answer is asked of the request now: `.expect(200, "body")`.
fn is_requested(before: &Assertion, context: &Context) -> bool {
    let about_answer = has_any(&before.subject, &["res.", "response.", "statusCode", "headers"]);
    let text = context.text.to_lowercase();
    let literals = super::deletion::literals_of_text(&before.expected);
    about_answer
        && text.contains(".expect(")
        && !literals.is_empty()
        && literals.iter().all(|literal| text.contains(&literal.to_lowercase()))
}

/// Whether a normalised text calls a function, given as `name(`.
fn calls(text: &str, called: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    text.match_indices(called).any(|(at, _)| !text[..at].ends_with(is_part))
}

/// Whether a call that does not only print is given a value.
fn is_handed_on(source: &Source, expected: &str, context: &Context) -> bool {
    let span = &context.span;
    let prints = |word: &str| {
        let lower = word.to_lowercase();
        // Printing a value or comparing it with another hands it on to nobody.
        lower.starts_with("log") || has_any(&lower, &["print", "dbg", "console", "debug", "info", "equal"])
    };
    source.pieces_in(span).any(|(_, piece)| {
        let named = match piece.class {
            crate::language::Class::Call => &piece.arguments,
            crate::language::Class::List => &piece.span,
            _ => return false,
        };
        source.flat(named).contains(expected) && !source.words(&piece.name).any(prints)
    })
}

/// Whether a value is too special to be somewhere else by chance.
fn is_telling(expected: &str) -> bool {
    expected.len() > 5 && expected.contains('"')
}

/// Whether a normalised text has this word.
fn mentions(text: &str, name: &str) -> bool {
    identifiers(text).any(|word| word == name)
}

/// Short enough for a sentence.
fn cut(text: &str) -> String {
    const CHARACTERS_MAX: usize = 60;
    match text.char_indices().nth(CHARACTERS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Helpers that assert less than before.
fn helpers(comparison: &Comparison) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for file in comparison.files.iter().filter(|file| file.is_test()) {
        let Some((before, after)) = file.inventories() else { continue };
        for (name, old) in &before.helpers {
            let Some(definition) = after.definition(name) else { continue };
            let empty = Vec::new();
            let new = after.helpers.get(name).unwrap_or(&empty);
            let line = after.source.line(definition.span.start);
            // A helper is called by many, so what all tests say does not count.
            let context = Context {
                follows: comparison.may_follow_code(),
                same_inputs: true,
                fewer: old.len() > new.len(),
                text: after.source.flat(&definition.span),
                span: definition.span.clone(),
                ..Context::default()
            };
            for change in changes(old, new) {
                drafts.extend(describe(
                    comparison,
                    &change,
                    (&before.source, &after.source),
                    file.path(),
                    name,
                    line,
                    &context,
                ));
            }
        }
    }
    drafts
}
