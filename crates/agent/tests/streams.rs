//! What each CLI really printed, and what it comes to. How the recordings were made: `streams/README.md`.
#![expect(clippy::unwrap_used, reason = "a test says what it saw, and fails where it cannot go on")]

use std::path::{Path, PathBuf};

use piton_agent::stream::{Account, adapter, listen};
use piton_model::loop_machine::{ErrorClass, StreamField, StreamFormat, Usage};

fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams")
}

fn format_of(cli: &str) -> StreamFormat {
    serde_json::from_value(cli.into()).unwrap()
}

fn heard(cli: &str, case: &str) -> Account {
    let bytes = std::fs::read(recordings().join(cli).join(format!("{case}.jsonl"))).unwrap();
    listen(&format_of(cli), &bytes[..]).unwrap()
}

fn usage(input_tokens: u64, output_tokens: u64, cached: u64) -> Option<Usage> {
    Some(Usage { input_tokens, output_tokens, cached_input_tokens: Some(cached) })
}

#[test]
fn claude_says_what_it_did_and_what_it_cost() {
    let account = heard("claude", "success");
    assert_eq!(account.text.as_deref(), Some("hello done"));
    assert_eq!(account.usage, usage(2400, 14, 400));
    assert!((account.cost_usd.unwrap() - 0.008_36).abs() < 1e-9);
    assert_eq!(account.context_percent(), Some(0), "1201 of a million tokens");
    assert!(account.session_id.is_some() && account.finished && account.failure.is_none());
    assert_eq!(account.lines_unknown, 0);
    let resumed = heard("claude", "resume");
    assert_eq!(resumed.usage, usage(3600, 21, 600), "it counts from the start of the session");
    assert!((resumed.cost_usd.unwrap() - 0.012_54).abs() < 1e-9, "and so does the cost");
}

#[test]
fn codex_says_what_it_did() {
    let account = heard("codex", "success");
    assert_eq!(account.text.as_deref(), Some("hello done"));
    assert_eq!(account.usage, usage(2400, 14, 400));
    assert_eq!(account.cost_usd, None, "it never says what it costs");
    assert!(account.finished && account.failure.is_none(), "an item of type error is a warning: {account:?}");
    assert_eq!(account.warnings.len(), 1);
    assert_eq!(
        heard("codex", "resume").usage,
        usage(3600, 21, 600),
        "it counts from the start of the thread"
    );
}

#[test]
fn every_failure_has_its_class() {
    let expected = [
        ("auth", ErrorClass::Auth),
        ("rate-limit", ErrorClass::RateLimit),
        ("usage-limit", ErrorClass::RateLimit),
        ("overloaded", ErrorClass::Overloaded),
        ("context-full", ErrorClass::ContextFull),
        ("context-full-stream", ErrorClass::ContextFull),
    ];
    let mut judged = 0;
    for cli in ["claude", "codex", "gemini", "opencode"] {
        for (case, class) in expected {
            if !recordings().join(cli).join(format!("{case}.jsonl")).exists() {
                continue;
            }
            let account = heard(cli, case);
            assert_eq!(account.error_class, Some(class), "{cli} {case}: {account:?}");
            assert!(account.failure.is_some(), "{cli} {case}");
            judged += 1;
        }
    }
    assert!(judged >= 12, "{judged} recordings were judged");
}

#[test]
fn a_limit_ends_when_the_provider_says() {
    assert_eq!(heard("claude", "usage-limit").limited_until, Some(1_900_000_000));
    assert!(heard("codex", "usage-limit").limited_until.is_some());
    assert_eq!(heard("claude", "rate-limit").limited_until, None, "nothing was said about its end");
}

#[test]
fn what_was_cut_short_did_not_finish() {
    for (cli, case) in [("claude", "killed"), ("codex", "killed"), ("codex", "interrupted")] {
        let account = heard(cli, case);
        assert!(!account.finished && account.session_id.is_some(), "{cli} {case}: {account:?}");
    }
    let interrupted = heard("claude", "interrupted");
    assert!(interrupted.failure.is_some(), "it exits with 0, and yet it failed: {interrupted:?}");
}

#[test]
fn a_denied_tool_is_told_and_does_not_fail_the_attempt() {
    let account = heard("claude", "denied");
    assert_eq!(account.failure, None);
    assert!(account.denied);
    assert_eq!(account.warnings, ["a tool was denied: Bash"]);
}

#[test]
fn any_json_lines_can_be_mapped() {
    let fields = [
        (StreamField::Text, "/msg"),
        (StreamField::Session, "/meta/id"),
        (StreamField::InputTokens, "/meta/in"),
        (StreamField::CostUsd, "/meta/usd"),
        (StreamField::ErrorStatus, "/err/status"),
    ];
    let format = StreamFormat::Lines(fields.map(|(field, pointer)| (field, pointer.to_owned())).into());
    let output = br#"{"msg":"hi","meta":{"id":"s1","in":10,"usd":0.5}}
not json
{"other":1}
{"meta":{"in":5,"usd":0.25},"err":{"status":429}}
"#;
    let account = listen(&format, &output[..]).unwrap();
    assert_eq!(account.session_id.as_deref(), Some("s1"));
    assert_eq!(account.usage.unwrap().input_tokens, 15);
    assert_eq!(account.cost_usd, Some(0.75));
    assert_eq!(account.error_class, Some(ErrorClass::RateLimit));
    assert_eq!((account.lines_known, account.lines_unknown), (2, 2));
}

#[test]
fn aider_counts_in_words() {
    let words =
        b"Applied edit to a.py\nTokens: 1.2k sent, 950 received. Cost: $0.04 message, $0.10 session.\n";
    let account = listen(&format_of("aider"), &words[..]).unwrap();
    let used = account.usage.unwrap();
    assert_eq!((used.input_tokens, used.output_tokens), (1200, 950));
    assert_eq!(account.cost_usd, Some(0.04));
}

/// Every recording, cut and bent in many ways: nobody panics, whatever it comes to. `PITON_FUZZ=1000` makes it so many
/// per line and format.
#[test]
fn garbage_is_survived() {
    let formats = ["plain", "claude", "codex", "gemini", "opencode", "goose", "aider"].map(format_of);
    let bends: usize = std::env::var("PITON_FUZZ").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    let mut parsed = 0_u64;
    let mut dice = 0x2545_f491_4f6c_dd1d_u64;
    let mut roll = move |below: usize| {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        (dice % below as u64) as usize
    };
    for cli in std::fs::read_dir(recordings()).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
        for case in std::fs::read_dir(cli.path()).unwrap().flatten() {
            let bytes = std::fs::read(case.path()).unwrap();
            for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                for _ in 0..bends {
                    let mut bent = line.to_vec();
                    for _ in 0..=roll(3) {
                        let at = roll(bent.len());
                        match roll(4) {
                            0 => bent[at] = roll(256) as u8,
                            1 => bent.truncate(at.max(1)),
                            2 => bent[at] = b"0123456789\"{}[],:-"[roll(18)],
                            _ => drop(bent.splice(at..at, *b"99999999999999999999")),
                        }
                    }
                    for format in &formats {
                        let mut account = Account::default();
                        if let Some(adapter) = adapter(format) {
                            adapter.line(&bent, &mut |said| account.hear(said));
                        }
                        parsed += 1;
                    }
                }
            }
        }
    }
    println!("{parsed} lines parsed");
}
