//! Measures the guard on a labelled corpus: what it catches, what it wrongly blocks, how long it takes.
//!
//! `cargo run --release -p piton-guard --example measure -- crates/guard/corpus --split development`
//!
//! `--precision` prints the table that decides what blocks, measured over every part.
#![expect(clippy::print_stdout, reason = "its table is its purpose")]

mod corpus;
mod precision;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use corpus::Case;
use piton_guard::{Known, Options, Report, compare};
use serde::Serialize;

/// What was found in a group of cases.
#[derive(Debug, Default, Serialize)]
struct Tally {
    cheats: usize,
    caught: usize,
    honest: usize,
    false_positives: usize,
}

/// What the command line asks for.
struct Asked {
    corpus: PathBuf,
    split: String,
    /// As in a loop: `--strict`.
    strict: bool,
    json: bool,
    misses: bool,
    /// The table of what blocks.
    precision: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let asked = asked();
    if asked.precision {
        print!("{}", precision::print(Path::new(env!("CARGO_MANIFEST_DIR")))?);
        return Ok(());
    }
    let cases = corpus::cases(&asked.corpus.join(&asked.split))?;
    let projects = corpus::projects(&asked.corpus, &cases)?;
    let (mut by_kind, mut by_language, mut times) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    for case in &cases {
        let base = &projects[&case.project];
        let head = corpus::edited(base, case)?;
        let started = Instant::now();
        let report = compare(
            base,
            &head,
            &Options { only_changed: true, distrust: asked.strict, ..Options::default() },
            &mut Known::default(),
        )
        .map_err(|error| error.to_string())?;
        times.push(started.elapsed());
        let kind = (case.language.clone(), case.cheat, case.kind.clone());
        tally(by_kind.entry(kind).or_default(), case, &report);
        tally(by_language.entry(format!("{}/{}", case.language, case.framework)).or_default(), case, &report);
        if asked.misses && report.blocking != case.cheat {
            let rules: Vec<_> = report
                .findings
                .iter()
                .map(|finding| (finding.blocking, finding.rule.as_str(), finding.message.as_str()))
                .collect();
            println!("{} {} {} {rules:?}", if case.cheat { "MISSED" } else { "WRONG" }, case.id, case.kind);
        }
    }
    times.sort_unstable();
    if asked.json {
        as_json(&by_kind, &times)
    } else {
        as_table(&by_kind, &by_language, &times)
    }
    Ok(())
}

fn asked() -> Asked {
    let mut asked = Asked {
        corpus: "crates/guard/corpus".into(),
        split: "development".into(),
        strict: false,
        json: false,
        misses: false,
        precision: false,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--strict" => asked.strict = true,
            "--split" => asked.split = words.next().unwrap_or_default(),
            "--json" => asked.json = true,
            "--misses" => asked.misses = true,
            "--precision" => asked.precision = true,
            _ => asked.corpus = word.into(),
        }
    }
    asked
}

fn tally(tally: &mut Tally, case: &Case, report: &Report) {
    match case.cheat {
        true => {
            tally.cheats += 1;
            tally.caught += usize::from(report.blocking);
        }
        false => {
            tally.honest += 1;
            tally.false_positives += usize::from(report.blocking);
        }
    }
}

type ByKind = BTreeMap<(String, bool, String), Tally>;

fn at(times: &[Duration], part: f64) -> f64 {
    let index = ((times.len() as f64 * part) as usize).min(times.len().saturating_sub(1));
    times.get(index).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

fn as_table(by_kind: &ByKind, by_language: &BTreeMap<String, Tally>, times: &[Duration]) {
    println!("{:<12} {:<36} {:>6} {:>7} {:>7}", "language", "kind", "cases", "blocked", "share");
    for ((language, cheat, kind), tally) in by_kind {
        let (cases, blocked) =
            if *cheat { (tally.cheats, tally.caught) } else { (tally.honest, tally.false_positives) };
        let kind = format!("{} {kind}", if *cheat { "cheat " } else { "honest" });
        println!("{language:<12} {kind:<36} {cases:>6} {blocked:>7} {:>7.3}", share(blocked, cases));
    }
    println!(
        "\n{:<26} {:>6} {:>7} {:>7} {:>7} {:>6} {:>9}",
        "framework", "cheats", "caught", "recall", "honest", "wrong", "precision"
    );
    let mut total = Tally::default();
    for (name, tally) in by_language {
        line(name, tally);
        total.cheats += tally.cheats;
        total.caught += tally.caught;
        total.honest += tally.honest;
        total.false_positives += tally.false_positives;
    }
    line("all", &total);
    println!("\ntime per comparison: p50 {:.2} ms, p95 {:.2} ms", at(times, 0.5), at(times, 0.95));
}

fn line(name: &str, tally: &Tally) {
    println!(
        "{name:<26} {:>6} {:>7} {:>7.3} {:>7} {:>6} {:>9.3}",
        tally.cheats,
        tally.caught,
        share(tally.caught, tally.cheats),
        tally.honest,
        tally.false_positives,
        share(tally.caught, tally.caught + tally.false_positives),
    );
}

fn as_json(by_kind: &ByKind, times: &[Duration]) {
    let rows: Vec<_> = by_kind
        .iter()
        .map(|((language, cheat, kind), tally)| {
            serde_json::json!({"language": language, "kind": kind, "cheat": cheat, "tally": tally})
        })
        .collect();
    println!("{}", serde_json::json!({"rows": rows, "p50_ms": at(times, 0.5), "p95_ms": at(times, 0.95)}));
}
