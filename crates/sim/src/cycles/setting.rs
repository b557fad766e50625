//! What a seed decides of a cycle: its team, its checks and ceilings, and what it begins with.

use piton_model::Timestamp;
use piton_model::cycle::prep::{Convergence, PhaseGates};
use piton_model::cycle::{Config, Imported, Prep, PrepFound, Role, RoleName, default_roles};
use piton_model::loop_machine::{AgentConfig, Backoff, Check, GuardMode, Limits, SessionPolicy};

use crate::loops::sessions;
use crate::rng::Rng;

pub(super) fn config(rng: &mut Rng) -> Config {
    let checks = match rng.below(8) {
        0 => Vec::new(),
        1 | 2 => vec![check("build"), check("test")],
        _ => vec![check("test")],
    };
    let session = match rng.below(4) {
        0 => SessionPolicy::Continue,
        1 => SessionPolicy::Fork,
        _ => SessionPolicy::Fresh,
    };
    let mut config = Config {
        task: "make it work".to_owned(),
        description: "make it work, all of it".to_owned(),
        roles: team(rng),
        checks,
        limits: limits(rng),
        grace_ms: rng.between(500, 6_000),
        session,
        guard: match rng.below(6) {
            0 => GuardMode::Ask,
            1 => GuardMode::Report,
            _ => GuardMode::Block,
        },
        protect: Vec::new(),
        rules_off: Vec::new(),
        backoff: Backoff::default(),
        confine: None,
        utc_offset_minutes: 480,
        confirm: rng.one_in(6),
        prep: None,
        worktree: None,
        notify: None,
        hooks: None,
        on_done: None,
    };
    // Some are prepared, by a number that was drawn for something else: what a seed draws stays as it is.
    config.prep = config.grace_ms.is_multiple_of(4).then(|| PrepFound::Taken(Box::new(prep(&config))));
    config
}

/// A package with the gates of the format.
fn prep(config: &Config) -> Prep {
    Prep {
        path: "prep-package.json".to_owned(),
        digest: String::new(),
        generated_at: Timestamp::from_millis(1_771_000_000_000),
        quality_score: 8.0,
        description: None,
        max_iterations: config.limits.iterations,
        phase_ms: config.limits.attempt_ms,
        confirm: false,
        convergence: Convergence {
            test_pass_rate: 90.0,
            coverage: 80.0,
            max_critical_bugs: 0,
            max_open_issues: 3,
        },
        phase_gates: PhaseGates::default(),
        agent_focus: Default::default(),
        source_refs: Vec::new(),
    }
}

fn check(name: &str) -> Check {
    Check { name: name.to_owned(), command: String::new(), timeout_ms: 900_000, cheap: false, reads: None }
}

fn limits(rng: &mut Rng) -> Limits {
    Limits {
        iterations: rng.between(1, 6) as u32,
        cost_microusd: rng.one_in(5).then(|| rng.between(500_000, 4_000_000)),
        tokens: rng.one_in(8).then(|| rng.between(5_000, 60_000)),
        no_progress: if rng.one_in(5) { rng.between(1, 3) as u32 } else { 1_000 },
        working_ms: if rng.one_in(10) { 120_000 } else { 8 * 3_600_000 },
        // Short enough that some are told to hurry.
        attempt_ms: if rng.one_in(2) { rng.between(2_000, 20_000) } else { 2 * 3_600_000 },
        ..Limits::default()
    }
}

/// The team of the published format more often than not; else two of them, or five that work side by side.
fn team(rng: &mut Rng) -> Vec<Role> {
    let mut roles = match rng.below(10) {
        0..5 => default_roles(),
        5..7 => vec![
            role("writer", &[], &["reviewer"], true, false),
            role("reviewer", &["writer"], &["writer"], false, true),
        ],
        _ => {
            let also_develops = rng.one_in(3);
            vec![
                role("scout", &[], &["critic"], false, false),
                role("critic", &[], &["scout"], also_develops, false),
                role("coder", &["scout", "critic"], &["scout"], true, false),
                role("tester", &["coder"], &["coder", "critic"], false, true),
                role("scribe", &["coder"], &["scout"], false, false),
            ]
        }
    };
    let sessions = rng.one_in(2).then(|| sessions(rng));
    for role in &mut roles {
        role.agent = AgentConfig {
            name: "agent".to_owned(),
            command: vec!["agent".to_owned()],
            sessions: sessions.clone().unwrap_or_default(),
            ..AgentConfig::default()
        };
        role.cost_microusd = rng.one_in(16).then(|| rng.between(100_000, 900_000));
        role.tokens = rng.one_in(16).then(|| rng.between(1_000, 9_000));
    }
    roles
}

fn role(name: &str, after: &[&str], tells: &[&str], develops: bool, validates: bool) -> Role {
    let names = |names: &[&str]| names.iter().map(|name| RoleName::from(*name)).collect::<Vec<_>>();
    Role {
        writes: vec![format!("{name}.md")],
        after: names(after),
        feedback_to: names(tells),
        develops,
        validates,
        ..Role::new(name, name)
    }
}

/// What another tool left: so many iterations, and nothing of them that is judged.
pub(super) fn imported(config: &Config, rng: &mut Rng) -> Imported {
    Imported {
        rebuilt: rng.one_in(2),
        created_at: Timestamp::from_millis(1_771_000_000_000),
        iteration: rng.below(u64::from(config.limits.iterations) + 2) as u32,
        task_history: vec![config.task.clone()],
        description: config.description.clone(),
        ..Imported::default()
    }
}
