//! `[hooks]`: what is called when. Any key that is a table describes a hook.

use piton_model::Kind;
use piton_model::hook::{Builtin, Hook, HookCondition, HookKind, HookPoint, Hooks, Method, Mode};
use serde_json::json;
use toml::Spanned;
use toml::de::DeValue;

use super::checks::table;
use super::notify::address;
use crate::check::command_problem;
use crate::entry::{Entry, Inner, Section, Type, inner, section};
use crate::read::{Members, Pair, Reader, entries};
use crate::settings::{Settings, by_name};
use crate::show;
use crate::types::{Duration, Flag, Many, OneOf, Text, Texts, takes};

section! {
    /// What is called when; without this section, what files in `.ralph/hooks` describe.
    hooks: HooksSettings = "hooks" {
        /// Whether any hook is called.
        enabled: Flag, [Loop Cycle] { otherwise: "`true`" };
        /// Where hooks in files of their own are.
        dir: Text, [Loop Cycle] { otherwise: "`\".ralph/hooks\"`" };
        /// How long a hook may take.
        default_timeout: Duration, [Loop Cycle] { otherwise: "`\"30s\"`" };
        /// Whether a hook that fails stops the run.
        fail_on_hook_error: Flag, [Loop Cycle] { otherwise: "`false`" };
        /// What piton brings and is to be called.
        builtin: Many<OneOf<Builtin>>, [Loop Cycle] { otherwise: "`[\"logging\"]`" };
    }
}

/// `[hooks.NAME]`.
pub(crate) const NAMED_HOOKS: Section = Section {
    path: "hooks",
    about: "Hooks of your own.",
    there: |_| {},
    entries: &[Entry {
        section: "hooks",
        words: "A hook of your own.",
        kinds: &[Kind::Loop, Kind::Cycle],
        inner: &KEYS,
        takes: || takes("a table with `points` and what is run", table(&KEYS, &[])),
        read: |reader, settings, pair| {
            let start = pair.1.span().start;
            let hook = hook(reader, pair);
            settings.own_hooks.extend(hook.map(|hook| reader.sourced(hook, start)));
        },
        overlay: |lower, upper| {
            by_name(&mut lower.own_hooks, std::mem::take(&mut upper.own_hooks), |hook| &hook.name);
        },
        show: |settings| {
            let each = settings.own_hooks.iter();
            each.map(|hook| show::value("hooks", &hook.value.name, hook, |hook| json!(hook.run.label())))
                .collect()
        },
        ..Entry::BASE
    }],
};

const KEYS: [Inner; 11] = [
    inner("points", "a list of points", "Where it is called."),
    inner("priority", "a whole number", "Higher ones are called first."),
    inner("timeout", "a duration", "How long it may take."),
    inner("enabled", "`true` or `false`", "Whether it is called."),
    inner("type", "`builtin`, `script`, `command` or `webhook`", "What it is, where that is not plain."),
    inner("command", "a shell command", "What is run."),
    inner("path", "a path", "A script that is run."),
    inner("args", "a list of texts", "The arguments of the script."),
    inner("url", "an address", "Where it is posted."),
    inner("method", "`POST`, `PUT` or `PATCH`", "How it is posted."),
    inner("conditions", "a list of tables", "When it is called."),
];

impl Settings {
    /// The hooks a run is given; none where nothing is to be called. Scripts are not sealed yet.
    pub fn settled_hooks(&self) -> Option<Hooks> {
        let said = &self.hooks;
        if !said.is_there || said.enabled.as_ref().is_some_and(|enabled| !enabled.value) {
            return None;
        }
        let mut hooks = Hooks::default();
        if let Some(timeout) = &said.default_timeout {
            hooks.default_timeout_ms = timeout.value;
        }
        hooks.fail_on_hook_error = said.fail_on_hook_error.as_ref().is_some_and(|flag| flag.value);
        let builtin = said.builtin.as_ref().map_or(vec![Builtin::Logging], |said| said.value.clone());
        // One that is described is called as it was described, and once.
        let is_described =
            |builtin: &Builtin| self.own_hooks.iter().any(|hook| hook.value.name == builtin.as_str());
        hooks.hooks.extend(builtin.into_iter().filter(|builtin| !is_described(builtin)).map(Builtin::hook));
        hooks.hooks.extend(self.own_hooks.iter().map(|hook| hook.value.clone()));
        Some(hooks)
    }
}

/// A hook; nothing where it is wrong or switched off.
fn hook(reader: &mut Reader<'_>, pair: Pair<'_, '_>) -> Option<Hook> {
    let (name, key, value) = pair;
    let start = key.span().start;
    if !reader.can_name("a hook", pair) {
        return None;
    }
    let table = value.get_ref().as_table()?;
    let mut hook = Hook { name: name.to_owned(), points: Vec::new(), priority: 0, ..Builtin::Logging.hook() };
    let mut said = Members::of(reader, table);
    hook.points = said.get::<Many<OneOf<HookPoint>>>("points").unwrap_or_default();
    hook.priority = said.with("priority", priority).unwrap_or_default();
    hook.timeout_ms = said.get::<Duration>("timeout");
    let is_on = said.get::<Flag>("enabled").unwrap_or(true);
    let found = Found {
        kind: said.get::<Text>("type"),
        command: said.get::<Text>("command"),
        path: said.get::<Text>("path"),
        args: said.get::<Texts>("args"),
        url: said.with("url", |reader, key, value| Some(address(reader, key, value))),
        method: said.get::<OneOf<Method>>("method"),
    };
    hook.conditions =
        said.with("conditions", |reader, _, value| conditions(reader, name, value)).unwrap_or_default();
    said.end(&format!("key in hook `{name}`:"));
    let run = found.run(reader, name, start)?;
    if let HookKind::Builtin { builtin } = &run {
        if !table.contains_key("points") {
            hook.points = builtin.points();
        }
        if !table.contains_key("priority") {
            hook.priority = builtin.priority();
        }
    } else if hook.points.is_empty() {
        reader.problem_with_hint(
            start,
            format!("the hook `{name}` has no `points`"),
            "say where it is called: `points = [\"loop_end\"]`",
        );
    }
    hook.run = run;
    is_on.then_some(hook)
}

fn priority(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<i32> {
    let number = match value.get_ref() {
        DeValue::Integer(number) => i32::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    };
    if number.is_none() {
        let message = format!("`{key}` must be a whole number; higher ones are called first");
        reader.problem(value.span().start, message);
    }
    number
}

/// What a hook says about what it runs.
struct Found {
    kind: Option<String>,
    command: Option<String>,
    path: Option<String>,
    args: Option<Vec<String>>,
    /// There, and right.
    url: Option<Option<piton_model::notify::Given>>,
    method: Option<Method>,
}

/// What a hook is.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Builtin,
    Script,
    Command,
    Webhook,
}

const WAYS: [(&str, Way); 4] = [
    ("builtin", Way::Builtin),
    ("script", Way::Script),
    ("command", Way::Command),
    ("webhook", Way::Webhook),
];

impl Found {
    fn run(self, reader: &mut Reader<'_>, name: &str, start: usize) -> Option<HookKind> {
        let way = self.way(reader, name, start)?;
        let missing = |reader: &mut Reader<'_>, key: &str| {
            reader.problem(start, format!("the hook `{name}` has no `{key}`"));
            None
        };
        match way {
            Way::Command => {
                let Some(command) = self.command else { return missing(reader, "command") };
                if let Some(why) = command_problem(&command) {
                    reader.problem(start, format!("hook `{name}`: {why}"));
                    return None;
                }
                Some(HookKind::Command { command })
            }
            Way::Script => match self.path.filter(|path| !path.is_empty()) {
                Some(path) => {
                    Some(HookKind::Script { path, args: self.args.unwrap_or_default(), digest: None })
                }
                None => missing(reader, "path"),
            },
            Way::Webhook => match self.url {
                Some(url) => Some(HookKind::Webhook { url: url?, method: self.method.unwrap_or_default() }),
                None => missing(reader, "url"),
            },
            Way::Builtin => {
                let builtin = Builtin::from_word(name);
                if builtin.is_none() {
                    reader.unknown(start, "builtin hook", name, &Builtin::ALL.map(Builtin::as_str));
                }
                builtin.map(|builtin| HookKind::Builtin { builtin })
            }
        }
    }

    /// What it is: what it says, else what it has.
    fn way(&self, reader: &mut Reader<'_>, name: &str, start: usize) -> Option<Way> {
        let has = |way: Way| match way {
            Way::Builtin => false,
            Way::Script => self.path.is_some(),
            Way::Command => self.command.is_some(),
            Way::Webhook => self.url.is_some(),
        };
        let given: Vec<_> = WAYS.into_iter().filter(|(_, way)| has(*way)).collect();
        let (word, way) = match (&self.kind, given.as_slice()) {
            (Some(word), _) => match WAYS.iter().find(|(known, _)| known == word) {
                Some(known) => *known,
                None => {
                    reader.unknown(
                        start,
                        &format!("type of hook `{name}`:"),
                        word,
                        &WAYS.map(|(word, _)| word),
                    );
                    return None;
                }
            },
            (None, [only]) => *only,
            (None, _) => {
                let message = format!("the hook `{name}` does not say what it runs");
                let hint = "give one of `command`, `path` and `url`, or a `type`";
                reader.problem_with_hint(start, message, hint);
                return None;
            }
        };
        if let Some((other, _)) = given.iter().find(|(_, other)| *other != way) {
            reader.problem(start, format!("the hook `{name}` is both a {word} and a {other}"));
            return None;
        }
        Some(way)
    }
}

fn conditions(
    reader: &mut Reader<'_>,
    hook: &str,
    value: &Spanned<DeValue<'_>>,
) -> Option<Vec<HookCondition>> {
    let Some(items) = value.get_ref().as_array() else {
        let message = "`conditions` must be a list of tables such as `[{ type = \"every_n\", n = 5 }]`";
        reader.problem(value.span().start, message);
        return None;
    };
    Some(items.iter().filter_map(|item| condition(reader, hook, item)).collect())
}

fn condition(reader: &mut Reader<'_>, hook: &str, value: &Spanned<DeValue<'_>>) -> Option<HookCondition> {
    #[derive(Clone, Copy)]
    enum Sort {
        EveryN,
        InMode,
        IfPattern,
        IfTestStatus,
    }
    const TYPES: [(&str, (&str, Sort)); 4] = [
        ("every_n", ("n", Sort::EveryN)),
        ("in_mode", ("modes", Sort::InMode)),
        ("if_pattern", ("pattern", Sort::IfPattern)),
        ("if_test_status", ("passing", Sort::IfTestStatus)),
    ];
    let start = value.span().start;
    let table = reader.table(&format!("a condition of hook `{hook}`"), value, start)?;
    let Some(kind) = table.get("type") else {
        let known = TYPES.map(|(word, _)| format!("`{word}`")).join(", ");
        let message = format!("a condition of hook `{hook}` has no `type`");
        reader.problem_with_hint(start, message, format!("known are {known}"));
        return None;
    };
    let (wanted, sort) = reader.word("type", kind, &TYPES)?;
    for (name, key, _) in entries(table) {
        if name != "type" && name != wanted {
            reader.unknown(key.span().start, "key of a condition:", name, &[wanted]);
        }
    }
    let Some(value) = table.get(wanted) else {
        reader.problem(start, format!("a condition of hook `{hook}` has no `{wanted}`"));
        return None;
    };
    match sort {
        Sort::EveryN => {
            let n = reader.whole(wanted, value)?;
            if n == 0 {
                reader.problem(value.span().start, "`n` is at least 1");
            }
            Some(HookCondition::EveryN { n })
        }
        Sort::InMode => {
            Some(HookCondition::InMode { modes: Many::<OneOf<Mode>>::read(reader, wanted, value)? })
        }
        Sort::IfTestStatus => Some(HookCondition::IfTestStatus { passing: reader.flag(wanted, value)? }),
        Sort::IfPattern => {
            let what = format!("`pattern` of hook `{hook}`");
            Some(HookCondition::IfPattern { pattern: reader.regex(&what, wanted, value)? })
        }
    }
}
