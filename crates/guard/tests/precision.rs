//! What blocks was measured with the rules and the corpus of today.

#[path = "../examples/measure/corpus.rs"]
#[expect(dead_code, reason = "only the digest is asked for here")]
mod corpus;

use std::path::Path;

#[test]
fn the_table_of_what_blocks_is_of_these_rules_and_this_corpus() {
    let guard = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = std::fs::read_to_string(guard.join("precision.tsv")).unwrap();
    let measured = table.lines().find_map(|line| line.strip_prefix("# digest ")).unwrap_or("nothing");
    let now = corpus::digest(guard).unwrap();
    assert_eq!(
        measured, now,
        "rules or cases changed since precision.tsv was measured: run `scripts/guard/precision`"
    );
}
