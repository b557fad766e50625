//! Which tests ran and how they ended, from what a test runner wrote.
//!
//! [`read`] takes the output of a run and gives [`Tests`]: counts, and the tests by name as far as the runner names
//! them. One file per runner below; each looks at every line and takes what is its own, so that other output in
//! between does no harm. Between the line by which a runner begins and the one in which it sums up, where it has both, all
//! lines are its own: a test may run another runner and show what that printed.
//!
//! - Where a runner sums up, its sum counts. An expected failure counts as skipped, an error in a test as failed, an
//!   unexpected success as its runner sees it (pytest: passed, unittest: failed).
//! - **Not run is never passed.** A run that was cut off has [`Tests::complete`] `false` and the counts of what
//!   was seen; so has one that stopped at its first failure. [`Tests::build_failed`] says that something could not be
//!   built or loaded.
//! - Several runners in one output (`cargo test && npm test`) are added up. A name that two of them have begins with the
//!   runner: `mocha: cart > adds`; every other is the same whether or not a second one spoke. What one of them does not know
//!   is not known of the sum.
//! - Where the same runner repeats a run (`npm test || npm test`), a test that ran twice counts once, with its last result;
//!   [`Asked`] helps to see that. Where it cannot be seen, [`Tests::doubt`] says so.
//! - A sum is the runner's own if nothing of the same run follows. Where that cannot be seen, the counts are unknown.
//! - A name holds what tells it apart: `binary test` for cargo, as nextest writes it; `package.Test` for Go;
//!   `file > suite > test` for JavaScript; a node id for pytest.
//!
//! Never takes the word of a test for that of the runner where the two can be told apart.
//! Invariant: at most [`NAMES_MAX`] names of at most [`NAME_BYTES_MAX`] bytes; [`Tests::cut`] counts the others.

mod cargo;
mod go;
mod go_json;
mod jest;
mod junit;
mod mocha;
mod names;
mod nextest;
mod node;
mod others;
mod outline;
mod pytest;
mod runner;
mod tap;
mod unittest;
mod vitest;

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::RangeInclusive;

use memchr::memmem;
use serde::{Deserialize, Serialize};

use crate::INPUT_BYTES_MAX;
use crate::text::{digest, each_line};
use names::{Names, Place};

pub use runner::{Runner, UnknownRunner};

/// At most this many tests are named.
pub const NAMES_MAX: usize = 20_000;

/// Longer names are cut.
pub const NAME_BYTES_MAX: usize = 512;

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ran and was content.
    Passed,
    /// It ran and was not.
    Failed,
    /// It did not run, or what it says does not count.
    Skipped,
    /// It ran for too long; counted as failed.
    TimedOut,
}

/// One test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// What tells it apart from the others of the run.
    pub name: String,
    /// How it ended.
    pub outcome: Outcome,
    /// How long it took, where the runner says.
    pub duration_ms: Option<u64>,
}

/// What a run of tests came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tests {
    /// Who ran them; the first where there were several.
    pub runner: Runner,
    /// Everybody who ran some.
    pub runners: Vec<Runner>,
    /// How many passed.
    pub passed: Option<u64>,
    /// How many failed, timed out or broke.
    pub failed: Option<u64>,
    /// How many were skipped.
    pub skipped: Option<u64>,
    /// How many there are: passed, failed and skipped, or what the runner announced.
    pub total: Option<u64>,
    /// Those that are known by name.
    pub named: Vec<Named>,
    /// How many names were left out.
    pub cut: u64,
    /// The run came to its end, and every test of it is in the counts.
    pub complete: bool,
    /// Something could not be built or loaded, so that its tests did not run.
    pub build_failed: bool,
    /// By how much the counts may be wrong.
    pub doubt: Doubt,
}

/// How many tests fewer or more may have run than are counted, because it is not known whether one run repeats another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    pub fewer: u64,
    pub more: u64,
}

impl Doubt {
    /// Tests that two runs have in common were taken for the same, or for others.
    fn add(&mut self, place: Place, are_same: bool, tests: u64) {
        let side = if are_same { &mut self.more } else { &mut self.fewer };
        let is_known = matches!(place, Place::Said(_));
        *side = side.saturating_add(if is_known { 0 } else { tests });
    }
}

/// What is known of the command whose output is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked {
    /// Nobody else has spoken; without it all runners are looked for.
    pub runner: Option<Runner>,
    /// Whether it was content.
    pub passed: Option<bool>,
    /// Each time that a runner speaks it does so in another place, although nobody says that.
    pub elsewhere: bool,
}

/// Reads the output of a run; without a runner it looks for all of them. `None` where nothing is recognised.
pub fn read(runner: Option<Runner>, text: &str) -> Option<Tests> {
    read_asked(Asked { runner, ..Asked::default() }, text)
}

/// The same, of a command of which more is known.
pub fn read_asked(asked: Asked, text: &str) -> Option<Tests> {
    let runner = asked.runner;
    if text.len() > INPUT_BYTES_MAX {
        return None;
    }
    let text = text.trim_start_matches('\u{feff}');
    let is_xml = text.trim_start().starts_with('<');
    if is_xml && runner.is_none_or(|runner| runner == Runner::Junit) {
        return junit::read(text).map(|tally| merge(vec![(Runner::Junit, tally)]))?;
    }
    // A last line without an end was cut off: half a sum is no sum.
    let text = match text.rfind('\n') {
        Some(end) if end + 1 < text.len() => &text[..=end],
        _ => text,
    };
    let mut readers = match runner {
        Some(runner) => Readers::of(vec![(runner, runner.reader()?)]),
        None => Readers::all(text),
    };
    each_line(text, |line| readers.line(line));
    let certain = runner.is_some();
    let found = readers
        .all
        .into_iter()
        .filter_map(|(runner, reader)| Some((runner, reader.finish(certain)?.once(asked))));
    let mut found: Vec<(Runner, Tally)> = found.collect();
    // With `--no-capture` nextest shows each test's own binary, which writes as cargo's do.
    if found.iter().any(|(runner, _)| *runner == Runner::Nextest) {
        found.retain(|(_, tally)| !tally.is_inner);
    }
    merge(found)
}

/// The lines of an output that no runner of tests owns. A section that never ends is nobody's: whoever was to sum it
/// up died, and what was printed afterwards is another's.
pub(crate) fn outside_of_sections(text: &str) -> String {
    let mut readers = Readers::all(text);
    let mut outside = String::with_capacity(text.len());
    let mut begun = 0;
    each_line(text, |line| {
        let was_inside = readers.owner.is_some();
        if !was_inside {
            begun = outside.len();
        }
        readers.line(line);
        outside.push_str(line);
        outside.push('\n');
        if was_inside && readers.owner.is_none() {
            outside.truncate(begun);
        }
    });
    outside
}

/// Those who look at an output, and who of them owns the section that is open.
struct Readers {
    all: Vec<(Runner, Box<dyn Reader>)>,
    owner: Option<usize>,
    /// The lines from the one by which a binary of cargo's begins to the one in which it sums up, in order.
    binaries: VecDeque<RangeInclusive<usize>>,
    /// The number of the next line.
    number: usize,
}

impl Readers {
    fn all(text: &str) -> Self {
        let readers = Runner::ALL.into_iter().filter_map(|runner| Some((runner, runner.reader()?)));
        Self { binaries: binaries(text), ..Self::of(readers.collect()) }
    }

    fn of(all: Vec<(Runner, Box<dyn Reader>)>) -> Self {
        Self { all, owner: None, binaries: VecDeque::new(), number: 0 }
    }

    fn line(&mut self, text: &str) {
        if self.owner.is_none() && self.is_in_binary() {
            self.owner = self.all.iter().position(|(runner, _)| *runner == Runner::Cargo);
        }
        self.number += 1;
        let body = text.trim_start();
        let line = Line { text, body };
        if self.owner.is_none()
            && let Some(place) = place(text)
        {
            self.all.iter_mut().for_each(|(_, reader)| reader.place(place));
        }
        let listening = match self.owner {
            Some(owner) => &mut self.all[owner..=owner],
            None => &mut self.all[..],
        };
        for (_, reader) in listening {
            if body.is_empty() { reader.blank() } else { reader.line(&line) }
        }
        let in_binary = self.owner.is_some() && self.is_in_binary();
        let is_still = |owner: &usize| {
            let (runner, reader) = &self.all[*owner];
            reader.is_in_section() || in_binary && *runner == Runner::Cargo
        };
        self.owner = match self.owner.filter(is_still) {
            Some(owner) => Some(owner),
            None => self.all.iter().position(|(_, reader)| reader.is_in_section()),
        };
    }

    fn is_in_binary(&mut self) -> bool {
        while self.binaries.front().is_some_and(|lines| *lines.end() < self.number) {
            self.binaries.pop_front();
        }
        self.binaries.front().is_some_and(|lines| lines.contains(&self.number))
    }
}

/// Where binaries of cargo's have begun and summed up. `running 3 tests` alone is anybody's, and cargo may have named the binary
/// elsewhere: only with the sum that fits it is certain, and then for all lines in between.
fn binaries(text: &str) -> VecDeque<RangeInclusive<usize>> {
    let mut found = VecDeque::new();
    if memmem::find(text.as_bytes(), b"test result: ").is_none() {
        return found;
    }
    let mut cargo = cargo::Cargo::default();
    let (mut number, mut first) = (0, 0);
    each_line(text, |text| {
        let body = text.trim_start();
        let (begun, summed) = cargo.units();
        if !body.is_empty() {
            cargo.line(&Line { text, body });
        }
        if cargo.units().0 > begun {
            first = number;
        }
        if cargo.units().1 > summed {
            found.push_back(first..=number);
        }
        number += 1;
    });
    found
}

/// What tells that the same names below it are other tests: the package whose script npm runs (`> shop@1.0.0 test`), the
/// directory that make enters.
fn place(text: &str) -> Option<u64> {
    let package = || {
        let (package, _) = text.strip_prefix("> ")?.split_once(' ')?;
        package.rfind('@').filter(|at| *at > 0).map(|_| package)
    };
    let directory =
        || text.strip_prefix("make")?.split_once(": Entering directory ").map(|(_, directory)| directory);
    package().or_else(directory).map(|place| digest(&[place.as_bytes()]))
}

/// A line without colours.
struct Line<'l> {
    /// All of it.
    text: &'l str,
    /// Without what it is indented by.
    body: &'l str,
}

impl Line<'_> {
    fn indent(&self) -> usize {
        self.text.len() - self.body.len()
    }
}

/// Understands one runner.
trait Reader {
    /// Takes a line that is not blank.
    fn line(&mut self, line: &Line<'_>);

    /// Takes a blank line.
    fn blank(&mut self) {}

    /// Takes what tells where the runs that follow take place.
    fn place(&mut self, _: u64) {}

    /// Whether it has begun for certain and not yet summed up: what is printed meanwhile is its own.
    fn is_in_section(&self) -> bool {
        false
    }

    /// What the run came to, if there was one. `certain` says that it can only be this runner's.
    fn finish(self: Box<Self>, certain: bool) -> Option<Tally>;
}

/// What one runner said.
#[derive(Default)]
struct Tally {
    passed: Option<u64>,
    failed: Option<u64>,
    skipped: Option<u64>,
    total: Option<u64>,
    names: Names,
    complete: bool,
    build_failed: bool,
    /// Nothing shows that it was started by itself: another runner may have shown what its tests print.
    is_inner: bool,
    doubt: Doubt,
}

impl Tally {
    /// Without what was run again.
    fn once(mut self, asked: Asked) -> Self {
        let (left_out, doubt) = self.names.leave_out_repeated(asked);
        let without = |count: Option<u64>, left_out: u64| count.map(|count| count.saturating_sub(left_out));
        self.passed = without(self.passed, left_out.passed);
        self.failed = without(self.failed, left_out.failed);
        self.skipped = without(self.skipped, left_out.skipped);
        self.total = without(self.total, left_out.total());
        Self { doubt, ..self }
    }
}

/// Counts of a runner that sums up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    passed: u64,
    failed: u64,
    skipped: u64,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.passed = self.passed.saturating_add(other.passed);
        self.failed = self.failed.saturating_add(other.failed);
        self.skipped = self.skipped.saturating_add(other.skipped);
    }

    fn one(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed | Outcome::TimedOut => self.failed += 1,
            Outcome::Skipped => self.skipped += 1,
        }
    }

    fn total(self) -> u64 {
        self.passed.saturating_add(self.failed).saturating_add(self.skipped)
    }

    fn is_empty(self) -> bool {
        self.total() == 0
    }

    fn remove(&mut self, other: Self) {
        self.passed = self.passed.saturating_sub(other.passed);
        self.failed = self.failed.saturating_sub(other.failed);
        self.skipped = self.skipped.saturating_sub(other.skipped);
    }

    /// A tally of these, with everything known.
    fn tally(self, names: Names, complete: bool) -> Tally {
        Tally {
            passed: Some(self.passed),
            failed: Some(self.failed),
            skipped: Some(self.skipped),
            total: Some(self.total()),
            names,
            complete,
            ..Tally::default()
        }
    }

    /// The tally of runs of which one may have been cut off, or could not be built.
    fn ended(self, names: Names, cut_off: bool, build_failed: bool) -> Tally {
        if build_failed && self.is_empty() {
            return Tally { build_failed, ..Tally::default() };
        }
        let total = (!cut_off).then(|| self.total());
        Tally { total, build_failed, ..self.tally(names, !cut_off && !build_failed) }
    }
}

fn merge(tallies: Vec<(Runner, Tally)>) -> Option<Tests> {
    let runners: Vec<Runner> = tallies.iter().map(|(runner, _)| *runner).collect();
    let shared = shared_names(&tallies);
    let mut tests = Tests {
        runner: *runners.first()?,
        runners,
        passed: Some(0),
        failed: Some(0),
        skipped: Some(0),
        total: Some(0),
        named: Vec::new(),
        cut: 0,
        complete: true,
        build_failed: false,
        doubt: Doubt::default(),
    };
    let sum = |a: Option<u64>, b: Option<u64>| a.zip(b).map(|(a, b)| a.saturating_add(b));
    for (runner, tally) in tallies {
        tests.passed = sum(tests.passed, tally.passed);
        tests.failed = sum(tests.failed, tally.failed);
        tests.skipped = sum(tests.skipped, tally.skipped);
        tests.total = sum(tests.total, tally.total);
        tests.complete &= tally.complete;
        tests.build_failed |= tally.build_failed;
        tests.doubt.fewer = tests.doubt.fewer.saturating_add(tally.doubt.fewer);
        tests.doubt.more = tests.doubt.more.saturating_add(tally.doubt.more);
        let mut names = tally.names;
        names.prefix_where(&format!("{runner}: "), |name| shared.contains(name));
        let (named, cut) = names.into_parts();
        let room = NAMES_MAX - tests.named.len();
        tests.cut += cut + named.len().saturating_sub(room) as u64;
        tests.named.extend(named.into_iter().take(room));
    }
    Some(tests)
}

/// The names that two runners have. Only these are told apart: all others stay the same when another runner speaks.
fn shared_names(tallies: &[(Runner, Tally)]) -> HashSet<String> {
    let mut owners: HashMap<&str, Runner> = HashMap::new();
    let mut shared = HashSet::new();
    if tallies.len() < 2 {
        return shared;
    }
    for (runner, tally) in tallies {
        for name in tally.names.iter() {
            if *owners.entry(name).or_insert(*runner) != *runner {
                shared.insert(name.to_owned());
            }
        }
    }
    shared
}
