//! Scripts are sealed when a run begins: what an agent makes of one afterwards is not run.

use std::path::Path;

use piton_model::hook::{HookKind, Hooks};
use piton_sys::file;

use crate::given::{self, Vault};

/// The largest script.
pub(super) const SCRIPT_BYTES_MAX: u64 = 4 << 20;

/// A script that could not be sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// The hook it belongs to.
    pub hook: String,
    /// Why, as a sentence for people.
    pub why: String,
}

/// Notes the digest of every script of `hooks`. Says which could not be read: those will be skipped.
///
/// Call it when a person has just agreed to the hooks: when the run is created.
pub fn seal(hooks: &mut Hooks, root: &Path, vault: &dyn Vault) -> Vec<Sealed> {
    let mut unsealed = Vec::new();
    for hook in &mut hooks.hooks {
        let HookKind::Script { path, digest, .. } = &mut hook.run else { continue };
        match digest_of(&root.join(given::place(path, vault))) {
            Ok(found) => *digest = Some(found),
            Err(why) => unsealed.push(Sealed { hook: hook.name.clone(), why }),
        }
    }
    unsealed
}

/// The digest of a script as it is now.
pub(super) fn digest_of(path: &Path) -> Result<String, String> {
    match file::read_regular(path, SCRIPT_BYTES_MAX) {
        Ok(Some(bytes)) => Ok(blake3::hash(&bytes).to_hex().to_string()),
        Ok(None) => Err(format!("there is no file `{}`", path.display())),
        Err(error) => Err(format!("{error}: {}", error.source)),
    }
}
