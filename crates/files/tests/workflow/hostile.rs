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
fn a_bomb_of_one_long_word_does_not_go_off() {
    let mut text = format!("steps:\n- {{id: a, run: &a {}}}\n", "x".repeat(1_000_000));
    (0..10_000).for_each(|n| text.push_str(&format!("- {{id: s{n}, run: *a}}\n")));
    refused(text.as_bytes(), "8 MiB of text, with every alias written out");
}

#[test]
fn anchors_inside_of_anchors_are_not_kept_without_end() {
    let open: String = (0..28).map(|n| format!("[&a{n} ")).collect();
    let text = format!("steps: {open}[{}]{}", vec!["x"; 100_000].join(","), "]".repeat(28));
    refused(text.as_bytes(), "values under them");
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
    refused(flow.as_bytes(), "Invalid YAML");
    let block: String = (0..200).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    refused(block.as_bytes(), "Invalid YAML");
}

#[test]
fn what_is_no_text_is_refused_with_its_line() {
    refused(b"name: a\nsteps: \xff\xfe\n", "w.yaml:2: the file is not UTF-8");
    refused(b"name: a\n\nsteps: a\0b\n", "w.yaml:3: Invalid YAML: a NUL byte");
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
fn conditions_that_look_back_too_far_are_refused_in_time() {
    let mut text = "steps:\n- {id: s0, run: x}\n".to_owned();
    for n in 1..20_000 {
        let before = n - 1;
        text.push_str(&format!("- {{id: s{n}, run: x, needs: [s{before}], when: s0.status == COMPLETED}}\n"));
    }
    refused(text.as_bytes(), "look too far back to be checked");
}

#[test]
fn a_nul_is_refused_wherever_a_process_would_get_it() {
    for field in
        ["run: \"a\\0\"", "run: x, model: \"a\\0\"", "run: x, gates: [\"cmd:a\\0\"]", "workflow: \"a\\0\""]
    {
        refused(format!("steps:\n- {{id: a, {field}}}\n").as_bytes(), "holds a NUL");
    }
}

#[test]
fn many_workflows_are_no_larger_than_one() {
    let directory = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| {
        piton_sys::file::create_new(
            &directory.path().join(name),
            text.as_bytes(),
            piton_sys::file::Durability::Unsynced,
        )
        .unwrap();
    };
    let steps: String = (0..90).map(|n| format!("- {{id: s{n}, workflow: n{n}.yaml}}\n")).collect();
    put("w.yaml", &format!("steps:\n{steps}"));
    let comment = "#".repeat(500_000);
    (0..90).for_each(|n| put(&format!("n{n}.yaml"), &format!("steps:\n- {{id: a, run: x}}\n{comment}")));
    let problems = load(&directory.path().join("w.yaml"), directory.path(), &Disk).unwrap_err();
    assert_eq!(problems.len(), 82);
    assert_eq!(problems[0].message, "with it the workflow is larger than 4 MiB");
}

#[test]
fn a_list_of_problems_is_bounded() {
    let text: String = (0..1_000).map(|n| format!("- {{id: s{n}, agent: x, prompt: p{n}.md}}\n")).collect();
    let shelf = crate::support::Shelf::default().with("/repo/w.yaml", &format!("steps:\n{text}"));
    let root = std::path::Path::new("/repo");
    let problems = load(&root.join("w.yaml"), root, &shelf).unwrap_err();
    assert_eq!((problems.len(), problems[200].message.as_str()), (201, "and 800 more"));
}

#[test]
fn what_leads_out_of_the_repository_is_refused() {
    let base = tempfile::tempdir().unwrap();
    let root = base.path().join("repo");
    std::fs::create_dir_all(root.join("flows")).unwrap();
    std::fs::create_dir(base.path().join("outside")).unwrap();
    let put = |name: &str, text: &str| {
        piton_sys::file::create_new(
            &base.path().join(name),
            text.as_bytes(),
            piton_sys::file::Durability::Unsynced,
        )
        .unwrap();
    };
    let fine = "steps:\n- {id: a, run: x}\n";
    put("outside/p.md", "Do it.");
    put("outside/w.yaml", fine);
    put("repo/p.md", "Do it.");
    std::os::unix::fs::symlink(base.path().join("outside"), root.join("link")).unwrap();
    std::os::unix::fs::symlink("../p.md", root.join("flows/inside.md")).unwrap();
    let absolute = base.path().join("outside/p.md").display().to_string();
    let step = |field: String| format!("steps:\n- {{id: a, {field}}}\n");
    for (name, text, sound) in [
        ("a", step("agent: x, prompt: ../../outside/p.md".to_owned()), false),
        ("b", step("agent: x, prompt: link/p.md".to_owned()), false),
        ("c", step("workflow: ../../outside/w.yaml".to_owned()), false),
        ("d", step("workflow: link/w.yaml".to_owned()), false),
        ("e", step("agent: x, prompt: ../p.md".to_owned()), true),
        ("f", step("agent: x, prompt: inside.md".to_owned()), true),
        ("g", step(format!("agent: x, prompt: {absolute}")), true),
    ] {
        let path = format!("repo/flows/{name}.yaml");
        put(&path, &text);
        match load(&base.path().join(path), &root, &Disk) {
            Ok(_) => assert!(sound, "{text}"),
            Err(problems) => {
                assert!(!sound, "{text}: {problems:?}");
                assert!(problems[0].message.ends_with("is outside of the repository"), "{problems:?}");
            }
        }
    }
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
