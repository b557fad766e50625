//! Ways around the verdict of a test run: ending the process, objects that equal everything, hooks that
//! turn failures into successes, assertions that are replaced by something that never fails.

mod forced;
mod waits;

use super::Draft;
use crate::comparison::{ChangedFile, Comparison};
use crate::inventory::Inventory;
use crate::language::Class;
use crate::similar::only_in;
use crate::source::{Piece, Source, Span};
use crate::words;

pub(super) fn check(comparison: &Comparison) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for (index, file) in comparison.files.iter().enumerate() {
        let Some(new) = file.after.as_ref().and_then(|side| side.inventory.as_ref()) else { continue };
        let old = file.before.as_ref().and_then(|side| side.inventory.as_ref());
        let in_test = |line: u32| {
            let lines = |test: &crate::inventory::Test| {
                new.source.line(test.span.start)..=new.source.line(test.span.end.saturating_sub(1))
            };
            file.is_test() || new.tests.iter().any(|test| lines(test).contains(&line))
        };
        let in_new_test = |line: u32| {
            let added = comparison.followed.added.iter().filter(|at| at.0 == index);
            added.map(|at| &comparison.new_test(*at).span).any(|span| {
                (new.source.line(span.start)..=new.source.line(span.end.saturating_sub(1))).contains(&line)
            })
        };
        if file.is_test() || !new.tests.is_empty() {
            drafts.extend(fresh(old, new, exits).filter(|(line, _)| in_test(*line)).map(|(line, text)| {
                let message = "the test process would end here, with success, before its tests do";
                Draft::new("test-exits-early", file.path(), line, message).after(text)
            }));
            drafts.extend(
                fresh(old, new, forced::places)
                    .filter(|(line, text)| in_test(*line) || text.starts_with("macro_rules!"))
                    .map(|(line, text)| {
                        let message = "the test runner is told to report success, whatever happened";
                        Draft::new("success-forced", file.path(), line, message).after(text)
                    }),
            );
        }
        drafts.extend(fresh(old, new, always_equal).map(|(line, text)| {
            let message = "an object says that it equals everything, so every comparison with it passes";
            Draft::new("always-equal", file.path(), line, message).after(text)
        }));
        drafts.extend(retries(file));
        drafts.extend(waits::timeouts(file).into_iter().filter(|draft| !in_new_test(draft.line)));
        drafts.extend(waits::longer(file));
    }
    drafts
}

type Places = Vec<(u32, String)>;

/// What is in the new file and was not in the old one.
fn fresh(
    old: Option<&Inventory>,
    new: &Inventory,
    find: fn(&Source) -> Places,
) -> impl Iterator<Item = (u32, String)> + use<> {
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
        piece.class == Class::Call
            && ["os._exit,0", "sys.exit,0", "process.exit,0"].iter().any(|exit| arguments.contains(exit))
    });
    calls.chain(handed_on.map(|piece| place(source, &piece.span))).collect()
}

fn place(source: &Source, span: &Span) -> (u32, String) {
    (source.line(span.start), source.flat(span))
}

/// Equality that does not look.
fn always_equal(source: &Source) -> Places {
    const EQUALITIES: &[&str] = &[
        "__eq__",
        "equals",
        "Equals",
        "eq",
        "asymmetricMatch",
        "==",
        "Equal",
        "isEqual",
        "__contains__",
        "equal",
        "same",
        "isSame",
    ];
    const INEQUALITIES: &[&str] = &["__ne__", "ne"];
    const ANSWERS: &[&str] =
        &[":()=>true", ":_=>true", ":(_)=>true", "(){return true}", ":function(){return true}", ":()=>!0"];
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
            || INEQUALITIES.contains(&name) && (answers("false") || answers("False"));
        if is_always {
            found.push(place(source, &piece.span));
        }
    }
    found
}

/// Retries for a whole file or suite.
fn retries(file: &ChangedFile) -> Vec<Draft> {
    let Some(new) = file.after.as_ref().and_then(|side| side.inventory.as_ref()) else { return Vec::new() };
    let old = file.before.as_ref().and_then(|side| side.inventory.as_ref());
    if !file.is_test() {
        return Vec::new();
    }
    fn find(source: &Source) -> Places {
        const RETRIES: &[&str] = &["jest.retryTimes", "this.retries", "vi.retry", "test.describe.configure"];
        let calls = source.pieces.iter().filter(|piece| piece.class == Class::Call);
        calls
            .filter(|piece| {
                let callee = source.flat(&piece.name);
                RETRIES.contains(&callee.as_str())
                    && (callee != "test.describe.configure"
                        || source.flat(&piece.arguments).contains("retries"))
            })
            .map(|piece| place(source, &piece.span))
            .collect()
    }
    let known = old.map(|old| find(&old.source)).unwrap_or_default();
    let most = known.iter().map(|(_, text)| crate::inventory::times(text)).max().unwrap_or(0);
    fresh(old, new, find)
        .filter(|(_, text)| crate::inventory::times(text) > most)
        .map(|(line, text)| {
            let message = "failed tests run again until they pass";
            Draft::new("test-retried", file.path(), line, message).after(text)
        })
        .collect()
}
