//! How full a context is.

use crate::loop_machine::context::*;

fn sample(percent: u8, quality: f64, latency_ms: u64) -> ContextSample {
    ContextSample { percent, quality: Some(quality), latency_ms: Some(latency_ms) }
}

#[test]
fn a_level_for_every_per_cent() {
    for (percents, level) in [
        (0..=50, ContextLevel::Low),
        (51..=70, ContextLevel::Medium),
        (71..=85, ContextLevel::High),
        (86..=95, ContextLevel::Warning),
        (96..=255, ContextLevel::Redline),
    ] {
        for percent in percents {
            assert_eq!(ContextLevel::of(percent), level, "{percent}");
        }
    }
}

#[test]
fn what_is_reported_is_believed() {
    let falling = [sample(10, 0.9, 1), sample(10, 0.8, 2), sample(10, 0.7, 3)];
    let reading = read(Some(41), Some(400_000), WINDOW_TOKENS, &falling).unwrap();
    assert_eq!((reading.percent, reading.confidence), (41, 1.0));
    assert_eq!(read(Some(200), None, WINDOW_TOKENS, &[]).unwrap().percent, 100);
}

#[test]
fn without_a_report_size_and_behaviour_are_an_estimate() {
    for (bytes, window, percent) in [
        (0, 100_000, 0),
        (200_000, 100_000, 50),
        (4_000_000, 100_000, 100),
        (200_000, 200_000, 25),
        (8, 0, 100),
    ] {
        let reading = by_size(bytes, window);
        assert_eq!((reading.percent, reading.confidence), (percent, 0.5), "{bytes} of {window}");
    }
    let steady = [sample(40, 0.9, 5), sample(40, 0.9, 5), sample(40, 0.9, 5)];
    let slower = [sample(40, 0.9, 5), sample(40, 0.9, 6), sample(40, 0.9, 7)];
    let both = [sample(40, 0.9, 5), sample(40, 0.8, 6), sample(90, 0.7, 7)];
    for (samples, percent) in
        [(&steady[..], None), (&slower, Some(50)), (&both, Some(100)), (&both[1..], None)]
    {
        assert_eq!(by_behaviour(samples).map(|reading| reading.percent), percent);
    }
    assert_eq!(read(None, None, WINDOW_TOKENS, &steady), None, "nothing is known");
    assert_eq!(read(None, Some(200_000), WINDOW_TOKENS, &steady).unwrap().percent, 50);
    // (40 · 0.5 + 50 · 0.6) / 1.1
    assert_eq!(read(None, Some(160_000), WINDOW_TOKENS, &slower).unwrap().percent, 45);
}

#[test]
fn short_and_repetitive_answers_are_worse() {
    let long = "The parser now accepts dates with a zone, and the tests for leap seconds pass as well.";
    for (text, quality) in [
        (long.to_owned(), 1.0),
        ("ok".to_owned(), 0.5),
        ("the same words ".repeat(20), 0.6),
        (format!("I apologize. {long}"), 0.8),
    ] {
        assert_eq!(output_quality(&text), quality, "{text}");
    }
}

#[test]
fn a_session_gets_worse_while_it_fills_up_or_slows_down() {
    let session = |percents: [u8; 5], qualities: [f64; 5], latencies: [u64; 5]| -> Vec<ContextSample> {
        (0..5).map(|at| sample(percents[at], qualities[at], latencies[at])).collect()
    };
    let (fills, empties) = ([10, 20, 20, 30, 40], [40, 30, 20, 10, 5]);
    let (good, bad) = ([1.0; 5], [1.0, 1.0, 0.6, 0.6, 0.6]);
    let (steady, slower) = ([10; 5], [10, 10, 30, 30, 30]);
    let policy = RedlinePolicy { iterations_min: 3, ..RedlinePolicy::default() };
    for (samples, degraded) in [
        (session(fills, bad, steady), true),
        (session(empties, bad, slower), true),
        (session(empties, bad, steady), false),
        (session(fills, good, slower), false),
        (session(fills, bad, steady)[1..].to_vec(), false),
        (vec![ContextSample { percent: 90, quality: None, latency_ms: None }; 9], false),
    ] {
        assert_eq!(is_degraded(&policy, &samples), degraded, "{samples:?}");
    }
    let off = RedlinePolicy { detect_degradation: false, ..policy };
    assert!(!is_degraded(&off, &session(fills, bad, slower)));
}

#[test]
fn the_recommendation_follows_the_table() {
    let policy = RedlinePolicy { iterations_min: 3, ..RedlinePolicy::default() };
    for (percent, degraded, iterations, expected) in [
        (Some(99), true, 2, Recommendation::Continue),
        (Some(85), false, 3, Recommendation::ImmediateReboot),
        (Some(70), true, 3, Recommendation::ImmediateReboot),
        (Some(84), false, 3, Recommendation::FinishAndReboot),
        (Some(70), false, 3, Recommendation::FinishAndReboot),
        (Some(69), true, 3, Recommendation::FinishAndReboot),
        (Some(69), false, 3, Recommendation::Continue),
        (None, true, 3, Recommendation::FinishAndReboot),
        (None, false, 9, Recommendation::Continue),
    ] {
        assert_eq!(recommend(&policy, percent, degraded, iterations), expected, "{percent:?} {degraded}");
    }
}
