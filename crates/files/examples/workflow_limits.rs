//! Measures what a workflow's document and its machine cost: `cargo run --release -p piton-files --example workflow_limits`.
//!
//! Each line names what was done, how long it took, and the most memory that the process has had until then.
#![expect(clippy::print_stdout, reason = "an example shows what it measured")]
#![expect(clippy::unwrap_used, reason = "an example fails where it cannot go on")]

use std::fmt::Write;
use std::time::Instant;

use piton_files::workflow::{RunPlace, mermaid, plan, read, render};
use piton_model::Timestamp;
use piton_model::loop_machine::{AttemptOutcome, Place};
use piton_model::workflow::*;

fn main() {
    let sound = document(10_000);
    measured("10,000 steps: read and validate", || read("w.yaml", sound.as_bytes()).unwrap());
    let (definition, _) = read("w.yaml", sound.as_bytes()).unwrap();
    measured("10,000 steps: plan, graph and digest", || {
        (plan(&definition).len(), mermaid(&definition).len(), definition.digest())
    });
    let unknown = sound.replace("needs: [s", "needs: [t");
    refused("10,000 steps, every need unknown", unknown.as_bytes());
    refused("50,000 steps in one cycle", &cycle(50_000));
    refused("aliases, 10 levels of 9", &aliases());
    refused("100,000 levels of [", format!("steps: {}", "[".repeat(100_000)).as_bytes());
    refused("100,000 levels of {a:", "{a: ".repeat(100_000).as_bytes());
    refused("4 MiB of one word", &[b"name: ".to_vec(), vec![b'x'; (4 << 20) - 10]].concat());
    refused("4 MiB of keys", keys().as_bytes());
    refused("4 MiB of anchors", anchors().as_bytes());
    for steps in [1_000, 10_000] {
        drive(steps);
    }
    // Last, since the buffer is this program's own: from a disk only the first 4 MiB and a byte are read.
    refused("1 GiB", &vec![b'x'; 1 << 30]);
}

fn measured<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let result = work();
    println!("{what:<44} {:>9.1} ms   peak {:>4} MiB", begun.elapsed().as_secs_f64() * 1e3, peak_mib());
    result
}

fn refused(what: &str, bytes: &[u8]) {
    let problems = measured(what, || read("w.yaml", bytes).expect_err("a hostile document was accepted"));
    println!("    {}", problems[0].to_string().lines().next().unwrap().chars().take(100).collect::<String>());
}

fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) / 1_024
}

/// A wide and deep workflow with conditions and a gate loop here and there.
fn document(steps: usize) -> String {
    let mut text = "name: large\nsteps:\n".to_owned();
    for n in 0..steps {
        let _ = write!(
            text,
            "  - id: s{n}\n    agent: coder\n    prompt: prompts/p{n}.md\n    metadata: {{n: {n}}}\n"
        );
        if n >= 11 {
            let _ = write!(
                text,
                "    needs: [s{}, s{}]\n    when: s{}.status == COMPLETED\n",
                n - 10,
                n - 11,
                n - 10
            );
        }
        if n % 100 == 99 {
            let _ = writeln!(text, "    loop_back_to: s{}", n - 10);
        }
    }
    text
}

fn cycle(steps: usize) -> Vec<u8> {
    let mut text = "steps:\n".to_owned();
    for n in 0..steps {
        let _ = writeln!(text, "- {{id: s{n}, run: x, needs: [s{}]}}", (n + 1) % steps);
    }
    text.into_bytes()
}

fn aliases() -> Vec<u8> {
    let mut text = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..10 {
        let _ = writeln!(text, "a{level}: &a{level} [{}]", vec![format!("*a{}", level - 1); 9].join(","));
    }
    text.into_bytes()
}

fn keys() -> String {
    let mut text = String::new();
    while text.len() < (4 << 20) - 32 {
        let _ = writeln!(text, "k{}: 1", text.len());
    }
    text
}

fn anchors() -> String {
    let mut text = "steps:\n".to_owned();
    while text.len() < (4 << 20) - 32 {
        let _ = writeln!(text, "- &a{} x", text.len());
    }
    text
}

/// Every step of a workflow, one after another: what the machine and the view cost.
fn drive(steps: usize) {
    let mut definition = Definition { name: "flat".to_owned(), ..Definition::default() };
    for n in 0..steps {
        let mut step = Step::new(&format!("s{n}"), Work::Run { command: "true".to_owned(), agent: None });
        step.needs = if n >= 4 { vec![StepId::new(format!("s{}", n - 4))] } else { Vec::new() };
        definition.steps.push(step);
    }
    let run: piton_model::RunId = "0123abcd".parse().unwrap();
    let order = Order { run: run.clone(), definition, options: Options::default(), inherited: None };
    let now = Timestamp::from_millis(1_800_000_000_000);
    let mut state = apply(None, &create(order).unwrap(), now).unwrap();
    let place = Place { host: "h".to_owned(), boot: "b".to_owned(), pid: 1 };
    state = advance(&state, Command::Drive { epoch: 1, place, version: "0".to_owned() }, now).unwrap().1;
    let begun = Instant::now();
    let mut decisions = 0_u32;
    while let Some(Effect::Attempt(open)) = state.effects().into_iter().next() {
        let end = StepEnd {
            outcome: AttemptOutcome::Succeeded,
            exit_code: Some(0),
            duration_ms: 1,
            message: None,
            report: None,
            cost_microusd: None,
            tokens: None,
            hold: None,
        };
        state =
            advance(&state, Command::EndAttempt { attempt: open.number, end: Box::new(end) }, now).unwrap().1;
        decisions += 1;
    }
    let each = begun.elapsed().as_secs_f64() * 1e3 / f64::from(decisions);
    assert_eq!(state.status, piton_model::Status::Completed);
    println!("{steps} steps driven to the end: {each:.3} ms per step, effects and decision");
    let files = RunPlace::new("/repo", run);
    let bytes = measured("    run_state.json of that", || render(&state, &files));
    println!(
        "    {} KiB; the state as a checkpoint: {} KiB",
        bytes.len() >> 10,
        serde_json::to_vec(&state).unwrap().len() >> 10
    );
}
