//! docs/cycles.md shows what happens: everything on it is done as written, in one repository.

use crate::common::World;
use crate::pages::follow;

#[test]
fn the_page_shows_what_happens() {
    let page = include_str!("../../../../../docs/cycles.md");
    let steps = follow(&World::new(), page, "");
    assert!(steps > 25, "{steps} steps");
}
