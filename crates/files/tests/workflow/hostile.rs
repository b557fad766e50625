//! Hostile documents: each a clear error, soon, in little memory. `examples/workflow_limits.rs` measures.

use piton_files::workflow::{Disk, Look, load, read};

#[track_caller]
fn refused(bytes: &[u8], expected: &str) {
    let problems = read("w.yaml", bytes).expect_err("a hostile document was accepted");
    let shown: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert!(shown.iter().any(|problem| problem.contains(expected)), "{shown:#?}");
    assert!(shown.len() <= 201, "{}", shown.len());
    assert!(shown.iter().all(|problem| !problem.chars().any(|c| c.is_control() && c != '\n')), "{shown:?}");
}

#[test]
fn a_bomb_of_aliases_does_not_go_off() {
    let mut text = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..10 {
        let inner = vec![format!("*a{}", level - 1); 9].join(",");
        text.push_str(&format!("a{level}: &a{level} [{inner}]\n"));
    }
    refused(text.as_bytes(), "with every alias written out");
}

#[test]
fn an_alias_to_itself_is_refused() {
    refused(b"steps: &a [*a]\n", "alias");
    refused(b"steps:\n- {id: a, run: *ghost}\n", "has no anchor before it");
}

#[test]
fn merge_keys_and_tags_are_refused() {
    refused(b"base: &b {run: x}\nsteps:\n- id: a\n  <<: *b\n", "merge keys");
    refused(b"steps: !!python/object/apply:os.system ['id']\n", "the tag");
    refused(b"steps:\n- {id: !!binary aGk=, run: x}\n", "the tag");
}

#[test]
fn deep_nesting_is_refused() {
    let flow = format!("steps: {}{}", "[".repeat(100_000), "]".repeat(100_000));
    refused(flow.as_bytes(), "invalid YAML");
    let block: String = (0..200).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    refused(block.as_bytes(), "invalid YAML");
}

#[test]
fn what_is_no_text_is_refused_with_its_line() {
    refused(b"name: a\nsteps: \xff\xfe\n", "w.yaml:2: this is not UTF-8");
    refused(b"name: a\n\nsteps: a\0b\n", "w.yaml:3: a NUL byte");
    refused(b"", "the file is empty");
    refused(b"# nothing\n", "the file is empty");
}

#[test]
fn a_document_that_is_too_large_is_refused_unread() {
    let mut bytes = b"name: \"".to_vec();
    bytes.resize(5 << 20, b'x');
    refused(&bytes, "larger than 4 MiB");
}

#[test]
fn duplicate_keys_are_refused() {
    refused(b"name: a\nname: b\nsteps: []\n", "w.yaml:2: `name` is there twice");
    refused(b"steps:\n- id: a\n  run: x\n  run: y\n", "w.yaml:4: `run` is there twice");
}

#[test]
fn tabs_are_refused_with_a_hint() {
    refused(b"steps:\n\t- id: a\n", "never with tabs");
}

#[test]
fn numbers_that_cannot_be_kept_are_refused() {
    for number in ["1e999", ".inf", "-.INF", ".nan", "18446744073709551616"] {
        let text = format!("steps:\n- {{id: a, run: x, metadata: {{n: {number}}}}}\n");
        refused(text.as_bytes(), "cannot be kept exactly");
    }
}

#[test]
fn other_shapes_are_refused() {
    refused(b"- a\n- b\n", "a workflow is a list, not a mapping");
    refused(b"steps: {a: b}\n", "`steps` is a mapping, not a list");
    refused(b"steps:\n", "`steps` is a single value, not a list");
    refused(b"steps: []\n", "at least one step");
    refused(b"name: a\n", "a workflow needs `steps`");
    refused(b"a: b\n---\nc: d\n", "a second document");
    refused(b"? [a]\n: b\nsteps: []\n", "a key must be a word");
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    for id in ["../../etc/x", "/abs", "a/../b", ".", "-rf", "é", "a b", "a\\u202eb", "con.", &"a".repeat(65)]
    {
        let text = format!("steps:\n- {{id: \"{id}\", run: x}}\n");
        refused(text.as_bytes(), "cannot name a step");
    }
    refused(b"steps:\n- {id: RUN, run: x}\n- {id: run, run: x}\n", "only in case");
}

#[test]
fn a_line_break_of_windows_and_a_mark_of_byte_order_are_read() {
    assert!(read("w.yaml", b"\xef\xbb\xbfname: a\r\nsteps:\r\n  - id: a\r\n    run: x\r\n").is_ok());
}

#[test]
fn hostile_graphs_are_refused() {
    refused(b"steps:\n- {id: a, run: x, needs: [a]}\n", "cannot wait for itself");
    let mut text = "steps:\n".to_owned();
    for n in 0..50_000 {
        text.push_str(&format!("- {{id: s{n}, run: x, needs: [s{}]}}\n", (n + 1) % 50_000));
    }
    refused(text.as_bytes(), "wait for each other");
}

#[test]
fn what_is_no_regular_file_is_not_opened() {
    assert!(Disk.read(std::path::Path::new("/dev/zero"), 10).is_err());
    let directory = tempfile::tempdir().unwrap();
    let problems = load(directory.path(), directory.path(), &Disk).unwrap_err();
    assert_eq!(problems[0].message, "not a regular file");
    let missing = load(&directory.path().join("w.yaml"), directory.path(), &Disk).unwrap_err();
    assert!(missing[0].message.contains("No such file"));
}
