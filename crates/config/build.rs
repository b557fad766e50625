//! Finds the agents that come with piton: every `agents/NN-NAME.toml` describes one, in the order in which they are
//! preferred. A new one is a file there; one whose output only a program can read has an adapter in
//! `agent/src/stream/cli/NAME.rs` besides.
#![expect(
    clippy::disallowed_methods,
    reason = "a build script writes where cargo says, and nobody reads it before"
)]

use std::path::Path;

fn main() {
    let root = std::env::var("CARGO_MANIFEST_DIR").expect("cargo says where the crate is");
    let out = std::env::var("OUT_DIR").expect("cargo says where to write");
    let directory = Path::new(&root).join("agents");
    println!("cargo::rerun-if-changed={}", directory.display());
    let listing = std::fs::read_dir(&directory).expect("the directory of the agents is there");
    let mut files: Vec<String> = listing
        .filter_map(|entry| entry.expect("a directory can be read").file_name().into_string().ok())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    files.sort();
    let name_of = |file: &String| {
        let (_, name) = file.trim_end_matches(".toml").split_once('-').expect("it is called NN-NAME.toml");
        name.to_owned()
    };
    let names: String = files.iter().map(|file| format!("    {:?},\n", name_of(file))).collect();
    let rows = files.iter().map(|file| {
        let path = directory.join(file).display().to_string();
        format!("    ({:?}, include_str!({path:?})),\n", name_of(file))
    });
    let count = files.len();
    let text = format!(
        "/// Agents that piton knows by name.\npub const KNOWN_AGENTS: [&str; {count}] = [\n{names}];\n\n\
         const BUILT_IN: [(&str, &str); {count}] = [\n{}];\n",
        rows.collect::<String>()
    );
    std::fs::write(Path::new(&out).join("agents.rs"), text).expect("the output can be written");
}
