//! The scheduler: picks who acts next, lets things go wrong, and at the end lets them go right.
//!
//! Everything runs in one thread from one seed. A tick is one small step of one process.

use piton_model::{Kind, Machine, RunEvent, RunId, Seq, Status, Timestamp};
use piton_store::{Append, Expect, Fence};

use crate::coverage::{Coverage, Fate, fates_of};
use crate::cycles::Cycles;
use crate::driver::{After, Driven};
use crate::history::{Entry, History, Name};
use crate::host::{Host, Step};
use crate::kind::{EventOf, Process, Simulated, types_of};
use crate::ledgers::Ledgers;
use crate::loops::Loops;
use crate::people::Sender;
use crate::rng::{Mix, Rng};
use crate::scenario::{Plant, Scenario};
use crate::store::{Journal, digest_of};
use crate::supervise::Around;
use crate::workflows::Workflows;

/// After faults end, a run must rest within this many steps.
const LIVENESS_TICKS: u64 = 40_000;

/// A lock that dies with its holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lock {
    /// The work tree of a driver.
    Workspace,
    /// The files of a ledger.
    Ledger,
    /// The right to research.
    Turn,
}

/// The world of one run.
pub(crate) struct Sim<K: Simulated> {
    pub(crate) run: RunId,
    pub(crate) rng: Rng,
    pub(crate) scenario: Scenario,
    pub(crate) scene: K::Scene,
    pub(crate) plant: Option<Plant>,
    pub(crate) host: Host<K>,
    pub(crate) journal: Journal<K::Run>,
    pub(crate) log: Vec<Entry>,
    pub(crate) tick: u64,
    /// Faults may happen.
    pub(crate) chaos: bool,
    pub(crate) drivers: Vec<Box<K::Process>>,
    pub(crate) senders: Vec<Sender>,
    /// The event that the run last came to rest at.
    pub(crate) rest_head: Option<Seq>,
    locks: Vec<(Lock, u32)>,
    coverage: Coverage,
    faults: u32,
    pids: u32,
    elapsed_ms: i64,
    skew_ms: i64,
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
pub(crate) fn run(seed: u64, kind: Kind, plant: Option<Plant>, for_checker: bool, with_lines: bool) -> Ran {
    match kind {
        Kind::Loop => Sim::<Loops>::new(seed, plant, with_lines).run(for_checker),
        Kind::Workflow => Sim::<Workflows>::new(seed, plant, with_lines).run(for_checker),
        Kind::Cycle => Sim::<Cycles>::new(seed, plant, with_lines).run(for_checker),
        Kind::Ledger => Sim::<Ledgers>::new(seed, plant, with_lines).run(for_checker),
    }
}

impl<K: Simulated> Sim<K> {
    fn new(seed: u64, plant: Option<Plant>, with_lines: bool) -> Self {
        let mut rng = Rng::new(seed);
        let scenario = Scenario::new(&mut rng);
        let run: RunId = format!("sim-{seed:08x}").parse().expect("a run id");
        let mut journal = Journal::new(run.clone());
        journal.ignores_epochs = plant == Some(Plant::MissingEpochCheck);
        Self {
            run,
            scene: K::scene(&mut rng),
            rng,
            scenario,
            plant,
            host: Host::new(plant),
            journal,
            log: Vec::with_capacity(2_048),
            tick: 0,
            chaos: true,
            drivers: Vec::new(),
            senders: Vec::new(),
            rest_head: None,
            locks: Vec::new(),
            coverage: Coverage::of::<K>(),
            faults: 0,
            pids: 0,
            elapsed_ms: 1_771_157_000_000,
            skew_ms: 0,
            completed: false,
            trace: Mix::new(),
            lines: with_lines.then(Vec::new),
        }
    }

    fn run(mut self, for_checker: bool) -> Ran {
        self.chaos();
        self.heal();
        K::finish(&mut self);
        self.finish(for_checker)
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
            if self.drivers.is_empty() && self.senders.is_empty() {
                K::Process::create(self);
            }
            self.pass_time();
            self.act();
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
            *driver.frozen_until() = 0;
        }
        let last = self.tick + LIVENESS_TICKS;
        while self.tick < last {
            let quiet = self.drivers.is_empty() && self.senders.is_empty() && self.host.keepers.is_empty();
            if quiet && K::rests(self) {
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
        let kind = K::KIND.as_str();
        let mut history = History { run: self.run.to_string(), kind, log: Vec::new(), events: Vec::new() };
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
        let keepers = self.host.keepers.len() as u64;
        let senders = self.senders.len() as u64;
        let choice = self.rng.below((drivers + keepers + senders) * 6 + 1);
        let actor = choice / 6;
        if actor < drivers {
            self.step_driver(actor as usize);
        } else if actor < drivers + keepers {
            self.step_keeper((actor - drivers) as usize);
        } else if actor < drivers + keepers + senders {
            self.step_sender((actor - drivers - keepers) as usize);
        } else if self.journal.head() > 0 && !K::act(self) {
            if !self.chaos {
                K::heal(&mut self.scene);
            }
            K::Process::supervise(self);
        }
        if self.chaos && self.journal.head() > 0 {
            self.disturb();
        }
    }

    fn step_driver(&mut self, index: usize) {
        if *self.drivers[index].frozen_until() > self.tick {
            return;
        }
        let mut driver = self.drivers.remove(index);
        if driver.step(self) == After::Lives {
            self.skip_sleep(&driver);
            self.drivers.push(driver);
        } else {
            self.bury(&driver);
        }
    }

    /// A driver that only waits for a moment, with nothing else going on, gets there at once.
    fn skip_sleep(&mut self, driver: &K::Process) {
        let alone = self.drivers.is_empty() && self.host.keepers.is_empty() && self.senders.is_empty();
        if let Some(until) = driver.sleeps_until().filter(|_| alone) {
            let left = until.millis_since(self.now()) as i64;
            self.elapsed_ms += if self.chaos { left / 4 } else { left };
        }
    }

    /// The process is gone; whatever locks it held are free.
    fn bury(&mut self, driver: &K::Process) {
        let pid = driver.pid();
        self.line(|| format!("process {pid} ends"));
        self.locks.retain(|(_, holder)| *holder != pid);
    }

    pub(crate) fn holder(&self, lock: Lock) -> Option<u32> {
        self.locks.iter().find(|(held, _)| *held == lock).map(|(_, holder)| *holder)
    }

    /// Takes a lock that is free, or ours already.
    pub(crate) fn take_lock(&mut self, lock: Lock, pid: u32) {
        self.free_lock(lock, pid);
        self.locks.push((lock, pid));
    }

    pub(crate) fn free_lock(&mut self, lock: Lock, pid: u32) {
        self.locks.retain(|held| *held != (lock, pid));
    }

    /// What work of a process of this epoch acts on.
    pub(crate) fn around(&mut self, epoch: u64, superseded: bool) -> Around<'_, K> {
        let now = self.now();
        Around {
            host: &mut self.host,
            scene: &mut self.scene,
            rng: &mut self.rng,
            log: &mut self.log,
            plant: self.plant,
            epoch,
            superseded,
            now,
        }
    }

    pub(crate) fn next_pid(&mut self) -> u32 {
        self.pids += 1;
        self.pids
    }

    fn step_keeper(&mut self, index: usize) {
        if self.chaos && self.host.keepers[index].stalled_until > self.tick {
            return;
        }
        if self.chaos && self.host.keepers[index].step == Step::Preparing && self.rng.one_in(60) {
            // Its first moments are the ones that matter: nobody can see it yet.
            self.fault("keeper_stalled");
            self.host.keepers[index].stalled_until = self.tick + self.rng.between(30, 200);
            return;
        }
        if self.chaos && self.host.keepers[index].step == Step::TreeEmpty && self.rng.one_in(80) {
            // `exit.json` does not fit; the keeper holds its lock and tries again.
            self.fault("keeper_no_space");
            return;
        }
        if self.lines.is_some() {
            let keeper = &self.host.keepers[index];
            let text = format!("keeper {} of {:?} was {:?}", keeper.id, keeper.name, keeper.step);
            self.line(|| text);
        }
        self.host.step(index, &mut self.scene, &mut self.rng, &mut self.log);
    }

    fn step_sender(&mut self, index: usize) {
        let mut sender = self.senders.remove(index);
        if sender.step(self) == After::Lives {
            self.senders.push(sender);
        }
    }

    /// Ends the process that has the work tree, unless that is `me`.
    pub(crate) fn end_holder_of_workspace(&mut self, me: u32) {
        let holder = self.holder(Lock::Workspace).filter(|holder| *holder != me);
        let Some(index) = self.drivers.iter().position(|driver| Some(driver.pid()) == holder) else { return };
        let driver = self.drivers.remove(index);
        self.bury(&driver);
    }

    /// A request, as anybody may append it.
    pub(crate) fn request(&mut self, event: &EventOf<K>) -> Append {
        Append {
            run: self.run.clone(),
            fence: Fence::Request(self.rng.bytes()),
            expect: Expect::Any,
            at: self.now(),
            events: vec![event.encode()],
            entry: None,
            checkpoint: None,
            salt: self.rng.bytes(),
        }
    }

    /// A process sets out to send a request.
    pub(crate) fn send(&mut self, event: &EventOf<K>) {
        let append = self.request(event);
        let sender = Sender::new(append, false, self);
        self.senders.push(sender);
    }

    /// A request lands before an append that is in flight.
    pub(crate) fn overtake(&mut self, append: &Append) {
        let faster = match self.journal.head() {
            // Somebody else recorded a run of that name a moment before.
            0 => Append { fence: Fence::Request(self.rng.bytes()), ..append.clone() },
            _ => K::overtaking(self),
        };
        let _ = self.journal.append(faster, &mut self.log);
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
            let name = types_of::<K>()[usize::from(*kind)];
            K::RARE.iter().find(|(rare, _)| *rare == name).map_or(1, |rare| rare.1)
        };
        let weight = kinds.iter().map(weight_of).max().unwrap_or(1);
        let percent = (self.scenario.append_faults_percent * weight).min(60);
        if !self.rng.percent(percent) {
            return None;
        }
        let fates = fates_of::<K>();
        Some(fates[self.rng.below(fates.len() as u64) as usize])
    }

    pub(crate) fn append_fault(&mut self, fate: Fate, kinds: &[u8]) {
        self.faults += 1;
        self.coverage.hit(fate, kinds);
        let first = types_of::<K>()[usize::from(kinds[0])];
        self.line(|| format!("FAULT {fate:?} at {first}"));
    }

    pub(crate) fn fault(&mut self, what: &'static str) {
        self.faults += 1;
        self.coverage.death(what);
        self.line(|| format!("FAULT {what}"));
    }

    pub(crate) fn folded(&mut self, head: Seq, state: &K::Run) {
        self.log.push(Entry::Folded { head, digest: digest_of(state) });
    }

    pub(crate) fn rested(&mut self, head: Seq, state: &K::Run) {
        let piton_model::Entry { status, reason, .. } = state.entry();
        self.rest_head = Some(head);
        self.completed |= status == Status::Completed && !K::GOES_ON;
        self.line(|| format!("the run rests: {status:?} ({reason:?}) at event {head}"));
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
            4..8 if !self.host.keepers.is_empty() => self.kill_a_keeper(),
            8..10 if !self.host.processes.is_empty() => {
                let index = self.rng.below(self.host.processes.len() as u64) as usize;
                self.fault("agent_killed");
                self.host.kill_process(index, &mut self.log);
            }
            10 | 11 => self.freeze_a_driver(),
            12 => {
                self.fault("clock_jump");
                self.jump_clock();
            }
            13 => K::happen(self),
            14 if self.rng.one_in(3) => self.reboot(),
            15 => self.stall_a_keeper(),
            _ => {}
        }
    }

    /// What lost its keeper goes on for a while.
    fn wander(&mut self) {
        let kept = |name: &Name| self.host.keepers.iter().any(|keeper| keeper.name == *name);
        let Some(index) = self.host.processes.iter().position(|name| !kept(name)) else { return };
        match self.rng.below(40) {
            0 => self.host.kill_process(index, &mut self.log),
            1 => K::work(self.host.processes[index], &mut self.scene, &mut self.rng),
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
        self.bury(&driver);
        if self.rng.one_in(2) {
            // What kills a driver often starves what it started, too.
            self.stall_a_keeper();
        }
    }

    fn kill_a_keeper(&mut self) {
        let index = self.rng.below(self.host.keepers.len() as u64) as usize;
        self.kill_keeper(index);
    }

    pub(crate) fn kill_keeper(&mut self, index: usize) {
        let step = self.host.kill_keeper(index);
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
        let Some(keeper) = self.host.keepers.first_mut() else { return };
        keeper.stalled_until = self.tick + self.rng.between(30, 300);
        self.fault("keeper_stalled");
    }

    fn freeze_a_driver(&mut self) {
        if self.drivers.is_empty() {
            return;
        }
        let index = self.rng.below(self.drivers.len() as u64) as usize;
        self.fault("driver_frozen");
        *self.drivers[index].frozen_until() = self.tick + self.rng.between(30, 300);
        if self.rng.percent(60) {
            K::Process::take_over(self, false);
        }
    }

    fn reboot(&mut self) {
        self.fault("reboot");
        while let Some(driver) = self.drivers.pop() {
            self.bury(&driver);
        }
        self.senders.clear();
        self.host.reboot(&mut self.log);
    }
}

impl<K: Driven> Sim<K> {
    /// A view is written.
    pub(crate) fn publish(&mut self, state: &K::Run, head: Seq) {
        K::show(state, &mut self.scene, &mut self.log, self.plant);
        let mut view = K::view(state, head);
        if self.plant == Some(Plant::ModeShownEarly) {
            view.mode = K::early_mode(state).or(view.mode);
        }
        self.log.push(Entry::View(view));
    }
}
