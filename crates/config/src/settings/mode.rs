//! `[mode]`: whether a person is there, what they are asked, who switches when, and the hours of work.

use piton_model::hook::Mode;
use piton_model::loop_machine::{LoopConfig, ScheduledMode, Switching, TimeSpan};
use piton_model::notify::Day;
use serde_json::json;
use toml::Spanned;
use toml::de::DeValue;

use crate::entry::{Takes, Type, section};
use crate::read::{Members, Reader};
use crate::types::{AtLeastOne, Duration, Flag, Many, OneOf, Patience, Texts, TimeOfDay, Whole, takes};

section! {
    /// Whether a person is there.
    mode: ModeSection = "mode" {
        /// How a run begins.
        start: OneOf<Mode>, [Loop] => mode.start;
        /// Switches by the clock.
        schedule: Many<Scheduled>, [Loop] => mode.schedule;
    }
}

section! {
    /// What a person is asked while attended.
    attended: AttendedSection = "mode.attended" {
        /// Before every iteration.
        pause_before: Flag, [Loop] => mode.attended.pause_before;
        /// After every iteration.
        pause_after: Flag, [Loop] => mode.attended.pause_after;
        /// After an iteration that changed files.
        approve_changes: Flag, [Loop] => mode.attended.approve_changes;
        /// What is not answered for so long counts as approved.
        auto_approve: Duration, [Loop] => mode.attended.auto_approve_ms;
        /// The terminal shows what changed.
        show_diff: Flag, [Loop] => mode.attended.show_diff;
        /// Iterations before which a person is asked in every mode.
        breakpoints: Many<AtLeastOne>, [Loop] => mode.attended.breakpoints;
    }
}

section! {
    /// What a person is asked while hybrid.
    hybrid: HybridSection = "mode.hybrid" {
        /// After every so many iterations; 0 means never.
        every: Whole, [Loop] => mode.hybrid.every;
        /// After an iteration that changed at least so many files; 0 means never.
        files: Whole, [Loop] => mode.hybrid.files;
        /// What is not answered for so long counts as approved; `false` waits as long as it takes.
        auto_approve: Patience, [Loop] => mode.hybrid.auto_approve_ms;
    }
}

section! {
    /// What makes an unattended loop call for a person. The section alone switches it on.
    switch: SwitchSection = "mode.switch" {
        /// Whether anything does.
        enabled: Flag, [Loop] { otherwise: "`true` where the section is there" };
        /// So many failed attempts in a row; 0 means never.
        failures: Whole, [Loop] { default: |_| Some(json!(Switching::default().failures)) };
        /// One of these in what the agent reports or a failure says.
        patterns: Texts, [Loop] { default: |_| Some(json!(Switching::default().patterns)) };
        /// Something got worse, or was refused.
        on_regression: Flag, [Loop] { default: |_| Some(json!(Switching::default().on_regression)) };
        /// One check is left, or one objective.
        near_completion: Flag, [Loop] { default: |_| Some(json!(Switching::default().near_completion)) };
        /// A person who has not answered for so long is not there: unattended again.
        idle: Duration, [Loop];
    }
}

section! {
    /// When a loop works that nobody attends.
    windows: WindowSection = "mode.windows" {
        /// Only between these times.
        hours: Hours, [Loop] => mode.windows.hours;
        /// Only on these days.
        days: Many<OneOf<Day>>, [Loop] => mode.windows.days;
        /// Never between these times.
        blackouts: Many<Hours>, [Loop] => mode.windows.blackouts;
    }
}

impl SwitchSection {
    /// What a loop is given, where the section is there and not switched off.
    pub(crate) fn configure(&self, config: &mut LoopConfig) {
        if !self.is_there || self.enabled.as_ref().is_some_and(|enabled| !enabled.value) {
            return;
        }
        let usual = Switching::default();
        let flag = |said: &Option<crate::settings::Sourced<bool>>, usual| {
            said.as_ref().map_or(usual, |said| said.value)
        };
        config.mode.switch = Some(Switching {
            failures: self.failures.as_ref().map_or(usual.failures, |said| said.value),
            patterns: self.patterns.as_ref().map_or(usual.patterns, |said| said.value.clone()),
            on_regression: flag(&self.on_regression, usual.on_regression),
            near_completion: flag(&self.near_completion, usual.near_completion),
            idle_ms: self.idle.as_ref().map(|said| said.value).or(usual.idle_ms),
        });
    }
}

/// A switch by the clock.
pub struct Scheduled;

impl Type for Scheduled {
    type Value = ScheduledMode;

    fn read(reader: &mut Reader<'_>, _: &str, item: &Spanned<DeValue<'_>>) -> Option<ScheduledMode> {
        let start = item.span().start;
        let table = reader.table("an entry of `schedule`", item, start)?;
        let mut said = Members::of(reader, table);
        let at = said.get::<TimeOfDay>("at");
        let days = said.get::<Many<OneOf<Day>>>("days").unwrap_or_default();
        let mode = said.get::<OneOf<Mode>>("mode");
        said.end("key of a scheduled mode:");
        if !table.contains_key("at") || !table.contains_key("mode") {
            reader.problem(start, "an entry of `schedule` needs `at` and `mode`");
        }
        Some(ScheduledMode { at: at?, days, mode: mode? })
    }

    fn takes() -> Takes {
        let properties = json!({
            "at": TimeOfDay::takes().schema,
            "days": Many::<OneOf<Day>>::takes().schema,
            "mode": OneOf::<Mode>::takes().schema,
        });
        let schema = json!({"type": "object", "properties": properties, "required": ["at", "mode"], "additionalProperties": false});
        takes("`{ at = \"22:00\", mode = \"unattended\", days = [\"mon\"] }`", schema)
    }
}

/// From one time of day to another, over midnight where need be.
pub struct Hours;

impl Type for Hours {
    type Value = TimeSpan;

    fn read(reader: &mut Reader<'_>, what: &str, value: &Spanned<DeValue<'_>>) -> Option<TimeSpan> {
        let start = value.span().start;
        let table = reader.table(&format!("`{what}`"), value, start)?;
        let mut said = Members::of(reader, table);
        let (from, to) = (said.get::<TimeOfDay>("from"), said.get::<TimeOfDay>("to"));
        said.end(&format!("key in `{what}`:"));
        if !table.contains_key("from") || !table.contains_key("to") {
            let hint = "write `{ from = \"22:00\", to = \"07:00\" }`";
            reader.problem_with_hint(start, format!("`{what}` needs `from` and `to`"), hint);
        }
        Some(TimeSpan { from: from?, to: to? })
    }

    fn takes() -> Takes {
        let time = TimeOfDay::takes().schema;
        let schema = json!({"type": "object", "properties": {"from": time, "to": time}, "required": ["from", "to"], "additionalProperties": false});
        takes("`{ from = \"22:00\", to = \"07:00\" }`", schema)
    }
}

#[cfg(test)]
mod tests {
    use piton_model::loop_machine::Hybrid;

    use super::*;
    use crate::read::tests::{configured, problems};

    #[test]
    fn every_key_is_read() {
        let policy = configured(
            r#"
            [mode]
            start = "hybrid"
            schedule = [{ at = "22:00", mode = "unattended", days = ["mon"] }]
            [mode.attended]
            pause_before = false
            pause_after = true
            approve_changes = false
            auto_approve = "5m"
            show_diff = false
            breakpoints = [3, 7]
            [mode.hybrid]
            every = 4
            files = 2
            auto_approve = false
            [mode.switch]
            failures = 2
            patterns = ["STOP"]
            on_regression = false
            near_completion = false
            idle = "10m"
            [mode.windows]
            hours = { from = "20:00", to = "06:00" }
            days = ["fri"]
            blackouts = [{ from = "02:00", to = "03:00" }]
            "#,
        )
        .mode;
        assert_eq!(policy.start, Mode::Hybrid);
        assert_eq!(policy.schedule[0].days, [Day::Mon]);
        let attended = policy.attended;
        assert!(!attended.pause_before && attended.pause_after && !attended.approve_changes);
        assert_eq!((attended.auto_approve_ms, attended.breakpoints), (Some(300_000), vec![3, 7]));
        assert_eq!(policy.hybrid, Hybrid { every: 4, files: 2, auto_approve_ms: None });
        let switch = policy.switch.unwrap();
        assert_eq!((switch.failures, switch.idle_ms), (2, Some(600_000)));
        assert_eq!(policy.windows.hours.unwrap().from.to_string(), "20:00");
        assert_eq!((policy.windows.days.len(), policy.windows.blackouts.len()), (1, 1));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let said =
            problems("[mode]\nstart = \"alone\"\nschedule = [{ at = \"25:00\", mode = \"hybrid\" }]\n");
        assert!(said.contains("alone") && said.contains("25:00"), "{said}");
        assert!(problems("[mode.attended]\npause_befor = true\n").contains("pause_before"));
        assert!(problems("[mode.windows]\nhours = { from = \"20:00\" }\n").contains("needs `from` and `to`"));
    }
}
