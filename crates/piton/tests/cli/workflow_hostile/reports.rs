//! What steps and people leave behind: reports, memories, manual inputs.

use serde_json::{Value, json};

use super::{ESCAPES, Place, says};

fn report(more: Value) -> Value {
    let now = "2026-01-01T00:00:00Z";
    let mut report = json!({"schema": "run_report@v0", "run_id": "r1", "step_id": "a", "agent": "x", "status": "COMPLETED",
        "started_at": now, "ended_at": now, "logs": ["did it"]});
    report.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    report
}

/// A repository whose step `a` leaves a report by this command; `$REPORT_PATH` is its place.
fn reporting(how: &str) -> Place {
    let place = Place::new();
    place.put(
        "w.yaml",
        format!(
            "name: w\nsteps:\n- {{id: a, run: {}}}\n- {{id: b, run: 'echo b', needs: [a]}}\n",
            json!(how)
        ),
    );
    place
}

#[track_caller]
fn reported(name: &str, bytes: impl AsRef<[u8]>, codes: &[i32], words: &str) -> Place {
    let place = reporting("cp said.json $REPORT_PATH");
    place.put("said.json", bytes);
    says(name, &place.run(&[]), codes, words);
    place
}

#[test]
fn reports_that_are_none_fail_their_step_with_a_sentence() {
    let good = report(json!({})).to_string();
    let many: Vec<String> = (0..400_000).map(|n| format!("\"key{n}\":1")).collect();
    let many = good.replace("\"status\"", &format!("\"metrics\":{{{}}},\"status\"", many.join(",")));
    for (name, said, words) in [
        ("nested", "{\"a\":".repeat(100_000), "is not JSON"),
        ("NaN", good.replace("\"x\"", "NaN"), "is not JSON"),
        ("1e999", good.replace("\"x\"", "1e999"), "is not JSON"),
        ("a surrogate", good.replace("did it", "\\ud800"), "is not JSON"),
        ("a list", "[]".to_owned(), "is not an object"),
        ("many", many, "is larger than"),
    ] {
        reported(name, said, &[1], words);
    }
    for (more, words) in [
        (json!({"run_id": "r2"}), "is about run_id `r2`, not `r1`"),
        (json!({"step_id": ESCAPES}), "is about step_id"),
        (json!({"status": true}), "has a `status` that is not text"),
        (json!({"schema": 3}), "has a `schema` that is not text"),
        (json!({"ended_at": ["x"]}), "has a `ended_at` that is not text"),
        (json!({"logs": "x"}), "has `logs` that are not a list"),
        (json!({"metrics": [1]}), "has `metrics` that are not an object"),
        (json!({"gate_failure": "yes"}), "has a `gate_failure` that is not true or false"),
        (json!({"artifacts": ["../../etc/passwd"]}), "outside of the repository"),
        (json!({"artifacts": ["/etc/passwd"]}), "outside of the repository"),
        (json!({"artifacts": ["a\u{0}b"]}), "outside of the repository"),
    ] {
        reported(words, report(more).to_string(), &[1], words);
    }
}

#[test]
fn a_report_that_is_no_file_is_not_waited_for() {
    for (how, words) in [
        ("mkfifo $REPORT_PATH", "it is not a regular file"),
        ("mkdir $REPORT_PATH", "it is not a regular file"),
        ("ln -s $BESIDE/outside/passwd $REPORT_PATH", "it is a symbolic link"),
        ("truncate -s 1G $REPORT_PATH", "is larger than"),
    ] {
        says(how, &reporting(how).run(&[]), &[1], words);
    }
    // Somebody stays behind and goes on writing: the keeper ends it, and whatever is there is judged.
    let place = reporting(
        "(setsid sh -c 'while :; do cp said.json $REPORT_PATH; : > $REPORT_PATH; done' &) ; sleep 0.1",
    );
    place.put("said.json", report(json!({})).to_string());
    says("rewritten", &place.run(&[]), &[0, 1], "a  (");
}

#[test]
fn what_a_report_says_reaches_no_terminal_raw() {
    let words = json!({"status": "FAILED", "logs": [ESCAPES], "error": ESCAPES, "agent": ESCAPES, "metrics": {ESCAPES: ESCAPES},
        "artifacts": [format!("{}x", ESCAPES.replace('\u{7}', ""))]});
    reported("words", report(words).to_string(), &[1], "owned").look_around();
    let long = json!({"status": "FAILED", "error": "x".repeat(3_000_000)});
    reported("long", report(long).to_string(), &[1], "xxx").look_around();
    let place = reporting(r"printf '\033]0;owned\007\033[2J\rdone\302\233\061m\342\200\256' >&2; exit 3");
    says("output", &place.run(&[]), &[1], "done");
    place.look_around();
}

#[test]
fn amounts_that_add_up_to_too_much_stay_amounts() {
    let metrics =
        json!({"metrics": {"cost_usd": 999_999_999_999_u64, "total_tokens": 900_000_000_000_000_000_u64}});
    let place = Place::new();
    place.put("said.json", report(metrics).to_string());
    let items: Vec<usize> = (0..25).collect();
    place.put(
        "w.yaml",
        format!("steps:\n- {{id: a, run: 'cp said.json $REPORT_PATH', loop: {{items: {items:?}}}}}\n"),
    );
    place.run(&[]).exits(0);
    place.look_around();
}

#[test]
fn memories_stay_in_the_tree() {
    let entry = "the cache is keyed by the locale of whoever asks";
    for (prepare, scope, kept) in [
        ("true", ".", true),
        ("true", "../outside", false),
        ("true", "/tmp", false),
        ("ln -s ../outside d", "d", false),
        ("ln -s ../outside/AGENTS.md AGENTS.md", ".", false),
        ("ln ../outside/AGENTS.md AGENTS.md", ".", true),
        ("mkfifo AGENTS.md", ".", false),
        ("truncate -s 1G AGENTS.md", ".", false),
        ("true", ".piton", false),
    ] {
        let place = reporting("cp said.json $REPORT_PATH");
        place.sh(prepare);
        let updates = json!({"memory_updates": [{"scope": scope, "entry": entry}]});
        place.put("said.json", report(updates).to_string());
        place.run(&[]).exits(0);
        let text = |name: &str| {
            let path = place.world.path(name);
            let small = path.symlink_metadata().is_ok_and(|at| at.is_file() && at.len() < 10_000);
            if small { std::fs::read_to_string(path).unwrap() } else { String::new() }
        };
        assert_eq!(text("AGENTS.md").contains(entry), kept, "{prepare}; {scope}");
        assert!(!place.has(".piton/AGENTS.md"));
    }
}

#[test]
fn a_manual_input_that_is_none_is_told_and_does_not_count() {
    let input = ".agents/runs/r1/manual_inputs/r1__a.json";
    let ask = "name: w\nsteps:\n- {id: a, run: 'true', human_in_the_loop: true}\n- {id: b, run: 'cat $MANUAL_RESULT_PATH', needs: [a]}\n";
    let place = Place::new();
    place.put("w.yaml", ask);
    place.run(&["--pause-for-human-input"]).exits(4);
    // What is wrong in the same way as before is not told again, so each is another than the last.
    for (make, words) in [
        ("printf '\\000\\377' > $INPUT", "not JSON"),
        ("printf '{\\033[2J' > $INPUT", "not JSON"),
        ("echo '{\"approved\": \"no\"}' > $INPUT", "`approved` is neither `true` nor `false`"),
        ("echo '[1]' > $INPUT", "not an object"),
        ("head -c 70000 /dev/zero > $INPUT", "it is larger than 65536 bytes"),
        ("mkfifo $INPUT", "it is not a regular file"),
        ("truncate -s 1G $INPUT", "it is larger than 65536 bytes"),
        ("mkdir $INPUT", "it is not a regular file"),
        ("ln -s $BESIDE/outside/directory/kept.json $INPUT", "it is a symbolic link"),
    ] {
        place.sh(&format!("rm -rf {input}; INPUT={input}; {make}"));
        says(make, &place.piton(&["resume", "r1"]), &[4], words);
    }
    place.look_around();
    // A person who answers elsewhere is not kept from it by what lies there.
    place.sh(&format!("rm -rf {input}; ln -s $BESIDE/outside/directory/kept.json {input}"));
    place.piton(&["answer", "r1", "--approve"]).exits(0);
    place.piton(&["wait", "r1"]).exits(0);
}
