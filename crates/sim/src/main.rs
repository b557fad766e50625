//! Runs seeds and prints one line of JSON per result.
//!
//! ```text
//! piton-sim [--kind KIND] [--seeds N] [--from N] [--jobs N] [--plant NAME | --plants]
//! piton-sim [--kind KIND] --seed S [--plant NAME] [--trace | --journal]
//! ```
//!
//! Kinds are `loop`, `workflow` and `ledger`; without one they take turns, seed by seed. A plant is looked for in
//! every kind it grows in.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "printing is what this program does")]

use std::process::ExitCode;

use piton_model::Kind;
use piton_sim::{Batch, Plant, journal, kind_of, trace};
use serde_json::json;

/// Lines of the trace that are shown of a seed with a violation.
const LINES: usize = 60;

fn main() -> ExitCode {
    match Options::parse() {
        Ok(options) => options.run(),
        Err(text) => {
            eprintln!("error: {text}");
            ExitCode::from(2)
        }
    }
}

struct Options {
    seeds: u64,
    from: u64,
    jobs: usize,
    kind: Option<Kind>,
    seed: Option<u64>,
    trace: bool,
    journal: bool,
    plant: Option<Plant>,
    plants: bool,
}

impl Options {
    fn parse() -> Result<Self, String> {
        let mut options = Options {
            seeds: 1_000,
            from: 0,
            jobs: 2,
            kind: None,
            seed: None,
            trace: false,
            journal: false,
            plant: None,
            plants: false,
        };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            let mut number = || {
                let text = args.next().ok_or(format!("`{arg}` needs a number"))?;
                text.parse::<u64>().map_err(|_| format!("`{text}` is not a number"))
            };
            match arg.as_str() {
                "--seeds" => options.seeds = number()?,
                "--from" => options.from = number()?,
                "--jobs" => options.jobs = number()? as usize,
                "--seed" => options.seed = Some(number()?),
                "--trace" => options.trace = true,
                "--journal" => options.journal = true,
                "--plants" => options.plants = true,
                "--kind" => {
                    let word = args.next().unwrap_or_default();
                    let kind = Kind::from_word(&word).filter(|kind| *kind != Kind::Cycle);
                    let kind = kind.ok_or(format!("no kind `{word}` is simulated"))?;
                    options.kind = Some(kind);
                }
                "--plant" => {
                    let name = args.next().unwrap_or_default();
                    let names = || Plant::ALL.map(|(_, name, _)| name).join(", ");
                    options.plant = Some(
                        Plant::named(&name)
                            .ok_or_else(|| format!("there is no plant `{name}`; there are {}", names()))?,
                    );
                }
                other => return Err(format!("nobody knows `{other}`")),
            }
        }
        Ok(options)
    }

    fn run(&self) -> ExitCode {
        if let Some(seed) = self.seed {
            let kind = self.kind.unwrap_or_else(|| kind_of(seed));
            if self.journal {
                journal(seed, kind).iter().for_each(|line| println!("{line}"));
                return ExitCode::SUCCESS;
            }
            return show(seed, kind, self.plant, if self.trace { usize::MAX } else { LINES });
        }
        let plants: Vec<Plant> = match self.plants {
            true => Plant::ALL.map(|(plant, _, _)| plant).to_vec(),
            false => self.plant.into_iter().collect(),
        };
        if !plants.is_empty() {
            let missed = plants.into_iter().filter(|plant| !self.find(*plant)).count();
            return if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        let Options { seeds, from, jobs, kind, .. } = *self;
        let outcome = Batch { from, seeds, kind, jobs, plant: None, stop_at_first: false }.run();
        println!("{}", outcome.to_json());
        for (seed, violation) in outcome.violations.iter().take(20) {
            println!("{}", json!({ "seed": seed, "rule": violation.rule, "what": violation.what }));
        }
        match outcome.violations.first() {
            Some((seed, _)) => show(*seed, kind.unwrap_or_else(|| kind_of(*seed)), None, LINES),
            None => ExitCode::SUCCESS,
        }
    }

    /// Whether the planted mistake is found within a thousand seeds of every kind that it grows in.
    fn find(&self, plant: Plant) -> bool {
        let asked = |kind: &&Kind| self.kind.is_none_or(|asked| asked == **kind);
        let missed = plant.kinds().iter().filter(asked).filter(|kind| !self.find_in(plant, **kind)).count();
        missed == 0
    }

    fn find_in(&self, plant: Plant, kind: Kind) -> bool {
        let (from, kind_asked) = (self.from, Some(kind));
        let batch =
            Batch { from, seeds: 1_000, kind: kind_asked, jobs: 1, plant: Some(plant), stop_at_first: true };
        let outcome = batch.run();
        let found = outcome.violations.first();
        println!(
            "{}",
            json!({
                "plant": plant.name(),
                "kind": kind.as_str(),
                "found": found.is_some(),
                "seeds_needed": outcome.seeds,
                "seed": found.map(|(seed, _)| *seed),
                "rule": found.map(|(_, violation)| violation.rule),
                "what": found.map(|(_, violation)| violation.what.clone()),
            })
        );
        found.is_some()
    }
}

/// Replays one seed and shows the end of its trace.
fn show(seed: u64, kind: Kind, plant: Option<Plant>, lines_max: usize) -> ExitCode {
    let (lines, verdict) = trace(seed, kind, plant);
    for line in &lines[lines.len().saturating_sub(lines_max)..] {
        println!("{line}");
    }
    let plant = plant.map(Plant::name);
    match verdict {
        Ok(()) => {
            println!("{}", json!({ "seed": seed, "kind": kind.as_str(), "plant": plant, "violation": null }));
            ExitCode::SUCCESS
        }
        Err(violation) => {
            println!(
                "{}",
                json!({
                    "seed": seed,
                    "kind": kind.as_str(),
                    "plant": plant,
                    "rule": violation.rule,
                    "violation": violation.what,
                })
            );
            ExitCode::FAILURE
        }
    }
}
