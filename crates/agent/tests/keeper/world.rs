//! A place for attempts, and an independent look at what runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use piton_agent::{Exit, Found, KeeperRecord, Launch, Limits, Spec, Stdin};
use piton_sys::process::{Emptied, ProcessId, Signal, Tree, TreeKind};
use piton_sys::{Ids, SystemIds};

/// Whether trees may use control groups, where this machine has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nets {
    All,
    ScanOnly,
}

pub(crate) struct World {
    root: tempfile::TempDir,
    pub(crate) attempts: PathBuf,
    pub(crate) exe: PathBuf,
    /// Nobody else's processes have this in their arguments: a number of seconds to sleep.
    pub(crate) token: String,
    mark: String,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(Nets::All)
    }

    pub(crate) fn with(nets: Nets) -> Self {
        let root = tempfile::tempdir().unwrap();
        let number = u64::from_str_radix(&SystemIds.hex(12), 16).unwrap();
        let mut world = Self {
            attempts: root.path().join("attempts/run"),
            exe: PathBuf::from(env!("CARGO_BIN_EXE_piton-agent-test-keeper")),
            token: format!("9{number:015}"),
            mark: format!("test-{}", SystemIds.hex(16)),
            root,
        };
        if nets == Nets::ScanOnly {
            world.start_keepers_with("PITON_CGROUP=off");
        }
        world
    }

    /// Keepers started from now on get these variables.
    pub(crate) fn start_keepers_with(&mut self, assignments: &str) {
        let script = self.root.path().join(format!("keeper-{}.sh", SystemIds.hex(8)));
        let text = format!("#!/bin/sh\nexec env {assignments} '{}' \"$@\"\n", self.exe.display());
        self.write_script(&script, &text);
        self.exe = script;
    }

    pub(crate) fn write_script(&self, path: &Path, text: &str) {
        use std::os::unix::fs::PermissionsExt;
        // A child forked by another thread could hold a file open for writing, and exec would say it is busy.
        let copy = piton_sys::process::Program::new("sh")
            .args(["-c", "cat > \"$1\"", "sh"])
            .arg(path)
            .stdin_bytes(text.as_bytes().to_vec());
        let limits =
            piton_sys::process::RunLimits { deadline: Duration::from_secs(20), output_bytes_max: 1024 };
        assert!(copy.run(limits).unwrap().success());
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn path(&self) -> &Path {
        self.root.path()
    }

    pub(crate) fn directory(&self, name: &str) -> PathBuf {
        self.attempts.join(name)
    }

    /// A spec that runs `script` with a shell; `TOKEN` in it becomes this world's token.
    pub(crate) fn spec(&self, name: &str, script: &str) -> Spec {
        let script = script.replace("TOKEN", &self.token);
        Spec {
            run: String::from("run"),
            name: name.to_owned(),
            mark: format!("{}-{name}", self.mark),
            argv: ["sh", "-c", &script].map(String::from).to_vec(),
            cwd: self.root.path().to_owned(),
            env: BTreeMap::new(),
            env_remove: Vec::new(),
            stdin: Stdin::Null,
            prompt: None,
            files: std::collections::BTreeMap::new(),
            redact: Vec::new(),
            journal: None,
            limits: Limits {
                wall_ms: None,
                idle_ms: None,
                output_bytes_max: 10 * 1024 * 1024,
                kill_grace_ms: 300,
            },
        }
    }

    pub(crate) fn try_launch(&self, spec: &Spec) -> Result<Launch, piton_agent::Error> {
        piton_agent::launch(&self.exe, &self.attempts, spec, None)
    }

    pub(crate) fn launch(&self, spec: &Spec) {
        assert_eq!(self.try_launch(spec).unwrap(), Launch::Started);
    }

    /// Launches and waits for the end.
    pub(crate) fn run(&self, spec: &Spec) -> Exit {
        self.launch(spec);
        self.finished(&spec.name)
    }

    pub(crate) fn look(&self, name: &str) -> Found {
        piton_agent::look(&self.attempts, name).unwrap()
    }

    pub(crate) fn finished(&self, name: &str) -> Exit {
        match piton_agent::wait(&self.attempts, name).unwrap() {
            Found::Finished(exit) => exit,
            found => panic!("not finished: {found:?}"),
        }
    }

    pub(crate) fn cancel(&self, name: &str) -> Exit {
        piton_agent::cancel(&self.attempts, name).unwrap();
        self.finished(name)
    }

    pub(crate) fn keeper(&self, name: &str) -> KeeperRecord {
        serde_json::from_slice(&std::fs::read(self.directory(name).join("keeper.json")).unwrap()).unwrap()
    }

    pub(crate) fn tree_kind(&self, name: &str) -> TreeKind {
        match self.look(name) {
            Found::Alive { started: Some(started) } | Found::Dead { started: Some(started) } => started.tree,
            found => panic!("not started: {found:?}"),
        }
    }

    /// Kills the keeper as hard as it goes, and waits until it is gone.
    pub(crate) fn kill_keeper(&self, name: &str) {
        let keeper = self.keeper(name).process;
        assert!(piton_sys::process::signal(&keeper, Signal::Kill).unwrap());
        eventually("the keeper is dead", || !piton_sys::process::is_alive(&keeper));
    }

    pub(crate) fn reap(&self, name: &str) -> Emptied {
        piton_agent::reap(&self.attempts, name).unwrap()
    }

    /// What is in a file of the attempt by now; nothing where there is none yet.
    pub(crate) fn log(&self, name: &str, log: &str) -> Vec<u8> {
        std::fs::read(self.directory(name).join(log)).unwrap_or_default()
    }

    /// Every running process with this world's token in its arguments. Does not use what it is to test.
    pub(crate) fn sleepers(&self) -> Vec<u32> {
        let mut found = Vec::new();
        for item in std::fs::read_dir("/proc").unwrap().flatten() {
            let Some(pid) = item.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            let arguments = std::fs::read(item.path().join("cmdline")).unwrap_or_default();
            let is_ours = arguments.windows(self.token.len()).any(|part| part == self.token.as_bytes());
            // A zombie has no arguments any more.
            if is_ours {
                found.push(pid);
            }
        }
        found
    }

    /// The keepers of this world, those that wait for a spec among them.
    pub(crate) fn keepers(&self) -> Vec<piton_sys::process::ProcessId> {
        let attempts = self.attempts.as_os_str();
        let pids = std::fs::read_dir("/proc").unwrap().flatten();
        let pids = pids.filter_map(|item| item.file_name().to_str()?.parse().ok());
        let ours =
            pids.filter(|pid| piton_sys::process::command_line(*pid).iter().any(|word| word == attempts));
        ours.filter_map(piton_sys::process::identity).collect()
    }

    /// Waits until so many run, and says which: one that is just becoming another program has no arguments for a moment.
    pub(crate) fn wait_for_sleepers(&self, count: usize) -> Vec<u32> {
        let mut sleepers = Vec::new();
        eventually(&format!("{count} processes run"), || {
            sleepers = self.sleepers();
            sleepers.len() >= count
        });
        sleepers
    }
}

impl Drop for World {
    /// A failed test leaves nothing running either.
    fn drop(&mut self) {
        let Ok(items) = std::fs::read_dir(&self.attempts) else { return };
        for item in items.flatten() {
            let record = std::fs::read(item.path().join("keeper.json")).unwrap_or_default();
            let Ok(keeper) = serde_json::from_slice::<KeeperRecord>(&record) else { continue };
            let _ = piton_sys::process::signal(&keeper.process, Signal::Kill);
            if let Ok(tree) = Tree::open(&keeper.mark) {
                let _ = tree.kill(Duration::from_secs(5));
                let _ = tree.remove();
            }
        }
    }
}

/// Looks until it is true; fails after a while.
pub(crate) fn eventually(what: &str, mut is_true: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_true() {
        assert!(Instant::now() < deadline, "not in time: {what}");
        // Gives the others a turn; nothing here depends on how long it takes.
        let _ = piton_sys::ready::wait(&mut [], Some(Duration::from_millis(2)));
    }
}

pub(crate) fn is_alive(process: &ProcessId) -> bool {
    piton_sys::process::is_alive(process)
}
