//! Changing gaps where they stand: the lines of a changed gap differ, every other byte stays.
//!
//! A field that changes gets a new value in its place; a field that is new goes behind the one that is written before
//! it; a field that falls back to its default goes, unless a comment would go with it. Comments, order, quotes and
//! keys that mean nothing to piton stay. Every edited gap is read again before anything is handed out; see `proof`.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use piton_model::ledger::{Gap, problems_since_sound};

use super::contents::alone;
use super::decode;
use super::document::{Document, Layout};
use super::field::Fields;
use super::invalid::{Invalid, no_problems, warnings};
use super::parts::in_parts;
use super::render::{Shape, Style, whole};
use crate::yaml::Problem;

/// The document cannot be made to say that.
#[derive(Debug, thiserror::Error)]
pub enum RewriteError {
    /// What was asked for is not a sound ledger.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The way a gap is written leaves no room for the change.
    #[error("gap `{}` cannot be changed where it stands in line {line}; edit the file by hand", gap.escape_debug())]
    Unchangeable {
        gap: String,
        /// Where it begins.
        line: usize,
    },
}

/// A piece of the text and what takes its place.
#[derive(Clone, Debug)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

/// When what was edited is read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Each gap by itself, as soon as it is edited.
    EachAlone,
    /// All of it, by whoever asked for the edits.
    Later,
}

/// A document with other gaps, made ready before they are on record: what cannot be written is refused by then.
#[derive(Debug)]
pub struct Draft {
    document: Arc<Document>,
    gaps: Vec<Gap>,
    text: String,
}

impl Draft {
    /// The text, if it is this document with these gaps.
    pub(super) fn text_of(self, document: &Arc<Document>, gaps: &[Gap]) -> Option<String> {
        (Arc::ptr_eq(&self.document, document) && self.gaps == gaps).then_some(self.text)
    }
}

/// What is to become of a document.
pub(super) struct Wishes<'a> {
    /// Of each of its gaps: what it is to be; `None` where it is to go.
    pub(super) kept: Vec<Option<&'a Gap>>,
    /// Those that are new, in their order.
    pub(super) added: Vec<&'a Gap>,
}

impl<'a> Wishes<'a> {
    /// The gaps as the file will have them.
    pub(super) fn in_order(&self) -> impl Iterator<Item = &'a Gap> {
        self.kept.iter().flatten().chain(&self.added).copied()
    }
}

impl Document {
    /// The content with these gaps. Gaps are known by their id and keep their places; new ones come last.
    ///
    /// The same gaps give the same bytes. What was edited has been read again: the result says exactly this.
    pub fn rewrite(&self, target: &[Gap]) -> Result<String, RewriteError> {
        self.check(target)?;
        if self.gaps == target {
            return Ok(self.text.clone());
        }
        let wishes = self.wishes(target);
        // What is proven by its regions need not be read gap by gap before: that only says which of them has no room.
        if self.is_plain
            && let Ok(edits) = self.edits(&wishes, Shape::Block, Reading::Later)
            && let text = apply(&self.text, 0..self.text.len(), &edits)
            && self.says(&text, &edits, &wishes)
        {
            return Ok(text);
        }
        let mut why = None;
        // Lines of their own do not fit everywhere: a comment below them may become a part of the value. One line does.
        for shape in [Shape::Block, Shape::Line] {
            match self.edits(&wishes, shape, Reading::EachAlone) {
                Ok(edits) => {
                    let text = apply(&self.text, 0..self.text.len(), &edits);
                    if self.says(&text, &edits, &wishes) {
                        return Ok(text);
                    }
                }
                Err(error) => why = why.or(Some(error)),
            }
        }
        Err(why.unwrap_or_else(|| self.unchangeable(&wishes)))
    }

    /// The same, kept until the file is written.
    pub fn draft(self: &Arc<Self>, gaps: Vec<Gap>) -> Result<Draft, RewriteError> {
        let text = self.rewrite(&gaps)?;
        Ok(Draft { document: Arc::clone(self), gaps, text })
    }

    /// The first gap that is to be different.
    fn unchangeable(&self, wishes: &Wishes<'_>) -> RewriteError {
        let differs = |(own, wanted): &(&Gap, &Option<&Gap>)| wanted.is_some_and(|wanted| wanted != *own);
        let changed = self.gaps.iter().zip(&wishes.kept).position(|pair| differs(&pair));
        let gap = changed.map(|index| &self.gaps[index]).or(wishes.added.first().copied());
        let gap = gap.or(wishes.in_order().next()).map_or_else(String::new, |gap| gap.id.clone());
        let line = changed.and_then(|index| self.line_of(index)).unwrap_or(1);
        RewriteError::Unchangeable { gap, line }
    }

    /// What these gaps are to those of the file.
    pub(super) fn wishes<'a>(&self, target: &'a [Gap]) -> Wishes<'a> {
        // Most changes leave every gap in its place: then nothing needs to be looked up.
        let stay = target.get(..self.gaps.len());
        if let Some(stay) = stay.filter(|stay| stay.iter().zip(&self.gaps).all(|(gap, own)| gap.id == own.id))
        {
            let kept = stay.iter().map(Some).collect();
            return Wishes { kept, added: target[self.gaps.len()..].iter().collect() };
        }
        let wanted: HashMap<&str, &Gap> = target.iter().map(|gap| (gap.id.as_str(), gap)).collect();
        let present: HashSet<&str> = self.gaps.iter().map(|gap| gap.id.as_str()).collect();
        let kept = self.gaps.iter().map(|gap| wanted.get(gap.id.as_str()).copied()).collect();
        let added = target.iter().filter(|gap| !present.contains(gap.id.as_str())).collect();
        Wishes { kept, added }
    }

    /// All that changes in the text, in its order.
    pub(super) fn edits(
        &self,
        wishes: &Wishes<'_>,
        shape: Shape,
        reading: Reading,
    ) -> Result<Vec<Edit>, RewriteError> {
        let changes = self.gaps.iter().zip(&wishes.kept).enumerate();
        let changes = changes
            .filter_map(|(index, (gap, wanted))| Some((index, wanted.filter(|wanted| *wanted != gap)?)));
        let changes: Vec<(usize, &Gap)> = changes.collect();
        let change = |part: &[(usize, &Gap)]| {
            let mut edits = Vec::new();
            for (index, wanted) in part {
                self.change(*index, wanted, shape, reading, &mut edits)?;
            }
            Ok(edits)
        };
        let parts: Result<Vec<Vec<Edit>>, RewriteError> = in_parts(&changes, change).into_iter().collect();
        let mut edits: Vec<Edit> = parts?.into_iter().flatten().collect();
        let stays: Vec<bool> = wishes.kept.iter().map(Option::is_some).collect();
        self.remove(&stays, &mut edits);
        if !wishes.added.is_empty() {
            self.add(&wishes.added, stays.contains(&true), &mut edits);
        }
        in_text_order(&mut edits);
        Ok(edits)
    }

    fn check(&self, target: &[Gap]) -> Result<(), Invalid> {
        let mut problems = no_problems();
        for problem in problems_since_sound(&self.gaps, target) {
            let place = self.gaps.iter().position(|gap| gap.id == problem.gap);
            let line = place.and_then(|index| self.line_of(index));
            problems.push(Problem { line, ..Problem::new(problem.to_string()) });
        }
        warnings(problems).map(drop)
    }

    fn change(
        &self,
        index: usize,
        wanted: &Gap,
        shape: Shape,
        reading: Reading,
        edits: &mut Vec<Edit>,
    ) -> Result<(), RewriteError> {
        let unchangeable = || {
            let (gap, line) = (wanted.id.clone(), self.places[index].line as usize);
            RewriteError::Unchangeable { gap, line }
        };
        let part = self.part(index);
        let style = self.style(index);
        let style = Style { shape: if style.shape == Shape::Block { shape } else { style.shape }, ..style };
        let fields = Fields::read(&self.text, part.clone(), style).ok_or_else(unchangeable)?;
        let mut own = fields.edits(&self.gaps[index], wanted);
        in_text_order(&mut own);
        let says_it = || read_alone(&apply(&self.text, part, &own)).as_ref() == Some(wanted);
        if reading == Reading::EachAlone && !says_it() {
            return Err(unchangeable());
        }
        edits.extend(own);
        Ok(())
    }

    /// The part of the text that holds this gap and can be read without the rest.
    fn part(&self, index: usize) -> Range<usize> {
        let place = &self.places[index];
        if place.flow {
            return place.range();
        }
        self.dash_line(place.start as usize)..line_end(&self.text, place.end as usize)
    }

    fn style(&self, index: usize) -> Style<'_> {
        let place = &self.places[index];
        let start = place.start as usize;
        let column = self.text[line_start(&self.text, start)..start].chars().count();
        let after = self.text[start..].trim_start_matches(['{', ' ', '\n', '\r']);
        let shape = match (place.flow, after.starts_with('"')) {
            (false, _) => Shape::Block,
            (true, false) => Shape::Flow,
            (true, true) => Shape::Json,
        };
        Style { newline: newline(&self.text), column, shape }
    }

    /// The start of the line with the dash of the gap whose keys begin here.
    pub(super) fn dash_line(&self, keys: usize) -> usize {
        let mut start = line_start(&self.text, keys);
        if self.text[start..keys].trim_end().ends_with('-') {
            return start;
        }
        // The dash has a line of its own, with nothing but comments and blank lines in between.
        while start > 0 {
            start = line_start(&self.text, start - 1);
            if self.text[start..].trim_start_matches([' ', '\t']).starts_with('-') {
                return start;
            }
        }
        start
    }

    /// Takes gaps out; `stays` tells which are left.
    fn remove(&self, stays: &[bool], edits: &mut Vec<Edit>) {
        for index in (0..self.gaps.len()).filter(|index| !stays[*index]) {
            let place = &self.places[index];
            let ranges = match &self.layout {
                Layout::Flow { .. } => self.flow_removal(index, stays),
                Layout::Block | Layout::NoValue(_) | Layout::Null(_) | Layout::Nothing => {
                    vec![whole_lines(&self.text, self.dash_line(place.start as usize), place.end as usize)]
                }
            };
            edits.extend(ranges.into_iter().map(|range| Edit { range, text: String::new() }));
        }
    }

    /// The gap and one comma: the one behind it, or the one before it where only what stands there is left. Comments stay.
    fn flow_removal(&self, index: usize, stays: &[bool]) -> Vec<Range<usize>> {
        let Range { start, end } = self.places[index].range();
        let before = index
            .checked_sub(1)
            .filter(|_| stays[..index].contains(&true) && !stays[index..].contains(&true));
        let between = match (before, self.places.get(index + 1)) {
            (Some(before), _) => self.places[before].end as usize..start,
            (None, Some(next)) => end..next.start as usize,
            (None, None) => end..end,
        };
        if !self.text[between.clone()].contains('#') {
            let both = start.min(between.start)..end.max(between.end);
            return vec![both];
        }
        let comma = self.comma_in(between).map(|comma| comma..comma + 1);
        // What it leaves no comment on is no line any more.
        let line = line_start(&self.text, start)..line_end(&self.text, end);
        let behind = comma.clone().filter(|comma| comma.start >= end && comma.end <= line.end);
        let done = behind.as_ref().map_or(end, |comma| comma.end);
        let is_alone =
            self.text[line.start..start].trim().is_empty() && self.text[done..line.end].trim().is_empty();
        let gap = if is_alone { line.start..next_line(&self.text, line.end) } else { start..done };
        comma.filter(|_| behind.is_none()).into_iter().chain([gap]).collect()
    }

    /// Where a comma stands between two gaps, and not in a comment.
    fn comma_in(&self, between: Range<usize>) -> Option<usize> {
        let mut place = between.start;
        self.text[between].split_inclusive('\n').find_map(|line| {
            let code = line.split('#').next().unwrap_or_default();
            let comma = code.find(',').map(|comma| place + comma);
            place += line.len();
            comma
        })
    }

    fn add(&self, added: &[&Gap], any_stays: bool, edits: &mut Vec<Edit>) {
        match (&self.layout, self.places.last()) {
            (Layout::Flow { list, in_flow }, _) if *in_flow || !self.places.is_empty() => {
                edits.extend(self.flow_addition(added, any_stays, list.clone()));
            }
            (Layout::Block, Some(last)) if !last.flow => {
                let keys = self.style(self.places.len() - 1).column;
                let line = self.dash_line(last.start as usize);
                let dash = self.text[line..].chars().take_while(|c| *c == ' ').count();
                edits.push(self.lines_behind(last.end as usize, &self.block(added, dash, keys)));
            }
            (Layout::Block, Some(last)) => {
                let line = self.dash_line(last.start as usize);
                let dash = self.text[line..].chars().take_while(|c| *c == ' ').count();
                edits.push(self.lines_behind(last.end as usize, &self.block(added, dash, dash + 2)));
            }
            (Layout::Block | Layout::Nothing, _) => {
                let lines = format!("gaps:{}{}", newline(&self.text), self.block(added, 0, 2));
                edits.push(self.lines_behind(self.text.len(), &lines));
            }
            (Layout::Null(null), _) => {
                let text = format!("gaps:{}{}", newline(&self.text), self.block(added, 0, 2));
                edits.push(Edit { range: null.clone(), text });
            }
            (Layout::NoValue(value) | Layout::Flow { list: value, .. }, _) => {
                edits.push(Edit { range: value.clone(), text: String::new() });
                edits.push(self.lines_behind(value.end, &self.block(added, 0, 2)));
            }
        }
    }

    fn block(&self, gaps: &[&Gap], dash: usize, keys: usize) -> String {
        let newline = newline(&self.text);
        let style = Style { newline, column: keys, shape: Shape::Block };
        let between = " ".repeat(keys.saturating_sub(dash + 1));
        let one = |gap: &&Gap| format!("{}-{between}{}", " ".repeat(dash), whole(gap, &style));
        gaps.iter().map(one).collect::<Vec<_>>().join(newline)
    }

    /// Lines of their own behind the line that holds this place.
    fn lines_behind(&self, place: usize, lines: &str) -> Edit {
        let newline = newline(&self.text);
        let end = line_end(&self.text, place);
        let next = next_line(&self.text, end);
        let text = match next == end && !self.text[line_start(&self.text, end)..].is_empty() {
            // The last line has no line break: it gets one, and the last new line has none.
            true => format!("{newline}{lines}"),
            false => format!("{lines}{newline}"),
        };
        Edit { range: next..next, text }
    }

    fn flow_addition(&self, added: &[&Gap], any_stays: bool, list: Range<usize>) -> Vec<Edit> {
        let last = self.places.len().checked_sub(1);
        let shape = match last.map(|last| self.style(last).shape) {
            Some(Shape::Json) => Shape::Json,
            None if self.text[..list.start].contains('"') => Shape::Json,
            _ => Shape::Flow,
        };
        let style = Style { newline: newline(&self.text), column: 0, shape };
        let gaps: Vec<String> = added.iter().map(|gap| whole(gap, &style)).collect();
        match last {
            Some(last) => {
                // Where each gap begins a line, so do the new ones.
                let start = self.places[last].start as usize;
                let before = &self.text[line_start(&self.text, start)..start];
                let own_line = before.trim().is_empty() && line_start(&self.text, start) > 0;
                let between = if own_line { format!(",{}{before}", style.newline) } else { ", ".to_owned() };
                let first = if any_stays { between.as_str() } else { "" };
                let end = self.places[last].end as usize;
                let line = line_end(&self.text, end);
                if any_stays && self.text[end..line].contains('#') {
                    // What is said behind the last gap is said of that one.
                    let has_comma = self.comma_in(end..line).is_some();
                    let comma = Edit {
                        range: end..end,
                        text: if has_comma { String::new() } else { ",".to_owned() },
                    };
                    let indent = if own_line { before } else { "  " };
                    let text = format!("{}{indent}{}", style.newline, gaps.join(&between));
                    return vec![comma, Edit { range: line..line, text }];
                }
                vec![Edit { range: end..end, text: format!("{first}{}", gaps.join(&between)) }]
            }
            None => vec![Edit { range: list.start + 1..list.start + 1, text: gaps.join(", ") }],
        }
    }
}

/// The gap that a piece of text holds.
fn read_alone(text: &str) -> Option<Gap> {
    let (node, mut problems) = alone(text)?;
    decode::gap(node, 0, &mut problems).filter(|_| problems.count() == 0)
}

/// Edits of one place stay in the order in which they were made.
fn in_text_order(edits: &mut [Edit]) {
    edits.sort_by_key(|edit| edit.range.start);
}

/// The part of the text with the edits done, which do not overlap and are in its order.
pub(super) fn apply(text: &str, part: Range<usize>, edits: &[Edit]) -> String {
    let mut result =
        String::with_capacity(part.len() + edits.iter().map(|edit| edit.text.len()).sum::<usize>());
    let mut done = part.start;
    for edit in edits {
        result.push_str(&text[done..edit.range.start.max(done)]);
        result.push_str(&edit.text);
        done = done.max(edit.range.end);
    }
    result.push_str(&text[done..part.end.max(done)]);
    result
}

/// The line break that this text uses.
pub(super) fn newline(text: &str) -> &'static str {
    match text.find(['\n', '\r']) {
        Some(at) if text[at..].starts_with("\r\n") => "\r\n",
        Some(at) if text[at..].starts_with('\r') => "\r",
        _ => "\n",
    }
}

pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at]
        .rfind(['\n', '\r'])
        .map_or_else(|| text.len() - text.trim_start_matches('\u{feff}').len(), |place| place + 1)
}

/// Before the line break.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    text[at..].find(['\n', '\r']).map_or(text.len(), |offset| at + offset)
}

/// Behind the line break that stands here, if one does.
pub(super) fn next_line(text: &str, end: usize) -> usize {
    let rest = &text[end..];
    match rest {
        _ if rest.starts_with("\r\n") => end + 2,
        _ if rest.starts_with(['\n', '\r']) => end + 1,
        _ => end,
    }
}

/// From the start of a line to behind the line that holds `end`. At the end of a text without a last line break, the
/// one before goes instead.
pub(super) fn whole_lines(text: &str, start: usize, end: usize) -> Range<usize> {
    let end = line_end(text, end);
    let next = next_line(text, end);
    if next > end {
        return start..next;
    }
    let before = text[..start].strip_suffix('\n').map_or(start, str::len);
    let before = text[..before].strip_suffix('\r').map_or(before, str::len);
    before..end
}
