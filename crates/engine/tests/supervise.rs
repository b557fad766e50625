//! Supervision, step by step, against a port that plays every part: what was published, who lives, who is told.
#![expect(clippy::unwrap_used, reason = "a test says what it saw, and fails where it cannot go on")]

use std::convert::Infallible;
use std::task::Poll;

use piton_engine::supervise::{Became, Port, Ran, Repeated, Rerun, Seen, Start, Supervision};
use piton_model::loop_machine::TreeProof;
use piton_sys::process::Emptied;

/// One machine with the directory of one attempt.
struct Played {
    seen: Seen<i32>,
    /// What the directories of the first tries say; that of any further one is not there.
    tries: Vec<Seen<i32>>,
    /// What a start comes to, and what the directory says after it.
    starts: Vec<(Poll<Start<Infallible>>, Seen<i32>)>,
    /// What the directory says once the keeper has let go.
    then: Seen<i32>,
    cancelled: bool,
    superseded: bool,
    boot: &'static str,
    acts: Vec<String>,
}

impl Default for Played {
    fn default() -> Self {
        Self {
            seen: Seen::Absent,
            tries: Vec::new(),
            starts: vec![(Poll::Ready(Start::Published), Seen::Alive)],
            then: Seen::Finished(0),
            cancelled: false,
            superseded: false,
            boot: "b",
            acts: Vec::new(),
        }
    }
}

impl Played {
    fn act(&mut self, what: &str) {
        self.acts.push(what.to_owned());
    }
}

impl Port for Played {
    type Error = &'static str;
    type Exit = i32;
    type Instead = Infallible;

    fn clear(&mut self) -> Result<(), &'static str> {
        self.act("clear");
        self.seen = Seen::Absent;
        Ok(())
    }

    fn look(&mut self) -> Result<Seen<i32>, &'static str> {
        self.act("look");
        Ok(self.seen.clone())
    }

    fn start(&mut self) -> Result<Poll<Start<Infallible>>, &'static str> {
        self.act("start");
        let (start, seen) = self.starts.remove(0);
        self.seen = seen;
        Ok(start)
    }

    fn abandon(&mut self) -> Result<bool, &'static str> {
        self.act("abandon");
        let free = self.seen == Seen::Absent;
        if free {
            self.seen = Seen::Abandoned;
        }
        Ok(free)
    }

    fn vanished(&self) -> &'static str {
        "vanished"
    }

    fn cancel(&mut self) -> Result<(), &'static str> {
        self.act("cancel");
        Ok(())
    }

    fn wait(&mut self) -> Result<Poll<()>, &'static str> {
        self.act("wait");
        self.seen = self.then.clone();
        Ok(Poll::Ready(()))
    }

    fn reap(&mut self) -> Result<Emptied, &'static str> {
        self.act("reap");
        Ok(Emptied::Proven)
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled
    }

    fn require_lease(&mut self) -> Result<(), &'static str> {
        if self.superseded { Err("superseded") } else { Ok(()) }
    }

    fn host(&self) -> String {
        "h".to_owned()
    }

    fn boot(&self) -> String {
        self.boot.to_owned()
    }
}

impl Repeated for Played {
    fn set_try(&mut self, number: u32) {
        self.act(&format!("try {number}"));
        if number > 1 || !self.tries.is_empty() {
            self.seen = self.tries.get(number as usize - 1).cloned().unwrap_or(Seen::Absent);
        }
    }

    fn was_cancelled(exit: &i32) -> bool {
        *exit == -1
    }
}

fn supervise(port: &mut Played, fresh: bool) -> Became<i32, Infallible> {
    Supervision::of_recorded("h", "b", fresh).run(port).unwrap()
}

#[test]
fn what_was_just_recorded_is_started_once_and_waited_for() {
    let mut port = Played::default();
    assert_eq!(supervise(&mut port, true), Became::Ended(0));
    assert_eq!(port.acts, ["clear", "look", "start", "look", "wait", "look"]);
}

#[test]
fn what_lies_in_the_way_of_one_that_was_just_recorded_is_not_its_own() {
    for seen in [Seen::Finished(0), Seen::Alive, Seen::Dead, Seen::Abandoned, Seen::Plundered] {
        let mut port = Played { seen, then: Seen::Finished(7), ..Played::default() };
        assert_eq!(supervise(&mut port, true), Became::Ended(7));
        assert_eq!(port.acts.iter().filter(|act| *act == "start").count(), 1, "{:?}", port.acts);
    }
}

#[test]
fn a_command_that_was_over_before_is_run_again_unless_once_is_enough() {
    let over = || Played { seen: Seen::Finished(0), then: Seen::Finished(7), ..Played::default() };
    assert_eq!(Rerun::default().run(&mut over()), Ok(Ran::Ended(7)));
    assert_eq!(Rerun::once().run(&mut over()), Ok(Ran::Ended(0)));
    // One that still runs is waited for.
    let mut port = Played { seen: Seen::Alive, ..over() };
    assert_eq!(Rerun::default().run(&mut port), Ok(Ran::Ended(7)));
    assert!(!port.acts.contains(&"start".to_owned()), "{:?}", port.acts);
}

#[test]
fn what_an_earlier_driver_recorded_is_never_started() {
    let mut port = Played::default();
    assert_eq!(supervise(&mut port, false), Became::NeverStarted);
    assert_eq!(port.acts, ["look", "abandon", "look"]);
}

#[test]
fn an_agent_that_still_works_is_found() {
    let mut port = Played { seen: Seen::Alive, ..Played::default() };
    assert_eq!(supervise(&mut port, false), Became::Ended(0));
    assert_eq!(port.acts, ["look", "wait", "look"]);
}

#[test]
fn a_directory_that_vanishes_after_the_start_does_not_start_it_again() {
    for then in [Seen::Absent, Seen::Plundered] {
        let mut port = Played { then, ..Played::default() };
        assert_eq!(Supervision::of_recorded("h", "b", true).run(&mut port), Err("vanished"));
        assert_eq!(port.acts.iter().filter(|act| *act == "start").count(), 1, "{:?}", port.acts);
    }
    // What a power cut took was not seen whole by this driver.
    let mut port = Played { seen: Seen::Plundered, boot: "later", ..Played::default() };
    assert_eq!(supervise(&mut port, false), Became::Lost(TreeProof::Rebooted));
}

#[test]
fn a_cancellation_that_came_early_is_told() {
    let mut port = Played { seen: Seen::Alive, cancelled: true, ..Played::default() };
    assert_eq!(supervise(&mut port, false), Became::Ended(0));
    assert_eq!(port.acts, ["look", "cancel", "wait", "look"]);
    let mut port = Played { cancelled: true, ..Played::default() };
    assert_eq!(supervise(&mut port, true), Became::NeverStarted, "and what has not begun does not begin");
}

#[test]
fn who_says_that_there_is_no_keeper_makes_sure_of_it() {
    let no_keeper = || Poll::Ready(Start::NoKeeper { detail: "no process".to_owned() });
    let mut port = Played { starts: vec![(no_keeper(), Seen::Absent)], ..Played::default() };
    assert_eq!(supervise(&mut port, true), Became::NoKeeper { detail: "no process".to_owned() });
    assert_eq!(port.acts, ["clear", "look", "start", "abandon"]);
    // It was only silent, and has published after all.
    let mut port = Played { starts: vec![(no_keeper(), Seen::Alive)], ..Played::default() };
    assert_eq!(supervise(&mut port, true), Became::Ended(0));
    assert_eq!(port.acts, ["clear", "look", "start", "abandon", "look", "wait", "look"]);
}

#[test]
fn what_a_killed_keeper_left_is_reaped_and_lost() {
    let mut port = Played { seen: Seen::Dead, ..Played::default() };
    assert_eq!(supervise(&mut port, false), Became::Lost(TreeProof::Proven));
    let mut port = Played { seen: Seen::Dead, boot: "later", ..Played::default() };
    assert_eq!(supervise(&mut port, false), Became::Lost(TreeProof::Rebooted));
    let mut port = Played::default();
    let elsewhere = Supervision::of_recorded("other", "b", false).run(&mut port).unwrap();
    assert_eq!(elsewhere, Became::Lost(TreeProof::Scanned), "another machine is not looked at");
    assert!(port.acts.is_empty());
}

#[test]
fn a_driver_that_was_superseded_touches_nothing() {
    for seen in [Seen::Absent, Seen::Dead, Seen::Finished(0)] {
        let mut port = Played { seen: seen.clone(), superseded: true, ..Played::default() };
        let error = Supervision::of_recorded("h", "b", false).run(&mut port).unwrap_err();
        assert_eq!((error, port.acts.as_slice()), ("superseded", &["look".to_owned()][..]), "{seen:?}");
        port.acts.clear();
        assert_eq!(Supervision::of_recorded("h", "b", true).run(&mut port), Err("superseded"));
        assert!(port.acts.is_empty(), "{seen:?}");
    }
}

#[test]
fn a_port_that_would_wait_is_asked_again_at_the_next_step() {
    let starts = vec![(Poll::Pending, Seen::Absent), (Poll::Ready(Start::Published), Seen::Alive)];
    let mut port = Played { starts, ..Played::default() };
    let mut supervision = Supervision::of_recorded("h", "b", true);
    let mut steps = 0;
    let became = loop {
        steps += 1;
        let before = port.acts.len();
        let became = supervision.step(&mut port).unwrap();
        assert!(port.acts.len() <= before + 1, "a step is one act: {:?}", port.acts);
        if let Some(became) = became {
            break became;
        }
    };
    assert_eq!((became, steps), (Became::Ended(0), 7));
}

#[test]
fn a_command_that_is_lost_is_run_again_and_given_up_in_the_end() {
    let started = || (Poll::Ready(Start::Published), Seen::Alive);
    let lives = || Played { starts: vec![started(), started(), started()], ..Played::default() };
    let mut port = Played { then: Seen::Dead, ..lives() };
    assert_eq!(Rerun::default().run(&mut port), Ok(Ran::Lost));
    assert_eq!(port.acts.iter().filter(|act| *act == "start").count(), 3);
    // Cancelled earlier, and asked for again.
    let mut port = Played { seen: Seen::Finished(-1), ..lives() };
    assert_eq!(Rerun::once().run(&mut port), Ok(Ran::Ended(0)));
    let mut port = Played { seen: Seen::Finished(-1), cancelled: true, ..lives() };
    assert_eq!(Rerun::default().run(&mut port), Ok(Ran::Cancelled));
    let tries = vec![Seen::Abandoned, Seen::Finished(-1), Seen::Alive];
    let mut port = Played { tries, cancelled: true, then: Seen::Finished(-1), ..lives() };
    assert_eq!(Rerun::default().run(&mut port), Ok(Ran::Cancelled));
    assert!(port.acts.contains(&"cancel".to_owned()), "the try that still runs is ended: {:?}", port.acts);
    let mut port = Played { cancelled: true, ..lives() };
    assert_eq!(Rerun::default().run(&mut port), Ok(Ran::Cancelled), "a tombstone keeps a late keeper out");
    assert!(port.acts.contains(&"abandon".to_owned()));
}
