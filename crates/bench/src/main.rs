//! Measurements, each beside the raw limit of the machine.
//!
//! `cargo run --release -p piton-bench` prints one JSON line per metric. What is compared is measured in
//! turns within one run, and the median of the rounds is printed: the machine's noise falls on both sides.
//! `--only NAME` picks the metrics whose name begins so; `--rounds N` changes the count of 5, `--mib N` the size of the journal of
//! which backups are made.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a measurement is printed")]

mod command_line;
mod curve;
mod cycle;
mod gaps;
mod journal;
mod ledger;
mod own_cost;
mod raw;
mod resume;
mod snapshot;
mod steps;
mod syncs;
mod vault;
mod workflow;

use std::path::PathBuf;

/// What was measured.
struct Metric {
    name: String,
    value: f64,
    unit: &'static str,
}

/// Measures a group of metrics.
type Measure = fn(&Options) -> Vec<Metric>;

/// How to measure.
struct Options {
    rounds: usize,
    only: Option<String>,
    directory: PathBuf,
    /// How large the journal is that is backed up.
    mib: usize,
}

impl Options {
    fn wants(&self, names: &[&str]) -> bool {
        self.only.as_ref().is_none_or(|only| names.iter().any(|name| name.starts_with(only.as_str())))
    }

    /// A directory for one measurement, on the disk that is measured.
    fn scratch(&self) -> tempfile::TempDir {
        tempfile::tempdir_in(&self.directory).expect("a scratch directory")
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut options = Options { rounds: 5, only: None, directory: beside_this_program(), mib: 1024 };
    while let Some(word) = arguments.next() {
        let mut value = || arguments.next().unwrap_or_else(|| panic!("`{word}` needs a value"));
        match word.as_str() {
            "--rounds" => options.rounds = value().parse().expect("a number of rounds"),
            "--only" => options.only = Some(value()),
            "--mib" => options.mib = value().parse().expect("a number of mebibytes"),
            "--dir" => options.directory = value().into(),
            ledger::WORKER => return ledger::worker(&arguments.collect::<Vec<_>>()),
            "__worker" => return steps::worker(arguments.collect()),
            _ => panic!("`{word}` is not known; see the top of main.rs"),
        }
    }
    let groups: [(&[&str], Measure); 13] = [
        (journal::NAMES, journal::measure),
        (syncs::NAMES, syncs::measure),
        (resume::NAMES, resume::measure),
        (curve::NAMES, curve::measure),
        (command_line::NAMES, command_line::measure),
        (snapshot::NAMES, snapshot::measure),
        (ledger::NAMES, ledger::measure),
        (gaps::NAMES, gaps::measure),
        (workflow::NAMES, workflow::measure),
        (own_cost::NAMES, own_cost::measure),
        (cycle::NAMES, cycle::measure),
        (vault::NAMES, vault::measure),
        (raw::NAMES, raw::measure_disk),
    ];
    for (names, measure) in groups {
        if options.wants(names) {
            for metric in measure(&options) {
                let value = (metric.value * 1000.0).round() / 1000.0;
                println!(
                    "{}",
                    serde_json::json!({"metric": metric.name, "value": value, "unit": metric.unit})
                );
            }
        }
    }
}

fn metric(name: impl Into<String>, value: f64, unit: &'static str) -> Metric {
    Metric { name: name.into(), value, unit }
}

fn median(mut values: Vec<f64>) -> f64 {
    assert!(!values.is_empty(), "something was measured");
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The value below which 99 of 100 lie.
fn p99(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[(values.len() * 99 / 100).min(values.len() - 1)]
}

/// The build directory: on the disk of the repository, and ignored by git.
fn beside_this_program() -> PathBuf {
    let exe = std::env::current_exe().expect("this program");
    exe.parent().expect("a program lies in a directory").to_owned()
}
