//! Whatever goes in: an answer, in time, and within its bounds.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{PROMPT_BYTES_MAX, WARNINGS_MAX};

#[test]
fn rows_of_braces_are_text_around_a_tag() {
    for (template, expected) in [
        ("{{{{iteration}}}}", "{{3}}"),
        ("{{{iteration}}}", "{3}"),
        ("{{{{{{{{", "{{{{{{{{"),
        ("{{", "{{"),
        ("}} {{ {{iteration}}", "}} {{ 3"),
        ("{{iteration\n}}", "{{iteration\n}}"),
        ("{{}}", "{{}}"),
        ("{ {iteration} }", "{ {iteration} }"),
    ] {
        assert_eq!(lenient(template).0, expected, "{template}");
    }
    assert!(strict("a\n{{ b").starts_with("PROMPT.md:2: this `{{` begins no tag"));
}

#[test]
fn blocks_that_do_not_match_are_text_and_what_is_between_them_stays() {
    for (template, expected, complaint) in [
        ("{{#if owner}}a{{iteration}}", "{{#if owner}}a3", "`{{#if owner}}` is never closed"),
        ("{{#if owner}}a{{#else}}b", "{{#if owner}}a{{#else}}b", "never closed"),
        ("a{{/if}}b", "a{{/if}}b", "`{{/if}}` belongs to no block"),
        ("a{{#else}}b", "a{{#else}}b", "belongs to no block"),
        ("{{#each rows as r}}{{#else}}{{/each}}", "{{#else}}{{#else}}", "belongs to no block"),
        ("{{#if owner}}1{{#else}}2{{#else}}3{{/if}}", "1", "belongs to no block"),
        (
            "{{#if owner}}{{#each rows as r}}x{{/if}}{{/each}}",
            "{{#if owner}}x{{/if}}x{{/if}}",
            "`{{/if}}` belongs to no block",
        ),
    ] {
        let (text, warnings) = lenient(template);
        assert_eq!(text, expected, "{template}");
        assert!(warnings.iter().any(|warning| warning.contains(complaint)), "{template}: {warnings:?}");
    }
    let deep = "{{#if owner}}".repeat(17);
    assert!(strict(&deep).contains("blocks stand in blocks more than 16 deep"));
}

#[test]
fn what_is_not_text_is_refused_with_its_line() {
    for (bytes, expected) in [
        (&b"a\nb\0c"[..], "p.md:2: this is not text: it holds a zero byte"),
        (&b"a\nb\nc\xff"[..], "p.md:3: this is not text: it is not UTF-8"),
        (&b"\xff\xfea\0"[..], "p.md:1: this is not text: it looks like UTF-16"),
    ] {
        let problems = load("p.md", &|_| Ok(bytes.to_vec())).expect_err("bytes").to_string();
        assert!(problems.starts_with(expected), "{problems}");
    }
}

#[test]
fn too_much_of_anything_is_refused() {
    let huge = "x".repeat(PROMPT_BYTES_MAX + 1);
    assert!(loaded(&[("a.md", &huge)]).expect_err("huge").to_string().contains("larger than 1048576 bytes"));
    let half = "x".repeat(PROMPT_BYTES_MAX / 2);
    let problems = loaded(&[("a.md", "{{include:b.md}}{{include:c.md}}"), ("b.md", &half), ("c.md", &half)]);
    assert!(
        problems.expect_err("two halves").to_string().starts_with("a.md:1: the prompt with its files is")
    );
    // Few bytes that would become many.
    let many = "{{include:b.md}}".repeat(40);
    let large = "x".repeat(30_000);
    let rendered = loaded(&[("a.md", &many), ("b.md", &large)]).unwrap().render(&facts(), Mode::Lenient);
    assert!(rendered.expect_err("many").to_string().contains("the text of the prompt is larger"));
    let header = format!("---\nname: {}\n---\nx", "y".repeat(70_000));
    assert!(
        loaded(&[("a.md", &header)]).expect_err("header").to_string().contains("the frontmatter is larger")
    );
    let files: Vec<(String, String)> = (0..70).map(|at| (format!("{at}.md"), "x".to_owned())).collect();
    let all: String = files.iter().map(|(path, _)| format!("{{{{include:{path}}}}}")).collect();
    let files: Vec<(&str, &str)> =
        std::iter::once(("a.md", &*all)).chain(files.iter().map(|(path, text)| (&**path, &**text))).collect();
    assert!(loaded(&files).expect_err("files").to_string().contains("at most 64 files"));
}

#[test]
fn loops_in_loops_and_bombs_of_aliases_end() {
    let mut facts = facts();
    facts.variables.insert("many".to_owned(), json!(vec![0; 10_000]));
    facts.variables.insert("long".to_owned(), json!("x".repeat(500_000)));
    let nested = "{{#each many as a}}{{#each many as b}}{{#each many as c}}{{/each}}{{/each}}{{/each}}";
    let problems = render_with(nested, &facts, Mode::Lenient).expect_err("nested").to_string();
    assert!(problems.contains("never seem to end"), "{problems}");
    let silent = "{{#each many as a}}{{#if zero}}{{/if}}{{length long}}{{/each}}";
    assert!(render_with(silent, &facts, Mode::Lenient).is_err());
    let mut bomb = "---\ndefaults:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for at in 1..9 {
        let aliases = vec![format!("*a{}", at - 1); 10].join(", ");
        bomb.push_str(&format!("  a{at}: &a{at} [{aliases}]\n"));
    }
    bomb.push_str("---\nx");
    assert!(loaded(&[("a.md", &bomb)]).expect_err("bomb").to_string().contains("not YAML"));
}

#[test]
fn warnings_are_few_and_each_is_said_once() {
    let (_, warnings) = lenient(&"{{nobody}}\n".repeat(1_000));
    assert_eq!(warnings.len(), WARNINGS_MAX);
    let (_, warnings) = lenient("{{#each rows as row}}{{nobody}}{{/each}}");
    assert_eq!(warnings.len(), 1);
}

#[test]
fn an_empty_prompt_is_none() {
    for text in ["", " \n", "---\nname: x\n---\n", "{{git_branch}}"] {
        assert!(
            render_with(text, &facts(), Mode::Lenient).expect_err(text).to_string().ends_with("is empty")
        );
    }
}

#[test]
fn a_message_never_holds_what_a_terminal_would_act_on() {
    let (_, warnings) = lenient("{{a\u{1b}[2Jb}}");
    assert!(!warnings[0].contains('\u{1b}'), "{warnings:?}");
}

/// Texts that are mostly made of what means something.
fn tricky() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "{{",
            "}}",
            "{",
            "}",
            "\\{\\{",
            "\\}\\}",
            "\n",
            "\r\n",
            "---\n",
            "#if ",
            "#each ",
            " as x",
            "/if",
            "/each",
            "#else",
            "iteration",
            "rows",
            "x",
            ".in",
            "@index",
            "include:b.md",
            "include:PROMPT.md",
            "default ",
            "join ",
            "\"",
            "'",
            "name: ",
            "defaults: {",
            "é",
            "\u{feff}",
            " ",
            "{{#if owner}}",
            "{{/if}}",
            "{{#each rows as x}}",
            "{{/each}}",
            "{{#else}}",
            "{{x.n}}",
        ])
        .prop_map(str::to_owned),
        "[a-z]{0,3}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_text_is_a_panic(text in tricky(), part in tricky(), any in ".{0,60}") {
        for main in [&text, &any] {
            let files = [("PROMPT.md", main.as_str()), ("b.md", part.as_str())];
            if let Ok(loaded) = loaded(&files) {
                let lenient = loaded.render(&facts(), Mode::Lenient);
                let strict = loaded.render(&facts(), Mode::Strict);
                // Strict is lenient without warnings.
                match (lenient, strict) {
                    (Ok(lenient), Ok(strict)) => {
                        prop_assert_eq!(&lenient, &strict);
                        prop_assert!(lenient.warnings.is_empty());
                    }
                    (Ok(lenient), Err(_)) => prop_assert!(!lenient.warnings.is_empty() || loaded.header().strict),
                    (Err(_), Err(_)) => {}
                    (Err(problems), Ok(_)) => prop_assert!(false, "{problems}"),
                }
            }
        }
    }

    #[test]
    fn no_bytes_are_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(loaded) = load("p.md", &|_| Ok(bytes.clone())) {
            let _ = loaded.render(&facts(), Mode::Lenient);
        }
    }

    #[test]
    fn text_without_braces_and_frontmatter_comes_out_byte_for_byte(text in "[^\0]{1,200}") {
        prop_assume!(!text.contains("{{") && !text.starts_with("---") && !text.starts_with('\u{feff}'));
        prop_assume!(!text.trim().is_empty());
        let rendered = render_with(&text, &facts(), Mode::Strict).unwrap();
        prop_assert_eq!(rendered.text, text);
    }

    #[test]
    fn a_text_whose_tags_mean_nothing_comes_out_byte_for_byte(words in prop::collection::vec("[a-z]{1,6}", 1..20)) {
        let text: String = words.iter().map(|word| format!("{{{{ zz{word}.of }}}} {{{{!{word}}}}}\n")).collect();
        prop_assert_eq!(lenient(&text).0, text);
    }
}
