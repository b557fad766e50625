//! Hooks in files of their own: one YAML file per hook below `[hooks] dir`.
//!
//! Owns how such a file is read. Each is trusted by its content, like `piton.toml`; one that nobody trusts is described
//! all the same, so that it can be skipped by name.

use std::path::Path;

use piton_model::hook::{Hook, HookCondition, HookKind, HookPoint};
use piton_sys::file;
use serde::Deserialize;

use crate::check::name_problem;
use crate::duration::parse_duration;

/// Where they are unless somebody says otherwise.
pub const HOOKS_DIR: &str = ".ralph/hooks";

/// Largest file that is read.
const BYTES_MAX: u64 = 64 << 10;
/// Most files that are read.
const FILES_MAX: usize = 64;

/// A file that describes a hook.
#[derive(Clone, Debug, PartialEq)]
pub struct HookFile {
    /// Relative to the repository.
    pub path: String,
    /// Its bytes: what trust is about.
    pub content: Vec<u8>,
    /// The hook, nothing where it is switched off; or what is wrong with it.
    pub hook: Result<Option<Hook>, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Described {
    name: String,
    points: Vec<HookPoint>,
    #[serde(default)]
    priority: i32,
    timeout: Option<Span>,
    #[serde(default = "yes")]
    enabled: bool,
    hook_type: HookKind,
    #[serde(default)]
    conditions: Vec<HookCondition>,
}

/// Seconds, or a duration as people write it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Span {
    Seconds(u64),
    Text(String),
}

fn yes() -> bool {
    true
}

/// The files below `dir` of the repository, by name. A directory that is not there has none.
pub fn read(root: &Path, dir: &str) -> Vec<HookFile> {
    let Ok(listing) = std::fs::read_dir(root.join(dir)) else { return Vec::new() };
    let mut names: Vec<String> = listing
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.ends_with(".yaml") || name.ends_with(".yml"))
        .collect();
    names.sort();
    names.truncate(FILES_MAX);
    let one = |name: String| {
        let path = format!("{dir}/{name}");
        let content = match file::read_regular(&root.join(&path), BYTES_MAX) {
            Ok(content) => content?,
            Err(error) => return Some(HookFile { path, content: Vec::new(), hook: Err(error.to_string()) }),
        };
        let hook = hook_of(&content);
        Some(HookFile { path, content, hook })
    };
    names.into_iter().filter_map(one).collect()
}

fn hook_of(content: &[u8]) -> Result<Option<Hook>, String> {
    let text = std::str::from_utf8(content).map_err(|_| "it is not text".to_owned())?;
    // `n` is a name here, and no way to say no.
    let options = serde_saphyr::options! { strict_booleans: true };
    let said: Described =
        serde_saphyr::from_str_with_options(text, options).map_err(|error| error.to_string())?;
    if let Some(why) = name_problem(&said.name) {
        return Err(format!("`{}` cannot name a hook: {why}", said.name.escape_debug()));
    }
    let timeout_ms = match said.timeout {
        None => None,
        Some(Span::Seconds(seconds)) => Some(seconds.saturating_mul(1_000)),
        Some(Span::Text(text)) => Some(parse_duration(&text)?),
    };
    // Only what was trusted has a digest, and that is not for the file to say.
    let run = match said.hook_type {
        HookKind::Script { path, args, .. } => HookKind::Script { path, args, digest: None },
        other => other,
    };
    let hook = Hook {
        name: said.name,
        points: said.points,
        priority: said.priority,
        timeout_ms,
        run,
        conditions: said.conditions,
        untrusted: false,
    };
    Ok(said.enabled.then_some(hook))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(text: &str) -> Result<Option<Hook>, String> {
        hook_of(text.as_bytes())
    }

    #[test]
    fn a_file_describes_a_hook() {
        let found = hook(
            "name: tell\npoints: [loop_end, on_error]\npriority: 5\ntimeout: 2m\n\
             hook_type: { type: command, command: ./tell }\nconditions: [{ type: every_n, n: 2 }]\n",
        );
        let found = found.unwrap().unwrap();
        assert_eq!((found.name.as_str(), found.priority, found.timeout_ms), ("tell", 5, Some(120_000)));
        assert_eq!(found.points, [HookPoint::LoopEnd, HookPoint::OnError]);
        assert_eq!(found.run.label(), "./tell");
        assert_eq!(found.conditions, [HookCondition::EveryN { n: 2 }]);
    }

    #[test]
    fn one_that_is_off_is_none_and_one_that_is_wrong_says_why() {
        let command = "hook_type: { type: command, command: x }\n";
        assert_eq!(hook(&format!("name: a\npoints: []\nenabled: false\n{command}")), Ok(None));
        assert!(hook(&format!("name: a\npoints: [loop_ends]\n{command}")).unwrap_err().contains("loop_ends"));
        assert!(hook(&format!("name: '../a'\npoints: []\n{command}")).unwrap_err().contains("cannot name"));
        assert!(hook("[").is_err());
    }

    #[test]
    fn a_digest_is_not_for_the_file_to_say() {
        let found = hook("name: a\npoints: []\nhook_type: { type: script, path: a.sh, digest: abc }\n");
        let expected = HookKind::Script { path: "a.sh".to_owned(), args: Vec::new(), digest: None };
        assert_eq!(found.unwrap().unwrap().run, expected);
    }
}
