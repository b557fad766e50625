//! Cobertura XML: packages of classes, a class with its file and lines.
//!
//! Lines stand twice in it, below their method and below their class; only the latter are complete. Several
//! classes of one file are merged by line. The sums in the root element serve where no lines are listed.

use std::collections::HashMap;

use super::{Coverage, Error, Format, Share, Shares};
use crate::xml::{Element, Tag, unescape, walk};

#[derive(Default)]
struct File {
    /// Line, whether it was covered, and its branches.
    lines: Vec<Line>,
    functions: Share,
}

#[derive(Clone, Copy)]
struct Line {
    number: u32,
    covered: bool,
    branches: Option<(u32, u32)>,
}

#[derive(Default)]
struct Reading {
    files: Vec<(String, File)>,
    index: HashMap<String, usize>,
    /// The open class.
    class: Option<usize>,
    /// The open method: its depth, and whether one of its lines was covered.
    method: Option<(usize, bool)>,
    sums: Sums,
}

#[derive(Default)]
struct Sums {
    lines_valid: Option<u64>,
    lines_covered: Option<u64>,
    branches_valid: Option<u64>,
    branches_covered: Option<u64>,
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
    let has_branches = reading.sums.branches_valid.is_some_and(|valid| valid > 0);
    let listed = !reading.files.is_empty();
    let files = reading.files.into_iter().map(|(path, file)| (path, shares(file, has_branches)));
    let sum = Coverage::sum(Format::Cobertura, files);
    let stated = |covered: Option<u64>, total: Option<u64>| {
        covered.zip(total).map(|(covered, total)| Share { covered, total })
    };
    let sums = &reading.sums;
    Ok(match stated(sums.lines_covered, sums.lines_valid) {
        Some(lines) if !listed => sum.with_totals(Shares {
            lines: Some(lines),
            branches: stated(sums.branches_covered, sums.branches_valid).and_then(Share::measured),
            functions: None,
        }),
        _ => sum,
    })
}

impl Reading {
    fn open(&mut self, element: &Element<'_>, depth: usize) -> Result<(), Error> {
        match element.name() {
            name if depth == 0 => self.root(name, element),
            "class" => {
                let path = element.attribute("filename").ok_or_else(|| content("`filename` of a class"))?;
                let files = &mut self.files;
                let at = *self.index.entry(path).or_insert_with_key(|path| {
                    files.push((path.clone(), File::default()));
                    files.len() - 1
                });
                self.class = Some(at);
                Ok(())
            }
            "method" => {
                self.method = Some((depth, false));
                Ok(())
            }
            "line" => self.line(element),
            _ => Ok(()),
        }
    }

    fn root(&mut self, name: &str, element: &Element<'_>) -> Result<(), Error> {
        if name != "coverage" || element.attribute("clover").is_some() {
            let found = format!("<{}>", crate::text::clip(name, 60));
            return Err(Error::Content {
                format: Format::Cobertura,
                expected: "the root `<coverage>`",
                found,
            });
        }
        let number = |name: &str| element.attribute(name).and_then(|value| value.parse().ok());
        self.sums = Sums {
            lines_valid: number("lines-valid"),
            lines_covered: number("lines-covered"),
            branches_valid: number("branches-valid"),
            branches_covered: number("branches-covered"),
        };
        Ok(())
    }

    fn line(&mut self, element: &Element<'_>) -> Result<(), Error> {
        let (mut number, mut hits, mut branches) = (None, None, None);
        element.attributes(|key, value| match key {
            "number" => number = value.parse().ok(),
            "hits" => hits = covered(value),
            "condition-coverage" => branches = fraction(&unescape(value)),
            _ => {}
        });
        let (Some(number), Some(covered)) = (number, hits) else {
            return Err(content("`number` and `hits` of a line"));
        };
        if let Some((_, called)) = &mut self.method {
            *called |= covered;
        } else if let Some(class) = self.class {
            self.files[class].1.lines.push(Line { number, covered, branches });
        }
        Ok(())
    }

    fn close(&mut self, depth: usize) {
        if let Some((_, called)) = self.method.take_if(|(opened, _)| *opened == depth)
            && let Some(class) = self.class
        {
            let functions = &mut self.files[class].1.functions;
            *functions = functions.add(Share { covered: u64::from(called), total: 1 });
        }
    }
}

fn shares(mut file: File, has_branches: bool) -> Shares {
    // Of the same line the covered one, then the one with more branches taken, comes first.
    file.lines.sort_unstable_by(|a, b| {
        a.number.cmp(&b.number).then((b.covered, b.branches).cmp(&(a.covered, a.branches)))
    });
    file.lines.dedup_by_key(|line| line.number);
    let (mut lines, mut branches) = (Share::default(), None::<Share>);
    for line in &file.lines {
        lines = lines.add(Share { covered: u64::from(line.covered), total: 1 });
        if let Some((covered, total)) = line.branches {
            let one = Share { covered: covered.into(), total: total.into() };
            branches = Some(branches.unwrap_or_default().add(one));
        }
    }
    Shares {
        lines: Some(lines),
        branches: branches.or(has_branches.then(Share::default)),
        functions: file.functions.measured(),
    }
}

/// Whether a number of hits is above zero.
fn covered(hits: &str) -> Option<bool> {
    if !hits.is_empty() && hits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(hits.bytes().any(|byte| byte != b'0'));
    }
    let hits: f64 = hits.parse().ok()?;
    hits.is_finite().then_some(hits > 0.0)
}

/// `50% (1/2)`.
fn fraction(text: &str) -> Option<(u32, u32)> {
    let inner = text.split_once('(')?.1.split_once(')')?.0;
    let (covered, total) = inner.split_once('/')?;
    Some((covered.trim().parse().ok()?, total.trim().parse().ok()?))
}

fn content(expected: &'static str) -> Error {
    Error::Content { format: Format::Cobertura, expected, found: "none".to_owned() }
}
