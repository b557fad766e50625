//! Notifications: people are told what becomes of a run, once, wherever they said.

use super::common::{WAITS, World, eventually};
use super::servers::{Mail, Web};

const RED: &str = "test=test -f b.txt";

#[test]
fn a_webhook_and_a_file_are_told_how_a_run_ended() {
    let world = World::new();
    let web = Web::answering("{}");
    world.configure(&format!(
        "[notify]\ndebounce = \"0s\"\n[notify.channels.web]\ntype = \"webhook\"\nurl = \"{}\"\n\
         [notify.channels.told]\ntype = \"logfile\"\npath = \".piton/told.log\"\n\
         [notify.triggers]\nloop_started = true\n",
        web.url
    ));
    world.loops("r", "touch b.txt", &["--check", RED]).exits(0);
    let started = web.body();
    assert_eq!((&started["trigger"], &started["priority"]), (&"loop_started".into(), &"low".into()));
    let ended = web.body();
    assert_eq!(
        (&ended["trigger"], &ended["facts"]["status"]),
        (&"loop_completed".into(), &"completed".into())
    );
    assert_eq!(ended["facts"]["checks"], serde_json::json!([1, 1]));
    eventually("both lines are there", || world.read(".piton/told.log").lines().count() == 2);
}

#[test]
fn mail_is_sent_when_a_run_needs_a_person() {
    let world = World::new();
    let mail = Mail::new();
    world.configure(&format!(
        "[notify.channels.mail]\ntype = \"email\"\nhost = \"127.0.0.1\"\nport = {}\nencryption = \"none\"\n\
         from = \"piton <piton@example.org>\"\nto = [\"me@example.org\"]\n",
        mail.port
    ));
    let agent = r#"echo '{"status":"blocked","reason":"which colour?"}' > $PITON_REPORT"#;
    world.loops("r", agent, &["--check", RED]).exits(4);
    let mail = mail.mail();
    assert!(mail.contains("RCPT TO:<me@example.org>"), "{mail}");
    assert!(mail.contains("which colour?"), "{mail}");
}

#[test]
fn a_driver_that_takes_over_says_nothing_twice() {
    let world = World::new();
    let web = Web::answering("{}");
    world.configure(&format!(
        "[notify]\ndebounce = \"0s\"\nmin_interval = \"0s\"\n[notify.channels.web]\ntype = \"webhook\"\nurl = \"{}\"\n\
         [notify.triggers]\nloop_started = true\n",
        web.url
    ));
    world.loops_behind("r", &format!("{WAITS}; touch b.txt"), &["--check", RED]);
    assert_eq!(web.body()["trigger"], "loop_started");
    eventually("that is kept", || world.path(".piton/told/r.json").exists());
    world.kill_driver("r");
    world.open_gate();
    world.piton(&["resume", "r"]).exits(0);
    assert_eq!(web.body()["trigger"], "loop_completed");
    assert_eq!(web.rest(), [serde_json::Value::Null; 0]);
}

#[test]
fn a_channel_that_fails_is_a_note_and_nothing_else() {
    let world = World::new();
    // Nothing listens on the port of a server that is gone.
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    world.configure(&format!(
        "[notify.channels.web]\ntype = \"webhook\"\nurl = \"http://{gone}/secret-path\"\n"
    ));
    world.loops("r", "touch b.txt", &["--check", RED]).exits(0);
    let log = || std::fs::read_to_string(world.path(".piton/drivers/r.log")).unwrap_or_default();
    eventually("the driver says so", || log().contains("channel `web` cannot be told"));
    assert!(!log().contains("secret-path"), "{}", log());
}

#[test]
fn a_message_is_acknowledged_by_whoever_lets_the_run_go_on() {
    let world = World::new();
    let web = Web::answering("{}");
    world.configure(&format!(
        "[notify]\ndebounce = \"0s\"\n[notify.channels.web]\ntype = \"webhook\"\nurl = \"{}\"\n",
        web.url
    ));
    let agent = "echo x >> n; test $PITON_ITERATION = 1 || touch b.txt";
    world.loops("r", agent, &["--check", RED, "--max-iterations", "1"]).exits(3);
    let first = || {
        let told: serde_json::Value = serde_json::from_str(&world.read(".piton/told/r.json")).unwrap();
        told["records"][0].clone()
    };
    eventually("the stop was told", || first()["at"].is_string());
    assert!(first()["acknowledged_at"].is_null(), "{}", first());
    world.piton(&["resume", "r", "--max-iterations", "+1"]).exits(0);
    eventually("what was told is known to be seen", || first()["acknowledged_at"].is_string());
}
