//! Whether an edited text says what it should.
//!
//! A file that was read by lines (see `yaml/plain`) is cut into regions, one per gap: from the line with its dash to the
//! next one's. Reading by lines never looks past the next dash of the list, since all that belongs to a gap stands
//! further to the right. So a region whose bytes stay says what it said, and only those that an edit touches are read
//! again, each with what comes before it where its own beginning is touched. Whatever is unusual about an edit, or
//! about the file, the whole text is read instead: that is what this must agree with, which is a property of the tests.

use std::ops::Range;

use piton_model::ledger::Gap;
use piton_model::limits::{GAP_FILE_BYTES_MAX, GAPS_MAX};

use super::decode;
use super::document::Document;
use super::edit::{Edit, Wishes, apply};
use super::invalid::no_problems;
use super::parts::in_parts;
use crate::yaml::{Lines, Unusual};

impl Document {
    /// Whether `text`, which is this document with these edits, is a ledger of exactly what is wished for. The gaps
    /// have been found to fit together; the edits are in the order of the text.
    pub(super) fn says(&self, text: &str, edits: &[Edit], wishes: &Wishes<'_>) -> bool {
        let is_shown = self.is_plain
            && text.len() as u64 <= GAP_FILE_BYTES_MAX
            && wishes.in_order().count() <= GAPS_MAX
            && self.regions_say(edits, wishes).unwrap_or(false);
        is_shown || says(text, wishes)
    }

    /// `None` where that cannot be told from the regions alone.
    fn regions_say(&self, edits: &[Edit], wishes: &Wishes<'_>) -> Option<bool> {
        let runs = self.runs(edits)?;
        let say = |part: &[(Range<usize>, &[Edit])]| {
            part.iter().try_fold(true, |so_far, (regions, edits)| {
                Some(so_far && self.run_says(regions.clone(), edits, wishes)?)
            })
        };
        // The first part that does not say it decides, as if they had been looked at one after the other.
        in_parts(&runs, say).into_iter().find(|said| *said != Some(true)).unwrap_or(Some(true))
    }

    /// The regions that are to be read together, each with the edits in them.
    fn runs<'e>(&self, edits: &'e [Edit]) -> Option<Vec<(Range<usize>, &'e [Edit])>> {
        let mut runs = Vec::new();
        let mut rest = edits;
        while let Some(first) = rest.first() {
            let mut regions = self.touched(first)?;
            let mut count = 1;
            while let Some(next) = rest.get(count).map(|edit| self.touched(edit)) {
                let next = next?;
                if next.start >= regions.end {
                    break;
                }
                regions.end = regions.end.max(next.end);
                count += 1;
            }
            let (these, others) = rest.split_at(count);
            runs.push((regions, these));
            rest = others;
        }
        Some(runs)
    }

    /// The regions whose reading an edit may change.
    fn touched(&self, edit: &Edit) -> Option<Range<usize>> {
        let (start, end) = (edit.range.start, edit.range.end);
        let mut first = self.region_at(start)?;
        // Where the dash itself goes or moves, what is left belongs to the gap before it.
        if self.region_start(first) == start {
            first = first.checked_sub(1)?;
        }
        let last = self.region_at(end.saturating_sub(1).max(start))?;
        Some(first..last + 1)
    }

    fn region_at(&self, place: usize) -> Option<usize> {
        let gaps: Range<usize> = 0..self.places.len();
        let (mut low, mut high) = (gaps.start, gaps.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.region_start(middle) <= place { low = middle + 1 } else { high = middle }
        }
        low.checked_sub(1)
    }

    fn region_start(&self, index: usize) -> usize {
        match self.places.get(index) {
            Some(place) => self.dash_line(place.start as usize),
            None => self.text.len(),
        }
    }

    /// Whether these regions, edited, hold exactly the gaps that are wished for there.
    fn run_says(&self, regions: Range<usize>, edits: &[Edit], wishes: &Wishes<'_>) -> Option<bool> {
        let part = self.region_start(regions.start)..self.region_start(regions.end);
        let is_last = regions.end == self.places.len();
        let text = apply(&self.text, part.clone(), edits);
        // The next dash must begin a line still.
        if !is_last && !text.ends_with('\n') {
            return None;
        }
        let first_line = &self.text[part.start..];
        let dash = first_line.len() - first_line.trim_start_matches(' ').len();
        let kept = wishes.kept[regions].iter().flatten();
        let added: &[&Gap] = if is_last { &wishes.added } else { &[] };
        let mut wanted = kept.chain(added);
        let mut list = Lines::new(&text).list_at(dash);
        let mut is_first = true;
        while let Some(node) = list.next().map_err(|Unusual| ()).ok()? {
            // Comments in front would stand behind the gap before, which could take them for its own.
            if std::mem::take(&mut is_first) && node.line != 1 {
                return None;
            }
            let mut problems = no_problems();
            let gap = decode::gap(node, 0, &mut problems).filter(|_| problems.count() == 0);
            match (gap, wanted.next()) {
                (Some(gap), Some(wanted)) if gap == **wanted => {}
                _ => return Some(false),
            }
        }
        Some(!is_first && wanted.next().is_none())
    }
}

/// The same by reading all of it.
pub(super) fn says(text: &str, wishes: &Wishes<'_>) -> bool {
    Document::parse(text.as_bytes()).is_ok_and(|document| document.gaps.iter().eq(wishes.in_order()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::{Index, select};

    use super::*;
    use crate::gaps::edit::Reading;

    const PIECES: [&str; 24] = [
        "- id: a\n  category: c\n",
        "- id: b # x\n  category: c\n  findings: |\n    one\n",
        "- id: d\n  category: c\n  blocks:\n  - a\n",
        "  category: c\n",
        "  priority: 2\n",
        "  findings: |-\n    two\n",
        "  findings: three\n",
        "  evidence:\n  - url: x\n",
        "  question:\n",
        "    # deep\n",
        "# note\n",
        "    four\n",
        "\n",
        "    \n",
        "- e\n",
        "- id: f\n  category: g",
        "  - b\n",
        "- ",
        "  ",
        "\n- id: h\n  category: i\n",
        "x",
        "'",
        "other: 1\n",
        "",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(4_000), ..ProptestConfig::default() })]

        /// Any piece in any place: what the regions show, reading all of it shows.
        #[test]
        fn what_the_regions_say_the_whole_says(
            pieces in proptest::collection::vec(select(&PIECES[..13]), 1..8),
            edits in proptest::collection::vec((any::<Index>(), 0..30_usize, select(&PIECES[..])), 1..3),
            at_lines in any::<bool>(),
        ) {
            let text = format!("gaps:\n- id: first\n  category: c\n{}- id: last\n  category: c\n", pieces.concat());
            let Ok(document) = Document::parse(text.as_bytes()) else { return Ok(()) };
            let mut done = 0;
            let mut made = Vec::new();
            let mut places: Vec<(usize, usize, &str)> =
                edits.iter().map(|(place, length, new)| (place.index(text.len() + 1), *length, *new)).collect();
            places.sort();
            for (start, length, new) in places {
                let line = |at: usize| text[..at].rfind('\n').map_or(0, |at| at + 1);
                let (start, end) = (start.max(done), (start + length).clamp(done, text.len()));
                let (start, end) = if at_lines { (line(start).max(done), line(end).max(done)) } else { (start, end.max(start)) };
                done = end.max(start);
                made.push(Edit { range: start..done, text: new.to_owned() });
            }
            let changed = apply(&text, 0..text.len(), &made);
            let target = Document::parse(changed.as_bytes()).map_or_else(|_| document.gaps.clone(), |read| read.gaps);
            let wishes = document.wishes(&target);
            if document.is_plain && document.regions_say(&made, &wishes) == Some(true) {
                prop_assert!(says(&changed, &wishes), "{}\n=> {:?}\n{}", text, made, changed);
            }
        }
    }

    /// A proof that is never made would be no gain.
    #[test]
    fn a_change_in_place_is_shown_by_its_regions_alone() {
        let text = "gaps:\n- id: a\n  category: c\n# note\n- id: b\n  category: c\n  findings: |\n    one\n\n- id: d\n  category: c\n";
        let document = Document::parse(text.as_bytes()).unwrap();
        let mut target = document.gaps.clone();
        target[1].findings = "two\nthree".to_owned();
        target[2].priority = 5;
        target.push(Gap::new("e", "c"));
        let wishes = document.wishes(&target);
        let edits = document.edits(&wishes, super::super::render::Shape::Block, Reading::EachAlone).unwrap();
        assert_eq!(document.regions_say(&edits, &wishes), Some(true));
        target.remove(1);
        let wishes = document.wishes(&target);
        let edits = document.edits(&wishes, super::super::render::Shape::Block, Reading::EachAlone).unwrap();
        assert_eq!(document.regions_say(&edits, &wishes), Some(true));
        let wrong = document.wishes(&document.gaps);
        assert_eq!(document.regions_say(&edits, &wrong), Some(false));
    }
}
