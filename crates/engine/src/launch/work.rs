//! What is started: who works, with which words, and which variables it does not get.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use piton_model::loop_machine::{AgentConfig, IntendedSession, PromptBy};

/// What to start.
pub(crate) struct Work<'a> {
    /// The name of its directory below the attempts.
    pub(crate) name: &'a str,
    pub(crate) what: What<'a>,
    /// Where it starts.
    pub(crate) directory: &'a Path,
    /// Variables that it gets, besides those that everything gets.
    pub(crate) env: BTreeMap<String, String>,
    /// The prompt, for those who read one.
    pub(crate) prompt: Option<String>,
    pub(crate) wall_ms: u64,
    pub(crate) idle_ms: Option<u64>,
    pub(crate) output_bytes_max: u64,
    /// Whose places can be written between walls, where that is not the agent that is started: a check runs what an
    /// agent wrote.
    pub(crate) beside: Option<&'a AgentConfig>,
    /// The only variables that it gets from outside, where that is not for an [`AgentConfig`] to say; all where there are none.
    pub(crate) pass: Option<&'a [String]>,
    /// A directory of its own, which only this work may write between walls.
    pub(crate) own: Option<&'a Path>,
}

/// Who works.
#[derive(Clone)]
pub(crate) enum What<'a> {
    /// A shell command of the user's that judges something: no terminal, and it knows.
    Command(&'a str),
    /// The same in the checkout, before any agent of this run was started: between walls that open the checkout instead. What
    /// lies there may be what another run's agent left.
    InCheckout(&'a str),
    /// The command that sets a work tree up. Between walls, too: a fork begins with what an agent wrote, and so does a tree that
    /// takes along what another run left uncommitted.
    Setup(&'a str),
    /// A program; it reads the prompt, if there is one.
    Program(Vec<String>),
    /// A command of piton's own. It starts nothing that an agent wrote, and stays outside of walls.
    Piton(Vec<String>),
    /// An agent, in a conversation where it has one, and able to talk back where there is a brief.
    Agent { agent: &'a AgentConfig, session: Option<&'a IntendedSession>, brief: Option<PathBuf> },
    /// An agent that reads the tree of the run, and can write nothing in it. Only between walls.
    Reader { agent: &'a AgentConfig },
}

impl What<'_> {
    /// Whether it may run what an agent wrote, and so stands between walls where there are any.
    pub(super) fn is_inside(&self) -> bool {
        match self {
            What::Command(_)
            | What::InCheckout(_)
            | What::Setup(_)
            | What::Program(_)
            | What::Agent { .. }
            | What::Reader { .. } => true,
            What::Piton(_) => false,
        }
    }

    /// Whether it works in the tree of the run, where that has one.
    pub(super) fn is_in_the_tree(&self) -> bool {
        match self {
            What::Command(_)
            | What::Program(_)
            | What::Agent { .. }
            | What::Reader { .. }
            | What::Setup(_) => true,
            What::InCheckout(_) | What::Piton(_) => false,
        }
    }
}

/// A command as the shell runs it.
pub(crate) fn shell(command: &str) -> Vec<String> {
    ["/bin/sh", "-c", command].map(str::to_owned).to_vec()
}

/// The command, then what lets it talk back, then the words for its session, then what comes last.
pub(super) fn argv_of(
    agent: &AgentConfig,
    session: Option<&IntendedSession>,
    injected: Vec<String>,
    prompt: Option<&str>,
    attempt: &Path,
) -> Vec<String> {
    let mut argv = agent.command.clone();
    argv.extend(injected);
    if let Some(session) = session {
        let from = session.from.as_deref();
        let words = match (from, session.resumed) {
            (Some(_), _) => &agent.sessions.fork,
            (None, true) => &agent.sessions.resume,
            (None, false) => &agent.sessions.start,
        };
        let fill =
            |word: &String| word.replace("{session}", &session.id).replace("{from}", from.unwrap_or(""));
        argv.extend(words.iter().map(fill));
    }
    argv.extend(agent.tail.iter().cloned());
    match agent.prompt {
        PromptBy::Stdin => {}
        PromptBy::Argument => argv.extend(prompt.map(str::to_owned)),
        PromptBy::File => argv.push(piton_agent::prompt_file(attempt).display().to_string()),
    }
    argv
}

/// Variables that change what a program runs before its own first line, or which repository git works on. They
/// are a person's, for a moment or by accident; no agent and no check gets them.
pub(super) const HIDDEN_VARIABLES: [&str; 27] = [
    "BASHOPTS",
    "BASH_ENV",
    "DYLD_INSERT_LIBRARIES",
    "ENV",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_EXEC_PATH",
    "GIT_EXTERNAL_DIFF",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_WORK_TREE",
    "JAVA_TOOL_OPTIONS",
    "LD_AUDIT",
    "LD_PRELOAD",
    "NODE_OPTIONS",
    "PERL5OPT",
    "PROMPT_COMMAND",
    "PYTHONHOME",
    "PYTHONSTARTUP",
    "RUBYOPT",
    "SHELLOPTS",
];

/// The variables that are taken out of what a program gets; `pass` are the only ones it keeps, if it is given.
pub(super) fn hidden_variables(pass: Option<&[String]>) -> Vec<String> {
    let mut hidden = HIDDEN_VARIABLES.map(str::to_owned).to_vec();
    hidden.extend(crate::keys::variables());
    if let Some(pass) = pass {
        let passes = |name: &str| {
            pass.iter().any(|word| match word.strip_suffix('*') {
                Some(prefix) => name.starts_with(prefix),
                None => name == word,
            })
        };
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        hidden.extend(names.filter(|name| !passes(name)));
    }
    hidden
}
