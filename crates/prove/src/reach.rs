//! Which code tests reach: what they call, and what that calls.
//!
//! By names alone, without types: two functions of one name are one. That reaches too much rather than too little, and
//! what is reached too much costs a run, never a verdict.

mod calls;
mod lines;

use std::collections::BTreeSet;
use std::ops::Range;

use crate::code::{Code, Marked, name_of};

pub use lines::changed_lines;

/// A test, as far as reach goes. Lines count from 1, and the end is behind the last one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestBody {
    /// Its names from the outside in, joined with ` > `, as the guard has them.
    pub name: String,
    /// Where it stands.
    pub lines: Range<u32>,
    /// Equal for tests that differ in layout and comments only.
    pub text_digest: u64,
    /// The names of functions and methods that it calls or reads, or is given, without what is before the last dot;
    /// words of test frameworks are left out. What is set up for it beforehand belongs to it.
    pub calls: BTreeSet<String>,
}

/// The tests of a file, as the guard's inventory finds them.
pub fn tests(path: &str, text: &str) -> Vec<TestBody> {
    let Some(code) = Code::of(path, text) else { return Vec::new() };
    let setups = calls::Setups::of(&code);
    let test = |test: &piton_guard::Test| {
        let mut called = calls::of_test(&code, &test.span);
        called.extend(setups.around(&test.span));
        TestBody {
            name: test.name.clone(),
            lines: lines_of(&code, &test.span),
            text_digest: digest(&code, &test.span),
            calls: called,
        }
    };
    code.outline.tests.iter().map(test).collect()
}

/// A function with a name. Lines count from 1, and the end is behind the last one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its own name, without what holds it; a constructor has the name of its class.
    pub name: String,
    /// Where it stands.
    pub lines: Range<u32>,
    /// What it calls or hands on, by name alone.
    pub calls: BTreeSet<String>,
}

/// The functions with a name in a file of product code.
pub fn functions(path: &str, text: &str) -> Vec<Function> {
    let Some(code) = Code::of(path, text) else { return Vec::new() };
    let tests = Marked::of(code.len(), code.outline.test_code.iter().cloned());
    let product = code.outline.functions.iter().filter(|function| !tests.has(function.span.start));
    let function = |function: &piton_guard::Function| Function {
        name: name_of(function),
        lines: lines_of(&code, &function.span),
        calls: calls::of_function(&code, &function.body),
    };
    product.map(function).collect()
}

/// The functions that are called from `start`, directly or through others, at most `depth` steps: with one, those that
/// `start` names.
pub fn reached(start: &BTreeSet<String>, functions: &[Function], depth: u32) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut next: BTreeSet<&str> = start.iter().map(String::as_str).collect();
    for _ in 0..depth {
        let is_next = |function: &&Function| next.contains(function.name.as_str());
        let called: Vec<_> = functions.iter().filter(is_next).collect();
        found.extend(called.iter().map(|function| function.name.clone()));
        next = called.iter().flat_map(|function| function.calls.iter().map(String::as_str)).collect();
        next.retain(|name| !found.contains(*name));
        if next.is_empty() {
            break;
        }
    }
    found
}

fn lines_of(code: &Code<'_>, span: &Range<usize>) -> Range<u32> {
    code.line(span.start)..code.last_line(span).saturating_add(1)
}

/// FNV-1a over tokens: the same on every machine and in every version.
fn digest(code: &Code<'_>, span: &Range<usize>) -> u64 {
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    for index in span.clone() {
        // A byte that is in no text keeps the tokens apart.
        for byte in code.word(index).bytes().chain([0xff]) {
            digest = (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    digest
}

#[cfg(test)]
mod tests;
