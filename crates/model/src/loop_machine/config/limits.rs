//! Ceilings of a loop, and how a resume raises them.

use piton_record::record;

use crate::Timestamp;

/// Ceilings. On by default, so that no run is without an exit.
#[record(Eq, written(cost_microusd, tokens, idle_ms))]
pub struct Limits {
    /// Iterations that may be finished.
    pub iterations: u32,
    /// Working time; waits are not counted.
    pub working_ms: u64,
    /// Money, in millionths of a dollar.
    pub cost_microusd: Option<u64>,
    /// Input and output tokens together.
    pub tokens: Option<u64>,
    /// Iterations in a row that change nothing that matters.
    pub no_progress: u32,
    /// Failed attempts in a row.
    pub failures: u32,
    /// Wall clock of one attempt.
    pub attempt_ms: u64,
    /// Silence of one attempt after which it counts as hung; off for agents that do not stream.
    pub idle_ms: Option<u64>,
    /// The moment after which nothing new is begun and nothing goes on.
    pub deadline: Option<Timestamp>,
    /// Files that the run may change.
    pub files: Option<u32>,
    /// Lines that its iterations may add and remove, all together.
    pub lines: Option<u64>,
    /// Fresh sessions in the middle of the work.
    pub reboots: Option<u32>,
}

impl Default for Limits {
    fn default() -> Self {
        const HOUR_MS: u64 = 3_600_000;
        Self {
            iterations: 50,
            working_ms: 8 * HOUR_MS,
            cost_microusd: None,
            tokens: None,
            no_progress: 5,
            failures: 5,
            attempt_ms: 2 * HOUR_MS,
            idle_ms: None,
            deadline: None,
            files: None,
            lines: None,
            reboots: None,
        }
    }
}

impl Limits {
    /// The same with the ceilings that `raise` names.
    #[must_use]
    pub fn raised(mut self, raise: &Raise) -> Self {
        self.iterations = raise.iterations.unwrap_or(self.iterations);
        self.working_ms = raise.working_ms.unwrap_or(self.working_ms);
        self.cost_microusd = raise.cost_microusd.or(self.cost_microusd);
        self.tokens = raise.tokens.or(self.tokens);
        self.files = raise.files.or(self.files);
        self.lines = raise.lines.or(self.lines);
        self.reboots = raise.reboots.or(self.reboots);
        self
    }
}

/// Limits that a resume raises to new, absolute values.
#[record(Default, Eq, omit(without_walls))]
pub struct Raise {
    /// New ceiling of iterations.
    pub iterations: Option<u32>,
    /// New ceiling of working time.
    pub working_ms: Option<u64>,
    /// New ceiling of money.
    pub cost_microusd: Option<u64>,
    /// New ceiling of tokens.
    pub tokens: Option<u64>,
    /// New ceiling of changed files.
    pub files: Option<u32>,
    /// New ceiling of changed lines.
    pub lines: Option<u64>,
    /// New ceiling of reboots.
    pub reboots: Option<u32>,
    /// From here on without walls.
    pub without_walls: bool,
}
