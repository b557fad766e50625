//! lcov tracefiles: `SF:` opens a file, `DA:`, `BRDA:` and `FN*:` speak of it, `end_of_record` closes it.
//!
//! A file may come several times, once per test (`TN:`): then covered in one of them is covered. Lines and
//! branches are counted from their records; the sums `LF`, `LH` and so on serve only where there are no records.
//! For functions it is the other way round as long as a file comes once, since llvm lists each instance of a
//! generic function but sums them up as one.

use std::collections::HashMap;

use super::{Coverage, Error, Format, Share, Shares};
use crate::text::{digest, excerpt};

/// What was recorded of one file.
#[derive(Default)]
struct File {
    /// `line * 2 + covered`.
    lines: Vec<u32>,
    /// A digest of line, block and branch, whose lowest bit says whether it was taken.
    branches: Vec<u64>,
    /// A digest of the name, whose lowest bit says whether it was called.
    functions: Vec<u64>,
    records: u32,
    sums: Sums,
}

#[derive(Default)]
struct Sums {
    lines: (Option<u64>, Option<u64>),
    branches: (Option<u64>, Option<u64>),
    functions: (Option<u64>, Option<u64>),
}

pub(super) fn read(bytes: &[u8]) -> Result<Coverage, Error> {
    let mut order: Vec<String> = Vec::new();
    let mut index: HashMap<String, usize> = HashMap::new();
    let mut files: Vec<File> = Vec::new();
    let mut open: Option<usize> = None;
    let mut count = 0;
    for line in bytes.split(|byte| *byte == b'\n') {
        count += 1;
        let line = line.trim_ascii();
        if let Some(path) = line.strip_prefix(b"SF:") {
            if open.is_some() {
                return Err(wrong("`end_of_record` before the next file", line, count));
            }
            let path = String::from_utf8_lossy(path).into_owned();
            let at = *index.entry(path).or_insert_with_key(|path| {
                order.push(path.clone());
                files.push(File::default());
                files.len() - 1
            });
            files[at].records += 1;
            open = Some(at);
        } else if line == b"end_of_record" {
            if open.take().is_none() {
                return Err(wrong("`SF:` before the end of a record", line, count));
            }
        } else if let Some((key, value)) = split(line, b':') {
            let file = open.and_then(|at| files.get_mut(at));
            record(file, key, value).map_err(|expected| wrong(expected, line, count))?;
        } else if !line.is_empty() && !line.starts_with(b"#") {
            return Err(wrong("a record such as `DA:1,1`", line, count));
        }
    }
    if open.is_some() {
        return Err(content("`end_of_record`", "the end of the input"));
    }
    if files.is_empty() {
        return Err(content("at least one `SF:`", "no file"));
    }
    Ok(Coverage::sum(Format::Lcov, order.into_iter().zip(files.into_iter().map(shares))))
}

fn record(file: Option<&mut File>, key: &[u8], value: &[u8]) -> Result<(), &'static str> {
    let Some(file) = file else {
        return if matches!(key, b"DA" | b"BRDA") { Err("`SF:` before records") } else { Ok(()) };
    };
    match key {
        b"DA" => file.lines.push(line_record(value).ok_or("`DA:` with a line and a count")?),
        b"BRDA" => file.branches.push(branch_record(value).ok_or("`BRDA:` with four fields")?),
        b"FN" => {
            // `FN:line,name` or `FN:line,end,name`: the name follows the last comma that follows a number.
            let (_, rest) = split(value, b',').ok_or("`FN:` with a line and a name")?;
            let name = match split(rest, b',') {
                Some((end, name)) if !end.is_empty() && end.iter().all(u8::is_ascii_digit) => name,
                _ => rest,
            };
            file.functions.push(marked(&[name], false));
        }
        b"FNDA" => {
            let (calls, name) = split(value, b',').ok_or("`FNDA:` with a count and a name")?;
            let called = covered(calls).ok_or("`FNDA:` with a count and a name")?;
            file.functions.push(marked(&[name], called));
        }
        b"FNL" => {
            let (index, _) = split(value, b',').ok_or("`FNL:` with an index and a line")?;
            file.functions.push(marked(&[b"\0", index], false));
        }
        b"FNA" => {
            let mut fields = value.splitn(3, |byte| *byte == b',');
            let (index, calls) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
            let called = covered(calls).ok_or("`FNA:` with an index, a count and a name")?;
            file.functions.push(marked(&[b"\0", index], called));
        }
        b"LF" => file.sums.lines.0 = plain_number(value),
        b"LH" => file.sums.lines.1 = plain_number(value),
        b"BRF" => file.sums.branches.0 = plain_number(value),
        b"BRH" => file.sums.branches.1 = plain_number(value),
        b"FNF" => file.sums.functions.0 = plain_number(value),
        b"FNH" => file.sums.functions.1 = plain_number(value),
        _ => {}
    }
    Ok(())
}

fn shares(file: File) -> Shares {
    let once = file.records == 1;
    let has_functions = !file.functions.is_empty();
    let lines = count_lines(file.lines);
    let branches = count_marked(file.branches);
    let functions = count_marked(file.functions);
    let summed = |pair: (Option<u64>, Option<u64>)| match pair {
        (Some(total), Some(covered)) if once && covered <= total => Some(Share { covered, total }),
        _ => None,
    };
    Shares {
        // A file of a record without lines has none: 0 of 0 is known here.
        lines: lines.measured().or_else(|| summed(file.sums.lines)).or(Some(lines)),
        branches: branches.measured().or_else(|| summed(file.sums.branches).and_then(Share::measured)),
        functions: summed(file.sums.functions)
            .and_then(Share::measured)
            .or_else(|| has_functions.then_some(functions)),
    }
}

fn count_lines(mut lines: Vec<u32>) -> Share {
    lines.sort_unstable_by(|a, b| b.cmp(a));
    // The covered record of a line is the larger one and comes first.
    lines.dedup_by_key(|line| *line >> 1);
    Share { covered: lines.iter().filter(|line| **line & 1 == 1).count() as u64, total: lines.len() as u64 }
}

fn count_marked(mut marks: Vec<u64>) -> Share {
    marks.sort_unstable_by(|a, b| b.cmp(a));
    marks.dedup_by_key(|mark| *mark >> 1);
    Share { covered: marks.iter().filter(|mark| **mark & 1 == 1).count() as u64, total: marks.len() as u64 }
}

fn line_record(value: &[u8]) -> Option<u32> {
    let (line, rest) = split(value, b',')?;
    let calls = split(rest, b',').map_or(rest, |(calls, _)| calls);
    let line = u32::try_from(plain_number(line)?).ok().filter(|line| *line < 1 << 31)?;
    Some(line << 1 | u32::from(covered(calls)?))
}

fn branch_record(value: &[u8]) -> Option<u64> {
    // The branch may be an expression with commas in it; the last field is what counts.
    let comma = value.iter().rposition(|byte| *byte == b',')?;
    let (place, taken) = (&value[..comma], &value[comma + 1..]);
    if place.iter().filter(|byte| **byte == b',').count() < 2 {
        return None;
    }
    let taken = if taken == b"-" { false } else { covered(taken)? };
    Some(marked(&[place], taken))
}

fn marked(parts: &[&[u8]], covered: bool) -> u64 {
    digest(parts) & !1 | u64::from(covered)
}

/// Whether a count is above zero. Counts can be negative (an old fault of gcov) or have an exponent.
fn covered(count: &[u8]) -> Option<bool> {
    if let Some(count) = count.strip_prefix(b"-") {
        return plain_number(count).map(|_| false);
    }
    if !count.is_empty() && count.iter().all(u8::is_ascii_digit) {
        return Some(count.iter().any(|byte| *byte != b'0'));
    }
    let count: f64 = std::str::from_utf8(count).ok()?.parse().ok()?;
    count.is_finite().then_some(count > 0.0)
}

fn plain_number(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn split(line: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let position = memchr::memchr(at, line)?;
    Some((&line[..position], &line[position + 1..]))
}

fn wrong(expected: &'static str, line: &[u8], count: usize) -> Error {
    Error::Line { format: Format::Lcov, expected, found: excerpt(line), line: count }
}

fn content(expected: &'static str, found: &str) -> Error {
    Error::Content { format: Format::Lcov, expected, found: found.to_owned() }
}
