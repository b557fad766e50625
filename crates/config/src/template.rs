//! The `piton.toml` that `piton init` writes: what holds, and in comments what could.

use crate::detect::Suggested;

/// The agent that `piton init` writes down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitAgent {
    pub name: String,
    /// The program and its arguments; empty for one that comes with piton.
    pub command: Vec<String>,
}

/// A commented `piton.toml` with this agent and these checks. It reads back without a problem.
pub fn render(agent: Option<&InitAgent>, checks: &[Suggested]) -> String {
    let mut text = String::from("# What piton runs here. After an edit: `piton trust`.\n\n");
    text.push_str(&agent.map_or_else(|| NO_AGENT.to_owned(), agent_sections));
    text.push_str(LOOP);
    text.push_str("[checks]                 # piton runs these itself; a loop is done when they pass\n");
    if checks.is_empty() {
        text.push_str("# test = \"cargo test\"\n");
    }
    for check in checks {
        let why: String = check.why.chars().filter(|character| !character.is_control()).collect();
        text.push_str(&format!("{} = {}  # {why}\n", key(&check.name), string(&check.command)));
    }
    text.push_str("# slow = { command = \"make e2e\", timeout = \"30m\" }   # 15 minutes otherwise\n");
    text.push_str(REST);
    text
}

const NO_AGENT: &str = "\
# [agent]
# use = \"claude\"           # or codex, gemini, opencode, aider, goose, or a name under [agents.*]

# [agents.mine]            # any program that reads its task from stdin; docs/agents.md has what else it can say
# command = [\"my-agent\", \"--headless\"]

";

const LOOP: &str = "\
# [loop]                   # the defaults
# prompt = \"PROMPT.md\"
# session = \"fresh\"        # or \"continue\"
# max_iterations = 50
# max_duration = \"8h\"      # working time; waits are not counted
# no_progress = 5          # iterations in a row that change nothing that matters
# failure_streak = 5       # failed attempts in a row
# attempt_timeout = \"2h\"
# idle_timeout = \"10m\"     # off unless set: silence after which an attempt counts as hung
# max_cost_usd = 15        # off unless set
# max_tokens = 2000000     # off unless set
# on_lost = \"retry\"        # or \"restore_and_retry\", \"ask\": an attempt whose outcome cannot be known

";

const REST: &str = "
# [confine]                # walls; `piton doctor` says whether they work here
# enabled = true           # only the work tree can be written, no keys are seen
# network = [\"api.example.org\"]   # the only hosts that are reached; all, unless set

# [views]
# ralph = true             # .ralph/state.json
# aiwg = \"auto\"            # .aiwg/ralph/, where .aiwg exists
# auto_save_interval = \"30s\"

# [redact]
# patterns = []            # texts that never reach a disk, beside the known formats of keys
";

fn agent_sections(agent: &InitAgent) -> String {
    if agent.command.is_empty() {
        return format!("[agent]\nuse = {}\n\n", string(&agent.name));
    }
    let words: Vec<_> = agent.command.iter().map(|word| string(word)).collect();
    let name = &agent.name;
    format!("[agent]\nuse = {}\n\n[agents.{}]\ncommand = [{}]\n\n", string(name), key(name), words.join(", "))
}

/// `text` as a TOML string on one line. What JSON escapes, TOML reads alike.
fn string(text: &str) -> String {
    // A delete character is allowed in JSON and not in TOML.
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

fn key(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if !name.is_empty() && name.bytes().all(is_bare) { name.to_owned() } else { string(name) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::read;
    use crate::settings::{Layer, Settings};

    fn reads_back(text: &str) -> Settings {
        let (settings, problems) = read::read(text, "piton.toml", Layer::Project);
        assert_eq!(problems, [], "{text}");
        settings
    }

    fn suggested(name: &str, command: &str) -> Suggested {
        Suggested { name: name.to_owned(), command: command.to_owned(), why: "seen\nhere".to_owned() }
    }

    #[test]
    fn what_is_written_reads_back_without_a_problem() {
        let agent =
            InitAgent { name: "mine".to_owned(), command: vec!["my-agent".to_owned(), "a \"b\"".to_owned()] };
        let checks = [suggested("z.test", "cargo test -- 'a \\ b'"), suggested("lint", "make \"lint\"")];
        let settings = reads_back(&render(Some(&agent), &checks));
        assert_eq!(settings.agent.name.unwrap().value, "mine");
        assert_eq!(settings.agents[0].value.run.command, agent.command);
        let found: Vec<_> = settings.checks.iter().map(|check| &check.value).collect();
        assert_eq!(
            found.iter().map(|check| &check.command).collect::<Vec<_>>(),
            [&checks[0].command, &checks[1].command]
        );
        assert_eq!(reads_back(&render(None, &[])), Settings::default());
    }

    #[test]
    fn every_comment_is_right_once_it_is_uncommented() {
        let text = render(None, &[]);
        let uncommented: Vec<_> =
            text.lines().skip(1).map(|line| line.strip_prefix("# ").unwrap_or(line)).collect();
        let settings = reads_back(&uncommented.join("\n"));
        assert_eq!(settings.limits.len(), 8);
        assert_eq!(settings.checks.len(), 2);
        assert!(settings.views.ralph.is_some() && settings.loops.prompt.is_some());
        let defaults = Settings::built_in();
        for (limit, default) in &defaults.limits {
            assert_eq!(settings.limits[limit].value, default.value, "{} is not the default", limit.key());
        }
    }

    proptest! {
        #[test]
        fn any_command_reads_back(command in "[^\0]{0,40}\\PC") {
            prop_assume!(!command.trim().is_empty());
            let settings = reads_back(&render(None, &[suggested("x", &command)]));
            prop_assert_eq!(&settings.checks[0].value.command, &command);
        }
    }
}
