//! The rules of the machine, and a world of files, logs, hands and crashes around it.

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::*;
use crate::ledger::{Flip, Gap, GapStatus, Outcome, mark_verified, merge};
use crate::limits::INLINE_PAYLOAD_BYTES_MAX;
use crate::{RunEvent, Timestamp};

/// 2026-02-15T12:00:00Z.
const NOW: Timestamp = Timestamp::from_millis(1_771_156_800_000);
const DAY_MS: u64 = 86_400_000;

fn gap(id: &str) -> Gap {
    Gap::new(id, "market")
}

fn old(id: &str) -> Gap {
    mark_verified(&gap(id), Timestamp::from_millis(NOW.as_millis() - 45 * DAY_MS as i64))
}

/// A file, a log and a journal that is folded.
#[derive(Clone)]
struct World {
    state: State,
    file: Vec<Gap>,
    log: Vec<Flip>,
    now: Timestamp,
    flips: Vec<Flip>,
}

impl World {
    fn new(file: Vec<Gap>) -> Self {
        let opening = Opening {
            run: "gaps".parse().unwrap(),
            file: "gaps.yaml".to_owned(),
            log: "gap_audit.log".to_owned(),
            default_ttl_days: 30,
        };
        let state = apply(None, &create(opening)).unwrap();
        let mut world = World { state, file, log: Vec::new(), now: NOW, flips: Vec::new() };
        world.look();
        world
    }

    fn run(&mut self, command: Command) -> Result<Vec<LedgerEvent>, Rejection> {
        let events = decide(&self.state, command, self.now)?;
        for event in &events {
            let stored = event.encode();
            let event = LedgerEvent::decode(&stored.kind, stored.version, &stored.data).unwrap();
            self.state = apply(Some(self.state.clone()), &event).unwrap();
            if let LedgerEvent::GapsFlipped { flips } = event {
                self.flips.extend(flips);
            }
        }
        Ok(events)
    }

    /// Any text that tells contents apart.
    fn digest(&self) -> String {
        serde_json::to_string(&self.file).unwrap()
    }

    fn look(&mut self) {
        let (digest, gaps) = (self.digest(), self.file.clone());
        self.run(Command::Adopt { digest, gaps }).unwrap();
    }

    /// Does what is open. With `crash`, the outcome of each act is not recorded, as if nobody was left to.
    fn work(&mut self, crash: bool) {
        for effect in self.state.effects() {
            match effect {
                Effect::WriteFile => {
                    let merged = merge(&self.state.base(), &self.file, &self.state.gaps);
                    self.file = merged.gaps;
                    if !crash {
                        let (digest, gaps, overruled) = (self.digest(), self.file.clone(), merged.overruled);
                        self.run(Command::Written { digest, gaps, overruled }).unwrap();
                    }
                }
                Effect::LogFlips { flips, after } => {
                    // What stands behind that place are the first of these.
                    let there = self.log.len() - after.unwrap_or(0) as usize;
                    self.log.extend_from_slice(&flips[there..]);
                    if !crash {
                        let (count, end) = (flips.len(), self.log.len() as u64);
                        self.run(Command::Logged { count, end }).unwrap();
                    }
                }
            }
        }
    }

    fn find(&self, id: &str) -> Gap {
        self.state.find(id).unwrap().clone()
    }

    fn lines(&self) -> Vec<String> {
        let line = |flip: &Flip| format!("{}: {} -> {} ({})", flip.gap, flip.old, flip.new, flip.reason);
        self.log.iter().map(line).collect()
    }
}

#[test]
fn a_command_flips_what_is_due_before_it_does_anything_else() {
    let mut world = World::new(vec![old("a"), old("b")]);
    world.run(Command::Check { gap: "a".to_owned() }).unwrap();
    assert_eq!(
        world.find("a"),
        old("a").with(|gap| {
            gap.status = GapStatus::Stale;
            gap.last_checked = Some(NOW);
        })
    );
    assert_eq!(world.find("b"), old("b"), "only the gap it touches");
    world.work(false);
    assert_eq!(world.lines(), ["a: verified -> stale (TTL expired: 45 days > 30 day limit)"]);
    assert_eq!((world.file.clone(), world.state.effects()), (world.state.gaps.clone(), vec![]));
}

#[test]
fn research_that_found_something_verifies_and_keeps_what_was_known() {
    let known = old("a").with(|gap| gap.findings = "old news".to_owned());
    let mut world = World::new(vec![known]);
    begin(&mut world, &["a"], ResearchLimits::default());
    let (attempt, _) = start(&mut world).unwrap();
    let events = end(&mut world, attempt, outcome(Outcome::FullReport, Some("news")));
    let superseded = events.iter().find_map(|event| match event {
        LedgerEvent::GapVerified { superseded, .. } => superseded.clone(),
        _ => None,
    });
    assert_eq!(superseded.unwrap().findings, "old news");
    let found = world.find("a");
    assert_eq!(
        (found.status, found.findings.as_str(), found.last_verified),
        (GapStatus::Verified, "news", Some(NOW))
    );
    world.work(false);
    assert_eq!(
        world.lines(),
        [
            "a: verified -> stale (TTL expired: 45 days > 30 day limit)",
            "a: stale -> verified (Research completed: full_report)"
        ]
    );
}

#[test]
fn an_edit_by_hand_is_adopted_and_its_flips_are_logged() {
    let mut world = World::new(vec![gap("a"), gap("b")]);
    world.file[0].status = GapStatus::Blocked;
    world.file.remove(1);
    world.file.push(gap("c"));
    world.look();
    assert_eq!(world.state.gaps, world.file);
    world.work(false);
    assert_eq!(world.lines(), ["a: unknown -> blocked (Edited by hand)"]);
    let before = world.state.clone();
    world.look();
    assert_eq!(world.state, before, "what was seen is not seen again");
}

#[test]
fn a_wish_made_after_an_edit_was_adopted_is_not_overruled_by_it() {
    let mut world = World::new(vec![gap("a")]);
    world.run(Command::Check { gap: "a".to_owned() }).unwrap();
    world.file[0].priority = 5;
    world.look();
    world
        .run(Command::Edit {
            gap: Box::new(world.find("a").with(|gap| gap.priority = 1)),
            reason: String::new(),
        })
        .unwrap();
    world.work(false);
    assert_eq!((world.file[0].priority, world.file[0].last_checked), (1, Some(NOW)));
}

#[test]
fn a_write_that_a_crash_left_unrecorded_is_not_taken_for_an_edit() {
    let mut world = World::new(vec![gap("a")]);
    world.run(Command::Check { gap: "a".to_owned() }).unwrap();
    world.work(true);
    let (digest, gaps) = (world.digest(), world.file.clone());
    let events = world.run(Command::Adopt { digest: digest.clone(), gaps }).unwrap();
    assert_eq!(events, [LedgerEvent::FileWritten { digest }]);
    assert_eq!(world.state.effects(), vec![]);
}

#[test]
fn a_flip_can_be_undone_and_done_again() {
    let mut world = World::new(vec![gap("a")]);
    let undo = || Command::Undo { gap: "a".to_owned() };
    assert_eq!(world.run(undo()), Err(Rejection::NothingToUndo("a".to_owned())));
    world.run(Command::Verify { gap: "a".to_owned(), finding: None, reason: "Seen".to_owned() }).unwrap();
    let verified = world.find("a");
    world.run(undo()).unwrap();
    assert_eq!(world.find("a"), gap("a"));
    world.run(undo()).unwrap();
    assert_eq!(world.find("a"), verified);
}

#[test]
fn an_undone_flip_puts_back_what_was_known_before_it() {
    let known = old("a").with(|gap| gap.findings = "Nine.".to_owned());
    let mut world = World::new(vec![known.clone()]);
    let find = |text: &str| {
        let finding = Some((text.to_owned(), vec![]));
        Command::Verify { gap: "a".to_owned(), finding, reason: "Seen".to_owned() }
    };
    world.run(find("Ten.")).unwrap();
    world.run(Command::Undo { gap: "a".to_owned() }).unwrap();
    assert_eq!(world.find("a"), known.with(|gap| gap.status = GapStatus::Stale));
}

#[test]
fn what_came_after_a_flip_outlives_its_undoing() {
    let known = old("a").with(|gap| gap.findings = "Nine.".to_owned());
    let mut world = World::new(vec![known.clone()]);
    let find = |text: &str| {
        let finding = Some((text.to_owned(), vec![]));
        Command::Verify { gap: "a".to_owned(), finding, reason: "Seen".to_owned() }
    };
    // Nobody decides anything before what is open is done.
    for text in ["Ten.", "Eleven."] {
        world.now = world.now.plus_millis(DAY_MS);
        world.run(find(text)).unwrap();
        world.work(false);
    }
    let found = world.find("a");
    world.run(Command::Undo { gap: "a".to_owned() }).unwrap();
    world.work(false);
    let expected = known.with(|gap| {
        gap.status = GapStatus::Stale;
        gap.last_checked = Some(world.now);
        gap.findings = "Eleven.".to_owned();
    });
    assert_eq!(world.find("a"), expected);
    world.run(Command::Undo { gap: "a".to_owned() }).unwrap();
    assert_eq!(world.find("a"), found);
}

#[test]
fn a_flip_by_hand_is_undone_with_the_times_that_came_with_it() {
    let mut world = World::new(vec![gap("a")]);
    world.file = vec![mark_verified(&gap("a"), NOW).with(|gap| gap.priority = 5)];
    world.look();
    world.run(Command::Undo { gap: "a".to_owned() }).unwrap();
    assert_eq!(world.find("a"), gap("a").with(|gap| gap.priority = 5));
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let mut world = World::new(vec![gap("a"), gap("b").with(|gap| gap.blocks = vec!["a".to_owned()])]);
    let before = world.state.clone();
    for command in [
        Command::Add(Box::new(gap("a"))),
        Command::Remove { gap: "a".to_owned() },
        Command::Edit { gap: Box::new(gap("a").with(|gap| gap.priority = 9)), reason: String::new() },
        Command::Check { gap: "nowhere".to_owned() },
    ] {
        world.run(command).unwrap_err();
    }
    assert_eq!(world.state, before);
}

#[test]
fn a_large_file_is_adopted_in_parts() {
    let gaps: Vec<Gap> = (0..1_200).map(|number| gap(&format!("g{number:04}"))).collect();
    let mut world = World::new(Vec::new());
    world.file = gaps.clone();
    let digest = world.digest();
    let adopt = Command::Adopt { digest: "of the file".to_owned(), gaps };
    let events = decide(&world.state, adopt, NOW).unwrap();
    let bytes = |event: &LedgerEvent| event.encode().data.len();
    let largest = events.iter().map(bytes).max().unwrap();
    assert!(largest <= INLINE_PAYLOAD_BYTES_MAX, "{largest} bytes: the journal holds an event itself");
    assert!(events.len() < 15, "{} events", events.len());
    world.look();
    assert_eq!((world.state.gaps.len(), world.state.digest), (1_200, Some(digest)));
}

fn begin(world: &mut World, gaps: &[&str], limits: ResearchLimits) {
    let gaps = gaps.iter().map(|gap| (*gap).to_owned()).collect();
    world.run(Command::Research { gaps, forced: false, limits, before: Spent::default() }).unwrap();
}

fn start(world: &mut World) -> Option<(u32, String)> {
    let command = Command::StartAttempt { host: "h".to_owned(), boot: "b".to_owned() };
    let events = world.run(command).unwrap();
    events.into_iter().find_map(|event| match event {
        LedgerEvent::ResearchAttemptStarted { open } => Some((open.attempt, open.gap.id.clone())),
        _ => None,
    })
}

fn end(world: &mut World, attempt: u32, found: Found) -> Vec<LedgerEvent> {
    let used = Used { tokens: Some(100), microusd: None, working_ms: 1 };
    world.run(Command::EndAttempt { attempt, found, used }).unwrap()
}

fn outcome(outcome: Outcome, findings: Option<&str>) -> Found {
    Found::Outcome { outcome, finding: findings.map(|text| (text.to_owned(), vec![])) }
}

#[test]
fn a_batch_gives_every_gap_its_turn_whatever_becomes_of_the_others() {
    let mut world = World::new(vec![gap("a"), gap("b"), old("c"), gap("d")]);
    begin(&mut world, &["a", "b", "c"], ResearchLimits::default());
    let again = Command::Research {
        gaps: vec!["d".to_owned()],
        forced: false,
        limits: ResearchLimits::default(),
        before: Spent::default(),
    };
    assert_eq!(world.run(again), Err(Rejection::ResearchUnderWay));
    let (attempt, id) = start(&mut world).unwrap();
    assert_eq!((attempt, id.as_str()), (1, "a"));
    end(&mut world, 1, Found::Failed("no".to_owned()));
    assert_eq!((world.find("a"), world.state.rests["a"].count), (gap("a"), 1));
    assert_eq!(start(&mut world).unwrap(), (2, "b".to_owned()));
    end(&mut world, 2, outcome(Outcome::InsufficientData, None));
    assert_eq!(world.find("b"), gap("b"));
    assert_eq!(start(&mut world).unwrap(), (3, "c".to_owned()));
    end(&mut world, 3, outcome(Outcome::FullReport, Some("news")));
    assert_eq!((world.find("c").status, world.find("c").findings.as_str()), (GapStatus::Verified, "news"));
    assert_eq!(start(&mut world), None);
    assert_eq!(world.state.research, None);
}

#[test]
fn a_lost_attempt_has_another_turn_under_another_number_but_not_for_ever() {
    let mut world = World::new(vec![gap("a")]);
    begin(&mut world, &["a"], ResearchLimits::default());
    for attempt in 1..=4 {
        assert_eq!(start(&mut world), Some((attempt, "a".to_owned())));
        end(&mut world, attempt, Found::Lost("killed".to_owned()));
    }
    assert_eq!(start(&mut world), None, "the fourth counts as failed");
    assert_eq!(world.state.rests["a"].count, 1);
}

#[test]
fn what_was_spent_ends_a_batch() {
    let mut world = World::new(vec![gap("a"), gap("b"), gap("c")]);
    let limits = ResearchLimits { tokens: Some(150), ..ResearchLimits::default() };
    begin(&mut world, &["a", "b", "c"], limits);
    for attempt in 1..=2 {
        start(&mut world).unwrap();
        end(&mut world, attempt, outcome(Outcome::NoNewFindings, None));
    }
    let spent = world.state.research.as_ref().unwrap().spent;
    assert_eq!((spent.tokens, spent.cost_unknown), (200, 2));
    assert_eq!(start(&mut world), None);
    assert_eq!(world.state.research, None);
}

#[test]
fn a_gap_that_was_verified_meanwhile_is_skipped_and_one_that_was_edited_is_left_alone() {
    let mut world = World::new(vec![gap("a"), gap("b")]);
    begin(&mut world, &["a", "b"], ResearchLimits::default());
    world.run(Command::Verify { gap: "a".to_owned(), finding: None, reason: "Seen".to_owned() }).unwrap();
    assert_eq!(start(&mut world).unwrap().1, "b");
    let edited = gap("b").with(|gap| gap.findings = "mine".to_owned());
    world.run(Command::Edit { gap: Box::new(edited.clone()), reason: String::new() }).unwrap();
    end(&mut world, 1, outcome(Outcome::FullReport, Some("theirs")));
    assert_eq!(world.find("b"), edited);
}

/// How long the gap rests after it was looked into with this result, again and again.
fn pauses(found: &Found, times: usize) -> Vec<u64> {
    let mut world = World::new(vec![gap("a")]);
    let mut pauses = Vec::new();
    for _ in 0..times {
        let gaps = vec!["a".to_owned()];
        let limits = ResearchLimits::default();
        world.run(Command::Research { gaps, forced: true, limits, before: Spent::default() }).unwrap();
        let (attempt, _) = start(&mut world).unwrap();
        end(&mut world, attempt, found.clone());
        assert_eq!(start(&mut world), None);
        let until = world.state.rests["a"].until;
        pauses.push(until.millis_since(world.now));
        world.now = until;
    }
    pauses
}

#[test]
fn a_gap_that_was_looked_into_rests_whatever_came_of_it() {
    let first = [600_000, 1_200_000, 2_400_000];
    let failed = pauses(&Found::Failed("no".to_owned()), 9);
    assert_eq!((&failed[..3], failed[8]), (&first[..], DAY_MS));
    assert_eq!(pauses(&outcome(Outcome::InsufficientData, None), 3), first);
    let answered = outcome(Outcome::FullReport, Some("news"));
    assert_eq!(pauses(&answered, 4), [0, 600_000, 1_200_000, 2_400_000], "an answer that does not hold");
}

#[test]
fn what_a_watcher_has_spent_counts_over_all_its_batches() {
    let mut world = World::new(vec![gap("a")]);
    let limits = ResearchLimits { tokens: Some(150), ..ResearchLimits::default() };
    let mut before = Spent::default();
    for (attempt, is_over) in [(1, false), (2, true)] {
        let gaps = vec!["a".to_owned()];
        world.run(Command::Research { gaps, forced: true, limits, before }).unwrap();
        assert_eq!(start(&mut world).unwrap().0, attempt);
        end(&mut world, attempt, outcome(Outcome::InsufficientData, None));
        let research = world.state.research.clone().unwrap();
        assert_eq!(research.reached().is_some(), is_over);
        before = research.total();
        start(&mut world);
    }
    assert_eq!((before.tokens, before.cost_unknown), (200, 2));
}

#[derive(Clone, Debug)]
enum Step {
    Command(u8, Index),
    Hand(u8, Index),
    Work,
    CrashAtWork,
    Wait(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0..7_u8, any::<Index>()).prop_map(|(what, which)| Step::Command(what, which)),
        3 => (0..4_u8, any::<Index>()).prop_map(|(what, which)| Step::Hand(what, which)),
        3 => Just(Step::Work),
        2 => Just(Step::CrashAtWork),
        2 => select(vec![1, DAY_MS, 40 * DAY_MS]).prop_map(Step::Wait),
    ];
    proptest::collection::vec(step, 1..40)
}

fn command(what: u8, gap: Gap) -> Command {
    let id = gap.id.clone();
    match what {
        0 => Command::Check { gap: id },
        1 => Command::Verify {
            gap: id,
            finding: Some(("found".to_owned(), vec![])),
            reason: "Seen".to_owned(),
        },
        2 => Command::Edit {
            gap: Box::new(gap.with(|new| new.priority = 1 + gap.priority % 5)),
            reason: "Set".to_owned(),
        },
        3 => Command::FlipDue { observed: Default::default() },
        4 => Command::Undo { gap: id },
        5 => Command::Remove { gap: id },
        _ => Command::Add(Box::new(Gap::new(format!("{id}x"), "new"))),
    }
}

fn by_id(mut gaps: Vec<Gap>) -> Vec<Gap> {
    gaps.sort_by(|a, b| a.id.cmp(&b.id));
    gaps
}

proptest! {
    #[test]
    fn file_and_log_follow_whatever_happens(steps in steps()) {
        let mut world = World::new(vec![old("a"), gap("b"), gap("c")]);
        for step in steps {
            match step {
                Step::Command(what, which) => {
                    world.look();
                    if !world.state.gaps.is_empty() {
                        let gap = world.state.gaps[which.index(world.state.gaps.len())].clone();
                        // A command that does not fit is refused and changes nothing.
                        let _ = world.run(command(what, gap));
                    }
                }
                Step::Hand(what, which) if !world.file.is_empty() => {
                    let place = which.index(world.file.len());
                    match what {
                        0 => world.file[place].findings.push('!'),
                        1 => drop(world.file.remove(place)),
                        2 => world.file[place] = mark_verified(&world.file[place], world.now),
                        _ => world.file.push(Gap::new(format!("hand{}", world.file.len()), "hand")),
                    }
                    let unique: std::collections::HashSet<String> = world.file.iter().map(|gap| gap.id.clone()).collect();
                    if unique.len() != world.file.len() {
                        world.file.pop();
                    }
                    let edited = world.file.clone();
                    let base = world.state.base();
                    world.look();
                    for theirs in &edited {
                        let before = base.iter().find(|gap| gap.id == theirs.id);
                        if before.is_none_or(|before| before.findings != theirs.findings) {
                            let kept = world.state.find(&theirs.id);
                            prop_assert_eq!(kept.map(|gap| &gap.findings), Some(&theirs.findings), "a hand's words stand");
                        }
                    }
                }
                Step::Hand(..) => {}
                Step::Work => world.work(false),
                Step::CrashAtWork => world.work(true),
                Step::Wait(millis) => world.now = world.now.plus_millis(millis),
            }
            prop_assert_eq!(&world.flips[..world.log.len().min(world.flips.len())], &world.log[..], "in order, none twice");
        }
        world.look();
        world.work(false);
        prop_assert_eq!(&world.log, &world.flips, "every flip is logged once");
        prop_assert_eq!(by_id(world.file.clone()), by_id(world.state.gaps.clone()));
        prop_assert_eq!(world.state.effects(), vec![]);
    }
}
