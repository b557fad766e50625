//! The layer of `PITON_*` variables. An empty one counts as unset.

use crate::problem::{Place, Problem};
use crate::settings::{Layer, Settings, Sourced, entries};

/// The variables that say something about a run, and what each of them sets.
///
/// Others have other owners: `PITON_CONFIG_DIR` and `PITON_STORE` say where things are, and an agent gets
/// `PITON_RUN_ID`, `PITON_PROMPT_FILE` and their like.
pub fn variables() -> impl Iterator<Item = (&'static str, String)> {
    entries().filter_map(|entry| Some((entry.variable?, entry.name())))
}

/// What the environment says, and what is wrong with it.
pub(super) fn read(variable: &dyn Fn(&str) -> Option<String>) -> (Settings, Vec<Problem>) {
    let mut settings = Settings::default();
    let mut problems = Vec::new();
    for entry in entries() {
        let Some(name) = entry.variable else { continue };
        let Some(value) = variable(name).filter(|value| !value.trim().is_empty()) else { continue };
        let (value, place) = (value.trim().to_owned(), Place::Variable(name));
        let text = Sourced { value, layer: Layer::Environment, place };
        problems.extend((entry.parse)(&mut settings, text).err());
    }
    (settings, problems)
}
