//! How fast each format is read, beside a plain scan of the same bytes for line ends.
//!
//! `cargo run --release -p piton-gauge --example gauge_speed [megabytes]`

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::fmt::Write as _;
use std::time::Instant;

use piton_gauge::{coverage, lint, tests};

type Made = (&'static str, String, fn(&str));

fn main() {
    let megabytes: usize = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(32);
    let bytes = megabytes.clamp(1, 60) << 20;
    println!("{:<24} {:>8} {:>10} {:>10} {:>7}", "format", "MB", "MB/s", "scan MB/s", "ratio");
    for (name, text, read) in made(bytes) {
        let size = text.len() as f64 / 1e6;
        let read = size / best(|| read(&text));
        let scan =
            size / best(|| _ = std::hint::black_box(memchr::memchr_iter(b'\n', text.as_bytes()).count()));
        println!("{name:<24} {size:>8.1} {read:>10.0} {scan:>10.0} {:>7.3}", read / scan);
    }
}

/// The best of three, in seconds.
fn best(mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best.max(1e-9)
}

fn report(text: &str) {
    let found = coverage::read(None, text.as_bytes());
    assert!(found.as_ref().is_ok_and(|found| found.lines.is_some()), "{found:?}");
    std::hint::black_box(&found);
}

fn findings(text: &str) {
    assert!(std::hint::black_box(lint::read(None, text)).is_some());
}

fn run(text: &str) {
    assert!(std::hint::black_box(tests::read(None, text)).is_some());
}

fn made(bytes: usize) -> Vec<Made> {
    vec![
        ("coverage lcov", lcov(bytes), report),
        ("coverage cobertura", cobertura(bytes), report),
        ("coverage coverage.py", coverage_py(bytes), report),
        ("coverage llvm-cov", llvm_cov(bytes), report),
        ("coverage istanbul", istanbul(bytes), report),
        ("coverage go", go_profile(bytes), report),
        ("coverage jacoco", jacoco(bytes), report),
        (
            "lint cargo text",
            repeat(bytes, "", "", |at| {
                format!(
                    "warning: unused variable: `x{at}`\n  --> src/lib.rs:{at}:9\n   |\n{at} |     let x = 1;\n   |         ^ help\n\n"
                )
            }),
            findings,
        ),
        (
            "lint cargo json",
            repeat(bytes, "", "", |at| {
                format!(
                    "{{\"reason\":\"compiler-message\",\"package_id\":\"a\",\"message\":{{\"rendered\":\"warning {at}\\n  --> src/lib.rs\\n\",\"level\":\"warning\",\"message\":\"unused\",\"spans\":[{{\"file_name\":\"src/lib.rs\",\"line_start\":{at}}}]}}}}\n"
                )
            }),
            findings,
        ),
        (
            "lint eslint json",
            repeat(bytes, "[", "{\"errorCount\":0}]", |at| {
                format!(
                    "{{\"filePath\":\"/a/{at}.js\",\"messages\":[{{\"ruleId\":\"no-undef\",\"line\":{at}}}],\"errorCount\":1,\"warningCount\":0}},"
                )
            }),
            findings,
        ),
        (
            "lint tsc",
            repeat(bytes, "", "", |at| {
                format!(
                    "src/file{at}.ts(12,{at}): error TS2322: Type 'string' is not assignable to type 'number'.\n"
                )
            }),
            findings,
        ),
        (
            "lint flake8",
            repeat(bytes, "", "", |at| format!("src/module_{at}.py:{at}:1: E302 expected 2 blank lines\n")),
            findings,
        ),
        (
            "lint checkstyle",
            repeat(bytes, "<checkstyle>", "</checkstyle>", |at| {
                format!(
                    "<file name='a{at}.sh'><error line='{at}' severity='warning' message='x' source='S'/></file>\n"
                )
            }),
            findings,
        ),
        ("tests cargo", cargo(bytes), run),
        ("tests pytest -v", pytest(bytes), run),
        (
            "tests go -v",
            repeat(bytes, "", "ok  \texample.com/a\t1.0s\n", |at| {
                format!("=== RUN   TestNumber{at}\n--- PASS: TestNumber{at} (0.00s)\n")
            }),
            run,
        ),
        (
            "tests go -json",
            repeat(bytes, "", "", |at| {
                format!(
                    "{{\"Time\":\"2026-01-01T00:00:00Z\",\"Action\":\"output\",\"Package\":\"example.com/a\",\"Test\":\"TestNumber{at}\",\"Output\":\"=== RUN\\n\"}}\n"
                )
            }),
            run,
        ),
        (
            "tests jest --verbose",
            repeat(bytes, "PASS a.test.js\n", "\nTests:       1 passed, 1 total\n", |at| {
                format!("    ✓ does number {at} (2 ms)\n")
            }),
            run,
        ),
        (
            "tests tap",
            repeat(bytes, "TAP version 13\n", "", |at| format!("ok {at} - does number {at}\n")),
            run,
        ),
        (
            "tests junit",
            repeat(bytes, "<testsuite>", "</testsuite>", |at| {
                format!("<testcase classname=\"a.b\" name=\"does number {at}\" time=\"0.01\"/>\n")
            }),
            run,
        ),
        (
            "tests other output",
            repeat(bytes, "", "5 examples, 0 failures\n", |at| {
                format!("2026-01-01T00:00:00Z INFO server: request {at} took 12 ms, answered with 200\n")
            }),
            run,
        ),
    ]
}

/// `head`, then lines until there are enough, then `tail`.
fn repeat(bytes: usize, head: &str, tail: &str, line: impl Fn(usize) -> String) -> String {
    let mut text = head.to_owned();
    let mut at = 1;
    while text.len() < bytes {
        text.push_str(&line(at));
        at += 1;
    }
    text.push_str(tail);
    text
}

fn lcov(bytes: usize) -> String {
    repeat(bytes, "TN:\n", "", |at| {
        let mut file = format!("SF:src/file{at}.rs\n");
        for line in 1..400 {
            let _ = writeln!(file, "DA:{line},{}", line % 3);
        }
        file + "end_of_record\n"
    })
}

fn cobertura(bytes: usize) -> String {
    let head = "<coverage><packages><package><classes>";
    repeat(bytes, head, "</classes></package></packages></coverage>", |at| {
        let mut class = format!("<class filename=\"src/file{at}.py\"><methods/><lines>");
        for line in 1..400 {
            let _ = writeln!(class, "<line number=\"{line}\" hits=\"{}\"/>", line % 3);
        }
        class + "</lines></class>"
    })
}

fn coverage_py(bytes: usize) -> String {
    let tail = "\"z\":{\"summary\":{\"covered_lines\":1,\"num_statements\":2}}},\"totals\":{\"covered_lines\":1,\"num_statements\":2}}";
    repeat(bytes, "{\"meta\":{},\"files\":{", tail, |at| {
        let lines: Vec<String> = (1..400).map(|line| line.to_string()).collect();
        format!(
            "\"src/file{at}.py\":{{\"executed_lines\":[{}],\"summary\":{{\"covered_lines\":1,\"num_statements\":2}}}},",
            lines.join(", ")
        )
    })
}

fn llvm_cov(bytes: usize) -> String {
    let count = "{\"count\":2,\"covered\":1}";
    let totals = format!("\"totals\":{{\"lines\":{count}}}");
    let tail = format!(
        "{{\"filename\":\"z\",\"summary\":{{}}}}],{totals}}}],\"type\":\"llvm.coverage.json.export\"}}"
    );
    repeat(bytes, "{\"data\":[{\"files\":[", &tail, |at| {
        let segments = format!("[{at},44,1,true,true,false],").repeat(200);
        format!("{{\"filename\":\"f{at}\",\"segments\":[{segments}0],\"summary\":{{\"lines\":{count}}}}},")
    })
}

fn istanbul(bytes: usize) -> String {
    repeat(bytes, "{", "\"/z.js\":{\"s\":{}}}", |at| {
        let (mut map, mut counts) = (Vec::new(), Vec::new());
        for id in 0..200 {
            map.push(format!(
                "\"{id}\":{{\"start\":{{\"line\":{id},\"column\":2}},\"end\":{{\"line\":{id},\"column\":9}}}}"
            ));
            counts.push(format!("\"{id}\":{}", id % 3));
        }
        let (map, counts) = (map.join(","), counts.join(","));
        format!(
            "\"/src/{at}.js\":{{\"path\":\"/src/{at}.js\",\"statementMap\":{{{map}}},\"s\":{{{counts}}},\"f\":{{}},\"b\":{{}}}},\n"
        )
    })
}

fn go_profile(bytes: usize) -> String {
    repeat(bytes, "mode: set\n", "", |at| {
        format!("example.com/shop/file{}.go:{at}.2,{at}.20 3 {}\n", at / 400, at % 2)
    })
}

fn jacoco(bytes: usize) -> String {
    repeat(bytes, "<report name=\"a\"><package name=\"a\">", "</package></report>", |at| {
        let lines = "<line nr=\"12\" mi=\"0\" ci=\"3\" mb=\"0\" cb=\"0\"/>".repeat(100);
        format!(
            "<sourcefile name=\"F{at}.java\">{lines}<counter type=\"LINE\" missed=\"1\" covered=\"2\"/></sourcefile>\n"
        )
    })
}

fn cargo(bytes: usize) -> String {
    repeat(
        bytes,
        "     Running unittests src/lib.rs (target/debug/deps/a-0123456789abcdef)\n\nrunning 9 tests\n",
        "",
        |at| format!("test module::deeper::test_number_{at} ... ok\n"),
    )
}

fn pytest(bytes: usize) -> String {
    let head = "============= test session starts =============\n";
    repeat(bytes, head, "============= 1 passed in 0.10s =============\n", |at| {
        format!("tests/test_a.py::test_number_{at} PASSED                     [ 50%]\n")
    })
}
