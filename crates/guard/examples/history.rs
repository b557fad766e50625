//! Runs the guard over the history of a project: how many ordinary commits it would block, and how long it takes.
//!
//! `cargo run --release -p piton-guard --example history -- GIT_DIRECTORY… --commits 300 [--show]`
//!
//! Each of the newest commits with one parent whose changed files hold tests is compared with its parent. The work of
//! well-kept projects is honest, so a blocking finding there is a false positive until somebody explains it.
#![expect(clippy::print_stdout, reason = "its table is its purpose")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use piton_git::{History, SnapshotId};
use piton_guard::{Known, MemoryTree, Options, Report, Tree, compare, parse};

/// So many times the wanted commits are looked through for those that touch tests.
const SEARCHED_FACTOR: usize = 12;
/// So often a whole tree is read; the fastest counts.
const ROUNDS: usize = 3;

/// What the command line asks for.
struct Asked {
    directories: Vec<PathBuf>,
    commits: usize,
    show: bool,
    /// Findings that do not block are shown, too.
    all: bool,
    /// Only this commit.
    commit: Option<String>,
}

/// What was seen of a project.
#[derive(Default)]
struct Seen {
    commits: usize,
    /// Commits that could not be compared, since something in them is missing from the snapshot.
    unread: usize,
    blocked: usize,
    by_rule: BTreeMap<String, usize>,
    times: Vec<Duration>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let asked = asked();
    let mut total = Seen::default();
    let mut lines = Vec::new();
    for directory in &asked.directories {
        let history = History::of_git_directory(directory);
        let tip =
            history.commit(asked.commit.as_deref().unwrap_or("HEAD"))?.ok_or("there is no such commit")?;
        let name = name(directory);
        let mut seen = walked(&history, &tip, &asked, &name)?;
        seen.times.sort_unstable();
        let cost = cost(&history, &tip)?;
        lines.push(format!("{} {cost}", row(&name, &seen)));
        if seen.unread > 0 {
            lines.push(format!(
                "{:<22} {:>7} commits passed over: not all of their files are there",
                "", seen.unread
            ));
        }
        total.commits += seen.commits;
        total.blocked += seen.blocked;
        total.times.extend(seen.times);
        for (rule, count) in seen.by_rule {
            *total.by_rule.entry(rule).or_default() += count;
        }
    }
    println!(
        "{:<22} {:>7} {:>7} {:>7} {:>8} {:>8} {:>6} {:>8} {:>8} {:>6} {:>6}",
        "project",
        "commits",
        "blocked",
        "share",
        "p50 ms",
        "p95 ms",
        "files",
        "parse",
        "read",
        "ratio",
        "known"
    );
    for line in lines {
        println!("{line}");
    }
    total.times.sort_unstable();
    println!("{}", row("all", &total));
    println!("\ncommits with a blocking finding, by rule");
    for (rule, count) in &total.by_rule {
        println!("  {rule:<28} {count}");
    }
    Ok(())
}

fn asked() -> Asked {
    let mut asked = Asked { directories: Vec::new(), commits: 300, show: false, all: false, commit: None };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--commits" => asked.commits = words.next().and_then(|word| word.parse().ok()).unwrap_or(300),
            "--commit" => (asked.commit, asked.commits) = (words.next(), 1),
            "--show" => asked.show = true,
            "--all" => (asked.show, asked.all) = (true, true),
            _ => asked.directories.push(word.into()),
        }
    }
    asked
}

/// The directory that says which project it is.
fn name(directory: &Path) -> String {
    let parts = directory.iter().rev().map(|part| part.to_string_lossy().into_owned());
    let is_telling = |part: &String| !["repo", ".git"].contains(&part.as_str());
    parts.into_iter().find(is_telling).unwrap_or_default()
}

fn walked(history: &History, tip: &SnapshotId, asked: &Asked, name: &str) -> Result<Seen, Box<dyn Error>> {
    let mut seen = Seen::default();
    let count = if asked.commit.is_some() { 1 } else { asked.commits * SEARCHED_FACTOR };
    for (commit, parent) in history.steps(tip, count)? {
        if seen.commits == asked.commits {
            break;
        }
        let started = Instant::now();
        let options = Options { only_changed: true, ..Options::default() };
        let (base, head) = (history.tree(&parent), history.tree(&commit));
        // A snapshot of a repository may lack its largest files; such a commit is passed over.
        let Ok(report) = compare(&base, &head, &options, &mut Known::default()) else {
            seen.unread += 1;
            continue;
        };
        let time = started.elapsed();
        if report.tests.before + report.tests.after == 0 {
            continue;
        }
        seen.commits += 1;
        seen.times.push(time);
        seen.blocked += usize::from(report.blocking);
        let mut rules: Vec<_> = blocking(&report).map(|finding| finding.rule.clone()).collect();
        rules.sort_unstable();
        rules.dedup();
        for rule in rules {
            *seen.by_rule.entry(rule).or_default() += 1;
        }
        if asked.show && (report.blocking || asked.all) {
            show(name, &commit, &report, asked.all);
        }
    }
    Ok(seen)
}

fn blocking(report: &Report) -> impl Iterator<Item = &piton_guard::Finding> {
    report.findings.iter().filter(|finding| finding.blocking)
}

fn show(name: &str, commit: &SnapshotId, report: &Report, all: bool) {
    println!("== {name} {commit}");
    for finding in report.findings.iter().filter(|finding| all || finding.blocking) {
        println!("  {}:{} {}: {}", finding.file, finding.line, finding.rule, finding.message);
        for (sign, text) in [('-', &finding.before), ('+', &finding.after)] {
            for line in text.iter().flat_map(|text| text.lines()).take(6) {
                println!("      {sign} {line}");
            }
        }
    }
}

/// What an inventory of the whole tree costs, next to the bare parse of the same files, without the time git takes.
fn cost(history: &History, tip: &SnapshotId) -> Result<String, Box<dyn Error>> {
    let tree = history.tree(tip);
    let entries = tree.entries().map_err(|error| error.to_string())?;
    let mut files = BTreeMap::new();
    for entry in entries {
        // Files that the snapshot lacks are not measured.
        if let Ok(mut bytes) = tree.read(std::slice::from_ref(&entry)) {
            files.insert(entry.path, bytes.remove(0));
        }
    }
    let tree = MemoryTree(files);
    let (mut parsing, mut reading, mut again) = (Duration::MAX, Duration::MAX, Duration::MAX);
    let mut parsed = piton_guard::Parsed::default();
    for _ in 0..ROUNDS {
        let started = Instant::now();
        parsed = parse(&tree).map_err(|error| error.to_string())?;
        parsing = parsing.min(started.elapsed());
        let mut known = Known::default();
        for time in [&mut reading, &mut again] {
            let started = Instant::now();
            compare(&tree, &tree, &Options::default(), &mut known).map_err(|error| error.to_string())?;
            *time = (*time).min(started.elapsed());
        }
    }
    let ratio = reading.as_secs_f64() / parsing.as_secs_f64().max(1e-9);
    Ok(format!(
        "{:>6} {:>8.1} {:>8.1} {ratio:>6.2} {:>6.1}",
        parsed.files,
        milliseconds(parsing),
        milliseconds(reading),
        milliseconds(again)
    ))
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn row(name: &str, seen: &Seen) -> String {
    let at = |part: f64| {
        let index = ((seen.times.len() as f64 * part) as usize).min(seen.times.len().saturating_sub(1));
        seen.times.get(index).map_or(0.0, |time| milliseconds(*time))
    };
    let share = seen.blocked as f64 / seen.commits.max(1) as f64;
    format!(
        "{name:<22} {:>7} {:>7} {:>6.1}% {:>8.1} {:>8.1}",
        seen.commits,
        seen.blocked,
        share * 100.0,
        at(0.5),
        at(0.95)
    )
}
