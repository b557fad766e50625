//! Times snapshots of many files against `git add --all` with the same sync settings.
//!
//! `cargo run --release -p piton-git --example snapshot_timing -- 10000`

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use piton_git::{Workspace, calls_made};
use piton_sys::process::{Program, RunLimits};

const ROUNDS: usize = 7;

#[expect(clippy::print_stdout, reason = "an example talks to whoever runs it")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: usize = std::env::args().nth(1).map_or(Ok(10_000), |text| text.parse())?;
    let directory = tempfile::tempdir()?;
    let root = directory.path().join("work");
    std::fs::create_dir_all(root.join(".piton"))?;
    fill(&root, files)?;
    start(&root)?;
    let workspace = Workspace::open(&root, &root.join(".piton"))?;
    workspace.protect_state()?;

    let mut new = (Vec::new(), Vec::new());
    for round in 0..3 {
        start(&root)?;
        workspace.protect_state()?;
        rustix::fs::sync();
        new.0.push(timed(|| git(&root, &["add", "--all"]))?);
        start(&root)?;
        workspace.protect_state()?;
        workspace.forget("timing")?;
        rustix::fs::sync();
        let calls = calls_made();
        new.1.push(timed(|| Ok(workspace.snapshot("timing", "new").map(drop)?))?);
        println!(
            "round {round}: {:?} {:?}, {} git processes",
            new.0[round],
            new.1[round],
            calls_made() - calls
        );
    }

    let mut same = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        same.0.push(timed(|| git(&root, &["add", "--all"]))?);
    }
    workspace.snapshot("timing", "with the index as it is now")?;
    let calls = calls_made();
    for _ in 0..ROUNDS {
        same.1.push(timed(|| Ok(workspace.snapshot("timing", "same").map(drop)?))?);
    }
    let calls = (calls_made() - calls) as f64 / ROUNDS as f64;
    println!("all new    git add {:?}, snapshot {:?}", median(new.0), median(new.1));
    println!("unchanged  git add {:?}, snapshot {:?}, {calls} git processes", median(same.0), median(same.1));
    Ok(())
}

/// A new repository with an empty commit, so that no object is there before its time.
fn start(root: &Path) -> Result<(), Box<dyn std::error::Error>> {
    if root.join(".git").exists() {
        std::fs::remove_dir_all(root.join(".git"))?;
    }
    git(root, &["init", "--quiet", "."])?;
    let identity = ["-c", "user.name=timing", "-c", "user.email=timing@localhost"];
    git(root, &[&identity[..], &["commit", "--quiet", "--allow-empty", "--message", "start"]].concat())
}

fn fill(root: &Path, files: usize) -> std::io::Result<()> {
    let day_ago = root.metadata()?.modified()? - Duration::from_secs(86_400);
    for number in 0..files {
        let parent = root.join(format!("d{:03}/s{}", number / 100, number / 20 % 5));
        std::fs::create_dir_all(&parent)?;
        let mut file = File::create(parent.join(format!("f{number}.rs")))?;
        for line in 0..10 + number % 70 {
            writeln!(file, "let value_{line} = {};", (number * 7919 + line * 104_729) % 1_000_003)?;
        }
        file.set_times(std::fs::FileTimes::new().set_modified(day_ago))?;
    }
    Ok(())
}

fn git(root: &Path, args: &[&str]) -> Result<(), Box<dyn std::error::Error>> {
    let settings = ["-c", "core.fsync=loose-object", "-c", "core.fsyncMethod=batch", "-c", "gc.auto=0"];
    let limits = RunLimits { deadline: Duration::from_secs(600), output_bytes_max: 1 << 20 };
    let output =
        Program::new("git").current_dir(root).args(settings).args(args.iter().copied()).run(limits)?;
    if output.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into()) }
}

fn timed(
    work: impl FnOnce() -> Result<(), Box<dyn std::error::Error>>,
) -> Result<Duration, Box<dyn std::error::Error>> {
    let started = Instant::now();
    work()?;
    Ok(started.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
