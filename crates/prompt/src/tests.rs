//! What a person who writes prompt files would notice, rule by rule.

mod files;
mod hostile;
mod templates;

use std::collections::BTreeMap;

use serde_json::json;

use crate::{CheckFact, Facts, LastResult, Loaded, Mode, NoteFact, Problems, ReadError, Rendered, load};

/// Files of a tree that is not there.
fn tree(files: &[(&str, &str)]) -> impl Fn(&str) -> Result<Vec<u8>, ReadError> + use<> {
    let files: BTreeMap<String, Vec<u8>> =
        files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
    move |path| files.get(path).cloned().ok_or(ReadError::Missing)
}

fn loaded(files: &[(&str, &str)]) -> Result<Loaded, Problems> {
    load(files[0].0, &tree(files))
}

fn render_with(text: &str, facts: &Facts, mode: Mode) -> Result<Rendered, Problems> {
    loaded(&[("PROMPT.md", text)])?.render(facts, mode)
}

/// The text and the warnings, in lenient mode.
fn lenient(text: &str) -> (String, Vec<String>) {
    let rendered = render_with(text, &facts(), Mode::Lenient).unwrap();
    (rendered.text, rendered.warnings.iter().map(ToString::to_string).collect())
}

/// The text of something that must not be warned about.
fn clean(text: &str) -> String {
    render_with(text, &facts(), Mode::Strict).unwrap_or_else(|problems| panic!("{text}: {problems}")).text
}

/// What is wrong, in strict mode.
fn strict(text: &str) -> String {
    render_with(text, &facts(), Mode::Strict).expect_err(text).to_string()
}

fn facts() -> Facts {
    Facts {
        run_id: "ralph-dates-7f3a91c2".to_owned(),
        iteration: 3,
        total_iterations: 50,
        attempt: 4,
        session_id: Some("s-1".to_owned()),
        now_millis: Some(1_771_157_000_123),
        working_dir: "/work/app".to_owned(),
        git_branch: None,
        git_commit: Some("0a1b2c".to_owned()),
        last_result: Some(LastResult {
            success: false,
            files_changed: vec!["src/a.rs".to_owned(), "src/b.rs".to_owned()],
            tests_passed: Some(41),
            tests_failed: None,
            summary: Some("fixed {{iteration}} of the dates".to_owned()),
        }),
        checks: vec![
            CheckFact {
                name: "test".to_owned(),
                command: "cargo test".to_owned(),
                passed: Some(false),
                output: "1 failed".to_owned(),
            },
            CheckFact { name: "lint".to_owned(), passed: Some(true), ..CheckFact::default() },
        ],
        failing_tests: vec!["dates::zone".to_owned()],
        notes: vec![NoteFact { iteration: 2, kind: "decision".to_owned(), text: "no regex".to_owned() }],
        objectives_completed: vec!["parse".to_owned()],
        objectives_pending: vec!["format".to_owned(), "zones".to_owned()],
        modified_files: vec!["src/a.rs".to_owned()],
        custom: BTreeMap::from([("phase".to_owned(), json!({ "name": "two" }))]),
        variables: BTreeMap::from([
            ("owner".to_owned(), json!("Ada")),
            ("empty".to_owned(), json!("")),
            ("zero".to_owned(), json!(0)),
            ("none".to_owned(), json!([])),
            ("table".to_owned(), json!({ "deep": { "er": [10, 20] } })),
            ("rows".to_owned(), json!([{ "n": "a", "in": [1, 2] }, { "n": "b", "in": [] }])),
        ]),
    }
}
