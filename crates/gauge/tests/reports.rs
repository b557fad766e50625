//! What real coverage tools wrote, and the numbers of their own reports. `fixtures/README.md` has the commands.

use piton_gauge::coverage::{Coverage, Error, Format, Share, detect, read};

fn fixture(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/fixtures/coverage/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn coverage(name: &str) -> Coverage {
    read(None, &fixture(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Lines, branches, functions; `-` is unknown. Then how many files.
fn line(coverage: &Coverage) -> String {
    let share = |share: Option<Share>| {
        share.map_or("-".to_owned(), |share| format!("{}/{}", share.covered, share.total))
    };
    format!(
        "{} {} {} {} {}",
        coverage.format,
        share(coverage.lines),
        share(coverage.branches),
        share(coverage.functions),
        coverage.files.len()
    )
}

const REPORTS: &[(&str, &str)] = &[
    ("coverage_py.json", "coverage.py 18/21 - - 3"),
    ("coverage_py_branch.json", "coverage.py 18/21 6/8 - 3"),
    ("cobertura_coverage_py.xml", "cobertura 18/21 6/8 - 3"),
    ("lcov_coverage_py.info", "lcov 18/21 6/8 4/5 3"),
    ("istanbul_final.json", "istanbul 13/14 7/10 4/8 2"),
    ("istanbul_summary.json", "istanbul 13/14 7/10 4/8 2"),
    ("lcov_istanbul.info", "lcov 13/14 7/10 4/8 2"),
    ("cobertura_istanbul.xml", "cobertura 13/14 7/10 4/8 2"),
    ("istanbul_nyc.json", "istanbul 7/8 4/6 1/5 1"),
    ("istanbul_c8.json", "istanbul 9/10 6/6 1/3 1"),
    ("lcov_c8.info", "lcov 9/10 6/6 1/3 1"),
    ("go_set.out", "go 11/14 - - 2"),
    ("go_count.out", "go 11/14 - - 2"),
    ("cobertura_gcovr.xml", "cobertura 7/9 3/8 2/3 2"),
    ("lcov_gcovr.info", "lcov 7/9 3/8 2/3 2"),
    ("jacoco_gcovr.xml", "jacoco 7/9 3/8 2/3 2"),
    ("lcov_twice.info", "lcov 7/9 3/8 2/3 2"),
    ("llvm_cov.json", "llvm-cov 8/10 3/8 2/3 2"),
    ("lcov_llvm.info", "lcov 8/10 3/8 2/3 2"),
    ("jacoco.xml", "jacoco 5/10 3/8 1/4 1"),
];

#[test]
fn every_report_gives_what_its_tool_says() {
    let wrong: Vec<String> = REPORTS
        .iter()
        .filter_map(|(name, expected)| {
            let found =
                read(None, &fixture(name)).map_or_else(|error| error.to_string(), |found| line(&found));
            (found != *expected).then(|| format!("{name}: expected {expected}, found {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
