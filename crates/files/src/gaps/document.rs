//! A gap file that was read: its gaps, and where each stands in the text.
//!
//! A [`Document`] is always sound: what is not valid does not become one, and everything that is wrong with it is
//! said at once. The text is kept byte for byte; see `edit` for how it is changed.

use std::ops::Range;

use piton_model::ledger::{self, Field, Gap, ProblemKind, tolerable, validate};
use piton_model::limits::GAP_FILE_BYTES_MAX;

use super::contents::{self, Contents, alone};
use super::invalid::{Invalid, first, warnings};
use crate::yaml::{self, Problem, Problems, Value};

/// The newest version of the format.
pub(super) const FORMAT_VERSION: i64 = 1;

/// The content of a gap file.
#[derive(Clone, Debug)]
pub struct Document {
    pub(super) text: String,
    pub(super) gaps: Vec<Gap>,
    pub(super) places: Vec<Place>,
    pub(super) layout: Layout,
    /// Whether it was read by lines.
    pub(super) is_plain: bool,
    warnings: Vec<Problem>,
}

/// Where one gap stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) line: u32,
    pub(super) flow: bool,
}

impl Place {
    pub(super) fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// How the list of gaps is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// There is nothing in the file but blank lines and comments.
    Nothing,
    /// There is a `null` here, and nothing else.
    Null(Range<usize>),
    /// The key is there without a value, which would stand here.
    NoValue(Range<usize>),
    /// `- …` lines.
    Block,
    /// `[…]`; the range covers the brackets. In a mapping that is `{…}` too, it must stay on that side.
    Flow { list: Range<usize>, in_flow: bool },
}

impl Document {
    /// Whether it does not even say that there are no gaps, as `gaps: []` does: somebody may be about to write them.
    pub fn says_nothing(&self) -> bool {
        match self.layout {
            Layout::Nothing | Layout::Null(_) | Layout::NoValue(_) => true,
            Layout::Block | Layout::Flow { .. } => false,
        }
    }

    /// The document without any gaps.
    pub fn empty() -> Self {
        let (text, layout) = (String::new(), Layout::Nothing);
        Self { text, gaps: Vec::new(), places: Vec::new(), layout, is_plain: false, warnings: Vec::new() }
    }

    /// Reads the content of a file.
    pub fn parse(bytes: &[u8]) -> Result<Self, Invalid> {
        let text = yaml::text(bytes, GAP_FILE_BYTES_MAX as usize)?;
        Self::of(text.to_owned())
    }

    /// The same for a content that is not needed any more: a large one is there only once.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, Invalid> {
        yaml::text(&bytes, GAP_FILE_BYTES_MAX as usize)?;
        Self::of(String::from_utf8(bytes).expect("it has just been read as text"))
    }

    fn of(text: String) -> Result<Self, Invalid> {
        let (contents, problems) = contents::read(&text);
        let Contents { gaps, places, layout, is_plain, broken } = contents;
        let layout = layout.unwrap_or(Layout::Nothing);
        let mut document = Self { text, gaps, places, layout, is_plain, warnings: Vec::new() };
        document.warnings = document.validated(problems, &broken)?;
        Ok(document)
    }

    /// The gaps, in the order of the file.
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// The content, byte for byte as it was read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What is accepted, but worth saying.
    pub fn warnings(&self) -> &[Problem] {
        &self.warnings
    }

    /// What is wrong with it and stops nothing.
    pub fn problems(&self) -> Vec<Problem> {
        first(&tolerable(&self.gaps), |problem| {
            let line = Some(self.line_of_problem(problem));
            Problem { line, ..Problem::new(problem.to_string()) }
        })
    }

    /// Whether it is a ledger without gaps.
    pub fn is_empty(&self) -> bool {
        self.gaps.is_empty()
    }

    /// The line on which a gap begins.
    pub fn line_of(&self, index: usize) -> Option<usize> {
        self.places.get(index).map(|place| place.line as usize)
    }

    /// Adds what the rules of the ledger say to what the reader said.
    fn validated(&self, mut problems: Problems, broken: &[usize]) -> Result<Vec<Problem>, Invalid> {
        let mut tolerable = Vec::new();
        for problem in validate(&self.gaps) {
            // What is said of a gap that was only half read may follow from that, unless it is about one field.
            let is_broken = broken.binary_search(&problem.index).is_ok();
            let stands_alone = matches!(
                problem.kind,
                ProblemKind::DuplicateId
                    | ProblemKind::SelfReference
                    | ProblemKind::UnknownGap { .. }
                    | ProblemKind::Priority { .. }
                    | ProblemKind::Ttl { .. }
            );
            if is_broken && !stands_alone {
                continue;
            }
            match problem.is_tolerable() {
                true => tolerable.push(problem),
                false => problems.add(self.line_of_problem(&problem), problem.to_string()),
            }
        }
        // Where the file is refused in any case, all that is wrong is told.
        if problems.count() > 0 {
            let cycles = ledger::cycles(&self.gaps);
            tolerable.extend(cycles.into_iter().filter(|cycle| !is_of_one(&cycle.kind)));
            for problem in &tolerable {
                problems.add(self.line_of_problem(problem), problem.to_string());
            }
        }
        warnings(problems)
    }

    fn line_of_problem(&self, problem: &ledger::Problem) -> usize {
        let place = &self.places[problem.index];
        let above = place.line as usize;
        self.line_of_field(place, problem.field).map_or(above, |offset| above + offset)
    }

    /// How many lines below its first line a gap has this field.
    fn line_of_field(&self, place: &Place, field: Field) -> Option<usize> {
        // On its own, the first line of a gap begins where its first key does.
        let column =
            self.text[..place.start as usize].bytes().rev().take_while(|byte| *byte != b'\n').count();
        let lines = format!("{}{}", " ".repeat(column), &self.text[place.range()]);
        let (node, _) = alone(&lines)?;
        let Value::Map { entries, .. } = node.value else { return None };
        entries.iter().find(|entry| entry.key == field.as_str()).map(|entry| entry.line - 1)
    }
}

/// Whether a gap waits for itself alone, which is told as that.
fn is_of_one(kind: &ProblemKind) -> bool {
    matches!(kind, ProblemKind::Cycle { path } if path.len() <= 2)
}
