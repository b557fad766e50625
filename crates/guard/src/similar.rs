//! How much two pieces of code have in common.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::source::{Source, Span, requoted};
use crate::text::identifiers;

/// The items whose key the others do not have, each as often as there are more of it, in order.
pub(crate) fn only_in<T, K: Ord>(
    items: impl IntoIterator<Item = T>,
    others: impl IntoIterator<Item = K>,
    key: impl Fn(&T) -> K,
) -> Vec<T> {
    let mut left: BTreeMap<K, usize> = BTreeMap::new();
    for other in others {
        *left.entry(other).or_default() += 1;
    }
    let mut found = Vec::new();
    for item in items {
        match left.get_mut(&key(&item)).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => found.push(item),
        }
    }
    found
}

/// Code as a sorted bag of hashed tokens and pairs of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint(Vec<u64>);

impl Fingerprint {
    pub(crate) fn of(source: &Source, span: &Span) -> Self {
        let tokens: Vec<u64> = span
            .clone()
            .filter(|index| !matches!(source.word(*index), "," | ";"))
            .map(|index| hash(&requoted(source.word(index))))
            .collect();
        Self::from_tokens(&tokens)
    }

    /// The same of a text that was already normalised.
    pub(crate) fn of_text(text: &str) -> Self {
        let mut tokens = Vec::new();
        for word in identifiers(text) {
            if !word.is_empty() {
                tokens.push(hash(word));
            }
        }
        Self::from_tokens(&tokens)
    }

    fn from_tokens(tokens: &[u64]) -> Self {
        let mut bag = tokens.to_vec();
        bag.extend(tokens.windows(2).map(hash));
        bag.sort_unstable();
        Self(bag)
    }

    /// From 0, nothing in common, to 1, the same.
    pub(crate) fn similarity(&self, other: &Self) -> f64 {
        let total = self.0.len() + other.0.len();
        if total == 0 {
            return 1.0;
        }
        2.0 * common(&self.0, &other.0) as f64 / total as f64
    }
}

/// How many elements two sorted bags share.
fn common(a: &[u64], b: &[u64]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                (i, j, count) = (i + 1, j + 1, count + 1);
            }
        }
    }
    count
}

fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// How much two normalised texts have in common.
pub(crate) fn text_similarity(a: &str, b: &str) -> f64 {
    if a == b { 1.0 } else { Fingerprint::of_text(a).similarity(&Fingerprint::of_text(b)) }
}
