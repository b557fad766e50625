//! What changed between two trees, and whether it makes tests prove less.
//!
//! [`compare`] takes two trees and gives a [`Report`]: how many tests and assertions there were and are, and
//! findings that say in a sentence what was weakened, where, how to undo it and how to allow it. Code is read
//! with tree-sitter ([`source`]), tests are followed through renames, moves and merges ([`follow`]), and one
//! file per family of rules looks at what is left ([`check`]). [`RULES`] lists every rule.
//!
//! Never runs a process, never looks at a clock, never prints.
//!
//! Invariant: a finding's id does not depend on line numbers, so that it can be allowed.
//! Invariant: a rule blocks only in languages where its precision was measured; elsewhere it reports.

mod compare;

mod precision;
mod report;
mod rules;
mod tree;

mod allow;
mod census;
mod check;
mod comparison;
mod follow;
mod inventory;
mod sarif;
mod similar;

mod language;
mod outline;
mod paths;
mod patterns;
mod protect;
mod shell;
mod source;
mod text;
mod vocabulary;
mod words;

pub use allow::{Allowance, Allowances, FILE as ALLOW_FILE, ParseError};
pub use census::{Census, Counted, census};
pub use compare::{Demonstrated, Known, Options, add_demonstrated, compare, demonstrated, protected_unseen};
pub use language::{Class, Parsed, parse};
pub use outline::{Function, Outline, Piece, Test, Token};
pub use paths::{is_code, is_of_tests, is_snapshot as is_recording, steers_checks};
pub use patterns::pattern_of;
pub use piton_git::{Entry, ReadError, Tree};
pub use precision::{Measured, Mode, language_of};
pub use protect::{is_protected, leads_into};
pub use report::{AssertionCounts, Evidence, Finding, RegressionType, Report, Severity, TestCounts};
pub use rules::{Blocks, RULES, Rule};
pub use sarif::sarif;
pub use shell::{Closure, Part, Runs, RunsTree, closure, commands, runs};
pub use source::{Kind, Place};
pub use tree::MemoryTree;
