//! istanbul: `coverage-final.json` (counters per file) and `coverage-summary.json` (sums per file and `total`).
//!
//! In the first a line is covered as often as the statement that starts there and ran most, which is how the tool
//! itself counts lines.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use super::{Coverage, Error, Format, Share, Shares};

#[derive(Deserialize)]
struct Entry<'j> {
    // The summary.
    lines: Option<Count>,
    functions: Option<Count>,
    branches: Option<Count>,
    // The counters.
    #[serde(rename = "statementMap", default, borrow)]
    statement_map: HashMap<&'j str, Location>,
    #[serde(default, borrow)]
    s: Option<HashMap<&'j str, u64>>,
    #[serde(default, borrow)]
    f: Option<HashMap<&'j str, u64>>,
    #[serde(default, borrow)]
    b: Option<HashMap<&'j str, Vec<u64>>>,
}

#[derive(Deserialize)]
struct Location {
    start: Position,
}

#[derive(Deserialize)]
struct Position {
    line: u64,
}

#[derive(Clone, Copy, Deserialize)]
struct Count {
    total: u64,
    covered: u64,
}

struct Report(Vec<(String, Shares)>);

pub(super) fn read(bytes: &[u8]) -> Result<Coverage, Error> {
    let Report(mut files) = serde_json::from_slice(bytes).map_err(|source| Error::Json {
        format: Format::Istanbul,
        expected: "an object of files, each with counters or sums",
        source,
    })?;
    let total = files.iter().position(|(path, _)| path == "total").map(|at| files.swap_remove(at).1);
    let sum = Coverage::sum(Format::Istanbul, files);
    Ok(match total {
        Some(total) => sum.with_totals(total),
        None => sum,
    })
}

fn shares(entry: &Entry<'_>) -> Option<Shares> {
    let share = |count: Count| Share { covered: count.covered, total: count.total };
    if let Some(lines) = entry.lines {
        return Some(Shares {
            lines: Some(share(lines)),
            branches: entry.branches.map(share),
            functions: entry.functions.map(share),
        });
    }
    let statements = entry.s.as_ref()?;
    let mut lines: BTreeMap<u64, bool> = BTreeMap::new();
    for (id, count) in statements {
        let place = entry.statement_map.get(id)?;
        *lines.entry(place.start.line).or_default() |= *count > 0;
    }
    let branches = entry.b.as_ref().map(|all| of(all.values().flatten().map(|count| *count > 0)));
    Some(Shares {
        lines: Some(of(lines.into_values())),
        branches,
        functions: entry.f.as_ref().map(|all| of(all.values().map(|count| *count > 0))),
    })
}

fn of(covered: impl Iterator<Item = bool>) -> Share {
    covered.fold(Share::default(), |sum, one| sum.add(Share { covered: u64::from(one), total: 1 }))
}

impl<'de> Deserialize<'de> for Report {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Files)
    }
}

/// Reads one file after the other, so that only the sums are kept.
struct Files;

impl<'de> Visitor<'de> for Files {
    type Value = Report;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of files")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Report, A::Error> {
        let mut files = Vec::new();
        while let Some(path) = map.next_key::<String>()? {
            let entry: Entry<'de> = map.next_value()?;
            let shares = shares(&entry).ok_or_else(|| {
                serde::de::Error::custom("a file has neither `lines` nor `s` with its `statementMap`")
            })?;
            files.push((path, shares));
        }
        Ok(Report(files))
    }
}
