//! What a seed decides before anything happens: the run's configuration and how wild its world is.

use piton_model::loop_machine::{
    AgentConfig, Check, Condition, GuardMode, Limits, LoopConfig, OnLost, Prompt, SessionPolicy,
};

use crate::rng::Rng;

/// A mistake planted in the shell around the core, to prove that the checker finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plant {
    /// The driver is told `durable` before the commit; a crash in between loses what was acknowledged.
    AckBeforeCommit,
    /// The store lets a driver append whose epoch has passed.
    MissingEpochCheck,
    /// The view is written when the append is planned, not when it is durable.
    ViewBeforeCommit,
    /// After a restart the attempt is started again instead of being looked up.
    RetryWithoutLookup,
    /// The keeper publishes the attempt's directory first and locks it afterwards.
    LockAfterPublish,
    /// A keeper that does not answer in time is taken for one that never started.
    SilenceIsAbsence,
    /// A check that was not published yet is taken for cancelled, without a tombstone that makes it so.
    CancelWithoutTombstone,
}

impl Plant {
    /// Every plant, with the name it has on the command line.
    pub const ALL: [(Plant, &'static str); 7] = [
        (Plant::AckBeforeCommit, "ack-before-commit"),
        (Plant::MissingEpochCheck, "missing-epoch-check"),
        (Plant::ViewBeforeCommit, "view-before-commit"),
        (Plant::RetryWithoutLookup, "retry-without-lookup"),
        (Plant::LockAfterPublish, "lock-after-publish"),
        (Plant::SilenceIsAbsence, "silence-is-absence"),
        (Plant::CancelWithoutTombstone, "cancel-without-tombstone"),
    ];

    /// The plant of this name.
    pub fn named(name: &str) -> Option<Plant> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(plant, _)| *plant)
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(plant, _)| *plant == self).map_or("", |(_, name)| name)
    }
}

/// The dice of one seed.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    pub(crate) config: LoopConfig,
    /// Steps until faults end.
    pub(crate) chaos_ticks: u64,
    /// In a thousand trees, how many pass a check.
    pub(crate) passes_permille: u64,
    /// Decides which trees those are.
    pub(crate) dice: u64,
    /// Whether the first tree passes every check.
    pub(crate) green_start: bool,
    /// In a thousand attempts, how many report done.
    pub(crate) done_permille: u64,
    /// Messages to the agent are long, so that checkpoints fall due.
    pub(crate) chatty: bool,
    /// One fault in this many steps, apart from those on appends.
    pub(crate) chaos_every: u64,
    /// In a hundred appends, how many meet a fault.
    pub(crate) append_faults_percent: u64,
}

impl Scenario {
    pub(crate) fn new(rng: &mut Rng) -> Self {
        let green_start = rng.one_in(8);
        Self {
            config: config(rng),
            chaos_ticks: rng.between(1_500, 3_200),
            passes_permille: if green_start { 900 } else { rng.between(1, 16) },
            dice: rng.next(),
            green_start,
            done_permille: rng.between(1, 12),
            chatty: rng.one_in(16),
            chaos_every: rng.between(150, 500),
            append_faults_percent: rng.between(2, 6),
        }
    }
}

fn config(rng: &mut Rng) -> LoopConfig {
    let check = |name: &str| Check {
        name: name.to_owned(),
        command: String::new(),
        timeout_ms: 900_000,
        cheap: false,
        reads: None,
    };
    let checks = if rng.one_in(3) { vec![check("build"), check("test")] } else { vec![check("test")] };
    let until = match rng.below(10) {
        0 => vec![Condition::Done],
        1 => vec![Condition::ChecksPass],
        2 => vec![Condition::File("done".to_owned()), Condition::ChecksPass],
        _ => Vec::new(),
    };
    let on_lost = match rng.below(3) {
        0 => OnLost::Retry,
        1 => OnLost::RestoreAndRetry,
        _ => OnLost::Ask,
    };
    let limits = Limits {
        iterations: rng.between(35, 60) as u32,
        cost_microusd: rng.one_in(4).then(|| rng.between(1_000_000, 6_000_000)),
        tokens: rng.one_in(8).then(|| rng.between(10_000, 60_000)),
        no_progress: if rng.one_in(8) { 5 } else { 1_000 },
        failures: if rng.one_in(8) { 5 } else { 1_000 },
        working_ms: if rng.one_in(10) { 120_000 } else { 8 * 3_600_000 },
        ..Limits::default()
    };
    LoopConfig {
        prompt: Prompt::Text("make it work".to_owned()),
        agent: AgentConfig {
            name: "agent".to_owned(),
            command: vec!["agent".to_owned()],
            ..AgentConfig::default()
        },
        checks,
        until,
        limits,
        on_lost,
        session: SessionPolicy::Fresh,
        worktree: None,
        guard: match rng.below(4) {
            0 => GuardMode::Ask,
            1 => GuardMode::Report,
            _ => GuardMode::Block,
        },
        protect: Vec::new(),
        stop: Default::default(),
        redline: Default::default(),
        reboot: Default::default(),
        rules_off: Vec::new(),
        thresholds: Default::default(),
        reinforcement: Default::default(),
        recovery: Default::default(),
        metrics: Vec::new(),
        confine: None,
        on_done: None,
        gaps: None,
        notify: None,
        hooks: None,
        mode: Default::default(),
        prompts: Default::default(),
        file_digest: None,
    }
}
