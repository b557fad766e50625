//! Shell commands, as far as their exit status goes: what becomes of the failure of one of them.
//!
//! [`parse`] reads the grammar of POSIX lists with what bash adds to it; [`fate`] then plays the script with one
//! command that fails and says whether the script as a whole can still fail. What a command does besides ending well or
//! badly is of no interest here, and nothing is ever run.
//!
//! Never fails: what is no shell is read as words. Depth and work are bounded.

mod parse;
mod runs;
mod state;
mod status;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use parse::parse;
pub use runs::{Closure, Part, Runs, Tree as RunsTree, closure, runs};
pub(crate) use status::{Fate, fate};

/// Commands one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct List(pub(crate) Vec<Item>);

/// `a && b || c`, perhaps in the background.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    first: Pipeline,
    rest: Vec<(Connector, Pipeline)>,
    background: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Connector {
    And,
    Or,
}

/// `! a | b`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pipeline {
    negated: bool,
    commands: Vec<Command>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Command {
    Simple(Simple),
    Subshell(List),
    Group(List),
    /// `if … then … elif … then … else …`.
    If {
        branches: Vec<(List, List)>,
        otherwise: Option<List>,
    },
    /// `while` and `until`.
    Loop {
        until: bool,
        condition: List,
        body: List,
    },
    For(List),
    Case(Vec<List>),
    Function {
        name: String,
        body: List,
    },
    /// `sh -c '…'`: a script in a word.
    Script {
        options: Options,
        list: List,
    },
}

/// A command with its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Simple {
    /// The line it begins on, from 1.
    pub(crate) line: u32,
    /// `NAME=value` before the words.
    assignments: Vec<(String, Word)>,
    words: Vec<Word>,
}

/// A word without its quotes, and the commands whose output is part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Word {
    text: String,
    substitutions: Vec<List>,
}

/// How a shell is started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Options {
    /// The first command that fails ends the script: `set -e`.
    pub(crate) errexit: bool,
    /// A pipeline fails with any of its commands: `set -o pipefail`.
    pub(crate) pipefail: bool,
}

impl Options {
    /// Takes in flags: `-e`, `-euo pipefail`, `+e`.
    pub(crate) fn set<'a>(&mut self, words: impl IntoIterator<Item = &'a str>) {
        let mut named = None;
        for word in words {
            if let Some(on) = named.take() {
                self.name(word, on);
                continue;
            }
            let on = word.starts_with('-');
            if !on && !word.starts_with('+') || word.starts_with("--") {
                continue;
            }
            let letters = &word[1..];
            if letters.contains('e') {
                self.errexit = on;
            }
            if letters.ends_with('o') {
                named = Some(on);
            }
        }
    }

    fn name(&mut self, option: &str, on: bool) {
        match option {
            "errexit" => self.errexit = on,
            "pipefail" => self.pipefail = on,
            _ => {}
        }
    }
}

/// The words of every command in a shell script, without quotes, redirections and assignments.
pub fn commands(script: &str) -> Vec<Vec<String>> {
    let list = parse(script);
    let words = |command: &Simple| command.words.iter().map(|word| word.text.clone()).collect();
    list.commands().into_iter().map(words).collect()
}

impl Simple {
    /// Its words, as one would type them without quotes.
    pub(crate) fn text(&self) -> String {
        self.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    }
}

impl List {
    /// Every simple command in it, those in functions and substitutions included.
    pub(crate) fn commands(&self) -> Vec<&Simple> {
        let mut found = Vec::new();
        self.collect(&mut found);
        found
    }

    fn collect<'a>(&'a self, found: &mut Vec<&'a Simple>) {
        for item in &self.0 {
            let pipelines = std::iter::once(&item.first).chain(item.rest.iter().map(|(_, next)| next));
            pipelines.flat_map(|pipeline| &pipeline.commands).for_each(|command| command.collect(found));
        }
    }
}

impl Command {
    fn collect<'a>(&'a self, found: &mut Vec<&'a Simple>) {
        match self {
            Self::Simple(simple) => {
                found.push(simple);
                let values = simple.assignments.iter().map(|(_, value)| value);
                values
                    .chain(&simple.words)
                    .flat_map(|word| &word.substitutions)
                    .for_each(|list| list.collect(found));
            }
            Self::Subshell(list) | Self::Group(list) | Self::For(list) => list.collect(found),
            Self::Function { body, .. } => body.collect(found),
            Self::Script { list, .. } => list.collect(found),
            Self::If { branches, otherwise } => {
                for (condition, body) in branches {
                    condition.collect(found);
                    body.collect(found);
                }
                otherwise.iter().for_each(|list| list.collect(found));
            }
            Self::Loop { condition, body, .. } => {
                condition.collect(found);
                body.collect(found);
            }
            Self::Case(arms) => arms.iter().for_each(|list| list.collect(found)),
        }
    }
}
