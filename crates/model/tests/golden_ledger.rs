//! A golden file per event version of a ledger, in `golden_ledger`: what one piton wrote, every later one must read.
#![expect(clippy::unwrap_used, reason = "a test says what it saw, and fails where it cannot go on")]

mod golden_files;

use golden_files::Golden;
use piton_model::ledger::*;
use piton_model::ledger_machine::{
    LedgerEvent, OpenResearch, ResearchEnd, ResearchLimits, ResearchResult, Rest, Used,
};
use piton_model::{RunEvent, Timestamp};

const AT: Timestamp = Timestamp::from_millis(1_771_156_800_123);

fn gap() -> Gap {
    let file = SourceKind::File { path: "docs/prices.md".to_owned(), hash: Some("blake3:9f86".to_owned()) };
    mark_verified(&Gap::new("pricing", "market"), AT).with(|gap| {
        gap.priority = 5;
        gap.ttl_days = Some(14);
        gap.blocks = vec!["teams".to_owned()];
        gap.blocked_by = vec!["legal".to_owned()];
        gap.findings = "Two plans.".to_owned();
        gap.question = "What does it cost?".to_owned();
        gap.evidence = vec![
            Source { kind: file, at: Some(AT) },
            Source { kind: SourceKind::Command("make prices".to_owned()), at: None },
            Source { kind: SourceKind::Commit("0a1b2c".to_owned()), at: None },
            Source { kind: SourceKind::Url("https://example.org".to_owned()), at: None },
        ];
    })
}

fn examples() -> Vec<LedgerEvent> {
    let flip = Flip {
        at: AT,
        gap: "pricing".to_owned(),
        old: GapStatus::Verified,
        new: GapStatus::Stale,
        reason: "TTL expired: 45 days > 30 day limit".to_owned(),
    };
    let superseded = Superseded { findings: "One plan.".to_owned(), evidence: vec![], verified_at: Some(AT) };
    vec![
        LedgerEvent::LedgerOpened {
            run: "gaps".parse().unwrap(),
            file: "gaps.yaml".to_owned(),
            log: "gap_audit.log".to_owned(),
            default_ttl_days: 30,
        },
        LedgerEvent::FileAdopted {
            digest: Some("ab".repeat(32)),
            gaps: vec![gap()],
            seen: vec![Gap::new("pricing", "market")],
            removed: vec!["gone".to_owned()],
            adopted: vec![
                Adopted::Added { gap: "new".to_owned() },
                Adopted::Removed { gap: "gone".to_owned() },
                Adopted::Changed { gap: "pricing".to_owned(), fields: vec![Field::Priority, Field::TtlDays] },
            ],
            overruled: vec![
                Overruled::Fields { gap: "pricing".to_owned(), fields: vec![Field::Status] },
                Overruled::Change { gap: "gone".to_owned() },
                Overruled::Removal { gap: "teams".to_owned() },
            ],
            at: AT,
        },
        LedgerEvent::GapsFlipped { flips: vec![flip] },
        LedgerEvent::GapChecked { gap: "pricing".to_owned(), at: AT },
        LedgerEvent::GapVerified {
            gap: "pricing".to_owned(),
            at: AT,
            outcome: Some(Outcome::ShortReport),
            findings: Some("Two plans.".to_owned()),
            evidence: gap().evidence.clone(),
            superseded: Some(superseded),
        },
        LedgerEvent::GapEdited { gap: Box::new(gap()), fields: vec![Field::Findings], at: AT },
        LedgerEvent::GapAdded { gap: Box::new(Gap::new("teams", "people")), at: AT },
        LedgerEvent::GapRemoved { gap: "teams".to_owned(), at: AT },
        LedgerEvent::FileWritten { digest: "cd".repeat(32) },
        LedgerEvent::FlipsLogged { count: 2, end: 140 },
        LedgerEvent::ResearchBegun {
            number: 3,
            gaps: vec!["pricing".to_owned(), "teams".to_owned()],
            forced: true,
            limits: ResearchLimits { tokens: Some(100_000), microusd: Some(2_500_000), working_ms: None },
            before: Default::default(),
            terms: Default::default(),
            at: AT,
        },
        LedgerEvent::ResearchAttemptStarted {
            open: OpenResearch {
                attempt: 7,
                gap: Box::new(gap()),
                host: "host".to_owned(),
                boot: "boot".to_owned(),
                since: AT,
            },
        },
        LedgerEvent::ResearchAttemptEnded {
            attempt: 7,
            result: ResearchResult::Overruled {
                outcome: Outcome::FullReport,
                findings: Some("Three plans.".to_owned()),
            },
            used: Used { tokens: Some(1_200), microusd: None, working_ms: 61_000 },
            rest: Some(Rest { count: 2, answered: false, until: AT.plus_millis(1_200_000) }),
            at: AT,
        },
        LedgerEvent::ResearchSkipped { gap: "teams".to_owned() },
        LedgerEvent::ResearchEnded { number: 3, why: ResearchEnd::Tokens, at: AT },
        LedgerEvent::WatchSet { until: Some(AT) },
        LedgerEvent::CheckpointTaken { seq: 9, digest: "ef".repeat(32), fold: 1 },
    ]
}

#[test]
fn every_ledger_event_reads_back_as_it_was_written() {
    let golden = Golden::in_directory("tests/golden_ledger");
    golden.compare(&examples());
    golden.read_all::<LedgerEvent>();
}

#[test]
fn a_newer_ledger_event_is_refused() {
    assert!(LedgerEvent::decode("gap_checked", 2, b"{}").is_err());
    assert!(LedgerEvent::decode("gap_painted", 1, b"{}").is_err());
    assert!(
        LedgerEvent::decode("gap_checked", 1, b"{\"gap\":\"a\",\"at\":\"2026-02-15T12:00:00Z\",\"x\":1}")
            .is_err()
    );
}
