//! The effective configuration for people and programs: `piton config show`.

use std::fmt;

use piton_model::loop_machine::{
    Check, Escalation, GuardMode, NamedStop, OnLost, RecoveryPolicy, SessionPolicy,
};
use piton_model::notify::{Channel, On, Trigger};
use serde::Serialize;
use serde_json::{Value, json};

use crate::check::CHECK_TIMEOUT_MS;
use crate::duration::format_duration;
use crate::layers::Resolved;
use crate::limit::{Limit, Unit};
use crate::problem::Place;
use crate::read::{GUARD_WORDS, LEVEL_WORDS, ON_LOST_WORDS, SESSION_WORDS};
use crate::settings::{Layer, Settings, Sourced, Wanted};

/// Every value that holds, and who said it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shown {
    /// In the order of the file format.
    pub values: Vec<ShownValue>,
    /// What a person should be told.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// One value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShownValue {
    /// Its section, such as `loop`.
    pub section: String,
    /// Its name there.
    pub key: String,
    /// The value as the file would say it; `null` where it is not set.
    pub value: Value,
    /// Who said it.
    pub layer: Layer,
    /// Where, unless it is built in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// What `resolved` says, for people and programs. Patterns to redact are counted, never shown.
pub fn show(resolved: &Resolved) -> Shown {
    let settings = &resolved.settings;
    let mut values = vec![optional("agent", "use", settings.agent.as_ref(), |name| json!(name))];
    said(&mut values, "agent", "inject", &settings.inject);
    said(&mut values, "agent", "pass", &settings.pass);
    for agent in &settings.agents {
        let section = format!("agents.{}", agent.value.run.name);
        values.push(value(&section, "command", agent, |agent| json!(agent.run.command)));
    }
    values.push(optional("loop", "prompt", settings.prompt.as_ref(), |path| json!(path)));
    let session = |policy: &SessionPolicy| json!(word(*policy, &SESSION_WORDS));
    values.push(optional("loop", "session", settings.session.as_ref(), session));
    values.extend(Limit::ALL.into_iter().map(|limit| {
        let in_unit = |value: &u64| limit_value(limit, *value);
        optional("loop", limit.key(), settings.limits.get(&limit), in_unit)
    }));
    said(&mut values, "loop", "deadline", &settings.deadline);
    let on_lost = |policy: &OnLost| json!(word(*policy, &ON_LOST_WORDS));
    values.push(optional("loop", "on_lost", settings.on_lost.as_ref(), on_lost));
    for check in &settings.checks {
        values.push(value("checks", &check.value.name, check, check_value));
    }
    let mode = |mode: &GuardMode| json!(word(*mode, &GUARD_WORDS));
    values.push(optional("guard", "mode", settings.guard.as_ref(), mode));
    said(&mut values, "guard", "protect", &settings.protect);
    said(&mut values, "guard", "thresholds", &settings.thresholds);
    if let Some(rules) = &settings.rules_off {
        values.push(value("guard", "rules", rules, |rules| {
            rules
                .iter()
                .map(|rule| (rule.rule.clone(), json!({"off": true, "reason": rule.reason})))
                .collect()
        }));
    }
    if let Some(stop) = &settings.stop {
        for (key, list) in [
            ("success", &stop.value.success),
            ("failure", &stop.value.failure),
            ("conditions", &stop.value.conditions),
        ] {
            if !list.is_empty() {
                let labels: Vec<_> = list.iter().map(NamedStop::label).collect();
                values.push(value("stop", key, stop, |_| json!(labels)));
            }
        }
    }
    for metric in &settings.metrics {
        values.push(value("metrics", &metric.value.name, metric, |metric| match &metric.regex {
            None => json!(metric.command),
            Some(regex) => json!({"command": metric.command, "regex": regex}),
        }));
    }
    if let Some(reinforcement) = &settings.reinforcement {
        let level = |said: &Escalation| json!(word(said.level, &LEVEL_WORDS));
        values.push(value("reinforcement", "level", reinforcement, level));
        for (key, at) in [
            ("standard_at", reinforcement.value.standard_at),
            ("aggressive_at", reinforcement.value.aggressive_at),
            ("adaptive_at", reinforcement.value.adaptive_at),
        ] {
            values.extend(at.map(|at| value("reinforcement", key, reinforcement, |_| json!(at))));
        }
        values.push(value("reinforcement", "plateau", reinforcement, |said| json!(said.plateau_percent)));
    }
    if let Some(recovery) = &settings.recovery {
        values.push(value("recovery", "max_retries", recovery, |said| json!(said.max_retries)));
        let escalates = |said: &RecoveryPolicy| json!(said.escalate_critical);
        values.push(value("recovery", "escalate_critical", recovery, escalates));
    }
    said(&mut values, "worktree", "copy", &settings.worktree.copy);
    said(&mut values, "worktree", "link", &settings.worktree.link);
    said(&mut values, "worktree", "setup", &settings.worktree.setup);
    said(&mut values, "confine", "enabled", &settings.confine.enabled);
    said(&mut values, "confine", "write", &settings.confine.write);
    values.push(optional("views", "ralph", settings.views.ralph.as_ref(), |on| json!(on)));
    let aiwg = |wanted: &Wanted| match wanted {
        Wanted::Auto => json!("auto"),
        Wanted::Yes => json!(true),
        Wanted::No => json!(false),
    };
    values.push(optional("views", "aiwg", settings.views.aiwg.as_ref(), aiwg));
    let interval = |millis: &u64| json!(format_duration(*millis));
    values.push(optional(
        "views",
        "auto_save_interval",
        settings.views.auto_save_interval_ms.as_ref(),
        interval,
    ));
    said(&mut values, "gaps", "file", &settings.gaps.file);
    said(&mut values, "gaps", "audit_log", &settings.gaps.audit_log);
    values.push(optional("gaps", "default_ttl_days", settings.gaps.default_ttl_days.as_ref(), |n| json!(n)));
    values.push(optional("gaps", "max_gaps_per_run", settings.gaps.max_gaps_per_run.as_ref(), |n| json!(n)));
    said(&mut values, "gaps", "require", &settings.gaps.require);
    said(&mut values, "gaps", "prompt_tokens", &settings.gaps.prompt_tokens);
    telling(&mut values, settings);
    values.extend(settings.mode.iter().map(|mode| value("mode", "start", mode, |mode| json!(mode.start))));
    for pattern in &settings.redact {
        values.push(value("redact", "patterns", pattern, |_| json!("(not shown)")));
    }
    Shown { values, notes: resolved.notes.iter().map(ToString::to_string).collect() }
}

/// Notifications and hooks. Secrets are not in them.
fn telling(values: &mut Vec<ShownValue>, settings: &Settings) {
    let (hooks, notify) = (&settings.hooks, &settings.notify);
    let span = |millis: &u64| json!(format_duration(*millis));
    said(values, "hooks", "enabled", &hooks.enabled);
    values.extend(
        hooks.default_timeout_ms.iter().map(|timeout| value("hooks", "default_timeout", timeout, span)),
    );
    said(values, "hooks", "fail_on_hook_error", &hooks.fail_on_hook_error);
    said(values, "hooks", "dir", &hooks.dir);
    said(values, "hooks", "builtin", &hooks.builtin);
    for hook in &hooks.hooks {
        values.push(value("hooks", &hook.value.name, hook, |hook| json!(hook.run.label())));
    }
    said(values, "notify", "enabled", &notify.enabled);
    values.extend(
        notify.min_interval_ms.iter().map(|interval| value("notify", "min_interval", interval, span)),
    );
    said(values, "notify", "max_per_hour", &notify.max_per_hour);
    values.extend(notify.debounce_ms.iter().map(|debounce| value("notify", "debounce", debounce, span)));
    said(values, "notify", "quiet_hours", &notify.quiet_hours);
    for channel in &notify.channels {
        let kind = |channel: &Channel| json!(channel.to.as_str());
        values.push(value("notify.channels", &channel.value.name, channel, kind));
    }
    for trigger in &notify.triggers {
        let priority =
            |(_, on): &(Trigger, Option<On>)| on.as_ref().map_or(json!(false), |on| json!(on.priority));
        values.push(value("notify.triggers", trigger.value.0.as_str(), trigger, priority));
    }
}

/// A value that is only worth a line where somebody said it.
fn said<T: Serialize>(values: &mut Vec<ShownValue>, section: &str, key: &str, setting: &Option<Sourced<T>>) {
    if let Some(setting) = setting {
        values.push(value(section, key, setting, |plain| json!(plain)));
    }
}

fn check_value(check: &Check) -> Value {
    if check.timeout_ms == CHECK_TIMEOUT_MS && !check.cheap && check.reads.is_none() {
        return json!(check.command);
    }
    let mut members = serde_json::Map::from_iter([("command".to_owned(), json!(check.command))]);
    if check.timeout_ms != CHECK_TIMEOUT_MS {
        members.insert("timeout".to_owned(), json!(format_duration(check.timeout_ms)));
    }
    if let Some(reads) = &check.reads {
        members.extend(reads.format.iter().map(|format| ("format".to_owned(), json!(format))));
        members.insert("path".to_owned(), json!(reads.path));
    }
    if check.cheap {
        members.insert("cheap".to_owned(), json!(true));
    }
    Value::Object(members)
}

impl fmt::Display for Shown {
    /// Like the file format, with the source behind every value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut section = "";
        for value in &self.values {
            if value.section != section {
                let gap = if section.is_empty() { "" } else { "\n" };
                writeln!(f, "{gap}[{}]", value.section)?;
                section = &value.section;
            }
            writeln!(f, "{}", value.line())?;
        }
        for note in &self.notes {
            writeln!(f, "\n# {note}")?;
        }
        Ok(())
    }
}

impl ShownValue {
    fn line(&self) -> String {
        let source = match &self.place {
            Some(place) => format!("{}: {place}", self.layer.as_str()),
            None => self.layer.as_str().to_owned(),
        };
        match &self.value {
            Value::Null => format!("# {} is not set", self.key),
            value => format!("{:<50} # {source}", format!("{} = {}", self.key, toml_text(value))),
        }
    }
}

/// A JSON value as TOML writes it. What JSON escapes in a string, TOML escapes alike.
fn toml_text(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<_> =
                members.iter().map(|(key, member)| format!("{key} = {}", toml_text(member))).collect();
            format!("{{ {} }}", members.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(toml_text).collect::<Vec<_>>().join(", ")),
        Value::String(text) => format!("\"{}\"", text.escape_debug().to_string().replace("\\'", "'")),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

fn value<T>(section: &str, key: &str, sourced: &Sourced<T>, text: impl Fn(&T) -> Value) -> ShownValue {
    let place = (sourced.place != Place::Nowhere).then(|| sourced.place.to_string());
    let value = text(&sourced.value);
    ShownValue { section: section.to_owned(), key: key.to_owned(), value, layer: sourced.layer, place }
}

fn optional<T>(
    section: &str,
    key: &str,
    sourced: Option<&Sourced<T>>,
    text: impl Fn(&T) -> Value,
) -> ShownValue {
    let off = || ShownValue {
        section: section.to_owned(),
        key: key.to_owned(),
        value: Value::Null,
        layer: Layer::Default,
        place: None,
    };
    sourced.map_or_else(off, |sourced| value(section, key, sourced, text))
}

fn limit_value(limit: Limit, value: u64) -> Value {
    match limit.unit() {
        Unit::Count32 | Unit::Count64 => json!(value),
        Unit::Duration => json!(limit.format(value)),
        // A number of dollars, as the file says it: it reads back exactly or is shown as text.
        Unit::Dollars => limit.format(value).parse().map_or(json!(limit.format(value)), Value::Number),
    }
}

fn word<T: Copy + PartialEq>(value: T, words: &[(&'static str, T)]) -> &'static str {
    words.iter().find(|(_, meaning)| *meaning == value).map_or("", |(word, _)| word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{Document, Files};
    use crate::layers::{Overrides, resolve};

    fn resolved() -> Resolved {
        let document =
            |name: &str, text: &str| Document { name: name.to_owned(), content: text.as_bytes().to_vec() };
        let files = Files {
            user: Some(document("config.toml", "[loop]\nmax_cost_usd = 2.5\n")),
            project: Some(document(
                "piton.toml",
                "[agents.mine]\ncommand = [\"my-agent\", \"-x\"]\n[agent]\nuse = \"mine\"\n\
                 [loop]\nmax_cost_usd = 9\n[checks]\nz = \"true\"\na = { command = \"make\", timeout = \"1m\" }\n\
                 [redact]\npatterns = [\"hunter2-hunter2\"]\n",
            )),
        };
        let variable = |name: &str| (name == "PITON_MAX_DURATION").then(|| "90m".to_owned());
        resolve(&files, &variable, &Overrides::default()).unwrap()
    }

    #[test]
    fn every_value_stands_beside_its_source() {
        insta::assert_snapshot!(show(&resolved()).to_string(), @r#"
        [agent]
        use = "mine"                                       # project: piton.toml:4:7

        [agents.mine]
        command = ["my-agent", "-x"]                       # project: piton.toml:1:9

        [loop]
        # prompt is not set
        session = "fresh"                                  # default
        max_iterations = 50                                # default
        max_duration = "1h30m"                             # environment: PITON_MAX_DURATION
        no_progress = 5                                    # default
        failure_streak = 5                                 # default
        max_cost_usd = 2.5                                 # user: config.toml:2:16
        # max_tokens is not set
        attempt_timeout = "2h"                             # default
        # idle_timeout is not set
        # max_files is not set
        # max_lines is not set
        # max_reboots is not set
        on_lost = "retry"                                  # default

        [checks]
        z = "true"                                         # project: piton.toml:8:1
        a = { command = "make", timeout = "1m" }           # project: piton.toml:9:1

        [guard]
        mode = "block"                                     # default

        [views]
        ralph = true                                       # default
        aiwg = "auto"                                      # default
        auto_save_interval = "30s"                         # default

        [gaps]
        default_ttl_days = 30                              # default
        max_gaps_per_run = 5                               # default

        [redact]
        patterns = "(not shown)"                           # project: piton.toml:11:13

        # `max_cost_usd` is 2.50, not 9 (piton.toml:6:16): your own limits are caps (config.toml:2:16)
        "#);
    }

    #[test]
    fn the_json_names_section_key_layer_and_place() {
        let shown = serde_json::to_value(show(&resolved())).unwrap();
        let find = |key: &str| {
            shown["values"].as_array().unwrap().iter().find(|value| value["key"] == key).unwrap().clone()
        };
        assert_eq!(
            find("max_duration"),
            json!({ "section": "loop", "key": "max_duration", "value": "1h30m", "layer": "environment", "place": "PITON_MAX_DURATION" })
        );
        assert_eq!(find("max_cost_usd")["value"], json!(2.5));
        assert_eq!(find("max_tokens")["value"], Value::Null);
        assert_eq!(shown["notes"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn a_secret_pattern_is_never_shown() {
        let shown = show(&resolved());
        let json = serde_json::to_string(&shown).unwrap();
        assert!(!json.contains("hunter2") && !shown.to_string().contains("hunter2"));
    }
}
