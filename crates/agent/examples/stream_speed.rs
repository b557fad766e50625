//! How fast the streams of agents are understood: one JSON line per recording, megabytes per second on one core.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement is printed")]

use std::path::Path;
use std::time::Instant;

use piton_agent::stream::listen;
use piton_model::loop_machine::StreamFormat;

/// Each recording is repeated to about this size.
const BYTES: usize = 64 << 20;

fn main() {
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams");
    for cli in ["claude", "codex", "gemini", "opencode"] {
        let format: StreamFormat = serde_json::from_value(cli.into()).unwrap();
        let recorded = std::fs::read(recordings.join(cli).join("success.jsonl")).unwrap();
        let output = recorded.repeat(BYTES / recorded.len());
        let begin = Instant::now();
        let account = listen(&format, &output[..]).unwrap();
        let speed = output.len() as f64 / begin.elapsed().as_secs_f64() / 1e6;
        assert_eq!(account.lines_unknown, 0);
        println!(
            "{}",
            serde_json::json!({"metric": format!("parse_{cli}"), "value": speed.round(), "unit": "MB/s"})
        );
    }
}
