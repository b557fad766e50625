//! What people want of a ledger: by a command, and by hand.

use piton_model::Timestamp;
use piton_model::ledger::{Gap, GapStatus, Observed, Source, SourceKind};
use piton_model::ledger_machine::{Command, ResearchLimits};

use super::{Ledgers, Scene};
use crate::history::Entry;
use crate::rng::Rng;
use crate::sim::Sim;

/// A ledger does not grow beyond this.
const GAPS_MAX: usize = 8;

/// What a process is started for.
#[derive(Clone, Debug)]
pub(super) enum Errand {
    /// Opens the ledger and leaves: what others left open is completed.
    Look,
    /// Changes something.
    Change(Box<Command>),
    /// Sets fields of a gap, as it is once the ledger is open.
    Set { gap: String, priority: i64, status: Option<GapStatus> },
    /// Carries on with the research that is under way.
    Work,
}

/// A command that may make sense, or not: by what the file says now.
pub(super) fn choose(sim: &mut Sim<Ledgers>) -> Errand {
    let now = sim.now();
    let ids: Vec<String> = sim.scene.place.gaps().iter().map(|gap| gap.id.clone()).collect();
    let (scene, rng) = (&mut sim.scene, &mut sim.rng);
    let gap = |rng: &mut Rng| match ids.len() {
        0 => "nobody".to_owned(),
        count => ids[rng.below(count as u64) as usize].clone(),
    };
    let command = match rng.below(100) {
        0..8 => return Errand::Look,
        8..36 => return Errand::Work,
        36..46 => Command::Check { gap: gap(rng) },
        46..56 => {
            let reason = "looked at it".to_owned();
            Command::Verify { gap: gap(rng), finding: finding(scene, now, rng), reason }
        }
        56..64 => {
            let (gap, priority) = (gap(rng), rng.between(1, 5) as i64);
            return Errand::Set { gap, priority, status: rng.one_in(3).then(|| any_status(rng)) };
        }
        64..70 if ids.len() < GAPS_MAX => Command::Add(Box::new(Gap::new(scene.unique("gap"), "design"))),
        64..73 => Command::Remove { gap: gap(rng) },
        73..79 => {
            let hash = |version: &u64| Some(Some(format!("h{version}")));
            let observed: Observed = scene
                .sources
                .iter()
                .filter_map(|(path, version)| Some((path.clone(), hash(version)?)))
                .collect();
            Command::FlipDue { observed }
        }
        79..82 => Command::Undo { gap: gap(rng) },
        82..86 => Command::Watch { until: rng.one_in(2).then(|| now.plus_millis(rng.below(90_000))) },
        _ => {
            let mut gaps: Vec<String> = (0..rng.between(1, 3)).map(|_| gap(rng)).collect();
            gaps.dedup();
            let limits = ResearchLimits {
                tokens: rng.one_in(4).then(|| rng.between(1_000, 20_000)),
                microusd: rng.one_in(4).then(|| rng.between(10_000, 400_000)),
                working_ms: rng.one_in(6).then(|| rng.between(1_000, 30_000)),
            };
            Command::Research { gaps, forced: rng.one_in(3), limits, before: Default::default() }
        }
    };
    Errand::Change(Box::new(command))
}

/// What was found out, resting on a file as it is now.
pub(super) fn finding(scene: &Scene, at: Timestamp, rng: &mut Rng) -> Option<(String, Vec<Source>)> {
    if rng.one_in(3) {
        return None;
    }
    let index = rng.below(scene.sources.len() as u64) as usize;
    let (path, version) = scene.sources.iter().nth(index)?;
    let kind = SourceKind::File { path: path.clone(), hash: Some(format!("h{version}")) };
    Some((format!("it is {}", rng.below(1_000)), vec![Source { kind, at: Some(at) }]))
}

fn any_status(rng: &mut Rng) -> GapStatus {
    GapStatus::ALL[rng.below(4) as usize]
}

/// A person edits the file: a question, a status, a new gap.
pub(super) fn edit_by_hand(sim: &mut Sim<Ledgers>) {
    let now = sim.now();
    sim.line(|| "a person edits the file".to_owned());
    let (scene, rng) = (&mut sim.scene, &mut sim.rng);
    let mut gaps = scene.place.gaps().to_vec();
    if gaps.is_empty() || (gaps.len() < GAPS_MAX && rng.one_in(8)) {
        let mut gap = Gap::new(scene.unique("hand"), "question");
        gap.question = scene.unique("why");
        sim.log.push(Entry::Asked { gap: gap.id.clone(), question: gap.question.clone() });
        gaps.push(gap);
        scene.place.write(gaps);
        return;
    }
    let index = rng.below(gaps.len() as u64) as usize;
    match rng.below(6) {
        0 => {
            gaps[index].status = any_status(rng);
            gaps[index].last_verified = (gaps[index].status == GapStatus::Verified).then_some(now);
        }
        1 => gaps[index].priority = rng.between(1, 5) as i64,
        2 if rng.one_in(3) => drop(gaps.remove(index)),
        _ => {
            gaps[index].question = scene.unique("why");
            let (gap, question) = (gaps[index].id.clone(), gaps[index].question.clone());
            sim.log.push(Entry::Asked { gap, question });
        }
    }
    scene.place.write(gaps);
}
