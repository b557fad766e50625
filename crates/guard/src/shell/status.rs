//! What becomes of a failure: a script is played with one command that fails and all others well.
//!
//! Conditions that nobody can know (`[ … ]`, `grep`) go both ways, so what is said is "can", not "must": a failure is
//! lost only where no way through the script lets it fail.

use std::collections::{BTreeMap, BTreeSet};

use super::state::{Leaving, State, States, Status};
use super::{Command, Connector, Item, List, Options, Pipeline, Simple, parse};

/// So many ways through a script are followed at once; with more, a failure counts as heeded.
const STATES_MAX: usize = 64;
/// So many commands are played; with more, too.
const STEPS_MAX: usize = 5_000;
/// So often a loop goes round: the second time shows what the first one changed.
const ROUNDS: usize = 3;
/// Functions that call each other.
const CALLS_MAX: usize = 8;

/// What becomes of the failure of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fate {
    /// The script succeeds all the same, or never comes to the command.
    Lost,
    /// Under some condition the script ends well before it comes to the command.
    Evaded,
    /// The command runs again, and its success is taken for an answer.
    Retried,
    /// The script can fail.
    Heeded,
}

/// What becomes of the failure of `command`, one of `script`'s.
pub(crate) fn fate(script: &List, options: Options, command: &Simple) -> Fate {
    let always = Play::new(script, command, false).run(script, options);
    let Some(ends) = always else { return Fate::Heeded };
    let reached: Vec<&State> = ends.states.iter().filter(|state| state.runs > 0).collect();
    if !reached.iter().any(|state| state.status == Status::Failed) && !ends.endless {
        return Fate::Lost;
    }
    if ends.states.iter().any(|state| state.evaded) {
        return Fate::Evaded;
    }
    // It fails the first time only.
    let Some(ends) = Play::new(script, command, true).run(script, options) else { return Fate::Heeded };
    let forgiven = |state: &&State| state.runs > 1 && state.status == Status::Well;
    match ends.states.iter().find(forgiven) {
        // One of several things that a loop looked at.
        Some(state) if state.swept => Fate::Lost,
        Some(_) => Fate::Retried,
        None => Fate::Heeded,
    }
}

struct Play<'a> {
    command: &'a Simple,
    text: String,
    once: bool,
    functions: BTreeMap<&'a str, &'a List>,
    /// Some way never ends.
    endless: bool,
    /// How many commands may still be played.
    steps: usize,
    /// There were too many ways, or too many commands.
    too_many: bool,
}

struct Ends {
    states: Vec<State>,
    endless: bool,
}

impl<'a> Play<'a> {
    fn new(script: &'a List, command: &'a Simple, once: bool) -> Self {
        let mut functions = BTreeMap::new();
        functions_of(script, &mut functions);
        Self {
            command,
            text: command.text(),
            once,
            functions,
            endless: false,
            steps: STEPS_MAX,
            too_many: false,
        }
    }

    /// Every way in which the script can end; `None` where there are too many.
    fn run(mut self, script: &'a List, options: Options) -> Option<Ends> {
        let begin = State { options, ..State::default() };
        let mut states = Vec::new();
        for state in self.list(script, begin, false, 0) {
            states.extend(self.end(state));
        }
        (!self.too_many).then_some(Ends { states, endless: self.endless })
    }

    /// What is left to do when a script ends.
    fn end(&mut self, mut state: State) -> States {
        state.leaving = None;
        let Some(text) = state.on_exit.take() else { return vec![state] };
        let status = state.status;
        let ends = self.side(&text, state);
        ends.into_iter()
            .map(|mut end| {
                if end.leaving != Some(Leaving::Script) {
                    end.status = status;
                }
                end
            })
            .collect()
    }

    /// A script from a trap: the command is not in it.
    fn side(&mut self, text: &str, state: State) -> States {
        let list = parse(text);
        let (text, functions) = (self.text.clone(), self.functions.clone());
        let mut play = Play { text, functions, endless: false, too_many: false, ..*self };
        let states = play.list(&list, State { options: Options::default(), ..state }, true, 0);
        self.too_many |= play.too_many;
        self.steps = play.steps;
        states
    }

    fn list(&mut self, list: &'a List, state: State, checked: bool, calls: usize) -> States {
        let mut states = vec![state];
        for item in &list.0 {
            states = self.each(states, |play, state| play.item(item, state, checked, calls));
        }
        states
    }

    /// Goes on from every state that is not leaving.
    fn each(&mut self, states: States, mut go: impl FnMut(&mut Self, State) -> States) -> States {
        let mut found = BTreeSet::new();
        for state in states {
            match state.leaving {
                Some(_) => {
                    found.insert(state);
                }
                None => found.extend(go(self, state)),
            }
        }
        self.too_many |= found.len() > STATES_MAX;
        found.into_iter().take(STATES_MAX).collect()
    }

    fn item(&mut self, item: &'a Item, state: State, checked: bool, calls: usize) -> States {
        if item.background {
            let kept = state.clone();
            let states = self.and_or(item, state, true, calls);
            return states
                .into_iter()
                .map(|end| State {
                    job: end.status.max(kept.job),
                    runs: end.runs,
                    status: Status::Well,
                    ..kept.clone()
                })
                .collect();
        }
        self.and_or(item, state, checked, calls)
    }

    fn and_or(&mut self, item: &'a Item, state: State, checked: bool, calls: usize) -> States {
        let last = item.rest.len();
        let mut states = self.pipeline(&item.first, state, checked || last > 0, calls);
        for (index, (connector, pipeline)) in item.rest.iter().enumerate() {
            let is_checked = checked || index + 1 < last;
            states = self.each(states, |play, state| match (connector, state.status) {
                (Connector::And, Status::Well) | (Connector::Or, Status::Failed) => {
                    play.pipeline(pipeline, state, is_checked, calls)
                }
                (Connector::And, Status::Failed) | (Connector::Or, Status::Well) => vec![state],
            });
        }
        states
    }

    /// `checked`: somebody asks how it ended, so that `set -e` does not end the script.
    fn pipeline(&mut self, pipeline: &'a Pipeline, state: State, checked: bool, calls: usize) -> States {
        let is_checked = checked || pipeline.negated;
        let states = match pipeline.commands.as_slice() {
            [command] => self.command(command, state, is_checked, calls),
            commands => self.piped(commands, state, is_checked, calls),
        };
        // Within a group the command that failed has ended the script already.
        let can_end = !matches!(
            pipeline.commands.as_slice(),
            [Command::Group(_)
                | Command::If { .. }
                | Command::Loop { .. }
                | Command::For(_)
                | Command::Case(_)]
        );
        self.each(states, |play, mut state| {
            if pipeline.negated {
                state.status = match state.status {
                    Status::Well => Status::Failed,
                    Status::Failed => Status::Well,
                };
                return vec![state];
            }
            if state.status == Status::Well || is_checked || !can_end {
                return vec![state];
            }
            let ends = match state.on_error.clone() {
                Some(text) => play.trapped(&text, state),
                None => vec![state],
            };
            ends.into_iter()
                .map(|mut end| {
                    if end.options.errexit {
                        end.leaving = Some(Leaving::Script);
                    }
                    end
                })
                .collect()
        })
    }

    /// What `trap … ERR` does about a failure.
    fn trapped(&mut self, text: &str, state: State) -> States {
        let kept = state.clone();
        let ends = self.side(text, state);
        ends.into_iter()
            .map(|end| {
                if end.leaving == Some(Leaving::Script) {
                    end
                } else {
                    State { runs: end.runs, ..kept.clone() }
                }
            })
            .collect()
    }

    /// Several commands at once, each in a shell of its own.
    fn piped(&mut self, commands: &'a [Command], state: State, checked: bool, calls: usize) -> States {
        // The worst so far, besides the state.
        let mut ways = vec![(Status::Well, state)];
        for command in commands {
            let mut next = BTreeSet::new();
            for (worst, state) in ways {
                let kept = state.clone();
                for end in self.command(command, state, checked, calls) {
                    let status = end.status;
                    let end = State { status, runs: end.runs, swept: end.swept, ..kept.clone() };
                    next.insert((worst.max(status), end));
                }
            }
            self.too_many |= next.len() > STATES_MAX;
            ways = next.into_iter().take(STATES_MAX).collect();
        }
        ways.into_iter()
            .map(|(worst, mut state)| {
                state.pipeline = worst;
                if state.options.pipefail {
                    state.status = worst;
                }
                state
            })
            .collect()
    }

    fn command(&mut self, command: &'a Command, state: State, checked: bool, calls: usize) -> States {
        self.steps = self.steps.saturating_sub(1);
        self.too_many |= self.steps == 0;
        if self.too_many {
            return Vec::new();
        }
        match command {
            Command::Simple(simple) => self.simple(simple, state, checked, calls),
            Command::Group(list) => self.list(list, state, checked, calls),
            Command::Subshell(list) => self.apart(list, state, checked, calls, None),
            Command::Script { options, list } => self.apart(list, state, false, calls, Some(*options)),
            Command::Function { .. } => vec![State { status: Status::Well, ..state }],
            Command::If { branches, otherwise } => {
                self.conditional(branches, otherwise.as_ref(), state, checked, calls)
            }
            Command::Loop { until, condition, body } => {
                self.rounds(Some((*until, condition)), body, state, checked, calls)
            }
            Command::For(body) => self.rounds(None, body, state, checked, calls),
            Command::Case(arms) => {
                let mut states = vec![State { status: Status::Well, ..state.clone() }];
                for arm in arms {
                    let ends = self.list(arm, state.clone(), checked, calls);
                    // `--help) usage; exit 0` is what was asked for.
                    states.extend(ends.into_iter().map(|end| State { evaded: state.evaded, ..end }));
                }
                self.each(states, |_, state| vec![state])
            }
        }
    }

    /// In a shell of its own: what it sets, and that it leaves, stays there.
    fn apart(
        &mut self,
        list: &'a List,
        state: State,
        checked: bool,
        calls: usize,
        options: Option<Options>,
    ) -> States {
        let kept = state.clone();
        let begin = State { options: options.unwrap_or(state.options), on_exit: None, ..state };
        let mut found = BTreeSet::new();
        for state in self.list(list, begin, checked, calls) {
            for end in self.end(state) {
                found.insert(State { status: end.status, runs: end.runs, swept: end.swept, ..kept.clone() });
            }
        }
        found.into_iter().collect()
    }

    fn conditional(
        &mut self,
        branches: &'a [(List, List)],
        otherwise: Option<&'a List>,
        state: State,
        checked: bool,
        calls: usize,
    ) -> States {
        let mut undecided = vec![state];
        let mut decided = Vec::new();
        for (condition, body) in branches {
            let asked = self.each(undecided, |play, state| play.list(condition, state, true, calls));
            let (yes, no): (States, States) =
                asked.into_iter().partition(|state| state.leaving.is_some() || state.status == Status::Well);
            decided.extend(self.each(yes, |play, state| play.list(body, state, checked, calls)));
            undecided = no;
        }
        decided.extend(self.each(undecided, |play, state| match otherwise {
            Some(body) => play.list(body, state, checked, calls),
            None => vec![State { status: Status::Well, ..state }],
        }));
        self.each(decided, |_, state| vec![state])
    }

    /// `while`, `until` and, without a condition, `for`.
    fn rounds(
        &mut self,
        condition: Option<(bool, &'a List)>,
        body: &'a List,
        state: State,
        checked: bool,
        calls: usize,
    ) -> States {
        let (runs, mut ended) = (state.runs, Vec::new());
        let mut going = vec![State { status: Status::Well, ..state }];
        for _ in 0..ROUNDS {
            if let Some((until, condition)) = condition {
                let (before, mut on) = (std::mem::take(&mut going), Vec::new());
                for state in before {
                    let status = state.status;
                    for asked in self.list(condition, state, true, calls) {
                        let goes_on = (asked.status == Status::Well) != until;
                        match asked.leaving {
                            None if goes_on => on.push(asked),
                            // The status of a loop is that of its last round.
                            None => ended.push(State { status, ..asked }),
                            Some(_) => ended.push(asked),
                        }
                    }
                }
                going = on;
            }
            let mut after = Vec::new();
            for state in self.each(going, |play, state| play.list(body, state, checked, calls)) {
                match state.leaving {
                    None | Some(Leaving::Round) => after.push(State { leaving: None, ..state }),
                    Some(Leaving::Loop) => {
                        ended.push(State { leaving: None, status: Status::Well, ..state });
                    }
                    Some(Leaving::Script | Leaving::Function) => ended.push(state),
                }
            }
            for state in &mut after {
                state.swept |= state.runs > runs + 1;
            }
            going = after;
        }
        match condition {
            Some(_) => self.endless |= !going.is_empty(),
            None => ended.extend(going),
        }
        self.each(ended, |_, state| vec![state])
    }

    fn simple(&mut self, simple: &'a Simple, state: State, checked: bool, calls: usize) -> States {
        let mut states = vec![state];
        for (name, value) in &simple.assignments {
            let mut last = Some(Status::Well);
            for list in &value.substitutions {
                states = self.each(states, |play, state| play.apart(list, state, checked, calls, None));
                last = None;
            }
            for state in &mut states {
                let status = last.unwrap_or(state.status);
                state.keep(name, &value.text);
                if simple.words.is_empty() {
                    state.status = status;
                }
            }
        }
        if simple.words.is_empty() {
            return states;
        }
        for list in simple.words.iter().flat_map(|word| &word.substitutions) {
            states = self.each(states, |play, state| {
                let status = state.status;
                let ends = play.apart(list, state, true, calls, None);
                ends.into_iter().map(|end| State { status, ..end }).collect()
            });
        }
        self.each(states, |play, state| play.called(simple, state, checked, calls))
    }

    /// What a command does to the status.
    fn called(&mut self, simple: &'a Simple, mut state: State, checked: bool, calls: usize) -> States {
        let words: Vec<&str> = simple.words.iter().map(|word| word.text.as_str()).collect();
        let is_it = std::ptr::eq(simple, self.command) || simple.text() == self.text;
        let is_exec = words[0] == "exec" && words.len() > 1;
        let words = match words[0] {
            "exec" | "command" | "builtin" => &words[1..],
            _ => &words[..],
        };
        let name = words.first().copied().unwrap_or("true");
        let body = self.functions.get(name).copied().filter(|_| calls < CALLS_MAX);
        if is_it && body.is_none_or(|body| runs_arguments(body).is_none()) {
            let fails = !self.once || state.runs == 0;
            state.runs = state.runs.saturating_add(1).min(3);
            state.status = if fails { Status::Failed } else { Status::Well };
            if is_exec {
                state.leaving = Some(Leaving::Script);
            }
            return vec![state];
        }
        if let Some(body) = body {
            return self.call(body, is_it, state, checked, calls);
        }
        match name {
            "exit" | "return" => {
                let leaving = if name == "exit" { Leaving::Script } else { Leaving::Function };
                state.leaving = Some(leaving);
                let value = words.get(1).copied().unwrap_or("$?");
                state.evaded |= name == "exit" && value == "0" && state.runs == 0;
                state.either(value)
            }
            "break" | "continue" => {
                state.leaving = Some(if name == "break" { Leaving::Loop } else { Leaving::Round });
                vec![state]
            }
            "set" => {
                state.options.set(words[1..].iter().copied());
                state.with(Status::Well)
            }
            "trap" => state.trap(&words[1..]),
            "wait" => {
                let status = if words.len() > 1 { state.job } else { Status::Well };
                state.with(status)
            }
            "export" | "local" | "readonly" | "declare" | "typeset" => {
                for (name, value) in words[1..].iter().filter_map(|word| word.split_once('=')) {
                    state.keep(name, value);
                }
                state.with(Status::Well)
            }
            "false" => state.with(Status::Failed),
            // By their names they end the script.
            "die" | "fail" | "abort" | "bail" => {
                state.leaving = Some(Leaving::Script);
                state.with(Status::Failed)
            }
            "[" | "[[" | "test" | "((" | "let" | "grep" | "egrep" | "read" | "diff" | "cmp" | "expr" => {
                let mut states = state.clone().with(Status::Well);
                states.extend(state.with(Status::Failed));
                states
            }
            _ => state.with(Status::Well),
        }
    }

    /// A function. Where the command stands behind its name (`run pytest`), it is what the function runs as `"$@"`.
    fn call(&mut self, body: &'a List, is_it: bool, state: State, checked: bool, calls: usize) -> States {
        let states = match runs_arguments(body).filter(|_| is_it) {
            Some(command) => {
                let (outer, text) = (self.command, std::mem::take(&mut self.text));
                self.command = command;
                let states = self.list(body, state, checked, calls + 1);
                (self.command, self.text) = (outer, text);
                states
            }
            None => self.list(body, state, checked, calls + 1),
        };
        states
            .into_iter()
            .map(|state| match state.leaving {
                Some(Leaving::Function) => State { leaving: None, ..state },
                Some(Leaving::Script | Leaving::Loop | Leaving::Round) | None => state,
            })
            .collect()
    }
}

/// The command of a function that runs what the function was given.
fn runs_arguments(body: &List) -> Option<&Simple> {
    let runs = |command: &&Simple| {
        command.words.first().is_some_and(|word| ["$@", "$*", "${@}"].contains(&word.text.as_str()))
    };
    body.commands().into_iter().find(runs)
}

fn functions_of<'a>(list: &'a List, found: &mut BTreeMap<&'a str, &'a List>) {
    for item in &list.0 {
        let pipelines = std::iter::once(&item.first).chain(item.rest.iter().map(|(_, next)| next));
        for command in pipelines.flat_map(|pipeline| &pipeline.commands) {
            match command {
                Command::Function { name, body } => {
                    found.insert(name, body);
                    functions_of(body, found);
                }
                Command::Group(list) | Command::Subshell(list) | Command::Script { list, .. } => {
                    functions_of(list, found);
                }
                Command::If { .. }
                | Command::Simple(_)
                | Command::Loop { .. }
                | Command::For(_)
                | Command::Case(_) => {}
            }
        }
    }
}
