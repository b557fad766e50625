//! What a run is asked to do: `piton.toml`, the layers above and below it, defaults and trust.
//!
//! ```text
//!   built-in defaults < user's config.toml < project's piton.toml < PITON_* < flags
//! ```
//!
//! Owns every name of the configuration, what each value may be, and which layer wins. Never reads the
//! environment or a clock: both come in as data. Files are read at the edge alone, in [`files`], [`trust`] and
//! [`detect`].
//!
//! Invariant: nothing is accepted silently. An unknown name, a name of a later version, a limit that would
//! leave a run without an exit: each is a [`Problem`] with its line and column, and all of them come at once.
//!
//! Start with [`plan`]: files, environment, flags and a task become a `LoopConfig`, or problems. Then
//! [`Settings`] for what a layer can say, [`Limit`] for the ceilings, [`trust`] for who may say it.
#![expect(missing_docs, reason = "only this workspace reads it: what a name says is not said twice")]

mod read;

mod agent;
mod check;
mod condition;
pub mod detect;
mod duration;
mod entry;
pub mod files;
mod hash;
pub mod hook_files;
mod layers;
mod limit;
mod plan;
mod problem;
mod reference;
mod settings;
mod show;
mod template;
pub mod trust;
pub mod types;

pub use agent::{Agent, AgentOptions, KNOWN_AGENTS, REPORTS, built_in, find};
pub use condition::parse_condition;
pub use duration::{format_duration, parse_duration};
pub use entry::{Entry, Inner, NAMED, Section, Takes, Type};
pub use files::{Document, Files, config_dir};
pub use hash::config_hash;
pub use layers::{Note, Overrides, Resolved, resolve, variables};
pub use limit::Limit;
pub use plan::{Plan, Task, configured_agent, plan, says_something};
pub use problem::{Place, Problem, Problems};
pub use read::Reader;
pub use reference::{page, schema};
pub use settings::{
    AgentSection, AttendedSection, BACKUPS_MAX, BACKUPS_TO, BackupSection, ConfineSection, CycleSection,
    EndSection, Gaps, GuardSection, HooksSettings, HybridSection, Layer, LoopSection, ModeSection,
    NotifySettings, ProgressSection, PromptSection, RecoverySection, ReinforcementSection, RetentionSection,
    RoleSettings, SECTIONS, SessionSection, Settings, Sourced, StopSection, SwitchSection, ThresholdSection,
    VaultSection, Views, WARN_AT_BYTES, Wanted, WindowSection, Worktree, entries,
};
pub use show::{Shown, ShownValue, show};
pub use template::{InitAgent, render};
