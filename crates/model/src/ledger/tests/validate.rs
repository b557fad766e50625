//! What must hold for the gaps of one ledger.

use proptest::prelude::*;

use super::*;

fn problems(gaps: &[Gap]) -> Vec<String> {
    validate(gaps).iter().map(ToString::to_string).collect()
}

#[test]
fn a_sound_ledger_has_no_problems() {
    let a = verified("a", 1).with(|gap| {
        gap.blocks = names(&["b"]);
        gap.ttl_days = Some(1);
        gap.priority = 5;
    });
    let b = gap("b").with(|gap| {
        gap.blocked_by = names(&["a"]);
        gap.priority = 1;
        gap.status = GapStatus::Blocked;
    });
    assert_eq!(problems(&[a, b]), Vec::<String>::new());
    assert_eq!(problems(&[]), Vec::<String>::new());
}

#[test]
fn every_problem_is_reported_at_once() {
    let gaps = [
        gap("a").with(|gap| {
            gap.status = GapStatus::Verified;
            gap.priority = 0;
            gap.ttl_days = Some(0);
        }),
        gap("b").with(|gap| {
            gap.last_verified = Some(NOW);
            gap.blocks = names(&["b", "nowhere"]);
        }),
        gap("a").with(|gap| {
            gap.blocked_by = names(&["a", "a ghost"]);
            gap.priority = 6;
        }),
        Gap::new("", "").with(|gap| gap.ttl_days = Some(-2)),
        gap("a").with(|gap| gap.blocked_by = names(&["a"])),
    ];
    assert_eq!(
        problems(&gaps),
        [
            "Gap 'a' is verified but has no last_verified",
            "Gap 'a' priority must be 1 to 5, got 0",
            "Gap 'a' ttl_days must be >= 1, got 0",
            "Gap 'b' is unknown but has a last_verified",
            "Gap 'b' references itself in blocks",
            "Gap 'b' blocks unknown gap 'nowhere'",
            "Duplicate gap ID: 'a'",
            "Gap 'a' priority must be 1 to 5, got 6",
            "Gap 'a' references itself in blocked_by",
            "Gap 'a' blocked_by unknown gap 'a ghost'",
            "Gap '' has an empty id",
            "Gap '' has an empty category",
            "Gap '' ttl_days must be >= 1, got -2",
            "Duplicate gap ID: 'a'",
            "Gap 'a' references itself in blocked_by",
        ]
    );
}

#[test]
fn oversize_text_is_a_problem() {
    let limit = crate::limits::GAP_TEXT_BYTES_MAX;
    let gaps = [
        gap("a").with(|gap| {
            gap.findings = "x".repeat(limit + 1);
            gap.question = "x".repeat(limit);
        }),
        gap(&"i".repeat(257)),
    ];
    let found: Vec<_> = validate(&gaps).into_iter().map(|problem| (problem.index, problem.field)).collect();
    assert_eq!(found, [(0, Field::Findings), (1, Field::Id)]);
}

#[test]
fn an_unknown_status_names_the_four() {
    let error = "done".parse::<GapStatus>().unwrap_err();
    assert_eq!(error.to_string(), "unknown status 'done': use blocked, stale, unknown or verified");
    assert!("Verified".parse::<GapStatus>().is_err());
}

#[test]
fn a_field_is_set_from_text() {
    let start = verified("a", 1);
    let set_to = |field: &str, text: &str| set(&start, Field::from_word(field).unwrap(), text);
    assert_eq!(set_to("priority", "5").unwrap().priority, 5);
    assert_eq!(set_to("blocks", "b, c,").unwrap().blocks, ["b", "c"]);
    assert_eq!(set_to("last_verified", "").unwrap().last_verified, None);
    assert_eq!(
        set_to("last_checked", "2026-02-15").unwrap().last_checked,
        "2026-02-15T00:00:00Z".parse().ok()
    );
    assert_eq!(set_to("ttl_days", "14").unwrap().ttl_days, Some(14));
    assert_eq!(set_to("status", "stale").unwrap().status, GapStatus::Stale);
    for (field, text) in
        [("priority", "true"), ("priority", "3.0"), ("status", "no"), ("id", "b"), ("ttl_days", "x")]
    {
        assert!(set_to(field, text).is_err(), "{field}={text}");
    }
    assert_eq!(Field::from_word("colour"), None);
}

#[test]
fn a_change_is_not_to_blame_for_what_was_tolerated_before() {
    let undated = |status| gap("a").with(|gap| gap.status = status);
    let (verified, stale) = (undated(GapStatus::Verified), undated(GapStatus::Stale));
    assert_eq!(problems(std::slice::from_ref(&stale)), ["Gap 'a' is stale but has no last_verified"]);
    let since = |before: &Gap, after: &Gap| {
        problems_since(std::slice::from_ref(before), std::slice::from_ref(after)).len()
    };
    assert_eq!(since(&verified, &stale), 0, "it was no better before");
    assert_eq!(since(&verified, &verified.with(|gap| gap.priority = 7)), 1, "that is new");
    assert_eq!(since(&gap("a"), &verified), 1, "nobody may make it so");
    assert_eq!(since(&stale, &verified), 1, "nor of one that was stale without a date");
    assert_eq!(since(&stale, &stale.with(|gap| gap.priority = 2)), 0, "it is no worse than before");
}

proptest! {
    #[test]
    fn what_follows_a_sound_ledger_is_judged_by_what_differs(
        before in any::gaps(), other in any::gaps(), priority in 0..7_i64,
    ) {
        prop_assume!(validate(&before).iter().all(Problem::is_tolerable));
        let mut changed = before.clone();
        for (gap, other) in changed.iter_mut().zip(&other) {
            (gap.status, gap.last_verified, gap.priority) = (other.status, other.last_verified, priority);
        }
        for after in [changed, other] {
            prop_assert_eq!(problems_since_sound(&before, &after), problems_since(&before, &after));
        }
    }
}
