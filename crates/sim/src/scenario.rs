//! What a seed decides before anything happens: the run's configuration and how wild its world is.

use piton_model::Kind;

use crate::rng::Rng;

/// A mistake planted in the shell around the core, to prove that the checker finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plant {
    /// The driver is told `durable` before the commit; a crash in between loses what was acknowledged.
    AckBeforeCommit,
    /// The store lets a driver append whose epoch has passed.
    MissingEpochCheck,
    /// The view is written when the append is planned, not when it is durable.
    ViewBeforeCommit,
    /// After a restart the attempt is started again instead of being looked up.
    RetryWithoutLookup,
    /// The keeper publishes the attempt's directory first and locks it afterwards.
    LockAfterPublish,
    /// A keeper that does not answer in time is taken for one that never started.
    SilenceIsAbsence,
    /// A check that was not published yet is taken for cancelled, without a tombstone that makes it so.
    CancelWithoutTombstone,
    /// After a restart the hooks of a call that was open are taken for called.
    HooksTakenForCalled,
    /// A view shows the mode that somebody asked for, before the switch is on record.
    ModeShownEarly,
    /// The directory of an attempt is named after its step, so that the next one finds what the last one left.
    NamedByStep,
    /// After a restart the run that a step stands for is begun a second time.
    NestedBegunAgain,
    /// A file that was there before the question counts as an answer to it.
    OldInputCounts,
    /// The directory of an attempt is named after its role, so that the next one finds what the last one left.
    NamedByRole,
    /// What was told to a role last is left out of its prompt.
    FeedbackLeftOut,
    /// The prompt of a role has what the role was told with an earlier one, too.
    FeedbackHeardAgain,
    /// A role that was asked to come to an end is taken for ended, whatever its keeper says.
    ToldIsEnded,
    /// The tree is not put back before a role that was refused is tried again.
    RestoreForgotten,
    /// What a role handed in is read where the attempt before left it.
    HandedInByAnother,
    /// Whoever validates is believed, and not the checks.
    WordsForChecks,
    /// What somebody edited in the state file counts anew each time it is looked at.
    EditHeardAgain,
    /// A driver adds to a log what is new since it began, without looking at what the log holds.
    LinesFromMemory,
    /// The last line of a log counts as one although it is torn.
    TornLineKept,
    /// The file of a ledger, or the state file of a cycle, is replaced without looking at what was there: an edit in between is
    /// lost.
    EditOverwritten,
    /// Flips are added to the log without looking at what it holds already.
    FlipsLoggedBlindly,
    /// Flips are logged before they are on record.
    LogBeforeJournal,
}

const DRIVEN: &[Kind] = &[Kind::Loop, Kind::Workflow, Kind::Cycle];
const ALL_KINDS: &[Kind] = &[Kind::Loop, Kind::Workflow, Kind::Cycle, Kind::Ledger];
const CYCLES: &[Kind] = &[Kind::Cycle];

impl Plant {
    /// Every plant, with the name it has on the command line and the kinds of run it grows in.
    pub const ALL: [(Plant, &'static str, &'static [Kind]); 25] = [
        (Plant::AckBeforeCommit, "ack-before-commit", ALL_KINDS),
        (Plant::MissingEpochCheck, "missing-epoch-check", DRIVEN),
        (Plant::ViewBeforeCommit, "view-before-commit", DRIVEN),
        (Plant::RetryWithoutLookup, "retry-without-lookup", ALL_KINDS),
        (Plant::LockAfterPublish, "lock-after-publish", ALL_KINDS),
        // A step of a workflow, or a role of a cycle, stays open when nothing can be started, and is looked up when the run
        // goes on.
        (Plant::SilenceIsAbsence, "silence-is-absence", &[Kind::Loop, Kind::Ledger]),
        (Plant::CancelWithoutTombstone, "cancel-without-tombstone", &[Kind::Loop]),
        (Plant::HooksTakenForCalled, "hooks-taken-for-called", &[Kind::Loop]),
        (Plant::ModeShownEarly, "mode-shown-early", &[Kind::Loop]),
        (Plant::NamedByStep, "named-by-step", &[Kind::Workflow]),
        (Plant::NestedBegunAgain, "nested-begun-again", &[Kind::Workflow]),
        (Plant::OldInputCounts, "old-input-counts", &[Kind::Workflow]),
        (Plant::NamedByRole, "named-by-role", CYCLES),
        (Plant::FeedbackLeftOut, "feedback-left-out", CYCLES),
        (Plant::FeedbackHeardAgain, "feedback-heard-again", CYCLES),
        (Plant::ToldIsEnded, "told-is-ended", CYCLES),
        (Plant::RestoreForgotten, "restore-forgotten", CYCLES),
        (Plant::HandedInByAnother, "handed-in-by-another", CYCLES),
        (Plant::WordsForChecks, "words-for-checks", CYCLES),
        (Plant::EditHeardAgain, "edit-heard-again", CYCLES),
        (Plant::LinesFromMemory, "lines-from-memory", CYCLES),
        (Plant::TornLineKept, "torn-line-kept", CYCLES),
        (Plant::EditOverwritten, "edit-overwritten", &[Kind::Cycle, Kind::Ledger]),
        (Plant::FlipsLoggedBlindly, "flips-logged-blindly", &[Kind::Ledger]),
        (Plant::LogBeforeJournal, "log-before-journal", &[Kind::Ledger]),
    ];

    /// The plant of this name.
    pub fn named(name: &str) -> Option<Plant> {
        Self::ALL.iter().find(|(_, known, _)| *known == name).map(|(plant, _, _)| *plant)
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(plant, _, _)| *plant == self).map_or("", |(_, name, _)| name)
    }

    /// The kinds of run it grows in.
    pub fn kinds(self) -> &'static [Kind] {
        Self::ALL.iter().find(|(plant, _, _)| *plant == self).map_or(&[], |(_, _, kinds)| kinds)
    }
}

/// How wild the world of one seed is.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    /// Steps until faults end.
    pub(crate) chaos_ticks: u64,
    /// One fault in this many steps, apart from those on appends.
    pub(crate) chaos_every: u64,
    /// In a hundred appends, how many meet a fault.
    pub(crate) append_faults_percent: u64,
}

impl Scenario {
    pub(crate) fn new(rng: &mut Rng) -> Self {
        Self {
            chaos_ticks: rng.between(1_500, 3_200),
            chaos_every: rng.between(150, 500),
            append_faults_percent: rng.between(2, 6),
        }
    }
}
