//! The complete histories of a run, collected from the windows that its states hold.
//!
//! Fed with the state after every event, in order; fed with the same state again it changes nothing. Entries are kept
//! as the JSON they will be. New ones are added, and one that changed is written anew: an iteration that a person
//! judged later, a recovery that went on, a mark on a finding.

use std::collections::{BTreeMap, BTreeSet};

use piton_model::loop_machine::{Counts, IterationRecord, KeptFinding, Measures, Recovery};
use piton_model::{State, Timestamp};
use serde_json::value::RawValue;

use super::entries::{self, Numbers};
use super::format::{HistoryEntry, IterationFile, Particulars, Text, text};
use super::identity::loop_id;
use crate::plain::{json_file, object};
use crate::proof;

/// Everything that ever was in the histories of a run.
#[derive(Debug, Default)]
pub struct History {
    iterations: Vec<Iteration>,
    findings: BTreeMap<u32, Vec<KeptFinding>>,
    regressions: BTreeMap<u32, Text>,
    recoveries: BTreeMap<u32, (Recovery, Text)>,
    levels: BTreeMap<u32, Text>,
    patterns: Vec<Pattern>,
    marks: BTreeMap<String, bool>,
    baseline_at: Option<Timestamp>,
    earlier: Earlier,
    revision: u64,
}

/// What another tool put on record before: it comes before what piton did, as it stands there.
#[derive(Debug, Default)]
struct Earlier {
    iterations: Vec<Text>,
    regressions: Vec<Text>,
    recoveries: Vec<Text>,
    levels: Vec<Text>,
    patterns: Vec<Text>,
    recovery_attempts: Option<u32>,
    /// The score of its last iteration.
    score: Option<f64>,
    is_known: bool,
}

/// An iteration with a verdict.
#[derive(Debug)]
pub(super) struct Iteration {
    pub(super) number: u32,
    pub(super) score: f64,
    has_score: bool,
    /// When it was last written anew, in revisions of the history.
    pub(super) revision: u64,
    numbers: Numbers,
    /// Its coverage, in per cent.
    covered: Option<f64>,
    /// How many tests of a hundred pass.
    passing: Option<f64>,
    /// Tests that ran, by their runners.
    ran: Option<u64>,
    /// Tests that there are.
    tests: Option<u64>,
    doubted: bool,
    put_back: bool,
    regressed: bool,
    commit: Option<String>,
    /// Whether its entry says that a regression was detected, and that a recovery was attempted.
    shown: (bool, bool),
    entry: Text,
    particulars: Particulars,
}

#[derive(Debug)]
struct Pattern {
    found: KeptFinding,
    text: Text,
}

impl History {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in what a state shows.
    pub fn absorb(&mut self, state: &State) {
        if state.seen.baseline.is_some() {
            self.baseline_at.get_or_insert(state.updated_at);
        }
        self.absorb_earlier(state);
        let mut touched = BTreeSet::new();
        self.absorb_levels(state);
        self.absorb_findings(state, &mut touched);
        self.absorb_recoveries(state, &mut touched);
        self.absorb_iterations(state, &mut touched);
        for number in touched {
            self.settle(state, number);
        }
        if self.marks != state.people.marks {
            self.absorb_marks(state);
        }
    }

    /// How many iterations have their verdict.
    pub fn iterations(&self) -> usize {
        self.iterations.len()
    }

    /// It is all there from the beginning, and never changes.
    fn absorb_earlier(&mut self, state: &State) {
        let Some(adopted) = state.memory.adopted.as_ref().filter(|_| !self.earlier.is_known) else { return };
        let texts = |entries: &[serde_json::Value]| entries.iter().map(text).collect();
        let earlier = &adopted.earlier;
        self.earlier = Earlier {
            iterations: texts(&earlier.iterations),
            regressions: texts(&earlier.regressions),
            recoveries: texts(&earlier.recoveries),
            levels: texts(&earlier.levels),
            patterns: texts(&earlier.patterns),
            recovery_attempts: earlier.recovery_attempts,
            score: earlier.iterations.last().and_then(|last| last.get("quality_score")?.as_f64()),
            is_known: true,
        };
        // It takes the place of how the run would have begun.
        self.levels.clear();
    }

    fn absorb_levels(&mut self, state: &State) {
        for change in &state.judged.reinforcement.history {
            self.levels.entry(change.number).or_insert_with(|| text(&entries::level(change)));
        }
    }

    fn absorb_findings(&mut self, state: &State, touched: &mut BTreeSet<u32>) {
        // The window only grows at its end, so what is new is behind the last one that is known.
        let is_known = |kept: &KeptFinding| {
            let known = self.findings.get(&kept.iteration).map_or(&[][..], Vec::as_slice);
            known.iter().any(|known| known.finding.id == kept.finding.id && known.at == kept.at)
        };
        let new = state.judged.findings.iter().rev().take_while(|kept| !is_known(kept)).count();
        for kept in state.judged.findings.iter().skip(state.judged.findings.len() - new) {
            let false_positive = state.people.marks.get(&kept.finding.id) == Some(&true);
            if let Some(entry) = entries::pattern(kept, false_positive) {
                self.patterns.push(Pattern { text: text(&entry), found: kept.clone() });
            }
            self.findings.entry(kept.iteration).or_default().push(kept.clone());
            touched.insert(kept.iteration);
        }
    }

    fn absorb_recoveries(&mut self, state: &State, touched: &mut BTreeSet<u32>) {
        let window = state.judged.recoveries.iter().chain(&state.judged.recovery);
        for recovery in window {
            if self.recoveries.get(&recovery.number).is_some_and(|(known, _)| known == recovery) {
                continue;
            }
            let is_its = |record: &&IterationRecord| record.number == recovery.iteration;
            let refused = state.judged.recent.iter().find(is_its).is_some_and(|record| record.refused);
            let entry = text(&entries::recovery(&state.run, recovery, refused));
            self.recoveries.insert(recovery.number, (recovery.clone(), entry));
            touched.insert(recovery.iteration);
        }
    }

    fn absorb_iterations(&mut self, state: &State, touched: &mut BTreeSet<u32>) {
        let known = self.iterations.last().map_or(0, |last| last.number);
        // Only the last one can still change: it is committed, and a person may judge it.
        let from = state.judged.recent.partition_point(|record| record.number < known);
        for record in state.judged.recent.range(from..) {
            if record.number == known {
                let last = self.iterations.last().expect("a known number is an iteration's");
                if (last.doubted, last.put_back, last.regressed, &last.commit)
                    == (record.doubted, record.was_put_back(), record.regressed, &record.commit)
                {
                    continue;
                }
                self.iterations.pop();
            }
            let iteration = self.read(state, record);
            self.iterations.push(iteration);
            touched.insert(record.number);
        }
    }

    fn read(&mut self, state: &State, record: &IterationRecord) -> Iteration {
        let scored = self.iterations.iter().rev().find(|iteration| iteration.has_score);
        let previous = scored.map(|previous| previous.score).or(self.earlier.score);
        let is_last = state.judged.recent.back().is_some_and(|last| last.number == record.number);
        let coverage = |measures: Option<&Measures>| measures?.coverage_percent().map(entries::percent);
        let start = state.seen.baseline.as_ref().map(|round| &round.measures);
        let agreed = coverage(state.judged.reference.as_ref().or(start));
        let kept = || self.iterations.iter().rev().filter(|iteration| !iteration.put_back);
        let covered_before = kept().find_map(|iteration| iteration.covered);
        let covered = coverage(record.measures.as_ref());
        let ran_in = |measures: Option<&Measures>| measures?.tests.map(|tests| tests.passed + tests.failed);
        let ran = ran_in(record.measures.as_ref());
        let ran_before = kept().find_map(|iteration| iteration.ran).or(ran_in(start));
        let passing_in = |measures: Option<&Measures>| Some(entries::percent(measures?.tests?.pass_rate()?));
        let passing = passing_in(record.measures.as_ref());
        let passing_before = kept().find_map(|iteration| iteration.passing).or(passing_in(start));
        let numbers = Numbers {
            tests: record.tests,
            tests_before: kept()
                .find_map(|iteration| iteration.tests)
                .or(start.and_then(Measures::test_count)),
            ran: ran_before.zip(ran).map(|(before, after)| Counts { before, after }),
            assertions: record.assertions,
            // It fell from the last iteration that was kept, or in small steps from what it is held against.
            coverage: agreed.into_iter().chain(covered_before).reduce(f64::max).zip(covered),
            passing: passing_before.zip(passing),
            refused: record.refused,
            rejected: record.rejected,
        };
        self.revision += 1;
        Iteration {
            number: record.number,
            score: entries::score(record).0,
            has_score: entries::has_score(record),
            revision: self.revision,
            numbers,
            covered,
            passing,
            ran,
            tests: record.measures.as_ref().and_then(Measures::test_count),
            doubted: record.doubted,
            put_back: record.was_put_back(),
            regressed: record.regressed,
            commit: record.commit.clone(),
            shown: (record.regressed, false),
            entry: text(&entries::iteration(&loop_id(&state.run), record, previous)),
            particulars: entries::particulars(record, state.seen.checks.as_ref().filter(|_| is_last)),
        }
    }

    /// Brings the event of an iteration up to date, and what its entry says of it.
    fn settle(&mut self, state: &State, number: u32) {
        let found = self.iterations.iter().rposition(|iteration| iteration.number == number);
        let iteration = found.map(|index| &self.iterations[index]);
        let findings = self.findings.get(&number).map_or(&[][..], Vec::as_slice);
        // Recoveries are of ever later iterations, so the search ends soon.
        let mut last = self.recoveries.values().rev().map(|(recovery, _)| recovery);
        let recovery = last.find(|known| known.iteration <= number).filter(|known| known.iteration == number);
        let was_seen = self.regressions.contains_key(&number);
        let regressed = iteration.is_some_and(|iteration| iteration.regressed);
        if was_seen || regressed || findings.iter().any(|kept| kept.finding.blocking) {
            let numbers = iteration.map_or_else(Numbers::default, |iteration| iteration.numbers);
            let mode = state.config.guard;
            let event = entries::regression(&state.run, number, findings, numbers, recovery, mode);
            if let Some(event) = event {
                self.regressions.insert(number, text(&event));
            }
        }
        let Some(index) = found else { return };
        let detected = regressed || self.regressions.contains_key(&number);
        let attempted = recovery.is_some();
        let iteration = &mut self.iterations[index];
        if iteration.shown != (detected, attempted) {
            let mut entry = iteration.entry();
            (entry.regression_detected, entry.recovery_attempted) = (detected, attempted);
            self.revision += 1;
            (iteration.entry, iteration.revision) = (text(&entry), self.revision);
            iteration.shown = (detected, attempted);
        }
    }

    fn absorb_marks(&mut self, state: &State) {
        for pattern in &mut self.patterns {
            let id = &pattern.found.finding.id;
            if self.marks.get(id) != state.people.marks.get(id) {
                let false_positive = state.people.marks.get(id) == Some(&true);
                if let Some(entry) = entries::pattern(&pattern.found, false_positive) {
                    pattern.text = text(&entry);
                }
            }
        }
        self.marks.clone_from(&state.people.marks);
    }

    /// Counts what was written anew.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    pub(super) fn baseline_at(&self) -> Option<Timestamp> {
        self.baseline_at
    }

    /// Iterations that were written anew after this revision.
    pub(super) fn changed_since(&self, revision: u64) -> impl Iterator<Item = &Iteration> {
        self.iterations.iter().filter(move |iteration| iteration.revision > revision)
    }

    pub(super) fn find(&self, number: u32) -> Option<&Iteration> {
        let index = self.iterations.binary_search_by_key(&number, |iteration| iteration.number).ok()?;
        Some(&self.iterations[index])
    }

    pub(super) fn iteration_texts(&self) -> Vec<&RawValue> {
        after(&self.earlier.iterations, self.iterations.iter().map(|iteration| &iteration.entry))
    }

    pub(super) fn regression_texts(&self) -> Vec<&RawValue> {
        after(&self.earlier.regressions, self.regressions.values())
    }

    /// Every regression calls for a recovery, and so does a run that does not get on.
    pub(super) fn recovery_attempts(&self) -> usize {
        let earlier = self.earlier.recovery_attempts.map(|attempts| attempts as usize);
        let is_own = |(recovery, _): &&(Recovery, Text)| !self.regressions.contains_key(&recovery.iteration);
        earlier.unwrap_or(self.earlier.regressions.len())
            + self.regressions.len()
            + self.recoveries.values().filter(is_own).count()
    }

    pub(super) fn recovery_texts(&self) -> Vec<&RawValue> {
        after(&self.earlier.recoveries, self.recoveries.values().map(|(_, entry)| entry))
    }

    pub(super) fn level_texts(&self) -> Vec<&RawValue> {
        after(&self.earlier.levels, self.levels.values())
    }

    pub(super) fn pattern_texts(&self) -> Vec<&RawValue> {
        after(&self.earlier.patterns, self.patterns.iter().map(|pattern| &pattern.text))
    }
}

fn after<'a>(earlier: &'a [Text], own: impl Iterator<Item = &'a Text>) -> Vec<&'a RawValue> {
    earlier.iter().chain(own).map(|entry| &**entry).collect()
}

impl Iteration {
    fn entry(&self) -> HistoryEntry {
        serde_json::from_str(self.entry.get()).expect("an entry reads back as it was written")
    }

    /// Its file.
    pub(super) fn file(&self, loop_id: &str, run: &str) -> Vec<u8> {
        let own = object! { run_id: run, digest: "", };
        let file =
            IterationFile { loop_id, entry: &self.entry(), particulars: &self.particulars, piton: own };
        proof::sign(json_file(&file))
    }
}
