//! The scheduler: picks who acts next, lets things go wrong, and at the end lets them go right.
//!
//! Everything runs in one thread from one seed. A tick is one small step of one process.

use piton_model::{RunId, Seq, State, Status, Timestamp};
use piton_store::{Append, Claim, Expect};

use crate::coverage::{Coverage, FATES, Fate};
use crate::driver::{After, Driver, END_FIRST, Phase, RACING, SETTLE, TAKE_OVER, USUAL};
use crate::history::{Entry, History};
use crate::machine::{Machine, Step};
use crate::people::{self, Sender, Shown};
use crate::rng::{Mix, Rng};
use crate::scenario::{Plant, Scenario};
use crate::store::{Journal, digest_of};

/// After faults end, a run must rest within this many steps.
const LIVENESS_TICKS: u64 = 40_000;

/// What is rare meets faults more often, so that every fault meets every site.
const RARE: [(&str, u64); 14] = [
    ("run_created", 4),
    ("snapshot_taken", 4),
    ("attempt_abandoned", 6),
    ("attempt_lost", 6),
    ("question_closed", 12),
    ("answer_refused", 4),
    ("run_paused", 16),
    ("run_resumed", 4),
    ("run_stopped", 4),
    ("skip_requested", 3),
    ("pause_requested", 3),
    ("run_completed", 12),
    ("run_failed", 12),
    ("checkpoint_taken", 8),
];

/// The world of one run.
pub(crate) struct Sim {
    pub(crate) run: RunId,
    pub(crate) rng: Rng,
    pub(crate) scenario: Scenario,
    pub(crate) plant: Option<Plant>,
    pub(crate) machine: Machine,
    pub(crate) journal: Journal,
    pub(crate) log: Vec<Entry>,
    pub(crate) tick: u64,
    /// Faults may happen.
    pub(crate) chaos: bool,
    /// The process that has the work tree to itself.
    pub(crate) workspace: Option<u32>,
    pub(crate) shown: Shown,
    coverage: Coverage,
    faults: u32,
    drivers: Vec<Box<Driver>>,
    senders: Vec<Sender>,
    next_pid: u32,
    elapsed_ms: i64,
    skew_ms: i64,
    rest_head: Option<Seq>,
    completed: bool,
    trace: Mix,
    lines: Option<Vec<String>>,
}

/// What one simulation left.
pub(crate) struct Ran {
    pub(crate) history: History,
    pub(crate) coverage: Coverage,
    pub(crate) faults: u32,
    /// Digest of every step and of every byte of the journal.
    pub(crate) digest: u64,
    pub(crate) lines: Vec<String>,
}

/// Runs one seed. Without `for_checker` only its digest is of interest.
pub(crate) fn run(seed: u64, plant: Option<Plant>, for_checker: bool, with_lines: bool) -> Ran {
    let mut sim = Sim::new(seed, plant, with_lines);
    sim.chaos();
    sim.heal();
    sim.finish(for_checker)
}

impl Sim {
    fn new(seed: u64, plant: Option<Plant>, with_lines: bool) -> Self {
        let mut rng = Rng::new(seed);
        let scenario = Scenario::new(&mut rng);
        let run: RunId = format!("sim-{seed:08x}").parse().expect("a run id");
        let mut journal = Journal::new(run.clone());
        journal.ignores_epochs = plant == Some(Plant::MissingEpochCheck);
        Self {
            run,
            rng,
            scenario,
            plant,
            machine: Machine::new(plant),
            journal,
            log: Vec::with_capacity(2_048),
            tick: 0,
            chaos: true,
            workspace: None,
            shown: Shown::nothing(),
            coverage: Coverage::new(),
            faults: 0,
            drivers: Vec::new(),
            senders: Vec::new(),
            next_pid: 0,
            elapsed_ms: 1_771_157_000_000,
            skew_ms: 0,
            rest_head: None,
            completed: false,
            trace: Mix::new(),
            lines: with_lines.then(Vec::new),
        }
    }

    /// The wall clock, which may jump.
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.elapsed_ms + self.skew_ms)
    }

    /// A line of the trace, made only if somebody wants to read it.
    pub(crate) fn line(&mut self, text: impl FnOnce() -> String) {
        let tick = self.tick;
        if let Some(lines) = &mut self.lines {
            lines.push(format!("{tick:>6} {}", text()));
        }
    }

    fn chaos(&mut self) {
        while self.journal.head() == 0 {
            if self.senders.is_empty() {
                let creator = Sender::creator(self);
                self.senders.push(creator);
            }
            self.pass_time();
            self.step_sender(0);
        }
        while self.tick < self.scenario.chaos_ticks && !self.completed {
            self.pass_time();
            self.act();
        }
    }

    fn heal(&mut self) {
        self.chaos = false;
        self.log.push(Entry::Healed);
        self.line(|| "faults end".to_owned());
        for driver in &mut self.drivers {
            driver.frozen_until = 0;
        }
        let last = self.tick + LIVENESS_TICKS;
        while self.tick < last {
            let quiet = self.drivers.is_empty() && self.senders.is_empty() && self.machine.keepers.is_empty();
            if quiet && self.rest_head == Some(self.journal.head()) {
                self.log.push(Entry::Rested);
                return;
            }
            self.pass_time();
            self.act();
        }
    }

    fn finish(mut self, for_checker: bool) -> Ran {
        let mut digest = self.trace;
        digest.add_bytes(&self.journal.head_hash());
        digest.add(self.log.len() as u64);
        let heads: Vec<Seq> = self
            .log
            .iter()
            .filter_map(|entry| match entry {
                Entry::Folded { head, digest: state } => {
                    digest.add(*state);
                    Some(*head)
                }
                _ => None,
            })
            .collect();
        let mut history = History { run: self.run.to_string(), log: Vec::new(), events: Vec::new() };
        if for_checker {
            for (head, digest) in self.journal.fold_from_start(&heads) {
                self.log.push(Entry::Folded { head, digest });
            }
            history.events = self.journal.raw();
            history.log = self.log;
        }
        let lines = self.lines.unwrap_or_default();
        Ran { history, coverage: self.coverage, faults: self.faults, digest: digest.0, lines }
    }

    fn pass_time(&mut self) {
        self.tick += 1;
        self.elapsed_ms += 150;
        self.trace.add(self.rng.next());
    }

    /// One small step of somebody.
    fn act(&mut self) {
        let drivers = self.drivers.len() as u64;
        let keepers = self.machine.keepers.len() as u64;
        let senders = self.senders.len() as u64;
        let choice = self.rng.below((drivers + keepers + senders) * 6 + 1);
        let actor = choice / 6;
        if actor < drivers {
            self.step_driver(actor as usize);
        } else if actor < drivers + keepers {
            self.step_keeper((actor - drivers) as usize);
        } else if actor < drivers + keepers + senders {
            self.step_sender((actor - drivers - keepers) as usize);
        } else {
            self.supervise();
        }
        if self.chaos {
            self.disturb();
        }
    }

    fn step_driver(&mut self, index: usize) {
        if self.drivers[index].frozen_until > self.tick {
            return;
        }
        let mut driver = self.drivers.remove(index);
        if driver.step(self) == After::Lives {
            self.skip_sleep(&driver);
            self.drivers.push(driver);
        } else {
            self.bury(driver);
        }
    }

    /// A driver that only waits for a moment, with nothing else going on, gets there at once.
    fn skip_sleep(&mut self, driver: &Driver) {
        let alone = self.drivers.is_empty() && self.machine.keepers.is_empty() && self.senders.is_empty();
        if let Some(until) = driver.sleeps_until().filter(|_| alone) {
            let left = until.millis_since(self.now()) as i64;
            self.elapsed_ms += if self.chaos { left / 4 } else { left };
        }
    }

    /// The process is gone; whatever locks it held are free.
    fn bury(&mut self, driver: Box<Driver>) {
        let pid = driver.pid;
        self.line(|| format!("process {pid} ends"));
        if self.workspace == Some(pid) {
            self.workspace = None;
        }
    }

    fn step_keeper(&mut self, index: usize) {
        if self.chaos && self.machine.keepers[index].stalled_until > self.tick {
            return;
        }
        if self.chaos && self.machine.keepers[index].step == Step::Preparing && self.rng.one_in(60) {
            // Its first moments are the ones that matter: nobody can see it yet.
            self.fault("keeper_stalled");
            self.machine.keepers[index].stalled_until = self.tick + self.rng.between(30, 200);
            return;
        }
        if self.chaos && self.machine.keepers[index].step == Step::TreeEmpty && self.rng.one_in(80) {
            // `exit.json` does not fit; the keeper holds its lock and tries again.
            self.fault("keeper_no_space");
            return;
        }
        if self.lines.is_some() {
            let keeper = &self.machine.keepers[index];
            let text = format!("keeper {} of {:?} was {:?}", keeper.id, keeper.name, keeper.step);
            self.line(|| text);
        }
        self.machine.step(index, &self.scenario, &mut self.rng, &mut self.log);
    }

    fn step_sender(&mut self, index: usize) {
        let mut sender = self.senders.remove(index);
        if sender.step(self) == After::Lives {
            self.senders.push(sender);
        }
    }

    /// Starts a driver where one is wanted; people come by.
    fn supervise(&mut self) {
        let driven = self.drivers.iter().any(|driver| !driver.settles());
        if !driven && self.rest_head != Some(self.journal.head()) && (!self.chaos || self.rng.percent(60)) {
            let racing = self.chaos && self.rng.one_in(6);
            self.start(if racing { RACING } else { USUAL });
            if racing {
                let also = if self.rng.one_in(2) { RACING } else { USUAL };
                self.start(also);
            }
        }
        if self.chaos && self.senders.len() < 3 {
            let eager = self.shown.waits_for_people();
            if self.rng.one_in(if eager { 4 } else { 14 }) {
                let sender = Sender::new(self);
                self.senders.push(sender);
            }
        }
    }

    fn start(&mut self, phases: &'static [Phase]) {
        if self.drivers.len() >= 4 {
            return;
        }
        self.next_pid += 1;
        let pid = self.next_pid;
        self.line(|| format!("process {pid} starts with {:?}", phases[0]));
        self.drivers.push(Box::new(Driver::new(pid, phases)));
    }

    /// Whoever sent a request settles it, where nobody drives.
    pub(crate) fn start_settler(&mut self) {
        self.start(SETTLE);
    }

    /// Another driver takes the lease this very moment.
    pub(crate) fn take_over_now(&mut self) {
        self.next_pid += 1;
        let mut driver = Driver::new(self.next_pid, &TAKE_OVER[1..]);
        if let Ok(lease) = self.journal.claim(driver.pid, Claim::TakeOver, &mut self.log) {
            let pid = driver.pid;
            self.line(|| format!("process {pid} takes over with epoch {}", lease.epoch));
            driver.lease = Some(lease);
            self.drivers.push(Box::new(driver));
        }
    }

    /// Ends the process that has the work tree, unless that is `me`.
    pub(crate) fn end_holder_of_workspace(&mut self, me: u32) {
        let Some(index) =
            self.drivers.iter().position(|driver| Some(driver.pid) == self.workspace && driver.pid != me)
        else {
            return;
        };
        let driver = self.drivers.remove(index);
        self.bury(driver);
    }

    /// A request lands before an append that is in flight.
    pub(crate) fn overtake(&mut self) {
        let append = people::note(self);
        let _ = self.journal.append(append, &mut self.log);
    }

    /// Whether the store would take this append as it stands.
    pub(crate) fn fits(&self, append: &Append) -> bool {
        append.expect == Expect::Seq(self.journal.head())
    }

    /// What happens to an append of these events.
    pub(crate) fn draw_fate(&mut self, kinds: &[u8]) -> Option<Fate> {
        if !self.chaos {
            return None;
        }
        let weight_of = |kind: &u8| {
            RARE.iter()
                .find(|(rare, _)| *rare == piton_model::KINDS[usize::from(*kind)])
                .map_or(1, |rare| rare.1)
        };
        let weight = kinds.iter().map(weight_of).max().unwrap_or(1);
        let percent = (self.scenario.append_faults_percent * weight).min(60);
        let drawn = self.rng.percent(percent);
        drawn.then(|| FATES[self.rng.below(FATES.len() as u64) as usize].0)
    }

    pub(crate) fn append_fault(&mut self, fate: Fate, kinds: &[u8]) {
        self.faults += 1;
        self.coverage.hit(fate, kinds);
        let first = piton_model::KINDS[usize::from(kinds[0])];
        self.line(|| format!("FAULT {fate:?} at {first}"));
    }

    pub(crate) fn fault(&mut self, what: &'static str) {
        self.faults += 1;
        self.coverage.death(what);
        self.line(|| format!("FAULT {what}"));
    }

    /// A view is written.
    pub(crate) fn publish(&mut self, state: &State, head: Seq) {
        self.shown = Shown::of(state);
        let counters = &state.counters;
        self.log.push(Entry::View {
            shown: head,
            iterations: counters.iterations,
            cost: counters.cost_microusd,
            lost: counters.lost,
        });
    }

    pub(crate) fn folded(&mut self, head: Seq, state: &State) {
        self.log.push(Entry::Folded { head, digest: digest_of(state) });
    }

    pub(crate) fn rested(&mut self, head: Seq, state: &State) {
        self.rest_head = Some(head);
        self.completed |= state.status == Status::Completed;
        let status = state.status;
        self.line(|| format!("the run rests: {status:?} at event {head}"));
    }

    pub(crate) fn jump_clock(&mut self) {
        let size = match self.rng.below(4) {
            0 => self.rng.below(2_000),
            1 => self.rng.below(60_000),
            2 => self.rng.below(86_400_000),
            _ => self.rng.below(10 * 365 * 86_400_000),
        } as i64;
        // Not back beyond where the simulation began.
        let back = self.rng.one_in(2);
        self.skew_ms = if back {
            (self.skew_ms - size).max(-86_400_000)
        } else {
            (self.skew_ms + size).min(400_000_000_000)
        };
    }

    /// A process dies, a machine does, or a clock jumps.
    fn disturb(&mut self) {
        self.wander();
        if !self.rng.one_in(self.scenario.chaos_every) {
            return;
        }
        match self.rng.below(16) {
            0..4 => self.kill_a_driver(),
            4..8 if !self.machine.keepers.is_empty() => self.kill_a_keeper(),
            8..10 if !self.machine.processes.is_empty() => {
                let index = self.rng.below(self.machine.processes.len() as u64) as usize;
                self.fault("agent_killed");
                self.machine.kill_process(index, &mut self.log);
            }
            10 | 11 => self.freeze_a_driver(),
            12 => {
                self.fault("clock_jump");
                self.jump_clock();
            }
            13 => self.machine.write_tree(&mut self.rng),
            14 if self.rng.one_in(3) => self.reboot(),
            15 => self.stall_a_keeper(),
            _ => {}
        }
    }

    /// What lost its keeper goes on for a while.
    fn wander(&mut self) {
        let Some(name) = self.machine.processes.first().copied() else { return };
        if self.machine.keepers.iter().any(|keeper| keeper.name == name) {
            return;
        }
        match self.rng.below(40) {
            0 => self.machine.kill_process(0, &mut self.log),
            1 => self.machine.write_tree(&mut self.rng),
            _ => {}
        }
    }

    fn kill_a_driver(&mut self) {
        if self.drivers.is_empty() {
            return;
        }
        let index = self.rng.below(self.drivers.len() as u64) as usize;
        let driver = self.drivers.remove(index);
        self.fault(driver.place_of_death());
        self.bury(driver);
        if self.rng.one_in(2) {
            // What kills a driver often starves what it started, too.
            self.stall_a_keeper();
        }
    }

    fn kill_a_keeper(&mut self) {
        let index = self.rng.below(self.machine.keepers.len() as u64) as usize;
        let step = self.machine.kill_keeper(index);
        self.fault(match step {
            Step::Preparing => "keeper_killed_preparing",
            Step::PublishedUnlocked | Step::Published => "keeper_killed_published",
            Step::Spawned => "keeper_killed_spawned",
            Step::Running => "keeper_killed_running",
            Step::TreeEmpty => "keeper_killed_tree_empty",
            Step::ExitWritten => "keeper_killed_exit_written",
        });
    }

    /// Another process gets the processor for a while; whoever launched the keeper may die meanwhile.
    fn stall_a_keeper(&mut self) {
        let Some(keeper) = self.machine.keepers.first_mut() else { return };
        keeper.stalled_until = self.tick + self.rng.between(30, 300);
        self.fault("keeper_stalled");
    }

    fn freeze_a_driver(&mut self) {
        if self.drivers.is_empty() {
            return;
        }
        let index = self.rng.below(self.drivers.len() as u64) as usize;
        self.fault("driver_frozen");
        self.drivers[index].frozen_until = self.tick + self.rng.between(30, 300);
        if self.rng.percent(60) {
            let phases = if self.rng.one_in(2) { TAKE_OVER } else { END_FIRST };
            self.start(phases);
        }
    }

    fn reboot(&mut self) {
        self.fault("reboot");
        while let Some(driver) = self.drivers.pop() {
            self.bury(driver);
        }
        self.senders.clear();
        self.machine.reboot(&mut self.log);
    }
}
