//! `piton gaps`, as a person and a script use it.
//!
//! The rows of the document's test tables that are about functions are tests of `model::ledger` and `files::gaps`, by
//! the same names; here each of them is seen through the binary.

mod bad;
mod crash;
mod cycles;
mod docs;
mod edits;
mod history;
mod meanwhile;
mod places;
mod research;
mod seen;
mod tables;
mod watch;
mod wording;

use crate::common::{Ran, World};

/// 45 days after the gap `pricing` was verified.
pub(crate) const NOW: &str = "2026-02-15T12:00:00Z";

pub(crate) const FILE: &str = "\
# What we want to know.
gaps:
- id: pricing
  category: market   # watched
  status: verified
  priority: 4
  last_verified: '2026-01-01T12:00:00+00:00'
  findings: Two plans.
- id: teams
  category: people
  priority: 5
- id: legal
  category: law
  blocked_by: [teams]
";

pub(crate) fn ledger() -> World {
    let world = World::new();
    world.write("gaps.yaml", FILE);
    world
}

pub(crate) fn gaps(world: &World, words: &[&str]) -> Ran {
    world.piton(&[&["gaps"], words, &["--now", NOW]].concat())
}

pub(crate) fn audit(world: &World) -> String {
    match world.path("gap_audit.log").exists() {
        true => world.read("gap_audit.log"),
        false => String::new(),
    }
}
