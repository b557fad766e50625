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

#[test]
fn files_have_their_own_shares() {
    let report = coverage("coverage_py_branch.json");
    let file = report.files["shop/cart.py"];
    assert_eq!(file.lines, Some(Share { covered: 9, total: 11 }));
    assert_eq!(file.branches, Some(Share { covered: 5, total: 6 }));
    let empty = report.files["shop/__init__.py"];
    assert_eq!(empty.lines, Some(Share { covered: 0, total: 0 }));
    assert_eq!(empty.lines.and_then(Share::percent), None, "nothing to cover is not 0 %");
    assert!(coverage("jacoco.xml").files.contains_key("shop/Cart.java"));
}

#[test]
fn a_format_can_be_named_and_is_detected() {
    for (name, expected) in REPORTS {
        let word = expected.split(' ').next().unwrap();
        let format: Format = word.parse().unwrap();
        assert_eq!(detect(&fixture(name)), Some(format), "{name}");
        assert_eq!(read(Some(format), &fixture(name)).unwrap(), coverage(name));
        for other in Format::ALL.into_iter().filter(|other| *other != format) {
            assert!(read(Some(other), &fixture(name)).is_err(), "{name} is not {other}");
        }
    }
    assert!(matches!("clover".parse::<Format>(), Err(Error::UnknownFormat { .. })));
}

/// Where a report ends in the middle there is an error, never a smaller number.
#[test]
fn a_report_that_was_cut_off_is_refused() {
    for (name, _) in REPORTS {
        let whole = fixture(name);
        // A profile of Go has no end that could be missing: a part of it is a profile.
        if name.starts_with("go_") {
            continue;
        }
        for part in 1..8 {
            let end = whole.len() * part / 8;
            // lcov may be cut between two records, which nobody can see.
            if let Ok(found) = read(None, &whole[..end]) {
                assert!(
                    whole[..end].trim_ascii_end().ends_with(b"end_of_record"),
                    "{name} at {end}: {found:?}"
                );
            }
        }
    }
}

fn text(report: &str) -> String {
    read(None, report.as_bytes()).map_or_else(|error| error.to_string(), |found| line(&found))
}

#[test]
fn what_comes_twice_counts_once() {
    let lcov = "SF:a\nDA:1,0\nDA:2,0\nBRDA:1,0,0,-\nend_of_record\nTN:two\nSF:a\nDA:2,5\nDA:3,0\nBRDA:1,0,0,1\nBRDA:1,0,1,0\nend_of_record\n";
    assert_eq!(text(lcov), "lcov 1/3 1/2 - 1");
    let go =
        "mode: atomic\na.go:1.1,2.2 3 0\na.go:1.1,2.2 3 7\na.go:3.1,4.2 2 0\nmode: set\na.go:3.1,4.2 2 0\n";
    assert_eq!(text(go), "go 3/5 - - 1");
    let clash = "mode: set\na.go:1.1,2.2 3 0\na.go:1.1,2.2 4 0\n";
    assert!(text(clash).contains("one number of statements per block"), "{}", text(clash));
    let classes = "<coverage><class filename='a'><lines><line number='1' hits='0'/></lines></class><class filename='a'><lines><line number='1' hits='2'/><line number='2' hits='0' condition-coverage='50% (1/2)'/></lines></class></coverage>";
    assert_eq!(text(classes), "cobertura 1/2 1/2 - 1");
}

#[test]
fn odd_but_real_records_are_understood() {
    assert_eq!(text("SF:a\nDA:1,-3\nDA:2,1.5e+10\nDA:3,2,checksum==\nend_of_record\n"), "lcov 2/3 - - 1");
    assert_eq!(text("SF:a\nLF:4\nLH:3\nend_of_record\n"), "lcov 3/4 - - 1");
    assert_eq!(text("SF:a\nFNL:0,3,9\nFNA:0,2,f\nFNL:1,11\nFNA:1,0,g\nend_of_record\n"), "lcov 0/0 - 1/2 1");
    assert_eq!(text("SF:a\nFN:1,f\nFNDA:1,f\nFN:2,3,g\nFNDA:0,g\nend_of_record\n"), "lcov 0/0 - 1/2 1");
    assert_eq!(text("mode: set\n"), "go - - - 0");
    let summary = "<coverage lines-valid='4' lines-covered='3' branches-valid='0' branches-covered='0'/>";
    assert_eq!(text(summary), "cobertura 3/4 - - 0");
    let rust = "{\"data\":[{\"files\":[{\"filename\":\"a\",\"summary\":{\"branches\":{\"count\":0,\"covered\":0},\"lines\":{\"count\":2,\"covered\":1}}}]}],\"type\":\"llvm.coverage.json.export\"}";
    assert_eq!(text(rust), "llvm-cov 1/2 - - 1");
}

#[test]
fn errors_say_what_was_expected_and_found() {
    assert_eq!(text(""), "expected a coverage report, found nothing");
    assert!(text("hello\nworld").ends_with("found `hello`"), "{}", text("hello"));
    assert_eq!(
        text("SF:a\nDA:x,1\nend_of_record\n"),
        "lcov: expected `DA:` with a line and a count, found `DA:x,1` in line 2"
    );
    assert_eq!(text("SF:a\nDA:1,1\n"), "lcov: expected `end_of_record`, found the end of the input");
    assert_eq!(
        text("mode: some\n"),
        "go: expected `mode: set`, `mode: count` or `mode: atomic`, found `mode: some` in line 1"
    );
    assert!(text("<coverage clover='4'></coverage>").contains("expected the root `<coverage>`"));
    let deep = format!("{{\"/a.js\":{}", "[".repeat(100_000));
    assert!(read(Some(Format::Istanbul), deep.as_bytes()).is_err());
    let bomb = "<!DOCTYPE coverage [<!ENTITY a \"aaaa\">]><coverage/>";
    assert!(matches!(read(Some(Format::Cobertura), bomb.as_bytes()), Err(Error::Xml(_))));
    let large = vec![b' '; (64 << 20) + 1];
    assert!(matches!(read(None, &large), Err(Error::TooLarge { .. })));
}
