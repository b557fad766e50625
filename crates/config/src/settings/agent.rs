//! `[agent]` and `[agents.NAME]`: who does the work.

use piton_model::Kind;
use piton_model::loop_machine::FallbackOn;
use serde_json::json;

use crate::entry::{Entry, Section, section};
use crate::read::agents;
use crate::settings::by_name;
use crate::show;
use crate::types::{Duration, Flag, Many, OneOf, Text, Texts, takes};

section! {
    /// Who does the work, and what they are given.
    agent: AgentSection = "agent" {
        /// The name of the agent that is used.
        name as "use": Text, [Loop Cycle Ledger] {
            variable: Some("PITON_AGENT"), flag: Some("--agent"), shown: true, otherwise: "must be said",
        };
        /// Whether an agent gets tools and hooks to talk back with.
        inject: Flag, [Loop Cycle] { otherwise: "`true`" };
        /// Agents that go on, in this order, while that one cannot; names as `use` takes them.
        fallback: Texts, [Loop] { otherwise: "none: what refuses is waited for" };
        /// A provider's limit that ends sooner is waited for all the same.
        fallback_after: Duration, [Loop] => fallback.after_ms;
        /// For which reasons another one goes on.
        fallback_on: Many<OneOf<FallbackOn>>, [Loop] => fallback.on;
        /// The only variables an agent gets from outside; `NAME*` stands for all that begin so.
        pass: Texts, [Loop Workflow Cycle Ledger] { otherwise: "all of your environment" };
    }
}

/// Agents of one's own.
pub(crate) const NAMED_AGENTS: Section = Section {
    path: "agents",
    about: "Agents of your own, and other commands for those that piton knows.",
    there: |_| {},
    entries: &[Entry {
        section: "agents",
        words: "How a program is started, spoken to and understood; `docs/agents.md` has its keys.",
        kinds: &[Kind::Loop, Kind::Workflow, Kind::Cycle, Kind::Ledger],
        takes: || {
            let command = json!({"type": "array", "items": {"type": "string"}, "minItems": 1});
            let schema = json!({
                "type": "object",
                "properties": {"command": command, "like": {"type": "string"}},
                "anyOf": [{"required": ["command"]}, {"required": ["like"]}],
            });
            takes("a table with `command` or `like`", schema)
        },
        read: agents::read,
        overlay: |lower, upper| {
            by_name(&mut lower.agents, std::mem::take(&mut upper.agents), |agent| &agent.run.name);
        },
        show: |settings| {
            let each = settings.agents.iter().map(|agent| {
                let section = format!("agents.{}", agent.value.run.name);
                show::value(&section, "command", agent, |agent| json!(agent.run.command))
            });
            each.collect()
        },
        ..Entry::BASE
    }],
};
