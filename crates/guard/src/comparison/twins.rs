//! Tests that are gone while another one has the same text: whether that one does the same to the same code.
//!
//! Two packages may each have an `add` and a test of it, word for word alike. So what a test calls is looked up, from where it stood and from
//! where its twin stands; where they come to different definitions, the twin says nothing about what lost its test.

use std::collections::BTreeSet;

use super::{Comparison, Side};
use crate::check::calls;
use crate::follow::At;
use crate::inventory::Test;
use crate::similar::Fingerprint;
use crate::text::identifiers;

/// What the tests call that are gone and have a twin in another file.
pub(super) fn called(comparison: &Comparison) -> Vec<String> {
    let removed = comparison.followed.removed.iter();
    let has_twin =
        removed.filter(|at| twins(comparison, **at).any(|twin| twin.path != was(comparison, **at).path));
    let names = has_twin.flat_map(|at| calls(comparison.old_inventory(*at), comparison.old_test(*at)));
    names.map(str::to_owned).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The tests that are gone and have a twin that does the same to the same code; `code` is unchanged files that may define what they call.
pub(super) fn duplicates(comparison: &Comparison, code: &[Side]) -> BTreeSet<At> {
    let removed = comparison.followed.removed.iter().copied();
    removed.filter(|at| twins(comparison, *at).any(|twin| is_same(comparison, *at, twin, code))).collect()
}

/// The files of the new tree with a test that has the same text.
fn twins(comparison: &Comparison, at: At) -> impl Iterator<Item = &Side> {
    let print = comparison.old_print(at);
    comparison.known().filter(move |side| {
        let inventory = side.inventory.as_ref();
        let has_print = |test: &Test| {
            inventory.is_some_and(|inventory| Fingerprint::of(&inventory.source, &test.body) == print)
        };
        side.tests().iter().any(|test| !test.is_off() && has_print(test))
    })
}

/// The file that a test stood in.
fn was(comparison: &Comparison, at: At) -> &Side {
    comparison.files[at.0].before.as_ref().expect("old tests come from old files")
}

/// Whether all that a test called is the same for its twin.
fn is_same(comparison: &Comparison, at: At, twin: &Side, code: &[Side]) -> bool {
    let was = was(comparison, at);
    let new = || comparison.files.iter().filter_map(|file| file.after.as_ref()).chain(code);
    let called = calls(comparison.old_inventory(at), comparison.old_test(at));
    called.iter().all(|name| {
        let before = meant(name, was, new().filter(|side| side.path != was.path).chain([was]));
        let after = meant(name, twin, new());
        let is_shared = |(path, print): &(&str, Fingerprint)| {
            after.iter().any(|(other, same)| other == path || same == print)
        };
        before.is_empty() || after.is_empty() || before.iter().any(is_shared)
    })
}

/// What a name most likely means in a file: the definitions that are nearest to it, by their file and their text.
fn meant<'a>(name: &str, user: &Side, sides: impl Iterator<Item = &'a Side>) -> Vec<(&'a str, Fingerprint)> {
    let imported = imported(user);
    let mut nearest = (false, 0, 0);
    let mut found = Vec::new();
    for side in sides {
        let Some(inventory) = &side.inventory else { continue };
        let mut definitions = inventory
            .definitions
            .iter()
            .filter(|definition| definition.name == name && !inventory.is_in_test(&definition.span))
            .peekable();
        let near = nearness(user, &imported, &side.path);
        if definitions.peek().is_none() || near < nearest {
            continue;
        }
        if near > nearest {
            nearest = near;
            found.clear();
        }
        found
            .extend(definitions.map(|definition| {
                (side.path.as_str(), Fingerprint::of(&inventory.source, &definition.body))
            }));
    }
    found
}

/// The words by which a file brings in what others define.
fn imported(side: &Side) -> BTreeSet<String> {
    let Some(inventory) = &side.inventory else { return BTreeSet::new() };
    let source = &inventory.source;
    source
        .imports()
        .flat_map(|piece| {
            let flat = source.flat(&piece.span);
            identifiers(&flat).map(str::to_owned).collect::<Vec<_>>()
        })
        .collect()
}

/// How near a path is: the file itself, then what its imports name, then what lies in the same directory.
fn nearness(user: &Side, imported: &BTreeSet<String>, path: &str) -> (bool, usize, usize) {
    let named = path.split(['/', '.']).filter(|part| imported.contains(*part)).count();
    let beside = user.path.split('/').zip(path.split('/')).take_while(|(mine, other)| mine == other).count();
    (user.path == path, named, beside)
}
