//! The arrows between crates, and the shape of the repository, as tests.

use std::path::Path;

/// A crate depends only on crates above it in this list.
const LAYERS: &[&str] = &[
    "piton-record",
    "piton-model",
    "piton-sys",
    "piton-seal",
    "piton-config",
    "piton-view",
    "piton-store",
    "piton-git",
    "piton-gauge",
    "piton-prompt",
    "piton-guard",
    "piton-prove",
    "piton-agent",
    "piton-notify",
    "piton-files",
    "piton-vault",
    "piton-engine",
    "piton-mcp",
    "piton",
    "piton-sim",
    "piton-bench",
];

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn metadata() -> cargo_metadata::Metadata {
    cargo_metadata::MetadataCommand::new()
        .manifest_path(repository().join("Cargo.toml"))
        .no_deps()
        .other_options(["--offline".to_owned()])
        .exec()
        .expect("cargo metadata works")
}

#[test]
fn a_crate_depends_only_on_crates_above_it() {
    let rank = |name: &str| LAYERS.iter().position(|layer| *layer == name);
    let metadata = metadata();
    assert_eq!(metadata.packages.len(), LAYERS.len(), "every crate has its place in LAYERS");
    for package in &metadata.packages {
        let own = rank(&package.name).unwrap_or_else(|| panic!("`{}` has no place in LAYERS", package.name));
        for dependency in &package.dependencies {
            // A crate may test itself with one of its own features on.
            if let Some(other) = rank(&dependency.name).filter(|other| *other != own) {
                assert!(other < own, "`{}` must not depend on `{}`", package.name, dependency.name);
            }
        }
    }
}

#[test]
fn the_model_does_no_io_and_is_not_async() {
    is_pure("model", &["piton-record", "blake3", "jiff", "serde", "serde_json", "thiserror", "proptest"]);
}

#[test]
fn a_prompt_is_rendered_without_reading_or_running_anything() {
    is_pure("prompt", &["blake3", "jiff", "serde-saphyr", "serde_json", "thiserror", "proptest"]);
}

/// The crate `name` depends on `dependencies` alone, and nothing in it reaches outside.
fn is_pure(name: &str, dependencies: &[&str]) {
    let metadata = metadata();
    let package = metadata.packages.iter().find(|package| *package.name == format!("piton-{name}"));
    for dependency in &package.expect("there is such a crate").dependencies {
        assert!(dependencies.contains(&dependency.name.as_str()), "`{}` in `{name}`", dependency.name);
    }
    let impure = [
        "std::fs",
        "std::net",
        "std::process",
        "std::env",
        "std::thread",
        "SystemTime",
        "Instant::now",
        "Timestamp::now",
        "async fn",
    ];
    let product = sources(&repository().join(format!("crates/{name}/src"))).into_iter();
    for (path, text) in product.filter(|(path, _)| !path.contains("/tests")) {
        for word in impure {
            assert!(!text.contains(word), "{path} mentions {word}");
        }
    }
}

/// What of the binary knows more than the door, and why.
const BEHIND_THE_DOOR: &[(&str, &str)] = &[
    ("src/repository.rs", "it opens the door"),
    ("src/main.rs", "it becomes a keeper, or what stands between the walls and an agent"),
    ("src/commands/driver.rs", "it becomes the driver"),
];

#[test]
fn the_binary_knows_nothing_but_the_door() {
    let binary = repository().join("crates/piton/src");
    // The parts, whatever folds events, and the rules over gaps.
    let inside = [
        "piton_engine",
        "piton_store",
        "piton_agent::look",
        "LocalClient",
        "RunEvent",
        "WorkflowEvent",
        "Event::decode",
        "::apply(",
        "all_due",
        "for_prompt",
        "is_due",
        "select_batch",
        "sort_gaps",
    ];
    let mut used: Vec<&str> = Vec::new();
    for (path, text) in sources(&binary) {
        let exception = BEHIND_THE_DOOR.iter().find(|(exception, _)| path.contains(exception));
        let word = inside.iter().find(|word| {
            let names = |line: &str| !line.trim_start().starts_with("//") && line.contains(**word);
            text.lines().any(names)
        });
        match (exception, word) {
            (Some((exception, _)), Some(_)) => used.push(exception),
            (None, Some(word)) => panic!("{path} mentions {word}: ask `piton_view::Client` instead"),
            (_, None) => {}
        }
    }
    for (exception, why) in BEHIND_THE_DOOR {
        assert!(used.contains(exception), "`{exception}` needs no exception any more ({why})");
    }
}

/// What `repository.rs` hands on to commands besides the door, and why that is not asked of a run.
const HANDED_ON: &[(&str, &str)] = &[
    ("Absence", "the one rule for when a driver is missed; the viewer asks it"),
    ("Missing", "its answer"),
    ("Layout", "where things lie: a path is no run"),
    ("Worker", "what `piton worker` wires up"),
    ("adopt", "`trust --journal`: a journal becomes this user's, before it is opened"),
    ("settle", "whose a journal is, before it is opened"),
    ("warning", "the words about a journal that git tracks"),
    ("cheap_check", "what an agent's own hook and `init` run, as the one launcher makes it"),
    ("configuration", "piton.toml, for `init`, `config`, `trust` and `doctor`"),
    ("hook_files", "what `trust` shows before it trusts"),
    ("keys", "what opens what is kept: no run is asked"),
    ("known", "`ls --everywhere`: the repositories, before any journal is opened"),
    ("not_runnable", "the words for a document that is no workflow, when it is only checked"),
    ("prove", "`guard --prove`: trials need no run"),
    ("prompt_of", "the template of a role, which belongs to no run"),
    ("reach_backups", "`doctor`: a place for backups is asked before there is any run"),
    ("ready", "what `init` says of a loop that nobody has begun yet"),
    ("read_brief", "what an agent is told; tools of agents never open a journal"),
    ("this_program", "a worker and an autostart start piton itself"),
    ("unsound", "the words for a gap file that is not sound, before a ledger is opened"),
    ("walls", "`doctor` tries whether they can be put up; what stands inside reads their option"),
];

#[test]
fn what_the_repository_hands_on_besides_the_door_is_listed() {
    let text = std::fs::read_to_string(repository().join("crates/piton/src/repository.rs"));
    let text = text.expect("the wiring");
    let mut handed_on: Vec<&str> = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("pub") && line.contains(" use ")) {
        let names = line.trim_end_matches(';').rsplit("::").next().expect("a path").trim_matches(['{', '}']);
        handed_on.extend(names.split(", ").map(|name| name.split(" as ").last().expect("a name")));
    }
    handed_on.sort_unstable();
    let mut listed: Vec<&str> = HANDED_ON.iter().map(|(name, _)| *name).collect();
    listed.sort_unstable();
    assert_eq!(handed_on, listed, "ask `piton_view::Client`, or say here why not");
}

#[test]
fn only_the_store_names_a_backend() {
    for (path, text) in sources(&repository().join("crates")) {
        let may = ["/store/", "/sim/", "/bench/", "/tests/"].iter().any(|part| path.contains(part));
        for backend in ["piton_store::sqlite::", "piton_store::memory::Memory", "\"sqlite:"] {
            let names = text.lines().any(|line| line.contains(backend));
            assert!(may || !names, "{path} names the backend `{backend}`: open a URL instead");
        }
    }
}

#[test]
fn only_sys_may_hold_unsafe_code() {
    for (path, text) in sources(&repository().join("crates")) {
        let unsafe_block = text.lines().any(|line| line.contains("unsafe {") || line.contains("unsafe fn"));
        assert!(!unsafe_block || path.contains("/sys/"), "{path} holds unsafe code");
    }
}

#[test]
fn every_crate_says_what_it_is() {
    for (path, text) in sources(&repository().join("crates")) {
        let is_root = path.ends_with("src/lib.rs") || path.ends_with("src/main.rs");
        assert!(!is_root || text.starts_with("//! "), "{path} has no module documentation");
    }
}

#[test]
fn architecture_md_stays_short_and_knows_every_crate() {
    let text =
        std::fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is there");
    assert!(text.lines().count() <= 250, "ARCHITECTURE.md is over 250 lines");
    let map =
        text.split("## Code map").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("a code map");
    let listed: Vec<&str> =
        map.lines().filter_map(|line| line.strip_prefix("- `")?.split('`').next()).collect();
    let layers: Vec<&str> = LAYERS.iter().map(|layer| layer.trim_start_matches("piton-")).collect();
    assert_eq!(listed, layers, "the code map has every crate at its place");
}

fn sources(root: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).expect("a readable directory").flatten() {
            let path = entry.path();
            if path.is_dir() {
                // The projects of the corpus are what others wrote.
                if !path.ends_with("guard/corpus") && !path.ends_with("prove/corpus") {
                    directories.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                // This file names what it looks for.
                if !path.ends_with("tests/architecture.rs") {
                    found.push((
                        path.display().to_string(),
                        std::fs::read_to_string(&path).expect("readable"),
                    ));
                }
            }
        }
    }
    assert!(!found.is_empty(), "no sources under {}", root.display());
    found
}
