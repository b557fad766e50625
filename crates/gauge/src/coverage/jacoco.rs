//! JaCoCo XML: counters at every level. The totals are those of the report itself, files are its `sourcefile`s.

use std::collections::BTreeMap;

use super::{Coverage, Error, Format, Share, Shares};
use crate::xml::{Element, Tag, walk};

#[derive(Default)]
struct Reading {
    package: String,
    /// The open source file: its depth, its path, its counters.
    file: Option<(usize, String, Shares)>,
    files: BTreeMap<String, Shares>,
    totals: Shares,
    has_totals: bool,
}

pub(super) fn read(bytes: &[u8]) -> Result<Coverage, Error> {
    let mut reading = Reading::default();
    walk(bytes, |tag| match tag {
        Tag::Open(element, depth) => reading.open(&element, depth),
        Tag::Close(depth) => {
            reading.close(depth);
            Ok(())
        }
    })?;
    let sum = Coverage::sum(Format::Jacoco, reading.files);
    Ok(if reading.has_totals { sum.with_totals(reading.totals) } else { sum })
}

impl Reading {
    fn open(&mut self, element: &Element<'_>, depth: usize) -> Result<(), Error> {
        match element.name() {
            "report" if depth == 0 => {}
            name if depth == 0 => {
                let found = format!("<{}>", crate::text::clip(name, 60));
                return Err(Error::Content {
                    format: Format::Jacoco,
                    expected: "the root `<report>`",
                    found,
                });
            }
            "package" => self.package = element.attribute("name").unwrap_or_default(),
            "sourcefile" => {
                let name = element.attribute("name").unwrap_or_default();
                let path = if self.package.is_empty() { name } else { format!("{}/{name}", self.package) };
                self.file = Some((depth, path, Shares::default()));
            }
            "counter" => return self.counter(element, depth),
            _ => {}
        }
        Ok(())
    }

    fn counter(&mut self, element: &Element<'_>, depth: usize) -> Result<(), Error> {
        let shares = match &mut self.file {
            Some((file, _, shares)) if depth == *file + 1 => shares,
            _ if depth == 1 => {
                self.has_totals = true;
                &mut self.totals
            }
            _ => return Ok(()),
        };
        let (mut kind, mut missed, mut covered) = (String::new(), None, None);
        element.attributes(|key, value| match key {
            "type" => value.clone_into(&mut kind),
            "missed" => missed = value.parse::<u64>().ok(),
            "covered" => covered = value.parse::<u64>().ok(),
            _ => {}
        });
        let (Some(missed), Some(covered)) = (missed, covered) else {
            return Err(Error::Content {
                format: Format::Jacoco,
                expected: "`missed` and `covered` of a counter",
                found: "none".to_owned(),
            });
        };
        let share = Share { covered, total: covered.saturating_add(missed) };
        let kind = match kind.as_str() {
            "LINE" => &mut shares.lines,
            "BRANCH" => &mut shares.branches,
            "METHOD" => &mut shares.functions,
            _ => return Ok(()),
        };
        *kind = Some(kind.unwrap_or_default().add(share));
        Ok(())
    }

    fn close(&mut self, depth: usize) {
        if let Some((_, path, shares)) = self.file.take_if(|(opened, _, _)| *opened == depth) {
            let known = self.files.entry(path).or_default();
            *known = known.add(shares);
        }
    }
}
