//! Finds the adapters: every file in `src/stream/cli/` is one, by its name. So a new CLI is a file there, and its
//! description in `config/agents/`; nothing else has to be told of it.
#![expect(
    clippy::disallowed_methods,
    reason = "a build script writes where cargo says, and nobody reads it before"
)]

use std::path::Path;

fn main() {
    let root = std::env::var("CARGO_MANIFEST_DIR").expect("cargo says where the crate is");
    let out = std::env::var("OUT_DIR").expect("cargo says where to write");
    let directory = Path::new(&root).join("src/stream/cli");
    println!("cargo::rerun-if-changed={}", directory.display());
    let listing = std::fs::read_dir(&directory).expect("the directory of the adapters is there");
    let mut names: Vec<String> = listing
        .filter_map(|entry| entry.expect("a directory can be read").file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".rs").map(str::to_owned))
        .collect();
    names.sort();
    let modules = names.iter().map(|name| {
        let path = directory.join(format!("{name}.rs"));
        format!("#[path = {:?}]\nmod {name};\n", path.display().to_string())
    });
    let rows = names.iter().map(|name| format!("    ({name:?}, &{name}::Cli),\n"));
    let text = format!(
        "{}\npub(super) static ADAPTERS: [(&str, &dyn Adapter); {}] = [\n{}];\n",
        modules.collect::<String>(),
        names.len(),
        rows.collect::<String>()
    );
    std::fs::write(Path::new(&out).join("adapters.rs"), text).expect("the output can be written");
}
