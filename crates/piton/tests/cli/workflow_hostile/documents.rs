//! Documents: bombs, what is no text, names that lead elsewhere, graphs that never end.

use super::{ESCAPES, Place, says};

const FINE: &str = "name: w\nsteps:\n- {id: a, run: 'true'}\n";

fn bomb(first: &str, next: impl Fn(usize) -> String) -> String {
    first.to_owned() + &(1..10).map(next).collect::<String>()
}

/// A list of `steps:`, each the fields of one.
fn steps(fields: impl Iterator<Item = String>) -> String {
    fields.fold("steps:\n".to_owned(), |text, fields| text + "- {" + &fields + "}\n")
}

/// A refusal leaves no run and no file.
#[track_caller]
fn refused(place: &Place, name: &str, document: impl AsRef<[u8]>, words: &str) {
    place.put("w.yaml", document);
    let ran = place.run(&[]);
    says(name, &ran, &[2], words);
    assert!(ran.err.len() < 100_000, "{name}: {} bytes of complaint", ran.err.len());
    assert!(!place.has(".agents") && !place.has("owned"), "{name}");
}

#[test]
fn documents_that_mean_harm_are_refused() {
    let place = Place::new();
    let laughs = bomb("a0: &a0 [x,x,x,x,x,x,x,x,x]\n", |n| {
        format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 9].join(","))
    });
    let merges = bomb("m0: &m0 {a: b}\n", |n| {
        format!("m{n}: &m{n} {{<<: [{}]}}\n", vec![format!("*m{}", n - 1); 9].join(","))
    });
    let long = format!("steps:\n- {{id: a, run: &a {}}}\n", "x".repeat(1_000_000));
    let long = (0..20_000).fold(long, |text, n| text + &format!("- {{id: s{n}, run: *a}}\n"));
    let block: String = (0..2_000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    let table: Vec<(&str, Vec<u8>, &str)> = vec![
        ("billion laughs", laughs.into(), "every alias written out"),
        ("one long word", long.into(), "every alias written out"),
        ("merge keys", merges.into(), "merge keys"),
        (
            "nested flow",
            format!("steps: {}{}", "[".repeat(100_000), "]".repeat(100_000)).into(),
            "nest less than",
        ),
        ("nested block", block.into(), "nest less than"),
        ("itself", "steps: &a [*a]\n".into(), "an alias inside of the value it stands for"),
        ("a key twice", "name: a\nname: b\nsteps: []\n".into(), "w.yaml:2: `name` is there twice"),
        ("python", "steps: !!python/object/apply:os.system ['touch owned']\n".into(), "the tag"),
        ("UTF-16", FINE.encode_utf16().flat_map(u16::to_le_bytes).collect(), "NUL"),
        ("no text", b"name: a\nsteps: \xff\xfe\n".to_vec(), "w.yaml:2: the file is not UTF-8"),
        ("a NUL", b"name: a\nsteps: a\0b\n".to_vec(), "w.yaml:2: Invalid YAML: a NUL byte"),
        ("a lone surrogate", "name: \"\\ud800\"\n".into(), "Invalid YAML"),
        ("nothing", Vec::new(), "the file is empty"),
        ("tabs", "steps:\n\t- id: a\n".into(), "never with tabs"),
        ("a truth", "steps:\n- {id: no, run: x}\n".into(), "`id: no` is true or false to many readers"),
        ("a NUL for a process", "steps:\n- {id: a, run: x, model: \"a\\0\"}\n".into(), "`model` holds a NUL"),
        ("many keys", (0..50_000).map(|n| format!("k{n}: 1\n")).collect::<String>().into(), "no field"),
        ("escapes", format!("steps:\n- {{id: {ESCAPES:?}, run: x}}\n").into(), ""),
    ];
    for (name, document, words) in table {
        refused(&place, name, document, words);
    }
    for number in ["1e999", ".nan", "18446744073709551616", "-1", "0"] {
        let document = format!("steps:\n- {{id: a, run: x, max_attempts: {number}}}\n");
        refused(&place, number, document, "`max_attempts` is ");
    }
}

#[test]
fn what_only_looks_odd_is_run() {
    let (mark, windows) = (format!("\u{feff}{FINE}"), FINE.replace('\n', "\r\n"));
    for document in [mark, windows, FINE.replace("id: a", "id: \"no\"")] {
        let place = Place::new();
        place.put("real.yaml", document);
        place.sh("ln -s real.yaml w.yaml");
        place.run(&[]).exits(0);
    }
}

#[test]
fn what_is_no_file_is_not_waited_for_and_not_read() {
    for (make, words) in [
        ("truncate -s 1T w.yaml", "larger than 4 MiB"),
        ("mkfifo w.yaml", "not a regular file"),
        ("mkdir w.yaml", "not a regular file"),
        ("ln -s /dev/zero w.yaml", "not a regular file"),
        ("ln -s w.yaml w.yaml", "w.yaml: Too many levels"),
        ("true", "w.yaml: No such file"),
    ] {
        let place = Place::new();
        place.sh(make);
        says(make, &place.run(&[]), &[2], words);
    }
}

#[test]
fn names_never_lead_elsewhere() {
    let place = Place::new();
    place.put("w.yaml", FINE);
    let long = "x".repeat(10_000);
    let names = [
        "../../etc/x",
        "..%2f",
        "/abs",
        "a/../b",
        ".",
        "..",
        "-rf",
        "e\u{301}",
        "\u{e9}",
        "a\u{202e}b",
        "a b",
        "a\nb",
        "\u{1b}[31m",
        "a\\b",
        "con.",
        "$(id)",
        &long,
    ];
    for name in names {
        let ran = place.piton(&["run", "w.yaml", &format!("--run-id={name}")]);
        says(name, &ran, &[2], "is not a run id: use 1 to 64 letters");
        for command in ["status", "resume", "report"] {
            says(name, &place.piton(&[command, "--", name]), &[2], "error:");
        }
    }
    for name in names {
        refused(
            &place,
            name,
            format!("steps:\n- {{id: {}, run: x}}\n", serde_json::json!(name)),
            "cannot name a step",
        );
    }
    refused(&place, "case", "steps:\n- {id: RUN, run: x}\n- {id: run, run: x}\n", "only in case");

    let place = Place::new();
    place.put("w.yaml", FINE);
    place.piton(&["run", "w.yaml", "--run-id", "RUN"]).exits(0);
    place.piton(&["run", "w.yaml", "--run-id", "run"]).exits(2);
    assert_eq!(std::fs::read_dir(place.world.path(".agents/runs")).unwrap().count(), 1);
}

#[test]
fn graphs_that_never_end_are_refused() {
    let place = Place::new();
    let row = |count: usize, more: &dyn Fn(usize) -> String| {
        let needs = |n: usize| if n == 0 { String::new() } else { format!(", needs: [s{}]", n - 1) };
        steps((0..count).map(|n| format!("id: s{n}, run: x{}{}", needs(n), more(n))))
    };
    let one = |fields: &str| steps([fields.to_owned()].into_iter());
    let far = |n: usize| if n == 0 { String::new() } else { ", when: s0.status == COMPLETED".to_owned() };
    for (name, document, words) in [
        (
            "a cycle",
            row(3, &|n| if n == 0 { ", needs: [s2]".to_owned() } else { String::new() }),
            "wait for each other",
        ),
        ("itself", one("id: a, run: x, needs: [a]"), "cannot wait for itself"),
        ("twice", one("id: a, run: x") + "- {id: a, run: y}\n", "is there twice"),
        ("a ghost", one("id: a, run: x, needs: [ghost]"), "there is no step `ghost`"),
        (
            "many names",
            one(&format!("id: a, run: x, needs: [{}]", vec!["b"; 100_000].join(","))),
            "more than 1000 names",
        ),
        ("10^5 and one", steps((0..100_001).map(|n| format!("id: s{n}, run: x"))), "more than the 100000"),
        ("far looks", row(20_000, &far), "look too far back"),
        (
            "back to later",
            row(2, &|n| if n == 0 { ", loop_back_to: s1".to_owned() } else { String::new() }),
            "would never end",
        ),
        (
            "asks itself",
            one("id: a, run: x, when: a.status == COMPLETED"),
            "cannot be asked about before it ran",
        ),
        ("parentheses", one(&format!("id: a, run: x, when: '{}'", "(".repeat(1_000))), "nested too deeply"),
        (
            "1 MB of condition",
            one(&format!("id: a, run: x, when: '{}'", "a.gate or ".repeat(100_000))),
            "longer than 4096",
        ),
        ("code", one("id: a, run: x, when: \"__import__('os')\""), "`when`"),
        ("items outside", one("id: a, run: x, loop: {items_from_artifact: ../x}"), "out of the repository"),
        ("runs itself", one("id: a, workflow: ./w.yaml"), "would run itself"),
        ("a workflow outside", one("id: a, workflow: ../outside/passwd"), "is outside of the repository"),
        (
            "a prompt outside",
            one("id: a, agent: x, prompt: ../outside/passwd"),
            "is outside of the repository",
        ),
        (
            "many prompts",
            steps((0..20_000).map(|n| format!("id: s{n}, agent: x, prompt: p{n}"))),
            "and 19800 more",
        ),
    ] {
        refused(&place, name, document, words);
    }
    place.put("w.yaml", steps((0..100_000).map(|n| format!("id: s{n}, run: x"))));
    says("10^5", &place.piton(&["run", "w.yaml", "--check-only"]), &[0], "100000 steps");
}

#[test]
fn flags_that_nobody_can_mean_are_refused() {
    let place = Place::new();
    place.put("w.yaml", FINE);
    for (flag, words) in [
        ("--max-cost=nan", "give an amount above 0"),
        ("--max-cost=inf", "give an amount above 0"),
        ("--max-cost=0", "give an amount above 0"),
        ("--daily-cost-limit=0", "give an amount above 0"),
        ("--daily-cost-limit=-1", "give an amount above 0"),
        ("--issue-number=../../x", "not the number of an issue"),
        ("--issue-number=abc", "not the number of an issue"),
        ("--issue-number=0", "not the number of an issue"),
        ("--command-template=x {", "a brace stands alone"),
        ("--command-template=x '", "is never closed"),
        ("--command-template={run_id.__class__}", "there is no placeholder"),
        ("--env==x", "write --env NAME=VALUE"),
        ("--max-parallel=4294967295", "see `piton run --help`"),
    ] {
        says(flag, &place.piton(&["run", "w.yaml", flag]), &[2], words);
    }
    assert!(!place.has(".agents"));
}
