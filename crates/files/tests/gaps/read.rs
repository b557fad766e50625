//! What is accepted, and what is said about the rest.

use piton_files::gaps::Document;
use piton_model::ledger::{Gap, GapStatus, Source, SourceKind};

use crate::support::{NOW, gap, parse, problems};

#[test]
fn every_field_is_read() {
    let document = parse(
        "version: 1
gaps:
  - id: pricing
    category: market
    status: verified
    priority: 5
    last_verified: 2026-02-15T12:00:00+00:00
    last_checked: '2026-02-15T12:00:00Z'
    ttl_days: 14
    blocks: [teams]
    findings: |
      Two plans.
      One is free.
    question: What does it cost?
    evidence:
      - file: docs/prices.md
        hash: blake3:9f86
        at: 2026-02-15T12:00:00+00:00
      - {url: 'https://example.org/#a'}
  - id: teams
    category: people
    blocked_by:
    - pricing
",
    );
    let file = SourceKind::File { path: "docs/prices.md".to_owned(), hash: Some("blake3:9f86".to_owned()) };
    let url = SourceKind::Url("https://example.org/#a".to_owned());
    let pricing = gap("pricing").with(|gap| {
        gap.status = GapStatus::Verified;
        gap.priority = 5;
        gap.last_verified = Some(NOW);
        gap.last_checked = Some(NOW);
        gap.ttl_days = Some(14);
        gap.blocks = vec!["teams".to_owned()];
        gap.findings = "Two plans.\nOne is free.\n".to_owned();
        gap.question = "What does it cost?".to_owned();
        gap.evidence = vec![Source { kind: file, at: Some(NOW) }, Source { kind: url, at: None }];
    });
    let teams = Gap::new("teams", "people").with(|gap| gap.blocked_by = vec!["pricing".to_owned()]);
    assert_eq!(document.gaps(), [pricing, teams]);
    assert_eq!(document.warnings(), []);
}

#[test]
fn an_empty_ledger_is_sound() {
    for text in [
        "",
        "\n \n",
        "# nothing yet\n",
        "---\n",
        "gaps:\n",
        "gaps: []\n",
        "gaps: null\n",
        "null\n",
        "~ # nothing yet\n",
        "gaps: ~",
        "{gaps: []}",
    ] {
        let document = parse(text);
        assert!(document.is_empty(), "{text:?}");
        assert_eq!(document.text(), text);
    }
}

#[test]
fn byte_order_mark_and_other_line_ends_are_accepted() {
    let text = "\u{feff}gaps:\r\n- id: a\r\n  category: market\r\n  findings: |-\r\n    one\r\n    two\r\n";
    assert_eq!(parse(text).gaps(), [gap("a").with(|gap| gap.findings = "one\ntwo".to_owned())]);
}

#[test]
fn dates_and_times_without_a_zone_are_utc_with_a_warning() {
    let document = parse(
        "gaps:\n- {id: a, category: c, status: stale, last_verified: 2026-02-15}\n- id: b\n  category: c\n  last_checked: \"2026-02-15T12:00:00\"\n",
    );
    assert_eq!(document.gaps()[0].last_verified, Some("2026-02-15T00:00:00Z".parse().unwrap()));
    assert_eq!(document.gaps()[1].last_checked, Some(NOW));
    let warnings: Vec<_> = document.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "line 2: 'last_verified' has no time zone; taken as UTC",
            "line 5: 'last_checked' has no time zone; taken as UTC"
        ]
    );
}

#[test]
fn empty_values_are_as_good_as_none() {
    let text = "gaps:\n- id: a\n  category: market\n  status:\n  priority: ~\n  last_verified: null\n  ttl_days:\n  blocks:\n  findings:\n  evidence: []\n";
    assert_eq!(parse(text).gaps(), [gap("a")]);
}

#[test]
fn unknown_keys_are_kept_with_a_warning() {
    let document = parse("owner: me\ngaps:\n- id: a\n  category: c\n  colour: {deep: [1, {2: 3}]}\n");
    let warnings: Vec<_> = document.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "line 1: unknown key 'owner' means nothing to piton",
            "line 5: unknown key 'colour' means nothing to piton"
        ]
    );
}

#[test]
fn text_that_is_no_text_is_refused() {
    for value in ["no", "True", "on", "12", "1.5", "0x1F", ".nan", "1e999"] {
        let found = problems(format!("gaps:\n- id: {value}\n  category: c\n"));
        assert!(found[0].starts_with("line 2: 'id' must be text, got "), "{value}: {found:?}");
        assert_eq!(found.len(), 1, "one problem is told once: {found:?}");
        assert_eq!(problems(format!("gaps:\n- id: '{value}'\n  category: c\n")), Vec::<String>::new());
    }
}

#[test]
fn a_number_must_be_a_whole_number_and_nothing_that_looks_like_one() {
    for value in
        ["true", "yes", "'3'", "3.0", "1e1", "0x3", "010", "three", "[3]", "18446744073709551616", ".nan"]
    {
        for key in ["priority", "ttl_days"] {
            let found = problems(format!("gaps:\n- id: a\n  category: c\n  {key}: {value}\n"));
            assert_eq!(found.len(), 1, "{key}: {value}: {found:?}");
            assert!(found[0].starts_with(&format!("line 4: '{key}' must be a ")), "{found:?}");
        }
    }
}

#[test]
fn a_name_that_some_readers_take_for_a_time_is_refused() {
    for value in ["2026-01-01", "2026-01-01T12:00:00Z", "12:30", "-1:30:05", "1_0:59.5"] {
        let found = problems(format!("gaps:\n- id: {value}\n  category: c\n"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains(&format!("write '{value}' in quotes")), "{found:?}");
        let quoted = format!("gaps:\n- id: '{value}'\n  category: c\n  findings: {value}\n");
        assert_eq!(problems(quoted), Vec::<String>::new());
    }
    for value in ["a:30", "12:300", "2026-01-x", "v1:2", "12:"] {
        let found = problems(format!("gaps:\n- {{id: \"{value}\", category: c}}\n"));
        assert_eq!(found, Vec::<String>::new());
    }
    assert_eq!(problems("gaps:\n- id: v1:2\n  category: 2026-x\n"), Vec::<String>::new());
}

#[test]
fn every_problem_is_told_with_its_line() {
    let text = "gaps:
- id: a
  category: c
  status: done
  priority: true
- category: c
- id: b
- just text
- id: c
  category: c
  priority: 9
  ttl_days: 0
  blocks: [a, b, c, ghost]
- id: c
  category: c
  id: twice
  blocked_by: a
  last_checked: tomorrow
- [id, d]
";
    assert_eq!(
        problems(text),
        [
            "line 4: Gap 'a' has an unknown status 'done': use blocked, stale, unknown or verified",
            "line 5: 'priority' must be a whole number, got 'true' (true or false)",
            "line 6: Gap at index 1 has no 'id'",
            "line 7: Gap at index 2 has no 'category'",
            "line 8: Gap at index 3 must be a mapping, got a single value",
            "line 11: Gap 'c' priority must be 1 to 5, got 9",
            "line 12: Gap 'c' ttl_days must be >= 1, got 0",
            "line 13: Gap 'c' references itself in blocks",
            "line 13: Gap 'c' blocks unknown gap 'ghost'",
            "line 16: `id` is there twice; keep one of them",
            "line 17: 'blocked_by' must be a list, got text",
            "line 18: 'last_checked' must be a time like 2026-02-15T12:00:00+00:00, got 'tomorrow'",
            "line 19: Gap at index 6 must be a mapping, got a list",
        ]
    );
}

#[test]
fn what_does_not_fit_together_is_told_with_its_line() {
    let text = "gaps:\n- {id: a, category: c, status: verified}\n- id: a\n  category: c\n\n  # when?\n  last_verified: 2026-02-15T12:00:00Z\n";
    assert_eq!(
        problems(text),
        [
            "line 2: Gap 'a' is verified but has no last_verified",
            "line 3: Duplicate gap ID: 'a'",
            "line 7: Gap 'a' is unknown but has a last_verified"
        ]
    );
}

#[test]
fn a_file_that_is_refused_is_told_its_cycles_too() {
    let text = "gaps:
- {id: a, category: c, blocks: [b]}
- {id: b, category: c, blocks: [a]}
- {id: d, category: c, blocked_by: [d]}
";
    assert_eq!(
        problems(text),
        [
            "line 2: these wait for each other: a -> b -> a; take one edge out",
            "line 4: Gap 'd' references itself in blocked_by",
        ]
    );
}

#[test]
fn a_file_of_another_shape_is_refused() {
    for (text, problem) in [
        ("- id: a\n", "line 1: the file must be a mapping with a top-level 'gaps' key"),
        ("just text\n", "line 1: the file must be a mapping with a top-level 'gaps' key"),
        ("other: 1\n", "line 1: the file must have a top-level 'gaps' key"),
        ("gaps: 5\n", "line 1: 'gaps' must be a list, got a number"),
        ("gaps:\n  id: a\n", "line 2: 'gaps' must be a list, got a mapping"),
        ("gaps: []\ngaps: []\n", "line 2: `gaps` is there twice; keep one of them"),
        ("version: 2\ngaps: []\n", "line 1: version 2 is newer than 1, the newest that piton reads"),
        ("version: one\ngaps: []\n", "line 1: 'version' must be 1"),
        ("gaps: []\n---\ngaps: []\n", "line 2: there is a second document; keep one document per file"),
    ] {
        assert_eq!(problems(text), [problem], "{text:?}");
    }
}

#[test]
fn evidence_of_another_shape_is_refused() {
    let text = "gaps:
- id: a
  category: c
  evidence:
  - {file: a, url: b}
  - {command: make, hash: x}
  - {at: 2026-02-15}
  - {url: a, colour: red}
  - words
  - {file: 7}
  - {file: x, hash: 5}
  - {file: x, at: soon}
";
    assert_eq!(
        problems(text),
        [
            "line 5: 'evidence' needs one of file, command, commit or url in each source",
            "line 6: 'evidence' has a hash for something that is no file",
            "line 7: 'evidence' needs one of file, command, commit or url in each source",
            "line 8: 'evidence' has an unknown key 'colour'",
            "line 9: 'evidence' must list mappings, got a single value",
            "line 10: 'file' of 'evidence' must be text, got a number; write '7' in quotes",
            "line 11: 'hash' of 'evidence' must be text, got a number; write '5' in quotes",
            "line 12: 'at' of 'evidence' must be a time like 2026-02-15T12:00:00+00:00, got 'soon'",
        ]
    );
}

#[test]
fn a_document_knows_its_lines() {
    let document: Document = parse("# x\ngaps:\n# y\n-\n  id: a\n  category: c\n- {id: b, category: c}\n");
    assert_eq!((document.line_of(0), document.line_of(1), document.line_of(2)), (Some(5), Some(7), None));
}
