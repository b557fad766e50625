//! Hooks and replacements that make failures vanish.

use super::{Places, place};
use crate::check::mocks::is_stub;
use crate::language::{Class, Doubles};
use crate::source::{Piece, Source};
use crate::text::{ends_with_any, has_any, starts_with_any};
use crate::vocabulary::FORCED_RESULTS;
use crate::words;

/// Hooks and replacements that make failures vanish.
pub(super) fn places(source: &Source) -> Places {
    let forces = |piece: &&Piece| match piece.class {
        Class::Binding => {
            replaces_assertion(source, piece)
                || switches_words_off(source, piece)
                || leaves_files_out(source, piece)
                || deafens_result(source, piece)
                || is_hook(source, piece)
        }
        Class::Function => {
            is_shadowing_macro(source, piece)
                || is_deaf_method(source, piece)
                || loads_less(source, piece)
                || is_hook(source, piece)
        }
        Class::Lambda => is_hook(source, piece),
        Class::Call => {
            overwrites_assertions(source, piece)
                || drops_errors(source, piece)
                || source.flat(&piece.span).contains("new(testing.T)")
                    && source.flat(&piece.name).ends_with("Run")
        }
        _ => false,
    };
    source.pieces.iter().filter(forces).map(|piece| place(source, &piece.span)).collect()
}

/// An outer function, or a value, that says what comes of a run.
fn is_hook(source: &Source, piece: &Piece) -> bool {
    let is_in =
        |classes: &[Class]| piece.parent.is_some_and(|parent| classes.contains(&source.pieces[parent].class));
    let is_outermost = !is_in(&[Class::Block]) || piece.class == Class::Function;
    if is_in(&[Class::Function, Class::Lambda]) || !is_outermost {
        return false;
    }
    let flat = source.flat(&piece.span);
    (piece.class != Class::Binding || flat.contains("exitCode=0"))
        && (has_any(&flat, FORCED_RESULTS) || marks_all(&flat) || takes_over(source, piece, &flat))
}

/// A hook in the place of the call of a test, which drops its failure or never calls it.
fn takes_over(source: &Source, piece: &Piece, flat: &str) -> bool {
    // Go: `TestMain` decides about the exit code.
    if flat.starts_with("func TestMain(") {
        return !flat.contains(".Run()") || flat.contains("code=0") || flat.contains("code:=0");
    }
    let name = source.words(&piece.name).last().unwrap_or_default();
    let drops = source
        .pieces_in(&piece.body)
        .any(|(_, inner)| inner.class == Class::Handler && !crate::inventory::says_so(source, inner));
    ["pytest_runtest_call", "pytest_pyfunc_call"].contains(&name)
        && (drops || flat.contains("return True") || flat.contains("runtest=lambda"))
}

/// A hook that puts a mark on every test it is given.
fn marks_all(flat: &str) -> bool {
    let marks = has_any(flat, &["add_marker(pytest.mark.", "add_marker(\"skip\")", "add_marker(skip"]);
    let leaves_out = has_any(
        flat,
        &["items[:]=", "items.remove(", "items.pop(", "del items", "pytest_deselected(", "session.items="],
    );
    let orders = flat.contains("sort") && !flat.contains("if ");
    let is_hook = flat.contains("pytest_collection_modifyitems") || flat.contains("pytest_collection_finish");
    is_hook && (marks && !flat.contains("if ") || leaves_out && !orders)
        || flat.contains("pytest_ignore_collect") && flat.contains("return True")
        || flat.contains("pytest_pycollect_makeitem") && flat.contains("return[]")
}

/// `unittest.TestCase.assertEqual = lambda *a: None`.
fn replaces_assertion(source: &Source, piece: &Piece) -> bool {
    let name = source.flat(&piece.name);
    let last = name.rsplit('.').next().unwrap_or_default();
    // `for (const name of Object.keys(assert)) assert[name] = () => {}`.
    let is_each = starts_with_any(&name, &["assert[", "expect[", "chai.assert[", "should["]);
    let is_member = name.contains('.') || name == "expect" || name == "assert" || is_each;
    let is_assertion = is_each
        || words::assert_word(last).is_some_and(|word| word.bare || name.starts_with("assert"))
        || words::matcher(last).is_some_and(|_| name.contains("prototype"))
        || has_any(
            &name,
            &["Assertion.prototype.", "Runnable.prototype.", "Runner.prototype.", "Test.prototype."],
        )
        || ["global.expect", "globalThis.expect", "expect", "builtins.assert"].contains(&name.as_str())
            && !source.flat(&piece.arguments).contains("require(");
    let value = source.flat(&piece.arguments);
    let is_failure = name == "failureException" || name.ends_with(".failureException");
    is_member && is_assertion && is_stub(&value) || is_failure && !value.contains("AssertionError")
}

/// `global.it = it.skip`, `const describe = () => {}`.
fn switches_words_off(source: &Source, piece: &Piece) -> bool {
    let name = source.flat(&piece.name);
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_word = words::declares_tests(last);
    let is_global = name == last || name.starts_with("global.") || name.starts_with("globalThis.");
    let value = source.flat(&piece.arguments);
    is_word
        && is_global
        && (value.ends_with(".skip") || value.ends_with("=>{}") || value.starts_with('x') && value.len() < 12)
}

/// `unittest.TestResult.addFailure = …`, `suite.Run(new(testing.T), …)`: nobody hears of a failure.
fn deafens_result(source: &Source, piece: &Piece) -> bool {
    let name = source.flat(&piece.name);
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_result =
        ["addFailure", "addError", "wasSuccessful", "addSubTest", "addUnexpectedSuccess"].contains(&last);
    let value = source.flat(&piece.arguments);
    // Words of the framework that call what they are given and drop what it throws.
    let is_word =
        words::is_test_call(last) && (name.starts_with("global.") || name.starts_with("globalThis."));
    is_result && name.contains('.') || is_word && value.contains("catch")
}

/// conftest.py: `collect_ignore = ["test_a.py"]`.
fn leaves_files_out(source: &Source, piece: &Piece) -> bool {
    let name = source.flat(&piece.name);
    ["collect_ignore", "collect_ignore_glob"].contains(&name.as_str())
        && piece.parent.is_none()
        && source.literals(&piece.arguments).iter().any(|text| text.contains("test") || text.contains('*'))
}

/// unittest: `load_tests` that gives something else than the tests it was given.
fn loads_less(source: &Source, piece: &Piece) -> bool {
    let flat = source.flat(&piece.span);
    flat.starts_with("def load_tests(")
        && !has_any(&flat, &["discover", "addTest", "return tests", "return suite"])
}

/// Methods of the framework that are replaced by ones that do not fail.
fn is_deaf_method(source: &Source, piece: &Piece) -> bool {
    let name = source.words(&piece.name).last().unwrap_or_default();
    let body = source.flat(&source.inside(&piece.body));
    let does_nothing =
        ["", "pass", "return", "return None", "return True", "return true", "return nil", "..."]
            .contains(&body.as_str());
    match source.language.traits.doubles {
        Doubles::None => false,
        Doubles::Inherited => {
            let in_class = piece.parent.is_some_and(|parent| {
                source
                    .around(parent)
                    .chain([(parent, &source.pieces[parent])])
                    .any(|(_, outer)| outer.class == Class::Container)
            });
            let fails = ["fail", "_formatMessage"].contains(&name) || words::assert_word(name).is_some();
            let runs = name == "run"
                && source.flat(&piece.arguments).contains("result")
                && !body.contains("super()")
                && !body.contains(".run(");
            in_class && (fails && does_nothing || runs)
        }
        Doubles::Received(names) => {
            let receiver = source.flat(&(piece.span.start..piece.name.start));
            receiver.len() > 4 && names.contains(&name) && does_nothing
        }
    }
}

/// `process.on("uncaughtException", () => {})`: what fails outside of a test is dropped.
fn drops_errors(source: &Source, piece: &Piece) -> bool {
    let callee = source.flat(&piece.name);
    let arguments = source.flat(&source.inside(&piece.arguments));
    let hears = ["process.on", "process.once", "window.addEventListener"].contains(&callee.as_str());
    let events = ["\"uncaughtException\"", "\"unhandledRejection\"", "\"exit\"", "\"error\""];
    hears
        && starts_with_any(&arguments, &events)
        && (arguments.ends_with("=>{}") || arguments.ends_with("(){}") || arguments.contains("exit(0)"))
}

/// Calls that change what assertions do, to something that does nothing.
fn overwrites_assertions(source: &Source, piece: &Piece) -> bool {
    let callee = source.flat(&piece.name);
    let arguments = source.flat(&piece.arguments);
    let changes = ends_with_any(&callee, &["addEqualityTesters", "overwriteMethod", "overwriteProperty"]);
    changes && (arguments.contains("=>true") || arguments.contains("(){}") || arguments.contains("=>{}"))
}

/// A macro of one's own with the name of an assertion.
fn is_shadowing_macro(source: &Source, piece: &Piece) -> bool {
    source.word(piece.span.start).starts_with("macro_rules")
        && words::assert_word(source.word(piece.name.start)).is_some()
}
