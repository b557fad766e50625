//! Every rule as a table: a change that is a cheat, and its honest twin.
#![expect(clippy::unwrap_used, reason = "what a test cannot have is a failed test")]

mod aliases;
mod assertions;
mod bypass;
mod checks;
mod deletion;
mod disarmed;
mod failures;
mod following;
mod marks;
mod skipping;
mod swallowed;
mod variants;

use piton_guard::{Known, MemoryTree, Options, Report, compare};

/// A file before, a cheat, and an honest change of the same shape.
struct Twin {
    rule: &'static str,
    path: &'static str,
    before: &'static str,
    cheat: &'static str,
    honest: &'static str,
}

fn report(before: &[(&str, &str)], after: &[(&str, &str)]) -> Report {
    let tree = |files: &[(&str, &str)]| MemoryTree::new(files.iter().copied());
    compare(&tree(before), &tree(after), &Options::default(), &mut Known::default()).unwrap()
}

fn blocking(report: &Report) -> Vec<&str> {
    report.findings.iter().filter(|finding| finding.blocking).map(|finding| finding.rule.as_str()).collect()
}

/// Each cheat is found by its rule, and its twin by no rule that blocks.
#[track_caller]
fn hold(twins: &[Twin]) {
    let mut wrong = Vec::new();
    for Twin { rule, path, before, cheat, honest } in twins {
        let found = report(&[(path, before)], &[(path, cheat)]);
        if !found.findings.iter().any(|finding| finding.rule == *rule) {
            wrong.push(format!("{rule} does not see\n{cheat}\nbut {:?}\n", blocking(&found)));
        }
        let found = report(&[(path, before)], &[(path, honest)]);
        if !blocking(&found).is_empty() {
            wrong.push(format!("{:?} on the honest\n{honest}\n", blocking(&found)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
