//! Three sides of a ledger become one: what was last seen, what the file says now, and what piton wants.
//!
//! Merged per gap and field. What only one side changed is taken; where both changed the same, the file wins: it
//! belongs to people and to git. Status and `last_verified` travel together, since either alone could say that
//! something is stale that a person has just verified.

use std::cell::OnceCell;
use std::collections::HashMap;

use piton_record::record;

use super::gap::{Field, Gap};

/// What the file brought that had not been seen.
#[record(Eq)]
pub enum Adopted {
    /// A gap that is new.
    Added { gap: String },
    /// A gap that is gone.
    Removed { gap: String },
    /// A person gave these fields other values.
    Changed { gap: String, fields: Vec<Field> },
}

/// What piton wanted and did not get, because the file says otherwise.
#[record(Eq)]
pub enum Overruled {
    /// Other values: both sides changed them.
    Fields { gap: String, fields: Vec<Field> },
    /// A change to a gap that the file does not have any more.
    Change { gap: String },
    /// The removal of a gap that was changed in the file.
    Removal { gap: String },
}

/// What the three sides become.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// The gaps, in the order of the file; what piton added comes last.
    pub gaps: Vec<Gap>,
    /// What the file brought.
    pub adopted: Vec<Adopted>,
    /// What piton did not get.
    pub overruled: Vec<Overruled>,
}

/// Merges what piton wants (`ours`) into the file, both seen from the last content known (`base`).
///
/// Ids are unique on each side. The result may still be invalid, as when one side removed what the other refers to.
pub fn merge(base: &[Gap], file: &[Gap], ours: &[Gap]) -> Merged {
    let (in_base, in_ours, in_file) = (ById::new(base), ById::new(ours), ById::new(file));
    let mut merged = Merged { gaps: Vec::with_capacity(file.len()), ..Merged::default() };
    for (place, theirs) in file.iter().enumerate() {
        let id = theirs.id.as_str();
        match (in_base.get(id, place), in_ours.get(id, place)) {
            (Some(base), Some(ours)) => {
                let gap = merge_gap(base, theirs, ours, &mut merged);
                merged.gaps.push(gap);
            }
            (None, Some(ours)) => {
                // Both sides added it. There is nothing to tell the sides apart by, so the file is right.
                merged.adopted.push(Adopted::Added { gap: id.to_owned() });
                merged.report_overruled(id, theirs.differences(ours));
                merged.gaps.push(theirs.clone());
            }
            (None, None) => {
                merged.adopted.push(Adopted::Added { gap: id.to_owned() });
                merged.gaps.push(theirs.clone());
            }
            (Some(base), None) if base == theirs => {}
            (Some(base), None) => {
                let fields = theirs.differences(base);
                merged.adopted.push(Adopted::Changed { gap: id.to_owned(), fields });
                merged.overruled.push(Overruled::Removal { gap: id.to_owned() });
                merged.gaps.push(theirs.clone());
            }
        }
    }
    for (place, gap) in base.iter().enumerate().filter(|(place, gap)| in_file.get(&gap.id, *place).is_none())
    {
        merged.adopted.push(Adopted::Removed { gap: gap.id.clone() });
        if in_ours.get(&gap.id, place).is_some_and(|ours| ours != gap) {
            merged.overruled.push(Overruled::Change { gap: gap.id.clone() });
        }
    }
    let new = |(place, gap): &(usize, &Gap)| {
        in_file.get(&gap.id, *place).is_none() && in_base.get(&gap.id, *place).is_none()
    };
    merged.gaps.extend(ours.iter().enumerate().filter(new).map(|(_, gap)| gap.clone()));
    merged
}

impl Merged {
    fn report_overruled(&mut self, gap: &str, fields: Vec<Field>) {
        if !fields.is_empty() {
            self.overruled.push(Overruled::Fields { gap: gap.to_owned(), fields });
        }
    }
}

/// One side, by id. The sides mostly have a gap in the same place: there it is looked for first, and the table is made when
/// it is not there.
struct ById<'a> {
    gaps: &'a [Gap],
    table: OnceCell<HashMap<&'a str, &'a Gap>>,
}

impl<'a> ById<'a> {
    fn new(gaps: &'a [Gap]) -> Self {
        Self { gaps, table: OnceCell::new() }
    }

    fn get(&self, id: &str, place: usize) -> Option<&'a Gap> {
        let there = self.gaps.get(place).filter(|gap| gap.id == id);
        let table = || self.gaps.iter().map(|gap| (gap.id.as_str(), gap)).collect();
        there.or_else(|| self.table.get_or_init(table).get(id).copied())
    }
}

/// The fields that are decided together.
const TOGETHER: [Field; 2] = [Field::Status, Field::LastVerified];

fn merge_gap(base: &Gap, theirs: &Gap, ours: &Gap, merged: &mut Merged) -> Gap {
    if base == theirs {
        // What nobody changed stays the file's own copy, so that it is never compared again.
        return if ours == base { theirs.clone() } else { ours.clone() };
    }
    let theirs_changed = theirs.differences(base);
    let decided_by_file = |field: &Field| {
        theirs_changed.contains(field)
            || TOGETHER.contains(field) && TOGETHER.iter().any(|field| theirs_changed.contains(field))
    };
    let mut gap = theirs.clone();
    let mut lost = Vec::new();
    for field in ours.differences(base) {
        if !decided_by_file(&field) {
            gap.take(field, ours);
        } else if !ours.same(theirs, field) {
            lost.push(field);
        }
    }
    merged.report_overruled(&theirs.id, lost);
    merged.adopted.push(Adopted::Changed { gap: theirs.id.clone(), fields: theirs_changed });
    gap
}
