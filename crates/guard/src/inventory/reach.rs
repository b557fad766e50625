//! Whether a run gets to an assertion, and whether its failure would be noticed.

use super::condition::{is_always, is_never};
use super::definitions::{last_name, names_function};
use crate::language::Class;
use crate::source::{Piece, Source, Span};
use crate::text::{ends_with_any, has_any};
use crate::vocabulary::EMPTY_LISTS;

/// Whether an assertion counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// It runs, and its failure fails the test.
    Live,
    /// Nothing gets there: after a return, under a condition that never holds, in a function nobody calls.
    Dead,
    /// Its failure is caught and dropped.
    Swallowed,
}

/// Whether a run of `test` gets to the piece `index`.
pub(crate) fn reach(source: &Source, index: usize, test: &Span) -> Reach {
    let at = source.pieces[index].span.start;
    for (outer_index, outer) in source.around(index) {
        if outer.span.start < test.start || outer.span.end > test.end {
            break;
        }
        if is_dead_in(source, outer, at, test) || leaves_before(source, outer_index, at) {
            return Reach::Dead;
        }
        let is_swallowed = match outer.class {
            Class::Try => swallows(source, outer_index, at),
            Class::With => outer.body.contains(&at) && expects_failure(source, outer),
            Class::Call => drops_panic(source, outer, at),
            _ => false,
        };
        if is_swallowed {
            return Reach::Swallowed;
        }
    }
    if is_unheard(source, test, at) { Reach::Swallowed } else { Reach::Live }
}

/// `with suppress(AssertionError)`, `with pytest.raises(AssertionError)`: a failure is what is wanted.
fn expects_failure(source: &Source, with: &Piece) -> bool {
    let header = source.flat(&with.header());
    let failures = ["AssertionError", "Exception", "BaseException", "self.failureException"];
    let names_failure = |call: &str| {
        header.find(call).is_some_and(|at| {
            let arguments = &header[at + call.len()..];
            let end = arguments.find(')').unwrap_or(arguments.len());
            arguments[..end].split(',').any(|name| failures.contains(&name.trim()))
        })
    };
    names_failure("suppress(")
        || ["raises(", "assertRaises("].iter().any(|call| {
            header.contains(&format!("{call}AssertionError"))
                || header.contains(&format!("{call}self.failureException"))
        })
}

/// A panic that a call catches, or that stays in a thread, and nobody asks what became of it.
fn drops_panic(source: &Source, call: &Piece, at: usize) -> bool {
    if !call.arguments.contains(&at) {
        return false;
    }
    let callee = source.flat(&call.name);
    let catches = callee.ends_with("catch_unwind")
        || callee.ends_with("thread::spawn")
        || callee.ends_with("panic::catch_unwind");
    let drops_promise = callee.ends_with(".allSettled");
    if !catches {
        return drops_promise;
    }
    // What follows the call, and what its result is bound to, tell whether somebody looks at it.
    let after = source.flat(&(call.span.end..(call.span.end + 8).min(source.tokens.len())));
    let is_asked = [".unwrap(", ".expect(", ".join().unwrap(", ".join().expect(", "?", ".is_ok(", ".is_err("]
        .iter()
        .any(|ask| after.starts_with(ask) || after.trim_start_matches(')').starts_with(ask))
        || after.starts_with(".join().is_");
    let before: Vec<_> = (1..=4).map(|back| source.word(call.span.start.wrapping_sub(back))).collect();
    let is_bound = before.first() == Some(&"=") && before.get(1) != Some(&"_") || before.contains(&"match");
    let is_argument = before.first() == Some(&"(");
    !is_asked && !is_bound && !is_argument
}

/// Whether what is said here is said to a `t` of one's own, by which the test does not fail.
fn is_unheard(source: &Source, test: &Span, at: usize) -> bool {
    let Some(handle) = source.language.traits.test_handle else { return false };
    source.pieces_in(&(test.start..at)).any(|(_, piece)| {
        let names_t =
            piece.class == Class::Binding && piece.name.len() == 1 && source.word(piece.name.start) == handle;
        if !names_t {
            return false;
        }
        let value = source.flat(&piece.arguments);
        value != handle && !value.contains(".T()") && !value.ends_with("(t)")
    })
}

/// Whether what stands at token `at` inside `outer` never runs.
fn is_dead_in(source: &Source, outer: &Piece, at: usize, test: &Span) -> bool {
    match outer.class {
        Class::If => {
            let in_else = at >= outer.body.end && !outer.body.is_empty();
            outer.body.contains(&at) && is_never(source, &outer.condition)
                || in_else && is_always(source, &outer.condition)
        }
        Class::Loop => loops_over_nothing(source, outer),
        // What is put off until the test is long over.
        Class::Call if outer.arguments.contains(&at) && is_put_off(source, outer) => true,
        Class::Lambda => is_left_alone(source, outer, test),
        // `[].forEach(…)`.
        Class::Call => {
            let callee = source.flat(&outer.name);
            outer.arguments.contains(&at)
                && callee.starts_with("[].")
                && ends_with_any(&callee, &[".forEach", ".map"])
        }
        Class::Function | Class::Binding => {
            let name = last_name(source, &outer.name);
            let is_inner = outer.span.start > test.start || outer.span.end < test.end;
            names_function(source, outer) && is_inner && (name == "_" || mentions(source, test, &name) < 2)
        }
        _ => false,
    }
}

/// `time.AfterFunc(time.Hour, …)`, and what follows a promise that is never kept.
fn is_put_off(source: &Source, call: &Piece) -> bool {
    if !["AfterFunc", "then"].contains(&source.word(call.name.end.wrapping_sub(1))) {
        return false;
    }
    let callee = source.flat(&call.name);
    callee == "time.AfterFunc"
        || ends_with_any(&callee, &["newPromise(()=>{}).then", "new Promise(()=>{}).then"])
        || callee.ends_with(".then") && callee.contains("Promise(()=>{})")
}

/// A function that runs beside the test, which waits for nothing.
fn is_left_alone(source: &Source, lambda: &Piece, test: &Span) -> bool {
    let before = source.word(lambda.span.start.wrapping_sub(1));
    source.language.traits.spawn_word.is_some_and(|word| before == word)
        && !source.words(test).any(|word| {
            ["Wait", "WaitGroup", "chan", "done", "Eventually", "Done", "Go", "close", "wg", "select"]
                .contains(&word)
        })
        && !test.clone().any(|index| source.word(index) == "<-")
}

fn loops_over_nothing(source: &Source, piece: &Piece) -> bool {
    if !piece.condition.is_empty() {
        return is_never(source, &piece.condition);
    }
    let header = source.flat(&piece.header());
    let over = ["in ", "of ", "in", "of", "range "].iter().find_map(|word| {
        let at = header.rfind(word)?;
        Some(header[at + word.len()..].trim_matches([' ', ':']))
    });
    over.is_some_and(|over| EMPTY_LISTS.contains(&over) || EMPTY_LISTS.contains(&over.trim_end_matches(')')))
        || header.trim_end_matches([':', ')']).ends_with("[:0]")
        || header.ends_with("::new()") && has_any(&header, &["Vec::", "HashMap::", "BTreeMap::", "HashSet::"])
        || ends_with_any(&header, &[".take(0)", ".slice(0,0))", ".filter(|_|false)", ".filter(()=>false))"])
        || header.ends_with("{}") && header.contains("range[]")
        || is_empty_literal(source, piece)
}

/// The header ends in a list without a row: `range map[string]int{}`.
fn is_empty_literal(source: &Source, piece: &Piece) -> bool {
    let header = piece.header();
    source.pieces_in(&header).any(|(_, list)| {
        list.class == Class::List && list.span.end == header.end && source.inside(&list.span).is_empty()
    })
}

fn mentions(source: &Source, span: &Span, name: &str) -> usize {
    source.words(span).filter(|word| *word == name).count()
}

/// Whether a `try` drops the failure of what stands at token `at` inside of it.
fn swallows(source: &Source, try_index: usize, at: usize) -> bool {
    let outer = &source.pieces[try_index];
    outer.body.contains(&at)
        && source
            .pieces_in(&outer.span)
            .filter(|(_, piece)| piece.class == Class::Handler && piece.parent == Some(try_index))
            .any(|(_, handler)| catches_assertions(source, handler) && !says_so(source, handler))
}

/// Whether a failed assertion is among what the handler catches.
fn catches_assertions(source: &Source, handler: &Piece) -> bool {
    let header = handler.header();
    let words: Vec<_> = source.words(&header).collect();
    match words.first() {
        Some(&"except") => {
            let broad = ["Exception", "BaseException", "AssertionError"];
            words.len() == 1 || words.iter().any(|word| broad.contains(word))
        }
        _ => true,
    }
}

/// Whether a handler raises, fails, or asserts something about what it caught.
pub(crate) fn says_so(source: &Source, handler: &Piece) -> bool {
    let body = if handler.body.is_empty() { handler.span.clone() } else { handler.body.clone() };
    let raises = |piece: &Piece| matches!(piece.class, Class::Throw | Class::Assert);
    source.pieces_in(&body).any(|(_, piece)| raises(piece))
        || source.words(&body).any(|word| {
            let lower = word.to_lowercase();
            has_any(&lower, &["assert", "expect", "fail", "panic", "raise", "reject"])
                || ["done", "Error", "Errorf", "Fatal", "Fatalf"].contains(&word)
        })
}

/// Whether a statement of this block always leaves the function before token `at`.
fn leaves_before(source: &Source, block: usize, at: usize) -> bool {
    let piece = &source.pieces[block];
    piece.class == Class::Block
        && source.pieces_in(&(piece.span.start..at)).any(|(_, statement)| {
            let leaves = |piece: &Piece| {
                matches!(piece.class, Class::Return | Class::Throw)
                    || piece.class == Class::Call
                        && piece.name.len() == 1
                        && source.language.traits.leaving_calls.contains(&source.word(piece.name.start))
            };
            let always = statement.class == Class::If
                && statement.span.end <= at
                && (is_always(source, &statement.condition)
                    || super::marks::always_by_header(source, statement))
                && source.pieces_in(&statement.body).any(|(_, inner)| leaves(inner));
            statement.parent == Some(block) && (leaves(statement) || always)
        })
}
