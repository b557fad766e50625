//! A ledger of 100,000 gaps, beside the bare parse of the same file; one update at 10,000, beside writing the file.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use piton_engine::Layout;
use piton_engine::ledger::{Ledger, LedgerAt};

use piton_files::gaps::{Document, LedgerFile};
use piton_model::Timestamp;
use piton_model::ledger::{
    Gap, StaleSince, detect_stale, mark_verified, select_batch, sort_gaps, survey, validate,
};
use piton_model::ledger_machine::{Command as LedgerCommand, State};
use piton_store::sqlite::Sqlite;
use piton_sys::file::{self, Durability};

use crate::{Metric, Options, median, metric};

pub(crate) const NAMES: &[&str] = &[
    "ledger_total_ms_100000",
    "ledger_update_ms_10000",
    "ledger_command_ms_10000",
    "ledger_flip_all_ms_10000",
];

/// The word that makes this program measure in a process of its own, so that its memory can be seen.
pub(crate) const WORKER: &str = "__ledger";

/// 2026-02-15T12:00:00Z.
const NOW: Timestamp = Timestamp::from_millis(1_771_156_800_000);

/// What one pass over a ledger is made of.
const PARTS: [&str; 6] = ["parse_bare", "load", "validate", "order", "detect_stale", "select"];

pub(crate) fn measure(options: &Options) -> Vec<Metric> {
    let mut metrics = Vec::new();
    for shape in ["lean", "full"] {
        metrics.extend(passes(options, shape));
    }
    metrics.extend(updates(options));
    metrics.extend(commands(options));
    metrics
}

/// Whole commands, as `piton gaps` does them: open the journal, adopt, decide, record, write the file, complete the log.
fn commands(options: &Options) -> Vec<Metric> {
    let scratch = options.scratch();
    let layout = Layout::new(scratch.path().to_owned());
    let path = scratch.path().join("gaps.yaml");
    file::write_atomic(&path, generate(10_000, true).as_bytes(), Durability::Synced).expect("a file");
    let runtime = crate::steps::runtime();
    let command = |command: &dyn Fn(&State) -> LedgerCommand| {
        let begin = Instant::now();
        let store = Sqlite::open(&layout.state()).expect("a journal");
        let settings = LedgerAt { file: "gaps.yaml".into(), log: None, default_ttl_days: 30 };
        let ledger = Ledger::new(Some(&store), &layout, settings);
        runtime.block_on(async {
            let mut open = ledger.open(NOW).await.expect("opened");
            let command = command(open.state());
            open.run(command, NOW).await.expect("done");
        });
        since(begin)
    };
    let first = command(&|_| LedgerCommand::Tick);
    let mut updates = Vec::new();
    for round in 0..options.rounds.max(3) * 4 {
        updates.push(command(&|state| {
            let gap = &state.gaps[5_000 + round];
            let gap = Box::new(gap.with(|new| new.priority = 1 + gap.priority % 5));
            LedgerCommand::Edit { gap, reason: "measured".to_owned() }
        }));
    }
    let flips = command(&|_| LedgerCommand::FlipDue { observed: Default::default() });
    vec![
        metric("ledger_adopt_ms_10000", first, "ms"),
        metric("ledger_command_ms_10000", median(updates.clone()), "ms"),
        metric("ledger_command_p99_ms_10000", crate::p99(updates), "ms"),
        metric("ledger_flip_all_ms_10000", flips, "ms"),
    ]
}

fn passes(options: &Options, shape: &str) -> Vec<Metric> {
    let scratch = options.scratch();
    let path = scratch.path().join("gaps.yaml");
    let text = generate(100_000, shape == "full");
    file::write_atomic(&path, text.as_bytes(), Durability::Unsynced).expect("a file");
    let rounds: Vec<serde_json::Value> = (0..options.rounds).map(|_| start_worker(&path)).collect();
    let column = |name: &str| median(rounds.iter().map(|round| number(round, name)).collect());
    let mut metrics: Vec<Metric> = PARTS
        .iter()
        .map(|part| metric(format!("ledger_{part}_ms_100000_{shape}"), column(part), "ms"))
        .collect();
    let ratios = rounds.iter().map(|round| number(round, "total") / number(round, "parse_bare")).collect();
    metrics.push(metric(format!("ledger_total_ms_100000_{shape}"), column("total"), "ms"));
    metrics.push(metric(format!("ledger_total_of_bare_parse_{shape}"), median(ratios), "ratio"));
    metrics.push(metric(format!("ledger_peak_mib_100000_{shape}"), column("peak_mib"), "MiB"));
    metrics.push(metric(format!("ledger_file_mb_100000_{shape}"), text.len() as f64 / 1e6, "MB"));
    metrics
}

fn number(round: &serde_json::Value, name: &str) -> f64 {
    round[name].as_f64().expect("a number")
}

#[expect(clippy::disallowed_methods, reason = "what is measured is a process")]
fn start_worker(path: &Path) -> serde_json::Value {
    let measure = |what: &str| {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        let output =
            command.args([WORKER, what]).arg(path).stderr(Stdio::inherit()).output().expect("it starts");
        serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("what it measured")
    };
    let mut round = measure("ours");
    round["parse_bare"] = measure("bare")["parse_bare"].clone();
    round
}

/// A process of its own: `ours FILE` or `bare FILE`; prints what it measured.
pub(crate) fn worker(arguments: &[String]) {
    let path = Path::new(&arguments[1]);
    let line = match arguments[0].as_str() {
        "ours" => pass(path),
        _ => {
            let text = std::fs::read_to_string(path).expect("a file");
            let begin = Instant::now();
            let events = granit_parser::Parser::new_from_str(&text).filter(|event| event.is_ok()).count();
            serde_json::json!({"parse_bare": since(begin), "events": events})
        }
    };
    writeln!(std::io::stdout(), "{line}").expect("printed");
}

/// Load, validate, order, detect what is stale, and select a batch.
fn pass(path: &Path) -> serde_json::Value {
    let whole = Instant::now();
    let begin = Instant::now();
    let bytes = std::fs::read(path).expect("a file");
    // Loading validates, too: an unsound file does not become a document.
    let document = Document::parse(&bytes).expect("a sound ledger");
    drop(bytes);
    let load = since(begin);
    let gaps = document.gaps();
    let begin = Instant::now();
    assert!(validate(gaps).is_empty());
    let validate = since(begin);
    let begin = Instant::now();
    assert_eq!(sort_gaps(gaps).ordered.len(), gaps.len());
    let order = since(begin);
    let begin = Instant::now();
    let stale = detect_stale(gaps, 30, NOW).len();
    let detect_stale = since(begin);
    let begin = Instant::now();
    let survey = survey(gaps, 30, NOW, &StaleSince::new());
    let batch = select_batch(survey.candidates.iter().copied(), 5);
    assert_eq!(batch.len(), 5);
    let select = since(begin);
    serde_json::json!({
        "load": load, "validate": validate, "order": order, "detect_stale": detect_stale, "select": select,
        "total": since(whole), "stale": stale, "peak_mib": peak_mib(),
    })
}

fn updates(options: &Options) -> Vec<Metric> {
    let scratch = options.scratch();
    let path = scratch.path().join("gaps.yaml");
    file::write_atomic(&path, generate(10_000, true).as_bytes(), Durability::Synced).expect("a file");
    let ledger = LedgerFile::new(&path, scratch.path().join("aside"));
    let (mut ours, mut raw) = (Vec::new(), Vec::new());
    for round in 0..options.rounds.max(3) * 4 {
        let begin = Instant::now();
        let change = |gaps: &[Gap]| {
            let mut gaps = gaps.to_vec();
            gaps[5_000 + round] = mark_verified(&gaps[5_000 + round], NOW);
            Ok::<_, std::convert::Infallible>(gaps)
        };
        assert!(ledger.update(change).expect("updated").wrote);
        ours.push(since(begin));
        let begin = Instant::now();
        let bytes = std::fs::read(&path).expect("a file");
        file::write_atomic(&scratch.path().join("raw.yaml"), &bytes, Durability::Synced).expect("written");
        raw.push(since(begin));
    }
    vec![
        metric("ledger_update_ms_10000", median(ours.clone()), "ms"),
        metric("ledger_update_p99_ms_10000", crate::p99(ours), "ms"),
        metric("ledger_rewrite_bare_ms_10000", median(raw), "ms"),
    ]
}

/// A ledger as tools write it (`lean`) or with every field, comments and lists (`full`).
pub(crate) fn generate(count: usize, full: bool) -> String {
    let mut text = "# What is not known yet.\nversion: 1\ngaps:\n".to_owned();
    for number in 0..count {
        let status = ["verified", "stale", "blocked"][number % 3];
        let _ = write!(text, "- id: gap-{number:06}\n  category: area-{}\n  status: {status}\n", number % 17);
        let (day, month) = (1 + number % 28, 1 + number % 2);
        let _ = writeln!(
            text,
            "  priority: {}\n  last_verified: '2026-{month:02}-{day:02}T12:00:00+00:00'",
            1 + number % 5
        );
        if full {
            let _ = write!(
                text,
                "  last_checked: 2026-01-05T12:00:00+00:00 # by hand\n  ttl_days: {}\n  blocks:\n  - gap-{:06}\n  findings: |-\n    What was found about matter {number},\n    in two lines.\n",
                1 + number % 60,
                (number + 1) % count,
            );
            if number + 1 == count {
                text.truncate(text.rfind("  blocks:").expect("it was written"));
            }
        }
    }
    text
}

fn since(begin: Instant) -> f64 {
    begin.elapsed().as_secs_f64() * 1e3
}

/// The most memory that this process ever held.
fn peak_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a high-water mark");
    line.trim().trim_end_matches(" kB").parse::<f64>().expect("a number") / 1024.0
}
