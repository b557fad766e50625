//! The ledger: what is known, how fresh it is, what to look into next.
//!
//! A [`Gap`] is an open or answered question with a priority, a time to live, dependencies and findings. This
//! module owns every rule over gaps and knows neither files nor a clock: `now` is an argument, and every function
//! returns new gaps instead of changing the ones it was given.
//!
//! ```text
//!   unknown ──► verified ──► stale ──► verified …        blocked: waits for another gap
//!            research     TTL, or a source changed
//! ```
//!
//! Reading never refreshes an age: only [`mark_checked`], [`mark_verified`] and [`renew`] set times.
//! Staleness never cascades: each gap is judged alone.
//!
//! ```
//! use piton_model::ledger::{self, Gap, GapStatus};
//! use piton_model::Timestamp;
//!
//! let now: Timestamp = "2026-02-15T12:00:00Z".parse()?;
//! let long_ago: Timestamp = "2026-01-01T12:00:00Z".parse()?;
//!
//! let pricing = ledger::mark_verified(&Gap::new("pricing", "market"), long_ago);
//! let teams = Gap::new("teams", "people").with(|gap| gap.priority = 5);
//! let gaps = [pricing, teams];
//!
//! assert!(ledger::validate(&gaps).is_empty());
//! let stale = ledger::detect_stale(&gaps, 30, now);
//! assert_eq!((stale[0].id.as_str(), stale[0].status), ("pricing", GapStatus::Stale));
//! let flip = &ledger::due_flips(&gaps, 30, now)[0];
//! assert_eq!(
//!     flip.to_line(),
//!     "[2026-02-15T12:00:00+00:00] pricing: verified -> stale (TTL expired: 45 days > 30 day limit)",
//! );
//!
//! let candidates = ledger::candidates(&gaps, 30, now, &ledger::StaleSince::new());
//! let batch = ledger::select_batch(candidates, 5);
//! assert_eq!(batch.iter().map(|gap| gap.id.as_str()).collect::<Vec<_>>(), ["teams", "pricing"]);
//! # Ok::<(), piton_model::ParseTimeError>(())
//! ```

mod audit;
mod evidence;
mod fresh;
mod gap;
mod graph;
mod mark;
mod merge;
mod moment;
mod select;
mod set;
mod stale;
#[cfg(test)]
mod tests;
mod validate;

pub use audit::{ParseLineError, last_flips_to_stale};
pub use evidence::{Observed, Renewed, Source, SourceKind, Superseded, changed_flips, renew};
pub use fresh::{NotFresh, clip_to_tokens, for_prompt, not_fresh};
pub use gap::{
    DEFAULT_FILE, DEFAULT_PRIORITY, DEFAULT_TTL_DAYS, Field, Gap, GapFields, GapStatus, MAX_GAPS_PER_RUN,
    UnknownStatus,
};
pub use graph::{SortedGaps, detect_cycles, sort_gaps};
pub use mark::{Outcome, mark_checked, mark_verified, settle};
pub use merge::{Adopted, Merged, Overruled, merge};
pub use moment::{Moment, to_iso};
pub use select::{StaleSince, Survey, Waiting, candidates, select_batch, survey};
pub use set::{SetError, set};
pub use stale::{Flip, Why, age_ms, detect_stale, due_at, due_flips, is_due};
pub use validate::{
    Problem, ProblemKind, cycles, cycles_since, problems_since, problems_since_sound, tolerable,
    undated_as_unknown, validate,
};
