//! The names of what code calls, hands on, or reads.

use std::collections::BTreeSet;
use std::ops::Range;

use piton_guard::{Class, Place};

use crate::code::{Code, Language};
use crate::words::is_framework;

/// What a test calls. Its title and its own name say nothing.
pub(super) fn of_test(code: &Code<'_>, span: &Range<usize>) -> BTreeSet<String> {
    let own = code
        .outline
        .functions
        .iter()
        .find(|function| span.start <= function.span.start && function.span.end == span.end);
    let own = own.map(|function| function.name.as_str()).unwrap_or_default();
    let mut found = named(code, span);
    // A fixture of pytest is asked for by the name of a parameter.
    let function = code
        .pieces_of(Class::Function)
        .find(|piece| piece.span.start >= span.start && piece.span.end == span.end);
    if let Some(function) = function.filter(|_| code.language == Language::Python) {
        found.extend(code.words(&function.arguments).map(str::to_owned));
    }
    found.retain(|name| name != own && !is_framework(name));
    found
}

/// What a function calls.
pub(super) fn of_function(code: &Code<'_>, body: &Range<usize>) -> BTreeSet<String> {
    let mut found = named(code, body);
    found.retain(|name| !is_framework(name));
    found
}

/// Names before brackets; names that are an argument, since they may be called later; and, where reading an attribute
/// may run code, what stands behind a dot.
fn named(code: &Code<'_>, span: &Range<usize>) -> BTreeSet<String> {
    let reads = matches!(code.language, Language::Python | Language::Script);
    let mut found = BTreeSet::new();
    for index in span.start..span.end.min(code.len()) {
        let is_type = code.token(index).is_some_and(|token| token.place == Place::Type);
        if !code.is_word(index)
            || is_type
            || matches!(code.word_before(index), "def" | "fn" | "func" | "function" | "class")
        {
            continue;
        }
        let is_argument =
            matches!(code.word_before(index), "(" | ",") && matches!(code.word(index + 1), ")" | ",");
        let is_method = matches!(code.word_before(index), "::") && matches!(code.word(index + 1), ")" | ",");
        let is_read = reads && matches!(code.word_before(index), "." | "?.");
        if opens(code, index) || is_argument || is_method || is_read {
            found.insert(code.word(index).to_owned());
        }
    }
    found
}

/// Whether brackets of arguments follow a name, be it behind types: `f(`, `f::<T>(`, `f<T>(`, `f[T](`, `T {`.
fn opens(code: &Code<'_>, index: usize) -> bool {
    const TYPES_MAX: usize = 12;
    let next = match code.word(index + 1) {
        "(" => return true,
        "!" => return false,
        "::" if code.word(index + 2) == "<" => index + 2,
        "<" | "[" => index + 1,
        _ => return false,
    };
    let is_of_types = match code.word(next) {
        "<" => ["type_arguments", "type_parameters", "token_tree"].contains(&code.within(next)),
        // An index of Go may be a type.
        _ => code.language == Language::Go && code.word(code.closing(next) + 1) == "(",
    };
    let end = (next..code.len().min(next + TYPES_MAX))
        .find(|at| matches!(code.word(*at), ">" | "]") && code.word(at + 1) == "(");
    is_of_types && end.is_some()
}

/// What runs before tests: `setUp`, `beforeEach` and the like, with what they call.
pub(super) struct Setups(Vec<(Range<usize>, BTreeSet<String>)>);

/// More are not looked through for each test.
const SETUPS_MAX: usize = 32;

const SETUPS: &[&str] = &["setUp", "setUpClass", "setup_method", "setup_class", "setup", "asyncSetUp"];
const HOOKS: &[&str] = &["beforeEach", "beforeAll", "before", "before_each"];

impl Setups {
    pub(super) fn of(code: &Code<'_>) -> Self {
        let mut found = Vec::new();
        for piece in &code.outline.pieces {
            let is_setup = match piece.class {
                Class::Function => SETUPS.contains(&code.last_name(&piece.name)),
                Class::Call => piece.name.len() == 1 && HOOKS.contains(&code.word(piece.name.start)),
                _ => false,
            };
            if is_setup && found.len() < SETUPS_MAX {
                let holder = code.around(piece.span.start).find(|outer| {
                    matches!(outer.class, Class::Container | Class::Call) && outer.span != piece.span
                });
                let scope = holder.map_or(0..code.len(), |holder| holder.span.clone());
                found.push((scope, of_function(code, &piece.span)));
            }
        }
        Self(found)
    }

    /// What runs before a test.
    pub(super) fn around(&self, test: &Range<usize>) -> BTreeSet<String> {
        let holds = |scope: &Range<usize>| scope.start <= test.start && test.end <= scope.end;
        let found = self.0.iter().filter(|(scope, _)| holds(scope));
        found.flat_map(|(_, calls)| calls.iter().cloned()).collect()
    }
}
