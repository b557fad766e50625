//! What a layer can say, and what all of them say together.
//!
//! Every setting is one entry, in a file of this directory; see [`crate::entry`]. [`SECTIONS`] is the list of all of
//! them, in the order of the file format.

mod agent;
mod checks;
mod cycle;
mod gaps;
mod guard;
mod hooks;
mod loops;
mod mode;
mod notify;
mod places;
mod session;
mod stop;
#[cfg(test)]
mod telling_tests;
mod vault;

use std::collections::BTreeMap;

use piton_model::hook::Hook;
use piton_model::loop_machine::{Check, LoopConfig, Metric};
use piton_model::notify::{Channel, On, Trigger};
use serde::Serialize;

pub use agent::AgentSection;
pub use cycle::{CycleSection, Offset, RoleSettings};
pub use gaps::{Gaps, PromptSection, Variables};
pub use guard::{GuardSection, Rules, ThresholdSection};
pub use hooks::HooksSettings;
pub use loops::{EndSection, LoopSection};
pub use mode::{AttendedSection, Hours, HybridSection, ModeSection, Scheduled, SwitchSection, WindowSection};
pub use notify::{NotifySettings, PerHour, Quiet};
pub use places::{AutoOrFlag, ConfineSection, Views, Wanted, Worktree};
pub use session::{ProgressSection, RecoverySection, ReinforcementSection, SessionSection};
pub use stop::{Conditions, StopSection};
pub use vault::{BACKUPS_MAX, BACKUPS_TO, BackupSection, RetentionSection, VaultSection, WARN_AT_BYTES};

use crate::agent::Agent;
use crate::entry::{Entry, Section};
use crate::limit::{LIMITS, Limit};
use crate::problem::Place;

/// Every section, in the order of the file format.
pub const SECTIONS: [&Section; 35] = [
    &AgentSection::SECTION,
    &agent::NAMED_AGENTS,
    &LoopSection::SECTION,
    &LIMITS,
    &EndSection::SECTION,
    &checks::CHECKS,
    &GuardSection::SECTION,
    &ThresholdSection::SECTION,
    &SessionSection::SECTION,
    &StopSection::SECTION,
    &checks::METRICS,
    &ProgressSection::SECTION,
    &ReinforcementSection::SECTION,
    &RecoverySection::SECTION,
    &Worktree::SECTION,
    &ConfineSection::SECTION,
    &Views::SECTION,
    &CycleSection::SECTION,
    &cycle::ROLES,
    &Gaps::SECTION,
    &HooksSettings::SECTION,
    &hooks::NAMED_HOOKS,
    &NotifySettings::SECTION,
    &notify::CHANNELS,
    &notify::TRIGGERS,
    &ModeSection::SECTION,
    &AttendedSection::SECTION,
    &HybridSection::SECTION,
    &SwitchSection::SECTION,
    &WindowSection::SECTION,
    &PromptSection::SECTION,
    &places::REDACT,
    &VaultSection::SECTION,
    &BackupSection::SECTION,
    &RetentionSection::SECTION,
];

pub fn entries() -> impl Iterator<Item = &'static Entry> {
    SECTIONS.iter().flat_map(|section| section.entries)
}

/// The setting `key` of a section.
pub(crate) fn entry(section: &str, key: &str) -> Option<&'static Entry> {
    entries().find(|entry| entry.section == section && entry.key == key)
}

/// Who said something. A later one wins over an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Built in.
    Default,
    /// The user's `config.toml`. Its limits are caps: whatever a later layer says, the smaller wins.
    User,
    /// The project's `piton.toml`.
    Project,
    /// A `PITON_*` variable.
    Environment,
    /// The command line.
    Flag,
}

impl Layer {
    /// The word used on screens and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Layer::Default => "default",
            Layer::User => "user",
            Layer::Project => "project",
            Layer::Environment => "environment",
            Layer::Flag => "flag",
        }
    }
}

/// A value, and who said it where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sourced<T> {
    pub value: T,
    /// Who said it.
    pub layer: Layer,
    /// The place in the file.
    pub place: Place,
}

impl<T> Sourced<T> {
    pub(crate) fn built_in(value: T) -> Self {
        Self { value, layer: Layer::Default, place: Place::Nowhere }
    }

    /// The same source with another value.
    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> Sourced<U> {
        Sourced { value: change(self.value), layer: self.layer, place: self.place }
    }
}

/// What is said: by one layer, where silence is `None` or empty; or by all of them together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    pub agent: AgentSection,
    /// `[agents.NAME]`, each with its command.
    pub agents: Vec<Sourced<Agent>>,
    /// `[loop]`: what it does.
    pub loops: LoopSection,
    /// `[loop]`: when it ends at the latest, and what to do when it was cut off.
    pub ends: EndSection,
    /// The ceilings under `[loop]`.
    pub limits: BTreeMap<Limit, Sourced<u64>>,
    /// `[checks]`, in the order they were declared.
    pub checks: Vec<Sourced<Check>>,
    pub guard: GuardSection,
    /// `[guard.thresholds]`.
    pub thresholds: ThresholdSection,
    pub session: SessionSection,
    pub stop: StopSection,
    /// `[metrics]`, in the order they were declared.
    pub metrics: Vec<Sourced<Metric>>,
    pub progress: ProgressSection,
    pub reinforcement: ReinforcementSection,
    pub recovery: RecoverySection,
    pub worktree: Worktree,
    pub confine: ConfineSection,
    pub views: Views,
    pub cycle: CycleSection,
    /// `[cycle.roles.NAME]`.
    pub roles: Vec<Sourced<RoleSettings>>,
    pub gaps: Gaps,
    pub hooks: HooksSettings,
    /// `[hooks.NAME]`.
    pub own_hooks: Vec<Sourced<Hook>>,
    pub notify: NotifySettings,
    /// `[notify.channels.NAME]`.
    pub channels: Vec<Sourced<Channel>>,
    /// `[notify.triggers]`: how people are told, or that they are not.
    pub triggers: Vec<Sourced<(Trigger, Option<On>)>>,
    pub mode: ModeSection,
    /// `[mode.attended]`.
    pub attended: AttendedSection,
    /// `[mode.hybrid]`.
    pub hybrid: HybridSection,
    /// `[mode.switch]`.
    pub switch: SwitchSection,
    /// `[mode.windows]`.
    pub windows: WindowSection,
    pub prompts: PromptSection,
    /// `[vault]`.
    pub vault: VaultSection,
    /// `[vault.backups]`.
    pub backups: BackupSection,
    /// `[vault.retention]`.
    pub retention: RetentionSection,
    /// `[redact] patterns`: literal texts that never reach a disk.
    pub redact: Vec<Sourced<String>>,
}

impl Settings {
    pub fn built_in() -> Self {
        let mut settings = Self::default();
        let config = LoopConfig::default();
        entries().filter(|entry| entry.shown).for_each(|entry| (entry.built_in)(&mut settings, &config));
        settings
    }

    /// What both say; where they differ, `upper` wins. Limits are not merged here, see `layers`.
    pub(crate) fn overlaid_by(mut self, mut upper: Settings) -> Self {
        entries().for_each(|entry| (entry.overlay)(&mut self, &mut upper));
        self.hooks.is_there |= upper.hooks.is_there;
        self.notify.is_there |= upper.notify.is_there;
        self.switch.is_there |= upper.switch.is_there;
        self
    }
}

/// A known name is replaced where it stands, a new one comes last.
pub(crate) fn by_name<T, N: PartialEq>(
    lower: &mut Vec<Sourced<T>>,
    upper: Vec<Sourced<T>>,
    name: impl Fn(&T) -> &N,
) {
    for item in upper {
        match lower.iter_mut().find(|known| name(&known.value) == name(&item.value)) {
            Some(known) => *known = item,
            None => lower.push(item),
        }
    }
}
