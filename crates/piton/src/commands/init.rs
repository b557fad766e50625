//! `piton init`: detect the checks, run each once, write and trust piton.toml.

use std::time::Duration;

use piton_config::{InitAgent, detect, render};
use piton_model::ExitCode;
use piton_sys::file::{self, Durability};
use piton_sys::process::{Program, RunLimits};

use crate::cli::{Global, InitArguments};
use crate::failure::Failure;
use crate::output::{Output, clean_line};
use crate::{configuration, repository};

/// How long a detected check may take before it is taken on trust.
const TRY_FOR: Duration = Duration::from_secs(15 * 60);

pub(super) async fn run(
    global: &Global,
    arguments: &InitArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let layout = repository::layout(global)?;
    let path = layout.root().join("piton.toml");
    if path.symlink_metadata().is_ok() {
        return Err(Failure::usage("there is a piton.toml already").hint("edit it, then run `piton trust`"));
    }
    let found = detect::checks(layout.root());
    if found.is_empty() {
        out.note("no check was detected: add some under [checks] in piton.toml, then run `piton trust`");
    }
    for check in &found {
        out.note(format!("check {:<10} {}   ({})", check.name, check.command, check.why));
        let ran = Program::new("sh")
            .args(["-c", &check.command])
            .current_dir(layout.root())
            .env("CI", "1")
            .run(RunLimits { deadline: TRY_FOR, output_bytes_max: 1 << 20 });
        let verdict = match ran {
            Ok(output) if output.success() => "passes now".to_owned(),
            Ok(output) if output.timed_out => "takes longer than 15 minutes: set its timeout".to_owned(),
            Ok(_) => "fails now".to_owned(),
            Err(error) => clean_line(&error.to_string()),
        };
        out.note(format!("      {verdict}"));
    }
    let agent = arguments.agent.as_deref().map(agent_of);
    let text = render(agent.as_ref(), &found);
    file::write_atomic(&path, text.as_bytes(), Durability::Synced)?;
    configuration::trust_project(&layout, text.as_bytes())?;
    out.line(format!("wrote {}; it is trusted as it stands", path.display()));
    out.note(
        "permissions: an agent runs as you, without a sandbox; work lands in place, nothing is committed",
    );
    out.note(match agent {
        Some(_) => "next: piton loop \"what to do\"",
        None => "next: piton loop \"what to do\" --exec 'your-agent'",
    });
    let _ = arguments.yes;
    Ok(ExitCode::Done)
}

/// An agent by its command line: its name is the program's.
fn agent_of(command: &str) -> InitAgent {
    let command: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    let program = command.first().map_or("agent", String::as_str);
    let name = program.rsplit('/').next().unwrap_or(program).to_owned();
    InitAgent { name, command }
}
