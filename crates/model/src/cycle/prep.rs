//! The prep package: what somebody worked out before a cycle begins, and what becomes of it.
//!
//! A package lies in the repository, so whoever wrote the repository may have written it. It can ask for more than a cycle
//! asks for by itself and for less than it may use, never the other way round: [`bring`] narrows limits and [`judge`] adds
//! conditions. What was taken of it is in the first event of the cycle; the file is not looked at again.
//!
//! [`judge`]: super::judge

use std::collections::BTreeMap;

use piton_record::record;

use super::config::{Config, RoleName};
use super::gate::Gate;
use super::limits::{FOCUS_BYTES_MAX, GATE_ITERATIONS_MAX, SOURCE_REFS_MAX};
use crate::Timestamp;
use crate::limits::{PROMPT_BYTES_MAX, TEXT_BYTES_MAX, clip};
use crate::words::words;

/// The least quality, of 10, that a package must have.
const QUALITY_MIN: f64 = 6.0;
/// How old a package may be.
const AGE_MS_MAX: u64 = 24 * 3_600_000;
/// How far a package may lie in the future: tools that write UTC+8 under a `Z` are eight hours ahead.
const AHEAD_MS_MAX: u64 = 8 * 3_600_000 + 5 * 60_000;

/// What was found where a package may lie, as a cycle has it on record.
#[record]
pub enum PrepFound {
    /// It counts.
    Taken(Box<Prep>),
    /// It does not, and why.
    Ignored { path: String, failed: Vec<PrepFailure> },
}

impl PrepFound {
    /// What was taken, if anything was.
    pub fn taken(&self) -> Option<&Prep> {
        match self {
            Self::Taken(prep) => Some(prep),
            Self::Ignored { .. } => None,
        }
    }
}

/// What was taken of a package.
#[record]
pub struct Prep {
    /// Where it lay; relative to the repository where it lay inside.
    pub path: String,
    /// The name of its content.
    pub digest: String,
    pub generated_at: Timestamp,
    /// Of 10.
    pub quality_score: f64,
    /// The task at length, where the package was made for this task.
    pub description: Option<String>,
    pub max_iterations: u32,
    /// How long a phase may take.
    pub phase_ms: u64,
    /// A person confirms each iteration after the first.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub confirm: bool,
    pub convergence: Convergence,
    pub phase_gates: PhaseGates,
    /// What each role is to attend to, by gate.
    pub agent_focus: BTreeMap<Gate, BTreeMap<RoleName, String>>,
    pub source_refs: Vec<SourceRef>,
}

/// What must hold, beside all checks being green, before a cycle is completed.
#[record(written)]
pub struct Convergence {
    /// Tests that pass, in per cent, at least.
    pub test_pass_rate: f64,
    /// Code that tests reach, in per cent, at least.
    pub coverage: f64,
    /// Critical bugs that a validator may report, at most.
    pub max_critical_bugs: u32,
    /// Open issues that a role may report, at most.
    pub max_open_issues: u32,
}

/// Which iterations are of which gate, and what each gate asks for.
#[record(Default, written)]
pub struct PhaseGates {
    pub zero_to_one: ZeroToOne,
    pub one_to_hundred: OneToHundred,
}

/// What makes something that works at all.
#[record(Eq, written)]
pub struct ZeroToOne {
    /// Counted from 1.
    pub iterations: Vec<u32>,
    pub code_compiles: bool,
    pub core_test_passes: bool,
    /// Tasks of the plan that are done, at least.
    pub min_requirements_implemented: u32,
}

impl Default for ZeroToOne {
    fn default() -> Self {
        Self {
            iterations: vec![1, 2],
            code_compiles: true,
            core_test_passes: true,
            min_requirements_implemented: 1,
        }
    }
}

/// What this gate asks for beside [`Convergence`]; of both the stricter counts.
#[record(Default, written)]
pub struct OneToHundred {
    /// As the package has them; in truth every iteration that is not of the other gate.
    pub iterations: Vec<u32>,
    pub test_pass_rate: Option<f64>,
    pub coverage: Option<f64>,
    pub critical_bugs: Option<u32>,
}

/// A document that the task comes from.
#[record(Eq)]
pub struct SourceRef {
    pub path: String,
    pub kind: SourceKind,
    pub status: SourceStatus,
}

words! {
    /// What a source is.
    pub enum SourceKind {
        LocalFile = "local_file",
        Url = "url",
        AutoDetected = "auto_detected",
    }
}

words! {
    /// Whether a source was there when the package was made.
    pub enum SourceStatus {
        Verified = "verified",
        Linked = "linked",
        NotFound = "not_found",
    }
}

/// Why a package does not count.
#[record(Eq)]
pub struct PrepFailure {
    pub check: PrepCheck,
    /// In words.
    pub why: String,
}

words! {
    /// What a package must stand up to, all of it.
    pub enum PrepCheck {
        /// It can be read at all.
        Readable = "readable",
        /// What is needed of it is there.
        Fields = "fields",
        /// It says that it is ready.
        Ready = "ready",
        /// It is of this repository.
        ProjectRoot = "project_root",
        /// It is good enough.
        Quality = "quality",
        /// It is young enough.
        Age = "age",
        /// Its targets are possible.
        Convergence = "convergence",
    }
}

/// What a package says, as far as it does: another tool's word, which nobody has judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PrepPackage {
    pub prep_status: Option<String>,
    pub generated_at: Option<Timestamp>,
    pub project_root: Option<String>,
    pub original: Option<String>,
    pub refined: Option<String>,
    pub quality_score: Option<f64>,
    pub source_refs: Vec<SourceRef>,
    /// Iterations follow each other by themselves.
    pub enabled: Option<bool>,
    pub no_confirmation: Option<bool>,
    pub max_iterations: Option<u32>,
    pub timeout_per_iteration_ms: Option<u64>,
    pub test_pass_rate: Option<f64>,
    pub coverage: Option<f64>,
    pub max_critical_bugs: Option<u32>,
    pub max_open_issues: Option<u32>,
    pub phase_gates: PhaseGates,
    pub agent_focus: BTreeMap<Gate, BTreeMap<RoleName, String>>,
}

/// Whom a package is held against.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// What the cycle is to do, as the person says it.
    pub task: &'a str,
    /// The package names the repository that the cycle works in.
    pub is_here: bool,
    pub now: Timestamp,
}

/// What is taken of a package at `path`, or every check that it fails.
pub fn take(
    package: PrepPackage,
    path: &str,
    digest: String,
    asked: Asked<'_>,
) -> Result<Prep, Vec<PrepFailure>> {
    let failed = failures(&package, asked);
    if !failed.is_empty() {
        return Err(failed);
    }
    let is_of_task = [&package.original, &package.refined]
        .into_iter()
        .flatten()
        .any(|said| bare(said) == bare(asked.task));
    let refined = package.refined.filter(|_| is_of_task);
    let focus = package.agent_focus.into_iter().map(|(gate, by_role)| {
        let line = |text: String| clip(text.trim(), FOCUS_BYTES_MAX).replace(char::is_control, " ");
        (gate, by_role.into_iter().map(|(role, text)| (role, line(text))).collect())
    });
    let mut gates = package.phase_gates;
    gates.zero_to_one.iterations.truncate(GATE_ITERATIONS_MAX);
    gates.one_to_hundred.iterations.truncate(GATE_ITERATIONS_MAX);
    let is_automatic = package.enabled.unwrap_or(true) && package.no_confirmation.unwrap_or(true);
    // All of them are there: `failures` looked.
    Ok(Prep {
        path: clip(path, TEXT_BYTES_MAX).to_owned(),
        digest,
        generated_at: package.generated_at.unwrap_or_default(),
        quality_score: package.quality_score.unwrap_or_default(),
        description: refined.map(|text| clip(text.trim(), PROMPT_BYTES_MAX).to_owned()),
        max_iterations: package.max_iterations.unwrap_or(5).max(1),
        phase_ms: package.timeout_per_iteration_ms.unwrap_or(1_800_000).max(1),
        confirm: !is_automatic,
        convergence: Convergence {
            test_pass_rate: package.test_pass_rate.unwrap_or_default(),
            coverage: package.coverage.unwrap_or_default(),
            max_critical_bugs: package.max_critical_bugs.unwrap_or(0),
            max_open_issues: package.max_open_issues.unwrap_or(3),
        },
        phase_gates: gates,
        agent_focus: focus.collect(),
        source_refs: package.source_refs.into_iter().take(SOURCE_REFS_MAX).collect(),
    })
}

/// A task without what two ways of writing it may differ in.
fn bare(task: &str) -> String {
    task.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn failures(package: &PrepPackage, asked: Asked<'_>) -> Vec<PrepFailure> {
    let mut failed = Vec::new();
    let mut fails = |check: PrepCheck, why: String| failed.push(PrepFailure { check, why });
    let missing = missing(package);
    if !missing.is_empty() {
        fails(PrepCheck::Fields, format!("it has no {}", missing.join(", no ")));
    }
    if let Some(status) = package.prep_status.as_deref().filter(|status| *status != "ready") {
        fails(PrepCheck::Ready, format!("`prep_status` is `{}`, not `ready`", clip(status, 40)));
    }
    if let Some(root) = package.project_root.as_deref().filter(|_| !asked.is_here) {
        fails(PrepCheck::ProjectRoot, format!("it is of `{}`", clip(root, 200)));
    }
    if let Some(score) = package.quality_score.filter(|score| !(QUALITY_MIN..=10.0).contains(score)) {
        fails(
            PrepCheck::Quality,
            format!("`quality_score` is {score}, and {QUALITY_MIN} of 10 is the least"),
        );
    }
    if let Some(at) = package.generated_at {
        if asked.now.millis_since(at) > AGE_MS_MAX {
            fails(PrepCheck::Age, format!("it was made at {at}, more than 24 hours ago"));
        } else if at.millis_since(asked.now) > AHEAD_MS_MAX {
            fails(PrepCheck::Age, format!("it was made at {at}, which is still to come"));
        }
    }
    let gate = &package.phase_gates.one_to_hundred;
    let rates = [
        ("test_pass_rate", package.test_pass_rate),
        ("coverage", package.coverage),
        ("one_to_hundred.test_pass_rate", gate.test_pass_rate),
        ("one_to_hundred.coverage", gate.coverage),
    ];
    for (name, rate) in rates {
        if let Some(rate) = rate.filter(|rate| !(*rate > 0.0 && *rate <= 100.0)) {
            fails(PrepCheck::Convergence, format!("`{name}` is {rate}, and must be above 0 and at most 100"));
        }
    }
    failed
}

/// What a package needs and does not have, by its path there.
fn missing(package: &PrepPackage) -> Vec<String> {
    let is_text = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
    let there = [
        ("prep_status", is_text(&package.prep_status)),
        ("generated_at", package.generated_at.is_some()),
        ("environment.project_root", is_text(&package.project_root)),
        ("task.refined", is_text(&package.refined)),
        ("task.quality_score", package.quality_score.is_some()),
        ("auto_iteration.convergence.test_pass_rate", package.test_pass_rate.is_some()),
        ("auto_iteration.convergence.coverage", package.coverage.is_some()),
    ];
    there.into_iter().filter(|(_, is_there)| !is_there).map(|(name, _)| format!("`{name}`")).collect()
}

/// What the person said who starts the cycle: it goes over any package.
#[derive(Clone, Copy, Debug, Default)]
pub struct Said {
    pub description: bool,
    pub iterations: bool,
    /// Nobody confirms.
    pub auto: bool,
}

/// Brings what a package says into a configuration. It lowers limits and never raises one; what it asks for beyond that is
/// told.
pub fn bring(prep: &Prep, said: Said, config: &mut Config) -> Vec<String> {
    let mut notes = Vec::new();
    match &prep.description {
        Some(description) if !said.description => config.description.clone_from(description),
        Some(_) => {}
        None => notes.push("it was made for another task, so its description does not count".to_owned()),
    }
    let limits = &mut config.limits;
    if !said.iterations {
        if prep.max_iterations > limits.iterations {
            let (wanted, most) = (prep.max_iterations, limits.iterations);
            notes.push(format!(
                "it asks for {wanted} iterations, and {most} are the most; `--max-iterations {wanted}` allows them"
            ));
        }
        limits.iterations = limits.iterations.min(prep.max_iterations);
    }
    limits.attempt_ms = limits.attempt_ms.min(prep.phase_ms);
    config.confirm = !said.auto && (config.confirm || prep.confirm);
    if config.checks.iter().all(|check| check.reads.is_none()) {
        let target = prep.convergence.coverage;
        notes.push(format!(
            "it asks for a coverage of {target} %, and no check measures one; `[checks]` with a `format` does"
        ));
    }
    notes
}

impl Prep {
    /// What a role is to attend to at this gate, where anybody says.
    pub fn focus(&self, gate: Gate, role: &RoleName) -> Option<&str> {
        let said = self.agent_focus.get(&gate).and_then(|by_role| by_role.get(role));
        said.map(String::as_str)
            .or_else(|| default_focus(gate, role.as_str()))
            .filter(|text| !text.is_empty())
    }
}

/// The directives of the format for its four roles.
fn default_focus(gate: Gate, role: &str) -> Option<&'static str> {
    Some(match (gate, role) {
        (Gate::ZeroToOne, "ra") => "core_requirements_only",
        (Gate::ZeroToOne, "ep") => "minimal_viable_architecture",
        (Gate::ZeroToOne, "cd") => "happy_path_first",
        (Gate::ZeroToOne, "vas") => "smoke_tests_only",
        (Gate::OneToHundred, "ra") => "full_requirements_with_nfr",
        (Gate::OneToHundred, "ep") => "refined_architecture_with_risks",
        (Gate::OneToHundred, "cd") => "complete_implementation_with_error_handling",
        (Gate::OneToHundred, "vas") => "full_test_suite_with_coverage",
        _ => return None,
    })
}
