//! What agents should know before they begin, and what they want remembered afterwards.

use std::path::Path;

use piton_files::workflow::{Guidance, guidance_table, memories, remembered};
use piton_model::workflow::State;
use piton_sys::file::{self, Durability};
use serde_json::Value;

use super::Context;

/// Largest note or memory file that is read.
const NOTE_BYTES_MAX: u64 = 64 << 10;
/// Directories that belong to programs, not to people or agents.
const PRIVATE: [&str; 2] = [".git", ".piton"];
/// Most notes that a prompt speaks of.
const NOTES_MAX: usize = 50;

/// The guidance of the repository and its memory, for an agent that has no wrapper to add them.
pub(super) fn preface(context: &Context) -> String {
    let root = context.layout.root();
    let table = guidance_table(&notes(root));
    let memory = read(&root.join("AGENTS.md")).unwrap_or_default();
    let memory =
        if memory.trim().is_empty() { String::new() } else { format!("## Memory\n\n{}", memory.trim()) };
    [table, memory].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn notes(root: &Path) -> Vec<Guidance> {
    let directory = root.join(".agents/guidance");
    let listing = std::fs::read_dir(&directory).into_iter().flatten().flatten();
    let mut names: Vec<String> = listing
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.ends_with(".md"))
        .collect();
    names.sort();
    let note = |name: &String| {
        let text = read(&directory.join(name))?;
        Some(Guidance { path: format!(".agents/guidance/{name}"), text })
    };
    names.iter().take(NOTES_MAX).filter_map(note).collect()
}

/// Writes what an agent wants remembered to the `AGENTS.md` of its scope. A scope that is not there is not made.
pub(super) fn keep(context: &Context, state: &State, updates: &[Value]) {
    for memory in memories(updates).0 {
        let Ok(tree) = context.repo(state).canonicalize() else { return };
        let Ok(directory) = tree.join(&memory.scope).canonicalize() else { continue };
        let parts = directory.strip_prefix(&tree).unwrap_or(&directory).components();
        if parts.into_iter().any(|part| PRIVATE.iter().any(|name| part.as_os_str() == *name)) {
            continue;
        }
        // What cannot be written is not worth failing the step for; what leads out of the tree is not written at all.
        let _ = file::within(&tree, &directory.join("AGENTS.md"), |path| {
            let text = file::read_regular(path, NOTE_BYTES_MAX)?.unwrap_or_default();
            match remembered(&String::from_utf8_lossy(&text), &memory) {
                Some(text) => file::write_atomic(path, text.as_bytes(), Durability::Unsynced),
                None => Ok(()),
            }
        });
    }
}

fn read(path: &Path) -> Option<String> {
    let bytes = file::read_regular(path, NOTE_BYTES_MAX).ok()??;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
