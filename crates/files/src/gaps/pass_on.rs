//! A gap file as it is passed on: with what it holds that piton does not know.

use std::collections::BTreeMap;

use piton_model::ledger::{Field, Gap};
use serde_json::{Map, Value as Json};

use super::contents::alone;
use super::document::{Document, FORMAT_VERSION};
use super::invalid::no_problems;
use super::render::render;
use crate::workflow::json::json;
use crate::yaml::{Entry, Node, Value};

/// Keys of a gap file that piton keeps and does not know.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnknownKeys {
    /// Those at the top of the file.
    pub top: Map<String, Json>,
    /// Those of each gap, by its id.
    pub gaps: BTreeMap<String, Map<String, Json>>,
}

impl Document {
    /// A file of these gaps: this very text where it holds them and no others, else a new one.
    pub fn passed_on(&self, gaps: &[Gap]) -> String {
        let by_id =
            |gaps: &[Gap]| gaps.iter().map(|gap| (gap.id.clone(), gap.clone())).collect::<BTreeMap<_, _>>();
        match by_id(&self.gaps) == by_id(gaps) && !self.gaps.is_empty() {
            true => self.text.clone(),
            false => render(gaps),
        }
    }

    /// The version of the format that it names.
    pub fn version(&self) -> Option<i64> {
        if !self.text.contains("version") {
            return None;
        }
        let (Node { value: Value::Map { entries, .. }, .. }, _) = alone(&self.text)? else { return None };
        // It is the only version there is, so a file that names one names this.
        entries.iter().any(|entry| entry.key == "version").then_some(FORMAT_VERSION)
    }

    /// What it holds that piton does not know.
    pub fn unknown_keys(&self) -> UnknownKeys {
        let mut unknown = UnknownKeys::default();
        // Every unknown key is worth a warning, so a file without any has none.
        let parsed = if self.warnings().is_empty() { None } else { alone(&self.text) };
        let Some((Node { value: Value::Map { entries, .. }, .. }, _)) = parsed else { return unknown };
        for entry in entries {
            match (entry.key.as_ref(), &entry.node.value) {
                ("version", _) => {}
                ("gaps", Value::List { items, .. }) => {
                    unknown.gaps = items.iter().filter_map(of_gap).collect()
                }
                _ => drop(unknown.top.insert(entry.key.clone().into_owned(), of_entry(&entry))),
            }
        }
        unknown
    }
}

fn of_gap(node: &Node<'_>) -> Option<(String, Map<String, Json>)> {
    let Value::Map { entries, .. } = &node.value else { return None };
    let id = entries.iter().find(|entry| entry.key == Field::Id.as_str())?;
    let Value::Scalar(id, _) = &id.node.value else { return None };
    let unknown = entries.iter().filter(|entry| Field::from_word(&entry.key).is_none());
    let unknown: Map<_, _> = unknown.map(|entry| (entry.key.clone().into_owned(), of_entry(entry))).collect();
    (!unknown.is_empty()).then(|| (id.clone().into_owned(), unknown))
}

/// What JSON cannot hold is passed on as nothing.
fn of_entry(entry: &Entry<'_>) -> Json {
    json(&entry.node, &mut no_problems())
}
