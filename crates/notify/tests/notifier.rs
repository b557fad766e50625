//! The whole way from a state to what people get.
#![expect(clippy::unwrap_used, reason = "what a test cannot have is a failed test")]

mod support;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::tz::TimeZone;
use piton_model::loop_machine::{AgentConfig, Check, LoopConfig, Place};
use piton_model::notify::{Channel, ChannelKind, Given, Notify, On, QuietHours, Rate, Trigger};
use piton_model::{Event, Reason, State, Timestamp, apply, create};
use piton_notify::{Delivery, History, Notifier, Setup};
use piton_sys::Clock;
use support::{PATIENCE, Server, eventually, means};

const NOON: Timestamp = Timestamp::from_millis(1_771_157_000_000);

/// A clock that is set by hand.
#[derive(Clone)]
struct Hands(Arc<Mutex<Timestamp>>);

impl Hands {
    fn new() -> Self {
        Self(Arc::new(Mutex::new(NOON)))
    }
}

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }
}

fn created() -> State {
    let check = Check::new("test", "true");
    let config = LoopConfig::new("Tidy up", AgentConfig::new("exec", &["true"]), vec![check]);
    let event = create("ralph-tidy-7f3a91c2".parse().unwrap(), "Tidy up", config).unwrap();
    apply(None, &event, NOON).unwrap()
}

fn after(state: &State, events: &[Event]) -> State {
    let fold = |state, event| apply(Some(state), event, NOON).unwrap();
    events.iter().fold(state.clone(), fold)
}

fn running() -> State {
    let place = Place { host: "h".to_owned(), boot: "b".to_owned(), pid: 1 };
    let command = piton_model::Command::Drive { epoch: 1, place, version: "0".to_owned() };
    after(&created(), &piton_model::advance(&created(), command, NOON).unwrap().0)
}

fn completed() -> State {
    after(&running(), &[Event::RunCompleted { reason: Reason::ChecksPass, detail: None }])
}

fn config(url: String) -> Notify {
    Notify {
        channels: vec![
            Channel::new("hook", ChannelKind::Webhook { url: Given::Plain(url), token: None }),
            Channel::new("file", ChannelKind::Logfile { path: "log/told.log".to_owned() }),
        ],
        on: Trigger::ALL.into_iter().map(|trigger| (trigger, On::of(trigger))).collect(),
        rate: Rate { debounce_ms: 0, ..Rate::default() },
        quiet: None,
    }
}

fn start(root: &Path, config: Notify) -> Notifier {
    let setup = Setup {
        config,
        means: means(root).0,
        history: root.join("told.json"),
        repository: "app".to_owned(),
        clock: Arc::new(Hands::new()),
        zone: TimeZone::UTC,
    };
    Notifier::start(setup).unwrap()
}

fn log(root: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(root.join("log/told.log")).unwrap_or_default();
    text.lines().map(|line| line.split(' ').nth(2).unwrap().to_owned()).collect()
}

#[test]
fn people_are_told_how_a_run_goes() {
    let root = tempfile::tempdir().unwrap();
    let server = Server::answering("200 OK", "");
    let mut notifier = start(root.path(), config(server.url("/")));
    for state in [created(), running(), running(), completed()] {
        notifier.observe(&state);
    }
    assert_eq!(notifier.close(PATIENCE), [""; 0]);
    let told: Vec<_> =
        (0..2).map(|_| server.request().json()["title"].as_str().unwrap().to_owned()).collect();
    assert_eq!(told, ["7f3a91c2: started", "7f3a91c2: done"]);
    assert!(server.was_left_alone());
    assert_eq!(log(root.path()), ["loop_started", "loop_completed"]);
}

#[test]
fn a_driver_that_starts_again_tells_nothing_twice_and_forgets_nothing() {
    let root = tempfile::tempdir().unwrap();
    let server = Server::answering("200 OK", "");
    let mut notifier = start(root.path(), config(server.url("/")));
    notifier.observe(&running());
    assert_eq!(server.request().json()["trigger"], "loop_started");
    // The driver dies: nobody closes anything. What it told is kept once it was told.
    eventually("it is kept", || History::load(&root.path().join("told.json")).seen.is_some());
    std::mem::forget(notifier);
    let mut notifier = start(root.path(), config(server.url("/")));
    notifier.observe(&running());
    notifier.observe(&completed());
    notifier.close(PATIENCE);
    assert_eq!(server.request().json()["trigger"], "loop_completed");
    assert!(server.was_left_alone());
}

#[test]
fn what_waits_is_sent_before_the_driver_leaves() {
    let root = tempfile::tempdir().unwrap();
    let server = Server::answering("200 OK", "");
    let mut config = config(server.url("/"));
    config.rate.debounce_ms = 3_600_000;
    let mut notifier = start(root.path(), config);
    notifier.observe(&running());
    notifier.observe(&completed());
    notifier.close(PATIENCE);
    assert_eq!(server.request().json()["trigger"], "loop_started");
    assert_eq!(server.request().json()["trigger"], "loop_completed");
}

#[test]
fn a_burst_is_sent_when_its_time_has_come() {
    let root = tempfile::tempdir().unwrap();
    let server = Server::answering("200 OK", "");
    let mut config = config(server.url("/"));
    config.rate.debounce_ms = 50;
    let setup = Setup {
        config,
        means: means(root.path()).0,
        history: root.path().join("told.json"),
        repository: "app".to_owned(),
        clock: Arc::new(piton_sys::SystemClock),
        zone: TimeZone::UTC,
    };
    let mut notifier = Notifier::start(setup).unwrap();
    notifier.observe(&running());
    assert_eq!(server.request().json()["trigger"], "loop_started", "without anybody asking for it");
    drop(notifier);
}

#[test]
fn a_channel_that_fails_is_reported_once_and_keeps_nobody_from_the_others() {
    let root = tempfile::tempdir().unwrap();
    let server = Server::answering("500 Oh No", "on fire");
    let mut notifier = start(root.path(), config(server.url("/")));
    for state in [
        running(),
        after(&running(), &[Event::RunPaused { reason: piton_model::Reason::Human, detail: None }]),
        completed(),
    ] {
        notifier.observe(&state);
    }
    let problems = notifier.close(PATIENCE);
    let expected = format!("channel `hook` cannot be told: `{}` answered 500: on fire", server.address);
    assert_eq!(problems, [expected]);
    assert_eq!(log(root.path()), ["loop_started", "loop_paused", "loop_completed"]);
    let history = History::load(&root.path().join("told.json"));
    assert!(history.records.iter().all(|record| matches!(record.sent_to["hook"], Delivery::Failed(_))));
    // Nor does it get reported again by the next driver.
    let mut notifier = start(root.path(), config(server.url("/")));
    notifier.observe(&after(&completed(), &[Event::RunResumed { raise: Default::default() }]));
    assert_eq!(notifier.close(PATIENCE), [""; 0]);
}

#[test]
fn a_driver_does_not_wait_for_a_channel_that_hangs() {
    let root = tempfile::tempdir().unwrap();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut notifier = start(root.path(), config(format!("http://{}/", silent.local_addr().unwrap())));
    notifier.observe(&running());
    notifier.observe(&completed());
    let problems = notifier.close(Duration::from_millis(200));
    assert_eq!(problems, ["people could not be told within 0.2 s"]);
}

#[test]
fn at_night_only_the_file_is_told() {
    let root = tempfile::tempdir().unwrap();
    let server = Server::answering("200 OK", "");
    let mut config = config(server.url("/"));
    let (from, to) = ("12:00".parse().unwrap(), "13:00".parse().unwrap());
    config.quiet = Some(QuietHours { from, to, days: Vec::new(), allow_critical: true });
    let mut notifier = start(root.path(), config);
    notifier.observe(&running());
    notifier.observe(&completed());
    assert_eq!(notifier.close(PATIENCE), [""; 0]);
    assert!(server.was_left_alone());
    assert_eq!(log(root.path()), ["loop_started", "loop_completed"]);
}

#[test]
fn the_desktop_is_told_in_plain_words() {
    use std::os::unix::fs::PermissionsExt;
    let root = tempfile::tempdir().unwrap();
    let program = root.path().join("notify-send");
    let script = format!("#!/bin/sh\nprintf '%s\\n' \"$@\" > {}/told\n", root.path().display());
    piton_sys::file::create_new(&program, script.as_bytes(), piton_sys::file::Durability::Unsynced).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    let (mut means, _) = means(root.path());
    let desktop = support::channel(ChannelKind::Desktop {});
    let without = means.send(&desktop, &support::message()).unwrap_err().to_string();
    assert_eq!(without, "this session has no desktop");
    means.desktop = Some(program);
    let mut message = support::message();
    message.title = "--help".to_owned();
    message.text = "<b>bold</b> & \u{7}bell".to_owned();
    means.send(&desktop, &message).unwrap();
    let told = std::fs::read_to_string(root.path().join("told")).unwrap();
    let expected = "--app-name=piton\n--urgency=normal\n--\n--help\n&lt;b&gt;bold&lt;/b&gt; &amp; bell\n";
    assert_eq!(told, expected);
}

#[test]
fn a_history_that_is_not_ours_costs_a_message_and_no_run() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("told.json");
    for text in ["", "{", "[]", r#"{"unknown": 1}"#] {
        piton_sys::file::write_atomic(&path, text.as_bytes(), piton_sys::file::Durability::Unsynced).unwrap();
        assert_eq!(History::load(&path), History::default(), "{text}");
    }
    let server = Server::answering("200 OK", "");
    let mut notifier = start(root.path(), config(server.url("/")));
    notifier.observe(&running());
    assert_eq!(notifier.close(PATIENCE), [""; 0]);
    assert_eq!(server.request().json()["trigger"], "loop_started");
}
