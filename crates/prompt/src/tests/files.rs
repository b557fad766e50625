//! Frontmatter, includes, the digest.

use serde_json::json;

use super::*;
use crate::{Header, IterationHints};

#[test]
fn frontmatter_is_read_and_is_no_part_of_the_text() {
    let text = "---\nname: dates\ndescription: fix dates\nversion: 1.5\ntags: [a, 2]\nrequired_vars: [owner]\n\
                defaults:\n  colour: red\niteration:\n  context_threshold: 70\n  run_tests: true\n  stop_on: [FATAL]\n\
                strict: true\n---\nDo it, {{owner}}.\n";
    let loaded = loaded(&[("PROMPT.md", text)]).unwrap();
    let expected = Header {
        name: Some("dates".to_owned()),
        description: Some("fix dates".to_owned()),
        version: Some("1.5".to_owned()),
        tags: vec!["a".to_owned(), "2".to_owned()],
        required_vars: vec!["owner".to_owned()],
        defaults: BTreeMap::from([("colour".to_owned(), json!("red"))]),
        iteration: IterationHints {
            context_threshold: Some(70),
            run_tests: Some(true),
            stop_on: vec!["FATAL".to_owned()],
        },
        strict: true,
    };
    assert_eq!(*loaded.header(), expected);
    assert_eq!(loaded.render(&facts(), Mode::Lenient).unwrap().text, "Do it, Ada.\n");
}

#[test]
fn lines_are_counted_from_the_top_of_the_file() {
    let (_, warnings) = lenient("---\nname: x\n---\n\n{{nobody}}");
    assert!(warnings[0].starts_with("PROMPT.md:5: "), "{warnings:?}");
}

#[test]
fn an_unknown_key_is_a_problem_with_a_suggestion() {
    let text = "---\nname: x\nrequired_var: [a]\niteration: {run_test: true}\nmodel: opus\n---\nDo it";
    let (body, warnings) = lenient(text);
    assert_eq!(body, "Do it");
    assert_eq!(
        warnings,
        [
            "PROMPT.md:3: unknown key `required_var`; did you mean `required_vars`?",
            "PROMPT.md:4: unknown key `run_test`; did you mean `run_tests`?",
            "PROMPT.md:5: unknown key `model`",
        ]
    );
    assert!(strict(text).contains("required_vars"));
}

#[test]
fn a_value_of_the_wrong_kind_is_an_error_with_its_line() {
    for (header, expected) in [
        ("tags: red", "PROMPT.md:2: `tags` must be a list of texts"),
        ("a: 1\nname: [x]", "PROMPT.md:3: `name` must be a text"),
        ("defaults: 3", "`defaults` must be keys with values"),
        ("strict: perhaps", "`strict` must be true or false"),
        ("iteration: {context_threshold: 101}", "`context_threshold` must be a number from 1 to 100"),
        ("name: \"x", "PROMPT.md:"),
        ("name: x\nname: y", "the frontmatter is not YAML"),
    ] {
        let text = format!("---\n{header}\n---\nDo it");
        let problems = loaded(&[("PROMPT.md", &text)]).expect_err(header).to_string();
        assert!(problems.contains(expected), "{header}: {problems}");
    }
}

#[test]
fn what_only_looks_like_frontmatter_is_text() {
    for (text, complaint) in
        [("---\nname: x\nDo it", "never ends"), ("---\njust a rule\n---\nDo it", "no keys with values")]
    {
        let (body, warnings) = lenient(text);
        assert_eq!(body, text);
        assert!(warnings[0].contains(complaint), "{warnings:?}");
        assert!(strict(text).contains(complaint));
    }
    assert_eq!(clean("Do it\n---\nname: x\n---\n"), "Do it\n---\nname: x\n---\n");
    assert_eq!(clean("----\nDo it"), "----\nDo it");
    assert_eq!(clean("---\n---\nDo it"), "Do it");
}

#[test]
fn a_required_variable_has_a_value_and_appears() {
    let (_, warnings) =
        lenient("---\nrequired_vars: [ticket, owner, last_result.summary]\n---\nDo {{owner}}");
    assert_eq!(
        warnings,
        [
            "PROMPT.md:1: the required variable `ticket` has no value",
            "PROMPT.md:1: the required variable `ticket` does not appear in the text",
            "PROMPT.md:1: the required variable `last_result.summary` does not appear in the text",
        ]
    );
    assert_eq!(clean("---\nrequired_vars: [owner]\n---\n{{#if owner}}{{uppercase owner}}{{/if}}"), "ADA");
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_do_no_harm() {
    assert_eq!(clean("\u{feff}---\r\nname: x\r\n---\r\nDo {{owner}}\r\n"), "Do Ada\r\n");
    assert_eq!(clean("\u{feff}Do it\r\n"), "Do it\r\n");
}

#[test]
fn an_include_is_relative_to_the_file_that_includes() {
    let loaded = loaded(&[
        ("tasks/main.md", "A {{include:parts/one.md}} {{ include: ../shared/two.txt }}"),
        ("tasks/parts/one.md", "1{{iteration}}{{include:./deep.md}}"),
        ("tasks/parts/deep.md", "\u{feff}deep"),
        ("shared/two.txt", "---\ndefaults: {tone: calm}\n---\n{{tone}}"),
    ])
    .unwrap();
    assert_eq!(loaded.render(&facts(), Mode::Strict).unwrap().text, "A 13deep calm");
    let paths: Vec<_> = loaded.paths().collect();
    assert_eq!(paths, ["tasks/main.md", "tasks/parts/one.md", "tasks/parts/deep.md", "shared/two.txt"]);
}

#[test]
fn an_include_that_cannot_be_is_an_error_that_names_the_way_to_it() {
    for (files, expected) in [
        (vec![("a.md", "x\n{{include:b.md}}")], "a.md:2: the file `b.md` is missing"),
        (
            vec![("a.md", "\n{{include:d/b.md}}"), ("d/b.md", "\n\n{{include:c.md}}")],
            "d/b.md:3: the file `d/c.md` is missing, included from a.md:2",
        ),
        // Also where it would not be taken.
        (vec![("a.md", "{{#if zero}}{{include:b.md}}{{/if}}x")], "the file `b.md` is missing"),
        (vec![("a.md", "{{include:a.md}}")], "a.md:1: `a.md` includes itself"),
        (
            vec![("a.md", "{{include:b.md}}"), ("b.md", "\n{{include:a.md}}")],
            "b.md:2: `a.md` includes itself, included from a.md:1",
        ),
        (vec![("d/a.md", "{{include:../../b.md}}")], "d/a.md:1: `../../b.md` is outside of the tree"),
        (vec![("a.md", "{{include:/etc/motd.txt}}")], "`/etc/motd.txt` is outside of the tree"),
        (vec![("a.md", "{{include:.env}}")], "only `.md` and `.txt` files can"),
        (vec![("a.md", "{{include:}}")], "only `.md` and `.txt` files can"),
        (
            vec![("a.md", "{{include:b.md}}"), ("b.md", "---\ntags: 1\n---\n")],
            "b.md:2: `tags` must be a list of texts, included from a.md:1",
        ),
    ] {
        let problems = loaded(&files).expect_err(expected).to_string();
        assert!(problems.contains(expected), "{problems}");
    }
}

#[test]
fn files_include_files_five_deep_and_no_deeper() {
    let chain = |length: usize| -> Vec<(String, String)> {
        (0..=length)
            .map(|at| {
                let next = if at < length { format!("{{{{include:{}.md}}}}", at + 1) } else { "end".into() };
                (format!("{at}.md"), next)
            })
            .collect()
    };
    for (length, allowed) in [(5, true), (6, false)] {
        let files = chain(length);
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
        assert_eq!(loaded(&files).is_ok(), allowed, "{length}");
    }
    // Also where the deep part is known already.
    let mut files = chain(5);
    files[0].1 = "{{include:1.md}}{{include:x.md}}".to_owned();
    files.push(("x.md".to_owned(), "{{include:1.md}}".to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    assert!(loaded(&files).expect_err("six deep").to_string().contains("more than 5 deep"));
}

#[test]
fn a_file_that_is_included_twice_is_no_cycle() {
    let files = [("a.md", "{{include:b.md}}{{include:c.md}}"), ("b.md", "{{include:c.md}}"), ("c.md", "c")];
    assert_eq!(loaded(&files).unwrap().render(&facts(), Mode::Strict).unwrap().text, "cc");
}

#[test]
fn the_digest_changes_with_an_edit_and_with_nothing_else() {
    let digest = |main: &str, part: &str| {
        let files = [("a.md", main), ("b.md", part)];
        loaded(&files).unwrap().render(&facts(), Mode::Lenient).unwrap().digest
    };
    let first = digest("{{include:b.md}}{{iteration}}", "x");
    assert_eq!(first.len(), 64);
    assert_eq!(first, digest("{{include:b.md}}{{iteration}}", "x"));
    assert_ne!(first, digest("{{include:b.md}}{{iteration}}", "y"));
    assert_ne!(first, digest("{{include:b.md}}{{iteration}} ", "x"));
    let mut later = facts();
    later.iteration = 4;
    let files = [("a.md", "{{include:b.md}}{{iteration}}"), ("b.md", "x")];
    assert_eq!(first, loaded(&files).unwrap().render(&later, Mode::Lenient).unwrap().digest);
}

#[test]
fn the_example_of_the_documentation_works() {
    let page = include_str!("../../../../docs/prompts.md");
    let example = page.split("```markdown\n").nth(1).and_then(|rest| rest.split("\n```").next()).unwrap();
    let files = [("PROMPT.md", example), ("docs/rules.md", "Be brief.")];
    let mut facts = facts();
    facts.git_branch = Some("dates".to_owned());
    let rendered = loaded(&files).unwrap().render(&facts, Mode::Lenient).unwrap();
    let expected = "# Fix the date parser\n\nThis is iteration 3 of 50, on dates.\nBe brief.\n\
                    The last iteration changed src/a.rs, src/b.rs.\n- make `cargo test` pass\n\
                    Keep the style of the code around it. In the text of a template write {{name}}.";
    assert_eq!(rendered.text, expected);
    assert_eq!(rendered.warnings, []);
}
