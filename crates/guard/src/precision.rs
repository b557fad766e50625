//! What blocks, decided here and nowhere else.
//!
//! A rule blocks in a language where its sure findings, in files of that language, were right on the labelled corpus: in at
//! least [`PRECISION_MIN`] of at least [`CASES_MIN`] cases. Where it has fewer cases than that in a language, but some, its
//! cases in all languages decide; a language with fewer than [`LANGUAGE_CASES_MIN`] cases in all was not measured. What was
//! not measured does not block.
//!
//! What was shown by running depends little on the language: such a rule blocks where all its cases together were right in at
//! least [`SHOWN_PRECISION_MIN`] of at least [`SHOWN_CASES_MIN`].
//!
//! The numbers are in `precision.tsv`, which `scripts/guard/precision` writes, and in `shown.tsv`, which `scripts/prove/measure`
//! does; a test says when the first is out of date.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::language::Language;
use crate::paths;
use crate::rules::{Blocks, RULES, Rule};

/// A rule must have been right at least so often.
const PRECISION_MIN: f64 = 0.9;
/// In at least so many cases; fewer are an anecdote.
const CASES_MIN: u32 = 10;
/// All rules together must have been put to the test so often in a language.
const LANGUAGE_CASES_MIN: u32 = 100;
/// What is said of a rule that was not measured: nobody knows.
const UNKNOWN_PERCENT: u8 = 50;

/// What files are in that are no code: settings, whatever they are written in, scripts, data.
const OTHER: &str = "other";

/// `rule language mode right wrong`, a line for each that occurred.
static TABLE: &str = include_str!("../precision.tsv");

/// The same of what was shown by running.
static SHOWN: &str = include_str!("../shown.tsv");

/// What was shown by running stops a person's work: it has to be right more often.
const SHOWN_PRECISION_MIN: f64 = 0.97;
const SHOWN_CASES_MIN: u32 = 20;

/// How a finding is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// This instance is sure, so that it would block.
    Sure,
    /// It is only worth a look.
    Unsure,
}

impl Mode {
    /// The word in the table.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sure => "sure",
            Self::Unsure => "unsure",
        }
    }
}

/// In how many cases a rule was right, and in how many wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// The case is a cheat.
    pub right: u32,
    /// It is an honest change.
    pub wrong: u32,
}

impl Measured {
    fn cases(self) -> u32 {
        self.right + self.wrong
    }

    fn share(self) -> Option<f64> {
        (self.cases() >= CASES_MIN).then(|| f64::from(self.right) / f64::from(self.cases()))
    }

    fn percent(self) -> u8 {
        self.share().map_or(UNKNOWN_PERCENT, |share| (share * 100.0).floor() as u8)
    }
}

/// The language of a file, as the table calls it.
pub fn language_of(path: &str) -> &'static str {
    match Language::of(path) {
        Some(language) if !paths::is_check_configuration(path) => language.name,
        Some(_) | None => OTHER,
    }
}

/// Whether a finding blocks, and how often such findings are right, in percent.
pub(crate) fn judged(rule: &Rule, file: &str, mode: Mode) -> (bool, u8) {
    let measured = measured(rule.name, language_of(file), mode);
    let is_precise = measured.share().is_some_and(|share| share >= PRECISION_MIN);
    match (rule.blocks, mode) {
        // Somebody asked for it: there is nothing to be wrong about.
        (Blocks::Always, _) => (true, 100),
        (Blocks::WhereMeasured, Mode::Sure) => (is_precise, measured.percent()),
        (Blocks::WhereShown, mode) => {
            let shown = shown(rule.name, mode);
            (mode == Mode::Sure && is_right_enough(shown), shown.percent())
        }
        (Blocks::WhereMeasured, Mode::Unsure) | (Blocks::Never, _) => (false, measured.percent()),
    }
}

impl Rule {
    /// Whether it blocks in any language.
    pub fn blocks_somewhere(&self) -> bool {
        let languages = || table().keys().filter(|key| key.0 == self.name).map(|key| key.1);
        let blocks_in = |language| {
            let share = measured(self.name, language, Mode::Sure).share();
            share.is_some_and(|share| share >= PRECISION_MIN)
        };
        match self.blocks {
            Blocks::Always => true,
            Blocks::Never => false,
            Blocks::WhereShown => is_right_enough(shown(self.name, Mode::Sure)),
            Blocks::WhereMeasured => languages().any(blocks_in),
        }
    }

    /// How often it was right in all languages together, from 0 to 1.
    pub fn confidence(&self) -> f64 {
        let mode = match self.blocks {
            Blocks::Always => return 1.0,
            Blocks::WhereShown => return f64::from(shown(self.name, Mode::Sure).percent()) / 100.0,
            Blocks::WhereMeasured => Mode::Sure,
            Blocks::Never => Mode::Unsure,
        };
        f64::from(sum(|key| key.0 == self.name && key.2 == mode.as_str()).percent()) / 100.0
    }
}

/// How often what a rule shows by running was right, in all languages.
fn shown(rule: &str, mode: Mode) -> Measured {
    let rows = SHOWN.lines().filter_map(row).filter(|(key, _)| key.0 == rule && key.2 == mode.as_str());
    rows.fold(Measured::default(), |sum, (_, one)| Measured {
        right: sum.right + one.right,
        wrong: sum.wrong + one.wrong,
    })
}

fn is_right_enough(shown: Measured) -> bool {
    let share = f64::from(shown.right) / f64::from(shown.cases().max(1));
    shown.cases() >= SHOWN_CASES_MIN && share >= SHOWN_PRECISION_MIN
}

/// What is known of a rule in a language; nothing where that is too little.
fn measured(rule: &str, language: &'static str, mode: Mode) -> Measured {
    let is_sure = |key: &Key| key.2 == Mode::Sure.as_str();
    if sum(|key| key.1 == language && is_sure(key)).cases() < LANGUAGE_CASES_MIN {
        return Measured::default();
    }
    let here = sum(|key| *key == (rule, language, mode.as_str()));
    match here.cases() {
        0 => Measured::default(),
        1..CASES_MIN => sum(|key| key.0 == rule && key.2 == mode.as_str()),
        _ => here,
    }
}

fn sum(is_meant: impl Fn(&Key) -> bool) -> Measured {
    let mut sum = Measured::default();
    for (_, one) in table().iter().filter(|(key, _)| is_meant(key)) {
        sum.right += one.right;
        sum.wrong += one.wrong;
    }
    sum
}

type Key = (&'static str, &'static str, &'static str);

fn table() -> &'static BTreeMap<Key, Measured> {
    static READ: OnceLock<BTreeMap<Key, Measured>> = OnceLock::new();
    READ.get_or_init(|| TABLE.lines().filter_map(row).collect())
}

fn row(line: &'static str) -> Option<(Key, Measured)> {
    let mut columns = line.split('\t');
    let mut next = || columns.next();
    let key = (next()?, next()?, next()?);
    let measured = Measured { right: next()?.parse().ok()?, wrong: next()?.parse().ok()? };
    RULES.iter().any(|rule| rule.name == key.0).then_some((key, measured))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_needs_cases() {
        for (right, wrong, expected) in [(0, 0, 50), (9, 0, 50), (10, 0, 100), (95, 5, 95), (0, 10, 0)] {
            assert_eq!(Measured { right, wrong }.percent(), expected, "{right} right, {wrong} wrong");
        }
    }

    #[test]
    fn what_was_never_measured_does_not_block_and_what_was_asked_for_does() {
        let deleted = Rule::named("test-deleted");
        // C has too few cases in all, and nobody ever marked a test of Go in this way.
        assert_eq!(judged(deleted, "tests/a.c", Mode::Sure), (false, UNKNOWN_PERCENT));
        assert_eq!(judged(Rule::named("snapshot-regenerated"), "a.go", Mode::Sure), (false, UNKNOWN_PERCENT));
        assert_eq!(judged(Rule::named("protected-path-changed"), "tests/a.c", Mode::Sure), (true, 100));
        assert!(judged(deleted, "tests/a.py", Mode::Sure).0);
        assert_eq!(language_of("noxfile.py"), OTHER);
        assert!(!judged(deleted, "tests/a.py", Mode::Unsure).0);
        assert!(!judged(Rule::named("allowance-changed"), "piton.allow.toml", Mode::Sure).0);
    }

    #[test]
    fn every_line_of_the_table_is_read() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).count();
        assert_eq!(table().len(), lines, "a line names a rule that is not there, or is no line");
    }
}
