//! Go cover profiles: `mode: set|count|atomic`, then one line per block: `file.go:1.2,3.4 statements count`.
//!
//! With `-coverpkg` or several profiles in one file a block comes several times: it counts once, and is covered
//! if one of them says so. Go counts statements, so these stand for lines here.

use std::collections::HashMap;

use super::{Coverage, Error, Format, Share, Shares};
use crate::text::excerpt;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Block {
    /// Line and column where it starts, then where it ends.
    place: [u32; 4],
    statements: u32,
    covered: bool,
}

pub(super) fn read(bytes: &[u8]) -> Result<Coverage, Error> {
    let mut files: Vec<(String, Vec<Block>)> = Vec::new();
    let mut index: HashMap<String, usize> = HashMap::new();
    let mut last: Option<usize> = None;
    let mut has_mode = false;
    for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        if let Some(mode) = line.strip_prefix(b"mode:") {
            if !matches!(mode.trim_ascii(), b"set" | b"count" | b"atomic") {
                return Err(wrong("`mode: set`, `mode: count` or `mode: atomic`", line, at));
            }
            has_mode = true;
            continue;
        }
        if !has_mode {
            return Err(wrong("`mode:` in the first line", line, at));
        }
        let expected = "`file.go:line.column,line.column statements count`";
        let (path, block) = parse(line).ok_or_else(|| wrong(expected, line, at))?;
        let place = match last.filter(|last| files[*last].0.as_bytes() == path) {
            Some(last) => last,
            None => *index.entry(String::from_utf8_lossy(path).into_owned()).or_insert_with_key(|path| {
                files.push((path.clone(), Vec::new()));
                files.len() - 1
            }),
        };
        files[place].1.push(block);
        last = Some(place);
    }
    if !has_mode {
        let found = "an empty profile".to_owned();
        return Err(Error::Content { format: Format::Go, expected: "`mode:` in the first line", found });
    }
    let mut listed = Vec::with_capacity(files.len());
    for (path, blocks) in files {
        let lines = Some(count(blocks, &path)?);
        listed.push((path, Shares { lines, branches: None, functions: None }));
    }
    Ok(Coverage::sum(Format::Go, listed))
}

fn count(mut blocks: Vec<Block>, path: &str) -> Result<Share, Error> {
    // Of the same block the covered one comes first.
    blocks.sort_unstable_by(|a, b| (a.place, b.covered).cmp(&(b.place, a.covered)));
    let clash = blocks
        .windows(2)
        .any(|pair| pair[0].place == pair[1].place && pair[0].statements != pair[1].statements);
    if clash {
        let found = format!("two in `{}`", crate::text::clip(path, 120));
        return Err(Error::Content {
            format: Format::Go,
            expected: "one number of statements per block",
            found,
        });
    }
    blocks.dedup_by_key(|block| block.place);
    let mut share = Share::default();
    for block in blocks {
        share.total += u64::from(block.statements);
        share.covered += if block.covered { u64::from(block.statements) } else { 0 };
    }
    Ok(share)
}

fn parse(line: &[u8]) -> Option<(&[u8], Block)> {
    // The path may hold colons; the last one ends it.
    let colon = memchr::memrchr(b':', line)?;
    let (path, rest) = (&line[..colon], std::str::from_utf8(&line[colon + 1..]).ok()?);
    let mut fields = rest.split_ascii_whitespace();
    let (range, statements, count) = (fields.next()?, fields.next()?, fields.next()?);
    if fields.next().is_some() || path.is_empty() {
        return None;
    }
    let (start, end) = range.split_once(',')?;
    let (start, end) = (start.split_once('.')?, end.split_once('.')?);
    let place = [start.0.parse().ok()?, start.1.parse().ok()?, end.0.parse().ok()?, end.1.parse().ok()?];
    let count: u64 = count.parse().ok()?;
    Some((path, Block { place, statements: statements.parse().ok()?, covered: count > 0 }))
}

fn wrong(expected: &'static str, line: &[u8], at: usize) -> Error {
    Error::Line { format: Format::Go, expected, found: excerpt(line), line: at + 1 }
}
