//! docs/gaps.md shows what happens: its sessions are run as written, in one repository.

use crate::common::World;
use crate::pages::follow;

#[test]
fn the_page_shows_what_happens() {
    let page = include_str!("../../../../../docs/gaps.md");
    let steps = follow(&World::new(), page, "NOW=2026-02-15T12:00:00Z; export NOW");
    assert!(steps > 12, "{steps} steps");
}
