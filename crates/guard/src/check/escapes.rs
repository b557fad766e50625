//! New ways out of a test: a case that a loop passes by, a return before the assertions, rounds that are never run.
//!
//! Where nothing else of the test is new, the way out is all that the change brought. Where other code came with it,
//! it may be part of that, so it only reports, unless it names a value of one of the cases that were there.

use std::collections::BTreeSet;

use super::Draft;
use super::deletion::short;
use super::errors::drops_rejection;
use super::tokens::{self, is_within};
use crate::comparison::{ChangedFile, Comparison, Pair, test_modules};
use crate::inventory::Inventory;
use crate::language::Class;
use crate::paths;
use crate::similar::only_in;
use crate::source::{Kind, Piece, Source, Span};
use crate::text::{ends_with_any, has_any};
use crate::vocabulary::{MACHINE, TIDYING};

/// So many words besides the way out may be new: the name of a package, a word of a comparison.
const GAINED_MAX: usize = 2;

pub(super) fn check(comparison: &Comparison) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for file in &comparison.files {
        let Some((old, new)) = file.inventories() else { continue };
        if old.tests.is_empty() && !file.is_test() {
            continue;
        }
        drafts.extend(ways_out(comparison, file, old, new));
        drafts.extend(swallowed(file, old, new));
        drafts.extend(super::rounds::check(comparison, file, old, new));
    }
    drafts.extend(discarded(comparison));
    drafts
}

/// Tests that looked at an error and throw it away.
fn discarded(comparison: &Comparison) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for pair in comparison.changed_pairs().filter(Pair::is_on) {
        let (before, after, was, is) = (pair.before, pair.after, &pair.old.source, &pair.new.source);
        let count = |source: &Source, span: &Span, words: &[&str]| {
            source.words(span).filter(|word| words.contains(word)).count()
        };
        let heeds = ["NoError", "unwrap", "expect", "NoErrorf", "Nil", "assertNoError", "err", "Success"];
        let lost = count(was, &before.span, &heeds) > count(is, &after.span, &heeds);
        if lost && discards(is, &after.body) > discards(was, &before.body) {
            let message = format!("test `{}` throws away an error that it looked at", short(&after.id));
            let draft = Draft::of(&pair, "assertion-swallowed", after.line, message);
            drafts.push(draft.unsure_if(comparison.may_follow_code()));
        }
    }
    drafts
}

/// How often a result is bound to nothing.
fn discards(source: &Source, body: &Span) -> usize {
    let bound = source.pieces_in(body).filter(|(_, piece)| {
        let names: Vec<&str> =
            piece.name.clone().map(|index| source.word(index)).filter(|word| *word != ",").collect();
        let is_tidying = has_any(&source.flat(&piece.arguments).to_lowercase(), TIDYING);
        piece.class == Class::Binding
            && !is_tidying
            && !names.is_empty()
            && names.iter().all(|name| *name == "_")
    });
    let dropped = source
        .pieces_in(body)
        .filter(|(_, piece)| piece.class == Class::Call && drops_rejection(source, piece));
    bound.count() + dropped.count()
}

/// Catch-all handlers around what a test or its setup did without one.
fn swallowed(file: &ChangedFile, old: &Inventory, new: &Inventory) -> Option<Draft> {
    let source = &new.source;
    let was = old.source.flat(&tokens::whole(&old.source));
    let found = source.pieces.iter().enumerate().find(|(index, piece)| {
        let Some((_, outer)) = source.around(*index).next().filter(|_| piece.class == Class::Handler) else {
            return false;
        };
        let tried = source.flat(&source.inside(&outer.body));
        let header: Vec<&str> = source.words(&piece.header()).collect();
        let broad = source.language.traits.broad_errors;
        let is_broad =
            broad.is_empty() || header.len() == 1 || header.iter().any(|word| broad.contains(word));
        outer.class == Class::Try
            && is_broad
            && tried.len() > 6
            && tried.contains('(')
            && !has_any(&tried.to_lowercase(), TIDYING)
            && was.contains(&tried)
            && !was.contains(&source.flat(&outer.span))
            && !crate::inventory::says_so(source, piece)
            && !source.flat(&piece.body).contains("skip")
    });
    let (_, piece) = found?;
    let region_ok =
        paths::is_test(file.path()) || test_modules(new).iter().any(|span| span.contains(&piece.span.start));
    let had_try = old.source.pieces.iter().filter(|other| other.class == Class::Handler).count();
    let has_try = source.pieces.iter().filter(|other| other.class == Class::Handler).count();
    (region_ok && has_try > had_try).then(|| {
        let message = "what failed here failed the tests, and is caught and dropped now";
        Draft::new("assertion-swallowed", file.path(), source.line(piece.span.start), message)
            .after(source.flat(&piece.span))
    })
}

/// A way out, and the conditions under which it is taken.
struct Escape {
    span: Span,
    condition: Span,
    text: String,
}

fn ways_out(comparison: &Comparison, file: &ChangedFile, old: &Inventory, new: &Inventory) -> Vec<Draft> {
    let known = escapes(file.path(), old).into_iter().map(|escape| escape.text);
    let fresh = only_in(escapes(file.path(), new), known, |escape| escape.text.clone());
    let spans: Vec<Span> = fresh.iter().map(|escape| escape.span.clone()).collect();
    let mut drafts = Vec::new();
    for escape in &fresh {
        let Some(holder) = holder(comparison, old, new, &escape.span) else { continue };
        let sides = ((&old.source, &holder.before), (&new.source, &holder.after));
        let is_alone = tokens::gained(sides.0, sides.1, &spans).len() <= GAINED_MAX;
        let names_case = is_case(&new.source, &escape.condition, &old.source, &holder.before);
        let follows = mentions_touched(comparison, &new.source, &escape.condition);
        if is_about_machine(&new.source, &escape.condition) {
            continue;
        }
        let message = format!("{} leaves before it has checked everything", holder.what);
        let draft = Draft::new("test-case-skipped", file.path(), new.source.line(escape.span.start), message)
            .after(escape.text.clone());
        let draft = Draft { test: holder.test, ..draft };
        // What a function of the file decides is a reason that somebody gave a name.
        let is_named = asks_own(new, &escape.condition);
        let sure = (is_alone || names_case) && !follows && !is_named;
        drafts.push(draft.sure_if(sure));
    }
    drafts
}

/// Whether a condition names what the product defines in another way than before.
fn mentions_touched(comparison: &Comparison, source: &Source, condition: &Span) -> bool {
    condition.clone().any(|index| comparison.touched_names.contains(plain(source.word(index))))
}

/// Whether a condition asks a function that the test file defines.
fn asks_own(inventory: &Inventory, condition: &Span) -> bool {
    let source = &inventory.source;
    // `if helper() {`: nothing else is asked.
    let asked = condition.clone().filter(|index| !matches!(source.word(*index), "if" | "!" | "not" | "("));
    asked
        .take(1)
        .any(|index| source.word(index + 1) == "(" && inventory.definition(source.word(index)).is_some())
}

/// What a way out leaves, before and after.
struct Holder {
    before: Span,
    after: Span,
    what: String,
    test: Option<String>,
}

/// The test, or else the file, that a way out is in; `None` where that is new.
fn holder(comparison: &Comparison, old: &Inventory, new: &Inventory, span: &Span) -> Option<Holder> {
    let holds = |outer: &Span| outer.start <= span.start && span.end <= outer.end;
    if let Some(test) = new.tests.iter().find(|test| holds(&test.span)) {
        let was = old.tests.iter().find(|other| other.id == test.id)?;
        if test.is_off() || was.is_off() || was.assertions.is_empty() && test.assertions.is_empty() {
            return None;
        }
        return Some(Holder {
            before: was.span.clone(),
            after: test.span.clone(),
            what: format!("test `{}`", short(&test.id)),
            test: Some(test.id.clone()),
        });
    }
    // A helper matters where it asserts; a loop around tests always does.
    let function = new.functions().rfind(|definition| holds(&definition.body));
    match function {
        Some(function) => {
            let is_helper = |inventory: &Inventory| inventory.helpers.contains_key(&function.name);
            let was = old.definition(&function.name)?;
            let asserts =
                is_helper(old) && is_helper(new) && !comparison.touched_names.contains(&function.name);
            asserts.then(|| Holder {
                before: was.span.clone(),
                after: function.span.clone(),
                what: format!("helper `{}`", function.name),
                test: None,
            })
        }
        None => Some(Holder {
            before: tokens::whole(&old.source),
            after: tokens::whole(&new.source),
            what: "a loop around tests".to_owned(),
            test: None,
        }),
    }
}

/// The ways out of the tests of a file.
fn escapes(path: &str, inventory: &Inventory) -> Vec<Escape> {
    let source = &inventory.source;
    let regions = tokens::of_tests(path, inventory);
    let pieces = source.pieces.iter().enumerate().filter(|(_, piece)| is_within(&piece.span, &regions));
    pieces.filter_map(|(index, piece)| escape(source, index, piece)).collect()
}

fn escape(source: &Source, index: usize, piece: &Piece) -> Option<Escape> {
    let found = |span: &Span, condition: &Span| {
        let text = source.flat(span);
        Some(Escape { span: span.clone(), condition: condition.clone(), text })
    };
    match piece.class {
        Class::If => {
            let body = source.inside(&piece.body);
            let has_else = piece.span.end > piece.body.end;
            let leaves = leaves(source, &body) && !has_else && !is_flow(source, index, piece);
            if leaves { found(&piece.span, &(piece.span.start..piece.body.start)) } else { None }
        }
        // `let Ok(x) = f() else { return };`
        Class::Binding if source.language.traits.leaves_by_pattern => {
            let or_else = *source.top_level(&piece.span, &["else"]).last()?;
            let body = source.inside(&(or_else + 1..trimmed_end(source, &piece.span)));
            if leaves(source, &body) { found(&piece.span, &(piece.span.start..or_else)) } else { None }
        }
        // `Err(_) => return`.
        Class::Block if source.language.traits.leaves_by_pattern => {
            let arrow = *source.top_level(&piece.span, &["=>"]).first()?;
            let mut body = arrow + 1..trimmed_end(source, &piece.span);
            body = source.inside(&body);
            if leaves(source, &body) { found(&piece.span, &(piece.span.start..arrow)) } else { None }
        }
        // A property that is asked for fewer examples.
        Class::Call
            if ["assume", "prop_assume", "pre", "assume_that"]
                .contains(&source.words(&piece.name).last().unwrap_or_default())
                && piece.span.len() < 40 =>
        {
            found(&piece.span, &piece.arguments)
        }
        Class::Handler => {
            let body = source.inside(&piece.body);
            if leaves(source, &body) {
                found(&piece.span, &(piece.span.start..piece.body.start))
            } else {
                None
            }
        }
        Class::Loop => {
            let body = source.inside(&piece.body);
            let end = trimmed_end(source, &body);
            let is_once = end > body.start + 1
                && source.word(end - 1) == "break"
                && source.top_level(&body, &["break"]).last() == Some(&(end - 1))
                && !is_after_condition(source, index, end - 1);
            if is_once { found(&(end - 1..end), &(end..end)) } else { None }
        }
        _ => None,
    }
}

/// Python has no brackets: whether a `break` belongs to a condition inside of the loop.
fn is_after_condition(source: &Source, index: usize, at: usize) -> bool {
    let body = source.pieces[index].body.clone();
    source.pieces_in(&body).any(|(_, piece)| {
        matches!(piece.class, Class::If | Class::Try | Class::With | Class::Loop | Class::Handler)
            && piece.span.contains(&at)
    })
}

fn trimmed_end(source: &Source, span: &Span) -> usize {
    let mut end = span.end;
    while end > span.start && matches!(source.word(end - 1), ";" | ",") {
        end -= 1;
    }
    end
}

/// Whether a body does nothing but leave, with what it returns being nothing.
fn leaves(source: &Source, body: &Span) -> bool {
    let flat = source.flat(body);
    let returned = flat.strip_prefix("return ").unwrap_or_default();
    let is_labelled = flat.starts_with("continue ") && body.len() <= 3;
    ["continue", "break", "return"].contains(&flat.as_str())
        || ["None", "nil", "null", "undefined", "Ok(())", "true", "done()"].contains(&returned)
        || is_labelled
}

/// A conditional that ends a function which goes on by returning: one that found what it looked for, or waits.
fn is_flow(source: &Source, index: usize, piece: &Piece) -> bool {
    // In a small function inside of a test, such as a handler or a fake, returning is its own business.
    let owner = source.around(index).find(|(_, outer)| {
        matches!(outer.class, Class::Function | Class::Lambda | Class::Call)
            && (outer.class != Class::Call || is_test_call(source, outer))
    });
    // A function with a name inside of a test, too.
    let in_function = owner.is_some_and(|(at, outer)| {
        outer.class == Class::Function
            && source.around(at).any(|(_, holder)| matches!(holder.class, Class::Function | Class::Lambda))
    });
    let in_lambda = match owner {
        Some((at, outer)) if outer.class == Class::Lambda => {
            !source.around(at).next().is_some_and(|(_, holder)| is_runner(source, holder))
        }
        _ => false,
    };
    let flat = source.flat(&source.inside(&piece.body));
    in_function || in_lambda && flat.starts_with("return")
}

/// Calls that run what they are given as a test or for each case.
fn is_runner(source: &Source, piece: &Piece) -> bool {
    piece.class == Class::Call
        && (is_test_call(source, piece)
            || ends_with_any(&source.flat(&piece.name), &[".forEach", ".Run", ".each"])
            || source.flat(&piece.name).contains(".each"))
}

fn is_test_call(source: &Source, piece: &Piece) -> bool {
    let first = source.word(piece.name.start);
    crate::words::declares_tests(first)
}

/// Whether a condition asks where it runs.
fn is_about_machine(source: &Source, condition: &Span) -> bool {
    let is_word = |index: &usize| MACHINE.contains(&plain(source.word(*index)).to_lowercase().as_str());
    condition.clone().any(|index| is_word(&index))
}

fn plain(word: &str) -> &str {
    word.trim_matches(['"', '\'', '`'])
}

/// Whether a condition compares with a value that the old test had.
fn is_case(new: &Source, condition: &Span, old: &Source, before: &Span) -> bool {
    let compares =
        condition.clone().any(|index| matches!(new.word(index), "==" | "===" | "!=" | "!==" | "in"));
    let is_value = |source: &Source, index: usize| {
        matches!(source.tokens[index].kind, Kind::Number | Kind::Text) && plain(source.word(index)).len() > 1
    };
    let had: BTreeSet<&str> =
        before.clone().filter(|index| is_value(old, *index)).map(|index| plain(old.word(index))).collect();
    compares
        && condition
            .clone()
            .filter(|index| is_value(new, *index))
            .any(|index| had.contains(plain(new.word(index))))
}
