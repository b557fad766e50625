//! What is kept of what a program says.

use piton_agent::{Spec, Stdin, read_report};
use piton_model::loop_machine::ReportStatus;

use crate::world::World;

#[test]
fn of_too_much_output_head_and_tail_are_kept_and_the_cut_is_marked() {
    let world = World::new();
    let mut spec = world.spec("1", "seq 1 7000000");
    spec.limits.output_bytes_max = 1024 * 1024;
    let exit = world.run(&spec);
    let log = String::from_utf8(world.log("1", "stdout.log")).unwrap();
    assert!(exit.stdout_bytes > 50_000_000);
    assert!(log.starts_with("1\n2\n3\n") && log.ends_with("6999999\n7000000\n"));
    let marker = format!("\n[piton: {} bytes cut]\n", exit.stdout_cut);
    assert_eq!(log.matches(&marker).count(), 1);
    let kept = log.len() as u64 - log.lines().find(|line| line.starts_with("[piton")).unwrap().len() as u64;
    // The marker's own line end, and one before it where the head ends within a line.
    assert!((1..=2).contains(&(kept + exit.stdout_cut - exit.stdout_bytes)));
    assert!(kept <= 1024 * 1024 + 2, "{kept}");
    assert_eq!(
        leftovers(&world, "1"),
        [
            "exit.json",
            "keeper.json",
            "lock",
            "outbox",
            "spec.json",
            "started.json",
            "stderr.log",
            "stdout.log"
        ]
    );
}

#[test]
fn output_up_to_the_limit_is_kept_whole() {
    let world = World::new();
    for (name, bytes) in
        [("1", 999), ("2", 1000), ("3", 1001), ("4", 1500), ("5", 2000), ("6", 2001), ("7", 1)]
    {
        let mut spec = world.spec(name, &format!("head -c {bytes} /dev/zero | tr '\\0' 'x'"));
        spec.limits.output_bytes_max = 1000;
        let exit = world.run(&spec);
        assert_eq!(exit.stdout_bytes, bytes);
        assert_eq!(exit.stdout_cut, bytes.saturating_sub(1000));
        let log = String::from_utf8(world.log(name, "stdout.log")).unwrap();
        assert_eq!(log.matches('x').count() as u64, bytes.min(1000));
        assert_eq!(log.contains("[piton:"), bytes > 1000, "{bytes}");
    }
}

#[test]
fn a_limit_of_nothing_keeps_nothing() {
    let world = World::new();
    let mut spec = world.spec("1", "echo hello");
    spec.limits.output_bytes_max = 0;
    let exit = world.run(&spec);
    assert_eq!((exit.stdout_bytes, exit.stdout_cut), (6, 6));
    assert_eq!(world.log("1", "stdout.log"), b"");
}

#[test]
fn fifty_megabytes_without_a_newline_are_bounded() {
    let world = World::new();
    let mut spec = world.spec("1", "head -c 50000000 /dev/zero | tr '\\0' 'x' >&2");
    spec.limits.output_bytes_max = 100_000;
    let exit = world.run(&spec);
    assert_eq!(exit.stderr_bytes, 50_000_000);
    assert_eq!(exit.stderr_cut, 50_000_000 - 100_000);
    assert_eq!(world.log("1", "stderr.log").len(), 100_000 + "\n[piton: 49900000 bytes cut]\n".len());
}

#[test]
fn bytes_that_are_no_text_are_kept_as_they_are() {
    let world = World::new();
    world.run(&world.spec("1", r"printf '\377\376\000\033[2Jabc\200'"));
    assert_eq!(world.log("1", "stdout.log"), b"\xff\xfe\x00\x1b[2Jabc\x80");
}

#[test]
fn a_long_prompt_is_given_whole_and_kept() {
    let world = World::new();
    let prompt: String = (0..60_000).map(|line| format!("line {line}\n")).collect();
    let spec = Spec { stdin: Stdin::Prompt, prompt: Some(prompt.clone()), ..world.spec("1", "cat") };
    assert_eq!(world.run(&spec).code, Some(0));
    assert_eq!(world.log("1", "stdout.log"), prompt.as_bytes());
    assert_eq!(world.log("1", "prompt.md"), prompt.as_bytes());
}

#[test]
fn a_prompt_that_nobody_reads_hurts_nobody() {
    let world = World::new();
    let prompt = Some("x".repeat(1_000_000));
    let spec = Spec { stdin: Stdin::Prompt, prompt: prompt.clone(), ..world.spec("1", "exit 0") };
    assert_eq!(world.run(&spec).code, Some(0));
    let spec = Spec { stdin: Stdin::Null, prompt, ..world.spec("2", "cat; wc -c < \"$PITON_PROMPT_FILE\"") };
    assert_eq!(world.run(&spec).code, Some(0));
    assert_eq!(world.log("2", "stdout.log").trim_ascii(), b"1000000");
}

#[test]
fn no_secret_reaches_the_disk() {
    let mut world = World::new();
    world.start_keepers_with("OUTER_PASSWORD=outer-canary-5f2a9c");
    let key = format!("sk-ant-api03-{}", "Ab3".repeat(20));
    let script = format!(
        "echo \"$OUTER_PASSWORD and $INNER_SECRET\"; printf 'key {}'; sleep 0.2; printf '%s' '{}'; echo .; \
         printf 'inner-can'; sleep 0.2; echo 'ary-77b1e0' >&2; printf inner-can >&2; sleep 0.2; echo ary-77b1e0 >&2; \
         printf %s \"$INNER_SECRET\" | base64; echo literal-canary-1c4d; \
         printf '{{\"summary\": \"used %s\"}}' \"$INNER_SECRET\" > \"$PITON_REPORT\"",
        &key[..20],
        &key[20..],
    );
    let mut spec = world.spec("1", &script);
    spec.env.insert("INNER_SECRET".into(), "inner-canary-77b1e0".into());
    spec.redact.push("literal-canary-1c4d".into());
    spec.prompt = Some(String::from("use inner-canary-77b1e0"));
    assert_eq!(world.run(&spec).code, Some(0));

    let outbox = piton_agent::outbox(&world.directory("1"));
    let items = [world.directory("1"), outbox].into_iter().flat_map(|path| std::fs::read_dir(path).unwrap());
    for item in items.flatten().filter(|item| item.path().is_file()) {
        let text = String::from_utf8(std::fs::read(item.path()).unwrap()).unwrap();
        for canary in
            ["outer-canary-5f2a9c", "inner-canary-77b1e0", "literal-canary-1c4d", "aW5uZXItY2FuYXJ5", &key]
        {
            assert!(!text.contains(canary), "`{canary}` in `{}`:\n{text}", item.path().display());
        }
    }
    let log = String::from_utf8(world.log("1", "stdout.log")).unwrap();
    assert!(log.starts_with("[redacted] and [redacted]\nkey [redacted].\n"), "{log}");
    assert!(String::from_utf8(world.log("1", "stderr.log")).unwrap().ends_with("[redacted]\n"));
    let report = read_report(&world.directory("1")).unwrap().unwrap().report;
    assert_eq!(report.summary.as_deref(), Some("used [redacted]"));
}

#[test]
fn a_report_is_read_from_where_the_program_wrote_it() {
    let world = World::new();
    let exit = world.run(
        &world.spec("1", "echo '{\"status\": \"blocked\", \"reason\": \"no key\"}' > \"$PITON_REPORT\""),
    );
    assert_eq!(exit.code, Some(0));
    let report = read_report(&world.directory("1")).unwrap().unwrap().report;
    assert_eq!((report.status, report.reason.as_deref()), (Some(ReportStatus::Blocked), Some("no key")));
}

#[test]
fn files_are_for_this_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    world.run(&world.spec("1", "true"));
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&world.attempts), 0o700);
    assert_eq!(mode(&world.directory("1")), 0o700);
    for item in std::fs::read_dir(world.directory("1")).unwrap().flatten() {
        let expected = if item.path().is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&item.path()), expected, "`{}`", item.path().display());
    }
}

fn leftovers(world: &World, name: &str) -> Vec<String> {
    let items = std::fs::read_dir(world.directory(name)).unwrap().flatten();
    let mut names: Vec<String> = items.map(|item| item.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
