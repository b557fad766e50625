//! `[worktree]`, `[confine]`, `[views]` and `[redact]`: where work happens, and what may be written where.

use piton_model::loop_machine::Confine;
use piton_model::{Host, Kind};
use serde::Serialize;
use serde_json::{Value, json};
use toml::Spanned;
use toml::de::DeValue;

use crate::entry::{Entry, Section, Takes, Type, section};
use crate::problem::quoted;
use crate::read::Reader;
use crate::settings::{Settings, Sourced};
use crate::show;
use crate::types::{Duration, Flag, Paths, Places, Text, list_of, takes};

section! {
    /// What a work tree of its own is furnished with.
    worktree: Worktree = "worktree" {
        /// Further paths that are copied into it from the repository.
        copy: Paths, [Loop Workflow Cycle];
        /// Whether packages that are installed in the repository, and settings that git ignores, are copied without being named.
        installed: Flag, [Loop Workflow Cycle] { otherwise: "`true`" };
        /// A shell command that is run in it once, before anything else.
        setup: Text, [Loop Workflow Cycle];
        /// Whether the baseline is held against the checkout: what does worse, or reads the checkout, stops the run.
        compare: Flag, [Loop] { otherwise: "`true`" };
    }
}

section! {
    /// Walls around agents and checks.
    confine: ConfineSection = "confine" {
        /// Whether there are any.
        enabled: Flag, [Loop Workflow Cycle Ledger] { flag: Some("--confine"), otherwise: "`false`" };
        /// Further places that may be written to.
        write: Places, [Loop Workflow Cycle Ledger] { otherwise: "none" };
        /// Places that are seen inside although they hold keys or logins.
        read: Places, [Loop Workflow Cycle Ledger] { otherwise: "none" };
        /// The only hosts that are reached from inside.
        network: Hosts, [Loop Workflow Cycle Ledger] { otherwise: "all" };
        /// Whether a manual input, or an edit of `run_state.json`, counts that was written while something without walls was at
        /// work, and may be its own.
        accept_inputs: Flag, [Workflow] { otherwise: "`false`" };
    }
}

impl ConfineSection {
    /// The walls, where they are asked for.
    pub fn settled(&self) -> Option<Confine> {
        let is_on = self.enabled.as_ref().is_some_and(|enabled| enabled.value);
        let list = |said: &Option<Sourced<Vec<String>>>| said.as_ref().map(|said| said.value.clone());
        is_on.then(|| Confine {
            write: list(&self.write).unwrap_or_default(),
            read: list(&self.read).unwrap_or_default(),
            network: list(&self.network),
        })
    }
}

/// Hosts by name.
pub struct Hosts;

impl Type for Hosts {
    type Value = Vec<String>;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Vec<String>> {
        let hosts = reader.texts(key, value)?;
        for host in &hosts {
            if let Err(why) = host.parse::<Host>() {
                reader.problem(value.span().start, format!("{} is no host: {why}", quoted(host)));
            }
        }
        Some(hosts)
    }

    fn takes() -> Takes {
        let host = json!({"type": "string", "minLength": 1});
        takes(
            "a list of hosts, such as `\"api.example.org\"`, `\"*.example.org\"` or `\"localhost:5432\"`",
            list_of(host),
        )
    }
}

section! {
    /// The published files.
    views: Views = "views" {
        /// Whether `.ralph/state.json` is rendered.
        ralph: Flag = true, [Loop] { shown: true };
        /// Whether `.aiwg/ralph/` is rendered; `auto`: where `.aiwg` exists.
        aiwg: AutoOrFlag = Wanted::Auto, [Loop] { shown: true };
        /// How often a view is rendered while a run is under way.
        auto_save_interval: Duration = 30_000, [Loop] { shown: true };
    }
}

/// Whether something is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Wanted {
    /// Where there is a sign that somebody uses it.
    #[default]
    Auto,
    /// In any case.
    Yes,
    /// In no case.
    No,
}

/// `true`, `false`, or `"auto"`.
pub struct AutoOrFlag;

impl Type for AutoOrFlag {
    type Value = Wanted;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Wanted> {
        match value.get_ref().as_bool() {
            Some(true) => Some(Wanted::Yes),
            Some(false) => Some(Wanted::No),
            None => reader.word(key, value, &[("auto", Wanted::Auto)]),
        }
    }

    fn shown(value: &Wanted) -> Value {
        match value {
            Wanted::Auto => json!("auto"),
            Wanted::Yes => json!(true),
            Wanted::No => json!(false),
        }
    }

    fn takes() -> Takes {
        takes("`true`, `false` or `\"auto\"`", json!({"enum": [true, false, "auto"]}))
    }
}

/// Shorter ones would hit everywhere; the redactor would leave them out without a word.
const PATTERN_BYTES_MIN: usize = 8;

/// `[redact]`. What one layer wants kept secret no other layer can publish, so patterns only ever add up.
pub(crate) const REDACT: Section = Section {
    path: "redact",
    about: "What is never written down.",
    there: |_| {},
    entries: &[Entry {
        section: "redact",
        key: "patterns",
        words: "Literal texts that never reach a disk; those of all files hold together.",
        kinds: &[Kind::Loop, Kind::Workflow, Kind::Cycle, Kind::Ledger],
        otherwise: "none beside what looks like a secret",
        takes: || {
            let pattern = json!({"type": "string", "minLength": PATTERN_BYTES_MIN});
            takes("a list of texts, at least 8 bytes each", list_of(pattern))
        },
        read: |reader, settings, (name, _, value)| {
            let patterns = reader.texts(name, value).unwrap_or_default();
            if patterns.iter().any(|pattern| pattern.len() < PATTERN_BYTES_MIN) {
                let message =
                    format!("a pattern needs at least {PATTERN_BYTES_MIN} bytes, or it would hit everywhere");
                reader.problem(value.span().start, message);
            }
            let items = value.get_ref().as_array().into_iter().flatten();
            settings.redact = patterns
                .into_iter()
                .zip(items)
                .map(|(text, item)| reader.sourced(text, item.span().start))
                .collect();
        },
        overlay: |lower: &mut Settings, upper| lower.redact.append(&mut upper.redact),
        show: |settings| {
            let each = settings.redact.iter();
            each.map(|pattern| show::value("redact", "patterns", pattern, |_| json!("(not shown)"))).collect()
        },
        ..Entry::BASE
    }],
};
