//! `coverage json`: totals and a summary per file. Branches are there only where they were measured.
//!
//! The tool's own percentage mixes lines and branches; here they stay apart.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Coverage, Error, Format, Share, Shares};

#[derive(Deserialize)]
struct Report {
    files: BTreeMap<String, File>,
    totals: Summary,
}

#[derive(Deserialize)]
struct File {
    summary: Summary,
}

#[derive(Clone, Copy, Deserialize)]
struct Summary {
    covered_lines: u64,
    num_statements: u64,
    covered_branches: Option<u64>,
    num_branches: Option<u64>,
}

pub(super) fn read(bytes: &[u8]) -> Result<Coverage, Error> {
    let report: Report = serde_json::from_slice(bytes).map_err(|source| Error::Json {
        format: Format::CoveragePy,
        expected: "`files` with a `summary` each, and `totals`",
        source,
    })?;
    let files = report.files.into_iter().map(|(path, file)| (path, shares(file.summary)));
    Ok(Coverage::sum(Format::CoveragePy, files).with_totals(shares(report.totals)))
}

fn shares(summary: Summary) -> Shares {
    let branches = summary.covered_branches.zip(summary.num_branches);
    Shares {
        lines: Some(Share { covered: summary.covered_lines, total: summary.num_statements }),
        branches: branches.map(|(covered, total)| Share { covered, total }),
        functions: None,
    }
}
