//! What must hold for the gaps of one ledger. Every problem is reported, never only the first.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::gap::{Field, Gap, GapStatus};
use super::graph::{detect_cycles, new_cycles};
use crate::limits::{GAP_ID_BYTES_MAX, GAP_TEXT_BYTES_MAX};

/// Something that is wrong with one gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Which, by its place among the gaps.
    pub index: usize,
    /// The gap it is about, by its id.
    pub gap: String,
    /// Where in the gap.
    pub field: Field,
    pub kind: ProblemKind,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// Another gap before it has the same id.
    DuplicateId,
    /// The text is needed, but empty.
    Empty,
    /// The text is larger than is accepted.
    TooLong {
        /// The most that is accepted.
        bytes_max: usize,
    },
    /// Verified, but nothing says when.
    VerifiedWithoutTime,
    /// Stale, but nothing says since when it was known.
    StaleWithoutTime,
    /// Never researched, but there is a time of verification.
    UnknownWithTime,
    /// It names itself.
    SelfReference,
    /// It names a gap that is not there.
    UnknownGap { named: String },
    /// Outside of 1 to 5.
    Priority { value: i64 },
    /// Less than one day.
    Ttl { value: i64 },
    /// It waits for itself, by way of others.
    Cycle {
        /// The gaps, each before the one that waits for it; the first is the last.
        path: Vec<String>,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { gap, field, .. } = self;
        let gap = gap.escape_debug();
        match &self.kind {
            ProblemKind::DuplicateId => write!(f, "Duplicate gap ID: '{gap}'"),
            ProblemKind::Empty => write!(f, "Gap '{gap}' has an empty {field}"),
            ProblemKind::TooLong { bytes_max } => {
                write!(f, "Gap '{gap}' {field} must be <= {bytes_max} bytes")
            }
            ProblemKind::VerifiedWithoutTime => {
                write!(f, "Gap '{gap}' is verified but has no last_verified")
            }
            ProblemKind::StaleWithoutTime => {
                write!(f, "Gap '{gap}' is stale but has no last_verified")
            }
            ProblemKind::UnknownWithTime => write!(f, "Gap '{gap}' is unknown but has a last_verified"),
            ProblemKind::SelfReference => write!(f, "Gap '{gap}' references itself in {field}"),
            ProblemKind::UnknownGap { named } => {
                write!(f, "Gap '{gap}' {field} unknown gap '{}'", named.escape_debug())
            }
            ProblemKind::Priority { value } => {
                write!(f, "Gap '{gap}' priority must be 1 to 5, got {value}")
            }
            ProblemKind::Ttl { value } => write!(f, "Gap '{gap}' ttl_days must be >= 1, got {value}"),
            ProblemKind::Cycle { path } => {
                let path: Vec<String> = path.iter().map(|id| id.escape_debug().to_string()).collect();
                write!(f, "these wait for each other: {}; take one edge out", path.join(" -> "))
            }
        }
    }
}

impl Problem {
    /// Whether a file may have it all the same: a verification that nothing dates is as good as stale, and the other
    /// gaps are none the worse for it.
    pub fn is_tolerable(&self) -> bool {
        self.kind.is_tolerable()
    }
}

impl ProblemKind {
    fn is_tolerable(&self) -> bool {
        matches!(self, ProblemKind::VerifiedWithoutTime | ProblemKind::StaleWithoutTime)
    }

    /// Whether a gap that `had` this may have `self` after a change: a verification that nothing dates may become stale, which it
    /// is as good as, but nothing becomes verified without a date.
    fn is_left_from(&self, had: &ProblemKind) -> bool {
        had == self || had.is_tolerable() && *self == ProblemKind::StaleWithoutTime
    }
}

/// What a file may have all the same, gap by gap.
pub fn tolerable(gaps: &[Gap]) -> Vec<Problem> {
    let found = |(index, gap): (usize, &Gap)| {
        let kind = match (gap.status, gap.last_verified) {
            (GapStatus::Verified, None) => ProblemKind::VerifiedWithoutTime,
            (GapStatus::Stale, None) => ProblemKind::StaleWithoutTime,
            (GapStatus::Verified | GapStatus::Stale | GapStatus::Unknown | GapStatus::Blocked, _) => {
                return None;
            }
        };
        Some(Problem { index, gap: gap.id.clone(), field: Field::Status, kind })
    };
    gaps.iter().enumerate().filter_map(found).collect()
}

/// A gap of another file. What nothing dates was never verified as far as anybody can tell, and is to be looked into.
#[must_use]
pub fn undated_as_unknown(mut gap: Gap) -> Gap {
    if matches!(gap.status, GapStatus::Verified | GapStatus::Stale) && gap.last_verified.is_none() {
        gap.status = GapStatus::Unknown;
    }
    gap
}

/// The cycles of dependencies. A file may have them: they hold nothing back, but say nothing either.
pub fn cycles(gaps: &[Gap]) -> Vec<Problem> {
    as_problems(gaps, detect_cycles(gaps))
}

/// The cycles that a change makes.
pub fn cycles_since(before: &[Gap], after: &[Gap]) -> Vec<Problem> {
    as_problems(after, new_cycles(before, after))
}

fn as_problems(gaps: &[Gap], cycles: Vec<Vec<&str>>) -> Vec<Problem> {
    if cycles.is_empty() {
        return Vec::new();
    }
    let places: HashMap<&str, usize> =
        gaps.iter().enumerate().map(|(place, gap)| (gap.id.as_str(), place)).collect();
    let problem = |cycle: Vec<&str>| {
        let index = cycle.first().and_then(|first| places.get(first)).copied().unwrap_or(0);
        let path: Vec<String> = cycle.into_iter().map(str::to_owned).collect();
        let gap = path.first().cloned().unwrap_or_default();
        Problem { index, gap, field: Field::Blocks, kind: ProblemKind::Cycle { path } }
    };
    cycles.into_iter().map(problem).collect()
}

/// What is wrong after a change. What a file may have, and had before, is not the change's doing.
pub fn problems_since(before: &[Gap], after: &[Gap]) -> Vec<Problem> {
    let mut problems = validate(after);
    if problems.iter().any(Problem::is_tolerable) {
        let had: HashMap<String, ProblemKind> = validate(before)
            .into_iter()
            .filter(Problem::is_tolerable)
            .map(|problem| (problem.gap, problem.kind))
            .collect();
        problems.retain(|problem| {
            let had = had.get(&problem.gap);
            !had.is_some_and(|had| problem.is_tolerable() && problem.kind.is_left_from(had))
        });
    }
    problems
}

/// The same for what a file held that was found to be sound: where no gap comes, goes or gets other neighbours, only those
/// that differ are looked at.
pub fn problems_since_sound(before: &[Gap], after: &[Gap]) -> Vec<Problem> {
    let is_beside = |(old, new): (&Gap, &Gap)| {
        old == new || old.id == new.id && old.blocks == new.blocks && old.blocked_by == new.blocked_by
    };
    if before.len() != after.len() || !before.iter().zip(after).all(is_beside) {
        return problems_since(before, after);
    }
    let mut problems = Vec::new();
    for (index, (old, new)) in before.iter().zip(after).enumerate().filter(|(_, (old, new))| old != new) {
        let had = own_problems(old).map(|(_, kind)| kind).find(ProblemKind::is_tolerable);
        let found =
            own_problems(new).map(|(field, kind)| Problem { index, gap: new.id.clone(), field, kind });
        problems.extend(found.filter(|problem| {
            !had.as_ref().is_some_and(|had| problem.is_tolerable() && problem.kind.is_left_from(had))
        }));
    }
    problems
}

/// Everything that is wrong, gap by gap; nothing where the gaps are fine.
pub fn validate(gaps: &[Gap]) -> Vec<Problem> {
    let ids: HashSet<&str> = gaps.iter().map(|gap| gap.id.as_str()).collect();
    let has_repeats = ids.len() != gaps.len();
    let mut seen = HashSet::new();
    let mut problems = Vec::new();
    for (index, gap) in gaps.iter().enumerate() {
        let mut report = |field, kind| problems.push(Problem { index, gap: gap.id.clone(), field, kind });
        if has_repeats && !seen.insert(gap.id.as_str()) {
            report(Field::Id, ProblemKind::DuplicateId);
        }
        own_problems(gap).for_each(|(field, kind)| report(field, kind));
        for (field, list) in [(Field::Blocks, &gap.blocks), (Field::BlockedBy, &gap.blocked_by)] {
            for named in list {
                if *named == gap.id {
                    report(field, ProblemKind::SelfReference);
                } else if !ids.contains(named.as_str()) {
                    report(field, ProblemKind::UnknownGap { named: named.clone() });
                }
            }
        }
    }
    problems
}

/// What is wrong with a gap, whatever the others are.
fn own_problems(gap: &Gap) -> impl Iterator<Item = (Field, ProblemKind)> {
    let status = match (gap.status, gap.last_verified) {
        (GapStatus::Verified, None) => Some((Field::Status, ProblemKind::VerifiedWithoutTime)),
        (GapStatus::Stale, None) => Some((Field::Status, ProblemKind::StaleWithoutTime)),
        (GapStatus::Unknown, Some(_)) => Some((Field::LastVerified, ProblemKind::UnknownWithTime)),
        (GapStatus::Verified | GapStatus::Unknown | GapStatus::Stale | GapStatus::Blocked, _) => None,
    };
    let value = gap.priority;
    let priority = (!(1..=5).contains(&value)).then_some((Field::Priority, ProblemKind::Priority { value }));
    let ttl = gap.ttl_days.filter(|days| *days < 1);
    let ttl = ttl.map(|value| (Field::TtlDays, ProblemKind::Ttl { value }));
    text_problems(gap).into_iter().flatten().chain(status).chain(priority).chain(ttl)
}

fn text_problems(gap: &Gap) -> [Option<(Field, ProblemKind)>; 4] {
    let texts = [
        (Field::Id, &gap.id, GAP_ID_BYTES_MAX),
        (Field::Category, &gap.category, GAP_ID_BYTES_MAX),
        (Field::Findings, &gap.findings, GAP_TEXT_BYTES_MAX),
        (Field::Question, &gap.question, GAP_TEXT_BYTES_MAX),
    ];
    texts.map(|(field, text, bytes_max)| {
        if text.is_empty() && matches!(field, Field::Id | Field::Category) {
            Some((field, ProblemKind::Empty))
        } else if text.len() > bytes_max {
            Some((field, ProblemKind::TooLong { bytes_max }))
        } else {
            None
        }
    })
}
