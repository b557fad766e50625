//! Whatever happens in a run, its files are valid, complete, and the same from the journal as from a driver.

use std::collections::{BTreeMap, BTreeSet};

use piton_files::aiwg::{History, Written, publish, render};
use piton_model::loop_machine::{Answer, GuardMode, RecoveryOutcome};
use piton_model::{RegressionType, State, Status};
use proptest::prelude::*;
use serde_json::Value;

use crate::schema;
use crate::support::{config, context, tree};
use crate::walk::{Dice, Walk};

/// What a reader would have written down who saw every state: kept apart from the code under test.
#[derive(Default)]
struct Witness {
    /// Every iteration with a verdict, as last seen while it was the last.
    iterations: BTreeMap<u32, piton_model::loop_machine::IterationRecord>,
    regressions: BTreeSet<u32>,
    recoveries: BTreeMap<u32, piton_model::loop_machine::Recovery>,
    levels: u32,
    patterns: BTreeSet<(u32, String)>,
}

impl Witness {
    fn see(&mut self, state: &State) {
        if let Some(last) = state.judged.recent.back() {
            self.iterations.insert(last.number, last.clone());
            if last.regressed && state.judged.findings.iter().any(|kept| kept.iteration == last.number) {
                self.regressions.insert(last.number);
            }
        }
        for kept in &state.judged.findings {
            if kept.finding.blocking {
                self.regressions.insert(kept.iteration);
            }
            let is_deletion =
                kept.finding.regression_type == RegressionType::TestDeletion && !kept.finding.file.is_empty();
            if kept.finding.pattern.is_some() || is_deletion {
                self.patterns.insert((kept.iteration, kept.finding.id.clone()));
            }
        }
        for recovery in state.judged.recoveries.iter().chain(&state.judged.recovery) {
            self.recoveries.insert(recovery.number, recovery.clone());
        }
        self.levels = state.judged.reinforcement.changes;
    }

    fn check(&self, view: &Value, state: &State) {
        let history = view["iteration_history"].as_array().unwrap();
        assert_eq!(history.len(), self.iterations.len());
        for (entry, record) in history.iter().zip(self.iterations.values()) {
            let number = record.number;
            assert_eq!(entry["iteration"], number);
            assert_eq!(entry["artifacts"].as_array().unwrap().len(), record.artifacts.len(), "{number}");
            assert_eq!(entry["regression_detected"], self.regressions.contains(&number), "{number}");
            let recovered = self.recoveries.values().any(|recovery| recovery.iteration == number);
            assert_eq!(entry["recovery_attempted"], recovered, "{number}");
        }
        let events = view["regression_events"].as_array().unwrap();
        let numbers: BTreeSet<_> =
            events.iter().map(|event| event["iteration"].as_u64().unwrap() as u32).collect();
        assert_eq!((&numbers, events.len()), (&self.regressions, self.regressions.len()));
        // A run that does not get on recovers, too, without a regression.
        let stuck =
            self.recoveries.values().filter(|known| !self.regressions.contains(&known.iteration)).count();
        assert_eq!(view["recovery_attempts"], events.len() + stuck);
        let recoveries = view["recovery_history"].as_array().unwrap();
        assert_eq!(recoveries.len(), self.recoveries.len());
        for (entry, recovery) in recoveries.iter().zip(self.recoveries.values()) {
            assert_eq!(entry["outcome"].as_str(), recovery.outcome.map(RecoveryOutcome::as_str));
        }
        for event in events {
            let of =
                |recovery: &&piton_model::loop_machine::Recovery| event["iteration"] == recovery.iteration;
            let recovery = self.recoveries.values().find(of);
            assert_eq!(event["recovery_protocol_invoked"], recovery.is_some());
            let number = event["iteration"].as_u64().unwrap() as u32;
            let refused = self.iterations.get(&number).is_some_and(|record| record.refused);
            let decision = recovery.and_then(|recovery| recovery.decision).map(|answer| match answer {
                Answer::Approve if !refused => "approve",
                Answer::Approve | Answer::Reject => "reject",
                Answer::Abort => "abort",
            });
            assert_eq!(event["human_decision"].as_str(), decision);
        }
        assert_eq!(view["reinforcement_history"].as_array().unwrap().len(), self.levels as usize);
        let patterns = view["detected_patterns"].as_array().unwrap();
        let found: BTreeSet<_> = patterns
            .iter()
            .map(|entry| {
                (entry["iteration"].as_u64().unwrap() as u32, entry["finding"].as_str().unwrap().to_owned())
            })
            .collect();
        assert_eq!(found, self.patterns);
        for entry in patterns {
            let marked = state.people.marks.get(entry["finding"].as_str().unwrap()) == Some(&true);
            assert_eq!(entry["false_positive"], marked);
        }
    }
}

fn guard(choice: u32) -> GuardMode {
    [GuardMode::Block, GuardMode::Ask, GuardMode::Report, GuardMode::Off][choice as usize % 4]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_the_files_are_valid_and_complete(
        mode in 0..4_u32,
        critical in any::<bool>(),
        choices in proptest::collection::vec(any::<u32>(), 50..2_000),
    ) {
        let mut settings = config(guard(mode));
        settings.recovery.escalate_critical = critical;
        let mut walk = Walk::new("ralph-walk-0123abcd", settings);
        let (mut journal, mut driver, mut witness) = (History::new(), History::new(), Witness::default());
        for history in [&mut journal, &mut driver] {
            history.absorb(&walk.state);
        }
        witness.see(&walk.state);
        let mut dice = Dice::new(&choices);
        let mut step = 0;
        while !dice.is_empty() {
            walk.step(&mut dice, &mut |state| {
                journal.absorb(state);
                witness.see(state);
            });
            // A driver shows what an append led to, not every event in it.
            driver.absorb(&walk.state);
            step += 1;
            if step % 8 == 0 || dice.is_empty() {
                let view = render(&walk.state, walk.head, &journal, &context());
                let live = render(&walk.state, walk.head, &driver, &context());
                prop_assert_eq!(
                    String::from_utf8_lossy(view.bytes()), String::from_utf8_lossy(live.bytes()),
                    "the same from the journal as from its driver"
                );
                let value = schema::state(view.bytes());
                witness.check(&value, &walk.state);
                let over = matches!(walk.state.status, Status::Stopped | Status::Completed | Status::Failed);
                prop_assert_eq!(&value["detection_enabled"], guard(mode) != GuardMode::Off && !over);
                prop_assert_eq!(value["completed_at"].is_string(), over);
            }
        }
        let root = tempfile::tempdir().unwrap();
        let view = render(&walk.state, walk.head, &journal, &context());
        publish(root.path(), &view, &journal, &mut Written::default()).unwrap();
        let mut files = 0;
        for (name, bytes) in tree(root.path()) {
            if name.contains("/iterations/") {
                let value = schema::iteration_file(&bytes);
                let number = value["iteration"].as_u64().unwrap() as u32;
                let record = &witness.iterations[&number];
                prop_assert_eq!(&value["attempt"], record.attempt);
                prop_assert_eq!(value["commit"].as_str(), record.commit.as_deref());
                prop_assert_eq!(value["tree"].as_str(), record.snapshot.as_ref().map(|it| it.tree.as_str()));
                prop_assert_eq!(value["checks"].as_array().unwrap().len(), record.total as usize);
                files += 1;
            } else if name.ends_with("registry.json") {
                schema::registry(&bytes);
            }
        }
        prop_assert_eq!(files, witness.iterations.len());
    }
}

#[test]
fn a_walk_meets_everything_that_there_is_to_show() {
    let (mut seen, mut most) = (BTreeSet::new(), 0);
    for seed in 0..40_u32 {
        let choices: Vec<u32> = (0..1_900_u32)
            .map(|n| n.wrapping_mul(0x9e37_79b9).rotate_left(7) ^ seed.wrapping_mul(77_773))
            .collect();
        let mut dice = Dice::new(&choices);
        let mut walk = Walk::new("r", config(guard(seed)));
        while !dice.is_empty() {
            walk.step(&mut dice, &mut |state| {
                let last = state.judged.recent.back();
                let marks = [
                    (last.is_some_and(|last| last.refused), "a refused iteration"),
                    (last.is_some_and(|last| last.doubted), "a doubted iteration"),
                    (last.is_some_and(|last| last.skipped), "a skipped iteration"),
                    (
                        state.judged.recoveries.iter().any(|it| it.outcome == Some(RecoveryOutcome::Success)),
                        "a success",
                    ),
                    (
                        state.judged.recoveries.iter().any(|it| it.outcome == Some(RecoveryOutcome::Failed)),
                        "a failure",
                    ),
                    (state.judged.recoveries.iter().any(|it| it.decision.is_some()), "a decision"),
                    (!state.people.marks.is_empty(), "a mark"),
                    (state.people.chosen.is_some(), "a choice"),
                    (state.judged.findings.len() >= 20, "a full window"),
                    (state.judged.reinforcement.changes > 1, "a level"),
                    (state.status == Status::Completed, "an end"),
                ];
                seen.extend(marks.into_iter().filter(|(met, _)| *met).map(|(_, what)| what));
                most = most.max(state.counters.iterations);
            });
        }
    }
    assert_eq!(seen.len(), 11, "{seen:?}");
    assert!(most > 25, "no walk fills the window of iterations: {most}");
}

#[test]
fn the_same_state_again_changes_nothing() {
    let mut run = crate::support::Run::worked("r", 12);
    let before = run.view();
    for _ in 0..3 {
        let state = run.state().clone();
        run.history.absorb(&state);
    }
    assert_eq!(run.view().bytes(), before.bytes());
}
