//! What every driven run goes through: who drives it, where it rests and ends, what anybody may ask of it.
//!
//! Loops, workflows and cycles have these events in common. They are written once, here, and added to the enum of each kind,
//! so that a type that several kinds have is the same in all of them.

use crate::Timestamp;
use crate::limits::EVENTS_PER_APPEND_MAX;
use crate::machine::Machine;

/// The enum of a kind's own events, with those that every driven run has. `$raise` is what a resume may raise; with `asks`, of a
/// kind that asks people questions, also what becomes of their answers.
macro_rules! run_events {
    (raise: $raise:ty; asks; $(#[$about:meta])* pub enum $name:ident { $($own:tt)* }) => {
        $crate::lifecycle::run_events! {
            raise: $raise;

            $(#[$about])*
            pub enum $name {
                $($own)*

                /// An answer came that does not count: late, duplicate, or to something other than was shown.
                AnswerRefused {
                    /// The question it named.
                    question: u32,
                    /// Why it does not count.
                    why: String,
                },
            }
        }
    };
    (raise: $raise:ty; $(#[$about:meta])* pub enum $name:ident { $($own:tt)* }) => {
        $(#[$about])*
        pub enum $name {
            $($own)*

            // ── What every driven run goes through ────────────────────────────────────────────────
            /// A driver took the lease.
            DriverStarted {
                /// The epoch it drives under.
                epoch: $crate::Epoch,
                /// The machine it runs on.
                host: String,
                /// That machine's boot.
                boot: String,
                /// Its process there.
                pid: u32,
                /// The piton that drives.
                version: String,
            },
            /// Rests until a moment (`until`) or until a person acts.
            RunWaiting {
                /// What it waits for: a person, the provider, a moment.
                reason: $crate::Reason,
                /// The durable timer, if it is a moment.
                until: Option<$crate::Timestamp>,
            },
            /// Rests because a person asked, or because money ran out.
            RunPaused {
                reason: $crate::Reason,
                /// A sentence for people.
                detail: Option<String>,
            },
            /// Goes on after a rest. Streaks that caused it begin anew and failed steps get their tries again; counters
            /// stay.
            RunResumed {
                /// Limits that were raised with it.
                raise: $raise,
            },
            /// Stopped short of its goal; can be resumed.
            RunStopped {
                reason: $crate::Reason,
                /// A sentence for people, where the reason alone is not enough.
                detail: Option<String>,
            },
            /// Reached its goal.
            RunCompleted {
                /// By which rule.
                reason: $crate::Reason,
                /// Which conditions held, where conditions decided it.
                #[serde(default, skip_serializing_if = "Option::is_none")]
                detail: Option<String>,
            },
            /// Gave up.
            RunFailed {
                reason: $crate::Reason,
                /// A sentence for people.
                detail: Option<String>,
            },

            // ── Requests that anyone may append; the driver folds them in ─────────────────────────
            /// Rest after the work that is open.
            PauseRequested {},
            /// Stop after the work that is open, or now.
            StopRequested {
                /// Kill living agents instead of letting them finish.
                now: bool,
                origin: $crate::StopOrigin,
            },
            /// Go on.
            ResumeRequested {
                /// With these limits raised.
                raise: $raise,
            },

            // ── Bookkeeping ───────────────────────────────────────────────────────────────────────
            /// A checkpoint of the state was stored with this append. Chaining its digest makes rot visible.
            CheckpointTaken {
                /// The state after this event is the one that was stored.
                seq: $crate::Seq,
                /// Digest of its bytes.
                digest: String,
                /// The version of the fold that made it: another one passes it by.
                fold: u32,
            },
        }

        impl $crate::machine::RunEvent for $name {
            fn checkpoint_taken(named: $crate::machine::CheckpointName) -> Self {
                let $crate::machine::CheckpointName { seq, digest, fold } = named;
                $name::CheckpointTaken { seq, digest, fold }
            }

            fn as_checkpoint(&self) -> Option<$crate::machine::CheckpointName> {
                match self {
                    $name::CheckpointTaken { seq, digest, fold } => {
                        Some($crate::machine::CheckpointName { seq: *seq, digest: digest.clone(), fold: *fold })
                    }
                    _ => None,
                }
            }

            fn stop_requested(now: bool, origin: $crate::StopOrigin) -> Self {
                $name::StopRequested { now, origin }
            }
        }
    };
}

pub(crate) use run_events;

/// Folds `more` and what follows from it, until nothing does. So an outcome and the intents that follow leave together,
/// and share one append.
pub(crate) fn until_settled<M: Machine>(
    state: &M,
    mut more: Vec<M::Event>,
    now: Timestamp,
    next: impl Fn(&M) -> Vec<M::Event>,
) -> (Vec<M::Event>, M) {
    let (mut events, mut state) = (Vec::new(), state.clone());
    loop {
        for event in &more {
            state = M::apply(Some(state), event, now).expect("a state stays a state");
        }
        events.append(&mut more);
        assert!(events.len() < EVENTS_PER_APPEND_MAX, "a decision ends");
        more = next(&state);
        if more.is_empty() {
            return (events, state);
        }
    }
}
