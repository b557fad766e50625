//! What agents should know before they begin, and what they want remembered afterwards.

use std::path::Path;

use piton_files::workflow::{Guidance, guidance_table, memories, remembered};
use piton_sys::file::{self, Durability};
use serde_json::Value;

use super::Context;

/// Largest note or memory file that is read.
const NOTE_BYTES_MAX: u64 = 64 << 10;
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
pub(super) fn keep(context: &Context, updates: &[Value]) {
    for memory in memories(updates).0 {
        let directory = context.layout.tree().join(&memory.scope);
        let inside = directory.canonicalize().is_ok_and(|place| {
            context.layout.tree().canonicalize().is_ok_and(|root| place.starts_with(root))
        });
        if !inside || !directory.is_dir() {
            continue;
        }
        let path = directory.join("AGENTS.md");
        let Ok(text) = file::read_regular(&path, NOTE_BYTES_MAX) else { continue };
        let text = String::from_utf8_lossy(&text.unwrap_or_default()).into_owned();
        if let Some(text) = remembered(&text, &memory) {
            // What cannot be written is not worth failing the step for.
            let _ = file::write_atomic(&path, text.as_bytes(), Durability::Unsynced);
        }
    }
}

fn read(path: &Path) -> Option<String> {
    let bytes = file::read_regular(path, NOTE_BYTES_MAX).ok()??;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
