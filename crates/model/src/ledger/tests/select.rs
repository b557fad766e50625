//! What is looked into next, and what is not.

use proptest::prelude::*;

use super::*;

fn stale(id: &str) -> Gap {
    verified(id, 60).with(|gap| gap.status = GapStatus::Stale)
}

fn chosen(gaps: &[Gap]) -> Vec<&str> {
    ids(candidates(gaps, 30, NOW, &StaleSince::new()))
}

#[test]
fn stale_by_now_stale_on_disk_and_unknown_are_candidates() {
    let gaps = [verified("due", 45), stale("stale"), gap("unknown"), verified("fresh", 1)];
    assert_eq!(chosen(&gaps), ["due", "stale", "unknown"]);
}

#[test]
fn a_gap_that_was_checked_within_its_ttl_is_left_alone() {
    let checked = |gap: Gap, days| mark_checked(&gap, days_ago(days));
    assert_eq!(chosen(&[checked(gap("a"), 30), checked(gap("b"), 31), checked(stale("c"), 5)]), ["b"]);
    let short = gap("a").with(|gap| gap.ttl_days = Some(3));
    assert_eq!(chosen(&[checked(short.clone(), 3)]), Vec::<&str>::new());
    assert_eq!(chosen(&[checked(short, 4)]), ["a"]);
    // A gap that is stale by now, but was looked at since.
    assert_eq!(chosen(&[checked(verified("due", 45), 5)]), Vec::<&str>::new());
}

#[test]
fn the_check_that_verified_a_gap_does_not_keep_it_from_research() {
    // Long to live, verified and checked in one, then flipped by hand: the check is as old as the verification.
    let gaps = [verified("a", 10).with(|gap| gap.status = GapStatus::Stale)];
    assert_eq!(chosen(&gaps), ["a"]);
}

#[test]
fn a_check_before_the_flip_to_stale_does_not_count() {
    let gaps = [mark_checked(&stale("a"), days_ago(5))];
    let since = |days| StaleSince::from([("a".to_owned(), days_ago(days))]);
    assert_eq!(ids(candidates(&gaps, 30, NOW, &since(4))), ["a"]);
    assert_eq!(ids(candidates(&gaps, 30, NOW, &since(5))), ["a"], "as old as the flip is not later");
    assert_eq!(ids(candidates(&gaps, 30, NOW, &since(6))), Vec::<&str>::new());
}

#[test]
fn a_blocked_gap_waits() {
    let gaps = [gap("a").with(|gap| gap.status = GapStatus::Blocked)];
    let survey = survey(&gaps, 30, NOW, &StaleSince::new());
    assert_eq!(survey.candidates, Vec::<&Gap>::new());
    assert_eq!(survey.waiting, [Waiting { gap: &gaps[0], held_by: Vec::new() }]);
}

#[test]
fn an_open_edge_of_either_side_holds_a_gap() {
    let blocker = gap("a").with(|gap| gap.blocks = names(&["b"]));
    assert_eq!(chosen(&[blocker, gap("b")]), ["a"]);
    let held = gap("b").with(|gap| gap.blocked_by = names(&["a"]));
    assert_eq!(chosen(&[gap("a"), held.clone()]), ["a"]);
    for open in [stale("a"), verified("a", 45), gap("a").with(|gap| gap.status = GapStatus::Blocked)] {
        let gaps = [open, held.clone()];
        let survey = survey(&gaps, 30, NOW, &StaleSince::new());
        let waiting = survey.waiting.iter().find(|waiting| waiting.gap.id == "b").unwrap();
        assert_eq!(waiting.held_by, ["a"]);
    }
}

#[test]
fn gaps_on_a_cycle_have_their_turn_and_hold_what_is_behind_it() {
    let waits_for = |id: &str, others: &[&str]| {
        let mut gap = gap(id);
        gap.blocked_by = names(others);
        gap
    };
    let gaps =
        [waits_for("a", &["b"]), waits_for("b", &["a"]), waits_for("c", &["d", "b"]), waits_for("d", &["c"])];
    let survey = survey(&gaps, 30, NOW, &StaleSince::new());
    assert_eq!(ids(survey.candidates), ["a", "b", "d"], "`c` waits for the other cycle");
    assert!(survey.has_cycles);
}

#[test]
fn an_edge_from_a_fresh_gap_holds_nothing() {
    let held = gap("b").with(|gap| gap.blocked_by = names(&["a"]));
    assert_eq!(chosen(&[verified("a", 1), held]), ["b"]);
}

#[test]
fn the_full_picture_is_told() {
    let gaps: Vec<Gap> = (0..20).map(|number| stale(&format!("g{number:02}"))).collect();
    let survey = survey(&gaps, 30, NOW, &StaleSince::new());
    let batch = select_batch(survey.candidates.iter().copied(), 5);
    assert_eq!(survey.picture(batch.len()), "20 stale, researching 5, 15 later");
    let held = verified("w", 99).with(|gap| gap.blocked_by = names(&["u"]));
    let gaps = [gap("u"), held, mark_checked(&gap("c"), NOW)];
    let survey = super::survey(&gaps, 30, NOW, &StaleSince::new());
    assert_eq!(survey.picture(1), "1 stale, 2 unknown, researching 1, 0 later, 1 checked lately, 1 waiting");
}

proptest! {
    #[test]
    fn every_gap_is_counted_once(gaps in any::gaps()) {
        let survey = survey(&gaps, 30, NOW, &StaleSince::new());
        prop_assert_eq!(survey.stale + survey.unknown + survey.fresh + survey.blocked, gaps.len());
        let told = survey.candidates.len() + survey.checked.len() + survey.waiting.len();
        prop_assert_eq!(told + survey.fresh, gaps.len());
    }

    #[test]
    fn a_candidate_is_open_and_nothing_open_holds_it(gaps in any::gaps()) {
        let open = |gap: &Gap| gap.status != GapStatus::Verified || is_due(gap, 30, NOW);
        let cycled = ids(sort_gaps(&gaps).cycled);
        let on_cycle = |gap: &Gap| cycled.contains(&gap.id.as_str());
        for gap in candidates(&gaps, 30, NOW, &StaleSince::new()) {
            prop_assert!(open(gap) && gap.status != GapStatus::Blocked);
            let others = gaps.iter().filter(|other| other.id != gap.id && open(other));
            for other in others.filter(|other| !(on_cycle(gap) && on_cycle(other))) {
                prop_assert!(!other.blocks.contains(&gap.id) && !gap.blocked_by.contains(&other.id));
            }
        }
    }

    #[test]
    fn persisting_the_due_flips_changes_no_picture(gaps in any::gaps()) {
        let mut flipped = gaps.clone();
        for stale in detect_stale(&gaps, 30, NOW) {
            let place = flipped.iter().position(|gap| gap.id == stale.id).unwrap();
            flipped[place] = stale;
        }
        prop_assert_eq!(detect_stale(&flipped, 30, NOW), Vec::new());
        let since = StaleSince::new();
        prop_assert_eq!(ids(candidates(&gaps, 30, NOW, &since)), ids(candidates(&flipped, 30, NOW, &since)));
    }
}
