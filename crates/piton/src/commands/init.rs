//! `piton init`: detect the checks, run each once, write and trust piton.toml.

use std::path::Path;
use std::time::Duration;

use piton_config::{InitAgent, KNOWN_AGENTS, built_in, detect, render};
use piton_model::ExitCode;
use piton_sys::file::{self, Durability};
use piton_sys::process::{RunLimits, find_program};

use crate::attended;
use crate::cli::{Global, InitArguments};
use crate::failure::{Failure, Result};
use crate::output::{Output, clean_line};
use crate::repository::{self, cheap_check, configuration};

/// How long a detected check may take before it is taken on trust.
const TRY_FOR: Duration = Duration::from_secs(15 * 60);

pub(super) async fn run(global: &Global, arguments: &InitArguments, out: &Output) -> Result {
    let layout = repository::layout(global)?;
    let path = layout.root().join("piton.toml");
    if path.symlink_metadata().is_ok() {
        return is_there(&layout, out);
    }
    let found = detect::checks(layout.root());
    if found.is_empty() {
        out.note("no check was detected: add some under [checks] in piton.toml, then run `piton trust`");
    }
    if !arguments.yes && attended::is_possible(out) && !found.is_empty() {
        let commands: Vec<_> = found.iter().map(|check| clean_line(&check.command)).collect();
        let question = format!("run {} once, and write piton.toml?", commands.join(", "));
        if !attended::agrees(out, &question)? {
            return Err(Failure::usage("nothing was run and nothing written")
                .hint("write piton.toml by hand, then run `piton trust`"));
        }
    }
    for check in &found {
        out.note(format!("check {:<10} {}   ({})", check.name, check.command, check.why));
        out.note(format!("      {}", tried(&check.command, layout.root())));
    }
    let agent = arguments.agent.as_deref().map(agent_of).or_else(|| detected(layout.root()));
    let text = render(agent.as_ref(), &found);
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
    out.note("in a git repository a loop works in a tree and on a branch of its own; `piton land` brings the result to yours");
    // Without a check no loop begins: the next command has one.
    let check = if found.is_empty() { " --check 'test=your-tests'" } else { "" };
    let exec = if agent.is_some() { "" } else { " --exec 'your-agent'" };
    out.note(format!("next: piton loop \"what to do\"{check}{exec}"));
    Ok(ExitCode::Done)
}

/// There is a piton.toml: what it says is left as it is, and what it might lack is named.
fn is_there(layout: &repository::Layout, out: &Output) -> Result {
    let checks = configuration::checks(layout, &[])?;
    let names: Vec<_> = checks.iter().map(|check| clean_line(&check.name)).collect();
    out.did(match names.is_empty() {
        true => "piton.toml is there, and names no check".to_owned(),
        false => format!("piton.toml is there, with {}", names.join(", ")),
    });
    for check in detect::checks(layout.root()) {
        if !checks.iter().any(|known| known.command == check.command) {
            let line = format!("{} = {:?}", check.name, check.command);
            out.note(clean_line(&format!("it could also run: {line}   ({})", check.why)));
        }
    }
    out.note("after an edit: piton trust");
    out.note("next: piton loop \"what to do\"");
    Ok(ExitCode::Done)
}

/// What a check says now, run as a run would.
fn tried(command: &str, root: &Path) -> String {
    let limits = RunLimits { deadline: TRY_FOR, output_bytes_max: 1 << 20 };
    match cheap_check(command, root).run(limits) {
        Ok(output) if output.success() => "passes now".to_owned(),
        Ok(output) if output.timed_out => "takes longer than 15 minutes: set its timeout".to_owned(),
        Ok(_) => "fails now".to_owned(),
        Err(error) => clean_line(&error.to_string()),
    }
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
