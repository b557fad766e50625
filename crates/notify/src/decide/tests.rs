//! The rules, as tables.

use piton_model::notify::{ChannelKind, Given, Rate};

use super::*;

const NOON: Timestamp = Timestamp::from_millis(1_771_157_000_000);

pub(crate) fn message(title: &str, text: &str) -> Message {
    Message {
        number: 7,
        trigger: Trigger::LoopCompleted,
        priority: Priority::High,
        title: title.to_owned(),
        text: text.to_owned(),
        at: NOON,
        held_back: 0,
        facts: Facts { run: "r1".to_owned(), short: "r1".to_owned(), ..Facts::default() },
    }
}

fn utc(now: Timestamp) -> Moment {
    Moment { now, zone: TimeZone::UTC }
}

fn at(seconds: u64) -> Moment {
    utc(NOON.plus_millis(seconds * 1_000))
}

fn occasion(trigger: Trigger, moment: &Moment) -> Occasion {
    Occasion::new(trigger, moment.now, Facts { iteration: 1, ..Facts::default() })
}

/// A chat and a file; everything is on; no debounce.
fn config() -> Notify {
    let chat = ChannelKind::Slack { url: Given::Env("SLACK".to_owned()) };
    Notify {
        channels: vec![
            Channel::new("chat", chat),
            Channel::new("file", ChannelKind::Logfile { path: "log".to_owned() }),
        ],
        on: Trigger::ALL.into_iter().map(|trigger| (trigger, On::of(trigger))).collect(),
        rate: Rate { debounce_ms: 0, ..Rate::default() },
        quiet: None,
    }
}

fn told(history: &mut History, config: &Notify, trigger: Trigger, moment: &Moment) -> Loud {
    history.tell(config, occasion(trigger, moment), moment).loud
}

#[test]
fn what_is_not_asked_for_is_not_told_anywhere() {
    let mut config = config();
    config.on.remove(&Trigger::LoopStarted);
    let decided = History::default().tell(&config, occasion(Trigger::LoopStarted, &at(0)), &at(0));
    assert_eq!(decided, Decided { send: Vec::new(), loud: Loud::Not(Why::Off) });
}

#[test]
fn by_default_the_desktop_is_told_of_ends_errors_limits_and_needs() {
    let config = Notify::default();
    for trigger in Trigger::ALL {
        let mut history = History::default();
        let loud = told(&mut history, &config, trigger, &at(0));
        let expected = match trigger {
            Trigger::LoopFailed | Trigger::SafetyLimit => Loud::Sent,
            Trigger::LoopCompleted | Trigger::Error | Trigger::AttentionNeeded => {
                Loud::Held { until: at(5).now }
            }
            _ => Loud::Not(Why::Off),
        };
        assert_eq!(loud, expected, "{trigger:?}");
    }
}

#[test]
fn channels_take_what_they_are_for() {
    let mut config = config();
    config.channels[0].min_priority = Priority::High;
    config.on.get_mut(&Trigger::Error).unwrap().channels = vec!["chat".to_owned()];
    let tell = |trigger| {
        let decided = History::default().tell(&config, occasion(trigger, &at(0)), &at(0));
        let channels: Vec<_> = decided.send.into_iter().flat_map(|dispatch| dispatch.channels).collect();
        (channels.join(" "), decided.loud)
    };
    assert_eq!(tell(Trigger::LoopCompleted), ("file chat".to_owned(), Loud::Sent));
    assert_eq!(tell(Trigger::LoopStarted), ("file".to_owned(), Loud::Not(Why::NoChannel)));
    assert_eq!(tell(Trigger::Error), ("chat".to_owned(), Loud::Sent));
}

#[test]
fn the_same_is_not_told_again_within_a_minute() {
    let (config, mut history) = (config(), History::default());
    let mut tell = |trigger, seconds| told(&mut history, &config, trigger, &at(seconds));
    assert_eq!(tell(Trigger::NoProgress, 0), Loud::Sent);
    assert_eq!(tell(Trigger::NoProgress, 59), Loud::Not(Why::TooSoon { again: at(60).now }));
    assert_eq!(tell(Trigger::TestsFailing, 59), Loud::Sent, "another trigger has its own minute");
    assert_eq!(tell(Trigger::NoProgress, 60), Loud::Sent);
}

#[test]
fn a_clock_that_was_put_back_does_not_silence() {
    let (config, mut history) = (config(), History::default());
    assert_eq!(told(&mut history, &config, Trigger::NoProgress, &at(86_400)), Loud::Sent);
    assert_eq!(told(&mut history, &config, Trigger::NoProgress, &at(0)), Loud::Sent);
}

#[test]
fn an_hour_has_room_for_twenty_and_for_what_is_critical() {
    let (config, mut history) = (config(), History::default());
    for minute in 0..20 {
        let loud = told(&mut history, &config, Trigger::IterationComplete, &at(minute * 60));
        assert_eq!(loud, Loud::Sent, "minute {minute}");
    }
    let mut tell = |trigger, seconds| told(&mut history, &config, trigger, &at(seconds));
    assert_eq!(tell(Trigger::LoopCompleted, 1_200), Loud::Not(Why::TooMany { per_hour: 20 }));
    assert_eq!(tell(Trigger::LoopFailed, 1_200), Loud::Sent);
    assert_eq!(tell(Trigger::LoopCompleted, 3_599), Loud::Not(Why::TooMany { per_hour: 20 }));
    // Two of the twenty-one are older than an hour now.
    assert_eq!(tell(Trigger::LoopCompleted, 3_660), Loud::Sent);
    let unlimited = Notify { rate: Rate { per_hour: 0, ..config.rate }, ..config.clone() };
    assert_eq!(told(&mut history, &unlimited, Trigger::TestsFailing, &at(3_661)), Loud::Sent);
}

#[test]
fn a_burst_becomes_one_message_that_says_so() {
    let mut config = config();
    config.channels.pop();
    config.rate = Rate { debounce_ms: 5_000, per_trigger_ms: 0, per_hour: 0 };
    let mut history = History::default();
    for second in 0..5 {
        let loud = told(&mut history, &config, Trigger::IterationComplete, &at(second));
        assert_eq!(loud, Loud::Held { until: at(5).now }, "a burst does not push its message away");
    }
    assert_eq!(history.due(&config, &at(4)), []);
    assert_eq!(history.next_due(), Some(at(5).now));
    let sent = history.due(&config, &at(5));
    assert_eq!(sent.len(), 1);
    assert_eq!((sent[0].message.at, sent[0].message.held_back), (at(4).now, 4), "the newest is told");
    assert!(
        sent[0].message.text.ends_with("(4 earlier messages were held back)"),
        "{}",
        sent[0].message.text
    );
    assert_eq!(history.due(&config, &at(60)), [], "it is told once");
}

#[test]
fn what_is_critical_does_not_wait() {
    let mut config = config();
    config.rate.debounce_ms = 5_000;
    assert_eq!(told(&mut History::default(), &config, Trigger::LoopFailed, &at(0)), Loud::Sent);
}

#[test]
fn nothing_that_waits_is_lost_when_the_driver_leaves() {
    let mut config = config();
    config.rate.debounce_ms = 5_000;
    let mut history = History::default();
    told(&mut history, &config, Trigger::LoopCompleted, &at(1));
    told(&mut history, &config, Trigger::MilestoneReached, &at(0));
    // As it is read back after a crash.
    let json = serde_json::to_string(&history).unwrap();
    let mut history: History = serde_json::from_str(&json).unwrap();
    let triggers: Vec<_> =
        history.flush(&config, &at(1)).into_iter().map(|sent| sent.message.trigger).collect();
    assert_eq!(triggers, [Trigger::MilestoneReached, Trigger::LoopCompleted], "in the order it happened");
    assert_eq!(history.flush(&config, &at(1)), []);
}

#[test]
fn what_was_held_back_is_counted_in_the_next_message() {
    let (config, mut history) = (config(), History::default());
    told(&mut history, &config, Trigger::NoProgress, &at(0));
    told(&mut history, &config, Trigger::NoProgress, &at(1));
    let decided = history.tell(&config, occasion(Trigger::TestsFailing, &at(2)), &at(2));
    let held_back: Vec<_> = decided.send.iter().map(|sent| sent.message.held_back).collect();
    assert_eq!(held_back, [0, 1], "the file got everything, the chat did not");
    let decided = history.tell(&config, occasion(Trigger::LoopCompleted, &at(3)), &at(3));
    assert_eq!(decided.send[1].message.held_back, 0);
}

fn quiet(from: &str, to: &str, days: &[Day], allow_critical: bool) -> Notify {
    let hours = QuietHours {
        from: from.parse().unwrap(),
        to: to.parse().unwrap(),
        days: days.to_vec(),
        allow_critical,
    };
    Notify { quiet: Some(hours), ..config() }
}

#[test]
fn quiet_hours_are_quiet() {
    use Day::{Fri, Sat, Sun};
    // 2026-02-15 is a Sunday.
    let table = [
        ("22:00", "07:00", &[][..], "2026-02-15T21:59:00Z", false),
        ("22:00", "07:00", &[], "2026-02-15T22:00:00Z", true),
        ("22:00", "07:00", &[], "2026-02-15T00:00:00Z", true),
        ("22:00", "07:00", &[], "2026-02-15T06:59:59Z", true),
        ("22:00", "07:00", &[], "2026-02-15T07:00:00Z", false),
        ("12:00", "13:30", &[], "2026-02-15T13:29:00Z", true),
        ("12:00", "13:30", &[], "2026-02-15T13:30:00Z", false),
        // The whole day.
        ("00:00", "00:00", &[Sun], "2026-02-15T15:00:00Z", true),
        ("00:00", "00:00", &[Sat], "2026-02-15T15:00:00Z", false),
        // The night from Saturday to Sunday belongs to Saturday.
        ("22:00", "07:00", &[Sat], "2026-02-15T03:00:00Z", true),
        ("22:00", "07:00", &[Sat], "2026-02-15T23:00:00Z", false),
        ("22:00", "07:00", &[Fri, Sun], "2026-02-15T03:00:00Z", false),
        ("22:00", "07:00", &[Fri, Sun], "2026-02-15T23:00:00Z", true),
    ];
    for (from, to, days, now, is_quiet) in table {
        let config = quiet(from, to, days, true);
        let moment = utc(now.parse().unwrap());
        let loud = told(&mut History::default(), &config, Trigger::LoopCompleted, &moment);
        let expected =
            if is_quiet { Loud::Not(Why::Quiet { until: to.parse().unwrap() }) } else { Loud::Sent };
        assert_eq!(loud, expected, "{from} to {to} on {days:?} at {now}");
    }
}

#[test]
fn quiet_hours_go_by_the_clock_on_the_wall() {
    let config = quiet("22:00", "07:00", &[], true);
    // Central Europe with its summer time: 05:30 in UTC is 06:30 in winter and 07:30 in summer.
    let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
    let tell = |now: &str| {
        let moment = Moment { now: now.parse().unwrap(), zone: zone.clone() };
        told(&mut History::default(), &config, Trigger::LoopCompleted, &moment)
    };
    assert!(matches!(tell("2026-02-15T05:30:00Z"), Loud::Not(Why::Quiet { .. })));
    assert_eq!(tell("2026-07-15T05:30:00Z"), Loud::Sent);
}

#[test]
fn critical_things_and_files_may_break_the_silence() {
    let night: Timestamp = "2026-02-15T03:00:00Z".parse().unwrap();
    for allow_critical in [true, false] {
        let config = quiet("22:00", "07:00", &[], allow_critical);
        let decided =
            History::default().tell(&config, occasion(Trigger::LoopFailed, &utc(night)), &utc(night));
        assert_eq!(decided.loud == Loud::Sent, allow_critical);
        assert_eq!(decided.send[0].channels, ["file"], "a file makes no noise");
    }
}

#[test]
fn what_was_held_before_quiet_hours_does_not_break_them() {
    let mut config = quiet("22:00", "07:00", &[], true);
    config.rate.debounce_ms = 5_000;
    let mut history = History::default();
    let before: Timestamp = "2026-02-15T21:59:58Z".parse().unwrap();
    let loud = told(&mut history, &config, Trigger::LoopCompleted, &utc(before));
    assert!(matches!(loud, Loud::Held { .. }));
    assert_eq!(history.due(&config, &utc(before.plus_millis(5_000))), []);
    assert_eq!((history.held.len(), history.held_back), (0, 1));
}

#[test]
fn a_failure_is_reported_once_until_it_works_again() {
    let (config, mut history) = (config(), History::default());
    told(&mut history, &config, Trigger::NoProgress, &at(0));
    let number = history.records[0].number;
    let refused = || Err("refused".to_owned());
    let report = history.settle(number, "chat", refused());
    assert_eq!(report.as_deref(), Some("channel `chat` cannot be told: refused"));
    assert_eq!(history.settle(number, "chat", refused()), None);
    assert_eq!(history.records[0].sent_to["chat"], Delivery::Failed("refused".to_owned()));
    assert_eq!(history.settle(number, "chat", Ok(())), None);
    assert_eq!(history.records[0].sent_to["chat"], Delivery::Delivered);
    assert!(history.settle(number, "chat", refused()).is_some());
}

#[test]
fn a_message_is_acknowledged_once() {
    let (config, mut history) = (config(), History::default());
    told(&mut history, &config, Trigger::NoProgress, &at(0));
    assert_eq!(history.records[0].acknowledged_at, None);
    history.acknowledge(at(1).now);
    history.acknowledge(at(2).now);
    assert_eq!(history.records[0].acknowledged_at, Some(at(1).now));
}

#[test]
fn the_history_stays_small() {
    let mut config = config();
    config.rate = Rate { per_trigger_ms: 0, per_hour: 0, debounce_ms: 0 };
    let mut history = History::default();
    for second in 0..250 {
        told(&mut history, &config, Trigger::IterationComplete, &at(second));
    }
    assert_eq!(history.records.len(), RECORDS_MAX);
    assert_eq!(history.records[0].at, at(150).now, "the newest are kept");
}
