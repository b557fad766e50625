//! What roles found out: each thing is on the board once.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::sections::Discovery;

/// Of these a newer one takes the place of the older. It is a line of its own all the same: nothing is ever taken off the board.
const RENEWED: [&str; 1] = ["test_baseline"];

/// Those of `found` that the board does not have: of the same type by the same key only the first, unless a newer one takes
/// the place of the older and says something else.
pub fn new_discoveries<'a>(
    board: impl IntoIterator<Item = &'a Discovery>,
    found: Vec<Discovery>,
) -> Vec<Discovery> {
    let place = |known: &Discovery| (known.kind.clone(), known.key.clone());
    let mut there: BTreeMap<(String, String), Map<String, Value>> =
        board.into_iter().map(|known| (place(known), known.data.clone())).collect();
    let mut new = Vec::new();
    for discovery in found {
        let is_renewed = RENEWED.contains(&discovery.kind.as_str());
        match there.get(&place(&discovery)) {
            Some(data) if !is_renewed || *data == discovery.data => continue,
            Some(_) | None => {
                there.insert(place(&discovery), discovery.data.clone());
                new.push(discovery);
            }
        }
    }
    new
}
