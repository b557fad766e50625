//! How often each rule is right in each language: the table that decides what blocks.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::Path;

use piton_guard::{Known, Measured, MemoryTree, Mode, Options, compare, language_of};

use crate::corpus::{self, Case, PARTS};

type Table = BTreeMap<(String, &'static str, &'static str), Measured>;

/// Prints the table over every part of the corpus.
pub(super) fn print(guard: &Path) -> Result<String, Box<dyn Error>> {
    let mut table = Table::new();
    for (place, part) in PARTS {
        let corpus = guard.join("corpus").join(place);
        let cases = corpus::cases(&corpus.join(part))?;
        let projects = corpus::projects(&corpus, &cases)?;
        let halves = cases.split_at(cases.len() / 2);
        let measured = std::thread::scope(|scope| {
            let other = scope.spawn(|| measure(halves.1, &projects));
            let mut found = measure(halves.0, &projects)?;
            found.extend(other.join().map_err(|_| "a comparison panicked".to_owned())??);
            Ok::<_, String>(found)
        })?;
        for (cheat, found) in measured {
            for key in found {
                let row = table.entry(key).or_default();
                if cheat { row.right += 1 } else { row.wrong += 1 }
            }
        }
    }
    let mut text = format!(
        "# How often each rule is right on the corpus: rule, language, mode, cases that are cheats, honest ones.\n\
         # Written by `scripts/guard/precision`; what blocks follows from it (src/precision.rs).\n\
         # digest {}\n",
        corpus::digest(guard)?
    );
    for ((rule, language, mode), Measured { right, wrong }) in table {
        text.push_str(&format!("{rule}\t{language}\t{mode}\t{right}\t{wrong}\n"));
    }
    Ok(text)
}

/// What was found in one case.
type Found = BTreeSet<(String, &'static str, &'static str)>;

/// Whether each case is a cheat, and what was found in it.
fn measure(cases: &[Case], projects: &BTreeMap<String, MemoryTree>) -> Result<Vec<(bool, Found)>, String> {
    let mut measured = Vec::new();
    for case in cases {
        let base = &projects[&case.project];
        let head = corpus::edited(base, case).map_err(|error| error.to_string())?;
        let mut found = Found::new();
        let options = Options { only_changed: true, measuring: true, ..Options::default() };
        let report =
            compare(base, &head, &options, &mut Known::default()).map_err(|error| error.to_string())?;
        for finding in report.findings {
            let mode = if finding.blocking { Mode::Sure } else { Mode::Unsure };
            found.insert((finding.rule, language_of(&finding.file), mode.as_str()));
        }
        measured.push((case.cheat, found));
    }
    Ok(measured)
}
