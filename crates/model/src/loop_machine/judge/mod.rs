//! Judging: what an outcome, a round of checks or an answer means for a loop.
//!
//! Pure and without effect on the state: [`super::decide()`] asks, the verdict goes into an event with the policy it was
//! made by on record in the run's creation, and [`super::apply()`] copies it. So a rule that is changed here holds for
//! what is judged from then on, and for nothing that was judged before.

mod answer;
mod attempt;
mod checkout;
pub mod context;
mod flaky;
mod iteration;
pub mod progress;
pub(super) mod quality;
pub mod reboot;
pub(super) mod recovery;
pub(super) mod regression;
pub(super) mod reinforcement;
mod round;

pub(super) use answer::answer;
pub(super) use attempt::{attempt, lost};
pub(super) use iteration::iteration;
pub use round::WRITES_TEST;
pub(super) use round::{checks, look, round};
