//! `piton gaps` as a person runs it: the real binary over a real file, its time and the most memory it took.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use piton_sys::file::{self, Durability};

use crate::command_line::binary;
use crate::ledger::generate;
use crate::{Metric, Options, median, metric};

pub(crate) const NAMES: &[&str] = &[
    "gaps_validate_ms_100000",
    "gaps_list_json_ms_100000",
    "gaps_batch_ms_100000",
    "gaps_stale_ms_100000",
    "gaps_stale_apply_ms_100000",
    "gaps_update_ms_10000",
];

/// All that is verified is past its time to live by then.
const LATER: &str = "2027-02-15T12:00:00Z";

/// What a command took.
#[derive(Clone, Copy)]
struct Taken {
    ms: f64,
    peak_mib: f64,
}

pub(crate) fn measure(options: &Options) -> Vec<Metric> {
    let Some(piton) = binary() else {
        eprintln!("target/release/piton is not built: run `cargo build --release` first");
        return Vec::new();
    };
    let mut metrics = Vec::new();
    for (count, commands) in [(100_000, ALL), (10_000, &ALL[6..])] {
        let mut rounds: Vec<Vec<Taken>> = Vec::new();
        for _ in 0..options.rounds {
            let scratch = options.scratch();
            let text = generate(count, true);
            file::write_atomic(&scratch.path().join("gaps.yaml"), text.as_bytes(), Durability::Synced)
                .expect("a file");
            rounds.push(commands.iter().map(|(_, words)| run(&piton, scratch.path(), words)).collect());
        }
        for (index, (name, _)) in commands.iter().enumerate() {
            let column = |of: fn(Taken) -> f64| median(rounds.iter().map(|round| of(round[index])).collect());
            metrics.push(metric(format!("gaps_{name}_ms_{count}"), column(|taken| taken.ms), "ms"));
            metrics.push(metric(
                format!("gaps_{name}_peak_mib_{count}"),
                column(|taken| taken.peak_mib),
                "MiB",
            ));
        }
    }
    metrics
}

/// In this order: the first four find no journal, the later ones find all that `stale --apply` recorded.
const ALL: &[(&str, &[&str])] = &[
    ("validate", &["validate"]),
    ("list_json", &["list", "--json"]),
    ("batch", &["batch", "--now", LATER]),
    ("stale", &["stale", "--now", LATER]),
    ("stale_apply", &["stale", "--apply", "--now", LATER]),
    ("validate_recorded", &["validate"]),
    ("check", &["check", "gap-000001"]),
    ("update", &["update", "gap-000002", "priority=4"]),
];

/// Runs it to its end, and looks at its memory every millisecond: the kernel keeps the most that it held.
#[expect(clippy::disallowed_methods, reason = "what is measured is a process")]
fn run(piton: &Path, repo: &Path, words: &[&str]) -> Taken {
    let begin = Instant::now();
    let mut child = Command::new(piton)
        .arg("--repo")
        .arg(repo)
        .arg("gaps")
        .args(words)
        .env("PITON_CONFIG_DIR", repo.join("config"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut peak_kib = 0_f64;
    loop {
        peak_kib = peak_kib.max(peak_of(child.id()).unwrap_or(0.0));
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            assert!(status.success(), "piton gaps {words:?} failed");
            return Taken { ms: begin.elapsed().as_secs_f64() * 1e3, peak_mib: peak_kib / 1024.0 };
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn peak_of(pid: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}
