//! What a layer can say, and what all of them say together.

use std::collections::BTreeMap;

use piton_model::ledger::{DEFAULT_TTL_DAYS, MAX_GAPS_PER_RUN};
use piton_model::loop_machine::{
    Check, Escalation, GuardMode, Metric, ModePolicy, OnLost, PromptPolicy, RebootPolicy, RecoveryPolicy,
    RedlinePolicy, RuleOff, SessionPolicy, StopLists, Thresholds,
};
use serde::Serialize;

use crate::agent::Agent;
use crate::limit::Limit;
use crate::problem::Place;
use crate::telling::{HooksSettings, NotifySettings};

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
    /// The value.
    pub value: T,
    /// Who said it.
    pub layer: Layer,
    /// Where.
    pub place: Place,
}

impl<T> Sourced<T> {
    /// A built-in value.
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
    /// `[agent] use`: the agent's name.
    pub agent: Option<Sourced<String>>,
    /// `[agents.NAME]`, each with its command.
    pub agents: Vec<Sourced<Agent>>,
    /// `[agent] inject`: whether an agent gets the means to talk back.
    pub inject: Option<Sourced<bool>>,
    /// `[agent] pass`: the only variables an agent gets from outside.
    pub pass: Option<Sourced<Vec<String>>>,
    /// `[loop] prompt`: a file relative to the repository.
    pub prompt: Option<Sourced<String>>,
    /// `[loop] session`.
    pub session: Option<Sourced<SessionPolicy>>,
    /// `[loop] on_lost`.
    pub on_lost: Option<Sourced<OnLost>>,
    /// `[loop] deadline`: a time of day or a moment, not understood yet.
    pub deadline: Option<Sourced<String>>,
    /// The ceilings under `[loop]`.
    pub limits: BTreeMap<Limit, Sourced<u64>>,
    /// `[checks]`, in the order they were declared.
    pub checks: Vec<Sourced<Check>>,
    /// `[guard] mode`: what to do about an agent that cheats.
    pub guard: Option<Sourced<GuardMode>>,
    /// `[guard] protect`: paths in the tree that no agent may change.
    pub protect: Option<Sourced<Vec<String>>>,
    /// `[guard] thresholds`: from where on a number is a regression.
    pub thresholds: Option<Sourced<Thresholds>>,
    /// `[guard] rules`: those that are off.
    pub rules_off: Option<Sourced<Vec<RuleOff>>>,
    /// `[session]`: when a context counts as full.
    pub redline: Option<Sourced<RedlinePolicy>>,
    /// `[session]`: when a session gives way to a fresh one.
    pub reboot: Option<Sourced<RebootPolicy>>,
    /// `[stop]`: further reasons to stop.
    pub stop: Option<Sourced<StopLists>>,
    /// `[metrics]`, in the order they were declared.
    pub metrics: Vec<Sourced<Metric>>,
    /// `[reinforcement]`.
    pub reinforcement: Option<Sourced<Escalation>>,
    /// `[recovery]`.
    pub recovery: Option<Sourced<RecoveryPolicy>>,
    /// `[worktree]`.
    pub worktree: Worktree,
    /// `[confine]`.
    pub confine: Confine,
    /// `[views]`.
    pub views: Views,
    /// `[gaps]`.
    pub gaps: Gaps,
    /// `[notify]`.
    pub notify: NotifySettings,
    /// `[hooks]`.
    pub hooks: HooksSettings,
    /// `[prompts]`: how prompt files are read.
    pub prompts: Option<Sourced<PromptPolicy>>,
    /// `[mode]`.
    pub mode: Option<Sourced<ModePolicy>>,
    /// `[redact] patterns`: literal texts that never reach a disk.
    pub redact: Vec<Sourced<String>>,
}

/// `[worktree]`: what a work tree of its own is furnished with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Worktree {
    /// Paths that are copied into it from the repository.
    pub copy: Option<Sourced<Vec<String>>>,
    /// Paths that are links to the repository.
    pub link: Option<Sourced<Vec<String>>>,
    /// A shell command that is run in it once.
    pub setup: Option<Sourced<String>>,
}

/// `[confine]`: walls around agents and checks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Confine {
    /// Whether there are any.
    pub enabled: Option<Sourced<bool>>,
    /// Further places that may be written to.
    pub write: Option<Sourced<Vec<String>>>,
}

/// `[gaps]`: where the ledger is, and how it is kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gaps {
    /// The gap file.
    pub file: Option<Sourced<String>>,
    /// Its audit log.
    pub audit_log: Option<Sourced<String>>,
    /// How many days findings hold where a gap does not say.
    pub default_ttl_days: Option<Sourced<u32>>,
    /// How many gaps one research takes on.
    pub max_gaps_per_run: Option<Sourced<u32>>,
    /// Gaps that must be fresh before a loop starts, and that its prompts hold.
    pub require: Option<Sourced<Vec<String>>>,
    /// How much of a prompt findings may take.
    pub prompt_tokens: Option<Sourced<u32>>,
}

/// `[views]`: the published files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Views {
    /// Whether `.ralph/state.json` is rendered.
    pub ralph: Option<Sourced<bool>>,
    /// Whether `.aiwg/ralph/` is rendered.
    pub aiwg: Option<Sourced<Wanted>>,
    /// How often a view is rendered while a run is under way, in milliseconds.
    pub auto_save_interval_ms: Option<Sourced<u64>>,
}

/// Whether something is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// Where there is a sign that somebody uses it.
    #[default]
    Auto,
    /// In any case.
    Yes,
    /// In no case.
    No,
}

impl Settings {
    /// What is built in.
    pub fn built_in() -> Self {
        const AUTO_SAVE_INTERVAL_MS: u64 = 30_000;
        let limit = |limit: Limit| limit.default_value().map(|value| (limit, Sourced::built_in(value)));
        Self {
            session: Some(Sourced::built_in(SessionPolicy::default())),
            on_lost: Some(Sourced::built_in(OnLost::default())),
            guard: Some(Sourced::built_in(GuardMode::default())),
            limits: Limit::ALL.into_iter().filter_map(limit).collect(),
            views: Views {
                ralph: Some(Sourced::built_in(true)),
                aiwg: Some(Sourced::built_in(Wanted::Auto)),
                auto_save_interval_ms: Some(Sourced::built_in(AUTO_SAVE_INTERVAL_MS)),
            },
            gaps: Gaps {
                default_ttl_days: Some(Sourced::built_in(DEFAULT_TTL_DAYS)),
                max_gaps_per_run: Some(Sourced::built_in(MAX_GAPS_PER_RUN as u32)),
                ..Gaps::default()
            },
            ..Self::default()
        }
    }

    /// What both say; where they differ, `upper` wins. Limits are not merged here, see `layers`.
    pub(crate) fn overlaid_by(mut self, upper: Settings) -> Self {
        over(&mut self.agent, upper.agent);
        over(&mut self.inject, upper.inject);
        over(&mut self.pass, upper.pass);
        over(&mut self.prompt, upper.prompt);
        over(&mut self.session, upper.session);
        over(&mut self.on_lost, upper.on_lost);
        over(&mut self.deadline, upper.deadline);
        over(&mut self.guard, upper.guard);
        over(&mut self.protect, upper.protect);
        over(&mut self.thresholds, upper.thresholds);
        over(&mut self.rules_off, upper.rules_off);
        over(&mut self.stop, upper.stop);
        over(&mut self.redline, upper.redline);
        over(&mut self.reboot, upper.reboot);
        over(&mut self.reinforcement, upper.reinforcement);
        over(&mut self.recovery, upper.recovery);
        over(&mut self.mode, upper.mode);
        over(&mut self.prompts, upper.prompts);
        over(&mut self.views.aiwg, upper.views.aiwg);
        over(&mut self.worktree.copy, upper.worktree.copy);
        over(&mut self.worktree.link, upper.worktree.link);
        over(&mut self.worktree.setup, upper.worktree.setup);
        over(&mut self.confine.enabled, upper.confine.enabled);
        over(&mut self.confine.write, upper.confine.write);
        over(&mut self.views.ralph, upper.views.ralph);
        over(&mut self.views.auto_save_interval_ms, upper.views.auto_save_interval_ms);
        over(&mut self.gaps.file, upper.gaps.file);
        over(&mut self.gaps.audit_log, upper.gaps.audit_log);
        over(&mut self.gaps.default_ttl_days, upper.gaps.default_ttl_days);
        over(&mut self.gaps.max_gaps_per_run, upper.gaps.max_gaps_per_run);
        over(&mut self.gaps.require, upper.gaps.require);
        over(&mut self.gaps.prompt_tokens, upper.gaps.prompt_tokens);
        by_name(&mut self.agents, upper.agents, |agent| &agent.run.name);
        by_name(&mut self.checks, upper.checks, |check| &check.name);
        by_name(&mut self.metrics, upper.metrics, |metric| &metric.name);
        self.notify = self.notify.overlaid_by(upper.notify);
        self.hooks = self.hooks.overlaid_by(upper.hooks);
        // What one layer wants kept secret no other layer can publish.
        self.redact.extend(upper.redact);
        self
    }
}

fn over<T>(lower: &mut Option<T>, upper: Option<T>) {
    if upper.is_some() {
        *lower = upper;
    }
}

/// A known name is replaced where it stands, a new one comes last.
fn by_name<T>(lower: &mut Vec<Sourced<T>>, upper: Vec<Sourced<T>>, name: impl Fn(&T) -> &String) {
    for item in upper {
        match lower.iter_mut().find(|known| name(&known.value) == name(&item.value)) {
            Some(known) => *known = item,
            None => lower.push(item),
        }
    }
}
