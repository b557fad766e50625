//! How far an iteration got: a score from 0 to 1, where the run is heading, and what to do about it.
//!
//! Progress is what changed in the tree and in what the checks say. Similar output is no standstill and new words are
//! no progress: what an agent says of itself counts only beside something that can be seen, unless a person chose to
//! go by its marks. Files that are back where they were before are not news either, or two iterations that undo each
//! other would go on for ever.

use std::collections::VecDeque;

use piton_record::record;

use crate::limits::keep_last;
use crate::loop_machine::facts::Report;
use crate::loop_machine::measures::Measures;
use crate::policy::policy;
use crate::words::words;

/// Samples kept of a metric.
pub const METRIC_SAMPLES_MAX: usize = 50;
/// A velocity above this is a run that speeds up.
const VELOCITY_GOOD: f64 = 0.1;
/// Scores, or samples, that make a trend.
const TREND_MIN: usize = 3;
/// A metric moves where it moves by more than this share of its mean.
const TREND_SHARE: f64 = 0.05;

policy! {
    /// What each sign of progress weighs.
    #[record(Copy)]
    pub struct Weights {
        /// Files changed or went away.
        pub files_modified: f64 = 0.3,
        /// Files are new.
        pub files_created: f64 = 0.2,
        /// More tests pass, or fewer fail.
        pub tests_improved: f64 = 0.4,
        /// There are more tests.
        pub tests_added: f64 = 0.2,
        /// A check that failed passes.
        pub build_fixed: f64 = 0.5,
        /// Linters and type checkers find less.
        pub lint_improved: f64 = 0.1,
        /// Tests reach more of the code.
        pub coverage_increased: f64 = 0.2,
        /// The agent made one of the marks it was asked for.
        pub markers: f64 = 0.3,
    }
}

words! {
    /// What counts as progress.
    #[derive(Default)]
    pub enum Strategy {
        /// All signs together.
        #[default]
        Combined = "combined",
        FileChanges = "files",
        TestResults = "tests",
        /// The marks of the agent: all or nothing.
        CustomMarkers = "markers",
        /// The trends of the metrics.
        MetricVelocity = "metrics",
    }
}

policy! {
    /// How progress is judged.
    #[record(written)]
    pub struct ProgressPolicy {
        /// Which signs of progress count.
        pub strategy: Strategy = Strategy::default(),
        /// What each sign weighs.
        pub weights: Weights = Weights::default(),
        /// The score from which an iteration got on.
        pub score_min: f64 = 0.1,
        /// Words by which an agent marks progress.
        pub markers: Vec<String> = ["[PROGRESS]", "DONE:", "Completed:"].map(str::to_owned).to_vec(),
    }
}

/// What became of the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TreeNews {
    /// It is the same, or unknown.
    #[default]
    Same,
    /// It is what it was some iterations ago.
    Back,
    /// It is another one.
    New,
}

impl TreeNews {
    /// What became of the tree that was `before` and is `now`; `earlier` are those of the last iterations.
    pub fn of<'a>(before: &str, now: &str, earlier: impl IntoIterator<Item = &'a str>) -> Self {
        if before == now {
            TreeNews::Same
        } else if earlier.into_iter().any(|tree| tree == now) {
            TreeNews::Back
        } else {
            TreeNews::New
        }
    }
}

/// What was seen of an iteration. Of numbers, those that are unknown on one side are compared with nothing.
#[derive(Clone, Debug, Default)]
pub struct Signs<'a> {
    /// What became of the tree.
    pub tree: TreeNews,
    /// Commits that changed something.
    pub commits: u32,
    /// Files that differ; a tree that is another one has at least one.
    pub files_modified: u32,
    /// Files that are new.
    pub files_created: u32,
    /// Files that are gone.
    pub files_deleted: u32,
    /// Checks that failed before and pass now.
    pub checks_fixed: u32,
    /// What the last kept round measured.
    pub before: Option<&'a Measures>,
    /// What the checks of this iteration measured.
    pub after: Option<&'a Measures>,
    /// The agent made one of the marks it was asked for.
    pub marked: bool,
    /// What it left was refused.
    pub refused: bool,
}

/// One sign of progress.
#[record(Copy, Eq)]
pub enum Indicator {
    /// Files changed or went away, or work was committed.
    FilesModified,
    /// Files are new.
    FilesCreated,
    /// More tests pass, or fewer fail.
    TestsImproved,
    /// There are more tests.
    TestsAdded,
    /// A check that failed passes.
    BuildFixed,
    /// Linters and type checkers find less.
    LintImproved,
    /// Tests reach more of the code.
    CoverageIncreased,
    /// The agent made a mark.
    Marked,
}

/// How far an iteration got.
#[record(Default, written)]
pub struct Progress {
    /// From 0 to 1.
    pub score: f64,
    /// Something changed that matters: the iteration does not count as one without progress.
    pub made: bool,
    /// The signs that were seen.
    pub indicators: Vec<Indicator>,
}

/// How far an iteration got. `metrics` counts where the strategy goes by it.
pub fn judge(policy: &ProgressPolicy, signs: &Signs<'_>, metrics: &[Metric]) -> Progress {
    // What was refused is gone, and with it everything that it would have been.
    if signs.refused {
        return Progress::default();
    }
    let indicators = indicators(signs);
    let has = |indicator| indicators.contains(&indicator);
    let weights = &policy.weights;
    let files = [
        (weights.files_modified, has(Indicator::FilesModified)),
        (weights.files_created, has(Indicator::FilesCreated)),
    ];
    let tests = [
        (weights.tests_improved, has(Indicator::TestsImproved)),
        (weights.tests_added, has(Indicator::TestsAdded)),
    ];
    let rest = [
        (weights.build_fixed, has(Indicator::BuildFixed)),
        (weights.lint_improved, has(Indicator::LintImproved)),
        (weights.coverage_increased, has(Indicator::CoverageIncreased)),
    ];
    let score = match policy.strategy {
        Strategy::FileChanges => share(files),
        Strategy::TestResults => share(tests),
        Strategy::CustomMarkers => f64::from(u8::from(signs.marked)),
        Strategy::MetricVelocity => metric_score(metrics),
        Strategy::Combined => {
            let seen = files.into_iter().chain(tests).chain(rest);
            // A mark alone is talk.
            let mark = (signs.marked && indicators.len() > 1).then_some((weights.markers, true));
            share(seen.chain(mark))
        }
    };
    let score = thousandths(score);
    Progress { score, made: score > 0.0 && score >= policy.score_min, indicators }
}

fn indicators(signs: &Signs<'_>) -> Vec<Indicator> {
    let is_new = signs.tree == TreeNews::New;
    let (before, after) = (signs.before, signs.after);
    let less = |count: fn(&Measures) -> Option<u64>| {
        before.and_then(count).zip(after.and_then(count)).is_some_and(|(before, after)| after < before)
    };
    let covered = |measures: &Measures| measures.coverage_percent();
    let coverage = before.and_then(covered).zip(after.and_then(covered));
    [
        // A tree that is another one without a file that is: modes, links, or nobody counted.
        (Indicator::FilesModified, (is_new && !only_created(signs)) || signs.commits > 0),
        (Indicator::FilesCreated, is_new && signs.files_created > 0),
        (Indicator::TestsImproved, tests_improved(before, after)),
        (Indicator::TestsAdded, tests_added(before, after)),
        (Indicator::BuildFixed, signs.checks_fixed > 0),
        (Indicator::LintImproved, less(|m| m.errors()) || less(|m| m.lint_warnings)),
        (Indicator::CoverageIncreased, coverage.is_some_and(|(before, after)| after > before)),
        (Indicator::Marked, signs.marked),
    ]
    .into_iter()
    .filter_map(|(indicator, seen)| seen.then_some(indicator))
    .collect()
}

fn only_created(signs: &Signs<'_>) -> bool {
    signs.files_created > 0 && signs.files_modified == 0 && signs.files_deleted == 0
}

/// More tests pass, or fewer fail though no fewer pass. A runner that was cut off shows neither.
fn tests_improved(before: Option<&Measures>, after: Option<&Measures>) -> bool {
    let tests = |measures: Option<&Measures>| measures?.tests.filter(|tests| tests.complete);
    let (Some(before), Some(after)) = (tests(before), tests(after)) else { return false };
    after.passed > before.passed || (after.failed < before.failed && after.passed >= before.passed)
}

fn tests_added(before: Option<&Measures>, after: Option<&Measures>) -> bool {
    let count = |measures: Option<&Measures>| measures?.test_count();
    count(before).zip(count(after)).is_some_and(|(before, after)| after > before)
}

/// The weight of what was seen, of all.
fn share(signs: impl IntoIterator<Item = (f64, bool)>) -> f64 {
    let (mut seen, mut all) = (0.0, 0.0);
    for (weight, is_seen) in signs {
        all += weight.max(0.0);
        seen += if is_seen { weight.max(0.0) } else { 0.0 };
    }
    if all > 0.0 { seen / all } else { 0.0 }
}

/// How much faster the run gets on than it did: the mean of the last three scores less that of the first three.
pub fn velocity(scores: &[f64]) -> Option<f64> {
    let last = scores.len().checked_sub(TREND_MIN)?;
    Some(thousandths(mean(&scores[last..]) - mean(&scores[..TREND_MIN])))
}

/// What to do about how a run gets on.
#[record(Copy, Eq)]
pub enum Advice {
    /// Nothing is to be done.
    Continue,
    /// Keep an eye on it.
    Monitor,
    /// Try it another way.
    ConsiderChange,
    Stop,
}

/// What to do after `streak` iterations without progress.
pub fn advise(velocity: Option<f64>, streak: u32) -> Advice {
    match streak {
        _ if velocity.is_some_and(|velocity| velocity > VELOCITY_GOOD) => Advice::Continue,
        0..=2 => Advice::Continue,
        3..=5 => Advice::Monitor,
        6..=10 => Advice::ConsiderChange,
        _ => Advice::Stop,
    }
}

words! {
    /// Which way a number is to go.
    #[derive(Default)]
    pub enum Direction {
        /// More is better.
        #[default]
        Higher = "higher",
        /// Less is better.
        Lower = "lower",
    }
}

/// A number that a configuration asks for, with what it was.
#[record(written)]
pub struct Metric {
    /// Which way it is to go.
    pub direction: Direction,
    /// What it weighs among the others.
    pub weight: f64,
    /// What it was, the newest last.
    pub samples: VecDeque<f64>,
}

/// Where a number goes.
#[record(Copy, Eq)]
pub enum Trend {
    /// Where it is to go.
    Better,
    /// It is what it was before.
    Stable,
    /// The other way.
    Worse,
}

impl Metric {
    /// One that has no samples yet.
    pub fn new(direction: Direction, weight: f64) -> Self {
        Self { direction, weight, samples: VecDeque::new() }
    }

    /// Takes another sample; the oldest makes room. What is no number is none.
    pub fn take(&mut self, sample: f64) {
        if !sample.is_finite() {
            return;
        }
        self.samples.push_back(sample);
        keep_last(&mut self.samples, METRIC_SAMPLES_MAX);
    }

    /// Where it goes: from its first sample to its last, beside its mean. Unknown of fewer than three.
    pub fn trend(&self) -> Option<Trend> {
        if self.samples.len() < TREND_MIN {
            return None;
        }
        let (first, last) = (self.samples.front()?, self.samples.back()?);
        let mean = self.samples.iter().sum::<f64>() / self.samples.len() as f64;
        let moved = last - first;
        let is_up = match self.direction {
            Direction::Higher => moved > 0.0,
            Direction::Lower => moved < 0.0,
        };
        Some(match moved.abs() > TREND_SHARE * mean.abs() {
            false => Trend::Stable,
            true if is_up => Trend::Better,
            true => Trend::Worse,
        })
    }
}

/// The weight of the metrics that get better, of those that have a trend.
fn metric_score(metrics: &[Metric]) -> f64 {
    share(metrics.iter().filter_map(|metric| Some((metric.weight, metric.trend()? == Trend::Better))))
}

/// Whether the agent made one of the marks of `policy`. A mark that is only quoted from the prompt is one, too: ask for
/// words that the prompt does not hold.
pub fn is_marked(policy: &ProgressPolicy, report: &Report) -> bool {
    policy.markers.iter().any(|marker| report.says(marker))
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

fn thousandths(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}
