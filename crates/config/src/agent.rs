//! Agents: how a CLI is started, spoken to and understood, as a few lines of configuration.
//!
//! The ones that come with piton are files in `agents/`, written as anyone would write `[agents.NAME]` in a
//! `piton.toml`, and read by the same code.

use std::collections::BTreeMap;

use piton_model::loop_machine::AgentConfig;

use crate::read;
use crate::settings::{Layer, Settings, Sourced};

// `KNOWN_AGENTS`, the agents that piton knows by name, and `BUILT_IN`, their descriptions: by the build script.
include!(concat!(env!("OUT_DIR"), "/agents.rs"));

/// An agent, as the configuration describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agent {
    /// What a run is created with, before model, mode and further arguments.
    pub run: AgentConfig,
    /// Its proper name.
    pub title: String,
    /// What `--sandbox` may be, and the arguments that stand for it.
    pub modes: BTreeMap<String, Vec<String>>,
    /// What it is unless said otherwise.
    pub mode: Option<String>,
    /// Arguments that choose a model; `{model}` stands for it.
    pub model: Vec<String>,
    /// Prints its version.
    pub version: Vec<String>,
    /// Any of these means that somebody is logged in: `$VARIABLE`, or a file below `~/`.
    pub credentials: Vec<String>,
    /// What it tells of itself, in words of [`REPORTS`].
    pub reports: Vec<String>,
    /// Silence after which it counts as hung, unless said otherwise.
    pub idle_ms: Option<u64>,
}

/// What an agent can tell of itself.
pub const REPORTS: [(&str, &str); 5] = [
    ("session", "names its session"),
    ("tokens", "counts tokens"),
    ("cost", "says what it costs"),
    ("context", "says how full its context is"),
    ("limits", "says when a provider's limit ends"),
];

/// The mode in which an agent asks nobody.
const FULL: &str = "full";

/// What the command line says about the agent of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentOptions {
    /// `--sandbox MODE`.
    pub mode: Option<String>,
    /// `--model M`.
    pub model: Option<String>,
    /// `-- ARGS…`.
    pub arguments: Vec<String>,
    /// It works between walls.
    pub confined: bool,
}

impl Agent {
    /// A program that reads its prompt and says nothing of itself.
    pub(crate) fn plain(name: &str, command: Vec<String>) -> Self {
        Self {
            run: AgentConfig { name: name.to_owned(), command, ..AgentConfig::default() },
            title: name.to_owned(),
            ..Self::default()
        }
    }

    /// The agent as a run is created with it; or why it cannot do what is asked.
    pub fn configured(&self, options: &AgentOptions) -> Result<AgentConfig, (&'static str, String)> {
        let mut run = self.run.clone();
        // Walls inside of walls add nothing, and some cannot be built there.
        let between_walls =
            Some(FULL.to_owned()).filter(|full| options.confined && self.modes.contains_key(full));
        if let Some(mode) = options.mode.as_ref().or(between_walls.as_ref()).or(self.mode.as_ref()) {
            let words = self.modes.get(mode).ok_or_else(|| ("--sandbox", self.no_mode(mode)))?;
            run.command.extend(words.iter().cloned());
        }
        if let Some(model) = &options.model {
            if self.model.is_empty() {
                return Err(("--model", format!("the agent `{}` has no choice of models", run.name)));
            }
            run.command.extend(self.model.iter().map(|word| word.replace("{model}", model)));
        }
        run.command.extend(options.arguments.iter().cloned());
        Ok(run)
    }

    fn no_mode(&self, mode: &str) -> String {
        let name = &self.run.name;
        if self.modes.is_empty() {
            return format!("the agent `{name}` has no modes");
        }
        let known: Vec<_> = self.modes.keys().map(|mode| format!("`{mode}`")).collect();
        format!("the agent `{name}` has no mode `{}`: it has {}", mode.escape_debug(), known.join(", "))
    }
}

/// The agent `name` that comes with piton.
pub fn built_in(name: &str) -> Option<Agent> {
    let (_, text) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
    let (settings, problems) = read::read(text, name, Layer::Default);
    debug_assert!(problems.is_empty(), "{problems:?}");
    settings.agents.into_iter().next().map(|agent| agent.value)
}

/// The agent `name`: one of the configuration, or one that comes with piton.
pub fn find(settings: &Settings, name: &str) -> Option<Agent> {
    let own = settings.agents.iter().find(|agent| agent.value.run.name == name);
    own.map(|agent: &Sourced<Agent>| agent.value.clone()).or_else(|| built_in(name))
}

#[cfg(test)]
mod tests {
    use piton_model::loop_machine::NamedBy;

    use super::*;

    #[test]
    fn every_agent_that_comes_with_piton_reads_well() {
        for (name, text) in BUILT_IN {
            let (settings, problems) = read::read(text, name, Layer::Default);
            assert_eq!(problems, [], "{name}");
            assert_eq!(settings.agents.len(), 1, "{name}");
            let agent = built_in(name).unwrap();
            assert_eq!(agent.run.name, name);
            let known = |word: &String| REPORTS.iter().any(|(report, _)| report == word);
            assert!(agent.reports.iter().all(known), "{name}: {:?}", agent.reports);
            assert!(agent.mode.as_ref().is_none_or(|mode| agent.modes.contains_key(mode)), "{name}");
            assert!(agent.run.login.is_some() && !agent.version.is_empty(), "{name}");
            let sessions = &agent.run.sessions;
            assert_eq!(sessions.named_by == NamedBy::Us, !sessions.start.is_empty(), "{name}");
        }
        assert_eq!(BUILT_IN.map(|(name, _)| name), KNOWN_AGENTS);
    }

    /// The table of `docs/agents.md`; `PITON_WRITE_DOCS=1` writes it.
    #[test]
    fn the_documentation_says_what_each_agent_can_do() {
        let mut table =
            String::from("| agent | program | session | tokens | cost | context | limits | modes |\n");
        table.push_str("|---|---|---|---|---|---|---|---|\n");
        for name in KNOWN_AGENTS {
            let agent = built_in(name).unwrap();
            let reports =
                REPORTS.map(
                    |(word, _)| {
                        if agent.reports.iter().any(|report| report == word) { "yes" } else { "no" }
                    },
                );
            let mark = |mode: &String| match agent.mode.as_ref() == Some(mode) {
                true => format!("**{mode}**"),
                false => mode.clone(),
            };
            let modes: Vec<String> = agent.modes.keys().map(mark).collect();
            let modes = if modes.is_empty() { "none".to_owned() } else { modes.join(", ") };
            table.push_str(&format!(
                "| {name} | `{}` | {} | {modes} |\n",
                agent.run.command[0],
                reports.join(" | ")
            ));
        }
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/agents.md");
        let page = std::fs::read_to_string(&path).unwrap();
        let (before, rest) = page.split_once("<!-- agents: begin -->\n").unwrap();
        let (found, after) = rest.split_once("<!-- agents: end -->").unwrap();
        if std::env::var_os("PITON_WRITE_DOCS").is_some() {
            let page = format!("{before}<!-- agents: begin -->\n{table}<!-- agents: end -->{after}");
            piton_sys::file::write_atomic(&path, page.as_bytes(), piton_sys::file::Durability::Unsynced)
                .unwrap();
            return;
        }
        assert_eq!(found.trim(), table.trim(), "run the tests with PITON_WRITE_DOCS=1");
    }

    #[test]
    fn model_mode_and_arguments_come_after_the_command() {
        let codex = built_in("codex").unwrap();
        let options = AgentOptions {
            mode: Some("full".to_owned()),
            model: Some("gpt-5".to_owned()),
            arguments: vec!["--search".to_owned()],
            confined: false,
        };
        let command = codex.configured(&options).unwrap().command;
        assert_eq!(
            command[1..],
            [
                "exec",
                "--json",
                "--skip-git-repo-check",
                "-s",
                "danger-full-access",
                "-m",
                "gpt-5",
                "--search"
            ]
        );
        let confined = AgentOptions { confined: true, ..AgentOptions::default() };
        assert!(codex.configured(&confined).unwrap().command.contains(&"danger-full-access".to_owned()));
        assert!(
            codex
                .configured(&AgentOptions::default())
                .unwrap()
                .command
                .contains(&"workspace-write".to_owned())
        );
    }

    #[test]
    fn what_an_agent_cannot_do_is_said() {
        let codex = built_in("codex").unwrap();
        let options = AgentOptions { mode: Some("yolo".to_owned()), ..AgentOptions::default() };
        let (flag, why) = codex.configured(&options).unwrap_err();
        assert_eq!(
            (flag, why.as_str()),
            ("--sandbox", "the agent `codex` has no mode `yolo`: it has `ask`, `edit`, `full`")
        );
        let plain = Agent::plain("mine", vec!["mine".to_owned()]);
        let options = AgentOptions { model: Some("x".to_owned()), ..AgentOptions::default() };
        assert_eq!(plain.configured(&options).unwrap_err().0, "--model");
    }
}
