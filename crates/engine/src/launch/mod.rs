//! One launcher: "this work, this agent, these surroundings" becomes what a keeper runs.
//!
//! Everything that a run starts is made here: agents of loops, steps and gates of workflows, checks and conditions, hooks,
//! the setup of a work tree, research, the command of `--on-done`. What a process is given (argv, environment, injection, session), what holds it
//! (walls, limits) and what never reaches a disk (redaction) is said once, so that a setting holds for all of them.
//!
//! Surroundings are opened once per driver. They are refused where something that was asked for cannot be had: a run
//! that is to have walls does not begin without them, and one whose secrets cannot be read does not begin either.
//! Never starts work itself and never waits: [`crate::supervise`] does. At most a keeper is started ahead.

pub(crate) mod ended;
pub mod hidden;
mod inject;
pub mod proxy;
mod secrets;
pub mod walls;
mod work;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use piton_agent::{Limits, Spare, Spec, Stdin};
use piton_config::files::PROJECT_FILE;
use piton_git::{Tree, Workspace};
use piton_model::RunId;
use piton_model::loop_machine::{AgentConfig, Confine, PromptBy, Snapshot, StreamFormat};
use piton_sys::file;
use piton_sys::process::Program;
use piton_sys::redact::Redactor;
use piton_sys::{Ids, SystemIds};

use crate::layout::Layout;
use crate::moved::Moved;
use crate::world::{WorldError, snapshot_id};
pub(crate) use ended::Ended;
use inject::Injected;
pub use secrets::{Secrets, SecretsError};
use walls::Walls;
use work::{HIDDEN_VARIABLES, argv_of, hidden_variables};
pub(crate) use work::{What, Work, shell};

/// What is kept of each output of an agent or a step.
pub(crate) const AGENT_OUTPUT_BYTES_MAX: u64 = 64 << 20;
/// What is kept of each output of a command that judges something.
pub(crate) const COMMAND_OUTPUT_BYTES_MAX: u64 = 16 << 20;
/// How long a command that judges something may take, where nothing else is said.
pub(crate) const COMMAND_TIMEOUT_MS: u64 = 15 * 60_000;

/// Between the request to end and the kill.
const KILL_GRACE_MS: u64 = 1_000;

/// The extension of the place beside the copy of a tree where the files of the user's home are that its trials may write.
pub(crate) const HOME_OF_A_TRIAL: &str = "home";

/// The variables that say where temporary files go.
const TEMPORARY: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];

/// Why nothing of a run can be started here.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// It is to have walls, and there can be none.
    #[error("the agent cannot be confined: {why}")]
    NoWalls {
        /// What stands in the way.
        why: String,
    },
    /// What must not be written down cannot be read.
    #[error(transparent)]
    Secrets(#[from] SecretsError),
    /// It is not known which program this is: keepers are started from it.
    #[error("failed to find this program")]
    ThisProgram(#[from] std::io::Error),
    /// Git said no.
    #[error(transparent)]
    Git(#[from] piton_git::Error),
}

/// What holds for everything that one run starts.
pub(crate) struct Surroundings {
    run: RunId,
    /// This very program: keepers are started from it.
    exe: PathBuf,
    layout: Layout,
    secrets: Secrets,
    confined: Option<Confined>,
    /// A keeper for what comes next.
    spare: Mutex<Option<Spare>>,
    /// What a person should know and no event says.
    notes: Mutex<Vec<String>>,
}

/// What walls are built from, besides the agent's own places.
#[derive(Default)]
struct Confined {
    /// What the run asked for.
    asked: Confine,
    /// Paths in the tree that stay as they are.
    protect: Vec<String>,
    /// What git keeps for the tree.
    git: Vec<PathBuf>,
    /// What work of this kind has to write besides the tree.
    open: Vec<PathBuf>,
}

/// What is special about the walls around one thing.
#[derive(Default)]
struct Opening<'a> {
    /// Whose places can be written.
    agent: Option<&'a AgentConfig>,
    /// Where it leaves what it says.
    outbox: Option<&'a Path>,
    /// What else it can write.
    open: Option<&'a Path>,
    /// What of git's it cannot, besides what is closed to all.
    closed: &'a [PathBuf],
    /// It can write neither to the tree nor to what the run opens for those who work there.
    only_reads: bool,
}

impl Surroundings {
    /// The surroundings of `run`, which works in the tree of `layout`. Refused where it is to be confined and cannot be.
    /// Before the tree is there: nothing is to be made, or set up, for a run that cannot begin.
    pub(crate) fn open(run: &RunId, layout: &Layout, confine: Option<&Confine>) -> Result<Self, LaunchError> {
        if let Some(confine) = confine {
            walls::available(layout, confine.network.is_some())
                .map_err(|why| LaunchError::NoWalls { why })?;
        }
        let confined = confine.map(|confine| Confined { asked: confine.clone(), ..Confined::default() });
        let (exe, secrets) = (this_program()?, Secrets::of(layout.root())?);
        let (spare, notes) = (Mutex::default(), Mutex::default());
        Ok(Self { run: run.clone(), exe, layout: layout.clone(), secrets, confined, spare, notes })
    }

    /// Takes out, besides, what the project's file called secret when the run began, as the first snapshot has it.
    pub(crate) fn keeping_secrets_of(mut self, start: Option<&Snapshot>) -> Result<Self, WorldError> {
        let Some(start) = start else { return Ok(self) };
        let workspace = Workspace::open(self.layout.tree(), &self.layout.state())?;
        let tree = workspace.tree(&snapshot_id(&start.id)?);
        let failed = |error: piton_guard::ReadError| WorldError::Guard { what: error.to_string() };
        let entries = tree.entries().map_err(failed)?;
        let file = entries.into_iter().find(|entry| entry.path == PROJECT_FILE);
        let content = file.map(|file| tree.read(&[file])).transpose().map_err(failed)?;
        if let Some(content) = content.and_then(|mut contents| contents.pop()) {
            self.secrets = self.secrets.and_of(content);
        }
        Ok(self)
    }

    /// Closes what git keeps for the tree, where there are walls. Refused where the tree is such that they would close nothing.
    pub(crate) fn closing_git(mut self) -> Result<Self, LaunchError> {
        if let Some(confined) = &mut self.confined {
            walls::require_home_outside(self.layout.tree()).map_err(|why| LaunchError::NoWalls { why })?;
            confined.git = Workspace::open(self.layout.tree(), &self.layout.state())?.git_places();
        }
        Ok(self)
    }

    /// Keeps these paths of the tree as they are, where there are walls.
    pub(crate) fn protecting(mut self, paths: &[String]) -> Self {
        if let Some(confined) = &mut self.confined {
            confined.protect = paths.to_vec();
        }
        self
    }

    /// Opens these directories for writing, where there are walls: work of this kind leaves something there.
    pub(crate) fn opening(mut self, places: impl IntoIterator<Item = PathBuf>) -> Self {
        if let Some(confined) = &mut self.confined {
            confined.open.extend(places);
        }
        self
    }

    /// Where the attempts are.
    pub(crate) fn attempts(&self) -> PathBuf {
        self.layout.attempts(&self.run)
    }

    /// This very program.
    pub(crate) fn exe(&self) -> &Path {
        &self.exe
    }

    /// Starts a keeper ahead, since something is about to follow: it waits for what that will be.
    pub(crate) fn expect_another(&self) {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.is_none() {
            *spare = Spare::start(&self.exe, &self.attempts());
        }
    }

    /// The keeper that was started ahead, if it was.
    pub(crate) fn take_spare(&self) -> Option<Spare> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Keeps what a person should know until somebody who can say it [takes](Self::take_notes) it.
    pub(crate) fn note(&self, text: String) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    /// What a person should know by now and was not told.
    pub(crate) fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether this stands between walls.
    pub(crate) fn encloses(&self, what: &What<'_>) -> bool {
        self.confined.is_some() && what.is_inside()
    }

    /// Takes out what must not be written down or said.
    pub(crate) fn redactor(&self) -> &Redactor {
        self.secrets.redactor()
    }

    /// The variables that name something in the checkout, such as a Python environment, which the run's own work tree has
    /// too: they name that.
    pub(crate) fn of_the_tree(&self) -> BTreeMap<String, String> {
        let (root, tree) = (self.layout.root(), self.layout.tree());
        if root == tree {
            return BTreeMap::new();
        }
        let moved = Moved::new(root, tree);
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            let (name, value) = (name.into_string().ok()?, moved.value(&value)?.into_string().ok()?);
            let is_given = !name.starts_with("PITON_") && !HIDDEN_VARIABLES.contains(&name.as_str());
            is_given.then_some((name, value))
        });
        variables.collect()
    }

    /// What a keeper runs.
    pub(crate) fn prepare(&self, work: Work<'_>) -> Box<Spec> {
        let Work {
            name,
            what,
            directory,
            mut env,
            prompt,
            wall_ms,
            idle_ms,
            output_bytes_max,
            beside,
            pass,
            own,
        } = work;
        let attempt = self.attempts().join(name);
        env.insert("PITON_RUN_ID".to_owned(), self.run.to_string());
        let mut files = BTreeMap::new();
        let mut stdin = Stdin::Null;
        let (inside, in_the_tree) = (what.is_inside(), what.is_in_the_tree());
        let only_reads = matches!(what, What::Reader { .. });
        let (argv, agent) = match what {
            What::Command(command) | What::InCheckout(command) | What::Setup(command) => {
                env.insert("CI".to_owned(), "1".to_owned());
                (shell(command), None)
            }
            What::Program(argv) => {
                if prompt.is_some() {
                    stdin = Stdin::Prompt;
                }
                (argv, None)
            }
            What::Piton(words) => {
                let mut argv = vec![self.exe.display().to_string()];
                argv.extend(self.layout.arguments().iter().map(|word| word.to_string_lossy().into_owned()));
                argv.extend(words);
                (argv, None)
            }
            What::Reader { agent } => {
                assert!(self.confined.is_some(), "whoever is only to read stands between walls");
                env.insert("PITON_BIN".to_owned(), self.exe.display().to_string());
                env.extend(agent.env.iter().map(|(name, value)| (name.clone(), value.clone())));
                if agent.prompt == PromptBy::Stdin {
                    stdin = Stdin::Prompt;
                }
                (argv_of(agent, None, Vec::new(), prompt.as_deref(), &attempt), Some(agent))
            }
            What::Agent { agent, session, brief } => {
                env.insert("PITON_BIN".to_owned(), self.exe.display().to_string());
                let mut injected = Injected::default();
                if let Some(brief) = &brief {
                    env.insert("PITON_BRIEF".to_owned(), brief.display().to_string());
                    injected = Injected::of(&agent.inject, &self.exe, brief, &attempt);
                }
                env.extend(agent.env.iter().map(|(name, value)| (name.clone(), value.clone())));
                env.extend(injected.env);
                files = injected.files;
                if agent.prompt == PromptBy::Stdin {
                    stdin = Stdin::Prompt;
                }
                (argv_of(agent, session, injected.arguments, prompt.as_deref(), &attempt), Some(agent))
            }
        };
        let argv = match inside {
            true => {
                let outbox = piton_agent::outbox(&attempt);
                let opening = Opening {
                    agent: agent.or(beside),
                    outbox: Some(&outbox),
                    open: own,
                    only_reads,
                    ..Opening::default()
                };
                let tree = if in_the_tree { self.layout.tree() } else { self.layout.root() };
                self.enclose(argv, Some(directory), tree, &opening)
            }
            false => argv,
        };
        let env_remove = hidden_variables(agent.and_then(|agent| agent.pass.as_deref()).or(pass));
        let of_the_tree = if in_the_tree { self.of_the_tree() } else { BTreeMap::new() };
        for (name, value) in of_the_tree.into_iter().filter(|(name, _)| !env_remove.contains(name)) {
            env.entry(name).or_insert(value);
        }
        Box::new(Spec {
            run: self.run.to_string(),
            name: name.to_owned(),
            mark: format!("{}-{name}-{}", self.run, SystemIds.hex(16)),
            argv,
            cwd: directory.to_owned(),
            env,
            env_remove,
            stdin,
            prompt,
            files,
            redact: self.secrets.patterns().to_vec(),
            journal: self.layout.store().file(),
            limits: Limits {
                wall_ms: Some(wall_ms),
                idle_ms,
                output_bytes_max,
                kill_grace_ms: KILL_GRACE_MS,
            },
        })
    }

    /// A program without a keeper, which whoever starts it waits for: a hook, the command of `--on-done`. It may run what
    /// `agent` wrote.
    pub(crate) fn program(&self, argv: Vec<String>, directory: &Path, agent: &AgentConfig) -> Program {
        let opening = Opening { agent: Some(agent), ..Opening::default() };
        let argv = self.enclose(argv, Some(directory), self.layout.tree(), &opening);
        bare(argv, directory).env("PITON_RUN_ID", self.run.as_str())
    }

    /// A check without a keeper, which whoever starts it waits for: no terminal, and it knows.
    pub(crate) fn check(&self, command: &str, directory: &Path, agent: &AgentConfig) -> Program {
        let program = self.program(shell(command), directory, agent).env("CI", "1");
        self.of_the_tree().into_iter().fold(program, |program, (name, value)| program.env(name, value))
    }

    /// A check on a copy of the tree, which stands in the tree's own place and is all that can be written, caches of builds besides.
    /// Always between walls, which fall with whoever waits for it.
    pub(crate) fn trial(&self, command: &str, copy: &Path) -> Program {
        let tree = self.layout.tree();
        let mut walls = Walls::default();
        let hidden = hidden::places(&[], tree);
        if walls.open_home(tree, &hidden, &[]) {
            walls.copy_files_of_home(&copy.with_extension(HOME_OF_A_TRIAL), &hidden);
        }
        hidden.iter().for_each(|place| walls.hide(place));
        if let Some(confined) = &self.confined {
            walls::places_of(&confined.asked.read).iter().for_each(|place| walls.readable(place));
        }
        walls.open_caches();
        walls.readable(self.layout.root());
        walls.stands_for(copy, tree);
        walls.readable_at(&tree.join(".git"), &tree.join(".git"));
        walls.hide_sockets(tree, &[]);
        walls.readable(&self.exe);
        let inner = [self.exe.display().to_string(), walls::ENCLOSED_COMMAND.to_owned(), String::new()];
        let argv = inner.into_iter().chain(shell(command)).collect();
        let hosts = self.confined.as_ref().and_then(|confined| confined.asked.network.as_ref());
        let mut line = Vec::new();
        if let Some(hosts) = hosts {
            line.extend([self.exe.display().to_string(), proxy::PROXIED_COMMAND.to_owned(), hosts.join(",")]);
        }
        walls.fall_with_whoever_waits();
        line.extend(walls.around(&self.layout, Some(tree), hosts.is_some(), argv));
        // Where it is started there is nothing of it to be seen yet.
        let program = bare(line, copy).env("PITON_RUN_ID", self.run.as_str()).env("CI", "1");
        let program = program.env("PYTHONDONTWRITEBYTECODE", "1");
        // What is temporary goes where it is one's own inside: elsewhere nothing can be written.
        let program = TEMPORARY.iter().fold(program, |program, name| program.env(name, "/tmp"));
        self.of_the_tree().into_iter().fold(program, |program, (name, value)| program.env(name, value))
    }

    /// What comes before a filter of the user's that git runs in `workspace` or in the tree of the run, which may not be there yet: the
    /// walls, where the run has them. What LFS keeps in the repository can be written inside, by nothing but a filter.
    pub(crate) fn around_filters(
        &self,
        workspace: &Workspace,
        agent: Option<&AgentConfig>,
    ) -> Result<Vec<String>, LaunchError> {
        let filters = match &self.confined {
            Some(_) => workspace.filters()?,
            None => return Ok(Vec::new()),
        };
        let (tree, mut closed) = (self.layout.tree(), workspace.git_places());
        let kept = closed.first().map(|common| common.join("lfs"));
        closed.push(tree.join(".git"));
        let kept = kept.filter(|_| filters.contains("lfs"));
        kept.iter().for_each(|kept| walls::make_room(kept));
        let is_any = !filters.is_empty();
        let opening = Opening { agent, open: kept.as_deref(), closed: &closed, ..Opening::default() };
        // git starts each where the file is that it reads.
        let line = || self.enclose(Vec::new(), None, tree, &opening);
        Ok(is_any.then(line).unwrap_or_default())
    }

    /// What of the tree is protected now: patterns stand for what they match when the walls are made.
    fn protected_in(&self, tree: &Path, rules: &[String]) -> Vec<PathBuf> {
        let (patterns, names): (Vec<_>, Vec<_>) = rules
            .iter()
            .map(String::as_str)
            .chain(["piton.toml"])
            .partition(|rule| rule.contains(['*', '?']));
        let mut found: Vec<PathBuf> = names.into_iter().map(|name| tree.join(name)).collect();
        if !patterns.is_empty() {
            let ignored =
                Workspace::open(tree, &self.layout.state()).and_then(|workspace| workspace.all_ignored());
            let ignored = ignored.unwrap_or_default().iter().map(ToString::to_string).collect();
            found.extend(walls::matching(tree, &patterns, &ignored));
        }
        found
    }

    /// The command line with walls around it, where the run is to have them; `tree` is what can be written.
    fn enclose(
        &self,
        argv: Vec<String>,
        directory: Option<&Path>,
        tree: &Path,
        opening: &Opening<'_>,
    ) -> Vec<String> {
        let Some(confined) = &self.confined else { return argv };
        let Opening { agent, outbox, open, closed, only_reads } = *opening;
        let places = |words: &[String]| walls::places_of(words);
        let mut walls = Walls::default();
        let (writes, settings) =
            agent.map_or((&[][..], &[][..]), |agent| (&agent.writes[..], &agent.settings[..]));
        // What the agent has to write and a person's own sessions obey: it gets a copy that is gone at the end.
        let both: Vec<String> = writes.iter().filter(|word| settings.contains(word)).cloned().collect();
        let home = walls::place_of("~/");
        let is_at_its_top = |place: &PathBuf| place.parent().is_some_and(|top| home.as_deref() == Some(top));
        let copies: Vec<_> = places(&both).into_iter().filter(is_at_its_top).collect();
        places(writes)
            .iter()
            .filter(|place| !copies.contains(place))
            .for_each(|place| walls::make_room(place));
        places(settings)
            .iter()
            .filter(|place| !copies.contains(place))
            .for_each(|place| walls::make_settings(place));
        let hidden = hidden::places(writes, tree);
        let has_copies = walls.open_home(tree, &hidden, &copies);
        let (seen, own) = (places(&confined.asked.read), places(writes));
        let hide = |walls: &mut Walls, is_meant: &dyn Fn(&Path) -> bool| {
            hidden.iter().filter(|place| is_meant(place)).for_each(|place| walls.hide(place));
            seen.iter().filter(|place| is_meant(place)).for_each(|place| walls.readable(place));
            let own = own.iter().filter(|place| !copies.contains(place) && is_meant(place));
            own.for_each(|place| walls.writable(place));
        };
        hide(&mut walls, &|_| true);
        let caches = walls.open_caches();
        hide(&mut walls, &|place| caches.iter().any(|cache| place != cache && place.starts_with(cache)));
        // Seen even where it lies in a place that is empty inside.
        walls.readable(self.layout.root());
        match only_reads {
            true => walls.readable(tree),
            false => walls.writable(tree),
        }
        // Not the keys that lie in it, nor what the tree has of them: a home may be a repository, or below one.
        let tops = [self.layout.root(), tree].map(walls::real);
        hide(&mut walls, &|place| {
            let place = walls::real(place);
            tops.iter().any(|top| place != *top && place.starts_with(top)) && !tops[1].starts_with(&place)
        });
        let kept = hidden.iter().filter_map(|place| place.strip_prefix(&tops[0]).ok());
        let kept = kept.map(|path| tops[1].join(path)).filter(|place| *place != tops[1] && place.exists());
        kept.for_each(|place| walls.hide(&place));
        // Whoever can write there decides what git runs the next time a person, or piton, calls it.
        confined.git.iter().chain(closed).for_each(|place| walls.readable(place));
        places(settings)
            .iter()
            .filter(|place| !copies.contains(place))
            .for_each(|place| walls.readable(place));
        let protected = self.protected_in(tree, &confined.protect);
        // What people say to workflows, where those are, and what the team of a cycle shares.
        let mut team = Vec::new();
        for shared in [piton_files::workflow::RUNS, piton_files::cycle::CYCLES] {
            let shared = self.layout.root().join(shared);
            if shared.starts_with(tree) {
                // Only what is there can be closed.
                make_below(self.layout.root(), &shared);
            }
            team.push(shared);
        }
        // Before any of it is closed: the directory above would open again what was closed in it.
        if !only_reads {
            walls.pin_all(tree, team.iter().chain(&protected));
        }
        team.iter().for_each(|shared| walls.readable(shared));
        let opened = places(&confined.asked.write);
        let opened = opened.iter().chain(&confined.open).filter(|_| !only_reads);
        opened.for_each(|place| walls.writable(place));
        protected.iter().for_each(|path| walls.readable(path));
        walls.readable(&self.layout.state());
        walls.readable(&self.exe);
        if let Some(settings) = walls::settings_directory() {
            walls.readable(&settings);
        }
        outbox.into_iter().chain(open).for_each(|place| walls.writable(place));
        let named = [places(&confined.asked.read), places(&confined.asked.write)].concat();
        walls.hide_sockets(tree, &named);
        let sign = outbox.map(|outbox| walls::sign(outbox).display().to_string()).unwrap_or_default();
        let mut inner = vec![self.exe.display().to_string(), walls::ENCLOSED_COMMAND.to_owned(), sign];
        for (number, copy) in copies.iter().enumerate().filter(|(_, copy)| has_copies && copy.is_file()) {
            let from = Path::new(walls::COPIED_FROM).join(number.to_string());
            walls.readable_at(copy, &from);
            inner.extend([walls::COPY_OPTION.to_owned()]);
            inner.extend([&from, copy].map(|path| path.display().to_string()));
        }
        inner.extend(argv);
        let Some(hosts) = &confined.asked.network else {
            return walls.around(&self.layout, directory, false, inner);
        };
        let mut line =
            vec![self.exe.display().to_string(), proxy::PROXIED_COMMAND.to_owned(), hosts.join(",")];
        line.extend(walls.around(&self.layout, directory, true, inner));
        line
    }
}

/// A check that an agent is held to while it works: where that agent works, it is between its walls already.
pub fn cheap_check(command: &str, tree: &Path) -> Program {
    bare(shell(command), tree).env("CI", "1")
}

/// A program that gets what a keeper would give it.
fn bare(argv: Vec<String>, directory: &Path) -> Program {
    let mut argv = argv.into_iter();
    let program = Program::new(argv.next().unwrap_or_default()).args(argv).current_dir(directory);
    hidden_variables(None).into_iter().fold(program, Program::env_remove)
}

/// This very program: drivers and keepers are started from it.
pub fn this_program() -> std::io::Result<PathBuf> {
    std::env::current_exe()
}

/// Refuses an agent whose output this piton cannot read: it would work for hours, and nobody would know what it costs.
pub(crate) fn require_adapter(agent: &AgentConfig) -> Result<(), String> {
    match &agent.stream {
        StreamFormat::Adapter(name) if piton_agent::stream::adapter(&agent.stream).is_none() => {
            Err(format!("this piton does not understand what `{}` prints (`{name}`)", agent.name))
        }
        StreamFormat::Plain | StreamFormat::Adapter(_) | StreamFormat::Lines(_) => Ok(()),
    }
}

/// Makes a directory and those above it, as far as `root`. A clone may hold a link in its place, which leads elsewhere: nothing is
/// made through one.
fn make_below(root: &Path, directory: &Path) {
    let above = directory.ancestors().take_while(|place| *place != root).collect::<Vec<_>>();
    for place in above.into_iter().rev() {
        let make =
            |held: &Path| std::fs::create_dir(held).map_err(|error| file::Error::new("make", held, error));
        // What is there already is as good.
        let _ = file::within(root, place, make);
    }
}
