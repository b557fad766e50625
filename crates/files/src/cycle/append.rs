//! Bringing an append-only log up to date: each line once, in its order, whatever a crash or an agent left there.
//!
//! What is there is compared with what is to be there, from the first line that is known on. Where it is the beginning of
//! that, the rest is added, and a line that a crash cut off is completed. Where something else stands in between, as when an
//! agent wrote into the log itself, the log is written anew up to there and goes on as it should; what is dropped is handed
//! out. A log that lacks nothing is left alone.

use std::io::Write;
use std::path::Path;

use piton_model::cycle::RoleName;
use piton_sys::fault;
use piton_sys::file::{self, Durability, Error};
use serde_json::Value;

use super::changes::read_changes;
use super::logs::Wanted;

/// Far more than the logs of a cycle need.
pub(super) const LOG_BYTES_MAX: u64 = 256 << 20;

/// What a log needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It lacks nothing.
    Nothing,
    /// These bytes at its end.
    Add(Vec<u8>),
    /// Only its first `keep` bytes count, and these follow them.
    Replace { keep: usize, add: Vec<u8> },
    /// It lacks lines from before those that are known.
    Unknown,
}

/// Compares what a log holds with what it should.
pub(super) fn compare(there: &[u8], wanted: &Wanted) -> Step {
    let whole = there.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let (lines, torn) = (split(&there[..whole]), &there[whole..]);
    let Some(known) = usize::try_from(wanted.before).ok().and_then(|before| lines.get(before..)) else {
        return Step::Unknown;
    };
    let right = known.iter().zip(&wanted.lines).take_while(|(line, wanted)| is_same(line, wanted)).count();
    let Some(next) = wanted.lines.get(right) else { return Step::Nothing };
    let add = || wanted.lines[right..].iter().flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect::<Vec<u8>>();
    if right < known.len() {
        if right == 0 && wanted.before > 0 {
            // The lines before may not be those that were counted.
            return Step::Unknown;
        }
        let keep = lines[..lines.len() - known.len() + right].iter().map(|line| line.len() + 1).sum();
        return Step::Replace { keep, add: add() };
    }
    match add().strip_prefix(torn) {
        Some(rest) if torn.len() <= next.len() => Step::Add(rest.to_vec()),
        _ => Step::Replace { keep: whole, add: add() },
    }
}

/// The lines of text that ends with a line break, without their breaks.
fn split(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').map(|line| &line[..line.len() - 1]).collect()
}

/// Whether a line says what it should, in whatever way it is written.
fn is_same(line: &[u8], wanted: &str) -> bool {
    if line == wanted.as_bytes() {
        return true;
    }
    let parsed = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).ok();
    let (Some(theirs), Some(ours)) = (parsed(line), parsed(wanted.as_bytes())) else { return false };
    let nobody = RoleName::default();
    let entries = |bytes: &[u8]| {
        let read = read_changes(bytes, &nobody);
        (!read.changes.is_empty() || !read.documents.is_empty() || !read.markers.is_empty()).then_some(read)
    };
    theirs == ours || entries(line).is_some_and(|read| entries(wanted.as_bytes()) == Some(read))
}

/// Does what a log needs. Hands out what was in it and is not any more.
pub(super) fn perform(path: &Path, there: &[u8], step: Step, durability: Durability) -> Result<Option<Vec<u8>>, Error> {
    match step {
        Step::Nothing | Step::Unknown => Ok(None),
        Step::Add(bytes) if there.is_empty() => file::write_shared(path, &bytes, durability).map(|()| None),
        Step::Add(bytes) => {
            let mut log = file::open_append(path)?;
            fault::point("files.cycle.append");
            log.write_all(&bytes).map_err(|error| Error::new("write to", path, error))?;
            if durability == Durability::Synced {
                file::sync_file(&log, path)?;
            }
            Ok(None)
        }
        Step::Replace { keep, add } => {
            file::write_shared(path, &[&there[..keep], &add].concat(), durability)?;
            Ok(Some(there[keep..].to_vec()))
        }
    }
}

/// What a log in any order needs so that it has each of these lines.
pub(super) fn missing(there: &[u8], wanted: &[String]) -> Step {
    let whole = there.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let (lines, torn) = (split(&there[..whole]), &there[whole..]);
    let missing = wanted.iter().filter(|wanted| !lines.iter().any(|line| is_same(line, wanted)));
    let add: Vec<u8> = missing.flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect();
    if add.is_empty() {
        return Step::Nothing;
    }
    match add.strip_prefix(torn) {
        Some(rest) => Step::Add(rest.to_vec()),
        // What somebody else left without a line break is theirs.
        None => Step::Add([b"\n", add.as_slice()].concat()),
    }
}

/// Whether what was dropped says anything that the log does not: a change of a file that is not in it, or words that are
/// not.
pub(super) fn says_more(dropped: &[u8], log: &[String]) -> bool {
    let is_told = |text: &str| {
        let quoted = Value::from(text).to_string();
        text.is_empty() || log.iter().any(|line| line.contains(&quoted))
    };
    let read = read_changes(dropped, &RoleName::default());
    let understood = read.unreadable == 0;
    let changes = read.changes.iter().all(|change| is_told(&change.file));
    let documents = read.documents.iter().all(|document| is_told(&document.change));
    !(understood && changes && documents)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(before: u64, lines: &[&str]) -> Wanted {
        Wanted { before, lines: lines.iter().map(|line| (*line).to_owned()).collect() }
    }

    fn after(there: &str, wanted: &Wanted) -> Option<String> {
        match compare(there.as_bytes(), wanted) {
            Step::Nothing => Some(there.to_owned()),
            Step::Add(bytes) => Some(there.to_owned() + std::str::from_utf8(&bytes).unwrap()),
            Step::Replace { keep, add } => Some(there[..keep].to_owned() + std::str::from_utf8(&add).unwrap()),
            Step::Unknown => None,
        }
    }

    #[test]
    fn whatever_a_crash_left_becomes_the_whole_log() {
        let whole = "{\"a\":1}\n{\"b\":2}\n{\"b\":2}\n{\"c\":3}\n";
        let all = wanted(0, &["{\"a\":1}", "{\"b\":2}", "{\"b\":2}", "{\"c\":3}"]);
        for cut in 0..=whole.len() {
            assert_eq!(after(&whole[..cut], &all).as_deref(), Some(whole), "cut at {cut}");
        }
        let window = wanted(2, &["{\"b\":2}", "{\"c\":3}"]);
        for cut in 16..=whole.len() {
            assert_eq!(after(&whole[..cut], &window).as_deref(), Some(whole), "cut at {cut}");
        }
        for cut in 0..16 {
            assert_eq!(after(&whole[..cut], &window), None, "cut at {cut}");
        }
    }

    #[test]
    fn what_an_agent_wrote_itself_is_replaced_by_what_was_taken_of_it() {
        let all = wanted(0, &["{\"a\":1}", "{\"b\":2}"]);
        assert_eq!(after("{\"a\":1}\ntheirs\nand {", &all).unwrap(), "{\"a\":1}\n{\"b\":2}\n");
        assert_eq!(after("{\"a\":1}\nthei", &all).unwrap(), "{\"a\":1}\n{\"b\":2}\n");
        let complete = wanted(0, &["{\"a\":1}"]);
        assert_eq!(after("{\"a\":1}\nthei", &complete).unwrap(), "{\"a\":1}\nthei", "it may be at work");
    }

    #[test]
    fn the_same_in_other_words_is_the_same() {
        assert_eq!(compare(b"{ \"b\": 2, \"a\": 1 }\n", &wanted(0, &["{\"a\":1,\"b\":2}"])), Step::Nothing);
        let theirs = "{\"timestamp\":\"2026-01-22T02:00:00Z\",\"file\":\"f\",\"action\":\"modify\",\"agent\":\"cd\",\"iteration\":1}\n";
        let ours = "{\"timestamp\":\"2026-01-22T10:00:00+08:00\",\"iteration\":1,\"file\":\"f\",\"action\":\"modify\",\"agent\":\"cd\",\"description\":\"\",\"lines_added\":0,\"lines_removed\":0}";
        assert_eq!(compare(theirs.as_bytes(), &wanted(0, &[ours])), Step::Nothing);
    }

    #[test]
    fn where_the_order_does_not_matter_only_what_is_missing_is_added() {
        let wanted = ["a", "b"].map(str::to_owned);
        let after = |there: &str| match missing(there.as_bytes(), &wanted) {
            Step::Add(bytes) => there.to_owned() + std::str::from_utf8(&bytes).unwrap(),
            _ => there.to_owned(),
        };
        assert_eq!(after("b\ntheirs\n"), "b\ntheirs\na\n");
        assert_eq!(after("b\ntheirs"), "b\ntheirs\na\n");
        assert_eq!(after("a"), "a\nb\n");
        assert_eq!(after("b\na\n"), "b\na\n");
    }

    #[test]
    fn lines_of_others_before_the_known_ones_are_noticed() {
        assert_eq!(after("x\ny\nz\n", &wanted(1, &["a", "b"])), None);
    }

    #[test]
    fn what_is_dropped_is_worth_keeping_where_it_says_more() {
        let log = ["{\"file\":\"src/a.ts\",\"description\":\"d\"}".to_owned()];
        let line = |file: &str| format!("{{\"file\":\"{file}\",\"action\":\"modify\"}}\n");
        assert!(!says_more(line("src/a.ts").as_bytes(), &log));
        assert!(says_more(line("src/b.ts").as_bytes(), &log));
        assert!(says_more(b"words\n", &log));
        assert!(!says_more(b"{\"torn", &log));
    }
}
