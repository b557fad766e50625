//! `[cycle]` and `[cycle.roles.NAME]`: how a team works, and who is in it.

use piton_model::Kind;
use piton_model::loop_machine::SessionPolicy;
use serde_json::{Value, json};
use toml::Spanned;
use toml::de::DeValue;

use super::checks::table;
use crate::entry::{Entry, Inner, Section, Takes, Type, inner, section};
use crate::read::{Members, Pair, Reader};
use crate::settings::{Settings, by_name};
use crate::show;
use crate::types::{AtLeastOne, Count, Duration, Flag, Number, OneOf, Path, Text, Texts, takes};

section! {
    /// How a team of agents works.
    cycle: CycleSection = "cycle" {
        /// Iterations that a cycle may have.
        max_iterations: AtLeastOne, [Cycle] { otherwise: "`5`" };
        /// How long a role may work before it is asked to come to an end.
        phase_timeout: Duration, [Cycle] { otherwise: "`\"30m\"`" };
        /// How long a role that was asked may take, first to say how it stands and then to hand in what there is.
        grace: Duration, [Cycle] { otherwise: "`\"3m\"`" };
        /// Whether a role goes on with its conversation.
        session: OneOf<SessionPolicy>, [Cycle] { otherwise: "`\"fresh\"`" };
        /// Whether a person confirms each iteration after the first.
        confirm: Flag, [Cycle] { otherwise: "`false`" };
        /// The time zone of the published files.
        utc_offset: Offset, [Cycle] { otherwise: "`\"+08:00\"`" };
        /// The roles, in their order.
        team: Texts, [Cycle] { otherwise: "`[\"ra\", \"ep\", \"cd\", \"vas\"]`" };
    }
}

/// Hours and minutes ahead of UTC, kept as minutes.
pub struct Offset;

impl Type for Offset {
    type Value = i32;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<i32> {
        let text = reader.text(key, value)?;
        let minutes = offset(&text);
        if minutes.is_none() {
            reader.problem(value.span().start, format!("`{key}` must be such as `\"+08:00\"`, or `\"Z\"`"));
        }
        minutes
    }

    fn shown(value: &i32) -> Value {
        let (sign, minutes) = (if *value < 0 { '-' } else { '+' }, value.unsigned_abs());
        json!(format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60))
    }

    fn takes() -> Takes {
        takes("a time zone such as `\"+08:00\"`, or `\"Z\"`", json!({"type": "string"}))
    }
}

fn offset(text: &str) -> Option<i32> {
    if text == "Z" {
        return Some(0);
    }
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':')?;
    let number = |text: &str| (text.len() == 2).then(|| text.parse::<i32>().ok()).flatten();
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

/// What is said of a role. What is not said is as in the role of that name that piton knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoleSettings {
    pub name: String,
    pub title: Option<String>,
    /// A file with the template of its prompt.
    pub prompt: Option<String>,
    pub agent: Option<String>,
    pub model: Option<String>,
    pub reads: Option<Vec<String>>,
    pub writes: Option<Vec<String>>,
    pub after: Option<Vec<String>>,
    pub feedback_to: Option<Vec<String>>,
    pub develops: Option<bool>,
    pub validates: Option<bool>,
    pub max_cost_usd: Option<f64>,
    pub max_tokens: Option<u64>,
    /// In milliseconds.
    pub max_duration: Option<u64>,
}

/// `[cycle.roles.NAME]`.
pub(crate) const ROLES: Section = Section {
    path: "cycle.roles",
    about: "Roles of your own, and what is otherwise about those that piton knows.",
    there: |_| {},
    entries: &[Entry {
        section: "cycle.roles",
        words: "A role of the team.",
        kinds: &[Kind::Cycle],
        inner: &KEYS,
        takes: || takes("a table", table(&KEYS, &[])),
        read: |reader, settings, pair| {
            let start = pair.1.span().start;
            let role = role(reader, pair);
            settings.roles.extend(role.map(|role| reader.sourced(role, start)));
        },
        overlay: |lower, upper| {
            by_name(&mut lower.roles, std::mem::take(&mut upper.roles), |role| &role.name);
        },
        show: |settings| {
            let each = settings.roles.iter();
            each.map(|role| show::value("cycle.roles", &role.value.name, role, shown)).collect()
        },
        ..Entry::BASE
    }],
};

const KEYS: [Inner; 13] = [
    inner("title", "a text", "What people call it."),
    inner(
        "prompt",
        "a path in the repository",
        "The template of its prompt; `piton cycle prompt ROLE` prints one.",
    ),
    inner("agent", "the name of an agent", "Who works."),
    inner("model", "a text", "The model it is to use."),
    inner("reads", "a list of `ROLE/FILE`", "Documents of others that it is told to read."),
    inner("writes", "a list of file names", "Its own documents."),
    inner("after", "a list of roles", "Roles that must be done before it begins."),
    inner("feedback_to", "a list of roles", "Who is told what it found."),
    inner("develops", "`true` or `false`", "It changes the work tree."),
    inner("validates", "`true` or `false`", "The checks are run before it begins."),
    inner("max_cost_usd", "dollars", "The most that it may cost."),
    inner("max_tokens", "a whole number", "The most tokens that it may use."),
    inner(
        "max_duration",
        "a duration such as `\"2h\"`",
        "The longest that it may work, in all of its attempts.",
    ),
];

fn role(reader: &mut Reader<'_>, pair: Pair<'_, '_>) -> Option<RoleSettings> {
    let (name, _, value) = pair;
    if !reader.can_name("a role", pair) {
        return None;
    }
    let DeValue::Table(table) = value.get_ref() else {
        reader.problem(value.span().start, format!("the role `{name}` is a table"));
        return None;
    };
    let mut said = Members::of(reader, table);
    let role = RoleSettings {
        name: name.to_owned(),
        title: said.get::<Text>("title"),
        prompt: said.get::<Path>("prompt"),
        agent: said.get::<Text>("agent"),
        model: said.get::<Text>("model"),
        reads: said.get::<Texts>("reads"),
        writes: said.get::<Texts>("writes"),
        after: said.get::<Texts>("after"),
        feedback_to: said.get::<Texts>("feedback_to"),
        develops: said.get::<Flag>("develops"),
        validates: said.get::<Flag>("validates"),
        max_cost_usd: said.get::<Number>("max_cost_usd"),
        max_tokens: said.get::<Count>("max_tokens"),
        max_duration: said.get::<Duration>("max_duration"),
    };
    said.end(&format!("key in role `{name}`:"));
    Some(role)
}

fn shown(role: &RoleSettings) -> Value {
    json!(role.agent.as_deref().or(role.title.as_deref()).unwrap_or(&role.name))
}

impl Settings {
    /// What is said of a role of this name, if anything is.
    pub fn role(&self, name: &str) -> Option<&RoleSettings> {
        self.roles.iter().find(|role| role.value.name == name).map(|role| &role.value)
    }
}

#[cfg(test)]
mod tests {
    use crate::read::tests::{accepted, problems};

    #[test]
    fn a_team_of_ones_own_is_a_list_and_a_table_per_role() {
        let text = "[cycle]\nteam = [\"writer\", \"reviewer\"]\nutc_offset = \"-03:30\"\n[cycle.roles.writer]\ndevelops = true\n\
                    [cycle.roles.reviewer]\nafter = [\"writer\"]\nmax_tokens = 5\n";
        let settings = accepted(text);
        assert_eq!(settings.cycle.team.as_ref().unwrap().value, ["writer", "reviewer"]);
        assert_eq!(settings.cycle.utc_offset.as_ref().unwrap().value, -210);
        assert_eq!(settings.role("writer").unwrap().develops, Some(true));
        assert_eq!(settings.role("reviewer").unwrap().max_tokens, Some(5));
    }

    #[test]
    fn what_cannot_be_meant_is_said() {
        assert!(problems("[cycle]\nutc_offset = \"8\"\n").contains("`utc_offset`"));
        assert!(problems("[cycle.roles.x]\nagnet = \"a\"\n").contains("agnet"));
        assert!(problems("[cycle.roles]\nx = 1\n").contains("is a table"));
    }
}
