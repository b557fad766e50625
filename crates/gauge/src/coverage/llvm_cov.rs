//! `llvm-cov export` in JSON, which `cargo llvm-cov --json` writes too: a summary per file, and totals.
//!
//! A toolchain that does not measure branches writes 0 of 0 for them, which is unknown here.

use serde::Deserialize;

use super::{Coverage, Error, Format, Share, Shares};

#[derive(Deserialize)]
struct Report {
    #[serde(rename = "type")]
    kind: String,
    data: Vec<Export>,
}

#[derive(Deserialize)]
struct Export {
    #[serde(default)]
    files: Vec<File>,
    totals: Option<Summary>,
}

#[derive(Deserialize)]
struct File {
    filename: String,
    summary: Summary,
}

#[derive(Clone, Copy, Deserialize)]
struct Summary {
    lines: Option<Count>,
    branches: Option<Count>,
    functions: Option<Count>,
}

#[derive(Clone, Copy, Deserialize)]
struct Count {
    count: u64,
    covered: u64,
}

pub(super) fn read(bytes: &[u8]) -> Result<Coverage, Error> {
    let report: Report = serde_json::from_slice(bytes).map_err(|source| Error::Json {
        format: Format::LlvmCov,
        expected: "`type` and `data` with `files` and `totals`",
        source,
    })?;
    if report.kind != "llvm.coverage.json.export" {
        let found = format!("`{}`", crate::text::clip(&report.kind, 60));
        return Err(Error::Content {
            format: Format::LlvmCov,
            expected: "the type `llvm.coverage.json.export`",
            found,
        });
    }
    let mut totals = Shares::default();
    let mut files = Vec::new();
    for export in report.data {
        let listed: Vec<_> =
            export.files.into_iter().map(|file| (file.filename, shares(file.summary))).collect();
        let summed = listed.iter().fold(Shares::default(), |sum, (_, file)| sum.add(*file));
        totals = totals.add(export.totals.map_or(summed, shares));
        files.extend(listed);
    }
    Ok(Coverage::sum(Format::LlvmCov, files).with_totals(totals))
}

fn shares(summary: Summary) -> Shares {
    let share = |count: Count| Share { covered: count.covered, total: count.count };
    Shares {
        lines: summary.lines.map(share),
        branches: summary.branches.map(share).and_then(Share::measured),
        functions: summary.functions.map(share),
    }
}
