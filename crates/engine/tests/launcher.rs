//! One launcher: nobody else makes what a keeper runs, or knows what is special to one CLI.
#![expect(clippy::unwrap_used, reason = "a test says what it saw, and fails where it cannot go on")]

use std::path::{Path, PathBuf};

use piton_agent::stream::adapter;
use piton_config::{KNOWN_AGENTS, built_in};
use piton_model::loop_machine::StreamFormat;

#[test]
fn every_stream_that_an_agent_names_has_its_adapter() {
    for name in KNOWN_AGENTS {
        let stream = built_in(name).unwrap().run.stream;
        assert!(stream == StreamFormat::Plain || adapter(&stream).is_some(), "{name}: {stream:?}");
        // What an agent of the user's own may name as its stream is the name of one of these.
        let named = StreamFormat::Adapter(name.to_owned());
        assert!(adapter(&named).is_some(), "`stream = \"{name}\"` is accepted, and nobody understands it");
    }
    assert!(adapter(&StreamFormat::Adapter("nobody".to_owned())).is_none());
}

/// Every source file below `directory`, with its text up to its unit tests.
fn sources(directory: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in std::fs::read_dir(directory).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
            found.push((path, code));
        }
    }
}

/// A setting that is forgotten in one of several places does nothing there: so there is one place.
#[test]
fn specs_and_redactors_are_made_by_the_launcher_alone() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    for name in ["engine", "piton"] {
        sources(&crates.join(name).join("src"), &mut found);
    }
    assert!(found.len() > 50, "the sources are there");
    for (path, code) in found.iter().filter(|(path, _)| !path.starts_with(crates.join("engine/src/launch"))) {
        for word in ["Stdin::Prompt", "env_remove:", "kill_grace_ms", "Redactor::from_environment"] {
            assert!(!code.contains(word), "`{word}` in {}: ask `launch` for it", path.display());
        }
    }
}

/// What is special to one CLI is in its adapter and its description.
#[test]
fn no_other_crate_tells_one_agent_from_another() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    for name in ["engine", "model", "notify", "files", "view", "store", "mcp"] {
        sources(&crates.join(name).join("src"), &mut found);
    }
    for (path, code) in &found {
        let lines = code.lines().map(str::trim).filter(|line| !line.starts_with("//"));
        for line in lines {
            let quoted = KNOWN_AGENTS.iter().find(|name| line.contains(&format!("\"{name}\"")));
            assert_eq!(quoted, None, "{}: {line}", path.display());
        }
    }
}
