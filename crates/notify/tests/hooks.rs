//! Hooks as real processes and real requests.
#![expect(clippy::unwrap_used, reason = "what a test cannot have is a failed test")]

mod support;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use piton_model::hook::{Builtin, Hook, HookCondition, HookKind, HookPoint, Hooks, Method, Mode};
use piton_model::notify::Given;
use piton_notify::hook::{Builtins, Called, Context, Runner, seal};
use piton_sys::SystemClock;
use piton_sys::file::{self, Durability};
use piton_sys::process::Program;
use serde_json::{Value, json};
use support::{Server, eventually, means};

struct World {
    root: tempfile::TempDir,
    hooks: Hooks,
}

impl World {
    fn new() -> Self {
        Self { root: tempfile::tempdir().unwrap(), hooks: Hooks::default() }
    }

    fn path(&self) -> &Path {
        self.root.path()
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap_or_default()
    }

    fn with(mut self, name: &str, run: HookKind) -> Self {
        let points = vec![HookPoint::PreIteration];
        self.hooks.hooks.push(Hook {
            name: name.to_owned(),
            points,
            priority: 0,
            run,
            ..Builtin::Logging.hook()
        });
        self
    }

    fn command(self, name: &str, command: &str) -> Self {
        self.with(name, HookKind::Command { command: command.to_owned() })
    }

    fn script(self, name: &str, text: &str) -> Self {
        let path = self.path().join(name);
        file::create_new(&path, text.as_bytes(), Durability::Unsynced).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
        let args = vec!["one".to_owned(), "two words".to_owned()];
        self.with(name, HookKind::Script { path: name.to_owned(), args, digest: None })
    }

    fn sealed(mut self) -> Self {
        let (means, _) = means(self.root.path());
        assert_eq!(seal(&mut self.hooks, self.root.path(), &*means.vault), []);
        self
    }

    fn timeout(mut self, timeout: Duration) -> Self {
        self.hooks.default_timeout_ms = timeout.as_millis() as u64;
        self
    }

    fn runner(&self) -> Runner<'static> {
        Runner {
            hooks: self.hooks.clone(),
            means: means(self.path()).0,
            log: self.path().join("audit.log"),
            program: &|argv| Program::new(&argv[0]).args(&argv[1..]).env_remove("GIT_DIR"),
            is_cancelled: &|| false,
            clock: Arc::new(SystemClock),
            builtins: Box::new(Noted::default()),
        }
    }

    fn context(&self) -> Context {
        Context {
            call: 1,
            status: None,
            reason: None,
            hook_point: HookPoint::PreIteration,
            iteration: 4,
            loop_id: "r1".to_owned(),
            session_id: Some("s1".to_owned()),
            working_dir: self.path().display().to_string(),
            mode: Mode::Hybrid,
            tests_passing: Some(false),
            text: Some("it broke".to_owned()),
            data: json!({ "prompt": "go on" }).as_object().unwrap().clone(),
        }
    }

    fn call(&self) -> Called {
        self.runner().call(self.context())
    }
}

/// Builtins that only note that they were called.
#[derive(Default)]
struct Noted(Mutex<Vec<Builtin>>);

impl Builtins for Noted {
    fn call(&self, builtin: Builtin, _context: &Context) -> Result<Option<String>, String> {
        self.0.lock().unwrap().push(builtin);
        if builtin == Builtin::Backup { Err("no room".to_owned()) } else { Ok(Some("done".to_owned())) }
    }
}

#[test]
fn a_command_knows_where_the_run_is() {
    let world = World::new().command(
        "tell",
        "cat > context.json; echo $PITON_HOOK $PITON_HOOK_POINT $PITON_RUN_ID $PITON_ITERATION $PITON_MODE $PITON_SESSION_ID; pwd",
    );
    let called = world.call();
    let output = called.results[0].output.clone().unwrap();
    let (variables, directory) = output.split_once('\n').unwrap();
    assert_eq!(variables, "tell pre_iteration r1 4 hybrid s1");
    assert_eq!(std::fs::canonicalize(directory).unwrap(), std::fs::canonicalize(world.path()).unwrap());
    let context: Value = serde_json::from_str(&world.read("context.json")).unwrap();
    let expected = json!({
        "call": 1, "hook_point": "pre_iteration", "iteration": 4, "loop_id": "r1", "session_id": "s1",
        "working_dir": world.path(), "mode": "hybrid", "tests_passing": false, "text": "it broke",
        "data": { "prompt": "go on" },
    });
    assert_eq!(context, expected);
    assert_eq!(called.judgement.stop, None);
}

#[test]
fn a_hook_can_stop_the_run() {
    let world =
        World::new().command("gate", r#"echo looking; echo '{"continue_loop": false, "output": "budget"}'"#);
    let stop = world.call().judgement.stop.unwrap();
    assert_eq!(stop.why, "hook `gate` stopped the run at pre_iteration: budget");
}

#[test]
fn what_one_changes_the_next_one_sees() {
    let world = World::new()
        .command("first", r#"echo '{"modified_data": {"prompt": "stop", "seen": true}}'"#)
        .command("second", "cat > context.json");
    let called = world.call();
    let context: Value = serde_json::from_str(&world.read("context.json")).unwrap();
    assert_eq!(context["data"], json!({ "prompt": "stop", "seen": true }));
    assert_eq!(Value::Object(called.judgement.data), json!({ "prompt": "stop", "seen": true }));
}

#[test]
fn a_hook_that_takes_too_long_is_ended_with_all_it_started() {
    let world = World::new()
        .command("slow", "sleep 600 & echo $! > pid; wait")
        .command("next", "echo still here")
        .timeout(Duration::from_millis(500));
    let called = world.call();
    assert_eq!(called.results[0].error.as_deref(), Some("it took longer than 0.5 s and was ended"));
    assert!(!called.results[0].success && called.results[0].continue_loop);
    assert!(called.results[0].duration_ms >= 500);
    assert_eq!(called.results[1].output.as_deref(), Some("still here"), "the others have their turn");
    let pid: u32 = world.read("pid").trim().parse().expect("it began before its time was up");
    eventually("its child is gone", || {
        piton_sys::process::identity(pid).is_none_or(|process| !piton_sys::process::is_alive(&process))
    });
}

#[test]
fn a_failure_is_told_and_goes_on() {
    let world =
        World::new().command("bad", "echo oh no >&2; exit 3").command("loud", "yes").command("good", "true");
    let called = world.call();
    assert_eq!(called.results[0].error.as_deref(), Some("it exited with 3: oh no"));
    assert_eq!(called.results[1].error.as_deref(), Some("`sh` wrote more than 1048576 bytes"));
    assert!(called.results[2].success);
    assert_eq!(called.judgement.stop, None);
    assert_eq!(called.judgement.warnings.len(), 2);
}

#[test]
fn words_of_an_agent_are_never_a_command() {
    let world = World::new().command("echo", "cat >/dev/null");
    let mut context = world.context();
    context.text = Some("$(touch pwned) `touch pwned`; touch pwned #".to_owned());
    context.session_id = Some("'; touch pwned; '".to_owned());
    context.data.insert("a".to_owned(), json!("\n touch pwned"));
    assert!(world.runner().call(context).results[0].success);
    assert!(!world.path().join("pwned").exists());
}

#[test]
fn a_hook_that_reads_nothing_is_not_waited_for() {
    let world = World::new().command("deaf", "exec <&-; true");
    let mut context = world.context();
    context.data.insert("large".to_owned(), json!("x".repeat(1 << 20)));
    assert!(world.runner().call(context).results[0].success);
}

#[test]
fn a_script_runs_as_it_was_trusted_and_not_otherwise() {
    let text = "#!/bin/sh\nprintf '%s|' \"$@\"\n";
    let unsealed = World::new().script("hook.sh", text);
    let skipped = &unsealed.call().results[0];
    assert!(skipped.skipped && !skipped.success);
    assert_eq!(skipped.error.as_deref(), Some("skipped, not trusted: hook.sh one two words"));

    let world = World::new().script("hook.sh", text).sealed();
    assert_eq!(world.call().results[0].output.as_deref(), Some("one|two words|"));
    let path = world.path().join("hook.sh");
    file::write_atomic(&path, b"#!/bin/sh\ntouch pwned\n", Durability::Unsynced).unwrap();
    let called = world.call();
    let why = "skipped, changed since it was trusted: hook.sh one two words";
    assert_eq!(called.results[0].error.as_deref(), Some(why));
    assert_eq!(called.judgement.warnings, [format!("hook `hook.sh` {why}")]);
    assert!(!world.path().join("pwned").exists());
    std::fs::remove_file(&path).unwrap();
    assert!(world.call().results[0].error.as_ref().unwrap().starts_with("skipped, there is no file"));
}

#[test]
fn what_is_not_trusted_is_not_run() {
    let mut world = World::new().command("theirs", "touch pwned");
    world.hooks.hooks[0].untrusted = true;
    let called = world.call();
    assert_eq!(called.judgement.warnings, ["hook `theirs` skipped, not trusted: touch pwned"]);
    assert!(!world.path().join("pwned").exists());
}

#[test]
fn a_webhook_is_asked_like_a_program() {
    let server = Server::answering("200 OK", r#"{"continue_loop": false, "output": "closed"}"#);
    let url = Given::Plain(server.url("/gate"));
    let world = World::new().with("gate", HookKind::Webhook { url, method: Method::Put });
    let called = world.call();
    let request = server.request();
    assert_eq!(request.line, "PUT /gate HTTP/1.1");
    assert_eq!(request.json()["hook_point"], "pre_iteration");
    assert_eq!(called.judgement.stop.unwrap().why, "hook `gate` stopped the run at pre_iteration: closed");
}

#[test]
fn a_webhook_that_does_not_answer_stops_nothing() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = Given::Plain(format!("http://{}/", silent.local_addr().unwrap()));
    let world = World::new()
        .with("gate", HookKind::Webhook { url, method: Method::Post })
        .timeout(Duration::from_millis(300));
    let called = world.call();
    assert!(called.results[0].error.as_ref().unwrap().ends_with("did not answer within 0.3 s"));
    assert_eq!(called.judgement.stop, None);
}

#[test]
fn builtins_do_what_they_say() {
    let mut world = World::new();
    world.hooks.hooks =
        Builtin::ALL.map(|builtin| Hook { points: vec![HookPoint::PreIteration], ..builtin.hook() }).to_vec();
    let called = world.call();
    let names: Vec<_> = called.results.iter().map(|result| (&*result.hook_name, result.success)).collect();
    let expected =
        [("logging", true), ("metrics", true), ("backup", false), ("git", true), ("notification", true)];
    assert_eq!(names, expected);
    assert_eq!(called.results[2].error.as_deref(), Some("no room"));
    let log = world.read("audit.log");
    assert!(log.ends_with("[PRE_ITERATION] r1 iteration 4, hybrid\n"), "{log}");
}

#[test]
fn only_the_hooks_of_this_point_and_moment_are_called() {
    let mut world = World::new().command("now", "true").command("later", "true").command("seldom", "true");
    world.hooks.hooks[1].points = vec![HookPoint::LoopEnd];
    world.hooks.hooks[2].conditions = vec![HookCondition::EveryN { n: 3 }];
    let names: Vec<_> = world.call().results.into_iter().map(|result| result.hook_name).collect();
    assert_eq!(names, ["now"]);
}
