//! How often a store is asked, and how long anybody waits for it.
//!
//! Everything that is asked may be asked again: objects are never replaced, and what became of one whose answer was lost is looked up.

use std::future::Future;
use std::time::Duration;

use piton_sys::{Ids, SystemIds};
use tokio::time::Instant;

use super::failure::{Reason, Verdict, judge};

/// How long anybody waits, and how often a store is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// How often the same is asked of a store that answers.
    pub tries: u32,
    /// How often one is called that does not answer at all.
    pub calls: u32,
    /// The wait before the second try, on average half of it; it doubles from there.
    pub first: Duration,
    /// No wait is longer.
    pub longest: Duration,
    /// Nothing is begun again after this time.
    pub total: Duration,
    /// For a connection.
    pub connect: Duration,
    /// Without a byte in either direction.
    pub stall: Duration,
    /// For one request and its answer as a whole.
    pub request: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            tries: 8,
            calls: 3,
            first: Duration::from_millis(200),
            longest: Duration::from_secs(15),
            total: Duration::from_secs(180),
            connect: Duration::from_secs(10),
            stall: Duration::from_secs(30),
            request: Duration::from_secs(600),
        }
    }
}

impl Patience {
    /// For whoever only wants to know whether somebody answers.
    pub fn short() -> Self {
        Self {
            tries: 2,
            calls: 1,
            total: Duration::from_secs(10),
            connect: Duration::from_secs(3),
            stall: Duration::from_secs(5),
            request: Duration::from_secs(10),
            ..Self::default()
        }
    }
}

/// The waits of one thing that is asked.
pub(super) struct Waits {
    patience: Patience,
    began: Instant,
    tries: u32,
    calls: u32,
}

impl Waits {
    pub(super) fn new(patience: Patience) -> Self {
        Self { patience, began: Instant::now(), tries: 0, calls: 0 }
    }

    /// Whether to ask again after `verdict`; if so, some time has passed.
    pub(super) async fn again(&mut self, verdict: &Verdict) -> bool {
        let is_left = match verdict {
            Verdict::Deaf(_) => {
                self.calls += 1;
                self.calls < self.patience.calls
            }
            Verdict::Passing(_) | Verdict::Exists => true,
            Verdict::Missing | Verdict::Final(_) => false,
        };
        self.tries += 1;
        if !is_left || self.tries >= self.patience.tries || self.began.elapsed() >= self.patience.total {
            return false;
        }
        let doubled = self.patience.first.saturating_mul(1 << (self.tries - 1).min(16));
        tokio::time::sleep(part_of(doubled.min(self.patience.longest))).await;
        true
    }
}

/// A random part of `most`: those who were refused together do not come back together.
fn part_of(most: Duration) -> Duration {
    let random = SystemIds.bytes();
    most.mul_f64(f64::from(u16::from_le_bytes([random[0], random[1]])) / f64::from(u16::MAX))
}

/// Why something that was asked is given up.
pub(super) struct GivenUp {
    pub(super) verdict: Verdict,
    pub(super) said: Option<String>,
}

impl GivenUp {
    /// The reason, where the verdict is one that nobody here expects.
    pub(super) fn reason(self) -> (Reason, Option<String>) {
        match self.verdict {
            Verdict::Deaf(reason) | Verdict::Passing(reason) | Verdict::Final(reason) => (reason, self.said),
            Verdict::Missing | Verdict::Exists => (Reason::Other, self.said),
        }
    }
}

/// Asks until there is an answer, or no use in asking.
pub(super) async fn ask<T, A: Future<Output = Result<T, object_store::Error>>>(
    patience: Patience,
    region: &str,
    mut asked: impl FnMut() -> A,
) -> Result<T, GivenUp> {
    let mut waits = Waits::new(patience);
    loop {
        let error = match asked().await {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        let (verdict, said) = judge(&error, region);
        let is_answer = matches!(verdict, Verdict::Exists | Verdict::Missing);
        if is_answer || !waits.again(&verdict).await {
            return Err(GivenUp { verdict, said });
        }
    }
}
