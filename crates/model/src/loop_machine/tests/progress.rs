//! What counts as getting on.

use proptest::prelude::{any, prop, prop_assert, proptest};

use crate::loop_machine::progress::*;
use crate::loop_machine::{Coverage, Measures, Report, Share, TestCounts};

fn tests(passed: u64, failed: u64, complete: bool) -> Measures {
    Measures {
        tests: Some(TestCounts { passed, failed, skipped: 0, complete, ..TestCounts::default() }),
        ..Measures::default()
    }
}

fn changed() -> Signs<'static> {
    Signs { tree: TreeNews::New, files_modified: 1, ..Signs::default() }
}

fn judged(signs: &Signs<'_>) -> Progress {
    judge(&ProgressPolicy::default(), signs, &[])
}

#[test]
fn each_sign_has_its_weight_out_of_all() {
    let covered = |covered| Measures {
        coverage: Some(Coverage { lines: Some(Share { covered, total: 100 }), ..Coverage::default() }),
        ..Measures::default()
    };
    let linted = |errors| Measures { lint_errors: Some(errors), ..Measures::default() };
    for (name, signs, before, after, score) in [
        ("nothing", Signs::default(), None, None, 0.0),
        ("files changed", changed(), None, None, 0.158),
        (
            "files created",
            Signs { tree: TreeNews::New, files_created: 2, ..Signs::default() },
            None,
            None,
            0.105,
        ),
        ("both", Signs { files_created: 1, ..changed() }, None, None, 0.263),
        (
            "files deleted",
            Signs { tree: TreeNews::New, files_deleted: 1, ..Signs::default() },
            None,
            None,
            0.158,
        ),
        ("a commit", Signs { commits: 1, ..Signs::default() }, None, None, 0.158),
        ("more pass", Signs::default(), Some(tests(4, 2, true)), Some(tests(5, 1, true)), 0.211),
        ("fewer fail", Signs::default(), Some(tests(4, 2, true)), Some(tests(4, 1, true)), 0.211),
        ("tests added", Signs::default(), Some(tests(4, 2, true)), Some(tests(4, 3, true)), 0.105),
        ("a check fixed", Signs { checks_fixed: 1, ..Signs::default() }, None, None, 0.263),
        ("fewer errors", Signs::default(), Some(linted(3)), Some(linted(2)), 0.053),
        ("more errors", Signs::default(), Some(linted(2)), Some(linted(3)), 0.0),
        ("more covered", Signs::default(), Some(covered(50)), Some(covered(51)), 0.105),
        ("less covered", Signs::default(), Some(covered(51)), Some(covered(50)), 0.0),
    ] {
        let signs = Signs { before: before.as_ref(), after: after.as_ref(), ..signs };
        assert_eq!(judged(&signs).score, score, "{name}");
    }
}

#[test]
fn everything_at_once_is_all_of_it() {
    let before = Measures {
        lint_errors: Some(1),
        coverage: Some(Coverage { lines: Some(Share { covered: 1, total: 2 }), ..Coverage::default() }),
        ..tests(1, 1, true)
    };
    let after = Measures {
        lint_errors: Some(0),
        coverage: Some(Coverage { lines: Some(Share { covered: 2, total: 2 }), ..Coverage::default() }),
        ..tests(3, 0, true)
    };
    let signs = Signs {
        files_created: 1,
        checks_fixed: 1,
        before: Some(&before),
        after: Some(&after),
        marked: true,
        ..changed()
    };
    assert_eq!(judged(&signs).score, 1.0);
}

#[test]
fn tests_that_did_not_run_are_no_better() {
    for (before, after) in [
        // Cut off before the failures came.
        (tests(4, 2, true), tests(4, 0, false)),
        // The failing ones were left out, and some that passed with them.
        (tests(4, 2, true), tests(3, 0, true)),
        (tests(4, 2, false), tests(5, 0, true)),
    ] {
        let signs = Signs { before: Some(&before), after: Some(&after), ..Signs::default() };
        assert!(!judged(&signs).indicators.contains(&Indicator::TestsImproved), "{before:?} {after:?}");
    }
    let after = tests(4, 0, true);
    assert_eq!(judged(&Signs { after: Some(&after), ..Signs::default() }).score, 0.0);
}

#[test]
fn a_mark_alone_is_talk_and_beside_a_change_it_counts() {
    let alone = judged(&Signs { marked: true, ..Signs::default() });
    assert_eq!((alone.score, alone.made), (0.0, false));
    // (0.3 + 0.3) of (1.9 + 0.3).
    assert_eq!(judged(&Signs { marked: true, ..changed() }).score, 0.273);
    let policy = ProgressPolicy { strategy: Strategy::CustomMarkers, ..ProgressPolicy::default() };
    let alone = judge(&policy, &Signs { marked: true, ..Signs::default() }, &[]);
    assert_eq!((alone.score, alone.made), (1.0, true));
    for (text, marked) in [("x DONE: y", true), ("[PROGRESS]", true), ("done: y", false), ("", false)] {
        let report = Report { summary: Some(text.to_owned()), ..Report::default() };
        assert_eq!(is_marked(&policy, &report), marked, "{text}");
        let heard = Report { heard: vec![text.to_owned()], ..Report::default() };
        assert_eq!(
            is_marked(&policy, &heard),
            text == "[PROGRESS]",
            "only whole words are on record: {text}"
        );
    }
}

#[test]
fn files_that_are_back_where_they_were_are_no_news() {
    assert_eq!(TreeNews::of("a", "a", ["a", "b"]), TreeNews::Same);
    assert_eq!(TreeNews::of("a", "b", ["b", "a"]), TreeNews::Back);
    assert_eq!(TreeNews::of("a", "c", ["b", "a"]), TreeNews::New);
    let back = Signs { tree: TreeNews::Back, files_modified: 9, files_created: 9, ..Signs::default() };
    assert!(!judged(&back).made);
    // Unless they make something better.
    assert!(judged(&Signs { checks_fixed: 1, ..back }).made);
}

#[test]
fn what_was_refused_is_no_progress() {
    assert_eq!(judged(&Signs { refused: true, checks_fixed: 3, ..changed() }), Progress::default());
}

#[test]
fn a_strategy_looks_at_its_own_signs() {
    let (before, after) = (tests(1, 1, true), tests(2, 0, true));
    let signs = Signs { before: Some(&before), after: Some(&after), ..changed() };
    for (strategy, score) in [
        (Strategy::FileChanges, 0.6),
        (Strategy::TestResults, 0.667),
        (Strategy::CustomMarkers, 0.0),
        (Strategy::Combined, 0.368),
        (Strategy::MetricVelocity, 0.0),
    ] {
        let policy = ProgressPolicy { strategy, ..ProgressPolicy::default() };
        assert_eq!(judge(&policy, &signs, &[]).score, score, "{strategy:?}");
    }
}

#[test]
fn the_least_score_can_be_raised() {
    let policy = ProgressPolicy { score_min: 0.2, ..ProgressPolicy::default() };
    assert!(!judge(&policy, &changed(), &[]).made);
    assert!(judge(&policy, &Signs { files_created: 1, ..changed() }, &[]).made);
    let policy = ProgressPolicy { score_min: 0.0, ..ProgressPolicy::default() };
    assert!(!judge(&policy, &Signs::default(), &[]).made, "nothing is never progress");
}

#[test]
fn velocity_compares_the_last_three_with_the_first_three() {
    for (scores, expected) in [
        (&[][..], None),
        (&[0.1, 0.2], None),
        (&[0.1, 0.2, 0.3], Some(0.0)),
        (&[0.1, 0.1, 0.1, 0.4, 0.4, 0.4], Some(0.3)),
        (&[0.4, 0.4, 0.4, 0.1], Some(-0.1)),
    ] {
        assert_eq!(velocity(scores), expected, "{scores:?}");
    }
}

#[test]
fn advice_follows_the_streak_unless_the_run_speeds_up() {
    for (streak, advice) in [
        (0, Advice::Continue),
        (2, Advice::Continue),
        (3, Advice::Monitor),
        (5, Advice::Monitor),
        (6, Advice::ConsiderChange),
        (10, Advice::ConsiderChange),
        (11, Advice::Stop),
    ] {
        assert_eq!(advise(None, streak), advice, "{streak}");
        assert_eq!(advise(Some(0.1), streak), advice, "{streak}");
        assert_eq!(advise(Some(0.11), streak), Advice::Continue, "{streak}");
    }
}

#[test]
fn a_metric_has_a_trend_from_three_samples_on() {
    for (direction, samples, trend) in [
        (Direction::Higher, &[1.0, 2.0][..], None),
        (Direction::Higher, &[100.0, 101.0, 104.0], Some(Trend::Stable)),
        (Direction::Higher, &[100.0, 101.0, 110.0], Some(Trend::Better)),
        (Direction::Higher, &[110.0, 101.0, 100.0], Some(Trend::Worse)),
        (Direction::Lower, &[110.0, 101.0, 100.0], Some(Trend::Better)),
        (Direction::Lower, &[-1.0, -2.0, -3.0], Some(Trend::Better)),
        (Direction::Higher, &[0.0, 0.0, 0.0], Some(Trend::Stable)),
        (Direction::Higher, &[1.0, f64::NAN, f64::INFINITY, 1.0], None),
    ] {
        let mut metric = Metric::new(direction, 1.0);
        samples.iter().for_each(|sample| metric.take(*sample));
        assert_eq!(metric.trend(), trend, "{direction:?} {samples:?}");
    }
    let mut metric = Metric::new(Direction::Higher, 1.0);
    (0..200).for_each(|sample| metric.take(f64::from(sample)));
    assert_eq!(metric.samples.len(), METRIC_SAMPLES_MAX);
}

#[test]
fn metrics_that_get_better_count_by_their_weight() {
    let metric = |weight, last| Metric {
        weight,
        samples: [1.0, 1.0, last].into(),
        ..Metric::new(Direction::Higher, 0.0)
    };
    let unknown = Metric::new(Direction::Higher, 10.0);
    let policy = ProgressPolicy { strategy: Strategy::MetricVelocity, ..ProgressPolicy::default() };
    let progress = judge(&policy, &Signs::default(), &[metric(3.0, 2.0), metric(1.0, 0.5), unknown]);
    assert_eq!((progress.score, progress.made), (0.75, true));
}

proptest! {
    #[test]
    fn a_score_is_from_0_to_1(
        bits in any::<u16>(),
        weights in prop::array::uniform8(-1.0..10.0_f64),
        (passed, failed, other) in (0..9_u64, 0..9_u64, 0..9_u64),
    ) {
        let bit = |at: u16| bits >> at & 1 == 1;
        let (before, after) = (tests(passed, failed, bit(0)), tests(other, passed, bit(1)));
        let signs = Signs {
            tree: [TreeNews::Same, TreeNews::Back, TreeNews::New][usize::from(bits) % 3],
            commits: u32::from(bit(2)),
            files_modified: u32::from(bit(3)),
            files_created: u32::from(bit(4)),
            files_deleted: u32::from(bit(5)),
            checks_fixed: u32::from(bit(6)),
            before: bit(7).then_some(&before),
            after: Some(&after),
            marked: bit(8),
            refused: bit(9),
        };
        let [files_modified, files_created, tests_improved, tests_added, build_fixed, lint_improved, coverage_increased, markers] = weights;
        let weights = Weights { files_modified, files_created, tests_improved, tests_added, build_fixed, lint_improved, coverage_increased, markers };
        for strategy in [Strategy::FileChanges, Strategy::TestResults, Strategy::CustomMarkers, Strategy::Combined] {
            let policy = ProgressPolicy { strategy, weights, ..ProgressPolicy::default() };
            let progress = judge(&policy, &signs, &[]);
            prop_assert!((0.0..=1.0).contains(&progress.score));
            prop_assert!(!progress.made || !progress.indicators.is_empty());
        }
    }
}
