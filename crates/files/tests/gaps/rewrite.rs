//! One gap changes; everything else keeps its bytes.

use piton_files::gaps::{Document, RewriteError, render};
use piton_model::ledger::{Gap, GapStatus, Source, SourceKind, mark_checked, mark_verified};

use crate::support::{NOW, change, gap, parse, verified};

const BY_HAND: &str = "\
# What we do not know yet.
version: 1

gaps:
  # Ask sales first.
  - id: pricing          # the big one
    status: stale
    category: market
    priority: 5          # since May
    last_verified: 2026-01-01T12:00:00Z
    owner: ann
    blocks:
      - teams            # they wait
      - legal
    findings: >-
      Two plans,
      one is free.

  - {id: teams, category: people} # short
  # Nobody knows.
  - id: legal
    category: \"law\"
";

#[test]
fn nothing_changed_is_the_same_bytes() {
    let document = parse(BY_HAND);
    assert_eq!(document.rewrite(document.gaps()).unwrap(), BY_HAND);
}

#[test]
fn a_changed_field_changes_its_line_alone() {
    let changed = change(BY_HAND, "pricing", |gap| gap.priority = 1);
    assert_eq!(changed, BY_HAND.replace("priority: 5          # since", "priority: 1          # since"));
}

#[test]
fn a_verified_gap_keeps_comments_order_and_unknown_keys() {
    let changed = change(BY_HAND, "pricing", |gap| *gap = mark_verified(gap, NOW));
    let expected = BY_HAND.replace("status: stale", "status: verified").replace(
        "2026-01-01T12:00:00Z\n",
        "2026-02-15T12:00:00+00:00\n    last_checked: '2026-02-15T12:00:00+00:00'\n",
    );
    assert_eq!(changed, expected);
}

#[test]
fn a_gap_in_braces_stays_in_braces() {
    let changed = change(BY_HAND, "teams", |gap| {
        *gap = verified("teams").with(|gap| {
            gap.findings = "12, in two rooms".to_owned();
            gap.blocked_by = vec!["legal".to_owned()];
        });
        gap.category = "people".to_owned();
    });
    let expected = "- {id: teams, category: people, status: verified, last_verified: '2026-02-15T12:00:00+00:00', \
                    last_checked: '2026-02-15T12:00:00+00:00', blocked_by: [legal], findings: '12, in two rooms'} # short";
    assert_eq!(changed, BY_HAND.replace("- {id: teams, category: people} # short", expected));
}

#[test]
fn entries_of_a_list_come_and_go_with_their_lines() {
    let without = change(BY_HAND, "pricing", |gap| drop(gap.blocks.pop()));
    assert_eq!(without, BY_HAND.replace("      - legal\n", ""));
    let with = change(&without, "pricing", |gap| gap.blocks.push("legal".to_owned()));
    assert_eq!(with, BY_HAND);
    let empty = change(BY_HAND, "pricing", |gap| gap.blocks.clear());
    assert_eq!(parse(&empty).gaps()[0].blocks, Vec::<String>::new());
}

#[test]
fn a_field_that_falls_back_to_its_default_goes_unless_a_comment_would() {
    let text = "gaps:\n- id: a\n  category: c\n  priority: 5\n  ttl_days: 9 # short\n  findings: |\n    one\n    two\n- id: b\n  category: c\n";
    let changed = change(text, "a", |gap| {
        gap.priority = 3;
        gap.ttl_days = None;
        gap.findings.clear();
    });
    assert_eq!(changed, "gaps:\n- id: a\n  category: c\n  ttl_days: null # short\n- id: b\n  category: c\n");
}

#[test]
fn a_field_in_braces_that_falls_back_to_its_default_goes_too() {
    for (text, expected) in [
        ("{id: a, category: c, findings: foo, ttl_days: 3}", "{id: a, category: c}"),
        ("{ id: a, findings: foo, category: c, ttl_days: 3, }", "{ id: a, category: c, }"),
        ("{findings: foo, ttl_days: 3, id: a, category: c}", "{id: a, category: c}"),
        ("{findings: foo, id: a, ttl_days: 3, category: c} # x", "{id: a, category: c} # x"),
        (
            r#"{"id": "a", "findings": "f, #", "category": "c", "ttl_days": 3}"#,
            r#"{"id": "a", "category": "c"}"#,
        ),
        (
            "{id: a, category: c,\n   owner: ann,\n   findings: foo,\n   ttl_days: 3}",
            "{id: a, category: c,\n   owner: ann}",
        ),
        // No comment goes.
        (
            "{id: a, # first\n   findings: foo,\n   category: c, # second\n   ttl_days: 3 # third\n  }",
            "{id: a, # first\n   category: c, # second\n   ttl_days: null # third\n  }",
        ),
        (
            "{id: a, category: c, # why\n   ttl_days: 3,\n   findings: foo\n  }",
            "{id: a, category: c, # why\n  }",
        ),
        (
            "{id: a, # why\n   ttl_days: 3, category: c,\n   findings: foo}",
            "{id: a, # why\n   ttl_days: null, category: c,\n   findings: ''}",
        ),
        ("{id: a, category: c,\n   ttl_days: 3 # third\n  }", "{id: a, category: c # third\n  }"),
    ] {
        let in_file = |gap: &str| format!("gaps:\n- {gap}\n- id: b\n  category: c\n");
        let clear = |gap: &mut piton_model::ledger::Gap| {
            gap.ttl_days = None;
            gap.findings.clear();
        };
        assert_eq!(change(&in_file(text), "a", clear), in_file(expected));
    }
}

#[test]
fn in_braces_a_field_goes_while_another_comes() {
    let text = "gaps:\n- {id: a, category: c, last_checked: 2026-01-01, findings: foo}\n";
    let changed = change(text, "a", |gap| {
        gap.findings.clear();
        gap.priority = 1;
    });
    assert_eq!(changed, "gaps:\n- {id: a, category: c, last_checked: 2026-01-01, priority: 1}\n");
}

#[test]
fn text_of_several_lines_becomes_lines() {
    let changed = change("gaps:\n  - id: a\n    category: c\n    priority: 1\n", "a", |gap| {
        gap.findings = "One.\n\nTwo: 2.".to_owned();
        gap.question = "Why?\nHow?\n".to_owned();
    });
    assert_eq!(
        changed,
        "gaps:\n  - id: a\n    category: c\n    priority: 1\n    findings: |-\n      One.\n\n      Two: 2.\n    question: |\n      Why?\n      How?\n"
    );
    // A comment behind the value leaves it no lines of its own.
    let changed = change("gaps:\n- id: a\n  category: c\n  findings: x # why\n", "a", |gap| {
        gap.findings = "1\n2".to_owned()
    });
    assert_eq!(changed, "gaps:\n- id: a\n  category: c\n  findings: \"1\\n2\" # why\n");
}

#[test]
fn a_comment_behind_a_block_header_stays() {
    let text = "gaps:\n- id: a\n  category: c\n  findings: | # as told\n    one\n    two\n  blocks: # both\n  - b\n- id: b\n  category: c\n";
    let changed = change(text, "a", |gap| {
        gap.findings = "three".to_owned();
        gap.blocks.clear();
    });
    assert_eq!(
        changed,
        "gaps:\n- id: a\n  category: c\n  findings: three # as told\n  blocks: [] # both\n- id: b\n  category: c\n"
    );
}

#[test]
fn evidence_is_written_and_replaced() {
    let source = |path: &str, hash: &str| Source {
        kind: SourceKind::File { path: path.to_owned(), hash: Some(hash.to_owned()) },
        at: Some(NOW),
    };
    let url = Source { kind: SourceKind::Url("https://example.org/?a=1, 2".to_owned()), at: None };
    let text = "gaps:\n- id: a\n  category: c\n";
    let with = change(text, "a", |gap| gap.evidence = vec![source("a.md", "blake3:1"), url.clone()]);
    assert_eq!(
        with,
        "gaps:\n- id: a\n  category: c\n  evidence:\n  - file: a.md\n    hash: blake3:1\n    at: '2026-02-15T12:00:00+00:00'\n  - url: https://example.org/?a=1, 2\n"
    );
    let other = change(&with, "a", |gap| gap.evidence = vec![url.clone()]);
    assert_eq!(other, "gaps:\n- id: a\n  category: c\n  evidence:\n  - url: https://example.org/?a=1, 2\n");
    assert_eq!(change(&other, "a", |gap| gap.evidence.clear()), text);
}

#[test]
fn new_gaps_come_last_and_look_like_the_others() {
    let document = parse(BY_HAND);
    let mut gaps = document.gaps().to_vec();
    gaps.push(gap("new").with(|gap| gap.priority = 1));
    let added = document.rewrite(&gaps).unwrap();
    assert_eq!(added, format!("{BY_HAND}  - id: new\n    category: market\n    priority: 1\n"));
    gaps.pop();
    assert_eq!(parse(&added).rewrite(&gaps).unwrap(), BY_HAND);
}

#[test]
fn the_first_gap_finds_its_place() {
    let one = "- id: a\n  category: market\n";
    for (before, after) in [
        ("", format!("gaps:\n{one}")),
        ("# nothing yet\n", format!("# nothing yet\ngaps:\n{one}")),
        ("# no line break", format!("# no line break\ngaps:\n{}", one.trim_end())),
        ("gaps:\n", format!("gaps:\n{one}")),
        ("gaps: # soon\nversion: 1\n", format!("gaps: # soon\n{one}version: 1\n")),
        ("gaps: []\n", format!("gaps: \n{one}")),
        ("gaps: null # soon\n", format!("gaps:  # soon\n{one}")),
        ("# mine\nnull\n", format!("# mine\ngaps:\n{one}")),
        ("{gaps: []}\n", "{gaps: [{id: a, category: market}]}\n".to_owned()),
        ("{\"gaps\": []}\n", "{\"gaps\": [{\"id\": \"a\", \"category\": \"market\"}]}\n".to_owned()),
    ] {
        assert_eq!(parse(before).rewrite(&[gap("a")]).unwrap(), after, "{before:?}");
    }
}

#[test]
fn a_removed_gap_takes_its_lines_and_no_others() {
    let document = parse(BY_HAND);
    let kept =
        [document.gaps()[0].with(|gap| gap.blocks = vec!["legal".to_owned()]), document.gaps()[2].clone()];
    let removed = document.rewrite(&kept).unwrap();
    let expected = BY_HAND
        .replace("  - {id: teams, category: people} # short\n", "")
        .replace("      - teams            # they wait\n", "");
    assert_eq!(removed, expected);
    assert!(parse(&parse("gaps:\n- id: a\n  category: c\n").rewrite(&[]).unwrap()).is_empty());
}

#[test]
fn json_stays_json() {
    let text = "{\n  \"gaps\": [\n    {\"id\": \"a\", \"category\": \"c\"},\n    {\"id\": \"b\", \"category\": \"c\", \"priority\": 1}\n  ]\n}\n";
    let document = parse(text);
    let a = mark_checked(&document.gaps()[0], NOW);
    let gaps = [a, gap("new")];
    let changed = document.rewrite(&gaps).unwrap();
    assert_eq!(
        changed,
        "{\n  \"gaps\": [\n    {\"id\": \"a\", \"category\": \"c\", \"last_checked\": \"2026-02-15T12:00:00+00:00\"},\n    {\"id\": \"new\", \"category\": \"market\"}\n  ]\n}\n"
    );
    assert!(serde_json::from_str::<serde_json::Value>(&changed).is_ok());
    assert_eq!(parse(&changed).gaps(), gaps);
}

#[test]
fn line_ends_stay_what_they_are() {
    let text = BY_HAND.replace('\n', "\r\n");
    let changed = change(&text, "pricing", |gap| {
        *gap = mark_verified(gap, NOW);
        gap.findings = "one\ntwo".to_owned();
    });
    assert!(!changed.replace("\r\n", "").contains(['\r', '\n']), "{changed:?}");
    assert_eq!(parse(&changed).gaps()[0].findings, "one\ntwo");
}

#[test]
fn what_would_not_be_sound_is_not_written() {
    let document = parse(BY_HAND);
    let gaps =
        [gap("x").with(|gap| gap.status = GapStatus::Verified), gap("legal").with(|gap| gap.priority = 7)];
    let RewriteError::Invalid(invalid) = document.rewrite(&gaps).unwrap_err() else {
        panic!("it is invalid")
    };
    let found: Vec<_> = invalid.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "Gap 'x' is verified but has no last_verified",
            "line 21: Gap 'legal' priority must be 1 to 5, got 7"
        ]
    );
}

#[test]
fn a_whole_file_leaves_out_defaults() {
    let gaps =
        [verified("a"), gap("b").with(|gap| gap.blocks = vec!["a".to_owned(), "c d".to_owned()]), gap("c d")];
    assert_eq!(
        render(&gaps),
        "gaps:\n- id: a\n  category: market\n  status: verified\n  last_verified: '2026-02-15T12:00:00+00:00'\n  last_checked: '2026-02-15T12:00:00+00:00'\n- id: b\n  category: market\n  blocks:\n  - a\n  - c d\n- id: c d\n  category: market\n"
    );
    assert_eq!(Document::parse(render(&gaps).as_bytes()).unwrap().gaps(), gaps);
    assert_eq!(Document::parse(render(&[]).as_bytes()).unwrap().gaps(), []);
}

/// A list in brackets, with something said of each gap.
const LISTED: &str = "gaps: [
  {id: a, category: x}, # about a
  # about b
  {id: b, category: x}, # also b
  {id: c, category: x} # about c
]
";

#[test]
fn comments_between_gaps_in_brackets_stay_where_they_are() {
    let document = parse(LISTED);
    let without = |id: &str| {
        let gaps: Vec<_> = document.gaps().iter().filter(|gap| gap.id != id).cloned().collect();
        document.rewrite(&gaps).unwrap()
    };
    assert_eq!(without("a"), LISTED.replace("{id: a, category: x},", ""));
    assert_eq!(without("b"), LISTED.replace("{id: b, category: x},", ""));
    let last =
        LISTED.replace("{id: c, category: x}", "").replace("{id: b, category: x},", "{id: b, category: x}");
    assert_eq!(without("c"), last);
    let mut gaps = document.gaps().to_vec();
    gaps.push(Gap::new("d", "x"));
    let added = LISTED
        .replace("{id: c, category: x} # about c", "{id: c, category: x}, # about c\n  {id: d, category: x}");
    assert_eq!(document.rewrite(&gaps).unwrap(), added);
    // All of them, and another in their place.
    let other = document.rewrite(&[Gap::new("d", "x")]).unwrap();
    assert!(
        ["# about a", "# about b", "# also b", "# about c"].iter().all(|comment| other.contains(comment)),
        "{other}"
    );
    // A line that holds no comment goes with its gap.
    let plain = LISTED.replace(" # also b", "");
    let gaps: Vec<_> = parse(&plain).gaps().iter().filter(|gap| gap.id != "a").cloned().collect();
    assert_eq!(parse(&plain).rewrite(&gaps).unwrap(), plain.replace("{id: a, category: x},", ""));
    let below = plain.replace(" # about a", "");
    assert_eq!(parse(&below).rewrite(&gaps).unwrap(), below.replace("  {id: a, category: x},\n", ""));
}
