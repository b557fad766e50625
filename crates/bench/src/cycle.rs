//! Fifty iterations of a cycle, as a user runs it: what piton itself costs in one does not grow with how many there were.
//!
//! The developer changes a file, writes its document and lines for its logs; the check prints much and fails, so every
//! iteration adds feedback, documents, changes and lines of the timeline. An iteration lasts from one `iteration_started` to
//! the next; what the keepers say that agents and checks took is taken off.

use std::path::Path;

use serde_json::Value;

use crate::own_cost::{events, make_tree, moment, run, write};
use crate::{Metric, Options, command_line, median, metric};

pub(crate) const NAMES: &[&str] = &["cycle_own_ms_iteration", "cycle_last_10_to_first_10_of_50"];

const ITERATIONS: usize = 50;
const WINDOW: usize = 10;
const FILES: usize = 1_000;

const TEAM: &str = r#"
case $PITON_ROLE in
  ra)  seq 1 200 > "$PITON_ROLE_DIR/requirements.md" ;;
  ep)  printf '## Summary\n\nOne file.\n' > "$PITON_ROLE_DIR/exploration.md"
       echo '{"tasks": [{"id": "TASK-001", "description": "write", "files": ["d000/f001.txt"]}]}' > "$PITON_ROLE_DIR/plan.json" ;;
  cd)  echo $PITON_ITERATION > d000/f001.txt
       seq $PITON_ITERATION 400 > "$PITON_ROLE_DIR/implementation.md"
       echo "{\"issue_id\": \"BUG-$PITON_ITERATION\", \"hypothesis\": \"it is red\"}" >> "$PITON_ROLE_DIR/debug-log.ndjson" ;;
  vas) seq $PITON_ITERATION 400 > "$PITON_ROLE_DIR/validation.md" ;;
esac
printf 'PHASE_RESULT:\n- phase: %s\n- status: completed\n- summary: iteration %s\n- feedback_to_cd: mind %s\n' $PITON_ROLE $PITON_ITERATION $PITON_ITERATION
"#;

pub(crate) fn measure(options: &Options) -> Vec<Metric> {
    let Some(piton) = command_line::binary() else {
        eprintln!("target/release/piton is not built: run `cargo build --release` first");
        return Vec::new();
    };
    let (mut own, mut ratios) = (Vec::new(), Vec::new());
    for _ in 0..options.rounds.min(3) {
        let costs = iterations(options, &piton);
        let (first, last) = (&costs[..WINDOW], &costs[costs.len() - WINDOW..]);
        ratios.push(median(last.to_vec()) / median(first.to_vec()));
        own.push(median(costs));
    }
    vec![metric(NAMES[0], median(own), "ms"), metric(NAMES[1], median(ratios), "ratio")]
}

/// What each iteration cost but the first, in which everybody works, and the last, after which none begins; in milliseconds.
fn iterations(options: &Options, piton: &Path) -> Vec<f64> {
    let scratch = options.scratch();
    let root = scratch.path().join("ours");
    make_tree(&root, FILES);
    write(&scratch.path().join("team.sh"), TEAM);
    let count = ITERATIONS.to_string();
    let words = ["cycle", "start", "bench", "--id", "bench", "--exec", "sh ../team.sh"];
    // It fails at its limit, which is what is asked for.
    run(
        piton,
        &root,
        &[&words[..], &["--check", "red=seq 1 2000; false", "--max-iterations", &count]].concat(),
    );
    let events = events(&run(piton, &root, &["log", "bench", "--json"]));
    let is_start = |event: &Value| event["type"] == "iteration_started";
    let starts: Vec<usize> =
        events.iter().enumerate().filter(|(_, event)| is_start(event)).map(|(at, _)| at).collect();
    assert_eq!(starts.len(), ITERATIONS, "the cycle went to its limit");
    let spent = |event: &Value| match event["type"].as_str() {
        Some("role_finished") => event["data"]["end"]["duration_ms"].as_f64().unwrap_or(0.0),
        Some("checks_finished") => event["data"]["round"]["duration_ms"].as_f64().unwrap_or(0.0),
        _ => 0.0,
    };
    let cost = |pair: &[usize]| {
        let spent: f64 = events[pair[0]..pair[1]].iter().map(spent).sum();
        moment(&events[pair[1]]) - moment(&events[pair[0]]) - spent
    };
    starts.windows(2).skip(1).map(cost).collect()
}
