//! The shapes of event data, as far as the checker needs them: its own reading of the JSON.

use serde::Deserialize;

use super::Violation;
use crate::history::RawEvent;

pub(super) fn parse<'a, T: Deserialize<'a>>(event: &'a RawEvent) -> Result<T, Violation> {
    serde_json::from_slice(&event.data).map_err(|error| Violation {
        rule: "I2",
        what: format!("event {} ({}) does not have its shape: {error}", event.seq, event.kind),
    })
}

#[derive(Deserialize)]
pub(super) struct Created {
    pub(super) config: Config,
}

#[derive(Deserialize)]
pub(super) struct Config {
    pub(super) limits: Limits,
    /// `block` where nothing is said.
    pub(super) guard: Option<String>,
    pub(super) hooks: Option<Hooks>,
    pub(super) mode: Option<ModeConfig>,
}

#[derive(Deserialize)]
pub(super) struct Hooks {
    pub(super) hooks: Vec<Hook>,
}

#[derive(Deserialize)]
pub(super) struct Hook {
    pub(super) points: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct ModeConfig {
    pub(super) start: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct HooksStarted {
    pub(super) call: Call,
}

#[derive(Deserialize)]
pub(super) struct Call {
    pub(super) number: u32,
    pub(super) points: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct HooksFinished {
    pub(super) end: HookEnd,
}

#[derive(Deserialize)]
pub(super) struct HookEnd {
    pub(super) number: u32,
    pub(super) results: Vec<HookResult>,
}

#[derive(Deserialize)]
pub(super) struct HookResult {
    pub(super) point: String,
}

#[derive(Deserialize)]
pub(super) struct ModeSwitched {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) why: serde_json::Value,
}

#[derive(Deserialize)]
pub(super) struct ModeRequested<'a> {
    #[serde(borrow)]
    pub(super) mode: Option<&'a str>,
}

#[derive(Deserialize)]
pub(super) struct StopRequested {
    pub(super) now: bool,
}

#[derive(Deserialize)]
pub(super) struct Limits {
    pub(super) iterations: u32,
    pub(super) cost_microusd: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct DriverStarted {
    pub(super) epoch: u64,
}

#[derive(Deserialize)]
pub(super) struct AttemptStarted {
    pub(super) attempt: Attempt,
}

#[derive(Deserialize)]
pub(super) struct Attempt {
    pub(super) number: u32,
    pub(super) iteration: u32,
}

#[derive(Deserialize)]
pub(super) struct AttemptFinished<'a> {
    pub(super) attempt: u32,
    #[serde(borrow)]
    pub(super) end: End<'a>,
}

#[derive(Deserialize)]
pub(super) struct End<'a> {
    pub(super) outcome: &'a str,
    pub(super) report: Option<Report>,
    pub(super) guard: Option<Guard>,
}

#[derive(Deserialize)]
pub(super) struct Guard {
    #[serde(default)]
    pub(super) findings: Vec<Finding>,
}

#[derive(Deserialize)]
pub(super) struct Finding {
    pub(super) blocking: bool,
}

#[derive(Deserialize)]
pub(super) struct Report {
    pub(super) cost_microusd: Option<u64>,
}

/// Abandoned or lost.
#[derive(Deserialize)]
pub(super) struct AttemptGone {
    pub(super) attempt: u32,
}

#[derive(Deserialize)]
pub(super) struct ChecksStarted {
    pub(super) round: u32,
}

#[derive(Deserialize)]
pub(super) struct ChecksFinished {
    pub(super) round: Round,
}

#[derive(Deserialize)]
pub(super) struct Round {
    pub(super) number: u32,
    pub(super) checks: Vec<Verdict>,
    #[serde(default)]
    pub(super) cancelled: bool,
}

#[derive(Deserialize)]
pub(super) struct Verdict {
    pub(super) passed: bool,
}

#[derive(Deserialize)]
pub(super) struct QuestionAsked<'a> {
    pub(super) question: u32,
    pub(super) kind: &'a str,
    pub(super) digest: &'a str,
}

#[derive(Deserialize)]
pub(super) struct AnswerGiven<'a> {
    pub(super) question: u32,
    pub(super) answer: &'a str,
    #[serde(borrow)]
    pub(super) seen: Option<&'a str>,
}

#[derive(Deserialize)]
pub(super) struct QuestionClosed<'a> {
    pub(super) question: u32,
    pub(super) answer: &'a str,
}

#[derive(Deserialize)]
pub(super) struct Waiting<'a> {
    #[serde(borrow)]
    pub(super) until: Option<&'a str>,
}

#[derive(Deserialize)]
pub(super) struct RecoveryAdvanced {
    pub(super) recovery: u32,
    pub(super) step: serde_json::Value,
}

#[derive(Deserialize)]
pub(super) struct Resumed {
    pub(super) raise: Raised,
}

#[derive(Deserialize)]
pub(super) struct Raised {
    pub(super) iterations: Option<u32>,
    pub(super) cost_microusd: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct Ended<'a> {
    pub(super) reason: &'a str,
}

// ── Workflows ────────────────────────────────────────────────────────────────────────────────────

/// Created, or begun anew.
#[derive(Deserialize)]
pub(super) struct Begun {
    pub(super) definition: Definition,
    pub(super) options: Options,
}

#[derive(Deserialize)]
pub(super) struct Redefined {
    pub(super) definition: Definition,
}

#[derive(Deserialize)]
pub(super) struct Definition {
    pub(super) max_parallel: Option<u32>,
    pub(super) steps: Vec<Step>,
}

#[derive(Default, Deserialize)]
pub(super) struct Step {
    pub(super) id: String,
    pub(super) work: serde_json::Value,
    #[serde(default)]
    pub(super) needs: Vec<String>,
    #[serde(default)]
    pub(super) gates: Vec<String>,
    pub(super) loop_back_to: Option<String>,
    #[serde(default)]
    pub(super) human_in_the_loop: bool,
    #[serde(rename = "loop")]
    pub(super) collection: Option<serde_json::Value>,
    pub(super) max_attempts: Option<u32>,
}

#[derive(Default, Deserialize)]
pub(super) struct Options {
    pub(super) max_attempts: u32,
    pub(super) max_iterations: u32,
    pub(super) max_parallel: u32,
    pub(super) pause_for_human_input: bool,
    pub(super) max_cost_microusd: Option<u64>,
    pub(super) cost_limit_action: String,
}

#[derive(Deserialize)]
pub(super) struct GatesSeen {
    pub(super) step: String,
    pub(super) verdicts: Vec<GateVerdict>,
}

#[derive(Deserialize)]
pub(super) struct GateVerdict {
    pub(super) gate: String,
    pub(super) open: bool,
}

#[derive(Deserialize)]
pub(super) struct ItemsRead {
    pub(super) step: String,
    pub(super) items: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
pub(super) struct StepsPassed {
    pub(super) steps: Vec<PassedStep>,
}

#[derive(Deserialize)]
pub(super) struct PassedStep {
    pub(super) step: String,
}

#[derive(Deserialize)]
pub(super) struct StepStarted<'a> {
    #[serde(borrow)]
    pub(super) attempt: OpenStep<'a>,
}

#[derive(Clone, Copy, Deserialize)]
pub(super) struct OpenStep<'a> {
    pub(super) number: u32,
    pub(super) step: &'a str,
    pub(super) attempt: u32,
    pub(super) iteration: u32,
    pub(super) item: Option<u32>,
}

#[derive(Deserialize)]
pub(super) struct StepFinished {
    pub(super) attempt: u32,
    pub(super) end: StepEnd,
}

#[derive(Deserialize)]
pub(super) struct StepEnd {
    pub(super) outcome: String,
    pub(super) report: Option<StepReport>,
    pub(super) cost_microusd: Option<u64>,
    pub(super) hold: Option<serde_json::Value>,
}

#[derive(Deserialize)]
pub(super) struct StepReport {
    pub(super) completed: bool,
    #[serde(default)]
    pub(super) gate_failure: bool,
}

#[derive(Deserialize)]
pub(super) struct LoopedBack {
    pub(super) step: String,
    pub(super) target: String,
}

#[derive(Deserialize)]
pub(super) struct OfStep<'a> {
    pub(super) step: &'a str,
}

#[derive(Deserialize)]
pub(super) struct StatusesAdopted {
    pub(super) edits: Vec<Edit>,
}

#[derive(Deserialize)]
pub(super) struct Edit {
    pub(super) step: String,
    pub(super) status: String,
}

#[derive(Deserialize)]
pub(super) struct HumanAsked<'a> {
    pub(super) question: u32,
    pub(super) step: &'a str,
    pub(super) digest: &'a str,
}

#[derive(Deserialize)]
pub(super) struct HumanAnswered {
    pub(super) question: u32,
    pub(super) answer: String,
    pub(super) input: ManualInput,
    pub(super) bound: bool,
}

#[derive(Deserialize)]
pub(super) struct ManualInput {
    pub(super) approved: bool,
}

#[derive(Deserialize)]
pub(super) struct Answered {
    pub(super) question: u32,
    pub(super) answer: String,
    pub(super) seen: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct WorkflowResumed {
    pub(super) raise: WorkflowRaise,
}

#[derive(Deserialize)]
pub(super) struct WorkflowRaise {
    pub(super) max_attempts: Option<u32>,
    pub(super) max_iterations: Option<u32>,
    pub(super) max_cost_microusd: Option<u64>,
}

// ── Ledgers ──────────────────────────────────────────────────────────────────────────────────────

#[derive(Deserialize)]
pub(super) struct FileAdopted {
    pub(super) gaps: Vec<Gap>,
    pub(super) removed: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct Gap {
    pub(super) id: String,
    pub(super) status: String,
}

/// Added or edited.
#[derive(Deserialize)]
pub(super) struct GapAdded {
    pub(super) gap: Gap,
}

#[derive(Deserialize)]
pub(super) struct OfGap {
    pub(super) gap: String,
}

#[derive(Deserialize)]
pub(super) struct GapFlipped {
    pub(super) flip: Flip,
}

#[derive(Deserialize)]
pub(super) struct Flip {
    pub(super) gap: String,
    pub(super) old: String,
    pub(super) new: String,
}

#[derive(Deserialize)]
pub(super) struct FlipsLogged {
    pub(super) count: usize,
}

#[derive(Deserialize)]
pub(super) struct ResearchBegun {
    pub(super) number: u32,
    pub(super) limits: ResearchLimits,
}

#[derive(Deserialize)]
pub(super) struct ResearchLimits {
    pub(super) tokens: Option<u64>,
    pub(super) microusd: Option<u64>,
    pub(super) working_ms: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct ResearchStarted {
    pub(super) open: OpenResearch,
}

#[derive(Deserialize)]
pub(super) struct OpenResearch {
    pub(super) attempt: u32,
}

#[derive(Deserialize)]
pub(super) struct ResearchAttemptEnded {
    pub(super) attempt: u32,
    pub(super) result: serde_json::Value,
    pub(super) used: UsedBy,
}

#[derive(Deserialize)]
pub(super) struct UsedBy {
    pub(super) tokens: Option<u64>,
    pub(super) microusd: Option<u64>,
    pub(super) working_ms: u64,
}

#[derive(Deserialize)]
pub(super) struct ResearchEnded {
    pub(super) number: u32,
    pub(super) why: String,
}
