//! Which faults fell where: a count per kind of fault and append site, and per step of a keeper.

use piton_model::Kind;
use serde_json::{Map, Value};

use crate::kind::{Simulated, types_of};

/// What can happen to an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Its process dies before it reaches the store.
    CrashBefore,
    /// It is durable, and its process dies before it hears of it.
    CrashAfter,
    /// The disk is full for a while: nothing is written, and the same append is tried again.
    NoSpace,
    /// It is durable, the answer is lost, and the same append is sent again.
    AnswerLost,
    /// It reaches the store twice.
    Duplicate,
    /// A final error; nothing was written.
    ErrorBefore,
    /// A final error, though it is durable.
    ErrorAfter,
    /// Somebody else's request lands first.
    Overtaken,
    /// Another driver takes the lease first.
    TakenOver,
    /// Its process is frozen, and wakes much later.
    Frozen,
    /// The clock jumps while it is in flight.
    ClockJump,
}

/// Every fate, in the order of its number.
const FATES: [(Fate, &str); 11] = [
    (Fate::CrashBefore, "crash_before_append"),
    (Fate::CrashAfter, "crash_after_append"),
    (Fate::NoSpace, "no_space"),
    (Fate::AnswerLost, "answer_lost"),
    (Fate::Duplicate, "duplicate_append"),
    (Fate::ErrorBefore, "error_before_commit"),
    (Fate::ErrorAfter, "error_after_commit"),
    (Fate::Overtaken, "overtaken"),
    (Fate::TakenOver, "taken_over"),
    (Fate::Frozen, "frozen"),
    (Fate::ClockJump, "clock_jump"),
];

/// What can happen to an append of this kind of run.
pub(crate) fn fates_of<K: Simulated>() -> Vec<Fate> {
    FATES.iter().map(|(fate, _)| *fate).filter(|fate| !K::SPARED.contains(fate)).collect()
}

/// Faults that fall on processes and the machine rather than on an append.
pub(crate) const DEATHS: [&str; 17] = [
    "keeper_killed_preparing",
    "keeper_killed_published",
    "keeper_killed_spawned",
    "keeper_killed_running",
    "keeper_killed_tree_empty",
    "keeper_killed_exit_written",
    "agent_killed",
    "driver_killed_starting",
    "driver_killed_sending",
    "driver_killed_performing",
    "driver_killed_idle",
    "driver_frozen",
    "reboot",
    "clock_jump",
    "outcome_delivered_twice",
    "keeper_no_space",
    "keeper_stalled",
];

type Counts = [u32; FATES.len()];

/// Where faults fell on the appends of one kind of run.
#[derive(Clone, Debug)]
struct Table {
    kind: Kind,
    types: &'static [&'static str],
    sites: &'static [&'static str],
    fates: Vec<Fate>,
    first: Vec<Counts>,
    within: Vec<Counts>,
}

/// The counts.
#[derive(Clone, Debug)]
pub(crate) struct Coverage {
    tables: Vec<Table>,
    deaths: [u32; DEATHS.len()],
}

impl Coverage {
    pub(crate) fn new() -> Self {
        Self { tables: Vec::new(), deaths: [0; DEATHS.len()] }
    }

    pub(crate) fn of<K: Simulated>() -> Self {
        let types = types_of::<K>();
        let table = Table {
            kind: K::KIND,
            types,
            sites: K::SITES,
            fates: fates_of::<K>(),
            first: vec![[0; FATES.len()]; types.len()],
            within: vec![[0; FATES.len()]; types.len()],
        };
        Self { tables: vec![table], ..Self::new() }
    }

    pub(crate) fn hit(&mut self, fate: Fate, kinds: &[u8]) {
        let row = FATES.iter().position(|(listed, _)| *listed == fate).expect("every fate is listed");
        for table in &mut self.tables {
            if let Some(first) = kinds.first() {
                table.first[usize::from(*first)][row] += 1;
            }
            for kind in kinds {
                table.within[usize::from(*kind)][row] += 1;
            }
        }
    }

    pub(crate) fn death(&mut self, what: &str) {
        let index = DEATHS.iter().position(|listed| *listed == what).expect("every death is listed");
        self.deaths[index] += 1;
    }

    pub(crate) fn merge(&mut self, other: &Coverage) {
        for theirs in &other.tables {
            match self.tables.iter_mut().find(|mine| mine.kind == theirs.kind) {
                None => self.tables.push(theirs.clone()),
                Some(mine) => {
                    add(&mut mine.first, &theirs.first);
                    add(&mut mine.within, &theirs.within);
                }
            }
        }
        for (mine, theirs) in self.deaths.iter_mut().zip(other.deaths) {
            *mine += theirs;
        }
    }

    /// The smallest count of a fault at an append site that it can fall on.
    pub(crate) fn smallest(&self) -> u32 {
        self.tables.iter().flat_map(Table::cells).map(|(_, _, count)| count).min().unwrap_or(0)
    }

    /// Sites that a fault never fell on, in words.
    pub(crate) fn missed(&self) -> Vec<String> {
        let cells = self.tables.iter().flat_map(|table| table.cells().map(move |cell| (table.kind, cell)));
        let missed = cells.filter(|(_, (_, _, count))| *count == 0);
        missed.map(|(kind, (site, fate, _))| format!("{} {site} {fate:?}", kind.as_str())).collect()
    }

    pub(crate) fn smallest_death(&self) -> u32 {
        self.deaths.iter().copied().min().unwrap_or(0)
    }

    pub(crate) fn sites(&self) -> Value {
        self.tables(|table| &table.first)
    }

    pub(crate) fn events(&self) -> Value {
        self.tables(|table| &table.within)
    }

    pub(crate) fn deaths(&self) -> Value {
        let pairs = DEATHS.iter().zip(self.deaths);
        Value::Object(pairs.map(|(name, count)| ((*name).to_owned(), Value::from(count))).collect())
    }

    fn tables(&self, counts: impl Fn(&Table) -> &Vec<Counts>) -> Value {
        let tables =
            self.tables.iter().map(|table| (table.kind.as_str().to_owned(), table.shown(counts(table))));
        Value::Object(tables.collect())
    }
}

impl Table {
    /// Every fault at every site it can fall on, and how often it did.
    fn cells(&self) -> impl Iterator<Item = (&'static str, Fate, u32)> + '_ {
        let rows = FATES.iter().enumerate().filter(|(_, (fate, _))| self.fates.contains(fate));
        rows.flat_map(move |(row, (fate, _))| {
            // A run that does not exist yet has no lease to take.
            let possible = |site: &&&str| !(*fate == Fate::TakenOver && **site == "run_created");
            self.sites.iter().filter(possible).map(move |site| {
                let column = self.types.iter().position(|known| known == site).expect("sites are types");
                (*site, *fate, self.first[column][row])
            })
        })
    }

    fn shown(&self, counts: &[Counts]) -> Value {
        let row = |row: usize| {
            let hit = self.types.iter().zip(counts).filter(|(_, counts)| counts[row] > 0);
            let pairs = hit.map(|(kind, counts)| ((*kind).to_owned(), Value::from(counts[row])));
            Value::Object(pairs.collect::<Map<_, _>>())
        };
        let rows = FATES.iter().enumerate().map(|(index, (_, name))| ((*name).to_owned(), row(index)));
        Value::Object(rows.collect())
    }
}

fn add(mine: &mut [Counts], theirs: &[Counts]) {
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        for (mine, theirs) in mine.iter_mut().zip(theirs) {
            *mine += theirs;
        }
    }
}
