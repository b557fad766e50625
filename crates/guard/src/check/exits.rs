//! Ways around the verdict of a test run: ending the process, objects that equal everything, hooks that
//! turn failures into successes, assertions that are replaced by something that never fails.

mod forced;
mod waits;

use super::Draft;
use crate::comparison::{ChangedFile, Comparison};
use crate::inventory::{Inventory, times};
use crate::language::Class;
use crate::similar::only_in;
use crate::source::{Piece, Source, Span};
use crate::text::has_any;
use crate::vocabulary::{ANSWERS, EQUALITIES, RETRY_SETTERS};
use crate::words;

/// What must not come into a file, and what is said where it did.
struct Unwanted {
    rule: &'static str,
    message: &'static str,
    find: fn(&Source) -> Places,
    counts: Counts,
}

/// Where it counts.
#[derive(PartialEq)]
enum Counts {
    Anywhere,
    /// In tests and in files of tests.
    InTests,
    /// In files of tests that were there before, but for tests that are new.
    InOldTests,
}

const UNWANTED: [Unwanted; 4] = [
    Unwanted {
        rule: "test-exits-early",
        message: "the test process would end here, with success, before its tests do",
        find: exits,
        counts: Counts::InTests,
    },
    Unwanted {
        rule: "success-forced",
        message: "the test runner is told to report success, whatever happened",
        find: forced::places,
        counts: Counts::InTests,
    },
    Unwanted {
        rule: "always-equal",
        message: "an object says that it equals everything, so every comparison with it passes",
        find: always_equal,
        counts: Counts::Anywhere,
    },
    Unwanted {
        rule: "timeout-widened",
        message: "a test may take so long that its limit no longer limits anything",
        find: waits::endless,
        counts: Counts::InOldTests,
    },
];

pub(super) fn check(comparison: &Comparison) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for (index, file) in comparison.files.iter().enumerate() {
        let Some(new) = file.new_inventory() else { continue };
        let added: Vec<_> = comparison.followed.added.iter().filter(|at| at.0 == index).collect();
        let is_new = |at: usize| added.iter().any(|test| comparison.new_test(**test).span.contains(&at));
        let in_test = |at: usize| new.tests.iter().any(|test| test.span.contains(&at));
        for unwanted in &UNWANTED {
            // A macro that hides an assertion stands beside the tests.
            let counts = |(at, text): &(usize, String)| match unwanted.counts {
                Counts::Anywhere => true,
                Counts::InTests => {
                    file.is_test()
                        || in_test(*at)
                        || !new.tests.is_empty() && text.starts_with("macro_rules!")
                }
                Counts::InOldTests => file.is_test() && file.old_inventory().is_some() && !is_new(*at),
            };
            drafts.extend(fresh(file.old_inventory(), new, unwanted.find).filter(counts).map(
                |(at, text)| {
                    Draft::new(unwanted.rule, file.path(), new.source.line(at), unwanted.message).after(text)
                },
            ));
        }
        if file.is_test() {
            drafts.extend(retries(file, new));
            drafts.extend(waits::longer(file));
        }
    }
    drafts
}

/// Tokens with what stands there, normalised.
type Places = Vec<(usize, String)>;

/// What is in the new file and was not in the old one.
fn fresh(
    old: Option<&Inventory>,
    new: &Inventory,
    find: fn(&Source) -> Places,
) -> impl Iterator<Item = (usize, String)> + use<> {
    let known = old.map(|old| find(&old.source)).unwrap_or_default().into_iter().map(|(_, text)| text);
    only_in(find(&new.source), known, |(_, text)| text.clone()).into_iter()
}

/// Calls that end the process as if all were well.
fn exits(source: &Source) -> Places {
    let is_exit = |index: usize, piece: &Piece| {
        let callee = source.flat(&piece.name);
        let arguments = source.flat(&source.inside(&piece.arguments));
        let is_success =
            ["", "0", "None", "False", "EXIT_SUCCESS", "ExitCode::SUCCESS", "\"\"", "pytest.ExitCode.OK"]
                .contains(&arguments.as_str())
                || callee == "pytest.exit"
                    && (arguments.contains("returncode=0") || !arguments.contains("returncode"));
        let is_script = source.around(index).any(|(_, outer)| {
            outer.class == Class::If
                && source.words(&outer.condition).any(|word| word == "__name__" || word == "require")
        });
        let last = callee.rsplit(['.', ':']).next().unwrap_or_default();
        let is_call = words::EXIT_CALLS.contains(&callee.as_str()) || ["reallyExit", "_exit"].contains(&last);
        // Who aborts does not succeed.
        is_call && is_success && !is_script && last != "abort"
    };
    let pieces = source.pieces.iter().enumerate();
    let calls = pieces
        .filter(|(index, piece)| piece.class == Class::Call && is_exit(*index, piece))
        .map(|(_, piece)| place(source, &piece.span));
    // Handed on instead of called: `atexit.register(os._exit, 0)`.
    let handed_on = source.pieces.iter().filter(|piece| {
        let arguments = source.flat(&source.inside(&piece.arguments));
        piece.class == Class::Call && has_any(&arguments, &["os._exit,0", "sys.exit,0", "process.exit,0"])
    });
    calls.chain(handed_on.map(|piece| place(source, &piece.span))).collect()
}

fn place(source: &Source, span: &Span) -> (usize, String) {
    (span.start, source.flat(span))
}

/// Equality that does not look.
fn always_equal(source: &Source) -> Places {
    let mut found = Vec::new();
    // An object of one's own that says yes to everything.
    for piece in source.pieces.iter().filter(|piece| piece.class == Class::List && piece.span.len() < 60) {
        let flat = source.flat(&piece.span);
        let says_yes = |name: &&str| ANSWERS.iter().any(|answer| flat.contains(&format!("{name}{answer}")));
        if EQUALITIES.iter().chain(&["includes", "has", "contains", "matches", "test"]).any(says_yes) {
            found.push(place(source, &piece.span));
        }
    }
    for piece in &source.pieces {
        if !matches!(piece.class, Class::Function | Class::Binding) {
            continue;
        }
        let name = source.words(&piece.name).last().unwrap_or_default();
        let value = if piece.body.is_empty() { &piece.arguments } else { &piece.body };
        let flat = source.flat(value);
        let body = flat.trim_matches(['{', '}', ';', ':']).trim_start_matches("return").trim();
        let answers = |word: &str| {
            body.eq_ignore_ascii_case(word)
                || body.ends_with(&format!(":{word}")) && body.starts_with("lambda")
                || body.ends_with(&format!("=>{word}"))
        };
        let is_always = EQUALITIES.contains(&name) && (answers("true") || answers("True"))
            || ["__ne__", "ne"].contains(&name) && (answers("false") || answers("False"));
        if is_always {
            found.push(place(source, &piece.span));
        }
    }
    found
}

/// Retries for a whole file or suite.
fn retries(file: &ChangedFile, new: &Inventory) -> Vec<Draft> {
    fn find(source: &Source) -> Places {
        let calls = source.pieces_of(Class::Call);
        calls
            .filter(|piece| {
                let callee = source.flat(&piece.name);
                RETRY_SETTERS.contains(&callee.as_str())
                    && (callee != "test.describe.configure"
                        || source.flat(&piece.arguments).contains("retries"))
            })
            .map(|piece| place(source, &piece.span))
            .collect()
    }
    let known = file.old_inventory().map(|old| find(&old.source)).unwrap_or_default();
    let most = known.iter().map(|(_, text)| times(text)).max().unwrap_or(0);
    let more = fresh(file.old_inventory(), new, find).filter(|(_, text)| times(text) > most);
    let message = "failed tests run again until they pass";
    more.map(|(at, text)| Draft::new("test-retried", file.path(), new.source.line(at), message).after(text))
        .collect()
}
