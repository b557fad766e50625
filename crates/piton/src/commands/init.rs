//! `piton init`: detect the checks, run each once, write and trust piton.toml.

use std::path::Path;
use std::time::Duration;

use piton_config::detect::Suggested;
use piton_config::{InitAgent, KNOWN_AGENTS, built_in, detect, render};
use piton_model::ExitCode;
use piton_sys::file::{self, Durability};
use piton_sys::process::{Ended, RunLimits, find_program};

use crate::attended;
use crate::cli::{Global, InitArguments};
use crate::failure::{Failure, Result};
use crate::output::{Output, clean_line};
use crate::repository::ready::{self, LoopPlace};
use crate::repository::{self, cheap_check, configuration};

/// How long a detected check may take before it is taken on trust.
const TRY_FOR: Duration = Duration::from_secs(15 * 60);

pub(super) async fn run(global: &Global, arguments: &InitArguments, out: &Output) -> Result {
    let layout = repository::layout(global)?;
    let path = layout.root().join("piton.toml");
    if path.symlink_metadata().is_ok() {
        return is_there(&layout, out);
    }
    let mut found = detect::checks(layout.root());
    let asks = !arguments.yes && attended::is_possible(out);
    if asks && !found.is_empty() {
        let commands: Vec<_> = found.iter().map(|check| clean_line(&check.command)).collect();
        let question = format!("run {} once, and write piton.toml?", commands.join(", "));
        if !attended::agrees(out, &question)? {
            return Err(Failure::usage("nothing was run and nothing written")
                .hint("write piton.toml by hand, then run `piton trust`"));
        }
    }
    if found.is_empty() {
        found.extend(if asks { named_by_a_person(out)? } else { None });
    }
    if found.is_empty() {
        out.note("no check was found: add one below [checks] in piton.toml, such as");
        out.note("      test = \"your-tests\"");
        out.note("then run `piton trust`");
    }
    let mut startable = Vec::new();
    for check in found {
        let (command, why) = (clean_line(&check.command), clean_line(&check.why));
        out.note(format!("check {:<10} {command}   ({why})", clean_line(&check.name)));
        let tried = tried(&check.command, layout.root());
        out.note(format!("      {}", clean_line(&tried.words)));
        startable.extend((!tried.is_missing).then_some(check));
    }
    let agent = arguments.agent.as_deref().map(agent_of).or_else(|| detected(layout.root()));
    let text = render(agent.as_ref(), &startable);
    file::write_atomic(&path, text.as_bytes(), Durability::Synced)?;
    configuration::trust_project(&layout, text.as_bytes())?;
    out.did(format!("wrote {}; it is trusted as it stands", path.display()));
    match &agent {
        Some(agent) => out.note(permissions(agent)),
        None => out.note("no agent was detected: name one with --agent, or use --exec"),
    }
    if repository::walls::available(&layout, false).is_ok() {
        out.note("walls: --confine keeps it in its work tree, away from your keys and logins");
    }
    what_next(&layout, out)
}

/// The check that a person names, where none was found.
fn named_by_a_person(out: &Output) -> Result<Option<Suggested>> {
    let command =
        attended::line(out, "which command says whether work is done, such as `make test`? [none] ")?;
    let why = "your words".to_owned();
    Ok((!command.is_empty()).then(|| Suggested { name: "test".to_owned(), command, why }))
}

/// Where a loop would work, and the command that begins one.
fn what_next(layout: &repository::Layout, out: &Output) -> Result {
    out.note(clean_line(&where_it_lands(&ready::place(layout)?)));
    // What would be refused without is in it.
    let lacks = ready::lacks(layout)?;
    let check = if lacks.check { " --check 'test=your-tests'" } else { "" };
    let exec = if lacks.agent { " --exec 'your-agent'" } else { "" };
    out.note(format!("next: piton loop \"what to do\"{check}{exec}"));
    Ok(ExitCode::Done)
}

/// Where a loop works here, as whoever begins one decides it.
fn where_it_lands(place: &LoopPlace) -> String {
    const OWN: &str = "works in a work tree and on a branch of its own; `piton land` brings the result to";
    match place {
        LoopPlace::OutsideGit => "a loop works in this directory: it is no git repository".to_owned(),
        LoopPlace::NoCommit => {
            "a loop works in this directory: there is no commit yet that a branch could begin at".to_owned()
        }
        LoopPlace::Default(branch) => format!("on {branch} a loop {OWN} {branch}"),
        LoopPlace::Uncommitted(branch) => {
            let branch = branch.as_deref().unwrap_or("a branch");
            format!("while something is not committed, a loop {OWN} {branch}")
        }
        LoopPlace::Clean(branch) => {
            let branch = branch.as_deref().unwrap_or("no branch");
            format!(
                "on {branch}, with everything committed, a loop works in place and commits nothing; --worktree gives it a tree of its own"
            )
        }
    }
}

/// There is a piton.toml: what it says is left as it is, and what it might lack is named.
fn is_there(layout: &repository::Layout, out: &Output) -> Result {
    let checks = configuration::checks(layout, &[])?;
    let names: Vec<_> = checks.iter().map(|check| clean_line(&check.name)).collect();
    out.did(match names.is_empty() {
        true => "piton.toml is there, and names no check".to_owned(),
        false => format!("piton.toml is there, with {}", names.join(", ")),
    });
    for check in &checks {
        if let Some(program) = ready::missing_program(&check.command, layout.root()) {
            out.note(clean_line(&format!("{} cannot be started: `{program}` is not in PATH", check.name)));
        }
    }
    for check in detect::checks(layout.root()) {
        if !checks.iter().any(|known| known.command == check.command) {
            let line = format!("{} = {:?}", check.name, check.command);
            out.note(clean_line(&format!("it could also run: {line}   ({})", check.why)));
        }
    }
    out.note("after an edit: piton trust");
    what_next(layout, out)
}

/// What came of trying a check.
struct Tried {
    words: String,
    /// There is no such command.
    is_missing: bool,
}

/// What a check says now, run as a run would.
fn tried(command: &str, root: &Path) -> Tried {
    /// What a shell exits with where it finds no such command.
    const NOT_FOUND: i32 = 127;
    let limits = RunLimits { deadline: TRY_FOR, output_bytes_max: 1 << 20 };
    let (words, is_missing) = match cheap_check(command, root).run(limits) {
        Ok(output) if output.success() => ("passes now".to_owned(), false),
        Ok(output) if output.timed_out => ("takes longer than 15 minutes: set its timeout".to_owned(), false),
        Ok(output) if output.status == Ended::Code(NOT_FOUND) => (
            "cannot be started: there is no such command (exit 127); left out of piton.toml".to_owned(),
            true,
        ),
        Ok(_) => ("fails now".to_owned(), false),
        Err(error) => (clean_line(&error.to_string()), false),
    };
    Tried { words, is_missing }
}

/// The first agent that piton knows and finds on this machine.
fn detected(root: &Path) -> Option<InitAgent> {
    let path = std::env::var_os("PATH");
    let is_here = |name: &&str| {
        let program = built_in(name).and_then(|agent| agent.run.command.into_iter().next());
        program.is_some_and(|program| find_program(program.as_ref(), path.as_deref(), root).is_some())
    };
    KNOWN_AGENTS.into_iter().find(is_here).map(agent_of)
}

/// An agent by its name, or by its command line: its name is then the program's.
fn agent_of(command: &str) -> InitAgent {
    if KNOWN_AGENTS.contains(&command) {
        return InitAgent { name: command.to_owned(), command: Vec::new() };
    }
    let command: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    let program = command.first().map_or("agent", String::as_str);
    let name = program.rsplit('/').next().unwrap_or(program).to_owned();
    InitAgent { name, command }
}

/// What the agent may do without asking.
fn permissions(agent: &InitAgent) -> String {
    let known = built_in(&agent.name).filter(|_| agent.command.is_empty());
    match known.map(|known| (known.mode.clone(), known)) {
        Some((Some(mode), known)) => {
            let words = known.modes.get(&mode).map(|words| words.join(" ")).unwrap_or_default();
            let modes: Vec<_> = known.modes.keys().map(String::as_str).collect();
            format!(
                "agent {}: it runs as you, with `{words}`; `--sandbox MODE` chooses another of {}",
                agent.name,
                modes.join(", ")
            )
        }
        _ => format!("agent {}: it runs as you, without a sandbox", agent.name),
    }
}
