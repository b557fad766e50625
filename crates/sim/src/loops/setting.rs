//! What a seed decides of a loop: its checks, limits, hooks, sessions, and whether a person is there.

use piton_model::hook::{Hook, HookKind, HookPoint, Hooks, Mode};
use piton_model::loop_machine::stop::{ChecksPass, Done, FileCreated, until};
use piton_model::loop_machine::{
    AgentConfig, Attended, Check, GuardMode, Hybrid, Limits, LoopConfig, ModePolicy, NamedBy, OnLost,
    RebootPolicy, ScheduledMode, SessionPolicy, Sessions, Switching, TimeSpan, Windows, Worktree,
};
use piton_model::notify::TimeOfDay;

use crate::rng::Rng;

pub(super) fn config(rng: &mut Rng) -> LoopConfig {
    let check = |name: &str| Check::new(name, "");
    let checks = if rng.one_in(3) { vec![check("build"), check("test")] } else { vec![check("test")] };
    let until = match rng.below(10) {
        0 => vec![until(Done {})],
        1 => vec![until(ChecksPass {})],
        2 => vec![until(FileCreated { path: "done".to_owned() }), until(ChecksPass {})],
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
    let guard = match rng.below(4) {
        0 => GuardMode::Ask,
        1 => GuardMode::Report,
        _ => GuardMode::Block,
    };
    let mut config = LoopConfig {
        until,
        limits,
        on_lost,
        guard,
        session: SessionPolicy::Fresh,
        ..LoopConfig::new("make it work", agent(), checks)
    };
    if rng.one_in(3) {
        config.session = if rng.one_in(4) { SessionPolicy::Fork } else { SessionPolicy::Continue };
        config.agent.sessions = sessions(rng);
        config.reboot = reboot(rng);
    }
    config.worktree = rng.one_in(2).then(worktree);
    config.hooks = rng.one_in(2).then(|| hooks(rng));
    if rng.one_in(2) {
        config.mode = mode(rng);
    }
    config
}

fn agent() -> AgentConfig {
    AgentConfig::new("agent", &["agent"])
}

/// A tree of its own, in which green iterations are committed.
fn worktree() -> Worktree {
    Worktree { path: "tree".to_owned(), branch: "branch".to_owned(), ..Worktree::default() }
}

pub(crate) fn sessions(rng: &mut Rng) -> Sessions {
    let words = |word: &str| vec![word.to_owned(), "{session}".to_owned()];
    Sessions {
        named_by: if rng.one_in(2) { NamedBy::Us } else { NamedBy::Agent },
        start: words("--session"),
        resume: words("--resume"),
        fork: words("--fork"),
        usage_is_total: false,
    }
}

fn reboot(rng: &mut Rng) -> RebootPolicy {
    RebootPolicy {
        after_iterations: rng.one_in(2).then(|| rng.between(2, 6) as u32),
        on_patterns: if rng.one_in(3) { vec!["start over".to_owned()] } else { Vec::new() },
        interval_ms_min: if rng.one_in(2) { 0 } else { 60_000 },
        ..RebootPolicy::default()
    }
}

/// Up to four hooks, each at a few points.
fn hooks(rng: &mut Rng) -> Hooks {
    let hook = |index: u64, rng: &mut Rng| {
        let count = rng.between(1, 4);
        let mut points: Vec<HookPoint> =
            (0..count).map(|_| HookPoint::ALL[rng.below(HookPoint::ALL.len() as u64) as usize]).collect();
        points.dedup();
        Hook {
            name: format!("hook-{index}"),
            points,
            priority: 0,
            timeout_ms: None,
            run: HookKind::Command { command: "true".to_owned() },
            conditions: Vec::new(),
            untrusted: false,
        }
    };
    let count = rng.between(1, 4);
    Hooks { hooks: (0..count).map(|index| hook(index, rng)).collect(), ..Hooks::default() }
}

fn mode(rng: &mut Rng) -> ModePolicy {
    let patience = |rng: &mut Rng| rng.one_in(2).then(|| rng.between(1_000, 60_000));
    ModePolicy {
        start: Mode::ALL[rng.below(3) as usize],
        attended: Attended {
            pause_before: rng.one_in(2),
            pause_after: rng.one_in(3),
            approve_changes: rng.one_in(2),
            auto_approve_ms: patience(rng),
            breakpoints: if rng.one_in(3) { vec![rng.between(1, 9) as u32] } else { Vec::new() },
            ..Attended::default()
        },
        hybrid: Hybrid { every: rng.between(0, 4) as u32, files: 1, auto_approve_ms: patience(rng) },
        switch: rng.one_in(2).then(|| Switching {
            failures: rng.between(0, 3) as u32,
            idle_ms: rng.one_in(2).then(|| rng.between(1_000, 120_000)),
            ..Switching::default()
        }),
        schedule: if rng.one_in(4) { vec![scheduled(rng), scheduled(rng)] } else { Vec::new() },
        windows: if rng.one_in(5) { windows(rng) } else { Windows::default() },
        utc_offset_s: rng.between(0, 12) as i32 * 3_600,
    }
}

fn time(rng: &mut Rng) -> TimeOfDay {
    TimeOfDay::new(rng.below(24) as u8, rng.below(60) as u8).expect("a time of day")
}

fn scheduled(rng: &mut Rng) -> ScheduledMode {
    ScheduledMode { at: time(rng), days: Vec::new(), mode: Mode::ALL[rng.below(3) as usize] }
}

fn windows(rng: &mut Rng) -> Windows {
    let span = |rng: &mut Rng| TimeSpan { from: time(rng), to: time(rng) };
    Windows {
        hours: rng.one_in(2).then(|| span(rng)),
        days: Vec::new(),
        blackouts: if rng.one_in(2) { vec![span(rng)] } else { Vec::new() },
    }
}
