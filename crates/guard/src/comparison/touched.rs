//! What product code does in another way than before, by name, and whether its libraries are others.
//!
//! Tests follow behaviour: one that mentions what changed may well have to change, one that does not has no such
//! excuse.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{ChangedFile, Side, test_modules};
use crate::inventory::Inventory;
use crate::language::Class;
use crate::source::{Source, Span};
use crate::text::{file_name, has_any};
use crate::vocabulary::{CONSTRUCTORS, MANIFESTS};

/// Shorter names are in every test.
const NAME_CHARACTERS_MIN: usize = 3;

/// The names of product code that changed.
pub(super) fn names(files: &[ChangedFile]) -> BTreeSet<String> {
    let mut touched = BTreeSet::new();
    for file in files {
        let (old, new) = (defined(file.before.as_ref()), defined(file.after.as_ref()));
        let all = old.keys().chain(new.keys());
        touched.extend(all.filter(|name| old.get(*name) != new.get(*name)).cloned());
    }
    touched.retain(|name| name.len() >= NAME_CHARACTERS_MIN && !CONSTRUCTORS.contains(&name.as_str()));
    touched
}

/// What a file defines, with a digest of each definition; several of one name have several.
fn defined(side: Option<&Side>) -> BTreeMap<String, Vec<u64>> {
    let mut found: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let Some(side) = side.filter(|side| side.is_product()) else { return found };
    let Some(inventory) = &side.inventory else { return found };
    let source = &inventory.source;
    let tests = test_modules(inventory);
    let in_tests = |span: &Span| tests.iter().any(|test| test.contains(&span.start));
    for definition in inventory.definitions.iter().filter(|definition| !in_tests(&definition.span)) {
        let digest = if definition.is_function {
            digest(source, &definition.span, &[])
        } else {
            // A type whose methods changed is itself the same.
            digest(source, &definition.span, &methods(inventory, &definition.span))
        };
        found.entry(definition.name.clone()).or_default().push(digest);
    }
    for piece in source.pieces_of(Class::Binding) {
        let in_function = inventory
            .definitions
            .iter()
            .any(|definition| definition.is_function && definition.span.contains(&piece.span.start));
        if !in_function && !in_tests(&piece.span) {
            for name in source.words(&piece.name) {
                found.entry(name.to_owned()).or_default().push(digest(source, &piece.span, &[]));
            }
        }
    }
    found
}

/// The functions of a type, but for those that make an object of it.
fn methods(inventory: &Inventory, span: &Span) -> Vec<Span> {
    let inner = inventory.definitions.iter().filter(|definition| {
        definition.is_function
            && span.start < definition.span.start
            && definition.span.end <= span.end
            && !CONSTRUCTORS.contains(&definition.name.as_str())
    });
    inner.map(|definition| definition.span.clone()).collect()
}

fn digest(source: &Source, span: &Span, without: &[Span]) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut index = span.start;
    while index < span.end {
        if let Some(left_out) =
            without.iter().find(|left_out| left_out.start == index && !left_out.is_empty())
        {
            index = left_out.end;
            continue;
        }
        source.word(index).hash(&mut hasher);
        index += 1;
    }
    hasher.finish()
}

/// Whether a line of a manifest that names a version is another than before.
pub(super) fn dependencies_changed(file: &ChangedFile) -> bool {
    let Some((before, after)) = file.both() else { return false };
    let name = file_name(&before.path);
    let is_manifest = MANIFESTS.contains(&name)
        || has_any(name, &[".lock", "-lock.", "shrinkwrap", "build.gradle"])
        || name.starts_with("requirements") && name.ends_with(".txt");
    if !is_manifest {
        return false;
    }
    let versions = |text: &str| -> BTreeSet<String> {
        let own = |line: &str| line.trim_start_matches(['"', ' ']).starts_with("version");
        text.lines()
            .map(str::trim)
            .filter(|line| names_version(line) && !own(line))
            .map(str::to_owned)
            .collect()
    };
    versions(&before.text) != versions(&after.text)
}

/// Whether a line has two numbers with a point between them.
fn names_version(line: &str) -> bool {
    let bytes = line.as_bytes();
    bytes.windows(3).any(|part| part[0].is_ascii_digit() && part[1] == b'.' && part[2].is_ascii_digit())
}
