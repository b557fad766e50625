//! `[session]`, `[progress]`, `[recovery]` and `[reinforcement]`: how long a conversation goes on, what counts as a step
//! forward, and what follows a step back.

use piton_model::loop_machine::Level;
use piton_model::loop_machine::progress::Strategy;

use crate::entry::section;
use crate::types::{Count, Duration, Flag, Never0, Number, OneOf, PerHour, Percent, Share, Texts, Whole};

section! {
    /// How long a conversation goes on, where iterations share one.
    session: SessionSection = "session" {
        /// How full a context is when a fresh conversation begins.
        redline: Percent, [Loop] => redline.redline_percent;
        /// Iterations that a conversation has in any case.
        min_iterations: Whole, [Loop] => redline.iterations_min;
        /// Whether a conversation that gets worse counts as full.
        degradation: Flag, [Loop] => redline.detect_degradation;
        /// Tokens that a context is taken to have, where the agent does not say how full it is.
        window_tokens: Count, [Loop] => redline.window_tokens;
        /// Whether a person is asked before a fresh conversation begins.
        confirm: Flag, [Loop] => reboot.confirm;
        /// Whether a fresh conversation ever begins by itself.
        reboot: Flag, [Loop] => reboot.enabled;
        /// A fresh conversation begins after so many iterations.
        after_iterations: Never0, [Loop] => reboot.after_iterations;
        /// A fresh conversation begins after so long.
        after: Duration, [Loop] => reboot.after_ms;
        /// A fresh conversation begins when the agent says one of these.
        on_patterns: Texts, [Loop] => reboot.on_patterns;
        /// The shortest time between two fresh conversations.
        min_interval: Duration, [Loop] => reboot.interval_ms_min;
        /// The most fresh conversations in an hour; 0 means no limit.
        max_per_hour: PerHour, [Loop] => reboot.per_hour_max;
    }
}

section! {
    /// What counts as progress; an iteration without any is one towards `loop.no_progress`.
    progress: ProgressSection = "progress" {
        /// Which signs count: of files, of tests, marks of the agent, all together, or the way `[metrics]` go.
        strategy: OneOf<Strategy>, [Loop] => progress.strategy;
        /// Words by which an agent marks progress.
        markers: Texts, [Loop] => progress.markers;
        /// The score, from 0 to 1, from which an iteration got on.
        min_score: Share, [Loop] => progress.score_min;
    }
}

section! {
    /// How a run recovers from a regression.
    recovery: RecoverySection = "recovery" {
        /// Recoveries in a row before a person is asked.
        max_retries: Whole, [Loop] => recovery.max_retries;
        /// A critical regression and a deleted test are a person's business at once.
        escalate_critical: Flag, [Loop] => recovery.escalate_critical;
    }
}

section! {
    /// How firmly prompts speak, and when.
    reinforcement: ReinforcementSection = "reinforcement" {
        /// How firmly they speak at the start; `off` stays off.
        level: OneOf<Level>, [Loop] => reinforcement.level;
        /// The iteration from which it is `standard`.
        standard_at: Never0, [Loop] => reinforcement.standard_at;
        /// The iteration from which it is `aggressive`.
        aggressive_at: Never0, [Loop] => reinforcement.aggressive_at;
        /// The iteration from which it is `adaptive`.
        adaptive_at: Never0, [Loop] => reinforcement.adaptive_at;
        /// A change of the score by less than this, in per cent, three times in a row is a plateau.
        plateau: Number, [Loop] => reinforcement.plateau_percent;
    }
}
