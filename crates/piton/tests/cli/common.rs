//! A repository, a home and a piton for one test; everything that was started is gone when it ends.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use piton_sys::process::ProcessId;
use serde_json::Value;

pub(crate) use rustix::process::Signal;

/// How long anything may take before a test gives up on it.
const DEADLINE: Duration = Duration::from_secs(30);

/// An agent that does nothing until [`World::open_gate`].
pub(crate) const WAITS: &str = r#"until test -e "$GATE"; do sleep 0.02; done"#;

/// What differs from one day to the next on a screen.
const FILTERS: &[(&str, &str)] = &[
    (r"\b\d\d:\d\d:\d\dZ", "HH:MM:SSZ"),
    (r"\b\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME"),
    (r" *\b\d+(\.\d)? s\b", " T s"),
    (r"\b(driver|process) \d+", "$1 PID"),
    (r"\btree [0-9a-f]{10}\b", "tree TREE"),
    (r"\b[0-9a-f]{8}\b", "XXXXXXXX"),
    (r"\b[0-9a-f]{16}\b", "DIGEST"),
    (r"\b[0-9a-f]{40}\b", "OBJECT"),
];

/// One test's world.
pub(crate) struct World {
    root: tempfile::TempDir,
    _filters: insta::internals::SettingsBindDropGuard,
}

impl World {
    /// A git repository with one committed file, `a.txt`.
    pub(crate) fn new() -> Self {
        let world = Self::outside_git();
        world.write("a.txt", "a\n");
        world.init();
        world
    }

    /// The same with a piton.toml that is trusted.
    pub(crate) fn configured(text: &str) -> Self {
        let world = Self::new();
        world.configure(text);
        world
    }

    /// A directory with nothing in it.
    pub(crate) fn outside_git() -> Self {
        let root = tempfile::tempdir().unwrap();
        for name in ["repo", "home", "config"] {
            std::fs::create_dir(root.path().join(name)).unwrap();
        }
        let mut settings = insta::Settings::clone_current();
        settings.add_filter(&root.path().join("repo").display().to_string(), "<repo>");
        settings.add_filter(&root.path().join("copy").display().to_string(), "<copy>");
        for (pattern, plain) in FILTERS {
            settings.add_filter(pattern, *plain);
        }
        Self { root, _filters: settings.bind_to_scope() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("repo").join(name)
    }

    /// Beside the repository, where an agent may leave something that is no change of the tree.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Writes a file, and makes the directories above it.
    #[expect(clippy::disallowed_methods, reason = "a test prepares its files directly")]
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        String::from_utf8(std::fs::read(self.path(name)).unwrap()).unwrap()
    }

    /// Writes a piton.toml and trusts it.
    pub(crate) fn configure(&self, text: &str) {
        self.write("piton.toml", text);
        self.piton(&["trust", "--yes"]).exits(0);
    }

    /// Agents that [`WAITS`] go on.
    #[expect(clippy::disallowed_methods, reason = "a test prepares its files directly")]
    pub(crate) fn open_gate(&self) {
        std::fs::write(self.beside("gate"), "").unwrap();
    }

    /// A command with this world's surroundings and none of the tester's.
    #[expect(clippy::disallowed_methods, reason = "these tests start piton as a shell does")]
    fn command(&self, program: &str) -> std::process::Command {
        let mut command = std::process::Command::new(program);
        command
            .current_dir(self.path(""))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.beside("home"))
            .env("PITON_CONFIG_DIR", self.beside("config"))
            .env("GATE", self.beside("gate"))
            .env("BESIDE", self.root.path())
            .env("LANG", "C.UTF-8")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs([("GIT_AUTHOR_NAME", "t"), ("GIT_AUTHOR_EMAIL", "t@example.org")])
            .envs([("GIT_COMMITTER_NAME", "t"), ("GIT_COMMITTER_EMAIL", "t@example.org")])
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let mut command = self.command("git");
        command.args(arguments);
        let ran = Ran::of(command);
        assert_eq!(ran.code, 0, "git {arguments:?}\n{ran:?}");
        ran.out
    }

    /// Makes a git repository of what is there.
    pub(crate) fn init(&self) {
        self.git(&["init", "-q", "-b", "main"]);
        self.commit("start");
    }

    /// Commits all that is there.
    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    /// The snapshots of runs, by name.
    pub(crate) fn snapshots(&self) -> String {
        self.git(&["for-each-ref", "--format=%(refname)", "refs/piton"])
    }

    /// Runs piton to its end.
    pub(crate) fn piton(&self, arguments: &[&str]) -> Ran {
        self.piton_with(&[], arguments)
    }

    /// The same with variables set.
    pub(crate) fn piton_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
        let mut command = self.command(env!("CARGO_BIN_EXE_piton"));
        command.args(in_place(arguments)).envs(variables.iter().copied());
        Ran::of(command)
    }

    /// Runs a line of shell.
    pub(crate) fn shell(&self, line: &str) -> Ran {
        let mut command = self.command("sh");
        command.args(["-c", line]);
        Ran::of(command)
    }

    /// Runs a loop called `run` with this agent to its end.
    pub(crate) fn loops(&self, run: &str, agent: &str, more: &[&str]) -> Ran {
        self.piton(&[&["loop", "Do it", "--id", run, "--exec", agent], more].concat())
    }

    /// The same in the background, until the agent of attempt 1 works.
    pub(crate) fn loops_behind(&self, run: &str, agent: &str, more: &[&str]) -> ProcessId {
        self.loops(run, agent, &[more, &["--detach"]].concat()).exits(0);
        self.agent_works(run, 1)
    }

    /// Runs `piton … --json` and reads what it printed.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.piton(&[arguments, &["--json"]].concat()).exits(0);
        serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
    }

    /// The events of a run, one JSON object each.
    pub(crate) fn events(&self, run: &str) -> Vec<Value> {
        let ran = self.piton(&["log", run, "--json"]).exits(0);
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// How often an event of this type happened.
    pub(crate) fn count(&self, run: &str, kind: &str) -> usize {
        self.events(run).iter().filter(|event| event["type"] == kind).count()
    }

    /// Starts piton and leaves it running.
    pub(crate) fn start(&self, arguments: &[&str]) -> Started {
        self.start_with(&[], arguments)
    }

    /// The same with variables set.
    pub(crate) fn start_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Started {
        let (out, err) = (self.beside("started.out"), self.beside("started.err"));
        let file = |path: &Path| std::fs::File::create(path).unwrap();
        let mut command = self.command(env!("CARGO_BIN_EXE_piton"));
        command.args(in_place(arguments)).envs(variables.iter().copied());
        let child = command.stdout(file(&out)).stderr(file(&err)).spawn().unwrap();
        Started { child, out, err }
    }

    /// Starts piton at a terminal of its own.
    pub(crate) fn terminal(&self, arguments: &[&str]) -> Terminal {
        let quoted = |word: &&str| format!("'{}'", word.replace('\'', "'\\''"));
        let words: Vec<String> = in_place(arguments).iter().map(quoted).collect();
        let line = format!("'{}' {}", env!("CARGO_BIN_EXE_piton"), words.join(" "));
        let screen = self.beside("screen");
        let mut command = self.command("script");
        command.args(["-qfec", &line]).arg(&screen);
        let child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("`script` of util-linux is there");
        Terminal { child, screen, seen: 0 }
    }

    /// Returns once the agent of attempt `number` works.
    pub(crate) fn agent_works(&self, run: &str, number: u32) -> ProcessId {
        let attempts = self.path(&format!(".piton/attempts/{run}"));
        let mut found = None;
        eventually("the agent works", || {
            found = match piton_agent::look(&attempts, &number.to_string()) {
                Ok(piton_agent::Found::Alive { started: Some(started) }) => Some(started.process),
                _ => None,
            };
            found.is_some()
        });
        found.unwrap()
    }

    /// The process that drives `run`.
    pub(crate) fn driver(&self, run: &str) -> ProcessId {
        let status = self.json(&["status", run]);
        let pid = status["driver"]["pid"].as_u64().unwrap_or_else(|| panic!("nobody drives it: {status:#}"));
        piton_sys::process::identity(pid as u32).unwrap()
    }

    /// kill -9, and what it means.
    pub(crate) fn kill_driver(&self, run: &str) {
        let driver = self.driver(run);
        assert!(piton_sys::process::signal(&driver, piton_sys::process::Signal::Kill).unwrap());
        eventually("the driver is dead", || !piton_sys::process::is_alive(&driver));
        // Its last thread may hold the lease for a moment longer.
        let undriven = || self.piton(&["status", run, "--json"]).exits(0).out.contains("\"driver\": null");
        eventually("the lease is free", undriven);
    }

    /// Everything that this world started and that still runs: nobody else has this home.
    fn processes(&self) -> Vec<ProcessId> {
        let home = format!("HOME={}", self.beside("home").display());
        let is_ours = |pid: u32| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == home.as_bytes())
        };
        let numbers = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        numbers
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter(|pid| is_ours(*pid))
            .filter_map(piton_sys::process::identity)
            .filter(piton_sys::process::is_alive)
            .collect()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // A driver may be starting something while we look, so until nothing is left.
        for _ in 0..100 {
            let left = self.processes();
            if left.is_empty() {
                return;
            }
            for process in &left {
                let _ = piton_sys::process::signal(process, piton_sys::process::Signal::Kill);
            }
            pause();
        }
    }
}

/// What a command printed and exited with.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    fn of(command: std::process::Command) -> Self {
        let output = assert_cmd::Command::from_std(command).timeout(DEADLINE).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let code = output.status.code().unwrap_or(-1);
        Self { code, out: text(output.stdout), err: text(output.stderr) }
    }

    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "\n--- stdout\n{}--- stderr\n{}", self.out, self.err);
        self
    }
}

/// A piton that runs beside the test.
pub(crate) struct Started {
    child: std::process::Child,
    out: PathBuf,
    err: PathBuf,
}

impl Started {
    pub(crate) fn signal(&self, signal: Signal) {
        rustix::process::kill_process(rustix::process::Pid::from_child(&self.child), signal).unwrap();
    }

    /// Returns once it has printed `text` on stderr.
    pub(crate) fn says(&self, text: &str) {
        eventually(text, || std::fs::read_to_string(&self.err).unwrap().contains(text));
    }

    /// Returns once it has printed `text` on stdout.
    pub(crate) fn prints(&self, text: &str) {
        eventually(text, || std::fs::read_to_string(&self.out).unwrap().contains(text));
    }

    /// Its end; `-1` where a signal ended it.
    pub(crate) fn ends(mut self) -> Ran {
        eventually("it ends", || self.child.try_wait().unwrap().is_some());
        let read = |path: &Path| std::fs::read_to_string(path).unwrap();
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        Ran { code, out: read(&self.out), err: read(&self.err) }
    }
}

/// An agent that keeps its prompts beside the repository, and does one of `lines` per iteration.
pub(crate) fn by_iteration(lines: &[&str]) -> String {
    let cases = lines.iter().enumerate().map(|(index, line)| format!("{}) {line};;\n", index + 1));
    let cases: String = cases.collect();
    format!(
        "cp \"$PITON_PROMPT_FILE\" \"$BESIDE/prompt$PITON_ITERATION\"\ncase $PITON_ITERATION in\n{cases}esac"
    )
}

/// A loop works in place unless its test is about work trees.
fn in_place<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = arguments.to_vec();
    let says = arguments
        .iter()
        .any(|word| word.starts_with("--worktree") || ["--here", "--help", "--each"].contains(word));
    if arguments.first() == Some(&"loop") && !says {
        arguments.insert(1, "--here");
    }
    // The word for what happens when nobody says anything.
    arguments.retain(|word| *word != "--worktree=default");
    arguments
}

/// Returns once `holds` does.
#[track_caller]
pub(crate) fn eventually(what: &str, holds: impl FnMut() -> bool) {
    assert!(within(DEADLINE, holds), "never happened: {what}");
}

/// Whether `holds` does before this much time is over.
pub(crate) fn within(time: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    while !holds() {
        if started.elapsed() >= time {
            return false;
        }
        pause();
    }
    true
}

#[expect(clippy::disallowed_methods, reason = "between two looks; the deadline is in `within`")]
fn pause() {
    std::thread::sleep(Duration::from_millis(10));
}

/// A piton that somebody sits before.
pub(crate) struct Terminal {
    child: std::process::Child,
    screen: PathBuf,
    seen: usize,
}

impl Terminal {
    /// Returns once `words` are on the screen, after what was looked for before.
    pub(crate) fn shows(&mut self, words: &str) {
        let started = Instant::now();
        loop {
            let bytes = std::fs::read(&self.screen).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            if let Some(at) = text.get(self.seen..).and_then(|rest| rest.find(words)) {
                self.seen += at + words.len();
                return;
            }
            assert!(started.elapsed() < DEADLINE, "no {words:?} on the screen:\n{text}");
            pause();
        }
    }

    /// What it exits with.
    pub(crate) fn ends(mut self) -> i32 {
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl std::io::Write for Terminal {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let keys = self.child.stdin.as_mut().expect("its keys are a pipe");
        let count = keys.write(bytes)?;
        keys.flush()?;
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
