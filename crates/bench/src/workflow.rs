//! What a step of a workflow costs beside its command: the real binary on a thousand commands that do nothing, next to
//! the same commands started bare, as many at a time.
//!
//! A wide workflow is bound by the processors, a chain by what follows one another: start, end, journal.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use crate::{Metric, Options, command_line, median, metric};

pub(crate) const NAMES: &[&str] = &["workflow_step", "workflow_bare", "workflow_overhead"];

const STEPS: u32 = 1_000;

/// A shape of a workflow, and how many of its steps run at a time.
struct Shape {
    name: &'static str,
    is_chain: bool,
    command: &'static str,
    at_once: u32,
}

const SHAPES: [Shape; 4] = [
    Shape { name: "wide_4", is_chain: false, command: "true", at_once: 4 },
    Shape { name: "wide_8", is_chain: false, command: "true", at_once: 8 },
    Shape { name: "chain", is_chain: true, command: "true", at_once: 1 },
    // What is printed has to be durable, too.
    Shape { name: "chain_that_prints", is_chain: true, command: "echo done", at_once: 1 },
];

pub(crate) fn measure(options: &Options) -> Vec<Metric> {
    let Some(piton) = command_line::binary() else {
        eprintln!("target/release/piton is not built: run `cargo build --release` first");
        return Vec::new();
    };
    // Removed at the end: some file systems search longer for a free place while files were just removed.
    let mut kept = Vec::new();
    let mut found: Vec<[Vec<f64>; 3]> = SHAPES.iter().map(|_| Default::default()).collect();
    for _ in 0..options.rounds {
        for (shape, [steps, bares, overheads]) in SHAPES.iter().zip(&mut found) {
            kept.push(options.scratch());
            let step = run(kept[kept.len() - 1].path(), &piton, shape);
            let bare = bare(shape);
            steps.push(step);
            bares.push(bare);
            overheads.push(step - bare);
        }
    }
    let named = |shape: &Shape, [steps, bares, overheads]: [Vec<f64>; 3]| {
        [("step", steps), ("bare", bares), ("overhead", overheads)]
            .map(|(what, times)| metric(format!("workflow_{what}_ms_{}", shape.name), median(times), "ms"))
    };
    SHAPES.iter().zip(found).flat_map(|(shape, times)| named(shape, times)).collect()
}

/// Milliseconds per step of a workflow, from the start of the program to its end.
fn run(repo: &Path, piton: &Path, shape: &Shape) -> f64 {
    let file = repo.join("workflow.yaml");
    let document = document(shape);
    piton_sys::file::create_new(&file, document.as_bytes(), piton_sys::file::Durability::Unsynced)
        .expect("a workflow");
    let repo = repo.display().to_string();
    let at_once = shape.at_once.to_string();
    let arguments = ["--repo", &repo, "run", &file.display().to_string(), "--run-id", "bench", "--quiet"];
    let arguments = [&arguments[..], &["--max-parallel", &at_once]].concat();
    command_line::time(piton, &arguments) / f64::from(STEPS)
}

fn document(shape: &Shape) -> String {
    let mut text = "name: bench\nsteps:\n".to_owned();
    for number in 0..STEPS {
        let needs = match number.checked_sub(1) {
            Some(before) if shape.is_chain => format!(", needs: [s{before}]"),
            _ => String::new(),
        };
        writeln!(text, "  - {{id: s{number}, run: \"{}\"{needs}}}", shape.command).expect("written");
    }
    text
}

/// Milliseconds per command, started by a shell as a step's is, as many at a time.
fn bare(shape: &Shape) -> f64 {
    let left = AtomicU32::new(STEPS);
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..shape.at_once {
            scope.spawn(|| {
                let take = |left: u32| left.checked_sub(1);
                while left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take).is_ok() {
                    shell(shape.command);
                }
            });
        }
    });
    begin.elapsed().as_secs_f64() * 1e3 / f64::from(STEPS)
}

#[expect(clippy::disallowed_methods, reason = "what is measured is a process")]
fn shell(command: &str) {
    let output = Command::new("/bin/sh").args(["-c", command]).stdin(Stdio::null()).output();
    assert!(output.expect("it starts").status.success(), "`{command}` failed");
}
