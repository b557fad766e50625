//! Ways around the verdict of a test run: ending the process, objects that equal everything, hooks that
//! turn failures into successes, assertions that are replaced by something that never fails.

use super::Draft;
use crate::comparison::{ChangedFile, Comparison};
use crate::inventory::Inventory;
use crate::language::Class;
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
                fresh(old, new, forced)
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
        drafts.extend(timeouts(file).into_iter().filter(|draft| !in_new_test(draft.line)));
        drafts.extend(longer(file));
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
    let mut known: Vec<String> =
        old.map(|old| find(&old.source)).unwrap_or_default().into_iter().map(|(_, text)| text).collect();
    find(&new.source).into_iter().filter(move |(_, text)| {
        let at = known.iter().position(|other| other == text);
        at.map(|at| known.swap_remove(at)).is_none()
    })
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
        is_call && is_success && !is_script
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
    let mut found = Vec::new();
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

/// Hooks and replacements that make failures vanish.
fn forced(source: &Source) -> Places {
    const FORCED: &[&str] = &[
        "outcome=\"passed\"",
        "exitstatus=0",
        "session.exitstatus=0",
        "items[:]=[]",
        "items.clear()",
        "force_result(",
        "excinfo=None",
        "exitCode=0",
        "pass:true",
        "failures.clear()",
        "errors.clear()",
        "wasSuccessful=lambda",
        "session.testsfailed=0",
        "state:\"pass\"",
        "numFailingTests:0",
        "numFailedTests=0",
        "call.excinfo=None",
    ];
    let mut found = Vec::new();
    for piece in &source.pieces {
        match piece.class {
            Class::Binding if replaces_assertion(source, piece) => found.push(place(source, &piece.span)),
            Class::Function if is_shadowing_macro(source, piece) => found.push(place(source, &piece.span)),
            Class::Function | Class::Lambda | Class::Binding => {
                let is_inner = piece.parent.is_some_and(|parent| {
                    matches!(source.pieces[parent].class, Class::Function | Class::Lambda)
                });
                let flat = source.flat(&piece.span);
                let is_hook = FORCED.iter().any(|word| flat.contains(word))
                    || marks_all(&flat)
                    || takes_over(source, piece, &flat);
                if is_hook
                    && !is_inner
                    && (piece.class != Class::Binding || flat.contains("exitCode=0"))
                    && is_outermost(source, piece)
                {
                    found.push(place(source, &piece.span));
                }
            }
            Class::Call if overwrites_assertions(source, piece) => found.push(place(source, &piece.span)),
            _ => {}
        }
    }
    found
}

/// A hook in the place of the call of a test, which drops its failure or never calls it.
fn takes_over(source: &Source, piece: &Piece, flat: &str) -> bool {
    // Go: `TestMain` decides about the exit code.
    if flat.starts_with("func TestMain(") {
        return !flat.contains(".Run()") || flat.contains("code=0") || flat.contains("code:=0");
    }
    const HOOKS: &[&str] = &[
        "pytest_runtest_call",
        "pytest_pyfunc_call",
        "pytest_runtest_protocol",
        "pytest_exception_interact",
    ];
    let name = source.words(&piece.name).last().unwrap_or_default();
    let drops = source
        .pieces_in(&piece.body)
        .any(|(_, inner)| inner.class == Class::Handler && !crate::inventory::says_so(source, inner));
    HOOKS.contains(&name) && (drops || flat.contains("return True") || flat.contains("runtest=lambda"))
}

/// A hook that puts a mark on every test it is given.
fn marks_all(flat: &str) -> bool {
    flat.contains("pytest_collection_modifyitems")
        && flat.contains("add_marker(pytest.mark.")
        && !flat.contains("if ")
}

fn is_outermost(source: &Source, piece: &Piece) -> bool {
    piece.parent.is_none_or(|parent| {
        !matches!(source.pieces[parent].class, Class::Function | Class::Lambda | Class::Block)
    }) || piece.class == Class::Function
}

/// `unittest.TestCase.assertEqual = lambda *a: None`.
fn replaces_assertion(source: &Source, piece: &Piece) -> bool {
    let name = source.flat(&piece.name);
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_member = name.contains('.') || name == "expect" || name == "assert";
    let is_assertion = words::assert_word(last).is_some_and(|word| word.bare || name.starts_with("assert"))
        || words::matcher(last).is_some_and(|_| name.contains("prototype"))
        || ["Assertion.prototype.", "Runnable.prototype.", "Runner.prototype.", "Test.prototype."]
            .iter()
            .any(|part| name.contains(part))
        || ["global.expect", "globalThis.expect", "expect", "builtins.assert"].contains(&name.as_str())
            && !source.flat(&piece.arguments).contains("require(");
    let value = source.flat(&piece.arguments);
    let is_function = value.starts_with("lambda")
        || value.contains("=>")
        || value.starts_with("function")
        || value.contains("Mock(")
        || value.contains("jest.fn(")
        || value.contains("vi.fn(");
    is_member && is_assertion && is_function
}

/// Calls that change what assertions do, to something that does nothing.
fn overwrites_assertions(source: &Source, piece: &Piece) -> bool {
    let callee = source.flat(&piece.name);
    let arguments = source.flat(&piece.arguments);
    let changes = ["addEqualityTesters", "overwriteMethod", "overwriteProperty"]
        .iter()
        .any(|end| callee.ends_with(end));
    changes && (arguments.contains("=>true") || arguments.contains("(){}") || arguments.contains("=>{}"))
}

/// A macro of one's own with the name of an assertion.
fn is_shadowing_macro(source: &Source, piece: &Piece) -> bool {
    source.word(piece.span.start).starts_with("macro_rules")
        && words::assert_word(source.word(piece.name.start)).is_some()
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
                    && (callee != "test.describe.configure" || source.flat(&piece.arguments).contains("retries"))
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

/// A limit of this many milliseconds, or none, is no limit any more.
const TIMEOUT_MS_MAX: f64 = 60_000.0;

/// Limits of time that no longer limit anything.
fn timeouts(file: &ChangedFile) -> Vec<Draft> {
    let Some(new) = file.after.as_ref().and_then(|side| side.inventory.as_ref()) else { return Vec::new() };
    // A new file has its own limits.
    let Some(old) = file.before.as_ref().and_then(|side| side.inventory.as_ref()) else { return Vec::new() };
    if !file.is_test() {
        return Vec::new();
    }
    fn find(source: &Source) -> Places {
        const SETTERS: &[&str] =
            &["jest.setTimeout", "this.timeout", "vi.setConfig", "jasmine.DEFAULT_TIMEOUT_INTERVAL"];
        let mut found = Vec::new();
        for piece in source.pieces.iter().filter(|piece| piece.class == Class::Call) {
            let callee = source.flat(&piece.name);
            let operands = source.split(&source.inside(&piece.arguments));
            let limit = match (SETTERS.contains(&callee.as_str()), operands.last()) {
                (true, Some(last)) => last,
                (false, Some(_))
                    if operands.get(1).is_some_and(|options| source.word(options.start) == "{")
                        && words::TEST_CALLS.contains(&source.word(piece.name.start)) =>
                {
                    let options = source.split(&source.inside(&operands[1]));
                    match options.iter().find(|option| source.word(option.start) == "timeout") {
                        Some(option) => &(option.start + 2..option.end),
                        None => continue,
                    }
                }
                (false, Some(last))
                    if operands.len() > 2 && words::TEST_CALLS.contains(&source.word(piece.name.start)) =>
                {
                    last
                }
                _ => continue,
            };
            let numbers = source
                .literals(limit)
                .into_iter()
                .filter_map(|number| number.replace('_', "").parse::<f64>().ok());
            let is_number = limit.clone().all(|index| source.tokens[index].kind != crate::source::Kind::Word)
                || callee == "vi.setConfig";
            let product: Vec<f64> = numbers.collect();
            let milliseconds = product.iter().product::<f64>();
            if is_number && !product.is_empty() && (milliseconds >= TIMEOUT_MS_MAX || milliseconds == 0.0) {
                found.push((source.line(limit.start), source.flat(limit)));
            }
        }
        found
    }
    fresh(Some(old), new, find)
        .map(|(line, text)| {
            let message = "a test may take so long that its limit no longer limits anything";
            Draft::new("timeout-widened", file.path(), line, message).after(text)
        })
        .collect()
}

/// A wait that grew by less than this factor is an adjustment.
const WAIT_FACTOR_MIN: f64 = 5.0;
/// A wait below so many seconds hides nothing.
const WAIT_SECONDS_MIN: f64 = 30.0;

/// Tests that wait many times longer for something.
fn longer(file: &ChangedFile) -> Option<Draft> {
    let (old, new) = file.inventories().filter(|_| file.is_test())?;
    let (had, has) = (waits(&old.source), waits(&new.source));
    // One more duration is something new, not a longer wait.
    if had.len() != has.len() {
        return None;
    }
    let longest = |waits: Vec<(u32, f64)>| waits.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let (_, before) = longest(had)?;
    let (line, after) = longest(has)?;
    (after >= before.max(0.001) * WAIT_FACTOR_MIN && after >= WAIT_SECONDS_MIN).then(|| {
        let message = format!("a test waits {after} s where it waited {before} s at most");
        Draft::new("timeout-widened", file.path(), line, message)
    })
}

/// How long a file waits for things, in seconds, by what names durations in each language.
fn waits(source: &Source) -> Vec<(u32, f64)> {
    let mut found = Vec::new();
    for index in 0..source.tokens.len() {
        let seconds = match source.word(index) {
            "Hour" => 3600.0,
            "Minute" => 60.0,
            "Second" => 1.0,
            "Millisecond" => 0.001,
            "from_secs" => 1.0,
            "from_millis" => 0.001,
            "timeout" if source.word(index + 1) == "=" => 1.0,
            _ => continue,
        };
        let near = match source.word(index) {
            "Hour" | "Minute" | "Second" | "Millisecond" => index.checked_sub(4),
            _ => Some(index + 2),
        };
        let number = near.and_then(|near| source.word(near).replace('_', "").parse::<f64>().ok());
        let unit_alone = near.is_some_and(|near| near < index) && number.is_none();
        found.extend(
            number.or(unit_alone.then_some(1.0)).map(|number| (source.line(index), number * seconds)),
        );
    }
    found
}
